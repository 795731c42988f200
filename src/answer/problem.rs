//! A name that means nothing, or several things.
//!
//! Where it sits: what every command returns instead of an answer when [`crate::search::resolve`] does not find one symbol;
//! exit codes 3 and 4. Invariant: whatever is listed carries an id that can be typed instead.

use serde::Serialize;

use crate::answer::card::NodeCard;
use crate::ids::SymId;
use crate::search::{Match, Resolution};
use crate::snapshot::Snapshot;

/// Most candidates that are listed; the number of all is given beside them.
const MAX_CANDIDATES: usize = 50;
/// Most characters of what was typed that an answer repeats.
const MAX_ASKED: usize = 200;

/// Why a name is no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NameProblem {
    /// What was typed.
    pub asked: String,
    /// The symbols that it may mean; empty when it means none.
    pub candidates: Vec<NodeCard>,
    /// How many it may mean, those that are not listed included.
    pub total: usize,
    /// When it means none: symbols of similar names.
    pub near: Vec<NodeCard>,
    /// When it was `FILE::name` and the file exists without that name: the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// When it was `FILE:LINE` behind the end of the file: how many lines the file has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// Whether a whole question was asked, not a name.
    pub question: bool,
}

impl NameProblem {
    /// A question none of whose words hits anything.
    pub fn nothing(question: &str) -> Self {
        Self {
            asked: shortened(question),
            question: true,
            ..Self::default()
        }
    }

    /// The symbol that was found, with what to tell the user about it; or the problem.
    ///
    /// # Errors
    /// The problem, for ambiguous and unknown names.
    pub fn check(
        snapshot: &Snapshot,
        asked: &str,
        resolution: Resolution,
    ) -> Result<(SymId, Option<String>), Self> {
        let cards = |syms: Vec<SymId>| {
            syms.into_iter()
                .map(|s| NodeCard::of(snapshot, s))
                .collect()
        };
        let asked = shortened(asked);
        match resolution {
            Resolution::Found { sym, announced } => Ok((
                sym,
                announced.map(|how| announcement(snapshot, sym, &asked, how)),
            )),
            Resolution::Ambiguous { candidates, total } => Err(Self {
                asked,
                candidates: cards(candidates.into_iter().take(MAX_CANDIDATES).collect()),
                total,
                ..Self::default()
            }),
            Resolution::NotFound { near, file } => Err(Self {
                asked,
                near: cards(near),
                file,
                ..Self::default()
            }),
            Resolution::NoSuchLine { file, lines } => Err(Self {
                asked,
                file: Some(file),
                lines: Some(lines),
                ..Self::default()
            }),
        }
    }
}

/// What was typed, cut where it is too long to be repeated.
fn shortened(asked: &str) -> String {
    let mut chars = asked.chars();
    let mut text: String = chars.by_ref().take(MAX_ASKED).collect();
    if chars.next().is_some() {
        text.push('…');
    }
    text
}

fn announcement(snapshot: &Snapshot, sym: SymId, asked: &str, how: Match) -> String {
    let how = match how {
        Match::Folded => "is spelt differently",
        Match::Prefix => "is only the beginning of its name",
        Match::Substring => "is only a part of its name",
    };
    let card = NodeCard::of(snapshot, sym);
    format!(
        "closest match: {} ({}); '{asked}' {how}",
        card.label, card.id
    )
}

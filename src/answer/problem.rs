//! A name that means nothing, or several things.
//!
//! Where it sits: what every command returns instead of an answer when [`crate::search::resolve`] does not find one symbol;
//! exit codes 3 and 4. Invariant: whatever is listed carries an id that can be typed instead.

use serde::Serialize;

use crate::answer::card::NodeCard;
use crate::ids::SymId;
use crate::search::{Match, Resolution};
use crate::snapshot::Snapshot;

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
    /// Whether a whole question was asked, not a name.
    pub question: bool,
}

impl NameProblem {
    /// A question none of whose words hits anything.
    pub fn nothing(question: &str) -> Self {
        Self {
            asked: question.to_string(),
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
        let asked = asked.to_string();
        match resolution {
            Resolution::Found { sym, announced } => Ok((
                sym,
                announced.map(|how| announcement(snapshot, sym, &asked, how)),
            )),
            Resolution::Ambiguous { candidates, total } => Err(Self {
                asked,
                candidates: cards(candidates),
                total,
                ..Self::default()
            }),
            Resolution::NotFound { near, file } => Err(Self {
                asked,
                near: cards(near),
                file,
                ..Self::default()
            }),
        }
    }
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

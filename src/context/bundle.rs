//! What was gathered: pieces of source, and the order in which a growing budget shows them.
//!
//! Where it sits: the result of [`super::assemble()`], read by `render`. Invariants: line numbers are those of the text that
//! the bundle itself carries; the steps name every piece at least once, an entry first, and do not depend on a budget.

use std::ops::RangeInclusive;

/// The text of a file as it was read for this bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// Key of the file: its path.
    pub key: String,
    /// Language, as fences name it.
    pub language: String,
    /// Whether its content is not the one that was indexed.
    pub stale: bool,
    text: String,
    starts: Vec<usize>,
}

impl SourceText {
    pub(crate) fn new(key: &str, language: String, text: String, stale: bool) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Self {
            key: key.to_string(),
            language,
            stale,
            text,
            starts,
        }
    }

    /// How many lines it has.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// A line by its number from 1, without its end; empty outside the text.
    pub fn line(&self, number: u32) -> &str {
        let Some(at) = (number as usize).checked_sub(1) else {
            return "";
        };
        let Some(start) = self.starts.get(at).copied() else {
            return "";
        };
        let end = self.starts.get(at + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default();
        line.trim_end_matches(['\n', '\r'])
    }

    /// The lines of a stretch with their ends.
    pub fn lines(&self, range: RangeInclusive<u32>) -> &str {
        let at = |n: u32| self.starts.get((n as usize).saturating_sub(1)).copied();
        let Some(start) = at(*range.start()) else {
            return "";
        };
        let end = at(range.end().saturating_add(1)).unwrap_or(self.text.len());
        self.text.get(start..end.max(start)).unwrap_or_default()
    }
}

/// How much of a piece is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Declaration, doc comment, and the lines that lead on.
    Outline,
    /// All of it, but not more than one piece may take.
    Body,
    /// All of it.
    Whole,
}

/// One step of a bundle: show this much of this piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Place of the piece in [`Bundle::pieces`].
    pub piece: usize,
    /// How much.
    pub form: Form,
}

/// A logical unit and why it belongs here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// The symbol key: every command takes it.
    pub id: String,
    /// How answers print the symbol.
    pub label: String,
    /// What it is.
    pub kind: String,
    /// Place of its file in [`Bundle::files`].
    pub file: usize,
    /// First line.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// Why it is here.
    pub why: String,
    /// Whether an edge of the chain brought it here, and not likeness or belonging.
    pub led: bool,
    /// Hops from the entry; `None` where no chain leads to it.
    pub hops: Option<u32>,
    /// Place of the piece from which the chain comes.
    pub via: Option<usize>,
    /// Whether lines of it were changed lately.
    pub changed: bool,
    /// What a long table or generated code is reduced to: a line that says what it holds.
    pub summary: Option<String>,
    /// What it was ranked by.
    pub score: f64,
    /// The lines of its body, stretches in ascending order.
    pub body: Vec<(u32, u32)>,
    /// The lines of its outline, stretches in ascending order.
    pub outline: Vec<(u32, u32)>,
}

/// Something that belongs to the bundle and cannot be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}

/// All that was gathered for a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bundle {
    /// The word for the mode.
    pub mode: String,
    /// Hops that the chain was followed.
    pub depth: u32,
    /// The question as asked.
    pub question: String,
    /// Where it starts, as a reader may type it; empty for a question alone.
    pub entry: String,
    /// Whether the first piece is an entry, and not merely the best.
    pub has_entry: bool,
    /// The files of the pieces, in reading order.
    pub files: Vec<SourceText>,
    /// The pieces in reading order: by file, then by line.
    pub pieces: Vec<Piece>,
    /// In which order a growing budget shows them.
    pub steps: Vec<Step>,
    /// Environment variables that shown code may read: name, and `path:line` of the site.
    pub environment: Vec<(String, String)>,
    /// Candidates that cannot be shown at any budget.
    pub left_out: Vec<LeftOut>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
}

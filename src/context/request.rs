//! What is asked for.

use std::collections::BTreeMap;

use crate::ids::SymId;

/// How far a bundle reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// The unit alone, with what its first lines need.
    Slice,
    /// Outwards along calls, references and types.
    #[default]
    Chain,
    /// As much of what is relevant as the budget holds.
    Global,
}

impl Mode {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Slice => "slice",
            Self::Chain => "chain",
            Self::Global => "global",
        }
    }

    /// Hops from the entry, where none are asked for.
    pub const fn depth(self) -> u32 {
        match self {
            Self::Slice => 0,
            Self::Chain => 3,
            Self::Global => 5,
        }
    }
}

/// Where a bundle starts.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Entry {
    /// At the symbols that the question is about.
    #[default]
    Question,
    /// At a symbol.
    Symbol(SymId),
    /// At the innermost unit at a line of a unit's file.
    Line {
        /// Key of the file.
        file: String,
        /// The line, from 1.
        line: u32,
    },
}

/// Lines that differ from a revision, by file key: first and last line of each stretch, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Changed(pub BTreeMap<String, Vec<(u32, u32)>>);

impl Changed {
    /// Whether any line of a stretch was changed.
    pub fn touches(&self, file: &str, first: u32, last: u32) -> bool {
        self.0
            .get(file)
            .is_some_and(|ranges| ranges.iter().any(|(a, b)| *a <= last && first <= *b))
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// How far the bundle reaches.
    pub mode: Mode,
    /// Where it starts.
    pub entry: Entry,
    /// What the reader wants to know, in words; empty for nothing in particular.
    pub question: String,
    /// Most hops of the chain; by mode if not given.
    pub depth: Option<u32>,
    /// How much more an edge within a file counts.
    pub same_file_weight: f64,
    /// Lines that were changed lately.
    pub changed: Changed,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            entry: Entry::default(),
            question: String::new(),
            depth: None,
            same_file_weight: 3.0,
            changed: Changed::default(),
        }
    }
}

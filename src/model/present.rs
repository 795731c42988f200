//! A file as it is now, beside what the index holds of it.
//!
//! Where it sits: the border between answers that show source and whoever reads files. `context` asks for files through
//! [`Present`]; `fresh` answers from the disk, tests from memory. Invariant: a file whose content differs from the indexed
//! one comes with its definitions as they are now, so that nothing that is gone is ever shown.

use crate::model::label::Language;
use crate::model::unit::Unit;

/// A file that can be read.
#[derive(Clone, Debug)]
pub struct PresentFile {
    /// Its decoded text.
    pub text: String,
    /// Its definitions and facts, where its content is not the one that was indexed; `None` while the index is right.
    pub changed: Option<Box<Unit>>,
}

/// What became of a file.
#[derive(Clone, Debug)]
pub enum Presence {
    /// It is there.
    Here(Box<PresentFile>),
    /// It is gone, or can no longer be read as source.
    Gone,
}

/// Where files are read.
pub trait Present {
    /// The file with that key, which had the content `known` (XXH3-128) when it was indexed.
    fn file(&self, key: &str, language: Language, known: u128) -> Presence;
}

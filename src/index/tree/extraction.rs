//! One candidate becomes one unit, or a reason why not.
//!
//! Where it sits: between `source` (bytes) and `extract` (text to unit), run by the workers of [`super`]. Invariants: pure
//! but for reading the one file; the content hash is that of the bytes on disk; a file that cannot be read is a reason,
//! never an error of the run.

use crate::extract::{self, ExtractOptions};
use crate::index::FileStamp;
use crate::index::tree::stamp;
use crate::model::unit::{FileFlags, Unit};
use crate::source::read::{self, Reading};
use crate::source::skipped::{SkipReason, Skipped};
use crate::source::walk::Candidate;

/// What became of a file.
pub(super) enum Extracted {
    /// A unit that was read from its source now.
    Read(Box<(Unit, FileStamp)>),
    /// A unit as an earlier run stored it.
    Stored(Box<Unit>),
    /// Nothing, and why.
    Skipped(Skipped),
}

impl Extracted {
    pub(super) fn stored(unit: Unit) -> Self {
        Self::Stored(Box::new(unit))
    }
}

/// Reads and parses one file of at most `limit` bytes.
pub(super) fn extract(candidate: &Candidate, limit: u64) -> Extracted {
    let source = match read::read(&candidate.path, &candidate.key, candidate.language, limit) {
        Reading::Source(source) => source,
        Reading::Skipped { reason, .. } => return skipped(candidate, reason),
    };
    let size_limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let flags = FileFlags(source.flags.0 & !FileFlags::LINKS_STALE);
    let options = ExtractOptions { flags, size_limit };
    let text = source.text.text.as_bytes();
    let mut unit = extract::extract(&candidate.key, candidate.language, text, &options);
    unit.meta.content_hash = source.content_hash;
    unit.meta.size = source.stat.size;
    unit.meta.lines = source.lines;
    Extracted::Read(Box::new((unit, stamp(&source.stat, source.seen_ns))))
}

fn skipped(candidate: &Candidate, reason: SkipReason) -> Extracted {
    Extracted::Skipped(Skipped {
        key: candidate.key.clone(),
        reason,
        size: candidate.stat.size,
    })
}

//! Reads one file for parsing: bytes, hash, text, class.
//!
//! Where it sits: called by the workers of `index` for each file that changed. Invariants: no failure of one file is an
//! error of the run (the file is skipped with a reason); the hash is of the very bytes that were decoded, and the stat
//! is taken before they are read, so that a change in between is seen by the next run.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use crate::model::label::Language;
use crate::model::unit::FileFlags;
use crate::source::skipped::SkipReason;
use crate::source::stat::{self, Stat};
use crate::source::text::{self, Decoded, Text};
use crate::source::{class, language};

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its text.
    pub text: Text,
    /// XXH3-128 of its bytes.
    pub content_hash: u128,
    /// What the file system said when it was opened.
    pub stat: Stat,
    /// When that was, in nanoseconds since 1970; taken before the file was looked at.
    pub seen_ns: i64,
    /// Lines of the text.
    pub lines: u32,
    /// Bits of [`FileFlags`] from its path and content.
    pub flags: FileFlags,
}

/// What became of a file.
#[derive(Clone, Debug)]
pub enum Reading {
    /// It can be parsed.
    Source(Box<SourceFile>),
    /// It cannot, and why. The hash and stat are there if the bytes could be read, so that the file is not read again
    /// until it changes.
    Skipped {
        /// Why.
        reason: SkipReason,
        /// Stat and hash of what was read.
        read: Option<(Stat, u128)>,
    },
}

/// Reads and classifies the file at `path`, whose key below the root is `key`. Files over `limit` bytes are not read.
pub fn read(path: &Path, key: &str, language: Language, limit: u64) -> Reading {
    let seen_ns = stat::now_ns();
    let (bytes, stat) = match read_bytes(path, limit) {
        Ok(Some(read)) => read,
        Ok(None) => return skipped(SkipReason::Oversized { limit }),
        Err(err) => return skipped(SkipReason::unreadable(&err)),
    };
    let content_hash = xxh3_128(&bytes);
    let refused = |reason| Reading::Skipped {
        reason,
        read: Some((stat, content_hash)),
    };
    let text = match text::decode(bytes) {
        Decoded::Text(text) => text,
        Decoded::Binary => return refused(SkipReason::Binary),
        Decoded::Unsupported(encoding) => return refused(SkipReason::Encoding(encoding)),
    };
    if language::is_foreign_text(language, &text.text) {
        return refused(SkipReason::NotThatLanguage);
    }
    let mut flags = class::of_path(key).0;
    if class::says_generated(&text.text) {
        flags |= FileFlags::GENERATED;
    }
    if text::is_minified(&text.text) || is_minified_name(key) {
        flags |= FileFlags::MINIFIED | FileFlags::GENERATED;
    }
    Reading::Source(Box::new(SourceFile {
        content_hash,
        stat,
        seen_ns,
        lines: text::line_count(&text.text),
        flags: FileFlags(flags),
        text,
    }))
}

/// XXH3-128 of a file's bytes, or `None` if it is larger than `limit`.
///
/// # Errors
/// What the operating system says.
pub fn hash(path: &Path, limit: u64) -> std::io::Result<Option<u128>> {
    Ok(read_bytes(path, limit)?.map(|(bytes, _)| xxh3_128(&bytes)))
}

/// The bytes of a regular file of at most `limit` bytes, with its stat.
fn read_bytes(path: &Path, limit: u64) -> std::io::Result<Option<(Vec<u8>, Stat)>> {
    // Asked before opening: a pipe that took the file's place would block, and a link may lead out of the tree.
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let stat = Stat::of(&metadata);
    if stat.size > limit {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stat.size).unwrap_or(0).saturating_add(1));
    // A file may grow while it is read, and some report no size at all: the limit holds for what is read.
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if read as u64 > limit {
        return Ok(None);
    }
    Ok(Some((bytes, stat)))
}

fn is_minified_name(key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or_default();
    let mut parts = name.rsplit('.').skip(1);
    let part = parts.next().unwrap_or_default();
    part.eq_ignore_ascii_case("min") && parts.next().is_some()
}

fn skipped(reason: SkipReason) -> Reading {
    Reading::Skipped { reason, read: None }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    fn reading(name: &str, bytes: &[u8], limit: u64) -> Reading {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        read(&path, name, Language::TYPESCRIPT, limit)
    }

    fn source(name: &str, bytes: &[u8]) -> SourceFile {
        match reading(name, bytes, 1 << 20) {
            Reading::Source(file) => *file,
            other => panic!("{other:?}"),
        }
    }

    fn reason(name: &str, bytes: &[u8], limit: u64) -> SkipReason {
        match reading(name, bytes, limit) {
            Reading::Skipped { reason, .. } => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_source_comes_with_hash_lines_and_class() {
        let file = source("src/a.test.ts", b"// @generated\nlet a;\n");
        assert_eq!(file.lines, 2);
        assert_eq!(file.content_hash, xxh3_128(b"// @generated\nlet a;\n"));
        assert_eq!(file.stat.size, 21);
        assert_eq!(file.flags.0, FileFlags::TEST | FileFlags::GENERATED);
        assert_eq!(
            source("lib/a.min.js", b"a").flags.0,
            FileFlags::MINIFIED | FileFlags::GENERATED
        );
        assert_eq!(source("lib/min.js", b"a").flags.0, 0);
    }

    #[test]
    fn what_cannot_be_parsed_is_skipped_with_its_reason() {
        assert_eq!(
            reason("a.ts", b"abcdef", 5),
            SkipReason::Oversized { limit: 5 }
        );
        assert_eq!(
            reason("a.ts", b"G\0\0\0\0\0\0\0\0", 100),
            SkipReason::Binary
        );
        assert_eq!(
            reason("a.ts", &[0xFF, 0xFE, 0, 0, 65, 0, 0, 0], 100),
            SkipReason::Encoding("UTF-32")
        );
        assert_eq!(
            reason("a.ts", b"<?xml version='1.0'?>", 100),
            SkipReason::NotThatLanguage
        );
        let dir = tempfile::tempdir().unwrap();
        let gone = read(&dir.path().join("gone"), "gone.ts", Language::TYPESCRIPT, 9);
        assert!(matches!(
            gone,
            Reading::Skipped {
                reason: SkipReason::Unreadable(_),
                read: None
            }
        ));
        let folder = read(dir.path(), "dir.ts", Language::TYPESCRIPT, 9);
        assert!(matches!(
            folder,
            Reading::Skipped {
                reason: SkipReason::Unreadable(_),
                ..
            }
        ));
    }

    #[test]
    fn a_file_at_the_limit_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(hash(&path, 5).unwrap(), Some(xxh3_128(b"12345")));
        assert_eq!(hash(&path, 4).unwrap(), None);
    }
}

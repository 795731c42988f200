//! What was left out of a run, and why.
//!
//! Where it sits: filled by the walk and by reading, summed up by `index`, listed by `status --files`. Invariant: what a
//! user might expect to find in the index and does not is here; what their own ignore rules leave out is not.

use std::fmt;

/// Why a file or folder is not indexed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// Larger than the limit, in bytes.
    Oversized {
        /// The limit.
        limit: u64,
    },
    /// Binary data under a name that promises source.
    Binary,
    /// The name looks like a secret; the file was not opened.
    Secret,
    /// An encoding that is not read.
    Encoding(&'static str),
    /// The content belongs to another format that shares the ending.
    NotThatLanguage,
    /// The system refused to read it.
    Unreadable(String),
    /// A folder of build products or foreign code by its name and place.
    DefaultFolder,
    /// Another work tree of a repository.
    OtherWorkTree,
    /// A symbolic link to a source; links are not followed.
    Link,
    /// A pipe, socket or device.
    Special,
}

impl SkipReason {
    /// The reason for a file that the system refused.
    pub fn unreadable(err: &std::io::Error) -> Self {
        Self::Unreadable(err.to_string())
    }

    /// A stable word for programs.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Oversized { .. } => "oversized",
            Self::Binary => "binary",
            Self::Secret => "secret",
            Self::Encoding(_) => "encoding",
            Self::NotThatLanguage => "other-format",
            Self::Unreadable(_) => "unreadable",
            Self::DefaultFolder => "default-folder",
            Self::OtherWorkTree => "other-worktree",
            Self::Link => "link",
            Self::Special => "special",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Oversized { limit } => write!(f, "larger than {limit} bytes (--max-file-size raises the limit)"),
            Self::Binary => f.write_str("binary data"),
            Self::Secret => f.write_str("looks like a secret, not opened"),
            Self::Encoding(name) => write!(f, "encoding {name} is not read"),
            Self::NotThatLanguage => f.write_str("another format with the same ending"),
            Self::Unreadable(why) => write!(f, "could not be read: {why}"),
            Self::DefaultFolder => {
                f.write_str("folder of build products or foreign code (`!NAME/` in .graphifyignore brings it back)")
            }
            Self::OtherWorkTree => f.write_str("another work tree of a repository (index it by itself)"),
            Self::Link => f.write_str("symbolic link, not followed"),
            Self::Special => f.write_str("not a regular file"),
        }
    }
}

/// One thing that was left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Its path below the root, encoded; a folder ends in `/`.
    pub key: String,
    /// Why.
    pub reason: SkipReason,
    /// Its size in bytes where that is known, 0 otherwise.
    pub size: u64,
}

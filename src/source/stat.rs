//! What the file system says of a file: enough to tell, without reading it, that it did not change.
//!
//! Where it sits: taken by the walk and by reading, stored in the catalog, compared by [`crate::source::change`].
//! Invariant: a number that the system does not have is 0, and 0 matches only 0.

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

/// Size, times and number of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stat {
    /// Bytes.
    pub size: u64,
    /// Time of the last change of its content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Time of the last change of its inode, in nanoseconds since 1970: unlike the former no program can set it back.
    pub ctime_ns: i64,
    /// The file's number in its file system.
    pub inode: u64,
}

impl Stat {
    /// The stat of what the system returned.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            size: metadata.len(),
            mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    /// The stat of what the system returned.
    #[cfg(not(unix))]
    pub fn of(metadata: &Metadata) -> Self {
        let mtime = metadata
            .modified()
            .ok()
            .and_then(|t| t.duration_since(UNIX_EPOCH).ok());
        Self {
            size: metadata.len(),
            mtime_ns: mtime
                .and_then(|d| i64::try_from(d.as_nanos()).ok())
                .unwrap_or(0),
            ctime_ns: 0,
            inode: 0,
        }
    }
}

/// Nanoseconds since 1970 by the system's clock; 0 where that cannot be said.
pub fn now_ns() -> i64 {
    let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH);
    since
        .ok()
        .and_then(|d| i64::try_from(d.as_nanos()).ok())
        .unwrap_or(0)
}

#[cfg(unix)]
fn nanoseconds(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

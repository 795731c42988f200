//! The file system as the engine sees it.
//!
//! Where it sits: every file of an index is touched through [`Fs`], so that the same code runs on the real disk
//! ([`RealFs`](super::RealFs)) and on a simulated one that loses power at a chosen step ([`sim`](super::sim)).
//!
//! Invariants: a file made by [`Fs::create_new`] did not exist before and is only appended to; what survives a power cut
//! is what was synced, in a directory that was synced; every failure names its path and, where there is one, a remedy.

use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::path::Path;

use crate::error::{Error, Result};
use crate::storage::mmap::Bytes;

/// A file system. Paths are used as they are given; nothing is resolved or cached.
///
/// All errors are of kind [`ErrorKind::Io`](crate::error::ErrorKind::Io) unless a method says more.
pub trait Fs: Debug + Send + Sync {
    /// A new, empty file for appending. Fails when the name is taken.
    ///
    /// # Errors
    /// Any failure to create it, an existing file included.
    fn create_new(&self, path: &Path) -> Result<Box<dyn WriteFile>>;

    /// The whole file, on the heap.
    ///
    /// # Errors
    /// A failure to read; [`ErrorKind::Limit`](crate::error::ErrorKind::Limit) when it holds more than `max` bytes.
    fn read(&self, path: &Path, max: u64) -> Result<Vec<u8>>;

    /// The file's length in bytes.
    ///
    /// # Errors
    /// A missing file, or one that cannot be examined.
    fn len(&self, path: &Path) -> Result<u64>;

    /// Whether there is a file or directory of that name.
    ///
    /// # Errors
    /// Failures other than absence.
    fn exists(&self, path: &Path) -> Result<bool>;

    /// Gives a file a new name in the same directory, replacing a file of that name in one step.
    ///
    /// # Errors
    /// Any failure to rename; the old name then still stands.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;

    /// Removes a name. Mapped or open contents live on until they are let go.
    ///
    /// # Errors
    /// A missing file, or one that is in use on a system that forbids removing it.
    fn unlink(&self, path: &Path) -> Result<()>;

    /// Makes the names in a directory durable: files created, renamed and removed in it so far.
    ///
    /// # Errors
    /// Any failure; the writer must then be given up, since a second attempt may report a success that is none.
    fn sync_dir(&self, dir: &Path) -> Result<()>;

    /// Creates a directory and those above it that are missing.
    ///
    /// # Errors
    /// Any failure to create one of them.
    fn create_dir_all(&self, dir: &Path) -> Result<()>;

    /// The names in a directory, sorted.
    ///
    /// # Errors
    /// A missing or unreadable directory.
    fn list_dir(&self, dir: &Path) -> Result<Vec<OsString>>;

    /// The contents of a write-once file, mapped where the system and the settings allow it.
    ///
    /// # Errors
    /// A failure to open it; [`ErrorKind::Corrupt`](crate::error::ErrorKind::Corrupt) when its length is not
    /// `expected_len` (compared before anything is mapped).
    fn map(&self, path: &Path, expected_len: Option<u64>) -> Result<Bytes>;

    /// Takes an exclusive advisory lock on a file, which is created when missing and never removed. `None` when
    /// somebody else holds it. The lock ends with the guard, or with the process.
    ///
    /// # Errors
    /// A failure to open the file, or a file system that knows no locks.
    fn lock(&self, path: &Path) -> Result<Option<Box<dyn LockGuard>>>;

    /// A file for reading and writing at any place, created empty when missing.
    ///
    /// # Errors
    /// Any failure to open or create it.
    fn open_random(&self, path: &Path) -> Result<Box<dyn RandomFile>>;
}

/// A file being written from start to end. Writes are buffered: only [`WriteFile::sync_data`], [`WriteFile::seal`] and
/// [`io::Write::flush`] report that the bytes have left the buffer.
pub trait WriteFile: io::Write + Debug + Send {
    /// Makes the contents and the length durable. The name becomes durable with [`Fs::sync_dir`].
    ///
    /// # Errors
    /// Any failure; the file must then be given up.
    fn sync_data(&mut self) -> Result<()>;

    /// Empties the buffer and marks the file read-only. Nothing may be written afterwards.
    ///
    /// # Errors
    /// Any failure to write or to change the mode.
    fn seal(&mut self) -> Result<()>;
}

/// A file that is read and written at any place, as a database does.
#[expect(
    clippy::len_without_is_empty,
    reason = "a length in bytes that may fail to be read, not a container"
)]
pub trait RandomFile: Debug + Send + Sync {
    /// Fills `out` from `offset`.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] when the file ends before, else the system's failure.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Writes all of `data` at `offset`.
    ///
    /// # Errors
    /// The system's failure; part of the data may have been written.
    fn write_at(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Cuts the file or extends it with zeros.
    ///
    /// # Errors
    /// The system's failure.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// The file's length in bytes.
    ///
    /// # Errors
    /// The system's failure.
    fn len(&self) -> io::Result<u64>;

    /// Makes everything written so far durable.
    ///
    /// # Errors
    /// The system's failure.
    fn sync_data(&self) -> io::Result<()>;
}

/// A lock that is held; dropping it lets go.
pub trait LockGuard: Debug + Send + Sync {
    /// Replaces the text in the lock's file: a note for people, with no meaning for the lock itself.
    ///
    /// # Errors
    /// A failure to write.
    fn set_note(&mut self, note: &str) -> Result<()>;
}

/// The error for a failed call of the system on `path`, with a remedy where the cause has one. `doing` completes "could
/// not …".
pub fn io_error(doing: &str, path: &Path, source: io::Error) -> Error {
    let remedy = remedy(&source);
    let error = Error::io(doing, path, source);
    match remedy {
        Some(text) => error.remedy(text),
        None => error,
    }
}

fn remedy(source: &io::Error) -> Option<&'static str> {
    use io::ErrorKind as K;
    Some(match source.kind() {
        K::StorageFull => {
            "free some space on this disk, or keep the index on another one with `--out DIR`"
        }
        K::QuotaExceeded => {
            "your quota is used up: free some space, or keep the index elsewhere with `--out DIR`"
        }
        K::ReadOnlyFilesystem => {
            "this disk is mounted read-only: keep the index elsewhere with `--out DIR`"
        }
        K::FileTooLarge => {
            "the file passes the size limit of the process or the disk: raise `ulimit -f`, or keep the index elsewhere with `--out DIR`"
        }
        K::PermissionDenied => {
            "check who owns the folder and its mode, or keep the index elsewhere with `--out DIR`"
        }
        K::NotADirectory => {
            "a file stands where a folder is needed: remove it, or choose another place with `--out DIR`"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_full_or_forbidden_disk_has_a_remedy_and_its_path() {
        for kind in [
            io::ErrorKind::StorageFull,
            io::ErrorKind::QuotaExceeded,
            io::ErrorKind::ReadOnlyFilesystem,
            io::ErrorKind::FileTooLarge,
            io::ErrorKind::PermissionDenied,
        ] {
            let error = io_error("write", Path::new("index/seg/1"), kind.into());
            assert_eq!(error.kind(), ErrorKind::Io);
            assert_eq!(error.io_kind(), Some(kind));
            assert_eq!(error.path(), Some(Path::new("index/seg/1")));
            assert!(error.remedy_text().is_some(), "{kind:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_size_limit_of_a_process_is_told_apart() {
        // EFBIG on every unix: a write past `ulimit -f` once the signal is ignored.
        let error = io_error("write", Path::new("x"), io::Error::from_raw_os_error(27));
        assert!(error.remedy_text().is_some_and(|r| r.contains("ulimit")));
    }
}

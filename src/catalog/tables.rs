//! The tables of the database, and how its errors are told.
//!
//! Where it sits: the only names that reach the database. Invariant: keys and values are plain bytes to the database, so
//! that it never has to believe that a damaged one is text or a number; what they mean is decided by
//! [`rows`](super::rows) after the check.

use std::io;
use std::path::Path;

use redb::{Error as DbError, TableDefinition};

use crate::error::{Error, ErrorKind};
use crate::storage::fs::io_error;

/// A table of bytes.
pub(super) type Table = TableDefinition<'static, &'static [u8], &'static [u8]>;

pub(super) const META: Table = TableDefinition::new("meta");
pub(super) const HEADS: Table = TableDefinition::new("heads");
pub(super) const FILES: Table = TableDefinition::new("files");
pub(super) const GARBAGE: Table = TableDefinition::new("garbage");

/// Every table; all are made when the catalog is, so that a missing one is damage.
pub(super) const ALL: [Table; 4] = [META, HEADS, FILES, GARBAGE];

/// Name in `meta` of the catalog's format, a `u32`.
pub(super) const META_FORMAT: &str = "format";

/// Name in `meta` of the number of rows in `files`, a `u64`.
pub(super) const META_FILES: &str = "file rows";

/// The format that this version reads and writes.
pub(super) const FORMAT: u32 = 1;

/// A failure of the database in our terms.
pub(super) fn db_error(path: &Path, error: impl Into<DbError>) -> Error {
    match error.into() {
        DbError::Io(source) => io_failure(path, source),
        DbError::DatabaseAlreadyOpen => {
            Error::new(ErrorKind::Locked, "the catalog is open in another run").at(path)
        }
        DbError::UpgradeRequired(_) => Error::new(
            ErrorKind::Format,
            "the catalog has the format of another version",
        )
        .at(path)
        .remedy("run `graphify index --full` to build the index anew"),
        DbError::PreviousIo | DbError::DatabaseClosed => given_up(path),
        other => damaged(path).caused_by(other.to_string()),
    }
}

fn io_failure(path: &Path, source: io::Error) -> Error {
    match source.kind() {
        // The file ends where a page should be, or does not begin as a database does.
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
            damaged(path).caused_by(source)
        }
        _ => io_error("use the catalog", path, source),
    }
}

/// The error for a catalog whose bytes cannot be right.
pub(super) fn damaged(path: &Path) -> Error {
    Error::corrupt("the catalog of the index is damaged").at(path)
}

/// The error for a catalog that failed before and must be opened again.
pub(super) fn given_up(path: &Path) -> Error {
    Error::new(
        ErrorKind::Io,
        "the catalog failed before and is no longer used by this run",
    )
    .at(path)
    .remedy("run the command again")
}

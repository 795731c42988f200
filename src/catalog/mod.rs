//! The writer's catalog: what is committed, kept in a transactional database beside the segments.
//!
//! Where it sits: `index` opens it under the writer's lock, asks which files are known ([`Catalog::file`],
//! [`Catalog::files`]), and ends every run with one [`Commit`]. Readers never open it; what they need is in HEAD, whose
//! bytes are part of each commit.
//!
//! Invariants: a commit is whole or absent, also after a power cut; the newest HEAD bytes in the catalog are the truth, and
//! the file HEAD is a copy that [`Catalog::recover`] renews; damage comes out as an error and never as a panic, and is
//! mended by [`Catalog::rebuild`], since everything here is derived.
//!
//! Tables (all keys and values are bytes; numbers big-endian as keys, so that they sort):
//!
//! | table | key | value |
//! |---|---|---|
//! | `meta` | name | bytes; our own are the format and the number of file rows |
//! | `heads` | generation | HEAD bytes of the last two commits |
//! | `files` | path | [`FileRow`], fixed width |
//! | `garbage` | segment id | generation that dropped it, until its file is gone |
//!
//! Every value ends with a CRC-32 over key and value, because the database does not check pages when it reads them. Which
//! segments live, and their counts, is not stored a second time: the newest HEAD says it.

mod backend;
mod commit;
mod guard;
mod mark;
mod open;
mod recover;
mod rows;
mod scan;
mod tables;

#[cfg(test)]
mod tests;

pub use commit::{Commit, Committed, RowsIn};
pub use open::{Catalog, FILE_NAME};
pub use recover::Recovery;
pub use rows::{FileRow, FileStat};
pub use scan::FileRows;

//! The write side of the engine: who turns units into commits.
//!
//! Where it sits: above `segment`, `catalog` and `storage`; it reads the present commit through `snapshot`. Nothing on
//! the read side knows it. [`Writer`] holds the lock and the catalog and carries out the commit protocol; [`policy`]
//! says when deltas are folded; [`delta`] works out what a change replaces; [`recover`] brings an index that a killed
//! writer left behind back to its last commit; [`verify`] checks a whole store. [`tree`] (feature `indexing`) drives the whole way from a source tree.
//!
//! Invariant: a commit is one transaction of the catalog. Before it nothing of the new state can be seen, after it
//! everything will be, whoever dies when.

mod commit;
mod delta;
mod policy;
mod recover;
pub(crate) mod verify;
mod writer;

#[cfg(feature = "indexing")]
pub mod tree;

pub use verify::VerifyReport;
pub use writer::{CommitInfo, FileStamp, Writer, WriterOptions};

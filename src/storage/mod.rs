//! Bytes and durability: files, mapped memory, checksums, the writer's lock, HEAD.
//!
//! Where it sits: below everything that touches the disk. `segment` writes and maps its files through [`fs`] and
//! [`mmap`], `catalog` keeps its database on a [`fs::RandomFile`], `index` takes the [`lock`] and publishes [`head`],
//! `snapshot` reads [`head`] and maps what it names.
//!
//! Invariants: nothing here knows what a node or an edge is; a file of ours is written once and never changed in place
//! (the catalog's database is the one exception, and it is never mapped); what is read back is checked before it is
//! believed.

pub mod archive;
pub mod checksum;
pub mod fs;
pub mod head;
pub mod lock;
pub mod mmap;
mod real;
#[doc(hidden)]
pub mod sim;

pub use real::{Access, RealFs};

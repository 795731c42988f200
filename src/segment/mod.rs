//! The immutable file format: one file holds a whole index (a base) or a change on top of it (a delta).
//!
//! Where it sits: `index` writes segments ([`SegmentBuilder`], [`merge`]), `snapshot` reads them ([`Segment`]); imports
//! only `storage` and `model`. Invariants: a segment never changes after it was written; its bytes depend on what was put
//! in, not on when or in how many threads; a reader trusts no stored number.
//!
//! | file | what it holds |
//! |---|---|
//! | `layout`, `toc`, `writer`, `reader` | the frame: records, table of contents, sections, checksums |
//! | `files`, `nodes`, `keys`, `strings`, `blob` | files, definitions, lookup by key, texts, stored units |
//! | `csr` | edges, both ways |
//! | `fold`, `names`, `terms`, `words`, `trigram`, `postings` | names and how they are found |
//! | `text` | words of texts, weighted, and the documents that hold them |
//! | `builder`, `tables`, `merge` | making a segment |
//! | `tombstones`, `verify` | what is dead, what is damaged |
//!
//! The format is described for other readers in `storage-format.md`.

mod blob;
pub mod builder;
pub mod csr;
pub mod files;
mod keys;
pub mod layout;
pub mod merge;
mod names;
pub mod nodes;
pub mod postings;
pub mod reader;
mod strings;
mod tables;
pub mod terms;
pub mod text;
mod toc;
pub mod tombstones;
mod trigram;
pub mod verify;
pub mod words;
mod writer;

pub use crate::model::fold;
pub use builder::{SegmentBuilder, SymbolTable};
pub use csr::{Backward, Forward, InRow, OutEdge, OutRow};
pub use files::FileRow;
pub use layout::SegmentKind;
pub use merge::Input;
pub use nodes::NodeRow;
pub use reader::{Segment, SegmentExpect};
pub use tables::SegmentSummary;
pub use tombstones::Tombstones;
pub use verify::Finding;
pub use words::WordOrd;

#[cfg(test)]
mod tests;

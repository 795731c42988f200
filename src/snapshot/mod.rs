//! The read side's view of the index: one commit, mapped.
//!
//! Where it sits: below `search`, `traverse` and `context`, above `segment` and `storage`; it knows neither the catalog
//! nor the writer. [`Snapshot`] joins the base segment and the deltas of one commit under one read rule:
//!
//! ```text
//! node(s)      base record unless dead, else the newest delta that defines s, else nothing
//! out_edges(s) the row beside that record
//! in_edges(s)  the rows of s in every segment, less those whose source is dead there
//! ```
//!
//! Invariant: a snapshot never changes, opening one builds nothing that grows with the index, and what is read costs in
//! proportion to the answer.

mod alive;
mod files;
#[cfg_attr(
    not(feature = "indexing"),
    allow(dead_code, reason = "only indexing writes it")
)]
pub(crate) mod history;
mod locate;
mod names;
pub(crate) mod open;
mod text;
mod view;

pub use files::{EdgeTotals, FileView};
pub use history::History;
pub use names::{NameHit, WordCount};
pub use open::Snapshot;
pub use text::TextTerm;
pub use view::{EdgeView, NodeView};

//! From a place in the code to the source that one has to see to understand it.
//!
//! Where it sits: above `snapshot`, `search` and `traverse`, below `render`, which fits a bundle into a budget. The steps:
//!
//! ```text
//! entry (file and line, symbol, or the question's seeds)
//!   ├─ chain   outwards along edges, both ways: hops, by which edge, from whom
//!   ├─ walk    a hub-damped random walk from the entry: how near
//!   └─ alike   units whose texts speak of what the entry and the question speak of
//!        └─ rank    near + alike, tests demoted, changes raised, per size
//!             └─ Bundle   pieces, and the steps in which a growing budget shows them
//! ```
//!
//! Invariants: source is what is on disk now, never what was there when it was indexed; a logical unit is one piece and
//! appears once; the steps do not depend on a budget, so that a larger one never shows less; ties are broken by place, never
//! by ids; the number of files read is bounded.

mod assemble;
mod bundle;
mod chain;
mod entry;
mod files;
mod links;
mod nearness;
mod outline;
mod pieces;
mod request;
mod similarity;
mod units;

pub(crate) use outline::merge;

pub use assemble::assemble;
pub use bundle::{Bundle, Form, LeftOut, Piece, SourceText, Step};
pub use request::{Changed, Entry, Mode, Request};

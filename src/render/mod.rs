//! Answers as text and as JSON, within a budget.
//!
//! Where it sits: the last step of every reading command; sees answers only, never the index. Invariants: the same answer
//! gives the same bytes; nothing that comes from a source can steer a terminal (control characters are left out); where
//! there is a budget, every byte that is written counts and the text stays within it.

pub mod affected;
pub mod budget;
pub mod context;
pub mod explain;
pub mod hubs;
pub mod json;
pub mod names;
pub mod path;
pub mod safe;
pub mod text;
pub mod vocab;

pub use budget::tokens;

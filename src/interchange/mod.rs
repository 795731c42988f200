//! Other programs' formats: what a snapshot is written as, and what can be read into a store.
//!
//! Where it sits: beside `search` and `traverse` on the read side. Invariant: an export is a function of the commit alone,
//! so the same index gives the same bytes.

pub mod graph_json;

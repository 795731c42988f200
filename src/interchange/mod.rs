//! Other programs' formats: what a snapshot is written as, and what can be read into a store.
//!
//! Where it sits: beside `search` and `traverse` on the read side; an import goes through the writer. Invariants: an export
//! is a function of the commit alone, so the same index gives the same bytes; what was imported is given back whole.

pub mod graph_import;
pub mod graph_json;

//! Linking of Rust: crates, paths, blocks of members, types.
//!
//! Where it sits: a linker of its own beside the shared one, over the same facts and into the same drafts of edges.
//! [`crates`] knows what every module and every block brings in; [`paths`] follows names; [`eval`], [`written`],
//! [`members`] and [`calls`] find out what a value is; [`edges`] writes down the result. The standard library is a source
//! text of declarations ([`library`]), read like any file: it ends a search, and what its functions yield is known.
//!
//! Invariant: a method is found through the type of its receiver alone, never through its name.

mod calls;
mod crates;
mod edges;
mod eval;
mod members;
mod paths;
mod types;
mod uses;
mod written;

use std::sync::OnceLock;

use crate::extract::{ExtractOptions, extract};
use crate::model::label::Language;
use crate::model::unit::Unit;

pub(super) use self::crates::Crates;
pub(super) use self::edges::of_unit;

/// Declarations of the standard library, as far as they matter to what a value is.
const LIBRARY: &str = include_str!("library.txt");

/// The declarations of the standard library, where there is a unit that may need them.
pub(super) fn library(units: &[Unit]) -> Option<&'static Unit> {
    static UNIT: OnceLock<Unit> = OnceLock::new();
    if !units.iter().any(|u| u.language == Language::RUST) {
        return None;
    }
    Some(UNIT.get_or_init(|| {
        let options = ExtractOptions::default();
        extract("std", Language::RUST, LIBRARY.as_bytes(), &options)
    }))
}

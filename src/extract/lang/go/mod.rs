//! Go.
//!
//! Where it sits: one language of `extract`.

use tree_sitter::Tree;

use crate::extract::lang::Walked;
use crate::model::unit::Unit;

/// Walks a parsed file and fills its unit.
pub(super) fn walk(unit: Unit, _source: &str, _tree: &Tree) -> Walked {
    Walked::untouched(unit)
}

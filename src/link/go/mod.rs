//! What Go does differently: packages of several files, methods beside their types, interfaces by structure.
//!
//! Where it sits: called by the other modules of `link` where a name, a type or a member belongs to a Go file.
//! [`packages`] knows which files are one package and what it declares; [`names`] says what a name means that its file does
//! not bind; [`members`] looks members up through embedding, and takes types apart; [`edges`] adds the edges of imports and
//! of methods that stand in another file than their type; [`satisfaction`] finds who has an interface's methods.
//!
//! Invariants: one name may be declared by several files that are never built together: all are meant (at most
//! [`CANDIDATES`]), and none where there are more; files of tests are seen by tests of their own package alone.

pub(super) mod edges;
mod members;
mod names;
pub(super) mod packages;
pub(super) mod satisfaction;
mod signatures;

use super::eval::Eval;
use crate::link::dialect::Dialect;
use crate::link::world::Sym;
use crate::model::label::NodeKind;

/// How many declarations of one name can be meant at once.
const CANDIDATES: usize = 3;

impl Eval<'_> {
    /// Whether the rules of Go hold in a unit.
    pub(super) fn is_go(&self, unit: u32) -> bool {
        self.world.dialect(unit) == Dialect::Go
    }

    /// Whether a definition is a type of Go: calling it converts a value.
    pub(super) fn is_go_type(&self, sym: Sym) -> bool {
        matches!(
            self.world.kind(sym),
            NodeKind::CLASS | NodeKind::INTERFACE | NodeKind::TYPE_ALIAS
        ) && self.is_go(sym.unit)
    }
}

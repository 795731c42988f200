//! A snapshot as the graph that walks see.
//!
//! Where it sits: between `snapshot` and the walks; library users hand a snapshot to [`super::bfs()`] and its kin directly.
//! Invariant: rows are handed over as they are stored, targets and relations only, without reading what else an edge says.

use crate::ids::SymId;
use crate::model::label::{NodeKind, Relation};
use crate::snapshot::Snapshot;
use crate::traverse::adjacency::Adjacency;

impl Adjacency for Snapshot {
    fn bound(&self) -> u32 {
        self.symbol_bound()
    }

    #[inline]
    fn for_each_out(&self, node: SymId, mut visit: impl FnMut(SymId, Relation)) {
        let row = self.out_row(node);
        for (target, relation) in row.targets().iter().zip(row.relations()) {
            visit(SymId(target.to_native()), Relation(*relation));
        }
    }

    #[inline]
    fn for_each_in(&self, node: SymId, mut visit: impl FnMut(SymId, Relation)) {
        for (source, relation) in self.in_neighbors(node) {
            visit(source, relation);
        }
    }

    fn degree(&self, node: SymId) -> usize {
        Self::degree(self, node)
    }

    fn is_walkable(&self, node: SymId) -> bool {
        self.node(node)
            .is_some_and(|n| !n.is_placeholder() && n.kind() != NodeKind::MEMORY)
    }

    fn place(&self, node: SymId) -> (&str, u32) {
        match self.node(node) {
            Some(view) => (view.file().unwrap_or_default(), view.span().start_line),
            None => ("", u32::MAX),
        }
    }
}

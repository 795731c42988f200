//! A snapshot as the graph that walks see.
//!
//! Where it sits: between `snapshot` and the walks; library users hand a snapshot to [`super::bfs()`] and its kin directly.
//! Invariant: rows are handed over as they are stored, targets and relations only, without reading what else an edge says.

use crate::ids::{NodeIdx, SymId};
use crate::model::label::{NodeKind, Relation};
use crate::segment::{Backward, Forward};
use crate::snapshot::Snapshot;
use crate::traverse::adjacency::Adjacency;

/// A snapshot whose adjacency is held open, for walks that read millions of rows.
///
/// Opening it costs a look at each segment; a row then costs two reads. While nothing of the base is dead and there is no
/// delta, a symbol's number is its row's, and nothing else is asked.
pub struct SnapshotGraph<'a> {
    snapshot: &'a Snapshot,
    forward: Vec<Forward<'a>>,
    backward: Vec<Backward<'a>>,
    is_plain: bool,
}

impl<'a> SnapshotGraph<'a> {
    /// The graph of a snapshot.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self {
            snapshot,
            forward: snapshot.parts.iter().map(|p| p.segment.forward()).collect(),
            backward: snapshot
                .parts
                .iter()
                .map(|p| p.segment.backward())
                .collect(),
            is_plain: snapshot.is_plain(),
        }
    }
}

impl Adjacency for SnapshotGraph<'_> {
    fn bound(&self) -> u32 {
        self.snapshot.symbol_bound()
    }

    #[inline]
    fn for_each_out(&self, node: SymId, mut visit: impl FnMut(SymId, Relation)) {
        let (part, row) = if self.is_plain {
            (0, NodeIdx(node.0))
        } else {
            match self.snapshot.home(node) {
                Some(home) => (home.part, home.node),
                None => return,
            }
        };
        let Some(forward) = self.forward.get(part) else {
            return;
        };
        let row = forward.row(row);
        for (target, relation) in row.targets().iter().zip(row.relations()) {
            visit(SymId(target.to_native()), Relation(*relation));
        }
    }

    #[inline]
    fn for_each_in(&self, node: SymId, mut visit: impl FnMut(SymId, Relation)) {
        for (part, backward) in self.snapshot.parts.iter().zip(&self.backward) {
            for (source, relation) in backward.row(node).iter() {
                if part.dead.contains(source) {
                    continue;
                }
                if let Some(sym) = part.segment.sym_of(source) {
                    visit(sym, relation);
                }
            }
        }
    }

    fn degree(&self, node: SymId) -> usize {
        self.snapshot.degree(node)
    }

    fn is_walkable(&self, node: SymId) -> bool {
        self.snapshot.is_walkable(node)
    }

    fn place(&self, node: SymId) -> (&str, u32) {
        self.snapshot.place(node)
    }
}

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

//! A snapshot as the graph that walks see, filtered by contexts of edges.
//!
//! Where it sits: between `snapshot` and `traverse`. Invariant: without a filter, rows are handed over as they are stored,
//! which is the fast way; with one, every edge is read in full.

use crate::ids::SymId;
use crate::model::label::{Context, Relation};
use crate::snapshot::Snapshot;
use crate::traverse::Adjacency;

/// Property of a commit that holds the degree which 99 of 100 nodes stay below.
pub(crate) const DEGREE_PROPERTY: &str = "degree_p99";
/// Smallest degree of a hub; also what counts where the property is missing.
pub(crate) const MIN_HUB_DEGREE: usize = 50;

/// The graph of a snapshot.
#[derive(Clone, Copy)]
pub(crate) struct Graph<'a> {
    snapshot: &'a Snapshot,
    contexts: &'a [Context],
}

impl<'a> Graph<'a> {
    /// All edges if `contexts` is empty, else those in one of these contexts.
    pub(crate) fn new(snapshot: &'a Snapshot, contexts: &'a [Context]) -> Self {
        Self { snapshot, contexts }
    }

    /// The degree from which a node counts as a hub.
    pub(crate) fn hub_degree(&self) -> usize {
        let stored = self
            .snapshot
            .property(DEGREE_PROPERTY)
            .and_then(|text| text.parse().ok());
        stored.unwrap_or(MIN_HUB_DEGREE).max(MIN_HUB_DEGREE)
    }

    /// Whether an edge in this context is part of the graph.
    pub(crate) fn admits(&self, context: Context) -> bool {
        self.contexts.is_empty() || self.contexts.contains(&context)
    }
}

impl Adjacency for Graph<'_> {
    fn bound(&self) -> u32 {
        self.snapshot.bound()
    }

    #[inline]
    fn for_each_out(&self, node: SymId, mut visit: impl FnMut(SymId, Relation)) {
        if self.contexts.is_empty() {
            return self.snapshot.for_each_out(node, visit);
        }
        let edges = self.snapshot.out_edges(node);
        edges
            .filter(|e| self.admits(e.label.context))
            .for_each(|e| visit(e.target, e.label.relation));
    }

    #[inline]
    fn for_each_in(&self, node: SymId, mut visit: impl FnMut(SymId, Relation)) {
        if self.contexts.is_empty() {
            return self.snapshot.for_each_in(node, visit);
        }
        let edges = self.snapshot.in_edges(node);
        edges
            .filter(|e| self.admits(e.label.context))
            .for_each(|e| visit(e.source, e.label.relation));
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

//! What a walk needs to know of a graph.
//!
//! Where it sits: the border between walks and `snapshot`. Invariant: a walk sees live edges only, each with its relation;
//! the order in which neighbours are handed over is the stored one and decides nothing.

use crate::ids::SymId;
use crate::model::label::Relation;

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Direction {
    /// From source to target.
    #[default]
    Forward,
    /// From target to source.
    Backward,
    /// Either way.
    Both,
}

impl Direction {
    /// Whether edges are followed from source to target.
    #[inline]
    pub const fn forward(self) -> bool {
        matches!(self, Self::Forward | Self::Both)
    }

    /// Whether edges are followed from target to source.
    #[inline]
    pub const fn backward(self) -> bool {
        matches!(self, Self::Backward | Self::Both)
    }
}

/// A set of relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationMask([u64; 4]);

impl RelationMask {
    /// Every relation, those of the store's own included.
    pub const ALL: Self = Self([u64::MAX; 4]);
    /// No relation.
    pub const NONE: Self = Self([0; 4]);

    /// The set of these relations.
    pub fn of(relations: &[Relation]) -> Self {
        relations.iter().fold(Self::NONE, |mask, r| mask.with(*r))
    }

    /// The set with one more relation.
    pub fn with(mut self, relation: Relation) -> Self {
        if let Some(word) = self.0.get_mut(usize::from(relation.0 >> 6)) {
            *word |= 1 << (relation.0 & 63);
        }
        self
    }

    /// Whether the relation is in the set.
    #[inline]
    pub fn has(&self, relation: Relation) -> bool {
        self.0
            .get(usize::from(relation.0 >> 6))
            .is_some_and(|word| word >> (relation.0 & 63) & 1 == 1)
    }

    /// Whether every relation is in the set, so that none has to be asked for.
    #[inline]
    pub fn is_all(&self) -> bool {
        *self == Self::ALL
    }
}

/// A directed graph whose nodes are symbols and whose edges have relations.
pub trait Adjacency {
    /// One past the highest symbol id.
    fn bound(&self) -> u32;

    /// Hands over the target and the relation of every edge that leaves `node`.
    fn for_each_out(&self, node: SymId, visit: impl FnMut(SymId, Relation));

    /// Hands over the source and the relation of every edge that leads to `node`.
    fn for_each_in(&self, node: SymId, visit: impl FnMut(SymId, Relation));

    /// How many edges `node` has in both directions.
    fn degree(&self, node: SymId) -> usize;

    /// Whether a walk may go through `node`: it is live and stands for something that the index defines.
    fn is_walkable(&self, _node: SymId) -> bool {
        true
    }

    /// Where `node` stands: path and line. Orders what is shown.
    fn place(&self, node: SymId) -> (&str, u32) {
        ("", node.0)
    }

    /// Hands over the neighbours in one direction or in both; `outgoing` tells which.
    #[inline]
    fn for_each(
        &self,
        node: SymId,
        direction: Direction,
        mut visit: impl FnMut(SymId, Relation, bool),
    ) {
        if direction.forward() {
            self.for_each_out(node, |n, r| visit(n, r, true));
        }
        if direction.backward() {
            self.for_each_in(node, |n, r| visit(n, r, false));
        }
    }
}

/// A graph made by hand, for the tests of this layer.
#[cfg(test)]
pub(crate) mod model {
    use super::*;

    /// Edges as triples, in both directions.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct ListGraph {
        pub(crate) nodes: u32,
        pub(crate) edges: Vec<(u32, u32, Relation)>,
    }

    impl ListGraph {
        pub(crate) fn new(nodes: u32, edges: &[(u32, u32)]) -> Self {
            let edges = edges
                .iter()
                .map(|(a, b)| (*a, *b, Relation::CALLS))
                .collect();
            Self { nodes, edges }
        }
    }

    impl Adjacency for ListGraph {
        fn bound(&self) -> u32 {
            self.nodes
        }

        fn for_each_out(&self, node: SymId, mut visit: impl FnMut(SymId, Relation)) {
            self.edges
                .iter()
                .filter(|e| e.0 == node.0)
                .for_each(|e| visit(SymId(e.1), e.2));
        }

        fn for_each_in(&self, node: SymId, mut visit: impl FnMut(SymId, Relation)) {
            self.edges
                .iter()
                .filter(|e| e.1 == node.0)
                .for_each(|e| visit(SymId(e.0), e.2));
        }

        fn degree(&self, node: SymId) -> usize {
            self.edges
                .iter()
                .map(|e| usize::from(e.0 == node.0) + usize::from(e.1 == node.0))
                .sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_cover_all_256_relations() {
        let mask = RelationMask::of(&[Relation::CALLS, Relation(63), Relation(64), Relation(255)]);
        let members: Vec<u8> = (0..=255).filter(|r| mask.has(Relation(*r))).collect();
        assert_eq!(members, [4, 63, 64, 255]);
        assert!((0..=255).all(|r| RelationMask::ALL.has(Relation(r)) && !RelationMask::NONE.has(Relation(r))));
        assert!(RelationMask::ALL.is_all() && !mask.is_all());
    }
}

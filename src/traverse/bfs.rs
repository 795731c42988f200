//! Breadth-first walks over as much of the graph as the caller wants.
//!
//! Where it sits: under [`super::impact`] and whoever asks for reachability. Invariants: a node is visited once, at its
//! smallest number of hops from the seeds; levels are visited in ascending order of id; the time is that of reading the rows
//! of the visited nodes once.

use crate::ids::SymId;
use crate::traverse::adjacency::{Adjacency, Direction, RelationMask};
use crate::traverse::frontier::Frontier;

/// What a visitor says about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Count it and go on through it.
    Expand,
    /// Count it, but do not go on through it (a hub, a leaf by choice).
    Keep,
    /// Neither count it nor go on through it.
    Skip,
    /// End the walk before this node.
    End,
}

/// How far and along what a walk goes.
#[derive(Clone, Copy, Debug)]
pub struct BfsOptions {
    /// Which way edges are followed.
    pub direction: Direction,
    /// Along which relations.
    pub relations: RelationMask,
    /// Most hops from a seed.
    pub max_depth: u32,
}

impl Default for BfsOptions {
    fn default() -> Self {
        Self {
            direction: Direction::Forward,
            relations: RelationMask::ALL,
            max_depth: u32::MAX,
        }
    }
}

/// What a walk covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BfsStats {
    /// Nodes that the visitor kept, seeds included.
    pub nodes: u64,
    /// The largest number of hops at which a node was kept.
    pub depth: u32,
    /// Whether the visitor ended the walk.
    pub ended: bool,
}

/// Walks from `seeds` level by level and hands every node with its hops to `visit`.
pub fn bfs<G: Adjacency>(
    graph: &G,
    seeds: &[SymId],
    options: &BfsOptions,
    mut visit: impl FnMut(SymId, u32) -> Verdict,
) -> BfsStats {
    let mut stats = BfsStats::default();
    let mut frontier = Frontier::new(graph.bound());
    seeds.iter().for_each(|s| frontier.push(*s));
    let all = options.relations.is_all();
    let mut depth = 0;
    while frontier.advance() {
        for i in 0..frontier.level_len() {
            let Some(node) = frontier.get(i) else { break };
            match visit(node, depth) {
                Verdict::End => {
                    stats.ended = true;
                    return stats;
                }
                Verdict::Skip => continue,
                Verdict::Keep => {
                    stats.nodes += 1;
                    stats.depth = depth;
                    continue;
                }
                Verdict::Expand => {
                    stats.nodes += 1;
                    stats.depth = depth;
                }
            }
            if depth >= options.max_depth {
                continue;
            }
            let mut enter = |next, relation| {
                if all || options.relations.has(relation) {
                    frontier.push(next);
                }
            };
            if options.direction.forward() {
                graph.for_each_out(node, &mut enter);
            }
            if options.direction.backward() {
                graph.for_each_in(node, &mut enter);
            }
        }
        depth += 1;
    }
    stats
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::model::label::Relation;
    use crate::traverse::adjacency::model::ListGraph;

    /// Hops by relaxing every edge until nothing changes.
    fn naive(graph: &ListGraph, seeds: &[SymId], options: &BfsOptions) -> BTreeMap<u32, u32> {
        let mut hops: BTreeMap<u32, u32> = seeds
            .iter()
            .filter(|s| s.0 < graph.nodes)
            .map(|s| (s.0, 0))
            .collect();
        loop {
            let before = hops.clone();
            for (a, b, relation) in &graph.edges {
                if !options.relations.has(*relation) {
                    continue;
                }
                let mut relax = |from: &u32, to: &u32| {
                    let Some(d) = hops.get(from).copied() else {
                        return;
                    };
                    if d < options.max_depth && hops.get(to).is_none_or(|old| *old > d + 1) {
                        hops.insert(*to, d + 1);
                    }
                };
                if options.direction.forward() {
                    relax(a, b);
                }
                if options.direction.backward() {
                    relax(b, a);
                }
            }
            if hops == before {
                return hops;
            }
        }
    }

    proptest! {
        #[test]
        fn equals_the_naive_walk(
            edges in prop::collection::vec((0u32..40, 0u32..40, 0u8..4), 0..120),
            seeds in prop::collection::vec(0u32..45, 0..4),
            direction in prop::sample::select(vec![Direction::Forward, Direction::Backward, Direction::Both]),
            depth in prop::sample::select(vec![0, 1, 2, 3, u32::MAX]),
            relations in prop::sample::select(vec![RelationMask::ALL, RelationMask::of(&[Relation(0), Relation(2)])]),
        ) {
            let edges = edges.into_iter().map(|(a, b, r)| (a, b, Relation(r))).collect();
            let graph = ListGraph { nodes: 40, edges };
            let seeds: Vec<SymId> = seeds.into_iter().map(SymId).collect();
            let options = BfsOptions { direction, relations, max_depth: depth };
            let mut found = BTreeMap::new();
            let mut order = Vec::new();
            let stats = bfs(&graph, &seeds, &options, |s, d| {
                order.push((d, s));
                assert!(found.insert(s.0, d).is_none(), "visited twice");
                Verdict::Expand
            });
            prop_assert!(order.is_sorted());
            prop_assert_eq!(stats.nodes, found.len() as u64);
            prop_assert_eq!(found, naive(&graph, &seeds, &options));
        }
    }

    #[test]
    fn verdicts_decide_what_is_walked_through() {
        let graph = ListGraph::new(6, &[(0, 1), (0, 2), (1, 3), (2, 4), (4, 5)]);
        let run = |verdict: fn(u32) -> Verdict| {
            let mut seen = Vec::new();
            let stats = bfs(&graph, &[SymId(0)], &BfsOptions::default(), |s, _| {
                let v = verdict(s.0);
                if v == Verdict::Expand || v == Verdict::Keep {
                    seen.push(s.0);
                }
                v
            });
            (seen, stats)
        };
        assert_eq!(
            run(|s| if s == 1 {
                Verdict::Keep
            } else {
                Verdict::Expand
            })
            .0,
            [0, 1, 2, 4, 5]
        );
        assert_eq!(
            run(|s| if s == 2 {
                Verdict::Skip
            } else {
                Verdict::Expand
            })
            .0,
            [0, 1, 3]
        );
        let (seen, stats) = run(|s| {
            if s == 3 {
                Verdict::End
            } else {
                Verdict::Expand
            }
        });
        assert_eq!(seen, [0, 1, 2]);
        assert_eq!(
            stats,
            BfsStats {
                nodes: 3,
                depth: 1,
                ended: true
            }
        );
    }
}

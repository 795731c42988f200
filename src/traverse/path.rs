//! Shortest routes between two symbols.
//!
//! Where it sits: under the `path` answer. Two breadth-first searches meet: one from the start, one from the end, the
//! smaller level is expanded each time. Among routes of equal length the one that says most wins: calls before types
//! before imports before structure, with the arrow before against it; what is still equal is ordered by place.
//!
//! Why the first meeting suffices: before a level is expanded, the ball of radius i round the start and that of radius j
//! round the end have no node in common, so every route is longer than i + j. If the next level meets the other ball, the
//! shortest length is i + 1 + j, and each shortest route passes one of the nodes where they meet.
//!
//! Invariants: a route never passes a placeholder (two files that use the same package have nothing else in common); in
//! directed search no edge is followed against its arrow; the same graph gives the same route, whatever the ids.

use rustc_hash::FxHashMap;

use crate::ids::SymId;
use crate::model::label::Relation;
use crate::traverse::adjacency::{Adjacency, Direction, RelationMask};

/// How a route is searched.
#[derive(Clone, Copy, Debug)]
pub struct PathOptions {
    /// Forward from start to end, or both ways.
    pub direction: Direction,
    /// Along which relations.
    pub relations: RelationMask,
    /// Most hops of a route.
    pub max_hops: u32,
    /// Most nodes that the search keeps in mind.
    pub max_nodes: usize,
}

impl Default for PathOptions {
    fn default() -> Self {
        Self {
            direction: Direction::Forward,
            relations: RelationMask::ALL,
            max_hops: u32::MAX,
            max_nodes: 20_000_000,
        }
    }
}

/// How a search for a route ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// The nodes from start to end.
    Found(Vec<SymId>),
    /// There is none within the most hops.
    None,
    /// The search was given up at its bound on nodes.
    Unknown,
}

/// What a hop costs when routes of equal length are compared.
fn hop_cost(relation: Relation, with_arrow: bool) -> u64 {
    let cost = match relation {
        Relation::CALLS | Relation::INDIRECT_CALL | Relation::DISPATCHES_TO => 0,
        Relation::OVERRIDES | Relation::INHERITS | Relation::IMPLEMENTS => 1,
        Relation::EMBEDS | Relation::MIXES_IN | Relation::REFERENCES => 2,
        Relation::IMPORTS
        | Relation::RE_EXPORTS
        | Relation::DYNAMIC_IMPORT
        | Relation::IMPORTS_FROM => 4,
        Relation::METHOD | Relation::CASE_OF | Relation::DEFINES => 5,
        Relation::CONTAINS => 6,
        _ => 3,
    };
    cost * 2 + u64::from(!with_arrow)
}

/// The best of the shortest routes from `start` to `end`.
pub fn shortest<G: Adjacency>(graph: &G, start: SymId, end: SymId, options: &PathOptions) -> Route {
    if start == end {
        return Route::Found(vec![start]);
    }
    let mut near = Side::new(start, true, options.direction);
    let mut far = Side::new(end, false, options.direction);
    loop {
        if near.radius.saturating_add(far.radius) >= options.max_hops {
            return Route::None;
        }
        let (grown, other) = if near.level.len() <= far.level.len() {
            (&mut near, &far)
        } else {
            (&mut far, &near)
        };
        let meeting = grown.grow(graph, options, &other.hops, other.origin);
        if grown.level.is_empty() {
            return Route::None;
        }
        if !meeting.is_empty() {
            return Route::Found(best_route(graph, options, &near, &far, meeting));
        }
        if near.hops.len() + far.hops.len() > options.max_nodes {
            return Route::Unknown;
        }
    }
}

/// One of the two searches.
struct Side {
    origin: SymId,
    is_start: bool,
    direction: Direction,
    hops: FxHashMap<SymId, u32>,
    level: Vec<SymId>,
    radius: u32,
}

impl Side {
    fn new(origin: SymId, is_start: bool, direction: Direction) -> Self {
        let direction = match (direction, is_start) {
            (Direction::Both, _) => Direction::Both,
            (Direction::Forward, true) | (Direction::Backward, false) => Direction::Forward,
            _ => Direction::Backward,
        };
        Self {
            origin,
            is_start,
            direction,
            hops: FxHashMap::from_iter([(origin, 0)]),
            level: vec![origin],
            radius: 0,
        }
    }

    /// Expands the outermost level; returns the new nodes that the other side knows.
    fn grow<G: Adjacency>(
        &mut self,
        graph: &G,
        options: &PathOptions,
        other: &FxHashMap<SymId, u32>,
        goal: SymId,
    ) -> Vec<SymId> {
        self.radius += 1;
        let mut next = Vec::new();
        let mut meeting = Vec::new();
        for node in std::mem::take(&mut self.level) {
            graph.for_each(node, self.direction, |to, relation, _| {
                if !options.relations.has(relation) || self.hops.contains_key(&to) {
                    return;
                }
                if to != goal && !graph.is_walkable(to) {
                    return;
                }
                self.hops.insert(to, self.radius);
                next.push(to);
                if other.contains_key(&to) {
                    meeting.push(to);
                }
            });
        }
        next.sort_unstable();
        self.level = next;
        meeting
    }

    /// The best way from the origin to each of `targets` (all at the same number of hops): cost, and the way itself.
    fn ways<G: Adjacency>(
        &self,
        graph: &G,
        options: &PathOptions,
        targets: &[SymId],
    ) -> FxHashMap<SymId, Way> {
        // From the targets back to the origin: who stands on a shortest way, and over which hops.
        let mut layers: Vec<Vec<Link>> = Vec::new();
        let mut current = targets.to_vec();
        let back = match self.direction {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
            Direction::Both => Direction::Both,
        };
        let radius = targets
            .first()
            .and_then(|t| self.hops.get(t))
            .copied()
            .unwrap_or(0);
        for hops in (0..radius).rev() {
            let mut best: FxHashMap<(SymId, SymId), u64> = FxHashMap::default();
            for node in &current {
                graph.for_each(*node, back, |before, relation, outgoing| {
                    if options.relations.has(relation) && self.hops.get(&before) == Some(&hops) {
                        // Seen from the start of the route, the arrow points along it if on the start's side the edge
                        // comes in here, or on the end's side goes out.
                        let cost = hop_cost(relation, outgoing != self.is_start);
                        let known = best.entry((before, *node)).or_insert(cost);
                        *known = (*known).min(cost);
                    }
                });
            }
            let mut links: Vec<Link> = best
                .into_iter()
                .map(|((before, node), cost)| Link { before, node, cost })
                .collect();
            links.sort_by_key(|l| (l.node, l.before));
            current = links.iter().map(|l| l.before).collect();
            current.sort_unstable();
            current.dedup();
            layers.push(links);
        }
        // And out again: at each node the cheapest way, ties by the rank of the node before, which goes by place.
        let mut ways = FxHashMap::from_iter([(
            self.origin,
            Way {
                cost: 0,
                rank: 0,
                nodes: vec![self.origin],
            },
        )]);
        for links in layers.iter().rev() {
            let mut reached: FxHashMap<SymId, (u64, usize, SymId)> = FxHashMap::default();
            for link in links {
                let Some(way) = ways.get(&link.before) else {
                    continue;
                };
                let offer = (way.cost + link.cost, way.rank, link.before);
                let best = reached.entry(link.node).or_insert(offer);
                if (offer.0, offer.1) < (best.0, best.1) {
                    *best = offer;
                }
            }
            let mut order: Vec<(SymId, (u64, usize, SymId))> = reached.into_iter().collect();
            order.sort_by(|(a, x), (b, y)| {
                (x.0, x.1)
                    .cmp(&(y.0, y.1))
                    .then_with(|| graph.place(*a).cmp(&graph.place(*b)))
                    .then(a.cmp(b))
            });
            let mut next = FxHashMap::default();
            for (rank, (node, (cost, _, before))) in order.into_iter().enumerate() {
                let mut nodes = ways
                    .get(&before)
                    .map(|w| w.nodes.clone())
                    .unwrap_or_default();
                nodes.push(node);
                next.insert(node, Way { cost, rank, nodes });
            }
            ways = next;
        }
        ways
    }
}

struct Link {
    before: SymId,
    node: SymId,
    cost: u64,
}

struct Way {
    cost: u64,
    rank: usize,
    nodes: Vec<SymId>,
}

fn best_route<G: Adjacency>(
    graph: &G,
    options: &PathOptions,
    near: &Side,
    far: &Side,
    meeting: Vec<SymId>,
) -> Vec<SymId> {
    let heads = near.ways(graph, options, &meeting);
    let tails = far.ways(graph, options, &meeting);
    let best = meeting.iter().filter_map(|node| {
        let (head, tail) = (heads.get(node)?, tails.get(node)?);
        Some((head.cost + tail.cost, head.rank, tail.rank, head, tail))
    });
    let Some((_, _, _, head, tail)) = best.min_by_key(|(cost, a, b, _, _)| (*cost, *a, *b)) else {
        return Vec::new();
    };
    let mut nodes = head.nodes.clone();
    nodes.extend(tail.nodes.iter().rev().skip(1));
    nodes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "tests")]

    use proptest::prelude::*;

    use super::*;
    use crate::traverse::adjacency::model::ListGraph;
    use crate::traverse::{BfsOptions, Verdict, bfs};

    fn route(graph: &ListGraph, from: u32, to: u32, direction: Direction) -> Option<Vec<u32>> {
        let options = PathOptions {
            direction,
            ..PathOptions::default()
        };
        match shortest(graph, SymId(from), SymId(to), &options) {
            Route::Found(nodes) => Some(nodes.iter().map(|n| n.0).collect()),
            Route::None => None,
            Route::Unknown => panic!("no bound is near"),
        }
    }

    #[test]
    fn calls_win_over_files_among_equal_routes() {
        // 0 calls 1 calls 3; file 2 contains 0 and imports 3.
        let edges = vec![
            (0, 1, Relation::CALLS),
            (1, 3, Relation::CALLS),
            (2, 0, Relation::CONTAINS),
            (2, 3, Relation::IMPORTS),
        ];
        let graph = ListGraph { nodes: 4, edges };
        assert_eq!(route(&graph, 0, 3, Direction::Forward), Some(vec![0, 1, 3]));
        assert_eq!(route(&graph, 0, 3, Direction::Both), Some(vec![0, 1, 3]));
        assert_eq!(route(&graph, 3, 0, Direction::Forward), None);
        assert_eq!(route(&graph, 3, 0, Direction::Both), Some(vec![3, 1, 0]));
        assert_eq!(route(&graph, 2, 3, Direction::Forward), Some(vec![2, 3]));
    }

    #[test]
    fn contains_is_never_walked_backwards_in_directed_search() {
        let graph = ListGraph {
            nodes: 3,
            edges: vec![(0, 1, Relation::CONTAINS), (0, 2, Relation::CALLS)],
        };
        assert_eq!(route(&graph, 1, 2, Direction::Forward), None);
        assert_eq!(route(&graph, 1, 2, Direction::Both), Some(vec![1, 0, 2]));
    }

    #[test]
    fn with_the_arrow_before_against_it() {
        // Two ways of two calls between 0 and 3 when arrows are ignored: through 1 against them, through 2 along them.
        let graph = ListGraph::new(4, &[(1, 0), (3, 1), (0, 2), (2, 3)]);
        assert_eq!(route(&graph, 0, 3, Direction::Both), Some(vec![0, 2, 3]));
        assert_eq!(route(&graph, 3, 0, Direction::Both), Some(vec![3, 1, 0]));
    }

    #[test]
    fn hops_are_limited_and_a_node_reaches_itself() {
        let graph = ListGraph::new(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
        let within = |max_hops| {
            shortest(
                &graph,
                SymId(0),
                SymId(4),
                &PathOptions {
                    max_hops,
                    ..PathOptions::default()
                },
            )
        };
        assert_eq!(within(3), Route::None);
        assert!(matches!(within(4), Route::Found(nodes) if nodes.len() == 5));
        assert_eq!(route(&graph, 2, 2, Direction::Forward), Some(vec![2]));
    }

    proptest! {
        #[test]
        fn is_as_short_as_breadth_first_search_says(
            edges in prop::collection::vec((0u32..30, 0u32..30, 0u8..14), 0..80),
            from in 0u32..30, to in 0u32..30, both in any::<bool>(),
        ) {
            let edges: Vec<_> = edges.into_iter().map(|(a, b, r)| (a, b, Relation(r))).collect();
            let graph = ListGraph { nodes: 30, edges };
            let direction = if both { Direction::Both } else { Direction::Forward };
            let mut hops = None;
            bfs(&graph, &[SymId(from)], &BfsOptions { direction, ..BfsOptions::default() }, |s, d| {
                if s.0 == to {
                    hops = Some(d);
                }
                Verdict::Expand
            });
            let found = route(&graph, from, to, direction);
            prop_assert_eq!(found.as_ref().map(|r| r.len() as u32 - 1), hops);
            let Some(found) = found else { return Ok(()) };
            prop_assert_eq!((found.first(), found.last()), (Some(&from), Some(&to)));
            for pair in found.windows(2) {
                let joined = graph.edges.iter().any(|(a, b, _)| {
                    (*a == pair[0] && *b == pair[1]) || (both && *a == pair[1] && *b == pair[0])
                });
                prop_assert!(joined);
            }
            // The order of the edges decides nothing.
            let mut turned = graph.clone();
            turned.edges.reverse();
            prop_assert_eq!(Some(found), route(&turned, from, to, direction));
        }
    }
}

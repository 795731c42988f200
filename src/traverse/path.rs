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

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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

/// Several routes of the same, smallest length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routes {
    /// The nodes of each from start to end, the best route first.
    pub routes: Vec<Vec<SymId>>,
    /// How many there are, those included that were not asked for.
    pub total: u64,
}

/// How a search for all shortest routes ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// With these.
    Found(Routes),
    /// There is none within the most hops.
    None,
    /// The search was given up at its bound on nodes.
    Unknown,
}

/// What a hop costs when routes of equal length are compared.
pub(crate) fn hop_cost(relation: Relation, with_arrow: bool) -> u64 {
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
    match routes(graph, start, end, options, 1) {
        Search::Found(found) => Route::Found(found.routes.into_iter().next().unwrap_or_default()),
        Search::None => Route::None,
        Search::Unknown => Route::Unknown,
    }
}

/// The shortest routes from `start` to `end`, best first, at most `limit` of them.
pub fn routes<G: Adjacency>(
    graph: &G,
    start: SymId,
    end: SymId,
    options: &PathOptions,
    limit: usize,
) -> Search {
    if start == end {
        return Search::Found(Routes {
            routes: vec![vec![start]],
            total: 1,
        });
    }
    let mut near = Side::new(start, true, options.direction);
    let mut far = Side::new(end, false, options.direction);
    loop {
        if near.radius.saturating_add(far.radius) >= options.max_hops {
            return Search::None;
        }
        let (grown, other) = if near.level.len() <= far.level.len() {
            (&mut near, &far)
        } else {
            (&mut far, &near)
        };
        let meeting = grown.grow(graph, options, &other.hops, other.origin);
        if grown.level.is_empty() {
            return Search::None;
        }
        if !meeting.is_empty() {
            let mut web = Web::new(end);
            near.weave(graph, options, &meeting, &mut web);
            far.weave(graph, options, &meeting, &mut web);
            return Search::Found(web.best(graph, start, limit));
        }
        if near.hops.len() + far.hops.len() > options.max_nodes {
            return Search::Unknown;
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

    /// Adds the hops of every shortest way between the origin and `targets` (all at the same number of hops) to the web.
    fn weave<G: Adjacency>(
        &self,
        graph: &G,
        options: &PathOptions,
        targets: &[SymId],
        web: &mut Web,
    ) {
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
            current = best.keys().map(|(before, _)| *before).collect();
            current.sort_unstable();
            current.dedup();
            for ((before, node), cost) in best {
                let (from, to) = if self.is_start {
                    (before, node)
                } else {
                    (node, before)
                };
                web.next.entry(from).or_default().push((to, cost));
            }
        }
    }
}

/// The hops of all shortest routes: every way through it from the start ends at the end after the same number of hops.
struct Web {
    end: SymId,
    next: FxHashMap<SymId, Vec<(SymId, u64)>>,
}

/// What a node of the web leads to.
#[derive(Clone, Copy)]
struct Rest {
    /// Cost of the cheapest way to the end.
    cost: u64,
    /// How many ways there are.
    ways: u64,
}

impl Web {
    fn new(end: SymId) -> Self {
        Self {
            end,
            next: FxHashMap::default(),
        }
    }

    /// The routes by cost, then by the places of their nodes, at most `limit`; and how many there are.
    fn best<G: Adjacency>(&self, graph: &G, start: SymId, limit: usize) -> Routes {
        let rests = self.rests(start);
        let mut order: Vec<SymId> = rests.keys().copied().collect();
        order.sort_by(|a, b| graph.place(*a).cmp(&graph.place(*b)).then(a.cmp(b)));
        let ranks: FxHashMap<SymId, u32> = order.into_iter().zip(0..).collect();
        let rank = |node: SymId| ranks.get(&node).copied().unwrap_or(u32::MAX);
        // The cheapest beginning is continued first; the cost of its rest is known, so what arrives first is the best.
        let mut open = BinaryHeap::new();
        let all = rests
            .get(&start)
            .copied()
            .unwrap_or(Rest { cost: 0, ways: 0 });
        open.push(Reverse((all.cost, vec![rank(start)], 0u64, vec![start])));
        let mut routes = Vec::new();
        while let Some(Reverse((_, places, spent, nodes))) = open.pop() {
            let Some(last) = nodes.last().copied() else {
                continue;
            };
            if last == self.end {
                routes.push(nodes);
                if routes.len() >= limit.max(1) {
                    break;
                }
                continue;
            }
            for (to, cost) in self.next.get(&last).into_iter().flatten() {
                let Some(rest) = rests.get(to) else { continue };
                let mut places = places.clone();
                places.push(rank(*to));
                let mut nodes = nodes.clone();
                nodes.push(*to);
                open.push(Reverse((
                    spent + cost + rest.cost,
                    places,
                    spent + cost,
                    nodes,
                )));
            }
        }
        Routes {
            routes,
            total: all.ways,
        }
    }

    /// For every node what it leads to.
    fn rests(&self, start: SymId) -> FxHashMap<SymId, Rest> {
        let mut levels = vec![vec![start]];
        loop {
            let last = levels.last().map(Vec::as_slice).unwrap_or_default();
            let after = last.iter().filter_map(|n| self.next.get(n)).flatten();
            let mut after: Vec<SymId> = after.map(|(to, _)| *to).collect();
            after.sort_unstable();
            after.dedup();
            if after.is_empty() {
                break;
            }
            levels.push(after);
        }
        let mut rests = FxHashMap::from_iter([(self.end, Rest { cost: 0, ways: 1 })]);
        for node in levels.iter().rev().flatten() {
            let after = self.next.get(node).into_iter().flatten();
            let known: Vec<(Rest, u64)> = after
                .filter_map(|(to, cost)| Some((*rests.get(to)?, *cost)))
                .collect();
            if let Some(cost) = known.iter().map(|(rest, cost)| rest.cost + cost).min() {
                let ways = known
                    .iter()
                    .fold(0u64, |sum, (r, _)| sum.saturating_add(r.ways));
                rests.insert(*node, Rest { cost, ways });
            }
        }
        rests
    }
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

    #[test]
    fn all_shortest_routes_come_best_first_and_are_counted() {
        // Through 1 by two calls, through 2 by a call and a type, through 3 by structure; through 4 and 5 it is longer.
        let edges = vec![
            (0, 3, Relation::CONTAINS),
            (3, 6, Relation::CONTAINS),
            (0, 2, Relation::CALLS),
            (2, 6, Relation::REFERENCES),
            (0, 1, Relation::CALLS),
            (1, 6, Relation::CALLS),
            (0, 4, Relation::CALLS),
            (4, 5, Relation::CALLS),
            (5, 6, Relation::CALLS),
        ];
        let graph = ListGraph { nodes: 7, edges };
        let all = |limit| routes(&graph, SymId(0), SymId(6), &PathOptions::default(), limit);
        let expected = [[0, 1, 6], [0, 2, 6], [0, 3, 6]].map(|r| r.map(SymId).to_vec());
        let found = |n: usize| {
            Search::Found(Routes {
                routes: expected[..n].to_vec(),
                total: 3,
            })
        };
        assert_eq!(all(10), found(3));
        assert_eq!(all(2), found(2));
        // A chain of diamonds: as many routes as 2 to the power of its links, of which only some are made.
        let mut edges = Vec::new();
        for i in 0..40u32 {
            let at = i * 3;
            edges.extend([
                (at, at + 1),
                (at, at + 2),
                (at + 1, at + 3),
                (at + 2, at + 3),
            ]);
        }
        let graph = ListGraph::new(121, &edges);
        let found = routes(&graph, SymId(0), SymId(120), &PathOptions::default(), 5);
        assert!(matches!(found, Search::Found(r) if r.routes.len() == 5 && r.total == 1 << 40));
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

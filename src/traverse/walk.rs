//! The bounded walk round the seeds of a question.
//!
//! Where it sits: between the seeds that `search` found and the answer. Edges are followed both ways: who calls a seed
//! matters as much as what it calls. Every node found gets a *closeness*: 1 for a seed, then halved at every hop and
//! weighed by the relation of the hop (a call says more than standing in the same file) and by how many neighbours the node
//! behind it has (one of three callees says more than one of three hundred).
//!
//! | constant | value | why |
//! |---|---|---|
//! | `DECAY` | 0.5 a hop | the walk is 3 (6) hops deep; the far end counts an eighth |
//! | weights of relations | [`weight`] | calls before types before structure before imports |
//! | damping | 1 / √(1 + degree / 32) | between ordinary nodes hardly felt, on hubs strong |
//! | hubs | degree ≥ [`WalkOptions::hub_degree`] | shown but not walked through, unless they are seeds |
//!
//! Invariants: never more than [`WalkOptions::max_nodes`] nodes or [`WalkOptions::max_edges`] edges are looked at, and the
//! result says when a bound was met; equal closeness is ordered by place, never by id.

use rustc_hash::FxHashMap;

use crate::ids::SymId;
use crate::model::label::Relation;
use crate::traverse::adjacency::{Adjacency, Direction, RelationMask};

/// What is left of closeness after a hop.
const DECAY: f64 = 0.5;
/// Degree at which damping begins to be felt.
const DAMPING_DEGREE: f64 = 32.0;
/// Weight of a relation that the question does not hint at, when it hints at others.
const UNHINTED: f64 = 0.6;

/// In which order the neighbourhood is visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WalkMode {
    /// Nearest first.
    #[default]
    Bfs,
    /// One chain to its end, then the next.
    Dfs,
}

/// How a walk goes.
#[derive(Clone, Copy, Debug)]
pub struct WalkOptions {
    /// Nearest first or one chain after the other.
    pub mode: WalkMode,
    /// Most hops from a seed.
    pub depth: u32,
    /// Which relations are followed.
    pub relations: RelationMask,
    /// Relations that the question hints at; the others weigh less. `NONE` where it hints at nothing.
    pub hinted: RelationMask,
    /// Nodes with at least this many edges are not walked through unless they are seeds.
    pub hub_degree: usize,
    /// Most nodes that are kept.
    pub max_nodes: usize,
    /// Most edges that are looked at.
    pub max_edges: usize,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            mode: WalkMode::Bfs,
            depth: 3,
            relations: RelationMask::ALL,
            hinted: RelationMask::NONE,
            hub_degree: 50,
            max_nodes: 4096,
            max_edges: 200_000,
        }
    }
}

/// One node of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// The node.
    pub sym: SymId,
    /// Hops from the nearest seed (breadth first) or along the chain (depth first).
    pub hops: u32,
    /// How close it is to the seeds, 1 for a seed itself.
    pub closeness: f64,
}

/// What a walk found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walk {
    /// The nodes in order of discovery; the seeds are first.
    pub visits: Vec<Visit>,
    /// Whether a bound on nodes or edges cut the walk, so that more is there than was found.
    pub limited: bool,
}

/// How much a hop along a relation says.
pub fn weight(relation: Relation) -> f64 {
    match relation {
        Relation::CALLS | Relation::INDIRECT_CALL => 1.0,
        Relation::DISPATCHES_TO
        | Relation::OVERRIDES
        | Relation::INHERITS
        | Relation::IMPLEMENTS => 0.9,
        Relation::EMBEDS | Relation::MIXES_IN | Relation::REFERENCES => 0.75,
        Relation::METHOD | Relation::CASE_OF | Relation::DEFINES | Relation::DECLARES => 0.6,
        Relation::IMPORTS | Relation::RE_EXPORTS | Relation::DYNAMIC_IMPORT => 0.4,
        Relation::CONTAINS | Relation::IMPORTS_FROM | Relation::DEPENDS_ON => 0.3,
        // Relations of the store's own: whoever made them meant something by them.
        _ => 0.75,
    }
}

/// Walks round `seeds`. In depth-first order the neighbours with the highest `relevance` are followed first.
pub fn walk<G: Adjacency>(
    graph: &G,
    seeds: &[SymId],
    options: &WalkOptions,
    relevance: impl Fn(SymId) -> f64,
) -> Walk {
    let mut state = State {
        graph,
        options,
        edges: 0,
        limited: false,
    };
    let visits = match options.mode {
        WalkMode::Bfs => state.breadth_first(seeds),
        WalkMode::Dfs => state.depth_first(seeds, relevance),
    };
    Walk {
        visits,
        limited: state.limited,
    }
}

struct State<'a, G> {
    graph: &'a G,
    options: &'a WalkOptions,
    edges: usize,
    limited: bool,
}

impl<G: Adjacency> State<'_, G> {
    fn breadth_first(&mut self, seeds: &[SymId]) -> Vec<Visit> {
        let mut visits: Vec<Visit> = Vec::new();
        let mut seen: FxHashMap<SymId, ()> = FxHashMap::default();
        for seed in seeds {
            if seen.insert(*seed, ()).is_none() {
                visits.push(Visit {
                    sym: *seed,
                    hops: 0,
                    closeness: 1.0,
                });
            }
        }
        let mut level = 0..visits.len();
        for hops in 0..self.options.depth {
            let mut found: FxHashMap<SymId, f64> = FxHashMap::default();
            for visit in visits.get(level.clone()).unwrap_or_default() {
                if hops > 0 && self.is_hub(visit.sym) {
                    continue;
                }
                self.neighbours(*visit, |next, closeness, _| {
                    if !seen.contains_key(&next) {
                        let best = found.entry(next).or_insert(closeness);
                        *best = best.max(closeness);
                    }
                });
            }
            let mut next: Vec<Visit> = found
                .into_iter()
                .filter(|(sym, _)| self.graph.is_walkable(*sym))
                .map(|(sym, closeness)| Visit {
                    sym,
                    hops: hops + 1,
                    closeness,
                })
                .collect();
            self.sort(&mut next);
            let room = self.options.max_nodes.saturating_sub(visits.len());
            if next.len() > room {
                next.truncate(room);
                self.limited = true;
            }
            if next.is_empty() {
                break;
            }
            level = visits.len()..visits.len() + next.len();
            for visit in next {
                seen.insert(visit.sym, ());
                visits.push(visit);
            }
        }
        visits
    }

    fn depth_first(&mut self, seeds: &[SymId], relevance: impl Fn(SymId) -> f64) -> Vec<Visit> {
        let mut visits: Vec<Visit> = Vec::new();
        // The fewest hops at which each node was expanded: found again on a shorter way, it is walked through again.
        let mut seen: FxHashMap<SymId, u32> = FxHashMap::default();
        for seed in seeds {
            if seen.insert(*seed, 0).is_none() {
                visits.push(Visit {
                    sym: *seed,
                    hops: 0,
                    closeness: 1.0,
                });
            }
        }
        let mut stack: Vec<Visit> = visits.iter().rev().copied().collect();
        while let Some(visit) = stack.pop() {
            if visit.hops > 0 {
                match seen.get(&visit.sym).copied() {
                    Some(hops) if hops <= visit.hops => continue,
                    Some(_) => {}
                    None if visits.len() >= self.options.max_nodes => {
                        self.limited = true;
                        continue;
                    }
                    None => visits.push(visit),
                }
                seen.insert(visit.sym, visit.hops);
                if self.is_hub(visit.sym) {
                    continue;
                }
            }
            if visit.hops >= self.options.depth || self.limited {
                continue;
            }
            let mut found: FxHashMap<SymId, (f64, bool)> = FxHashMap::default();
            self.neighbours(visit, |next, closeness, outgoing| {
                if seen.get(&next).is_none_or(|hops| *hops > visit.hops + 1) {
                    let best = found.entry(next).or_insert((closeness, outgoing));
                    *best = (best.0.max(closeness), best.1 || outgoing);
                }
            });
            let mut next: Vec<(f64, bool, Visit)> = found
                .into_iter()
                .filter(|(sym, _)| self.graph.is_walkable(*sym))
                .map(|(sym, (closeness, outgoing))| {
                    (
                        relevance(sym),
                        outgoing,
                        Visit {
                            sym,
                            hops: visit.hops + 1,
                            closeness,
                        },
                    )
                })
                .collect();
            // The best stands last, where the stack gives it first.
            next.sort_by(|a, b| {
                let by_worth =
                    a.0.total_cmp(&b.0)
                        .then(a.2.closeness.total_cmp(&b.2.closeness));
                by_worth
                    .then(a.1.cmp(&b.1))
                    .then_with(|| self.compare_places(b.2.sym, a.2.sym))
            });
            stack.extend(next.into_iter().map(|(_, _, visit)| visit));
        }
        visits
    }

    fn is_hub(&self, sym: SymId) -> bool {
        self.graph.degree(sym) >= self.options.hub_degree
    }

    fn neighbours(&mut self, visit: Visit, mut enter: impl FnMut(SymId, f64, bool)) {
        let degree = self.graph.degree(visit.sym) as f64;
        let share = visit.closeness * DECAY / (1.0 + degree / DAMPING_DEGREE).sqrt();
        let (options, mut edges, mut limited) = (self.options, self.edges, self.limited);
        let hinted = options.hinted != RelationMask::NONE;
        self.graph
            .for_each(visit.sym, Direction::Both, |next, relation, outgoing| {
                edges += 1;
                if edges > options.max_edges {
                    limited = true;
                } else if options.relations.has(relation) {
                    let hint = if !hinted || options.hinted.has(relation) {
                        1.0
                    } else {
                        UNHINTED
                    };
                    enter(next, share * weight(relation) * hint, outgoing);
                }
            });
        (self.edges, self.limited) = (edges, limited);
    }

    fn sort(&self, visits: &mut [Visit]) {
        visits.sort_by(|a, b| {
            b.closeness
                .total_cmp(&a.closeness)
                .then_with(|| self.compare_places(a.sym, b.sym))
        });
    }

    fn compare_places(&self, a: SymId, b: SymId) -> std::cmp::Ordering {
        self.graph
            .place(a)
            .cmp(&self.graph.place(b))
            .then(a.cmp(&b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traverse::adjacency::model::ListGraph;

    fn syms(walk: &Walk) -> Vec<u32> {
        walk.visits.iter().map(|v| v.sym.0).collect()
    }

    #[test]
    fn breadth_first_goes_both_ways_and_stops_at_the_depth() {
        let graph = ListGraph::new(8, &[(0, 1), (1, 2), (2, 3), (3, 4), (5, 0), (6, 7)]);
        let found = walk(&graph, &[SymId(0)], &WalkOptions::default(), |_| 0.0);
        assert_eq!(syms(&found), [0, 1, 5, 2, 3]);
        assert_eq!(found.visits.last().map(|v| v.hops), Some(3));
        assert!(!found.limited);
        let none = WalkOptions {
            depth: 0,
            ..WalkOptions::default()
        };
        assert_eq!(
            syms(&walk(&graph, &[SymId(0), SymId(0)], &none, |_| 0.0)),
            [0]
        );
    }

    #[test]
    fn hubs_are_shown_but_not_walked_through_unless_they_are_seeds() {
        let mut edges: Vec<(u32, u32)> = (2..62).map(|i| (i, 1)).collect();
        edges.push((0, 1));
        let graph = ListGraph::new(62, &edges);
        assert_eq!(
            syms(&walk(&graph, &[SymId(0)], &WalkOptions::default(), |_| 0.0)),
            [0, 1]
        );
        assert_eq!(
            walk(&graph, &[SymId(1)], &WalkOptions::default(), |_| 0.0)
                .visits
                .len(),
            62
        );
    }

    #[test]
    fn calls_come_before_structure_and_hints_turn_that() {
        let edges = vec![
            (0, 1, Relation::CONTAINS),
            (0, 2, Relation::CALLS),
            (0, 3, Relation::IMPORTS),
        ];
        let graph = ListGraph { nodes: 4, edges };
        let plain = walk(&graph, &[SymId(0)], &WalkOptions::default(), |_| 0.0);
        assert_eq!(syms(&plain), [0, 2, 3, 1]);
        let hinted = RelationMask::of(&[Relation::CONTAINS]);
        let hinted = WalkOptions {
            hinted,
            ..WalkOptions::default()
        };
        let order = syms(&walk(&graph, &[SymId(0)], &hinted, |_| 0.0));
        assert_eq!(
            order,
            [0, 2, 1, 3],
            "contains rises above what was not hinted at, but is no call"
        );
        let only = WalkOptions {
            relations: RelationMask::of(&[Relation::IMPORTS]),
            ..WalkOptions::default()
        };
        assert_eq!(syms(&walk(&graph, &[SymId(0)], &only, |_| 0.0)), [0, 3]);
    }

    #[test]
    fn depth_first_follows_one_chain_to_its_end() {
        let graph = ListGraph::new(7, &[(0, 1), (1, 2), (2, 3), (0, 4), (4, 5), (5, 6)]);
        let options = WalkOptions {
            mode: WalkMode::Dfs,
            depth: 6,
            ..WalkOptions::default()
        };
        let found = walk(&graph, &[SymId(0)], &options, |s| {
            if s.0 == 4 { 1.0 } else { 0.0 }
        });
        assert_eq!(syms(&found), [0, 4, 5, 6, 1, 2, 3]);
    }

    #[test]
    fn depth_first_reaches_what_a_shorter_way_allows() {
        // 3 is first met at the end of the long chain, where the depth forbids to go on to 4.
        let graph = ListGraph::new(5, &[(0, 1), (1, 2), (2, 3), (0, 3), (3, 4)]);
        let options = WalkOptions {
            mode: WalkMode::Dfs,
            depth: 3,
            ..WalkOptions::default()
        };
        let found = walk(&graph, &[SymId(0)], &options, |s| {
            if s.0 == 1 { 1.0 } else { 0.0 }
        });
        assert!(syms(&found).contains(&4));
        assert_eq!(found.visits.len(), 5);
    }

    #[test]
    fn bounds_hold_and_are_reported() {
        let edges: Vec<(u32, u32)> = (1..100).map(|i| (0, i)).collect();
        let graph = ListGraph::new(100, &edges);
        for mode in [WalkMode::Bfs, WalkMode::Dfs] {
            let few = WalkOptions {
                mode,
                max_nodes: 10,
                ..WalkOptions::default()
            };
            let found = walk(&graph, &[SymId(0)], &few, |_| 0.0);
            assert!(found.limited && found.visits.len() == 10, "{mode:?}");
            let short = WalkOptions {
                mode,
                max_edges: 5,
                ..WalkOptions::default()
            };
            let found = walk(&graph, &[SymId(0)], &short, |_| 0.0);
            assert!(found.limited && found.visits.len() <= 6, "{mode:?}");
        }
    }
}

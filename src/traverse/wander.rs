//! A random walk with restart round a few weighted nodes: who is well connected to all of them together.
//!
//! Where it sits: beside [`super::walk`](mod@super::walk), which counts hops; used where a ranking wants a weak word from the
//! graph. A step goes along an edge either way, with the weight of its relation; what many lead to is worth less the more
//! they are (its in-degree to the power [`HUB`]), so that hubs do not swallow the walk.
//!
//! Invariants: shares are counted in whole numbers, whose sums do not depend on the order in which edges are stored; at
//! most [`WanderOptions::max_nodes`] nodes are walked through, and none with more than [`WanderOptions::max_row`] edges.

use rustc_hash::FxHashMap;

use crate::ids::SymId;
use crate::model::label::Relation;
use crate::traverse::adjacency::Adjacency;
use crate::traverse::walk::weight;

/// How much in-degree dampens.
const HUB: f64 = 0.3;
/// Weight of a step against an edge's direction.
const BACK: f64 = 0.7;
/// All shares together.
const WHOLE: u64 = 1 << 40;
/// Smaller shares are not passed on.
const LEAST: u64 = WHOLE >> 17;
/// One, for weights of edges.
const UNIT: f64 = 65_536.0;

/// How a walk goes.
#[derive(Clone, Copy, Debug)]
pub struct WanderOptions {
    /// Steps.
    pub steps: usize,
    /// Chance, at each step, of starting anew.
    pub restart: f64,
    /// Most nodes that are walked through.
    pub max_nodes: usize,
    /// Nodes with more edges keep what reaches them.
    pub max_row: usize,
}

impl Default for WanderOptions {
    fn default() -> Self {
        Self {
            steps: 6,
            restart: 0.4,
            max_nodes: 3000,
            max_row: 500,
        }
    }
}

/// Whether a walk takes edges of this relation: those that only say where something stands lead everywhere.
fn is_taken(relation: Relation) -> bool {
    !matches!(
        relation,
        Relation::CONTAINS
            | Relation::IMPORTS
            | Relation::IMPORTS_FROM
            | Relation::RE_EXPORTS
            | Relation::DYNAMIC_IMPORT
            | Relation::DEPENDS_ON
    )
}

/// The nodes that a walk from `seeds` reaches, each with its share of the largest, in order of id.
pub fn wander<G: Adjacency>(
    graph: &G,
    seeds: &[(SymId, f64)],
    options: &WanderOptions,
) -> Vec<(SymId, f64)> {
    let sum: f64 = seeds.iter().map(|(_, w)| w.max(0.0)).sum();
    if sum <= 0.0 {
        return Vec::new();
    }
    let restart = options.restart.clamp(0.0, 1.0);
    let mut start: FxHashMap<SymId, u64> = FxHashMap::default();
    for (sym, weight) in seeds {
        *start.entry(*sym).or_insert(0) += (weight.max(0.0) / sum * WHOLE as f64) as u64;
    }
    let mut state = State {
        graph,
        options,
        rows: FxHashMap::default(),
        degrees: FxHashMap::default(),
    };
    let part = |mass: u64, share: f64| (mass as f64 * share) as u64;
    let mut mass = start.clone();
    for _ in 0..options.steps {
        let mut next: FxHashMap<SymId, u64> = FxHashMap::default();
        for (sym, own) in &start {
            *next.entry(*sym).or_insert(0) += part(*own, restart);
        }
        let mut order: Vec<(SymId, u64)> = mass.into_iter().filter(|(_, m)| *m >= LEAST).collect();
        if state.rows.len() + order.len() > options.max_nodes {
            // Which rows are read before the bound is met must not depend on ids.
            let key = |(sym, m): &(SymId, u64)| {
                let (file, line) = graph.place(*sym);
                (std::cmp::Reverse(*m), file.to_string(), line)
            };
            order.sort_by_cached_key(key);
        }
        for (sym, own) in order {
            let going = part(own, 1.0 - restart);
            let row = state.row(sym);
            let total: u64 = row.iter().map(|(_, w)| u64::from(*w)).sum();
            for (to, weight) in row {
                let share = u128::from(going) * u128::from(*weight) / u128::from(total.max(1));
                *next.entry(*to).or_insert(0) += share as u64;
            }
        }
        mass = next;
    }
    let largest = mass.values().copied().max().unwrap_or(1).max(1);
    let mut shares: Vec<(SymId, f64)> = mass
        .into_iter()
        .map(|(sym, m)| (sym, m as f64 / largest as f64))
        .collect();
    shares.sort_unstable_by_key(|(sym, _)| *sym);
    shares
}

struct State<'a, G> {
    graph: &'a G,
    options: &'a WanderOptions,
    rows: FxHashMap<SymId, Vec<(SymId, u32)>>,
    degrees: FxHashMap<SymId, f64>,
}

impl<G: Adjacency> State<'_, G> {
    /// The neighbours of a node with the weights of the steps to them.
    fn row(&mut self, sym: SymId) -> &[(SymId, u32)] {
        if !self.rows.contains_key(&sym) {
            let row = self.read(sym);
            self.rows.insert(sym, row);
        }
        self.rows.get(&sym).map_or(&[], Vec::as_slice)
    }

    fn read(&mut self, sym: SymId) -> Vec<(SymId, u32)> {
        if self.rows.len() >= self.options.max_nodes
            || self.graph.degree(sym) > self.options.max_row
        {
            return Vec::new();
        }
        let mut steps: Vec<(SymId, Relation, bool)> = Vec::new();
        self.graph
            .for_each_out(sym, |to, relation| steps.push((to, relation, true)));
        self.graph
            .for_each_in(sym, |from, relation| steps.push((from, relation, false)));
        steps.retain(|(to, relation, _)| *to != sym && is_taken(*relation));
        // Calling something twice is no nearer than once.
        steps.sort_unstable_by_key(|(to, relation, out)| (*to, relation.0, *out));
        steps.dedup();
        let own = self.damping(sym);
        let mut row = Vec::with_capacity(steps.len());
        for (to, relation, out) in steps {
            if !self.graph.is_walkable(to) {
                continue;
            }
            let step = if out {
                weight(relation) * self.damping(to)
            } else {
                BACK * weight(relation) * own
            };
            row.push((to, (step * UNIT) as u32));
        }
        row
    }

    fn damping(&mut self, sym: SymId) -> f64 {
        let graph = self.graph;
        *self.degrees.entry(sym).or_insert_with(|| {
            let mut count = 0u32;
            graph.for_each_in(sym, |_, relation| count += u32::from(is_taken(relation)));
            1.0 / f64::from(count.max(1)).powf(HUB)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::traverse::adjacency::model::ListGraph;

    fn share(found: &[(SymId, f64)], sym: u32) -> f64 {
        found
            .iter()
            .find(|(s, _)| s.0 == sym)
            .map_or(0.0, |(_, share)| *share)
    }

    #[test]
    fn what_hangs_on_several_seeds_is_worth_more() {
        let graph = ListGraph::new(6, &[(0, 2), (1, 2), (1, 3), (3, 4), (5, 4)]);
        let seeds = [(SymId(0), 1.0), (SymId(1), 1.0)];
        let found = wander(&graph, &seeds, &WanderOptions::default());
        assert!(share(&found, 2) > share(&found, 3));
        assert!(share(&found, 3) > share(&found, 4));
        assert!(found.iter().all(|(_, s)| (0.0..=1.0).contains(s)));
        assert!(wander(&graph, &[], &WanderOptions::default()).is_empty());
    }

    #[test]
    fn hubs_keep_what_reaches_them() {
        let edges: Vec<(u32, u32)> = (1..200).map(|i| (i, 0)).collect();
        let graph = ListGraph::new(200, &edges);
        let options = WanderOptions {
            max_row: 100,
            ..WanderOptions::default()
        };
        let found = wander(&graph, &[(SymId(5), 1.0)], &options);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}

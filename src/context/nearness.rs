//! How near everything is to the entries: a random walk with restart.
//!
//! Where it sits: over the edges of `snapshot`, on the level of nodes; its mass is then summed by unit. The walk goes both
//! ways and is damped at hubs: two hops reach two thirds of what a change touches, and most of what two hops reach leads
//! through symbols that everybody uses. Invariants: at most [`MAX_NODES`] nodes carry mass and at most [`MAX_ROW`] edges
//! of one node are read; what the walk yields does not depend on ids beyond the last digits, which ranking rounds away.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::context::units::unit_of;
use crate::ids::SymId;
use crate::model::label::Relation;
use crate::snapshot::Snapshot;

/// Chance of starting anew at each step.
const RESTART: f64 = 0.4;
/// Steps.
const STEPS: usize = 6;
/// Exponent of the damping by the number of edges that lead to a node.
const DAMPING: f64 = 0.3;
/// Factor of steps against the direction of an edge.
const BACKWARD: f64 = 0.7;
/// Nodes with more edges pass nothing on.
const MAX_ROW: usize = 2000;
/// Most nodes that carry mass.
const MAX_NODES: usize = 4000;
/// Less mass is dropped.
const LEAST: f64 = 1e-7;

type Row = Rc<[(SymId, f64)]>;

/// The mass of units after the walk, those of `restart` (with their shares) included.
pub(crate) fn nearness(snapshot: &Snapshot, restart: &[(SymId, f64)]) -> FxHashMap<SymId, f64> {
    let total: f64 = restart.iter().map(|(_, share)| share).sum();
    let mut units = FxHashMap::default();
    if total <= 0.0 {
        return units;
    }
    let start: Vec<(SymId, f64)> = restart.iter().map(|(s, w)| (*s, w / total)).collect();
    let mut rows: FxHashMap<SymId, Row> = FxHashMap::default();
    let mut mass = start.clone();
    for _ in 0..STEPS {
        let mut next: FxHashMap<SymId, f64> = FxHashMap::default();
        for (sym, share) in &start {
            *next.entry(*sym).or_insert(0.0) += RESTART * share;
        }
        for (sym, share) in &mass {
            let row = rows
                .entry(*sym)
                .or_insert_with(|| row(snapshot, *sym))
                .clone();
            for (to, chance) in row.iter() {
                *next.entry(*to).or_insert(0.0) += (1.0 - RESTART) * share * chance;
            }
        }
        mass = next.into_iter().filter(|(_, m)| *m >= LEAST).collect();
        mass.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        mass.truncate(MAX_NODES);
    }
    for (sym, share) in mass {
        if let Some(unit) = unit_of(snapshot, sym) {
            *units.entry(unit).or_insert(0.0) += share;
        }
    }
    units
}

/// Where a step from a node leads, with what chance.
fn row(snapshot: &Snapshot, sym: SymId) -> Row {
    if snapshot.degree(sym) > MAX_ROW {
        return Rc::from([]);
    }
    let mut sums: FxHashMap<SymId, (f64, f64)> = FxHashMap::default();
    for edge in snapshot.out_row(sym).iter() {
        let weight = step(edge.label.relation);
        if weight > 0.0 {
            let sum = sums.entry(edge.target).or_insert((0.0, 0.0));
            *sum = (sum.0.max(weight), sum.1 + 1.0);
        }
    }
    for (source, relation) in snapshot.in_neighbors(sym) {
        let weight = step(relation) * BACKWARD;
        if weight > 0.0 {
            let sum = sums.entry(source).or_insert((0.0, 0.0));
            *sum = (sum.0.max(weight), sum.1 + 1.0);
        }
    }
    sums.remove(&sym);
    let mut row: Vec<(SymId, f64)> = sums
        .into_iter()
        .filter(|(to, _)| snapshot.node(*to).is_some_and(|n| !n.is_placeholder()))
        .map(|(to, (weight, sites))| {
            let hub = (1.0 + snapshot.in_degree(to) as f64).powf(DAMPING);
            (to, weight * (1.0 + 0.3 * sites.ln()) / hub)
        })
        .collect();
    row.sort_by_key(|(to, _)| *to);
    let total: f64 = row.iter().map(|(_, w)| w).sum();
    if total > 0.0 {
        row.iter_mut().for_each(|(_, w)| *w /= total);
    }
    Rc::from(row)
}

/// How much a step along a relation weighs.
fn step(relation: Relation) -> f64 {
    match relation {
        Relation::CALLS | Relation::INDIRECT_CALL => 1.0,
        Relation::DISPATCHES_TO | Relation::OVERRIDES => 0.9,
        Relation::INHERITS | Relation::IMPLEMENTS | Relation::EMBEDS | Relation::MIXES_IN => 0.9,
        Relation::REFERENCES => 0.8,
        Relation::METHOD | Relation::DEFINES | Relation::CASE_OF | Relation::DECLARES => 0.3,
        Relation::CONTAINS => 0.1,
        Relation::IMPORTS | Relation::DYNAMIC_IMPORT | Relation::RE_EXPORTS => 0.15,
        Relation::IMPORTS_FROM => 0.05,
        Relation::DEPENDS_ON | Relation::READS_ENV | Relation::CITES => 0.0,
        _ => 0.5,
    }
}

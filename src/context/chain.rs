//! The chain: which units are how many hops from the entries, and by which edge one comes to them.
//!
//! Where it sits: over `snapshot`, on the level of units; explains pieces and keeps them connected. Level by level, every
//! unit is given to the parent whose edge weighs most, so that calls win over types and near files over far ones. Invariants:
//! a unit is reached once, at its fewest hops (cycles end); at most [`MAX_UNITS`] units are reached; hubs are reached but
//! not walked through backwards; the order does not depend on ids.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::links;
use crate::context::units::{members, unit_of};
use crate::ids::SymId;
use crate::model::edge::EdgeLabel;
use crate::model::label::{NodeKind, Relation};
use crate::model::node::NodeFlags;
use crate::snapshot::Snapshot;

/// Most units of a chain.
const MAX_UNITS: usize = 3000;
/// Incoming edges of a unit that are looked at; those with more are not walked through backwards, except from the entry.
const MAX_INCOMING: usize = 300;
/// The same at an entry.
const MAX_INCOMING_AT_ENTRY: usize = 3000;
/// Weight of test code.
const TEST: f64 = 0.2;

/// By which edge a unit was reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The unit that it was reached from.
    pub(crate) parent: SymId,
    pub(crate) label: EdgeLabel,
    /// Whether the edge leads from the parent to the unit.
    pub(crate) forward: bool,
}

/// A unit of the chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub(crate) sym: SymId,
    /// Edges on the way.
    pub(crate) hops: u32,
    /// Calls among them: what depth counts. Values and types that are used, and what a value is made of, decide what the
    /// code before them does and count as part of it.
    pub(crate) calls: u32,
    /// Whether all edges on the way were followed along their arrows.
    pub(crate) forward: bool,
    pub(crate) link: Option<Link>,
}

/// Where a chain starts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roots {
    /// The entries.
    pub(crate) entries: Vec<SymId>,
    /// What an entry names now that the index does not know of yet; one call away.
    pub(crate) named: Vec<SymId>,
    /// Edges that an entry no longer has: entry and target.
    pub(crate) dropped: FxHashSet<(SymId, SymId)>,
}

/// All units that were reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// In order of hops, the strongest link first.
    pub(crate) order: Vec<Reached>,
    places: FxHashMap<SymId, usize>,
    /// Environment variables that were met: name, file and line of the site, by unit.
    pub(crate) environment: Vec<(SymId, String, String)>,
}

impl Chain {
    pub(crate) fn get(&self, sym: SymId) -> Option<&Reached> {
        self.order.get(*self.places.get(&sym)?)
    }
}

struct Offer<'a> {
    sym: SymId,
    weight: f64,
    link: Link,
    place: (&'a str, u32),
}

/// Follows edges from the roots for `depth` hops.
pub(crate) fn follow(
    snapshot: &Snapshot,
    roots: &Roots,
    depth: u32,
    same_file_weight: f64,
) -> Chain {
    let mut chain = Chain::default();
    let entries = roots.entries.iter().map(|sym| (*sym, 0));
    for (sym, hops) in entries.chain(roots.named.iter().map(|sym| (*sym, 1))) {
        if !chain.places.contains_key(&sym) {
            chain.places.insert(sym, chain.order.len());
            chain.order.push(Reached {
                sym,
                hops,
                calls: hops,
                forward: true,
                link: None,
            });
        }
    }
    let mut imports: FxHashMap<&str, FxHashSet<SymId>> = FxHashMap::default();
    let mut level = 0..chain.order.len();
    for hops in 0..=depth {
        let mut offers: FxHashMap<SymId, Offer<'_>> = FxHashMap::default();
        let units: Vec<SymId> = chain
            .order
            .get(level.clone())
            .unwrap_or_default()
            .iter()
            .map(|r| r.sym)
            .collect();
        for unit in units {
            let Some(own) = snapshot.node(unit) else {
                continue;
            };
            let own_file = own.file().unwrap_or_default();
            let imported = imports
                .entry(own_file)
                .or_insert_with(|| imported_files(snapshot, own_file));
            let mut offer =
                |node: SymId, label: EdgeLabel, forward: bool, seen: &FxHashMap<SymId, usize>| {
                    let base = links::weight(label);
                    let Some(sym) = (base > 0.0).then(|| unit_of(snapshot, node)).flatten() else {
                        return;
                    };
                    let dropped = forward && roots.dropped.contains(&(unit, sym));
                    if sym == unit || dropped || seen.contains_key(&sym) {
                        return;
                    }
                    let Some(view) = snapshot.node(sym) else {
                        return;
                    };
                    let file = view.file().unwrap_or_default();
                    let near = if file == own_file {
                        same_file_weight
                    } else if snapshot
                        .file(file)
                        .and_then(|f| f.sym())
                        .is_some_and(|f| imported.contains(&f))
                    {
                        links::IMPORTED
                    } else {
                        1.0
                    };
                    let back = if forward { 1.0 } else { links::BACKWARD };
                    let test = if view.flags().has(NodeFlags::TEST) {
                        TEST
                    } else {
                        1.0
                    };
                    let weight = base * near * back * test;
                    let link = Link {
                        parent: unit,
                        label,
                        forward,
                    };
                    let place = (file, view.span().start_line);
                    let best = offers.entry(sym).or_insert(Offer {
                        sym,
                        weight,
                        link,
                        place,
                    });
                    if weight > best.weight {
                        *best = Offer {
                            sym,
                            weight,
                            link,
                            place,
                        };
                    }
                };
            let limit = if hops == 0 {
                MAX_INCOMING_AT_ENTRY
            } else {
                MAX_INCOMING
            };
            for member in members(snapshot, unit) {
                for edge in snapshot.out_edges(member) {
                    if edge.label.relation == Relation::READS_ENV {
                        if let Some(name) = snapshot.node(edge.target).map(|n| n.name().to_string())
                        {
                            let site = format!("{own_file}:L{}", edge.label.line);
                            chain.environment.push((unit, name, site));
                        }
                        continue;
                    }
                    offer(edge.target, edge.label, true, &chain.places);
                }
                if snapshot.in_degree(member) <= limit {
                    for edge in snapshot.in_edges(member) {
                        offer(edge.source, edge.label, false, &chain.places);
                    }
                }
            }
        }
        if hops == depth {
            break;
        }
        let mut next: Vec<Offer<'_>> = offers.into_values().collect();
        next.sort_by(|a, b| {
            b.weight
                .total_cmp(&a.weight)
                .then(a.place.cmp(&b.place))
                .then(a.sym.cmp(&b.sym))
        });
        next.truncate(MAX_UNITS.saturating_sub(chain.order.len()));
        if next.is_empty() {
            break;
        }
        level = chain.order.len()..chain.order.len() + next.len();
        for offer in next {
            chain.places.insert(offer.sym, chain.order.len());
            let parent = chain.get(offer.link.parent).copied();
            let from_value = snapshot
                .node(offer.link.parent)
                .is_some_and(|n| matches!(n.kind(), NodeKind::CONSTANT | NodeKind::VARIABLE));
            let free =
                offer.link.forward && (from_value || links::is_part(offer.link.label.relation));
            chain.order.push(Reached {
                sym: offer.sym,
                hops: parent.map_or(hops, |p| p.hops) + 1,
                calls: parent.map_or(hops, |p| p.calls) + u32::from(!free),
                forward: parent.is_none_or(|p| p.forward) && offer.link.forward,
                link: Some(offer.link),
            });
        }
    }
    chain
}

/// The files that a file imports, as their symbols.
fn imported_files(snapshot: &Snapshot, file: &str) -> FxHashSet<SymId> {
    let sym = snapshot.file(file).and_then(|f| f.sym());
    let edges = sym.into_iter().flat_map(|s| snapshot.out_edges(s));
    edges
        .filter(|e| e.label.relation == Relation::IMPORTS_FROM)
        .map(|e| e.target)
        .collect()
}

//! What depends on a symbol, a file, or a set of changed lines.
//!
//! Where it sits: under the `affected` command. The seeds are what was named with all its members, or the symbols whose
//! lines were changed; the walk is [`crate::traverse::impact`]. Each dependent carries the edge by which it was reached.
//! Test code stands apart: it says what covers the seeds.
//!
//! Invariants: every dependent is listed once, at its smallest number of hops; the order is that of hops and places, never of
//! ids; the totals count everything, whatever a budget leaves of the list; how far callers could be missing is said.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::answer::card::NodeCard;
use crate::answer::changes::ChangeReport;
use crate::answer::completeness::Completeness;
use crate::answer::relations;
use crate::error::Result;
use crate::ids::SymId;
use crate::model::label::{Labels, NodeKind, Relation};
use crate::model::node::NodeFlags;
use crate::snapshot::{EdgeView, NodeView, Snapshot};
use crate::traverse::RelationMask;
use crate::traverse::impact::{DEPENDENCIES, Impact, ImpactOptions, impact_with};
use crate::traverse::path::hop_cost;

/// Hops that are followed if the caller does not say.
pub const DEPTH: u32 = 3;
/// Most seeds that are listed.
const MAX_SEEDS: usize = 200;
/// Relations of other programs' graphs along which a change is felt.
const FOREIGN: [&str; 8] = [
    "uses",
    "extends",
    "requires",
    "instantiates",
    "specializes",
    "includes",
    "uses_component",
    "invokes",
];

/// What is asked beside the seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffectedRequest {
    /// Most hops.
    pub depth: u32,
    /// Only along these relations; along all that carry a dependency if there are none.
    pub relations: Vec<String>,
}

impl Default for AffectedRequest {
    fn default() -> Self {
        Self {
            depth: DEPTH,
            relations: Vec::new(),
        }
    }
}

/// The edge by which a dependent was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Via {
    /// What it states.
    pub relation: String,
    /// How sure it is.
    pub confidence: String,
    /// Key of what the dependent depends on.
    pub id: String,
    /// How answers print that.
    pub label: String,
    /// Line of the site in the dependent's file; 0 where there is none.
    pub line: u32,
}

/// One node that depends on the seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Dependent {
    /// The node.
    #[serde(flatten)]
    pub card: NodeCard,
    /// Hops from the seeds.
    pub hops: u32,
    /// By which edge.
    pub via: Via,
}

/// How many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AffectedTotals {
    /// Dependents that are no tests.
    pub nodes: usize,
    /// Files that these stand in.
    pub files: usize,
    /// Dependents that are tests.
    pub tests: usize,
    /// Files that these stand in.
    pub test_files: usize,
    /// Dependents, tests included, at one hop, two hops …
    pub by_hop: Vec<usize>,
}

/// What depends on the seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AffectedAnswer {
    /// What was named, or the changed symbols.
    pub seeds: Vec<NodeCard>,
    /// How many seeds there are, those that are not listed included.
    pub seeds_total: usize,
    /// How the hit came about when it is not exactly what was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub announced: Option<String>,
    /// The changes that the seeds stem from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangeReport>,
    /// Along which relations.
    pub relations: Vec<String>,
    /// Most hops.
    pub depth: u32,
    /// How many there are.
    pub totals: AffectedTotals,
    /// Whether callers of the seeds may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completeness: Option<Completeness>,
    /// Whether callers of the dependents may be missing, so that there may be more at two and more hops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further: Option<Completeness>,
    /// Whether a bound kept some dependents from being found.
    pub limited: bool,
    /// Remarks that the caller adds.
    pub notes: Vec<String>,
    /// The dependents: by hops, then by place; tests last.
    #[serde(skip)]
    pub dependents: Vec<Dependent>,
}

/// What depends on one symbol with its members, or on one file with everything in it.
///
/// # Errors
/// [`crate::error::ErrorKind::Invalid`] for a relation that the index does not know,
/// [`crate::error::ErrorKind::Corrupt`] for damaged tables.
pub fn affected(
    snapshot: &Snapshot,
    sym: SymId,
    request: &AffectedRequest,
) -> Result<AffectedAnswer> {
    let seeds = with_members(snapshot, sym);
    gather(snapshot, &[sym], &seeds, request)
}

/// What depends on symbols whose lines were changed.
///
/// # Errors
/// As [`affected`].
pub fn affected_by(
    snapshot: &Snapshot,
    touched: &[SymId],
    request: &AffectedRequest,
) -> Result<AffectedAnswer> {
    let mut seeds = touched.to_vec();
    seeds.extend(touched.iter().filter_map(|s| constructed(snapshot, *s)));
    gather(snapshot, touched, &seeds, request)
}

fn gather(
    snapshot: &Snapshot,
    named: &[SymId],
    seeds: &[SymId],
    request: &AffectedRequest,
) -> Result<AffectedAnswer> {
    let labels = snapshot.labels();
    let mask = if request.relations.is_empty() {
        dependencies(labels)
    } else {
        // Dispatch is no relation of its own here: it is how a call finds what it runs.
        relations::mask(&request.relations, labels)?.with(Relation::DISPATCHES_TO)
    };
    let is_file = |s: &SymId| snapshot.node(*s).is_some_and(|n| n.is_unit());
    let options = ImpactOptions {
        relations: mask,
        depth: request.depth,
        through_imports: named.iter().any(is_file),
        ..ImpactOptions::default()
    };
    let also = whole_file_users(snapshot, seeds, &mask);
    let impact = impact_with(snapshot, seeds, &also, &options);
    let mut answer = AffectedAnswer {
        seeds: named
            .iter()
            .take(MAX_SEEDS)
            .map(|s| NodeCard::of(snapshot, *s))
            .collect(),
        seeds_total: named.len(),
        relations: shown_relations(&mask, labels),
        depth: request.depth,
        limited: impact.limited,
        completeness: Completeness::of(snapshot, seeds)?,
        ..AffectedAnswer::default()
    };
    let farther: Vec<SymId> = impact
        .dependents
        .iter()
        .filter(|(_, h)| *h < request.depth)
        .map(|(s, _)| *s)
        .collect();
    answer.further = Completeness::of(snapshot, &farther)?.filter(|c| c.unresolved > 0);
    answer.dependents = dependents(snapshot, seeds, &also, &impact, &mask);
    answer.totals = totals(&answer.dependents);
    Ok(answer)
}

/// The relations along which a change is felt, those included that an imported graph names differently.
fn dependencies(labels: &Labels) -> RelationMask {
    let foreign = FOREIGN.iter().filter_map(|n| Relation::find(n, labels));
    foreign.fold(RelationMask::of(DEPENDENCIES), RelationMask::with)
}

fn shown_relations(mask: &RelationMask, labels: &Labels) -> Vec<String> {
    let own = labels.relations.iter().map(String::as_str);
    let built_in = Relation::BUILT_IN.iter().map(|(_, n)| *n);
    let known = built_in
        .chain(own)
        .filter(|n| Relation::find(n, labels).is_some_and(|r| mask.has(r)));
    known.map(str::to_string).collect()
}

/// A node with everything that it holds.
fn with_members(snapshot: &Snapshot, sym: SymId) -> Vec<SymId> {
    let mut seeds = vec![sym];
    let node = snapshot.node(sym);
    let file = node.and_then(|n| n.file()).and_then(|f| snapshot.file(f));
    let mut held: FxHashSet<SymId> = FxHashSet::from_iter([sym]);
    for member in file.iter().flat_map(|f| f.nodes()) {
        if member.parent().is_some_and(|p| held.contains(&p.sym())) && held.insert(member.sym()) {
            seeds.push(member.sym());
        }
    }
    seeds.extend(constructed(snapshot, sym));
    seeds
}

/// The class that a constructor makes: whoever constructs it names the class.
fn constructed(snapshot: &Snapshot, sym: SymId) -> Option<SymId> {
    let node = snapshot.node(sym)?;
    if node.kind() != NodeKind::CONSTRUCTOR {
        return None;
    }
    node.parent().filter(|p| !p.is_unit()).map(|p| p.sym())
}

/// Who takes the whole file of an exported seed: what hands everything on, and what loads it when it runs. Nothing says
/// which of the exports these use.
fn whole_file_users(
    snapshot: &Snapshot,
    seeds: &[SymId],
    mask: &RelationMask,
) -> Vec<(SymId, bool)> {
    let mut users: Vec<(SymId, bool)> = Vec::new();
    let mut files: Vec<&str> = Vec::new();
    for seed in seeds {
        let Some(node) = snapshot.node(*seed).filter(|n| !n.is_unit()) else {
            continue;
        };
        let top = outermost(node);
        if let Some(file) = node.file().filter(|_| top.flags().has(NodeFlags::EXPORTED)) {
            files.push(file);
        }
    }
    files.sort_unstable();
    files.dedup();
    for sym in files
        .iter()
        .filter_map(|f| snapshot.file(f).and_then(|f| f.sym()))
    {
        for (source, relation) in snapshot.in_neighbors(sym) {
            let whole = matches!(relation, Relation::DYNAMIC_IMPORT | Relation::RE_EXPORTS);
            if whole && mask.has(relation) {
                users.push((source, relation == Relation::DYNAMIC_IMPORT));
            }
        }
    }
    users.sort_unstable();
    users.dedup();
    users
}

fn outermost(node: NodeView<'_>) -> NodeView<'_> {
    let mut at = node;
    while let Some(parent) = at.parent().filter(|p| !p.is_unit()) {
        at = parent;
    }
    at
}

fn dependents(
    snapshot: &Snapshot,
    seeds: &[SymId],
    also: &[(SymId, bool)],
    impact: &Impact,
    mask: &RelationMask,
) -> Vec<Dependent> {
    let mut hops: FxHashMap<SymId, u32> = FxHashMap::default();
    hops.extend(impact.stones.iter().copied());
    hops.extend(impact.dependents.iter().copied());
    hops.extend(seeds.iter().map(|s| (*s, 0)));
    // Files of the seeds, for whoever takes a whole file.
    let files: FxHashSet<SymId> = seeds
        .iter()
        .filter_map(|s| snapshot.file(snapshot.node(*s)?.file()?)?.sym())
        .collect();
    let make = |(sym, hop): &(SymId, u32)| {
        let nearer = |e: &EdgeView| {
            let known = hops.get(&e.target).is_some_and(|h| h + 1 == *hop);
            mask.has(e.label.relation) && e.label.relation != Relation::DISPATCHES_TO && known
        };
        let by_edge = snapshot.out_edges(*sym).filter(nearer);
        let mut edge = by_edge.min_by_key(|e| (hop_cost(e.label.relation, true), e.label));
        if edge.is_none() && also.iter().any(|(s, _)| s == sym) {
            let whole = |e: &EdgeView| {
                let relation = e.label.relation;
                let takes = matches!(relation, Relation::DYNAMIC_IMPORT | Relation::RE_EXPORTS);
                takes && files.contains(&e.target)
            };
            edge = snapshot.out_edges(*sym).find(whole);
        }
        let via = edge.map(|e| {
            let target = snapshot.node(e.target);
            Via {
                relation: e.label.relation.name(snapshot.labels()),
                confidence: e.label.confidence.as_str().to_string(),
                id: target.map(|n| n.key()).unwrap_or_default(),
                label: target.map(|n| n.label()).unwrap_or_default(),
                line: e.label.line,
            }
        });
        Dependent {
            card: NodeCard::of(snapshot, *sym),
            hops: *hop,
            via: via.unwrap_or_default(),
        }
    };
    let mut list: Vec<Dependent> = impact.dependents.iter().map(make).collect();
    list.sort_by(|a, b| {
        let key = |d: &Dependent| (d.card.test, d.hops);
        let place = |d: &Dependent| (d.card.line, d.card.end_line);
        key(a)
            .cmp(&key(b))
            .then_with(|| a.card.file.cmp(&b.card.file))
            .then_with(|| place(a).cmp(&place(b)))
            .then_with(|| a.card.id.cmp(&b.card.id))
    });
    list
}

fn totals(dependents: &[Dependent]) -> AffectedTotals {
    let files = |test: bool| {
        let of = dependents.iter().filter(|d| d.card.test == test);
        let files: FxHashSet<&str> = of.map(|d| d.card.file.as_str()).collect();
        files.len()
    };
    let tests = dependents.iter().filter(|d| d.card.test).count();
    let deepest = dependents.iter().map(|d| d.hops).max().unwrap_or_default();
    let at = |hop| dependents.iter().filter(|d| d.hops == hop).count();
    AffectedTotals {
        nodes: dependents.len() - tests,
        files: files(false),
        tests,
        test_files: files(true),
        by_hop: (1..=deepest).map(at).collect(),
    }
}

#[cfg(test)]
#[path = "affected_tests.rs"]
mod tests;

//! The order of what a walk found.
//!
//! Where it sits: between the walk and the answer of a query. Seeds come first, in their own order. Outwards, every other
//! node is worth its closeness plus [`RELEVANCE`] × the share of the question's words that its name carries; test code and
//! whole files are worth less. Along chains (depth first) the order of discovery stays: the chain is the answer. Ties go to
//! fewer hops, then to the higher degree, then by place. Invariant: no tie is broken by an id.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::SymId;
use crate::model::label::{Context, Relation};
use crate::search::fold;
use crate::search::query::{Question, Role};
use crate::search::score::Scores;
use crate::search::seeds::Seed;
use crate::search::text::{Roles, TextHit, params};
use crate::snapshot::Snapshot;
use crate::traverse::walk::Visit;
use crate::traverse::wander::{WanderOptions, wander};
use crate::traverse::{RelationMask, SnapshotGraph};

/// What a name that carries all words of the question adds; a direct callee of a seed has about half of that.
const RELEVANCE: f64 = 0.6;
/// Factor for nodes that stand for a whole file: their symbols say more.
const FILE: f64 = 0.6;
/// Most nodes that their texts bring into an answer.
const MAX_RANKED: usize = 500;
/// A score below this share of the best one does not bring a node into an answer.
const LEAST: f64 = 0.03;

/// The relations that hinted contexts speak of.
pub(crate) fn hinted(hints: &[Context]) -> RelationMask {
    let mut mask = RelationMask::NONE;
    for hint in hints {
        let relations: &[Relation] = match *hint {
            Context::CALL => &[Relation::CALLS, Relation::INDIRECT_CALL],
            Context::IMPORT => &[
                Relation::IMPORTS,
                Relation::IMPORTS_FROM,
                Relation::DYNAMIC_IMPORT,
                Relation::RE_EXPORTS,
            ],
            Context::FIELD => &[Relation::DEFINES, Relation::REFERENCES],
            _ => &[Relation::REFERENCES],
        };
        mask = relations.iter().fold(mask, |m, r| m.with(*r));
    }
    mask
}

/// The visits of a walk in the order in which an answer shows them; the first `seeds` stay.
pub(crate) fn rank(
    snapshot: &Snapshot,
    scores: &Scores,
    visits: &[Visit],
    seeds: usize,
    in_chains: bool,
    with_tests: bool,
) -> Vec<Visit> {
    if in_chains {
        return visits.to_vec();
    }
    let (first, rest) = visits.split_at(seeds.min(visits.len()));
    let mut roles = Roles::new(snapshot, with_tests);
    let mut ranked: Vec<Ranked<'_>> = rest
        .iter()
        .map(|v| Ranked::new(snapshot, scores, *v, &mut roles))
        .collect();
    ranked.sort_by(|a, b| {
        let by_worth = b
            .worth
            .total_cmp(&a.worth)
            .then(a.visit.hops.cmp(&b.visit.hops));
        by_worth
            .then(b.degree.cmp(&a.degree))
            .then_with(|| (a.file, a.line, a.name).cmp(&(b.file, b.line, b.name)))
            .then(a.visit.sym.cmp(&b.visit.sym))
    });
    first
        .iter()
        .copied()
        .chain(ranked.into_iter().map(|r| r.visit))
        .collect()
}

/// The nodes of an answer led by their texts: text hits, joined by what a walk from the best of them reaches, then the
/// neighbourhood of the seeds as it comes in `visits`.
pub(crate) fn by_text(
    snapshot: &Snapshot,
    question: &Question,
    seeds: &[Seed],
    texts: Vec<TextHit>,
    visits: Vec<(SymId, Option<u32>)>,
    with_tests: bool,
) -> Vec<(SymId, Option<u32>)> {
    let mut roles = Roles::new(snapshot, with_tests);
    let mut scores: FxHashMap<SymId, (f64, f64)> = FxHashMap::default();
    for hit in &texts {
        scores.insert(hit.sym, (f64::from(hit.score), f64::from(hit.role)));
    }
    let mut role_of = |sym: SymId| snapshot.node(sym).map_or(0.0, |n| f64::from(roles.of(&n)));
    for seed in seeds {
        let bonus = bonus(snapshot, question, seed);
        if bonus > 0.0 {
            let slot = scores
                .entry(seed.sym)
                .or_insert_with(|| (0.0, role_of(seed.sym)));
            slot.0 += bonus * slot.1;
        }
    }
    let mut best: Vec<(SymId, f64)> = scores.iter().map(|(sym, (x, _))| (*sym, *x)).collect();
    best.sort_by_cached_key(|(sym, x)| (Reverse(Ordered(*x)), place(snapshot, *sym)));
    best.truncate(params::WALK_SEEDS);
    best.iter_mut().for_each(|(_, x)| *x *= *x);
    let options = WanderOptions {
        steps: params::WALK_STEPS,
        restart: f64::from(params::WALK_RESTART),
        ..WanderOptions::default()
    };
    let graph = SnapshotGraph::new(snapshot);
    for (sym, share) in wander(&graph, &best, &options) {
        let slot = scores.entry(sym).or_insert_with(|| (0.0, role_of(sym)));
        slot.0 += f64::from(params::WALK_SHARE) * share.sqrt() * slot.1;
    }
    let top = scores.values().map(|(x, _)| *x).fold(0.0, f64::max);
    let mut ranked: Vec<(SymId, f64)> = scores
        .into_iter()
        .filter(|(_, (x, _))| *x > 0.0 && *x >= LEAST * top)
        .map(|(sym, (x, _))| (sym, x))
        .collect();
    ranked.sort_by_cached_key(|(sym, x)| (Reverse(Ordered(*x)), place(snapshot, *sym)));
    ranked.truncate(MAX_RANKED);
    let hops: FxHashMap<SymId, Option<u32>> = visits.iter().copied().collect();
    let listed: FxHashSet<SymId> = ranked.iter().map(|(sym, _)| *sym).collect();
    let first = ranked
        .iter()
        .map(|(sym, _)| (*sym, hops.get(sym).copied().flatten()));
    let rest = visits.iter().filter(|(sym, _)| !listed.contains(sym));
    first.chain(rest.copied()).collect()
}

/// What a seed gets for being named: as it is written in the question, by an identifier of code, or by the only word.
fn bonus(snapshot: &Snapshot, question: &Question, seed: &Seed) -> f64 {
    let Some(node) = snapshot.node(seed.sym) else {
        return 0.0;
    };
    let contents = question
        .words
        .iter()
        .filter(|w| w.role != Role::Verb)
        .count();
    if seed.words.is_empty() || (seed.why == "folder" && contents == 1) {
        return f64::from(params::NAMED);
    }
    let words = seed.words.iter().filter_map(|i| question.words.get(*i));
    let exact = words.filter(|word| {
        let identifier = !word.parts.is_empty() || contents == 1;
        identifier && word.text == fold(node.name())
    });
    if exact.count() > 0 {
        f64::from(params::EXACT)
    } else {
        0.0
    }
}

/// How ties are broken.
fn place(snapshot: &Snapshot, sym: SymId) -> (String, u32, String) {
    snapshot.node(sym).map_or_else(Default::default, |n| {
        let file = n.file().unwrap_or_default().to_string();
        (file, n.span().start_line, n.name().to_string())
    })
}

/// A score that can be sorted by.
#[derive(PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

struct Ranked<'a> {
    visit: Visit,
    worth: f64,
    degree: usize,
    file: &'a str,
    line: u32,
    name: &'a str,
}

impl<'a> Ranked<'a> {
    fn new(snapshot: &'a Snapshot, scores: &Scores, visit: Visit, roles: &mut Roles<'_>) -> Self {
        let Some(node) = snapshot.node(visit.sym) else {
            return Self {
                visit,
                worth: 0.0,
                degree: 0,
                file: "",
                line: 0,
                name: "",
            };
        };
        let mut worth = visit.closeness + RELEVANCE * scores.relevance(node.name());
        if node.is_unit() {
            worth *= FILE;
        }
        worth *= f64::from(roles.of(&node));
        Self {
            visit,
            worth,
            degree: snapshot.degree(visit.sym),
            file: node.file().unwrap_or_default(),
            line: node.span().start_line,
            name: node.name(),
        }
    }
}

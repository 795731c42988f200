//! The order of what a walk found.
//!
//! Where it sits: between the walk and the answer of a query. Seeds come first, in their own order. Outwards, every other
//! node is worth its closeness plus [`RELEVANCE`] × the share of the question's words that its name carries; test code and
//! whole files are worth less. Along chains (depth first) the order of discovery stays: the chain is the answer. Ties go to
//! fewer hops, then to the higher degree, then by place. Invariant: no tie is broken by an id.

use crate::model::label::{Context, Relation};
use crate::model::node::NodeFlags;
use crate::search::score::{DEMOTED, Scores};
use crate::snapshot::Snapshot;
use crate::traverse::RelationMask;
use crate::traverse::walk::Visit;

/// What a name that carries all words of the question adds; a direct callee of a seed has about half of that.
const RELEVANCE: f64 = 0.6;
/// Factor for nodes that stand for a whole file: their symbols say more.
const FILE: f64 = 0.6;

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
    let mut ranked: Vec<Ranked<'_>> = rest
        .iter()
        .map(|v| Ranked::new(snapshot, scores, *v, with_tests))
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

struct Ranked<'a> {
    visit: Visit,
    worth: f64,
    degree: usize,
    file: &'a str,
    line: u32,
    name: &'a str,
}

impl<'a> Ranked<'a> {
    fn new(snapshot: &'a Snapshot, scores: &Scores, visit: Visit, with_tests: bool) -> Self {
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
        let flags = node.flags();
        if (flags.has(NodeFlags::TEST) && !with_tests) || flags.has(NodeFlags::GENERATED) {
            worth *= DEMOTED;
        }
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

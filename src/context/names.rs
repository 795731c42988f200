//! Candidates by name: units whose names carry words of the entry and of the question.
//!
//! Where it sits: beside the walk; it reaches what no edge connects (twins in another class, the other side of a protocol).
//! Invariant: bounded by the number of words that are followed and the number of names that each of them has.

use rustc_hash::FxHashMap;

use crate::context::similarity::Query;
use crate::context::units::unit_of;
use crate::error::Result;
use crate::ids::SymId;
use crate::snapshot::Snapshot;

/// Most words that are followed.
const MAX_WORDS: usize = 60;
/// Words that more records have in their names are not followed.
const MAX_NAMED: u64 = 400;

/// Units by the weight of the words in their names, best first, at most `limit`.
pub(crate) fn candidates(snapshot: &Snapshot, query: &Query, limit: usize) -> Result<Vec<SymId>> {
    let total = snapshot.node_count() as f64;
    let weigh = |entry: f64, question: f64, named: u64| {
        let rarity = (1.0 + total / (1.0 + named as f64)).ln();
        rarity * (entry + 3.0 * question)
    };
    let mut words: Vec<(f64, &str)> = query
        .terms
        .iter()
        .filter(|t| t.named > 0 && t.named <= MAX_NAMED)
        .map(|t| (weigh(t.entry, t.question, t.named), t.word.as_str()))
        .collect();
    words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let mut units: FxHashMap<SymId, f64> = FxHashMap::default();
    for (weight, word) in words.into_iter().take(MAX_WORDS) {
        for hit in snapshot.names_with_word(word)? {
            for sym in snapshot.nodes_named(&hit)? {
                if let Some(unit) = unit_of(snapshot, sym) {
                    *units.entry(unit).or_insert(0.0) += weight;
                }
            }
        }
    }
    let mut found: Vec<(f64, &str, u32, SymId)> = units
        .into_iter()
        .filter_map(|(sym, weight)| {
            let node = snapshot.node(sym)?;
            Some((weight, node.file()?, node.span().start_line, sym))
        })
        .collect();
    found.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3)))
    });
    Ok(found.into_iter().take(limit).map(|f| f.3).collect())
}

//! Which units' texts speak of the same things as the entry, and as the question.
//!
//! Where it sits: between the entry and ranking; asks the full-text index. The words of the entry's source as it is now are
//! a query of their own: those that say most, by how often the entry has them and how rare they are. Invariants: bounded by
//! [`WORDS`] words and by what the index returns for them; an index without texts finds nothing alike, and the walk decides.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::units::unit_of;
use crate::error::Result;
use crate::ids::SymId;
use crate::model::fold::for_each_word;
use crate::model::text::{for_each_stem, is_keyword};
use crate::search::query::Question;
use crate::search::text::{TextHit, TextOptions, TextQuery, score};
use crate::snapshot::Snapshot;

/// Most words of an entry that are looked for.
const WORDS: usize = 48;
/// Most words that explain a likeness.
const SHARED: usize = 3;

/// How alike a unit is, 1 for the most similar one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Similarity {
    pub(crate) entry: f64,
    pub(crate) question: f64,
}

/// The likeness of units, and the words that it comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alike {
    /// Units by likeness to the entry and to the question, best first.
    pub(crate) by_entry: Vec<(SymId, f64)>,
    pub(crate) by_question: Vec<(SymId, f64)>,
    entry_words: Vec<String>,
    question_words: Vec<String>,
    of: FxHashMap<SymId, Similarity>,
}

impl Alike {
    /// Looks up an entry's source and a question.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for damaged dictionaries.
    pub(crate) fn find(
        snapshot: &Snapshot,
        entry: &str,
        question: &Question,
        with_tests: bool,
    ) -> Result<Self> {
        let options = TextOptions { with_tests };
        let mut alike = Self::default();
        let words = telling(snapshot, entry)?;
        let weighed = words.iter().map(|(word, weight)| (word.as_str(), *weight));
        let query = TextQuery::new(snapshot, weighed)?;
        alike.by_entry = by_unit(snapshot, &score(snapshot, &query, options)?, |hit| hit.own);
        alike.entry_words = words.into_iter().map(|(word, _)| word).collect();
        let query = TextQuery::of_question(snapshot, question)?;
        alike.by_question = by_unit(snapshot, &score(snapshot, &query, options)?, |hit| {
            hit.score
        });
        alike.question_words = question.words.iter().map(|w| w.text.clone()).collect();
        for (sym, value) in &alike.by_entry {
            alike.of.entry(*sym).or_default().entry = *value;
        }
        for (sym, value) in &alike.by_question {
            alike.of.entry(*sym).or_default().question = *value;
        }
        Ok(alike)
    }

    /// The likeness of a unit.
    pub(crate) fn of(&self, unit: Option<SymId>) -> Similarity {
        let found = unit.and_then(|sym| self.of.get(&sym));
        found.copied().unwrap_or_default()
    }

    /// The words that a text shares with the question or the entry, those that say most first.
    pub(crate) fn shared(&self, text: &str, of_question: bool) -> Vec<&str> {
        let mut stems: FxHashSet<String> = FxHashSet::default();
        for_each_stem(text, &mut |stem| {
            stems.insert(stem.to_string());
        });
        let words = if of_question {
            &self.question_words
        } else {
            &self.entry_words
        };
        let is_there = |word: &&String| {
            let mut found = false;
            for_each_stem(word, &mut |stem| found |= stems.contains(stem));
            found
        };
        let shared = words.iter().filter(is_there).map(String::as_str);
        shared.take(SHARED).collect()
    }
}

/// The best value of each unit, best first.
fn by_unit(
    snapshot: &Snapshot,
    hits: &[TextHit],
    value: impl Fn(&TextHit) -> f32,
) -> Vec<(SymId, f64)> {
    let mut places: FxHashMap<SymId, usize> = FxHashMap::default();
    let mut units: Vec<(SymId, f64)> = Vec::new();
    for hit in hits {
        let Some(unit) = unit_of(snapshot, hit.sym) else {
            continue;
        };
        let value = f64::from(value(hit));
        match places.get(&unit).and_then(|p| units.get_mut(*p)) {
            Some(known) => known.1 = known.1.max(value),
            None => {
                places.insert(unit, units.len());
                units.push((unit, value));
            }
        }
    }
    units.retain(|(_, value)| *value > 0.0);
    units.sort_by(|a, b| b.1.total_cmp(&a.1));
    units
}

/// The words of a source that tell most of what it is about, each with how much it is.
fn telling(snapshot: &Snapshot, text: &str) -> Result<Vec<(String, f32)>> {
    let mut words: Vec<(String, f32)> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    for_each_word(text, &mut |word| {
        if is_keyword(word) {
            return;
        }
        for_each_stem(word, &mut |stem| match places.get(stem) {
            Some(place) => {
                if let Some((_, count)) = words.get_mut(*place) {
                    *count += 1.0;
                }
            }
            None => {
                places.insert(stem.to_string(), words.len());
                words.push((word.to_lowercase(), 1.0));
            }
        });
    });
    let (total, _) = snapshot.text_totals(crate::segment::text::TextKind::Nodes);
    let mut weighed: Vec<(f32, String, f32)> = Vec::with_capacity(words.len());
    let mut stems: Vec<(&String, &usize)> = places.iter().collect();
    stems.sort_by_key(|(_, place)| **place);
    for (stem, place) in stems {
        let Some((word, count)) = words.get(*place) else {
            continue;
        };
        let term = snapshot.text_term(stem)?;
        let kind = crate::segment::text::TextKind::Nodes;
        let frequency = snapshot.text_frequency(&term, kind);
        // A word that stands nowhere else finds nothing.
        if frequency == 0 {
            continue;
        }
        let rarity = (1.0 + total as f32 / (frequency as f32 + 0.5)).ln();
        let about = (1.0 + count).log2();
        weighed.push((rarity * about, word.clone(), about));
    }
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    weighed.truncate(WORDS);
    Ok(weighed
        .into_iter()
        .map(|(_, word, about)| (word, about))
        .collect())
}

//! How much the source of a unit speaks of the same things as the entry, and as the question.
//!
//! Where it sits: after candidates were found, before ranking. BM25 over the units' own texts with a weight for names and
//! paths. The texts are those of the candidates alone, so that the frequency of a word is estimated from them and from the
//! index's dictionary of names together. A full-text index takes the place of [`score`] behind the same border: weighed
//! words in, one number for each candidate out. Invariant: pure; the same texts give the same numbers.

use rustc_hash::FxHashMap;

use crate::context::terms;

/// Saturation of repeated words.
const K1: f64 = 1.2;
/// How much long units are held to be longer for no reason.
const B: f64 = 0.4;
/// Weight of a word in a name.
const NAME: f64 = 3.0;
/// Bytes of a unit's text that are looked at.
const MAX_TEXT: usize = 16_000;
/// Most words that explain a similarity.
const MAX_SHARED: usize = 4;

/// A word that is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// As it was written, in lower case.
    pub(crate) word: String,
    /// How much the entry's text is about it.
    pub(crate) entry: f64,
    /// How much the question is about it.
    pub(crate) question: f64,
    /// Records whose names have the word.
    pub(crate) named: u64,
}

/// The words of the entry and the question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(crate) terms: Vec<Term>,
    places: FxHashMap<String, usize>,
}

impl Query {
    /// Adds the words of an entry's source.
    pub(crate) fn add_entry(&mut self, text: &str) {
        let mut counts: FxHashMap<usize, f64> = FxHashMap::default();
        terms::for_each(clip(text), |stem, word| {
            if !terms::is_keyword(word) && !terms::is_prose(word) {
                *counts.entry(self.place(stem, word)).or_insert(0.0) += 1.0;
            }
        });
        for (place, count) in counts {
            if let Some(term) = self.terms.get_mut(place) {
                term.entry += (1.0 + count).log2();
            }
        }
    }

    /// Adds the words of a question.
    pub(crate) fn add_question(&mut self, text: &str) {
        terms::for_each(text, |stem, word| {
            if !terms::is_prose(word)
                && !matches!(
                    word,
                    "in" | "is"
                        | "of"
                        | "and"
                        | "or"
                        | "for"
                        | "with"
                        | "from"
                        | "not"
                        | "as"
                        | "if"
                )
            {
                let place = self.place(stem, word);
                if let Some(term) = self.terms.get_mut(place) {
                    term.question += 1.0;
                }
            }
        });
    }

    /// Looks up how many names have each word.
    pub(crate) fn count_names<E>(
        &mut self,
        mut count: impl FnMut(&str) -> Result<u64, E>,
    ) -> Result<(), E> {
        for term in &mut self.terms {
            term.named = count(&term.word)?;
        }
        Ok(())
    }

    fn place(&mut self, stem: &str, word: &str) -> usize {
        if let Some(known) = self.places.get(stem) {
            return *known;
        }
        let place = self.terms.len();
        self.places.insert(stem.to_string(), place);
        self.terms.push(Term {
            word: word.to_string(),
            entry: 0.0,
            question: 0.0,
            named: 0,
        });
        place
    }
}

/// What a candidate's texts hold of the words that are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doc {
    counts: Vec<(usize, f64)>,
    length: f64,
}

impl Doc {
    /// Reads a candidate: its name, its path, and stretches of its source.
    pub(crate) fn new<'a>(
        query: &Query,
        name: &str,
        path: &str,
        texts: impl Iterator<Item = &'a str>,
    ) -> Self {
        let mut counts: FxHashMap<usize, f64> = FxHashMap::default();
        let mut length = 0.0;
        let mut read = |text: &str, weight: f64| {
            terms::for_each(text, |stem, _| {
                length += 1.0;
                if let Some(place) = query.places.get(stem) {
                    *counts.entry(*place).or_insert(0.0) += weight;
                }
            });
        };
        read(name, NAME);
        read(path.rsplit_once('.').map_or(path, |(stem, _)| stem), 1.0);
        let mut room = MAX_TEXT;
        for text in texts {
            let text = clip_to(text, room);
            room -= text.len();
            read(text, 1.0);
        }
        let mut counts: Vec<(usize, f64)> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|(place, _)| *place);
        Self { counts, length }
    }
}

/// A candidate's similarity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Similarity {
    /// To the entry, 1 for the most similar candidate.
    pub(crate) entry: f64,
    /// To the question, 1 for the most similar candidate.
    pub(crate) question: f64,
    /// The words that weigh most in it, of the entry and of the question.
    pub(crate) entry_words: Vec<usize>,
    pub(crate) question_words: Vec<usize>,
}

/// The similarity of each candidate. `total` is how many records the index has.
pub(crate) fn score(query: &Query, docs: &[Doc], total: u64) -> Vec<Similarity> {
    let count = docs.len() as f64;
    let mut frequency = vec![0.0; query.terms.len()];
    for (place, _) in docs.iter().flat_map(|d| &d.counts) {
        if let Some(f) = frequency.get_mut(*place) {
            *f += 1.0;
        }
    }
    let idf: Vec<f64> = query
        .terms
        .iter()
        .zip(&frequency)
        .map(|(term, f)| {
            let here = (1.0 + (count - f + 0.5) / (f + 0.5)).ln();
            let named = term.named as f64;
            let names = (1.0 + (total as f64 - named + 0.5).max(0.5) / (named + 0.5)).ln();
            here.min(names)
        })
        .collect();
    let mean = docs.iter().map(|d| d.length).sum::<f64>() / count.max(1.0);
    let mut found: Vec<Similarity> = docs
        .iter()
        .map(|doc| {
            let long = K1 * (1.0 - B + B * doc.length / mean.max(1.0));
            let mut one = Similarity::default();
            let (mut of_entry, mut of_question) = (Vec::new(), Vec::new());
            for (place, tf) in &doc.counts {
                let (Some(term), Some(idf)) = (query.terms.get(*place), idf.get(*place)) else {
                    continue;
                };
                let part = idf * tf * (K1 + 1.0) / (tf + long);
                one.entry += part * term.entry;
                one.question += part * term.question;
                of_entry.push((part * term.entry, *place));
                of_question.push((part * term.question, *place));
            }
            one.entry_words = strongest(of_entry);
            one.question_words = strongest(of_question);
            one
        })
        .collect();
    let most = |value: fn(&Similarity) -> f64| found.iter().map(value).fold(0.0, f64::max);
    let (entry, question) = (most(|s| s.entry), most(|s| s.question));
    for one in &mut found {
        one.entry /= entry.max(f64::MIN_POSITIVE);
        one.question /= question.max(f64::MIN_POSITIVE);
    }
    found
}

fn strongest(mut parts: Vec<(f64, usize)>) -> Vec<usize> {
    parts.retain(|(value, _)| *value > 0.0);
    parts.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    parts
        .into_iter()
        .take(MAX_SHARED)
        .map(|(_, place)| place)
        .collect()
}

fn clip(text: &str) -> &str {
    clip_to(text, MAX_TEXT)
}

fn clip_to(text: &str, room: usize) -> &str {
    let mut end = text.len().min(room);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

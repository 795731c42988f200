//! How well a name answers a question.
//!
//! Where it sits: after [`super::query`], before [`super::seeds`]. The name dictionaries give candidates, this module weighs
//! them. A later scorer over the texts of bodies takes its place behind the same border: words in, ranked nodes out.
//!
//! | hit of a word on a name | value |
//! |---|---|
//! | the name is the word | [`EXACT`] × IDF |
//! | it begins with the word | [`PREFIX`] × IDF |
//! | the word is one of its sub-words | [`WORD`] × IDF |
//! | it contains the word | [`SUBSTRING`] × IDF |
//! | the path contains the word | + [`PATH`] × IDF |
//!
//! IDF is ln(1 + N / (1 + df)), df the number of nodes whose name contains the word. A compound word (`getUser`) that is no
//! part of the name as a whole is weighed by its parts, none above [`WORD`]. The sum over the words is multiplied by the
//! square of the coverage: the share of the words that hit the name; a hit on the path alone counts [`PATH_COVERAGE`].
//! Names that are neighbouring words of the question joined get [`WHOLE_EXACT`] or [`WHOLE_PREFIX`] × the largest IDF × the
//! square of the share of the words that are joined.
//! Test, example and generated code is multiplied by [`DEMOTED`](super::text::params), what no unit defines by [`OUTSIDE`], whole files by a factor of their own (see `seeds`).
//!
//! Invariants: every look-up is bounded (the `MAX_` constants), so that the work does not grow with the index; scores depend
//! on names, paths and frequencies alone.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::search::fold;
use crate::search::query::{Question, Role, Word};
use crate::snapshot::{NameHit, Snapshot};

pub(crate) const EXACT: f64 = 1000.0;
pub(crate) const PREFIX: f64 = 100.0;
pub(crate) const WORD: f64 = 10.0;
pub(crate) const SUBSTRING: f64 = 1.0;
pub(crate) const PATH: f64 = 0.5;
pub(crate) const PATH_COVERAGE: f64 = 0.5;
pub(crate) const WHOLE_EXACT: f64 = 10_000.0;
pub(crate) const WHOLE_PREFIX: f64 = 1_000.0;
pub(crate) const OUTSIDE: f64 = 0.05;

/// Most names, for each word and segment, that contain it or begin with it.
const MAX_NAMES: usize = 1024;
/// A sub-word that more nodes have than this is not followed to its names: it says too little.
const MAX_WORD_NODES: u64 = 20_000;

/// How a word hits a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    /// Somewhere in the name.
    Substring,
    /// As one of its sub-words.
    Word,
    /// At its beginning.
    Prefix,
    /// It is the name.
    Exact,
}

impl Tier {
    /// What the hit is worth, before IDF.
    pub(crate) fn value(self) -> f64 {
        match self {
            Self::Exact => EXACT,
            Self::Prefix => PREFIX,
            Self::Word => WORD,
            Self::Substring => SUBSTRING,
        }
    }

    /// How an answer explains a seed.
    pub(crate) fn why(self) -> &'static str {
        match self {
            Self::Exact => "exact name",
            Self::Prefix => "beginning of the name",
            Self::Word => "word of the name",
            Self::Substring => "part of the name",
        }
    }
}

/// A word with what the index knows of it.
#[derive(Clone, Debug)]
pub(crate) struct Weighed {
    pub(crate) word: Word,
    /// IDF of the whole word.
    pub(crate) idf: f64,
    /// IDF of each part.
    part_idf: Vec<f64>,
    /// Folded names of which the word (first) or a part is a sub-word.
    has_word: Vec<FxHashSet<String>>,
}

/// How one word hits one name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WordHit {
    /// Tier × IDF.
    pub(crate) value: f64,
    /// Which share of the word hits: 1 for the whole.
    pub(crate) share: f64,
    /// The best tier, for explanations.
    pub(crate) tier: Option<Tier>,
}

/// A name that some word hits.
#[derive(Clone, Debug)]
pub(crate) struct ScoredName {
    pub(crate) hit: NameHit,
    /// One for each word of the question.
    pub(crate) hits: Vec<WordHit>,
    /// Bonus for being the joined words of the question.
    pub(crate) whole: f64,
}

/// A question's words and the names that they hit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scores {
    pub(crate) words: Vec<Weighed>,
    /// In order of folded name.
    pub(crate) names: Vec<ScoredName>,
}

/// The weight of a word that `frequency` of `total` nodes have.
pub(crate) fn idf(total: u64, frequency: u64) -> f64 {
    (1.0 + total as f64 / (1.0 + frequency as f64)).ln()
}

impl Weighed {
    /// How the word hits a folded name.
    pub(crate) fn hit(&self, name: &str) -> WordHit {
        let is_word = |i: usize| self.has_word.get(i).is_some_and(|set| set.contains(name));
        if let Some(tier) = tier(name, &self.word.text, is_word(0)) {
            if self.word.role == Role::Short && tier != Tier::Exact {
                return WordHit::default();
            }
            return WordHit {
                value: tier.value() * self.idf,
                share: 1.0,
                tier: Some(tier),
            };
        }
        let mut best = WordHit::default();
        for (i, (part, idf)) in self.word.parts.iter().zip(&self.part_idf).enumerate() {
            let Some(tier) = tier(name, part, is_word(i + 1)).map(|t| t.min(Tier::Word)) else {
                continue;
            };
            best.value += tier.value() * idf;
            best.share += 1.0 / self.word.parts.len() as f64;
            best.tier = best.tier.max(Some(tier));
        }
        best
    }

    /// Whether a folded path contains the word or all of its parts.
    pub(crate) fn hits_path(&self, path: &str) -> bool {
        if self.word.role == Role::Short {
            return false;
        }
        let parts = &self.word.parts;
        path.contains(&self.word.text)
            || (!parts.is_empty() && parts.iter().all(|p| path.contains(p.as_str())))
    }
}

/// How `term` hits `name`; both are folded.
fn tier(name: &str, term: &str, is_word: bool) -> Option<Tier> {
    if term.is_empty() {
        None
    } else if name == term {
        Some(Tier::Exact)
    } else if name.starts_with(term) {
        Some(Tier::Prefix)
    } else if is_word {
        Some(Tier::Word)
    } else {
        name.contains(term).then_some(Tier::Substring)
    }
}

impl Scores {
    /// Looks up the words of a question.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for a damaged dictionary.
    pub(crate) fn gather(snapshot: &Snapshot, question: &Question) -> Result<Self> {
        let total = snapshot.node_count();
        let mut found: BTreeMap<String, NameHit> = BTreeMap::new();
        let mut words = Vec::with_capacity(question.words.len());
        for word in &question.words {
            words.push(weigh(
                snapshot,
                word,
                total,
                question.unfiltered,
                &mut found,
            )?);
        }
        let largest = words.iter().map(|w: &Weighed| w.idf).fold(1.0, f64::max);
        let mut whole: BTreeMap<String, f64> = BTreeMap::new();
        for (form, share) in question.joined() {
            for hit in snapshot.names_with_prefix(&form, MAX_NAMES)? {
                let value = if hit.text == form {
                    WHOLE_EXACT
                } else {
                    WHOLE_PREFIX
                };
                let value = value * share * share;
                let best = whole.entry(hit.text.clone()).or_insert(0.0);
                *best = value.max(*best);
                found.entry(hit.text.clone()).or_insert(hit);
            }
        }
        let names = found.into_iter().filter_map(|(text, hit)| {
            let hits: Vec<WordHit> = words.iter().map(|w| w.hit(&text)).collect();
            let whole = whole.get(&text).map_or(0.0, |value| value * largest);
            let any = whole > 0.0 || hits.iter().any(|h| h.share > 0.0);
            any.then_some(ScoredName { hit, hits, whole })
        });
        let names = names.collect();
        Ok(Self { words, names })
    }

    /// The score of a name whose nodes lie under a folded path; without a path, of the name alone.
    pub(crate) fn score(&self, name: &ScoredName, path: &str) -> f64 {
        let mut sum = 0.0;
        let mut bonus = 0.0;
        let (mut covered, mut all) = (0.0, 0.0);
        for (word, hit) in self.words.iter().zip(&name.hits) {
            sum += hit.value;
            let in_path = !path.is_empty() && word.hits_path(path);
            if in_path {
                bonus += PATH * word.idf;
            }
            // Verbs score but do not lower the coverage; short words count where something is called so.
            let share = if in_path {
                hit.share.max(PATH_COVERAGE)
            } else {
                hit.share
            };
            if word.word.role == Role::Content || share > 0.0 {
                all += 1.0;
                covered += share;
            }
        }
        let coverage = if all > 0.0 { covered / all } else { 0.0 };
        sum * coverage * coverage + bonus + name.whole
    }

    /// Which share of the weight of the question's words a name carries, between 0 and 1.
    pub(crate) fn relevance(&self, name: &str) -> f64 {
        let folded = fold(name);
        let (mut carried, mut all) = (0.0, 0.0);
        for word in self.words.iter().filter(|w| w.word.role == Role::Content) {
            all += word.idf;
            carried += word.idf * word.hit(&folded).share;
        }
        if all > 0.0 { carried / all } else { 0.0 }
    }
}

fn weigh(
    snapshot: &Snapshot,
    word: &Word,
    total: u64,
    unfiltered: bool,
    found: &mut BTreeMap<String, NameHit>,
) -> Result<Weighed> {
    let mut has_word = Vec::with_capacity(word.parts.len() + 1);
    let mut frequency = 0;
    let mut keep = |hits: Vec<NameHit>| {
        let sum: u64 = hits.iter().map(|h| h.frequency).sum();
        for hit in hits {
            found.entry(hit.text.clone()).or_insert(hit);
        }
        sum
    };
    if word.role == Role::Short {
        frequency += keep(snapshot.name(&word.text)?.into_iter().collect());
        has_word.push(FxHashSet::default());
    } else {
        let set = names_of_word(snapshot, &word.text)?;
        let texts = set.iter().map(|h| h.text.clone()).collect();
        let as_word = snapshot.word_frequency(&word.text)?;
        keep(set);
        keep(snapshot.name(&word.text)?.into_iter().collect());
        keep(snapshot.names_with_prefix(&word.text, MAX_NAMES)?);
        // Stop words that were kept for want of better ones hit whole words only.
        if !unfiltered {
            frequency = keep(snapshot.names_containing(&word.text, MAX_NAMES)?);
        }
        frequency = frequency.max(as_word);
        has_word.push(texts);
    }
    let mut part_idf = Vec::with_capacity(word.parts.len());
    for part in &word.parts {
        let set = names_of_word(snapshot, part)?;
        has_word.push(set.iter().map(|h| h.text.clone()).collect());
        part_idf.push(idf(total, snapshot.word_frequency(part)?));
        keep(set);
    }
    Ok(Weighed {
        word: word.clone(),
        idf: idf(total, frequency),
        part_idf,
        has_word,
    })
}

fn names_of_word(snapshot: &Snapshot, word: &str) -> Result<Vec<NameHit>> {
    if snapshot.word_frequency(word)? > MAX_WORD_NODES {
        return Ok(Vec::new());
    }
    snapshot.names_with_word(word)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn weighed(text: &str, idf: f64) -> Weighed {
        let word = Question::parse(text).words.into_iter().next().unwrap();
        let part_idf = vec![idf; word.parts.len()];
        Weighed {
            word,
            idf,
            part_idf,
            has_word: Vec::new(),
        }
    }

    #[test]
    fn tiers_in_order() {
        assert_eq!(tier("error", "error", false), Some(Tier::Exact));
        assert_eq!(tier("errorlist", "error", true), Some(Tier::Prefix));
        assert_eq!(tier("parseerror", "error", true), Some(Tier::Word));
        assert_eq!(tier("terrors", "error", false), Some(Tier::Substring));
        assert_eq!(tier("list", "error", false), None);
        assert_eq!(tier("list", "", false), None);
    }

    #[test]
    fn compounds_hit_by_parts_but_never_above_a_word() {
        let word = weighed("getUser", 2.0);
        assert_eq!(
            word.hit("getuser"),
            WordHit {
                value: 2000.0,
                share: 1.0,
                tier: Some(Tier::Exact)
            }
        );
        assert_eq!(word.hit("getuserbyid").tier, Some(Tier::Prefix));
        let parts = word.hit("user_get");
        assert_eq!(
            (parts.value, parts.share),
            (2.0 * WORD + 2.0 * SUBSTRING, 1.0)
        );
        assert_eq!(word.hit("fetchuser").share, 0.5);
        assert_eq!(
            word.hit("get").tier,
            Some(Tier::Word),
            "an exact hit of a part is no exact hit"
        );
    }

    #[test]
    fn short_words_hit_exact_names_only() {
        let word = weighed("db", 1.0);
        assert_eq!(word.hit("db").tier, Some(Tier::Exact));
        assert_eq!(word.hit("dbpool"), WordHit::default());
        assert!(!word.hits_path("src/db/pool.ts"));
    }

    #[test]
    fn idf_falls_with_frequency() {
        assert!(idf(1000, 1) > idf(1000, 10));
        assert!(idf(0, 0) == 0.0);
        assert!((idf(100, 99) - 2.0f64.ln()).abs() < 1e-9);
    }
}

//! The words of the index, for callers that choose their search words from what there is.
//!
//! Where it sits: under the `vocab` command, on the word dictionary of `snapshot`. A word is a part of a name (`getUserName`
//! has three); its frequency is the number of defined symbols and files that have it in their names. Invariants: a word
//! that is listed finds something; order and numbers do not depend on the history of the index.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::error::Result;
use crate::search::{fold, sub_words};
use crate::snapshot::{NameHit, Snapshot};

/// Most words that stand near to one of a question.
const MAX_NEAR: usize = 8;
/// Most names that are looked through for words that occur together.
const MAX_NAMES: usize = 2000;
/// Endings that words of one stem differ in, longest first.
const ENDINGS: [&str; 17] = [
    "ations", "ation", "ments", "ings", "ment", "tion", "ers", "ors", "ing", "ies", "ed", "er",
    "or", "es", "ly", "s", "e",
];

/// A word and how often it occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct VocabWord {
    /// The folded word.
    pub word: String,
    /// In how many names it stands.
    pub frequency: u64,
    /// Why it is listed: `exact`, `stem`, `spelling`, `together`; empty in a plain list.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// What stands near to one word of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NearWords {
    /// The word as asked, folded.
    pub asked: String,
    /// The nearest words of the index, best first; empty where there are none.
    pub near: Vec<VocabWord>,
}

/// A part of the vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VocabAnswer {
    /// The words, in order.
    pub words: Vec<VocabWord>,
    /// How many there are.
    pub total: usize,
    /// For a question: what stands near to each of its words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<NearWords>,
}

/// The words that begin with `prefix`; all for an empty one.
///
/// # Errors
/// [`crate::error::ErrorKind::Corrupt`] for damaged dictionaries.
pub fn vocabulary(snapshot: &Snapshot, prefix: &str) -> Result<VocabAnswer> {
    let words = Words::gather(snapshot, &fold(prefix))?.list();
    Ok(VocabAnswer {
        total: words.len(),
        words,
        ..VocabAnswer::default()
    })
}

/// The words that are spelt like `word`, nearest first.
///
/// # Errors
/// As [`vocabulary`].
pub fn spelt_like(snapshot: &Snapshot, word: &str) -> Result<VocabAnswer> {
    let all = Words::gather(snapshot, "")?;
    let asked = fold(word.trim());
    let mut near: Vec<(usize, VocabWord)> = all
        .list()
        .into_iter()
        .filter_map(|w| Some((distance(&asked, &w.word, tolerance(&asked))?, w)))
        .collect();
    near.sort_by(|a, b| (a.0, &a.1.word).cmp(&(b.0, &b.1.word)));
    let words: Vec<VocabWord> = near.into_iter().map(|(_, w)| w).collect();
    Ok(VocabAnswer {
        total: words.len(),
        words,
        ..VocabAnswer::default()
    })
}

/// For every word of a question the words of the index that are nearest: the same, of the same stem, of a like spelling,
/// then those that occur together with them in names.
///
/// # Errors
/// As [`vocabulary`].
pub fn like(snapshot: &Snapshot, question: &str) -> Result<VocabAnswer> {
    let all = Words::gather(snapshot, "")?;
    let list = all.list();
    let mut asked: Vec<String> = Vec::new();
    for word in question.split_whitespace().flat_map(sub_words) {
        let long = word.chars().count() > 1 || !word.is_ascii();
        if long && !asked.contains(&word) {
            asked.push(word);
        }
    }
    let mut questions = Vec::new();
    for word in asked {
        let near = near(snapshot, &all, &list, &word)?;
        questions.push(NearWords { asked: word, near });
    }
    let mut words: BTreeMap<String, u64> = BTreeMap::new();
    for near in questions.iter().flat_map(|q| &q.near) {
        words.insert(near.word.clone(), near.frequency);
    }
    let words: Vec<VocabWord> = words
        .into_iter()
        .map(|(word, frequency)| VocabWord {
            word,
            frequency,
            why: String::new(),
        })
        .collect();
    Ok(VocabAnswer {
        total: words.len(),
        words,
        questions,
    })
}

fn near(
    snapshot: &Snapshot,
    all: &Words,
    list: &[VocabWord],
    asked: &str,
) -> Result<Vec<VocabWord>> {
    let root = stem(asked);
    let mut ranked: Vec<(u8, usize, &VocabWord)> = Vec::new();
    for word in list {
        let kin =
            stem(&word.word) == root || (root.chars().count() >= 4 && word.word.starts_with(&root));
        let rank = if word.word == asked {
            (0, 0)
        } else if kin {
            (1, word.word.len().abs_diff(asked.len()))
        } else if let Some(edits) = distance(asked, &word.word, tolerance(asked).min(1)) {
            (2, edits)
        } else {
            continue;
        };
        ranked.push((rank.0, rank.1, word));
    }
    ranked.sort_by(|a, b| (a.0, a.1, &a.2.word).cmp(&(b.0, b.1, &b.2.word)));
    let mut near: Vec<VocabWord> = Vec::new();
    for (rank, _, word) in ranked.iter().take(MAX_NEAR) {
        let why = match rank {
            0 => "exact",
            1 => "stem",
            _ => "spelling",
        };
        near.push(VocabWord {
            why: why.to_string(),
            ..(*word).clone()
        });
    }
    let sure: Vec<String> = near
        .iter()
        .filter(|w| w.why != "spelling")
        .map(|w| w.word.clone())
        .collect();
    near.extend(together(
        snapshot,
        all,
        &sure,
        MAX_NEAR.saturating_sub(near.len()),
    )?);
    Ok(near)
}

/// Words that stand in the same names more often than chance would have it.
fn together(
    snapshot: &Snapshot,
    all: &Words,
    words: &[String],
    limit: usize,
) -> Result<Vec<VocabWord>> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for word in words {
        for name in snapshot.names_with_word(word)?.iter().take(MAX_NAMES) {
            let Some(texts) = all.names.get(&name.text) else {
                continue;
            };
            for other in texts
                .iter()
                .filter(|t| t.chars().count() > 2 && !words.contains(t))
            {
                *counts.entry(other.clone()).or_insert(0) += 1;
            }
        }
    }
    let share = |word: &str, count: u64| {
        let frequency = all.counts.get(word).copied().unwrap_or(1).max(1);
        count * 1000 / frequency.max(count)
    };
    let mut ranked: Vec<(u64, u64, String)> = counts
        .into_iter()
        .filter(|(_, n)| *n > 1)
        .map(|(word, n)| (share(&word, n), n, word))
        .collect();
    ranked.sort_by(|a, b| (b.0 * b.1, &a.2).cmp(&(a.0 * a.1, &b.2)));
    let near = ranked
        .into_iter()
        .take(limit)
        .map(|(_, _, word)| VocabWord {
            frequency: all.counts.get(&word).copied().unwrap_or_default(),
            word,
            why: "together".to_string(),
        });
    Ok(near.collect())
}

/// Words with what they were counted from.
struct Words {
    counts: BTreeMap<String, u64>,
    /// The words of each folded name.
    names: FxHashMap<String, Vec<String>>,
}

impl Words {
    /// Counts the words of all defined symbols that begin with `prefix`.
    fn gather(snapshot: &Snapshot, prefix: &str) -> Result<Self> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut names: FxHashMap<String, Vec<String>> = FxHashMap::default();
        let mut nodes: FxHashMap<String, u64> = FxHashMap::default();
        for word in snapshot.words_with_prefix(prefix, usize::MAX)? {
            let mut count = 0;
            for name in snapshot.names_with_word(&word.word)? {
                let number = match nodes.get(&name.text) {
                    Some(known) => *known,
                    None => {
                        let number = defined(snapshot, &name)?;
                        nodes.insert(name.text.clone(), number);
                        number
                    }
                };
                if number > 0 {
                    count += number;
                    names.entry(name.text).or_default().push(word.word.clone());
                }
            }
            if count > 0 {
                counts.insert(word.word, count);
            }
        }
        Ok(Self { counts, names })
    }

    fn list(&self) -> Vec<VocabWord> {
        let words = self.counts.iter().map(|(word, frequency)| VocabWord {
            word: word.clone(),
            frequency: *frequency,
            why: String::new(),
        });
        words.collect()
    }
}

/// How many defined symbols bear a name.
fn defined(snapshot: &Snapshot, name: &NameHit) -> Result<u64> {
    let nodes: FxHashSet<_> = snapshot.nodes_named(name)?.into_iter().collect();
    let live = nodes
        .into_iter()
        .filter(|s| snapshot.node(*s).is_some_and(|n| !n.is_placeholder()));
    Ok(live.count() as u64)
}

/// A word without its ending; words of three letters and fewer stay.
fn stem(word: &str) -> String {
    for ending in ENDINGS {
        if let Some(root) = word.strip_suffix(ending)
            && root.chars().count() >= 3
        {
            return root.to_string();
        }
    }
    word.to_string()
}

/// Edits that a word of that length may differ in.
fn tolerance(word: &str) -> usize {
    match word.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// The number of insertions, deletions and replacements between two words if it is at most `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most || a.len() > 64 {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (j, y) in b.iter().enumerate() {
            let above = row.get(j + 1).copied().unwrap_or(usize::MAX - 1);
            let value = (corner + usize::from(x != y)).min(above + 1).min(left + 1);
            corner = above;
            left = value;
            next.push(value);
        }
        row = next;
    }
    row.last().copied().filter(|d| *d <= most)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::answer::fixture::Fixture;
    use crate::render::vocab as text;

    const STORE: &str = "
file src/session.ts
  function openSession 1
  function closeSession 2
  function sessionToken 3
  function parseTokens 4
openSession() calls/call -> ?println @1
file src/größe.ts
  function Größe 1
  function encode 2
";

    #[test]
    fn every_word_finds_something_and_placeholders_give_none() {
        let fixture = Fixture::new(STORE);
        let all = vocabulary(&fixture.snapshot, "").unwrap();
        insta::assert_snapshot!(text::vocab(&all), @r"
        close 1
        encode 1
        große 2
        open 1
        parse 1
        session 4
        token 1
        tokens 1
        ts 2
        ");
        let some = vocabulary(&fixture.snapshot, "Tok").unwrap();
        let words: Vec<&str> = some.words.iter().map(|w| w.word.as_str()).collect();
        assert_eq!(words, ["token", "tokens"]);
    }

    #[test]
    fn the_history_of_the_index_does_not_show() {
        let mut fixture = Fixture::new(STORE);
        let before = vocabulary(&fixture.snapshot, "").unwrap();
        fixture.update("file src/session.ts\n  function gone 1\n");
        let between = vocabulary(&fixture.snapshot, "").unwrap();
        assert!(between.words.iter().all(|w| w.word != "tokens"));
        fixture.update(STORE.split("file src/größe.ts").next().unwrap());
        assert_eq!(vocabulary(&fixture.snapshot, "").unwrap(), before);
    }

    #[test]
    fn words_like_others() {
        let fixture = Fixture::new(STORE);
        let found = spelt_like(&fixture.snapshot, "sesion").unwrap();
        assert_eq!(found.words.first().unwrap().word, "session");
        let found = like(&fixture.snapshot, "Opening the tokan quickly").unwrap();
        insta::assert_snapshot!(text::vocab(&found), @r"
        opening: open 1 (stem)
        the: none
        tokan: token 1 (spelling)
        quickly: none
        ");
    }

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
        assert_eq!(distance("kitten", "sitting", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
        assert_eq!(distance("größe", "grösse", 2), Some(2));
    }
}

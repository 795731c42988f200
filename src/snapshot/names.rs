//! Names over all parts of a snapshot.
//!
//! Where it sits: what `search` asks; joins the name dictionaries of base and deltas. Invariants: a folded name is
//! reported once, with the number of records that carry it (dead ones included, as IDF needs no more than the order of
//! magnitude); the nodes of a name are live ones only, in order of part and record.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::ids::{SpellOrd, SymId, TermOrd};
use crate::segment::Segment;
use crate::snapshot::open::Snapshot;

/// A folded name that some search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameHit {
    /// The folded name.
    pub text: String,
    /// How many records carry it.
    pub frequency: u64,
    found: Vec<(usize, TermOrd)>,
}

/// A sub-word of the index's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordCount {
    /// The folded word.
    pub word: String,
    /// How many records have it in their name.
    pub frequency: u64,
}

type Finder<'a> = dyn Fn(&Segment) -> Result<Vec<TermOrd>> + 'a;

impl Snapshot {
    /// The name that folds to exactly `folded`.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for a damaged dictionary, as with all searches here.
    pub fn name(&self, folded: &str) -> Result<Option<NameHit>> {
        let hits = self.gather(&|segment| Ok(segment.term(folded)?.into_iter().collect()))?;
        Ok(hits.into_iter().next())
    }

    /// Names that start with `folded`, in order of name, at most `limit` a segment.
    pub fn names_with_prefix(&self, folded: &str, limit: usize) -> Result<Vec<NameHit>> {
        self.gather(&|segment| segment.terms_with_prefix(folded, limit))
    }

    /// Names that contain `folded`, in order of name, at most `limit` a segment.
    pub fn names_containing(&self, folded: &str, limit: usize) -> Result<Vec<NameHit>> {
        self.gather(&|segment| segment.terms_containing(folded, Some(limit)))
    }

    /// Names within `distance` edits (insertions, deletions, replacements) of `folded`.
    pub fn names_near(&self, folded: &str, distance: u32, limit: usize) -> Result<Vec<NameHit>> {
        self.gather(&|segment| segment.terms_near(folded, distance, limit))
    }

    /// Names that have `word` as one of their sub-words.
    pub fn names_with_word(&self, word: &str) -> Result<Vec<NameHit>> {
        self.gather(&|segment| match segment.word(word)? {
            Some(ord) => segment.terms_with_word(ord),
            None => Ok(Vec::new()),
        })
    }

    /// In how many records' names `word` is a sub-word.
    pub fn word_frequency(&self, word: &str) -> Result<u64> {
        let mut sum = 0;
        for part in &self.parts {
            if let Some(ord) = part.segment.word(word)? {
                sum += u64::from(part.segment.word_df(ord));
            }
        }
        Ok(sum)
    }

    /// Sub-words that start with `prefix`, in order, at most `limit`.
    pub fn words_with_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<WordCount>> {
        let mut words: BTreeMap<String, u64> = BTreeMap::new();
        for part in &self.parts {
            for (word, ord) in part.segment.words_with_prefix(prefix, limit)? {
                *words.entry(word).or_insert(0) += u64::from(part.segment.word_df(ord));
            }
        }
        let counts = words.into_iter().take(limit);
        Ok(counts
            .map(|(word, frequency)| WordCount { word, frequency })
            .collect())
    }

    /// The live nodes that carry a name, whatever its spelling.
    pub fn nodes_named(&self, hit: &NameHit) -> Result<Vec<SymId>> {
        self.nodes_where(hit, |_| true)
    }

    /// The live nodes whose name is spelt exactly so.
    pub fn nodes_spelled(&self, hit: &NameHit, spelling: &str) -> Result<Vec<SymId>> {
        self.nodes_where(hit, |text| text == spelling)
    }

    fn nodes_where(&self, hit: &NameHit, wanted: impl Fn(&str) -> bool) -> Result<Vec<SymId>> {
        let mut nodes = Vec::new();
        for (index, term) in &hit.found {
            let Some(part) = self.part(*index) else {
                continue;
            };
            for spell in part.segment.spellings(*term) {
                let spell = SpellOrd(spell);
                if !wanted(part.segment.spelling(spell)) {
                    continue;
                }
                let records = part.segment.nodes_spelled(spell)?;
                let live = records.into_iter().filter(|n| !part.dead.contains(*n));
                nodes.extend(live.filter_map(|n| part.segment.sym_of(n)));
            }
        }
        Ok(nodes)
    }

    fn gather(&self, find: &Finder<'_>) -> Result<Vec<NameHit>> {
        let mut hits: BTreeMap<String, NameHit> = BTreeMap::new();
        for (index, part) in self.parts.iter().enumerate() {
            for term in find(&part.segment)? {
                let text = part.segment.term_text(term);
                let hit = hits.entry(text.to_string()).or_insert_with(|| NameHit {
                    text: text.to_string(),
                    frequency: 0,
                    found: Vec::new(),
                });
                hit.frequency += u64::from(part.segment.term_df(term));
                hit.found.push((index, term));
            }
        }
        Ok(hits.into_values().collect())
    }
}

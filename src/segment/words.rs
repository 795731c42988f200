//! Words that names are made of: word → terms, with the number of nodes that these terms name.
//!
//! Where it sits: written from the sorted names, read by `search` and for vocabulary lists. Invariants: words are numbered
//! in byte order; a term stands in the list of a word when one of its spellings holds the word (see
//! [`super::fold::words`]); the stored number of nodes is the sum over these terms.

use std::ops::ControlFlow;

use fst::automaton::Str;
use fst::{Automaton, IntoStreamer, Streamer};

use crate::error::Result;
use crate::ids::TermOrd;
use crate::segment::fold::{fold, for_each_word};
use crate::segment::layout::{SectionKind, WordRecord};
use crate::segment::names::{Interner, Names, fst_refused};
use crate::segment::postings::{self, ListWriter};
use crate::segment::reader::Segment;
use crate::segment::writer::SectionWriter;
use crate::storage::mmap::Bytes;

/// A word's place in the word dictionary of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordOrd(pub u32);

/// Writes the sections of words and gives their number.
pub(crate) fn write(writer: &mut SectionWriter<'_>, names: &Names) -> Result<u32> {
    let mut words = Interner::default();
    let mut pairs: Vec<u64> = Vec::new();
    for (term, spellings) in names.terms() {
        for spelling in spellings {
            let mut failed = None;
            for_each_word(
                names.exact(spelling),
                &mut |word| match words.intern(&fold(word)) {
                    Ok(word) => pairs.push(u64::from(word) << 32 | u64::from(term)),
                    Err(e) => failed = Some(e),
                },
            );
            if let Some(e) = failed {
                return Err(e);
            }
        }
    }
    let order = words.sorted();
    let mut rank = vec![0u32; order.len()];
    for (new, old) in (0..).zip(&order) {
        if let Some(slot) = rank.get_mut(*old as usize) {
            *slot = new;
        }
    }
    for pair in &mut pairs {
        let word = rank
            .get((*pair >> 32) as usize)
            .copied()
            .unwrap_or_default();
        *pair = u64::from(word) << 32 | (*pair & u64::from(u32::MAX));
    }
    pairs.sort_unstable();
    pairs.dedup();

    writer.begin(SectionKind::WordFst)?;
    let mut builder = fst::MapBuilder::memory();
    for (ord, word) in (0..).zip(&order) {
        builder.insert(words.get(*word), ord).map_err(fst_refused)?;
    }
    writer.bytes(&builder.into_inner().map_err(fst_refused)?)?;
    writer.end_bytes()?;

    let mut lists = ListWriter::default();
    let mut records = Vec::with_capacity(order.len());
    let mut list: Vec<u32> = Vec::new();
    for group in pairs.chunk_by(|a, b| a >> 32 == b >> 32) {
        list.clear();
        list.extend(group.iter().map(|pair| *pair as u32));
        let nodes = list
            .iter()
            .fold(0u32, |sum, term| sum.saturating_add(names.term_df(*term)));
        records.push(WordRecord {
            list: lists.push(&list)?.into(),
            nodes: nodes.into(),
        });
    }
    let count = records.len() as u32;
    writer.records(SectionKind::Words, records)?;
    writer.byte_section(SectionKind::WordPostings, &lists.into_heap())?;
    Ok(count)
}

impl Segment {
    /// Number of distinct words.
    pub fn word_count(&self) -> u32 {
        self.count(SectionKind::Words)
    }

    /// The place of a folded word.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when the dictionary is damaged.
    pub fn word(&self, folded: &str) -> Result<Option<WordOrd>> {
        let found = self.word_map()?.get(folded);
        found.map(|value| self.checked_word(value)).transpose()
    }

    /// How many nodes have a name with that word.
    pub fn word_df(&self, word: WordOrd) -> u32 {
        self.word_record(word).map_or(0, |w| w.nodes.to_native())
    }

    /// The terms with that word, ascending.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when the list is damaged.
    pub fn terms_with_word(&self, word: WordOrd) -> Result<Vec<TermOrd>> {
        let Some(record) = self.word_record(word) else {
            return Ok(Vec::new());
        };
        let heap = self.heap(SectionKind::WordPostings);
        let terms = postings::decode(record.list.to_native(), heap, self.term_count())
            .ok_or_else(|| self.damaged(SectionKind::WordPostings, "a list cannot be read"))?;
        Ok(terms.into_iter().map(TermOrd).collect())
    }

    /// Words that begin with a folded text, in order, at most `limit`.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when the dictionary is damaged.
    pub fn words_with_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<(String, WordOrd)>> {
        let mut found = Vec::new();
        if limit > 0 {
            self.for_each_word_with_prefix(prefix, |word, ord| {
                found.push((word.to_string(), ord));
                match found.len() < limit {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            })?;
        }
        Ok(found)
    }

    /// Calls `visit` with every word that begins with a folded text, in order, until it breaks.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when the dictionary is damaged.
    pub fn for_each_word_with_prefix(
        &self,
        prefix: &str,
        mut visit: impl FnMut(&str, WordOrd) -> ControlFlow<()>,
    ) -> Result<()> {
        let automaton = Str::new(prefix).starts_with();
        let mut stream = self.word_map()?.search(automaton).into_stream();
        while let Some((word, value)) = stream.next() {
            let ord = self.checked_word(value)?;
            let text = std::str::from_utf8(word).unwrap_or_default();
            if visit(text, ord).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn word_record(&self, word: WordOrd) -> Option<&WordRecord> {
        self.records::<WordRecord>(SectionKind::Words)
            .get(word.0 as usize)
    }

    fn checked_word(&self, value: u64) -> Result<WordOrd> {
        let word = u32::try_from(value).ok().filter(|w| *w < self.word_count());
        word.map(WordOrd)
            .ok_or_else(|| self.damaged(SectionKind::WordFst, "a word is out of range"))
    }

    pub(crate) fn word_map(&self) -> Result<&fst::Map<Bytes>> {
        self.fst(&self.word_fst, SectionKind::WordFst)
    }
}

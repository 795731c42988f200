//! Trigrams: sequences of three bytes in folded names, each with the terms that hold it; search for parts of names.
//!
//! Where it sits: written from the sorted names, read by `search`. Invariants: keys ascend; bytes, not characters, are
//! counted, which finds the same parts because a character's encoding never begins inside another's; every hit is
//! compared with the name itself, so a list only has to hold too much, never too little.

use crate::error::Result;
use crate::ids::{SpellOrd, TermOrd};
use crate::segment::layout::SectionKind;
use crate::segment::names::Names;
use crate::segment::postings::{self, ListWriter};
use crate::segment::reader::Segment;
use crate::segment::writer::SectionWriter;

/// How many lists, the shortest ones, are intersected before names are compared.
const LISTS: usize = 3;

/// Three bytes as a number, the first one highest.
pub(crate) fn key([a, b, c]: [u8; 3]) -> u32 {
    u32::from_be_bytes([0, a, b, c])
}

/// The distinct trigrams of a folded text, ascending.
pub(crate) fn keys_of(text: &[u8], keys: &mut Vec<u32>) {
    keys.clear();
    keys.extend(
        text.windows(3)
            .filter_map(|w| w.first_chunk().copied().map(key)),
    );
    keys.sort_unstable();
    keys.dedup();
}

/// Writes the sections of trigrams.
pub(crate) fn write(writer: &mut SectionWriter<'_>, names: &Names) -> Result<()> {
    let mut pairs: Vec<u64> = Vec::new();
    let mut keys = Vec::new();
    for (term, _) in names.terms() {
        keys_of(names.folded(term).as_bytes(), &mut keys);
        pairs.extend(keys.iter().map(|k| u64::from(*k) << 32 | u64::from(term)));
    }
    pairs.sort_unstable();
    let mut lists = ListWriter::default();
    let mut references = Vec::new();
    let mut distinct = Vec::new();
    let mut list: Vec<u32> = Vec::new();
    for group in pairs.chunk_by(|a, b| a >> 32 == b >> 32) {
        list.clear();
        list.extend(group.iter().map(|pair| *pair as u32));
        references.push(lists.push(&list)?);
        distinct.extend(group.first().map(|pair| (pair >> 32) as u32));
    }
    drop(pairs);
    writer.numbers(SectionKind::TrigramKeys, distinct)?;
    writer.numbers(SectionKind::TrigramLists, references)?;
    writer.byte_section(SectionKind::TrigramPostings, &lists.into_heap())
}

impl Segment {
    /// Terms that hold a folded text, in name order, at most `limit`. Texts of three bytes and more are found by their
    /// trigrams, shorter ones by reading all names.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when a list is damaged.
    pub fn terms_containing(&self, text: &str, limit: Option<usize>) -> Result<Vec<TermOrd>> {
        let limit = limit.unwrap_or(usize::MAX);
        let holds = |term: &TermOrd| self.term_holds(*term, text.as_bytes());
        if text.len() < 3 {
            let all = (0..self.term_count()).map(TermOrd);
            return Ok(all.filter(holds).take(limit).collect());
        }
        let candidates = self.trigram_candidates(text)?;
        let terms = candidates.into_iter().map(TermOrd);
        Ok(terms.filter(holds).take(limit).collect())
    }

    /// Terms that hold the rarest trigrams of a text.
    fn trigram_candidates(&self, text: &str) -> Result<Vec<u32>> {
        let heap = self.heap(SectionKind::TrigramPostings);
        let mut keys = Vec::new();
        keys_of(text.as_bytes(), &mut keys);
        let mut lists: Vec<(u32, u32)> = Vec::with_capacity(keys.len());
        for key in keys {
            let Some(list) = self.trigram_list(key) else {
                return Ok(Vec::new());
            };
            lists.push((postings::count(list, heap), list));
        }
        lists.sort_unstable();
        let mut candidates: Option<Vec<u32>> = None;
        for (_, list) in lists.into_iter().take(LISTS) {
            let terms = self.trigram_postings(list)?;
            candidates = Some(match candidates {
                Some(before) => intersect(&before, &terms),
                None => terms,
            });
        }
        Ok(candidates.unwrap_or_default())
    }

    /// The terms of a trigram; `None` for one that no term holds.
    pub(crate) fn trigram_terms(&self, key: u32) -> Result<Option<Vec<u32>>> {
        let list = self.trigram_list(key);
        list.map(|list| self.trigram_postings(list)).transpose()
    }

    fn trigram_postings(&self, list: u32) -> Result<Vec<u32>> {
        let heap = self.heap(SectionKind::TrigramPostings);
        postings::decode(list, heap, self.term_count())
            .ok_or_else(|| self.damaged(SectionKind::TrigramPostings, "a list cannot be read"))
    }

    /// The reference of a trigram's list.
    fn trigram_list(&self, key: u32) -> Option<u32> {
        let keys = self.numbers(SectionKind::TrigramKeys);
        let at = keys.binary_search_by_key(&key, |k| k.to_native()).ok()?;
        self.number(SectionKind::TrigramLists, at)
    }

    /// Whether the folded name of a term holds a folded text.
    fn term_holds(&self, term: TermOrd, text: &[u8]) -> bool {
        if text.is_empty() {
            return true;
        }
        let spelling = self.spelling_bytes(SpellOrd(self.spellings(term).start));
        if spelling.is_ascii() {
            let mut windows = spelling.windows(text.len());
            return windows.any(|w| {
                w.iter()
                    .zip(text)
                    .all(|(a, b)| a.to_ascii_lowercase() == *b)
            });
        }
        let folded = self.term_text(term);
        folded.as_bytes().windows(text.len()).any(|w| w == text)
    }
}

/// Numbers that stand in both ascending lists.
fn intersect(short: &[u32], long: &[u32]) -> Vec<u32> {
    let mut rest = long;
    let mut both = Vec::with_capacity(short.len().min(long.len()));
    for number in short {
        let skip = rest.partition_point(|n| n < number);
        rest = rest.get(skip..).unwrap_or_default();
        if rest.first() == Some(number) {
            both.push(*number);
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigrams_are_distinct_and_ascend() {
        let mut keys = Vec::new();
        keys_of(b"banana", &mut keys);
        assert_eq!(keys, [key(*b"ana"), key(*b"ban"), key(*b"nan")]);
        keys_of(b"ab", &mut keys);
        assert!(keys.is_empty());
    }

    #[test]
    fn intersection_keeps_what_both_have() {
        assert_eq!(intersect(&[1, 5, 9, 12], &[0, 5, 6, 7, 12, 13]), [5, 12]);
        assert_eq!(intersect(&[], &[1]), [] as [u32; 0]);
        assert_eq!(intersect(&[4], &[]), [] as [u32; 0]);
    }
}

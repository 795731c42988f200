//! The name dictionary, writing side: distinct exact names, sorted by (folded, exact), with the nodes of each.
//!
//! Where it sits: filled by [`super::builder`] and [`super::merge`], written by [`super::tables`], read through
//! [`super::terms`]. Invariants: the numbers given out while names arrive are temporary; after sorting, ordinals depend
//! on the set of names alone, whatever the order of arrival.

use std::ops::Range;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, ErrorKind, Result};
use crate::segment::fold::fold;
use crate::segment::layout::SectionKind;
use crate::segment::postings::ListWriter;
use crate::segment::writer::SectionWriter;

/// Distinct texts, numbered as they arrive.
#[derive(Default)]
pub(crate) struct Interner {
    heap: String,
    ends: Vec<u32>,
    /// From hash to number. A text whose hash is taken by another one goes to the next free number above; nothing is
    /// ever removed, so the walk from the hash upwards meets every text that was pushed aside.
    by_hash: FxHashMap<u64, u32>,
}

impl Interner {
    /// The number of a text, a new one if it has not been seen.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] past 4 GiB of distinct text.
    pub(crate) fn intern(&mut self, text: &str) -> Result<u32> {
        self.intern_hashed(xxh3_64(text.as_bytes()), text)
    }

    /// The same for a text whose XXH3 is known.
    pub(crate) fn intern_hashed(&mut self, mut hash: u64, text: &str) -> Result<u32> {
        while let Some(id) = self.by_hash.get(&hash) {
            if self.get(*id) == text {
                return Ok(*id);
            }
            hash = hash.wrapping_add(1);
        }
        let id = self.ends.len() as u32;
        let end = u32::try_from(self.heap.len() + text.len()).map_err(|_| {
            Error::new(ErrorKind::Limit, "names of the index pass 4 GiB")
                .remedy("index parts of the tree into stores of their own")
        })?;
        self.heap.push_str(text);
        self.ends.push(end);
        self.by_hash.insert(hash, id);
        Ok(id)
    }

    /// The text of a number; empty for one that was not given out.
    pub(crate) fn get(&self, id: u32) -> &str {
        let at = id as usize;
        let start = at.checked_sub(1).and_then(|i| self.ends.get(i));
        let start = start.copied().unwrap_or(0) as usize;
        let end = self.ends.get(at).copied().unwrap_or(0) as usize;
        self.heap.get(start..end).unwrap_or_default()
    }

    /// How many distinct texts there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Gives back the memory of the lookup; no text can be added without making duplicates.
    pub(crate) fn seal(&mut self) {
        self.by_hash = FxHashMap::default();
    }

    /// The numbers in byte order of their texts.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        // Most comparisons are settled by the first eight bytes, without a look at the heap.
        let mut keyed: Vec<(u64, u32)> = (0..self.ends.len() as u32)
            .map(|id| (head(self.get(id)), id))
            .collect();
        keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.get(a.1).cmp(self.get(b.1))));
        keyed.into_iter().map(|(_, id)| id).collect()
    }
}

/// The first eight bytes as a number that orders like them.
fn head(text: &str) -> u64 {
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(text.bytes()) {
        *to = from;
    }
    u64::from_be_bytes(bytes)
}

/// For an order of things, the place of each thing in it.
pub(crate) fn inverse(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, thing) in (0..).zip(order) {
        if let Some(slot) = places.get_mut(*thing as usize) {
            *slot = place;
        }
    }
    places
}

/// All names of a segment, sorted.
pub(crate) struct Names {
    exact: Interner,
    folded: Interner,
    /// Temporary number of each spelling, in final order.
    order: Vec<u32>,
    /// Final place of each temporary number.
    places: Vec<u32>,
    /// Temporary number in `folded` of each term, in final order.
    term_order: Vec<u32>,
    /// First spelling of each term, and the end.
    term_starts: Vec<u32>,
    /// First entry in `nodes` of each spelling, and the end.
    node_starts: Vec<u32>,
    /// Nodes by spelling.
    nodes: Vec<u32>,
}

impl Names {
    /// Sorts the names; `exact` holds those that occur.
    pub(crate) fn sort(mut exact: Interner) -> Result<Self> {
        exact.seal();
        let mut folded = Interner::default();
        let mut terms_of = Vec::with_capacity(exact.len());
        for id in 0..exact.len() as u32 {
            terms_of.push(folded.intern(&fold(exact.get(id)))?);
        }
        folded.seal();
        let term_order = folded.sorted();
        let term_places = inverse(&term_order);
        let place_of = |id: u32| {
            let term = terms_of.get(id as usize).copied().unwrap_or_default();
            term_places.get(term as usize).copied().unwrap_or_default()
        };
        let mut order: Vec<u32> = (0..exact.len() as u32).collect();
        order.sort_unstable_by(|a, b| {
            place_of(*a)
                .cmp(&place_of(*b))
                .then_with(|| exact.get(*a).cmp(exact.get(*b)))
        });
        let mut term_starts = Vec::with_capacity(term_order.len() + 1);
        let mut last = None;
        for (spelling, id) in (0..).zip(&order) {
            let term = place_of(*id);
            if last != Some(term) {
                term_starts.push(spelling);
                last = Some(term);
            }
        }
        term_starts.push(order.len() as u32);
        let places = inverse(&order);
        Ok(Self {
            exact,
            folded,
            order,
            places,
            term_order,
            term_starts,
            node_starts: Vec::new(),
            nodes: Vec::new(),
        })
    }

    /// The final place of a temporary number.
    pub(crate) fn place(&self, id: u32) -> u32 {
        self.places.get(id as usize).copied().unwrap_or_default()
    }

    /// Sorts nodes by their spelling, which is given for each in final numbers.
    pub(crate) fn assign(&mut self, spelling_of: &[u32]) {
        let (starts, nodes) = group_by(spelling_of, self.order.len());
        self.node_starts = starts;
        self.nodes = nodes;
        self.places = Vec::new();
    }

    /// Terms with their spellings, in final numbers.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (u32, Range<u32>)> {
        let pairs = self.term_starts.iter().zip(self.term_starts.iter().skip(1));
        (0..).zip(pairs.map(|(start, end)| *start..*end))
    }

    /// An exact name.
    pub(crate) fn exact(&self, spelling: u32) -> &str {
        let id = self.order.get(spelling as usize);
        id.map_or("", |id| self.exact.get(*id))
    }

    /// A folded name.
    pub(crate) fn folded(&self, term: u32) -> &str {
        let id = self.term_order.get(term as usize);
        id.map_or("", |id| self.folded.get(*id))
    }

    /// How many nodes have that folded name.
    pub(crate) fn term_df(&self, term: u32) -> u32 {
        let start = |t: usize| {
            let spelling = self.term_starts.get(t).copied().unwrap_or_default();
            let start = self.node_starts.get(spelling as usize);
            start.copied().unwrap_or_default()
        };
        start(term as usize + 1).saturating_sub(start(term as usize))
    }

    /// Number of terms.
    pub(crate) fn term_count(&self) -> u32 {
        self.term_order.len() as u32
    }

    /// Number of spellings.
    pub(crate) fn spelling_count(&self) -> u32 {
        self.order.len() as u32
    }

    /// Writes the sections of spellings, terms and their nodes.
    pub(crate) fn write(&mut self, writer: &mut SectionWriter<'_>) -> Result<()> {
        let mut offsets = Vec::with_capacity(self.order.len() + 1);
        let mut offset = 0u32;
        for id in &self.order {
            offsets.push(offset);
            offset += self.exact.get(*id).len() as u32;
        }
        offsets.push(offset);
        writer.numbers(SectionKind::SpellingOffsets, offsets)?;
        writer.begin(SectionKind::Spellings)?;
        for id in &self.order {
            writer.bytes(self.exact.get(*id).as_bytes())?;
        }
        writer.end_bytes()?;
        writer.numbers(SectionKind::TermSpellings, self.term_starts.iter().copied())?;

        writer.begin(SectionKind::TermFst)?;
        let mut builder = fst::MapBuilder::memory();
        for (term, id) in (0..).zip(&self.term_order) {
            builder
                .insert(self.folded.get(*id), term)
                .map_err(fst_refused)?;
        }
        writer.bytes(&builder.into_inner().map_err(fst_refused)?)?;
        writer.end_bytes()?;

        let mut lists = ListWriter::default();
        let mut references = Vec::with_capacity(self.order.len());
        let bounds = self.node_starts.iter().zip(self.node_starts.iter().skip(1));
        for (start, end) in bounds {
            let nodes = self.nodes.get(*start as usize..*end as usize);
            references.push(lists.push(nodes.unwrap_or_default())?);
        }
        self.nodes = Vec::new();
        writer.numbers(SectionKind::NodeLists, references)?;
        writer.byte_section(SectionKind::NodePostings, &lists.into_heap())
    }
}

/// Sorts the places of `groups` by the group that stands there: the start of each group, and the end; then the places.
pub(crate) fn group_by(groups: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; count + 1];
    for group in groups {
        if let Some(slot) = starts.get_mut(*group as usize + 1) {
            *slot += 1;
        }
    }
    let mut sum = 0;
    for slot in &mut starts {
        sum += *slot;
        *slot = sum;
    }
    let mut next = starts.clone();
    let mut places = vec![0u32; groups.len()];
    for (place, group) in (0..).zip(groups) {
        let Some(cursor) = next.get_mut(*group as usize) else {
            continue;
        };
        if let Some(slot) = places.get_mut(*cursor as usize) {
            *slot = place;
        }
        *cursor += 1;
    }
    (starts, places)
}

/// An fst builder refuses keys out of order only; the callers sort them.
pub(crate) fn fst_refused(source: fst::Error) -> Error {
    Error::new(ErrorKind::Invalid, "names could not be put in order").caused_by(source)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    #[test]
    fn texts_are_numbered_once_even_when_hashes_collide() {
        let mut interner = Interner::default();
        assert_eq!(interner.intern_hashed(7, "a").unwrap(), 0);
        assert_eq!(interner.intern_hashed(7, "b").unwrap(), 1);
        assert_eq!(interner.intern_hashed(8, "c").unwrap(), 2);
        assert_eq!(interner.intern_hashed(7, "b").unwrap(), 1);
        assert_eq!(interner.intern_hashed(8, "c").unwrap(), 2);
        assert_eq!(interner.intern_hashed(7, "a").unwrap(), 0);
        assert_eq!(interner.get(2), "c");
        assert_eq!(interner.get(9), "");
    }

    #[test]
    fn texts_sort_by_bytes_past_the_first_eight() {
        let mut interner = Interner::default();
        for text in ["prefix__b", "prefix__", "a\0", "a", "", "prefix__a", "b"] {
            interner.intern(text).unwrap();
        }
        let sorted: Vec<&str> = interner
            .sorted()
            .into_iter()
            .map(|id| interner.get(id))
            .collect();
        assert!(sorted.is_sorted(), "{sorted:?}");
        assert_eq!(sorted.len(), 7);
    }

    #[test]
    fn names_are_ordered_by_folded_then_exact() {
        let mut interner = Interner::default();
        for name in ["get", "Get", "GET", "b", "Á", "a"] {
            interner.intern(name).unwrap();
        }
        let names = Names::sort(interner).unwrap();
        let exact: Vec<&str> = (0..6).map(|s| names.exact(s)).collect();
        assert_eq!(exact, ["a", "Á", "b", "GET", "Get", "get"]);
        let terms: Vec<_> = names.terms().collect();
        assert_eq!(terms, [(0, 0..2), (1, 2..3), (2, 3..6)]);
        assert_eq!(names.place(0), 5);
    }
}

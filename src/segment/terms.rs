//! The name dictionary, reading side: folded name → term → exact spellings → nodes.
//!
//! Where it sits: accessors of [`Segment`] for `search` and `snapshot`; [`super::names`] writes what they read.
//! Invariants: terms are numbered in byte order of their folded names, spellings in order of (folded, exact); an fst is
//! only read after its checksum was compared, once, at first use, because damaged ones can panic.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use fst::automaton::{Levenshtein, Str};
use fst::{Automaton, IntoStreamer, Streamer};

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{NodeIdx, SpellOrd, TermOrd};
use crate::segment::fold::fold;
use crate::segment::layout::SectionKind;
use crate::segment::postings;
use crate::segment::reader::Segment;
use crate::storage::mmap::Bytes;

/// Edits beyond which an automaton is refused: it would be large and would accept nearly anything.
const MAX_DISTANCE: u32 = 3;

impl Segment {
    /// Number of distinct folded names.
    pub fn term_count(&self) -> u32 {
        self.count(SectionKind::TermSpellings).saturating_sub(1)
    }

    /// Number of distinct exact names.
    pub fn spelling_count(&self) -> u32 {
        self.count(SectionKind::NodeLists)
    }

    /// The term of a folded name.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the dictionary is damaged.
    pub fn term(&self, folded: &str) -> Result<Option<TermOrd>> {
        let found = self.term_map()?.get(folded);
        found.map(|value| self.checked_term(value)).transpose()
    }

    /// The folded name of a term; empty for an ordinal of another segment.
    pub fn term_text(&self, term: TermOrd) -> Cow<'_, str> {
        let first = self.spellings(term).start;
        fold(self.spelling(SpellOrd(first)))
    }

    /// The exact spellings of a term.
    pub fn spellings(&self, term: TermOrd) -> Range<u32> {
        let starts = self.numbers(SectionKind::TermSpellings);
        match (starts.get(term.index()), starts.get(term.index() + 1)) {
            (Some(start), Some(end)) => {
                let end = end.to_native().min(self.spelling_count());
                start.to_native().min(end)..end
            }
            _ => 0..0,
        }
    }

    /// The term that a spelling belongs to.
    pub fn term_of(&self, spelling: SpellOrd) -> Option<TermOrd> {
        if spelling.0 >= self.spelling_count() {
            return None;
        }
        let starts = self.numbers(SectionKind::TermSpellings);
        let after = starts.partition_point(|s| s.to_native() <= spelling.0);
        let term = TermOrd::from_index(after.checked_sub(1)?)?;
        (term.0 < self.term_count()).then_some(term)
    }

    /// An exact name; empty for an ordinal of another segment and for damaged text.
    pub fn spelling(&self, spelling: SpellOrd) -> &str {
        std::str::from_utf8(self.spelling_bytes(spelling)).unwrap_or_default()
    }

    pub(crate) fn spelling_bytes(&self, spelling: SpellOrd) -> &[u8] {
        let offsets = self.numbers(SectionKind::SpellingOffsets);
        match (
            offsets.get(spelling.index()),
            offsets.get(spelling.index() + 1),
        ) {
            (Some(start), Some(end)) => {
                let range = start.to_native() as usize..end.to_native() as usize;
                self.heap(SectionKind::Spellings)
                    .get(range)
                    .unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// The nodes of that exact name, ascending. The dead ones are among them.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the list is damaged.
    pub fn nodes_spelled(&self, spelling: SpellOrd) -> Result<Vec<NodeIdx>> {
        let Some(list) = self.number(SectionKind::NodeLists, spelling.index()) else {
            return Ok(Vec::new());
        };
        let heap = self.heap(SectionKind::NodePostings);
        let nodes = postings::decode(list, heap, self.node_count())
            .ok_or_else(|| self.damaged(SectionKind::NodePostings, "a list cannot be read"))?;
        Ok(nodes.into_iter().map(NodeIdx).collect())
    }

    /// How many nodes have that exact name, without reading which.
    pub fn spelling_df(&self, spelling: SpellOrd) -> u32 {
        let list = self.number(SectionKind::NodeLists, spelling.index());
        let heap = self.heap(SectionKind::NodePostings);
        list.map_or(0, |list| postings::count(list, heap))
    }

    /// How many nodes have that folded name.
    pub fn term_df(&self, term: TermOrd) -> u32 {
        self.spellings(term).fold(0, |sum: u32, spelling| {
            sum.saturating_add(self.spelling_df(SpellOrd(spelling)))
        })
    }

    /// Terms that begin with a folded text, in name order, at most `limit`.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the dictionary is damaged.
    pub fn terms_with_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<TermOrd>> {
        self.matching_terms(Str::new(prefix).starts_with(), limit)
    }

    /// Terms within `distance` edits of a folded text, in name order, at most `limit`. An edit inserts, deletes or replaces
    /// one character.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for a distance above three or a text too long for its automaton, [`ErrorKind::Corrupt`] when
    /// the dictionary is damaged.
    pub fn terms_near(&self, text: &str, distance: u32, limit: usize) -> Result<Vec<TermOrd>> {
        let refused = || {
            Error::new(
                ErrorKind::Invalid,
                format!("no names within {distance} edits can be looked for"),
            )
            .remedy("ask for fewer edits or a shorter text")
        };
        if distance > MAX_DISTANCE {
            return Err(refused());
        }
        let automaton = Levenshtein::new(text, distance).map_err(|e| refused().caused_by(e))?;
        self.matching_terms(automaton, limit)
    }

    fn matching_terms(&self, automaton: impl Automaton, limit: usize) -> Result<Vec<TermOrd>> {
        let mut stream = self.term_map()?.search(automaton).into_stream();
        let mut found = Vec::new();
        while found.len() < limit {
            let Some((_, value)) = stream.next() else {
                break;
            };
            found.push(self.checked_term(value)?);
        }
        Ok(found)
    }

    fn checked_term(&self, value: u64) -> Result<TermOrd> {
        let term = u32::try_from(value).ok().filter(|t| *t < self.term_count());
        term.map(TermOrd)
            .ok_or_else(|| self.damaged(SectionKind::TermFst, "a term is out of range"))
    }

    pub(crate) fn term_map(&self) -> Result<&fst::Map<Bytes>> {
        self.fst(&self.term_fst, SectionKind::TermFst)
    }

    /// The fst of a section, opened and compared with its checksum when it is first asked for.
    pub(crate) fn fst<'a>(
        &'a self,
        slot: &'a OnceLock<Result<fst::Map<Bytes>, String>>,
        kind: SectionKind,
    ) -> Result<&'a fst::Map<Bytes>> {
        let opened = slot.get_or_init(|| {
            self.check_section(kind)
                .map_err(|_| "its checksum is wrong".to_string())?;
            let bytes = self.owned_heap(kind).unwrap_or_default();
            fst::Map::new(bytes).map_err(|e| e.to_string())
        });
        opened.as_ref().map_err(|what| self.damaged(kind, what))
    }
}

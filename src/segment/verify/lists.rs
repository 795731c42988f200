//! Checks of names, words and trigrams: the lists are what the names and nodes say they should be.

use std::collections::BTreeMap;

use fst::Streamer;

use super::Check;
use crate::ids::{SpellOrd, TermOrd};
use crate::segment::fold::{fold, words};
use crate::segment::layout::{NodeRecord, SectionKind as S};
use crate::segment::trigram;
use crate::segment::words::WordOrd;

/// Sections that names are made of.
const NAMES: [S; 6] = [
    S::SpellingOffsets,
    S::Spellings,
    S::TermSpellings,
    S::TermFst,
    S::NodeLists,
    S::NodePostings,
];

impl Check<'_> {
    /// Spellings are sorted and folded as their terms say; their lists are exactly the nodes of that name.
    pub(super) fn names(&mut self) {
        if !self.intact(&NAMES) {
            return;
        }
        let segment = self.segment;
        self.offsets(S::SpellingOffsets, segment.heap(S::Spellings).len());
        self.offsets(S::TermSpellings, segment.spelling_count() as usize);
        self.term_fst();
        let mut last: Option<(String, &str)> = None;
        for term in (0..segment.term_count()).map(TermOrd) {
            if segment.spellings(term).is_empty() {
                self.wrong(S::TermSpellings, term.index(), "a term has no spelling");
            }
            let text = segment.term_text(term).into_owned();
            for spelling in segment.spellings(term).map(SpellOrd) {
                let exact = segment.spelling(spelling);
                let this = (fold(exact).into_owned(), exact);
                let sorted = last.as_ref().is_none_or(|last| *last < this);
                if !sorted || this.0 != text {
                    let at = spelling.index();
                    self.wrong(
                        S::SpellingOffsets,
                        at,
                        "spellings are not sorted under their term",
                    );
                }
                last = Some(this);
            }
        }
        self.node_lists();
    }

    fn term_fst(&mut self) {
        let segment = self.segment;
        let map = match segment.term_map() {
            Ok(map) => map,
            Err(e) => return self.wrong(S::TermFst, 0, e.to_string()),
        };
        let mut stream = map.stream();
        let mut next = 0;
        while let Some((text, value)) = stream.next() {
            let term = u32::try_from(value).unwrap_or(u32::MAX);
            if value != next || segment.term_text(TermOrd(term)).as_bytes() != text {
                self.wrong(S::TermFst, 0, format!("the term {value} has another name"));
            }
            next += 1;
        }
        if next != u64::from(segment.term_count()) {
            self.wrong(S::TermFst, 0, "terms are missing");
        }
    }

    fn node_lists(&mut self) {
        let segment = self.segment;
        let nodes = segment.records::<NodeRecord>(S::Nodes);
        let check_nodes = self.intact(&[S::Nodes]);
        let mut listed = 0;
        for spelling in (0..segment.spelling_count()).map(SpellOrd) {
            let list = match segment.nodes_spelled(spelling) {
                Ok(list) => list,
                Err(e) => {
                    self.wrong(S::NodeLists, spelling.index(), e.to_string());
                    continue;
                }
            };
            listed += list.len();
            if list.is_empty() || list.len() != segment.spelling_df(spelling) as usize {
                self.wrong(
                    S::NodeLists,
                    spelling.index(),
                    "the list is empty or miscounted",
                );
            }
            let other = list.iter().any(|node| {
                nodes
                    .get(node.index())
                    .is_none_or(|n| n.spelling.to_native() != spelling.0)
            });
            if check_nodes && other {
                self.wrong(S::NodeLists, spelling.index(), "a node has another name");
            }
        }
        // Every listed node has the name of its list and lists do not repeat, so equal numbers mean that none is missing.
        if listed != nodes.len() {
            self.wrong(S::NodeLists, 0, "nodes are missing from the lists");
        }
    }

    /// Words and their lists are those of the spellings.
    pub(super) fn words(&mut self) {
        let needed = [S::WordFst, S::Words, S::WordPostings];
        if !self.intact(&NAMES) || !self.intact(&needed) {
            return;
        }
        let segment = self.segment;
        let mut expected: BTreeMap<String, Vec<TermOrd>> = BTreeMap::new();
        for term in (0..segment.term_count()).map(TermOrd) {
            for spelling in segment.spellings(term).map(SpellOrd) {
                for word in words(segment.spelling(spelling)) {
                    let terms = expected.entry(word).or_default();
                    if terms.last() != Some(&term) {
                        terms.push(term);
                    }
                }
            }
        }
        let map = match segment.word_map() {
            Ok(map) => map,
            Err(e) => return self.wrong(S::WordFst, 0, e.to_string()),
        };
        let mut stream = map.stream();
        let mut expected = expected.iter();
        let mut next = 0u64;
        while let Some((text, value)) = stream.next() {
            let (word, terms) = match expected.next() {
                Some((word, terms)) if word.as_bytes() == text && value == next => (word, terms),
                _ => return self.wrong(S::WordFst, 0, "words are not those of the names"),
            };
            let ord = WordOrd(next as u32);
            if segment.terms_with_word(ord).as_ref().ok() != Some(terms) {
                let message = format!("the list of {word} is not that of the names");
                self.wrong(S::Words, ord.0 as usize, message);
            }
            let nodes = terms
                .iter()
                .fold(0u32, |sum, term| sum.saturating_add(segment.term_df(*term)));
            if segment.word_df(ord) != nodes {
                self.wrong(S::Words, ord.0 as usize, "the number of nodes is wrong");
            }
            next += 1;
        }
        if expected.next().is_some() || next != u64::from(segment.word_count()) {
            self.wrong(S::WordFst, 0, "words are missing");
        }
    }

    /// Trigrams and their lists are those of the terms.
    pub(super) fn trigrams(&mut self) {
        let needed = [S::TrigramKeys, S::TrigramLists, S::TrigramPostings];
        if !self.intact(&NAMES) || !self.intact(&needed) {
            return;
        }
        let segment = self.segment;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut keys = Vec::new();
        for term in 0..segment.term_count() {
            trigram::keys_of(segment.term_text(TermOrd(term)).as_bytes(), &mut keys);
            pairs.extend(keys.iter().map(|key| (*key, term)));
        }
        pairs.sort_unstable();
        let stored = segment.numbers(S::TrigramKeys);
        let mut groups = pairs.chunk_by(|a, b| a.0 == b.0);
        for (i, key) in stored.iter().enumerate() {
            let key = key.to_native();
            let Some(group) = groups.next() else {
                return self.wrong(S::TrigramKeys, i, "the trigram occurs in no name");
            };
            if group.first().map(|pair| pair.0) != Some(key) {
                return self.wrong(S::TrigramKeys, i, "trigrams are not those of the names");
            }
            let list = segment.trigram_terms(key).ok().flatten();
            let same = list.is_some_and(|list| list.iter().eq(group.iter().map(|(_, term)| term)));
            if !same {
                self.wrong(S::TrigramLists, i, "the list is not that of the names");
            }
        }
        if groups.next().is_some() {
            self.wrong(S::TrigramKeys, stored.len(), "trigrams are missing");
        }
    }
}

//! Checks of texts: the dictionary counts its words, lists are whole and bounded as they say, lengths add up.

use fst::Streamer;

use super::Check;
use crate::segment::layout::{SectionKind as S, TextRecord};
use crate::segment::text::{Bound, Cursor, TextKind, length_of, write_list};
use crate::segment::toc::StatKind;

/// Sections that texts are made of.
const TEXTS: [S; 5] = [
    S::TextFst,
    S::TextPostings,
    S::TextWords,
    S::NodeLengths,
    S::FileLengths,
];

impl Check<'_> {
    /// Words are numbered in order; each one's lists follow those of the word before, hold documents only, and are written as
    /// a writer would write them, which includes every bound.
    pub(super) fn texts(&mut self) {
        let segment = self.segment;
        // Older versions have none.
        if segment.format_minor() == 0 || !self.intact(&TEXTS) {
            return;
        }
        self.text_words();
        self.text_totals();
        let records = segment.records::<TextRecord>(S::TextWords);
        let heap = segment.heap(S::TextPostings);
        let mut place = 0usize;
        for (i, record) in records.iter().enumerate() {
            let word = i as u32;
            let mut written = Vec::new();
            let nodes = segment.node_cursor(word);
            let first = self.text_list(i, TextKind::Nodes, nodes, &mut written);
            let files_at = written.len();
            let files = segment.file_cursor(word);
            let second = self.text_list(i, TextKind::Files, files, &mut written);
            let same = record.start.to_native() == place as u64
                && record.files_at.to_native() as usize == files_at
                && first
                    == (
                        record.nodes.to_native(),
                        record.node_level,
                        record.node_length,
                    )
                && second
                    == (
                        record.files.to_native(),
                        record.file_level,
                        record.file_length,
                    )
                && record
                    .nodes
                    .to_native()
                    .checked_add(record.files.to_native())
                    > Some(0);
            if !same {
                self.wrong(
                    S::TextWords,
                    i,
                    "a word's lists are not where or what it says",
                );
                return;
            }
            if heap.get(place..).and_then(|h| h.get(..written.len())) != Some(written.as_slice()) {
                self.wrong(
                    S::TextPostings,
                    place,
                    "a list is not written as it should be",
                );
            }
            place += written.len();
        }
        if place != heap.len() {
            self.wrong(S::TextPostings, place, "bytes belong to no list");
        }
    }

    /// Reads a list and writes it again: how many documents it has, and its bound.
    fn text_list(
        &mut self,
        word: usize,
        kind: TextKind,
        mut cursor: Cursor<'_>,
        written: &mut Vec<u8>,
    ) -> (u32, u8, u8) {
        let lengths = self.segment.text_lengths(kind);
        let mut list = Vec::new();
        while cursor.document() != u32::MAX {
            list.push((cursor.document(), cursor.level()));
            cursor.next();
        }
        let length = |document: u32| lengths.get(document as usize).copied().unwrap_or_default();
        if cursor.is_damaged() || list.iter().any(|(d, level)| length(*d) == 0 || *level == 0) {
            self.wrong(
                S::TextWords,
                word,
                "a list cannot be read or holds what is no document",
            );
        }
        let bound: Bound = write_list(written, &list, length);
        (list.len() as u32, bound.level, bound.length)
    }

    fn text_words(&mut self) {
        let segment = self.segment;
        let map = match segment.text_map() {
            Ok(map) => map,
            Err(e) => return self.wrong(S::TextFst, 0, e.to_string()),
        };
        let mut stream = map.stream();
        let mut next = 0;
        while let Some((word, value)) = stream.next() {
            if value != next || std::str::from_utf8(word).is_err() {
                self.wrong(S::TextFst, 0, format!("the word {value} is out of order"));
            }
            next += 1;
        }
        if next != u64::from(segment.text_word_count()) {
            self.wrong(S::TextFst, 0, "words are missing");
        }
    }

    fn text_totals(&mut self) {
        let segment = self.segment;
        let sum = |kind| {
            let codes = segment.text_lengths(kind).iter();
            codes.map(|c| u64::from(length_of(*c))).sum::<u64>()
        };
        let nodes = segment.text_lengths(TextKind::Nodes);
        let documents = nodes.iter().filter(|c| **c > 0).count() as u64;
        for (stat, section, actual) in [
            (
                StatKind::TextWords,
                S::TextWords,
                u64::from(segment.text_word_count()),
            ),
            (StatKind::Documents, S::NodeLengths, documents),
            (
                StatKind::DocumentWords,
                S::NodeLengths,
                sum(TextKind::Nodes),
            ),
            (StatKind::FileWords, S::FileLengths, sum(TextKind::Files)),
        ] {
            if segment.contents().stat(stat) != Some(actual) {
                self.wrong(
                    section,
                    0,
                    format!("the number of {stat:?} is not {actual}"),
                );
            }
        }
        if segment.text_lengths(TextKind::Files).contains(&0) {
            self.wrong(S::FileLengths, 0, "a file has no length");
        }
    }
}

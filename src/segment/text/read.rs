//! Texts, reading side: word → lists, lengths, totals.
//!
//! Where it sits: accessors of [`Segment`] for `snapshot` and `search`. A segment without texts has no words and no
//! documents. Invariant: no stored number is trusted; what lies outside reads as nothing or as damage.

use fst::Streamer;

use crate::error::Result;
use crate::segment::layout::{SectionKind, TextRecord};
use crate::segment::reader::Segment;
use crate::segment::text::length_of;
use crate::segment::text::list::{Bound, Cursor};
use crate::segment::toc::StatKind;
use crate::storage::mmap::Bytes;

/// Which documents a list is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Nodes.
    Nodes,
    /// Whole files.
    Files,
}

/// A word's place in the text dictionary of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextWord(pub u32);

impl Segment {
    /// Number of different words of texts.
    pub fn text_word_count(&self) -> u32 {
        self.count(SectionKind::TextWords)
    }

    /// The place of a stem.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when the dictionary is damaged.
    pub fn text_word(&self, stem: &str) -> Result<Option<TextWord>> {
        if self.text_word_count() == 0 {
            return Ok(None);
        }
        let found = self
            .text_map()?
            .get(stem)
            .and_then(|v| u32::try_from(v).ok());
        Ok(found.filter(|w| *w < self.text_word_count()).map(TextWord))
    }

    /// How many documents hold the word, dead ones included.
    pub fn text_df(&self, word: TextWord, kind: TextKind) -> u32 {
        self.text_record(word.0).map_or(0, |r| match kind {
            TextKind::Nodes => r.nodes.to_native(),
            TextKind::Files => r.files.to_native(),
        })
    }

    /// The documents that hold the word.
    pub fn text_cursor(&self, word: TextWord, kind: TextKind) -> Cursor<'_> {
        match kind {
            TextKind::Nodes => self.node_cursor(word.0),
            TextKind::Files => self.file_cursor(word.0),
        }
    }

    /// How many documents there are and how long they are together, dead ones included.
    pub fn text_totals(&self, kind: TextKind) -> (u64, u64) {
        let stat = |kind| self.contents().stat(kind).unwrap_or_default();
        match kind {
            TextKind::Nodes => (stat(StatKind::Documents), stat(StatKind::DocumentWords)),
            TextKind::Files if self.text_word_count() == 0 => (0, 0),
            TextKind::Files => (u64::from(self.file_count()), stat(StatKind::FileWords)),
        }
    }

    /// The stored lengths of all documents, by node or file; 0 stands for no document.
    pub fn text_lengths(&self, kind: TextKind) -> &[u8] {
        self.heap(match kind {
            TextKind::Nodes => SectionKind::NodeLengths,
            TextKind::Files => SectionKind::FileLengths,
        })
    }

    /// How many documents lie in a range and how long they are together.
    pub(crate) fn text_totals_in(&self, kind: TextKind, range: std::ops::Range<u32>) -> (u64, u64) {
        let range = range.start as usize..range.end as usize;
        let codes = self.text_lengths(kind).get(range).unwrap_or_default();
        codes
            .iter()
            .filter(|c| **c > 0)
            .fold((0, 0), |(count, sum), code| {
                (count + 1, sum + u64::from(length_of(*code)))
            })
    }

    pub(crate) fn node_cursor(&self, word: u32) -> Cursor<'_> {
        let limit = self.text_lengths(TextKind::Nodes).len() as u32;
        let Some(record) = self.text_record(word) else {
            return Cursor::new(&[], 0, 0, Bound::default());
        };
        let bound = Bound {
            level: record.node_level,
            length: record.node_length,
        };
        Cursor::new(
            self.text_list(record, 0),
            record.nodes.to_native(),
            limit,
            bound,
        )
    }

    pub(crate) fn file_cursor(&self, word: u32) -> Cursor<'_> {
        let limit = self.text_lengths(TextKind::Files).len() as u32;
        let Some(record) = self.text_record(word) else {
            return Cursor::new(&[], 0, 0, Bound::default());
        };
        let bound = Bound {
            level: record.file_level,
            length: record.file_length,
        };
        let list = self.text_list(record, record.files_at.to_native());
        Cursor::new(list, record.files.to_native(), limit, bound)
    }

    fn text_list(&self, record: &TextRecord, at: u32) -> &[u8] {
        let start = record.start.to_native().checked_add(u64::from(at));
        let start = start.and_then(|s| usize::try_from(s).ok());
        let heap = self.heap(SectionKind::TextPostings);
        start.and_then(|s| heap.get(s..)).unwrap_or_default()
    }

    pub(crate) fn text_record(&self, word: u32) -> Option<&TextRecord> {
        self.records::<TextRecord>(SectionKind::TextWords)
            .get(word as usize)
    }

    /// Calls `visit` with every word, in order.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when the dictionary is damaged.
    pub fn for_each_text_word(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        if self.text_word_count() == 0 {
            return Ok(());
        }
        let mut stream = self.text_map()?.stream();
        while let Some((word, _)) = stream.next() {
            visit(std::str::from_utf8(word).unwrap_or_default());
        }
        Ok(())
    }

    pub(crate) fn text_map(&self) -> Result<&fst::Map<Bytes>> {
        self.fst(&self.text_fst, SectionKind::TextFst)
    }
}

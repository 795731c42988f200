//! Words of texts over all parts of a snapshot.
//!
//! Where it sits: what `search` asks about full texts; joins the dictionaries and lists of base and deltas. Invariant:
//! frequencies and totals count live documents only, so that the same content gives the same figures whatever the history
//! of the index; the work for that is bounded by what is dead.

use crate::error::Result;
use crate::ids::{FileOrd, NodeIdx};
use crate::segment::text::{Cursor, TextKind, TextWord};
use crate::snapshot::open::{Part, Snapshot};

/// A stem with its place in every part.
#[derive(Clone, Debug, Default)]
pub struct TextTerm {
    words: Vec<Option<TextWord>>,
}

impl Snapshot {
    /// Looks a stem up in every part.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for a damaged dictionary.
    pub fn text_term(&self, stem: &str) -> Result<TextTerm> {
        let words = self.parts.iter().map(|p| p.segment.text_word(stem));
        Ok(TextTerm {
            words: words.collect::<Result<_>>()?,
        })
    }

    /// How many live documents hold the word.
    pub fn text_frequency(&self, term: &TextTerm, kind: TextKind) -> u64 {
        let counts = self.parts.iter().zip(&term.words).map(|(part, word)| {
            let Some(word) = word else { return 0 };
            let all = u64::from(part.segment.text_df(*word, kind));
            let mut dead = 0;
            let mut cursor = None;
            part.for_each_dead(kind, &mut |range| {
                let cursor = cursor.get_or_insert_with(|| part.segment.text_cursor(*word, kind));
                cursor.seek(range.start);
                while cursor.document() < range.end {
                    dead += 1;
                    cursor.next();
                }
            });
            all.saturating_sub(dead)
        });
        counts.sum()
    }

    /// How many live documents there are and how many words they have together.
    pub fn text_totals(&self, kind: TextKind) -> (u64, u64) {
        let mut sum = (0, 0);
        for part in &self.parts {
            let all = part.segment.text_totals(kind);
            let mut dead = (0, 0);
            part.for_each_dead(kind, &mut |range| {
                let (count, words) = part.segment.text_totals_in(kind, range);
                dead = (dead.0 + count, dead.1 + words);
            });
            sum.0 += all.0.saturating_sub(dead.0);
            sum.1 += all.1.saturating_sub(dead.1);
        }
        sum
    }

    /// The cursors of the terms in one part, with their places among the terms.
    pub(crate) fn text_cursors<'a>(
        &'a self,
        part: usize,
        terms: impl Iterator<Item = &'a TextTerm>,
        kind: TextKind,
    ) -> Vec<(usize, Cursor<'a>)> {
        let Some(segment) = self.part(part).map(|p| &p.segment) else {
            return Vec::new();
        };
        let words = terms.map(|t| t.words.get(part).copied().flatten());
        let found = words.enumerate().filter_map(|(i, word)| Some((i, word?)));
        found
            .map(|(i, word)| (i, segment.text_cursor(word, kind)))
            .collect()
    }
}

impl Part {
    /// Calls `visit` with the ranges of dead documents, ascending.
    fn for_each_dead(&self, kind: TextKind, visit: &mut dyn FnMut(std::ops::Range<u32>)) {
        match kind {
            TextKind::Nodes => self.dead.ranges().for_each(visit),
            TextKind::Files => self
                .dead_files
                .iter()
                .for_each(|file| visit(file..file.saturating_add(1))),
        }
    }

    /// Whether a document is dead.
    #[inline]
    pub(crate) fn is_dead(&self, kind: TextKind, document: u32) -> bool {
        match kind {
            TextKind::Nodes => self.dead.contains(NodeIdx(document)),
            TextKind::Files => self.dead_files.contains(FileOrd(document).0),
        }
    }
}

//! The best documents of a few words, without reading whole lists.
//!
//! Where it sits: under [`super::mix`] and [`super::files`]. Document by document over the lists of all words (WAND): lists
//! are kept in order of their documents; where the bounds of those that stand first do not reach what the worst kept
//! document has, nothing before the next list can be kept, and blocks whose own bounds are too low are skipped unread.
//!
//! Invariants: the result is that of scoring every document (the bounds never lie below a score); a document's score is
//! summed in the order of the words, so that it does not depend on the segment that holds it; nothing that ties with the
//! worst kept one is lost before [`Best::take`] has cut by score and place.

use crate::error::{Error, Result};
use crate::model::text::{body_of, head_of};
use crate::search::text::params::K1;
use crate::segment::text::{Bound, Cursor, TextKind, length_of};
use crate::snapshot::Snapshot;

use super::terms::Stem;

/// How a word's level and a document's length become a score.
pub(crate) struct Scale {
    heads: [f32; 16],
    bodies: [f32; 16],
    /// By stored length.
    norms: [f32; 256],
}

impl Scale {
    /// The scale for documents of that length on average.
    pub(crate) fn new(average: f32, b: f32) -> Self {
        let mut scale = Self {
            heads: [0.0; 16],
            bodies: [0.0; 16],
            norms: [1.0; 256],
        };
        for (i, slot) in (0u8..).zip(scale.heads.iter_mut()) {
            *slot = head_of(i << 4) as f32 / 10.0;
        }
        for (i, slot) in (0u8..).zip(scale.bodies.iter_mut()) {
            *slot = body_of(i) as f32 / 10.0;
        }
        for (code, slot) in (0u8..=255).zip(scale.norms.iter_mut()) {
            *slot = 1.0 / (1.0 - b + b * length_of(code) as f32 / average.max(1.0));
        }
        scale
    }

    /// How often the word stands there, weighted and seen against the length.
    #[inline]
    pub(crate) fn count(&self, level: u8, length: u8) -> f32 {
        let head = self.heads.get(usize::from(level >> 4));
        let body = self.bodies.get(usize::from(level & 15));
        let norm = self.norms.get(usize::from(length));
        let of = |value: Option<&f32>| value.copied().unwrap_or_default();
        of(head) + of(body) * of(norm)
    }

    /// What a count is worth.
    #[inline]
    pub(crate) fn worth(weight: f32, count: f32) -> f32 {
        weight * count * (K1 + 1.0) / (count + K1)
    }

    fn bound(&self, weight: f32, bound: Bound) -> f32 {
        // A hair above, so that no rounding puts a bound below a score.
        Self::worth(weight, self.count(bound.level, bound.length)) * 1.000_01
    }
}

/// Where a document is: its part and its number there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) part: u32,
    pub(crate) document: u32,
    pub(crate) score: f32,
    /// Where its levels begin among those of all.
    pub(crate) levels: u32,
    pub(crate) hits: u8,
}

/// The documents that were kept.
pub(crate) struct Best {
    limit: usize,
    threshold: f32,
    /// At how many found ones they are cut next; ties may keep more than the limit.
    next_cut: usize,
    found: Vec<Found>,
    /// Words and levels of the found ones.
    levels: Vec<(u8, u8)>,
}

/// What a search runs over.
pub(crate) struct Search<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) kind: TextKind,
    pub(crate) stems: &'a [Stem],
    /// Weight of each stem: IDF × how much the question wants it.
    pub(crate) weights: &'a [f32],
    pub(crate) scale: &'a Scale,
}

impl Best {
    /// Keeps the best `limit` documents (more where they tie). `judge` sees a document's part, number, sum and words with
    /// their levels, and gives its score, which must not be above the sum; nothing for one that is not wanted.
    pub(crate) fn search(
        search: &Search<'_>,
        limit: usize,
        mut judge: impl FnMut(usize, u32, f32, &[(u8, u8)]) -> Option<f32>,
    ) -> Result<Self> {
        let mut best = Self {
            limit,
            threshold: 0.0,
            next_cut: limit.saturating_mul(2).max(16),
            found: Vec::new(),
            levels: Vec::new(),
        };
        for part in 0..search.snapshot.parts.len() {
            best.part(search, part, &mut judge)?;
        }
        Ok(best)
    }

    fn part(
        &mut self,
        search: &Search<'_>,
        part: usize,
        judge: &mut impl FnMut(usize, u32, f32, &[(u8, u8)]) -> Option<f32>,
    ) -> Result<()> {
        let Some(holder) = search.snapshot.part(part) else {
            return Ok(());
        };
        let lengths = holder.segment.text_lengths(search.kind);
        let terms = search.stems.iter().map(|s| &s.term);
        let mut lists: Vec<List<'_>> = search
            .snapshot
            .text_cursors(part, terms, search.kind)
            .into_iter()
            .map(|(stem, cursor)| {
                let weight = search.weights.get(stem).copied().unwrap_or_default();
                List {
                    stem: stem as u8,
                    weight,
                    bound: search.scale.bound(weight, cursor.bound()),
                    cursor,
                }
            })
            .collect();
        let mut order: Vec<usize> = (0..lists.len()).collect();
        let mut hits: Vec<(u8, u8)> = Vec::new();
        loop {
            order.retain(|i| document(&lists, *i) != u32::MAX);
            order.sort_unstable_by_key(|i| (document(&lists, *i), *i));
            let Some((pivot, through)) = self.pivot(&lists, &order) else {
                break;
            };
            let first = order.first().map_or(u32::MAX, |i| document(&lists, *i));
            let (bound, last) = block_bound(search, &lists, &order, pivot, through);
            if bound < self.threshold {
                // Nothing up to the nearest end of these blocks, or up to the next list, can be kept.
                let next = order
                    .get(through)
                    .map_or(u32::MAX, |i| document(&lists, *i));
                let target = last
                    .saturating_add(1)
                    .min(next)
                    .max(pivot.saturating_add(1));
                for i in order.iter().take(through) {
                    if let Some(list) = lists.get_mut(*i) {
                        list.cursor.seek(target);
                    }
                }
                continue;
            }
            if first < pivot {
                for i in order.iter().take(through) {
                    if let Some(list) = lists.get_mut(*i) {
                        list.cursor.seek(pivot);
                    }
                }
                continue;
            }
            hits.clear();
            let length = lengths.get(pivot as usize).copied().unwrap_or_default();
            let mut sum = 0.0;
            for list in &mut lists {
                if list.cursor.document() == pivot {
                    let level = list.cursor.level();
                    sum += Scale::worth(list.weight, search.scale.count(level, length));
                    hits.push((list.stem, level));
                    list.cursor.next();
                }
            }
            if sum >= self.threshold
                && !holder.is_dead(search.kind, pivot)
                && let Some(score) = judge(part, pivot, sum, &hits)
                && score > 0.0
                && score >= self.threshold
            {
                self.keep(part, pivot, score, &hits);
            }
        }
        match lists.iter().any(|l| l.cursor.is_damaged()) {
            true => Err(Error::corrupt("a list of words cannot be read")
                .at(holder.segment.path())
                .remedy("run `graphify repair`")),
            false => Ok(()),
        }
    }

    /// The first document that the lists up to some one can lift to the threshold, and how many lists stand at or before it.
    fn pivot(&self, lists: &[List<'_>], order: &[usize]) -> Option<(u32, usize)> {
        let mut sum = 0.0;
        for (place, i) in order.iter().enumerate() {
            let list = lists.get(*i)?;
            sum += list.bound;
            if sum >= self.threshold {
                let pivot = list.cursor.document();
                let rest = order.iter().skip(place + 1);
                let same = rest.take_while(|i| document(lists, **i) == pivot).count();
                return Some((pivot, place + 1 + same));
            }
        }
        None
    }

    fn keep(&mut self, part: usize, document: u32, score: f32, hits: &[(u8, u8)]) {
        self.found.push(Found {
            part: part as u32,
            document,
            score,
            levels: self.levels.len() as u32,
            hits: hits.len() as u8,
        });
        self.levels.extend_from_slice(hits);
        if self.found.len() >= self.next_cut {
            self.cut();
            self.next_cut = (self.found.len().max(self.limit)).saturating_mul(2).max(16);
        }
    }

    /// Drops what lies below the score of the last one inside the limit; ties stay.
    fn cut(&mut self) {
        let Some(place) = self.limit.checked_sub(1).filter(|p| *p < self.found.len()) else {
            return;
        };
        let (_, worst, _) = self
            .found
            .select_nth_unstable_by(place, |a, b| b.score.total_cmp(&a.score));
        let worst = worst.score;
        if worst > self.threshold {
            self.threshold = worst;
            let levels = std::mem::take(&mut self.levels);
            self.found.retain_mut(|found| {
                if found.score < worst {
                    return false;
                }
                let at = found.levels as usize;
                let own = levels.get(at..at + usize::from(found.hits));
                found.levels = self.levels.len() as u32;
                self.levels.extend_from_slice(own.unwrap_or_default());
                true
            });
        }
    }

    /// The kept documents, best first, at most the limit. `place` orders those that tie.
    pub(crate) fn take<P: Ord>(
        mut self,
        place: impl Fn(&Found) -> P,
    ) -> (Vec<Found>, Vec<(u8, u8)>) {
        self.cut();
        self.found
            .sort_by_cached_key(|f| (std::cmp::Reverse(Score(f.score)), place(f)));
        self.found.truncate(self.limit);
        (self.found, self.levels)
    }
}

/// A score that can be sorted by.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Score(pub(crate) f32);

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

struct List<'a> {
    stem: u8,
    weight: f32,
    bound: f32,
    cursor: Cursor<'a>,
}

fn document(lists: &[List<'_>], at: usize) -> u32 {
    lists.get(at).map_or(u32::MAX, |l| l.cursor.document())
}

/// What the blocks around the pivot allow, and where the first of them ends.
fn block_bound(
    search: &Search<'_>,
    lists: &[List<'_>],
    order: &[usize],
    pivot: u32,
    through: usize,
) -> (f32, u32) {
    let mut sum = 0.0;
    let mut end = u32::MAX;
    for list in order.iter().take(through).filter_map(|i| lists.get(*i)) {
        let (bound, last) = list.cursor.block_bound(pivot);
        sum += search.scale.bound(list.weight, bound);
        end = end.min(last);
    }
    (sum, end)
}

//! One word's list: how it is written, and the cursor that reads it.
//!
//! Where it sits: under `build` and `read`. Invariant of the cursor: documents come out strictly ascending and below the
//! bound that it was given; it decodes a block at a time and skips blocks by their table alone.

use crate::segment::text::{BLOCK, ENTRY, NO_HEADS};

/// What no document of a block exceeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// Highest head in the high four bits, highest body in the low four.
    pub level: u8,
    /// Least stored length.
    pub length: u8,
}

impl Bound {
    /// Nothing yet.
    pub(crate) const NONE: Self = Self {
        level: 0,
        length: u8::MAX,
    };

    /// Takes in a document.
    pub(crate) fn add(&mut self, level: u8, length: u8) {
        self.level = (self.level & 0xf0).max(level & 0xf0) | (self.level & 15).max(level & 15);
        self.length = self.length.min(length);
    }
}

/// Appends a list to the heap. `documents` ascend; `length` tells a document's stored length.
pub(crate) fn write(
    out: &mut Vec<u8>,
    documents: &[(u32, u8)],
    length: impl Fn(u32) -> u8,
) -> Bound {
    let blocks = documents.len().div_ceil(BLOCK);
    let table = out.len();
    if blocks > 1 {
        out.resize(table + blocks * ENTRY, 0);
    }
    let start = out.len();
    let mut all = Bound::NONE;
    let mut before = None;
    for (i, block) in documents.chunks(BLOCK).enumerate() {
        let mut bound = Bound::NONE;
        block
            .iter()
            .for_each(|(d, level)| bound.add(*level, length(*d)));
        all.add(bound.level, bound.length);
        write_block(out, block, before);
        before = block.last().map(|(d, _)| *d);
        if blocks > 1 {
            let end = (out.len() - start) as u32;
            let mut entry = [0; ENTRY];
            let fields = before.unwrap_or_default().to_le_bytes().into_iter();
            let fields = fields
                .chain(end.to_le_bytes())
                .chain([bound.level, bound.length]);
            entry
                .iter_mut()
                .zip(fields)
                .for_each(|(to, from)| *to = from);
            let at = table + i * ENTRY;
            if let Some(slot) = out.get_mut(at..at + ENTRY) {
                slot.copy_from_slice(&entry);
            }
        }
    }
    all
}

fn write_block(out: &mut Vec<u8>, block: &[(u32, u8)], before: Option<u32>) {
    let mut last = before;
    let gap = |last: &mut Option<u32>, document: u32| {
        let gap = last.map_or(document, |l| document - l - 1);
        *last = Some(document);
        gap
    };
    let widest = block.iter().map(|(d, _)| gap(&mut last, *d)).max();
    let bits = 32 - widest.unwrap_or_default().leading_zeros();
    let heads = block.iter().any(|(_, level)| level & 0xf0 != 0);
    out.push(bits as u8 | if heads { 0 } else { NO_HEADS });
    let mut last = before;
    let (mut held, mut width) = (0u64, 0u32);
    for (document, _) in block {
        held |= u64::from(gap(&mut last, *document)) << width;
        width += bits;
        while width >= 8 {
            out.push(held as u8);
            held >>= 8;
            width -= 8;
        }
    }
    if width > 0 {
        out.push(held as u8);
    }
    if heads {
        out.extend(block.iter().map(|(_, level)| *level));
    } else {
        let pairs = block.chunks(2);
        out.extend(pairs.map(|pair| {
            pair.iter()
                .rev()
                .fold(0, |byte, (_, level)| byte << 4 | level)
        }));
    }
}

/// A reading position in a list.
pub struct Cursor<'a> {
    /// The list from its table on.
    bytes: &'a [u8],
    /// How many documents the list has.
    count: usize,
    /// One past the highest document that there can be.
    limit: u32,
    /// The bound of the whole list.
    bound: Bound,
    /// The block that is decoded.
    block: usize,
    documents: [u32; BLOCK],
    levels: [u8; BLOCK],
    filled: usize,
    at: usize,
    damaged: bool,
}

impl<'a> Cursor<'a> {
    /// At the first document of a list of `count` that begins at the front of `bytes`.
    pub(crate) fn new(bytes: &'a [u8], count: u32, limit: u32, bound: Bound) -> Self {
        let mut cursor = Self {
            bytes,
            count: count as usize,
            limit,
            bound,
            block: 0,
            documents: [0; BLOCK],
            levels: [0; BLOCK],
            filled: 0,
            at: 0,
            damaged: false,
        };
        cursor.load(0);
        cursor
    }

    /// The document under the cursor; `u32::MAX` behind the last one.
    #[inline]
    pub fn document(&self) -> u32 {
        if self.at < self.filled {
            self.documents.get(self.at).copied().unwrap_or(u32::MAX)
        } else {
            u32::MAX
        }
    }

    /// How much the word counts in that document.
    #[inline]
    pub fn level(&self) -> u8 {
        self.levels.get(self.at).copied().unwrap_or_default()
    }

    /// What no document of the list exceeds.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// Whether the list could not be read to its end.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// To the next document.
    #[inline]
    pub fn next(&mut self) {
        self.at += 1;
        if self.at >= self.filled {
            self.load(self.block + 1);
        }
    }

    /// To the first document that is not below `target`.
    pub fn seek(&mut self, target: u32) {
        if self.document() >= target {
            return;
        }
        if self.last_loaded() < target {
            let block = self.block_of(target);
            self.load(block);
        }
        let rest = self.documents.get(self.at..self.filled).unwrap_or_default();
        self.at += rest.partition_point(|d| *d < target);
        if self.at >= self.filled && !self.damaged {
            self.load(self.block + 1);
        }
    }

    /// The bound of the block in which `target` would stand, and the last document of that block.
    pub fn block_bound(&self, target: u32) -> (Bound, u32) {
        if self.blocks() <= 1 {
            return (self.bound, u32::MAX);
        }
        let block = if self.last_loaded() >= target {
            self.block
        } else {
            self.block_of(target)
        };
        match self.entry(block) {
            Some((last, _, bound)) => (bound, last),
            None => (Bound::default(), u32::MAX),
        }
    }

    fn last_loaded(&self) -> u32 {
        let last = self
            .filled
            .checked_sub(1)
            .and_then(|i| self.documents.get(i));
        last.copied().unwrap_or(u32::MAX)
    }

    fn blocks(&self) -> usize {
        self.count.div_ceil(BLOCK)
    }

    /// Last document, end, bound of a block.
    fn entry(&self, block: usize) -> Option<(u32, usize, Bound)> {
        let (_, bytes) = self.bytes.split_at_checked(block.checked_mul(ENTRY)?)?;
        let (last, rest) = bytes.split_first_chunk::<4>()?;
        let (end, rest) = rest.split_first_chunk::<4>()?;
        let [level, length, ..] = rest else {
            return None;
        };
        let bound = Bound {
            level: *level,
            length: *length,
        };
        Some((
            u32::from_le_bytes(*last),
            u32::from_le_bytes(*end) as usize,
            bound,
        ))
    }

    /// The first block, from the present one on, whose last document is not below `target`; the number of blocks for none.
    fn block_of(&self, target: u32) -> usize {
        let (mut low, mut high) = (self.block, self.blocks());
        // Mostly it is near: steps that double, then halves.
        let mut step = 1;
        while low + step < high
            && let Some((last, _, _)) = self.entry(low + step)
            && last < target
        {
            low += step;
            step *= 2;
        }
        high = high.min(low + step + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.entry(middle) {
                Some((last, _, _)) if last < target => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    /// Decodes a block; behind the last one the cursor is at its end.
    fn load(&mut self, block: usize) {
        self.at = 0;
        self.filled = 0;
        self.block = block;
        if block >= self.blocks() || self.damaged {
            return;
        }
        if self.decode(block).is_none() {
            self.filled = 0;
            self.damaged = true;
        }
    }

    fn decode(&mut self, block: usize) -> Option<()> {
        let blocks = self.blocks();
        let filled = (self.count - block * BLOCK).min(BLOCK);
        let (bytes, before) = if blocks == 1 {
            (self.bytes, None)
        } else {
            let heap = self.bytes.get(blocks.checked_mul(ENTRY)?..)?;
            let (before, start) = match block.checked_sub(1) {
                Some(previous) => {
                    let (last, end, _) = self.entry(previous)?;
                    (Some(last), end)
                }
                None => (None, 0),
            };
            (heap.get(start..)?, before)
        };
        let (mark, bytes) = bytes.split_first()?;
        let bits = u32::from(mark & !NO_HEADS);
        if bits > 32 {
            return None;
        }
        let packed = (filled * bits as usize).div_ceil(8);
        let (gaps, levels) = bytes.split_at_checked(packed)?;
        let mut next = match before {
            Some(before) => u64::from(before) + 1,
            None => 0,
        };
        let mut gaps = gaps.iter();
        let (mut held, mut width) = (0u64, 0u32);
        let mask = (1u64 << bits) - 1;
        for slot in self.documents.iter_mut().take(filled) {
            while width < bits {
                held |= u64::from(*gaps.next()?) << width;
                width += 8;
            }
            let document = next + (held & mask);
            held >>= bits;
            width -= bits;
            if document >= u64::from(self.limit) {
                return None;
            }
            *slot = document as u32;
            next = document + 1;
        }
        if mark & NO_HEADS == 0 {
            let levels = levels.get(..filled)?;
            self.levels.get_mut(..filled)?.copy_from_slice(levels);
        } else {
            let levels = levels.get(..filled.div_ceil(2))?;
            for (i, slot) in self.levels.iter_mut().take(filled).enumerate() {
                *slot = (levels.get(i / 2)? >> (i % 2 * 4)) & 15;
            }
        }
        self.filled = filled;
        Some(())
    }
}

//! The set of nodes that a breadth-first walk has seen, and the level that it stands on.
//!
//! Where it sits: inside `bfs`. Invariants: a node enters once; every level is in ascending order of id, so that
//! rows are read in the order in which they lie on disk and two runs visit alike.
//!
//! The frontier adapts to its size. A small level is a queue that is sorted. A level of more than one node in
//! `DENSE_SHARE` is ordered by a bitset instead: setting and scanning bits costs less than sorting, and what follows
//! reads the rows of the segment nearly in sequence. The bits of the seen nodes are allocated zeroed, which costs nothing
//! for pages that are never touched: a walk of a few hops in a store of millions touches a few pages.

use crate::ids::SymId;

/// A level with more than one node in this many is ordered by bitset.
const DENSE_SHARE: usize = 64;

/// Bits, one a symbol.
#[derive(Clone, Debug)]
pub struct SymSet {
    words: Vec<u64>,
    bound: u32,
}

impl SymSet {
    /// The empty set of symbols below `bound`.
    pub fn new(bound: u32) -> Self {
        Self {
            words: vec![0; (bound as usize).div_ceil(64)],
            bound,
        }
    }

    /// Adds a symbol; `false` if it was there or is out of range.
    #[inline]
    pub fn insert(&mut self, sym: SymId) -> bool {
        if sym.0 >= self.bound {
            return false;
        }
        match self.words.get_mut(sym.index() >> 6) {
            Some(word) => {
                let bit = 1 << (sym.0 & 63);
                let new = *word & bit == 0;
                *word |= bit;
                new
            }
            None => false,
        }
    }

    /// Whether the symbol is in the set.
    #[inline]
    pub fn has(&self, sym: SymId) -> bool {
        self.words
            .get(sym.index() >> 6)
            .is_some_and(|word| word >> (sym.0 & 63) & 1 == 1)
    }

    /// Hands over the members in ascending order and empties the set.
    fn drain(&mut self, mut visit: impl FnMut(SymId)) {
        for (i, word) in self.words.iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                // The word count comes from a u32 bound, so the sum fits.
                visit(SymId((i as u32) << 6 | bit));
            }
        }
    }
}

/// Where a breadth-first walk stands.
#[derive(Clone, Debug)]
pub struct Frontier {
    seen: SymSet,
    level: Vec<SymId>,
    next: Vec<SymId>,
    /// Bits for ordering dense levels; made at the first one.
    order: Option<SymSet>,
}

impl Frontier {
    /// A frontier in a graph of symbols below `bound`; its first level is what [`Self::push`] adds before
    /// [`Self::advance`].
    pub fn new(bound: u32) -> Self {
        Self {
            seen: SymSet::new(bound),
            level: Vec::new(),
            next: Vec::new(),
            order: None,
        }
    }

    /// Adds a node to the next level unless it was seen before or is out of range.
    #[inline]
    pub fn push(&mut self, sym: SymId) {
        if self.seen.insert(sym) {
            self.next.push(sym);
        }
    }

    /// Whether the node was ever added.
    #[inline]
    pub fn has_seen(&self, sym: SymId) -> bool {
        self.seen.has(sym)
    }

    /// Makes what was pushed the current level, in ascending order; `false` if there is nothing.
    pub fn advance(&mut self) -> bool {
        std::mem::swap(&mut self.level, &mut self.next);
        self.next.clear();
        let dense =
            self.level.len() > (self.seen.bound as usize) / DENSE_SHARE && self.level.len() > 64;
        if dense {
            let bound = self.seen.bound;
            let order = self.order.get_or_insert_with(|| SymSet::new(bound));
            for sym in self.level.drain(..) {
                order.insert(sym);
            }
            let level = &mut self.level;
            order.drain(|sym| level.push(sym));
        } else {
            self.level.sort_unstable();
        }
        !self.level.is_empty()
    }

    /// How many nodes the current level has.
    pub fn level_len(&self) -> usize {
        self.level.len()
    }

    /// A node of the current level.
    #[inline]
    pub fn get(&self, index: usize) -> Option<SymId> {
        self.level.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_and_dense_levels_come_in_the_same_order() {
        let scattered: Vec<SymId> = (0..1000u32)
            .map(|i| SymId(i.wrapping_mul(7919) % 1000))
            .collect();
        let mut sorted = scattered.clone();
        sorted.sort_unstable();
        sorted.dedup();
        for bound in [1000, 1 << 20] {
            let mut frontier = Frontier::new(bound);
            scattered.iter().for_each(|s| frontier.push(*s));
            assert!(frontier.advance());
            let level: Vec<SymId> = (0..frontier.level_len())
                .filter_map(|i| frontier.get(i))
                .collect();
            assert_eq!(level, sorted);
            scattered.iter().for_each(|s| frontier.push(*s));
            assert!(!frontier.advance(), "a node enters once");
        }
    }

    #[test]
    fn ids_out_of_range_are_refused() {
        let mut frontier = Frontier::new(65);
        [64, 65, 127, u32::MAX]
            .iter()
            .for_each(|s| frontier.push(SymId(*s)));
        frontier.advance();
        assert_eq!(frontier.level_len(), 1);
        assert!(frontier.has_seen(SymId(64)) && !frontier.has_seen(SymId(u32::MAX)));
        assert!(!Frontier::new(0).advance());
    }
}

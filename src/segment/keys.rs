//! The key table: hashes of all symbol keys in ascending order, beside each the node that it belongs to.
//!
//! Where it sits: accessors of [`Segment`]; written by [`super::builder`]. Invariants: every node stands in it exactly
//! once; equal hashes stand in node order. Hashes are spread evenly, so a place is guessed by proportion instead of
//! halved towards; the key itself is compared on a hit.

use rkyv::rend::u64_le;

use crate::error::Result;
use crate::ids::NodeIdx;
use crate::segment::layout::SectionKind;
use crate::segment::reader::Segment;

/// Guesses before falling back to halving, which no distribution of hashes can slow down.
const GUESSES: usize = 8;

impl Segment {
    /// The node with that key; `hash` is [`crate::model::key::hash`] of it.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when the table names nodes that are not there.
    pub fn find_key(&self, hash: u64, key: &str) -> Result<Option<NodeIdx>> {
        let mut built = String::new();
        for node in self.nodes_with_hash(hash)? {
            built.clear();
            if self.write_key(node, &mut built) && built == key {
                return Ok(Some(node));
            }
        }
        Ok(None)
    }

    /// The nodes whose key has that hash: almost always none or one.
    pub(crate) fn nodes_with_hash(&self, hash: u64) -> Result<Vec<NodeIdx>> {
        let hashes = self.records::<u64_le>(SectionKind::KeyHashes);
        let nodes = self.numbers(SectionKind::KeyNodes);
        let first = lower_bound(hashes, hash);
        let mut found = Vec::new();
        for (stored, node) in hashes.iter().zip(nodes).skip(first) {
            if stored.to_native() != hash {
                break;
            }
            let node = NodeIdx(node.to_native());
            if node.0 >= self.node_count() {
                return Err(self.damaged(SectionKind::KeyNodes, "a node is out of range"));
            }
            found.push(node);
        }
        Ok(found)
    }

    /// For every node the hash of its key, in node order; zero where the table is damaged.
    pub(crate) fn hashes_by_node(&self) -> Vec<u64> {
        let mut by_node = vec![0; self.node_count() as usize];
        let hashes = self.records::<u64_le>(SectionKind::KeyHashes);
        for (hash, node) in hashes.iter().zip(self.numbers(SectionKind::KeyNodes)) {
            if let Some(slot) = by_node.get_mut(node.to_native() as usize) {
                *slot = hash.to_native();
            }
        }
        by_node
    }
}

/// The first place whose hash is not below `wanted`.
fn lower_bound(hashes: &[u64_le], wanted: u64) -> usize {
    let at = |i: usize| hashes.get(i).map_or(u64::MAX, |h| h.to_native());
    // Everything before `low` is below `wanted`, everything from `high` on is not.
    let (mut low, mut high) = (0, hashes.len());
    for _ in 0..GUESSES {
        if high - low < 16 {
            break;
        }
        let (first, last) = (at(low), at(high - 1));
        if wanted <= first {
            return low;
        }
        if wanted > last {
            return high;
        }
        let share = u128::from(wanted - first) * (high - 1 - low) as u128;
        let guess = low + (share / u128::from((last - first).max(1))) as usize;
        // A step to each side of the guess usually closes in on the place from both ends at once.
        let step = ((high - low) >> 10).max(4);
        let (left, right) = (
            guess.saturating_sub(step).max(low),
            (guess + step).min(high - 1),
        );
        if at(left) < wanted {
            low = left + 1;
        } else {
            high = left;
            continue;
        }
        if at(right) >= wanted {
            high = right;
        } else {
            low = right + 1;
        }
    }
    let window = hashes.get(low..high).unwrap_or_default();
    low + window.partition_point(|h| h.to_native() < wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guessing_search_finds_what_a_plain_one_finds() {
        let mut state = 1u64;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 29)
        };
        let mut sets: Vec<Vec<u64>> = vec![
            vec![],
            vec![7],
            vec![5; 40],
            (0..5000).map(|_| next()).collect(),
            (0..3000).map(|i| i * i).collect(),
            (0..100).map(|i| u64::MAX - i).collect(),
        ];
        sets.push((0..64).map(|i| 1u64 << i).collect());
        for mut set in sets {
            set.sort_unstable();
            let stored: Vec<u64_le> = set.iter().map(|h| u64_le::from_native(*h)).collect();
            let probes = set
                .iter()
                .flat_map(|h| [h.wrapping_sub(1), *h, h.wrapping_add(1)]);
            for wanted in probes.chain([0, u64::MAX, 1 << 40]) {
                let expected = set.partition_point(|h| *h < wanted);
                assert_eq!(lower_bound(&stored, wanted), expected, "{wanted}");
            }
        }
    }
}

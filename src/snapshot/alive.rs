//! Which nodes of a segment are dead.
//!
//! Where it sits: built by [`super::open`] from the tombstones in HEAD, asked by every read. A segment's file table gives
//! each dead file a range of nodes; dead placeholders are ranges of one. Invariants: ranges are sorted, disjoint and not
//! adjacent; building them costs what is dead, never what is stored; a segment without tombstones answers at once.

use std::ops::Range;

use crate::ids::{FileOrd, NodeIdx};
use crate::segment::{Segment, Tombstones};

/// The dead nodes of one segment as sorted, disjoint ranges.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadNodes {
    ranges: Vec<(u32, u32)>,
}

impl DeadNodes {
    /// The ranges that the tombstones of `segment` cover. Ordinals outside the segment are ignored: they name nothing.
    pub(crate) fn new(segment: &Segment, tombstones: &Tombstones) -> Self {
        let files = tombstones.files.iter().filter_map(|ord| {
            let nodes = segment.file(FileOrd(ord))?.nodes();
            Some((nodes.start, nodes.end))
        });
        let externals = tombstones
            .nodes
            .iter()
            .map(|node| (node, node.saturating_add(1)));
        let mut ranges: Vec<(u32, u32)> = files.chain(externals).filter(|(s, e)| s < e).collect();
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (start, end) in ranges {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        Self { ranges: merged }
    }

    /// Whether nothing is dead.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether this node is dead.
    #[inline]
    pub(crate) fn contains(&self, node: NodeIdx) -> bool {
        if self.ranges.is_empty() {
            return false;
        }
        let after = self.ranges.partition_point(|(start, _)| *start <= node.0);
        after
            .checked_sub(1)
            .and_then(|i| self.ranges.get(i))
            .is_some_and(|(_, end)| node.0 < *end)
    }

    /// The dead ranges in ascending order.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        self.ranges.iter().map(|(start, end)| *start..*end)
    }

    /// How many nodes are dead.
    pub(crate) fn count(&self) -> u64 {
        self.ranges
            .iter()
            .map(|(start, end)| u64::from(end - start))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn membership_follows_the_ranges() {
        let dead = DeadNodes {
            ranges: vec![(2, 4), (7, 8)],
        };
        let hits: Vec<u32> = (0..10).filter(|n| dead.contains(NodeIdx(*n))).collect();
        assert_eq!(hits, [2, 3, 7]);
        assert_eq!(dead.count(), 3);
        assert!(!DeadNodes::default().contains(NodeIdx(0)));
    }
}

//! When to fold deltas together, and when to write a new base.
//!
//! Where it sits: asked by [`super::writer`] after each commit; pure arithmetic over the segment list. Invariants: at most
//! [`MAX_DELTAS`] deltas stand after a commit, so that a read looks into a bounded number of segments; sizes of deltas
//! fall geometrically, so that each record is rewritten a logarithmic number of times (the rule of jj's commit index);
//! the base is rewritten only after a share of it has changed, so that an update never pays for the whole index.

use std::ops::Range;

use crate::storage::head::SegmentRef;

/// Most deltas that stand after a commit.
pub(crate) const MAX_DELTAS: usize = 8;

/// Deltas below this many nodes count as equally small.
const SMALL_DELTA: u64 = 10_000;

/// Share of the base, in percent, that dead and delta nodes may reach before a new base is written.
const COMPACT_PERCENT: u64 = 25;

/// Below this many superseded nodes a new base is not worth its syncs.
const COMPACT_FLOOR: u64 = 20_000;

/// What to do with the segments of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// Fold these entries of the segment list into one delta.
    Deltas(Range<usize>),
    /// Write a new base from everything.
    Full,
}

/// The merge that the segment list calls for. `dead` gives the dead nodes of each entry.
pub(crate) fn plan(segments: &[SegmentRef], dead: &[u64]) -> Option<Merge> {
    let first_delta = usize::from(segments.first().is_some_and(|s| s.kind == 0));
    let deltas = segments.get(first_delta..)?;
    if deltas.is_empty() {
        return None;
    }
    let base_nodes = if first_delta == 1 {
        segments.first().map_or(0, |s| u64::from(s.nodes))
    } else {
        0
    };
    let delta_nodes: u64 = deltas.iter().map(|s| u64::from(s.nodes)).sum();
    let superseded = delta_nodes
        + dead
            .first()
            .copied()
            .filter(|_| first_delta == 1)
            .unwrap_or(0);
    if superseded >= COMPACT_FLOOR && superseded * 100 > base_nodes * COMPACT_PERCENT {
        return Some(Merge::Full);
    }
    let level = |s: &SegmentRef| u64::from(s.nodes).max(SMALL_DELTA);
    let mut group = deltas.len() - 1;
    let mut size = deltas.last().map_or(0, |s| u64::from(s.nodes));
    while let Some(older) = group.checked_sub(1).and_then(|i| deltas.get(i)) {
        if 2 * size.max(SMALL_DELTA) < level(older) {
            break;
        }
        size += u64::from(older.nodes);
        group -= 1;
    }
    // Small deltas are left side by side until there are as many as a read may look into.
    let foldable = deltas.len() - group;
    let small = size <= SMALL_DELTA && deltas.len() < MAX_DELTAS;
    if foldable < 2 || small {
        return (deltas.len() >= MAX_DELTAS).then_some(Merge::Deltas(first_delta..segments.len()));
    }
    Some(Merge::Deltas(first_delta + group..segments.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(base: u32, deltas: &[u32]) -> Vec<SegmentRef> {
        let entry = |kind: u8, nodes: u32| SegmentRef {
            kind,
            nodes,
            ..SegmentRef::default()
        };
        let mut all = vec![entry(0, base)];
        all.extend(deltas.iter().map(|n| entry(1, *n)));
        all
    }

    fn planned(base: u32, deltas: &[u32], dead_in_base: u64) -> Option<Merge> {
        let segments = list(base, deltas);
        let mut dead = vec![0; segments.len()];
        dead[0] = dead_in_base;
        plan(&segments, &dead)
    }

    #[test]
    fn a_few_small_deltas_stand() {
        assert_eq!(planned(1_000_000, &[10, 10, 10], 30), None);
    }

    #[test]
    fn the_eighth_small_delta_folds_them_all() {
        assert_eq!(planned(1_000_000, &[10; 8], 80), Some(Merge::Deltas(1..9)));
    }

    #[test]
    fn a_large_old_delta_is_left_alone_by_small_ones() {
        assert_eq!(planned(9_000_000, &[100_000, 10, 10], 0), None);
        let full = planned(9_000_000, &[100_000, 10, 10, 10, 10, 10, 10, 10], 0);
        assert_eq!(full, Some(Merge::Deltas(2..9)));
    }

    #[test]
    fn sizes_stay_geometric() {
        assert_eq!(
            planned(9_000_000, &[100_000, 60_000], 0),
            Some(Merge::Deltas(1..3))
        );
        assert_eq!(planned(9_000_000, &[100_000, 30_000], 0), None);
    }

    #[test]
    fn a_quarter_of_the_base_calls_for_a_new_one() {
        assert_eq!(planned(100_000, &[15_000], 10_001), Some(Merge::Full));
        assert_eq!(planned(1_000, &[200], 200), None);
    }
}

//! Edits, merges and compactions against a fresh build.

use proptest::prelude::*;

use super::model::{
    MiniIndex, PATHS, Specs, UnitSpec, base_bytes, open, specs, stated_edges, unit_spec, units,
};
use crate::error::ErrorKind;
use crate::ids::{Epoch, SegmentId};
use crate::model::label::Language;
use crate::model::unit::Unit;
use crate::segment::merge::{self, Input};
use crate::segment::{SegmentKind, Tombstones};

/// What an edit does.
#[derive(Clone, Debug)]
enum Edit {
    Put(usize, UnitSpec),
    Remove(usize),
    Merge,
    Compact,
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        5 => (0..PATHS.len(), unit_spec()).prop_map(|(at, spec)| Edit::Put(at, spec)),
        2 => (0..PATHS.len()).prop_map(Edit::Remove),
        1 => Just(Edit::Merge),
        1 => Just(Edit::Compact),
    ]
}

/// Edges choose their targets by place, so they change when units come and go. Those units are put again, as a linker
/// would, unless they are left to point at what is gone.
fn changed<'a>(before: &[Unit], after: &'a [Unit]) -> Vec<&'a Unit> {
    let same = |a: &Unit, b: &Unit| {
        a.key() == b.key()
            && stated_edges_of(a) == stated_edges_of(b)
            && a.nodes() == b.nodes()
            && a.strings() == b.strings()
            && a.meta == b.meta
            && a.facts == b.facts
    };
    let changed = after
        .iter()
        .filter(|unit| !before.iter().any(|old| same(old, unit)));
    changed.collect()
}

fn stated_edges_of(unit: &Unit) -> Vec<super::model::KeyEdge> {
    stated_edges(std::slice::from_ref(unit))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn edits_merges_and_compactions_equal_a_fresh_build(
        start in specs(),
        edits in proptest::collection::vec(edit(), 1..8),
    ) {
        let mut specs: Specs = start;
        let mut live = units(&specs, false);
        let mut index = MiniIndex::new(&live);
        for edit in edits {
            let mut removed = Vec::new();
            match edit {
                Edit::Put(at, spec) => {
                    specs.insert(PATHS[at].to_string(), spec);
                }
                Edit::Remove(at) => {
                    if specs.remove(PATHS[at]).is_some() {
                        removed.push(PATHS[at]);
                    }
                }
                Edit::Merge => {
                    if index.parts.len() > 1 {
                        index.merge_deltas();
                    }
                }
                Edit::Compact => {
                    let id = index.id();
                    let bytes = index.compacted(id, Epoch(3));
                    let segment = open(&bytes);
                    index.next_sym = segment.node_count();
                    index.parts.clear();
                    index.push(bytes);
                }
            }
            let after = units(&specs, false);
            let puts: Vec<Unit> = changed(&live, &after).into_iter().cloned().collect();
            if !puts.is_empty() || !removed.is_empty() {
                index.apply(&puts, &removed);
            }
            live = after;
            prop_assert_eq!(index.files(), specs.keys().cloned().collect::<Vec<_>>());
            prop_assert_eq!(index.edges(), Some(stated_edges(&live)));
        }
        let fresh = base_bytes(&live).0;
        prop_assert!(index.compacted(SegmentId(7), Epoch(3)) == fresh, "a compaction differs from a fresh build");
        if index.parts.len() > 1 {
            index.merge_deltas();
            prop_assert_eq!(index.edges(), Some(stated_edges(&live)));
            prop_assert!(index.compacted(SegmentId(7), Epoch(3)) == fresh);
        }
    }

    #[test]
    fn a_unit_that_goes_away_leaves_placeholders_that_bind_again(specs in specs()) {
        let live = units(&specs, false);
        prop_assume!(live.len() > 1);
        let mut index = MiniIndex::new(&live);
        let gone = live[0].clone();
        index.apply(&[], &[gone.key()]);
        let mut expected = stated_edges(&live[1..]);
        prop_assert_eq!(index.edges(), Some(expected.clone()));
        prop_assert!(index.compacted(SegmentId(7), Epoch(3)) == base_bytes(&live[1..]).0);
        index.apply(std::slice::from_ref(&gone), &[]);
        expected = stated_edges(&live);
        prop_assert_eq!(index.edges(), Some(expected));
        prop_assert!(index.compacted(SegmentId(7), Epoch(3)) == base_bytes(&live).0);
    }
}

#[test]
fn the_wrong_kinds_of_inputs_are_refused() {
    let index = MiniIndex::new(&[]);
    let inputs = index.inputs();
    let twice = [inputs[0], inputs[0]];
    let mut out = Vec::new();
    let merged = merge::merge_deltas(SegmentId(1), Epoch(1), &inputs, &mut out);
    assert_eq!(merged.unwrap_err().kind(), ErrorKind::Invalid);
    let compacted = merge::compact(SegmentId(1), Epoch(1), &twice, &mut out);
    assert_eq!(compacted.unwrap_err().kind(), ErrorKind::Invalid);
    let nothing = merge::compact(SegmentId(1), Epoch(1), &[], &mut out).unwrap();
    assert_eq!((nothing.kind, nothing.nodes), (SegmentKind::Base, 0));
}

#[test]
fn damage_is_not_carried_into_a_new_segment() {
    let unit = Unit::new("a.ts", Language::NONE);
    let (mut bytes, _) = base_bytes(&[unit]);
    let at = bytes.windows(4).position(|w| w == b"a.ts").unwrap();
    bytes[at] ^= 1;
    let segment = open(&bytes);
    let input = Input {
        segment: &segment,
        dead: &Tombstones::default(),
    };
    let result = merge::compact(SegmentId(1), Epoch(1), &[input], &mut Vec::new());
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Corrupt);
}

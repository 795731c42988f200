//! What goes in comes out.

use proptest::prelude::*;

use super::model::{MiniIndex, base_bytes, open, specs, stated_edges, units};
use crate::error::ErrorKind;
use crate::ids::{Epoch, FileOrd, LocalNode, NodeIdx, SegmentId, SymId};
use crate::model::edge::{Edge, EdgeLabel, Target};
use crate::model::key;
use crate::model::label::{Language, NodeKind, Relation};
use crate::model::unit::{NewNode, Unit};
use crate::segment::SegmentBuilder;
use crate::segment::fold::{fold, words};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_base_holds_exactly_its_units(specs in specs()) {
        let units = units(&specs, true);
        let (bytes, summary) = base_bytes(&units);
        let segment = open(&bytes);
        prop_assert_eq!(segment.verify(), []);
        prop_assert_eq!(summary.file_len, bytes.len() as u64);
        prop_assert_eq!(segment.file_count() as usize, units.len());
        let mut node = 0;
        for (i, unit) in units.iter().enumerate() {
            let ord = FileOrd(i as u32);
            let file = segment.file(ord).unwrap();
            prop_assert_eq!(file.key(), unit.key());
            prop_assert_eq!(file.meta(), unit.meta);
            prop_assert_eq!(file.language(), unit.language);
            prop_assert_eq!(segment.find_file(unit.key()), Some(ord));
            prop_assert_eq!(file.nodes().start, node);
            for (stated, key) in unit.nodes().iter().zip(unit.keys()) {
                let row = segment.node(NodeIdx(node)).unwrap();
                prop_assert_eq!(row.name(), unit.text(stated.name));
                prop_assert_eq!(row.kind(), stated.kind);
                prop_assert_eq!(row.flags(), stated.flags);
                prop_assert_eq!(row.span(), stated.span);
                prop_assert_eq!(row.signature(), unit.text(stated.signature));
                prop_assert_eq!(row.doc(), unit.text(stated.doc));
                prop_assert_eq!(row.parent().0, file.nodes().start + stated.parent.0);
                prop_assert_eq!(segment.key(NodeIdx(node)), Some(key.clone()));
                prop_assert_eq!(segment.find_key(key::hash(&key), &key).unwrap(), Some(NodeIdx(node)));
                prop_assert_eq!(segment.file_of(NodeIdx(node)), Some(ord));
                prop_assert_eq!(segment.sym_of(NodeIdx(node)), Some(SymId(node)));
                node += 1;
            }
            let stored = segment.unit(ord).unwrap();
            prop_assert_eq!(stored.is_some(), unit.facts != Default::default());
            if let Some(stored) = stored {
                prop_assert_eq!(stored.nodes(), unit.nodes());
                prop_assert_eq!(&stored.facts, &unit.facts);
            }
        }
        prop_assert_eq!(segment.file_node_count(), node);
        prop_assert_eq!(segment.file(FileOrd(units.len() as u32)).map(|f| f.ord()), None);
        let index = MiniIndex::new(&units);
        prop_assert_eq!(index.edges(), Some(stated_edges(&units)));
    }

    #[test]
    fn the_bytes_do_not_depend_on_how_targets_are_named_or_edges_are_ordered(specs in specs()) {
        let by_place = units(&specs, true);
        let mut by_key = units(&specs, false);
        for unit in &mut by_key {
            let mut edges = unit.edges().to_vec();
            edges.reverse();
            unit.set_edges(edges);
        }
        // Stored units hold their string tables, and keys are strings: leave stored units out of the comparison.
        prop_assume!(by_place.iter().all(|u| u.facts == Default::default()));
        prop_assert!(base_bytes(&by_place).0 == base_bytes(&by_key).0);
    }

    #[test]
    fn names_are_found_as_a_plain_search_finds_them(specs in specs()) {
        let segment = open(&base_bytes(&units(&specs, false)).0);
        for term in 0..segment.term_count() {
            let term = crate::ids::TermOrd(term);
            let text = segment.term_text(term).into_owned();
            prop_assert_eq!(segment.term(&text).unwrap(), Some(term));
            let mut expected = Vec::new();
            for node in (0..segment.node_count()).map(NodeIdx) {
                if fold(segment.node(node).unwrap().name()) == text {
                    expected.push(node);
                }
            }
            prop_assert_eq!(segment.term_df(term) as usize, expected.len());
            let mut found = Vec::new();
            for spelling in segment.spellings(term).map(crate::ids::SpellOrd) {
                prop_assert_eq!(segment.term_of(spelling), Some(term));
                found.extend(segment.nodes_spelled(spelling).unwrap());
            }
            found.sort();
            prop_assert_eq!(&found, &expected);
            for node in found {
                for word in words(segment.node(node).unwrap().name()) {
                    let ord = segment.word(&word).unwrap().unwrap();
                    prop_assert!(segment.terms_with_word(ord).unwrap().contains(&term));
                    prop_assert!(segment.word_df(ord) as usize >= expected.len());
                }
            }
        }
        prop_assert_eq!(segment.term("no such name").unwrap(), None);
        prop_assert_eq!(segment.word("nosuchword").unwrap(), None);
    }
}

#[test]
fn an_empty_base_and_an_empty_delta_can_be_read() {
    let index = {
        let mut index = MiniIndex::new(&[]);
        index.apply(&[], &[]);
        index
    };
    for part in &index.parts {
        let segment = &part.segment;
        assert_eq!(segment.node_count(), 0);
        assert_eq!(segment.edge_count(), 0);
        assert_eq!(segment.term("x").unwrap(), None);
        assert_eq!(segment.terms_with_prefix("", 9).unwrap(), []);
        assert_eq!(segment.terms_containing("abc", None).unwrap(), []);
        assert_eq!(segment.terms_near("abc", 2, 9).unwrap(), []);
        assert_eq!(segment.find_key(1, "x").unwrap(), None);
        assert!(segment.out_row(NodeIdx(0)).is_empty());
        assert!(segment.in_row(SymId(0)).is_empty());
        assert!(segment.node(NodeIdx(0)).is_none());
        assert_eq!(segment.edges_from(0..10), 0);
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let invalid = |result: crate::error::Result<()>| {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Invalid);
    };
    let builder = || SegmentBuilder::base(SegmentId(1), Epoch(1));
    let unit = |key: &str| Unit::new(key, Language::NONE);
    let mut b = builder();
    b.add_unit(&unit("b")).unwrap();
    invalid(b.add_unit(&unit("b")));
    let mut b = builder();
    b.add_unit(&unit("b")).unwrap();
    invalid(b.add_unit(&unit("a")));
    invalid(builder().add_unit(&unit("")));
    invalid(builder().add_unit(&unit("a::b")));
    invalid(builder().add_placeholder(SymId(1), "x", NodeKind::UNRESOLVED));
    for (source, target) in [
        (1, Target::Local(LocalNode(0))),
        (0, Target::Local(LocalNode(1))),
        (0, Target::Symbol(SymId(0))),
        (
            0,
            Target::Unit {
                unit: 0,
                node: LocalNode(1),
            },
        ),
        (
            0,
            Target::Unit {
                unit: 1,
                node: LocalNode(0),
            },
        ),
        (
            0,
            Target::Unit {
                unit: u32::MAX,
                node: LocalNode(u32::MAX),
            },
        ),
    ] {
        let mut u = unit("a");
        u.set_edges(vec![Edge {
            source: LocalNode(source),
            target,
            label: EdgeLabel::stated(Relation::CALLS),
        }]);
        let mut b = builder();
        let added = b.add_unit(&u);
        invalid(added.and_then(|()| b.write(&mut Vec::new(), None).map(|_| ())));
    }
    invalid(
        SegmentBuilder::delta(SegmentId(1), Epoch(1))
            .write(&mut Vec::new(), None)
            .map(|_| ()),
    );
}

#[test]
fn conflicting_kinds_of_a_placeholder_are_settled_whatever_the_order() {
    let edge = |unit: &mut Unit, kind| {
        let key = unit.intern("npm:axios");
        let edges = [
            unit.edges(),
            &[Edge {
                source: LocalNode::UNIT,
                target: Target::Key { key, kind },
                label: EdgeLabel::stated(Relation::CALLS),
            }],
        ]
        .concat();
        unit.set_edges(edges);
    };
    for kinds in [
        [NodeKind::EXTERNAL, NodeKind::PACKAGE],
        [NodeKind::PACKAGE, NodeKind::EXTERNAL],
    ] {
        let mut unit = Unit::new("a", Language::NONE);
        kinds.into_iter().for_each(|kind| edge(&mut unit, kind));
        let segment = open(&base_bytes(&[unit]).0);
        let row = segment.node(NodeIdx(1)).unwrap();
        assert_eq!(row.kind(), NodeKind::PACKAGE);
        assert_eq!(row.name(), "axios");
        assert_eq!(segment.external_key(NodeIdx(1)), Some("npm:axios"));
        assert!(segment.is_external(NodeIdx(1)) && !segment.is_external(NodeIdx(2)));
    }
}

#[test]
fn many_same_named_nodes_make_long_lists() {
    let mut unit = Unit::new("big.ts", Language::NONE);
    for i in 0..3000 {
        let name = ["even", "odd"][i % 2];
        unit.add(NewNode::new(name, NodeKind::FUNCTION)).unwrap();
    }
    let segment = open(&base_bytes(&[unit]).0);
    assert_eq!(segment.verify(), []);
    let term = segment.term("odd").unwrap().unwrap();
    assert_eq!(segment.term_df(term), 1500);
    assert_eq!(segment.key(NodeIdx(3000)).unwrap(), "big.ts::odd()~1500");
    let hit = segment.find_key(key::hash("big.ts::odd()~1500"), "big.ts::odd()~1500");
    assert_eq!(hit.unwrap(), Some(NodeIdx(3000)));
}

//! Damaged files: never a panic, never silence.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;

use super::model::{MiniIndex, open};
use crate::ids::{FileOrd, NodeIdx, SpellOrd, SymId, TermOrd};
use crate::model::edge::EdgeLabel;
use crate::model::label::{Language, NodeKind, Relation};
use crate::model::unit::{NewNode, Unit};
use crate::segment::layout::SectionKind;
use crate::segment::text::{TextKind, TextWord};
use crate::segment::{Segment, SegmentExpect, WordOrd};
use crate::storage::mmap::Bytes;

/// A small store with something of everything.
pub(super) fn units() -> Vec<Unit> {
    let mut store = Unit::new("src/store.ts", Language::TYPESCRIPT);
    let class = store
        .add(NewNode {
            signature: "class Store",
            doc: "Keeps things.",
            ..NewNode::new("Store", NodeKind::CLASS)
        })
        .unwrap();
    let get = store
        .add(NewNode {
            parent: class,
            ..NewNode::new("getItem", NodeKind::METHOD)
        })
        .unwrap();
    store.link_local(class, get, EdgeLabel::stated(Relation::METHOD));
    store.link_key(get, "npm:axios", EdgeLabel::stated(Relation::CALLS));
    store.facts.flags = 1;
    let mut user = Unit::new("src/user.ts", Language::TYPESCRIPT);
    let run = user.add(NewNode::new("run", NodeKind::FUNCTION)).unwrap();
    user.link_key(
        run,
        "src/store.ts::Store.getItem()",
        EdgeLabel::stated(Relation::CALLS),
    );
    user.link_key(
        run,
        "src/store.ts::Store",
        EdgeLabel::stated(Relation::REFERENCES),
    );
    vec![store, user]
}

/// Reads everything that there is to read.
pub(super) fn walk(segment: &Segment) {
    for ord in (0..segment.file_count().min(50)).map(FileOrd) {
        if let Some(file) = segment.file(ord) {
            let _ = (
                file.key(),
                file.meta(),
                file.language(),
                file.nodes(),
                file.has_blob(),
            );
            let _ = segment.find_file(file.key());
        }
        let _ = segment.unit(ord);
    }
    for node in (0..segment.node_count().min(50) + 1).map(NodeIdx) {
        if let Some(row) = segment.node(node) {
            let _ = (
                row.name(),
                row.signature(),
                row.doc(),
                row.parent(),
                row.span(),
            );
        }
        let _ = segment
            .key(node)
            .map(|key| segment.find_key(crate::model::key::hash(&key), &key));
        let _ = (
            segment.file_of(node),
            segment.sym_of(node),
            segment.external_key(node),
        );
        let row = segment.out_row(node);
        let _ = row
            .iter()
            .map(|e| row.to(e.label.relation, e.target).count())
            .sum::<usize>();
        let _ = segment.edges_from(0..node.0);
    }
    for word in 0..segment.text_word_count().min(50) {
        for kind in [TextKind::Nodes, TextKind::Files] {
            let _ = segment.text_df(TextWord(word), kind);
            for target in [0, 3, u32::MAX - 1] {
                let mut cursor = segment.text_cursor(TextWord(word), kind);
                cursor.block_bound(target);
                cursor.seek(target);
                while cursor.document() != u32::MAX {
                    cursor.next();
                }
            }
        }
    }
    for sym in (0..60).map(SymId) {
        let _ = (segment.node_of(sym), segment.in_row(sym).iter().count());
    }
    for term in (0..segment.term_count().min(50) + 1).map(TermOrd) {
        let _ = segment.term(&segment.term_text(term));
        let _ = (segment.term_df(term), segment.spellings(term));
    }
    for spelling in (0..segment.spelling_count().min(50) + 1).map(SpellOrd) {
        let _ = (segment.spelling(spelling), segment.term_of(spelling));
        let _ = segment.nodes_spelled(spelling);
    }
    let _ = segment.terms_with_prefix("s", 10);
    let _ = segment.terms_near("stare", 1, 10);
    let _ = segment.terms_containing("tor", None);
    let _ = segment.terms_containing("t", Some(5));
    for word in (0..segment.word_count().min(50) + 1).map(WordOrd) {
        let _ = (segment.word_df(word), segment.terms_with_word(word));
    }
    let _ = segment.for_each_word_with_prefix("", |_, _| ControlFlow::Continue(()));
    let _ = segment.section_sizes();
}

fn try_open(bytes: &[u8], expect: Option<&SegmentExpect>) -> Option<Segment> {
    Segment::open(Bytes::copy_from(bytes), Path::new("damaged.gseg"), expect).ok()
}

/// A base and a delta over it.
fn files() -> Vec<Vec<u8>> {
    files_of(&units())
}

/// A base with these two units and a delta that changes the second and removes the first.
pub(super) fn files_of(units: &[Unit]) -> Vec<Vec<u8>> {
    let mut index = MiniIndex::new(units);
    let mut changed = units[1].clone();
    changed.meta.size = 5;
    index.apply(&[changed], &["src/store.ts"]);
    index.parts.into_iter().map(|part| part.bytes).collect()
}

#[test]
fn every_changed_byte_is_refused_or_reported() {
    for bytes in files() {
        assert!(
            bytes.len() < 8000,
            "the sample grew to {} bytes",
            bytes.len()
        );
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            if let Some(segment) = try_open(&damaged, None) {
                assert!(!segment.verify().is_empty(), "byte {at} went unnoticed");
                walk(&segment);
            }
        }
    }
}

#[test]
fn every_cut_file_is_refused() {
    for bytes in files() {
        for len in 0..bytes.len() {
            assert!(
                try_open(&bytes[..len], None).is_none(),
                "{len} bytes were believed"
            );
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(try_open(&longer, None).is_none());
    }
}

#[test]
fn another_segment_than_the_expected_one_is_refused() {
    let bytes = &files()[0];
    let expect = open(bytes).expectation();
    assert!(try_open(bytes, Some(&expect)).is_some());
    for wrong in [
        SegmentExpect {
            id: crate::ids::SegmentId(99),
            ..expect
        },
        SegmentExpect {
            epoch: crate::ids::Epoch(99),
            ..expect
        },
        SegmentExpect {
            file_len: 1,
            ..expect
        },
        SegmentExpect {
            toc_crc: 1,
            ..expect
        },
    ] {
        assert!(try_open(bytes, Some(&wrong)).is_none());
    }
}

/// Puts right every checksum of a file whose sections were changed, so that damage reaches the code behind them.
fn reseal(bytes: &mut [u8]) {
    use crate::storage::checksum::crc32;
    let len = bytes.len();
    let toc = u64::from_le_bytes(bytes[len - 32..len - 24].try_into().unwrap()) as usize;
    let toc_len = u32::from_le_bytes(bytes[len - 24..len - 20].try_into().unwrap()) as usize;
    let contents = crate::segment::toc::decode(&bytes[toc..toc + toc_len]).unwrap();
    let checksums_at = toc + contents.sections.len() * 40;
    for section in &contents.sections {
        let start = section.offset.to_native() as usize;
        let end = start + section.length.to_native() as usize;
        if start < end {
            let crc = crc32(&bytes[start..end]);
            let at = checksums_at + section.first_crc.to_native() as usize * 4;
            bytes[at..at + 4].copy_from_slice(&crc.to_le_bytes());
        }
    }
    let crc = crc32(&bytes[toc..toc + toc_len]);
    bytes[len - 20..len - 16].copy_from_slice(&crc.to_le_bytes());
}

/// Where the sections lie that the fst library reads: it trusts its bytes, so a checksum is all that protects it.
fn fst_ranges(segment: &Segment) -> Vec<std::ops::Range<usize>> {
    let contents = segment.contents().sections.iter();
    let fst = contents.filter(|s| [43, 48, 64].contains(&s.kind.to_native()));
    fst.map(|s| {
        let start = s.offset.to_native() as usize;
        start..start + s.length.to_native() as usize
    })
    .collect()
}

#[test]
fn changed_bytes_under_valid_checksums_are_reported_too() {
    let mut unnoticed = BTreeSet::new();
    for bytes in files() {
        let segment = open(&bytes);
        for entry in &segment.contents().sections {
            let kind = SectionKind::from_number(entry.kind.to_native()).unwrap();
            let fsts = [
                SectionKind::TermFst,
                SectionKind::WordFst,
                SectionKind::TextFst,
            ];
            if fsts.contains(&kind) {
                continue;
            }
            let start = entry.offset.to_native() as usize;
            for at in 0..entry.length.to_native() as usize {
                let mut damaged = bytes.clone();
                damaged[start + at] ^= 0x41;
                reseal(&mut damaged);
                if let Some(segment) = try_open(&damaged, None) {
                    walk(&segment);
                    if segment.verify().is_empty() {
                        unnoticed.insert((kind, at % kind.element_size()));
                    }
                }
            }
        }
    }
    // What remains are values that nothing else in the file repeats.
    let plain = |(kind, at): &(SectionKind, usize)| match kind {
        SectionKind::Files => matches!(at, 0..24 | 44..61),
        SectionKind::Nodes => matches!(at, 8..24 | 32..35),
        SectionKind::OutSites => *at < 4,
        SectionKind::Qualifiers => *at < 3,
        // How much a word counts, and where, is said once.
        SectionKind::Text | SectionKind::Blobs | SectionKind::TextPostings => true,
        _ => false,
    };
    unnoticed.retain(|place| !plain(place));
    assert_eq!(unnoticed, BTreeSet::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_damage_under_valid_checksums_is_survived(
        which in 0usize..2,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = files().swap_remove(which);
        let segment = open(&bytes);
        let skip = fst_ranges(&segment);
        let end = segment.trailer().toc_offset as usize;
        for (at, value) in changes {
            let at = 64 + at.index(end - 64);
            if !skip.iter().any(|range| range.contains(&at)) {
                bytes[at] = value;
            }
        }
        reseal(&mut bytes);
        if let Some(segment) = try_open(&bytes, None) {
            walk(&segment);
            segment.verify();
        }
    }

    #[test]
    fn any_bytes_are_survived(mut bytes: Vec<u8>, dressed: bool) {
        if dressed {
            let mut file = files().swap_remove(0);
            let len = file.len();
            file.truncate(len / 2);
            file.append(&mut bytes);
            bytes = file;
        }
        prop_assert!(try_open(&bytes, None).is_none());
    }
}

//! Any bytes as a segment: opening answers or refuses, and every accessor and the verifier survive what was opened.
//!
//! Arbitrary bytes hardly ever pass the checks of the frame, so the input is also laid over a good segment, whose
//! checksums of the frame are not touched: that is what reaches the accessors.

#![no_main]

use std::path::Path;
use std::sync::OnceLock;

use graphify::ids::{Epoch, FileOrd, NodeIdx, SegmentId, SpellOrd, SymId, TermOrd};
use graphify::model::edge::EdgeLabel;
use graphify::model::label::{Language, NodeKind, Relation};
use graphify::model::unit::{NewNode, Unit};
use graphify::segment::{Segment, SegmentBuilder};
use graphify::storage::mmap::Bytes;
use libfuzzer_sys::fuzz_target;

fn good() -> &'static [u8] {
    static GOOD: OnceLock<Vec<u8>> = OnceLock::new();
    GOOD.get_or_init(|| {
        let mut builder = SegmentBuilder::base(SegmentId(3), Epoch(1));
        for file in 0..4 {
            let mut unit = Unit::new(format!("src/f{file}.ts"), Language::TYPESCRIPT);
            for name in ["loadPage", "Größe", "parseURL", "x"] {
                let node = unit.add(NewNode::new(name, NodeKind::FUNCTION)).unwrap();
                let target = format!("src/f{}.ts::{name}()", (file + 1) % 4);
                unit.link_key(node, &target, EdgeLabel::stated(Relation::CALLS));
                unit.link_key(node, "?println", EdgeLabel::stated(Relation::CALLS));
            }
            builder.add_unit(&unit).unwrap();
        }
        let mut out = Vec::new();
        builder.write(&mut out, None).unwrap();
        out
    })
}

fn walk(segment: &Segment) {
    for ord in 0..segment.file_count().min(64) {
        let _ = segment
            .file(FileOrd(ord))
            .map(|f| (f.key().len(), f.meta(), f.nodes()));
        let _ = segment.unit(FileOrd(ord));
    }
    for index in 0..segment.node_count().min(256) {
        let node = NodeIdx(index);
        let _ = segment
            .node(node)
            .map(|n| (n.name().len(), n.signature().len(), n.doc().len(), n.span()));
        let _ = (
            segment.key(node),
            segment.file_of(node),
            segment.sym_of(node),
        );
        segment
            .out_row(node)
            .iter()
            .take(256)
            .for_each(|e| drop(segment.key(NodeIdx(e.target.0))));
        segment
            .in_row(SymId(index))
            .iter()
            .take(256)
            .for_each(|(n, _)| {
                let _ = segment.node(n);
            });
        let _ = segment.node_of(SymId(index));
    }
    for text in ["loadpage", "x", "page", "größe", ""] {
        let _ = (
            segment.term(text),
            segment.terms_with_prefix(text, 8),
            segment.terms_near(text, 1, 8),
        );
        let _ = (segment.terms_containing(text, Some(8)), segment.word(text));
    }
    for at in 0..16 {
        let _ = (
            segment.term_df(TermOrd(at)),
            segment.nodes_spelled(SpellOrd(at)),
            segment.spelling(SpellOrd(at)).len(),
        );
    }
    let _ = segment.verify();
}

fuzz_target!(|data: &[u8]| {
    if let Ok(segment) = Segment::open(Bytes::copy_from(data), Path::new("fuzz"), None) {
        walk(&segment);
    }
    let mut patched = good().to_vec();
    for patch in data.chunks_exact(3).take(32) {
        let at = usize::from(u16::from_le_bytes([patch[0], patch[1]])) % patched.len();
        patched[at] ^= patch[2];
    }
    if let Ok(segment) = Segment::open(Bytes::copy_from(&patched), Path::new("fuzz"), None) {
        walk(&segment);
        if patched != good() {
            assert!(
                !segment.verify().is_empty(),
                "a changed byte was not noticed"
            );
        }
    }
});

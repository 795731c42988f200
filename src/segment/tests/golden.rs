//! The format, byte by byte: what these tests compare cannot change without a new version of the format.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::damage::{files_of, units, walk};
use super::model::{base_bytes, open};
use crate::model::edge::EdgeLabel;
use crate::model::facts::Facts;
use crate::model::key;
use crate::model::label::{Language, NodeKind, Relation};
use crate::model::unit::{NewNode, Unit};

fn project_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Sixteen bytes a line with their offset; lines of zeros are left out.
fn dump(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (i, line) in bytes.chunks(16).enumerate() {
        if line.iter().all(|b| *b == 0) {
            continue;
        }
        write!(out, "{:06x} ", i * 16).unwrap();
        line.iter().for_each(|b| write!(out, " {b:02x}").unwrap());
        out.push('\n');
    }
    out
}

/// Offset and bytes of every line of a dump; other lines, and what stands behind the bytes, are skipped.
fn parse(dump: &str) -> Vec<(usize, Vec<u8>)> {
    let mut lines = Vec::new();
    for line in dump.lines() {
        let mut fields = line.split_whitespace();
        let offset = fields.next().filter(|f| f.len() == 6);
        let Some(offset) = offset.and_then(|f| usize::from_str_radix(f, 16).ok()) else {
            continue;
        };
        let bytes = fields.map_while(|f| {
            let byte = u8::from_str_radix(f, 16).ok();
            byte.filter(|_| f.len() == 2)
        });
        lines.push((offset, bytes.collect()));
    }
    lines
}

/// A small base and delta. Stored units are left out: what facts look like has a version of its own.
fn files() -> Vec<Vec<u8>> {
    let mut units = units();
    for unit in &mut units {
        unit.facts = Facts::default();
    }
    files_of(&units)
}

/// The store that the example in the format's description shows.
fn example() -> Vec<Unit> {
    let mut unit = Unit::new("a.ts", Language::TYPESCRIPT);
    let node = NewNode {
        signature: "function go()",
        ..NewNode::new("go", NodeKind::FUNCTION)
    };
    let go = unit.add(node).unwrap();
    unit.link_key(go, "?log", EdgeLabel::stated(Relation::CALLS));
    vec![unit]
}

#[test]
fn the_bytes_of_a_small_store_are_the_published_ones() {
    let path = project_file("tests/fixtures/segment-1.1.hex");
    let found: String = files()
        .iter()
        .zip(["base", "delta"])
        .map(|(bytes, name)| format!("# {name}: {} bytes\n{}", bytes.len(), dump(bytes)))
        .collect();
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == found,
        "the format has changed; if that is meant, raise its version and store this as {}:\n{found}",
        path.display()
    );
}

fn read_stored(name: &str, words: bool) {
    let text = std::fs::read_to_string(project_file(name)).unwrap();
    let parts: Vec<&str> = text.split("# ").skip(1).collect();
    assert_eq!(parts.len(), 2);
    for part in parts {
        let title = part.lines().next().unwrap();
        let len = title.split_whitespace().nth(1).unwrap().parse().unwrap();
        let mut bytes = vec![0; len];
        for (offset, line) in parse(part) {
            bytes[offset..offset + line.len()].copy_from_slice(&line);
        }
        let segment = open(&bytes);
        assert_eq!(segment.verify(), []);
        walk(&segment);
        let run = "src/user.ts::run()";
        let node = segment.find_key(key::hash(run), run).unwrap().unwrap();
        assert_eq!(segment.out_row(node).len(), 2);
        assert!(segment.find_file("src/user.ts").is_some());
        assert!(segment.term("run").unwrap().is_some());
        assert_eq!(segment.text_word("run").unwrap().is_some(), words);
    }
}

#[test]
fn stored_segments_of_every_version_can_be_read() {
    read_stored("tests/fixtures/segment-1.0.hex", false);
    read_stored("tests/fixtures/segment-1.1.hex", true);
}

#[test]
fn the_example_in_the_description_of_the_format_is_true() {
    let text = std::fs::read_to_string(project_file("storage-format.md")).unwrap();
    let example_at = text.find("## Worked example").unwrap();
    let (bytes, _) = base_bytes(&example());
    let lines = parse(&text[example_at..]);
    let mut shown = vec![false; bytes.len()];
    for (offset, line) in lines {
        assert!(!line.is_empty(), "no bytes at {offset:06x}");
        let actual = &bytes[offset..offset + line.len()];
        assert_eq!(actual, line, "at {offset:06x}:\n{}", dump(&bytes));
        shown[offset..offset + line.len()].fill(true);
    }
    let hidden = bytes
        .iter()
        .zip(shown)
        .position(|(byte, shown)| *byte != 0 && !shown);
    assert_eq!(
        hidden,
        None,
        "bytes are left out of the example:\n{}",
        dump(&bytes)
    );
}

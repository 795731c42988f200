//! Small stores written as text, for the tests of the read side.
//!
//! ```text
//! file src/a.ts [test]            a unit; marks in brackets become flags
//!   class Store 1-9               kind, name, lines; indented below its holder
//!     method get 2-4 [exported]
//! Store.get() calls/call -> src/b.ts::f() @3     source (without its file) relation/context -> target key @ line
//! ```
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::ids::LocalNode;
use crate::model::edge::{Confidence, EdgeLabel};
use crate::model::label::{Context, Language, NodeKind, Reason, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::{FileFlags, NewNode, Unit};
use crate::{Snapshot, Store};

/// A store in a folder that goes away with it.
pub(crate) struct Fixture {
    _folder: tempfile::TempDir,
    pub(crate) store: Store,
    pub(crate) snapshot: Snapshot,
}

impl Fixture {
    pub(crate) fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path().join("index"));
        put(&store, &units(text));
        let snapshot = Snapshot::open(store.path()).unwrap();
        Self {
            _folder: folder,
            store,
            snapshot,
        }
    }

    /// Puts further units, as a later commit would.
    pub(crate) fn update(&mut self, text: &str) {
        put(&self.store, &units(text));
        self.snapshot = Snapshot::open(self.store.path()).unwrap();
    }

    pub(crate) fn sym(&self, key: &str) -> crate::ids::SymId {
        self.snapshot
            .find_key(key)
            .unwrap()
            .unwrap_or_else(|| panic!("no {key}"))
    }
}

fn put(store: &Store, units: &[Unit]) {
    let mut writer = store.writer().unwrap();
    units.iter().for_each(|u| writer.put(u.clone()).unwrap());
    writer.commit().unwrap();
}

pub(crate) fn units(text: &str) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut holders: Vec<LocalNode> = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let line = line.trim_end();
        let (body, marks) = match line.split_once('[') {
            Some((body, marks)) => (body.trim_end(), marks.trim_end_matches(']')),
            None => (line, ""),
        };
        let indent = (body.len() - body.trim_start().len()) / 2;
        if let Some((source, rest)) = body.split_once(" -> ") {
            link(units.last_mut().unwrap(), source.trim(), rest);
        } else if let Some(path) = body.strip_prefix("file ") {
            let mut unit = Unit::new(path.trim(), Language::TYPESCRIPT);
            let last = 99;
            unit.node_mut(LocalNode::UNIT).unwrap().span = Span {
                start_line: 1,
                end_line: last,
                ..Span::default()
            };
            unit.meta.flags = match marks {
                "test" => FileFlags::TEST,
                "generated" => FileFlags::GENERATED,
                _ => 0,
            };
            if marks == "test" {
                unit.node_mut(LocalNode::UNIT).unwrap().flags = NodeFlags::TEST;
            }
            units.push(unit);
            holders = vec![LocalNode::UNIT];
        } else {
            let unit = units.last_mut().unwrap();
            let words: Vec<&str> = body.split_whitespace().collect();
            let (first, last) = words[2].split_once('-').unwrap_or((words[2], words[2]));
            let span = Span {
                start_line: first.parse().unwrap(),
                end_line: last.parse().unwrap(),
                ..Span::default()
            };
            let mut flags = if marks.contains("exported") {
                NodeFlags::EXPORTED
            } else {
                NodeFlags::default()
            };
            if unit.meta.flags == FileFlags::TEST {
                flags = flags.with(NodeFlags::TEST);
            }
            holders.truncate(indent);
            let doc = if marks.contains("doc") {
                "Says what it does.\nIn two lines."
            } else {
                ""
            };
            let signature = format!("{} {}", words[0], words[1]);
            let parent = *holders.last().unwrap();
            let kind =
                NodeKind::built_in(words[0]).unwrap_or_else(|| panic!("no kind {}", words[0]));
            let node = unit
                .add(NewNode {
                    parent,
                    span,
                    flags,
                    doc,
                    signature: &signature,
                    ..NewNode::new(words[1], kind)
                })
                .unwrap();
            let relation = if indent > 1 {
                Relation::METHOD
            } else {
                Relation::CONTAINS
            };
            let structure = EdgeLabel {
                reason: Reason::STRUCTURE,
                line: span.start_line,
                ..EdgeLabel::stated(relation)
            };
            unit.link_local(parent, node, structure);
            holders.push(node);
        }
    }
    units
}

fn link(unit: &mut Unit, source: &str, rest: &str) {
    let (source, label) = source.rsplit_once(' ').unwrap();
    let (target, line) = rest.rsplit_once(" @").unwrap();
    let (relation, context) = label.split_once('/').unwrap_or((label, ""));
    let confidence = if target.starts_with('?') {
        Confidence::Unresolved
    } else {
        Confidence::Extracted
    };
    let label = EdgeLabel {
        relation: Relation::built_in(relation).unwrap_or_else(|| panic!("no relation {relation}")),
        confidence,
        reason: Reason::IMPORT,
        context: Context::built_in(context).unwrap(),
        line: line.trim().parse().unwrap(),
    };
    let wanted = if source == "." {
        unit.key().to_string()
    } else {
        format!("{}::{source}", unit.key())
    };
    let place = unit
        .keys()
        .iter()
        .position(|k| *k == wanted)
        .unwrap_or_else(|| panic!("no {wanted}"));
    unit.link_key(LocalNode::from_index(place).unwrap(), target.trim(), label);
}

//! Random units, a plain description of what a segment must hold, and a small index over base and deltas.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;

use crate::ids::{Epoch, FileOrd, LocalNode, NodeIdx, SegmentId, SymId};
use crate::model::edge::{Confidence, Edge, EdgeLabel, Target};
use crate::model::key;
use crate::model::label::{Context, Language, NodeKind, Reason, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::{NewNode, Unit};
use crate::segment::merge::{self, Input};
use crate::segment::{
    Segment, SegmentBuilder, SegmentKind, SegmentSummary, SymbolTable, Tombstones,
};
use crate::storage::mmap::Bytes;

const NAMES: &[&str] = &[
    "get",
    "Get",
    "GET",
    "x",
    "HTTPServerPool",
    "größe",
    "Größe",
    "用户名",
    "_",
    "",
    "a.b",
    "utf8Text",
    "getUserName",
    "user_name",
    "i18n",
    "b`c",
    "cafe\u{301}",
    "constructor",
];
const KINDS: &[NodeKind] = &[
    NodeKind::CLASS,
    NodeKind::FUNCTION,
    NodeKind::METHOD,
    NodeKind::FIELD,
    NodeKind(200),
];
const OUTSIDE: &[&str] = &[
    "npm:axios",
    "?println",
    "?get",
    "env:HOME",
    "npm:axios::get()",
    "gone.ts::x",
];
/// Keys of units that random stores may hold.
pub(super) const PATHS: &[&str] = &["a.ts", "b/c.ts", "b/d.ts", "größe.rs", "z"];

/// A node, before it is one: numbers choose from the lists above and from what is there.
#[derive(Clone, Debug)]
pub(super) struct NodeSpec {
    name: usize,
    kind: usize,
    parent: usize,
    line: u32,
    signature: bool,
    doc: bool,
    flags: u16,
}

/// An edge, before it is one.
#[derive(Clone, Debug)]
pub(super) struct EdgeSpec {
    source: usize,
    how: usize,
    unit: usize,
    node: usize,
    relation: u8,
    confidence: u8,
    reason: u8,
    context: u8,
    line: u32,
}

/// A unit, before it is one.
#[derive(Clone, Debug)]
pub(super) struct UnitSpec {
    nodes: Vec<NodeSpec>,
    edges: Vec<EdgeSpec>,
    facts: bool,
    size: u64,
}

pub(super) fn node_spec() -> impl Strategy<Value = NodeSpec> {
    (
        0..NAMES.len(),
        0..KINDS.len(),
        any::<usize>(),
        0u32..500,
        any::<bool>(),
        any::<bool>(),
        any::<u16>(),
    )
        .prop_map(
            |(name, kind, parent, line, signature, doc, flags)| NodeSpec {
                name,
                kind,
                parent,
                line,
                signature,
                doc,
                flags,
            },
        )
}

fn edge_spec() -> impl Strategy<Value = EdgeSpec> {
    let place = (any::<usize>(), 0usize..4, any::<usize>(), any::<usize>());
    let label = (0u8..3, 0u8..4, 0u8..3, 0u8..3, 0u32..4);
    (place, label).prop_map(
        |((source, how, unit, node), (relation, confidence, reason, context, line))| EdgeSpec {
            source,
            how,
            unit,
            node,
            relation,
            confidence,
            reason,
            context,
            line,
        },
    )
}

pub(super) fn unit_spec() -> impl Strategy<Value = UnitSpec> {
    (
        proptest::collection::vec(node_spec(), 0..8),
        proptest::collection::vec(edge_spec(), 0..12),
        any::<bool>(),
        any::<u64>(),
    )
        .prop_map(|(nodes, edges, facts, size)| UnitSpec {
            nodes,
            edges,
            facts,
            size,
        })
}

/// A store's units by key.
pub(super) type Specs = BTreeMap<String, UnitSpec>;

pub(super) fn specs() -> impl Strategy<Value = Specs> {
    proptest::collection::btree_map(
        proptest::sample::select(PATHS).prop_map(str::to_string),
        unit_spec(),
        0..=PATHS.len(),
    )
}

/// What a key's placeholder is: depends on the key alone, as it does when real sources are linked.
pub(super) fn kind_of(key: &str) -> NodeKind {
    match key
        .split_once(':')
        .is_some_and(|(_, rest)| !rest.starts_with(':'))
    {
        true => NodeKind::EXTERNAL,
        false => NodeKind::UNRESOLVED,
    }
}

/// A unit without its edges.
fn bare_unit(path: &str, spec: &UnitSpec) -> Unit {
    let mut unit = Unit::new(path, Language(spec.size as u8 % 5));
    unit.meta.size = spec.size;
    unit.meta.content_hash = u128::from(spec.size) << 70 | 9;
    unit.meta.lines = spec.nodes.len() as u32;
    for node in &spec.nodes {
        let mut new = NewNode::new(NAMES[node.name], KINDS[node.kind]);
        new.parent = LocalNode((node.parent % unit.nodes().len()) as u32);
        new.span = Span {
            start_line: node.line,
            end_line: node.line + 2,
            start_byte: node.line * 30,
            end_byte: node.line * 30 + 40,
        };
        let signature = format!("fn {}()", NAMES[node.name]);
        new.signature = if node.signature { &signature } else { "" };
        new.doc = if node.doc {
            "What it does — größer."
        } else {
            ""
        };
        new.flags = NodeFlags(node.flags);
        unit.add(new).unwrap();
    }
    if spec.facts {
        unit.facts.flags = 1;
    }
    unit
}

/// The units of a store. Edges to other units name keys; with `by_place`, units of the store are named by their place.
pub(super) fn units(specs: &Specs, by_place: bool) -> Vec<Unit> {
    let mut units: Vec<Unit> = specs
        .iter()
        .map(|(path, spec)| bare_unit(path, spec))
        .collect();
    let keys: Vec<Vec<String>> = units.iter().map(Unit::keys).collect();
    for (spec, unit) in specs.values().zip(&mut units) {
        let mut edges = Vec::new();
        for edge in &spec.edges {
            let nodes = unit.nodes().len();
            let at = edge.unit % keys.len();
            let node = edge.node % keys[at].len();
            let target = match edge.how {
                0 => Target::Local(LocalNode((edge.node % nodes) as u32)),
                1 if by_place => Target::Unit {
                    unit: at as u32,
                    node: LocalNode(node as u32),
                },
                1 | 2 => {
                    let text = &keys[at][node];
                    Target::Key {
                        key: unit.intern(text),
                        kind: kind_of(text),
                    }
                }
                _ => {
                    let text = OUTSIDE[edge.node % OUTSIDE.len()];
                    Target::Key {
                        key: unit.intern(text),
                        kind: kind_of(text),
                    }
                }
            };
            edges.push(Edge {
                source: LocalNode((edge.source % nodes) as u32),
                target,
                label: EdgeLabel {
                    relation: Relation(edge.relation),
                    confidence: Confidence::from_u8(edge.confidence),
                    reason: Reason(edge.reason * 90),
                    context: Context(edge.context * 100),
                    line: edge.line,
                },
            });
        }
        unit.set_edges(edges);
    }
    units
}

/// An edge by the keys of its ends.
pub(super) type KeyEdge = (String, String, EdgeLabel);

/// The edges that units state, sorted.
pub(super) fn stated_edges(units: &[Unit]) -> Vec<KeyEdge> {
    let keys: Vec<Vec<String>> = units.iter().map(Unit::keys).collect();
    let mut edges = Vec::new();
    for (unit, own) in units.iter().zip(&keys) {
        for edge in unit.edges() {
            let target = match edge.target {
                Target::Local(node) => own[node.index()].clone(),
                Target::Unit { unit, node } => keys[unit as usize][node.index()].clone(),
                Target::Key { key, .. } => unit.text(key).to_string(),
                Target::Symbol(_) => unreachable!("the model states none"),
            };
            edges.push((own[edge.source.index()].clone(), target, edge.label));
        }
    }
    edges.sort();
    edges
}

pub(super) fn open(bytes: &[u8]) -> Segment {
    Segment::open(Bytes::copy_from(bytes), Path::new("test.gseg"), None).unwrap()
}

pub(super) fn base_bytes(units: &[Unit]) -> (Vec<u8>, SegmentSummary) {
    let mut builder = SegmentBuilder::base(SegmentId(7), Epoch(3));
    for unit in units {
        builder.add_unit(unit).unwrap();
    }
    let mut out = Vec::new();
    let summary = builder.write(&mut out, None).unwrap();
    (out, summary)
}

/// A segment with its dead parts.
pub(super) struct Part {
    pub(super) bytes: Vec<u8>,
    pub(super) segment: Segment,
    pub(super) dead: Tombstones,
}

/// Base and deltas, kept in step by the rules that the index follows.
#[derive(Default)]
pub(super) struct MiniIndex {
    pub(super) parts: Vec<Part>,
    pub(super) next_sym: u32,
    next_id: u64,
}

struct Symbols<'a> {
    parts: &'a [Part],
    next: u32,
}

fn find_live(parts: &[Part], hash: u64, key: &str) -> Option<SymId> {
    parts.iter().rev().find_map(|part| {
        let node = part.segment.find_key(hash, key).unwrap()?;
        let dead = part.dead.has_node(&part.segment, node);
        (!dead).then(|| part.segment.sym_of(node).unwrap())
    })
}

impl SymbolTable for Symbols<'_> {
    fn lookup(&mut self, hash: u64, key: &str) -> crate::error::Result<Option<SymId>> {
        Ok(find_live(self.parts, hash, key))
    }

    fn allocate(&mut self) -> crate::error::Result<SymId> {
        self.next += 1;
        Ok(SymId(self.next - 1))
    }
}

impl MiniIndex {
    pub(super) fn new(units: &[Unit]) -> Self {
        let mut index = Self::default();
        let (bytes, summary) = base_bytes(units);
        index.next_sym = summary.next_sym;
        index.next_id = 8;
        index.push(bytes);
        index
    }

    pub(super) fn push(&mut self, bytes: Vec<u8>) {
        let segment = open(&bytes);
        assert_eq!(segment.verify(), []);
        self.parts.push(Part {
            bytes,
            segment,
            dead: Tombstones::default(),
        });
    }

    pub(super) fn id(&mut self) -> SegmentId {
        self.next_id += 1;
        SegmentId(self.next_id)
    }

    /// Replaces and removes units by a delta.
    pub(super) fn apply(&mut self, puts: &[Unit], removes: &[&str]) {
        let id = self.id();
        let mut defined = BTreeSet::new();
        let mut named = BTreeSet::new();
        for unit in puts {
            defined.extend(unit.keys());
            named.extend(unit.edges().iter().filter_map(|e| match e.target {
                Target::Key { key, .. } => Some(unit.text(key).to_string()),
                _ => None,
            }));
        }
        let before: Vec<Tombstones> = self.parts.iter().map(|p| p.dead.clone()).collect();
        let mut dying = Vec::new();
        let keys: Vec<&str> = puts
            .iter()
            .map(Unit::key)
            .chain(removes.iter().copied())
            .collect();
        for key in keys {
            for part in &mut self.parts {
                let Some(ord) = part.segment.find_file(key) else {
                    continue;
                };
                if part.dead.files.insert(ord.0) {
                    for node in part.segment.file(ord).unwrap().nodes().map(NodeIdx) {
                        let key = part.segment.key(node).unwrap();
                        dying.push((part.segment.sym_of(node).unwrap(), key));
                    }
                }
            }
        }
        dying.sort();
        let mut builder = SegmentBuilder::delta(id, Epoch(3));
        for unit in puts {
            builder.add_unit(unit).unwrap();
        }
        for (sym, key) in dying {
            let needed = self.parts.iter().any(|part| {
                part.segment
                    .in_row(sym)
                    .iter()
                    .any(|(source, _)| !part.dead.has_node(&part.segment, source))
            });
            if !defined.contains(&key) && (needed || named.contains(&key)) {
                builder
                    .add_placeholder(sym, &key, NodeKind::UNRESOLVED)
                    .unwrap();
            }
        }
        let after: Vec<Tombstones> = self.parts.iter().map(|p| p.dead.clone()).collect();
        for (part, dead) in self.parts.iter_mut().zip(before) {
            part.dead = dead;
        }
        let mut symbols = Symbols {
            parts: &self.parts,
            next: self.next_sym,
        };
        let mut out = Vec::new();
        let summary = builder.write(&mut out, Some(&mut symbols)).unwrap();
        assert_eq!(summary.kind, SegmentKind::Delta);
        self.next_sym = symbols.next;
        for (part, dead) in self.parts.iter_mut().zip(after) {
            part.dead = dead;
        }
        for sym in &summary.defined {
            for part in &mut self.parts {
                if let Some(node) = part.segment.node_of(*sym)
                    && part.segment.is_external(node)
                {
                    part.dead.nodes.insert(node.0);
                }
            }
        }
        self.push(out);
    }

    pub(super) fn inputs(&self) -> Vec<Input<'_>> {
        let inputs = self.parts.iter().map(|p| Input {
            segment: &p.segment,
            dead: &p.dead,
        });
        inputs.collect()
    }

    /// Folds all deltas into one.
    pub(super) fn merge_deltas(&mut self) {
        let id = self.id();
        let mut out = Vec::new();
        let inputs = self.inputs();
        let first = usize::from(self.parts[0].segment.kind() == SegmentKind::Base);
        merge::merge_deltas(id, Epoch(3), &inputs[first..], &mut out).unwrap();
        self.parts.truncate(first);
        self.push(out);
    }

    pub(super) fn compacted(&self, id: SegmentId, epoch: Epoch) -> Vec<u8> {
        let mut out = Vec::new();
        merge::compact(id, epoch, &self.inputs(), &mut out).unwrap();
        out
    }

    /// The key of a symbol, from whatever describes it.
    fn key_of(&self, sym: SymId) -> String {
        let described = self.parts.iter().rev().find_map(|part| {
            let node = part.segment.node_of(sym)?;
            (!part.dead.has_node(&part.segment, node)).then(|| part.segment.key(node).unwrap())
        });
        described.unwrap_or_else(|| panic!("symbol {sym:?} is not described"))
    }

    /// Live edges, sorted, seen from their sources; `None` where the way back does not show the same ones.
    pub(super) fn edges(&self) -> Option<Vec<KeyEdge>> {
        let mut edges = Vec::new();
        let mut forth = Vec::new();
        let mut back = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let segment = &part.segment;
            for node in (0..segment.node_count()).map(NodeIdx) {
                for (i, edge) in segment.out_row(node).iter().enumerate() {
                    forth.push((at, node, edge.target, edge.label.relation));
                    assert_eq!(segment.out_row(node).get(i), Some(edge));
                    let parallel: Vec<_> = segment
                        .out_row(node)
                        .to(edge.label.relation, edge.target)
                        .collect();
                    assert!(parallel.contains(&edge));
                    if part.dead.has_node(segment, node) {
                        continue;
                    }
                    let key = self.key_of(edge.target);
                    assert_eq!(key::hash(&key) as u16, edge.tag);
                    edges.push((segment.key(node).unwrap(), key, edge.label));
                }
            }
            for sym in (0..self.next_sym).map(SymId) {
                let row = segment.in_row(sym).iter();
                back.extend(row.map(|(source, relation)| (at, source, sym, relation)));
            }
        }
        edges.sort();
        forth.sort();
        back.sort();
        (forth == back).then_some(edges)
    }

    /// Keys of live units.
    pub(super) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for part in &self.parts {
            let live = (0..part.segment.file_count()).map(FileOrd);
            let live = live.filter(|ord| !part.dead.has_file(*ord));
            files.extend(live.map(|ord| part.segment.file(ord).unwrap().key().to_string()));
        }
        files.sort();
        files
    }
}

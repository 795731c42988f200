//! The synthetic graph that the benchmarks share.
//!
//! Deterministic: node `i` has a name that it shares with about nine others, a place in a unit of fifty nodes, and five
//! outgoing edges, as measured on real trees: one from its file that contains it, two to near nodes, one far away with a
//! bias to few popular ones, one to another file. All targets outside the unit are named by key, as a library user
//! would name them.

#![allow(dead_code, reason = "each benchmark uses a part of it")]

use graphify::ids::LocalNode;
use graphify::model::edge::EdgeLabel;
use graphify::model::label::{Context, Language, NodeKind, Reason, Relation};
use graphify::model::node::Span;
use graphify::model::unit::{NewNode, Unit};
use graphify::{Result, index::FileStamp};

/// Nodes of a unit, the unit itself not counted.
pub(crate) const PER_UNIT: u64 = 50;

const VERBS: &[&str] = &[
    "load", "store", "parse", "render", "resolve", "merge", "flush", "open", "close", "encode",
    "decode", "scan", "visit", "bind", "check", "apply",
];
const NOUNS: &[&str] = &[
    "Page", "Token", "Buffer", "Session", "Report", "Account", "Index", "Segment", "Cursor",
    "Widget", "Packet", "Schema", "Module", "Channel", "Ledger", "Vertex",
];

/// A graph of a given size.
#[derive(Clone, Copy)]
pub(crate) struct Synthetic {
    nodes: u64,
    names: u64,
}

impl Synthetic {
    pub(crate) fn new(nodes: u64) -> Self {
        Self {
            nodes,
            names: (nodes / 10).max(PER_UNIT * 2),
        }
    }

    pub(crate) fn units(&self) -> u64 {
        self.nodes.div_ceil(PER_UNIT)
    }

    pub(crate) fn name(&self, node: u64) -> String {
        let n = node % self.names;
        let verb = VERBS[(n % 16) as usize];
        let noun = NOUNS[(n / 16 % 16) as usize];
        format!("{verb}{noun}{}", n / 256)
    }

    pub(crate) fn unit_key(&self, unit: u64) -> String {
        format!(
            "pkg{:03}/mod{:03}/file{unit:07}.ts",
            unit / 10_000,
            unit / 100 % 100
        )
    }

    pub(crate) fn key(&self, node: u64) -> String {
        format!("{}::{}()", self.unit_key(node / PER_UNIT), self.name(node))
    }

    /// The targets of a node's calls.
    pub(crate) fn targets(&self, node: u64) -> [u64; 4] {
        let mut state = node.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let near = |r: u64| (node + r % 400).saturating_sub(200).min(self.nodes - 1);
        let share = (next() % 1_000_000) as f64 / 1_000_000.0;
        let popular = (share.powi(3) * self.nodes as f64) as u64;
        [
            near(next()),
            near(next()),
            popular.min(self.nodes - 1),
            next() % self.nodes,
        ]
    }

    pub(crate) fn unit(&self, unit: u64) -> Result<Unit> {
        let mut built = Unit::new(self.unit_key(unit), Language::TYPESCRIPT);
        built.meta.content_hash = u128::from(unit);
        let first = unit * PER_UNIT;
        let last = (first + PER_UNIT).min(self.nodes);
        for node in first..last {
            let line = (node - first) as u32 * 12 + 1;
            let span = Span {
                start_line: line,
                end_line: line + 10,
                start_byte: line * 40,
                end_byte: line * 40 + 390,
            };
            let name = self.name(node);
            built.add(NewNode {
                span,
                ..NewNode::new(&name, NodeKind::FUNCTION)
            })?;
        }
        for node in first..last {
            let place = LocalNode((node - first) as u32 + 1);
            let line = (node - first) as u32 * 12 + 3;
            built.link_local(
                LocalNode::UNIT,
                place,
                EdgeLabel {
                    reason: Reason::STRUCTURE,
                    ..EdgeLabel::stated(Relation::CONTAINS)
                },
            );
            for target in self.targets(node) {
                let label = EdgeLabel {
                    reason: Reason::IMPORT,
                    context: Context::CALL,
                    line,
                    ..EdgeLabel::stated(Relation::CALLS)
                };
                if target / PER_UNIT == unit {
                    built.link_local(place, LocalNode((target - first) as u32 + 1), label);
                } else {
                    built.link_key(place, &self.key(target), label);
                }
            }
        }
        Ok(built)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Result<(Unit, FileStamp)>> + '_ {
        (0..self.units()).map(|u| Ok((self.unit(u)?, FileStamp::default())))
    }
}

/// The largest resident size of this process so far, in MiB.
pub(crate) fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|l| l.starts_with("VmHWM:"))
        .unwrap_or_default();
    let kib: u64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    kib / 1024
}

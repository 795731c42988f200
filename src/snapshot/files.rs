//! The live units of a snapshot.
//!
//! Where it sits: beside [`super::view`]; used by `status`, `export`, verification and library users. Invariant: a unit
//! that was replaced is shown once, with its newest content; listings are in order of key.

use std::ops::Range;

use crate::error::Result;
use crate::ids::{FileOrd, LocalNode, NodeIdx, SymId};
use crate::model::label::{Language, NodeKind, Relation};
use crate::model::unit::{FileMeta, Unit};
use crate::segment::{FileRow, Segment};
use crate::snapshot::locate::Home;
use crate::snapshot::open::{Part, Snapshot};
use crate::snapshot::view::NodeView;

/// How many edges there are, by what they lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeTotals {
    /// All.
    pub all: u64,
    /// Those that say how a file is built: what holds what.
    pub structure: u64,
    /// Those to something outside the index: packages, environment variables.
    pub outside: u64,
    /// Those to a name that nothing could be proved for.
    pub unresolved: u64,
}

impl EdgeTotals {
    /// References whose target is known: symbols of the index and what lies outside.
    pub const fn resolved(&self) -> u64 {
        self.all
            .saturating_sub(self.unresolved)
            .saturating_sub(self.structure)
    }
}

/// One live unit.
#[derive(Clone)]
pub struct FileView<'a> {
    snapshot: &'a Snapshot,
    part: &'a Part,
    index: usize,
    ord: FileOrd,
    row: FileRow<'a>,
}

impl<'a> FileView<'a> {
    /// Its key: the encoded path of a file.
    pub fn key(&self) -> &'a str {
        self.row.key()
    }

    /// Its language.
    pub fn language(&self) -> Language {
        self.row.language()
    }

    /// What is known of the file itself.
    pub fn meta(&self) -> FileMeta {
        self.row.meta()
    }

    /// How many nodes it has, itself included.
    pub fn node_count(&self) -> u32 {
        {
            let nodes = self.row.nodes();
            nodes.end.saturating_sub(nodes.start)
        }
    }

    /// The symbol of the unit itself.
    pub fn sym(&self) -> Option<SymId> {
        self.part.segment.sym_of(NodeIdx(self.row.nodes().start))
    }

    /// The symbol of the node at a place of the unit; 0 is the unit itself.
    pub fn sym_at(&self, place: LocalNode) -> Option<SymId> {
        let nodes = self.row.nodes();
        let node = nodes
            .start
            .checked_add(place.0)
            .filter(|n| *n < nodes.end)?;
        self.part.segment.sym_of(NodeIdx(node))
    }

    /// Its nodes in source order; the first is the unit itself.
    pub fn nodes(&self) -> impl Iterator<Item = NodeView<'a>> + 'a {
        let (snapshot, part, index) = (self.snapshot, self.part, self.index);
        let range: Range<u32> = self.row.nodes();
        range.filter_map(move |i| {
            let node = NodeIdx(i);
            let sym = part.segment.sym_of(node)?;
            snapshot.view_at(Home { part: index, node }, sym)
        })
    }

    /// The bytes that were attached to the unit, as they were; `None` where there are none.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for a damaged record.
    pub fn attachment(&self) -> Result<Option<Vec<u8>>> {
        self.part.segment.attachment(self.ord)
    }

    /// The whole unit as it was stored, to be linked again; `None` for units without facts.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for a damaged record.
    pub fn unit(&self) -> Result<Option<Unit>> {
        self.part.segment.unit(self.ord)
    }
}

/// How many edges leave a range of nodes: their rows lie side by side.
fn edges_from(segment: &Segment, nodes: Range<u32>) -> u64 {
    let rows = segment.forward();
    let first = rows.range(NodeIdx(nodes.start)).start;
    let last = nodes
        .end
        .checked_sub(1)
        .map_or(first, |n| rows.range(NodeIdx(n)).end);
    last.saturating_sub(first) as u64
}

/// How many live edges of a part are structure.
fn structure(part: &Part) -> u64 {
    let structural = [
        Relation::CONTAINS,
        Relation::METHOD,
        Relation::CASE_OF,
        Relation::DEFINES,
    ];
    let rows = part.segment.forward();
    let nodes = (0..part.segment.file_node_count()).map(NodeIdx);
    let live = nodes.filter(|n| !part.dead.contains(*n));
    let relations = live.flat_map(|n| rows.row(n).relations().to_vec());
    relations
        .filter(|r| structural.contains(&Relation(*r)))
        .count() as u64
}

impl Snapshot {
    /// The live unit with that key.
    pub fn file(&self, key: &str) -> Option<FileView<'_>> {
        let (index, ord) = self.find_file(key)?;
        self.file_at(index, ord)
    }

    fn file_at(&self, index: usize, ord: FileOrd) -> Option<FileView<'_>> {
        let part = self.part(index)?;
        let row = part.segment.file(ord)?;
        Some(FileView {
            snapshot: self,
            part,
            index,
            ord,
            row,
        })
    }

    /// All live units in order of key.
    pub fn files(&self) -> impl Iterator<Item = FileView<'_>> + '_ {
        // A merge of sorted tables: a handful of parts, so the smallest head is found by looking at each.
        let mut heads: Vec<(usize, u32)> = (0..self.parts.len()).map(|i| (i, 0)).collect();
        std::iter::from_fn(move || {
            let mut best: Option<(FileView<'_>, usize)> = None;
            for (slot, (index, next)) in heads.iter_mut().enumerate() {
                let part = self.part(*index)?;
                while part.dead_files.contains(*next) {
                    *next += 1;
                }
                let Some(view) = self.file_at(*index, FileOrd(*next)) else {
                    continue;
                };
                if best.as_ref().is_none_or(|(b, _)| view.key() < b.key()) {
                    best = Some((view, slot));
                }
            }
            let (view, slot) = best?;
            if let Some((_, next)) = heads.get_mut(slot) {
                *next += 1;
            }
            Some(view)
        })
    }

    /// How many live units there are.
    pub fn file_count(&self) -> u64 {
        let counts = self
            .parts
            .iter()
            .map(|p| u64::from(p.segment.file_count()).saturating_sub(p.dead_files.len()));
        counts.sum()
    }

    /// How many live nodes there are, placeholders left out.
    pub fn node_count(&self) -> u64 {
        let counts = self.parts.iter().map(|p| {
            let dead = p.dead.count().saturating_sub(p.dead_placeholders);
            u64::from(p.segment.file_node_count()).saturating_sub(dead)
        });
        counts.sum()
    }

    /// How the edges are divided by what they lead to.
    pub fn edge_totals(&self) -> EdgeTotals {
        let mut totals = EdgeTotals {
            all: self.edge_count(),
            ..EdgeTotals::default()
        };
        let mut placeholders: Vec<SymId> = Vec::new();
        for part in &self.parts {
            totals.structure += structure(part);
            let externals = part.segment.file_node_count()..part.segment.node_count();
            let live = externals.map(NodeIdx).filter(|n| !part.dead.contains(*n));
            placeholders.extend(live.filter_map(|n| part.segment.sym_of(n)));
        }
        placeholders.sort_unstable();
        placeholders.dedup();
        for sym in placeholders {
            let Some(node) = self.node(sym).filter(NodeView::is_placeholder) else {
                continue;
            };
            let edges = self.in_degree(sym) as u64;
            if node.kind() == NodeKind::UNRESOLVED {
                totals.unresolved += edges;
            } else {
                totals.outside += edges;
            }
        }
        totals
    }

    /// How many edges the live nodes have.
    pub fn edge_count(&self) -> u64 {
        let counts = self.parts.iter().map(|p| {
            let dead: u64 = p
                .dead
                .ranges()
                .map(|nodes| edges_from(&p.segment, nodes))
                .sum();
            p.segment.edge_count().saturating_sub(dead)
        });
        counts.sum()
    }
}

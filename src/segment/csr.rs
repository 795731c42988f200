//! Adjacency: outgoing rows in full, incoming rows as (source, relation), both in the segment of the source.
//!
//! Where it sits: accessors of [`Segment`]; written by [`super::builder`]. Invariants: a row is a slice of parallel
//! arrays; outgoing rows are sorted by (relation, target, line, qualifier, tag); incoming rows by (source, relation) and
//! hold an entry for every edge, so that the two sides are transpositions of each other. A base has an incoming row for
//! every node, a delta only for the symbols that its edges lead to.
//!
//! Walks take [`Forward`] or [`Backward`] once and then read rows from it: a row costs two reads of offsets and no
//! allocation.

use std::ops::Range;

use rkyv::rend::u32_le;

use crate::ids::{NodeIdx, SymId};
use crate::model::edge::{Confidence, EdgeLabel};
use crate::model::label::{Context, Reason, Relation};
use crate::segment::layout::{QualifierRecord, SectionKind, SegmentKind, SiteRecord};
use crate::segment::reader::Segment;

/// An outgoing edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutEdge {
    /// Where it leads.
    pub target: SymId,
    /// What it says.
    pub label: EdgeLabel,
    /// Low 16 bits of the hash of the target's key, as it was when the edge was stored.
    pub tag: u16,
}

/// The outgoing adjacency of a segment.
#[derive(Clone, Copy)]
pub struct Forward<'a> {
    offsets: &'a [u32_le],
    targets: &'a [u32_le],
    relations: &'a [u8],
    sites: &'a [SiteRecord],
    qualifiers: &'a [QualifierRecord],
}

impl<'a> Forward<'a> {
    /// The places of a node's edges; empty for nodes that have no row.
    #[inline]
    pub fn range(&self, node: NodeIdx) -> Range<usize> {
        let at = node.index();
        match (self.offsets.get(at), self.offsets.get(at + 1)) {
            (Some(start), Some(end)) => start.to_native() as usize..end.to_native() as usize,
            _ => 0..0,
        }
    }

    /// Only the targets of a node's edges: what a walk that follows every relation reads.
    #[inline]
    pub fn targets(&self, node: NodeIdx) -> &'a [u32_le] {
        self.targets.get(self.range(node)).unwrap_or_default()
    }

    /// A node's edges.
    #[inline]
    pub fn row(&self, node: NodeIdx) -> OutRow<'a> {
        let range = self.range(node);
        let targets = self.targets.get(range.clone());
        let relations = self.relations.get(range.clone());
        match (targets, relations, self.sites.get(range)) {
            (Some(targets), Some(relations), Some(sites)) => OutRow {
                targets,
                relations,
                sites,
                qualifiers: self.qualifiers,
            },
            _ => OutRow::default(),
        }
    }
}

/// The outgoing edges of one node.
#[derive(Clone, Copy, Default)]
pub struct OutRow<'a> {
    targets: &'a [u32_le],
    relations: &'a [u8],
    sites: &'a [SiteRecord],
    qualifiers: &'a [QualifierRecord],
}

impl<'a> OutRow<'a> {
    /// Number of edges.
    #[inline]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no edge.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Symbols that the edges lead to.
    #[inline]
    pub fn targets(&self) -> &'a [u32_le] {
        self.targets
    }

    /// Relations of the edges, ascending.
    #[inline]
    pub fn relations(&self) -> &'a [u8] {
        self.relations
    }

    /// One edge in full.
    pub fn get(&self, at: usize) -> Option<OutEdge> {
        let target = self.targets.get(at)?;
        let relation = self.relations.get(at)?;
        let site = self.sites.get(at)?;
        let qualifier = self.qualifiers.get(usize::from(site.qualifier.to_native()));
        let (confidence, reason, context) = match qualifier {
            Some(q) => (
                Confidence::from_u8(q.confidence),
                Reason(q.reason),
                Context(q.context),
            ),
            None => (Confidence::Unresolved, Reason::UNRESOLVED, Context::NONE),
        };
        Some(OutEdge {
            target: SymId(target.to_native()),
            label: EdgeLabel {
                relation: Relation(*relation),
                confidence,
                reason,
                context,
                line: site.line.to_native(),
            },
            tag: site.tag.to_native(),
        })
    }

    /// All edges in full.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = OutEdge> + use<'a> {
        let row = *self;
        (0..row.len()).map(move |i| {
            row.get(i).unwrap_or(OutEdge {
                target: SymId(u32::MAX),
                label: EdgeLabel::stated(Relation::RELATED),
                tag: 0,
            })
        })
    }

    /// The places of the edges with that relation: rows are sorted by it first.
    pub fn range_of(&self, relation: Relation) -> Range<usize> {
        let start = self.relations.partition_point(|r| *r < relation.0);
        let rest = self.relations.get(start..).unwrap_or_default();
        start..start + rest.partition_point(|r| *r == relation.0)
    }

    /// The parallel edges with that relation to that symbol.
    pub fn to(
        &self,
        relation: Relation,
        target: SymId,
    ) -> impl ExactSizeIterator<Item = OutEdge> + use<'a> {
        let of_relation = self.range_of(relation);
        let targets = self.targets.get(of_relation.clone()).unwrap_or_default();
        let skip = targets.partition_point(|t| t.to_native() < target.0);
        let rest = targets.get(skip..).unwrap_or_default();
        let len = rest.partition_point(|t| t.to_native() == target.0);
        let start = of_relation.start + skip;
        self.part(start..start + len).iter()
    }

    fn part(&self, range: Range<usize>) -> Self {
        Self {
            targets: self.targets.get(range.clone()).unwrap_or_default(),
            relations: self.relations.get(range.clone()).unwrap_or_default(),
            sites: self.sites.get(range).unwrap_or_default(),
            qualifiers: self.qualifiers,
        }
    }
}

/// The incoming adjacency of a segment.
#[derive(Clone, Copy)]
pub struct Backward<'a> {
    /// `None` in a base, where rows are found by number.
    symbols: Option<&'a [u32_le]>,
    offsets: &'a [u32_le],
    sources: &'a [u32_le],
    relations: &'a [u8],
}

impl<'a> Backward<'a> {
    /// The edges of this segment that lead to a symbol.
    #[inline]
    pub fn row(&self, sym: SymId) -> InRow<'a> {
        let at = match self.symbols {
            None => sym.index(),
            Some(symbols) => match symbols.binary_search_by_key(&sym.0, |s| s.to_native()) {
                Ok(at) => at,
                Err(_) => return InRow::default(),
            },
        };
        self.row_at(at)
    }

    /// The symbols that have rows in a delta, ascending; `None` for a base, where every node has one.
    pub fn symbols(&self) -> Option<&'a [u32_le]> {
        self.symbols
    }

    #[inline]
    pub(crate) fn row_at(&self, at: usize) -> InRow<'a> {
        let (Some(start), Some(end)) = (self.offsets.get(at), self.offsets.get(at + 1)) else {
            return InRow::default();
        };
        let range = start.to_native() as usize..end.to_native() as usize;
        match (self.sources.get(range.clone()), self.relations.get(range)) {
            (Some(sources), Some(relations)) => InRow { sources, relations },
            _ => InRow::default(),
        }
    }
}

/// The incoming edges of one symbol, as far as their sources lie in this segment.
#[derive(Clone, Copy, Default)]
pub struct InRow<'a> {
    sources: &'a [u32_le],
    relations: &'a [u8],
}

impl<'a> InRow<'a> {
    /// Number of edges.
    #[inline]
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there is no edge.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Sources of the edges: nodes of this segment, ascending.
    #[inline]
    pub fn sources(&self) -> &'a [u32_le] {
        self.sources
    }

    /// Relations of the edges.
    #[inline]
    pub fn relations(&self) -> &'a [u8] {
        self.relations
    }

    /// All edges as (source, relation).
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NodeIdx, Relation)> + use<'a> {
        let pairs = self.sources.iter().zip(self.relations);
        pairs.map(|(source, relation)| (NodeIdx(source.to_native()), Relation(*relation)))
    }
}

impl Segment {
    /// The outgoing adjacency, for reading many rows.
    #[inline]
    pub fn forward(&self) -> Forward<'_> {
        Forward {
            offsets: self.numbers(SectionKind::OutOffsets),
            targets: self.numbers(SectionKind::OutTargets),
            relations: self.heap(SectionKind::OutRelations),
            sites: self.records(SectionKind::OutSites),
            qualifiers: self.records(SectionKind::Qualifiers),
        }
    }

    /// The incoming adjacency, for reading many rows.
    #[inline]
    pub fn backward(&self) -> Backward<'_> {
        Backward {
            symbols: match self.kind() {
                SegmentKind::Base => None,
                SegmentKind::Delta => Some(self.numbers(SectionKind::InSyms)),
            },
            offsets: self.numbers(SectionKind::InOffsets),
            sources: self.numbers(SectionKind::InSources),
            relations: self.heap(SectionKind::InRelations),
        }
    }

    /// How many edges leave the nodes of a range.
    pub fn edges_from(&self, nodes: Range<u32>) -> u64 {
        let offsets = self.numbers(SectionKind::OutOffsets);
        let last = offsets.len().saturating_sub(1);
        let start = |node: u32| {
            let at = (node as usize).min(last);
            offsets.get(at).map_or(0, |o| u64::from(o.to_native()))
        };
        start(nodes.end).saturating_sub(start(nodes.start))
    }

    /// The outgoing edges of a node; none for externals.
    #[inline]
    pub fn out_row(&self, node: NodeIdx) -> OutRow<'_> {
        self.forward().row(node)
    }

    /// The edges of this segment that lead to a symbol.
    #[inline]
    pub fn in_row(&self, sym: SymId) -> InRow<'_> {
        self.backward().row(sym)
    }
}

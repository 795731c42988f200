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
    segment: &'a Segment,
    offsets: &'a [u32_le],
    targets: &'a [u32_le],
    relations: &'a [u8],
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
        let first = range.start;
        match (self.targets.get(range.clone()), self.relations.get(range)) {
            (Some(targets), Some(relations)) => OutRow {
                segment: Some(self.segment),
                first,
                targets,
                relations,
            },
            _ => OutRow::default(),
        }
    }
}

/// The outgoing edges of one node. Targets and relations are at hand; what else an edge says is looked up when asked for.
#[derive(Clone, Copy, Default)]
pub struct OutRow<'a> {
    segment: Option<&'a Segment>,
    /// Place of the first edge among all of the segment.
    first: usize,
    targets: &'a [u32_le],
    relations: &'a [u8],
}

/// What edges say beside target and relation.
#[derive(Clone, Copy, Default)]
struct Details<'a> {
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
        (at < self.len()).then(|| self.edge(at, self.details()))
    }

    /// All edges in full.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = OutEdge> + use<'a> {
        let row = *self;
        let details = row.details();
        (0..row.len()).map(move |at| row.edge(at, details))
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
            segment: self.segment,
            first: self.first + range.start,
            targets: self.targets.get(range.clone()).unwrap_or_default(),
            relations: self.relations.get(range).unwrap_or_default(),
        }
    }

    fn details(&self) -> Details<'a> {
        let Some(segment) = self.segment.filter(|_| !self.is_empty()) else {
            return Details::default();
        };
        let sites = segment.records::<SiteRecord>(SectionKind::OutSites);
        Details {
            sites: sites
                .get(self.first..self.first + self.len())
                .unwrap_or_default(),
            qualifiers: segment.records(SectionKind::Qualifiers),
        }
    }

    /// Edge number `at` of the row, which has so many. What damage hides reads as the weakest statement.
    fn edge(&self, at: usize, details: Details<'a>) -> OutEdge {
        let target = self.targets.get(at).map_or(u32::MAX, |t| t.to_native());
        let relation = self.relations.get(at).copied().unwrap_or_default();
        let site = details.sites.get(at);
        let qualifier = site.and_then(|site| {
            let place = usize::from(site.qualifier.to_native());
            details.qualifiers.get(place)
        });
        let (confidence, reason, context) = match qualifier {
            Some(q) => (
                Confidence::from_u8(q.confidence),
                Reason(q.reason),
                Context(q.context),
            ),
            None => (Confidence::Unresolved, Reason::UNRESOLVED, Context::NONE),
        };
        OutEdge {
            target: SymId(target),
            label: EdgeLabel {
                relation: Relation(relation),
                confidence,
                reason,
                context,
                line: site.map_or(0, |site| site.line.to_native()),
            },
            tag: site.map_or(0, |site| site.tag.to_native()),
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
            segment: self,
            offsets: self.numbers(SectionKind::OutOffsets),
            targets: self.numbers(SectionKind::OutTargets),
            relations: self.heap(SectionKind::OutRelations),
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

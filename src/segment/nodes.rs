//! The node table: fixed records for nodes of files (in file order) and externals (in key order).
//!
//! Where it sits: accessors of [`Segment`]; written by [`super::builder`]. Invariants: a node's parent stands before it in
//! the same file; a unit's node and an external are their own parents; in a base a node's number is its symbol's; in a
//! delta `node_syms` and `sym_nodes` are the same pairs in the two orders.

use crate::ids::{FileOrd, NodeIdx, SpellOrd, SymId};
use crate::model::key;
use crate::model::label::NodeKind;
use crate::model::node::{NodeFlags, Span};
use crate::segment::layout::{NodeRecord, SectionKind, SegmentKind, SymRecord};
use crate::segment::reader::Segment;
use crate::segment::strings;

/// Nesting that no source reaches; a damaged parent chain ends here.
const MAX_DEPTH: usize = 4096;

/// One node of a segment. Fields of the record are read at once, texts when they are asked for.
#[derive(Clone, Copy)]
pub struct NodeRow<'a> {
    segment: &'a Segment,
    record: &'a NodeRecord,
    node: NodeIdx,
}

impl<'a> NodeRow<'a> {
    /// Its place in the table.
    pub fn idx(&self) -> NodeIdx {
        self.node
    }

    /// The bare name; empty where the stored bytes are damaged.
    pub fn name(&self) -> &'a str {
        self.segment.spelling(self.spelling())
    }

    /// The name's place in the name dictionary.
    pub fn spelling(&self) -> SpellOrd {
        SpellOrd(self.record.spelling.to_native())
    }

    /// What it is.
    pub fn kind(&self) -> NodeKind {
        NodeKind(self.record.kind)
    }

    /// The node that holds it; itself for units and externals.
    pub fn parent(&self) -> NodeIdx {
        NodeIdx(self.record.parent.to_native())
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        Span {
            start_line: self.record.start_line.to_native(),
            end_line: self.record.end_line.to_native(),
            start_byte: self.record.start_byte.to_native(),
            end_byte: self.record.end_byte.to_native(),
        }
    }

    /// Its declaration on one line; empty for none.
    pub fn signature(&self) -> &'a str {
        let bytes = match self.keyed() {
            Some(keyed) => keyed.signature,
            None => self.texts().signature,
        };
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// The key that it was given, if its key is not made from names.
    pub fn own_key(&self) -> Option<&'a str> {
        std::str::from_utf8(self.keyed()?.key).ok()
    }

    /// The community that it was given with its key; empty for none.
    pub fn community(&self) -> &'a str {
        let keyed = self.keyed().unwrap_or_default();
        std::str::from_utf8(keyed.community).unwrap_or_default()
    }

    fn keyed(&self) -> Option<strings::Keyed<'a>> {
        if !self.flags().has(NodeFlags::OWN_KEY) {
            return None;
        }
        Some(self.texts().keyed().unwrap_or_default())
    }

    /// The first paragraph of its doc comment; empty for none.
    pub fn doc(&self) -> &'a str {
        std::str::from_utf8(self.texts().doc).unwrap_or_default()
    }

    /// Further properties.
    pub fn flags(&self) -> NodeFlags {
        NodeFlags(self.record.flags.to_native())
    }

    /// Place among siblings of the same name and call mark, from 1.
    pub fn ordinal(&self) -> u32 {
        self.record.ordinal.to_native()
    }

    pub(crate) fn record(&self) -> &'a NodeRecord {
        self.record
    }

    pub(crate) fn texts(&self) -> strings::TextEntry<'a> {
        let heap = self.segment.heap(SectionKind::Text);
        strings::entry(heap, self.record.text.to_native()).unwrap_or_default()
    }
}

impl Segment {
    /// One node.
    #[inline]
    pub fn node(&self, node: NodeIdx) -> Option<NodeRow<'_>> {
        let record = self
            .records::<NodeRecord>(SectionKind::Nodes)
            .get(node.index())?;
        Some(NodeRow {
            segment: self,
            record,
            node,
        })
    }

    /// The key of a node: stored for externals, put together from file, parents and name for others.
    pub fn key(&self, node: NodeIdx) -> Option<String> {
        let mut key = String::new();
        self.write_key(node, &mut key).then_some(key)
    }

    /// Appends the key of a node; says whether there is one.
    pub(crate) fn write_key(&self, node: NodeIdx, out: &mut String) -> bool {
        if let Some(text) = self.external_key(node) {
            out.push_str(text);
            return true;
        }
        let Some(file) = self.file_of(node) else {
            return false;
        };
        self.write_file_node_key(file, node, out)
    }

    fn write_file_node_key(&self, file: FileOrd, node: NodeIdx, out: &mut String) -> bool {
        let unit = NodeIdx(self.file_node_range(file).start);
        let mut chain: Vec<NodeRow<'_>> = Vec::new();
        let mut at = node;
        let given = loop {
            let Some(row) = self.node(at) else {
                return false;
            };
            let given = row.own_key();
            if at == unit || given.is_some() {
                break given;
            }
            let parent = row.parent();
            if parent >= at || parent < unit || chain.len() >= MAX_DEPTH {
                return false;
            }
            chain.push(row);
            at = parent;
        };
        match given {
            Some(text) => out.push_str(text),
            None => match std::str::from_utf8(self.file_key_bytes(file)) {
                Ok(path) => out.push_str(path),
                Err(_) => return false,
            },
        }
        for row in chain.iter().rev() {
            let callable = key::is_callable(row.kind(), row.flags());
            let first = row.parent() == unit;
            key::push_part(out, first, row.name(), callable, row.ordinal());
        }
        true
    }

    /// The stored key of an external; `None` for nodes of files and damaged text.
    pub fn external_key(&self, node: NodeIdx) -> Option<&str> {
        let at = node.0.checked_sub(self.file_node_count())? as usize;
        let start = self.number(SectionKind::ExternalOffsets, at)?;
        let end = self.number(SectionKind::ExternalOffsets, at + 1)?;
        let bytes = self
            .heap(SectionKind::ExternalKeys)
            .get(start as usize..end as usize)?;
        std::str::from_utf8(bytes).ok()
    }

    /// The symbol of a node.
    #[inline]
    pub fn sym_of(&self, node: NodeIdx) -> Option<SymId> {
        match self.kind() {
            SegmentKind::Base => (node.0 < self.node_count()).then_some(SymId(node.0)),
            SegmentKind::Delta => self.number(SectionKind::NodeSyms, node.index()).map(SymId),
        }
    }

    /// The node that describes a symbol here.
    #[inline]
    pub fn node_of(&self, sym: SymId) -> Option<NodeIdx> {
        match self.kind() {
            SegmentKind::Base => (sym.0 < self.node_count()).then_some(NodeIdx(sym.0)),
            SegmentKind::Delta => {
                let pairs = self.records::<SymRecord>(SectionKind::SymNodes);
                let at = pairs
                    .binary_search_by_key(&sym.0, |p| p.sym.to_native())
                    .ok()?;
                let node = pairs.get(at)?.node.to_native();
                (node < self.node_count()).then_some(NodeIdx(node))
            }
        }
    }
}

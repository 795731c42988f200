//! Builds a segment from units: the base of a new index or the delta of an update.
//!
//! Where it sits: driven by `index`, on top of [`super::tables`]. Invariants: units come in ascending key order and may be
//! dropped once added; the segment's bytes depend on the units, the id, the epoch and (for a delta) the answers of the
//! symbol table alone.
//!
//! Edges may lead to symbols that come later. Until everything is there a target is a number whose two high bits say
//! what it counts: a node, a key that is kept once however many edges name it, a node of a later unit, or a symbol.

mod resolve;

use std::io::Write;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, LocalNode, SegmentId, StrId, SymId};
use crate::model::edge::{Edge, Target};
use crate::model::key;
use crate::model::label::NodeKind;
use crate::model::node::NodeFlags;
use crate::model::unit::Unit;
use crate::segment::blob;
use crate::segment::layout::{NodeRecord, SegmentKind};
use crate::segment::names::Interner;
use crate::segment::tables::{Blobs, MAX_NODES, SegmentSummary, Tables, too_many_nodes};

/// What the present snapshot knows of symbols; asked while a delta is written.
pub trait SymbolTable {
    /// The id that the key has already: of a live node, a dead one or a placeholder. `hash` is [`key::hash`] of the key.
    ///
    /// # Errors
    /// What reading the index refuses.
    fn lookup(&mut self, hash: u64, key: &str) -> Result<Option<SymId>>;

    /// A new id.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when there is none left.
    fn allocate(&mut self) -> Result<SymId>;

    /// Whether nothing live describes a known symbol any more, so that an edge to it needs a placeholder in this delta.
    ///
    /// # Errors
    /// What reading the index refuses.
    fn needs_placeholder(&mut self, _sym: SymId) -> Result<bool> {
        Ok(false)
    }

    /// The hash of a symbol's key; needed only for edges that name their target by [`Target::Symbol`].
    ///
    /// # Errors
    /// What reading the index refuses.
    fn key_hash(&mut self, _sym: SymId) -> Result<Option<u64>> {
        Ok(None)
    }
}

/// What the low 30 bits of a target count.
const NODE: u32 = 0;
const KEY: u32 = 1 << 30;
const LATER: u32 = 2 << 30;
const SYMBOL: u32 = 3 << 30;
const TAG_BITS: u32 = 3 << 30;

/// A key that edges lead to.
#[derive(Clone, Copy)]
struct KeyTarget {
    hash: u64,
    /// What a placeholder for it is: the lowest kind that an edge asked for, so that the order of edges does not matter.
    kind: NodeKind,
}

/// A symbol that `index` wants described although no file of this delta defines it.
struct Placeholder {
    sym: SymId,
    key: String,
    kind: NodeKind,
}

/// Gathers units and writes them as a segment.
pub struct SegmentBuilder {
    tables: Tables<'static>,
    /// Texts of keys that edges lead to, and what is known of each.
    keys: Interner,
    key_targets: Vec<KeyTarget>,
    /// Targets in units that had not arrived.
    later: Vec<(u32, LocalNode)>,
    placeholders: Vec<Placeholder>,
    last_key: Option<String>,
    scratch: Scratch,
}

/// Memory that is used anew for every unit.
#[derive(Default)]
struct Scratch {
    key_heap: String,
    key_ends: Vec<usize>,
    spellings: Vec<u32>,
    row_starts: Vec<u32>,
    row_edges: Vec<u32>,
}

impl SegmentBuilder {
    /// Begins a base: symbols will be numbered like its nodes.
    pub fn base(id: SegmentId, epoch: Epoch) -> Self {
        Self::new(SegmentKind::Base, id, epoch)
    }

    /// Begins a delta: symbols are numbered by the table that [`Self::write`] is given.
    pub fn delta(id: SegmentId, epoch: Epoch) -> Self {
        Self::new(SegmentKind::Delta, id, epoch)
    }

    fn new(kind: SegmentKind, id: SegmentId, epoch: Epoch) -> Self {
        Self {
            tables: Tables::new(kind, id, epoch, Blobs::Heap(Vec::new())),
            keys: Interner::default(),
            key_targets: Vec::new(),
            later: Vec::new(),
            placeholders: Vec::new(),
            last_key: None,
            scratch: Scratch::default(),
        }
    }

    /// Makes room for a known number of nodes and edges; saves copying in large builds.
    pub fn reserve(&mut self, nodes: usize, edges: usize) {
        self.tables.nodes.reserve(nodes);
        self.tables.hashes.reserve(nodes);
        self.tables.edges.offsets.reserve(nodes + 1);
        self.tables.edges.targets.reserve(edges);
        self.tables.edges.relations.reserve(edges);
        self.tables.edges.lines.reserve(edges);
        self.tables.edges.qualifiers.reserve(edges);
    }

    /// Adds a unit with its nodes, edges and facts. [`Target::Unit`] counts the units of this builder in the order in which
    /// they are added; the unit may come later.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when keys do not ascend, the key cannot be one of a unit, or an edge leaves the unit's nodes;
    /// [`ErrorKind::Limit`] when the segment would pass what the format holds. The builder is of no use after an error.
    pub fn add_unit(&mut self, unit: &Unit) -> Result<()> {
        self.check_key(unit.key())?;
        if self.tables.nodes.len() + unit.nodes().len() > MAX_NODES {
            return Err(too_many_nodes());
        }
        let blob = blob::encode(unit)?.unwrap_or_default();
        let blob_len = u32::try_from(blob.len())
            .map_err(|_| Error::new(ErrorKind::Limit, format!("{} is too large", unit.key())))?;
        let first = self.tables.nodes.len() as u32;
        self.tables
            .begin_file(unit.key(), unit.language, &unit.meta, blob_len)?;
        if let Blobs::Heap(heap) = &mut self.tables.blobs {
            heap.extend_from_slice(&blob);
        }
        self.add_nodes(unit, first)?;
        let file = self.tables.files.len() as u32 - 1;
        self.tables.texts.add_unit(unit, first, file)?;
        self.add_edges(unit, first)
    }

    /// Describes a symbol whose definition goes away while others still point at it (deltas only). Where a unit of the
    /// delta defines the key after all, the definition counts.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] in a base.
    pub fn add_placeholder(&mut self, sym: SymId, key: &str, kind: NodeKind) -> Result<()> {
        if self.tables.kind == SegmentKind::Base {
            return Err(Error::new(
                ErrorKind::Invalid,
                "a base finds its placeholders by itself",
            ));
        }
        self.placeholders.push(Placeholder {
            sym,
            key: key.to_string(),
            kind,
        });
        Ok(())
    }

    /// Resolves targets and writes the segment. A delta needs `symbols`, a base must not have them.
    ///
    /// # Errors
    /// What the output or the symbol table refuses; [`ErrorKind::Invalid`] for an edge to a unit, node or symbol that there
    /// is not; [`ErrorKind::Limit`] when a section would pass what the format holds.
    pub fn write(
        mut self,
        out: &mut dyn Write,
        symbols: Option<&mut dyn SymbolTable>,
    ) -> Result<SegmentSummary> {
        match (self.tables.kind, symbols) {
            (SegmentKind::Base, None) => self.resolve_base()?,
            (SegmentKind::Delta, Some(symbols)) => self.resolve_delta(symbols)?,
            _ => {
                return Err(Error::new(
                    ErrorKind::Invalid,
                    "a delta needs a table of symbols, a base has none",
                ));
            }
        }
        let tables = self.tables;
        drop((self.keys, self.key_targets, self.later));
        tables.write(out)
    }

    fn check_key(&mut self, key: &str) -> Result<()> {
        let invalid = |what: &str| Err(Error::new(ErrorKind::Invalid, format!("{key:?} {what}")));
        if key.is_empty() || key.contains("::") {
            return invalid("cannot be the key of a unit");
        }
        if self.last_key.as_deref().is_some_and(|last| last >= key) {
            return invalid("does not come in order of keys");
        }
        self.last_key = Some(key.to_string());
        Ok(())
    }

    fn add_nodes(&mut self, unit: &Unit, first: u32) -> Result<()> {
        let Scratch {
            key_heap,
            key_ends,
            spellings,
            ..
        } = &mut self.scratch;
        key_heap.clear();
        key_ends.clear();
        spellings.clear();
        spellings.resize(unit.strings().len(), u32::MAX);
        let tables = &mut self.tables;
        for (i, (node, ordinal)) in unit.nodes().iter().zip(unit.ordinals()).enumerate() {
            push_key(key_heap, key_ends, unit, i, ordinal);
            let text = key_text(key_heap, key_ends, i);
            tables.hashes.push(key::hash(text));
            let spelling = spelling_of(node.name, unit, spellings, &mut tables.names)?;
            let (signature, doc) = (unit.text(node.signature), unit.text(node.doc));
            let own = LocalNode::from_index(i).and_then(|n| unit.own_key(n));
            let text = match own {
                Some((key, community)) => tables.text.push_keyed(key, community, signature, doc)?,
                None => tables.text.push(signature, doc)?,
            };
            tables.nodes.push(NodeRecord {
                spelling: spelling.into(),
                parent: (first + node.parent.0).into(),
                start_line: node.span.start_line.into(),
                end_line: node.span.end_line.into(),
                start_byte: node.span.start_byte.into(),
                end_byte: node.span.end_byte.into(),
                text: text.into(),
                ordinal: ordinal.into(),
                flags: flags_of(node.flags, own.is_some()).0.into(),
                kind: node.kind.0,
                reserved: 0,
            });
        }
        Ok(())
    }

    fn add_edges(&mut self, unit: &Unit, first: u32) -> Result<()> {
        self.sort_by_source(unit)?;
        let row_starts = std::mem::take(&mut self.scratch.row_starts);
        let row_edges = std::mem::take(&mut self.scratch.row_edges);
        for bounds in row_starts.windows(2) {
            let [start, end] = bounds else { continue };
            let row = row_edges.get(*start as usize..*end as usize);
            for at in row.unwrap_or_default() {
                if let Some(edge) = unit.edges().get(*at as usize) {
                    let target = self.target(edge, unit, first)?;
                    let qualifier = self.tables.qualifiers.number(&edge.label)?;
                    self.tables.edges.push(target, &edge.label, qualifier);
                }
            }
            self.tables.edges.end_row()?;
        }
        self.scratch.row_starts = row_starts;
        self.scratch.row_edges = row_edges;
        Ok(())
    }

    /// Groups the unit's edges by source.
    fn sort_by_source(&mut self, unit: &Unit) -> Result<()> {
        let nodes = unit.nodes().len();
        let Scratch {
            row_starts,
            row_edges,
            ..
        } = &mut self.scratch;
        row_starts.clear();
        row_starts.resize(nodes + 1, 0);
        for edge in unit.edges() {
            match row_starts.get_mut(edge.source.index()) {
                Some(slot) if edge.source.index() < nodes => *slot += 1,
                _ => return Err(outside(unit, "an edge begins")),
            }
        }
        // Counts become ends, and filling from behind turns ends into starts.
        let mut sum = 0;
        for slot in row_starts.iter_mut() {
            sum += *slot;
            *slot = sum;
        }
        row_edges.clear();
        row_edges.resize(unit.edges().len(), 0);
        for (at, edge) in unit.edges().iter().enumerate().rev() {
            if let Some(cursor) = row_starts.get_mut(edge.source.index()) {
                *cursor -= 1;
                if let Some(slot) = row_edges.get_mut(*cursor as usize) {
                    *slot = at as u32;
                }
            }
        }
        Ok(())
    }

    /// The present form of an edge's target.
    fn target(&mut self, edge: &Edge, unit: &Unit, first: u32) -> Result<u32> {
        match edge.target {
            Target::Local(node) => {
                if node.index() >= unit.nodes().len() {
                    return Err(outside(unit, "an edge ends"));
                }
                Ok(NODE | (first + node.0))
            }
            Target::Unit { unit: at, node } => {
                // A unit is complete once the next one has begun; the present one is the last.
                if at as usize + 1 < self.tables.files.len() {
                    return self.node_of_unit(at, node).map(|idx| NODE | idx);
                }
                let place = counted(self.later.len())?;
                self.later.push((at, node));
                Ok(LATER | place)
            }
            Target::Symbol(sym) => counted(sym.index()).map(|sym| SYMBOL | sym),
            Target::Key { key, kind } => {
                let text = unit.text(key);
                let hash = key::hash(text);
                let place = self.keys.intern_hashed(hash, text)?;
                match self.key_targets.get_mut(place as usize) {
                    Some(known) => known.kind = known.kind.min(kind),
                    None => self.key_targets.push(KeyTarget { hash, kind }),
                }
                counted(place as usize).map(|place| KEY | place)
            }
        }
    }
}

/// The flags to be stored: the mark of an own key goes with the key.
fn flags_of(flags: NodeFlags, own: bool) -> NodeFlags {
    let without = NodeFlags(flags.0 & !NodeFlags::OWN_KEY.0);
    if own {
        without.with(NodeFlags::OWN_KEY)
    } else {
        without
    }
}

/// Appends the key of node number `at` behind those of the nodes before it.
fn push_key(heap: &mut String, ends: &mut Vec<usize>, unit: &Unit, at: usize, ordinal: u32) {
    let own = LocalNode::from_index(at).and_then(|n| unit.own_key(n));
    match unit.nodes().get(at) {
        _ if let Some((key, _)) = own => heap.push_str(key),
        Some(node) if at > 0 => {
            heap.extend_from_within(key_range(ends, node.parent.index()));
            key::push_part(
                heap,
                node.parent == LocalNode::UNIT,
                unit.text(node.name),
                key::is_callable(node.kind, node.flags),
                ordinal,
            );
        }
        _ => heap.push_str(unit.key()),
    }
    ends.push(heap.len());
}

fn key_range(ends: &[usize], at: usize) -> std::ops::Range<usize> {
    let start = at.checked_sub(1).and_then(|i| ends.get(i)).copied();
    let end = ends.get(at).copied().unwrap_or_default();
    start.unwrap_or_default().min(end)..end
}

fn key_text<'a>(heap: &'a str, ends: &[usize], at: usize) -> &'a str {
    heap.get(key_range(ends, at)).unwrap_or_default()
}

/// The temporary number of a name, remembered per string of the unit.
fn spelling_of(name: StrId, unit: &Unit, known: &mut [u32], names: &mut Interner) -> Result<u32> {
    match known.get_mut(name.index()) {
        Some(number) if *number != u32::MAX => Ok(*number),
        slot => {
            let number = names.intern(unit.text(name))?;
            if let Some(slot) = slot {
                *slot = number;
            }
            Ok(number)
        }
    }
}

/// A place that fits beside the two bits that say what it counts.
fn counted(place: usize) -> Result<u32> {
    match place < MAX_NODES {
        true => Ok(place as u32),
        false => Err(too_many_nodes()),
    }
}

fn outside(unit: &Unit, what: &str) -> Error {
    Error::new(
        ErrorKind::Invalid,
        format!(
            "{}: {what} at a node that the unit does not have",
            unit.key()
        ),
    )
}

//! Folding segments together: deltas into one delta, or everything into a new base.
//!
//! Where it sits: driven by `index` when its policy says so; on top of [`super::tables`]. Invariants: only what is alive is
//! carried over; stored units are copied as they stand; a compaction gives exactly the bytes of a base that is built anew
//! from the live units (as long as edges agree on the kind of what they name in vain); inputs are compared with their
//! checksums first, so that damage is never given a new, valid checksum.
//!
//! Memory is what the new tables take: texts and units are read from the mapped inputs when they are written.

use std::io::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, FileOrd, NodeIdx, SegmentId, SpellOrd, SymId};
use crate::model::key;
use crate::model::label::NodeKind;
use crate::segment::layout::{NodeRecord, SectionKind, SegmentKind};
use crate::segment::reader::Segment;
use crate::segment::tables::{Blobs, MAX_NODES, SegmentSummary, Tables, too_many_nodes};
use crate::segment::tombstones::Tombstones;

/// A segment with what of it is dead.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The segment.
    pub segment: &'a Segment,
    /// Its dead parts.
    pub dead: &'a Tombstones,
}

/// Folds deltas, oldest first, into one. Symbols keep their ids; placeholders stay unless one of the deltas defines them.
///
/// # Errors
/// [`ErrorKind::Invalid`] when an input is no delta or defines what another one defines; [`ErrorKind::Corrupt`] for
/// damaged inputs; what the output refuses.
pub fn merge_deltas(
    id: SegmentId,
    epoch: Epoch,
    inputs: &[Input<'_>],
    out: &mut dyn Write,
) -> Result<SegmentSummary> {
    if inputs
        .iter()
        .any(|i| i.segment.kind() != SegmentKind::Delta)
    {
        return Err(Error::new(
            ErrorKind::Invalid,
            "only deltas can be folded into a delta",
        ));
    }
    let mut merge = Merge::new(SegmentKind::Delta, id, epoch, inputs)?;
    merge.copy_nodes(|_, _| ())?;
    merge.copy_texts()?;
    merge.copy_edges()?;
    merge.keep_placeholders()?;
    merge.tables.write(out)
}

/// Folds a base and the deltas on top of it, oldest first, into a new base. Symbols are numbered anew; what nothing live
/// points at and nothing defines is left out.
///
/// # Errors
/// [`ErrorKind::Invalid`] when a base is not the first input; [`ErrorKind::Corrupt`] for damaged inputs; what the output
/// refuses.
pub fn compact(
    id: SegmentId,
    epoch: Epoch,
    inputs: &[Input<'_>],
    out: &mut dyn Write,
) -> Result<SegmentSummary> {
    let mut rest = inputs.iter().skip(1);
    if rest.any(|i| i.segment.kind() == SegmentKind::Base) {
        return Err(Error::new(
            ErrorKind::Invalid,
            "the base has to be the first of the segments",
        ));
    }
    let mut merge = Merge::new(SegmentKind::Base, id, epoch, inputs)?;
    let mut new_of = NewNodes::new(inputs);
    merge.copy_nodes(|sym, node| new_of.set(sym.0, node))?;
    merge.copy_texts()?;
    merge.copy_edges()?;
    merge.number_targets(new_of)?;
    merge.tables.write(out)
}

/// No node yet.
const NONE: u32 = u32::MAX;

/// A merge under way.
struct Merge<'a> {
    tables: Tables<'a>,
    sources: Vec<Source<'a>>,
    /// Live files by key: which input, which file.
    files: Vec<(usize, FileOrd)>,
}

/// An input with what is remembered of it.
struct Source<'a> {
    segment: &'a Segment,
    dead: &'a Tombstones,
    hashes: Vec<u64>,
    /// For each spelling its number among the new names, or [`NONE`].
    names: Vec<u32>,
    /// For each node of a file its new place, or [`NONE`].
    new_nodes: Vec<u32>,
    /// For each file its new place, or [`NONE`].
    new_files: Vec<u32>,
}

/// A symbol that will be described without being defined.
struct External {
    key: String,
    sym: SymId,
    kind: NodeKind,
}

impl<'a> Merge<'a> {
    fn new(kind: SegmentKind, id: SegmentId, epoch: Epoch, inputs: &[Input<'a>]) -> Result<Self> {
        for input in inputs {
            input.segment.check_checksums()?;
        }
        let sources = inputs.iter().map(|input| Source {
            segment: input.segment,
            dead: input.dead,
            hashes: input.segment.hashes_by_node(),
            names: vec![NONE; input.segment.spelling_count() as usize],
            new_nodes: vec![NONE; input.segment.file_node_count() as usize],
            new_files: vec![NONE; input.segment.file_count() as usize],
        });
        Ok(Self {
            tables: Tables::new(kind, id, epoch, Blobs::Borrowed(Vec::new())),
            sources: sources.collect(),
            files: live_files(inputs),
        })
    }

    /// Copies files and their nodes; `placed` is told the symbol and the new place of each.
    fn copy_nodes(&mut self, mut placed: impl FnMut(SymId, u32)) -> Result<()> {
        let Self {
            tables,
            sources,
            files,
        } = self;
        for (input, ord) in files.iter() {
            let Some(source) = sources.get_mut(*input) else {
                continue;
            };
            let segment = source.segment;
            let damaged = |kind, what| segment.damaged(kind, what);
            let file = segment
                .file(*ord)
                .ok_or_else(|| damaged(SectionKind::Files, "a file is missing"))?;
            let blob = segment
                .blob_bytes(*ord)
                .ok_or_else(|| damaged(SectionKind::Blobs, "a unit lies outside"))?;
            tables.begin_file(file.key(), file.language(), &file.meta(), blob.len() as u32)?;
            if let Blobs::Borrowed(parts) = &mut tables.blobs
                && !blob.is_empty()
            {
                parts.push(blob);
            }
            if let Some(slot) = source.new_files.get_mut(ord.index()) {
                *slot = tables.files.len() as u32 - 1;
            }
            let old_start = file.nodes().start;
            let new_start = tables.nodes.len() as u32;
            for node in file.nodes() {
                let sym = segment
                    .sym_of(NodeIdx(node))
                    .ok_or_else(|| damaged(SectionKind::NodeSyms, "a node has no symbol"))?;
                placed(sym, tables.nodes.len() as u32);
                if let Some(slot) = source.new_nodes.get_mut(node as usize) {
                    *slot = tables.nodes.len() as u32;
                }
                source.copy_node(NodeIdx(node), old_start, new_start, tables)?;
                if tables.kind == SegmentKind::Delta {
                    tables.syms.push(sym.0);
                }
            }
        }
        Ok(())
    }

    /// Joins the lists of words.
    fn copy_texts(&mut self) -> Result<()> {
        let Self {
            tables, sources, ..
        } = self;
        let segments: Vec<&Segment> = sources.iter().map(|s| s.segment).collect();
        let place = |places: &[u32], at: usize| places.get(at).copied().filter(|p| *p != NONE);
        let node =
            |input: usize, node: NodeIdx| place(&sources.get(input)?.new_nodes, node.index());
        let file = |input: usize, ord: FileOrd| place(&sources.get(input)?.new_files, ord.index());
        let counts = (tables.nodes.len(), tables.files.len());
        tables.texts.merge(&segments, node, file, counts)?;
        for source in sources.iter_mut() {
            source.new_nodes = Vec::new();
        }
        Ok(())
    }

    /// Copies the rows of all copied nodes; targets keep their old symbols.
    fn copy_edges(&mut self) -> Result<()> {
        let Self {
            tables,
            sources,
            files,
        } = self;
        let delta = tables.kind == SegmentKind::Delta;
        for (input, ord) in files.iter() {
            let Some(source) = sources.get(*input) else {
                continue;
            };
            let forward = source.segment.forward();
            for node in source.segment.file_node_range(*ord) {
                let range = forward.range(NodeIdx(node));
                let row = forward.row(NodeIdx(node));
                if row.len() != range.len() {
                    let kind = SectionKind::OutOffsets;
                    return Err(source.segment.damaged(kind, "a row lies outside"));
                }
                for edge in row.iter() {
                    let qualifier = tables.qualifiers.number(&edge.label)?;
                    tables.edges.push(edge.target.0, &edge.label, qualifier);
                    if delta {
                        tables.edges.tags.push(edge.tag);
                    }
                }
                tables.edges.end_row()?;
            }
        }
        Ok(())
    }

    /// Carries the live placeholders of deltas over, the newest of each symbol, unless a file defines it now.
    fn keep_placeholders(&mut self) -> Result<()> {
        let mut seen: FxHashSet<u32> = self.tables.syms.iter().copied().collect();
        let mut externals = Vec::new();
        for source in self.sources.iter().rev() {
            let segment = source.segment;
            for node in (segment.file_node_count()..segment.node_count()).map(NodeIdx) {
                if source.dead.nodes.contains(node.0) {
                    continue;
                }
                let sym = segment.sym_of(node).ok_or_else(|| {
                    segment.damaged(SectionKind::NodeSyms, "a node has no symbol")
                })?;
                if seen.insert(sym.0) {
                    externals.push(source.external(node, sym)?);
                }
            }
        }
        externals.sort_by(|a, b| a.key.cmp(&b.key).then(a.sym.cmp(&b.sym)));
        for external in externals {
            push_external(&mut self.tables, &external)?;
            self.tables.syms.push(external.sym.0);
        }
        Ok(())
    }

    /// Replaces the targets' old symbols by new nodes; what no file defines is described by an external.
    fn number_targets(&mut self, mut new_of: NewNodes) -> Result<()> {
        let mut externals = Vec::new();
        for target in &self.tables.edges.targets {
            if new_of.get(*target) == NONE {
                // Any other number than NONE, so that it is described once; the real one follows below.
                new_of.set(*target, 0);
                externals.push(self.describe(SymId(*target))?);
            }
        }
        externals.sort_by(|a, b| a.key.cmp(&b.key).then(a.sym.cmp(&b.sym)));
        let mut last_key: Option<&str> = None;
        for external in &externals {
            if last_key != Some(&external.key) {
                push_external(&mut self.tables, external)?;
                last_key = Some(&external.key);
            }
            new_of.set(external.sym.0, self.tables.nodes.len() as u32 - 1);
        }
        for target in &mut self.tables.edges.targets {
            *target = new_of.get(*target);
        }
        Ok(())
    }

    /// What is known of a symbol that no live file defines: its newest live placeholder, else a dead record, which still
    /// tells its key.
    fn describe(&self, sym: SymId) -> Result<External> {
        let mut dead = None;
        for source in self.sources.iter().rev() {
            let Some(node) = source.segment.node_of(sym) else {
                continue;
            };
            if source.segment.is_external(node) && !source.dead.nodes.contains(node.0) {
                return source.external(node, sym);
            }
            dead.get_or_insert((source, node));
        }
        match dead {
            Some((source, node)) => source.external(node, sym),
            None => Err(Error::corrupt(
                "an edge leads to a symbol that nothing describes",
            )),
        }
    }
}

impl Source<'_> {
    fn copy_node(
        &mut self,
        node: NodeIdx,
        old_start: u32,
        new_start: u32,
        tables: &mut Tables<'_>,
    ) -> Result<()> {
        let segment = self.segment;
        let row = segment
            .node(node)
            .ok_or_else(|| segment.damaged(SectionKind::Nodes, "a node is missing"))?;
        if tables.nodes.len() >= MAX_NODES {
            return Err(too_many_nodes());
        }
        let parent = row.parent().0.checked_sub(old_start);
        let parent = parent.filter(|p| old_start + p <= node.0).ok_or_else(|| {
            segment.damaged(
                SectionKind::Nodes,
                "a parent does not stand before its node",
            )
        })?;
        let text = match row.record().text.to_native() {
            0 => 0,
            _ => {
                let raw = row.texts().raw;
                if raw.is_empty() {
                    return Err(segment.damaged(SectionKind::Text, "a text lies outside"));
                }
                tables.text.push_raw(raw)?
            }
        };
        let spelling = self.name(row.spelling(), tables)?;
        tables.nodes.push(NodeRecord {
            spelling: spelling.into(),
            parent: (new_start + parent).into(),
            text: text.into(),
            reserved: 0,
            ..*row.record()
        });
        let hash = self.hashes.get(node.index()).copied().unwrap_or_default();
        tables.hashes.push(hash);
        Ok(())
    }

    /// The new temporary number of a name of this input.
    fn name(&mut self, spelling: SpellOrd, tables: &mut Tables<'_>) -> Result<u32> {
        match self.names.get_mut(spelling.index()) {
            Some(slot) => {
                if *slot == NONE {
                    *slot = tables.names.intern(self.segment.spelling(spelling))?;
                }
                Ok(*slot)
            }
            None => {
                let kind = SectionKind::Nodes;
                Err(self.segment.damaged(kind, "a node's name is out of range"))
            }
        }
    }

    /// What a record says of a symbol that is not defined any more.
    fn external(&self, node: NodeIdx, sym: SymId) -> Result<External> {
        let segment = self.segment;
        let key = segment
            .key(node)
            .ok_or_else(|| segment.damaged(SectionKind::ExternalKeys, "a key cannot be read"))?;
        let kind = match segment.is_external(node) {
            true => segment.node(node).map(|row| row.kind()),
            false => None,
        };
        Ok(External {
            key,
            sym,
            kind: kind.unwrap_or(NodeKind::UNRESOLVED),
        })
    }
}

fn push_external(tables: &mut Tables<'_>, external: &External) -> Result<()> {
    let name = key::name_of(&external.key);
    let hash = key::hash(&external.key);
    tables.push_external(&external.key, &name, hash, external.kind)
}

/// The live files of all inputs by key; of two with the same key the newer one.
fn live_files(inputs: &[Input<'_>]) -> Vec<(usize, FileOrd)> {
    let mut files: Vec<(&[u8], std::cmp::Reverse<usize>, FileOrd)> = Vec::new();
    for (at, input) in inputs.iter().enumerate() {
        let live = (0..input.segment.file_count()).map(FileOrd);
        let live = live.filter(|ord| !input.dead.has_file(*ord));
        files.extend(live.map(|ord| {
            let key = input.segment.file_key_bytes(ord);
            (key, std::cmp::Reverse(at), ord)
        }));
    }
    files.sort_unstable();
    files.dedup_by(|later, kept| later.0 == kept.0);
    files.into_iter().map(|(_, at, ord)| (at.0, ord)).collect()
}

/// For every old symbol its new node. Symbols are dense in a sound index and kept in an array; the few beyond it, or the
/// many of a damaged one, cost memory only when they occur.
struct NewNodes {
    dense: Vec<u32>,
    sparse: FxHashMap<u32, u32>,
}

impl NewNodes {
    fn new(inputs: &[Input<'_>]) -> Self {
        let nodes: usize = inputs
            .iter()
            .map(|input| input.segment.node_count() as usize)
            .sum();
        Self {
            dense: vec![NONE; nodes + nodes / 4],
            sparse: FxHashMap::default(),
        }
    }

    fn get(&self, sym: u32) -> u32 {
        match self.dense.get(sym as usize) {
            Some(node) => *node,
            None => self.sparse.get(&sym).copied().unwrap_or(NONE),
        }
    }

    fn set(&mut self, sym: u32, node: u32) {
        match self.dense.get_mut(sym as usize) {
            Some(slot) => *slot = node,
            None => {
                self.sparse.insert(sym, node);
            }
        }
    }
}

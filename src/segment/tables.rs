//! The tables of a segment in the making, and the one routine that writes them.
//!
//! Where it sits: filled by [`super::builder`] from units and by [`super::merge`] from segments; everything that both
//! have in common is here, which is why a compaction gives the bytes of a fresh build. Invariants: what arrives is
//! already in final order (files by key, nodes by file, externals by key); targets are final; memory is freed table by
//! table as it is written.

use std::io::Write;

use rustc_hash::FxHashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, SegmentId, SymId};
use crate::model::edge::EdgeLabel;
use crate::model::label::{Language, NodeKind};
use crate::model::unit::FileMeta;
use crate::segment::layout::{
    FileRecord, NodeRecord, QualifierRecord, SectionKind, SegmentKind, SiteRecord, SymRecord,
};
use crate::segment::names::{Interner, Names, group_by, inverse};
use crate::segment::strings::TextHeap;
use crate::segment::text::TextTables;
use crate::segment::toc::StatKind;
use crate::segment::writer::SectionWriter;
use crate::segment::{trigram, words};

/// Most nodes of a segment: two bits of a node's number mean something else while a segment is built.
pub(crate) const MAX_NODES: usize = 1 << 30;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentSummary {
    /// Base or delta.
    pub kind: SegmentKind,
    /// The segment's id.
    pub id: SegmentId,
    /// The epoch of its symbol ids.
    pub epoch: Epoch,
    /// Length of the file in bytes.
    pub file_len: u64,
    /// Checksum of its table of contents, for HEAD.
    pub toc_crc: u32,
    /// Number of files.
    pub files: u32,
    /// Number of nodes, externals included.
    pub nodes: u32,
    /// Number of nodes that belong to no file.
    pub externals: u32,
    /// Number of edges.
    pub edges: u64,
    /// Delta: symbols of the nodes of files, ascending. Base: empty, they are the numbers below `nodes - externals`.
    pub defined: Vec<SymId>,
    /// One more than the highest symbol that the segment describes.
    pub next_sym: u32,
}

/// Where the compressed units come from.
pub(crate) enum Blobs<'a> {
    /// Gathered here.
    Heap(Vec<u8>),
    /// Copied from other segments as they stand.
    Borrowed(Vec<&'a [u8]>),
}

/// The distinct qualifiers of edges, numbered as they arrive.
#[derive(Default)]
pub(crate) struct Qualifiers {
    numbers: FxHashMap<[u8; 3], u16>,
    values: Vec<[u8; 3]>,
}

impl Qualifiers {
    /// The temporary number of an edge's qualifier.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] past 65 536 combinations.
    pub(crate) fn number(&mut self, label: &EdgeLabel) -> Result<u16> {
        let value = [label.confidence as u8, label.reason.0, label.context.0];
        if let Some(number) = self.numbers.get(&value) {
            return Ok(*number);
        }
        let number = u16::try_from(self.values.len()).map_err(|_| {
            Error::new(
                ErrorKind::Limit,
                "edges have more than 65536 combinations of confidence, reason and context",
            )
            .remedy("use fewer reasons and contexts of your own")
        })?;
        self.numbers.insert(value, number);
        self.values.push(value);
        Ok(number)
    }

    /// The records in final order and the final place of each temporary number.
    fn sort(&self) -> (Vec<QualifierRecord>, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.values.len() as u32).collect();
        let value = |number: &u32| self.values.get(*number as usize).copied();
        order.sort_unstable_by_key(value);
        let records = order.iter().filter_map(value);
        let records = records.map(|[confidence, reason, context]| QualifierRecord {
            confidence,
            reason,
            context,
            reserved: 0,
        });
        (records.collect(), inverse(&order))
    }
}

/// Edges of all nodes of files, row after row; within a row in any order.
#[derive(Default)]
pub(crate) struct Edges {
    /// Where each node's row starts, and the end.
    pub(crate) offsets: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    pub(crate) relations: Vec<u8>,
    pub(crate) lines: Vec<u32>,
    /// Temporary numbers.
    pub(crate) qualifiers: Vec<u16>,
    /// Delta only: in a base they follow from the targets.
    pub(crate) tags: Vec<u16>,
}

impl Edges {
    /// Ends the row of the present node.
    pub(crate) fn end_row(&mut self) -> Result<()> {
        let end = u32::try_from(self.targets.len())
            .map_err(|_| Error::new(ErrorKind::Limit, "the index has too many edges"))?;
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.offsets.push(end);
        Ok(())
    }

    /// Adds an edge to the present row.
    pub(crate) fn push(&mut self, target: u32, label: &EdgeLabel, qualifier: u16) {
        self.targets.push(target);
        self.relations.push(label.relation.0);
        self.lines.push(label.line);
        self.qualifiers.push(qualifier);
    }
}

/// Everything a segment will hold.
pub(crate) struct Tables<'a> {
    pub(crate) kind: SegmentKind,
    pub(crate) id: SegmentId,
    pub(crate) epoch: Epoch,
    pub(crate) files: Vec<FileRecord>,
    pub(crate) file_keys: Vec<u8>,
    /// Nodes of files, then externals; spellings are temporary numbers.
    pub(crate) nodes: Vec<NodeRecord>,
    /// Hash of each node's key.
    pub(crate) hashes: Vec<u64>,
    /// Delta: symbol of each node.
    pub(crate) syms: Vec<u32>,
    pub(crate) external_offsets: Vec<u32>,
    pub(crate) external_keys: Vec<u8>,
    pub(crate) text: TextHeap,
    pub(crate) texts: TextTables,
    pub(crate) names: Interner,
    pub(crate) edges: Edges,
    pub(crate) qualifiers: Qualifiers,
    pub(crate) blobs: Blobs<'a>,
    pub(crate) blob_len: u64,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(kind: SegmentKind, id: SegmentId, epoch: Epoch, blobs: Blobs<'a>) -> Self {
        Self {
            kind,
            id,
            epoch,
            files: Vec::new(),
            file_keys: Vec::new(),
            nodes: Vec::new(),
            hashes: Vec::new(),
            syms: Vec::new(),
            external_offsets: vec![0],
            external_keys: Vec::new(),
            text: TextHeap::new(),
            texts: TextTables::default(),
            names: Interner::default(),
            edges: Edges::default(),
            qualifiers: Qualifiers::default(),
            blobs,
            blob_len: 0,
        }
    }

    /// Begins a file: its nodes come next.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] past 4 GiB of paths.
    pub(crate) fn begin_file(
        &mut self,
        key: &str,
        language: Language,
        meta: &FileMeta,
        blob_len: u32,
    ) -> Result<()> {
        let key_start = heap_place(&self.file_keys)?;
        self.files.push(FileRecord {
            size: meta.size.into(),
            hash_low: (meta.content_hash as u64).into(),
            hash_high: ((meta.content_hash >> 64) as u64).into(),
            blob_start: self.blob_len.into(),
            blob_len: blob_len.into(),
            key_start: key_start.into(),
            node_start: (self.nodes.len() as u32).into(),
            extractor: meta.extractor.into(),
            parse_errors: meta.parse_errors.into(),
            lines: meta.lines.into(),
            flags: meta.flags.into(),
            language: language.0,
            reserved: [0; 11],
        });
        self.file_keys.extend_from_slice(key.as_bytes());
        self.blob_len += u64::from(blob_len);
        Ok(())
    }

    /// Adds a node that belongs to no file; all nodes of files stand before it.
    pub(crate) fn push_external(
        &mut self,
        key: &str,
        name: &str,
        hash: u64,
        kind: NodeKind,
    ) -> Result<()> {
        let idx = self.nodes.len();
        if idx >= MAX_NODES {
            return Err(too_many_nodes());
        }
        let spelling = self.names.intern(name)?;
        self.nodes.push(NodeRecord {
            spelling: spelling.into(),
            parent: (idx as u32).into(),
            start_line: 0.into(),
            end_line: 0.into(),
            start_byte: 0.into(),
            end_byte: 0.into(),
            text: 0.into(),
            ordinal: 1.into(),
            flags: 0.into(),
            kind: kind.0,
            reserved: 0,
        });
        self.hashes.push(hash);
        self.external_keys.extend_from_slice(key.as_bytes());
        self.external_offsets.push(heap_place(&self.external_keys)?);
        Ok(())
    }

    /// Writes everything.
    ///
    /// # Errors
    /// What the output refuses; [`ErrorKind::Limit`] where a section would pass what the format can hold.
    pub(crate) fn write(mut self, out: &mut dyn Write) -> Result<SegmentSummary> {
        let delta = self.kind == SegmentKind::Delta;
        let externals = self.external_offsets.len() as u32 - 1;
        let nodes = self.nodes.len() as u32;
        let file_nodes = nodes - externals;
        let files = self.files.len() as u32;
        let edges = self.edges.targets.len() as u64;
        let mut writer = SectionWriter::new(out, self.kind, self.id, self.epoch)?;

        writer.records(SectionKind::Files, std::mem::take(&mut self.files))?;
        writer.byte_section(SectionKind::FileKeys, &std::mem::take(&mut self.file_keys))?;

        let mut names = Names::sort(std::mem::take(&mut self.names))?;
        let drafts = std::mem::take(&mut self.nodes);
        let spelling_of: Vec<u32> = drafts
            .iter()
            .map(|n| names.place(n.spelling.to_native()))
            .collect();
        writer.records(
            SectionKind::Nodes,
            drafts.iter().zip(&spelling_of).map(|(n, s)| NodeRecord {
                spelling: (*s).into(),
                ..*n
            }),
        )?;
        drop(drafts);

        let (defined, next_sym) = if delta {
            self.write_syms(&mut writer, file_nodes)?
        } else {
            (Vec::new(), nodes)
        };
        writer.numbers(
            SectionKind::ExternalOffsets,
            std::mem::take(&mut self.external_offsets),
        )?;
        writer.byte_section(
            SectionKind::ExternalKeys,
            &std::mem::take(&mut self.external_keys),
        )?;
        writer.byte_section(SectionKind::Text, std::mem::take(&mut self.text).bytes())?;

        self.sort_rows();
        self.write_forward(&mut writer)?;
        self.write_backward(&mut writer, nodes)?;
        self.write_keys(&mut writer)?;

        names.assign(&spelling_of);
        drop(spelling_of);
        names.write(&mut writer)?;
        let words = words::write(&mut writer, &names)?;
        trigram::write(&mut writer, &names)?;
        writer.begin(SectionKind::Blobs)?;
        match std::mem::replace(&mut self.blobs, Blobs::Borrowed(Vec::new())) {
            Blobs::Heap(heap) => writer.bytes(&heap)?,
            Blobs::Borrowed(parts) => parts.into_iter().try_for_each(|p| writer.bytes(p))?,
        }
        writer.end_bytes()?;
        let texts = std::mem::take(&mut self.texts);
        texts.write(&mut writer, file_nodes, files)?;

        for (kind, value) in [
            (StatKind::Files, u64::from(files)),
            (StatKind::FileNodes, u64::from(file_nodes)),
            (StatKind::Externals, u64::from(externals)),
            (StatKind::Edges, edges),
            (StatKind::Terms, u64::from(names.term_count())),
            (StatKind::Spellings, u64::from(names.spelling_count())),
            (StatKind::Words, u64::from(words)),
        ] {
            writer.stat(kind, value);
        }
        let written = writer.finish()?;
        Ok(SegmentSummary {
            kind: self.kind,
            id: self.id,
            epoch: self.epoch,
            file_len: written.file_len,
            toc_crc: written.toc_crc,
            files,
            nodes,
            externals,
            edges,
            defined,
            next_sym,
        })
    }

    /// Writes the two tables of symbols; gives those of file nodes and one more than the highest.
    fn write_syms(
        &mut self,
        writer: &mut SectionWriter<'_>,
        file_nodes: u32,
    ) -> Result<(Vec<SymId>, u32)> {
        let syms = std::mem::take(&mut self.syms);
        writer.numbers(SectionKind::NodeSyms, syms.iter().copied())?;
        let mut pairs: Vec<(u32, u32)> = syms.iter().copied().zip(0..).collect();
        pairs.sort_unstable();
        let twice = pairs.windows(2).any(|w| matches!(w, [a, b] if a.0 == b.0));
        if twice {
            return Err(Error::new(
                ErrorKind::Invalid,
                "two nodes of a segment claim the same symbol",
            ));
        }
        writer.records(
            SectionKind::SymNodes,
            pairs.iter().map(|(sym, node)| SymRecord {
                sym: (*sym).into(),
                node: (*node).into(),
            }),
        )?;
        let next = pairs.last().map_or(0, |(sym, _)| sym.saturating_add(1));
        let of_files = pairs.iter().filter(|(_, node)| *node < file_nodes);
        Ok((of_files.map(|(sym, _)| SymId(*sym)).collect(), next))
    }

    /// Puts every row in its final order.
    fn sort_rows(&mut self) {
        let (_, places) = self.qualifiers.sort();
        let edges = &mut self.edges;
        if edges.offsets.is_empty() {
            edges.offsets.push(0);
        }
        let place = |q: u16| places.get(usize::from(q)).copied().unwrap_or_default() as u16;
        let mut row: Vec<u128> = Vec::new();
        for bounds in edges.offsets.windows(2) {
            let [start, end] = bounds else { continue };
            let range = *start as usize..*end as usize;
            let targets = edges.targets.get_mut(range.clone()).unwrap_or_default();
            let relations = edges.relations.get_mut(range.clone()).unwrap_or_default();
            let lines = edges.lines.get_mut(range.clone()).unwrap_or_default();
            let qualifiers = edges.qualifiers.get_mut(range.clone()).unwrap_or_default();
            let tags = edges.tags.get_mut(range).unwrap_or_default();
            row.clear();
            for (i, (((target, relation), line), qualifier)) in targets
                .iter()
                .zip(&*relations)
                .zip(&*lines)
                .zip(&*qualifiers)
                .enumerate()
            {
                let tag = tags.get(i).copied().unwrap_or_default();
                row.push(
                    u128::from(*relation) << 96
                        | u128::from(*target) << 64
                        | u128::from(*line) << 32
                        | u128::from(place(*qualifier)) << 16
                        | u128::from(tag),
                );
            }
            row.sort_unstable();
            for (i, packed) in row.iter().enumerate() {
                let slots = targets
                    .get_mut(i)
                    .zip(relations.get_mut(i))
                    .zip(lines.get_mut(i))
                    .zip(qualifiers.get_mut(i));
                let Some((((target, relation), line), qualifier)) = slots else {
                    continue;
                };
                *relation = (packed >> 96) as u8;
                *target = (packed >> 64) as u32;
                *line = (packed >> 32) as u32;
                *qualifier = (packed >> 16) as u16;
                if let Some(tag) = tags.get_mut(i) {
                    *tag = *packed as u16;
                }
            }
        }
    }

    fn write_forward(&mut self, writer: &mut SectionWriter<'_>) -> Result<()> {
        let edges = &mut self.edges;
        writer.numbers(SectionKind::OutOffsets, edges.offsets.iter().copied())?;
        writer.numbers(SectionKind::OutTargets, edges.targets.iter().copied())?;
        writer.byte_section(SectionKind::OutRelations, &edges.relations)?;
        let lines = std::mem::take(&mut edges.lines);
        let qualifiers = std::mem::take(&mut edges.qualifiers);
        let tags = std::mem::take(&mut edges.tags);
        let hashes = &self.hashes;
        let delta = self.kind == SegmentKind::Delta;
        let sites = edges.targets.iter().zip(lines).zip(qualifiers).enumerate();
        writer.records(
            SectionKind::OutSites,
            sites.map(|(i, ((target, line), qualifier))| {
                let tag = match delta {
                    true => tags.get(i).copied().unwrap_or_default(),
                    false => hashes.get(*target as usize).map_or(0, |hash| *hash as u16),
                };
                SiteRecord {
                    line: line.into(),
                    qualifier: qualifier.into(),
                    tag: tag.into(),
                }
            }),
        )?;
        let (records, _) = self.qualifiers.sort();
        writer.records(SectionKind::Qualifiers, records)
    }

    /// Writes incoming rows: the transposition of the outgoing ones.
    fn write_backward(&mut self, writer: &mut SectionWriter<'_>, nodes: u32) -> Result<()> {
        let edges = std::mem::take(&mut self.edges);
        // In a delta, targets are few and far apart in the space of symbols: they are numbered first.
        let (symbols, rows) = match self.kind {
            SegmentKind::Base => (None, edges.targets),
            SegmentKind::Delta => {
                let mut symbols = edges.targets.clone();
                symbols.sort_unstable();
                symbols.dedup();
                let row = |target| symbols.binary_search(&target).unwrap_or_default() as u32;
                let rows = edges.targets.into_iter().map(row).collect();
                (Some(symbols), rows)
            }
        };
        let count = symbols.as_ref().map_or(nodes as usize, Vec::len);
        if let Some(symbols) = symbols {
            writer.numbers(SectionKind::InSyms, symbols)?;
        }
        let (starts, mut places) = group_by(&rows, count);
        drop(rows);
        writer.numbers(SectionKind::InOffsets, starts)?;
        let relations: Vec<u8> = places
            .iter()
            .map(|edge| {
                edges
                    .relations
                    .get(*edge as usize)
                    .copied()
                    .unwrap_or_default()
            })
            .collect();
        let sources = row_of_each(&edges.offsets, edges.relations.len());
        for place in &mut places {
            *place = sources.get(*place as usize).copied().unwrap_or_default();
        }
        drop(sources);
        writer.numbers(SectionKind::InSources, places)?;
        writer.byte_section(SectionKind::InRelations, &relations)
    }

    fn write_keys(&mut self, writer: &mut SectionWriter<'_>) -> Result<()> {
        let hashes = std::mem::take(&mut self.hashes);
        let mut pairs: Vec<(u64, u32)> = hashes.into_iter().zip(0..).collect();
        pairs.sort_unstable();
        writer.long_numbers(SectionKind::KeyHashes, pairs.iter().map(|(hash, _)| *hash))?;
        writer.numbers(SectionKind::KeyNodes, pairs.iter().map(|(_, node)| *node))
    }
}

/// For every edge the row that it stands in.
fn row_of_each(offsets: &[u32], edges: usize) -> Vec<u32> {
    let mut rows = Vec::with_capacity(edges);
    for (row, bounds) in (0..).zip(offsets.windows(2)) {
        if let [start, end] = bounds {
            rows.extend((*start..*end).map(|_| row));
        }
    }
    rows
}

/// Where the next entry of a heap with 32-bit offsets begins.
fn heap_place(heap: &[u8]) -> Result<u32> {
    u32::try_from(heap.len()).map_err(|_| {
        Error::new(ErrorKind::Limit, "keys of the index pass 4 GiB")
            .remedy("index parts of the tree into stores of their own")
    })
}

/// The failure past [`MAX_NODES`].
pub(crate) fn too_many_nodes() -> Error {
    Error::new(ErrorKind::Limit, "the index has too many definitions")
        .remedy("index parts of the tree into stores of their own")
}

//! The text tables of a segment in the making.
//!
//! Where it sits: part of [`crate::segment::tables::Tables`], filled unit by unit or from other segments. Memory is about
//! what the finished lists take: while they grow, lists are gaps as varints and one byte for the level, document after
//! document, so that nothing has to be sorted in the end. Invariant: lists grow in order of documents.

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{FileOrd, NodeIdx};
use crate::model::text::{Texts, body_of, for_each_stem, head_of, level};
use crate::model::unit::Unit;
use crate::segment::layout::{SectionKind, TextRecord};
use crate::segment::names::{Interner, fst_refused, inverse};
use crate::segment::postings::{get_varint, put_varint};
use crate::segment::reader::Segment;
use crate::segment::text::list::{self, Bound};
use crate::segment::text::{length_code, length_of};
use crate::segment::toc::StatKind;
use crate::segment::writer::SectionWriter;

/// What a word of a file's name, and of its folders' names, counts, in tenths.
const FILE_NAME: u32 = 30;
const FOLDER: u32 = 20;

/// A smaller sum, in tenths, is not worth an entry.
const LEAST: u32 = 7;

/// A list that grows.
#[derive(Default)]
struct Growing {
    bytes: Vec<u8>,
    next: u32,
    count: u32,
}

impl Growing {
    fn push(&mut self, document: u32, level: u8) {
        put_varint(
            &mut self.bytes,
            u64::from(document.saturating_sub(self.next)),
        );
        self.bytes.push(level);
        self.next = document + 1;
        self.count += 1;
    }

    fn read(&self, out: &mut Vec<(u32, u8)>) {
        out.clear();
        let mut rest = self.bytes.as_slice();
        let mut next = 0;
        while let Some(gap) = get_varint(&mut rest)
            && let Some((level, after)) = rest.split_first()
        {
            rest = after;
            let document = next + gap as u32;
            out.push((document, *level));
            next = document + 1;
        }
    }
}

/// The words of a segment and their lists.
#[derive(Default)]
pub(crate) struct TextTables {
    words: Interner,
    nodes: Vec<Growing>,
    files: Vec<Growing>,
    node_lengths: Vec<u8>,
    file_lengths: Vec<u8>,
    /// Words of the unit at hand, as words of the segment.
    map: Vec<u32>,
    /// For each word of the unit at hand, head and body in its file.
    sums: Vec<(u32, u32)>,
}

impl TextTables {
    /// Adds the texts of a unit whose first node and file are these; all before it were added.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] past 4 GiB of different words.
    pub(crate) fn add_unit(&mut self, unit: &Unit, first: u32, file: u32) -> Result<()> {
        let names;
        let texts = if unit.texts().is_empty() {
            names = Texts::of_names(unit);
            &names
        } else {
            unit.texts()
        };
        self.map.clear();
        for word in texts.words() {
            let number = self.word(word)?;
            self.map.push(number);
        }
        self.sums.clear();
        self.sums.resize(self.map.len(), (0, 0));
        let nodes = unit.nodes().len();
        self.node_lengths.resize(first as usize + nodes, 0);
        let mut whole = 0u32;
        for document in texts.documents() {
            whole = whole.saturating_add(document.length);
            let own = document.node.0 > 0 && document.node.index() < nodes;
            let node = first + document.node.0;
            if own && let Some(slot) = self.node_lengths.get_mut(node as usize) {
                *slot = length_code(document.length);
            }
            for (word, level) in document.words() {
                let places = self
                    .map
                    .get(word as usize)
                    .zip(self.sums.get_mut(word as usize));
                let Some((number, sum)) = places else {
                    continue;
                };
                // A name counts in its file like any mention.
                sum.1 = sum.1.saturating_add(body_of(level) + head_of(level) / 3);
                if own && let Some(list) = self.nodes.get_mut(*number as usize) {
                    list.push(node, level);
                }
            }
        }
        let mut heads: Vec<(u32, u32)> = Vec::new();
        let path = unit.key();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        for (text, weight) in [(stem, FILE_NAME), (folders, FOLDER)] {
            let mut failed = None;
            for_each_stem(text, &mut |word| match self.word(word) {
                Ok(number) => heads.push((number, weight)),
                Err(e) => failed = Some(e),
            });
            if let Some(e) = failed {
                return Err(e);
            }
        }
        let mut entries: Vec<(u32, u32, u32)> = heads.into_iter().map(|(w, h)| (w, h, 0)).collect();
        let bodies = self
            .map
            .iter()
            .zip(&self.sums)
            .filter(|(_, sum)| sum.1 >= LEAST);
        entries.extend(bodies.map(|(word, sum)| (*word, 0, sum.1)));
        entries.sort_unstable();
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            let head = group.iter().map(|e| e.1).sum();
            let body = group.iter().map(|e| e.2).sum();
            let number = group.first().map_or(0, |e| e.0);
            if let Some(list) = self.files.get_mut(number as usize) {
                list.push(file, level(head, body));
            }
        }
        self.file_lengths.push(length_code(whole));
        Ok(())
    }

    /// Adds the lists of other segments. `node` and `file` tell where an input's live documents went; inputs' documents
    /// need not be in order.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for damaged lists, [`ErrorKind::Limit`] as for [`Self::add_unit`].
    pub(crate) fn merge(
        &mut self,
        inputs: &[&Segment],
        node: impl Fn(usize, NodeIdx) -> Option<u32>,
        file: impl Fn(usize, FileOrd) -> Option<u32>,
        counts: (usize, usize),
    ) -> Result<()> {
        self.node_lengths = vec![0; counts.0];
        self.file_lengths = vec![length_code(0); counts.1];
        let mut by_word: Vec<Vec<u32>> = Vec::with_capacity(inputs.len());
        let mut words: Vec<(u32, usize, u32)> = Vec::new();
        for (i, segment) in inputs.iter().enumerate() {
            for (at, code) in segment.heap(SectionKind::NodeLengths).iter().enumerate() {
                let new = NodeIdx::from_index(at).and_then(|at| node(i, at));
                if let Some(slot) = new.and_then(|n| self.node_lengths.get_mut(n as usize)) {
                    *slot = *code;
                }
            }
            for (at, code) in segment.heap(SectionKind::FileLengths).iter().enumerate() {
                let new = FileOrd::from_index(at).and_then(|at| file(i, at));
                if let Some(slot) = new.and_then(|n| self.file_lengths.get_mut(n as usize)) {
                    *slot = *code;
                }
            }
            let mut numbers = Vec::new();
            let mut failed = None;
            segment.for_each_text_word(&mut |word| match self.word(word) {
                Ok(number) => numbers.push(number),
                Err(e) => failed = Some(e),
            })?;
            if let Some(e) = failed {
                return Err(e);
            }
            words.extend((0..).zip(&numbers).map(|(ord, number)| (*number, i, ord)));
            by_word.push(numbers);
        }
        drop(by_word);
        words.sort_unstable();
        let mut nodes: Vec<(u32, u8)> = Vec::new();
        let mut files: Vec<(u32, u8)> = Vec::new();
        for group in words.chunk_by(|a, b| a.0 == b.0) {
            nodes.clear();
            files.clear();
            for (_, input, ord) in group {
                let Some(segment) = inputs.get(*input) else {
                    continue;
                };
                let mut cursor = segment.node_cursor(*ord);
                while cursor.document() != u32::MAX {
                    let new = node(*input, NodeIdx(cursor.document()));
                    nodes.extend(new.map(|n| (n, cursor.level())));
                    cursor.next();
                }
                let mut other = segment.file_cursor(*ord);
                while other.document() != u32::MAX {
                    let new = file(*input, FileOrd(other.document()));
                    files.extend(new.map(|f| (f, other.level())));
                    other.next();
                }
                if cursor.is_damaged() || other.is_damaged() {
                    return Err(segment.damaged(SectionKind::TextPostings, "a list cannot be read"));
                }
            }
            nodes.sort_unstable();
            files.sort_unstable();
            let number = group.first().map_or(0, |g| g.0) as usize;
            for (lists, found) in [(&mut self.nodes, &nodes), (&mut self.files, &files)] {
                if let Some(list) = lists.get_mut(number) {
                    found.iter().for_each(|(d, level)| list.push(*d, *level));
                }
            }
        }
        Ok(())
    }

    /// The number of a word.
    fn word(&mut self, word: &str) -> Result<u32> {
        let number = self.words.intern(word)?;
        if number as usize >= self.nodes.len() {
            self.nodes.push(Growing::default());
            self.files.push(Growing::default());
        }
        Ok(number)
    }

    /// Writes the sections of texts. Words that no document holds any more are left out.
    ///
    /// # Errors
    /// What the output refuses.
    pub(crate) fn write(
        mut self,
        writer: &mut SectionWriter<'_>,
        file_nodes: u32,
        files: u32,
    ) -> Result<()> {
        self.words.seal();
        self.node_lengths.resize(file_nodes as usize, 0);
        self.file_lengths.resize(files as usize, length_code(0));
        let order = self.words.sorted();
        debug_assert_eq!(inverse(&order).len(), order.len());
        let used = |number: &&u32| {
            let count = |lists: &[Growing]| lists.get(**number as usize).map_or(0, |l| l.count);
            count(&self.nodes) + count(&self.files) > 0
        };
        writer.begin(SectionKind::TextFst)?;
        let mut builder = fst::MapBuilder::memory();
        for (ord, number) in (0..).zip(order.iter().filter(used)) {
            builder
                .insert(self.words.get(*number), ord)
                .map_err(fst_refused)?;
        }
        writer.bytes(&builder.into_inner().map_err(fst_refused)?)?;
        writer.end_bytes()?;

        let kept: Vec<u32> = order.iter().filter(used).copied().collect();
        let mut records = Vec::with_capacity(kept.len());
        let mut start = 0u64;
        let mut documents = Vec::new();
        let mut heap = Vec::new();
        writer.begin(SectionKind::TextPostings)?;
        for number in kept {
            heap.clear();
            let nodes = self
                .nodes
                .get_mut(number as usize)
                .map(std::mem::take)
                .unwrap_or_default();
            nodes.read(&mut documents);
            let length = |d: u32| {
                self.node_lengths
                    .get(d as usize)
                    .copied()
                    .unwrap_or_default()
            };
            let node_bound = list::write(&mut heap, &documents, length);
            let files_at = u32::try_from(heap.len()).map_err(|_| too_large())?;
            let of_files = self
                .files
                .get_mut(number as usize)
                .map(std::mem::take)
                .unwrap_or_default();
            of_files.read(&mut documents);
            let length = |d: u32| {
                self.file_lengths
                    .get(d as usize)
                    .copied()
                    .unwrap_or_default()
            };
            let file_bound = list::write(&mut heap, &documents, length);
            writer.bytes(&heap)?;
            records.push(record(
                start,
                files_at,
                (nodes.count, node_bound),
                (of_files.count, file_bound),
            ));
            start += heap.len() as u64;
        }
        writer.end_bytes()?;
        let words = records.len() as u64;
        writer.records(SectionKind::TextWords, records)?;
        writer.byte_section(SectionKind::NodeLengths, &self.node_lengths)?;
        writer.byte_section(SectionKind::FileLengths, &self.file_lengths)?;
        let sum = |codes: &[u8]| codes.iter().map(|c| u64::from(length_of(*c))).sum::<u64>();
        let documents = self.node_lengths.iter().filter(|c| **c > 0).count() as u64;
        writer.stat(StatKind::TextWords, words);
        writer.stat(StatKind::Documents, documents);
        writer.stat(StatKind::DocumentWords, sum(&self.node_lengths));
        writer.stat(StatKind::FileWords, sum(&self.file_lengths));
        Ok(())
    }
}

fn record(start: u64, files_at: u32, nodes: (u32, Bound), files: (u32, Bound)) -> TextRecord {
    TextRecord {
        start: start.into(),
        files_at: files_at.into(),
        nodes: nodes.0.into(),
        files: files.0.into(),
        node_level: nodes.1.level,
        node_length: nodes.1.length,
        file_level: files.1.level,
        file_length: files.1.length,
    }
}

fn too_large() -> Error {
    Error::new(ErrorKind::Limit, "the list of a word passes 4 GiB")
        .remedy("index parts of the tree into stores of their own")
}

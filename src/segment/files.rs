//! The file table: one record per file, in key order, and the heap of their keys.
//!
//! Where it sits: accessors of [`Segment`]; written by [`super::builder`]. Invariants: keys ascend strictly; node ranges
//! follow each other without gaps and cover exactly the nodes that are no externals.

use std::ops::Range;

use crate::error::Result;
use crate::ids::{FileOrd, NodeIdx};
use crate::model::label::Language;
use crate::model::unit::{FileMeta, Unit};
use crate::segment::blob;
use crate::segment::layout::{FileRecord, SectionKind};
use crate::segment::reader::Segment;

/// One file of a segment.
#[derive(Clone, Copy)]
pub struct FileRow<'a> {
    segment: &'a Segment,
    record: &'a FileRecord,
    ord: FileOrd,
}

impl<'a> FileRow<'a> {
    /// Its place in the table.
    pub fn ord(&self) -> FileOrd {
        self.ord
    }

    /// Its key: the encoded path. Empty where the stored bytes are damaged.
    pub fn key(&self) -> &'a str {
        std::str::from_utf8(self.segment.file_key_bytes(self.ord)).unwrap_or_default()
    }

    /// Its language.
    pub fn language(&self) -> Language {
        Language(self.record.language)
    }

    /// What is known of the file itself.
    pub fn meta(&self) -> FileMeta {
        let record = self.record;
        FileMeta {
            size: record.size.to_native(),
            content_hash: u128::from(record.hash_high.to_native()) << 64
                | u128::from(record.hash_low.to_native()),
            extractor: record.extractor.to_native(),
            parse_errors: record.parse_errors.to_native(),
            lines: record.lines.to_native(),
            flags: record.flags.to_native(),
        }
    }

    /// Its nodes; the first is the unit itself.
    pub fn nodes(&self) -> Range<u32> {
        self.segment.file_node_range(self.ord)
    }

    /// Whether its unit is stored, so that it can be linked again without being parsed.
    pub fn has_blob(&self) -> bool {
        self.record.blob_len.to_native() > 0
    }
}

impl Segment {
    /// One file.
    pub fn file(&self, ord: FileOrd) -> Option<FileRow<'_>> {
        let record = self
            .records::<FileRecord>(SectionKind::Files)
            .get(ord.index())?;
        Some(FileRow {
            segment: self,
            record,
            ord,
        })
    }

    /// All files in key order.
    pub fn files(&self) -> impl Iterator<Item = FileRow<'_>> {
        (0..self.file_count()).filter_map(|ord| self.file(FileOrd(ord)))
    }

    /// The file with that key.
    pub fn find_file(&self, key: &str) -> Option<FileOrd> {
        let (mut low, mut high) = (0, self.file_count());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.file_key_bytes(FileOrd(middle)).cmp(key.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(FileOrd(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The file that a node belongs to; `None` for externals.
    pub fn file_of(&self, node: NodeIdx) -> Option<FileOrd> {
        if node.0 >= self.file_node_count() {
            return None;
        }
        let files = self.records::<FileRecord>(SectionKind::Files);
        let after = files.partition_point(|f| f.node_start.to_native() <= node.0);
        FileOrd::from_index(after.checked_sub(1)?)
    }

    /// The stored unit of a file, without edges; `None` where none was stored, or by a version that stored other facts:
    /// the file has to be read again.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when the stored bytes are damaged.
    pub fn unit(&self, ord: FileOrd) -> Result<Option<Unit>> {
        let Some(file) = self.file(ord).filter(FileRow::has_blob) else {
            return Ok(None);
        };
        let Some(bytes) = self.blob_bytes(ord) else {
            return Err(self.damaged(SectionKind::Blobs, "a unit lies outside"));
        };
        blob::decode(file.key(), file.language(), file.meta(), bytes).map_err(|e| e.at(self.path()))
    }

    /// The bytes that were attached to a file's unit; `None` where there are none.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when the stored bytes are damaged.
    pub fn attachment(&self, ord: FileOrd) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.file(ord) else {
            return Ok(None);
        };
        let Some(bytes) = self.blob_bytes(ord) else {
            return Err(self.damaged(SectionKind::Blobs, "a unit lies outside"));
        };
        blob::attachment(file.key(), bytes).map_err(|e| e.at(self.path()))
    }

    /// The compressed unit of a file; empty where none was stored, `None` where it lies outside its section.
    pub(crate) fn blob_bytes(&self, ord: FileOrd) -> Option<&[u8]> {
        let record = self.file(ord)?.record;
        let start = usize::try_from(record.blob_start.to_native()).ok()?;
        let len = record.blob_len.to_native() as usize;
        if len == 0 {
            return Some(&[]);
        }
        self.heap(SectionKind::Blobs)
            .get(start..start.checked_add(len)?)
    }

    pub(crate) fn file_key_bytes(&self, ord: FileOrd) -> &[u8] {
        let files = self.records::<FileRecord>(SectionKind::Files);
        let heap = self.heap(SectionKind::FileKeys);
        let start = |i: usize| files.get(i).map(|f| f.key_start.to_native() as usize);
        let Some(from) = start(ord.index()) else {
            return &[];
        };
        let to = start(ord.index() + 1).unwrap_or(heap.len());
        heap.get(from..to).unwrap_or_default()
    }

    /// The nodes of a file, cut to the nodes that there are.
    pub(crate) fn file_node_range(&self, ord: FileOrd) -> Range<u32> {
        let files = self.records::<FileRecord>(SectionKind::Files);
        let start = |i: usize| files.get(i).map(|f| f.node_start.to_native());
        let end = self.file_node_count();
        let Some(from) = start(ord.index()) else {
            return 0..0;
        };
        let to = start(ord.index() + 1).unwrap_or(end).min(end);
        from.min(to)..to
    }
}

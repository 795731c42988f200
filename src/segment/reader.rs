//! An open segment: header, contents and section bounds are checked once, everything else where it is used.
//!
//! Where it sits: read by `snapshot`, `index`, [`super::merge`] and [`super::verify`]; the accessors of each part of the
//! file stand in the module of that part. Invariants: opening takes the same time for any size; no read trusts a stored
//! number (slices go through `get`, text is checked where it is used, an fst's checksum is compared before its first
//! use), so damaged bytes give wrong answers or errors but never a panic or a read outside the file.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rkyv::api::low::LowValidator;
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Failure;
use rkyv::rend::{u32_le, u64_le};
use rkyv::vec::ArchivedVec;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, NodeIdx, SegmentId};
use crate::segment::layout::{
    ALIGNMENT, FileRecord, HEADER_LEN, NodeRecord, QualifierRecord, Record, SectionKind,
    SectionRecord, SegmentKind, SiteRecord, SymRecord, TextRecord, VEC_ROOT, WordRecord,
};
use crate::segment::toc::{self, Contents, Header, Trailer};
use crate::storage::checksum::{CHUNK, crc32, damaged_chunks};
use crate::storage::mmap::Bytes;

/// One more than the highest known section number.
const SLOTS: usize = 80;

/// What HEAD says about a segment that is about to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentExpect {
    /// Its id.
    pub id: SegmentId,
    /// The epoch of its symbol ids.
    pub epoch: Epoch,
    /// Length of its file.
    pub file_len: u64,
    /// Checksum of its table of contents.
    pub toc_crc: u32,
}

/// An open segment.
pub struct Segment {
    bytes: Bytes,
    path: PathBuf,
    header: Header,
    trailer: Trailer,
    contents: Contents,
    spans: [Span; SLOTS],
    file_nodes: u32,
    pub(super) term_fst: OnceLock<Result<fst::Map<Bytes>, String>>,
    pub(super) word_fst: OnceLock<Result<fst::Map<Bytes>, String>>,
    pub(super) text_fst: OnceLock<Result<fst::Map<Bytes>, String>>,
}

/// Where a section lies; empty for one that is not there.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: usize,
    end: usize,
    count: u32,
}

/// A type that may stand in a section of records and is valid for any bytes.
pub(crate) trait Checked: Record + for<'a> CheckBytes<LowValidator<'a, Failure>> {}
impl<R: Record + for<'a> CheckBytes<LowValidator<'a, Failure>>> Checked for R {}

impl Segment {
    /// Opens a segment that lies in `bytes`; `path` is named in errors, `expect` is what HEAD says of it.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when header, end, table of contents or the bounds and shapes of sections are wrong or are not
    /// what HEAD expects; [`ErrorKind::Format`] for another major version.
    pub fn open(bytes: Bytes, path: &Path, expect: Option<&SegmentExpect>) -> Result<Self> {
        Self::open_inner(bytes, path, expect).map_err(|e| e.at(path))
    }

    fn open_inner(bytes: Bytes, path: &Path, expect: Option<&SegmentExpect>) -> Result<Self> {
        let header = Header::parse(&bytes)?;
        let trailer = Trailer::parse(&bytes)?;
        if let Some(expect) = expect {
            let found = SegmentExpect {
                id: header.id,
                epoch: header.epoch,
                file_len: trailer.file_len,
                toc_crc: trailer.toc_crc,
            };
            if found != *expect {
                return Err(Error::corrupt(
                    "the segment is not the one that the index names",
                ));
            }
        }
        let toc_bytes = usize::try_from(trailer.toc_offset)
            .ok()
            .and_then(|start| {
                let end = start.checked_add(trailer.toc_len as usize)?;
                bytes.get(start..end)
            })
            .ok_or_else(|| Error::corrupt("the segment's table of contents is missing"))?;
        if crc32(toc_bytes) != trailer.toc_crc {
            return Err(Error::corrupt("the segment's table of contents is damaged"));
        }
        let contents = toc::decode(toc_bytes)?;
        let spans = section_spans(&contents, trailer.toc_offset)?;
        let mut segment = Self {
            bytes,
            path: path.to_path_buf(),
            header,
            trailer,
            contents,
            spans,
            file_nodes: 0,
            term_fst: OnceLock::new(),
            word_fst: OnceLock::new(),
            text_fst: OnceLock::new(),
        };
        segment.check_shape()?;
        Ok(segment)
    }

    /// The segment's id.
    pub fn id(&self) -> SegmentId {
        self.header.id
    }

    /// Base or delta.
    pub fn kind(&self) -> SegmentKind {
        self.header.kind
    }

    /// The epoch that its symbol ids belong to.
    pub fn epoch(&self) -> Epoch {
        self.header.epoch
    }

    /// The path that errors name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Length of the file in bytes.
    pub fn file_len(&self) -> u64 {
        self.trailer.file_len
    }

    /// What HEAD has to say about this segment.
    pub fn expectation(&self) -> SegmentExpect {
        SegmentExpect {
            id: self.header.id,
            epoch: self.header.epoch,
            file_len: self.trailer.file_len,
            toc_crc: self.trailer.toc_crc,
        }
    }

    /// Minor version of the format in which it was written.
    pub fn format_minor(&self) -> u16 {
        self.header.minor
    }

    /// Number of files.
    pub fn file_count(&self) -> u32 {
        self.count(SectionKind::Files)
    }

    /// Number of nodes: those of files, then externals.
    pub fn node_count(&self) -> u32 {
        self.count(SectionKind::Nodes)
    }

    /// Number of nodes that belong to files.
    pub fn file_node_count(&self) -> u32 {
        self.file_nodes
    }

    /// Number of edges.
    pub fn edge_count(&self) -> u64 {
        u64::from(self.count(SectionKind::OutTargets))
    }

    /// Whether the node belongs to no file.
    pub fn is_external(&self, node: NodeIdx) -> bool {
        node.0 >= self.file_nodes && node.0 < self.node_count()
    }

    /// Size in bytes of every section, by name, in the order of the file.
    pub fn section_sizes(&self) -> Vec<(&'static str, u64)> {
        let known = self.contents.sections.iter().map(|s| {
            let kind = SectionKind::from_number(s.kind.to_native());
            (
                kind.map_or("unknown", SectionKind::name),
                s.length.to_native(),
            )
        });
        known.collect()
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(crate) fn trailer(&self) -> &Trailer {
        &self.trailer
    }

    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Where a section begins in the file; 0 where it is missing.
    pub(crate) fn section_offset(&self, kind: SectionKind) -> u64 {
        self.span(kind).start as u64
    }

    /// Number of elements of a section; 0 where it is missing.
    pub(crate) fn count(&self, kind: SectionKind) -> u32 {
        self.span(kind).count
    }

    /// The bytes of a section of bytes.
    #[inline]
    pub(crate) fn heap(&self, kind: SectionKind) -> &[u8] {
        let span = self.span(kind);
        self.bytes.get(span.start..span.end).unwrap_or_default()
    }

    /// A section of bytes that keeps the file alive.
    pub(crate) fn owned_heap(&self, kind: SectionKind) -> Option<Bytes> {
        let span = self.span(kind);
        self.bytes.slice(span.start..span.end)
    }

    /// The elements of a section of records. Constant time: the archive's root is checked, its elements hold no invalid
    /// bytes.
    #[inline]
    pub(crate) fn records<R: Checked>(&self, kind: SectionKind) -> &[R] {
        let bytes = self.heap(kind);
        match rkyv::api::low::access::<ArchivedVec<R>, Failure>(bytes) {
            Ok(vec) => vec.as_slice(),
            Err(_) => &[],
        }
    }

    /// The elements of a section of `u32`s.
    #[inline]
    pub(crate) fn numbers(&self, kind: SectionKind) -> &[u32_le] {
        self.records(kind)
    }

    /// One element of a section of `u32`s.
    #[inline]
    pub(crate) fn number(&self, kind: SectionKind, at: usize) -> Option<u32> {
        self.numbers(kind).get(at).map(|n| n.to_native())
    }

    /// Whether the stored checksums of a section fit its bytes; else where in the file the first damaged chunk begins.
    pub(crate) fn check_section(&self, kind: SectionKind) -> Result<(), u64> {
        let mut entries = self.contents.sections.iter();
        match entries.find(|s| s.kind.to_native() == kind as u32) {
            Some(entry) => self.damage_of(entry).first().map_or(Ok(()), |at| Err(*at)),
            None => Ok(()),
        }
    }

    /// Compares every byte of every section with its checksum.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] that names the first damaged section.
    pub(crate) fn check_checksums(&self) -> Result<()> {
        for entry in &self.contents.sections {
            if let Some(at) = self.damage_of(entry).first() {
                let kind = SectionKind::from_number(entry.kind.to_native());
                let name = kind.map_or("unknown", SectionKind::name);
                let message = format!("section {name} at byte {at}: its checksum is wrong");
                return Err(Error::corrupt(message).at(&self.path));
            }
        }
        Ok(())
    }

    /// Where in the file the damaged chunks of a section begin.
    pub(crate) fn damage_of(&self, entry: &SectionRecord) -> Vec<u64> {
        let offset = entry.offset.to_native();
        let length = entry.length.to_native();
        let first = entry.first_crc.to_native() as usize;
        let count = length.div_ceil(CHUNK as u64) as usize;
        let sums = self
            .contents
            .checksums
            .get(first..first.saturating_add(count));
        let bytes = usize::try_from(offset).ok().and_then(|start| {
            let end = start.checked_add(usize::try_from(length).ok()?)?;
            self.bytes.get(start..end)
        });
        let damaged = damaged_chunks(bytes.unwrap_or_default(), sums.unwrap_or_default());
        damaged.map(|range| offset + range.start as u64).collect()
    }

    /// A failure that names this segment's file and the section.
    pub(crate) fn damaged(&self, kind: SectionKind, what: &str) -> Error {
        let offset = self.span(kind).start;
        Error::corrupt(format!("section {} at byte {offset}: {what}", kind.name())).at(&self.path)
    }

    #[inline]
    fn span(&self, kind: SectionKind) -> Span {
        self.spans.get(kind as usize).copied().unwrap_or_default()
    }

    /// Compares the numbers of elements of sections that belong together. Constant time.
    fn check_shape(&mut self) -> Result<()> {
        use SectionKind as S;
        let delta = self.kind() == SegmentKind::Delta;
        for kind in S::ALL {
            let needed = match kind {
                S::NodeSyms | S::SymNodes | S::InSyms => delta,
                S::Blobs
                | S::TextFst
                | S::TextPostings
                | S::TextWords
                | S::NodeLengths
                | S::FileLengths => false,
                _ => true,
            };
            if needed && self.span(*kind).end == 0 {
                return Err(Error::corrupt(format!(
                    "the segment has no section {}",
                    kind.name()
                )));
            }
        }
        let plus_one = |kind: S| self.count(kind).checked_sub(1);
        let nodes = self.node_count();
        let edges = self.count(S::OutTargets);
        let file_nodes = plus_one(S::OutOffsets);
        let externals = plus_one(S::ExternalOffsets);
        let in_rows = if delta { self.count(S::InSyms) } else { nodes };
        let spellings = plus_one(S::SpellingOffsets);
        let fits = file_nodes
            .zip(externals)
            .and_then(|(f, e)| f.checked_add(e))
            == Some(nodes)
            && nodes < 1 << 31
            && (!delta || (self.count(S::NodeSyms) == nodes && self.count(S::SymNodes) == nodes))
            && self.count(S::OutRelations) == edges
            && self.count(S::OutSites) == edges
            && self.count(S::InSources) == edges
            && self.count(S::InRelations) == edges
            && plus_one(S::InOffsets) == Some(in_rows)
            && self.count(S::KeyHashes) == nodes
            && self.count(S::KeyNodes) == nodes
            && spellings == Some(self.count(S::NodeLists))
            && plus_one(S::TermSpellings).is_some_and(|terms| Some(terms) <= spellings)
            && self.count(S::TrigramKeys) == self.count(S::TrigramLists)
            // A segment of version 1.0 has no texts; the others have all of it.
            && (self.span(S::TextWords).end == 0
                || (Some(self.count(S::NodeLengths)) == file_nodes
                    && self.count(S::FileLengths) == self.count(S::Files)));
        if !fits {
            return Err(Error::corrupt(
                "the segment's sections do not belong together",
            ));
        }
        self.file_nodes = file_nodes.unwrap_or_default();
        let archives_fit = S::ALL.iter().all(|kind| self.archive_fits(*kind));
        if !archives_fit {
            return Err(Error::corrupt(
                "the segment's sections cannot be read as records",
            ));
        }
        Ok(())
    }

    /// Whether the archive's own number of elements is the one in the table of contents.
    fn archive_fits(&self, kind: SectionKind) -> bool {
        use SectionKind as S;
        let span = self.span(kind);
        if span.end == 0 || kind.element_size() == 1 {
            return true;
        }
        let found = match kind {
            S::Files => self.records::<FileRecord>(kind).len(),
            S::Nodes => self.records::<NodeRecord>(kind).len(),
            S::SymNodes => self.records::<SymRecord>(kind).len(),
            S::OutSites => self.records::<SiteRecord>(kind).len(),
            S::Qualifiers => self.records::<QualifierRecord>(kind).len(),
            S::KeyHashes => self.records::<u64_le>(kind).len(),
            S::Words => self.records::<WordRecord>(kind).len(),
            S::TextWords => self.records::<TextRecord>(kind).len(),
            _ => self.numbers(kind).len(),
        };
        found == span.count as usize
    }
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("path", &self.path)
            .field("kind", &self.header.kind)
            .field("id", &self.header.id)
            .field("files", &self.file_count())
            .field("nodes", &self.node_count())
            .field("edges", &self.edge_count())
            .finish_non_exhaustive()
    }
}

/// Checks the bounds of all sections and finds the known ones.
fn section_spans(contents: &Contents, toc_offset: u64) -> Result<[Span; SLOTS]> {
    let wrong = |what: &str| Error::corrupt(format!("the segment's table of contents {what}"));
    let mut spans = [Span::default(); SLOTS];
    let mut position = HEADER_LEN as u64;
    let mut checksums = 0u64;
    let mut last_kind = 0;
    for section in &contents.sections {
        let offset = section.offset.to_native();
        let length = section.length.to_native();
        let number = section.kind.to_native();
        let end = offset.checked_add(length).filter(|end| *end <= toc_offset);
        let Some(end) = end else {
            return Err(wrong("names bytes outside the file"));
        };
        if offset < position || !offset.is_multiple_of(ALIGNMENT as u64) || number <= last_kind {
            return Err(wrong("lists sections out of order"));
        }
        if u64::from(section.first_crc.to_native()) != checksums {
            return Err(wrong("lists checksums out of order"));
        }
        checksums += length.div_ceil(CHUNK as u64);
        position = end;
        last_kind = number;
        let Some(kind) = SectionKind::from_number(number) else {
            continue;
        };
        let element = kind.element_size() as u64;
        let count = section.count.to_native();
        let root = if element == 1 { 0 } else { VEC_ROOT as u64 };
        if u64::from(section.element.to_native()) != element
            || count.checked_mul(element).and_then(|n| n.checked_add(root)) != Some(length)
        {
            return Err(wrong("gives a section another size than its elements have"));
        }
        let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
        let (start, end) = range.ok_or_else(|| {
            Error::new(
                ErrorKind::Limit,
                "the segment is too large for this machine's address space",
            )
        })?;
        if let Some(span) = spans.get_mut(kind as usize) {
            *span = Span {
                start,
                end,
                // Only heaps pass this number, and nobody asks for theirs.
                count: u32::try_from(count).unwrap_or(u32::MAX),
            };
        }
    }
    if checksums != contents.checksums.len() as u64 {
        return Err(wrong(
            "has another number of checksums than its sections need",
        ));
    }
    Ok(spans)
}

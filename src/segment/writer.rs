//! Writes a segment front to back: header, sections with padding and checksums, contents, trailer.
//!
//! Where it sits: under [`super::builder`] and [`super::merge`], above any [`Write`]. Invariants: no byte is written twice;
//! sections come in ascending order of kind; the same calls give the same bytes.

use std::io::Write;

use rkyv::rend::{u32_le, u64_le};

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, SegmentId};
use crate::segment::layout::{
    ALIGNMENT, HEADER_LEN, MAX_RECORDS, Record, SectionKind, SectionRecord, SegmentKind,
    StatRecord, TRAILER_LEN, VEC_ROOT, align_up,
};
use crate::segment::toc::{self, Header, StatKind, Trailer};
use crate::storage::checksum::{SummingWriter, crc32};

/// How many bytes of encoded records are gathered before they are handed on.
const BATCH: usize = 64 << 10;

/// What the writer says about a finished file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Length of the file.
    pub(crate) file_len: u64,
    /// Checksum of the table of contents.
    pub(crate) toc_crc: u32,
}

/// Writes sections one after the other.
pub(crate) struct SectionWriter<'a> {
    out: SummingWriter<&'a mut dyn Write>,
    sections: Vec<SectionRecord>,
    checksums: Vec<u32>,
    stats: Vec<StatRecord>,
    open: Option<OpenSection>,
    batch: Vec<u8>,
}

/// The section that is being written.
struct OpenSection {
    kind: SectionKind,
    offset: u64,
}

impl<'a> SectionWriter<'a> {
    /// Writes the header.
    ///
    /// # Errors
    /// What `out` refuses.
    pub(crate) fn new(
        out: &'a mut dyn Write,
        kind: SegmentKind,
        id: SegmentId,
        epoch: Epoch,
    ) -> Result<Self> {
        let mut writer = Self {
            out: SummingWriter::new(out),
            sections: Vec::new(),
            checksums: Vec::new(),
            stats: Vec::new(),
            open: None,
            batch: Vec::with_capacity(BATCH + 128),
        };
        writer.raw(&Header::new(kind, id, epoch).to_bytes())?;
        debug_assert_eq!(writer.out.position(), HEADER_LEN as u64);
        Ok(writer)
    }

    /// Notes a number in the table of contents.
    pub(crate) fn stat(&mut self, kind: StatKind, value: u64) {
        self.stats.push(StatRecord {
            value: value.into(),
            kind: (kind as u32).into(),
            reserved: 0.into(),
        });
    }

    /// Begins a section of plain bytes; [`Self::bytes`] fills it, [`Self::end_bytes`] ends it.
    pub(crate) fn begin(&mut self, kind: SectionKind) -> Result<()> {
        let in_order = self
            .sections
            .last()
            .is_none_or(|last| last.kind.to_native() < kind as u32);
        if self.open.is_some() || !in_order {
            return Err(Error::new(
                ErrorKind::Invalid,
                format!("section {} is out of order", kind.name()),
            ));
        }
        self.pad(ALIGNMENT)?;
        self.out.end_section();
        self.open = Some(OpenSection {
            kind,
            offset: self.out.position(),
        });
        Ok(())
    }

    /// Adds bytes to the open section.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        debug_assert!(self.open.is_some());
        self.raw(bytes)
    }

    /// Ends a section of plain bytes.
    pub(crate) fn end_bytes(&mut self) -> Result<()> {
        let start = self.open.as_ref().map_or(0, |open| open.offset);
        self.end(self.out.position() - start)
    }

    /// A whole section of plain bytes.
    pub(crate) fn byte_section(&mut self, kind: SectionKind, bytes: &[u8]) -> Result<()> {
        self.begin(kind)?;
        self.bytes(bytes)?;
        self.end_bytes()
    }

    /// A whole section of records.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when the section would pass 2 GiB; what the output refuses.
    pub(crate) fn records<R: Record>(
        &mut self,
        kind: SectionKind,
        records: impl IntoIterator<Item = R>,
    ) -> Result<()> {
        debug_assert_eq!(size_of::<R>(), kind.element_size(), "{}", kind.name());
        self.begin(kind)?;
        let mut batch = std::mem::take(&mut self.batch);
        let mut count = 0u64;
        for record in records {
            record.put(&mut batch);
            count += 1;
            if batch.len() >= BATCH {
                self.bytes(&batch)?;
                batch.clear();
            }
        }
        self.bytes(&batch)?;
        batch.clear();
        put_vec_root(&mut batch, 0, count * size_of::<R>() as u64, count)
            .ok_or_else(|| too_large(kind))?;
        self.bytes(&batch)?;
        batch.clear();
        self.batch = batch;
        self.end(count)
    }

    /// A whole section of `u32`s.
    pub(crate) fn numbers(
        &mut self,
        kind: SectionKind,
        numbers: impl IntoIterator<Item = u32>,
    ) -> Result<()> {
        self.records(kind, numbers.into_iter().map(u32_le::from_native))
    }

    /// A whole section of `u64`s.
    pub(crate) fn long_numbers(
        &mut self,
        kind: SectionKind,
        numbers: impl IntoIterator<Item = u64>,
    ) -> Result<()> {
        self.records(kind, numbers.into_iter().map(u64_le::from_native))
    }

    fn end(&mut self, count: u64) -> Result<()> {
        let Some(open) = self.open.take() else {
            return Err(Error::new(ErrorKind::Invalid, "no section is open"));
        };
        let sums = self.out.end_section();
        if open.kind.element_size() > 1 && sums.len > MAX_RECORDS {
            return Err(too_large(open.kind));
        }
        let first_crc = u32::try_from(self.checksums.len()).map_err(|_| too_large(open.kind))?;
        self.checksums.extend(sums.chunks);
        self.sections.push(SectionRecord {
            offset: open.offset.into(),
            length: sums.len.into(),
            count: count.into(),
            first_crc: first_crc.into(),
            kind: (open.kind as u32).into(),
            element: (open.kind.element_size() as u32).into(),
            reserved: 0.into(),
        });
        Ok(())
    }

    /// Writes contents and trailer and hands everything to the output.
    ///
    /// # Errors
    /// What the output refuses; [`ErrorKind::Limit`] when there are too many checksums.
    pub(crate) fn finish(mut self) -> Result<Written> {
        self.pad(ALIGNMENT)?;
        let contents = toc::encode(&self.sections, &self.checksums, &self.stats)
            .ok_or_else(|| Error::new(ErrorKind::Limit, "the segment has too many parts"))?;
        let toc_offset = self.out.position();
        let toc_crc = crc32(&contents);
        self.raw(&contents)?;
        self.pad(8)?;
        let file_len = self.out.position() + TRAILER_LEN as u64;
        let trailer = Trailer {
            toc_offset,
            toc_len: contents.len() as u32,
            toc_crc,
            file_len,
        };
        self.raw(&trailer.to_bytes())?;
        self.out.flush().map_err(refused)?;
        Ok(Written { file_len, toc_crc })
    }

    fn pad(&mut self, alignment: usize) -> Result<()> {
        let position = self.out.position();
        let missing = (align_up(position, alignment) - position) as usize;
        self.raw([0u8; ALIGNMENT].get(..missing).unwrap_or_default())
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(refused)
    }
}

/// Appends the eight bytes that end an archived vector: where its elements start, seen from here, and their number.
/// `start` and `here` are positions in the same archive.
pub(crate) fn put_vec_root(out: &mut Vec<u8>, start: u64, here: u64, count: u64) -> Option<()> {
    let distance = i32::try_from(start as i64 - here as i64).ok()?;
    let count = u32::try_from(count).ok()?;
    out.extend_from_slice(&distance.to_le_bytes());
    out.extend_from_slice(&count.to_le_bytes());
    debug_assert_eq!(VEC_ROOT, 8);
    Some(())
}

fn refused(source: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, "could not write the segment").caused_by(source)
}

fn too_large(kind: SectionKind) -> Error {
    Error::new(
        ErrorKind::Limit,
        format!(
            "the index is too large: its section {} would pass 2 GiB",
            kind.name()
        ),
    )
    .remedy("index parts of the tree into stores of their own")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    #[test]
    fn a_section_of_records_is_what_the_archive_library_writes() {
        for n in [0u32, 1, 2, 3, 7, 100_000] {
            let numbers: Vec<u32> = (0..n).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let expected = rkyv::to_bytes::<rkyv::rancor::Error>(&numbers).unwrap();
            let mut out = Vec::new();
            let mut writer =
                SectionWriter::new(&mut out, SegmentKind::Base, SegmentId(1), Epoch(1)).unwrap();
            writer
                .numbers(SectionKind::OutTargets, numbers.iter().copied())
                .unwrap();
            writer.finish().unwrap();
            assert_eq!(&out[64..64 + expected.len()], &expected[..], "{n}");
        }
    }

    #[test]
    fn sections_out_of_order_are_refused() {
        let mut out = Vec::new();
        let mut writer =
            SectionWriter::new(&mut out, SegmentKind::Base, SegmentId(1), Epoch(1)).unwrap();
        writer.byte_section(SectionKind::Text, b"x").unwrap();
        assert!(writer.byte_section(SectionKind::Text, b"x").is_err());
        assert!(writer.byte_section(SectionKind::FileKeys, b"x").is_err());
    }
}

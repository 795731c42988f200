//! Header, table of contents and trailer: what a reader looks at before it looks at anything else.
//!
//! Where it sits: written by [`super::writer`], read by [`super::reader`]. Invariants: the header and the contents carry
//! checksums, the trailer says where the contents lie and how long the file is; together they account for every byte
//! outside the sections, and the contents hold a checksum for every MiB inside them.
//!
//! ```text
//! header    magic 8 | major u16 | minor u16 | kind u8 | 0 ×3 | segment id u64 | epoch u32 | 0 ×32 | crc u32 of what is before
//! contents  archive of { sections: Vec<SectionRecord>, checksums: Vec<u32>, stats: Vec<StatRecord> }:
//!           the three arrays, then a root of three (distance, count) pairs
//! trailer   offset of contents u64 | length u32 | crc u32 | file length u64 | end magic 8
//! ```

use rkyv::Portable;
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Failure;
use rkyv::rend::u32_le;
use rkyv::util::AlignedVec;
use rkyv::vec::ArchivedVec;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, SegmentId};
use crate::segment::layout::{
    END_MAGIC, FORMAT_MAJOR, FORMAT_MINOR, HEADER_LEN, MAGIC, Record, SectionRecord, SegmentKind,
    StatRecord, TRAILER_LEN,
};
use crate::segment::writer::put_vec_root;
use crate::storage::checksum::crc32;

/// Numbers noted beside the sections. Readers skip kinds they do not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum StatKind {
    /// Files.
    Files = 1,
    /// Nodes of files.
    FileNodes = 2,
    /// Nodes that belong to no file.
    Externals = 3,
    /// Edges.
    Edges = 4,
    /// Distinct folded names.
    Terms = 5,
    /// Distinct exact names.
    Spellings = 6,
    /// Distinct words.
    Words = 7,
    /// Distinct words of texts.
    TextWords = 8,
    /// Nodes that have a text.
    Documents = 9,
    /// Words of all nodes' texts, each text's length as it is stored.
    DocumentWords = 10,
    /// Words of all files, the same way.
    FileWords = 11,
}

/// First 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Base or delta.
    pub(crate) kind: SegmentKind,
    /// Minor version of the format that it was written in.
    pub(crate) minor: u16,
    /// The segment's id.
    pub(crate) id: SegmentId,
    /// The epoch that its symbol ids belong to.
    pub(crate) epoch: Epoch,
}

impl Header {
    pub(crate) fn new(kind: SegmentKind, id: SegmentId, epoch: Epoch) -> Self {
        Self {
            kind,
            minor: FORMAT_MINOR,
            id,
            epoch,
        }
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_LEN);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&FORMAT_MAJOR.to_le_bytes());
        out.extend_from_slice(&self.minor.to_le_bytes());
        out.extend_from_slice(&[self.kind as u8, 0, 0, 0]);
        out.extend_from_slice(&self.id.0.to_le_bytes());
        out.extend_from_slice(&self.epoch.0.to_le_bytes());
        out.resize(HEADER_LEN - 4, 0);
        let crc = crc32(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }

    /// # Errors
    /// [`ErrorKind::Corrupt`] for what is no segment or is damaged, [`ErrorKind::Format`] for another major version.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut fields = Fields(
            bytes
                .get(..HEADER_LEN)
                .ok_or_else(|| Error::corrupt("the segment is shorter than its header"))?,
        );
        let body = fields.0.get(..HEADER_LEN - 4).unwrap_or_default();
        let crc = crc32(body);
        if fields.take::<8>() != MAGIC {
            return Err(Error::corrupt("this is no segment of an index"));
        }
        let major = u16::from_le_bytes(fields.take());
        let minor = u16::from_le_bytes(fields.take());
        let [kind, ..] = fields.take::<4>();
        let id = SegmentId(u64::from_le_bytes(fields.take()));
        let epoch = Epoch(u32::from_le_bytes(fields.take()));
        let _: [u8; 32] = fields.take();
        if u32::from_le_bytes(fields.take()) != crc {
            return Err(Error::corrupt("the segment's header is damaged"));
        }
        if major != FORMAT_MAJOR {
            let message = format!(
                "the segment has format {major}.{minor}, this version reads {FORMAT_MAJOR}.x"
            );
            return Err(Error::new(ErrorKind::Format, message)
                .remedy("run `graphify index --full` to build the index anew"));
        }
        let kind = SegmentKind::from_u8(kind)
            .ok_or_else(|| Error::corrupt("the segment is of an unknown kind"))?;
        Ok(Self {
            kind,
            minor,
            id,
            epoch,
        })
    }
}

/// Last 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trailer {
    pub(crate) toc_offset: u64,
    pub(crate) toc_len: u32,
    pub(crate) toc_crc: u32,
    pub(crate) file_len: u64,
}

impl Trailer {
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(TRAILER_LEN);
        out.extend_from_slice(&self.toc_offset.to_le_bytes());
        out.extend_from_slice(&self.toc_len.to_le_bytes());
        out.extend_from_slice(&self.toc_crc.to_le_bytes());
        out.extend_from_slice(&self.file_len.to_le_bytes());
        out.extend_from_slice(&END_MAGIC);
        out
    }

    /// Reads the end of a whole segment and finds its contents.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the end is cut or the numbers contradict each other.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let cut = || Error::corrupt("the segment's end is missing or damaged");
        let start = bytes.len().checked_sub(TRAILER_LEN).ok_or_else(cut)?;
        let mut fields = Fields(bytes.get(start..).unwrap_or_default());
        let trailer = Self {
            toc_offset: u64::from_le_bytes(fields.take()),
            toc_len: u32::from_le_bytes(fields.take()),
            toc_crc: u32::from_le_bytes(fields.take()),
            file_len: u64::from_le_bytes(fields.take()),
        };
        let toc_end = trailer
            .toc_offset
            .checked_add(u64::from(trailer.toc_len))
            .and_then(|end| end.checked_next_multiple_of(8));
        if fields.take::<8>() != END_MAGIC
            || trailer.file_len != bytes.len() as u64
            || toc_end != Some(start as u64)
            || trailer.toc_offset < HEADER_LEN as u64
        {
            return Err(cut());
        }
        Ok(trailer)
    }
}

/// Little-endian fields one after the other; zeros behind the end.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk::<N>() {
            Some((field, rest)) => {
                self.0 = rest;
                *field
            }
            None => [0; N],
        }
    }
}

/// The archived table of contents.
#[derive(Portable, CheckBytes)]
#[bytecheck(crate = rkyv::bytecheck)]
#[repr(C)]
struct ArchivedContents {
    sections: ArchivedVec<SectionRecord>,
    checksums: ArchivedVec<u32_le>,
    stats: ArchivedVec<StatRecord>,
}

/// The table of contents as a reader keeps it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    /// Sections in the order of the file, unknown kinds included.
    pub(crate) sections: Vec<SectionRecord>,
    /// A CRC-32 for every MiB of every section, in the same order.
    pub(crate) checksums: Vec<u32>,
    /// Named numbers.
    pub(crate) stats: Vec<StatRecord>,
}

impl Contents {
    /// A named number, or `None` where it was not noted.
    pub(crate) fn stat(&self, kind: StatKind) -> Option<u64> {
        let found = self
            .stats
            .iter()
            .find(|s| s.kind.to_native() == kind as u32);
        found.map(|s| s.value.to_native())
    }
}

/// The archive of a table of contents, or `None` where it would pass 2 GiB.
pub(crate) fn encode(
    sections: &[SectionRecord],
    checksums: &[u32],
    stats: &[StatRecord],
) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for section in sections {
        section.put(&mut out);
    }
    let checksums_at = out.len() as u64;
    for crc in checksums {
        out.extend_from_slice(&crc.to_le_bytes());
    }
    out.resize(out.len().next_multiple_of(align_of::<StatRecord>()), 0);
    let stats_at = out.len() as u64;
    for stat in stats {
        stat.put(&mut out);
    }
    for (start, count) in [
        (0, sections.len()),
        (checksums_at, checksums.len()),
        (stats_at, stats.len()),
    ] {
        let here = out.len() as u64;
        put_vec_root(&mut out, start, here, count as u64)?;
    }
    Some(out)
}

/// Reads an archived table of contents from bytes at any address.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when the bytes are no such archive.
pub(crate) fn decode(bytes: &[u8]) -> Result<Contents> {
    let mut aligned = AlignedVec::<16>::with_capacity(bytes.len());
    aligned.extend_from_slice(bytes);
    let contents = rkyv::api::low::access::<ArchivedContents, Failure>(&aligned)
        .map_err(|_| Error::corrupt("the segment's table of contents cannot be read"))?;
    Ok(Contents {
        sections: contents.sections.to_vec(),
        checksums: contents.checksums.iter().map(|c| c.to_native()).collect(),
        stats: contents.stats.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    #[test]
    fn the_header_comes_back_and_no_bit_may_change() {
        let header = Header::new(SegmentKind::Delta, SegmentId(77), Epoch(3));
        let bytes = header.to_bytes();
        assert_eq!(bytes.len(), HEADER_LEN);
        assert_eq!(Header::parse(&bytes).unwrap(), header);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(Header::parse(&damaged).is_err(), "byte {at}");
            assert!(Header::parse(&bytes[..at]).is_err());
        }
    }

    #[test]
    fn a_later_major_version_is_named_as_such() {
        let mut bytes = Header::new(SegmentKind::Base, SegmentId(1), Epoch(1)).to_bytes();
        bytes[8] = 9;
        let crc = crc32(&bytes[..60]);
        bytes[60..].copy_from_slice(&crc.to_le_bytes());
        assert_eq!(Header::parse(&bytes).unwrap_err().kind(), ErrorKind::Format);
    }

    #[test]
    fn contents_come_back_with_any_number_of_entries() {
        for (sections, checksums, stats) in [(0, 0, 0), (1, 3, 0), (2, 0, 5), (0, 1, 1)] {
            let section = SectionRecord {
                offset: 64.into(),
                length: 5.into(),
                count: 5.into(),
                first_crc: 0.into(),
                kind: 2.into(),
                element: 1.into(),
                reserved: 0.into(),
            };
            let stat = StatRecord {
                value: 9.into(),
                kind: 4.into(),
                reserved: 0.into(),
            };
            let bytes = encode(
                &vec![section; sections],
                &vec![11; checksums],
                &vec![stat; stats],
            )
            .unwrap();
            let back = decode(&bytes).unwrap();
            assert_eq!(back.sections, vec![section; sections]);
            assert_eq!(back.checksums, vec![11; checksums]);
            assert_eq!(back.stats, vec![stat; stats]);
            assert_eq!(back.stat(StatKind::Edges), (stats > 0).then_some(9));
        }
    }
}

//! Checksums of long files: one CRC-32 for each MiB of a section.
//!
//! Where it sits: segments are written through [`SummingWriter`], which yields the sums that their table of contents
//! keeps; `verify` and lazy checks compare them with the bytes. Invariants: chunks are counted from the start of their
//! section, the last one may be shorter, an empty section has none. A sum finds damage; it is never what keeps a reader
//! safe.

use std::io::{self, Write};
use std::ops::Range;

/// Bytes under one checksum.
pub const CHUNK: usize = 1 << 20;

/// CRC-32 (the IEEE polynomial) of `bytes`.
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// The length and the checksums of one section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectionSums {
    /// Bytes of the section.
    pub len: u64,
    /// CRC-32 of all of it.
    pub crc: u32,
    /// CRC-32 of each [`CHUNK`].
    pub chunks: Vec<u32>,
}

impl SectionSums {
    /// The sums of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let mut sums = Summing::default();
        sums.update(bytes);
        sums.finish()
    }
}

/// Hands bytes on to a writer, counts them, and sums the section that is being written.
#[derive(Debug)]
pub struct SummingWriter<W> {
    inner: W,
    position: u64,
    sums: Summing,
}

impl<W: Write> SummingWriter<W> {
    /// A writer at position 0, at the start of a section.
    pub fn new(inner: W) -> Self {
        Self {
            inner,
            position: 0,
            sums: Summing::default(),
        }
    }

    /// How many bytes were written so far, over all sections.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Ends a section and begins the next: the sums of all bytes written since the last call.
    pub fn end_section(&mut self) -> SectionSums {
        std::mem::take(&mut self.sums).finish()
    }

    /// The writer underneath.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Gives the writer underneath back.
    pub fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: Write> Write for SummingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.inner.write(bytes)?;
        self.sums.update(bytes.get(..taken).unwrap_or(bytes));
        self.position += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A sum in the making. The sum of the whole is put together from those of the chunks, so each byte is summed once.
#[derive(Debug, Default)]
struct Summing {
    whole: crc32fast::Hasher,
    chunk: crc32fast::Hasher,
    in_chunk: usize,
    len: u64,
    chunks: Vec<u32>,
}

impl Summing {
    fn update(&mut self, mut bytes: &[u8]) {
        self.len += bytes.len() as u64;
        while !bytes.is_empty() {
            let room = CHUNK - self.in_chunk;
            let (now, later) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            self.chunk.update(now);
            self.in_chunk += now.len();
            if self.in_chunk == CHUNK {
                self.end_chunk();
            }
            bytes = later;
        }
    }

    fn end_chunk(&mut self) {
        let chunk = std::mem::take(&mut self.chunk);
        self.whole.combine(&chunk);
        self.chunks.push(chunk.finalize());
        self.in_chunk = 0;
    }

    fn finish(mut self) -> SectionSums {
        if self.in_chunk > 0 {
            self.end_chunk();
        }
        SectionSums {
            len: self.len,
            crc: self.whole.finalize(),
            chunks: self.chunks,
        }
    }
}

/// The bytes of chunk `index` of a section, as a range inside it; `None` past its end.
pub fn chunk_range(section_len: usize, index: usize) -> Option<Range<usize>> {
    let start = index.checked_mul(CHUNK)?;
    let end = start.checked_add(CHUNK)?.min(section_len);
    (start < end).then_some(start..end)
}

/// Whether chunk `index` of `section` has the sum that `chunks` records. A chunk that either side lacks is not intact.
pub fn chunk_is_intact(section: &[u8], chunks: &[u32], index: usize) -> bool {
    let bytes = chunk_range(section.len(), index).and_then(|range| section.get(range));
    match (bytes, chunks.get(index)) {
        (Some(bytes), Some(sum)) => crc32(bytes) == *sum,
        _ => false,
    }
}

/// The damaged parts of a section, as ranges inside it, in order. A table with too few or too many sums makes every
/// chunk that has no partner a damaged one.
pub fn damaged_chunks(section: &[u8], chunks: &[u32]) -> impl Iterator<Item = Range<usize>> {
    let count = section.len().div_ceil(CHUNK).max(chunks.len());
    (0..count)
        .filter(|index| !chunk_is_intact(section, chunks, *index))
        .map(|index| chunk_range(section.len(), index).unwrap_or(section.len()..section.len()))
}

/// Whether a whole section has the sums that `chunks` records.
pub fn is_intact(section: &[u8], chunks: &[u32]) -> bool {
    damaged_chunks(section, chunks).next().is_none()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    fn sample(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i * 31 + i / 251) as u8).collect()
    }

    #[test]
    fn sums_do_not_depend_on_how_the_bytes_arrive() {
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 77] {
            let bytes = sample(len);
            let whole = SectionSums::of(&bytes);
            assert_eq!(whole.len, len as u64);
            assert_eq!(whole.crc, crc32(&bytes));
            assert_eq!(whole.chunks.len(), len.div_ceil(CHUNK));
            for piece in [1000, CHUNK / 3 + 1, CHUNK + 5] {
                let mut writer = SummingWriter::new(Vec::new());
                for part in bytes.chunks(piece) {
                    writer.write_all(part).unwrap();
                }
                assert_eq!(writer.end_section(), whole);
                assert_eq!(writer.into_inner(), bytes);
            }
        }
    }

    #[test]
    fn each_section_has_its_own_sums_and_positions_run_on() {
        let mut writer = SummingWriter::new(Vec::new());
        writer.write_all(b"first").unwrap();
        assert_eq!(writer.end_section(), SectionSums::of(b"first"));
        writer.write_all(b"second").unwrap();
        assert_eq!(writer.position(), 11);
        assert_eq!(writer.end_section(), SectionSums::of(b"second"));
        assert_eq!(writer.end_section(), SectionSums::default());
    }

    #[test]
    fn damage_is_found_in_its_chunk() {
        let mut bytes = sample(2 * CHUNK + 500);
        let sums = SectionSums::of(&bytes);
        assert!(is_intact(&bytes, &sums.chunks));
        bytes[CHUNK + 9] ^= 4;
        *bytes.last_mut().unwrap() ^= 1;
        let found: Vec<_> = damaged_chunks(&bytes, &sums.chunks).collect();
        assert_eq!(found, [CHUNK..2 * CHUNK, 2 * CHUNK..2 * CHUNK + 500]);
        assert!(chunk_is_intact(&bytes, &sums.chunks, 0));
    }

    #[test]
    fn a_table_of_the_wrong_length_is_damage() {
        let bytes = sample(CHUNK + 1);
        let sums = SectionSums::of(&bytes);
        assert!(!is_intact(&bytes, &sums.chunks[..1]));
        assert!(!is_intact(&bytes[..CHUNK], &sums.chunks));
        assert!(!is_intact(&[], &[0]));
        assert!(is_intact(&[], &[]));
        assert!(!chunk_is_intact(&bytes, &sums.chunks, usize::MAX));
    }
}

//! Mapped or heap bytes behind one cheap handle. The only `unsafe` code of the crate lives here.
//!
//! Where it sits: [`Fs::map`](super::fs::Fs::map) makes [`Bytes`], segments are read from them. Invariants: the bytes of
//! a handle never change and never move while a clone of it lives; their start is aligned to at least 16 bytes (a page
//! when mapped), which every record of the format needs.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use rkyv::util::AlignedVec;

/// Alignment of the first byte of every whole [`Bytes`].
pub const ALIGNMENT: usize = 16;

/// Immutable bytes, shared by reference count.
#[derive(Clone)]
pub struct Bytes {
    owner: Owner,
    start: usize,
    end: usize,
}

#[derive(Clone)]
enum Owner {
    Heap(Arc<AlignedVec<ALIGNMENT>>),
    Map(Arc<memmap2::Mmap>),
}

/// How bytes are about to be read; a hint to the system's read-ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The system's own judgement.
    Normal,
    /// Single places here and there: read no more than asked for.
    Random,
    /// From start to end: read far ahead.
    Sequential,
    /// All of it soon: start reading now.
    WillNeed,
}

impl Bytes {
    /// A copy of `bytes` on the heap.
    pub fn copy_from(bytes: &[u8]) -> Self {
        let mut heap = AlignedVec::<ALIGNMENT>::with_capacity(bytes.len().max(1));
        heap.extend_from_slice(bytes);
        Self::from_aligned(heap)
    }

    /// Bytes that are on the heap already.
    pub fn from_aligned(mut heap: AlignedVec<ALIGNMENT>) -> Self {
        if heap.is_empty() {
            heap.reserve(1); // without memory of its own, an empty one would stand at address 1
        }
        let end = heap.len();
        Self {
            owner: Owner::Heap(Arc::new(heap)),
            start: 0,
            end,
        }
    }

    /// The rest of `file` from its present position, read to the heap; `len` is how much to make room for.
    ///
    /// # Errors
    /// The system's failure to read.
    pub fn read_from(file: &mut impl io::Read, len: u64) -> io::Result<Self> {
        let capacity = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut heap = AlignedVec::<ALIGNMENT>::with_capacity(capacity.saturating_add(1));
        heap.extend_from_reader(file)?;
        Ok(Self::from_aligned(heap))
    }

    /// The contents of a file of ours that will never be written to again. An empty file gives empty bytes.
    ///
    /// # Errors
    /// The system's refusal to map (some network file systems); the caller then reads instead.
    pub(in crate::storage) fn map_write_once(file: &File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        if len == 0 {
            return Ok(Self::copy_from(&[]));
        }
        let map = map_file(file)?;
        let end = map.len();
        Ok(Self {
            owner: Owner::Map(Arc::new(map)),
            start: 0,
            end,
        })
    }

    /// A part of these bytes that keeps the whole alive, or `None` when `range` reaches outside. A part is as aligned as
    /// its place.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let start = self.start.checked_add(range.start)?;
        let end = self.start.checked_add(range.end)?;
        (start <= end && end <= self.end).then(|| Self {
            owner: self.owner.clone(),
            start,
            end,
        })
    }

    /// Whether the bytes are mapped rather than held on the heap.
    pub fn is_mapped(&self) -> bool {
        matches!(self.owner, Owner::Map(_))
    }

    /// Tells the system how these bytes will be read. Does nothing for heap bytes and where the system takes no advice; a
    /// refused hint is no failure.
    pub fn advise(&self, advice: Advice) {
        #[cfg(unix)]
        if let Owner::Map(map) = &self.owner {
            let advice = match advice {
                Advice::Normal => memmap2::Advice::Normal,
                Advice::Random => memmap2::Advice::Random,
                Advice::Sequential => memmap2::Advice::Sequential,
                Advice::WillNeed => memmap2::Advice::WillNeed,
            };
            if self.start < self.end {
                let _ = map.advise_range(advice, self.start, self.end - self.start);
            }
        }
        #[cfg(not(unix))]
        let _ = advice;
    }
}

/// Maps the whole of a file for reading.
#[expect(unsafe_code, reason = "the one mapping of the crate, argued below")]
fn map_file(file: &File) -> io::Result<memmap2::Mmap> {
    // SAFETY: A shared mapping gives out `&[u8]`, so two things must not happen while it lives: its bytes must not
    // change, and the file must not become shorter (touching a page past the end kills the process).
    //
    // 1. We never do either. Only segment files are mapped. A segment is created under a name that was never used
    //    before, written front to back, synced and made read-only before HEAD names it, and no code of ours opens it
    //    for writing again. It goes away by unlink, which leaves existing mappings whole.
    // 2. HEAD and the catalog, which do change, are never mapped.
    // 3. A file that was cut before we came is found out without touching it: its length is compared with the one
    //    recorded in HEAD first, and the mapping is made of the length that the file has now.
    // 4. Bytes that are wrong are no danger: whoever reads them goes through checked access and `get`, and never
    //    relies on a checksum for memory safety.
    //
    // What remains is another program that writes into our read-only files while we read. No program can rule that
    // out for any mapping; who must (network disks) reads instead of mapping, see `Access::Read`.
    unsafe { memmap2::MmapOptions::new().map(file) }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        let whole: &[u8] = match &self.owner {
            Owner::Heap(heap) => heap,
            Owner::Map(map) => map,
        };
        whole.get(self.start..self.end).unwrap_or_default()
    }
}

impl AsRef<[u8]> for Bytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self::copy_from(&[])
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bytes")
            .field("len", &(self.end - self.start))
            .field("mapped", &self.is_mapped())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;
    use std::io::{Seek, Write};

    #[test]
    fn heap_bytes_are_aligned_and_cheap_to_share() {
        for len in [0, 1, 15, 16, 17, 4097] {
            let bytes = Bytes::copy_from(&vec![7; len]);
            assert_eq!(bytes.len(), len);
            assert_eq!(bytes.as_ptr() as usize % ALIGNMENT, 0);
            assert_eq!(bytes.clone().as_ptr(), bytes.as_ptr());
        }
    }

    #[test]
    fn a_slice_stays_inside_and_keeps_the_whole_alive() {
        let whole = Bytes::copy_from(b"0123456789");
        let part = whole.slice(2..6).unwrap();
        assert_eq!(&*part, b"2345");
        assert_eq!(&*part.slice(1..3).unwrap(), b"34");
        assert!(part.slice(0..5).is_none());
        #[expect(clippy::reversed_empty_ranges, reason = "that is the case under test")]
        let backwards = whole.slice(4..3);
        assert!(backwards.is_none());
        assert!(part.slice(usize::MAX..usize::MAX).is_none());
        drop(whole);
        assert_eq!(&*part, b"2345");
    }

    #[test]
    fn mapped_bytes_survive_the_removal_of_their_file() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"written once").unwrap();
        let bytes = Bytes::map_write_once(&file).unwrap();
        drop(file);
        bytes.advise(Advice::Random);
        bytes.slice(3..7).unwrap().advise(Advice::WillNeed);
        assert!(bytes.is_mapped());
        assert_eq!(&*bytes, b"written once");
    }

    #[test]
    fn an_empty_file_maps_to_empty_bytes() {
        let file = tempfile::tempfile().unwrap();
        let bytes = Bytes::map_write_once(&file).unwrap();
        assert!(bytes.is_empty() && !bytes.is_mapped());
        bytes.advise(Advice::Sequential);
    }

    #[test]
    fn reading_gives_what_mapping_gives() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[5; 10_000]).unwrap();
        file.rewind().unwrap();
        let read = Bytes::read_from(&mut file, 10_000).unwrap();
        assert_eq!(&*read, &*Bytes::map_write_once(&file).unwrap());
    }
}

//! Opening a snapshot: HEAD, then one mapping a segment.
//!
//! Where it sits: the entry of the read side. A reader takes no lock and never opens the catalog. Invariants: what is
//! done here does not grow with the index (HEAD is a few kilobytes; segments are mapped, their tables of contents
//! checked); a snapshot never changes after it was opened, whatever a writer does.
//!
//! The race with a writer that drops segments, in steps:
//!
//! 1. the reader reads HEAD, generation n, which names segment s;
//! 2. the writer publishes generation n+1 without s and unlinks s;
//! 3. the reader fails to open s. It reads HEAD again and finds n+1, whose segments exist, and starts anew.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::ids::{Epoch, Generation, SegmentId};
use crate::model::label::Labels;
use crate::segment::{Segment, SegmentExpect, SegmentKind, Tombstones};
use crate::snapshot::alive::DeadNodes;
use crate::snapshot::history::{self, History};
use crate::storage::RealFs;
use crate::storage::fs::Fs;
use crate::storage::head::{self, Head, SegmentRef};

/// Name of the folder that holds the segment files.
pub(crate) const SEGMENT_FOLDER: &str = "seg";

/// Segments up to this size have all their checksums compared when they are opened: a millisecond at most. In larger
/// ones the dictionaries are checked before their first use, and `verify` checks the rest.
const CHECKED_BYTES: u64 = 4 << 20;

/// One segment of a snapshot with what is dead in it.
pub(crate) struct Part {
    pub(crate) segment: Arc<Segment>,
    pub(crate) dead: DeadNodes,
    pub(crate) dead_files: roaring::RoaringBitmap,
    pub(crate) dead_placeholders: u64,
}

/// An unchanging view of the index as of one commit.
///
/// Cheap to open, safe to share between threads, valid as long as it is held: a writer only adds files and unlinks old
/// ones, which does not disturb a mapping.
pub struct Snapshot {
    pub(crate) head: Head,
    pub(crate) parts: Vec<Part>,
    /// Whether the first part is a base segment (its node numbers are symbol ids).
    pub(crate) has_base: bool,
    path: PathBuf,
    history: OnceLock<Option<History>>,
}

impl Snapshot {
    /// Opens the newest commit of the index in the folder `dir`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NoIndex`] where there is none, [`crate::ErrorKind::Corrupt`] for damaged files, [`crate::ErrorKind::Format`] for an
    /// index of a newer version, [`crate::ErrorKind::Io`] for what the system refuses.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(&RealFs::default(), dir.as_ref(), &[])
    }

    /// Opens the newest commit through `fs`, reusing segments that `known` already holds.
    pub(crate) fn open_with(fs: &dyn Fs, dir: &Path, known: &[Arc<Segment>]) -> Result<Self> {
        head::with_head(fs, dir, |head| {
            Self::from_head(fs, dir, head.clone(), known)
        })
    }

    /// The snapshot that `head` describes.
    pub(crate) fn from_head(
        fs: &dyn Fs,
        dir: &Path,
        head: Head,
        known: &[Arc<Segment>],
    ) -> Result<Self> {
        let mut parts = Vec::with_capacity(head.segments.len());
        for (i, entry) in head.segments.iter().enumerate() {
            let part = open_part(fs, dir, &head, entry, known)?;
            if part.segment.kind() == SegmentKind::Base && i > 0 {
                return Err(Error::corrupt("the base segment is not the first one").at(dir));
            }
            parts.push(part);
        }
        let has_base = parts
            .first()
            .is_some_and(|p| p.segment.kind() == SegmentKind::Base);
        Ok(Self {
            head,
            parts,
            has_base,
            path: dir.to_path_buf(),
            history: OnceLock::new(),
        })
    }

    /// The folder of the index.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What past commits said, read when it is first asked for; `None` where nothing is known or it is damaged.
    pub fn history(&self) -> Option<&History> {
        let read = || {
            let bytes = RealFs::default().read(&history::path(&self.path), history::MAX_LEN);
            bytes.and_then(History::decode).ok()
        };
        self.history.get_or_init(read).as_ref()
    }

    /// The commit that this snapshot shows.
    pub fn generation(&self) -> Generation {
        self.head.generation
    }

    /// The epoch within which its symbol ids are comparable.
    pub fn epoch(&self) -> Epoch {
        self.head.epoch
    }

    /// The store's own names of kinds and relations.
    pub fn labels(&self) -> &Labels {
        &self.head.labels
    }

    /// A property that a writer stored with the commit.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.head
            .properties
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    /// All properties, by name.
    pub fn properties(&self) -> &[(String, String)] {
        &self.head.properties
    }

    /// One past the highest symbol id.
    pub fn symbol_bound(&self) -> u32 {
        self.head.next_sym
    }

    /// How many segments it is made of.
    pub fn segment_count(&self) -> usize {
        self.parts.len()
    }

    /// Bytes of all segment files.
    pub fn stored_bytes(&self) -> u64 {
        self.head.segments.iter().map(|s| s.file_len).sum()
    }

    /// How many nodes are dead in each part.
    pub(crate) fn dead_counts(&self) -> Vec<u64> {
        self.parts.iter().map(|p| p.dead.count()).collect()
    }

    /// The tombstones of every part, in order of parts.
    pub(crate) fn tombstones(&self) -> Result<Vec<Tombstones>> {
        let entries = self.head.segments.iter();
        entries.map(tombstones_of).collect()
    }

    /// The open segments, to be reused by the next snapshot of the same index.
    pub(crate) fn segments(&self) -> Vec<Arc<Segment>> {
        self.parts.iter().map(|p| Arc::clone(&p.segment)).collect()
    }
}

/// The path of a segment file below the index folder.
pub(crate) fn segment_path(dir: &Path, id: SegmentId) -> PathBuf {
    dir.join(SEGMENT_FOLDER).join(format!("{:016x}.gseg", id.0))
}

fn tombstones_of(entry: &SegmentRef) -> Result<Tombstones> {
    Tombstones::from_bytes(&entry.dead_files, &entry.dead_nodes)
}

fn open_part(
    fs: &dyn Fs,
    dir: &Path,
    head: &Head,
    entry: &SegmentRef,
    known: &[Arc<Segment>],
) -> Result<Part> {
    let path = segment_path(dir, entry.id);
    let segment = match known
        .iter()
        .find(|s| s.id() == entry.id && s.epoch() == head.epoch)
    {
        Some(segment) => Arc::clone(segment),
        None => {
            let expect = SegmentExpect {
                id: entry.id,
                epoch: head.epoch,
                file_len: entry.file_len,
                toc_crc: entry.toc_crc,
            };
            let bytes = fs.map(&path, Some(entry.file_len))?;
            let segment = Segment::open(bytes, &path, Some(&expect))?;
            if entry.file_len <= CHECKED_BYTES {
                segment.check_checksums()?;
            }
            Arc::new(segment)
        }
    };
    let tombstones = tombstones_of(entry).map_err(|e| e.at(dir.join("HEAD")))?;
    let dead = DeadNodes::new(&segment, &tombstones);
    let dead_placeholders = tombstones.nodes.len();
    Ok(Part {
        segment,
        dead,
        dead_files: tombstones.files,
        dead_placeholders,
    })
}

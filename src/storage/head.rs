//! HEAD: the one small file that tells readers what the index consists of.
//!
//! Where it sits: the writer publishes it as the last step of a commit, readers begin with it and need nothing else to
//! open a snapshot. Its bytes are also kept in the catalog, from which a lost HEAD is written anew.
//!
//! Invariants: HEAD is replaced by rename and never changed in place; it is read to the heap, never mapped; a HEAD that
//! decodes is complete and consistent in itself. The prelude never changes, whatever the version, so that any version
//! can tell a newer format from damage.
//!
//! ```text
//! 0   magic          8 bytes
//! 8   major, minor   u16, u16
//! 12  reserved       u32, zero
//! 16  length         u64, bytes of the archive
//! 24  archive crc    u32
//! 28  prelude crc    u32, of bytes 0..28
//! 32  archive        a checked archive of `Head`, to the end of the file
//! ```
//!
//! The archive's shape is fixed for a major version. What a minor version adds travels in `properties` and in new kinds
//! of sections, both of which older readers skip.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, Generation, SegmentId};
use crate::model::label::Labels;
use crate::storage::archive;
use crate::storage::checksum::crc32;
use crate::storage::fs::{Fs, io_error};

/// Name of the file in the folder of an index.
pub const FILE_NAME: &str = "HEAD";

/// A reader opens an index of this major version only.
pub const MAJOR: u16 = 1;

/// Additions that older readers of the same major version may skip.
pub const MINOR: u16 = 0;

/// More is taken for damage: a HEAD holds a few KB for each segment.
pub const MAX_LEN: u64 = 64 << 20;

/// [`SegmentRef::kind`] of the base.
pub const BASE: u8 = 0;

/// [`SegmentRef::kind`] of a delta.
pub const DELTA: u8 = 1;

/// First byte outside ASCII, then line ends of both worlds: a transfer that mangles either is noticed at once.
const MAGIC: [u8; 8] = *b"\x89GFYHD\r\n";
const PRELUDE: usize = 32;
const TMP_NAME: &str = "HEAD.tmp";

/// What one state of the index consists of.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize,
)]
pub struct Head {
    /// The commit that made this state.
    pub generation: Generation,
    /// The numbering of symbols: changes with each full compaction.
    pub epoch: Epoch,
    /// The first symbol number that is not given out yet; every symbol of the index is below.
    pub next_sym: u32,
    /// The first segment id that is not given out yet.
    pub next_segment: u64,
    /// The store's own label names.
    pub labels: Labels,
    /// The segments, oldest first: a base, if there is one, then deltas.
    pub segments: Vec<SegmentRef>,
    /// Names and values that belong to the index as a whole, sorted by name.
    pub properties: Vec<(String, String)>,
}

/// One segment as HEAD names it.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize,
)]
pub struct SegmentRef {
    /// Names the file.
    pub id: SegmentId,
    /// [`BASE`] or [`DELTA`].
    pub kind: u8,
    /// Length of the file in bytes, compared before it is mapped.
    pub file_len: u64,
    /// CRC-32 of the segment's table of contents.
    pub toc_crc: u32,
    /// Files in the segment, dead ones included.
    pub files: u32,
    /// Nodes in the segment, dead ones and externals included.
    pub nodes: u32,
    /// How many of them belong to a file; the rest are externals.
    pub file_nodes: u32,
    /// Edges in the segment, dead ones included.
    pub edges: u64,
    /// Serialised set of the files that a later segment replaces or removes; empty for none.
    pub dead_files: Vec<u8>,
    /// Serialised set of the external nodes that a later segment defines; empty for none.
    pub dead_nodes: Vec<u8>,
}

impl Head {
    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<&str> {
        let at = self
            .properties
            .binary_search_by(|(have, _)| have.as_str().cmp(name))
            .ok()?;
        self.properties.get(at).map(|(_, value)| value.as_str())
    }

    /// Sets, replaces or (with `None`) removes a property.
    pub fn set_property(&mut self, name: &str, value: Option<&str>) {
        let found = self
            .properties
            .binary_search_by(|(have, _)| have.as_str().cmp(name));
        match (found, value) {
            (Ok(at), Some(value)) => {
                if let Some((_, have)) = self.properties.get_mut(at) {
                    *have = value.to_string();
                }
            }
            (Ok(at), None) => {
                self.properties.remove(at);
            }
            (Err(at), Some(value)) => self
                .properties
                .insert(at, (name.to_string(), value.to_string())),
            (Err(_), None) => {}
        }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the parts contradict each other, [`ErrorKind::Limit`] past [`MAX_LEN`].
    pub fn encode(&self) -> Result<Vec<u8>> {
        self.check()
            .map_err(|why| Error::new(ErrorKind::Invalid, why))?;
        let body = archive::encode(self)?;
        if body.len() as u64 + PRELUDE as u64 > MAX_LEN {
            return Err(Error::new(
                ErrorKind::Limit,
                "the list of segments and deleted files is too long",
            )
            .remedy("run `graphify compact`"));
        }
        let mut bytes = Vec::with_capacity(PRELUDE + body.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&MAJOR.to_le_bytes());
        bytes.extend_from_slice(&MINOR.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&crc32(&body).to_le_bytes());
        let sum = crc32(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }

    /// The state that `bytes`, a whole file, describe.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for a foreign, cut or damaged file, [`ErrorKind::Format`] for one of another version.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let prelude = Prelude::read(bytes)?;
        let body = bytes.get(PRELUDE..).unwrap_or_default();
        if body.len() as u64 != prelude.len || crc32(body) != prelude.body_crc {
            return Err(Error::corrupt("the index's HEAD is damaged or incomplete"));
        }
        let head: Self = archive::decode(body)?;
        head.check()
            .map_err(|why| Error::corrupt(format!("the index's HEAD contradicts itself: {why}")))?;
        Ok(head)
    }

    /// What a complete HEAD promises its readers.
    fn check(&self) -> std::result::Result<(), &'static str> {
        for (at, segment) in self.segments.iter().enumerate() {
            let may_be_here = match segment.kind {
                BASE => at == 0,
                DELTA => true,
                _ => return Err("a segment is neither base nor delta"),
            };
            if !may_be_here {
                return Err("the base is not the first segment");
            }
            if segment.id.0 >= self.next_segment {
                return Err("a segment has an id that was not given out");
            }
            if segment.file_nodes > segment.nodes {
                return Err("a segment has more nodes in files than nodes");
            }
        }
        let mut ids: Vec<_> = self.segments.iter().map(|s| s.id).collect();
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair.first() == pair.get(1)) {
            return Err("two segments have the same id");
        }
        let ascends = |pair: &[(String, String)]| match pair {
            [(a, _), (b, _)] => a < b,
            _ => true,
        };
        if !self.properties.windows(2).all(ascends) {
            return Err("the properties are not sorted");
        }
        Ok(())
    }
}

struct Prelude {
    len: u64,
    body_crc: u32,
}

impl Prelude {
    fn read(bytes: &[u8]) -> Result<Self> {
        let torn = || Error::corrupt("the index's HEAD is damaged or incomplete");
        let magic = bytes.first_chunk::<8>().ok_or_else(torn)?;
        if *magic != MAGIC {
            return Err(Error::corrupt("this is not the HEAD of a graphify index"));
        }
        let summed = bytes.get(..PRELUDE - 4).ok_or_else(torn)?;
        if field(bytes, 28).map(u32::from_le_bytes) != Some(crc32(summed)) {
            return Err(torn());
        }
        let major = field(bytes, 8).map(u16::from_le_bytes).ok_or_else(torn)?;
        if major != MAJOR {
            let age = if major > MAJOR { "a newer" } else { "an older" };
            let remedy = if major > MAJOR {
                "use that version, or run `graphify index --full` to build the index anew with this one"
            } else {
                "run `graphify index --full` to build the index anew"
            };
            return Err(Error::new(
                ErrorKind::Format,
                format!(
                    "the index was written by {age} version of graphify (format {major}, this one reads {MAJOR})"
                ),
            )
            .remedy(remedy));
        }
        Ok(Self {
            len: field(bytes, 16).map(u64::from_le_bytes).ok_or_else(torn)?,
            body_crc: field(bytes, 24).map(u32::from_le_bytes).ok_or_else(torn)?,
        })
    }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

/// Where HEAD stands in the folder of an index.
pub fn path(dir: &Path) -> PathBuf {
    dir.join(FILE_NAME)
}

/// Makes `head` the state that readers see. `durable` also survives a power cut at once; without it a power cut may leave
/// the previous HEAD or a torn one, which the next writer replaces from the catalog. A commit after which files are
/// deleted must be durable, or an old HEAD could come back and name them.
///
/// # Errors
/// Those of [`Head::encode`], and any failure of the file system.
pub fn publish(fs: &dyn Fs, dir: &Path, head: &Head, durable: bool) -> Result<()> {
    publish_bytes(fs, dir, &head.encode()?, durable)
}

/// [`publish`] for a HEAD that is encoded already.
///
/// # Errors
/// Any failure of the file system.
pub fn publish_bytes(fs: &dyn Fs, dir: &Path, bytes: &[u8], durable: bool) -> Result<()> {
    let tmp = dir.join(TMP_NAME);
    // One writer at a time holds the lock, so a temporary file that is there was left by a writer that died.
    match fs.unlink(&tmp) {
        Err(e) if e.io_kind() != Some(std::io::ErrorKind::NotFound) => return Err(e),
        _ => {}
    }
    let mut file = fs.create_new(&tmp)?;
    file.write_all(bytes)
        .and_then(|()| file.flush())
        .map_err(|e| io_error("write", &tmp, e))?;
    if durable {
        file.sync_data()?;
    }
    drop(file);
    fs.rename(&tmp, &path(dir))?;
    if durable {
        fs.sync_dir(dir)?;
    }
    Ok(())
}

/// The state that readers see now.
///
/// # Errors
/// [`ErrorKind::NoIndex`] when there is no HEAD, those of [`Head::decode`], or a failure to read.
pub fn read(fs: &dyn Fs, dir: &Path) -> Result<Head> {
    let bytes = read_bytes(fs, dir)?;
    Head::decode(&bytes).map_err(|e| e.at(path(dir)))
}

/// The bytes of HEAD as they are, unchecked.
///
/// # Errors
/// [`ErrorKind::NoIndex`] when there is no HEAD, [`ErrorKind::Corrupt`] past [`MAX_LEN`], or a failure to read.
pub fn read_bytes(fs: &dyn Fs, dir: &Path) -> Result<Vec<u8>> {
    let path = path(dir);
    fs.read(&path, MAX_LEN).map_err(|e| match e.kind() {
        ErrorKind::Io if e.io_kind() == Some(std::io::ErrorKind::NotFound) => {
            Error::new(ErrorKind::NoIndex, "there is no index here")
                .at(dir)
                .remedy("run `graphify index` in the folder that is to be searched")
        }
        ErrorKind::Limit => {
            Error::corrupt("the index's HEAD is far too large to be one").at(path.clone())
        }
        _ => e,
    })
}

/// How often a reader follows a writer that replaces segments before it gives up.
const MAX_TRIES: u32 = 40;

/// Reads HEAD and lets `open` open what it names.
///
/// A writer may delete a segment between the two:
/// 1. the reader reads HEAD, which names segment 7;
/// 2. the writer publishes a HEAD without 7, then deletes 7;
/// 3. the reader finds no 7. HEAD has changed by then, and the new one names files that exist.
///
/// So a missing file makes `open` run again with the HEAD of that moment. When HEAD stays the same, the file is lost.
///
/// # Errors
/// Those of [`read`] and of `open`; [`ErrorKind::Corrupt`] when a file that HEAD names is not there.
pub fn with_head<T>(
    fs: &dyn Fs,
    dir: &Path,
    mut open: impl FnMut(&Head) -> Result<T>,
) -> Result<T> {
    let mut head = read(fs, dir)?;
    let mut seen_twice = 0;
    for attempt in 0..MAX_TRIES {
        let error = match open(&head) {
            Err(e) if e.io_kind() == Some(std::io::ErrorKind::NotFound) => e,
            done => return done,
        };
        let now = read(fs, dir)?;
        if now == head {
            // Locally the new HEAD is there before the file is gone. A network disk may show the two in another order.
            seen_twice += 1;
            if seen_twice > 3 {
                return Err(lost_file(error));
            }
        } else {
            seen_twice = 0;
        }
        head = now;
        if attempt > 1 {
            std::thread::sleep(Duration::from_micros(200 << attempt.min(6)));
        }
    }
    Err(Error::new(
        ErrorKind::Io,
        "the index changes faster than it can be opened",
    )
    .at(dir)
    .remedy("try again when the indexing run has ended"))
}

fn lost_file(error: Error) -> Error {
    let lost = Error::corrupt("a file of the index is missing");
    match error.path() {
        Some(path) => lost.at(path.to_path_buf()),
        None => lost,
    }
}

#[cfg(test)]
mod tests;

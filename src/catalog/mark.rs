//! Whether the database's file is byte for byte as it was left.
//!
//! Where it sits: read when the catalog is opened, written when it is closed. The database believes its pages, and what a
//! damaged one can do there no guard can stop: a panic while a panic unwinds ends the process. So pages are believed only
//! when the whole file has the checksum that was noted at the last orderly end; otherwise the database checks every page
//! as it opens, which costs several times as much and a commit.
//!
//! Invariant: a mark that is missing, torn, old, or damaged costs time and nothing else, so it is never synced, and a
//! failure to write it is no failure.
//!
//! ```text
//! 0   length of the database's file   u64
//! 8   its CRC-32                      u32
//! 12  CRC-32 of bytes 0..12           u32
//! ```

use std::io;
use std::path::Path;

use crate::error::Result;
use crate::storage::checksum::{CHUNK, crc32};
use crate::storage::fs::{Fs, RandomFile};

const LEN: usize = 16;

/// The file that holds the mark.
#[derive(Debug)]
pub(super) struct CleanMark {
    file: Box<dyn RandomFile>,
}

impl CleanMark {
    /// The mark of the database at `path`, beside it.
    pub(super) fn open(fs: &dyn Fs, path: &Path) -> Result<Self> {
        let file = fs.open_random(&path.with_extension("sum"))?;
        Ok(Self { file })
    }

    /// Whether `database` is as it was when the mark was set.
    pub(super) fn matches(&self, database: &dyn RandomFile) -> bool {
        let mut noted = [0; LEN];
        let read = self.file.read_at(0, &mut noted);
        read.is_ok() && mark_of(database).is_ok_and(|now| now == noted)
    }

    /// Notes the present state of `database`, which was closed in order.
    pub(super) fn set(&self, database: &dyn RandomFile) -> io::Result<()> {
        self.file.write_at(0, &mark_of(database)?)
    }
}

fn mark_of(database: &dyn RandomFile) -> io::Result<[u8; LEN]> {
    let len = database.len()?;
    let mut sum = crc32fast::Hasher::new();
    let mut buffer = vec![0; CHUNK];
    let mut at = 0;
    while at < len {
        let want = usize::try_from(len - at).unwrap_or(CHUNK).min(CHUNK);
        let part = buffer.get_mut(..want).unwrap_or_default();
        database.read_at(at, part)?;
        sum.update(part);
        at += part.len() as u64;
    }
    let mut mark = [0; LEN];
    let (body, check) = mark.split_at_mut(LEN - 4);
    let (left, right) = body.split_at_mut(8);
    left.copy_from_slice(&len.to_le_bytes());
    right.copy_from_slice(&sum.finalize().to_le_bytes());
    check.copy_from_slice(&crc32(body).to_le_bytes());
    Ok(mark)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;
    use crate::storage::sim::SimFs;

    #[test]
    fn only_the_very_same_bytes_match() {
        let fs = SimFs::new();
        let path = Path::new("/catalog.redb");
        let bytes: Vec<u8> = (0..CHUNK + 100).map(|i| (i / 7) as u8).collect();
        fs.plant(path, bytes.clone());
        let database = fs.open_random(path).unwrap();
        let mark = CleanMark::open(&fs, path).unwrap();
        assert!(!mark.matches(&*database), "nothing was noted yet");
        mark.set(&*database).unwrap();
        assert!(mark.matches(&*database));
        for at in [0, CHUNK - 1, CHUNK, CHUNK + 99] {
            database.write_at(at as u64, &[bytes[at] ^ 1]).unwrap();
            assert!(!mark.matches(&*database));
            database.write_at(at as u64, &[bytes[at]]).unwrap();
        }
        database.set_len(bytes.len() as u64 + 1).unwrap();
        assert!(!mark.matches(&*database));
        database.set_len(bytes.len() as u64).unwrap();
        assert!(mark.matches(&*database));
        let noted = fs.contents(Path::new("/catalog.sum")).unwrap();
        for at in 0..LEN {
            let mut bad = noted.clone();
            bad[at] ^= 0x10;
            fs.plant(Path::new("/catalog.sum"), bad);
            let damaged = CleanMark::open(&fs, path).unwrap();
            assert!(!damaged.matches(&*database));
        }
    }
}

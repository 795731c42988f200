//! What a writer does first: make HEAD and the catalog agree again.
//!
//! Where it sits: right after the lock is taken and the catalog opened. A run that died between its commit and the
//! publishing of HEAD, and a power cut that brought back an older HEAD, leave the two apart.
//!
//! Invariant: after [`Catalog::recover`] either HEAD on disk says what the newest one in the catalog says, or the answer
//! tells that the catalog is the one that is behind, and nothing was changed.

use std::path::Path;

use crate::catalog::commit::Commit;
use crate::catalog::open::Catalog;
use crate::catalog::rows::{FileRow, key_number};
use crate::catalog::tables::HEADS;
use crate::error::{ErrorKind, Result};
use crate::ids::Generation;
use crate::storage::fs::Fs;
use crate::storage::head::{self, Head};

/// What [`Catalog::recover`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Nothing was ever committed.
    Empty,
    /// HEAD is that of the last commit.
    Current(Head),
    /// HEAD was missing, damaged or old, and now is that of the last commit.
    Republished(Head),
    /// HEAD is newer than anything in the catalog: the catalog was lost and must be rebuilt from this state.
    CatalogLost(Head),
}

impl Catalog {
    /// The newest committed state, or `None` before the first commit.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for a damaged catalog, [`ErrorKind::Io`] when the file system fails.
    pub fn head(&self) -> Result<Option<Head>> {
        let newest = self.head_bytes()?;
        let decode = |(_, bytes): (_, Vec<u8>)| Head::decode(&bytes).map_err(|e| e.at(self.path()));
        newest.map(decode).transpose()
    }

    /// The newest committed state as the bytes of its HEAD, with its number.
    ///
    /// # Errors
    /// As [`Catalog::head`].
    pub fn head_bytes(&self) -> Result<Option<(Generation, Vec<u8>)>> {
        let Some((key, bytes)) = self.all(HEADS)?.pop() else {
            return Ok(None);
        };
        Ok(Some((Generation(key_number(&key)?), bytes)))
    }

    /// Compares HEAD in `dir` with the last commit and publishes the latter where HEAD is missing, damaged or older.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when HEAD was written by another version (it stays), [`ErrorKind::Corrupt`] for a damaged
    /// catalog or for a damaged HEAD without any commit to replace it, [`ErrorKind::Io`] when the file system fails.
    pub fn recover(&self, fs: &dyn Fs, dir: &Path) -> Result<Recovery> {
        let on_disk = match head::read_bytes(fs, dir) {
            Ok(bytes) => Some(bytes),
            Err(e) if matches!(e.kind(), ErrorKind::NoIndex | ErrorKind::Corrupt) => None,
            Err(e) => return Err(e),
        };
        let read = on_disk.as_deref().map(Head::decode);
        let Some((_, bytes)) = self.head_bytes()? else {
            return match read {
                None => Ok(Recovery::Empty),
                Some(Ok(head)) => Ok(Recovery::CatalogLost(head)),
                Some(Err(e)) => Err(e.at(head::path(dir))),
            };
        };
        let committed = Head::decode(&bytes).map_err(|e| e.at(self.path()))?;
        match read {
            Some(Err(e)) if e.kind() == ErrorKind::Format => return Err(e.at(head::path(dir))),
            Some(Ok(head)) if head == committed => return Ok(Recovery::Current(committed)),
            // The same number with other contents: two histories, of which readers have seen the one on disk.
            Some(Ok(head)) if head.generation >= committed.generation => {
                return Ok(Recovery::CatalogLost(head));
            }
            _ => {}
        }
        head::publish_bytes(fs, dir, &bytes, true)?;
        Ok(Recovery::Republished(committed))
    }

    /// Makes the catalog at `path` anew from a state and the rows of its files, in place of what is there. Without a state
    /// it is empty.
    ///
    /// # Errors
    /// Those of the row iterator and of [`Catalog::commit`]; the old file then stays.
    pub fn rebuild(
        fs: &dyn Fs,
        path: &Path,
        head: Option<&Head>,
        files: impl Iterator<Item = Result<(String, FileRow)>>,
    ) -> Result<Self> {
        Self::create(fs, path, |catalog| {
            let Some(head) = head else { return Ok(()) };
            let _committed = catalog.commit(Commit {
                files: Box::new(files),
                ..Commit::new(head)
            })?;
            Ok(())
        })?;
        Self::open(fs, path)
    }
}

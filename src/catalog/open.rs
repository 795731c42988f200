//! Opening the catalog, and reading single rows.
//!
//! Where it sits: [`Catalog`] is what `index` holds while it works. Invariants: the database never panics out of a method;
//! after a panic or a failed commit the catalog answers with errors only and must be opened again; a file of that name is
//! always a complete database, because a new one is made beside it and renamed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::{Database, ReadTransaction, ReadableDatabase};

use crate::catalog::backend::{Backend, Handle};
use crate::catalog::guard::{Panicked, guarded};
use crate::catalog::mark::CleanMark;
use crate::catalog::rows::{FileRow, bad_row, key_number, unseal};
use crate::catalog::tables::{
    FILES, FORMAT, GARBAGE, HEADS, META, META_FILES, META_FORMAT, Table, damaged, db_error,
    given_up,
};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Generation, SegmentId};
use crate::storage::fs::Fs;

/// Name of the file in the folder of an index.
pub const FILE_NAME: &str = "catalog.redb";

/// Memory for pages of the database. The default of the library is a whole GiB.
const CACHE_BYTES: usize = 32 << 20;

/// The committed state of an index as its writer sees it.
#[derive(Debug)]
pub struct Catalog {
    /// `None` once it was given up.
    db: Option<Database>,
    handle: Arc<Handle>,
    path: PathBuf,
    /// `None` for a catalog that is only just being made.
    mark: Option<CleanMark>,
    failed: Failed,
}

/// Whether the catalog may still be used.
#[derive(Debug, Default)]
struct Failed {
    /// The database returned an error in the middle of a change.
    broken: AtomicBool,
    /// The database panicked: what it holds in memory cannot even be taken apart.
    panicked: AtomicBool,
}

impl Failed {
    fn any(&self) -> bool {
        self.broken.load(Ordering::Relaxed) || self.panicked.load(Ordering::Relaxed)
    }
}

impl Catalog {
    /// Opens the catalog at `path`, made empty when there is none. Whoever calls holds the writer's lock.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for a damaged catalog (then [`Catalog::rebuild`] it), [`ErrorKind::Format`] for one of another
    /// version, [`ErrorKind::Io`] when the file system fails.
    pub fn open(fs: &dyn Fs, path: &Path) -> Result<Self> {
        if !fs.exists(path)? {
            Self::create(fs, path, |_| Ok(()))?;
        }
        let mark = CleanMark::open(fs, path)?;
        let catalog = Self::attach(fs, path, Some(mark))?;
        let format = catalog
            .meta_number::<4>(META_FORMAT)?
            .map(u32::from_le_bytes);
        match format {
            Some(FORMAT) => Ok(catalog),
            Some(_) => Err(Error::new(
                ErrorKind::Format,
                "the catalog has the format of another version",
            )
            .at(path)
            .remedy("run `graphify index --full` to build the index anew")),
            None => Err(damaged(path)),
        }
    }

    /// Makes a new catalog in place of whatever is at `path`. `fill` commits its first contents, if any.
    ///
    /// It comes into being under another name, is closed and made durable, and only then takes its place, so that a crash
    /// leaves the old one, the new one, or none.
    pub(super) fn create(
        fs: &dyn Fs,
        path: &Path,
        fill: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let tmp = path.with_extension("redb.tmp");
        if fs.exists(&tmp)? {
            fs.unlink(&tmp)?;
        }
        let mut catalog = Self::attach(fs, &tmp, None)?;
        catalog.make_tables()?;
        fill(&mut catalog)?;
        catalog.close()?;
        fs.rename(&tmp, path)?;
        fs.sync_dir(path.parent().unwrap_or(Path::new("")))
    }

    fn attach(fs: &dyn Fs, path: &Path, mark: Option<CleanMark>) -> Result<Self> {
        let file = fs.open_random(path)?;
        let as_it_was_left = mark.as_ref().is_some_and(|mark| mark.matches(&*file));
        let handle = Handle::new(file);
        let backend = Backend(Arc::clone(&handle));
        let opened = guarded(|| {
            Database::builder()
                .set_cache_size(CACHE_BYTES)
                .set_check_integrity_on_open(mark.is_some() && !as_it_was_left)
                .create_with_backend(backend)
        });
        let db = match opened {
            Ok(Ok(db)) => db,
            Ok(Err(e)) => {
                handle.close();
                return Err(db_error(path, e));
            }
            Err(panicked) => {
                handle.close();
                return Err(damaged(path).caused_by(panicked.0));
            }
        };
        Ok(Self {
            db: Some(db),
            handle,
            path: path.to_path_buf(),
            mark,
            failed: Failed::default(),
        })
    }

    /// The row of one file, or `None` when it is not indexed.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for a damaged catalog, [`ErrorKind::Io`] when the file system fails.
    pub fn file(&self, key: &str) -> Result<Option<FileRow>> {
        let value = self.get(FILES, key.as_bytes())?;
        let decode = |bytes: Vec<u8>| FileRow::decode(&bytes).ok_or_else(|| self.bad_row());
        value.map(decode).transpose()
    }

    /// How many files are indexed.
    ///
    /// # Errors
    /// As [`Catalog::file`].
    pub fn file_count(&self) -> Result<u64> {
        let count = self.meta_number::<8>(META_FILES)?;
        count
            .map(u64::from_le_bytes)
            .ok_or_else(|| damaged(&self.path))
    }

    /// A value that a [`Commit`](super::Commit) stored under a name of the caller's.
    ///
    /// # Errors
    /// As [`Catalog::file`].
    pub fn meta(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.get(META, name.as_bytes())
    }

    /// Segments that were dropped and whose files may still be there, with the commit that dropped them.
    ///
    /// # Errors
    /// As [`Catalog::file`].
    pub fn garbage(&self) -> Result<Vec<(SegmentId, Generation)>> {
        self.all(GARBAGE)?
            .into_iter()
            .map(|(key, value)| {
                let dropped = key_number(&value)?;
                Ok((SegmentId(key_number(&key)?), Generation(dropped)))
            })
            .collect()
    }

    /// The catalog's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks every page and every row. Reads the whole file.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] naming the first damage; otherwise as [`Catalog::file`].
    pub fn verify(&mut self) -> Result<()> {
        let db = match self.db.as_mut() {
            Some(db) if !self.failed.any() => db,
            _ => return Err(given_up(&self.path)),
        };
        let outcome = guarded(|| Ok(db.check_integrity()?));
        if !self.settle(outcome)? {
            return Err(damaged(&self.path));
        }
        for table in [META, HEADS, GARBAGE] {
            self.all(table)?;
        }
        self.files(None)?.try_for_each(|row| row.map(drop))?;
        self.head_bytes().map(drop)
    }

    /// Closes the database and waits until that is durable. Dropping the catalog does the same but keeps errors to itself.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] when the file system fails.
    pub fn close(mut self) -> Result<()> {
        let Some(db) = self.db.take().filter(|_| !self.failed.any()) else {
            return Err(given_up(&self.path));
        };
        match guarded(|| db.close()) {
            Ok(closed) => closed.map_err(|e| db_error(&self.path, e))?,
            Err(panicked) => return Err(self.give_up(panicked)),
        }
        self.set_mark();
        self.handle.close();
        Ok(())
    }

    /// Notes the state of the closed file. The database writes as it opens and closes, so this is never superfluous.
    fn set_mark(&self) {
        if let Some(mark) = &self.mark {
            let _ = self.handle.with(|file| mark.set(file)); // without it the next opening takes longer
        }
    }

    /// Runs `call` in a transaction that sees the last commit.
    pub(super) fn read<T>(
        &self,
        call: impl FnOnce(&ReadTransaction) -> Result<T, redb::Error>,
    ) -> Result<T> {
        let db = self.db()?;
        let outcome = guarded(|| {
            let txn = db.begin_read()?;
            call(&txn)
        });
        self.settle(outcome)
    }

    /// What a guarded call came to, in our terms.
    pub(super) fn settle<T>(&self, outcome: Result<Result<T, redb::Error>, Panicked>) -> Result<T> {
        match outcome {
            Ok(result) => result.map_err(|e| db_error(&self.path, e)),
            Err(panicked) => Err(self.give_up(panicked)),
        }
    }

    /// The database, unless it was given up.
    pub(super) fn db(&self) -> Result<&Database> {
        match &self.db {
            Some(db) if !self.failed.any() => Ok(db),
            _ => Err(given_up(&self.path)),
        }
    }

    /// Marks the catalog as no longer usable; the error to return for it.
    pub(super) fn give_up(&self, panicked: Panicked) -> Error {
        self.failed.panicked.store(true, Ordering::Relaxed);
        damaged(&self.path).caused_by(panicked.0)
    }

    /// Lets no further call through.
    pub(super) fn set_broken(&self) {
        self.failed.broken.store(true, Ordering::Relaxed);
    }

    /// The error for a row of this catalog that is not what was stored.
    pub(super) fn bad_row(&self) -> Error {
        bad_row().at(&self.path)
    }

    /// The checked body of one value.
    pub(super) fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let value = self.read(|txn| {
            let table = txn.open_table(table)?;
            Ok(table.get(key)?.map(|value| value.value().to_vec()))
        })?;
        let Some(value) = value else { return Ok(None) };
        let body = unseal(key, &value).map_err(|e| e.at(&self.path))?;
        Ok(Some(body.to_vec()))
    }

    /// All keys of a small table with their checked bodies, in order.
    pub(super) fn all(&self, table: Table) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let rows = self.read(|txn| {
            let table = txn.open_table(table)?;
            let mut rows = Vec::new();
            for row in table.range::<&[u8]>(..)? {
                let (key, value) = row?;
                rows.push((key.value().to_vec(), value.value().to_vec()));
            }
            Ok(rows)
        })?;
        rows.into_iter()
            .map(|(key, value)| {
                let body = unseal(&key, &value).map_err(|e| e.at(&self.path))?.to_vec();
                Ok((key, body))
            })
            .collect()
    }

    fn meta_number<const N: usize>(&self, name: &str) -> Result<Option<[u8; N]>> {
        let Some(body) = self.get(META, name.as_bytes())? else {
            return Ok(None);
        };
        body.try_into().map(Some).map_err(|_| self.bad_row())
    }
}

impl Drop for Catalog {
    fn drop(&mut self) {
        if let Some(db) = self.db.take() {
            if self.failed.panicked.load(Ordering::Relaxed) {
                // After a panic its locks and counts may be in any state, and a second panic while it is taken apart
                // would end the process. So its memory is left alone, and the next opening repairs the file.
                std::mem::forget(db);
            } else if matches!(guarded(|| db.close()), Ok(Ok(()))) && !self.failed.any() {
                self.set_mark();
            }
        }
        self.handle.close();
    }
}

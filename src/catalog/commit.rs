//! The one write transaction.
//!
//! Where it sits: the last step of every run of the writer, between the segment's file being durable and HEAD being
//! published. Invariants: all parts of a [`Commit`] become visible together or not at all; generations only grow; the number
//! of file rows is kept beside them; a segment that the new HEAD no longer names is garbage from the same moment on.

use std::path::Path;

use redb::{ReadableTable, WriteTransaction};

use crate::catalog::guard::guarded;
use crate::catalog::open::Catalog;
use crate::catalog::rows::{FileRow, number_key, seal};
use crate::catalog::tables::{
    ALL, FILES, FORMAT, GARBAGE, HEADS, META, META_FILES, META_FORMAT, Table, given_up,
};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Generation, SegmentId};
use crate::storage::fs::Fs;
use crate::storage::head::{self, Head};

/// How many HEADs are kept: the newest, and the one that readers may still be on.
const KEPT_HEADS: u64 = 2;

/// Rows that are stored between two calls of the caller's iterator.
const BATCH: usize = 1024;

/// File rows that arrive one by one; ascending keys are stored fastest.
pub type RowsIn<'a> = Box<dyn Iterator<Item = Result<(String, FileRow)>> + 'a>;

/// What a run of the writer changes.
pub struct Commit<'a> {
    /// The new state, whose generation is above that of the last commit.
    pub head: &'a Head,
    /// Forget all file rows first.
    pub clear_files: bool,
    /// Keys of files to forget. Unknown ones are ignored.
    pub removed_files: Vec<String>,
    /// Rows to store, replacing those of the same key.
    pub files: RowsIn<'a>,
    /// Values under names of the caller's; `None` removes one.
    pub meta: Vec<(String, Option<Vec<u8>>)>,
    /// Garbage whose files are gone now.
    pub collected: Vec<SegmentId>,
}

/// A commit that is durable. Readers see it once it is published.
#[derive(Debug)]
#[must_use = "readers see nothing of a commit until it is published"]
pub struct Committed {
    /// The new state's number.
    pub generation: Generation,
    /// The segments that the state before named and this one does not.
    pub dropped: Vec<SegmentId>,
    head_bytes: Vec<u8>,
}

impl<'a> Commit<'a> {
    /// A commit that changes nothing but the state itself.
    pub fn new(head: &'a Head) -> Self {
        Self {
            head,
            clear_files: false,
            removed_files: Vec::new(),
            files: Box::new(std::iter::empty()),
            meta: Vec::new(),
            collected: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Commit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Commit")
            .field("generation", &self.head.generation)
            .field("removed_files", &self.removed_files.len())
            .finish_non_exhaustive()
    }
}

impl Committed {
    /// Publishes HEAD in `dir`. When segments were dropped this is durable at once, so that no power cut brings back a HEAD
    /// that names files which the caller deletes next.
    ///
    /// # Errors
    /// Any failure of the file system. The commit stands; the next run of the writer publishes it.
    pub fn publish(&self, fs: &dyn Fs, dir: &Path) -> Result<()> {
        head::publish_bytes(fs, dir, &self.head_bytes, !self.dropped.is_empty())
    }
}

impl Catalog {
    /// Commits. On success the change is durable; on failure it is undone, or, when the failure came as the last page was
    /// written, decided by the next opening.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for a generation that is not above the last one or a reserved name, the errors of
    /// [`Head::encode`] and of the row iterator (after these the catalog stays usable); [`ErrorKind::Io`] or
    /// [`ErrorKind::Corrupt`] when the database fails, after which it must be opened again.
    pub fn commit(&mut self, commit: Commit<'_>) -> Result<Committed> {
        let head_bytes = commit.head.encode()?;
        let generation = commit.head.generation;
        let previous = self.head()?;
        if previous
            .as_ref()
            .is_some_and(|p| p.generation >= generation)
        {
            return Err(Error::new(
                ErrorKind::Invalid,
                "a commit must have a newer generation than the one before",
            ));
        }
        for (name, _) in &commit.meta {
            if [META_FORMAT, META_FILES].contains(&name.as_str()) {
                return Err(Error::new(
                    ErrorKind::Invalid,
                    format!("the name {name:?} is taken by the catalog itself"),
                ));
            }
        }
        let dropped = dropped_segments(previous.as_ref(), commit.head);
        let mut count = self.file_count()?;

        let mut txn = Transaction::begin(self)?;
        if commit.clear_files {
            txn.clear(FILES)?;
            count = 0;
        }
        for keys in commit.removed_files.chunks(BATCH) {
            count = count.saturating_sub(txn.remove(FILES, keys.iter().map(String::as_bytes))?);
        }
        let mut rows = commit.files;
        loop {
            // Collected outside the database's guard: an error or a panic of the caller's is the caller's.
            let batch: Vec<_> = rows.by_ref().take(BATCH).collect::<Result<_>>()?;
            if batch.is_empty() {
                break;
            }
            let sealed = batch
                .iter()
                .map(|(key, row)| (key.as_bytes(), row.encode()));
            count = count.saturating_add(txn.put(FILES, sealed)?);
        }
        let count = count.to_le_bytes().to_vec();
        txn.put(META, [(META_FILES.as_bytes(), count)].into_iter())?;
        let (set, unset): (Vec<_>, Vec<_>) =
            commit.meta.iter().partition(|(_, value)| value.is_some());
        txn.remove(META, unset.iter().map(|(name, _)| name.as_bytes()))?;
        let set = set
            .into_iter()
            .filter_map(|(name, value)| Some((name.as_bytes(), value.clone()?)));
        txn.put(META, set)?;

        let dead: Vec<_> = dropped.iter().map(|id| number_key(id.0)).collect();
        let since = number_key(generation.0).to_vec();
        txn.put(GARBAGE, dead.iter().map(|key| (&key[..], since.clone())))?;
        let gone: Vec<_> = commit.collected.iter().map(|id| number_key(id.0)).collect();
        txn.remove(GARBAGE, gone.iter().map(|key| &key[..]))?;

        let key = number_key(generation.0);
        txn.put(HEADS, [(&key[..], head_bytes.clone())].into_iter())?;
        txn.keep_last(HEADS, KEPT_HEADS)?;
        txn.commit()?;
        Ok(Committed {
            generation,
            dropped,
            head_bytes,
        })
    }

    /// Makes the tables of a new catalog.
    pub(super) fn make_tables(&mut self) -> Result<()> {
        let mut txn = Transaction::begin(self)?;
        txn.run(|inner| {
            for table in ALL {
                inner.open_table(table)?;
            }
            Ok(())
        })?;
        let own = [
            (META_FORMAT.as_bytes(), FORMAT.to_le_bytes().to_vec()),
            (META_FILES.as_bytes(), 0_u64.to_le_bytes().to_vec()),
        ];
        txn.put(META, own.into_iter())?;
        txn.commit()
    }
}

fn dropped_segments(previous: Option<&Head>, head: &Head) -> Vec<SegmentId> {
    let stays = |id: SegmentId| head.segments.iter().any(|s| s.id == id);
    previous
        .iter()
        .flat_map(|p| &p.segments)
        .map(|s| s.id)
        .filter(|id| !stays(*id))
        .collect()
}

/// A write transaction whose every call is guarded. Dropped without a commit it is undone.
struct Transaction<'a> {
    catalog: &'a Catalog,
    /// `None` once it was committed, or given up after a panic.
    txn: Option<WriteTransaction>,
}

impl<'a> Transaction<'a> {
    fn begin(catalog: &'a Catalog) -> Result<Self> {
        let db = catalog.db()?;
        let outcome = guarded(|| {
            let mut txn = db.begin_write()?;
            // Costs a little at each commit and saves reading the whole file after a crash.
            txn.set_quick_repair(true);
            Ok(txn)
        });
        Ok(Self {
            catalog,
            txn: Some(catalog.settle(outcome)?),
        })
    }

    /// One guarded call. Any failure of the database makes the catalog unusable: what it did by then is unknown.
    fn run<T>(
        &mut self,
        call: impl FnOnce(&WriteTransaction) -> Result<T, redb::Error>,
    ) -> Result<T> {
        let Some(txn) = self.txn.as_ref() else {
            return Err(given_up(self.catalog.path()));
        };
        let outcome = guarded(|| call(txn));
        match &outcome {
            Ok(Ok(_)) => {}
            Ok(Err(_)) => self.catalog.set_broken(),
            Err(_) => {
                // In pieces after a panic; taking it apart could panic again.
                std::mem::forget(self.txn.take());
            }
        }
        self.catalog.settle(outcome)
    }

    /// Stores rows; how many of their keys are new.
    fn put<'k>(
        &mut self,
        table: Table,
        rows: impl Iterator<Item = (&'k [u8], Vec<u8>)>,
    ) -> Result<u64> {
        self.run(|txn| {
            let mut table = txn.open_table(table)?;
            let mut new = 0;
            for (key, body) in rows {
                let value = seal(key, body);
                let before = table.insert(key, value.as_slice())?;
                new += u64::from(before.is_none());
            }
            Ok(new)
        })
    }

    /// Removes rows; how many were there.
    fn remove<'k>(&mut self, table: Table, keys: impl Iterator<Item = &'k [u8]>) -> Result<u64> {
        self.run(|txn| {
            let mut table = txn.open_table(table)?;
            let mut gone = 0;
            for key in keys {
                gone += u64::from(table.remove(key)?.is_some());
            }
            Ok(gone)
        })
    }

    fn clear(&mut self, table: Table) -> Result<()> {
        self.run(|txn| {
            txn.delete_table(table)?;
            txn.open_table(table)?;
            Ok(())
        })
    }

    /// Removes all rows of a table but the last `count`.
    fn keep_last(&mut self, table: Table, count: u64) -> Result<()> {
        self.run(|txn| {
            let mut table = txn.open_table(table)?;
            let mut keys = Vec::new();
            for row in table.range::<&[u8]>(..)? {
                keys.push(row?.0.value().to_vec());
            }
            let surplus = keys
                .len()
                .saturating_sub(usize::try_from(count).unwrap_or(usize::MAX));
            for key in keys.iter().take(surplus) {
                table.remove(key.as_slice())?;
            }
            Ok(())
        })
    }

    fn commit(mut self) -> Result<()> {
        let Some(txn) = self.txn.take() else {
            return Err(given_up(self.catalog.path()));
        };
        let outcome = guarded(|| txn.commit().map_err(redb::Error::from));
        if !matches!(outcome, Ok(Ok(()))) {
            self.catalog.set_broken();
        }
        self.catalog.settle(outcome)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        let txn = self.txn.take();
        if guarded(|| drop(txn)).is_err() {
            self.catalog.set_broken();
        }
    }
}

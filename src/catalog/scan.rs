//! All file rows in order.
//!
//! Where it sits: change detection walks the rows beside the sorted list of files on disk. Invariants: rows come in order
//! of their keys, each checked; a scan that ends without an error has given every row there is, which is known because
//! their number is stored apart from them.

use std::collections::VecDeque;
use std::ops::Bound;

use redb::{Range, ReadableDatabase};

use crate::catalog::guard::guarded;
use crate::catalog::open::Catalog;
use crate::catalog::rows::{FileRow, unseal};
use crate::catalog::tables::{FILES, damaged};
use crate::error::Result;

/// Rows fetched at a time.
const BATCH: usize = 256;

type RawRow = (Vec<u8>, Vec<u8>);

/// The rows of a [`Catalog::files`] call.
#[derive(Debug)]
pub struct FileRows<'a> {
    catalog: &'a Catalog,
    range: Cursor,
    fetched: VecDeque<RawRow>,
    last: Option<Vec<u8>>,
    seen: u64,
    /// How many there must be; unknown for a scan that begins in the middle.
    expected: Option<u64>,
    done: bool,
}

/// The database's own iterator; taken apart inside the guard, or not at all.
struct Cursor(Option<Range<'static, &'static [u8], &'static [u8]>>);

impl Catalog {
    /// The rows of all indexed files in order of their keys, or of those from the key `from` on.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`](crate::error::ErrorKind::Corrupt) for a damaged catalog,
    /// [`ErrorKind::Io`](crate::error::ErrorKind::Io) when the file system fails; either may also come from the iterator,
    /// which then ends.
    pub fn files(&self, from: Option<&str>) -> Result<FileRows<'_>> {
        let expected = match from {
            None => Some(self.file_count()?),
            Some(_) => None,
        };
        let db = self.db()?;
        let start = from.map_or(Bound::Unbounded, |key| Bound::Included(key.as_bytes()));
        let outcome = guarded(|| {
            let table = db.begin_read()?.open_table(FILES)?;
            Ok(table.range::<&[u8]>((start, Bound::Unbounded))?)
        });
        Ok(FileRows {
            catalog: self,
            range: Cursor(Some(self.settle(outcome)?)),
            fetched: VecDeque::new(),
            last: None,
            seen: 0,
            expected,
            done: false,
        })
    }
}

impl FileRows<'_> {
    fn fetch(&mut self) -> Result<()> {
        let Some(range) = self.range.0.as_mut() else {
            return Ok(());
        };
        let outcome = guarded(|| {
            let mut batch = VecDeque::with_capacity(BATCH);
            for row in range.by_ref().take(BATCH) {
                let (key, value) = row?;
                batch.push_back((key.value().to_vec(), value.value().to_vec()));
            }
            Ok(batch)
        });
        if outcome.is_err() {
            std::mem::forget(self.range.0.take()); // in pieces after a panic
        }
        self.fetched = self.catalog.settle(outcome)?;
        Ok(())
    }

    fn row(&mut self) -> Result<Option<(String, FileRow)>> {
        if self.fetched.is_empty() {
            self.fetch()?;
        }
        let Some((key, value)) = self.fetched.pop_front() else {
            return match self.expected {
                Some(count) if count != self.seen => Err(damaged(self.catalog.path())
                    .caused_by("it has another number of files than it says")),
                _ => Ok(None),
            };
        };
        if self.last.as_ref().is_some_and(|last| *last >= key) {
            return Err(damaged(self.catalog.path()).caused_by("its files are out of order"));
        }
        let body = unseal(&key, &value).map_err(|e| e.at(self.catalog.path()))?;
        let row = FileRow::decode(body).ok_or_else(|| self.catalog.bad_row())?;
        let name = String::from_utf8(key.clone()).map_err(|_| self.catalog.bad_row())?;
        self.last = Some(key);
        self.seen += 1;
        Ok(Some((name, row)))
    }
}

impl Iterator for FileRows<'_> {
    type Item = Result<(String, FileRow)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let row = self.row().transpose();
        self.done = !matches!(row, Some(Ok(_)));
        row
    }
}

impl std::iter::FusedIterator for FileRows<'_> {}

impl Drop for Cursor {
    fn drop(&mut self) {
        let range = self.0.take();
        let _ = guarded(|| drop(range));
    }
}

impl std::fmt::Debug for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cursor")
    }
}

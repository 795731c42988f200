//! The writer: collects changed units and commits them.
//!
//! Where it sits: the door of the write side; [`crate::Store::writer`] opens it. It owns the lock, the catalog and the
//! changes that are not yet committed. Invariants: there is one writer at a time in all processes; what was not committed
//! is lost with the writer and leaves no trace; after a failed commit the writer refuses to go on, since a failed sync
//! says nothing about what reached the disk.

use std::collections::{BTreeMap, BTreeSet};
#[cfg(feature = "indexing")]
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::catalog::{Catalog, FileRow, FileStat};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, Generation, SegmentId};
use crate::index::policy::{self, Merge};
use crate::index::recover;
use crate::model::label::{Context, Labels, Language, NodeKind, Reason, Relation};
use crate::model::unit::Unit;
use crate::snapshot::Snapshot;
#[cfg(feature = "indexing")]
use crate::snapshot::history::{self, History};
use crate::snapshot::open::{SEGMENT_FOLDER, segment_path};
use crate::storage::fs::Fs;
use crate::storage::head::Head;
use crate::storage::lock::WriterLock;

/// How a writer is opened.
#[derive(Clone, Copy, Debug)]
pub struct WriterOptions {
    /// How long to wait for another writer to end.
    pub wait: Duration,
    /// Start anew when what is there is damaged, instead of failing.
    pub replace_damaged: bool,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            wait: Duration::ZERO,
            replace_damaged: false,
        }
    }
}

/// What is known of a file beside its content; lets a later run skip files that cannot have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStamp {
    /// What the file system said when the file was read; all zero means "look at the content".
    pub stat: FileStat,
    /// When it was read, in nanoseconds since 1970.
    pub seen_ns: i64,
    /// Fingerprint of the unit's edges.
    pub links: u64,
}

/// What a commit did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitInfo {
    /// Number of the commit.
    pub generation: u64,
    /// Units stored.
    pub stored: usize,
    /// Units removed.
    pub removed: usize,
    /// Whether segments were folded or the base was written anew.
    pub merged: bool,
}

/// The one writer of an index.
pub struct Writer {
    pub(super) fs: Arc<dyn Fs>,
    pub(super) dir: PathBuf,
    pub(super) catalog: Catalog,
    pub(super) head: Head,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) puts: BTreeMap<String, (Unit, FileStamp)>,
    pub(super) removes: BTreeSet<String>,
    pub(super) properties: BTreeMap<String, String>,
    pub(super) labels: Labels,
    pub(super) restamps: BTreeMap<String, FileRow>,
    pub(super) poisoned: bool,
    replaced_damage: bool,
    // Dropped last: the lock outlives everything that it protects.
    _lock: WriterLock,
}

impl Writer {
    /// Opens the index in `dir` for writing, creating it when missing, and repairs what a killed writer left behind.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] while another writer is at work, [`ErrorKind::Corrupt`] and [`ErrorKind::Format`] for an
    /// index that cannot be read (unless the options say to replace it), [`ErrorKind::Io`] for what the system refuses.
    pub(crate) fn open(fs: Arc<dyn Fs>, dir: &Path, options: WriterOptions) -> Result<Self> {
        fs.create_dir_all(&dir.join(SEGMENT_FOLDER))?;
        let lock =
            WriterLock::acquire_within(
                &*fs,
                dir,
                options.wait,
                &mut |_| ControlFlow::Continue(()),
            )?;
        let mut replaced_damage = false;
        let recovered = match recover::recover(&fs, dir) {
            Err(e) if options.replace_damaged && is_damage(&e) => {
                replaced_damage = true;
                recover::clear(&*fs, dir)?;
                recover::recover(&fs, dir)?
            }
            other => other?,
        };
        let head = recovered.head;
        Ok(Self {
            properties: head.properties.iter().cloned().collect(),
            labels: head.labels.clone(),
            snapshot: Arc::new(recovered.snapshot),
            catalog: recovered.catalog,
            fs,
            dir: dir.to_path_buf(),
            head,
            puts: BTreeMap::new(),
            removes: BTreeSet::new(),
            restamps: BTreeMap::new(),
            poisoned: false,
            replaced_damage,
            _lock: lock,
        })
    }

    /// The last commit.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot)
    }

    /// Stores a unit with the next commit, in place of the one with the same key.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for an empty key or one with `::` in it.
    pub fn put(&mut self, unit: Unit) -> Result<()> {
        self.put_stamped(unit, FileStamp::default())
    }

    /// [`Self::put`] for a file whose stamp is known.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub fn put_stamped(&mut self, unit: Unit, stamp: FileStamp) -> Result<()> {
        check_key(unit.key())?;
        self.removes.remove(unit.key());
        self.puts.insert(unit.key().to_string(), (unit, stamp));
        Ok(())
    }

    /// Records what is known of a file whose unit stays as it is.
    #[cfg(feature = "indexing")]
    pub(crate) fn restamp(&mut self, key: &str, row: FileRow) {
        self.restamps.insert(key.to_string(), row);
    }

    /// The git commit up to which past commits are recorded.
    #[cfg(feature = "indexing")]
    pub(crate) fn history_head(&self) -> Option<String> {
        let path = history::path(&self.dir);
        let bytes = self.fs.read(&path, history::MAX_LEN).ok()?;
        History::decode(bytes).ok().map(|h| h.head().to_string())
    }

    /// Replaces the record of past commits at once; `None` removes it.
    #[cfg(feature = "indexing")]
    pub(crate) fn set_history(&self, bytes: Option<&[u8]>) -> Result<()> {
        let path = history::path(&self.dir);
        let Some(bytes) = bytes else {
            return match self.fs.exists(&path)? {
                true => self.fs.unlink(&path),
                false => Ok(()),
            };
        };
        let tmp = path.with_extension("tmp");
        if self.fs.exists(&tmp)? {
            self.fs.unlink(&tmp)?;
        }
        let mut file = self.fs.create_new(&tmp)?;
        file.write_all(bytes)
            .and_then(|()| file.flush())
            .map_err(|e| crate::storage::fs::io_error("write", &tmp, e))?;
        file.sync_data()?;
        drop(file);
        self.fs.rename(&tmp, &path)
    }

    /// Whether opening found damage and started anew, as the options asked.
    pub fn replaced_damage(&self) -> bool {
        self.replaced_damage
    }

    /// Removes the unit with that key with the next commit. A key that is not there is no error.
    pub fn remove(&mut self, key: &str) {
        self.puts.remove(key);
        self.removes.insert(key.to_string());
    }

    /// Sets a property of the index (free text, shown to readers) with the next commit.
    pub fn set_property(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.properties.insert(name.into(), value.into());
    }

    /// The kind of that name, registered if it is new.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when the store already has 128 of its own.
    pub fn kind(&mut self, name: &str) -> Result<NodeKind> {
        NodeKind::intern(name, &mut self.labels)
    }

    /// The relation of that name, registered if it is new.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when the store already has 128 of its own.
    pub fn relation(&mut self, name: &str) -> Result<Relation> {
        Relation::intern(name, &mut self.labels)
    }

    /// The edge context of that name, registered if it is new.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when the store already has 128 of its own.
    pub fn context(&mut self, name: &str) -> Result<Context> {
        Context::intern(name, &mut self.labels)
    }

    /// The reason of that name, registered if it is new.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when the store already has 128 of its own.
    pub fn reason(&mut self, name: &str) -> Result<Reason> {
        Reason::intern(name, &mut self.labels)
    }

    /// The language of that name, registered if it is new.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when the store already has 128 of its own.
    pub fn language(&mut self, name: &str) -> Result<Language> {
        Language::intern(name, &mut self.labels)
    }

    /// The rows that earlier commits stored about files, in order of key.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for a damaged catalog.
    pub fn file_rows(&self) -> Result<Vec<(String, FileRow)>> {
        self.catalog.files(None)?.collect()
    }

    /// Whether nothing has been put, removed or set since the last commit.
    pub fn is_clean(&self) -> bool {
        let kept = self
            .head
            .properties
            .iter()
            .map(|(name, value)| (name, value));
        let same = kept.eq(self.properties.iter()) && self.labels == self.head.labels;
        let idle = self.puts.is_empty() && self.removes.is_empty() && self.restamps.is_empty();
        idle && same
    }

    /// Makes everything since the last commit durable and visible, in one step. Does nothing when there is nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] for what the system refuses (a full disk …): the last commit then still stands, and this writer
    /// refuses further work.
    pub fn commit(&mut self) -> Result<CommitInfo> {
        self.guard()?;
        if self.is_clean() {
            return Ok(CommitInfo {
                generation: self.head.generation.0,
                ..CommitInfo::default()
            });
        }
        let result = self.commit_changes();
        self.poisoned = result.is_err();
        result
    }

    fn commit_changes(&mut self) -> Result<CommitInfo> {
        let puts = std::mem::take(&mut self.puts);
        let removes = std::mem::take(&mut self.removes);
        let (stored, removed) = (puts.len(), removes.len());
        if self.snapshot.segment_count() == 0 {
            self.write_base(&mut puts.into_values().map(Ok))?;
        } else {
            self.write_delta(puts, removes)?;
        }
        let mut merged = false;
        while let Some(merge) = policy::plan(&self.head.segments, &self.snapshot.dead_counts()) {
            merged = true;
            let full = merge == Merge::Full;
            self.write_merge(merge)?;
            if full {
                break;
            }
        }
        Ok(CommitInfo {
            generation: self.head.generation.0,
            stored,
            removed,
            merged,
        })
    }

    /// Replaces the whole index by these units, which must come in ascending order of key, each once.
    ///
    /// The units are taken one at a time, so that an index larger than memory can be built.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for units out of order, the first error that the iterator yields, and as [`Self::commit`].
    pub fn rebuild<I>(&mut self, units: I) -> Result<CommitInfo>
    where
        I: IntoIterator<Item = Result<(Unit, FileStamp)>>,
    {
        self.guard()?;
        self.puts.clear();
        self.removes.clear();
        self.restamps.clear();
        let result = self.write_base(&mut units.into_iter());
        self.poisoned = result.is_err();
        let stored = result?;
        Ok(CommitInfo {
            generation: self.head.generation.0,
            stored,
            removed: 0,
            merged: true,
        })
    }

    /// Folds everything into one base segment. Symbol ids change; keys do not.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn compact(&mut self) -> Result<CommitInfo> {
        self.guard()?;
        if self.head.segments.is_empty() {
            return Ok(CommitInfo {
                generation: self.head.generation.0,
                ..CommitInfo::default()
            });
        }
        let result = self.write_merge(Merge::Full);
        self.poisoned = result.is_err();
        result?;
        Ok(CommitInfo {
            generation: self.head.generation.0,
            merged: true,
            ..CommitInfo::default()
        })
    }

    pub(super) fn next_generation(&self) -> Generation {
        Generation(self.head.generation.0 + 1)
    }

    pub(super) fn next_epoch(&self) -> Epoch {
        Epoch(self.head.epoch.0.wrapping_add(1))
    }

    /// A segment number whose file does not exist, also where an old file could not be removed.
    pub(super) fn take_segment_id(&mut self) -> Result<SegmentId> {
        loop {
            let id = SegmentId(self.head.next_segment);
            self.head.next_segment += 1;
            if !self.fs.exists(&segment_path(&self.dir, id))? {
                return Ok(id);
            }
        }
    }

    fn guard(&self) -> Result<()> {
        if self.poisoned {
            return Err(
                Error::new(ErrorKind::Io, "an earlier write of this index failed")
                    .at(&self.dir)
                    .remedy("open the index again; the last commit is intact"),
            );
        }
        Ok(())
    }
}

fn check_key(key: &str) -> Result<()> {
    if key.is_empty() || key.contains("::") || key.starts_with('?') {
        let message = format!("`{key}` cannot be the key of a unit");
        let remedy =
            "a key is any text that is not empty, has no `::` in it and no `?` at its start";
        return Err(Error::new(ErrorKind::Invalid, message).remedy(remedy));
    }
    Ok(())
}

/// Whether starting anew is a remedy for this error.
fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Format)
}

//! From a source tree to commits: the whole write side in one call.
//!
//! Where it sits: the top of the write side; the command line's `index` calls [`index_tree`]. The steps: walk the tree,
//! compare it with what is known, read and parse what changed, link, store what differs. Invariants: the result depends
//! on the tree alone, never on the number of threads or on what was indexed before (incremental equals full); one bad
//! file never ends a run; paths in the index are relative to the root.

mod extraction;
mod past;
mod relink;
mod report;
mod settings;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;

use self::extraction::Extracted;
use self::past::Past;
use self::relink::Linked;
pub use self::report::{IndexReport, SkippedFile};
use self::settings::Settings;
use crate::catalog::{FileRow, FileStat};
use crate::error::{Error, ErrorKind, Result};
use crate::extract::EXTRACTOR_VERSION;
use crate::index::{FileStamp, Writer, WriterOptions};
use crate::model::progress::{Cancel, Progress, Stage};
use crate::model::unit::FileFlags;
use crate::source::change::{self, Changes, DiskHasher, KnownFile};
use crate::source::stat::Stat;
use crate::source::walk::{self, WalkOptions, Walked};
use crate::store::Store;

/// How a tree is indexed.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// What the walk takes and leaves.
    pub walk: WalkOptions,
    /// Read every file again, whatever is known.
    pub full: bool,
    /// Threads; `None` takes one for each processor.
    pub jobs: Option<usize>,
    /// How long to wait for another run to end.
    pub wait: Duration,
    /// Record what past commits said, where git knows any.
    pub history: bool,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            walk: WalkOptions::default(),
            full: false,
            jobs: None,
            wait: Duration::from_secs(60),
            history: true,
        }
    }
}

/// Makes the index of the tree at `root` in `store`, or brings it up to date.
///
/// A damaged index is replaced by a new one, and the report says so.
///
/// # Errors
/// [`ErrorKind::Locked`] while another run is at work for longer than the options allow, [`ErrorKind::Interrupted`] once
/// `cancel` was requested, [`ErrorKind::Invalid`] for a root that is no folder or a bad pattern, [`ErrorKind::Io`] for
/// what the system refuses. The last commit is intact after each of them.
pub fn index_tree(
    root: &Path,
    store: &Store,
    options: &IndexOptions,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<IndexReport> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.unwrap_or(0))
        .build()
        .map_err(|e| Error::new(ErrorKind::Io, "could not start threads").caused_by(e))?;
    pool.install(|| {
        Run {
            root,
            store,
            options,
            progress,
            cancel,
        }
        .go()
    })
}

struct Run<'a> {
    root: &'a Path,
    store: &'a Store,
    options: &'a IndexOptions,
    progress: &'a dyn Progress,
    cancel: &'a Cancel,
}

impl Run<'_> {
    fn go(&self) -> Result<IndexReport> {
        let writer_options = WriterOptions {
            wait: self.options.wait,
            replace_damaged: true,
        };
        let mut writer = self.store.writer_with(writer_options)?;
        let mut walk_options = self.options.walk.clone();
        walk_options
            .skip_paths
            .push(output_folder(self.store.path()));
        // The log is read by a process of its own while the files are.
        let known = writer.history_head();
        let past = self.options.history.then(|| Past::begin(self.root, known));
        let walked = walk::walk(self.root, &walk_options, self.progress, self.cancel)?;
        let settings = Settings::read(&walked);
        let rows = writer.file_rows()?;
        let full = self.options.full || settings.extractor_changed(&writer.snapshot());
        let changes = self.compare(&walked, &rows, full);
        let relink = settings.modules_changed(&writer.snapshot());
        let mut report = IndexReport::new(&walked, &changes, writer.replaced_damage());
        if changes.is_empty() && !relink && writer.snapshot().generation().0 > 0 {
            self.note_stamps(&mut writer, &walked, &changes, &rows)?;
            settings.store(&mut writer, &report);
            report.finish(&writer.commit()?, &writer.snapshot());
            Past::store(past, &writer)?;
            return Ok(report);
        }
        let extracted = self.extract(&walked, &changes)?;
        report.note_extracted(&extracted);
        let linked = self.link(&writer, &walked, &changes, extracted, &settings)?;
        report.note_linked(&linked);
        settings.store(&mut writer, &report);
        self.progress.begin(Stage::Write, Some(linked.len() as u64));
        let commit = self.write(&mut writer, linked, &walked, &changes, &rows, full);
        self.progress.end();
        report.finish(&commit?, &writer.snapshot());
        Past::store(past, &writer)?;
        Ok(report)
    }

    fn compare(&self, walked: &Walked, rows: &[(String, FileRow)], full: bool) -> Changes {
        let known = rows.iter().map(|(key, row)| {
            let stat = Stat {
                size: row.stat.size,
                mtime_ns: row.stat.mtime_ns,
                ctime_ns: row.stat.ctime_ns,
                inode: row.stat.inode,
            };
            let stale = full || row.flags & FileFlags::LINKS_STALE != 0;
            let file = KnownFile {
                stat,
                seen_ns: row.seen_ns,
                content_hash: row.content_hash,
                stale,
            };
            (key.clone(), file)
        });
        self.progress.begin(Stage::Compare, None);
        let hasher = DiskHasher {
            max_file_size: self.options.walk.max_file_size,
        };
        let changes = change::compare(&walked.files, known, &hasher);
        self.progress.end();
        changes
    }

    /// Reads and parses the files that are new or different, in parallel, in order of key.
    fn extract(&self, walked: &Walked, changes: &Changes) -> Result<Vec<Extracted>> {
        let mut places: Vec<usize> = changes
            .added
            .iter()
            .chain(&changes.changed)
            .copied()
            .collect();
        places.sort_unstable();
        self.progress
            .begin(Stage::Extract, Some(places.len() as u64));
        let limit = self.options.walk.max_file_size;
        let extracted = places
            .into_par_iter()
            .filter_map(|at| walked.files.get(at))
            .map(|candidate| {
                self.cancel.check()?;
                let extracted = extraction::extract(candidate, limit);
                self.progress.advance(1);
                Ok(extracted)
            })
            .collect::<Result<Vec<_>>>();
        self.progress.end();
        extracted
    }

    /// Joins the new units with the stored ones and links them all.
    fn link(
        &self,
        writer: &Writer,
        walked: &Walked,
        changes: &Changes,
        extracted: Vec<Extracted>,
        settings: &Settings,
    ) -> Result<Linked> {
        let snapshot = writer.snapshot();
        let kept: Vec<usize> = changes
            .unchanged
            .iter()
            .chain(&changes.refreshed)
            .copied()
            .collect();
        self.progress.begin(Stage::Link, None);
        let stored = kept
            .into_par_iter()
            .filter_map(|at| walked.files.get(at))
            .map(|candidate| {
                self.cancel.check()?;
                let unit = snapshot
                    .file(&candidate.key)
                    .map(|f| f.unit())
                    .transpose()?
                    .flatten();
                // A unit that cannot be read back is read from its source again.
                Ok(unit.map_or_else(
                    || extraction::extract(candidate, self.options.walk.max_file_size),
                    Extracted::stored,
                ))
            })
            .collect::<Result<Vec<_>>>()?;
        self.cancel.check()?;
        let linked = Linked::new(extracted, stored, settings.project(walked));
        self.progress.end();
        self.cancel.check()?;
        Ok(linked)
    }

    fn write(
        &self,
        writer: &mut Writer,
        linked: Linked,
        walked: &Walked,
        changes: &Changes,
        rows: &[(String, FileRow)],
        full: bool,
    ) -> Result<crate::index::CommitInfo> {
        if full || writer.snapshot().segment_count() == 0 {
            return writer.rebuild(linked.into_units().map(|unit| {
                self.cancel.check()?;
                self.progress.advance(1);
                Ok(unit)
            }));
        }
        let before = writer.snapshot();
        let gone = linked
            .skipped_keys()
            .chain(changes.removed.iter().map(String::as_str));
        for key in gone.filter(|key| before.file(key).is_some()) {
            writer.remove(key);
        }
        self.note_stamps(writer, walked, changes, rows)?;
        for (unit, stamp) in linked.into_changed(&before, rows)? {
            self.cancel.check()?;
            writer.put_stamped(unit, stamp)?;
            self.progress.advance(1);
        }
        writer.commit()
    }

    /// Records the new stamps of files whose content stayed the same, so that the next run need not read them.
    fn note_stamps(
        &self,
        writer: &mut Writer,
        walked: &Walked,
        changes: &Changes,
        rows: &[(String, FileRow)],
    ) -> Result<()> {
        for candidate in changes
            .refreshed
            .iter()
            .filter_map(|at| walked.files.get(*at))
        {
            let Ok(at) = rows.binary_search_by(|(key, _)| key.as_str().cmp(&candidate.key)) else {
                continue;
            };
            let Some((_, row)) = rows.get(at) else {
                continue;
            };
            let stat = file_stat(&candidate.stat);
            writer.restamp(
                &candidate.key,
                FileRow {
                    stat,
                    seen_ns: walked.started_ns,
                    ..*row
                },
            );
        }
        Ok(())
    }
}

/// The folder that must not be indexed: the one named like an output folder around the store, else the store itself.
fn output_folder(store: &Path) -> PathBuf {
    let parent = store
        .parent()
        .filter(|p| p.file_name().is_some_and(|n| n == "graphify-out"));
    parent.unwrap_or(store).to_path_buf()
}

fn file_stat(stat: &Stat) -> FileStat {
    FileStat {
        size: stat.size,
        mtime_ns: stat.mtime_ns,
        ctime_ns: stat.ctime_ns,
        inode: stat.inode,
    }
}

fn stamp(stat: &Stat, seen_ns: i64) -> FileStamp {
    FileStamp {
        stat: file_stat(stat),
        seen_ns,
        links: 0,
    }
}

/// Version of all extractors, as it is stored with an index.
fn extractor_version() -> String {
    EXTRACTOR_VERSION.to_string()
}

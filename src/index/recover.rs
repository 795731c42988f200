//! Bringing an index back to its last commit.
//!
//! Where it sits: the first thing a writer does, under the lock. A killed writer may leave a segment that no commit names,
//! a HEAD older than the catalog, or garbage; a lost or damaged catalog is made anew from HEAD and the segments, which
//! hold all of it but the file system's stamps. Invariants: what HEAD names stays; a file in the segment folder that the
//! last commit does not name is nobody's; nothing is deleted on the strength of a damaged record.

use std::path::Path;
use std::sync::Arc;

use crate::catalog::{self, Catalog, FileRow, FileStat, Recovery};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, Generation};
use crate::snapshot::Snapshot;
use crate::snapshot::open::SEGMENT_FOLDER;
use crate::storage::fs::Fs;
use crate::storage::head::{self, Head};

/// An index as a writer takes it over.
pub(super) struct Recovered {
    pub(super) catalog: Catalog,
    pub(super) head: Head,
    pub(super) snapshot: Snapshot,
}

/// Opens the catalog, makes HEAD agree with it, opens the last commit, sweeps what no commit names.
pub(super) fn recover(fs: &Arc<dyn Fs>, dir: &Path) -> Result<Recovered> {
    let path = dir.join(catalog::FILE_NAME);
    let catalog = match Catalog::open(&**fs, &path) {
        Ok(catalog) => catalog,
        Err(e) if e.kind() == ErrorKind::Corrupt => rebuild_catalog(fs, dir, &path)?,
        Err(e) => return Err(e),
    };
    let found = match catalog.recover(&**fs, dir) {
        Err(e) if e.kind() == ErrorKind::Corrupt => {
            drop(catalog);
            return recover_without_catalog(fs, dir, &path);
        }
        other => other?,
    };
    let head = match found {
        Recovery::Empty => empty_head(),
        Recovery::Current(head) | Recovery::Republished(head) => head,
        Recovery::CatalogLost(_) => {
            drop(catalog);
            return recover_without_catalog(fs, dir, &path);
        }
    };
    finish(fs, dir, catalog, head)
}

fn recover_without_catalog(fs: &Arc<dyn Fs>, dir: &Path, path: &Path) -> Result<Recovered> {
    let catalog = rebuild_catalog(fs, dir, path)?;
    let head = head::read(&**fs, dir)?;
    finish(fs, dir, catalog, head)
}

fn finish(fs: &Arc<dyn Fs>, dir: &Path, catalog: Catalog, head: Head) -> Result<Recovered> {
    let snapshot = Snapshot::from_head(&**fs, dir, head.clone(), &[]).map_err(lost_segment)?;
    sweep_orphans(&**fs, dir, &head, &catalog)?;
    Ok(Recovered {
        catalog,
        head,
        snapshot,
    })
}

/// A segment that HEAD names and the disk does not have is damage, not an absent index.
fn lost_segment(error: Error) -> Error {
    if error.io_kind() == Some(std::io::ErrorKind::NotFound) {
        let path = error.path().map(Path::to_path_buf).unwrap_or_default();
        return Error::corrupt("a segment of the index is missing").at(path);
    }
    error
}

/// The catalog anew from HEAD and the segments. The stamps are lost, so that the next look reads every file.
fn rebuild_catalog(fs: &Arc<dyn Fs>, dir: &Path, path: &Path) -> Result<Catalog> {
    let head = head::read(&**fs, dir)?;
    let snapshot = Snapshot::from_head(&**fs, dir, head.clone(), &[]).map_err(lost_segment)?;
    let rows = snapshot.files().map(|file| {
        let meta = file.meta();
        let stat = FileStat {
            size: meta.size,
            ..FileStat::default()
        };
        let row = FileRow {
            stat,
            seen_ns: 0,
            content_hash: meta.content_hash,
            links: 0,
            flags: meta.flags,
        };
        Ok((file.key().to_string(), row))
    });
    Catalog::rebuild(&**fs, path, Some(&head), rows)
}

/// Removes files of the segment folder that neither the last commit nor the garbage list names.
fn sweep_orphans(fs: &dyn Fs, dir: &Path, head: &Head, catalog: &Catalog) -> Result<()> {
    let folder = dir.join(SEGMENT_FOLDER);
    let garbage = catalog.garbage()?;
    for name in fs.list_dir(&folder)? {
        let Some(id) = segment_id(&name.to_string_lossy()) else {
            continue;
        };
        let named = head.segments.iter().any(|s| s.id.0 == id);
        let listed = garbage.iter().any(|(g, _)| g.0 == id);
        if !named && !listed {
            // An orphan that cannot be removed now costs space, nothing else.
            let _ = fs.unlink(&folder.join(&name));
        }
    }
    Ok(())
}

/// The number in the name of a segment file; `None` for files of any other name: they are not ours to remove.
fn segment_id(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".gseg")?;
    let own = digits.len() == 16
        && digits
            .bytes()
            .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    u64::from_str_radix(digits, 16).ok().filter(|_| own)
}

/// Removes everything that belongs to an index but its lock, so that a new one can be made in its place.
pub(super) fn clear(fs: &dyn Fs, dir: &Path) -> Result<()> {
    for name in [head::FILE_NAME, catalog::FILE_NAME] {
        let path = dir.join(name);
        if fs.exists(&path)? {
            fs.unlink(&path)?;
        }
    }
    fs.sync_dir(dir)?;
    let folder = dir.join(SEGMENT_FOLDER);
    for name in fs.list_dir(&folder)? {
        if segment_id(&name.to_string_lossy()).is_some() {
            let _ = fs.unlink(&folder.join(&name));
        }
    }
    Ok(())
}

fn empty_head() -> Head {
    Head {
        generation: Generation(0),
        epoch: Epoch(0),
        ..Head::default()
    }
}

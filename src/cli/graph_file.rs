//! `--graph FILE`: a graph.json asked like an index.
//!
//! The file is imported once into a store beside it, which later questions use as long as the content is the same:
//!
//! ```text
//! graph.json
//! graph.json.graphify/
//!      ├─ .gitignore            keeps the folder out of version control
//!      ├─ stamp                 size, time and hash of the file when it was last looked at
//!      └─ <hash>-<version>/     an output folder with the store
//! ```
//!
//! Invariants: a store under its final name is complete (it is made under another name and renamed); an answer is about the
//! content that the file has when the question is asked; where nothing can be written beside the file, the store is made in
//! a temporary folder of the process's own and goes away with it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use graphify::Store;
use graphify::error::{Error, ErrorKind, Result};
use graphify::index::WriterOptions;
use graphify::interchange::graph_import;
use xxhash_rust::xxh3::Xxh3;

use crate::cli::import;
use crate::cli::locate::Place;
use crate::cli::output;

/// Grows when an import makes another store of the same file.
const VERSION: u32 = 1;
/// What a file's time may lag behind: a change within this long after a look could leave the time as it was.
const TICK: Duration = Duration::from_secs(2);

/// The temporary folder of this process, to be removed at its end.
static TEMPORARY: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The store of a graph.json, made now if there is none for its present content.
///
/// # Errors
/// [`ErrorKind::Io`] where the file cannot be read, [`ErrorKind::Format`] for one that is no graph.
pub(crate) fn place(file: &Path, quiet: bool) -> Result<Place> {
    let path = std::fs::canonicalize(file).map_err(|e| {
        Error::io("read", file, e).remedy("name a graph.json that exists after --graph")
    })?;
    if path.is_dir() {
        return Err(Error::new(ErrorKind::Format, "this is a folder, not a graph.json").at(path));
    }
    let root = path.parent().unwrap_or(&path).to_path_buf();
    let mut beside = path.clone().into_os_string();
    beside.push(".graphify");
    let beside = PathBuf::from(beside);
    let stamp = Stamp::of(&path)?;
    let known = Stamp::read(&beside).filter(|known| known.vouches_for(&stamp));
    let hash = match known {
        Some(known) => known.hash,
        None => hash(&path)?,
    };
    let name = format!("{hash:032x}-{VERSION}");
    let out = beside.join(&name);
    let here = |out: PathBuf| Place {
        root: root.clone(),
        out,
        graph: Some(file.to_path_buf()),
    };
    if out.join("index").join("HEAD").is_file() {
        if known.is_none() {
            Stamp { hash, ..stamp }.write(&beside);
        }
        return Ok(here(out));
    }
    if prepare(&beside).is_err() {
        let out = temporary()?;
        build(&path, &out, quiet)?;
        if !quiet {
            output::say(
                "note: nothing can be written beside the graph; it is read anew for each question",
            );
        }
        return Ok(here(out));
    }
    let half = beside.join(format!(".{name}.{}", std::process::id()));
    let built = build(&path, &half, quiet).and_then(|()| {
        match std::fs::rename(&half, &out) {
            Ok(()) => Ok(()),
            // Another process was faster: its store is as good.
            Err(_) if out.join("index").join("HEAD").is_file() => Ok(()),
            Err(e) => Err(Error::io("create", &out, e)),
        }
    });
    // After the rename there is nothing of that name.
    let _ = std::fs::remove_dir_all(&half);
    built?;
    Stamp { hash, ..stamp }.write(&beside);
    remove_others(&beside, &name);
    Ok(here(out))
}

/// Removes the temporary store, if this process made one.
pub(crate) fn clean_up() {
    let folder = TEMPORARY.lock().ok().and_then(|mut slot| slot.take());
    if let Some(folder) = folder {
        let _ = std::fs::remove_dir_all(folder);
    }
}

fn build(path: &Path, out: &Path, quiet: bool) -> Result<()> {
    let store = Store::at(out.join("index"));
    let mut writer = store.writer_with(WriterOptions::default())?;
    let imported = graph_import::import(path, &mut writer)?;
    if !quiet {
        for warning in &imported.warnings {
            output::say(&format!("note: {}", import::describe(warning)));
        }
    }
    Ok(())
}

fn prepare(beside: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(beside)?;
    std::fs::write(beside.join(".gitignore"), "*\n")
}

/// A folder that nobody else can have made before us.
fn temporary() -> Result<PathBuf> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |d| d.subsec_nanos());
    let folder = std::env::temp_dir().join(format!("graphify-{}-{nanos}", std::process::id()));
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(&folder)
        .map_err(|e| Error::io("create a temporary folder", &folder, e))?;
    if let Ok(mut slot) = TEMPORARY.lock() {
        *slot = Some(folder.clone());
    }
    Ok(folder)
}

/// Removes the stores of earlier contents.
fn remove_others(beside: &Path, name: &str) {
    let ours = |other: &str| {
        let digits = other.split('-').next().unwrap_or_default();
        digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let Ok(entries) = std::fs::read_dir(beside) else {
        return;
    };
    for entry in entries.flatten() {
        let other = entry.file_name().to_string_lossy().into_owned();
        if other != name && ours(&other) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// XXH3-128 of the file.
fn hash(path: &Path) -> Result<u128> {
    let failed = |e| Error::io("read", path, e);
    let mut file = File::open(path).map_err(failed)?;
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut buffer).map_err(failed)?;
        match buffer.get(..count) {
            Some(part) if count > 0 => hasher.update(part),
            _ => return Ok(hasher.digest128()),
        }
    }
}

/// What was known of the file when it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: u128,
    hash: u128,
    /// When that was.
    looked: u128,
}

impl Stamp {
    fn of(path: &Path) -> Result<Self> {
        let meta = std::fs::metadata(path).map_err(|e| Error::io("read", path, e))?;
        let nanos = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        Ok(Self {
            size: meta.len(),
            modified: meta.modified().map(nanos).unwrap_or_default(),
            hash: 0,
            looked: nanos(SystemTime::now()),
        })
    }

    fn read(beside: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(beside.join("stamp")).ok()?;
        let mut words = text.split_whitespace();
        let size = words.next()?.parse().ok()?;
        let modified = words.next()?.parse().ok()?;
        let hash = u128::from_str_radix(words.next()?, 16).ok()?;
        let looked = words.next()?.parse().ok()?;
        Some(Self {
            size,
            modified,
            hash,
            looked,
        })
    }

    /// Whether the file must still have the content that it had then.
    fn vouches_for(&self, now: &Self) -> bool {
        let same = self.size == now.size && self.modified == now.modified;
        same && self.modified > 0 && self.modified + TICK.as_nanos() < self.looked
    }

    fn write(&self, beside: &Path) {
        let text = format!(
            "{} {} {:032x} {}\n",
            self.size, self.modified, self.hash, self.looked
        );
        // Without it the next question reads the file once more.
        let _ = std::fs::write(beside.join("stamp"), text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_shortly_after_a_change_vouches_for_nothing() {
        let stamp = |size, modified, looked| Stamp {
            size,
            modified,
            hash: 7,
            looked,
        };
        let second = 1_000_000_000;
        let old = stamp(5, second, 9 * second);
        assert!(old.vouches_for(&stamp(5, second, 99 * second)));
        assert!(!old.vouches_for(&stamp(6, second, 99 * second)));
        assert!(!old.vouches_for(&stamp(5, 2 * second, 99 * second)));
        assert!(!stamp(5, 8 * second, 9 * second).vouches_for(&stamp(5, 8 * second, 99 * second)));
    }
}

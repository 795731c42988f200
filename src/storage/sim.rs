//! A disk in memory that can lose power, for tests and fuzz targets.
//!
//! Where it sits: stands in for [`RealFs`](super::RealFs) behind [`Fs`]. It keeps what was synced apart from what was only
//! written, counts every operation that changes something (a *step*), and fails or goes dark at a chosen one. After that,
//! [`SimFs::crash`] gives the disk as the next start might find it.
//!
//! The model, on the strict side of what real disks do:
//! - contents survive when their file was synced after the write; without that, a prefix, a torn last write, or any
//!   subset of the writes may have reached the disk ([`Survival`]);
//! - names (created, renamed, removed) survive when their directory was synced; without that, a prefix of the changes of
//!   each directory may have. A synced file whose name was not synced is gone;
//! - directories themselves are durable as soon as they are made.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::storage::fs::{Fs, LockGuard, RandomFile, WriteFile, io_error};
use crate::storage::mmap::Bytes;
use crate::storage::real::{check_len, too_large};

mod disk;
#[cfg(test)]
mod tests;

use disk::{DataChange, NameChange, Random, State, parent};

/// How much a [`WriteFile`] gathers before it takes a step.
const WRITE_BUFFER: usize = 64 * 1024;

/// What happens at a chosen step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The step fails and changes nothing; what comes after works.
    Fail(io::ErrorKind),
    /// The step and every later one fail.
    FailFrom(io::ErrorKind),
    /// The power goes: a write that was under way counts as unsynced, and nothing works any more, reading included.
    PowerLoss,
}

/// Which unsynced changes a crash leaves on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survival {
    /// None.
    Nothing,
    /// All of them.
    Everything,
    /// For each file and each directory the first few, and part of the next write. The seed decides.
    Prefix(u64),
    /// As `Prefix` for names; of the writes to a file any subset, some of them torn. The seed decides.
    Scattered(u64),
}

/// The simulated disk. Clones share it.
#[derive(Clone, Default)]
pub struct SimFs {
    state: Arc<Mutex<State>>,
}

impl SimFs {
    /// An empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many steps were taken so far, failed ones included.
    pub fn steps(&self) -> u64 {
        self.lock_state().steps
    }

    /// Lets `fault` happen at the step with that number, counted from 0 over the life of this disk. Replaces an earlier
    /// order.
    pub fn inject(&self, step: u64, fault: Fault) {
        self.lock_state().fault = Some((step, fault));
    }

    /// Takes back what [`SimFs::inject`] ordered, if it has not happened yet.
    pub fn clear_fault(&self) {
        self.lock_state().fault = None;
    }

    /// Whether the power is gone.
    pub fn is_dark(&self) -> bool {
        self.lock_state().dark
    }

    /// The disk as the next start finds it: everything synced, and of the rest what `survival` says. Locks are free,
    /// steps count from 0, no fault is ordered. This disk stays as it is.
    pub fn crash(&self, survival: Survival) -> Self {
        let old = self.lock_state().clone();
        let mut random = Random(match survival {
            Survival::Prefix(seed) | Survival::Scattered(seed) => seed,
            Survival::Nothing | Survival::Everything => 0,
        });
        let mut new = State {
            dirs: old.dirs.clone(),
            ..State::default()
        };
        for (path, inode) in old.names_after_crash(survival, &mut random) {
            let contents = old
                .inodes
                .get(inode)
                .map(|file| file.after_crash(survival, &mut random))
                .unwrap_or_default();
            new.plant(path, contents);
        }
        Self {
            state: Arc::new(Mutex::new(new)),
        }
    }

    /// What a file holds now, or `None` when there is no such file. Takes no step and works in the dark.
    pub fn contents(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.lock_state();
        let inode = state.names.get(path)?;
        Some(state.inodes.get(*inode)?.now.clone())
    }

    /// Puts a file there with these contents, durable at once, replacing what was there. Takes no step.
    pub fn plant(&self, path: &Path, contents: Vec<u8>) {
        self.lock_state().plant(path.to_path_buf(), contents);
    }

    /// All files, in order of their paths.
    pub fn files(&self) -> Vec<PathBuf> {
        self.lock_state().names.keys().cloned().collect()
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for SimFs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.lock_state();
        f.debug_struct("SimFs")
            .field("files", &state.names.len())
            .field("steps", &state.steps)
            .finish_non_exhaustive()
    }
}

impl Fs for SimFs {
    fn create_new(&self, path: &Path) -> Result<Box<dyn WriteFile>> {
        let create = || {
            let mut state = self.lock_state();
            state.step()?;
            if state.names.contains_key(path) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            state.create(path)
        };
        Ok(Box::new(SimWriteFile {
            inode: create().map_err(|e| io_error("create", path, e))?,
            disk: self.clone(),
            path: path.to_path_buf(),
            buffer: Vec::new(),
        }))
    }

    fn read(&self, path: &Path, max: u64) -> Result<Vec<u8>> {
        let state = self.lock_state();
        let file = state
            .power()
            .and_then(|()| state.inode(state.find(path)?))
            .map_err(|e| io_error("read", path, e))?;
        if file.now.len() as u64 > max {
            return Err(too_large(path, max));
        }
        Ok(file.now.clone())
    }

    fn len(&self, path: &Path) -> Result<u64> {
        let state = self.lock_state();
        let file = state
            .power()
            .and_then(|()| state.inode(state.find(path)?))
            .map_err(|e| io_error("examine", path, e))?;
        Ok(file.now.len() as u64)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        let state = self.lock_state();
        state.power().map_err(|e| io_error("examine", path, e))?;
        Ok(state.names.contains_key(path) || state.is_dir(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let rename = || {
            let mut state = self.lock_state();
            state.step()?;
            let inode = state.find(from)?;
            let change = NameChange {
                dir: parent(to),
                removed: Some(from.to_path_buf()),
                added: Some((to.to_path_buf(), inode)),
            };
            if change.dir != parent(from) {
                return Err(io::Error::other("renames stay in their directory here"));
            }
            change.apply(&mut state.names);
            state.pending_names.push(change);
            Ok(())
        };
        rename().map_err(|e| io_error("replace", to, e))
    }

    fn unlink(&self, path: &Path) -> Result<()> {
        let unlink = || {
            let mut state = self.lock_state();
            state.step()?;
            state.find(path)?;
            let change = NameChange {
                dir: parent(path),
                removed: Some(path.to_path_buf()),
                added: None,
            };
            change.apply(&mut state.names);
            state.pending_names.push(change);
            Ok(())
        };
        unlink().map_err(|e| io_error("remove", path, e))
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        let sync = || {
            let mut state = self.lock_state();
            state.step()?;
            if !state.is_dir(dir) {
                return Err(io::ErrorKind::NotFound.into());
            }
            let changes = std::mem::take(&mut state.pending_names);
            let (here, elsewhere): (Vec<_>, Vec<_>) =
                changes.into_iter().partition(|c| c.dir == dir);
            here.iter().for_each(|c| c.apply(&mut state.durable_names));
            state.pending_names = elsewhere;
            Ok(())
        };
        sync().map_err(|e| io_error("make durable", dir, e))
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        let create = || {
            let mut state = self.lock_state();
            state.step()?;
            for above in dir.ancestors() {
                if state.names.contains_key(above) {
                    return Err(io::ErrorKind::NotADirectory.into());
                }
                state.dirs.insert(above.to_path_buf());
            }
            Ok(())
        };
        create().map_err(|e| io_error("create the folder", dir, e))
    }

    fn list_dir(&self, dir: &Path) -> Result<Vec<OsString>> {
        let state = self.lock_state();
        let failed = |e| io_error("list", dir, e);
        state.power().map_err(failed)?;
        if !state.is_dir(dir) {
            return Err(failed(io::ErrorKind::NotFound.into()));
        }
        let mut names: Vec<_> = state
            .names
            .keys()
            .chain(&state.dirs)
            .filter(|path| path.parent() == Some(dir))
            .filter_map(|path| path.file_name())
            .map(OsString::from)
            .collect();
        names.sort();
        Ok(names)
    }

    fn map(&self, path: &Path, expected_len: Option<u64>) -> Result<Bytes> {
        let state = self.lock_state();
        let file = state
            .power()
            .and_then(|()| state.inode(state.find(path)?))
            .map_err(|e| io_error("open", path, e))?;
        check_len(path, expected_len, file.now.len() as u64)?;
        Ok(Bytes::copy_from(&file.now))
    }

    fn lock(&self, path: &Path) -> Result<Option<Box<dyn LockGuard>>> {
        let mut state = self.lock_state();
        let failed = |e| io_error("lock", path, e);
        state.power().map_err(failed)?;
        if !state.locks.insert(path.to_path_buf()) {
            return Ok(None);
        }
        Ok(Some(Box::new(SimLock {
            disk: self.clone(),
            path: path.to_path_buf(),
        })))
    }

    fn open_random(&self, path: &Path) -> Result<Box<dyn RandomFile>> {
        let open = || {
            let mut state = self.lock_state();
            state.power()?;
            match state.find(path) {
                Ok(inode) => Ok(inode),
                Err(_) => {
                    state.step()?;
                    state.create(path)
                }
            }
        };
        Ok(Box::new(SimRandomFile {
            inode: open().map_err(|e| io_error("open", path, e))?,
            disk: self.clone(),
        }))
    }
}

#[derive(Debug)]
struct SimWriteFile {
    disk: SimFs,
    inode: usize,
    path: PathBuf,
    buffer: Vec<u8>,
}

impl Write for SimWriteFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= WRITE_BUFFER {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut state = self.disk.lock_state();
        let offset = state.inode(self.inode)?.now.len() as u64;
        let bytes = std::mem::take(&mut self.buffer);
        state.change(self.inode, DataChange::Write { offset, bytes })
    }
}

impl WriteFile for SimWriteFile {
    fn sync_data(&mut self) -> Result<()> {
        self.flush().map_err(|e| io_error("write", &self.path, e))?;
        let mut state = self.disk.lock_state();
        state
            .sync(self.inode)
            .map_err(|e| io_error("make durable", &self.path, e))
    }

    fn seal(&mut self) -> Result<()> {
        self.flush().map_err(|e| io_error("write", &self.path, e))?;
        let mut state = self.disk.lock_state();
        let mut seal = || {
            state.step()?;
            state.inode_mut(self.inode)?.read_only = true;
            Ok(())
        };
        seal().map_err(|e| io_error("make read-only", &self.path, e))
    }
}

impl Drop for SimWriteFile {
    fn drop(&mut self) {
        let _ = self.flush(); // as a real buffer does: best effort, errors unheard
    }
}

#[derive(Debug)]
struct SimRandomFile {
    disk: SimFs,
    inode: usize,
}

impl RandomFile for SimRandomFile {
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.disk.lock_state();
        state.power()?;
        let end_of_file = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let start = usize::try_from(offset).map_err(|_| end_of_file())?;
        let end = start.checked_add(out.len()).ok_or_else(end_of_file)?;
        let file = state.inode(self.inode)?;
        out.copy_from_slice(file.now.get(start..end).ok_or_else(end_of_file)?);
        Ok(())
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.disk.lock_state();
        let bytes = data.to_vec();
        state.change(self.inode, DataChange::Write { offset, bytes })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.disk.lock_state();
        state.change(self.inode, DataChange::SetLen(len))
    }

    fn len(&self) -> io::Result<u64> {
        let state = self.disk.lock_state();
        state.power()?;
        Ok(state.inode(self.inode)?.now.len() as u64)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.lock_state().sync(self.inode)
    }
}

#[derive(Debug)]
struct SimLock {
    disk: SimFs,
    path: PathBuf,
}

impl LockGuard for SimLock {
    fn set_note(&mut self, note: &str) -> Result<()> {
        self.disk.plant(&self.path, note.as_bytes().to_vec());
        Ok(())
    }
}

impl Drop for SimLock {
    fn drop(&mut self) {
        self.disk.lock_state().locks.remove(&self.path);
    }
}

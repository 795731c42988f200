//! The real disk behind [`Fs`].
//!
//! Where it sits: the only place of the engine that calls the operating system for files. Invariants: an error carries
//! the path and the remedy of [`io_error`]; a failed sync is reported once and never tried again here.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::storage::fs::{Fs, LockGuard, RandomFile, WriteFile, io_error};
use crate::storage::mmap::Bytes;

/// How much is gathered before the system is called.
const WRITE_BUFFER: usize = 256 * 1024;

/// Whether write-once files are mapped or read to the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Map, and read only where the system refuses to map.
    #[default]
    Map,
    /// Always read to the heap: for network disks, where a file may change or vanish under a mapping.
    Read,
}

/// The file system of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFs {
    access: Access,
}

impl RealFs {
    /// The file system, with the given way to reach write-once files.
    pub fn new(access: Access) -> Self {
        Self { access }
    }
}

impl Fs for RealFs {
    fn create_new(&self, path: &Path) -> Result<Box<dyn WriteFile>> {
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|e| io_error("create", path, e))?;
        Ok(Box::new(RealWriteFile {
            out: BufWriter::with_capacity(WRITE_BUFFER, file),
            path: path.to_path_buf(),
        }))
    }

    fn read(&self, path: &Path, max: u64) -> Result<Vec<u8>> {
        let failed = |e| io_error("read", path, e);
        let file = File::open(path).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        let mut bytes = Vec::with_capacity(usize::try_from(len.min(max)).unwrap_or_default());
        // One byte more than allowed tells a file that fits from one that grew since its length was asked.
        file.take(max.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() as u64 > max {
            return Err(too_large(path, max));
        }
        Ok(bytes)
    }

    fn len(&self, path: &Path) -> Result<u64> {
        let meta = fs::metadata(path).map_err(|e| io_error("examine", path, e))?;
        Ok(meta.len())
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        path.try_exists().map_err(|e| io_error("examine", path, e))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        patiently(|| fs::rename(from, to)).map_err(|e| io_error("replace", to, e))
    }

    fn unlink(&self, path: &Path) -> Result<()> {
        unlink(path).map_err(|e| io_error("remove", path, e))
    }

    #[cfg(unix)]
    fn sync_dir(&self, dir: &Path) -> Result<()> {
        let result = File::open(dir).and_then(|d| d.sync_all());
        match result {
            // Some file systems know no sync of a directory; there is nothing better to ask of them.
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
                ) =>
            {
                Ok(())
            }
            other => other.map_err(|e| io_error("make durable", dir, e)),
        }
    }

    #[cfg(not(unix))]
    fn sync_dir(&self, _dir: &Path) -> Result<()> {
        Ok(()) // Directories cannot be synced here; the file system's own journal orders names.
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        fs::create_dir_all(dir).map_err(|e| io_error("create the folder", dir, e))
    }

    fn list_dir(&self, dir: &Path) -> Result<Vec<OsString>> {
        let failed = |e| io_error("list", dir, e);
        let mut names = Vec::new();
        for entry in fs::read_dir(dir).map_err(failed)? {
            names.push(entry.map_err(failed)?.file_name());
        }
        names.sort();
        Ok(names)
    }

    fn map(&self, path: &Path, expected_len: Option<u64>) -> Result<Bytes> {
        let failed = |e| io_error("open", path, e);
        let mut file = File::open(path).map_err(failed)?;
        let meta = file.metadata().map_err(failed)?;
        if !meta.is_file() {
            return Err(Error::corrupt("not a file").at(path));
        }
        check_len(path, expected_len, meta.len())?;
        if self.access == Access::Map
            && let Ok(mapped) = Bytes::map_write_once(&file)
        {
            return Ok(mapped);
        }
        Bytes::read_from(&mut file, meta.len()).map_err(|e| io_error("read", path, e))
    }

    fn lock(&self, path: &Path) -> Result<Option<Box<dyn LockGuard>>> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false) // the note in it is the holder's, and that may not be us
            .open(path)
            .map_err(|e| io_error("open the lock", path, e))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(RealLock {
                file,
                path: path.to_path_buf(),
            }))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(io_error("lock", path, e)),
        }
    }

    fn open_random(&self, path: &Path) -> Result<Box<dyn RandomFile>> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|e| io_error("open", path, e))?;
        Ok(Box::new(RealRandomFile { file }))
    }
}

/// The error for a file that passes the bound of whoever reads it.
pub(in crate::storage) fn too_large(path: &Path, max: u64) -> Error {
    Error::new(
        ErrorKind::Limit,
        format!("the file is larger than the {max} bytes that are allowed here"),
    )
    .at(path)
}

/// Compares a file's length with the one that was recorded for it.
pub(in crate::storage) fn check_len(path: &Path, expected: Option<u64>, len: u64) -> Result<()> {
    match expected {
        Some(want) if want != len => Err(Error::corrupt(format!(
            "the file should hold {want} bytes but holds {len}"
        ))
        .at(path)),
        _ => Ok(()),
    }
}

#[derive(Debug)]
struct RealWriteFile {
    out: BufWriter<File>,
    path: PathBuf,
}

impl Write for RealWriteFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl WriteFile for RealWriteFile {
    fn sync_data(&mut self) -> Result<()> {
        self.out
            .flush()
            .map_err(|e| io_error("write", &self.path, e))?;
        self.out
            .get_ref()
            .sync_data()
            .map_err(|e| io_error("make durable", &self.path, e))
    }

    fn seal(&mut self) -> Result<()> {
        self.out
            .flush()
            .map_err(|e| io_error("write", &self.path, e))?;
        set_read_only(self.out.get_ref()).map_err(|e| io_error("make read-only", &self.path, e))
    }
}

#[cfg(unix)]
fn set_read_only(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata()?.permissions().mode();
    // Readable for whoever the process's mask lets read, writable for nobody.
    file.set_permissions(fs::Permissions::from_mode(mode & 0o444))
}

#[cfg(not(unix))]
fn set_read_only(file: &File) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(true);
    file.set_permissions(permissions)
}

#[cfg(not(windows))]
fn unlink(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// A read-only file cannot be removed here, so its mark goes first.
#[cfg(windows)]
fn unlink(path: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    if permissions.readonly() {
        #[expect(
            clippy::permissions_set_readonly_false,
            reason = "means just that on this system"
        )]
        permissions.set_readonly(false);
        fs::set_permissions(path, permissions)?;
    }
    patiently(|| fs::remove_file(path))
}

#[cfg(not(windows))]
fn patiently(mut act: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    act()
}

/// Repeats what fails because a virus scanner or a reader has the file open for a moment.
#[cfg(windows)]
fn patiently(mut act: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    const BUSY: [i32; 4] = [5, 32, 33, 1224]; // access denied, sharing, lock, mapped section
    let mut pause = std::time::Duration::from_millis(1);
    for _ in 0..7 {
        match act() {
            Err(e) if e.raw_os_error().is_some_and(|code| BUSY.contains(&code)) => {}
            done => return done,
        }
        std::thread::sleep(pause);
        pause *= 2;
    }
    act()
}

#[derive(Debug)]
struct RealLock {
    file: File,
    path: PathBuf,
}

impl LockGuard for RealLock {
    fn set_note(&mut self, note: &str) -> Result<()> {
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(note.as_bytes())
        };
        write(&mut self.file).map_err(|e| io_error("write", &self.path, e))
    }
}

#[derive(Debug)]
struct RealRandomFile {
    file: File,
}

impl RandomFile for RealRandomFile {
    #[cfg(unix)]
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, mut offset: u64, mut out: &mut [u8]) -> io::Result<()> {
        use std::os::windows::fs::FileExt;
        while !out.is_empty() {
            let n = self.file.seek_read(out, offset)?;
            if n == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            out = out.get_mut(n..).unwrap_or_default();
            offset += n as u64;
        }
        Ok(())
    }

    #[cfg(unix)]
    fn write_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, data, offset)
    }

    #[cfg(windows)]
    fn write_at(&self, mut offset: u64, mut data: &[u8]) -> io::Result<()> {
        use std::os::windows::fs::FileExt;
        while !data.is_empty() {
            let n = self.file.seek_write(data, offset)?;
            if n == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            data = data.get(n..).unwrap_or_default();
            offset += n as u64;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

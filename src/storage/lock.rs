//! The writer's lock: at most one process changes an index.
//!
//! Where it sits: `index` takes it before it opens the catalog and holds it to its end; readers never look at it.
//! Invariants: the operating system owns the lock and ends it with the process, so a lock can never be stale; the file is
//! never removed, or two writers could lock two files of the same name; the text in it is a note for people.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::error::{Error, ErrorKind, Result};
use crate::storage::fs::{Fs, LockGuard};

/// Name of the file in the folder of an index.
pub const FILE_NAME: &str = "LOCK";

/// A note is a line; whatever is longer is not ours.
const MAX_NOTE: u64 = 256;

/// The right to change the index of one folder, until it is dropped.
#[derive(Debug)]
pub struct WriterLock {
    _guard: Box<dyn LockGuard>,
    path: PathBuf,
}

/// Who holds the lock, as far as the note in it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// The holder's process id.
    pub pid: Option<u32>,
    /// When it took the lock, in UTC.
    pub since: Option<String>,
}

/// What [`WriterLock::acquire_within`] tells while it waits.
#[derive(Clone, Debug)]
pub struct Wait {
    /// Who is waited for.
    pub holder: Holder,
    /// How long so far.
    pub waited: Duration,
}

impl WriterLock {
    /// Takes the lock of the index in `dir` if it is free.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] naming the holder when it is not, or a failure of the file system.
    pub fn try_acquire(fs: &dyn Fs, dir: &Path) -> Result<Self> {
        match Self::attempt(fs, dir)? {
            Some(lock) => Ok(lock),
            None => Err(taken(&holder(fs, dir), &dir.join(FILE_NAME))),
        }
    }

    /// Takes the lock of the index in `dir`, waiting up to `timeout` for it. `on_wait` is called before each pause and may
    /// end the wait.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] naming the holder when the time is up, [`ErrorKind::Interrupted`] when `on_wait` breaks off,
    /// or a failure of the file system.
    pub fn acquire_within(
        fs: &dyn Fs,
        dir: &Path,
        timeout: Duration,
        on_wait: &mut dyn FnMut(&Wait) -> ControlFlow<()>,
    ) -> Result<Self> {
        let start = Instant::now();
        let mut pause = Duration::from_millis(2);
        loop {
            if let Some(lock) = Self::attempt(fs, dir)? {
                return Ok(lock);
            }
            let holder = holder(fs, dir);
            let waited = start.elapsed();
            let Some(left) = timeout.checked_sub(waited).filter(|left| !left.is_zero()) else {
                return Err(taken(&holder, &dir.join(FILE_NAME)));
            };
            if on_wait(&Wait { holder, waited }).is_break() {
                return Err(Error::new(
                    ErrorKind::Interrupted,
                    "stopped while waiting for another writer",
                ));
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn attempt(fs: &dyn Fs, dir: &Path) -> Result<Option<Self>> {
        let path = dir.join(FILE_NAME);
        let Some(mut guard) = fs.lock(&path)? else {
            return Ok(None);
        };
        // The lock is held, note or no note: a full disk must not keep a writer from making room.
        let _ = guard.set_note(&note(std::process::id(), SystemTime::now()));
        Ok(Some(Self {
            _guard: guard,
            path,
        }))
    }
}

/// Who holds the lock of the index in `dir`, or held it last. Empty when the note cannot be read.
pub fn holder(fs: &dyn Fs, dir: &Path) -> Holder {
    let bytes = fs.read(&dir.join(FILE_NAME), MAX_NOTE).unwrap_or_default();
    Holder::parse(&String::from_utf8_lossy(&bytes))
}

impl Holder {
    /// Reads `pid N since TIME`, believing only what looks like a number and a time.
    fn parse(note: &str) -> Self {
        let mut words = note.split_whitespace();
        let mut holder = Self::default();
        while let (Some(name), Some(value)) = (words.next(), words.next()) {
            match name {
                "pid" => holder.pid = value.parse().ok(),
                "since" if is_time(value) => holder.since = Some(value.to_string()),
                _ => {}
            }
        }
        holder
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.pid, &self.since) {
            (Some(pid), Some(since)) => write!(f, "process {pid}, since {since}"),
            (Some(pid), None) => write!(f, "process {pid}"),
            (None, _) => f.write_str("another process"),
        }
    }
}

fn is_time(text: &str) -> bool {
    text.len() == 20
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || b"-:TZ".contains(&b))
}

fn taken(holder: &Holder, path: &Path) -> Error {
    Error::new(
        ErrorKind::Locked,
        format!("the index is being written by another run ({holder})"),
    )
    .at(path)
    .remedy("wait for it to end, or end it; nothing needs to be deleted")
}

fn note(pid: u32, now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    format!("pid {pid} since {}\n", utc(seconds))
}

/// Seconds since 1970 as `YYYY-MM-DDTHH:MM:SSZ`.
fn utc(seconds: u64) -> String {
    let (mut days, in_day) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970_u64;
    loop {
        let len = if is_leap(year) { 366 } else { 365 };
        if days < len || year > 9998 {
            break;
        }
        days -= len;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for len in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < len {
            break;
        }
        days -= len;
        month += 1;
    }
    let (hour, minute, second) = (in_day / 3600, in_day / 60 % 60, in_day % 60);
    format!(
        "{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z",
        days.min(30) + 1
    )
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;
    use crate::storage::RealFs;
    use crate::storage::sim::SimFs;

    fn excludes(fs: &dyn Fs, dir: &Path) {
        let first = WriterLock::try_acquire(fs, dir).unwrap();
        let refused = WriterLock::try_acquire(fs, dir).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Locked);
        assert_eq!(refused.path(), Some(first.path()));
        if !cfg!(windows) {
            // There a locked file cannot be read by others, so the message names nobody.
            let pid = std::process::id().to_string();
            assert!(refused.to_string().contains(&pid), "{refused}");
        }
        drop(first);
        WriterLock::try_acquire(fs, dir).unwrap();
    }

    #[test]
    fn a_second_writer_is_refused_and_told_who_is_first() {
        let dir = tempfile::tempdir().unwrap();
        excludes(&RealFs::default(), dir.path());
        let sim = SimFs::new();
        sim.create_dir_all(Path::new("/i")).unwrap();
        excludes(&sim, Path::new("/i"));
    }

    #[test]
    fn threads_never_hold_it_together() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let dir = tempfile::tempdir().unwrap();
        let inside = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let lock = WriterLock::acquire_within(
                            &RealFs::default(),
                            dir.path(),
                            Duration::from_secs(60),
                            &mut |_| ControlFlow::Continue(()),
                        )
                        .unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
    }

    #[test]
    fn waiting_can_be_broken_off_and_ends_with_the_time() {
        let sim = SimFs::new();
        let dir = Path::new("/");
        let _held = WriterLock::try_acquire(&sim, dir).unwrap();
        let mut asked = 0;
        let stopped = WriterLock::acquire_within(&sim, dir, Duration::from_secs(60), &mut |wait| {
            asked += 1;
            assert_eq!(wait.holder.pid, Some(std::process::id()));
            ControlFlow::Break(())
        });
        assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Interrupted);
        assert_eq!(asked, 1);
        let late = WriterLock::acquire_within(&sim, dir, Duration::ZERO, &mut |_| {
            ControlFlow::Continue(())
        });
        assert_eq!(late.unwrap_err().kind(), ErrorKind::Locked);
    }

    #[test]
    fn the_lock_comes_to_who_waits() {
        let sim = SimFs::new();
        let dir = Path::new("/");
        let mut held = Some(WriterLock::try_acquire(&sim, dir).unwrap());
        WriterLock::acquire_within(&sim, dir, Duration::from_secs(60), &mut |_| {
            held.take();
            ControlFlow::Continue(())
        })
        .unwrap();
    }

    /// Run by the test below in a process of its own: tries the lock and says by its exit code what came of it.
    #[test]
    fn try_lock_for_another_process() {
        let Some(dir) = std::env::var_os("GRAPHIFY_TEST_LOCK_DIR") else {
            return;
        };
        let got = WriterLock::try_acquire(&RealFs::default(), Path::new(&dir));
        let code = match got {
            Ok(_) => 30,
            Err(e) if e.kind() == ErrorKind::Locked => 31,
            Err(_) => 32,
        };
        std::process::exit(code);
    }

    #[test]
    fn another_process_is_refused_until_the_first_lets_go() {
        let dir = tempfile::tempdir().unwrap();
        let other = || {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "storage::lock::tests::try_lock_for_another_process",
                ])
                .env("GRAPHIFY_TEST_LOCK_DIR", dir.path())
                .output()
                .unwrap()
                .status
                .code()
        };
        let lock = WriterLock::try_acquire(&RealFs::default(), dir.path()).unwrap();
        assert_eq!(other(), Some(31));
        drop(lock);
        assert_eq!(other(), Some(30));
        // That process has ended with the lock in its hands: it is free again.
        WriterLock::try_acquire(&RealFs::default(), dir.path()).unwrap();
    }

    #[test]
    fn a_note_from_anywhere_is_read_with_care() {
        let odd = Holder::parse("pid \u{1b}[31m since now pid 99999999999");
        assert_eq!(odd, Holder::default());
        assert_eq!(odd.to_string(), "another process");
        let ours = Holder::parse(&note(42, UNIX_EPOCH + Duration::from_secs(951_827_696)));
        assert_eq!(ours.to_string(), "process 42, since 2000-02-29T12:34:56Z");
    }

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(utc(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(utc(4_102_444_800), "2100-01-01T00:00:00Z");
        assert!(is_time(&utc(u64::MAX)));
    }
}

//! What past commits said, and about which files: evidence for questions in words that no source holds.
//!
//! Where it sits: asked once a run by `index`; runs `git log`, which reads every kind of repository. Where there is no git,
//! no repository, or no commit, there is no history. Invariants: at most [`MAX_COMMITS`] commits, none with more than
//! [`MAX_FILES`] files; nothing that a repository's configuration names is run, nothing is fetched; depends on the commit
//! that is checked out alone.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::model::path;

/// Most commits, the newest ones.
pub const MAX_COMMITS: usize = 5000;
/// A commit that touches more files says little about each.
pub const MAX_FILES: usize = 30;
/// Most bytes of the log that are read.
const MAX_BYTES: u64 = 64 << 20;
/// Longest message that is kept, in bytes.
const MAX_MESSAGE: usize = 600;

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastCommit {
    /// Its subject and the first line of its body.
    pub message: String,
    /// Encoded paths of the files that it touched, below the root of the tree.
    pub files: Vec<String>,
}

/// The commit that is checked out around `root`; `None` where there is none.
#[must_use]
pub fn head(root: &Path) -> Option<String> {
    // No process is started for trees that are in no repository.
    let whole = std::fs::canonicalize(root).ok()?;
    whole.ancestors().find(|f| f.join(".git").exists())?;
    let mut out = String::new();
    let run = git(root, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
    run.take(200).read_to_string(&mut out).ok()?;
    let id = out.trim();
    (!id.is_empty()).then(|| id.to_string())
}

/// The commits before and including `head`, newest first.
#[must_use]
pub fn commits(root: &Path, head: &str) -> Vec<PastCommit> {
    let count = MAX_COMMITS.to_string();
    let args = [
        "log",
        "-n",
        &count,
        "--no-merges",
        "--no-renames",
        "--no-show-signature",
        "--no-decorate",
        "--no-color",
        "--no-ext-diff",
        "--no-notes",
        "--relative",
        "--name-only",
        "-z",
        "--format=%x1e%s%x1f%b%x1f",
        head,
        "--",
    ];
    let mut bytes = Vec::new();
    if let Some(log) = git(root, &args)
        && log.take(MAX_BYTES).read_to_end(&mut bytes).is_err()
    {
        return Vec::new();
    }
    parse(&bytes)
}

/// The output of a git command that runs nothing of the repository's choosing.
fn git(root: &Path, args: &[&str]) -> Option<Output> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        .args(["--no-pager", "-c", "core.fsmonitor=false"])
        .args(args)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    for variable in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_EXTERNAL_DIFF",
    ] {
        command.env_remove(variable);
    }
    command.spawn().ok().map(Output)
}

/// A running command; it is ended with what reads it.
struct Output(std::process::Child);

impl Read for Output {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        match &mut self.0.stdout {
            Some(stdout) => stdout.read(out),
            None => Ok(0),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        drop(self.0.stdout.take());
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Takes a log apart: for each commit a mark, subject, mark, body, mark, then names that end in zero bytes.
fn parse(log: &[u8]) -> Vec<PastCommit> {
    let mut commits = Vec::new();
    for record in log.split(|b| *b == 0x1e).skip(1).take(MAX_COMMITS) {
        let mut fields = record.splitn(3, |b| *b == 0x1f);
        let (Some(subject), Some(body), Some(names)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let mut files: Vec<String> = names
            .split(|b| *b == 0)
            .map(|name| name.strip_prefix(b"\n").unwrap_or(name))
            .filter(|name| !name.is_empty())
            .take(MAX_FILES + 1)
            .map(key_of)
            .collect();
        if files.is_empty() || files.len() > MAX_FILES {
            continue;
        }
        files.sort_unstable();
        files.dedup();
        commits.push(PastCommit {
            message: message(subject, body),
            files,
        });
    }
    commits
}

fn message(subject: &[u8], body: &[u8]) -> String {
    let subject = String::from_utf8_lossy(subject);
    let body = String::from_utf8_lossy(body);
    // Who signed it is no part of what it says.
    let mut lines = body.lines().map(str::trim);
    let first = lines.find(|l| !l.is_empty() && !l.contains("-by:"));
    let mut message = format!("{} {}", subject.trim(), first.unwrap_or_default());
    if message.len() > MAX_MESSAGE {
        let mut end = MAX_MESSAGE;
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
    }
    message
}

#[cfg(unix)]
fn key_of(name: &[u8]) -> String {
    use std::os::unix::ffi::OsStrExt;
    path::encode(Path::new(std::ffi::OsStr::from_bytes(name)))
}

#[cfg(not(unix))]
fn key_of(name: &[u8]) -> String {
    path::encode(Path::new(&*String::from_utf8_lossy(name)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    #[test]
    fn a_log_falls_into_commits() {
        let log = b"\x1efix: a\x1f\nSigned-off-by: x\n\nbecause of b\x1f\0\nsrc/a.ts\0src/b.ts\0\x1eempty\x1f\x1f\x1ecut";
        let expected = PastCommit {
            message: "fix: a because of b".to_string(),
            files: vec!["src/a.ts".to_string(), "src/b.ts".to_string()],
        };
        assert_eq!(parse(log), [expected]);
        let many: String = (0..40).map(|i| format!("f{i}\0")).collect();
        assert!(parse(format!("\x1ex\x1f\x1f\0\n{many}").as_bytes()).is_empty());
        assert!(parse(b"").is_empty());
    }

    #[test]
    fn a_folder_without_repository_has_no_history() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(head(folder.path()), None);
        assert!(commits(folder.path(), "HEAD").is_empty());
    }
}

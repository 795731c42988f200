//! What git says was changed since a revision: files and lines.
//!
//! Where it sits: for commands that speak of a change set. The program `git` is asked, as only it knows all of its own
//! rules; nothing of the repository's configuration that could start other programs is obeyed. Invariant: a revision is
//! turned into a commit's number before it is used, so that no text of a caller can be taken for an option.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Error, ErrorKind, Result};
use crate::model::path::encode;

/// What was changed in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// The encoded path below the root.
    pub key: String,
    /// Lines as they are now, first and last; a deletion touches the line before it and the one behind it.
    pub lines: Vec<(u32, u32)>,
    /// Whether the file is new or gone.
    pub whole: bool,
}

/// Files below `root` that differ from revision `rev` in the work tree, those included that git does not know yet.
///
/// # Errors
/// [`ErrorKind::Invalid`] for a revision that is none or a folder without a repository, [`ErrorKind::Io`] where git cannot
/// be run.
pub fn changed_since(root: &Path, rev: &str) -> Result<Vec<FileDiff>> {
    let commit = commit_of(root, rev)?;
    let diff = run(
        root,
        &[
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-renames",
            "--unified=0",
            "--inter-hunk-context=0",
            "--relative",
            "--ignore-submodules",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            &commit,
            "--",
        ],
    )?;
    let mut files = parse(&diff);
    let unknown = run(
        root,
        &["ls-files", "--others", "--exclude-standard", "-z", "--"],
    )?;
    for name in unknown.split(|b| *b == 0).filter(|n| !n.is_empty()) {
        files.push(FileDiff {
            key: encode(&path_of(name)),
            lines: Vec::new(),
            whole: true,
        });
    }
    files.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(files)
}

fn commit_of(root: &Path, rev: &str) -> Result<String> {
    let shown: String = rev.chars().filter(|c| !c.is_control()).take(80).collect();
    let wrong = || {
        Error::new(
            ErrorKind::Invalid,
            format!("'{shown}' is no revision of the repository around"),
        )
        .at(root)
        .remedy(
            "name a commit, a branch or a tag that `git rev-parse` knows, in a tree that git keeps",
        )
    };
    if rev.is_empty() || rev.starts_with('-') {
        return Err(wrong());
    }
    let asked = format!("{rev}^{{commit}}");
    let out = run(root, &["rev-parse", "--verify", "--quiet", &asked]).map_err(|e| {
        if e.kind() == ErrorKind::Io && e.io_kind().is_some() {
            e
        } else {
            wrong()
        }
    })?;
    let text = String::from_utf8_lossy(&out).trim().to_string();
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    Ok(text)
}

fn run(root: &Path, args: &[&str]) -> Result<Vec<u8>> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        .args(["-c", "core.quotePath=false"])
        .args(["-c", "core.fsmonitor=false"])
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(args)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    let output = command.output().map_err(|e| {
        Error::io("run git in", root, e).remedy("install git, or name the symbols themselves")
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first: String = said
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(200)
            .collect();
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("git could not tell the changes: {first}"),
        )
        .at(root));
    }
    Ok(output.stdout)
}

/// Reads a unified diff without context lines.
fn parse(diff: &[u8]) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut old: Option<Vec<u8>> = None;
    // Lines of a hunk's body that are still to come: they may look like anything.
    let mut body = 0u64;
    for line in diff.split(|b| *b == b'\n') {
        if body > 0 && matches!(line.first(), Some(b'+' | b'-')) {
            body -= 1;
            continue;
        }
        if let Some(name) = line.strip_prefix(b"--- ") {
            old = path_in_header(name, b"a/");
        } else if let Some(name) = line.strip_prefix(b"+++ ") {
            let new = path_in_header(name, b"b/");
            let whole = old.is_none() || new.is_none();
            if let Some(path) = new.or(old.take()) {
                files.push(FileDiff {
                    key: encode(&path_of(&path)),
                    lines: Vec::new(),
                    whole,
                });
            }
        } else if let Some((removed, start, count)) = hunk(line) {
            body = removed + u64::from(count);
            if let Some(file) = files.last_mut() {
                file.lines.push(match count {
                    0 => (start.max(1), start.saturating_add(1)),
                    n => (start.max(1), start.saturating_add(n - 1)),
                });
            }
        }
    }
    files
}

/// The path in a `---` or `+++` line; `None` for the absent side.
fn path_in_header(name: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    let name = name.strip_suffix(b"\r").unwrap_or(name);
    let name = name.strip_suffix(b"\t").unwrap_or(name);
    if name == b"/dev/null" {
        return None;
    }
    let quoted = name.strip_prefix(b"\"").and_then(|n| n.strip_suffix(b"\""));
    let plain = quoted.map_or_else(|| name.to_vec(), unquote);
    Some(plain.strip_prefix(prefix).unwrap_or(&plain).to_vec())
}

/// Undoes the quoting of C strings that git uses for odd names.
fn unquote(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(b'a') => out.push(7),
            Some(b'b') => out.push(8),
            Some(b'v') => out.push(11),
            Some(b'f') => out.push(12),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(next) = bytes.next_if(|b| (b'0'..=b'7').contains(b)) else {
                        break;
                    };
                    value = value * 8 + u32::from(next - b'0');
                }
                out.push(value as u8);
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// `@@ -a,b +c,d @@`: b, c and d.
fn hunk(line: &[u8]) -> Option<(u64, u32, u32)> {
    let text = std::str::from_utf8(line.get(..line.len().min(80))?).unwrap_or_default();
    let mut words = text.strip_prefix("@@ ")?.split(' ');
    let range = |word: Option<&str>, mark: char| {
        let word = word?.strip_prefix(mark)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
    };
    let (_, removed) = range(words.next(), '-')?;
    let (start, count) = range(words.next(), '+')?;
    Some((u64::from(removed), start, count))
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_become_lines_of_the_new_file() {
        let diff = b"diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -3 +3,2 @@ f\n-old\n+++ new\n+x\n\
            @@ -9,2 +9,0 @@\n-y\n--- z\n@@ -1,0 +1 @@\n+first\ndiff --git a/b b/b\nnew file mode 100644\n--- /dev/null\n\
            +++ \"b/b\\303\\251 \\\"q\\\".ts\"\n@@ -0,0 +1 @@\n+n\n--- a/gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-n\n";
        let files = parse(diff);
        let keys: Vec<_> = files.iter().map(|f| (f.key.as_str(), f.whole)).collect();
        assert_eq!(
            keys,
            [
                ("src/a.ts", false),
                ("b\u{e9} \"q\".ts", true),
                ("gone.ts", true)
            ]
        );
        assert_eq!(files[0].lines, [(3, 4), (9, 10), (1, 1)]);
    }

    #[test]
    fn options_are_no_revisions() {
        for rev in ["", "--output=x", "-h"] {
            assert!(commit_of(Path::new("."), rev).is_err(), "{rev}");
        }
    }
}

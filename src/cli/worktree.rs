//! Which lines of the work tree differ from a revision: asked of the git program.
//!
//! Where it sits: beside the commands that rank what was changed lately. The processes are started before the index is
//! opened and read afterwards, so that both work at the same time. Invariants: no git, no repository, a revision that does
//! not exist and a failing command are silently no changes, unless the caller named the revision; nothing that the
//! repository configures is run (no external diff, no text conversion, no hooks); paths are keys of the index.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use graphify::context::Changed;
use graphify::error::{Error, ErrorKind, Result};
use graphify::model::path;

/// Most bytes of git's answer that are read.
const MAX_BYTES: u64 = 64 << 20;

/// Questions to git that are on their way.
pub(crate) struct Asked {
    /// A revision that the caller named.
    named: Option<String>,
    diff: Option<Child>,
    others: Option<Child>,
}

/// Starts asking what differs from `since`, or from the last commit.
pub(crate) fn ask(root: &Path, since: Option<&str>) -> Asked {
    let revision = since.unwrap_or("HEAD");
    let diff = [
        "diff",
        "--unified=0",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--relative",
        "--ignore-submodules=all",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--end-of-options",
        revision,
        "--",
    ];
    let others = ["ls-files", "--others", "--exclude-standard", "-z"];
    // A revision that looks like a flag is none.
    let usable = !revision.starts_with('-');
    Asked {
        named: since.map(str::to_string),
        diff: usable.then(|| start(root, &diff)).flatten(),
        others: start(root, &others),
    }
}

fn start(root: &Path, args: &[&str]) -> Option<Child> {
    Command::new("git")
        .args([
            "-c",
            "core.quotePath=false",
            "-c",
            "core.fsmonitor=false",
            "--no-optional-locks",
        ])
        .args(args)
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

impl Asked {
    /// What git says.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] where the caller named a revision and git knows none of that name.
    pub(crate) fn answer(self) -> Result<Changed> {
        let diff = self.diff.and_then(finish);
        if let (None, Some(revision)) = (&diff, &self.named) {
            let message = format!("git knows no revision '{revision}' here");
            return Err(Error::new(ErrorKind::Invalid, message)
                .remedy("name a commit, a branch or a tag of the repository"));
        }
        let mut changed = diff.map(|text| hunks(&text)).unwrap_or_default();
        let others = self.others.and_then(finish).unwrap_or_default();
        for name in others.split(|b| *b == 0).filter(|n| !n.is_empty()) {
            changed.insert(path::encode(&native(name)), vec![(1, u32::MAX)]);
        }
        Ok(Changed(changed))
    }
}

/// The output of a process that ended well.
fn finish(mut child: Child) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let read = child
        .stdout
        .take()
        .map(|pipe| pipe.take(MAX_BYTES).read_to_end(&mut out));
    let ended = child.wait().ok()?;
    (ended.success() && matches!(read, Some(Ok(_)))).then_some(out)
}

/// The changed lines of a unified diff without context, by file as it is now.
fn hunks(diff: &[u8]) -> BTreeMap<String, Vec<(u32, u32)>> {
    let mut files: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let mut key: Option<String> = None;
    // Lines of the hunk that are still to come: they may look like headers.
    let mut skip = 0u32;
    for line in diff.split(|b| *b == b'\n') {
        if skip > 0 && matches!(line.first(), Some(b'+' | b'-')) {
            skip -= 1;
        } else if let Some(name) = line.strip_prefix(b"+++ ") {
            let name = name.strip_suffix(b"\t").unwrap_or(name);
            let name = unquote(name);
            key = name.strip_prefix(b"b/").map(|n| path::encode(&native(n)));
        } else if line.starts_with(b"diff --git ") {
            key = None;
        } else if let Some((removed, first, added)) = hunk(line) {
            skip = removed.saturating_add(added);
            let Some(key) = &key else { continue };
            // Lines that were only taken away are felt at the line before which they stood.
            let range = match added {
                0 => (first.max(1), first.saturating_add(1)),
                n => (first, first.saturating_add(n - 1)),
            };
            files.entry(key.clone()).or_default().push(range);
        }
    }
    files
}

/// `@@ -12,3 +12,4 @@`: lines taken away, first line now, lines added.
fn hunk(line: &[u8]) -> Option<(u32, u32, u32)> {
    let text =
        std::str::from_utf8(line.strip_prefix(b"@@ -")?.split(|b| *b == b'@').next()?).ok()?;
    let (old, new) = text.trim().split_once(" +")?;
    let count = |side: &str| {
        side.split_once(',')
            .map_or(Some(1), |(_, n)| n.parse().ok())
    };
    let first = new.split(',').next()?.parse().ok()?;
    Some((count(old)?, first, count(new)?))
}

/// A name that git put between quotes because of its characters.
fn unquote(name: &[u8]) -> Vec<u8> {
    let Some(inner) = name.strip_prefix(b"\"").and_then(|n| n.strip_suffix(b"\"")) else {
        return name.to_vec();
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(digit @ b'0'..=b'3') => {
                let rest = (bytes.next(), bytes.next());
                let octal = |b: Option<u8>| b.map_or(0, |b| u32::from(b.saturating_sub(b'0')));
                let value = u32::from(digit - b'0') * 64 + octal(rest.0) * 8 + octal(rest.1);
                out.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(unix)]
fn native(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn native(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_are_read_as_lines_of_today() {
        let diff = b"diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -3 +3,2 @@ function x\n-old\n+++ b/new\n+more\n@@ -9,2 +11,0 @@\n-a\n-b\ndiff --git a/gone.ts b/gone.ts\n--- a/gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let found = hunks(diff);
        let expected = BTreeMap::from([("src/a.ts".to_string(), vec![(3, 4), (11, 12)])]);
        assert_eq!(found, expected);
    }

    #[test]
    fn quoted_names_are_their_bytes() {
        assert_eq!(unquote(br#""a\"b\303\274.ts""#), "a\"bü.ts".as_bytes());
        assert_eq!(unquote(b"plain.ts"), b"plain.ts");
        assert_eq!(hunk(b"@@ x"), None);
    }
}

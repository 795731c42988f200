//! Names of symbols as they are typed in some folder of the tree.
//!
//! Where it sits: between the arguments and the library's resolver, which knows the index but neither the tree's place on
//! the disk nor the working folder. Invariant: what answers print (a key, a path from the root) means the same in every
//! folder; a path from the working folder or an absolute one is understood where it leads to a file of the index.

use std::path::{Component, Path, PathBuf};

use graphify::Snapshot;
use graphify::answer::NameProblem;
use graphify::ids::SymId;
use graphify::model::path::encode;
use graphify::search::resolve;

use crate::cli::locate::{self, Place};

/// What a typed name means.
pub(crate) enum Named {
    /// One symbol, and what to tell the user about the hit.
    One(SymId, Option<String>),
    /// Several, or none.
    Problem(Box<NameProblem>),
}

/// Finds the symbol that was typed.
pub(crate) fn find(place: &Place, snapshot: &Snapshot, asked: &str) -> graphify::Result<Named> {
    let meant = from_root(place, snapshot, asked);
    let resolution = resolve(snapshot, meant.as_deref().unwrap_or(asked))?;
    Ok(match NameProblem::check(snapshot, asked, resolution) {
        Ok((sym, announced)) => Named::One(sym, announced),
        Err(problem) => Named::Problem(Box::new(problem)),
    })
}

/// The name with its path written from the root, where it was written from somewhere else.
pub(crate) fn from_root(place: &Place, snapshot: &Snapshot, asked: &str) -> Option<String> {
    let asked = asked.trim();
    let (path, rest) = split(asked);
    if path.is_empty() || snapshot.file(path).is_some() {
        return None;
    }
    let here = locate::working_folder().ok()?;
    let absolute = plain(&here.join(path));
    let below = absolute.strip_prefix(&place.root).ok()?;
    let key = encode(below);
    snapshot.file(&key)?;
    Some(format!("{key}{rest}"))
}

/// The part that may be a path, and what stands behind it: `::name`, `:12`, or nothing.
fn split(asked: &str) -> (&str, &str) {
    if let Some(at) = asked.find("::") {
        return asked.split_at(at);
    }
    let digits = |t: &str| {
        let t = t.trim_start_matches('L');
        !t.is_empty()
            && t.bytes()
                .all(|b| b.is_ascii_digit() || b == b'-' || b == b'L')
    };
    let mut end = asked.len();
    while let Some(at) = asked.get(..end).and_then(|head| head.rfind(':')) {
        if !asked.get(at + 1..end).is_some_and(digits) {
            break;
        }
        end = at;
    }
    asked.split_at(end)
}

/// The path without `.` and `..`, by its text alone.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_what_follows() {
        assert_eq!(split("src/a.ts::A.f()"), ("src/a.ts", "::A.f()"));
        assert_eq!(split("a.ts:12"), ("a.ts", ":12"));
        assert_eq!(split("a.ts:L12-40"), ("a.ts", ":L12-40"));
        assert_eq!(split("a.ts:12:5"), ("a.ts", ":12:5"));
        assert_eq!(split("a.ts"), ("a.ts", ""));
        assert_eq!(split("npm:axios"), ("npm:axios", ""));
    }

    #[test]
    fn dots_go_by_text() {
        assert_eq!(plain(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}

//! Where the index is: `--out`, `GRAPHIFY_OUT`, or the output folder of the nearest tree around.
//!
//! ```text
//! ROOT/graphify-out/          the output folder; GRAPHIFY_OUT gives it another name or place, --out another place
//!      ├─ .gitignore          keeps the folder out of version control
//!      ├─ .graphify_root      the tree's root, only where it is not the folder's parent
//!      └─ index/              the store
//! ```
//!
//! Invariants: a command that reads looks upwards from the working folder, as git does for its own folder, and stops at
//! the border of another work tree (its answers would be about other files); a command that writes uses the tree that it
//! was told, or the one around.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use graphify::error::{Error, ErrorKind, Result};
use graphify::source::repository::{self, Border};

use crate::cli::args::Global;
use crate::cli::graph_file;

/// The usual name of the output folder.
const OUT: &str = "graphify-out";
/// The environment variable that gives it another name or place.
const OUT_VARIABLE: &str = "GRAPHIFY_OUT";
/// The folder of the store in it.
const INDEX: &str = "index";
/// The file that names the root of a tree which lies elsewhere.
const ROOT_FILE: &str = ".graphify_root";

/// A tree and the places that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The root of the tree.
    pub(crate) root: PathBuf,
    /// The output folder.
    pub(crate) out: PathBuf,
    /// The graph.json that is asked instead of an index.
    pub(crate) graph: Option<PathBuf>,
}

impl Place {
    /// The folder of the store.
    pub(crate) fn index(&self) -> PathBuf {
        self.out.join(INDEX)
    }

    /// What answers call the index.
    pub(crate) fn shown(&self) -> String {
        match &self.graph {
            Some(graph) => shown(graph),
            None => shown(&self.index()),
        }
    }

    /// Makes the output folder ready to be written to.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] where the system refuses.
    pub(crate) fn prepare(&self) -> Result<()> {
        std::fs::create_dir_all(&self.out).map_err(|e| {
            Error::io("create the output folder", &self.out, e)
                .remedy("name a folder that can be written to: `--out DIR` or GRAPHIFY_OUT")
        })?;
        write_if_absent(&self.out.join(".gitignore"), "*\n")?;
        let root_file = self.out.join(ROOT_FILE);
        if self.out.parent() == Some(self.root.as_path()) {
            let _ = std::fs::remove_file(root_file);
            return Ok(());
        }
        let text = format!("{}\n", self.root.display());
        if std::fs::read_to_string(&root_file).is_ok_and(|present| present == text) {
            return Ok(());
        }
        std::fs::write(&root_file, text).map_err(|e| Error::io("write", &root_file, e))
    }
}

/// The place that a reading command uses.
///
/// # Errors
/// [`ErrorKind::NoIndex`] when there is none from the working folder upwards.
pub(crate) fn existing(global: &Global) -> Result<Place> {
    if let Some(graph) = &global.graph {
        return graph_file::place(graph, global.quiet);
    }
    let here = working_folder()?;
    let found = match named_place(global, &here) {
        Some(out) => store_in(&out).then(|| Place {
            root: root_of(&out),
            out,
            graph: None,
        }),
        None => around(&here, &out_name()),
    };
    found.ok_or_else(|| {
        Error::new(
            ErrorKind::NoIndex,
            "there is no index in this folder or above it",
        )
        .at(here)
        .remedy("run `graphify index` in the root of the source tree")
    })
}

/// The place that a writing command uses: the folder it was given, or the indexed tree around, or the working folder.
///
/// # Errors
/// [`ErrorKind::Io`] if the folder does not exist.
pub(crate) fn for_writing(global: &Global, dir: Option<&Path>) -> Result<Place> {
    let here = working_folder()?;
    let named = named_place(global, &here);
    let root = match dir {
        Some(dir) => std::fs::canonicalize(dir).map_err(|e| {
            Error::io("open the folder", dir, e).remedy("name the root of the source tree")
        })?,
        None => match &named {
            Some(out) if store_in(out) => root_of(out),
            Some(_) => here.clone(),
            None => around(&here, &out_name()).map_or_else(|| here.clone(), |place| place.root),
        },
    };
    let out = named.unwrap_or_else(|| root.join(out_name()));
    if let Some(other) = other_owner(&out, &root) {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("the index belongs to another tree, {}", other.display()),
        )
        .at(out)
        .remedy("give this tree an output folder of its own, or remove that one"));
    }
    Ok(Place {
        root,
        out,
        graph: None,
    })
}

/// The tree that an output folder outside of any tree was made for, where that is another one than the one meant now.
fn other_owner(out: &Path, root: &Path) -> Option<PathBuf> {
    if !store_in(out) || !out.join(ROOT_FILE).exists() {
        return None;
    }
    let owner = root_of(out);
    (owner != root && owner.is_dir()).then_some(owner)
}

/// A path as answers show it: from the working folder where it lies below, else whole.
pub(crate) fn shown(path: &Path) -> String {
    let here = working_folder().unwrap_or_default();
    let below = path
        .strip_prefix(&here)
        .ok()
        .filter(|p| !p.as_os_str().is_empty());
    below.unwrap_or(path).to_string_lossy().into_owned()
}

/// The output folder where it is given as a place of its own: `--out`, or a variable with more than a name in it.
fn named_place(global: &Global, here: &Path) -> Option<PathBuf> {
    if let Some(out) = &global.out {
        return Some(absolute(here, out));
    }
    let variable = variable().filter(|v| !is_bare_name(v))?;
    Some(absolute(here, &variable))
}

/// The name of output folders inside their trees.
fn out_name() -> PathBuf {
    variable()
        .filter(|v| is_bare_name(v))
        .unwrap_or_else(|| PathBuf::from(OUT))
}

fn variable() -> Option<PathBuf> {
    let value = std::env::var_os(OUT_VARIABLE)?;
    (!value.is_empty()).then(|| PathBuf::from(value))
}

fn is_bare_name(path: &Path) -> bool {
    path.file_name() == Some(path.as_os_str()) && path.as_os_str() != OsStr::new("..")
}

/// The nearest tree with an index, from `here` upwards.
fn around(here: &Path, name: &Path) -> Option<Place> {
    for folder in here.ancestors() {
        let out = folder.join(name);
        if store_in(&out) {
            return Some(Place {
                root: folder.to_path_buf(),
                out,
                graph: None,
            });
        }
        if folder.join(".git").is_file() && repository::border(folder) == Border::OtherWorkTree {
            return None;
        }
    }
    None
}

fn store_in(out: &Path) -> bool {
    out.join(INDEX).is_dir()
}

/// The root of the tree whose output folder `out` is.
fn root_of(out: &Path) -> PathBuf {
    let named = std::fs::read_to_string(out.join(ROOT_FILE)).unwrap_or_default();
    match named.trim_end_matches(['\n', '\r']) {
        "" => out.parent().unwrap_or(out).to_path_buf(),
        named => out.join(named),
    }
}

pub(crate) fn working_folder() -> Result<PathBuf> {
    let here = std::env::current_dir().map_err(|e| Error::io("find the working folder", ".", e))?;
    Ok(std::fs::canonicalize(&here).unwrap_or(here))
}

/// `path` seen from `here`, without `.` and with links resolved as far as it exists.
fn absolute(here: &Path, path: &Path) -> PathBuf {
    let joined: PathBuf = here.join(path).components().collect();
    let existing = joined.ancestors().find_map(|folder| {
        let real = std::fs::canonicalize(folder).ok()?;
        Some(real.join(joined.strip_prefix(folder).ok()?))
    });
    existing.map_or(joined, |path| path.components().collect())
}

fn write_if_absent(path: &Path, text: &str) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    std::fs::write(path, text).map_err(|e| Error::io("write", path, e))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn folder(path: &Path) -> PathBuf {
        std::fs::create_dir_all(path).unwrap();
        std::fs::canonicalize(path).unwrap()
    }

    #[test]
    fn the_nearest_index_upwards_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let top = folder(dir.path());
        let deep = folder(&top.join("web/src"));
        assert_eq!(around(&deep, Path::new(OUT)), None);
        folder(&top.join("graphify-out/index"));
        let found = around(&deep, Path::new(OUT)).unwrap();
        assert_eq!(
            (found.root.clone(), found.index()),
            (top.clone(), top.join("graphify-out/index"))
        );
        folder(&top.join("web/graphify-out/index"));
        assert_eq!(around(&deep, Path::new(OUT)).unwrap().root, top.join("web"));
        assert_eq!(around(&deep, Path::new("elsewhere")), None);
    }

    #[test]
    fn the_search_stops_at_another_work_tree() {
        let dir = tempfile::tempdir().unwrap();
        let top = folder(dir.path());
        folder(&top.join("graphify-out/index"));
        let inner = folder(&top.join("wt/src"));
        let git_dir = folder(&top.join(".git/worktrees/wt"));
        std::fs::write(git_dir.join("HEAD"), "x").unwrap();
        std::fs::write(top.join("wt/.git"), "gitdir: ../.git/worktrees/wt\n").unwrap();
        assert!(
            around(&inner, Path::new(OUT)).is_some(),
            "a submodule belongs to the tree around it"
        );
        std::fs::write(git_dir.join("commondir"), "../..\n").unwrap();
        assert_eq!(around(&inner, Path::new(OUT)), None);
    }

    #[test]
    fn a_folder_elsewhere_remembers_its_tree() {
        let dir = tempfile::tempdir().unwrap();
        let top = folder(dir.path());
        let root = folder(&top.join("tree"));
        let elsewhere = Place {
            root: root.clone(),
            out: top.join("cache/out"),
            graph: None,
        };
        elsewhere.prepare().unwrap();
        assert_eq!(root_of(&elsewhere.out), root);
        assert_eq!(
            std::fs::read_to_string(elsewhere.out.join(".gitignore")).unwrap(),
            "*\n"
        );
        let inside = Place {
            out: root.join(OUT),
            root: root.clone(),
            graph: None,
        };
        inside.prepare().unwrap();
        assert!(
            !inside.out.join(ROOT_FILE).exists(),
            "a copy of the tree must not point at the original"
        );
        assert_eq!(root_of(&inside.out), root);
    }

    #[test]
    fn names_are_told_from_places() {
        assert!(is_bare_name(Path::new("gout")));
        for place in ["a/b", "/abs", "..", ".", "./x"] {
            assert!(!is_bare_name(Path::new(place)), "{place}");
        }
    }
}

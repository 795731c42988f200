//! From what a package offers to the sources that it is built from, where only the build knows the way.
//!
//! Where it sits: asked by [`super::specifier`] when neither the manifest's own paths nor their usual sources exist. A bundler
//! takes entries from any folder and writes them side by side: `dist/index.mjs` and `dist/format.mjs` may be made from
//! `src/exports/index.ts` and `src/exports/format.ts`. Invariant: a folder is taken only if it holds a source for every
//! part that the package offers, or has a name that says so; of several that fit none is taken.

use rustc_hash::{FxHashMap, FxHashSet};

use super::package::{Package, Packages};
use super::paths::parent;

/// Folders below a package's sources that by their name hold what is offered.
const ENTRY_FOLDERS: [&str; 5] = [
    "src/exports",
    "src/entries",
    "src/entrypoints",
    "src/entry",
    "src/public",
];

/// Endings of sources that a bundler reads.
const SOURCES: [&str; 6] = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx"];

/// Per package folder: its sources by name without ending, with the folders (relative to the package) where they lie.
#[derive(Debug, Default)]
pub(super) struct Entries {
    by_package: FxHashMap<String, FxHashMap<String, Vec<String>>>,
}

impl Entries {
    /// Collects the sources of all packages that offer built files.
    pub(super) fn new<'a>(packages: &Packages, known: impl Iterator<Item = &'a String>) -> Self {
        let mut by_package: FxHashMap<String, FxHashMap<String, Vec<String>>> =
            FxHashMap::default();
        if packages.is_empty() {
            return Self::default();
        }
        for path in known {
            let Some(stem) = SOURCES.iter().find_map(|e| path.strip_suffix(e)) else {
                continue;
            };
            let Some(package) = packages.around(parent(path)) else {
                continue;
            };
            let Some(relative) = inside(&package.folder, stem) else {
                continue;
            };
            if !relative.starts_with("src/") || relative.ends_with(".d") {
                continue;
            }
            let (folder, name) = relative.rsplit_once('/').unwrap_or(("", relative));
            by_package
                .entry(package.folder.clone())
                .or_default()
                .entry(name.to_string())
                .or_default()
                .push(folder.to_string());
        }
        for names in by_package.values_mut() {
            names.values_mut().for_each(|folders| folders.sort());
        }
        Self { by_package }
    }

    /// The source of the part of a package that is built into `built` (relative to the package), without its ending.
    pub(super) fn source(&self, package: &Package, built: &str) -> Option<String> {
        let names = self.by_package.get(&package.folder)?;
        let wanted = name_of(built)?;
        let folders = names.get(wanted)?;
        let offered: FxHashSet<String> = package
            .offered()
            .iter()
            .filter_map(|path| name_of(path).map(str::to_string))
            .collect();
        let holds_all = |folder: &str| {
            offered.iter().all(|name| {
                names
                    .get(name)
                    .is_some_and(|f| f.iter().any(|f| f == folder))
            })
        };
        let mut complete = folders.iter().filter(|folder| holds_all(folder));
        let chosen = match (complete.next(), complete.next(), offered.len()) {
            (Some(only), None, 2..) => Some(only.as_str()),
            _ => None,
        };
        let named = || {
            ENTRY_FOLDERS
                .iter()
                .copied()
                .find(|folder| folders.iter().any(|f| f == folder))
        };
        let alone = || match folders.as_slice() {
            [only] => Some(only.as_str()),
            _ => None,
        };
        let folder = chosen.or_else(named).or_else(alone)?;
        let path = if package.folder.is_empty() {
            format!("{folder}/{wanted}")
        } else {
            format!("{}/{folder}/{wanted}", package.folder)
        };
        Some(path)
    }
}

/// A path below a folder.
fn inside<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// The name of a built file without folders and endings; none for what is no code.
fn name_of(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]
        .iter()
        .find_map(|e| name.strip_suffix(e))?;
    let stem = stem.strip_suffix(".d").unwrap_or(stem);
    (!stem.is_empty() && !stem.contains('*')).then_some(stem)
}

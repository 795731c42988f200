//! What configuration files say about module names, and where a module name leads.
//!
//! Where it sits: built once per link from the texts of the configuration files and the set of known paths; asked by
//! `link::world` for every import. Knows paths, not graphs. Invariant: an answer depends only on the configuration and on
//! which files exist, never on the order in which either was given.

mod c;
mod entries;
mod go;
mod json;
mod package;
pub(crate) mod paths;
mod python;
pub(crate) mod roots;
mod ruby;
pub(crate) mod rust;
mod specifier;
mod tsconfig;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;
use serde_json::Value;

pub(crate) use self::c::shared_folders;
use self::entries::Entries;
use self::go::GoModules;
use self::package::Packages;
use self::tsconfig::TsConfigs;

/// Where a module name leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// A file of the tree, or the folder of a package in languages whose packages are folders.
    File(String),
    /// A package outside the tree: its symbol key (`npm:axios`, `node:fs`).
    External(String),
    /// A folder of the tree that is a package without a file of its own.
    Folder(String),
    /// A file that ought to be in the tree and is not: the path that was looked for, without an extension.
    Missing(String),
}

/// The configuration of a tree.
#[derive(Debug, Default)]
pub struct Project {
    known: FxHashSet<String>,
    packages: Packages,
    entries: Entries,
    cargo: rust::Cargo,
    configs: TsConfigs,
    /// What C's build says about include paths.
    commands: c::Commands,
    /// Files that can be included; collected when the first include asks.
    includes: OnceLock<c::Includes>,
    python: python::PythonRoots,
    go: GoModules,
}

/// Whether a file is one that [`Project::new`] reads.
pub fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let config = name.starts_with("tsconfig") || name.starts_with("jsconfig");
    matches!(
        name,
        "package.json"
            | "lerna.json"
            | "pnpm-workspace.yaml"
            | "Cargo.toml"
            | "compile_commands.json"
            | "go.mod"
            | "go.work"
    ) || (config && name.ends_with(".json"))
}

impl Project {
    /// Reads a tree's configuration. `texts` are configuration files (encoded path, text; see [`is_configuration`]; others
    /// that a configuration extends may be among them), `known` the encoded paths of all files of the tree, source or not.
    pub fn new<'a>(
        texts: impl IntoIterator<Item = (&'a str, &'a str)>,
        known: impl IntoIterator<Item = String>,
    ) -> Self {
        let texts: Vec<(&str, &str)> = texts.into_iter().collect();
        let files: FxHashMap<String, Value> = texts
            .iter()
            .filter(|(path, _)| path.ends_with(".json"))
            .filter_map(|(path, text)| Some(((*path).to_string(), json::parse(text)?)))
            .collect();
        let packages = Packages::new(&files, &texts);
        let configs = TsConfigs::new(&files, &|name| {
            packages.member(name).map(|p| p.folder.clone())
        });
        let known: FxHashSet<String> = known.into_iter().collect();
        let commands = c::Commands::new(&files, &known);
        let entries = Entries::new(&packages, known.iter());
        let go = GoModules::new(&texts, &known);
        Self {
            python: python::PythonRoots::new(&known),
            cargo: rust::Cargo::new(&texts, &known),
            known,
            packages,
            entries,
            configs,
            go,
            commands,
            includes: OnceLock::new(),
        }
    }

    /// Whether the tree holds a file of that path.
    pub fn knows(&self, path: &str) -> bool {
        self.known.contains(path)
    }
}

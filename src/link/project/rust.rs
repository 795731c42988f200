//! Packages and crates of Rust: what `Cargo.toml` files say about roots, names and dependencies.

use rustc_hash::{FxHashMap, FxHashSet};
use toml::{Table, Value};

use super::paths::{ancestors, join, parent};
use super::{Project, Resolved};

/// What a crate's name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extern {
    /// The library of the package in that folder.
    Package(String),
    /// A package outside the tree, by its name in the registry.
    Outside(String),
}

/// One package of the tree.
#[derive(Debug, Default)]
pub(crate) struct CargoPackage {
    /// The library's root file, where there is one.
    pub(crate) lib: Option<String>,
    /// The library's name.
    pub(crate) lib_name: String,
    /// Root files of programs, tests, examples and benches.
    pub(crate) roots: Vec<String>,
    /// Kinds of targets that are not looked for.
    named_only: Vec<&'static str>,
    /// How many of the roots the manifest names.
    named: usize,
    /// Crates by the names that its source uses.
    pub(crate) externs: FxHashMap<String, Extern>,
}

/// All packages of the tree, by folder.
#[derive(Debug, Default)]
pub(crate) struct Cargo {
    folders: FxHashMap<String, CargoPackage>,
}

/// Targets that a manifest may name: the table, and the folder where they are looked for without being named.
const TARGETS: [(&str, &str); 4] = [
    ("bin", "src/bin"),
    ("test", "tests"),
    ("bench", "benches"),
    ("example", "examples"),
];

/// A crate's name as the source writes it.
fn in_source(name: &str) -> String {
    name.replace('-', "_")
}

fn text<'v>(table: &'v Table, name: &str) -> Option<&'v str> {
    table.get(name).and_then(Value::as_str)
}

fn table<'v>(of: &'v Table, name: &str) -> Option<&'v Table> {
    of.get(name).and_then(Value::as_table)
}

impl Cargo {
    /// Reads all manifests of a tree. `known` are the paths of its files.
    pub(super) fn new(texts: &[(&str, &str)], known: &FxHashSet<String>) -> Self {
        let manifests: FxHashMap<&str, Table> = texts
            .iter()
            .filter(|(path, _)| path.rsplit('/').next() == Some("Cargo.toml"))
            .filter_map(|(path, text)| Some((parent(path), text.parse::<Table>().ok()?)))
            .collect();
        let mut folders: FxHashMap<String, CargoPackage> = FxHashMap::default();
        for (folder, manifest) in &manifests {
            let Some(package) = table(manifest, "package") else {
                continue;
            };
            let name = text(package, "name").unwrap_or_default();
            let mut own = CargoPackage {
                lib_name: in_source(name),
                ..CargoPackage::default()
            };
            own.name_targets(folder, manifest, package, known);
            own.depend(folder, manifest, &manifests);
            folders.insert((*folder).to_string(), own);
        }
        let mut cargo = Self { folders };
        cargo.find_targets(known);
        cargo
    }

    /// All packages with their folders, in order.
    pub(crate) fn packages(&self) -> Vec<(&str, &CargoPackage)> {
        let mut all: Vec<_> = self.folders.iter().map(|(f, p)| (f.as_str(), p)).collect();
        all.sort_by_key(|(folder, _)| *folder);
        all
    }

    /// Targets that stand where everybody expects them.
    fn find_targets(&mut self, known: &FxHashSet<String>) {
        for path in known.iter().filter(|p| p.ends_with(".rs")) {
            let folder = ancestors(parent(path)).find(|f| self.folders.contains_key(*f));
            let Some(package) = folder.and_then(|f| self.folders.get_mut(f)) else {
                continue;
            };
            let prefix = folder.map_or(0, |f| if f.is_empty() { 0 } else { f.len() + 1 });
            let rest = path.get(prefix..).unwrap_or_default();
            let is_root = match rest {
                "src/lib.rs" => {
                    package.lib.get_or_insert_with(|| path.clone());
                    false
                }
                "src/main.rs" | "build.rs" => true,
                _ => TARGETS.iter().any(|(kind, place)| {
                    if package.named_only.contains(kind) {
                        return false;
                    }
                    let inside = rest.strip_prefix(place).and_then(|r| r.strip_prefix('/'));
                    inside.is_some_and(|name| {
                        !name.contains('/')
                            || (name.ends_with("/main.rs") && name.matches('/').count() == 1)
                    })
                }),
            };
            if is_root {
                package.roots.push(path.clone());
            }
        }
        // What the manifest names comes first: a file that one of them takes in is no target of its own.
        for package in self.folders.values_mut() {
            let named = package.named.min(package.roots.len());
            if let Some(found) = package.roots.get_mut(named..) {
                found.sort();
            }
            let mut seen = FxHashSet::default();
            package.roots.retain(|root| seen.insert(root.clone()));
        }
    }
}

impl CargoPackage {
    /// Targets that the manifest names.
    fn name_targets(
        &mut self,
        folder: &str,
        manifest: &Table,
        package: &Table,
        known: &FxHashSet<String>,
    ) {
        if let Some(lib) = table(manifest, "lib") {
            if let Some(name) = text(lib, "name") {
                self.lib_name = in_source(name);
            }
            self.lib = text(lib, "path")
                .and_then(|path| join(folder, path))
                .filter(|path| known.contains(path));
        }
        let build = text(package, "build").and_then(|path| join(folder, path));
        self.roots.extend(build.filter(|path| known.contains(path)));
        for (kind, place) in TARGETS {
            let looks = ["auto", kind, if kind == "bench" { "es" } else { "s" }].concat();
            if package.get(&looks).and_then(Value::as_bool) == Some(false) {
                self.named_only.push(kind);
            }
            let Some(targets) = manifest.get(kind).and_then(Value::as_array) else {
                continue;
            };
            for target in targets.iter().filter_map(Value::as_table) {
                let written = text(target, "path").map(str::to_string);
                let name = text(target, "name").unwrap_or_default();
                let path = written.unwrap_or_else(|| format!("{place}/{name}.rs"));
                let path = join(folder, &path).filter(|path| known.contains(path));
                self.roots.extend(path);
            }
        }
        self.named = self.roots.len();
    }

    /// Reads what the package depends on.
    fn depend(&mut self, folder: &str, manifest: &Table, manifests: &FxHashMap<&str, Table>) {
        let mut tables: Vec<&Table> = Vec::new();
        let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
        tables.extend(kinds.iter().filter_map(|kind| table(manifest, kind)));
        for target in table(manifest, "target")
            .into_iter()
            .flat_map(|t| t.values())
        {
            let target = target.as_table();
            tables.extend(
                kinds
                    .iter()
                    .filter_map(|kind| target.and_then(|t| table(t, kind))),
            );
        }
        for (name, value) in tables.into_iter().flatten() {
            let mut at = folder;
            let mut value = value;
            let inherited = value
                .as_table()
                .and_then(|t| t.get("workspace"))
                .and_then(Value::as_bool);
            if inherited == Some(true) {
                let found = ancestors(folder).find_map(|f| {
                    let workspace = table(manifests.get(f)?, "workspace")?;
                    Some((f, table(workspace, "dependencies")?.get(name)?))
                });
                let Some((root, written)) = found else {
                    continue;
                };
                at = root;
                value = written;
            }
            let details = value.as_table();
            let path = details
                .and_then(|t| text(t, "path"))
                .and_then(|path| join(at, path));
            let found = match path {
                Some(path) if manifests.contains_key(path.as_str()) => Extern::Package(path),
                _ => {
                    let package = details.and_then(|t| text(t, "package"));
                    Extern::Outside(package.unwrap_or(name).to_string())
                }
            };
            self.externs.insert(in_source(name), found);
        }
    }
}

impl Project {
    /// Where the module name `name` leads that stands in the Rust file `from`: Rust files write paths, not module names.
    pub(crate) fn resolve_rust(&self, _from: &str, name: &str) -> Resolved {
        Resolved::External(name.to_string())
    }

    /// The packages of Rust.
    pub(crate) fn cargo(&self) -> &Cargo {
        &self.cargo
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn targets_names_and_dependencies_are_read() {
        let known: FxHashSet<String> = [
            "Cargo.toml",
            "a/Cargo.toml",
            "a/src/core.rs",
            "a/src/bin/tool.rs",
            "a/tests/all/main.rs",
            "a/tests/all/other.rs",
            "b/Cargo.toml",
            "b/src/lib.rs",
        ]
        .into_iter()
        .map(str::to_string)
        .collect();
        let texts = [
            (
                "Cargo.toml",
                "[workspace]\nmembers=['a','b']\n[workspace.dependencies]\nbee-lib={path='b',package='bee'}\n",
            ),
            (
                "a/Cargo.toml",
                "[package]\nname='a-tool'\n[lib]\npath='src/core.rs'\n[dependencies]\nbee-lib={workspace=true}\nlog='1'\n",
            ),
            ("b/Cargo.toml", "[package]\nname='bee'\n"),
        ];
        let cargo = Cargo::new(&texts, &known);
        let all = cargo.packages();
        let (folder, a) = all.first().unwrap();
        assert_eq!(*folder, "a");
        assert_eq!(a.lib.as_deref(), Some("a/src/core.rs"));
        assert_eq!(a.lib_name, "a_tool");
        assert_eq!(a.roots, ["a/src/bin/tool.rs", "a/tests/all/main.rs"]);
        assert_eq!(a.externs.get("bee_lib"), Some(&Extern::Package("b".into())));
        assert_eq!(a.externs.get("log"), Some(&Extern::Outside("log".into())));
        let (_, b) = all.get(1).unwrap();
        assert_eq!(b.lib.as_deref(), Some("b/src/lib.rs"));
    }
}

//! Packages: which files are one, what they declare at the top, and under which names files know other packages.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::{LocalNode, StrId};
use crate::link::project::paths::parent;
use crate::link::world::{Module, Sym, UnitIndex};
use crate::model::facts::Imported;
use crate::model::key::hash;
use crate::model::label::{Language, NodeKind};
use crate::model::unit::Unit;

/// No package.
const NONE: u32 = u32::MAX;

/// Systems and machines that a file's name can be bound to (`x_linux.go`, `x_windows_arm64.go`).
const PLATFORMS: [&str; 42] = [
    "386",
    "aix",
    "amd64",
    "android",
    "arm",
    "arm64",
    "darwin",
    "dragonfly",
    "freebsd",
    "illumos",
    "ios",
    "js",
    "linux",
    "loong64",
    "mips",
    "mips64",
    "mips64le",
    "mipsle",
    "nacl",
    "netbsd",
    "openbsd",
    "other",
    "others",
    "plan9",
    "posix",
    "ppc64",
    "ppc64le",
    "riscv64",
    "s390x",
    "solaris",
    "stub",
    "unix",
    "unsupported",
    "wasip1",
    "wasm",
    "windows",
    "zos",
    "bsd",
    "nix",
    "notwindows",
    "nonwindows",
    "fallback",
];

/// All packages of the batch.
#[derive(Default)]
pub(in crate::link) struct Packages {
    /// Per unit: its package.
    of_unit: Vec<u32>,
    /// Per unit: whether only tests see it.
    is_test: Vec<bool>,
    /// Per package: its name.
    names: Vec<String>,
    /// (package, name) → declarations at the top of its files.
    declared: FxHashMap<(u32, u64), Vec<Sym>>,
    /// (unit, name) → the import that the file knows under that name.
    imports: FxHashMap<(u32, u64), StrId>,
}

impl Packages {
    /// Groups the files of each folder by their package clauses. The folder is added to `by_key` with a file of the package
    /// that an import of the folder means.
    pub(in crate::link) fn new<'a>(
        units: &'a [Unit],
        by_key: &mut FxHashMap<&'a str, u32>,
    ) -> Self {
        let mut all = Self::default();
        if units.iter().all(|u| u.language != Language::GO) {
            return all;
        }
        all.of_unit = vec![NONE; units.len()];
        all.is_test = vec![false; units.len()];
        let mut known: FxHashMap<(&str, &str), u32> = FxHashMap::default();
        // Per folder: the units of each of its packages.
        let mut folders: FxHashMap<&str, Vec<(u32, Vec<u32>)>> = FxHashMap::default();
        for (at, unit) in units.iter().enumerate() {
            let Ok(at) = u32::try_from(at) else { break };
            if unit.language != Language::GO {
                continue;
            }
            let folder = parent(unit.key());
            let name = unit.text(unit.facts.package);
            let next = u32::try_from(all.names.len()).unwrap_or(NONE);
            let package = *known.entry((folder, name)).or_insert(next);
            if package == next {
                all.names.push(name.to_string());
            }
            let is_test = unit.key().ends_with("_test.go");
            if let (Some(slot), Some(test)) = (
                all.of_unit.get_mut(at as usize),
                all.is_test.get_mut(at as usize),
            ) {
                (*slot, *test) = (package, is_test);
            }
            if !is_test {
                let packages = folders.entry(folder).or_default();
                match packages.iter_mut().find(|(p, _)| *p == package) {
                    Some((_, units)) => units.push(at),
                    None => packages.push((package, vec![at])),
                }
            }
            all.declare(package, at, unit);
        }
        for (folder, packages) in folders {
            // A folder may hold a program to be run by hand beside its package.
            let chosen = packages.iter().max_by_key(|(package, units)| {
                let name = all.names.get(*package as usize).map_or("", String::as_str);
                let first = units.first().copied().unwrap_or_default();
                (name != "main", units.len(), std::cmp::Reverse(first))
            });
            if let Some(first) = chosen.and_then(|(_, units)| units.first()) {
                by_key.entry(folder).or_insert(*first);
            }
        }
        all
    }

    fn declare(&mut self, package: u32, at: u32, unit: &Unit) {
        for (i, node) in unit.nodes().iter().enumerate().skip(1) {
            let top = node.parent == LocalNode::UNIT
                && !matches!(node.kind, NodeKind::IMPL | NodeKind::METHOD);
            let name = unit.text(node.name);
            if !top || name == "init" {
                continue;
            }
            if let Some(node) = LocalNode::from_index(i) {
                let sym = Sym { unit: at, node };
                let declared = self.declared.entry((package, hash(name))).or_default();
                declared.push(sym);
            }
        }
    }

    /// Notes under which names files know what they import without an alias: by what the package calls itself, or, where
    /// it is outside, by what its path suggests.
    pub(in crate::link) fn add_imports(&mut self, index: &[UnitIndex], units: &[Unit]) {
        for (at, (unit, modules)) in units.iter().zip(index).enumerate() {
            let Ok(at) = u32::try_from(at) else { break };
            if unit.language != Language::GO {
                continue;
            }
            for import in &unit.facts.imports {
                if import.imported != Imported::Package {
                    continue;
                }
                let own = match modules.module(import.module) {
                    Some(Module::Unit(first)) => self.name_of(*first),
                    _ => None,
                };
                let name = own.unwrap_or_else(|| suggested(unit.text(import.module)));
                self.imports
                    .entry((at, hash(name)))
                    .or_insert(import.module);
            }
        }
    }

    /// What the package of a unit calls itself.
    fn name_of(&self, unit: u32) -> Option<&str> {
        let package = self.of(unit)?;
        self.names.get(package as usize).map(String::as_str)
    }

    /// The package of a unit.
    pub(in crate::link) fn of(&self, unit: u32) -> Option<u32> {
        self.of_unit
            .get(unit as usize)
            .copied()
            .filter(|p| *p != NONE)
    }

    /// The import that a file knows under a name.
    pub(super) fn import(&self, unit: u32, name: &str) -> Option<StrId> {
        self.imports.get(&(unit, hash(name))).copied()
    }

    fn is_test(&self, unit: u32) -> bool {
        self.is_test.get(unit as usize).copied().unwrap_or(false)
    }

    /// What the package of `home` declares under a name, as a file of the package sees it (`from`) or as others do. Of
    /// several declarations those for the file's own platform.
    pub(super) fn declared(
        &self,
        units: &[Unit],
        home: u32,
        name: &str,
        from: Option<u32>,
    ) -> Vec<Sym> {
        let Some(all) = self
            .of(home)
            .and_then(|p| self.declared.get(&(p, hash(name))))
        else {
            return Vec::new();
        };
        let tests = from.is_some_and(|f| self.is_test(f));
        let mut seen: Vec<Sym> = all
            .iter()
            .copied()
            .filter(|s| tests || !self.is_test(s.unit))
            .filter(|s| {
                let unit = units.get(s.unit as usize);
                unit.and_then(|u| Some(u.text(u.node(s.node)?.name))) == Some(name)
            })
            .collect();
        if seen.len() > 1
            && let Some(from) = from
        {
            let key = |unit: u32| units.get(unit as usize).map_or("", Unit::key);
            let own = platform(key(from));
            let same = |s: &Sym| !own.is_empty() && platform(key(s.unit)) == own;
            if seen.iter().any(same) {
                seen.retain(same);
            }
        }
        seen
    }

    /// Types with the stand-ins that hold their methods in other files of the package.
    pub(in crate::link) fn methods_elsewhere(&self, units: &[Unit]) -> FxHashMap<Sym, Vec<Sym>> {
        let mut found: FxHashMap<Sym, Vec<Sym>> = FxHashMap::default();
        for (at, unit) in units.iter().enumerate() {
            let Ok(at) = u32::try_from(at) else { break };
            if unit.language != Language::GO {
                continue;
            }
            for (i, node) in unit.nodes().iter().enumerate().skip(1) {
                if node.kind != NodeKind::IMPL || node.parent != LocalNode::UNIT {
                    continue;
                }
                let Some(node_id) = LocalNode::from_index(i) else {
                    break;
                };
                let part = Sym {
                    unit: at,
                    node: node_id,
                };
                for ty in self.declared(units, at, unit.text(node.name), Some(at)) {
                    found.entry(ty).or_default().push(part);
                }
            }
        }
        found
    }

    /// The methods that stand directly below a type or a stand-in, with their names.
    pub(super) fn methods<'w>(
        &self,
        unit: &'w Unit,
        holder: Sym,
    ) -> impl Iterator<Item = (&'w str, Sym)> {
        let nodes = unit.nodes().iter().enumerate().skip(1);
        nodes
            .filter(move |(_, n)| n.parent == holder.node && n.kind == NodeKind::METHOD)
            .filter_map(move |(i, n)| {
                let node = LocalNode::from_index(i)?;
                let sym = Sym {
                    unit: holder.unit,
                    node,
                };
                Some((unit.text(n.name), sym))
            })
    }

    /// Whether two units belong to one package.
    pub(super) fn are_one(&self, a: u32, b: u32) -> bool {
        a == b || self.of(a).is_some_and(|p| self.of(b) == Some(p))
    }
}

/// The parts of a file's name that bind it to a platform.
fn platform(key: &str) -> FxHashSet<&str> {
    let name = key.rsplit('/').next().unwrap_or(key);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    stem.split('_')
        .skip(1)
        .filter(|part| PLATFORMS.contains(part))
        .collect()
}

/// The name that a package outside most likely gives itself: the last part of its path that is no version.
fn suggested(path: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let name = match parts.next() {
        Some(before) if is_version(last) => before,
        _ => last,
    };
    // `gopkg.in/yaml.v3`, `github.com/x/go-y`, `github.com/x/y-go`, `github.com/x/y.go`.
    let name = match name.rsplit_once('.') {
        Some((stem, ending)) if is_version(ending) || ending == "go" => stem,
        _ => name,
    };
    let name = name.strip_prefix("go-").unwrap_or(name);
    name.strip_suffix("-go").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_suggests_a_name_and_a_file_its_platform() {
        for (path, name) in [
            ("net/http", "http"),
            ("gopkg.in/yaml.v3", "yaml"),
            ("github.com/x/y/v2", "y"),
            ("github.com/mattn/go-isatty", "isatty"),
            ("github.com/nats-io/nats.go", "nats"),
            ("v2", "v2"),
        ] {
            assert_eq!(suggested(path), name);
        }
        assert_eq!(platform("a/b_linux_arm64_test.go").len(), 2);
        assert!(platform("linux.go").is_empty());
    }
}

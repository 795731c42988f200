//! All units with an index each: members by name, exports by name, modules by the name that the file writes.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::dialect::Dialect;
use super::go::packages::Packages;
use super::project::{Project, Resolved};
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Exported, ExprId, FactFlags, Space};
use crate::model::key::hash;
use crate::model::label::NodeKind;
use crate::model::node::{Node, NodeFlags};
use crate::model::unit::Unit;

/// A definition anywhere in the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Sym {
    pub(super) unit: u32,
    pub(super) node: LocalNode,
}

/// Where a module name of one file leads.
#[derive(Clone, Debug)]
pub(super) enum Module {
    /// A unit of the batch.
    Unit(u32),
    /// A file of the tree that is no unit (a picture, a style sheet).
    Asset,
    /// A package outside, by its key.
    External(String),
    /// A folder of the tree that is a package without a file of its own.
    Folder(String),
    /// A file that is not there, by its path.
    Missing(String),
}

/// One unit's index.
pub(super) struct UnitIndex {
    /// (parent, name) → the first child; the others follow in `next`.
    children: FxHashMap<u64, u32>,
    next: Vec<u32>,
    /// Name → places in the unit's exports.
    exports: FxHashMap<u64, Vec<u32>>,
    /// Modules of which everything is handed on.
    pub(super) stars: Vec<StrId>,
    /// The module's value as a whole.
    pub(super) whole: Option<ExprId>,
    modules: FxHashMap<StrId, Module>,
}

/// All units and their indexes.
pub(super) struct World<'a> {
    pub(super) units: &'a [Unit],
    /// A unit of declarations that no file of the tree holds; it stands behind the others.
    library: Option<&'a Unit>,
    index: Vec<UnitIndex>,
    by_key: FxHashMap<&'a str, u32>,
    project: &'a Project,
    /// Names that every file sees.
    globals: FxHashMap<u64, Vec<Sym>>,
    /// Modules that are declared by name.
    ambient: FxHashMap<u64, Vec<Sym>>,
    /// Types to which another file adds members, with those additions.
    augmented: FxHashMap<Sym, Vec<Sym>>,
    /// Packages of languages that have them.
    pub(super) packages: super::classes::packages::Packages,
    /// Packages of several files.
    pub(super) go: Packages,
    /// Names and includes of C and C++.
    c: super::c::Names,
}

fn slot(parent: LocalNode, name: u64) -> u64 {
    name ^ u64::from(parent.0 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<'a> World<'a> {
    pub(super) fn new(units: &'a [Unit], library: Option<&'a Unit>, project: &'a Project) -> Self {
        let mut by_key: FxHashMap<&str, u32> = units
            .iter()
            .enumerate()
            .filter_map(|(i, u)| Some((u.key(), u32::try_from(i).ok()?)))
            .collect();
        let go = Packages::new(units, &mut by_key);
        let mut index: Vec<UnitIndex> = units
            .par_iter()
            .map(|unit| UnitIndex::new(unit, project, &by_key))
            .collect();
        index.extend(library.map(|unit| UnitIndex::new(unit, project, &by_key)));
        let mut world = Self {
            units,
            library,
            index,
            by_key,
            project,
            globals: FxHashMap::default(),
            ambient: FxHashMap::default(),
            augmented: FxHashMap::default(),
            packages: super::classes::packages::Packages::new(units, project),
            go,
            c: super::c::Names::default(),
        };
        world.c = super::c::Names::new(&world);
        world.collect_globals();
        world.augmented = world.collect_augmented();
        world.go.add_imports(&world.index, units);
        world.augmented.extend(world.go.methods_elsewhere(units));
        world
    }

    fn collect_globals(&mut self) {
        for (at, unit) in self.units.iter().enumerate() {
            let Ok(at) = u32::try_from(at) else { break };
            let script = unit.facts.flags & FactFlags::SCRIPT != 0 && unit.key().ends_with(".d.ts");
            for (i, node) in unit.nodes().iter().enumerate().skip(1) {
                let Some(id) = LocalNode::from_index(i) else {
                    break;
                };
                let sym = Sym { unit: at, node: id };
                let name = unit.text(node.name);
                let parent = unit.node(node.parent);
                let in_global = parent
                    .is_some_and(|p| p.kind == NodeKind::MODULE && unit.text(p.name) == "global");
                let top = node.parent == LocalNode::UNIT;
                if top && node.kind == NodeKind::MODULE && is_ambient(unit.text(node.signature)) {
                    self.ambient.entry(hash(name)).or_default().push(sym);
                } else if in_global || (top && script) {
                    self.globals.entry(hash(name)).or_default().push(sym);
                }
            }
        }
    }

    /// `declare module "m" { interface I { … } }` adds to the `I` of a file of the tree.
    fn collect_augmented(&self) -> FxHashMap<Sym, Vec<Sym>> {
        let mut modules: Vec<Sym> = self.ambient.values().flatten().copied().collect();
        modules.sort_unstable();
        let mut augmented: FxHashMap<Sym, Vec<Sym>> = FxHashMap::default();
        for module in modules {
            let Some(unit) = self.unit(module.unit) else {
                continue;
            };
            let resolved = self.project.resolve_module(unit.key(), self.name(module));
            let Resolved::File(path) = resolved else {
                continue;
            };
            let Some(target) = self.by_key.get(path.as_str()) else {
                continue;
            };
            let mut eval = super::eval::Eval::new(self);
            for (i, node) in unit.nodes().iter().enumerate() {
                if node.parent != module.node || node.kind != NodeKind::INTERFACE {
                    continue;
                }
                let hit = eval.export(*target, unit.text(node.name), Space::Type);
                if let (super::names::Found::Node(sym), Some(id)) =
                    (hit.found, LocalNode::from_index(i))
                {
                    let part = Sym {
                        unit: module.unit,
                        node: id,
                    };
                    augmented.entry(sym).or_default().push(part);
                }
            }
        }
        augmented
    }

    /// What other files add to a type.
    pub(super) fn augmented(&self, sym: Sym) -> &[Sym] {
        self.augmented.get(&sym).map_or(&[], Vec::as_slice)
    }

    /// Names and includes of C and C++.
    pub(super) fn c(&self) -> &super::c::Names {
        &self.c
    }

    pub(super) fn unit(&self, unit: u32) -> Option<&'a Unit> {
        match self.units.get(unit as usize) {
            None if unit as usize == self.units.len() => self.library,
            found => found,
        }
    }

    /// Whether the unit at a place follows the rules of Rust.
    pub(super) fn is_rust(&self, place: usize) -> bool {
        u32::try_from(place).is_ok_and(|at| self.dialect(at) == Dialect::Rust)
    }

    /// The rules that a unit's names follow.
    pub(super) fn dialect(&self, unit: u32) -> Dialect {
        self.unit(unit)
            .map_or(Dialect::Ecma, |u| Dialect::of(u.language))
    }

    pub(super) fn index(&self, unit: u32) -> Option<&UnitIndex> {
        self.index.get(unit as usize)
    }

    pub(super) fn node(&self, sym: Sym) -> Option<&'a Node> {
        self.unit(sym.unit)?.node(sym.node)
    }

    pub(super) fn kind(&self, sym: Sym) -> NodeKind {
        self.node(sym).map_or(NodeKind::FILE, |n| n.kind)
    }

    pub(super) fn flags(&self, sym: Sym) -> NodeFlags {
        self.node(sym).map_or(NodeFlags::default(), |n| n.flags)
    }

    pub(super) fn name(&self, sym: Sym) -> &'a str {
        match (self.unit(sym.unit), self.node(sym)) {
            (Some(unit), Some(node)) => unit.text(node.name),
            _ => "",
        }
    }

    pub(super) fn text(&self, unit: u32, id: StrId) -> &'a str {
        self.unit(unit).map_or("", |u| u.text(id))
    }

    /// The children of that name, in source order.
    pub(super) fn children(&self, parent: Sym, name: &str) -> Vec<Sym> {
        let (Some(unit), Some(index)) = (self.unit(parent.unit), self.index(parent.unit)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut at = index.children.get(&slot(parent.node, hash(name))).copied();
        while let Some(node) = at {
            let id = LocalNode(node);
            let fits = unit
                .node(id)
                .is_some_and(|n| n.parent == parent.node && unit.text(n.name) == name);
            if fits {
                found.push(Sym {
                    unit: parent.unit,
                    node: id,
                });
            }
            at = index
                .next
                .get(node as usize)
                .copied()
                .filter(|n| *n != u32::MAX);
        }
        found
    }

    /// Places in a unit's exports where that name stands.
    pub(super) fn exports(&self, unit: u32, name: &str) -> &[u32] {
        self.index(unit)
            .and_then(|i| i.exports.get(&hash(name)))
            .map_or(&[], Vec::as_slice)
    }

    /// A module below a package of Python, by the package's folder.
    pub(super) fn submodule(&self, folder: &str, name: &str) -> Option<Module> {
        let path = if folder.is_empty() {
            name.to_string()
        } else {
            format!("{folder}/{name}")
        };
        match self.project.module_path(&path)? {
            Resolved::File(file) => self.by_key.get(file.as_str()).copied().map(Module::Unit),
            Resolved::Folder(folder) => Some(Module::Folder(folder)),
            _ => None,
        }
    }

    /// Where a module name of a unit leads.
    pub(super) fn module(&self, unit: u32, name: StrId) -> Option<&Module> {
        self.index(unit)?.modules.get(&name)
    }

    /// Definitions of a name that every file sees.
    pub(super) fn globals(&self, name: &str) -> impl Iterator<Item = Sym> + '_ {
        let syms = self.globals.get(&hash(name)).map_or(&[][..], Vec::as_slice);
        let name = name.to_string();
        syms.iter().copied().filter(move |s| self.name(*s) == name)
    }

    /// Declarations of a module by its name.
    pub(super) fn ambient(&self, name: &str) -> impl Iterator<Item = Sym> + '_ {
        let syms = self.ambient.get(&hash(name)).map_or(&[][..], Vec::as_slice);
        let name = name.to_string();
        syms.iter().copied().filter(move |s| self.name(*s) == name)
    }
}

/// `module "x"`, in contrast to `namespace X`.
fn is_ambient(signature: &str) -> bool {
    let rest = signature.strip_prefix("declare ").unwrap_or(signature);
    rest.strip_prefix("module ")
        .is_some_and(|r| r.starts_with(['"', '\'']))
}

impl UnitIndex {
    /// Where a module name of the unit leads.
    pub(super) fn module(&self, name: StrId) -> Option<&Module> {
        self.modules.get(&name)
    }

    fn new(unit: &Unit, project: &Project, by_key: &FxHashMap<&str, u32>) -> Self {
        let nodes = unit.nodes();
        let mut children: FxHashMap<u64, u32> = FxHashMap::default();
        if Dialect::of(unit.language) != Dialect::C {
            children.reserve(nodes.len());
        }
        let mut next = vec![u32::MAX; nodes.len()];
        // C looks for what stands at the top of a file by name alone, in one table for all files.
        let lean = Dialect::of(unit.language) == Dialect::C;
        // From the last to the first, so that chains run in source order.
        for (i, node) in nodes.iter().enumerate().skip(1).rev() {
            if lean && node.parent == LocalNode::UNIT {
                continue;
            }
            let key = slot(node.parent, hash(unit.text(node.name)));
            let Ok(place) = u32::try_from(i) else {
                continue;
            };
            if let Some(later) = children.insert(key, place)
                && let Some(link) = next.get_mut(i)
            {
                *link = later;
            }
        }
        let mut exports: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        let mut stars = Vec::new();
        let mut whole = None;
        let mut modules: FxHashMap<StrId, Module> = FxHashMap::default();
        let mut resolve = |name: StrId| {
            modules
                .entry(name)
                .or_insert_with(|| resolve_module(unit, name, project, by_key));
        };
        for import in &unit.facts.imports {
            resolve(import.module);
        }
        for (i, export) in unit.facts.exports.iter().enumerate() {
            match export.exported {
                Exported::From { module, .. } | Exported::NamespaceOf { module } => resolve(module),
                Exported::StarOf { module } => {
                    resolve(module);
                    stars.push(module);
                    continue;
                }
                Exported::Whole(expr) => {
                    whole = Some(expr);
                    continue;
                }
                _ => {}
            }
            let key = hash(unit.text(export.name));
            exports
                .entry(key)
                .or_default()
                .push(u32::try_from(i).unwrap_or(u32::MAX));
        }
        Self {
            children,
            next,
            exports,
            stars,
            whole,
            modules,
        }
    }
}

fn resolve_module(
    unit: &Unit,
    name: StrId,
    project: &Project,
    by_key: &FxHashMap<&str, u32>,
) -> Module {
    let dialect = Dialect::of(unit.language);
    match dialect.resolve_module(project, unit.key(), unit.text(name)) {
        Resolved::File(path) => match by_key.get(path.as_str()) {
            Some(unit) => Module::Unit(*unit),
            None => Module::Asset,
        },
        Resolved::External(key) => Module::External(key),
        Resolved::Folder(path) => Module::Folder(path),
        Resolved::Missing(path) => Module::Missing(path),
    }
}

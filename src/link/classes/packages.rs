//! Packages and namespaces: sets of files in which one file's names are seen by the others.
//!
//! Where it sits: built once per link from what files export under qualified names; asked for every name that no file
//! binds. A type may have several parts (partial classes, extensions, modules that are opened again): all definitions of
//! one qualified name in one project are one type. Invariant: a name that several projects of a tree define is nobody's
//! but their own.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::LocalNode;
use crate::link::dialect::Dialect;
use crate::link::project::{Project, roots};
use crate::link::world::Sym;
use crate::model::facts::{Exported, ImportId, Imported};
use crate::model::key::hash;
use crate::model::label::NodeKind;
use crate::model::unit::Unit;

/// What a file sees beside its own scopes.
#[derive(Default)]
struct Surroundings {
    /// The project that it belongs to.
    root: u32,
    /// The package of the file as a whole.
    package: String,
    /// Imports by the name that they have here.
    imports: FxHashMap<u64, Vec<ImportId>>,
    /// Imports of all that a package or a type holds.
    globs: Vec<(u32, ImportId)>,
}

/// All packages of the batch.
#[derive(Default)]
pub(in crate::link) struct Packages {
    /// Dialect and qualified name → definitions.
    names: FxHashMap<u64, Vec<Sym>>,
    packages: FxHashSet<u64>,
    units: FxHashMap<u32, Surroundings>,
    /// Types of several parts: the place of all of them.
    parts: FxHashMap<Sym, u32>,
    groups: Vec<Vec<Sym>>,
    /// Functions that add to a type from outside, by their names.
    extensions: FxHashMap<u64, Vec<Sym>>,
}

/// Whether a kind of definition has members.
pub(in crate::link) fn is_type(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::CLASS
            | NodeKind::STRUCT
            | NodeKind::INTERFACE
            | NodeKind::TRAIT
            | NodeKind::ENUM
            | NodeKind::MODULE
            | NodeKind::IMPL
    )
}

fn slot(dialect: Dialect, name: &str) -> u64 {
    hash(name) ^ (dialect as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Packages {
    pub(in crate::link) fn new(units: &[Unit], project: &Project) -> Self {
        let mut packages = Self::default();
        let mut folders: FxHashMap<Dialect, FxHashSet<&str>> = FxHashMap::default();
        let mut roots: FxHashMap<String, u32> = FxHashMap::default();
        let mut grouped: FxHashMap<(u64, u32), Vec<Sym>> = FxHashMap::default();
        let mut order: Vec<(u64, u32)> = Vec::new();
        // Imports that one file states for its whole project.
        let mut everywhere: FxHashMap<u32, Vec<(u32, ImportId)>> = FxHashMap::default();
        for (place, unit) in (0u32..).zip(units) {
            let dialect = Dialect::of(unit.language);
            if !dialect.is_classes() {
                continue;
            }
            let folders = folders
                .entry(dialect)
                .or_insert_with(|| project.folders_with(|name| dialect.is_manifest(name)));
            let folder = dialect.project_of(unit.key(), roots::root_of(folders, unit.key()));
            let next = u32::try_from(roots.len()).unwrap_or(u32::MAX);
            let root = *roots.entry(folder.to_string()).or_insert(next);
            let surroundings = Surroundings::of(unit, place, root);
            let shared = surroundings.globs.iter().filter(|(_, id)| {
                let import = unit.facts.imports.get(id.index());
                import.is_some_and(|i| i.level > 0)
            });
            let shared: Vec<_> = shared.copied().collect();
            if !shared.is_empty() {
                everywhere.entry(root).or_default().extend(shared);
            }
            packages
                .packages
                .extend(prefixes(&surroundings.package).map(|p| slot(dialect, p)));
            packages.units.insert(place, surroundings);
            for (node, name) in qualified_names(unit) {
                let sym = Sym { unit: place, node };
                let key = slot(dialect, &name);
                packages.names.entry(key).or_default().push(sym);
                let kind = unit.node(node).map_or(NodeKind::FILE, |n| n.kind);
                if is_type(kind) {
                    let group = grouped.entry((key, root)).or_default();
                    if group.is_empty() {
                        order.push((key, root));
                    }
                    group.push(sym);
                }
                if let Some((package, _)) = name.rsplit_once('.') {
                    packages
                        .packages
                        .extend(prefixes(package).map(|p| slot(dialect, p)));
                }
            }
            packages.add_extensions(unit, place);
        }
        for (place, surroundings) in &mut packages.units {
            for glob in everywhere.get(&surroundings.root).into_iter().flatten() {
                if glob.0 != *place {
                    surroundings.globs.push(*glob);
                }
            }
        }
        for key in order {
            if let Some(mut group) = grouped.remove(&key).filter(|g| g.len() > 1) {
                // What declares a type stands for it before what extends it.
                group.sort_by_key(|s| {
                    let unit = units.get(s.unit as usize);
                    let kind = unit.and_then(|u| u.node(s.node)).map(|n| n.kind);
                    kind == Some(NodeKind::IMPL)
                });
                let at = u32::try_from(packages.groups.len()).unwrap_or(u32::MAX);
                packages.parts.extend(group.iter().map(|s| (*s, at)));
                packages.groups.push(group);
            }
        }
        packages
    }

    fn add_extensions(&mut self, unit: &Unit, place: u32) {
        for def in &unit.facts.defs {
            let Some(node) = unit.node(def.node) else {
                continue;
            };
            let callable = matches!(node.kind, NodeKind::FUNCTION | NodeKind::METHOD);
            if callable && def.ty != crate::model::facts::TypeId::UNKNOWN {
                let sym = Sym {
                    unit: place,
                    node: def.node,
                };
                let name = hash(unit.text(node.name));
                self.extensions.entry(name).or_default().push(sym);
            }
        }
    }

    /// Definitions of a qualified name that `unit` can mean: its own, its project's, or those of the one project that
    /// has any.
    pub(in crate::link) fn find(&self, dialect: Dialect, unit: u32, qualified: &str) -> Vec<Sym> {
        let Some(all) = self.names.get(&slot(dialect, qualified)) else {
            return Vec::new();
        };
        let own: Vec<Sym> = all.iter().copied().filter(|s| s.unit == unit).collect();
        if !own.is_empty() {
            return own;
        }
        let root = self.root(unit);
        let near: Vec<Sym> = all
            .iter()
            .copied()
            .filter(|s| self.root(s.unit) == root)
            .collect();
        if !near.is_empty() {
            return near;
        }
        let mut roots = all.iter().map(|s| self.root(s.unit));
        let first = roots.next();
        if roots.all(|r| Some(r) == first) {
            return all.clone();
        }
        Vec::new()
    }

    fn root(&self, unit: u32) -> u32 {
        self.units.get(&unit).map_or(u32::MAX, |s| s.root)
    }

    /// Whether a package of that name, or one inside it, is in the batch.
    pub(in crate::link) fn is_package(&self, dialect: Dialect, name: &str) -> bool {
        self.packages.contains(&slot(dialect, name))
    }

    /// All definitions that are one type with this one, itself among them.
    pub(in crate::link) fn parts(&self, sym: Sym) -> Vec<Sym> {
        let group = self
            .parts
            .get(&sym)
            .and_then(|g| self.groups.get(*g as usize));
        group.cloned().unwrap_or_else(|| vec![sym])
    }

    /// The one definition that stands for a type of several parts.
    pub(in crate::link) fn canonical(&self, sym: Sym) -> Sym {
        let group = self
            .parts
            .get(&sym)
            .and_then(|g| self.groups.get(*g as usize));
        group.and_then(|g| g.first().copied()).unwrap_or(sym)
    }

    /// Imports of a file that have this name there.
    pub(in crate::link) fn imports(&self, unit: u32, name: &str) -> &[ImportId] {
        let surroundings = self.units.get(&unit);
        let imports = surroundings.and_then(|s| s.imports.get(&hash(name)));
        imports.map_or(&[], Vec::as_slice)
    }

    /// Imports of a file that take everything.
    /// Each with the file that states it.
    pub(in crate::link) fn globs(&self, unit: u32) -> &[(u32, ImportId)] {
        self.units.get(&unit).map_or(&[], |s| s.globs.as_slice())
    }

    /// The package of a file as a whole.
    pub(in crate::link) fn package(&self, unit: u32) -> &str {
        self.units.get(&unit).map_or("", |s| s.package.as_str())
    }

    /// Functions of that name that add to types from outside.
    pub(in crate::link) fn extensions(&self, name: &str) -> &[Sym] {
        self.extensions.get(&hash(name)).map_or(&[], Vec::as_slice)
    }
}

impl Surroundings {
    fn of(unit: &Unit, place: u32, root: u32) -> Self {
        let whole = unit.facts.exports.iter().find_map(|e| match e.exported {
            Exported::Whole(_) => Some(unit.text(e.name).to_string()),
            _ => None,
        });
        let mut surroundings = Self {
            root,
            package: whole.unwrap_or_default(),
            ..Self::default()
        };
        for (id, import) in (0u32..).map(ImportId).zip(&unit.facts.imports) {
            match import.imported {
                Imported::Name(name) => {
                    let key = hash(unit.text(name));
                    surroundings.imports.entry(key).or_default().push(id);
                }
                Imported::Glob => surroundings.globs.push((place, id)),
                _ => {}
            }
        }
        surroundings
    }
}

/// `a.b.c`, `a.b`, `a`
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    let first = (!name.is_empty()).then_some(name);
    std::iter::successors(first, |n| n.rsplit_once('.').map(|(head, _)| head))
}

/// The definitions of a file that others can name, with their qualified names.
fn qualified_names(unit: &Unit) -> Vec<(LocalNode, String)> {
    let mut names: Vec<Option<String>> = vec![None; unit.nodes().len()];
    for export in &unit.facts.exports {
        if let Exported::Node(node) = export.exported
            && let Some(slot) = names.get_mut(node.index())
        {
            *slot = Some(unit.text(export.name).to_string());
        }
    }
    for (i, node) in unit.nodes().iter().enumerate().skip(1) {
        if !is_type(node.kind) || names.get(i).is_none_or(Option::is_some) {
            continue;
        }
        let holder = unit.node(node.parent).map_or(NodeKind::FILE, |n| n.kind);
        let outer = names.get(node.parent.index()).cloned().flatten();
        if let (true, Some(outer)) = (is_type(holder), outer)
            && let Some(slot) = names.get_mut(i)
        {
            *slot = Some(format!("{outer}.{}", unit.text(node.name)));
        }
    }
    names
        .into_iter()
        .enumerate()
        .filter_map(|(i, name)| Some((LocalNode::from_index(i)?, name?)))
        .collect()
}

//! Crates, their module trees, and what every module and block of members brings in.
//!
//! Where it sits: built once per link after [`World`], before any unit of Rust is linked; read by all. Invariant: what it
//! says depends on the units and the manifests alone; crates are visited in the order of their packages, libraries first.

use rustc_hash::{FxHashMap, FxHashSet};

use super::paths::{Named, Space};
use crate::ids::{LocalNode, StrId};
use crate::link::project::Project;
use crate::link::project::paths::{join, parent};
use crate::link::project::rust::Extern;
use crate::link::world::{Sym, World};
use crate::model::facts::{Bound, Impl, TypeExpr, TypeId, UseForm};
use crate::model::key::hash;
use crate::model::label::{Language, NodeKind};

/// What the type of a block of members is at its head.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Head {
    /// A struct, enumeration or union.
    Adt(Sym),
    /// A trait as a type.
    Trait(Sym),
    /// One of the language's own types, by its name.
    Primitive(String),
    /// A sequence.
    Slice,
    /// A tuple.
    Tuple,
    /// A function.
    Function,
    /// Any type: a type parameter.
    Any,
}

/// One block of members: its unit, and its place among the unit's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Block {
    pub(super) unit: u32,
    pub(super) at: u32,
}

/// One crate.
#[derive(Debug)]
struct Crate {
    root: u32,
    externs: FxHashMap<String, Outside>,
}

/// Where the name of another crate leads.
#[derive(Clone, Debug)]
enum Outside {
    Root(u32),
    Key(String),
}

/// All crates and blocks.
pub(in crate::link) struct Crates<'w> {
    pub(super) world: &'w World<'w>,
    /// The unit that declares the standard library.
    pub(super) library: u32,
    crates: Vec<Crate>,
    /// Per unit: its crate.
    of_unit: Vec<Option<u32>>,
    /// The module that declares a file.
    parents: FxHashMap<u32, Sym>,
    /// Files that `mod x;` leads to, by unit and place of the declaration.
    files: FxHashMap<(u32, u32), u32>,
    /// Declarations by module and name.
    uses: FxHashMap<(Sym, u64), Vec<u32>>,
    /// Globs by module.
    globs: FxHashMap<Sym, Vec<u32>>,
    /// Macros by name.
    macros: FxHashMap<u64, Vec<Sym>>,
    /// Blocks by the head of their type.
    by_head: FxHashMap<Head, Vec<Block>>,
    /// Blocks by head and name of a member.
    members: FxHashMap<(Head, u64), Vec<(Block, LocalNode)>>,
    /// The trait of each block.
    traits: FxHashMap<Block, Sym>,
    /// Blocks by their trait.
    by_trait: FxHashMap<Sym, Vec<Block>>,
    /// The head of each block's type.
    heads: FxHashMap<Block, Head>,
    /// Names of the library's methods.
    library_methods: FxHashSet<&'w str>,
}

fn file(unit: u32) -> Sym {
    Sym {
        unit,
        node: LocalNode::UNIT,
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl<'w> Crates<'w> {
    pub(in crate::link) fn new(world: &'w World<'w>, project: &Project) -> Self {
        let library = number(world.units.len());
        let mut crates = Self {
            world,
            library,
            crates: Vec::new(),
            of_unit: vec![None; world.units.len() + 1],
            parents: FxHashMap::default(),
            files: FxHashMap::default(),
            uses: FxHashMap::default(),
            globs: FxHashMap::default(),
            macros: FxHashMap::default(),
            by_head: FxHashMap::default(),
            members: FxHashMap::default(),
            traits: FxHashMap::default(),
            by_trait: FxHashMap::default(),
            heads: FxHashMap::default(),
            library_methods: FxHashSet::default(),
        };
        if let Some(unit) = world.unit(library) {
            crates.library_methods = unit
                .nodes()
                .iter()
                .filter(|n| n.kind == NodeKind::METHOD)
                .map(|n| unit.text(n.name))
                .collect();
        }
        crates.find(project);
        for unit in 0..=library {
            crates.declarations(unit);
        }
        for unit in 0..=library {
            crates.blocks(unit);
        }
        crates
    }

    fn rust_units(&self) -> Vec<u32> {
        (0..self.library)
            .filter(|u| {
                self.world
                    .unit(*u)
                    .is_some_and(|u| u.language == Language::RUST)
            })
            .collect()
    }

    /// Finds the crates and gives every file its crate.
    fn find(&mut self, project: &Project) {
        let units = self.rust_units();
        let by_key: FxHashMap<&str, u32> = units
            .iter()
            .filter_map(|u| Some((self.world.unit(*u)?.key(), *u)))
            .collect();
        let packages = project.cargo().packages();
        let libraries: FxHashMap<&str, u32> = packages
            .iter()
            .filter_map(|(folder, p)| Some((*folder, *by_key.get(p.lib.as_deref()?)?)))
            .collect();
        self.add(self.library, FxHashMap::default(), &by_key);
        let mut roots: Vec<(u32, FxHashMap<String, Outside>)> = Vec::new();
        for pass in 0..2 {
            for (folder, package) in &packages {
                let mut externs: FxHashMap<String, Outside> = package
                    .externs
                    .iter()
                    .filter_map(|(name, found)| {
                        let found = match found {
                            Extern::Package(folder) => {
                                Outside::Root(*libraries.get(folder.as_str())?)
                            }
                            Extern::Outside(name) => Outside::Key(format!("crate:{name}")),
                        };
                        Some((name.clone(), found))
                    })
                    .collect();
                if let Some(own) = libraries.get(folder) {
                    externs.insert(package.lib_name.clone(), Outside::Root(*own));
                    if pass == 0 {
                        roots.push((*own, externs.clone()));
                    }
                }
                if pass == 1 {
                    for root in package.roots.iter().filter_map(|r| by_key.get(r.as_str())) {
                        roots.push((*root, externs.clone()));
                    }
                }
            }
        }
        for (root, externs) in roots {
            self.add(root, externs, &by_key);
        }
        // Files that no crate reaches: those that look like roots first.
        for names in [&["lib.rs"][..], &["main.rs"][..], &["mod.rs"][..], &[][..]] {
            for unit in &units {
                let key = self.world.unit(*unit).map_or("", |u| u.key());
                let name = key.rsplit('/').next().unwrap_or(key);
                let free = self
                    .of_unit
                    .get(*unit as usize)
                    .is_some_and(Option::is_none);
                if free && (names.is_empty() || names.contains(&name)) {
                    let folder = parent(key);
                    let around = packages
                        .iter()
                        .filter(|(f, _)| folder == *f || folder.starts_with(&format!("{f}/")))
                        .max_by_key(|(f, _)| f.len());
                    let externs = around
                        .and_then(|(f, p)| Some((p.lib_name.clone(), *libraries.get(f)?)))
                        .map(|(name, unit)| (name, Outside::Root(unit)))
                        .into_iter()
                        .collect();
                    self.add(*unit, externs, &by_key);
                }
            }
        }
    }

    /// Adds a crate with all files that its modules lead to.
    fn add(
        &mut self,
        root: u32,
        externs: FxHashMap<String, Outside>,
        by_key: &FxHashMap<&str, u32>,
    ) {
        if self.of_unit.get(root as usize).is_none_or(Option::is_some) {
            return;
        }
        let id = number(self.crates.len());
        self.crates.push(Crate { root, externs });
        if let Some(slot) = self.of_unit.get_mut(root as usize) {
            *slot = Some(id);
        }
        let mut work = vec![(root, true)];
        while let Some((at, owns_folder)) = work.pop() {
            let Some(unit) = self.world.unit(at) else {
                continue;
            };
            let key = unit.key();
            let folder = parent(key);
            let stem = key
                .rsplit('/')
                .next()
                .and_then(|name| name.strip_suffix(".rs"))
                .unwrap_or_default();
            let own = if owns_folder || stem == "mod" {
                folder.to_string()
            } else {
                join(folder, stem).unwrap_or_default()
            };
            for (i, declaration) in unit.facts.uses.iter().enumerate() {
                if declaration.form != UseForm::File {
                    continue;
                }
                let path: Vec<&str> = unit
                    .facts
                    .list(declaration.path)
                    .iter()
                    .map(|s| unit.text(StrId(*s)))
                    .collect();
                let Some((last, folders)) = path.split_last() else {
                    continue;
                };
                let written = last.ends_with(".rs");
                let base = if written && folders.is_empty() {
                    folder
                } else {
                    own.as_str()
                };
                let around = format!("{base}/{}", folders.join("/"));
                let candidates = if written {
                    vec![join(&around, last)]
                } else {
                    vec![
                        join(&around, &format!("{last}.rs")),
                        join(&around, &format!("{last}/mod.rs")),
                    ]
                };
                let found = candidates
                    .iter()
                    .flatten()
                    .find_map(|c| by_key.get(c.as_str()))
                    .copied();
                let Some(found) = found else { continue };
                self.files.insert((at, number(i)), found);
                let Some(slot) = self.of_unit.get_mut(found as usize) else {
                    continue;
                };
                if slot.is_none() {
                    *slot = Some(id);
                    let module = Sym {
                        unit: at,
                        node: declaration.module,
                    };
                    self.parents.insert(found, module);
                    work.push((found, written));
                }
            }
        }
    }

    fn declarations(&mut self, at: u32) {
        let Some(unit) = self.world.unit(at) else {
            return;
        };
        for (i, declaration) in unit.facts.uses.iter().enumerate() {
            if declaration.local {
                continue;
            }
            let module = Sym {
                unit: at,
                node: declaration.module,
            };
            let i = number(i);
            if declaration.form == UseForm::Glob {
                self.globs.entry(module).or_default().push(i);
            } else if declaration.name != StrId::EMPTY {
                let name = hash(unit.text(declaration.name));
                self.uses.entry((module, name)).or_default().push(i);
            }
        }
        for (i, node) in unit.nodes().iter().enumerate() {
            if node.kind == NodeKind::MACRO
                && let Some(node_id) = LocalNode::from_index(i)
            {
                let sym = Sym {
                    unit: at,
                    node: node_id,
                };
                let name = hash(unit.text(node.name));
                self.macros.entry(name).or_default().push(sym);
            }
        }
    }

    fn blocks(&mut self, at: u32) {
        let Some(unit) = self.world.unit(at) else {
            return;
        };
        for (i, block) in unit.facts.impls.iter().enumerate() {
            let id = Block {
                unit: at,
                at: number(i),
            };
            if block.of_trait != TypeId::UNKNOWN
                && let Some(Named::Node(sym)) = self.named_type(at, block.of_trait, 0)
            {
                self.traits.insert(id, sym);
                self.by_trait.entry(sym).or_default().push(id);
            }
            let Some(head) = self.type_head(at, block.ty, 0) else {
                continue;
            };
            self.heads.insert(id, head.clone());
            // What is declared for references to any type stands for what it refers to.
            if head == Head::Any && block.by_reference {
                continue;
            }
            self.by_head.entry(head.clone()).or_default().push(id);
            for member in unit.facts.list(block.members) {
                let node = LocalNode(*member);
                let name = unit.node(node).map_or("", |n| unit.text(n.name));
                let key = (head.clone(), hash(name));
                self.members.entry(key).or_default().push((id, node));
            }
        }
    }

    /// The head of a written type, by names alone.
    fn type_head(&self, unit: u32, ty: TypeId, depth: u32) -> Option<Head> {
        if depth > 8 {
            return None;
        }
        let facts = &self.world.unit(unit)?.facts;
        Some(match facts.ty(ty) {
            TypeExpr::Sequence(_) => Head::Slice,
            TypeExpr::Tuple(_) => Head::Tuple,
            TypeExpr::Function(_) => Head::Function,
            TypeExpr::Intersection(list) => {
                let first = facts.list(list).first()?;
                self.type_head(unit, TypeId(*first), depth + 1)?
            }
            TypeExpr::Free { name, .. } => Head::Primitive(self.world.text(unit, name).to_string()),
            TypeExpr::Bound { binding, path, .. } => {
                let bound = facts.binding(binding)?.bound;
                if let (Bound::TypeParam { .. }, true) = (bound, facts.list(path).is_empty()) {
                    return Some(Head::Any);
                }
                match self.named_type(unit, ty, 0)? {
                    Named::Node(sym) => match self.world.kind(sym) {
                        NodeKind::TRAIT => Head::Trait(sym),
                        NodeKind::TYPE_ALIAS => {
                            let def = self.world.unit(sym.unit)?.facts.def(sym.node)?;
                            self.type_head(sym.unit, def.ty, depth + 1)?
                        }
                        _ => Head::Adt(sym),
                    },
                    Named::Outside(_) => return None,
                }
            }
            _ => return None,
        })
    }

    /// The definition that a written type's path names.
    pub(super) fn named_type(&self, unit: u32, ty: TypeId, depth: u32) -> Option<Named> {
        let facts = &self.world.unit(unit)?.facts;
        if depth > 8 {
            return None;
        }
        let TypeExpr::Bound { binding, path, .. } = facts.ty(ty) else {
            return None;
        };
        let mut named = self.binding(unit, binding, Space::Type)?;
        for name in facts.list(path) {
            let name = self.world.text(unit, StrId(*name));
            named = self.inside(&named, name, Space::Type)?;
        }
        Some(named)
    }

    /// The root of the crate that a unit belongs to.
    pub(super) fn root(&self, unit: u32) -> Option<Sym> {
        let id = self.of_unit.get(unit as usize).copied().flatten()?;
        self.crates.get(id as usize).map(|c| file(c.root))
    }

    /// Whether two units belong to one crate.
    pub(super) fn same_crate(&self, a: u32, b: u32) -> bool {
        let of = |u: u32| self.of_unit.get(u as usize).copied().flatten();
        of(a).is_some() && of(a) == of(b)
    }

    /// The module around a module.
    pub(super) fn parent(&self, module: Sym) -> Option<Sym> {
        if module.node == LocalNode::UNIT {
            return self.parents.get(&module.unit).copied();
        }
        let mut node = self.world.node(module)?.parent;
        loop {
            let sym = Sym {
                unit: module.unit,
                node,
            };
            let kind = self.world.kind(sym);
            if matches!(kind, NodeKind::MODULE | NodeKind::FILE) {
                return Some(sym);
            }
            node = self.world.node(sym)?.parent;
        }
    }

    /// Another crate by the name that a unit uses for it.
    pub(super) fn crate_named(&self, unit: u32, name: &str) -> Option<Named> {
        if matches!(name, "std" | "core" | "alloc") {
            return Some(Named::Node(file(self.library)));
        }
        let id = self.of_unit.get(unit as usize).copied().flatten()?;
        match self.crates.get(id as usize)?.externs.get(name)? {
            Outside::Root(unit) => Some(Named::Node(file(*unit))),
            Outside::Key(key) => Some(Named::Outside(key.clone())),
        }
    }

    /// The file of a `mod x;`.
    pub(super) fn module_file(&self, unit: u32, declaration: u32) -> Option<Sym> {
        self.files.get(&(unit, declaration)).map(|u| file(*u))
    }

    pub(super) fn uses(&self, module: Sym, name: &str) -> &[u32] {
        self.uses
            .get(&(module, hash(name)))
            .map_or(&[], Vec::as_slice)
    }

    pub(super) fn globs(&self, module: Sym) -> &[u32] {
        self.globs.get(&module).map_or(&[], Vec::as_slice)
    }

    pub(super) fn macros(&self, name: &str) -> &[Sym] {
        self.macros.get(&hash(name)).map_or(&[], Vec::as_slice)
    }

    /// Whether the library has a method of that name: on an unknown receiver it is probably that one.
    pub(super) fn is_library_method(&self, name: &str) -> bool {
        self.library_methods.contains(name)
    }

    pub(super) fn block(&self, block: Block) -> Option<&'w Impl> {
        let unit = self.world.unit(block.unit)?;
        unit.facts.impls.get(block.at as usize)
    }

    pub(super) fn blocks_of(&self, head: &Head) -> &[Block] {
        self.by_head.get(head).map_or(&[], Vec::as_slice)
    }

    /// Blocks of that head that have a member of that name.
    pub(super) fn members_of(&self, head: &Head, name: &str) -> &[(Block, LocalNode)] {
        self.members
            .get(&(head.clone(), hash(name)))
            .map_or(&[], Vec::as_slice)
    }

    pub(super) fn trait_of(&self, block: Block) -> Option<Sym> {
        self.traits.get(&block).copied()
    }

    pub(super) fn blocks_for(&self, of_trait: Sym) -> &[Block] {
        self.by_trait.get(&of_trait).map_or(&[], Vec::as_slice)
    }

    /// The head of a block's type.
    pub(super) fn head_of(&self, block: Block) -> Option<&Head> {
        self.heads.get(&block)
    }
}

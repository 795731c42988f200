//! Paths: from names that a file writes to what some module defines.

use rustc_hash::FxHashMap;

use super::crates::Crates;
use crate::ids::{LocalNode, StrId};
use crate::link::world::Sym;
use crate::model::facts::{BindingId, Bound, UseForm, UseId};
use crate::model::key::hash;
use crate::model::label::NodeKind;

/// A name space of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    /// Types, traits and modules.
    Type,
    /// Functions, constants, constructors.
    Value,
    /// Macros.
    Macro,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// A definition, a module or a file.
    Node(Sym),
    /// A symbol outside, by its key.
    Outside(String),
}

/// Names of the library that every module sees.
const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Vec",
    "drop",
];

/// How many declarations may lead on to each other.
const DEPTH: u32 = 64;

/// What a query has found so far; nothing where it is still being looked for.
#[derive(Default)]
pub(super) struct Visited {
    found: FxHashMap<(Sym, u64, Space), Option<Named>>,
    depth: u32,
}

/// Whether a definition of that kind lives in a name space.
fn lives(kind: NodeKind, space: Space) -> bool {
    match kind {
        NodeKind::STRUCT | NodeKind::ENUM_MEMBER => space != Space::Macro,
        NodeKind::FUNCTION | NodeKind::CONSTANT | NodeKind::VARIABLE => space == Space::Value,
        NodeKind::MACRO => space == Space::Macro,
        NodeKind::ENUM
        | NodeKind::UNION
        | NodeKind::TRAIT
        | NodeKind::TYPE_ALIAS
        | NodeKind::MODULE => space == Space::Type,
        _ => false,
    }
}

/// A symbol inside one that stands outside.
pub(super) fn outside_member(key: &str, name: &str) -> String {
    let name = name.trim_end_matches('!');
    if key.contains("::") {
        format!("{key}.{name}")
    } else {
        format!("{key}::{name}")
    }
}

impl<'w> Crates<'w> {
    /// What a name of a file means.
    pub(super) fn binding(&self, unit: u32, id: BindingId, space: Space) -> Option<Named> {
        let binding = self.world.unit(unit)?.facts.binding(id)?;
        let name = self.world.text(unit, binding.name);
        match binding.bound {
            Bound::Node(node) => Some(Named::Node(Sym { unit, node })),
            Bound::Use(declaration) => {
                let found = self.declared(unit, declaration, space, &mut Visited::default());
                found.or_else(|| {
                    // It brings in something of another name space: the name means what it would mean without it.
                    let module = self.world.unit(unit)?.facts.uses.get(declaration.index())?;
                    let module = Sym {
                        unit,
                        node: module.module,
                    };
                    let name = name.trim_end_matches('!');
                    self.head(module, name, space, &mut Visited::default())
                })
            }
            Bound::Outer { module, globs } => {
                let module = Sym { unit, node: module };
                let name = name.trim_end_matches('!');
                for glob in self.world.unit(unit)?.facts.list(globs) {
                    let found =
                        self.through_glob(unit, UseId(*glob), name, space, &mut Visited::default());
                    if found.is_some() {
                        return found;
                    }
                }
                self.head(module, name, space, &mut Visited::default())
            }
            _ => None,
        }
    }

    /// The first name of a path, as it is meant in a module.
    fn head(&self, module: Sym, name: &str, space: Space, visited: &mut Visited) -> Option<Named> {
        match name {
            "crate" => return self.root(module.unit).map(Named::Node),
            "self" => return Some(Named::Node(module)),
            "super" => return self.parent(module).map(Named::Node),
            _ => {}
        }
        if let Some(found) = self.item(module, name, space, visited) {
            return Some(found);
        }
        if space == Space::Macro {
            return self.macro_named(module, name);
        }
        if space == Space::Type
            && let Some(found) = self.crate_named(module.unit, name)
        {
            return Some(found);
        }
        let library = Sym {
            unit: self.library,
            node: LocalNode::UNIT,
        };
        if module.unit == self.library && module != library {
            return self.item(library, name, space, visited);
        }
        if PRELUDE.contains(&name) {
            let found = self.item(library, name, space, visited);
            return found.or_else(|| Some(Named::Outside(format!("rust:std::{name}"))));
        }
        None
    }

    /// A macro that is seen by the place of its text: one of the same file or of a module around, or one that a crate
    /// hands on.
    fn macro_named(&self, module: Sym, name: &str) -> Option<Named> {
        let all = self.macros(name);
        let mut around = Some(module);
        for _ in 0..64 {
            let Some(at) = around else { break };
            let found = all.iter().find(|s| {
                self.world
                    .node(**s)
                    .is_some_and(|n| n.parent == at.node && s.unit == at.unit)
            });
            if let Some(found) = found {
                return Some(Named::Node(*found));
            }
            around = self.parent(at);
        }
        // `#[macro_use] mod macros;` shows its macros to what follows it.
        let own: Vec<Sym> = all
            .iter()
            .copied()
            .filter(|s| self.same_crate(s.unit, module.unit))
            .collect();
        match own.as_slice() {
            [one] => Some(Named::Node(*one)),
            _ => None,
        }
    }

    /// What a module defines or takes in under a name.
    pub(super) fn item(
        &self,
        module: Sym,
        name: &str,
        space: Space,
        visited: &mut Visited,
    ) -> Option<Named> {
        let key = (module, hash(name), space);
        if let Some(known) = visited.found.get(&key) {
            return known.clone();
        }
        if visited.depth >= DEPTH {
            return None;
        }
        visited.found.insert(key, None);
        visited.depth += 1;
        let found = self.item_now(module, name, space, visited);
        visited.depth -= 1;
        visited.found.insert(key, found.clone());
        found
    }

    fn item_now(
        &self,
        module: Sym,
        name: &str,
        space: Space,
        visited: &mut Visited,
    ) -> Option<Named> {
        let own = self
            .world
            .children(module, name)
            .into_iter()
            .find(|s| lives(self.world.kind(*s), space));
        if let Some(own) = own {
            return Some(Named::Node(own));
        }
        for declaration in self.uses(module, name) {
            let found = self.declared(module.unit, UseId(*declaration), space, visited);
            if found.is_some() {
                return found;
            }
        }
        for glob in self.globs(module) {
            let found = self.through_glob(module.unit, UseId(*glob), name, space, visited);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// What a declaration takes in under its name.
    pub(super) fn declared(
        &self,
        unit: u32,
        declaration: UseId,
        space: Space,
        visited: &mut Visited,
    ) -> Option<Named> {
        let facts = &self.world.unit(unit)?.facts;
        let found = facts.uses.get(declaration.index())?;
        match found.form {
            UseForm::File => (space == Space::Type)
                .then(|| self.module_file(unit, declaration.0).map(Named::Node))
                .flatten(),
            UseForm::Glob => None,
            UseForm::Crate => {
                let name = facts.list(found.path).first()?;
                let name = self.world.text(unit, StrId(*name));
                if name == "self" {
                    return self.root(unit).map(Named::Node);
                }
                self.crate_named(unit, name)
                    .or_else(|| Some(Named::Outside(format!("crate:{name}"))))
            }
            UseForm::Name => {
                let module = Sym {
                    unit,
                    node: found.module,
                };
                let path: Vec<&str> = facts
                    .list(found.path)
                    .iter()
                    .map(|s| self.world.text(unit, StrId(*s)))
                    .collect();
                self.path(module, &path, space, visited)
            }
        }
    }

    fn through_glob(
        &self,
        unit: u32,
        glob: UseId,
        name: &str,
        space: Space,
        visited: &mut Visited,
    ) -> Option<Named> {
        match self.glob_target(unit, glob, visited)? {
            Named::Node(sym) if self.world.kind(sym) == NodeKind::ENUM => self
                .world
                .children(sym, name)
                .into_iter()
                .find(|s| self.world.kind(*s) == NodeKind::ENUM_MEMBER && space != Space::Macro)
                .map(Named::Node),
            Named::Node(sym) => self.item(sym, name, space, visited),
            Named::Outside(_) => None,
        }
    }

    /// The module or enumeration that a glob opens.
    pub(super) fn glob_target(
        &self,
        unit: u32,
        glob: UseId,
        visited: &mut Visited,
    ) -> Option<Named> {
        let facts = &self.world.unit(unit)?.facts;
        let found = facts.uses.get(glob.index())?;
        let module = Sym {
            unit,
            node: found.module,
        };
        let path: Vec<&str> = facts
            .list(found.path)
            .iter()
            .map(|s| self.world.text(unit, StrId(*s)))
            .collect();
        self.path(module, &path, Space::Type, visited)
    }

    /// What a whole path leads to that stands in a module.
    pub(super) fn path(
        &self,
        module: Sym,
        path: &[&str],
        space: Space,
        visited: &mut Visited,
    ) -> Option<Named> {
        let (first, rest) = path.split_first()?;
        let own = if rest.is_empty() { space } else { Space::Type };
        let named = if *first == "::" {
            let (name, after) = rest.split_first()?;
            let found = self
                .crate_named(module.unit, name)
                .unwrap_or_else(|| Named::Outside(format!("crate:{name}")));
            return self.along(found, after, space, visited);
        } else {
            self.head(module, first, own, visited)
        };
        let named = named.or_else(|| {
            // Until 2018 paths began at the root of the crate.
            let root = self.root(module.unit).filter(|root| *root != module)?;
            self.item(root, first, own, visited)
        });
        match named {
            Some(named) => self.along(named, rest, space, visited),
            // A crate of which no manifest speaks.
            None if !rest.is_empty() && first.starts_with(char::is_lowercase) => {
                let found = Named::Outside(format!("crate:{first}"));
                self.along(found, rest, space, visited)
            }
            None => None,
        }
    }

    fn along(
        &self,
        named: Named,
        rest: &[&str],
        space: Space,
        visited: &mut Visited,
    ) -> Option<Named> {
        let mut named = named;
        for (i, name) in rest.iter().enumerate() {
            let last = i + 1 == rest.len();
            let own = if last { space } else { Space::Type };
            named = self.member(&named, name, own, visited)?;
        }
        Some(named)
    }

    /// A name inside a module or enumeration.
    pub(super) fn inside(&self, named: &Named, name: &str, space: Space) -> Option<Named> {
        self.member(named, name, space, &mut Visited::default())
    }

    fn member(
        &self,
        named: &Named,
        name: &str,
        space: Space,
        visited: &mut Visited,
    ) -> Option<Named> {
        match named {
            Named::Outside(key) => Some(Named::Outside(outside_member(key, name))),
            Named::Node(sym) => match self.world.kind(*sym) {
                NodeKind::MODULE | NodeKind::FILE => {
                    if name == "super" {
                        return self.parent(*sym).map(Named::Node);
                    }
                    if name == "self" {
                        return Some(Named::Node(*sym));
                    }
                    let found = self.item(*sym, name, space, visited);
                    if found.is_some() || sym.unit != self.library {
                        if found.is_none() && space == Space::Macro {
                            return self.macro_named(*sym, name);
                        }
                        return found;
                    }
                    self.library_item(*sym, name, space, visited)
                }
                NodeKind::ENUM => self
                    .world
                    .children(*sym, name)
                    .into_iter()
                    .find(|s| self.world.kind(*s) == NodeKind::ENUM_MEMBER)
                    .map(Named::Node),
                NodeKind::TYPE_ALIAS => {
                    let def = self.world.unit(sym.unit)?.facts.def(sym.node)?;
                    let target = self.named_type(sym.unit, def.ty, 1)?;
                    if target == *named {
                        return None;
                    }
                    match &target {
                        Named::Node(next) if self.world.kind(*next) == NodeKind::ENUM => {
                            self.member(&target, name, space, visited)
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
        }
    }

    /// The library declares its types in one place, whatever module they are reached through.
    fn library_item(
        &self,
        module: Sym,
        name: &str,
        space: Space,
        visited: &mut Visited,
    ) -> Option<Named> {
        let root = Sym {
            unit: self.library,
            node: LocalNode::UNIT,
        };
        if module.node != LocalNode::UNIT || name.starts_with(char::is_uppercase) {
            let found = self.item(root, name, space, visited);
            if found.is_some() && name.starts_with(char::is_uppercase) {
                return found;
            }
        }
        let mut key = "rust:std".to_string();
        let mut names = Vec::new();
        let mut at = module;
        while at.node != LocalNode::UNIT {
            names.push(self.world.name(at).to_string());
            at.node = self.world.node(at)?.parent;
        }
        for part in names.iter().rev() {
            key = outside_member(&key, part);
        }
        // Modules that are not declared are plain names on the way: their types are.
        let _ = hash(name);
        Some(Named::Outside(outside_member(&key, name)))
    }
}

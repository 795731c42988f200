//! Imports and exports: from a name that a file writes to what another file defines.

use super::eval::Eval;
use super::world::{Module, Sym};
use crate::ids::LocalNode;
use crate::model::facts::{BindingId, Bound, Export, Exported, ExprId, ImportId, Imported, Space};
use crate::model::key::hash;
use crate::model::label::NodeKind;

/// What a name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A definition.
    Node(Sym),
    /// A name of a file's scope that is no definition.
    Binding(u32, BindingId),
    /// A value.
    Expr(u32, ExprId),
    /// A member of a file's value as a whole.
    MemberOf(u32, ExprId, String),
    /// A file as a namespace.
    Module(u32),
    /// A folder as a namespace.
    Folder(String),
    /// A symbol outside, by its key.
    External(String),
    /// Nothing that is there.
    Missing,
}

/// What a name leads to, and how far it was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) found: Found,
    /// Files that only hand the name on.
    pub(super) hops: u32,
}

impl Hit {
    fn here(found: Found) -> Self {
        Self { found, hops: 0 }
    }
}

/// How many files may hand a name on.
const HOP_LIMIT: u32 = 64;

impl<'w> Eval<'w> {
    /// What an import stands for.
    pub(super) fn import(&mut self, unit: u32, import: ImportId, space: Space) -> Hit {
        let Some(facts) = self.world.unit(unit).map(|u| &u.facts) else {
            return Hit::here(Found::Missing);
        };
        let Some(import) = facts.imports.get(import.index()) else {
            return Hit::here(Found::Missing);
        };
        match self.world.module(unit, import.module) {
            Some(Module::Unit(target)) => {
                let target = *target;
                match import.imported {
                    Imported::Name(name) => {
                        let name = self.world.text(unit, name);
                        self.export(target, name, space)
                    }
                    Imported::Default => self.export(target, "default", space),
                    Imported::Namespace
                    | Imported::Glob
                    | Imported::SideEffect
                    | Imported::Package => Hit::here(Found::Module(target)),
                    Imported::Whole => Hit::here(self.whole(target)),
                }
            }
            Some(Module::External(key)) => {
                let module = self.world.text(unit, import.module);
                if let Imported::Name(name) = import.imported {
                    let name = self.world.text(unit, name);
                    if let Some(sym) = self.ambient_member(module, name, space) {
                        return Hit::here(Found::Node(sym));
                    }
                    return Hit::here(Found::External(format!("{key}::{name}")));
                }
                Hit::here(Found::External(key.clone()))
            }
            Some(Module::Folder(folder)) => {
                let found = match import.imported {
                    Imported::Name(name) => {
                        let name = self.world.text(unit, name);
                        self.submodule(folder, name).unwrap_or(Found::Missing)
                    }
                    _ => Found::Folder(folder.clone()),
                };
                Hit::here(found)
            }
            Some(Module::Asset | Module::Missing(_)) | None => {
                let module = self.world.text(unit, import.module);
                if let Imported::Name(name) = import.imported {
                    let name = self.world.text(unit, name);
                    if let Some(sym) = self.ambient_member(module, name, space) {
                        return Hit::here(Found::Node(sym));
                    }
                }
                Hit::here(Found::Missing)
            }
        }
    }

    fn ambient_member(&self, module: &str, name: &str, space: Space) -> Option<Sym> {
        let modules: Vec<Sym> = self.world.ambient(module).collect();
        modules
            .into_iter()
            .flat_map(|m| self.world.children(m, name))
            .find(|s| serves(self.world.kind(*s), space))
    }

    /// The value of a module as a whole.
    pub(super) fn whole(&self, unit: u32) -> Found {
        match self.world.index(unit).and_then(|i| i.whole) {
            Some(expr) => Found::Expr(unit, expr),
            None => Found::Module(unit),
        }
    }

    /// What a file offers under a name.
    pub(super) fn export(&mut self, unit: u32, name: &str, space: Space) -> Hit {
        if self.is_go(unit) {
            return self.go_export(unit, name, space);
        }
        let key = (unit, hash(name), space as u8);
        if let Some(known) = self.exports.get(&key) {
            return known.clone();
        }
        let mut visited = Vec::new();
        let hit = self
            .export_in(unit, name, space, 0, &mut visited)
            .unwrap_or(Hit::here(Found::Missing));
        self.exports.insert(key, hit.clone());
        hit
    }

    fn export_in(
        &mut self,
        unit: u32,
        name: &str,
        space: Space,
        hops: u32,
        visited: &mut Vec<(u32, u64)>,
    ) -> Option<Hit> {
        let hit = self.export_named(unit, name, space, hops, visited);
        if hit.is_some() {
            return hit;
        }
        // What a package does not name can still be a module below it.
        let found = self.submodule_of(unit, name)?;
        Some(Hit { found, hops })
    }

    fn export_named(
        &mut self,
        unit: u32,
        name: &str,
        space: Space,
        hops: u32,
        visited: &mut Vec<(u32, u64)>,
    ) -> Option<Hit> {
        let mark = (unit, hash(name));
        if hops > HOP_LIMIT || visited.contains(&mark) {
            return None;
        }
        visited.push(mark);
        let facts = &self.world.unit(unit)?.facts;
        let mut second_best = None;
        for place in self.world.exports(unit, name) {
            let Some(export) = facts.exports.get(*place as usize) else {
                continue;
            };
            if self.world.text(unit, export.name) != name {
                continue;
            }
            match self.exported(unit, export, space, hops, visited) {
                Some((hit, true)) => return Some(hit),
                Some((hit, false)) => second_best = second_best.or(Some(hit)),
                None => {}
            }
        }
        if second_best.is_some() {
            return second_best;
        }
        let index = self.world.index(unit)?;
        if let Some(whole) = index.whole {
            let found = match name {
                "default" => Found::Expr(unit, whole),
                _ => Found::MemberOf(unit, whole, name.to_string()),
            };
            return Some(Hit { found, hops });
        }
        if name != "default" {
            let mut outside = None;
            for star in &index.stars {
                match self.world.module(unit, *star) {
                    Some(Module::Unit(next)) => {
                        let next = *next;
                        if let Some(hit) = self.export_in(next, name, space, hops + 1, visited) {
                            return Some(hit);
                        }
                    }
                    Some(Module::External(key)) if outside.is_none() => {
                        outside = Some(format!("{key}::{name}"));
                    }
                    _ => {}
                }
            }
            // Only one package can be meant when everything of one package is handed on.
            return outside.map(|key| Hit {
                found: Found::External(key),
                hops,
            });
        }
        // A CommonJS file that only sets members is its own default.
        let commonjs = facts
            .exports
            .iter()
            .all(|e| matches!(e.exported, Exported::Expr(_) | Exported::Node(_)));
        let javascript = self.world.unit(unit)?.key().ends_with("js");
        (commonjs && javascript && !facts.exports.is_empty()).then_some(Hit {
            found: Found::Module(unit),
            hops,
        })
    }

    /// What one export leads to, and whether it serves the name space that is asked for.
    fn exported(
        &mut self,
        unit: u32,
        export: &Export,
        space: Space,
        hops: u32,
        visited: &mut Vec<(u32, u64)>,
    ) -> Option<(Hit, bool)> {
        match export.exported {
            Exported::Node(node) => {
                let sym = Sym { unit, node };
                let fits = serves(self.world.kind(sym), space);
                let found = Found::Node(sym);
                Some((Hit { found, hops }, fits))
            }
            Exported::Bound { value, ty } => {
                let (first, second) = match space {
                    Space::Type => (ty, value),
                    _ => (value, ty),
                };
                let fits = first != BindingId::NONE;
                let binding = if fits { first } else { second };
                let hit = self.bound(unit, binding, space, hops, visited)?;
                Some((hit, fits))
            }
            Exported::Expr(expr) | Exported::Whole(expr) => {
                let found = Found::Expr(unit, expr);
                Some((Hit { found, hops }, true))
            }
            Exported::From { module, name } => {
                let name = self.world.text(unit, name);
                match self.world.module(unit, module)? {
                    Module::Unit(next) => {
                        let next = *next;
                        let hit = self.export_in(next, name, space, hops + 1, visited)?;
                        Some((hit, true))
                    }
                    Module::External(key) => {
                        let key = match name {
                            "default" => key.clone(),
                            _ => format!("{key}::{name}"),
                        };
                        let found = Found::External(key);
                        Some((Hit { found, hops }, true))
                    }
                    Module::Asset | Module::Missing(_) | Module::Folder(_) => None,
                }
            }
            Exported::NamespaceOf { module } => {
                let found = match self.world.module(unit, module)? {
                    Module::Unit(next) => Found::Module(*next),
                    Module::External(key) => Found::External(key.clone()),
                    Module::Folder(folder) => Found::Folder(folder.clone()),
                    Module::Asset | Module::Missing(_) => return None,
                };
                let hops = hops + 1;
                Some((Hit { found, hops }, true))
            }
            Exported::StarOf { .. } => None,
        }
    }

    /// What a name of a file's own scope leads to.
    fn bound(
        &mut self,
        unit: u32,
        binding: BindingId,
        space: Space,
        hops: u32,
        visited: &mut Vec<(u32, u64)>,
    ) -> Option<Hit> {
        let facts = &self.world.unit(unit)?.facts;
        match facts.binding(binding)?.bound {
            Bound::Node(node) => {
                let found = Found::Node(Sym { unit, node });
                Some(Hit { found, hops })
            }
            Bound::Import(id) => {
                let import = facts.imports.get(id.index())?;
                if let (Some(Module::Unit(next)), Some(name)) = (
                    self.world.module(unit, import.module),
                    match import.imported {
                        Imported::Name(name) => Some(self.world.text(unit, name)),
                        Imported::Default => Some("default"),
                        _ => None,
                    },
                ) {
                    let next = *next;
                    return self.export_in(next, name, space, hops + 1, visited);
                }
                let hit = self.import(unit, id, space);
                Some(Hit {
                    found: hit.found,
                    hops: hops + 1,
                })
            }
            Bound::Local { .. } | Bound::TypeParam { .. } => {
                let found = Found::Binding(unit, binding);
                Some(Hit { found, hops })
            }
            Bound::Use(_) | Bound::Outer { .. } => None,
        }
    }

    /// What a name of the file means, imports followed.
    pub(super) fn binding(&mut self, unit: u32, binding: BindingId, space: Space) -> Hit {
        let bound = self
            .world
            .unit(unit)
            .and_then(|u| u.facts.binding(binding))
            .map(|b| b.bound);
        match bound {
            Some(Bound::Node(node)) => Hit::here(Found::Node(Sym { unit, node })),
            Some(Bound::Import(import)) => self.import(unit, import, space),
            Some(_) => Hit::here(Found::Binding(unit, binding)),
            None => Hit::here(Found::Missing),
        }
    }

    /// A member of a namespace: a declared one, a file, or an enumeration.
    pub(super) fn namespace_member(&mut self, found: &Found, name: &str, space: Space) -> Found {
        match found {
            Found::Module(unit) => self.export(*unit, name, space).found,
            Found::Folder(folder) => self.submodule(folder, name).unwrap_or(Found::Missing),
            Found::Node(sym) => {
                let members = self.world.children(*sym, name);
                let fits = members
                    .iter()
                    .find(|s| serves(self.world.kind(**s), space))
                    .or(members.first());
                match fits {
                    Some(sym) => Found::Node(*sym),
                    None => Found::Missing,
                }
            }
            Found::External(key) => Found::External(member_key(key, name)),
            _ => Found::Missing,
        }
    }
}

/// The key of a member of something outside: only the first level has a key of its own.
pub(super) fn member_key(key: &str, name: &str) -> String {
    if key.contains("::") {
        key.to_string()
    } else {
        format!("{key}::{name}")
    }
}

/// Whether a definition of this kind stands in a name space.
pub(super) fn serves(kind: NodeKind, space: Space) -> bool {
    let both = matches!(
        kind,
        NodeKind::CLASS | NodeKind::ENUM | NodeKind::MODULE | NodeKind::ENUM_MEMBER
    );
    let ty = matches!(kind, NodeKind::INTERFACE | NodeKind::TYPE_ALIAS);
    match space {
        Space::Both => true,
        Space::Type => both || ty,
        Space::Value => !ty,
    }
}

/// The file node of a unit.
pub(super) fn file(unit: u32) -> Sym {
    Sym {
        unit,
        node: LocalNode::UNIT,
    }
}

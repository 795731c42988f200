//! Python: the order of a class's bases, members by that order, names from star imports, modules below packages.
//!
//! Where it sits: beside [`super::members`] and [`super::names`], which ask here for units of Python. Invariant: a member is
//! the first one of its name in the method resolution order; instances and classes share their members.

use std::rc::Rc;

use super::eval::Eval;
use super::members::{Member, Members};
use super::names::{Found, Hit};
use super::types::{Env, Ty, bind, lookup};
use super::world::{Module, Sym};
use crate::model::facts::{BindingId, ExprId, FunctionId, Space, TypeId};
use crate::model::label::NodeKind;

/// A class with its bases, in the order in which members are looked up.
pub(super) struct Mro {
    classes: Vec<Sym>,
    /// A base is outside the index, or not known.
    opaque: bool,
}

/// How many classes an order may hold.
const CLASSES: usize = 256;

impl<'w> Eval<'w> {
    /// The order in which a class's members are looked up.
    pub(super) fn mro(&mut self, sym: Sym) -> Rc<Mro> {
        if let Some(known) = self.mro.get(&sym) {
            return known.clone();
        }
        let alone = Rc::new(Mro {
            classes: vec![sym],
            opaque: true,
        });
        if !self.enter() {
            return alone;
        }
        // A class that is a base of itself ends here.
        self.mro.insert(sym, alone);
        let outer = (self.inferred, self.through_result);
        let mut opaque = false;
        let mut lists: Vec<Vec<Sym>> = Vec::new();
        let mut direct: Vec<Sym> = Vec::new();
        let mut waiting: Vec<Ty> = self.bases(sym, &None).into_iter().map(|(_, t)| t).collect();
        waiting.reverse();
        while let Some(base) = waiting.pop() {
            match base {
                Ty::Instance(base, _) => {
                    let mro = self.mro(base);
                    opaque |= mro.opaque;
                    lists.push(mro.classes.clone());
                    direct.push(base);
                }
                Ty::Both(all) | Ty::Union(all) if waiting.len() < CLASSES => {
                    waiting.extend(all.iter().rev().cloned());
                }
                _ => opaque = true,
            }
        }
        lists.push(direct);
        (self.inferred, self.through_result) = outer;
        let mut classes = vec![sym];
        merge(lists, &mut classes);
        let mro = Rc::new(Mro { classes, opaque });
        self.mro.insert(sym, mro.clone());
        self.leave();
        mro
    }

    /// A member of an instance of a class, or of the class itself.
    pub(super) fn python_member(
        &mut self,
        sym: Sym,
        env: &Env,
        name: &str,
        inherited: bool,
        of_type: bool,
        out: &mut Members,
    ) -> bool {
        let mro = self.mro(sym);
        let env = match lookup(env, sym.unit, BindingId::NONE) {
            Some(_) => env.clone(),
            None => {
                let this = Ty::Instance(sym, env.clone());
                bind(env, sym.unit, BindingId::NONE, this)
            }
        };
        if let Some(member) = self.first_member(&mro.classes, sym, &env, name) {
            out.nodes.push(Member {
                inherited: member.inherited || inherited,
                ..member
            });
            return true;
        }
        match name {
            "__class__" if !of_type => out.values.push(Ty::Def(sym, env)),
            // `C[int]` is `C`.
            "__getitem__" if of_type => out.values.push(Ty::Def(sym, env)),
            _ => {
                let dynamic = self
                    .first_member(&mro.classes, sym, &env, "__getattr__")
                    .is_some();
                out.opaque |= mro.opaque || dynamic;
                return false;
            }
        }
        true
    }

    /// A member of what stands behind a class in its order.
    pub(super) fn python_after(&mut self, sym: Sym, name: &str, out: &mut Members) {
        let mro = self.mro(sym);
        let this = Ty::Instance(sym, None);
        let env = bind(&None, sym.unit, BindingId::NONE, this);
        let rest = mro.classes.get(1..).unwrap_or_default();
        match self.first_member(rest, sym, &env, name) {
            Some(member) => out.nodes.push(Member {
                inherited: true,
                ..member
            }),
            None => out.opaque = true,
        }
    }

    fn first_member(&mut self, classes: &[Sym], sym: Sym, env: &Env, name: &str) -> Option<Member> {
        let mut weak: Option<Member> = None;
        for class in classes {
            let found = self
                .world
                .children(*class, name)
                .into_iter()
                .find(|s| is_member(self.world.kind(*s)));
            let Some(found) = found else { continue };
            let kind = self.world.kind(found);
            let member = Member {
                sym: found,
                env: self.env_of_base(sym, env, *class),
                inherited: *class != sym,
            };
            let def = self.facts(found.unit).and_then(|f| f.def(found.node));
            let written = kind != NodeKind::FIELD || def.is_some_and(|d| d.ty != TypeId::UNKNOWN);
            match &weak {
                // A field that is only assigned has the type that a base has written for it.
                Some(_) if matches!(kind, NodeKind::FIELD | NodeKind::ACCESSOR) && written => {
                    return Some(member);
                }
                Some(_) => {}
                None if written => return Some(member),
                None => weak = Some(member),
            }
        }
        weak
    }

    /// The environment of a base as an instance of `sym` has it.
    fn env_of_base(&mut self, sym: Sym, env: &Env, base: Sym) -> Env {
        if base == sym {
            return env.clone();
        }
        let this = lookup(env, sym.unit, BindingId::NONE);
        let generic = self
            .facts(base.unit)
            .and_then(|f| Some(!f.list(f.def(base.node)?.type_params).is_empty()));
        let mut found = None;
        if generic == Some(true) {
            let outer = (self.inferred, self.through_result);
            found = self.path_to_base(sym, env, base);
            (self.inferred, self.through_result) = outer;
        }
        match this {
            Some(this) => bind(&found.flatten(), base.unit, BindingId::NONE, this),
            None => found.flatten(),
        }
    }

    fn path_to_base(&mut self, sym: Sym, env: &Env, base: Sym) -> Option<Env> {
        if !self.enter() {
            return None;
        }
        let mut found = None;
        for (_, ty) in self.bases(sym, env) {
            if let Ty::Instance(next, next_env) = ty {
                found = if next == base {
                    Some(next_env)
                } else {
                    self.path_to_base(next, &next_env, base)
                };
                if found.is_some() {
                    break;
                }
            }
        }
        self.leave();
        found
    }

    /// The function that takes the arguments of a construction.
    pub(super) fn python_constructor(
        &mut self,
        sym: Sym,
        env: &Env,
    ) -> Option<(u32, FunctionId, Env)> {
        let mro = self.mro(sym);
        let member = self.first_member(&mro.classes, sym, env, "__init__")?;
        let function = self.functions_of(member.sym);
        (function != FunctionId::NONE).then_some((member.sym.unit, function, member.env))
    }

    /// What `self` or `cls` is.
    pub(super) fn python_this(&mut self, sym: Sym, of_type: bool, env: &Env) -> Ty {
        let this = lookup(env, sym.unit, BindingId::NONE);
        match (this, of_type) {
            (Some(Ty::Instance(sym, env)), true) => Ty::Def(sym, env),
            (Some(this), false) => this,
            (_, true) => Ty::Def(sym, None),
            (None, false) => Ty::Instance(sym, None),
        }
    }

    /// A case of an enumeration is an instance of it.
    pub(super) fn python_case(&mut self, sym: Sym) -> Ty {
        match self.world.node(sym) {
            Some(node) => {
                let class = Sym {
                    unit: sym.unit,
                    node: node.parent,
                };
                Ty::Instance(class, None)
            }
            None => Ty::Unknown,
        }
    }

    /// What an iteration over an instance yields.
    pub(super) fn python_element(&mut self, ty: &Ty) -> Ty {
        if !self.enter() {
            return Ty::Unknown;
        }
        let mut found = Ty::Unknown;
        for name in [
            "__next__",
            "__anext__",
            "__iter__",
            "__aiter__",
            "__getitem__",
        ] {
            let method = self.member_type(ty, name);
            if !matches!(method, Ty::Def(..)) {
                continue;
            }
            let result = self.call_result(&method, None);
            found = match name {
                "__iter__" | "__aiter__" => self.element(&result),
                "__anext__" => self.awaited(&result),
                _ => result,
            };
            break;
        }
        self.leave();
        found
    }

    /// A name that the file takes from somewhere with everything else (`from m import *`).
    pub(super) fn python_star(&mut self, unit: u32, name: &str) -> Option<Hit> {
        let stars = &self.world.index(unit)?.stars;
        if stars.is_empty() || name.starts_with('_') {
            return None;
        }
        let mut outside = None;
        for star in stars {
            match self.world.module(unit, *star) {
                Some(Module::Unit(next)) => {
                    let hit = self.export(*next, name, Space::Value);
                    if hit.found != Found::Missing {
                        return Some(hit);
                    }
                }
                Some(Module::External(key)) if outside.is_none() => {
                    outside = Some(format!("{key}::{name}"));
                }
                _ => {}
            }
        }
        let key = outside.filter(|_| !super::python_builtin::is_builtin(name))?;
        Some(Hit {
            found: Found::External(key),
            hops: 0,
        })
    }

    /// A name that the file does not bind.
    pub(super) fn python_free(&mut self, unit: u32, name: &str) -> Ty {
        if let Some(hit) = self.python_star(unit, name) {
            return self.found_value(&hit.found);
        }
        if super::python_builtin::hands_on(name) {
            return Ty::Library(format!("py:{name}").into());
        }
        if super::python_builtin::is_builtin(name) {
            return Ty::Opaque;
        }
        Ty::Unknown
    }

    /// A module below a folder.
    pub(super) fn submodule(&self, folder: &str, name: &str) -> Option<Found> {
        match self.world.submodule(folder, name)? {
            Module::Unit(unit) => Some(Found::Module(unit)),
            Module::Folder(folder) => Some(Found::Folder(folder)),
            _ => None,
        }
    }

    /// A module below the package that a unit is.
    pub(super) fn submodule_of(&self, unit: u32, name: &str) -> Option<Found> {
        let key = self.world.unit(unit)?.key();
        let folder = key
            .strip_suffix("__init__.py")
            .or_else(|| key.strip_suffix("__init__.pyi"))?;
        let found = self.submodule(folder.trim_end_matches('/'), name)?;
        (found != Found::Module(unit)).then_some(found)
    }

    /// The argument of a call at a place.
    pub(super) fn argument_expr(&self, site: Option<&super::eval::Site>, at: usize) -> ExprId {
        let arg = site.and_then(|s| self.entries(s.unit, s.args).get(at));
        ExprId(arg.copied().unwrap_or(0))
    }
}

fn is_member(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::METHOD
            | NodeKind::FIELD
            | NodeKind::ACCESSOR
            | NodeKind::CONSTRUCTOR
            | NodeKind::ENUM_MEMBER
            | NodeKind::CLASS
            | NodeKind::TYPE_ALIAS
    )
}

/// Merges the orders of bases so that each keeps its own order; where that cannot be, the first order written wins.
fn merge(mut lists: Vec<Vec<Sym>>, into: &mut Vec<Sym>) {
    for list in &mut lists {
        list.reverse();
    }
    while into.len() < CLASSES {
        lists.retain(|l| !l.is_empty());
        let heads: Vec<Sym> = lists.iter().filter_map(|l| l.last().copied()).collect();
        let Some(first) = heads.first().copied() else {
            break;
        };
        let free = heads.iter().copied().find(|head| {
            !lists
                .iter()
                .any(|l| l.iter().rev().skip(1).any(|s| s == head))
        });
        let next = free.unwrap_or(first);
        if !into.contains(&next) {
            into.push(next);
        }
        for list in &mut lists {
            list.retain(|s| *s != next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LocalNode;

    fn sym(node: u32) -> Sym {
        Sym {
            unit: 0,
            node: LocalNode(node),
        }
    }

    #[test]
    fn a_diamond_has_its_common_base_last() {
        let (a, b, c, d) = (sym(1), sym(2), sym(3), sym(4));
        let mut order = vec![d];
        merge(vec![vec![b, a], vec![c, a], vec![b, c]], &mut order);
        assert_eq!(order, [d, b, c, a]);
    }

    #[test]
    fn orders_that_contradict_each_other_still_end() {
        let (a, b, c) = (sym(1), sym(2), sym(3));
        let mut order = vec![c];
        merge(vec![vec![a, b], vec![b, a], vec![a, b]], &mut order);
        assert_eq!(order, [c, a, b]);
    }
}

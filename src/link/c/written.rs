//! Written types: which definition they name, and what a value of them is.

use std::rc::Rc;

use super::lookup::Linker;
use super::values::{Env, Frame, Value, is_record, is_type, parameter, tag, template};
use crate::ids::StrId;
use crate::link::world::Sym;
use crate::model::facts::{Bound, List, TypeExpr, TypeId};
use crate::model::label::NodeKind;

impl<'w> Linker<'w> {
    /// The definition that a written type names.
    pub(super) fn named(&mut self, unit: u32, id: TypeId) -> Option<Sym> {
        let facts = self.facts(unit)?;
        let (mut at, path) = match facts.ty(id) {
            TypeExpr::Bound { binding, path, .. } => match facts.binding(binding)?.bound {
                Bound::Node(node) => (Sym { unit, node }, path),
                Bound::Local { value, .. } => match self.value(unit, value, &None) {
                    Value::Def(sym) => (sym, path),
                    _ => return None,
                },
                _ => return None,
            },
            TypeExpr::Free { name, path, .. } => {
                let (name, want) = tag(self.world.text(unit, name));
                let looked = self.look(unit, name, want);
                self.inferred |= looked.inferred;
                (*looked.targets.first()?, path)
            }
            _ => return None,
        };
        for part in facts.list(path) {
            let name = self.world.text(unit, StrId(*part));
            at = match self.world.kind(at) {
                NodeKind::MODULE => {
                    let members = self.space_members(at, name);
                    let ty = members.iter().find(|s| is_type(self.world.kind(**s)));
                    *ty.or(members.first())?
                }
                NodeKind::TYPE_ALIAS => {
                    let record = self.record_of_alias(at)?;
                    self.members(record, name).first()?.sym
                }
                _ => self.members(at, name).first()?.sym,
            };
        }
        Some(at)
    }

    pub(super) fn record_of_alias(&mut self, alias: Sym) -> Option<Sym> {
        let ty = self.facts(alias.unit)?.def(alias.node)?.ty;
        self.record_of_type(alias.unit, ty)
    }

    /// The record that a written type is.
    pub(super) fn record_of_type(&mut self, unit: u32, ty: TypeId) -> Option<Sym> {
        match self.ty(unit, ty, &None) {
            Value::Of(sym, _) => Some(sym),
            _ => None,
        }
    }

    /// The names of a written type, joined.
    pub(super) fn written_path(&self, unit: u32, id: TypeId) -> String {
        let Some(facts) = self.facts(unit) else {
            return String::new();
        };
        let (first, path) = match facts.ty(id) {
            TypeExpr::Free { name, path, .. } => (self.world.text(unit, name), path),
            TypeExpr::Bound { binding, path, .. } => {
                let name = facts.binding(binding).map_or(StrId::EMPTY, |b| b.name);
                (self.world.text(unit, name), path)
            }
            _ => return String::new(),
        };
        let mut text = first.to_string();
        for part in facts.list(path) {
            text.push_str("::");
            text.push_str(self.world.text(unit, StrId(*part)));
        }
        text
    }

    /// The class, or the namespace, to which a block of out-of-class members belongs.
    pub(super) fn class_of(&mut self, sym: Sym) -> Option<Sym> {
        if self.world.kind(sym) != NodeKind::IMPL {
            return Some(sym);
        }
        let ty = self.facts(sym.unit)?.def(sym.node)?.ty;
        let found = self.named(sym.unit, ty);
        if found.is_some() {
            return found;
        }
        // Inside `namespace n { … }` a class of `n` is named bare, and so is one of a namespace around it.
        let parent = self.world.node(sym)?.parent;
        let holder = Sym {
            unit: sym.unit,
            node: parent,
        };
        if self.world.kind(holder) != NodeKind::MODULE {
            return None;
        }
        let members = self.space_members(holder, self.world.name(sym));
        members.into_iter().find(|s| is_record(self.world.kind(*s)))
    }

    /// A written type.
    pub(super) fn ty(&mut self, unit: u32, id: TypeId, env: &Env) -> Value {
        if id == TypeId::UNKNOWN || !self.enter() {
            return Value::Unknown;
        }
        let value = if env.is_some() {
            self.ty_now(unit, id, env)
        } else if let Some(known) = self.types.get(&(unit, id.0)) {
            known.clone()
        } else {
            self.types.insert((unit, id.0), Value::Unknown);
            let value = self.ty_now(unit, id, env);
            self.types.insert((unit, id.0), value.clone());
            value
        };
        self.depth -= 1;
        value
    }

    pub(super) fn ty_now(&mut self, unit: u32, id: TypeId, env: &Env) -> Value {
        let Some(facts) = self.facts(unit) else {
            return Value::Unknown;
        };
        match facts.ty(id) {
            TypeExpr::Builtin => Value::Outside,
            TypeExpr::Members(node) => Value::Of(Sym { unit, node }, None),
            TypeExpr::Function(f) => Value::Function(unit, f, env.clone()),
            TypeExpr::Bound {
                binding,
                args,
                path,
            } => {
                let bound = facts.binding(binding).map(|b| b.bound);
                if let Some(Bound::TypeParam { .. }) = bound {
                    return parameter(env, unit, binding);
                }
                let args = self.arguments(unit, args, env);
                match self.named(unit, id) {
                    Some(sym) => self.instance(sym, args),
                    None => match facts.list(path).last() {
                        Some(name) => template(self.world.text(unit, StrId(*name)), args),
                        None => Value::Unknown,
                    },
                }
            }
            TypeExpr::Free { name, path, args } => {
                let args = self.arguments(unit, args, env);
                match self.named(unit, id) {
                    Some(sym) => self.instance(sym, args),
                    None => {
                        let first = self.world.text(unit, name);
                        let last = facts
                            .list(path)
                            .last()
                            .map(|p| self.world.text(unit, StrId(*p)));
                        template(last.unwrap_or(first), args)
                    }
                }
            }
            _ => Value::Unknown,
        }
    }

    pub(super) fn arguments(&mut self, unit: u32, args: List, env: &Env) -> Vec<Value> {
        let list = self.facts(unit).map_or(&[][..], |f| f.list(args));
        list.iter()
            .take(16)
            .map(|t| self.ty(unit, TypeId(*t), env))
            .collect()
    }

    /// A value of a type that was found by name.
    pub(super) fn instance(&mut self, sym: Sym, args: Vec<Value>) -> Value {
        let kind = self.world.kind(sym);
        if kind == NodeKind::TYPE_ALIAS {
            let Some(def) = self.facts(sym.unit).and_then(|f| f.def(sym.node)) else {
                return Value::Unknown;
            };
            let env = self.frame(sym, args);
            return self.ty(sym.unit, def.ty, &env);
        }
        if is_record(kind) || kind == NodeKind::ENUM {
            let env = self.frame(sym, args);
            return Value::Of(sym, env);
        }
        Value::Unknown
    }

    pub(super) fn frame(&self, sym: Sym, args: Vec<Value>) -> Env {
        if args.is_empty() {
            return None;
        }
        let facts = self.facts(sym.unit)?;
        let params = facts.list(facts.def(sym.node)?.type_params).to_vec();
        Some(Rc::new(Frame {
            unit: sym.unit,
            params,
            args,
        }))
    }
}

//! Written types: from the names in an annotation to what a value of that type is.

use std::rc::Rc;

use super::dialect::Dialect;
use super::eval::Eval;
use super::names::Found;
use super::types::{Env, Ty, bind, lookup};
use super::world::Sym;
use crate::model::facts::{BindingId, Bound, Space, TypeExpr, TypeId};
use crate::model::label::{NodeKind, Relation};

impl<'w> Eval<'w> {
    pub(super) fn ty_now(&mut self, unit: u32, id: TypeId, env: &Env) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        match facts.ty(id) {
            TypeExpr::Unknown | TypeExpr::Assoc { .. } | TypeExpr::Qualified { .. } => Ty::Unknown,
            TypeExpr::Builtin => Ty::Opaque,
            TypeExpr::Bound {
                binding,
                path,
                args,
            } => {
                let path = facts.list(path);
                let bound = facts.binding(binding).map(|b| b.bound);
                if let (Some(Bound::TypeParam { .. }), true) = (bound, path.is_empty()) {
                    return lookup(env, unit, binding).unwrap_or(Ty::Param(unit, binding));
                }
                let found = self.type_path(unit, binding, path);
                let args = self.types(unit, facts.list(args), env);
                self.named(&found, args)
            }
            TypeExpr::Free { name, path, args } => {
                let name = self.world.text(unit, name);
                let args = self.types(unit, facts.list(args), env);
                if self.is_go(unit) {
                    return self.go_type(unit, name, facts.list(path), args);
                }
                let mut found = match self.global_type(name) {
                    Some(sym) => Found::Node(sym),
                    None if self.dialect == Dialect::Python => {
                        return self.python_free_type(unit, name, facts.list(path), args);
                    }
                    None => return self.library_type(name, args),
                };
                for part in facts.list(path) {
                    let part = self.world.text(unit, crate::ids::StrId(*part));
                    found = self.namespace_member(&found, part, Space::Type);
                }
                self.named(&found, args)
            }
            TypeExpr::Implied { node, path, args } => {
                let args = self.types(unit, facts.list(args), env);
                self.class_ty(unit, node, facts.list(path), args)
            }
            TypeExpr::Imported { import, path, args } => {
                let mut found = self.import(unit, import, Space::Type).found;
                for part in facts.list(path) {
                    let part = self.world.text(unit, crate::ids::StrId(*part));
                    found = self.namespace_member(&found, part, Space::Type);
                }
                let args = self.types(unit, facts.list(args), env);
                self.named(&found, args)
            }
            TypeExpr::Sequence(element) => Ty::array(self.ty(unit, element, env)),
            TypeExpr::Tuple(list) => Ty::Tuple(self.types(unit, facts.list(list), env).into()),
            TypeExpr::Union(list) => Ty::union(self.types(unit, facts.list(list), env)),
            TypeExpr::Intersection(list) => {
                let mut all = self.types(unit, facts.list(list), env);
                all.retain(|t| !t.is_unknown());
                match all.len() {
                    0 => Ty::Unknown,
                    1 => all.swap_remove(0),
                    _ => Ty::Both(all.into()),
                }
            }
            TypeExpr::Function(f) => Ty::Function(unit, f, env.clone()),
            TypeExpr::Object(_) | TypeExpr::Members(_) => Ty::Shape(unit, id, env.clone()),
            TypeExpr::Of(expr) => self.expr(unit, expr, env),
            TypeExpr::Instance { class, args } => {
                let class = self.expr(unit, class, env);
                let args = self.types(unit, facts.list(args), env);
                self.instance(&class, args)
            }
            TypeExpr::Member { base, name } => {
                let base = self.ty(unit, base, env);
                let name = self.world.text(unit, name);
                self.member_type(&base, name)
            }
            TypeExpr::Element(base) => {
                let base = self.ty(unit, base, env);
                self.element(&base)
            }
            TypeExpr::SelfType { node } => {
                if let Some(this) = lookup(env, unit, BindingId::NONE) {
                    return this;
                }
                self.self_type(Sym { unit, node })
            }
        }
    }

    /// The type around a node.
    fn self_type(&self, mut sym: Sym) -> Ty {
        for _ in 0..16 {
            match self.world.kind(sym) {
                NodeKind::CLASS
                | NodeKind::INTERFACE
                | NodeKind::TYPE_ALIAS
                | NodeKind::STRUCT
                | NodeKind::TRAIT
                | NodeKind::IMPL => {
                    return Ty::Instance(sym, None);
                }
                NodeKind::FILE => break,
                _ => {}
            }
            let Some(node) = self.world.node(sym) else {
                break;
            };
            sym.node = node.parent;
        }
        Ty::Unknown
    }

    pub(super) fn types(&mut self, unit: u32, list: &[u32], env: &Env) -> Vec<Ty> {
        list.iter()
            .map(|t| self.ty(unit, TypeId(*t), env))
            .collect()
    }

    /// A type's definition by a name of the file and further names.
    pub(super) fn type_path(&mut self, unit: u32, binding: BindingId, path: &[u32]) -> Found {
        let mut found = self.binding(unit, binding, Space::Type).found;
        for (i, part) in path.iter().enumerate() {
            let part = self.world.text(unit, crate::ids::StrId(*part));
            let space = if i + 1 == path.len() {
                Space::Type
            } else {
                Space::Both
            };
            found = self.namespace_member(&found, part, space);
        }
        found
    }

    /// A type that every file sees.
    pub(super) fn global_type(&self, name: &str) -> Option<Sym> {
        self.world
            .globals(name)
            .find(|s| super::names::serves(self.world.kind(*s), Space::Type))
    }

    /// An instance of a type that was found by name.
    pub(super) fn named(&mut self, found: &Found, args: Vec<Ty>) -> Ty {
        match found {
            Found::Node(sym) => self.instance_of(*sym, args),
            Found::External(key) if self.dialect == Dialect::Python => {
                self.python_outside_type(key, args)
            }
            Found::External(_) => Ty::Opaque,
            Found::Binding(unit, binding) => {
                // `import A = B.C`: a name for something else.
                let bound = self.facts(*unit).and_then(|f| f.binding(*binding));
                match bound.map(|b| b.bound) {
                    Some(Bound::Local { value, .. }) => {
                        let class = self.expr(*unit, value, &None);
                        self.instance(&class, args)
                    }
                    _ => Ty::Unknown,
                }
            }
            Found::Expr(unit, expr) => {
                let class = self.expr(*unit, *expr, &None);
                self.instance(&class, args)
            }
            Found::MemberOf(unit, expr, name) => {
                let whole = self.expr(*unit, *expr, &None);
                let class = self.member_type(&whole, name);
                self.instance(&class, args)
            }
            Found::Module(_) | Found::Folder(_) => Ty::Unknown,
            Found::Missing => Ty::Opaque,
        }
    }

    /// An instance of a definition with these type arguments.
    pub(super) fn instance_of(&mut self, sym: Sym, args: Vec<Ty>) -> Ty {
        match self.world.kind(sym) {
            NodeKind::CLASS
            | NodeKind::INTERFACE
            | NodeKind::FUNCTION
            | NodeKind::ENUM
            | NodeKind::STRUCT => {
                let env = self.with_args(sym, args);
                Ty::Instance(sym, env)
            }
            NodeKind::TYPE_ALIAS => {
                let env = self.with_args(sym, args);
                let ty = self.facts(sym.unit).and_then(|f| f.def(sym.node));
                match ty {
                    // A type of its own, made from another.
                    Some(def) if def.ty == TypeId::UNKNOWN && self.is_go(sym.unit) => {
                        Ty::Instance(sym, env)
                    }
                    Some(def) => self.ty(sym.unit, def.ty, &env),
                    None => Ty::Unknown,
                }
            }
            NodeKind::ENUM_MEMBER => {
                let parent = self.world.node(sym).map(|n| n.parent);
                match parent {
                    Some(node) => Ty::Instance(
                        Sym {
                            unit: sym.unit,
                            node,
                        },
                        None,
                    ),
                    None => Ty::Unknown,
                }
            }
            NodeKind::CONSTANT | NodeKind::VARIABLE => {
                let class = self.value_of(sym, &None);
                self.instance(&class, args)
            }
            _ => Ty::Unknown,
        }
    }

    /// The environment in which a definition's type parameters stand for `args`; defaults fill what is missing.
    pub(super) fn with_args(&mut self, sym: Sym, args: Vec<Ty>) -> Env {
        let facts = self.facts(sym.unit)?;
        let params = facts.list(facts.def(sym.node)?.type_params);
        let mut env = None;
        let mut args = args.into_iter();
        for param in params {
            let binding = BindingId(*param);
            let given = args.next().filter(|t| !t.is_unknown());
            let ty = match given {
                Some(ty) => ty,
                None => match facts.binding(binding).map(|b| b.bound) {
                    Some(Bound::TypeParam { default, .. }) if default != TypeId::UNKNOWN => {
                        self.ty(sym.unit, default, &env)
                    }
                    _ => continue,
                },
            };
            env = bind(&env, sym.unit, binding, ty);
        }
        env
    }

    /// An instance of the class that a value is.
    pub(super) fn instance(&mut self, class: &Ty, args: Vec<Ty>) -> Ty {
        match class {
            Ty::Def(sym, _) => self.instance_of(*sym, args),
            Ty::Opaque | Ty::External(_) | Ty::Library(_) => Ty::Opaque,
            Ty::Instance(..) | Ty::Shape(..) | Ty::Function(..) | Ty::Param(..) => {
                self.construct(class, None)
            }
            Ty::Both(all) | Ty::Union(all) => {
                let made: Vec<Ty> = all
                    .iter()
                    .map(|t| self.instance(t, args.clone()))
                    .filter(|t| !t.is_unknown())
                    .collect();
                if matches!(class, Ty::Both(_)) && made.len() > 1 {
                    return Ty::Both(made.into());
                }
                Ty::union(made)
            }
            _ => Ty::Unknown,
        }
    }

    /// A definition's base types, in the order written.
    pub(super) fn bases(&mut self, sym: Sym, env: &Env) -> Vec<(Relation, Ty)> {
        let Some(facts) = self.facts(sym.unit) else {
            return Vec::new();
        };
        let Some(def) = facts.def(sym.node) else {
            return Vec::new();
        };
        facts
            .list(def.bases)
            .chunks_exact(2)
            .filter_map(|pair| match pair {
                [relation, ty] => Some((*relation, *ty)),
                _ => None,
            })
            .map(|(relation, ty)| {
                let relation = Relation(u8::try_from(relation).unwrap_or(Relation::INHERITS.0));
                (relation, self.ty(sym.unit, TypeId(ty), env))
            })
            .collect()
    }

    /// The bound of a type parameter.
    pub(super) fn bound_of(&mut self, unit: u32, binding: BindingId) -> Ty {
        let bound = self.facts(unit).and_then(|f| f.binding(binding));
        match bound.map(|b| b.bound) {
            Some(Bound::TypeParam { bound, .. }) => self.ty(unit, bound, &None),
            _ => Ty::Unknown,
        }
    }

    /// Types of the language's library that hold others, or stand for others.
    fn library_type(&mut self, name: &str, mut args: Vec<Ty>) -> Ty {
        let first = |args: &mut Vec<Ty>| {
            if args.is_empty() {
                Ty::Unknown
            } else {
                args.swap_remove(0)
            }
        };
        match name {
            "Array"
            | "ReadonlyArray"
            | "Set"
            | "ReadonlySet"
            | "Iterable"
            | "Iterator"
            | "IterableIterator"
            | "AsyncIterable"
            | "AsyncIterator"
            | "AsyncIterableIterator"
            | "Generator"
            | "AsyncGenerator"
            | "ArrayLike"
            | "WeakSet" => Ty::array(first(&mut args)),
            "Promise" | "PromiseLike" => first(&mut args).promise(),
            "Awaited" => {
                let inner = first(&mut args);
                self.awaited(&inner)
            }
            "Readonly" | "Partial" | "Required" | "NonNullable" | "Pick" | "Omit" | "NoInfer"
            | "Extract" | "Exclude" | "ThisType" => first(&mut args),
            "Map" | "ReadonlyMap" | "WeakMap" => {
                let mut args = args.into_iter();
                let key = args.next().unwrap_or(Ty::Unknown);
                let value = args.next().unwrap_or(Ty::Unknown);
                Ty::Map(Rc::new((key, value)))
            }
            "Record" => Ty::Record(Rc::new(args.into_iter().nth(1).unwrap_or(Ty::Unknown))),
            "ReturnType" => {
                let function = first(&mut args);
                self.call_result(&function, None)
            }
            "InstanceType" => {
                let class = first(&mut args);
                self.instance(&class, Vec::new())
            }
            _ => Ty::Opaque,
        }
    }
}

//! What an expression or a written type is, where the class languages differ from the rest.

use super::members::{Found, Want};
use super::packages::is_type;
use crate::ids::LocalNode;
use crate::link::eval::{Eval, Site};
use crate::link::members::Member;
use crate::link::types::{Env, Ty, bind};
use crate::link::world::Sym;
use crate::model::facts::{BindingId, Bound, Expr, ExprId, TypeExpr, TypeId};
use crate::model::label::NodeKind;
use crate::model::node::NodeFlags;

impl<'w> Eval<'w> {
    /// The value of an expression of a class language; `None` where the common rules hold.
    pub(in crate::link) fn class_expr(&mut self, unit: u32, id: ExprId, env: &Env) -> Option<Ty> {
        let facts = self.facts(unit)?;
        match facts.expr(id) {
            Expr::Implied { node, name } => {
                let name = self.world.text(unit, name);
                Some(self.implied_value(unit, node, name))
            }
            Expr::Bound(binding) => match facts.binding(binding).map(|b| b.bound) {
                Some(Bound::Node(node)) => Some(self.class_value(Sym { unit, node }, env)),
                _ => None,
            },
            Expr::Member { base, name } => {
                let base_ty = self.expr(unit, base, env);
                let name = self.world.text(unit, name);
                if base_ty.is_unknown()
                    && let Some(ty) = self.qualified_value(unit, id)
                {
                    return Some(ty);
                }
                Some(self.class_member(unit, &base_ty, name))
            }
            Expr::Call {
                args, type_args, ..
            } => {
                let site = Site {
                    unit,
                    args,
                    type_args,
                    env: env.clone(),
                };
                Some(self.class_call(unit, id, env, &site))
            }
            Expr::New { class, .. } => match facts.expr(class) {
                Expr::Typed { ty } => Some(self.ty(unit, ty, env)),
                Expr::This { node, .. } => Some(Ty::Instance(Sym { unit, node }, None)),
                _ => None,
            },
            Expr::This { node, of_type } if env.is_none() => {
                let sym = self.world.packages.canonical(Sym { unit, node });
                Some(if of_type {
                    Ty::Def(sym, None)
                } else {
                    Ty::Instance(sym, None)
                })
            }
            Expr::Index { base, index } if index == u32::MAX => {
                let base = self.expr(unit, base, env);
                Some(match base {
                    Ty::Map(pair) => pair.1.clone(),
                    Ty::Instance(..) => Ty::Opaque,
                    other => self.element(&other),
                })
            }
            Expr::Super { node, of_type } => Some(self.class_base(Sym { unit, node }, of_type)),
            _ => None,
        }
    }

    /// What a bare name is as a value: a variable, else a type.
    fn implied_value(&mut self, unit: u32, node: LocalNode, name: &str) -> Ty {
        let found = self.implied(unit, node, name, Want::Value);
        if !found.is_empty() {
            return self.members_value(&found.members);
        }
        let opaque = found.opaque;
        let found = self.implied(unit, node, name, Want::Type);
        if let Some(sym) = found.first() {
            return self.class_value(sym, &None);
        }
        match found.external {
            Some(key) => Ty::External(key.as_str().into()),
            None if opaque => Ty::Opaque,
            None => Ty::Unknown,
        }
    }

    fn qualified_value(&mut self, unit: u32, id: ExprId) -> Option<Ty> {
        let names = self.names_of(unit, id)?;
        for want in [Want::Type, Want::Value] {
            let found = self.qualified(unit, LocalNode::UNIT, &names, want);
            if let Some(sym) = found.first() {
                return Some(self.class_value(sym, &None));
            }
        }
        None
    }

    /// The value of a definition of a class language.
    pub(super) fn class_value(&mut self, sym: Sym, env: &Env) -> Ty {
        let kind = self.world.kind(sym);
        if kind == NodeKind::TYPE_ALIAS {
            let def = self.facts(sym.unit).and_then(|f| f.def(sym.node));
            let ty = def.map_or(TypeId::UNKNOWN, |d| d.ty);
            return match self.ty(sym.unit, ty, &None) {
                Ty::Instance(sym, env) => Ty::Def(sym, env),
                other => other,
            };
        }
        if is_type(kind) {
            // An object is a type with one instance, which bears its name.
            let object = kind == NodeKind::CLASS && self.world.flags(sym).has(NodeFlags::STATIC);
            return if object {
                Ty::Instance(sym, None)
            } else {
                Ty::Def(sym, None)
            };
        }
        if kind == NodeKind::ENUM_MEMBER
            && let Some(node) = self.world.node(sym).map(|n| n.parent)
        {
            let holder = Sym {
                unit: sym.unit,
                node,
            };
            return Ty::Instance(holder, None);
        }
        self.value_of(sym, env)
    }

    fn members_value(&mut self, members: &[Member]) -> Ty {
        let all = members
            .iter()
            .map(|m| self.class_value(m.sym, &m.env))
            .collect();
        Ty::union(all)
    }

    /// The value of a member that is read.
    pub(in crate::link) fn class_member(&mut self, unit: u32, receiver: &Ty, name: &str) -> Ty {
        for want in [Want::Value, Want::Type] {
            let found = self.receiver_members(unit, receiver, name, want);
            if !found.is_empty() {
                return self.members_value(&found.members);
            }
            if let Some(key) = found.external {
                return Ty::External(key.as_str().into());
            }
            if found.opaque && want == Want::Type {
                return self.library_member(receiver, name).unwrap_or(Ty::Opaque);
            }
        }
        if receiver.is_unknown() {
            Ty::Unknown
        } else {
            Ty::Opaque
        }
    }

    /// What `super` is in a type: the class that it extends, else what comes first.
    fn class_base(&mut self, sym: Sym, of_type: bool) -> Ty {
        let mut bases = Vec::new();
        for part in self.world.packages.parts(sym) {
            bases.extend(self.bases(part, &None).into_iter().map(|(_, ty)| ty));
        }
        let class = bases.iter().position(
            |ty| matches!(ty, Ty::Instance(sym, _) if self.world.kind(*sym) != NodeKind::INTERFACE),
        );
        let outside = bases.iter().position(|ty| !matches!(ty, Ty::Instance(..)));
        let Some(at) = class.or(outside).or((!bases.is_empty()).then_some(0)) else {
            return Ty::Opaque;
        };
        match bases.swap_remove(at) {
            Ty::Instance(base, _) if of_type => Ty::Def(base, None),
            Ty::Unknown => Ty::Opaque,
            ty => ty,
        }
    }

    /// A written type of a class language.
    pub(in crate::link) fn class_ty(
        &mut self,
        unit: u32,
        node: LocalNode,
        path: &[u32],
        args: Vec<Ty>,
    ) -> Ty {
        let found = self.implied_type(unit, node, path);
        if let Some(sym) = found.first() {
            return self.class_instance(sym, args);
        }
        let name = path
            .last()
            .map_or("", |p| self.world.text(unit, crate::ids::StrId(*p)));
        super::library::outside_type(name, args)
    }

    /// An instance of a type with these arguments.
    pub(super) fn class_instance(&mut self, sym: Sym, args: Vec<Ty>) -> Ty {
        if self.world.kind(sym) == NodeKind::TYPE_ALIAS {
            let env = self.with_args(sym, args);
            let def = self.facts(sym.unit).and_then(|f| f.def(sym.node));
            let ty = def.map_or(TypeId::UNKNOWN, |d| d.ty);
            return self.ty(sym.unit, ty, &env);
        }
        let env = self.with_args(sym, args);
        Ty::Instance(sym, env)
    }

    /// What a call yields.
    fn class_call(&mut self, unit: u32, id: ExprId, env: &Env, site: &Site) -> Ty {
        let targets = self.call_members(unit, id, env);
        if targets.found.is_empty() {
            return match targets.receiver {
                Some(receiver) => self.foreign_call(unit, id, &receiver, site),
                None if targets.found.opaque || targets.found.external.is_some() => Ty::Opaque,
                None => Ty::Unknown,
            };
        }
        let mut all = Vec::new();
        for member in targets.found.members {
            let ty = self.member_call(&member, targets.receiver.as_ref(), site);
            all.push(ty);
        }
        Ty::union(all)
    }

    fn member_call(&mut self, member: &Member, receiver: Option<&Ty>, site: &Site) -> Ty {
        let sym = member.sym;
        let kind = self.world.kind(sym);
        if is_type(kind) {
            let env = match self.entries(site.unit, site.type_args) {
                [] => self.class_env(sym, None, site),
                given => {
                    let args = self.types(site.unit, given, &site.env);
                    self.with_args(sym, args)
                }
            };
            return Ty::Instance(sym, env);
        }
        if matches!(kind, NodeKind::FIELD | NodeKind::ACCESSOR) {
            return self.class_value(sym, &member.env);
        }
        let mut env = member.env.clone();
        if let Some(receiver @ (Ty::Instance(..) | Ty::Def(..))) = receiver
            && self.yields_self(sym)
        {
            let this = match receiver {
                Ty::Def(sym, _) => Ty::Instance(*sym, None),
                other => other.clone(),
            };
            env = bind(&env, sym.unit, BindingId::NONE, this);
        }
        let function = self.functions_of(sym);
        self.function_result(sym.unit, function, &env, Some(site))
    }

    /// Whether what a method yields depends on the type that it is called on.
    fn yields_self(&self, sym: Sym) -> bool {
        let Some(facts) = self.facts(sym.unit) else {
            return false;
        };
        let Some(f) = facts.function(self.functions_of(sym)) else {
            return false;
        };
        matches!(facts.ty(f.result), TypeExpr::SelfType { .. }) || f.result == TypeId::UNKNOWN
    }

    /// What a call on a value from outside the tree yields.
    fn foreign_call(&mut self, unit: u32, id: ExprId, receiver: &Ty, site: &Site) -> Ty {
        let Some(Expr::Call { callee, .. }) = self.facts(unit).map(|f| f.expr(id)) else {
            return Ty::Unknown;
        };
        let Some(Expr::Member { name, .. }) = self.facts(unit).map(|f| f.expr(callee)) else {
            return Ty::Unknown;
        };
        let name = self.world.text(unit, name);
        match receiver {
            Ty::Array(_) | Ty::Tuple(_) | Ty::Map(_) | Ty::Promise(_) => {
                self.outside_result(receiver, name, site)
            }
            Ty::Unknown => Ty::Unknown,
            _ => Ty::Opaque,
        }
    }
}

/// The members of a call and what it is called on.
pub(super) struct Callees {
    pub(super) found: Found,
    /// What stands before the dot.
    pub(super) receiver: Option<Ty>,
}

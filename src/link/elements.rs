//! Elements of collections, and the constructors of classes.

use super::dialect::Dialect;
use super::eval::Eval;
use super::types::{Env, Ty};
use super::world::Sym;
use crate::model::facts::{Expr, ExprId, FunctionId};
use crate::model::label::{NodeKind, Relation};

impl<'w> Eval<'w> {
    /// Any element of a collection.
    pub(super) fn element(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Array(element) | Ty::Record(element) => (**element).clone(),
            Ty::Tuple(all) => Ty::union(all.to_vec()),
            Ty::Map(pair) => Ty::Tuple(vec![pair.0.clone(), pair.1.clone()].into()),
            Ty::Union(all) => {
                let all = all.iter().map(|t| self.element(t)).collect();
                Ty::union(all)
            }
            Ty::Opaque | Ty::External(_) => Ty::Opaque,
            Ty::Object(unit, object, env) => self.object_element(*unit, *object, env),
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                match bound {
                    Ty::Param(..) => Ty::Unknown,
                    bound => self.element(&bound),
                }
            }
            Ty::Instance(..) if self.dialect == Dialect::Python => self.python_element(ty),
            Ty::Instance(..) | Ty::Shape(..) => {
                let index = self.members(ty, "[index]");
                match index.nodes.first() {
                    Some(member) => {
                        let member = member.clone();
                        self.value_of(member.sym, &member.env)
                    }
                    None => Ty::Unknown,
                }
            }
            _ => Ty::Unknown,
        }
    }

    /// Any member of an object literal: what a computed key may find.
    pub(super) fn object_element(&mut self, unit: u32, object: ExprId, env: &Env) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        let Expr::Object { fields } = facts.expr(object) else {
            return Ty::Unknown;
        };
        self.inferred = true;
        let all = facts
            .list(fields)
            .chunks_exact(2)
            .take(16)
            .filter_map(|pair| pair.get(1))
            .map(|value| self.expr(unit, ExprId(*value), env))
            .collect();
        Ty::union(all)
    }

    /// The element at a known place.
    pub(super) fn element_at(&mut self, ty: &Ty, index: u32) -> Ty {
        match ty {
            Ty::Tuple(all) => all.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            Ty::Union(all) => {
                let all = all.iter().map(|t| self.element_at(t, index)).collect();
                Ty::union(all)
            }
            other => self.element(other),
        }
    }

    /// The constructor of a class, its own or inherited.
    pub(super) fn constructor(&mut self, sym: Sym, env: &Env) -> Option<(u32, FunctionId, Env)> {
        if self.dialect == Dialect::Python {
            return self.python_constructor(sym, env);
        }
        let own = self
            .world
            .children(sym, "constructor")
            .into_iter()
            .find(|s| self.world.kind(*s) == NodeKind::CONSTRUCTOR);
        if let Some(own) = own {
            return Some((own.unit, self.functions_of(own), env.clone()));
        }
        if !self.enter() {
            return None;
        }
        let mut found = None;
        for (relation, base) in self.bases(sym, env) {
            if let (true, Ty::Instance(base, env)) = (relation != Relation::IMPLEMENTS, base) {
                found = self.constructor(base, &env);
                break;
            }
        }
        self.leave();
        found
    }
}

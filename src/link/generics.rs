//! Type parameters of functions and classes: what a call shows them to stand for.

use super::dialect::Dialect;
use super::eval::{Eval, Site};
use super::types::{Env, Ty, bind, lookup};
use super::world::Sym;
use crate::ids::StrId;
use crate::model::facts::{BindingId, Bound, ExprId, Function, TypeExpr, TypeId};

/// How many parts of a type are compared to find out what a type parameter stands for.
const UNIFY_DEPTH: u32 = 6;

impl<'w> Eval<'w> {
    /// Type parameters of a class as its constructor's arguments show them.
    pub(super) fn class_env(&mut self, sym: Sym, env: Env, site: &Site) -> Env {
        let Some(facts) = self.facts(sym.unit) else {
            return env;
        };
        let params = facts.def(sym.node).map(|d| facts.list(d.type_params));
        let Some(params) = params.filter(|p| !p.is_empty()) else {
            return env;
        };
        let Some((unit, function, _)) = self.constructor(sym, &None) else {
            return env;
        };
        if unit != sym.unit {
            return env;
        }
        let Some(f) = facts.function(function).copied() else {
            return env;
        };
        self.unify_args(unit, &f, params, env, site)
    }

    /// The environment inside a call: written type arguments, what the arguments show, defaults.
    pub(super) fn call_env(
        &mut self,
        unit: u32,
        f: &Function,
        env: &Env,
        site: Option<&Site>,
    ) -> Env {
        let Some(facts) = self.facts(unit) else {
            return env.clone();
        };
        let params = facts.list(f.type_params);
        if params.is_empty() {
            return env.clone();
        }
        let mut env = env.clone();
        let Some(site) = site else {
            return env;
        };
        let given = self.entries(site.unit, site.type_args);
        for (param, arg) in params.iter().zip(given) {
            let ty = self.ty(site.unit, TypeId(*arg), &site.env);
            if !ty.is_unknown() {
                env = bind(&env, unit, BindingId(*param), ty);
            }
        }
        if given.is_empty() && self.mentions_params(unit, f) {
            env = self.unify_args(unit, f, params, env, site);
        }
        for param in params {
            let binding = BindingId(*param);
            if lookup(&env, unit, binding).is_none()
                && let Some(Bound::TypeParam { default, .. }) =
                    facts.binding(binding).map(|b| b.bound)
                && default != TypeId::UNKNOWN
            {
                let ty = self.ty(unit, default, &env);
                env = bind(&env, unit, binding, ty);
            }
        }
        env
    }

    /// Whether what a function yields can depend on its type parameters.
    pub(super) fn mentions_params(&self, unit: u32, f: &Function) -> bool {
        let Some(facts) = self.facts(unit) else {
            return false;
        };
        !matches!(facts.ty(f.result), TypeExpr::Builtin)
    }

    fn unify_args(
        &mut self,
        unit: u32,
        f: &Function,
        params: &[u32],
        env: Env,
        site: &Site,
    ) -> Env {
        let Some(facts) = self.facts(unit) else {
            return env;
        };
        let mut env = env;
        let wanted = facts.list(f.params);
        let args = self.entries(site.unit, site.args);
        let outer = self.inferred;
        // `f(g())` where `g` yields several values.
        if let ([only], true) = (args, wanted.len() > 1)
            && let Ty::Tuple(parts) = self.expr(site.unit, ExprId(*only), &site.env)
            && self.is_go(site.unit)
        {
            for (param, part) in wanted.iter().zip(parts.iter()) {
                self.unify(unit, TypeId(*param), params, part, &mut env, 0);
            }
        }
        for (i, arg) in args.iter().enumerate() {
            let Some(param) = wanted.get(i) else { break };
            let arg = self.expr(site.unit, ExprId(*arg), &site.env);
            if !arg.is_unknown() {
                self.unify(unit, TypeId(*param), params, &arg, &mut env, 0);
            }
        }
        // What the arguments show was needed only where something was bound by it.
        let bound = params
            .iter()
            .any(|p| lookup(&env, unit, BindingId(*p)).is_some());
        self.inferred = outer || bound;
        env
    }

    /// Binds type parameters where a written type and a known one have the same form.
    fn unify(
        &mut self,
        unit: u32,
        written: TypeId,
        params: &[u32],
        known: &Ty,
        env: &mut Env,
        depth: u32,
    ) {
        if depth > UNIFY_DEPTH || !self.enter() {
            return;
        }
        self.unify_inside(unit, written, params, known, env, depth);
        self.leave();
    }

    fn unify_inside(
        &mut self,
        unit: u32,
        written: TypeId,
        params: &[u32],
        known: &Ty,
        env: &mut Env,
        depth: u32,
    ) {
        let Some(facts) = self.facts(unit) else {
            return;
        };
        match (facts.ty(written), known) {
            (TypeExpr::Bound { binding, path, .. }, known)
                if params.contains(&binding.0) && facts.list(path).is_empty() =>
            {
                let free = lookup(env, unit, binding).is_none();
                *env = match known {
                    known if free && !matches!(known, Ty::Param(..)) => {
                        bind(env, unit, binding, known.clone())
                    }
                    _ => return,
                };
            }
            (TypeExpr::Sequence(inner), Ty::Array(_) | Ty::Tuple(_)) => {
                let element = self.element(known);
                self.unify(unit, inner, params, &element, env, depth + 1);
            }
            (TypeExpr::Free { args, .. }, Ty::Promise(inner)) => {
                if let [first] = facts.list(args) {
                    self.unify(unit, TypeId(*first), params, inner, env, depth + 1);
                }
            }
            (TypeExpr::Free { args, .. }, Ty::Array(_) | Ty::Tuple(_)) => {
                if let Some(first) = facts.list(args).first() {
                    let element = self.element(known);
                    self.unify(unit, TypeId(*first), params, &element, env, depth + 1);
                }
            }
            (TypeExpr::Bound { args, .. }, Ty::Instance(sym, known_env)) => {
                // `Box<T>` against an instance of `Box`: argument by argument.
                let Some(other) = self.facts(sym.unit) else {
                    return;
                };
                let theirs = match other.def(sym.node) {
                    Some(def) => other.list(def.type_params),
                    None => return,
                };
                let same = matches!(self.ty(unit, written, &None), Ty::Instance(s, _) if s == *sym);
                if !same {
                    return;
                }
                for (arg, param) in facts.list(args).iter().zip(theirs) {
                    if let Some(ty) = lookup(known_env, sym.unit, BindingId(*param)) {
                        self.unify(unit, TypeId(*arg), params, &ty, env, depth + 1);
                    }
                }
            }
            (TypeExpr::Free { args, .. } | TypeExpr::Bound { args, .. }, class @ Ty::Def(..))
                if self.dialect == Dialect::Python && self.is_class(class) =>
            {
                // `type[T]` against a class: `T` is an instance of it.
                if let ([arg], Ty::Def(sym, env_of)) = (facts.list(args), class) {
                    let instance = Ty::Instance(*sym, env_of.clone());
                    self.unify(unit, TypeId(*arg), params, &instance, env, depth + 1);
                }
            }
            (TypeExpr::Function(f), known) => {
                let Some(f) = facts.function(f).copied() else {
                    return;
                };
                if f.result != TypeId::UNKNOWN {
                    let result = self.call_result(known, None);
                    if !result.is_unknown() {
                        self.unify(unit, f.result, params, &result, env, depth + 1);
                    }
                }
            }
            (TypeExpr::Object(list), known) => {
                for pair in facts.list(list).chunks_exact(2) {
                    let [name, ty] = pair else { continue };
                    let name = self.world.text(unit, StrId(*name));
                    let member = self.member_type(known, name);
                    if !member.is_unknown() {
                        self.unify(unit, TypeId(*ty), params, &member, env, depth + 1);
                    }
                }
            }
            (TypeExpr::Union(list) | TypeExpr::Intersection(list), known) => {
                for ty in facts.list(list) {
                    self.unify(unit, TypeId(*ty), params, known, env, depth + 1);
                }
            }
            _ => {}
        }
    }
}

//! Members through embedding, and what collections, channels and functions of a type yield.

use super::CANDIDATES;
use crate::link::eval::Eval;
use crate::link::members::{Member, Members};
use crate::link::types::{Env, Ty, bind, lookup};
use crate::link::world::Sym;
use crate::model::facts::{BindingId, ExprId, TypeId};
use crate::model::label::NodeKind;

/// How deep embedded types are searched.
const EMBEDDED: usize = 8;
/// How many types are looked at on one level.
const BREADTH: usize = 64;
/// How many types may be made from each other.
const CHAIN: usize = 8;

/// One type on a level of the search.
struct Holder {
    sym: Sym,
    env: Env,
    /// Only fields are handed on: the type was made from this one and does not have its methods.
    fields_only: bool,
}

impl<'w> Eval<'w> {
    /// A member of an instance: the one on the shallowest level of embedded types that has any.
    pub(in crate::link) fn go_member(
        &mut self,
        sym: Sym,
        env: &Env,
        name: &str,
        out: &mut Members,
    ) {
        let mut level = vec![Holder {
            sym,
            env: env.clone(),
            fields_only: false,
        }];
        let mut seen = vec![sym];
        let mut opaque = false;
        for depth in 0..EMBEDDED {
            let mut found: Vec<Member> = Vec::new();
            let mut holders = 0;
            for holder in &level {
                let before = found.len();
                self.go_own(holder, name, depth > 0, &mut found);
                holders += usize::from(found.len() > before);
            }
            if !found.is_empty() {
                // Two embedded types of one level that have it: the name means neither.
                if holders == 1 && found.len() <= CANDIDATES {
                    out.nodes.extend(found);
                }
                return;
            }
            let mut next: Vec<Holder> = Vec::new();
            for holder in &level {
                self.go_embedded(holder, &mut next, &mut opaque, out);
            }
            next.retain(|h| {
                let new = !seen.contains(&h.sym);
                if new {
                    seen.push(h.sym);
                }
                new
            });
            if next.is_empty() || next.len() > BREADTH || !self.enter() {
                break;
            }
            self.leave();
            level = next;
        }
        out.opaque |= opaque && out.values.is_empty();
    }

    /// Members of a type itself, wherever in its package they stand.
    fn go_own(&mut self, holder: &Holder, name: &str, inherited: bool, found: &mut Vec<Member>) {
        for part in self.merged(holder.sym) {
            for child in self.world.children(part, name) {
                let fits = match self.world.kind(child) {
                    NodeKind::FIELD => true,
                    NodeKind::METHOD => !holder.fields_only,
                    _ => false,
                };
                if fits {
                    found.push(Member {
                        sym: child,
                        env: self.go_receiver_env(holder, child),
                        inherited,
                    });
                }
            }
        }
    }

    /// A method calls its type's parameters as its receiver does.
    fn go_receiver_env(&self, holder: &Holder, method: Sym) -> Env {
        let params = |sym: Sym| {
            self.facts(sym.unit)
                .and_then(|f| Some(f.list(f.def(sym.node)?.type_params)))
                .unwrap_or_default()
        };
        let theirs = params(method);
        let mut env = holder.env.clone();
        if theirs.is_empty() {
            return env;
        }
        for (own, their) in params(holder.sym).iter().zip(theirs) {
            if let Some(ty) = lookup(&holder.env, holder.sym.unit, BindingId(*own)) {
                env = bind(&env, method.unit, BindingId(*their), ty);
            }
        }
        env
    }

    /// The types that a type embeds, and the one that it was made from.
    fn go_embedded(
        &mut self,
        holder: &Holder,
        next: &mut Vec<Holder>,
        opaque: &mut bool,
        out: &mut Members,
    ) {
        let mut add = |ty: Ty, fields_only: bool| {
            let all: Vec<Ty> = match ty {
                Ty::Union(all) => all.to_vec(),
                one => vec![one],
            };
            for ty in all {
                match ty {
                    Ty::Instance(sym, env) => next.push(Holder {
                        sym,
                        env,
                        fields_only,
                    }),
                    Ty::Unknown => out.unknown = true,
                    _ => *opaque = true,
                }
            }
        };
        for (_, ty) in self.bases(holder.sym, &holder.env) {
            add(ty, holder.fields_only);
        }
        if self.world.kind(holder.sym) == NodeKind::TYPE_ALIAS {
            let made_from = self.go_made_from(holder.sym, &holder.env);
            if let Ty::Instance(sym, _) = &made_from {
                let interface = self.world.kind(*sym) == NodeKind::INTERFACE;
                add(made_from, !interface);
            }
        }
    }

    /// The type that a type of its own was made from.
    fn go_made_from(&mut self, sym: Sym, env: &Env) -> Ty {
        let value = self
            .facts(sym.unit)
            .and_then(|f| f.def(sym.node))
            .map_or(ExprId::UNKNOWN, |d| d.value);
        self.expr(sym.unit, value, env)
    }

    /// The form of a type: what it was made from, and what a type parameter must be.
    fn go_form(&mut self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        for _ in 0..CHAIN {
            ty = match &ty {
                Ty::Instance(sym, env)
                    if self.world.kind(*sym) == NodeKind::TYPE_ALIAS && self.is_go(sym.unit) =>
                {
                    let (sym, env) = (*sym, env.clone());
                    self.go_made_from(sym, &env)
                }
                Ty::Param(unit, binding) => {
                    let (unit, binding) = (*unit, *binding);
                    self.bound_of(unit, binding)
                }
                _ => break,
            };
        }
        ty
    }

    /// What `x[i]`, or the second variable of a loop over `x`, is.
    pub(in crate::link) fn go_element(&mut self, ty: &Ty) -> Ty {
        match self.go_form(ty) {
            Ty::Map(pair) => pair.1.clone(),
            Ty::Promise(inner) => (*inner).clone(),
            Ty::Union(all) => {
                let all = all.iter().map(|t| self.go_element(t)).collect();
                Ty::union(all)
            }
            // `f[T]` is `f`.
            def @ Ty::Def(..) => def,
            function @ Ty::Function(..) => self.go_yielded(&function, 1),
            form => self.element(&form),
        }
    }

    /// Whether `f[T]` names a function: then it is `f`.
    pub(in crate::link) fn is_go_instantiation(&mut self, unit: u32, base: ExprId) -> bool {
        if !self.is_go(unit) {
            return false;
        }
        matches!(self.expr(unit, base, &None), Ty::Def(..))
    }

    /// What the first variable of a loop over `x` is.
    pub(in crate::link) fn go_range_key(&mut self, ty: &Ty) -> Ty {
        match self.go_form(ty) {
            Ty::Map(pair) => pair.0.clone(),
            Ty::Promise(inner) => (*inner).clone(),
            function @ Ty::Function(..) => self.go_yielded(&function, 0),
            Ty::Unknown => Ty::Unknown,
            _ => Ty::Opaque,
        }
    }

    /// What a function that is looped over passes to the loop's body.
    fn go_yielded(&mut self, function: &Ty, index: usize) -> Ty {
        let body = self.go_param(function, 0);
        self.go_param(&body, index)
    }

    fn go_param(&mut self, function: &Ty, index: usize) -> Ty {
        let Ty::Function(unit, f, env) = function else {
            return Ty::Unknown;
        };
        let Some(facts) = self.facts(*unit) else {
            return Ty::Unknown;
        };
        let param = facts
            .function(*f)
            .and_then(|f| facts.list(f.params).get(index).copied());
        self.ty(*unit, TypeId(param.unwrap_or(0)), env)
    }

    /// What a channel sends.
    pub(in crate::link) fn go_received(&mut self, ty: &Ty) -> Ty {
        match self.go_form(ty) {
            Ty::Promise(inner) => (*inner).clone(),
            Ty::Opaque | Ty::External(_) => Ty::Opaque,
            _ => Ty::Unknown,
        }
    }

    /// What an instance can be called as.
    pub(in crate::link) fn go_callable(&mut self, ty: &Ty) -> Ty {
        match self.go_form(ty) {
            form @ Ty::Function(..) => form,
            Ty::Opaque | Ty::External(_) => Ty::Opaque,
            _ => Ty::Unknown,
        }
    }
}

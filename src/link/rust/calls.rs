//! Calls: what they yield, what their type parameters stand for, and what a closure among their arguments is given.

use std::rc::Rc;

use super::eval::Eval;
use super::members::{Lookup, Member};
use super::types::{Env, Ty, lookup};
use crate::link::world::Sym;
use crate::model::facts::{BindingId, Expr, ExprId, FunctionFlags, FunctionId, List, TypeId};
use crate::model::label::NodeKind;

/// Methods that hand on the value that they are called on, where nothing better is known of them.
fn hands_on(name: &str) -> bool {
    matches!(
        name,
        "clone" | "to_owned" | "borrow" | "borrow_mut" | "as_ref" | "as_mut" | "by_ref" | "cloned"
    )
}

impl Eval<'_, '_> {
    /// What a call yields.
    pub(super) fn call(&mut self, unit: u32, callee: ExprId, args: List, type_args: List) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        let args = facts.list(args);
        let type_args = facts.list(type_args);
        if let Some((receiver, name)) = self.method_call(unit, callee) {
            let receiver = self.expr(unit, receiver);
            return match self.method(&receiver, name) {
                Lookup::Found(member) => {
                    self.through_result = true;
                    self.method_result(unit, &receiver, &member, name, args, type_args)
                }
                Lookup::Outside if hands_on(name) => receiver,
                Lookup::Outside => Ty::Opaque,
                Lookup::Unknown => Ty::Unknown,
            };
        }
        let id = callee;
        let callee = self.expr(unit, callee);
        match &callee {
            Ty::Unknown => self.derived(unit, id),
            Ty::Def(sym, env) => {
                self.through_result = true;
                self.applied(unit, *sym, env, None, args, type_args)
            }
            other => self.yields(other),
        }
    }

    /// What a derived function yields: `Type::default()` where nobody has written it.
    fn derived(&mut self, unit: u32, callee: ExprId) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        let Expr::Member { base, name } = facts.expr(callee) else {
            return Ty::Unknown;
        };
        match (self.expr(unit, base), self.text(unit, name)) {
            (Ty::Named(ty), "default" | "from") => (*ty).clone(),
            _ => Ty::Unknown,
        }
    }

    /// Of several blocks for one type that carry out a trait with other arguments (`From<A>`, `From<B>`): the member that
    /// takes the first argument of the call. Nothing where that does not tell.
    pub(super) fn by_argument(&mut self, unit: u32, call: &[u32], all: &[Sym]) -> Option<Sym> {
        let actual = self.expr(unit, ExprId(*call.first()?));
        if actual.is_unknown() {
            return None;
        }
        let mut found = None;
        for sym in all {
            let facts = self.facts(sym.unit)?;
            let function = self.function_of(*sym);
            let params = facts.list(facts.function(function)?.params);
            let pattern = self.ty(sym.unit, TypeId(*params.first()?));
            if pattern == Ty::Unknown || !self.unify(&pattern, &actual, &mut Env::new(), 0) {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some(*sym);
        }
        found
    }

    /// The receiver and the name of a method call.
    pub(super) fn method_call<'n>(&self, unit: u32, callee: ExprId) -> Option<(ExprId, &'n str)>
    where
        Self: 'n,
    {
        let facts = self.facts(unit)?;
        let Expr::Member { base, name } = facts.expr(callee) else {
            return None;
        };
        if let Expr::TypeName { .. } = facts.expr(base) {
            return None;
        }
        Some((base, self.text(unit, name)))
    }

    fn method_result(
        &mut self,
        unit: u32,
        receiver: &Ty,
        member: &Member,
        name: &str,
        args: &[u32],
        type_args: &[u32],
    ) -> Ty {
        if member.sym.unit == self.crates.library && name == "collect" {
            let item = self.item_of(receiver);
            let target = type_args
                .first()
                .map_or(Ty::Unknown, |t| self.ty(unit, TypeId(*t)));
            return self.collected(&target, &item);
        }
        self.applied(unit, member.sym, &member.env, None, args, type_args)
    }

    /// A collection of a written type that is made of items.
    fn collected(&mut self, target: &Ty, item: &Ty) -> Ty {
        let Ty::Adt(sym, args) = target else {
            return target.clone();
        };
        if target.is_whole() && !args.is_empty() {
            return target.clone();
        }
        self.inferred = true;
        if Some(*sym) == self.known.result || Some(*sym) == self.known.option {
            let inner_item = self.tried(item);
            let inner = args.first().cloned().unwrap_or(Ty::Unknown);
            let mut all = args.to_vec();
            if let Some(first) = all.first_mut() {
                *first = self.collected(&inner, &inner_item);
            }
            if let (Some(second), Ty::Adt(_, given)) = (all.get_mut(1), item)
                && second.is_unknown()
            {
                *second = given.get(1).cloned().unwrap_or(Ty::Unknown);
            }
            return Ty::Adt(*sym, all.into());
        }
        let parts: Vec<Ty> = match (args.len(), item) {
            (2, Ty::Tuple(pair)) => pair.to_vec(),
            _ => vec![item.clone()],
        };
        let args = args
            .iter()
            .enumerate()
            .map(|(i, arg)| match arg {
                Ty::Unknown => parts.get(i).cloned().unwrap_or(Ty::Unknown),
                known => known.clone(),
            })
            .collect();
        Ty::Adt(*sym, args)
    }

    /// What a function yields for these arguments. `skip`: the place of an argument that is left out of account.
    fn applied(
        &mut self,
        unit: u32,
        sym: Sym,
        env: &Env,
        skip: Option<u32>,
        args: &[u32],
        type_args: &[u32],
    ) -> Ty {
        if let NodeKind::STRUCT | NodeKind::ENUM_MEMBER = self.kind(sym) {
            return self.made(unit, sym, env, args);
        }
        let function = self.function_of(sym);
        let env = self.bound_env(unit, sym, function, env, skip, args, type_args);
        self.result_with(sym, function, &env)
    }

    fn result_with(&mut self, sym: Sym, function: FunctionId, env: &Env) -> Ty {
        let Some(f) = self
            .facts(sym.unit)
            .and_then(|f| f.function(function))
            .copied()
        else {
            return Ty::Unknown;
        };
        let result = self.ty(sym.unit, f.result);
        let result = self.substituted(&result, env);
        if f.flags & FunctionFlags::ASYNC != 0
            && let Some(future) = self.known.future
        {
            return Ty::Trait(
                future,
                Rc::from([]),
                Rc::from([(Rc::from("Output"), result)]),
            );
        }
        result
    }

    /// What a function yields that is only named.
    pub(super) fn result_of(&mut self, sym: Sym, env: &Env) -> Ty {
        if let NodeKind::STRUCT | NodeKind::ENUM_MEMBER = self.kind(sym) {
            return self.instance_of(sym);
        }
        let function = self.function_of(sym);
        self.result_with(sym, function, env)
    }

    /// What a tuple struct or variant holds, by its arguments.
    fn made(&mut self, unit: u32, sym: Sym, env: &Env, args: &[u32]) -> Ty {
        let holder = match (self.kind(sym), self.crates.world.node(sym)) {
            (NodeKind::ENUM_MEMBER, Some(node)) => Sym {
                unit: sym.unit,
                node: node.parent,
            },
            _ => sym,
        };
        let params = self.type_params(holder);
        if params.is_empty() {
            return Ty::Adt(holder, Rc::from([]));
        }
        let mut env = env.clone();
        let fields = self.fields_of(sym).unwrap_or_default();
        for (field, arg) in fields.iter().zip(args) {
            let pattern = self.ty(sym.unit, TypeId(*field));
            let actual = self.expr(unit, ExprId(*arg));
            self.unify(&pattern, &actual, &mut env, 0);
        }
        let args = params
            .iter()
            .map(|p| {
                lookup(&env, holder.unit, BindingId(*p))
                    .cloned()
                    .unwrap_or(Ty::Unknown)
            })
            .collect();
        Ty::Adt(holder, args)
    }

    /// What the type parameters of a called function stand for.
    #[expect(clippy::too_many_arguments, reason = "one call, taken apart")]
    fn bound_env(
        &mut self,
        unit: u32,
        sym: Sym,
        function: FunctionId,
        env: &Env,
        skip: Option<u32>,
        args: &[u32],
        type_args: &[u32],
    ) -> Env {
        let mut env = env.clone();
        let Some(facts) = self.facts(sym.unit) else {
            return env;
        };
        let Some(f) = facts.function(function).copied() else {
            return env;
        };
        let type_params = facts.list(f.type_params);
        for (param, arg) in type_params.iter().zip(type_args) {
            let ty = self.ty(unit, TypeId(*arg));
            if !ty.is_unknown() {
                env.push(((sym.unit, BindingId(*param)), ty));
            }
        }
        let params = facts.list(f.params);
        // `Type::method(value, …)`: the first argument is what the method is called on.
        let offset = usize::from(args.len() == params.len() + 1);
        let args = args.get(offset..).unwrap_or_default();
        let open = !type_params.is_empty() || !env.is_empty() || !params.is_empty();
        if !open {
            return env;
        }
        let mut closures = Vec::new();
        for (i, (param, arg)) in params.iter().zip(args).enumerate() {
            let place = u32::try_from(i + offset).unwrap_or(u32::MAX);
            if skip == Some(place) {
                continue;
            }
            let pattern = self.ty(sym.unit, TypeId(*param));
            if !mentions_param(&pattern, 0) {
                continue;
            }
            let arg = ExprId(*arg);
            let is_closure = self
                .facts(unit)
                .is_some_and(|f| matches!(f.expr(arg), Expr::Function(_)));
            if is_closure {
                if skip.is_none() {
                    closures.push((pattern, arg));
                }
                continue;
            }
            let actual = self.expr(unit, arg);
            self.unify_argument(&pattern, &actual, &mut env);
        }
        for (pattern, arg) in closures {
            let actual = self.expr(unit, arg);
            self.unify_argument(&pattern, &actual, &mut env);
        }
        env
    }

    /// Unifies a parameter's type with an argument's, and the bounds of what that settles.
    fn unify_argument(&mut self, pattern: &Ty, actual: &Ty, env: &mut Env) {
        if actual.is_unknown() {
            return;
        }
        let mut at = actual.clone();
        for _ in 0..4 {
            if self.unify(pattern, &at, env, 0) {
                break;
            }
            match self.dereferenced(&at) {
                Some(inner) => at = inner,
                None => return,
            }
        }
        if let Ty::Param(unit, binding) = pattern {
            let bound = self.bound_of(*unit, *binding);
            if mentions_param(&bound, 0) {
                self.unify(&bound, actual, env, 0);
            }
        }
    }

    /// What the callee of a call expects as the argument at a place: parameters as far as they are known.
    pub(super) fn expected(&mut self, unit: u32, call: ExprId, index: u32) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        let Expr::Call {
            callee,
            args,
            type_args,
        } = facts.expr(call)
        else {
            return Ty::Unknown;
        };
        let args = facts.list(args);
        let type_args = facts.list(type_args);
        let (sym, env) = if let Some((receiver, name)) = self.method_call(unit, callee) {
            let receiver = self.expr(unit, receiver);
            match self.method(&receiver, name) {
                Lookup::Found(member) => (member.sym, member.env),
                Lookup::Outside | Lookup::Unknown => return Ty::Unknown,
            }
        } else {
            match self.expr(unit, callee) {
                Ty::Def(sym, env) => (sym, (*env).clone()),
                Ty::Function(params, _) => {
                    return params.get(index as usize).cloned().unwrap_or(Ty::Unknown);
                }
                _ => return Ty::Unknown,
            }
        };
        if let NodeKind::STRUCT | NodeKind::ENUM_MEMBER = self.kind(sym) {
            let fields = self.fields_of(sym).unwrap_or_default();
            let field = fields.get(index as usize).copied();
            return field.map_or(Ty::Unknown, |t| self.ty(sym.unit, TypeId(t)));
        }
        let function = self.function_of(sym);
        let env = self.bound_env(unit, sym, function, &env, Some(index), args, type_args);
        let Some(f) = self.facts(sym.unit).and_then(|f| f.function(function)) else {
            return Ty::Unknown;
        };
        let params = self.facts(sym.unit).map_or(&[][..], |f_| f_.list(f.params));
        let offset = usize::from(args.len() == params.len() + 1);
        let Some(place) = (index as usize).checked_sub(offset) else {
            return Ty::Unknown;
        };
        let Some(param) = params.get(place) else {
            return Ty::Unknown;
        };
        let mut ty = self.ty(sym.unit, TypeId(*param));
        if let Ty::Param(unit, binding) = ty {
            ty = self.bound_of(unit, binding);
        }
        self.substituted(&ty, &env)
    }

    /// What a closure yields.
    pub(super) fn closure_result(&mut self, unit: u32, function: FunctionId) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        let Some(f) = facts.function(function) else {
            return Ty::Unknown;
        };
        if f.result != TypeId::UNKNOWN {
            return self.ty(unit, f.result);
        }
        self.inferred = true;
        match facts.list(f.returns).first() {
            Some(value) => self.expr(unit, ExprId(*value)),
            None => Ty::Unknown,
        }
    }
}

/// Whether a type has a parameter in it.
fn mentions_param(ty: &Ty, depth: u32) -> bool {
    if depth > 8 {
        return true;
    }
    let next = depth + 1;
    match ty {
        Ty::Param(..) | Ty::Assoc(..) => true,
        Ty::Adt(_, args) | Ty::Tuple(args) | Ty::Both(args) => {
            args.iter().any(|t| mentions_param(t, next))
        }
        Ty::Slice(element) => mentions_param(element, next),
        Ty::Function(params, result) => {
            mentions_param(result, next) || params.iter().any(|t| mentions_param(t, next))
        }
        Ty::Trait(_, args, assoc) => {
            args.iter().any(|t| mentions_param(t, next))
                || assoc.iter().any(|(_, t)| mentions_param(t, next))
        }
        _ => false,
    }
}

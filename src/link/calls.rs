//! Calls: what a function yields, what it expects of its arguments, and what its type parameters stand for.

use super::dialect::Dialect;
use super::eval::{Eval, Site};
use super::types::{Env, Ty};
use super::world::Sym;
use crate::ids::StrId;
use crate::model::facts::{Expr, ExprId, FunctionFlags, FunctionId, TypeExpr, TypeId};
use crate::model::label::NodeKind;

impl<'w> Eval<'w> {
    /// What calling a value yields.
    pub(super) fn call_result(&mut self, callee: &Ty, site: Option<&Site>) -> Ty {
        if !self.enter() {
            return Ty::Unknown;
        }
        let ty = match callee {
            // A conversion.
            Ty::Def(sym, _) if self.is_go_type(*sym) => self.instance_of(*sym, Vec::new()),
            Ty::Instance(sym, _) if self.is_go(sym.unit) => {
                let callable = self.go_callable(callee);
                self.call_result(&callable, site)
            }
            Ty::Def(sym, env) => match self.world.kind(*sym) {
                // A class that is called is constructed in some languages, and an error in others.
                NodeKind::CLASS if self.dialect.calls_construct() => self.construct(callee, site),
                NodeKind::CLASS => Ty::Unknown,
                _ => self.definition_result(*sym, env, site),
            },
            Ty::Function(unit, function, env) => {
                let env = env.clone();
                self.function_result(*unit, *function, &env, site)
            }
            Ty::Instance(..) if self.dialect == Dialect::Python => {
                let call = self.member_type(callee, "__call__");
                match call {
                    Ty::Def(..) => self.call_result(&call, site),
                    _ => Ty::Unknown,
                }
            }
            Ty::External(_) | Ty::Library(_) if self.dialect == Dialect::Python => {
                self.python_call(callee, site)
            }
            Ty::Instance(sym, env) => {
                let function = self.functions_of(*sym);
                self.function_result(sym.unit, function, env, site)
            }
            Ty::Shape(..) => match self.call_signature(callee) {
                Some((unit, function, env)) => self.function_result(unit, function, &env, site),
                None => Ty::Unknown,
            },
            Ty::LibraryMethod(method) => {
                let method = method.clone();
                self.library_result(&method.0, &method.1, site)
            }
            Ty::Union(all) => {
                let all = all.clone();
                let results = all.iter().map(|t| self.call_result(t, site)).collect();
                Ty::union(results)
            }
            Ty::Both(all) => {
                let all = all.clone();
                all.iter()
                    .map(|t| self.call_result(t, site))
                    .find(|t| !t.is_unknown())
                    .unwrap_or(Ty::Unknown)
            }
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                match bound {
                    Ty::Param(..) => Ty::Unknown,
                    bound => self.call_result(&bound, site),
                }
            }
            Ty::Opaque | Ty::External(_) | Ty::Library(_) => Ty::Opaque,
            _ => Ty::Unknown,
        };
        self.leave();
        ty
    }

    /// What calling a definition yields: by its own written result, by the type written beside its name, by its body.
    fn definition_result(&mut self, sym: Sym, env: &Env, site: Option<&Site>) -> Ty {
        let Some(facts) = self.facts(sym.unit) else {
            return Ty::Unknown;
        };
        let Some(def) = facts.def(sym.node) else {
            return Ty::Unknown;
        };
        let own = facts
            .function(def.function)
            .is_some_and(|f| f.result != TypeId::UNKNOWN);
        if !own && def.ty != TypeId::UNKNOWN {
            let written = self.ty(sym.unit, def.ty, env);
            if !written.is_unknown() && !matches!(written, Ty::Def(s, _) if s == sym) {
                return self.call_result(&written, site);
            }
        }
        self.function_result(sym.unit, def.function, env, site)
    }

    /// The signature of an object type that can be called.
    fn call_signature(&mut self, ty: &Ty) -> Option<(u32, FunctionId, Env)> {
        let Ty::Shape(unit, id, env) = ty else {
            return None;
        };
        let facts = self.facts(*unit)?;
        match facts.ty(*id) {
            TypeExpr::Members(node) => {
                let function = self.functions_of(Sym { unit: *unit, node });
                (function != FunctionId::NONE).then(|| (*unit, function, env.clone()))
            }
            TypeExpr::Object(list) => facts.list(list).chunks_exact(2).find_map(|pair| {
                let [name, ty] = pair else { return None };
                if self.world.text(*unit, StrId(*name)) != "()" {
                    return None;
                }
                match facts.ty(TypeId(*ty)) {
                    TypeExpr::Function(f) => Some((*unit, f, env.clone())),
                    _ => None,
                }
            }),
            _ => None,
        }
    }

    /// What a value expects and yields, where it can be called.
    fn signature_of(&mut self, ty: &Ty) -> Option<(u32, FunctionId, Env)> {
        match ty {
            Ty::Function(unit, f, env) => Some((*unit, *f, env.clone())),
            Ty::Def(sym, env) if self.world.kind(*sym) == NodeKind::CLASS => {
                self.constructor(*sym, env)
            }
            Ty::Def(sym, env) | Ty::Instance(sym, env) => {
                let function = self.functions_of(*sym);
                (function != FunctionId::NONE).then(|| (sym.unit, function, env.clone()))
            }
            Ty::Shape(..) => self.call_signature(ty),
            Ty::Union(all) | Ty::Both(all) => {
                let all = all.clone();
                all.iter().find_map(|t| self.signature_of(t))
            }
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                match bound {
                    Ty::Param(..) => None,
                    bound => self.signature_of(&bound),
                }
            }
            _ => None,
        }
    }

    /// Of several signatures the one that takes this many arguments; the first where none does.
    fn choose(&self, unit: u32, first: FunctionId, args: Option<usize>, news: bool) -> FunctionId {
        let Some(facts) = self.facts(unit) else {
            return first;
        };
        let mut at = first;
        let mut fallback = None;
        for _ in 0..64 {
            let Some(f) = facts.function(at) else { break };
            if (f.flags & FunctionFlags::CONSTRUCTS != 0) == news {
                fallback = fallback.or(Some(at));
                let params = facts.list(f.params).len();
                let takes = args.is_none_or(|n| {
                    n <= params || (f.flags & FunctionFlags::REST != 0 && params > 0)
                });
                if takes {
                    return at;
                }
            }
            at = f.next;
        }
        fallback.unwrap_or(FunctionId::NONE)
    }

    /// What a function yields at a call site.
    pub(super) fn function_result(
        &mut self,
        unit: u32,
        first: FunctionId,
        env: &Env,
        site: Option<&Site>,
    ) -> Ty {
        let args = site.map(|s| self.entries(s.unit, s.args).len());
        let function = self.choose(unit, first, args, false);
        self.result_of(unit, function, env, site)
    }

    fn result_of(&mut self, unit: u32, function: FunctionId, env: &Env, site: Option<&Site>) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        let Some(f) = facts.function(function).copied() else {
            return Ty::Unknown;
        };
        if f.flags & FunctionFlags::PREDICATE != 0 {
            return Ty::Opaque;
        }
        let env = self.call_env(unit, &f, env, site);
        if f.result != TypeId::UNKNOWN {
            self.through_result = true;
            return self.ty(unit, f.result, &env);
        }
        let returns = facts.list(f.returns);
        if returns.is_empty() {
            return Ty::Unknown;
        }
        self.inferred = true;
        let all = returns
            .iter()
            .map(|e| self.expr(unit, ExprId(*e), &env))
            .collect();
        let mut ty = Ty::union(all);
        if f.flags & FunctionFlags::GENERATOR != 0 {
            return Ty::array(ty);
        }
        if f.flags & FunctionFlags::ASYNC != 0 && self.dialect == Dialect::Python && ty.is_unknown()
        {
            ty = Ty::Opaque;
        }
        if f.flags & FunctionFlags::ASYNC != 0 && !ty.is_unknown() {
            return ty.promise();
        }
        ty
    }

    /// A new instance of a value that is a class or can be constructed.
    pub(super) fn construct(&mut self, class: &Ty, site: Option<&Site>) -> Ty {
        if !self.enter() {
            return Ty::Unknown;
        }
        let ty = match class {
            Ty::Def(sym, _) => match self.world.kind(*sym) {
                NodeKind::CLASS => {
                    let args = match site {
                        Some(s) => {
                            let list = self.entries(s.unit, s.type_args);
                            self.types(s.unit, list, &s.env)
                        }
                        None => Vec::new(),
                    };
                    let given = !args.is_empty();
                    let mut env = self.with_args(*sym, args);
                    if !given && let Some(site) = site {
                        env = self.class_env(*sym, env, site);
                    }
                    Ty::Instance(*sym, env)
                }
                NodeKind::FUNCTION | NodeKind::METHOD => Ty::Instance(*sym, None),
                _ => Ty::Unknown,
            },
            Ty::Opaque | Ty::External(_) => Ty::Opaque,
            Ty::Library(name) => {
                let args = match site {
                    Some(s) => {
                        let list = self.entries(s.unit, s.type_args);
                        self.types(s.unit, list, &s.env)
                    }
                    None => Vec::new(),
                };
                self.library_instance(name, args, site)
            }
            Ty::Both(all) | Ty::Union(all) => {
                let all = all.clone();
                all.iter()
                    .map(|t| self.construct(t, site))
                    .find(|t| !t.is_unknown())
                    .unwrap_or(Ty::Unknown)
            }
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                match bound {
                    Ty::Param(..) => Ty::Unknown,
                    bound => self.construct(&bound, site),
                }
            }
            other => match self.signature_of(other) {
                Some((unit, first, env)) => {
                    let function = self.choose(unit, first, None, true);
                    self.result_of(unit, function, &env, site)
                }
                None => Ty::Unknown,
            },
        };
        self.leave();
        ty
    }

    /// What the callee of a call expects as the argument at a place.
    pub(super) fn expected(&mut self, unit: u32, call: ExprId, index: u32, env: &Env) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        if self.world.dialect(unit).is_classes() {
            return self.class_expected(unit, call, index, env);
        }
        let (callee, args, type_args, news) = match facts.expr(call) {
            Expr::Call {
                callee,
                args,
                type_args,
            } => (callee, args, type_args, false),
            Expr::New {
                class,
                args,
                type_args,
            } => (class, args, type_args, true),
            _ => return Ty::Unknown,
        };
        let callee = self.expr(unit, callee, env);
        if let Ty::LibraryMethod(method) = callee {
            return Ty::LibraryCallback(method);
        }
        let Some((f_unit, first, f_env)) = self.signature_of(&callee) else {
            return match callee {
                Ty::Opaque | Ty::External(_) => Ty::Opaque,
                _ => Ty::Unknown,
            };
        };
        let count = facts.list(args).len();
        let is_class = matches!(callee, Ty::Def(s, _) if self.world.kind(s) == NodeKind::CLASS);
        let function = self.choose(f_unit, first, Some(count), news && !is_class);
        let Some(f) = self
            .facts(f_unit)
            .and_then(|f| f.function(function))
            .copied()
        else {
            return Ty::Unknown;
        };
        let site = Site {
            unit,
            args,
            type_args,
            env: env.clone(),
        };
        let f_env = self.call_env(f_unit, &f, &f_env, Some(&site));
        let params = self.entries(f_unit, f.params);
        let at = index as usize;
        let rest = f.flags & FunctionFlags::REST != 0 && at + 1 >= params.len();
        let Some(param) = params.get(at).or_else(|| params.last().filter(|_| rest)) else {
            return Ty::Unknown;
        };
        let ty = self.ty(f_unit, TypeId(*param), &f_env);
        if rest { self.element(&ty) } else { ty }
    }

    /// The parameter at a place of a function that is expected.
    pub(super) fn param_of(&mut self, expected: &Ty, index: u32) -> Ty {
        if let Ty::LibraryCallback(method) = expected {
            let method = method.clone();
            return self.library_parameter(&method.0, &method.1, index);
        }
        if let Ty::Opaque | Ty::External(_) = expected {
            return Ty::Opaque;
        }
        let Some((unit, first, env)) = self.signature_of(expected) else {
            return Ty::Unknown;
        };
        let Some(f) = self.facts(unit).and_then(|f| f.function(first)).copied() else {
            return Ty::Unknown;
        };
        let params = self.entries(unit, f.params);
        let at = index as usize;
        let rest = f.flags & FunctionFlags::REST != 0 && at + 1 >= params.len();
        let Some(param) = params.get(at).or_else(|| params.last().filter(|_| rest)) else {
            return Ty::Unknown;
        };
        let ty = self.ty(unit, TypeId(*param), &env);
        if rest { self.element(&ty) } else { ty }
    }
}

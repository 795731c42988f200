//! What an expression is: the shared evaluator over stored facts.
//!
//! One evaluator serves one unit that is being linked, and keeps what it has found out, in other files too. Every step is
//! bounded: nesting by [`DEPTH`], work per reference by [`STEPS`]; what passes the bounds is unknown, never wrong.

use rustc_hash::{FxHashMap, FxHashSet};

use super::dialect::Dialect;
use super::names::{Found, Hit};
use super::types::{Env, Ty, lookup};
use super::world::{Sym, World};
use crate::ids::LocalNode;
use crate::model::facts::{
    BindingId, Bound, Expr, ExprId, Facts, FunctionFlags, FunctionId, List, Space, TypeId,
};
use crate::model::label::NodeKind;

/// How deep an evaluation may nest.
const DEPTH: u32 = 56;
/// How many steps one reference may cost.
const STEPS: u32 = 20_000;
/// How many steps all references of a unit may cost: ordinary files take a few thousand.
const UNIT_STEPS: u64 = 20_000_000;

/// The evaluator of one unit's references.
pub(super) struct Eval<'w> {
    pub(super) world: &'w World<'w>,
    /// The rules of the unit that is being linked.
    pub(super) dialect: Dialect,
    pub(super) mro: FxHashMap<Sym, std::rc::Rc<super::python::Mro>>,
    /// Values of expressions and types that depend on no type argument, with whether inference was needed.
    memo: FxHashMap<(u32, u32, bool), (Ty, bool)>,
    busy: FxHashSet<(u32, u32, bool)>,
    pub(super) exports: FxHashMap<(u32, u64, u8), Hit>,
    pub(super) depth: u32,
    steps: u32,
    all_steps: u64,
    /// Whether what is being evaluated took more than written types, scopes and imports.
    pub(super) inferred: bool,
    /// Whether a written result type was used.
    pub(super) through_result: bool,
}

impl<'w> Eval<'w> {
    pub(super) fn new(world: &'w World<'w>) -> Self {
        Self {
            world,
            dialect: Dialect::Ecma,
            mro: FxHashMap::default(),
            memo: FxHashMap::default(),
            busy: FxHashSet::default(),
            exports: FxHashMap::default(),
            depth: 0,
            steps: 0,
            all_steps: 0,
            inferred: false,
            through_result: false,
        }
    }

    /// Begins a new reference.
    pub(super) fn restart(&mut self) {
        self.depth = 0;
        self.steps = 0;
        self.inferred = false;
        self.through_result = false;
    }

    pub(super) fn facts(&self, unit: u32) -> Option<&'w Facts> {
        self.world.unit(unit).map(|u| &u.facts)
    }

    /// One level deeper; `false` where the bounds are reached.
    pub(super) fn enter(&mut self) -> bool {
        self.steps += 1;
        self.all_steps += 1;
        let spent = self.steps > STEPS || self.all_steps > UNIT_STEPS;
        if spent || self.depth >= DEPTH {
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Runs an evaluation that depends on nothing but its place, once.
    fn once(&mut self, key: (u32, u32, bool), evaluate: impl FnOnce(&mut Self) -> Ty) -> Ty {
        if let Some((ty, inferred)) = self.memo.get(&key) {
            self.inferred |= *inferred;
            return ty.clone();
        }
        if !self.busy.insert(key) {
            return Ty::Unknown;
        }
        let outer = std::mem::replace(&mut self.inferred, false);
        let ty = evaluate(self);
        self.busy.remove(&key);
        self.memo.insert(key, (ty.clone(), self.inferred));
        self.inferred |= outer;
        ty
    }

    /// The value of an expression.
    pub(super) fn expr(&mut self, unit: u32, id: ExprId, env: &Env) -> Ty {
        if id == ExprId::UNKNOWN || !self.enter() {
            return Ty::Unknown;
        }
        let ty = if env.is_none() {
            self.once((unit, id.0, false), |e| e.expr_now(unit, id, &None))
        } else {
            self.expr_now(unit, id, env)
        };
        self.leave();
        ty
    }

    /// A written type.
    pub(super) fn ty(&mut self, unit: u32, id: TypeId, env: &Env) -> Ty {
        if id == TypeId::UNKNOWN || !self.enter() {
            return Ty::Unknown;
        }
        let ty = if env.is_none() {
            self.once((unit, id.0, true), |e| e.ty_now(unit, id, &None))
        } else {
            self.ty_now(unit, id, env)
        };
        self.leave();
        ty
    }

    fn expr_now(&mut self, unit: u32, id: ExprId, env: &Env) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        if self.world.dialect(unit).is_classes()
            && let Some(ty) = self.class_expr(unit, id, env)
        {
            return ty;
        }
        match facts.expr(id) {
            Expr::Unknown | Expr::Implied { .. } => Ty::Unknown,
            Expr::Free { name } => self.free(unit, self.world.text(unit, name)),
            Expr::Bound(binding) => self.bound_value(unit, binding, env),
            Expr::Node(node) => self.value_of(Sym { unit, node }, env),
            Expr::Member { base, name } => {
                let base = self.expr(unit, base, env);
                let name = self.world.text(unit, name);
                if name == "[key]" && self.is_go(unit) {
                    return self.go_range_key(&base);
                }
                self.member_type(&base, name)
            }
            Expr::Element { base } => {
                let base = self.expr(unit, base, env);
                if self.is_go(unit) {
                    return self.go_element(&base);
                }
                self.element(&base)
            }
            Expr::Index { base, index } => {
                let base = self.expr(unit, base, env);
                self.element_at(&base, index)
            }
            Expr::Call {
                callee,
                args,
                type_args,
            } => {
                let callee_ty = self.expr(unit, callee, env);
                let site = Site {
                    unit,
                    args,
                    type_args,
                    env: env.clone(),
                };
                self.call_result(&callee_ty, Some(&site))
            }
            Expr::New {
                class,
                args,
                type_args,
            } => {
                let class_ty = self.expr(unit, class, env);
                let site = Site {
                    unit,
                    args,
                    type_args,
                    env: env.clone(),
                };
                self.construct(&class_ty, Some(&site))
            }
            Expr::This { node, of_type } => self.this(Sym { unit, node }, of_type, env),
            Expr::Super { node, of_type } => self.base(Sym { unit, node }, of_type, env),
            Expr::Await { base } => {
                let base = self.expr(unit, base, env);
                if self.is_go(unit) {
                    return self.go_received(&base);
                }
                self.awaited(&base)
            }
            Expr::Unwrap { base } => self.expr(unit, base, env),
            Expr::Typed { ty } => self.ty(unit, ty, env),
            Expr::Function(f) => Ty::Function(unit, f, env.clone()),
            Expr::Param { function, index } => self.param(unit, function, index, env),
            Expr::Expected { call, index } => self.expected(unit, call, index, env),
            Expr::Object { .. } => Ty::Object(unit, id, env.clone()),
            Expr::Array { elements } => {
                let types: Vec<Ty> = self
                    .entries(unit, elements)
                    .iter()
                    .map(|e| self.expr(unit, ExprId(*e), env))
                    .collect();
                Ty::Tuple(types.into())
            }
            Expr::Fallback { first, second } => {
                let ty = self.expr(unit, first, env);
                if ty.is_unknown() {
                    self.inferred |= first == ExprId::UNKNOWN;
                    self.expr(unit, second, env)
                } else {
                    ty
                }
            }
            Expr::Either { left, right } => {
                let left = self.expr(unit, left, env);
                let right = self.expr(unit, right, env);
                // The side that is not known may be anything.
                self.inferred |= left.is_unknown() != right.is_unknown();
                Ty::union(vec![left, right])
            }
            // Said by languages that have a linker of their own.
            Expr::TypeName { .. } | Expr::Payload { .. } | Expr::PayloadField { .. } => Ty::Unknown,
            Expr::Module(import) => {
                let hit = self.import(unit, import, Space::Value);
                let dynamic = facts.imports.get(import.index()).is_some_and(|i| i.dynamic);
                let ty = self.found_value(&hit.found);
                if dynamic { ty.promise() } else { ty }
            }
        }
    }

    pub(super) fn entries(&self, unit: u32, list: List) -> &'w [u32] {
        self.facts(unit).map_or(&[], |f| f.list(list))
    }

    /// A name that the file does not bind.
    fn free(&mut self, unit: u32, name: &str) -> Ty {
        if self.dialect == Dialect::Python {
            return self.python_free(unit, name);
        }
        if self.is_go(unit) {
            return self.go_free(unit, name);
        }
        let global = self
            .world
            .globals(name)
            .find(|s| super::names::serves(self.world.kind(*s), Space::Value));
        if let Some(sym) = global {
            return self.value_of(sym, &None);
        }
        if super::builtin::is_library_object(name) {
            return Ty::Library(name.into());
        }
        if super::builtin::is_global(name) {
            return Ty::Opaque;
        }
        Ty::Unknown
    }

    fn bound_value(&mut self, unit: u32, binding: BindingId, env: &Env) -> Ty {
        let Some(bound) = self
            .facts(unit)
            .and_then(|f| f.binding(binding))
            .map(|b| b.bound)
        else {
            return Ty::Unknown;
        };
        match bound {
            Bound::Node(node) => self.value_of(Sym { unit, node }, env),
            Bound::Import(import) => {
                let hit = self.import(unit, import, Space::Value);
                self.found_value(&hit.found)
            }
            Bound::Local { ty, value } => {
                if ty == TypeId::UNKNOWN {
                    self.expr(unit, value, env)
                } else {
                    self.ty(unit, ty, env)
                }
            }
            Bound::TypeParam { .. } | Bound::Use(_) | Bound::Outer { .. } => Ty::Unknown,
        }
    }

    /// The value that a name leads to.
    pub(super) fn found_value(&mut self, found: &Found) -> Ty {
        match found {
            Found::Node(sym) => self.value_of(*sym, &None),
            Found::Binding(unit, binding) => self.bound_value(*unit, *binding, &None),
            Found::Expr(unit, expr) => self.expr(*unit, *expr, &None),
            Found::MemberOf(unit, expr, name) => {
                let whole = self.expr(*unit, *expr, &None);
                self.member_type(&whole, name)
            }
            Found::Module(unit) => Ty::Module(*unit),
            Found::Folder(folder) => Ty::Folder(folder.as_str().into()),
            Found::External(key) => Ty::External(key.as_str().into()),
            Found::Missing => Ty::Opaque,
        }
    }

    /// The value of a definition.
    pub(super) fn value_of(&mut self, sym: Sym, env: &Env) -> Ty {
        match self.world.kind(sym) {
            NodeKind::CONSTANT | NodeKind::VARIABLE | NodeKind::FIELD => {
                let Some(def) = self.facts(sym.unit).and_then(|f| f.def(sym.node)) else {
                    return Ty::Unknown;
                };
                if def.ty != TypeId::UNKNOWN {
                    return self.ty(sym.unit, def.ty, env);
                }
                self.expr(sym.unit, def.value, env)
            }
            NodeKind::ACCESSOR => {
                let function = self
                    .facts(sym.unit)
                    .and_then(|f| f.def(sym.node))
                    .map_or(FunctionId::NONE, |d| d.function);
                self.function_result(sym.unit, function, env, None)
            }
            NodeKind::ENUM_MEMBER if self.dialect == Dialect::Python => self.python_case(sym),
            NodeKind::FILE => Ty::Module(sym.unit),
            NodeKind::INTERFACE | NodeKind::TYPE_ALIAS if !self.is_go(sym.unit) => Ty::Unknown,
            _ => Ty::Def(sym, env.clone()),
        }
    }

    fn this(&mut self, sym: Sym, of_type: bool, env: &Env) -> Ty {
        if self.dialect == Dialect::Python {
            return self.python_this(sym, of_type, env);
        }
        if let Some(this) = lookup(env, sym.unit, BindingId::NONE)
            && !of_type
        {
            return this;
        }
        match self.world.kind(sym) {
            NodeKind::CONSTANT | NodeKind::VARIABLE => self.value_of(sym, env),
            _ if of_type => Ty::Def(sym, None),
            _ => Ty::Instance(sym, None),
        }
    }

    /// What `super` is in a class.
    fn base(&mut self, sym: Sym, of_type: bool, env: &Env) -> Ty {
        if self.dialect == Dialect::Python {
            return Ty::After(sym, of_type);
        }
        for (_, ty) in self.bases(sym, env) {
            match ty {
                Ty::Instance(base, _) if of_type => return Ty::Def(base, None),
                Ty::Unknown => {}
                other => return other,
            }
        }
        Ty::Unknown
    }

    /// A parameter: by its written type, or by what is expected where the function stands.
    fn param(&mut self, unit: u32, function: FunctionId, index: u32, env: &Env) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        let Some(f) = facts.function(function) else {
            return Ty::Unknown;
        };
        let params = facts.list(f.params);
        let written = TypeId(params.get(index as usize).copied().unwrap_or(0));
        if written != TypeId::UNKNOWN {
            return self.ty(unit, written, env);
        }
        if f.context == ExprId::UNKNOWN {
            return Ty::Unknown;
        }
        self.inferred = true;
        let context = self.expr(unit, f.context, env);
        let ty = self.param_of(&context, index);
        let rest = f.flags & FunctionFlags::REST != 0 && index as usize + 1 == params.len();
        if rest { Ty::array(ty) } else { ty }
    }

    /// What is inside a promise.
    pub(super) fn awaited(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Promise(inner) => (**inner).clone(),
            Ty::Union(all) => {
                let all = all.iter().map(|t| self.awaited(t)).collect();
                Ty::union(all)
            }
            other => other.clone(),
        }
    }

    /// Evaluates the function of a definition as a node's own.
    pub(super) fn functions_of(&self, sym: Sym) -> FunctionId {
        self.facts(sym.unit)
            .and_then(|f| f.def(sym.node))
            .map_or(FunctionId::NONE, |d| d.function)
    }

    /// The definition that a function belongs to.
    pub(super) fn node_of_function(&self, unit: u32, function: FunctionId) -> Option<Sym> {
        let node = self.facts(unit)?.function(function)?.node;
        (node != LocalNode::UNIT).then_some(Sym { unit, node })
    }
}

/// One place where something is called.
pub(super) struct Site {
    pub(super) unit: u32,
    pub(super) args: List,
    pub(super) type_args: List,
    pub(super) env: Env,
}

//! What an expression of Rust is.
//!
//! One evaluator serves one unit that is being linked, and keeps what it has found out, in other files too. Every step is
//! bounded: nesting by [`DEPTH`], work per reference by [`STEPS`]; what passes the bounds is unknown, never wrong.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::crates::Crates;
use super::paths::{Named, Space};
use super::types::{Env, Ty};
use crate::ids::StrId;
use crate::link::world::Sym;
use crate::model::facts::{
    BindingId, Bound, Expr, ExprId, Facts, FunctionFlags, FunctionId, List, TypeExpr, TypeId,
};
use crate::model::label::NodeKind;

/// How deep an evaluation may nest.
const DEPTH: u32 = 48;
/// How many steps one reference may cost.
const STEPS: u32 = 20_000;
/// How many steps all references of a unit may cost.
const UNIT_STEPS: u64 = 20_000_000;

/// Types of the library that the language itself knows.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) option: Option<Sym>,
    pub(super) result: Option<Sym>,
    pub(super) vec: Option<Sym>,
    pub(super) string: Option<Sym>,
    pub(super) future: Option<Sym>,
}

/// The method and the arguments of calls on locals.
type Filling<'w> = FxHashMap<BindingId, Vec<(&'w str, List)>>;

/// The evaluator of one unit's references.
pub(super) struct Eval<'c, 'w> {
    pub(super) crates: &'c Crates<'w>,
    pub(super) known: Known,
    memo: FxHashMap<(u32, u32, bool), (Ty, bool, bool)>,
    busy: FxHashSet<(u32, u32, bool)>,
    pub(super) names: FxHashMap<(u32, BindingId, Space), Option<Named>>,
    /// Per unit: what is put into local collections.
    filling: FxHashMap<u32, Filling<'w>>,
    pub(super) depth: u32,
    steps: u32,
    all_steps: u64,
    /// Whether what is being evaluated took more than written types, scopes and imports.
    pub(super) inferred: bool,
    /// Whether a written result type was used.
    pub(super) through_result: bool,
}

impl<'c, 'w> Eval<'c, 'w> {
    pub(super) fn new(crates: &'c Crates<'w>) -> Self {
        let library = |name: &str| {
            let root = Sym {
                unit: crates.library,
                node: crate::ids::LocalNode::UNIT,
            };
            crates.world.children(root, name).into_iter().find(|s| {
                matches!(
                    crates.world.kind(*s),
                    NodeKind::STRUCT | NodeKind::ENUM | NodeKind::TRAIT
                )
            })
        };
        Self {
            crates,
            known: Known {
                option: library("Option"),
                result: library("Result"),
                vec: library("Vec"),
                string: library("String"),
                future: library("Future"),
            },
            memo: FxHashMap::default(),
            busy: FxHashSet::default(),
            names: FxHashMap::default(),
            filling: FxHashMap::default(),
            depth: 0,
            steps: 0,
            all_steps: 0,
            inferred: false,
            through_result: false,
        }
    }

    /// What calls say about what a local collection holds: the binding, the method, the arguments.
    fn note_filling(&mut self, unit: u32) {
        if self.filling.contains_key(&unit) {
            return;
        }
        let mut found: Filling<'w> = FxHashMap::default();
        if let Some(facts) = self.facts(unit) {
            for expr in &facts.exprs {
                if let Expr::Call { callee, args, .. } = expr
                    && let Expr::Member { base, name } = facts.expr(*callee)
                    && let Expr::Bound(binding) = facts.expr(base)
                    && let name @ ("push" | "push_back" | "push_front" | "insert") =
                        self.text(unit, name)
                {
                    found.entry(binding).or_default().push((name, *args));
                }
            }
        }
        self.filling.insert(unit, found);
    }

    /// A local collection whose elements are open: they are what is put in.
    fn filled_later(&mut self, unit: u32, binding: BindingId, ty: Ty) -> Ty {
        let Ty::Adt(sym, args) = &ty else { return ty };
        let open = args.iter().any(|a| !a.is_whole());
        if sym.unit != self.crates.library || args.is_empty() || !open {
            return ty;
        }
        self.note_filling(unit);
        let all = self.filling.get(&unit).and_then(|f| f.get(&binding));
        let all = all.cloned().unwrap_or_default();
        let Some(facts) = self.facts(unit) else {
            return ty;
        };
        let is_map = self.crates.world.name(*sym).ends_with("Map");
        let is_set = self.crates.world.name(*sym).ends_with("Set");
        for (name, list) in all.into_iter().take(4) {
            let values = facts.list(list);
            let values = match (name, is_map, values) {
                ("insert", true, values) => values,
                ("insert", false, [_, value]) if !is_set => std::slice::from_ref(value),
                (_, _, values) => values.get(..1).unwrap_or_default(),
            };
            let types: Vec<Ty> = values.iter().map(|v| self.expr(unit, ExprId(*v))).collect();
            if types.is_empty() || types.iter().all(Ty::is_unknown) {
                continue;
            }
            self.inferred = true;
            let args = args
                .iter()
                .enumerate()
                .map(|(i, known)| match types.get(i) {
                    Some(ty) if !known.is_whole() => ty.clone(),
                    _ => known.clone(),
                })
                .collect();
            return Ty::Adt(*sym, args);
        }
        ty
    }

    /// Begins a new reference.
    pub(super) fn restart(&mut self) {
        self.depth = 0;
        self.steps = 0;
        self.inferred = false;
        self.through_result = false;
    }

    pub(super) fn facts(&self, unit: u32) -> Option<&'w Facts> {
        self.crates.world.unit(unit).map(|u| &u.facts)
    }

    pub(super) fn text(&self, unit: u32, id: StrId) -> &'w str {
        self.crates.world.text(unit, id)
    }

    pub(super) fn kind(&self, sym: Sym) -> NodeKind {
        self.crates.world.kind(sym)
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

    fn once(&mut self, key: (u32, u32, bool), evaluate: impl FnOnce(&mut Self) -> Ty) -> Ty {
        if let Some((ty, inferred, result)) = self.memo.get(&key) {
            self.inferred |= *inferred;
            self.through_result |= *result;
            return ty.clone();
        }
        if !self.busy.insert(key) {
            return Ty::Unknown;
        }
        let outer = std::mem::replace(&mut self.inferred, false);
        let outer_result = std::mem::replace(&mut self.through_result, false);
        let mut ty = evaluate(self);
        if ty.is_vast() {
            ty = Ty::Opaque;
        }
        self.busy.remove(&key);
        self.memo
            .insert(key, (ty.clone(), self.inferred, self.through_result));
        self.inferred |= outer;
        self.through_result |= outer_result;
        ty
    }

    /// The value of an expression.
    pub(super) fn expr(&mut self, unit: u32, id: ExprId) -> Ty {
        if id == ExprId::UNKNOWN || !self.enter() {
            return Ty::Unknown;
        }
        let ty = self.once((unit, id.0, false), |e| e.expr_now(unit, id));
        self.leave();
        ty
    }

    /// A written type.
    pub(super) fn ty(&mut self, unit: u32, id: TypeId) -> Ty {
        if id == TypeId::UNKNOWN || !self.enter() {
            return Ty::Unknown;
        }
        let ty = self.once((unit, id.0, true), |e| e.ty_now(unit, id));
        self.leave();
        ty
    }

    /// What a name of a file means.
    pub(super) fn binding(&mut self, unit: u32, id: BindingId, space: Space) -> Option<Named> {
        let key = (unit, id, space);
        if let Some(known) = self.names.get(&key) {
            return known.clone();
        }
        let found = self.crates.binding(unit, id, space);
        self.names.insert(key, found.clone());
        found
    }

    fn expr_now(&mut self, unit: u32, id: ExprId) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        match facts.expr(id) {
            Expr::Bound(binding) => self.bound_value(unit, binding),
            Expr::Member { base, name } => self.member_value(unit, base, name),
            Expr::Element { base } => {
                let base = self.expr(unit, base);
                self.item_of(&base)
            }
            Expr::Index { base, index } => {
                let base = self.expr(unit, base);
                if index == 1 {
                    self.starred(&base)
                } else {
                    self.indexed(&base)
                }
            }
            Expr::Call {
                callee,
                args,
                type_args,
            } => self.call(unit, callee, args, type_args),
            Expr::New { class, .. } => {
                let class = self.expr(unit, class);
                self.constructed(&class)
            }
            Expr::Await { base } => {
                let base = self.expr(unit, base);
                self.awaited(&base)
            }
            Expr::Unwrap { base } => {
                let base = self.expr(unit, base);
                self.tried(&base)
            }
            Expr::Typed { ty } => self.ty(unit, ty),
            Expr::TypeName { ty } => match self.ty(unit, ty) {
                module @ (Ty::Module(_) | Ty::External(_)) => module,
                Ty::Unknown => Ty::Unknown,
                ty => Ty::Named(Rc::new(ty)),
            },
            Expr::Function(f) => Ty::Closure(unit, f),
            Expr::Param { function, index } => self.param(unit, function, index),
            Expr::Expected { call, index } => self.expected(unit, call, index),
            Expr::Object { fields } => {
                let parts: Vec<u32> = facts
                    .list(fields)
                    .chunks_exact(2)
                    .filter_map(|pair| pair.get(1).copied())
                    .collect();
                let types = parts.iter().map(|e| self.expr(unit, ExprId(*e))).collect();
                Ty::Tuple(types)
            }
            Expr::Array { elements } => {
                let mut element = Ty::Unknown;
                for e in facts.list(elements) {
                    element = self.expr(unit, ExprId(*e));
                    if !element.is_unknown() {
                        break;
                    }
                }
                match self.known.vec {
                    Some(vec) => Ty::Adt(vec, vec![element].into()),
                    None => Ty::Slice(Rc::new(element)),
                }
            }
            Expr::Fallback { first, second } => {
                let ty = self.expr(unit, first);
                if ty.is_unknown() {
                    return self.expr(unit, second);
                }
                if ty.is_whole() {
                    return ty;
                }
                let other = self.expr(unit, second);
                self.filled(&ty, &other)
            }
            Expr::Payload {
                base,
                variant,
                index,
            } => {
                let base = self.expr(unit, base);
                self.payload(unit, &base, variant, &index.to_string())
            }
            Expr::PayloadField {
                base,
                variant,
                name,
            } => {
                let base = self.expr(unit, base);
                let name = self.text(unit, name);
                self.payload(unit, &base, variant, name)
            }
            _ => Ty::Unknown,
        }
    }

    fn bound_value(&mut self, unit: u32, binding: BindingId) -> Ty {
        let Some(found) = self.facts(unit).and_then(|f| f.binding(binding)) else {
            return Ty::Unknown;
        };
        match found.bound {
            Bound::Local { ty, value } => {
                if ty == TypeId::UNKNOWN {
                    let ty = self.expr(unit, value);
                    self.filled_later(unit, binding, ty)
                } else {
                    self.ty(unit, ty)
                }
            }
            Bound::TypeParam { .. } | Bound::Import(_) => Ty::Unknown,
            Bound::Node(node) => self.value_of(Sym { unit, node }),
            Bound::Use(_) | Bound::Outer { .. } => {
                match self.binding(unit, binding, Space::Value) {
                    Some(named) => self.named_value(&named),
                    None => Ty::Unknown,
                }
            }
        }
    }

    /// The value that a path names.
    pub(super) fn named_value(&mut self, named: &Named) -> Ty {
        match named {
            Named::Node(sym) => self.value_of(*sym),
            Named::Outside(key) => Ty::External(key.as_str().into()),
        }
    }

    /// The value of a definition.
    pub(super) fn value_of(&mut self, sym: Sym) -> Ty {
        match self.kind(sym) {
            NodeKind::CONSTANT | NodeKind::VARIABLE | NodeKind::FIELD => {
                let Some(def) = self.facts(sym.unit).and_then(|f| f.def(sym.node)) else {
                    return Ty::Unknown;
                };
                self.ty(sym.unit, def.ty)
            }
            NodeKind::FUNCTION | NodeKind::METHOD => Ty::Def(sym, Rc::default()),
            NodeKind::STRUCT | NodeKind::ENUM_MEMBER => {
                let fields = self.fields_of(sym);
                if fields.is_some() {
                    Ty::Def(sym, Rc::default())
                } else {
                    self.instance_of(sym)
                }
            }
            NodeKind::FILE | NodeKind::MODULE => Ty::Module(sym),
            _ => Ty::Unknown,
        }
    }

    /// The types of a tuple struct's or variant's fields.
    pub(super) fn fields_of(&self, sym: Sym) -> Option<&'w [u32]> {
        let facts = self.facts(sym.unit)?;
        match facts.ty(facts.def(sym.node)?.ty) {
            TypeExpr::Tuple(list) => Some(facts.list(list)),
            _ => None,
        }
    }

    /// The type that a struct or a variant makes, its parameters left open.
    pub(super) fn instance_of(&mut self, sym: Sym) -> Ty {
        match self.kind(sym) {
            NodeKind::ENUM_MEMBER => {
                let parent = self.crates.world.node(sym).map(|n| n.parent);
                parent.map_or(Ty::Unknown, |node| {
                    self.instance_of(Sym {
                        unit: sym.unit,
                        node,
                    })
                })
            }
            NodeKind::STRUCT | NodeKind::ENUM | NodeKind::UNION => {
                let count = self.type_params(sym).len();
                Ty::Adt(sym, vec![Ty::Unknown; count].into())
            }
            _ => Ty::Unknown,
        }
    }

    /// The type parameters of a definition.
    pub(super) fn type_params(&self, sym: Sym) -> &'w [u32] {
        let facts = self.facts(sym.unit);
        facts
            .and_then(|f| Some(f.list(f.def(sym.node)?.type_params)))
            .unwrap_or_default()
    }

    /// What stands for the parameters of a type with these arguments.
    pub(super) fn env_of(&self, sym: Sym, args: &[Ty]) -> Env {
        self.type_params(sym)
            .iter()
            .zip(args)
            .filter(|(_, ty)| !ty.is_unknown())
            .map(|(param, ty)| ((sym.unit, BindingId(*param)), ty.clone()))
            .collect()
    }

    /// What a struct expression of that path makes.
    fn constructed(&mut self, class: &Ty) -> Ty {
        match class {
            Ty::Named(inner) => (**inner).clone(),
            Ty::Def(sym, _) => self.instance_of(*sym),
            Ty::Adt(..) => class.clone(),
            Ty::External(_) => Ty::Opaque,
            _ => Ty::Unknown,
        }
    }

    /// A written type whose open parts are filled from what the value is.
    fn filled(&mut self, ty: &Ty, other: &Ty) -> Ty {
        match (ty, other) {
            (Ty::Unknown, other) => other.clone(),
            (Ty::Adt(a, args), Ty::Adt(b, others)) if a == b => {
                let args = args
                    .iter()
                    .zip(others.iter())
                    .map(|(x, y)| self.filled(x, y))
                    .collect();
                Ty::Adt(*a, args)
            }
            (Ty::Tuple(args), Ty::Tuple(others)) if args.len() == others.len() => {
                let args = args
                    .iter()
                    .zip(others.iter())
                    .map(|(x, y)| self.filled(x, y))
                    .collect();
                Ty::Tuple(args)
            }
            _ => ty.clone(),
        }
    }

    /// A parameter: by its written type, or by what is expected where the closure stands.
    fn param(&mut self, unit: u32, function: FunctionId, index: u32) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        let Some(f) = facts.function(function) else {
            return Ty::Unknown;
        };
        let written = facts.list(f.params).get(index as usize).copied();
        let written = TypeId(written.unwrap_or(0));
        if written != TypeId::UNKNOWN {
            return self.ty(unit, written);
        }
        if f.context == ExprId::UNKNOWN {
            return Ty::Unknown;
        }
        self.inferred = true;
        let context = self.expr(unit, f.context);
        self.param_of(&context, index)
    }

    /// The parameter of what can be called.
    fn param_of(&mut self, ty: &Ty, index: u32) -> Ty {
        if !self.enter() {
            return Ty::Unknown;
        }
        let found = self.param_of_now(ty, index);
        self.leave();
        found
    }

    fn param_of_now(&mut self, ty: &Ty, index: u32) -> Ty {
        match ty {
            Ty::Function(params, _) => params.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            Ty::Both(all) => all
                .iter()
                .map(|t| self.param_of(t, index))
                .find(|t| !t.is_unknown())
                .unwrap_or(Ty::Unknown),
            Ty::Adt(..) => match self.dereferenced(ty) {
                Some(inner) => self.param_of(&inner, index),
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// The function of a definition.
    pub(super) fn function_of(&self, sym: Sym) -> FunctionId {
        self.facts(sym.unit)
            .and_then(|f| f.def(sym.node))
            .map_or(FunctionId::NONE, |d| d.function)
    }

    /// Whether a definition is called on a value.
    pub(super) fn takes_self(&self, sym: Sym) -> bool {
        let function = self.function_of(sym);
        self.facts(sym.unit)
            .and_then(|f| f.function(function))
            .is_some_and(|f| f.flags & FunctionFlags::RECEIVER != 0)
    }
}

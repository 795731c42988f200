//! What a value is, which member is meant, and which definition a reference leads to.
//!
//! Types are taken without pointers, references and arrays; a template's arguments travel with the type. Every step is
//! bounded: nesting by [`DEPTH`], work per reference by [`STEPS`]; what passes the bounds is unknown, never wrong.

use std::rc::Rc;

use super::library;
use super::lookup::{Linker, Want};
use crate::link::world::Sym;
use crate::model::facts::{BindingId, Bound, Expr, ExprId, FunctionId, TypeId};
use crate::model::label::{NodeKind, Reason};

const DEPTH: u32 = 48;
const STEPS: u32 = 4_000;

/// What type parameters stand for: those of one definition with their values.
pub(super) type Env = Option<Rc<Frame>>;

/// See [`Env`].
pub(super) struct Frame {
    pub(super) unit: u32,
    pub(super) params: Vec<u32>,
    pub(super) args: Vec<Value>,
}

/// What a value is, as far as linking can tell.
#[derive(Clone)]
pub(super) enum Value {
    /// Nothing is known.
    Unknown,
    /// Nothing of the tree.
    Outside,
    /// A definition itself: a function, a type, a namespace.
    Def(Sym),
    /// A value of a record or enumeration.
    Of(Sym, Env),
    /// A function or function pointer without a definition of its own.
    Function(u32, FunctionId, Env),
    /// A sequence of the library.
    Sequence(Rc<Value>),
}

/// What a reference leads to.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) targets: Vec<Sym>,
    pub(super) external: Option<String>,
    pub(super) reason: Reason,
    pub(super) inferred: bool,
}

impl Answer {
    pub(super) fn none() -> Self {
        Self {
            targets: Vec::new(),
            external: None,
            reason: Reason::UNRESOLVED,
            inferred: false,
        }
    }

    pub(super) fn of(sym: Sym, reason: Reason) -> Self {
        Self {
            targets: vec![sym],
            reason,
            ..Self::none()
        }
    }
}

/// A member that was found in a record or one of its bases.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) sym: Sym,
    pub(super) env: Env,
    pub(super) inherited: bool,
}

impl<'w> Linker<'w> {
    pub(super) fn enter(&mut self) -> bool {
        self.steps += 1;
        if self.steps > STEPS || self.depth >= DEPTH {
            return false;
        }
        self.depth += 1;
        true
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, unit: u32, id: ExprId, env: &Env) -> Value {
        if id == ExprId::UNKNOWN || !self.enter() {
            return Value::Unknown;
        }
        let value = if env.is_some() {
            self.value_now(unit, id, env)
        } else if let Some((known, inferred)) = self.exprs.get(&(unit, id.0)) {
            self.inferred |= *inferred;
            known.clone()
        } else {
            // A value that depends on itself is unknown.
            self.exprs.insert((unit, id.0), (Value::Unknown, false));
            let outer = std::mem::replace(&mut self.inferred, false);
            let value = self.value_now(unit, id, env);
            self.exprs
                .insert((unit, id.0), (value.clone(), self.inferred));
            self.inferred |= outer;
            value
        };
        self.depth -= 1;
        value
    }

    pub(super) fn value_now(&mut self, unit: u32, id: ExprId, env: &Env) -> Value {
        let Some(facts) = self.facts(unit) else {
            return Value::Unknown;
        };
        match facts.expr(id) {
            Expr::Free { name } => {
                let name = self.world.text(unit, name);
                let looked = self.look(unit, name, Want::Value);
                self.inferred |= looked.inferred;
                match looked.targets.as_slice() {
                    [sym] => self.value_of(*sym, env),
                    [] if looked.external.is_some() => Value::Outside,
                    [] => {
                        // A type named as the first part of a path.
                        let looked = self.look(unit, name, Want::Type);
                        match looked.targets.as_slice() {
                            [sym] => Value::Def(*sym),
                            _ => Value::Unknown,
                        }
                    }
                    _ => Value::Unknown,
                }
            }
            Expr::Bound(binding) => match facts.binding(binding).map(|b| b.bound) {
                Some(Bound::Node(node)) => self.value_of(Sym { unit, node }, env),
                Some(Bound::Local { ty, value }) => {
                    if ty == TypeId::UNKNOWN {
                        self.value(unit, value, env)
                    } else {
                        self.ty(unit, ty, env)
                    }
                }
                _ => Value::Unknown,
            },
            Expr::Fallback { first, second } => {
                if self.is_inner(unit, second) {
                    return self.value(unit, second, env);
                }
                match self.value(unit, first, env) {
                    Value::Unknown => self.value(unit, second, env),
                    known => known,
                }
            }
            Expr::Node(node) => self.value_of(Sym { unit, node }, env),
            Expr::Member { base, name } => {
                let base = self.value(unit, base, env);
                let name = self.world.text(unit, name);
                self.member_value(&base, name)
            }
            Expr::Element { base } => {
                let base = self.value(unit, base, env);
                self.element(base)
            }
            Expr::Call { callee, .. } => {
                let callee = self.value(unit, callee, env);
                self.result(&callee)
            }
            Expr::This { node, .. } => match self.class_of(Sym { unit, node }) {
                Some(class) => Value::Of(class, None),
                None => Value::Unknown,
            },
            Expr::Typed { ty } => self.ty(unit, ty, env),
            Expr::Function(f) => Value::Function(unit, f, env.clone()),
            Expr::Either { left, right } => {
                self.inferred = true;
                match self.value(unit, left, env) {
                    Value::Unknown => self.value(unit, right, env),
                    known => known,
                }
            }
            Expr::Unwrap { base } | Expr::Await { base } => self.value(unit, base, env),
            _ => Value::Unknown,
        }
    }

    /// The value of a definition.
    pub(super) fn value_of(&mut self, sym: Sym, env: &Env) -> Value {
        match self.world.kind(sym) {
            NodeKind::VARIABLE | NodeKind::CONSTANT | NodeKind::FIELD => {
                let Some(def) = self.facts(sym.unit).and_then(|f| f.def(sym.node)) else {
                    return Value::Unknown;
                };
                if def.ty == TypeId::UNKNOWN {
                    return self.value(sym.unit, def.value, env);
                }
                self.ty(sym.unit, def.ty, env)
            }
            NodeKind::ENUM_MEMBER => Value::Outside,
            NodeKind::TYPE_ALIAS => {
                let ty = self.facts(sym.unit).and_then(|f| f.def(sym.node));
                match ty.map(|d| self.ty(sym.unit, d.ty, env)) {
                    Some(Value::Of(record, _)) => Value::Def(record),
                    _ => Value::Unknown,
                }
            }
            _ => Value::Def(sym),
        }
    }

    pub(super) fn member_value(&mut self, base: &Value, name: &str) -> Value {
        match base {
            Value::Def(sym) if self.world.kind(*sym) == NodeKind::MODULE => {
                let members = self.space_members(*sym, name);
                match members.first() {
                    Some(first) => self.value_of(*first, &None),
                    None => Value::Unknown,
                }
            }
            Value::Def(sym) | Value::Of(sym, None) => {
                let env = None;
                self.member_of(*sym, &env, name)
            }
            Value::Of(sym, env) => {
                let env = env.clone();
                self.member_of(*sym, &env, name)
            }
            Value::Sequence(element) => match name {
                "front" | "back" | "at" | "begin" | "end" | "data" | "top" => {
                    // The call of the member yields the element: see `result`.
                    Value::Sequence(element.clone())
                }
                _ => Value::Outside,
            },
            Value::Outside => Value::Outside,
            _ => Value::Unknown,
        }
    }

    pub(super) fn member_of(&mut self, sym: Sym, env: &Env, name: &str) -> Value {
        let members = self.members_in(sym, env, name);
        let Some(member) = members.first() else {
            return Value::Unknown;
        };
        match self.world.kind(member.sym) {
            NodeKind::METHOD if member.env.is_some() => {
                let function = self
                    .facts(member.sym.unit)
                    .and_then(|f| f.def(member.sym.node))
                    .map(|d| d.function);
                match function {
                    Some(f) => Value::Function(member.sym.unit, f, member.env.clone()),
                    None => Value::Def(member.sym),
                }
            }
            _ => {
                let env = member.env.clone();
                self.value_of(member.sym, &env)
            }
        }
    }

    pub(super) fn element(&mut self, base: Value) -> Value {
        match base {
            Value::Sequence(element) => (*element).clone(),
            Value::Of(sym, ref env) => {
                let at = self.members_in(sym, env, "operator[]");
                match at.first() {
                    Some(member) => {
                        let method = Value::Def(member.sym);
                        self.result(&method)
                    }
                    // A pointer to records, or an array of them.
                    None => base,
                }
            }
            other => other,
        }
    }

    /// What calling a value yields.
    pub(super) fn result(&mut self, callee: &Value) -> Value {
        match callee {
            Value::Def(sym) => match self.world.kind(*sym) {
                kind if is_record(kind) => Value::Of(*sym, None),
                NodeKind::FUNCTION | NodeKind::METHOD => {
                    let function = self.facts(sym.unit).and_then(|f| f.def(sym.node));
                    match function.map(|d| d.function) {
                        Some(f) => self.function_result(sym.unit, f, &None),
                        None => Value::Unknown,
                    }
                }
                _ => Value::Unknown,
            },
            Value::Function(unit, f, env) => {
                let env = env.clone();
                self.function_result(*unit, *f, &env)
            }
            Value::Sequence(element) => (**element).clone(),
            Value::Outside => Value::Outside,
            _ => Value::Unknown,
        }
    }

    pub(super) fn function_result(&mut self, unit: u32, function: FunctionId, env: &Env) -> Value {
        let Some(facts) = self.facts(unit) else {
            return Value::Unknown;
        };
        let Some(f) = facts.function(function) else {
            return Value::Unknown;
        };
        if f.result != TypeId::UNKNOWN {
            return self.ty(unit, f.result, env);
        }
        self.inferred = true;
        for value in facts.list(f.returns) {
            match self.value(unit, ExprId(*value), env) {
                Value::Unknown => {}
                known => return known,
            }
        }
        Value::Unknown
    }
}

pub(super) fn is_record(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::STRUCT | NodeKind::UNION | NodeKind::CLASS | NodeKind::IMPL
    )
}

pub(super) fn is_type(kind: NodeKind) -> bool {
    is_record(kind)
        || matches!(
            kind,
            NodeKind::ENUM | NodeKind::TYPE_ALIAS | NodeKind::MODULE
        )
}

/// The name behind a tag's keyword, and what is looked for under it.
pub(super) fn tag(text: &str) -> (&str, Want) {
    match text.split_once(' ') {
        Some(("struct" | "union", name)) => (name, Want::Record),
        Some(("enum", name)) => (name, Want::Enum),
        _ => (text, Want::Type),
    }
}

/// A template of the library by its arguments.
pub(super) fn template(name: &str, args: Vec<Value>) -> Value {
    let first = args.into_iter().next();
    match first {
        Some(value) if library::is_pointer_like(name) => value,
        Some(value) if library::is_sequence(name) => Value::Sequence(Rc::new(value)),
        Some(_) => Value::Outside,
        None => Value::Unknown,
    }
}

/// What a type parameter stands for.
pub(super) fn parameter(env: &Env, unit: u32, binding: BindingId) -> Value {
    let Some(frame) = env else {
        return Value::Unknown;
    };
    if frame.unit != unit {
        return Value::Unknown;
    }
    let at = frame.params.iter().position(|p| *p == binding.0);
    at.and_then(|at| frame.args.get(at))
        .cloned()
        .unwrap_or(Value::Unknown)
}

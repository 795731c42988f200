//! What a value is, which member is meant, and which definition a reference leads to.
//!
//! Types are taken without pointers, references and arrays; a template's arguments travel with the type. Every step is
//! bounded: nesting by [`DEPTH`], work per reference by [`STEPS`]; what passes the bounds is unknown, never wrong.

use std::rc::Rc;

use super::library;
use super::lookup::{Linker, Want};
use crate::ids::StrId;
use crate::link::world::Sym;
use crate::model::facts::{BindingId, Bound, Expr, ExprId, FunctionId, List, TypeExpr, TypeId};
use crate::model::label::{NodeKind, Reason};

const DEPTH: u32 = 48;
const STEPS: u32 = 4_000;

/// What type parameters stand for: those of one definition with their values.
pub(super) type Env = Option<Rc<Frame>>;

/// See [`Env`].
pub(super) struct Frame {
    unit: u32,
    params: Vec<u32>,
    args: Vec<Value>,
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
    fn none() -> Self {
        Self {
            targets: Vec::new(),
            external: None,
            reason: Reason::UNRESOLVED,
            inferred: false,
        }
    }

    fn of(sym: Sym, reason: Reason) -> Self {
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
    env: Env,
    inherited: bool,
}

impl<'w> Linker<'w> {
    fn enter(&mut self) -> bool {
        self.steps += 1;
        if self.steps > STEPS || self.depth >= DEPTH {
            return false;
        }
        self.depth += 1;
        true
    }

    /// What a value in a call or a read leads to; `args` is the number of a call's arguments.
    pub(super) fn target(&mut self, unit: u32, id: ExprId, args: Option<usize>) -> Answer {
        if !self.enter() {
            return Answer::none();
        }
        let answer = self.target_now(unit, id, args);
        self.depth -= 1;
        answer
    }

    fn target_now(&mut self, unit: u32, id: ExprId, args: Option<usize>) -> Answer {
        let Some(facts) = self.facts(unit) else {
            return Answer::none();
        };
        match facts.expr(id) {
            Expr::Free { name } => {
                let name = self.world.text(unit, name);
                let looked = self.look(unit, name, Want::Value);
                let answer = Answer::from(&*looked);
                self.settled(answer, args)
            }
            Expr::Bound(binding) => match facts.binding(binding).map(|b| b.bound) {
                Some(Bound::Node(node)) => {
                    let sym = Sym { unit, node };
                    let answer = self.own(sym);
                    self.settled(answer, args)
                }
                Some(Bound::Local { ty, value }) => {
                    if ty != TypeId::UNKNOWN || value == ExprId::UNKNOWN {
                        return Answer::none();
                    }
                    // A name of another namespace, or a local that holds a function.
                    let mut answer = self.target(unit, value, args);
                    let kinds = answer.targets.iter().all(|s| {
                        matches!(
                            self.world.kind(*s),
                            NodeKind::FUNCTION
                                | NodeKind::METHOD
                                | NodeKind::CLASS
                                | NodeKind::STRUCT
                                | NodeKind::ENUM
                                | NodeKind::TYPE_ALIAS
                        )
                    });
                    if !kinds || matches!(facts.expr(value), Expr::Call { .. }) {
                        return Answer::none();
                    }
                    answer.reason = Reason::NAMESPACE;
                    answer
                }
                _ => Answer::none(),
            },
            Expr::Fallback { first, second } => self.either_member(unit, first, second, args),
            Expr::Member { base, name } => self.member_target(unit, base, name, args),
            Expr::Call { callee, args, .. } => {
                let count = facts.list(args).len();
                self.target(unit, callee, Some(count))
            }
            Expr::Either { left, right } => {
                let mut answer = self.target(unit, left, args);
                let other = self.target(unit, right, args);
                if answer.targets.is_empty() || other.targets.is_empty() {
                    return Answer::none();
                }
                answer.targets.extend(other.targets);
                answer.targets.sort_unstable();
                answer.targets.dedup();
                answer.inferred = true;
                answer
            }
            _ => Answer::none(),
        }
    }

    /// A definition of the file itself: of several in the branches of a conditional the one with a body.
    fn own(&mut self, sym: Sym) -> Answer {
        let (definition, near) = self.definition(sym);
        let reason = if definition.unit == sym.unit {
            Reason::SCOPE
        } else {
            Reason::UNIQUE_NAME
        };
        Answer {
            inferred: near,
            ..Answer::of(definition, reason)
        }
    }

    /// A name in a member function: local before member before anything around the class.
    fn either_member(
        &mut self,
        unit: u32,
        first: ExprId,
        second: ExprId,
        args: Option<usize>,
    ) -> Answer {
        if self.is_inner(unit, second) {
            return self.target(unit, second, args);
        }
        let answer = self.target(unit, first, args);
        if answer.targets.is_empty() {
            return self.target(unit, second, args);
        }
        answer
    }

    /// Whether a name is bound inside a function or a record.
    fn is_inner(&self, unit: u32, id: ExprId) -> bool {
        let Some(facts) = self.facts(unit) else {
            return false;
        };
        let Expr::Bound(binding) = facts.expr(id) else {
            return false;
        };
        match facts.binding(binding).map(|b| b.bound) {
            Some(Bound::Node(node)) => {
                let parent = self.world.node(Sym { unit, node }).map(|n| Sym {
                    unit,
                    node: n.parent,
                });
                parent.is_some_and(|p| is_record(self.world.kind(p)))
            }
            Some(Bound::Local { ty, value }) => {
                // `using a::b` stands at the top; locals have types or plain values.
                ty != TypeId::UNKNOWN || !matches!(facts.expr(value), Expr::Member { .. })
            }
            Some(Bound::TypeParam { .. }) => true,
            _ => false,
        }
    }

    fn member_target(
        &mut self,
        unit: u32,
        base: ExprId,
        name: StrId,
        args: Option<usize>,
    ) -> Answer {
        let name = self.world.text(unit, name);
        let outer = std::mem::replace(&mut self.inferred, false);
        let receiver = self.value(unit, base, &None);
        let inferred = std::mem::replace(&mut self.inferred, outer);
        let this = self
            .facts(unit)
            .is_some_and(|f| matches!(f.expr(base), Expr::This { .. }));
        let (found, reason): (Vec<Sym>, Reason) = match &receiver {
            Value::Def(sym) if self.world.kind(*sym) == NodeKind::MODULE => {
                (self.space_members(*sym, name), Reason::NAMESPACE)
            }
            Value::Def(sym) if self.world.kind(*sym) == NodeKind::ENUM => {
                (self.world.children(*sym, name), Reason::QUALIFIED)
            }
            Value::Def(sym) if is_record(self.world.kind(*sym)) => {
                let members = self.members(*sym, name);
                (
                    members.into_iter().map(|m| m.sym).collect(),
                    Reason::QUALIFIED,
                )
            }
            Value::Of(sym, _) => {
                let members = self.members(*sym, name);
                let inherited = members.iter().any(|m| m.inherited);
                let reason = match (inferred, inherited, this) {
                    (true, ..) => Reason::INFERRED,
                    (_, true, _) => Reason::INHERITANCE,
                    (_, _, true) => Reason::THIS,
                    _ => Reason::RECEIVER_TYPE,
                };
                (members.into_iter().map(|m| m.sym).collect(), reason)
            }
            _ => return Answer::none(),
        };
        let Some(first) = found.first().copied() else {
            return Answer::none();
        };
        // Declared members that go by one name are overloads: which one is told by the arguments.
        let answer = Answer {
            inferred,
            ..Answer::of(first, reason)
        };
        let mut answer = self.chosen(answer, &found, args);
        self.define_all(&mut answer);
        answer
    }

    /// The definition among overloads that a call means.
    fn settled(&mut self, answer: Answer, args: Option<usize>) -> Answer {
        let [sym] = answer.targets.as_slice() else {
            return answer;
        };
        let sym = *sym;
        let callable = matches!(
            self.world.kind(sym),
            NodeKind::FUNCTION | NodeKind::METHOD | NodeKind::CONSTRUCTOR
        );
        if args.is_none() || !callable || !self.is_cpp(sym.unit) {
            return answer;
        }
        let Some(node) = self.world.node(sym) else {
            return answer;
        };
        let parent = Sym {
            unit: sym.unit,
            node: node.parent,
        };
        let name = self.world.name(sym);
        let world = self.world;
        let siblings: Vec<Sym> = if is_record(world.kind(parent)) {
            world.children(parent, name)
        } else {
            world
                .c()
                .all(world, name)
                .filter(|s| {
                    s.unit == sym.unit && world.node(*s).is_some_and(|n| n.parent == node.parent)
                })
                .collect()
        };
        let mut answer = self.chosen(answer, &siblings, args);
        self.define_all(&mut answer);
        answer
    }

    /// Of several callables the one that takes as many arguments.
    fn chosen(&self, mut answer: Answer, all: &[Sym], args: Option<usize>) -> Answer {
        let Some(count) = args.filter(|_| all.len() > 1) else {
            return answer;
        };
        let takes = |sym: Sym| match self.parameters(sym) {
            Some((few, many, rest)) => count >= few && (count <= many || rest),
            None => true,
        };
        let exact = |sym: Sym| {
            self.parameters(sym)
                .is_some_and(|(_, many, _)| many == count)
        };
        let found = all
            .iter()
            .find(|s| exact(**s))
            .or_else(|| all.iter().find(|s| takes(**s)));
        if let Some(sym) = found {
            answer.targets = vec![*sym];
        }
        answer
    }

    fn define_all(&mut self, answer: &mut Answer) {
        for slot in &mut answer.targets {
            let (definition, near) = self.definition(*slot);
            *slot = definition;
            answer.inferred |= near;
        }
    }

    /// What a type's name leads to.
    pub(super) fn type_target(&mut self, unit: u32, id: TypeId) -> Answer {
        let Some(facts) = self.facts(unit) else {
            return Answer::none();
        };
        match facts.ty(id) {
            TypeExpr::Bound { binding, path, .. } => {
                let bound = facts.binding(binding).map(|b| b.bound);
                match (bound, path) {
                    (Some(Bound::Node(node)), List::EMPTY) => {
                        Answer::of(Sym { unit, node }, Reason::SCOPE)
                    }
                    (Some(Bound::TypeParam { .. }), _) => Answer::none(),
                    _ => match self.named(unit, id) {
                        Some(sym) => Answer::of(sym, Reason::NAMESPACE),
                        None => Answer::none(),
                    },
                }
            }
            TypeExpr::Free { name, path, .. } => {
                let text = self.world.text(unit, name);
                if path == List::EMPTY {
                    let (name, want) = tag(text);
                    return Answer::from(&*self.look(unit, name, want));
                }
                match self.named(unit, id) {
                    Some(sym) => Answer {
                        inferred: self.inferred,
                        ..Answer::of(sym, Reason::NAMESPACE)
                    },
                    None => Answer::none(),
                }
            }
            _ => Answer::none(),
        }
    }

    /// The definition that a written type names.
    pub(super) fn named(&mut self, unit: u32, id: TypeId) -> Option<Sym> {
        let facts = self.facts(unit)?;
        let (mut at, path) = match facts.ty(id) {
            TypeExpr::Bound { binding, path, .. } => match facts.binding(binding)?.bound {
                Bound::Node(node) => (Sym { unit, node }, path),
                Bound::Local { value, .. } => match self.value(unit, value, &None) {
                    Value::Def(sym) => (sym, path),
                    _ => return None,
                },
                _ => return None,
            },
            TypeExpr::Free { name, path, .. } => {
                let (name, want) = tag(self.world.text(unit, name));
                let looked = self.look(unit, name, want);
                self.inferred |= looked.inferred;
                (*looked.targets.first()?, path)
            }
            _ => return None,
        };
        for part in facts.list(path) {
            let name = self.world.text(unit, StrId(*part));
            at = match self.world.kind(at) {
                NodeKind::MODULE => {
                    let members = self.space_members(at, name);
                    let ty = members.iter().find(|s| is_type(self.world.kind(**s)));
                    *ty.or(members.first())?
                }
                NodeKind::TYPE_ALIAS => {
                    let record = self.record_of_alias(at)?;
                    self.members(record, name).first()?.sym
                }
                _ => self.members(at, name).first()?.sym,
            };
        }
        Some(at)
    }

    fn record_of_alias(&mut self, alias: Sym) -> Option<Sym> {
        let ty = self.facts(alias.unit)?.def(alias.node)?.ty;
        self.record_of_type(alias.unit, ty)
    }

    /// The record that a written type is.
    pub(super) fn record_of_type(&mut self, unit: u32, ty: TypeId) -> Option<Sym> {
        match self.ty(unit, ty, &None) {
            Value::Of(sym, _) => Some(sym),
            _ => None,
        }
    }

    /// The names of a written type, joined.
    pub(super) fn written_path(&self, unit: u32, id: TypeId) -> String {
        let Some(facts) = self.facts(unit) else {
            return String::new();
        };
        let (first, path) = match facts.ty(id) {
            TypeExpr::Free { name, path, .. } => (self.world.text(unit, name), path),
            TypeExpr::Bound { binding, path, .. } => {
                let name = facts.binding(binding).map_or(StrId::EMPTY, |b| b.name);
                (self.world.text(unit, name), path)
            }
            _ => return String::new(),
        };
        let mut text = first.to_string();
        for part in facts.list(path) {
            text.push_str("::");
            text.push_str(self.world.text(unit, StrId(*part)));
        }
        text
    }

    /// The class, or the namespace, to which a block of out-of-class members belongs.
    pub(super) fn class_of(&mut self, sym: Sym) -> Option<Sym> {
        if self.world.kind(sym) != NodeKind::IMPL {
            return Some(sym);
        }
        let ty = self.facts(sym.unit)?.def(sym.node)?.ty;
        let found = self.named(sym.unit, ty);
        if found.is_some() {
            return found;
        }
        // Inside `namespace n { … }` a class of `n` is named bare, and so is one of a namespace around it.
        let parent = self.world.node(sym)?.parent;
        let holder = Sym {
            unit: sym.unit,
            node: parent,
        };
        if self.world.kind(holder) != NodeKind::MODULE {
            return None;
        }
        let members = self.space_members(holder, self.world.name(sym));
        members.into_iter().find(|s| is_record(self.world.kind(*s)))
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

    fn value_now(&mut self, unit: u32, id: ExprId, env: &Env) -> Value {
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
    fn value_of(&mut self, sym: Sym, env: &Env) -> Value {
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

    fn member_value(&mut self, base: &Value, name: &str) -> Value {
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

    fn member_of(&mut self, sym: Sym, env: &Env, name: &str) -> Value {
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

    fn element(&mut self, base: Value) -> Value {
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
    fn result(&mut self, callee: &Value) -> Value {
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

    fn function_result(&mut self, unit: u32, function: FunctionId, env: &Env) -> Value {
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

    /// A written type.
    pub(super) fn ty(&mut self, unit: u32, id: TypeId, env: &Env) -> Value {
        if id == TypeId::UNKNOWN || !self.enter() {
            return Value::Unknown;
        }
        let value = if env.is_some() {
            self.ty_now(unit, id, env)
        } else if let Some(known) = self.types.get(&(unit, id.0)) {
            known.clone()
        } else {
            self.types.insert((unit, id.0), Value::Unknown);
            let value = self.ty_now(unit, id, env);
            self.types.insert((unit, id.0), value.clone());
            value
        };
        self.depth -= 1;
        value
    }

    fn ty_now(&mut self, unit: u32, id: TypeId, env: &Env) -> Value {
        let Some(facts) = self.facts(unit) else {
            return Value::Unknown;
        };
        match facts.ty(id) {
            TypeExpr::Builtin => Value::Outside,
            TypeExpr::Members(node) => Value::Of(Sym { unit, node }, None),
            TypeExpr::Function(f) => Value::Function(unit, f, env.clone()),
            TypeExpr::Bound {
                binding,
                args,
                path,
            } => {
                let bound = facts.binding(binding).map(|b| b.bound);
                if let Some(Bound::TypeParam { .. }) = bound {
                    return parameter(env, unit, binding);
                }
                let args = self.arguments(unit, args, env);
                match self.named(unit, id) {
                    Some(sym) => self.instance(sym, args),
                    None => match facts.list(path).last() {
                        Some(name) => template(self.world.text(unit, StrId(*name)), args),
                        None => Value::Unknown,
                    },
                }
            }
            TypeExpr::Free { name, path, args } => {
                let args = self.arguments(unit, args, env);
                match self.named(unit, id) {
                    Some(sym) => self.instance(sym, args),
                    None => {
                        let first = self.world.text(unit, name);
                        let last = facts
                            .list(path)
                            .last()
                            .map(|p| self.world.text(unit, StrId(*p)));
                        template(last.unwrap_or(first), args)
                    }
                }
            }
            _ => Value::Unknown,
        }
    }

    fn arguments(&mut self, unit: u32, args: List, env: &Env) -> Vec<Value> {
        let list = self.facts(unit).map_or(&[][..], |f| f.list(args));
        list.iter()
            .take(16)
            .map(|t| self.ty(unit, TypeId(*t), env))
            .collect()
    }

    /// A value of a type that was found by name.
    fn instance(&mut self, sym: Sym, args: Vec<Value>) -> Value {
        let kind = self.world.kind(sym);
        if kind == NodeKind::TYPE_ALIAS {
            let Some(def) = self.facts(sym.unit).and_then(|f| f.def(sym.node)) else {
                return Value::Unknown;
            };
            let env = self.frame(sym, args);
            return self.ty(sym.unit, def.ty, &env);
        }
        if is_record(kind) || kind == NodeKind::ENUM {
            let env = self.frame(sym, args);
            return Value::Of(sym, env);
        }
        Value::Unknown
    }

    fn frame(&self, sym: Sym, args: Vec<Value>) -> Env {
        if args.is_empty() {
            return None;
        }
        let facts = self.facts(sym.unit)?;
        let params = facts.list(facts.def(sym.node)?.type_params).to_vec();
        Some(Rc::new(Frame {
            unit: sym.unit,
            params,
            args,
        }))
    }

    /// Members of that name, of a record or its bases.
    pub(super) fn members(&mut self, record: Sym, name: &str) -> Vec<Member> {
        self.members_in(record, &None, name)
    }

    fn members_in(&mut self, record: Sym, env: &Env, name: &str) -> Vec<Member> {
        let Some(record) = self.class_of(record) else {
            return Vec::new();
        };
        let own: Vec<Member> = self
            .world
            .children(record, name)
            .into_iter()
            .map(|sym| Member {
                sym,
                env: env.clone(),
                inherited: false,
            })
            .collect();
        if !own.is_empty() || !self.enter() {
            return own;
        }
        let mut found = Vec::new();
        for (base, base_env) in self.bases(record, env) {
            found = self.members_in(base, &base_env, name);
            if !found.is_empty() {
                break;
            }
        }
        self.depth -= 1;
        for member in &mut found {
            member.inherited = true;
        }
        found
    }

    fn bases(&mut self, record: Sym, env: &Env) -> Vec<(Sym, Env)> {
        let Some(facts) = self.facts(record.unit) else {
            return Vec::new();
        };
        let Some(def) = facts.def(record.node) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for pair in facts.list(def.bases).chunks_exact(2) {
            let [_, ty] = pair else { continue };
            if let Value::Of(sym, base_env) = self.ty(record.unit, TypeId(*ty), env)
                && sym != record
            {
                all.push((sym, base_env));
            }
        }
        all
    }

    /// Members of that name in the bases of a record.
    pub(super) fn base_members(&mut self, record: Sym, name: &str) -> Vec<Sym> {
        let mut found = Vec::new();
        for (base, env) in self.bases(record, &None) {
            found.extend(self.members_in(base, &env, name).into_iter().map(|m| m.sym));
        }
        found
    }
}

fn is_record(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::STRUCT | NodeKind::UNION | NodeKind::CLASS | NodeKind::IMPL
    )
}

fn is_type(kind: NodeKind) -> bool {
    is_record(kind)
        || matches!(
            kind,
            NodeKind::ENUM | NodeKind::TYPE_ALIAS | NodeKind::MODULE
        )
}

/// The name behind a tag's keyword, and what is looked for under it.
fn tag(text: &str) -> (&str, Want) {
    match text.split_once(' ') {
        Some(("struct" | "union", name)) => (name, Want::Record),
        Some(("enum", name)) => (name, Want::Enum),
        _ => (text, Want::Type),
    }
}

/// A template of the library by its arguments.
fn template(name: &str, args: Vec<Value>) -> Value {
    let first = args.into_iter().next();
    match first {
        Some(value) if library::is_pointer_like(name) => value,
        Some(value) if library::is_sequence(name) => Value::Sequence(Rc::new(value)),
        Some(_) => Value::Outside,
        None => Value::Unknown,
    }
}

/// What a type parameter stands for.
fn parameter(env: &Env, unit: u32, binding: BindingId) -> Value {
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

//! Expressions: calls, members, paths, literals.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Walker, line_of};
use crate::ids::StrId;
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeId};
use crate::model::label::{Context, Relation};

/// Whether an expression continues the one that stands first in it.
fn continues(kind: K) -> bool {
    matches!(
        kind,
        K::Call
            | K::GenericFunction
            | K::FieldExpression
            | K::Try
            | K::Await
            | K::Index
            | K::Binary
            | K::Cast
    )
}

impl<'t> Walker<'t> {
    /// An expression whose value is used in no place worth naming.
    pub(super) fn expression(&mut self, at: Syntax<'t>) -> ExprId {
        self.expression_in(at, Context::PROPERTY_READ, None)
    }

    /// An expression in a position. `argument` is the call and the place where it is an argument.
    pub(super) fn expression_in(
        &mut self,
        at: Syntax<'t>,
        context: Context,
        argument: Option<(ExprId, u32)>,
    ) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.chain(at, context, argument);
        self.depth -= 1;
        value
    }

    fn chain(
        &mut self,
        at: Syntax<'t>,
        context: Context,
        argument: Option<(ExprId, u32)>,
    ) -> ExprId {
        let mut steps: Vec<(K, Syntax<'t>)> = Vec::new();
        let mut at = at;
        loop {
            let kind = self.kind(at);
            if !continues(kind) {
                break;
            }
            let inner = match kind {
                K::Call | K::GenericFunction => self.child(at, F::Function),
                K::FieldExpression | K::Cast => self.child(at, F::Value),
                K::Binary => self.child(at, F::Left),
                _ => self.kids(at).first().map(|k| k.node),
            };
            let Some(inner) = inner else { break };
            steps.push((kind, at));
            at = inner;
        }
        let Some((innermost, _)) = steps.last().copied() else {
            return self.primary(at, context, argument);
        };
        let callee = matches!(innermost, K::Call | K::GenericFunction);
        let mut value = if callee && self.is_path(at) {
            self.path(at)
        } else {
            let value = self.primary(at, Context::PROPERTY_READ, None);
            if callee && self.kind(at) == K::Parenthesized && value != ExprId::UNKNOWN {
                // What stands in brackets is a value that is called, never a method.
                self.b.expr(Expr::Fallback {
                    first: value,
                    second: ExprId::UNKNOWN,
                })
            } else {
                value
            }
        };
        let mut type_args = List::EMPTY;
        let mut name_line = line_of(at);
        if let (true, Some(name)) = (callee, self.child(at, F::Name)) {
            name_line = line_of(name);
        }
        while let Some((kind, step)) = steps.pop() {
            match kind {
                K::GenericFunction => {
                    if let Some(args) = self.child(step, F::TypeArguments) {
                        type_args = self.type_arguments(args);
                    }
                }
                K::Call => {
                    let args = std::mem::replace(&mut type_args, List::EMPTY);
                    value = self.call(step, value, args, name_line);
                }
                K::FieldExpression => {
                    if let Some(field) = self.child(step, F::Field) {
                        let name = self.intern(field);
                        name_line = line_of(field);
                        value = self.b.member(value, name);
                    }
                }
                K::Try => value = self.around(value, |base| Expr::Unwrap { base }),
                K::Await => value = self.around(value, |base| Expr::Await { base }),
                K::Index => value = self.index(step, value),
                K::Cast => {
                    let ty = self
                        .child(step, F::Type)
                        .map_or(TypeId::UNKNOWN, |t| self.ty_in(t, Context::TYPE));
                    if ty != TypeId::UNKNOWN {
                        value = self.b.expr(Expr::Typed { ty });
                    }
                }
                _ => value = self.binary(step, value),
            }
        }
        value
    }

    fn is_path(&self, at: Syntax<'_>) -> bool {
        matches!(self.kind(at), K::Identifier | K::ScopedIdentifier)
    }

    fn around(&mut self, base: ExprId, wrap: impl FnOnce(ExprId) -> Expr) -> ExprId {
        if base == ExprId::UNKNOWN {
            return base;
        }
        self.b.expr(wrap(base))
    }

    fn index(&mut self, at: Syntax<'t>, base: ExprId) -> ExprId {
        let mut part = false;
        for kid in self.kids(at).into_iter().skip(1) {
            part |= kid.kind == K::Range;
            self.expression(kid.node);
        }
        // A part of a sequence is a sequence.
        if part {
            return base;
        }
        self.around(base, |base| Expr::Index { base, index: 0 })
    }

    fn binary(&mut self, at: Syntax<'t>, left: ExprId) -> ExprId {
        let operator = self.child(at, F::Operator).map_or("", |o| self.text(o));
        if let Some(right) = self.child(at, F::Right) {
            self.expression(right);
        }
        match operator {
            "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => {
                let ty = self.primitive("bool");
                self.b.expr(Expr::Typed { ty })
            }
            // Numbers, durations, paths: mostly of the left side's type.
            _ => left,
        }
    }

    /// A call: `callee` is what stands before the arguments.
    fn call(&mut self, at: Syntax<'t>, callee: ExprId, type_args: List, line: u32) -> ExprId {
        let id = self.b.expr(Expr::Unknown);
        let target = if self.tells_by_argument(callee) {
            id
        } else {
            callee
        };
        self.refer(
            RefTarget::Expr(target),
            Relation::CALLS,
            Context::CALL,
            line,
        );
        let mut args = Vec::new();
        if let Some(list) = self.child(at, F::Arguments) {
            for kid in self.kids(list) {
                if kid.kind == K::Attribute {
                    continue;
                }
                let place = u32::try_from(args.len()).unwrap_or(u32::MAX);
                let arg = self.expression_in(kid.node, Context::ARGUMENT, Some((id, place)));
                if args.is_empty() {
                    self.environment(callee, kid.kind, kid.node);
                }
                args.push(arg.0);
            }
        }
        if callee == ExprId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        let args = self.b.list(&args);
        self.b.set_expr(
            id,
            Expr::Call {
                callee,
                args,
                type_args,
            },
        );
        id
    }

    /// Whether the arguments of a call matter beyond what it yields: they choose between blocks for one trait, or say what
    /// a collection holds.
    fn tells_by_argument(&self, callee: ExprId) -> bool {
        let facts = &self.b.unit.facts;
        let Expr::Member { base, name } = facts.expr(callee) else {
            return false;
        };
        match (facts.expr(base), self.b.unit.text(name)) {
            (Expr::TypeName { .. }, name) => matches!(name, "from" | "try_from"),
            (Expr::Free { .. }, name) => {
                matches!(name, "push" | "push_back" | "push_front" | "insert")
            }
            _ => false,
        }
    }

    /// `std::env::var("NAME")` and its like read a variable of the environment.
    fn environment(&mut self, callee: ExprId, kind: K, argument: Syntax<'t>) {
        if kind != K::String && kind != K::RawString {
            return;
        }
        let Expr::Member { base, name } = self.b.unit.facts.expr(callee) else {
            return;
        };
        let is_var = matches!(
            self.b.unit.text(name),
            "var" | "var_os" | "set_var" | "remove_var"
        );
        if !is_var {
            return;
        }
        let Expr::TypeName { ty } = self.b.unit.facts.expr(base) else {
            return;
        };
        let crate::model::facts::TypeExpr::Free { name, path, .. } = self.b.unit.facts.ty(ty)
        else {
            return;
        };
        let last = self.b.unit.facts.list(path).last().copied();
        let last = last.map_or(name, StrId);
        if self.b.unit.text(last) == "env" {
            self.reads_environment(argument);
        }
    }

    /// The literal `argument` names a variable of the environment.
    pub(super) fn reads_environment(&mut self, argument: Syntax<'t>) {
        let Some(text) = self
            .kids(argument)
            .iter()
            .find(|k| k.kind == K::StringContent)
            .map(|k| k.node)
        else {
            return;
        };
        let name = self.intern(text);
        self.refer(
            RefTarget::Env(name),
            Relation::READS_ENV,
            Context::PROPERTY_READ,
            line_of(argument),
        );
    }

    /// An expression that continues no other one.
    fn primary(
        &mut self,
        at: Syntax<'t>,
        context: Context,
        argument: Option<(ExprId, u32)>,
    ) -> ExprId {
        match self.kind(at) {
            K::Identifier => self.read_name(at, context),
            K::ScopedIdentifier => {
                let value = self.path(at);
                self.refer(
                    RefTarget::Expr(value),
                    Relation::REFERENCES,
                    context,
                    line_of(at),
                );
                value
            }
            K::SelfWord => self.path(at),
            K::GenericFunction => self.expression(at),
            K::Reference => match self.child(at, F::Value) {
                Some(inner) => self.expression_in(inner, context, argument),
                None => ExprId::UNKNOWN,
            },
            K::Unary => {
                let star = self.text(at).starts_with('*');
                let mut value = ExprId::UNKNOWN;
                for kid in self.kids(at) {
                    value = self.expression(kid.node);
                }
                if star {
                    value = self.around(value, |base| Expr::Index { base, index: 1 });
                }
                value
            }
            K::Parenthesized => {
                let mut value = ExprId::UNKNOWN;
                for kid in self.kids(at) {
                    value = self.expression_in(kid.node, context, argument);
                }
                value
            }
            K::Block => self.block(at),
            K::UnsafeBlock | K::AsyncBlock | K::TryBlock | K::ConstBlock => {
                let mut value = ExprId::UNKNOWN;
                for kid in self.kids(at) {
                    if kid.kind == K::Block {
                        value = self.block(kid.node);
                    }
                }
                value
            }
            K::If => self.if_expression(at),
            K::Match => self.match_expression(at),
            K::While => self.while_expression(at),
            K::Loop => {
                if let Some(body) = self.child(at, F::Body) {
                    self.block(body);
                }
                ExprId::UNKNOWN
            }
            K::For => self.for_expression(at),
            K::Closure => self.closure(at, argument),
            K::LetCondition => self.let_condition(at),
            K::StructExpression => self.struct_expression(at),
            K::MacroInvocation => self.macro_invocation(at),
            K::Array => self.array(at),
            K::Tuple => {
                let mut values = Vec::new();
                for kid in self.kids(at) {
                    if kid.kind != K::Attribute {
                        values.push(0);
                        let value = self.expression_in(kid.node, Context::COLLECTION, None);
                        values.push(value.0);
                    }
                }
                // A tuple is an object whose fields have numbers.
                for (i, pair) in values.chunks_exact_mut(2).enumerate() {
                    if let Some(name) = pair.first_mut() {
                        *name = self.b.unit.intern(&i.to_string()).0;
                    }
                }
                let fields = self.b.list(&values);
                self.b.expr(Expr::Object { fields })
            }
            K::Assignment | K::CompoundAssignment => self.assignment(at),
            K::Return | K::Break => {
                for kid in self.kids(at) {
                    if kid.kind != K::Label {
                        self.expression_in(kid.node, Context::RETURN, None);
                    }
                }
                ExprId::UNKNOWN
            }
            K::String | K::RawString => {
                let ty = if self.text(at).starts_with('b') {
                    let byte = self.primitive("u8");
                    self.b.ty(crate::model::facts::TypeExpr::Sequence(byte))
                } else {
                    self.primitive("str")
                };
                self.b.expr(Expr::Typed { ty })
            }
            K::Char => {
                let name = if self.text(at).starts_with('b') {
                    "u8"
                } else {
                    "char"
                };
                let ty = self.primitive(name);
                self.b.expr(Expr::Typed { ty })
            }
            K::Boolean => {
                let ty = self.primitive("bool");
                self.b.expr(Expr::Typed { ty })
            }
            K::Integer | K::Float => self.b.builtin(),
            K::Unit => ExprId::UNKNOWN,
            _ => {
                for kid in self.kids(at) {
                    self.any(kid.node, kid.kind);
                }
                ExprId::UNKNOWN
            }
        }
    }

    /// Whatever stands where nothing in particular is expected.
    fn any(&mut self, at: Syntax<'t>, kind: K) {
        match kind {
            K::TokenTree | K::TokenRepetition => {
                self.tokens(at);
            }
            K::Label | K::Attribute | K::Visibility | K::Lifetime => {}
            _ => {
                self.expression(at);
            }
        }
    }

    fn read_name(&mut self, at: Syntax<'t>, context: Context) -> ExprId {
        let text = self.text(at);
        if text == "Self" || text == "None" {
            return self.path(at);
        }
        let name = self.intern(at);
        self.b
            .read(self.scope, name, self.owner, line_of(at), context);
        self.b.name(self.scope, name)
    }

    fn array(&mut self, at: Syntax<'t>) -> ExprId {
        let mut elements = Vec::new();
        for kid in self.kids(at) {
            if kid.kind == K::Attribute {
                continue;
            }
            let value = self.expression_in(kid.node, Context::COLLECTION, None);
            if kid.field != F::Length && elements.len() < 8 {
                elements.push(value.0);
            }
        }
        let elements = self.b.list(&elements);
        self.b.expr(Expr::Array { elements })
    }

    fn struct_expression(&mut self, at: Syntax<'t>) -> ExprId {
        let mut class = ExprId::UNKNOWN;
        if let Some(name) = self.child(at, F::Name) {
            class = self.struct_path(name);
            self.refer(
                RefTarget::Expr(class),
                Relation::REFERENCES,
                Context::CONSTRUCTOR,
                line_of(name),
            );
        }
        let body = self.child(at, F::Body);
        let kids = body.map(|b| self.kids(b)).unwrap_or_default();
        for kid in kids {
            match kid.kind {
                K::FieldInitializer => {
                    if let Some(value) = self.child(kid.node, F::Value) {
                        self.expression_in(value, Context::ASSIGNMENT, None);
                    }
                }
                K::ShorthandInitializer => {
                    for inner in self.kids(kid.node) {
                        if inner.kind == K::Identifier {
                            self.read_name(inner.node, Context::ASSIGNMENT);
                        }
                    }
                }
                K::BaseInitializer => {
                    for inner in self.kids(kid.node) {
                        self.expression(inner.node);
                    }
                }
                _ => {}
            }
        }
        self.around(class, |class| Expr::New {
            class,
            args: List::EMPTY,
            type_args: List::EMPTY,
        })
    }

    fn assignment(&mut self, at: Syntax<'t>) -> ExprId {
        if let Some(left) = self.child(at, F::Left) {
            self.expression(left);
        }
        if let Some(right) = self.child(at, F::Right) {
            self.expression_in(right, Context::ASSIGNMENT, None);
        }
        ExprId::UNKNOWN
    }
}

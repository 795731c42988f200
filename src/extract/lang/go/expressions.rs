//! Expressions: what is called, made, read and passed on.
//!
//! Chains (`a.b().c[d]`, `a + b + …`) nest to the left and can be thousands long; they are walked down to their innermost
//! part and built up again in a loop, so that only real nesting counts towards the depth.

use super::kinds::{F, K};
use super::statements::is_expression;
use super::walker::{Walker, line_of};
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeId};
use crate::model::label::{Context, Relation};

/// Kinds whose first child is the expression that they continue.
fn continues(kind: K) -> bool {
    matches!(
        kind,
        K::CallExpression
            | K::SelectorExpression
            | K::IndexExpression
            | K::SliceExpression
            | K::TypeAssertionExpression
            | K::BinaryExpression
    )
}

impl Walker<'_> {
    /// The expression under the cursor; `context` says what becomes of its value.
    pub(super) fn expression(&mut self, context: Context) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.chain(Some(context));
        self.shallower();
        value
    }

    /// The expression under the cursor, whose use is recorded by whoever asked.
    pub(super) fn callee(&mut self) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.chain(None);
        self.shallower();
        value
    }

    fn chain(&mut self, context: Option<Context>) -> ExprId {
        let bottom = self.chain.len();
        loop {
            let kind = self.kind();
            if !continues(kind) || !self.cursor.goto_first_child() {
                break;
            }
            self.chain.push(kind);
        }
        if self.chain.len() == bottom {
            return self.primary(context);
        }
        let mut value = self.primary(None);
        while self.chain.len() > bottom {
            // The cursor is on the first child of the step that is built next.
            let Some(kind) = self.chain.pop() else { break };
            value = self.step(kind, value);
            self.cursor.goto_parent();
        }
        if self.kind() == K::SelectorExpression
            && let Some(context) = context
        {
            let line = self.line();
            self.refer(RefTarget::Expr(value), Relation::REFERENCES, context, line);
        }
        value
    }

    /// One step of a chain: the cursor is on its first child, whose value is `base`.
    fn step(&mut self, kind: K, base: ExprId) -> ExprId {
        match kind {
            K::CallExpression => self.call(base),
            K::SelectorExpression => {
                let mut value = ExprId::UNKNOWN;
                while self.cursor.goto_next_sibling() {
                    if self.field() == F::Field {
                        let name = self.intern();
                        value = self.b.member(base, name);
                    }
                }
                value
            }
            K::IndexExpression => {
                let called = self.chain.last() == Some(&K::CallExpression);
                if !called {
                    self.mark_read(base);
                }
                let head = self.node();
                while self.cursor.goto_next_sibling() {
                    if self.field() != F::Index {
                        continue;
                    }
                    self.instance = TypeId::UNKNOWN;
                    if called {
                        self.instance = self.type_of_value(self.node(), 0);
                        if self.instance == TypeId::UNKNOWN {
                            self.mark_read_of(head, base);
                        }
                    }
                    self.expression(Context::PROPERTY_READ);
                }
                if base == ExprId::UNKNOWN {
                    return base;
                }
                self.b.expr(Expr::Element { base })
            }
            K::SliceExpression => {
                self.mark_read(base);
                self.rest();
                base
            }
            K::TypeAssertionExpression => {
                self.mark_read(base);
                let mut ty = TypeId::UNKNOWN;
                while self.cursor.goto_next_sibling() {
                    if self.field() == F::Type {
                        ty = self.ty_in(Context::TYPE);
                    }
                }
                self.typed(ty)
            }
            _ => {
                self.mark_read(base);
                self.rest();
                self.b.builtin()
            }
        }
    }

    /// The other expressions of a step.
    fn rest(&mut self) {
        while self.cursor.goto_next_sibling() {
            if is_expression(self.kind()) {
                self.expression(Context::PROPERTY_READ);
            }
        }
    }

    /// The left side of an operator is read like any other value.
    fn mark_read(&mut self, left: ExprId) {
        self.mark_read_of(self.node(), left);
    }

    fn mark_read_of(&mut self, at: tree_sitter::Node<'_>, left: ExprId) {
        let line = line_of(at);
        match (self.kind_of(at), self.b.unit.facts.expr(left)) {
            (K::Identifier, Expr::Free { name }) => {
                self.b
                    .read(self.scope, name, self.owner, line, Context::PROPERTY_READ);
            }
            (K::SelectorExpression, _) => self.refer(
                RefTarget::Expr(left),
                Relation::REFERENCES,
                Context::PROPERTY_READ,
                line,
            ),
            _ => {}
        }
    }

    /// The type that an expression would be in brackets that turn out to instantiate a function: `f[T](x)` and a call of
    /// a table's element are written alike.
    fn type_of_value(&mut self, at: tree_sitter::Node<'_>, depth: u32) -> TypeId {
        if depth > 8 {
            return TypeId::UNKNOWN;
        }
        match self.kind_of(at) {
            K::Identifier => {
                let name = self.b.unit.intern(self.text_of(at));
                self.b
                    .named_type(self.scope, name, List::EMPTY, List::EMPTY)
            }
            K::SelectorExpression => {
                let (Some(package), Some(name)) = (at.named_child(0), at.named_child(1)) else {
                    return TypeId::UNKNOWN;
                };
                if self.kind_of(package) != K::Identifier {
                    return TypeId::UNKNOWN;
                }
                let package = self.b.unit.intern(self.text_of(package));
                let name = self.b.unit.intern(self.text_of(name));
                let path = self.b.list(&[name.0]);
                self.b.named_type(self.scope, package, path, List::EMPTY)
            }
            K::UnaryExpression | K::ParenthesizedExpression => match at.named_child(0) {
                Some(inner) => self.type_of_value(inner, depth + 1),
                None => TypeId::UNKNOWN,
            },
            _ => TypeId::UNKNOWN,
        }
    }

    /// An expression that continues no other one.
    fn primary(&mut self, context: Option<Context>) -> ExprId {
        match self.kind() {
            K::Identifier => self.name(context),
            K::UnaryExpression => self.unary(context),
            K::ParenthesizedExpression => {
                let mut value = ExprId::UNKNOWN;
                self.each_part(|w, kind| {
                    value = match context {
                        _ if !is_expression(kind) => {
                            let ty = w.ty_in(Context::TYPE);
                            w.typed(ty)
                        }
                        Some(context) => w.expression(context),
                        None => w.callee(),
                    };
                });
                value
            }
            K::FuncLiteral => {
                let function = self.function_literal();
                self.b.expr(Expr::Function(function))
            }
            K::CompositeLiteral => self.composite_literal(),
            K::LiteralValue => {
                self.literal_value(true);
                ExprId::UNKNOWN
            }
            K::TypeConversionExpression => self.conversion(),
            K::TypeInstantiationExpression => {
                let mut ty = TypeId::UNKNOWN;
                self.each_part(|w, _| {
                    let part = w.ty_in(Context::GENERIC_ARG);
                    if ty == TypeId::UNKNOWN {
                        ty = part;
                    }
                });
                self.typed(ty)
            }
            K::InterpretedStringLiteral
            | K::RawStringLiteral
            | K::IntLiteral
            | K::FloatLiteral
            | K::ImaginaryLiteral
            | K::RuneLiteral
            | K::True
            | K::False
            | K::Iota => self.b.builtin(),
            K::Nil => ExprId::UNKNOWN,
            kind if continues(kind) => self.chain(context),
            kind if is_expression(kind) => {
                self.each_part(|w, kind| {
                    if is_expression(kind) {
                        w.expression(Context::PROPERTY_READ);
                    }
                });
                ExprId::UNKNOWN
            }
            K::Block | K::StatementList | K::Error => {
                let kind = self.kind();
                self.statement(kind);
                ExprId::UNKNOWN
            }
            // A type where a value is expected: `new(T)`, `make(map[K]V)`.
            _ => {
                let ty = self.ty_in(Context::TYPE);
                self.typed(ty)
            }
        }
    }

    fn name(&mut self, context: Option<Context>) -> ExprId {
        let name = self.intern();
        if let Some(context) = context
            && !self.is_known(name)
        {
            let line = self.line();
            self.b.read(self.scope, name, self.owner, line, context);
        }
        self.b.name(self.scope, name)
    }

    /// `&x`, `*x` and signs stand for `x`; `<-x` is what the channel sends.
    fn unary(&mut self, context: Option<Context>) -> ExprId {
        let mut operator = K::Other;
        let mut value = ExprId::UNKNOWN;
        self.each(|w, kind| match w.field() {
            F::Operator => operator = kind,
            F::Operand => {
                value = match context {
                    Some(context) => w.expression(context),
                    None => w.callee(),
                };
            }
            _ => {}
        });
        match operator {
            K::Bang => self.b.builtin(),
            K::Arrow if value != ExprId::UNKNOWN => self.b.expr(Expr::Await { base: value }),
            _ => value,
        }
    }
}

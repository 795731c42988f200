//! Expressions: what is called, made, read and passed on.
//!
//! Chains (`a.b().c!.d`, `a + b + …`) nest to the left and can be thousands long; they are walked down to their innermost
//! part and built up again in a loop, so that only real nesting counts towards the depth.

use super::functions::This;
use super::kinds::{F, K};
use super::walker::{Expect, Members, Walker};
use crate::ids::LocalNode;
use crate::model::facts::{Expr, ExprId, RefTarget, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

/// Kinds whose first child is the expression that they continue.
fn continues(kind: K) -> bool {
    matches!(
        kind,
        K::CallExpression
            | K::MemberExpression
            | K::SubscriptExpression
            | K::NonNullExpression
            | K::AsExpression
            | K::SatisfiesExpression
            | K::InstantiationExpression
            | K::BinaryExpression
    )
}

impl Walker<'_> {
    /// The expression under the cursor in a position that does not matter.
    pub(super) fn expression(&mut self, expect: &Expect<'_>) -> ExprId {
        self.expression_in(expect, Context::PROPERTY_READ)
    }

    /// The expression under the cursor; `context` says what becomes of its value.
    pub(super) fn expression_in(&mut self, expect: &Expect<'_>, context: Context) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.chain(expect, Some(context));
        self.depth -= 1;
        value
    }

    /// The expression under the cursor, whose use is recorded by whoever asked.
    pub(super) fn callee(&mut self) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.chain(&Expect::Nothing, None);
        self.depth -= 1;
        value
    }

    fn chain(&mut self, expect: &Expect<'_>, context: Option<Context>) -> ExprId {
        let bottom = self.chain.len();
        loop {
            let kind = self.kind();
            if !continues(kind) || !self.cursor.goto_first_child() {
                break;
            }
            self.chain.push(kind);
        }
        if self.chain.len() == bottom {
            return self.primary(expect, context);
        }
        let mut value = self.head();
        while self.chain.len() > bottom {
            // The cursor is on the first child of the step that is built next.
            let Some(kind) = self.chain.pop() else { break };
            value = self.step(kind, value);
            self.cursor.goto_parent();
        }
        self.record_read(value, context);
        value
    }

    /// The innermost part of a chain.
    fn head(&mut self) -> ExprId {
        match self.kind() {
            K::Identifier => {
                let name = self.intern();
                self.b.name(self.scope, name)
            }
            K::Import => ExprId::UNKNOWN,
            _ => self.primary(&Expect::Nothing, None),
        }
    }

    /// One step of a chain: the cursor is on its first child, whose value is `base`.
    fn step(&mut self, kind: K, base: ExprId) -> ExprId {
        match kind {
            K::CallExpression => self.call(base),
            K::MemberExpression => self.member_step(base),
            K::SubscriptExpression => self.subscript(base),
            K::NonNullExpression => {
                if base == ExprId::UNKNOWN {
                    base
                } else {
                    self.b.expr(Expr::Unwrap { base })
                }
            }
            K::AsExpression | K::SatisfiesExpression => self.cast(base, kind),
            K::InstantiationExpression => {
                while self.cursor.goto_next_sibling() {
                    if self.kind() == K::TypeArguments {
                        self.type_arguments();
                    }
                }
                base
            }
            _ => self.operation(base),
        }
    }

    /// `base.name` that stands for itself: a read of a member.
    fn record_read(&mut self, value: ExprId, context: Option<Context>) {
        let Some(context) = context else { return };
        let Expr::Member { base, .. } = self.b.unit.facts.expr(value) else {
            return;
        };
        if self.kind() != K::MemberExpression {
            return;
        }
        // Members of plain locals say nothing and are dropped at the end; of `this` only functions that are passed on count.
        let keep = match self.b.unit.facts.expr(base) {
            Expr::Free { .. } | Expr::Member { .. } => true,
            Expr::This { .. } => context != Context::PROPERTY_READ,
            _ => false,
        };
        if keep {
            let line = self.line();
            self.refer(RefTarget::Expr(value), Relation::REFERENCES, context, line);
        }
    }

    fn member_step(&mut self, base: ExprId) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        while self.cursor.goto_next_sibling() {
            if self.field() != F::Property {
                continue;
            }
            let text = self.text();
            let name = self.b.unit.intern(text);
            value = self.b.member(base, name);
            if base != ExprId::UNKNOWN && base == self.env {
                let line = self.line();
                self.refer(
                    RefTarget::Env(name),
                    Relation::READS_ENV,
                    Context::PROPERTY_READ,
                    line,
                );
                value = self.b.builtin();
            } else if text == "env" && self.is_process(base) {
                self.env = value;
            }
        }
        value
    }

    /// `process` or `import.meta`.
    fn is_process(&self, base: ExprId) -> bool {
        match self.b.unit.facts.expr(base) {
            Expr::Free { name } => {
                matches!(self.b.unit.text(name), "process" | "import.meta" | "Bun")
            }
            _ => false,
        }
    }

    fn subscript(&mut self, base: ExprId) -> ExprId {
        let mut name = None;
        let mut index = None;
        while self.cursor.goto_next_sibling() {
            if self.field() != F::Index {
                continue;
            }
            match self.kind() {
                K::String => name = Some(self.property_name()),
                K::Number => index = self.text().parse::<u32>().ok(),
                _ => {
                    self.expression(&Expect::Nothing);
                }
            }
        }
        if base == ExprId::UNKNOWN {
            return base;
        }
        if let Some(name) = name {
            if base == self.env {
                let line = self.line();
                self.refer(
                    RefTarget::Env(name),
                    Relation::READS_ENV,
                    Context::PROPERTY_READ,
                    line,
                );
                return self.b.builtin();
            }
            return self.b.member(base, name);
        }
        match index {
            Some(index) => self.b.expr(Expr::Index { base, index }),
            None => self.b.expr(Expr::Element { base }),
        }
    }

    fn cast(&mut self, base: ExprId, kind: K) -> ExprId {
        let mut ty = TypeId::UNKNOWN;
        let mut as_const = false;
        while self.cursor.goto_next_sibling() {
            if self.node().is_named() && self.kind() != K::Comment {
                ty = self.ty_in(Context::TYPE);
            } else if self.kind() == K::Const {
                as_const = true;
            }
        }
        if kind == K::SatisfiesExpression || as_const {
            return base;
        }
        if ty == TypeId::UNKNOWN {
            return self.b.guess(base);
        }
        self.b.expr(Expr::Typed { ty })
    }

    fn operation(&mut self, left: ExprId) -> ExprId {
        let mut operator = K::Other;
        let mut right = ExprId::UNKNOWN;
        let left_node = self.node();
        self.mark_read_head(left);
        while self.cursor.goto_next_sibling() {
            match self.field() {
                F::Operator => operator = self.kind(),
                F::Right if operator == K::AndAnd => {
                    self.narrowed(left_node, |w| right = w.expression(&Expect::Nothing));
                }
                F::Right => right = self.expression(&Expect::Nothing),
                _ => {}
            }
        }
        match operator {
            K::OrOr | K::Nullish => match (left, right) {
                (ExprId::UNKNOWN, other) | (other, ExprId::UNKNOWN) => other,
                _ => self.b.expr(Expr::Either { left, right }),
            },
            K::AndAnd => right,
            _ => self.b.builtin(),
        }
    }

    /// The left side of an operator is read like any other value.
    fn mark_read_head(&mut self, left: ExprId) {
        let at = self.node();
        match (self.kind(), self.b.unit.facts.expr(left)) {
            (K::Identifier, Expr::Free { name }) => {
                let line = super::walker::line_of(at);
                self.b
                    .read(self.scope, name, self.owner, line, Context::PROPERTY_READ);
            }
            (K::MemberExpression, _) => self.record_read(left, Some(Context::PROPERTY_READ)),
            _ => {}
        }
    }

    /// An expression that continues no other one.
    fn primary(&mut self, expect: &Expect<'_>, context: Option<Context>) -> ExprId {
        match self.kind() {
            K::Identifier => match context {
                Some(context) => self.read_name(context),
                None => {
                    let name = self.intern();
                    self.b.name(self.scope, name)
                }
            },
            K::This => self.this,
            K::Super => self.base,
            K::NewExpression => self.new_instance(),
            K::ParenthesizedExpression | K::SequenceExpression => {
                let mut value = ExprId::UNKNOWN;
                self.each(|w, kind| {
                    if w.node().is_named() && kind != K::Comment {
                        value = match (kind, context) {
                            (K::TypeAnnotation, _) => {
                                w.type_annotation(Context::TYPE);
                                value
                            }
                            (_, Some(context)) => w.expression_in(expect, context),
                            (_, None) => w.callee(),
                        };
                    }
                });
                value
            }
            K::AwaitExpression => {
                let mut base = ExprId::UNKNOWN;
                self.each(|w, kind| {
                    if w.node().is_named() && kind != K::Comment {
                        base = w.expression(&Expect::Nothing);
                    }
                });
                if base == ExprId::UNKNOWN {
                    base
                } else {
                    self.b.expr(Expr::Await { base })
                }
            }
            K::TernaryExpression => self.ternary(expect, context),
            K::AssignmentExpression => self.assignment(),
            K::ArrowFunction => {
                if let Some((node, _)) = self.take_pending() {
                    self.function(node, expect, This::Outer);
                    return self.b.expr(Expr::Node(node));
                }
                let f = self.function(LocalNode::UNIT, expect, This::Outer);
                self.b.expr(Expr::Function(f))
            }
            K::FunctionExpression | K::GeneratorFunction => self.function_expression(expect),
            K::Class => self.class_expression(),
            K::Object => {
                let holder = self.owner;
                self.object_of(Members::Methods(holder), expect)
            }
            K::Array => self.array(expect),
            K::TemplateString => self.template(),
            K::String | K::Number | K::Regex | K::True | K::False => self.b.builtin(),
            K::Null | K::Undefined | K::Comment => ExprId::UNKNOWN,
            K::MetaProperty => {
                let name = self.intern();
                self.b.expr(Expr::Free { name })
            }
            K::TypeAssertion => self.type_assertion(),
            K::JsxElement | K::JsxSelfClosingElement => {
                self.jsx();
                ExprId::UNKNOWN
            }
            K::Decorator => {
                self.decorator();
                ExprId::UNKNOWN
            }
            K::UnaryExpression | K::UpdateExpression => {
                self.parts();
                self.b.builtin()
            }
            kind if continues(kind) => self.chain(expect, context),
            kind if super::statements::is_expression(kind) => {
                self.parts();
                ExprId::UNKNOWN
            }
            kind => {
                self.statement(kind);
                ExprId::UNKNOWN
            }
        }
    }

    fn parts(&mut self) {
        self.each(|w, kind| w.statement_if_named(kind));
    }

    fn ternary(&mut self, expect: &Expect<'_>, context: Option<Context>) -> ExprId {
        let mut left = ExprId::UNKNOWN;
        let mut right = ExprId::UNKNOWN;
        let context = context.unwrap_or(Context::PROPERTY_READ);
        let condition = self.child(F::Condition);
        self.each(|w, kind| match w.field() {
            F::Condition => {
                w.expression(&Expect::Nothing);
            }
            F::Consequence => match condition {
                Some(condition) => {
                    w.narrowed(condition, |w| left = w.expression_in(expect, context))
                }
                None => left = w.expression_in(expect, context),
            },
            F::Alternative => right = w.expression_in(expect, context),
            _ => w.statement_if_named(kind),
        });
        match (left, right) {
            (ExprId::UNKNOWN, other) | (other, ExprId::UNKNOWN) => other,
            _ => self.b.expr(Expr::Either { left, right }),
        }
    }

    /// A function expression; one with a name of its own is a node.
    fn function_expression(&mut self, expect: &Expect<'_>) -> ExprId {
        if let Some((node, this)) = self.take_pending() {
            self.function(node, expect, this);
            return self.b.expr(Expr::Node(node));
        }
        let node = match self.child(F::Name) {
            Some(name) => {
                let at = self.node();
                let head_end = self
                    .child(F::Body)
                    .map_or(at.end_byte(), |b| b.start_byte());
                let text = self.text_of(name);
                let flags = NodeFlags::default();
                self.define(text, NodeKind::FUNCTION, self.owner, at, head_end, flags)
            }
            None => LocalNode::UNIT,
        };
        let function = self.function(node, expect, This::UNKNOWN);
        self.b.expr(Expr::Function(function))
    }

    /// The node that was made for the function under the cursor before it was reached.
    fn take_pending(&mut self) -> Option<(LocalNode, This)> {
        let (id, node, this) = self.pending?;
        if id != self.node().id() {
            return None;
        }
        self.pending = None;
        Some((node, this))
    }

    fn class_expression(&mut self) -> ExprId {
        let name = self.child(F::Name).map_or("<class>", |n| self.text_of(n));
        let node = self.class_node(name);
        self.class(node);
        self.b.expr(Expr::Node(node))
    }

    /// `<T>value`.
    fn type_assertion(&mut self) -> ExprId {
        let mut ty = TypeId::UNKNOWN;
        self.each(|w, kind| {
            if kind == K::TypeArguments {
                let list = w.type_arguments();
                let first = w.b.unit.facts.list(list).first().copied();
                ty = TypeId(first.unwrap_or(0));
            } else if w.node().is_named() {
                w.expression(&Expect::Nothing);
            }
        });
        if ty == TypeId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        self.b.expr(Expr::Typed { ty })
    }
}

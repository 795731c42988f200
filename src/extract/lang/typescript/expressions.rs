//! Expressions: what is called, made, read and passed on.
//!
//! Chains (`a.b().c!.d`, `a + b + …`) nest to the left and can be thousands long; they are walked down to their innermost
//! part and built up again in a loop, so that only real nesting counts towards the depth.

use super::functions::This;
use super::kinds::{F, K};
use super::walker::{Expect, Members, Walker};
use crate::ids::LocalNode;
use crate::model::facts::{Expr, ExprId, Imported, List, RefTarget, TypeId};
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
        // `as any` says nothing about the value: what was known stays known.
        if ty == TypeId::UNKNOWN {
            return base;
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

    /// A call whose callee is `callee`; the cursor is on the callee.
    fn call(&mut self, callee: ExprId) -> ExprId {
        let is_import = self.kind() == K::Import;
        let is_require = self.kind() == K::Identifier && self.text() == "require";
        let line = self.callee_line();
        // The grammar binds `await f<T>(x)` as a call of `await f`: the call is awaited, not the function.
        let (callee, awaited) = match self.b.unit.facts.expr(callee) {
            Expr::Await { base } if self.kind() == K::AwaitExpression => {
                self.forget_read(base);
                (base, true)
            }
            _ => (callee, false),
        };
        let call = self.b.expr(Expr::Unknown);
        if callee != ExprId::UNKNOWN && !is_require {
            self.refer(
                RefTarget::Expr(callee),
                Relation::CALLS,
                Context::CALL,
                line,
            );
        }
        let mut args = List::EMPTY;
        let mut type_args = List::EMPTY;
        let mut module = None;
        while self.cursor.goto_next_sibling() {
            match self.kind() {
                K::TypeArguments => type_args = self.type_arguments(),
                K::Arguments => {
                    if is_import || is_require {
                        module = self.module_argument();
                    }
                    args = self.arguments(call);
                }
                K::TemplateString => {
                    self.template();
                }
                _ => {}
            }
        }
        if let Some(module) = module {
            let import = self.add_import(module, Imported::Whole, false, is_import, line);
            if !is_import {
                self.is_module = true;
            }
            self.b.set_expr(call, Expr::Module(import));
            return call;
        }
        if callee == ExprId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        self.b.set_expr(
            call,
            Expr::Call {
                callee,
                args,
                type_args,
            },
        );
        if awaited {
            return self.b.expr(Expr::Await { base: call });
        }
        call
    }

    /// Takes back the read of a member that turned out to be a callee.
    fn forget_read(&mut self, value: ExprId) {
        let refs = &mut self.b.unit.facts.refs;
        let is_read = refs.last().is_some_and(|r| {
            r.target == RefTarget::Expr(value) && r.relation == Relation::REFERENCES
        });
        if is_read {
            refs.pop();
        }
    }

    /// The line of the callee's last name: where a long chain calls.
    fn callee_line(&self) -> u32 {
        u32::try_from(self.node().end_position().row + 1).unwrap_or(u32::MAX)
    }

    /// The module named by the only argument.
    fn module_argument(&mut self) -> Option<crate::ids::StrId> {
        let arguments = self.node();
        let first = arguments.named_child(0)?;
        if !matches!(self.kind_of(first), K::String | K::TemplateString) {
            return None;
        }
        let text = super::literals::bare(self.text_of(first));
        if text.is_empty() || text.contains("${") {
            return None;
        }
        Some(self.b.unit.intern(text))
    }

    /// The arguments under the cursor, of the call `call`.
    pub(super) fn arguments(&mut self, call: ExprId) -> List {
        let mut args: Vec<u32> = Vec::new();
        self.each(|w, kind| {
            if !w.node().is_named() || kind == K::Comment {
                return;
            }
            let index = u32::try_from(args.len()).unwrap_or(u32::MAX);
            let wanted = Expect::Argument(call, index);
            let value = match kind {
                K::Object => {
                    let holder = w.owner;
                    w.object_of(Members::Methods(holder), &wanted)
                }
                _ => w.expression_in(&wanted, Context::ARGUMENT),
            };
            args.push(value.0);
        });
        self.b.list(&args)
    }

    fn new_instance(&mut self) -> ExprId {
        let made = self.b.expr(Expr::Unknown);
        let line = self.line();
        let mut class = ExprId::UNKNOWN;
        let mut args = List::EMPTY;
        let mut type_args = List::EMPTY;
        let mut seen = false;
        self.each(|w, kind| match kind {
            K::TypeArguments => type_args = w.type_arguments(),
            K::Arguments => args = w.arguments(made),
            _ if w.node().is_named() && kind != K::Comment && !seen => {
                seen = true;
                class = w.callee();
                w.refer(
                    RefTarget::Expr(class),
                    Relation::CALLS,
                    Context::CONSTRUCTOR,
                    line,
                );
            }
            _ => {}
        });
        if class == ExprId::UNKNOWN {
            return class;
        }
        self.b.set_expr(
            made,
            Expr::New {
                class,
                args,
                type_args,
            },
        );
        made
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

    /// `@decorator` or `@decorator(…)`: a call either way.
    pub(super) fn decorator(&mut self) {
        let line = self.line();
        let this = std::mem::replace(&mut self.this, ExprId::UNKNOWN);
        self.each(|w, kind| {
            if !w.node().is_named() || kind == K::Comment {
                return;
            }
            let before = w.b.ref_count();
            let value = w.callee();
            if kind == K::CallExpression {
                // The chain has recorded the call; it stands here as a decorator.
                if let Some(r) = w.b.unit.facts.refs.get_mut(before)
                    && r.relation == Relation::CALLS
                {
                    r.context = Context::DECORATOR;
                }
            } else {
                w.refer(
                    RefTarget::Expr(value),
                    Relation::CALLS,
                    Context::DECORATOR,
                    line,
                );
            }
        });
        self.this = this;
    }
}

//! Expressions: what is called, made, read and passed on.
//!
//! Chains (`a.b().c[0].d`, `a + b + …`) nest to the left and can be thousands long; they are walked down to their innermost
//! part and built up again in a loop, so that only real nesting counts towards the depth.

use super::kinds::{F, K};
use super::walker::{Walker, line_of};
use crate::ids::LocalNode;
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeExpr};
use crate::model::label::{Context, Relation};

/// Kinds whose first child is the expression that they continue.
fn continues(kind: K) -> bool {
    matches!(
        kind,
        K::Call
            | K::Attribute
            | K::Subscript
            | K::BinaryOperator
            | K::BooleanOperator
            | K::ComparisonOperator
    )
}

impl<'t> Walker<'t> {
    /// The expression under the cursor in a position that does not matter.
    pub(super) fn expression(&mut self) -> ExprId {
        self.expression_in(Context::PROPERTY_READ)
    }

    /// The expression under the cursor; `context` says what becomes of its value.
    pub(super) fn expression_in(&mut self, context: Context) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.chain(Some(context));
        self.depth -= 1;
        value
    }

    /// The expression under the cursor, whose use is recorded by whoever asked.
    pub(super) fn callee(&mut self) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.chain(None);
        self.depth -= 1;
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
            value = match kind {
                K::Call => self.call(value),
                K::Attribute => self.attribute(value),
                K::Subscript => self.subscript(value),
                K::BooleanOperator => self.boolean(value),
                _ => self.operation(value, kind),
            };
            self.cursor.goto_parent();
        }
        self.record_read(value, context);
        value
    }

    /// `base.name` that stands for itself: a read of a member.
    fn record_read(&mut self, value: ExprId, context: Option<Context>) {
        let Some(context) = context else { return };
        let Expr::Member { base, .. } = self.b.unit.facts.expr(value) else {
            return;
        };
        if self.kind() != K::Attribute {
            return;
        }
        let keep = match self.b.unit.facts.expr(base) {
            Expr::Free { .. } | Expr::Member { .. } | Expr::Bound(_) => true,
            Expr::This { .. } => context != Context::PROPERTY_READ,
            _ => false,
        };
        if keep {
            let line = self.line();
            self.refer(RefTarget::Expr(value), Relation::REFERENCES, context, line);
        }
    }

    fn attribute(&mut self, base: ExprId) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        while self.cursor.goto_next_sibling() {
            if self.field() == F::Attribute {
                let name = self.intern();
                value = self.b.member(base, name);
            }
        }
        value
    }

    /// `base[key]`: what the collection holds, a part of a tuple, a value of a table.
    fn subscript(&mut self, base: ExprId) -> ExprId {
        let head = self.node();
        let mut index = None;
        let mut key = None;
        let mut sliced = false;
        let mut arg = ExprId::UNKNOWN;
        let mut parts = 0;
        while self.cursor.goto_next_sibling() {
            if self.field() != F::Subscript {
                continue;
            }
            parts += 1;
            match self.kind() {
                K::Integer => index = self.text().parse::<u32>().ok(),
                K::String => {
                    key = Some(super::literals::bare(self.text()));
                    self.string();
                }
                K::Slice => {
                    sliced = true;
                    self.each_named(|w, _| {
                        w.expression();
                    });
                }
                _ => arg = self.expression(),
            }
        }
        if let Some(name) = key
            && is_environ(self.text_of(head))
        {
            let name = self.b.unit.intern(name);
            self.reads_env(name, line_of(head));
            return self.b.builtin();
        }
        if base == ExprId::UNKNOWN || sliced {
            return base;
        }
        if let (Some(index), 1) = (index, parts) {
            // A number as an argument: a place of nothing.
            let base = ExprId::UNKNOWN;
            arg = self.b.expr(Expr::Index { base, index });
        }
        let get = self.get_item(base, arg);
        let Some(key) = key else {
            return get;
        };
        let name = self.b.unit.intern(&format!("[{key}]"));
        let second = self.b.member(base, name);
        self.b.expr(Expr::Fallback { first: get, second })
    }

    fn get_item(&mut self, base: ExprId, arg: ExprId) -> ExprId {
        let name = self.b.unit.intern("__getitem__");
        let callee = self.b.member(base, name);
        let args = if arg == ExprId::UNKNOWN {
            List::EMPTY
        } else {
            self.b.list(&[arg.0])
        };
        self.b.expr(Expr::Call {
            callee,
            args,
            type_args: List::EMPTY,
        })
    }

    /// Notes that an environment variable is read.
    pub(super) fn reads_env(&mut self, name: crate::ids::StrId, line: u32) {
        self.refer(
            RefTarget::Env(name),
            Relation::READS_ENV,
            Context::PROPERTY_READ,
            line,
        );
    }

    /// `a or b`, `a and b`.
    fn boolean(&mut self, left: ExprId) -> ExprId {
        let left_node = self.node();
        self.read_head();
        let mut is_or = false;
        let mut right = ExprId::UNKNOWN;
        while self.cursor.goto_next_sibling() {
            match (self.field(), self.kind()) {
                (F::Operator, K::Or) => is_or = true,
                (F::Right, _) => {
                    let holds = !is_or;
                    let mark = self.frame.flow.mark();
                    self.assume(left_node, holds);
                    right = self.expression();
                    self.frame.flow.forget_narrowed(mark);
                }
                _ => {}
            }
        }
        if !is_or {
            return right;
        }
        match (left, right) {
            (ExprId::UNKNOWN, other) | (other, ExprId::UNKNOWN) => other,
            _ => self.b.expr(Expr::Either { left, right }),
        }
    }

    fn operation(&mut self, left: ExprId, kind: K) -> ExprId {
        self.read_head();
        let mut right = ExprId::UNKNOWN;
        while self.cursor.goto_next_sibling() {
            if self.node().is_named() && self.kind() != K::Comment {
                right = self.expression();
            }
        }
        if kind == K::ComparisonOperator || (left == ExprId::UNKNOWN && right == ExprId::UNKNOWN) {
            return self.b.builtin();
        }
        // What an operator makes is not followed.
        ExprId::UNKNOWN
    }

    /// The left side of an operator is read like any other value.
    fn read_head(&mut self) {
        let line = self.line();
        match self.kind() {
            K::Identifier => {
                let name = self.intern();
                let owner = self.owner;
                self.b
                    .read(self.scope, name, owner, line, Context::PROPERTY_READ);
            }
            K::Attribute => {
                let node = self.node();
                let value = self.dotted(node, 0);
                self.record_read(value, Some(Context::PROPERTY_READ));
            }
            _ => {}
        }
    }

    /// An expression that continues no other one.
    fn primary(&mut self, context: Option<Context>) -> ExprId {
        match self.kind() {
            K::Identifier => {
                let name = self.intern();
                if let Some(context) = context {
                    let (owner, line) = (self.owner, self.line());
                    self.b.read(self.scope, name, owner, line, context);
                }
                self.name(name)
            }
            K::ParenthesizedExpression => {
                let mut value = ExprId::UNKNOWN;
                self.each_named(|w, _| {
                    value = match context {
                        Some(context) => w.expression_in(context),
                        None => w.callee(),
                    };
                });
                value
            }
            K::Await => {
                let mut base = ExprId::UNKNOWN;
                self.each_named(|w, _| base = w.expression());
                match base {
                    ExprId::UNKNOWN => base,
                    base => self.b.expr(Expr::Await { base }),
                }
            }
            K::ConditionalExpression => self.conditional(context),
            K::NamedExpression => {
                let mut name = None;
                let mut value = ExprId::UNKNOWN;
                self.each_named(|w, _| match w.field() {
                    F::Name => name = Some(w.intern()),
                    F::Value => value = w.expression_in(Context::ASSIGNMENT),
                    _ => {}
                });
                if let Some(name) = name {
                    self.assign_name(name, crate::model::facts::TypeId::UNKNOWN, value);
                }
                value
            }
            K::Lambda => {
                let function = self.lambda(LocalNode::UNIT, ExprId::UNKNOWN);
                self.b.expr(Expr::Function(function))
            }
            K::Yield => self.yielded(),
            K::List | K::Set => self.sequence(),
            K::Tuple | K::ExpressionList => self.tuple(),
            K::Dictionary => self.dictionary(),
            K::ListComprehension | K::SetComprehension | K::GeneratorExpression => {
                self.comprehension()
            }
            K::DictionaryComprehension => self.dictionary_comprehension(),
            K::String | K::ConcatenatedString => {
                self.string();
                self.b.builtin()
            }
            K::Integer | K::Float | K::True | K::False => self.b.builtin(),
            K::None => self.none,
            K::NotOperator => {
                self.each_named(|w, _| {
                    w.expression();
                });
                self.b.builtin()
            }
            K::ListSplat | K::DictionarySplat => {
                self.each_named(|w, _| {
                    w.expression_in(Context::ARGUMENT);
                });
                ExprId::UNKNOWN
            }
            K::Assignment => self.assignment(),
            K::AsPattern => self.as_pattern(),
            K::Comment | K::Ellipsis => ExprId::UNKNOWN,
            kind if continues(kind) => self.chain(context),
            K::Error => {
                self.errors += 1;
                self.each_named(|w, k| w.statement(k));
                ExprId::UNKNOWN
            }
            _ => {
                self.each_named(|w, k| w.statement(k));
                ExprId::UNKNOWN
            }
        }
    }

    /// `a if c else b`.
    fn conditional(&mut self, context: Option<Context>) -> ExprId {
        let node = self.node();
        let condition = node.named_child(1);
        let mut place = 0;
        let mut left = ExprId::UNKNOWN;
        let mut right = ExprId::UNKNOWN;
        let context = context.unwrap_or(Context::PROPERTY_READ);
        // The condition comes first, whatever the order of writing.
        self.each_named(|w, _| {
            if place == 1 {
                w.expression();
            }
            place += 1;
        });
        place = 0;
        self.each_named(|w, _| {
            let mark = w.frame.flow.mark();
            if let (0 | 2, Some(condition)) = (place, condition) {
                w.assume(condition, place == 0);
            }
            match place {
                0 => left = w.expression_in(context),
                2 => right = w.expression_in(context),
                _ => {}
            }
            w.frame.flow.forget_narrowed(mark);
            place += 1;
        });
        match (left, right) {
            (ExprId::UNKNOWN, other) | (other, ExprId::UNKNOWN) => other,
            (left, right) if left == self.none => right,
            (left, right) if right == self.none => left,
            _ => self.b.expr(Expr::Either { left, right }),
        }
    }

    fn yielded(&mut self) -> ExprId {
        let from = (0..self.node().child_count().min(3))
            .filter_map(|i| self.node().child(i))
            .any(|c| self.kind_of(c) == K::From);
        let mut value = ExprId::UNKNOWN;
        self.each_named(|w, _| value = w.expression_in(Context::RETURN));
        self.frame.is_generator = true;
        if from && value != ExprId::UNKNOWN {
            value = self.b.expr(Expr::Element { base: value });
        }
        if value != ExprId::UNKNOWN && value != self.none {
            self.frame.yields.push(value.0);
        }
        ExprId::UNKNOWN
    }

    /// `value as name` outside of the statements that know it.
    fn as_pattern(&mut self) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        self.each_named(|w, kind| {
            if kind == K::AsPatternTarget {
                w.each_named(|w, _| w.target(value));
            } else {
                value = w.expression();
            }
        });
        value
    }

    /// A value of a sequence whose elements are one of `elements`.
    pub(super) fn sequence_of(&mut self, elements: &[u32]) -> ExprId {
        let mut types: Vec<u32> = Vec::new();
        for element in elements.iter().take(8) {
            if *element != ExprId::UNKNOWN.0 {
                let ty = self.b.ty(TypeExpr::Of(ExprId(*element)));
                types.push(ty.0);
            }
        }
        let element = match types.as_slice() {
            [] => crate::model::facts::TypeId::UNKNOWN,
            [one] => crate::model::facts::TypeId(*one),
            _ => {
                let list = self.b.list(&types);
                self.b.ty(TypeExpr::Union(list))
            }
        };
        let ty = self.b.ty(TypeExpr::Sequence(element));
        self.b.expr(Expr::Typed { ty })
    }
}

/// `os.environ` as written.
pub(super) fn is_environ(text: &str) -> bool {
    matches!(text, "os.environ" | "environ")
}

//! Calls and decorators, with the few callees that the language itself knows.

use super::kinds::{F, K};
use super::walker::{Walker, line_of};
use crate::ids::LocalNode;
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeId};
use crate::model::label::{Context, Relation};

impl Walker<'_> {
    /// A call whose callee is `callee`; the cursor is on the callee.
    pub(super) fn call(&mut self, callee: ExprId) -> ExprId {
        let head = self.node();
        let text = self.text_of(head);
        let short = if text.len() <= 40 { text } else { "" };
        // The line of the callee's last name: where a long chain calls.
        let line = u32::try_from(head.end_position().row + 1).unwrap_or(u32::MAX);
        if short == "super"
            && let Some(base) = self.super_value()
        {
            while self.cursor.goto_next_sibling() {
                if self.kind() == K::ArgumentList {
                    self.arguments(ExprId::UNKNOWN);
                }
            }
            return base;
        }
        self.refer(
            RefTarget::Expr(callee),
            Relation::CALLS,
            Context::CALL,
            line,
        );
        let call = self.b.expr(Expr::Unknown);
        let mut args = List::EMPTY;
        let mut cast = None;
        while self.cursor.goto_next_sibling() {
            match self.kind() {
                K::ArgumentList => {
                    self.env_argument(short);
                    if matches!(short, "cast" | "t.cast" | "typing.cast") {
                        cast = self.cast_type();
                    }
                    args = self.arguments(call);
                }
                K::GeneratorExpression => {
                    let value = self.expression();
                    args = self.b.list(&[value.0]);
                }
                _ => {}
            }
        }
        if let Some(ty) = cast {
            return self.b.expr(Expr::Typed { ty });
        }
        if callee == ExprId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        self.b.set_expr(
            call,
            Expr::Call {
                callee,
                args,
                type_args: List::EMPTY,
            },
        );
        call
    }

    /// `super()` inside a method.
    fn super_value(&mut self) -> Option<ExprId> {
        let receiver = self.frame.receiver?;
        Some(self.b.expr(Expr::Super {
            node: receiver.class,
            of_type: receiver.of_type,
        }))
    }

    /// `os.getenv("X")`, `os.environ.get("X")`.
    fn env_argument(&mut self, callee: &str) {
        let reads = match callee.rsplit_once('.') {
            None => callee == "getenv",
            Some(("os", "getenv")) => true,
            Some((object, "get" | "pop" | "setdefault")) => super::expressions::is_environ(object),
            _ => false,
        };
        if !reads {
            return;
        }
        let first = self.node().named_child(0);
        if let Some(first) = first
            && self.kind_of(first) == K::String
        {
            let name = super::literals::bare(self.text_of(first));
            let name = self.b.unit.intern(name);
            self.reads_env(name, line_of(first));
        }
    }

    /// The type that `cast(T, value)` names.
    fn cast_type(&mut self) -> Option<TypeId> {
        let first = self.node().named_child(0)?;
        let ty = self.type_of(first, Context::TYPE);
        (ty != TypeId::UNKNOWN).then_some(ty)
    }

    /// The arguments under the cursor, of the call `call`; those by keyword are visited and not listed.
    pub(super) fn arguments(&mut self, call: ExprId) -> List {
        let mut args: Vec<u32> = Vec::new();
        let mut splat = false;
        self.each_named(|w, kind| match kind {
            K::KeywordArgument => w.each_named(|w, _| {
                if w.field() == F::Value {
                    w.expression_in(Context::ARGUMENT);
                }
            }),
            K::ListSplat | K::DictionarySplat => {
                splat = true;
                w.expression_in(Context::ARGUMENT);
            }
            K::Lambda if call != ExprId::UNKNOWN && !splat => {
                // What the callee expects says what the parameters are.
                let index = u32::try_from(args.len()).unwrap_or(u32::MAX);
                let context = w.b.expr(Expr::Expected { call, index });
                let function = w.lambda(LocalNode::UNIT, context);
                let value = w.b.expr(Expr::Function(function));
                args.push(value.0);
            }
            _ => {
                let value = w.expression_in(Context::ARGUMENT);
                if !splat {
                    args.push(value.0);
                }
            }
        });
        self.b.list(&args)
    }

    /// `@decorator` or `@decorator(…)`: a call either way.
    pub(super) fn decorator(&mut self) {
        let line = self.line();
        self.each_named(|w, kind| {
            let before = w.b.ref_count();
            let value = w.callee();
            if kind == K::Call {
                // The chain has recorded the call; it stands here as a decorator.
                let Expr::Call { callee, .. } = w.b.unit.facts.expr(value) else {
                    return;
                };
                let calls = w.b.unit.facts.refs.get_mut(before..).unwrap_or_default();
                for r in calls {
                    if r.relation == Relation::CALLS && r.target == RefTarget::Expr(callee) {
                        r.context = Context::DECORATOR;
                    }
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
    }
}

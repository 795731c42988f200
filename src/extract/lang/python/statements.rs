//! Statements: control flow splits and joins the versions of names, everything that declares is passed on.

use rustc_hash::FxHashSet;

use super::conditions::Always;
use super::flow::Delta;
use super::kinds::{F, K};
use super::walker::{Walker, end_line};
use crate::ids::LocalNode;
use crate::model::facts::{Expr, ExprId, List, TypeExpr, TypeId};
use crate::model::label::Context;
use crate::model::node::Span;

impl Walker<'_> {
    /// The whole file.
    pub(super) fn file(&mut self) {
        let root = self.node();
        let lines = end_line(root).max(1);
        self.b.unit.meta.lines = lines;
        let end_byte = u32::try_from(self.source.len()).unwrap_or(u32::MAX);
        let doc = self.docstring(root);
        let doc = self.b.unit.intern(&doc);
        if let Some(node) = self.b.unit.node_mut(LocalNode::UNIT) {
            node.doc = doc;
            node.span = Span {
                start_line: 1,
                end_line: lines,
                start_byte: 0,
                end_byte,
            };
        }
        let ty = self.b.ty(TypeExpr::Builtin);
        self.none = self.b.expr(Expr::Typed { ty });
        self.each_named(|w, kind| w.statement(kind));
        self.settle();
        // Every name of the file can be taken from it.
        let mut seen = FxHashSet::default();
        for (name, line) in std::mem::take(&mut self.top_names) {
            if seen.insert(name) {
                self.b.export_name(name, name, false, line);
            }
        }
    }

    /// Any statement; what is none is visited as an expression.
    pub(super) fn statement(&mut self, kind: K) {
        if !self.deeper() {
            return;
        }
        match kind {
            K::ImportStatement => self.import_statement(),
            K::ImportFromStatement => self.import_from_statement(),
            K::FutureImportStatement | K::Comment => {}
            K::FunctionDefinition => self.function_definition(&[]),
            K::ClassDefinition => self.class_definition(),
            K::DecoratedDefinition => self.decorated_definition(),
            K::ExpressionStatement => self.expression_statement(),
            K::ReturnStatement => self.return_statement(),
            K::RaiseStatement => {
                self.each_named(|w, _| {
                    w.expression();
                });
                self.frame.flow.ended = true;
            }
            K::BreakStatement | K::ContinueStatement => self.frame.flow.leave_loop(),
            K::AssertStatement => self.assert_statement(),
            K::GlobalStatement | K::NonlocalStatement => self.each_named(|w, k| {
                if k == K::Identifier {
                    let name = w.intern();
                    if kind == K::GlobalStatement {
                        w.frame.globals.push(name);
                    } else {
                        w.frame.nonlocals.push(name);
                    }
                }
            }),
            K::TypeAliasStatement => self.type_alias(),
            K::IfStatement => self.if_statement(),
            K::ForStatement => self.for_statement(),
            K::WhileStatement => self.while_statement(),
            K::TryStatement => self.try_statement(),
            K::WithStatement => self.with_statement(),
            K::MatchStatement => self.match_statement(),
            K::Block => self.each_named(|w, k| w.statement(k)),
            K::Error => {
                self.errors += 1;
                self.each_named(|w, k| w.statement(k));
            }
            kind if is_expression(kind) => {
                self.expression();
            }
            _ => self.each_named(|w, k| w.statement(k)),
        }
        self.depth -= 1;
    }

    fn expression_statement(&mut self) {
        self.each_named(|w, kind| match kind {
            K::Assignment => {
                w.assignment();
            }
            K::AugmentedAssignment => w.augmented_assignment(),
            K::String | K::ConcatenatedString => w.string(),
            _ => {
                w.expression();
            }
        });
    }

    fn return_statement(&mut self) {
        self.each_named(|w, _| {
            let value = w.expression_in(Context::RETURN);
            if value != w.none {
                w.frame.returns.push(value.0);
            }
        });
        self.frame.flow.ended = true;
    }

    fn assert_statement(&mut self) {
        let condition = self.node().named_child(0);
        self.each_named(|w, _| {
            w.expression();
        });
        if let Some(condition) = condition {
            self.assume(condition, true);
        }
    }

    /// `if … elif … else`.
    fn if_statement(&mut self) {
        let mut ends: Vec<Delta> = Vec::new();
        let mut condition = self.child(F::Condition);
        let mut always = condition.map_or(Always::Unknown, |c| self.always(c));
        let outside = self.type_checking;
        let outer = self.frame.flow.mark();
        let mut closed = false;
        self.each_named(|w, kind| match kind {
            K::Block => {
                w.type_checking = outside || always == Always::TypeChecking;
                let end = w.branch(|w| {
                    if let Some(condition) = condition {
                        w.assume(condition, true);
                    }
                    w.statement(kind);
                });
                w.type_checking = outside;
                if always != Always::False {
                    ends.push(end);
                }
                if let Some(condition) = condition {
                    w.assume(condition, false);
                }
            }
            K::ElifClause => {
                condition = w.child(F::Condition);
                let earlier = matches!(always, Always::True | Always::TypeChecking);
                always = condition.map_or(Always::Unknown, |c| w.always(c));
                w.each_named(|w, kind| {
                    if kind != K::Block {
                        w.expression();
                        return;
                    }
                    let end = w.branch(|w| {
                        if let Some(condition) = condition {
                            w.assume(condition, true);
                        }
                        w.statement(kind);
                    });
                    if !earlier && always != Always::False {
                        ends.push(end);
                    }
                });
                if earlier {
                    always = Always::True;
                }
                if let Some(condition) = condition {
                    w.assume(condition, false);
                }
            }
            K::ElseClause => {
                closed = true;
                let end = w.branch(|w| w.each_named(|w, k| w.statement(k)));
                if !matches!(always, Always::True | Always::TypeChecking) {
                    ends.push(end);
                }
            }
            _ => {
                w.expression();
            }
        });
        // What was assumed for the branches behind holds where none of them was taken.
        let rest = self.frame.flow.rewind(outer);
        if !closed && !matches!(always, Always::True | Always::TypeChecking) {
            ends.push(rest);
        }
        self.join(&ends);
    }

    fn for_statement(&mut self) {
        let slot = self.b.expr(Expr::Unknown);
        let is_async = self
            .node()
            .child(0)
            .is_some_and(|c| self.kind_of(c) == K::Async);
        let mut rest = None;
        // The collection is evaluated once, before the variable is bound.
        self.each_named(|w, _| {
            if w.field() == F::Right {
                let base = w.expression();
                w.iterate(slot, base, is_async);
            }
        });
        self.looped(|w| {
            w.each_named(|w, kind| match w.field() {
                F::Left => w.target(slot),
                F::Body => w.statement(kind),
                F::Alternative => rest = Some(kind),
                _ => {}
            });
        });
        if rest.is_some() {
            self.each_named(|w, kind| {
                if w.field() == F::Alternative {
                    w.statement(kind);
                }
            });
        }
    }

    /// Makes `slot` any element of `base`.
    pub(super) fn iterate(&mut self, slot: ExprId, base: ExprId, is_async: bool) {
        if base == ExprId::UNKNOWN {
            return;
        }
        let iterator = self.call_member(base, if is_async { "__aiter__" } else { "__iter__" });
        self.b.set_expr(slot, Expr::Element { base: iterator });
    }

    /// `base.name()`.
    pub(super) fn call_member(&mut self, base: ExprId, name: &str) -> ExprId {
        let name = self.b.unit.intern(name);
        let callee = self.b.member(base, name);
        if callee == ExprId::UNKNOWN {
            return callee;
        }
        self.b.expr(Expr::Call {
            callee,
            args: List::EMPTY,
            type_args: List::EMPTY,
        })
    }

    fn while_statement(&mut self) {
        let condition = self.child(F::Condition);
        self.looped(|w| {
            w.each_named(|w, kind| match w.field() {
                F::Condition => {
                    w.expression();
                }
                F::Body => {
                    if let Some(condition) = condition {
                        w.assume(condition, true);
                    }
                    w.statement(kind);
                }
                _ => {}
            });
        });
        self.each_named(|w, kind| {
            if w.field() == F::Alternative {
                w.statement(kind);
            }
        });
    }

    fn try_statement(&mut self) {
        let mark = self.frame.flow.mark();
        let mut body: Option<Delta> = None;
        let mut ends: Vec<Delta> = Vec::new();
        let mut last = false;
        self.each_named(|w, kind| match kind {
            K::Block | K::ElseClause if body.is_none() => w.statement(kind),
            K::ExceptClause => {
                if body.is_none() {
                    body = Some(w.frame.flow.rewind(mark));
                }
                let tried = body.clone().unwrap_or_default();
                let end = w.branch(|w| {
                    // The body may have come to any point.
                    w.join(&[Delta::default(), tried.reached()]);
                    w.except_clause();
                });
                ends.push(end);
            }
            K::ElseClause => {
                let tried = body.take().unwrap_or_default();
                let end = w.branch(|w| {
                    w.resume(&tried);
                    w.each_named(|w, k| w.statement(k));
                });
                body = Some(end);
            }
            K::FinallyClause => {
                if let Some(body) = &body {
                    ends.push(body.clone());
                    w.join(&ends);
                }
                last = true;
                let ended = w.frame.flow.ended;
                w.frame.flow.ended = false;
                w.each_named(|w, k| w.statement(k));
                w.frame.flow.ended |= ended;
            }
            _ => w.statement(kind),
        });
        if let Some(body) = body
            && !last
        {
            ends.push(body);
            self.join(&ends);
        }
    }

    /// `except E as e:`; the grammar has the classes as values, with or without a name behind.
    fn except_clause(&mut self) {
        self.each_named(|w, kind| match kind {
            K::Block => w.statement(kind),
            K::AsPattern => w.caught(),
            _ if w.field() == F::Alias => {
                let at = w.node();
                if let Some(class) = at.prev_named_sibling() {
                    let ty = w.instance_of(class);
                    w.bind_target_text(ty);
                }
            }
            _ => {
                w.expression();
            }
        });
    }

    /// `E as e` behind `except`.
    fn caught(&mut self) {
        let mut ty = TypeId::UNKNOWN;
        self.each_named(|w, kind| {
            if kind == K::AsPatternTarget {
                w.each_named(|w, _| w.bind_target_text(ty));
            } else {
                let class = w.node();
                w.expression();
                ty = w.instance_of(class);
            }
        });
    }

    fn bind_target_text(&mut self, ty: TypeId) {
        if self.kind() == K::Identifier {
            let name = self.intern();
            self.bind_value(name, ty, ExprId::UNKNOWN);
        }
    }

    fn with_statement(&mut self) {
        let is_async = self
            .node()
            .child(0)
            .is_some_and(|c| self.kind_of(c) == K::Async);
        self.each_named(|w, kind| match kind {
            K::WithClause => w.each_named(|w, kind| {
                if kind == K::WithItem {
                    w.each_named(|w, kind| w.with_item(kind, is_async));
                }
            }),
            _ => w.statement(kind),
        });
    }

    fn with_item(&mut self, kind: K, is_async: bool) {
        if kind != K::AsPattern {
            self.expression();
            return;
        }
        let mut value = ExprId::UNKNOWN;
        self.each_named(|w, kind| {
            if kind == K::AsPatternTarget {
                let entered = w.entered(value, is_async);
                w.each_named(|w, _| w.target(entered));
            } else {
                value = w.expression();
            }
        });
    }

    /// What `with value as …` binds.
    pub(super) fn entered(&mut self, value: ExprId, is_async: bool) -> ExprId {
        if !is_async {
            return self.call_member(value, "__enter__");
        }
        match self.call_member(value, "__aenter__") {
            ExprId::UNKNOWN => ExprId::UNKNOWN,
            base => self.b.expr(Expr::Await { base }),
        }
    }
}

/// Whether a node of this kind is an expression.
pub(super) fn is_expression(kind: K) -> bool {
    let (from, to) = (K::Identifier as u8, K::Ellipsis as u8);
    (from..=to).contains(&(kind as u8))
}

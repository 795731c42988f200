//! Comprehensions and generator expressions: their clauses come before their body, whatever the order of writing.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::model::facts::{Bound, Expr, ExprId, TypeId};
use crate::model::label::Context;

impl Walker<'_> {
    /// `[x for x in xs]` and its like.
    pub(super) fn comprehension(&mut self) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        self.in_clauses(|w| {
            w.each_named(|w, _| {
                if w.field() == F::Body {
                    value = w.expression_in(Context::COLLECTION);
                }
            });
        });
        self.sequence_of(&[value.0])
    }

    /// `{k: v for …}`.
    pub(super) fn dictionary_comprehension(&mut self) -> ExprId {
        let mut key = ExprId::UNKNOWN;
        let mut value = ExprId::UNKNOWN;
        self.in_clauses(|w| {
            w.each_named(|w, kind| {
                if kind == K::Pair {
                    w.each_named(|w, _| match w.field() {
                        F::Key => key = w.expression(),
                        F::Value => value = w.expression_in(Context::COLLECTION),
                        _ => {}
                    });
                }
            });
        });
        self.map_of(&[key.0], &[value.0])
    }

    /// Visits the clauses under the cursor, then `body` where their names are bound.
    fn in_clauses(&mut self, body: impl FnOnce(&mut Self)) {
        let outside = self.scope;
        let mark = self.frame.flow.mark();
        self.scope = self.b.open();
        self.each_named(|w, kind| match kind {
            K::ForInClause => w.for_in(),
            K::IfClause => {
                let condition = w.node().named_child(0);
                w.each_named(|w, _| {
                    w.expression();
                });
                if let Some(condition) = condition {
                    w.assume(condition, true);
                }
            }
            _ => {}
        });
        body(self);
        self.b.close(self.scope);
        self.scope = outside;
        self.frame.flow.rewind(mark);
    }

    fn for_in(&mut self) {
        let slot = self.b.expr(Expr::Unknown);
        let is_async = self
            .node()
            .child(0)
            .is_some_and(|c| self.kind_of(c) == K::Async);
        self.each_named(|w, _| {
            if w.field() == F::Right {
                let base = w.expression();
                w.iterate(slot, base, is_async);
            }
        });
        self.each_named(|w, _| {
            if w.field() == F::Left {
                w.clause_target(slot);
            }
        });
    }

    /// Names of a clause are bound in the comprehension alone.
    fn clause_target(&mut self, value: ExprId) {
        if !self.deeper() {
            return;
        }
        match self.kind() {
            K::Identifier => {
                let name = self.intern();
                let scope = self.scope;
                let ty = TypeId::UNKNOWN;
                self.bind_in(scope, name, Bound::Local { ty, value });
            }
            K::TuplePattern | K::ListPattern | K::PatternList => {
                let mut index = 0;
                self.each_named(|w, _| {
                    let part = match value {
                        ExprId::UNKNOWN => value,
                        base => w.b.expr(Expr::Index { base, index }),
                    };
                    index += 1;
                    w.clause_target(part);
                });
            }
            _ => self.each_named(|w, _| w.clause_target(ExprId::UNKNOWN)),
        }
        self.depth -= 1;
    }
}

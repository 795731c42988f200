//! `match`: each case is a branch; a class pattern says what the subject is.

use tree_sitter::Node as Syntax;

use super::flow::Delta;
use super::kinds::{F, K};
use super::walker::{Walker, line_of};
use crate::model::facts::{Expr, ExprId, RefTarget, TypeId};
use crate::model::label::{Context, Relation};

impl<'t> Walker<'t> {
    pub(super) fn match_statement(&mut self) {
        let subject = self.child(F::Subject);
        let mut value = ExprId::UNKNOWN;
        let mut ends = vec![];
        let mut closed = false;
        self.each_named(|w, kind| match w.field() {
            F::Subject => value = w.expression(),
            F::Body => w.each_named(|w, kind| {
                if kind == K::CaseClause {
                    let end = w.branch(|w| closed |= w.case_clause(subject, value));
                    ends.push(end);
                } else {
                    w.statement(kind);
                }
            }),
            _ => w.statement(kind),
        });
        if !closed {
            ends.push(Delta::default());
        }
        self.join(&ends);
    }

    /// One case; whether it takes everything.
    fn case_clause(&mut self, subject: Option<Syntax<'t>>, value: ExprId) -> bool {
        let mut all = false;
        let guarded = self.child(F::Guard).is_some();
        self.each_named(|w, kind| match kind {
            K::CasePattern => {
                all = !guarded && w.text() == "_";
                let ty = w.case_pattern(value);
                if let Some(subject) = subject
                    && ty != TypeId::UNKNOWN
                    && w.kind_of(subject) == K::Identifier
                {
                    let name = w.b.unit.intern(w.text_of(subject));
                    w.narrow(name, ty);
                }
            }
            K::IfClause => w.each_named(|w, _| {
                w.expression();
            }),
            _ => w.statement(kind),
        });
        all
    }

    /// The pattern under the cursor; the type that it asks for.
    fn case_pattern(&mut self, value: ExprId) -> TypeId {
        if !self.deeper() {
            return TypeId::UNKNOWN;
        }
        let mut ty = TypeId::UNKNOWN;
        self.each_named(|w, kind| {
            let found = w.pattern_part(kind, value, ty);
            if found != TypeId::UNKNOWN {
                ty = found;
            }
        });
        self.depth -= 1;
        ty
    }

    fn pattern_part(&mut self, kind: K, value: ExprId, before: TypeId) -> TypeId {
        match kind {
            K::ClassPattern => self.class_pattern(),
            // `case … as name`: the name stands behind the pattern.
            K::Identifier => {
                let name = self.intern();
                let value = if before == TypeId::UNKNOWN {
                    value
                } else {
                    ExprId::UNKNOWN
                };
                self.assign_name(name, before, value);
                before
            }
            K::DottedName => {
                let text = self.text();
                if text.contains('.') {
                    self.read_dotted();
                } else if text != "_" {
                    let name = self.intern();
                    self.assign_name(name, TypeId::UNKNOWN, value);
                }
                TypeId::UNKNOWN
            }
            K::AsPattern | K::CasePattern => self.case_pattern(value),
            K::String | K::ConcatenatedString => TypeId::UNKNOWN,
            _ => {
                self.case_pattern(ExprId::UNKNOWN);
                TypeId::UNKNOWN
            }
        }
    }

    /// `C(a, b=c)`.
    fn class_pattern(&mut self) -> TypeId {
        let mut ty = TypeId::UNKNOWN;
        let mut instance = ExprId::UNKNOWN;
        self.each_named(|w, kind| match kind {
            K::DottedName if ty == TypeId::UNKNOWN => {
                let class = w.read_dotted();
                let args = crate::model::facts::List::EMPTY;
                ty =
                    w.b.ty(crate::model::facts::TypeExpr::Instance { class, args });
                instance = w.b.expr(Expr::Typed { ty });
            }
            K::CasePattern => {
                w.each_named(|w, kind| {
                    if kind == K::KeywordPattern {
                        w.keyword_pattern(instance);
                    } else {
                        w.pattern_part(kind, ExprId::UNKNOWN, TypeId::UNKNOWN);
                    }
                });
            }
            _ => {}
        });
        ty
    }

    fn keyword_pattern(&mut self, instance: ExprId) {
        let mut field = ExprId::UNKNOWN;
        let mut first = true;
        self.each_named(|w, kind| {
            if first {
                first = false;
                let name = w.intern();
                field = w.b.member(instance, name);
            } else {
                w.pattern_part(kind, field, TypeId::UNKNOWN);
            }
        });
    }

    /// `a.b` as a name in a pattern.
    fn read_dotted(&mut self) -> ExprId {
        let line = line_of(self.node());
        let mut value = ExprId::UNKNOWN;
        let mut first = true;
        self.each_named(|w, _| {
            let name = w.intern();
            value = if first {
                first = false;
                w.name(name)
            } else {
                w.b.member(value, name)
            };
        });
        self.refer(
            RefTarget::Expr(value),
            Relation::REFERENCES,
            Context::PROPERTY_READ,
            line,
        );
        value
    }
}

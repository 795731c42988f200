//! Patterns: the names that parameters and declarations bind, and which part of a value each takes.

use super::kinds::{F, K};
use super::walker::{Expect, Walker};
use crate::extract::builder::ScopeId;
use crate::model::facts::{Bound, Expr, ExprId, Space, TypeId};
use crate::model::label::NodeKind;
use crate::model::node::NodeFlags;

/// How a pattern's names are bound.
#[derive(Clone, Copy)]
pub(super) struct Bind {
    /// Where.
    pub(super) scope: ScopeId,
    /// What kind of node each name becomes, if any, and whether it is exported.
    pub(super) node: Option<(NodeKind, (bool, bool))>,
}

impl Bind {
    /// As locals without nodes.
    pub(super) fn local(scope: ScopeId) -> Self {
        Self { scope, node: None }
    }
}

impl Walker<'_> {
    /// Binds the names of the pattern under the cursor to the parts of `source`.
    pub(super) fn pattern(&mut self, source: ExprId, bind: Bind) {
        if !self.deeper() {
            return;
        }
        match self.kind() {
            K::Identifier | K::ShorthandPropertyIdentifierPattern | K::Undefined => {
                self.bind_name(source, bind)
            }
            K::ObjectPattern => self.each(|w, kind| w.property(kind, source, bind)),
            K::ArrayPattern => {
                let mut index = 0;
                self.each(|w, kind| {
                    if w.node().is_named() {
                        if kind != K::Comment {
                            let part = w.part(source, index);
                            w.pattern(part, bind);
                        }
                    } else if w.text() == "," {
                        index += 1;
                    }
                });
            }
            K::AssignmentPattern | K::ObjectAssignmentPattern => {
                self.each(|w, _| match w.field() {
                    F::Left => w.pattern(source, bind),
                    F::Right => {
                        w.expression(&Expect::Nothing);
                    }
                    _ => {}
                })
            }
            K::RestPattern => self.each(|w, _| {
                if w.node().is_named() {
                    w.pattern(source, bind);
                }
            }),
            K::Comment => {}
            kind => self.statement(kind),
        }
        self.depth -= 1;
    }

    fn part(&mut self, base: ExprId, index: u32) -> ExprId {
        if base == ExprId::UNKNOWN {
            return base;
        }
        self.b.expr(Expr::Index { base, index })
    }

    fn property(&mut self, kind: K, source: ExprId, bind: Bind) {
        match kind {
            K::ShorthandPropertyIdentifierPattern => {
                let name = self.intern();
                let part = self.b.member(source, name);
                self.bind_name(part, bind);
            }
            K::ObjectAssignmentPattern => {
                let mut part = ExprId::UNKNOWN;
                self.each(|w, kind| match w.field() {
                    F::Left => {
                        if kind == K::ShorthandPropertyIdentifierPattern {
                            let name = w.intern();
                            part = w.b.member(source, name);
                        }
                        w.pattern(part, bind);
                    }
                    F::Right => {
                        w.expression(&Expect::Nothing);
                    }
                    _ => {}
                });
            }
            K::PairPattern => {
                let mut part = ExprId::UNKNOWN;
                self.each(|w, kind| match w.field() {
                    F::Key => {
                        if kind == K::ComputedPropertyName {
                            w.each(|w, k| w.statement_if_named(k));
                        } else {
                            let name = w.property_name();
                            part = w.b.member(source, name);
                        }
                    }
                    F::Value => w.pattern(part, bind),
                    _ => {}
                });
            }
            // The rest of an object has the object's members.
            K::RestPattern => self.pattern(source, bind),
            _ => {}
        }
    }

    /// Binds the name under the cursor.
    fn bind_name(&mut self, value: ExprId, bind: Bind) {
        let text = self.text();
        let name = self.b.unit.intern(text);
        let Some((kind, export)) = bind.node else {
            self.bind_local(bind.scope, name, TypeId::UNKNOWN, value);
            return;
        };
        let at = self.node();
        let node = self.define(
            text,
            kind,
            self.owner,
            at,
            at.end_byte(),
            NodeFlags::default(),
        );
        self.b
            .bind(bind.scope, name, Space::Value, Bound::Node(node));
        self.b.def(node).value = value;
        let line = self.line();
        self.offer(node, text, export, line);
    }
}

//! JSX: an element is a call of its component.

use super::kinds::{F, K};
use super::walker::{Expect, Walker};
use crate::model::facts::RefTarget;
use crate::model::label::{Context, Relation};

impl Walker<'_> {
    /// The element under the cursor with everything in it.
    pub(super) fn jsx(&mut self) {
        if !self.deeper() {
            return;
        }
        self.each(|w, kind| w.jsx_part(kind));
        self.depth -= 1;
    }

    fn jsx_part(&mut self, kind: K) {
        match kind {
            K::JsxOpeningElement => self.each(|w, kind| w.jsx_part(kind)),
            K::JsxElement | K::JsxSelfClosingElement => self.jsx(),
            K::JsxExpression => self.each(|w, kind| {
                if w.node().is_named() && kind != K::Comment {
                    w.expression_in(&Expect::Nothing, Context::ARGUMENT);
                }
            }),
            K::JsxAttribute => self.each(|w, kind| w.jsx_part(kind)),
            K::Identifier | K::MemberExpression if self.field() == F::Name => {
                self.component(kind);
            }
            K::TypeArguments => {
                self.type_arguments();
            }
            _ => {}
        }
    }

    /// Elements in lower case are the platform's own.
    fn component(&mut self, kind: K) {
        let own = kind == K::MemberExpression
            || self
                .text()
                .chars()
                .next()
                .is_some_and(|c| !c.is_lowercase());
        if own {
            let line = self.line();
            let value = self.callee();
            self.refer(RefTarget::Expr(value), Relation::CALLS, Context::JSX, line);
        }
    }
}

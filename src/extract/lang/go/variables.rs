//! Variables inside functions: declarations, assignments, loops and receives.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::ids::StrId;
use crate::model::facts::{Expr, ExprId, TypeId};
use crate::model::label::Context;

/// The member of a collection that the first variable of a `range` loop takes: an index, a key, or what a channel sends.
/// No name of the language can be written like this.
const RANGE_KEY: &str = "[key]";

impl Walker<'_> {
    /// The values of the list under the cursor for that many names: one each, or the parts of a single one.
    pub(super) fn values(&mut self, names: usize, context: Context) -> Vec<ExprId> {
        let mut values: Vec<ExprId> = Vec::new();
        let mut is_call = false;
        let one = |w: &mut Self, values: &mut Vec<ExprId>, is_call: &mut bool| {
            *is_call = w.kind() == K::CallExpression;
            values.push(w.expression(context));
        };
        if self.kind() == K::ExpressionList {
            self.each_part(|w, _| one(w, &mut values, &mut is_call));
        } else {
            one(self, &mut values, &mut is_call);
        }
        let [base] = values.as_slice() else {
            return values;
        };
        let base = *base;
        if names < 2 || base == ExprId::UNKNOWN {
            return values;
        }
        if !is_call {
            // A look-up, an assertion or a receive, and whether it succeeded.
            let truth = self.b.builtin();
            return vec![base, truth];
        }
        (0..names)
            .map(|i| {
                let index = u32::try_from(i).unwrap_or(u32::MAX);
                self.b.expr(Expr::Index { base, index })
            })
            .collect()
    }

    /// The names on the left of `:=`; `None` for what is no name.
    fn left_names(&mut self) -> Vec<Option<StrId>> {
        let mut names = Vec::new();
        self.each_part(|w, kind| {
            names.push((kind == K::Identifier).then(|| w.intern()));
        });
        names
    }

    /// Declares the names that the block does not have yet.
    fn declare_all(&mut self, names: &[Option<StrId>], values: &[ExprId]) {
        self.enter_scope();
        for (i, name) in names.iter().enumerate() {
            let value = values.get(i).copied().unwrap_or_default();
            if let Some(name) = name
                && !self.is_declared(*name)
            {
                self.declare(*name, TypeId::UNKNOWN, value);
            }
        }
    }

    /// `a, b := x, y`.
    pub(super) fn short_var_declaration(&mut self) {
        let mut names = Vec::new();
        let mut values = Vec::new();
        self.each_part(|w, _| match w.field() {
            F::Left => names = w.left_names(),
            F::Right => values = w.values(names.len(), Context::ASSIGNMENT),
            _ => {}
        });
        self.declare_all(&names, &values);
    }

    /// `a.b = c`: what is on the left is written, not read.
    pub(super) fn assignment(&mut self) {
        self.each_part(|w, kind| match w.field() {
            F::Left if kind == K::ExpressionList => w.each_part(|w, kind| {
                if kind != K::Identifier {
                    w.callee();
                }
            }),
            F::Right => {
                w.values(1, Context::ASSIGNMENT);
            }
            _ => {}
        });
    }

    /// `v, ok := <-ch` in a `select`.
    pub(super) fn receive_statement(&mut self) {
        let mut names = Vec::new();
        let mut values = Vec::new();
        let mut declares = false;
        self.each(|w, kind| match w.field() {
            F::Left => names = w.left_names(),
            F::Right => values = w.values(names.len().max(1), Context::ASSIGNMENT),
            _ => declares |= kind == K::Define,
        });
        if declares {
            self.declare_all(&names, &values);
        }
    }

    /// `for k, v := range x`.
    pub(super) fn range_clause(&mut self) {
        let mut names = Vec::new();
        let mut base = ExprId::UNKNOWN;
        let mut declares = false;
        self.each(|w, kind| match w.field() {
            F::Left => names = w.left_names(),
            F::Right => base = w.expression(Context::PROPERTY_READ),
            _ => declares |= kind == K::Define,
        });
        if !declares {
            return;
        }
        let mut values = vec![ExprId::UNKNOWN; 2];
        if base != ExprId::UNKNOWN {
            let name = self.b.unit.intern(RANGE_KEY);
            let key = self.b.member(base, name);
            values = vec![key, self.b.expr(Expr::Element { base })];
        }
        self.declare_all(&names, &values);
    }
}

//! Type switches: in each case the value has that case's type.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::ids::StrId;
use crate::model::facts::{ExprId, TypeId};
use crate::model::label::Context;

impl Walker<'_> {
    /// `switch x := v.(type) { case T: … }`.
    pub(super) fn type_switch(&mut self) {
        let mut name: Option<StrId> = None;
        let mut value = ExprId::UNKNOWN;
        self.each_part(|w, kind| match w.field() {
            F::Initializer => w.statement(kind),
            F::Alias => w.each_part(|w, kind| {
                if kind == K::Identifier {
                    name = Some(w.intern());
                }
            }),
            F::Value => value = w.expression(Context::PROPERTY_READ),
            _ => w.in_block(|w| w.type_case(name, value)),
        });
    }

    fn type_case(&mut self, name: Option<StrId>, value: ExprId) {
        let mut types: Vec<TypeId> = Vec::new();
        let mut opened = false;
        self.each_part(|w, kind| {
            if w.field() == F::Type {
                types.push(w.ty_in(Context::TYPE));
                return;
            }
            if !opened && let Some(name) = name {
                opened = true;
                w.enter_scope();
                match types.as_slice() {
                    [one] => w.declare(name, *one, ExprId::UNKNOWN),
                    _ => w.declare(name, TypeId::UNKNOWN, value),
                }
            }
            match kind {
                K::StatementList => w.each_part(|w, kind| w.statement(kind)),
                kind => w.statement(kind),
            }
        });
    }
}

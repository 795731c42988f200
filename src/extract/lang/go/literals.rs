//! Composite literals.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::model::facts::{ExprId, TypeId};
use crate::model::label::Context;

impl Walker<'_> {
    /// `T{…}`: a value of that type.
    pub(super) fn composite_literal(&mut self) -> ExprId {
        let mut ty = TypeId::UNKNOWN;
        let mut keyed_by_name = true;
        self.each_part(|w, kind| match w.field() {
            F::Type => {
                keyed_by_name = !matches!(
                    kind,
                    K::MapType | K::SliceType | K::ArrayType | K::ImplicitLengthArrayType
                );
                ty = w.ty_in(Context::CONSTRUCTOR);
            }
            F::Body => w.literal_value(keyed_by_name),
            _ => {}
        });
        self.typed(ty)
    }

    /// The elements in the braces under the cursor. Plain names before a colon are fields unless a map or a sequence is
    /// made: there they are values.
    pub(super) fn literal_value(&mut self, keyed_by_name: bool) {
        if !self.deeper() {
            return;
        }
        self.each_part(|w, kind| match kind {
            K::LiteralElement => w.element(),
            K::KeyedElement => w.each_part(|w, _| {
                let is_field = keyed_by_name
                    && w.field() == F::Key
                    && w.node()
                        .named_child(0)
                        .is_some_and(|n| w.kind_of(n) == K::Identifier);
                if !is_field {
                    w.element();
                }
            }),
            _ => {}
        });
        self.shallower();
    }

    fn element(&mut self) {
        self.each_part(|w, kind| match kind {
            // The type of the elements is written once, outside.
            K::LiteralValue => w.literal_value(true),
            _ => {
                w.expression(Context::COLLECTION);
            }
        });
    }
}

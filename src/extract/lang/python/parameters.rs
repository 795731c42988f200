//! Parameters: their names in the function's scope, their types and defaults in the scope around.

use super::kinds::{F, K};
use super::walker::{Receiver, Walker};
use crate::extract::builder::ScopeId;
use crate::ids::StrId;
use crate::model::facts::{
    BindingId, Bound, Expr, ExprId, FunctionFlags, FunctionId, List, TypeExpr, TypeId,
};
use crate::model::label::Context;

/// How a parameter takes its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    One,
    Rest,
    Named,
}

impl Walker<'_> {
    /// The parameters under the cursor. `receiver` says whether the first one is the class or an instance of it.
    pub(super) fn parameters(
        &mut self,
        function: FunctionId,
        flags: &mut u32,
        receiver: Option<bool>,
        scope: ScopeId,
    ) {
        let mut types: Vec<u32> = Vec::new();
        let mut waiting = receiver;
        let mut positional = true;
        self.each_named(|w, kind| {
            if kind == K::KeywordSeparator {
                positional = false;
                return;
            }
            if let Some(of_type) = waiting.take()
                && let Some(name) = w.receiver_name(kind)
            {
                w.bind_receiver(name, of_type, scope, kind);
                return;
            }
            let index = u32::try_from(types.len()).unwrap_or(u32::MAX);
            let Some((ty, takes)) = w.parameter(kind, index, scope) else {
                return;
            };
            match takes {
                Takes::One if positional => types.push(ty.0),
                Takes::Rest if positional => {
                    types.push(ty.0);
                    *flags |= FunctionFlags::REST;
                    positional = false;
                }
                _ => positional = false,
            }
        });
        let list = self.b.list(&types);
        if let Some(f) = self.b.function_mut(function) {
            f.params = list;
        }
    }

    fn receiver_name(&mut self, kind: K) -> Option<StrId> {
        let node = match kind {
            K::Identifier => self.node(),
            K::TypedParameter => self.node().named_child(0)?,
            _ => return None,
        };
        (self.kind_of(node) == K::Identifier).then(|| self.b.unit.intern(self.text_of(node)))
    }

    fn bind_receiver(&mut self, name: StrId, of_type: bool, scope: ScopeId, kind: K) {
        let receiver = Receiver {
            name,
            class: self.frame.class,
            of_type,
        };
        let value = self.receiver_value(receiver);
        self.frame.receiver = Some(receiver);
        let ty = TypeId::UNKNOWN;
        self.bind_in(scope, name, Bound::Local { ty, value });
        if kind == K::TypedParameter {
            self.each_named(|w, _| {
                if w.field() == F::Type {
                    // `def f(self: T) -> T` yields what it is called on.
                    let variable = w.intern();
                    w.self_var = w.type_vars.contains_key(&variable).then_some(variable);
                    w.annotation(Context::PARAMETER_TYPE);
                }
            });
        }
    }

    fn parameter(&mut self, kind: K, index: u32, scope: ScopeId) -> Option<(TypeId, Takes)> {
        match kind {
            K::Identifier => {
                let name = self.intern();
                let value = match self.expecting {
                    Some(function) => self.b.expr(Expr::Param { function, index }),
                    None => ExprId::UNKNOWN,
                };
                self.bind_parameter(name, TypeId::UNKNOWN, value, scope);
                Some((TypeId::UNKNOWN, Takes::One))
            }
            K::ListSplatPattern | K::DictionarySplatPattern => {
                let takes = self.splat(kind, TypeId::UNKNOWN, scope);
                Some((TypeId::UNKNOWN, takes))
            }
            K::TypedParameter | K::DefaultParameter | K::TypedDefaultParameter => {
                let mut ty = TypeId::UNKNOWN;
                let mut default = ExprId::UNKNOWN;
                let mut name = None;
                let mut splat = None;
                self.each_named(|w, kind| match (w.field(), kind) {
                    (F::Type, _) => ty = w.annotation(Context::PARAMETER_TYPE),
                    (F::Value, _) => default = w.expression_in(Context::ARGUMENT),
                    (_, K::Identifier) => name = Some(w.intern()),
                    (_, K::ListSplatPattern | K::DictionarySplatPattern) => {
                        splat = w.node().named_child(0).map(|n| (kind, n));
                    }
                    (_, K::TuplePattern) => w.target(ExprId::UNKNOWN),
                    _ => {}
                });
                if let Some((kind, node)) = splat {
                    let name = self.b.unit.intern(self.text_of(node));
                    let takes = self.bind_splat(kind, name, ty, scope);
                    return Some((ty, takes));
                }
                let name = name?;
                if ty == TypeId::UNKNOWN && default != ExprId::UNKNOWN && default != self.none {
                    ty = self.b.ty(TypeExpr::Of(default));
                }
                self.bind_parameter(name, ty, ExprId::UNKNOWN, scope);
                Some((ty, Takes::One))
            }
            K::TuplePattern => {
                self.target(ExprId::UNKNOWN);
                Some((TypeId::UNKNOWN, Takes::One))
            }
            _ => None,
        }
    }

    fn splat(&mut self, kind: K, ty: TypeId, scope: ScopeId) -> Takes {
        match self.node().named_child(0) {
            Some(node) => {
                let name = self.b.unit.intern(self.text_of(node));
                self.bind_splat(kind, name, ty, scope)
            }
            None => Takes::Named,
        }
    }

    fn bind_splat(&mut self, kind: K, name: StrId, ty: TypeId, scope: ScopeId) -> Takes {
        let (whole, takes) = if kind == K::ListSplatPattern {
            (TypeExpr::Sequence(ty), Takes::Rest)
        } else {
            let builtin = self.b.ty(TypeExpr::Builtin);
            let args = self.b.list(&[builtin.0, ty.0]);
            let name = self.b.unit.intern("dict");
            let path = List::EMPTY;
            (TypeExpr::Free { name, path, args }, Takes::Named)
        };
        let whole = self.b.ty(whole);
        self.bind_parameter(name, whole, ExprId::UNKNOWN, scope);
        takes
    }

    fn bind_parameter(
        &mut self,
        name: StrId,
        ty: TypeId,
        value: ExprId,
        scope: ScopeId,
    ) -> BindingId {
        if self.frame.receiver.is_some_and(|r| r.name == name) {
            self.frame.receiver = None;
        }
        self.bind_in(scope, name, Bound::Local { ty, value })
    }
}

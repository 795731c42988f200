//! Statements, and what hides in them: locals, nested records, conditionals.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::model::facts::{Expr, ExprId, TypeId};
use crate::model::label::Context;

impl Walker<'_> {
    /// A declaration inside a function.
    pub(super) fn local_declaration(&mut self) {
        let mut ty = TypeId::UNKNOWN;
        let mut construct = false;
        self.each(|w, kind| match w.field() {
            F::Type => {
                ty = w.ty(Context::TYPE);
                construct = w.cpp
                    && matches!(
                        w.kind(),
                        K::TypeIdentifier | K::QualifiedIdentifier | K::TemplateType
                    );
            }
            F::Declarator => w.local(ty, construct, kind),
            F::Value => {
                // `if (auto x = f())`: the value stands beside the declarator.
                let value = w.visit(kind, Context::ASSIGNMENT);
                w.give_value(ty, value);
            }
            _ => {}
        });
    }

    /// The last local that was bound without a type takes its value.
    fn give_value(&mut self, ty: TypeId, value: ExprId) {
        let last = self.b.unit.facts.bindings.len().checked_sub(1);
        let last = last.and_then(|l| u32::try_from(l).ok());
        if let (Some(last), TypeId::UNKNOWN) = (last, ty) {
            let id = crate::model::facts::BindingId(last);
            let bound = self.b.unit.facts.binding(id).map(|b| b.bound);
            if let Some(crate::model::facts::Bound::Local {
                value: ExprId::UNKNOWN,
                ..
            }) = bound
            {
                self.b.complete(id, ty, value);
            }
        }
    }

    fn local(&mut self, ty: TypeId, construct: bool, kind: K) {
        let declared = self.look(self.node());
        let line = self.line();
        // A name is bound before its value is read: the value may take its address.
        let binding = match declared.name {
            // A prototype in a body names a function of elsewhere.
            Some(_) if declared.is_function => None,
            Some(name) if self.kind_of(name) == K::Identifier => {
                let ty = self.declarator_type(&declared, ty);
                let text = self.text_of(name);
                let name = self.b.unit.intern(text);
                let bound = crate::model::facts::Bound::Local {
                    ty,
                    value: ExprId::UNKNOWN,
                };
                let space = crate::model::facts::Space::Value;
                Some((self.b.bind(self.scope, name, space, bound), ty))
            }
            _ => None,
        };
        if kind == K::StructuredBindingDeclarator {
            self.each_named(|w, kind| {
                if kind == K::Identifier {
                    let name = w.intern();
                    w.bind_local(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
                }
            });
            return;
        }
        if kind != K::InitDeclarator {
            return;
        }
        let listed = self
            .child(F::Value)
            .is_some_and(|v| matches!(self.kind_of(v), K::ArgumentList | K::InitializerList));
        let value = self.initializer();
        if let Some((binding, ty)) = binding
            && ty == TypeId::UNKNOWN
        {
            self.b.complete(binding, ty, value);
        }
        if construct && listed && !declared.pointer {
            self.construct(ty, line);
        }
    }

    /// `for (auto &x : xs)`.
    pub(super) fn for_range(&mut self) {
        let mut ty = TypeId::UNKNOWN;
        let mut name = None;
        self.in_scope(|w| {
            w.each(|w, kind| match w.field() {
                F::Type => ty = w.ty(Context::TYPE),
                F::Declarator => {
                    if kind == K::StructuredBindingDeclarator {
                        w.local(TypeId::UNKNOWN, false, kind);
                    } else if let Some(found) = w.look(w.node()).name {
                        let text = w.text_of(found);
                        name = Some(w.b.unit.intern(text));
                    }
                }
                F::Right => {
                    let base = w.visit(kind, Context::PROPERTY_READ);
                    if let Some(name) = name.take() {
                        let value = match base {
                            ExprId::UNKNOWN => base,
                            base => w.b.expr(Expr::Element { base }),
                        };
                        w.bind_local(name, ty, value);
                    }
                }
                _ if w.node().is_named() => {
                    w.visit(kind, Context::PROPERTY_READ);
                }
                _ => {}
            });
        });
    }

    /// `catch (const E &e) { … }`.
    pub(super) fn catch(&mut self) {
        self.in_scope(|w| {
            w.each_named(|w, kind| match kind {
                K::ParameterList => {
                    w.each_named(|w, kind| {
                        if kind == K::ParameterDeclaration {
                            w.local_declaration();
                        }
                    });
                }
                _ => {
                    w.visit(kind, Context::PROPERTY_READ);
                }
            });
        });
    }
}

//! Patterns: names that they bind, and what of the matched value each name takes.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Kid, Walker, line_of};
use crate::model::facts::{Expr, ExprId, RefTarget, TypeId};
use crate::model::label::{Context, Relation};

impl<'t> Walker<'t> {
    /// Binds the names of a pattern that is matched with `value`.
    pub(super) fn pattern(&mut self, at: Syntax<'t>, value: ExprId) {
        if !self.deeper() {
            return;
        }
        self.pattern_now(at, value);
        self.depth -= 1;
    }

    fn pattern_now(&mut self, at: Syntax<'t>, value: ExprId) {
        match self.kind(at) {
            K::Identifier => {
                // Constants and variants are written with a capital, bindings are not.
                if self.text(at).starts_with(char::is_uppercase) {
                    self.pattern_path(at);
                } else {
                    let name = self.intern(at);
                    self.local(name, TypeId::UNKNOWN, value);
                }
            }
            K::ScopedIdentifier => {
                self.pattern_path(at);
            }
            K::MutPattern
            | K::RefPattern
            | K::ReferencePattern
            | K::OrPattern
            | K::MatchPattern => {
                for kid in self.kids(at) {
                    if kid.kind != K::Mutable && kid.field != F::Condition {
                        self.pattern(kid.node, value);
                    }
                }
            }
            K::CapturedPattern => {
                for (i, kid) in self.kids(at).into_iter().enumerate() {
                    if i == 0 && kid.kind == K::Identifier {
                        let name = self.intern(kid.node);
                        self.local(name, TypeId::UNKNOWN, value);
                    } else {
                        self.pattern(kid.node, value);
                    }
                }
            }
            K::TuplePattern => {
                let mut known = true;
                for (i, kid) in self.parts(at).into_iter().enumerate() {
                    if kid.kind == K::RemainingPattern {
                        known = false;
                        continue;
                    }
                    let part = if known && value != ExprId::UNKNOWN {
                        let name = self.b.unit.intern(&i.to_string());
                        self.b.member(value, name)
                    } else {
                        ExprId::UNKNOWN
                    };
                    self.pattern(kid.node, part);
                }
            }
            K::TupleStructPattern => self.tuple_struct_pattern(at, value),
            K::StructPattern => self.struct_pattern(at, value),
            K::SlicePattern => {
                for kid in self.kids(at) {
                    let part = match kid.kind {
                        K::CapturedPattern => value,
                        _ if value == ExprId::UNKNOWN => value,
                        _ => self.b.expr(Expr::Element { base: value }),
                    };
                    self.pattern(kid.node, part);
                }
            }
            K::MacroInvocation => {
                self.macro_invocation(at);
            }
            K::Closure => {
                self.expression(at);
            }
            _ => {}
        }
    }

    /// The parts of a pattern; `_` counts.
    pub(super) fn parts(&mut self, at: Syntax<'t>) -> Vec<Kid<'t>> {
        let mut kids = self.all_kids(at);
        kids.retain(|k| {
            let is_comment = matches!(k.kind, K::LineComment | K::BlockComment);
            (k.node.is_named() && !is_comment) || self.text(k.node) == "_"
        });
        kids
    }

    /// A constant or variant that a pattern names.
    fn pattern_path(&mut self, at: Syntax<'t>) -> ExprId {
        let path = self.path(at);
        if matches!(self.text(at), "Some" | "None" | "Ok" | "Err") {
            return path;
        }
        self.refer(
            RefTarget::Expr(path),
            Relation::REFERENCES,
            Context::PROPERTY_READ,
            line_of(at),
        );
        path
    }

    fn tuple_struct_pattern(&mut self, at: Syntax<'t>, value: ExprId) {
        let mut variant = ExprId::UNKNOWN;
        let mut place = Some(0u32);
        for kid in self.parts(at) {
            if kid.field == F::Type {
                variant = self.pattern_path(kid.node);
                continue;
            }
            if kid.kind == K::RemainingPattern {
                place = None;
                continue;
            }
            let part = match place {
                Some(index) if variant != ExprId::UNKNOWN => self.b.expr(Expr::Payload {
                    base: value,
                    variant,
                    index,
                }),
                _ => ExprId::UNKNOWN,
            };
            place = place.map(|p| p.saturating_add(1));
            self.pattern(kid.node, part);
        }
    }

    fn struct_pattern(&mut self, at: Syntax<'t>, value: ExprId) {
        let mut variant = ExprId::UNKNOWN;
        for kid in self.kids(at) {
            if kid.field == F::Type {
                variant = self.struct_path(kid.node);
                self.refer(
                    RefTarget::Expr(variant),
                    Relation::REFERENCES,
                    Context::PROPERTY_READ,
                    line_of(kid.node),
                );
                continue;
            }
            if kid.kind != K::FieldPattern {
                continue;
            }
            let Some(name) = self.child(kid.node, F::Name) else {
                continue;
            };
            let field = self.intern(name);
            let part = if variant == ExprId::UNKNOWN {
                ExprId::UNKNOWN
            } else {
                self.b.expr(Expr::PayloadField {
                    base: value,
                    variant,
                    name: field,
                })
            };
            match self.child(kid.node, F::Pattern) {
                Some(inner) => self.pattern(inner, part),
                None => self.local(field, TypeId::UNKNOWN, part),
            }
        }
    }

    /// The struct or variant that a struct expression or pattern names.
    pub(super) fn struct_path(&mut self, at: Syntax<'t>) -> ExprId {
        match self.kind(at) {
            K::ScopedType | K::ScopedIdentifier => self.path(at),
            _ => {
                // Not a value's name: a function of that name is something else.
                let args = match self.kind(at) {
                    K::GenericTurbofish | K::GenericType => {
                        match self.child(at, F::TypeArguments) {
                            Some(args) => self.type_arguments(args),
                            None => crate::model::facts::List::EMPTY,
                        }
                    }
                    _ => crate::model::facts::List::EMPTY,
                };
                let name = self.child(at, F::Type).unwrap_or(at);
                let ty = self.path_type(name, args);
                if ty == TypeId::UNKNOWN {
                    return ExprId::UNKNOWN;
                }
                self.b.expr(Expr::TypeName { ty })
            }
        }
    }
}

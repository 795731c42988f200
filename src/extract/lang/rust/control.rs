//! Blocks and what decides which of them runs; closures.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::Walker;
use crate::ids::LocalNode;
use crate::model::facts::{Expr, ExprId, FunctionFlags, TypeId};
use crate::model::label::Context;

/// How many alternatives of a choice are kept as evidence: all are of one type.
const ALTERNATIVES: usize = 4;

impl<'t> Walker<'t> {
    /// A block; its value is that of its last expression.
    pub(super) fn block(&mut self, at: Syntax<'t>) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let kids = self.all_kids(at);
        let last = kids
            .iter()
            .rev()
            .find(|k| k.node.is_named() && !matches!(k.kind, K::LineComment | K::BlockComment))
            .map(|k| (k.node.id(), k.node));
        let mut result = ExprId::UNKNOWN;
        self.in_scope(|w| {
            w.item_scopes.push(w.scope);
            let mut has_blocks = false;
            w.item_list(&kids, &mut |w, kid, before| {
                if kid.kind == K::Impl {
                    has_blocks = true;
                    return;
                }
                let is_last = last.is_some_and(|(id, _)| id == kid.node.id());
                if !is_last || is_item(kid.kind) {
                    return w.item(kid, before);
                }
                result = w.tail(kid.node, kid.kind);
            });
            if has_blocks {
                w.item_list(&kids, &mut |w, kid, before| {
                    if kid.kind == K::Impl {
                        w.impl_block(kid.node, before);
                    }
                });
            }
            w.item_scopes.pop();
        });
        self.depth -= 1;
        result
    }

    /// The last statement of a block.
    fn tail(&mut self, at: Syntax<'t>, kind: K) -> ExprId {
        if kind == K::ExpressionStatement {
            let value = self.statement_expression(at);
            return if self.text(at).ends_with(';') {
                ExprId::UNKNOWN
            } else {
                value
            };
        }
        self.expression_in(at, Context::RETURN, None)
    }

    /// An expression that stands as a statement.
    pub(super) fn statement_expression(&mut self, at: Syntax<'t>) -> ExprId {
        if self.kind(at) != K::ExpressionStatement {
            return self.expression(at);
        }
        let mut value = ExprId::UNKNOWN;
        for kid in self.kids(at) {
            value = self.expression(kid.node);
        }
        value
    }

    pub(super) fn let_declaration(&mut self, at: Syntax<'t>) {
        let ty = self
            .child(at, F::Type)
            .map_or(TypeId::UNKNOWN, |t| self.ty_in(t, Context::TYPE));
        let value = self.child(at, F::Value).map_or(ExprId::UNKNOWN, |v| {
            self.expression_in(v, Context::ASSIGNMENT, None)
        });
        if let Some(alternative) = self.child(at, F::Alternative) {
            self.block(alternative);
        }
        // What follows sees the new names; what came before saw the old ones.
        self.open();
        if let Some(pattern) = self.child(at, F::Pattern) {
            let written = self.child(at, F::Type).is_some();
            if written && ty != TypeId::UNKNOWN {
                self.typed_pattern(pattern, ty, value);
            } else {
                self.pattern(pattern, value);
            }
        }
    }

    /// `let PATTERN = value` as a condition: its names are seen until the scope around it ends.
    pub(super) fn let_condition(&mut self, at: Syntax<'t>) -> ExprId {
        let value = self
            .child(at, F::Value)
            .map_or(ExprId::UNKNOWN, |v| self.expression(v));
        self.open();
        if let Some(pattern) = self.child(at, F::Pattern) {
            self.pattern(pattern, value);
        }
        ExprId::UNKNOWN
    }

    fn condition(&mut self, at: Syntax<'t>) {
        match self.kind(at) {
            K::LetChain => {
                for kid in self.kids(at) {
                    self.condition(kid.node);
                }
            }
            K::LetCondition => {
                self.let_condition(at);
            }
            _ => {
                self.expression(at);
            }
        }
    }

    /// `if`, with all that follows it by `else if`: a ladder is no nesting.
    pub(super) fn if_expression(&mut self, at: Syntax<'t>) -> ExprId {
        let mut values = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next.take() {
            self.in_scope(|w| {
                if let Some(condition) = w.child(at, F::Condition) {
                    w.condition(condition);
                }
                if let Some(body) = w.child(at, F::Consequence) {
                    let value = w.block(body);
                    if values.len() < ALTERNATIVES {
                        values.push(value);
                    }
                }
            });
            let Some(clause) = self.child(at, F::Alternative) else {
                break;
            };
            for kid in self.kids(clause) {
                if kid.kind == K::If {
                    next = Some(kid.node);
                } else {
                    values.push(self.expression(kid.node));
                }
            }
        }
        self.first_known(&values)
    }

    /// A value that is one of several of one type.
    fn first_known(&mut self, values: &[ExprId]) -> ExprId {
        let mut known: Vec<ExprId> = values
            .iter()
            .copied()
            .filter(|v| *v != ExprId::UNKNOWN)
            .collect();
        known.dedup();
        known.truncate(ALTERNATIVES);
        let Some(mut value) = known.pop() else {
            return ExprId::UNKNOWN;
        };
        while let Some(first) = known.pop() {
            value = self.b.expr(Expr::Fallback {
                first,
                second: value,
            });
        }
        value
    }

    pub(super) fn match_expression(&mut self, at: Syntax<'t>) -> ExprId {
        let subject = self
            .child(at, F::Value)
            .map_or(ExprId::UNKNOWN, |v| self.expression(v));
        let Some(body) = self.child(at, F::Body) else {
            return ExprId::UNKNOWN;
        };
        let mut values = Vec::new();
        for arm in self.kids(body) {
            if arm.kind != K::MatchArm {
                continue;
            }
            let value = self.in_scope(|w| {
                if let Some(pattern) = w.child(arm.node, F::Pattern) {
                    w.pattern(pattern, subject);
                    if let Some(guard) = w.child(pattern, F::Condition) {
                        w.condition(guard);
                    }
                }
                match w.child(arm.node, F::Value) {
                    Some(value) => w.expression_in(value, Context::RETURN, None),
                    None => ExprId::UNKNOWN,
                }
            });
            values.push(value);
        }
        self.first_known(&values)
    }

    pub(super) fn while_expression(&mut self, at: Syntax<'t>) -> ExprId {
        self.in_scope(|w| {
            if let Some(condition) = w.child(at, F::Condition) {
                w.condition(condition);
            }
            if let Some(body) = w.child(at, F::Body) {
                w.block(body);
            }
        });
        ExprId::UNKNOWN
    }

    pub(super) fn for_expression(&mut self, at: Syntax<'t>) -> ExprId {
        let base = self
            .child(at, F::Value)
            .map_or(ExprId::UNKNOWN, |v| self.expression(v));
        let element = if base == ExprId::UNKNOWN {
            base
        } else {
            self.b.expr(Expr::Element { base })
        };
        self.in_scope(|w| {
            if let Some(pattern) = w.child(at, F::Pattern) {
                w.pattern(pattern, element);
            }
            if let Some(body) = w.child(at, F::Body) {
                w.block(body);
            }
        });
        ExprId::UNKNOWN
    }

    /// A closure; `argument` is the call and the place where it is an argument.
    pub(super) fn closure(&mut self, at: Syntax<'t>, argument: Option<(ExprId, u32)>) -> ExprId {
        let function = self.b.function(LocalNode::UNIT);
        let context = match argument {
            Some((call, index)) => self.b.expr(Expr::Expected { call, index }),
            None => ExprId::UNKNOWN,
        };
        let mut params: Vec<u32> = Vec::new();
        let mut result = TypeId::UNKNOWN;
        let mut value = ExprId::UNKNOWN;
        let is_async = self.text(at).starts_with("async");
        self.in_scope(|w| {
            if let Some(list) = w.child(at, F::Parameters) {
                for kid in w.parts(list) {
                    let index = u32::try_from(params.len()).unwrap_or(u32::MAX);
                    let param = w.b.expr(Expr::Param { function, index });
                    if kid.kind == K::Parameter {
                        let ty = w
                            .child(kid.node, F::Type)
                            .map_or(TypeId::UNKNOWN, |t| w.ty_in(t, Context::PARAMETER_TYPE));
                        if let Some(pattern) = w.child(kid.node, F::Pattern) {
                            w.typed_pattern(pattern, ty, param);
                        }
                        params.push(ty.0);
                    } else {
                        w.pattern(kid.node, param);
                        params.push(0);
                    }
                }
            }
            if let Some(written) = w.child(at, F::ReturnType) {
                result = w.ty_in(written, Context::RETURN_TYPE);
            }
            if let Some(body) = w.child(at, F::Body) {
                value = w.expression_in(body, Context::RETURN, None);
            }
        });
        let params = self.b.list(&params);
        let returns = if value == ExprId::UNKNOWN {
            crate::model::facts::List::EMPTY
        } else {
            self.b.list(&[value.0])
        };
        if let Some(f) = self.b.function_mut(function) {
            f.params = params;
            f.result = result;
            f.returns = returns;
            f.context = context;
            f.flags = if is_async { FunctionFlags::ASYNC } else { 0 };
        }
        self.b.expr(Expr::Function(function))
    }
}

/// Whether a statement of that kind is an item: it has no value.
fn is_item(kind: K) -> bool {
    matches!(
        kind,
        K::Function
            | K::FunctionSignature
            | K::Struct
            | K::Union
            | K::Enum
            | K::Trait
            | K::Impl
            | K::Mod
            | K::ForeignMod
            | K::Const
            | K::Static
            | K::TypeAlias
            | K::Use
            | K::ExternCrate
            | K::MacroDefinition
            | K::Let
            | K::Empty
            | K::Label
            | K::Error
    )
}

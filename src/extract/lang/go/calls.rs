//! Calls and conversions, which look alike: `link` tells them apart by what the name before the brackets stands for.

use super::file::unquoted;
use super::kinds::{F, K};
use super::statements::is_expression;
use super::walker::Walker;
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeId};
use crate::model::label::{Context, Relation};

impl Walker<'_> {
    /// A call whose callee is `callee`; the cursor is on the callee.
    pub(super) fn call(&mut self, callee: ExprId) -> ExprId {
        let node = self.node();
        let line = u32::try_from(node.end_position().row + 1).unwrap_or(u32::MAX);
        let word = (self.kind() == K::Identifier).then(|| self.text());
        if self.kind() == K::FuncLiteral {
            // `func() {…}()` calls what stands here already.
            self.arguments_after();
            return self.call_of(callee, List::EMPTY, List::EMPTY);
        }
        if !matches!(word, Some("new" | "make")) {
            self.refer(
                RefTarget::Expr(callee),
                Relation::CALLS,
                Context::CALL,
                line,
            );
        }
        let is_env = self.reads_env(callee);
        let instance = std::mem::take(&mut self.instance);
        let mut type_args = List::EMPTY;
        if self.kind() == K::IndexExpression && instance != TypeId::UNKNOWN {
            type_args = self.b.list(&[instance.0]);
        }
        let mut args: Vec<ExprId> = Vec::new();
        while self.cursor.goto_next_sibling() {
            match self.kind() {
                K::TypeArguments => type_args = self.type_arguments(),
                K::ArgumentList => {
                    if is_env {
                        self.env_argument();
                    }
                    args = self.arguments();
                }
                _ => {}
            }
        }
        let first = args.first().copied().unwrap_or_default();
        match word {
            Some("new" | "make") => return first,
            Some("append" | "min" | "max") => {
                // The language's own function yields what it is given; one of the package's is another.
                let args: Vec<u32> = args.iter().map(|a| a.0).collect();
                let args = self.b.list(&args);
                let call = self.call_of(callee, args, type_args);
                return self.b.expr(Expr::Fallback {
                    first: call,
                    second: first,
                });
            }
            _ => {}
        }
        let args: Vec<u32> = args.iter().map(|a| a.0).collect();
        let args = self.b.list(&args);
        self.call_of(callee, args, type_args)
    }

    fn call_of(&mut self, callee: ExprId, args: List, type_args: List) -> ExprId {
        if callee == ExprId::UNKNOWN {
            return callee;
        }
        self.b.expr(Expr::Call {
            callee,
            args,
            type_args,
        })
    }

    fn arguments_after(&mut self) {
        while self.cursor.goto_next_sibling() {
            if self.kind() == K::ArgumentList {
                self.arguments();
            }
        }
    }

    /// The arguments under the cursor.
    fn arguments(&mut self) -> Vec<ExprId> {
        let mut args: Vec<ExprId> = Vec::new();
        self.each_part(|w, kind| match kind {
            K::VariadicArgument => w.each_part(|w, _| args.push(w.expression(Context::ARGUMENT))),
            _ => args.push(w.expression(Context::ARGUMENT)),
        });
        args
    }

    /// Whether a callee is `os.Getenv` or its like.
    fn reads_env(&self, callee: ExprId) -> bool {
        let facts = &self.b.unit.facts;
        let Expr::Member { base, name } = facts.expr(callee) else {
            return false;
        };
        let Expr::Free { name: package } = facts.expr(base) else {
            return false;
        };
        self.os.contains(&package) && matches!(self.b.unit.text(name), "Getenv" | "LookupEnv")
    }

    /// The variable that the first of the arguments under the cursor names.
    fn env_argument(&mut self) {
        let Some(first) = self.node().named_child(0) else {
            return;
        };
        let literal = matches!(
            self.kind_of(first),
            K::InterpretedStringLiteral | K::RawStringLiteral
        );
        let name = unquoted(self.text_of(first));
        if !literal || name.is_empty() || name.contains('\\') {
            return;
        }
        let name = self.b.unit.intern(name);
        let line = self.line();
        self.refer(
            RefTarget::Env(name),
            Relation::READS_ENV,
            Context::PROPERTY_READ,
            line,
        );
    }

    /// `[]byte(x)`, `func(w)(x)`, and `f[A](x)`, which the grammar cannot tell from a conversion.
    pub(super) fn conversion(&mut self) -> ExprId {
        let generic = self
            .child(F::Type)
            .filter(|t| self.kind_of(*t) == K::GenericType);
        let mut ty = TypeId::UNKNOWN;
        let mut callee = ExprId::UNKNOWN;
        let mut type_args = List::EMPTY;
        let mut value = ExprId::UNKNOWN;
        self.each_part(|w, kind| match w.field() {
            F::Type if generic.is_some() => (callee, type_args) = w.instantiated(),
            F::Type => ty = w.ty_in(Context::TYPE),
            F::Operand if is_expression(kind) => value = w.expression(Context::ARGUMENT),
            _ => {}
        });
        if callee == ExprId::UNKNOWN {
            return self.typed(ty);
        }
        let args = self.b.list(&[value.0]);
        self.call_of(callee, args, type_args)
    }

    /// `f[A]` or `p.f[A]` under the cursor, written like a type, as a callee.
    fn instantiated(&mut self) -> (ExprId, List) {
        let line = self.line();
        let mut callee = ExprId::UNKNOWN;
        let mut type_args = List::EMPTY;
        self.each_part(|w, kind| match (w.field(), kind) {
            (F::Type, K::QualifiedType) => {
                let (Some(package), Some(name)) = (w.child(F::Package), w.child(F::Name)) else {
                    return;
                };
                let package = w.b.unit.intern(w.text_of(package));
                let name = w.b.unit.intern(w.text_of(name));
                let base = w.b.name(w.scope, package);
                callee = w.b.member(base, name);
            }
            (F::Type, _) => {
                let name = w.intern();
                callee = w.b.name(w.scope, name);
            }
            (_, K::TypeArguments) => type_args = w.type_arguments(),
            _ => {}
        });
        self.refer(
            RefTarget::Expr(callee),
            Relation::CALLS,
            Context::CALL,
            line,
        );
        (callee, type_args)
    }
}

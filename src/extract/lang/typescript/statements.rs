//! Statements: control flow opens scopes, everything that declares is passed on.

use super::kinds::{F, K};
use super::patterns::Bind;
use super::walker::{Expect, Walker};
use crate::ids::LocalNode;
use crate::model::facts::{Bound, Expr, ExprId, List, TypeExpr, TypeId};
use crate::model::node::Span;

impl<'t> Walker<'t> {
    /// The whole file.
    pub(super) fn file(&mut self) {
        let root = self.node();
        let lines = u32::try_from(root.end_position().row + 1).unwrap_or(u32::MAX);
        self.b.unit.meta.lines = lines;
        let end_byte = u32::try_from(self.source.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.b.unit.node_mut(LocalNode::UNIT) {
            node.span = Span {
                start_line: 1,
                end_line: lines,
                start_byte: 0,
                end_byte,
            };
        }
        self.each_item(|w, kind| w.statement(kind));
    }

    /// Any node that is neither a pattern nor a type: statements by their kind, the rest as expressions.
    pub(super) fn statement(&mut self, kind: K) {
        if !self.deeper() {
            return;
        }
        match kind {
            K::ImportStatement => self.import_statement(),
            K::ExportStatement => self.export_statement(),
            K::ImportAlias => self.import_alias(),
            K::FunctionDeclaration | K::GeneratorFunctionDeclaration | K::FunctionSignature => {
                self.function_declaration();
            }
            K::ClassDeclaration | K::AbstractClassDeclaration => {
                self.class_declaration();
            }
            K::InterfaceDeclaration => self.interface(),
            K::TypeAliasDeclaration => self.type_alias(),
            K::EnumDeclaration => self.enumeration(),
            K::InternalModule | K::Module => self.namespace(),
            K::AmbientDeclaration => self.ambient(),
            K::LexicalDeclaration | K::VariableDeclaration | K::UsingDeclaration => {
                self.variables();
            }
            K::StatementBlock => self.in_block(|w| w.each_item(|w, k| w.statement(k))),
            K::ForStatement => self.in_block(|w| w.each(|w, k| w.statement_if_named(k))),
            K::ForInStatement => self.in_block(Self::for_in),
            K::SwitchBody => self.in_block(|w| w.each(|w, k| w.statement_if_named(k))),
            K::CatchClause => self.in_block(Self::catch),
            K::ReturnStatement => self.return_statement(),
            K::IfStatement => self.if_statement(),
            K::ExpressionStatement => self.each(|w, k| {
                if w.node().is_named() {
                    w.expression_statement(k);
                }
            }),
            K::Comment | K::JsxText => {}
            K::Error => {
                self.errors += 1;
                let top = self.at_top;
                self.each_item(|w, k| w.statement(k));
                self.at_top = top;
            }
            kind if is_expression(kind) => {
                self.expression(&Expect::Nothing);
            }
            // Control flow and whatever the grammar has besides: its parts.
            _ => {
                let top = std::mem::replace(&mut self.at_top, false);
                self.each(|w, k| w.statement_if_named(k));
                self.at_top = top;
            }
        }
        self.depth -= 1;
    }

    /// The same, where tokens stand between the parts.
    pub(super) fn statement_if_named(&mut self, kind: K) {
        if self.node().is_named() {
            self.statement(kind);
        } else if self.node().is_missing() {
            self.errors += 1;
        }
    }

    fn expression_statement(&mut self, kind: K) {
        // In a file that is no module, `foo` alone is no evidence of a use; calls and assignments are.
        if kind == K::SequenceExpression {
            self.each(|w, k| {
                if w.node().is_named() {
                    w.expression_statement(k);
                }
            });
            return;
        }
        self.expression(&Expect::Nothing);
    }

    fn return_statement(&mut self) {
        self.each(|w, _| {
            if w.node().is_named() && w.kind() != K::Comment {
                let value = w.returned(&Expect::Nothing);
                w.returns.push(value.0);
            }
        });
    }

    /// A returned value: functions of a returned object are nodes of the function that returns it.
    pub(super) fn returned(&mut self, expect: &Expect<'_>) -> ExprId {
        let written = Expect::Like(self.result);
        let expect = if self.result == ExprId::UNKNOWN {
            expect
        } else {
            &written
        };
        if self.kind() == K::ParenthesizedExpression {
            let mut value = ExprId::UNKNOWN;
            self.each(|w, k| {
                if w.node().is_named() && k != K::Comment {
                    value = w.returned(expect);
                }
            });
            return value;
        }
        if self.kind() == K::Object {
            return self.object_of(super::walker::Members::Of(self.owner), expect);
        }
        self.expression_in(expect, crate::model::label::Context::RETURN)
    }

    /// `if … else if … else`: a ladder is walked in a loop, so that its steps do not count as nesting.
    fn if_statement(&mut self) {
        let top = std::mem::replace(&mut self.at_top, false);
        let mut levels = 0;
        while self.if_step() {
            levels += 2;
        }
        for _ in 0..levels {
            self.cursor.goto_parent();
        }
        self.at_top = top;
    }

    /// One step of a ladder; whether the cursor went on to the next one.
    fn if_step(&mut self) -> bool {
        let condition = self.child(F::Condition);
        if !self.cursor.goto_first_child() {
            return false;
        }
        loop {
            let kind = self.kind();
            match (self.field(), condition) {
                (F::Consequence, Some(condition)) => {
                    self.narrowed(condition, |w| w.statement(kind));
                }
                (F::Alternative, _) if self.enter_else_if() => return true,
                _ => self.statement_if_named(kind),
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        false
    }

    /// Goes from an `else` to the `if` that it holds.
    fn enter_else_if(&mut self) -> bool {
        if !self.cursor.goto_first_child() {
            return false;
        }
        loop {
            if self.kind() == K::IfStatement {
                return true;
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        false
    }

    /// Runs `visit` where a condition holds: after `x instanceof C`, `x` is an instance of `C`.
    pub(super) fn narrowed(
        &mut self,
        condition: tree_sitter::Node<'_>,
        visit: impl FnOnce(&mut Self),
    ) {
        let mut found = Vec::new();
        self.instances(condition, 0, &mut found);
        if found.is_empty() {
            visit(self);
            return;
        }
        self.in_block(|w| {
            for (name, class) in found {
                let mut value = ExprId::UNKNOWN;
                for (i, part) in class.split('.').enumerate() {
                    let part = w.b.unit.intern(part.trim());
                    value = if i == 0 {
                        w.b.name(w.scope, part)
                    } else {
                        w.b.member(value, part)
                    };
                }
                let ty = w.b.ty(TypeExpr::Instance {
                    class: value,
                    args: List::EMPTY,
                });
                let name = w.b.unit.intern(name);
                w.bind_local(w.scope, name, ty, ExprId::UNKNOWN);
            }
            visit(w);
        });
    }

    fn instances<'a>(
        &self,
        condition: tree_sitter::Node<'_>,
        depth: u32,
        found: &mut Vec<(&'a str, &'a str)>,
    ) where
        't: 'a,
    {
        if depth > 8 {
            return;
        }
        match self.kind_of(condition) {
            K::ParenthesizedExpression => {
                if let Some(inner) = condition.named_child(0) {
                    self.instances(inner, depth + 1, found);
                }
            }
            K::BinaryExpression => {
                let (Some(left), Some(operator), Some(right)) =
                    (condition.child(0), condition.child(1), condition.child(2))
                else {
                    return;
                };
                match self.kind_of(operator) {
                    K::AndAnd => {
                        self.instances(left, depth + 1, found);
                        self.instances(right, depth + 1, found);
                    }
                    K::Instanceof
                        if self.kind_of(left) == K::Identifier
                            && matches!(
                                self.kind_of(right),
                                K::Identifier | K::MemberExpression
                            ) =>
                    {
                        found.push((self.text_of(left), self.text_of(right)));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// `for (const x of xs)`: the variable takes the elements.
    fn for_in(&mut self) {
        let slot = self.b.expr(Expr::Unknown);
        let mut declares = None;
        let mut of = false;
        self.each(|w, kind| match w.field() {
            F::Kind => {
                declares = Some(if kind == K::Var { w.var_scope } else { w.scope });
            }
            F::Left => match declares {
                Some(scope) => w.pattern(slot, Bind::local(scope)),
                None => {
                    if w.node().is_named() {
                        w.expression(&Expect::Nothing);
                    }
                }
            },
            F::Operator => of = kind == K::Of,
            F::Right => {
                let base = w.expression(&Expect::Nothing);
                if of && base != ExprId::UNKNOWN {
                    w.b.set_expr(slot, Expr::Element { base });
                }
            }
            F::Body => w.statement(kind),
            _ => {}
        });
    }

    fn catch(&mut self) {
        self.each(|w, kind| match w.field() {
            F::Parameter => {
                let bind = Bind::local(w.scope);
                w.pattern(ExprId::UNKNOWN, bind);
            }
            F::Type => {
                w.type_annotation(crate::model::label::Context::TYPE);
            }
            _ => w.statement_if_named(kind),
        });
    }

    /// Binds a plain name to a local.
    pub(super) fn bind_local(
        &mut self,
        scope: crate::extract::builder::ScopeId,
        name: crate::ids::StrId,
        ty: TypeId,
        value: ExprId,
    ) -> crate::model::facts::BindingId {
        let bound = Bound::Local { ty, value };
        self.b
            .bind(scope, name, crate::model::facts::Space::Value, bound)
    }
}

/// Whether a node of this kind is an expression.
pub(super) fn is_expression(kind: K) -> bool {
    let (from, to) = (K::Identifier as u8, K::Decorator as u8);
    (from..=to).contains(&(kind as u8))
}

//! Statements.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::model::label::Context;

impl Walker<'_> {
    /// Any node that is neither a type nor a list: statements by their kind, the rest as expressions.
    pub(super) fn statement(&mut self, kind: K) {
        if !self.deeper() {
            return;
        }
        match kind {
            K::FunctionDeclaration => self.function_declaration(),
            K::MethodDeclaration => self.method_declaration(),
            K::TypeDeclaration => self.type_declaration(),
            K::ConstDeclaration => self.const_declaration(),
            K::VarDeclaration => self.var_declaration(),
            K::Block => self.in_block(Self::statements),
            K::ShortVarDeclaration => self.short_var_declaration(),
            K::AssignmentStatement => self.assignment(),
            K::ReturnStatement => self.each_part(|w, kind| {
                if kind == K::ExpressionList {
                    w.each_part(|w, _| {
                        w.expression(Context::RETURN);
                    });
                }
            }),
            K::IfStatement => self.in_block(Self::if_statement),
            K::ForStatement => self.in_block(Self::for_statement),
            K::ExpressionSwitchStatement | K::SelectStatement => {
                self.in_block(|w| w.each_part(|w, kind| w.statement(kind)));
            }
            K::ExpressionCase | K::DefaultCase | K::CommunicationCase => {
                self.in_block(|w| w.each_part(|w, kind| w.statement(kind)));
            }
            K::TypeSwitchStatement => self.in_block(Self::type_switch),
            K::ReceiveStatement => self.receive_statement(),
            kind if is_expression(kind) => {
                self.expression(Context::PROPERTY_READ);
            }
            K::TypeIdentifier | K::FieldDeclarationList | K::ParameterList => {}
            _ => self.statements(),
        }
        self.shallower();
    }

    /// The statements under the cursor, in the current block.
    pub(super) fn statements(&mut self) {
        self.each_part(|w, kind| match kind {
            // Lists are no level of their own.
            K::StatementList => w.each_part(|w, kind| w.statement(kind)),
            kind => w.statement(kind),
        });
    }

    /// `if … else if … else …`: a chain of any length is one level.
    fn if_statement(&mut self) {
        let mut levels = 0;
        loop {
            let mut more = false;
            if !self.cursor.goto_first_child() {
                break;
            }
            loop {
                let kind = self.kind();
                if self.field() == F::Alternative && kind == K::IfStatement {
                    more = true;
                    break;
                }
                if kind != K::Comment && self.node().is_named() {
                    self.statement(kind);
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            if more {
                levels += 1;
                continue;
            }
            self.cursor.goto_parent();
            break;
        }
        for _ in 0..levels {
            self.cursor.goto_parent();
        }
    }

    fn for_statement(&mut self) {
        self.each_part(|w, kind| match kind {
            K::RangeClause => w.range_clause(),
            K::Other => w.each_part(|w, kind| w.statement(kind)),
            kind => w.statement(kind),
        });
    }
}

/// Whether a kind is one of an expression.
pub(super) fn is_expression(kind: K) -> bool {
    kind as u8 >= K::Identifier as u8 && (kind as u8) < K::Arrow as u8
}

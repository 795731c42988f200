//! Statements: blocks, locals, loops, results.

use super::flat::Id;
use super::kinds::{Field, Role};
use super::walker::Walker;
use crate::model::facts::{Expr, ExprId, TypeId};
use crate::model::label::Context;

impl Walker<'_> {
    /// Statements with a scope of their own.
    pub(super) fn block(&mut self, id: Id) {
        let mark = self.open_scope();
        self.items(id);
        self.close_scopes(mark);
    }

    /// Locals of one type.
    pub(super) fn local(&mut self, id: Id) {
        let mut ty = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            match (self.flat.role(child), self.flat.field(child)) {
                (Role::Modifiers, _) => self.annotations(child),
                (_, Field::Type) => ty = self.ty(child, Context::TYPE),
                (Role::Declarator, _) => self.local_declarator(child, ty),
                (Role::Comment | Role::Modifier, _) => {}
                _ => {
                    self.visit(child);
                }
            }
        }
    }

    fn local_declarator(&mut self, id: Id, ty: TypeId) {
        let value = self.declared_value(id);
        let value = value.map_or(ExprId::UNKNOWN, |v| self.initial(v, ty));
        if let Some(name) = self.flat.child(id, Field::Name) {
            let name = self.intern(name);
            self.declare(name, ty, value);
        }
    }

    /// `from x in xs`, `let y = v`: a name for what follows in a query.
    pub(super) fn clause(&mut self, id: Id) {
        let mut name = self.flat.child(id, Field::Name);
        let from = name.is_some();
        let mut ty = TypeId::UNKNOWN;
        let mut value = ExprId::UNKNOWN;
        for child in self.flat.children(id) {
            if Some(child) == name {
                continue;
            }
            if self.flat.field(child) == Field::Type {
                ty = self.ty(child, Context::TYPE);
            } else if name.is_none() && self.flat.role(child) == Role::Name {
                name = Some(child);
            } else {
                value = self.visit(child);
            }
        }
        if from && value != ExprId::UNKNOWN {
            value = self.b.expr(Expr::Element { base: value });
        }
        if let Some(name) = name {
            let name = self.intern(name);
            self.declare(name, ty, value);
        }
    }

    /// A local inside a pattern, a `catch` or a resource: its type, its name, perhaps its value.
    pub(super) fn pattern_local(&mut self, id: Id) {
        let mut ty = TypeId::UNKNOWN;
        let mut name = None;
        let mut value = ExprId::UNKNOWN;
        for child in self.flat.children(id) {
            match (self.flat.role(child), self.flat.field(child)) {
                (Role::Modifiers, _) => self.annotations(child),
                (_, Field::Type) => ty = self.ty(child, Context::TYPE),
                (role, _) if role.is_type() => ty = self.ty(child, Context::TYPE),
                (_, Field::Value) => value = self.value(child, Context::ASSIGNMENT),
                (_, Field::Name) | (Role::Name, _) => name = Some(child),
                _ => {
                    self.visit(child);
                }
            }
        }
        if let Some(name) = name {
            let name = self.intern(name);
            self.declare(name, ty, value);
        }
    }

    /// A loop over a collection.
    pub(super) fn for_each(&mut self, id: Id) {
        let mark = self.open_scope();
        let mut ty = TypeId::UNKNOWN;
        let mut name = None;
        for child in self.flat.children(id) {
            match self.flat.field(child) {
                Field::Type => ty = self.ty(child, Context::TYPE),
                Field::Name | Field::Left if self.flat.role(child) == Role::Name => {
                    name = Some(self.intern(child));
                }
                Field::Value | Field::Right => {
                    let base = self.visit(child);
                    let value = match base {
                        ExprId::UNKNOWN => base,
                        base => self.b.expr(Expr::Element { base }),
                    };
                    if let Some(name) = name {
                        self.declare(name, ty, value);
                    }
                }
                _ => {
                    self.visit(child);
                }
            }
        }
        self.close_scopes(mark);
    }

    /// `return x`
    pub(super) fn returned(&mut self, id: Id) {
        for child in self.flat.children(id) {
            if self.flat.role(child) == Role::Comment {
                continue;
            }
            let value = self.value(child, Context::RETURN);
            if value != ExprId::UNKNOWN {
                self.returns.push(value.0);
            }
        }
    }

    /// `name: statement`: the name is none of the program.
    pub(super) fn labeled(&mut self, id: Id) {
        for child in self.flat.children(id).skip(1) {
            self.visit(child);
        }
    }
}

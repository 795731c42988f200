//! Calls, constructions, lambdas and names of methods that are passed on.

use super::flat::Id;
use super::kinds::{Field, Role};
use super::walker::Walker;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

impl Walker<'_> {
    /// `f(…)`, `a.f(…)`
    pub(super) fn call(&mut self, id: Id) -> ExprId {
        let mut base = None;
        let mut name = None;
        let mut args = List::EMPTY;
        let mut type_args = List::EMPTY;
        for child in self.flat.children(id) {
            match (self.flat.field(child), self.flat.role(child)) {
                (Field::Object, _) => base = Some(self.receiver(child)),
                (Field::Name, _) => name = Some(child),
                (Field::Args, _) | (_, Role::Args) => args = self.arguments(child),
                (_, Role::TypeArgs) => type_args = self.type_arguments(child),
                // `Outer.super.f()`
                (_, Role::Super) => base = Some(self.base_value()),
                _ => {}
            }
        }
        let Some(name) = name else {
            return ExprId::UNKNOWN;
        };
        let line = self.line(name);
        let name = self.intern(name);
        let callee = match base {
            Some(base) => self.b.member(base, name),
            None => self.bare_callee(name),
        };
        self.called(callee, args, type_args, line)
    }

    /// A call whose callee is an expression of its own.
    pub(super) fn invocation(&mut self, id: Id) -> ExprId {
        let function = self.flat.child(id, Field::Function);
        let args = self.flat.child(id, Field::Args);
        let Some(function) = function else {
            self.each(id);
            return ExprId::UNKNOWN;
        };
        let (callee, type_args, line) = self.callee(function);
        let args = args.map_or(List::EMPTY, |a| self.arguments(a));
        self.called(callee, args, type_args, line)
    }

    /// What is called, with its written type arguments and the line of its name.
    pub(super) fn callee(&mut self, id: Id) -> (ExprId, List, u32) {
        match self.flat.role(id) {
            Role::Name | Role::GenericType => {
                let line = self.line(id);
                let (name, type_args) = self.simple_name(id);
                (self.bare_callee(name), type_args, line)
            }
            Role::Member => {
                let object = self.flat.child(id, Field::Object);
                let name = self.flat.child(id, Field::Name);
                let (Some(object), Some(name)) = (object, name) else {
                    return (ExprId::UNKNOWN, List::EMPTY, self.line(id));
                };
                let base = self.receiver(object);
                let line = self.line(name);
                let (name, type_args) = self.simple_name(name);
                (self.b.member(base, name), type_args, line)
            }
            Role::Binding => {
                let line = self.line(id);
                let before = self.before;
                let name = self.flat.child(id, Field::Name);
                let (name, type_args) = match name {
                    Some(name) => self.simple_name(name),
                    None => (StrId::EMPTY, List::EMPTY),
                };
                (self.b.member(before, name), type_args, line)
            }
            Role::Conditionally => {
                let outer = self.before;
                let mut found = (ExprId::UNKNOWN, List::EMPTY, self.line(id));
                for child in self.flat.children(id) {
                    if self.flat.field(child) == Field::Condition {
                        self.before = self.receiver(child);
                    } else {
                        found = self.callee(child);
                    }
                }
                self.before = outer;
                found
            }
            _ => {
                let line = self.line(id);
                (self.visit(id), List::EMPTY, line)
            }
        }
    }

    /// `new(…)`: the type is the one that is written beside the name.
    pub(super) fn implicit_construction(&mut self, id: Id) -> ExprId {
        let ty = std::mem::take(&mut self.wanted);
        let mut args = List::EMPTY;
        let mut initializer = None;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Args => args = self.arguments(child),
                Role::Initializer => initializer = Some(child),
                _ => {}
            }
        }
        let line = self.line(id);
        let value = self.constructed(ty, args, line);
        if let Some(initializer) = initializer {
            self.initializer(initializer, value);
        }
        value
    }

    /// What a bare name means that is called.
    pub(super) fn bare_callee(&mut self, name: StrId) -> ExprId {
        let (scope, node) = (self.scope, self.name_owner());
        if self.spec.methods_apart {
            return self.b.expr(Expr::Implied { node, name });
        }
        self.b.implied(scope, node, name)
    }

    /// A call with what refers to its callee.
    pub(super) fn called(
        &mut self,
        callee: ExprId,
        args: List,
        type_args: List,
        line: u32,
    ) -> ExprId {
        if callee == ExprId::UNKNOWN {
            return callee;
        }
        let call = self.b.expr(Expr::Call {
            callee,
            args,
            type_args,
        });
        // A lambda among the arguments takes what the callee hands it.
        let given = self.b.unit.facts.list(args).to_vec();
        for (index, arg) in (0u32..).zip(given) {
            if let Expr::Function(function) = self.b.unit.facts.expr(ExprId(arg)) {
                let context = self.b.expr(Expr::Expected { call, index });
                if let Some(f) = self.b.function_mut(function) {
                    f.context = context;
                }
            }
        }
        let target = RefTarget::Expr(call);
        self.refer(target, Relation::CALLS, Context::CALL, line);
        call
    }

    /// `new T(…)`, with a body or without one.
    pub(super) fn construction(&mut self, id: Id) -> ExprId {
        let line = self.line(id);
        let owner = self.owner;
        let mut ty = TypeId::UNKNOWN;
        let mut args = List::EMPTY;
        let mut named = None;
        let mut body = None;
        let mut initializer = None;
        for child in self.flat.children(id) {
            match (self.flat.field(child), self.flat.role(child)) {
                (Field::Type, _) => {
                    ty = self.type_named(child, owner, Context::GENERIC_ARG);
                    named = Some(child);
                }
                (Field::Args, _) | (_, Role::Args) => args = self.arguments(child),
                (_, Role::Name | Role::ScopedName) if ty == TypeId::UNKNOWN => {
                    ty = self.type_named(child, owner, Context::GENERIC_ARG);
                    named = Some(child);
                }
                (_, Role::Anonymous) => return self.visit(child),
                (_, Role::Body) => body = Some(child),
                (_, Role::Initializer) => initializer = Some(child),
                (_, Role::Annotation) => self.annotation(child),
                _ => {
                    self.visit(child);
                }
            }
        }
        let value = self.constructed(ty, args, line);
        if let Some(initializer) = initializer {
            self.initializer(initializer, value);
        }
        if let (Some(body), Some(named)) = (body, named) {
            return self.anonymous(body, named, ty);
        }
        value
    }

    /// An instance of a written type, with what refers to its construction.
    pub(super) fn constructed(&mut self, ty: TypeId, args: List, line: u32) -> ExprId {
        if ty == TypeId::UNKNOWN || self.b.unit.facts.ty(ty) == TypeExpr::Builtin {
            return ExprId::UNKNOWN;
        }
        let class = self.b.expr(Expr::Typed { ty });
        let new = self.b.expr(Expr::New {
            class,
            args,
            type_args: List::EMPTY,
        });
        let target = RefTarget::Expr(new);
        self.refer(target, Relation::CALLS, Context::CONSTRUCTOR, line);
        new
    }

    /// A type without a name that extends `ty`: a node named after it.
    pub(super) fn anonymous(&mut self, body: Id, named: Id, ty: TypeId) -> ExprId {
        let text = self.text(named);
        let base = text.split(['<', '(']).next().unwrap_or(text);
        let base = base.rsplit(self.spec.separator).next().unwrap_or(base);
        let name = format!("{}$", base.trim());
        let local = std::mem::replace(&mut self.in_function, true);
        let node = self.define(
            &name,
            NodeKind::CLASS,
            body,
            Some(body),
            NodeFlags::default(),
        );
        self.in_function = local;
        let line = self.line(named);
        let relation = Relation::INHERITS;
        self.b
            .reference(node, RefTarget::Type(ty), relation, Context::BASE, line);
        self.add_bases(node, &[u32::from(relation.0), ty.0]);
        let around = self.enter(node);
        self.class = node;
        self.in_function = false;
        self.in_static = false;
        self.items(body);
        self.leave(around);
        self.b.expr(Expr::This {
            node,
            of_type: false,
        })
    }

    /// `this(…)`, `super(…)`
    pub(super) fn constructor_call(&mut self, id: Id) -> ExprId {
        let mut callee = ExprId::UNKNOWN;
        let mut args = List::EMPTY;
        for child in self.flat.children(id) {
            match (self.flat.field(child), self.flat.role(child)) {
                (_, Role::This) => callee = self.this(),
                (_, Role::Super) => callee = self.base_value(),
                (Field::Args, _) | (_, Role::Args) => args = self.arguments(child),
                _ => {
                    self.visit(child);
                }
            }
        }
        let line = self.line(id);
        self.called(callee, args, List::EMPTY, line)
    }

    /// `a::m`, `T::new`
    pub(super) fn method_reference(&mut self, id: Id) -> ExprId {
        let line = self.line(id);
        let mut base = None;
        let mut name = None;
        for child in self.flat.children(id) {
            match (base, self.flat.role(child)) {
                (_, Role::TypeArgs | Role::Comment) => {}
                (None, _) => base = Some(child),
                (Some(_), Role::Name) => name = Some(child),
                _ => {}
            }
        }
        let Some(base) = base else {
            return ExprId::UNKNOWN;
        };
        if name.is_none() && self.flat.role(base) == Role::Name && self.text(id).starts_with("::") {
            return self.value(base, Context::ARGUMENT);
        }
        let Some(name) = name else {
            // A constructor that is passed on.
            let owner = self.owner;
            let ty = self.type_named(base, owner, Context::GENERIC_ARG);
            self.refer(
                RefTarget::Type(ty),
                Relation::REFERENCES,
                Context::ARGUMENT,
                line,
            );
            return ExprId::UNKNOWN;
        };
        let base = self.receiver(base);
        let name = self.intern(name);
        let value = self.b.member(base, name);
        self.read_reference(value, Context::ARGUMENT, line);
        value
    }

    /// A function without a name.
    pub(super) fn lambda(&mut self, id: Id) -> ExprId {
        let function = self.b.function(LocalNode::UNIT);
        let returns = std::mem::take(&mut self.returns);
        let mark = self.open_scope();
        for child in self.flat.children(id) {
            match (self.flat.role(child), self.flat.field(child)) {
                (Role::Params, _) => self.parameters(child, function),
                (Role::Name, Field::Params) => {
                    let name = self.intern(child);
                    let value = self.b.expr(Expr::Param { function, index: 0 });
                    self.declare(name, TypeId::UNKNOWN, value);
                    let list = self.b.list(&[TypeId::UNKNOWN.0]);
                    if let Some(f) = self.b.function_mut(function) {
                        f.params = list;
                    }
                }
                (_, Field::Body) => self.function_body(child),
                _ => {
                    self.visit(child);
                }
            }
        }
        self.complete_function(function, TypeId::UNKNOWN);
        self.close_scopes(mark);
        self.returns = returns;
        self.b.expr(Expr::Function(function))
    }
}

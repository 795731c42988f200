//! What stands anywhere in a file: declarations and statements by their role, and expressions as evidence.

use super::flat::Id;
use super::kinds::{Field, Role};
use super::walker::Walker;
use crate::ids::LocalNode;
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeId};
use crate::model::label::{Context, NodeKind, Relation};

impl Walker<'_> {
    /// Reads whatever stands at `id`. What it is as a value, where it is one.
    pub(super) fn visit(&mut self, id: Id) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.visit_now(id);
        self.higher();
        value
    }

    /// The value of a part that stands in a position of its own.
    pub(super) fn value(&mut self, id: Id, context: Context) -> ExprId {
        self.read_context = context;
        let value = self.visit(id);
        self.read_context = Context::PROPERTY_READ;
        value
    }

    fn visit_now(&mut self, id: Id) -> ExprId {
        let context = std::mem::replace(&mut self.read_context, Context::PROPERTY_READ);
        match self.flat.role(id) {
            Role::Package => self.package(id),
            Role::Import => self.import(id),
            Role::Class => self.type_declaration(id, NodeKind::CLASS),
            Role::Interface => self.type_declaration(id, NodeKind::INTERFACE),
            Role::Enum => self.type_declaration(id, NodeKind::ENUM),
            Role::Record => self.type_declaration(id, NodeKind::STRUCT),
            Role::Body => self.items(id),
            Role::Method => self.method(id),
            Role::Constructor => self.constructor(id),
            Role::Field => self.field(id),
            Role::EnumMember => self.enum_member(id),
            Role::Modifiers => self.annotations(id),
            Role::Annotation => self.annotation(id),
            Role::Local => self.local(id),
            Role::PatternLocal => self.pattern_local(id),
            Role::ForEach => self.for_each(id),
            Role::Block => self.block(id),
            Role::Return => self.returned(id),
            Role::Labeled => self.labeled(id),
            Role::Error => {
                self.errors += 1;
                self.items(id);
            }
            Role::Comment | Role::Skip => {}
            role if role.is_type() => {
                self.ty(id, Context::TYPE);
            }
            _ => return self.expression(id, context),
        }
        ExprId::UNKNOWN
    }

    fn expression(&mut self, id: Id, context: Context) -> ExprId {
        match self.flat.role(id) {
            Role::Name => self.name(id, context),
            Role::This => self.this(),
            Role::Super => self.base_value(),
            Role::Call => self.call(id),
            Role::New => self.construction(id),
            Role::ConstructorCall => self.constructor_call(id),
            Role::Member => self.member_read(id, context),
            Role::ScopedName => {
                let value = self.scoped(id);
                self.read_reference(value, context, self.line(id));
                value
            }
            Role::MethodRef => self.method_reference(id),
            Role::Lambda => self.lambda(id),
            Role::Paren => self.inside(id, context),
            Role::Conditional => self.conditional(id),
            Role::Assign => self.assignment(id),
            Role::Binary => self.operands(id),
            Role::Cast => self.cast(id),
            Role::InstanceOf => self.instance_of(id),
            Role::Index => self.index(id),
            Role::NamedArgument => self.named_argument(id),
            Role::Text => {
                self.each(id);
                self.b.builtin()
            }
            Role::Literal => self.b.builtin(),
            Role::Null => ExprId::UNKNOWN,
            _ => {
                self.each(id);
                ExprId::UNKNOWN
            }
        }
    }

    /// Reads all parts for what they name.
    pub(super) fn each(&mut self, id: Id) {
        for child in self.flat.children(id) {
            self.visit(child);
        }
    }

    /// The one value inside brackets, or of a statement.
    fn inside(&mut self, id: Id, context: Context) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::Comment {
                value = self.value(child, context);
            }
        }
        value
    }

    /// A name that is read.
    fn name(&mut self, id: Id, context: Context) -> ExprId {
        let name = self.intern(id);
        let line = self.line(id);
        let (scope, owner) = (self.scope, self.owner);
        self.b.read_implied(scope, name, owner, line, context);
        self.b.implied(scope, owner, name)
    }

    /// A value before a dot: naming it is no reading of its own.
    pub(super) fn receiver(&mut self, id: Id) -> ExprId {
        match self.flat.role(id) {
            Role::Name | Role::TypeName => {
                let name = self.intern(id);
                let (scope, owner) = (self.scope, self.owner);
                self.b.implied(scope, owner, name)
            }
            Role::Member => self.member(id),
            Role::ScopedName | Role::ScopedType => self.scoped(id),
            _ => self.visit(id),
        }
    }

    pub(super) fn this(&mut self) -> ExprId {
        if self.class == LocalNode::UNIT {
            return ExprId::UNKNOWN;
        }
        let (node, of_type) = (self.class, self.in_static);
        self.b.expr(Expr::This { node, of_type })
    }

    pub(super) fn base_value(&mut self) -> ExprId {
        if self.class == LocalNode::UNIT {
            return ExprId::UNKNOWN;
        }
        let (node, of_type) = (self.class, self.in_static);
        self.b.expr(Expr::Super { node, of_type })
    }

    /// `a.b.c` as a value, without references to its parts.
    fn scoped(&mut self, id: Id) -> ExprId {
        let mut value = None;
        for child in self.flat.children(id) {
            let role = self.flat.role(child);
            value = match value {
                None => Some(self.receiver(child)),
                Some(base) if matches!(role, Role::Name | Role::TypeName) => {
                    let name = self.intern(child);
                    Some(self.b.member(base, name))
                }
                known => known,
            };
        }
        value.unwrap_or(ExprId::UNKNOWN)
    }

    /// `a.b` as a value, without a reference to it.
    pub(super) fn member(&mut self, id: Id) -> ExprId {
        let object = self.flat.child(id, Field::Object);
        let name = self.flat.child(id, Field::Name);
        let (Some(object), Some(name)) = (object, name) else {
            self.each(id);
            return ExprId::UNKNOWN;
        };
        // `Outer.this` is an instance of what it names.
        if self.flat.role(name) == Role::This {
            let owner = self.owner;
            let ty = self.type_named(object, owner, Context::GENERIC_ARG);
            return self.b.expr(Expr::Typed { ty });
        }
        let base = self.receiver(object);
        let name = self.intern(name);
        self.b.member(base, name)
    }

    fn member_read(&mut self, id: Id, context: Context) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.member(id);
        let line = self.line(id);
        self.read_reference(value, context, line);
        self.higher();
        value
    }

    /// Notes that a member is read.
    pub(super) fn read_reference(&mut self, value: ExprId, context: Context, line: u32) {
        self.refer(RefTarget::Expr(value), Relation::REFERENCES, context, line);
    }

    fn index(&mut self, id: Id) -> ExprId {
        let mut base = ExprId::UNKNOWN;
        for child in self.flat.children(id) {
            if self.flat.field(child) == Field::Object {
                base = self.visit(child);
            } else {
                self.visit(child);
            }
        }
        if base == ExprId::UNKNOWN {
            return base;
        }
        self.b.expr(Expr::Element { base })
    }

    fn conditional(&mut self, id: Id) -> ExprId {
        let mut branches = Vec::new();
        for child in self.flat.children(id) {
            let value = self.visit(child);
            if matches!(self.flat.field(child), Field::Left | Field::Right) {
                branches.push(value);
            }
        }
        match branches.as_slice() {
            [left, right] => {
                let (left, right) = (*left, *right);
                self.b.expr(Expr::Either { left, right })
            }
            _ => ExprId::UNKNOWN,
        }
    }

    fn assignment(&mut self, id: Id) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        for child in self.flat.children(id) {
            if self.flat.field(child) == Field::Right {
                value = self.value(child, Context::ASSIGNMENT);
            } else {
                self.visit(child);
            }
        }
        value
    }

    /// Operators: long sums nest to the left as deep as they are long, so that side is no recursion.
    fn operands(&mut self, id: Id) -> ExprId {
        let mut at = id;
        loop {
            let mut left = None;
            for child in self.flat.children(at) {
                if left.is_none() && self.flat.role(child) == Role::Binary {
                    left = Some(child);
                } else {
                    self.visit(child);
                }
            }
            match left {
                Some(next) => at = next,
                None => return self.b.builtin(),
            }
        }
    }

    fn cast(&mut self, id: Id) -> ExprId {
        let mut ty = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            if ty == TypeId::UNKNOWN && self.flat.field(child) == Field::Type {
                ty = self.ty(child, Context::TYPE);
            } else {
                self.visit(child);
            }
        }
        if ty == TypeId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        self.b.expr(Expr::Typed { ty })
    }

    /// `x instanceof T name`
    fn instance_of(&mut self, id: Id) -> ExprId {
        let mut ty = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            match self.flat.field(child) {
                Field::Right => ty = self.ty(child, Context::TYPE),
                Field::Name => {
                    let name = self.intern(child);
                    self.declare(name, ty, ExprId::UNKNOWN);
                }
                _ => {
                    self.visit(child);
                }
            }
        }
        self.b.builtin()
    }

    fn named_argument(&mut self, id: Id) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        let mut first = true;
        for child in self.flat.children(id) {
            let named = first && self.flat.role(child) == Role::Name;
            first = false;
            if !named {
                value = self.value(child, Context::ARGUMENT);
            }
        }
        value
    }

    /// Arguments of a call, as a list of values.
    pub(super) fn arguments(&mut self, id: Id) -> List {
        let mut args = Vec::new();
        for child in self.flat.children(id) {
            if self.flat.role(child) == Role::Comment {
                continue;
            }
            args.push(self.value(child, Context::ARGUMENT).0);
        }
        self.b.list(&args)
    }
}

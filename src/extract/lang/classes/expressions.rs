//! What stands anywhere in a file: declarations and statements by their role, and expressions as evidence.

use super::flat::Id;
use super::kinds::{Field, Role};
use super::walker::Walker;
use crate::extract::builder::Unbound;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Expr, ExprId, List, RefTarget, TypeId};
use crate::model::label::{Context, Language, NodeKind, Relation};

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
            Role::Namespace => self.namespace(id),
            Role::Import if self.spec.language == Language::SWIFT => self.swift_import(id),
            Role::Import => self.import(id),
            Role::Using => match self.spec.language {
                Language::PHP => self.php_use(id),
                _ => self.using(id),
            },
            Role::Trait => self.type_declaration(id, NodeKind::TRAIT),
            Role::Mixin => self.mixin(id),
            Role::Statements => {
                self.branches += 1;
                self.items(id);
                self.branches -= 1;
            }
            Role::Delegate => self.delegate(id),
            Role::Property => self.property(id),
            Role::Object => self.object(id, ""),
            Role::Companion => self.object(id, "Companion"),
            Role::Function if self.spec.language == Language::SWIFT => self.swift_function(id),
            Role::Function => self.kotlin_function(id),
            Role::FunctionBody => self.kotlin_body(id),
            Role::Variables if self.spec.language == Language::SWIFT => self.swift_variables(id),
            Role::Variables => self.variables(id),
            Role::Pattern => self.pattern(id),
            Role::Guard => self.swift_if(id, true),
            Role::If if self.spec.language == Language::SWIFT => self.swift_if(id, false),
            Role::Alias => self.alias(id),
            Role::For => match self.spec.language {
                Language::PHP => self.php_for_each(id),
                Language::RUBY => self.ruby_for(id),
                Language::SWIFT => self.swift_for(id),
                _ => self.for_loop(id),
            },
            Role::Catch => match self.spec.language {
                Language::PHP => self.php_catch(id),
                Language::RUBY => self.exception_variable(id),
                _ => self.catch(id),
            },
            Role::Constraints => self.constraints(id),
            Role::Clause => self.clause(id),
            Role::Class if self.spec.language == Language::SWIFT => self.swift_type(id),
            Role::Class => {
                let kind = self.class_kind(id);
                self.type_declaration(id, kind);
            }
            Role::Interface => self.type_declaration(id, NodeKind::INTERFACE),
            Role::Enum => self.type_declaration(id, NodeKind::ENUM),
            Role::Record => self.type_declaration(id, NodeKind::STRUCT),
            Role::Body => self.items(id),
            Role::RubyType => self.ruby_type(id),
            Role::Singleton => self.singleton(id),
            Role::Method => match self.spec.language {
                Language::RUBY => self.ruby_method(id),
                _ => self.method(id),
            },
            Role::Constructor => self.constructor(id),
            Role::Field => self.field(id),
            Role::EnumMember if self.spec.language == Language::SWIFT => self.swift_cases(id),
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
            Role::GenericType if self.flat.part(id, Role::Name).is_some() => {
                return self.generic_name(id, context);
            }
            Role::TypeName if self.spec.language == Language::RUBY => {
                return self.ruby_name_of_type(id, context);
            }
            role if role.is_type() => {
                self.ty(id, Context::TYPE);
            }
            _ => return self.expression(id, context),
        }
        ExprId::UNKNOWN
    }

    fn expression(&mut self, id: Id, context: Context) -> ExprId {
        match self.flat.role(id) {
            Role::Name if self.spec.language == Language::RUBY => self.ruby_name(id),
            Role::Name => self.name(id, context),
            Role::This => self.this(),
            Role::Super if self.spec.language == Language::RUBY => {
                let callee = self.super_method();
                let line = self.line(id);
                self.called(callee, List::EMPTY, List::EMPTY, line)
            }
            Role::Super => self.base_value(),
            Role::Call => self.call(id),
            Role::Invocation => self.invocation(id),
            Role::Chained if self.spec.language == Language::RUBY => self.ruby_call(id),
            Role::Chained if self.spec.language == Language::SWIFT => self.swift_call(id),
            Role::Chained => self.chained_call(id),
            Role::Navigation => {
                let value = self.navigation_value(id);
                let line = self.line(id);
                self.read_reference(value, context, line);
                value
            }
            Role::Anonymous => self.object_literal(id),
            Role::Infix => self.infix(id),
            Role::Unary => self.unary(id),
            Role::Subscript => self.subscript(id),
            Role::Argument => self.argument(id),
            Role::Braces if self.spec.language == Language::SWIFT => self.swift_lambda(id),
            Role::Braces => self.kotlin_lambda(id),
            Role::If => self.if_expression(id),
            Role::When => self.when(id),
            Role::Wrap => self.inside(id, context),
            Role::Variable if self.spec.language == Language::RUBY => {
                self.ruby_variable(id, context)
            }
            Role::Variable => self.variable(id),
            Role::AssignLocal if self.spec.language == Language::RUBY => self.ruby_assignment(id),
            Role::AssignLocal => self.assign_local(id),
            Role::RelativeScope => self.relative_scope(id),
            Role::ClassConstant => self.class_constant(id),
            Role::New => self.construction(id),
            Role::ImplicitNew => self.implicit_construction(id),
            Role::Conditionally => self.conditionally(id, context),
            Role::Binding => {
                let value = self.bound_member(id);
                let line = self.line(id);
                self.read_reference(value, context, line);
                value
            }
            Role::Await => {
                let base = self.inside(id, context);
                if base == ExprId::UNKNOWN {
                    return base;
                }
                self.b.expr(Expr::Await { base })
            }
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
            if self.flat.field(child) == Field::Type {
                self.ty(child, Context::TYPE);
            } else {
                self.visit(child);
            }
        }
    }

    /// `F<T>` as a value: a method or a type with its arguments.
    fn generic_name(&mut self, id: Id, context: Context) -> ExprId {
        let (name, _) = self.simple_name(id);
        let line = self.line(id);
        let (scope, owner) = (self.scope, self.owner);
        self.b
            .read_or(scope, name, owner, line, context, Unbound::Implied);
        self.b.implied(scope, owner, name)
    }

    /// A name that may have written type arguments.
    pub(super) fn simple_name(&mut self, id: Id) -> (StrId, List) {
        if self.flat.role(id) != Role::GenericType {
            return (self.intern(id), List::EMPTY);
        }
        let args = match self.flat.part(id, Role::TypeArgs) {
            Some(args) => self.type_arguments(args),
            None => List::EMPTY,
        };
        let name = self.flat.part(id, Role::Name);
        (name.map_or(StrId::EMPTY, |n| self.intern(n)), args)
    }

    /// The one value inside brackets, or of a statement.
    fn inside(&mut self, id: Id, context: Context) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::Comment {
                let inner = self.value(child, context);
                if inner != ExprId::UNKNOWN {
                    value = inner;
                }
            }
        }
        value
    }

    fn navigation_value(&mut self, id: Id) -> ExprId {
        match self.spec.language {
            Language::SWIFT => self.swift_navigation(id),
            _ => self.navigation(id),
        }
    }

    /// A name that is read.
    fn name(&mut self, id: Id, context: Context) -> ExprId {
        match self.text(id) {
            "null" | "nil" => return ExprId::UNKNOWN,
            "Self" if self.spec.language == Language::SWIFT => {
                let outer = std::mem::replace(&mut self.in_static, true);
                let this = self.this();
                self.in_static = outer;
                return this;
            }
            "true" | "false" => return self.b.builtin(),
            _ => {}
        }
        let name = self.intern(id);
        let line = self.line(id);
        let (scope, owner) = (self.scope, self.owner);
        if self.name_owner() != owner {
            let value = self.b.implied(scope, self.name_owner(), name);
            self.read_reference(value, context, line);
            return value;
        }
        self.b
            .read_or(scope, name, owner, line, context, Unbound::Implied);
        self.b.implied(scope, owner, name)
    }

    /// The node whose surroundings a bare name belongs to: members are no bare names everywhere.
    pub(super) fn name_owner(&self) -> LocalNode {
        match self.spec.language {
            Language::PHP => LocalNode::UNIT,
            _ => self.owner,
        }
    }

    /// A value before a dot: naming it is no reading of its own.
    pub(super) fn receiver(&mut self, id: Id) -> ExprId {
        match self.flat.role(id) {
            Role::Name if self.text(id) == "Self" => self.visit(id),
            Role::Name | Role::TypeName => {
                let name = self.intern(id);
                let (scope, owner) = (self.scope, self.owner);
                self.b.implied(scope, owner, name)
            }
            Role::Member => self.member(id),
            Role::Navigation if self.deeper() => {
                let value = self.navigation_value(id);
                self.higher();
                value
            }
            Role::Binding => self.bound_member(id),
            Role::GenericType => {
                let (name, _) = self.simple_name(id);
                let (scope, owner) = (self.scope, self.owner);
                self.b.implied(scope, owner, name)
            }
            Role::ScopedName | Role::ScopedType | Role::UserType => self.scoped(id),
            _ => self.visit(id),
        }
    }

    pub(super) fn this(&mut self) -> ExprId {
        if self.receiver_type != TypeId::UNKNOWN {
            let ty = self.receiver_type;
            return self.b.expr(Expr::Typed { ty });
        }
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
        let (name, _) = self.simple_name(name);
        self.b.member(base, name)
    }

    /// `.b` of the value that stands before it.
    pub(super) fn bound_member(&mut self, id: Id) -> ExprId {
        let base = self.before;
        let Some(name) = self.flat.child(id, Field::Name) else {
            return ExprId::UNKNOWN;
        };
        let (name, _) = self.simple_name(name);
        self.b.member(base, name)
    }

    /// `a?.b`: what stands behind the mark is done with what stands before it.
    fn conditionally(&mut self, id: Id, context: Context) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        let outer = self.before;
        for child in self.flat.children(id) {
            if self.flat.field(child) == Field::Condition {
                self.before = self.receiver(child);
            } else {
                value = self.value(child, context);
            }
        }
        self.before = outer;
        value
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
        let mut base = self.before;
        for child in self.flat.children(id) {
            if self.flat.field(child) == Field::Object {
                base = self.visit(child);
            } else {
                self.visit(child);
            }
        }
        self.keyed(base)
    }

    /// What a collection holds under a key that is not known.
    pub(super) fn keyed(&mut self, base: ExprId) -> ExprId {
        if base == ExprId::UNKNOWN {
            return base;
        }
        let index = u32::MAX;
        self.b.expr(Expr::Index { base, index })
    }

    fn conditional(&mut self, id: Id) -> ExprId {
        let mut branches = Vec::new();
        for child in self.flat.children(id) {
            let value = self.visit(child);
            if matches!(
                self.flat.field(child),
                Field::Left | Field::Right | Field::Body
            ) {
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

    /// The members that a construction sets: names of what is made, not of the surroundings.
    pub(super) fn initializer(&mut self, id: Id, made: ExprId) {
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::Assign {
                self.visit(child);
                continue;
            }
            for part in self.flat.children(child) {
                if self.flat.field(part) == Field::Left && self.flat.role(part) == Role::Name {
                    let name = self.intern(part);
                    let member = self.b.member(made, name);
                    let line = self.line(part);
                    self.read_reference(member, Context::PROPERTY_READ, line);
                } else {
                    self.value(part, Context::ASSIGNMENT);
                }
            }
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
        if self.flat.part(id, Role::Elvis).is_some() {
            return self.or_else(id);
        }
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

    /// `a ?? b`, `a ?: b`
    fn or_else(&mut self, id: Id) -> ExprId {
        let mut values = Vec::new();
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::Elvis {
                values.push(self.value(child, Context::ASSIGNMENT));
            }
        }
        match values.as_slice() {
            [first, second] => {
                let (first, second) = (*first, *second);
                self.b.expr(Expr::Fallback { first, second })
            }
            _ => ExprId::UNKNOWN,
        }
    }

    fn cast(&mut self, id: Id) -> ExprId {
        let mut ty = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            let field = self.flat.field(child);
            let typed =
                matches!(field, Field::Type | Field::Right) || self.flat.role(child).is_type();
            if ty == TypeId::UNKNOWN && typed {
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
        for child in self.flat.children(id) {
            if self.flat.field(child) != Field::Name {
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

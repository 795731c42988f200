//! Ruby: its grammar's kinds and fields, and what only it has.

use super::flat::Id;
use super::kinds::{Field, Role, Spec};
use super::walker::Walker;
use crate::extract::builder::Unbound;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Expr, ExprId, Import, Imported, List, RefTarget, TypeId};
use crate::model::label::{Context, Language, NodeKind, Relation};
use crate::model::node::NodeFlags;

/// Ruby.
pub(super) static SPEC: Spec = Spec {
    language: Language::RUBY,
    separator: ':',
    methods_apart: false,
    kinds: &[
        ("comment", Role::Comment),
        ("module", Role::RubyType),
        ("class", Role::RubyType),
        ("singleton_class", Role::Singleton),
        ("superclass", Role::Extends),
        ("method", Role::Method),
        ("singleton_method", Role::Method),
        ("body_statement", Role::Statements),
        ("block_body", Role::Statements),
        ("then", Role::Statements),
        ("else", Role::Statements),
        ("do", Role::Statements),
        ("method_parameters", Role::Params),
        ("block_parameters", Role::Params),
        ("lambda_parameters", Role::Params),
        ("optional_parameter", Role::Param),
        ("keyword_parameter", Role::Param),
        ("splat_parameter", Role::RestParam),
        ("hash_splat_parameter", Role::RestParam),
        ("block_parameter", Role::Skip),
        ("forward_parameter", Role::Skip),
        ("identifier", Role::Name),
        ("constant", Role::TypeName),
        ("scope_resolution", Role::ScopedName),
        ("instance_variable", Role::Variable),
        ("class_variable", Role::Variable),
        ("global_variable", Role::Skip),
        ("self", Role::This),
        ("super", Role::Super),
        ("call", Role::Chained),
        ("argument_list", Role::Args),
        ("pair", Role::NamedArgument),
        ("block", Role::Lambda),
        ("do_block", Role::Lambda),
        ("lambda", Role::Lambda),
        ("element_reference", Role::Index),
        ("parenthesized_statements", Role::Paren),
        ("conditional", Role::Conditional),
        ("assignment", Role::AssignLocal),
        ("operator_assignment", Role::AssignLocal),
        ("binary", Role::Binary),
        ("string", Role::Text),
        ("subshell", Role::Text),
        ("heredoc_body", Role::Text),
        ("regex", Role::Text),
        ("simple_symbol", Role::Literal),
        ("hash_key_symbol", Role::Literal),
        ("integer", Role::Literal),
        ("float", Role::Literal),
        ("true", Role::Literal),
        ("false", Role::Literal),
        ("nil", Role::Null),
        ("exception_variable", Role::Catch),
        ("for", Role::For),
        ("return", Role::Return),
        ("alias", Role::Skip),
        ("undef", Role::Skip),
    ],
    fields: &[
        ("name", Field::Name),
        ("key", Field::Name),
        ("body", Field::Body),
        ("value", Field::Value),
        ("receiver", Field::Object),
        ("object", Field::Object),
        ("scope", Field::Other),
        ("method", Field::Function),
        ("left", Field::Left),
        ("right", Field::Right),
        ("parameters", Field::Params),
        ("arguments", Field::Args),
        ("block", Field::Block),
        ("consequence", Field::Left),
        ("alternative", Field::Right),
        ("condition", Field::Condition),
    ],
};

impl<'t> Walker<'t> {
    /// `class C < B`, `module M`; with `A::C` the names before the last one are its namespace.
    pub(super) fn ruby_type(&mut self, id: Id) {
        let Some(name) = self.flat.child(id, Field::Name) else {
            self.each(id);
            return;
        };
        let kind = if self.text(id).starts_with("module") {
            NodeKind::MODULE
        } else {
            NodeKind::CLASS
        };
        let dotted = self.dotted(name);
        let (outer, last) = dotted.rsplit_once('.').unwrap_or(("", &dotted));
        let last = last.to_string();
        let package = std::mem::replace(&mut self.package, outer.to_string());
        let body = self.body(id);
        let node = self.define(&last, kind, id, body, NodeFlags::default());
        self.package = package;
        self.type_parts(id, node);
    }

    /// `class << self`: its methods are the type's own.
    pub(super) fn singleton(&mut self, id: Id) {
        let outer = std::mem::replace(&mut self.in_singleton, true);
        if let Some(body) = self.body(id) {
            self.items(body);
        }
        self.in_singleton = outer;
    }

    /// `def m`, `def self.m`
    pub(super) fn ruby_method(&mut self, id: Id) {
        let Some(name) = self.flat.child(id, Field::Name) else {
            return;
        };
        let body = self.flat.child(id, Field::Body);
        let is_static = self.in_singleton || self.flat.child(id, Field::Object).is_some();
        let flags = if is_static {
            NodeFlags::STATIC
        } else {
            NodeFlags::default()
        };
        let member = self.class != LocalNode::UNIT && self.owner == self.class;
        let kind = if member {
            NodeKind::METHOD
        } else {
            NodeKind::FUNCTION
        };
        let text = self.text(name);
        let head = body.or_else(|| self.flat.children(id).last());
        let node = self.define(text, kind, id, head.filter(|_| body.is_some()), flags);
        if !self.deeper() {
            return;
        }
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let around = self.enter(node);
        self.in_function = true;
        self.in_static = is_static;
        self.branches = 1;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Params => self.parameters(child, function),
                Role::Statements => {
                    let value = self.last_value(child);
                    if value != ExprId::UNKNOWN {
                        self.returns.push(value.0);
                    }
                }
                _ if self.flat.field(child) == Field::Body => self.function_body(child),
                _ => {}
            }
        }
        self.complete_function(function, TypeId::UNKNOWN);
        self.leave(around);
        self.higher();
    }

    /// Reads statements; the last one is what they yield.
    pub(super) fn last_value(&mut self, id: Id) -> ExprId {
        let mut value = ExprId::UNKNOWN;
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::Comment {
                value = self.value(child, Context::RETURN);
            }
        }
        value
    }

    /// A bare name: a local, or a call without arguments.
    pub(super) fn ruby_name(&mut self, id: Id) -> ExprId {
        let text = self.text(id);
        let line = self.line(id);
        match text {
            "private" | "protected" | "public" | "module_function" | "nil" | "block_given?"
            | "raise" | "binding" => return ExprId::UNKNOWN,
            "new" if self.in_static => return self.own_instance(List::EMPTY, line),
            _ => {}
        }
        let name = self.b.unit.intern(text);
        let (scope, owner) = (self.scope, self.owner);
        let first = self.b.implied(scope, owner, name);
        let callee = self.b.implied(scope, owner, name);
        let second = self.called(callee, List::EMPTY, List::EMPTY, line);
        self.b.expr(Expr::Fallback { first, second })
    }

    fn own_instance(&mut self, args: List, line: u32) -> ExprId {
        let node = self.class;
        let class = self.b.expr(Expr::This {
            node,
            of_type: true,
        });
        let new = self.b.expr(Expr::New {
            class,
            args,
            type_args: List::EMPTY,
        });
        let target = RefTarget::Expr(new);
        self.refer(target, Relation::CALLS, Context::CONSTRUCTOR, line);
        new
    }

    /// `a.m(…) { … }`, and the calls that declare something.
    pub(super) fn ruby_call(&mut self, id: Id) -> ExprId {
        let method = self.flat.child(id, Field::Function);
        let object = self.flat.child(id, Field::Object);
        let text = method.map_or("", |m| self.text(m));
        if object.is_none() && !self.in_function && self.ruby_declaration(id, text) {
            return ExprId::UNKNOWN;
        }
        let line = method.map_or_else(|| self.line(id), |m| self.line(m));
        if let ("new", Some(object)) = (text, object)
            && matches!(self.flat.role(object), Role::TypeName | Role::ScopedName)
        {
            let owner = self.owner;
            let ty = self.type_named(object, owner, Context::GENERIC_ARG);
            let args = self.ruby_arguments(id);
            return self.constructed(ty, args, line);
        }
        if text == "new" && object.is_none() && self.in_static {
            let args = self.ruby_arguments(id);
            return self.own_instance(args, line);
        }
        let base = object.map(|o| self.ruby_receiver(o));
        if text == "class"
            && let Some(object) = object
            && self.flat.role(object) == Role::This
        {
            let node = self.class;
            return self.b.expr(Expr::This {
                node,
                of_type: true,
            });
        }
        let args = self.ruby_arguments(id);
        let callee = match (base, method) {
            (None, Some(method)) if self.flat.role(method) == Role::Super => self.super_method(),
            (Some(base), Some(_)) => {
                let name = self.b.unit.intern(text);
                self.b.member(base, name)
            }
            (None, Some(_)) => {
                let name = self.b.unit.intern(text);
                let owner = self.owner;
                self.b.expr(Expr::Implied { node: owner, name })
            }
            // `f.(x)`
            _ => ExprId::UNKNOWN,
        };
        self.called(callee, args, List::EMPTY, line)
    }

    fn ruby_receiver(&mut self, id: Id) -> ExprId {
        match self.flat.role(id) {
            // A name before a dot may be a local or a call.
            Role::Name => self.ruby_name(id),
            _ => self.receiver(id),
        }
    }

    fn ruby_arguments(&mut self, id: Id) -> List {
        let args = self.flat.child(id, Field::Args);
        let list = args.map_or(List::EMPTY, |a| self.arguments(a));
        if let Some(block) = self.flat.child(id, Field::Block) {
            self.visit(block);
        }
        list
    }

    /// `super`: the method of the same name in the base.
    pub(super) fn super_method(&mut self) -> ExprId {
        let base = self.base_value();
        let name = self.b.unit.node(self.owner).map(|n| n.name);
        match name {
            Some(name) => self.b.member(base, name),
            None => ExprId::UNKNOWN,
        }
    }

    /// Calls in a type's body that declare something; `false` for any other.
    fn ruby_declaration(&mut self, id: Id, method: &str) -> bool {
        let Some(args) = self.flat.child(id, Field::Args) else {
            return false;
        };
        let line = self.line(id);
        match method {
            "require_relative" | "require" | "load" => {
                let text = self.flat.children(args).next().map(|a| self.text(a));
                let Some(text) = text else { return true };
                let path = text.trim_matches(['"', '\'']);
                if path.is_empty() || path.contains("#{") {
                    return true;
                }
                let module = match method {
                    "require_relative" if !path.starts_with('.') => format!("./{path}"),
                    _ => path.to_string(),
                };
                let module = self.b.unit.intern(&module);
                self.b.import(Import {
                    from: LocalNode::UNIT,
                    module,
                    imported: Imported::SideEffect,
                    type_only: false,
                    dynamic: false,
                    level: 0,
                    line,
                });
            }
            "include" | "extend" | "prepend" if self.class != LocalNode::UNIT => {
                let class = self.class;
                for arg in self.flat.children(args) {
                    if matches!(self.flat.role(arg), Role::TypeName | Role::ScopedName) {
                        let outer = self.b.unit.node(class).map(|n| n.parent);
                        let outer = outer.unwrap_or(LocalNode::UNIT);
                        self.base(arg, class, outer, Relation::MIXES_IN);
                    }
                }
            }
            "attr_accessor" | "attr_reader" | "attr_writer" if self.class != LocalNode::UNIT => {
                for arg in self.flat.children(args) {
                    let name = self.text(arg).trim_start_matches(':').trim_matches('"');
                    if !name.is_empty() && self.flat.role(arg) == Role::Literal {
                        self.attribute(arg, name);
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// A method that reads a field.
    fn attribute(&mut self, id: Id, name: &str) {
        let kind = NodeKind::ACCESSOR;
        let node = self.define(name, kind, id, None, NodeFlags::default());
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let class = self.class;
        let this = self.b.expr(Expr::This {
            node: class,
            of_type: false,
        });
        let field = self.b.unit.intern(&format!("@{name}"));
        let value = self.b.member(this, field);
        let list = self.b.list(&[value.0]);
        if let Some(f) = self.b.function_mut(function) {
            f.returns = list;
        }
    }

    /// `@x`, `@@x`
    pub(super) fn ruby_variable(&mut self, id: Id, context: Context) -> ExprId {
        let base = self.this();
        let name = self.intern(id);
        let value = self.b.member(base, name);
        let line = self.line(id);
        self.read_reference(value, context, line);
        value
    }

    /// `x = v`, `@x = v`, `X = v`, `a.b = v`
    pub(super) fn ruby_assignment(&mut self, id: Id) -> ExprId {
        let left = self.flat.child(id, Field::Left);
        let right = self.flat.child(id, Field::Right);
        let (Some(left), Some(right)) = (left, right) else {
            self.each(id);
            return ExprId::UNKNOWN;
        };
        match self.flat.role(left) {
            Role::TypeName if !self.in_function => self.ruby_constant(id, left, right),
            Role::Variable => {
                let value = self.value(right, Context::ASSIGNMENT);
                self.ruby_field(left, value);
                value
            }
            Role::Name => {
                let value = self.value(right, Context::ASSIGNMENT);
                let name = self.intern(left);
                self.assign(name, value);
                value
            }
            _ => {
                let value = self.value(right, Context::ASSIGNMENT);
                for part in self.flat.children(left) {
                    if self.flat.role(part) == Role::Name && self.flat.role(left) == Role::Other {
                        let name: StrId = self.intern(part);
                        self.declare(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
                    }
                }
                if self.flat.role(left) != Role::Other {
                    self.visit(left);
                }
                value
            }
        }
    }

    fn ruby_field(&mut self, id: Id, value: ExprId) {
        if self.class == LocalNode::UNIT {
            return;
        }
        let text = self.text(id);
        let name = self.b.unit.intern(text);
        if !self.fields.contains_key(&(self.class, name)) {
            let (owner, local) = (self.owner, self.in_function);
            self.owner = self.class;
            self.in_function = false;
            self.define(text, NodeKind::FIELD, id, None, NodeFlags::default());
            self.owner = owner;
            self.in_function = local;
        }
        self.set_field(text, value);
    }

    /// A constant: a value, or a class that is made by a call.
    fn ruby_constant(&mut self, id: Id, left: Id, right: Id) -> ExprId {
        let text = self.text(left);
        let receiver = self.flat.child(right, Field::Object);
        let maker = receiver.map_or("", |r| self.text(r));
        let method = self.flat.child(right, Field::Function);
        let makes = method.is_some_and(|m| self.text(m) == "new");
        if makes && matches!(maker, "Struct" | "Class" | "Module" | "Data") {
            let kind = if maker == "Module" {
                NodeKind::MODULE
            } else {
                NodeKind::CLASS
            };
            let node = self.define(text, kind, id, Some(right), NodeFlags::default());
            let outer = self.owner;
            let around = self.enter(node);
            self.class = node;
            self.in_function = false;
            if let Some(args) = self.flat.child(right, Field::Args) {
                for arg in self.flat.children(args) {
                    match self.flat.role(arg) {
                        Role::Literal => {
                            let name = self.text(arg).trim_start_matches(':');
                            if !name.is_empty() {
                                self.attribute(arg, name);
                            }
                        }
                        Role::TypeName | Role::ScopedName if maker == "Class" => {
                            self.base(arg, node, outer, Relation::INHERITS);
                        }
                        _ => {}
                    }
                }
            }
            if let Some(block) = self.flat.child(right, Field::Block)
                && let Some(body) = self.body(block)
            {
                self.items(body);
            }
            self.leave(around);
            return ExprId::UNKNOWN;
        }
        let node = self.define(text, NodeKind::CONSTANT, id, Some(right), NodeFlags::STATIC);
        let value = self.value(right, Context::ASSIGNMENT);
        self.b.def(node).value = value;
        value
    }

    /// `rescue E => e`
    pub(super) fn exception_variable(&mut self, id: Id) {
        for child in self.flat.children(id) {
            if self.flat.role(child) == Role::Name {
                let name = self.intern(child);
                self.declare(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
            }
        }
    }

    /// `C` as a value.
    pub(super) fn ruby_name_of_type(&mut self, id: Id, context: Context) -> ExprId {
        let name = self.intern(id);
        let line = self.line(id);
        let (scope, owner) = (self.scope, self.owner);
        self.b
            .read_or(scope, name, owner, line, context, Unbound::Implied);
        self.b.implied(scope, owner, name)
    }

    /// `for x in xs`
    pub(super) fn ruby_for(&mut self, id: Id) {
        for child in self.flat.children(id) {
            if self.flat.role(child) == Role::Name {
                let name = self.intern(child);
                self.declare(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
            } else {
                self.visit(child);
            }
        }
    }
}

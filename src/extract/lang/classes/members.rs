//! Members: methods, constructors, fields, members of enumerations, parameters.

use super::flat::Id;
use super::kinds::{Field, Role};
use super::walker::Walker;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Expr, ExprId, FunctionFlags, FunctionId, RefTarget, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

/// The name of constructors in languages that have no word for them.
const CONSTRUCTOR: &str = "constructor";

impl Walker<'_> {
    /// A method, or a function outside of types.
    pub(super) fn method(&mut self, id: Id) {
        let Some(name) = self.flat.child(id, Field::Name) else {
            return;
        };
        let words = self.words(id);
        let body = self.flat.child(id, Field::Body);
        let mut flags = words.flags;
        if body.is_none() {
            flags = flags.with(NodeFlags::ABSTRACT);
        }
        let member = self.class != LocalNode::UNIT && self.owner == self.class;
        let kind = if member {
            NodeKind::METHOD
        } else {
            NodeKind::FUNCTION
        };
        let text = self.text(name);
        let node = self.define(text, kind, id, body, flags);
        self.function(id, node, words.is_static);
    }

    /// A constructor.
    pub(super) fn constructor(&mut self, id: Id) {
        let words = self.words(id);
        let body = self.flat.child(id, Field::Body);
        let node = self.define(CONSTRUCTOR, NodeKind::CONSTRUCTOR, id, body, words.flags);
        self.function(id, node, false);
    }

    /// The parameters, result and body of a function whose node is there already.
    pub(super) fn function(&mut self, id: Id, node: LocalNode, is_static: bool) {
        if !self.deeper() {
            return;
        }
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let around = self.enter(node);
        self.in_function = true;
        self.in_static = is_static;
        let mut result = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            let role = self.flat.role(child);
            match (role, self.flat.field(child)) {
                (Role::Modifiers, _) => self.annotations(child),
                (Role::Annotation, _) => self.annotation(child),
                (Role::TypeParams, _) => {
                    let list = self.type_parameters(child);
                    if let Some(f) = self.b.function_mut(function) {
                        f.type_params = list;
                    }
                }
                (_, Field::Type) => result = self.ty(child, Context::RETURN_TYPE),
                (Role::Params, _) => self.parameters(child, function),
                (Role::Constraints, _) => self.constraints(child),
                (Role::TypeGroup, _) => {
                    self.ty(child, Context::TYPE);
                }
                (_, Field::Body) => self.function_body(child),
                (_, Field::Name) | (Role::Comment | Role::Modifier, _) => {}
                _ => {
                    self.visit(child);
                }
            }
        }
        self.complete_function(function, result);
        self.leave(around);
        self.higher();
    }

    /// A body: a block, or one expression that is the result.
    pub(super) fn function_body(&mut self, id: Id) {
        let value = self.visit(id);
        if self.flat.role(id) != Role::Block && value != ExprId::UNKNOWN {
            self.returns.push(value.0);
        }
    }

    /// Sets what a function yields: the written type, or else what it returns.
    pub(super) fn complete_function(&mut self, function: FunctionId, result: TypeId) {
        let returns = std::mem::take(&mut self.returns);
        let list = if result == TypeId::UNKNOWN {
            self.b.list(&returns)
        } else {
            crate::model::facts::List::EMPTY
        };
        if let Some(f) = self.b.function_mut(function) {
            f.result = result;
            f.returns = list;
        }
    }

    /// Parameters: locals of the function, and its parameter types.
    pub(super) fn parameters(&mut self, id: Id, function: FunctionId) {
        let mut types: Vec<u32> = Vec::new();
        let mut flags = 0;
        let mut rest = TypeId::UNKNOWN;
        let mut any_number = false;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                // A list of any length stands without brackets of its own.
                _ if self.flat.field(child) == Field::Type => {
                    rest = self.ty(child, Context::PARAMETER_TYPE);
                    flags |= FunctionFlags::REST;
                    types.push(rest.0);
                }
                _ if self.flat.field(child) == Field::Name && rest != TypeId::UNKNOWN => {
                    let name = self.intern(child);
                    self.declare(name, rest, ExprId::UNKNOWN);
                }
                Role::Param | Role::RestParam => {
                    let parameter = self.parameter(child);
                    if parameter.optional {
                        flags |= FunctionFlags::optional(u32::MAX);
                    }
                    let mut ty = parameter.ty;
                    if parameter.extends {
                        let node = self.owner;
                        self.b.def(node).ty = ty;
                    }
                    if parameter.rest || any_number {
                        any_number = false;
                        flags |= FunctionFlags::REST;
                        ty = self.b.ty(TypeExpr::Sequence(ty));
                    }
                    let index = u32::try_from(types.len()).unwrap_or(u32::MAX);
                    types.push(ty.0);
                    let value = self.b.expr(Expr::Param { function, index });
                    self.declare(parameter.name, ty, value);
                    if self.flat.child(child, Field::Visibility).is_some() {
                        self.promoted(child, &parameter);
                    }
                }
                // Names alone, as lambdas have them.
                Role::Name => {
                    let index = u32::try_from(types.len()).unwrap_or(u32::MAX);
                    types.push(TypeId::UNKNOWN.0);
                    let name = self.intern(child);
                    let value = self.b.expr(Expr::Param { function, index });
                    self.declare(name, TypeId::UNKNOWN, value);
                }
                Role::Modifiers => {
                    self.annotations(child);
                    any_number = self.text(child).contains("vararg");
                }
                Role::Comment | Role::Skip | Role::Modifier | Role::Annotation => {}
                // What stands for a parameter that is left out.
                _ => {
                    self.visit(child);
                    flags |= FunctionFlags::optional(u32::MAX);
                }
            }
        }
        let list = self.b.list(&types);
        if let Some(f) = self.b.function_mut(function) {
            f.params = list;
            f.flags |= flags;
        }
    }

    /// A constructor's parameter that is a field too.
    fn promoted(&mut self, id: Id, parameter: &Parameter) {
        let name = self.b.unit.text(parameter.name);
        let name = name.trim_start_matches('$').to_string();
        let (owner, local) = (self.owner, self.in_function);
        self.owner = self.class;
        self.in_function = false;
        let field = self.define(&name, NodeKind::FIELD, id, None, parameter.words);
        self.owner = owner;
        self.in_function = local;
        self.b.def(field).ty = parameter.ty;
    }

    /// One parameter: its name and type; what stands around them is read.
    pub(super) fn parameter(&mut self, id: Id) -> Parameter {
        let mut parameter = Parameter {
            name: StrId::EMPTY,
            ty: TypeId::UNKNOWN,
            rest: self.flat.role(id) == Role::RestParam,
            optional: false,
            extends: self.words(id).extends,
            words: self.words(id).flags,
        };
        for child in self.flat.children(id) {
            match (self.flat.role(child), self.flat.field(child)) {
                (Role::Modifiers, _) => self.annotations(child),
                (Role::Annotation, _) => self.annotation(child),
                (_, Field::Name) => parameter.name = self.intern(child),
                (Role::Name, Field::Other) if parameter.name == StrId::EMPTY => {
                    parameter.name = self.intern(child);
                }
                (Role::Declarator, _) => {
                    let name = self.flat.child(child, Field::Name);
                    if let Some(name) = name {
                        parameter.name = self.intern(name);
                    }
                }
                (_, Field::Type) => parameter.ty = self.ty(child, Context::PARAMETER_TYPE),
                (role, _) if role.is_type() => {
                    parameter.ty = self.ty(child, Context::PARAMETER_TYPE);
                }
                (Role::Comment | Role::Modifier | Role::Skip, _) => {}
                _ => {
                    self.visit(child);
                    parameter.optional = true;
                }
            }
        }
        parameter
    }

    /// The parameters of a type itself: its fields, and what constructing it takes.
    pub(super) fn primary_parameters(&mut self, id: Id, class: LocalNode) {
        let function = self.b.function(class);
        self.b.add_signature(class, function);
        let mut types: Vec<u32> = Vec::new();
        let mut flags = 0;
        for child in self.flat.children(id) {
            if !matches!(self.flat.role(child), Role::Param | Role::RestParam) {
                continue;
            }
            let parameter = self.parameter(child);
            if parameter.optional {
                flags |= FunctionFlags::optional(u32::MAX);
            }
            types.push(parameter.ty.0);
            let name = self.b.unit.text(parameter.name).to_string();
            if name.is_empty() {
                continue;
            }
            let field = self.define(&name, NodeKind::FIELD, child, None, parameter.words);
            self.b.def(field).ty = parameter.ty;
        }
        let list = self.b.list(&types);
        if let Some(f) = self.b.function_mut(function) {
            f.params = list;
            f.flags |= flags;
        }
    }

    /// Fields of one type.
    pub(super) fn field(&mut self, id: Id) {
        let words = self.words(id);
        self.field_declarators(id, id, words.flags);
    }

    fn field_declarators(&mut self, id: Id, inner: Id, flags: NodeFlags) {
        let mut ty = TypeId::UNKNOWN;
        for child in self.flat.children(inner) {
            match (self.flat.role(child), self.flat.field(child)) {
                (Role::Modifiers, _) => self.annotations(child),
                (Role::Annotation, _) => self.annotation(child),
                (_, Field::Type) => ty = self.ty(child, Context::FIELD),
                (Role::Declarator, _) => self.field_declarator(id, child, ty, flags),
                (Role::Local, _) => self.field_declarators(id, child, flags),
                _ => {}
            }
        }
    }

    fn field_declarator(&mut self, id: Id, declarator: Id, ty: TypeId, flags: NodeFlags) {
        let name = self.flat.child(declarator, Field::Name);
        let Some(name) = name.or_else(|| self.flat.part(declarator, Role::Name)) else {
            return;
        };
        let value = self.declared_value(declarator).filter(|v| *v != name);
        let text = self.text(name).trim_start_matches('$');
        let kind = if self.class == LocalNode::UNIT {
            NodeKind::CONSTANT
        } else {
            NodeKind::FIELD
        };
        let node = self.define(text, kind, id, value, flags);
        let outer = std::mem::replace(&mut self.in_static, flags.has(NodeFlags::STATIC));
        let value = value.map_or(ExprId::UNKNOWN, |v| self.initial(v, ty));
        self.in_static = outer;
        let def = self.b.def(node);
        def.ty = ty;
        def.value = value;
    }

    /// The value in a declarator: by its field, or the one part that is not the name.
    pub(super) fn declared_value(&self, declarator: Id) -> Option<Id> {
        let value = self.flat.child(declarator, Field::Value);
        value.or_else(|| {
            let mut parts = self.flat.children(declarator);
            parts.find(|c| {
                self.flat.field(*c) == Field::Other
                    && self.flat.part(declarator, Role::Name) != Some(*c)
                    && !matches!(self.flat.role(*c), Role::Comment | Role::Args | Role::Skip)
            })
        })
    }

    /// The value that something of a written type begins with.
    pub(super) fn initial(&mut self, id: Id, ty: TypeId) -> ExprId {
        let outer = std::mem::replace(&mut self.wanted, ty);
        let value = self.value(id, Context::ASSIGNMENT);
        self.wanted = outer;
        value
    }

    /// A property: a field, or what runs when it is read.
    pub(super) fn property(&mut self, id: Id) {
        let Some(name) = self.flat.child(id, Field::Name) else {
            return;
        };
        let words = self.words(id);
        let accessors = self.flat.part(id, Role::Accessors);
        let value = self.flat.child(id, Field::Value);
        let computed = value.is_some_and(|v| self.flat.role(v) == Role::Paren);
        let bodies = accessors.is_some_and(|a| {
            let mut parts = self.flat.children(a);
            parts.any(|c| self.flat.child(c, Field::Body).is_some())
        });
        let kind = if computed || bodies {
            NodeKind::ACCESSOR
        } else {
            NodeKind::FIELD
        };
        let text = self.text(name);
        let node = self.define(text, kind, id, accessors.or(value), words.flags);
        let mut ty = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            if self.flat.field(child) == Field::Type {
                ty = self.ty(child, Context::FIELD);
            }
        }
        if kind == NodeKind::FIELD {
            self.b.def(node).ty = ty;
            for child in self.flat.children(id) {
                if self.flat.role(child) == Role::Modifiers {
                    self.annotations(child);
                }
            }
            let value = value.map_or(ExprId::UNKNOWN, |v| self.initial(v, ty));
            self.b.def(node).value = value;
            return;
        }
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let around = self.enter(node);
        self.in_function = true;
        self.in_static = words.is_static;
        for child in self.flat.children(id) {
            match (self.flat.role(child), self.flat.field(child)) {
                (Role::Modifiers, _) => self.annotations(child),
                (Role::Accessors, _) => {
                    for accessor in self.flat.children(child) {
                        self.accessor(accessor, ty);
                    }
                }
                (_, Field::Value) => self.function_body(child),
                _ => {}
            }
        }
        self.complete_function(function, ty);
        self.leave(around);
    }

    fn accessor(&mut self, id: Id, ty: TypeId) {
        let mark = self.open_scope();
        let value = self.b.unit.intern("value");
        self.declare(value, ty, ExprId::UNKNOWN);
        for child in self.flat.children(id) {
            match self.flat.field(child) {
                Field::Body => self.function_body(child),
                Field::Name => {}
                _ => {
                    self.visit(child);
                }
            }
        }
        self.close_scopes(mark);
    }

    /// A member of an enumeration, which may have a body of its own.
    pub(super) fn enum_member(&mut self, id: Id) {
        let name = self.flat.child(id, Field::Name);
        let Some(name) = name.or_else(|| self.flat.part(id, Role::Name)) else {
            return;
        };
        let body = self.body(id);
        let text = self.text(name);
        let class = self.class;
        let flags = NodeFlags::STATIC;
        let node = self.define(text, NodeKind::ENUM_MEMBER, id, body, flags);
        let around = self.enter(node);
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Modifiers => self.annotations(child),
                Role::Annotation => self.annotation(child),
                Role::Args => {
                    // The enumeration's constructor runs.
                    let line = self.line(child);
                    let args = self.arguments(child);
                    let this = self.b.expr(Expr::This {
                        node: class,
                        of_type: true,
                    });
                    let call = self.b.expr(Expr::New {
                        class: this,
                        args,
                        type_args: crate::model::facts::List::EMPTY,
                    });
                    let target = RefTarget::Expr(call);
                    self.refer(target, Relation::CALLS, Context::CONSTRUCTOR, line);
                }
                Role::Body => {
                    self.class = node;
                    self.items(child);
                }
                _ => {}
            }
        }
        self.leave(around);
    }
}

/// A parameter as it is written.
pub(super) struct Parameter {
    pub(super) name: StrId,
    pub(super) ty: TypeId,
    pub(super) rest: bool,
    /// Whether it has a value where none is given.
    pub(super) optional: bool,
    /// Whether it is what an extension extends.
    pub(super) extends: bool,
    pub(super) words: NodeFlags,
}

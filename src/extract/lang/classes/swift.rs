//! Swift: its grammar's kinds and fields, and what only it has.

use super::flat::Id;
use super::kinds::{Field, Role, Spec};
use super::walker::Walker;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Expr, ExprId, FunctionFlags, Import, Imported, List, TypeExpr, TypeId};
use crate::model::label::{Context, Language, NodeKind};
use crate::model::node::NodeFlags;

/// Swift.
pub(super) static SPEC: Spec = Spec {
    language: Language::SWIFT,
    separator: '.',
    methods_apart: false,
    kinds: &[
        ("comment", Role::Comment),
        ("multiline_comment", Role::Comment),
        ("import_declaration", Role::Import),
        ("class_declaration", Role::Class),
        ("protocol_declaration", Role::Interface),
        ("struct", Role::Modifier),
        ("enum", Role::Modifier),
        ("extension", Role::Modifier),
        ("class", Role::Modifier),
        ("class_body", Role::Body),
        ("protocol_body", Role::Body),
        ("enum_class_body", Role::Body),
        ("enum_entry", Role::EnumMember),
        ("enum_type_parameters", Role::Other),
        ("inheritance_specifier", Role::Extends),
        ("type_constraints", Role::Skip),
        ("function_declaration", Role::Function),
        ("protocol_function_declaration", Role::Function),
        ("init_declaration", Role::Function),
        ("init", Role::Name),
        ("function_body", Role::FunctionBody),
        ("property_declaration", Role::Variables),
        ("protocol_property_declaration", Role::Variables),
        ("value_binding_pattern", Role::Skip),
        ("pattern", Role::Pattern),
        ("computed_property", Role::Accessor),
        ("protocol_property_requirements", Role::Skip),
        ("typealias_declaration", Role::Alias),
        ("associatedtype_declaration", Role::Skip),
        ("modifiers", Role::Modifiers),
        ("member_modifier", Role::Modifier),
        ("property_modifier", Role::Modifier),
        ("visibility_modifier", Role::Modifier),
        ("inheritance_modifier", Role::Modifier),
        ("function_modifier", Role::Modifier),
        ("mutation_modifier", Role::Modifier),
        ("attribute", Role::Annotation),
        ("parameter", Role::Param),
        ("...", Role::Bang),
        ("type_parameters", Role::TypeParams),
        ("type_parameter", Role::TypeParam),
        ("type_identifier", Role::TypeName),
        ("user_type", Role::UserType),
        ("type_annotation", Role::TypeGroup),
        ("optional_type", Role::TypeGroup),
        ("opaque_type", Role::TypeGroup),
        ("existential_type", Role::TypeGroup),
        ("protocol_composition_type", Role::TypeGroup),
        ("array_type", Role::ArrayType),
        ("dictionary_type", Role::MapType),
        ("tuple_type", Role::TupleType),
        ("tuple_type_item", Role::TypeGroup),
        ("type_arguments", Role::TypeArgs),
        ("simple_identifier", Role::Name),
        ("identifier", Role::ScopedName),
        ("self_expression", Role::This),
        ("super_expression", Role::Super),
        ("call_expression", Role::Chained),
        ("call_suffix", Role::Wrap),
        ("value_arguments", Role::Args),
        ("value_argument", Role::NamedArgument),
        ("navigation_expression", Role::Navigation),
        ("navigation_suffix", Role::Suffix),
        ("lambda_literal", Role::Braces),
        ("lambda_function_type_parameters", Role::Params),
        ("lambda_parameter", Role::Param),
        ("as_expression", Role::Cast),
        ("as_operator", Role::Skip),
        ("try_expression", Role::Wrap),
        ("try_operator", Role::Skip),
        ("await_expression", Role::Wrap),
        ("postfix_expression", Role::Wrap),
        ("bang", Role::Skip),
        ("directly_assignable_expression", Role::Wrap),
        ("assignment", Role::Assign),
        ("nil_coalescing_expression", Role::Binary),
        ("??", Role::Elvis),
        ("additive_expression", Role::Binary),
        ("multiplicative_expression", Role::Binary),
        ("comparison_expression", Role::Binary),
        ("equality_expression", Role::Binary),
        ("conjunction_expression", Role::Binary),
        ("disjunction_expression", Role::Binary),
        ("infix_expression", Role::Binary),
        ("ternary_expression", Role::Conditional),
        ("line_string_literal", Role::Text),
        ("multi_line_string_literal", Role::Text),
        ("line_str_text", Role::Skip),
        ("integer_literal", Role::Literal),
        ("real_literal", Role::Literal),
        ("boolean_literal", Role::Literal),
        ("statements", Role::Block),
        ("if_statement", Role::If),
        ("while_statement", Role::If),
        ("guard_statement", Role::Guard),
        ("for_statement", Role::For),
        ("switch_entry", Role::Block),
        ("catch_block", Role::Block),
        ("control_transfer_statement", Role::Return),
    ],
    fields: &[
        ("name", Field::Name),
        ("body", Field::Body),
        ("value", Field::Value),
        ("computed_value", Field::Body),
        ("default_value", Field::Value),
        ("external_name", Field::Alias),
        ("bound_identifier", Field::Bound),
        ("condition", Field::Condition),
        ("item", Field::Left),
        ("collection", Field::Value),
        ("result", Field::Right),
        ("target", Field::Object),
        ("if_true", Field::Left),
        ("if_false", Field::Right),
    ],
};

impl<'t> Walker<'t> {
    /// `import M`
    pub(super) fn swift_import(&mut self, id: Id) {
        let Some(path) = self.flat.part(id, Role::ScopedName) else {
            return;
        };
        let name = self.text(path);
        let module = self.b.unit.intern(name);
        let line = self.line(id);
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

    /// A class, structure, enumeration, actor, or an extension of a type.
    pub(super) fn swift_type(&mut self, id: Id) {
        let Some(name) = self.flat.child(id, Field::Name) else {
            self.each(id);
            return;
        };
        let words = self.words(id);
        let kind = if words.extension {
            NodeKind::IMPL
        } else if words.structure {
            NodeKind::STRUCT
        } else if words.enumeration {
            NodeKind::ENUM
        } else {
            NodeKind::CLASS
        };
        let dotted = self.dotted(name);
        let dotted = dotted.split('<').next().unwrap_or_default().to_string();
        let (outer, last) = dotted.rsplit_once('.').unwrap_or(("", &dotted));
        let package = std::mem::replace(&mut self.package, outer.to_string());
        let body = self.body(id);
        let flags = NodeFlags(words.flags.0 & !NodeFlags::STATIC.0);
        let last = last.to_string();
        let node = self.define(&last, kind, id, body, flags);
        self.package = package;
        if words.extension {
            // What is extended is named where it stands.
            let around = std::mem::replace(&mut self.owner, node);
            let outer = std::mem::replace(&mut self.class, LocalNode::UNIT);
            self.ty(name, Context::TYPE);
            self.owner = around;
            self.class = outer;
        }
        self.type_parts(id, node);
    }

    /// `func f(a b: T = v) -> R { … }`, `init(…) { … }`
    pub(super) fn swift_function(&mut self, id: Id) {
        let Some(name) = self.flat.child(id, Field::Name) else {
            self.each(id);
            return;
        };
        let words = self.words(id);
        let body = self.flat.part(id, Role::FunctionBody);
        let is_static = words.is_static || words.class_word;
        let mut flags = words.flags;
        if body.is_none() {
            flags = flags.with(NodeFlags::ABSTRACT);
        }
        if is_static {
            flags = flags.with(NodeFlags::STATIC);
        }
        let text = self.text(name);
        let member = self.class != LocalNode::UNIT && self.owner == self.class;
        let kind = match (member, text) {
            (true, "init") => NodeKind::CONSTRUCTOR,
            (true, _) => NodeKind::METHOD,
            _ => NodeKind::FUNCTION,
        };
        let node = self.define(text, kind, id, body, flags);
        if !self.deeper() {
            return;
        }
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let around = self.enter(node);
        self.in_function = true;
        self.in_static = is_static;
        let mut result = TypeId::UNKNOWN;
        let mut types: Vec<u32> = Vec::new();
        let mut flags = 0;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Modifiers => self.annotations(child),
                Role::TypeParams => {
                    let list = self.type_parameters(child);
                    if let Some(f) = self.b.function_mut(function) {
                        f.type_params = list;
                    }
                }
                Role::Param => {
                    let (name, ty, rest) = self.swift_parameter(child);
                    let ty = if rest {
                        flags |= FunctionFlags::REST;
                        self.b.ty(TypeExpr::Sequence(ty))
                    } else {
                        ty
                    };
                    types.push(ty.0);
                    self.declare(name, ty, ExprId::UNKNOWN);
                }
                Role::FunctionBody => self.swift_body(child),
                Role::Name | Role::Modifier | Role::Comment => {}
                role if role.is_type() => result = self.ty(child, Context::RETURN_TYPE),
                _ => {
                    if self.flat.field(child) == Field::Value {
                        flags |= FunctionFlags::optional(u32::MAX);
                    }
                    self.visit(child);
                }
            }
        }
        let list = self.b.list(&types);
        if let Some(f) = self.b.function_mut(function) {
            f.params = list;
            f.flags |= flags;
        }
        self.complete_function(function, result);
        self.leave(around);
        self.higher();
    }

    fn swift_parameter(&mut self, id: Id) -> (StrId, TypeId, bool) {
        let mut name = StrId::EMPTY;
        let mut ty = TypeId::UNKNOWN;
        let mut rest = false;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                // The last name is the one inside.
                Role::Name => name = self.intern(child),
                Role::Bang => rest = true,
                role if role.is_type() => ty = self.ty(child, Context::PARAMETER_TYPE),
                _ => {}
            }
        }
        (name, ty, rest)
    }

    /// Statements; one alone is what they yield.
    fn swift_body(&mut self, id: Id) {
        for child in self.flat.children(id) {
            if self.flat.role(child) != Role::Block {
                self.visit(child);
                continue;
            }
            let mark = self.open_scope();
            let single = self.flat.children(child).count() == 1;
            let value = self.last_value(child);
            if single && value != ExprId::UNKNOWN {
                self.returns.push(value.0);
            }
            self.close_scopes(mark);
        }
    }

    /// `let x: T = v`, `var x: T { … }`: a local, a field, or what runs when it is read.
    pub(super) fn swift_variables(&mut self, id: Id) {
        let words = self.words(id);
        let local = self.in_function;
        let computed = self.flat.part(id, Role::Accessor);
        let changes = self.flat.part(id, Role::Skip).map(|p| self.text(p)) == Some("var");
        let mut names: Vec<Id> = Vec::new();
        let mut ty = TypeId::UNKNOWN;
        let mut node = LocalNode::UNIT;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Pattern => {
                    names.clear();
                    self.pattern_names(child, &mut names);
                    ty = TypeId::UNKNOWN;
                    if let (false, Some(name)) = (local, names.first()) {
                        let kind = match (computed, self.class) {
                            (Some(_), _) => NodeKind::ACCESSOR,
                            (_, LocalNode::UNIT) if changes => NodeKind::VARIABLE,
                            (_, LocalNode::UNIT) => NodeKind::CONSTANT,
                            _ => NodeKind::FIELD,
                        };
                        let text = self.text(*name);
                        node = self.define(text, kind, id, computed, words.flags);
                    }
                    if local && names.len() == 1 && self.following_value(id, child).is_none() {
                        // Its value comes later.
                        let written = self.following_type(id, child);
                        if written.is_none()
                            && let Some(name) = names.first()
                        {
                            let name = self.intern(*name);
                            self.declare(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
                        }
                    }
                }
                Role::TypeGroup => {
                    let context = if local { Context::TYPE } else { Context::FIELD };
                    ty = self.ty(child, context);
                    if local {
                        if let ([name], None) = (names.as_slice(), self.following_value(id, child))
                        {
                            let name = self.intern(*name);
                            self.declare(name, ty, ExprId::UNKNOWN);
                        }
                    } else if node != LocalNode::UNIT && computed.is_none() {
                        self.b.def(node).ty = ty;
                    }
                }
                Role::Accessor => self.swift_computed(child, node, ty),
                Role::Modifiers => self.annotations(child),
                Role::Modifier | Role::Comment | Role::Skip => {}
                _ if self.flat.field(child) == Field::Value => {
                    let value = self.initial(child, ty);
                    if local {
                        let one = names.len() == 1;
                        for name in &names {
                            let name = self.intern(*name);
                            let value = if one { value } else { ExprId::UNKNOWN };
                            self.declare(name, ty, value);
                        }
                    } else if node != LocalNode::UNIT {
                        self.b.def(node).value = value;
                    }
                }
                _ => {
                    self.visit(child);
                }
            }
        }
    }

    /// The value that belongs to a name of a declaration of several.
    fn following_value(&self, id: Id, after: Id) -> Option<Id> {
        self.flat
            .children(id)
            .skip_while(|c| *c != after)
            .skip(1)
            .take_while(|c| self.flat.role(*c) != Role::Pattern)
            .find(|c| self.flat.field(*c) == Field::Value)
    }

    fn following_type(&self, id: Id, after: Id) -> Option<Id> {
        self.flat
            .children(id)
            .skip_while(|c| *c != after)
            .skip(1)
            .take_while(|c| self.flat.role(*c) != Role::Pattern)
            .find(|c| self.flat.role(*c) == Role::TypeGroup)
    }

    fn swift_computed(&mut self, id: Id, node: LocalNode, ty: TypeId) {
        if node == LocalNode::UNIT {
            self.each(id);
            return;
        }
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let around = self.enter(node);
        self.in_function = true;
        self.swift_body(id);
        self.complete_function(function, ty);
        self.leave(around);
    }

    /// The names that a pattern binds.
    fn pattern_names(&self, id: Id, names: &mut Vec<Id>) {
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Name => names.push(child),
                Role::Pattern if names.len() < 64 => self.pattern_names(child, names),
                _ => {}
            }
        }
    }

    /// A pattern where something is compared: what it binds is a local.
    pub(super) fn pattern(&mut self, id: Id) {
        for child in self.flat.children(id) {
            match (self.flat.role(child), self.flat.field(child)) {
                (Role::Name, Field::Bound) => {
                    let name = self.intern(child);
                    self.declare(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
                }
                (Role::Name | Role::Skip, _) => {}
                _ => {
                    self.visit(child);
                }
            }
        }
    }

    /// `case a, b(T)`
    pub(super) fn swift_cases(&mut self, id: Id) {
        for child in self.flat.children(id) {
            match (self.flat.role(child), self.flat.field(child)) {
                (Role::Name, Field::Name) => {
                    let text = self.text(child);
                    let kind = NodeKind::ENUM_MEMBER;
                    self.define(text, kind, child, None, NodeFlags::STATIC);
                }
                (Role::Modifiers, _) => self.annotations(child),
                (Role::Name, _) => {}
                _ => {
                    self.visit(child);
                }
            }
        }
    }

    /// `f(…) { … }`, `a.f(…)`
    pub(super) fn swift_call(&mut self, id: Id) -> ExprId {
        let mut parts = self.flat.children(id);
        let Some(head) = parts.next() else {
            return ExprId::UNKNOWN;
        };
        let (callee, line) = match self.flat.role(head) {
            Role::Name if self.text(head) != "Self" => {
                let line = self.line(head);
                let name = self.intern(head);
                (self.bare_callee(name), line)
            }
            Role::Navigation => {
                let value = self.receiver(head);
                let end = self.flat.item(head).end_row.saturating_add(1);
                (value, end)
            }
            _ => {
                let line = self.line(head);
                (self.visit(head), line)
            }
        };
        let mut args: Vec<u32> = Vec::new();
        let mut type_args = List::EMPTY;
        for suffix in parts {
            if self.flat.role(suffix) == Role::TypeArgs {
                type_args = self.type_arguments(suffix);
                continue;
            }
            for child in self.flat.children(suffix) {
                match self.flat.role(child) {
                    Role::Args => {
                        let list = self.arguments(child);
                        args.extend_from_slice(self.b.unit.facts.list(list));
                    }
                    Role::Braces => args.push(self.visit(child).0),
                    _ => {}
                }
            }
        }
        let args = self.b.list(&args);
        self.called(callee, args, type_args, line)
    }

    /// `a.b` as a value, without a reference to it.
    pub(super) fn swift_navigation(&mut self, id: Id) -> ExprId {
        let target = self.flat.children(id).next();
        let suffix = self.flat.part(id, Role::Suffix);
        let name = suffix.and_then(|s| self.flat.part(s, Role::Name));
        let (Some(target), Some(name)) = (target, name) else {
            self.each(id);
            return ExprId::UNKNOWN;
        };
        let base = self.receiver(target);
        let name = self.intern(name);
        self.b.member(base, name)
    }

    /// `{ (a: T) in … }`
    pub(super) fn swift_lambda(&mut self, id: Id) -> ExprId {
        let function = self.b.function(LocalNode::UNIT);
        let returns = std::mem::take(&mut self.returns);
        let mark = self.open_scope();
        let local = std::mem::replace(&mut self.in_function, true);
        let mut types: Vec<u32> = Vec::new();
        let params = self
            .flat
            .children(id)
            .find_map(|c| self.flat.part(c, Role::Params));
        if let Some(params) = params {
            for param in self.flat.children(params) {
                let (name, ty, _) = self.swift_parameter(param);
                let index = u32::try_from(types.len()).unwrap_or(u32::MAX);
                let value = self.b.expr(Expr::Param { function, index });
                types.push(ty.0);
                self.declare(name, ty, value);
            }
        } else {
            for (index, name) in (0u32..).zip(["$0", "$1"]) {
                let name = self.b.unit.intern(name);
                let value = self.b.expr(Expr::Param { function, index });
                types.push(TypeId::UNKNOWN.0);
                self.declare(name, TypeId::UNKNOWN, value);
            }
        }
        let list = self.b.list(&types);
        if let Some(f) = self.b.function_mut(function) {
            f.params = list;
        }
        for child in self.flat.children(id) {
            if self.flat.role(child) == Role::Block {
                let single = self.flat.children(child).count() == 1;
                let value = self.last_value(child);
                if single && value != ExprId::UNKNOWN {
                    self.returns.push(value.0);
                }
            }
        }
        self.complete_function(function, TypeId::UNKNOWN);
        self.close_scopes(mark);
        self.in_function = local;
        self.returns = returns;
        self.b.expr(Expr::Function(function))
    }

    /// `if let x = v { … }`, and `guard`, whose names hold behind it.
    pub(super) fn swift_if(&mut self, id: Id, keeps: bool) {
        let mark = self.open_scope();
        let mut bound: Option<Id> = None;
        for child in self.flat.children(id) {
            match (self.flat.field(child), self.flat.role(child)) {
                (Field::Bound, Role::Name) => bound = Some(child),
                (_, Role::Skip | Role::Comment) => {}
                (Field::Condition, _) if bound.is_some() => {
                    let value = self.value(child, Context::ASSIGNMENT);
                    if let Some(name) = bound.take() {
                        let name = self.intern(name);
                        self.declare(name, TypeId::UNKNOWN, value);
                    }
                }
                _ => {
                    self.visit(child);
                }
            }
        }
        if !keeps {
            self.close_scopes(mark);
        }
    }

    /// `for x in xs { … }`
    pub(super) fn swift_for(&mut self, id: Id) {
        let mark = self.open_scope();
        let mut names: Vec<Id> = Vec::new();
        for child in self.flat.children(id) {
            match self.flat.field(child) {
                Field::Left => self.pattern_names(child, &mut names),
                Field::Value => {
                    let base = self.visit(child);
                    let one = names.len() == 1 && base != ExprId::UNKNOWN;
                    for name in &names {
                        let name = self.intern(*name);
                        let value = if one {
                            self.b.expr(Expr::Element { base })
                        } else {
                            ExprId::UNKNOWN
                        };
                        self.declare(name, TypeId::UNKNOWN, value);
                    }
                }
                _ => {
                    self.visit(child);
                }
            }
        }
        self.close_scopes(mark);
    }
}

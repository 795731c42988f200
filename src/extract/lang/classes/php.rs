//! PHP: its grammar's kinds and fields, and what only it has.

use super::flat::Id;
use super::kinds::{Field, Role, Spec};
use super::walker::Walker;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Expr, ExprId, TypeId};
use crate::model::label::{Context, Language, Relation};

/// PHP.
pub(super) static SPEC: Spec = Spec {
    language: Language::PHP,
    separator: '\\',
    methods_apart: false,
    kinds: &[
        ("comment", Role::Comment),
        ("php_tag", Role::Skip),
        ("text", Role::Skip),
        ("namespace_definition", Role::Namespace),
        ("namespace_use_declaration", Role::Using),
        ("namespace_use_group", Role::Wrap),
        ("namespace_use_clause", Role::Import),
        ("namespace_name", Role::ScopedName),
        ("qualified_name", Role::ScopedName),
        ("relative_name", Role::ScopedName),
        ("class_declaration", Role::Class),
        ("interface_declaration", Role::Interface),
        ("trait_declaration", Role::Trait),
        ("enum_declaration", Role::Enum),
        ("declaration_list", Role::Body),
        ("enum_declaration_list", Role::Body),
        ("enum_case", Role::EnumMember),
        ("base_clause", Role::Extends),
        ("class_interface_clause", Role::Implements),
        ("use_declaration", Role::Mixin),
        ("use_list", Role::Skip),
        ("method_declaration", Role::Method),
        ("function_definition", Role::Method),
        ("const_declaration", Role::Field),
        ("const_element", Role::Declarator),
        ("property_declaration", Role::Field),
        ("property_element", Role::Declarator),
        ("attribute_list", Role::Modifiers),
        ("attribute_group", Role::Modifiers),
        ("attribute", Role::Annotation),
        ("visibility_modifier", Role::Modifier),
        ("static_modifier", Role::Modifier),
        ("abstract_modifier", Role::Modifier),
        ("final_modifier", Role::Modifier),
        ("readonly_modifier", Role::Modifier),
        ("var_modifier", Role::Modifier),
        ("const", Role::Modifier),
        ("formal_parameters", Role::Params),
        ("simple_parameter", Role::Param),
        ("property_promotion_parameter", Role::Param),
        ("variadic_parameter", Role::RestParam),
        ("reference_modifier", Role::Skip),
        ("named_type", Role::UserType),
        ("optional_type", Role::TypeGroup),
        ("union_type", Role::UnionType),
        ("intersection_type", Role::TypeGroup),
        ("type_list", Role::UnionType),
        ("primitive_type", Role::BuiltinType),
        ("name", Role::Name),
        ("variable_name", Role::Variable),
        ("relative_scope", Role::RelativeScope),
        ("member_access_expression", Role::Member),
        ("nullsafe_member_access_expression", Role::Member),
        ("scoped_property_access_expression", Role::Member),
        ("class_constant_access_expression", Role::ClassConstant),
        ("member_call_expression", Role::Call),
        ("nullsafe_member_call_expression", Role::Call),
        ("scoped_call_expression", Role::Call),
        ("function_call_expression", Role::Invocation),
        ("object_creation_expression", Role::New),
        ("anonymous_class", Role::Anonymous),
        ("arguments", Role::Args),
        ("argument", Role::NamedArgument),
        ("anonymous_function", Role::Lambda),
        ("anonymous_function_creation_expression", Role::Lambda),
        ("anonymous_function_use_clause", Role::Skip),
        ("arrow_function", Role::Lambda),
        ("parenthesized_expression", Role::Paren),
        ("expression_statement", Role::Paren),
        ("clone_expression", Role::Paren),
        ("assignment_expression", Role::AssignLocal),
        ("binary_expression", Role::Binary),
        ("??", Role::Elvis),
        ("conditional_expression", Role::Conditional),
        ("subscript_expression", Role::Subscript),
        ("encapsed_string", Role::Text),
        ("heredoc", Role::Text),
        ("string", Role::Literal),
        ("nowdoc", Role::Literal),
        ("integer", Role::Literal),
        ("float", Role::Literal),
        ("boolean", Role::Literal),
        ("null", Role::Null),
        ("compound_statement", Role::Statements),
        ("foreach_statement", Role::For),
        ("catch_clause", Role::Catch),
        ("return_statement", Role::Return),
        ("global_declaration", Role::Skip),
        ("named_label_statement", Role::Skip),
        ("goto_statement", Role::Skip),
        ("break_statement", Role::Skip),
        ("continue_statement", Role::Skip),
    ],
    fields: &[
        ("name", Field::Name),
        ("alias", Field::Alias),
        ("type", Field::Type),
        ("return_type", Field::Type),
        ("body", Field::Body),
        ("value", Field::Value),
        ("default_value", Field::Value),
        ("object", Field::Object),
        ("scope", Field::Object),
        ("function", Field::Function),
        ("left", Field::Left),
        ("right", Field::Right),
        ("parameters", Field::Params),
        ("arguments", Field::Args),
        ("alternative", Field::Right),
        ("condition", Field::Condition),
        ("visibility", Field::Visibility),
    ],
};

impl Walker<'_> {
    /// `use A\B;`, `use A\{B, C as D};`, `use function A\f;`
    pub(super) fn php_use(&mut self, id: Id) {
        let mut prefix = String::new();
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::ScopedName | Role::Name => prefix = self.dotted(child),
                Role::Import => self.php_use_clause(child, &prefix),
                Role::Wrap => {
                    for clause in self.flat.children(child) {
                        self.php_use_clause(clause, &prefix);
                    }
                }
                _ => {}
            }
        }
    }

    fn php_use_clause(&mut self, id: Id, prefix: &str) {
        let alias = self.flat.child(id, Field::Alias);
        let name = self.flat.children(id).find(|c| {
            Some(*c) != alias && matches!(self.flat.role(*c), Role::Name | Role::ScopedName)
        });
        let Some(name) = name else { return };
        let name = self.dotted(name);
        let path = match prefix {
            "" => name,
            prefix => format!("{prefix}.{name}"),
        };
        let alias = alias.map(|a| self.text(a));
        let line = self.line(id);
        self.add_import(&path, alias, false, line);
    }

    /// `use T;` in a class: the members of a trait become its own.
    pub(super) fn mixin(&mut self, id: Id) {
        let class = self.class;
        for child in self.flat.children(id) {
            if matches!(self.flat.role(child), Role::Name | Role::ScopedName) {
                self.base(child, class, LocalNode::UNIT, Relation::MIXES_IN);
            }
        }
    }

    /// What a variable is bound under: those of functions and those of the file are two things.
    fn variable_name(&mut self, id: Id) -> StrId {
        let text = self.text(id);
        if self.in_function {
            return self.b.unit.intern(text);
        }
        self.b.unit.intern(&format!("${text}"))
    }

    /// `$x`, `$this`
    pub(super) fn variable(&mut self, id: Id) -> ExprId {
        if self.text(id) == "$this" {
            let outer = std::mem::replace(&mut self.in_static, false);
            let this = self.this();
            self.in_static = outer;
            return this;
        }
        let name = self.variable_name(id);
        let scope = self.scope;
        self.b.implied(scope, LocalNode::UNIT, name)
    }

    /// `$x = v`, `$this->f = v`
    pub(super) fn assign_local(&mut self, id: Id) -> ExprId {
        let left = self.flat.child(id, Field::Left);
        let right = self.flat.child(id, Field::Right);
        let value = right.map_or(ExprId::UNKNOWN, |r| self.value(r, Context::ASSIGNMENT));
        let Some(left) = left else {
            return value;
        };
        match self.flat.role(left) {
            Role::Variable if self.text(left) != "$this" => {
                let name = self.variable_name(left);
                self.assign(name, value);
            }
            Role::Member => {
                let this = self.flat.child(left, Field::Object);
                let name = self.flat.child(left, Field::Name);
                if let (Some(this), Some(name)) = (this, name)
                    && self.text(this) == "$this"
                {
                    let name = self.text(name);
                    self.set_field(name, value);
                }
                self.visit(left);
            }
            _ => {
                self.visit(left);
            }
        }
        value
    }

    /// Binds a local from here on. What is said in a branch may hold behind it or may not.
    pub(super) fn assign(&mut self, name: StrId, value: ExprId) {
        let value = if self.branches > 1 && value != ExprId::UNKNOWN {
            let scope = self.scope;
            let left = self.b.name(scope, name);
            self.b.expr(Expr::Either { left, right: value })
        } else {
            value
        };
        self.declare(name, TypeId::UNKNOWN, value);
    }

    /// What a field holds, where nothing better is known.
    pub(super) fn set_field(&mut self, name: &str, value: ExprId) {
        let name = self.b.unit.intern(name);
        if let Some(field) = self.fields.get(&(self.class, name)).copied()
            && value != ExprId::UNKNOWN
        {
            let def = self.b.def(field);
            if def.ty == TypeId::UNKNOWN && def.value == ExprId::UNKNOWN {
                def.value = value;
            }
        }
    }

    /// `foreach (xs as $k => $v) …`
    pub(super) fn php_for_each(&mut self, id: Id) {
        let mut value = None;
        for child in self.flat.children(id) {
            let role = self.flat.role(child);
            match value {
                None => value = Some(self.visit(child)),
                Some(base) if role == Role::Variable => self.loop_variable(child, base),
                Some(base) if self.flat.field(child) == Field::Other => {
                    // A pair of key and value.
                    let last = self.flat.children(child).last();
                    if let Some(last) = last.filter(|l| self.flat.role(*l) == Role::Variable) {
                        self.loop_variable(last, base);
                    }
                }
                Some(_) => {
                    self.visit(child);
                }
            }
        }
    }

    fn loop_variable(&mut self, id: Id, base: ExprId) {
        let name = self.variable_name(id);
        let value = match base {
            ExprId::UNKNOWN => base,
            base => self.b.expr(Expr::Element { base }),
        };
        self.declare(name, TypeId::UNKNOWN, value);
    }

    /// `catch (E $e) { … }`
    pub(super) fn php_catch(&mut self, id: Id) {
        let mut ty = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            match self.flat.field(child) {
                Field::Type => ty = self.ty(child, Context::TYPE),
                Field::Name => {
                    let name = self.variable_name(child);
                    self.declare(name, ty, ExprId::UNKNOWN);
                }
                _ => {
                    self.visit(child);
                }
            }
        }
    }

    /// `self`, `static`, `parent`
    pub(super) fn relative_scope(&mut self, id: Id) -> ExprId {
        if self.class == LocalNode::UNIT {
            return ExprId::UNKNOWN;
        }
        let node = self.class;
        match self.text(id) {
            "parent" => self.b.expr(Expr::Super {
                node,
                of_type: true,
            }),
            _ => self.b.expr(Expr::This {
                node,
                of_type: true,
            }),
        }
    }

    /// `C::X`, `C::class`
    pub(super) fn class_constant(&mut self, id: Id) -> ExprId {
        let mut parts = self.flat.children(id);
        let (Some(class), Some(name)) = (parts.next(), parts.next()) else {
            return ExprId::UNKNOWN;
        };
        let base = self.receiver(class);
        let line = self.line(id);
        if self.text(name) == "class" {
            self.read_reference(base, Context::ARGUMENT, line);
            return ExprId::UNKNOWN;
        }
        let name = self.intern(name);
        let value = self.b.member(base, name);
        self.read_reference(value, Context::PROPERTY_READ, line);
        value
    }
}

//! C#: its grammar's kinds and fields, and what only it has.

use super::flat::Id;
use super::kinds::{Field, Role, Spec};
use super::walker::Walker;
use crate::model::label::Language;

/// C#.
pub(super) static SPEC: Spec = Spec {
    language: Language::CSHARP,
    separator: '.',
    methods_apart: false,
    kinds: &[
        ("comment", Role::Comment),
        ("file_scoped_namespace_declaration", Role::Package),
        ("namespace_declaration", Role::Namespace),
        ("using_directive", Role::Using),
        ("class_declaration", Role::Class),
        ("interface_declaration", Role::Interface),
        ("enum_declaration", Role::Enum),
        ("struct_declaration", Role::Record),
        ("record_declaration", Role::Record),
        ("delegate_declaration", Role::Delegate),
        ("declaration_list", Role::Body),
        ("enum_member_declaration_list", Role::Body),
        ("method_declaration", Role::Method),
        ("local_function_statement", Role::Method),
        ("constructor_declaration", Role::Constructor),
        ("constructor_initializer", Role::ConstructorCall),
        ("field_declaration", Role::Field),
        ("event_field_declaration", Role::Field),
        ("property_declaration", Role::Property),
        ("event_declaration", Role::Property),
        ("accessor_list", Role::Accessors),
        ("accessor_declaration", Role::Accessor),
        ("variable_declarator", Role::Declarator),
        ("enum_member_declaration", Role::EnumMember),
        ("attribute_list", Role::Modifiers),
        ("modifier", Role::Modifier),
        ("static", Role::Modifier),
        ("global", Role::Modifier),
        ("attribute", Role::Annotation),
        ("attribute_argument_list", Role::Args),
        ("attribute_argument", Role::NamedArgument),
        ("attribute_target_specifier", Role::Skip),
        ("explicit_interface_specifier", Role::Skip),
        ("parameter_list", Role::Params),
        ("bracketed_parameter_list", Role::Params),
        ("parameter", Role::Param),
        ("implicit_parameter", Role::Name),
        ("type_parameter_list", Role::TypeParams),
        ("type_parameter", Role::TypeParam),
        ("type_parameter_constraints_clause", Role::Constraints),
        ("type_parameter_constraint", Role::TypeGroup),
        ("base_list", Role::Extends),
        ("primary_constructor_base_type", Role::TypeGroup),
        ("qualified_name", Role::ScopedName),
        ("alias_qualified_name", Role::ScopedName),
        ("generic_name", Role::GenericType),
        ("array_type", Role::ArrayType),
        ("nullable_type", Role::TypeGroup),
        ("pointer_type", Role::TypeGroup),
        ("ref_type", Role::TypeGroup),
        ("scoped_type", Role::TypeGroup),
        ("tuple_type", Role::TupleType),
        ("tuple_element", Role::TypeGroup),
        ("predefined_type", Role::BuiltinType),
        ("implicit_type", Role::Skip),
        ("type_argument_list", Role::TypeArgs),
        ("argument_list", Role::Args),
        ("bracketed_argument_list", Role::Args),
        ("argument", Role::NamedArgument),
        ("identifier", Role::Name),
        ("this", Role::This),
        ("base", Role::Super),
        ("invocation_expression", Role::Invocation),
        ("object_creation_expression", Role::New),
        ("implicit_object_creation_expression", Role::ImplicitNew),
        ("initializer_expression", Role::Initializer),
        ("member_access_expression", Role::Member),
        ("conditional_access_expression", Role::Conditionally),
        ("member_binding_expression", Role::Binding),
        ("element_binding_expression", Role::Index),
        ("element_access_expression", Role::Index),
        ("cast_expression", Role::Cast),
        ("as_expression", Role::Cast),
        ("lambda_expression", Role::Lambda),
        ("anonymous_method_expression", Role::Lambda),
        ("parenthesized_expression", Role::Paren),
        ("arrow_expression_clause", Role::Paren),
        ("expression_statement", Role::Paren),
        ("checked_expression", Role::Paren),
        ("ref_expression", Role::Paren),
        ("await_expression", Role::Await),
        ("conditional_expression", Role::Conditional),
        ("assignment_expression", Role::Assign),
        ("binary_expression", Role::Binary),
        ("??", Role::Elvis),
        ("is_expression", Role::InstanceOf),
        ("interpolated_string_expression", Role::Text),
        ("string_literal", Role::Literal),
        ("verbatim_string_literal", Role::Literal),
        ("raw_string_literal", Role::Literal),
        ("character_literal", Role::Literal),
        ("integer_literal", Role::Literal),
        ("real_literal", Role::Literal),
        ("boolean_literal", Role::Literal),
        ("null_literal", Role::Null),
        ("variable_declaration", Role::Local),
        ("foreach_statement", Role::ForEach),
        ("from_clause", Role::Clause),
        ("let_clause", Role::Clause),
        ("query_expression", Role::Block),
        ("block", Role::Block),
        ("for_statement", Role::Block),
        ("using_statement", Role::Block),
        ("fixed_statement", Role::Block),
        ("switch_section", Role::Block),
        ("switch_expression_arm", Role::Block),
        ("catch_clause", Role::Block),
        ("catch_declaration", Role::PatternLocal),
        ("declaration_pattern", Role::PatternLocal),
        ("recursive_pattern", Role::PatternLocal),
        ("var_pattern", Role::PatternLocal),
        ("declaration_expression", Role::PatternLocal),
        ("subpattern", Role::NamedArgument),
        ("return_statement", Role::Return),
        ("break_statement", Role::Skip),
        ("continue_statement", Role::Skip),
        ("goto_statement", Role::Skip),
        ("labeled_statement", Role::Labeled),
        ("preproc_region", Role::Skip),
        ("preproc_endregion", Role::Skip),
        ("preproc_pragma", Role::Skip),
        ("preproc_define", Role::Skip),
        ("preproc_undef", Role::Skip),
    ],
    fields: &[
        ("name", Field::Name),
        ("type", Field::Type),
        ("returns", Field::Type),
        ("body", Field::Body),
        ("value", Field::Value),
        ("expression", Field::Object),
        ("function", Field::Function),
        ("left", Field::Left),
        ("right", Field::Right),
        ("parameters", Field::Params),
        ("arguments", Field::Args),
        ("consequence", Field::Left),
        ("alternative", Field::Right),
        ("condition", Field::Condition),
        ("operator", Field::Operator),
    ],
};

impl Walker<'_> {
    /// `namespace A.B { … }`
    pub(super) fn namespace(&mut self, id: Id) {
        let outer = self.package.clone();
        let name = self.flat.child(id, Field::Name);
        let name = name.map_or(String::new(), |n| self.dotted(n));
        let line = self.line(id);
        let inner = match (outer.is_empty(), name.is_empty()) {
            (true, _) => name,
            (false, true) => outer.clone(),
            (false, false) => format!("{outer}.{name}"),
        };
        self.set_package(inner, line);
        // Without a body, what follows in the file lies in it.
        if let Some(body) = self.body(id) {
            self.items(body);
            self.package = outer;
        }
    }

    /// `using N;`, `using static N.C;`, `using X = N.C;`, `global using N;`
    pub(super) fn using(&mut self, id: Id) {
        let alias = self.flat.child(id, Field::Name);
        let path = self.flat.children(id).find(|c| {
            Some(*c) != alias
                && matches!(
                    self.flat.role(*c),
                    Role::Name | Role::ScopedName | Role::GenericType
                )
        });
        let Some(path) = path else { return };
        let dotted = self.dotted(path);
        let dotted = dotted.split('<').next().unwrap_or_default().to_string();
        let line = self.line(id);
        let global = self
            .flat
            .children(id)
            .any(|c| self.flat.role(c) == Role::Modifier && self.text(c) == "global");
        let alias = alias.map(|a| self.text(a));
        self.add_import(&dotted, alias, alias.is_none(), line);
        if global && let Some(import) = self.b.unit.facts.imports.last_mut() {
            // Seen by every file of the project.
            import.level = 1;
        }
    }

    /// `delegate R D(P p);`
    pub(super) fn delegate(&mut self, id: Id) {
        use crate::model::facts::TypeExpr;
        use crate::model::label::NodeKind;
        let Some(name) = self.flat.child(id, Field::Name) else {
            return;
        };
        let flags = self.words(id).flags;
        let text = self.text(name);
        let node = self.define(text, NodeKind::TYPE_ALIAS, id, None, flags);
        self.function(id, node, false);
        let function = self.b.def(node).function;
        let ty = self.b.ty(TypeExpr::Function(function));
        self.b.def(node).ty = ty;
    }
}

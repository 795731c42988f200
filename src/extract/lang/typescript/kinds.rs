//! What the node kinds and fields of the TypeScript and JavaScript grammars mean to the walker.
//!
//! Where it sits: built once per grammar and process from the grammar's own names; the walker then compares one-byte
//! tags. The three grammars number their kinds differently and lack some: a kind that a grammar does not have is never met.

use tree_sitter::Language as Grammar;

macro_rules! tags {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum $name {
            /// Anything without a tag of its own.
            Other,
            $($variant),+
        }

        impl $name {
            fn of(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    _ => Self::Other,
                }
            }
        }
    };
}

tags! {
    /// A kind of syntax node, or a token that the walker looks at.
    K {
        Program = "program",
        Error = "ERROR",
        Comment = "comment",
        // Statements.
        ImportStatement = "import_statement",
        ImportClause = "import_clause",
        NamespaceImport = "namespace_import",
        NamedImports = "named_imports",
        ImportSpecifier = "import_specifier",
        ImportRequireClause = "import_require_clause",
        ImportAlias = "import_alias",
        ExportStatement = "export_statement",
        ExportClause = "export_clause",
        ExportSpecifier = "export_specifier",
        NamespaceExport = "namespace_export",
        FunctionDeclaration = "function_declaration",
        GeneratorFunctionDeclaration = "generator_function_declaration",
        FunctionSignature = "function_signature",
        ClassDeclaration = "class_declaration",
        AbstractClassDeclaration = "abstract_class_declaration",
        InterfaceDeclaration = "interface_declaration",
        TypeAliasDeclaration = "type_alias_declaration",
        EnumDeclaration = "enum_declaration",
        InternalModule = "internal_module",
        Module = "module",
        AmbientDeclaration = "ambient_declaration",
        LexicalDeclaration = "lexical_declaration",
        VariableDeclaration = "variable_declaration",
        UsingDeclaration = "using_declaration",
        VariableDeclarator = "variable_declarator",
        ExpressionStatement = "expression_statement",
        StatementBlock = "statement_block",
        IfStatement = "if_statement",
        ForStatement = "for_statement",
        ForInStatement = "for_in_statement",
        SwitchBody = "switch_body",
        CatchClause = "catch_clause",
        ReturnStatement = "return_statement",
        // Expressions.
        Identifier = "identifier",
        Undefined = "undefined",
        This = "this",
        Super = "super",
        Import = "import",
        Arguments = "arguments",
        CallExpression = "call_expression",
        NewExpression = "new_expression",
        MemberExpression = "member_expression",
        SubscriptExpression = "subscript_expression",
        NonNullExpression = "non_null_expression",
        AsExpression = "as_expression",
        SatisfiesExpression = "satisfies_expression",
        TypeAssertion = "type_assertion",
        InstantiationExpression = "instantiation_expression",
        ParenthesizedExpression = "parenthesized_expression",
        SequenceExpression = "sequence_expression",
        AwaitExpression = "await_expression",
        TernaryExpression = "ternary_expression",
        BinaryExpression = "binary_expression",
        UnaryExpression = "unary_expression",
        UpdateExpression = "update_expression",
        YieldExpression = "yield_expression",
        AssignmentExpression = "assignment_expression",
        AugmentedAssignmentExpression = "augmented_assignment_expression",
        ArrowFunction = "arrow_function",
        FunctionExpression = "function_expression",
        GeneratorFunction = "generator_function",
        Class = "class",
        Object = "object",
        Pair = "pair",
        ShorthandPropertyIdentifier = "shorthand_property_identifier",
        SpreadElement = "spread_element",
        Array = "array",
        String = "string",
        StringFragment = "string_fragment",
        TemplateString = "template_string",
        TemplateSubstitution = "template_substitution",
        Number = "number",
        Regex = "regex",
        True = "true",
        False = "false",
        Null = "null",
        MetaProperty = "meta_property",
        JsxElement = "jsx_element",
        JsxSelfClosingElement = "jsx_self_closing_element",
        JsxOpeningElement = "jsx_opening_element",
        JsxClosingElement = "jsx_closing_element",
        JsxAttribute = "jsx_attribute",
        JsxExpression = "jsx_expression",
        JsxNamespaceName = "jsx_namespace_name",
        JsxText = "jsx_text",
        Decorator = "decorator",
        // Patterns.
        ObjectPattern = "object_pattern",
        ArrayPattern = "array_pattern",
        AssignmentPattern = "assignment_pattern",
        ObjectAssignmentPattern = "object_assignment_pattern",
        PairPattern = "pair_pattern",
        RestPattern = "rest_pattern",
        ShorthandPropertyIdentifierPattern = "shorthand_property_identifier_pattern",
        // Functions and classes.
        FormalParameters = "formal_parameters",
        RequiredParameter = "required_parameter",
        OptionalParameter = "optional_parameter",
        ClassHeritage = "class_heritage",
        ExtendsClause = "extends_clause",
        ExtendsTypeClause = "extends_type_clause",
        ImplementsClause = "implements_clause",
        ClassBody = "class_body",
        ClassStaticBlock = "class_static_block",
        MethodDefinition = "method_definition",
        MethodSignature = "method_signature",
        AbstractMethodSignature = "abstract_method_signature",
        PublicFieldDefinition = "public_field_definition",
        FieldDefinition = "field_definition",
        InterfaceBody = "interface_body",
        PropertySignature = "property_signature",
        CallSignature = "call_signature",
        ConstructSignature = "construct_signature",
        IndexSignature = "index_signature",
        EnumBody = "enum_body",
        EnumAssignment = "enum_assignment",
        AccessibilityModifier = "accessibility_modifier",
        OverrideModifier = "override_modifier",
        PropertyIdentifier = "property_identifier",
        PrivatePropertyIdentifier = "private_property_identifier",
        ComputedPropertyName = "computed_property_name",
        NestedIdentifier = "nested_identifier",
        // Types.
        TypeAnnotation = "type_annotation",
        OptingTypeAnnotation = "opting_type_annotation",
        OmittingTypeAnnotation = "omitting_type_annotation",
        AddingTypeAnnotation = "adding_type_annotation",
        TypePredicateAnnotation = "type_predicate_annotation",
        AssertsAnnotation = "asserts_annotation",
        TypePredicate = "type_predicate",
        Asserts = "asserts",
        TypeIdentifier = "type_identifier",
        NestedTypeIdentifier = "nested_type_identifier",
        GenericType = "generic_type",
        TypeArguments = "type_arguments",
        TypeParameters = "type_parameters",
        TypeParameter = "type_parameter",
        Constraint = "constraint",
        DefaultType = "default_type",
        PredefinedType = "predefined_type",
        LiteralType = "literal_type",
        TemplateLiteralType = "template_literal_type",
        ArrayType = "array_type",
        TupleType = "tuple_type",
        ReadonlyType = "readonly_type",
        OptionalType = "optional_type",
        RestType = "rest_type",
        UnionType = "union_type",
        IntersectionType = "intersection_type",
        ParenthesizedType = "parenthesized_type",
        FunctionType = "function_type",
        ConstructorType = "constructor_type",
        ObjectType = "object_type",
        TypeQuery = "type_query",
        LookupType = "lookup_type",
        IndexTypeQuery = "index_type_query",
        ConditionalType = "conditional_type",
        InferType = "infer_type",
        MappedTypeClause = "mapped_type_clause",
        ThisType = "this_type",
        // Tokens.
        Async = "async",
        Static = "static",
        Get = "get",
        Set = "set",
        Star = "*",
        Abstract = "abstract",
        Default = "default",
        Type = "type",
        Typeof = "typeof",
        Const = "const",
        Var = "var",
        Global = "global",
        Readonly = "readonly",
        Question = "?",
        Equals = "=",
        AndAnd = "&&",
        OrOr = "||",
        Nullish = "??",
        Await = "await",
        Instanceof = "instanceof",
        Of = "of",
    }
}

tags! {
    /// A field of a syntax node.
    F {
        Name = "name",
        Value = "value",
        Body = "body",
        Source = "source",
        Alias = "alias",
        Left = "left",
        Right = "right",
        Operator = "operator",
        Kind = "kind",
        Type = "type",
        Key = "key",
        Pattern = "pattern",
        Property = "property",
        Parameter = "parameter",
        Parameters = "parameters",
        ReturnType = "return_type",
        TypeParameters = "type_parameters",
        TypeArguments = "type_arguments",
        Declaration = "declaration",
        Decorator = "decorator",
        Condition = "condition",
        Consequence = "consequence",
        Alternative = "alternative",
        Index = "index",
    }
}

/// One grammar's kinds and fields as tags.
pub(super) struct Tables {
    kinds: Vec<K>,
    fields: Vec<F>,
}

impl Tables {
    /// Reads the names of a grammar once.
    pub(super) fn new(grammar: &Grammar) -> Self {
        let kinds = (0..grammar.node_kind_count())
            .map(|id| u16::try_from(id).ok())
            .map(|id| id.map_or(K::Other, |id| kind_of(grammar, id)))
            .collect();
        let fields = (0..=grammar.field_count())
            .map(|id| u16::try_from(id).ok())
            .map(|id| id.and_then(|id| grammar.field_name_for_id(id)))
            .map(|name| name.map_or(F::Other, F::of))
            .collect();
        Self { kinds, fields }
    }

    /// The tag of a kind. The error kind has the largest number, outside the grammar's own.
    #[inline]
    pub(super) fn kind(&self, id: u16) -> K {
        match self.kinds.get(usize::from(id)) {
            Some(kind) => *kind,
            None if id == u16::MAX => K::Error,
            None => K::Other,
        }
    }

    /// The tag of a field.
    #[inline]
    pub(super) fn field(&self, id: u16) -> F {
        self.fields
            .get(usize::from(id))
            .copied()
            .unwrap_or(F::Other)
    }

    /// The number of a field, for a look ahead.
    pub(super) fn field_id(&self, field: F) -> u16 {
        let at = self.fields.iter().position(|f| *f == field);
        at.and_then(|at| u16::try_from(at).ok()).unwrap_or(u16::MAX)
    }
}

/// `class` and its like name a token and a node: only the node has the node's tag.
fn kind_of(grammar: &Grammar, id: u16) -> K {
    let kind = grammar.node_kind_for_id(id).map_or(K::Other, K::of);
    let is_token = kind as u8 >= K::Async as u8;
    if grammar.node_kind_is_named(id) == is_token {
        return K::Other;
    }
    kind
}

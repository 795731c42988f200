//! What the node kinds and fields of the C and C++ grammars mean to the walker.
//!
//! Where it sits: built once per grammar and process from the grammar's own names; the walker then compares one-byte
//! tags. The two grammars number their kinds differently and C lacks many: a kind that a grammar does not have is never
//! met. Invariant: several numbers of a grammar may share one tag (aliases), no number has two.

use tree_sitter::Language as Grammar;

macro_rules! tags {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
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
        Error = "ERROR",
        Comment = "comment",
        // The preprocessor.
        PreprocInclude = "preproc_include",
        PreprocDef = "preproc_def",
        PreprocFunctionDef = "preproc_function_def",
        PreprocArg = "preproc_arg",
        PreprocParams = "preproc_params",
        PreprocIf = "preproc_if",
        PreprocIfdef = "preproc_ifdef",
        PreprocElse = "preproc_else",
        PreprocElif = "preproc_elif",
        PreprocElifdef = "preproc_elifdef",
        PreprocCall = "preproc_call",
        // Definitions.
        FunctionDefinition = "function_definition",
        Declaration = "declaration",
        FieldDeclaration = "field_declaration",
        TypeDefinition = "type_definition",
        LinkageSpecification = "linkage_specification",
        DeclarationList = "declaration_list",
        FieldDeclarationList = "field_declaration_list",
        StructSpecifier = "struct_specifier",
        UnionSpecifier = "union_specifier",
        ClassSpecifier = "class_specifier",
        EnumSpecifier = "enum_specifier",
        EnumeratorList = "enumerator_list",
        Enumerator = "enumerator",
        BaseClassClause = "base_class_clause",
        AccessSpecifier = "access_specifier",
        NamespaceDefinition = "namespace_definition",
        NestedNamespaceSpecifier = "nested_namespace_specifier",
        NamespaceAliasDefinition = "namespace_alias_definition",
        NamespaceIdentifier = "namespace_identifier",
        UsingDeclaration = "using_declaration",
        AliasDeclaration = "alias_declaration",
        TemplateDeclaration = "template_declaration",
        TemplateParameterList = "template_parameter_list",
        TypeParameterDeclaration = "type_parameter_declaration",
        OptionalTypeParameterDeclaration = "optional_type_parameter_declaration",
        VariadicTypeParameterDeclaration = "variadic_type_parameter_declaration",
        FriendDeclaration = "friend_declaration",
        ConceptDefinition = "concept_definition",
        StaticAssertDeclaration = "static_assert_declaration",
        // Declarators.
        InitDeclarator = "init_declarator",
        FunctionDeclarator = "function_declarator",
        AbstractFunctionDeclarator = "abstract_function_declarator",
        PointerDeclarator = "pointer_declarator",
        ArrayDeclarator = "array_declarator",
        ParenthesizedDeclarator = "parenthesized_declarator",
        ReferenceDeclarator = "reference_declarator",
        AttributedDeclarator = "attributed_declarator",
        StructuredBindingDeclarator = "structured_binding_declarator",
        ParameterList = "parameter_list",
        ParameterDeclaration = "parameter_declaration",
        OptionalParameterDeclaration = "optional_parameter_declaration",
        VariadicParameterDeclaration = "variadic_parameter_declaration",
        VariadicParameter = "variadic_parameter",
        FieldInitializerList = "field_initializer_list",
        FieldInitializer = "field_initializer",
        TrailingReturnType = "trailing_return_type",
        StorageClassSpecifier = "storage_class_specifier",
        TypeQualifier = "type_qualifier",
        DefaultMethodClause = "default_method_clause",
        DeleteMethodClause = "delete_method_clause",
        // Types.
        PrimitiveType = "primitive_type",
        SizedTypeSpecifier = "sized_type_specifier",
        TypeIdentifier = "type_identifier",
        TypeDescriptor = "type_descriptor",
        TemplateType = "template_type",
        TemplateArgumentList = "template_argument_list",
        DependentType = "dependent_type",
        MacroTypeSpecifier = "macro_type_specifier",
        PlaceholderTypeSpecifier = "placeholder_type_specifier",
        // Names.
        Identifier = "identifier",
        FieldIdentifier = "field_identifier",
        QualifiedIdentifier = "qualified_identifier",
        DestructorName = "destructor_name",
        OperatorName = "operator_name",
        OperatorCast = "operator_cast",
        TemplateFunction = "template_function",
        TemplateMethod = "template_method",
        DependentName = "dependent_name",
        // Statements.
        CompoundStatement = "compound_statement",
        ExpressionStatement = "expression_statement",
        ReturnStatement = "return_statement",
        ForStatement = "for_statement",
        ForRangeLoop = "for_range_loop",
        IfStatement = "if_statement",
        WhileStatement = "while_statement",
        CatchClause = "catch_clause",
        // Expressions.
        CallExpression = "call_expression",
        ArgumentList = "argument_list",
        FieldExpression = "field_expression",
        SubscriptExpression = "subscript_expression",
        PointerExpression = "pointer_expression",
        ParenthesizedExpression = "parenthesized_expression",
        CastExpression = "cast_expression",
        CompoundLiteralExpression = "compound_literal_expression",
        AssignmentExpression = "assignment_expression",
        ConditionalExpression = "conditional_expression",
        BinaryExpression = "binary_expression",
        CommaExpression = "comma_expression",
        InitializerList = "initializer_list",
        InitializerPair = "initializer_pair",
        FieldDesignator = "field_designator",
        LambdaExpression = "lambda_expression",
        NewExpression = "new_expression",
        This = "this",
        StringLiteral = "string_literal",
        SystemLibString = "system_lib_string",
        ConcatenatedString = "concatenated_string",
        NumberLiteral = "number_literal",
        CharLiteral = "char_literal",
        True = "true",
        False = "false",
        // Tokens.
        EnumClass = "class",
        EnumStruct = "struct",
    }
}

tags! {
    /// A field of a syntax node.
    F {
        Name = "name",
        Value = "value",
        Body = "body",
        Path = "path",
        Type = "type",
        Declarator = "declarator",
        DefaultValue = "default_value",
        Parameters = "parameters",
        Function = "function",
        Arguments = "arguments",
        Argument = "argument",
        Field = "field",
        Left = "left",
        Right = "right",
        Condition = "condition",
        Consequence = "consequence",
        Alternative = "alternative",
        Designator = "designator",
        Scope = "scope",
        DefaultType = "default_type",
        Index = "index",
        Indices = "indices",
        Base = "base",
        Captures = "captures",
    }
}

/// One grammar's kinds and fields as tags.
pub(super) struct Tables {
    kinds: Vec<K>,
    fields: Vec<F>,
    ids: Vec<u16>,
}

impl Tables {
    /// Reads the names of a grammar once.
    pub(super) fn new(grammar: &Grammar) -> Self {
        let kinds = (0..grammar.node_kind_count())
            .map(|id| u16::try_from(id).ok())
            .map(|id| id.map_or(K::Other, |id| kind_of(grammar, id)))
            .collect();
        let fields: Vec<F> = (0..=grammar.field_count())
            .map(|id| u16::try_from(id).ok())
            .map(|id| id.and_then(|id| grammar.field_name_for_id(id)))
            .map(|name| name.map_or(F::Other, F::of))
            .collect();
        let mut ids = vec![u16::MAX; F::Captures as usize + 1];
        for (id, field) in fields.iter().enumerate() {
            if let (Some(slot), Ok(id)) = (ids.get_mut(*field as usize), u16::try_from(id)) {
                *slot = id;
            }
        }
        Self { kinds, fields, ids }
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
    #[inline]
    pub(super) fn field_id(&self, field: F) -> u16 {
        self.ids.get(field as usize).copied().unwrap_or(u16::MAX)
    }
}

/// Tokens and named nodes may share a name: each tag belongs to one of the two.
fn kind_of(grammar: &Grammar, id: u16) -> K {
    let kind = grammar.node_kind_for_id(id).map_or(K::Other, K::of);
    let is_token = kind as u8 >= K::EnumClass as u8;
    if grammar.node_kind_is_named(id) == is_token {
        return K::Other;
    }
    kind
}

//! What the node kinds and fields of the C and C++ grammars mean to the walker.
//!
//! Where it sits: built once per grammar and process from the grammar's own names; the walker then compares one-byte
//! tags. The two grammars number their kinds differently and C lacks many: a kind that a grammar does not have is never
//! met. Invariant: several numbers of a grammar may share one tag (aliases), no number has two.

use crate::extract::lang::tags::{KindTag, tags};

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

/// The grammar's kinds and fields as tags.
pub(super) type Tables = crate::extract::lang::tags::Tables<K, F>;

impl KindTag for K {
    const ERROR: Self = Self::Error;

    fn is_token(self) -> bool {
        self as u8 >= K::EnumClass as u8
    }
}

//! What the node kinds and fields of the Go grammar mean to the walker.
//!
//! Where it sits: built once per process from the grammar's own names; the walker then compares one-byte tags.

use crate::extract::lang::tags::{KindTag, tags};

tags! {
    /// A kind of syntax node, or (at the end) a token that the walker looks at.
    K {
        Error = "ERROR",
        Comment = "comment",
        PackageClause = "package_clause",
        ImportDeclaration = "import_declaration",
        ImportSpec = "import_spec",
        ImportSpecList = "import_spec_list",
        Dot = "dot",
        BlankIdentifier = "blank_identifier",
        ConstDeclaration = "const_declaration",
        ConstSpec = "const_spec",
        VarDeclaration = "var_declaration",
        VarSpec = "var_spec",
        VarSpecList = "var_spec_list",
        TypeDeclaration = "type_declaration",
        TypeSpec = "type_spec",
        TypeAlias = "type_alias",
        FunctionDeclaration = "function_declaration",
        MethodDeclaration = "method_declaration",
        ParameterList = "parameter_list",
        ParameterDeclaration = "parameter_declaration",
        VariadicParameterDeclaration = "variadic_parameter_declaration",
        TypeParameterList = "type_parameter_list",
        TypeParameterDeclaration = "type_parameter_declaration",
        ExpressionList = "expression_list",
        // Types.
        ParenthesizedType = "parenthesized_type",
        TypeIdentifier = "type_identifier",
        GenericType = "generic_type",
        QualifiedType = "qualified_type",
        PointerType = "pointer_type",
        StructType = "struct_type",
        InterfaceType = "interface_type",
        ArrayType = "array_type",
        ImplicitLengthArrayType = "implicit_length_array_type",
        SliceType = "slice_type",
        MapType = "map_type",
        ChannelType = "channel_type",
        FunctionType = "function_type",
        NegatedType = "negated_type",
        TypeElem = "type_elem",
        TypeConstraint = "type_constraint",
        TypeArguments = "type_arguments",
        FieldDeclarationList = "field_declaration_list",
        FieldDeclaration = "field_declaration",
        MethodElem = "method_elem",
        // Statements.
        Block = "block",
        StatementList = "statement_list",
        ExpressionStatement = "expression_statement",
        AssignmentStatement = "assignment_statement",
        ShortVarDeclaration = "short_var_declaration",
        ReceiveStatement = "receive_statement",
        ReturnStatement = "return_statement",
        IfStatement = "if_statement",
        ForStatement = "for_statement",
        RangeClause = "range_clause",
        ExpressionSwitchStatement = "expression_switch_statement",
        TypeSwitchStatement = "type_switch_statement",
        SelectStatement = "select_statement",
        ExpressionCase = "expression_case",
        TypeCase = "type_case",
        DefaultCase = "default_case",
        CommunicationCase = "communication_case",
        // Expressions.
        Identifier = "identifier",
        CallExpression = "call_expression",
        ArgumentList = "argument_list",
        VariadicArgument = "variadic_argument",
        SelectorExpression = "selector_expression",
        IndexExpression = "index_expression",
        SliceExpression = "slice_expression",
        TypeAssertionExpression = "type_assertion_expression",
        TypeConversionExpression = "type_conversion_expression",
        TypeInstantiationExpression = "type_instantiation_expression",
        CompositeLiteral = "composite_literal",
        LiteralValue = "literal_value",
        LiteralElement = "literal_element",
        KeyedElement = "keyed_element",
        FuncLiteral = "func_literal",
        UnaryExpression = "unary_expression",
        BinaryExpression = "binary_expression",
        ParenthesizedExpression = "parenthesized_expression",
        InterpretedStringLiteral = "interpreted_string_literal",
        RawStringLiteral = "raw_string_literal",
        IntLiteral = "int_literal",
        FloatLiteral = "float_literal",
        ImaginaryLiteral = "imaginary_literal",
        RuneLiteral = "rune_literal",
        Nil = "nil",
        True = "true",
        False = "false",
        Iota = "iota",
        // Tokens.
        Arrow = "<-",
        Bang = "!",
        Define = ":=",
        Equals = "=",
    }
}

tags! {
    /// A field of a syntax node.
    F {
        Name = "name",
        Path = "path",
        Type = "type",
        Value = "value",
        Key = "key",
        Body = "body",
        Left = "left",
        Right = "right",
        Alias = "alias",
        Initializer = "initializer",
        Consequence = "consequence",
        Alternative = "alternative",
        Receiver = "receiver",
        Parameters = "parameters",
        Result = "result",
        TypeParameters = "type_parameters",
        TypeArguments = "type_arguments",
        Function = "function",
        Operand = "operand",
        Operator = "operator",
        Field = "field",
        Index = "index",
        Element = "element",
        Package = "package",
    }
}

/// The grammar's kinds and fields as tags.
pub(super) type Tables = crate::extract::lang::tags::Tables<K, F>;

impl KindTag for K {
    const ERROR: Self = Self::Error;

    fn is_token(self) -> bool {
        self as u8 >= K::Arrow as u8
    }
}

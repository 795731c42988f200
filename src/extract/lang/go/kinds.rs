//! What the node kinds and fields of the Go grammar mean to the walker.
//!
//! Where it sits: built once per process from the grammar's own names; the walker then compares one-byte tags.

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
pub(super) struct Tables {
    kinds: Vec<K>,
    fields: Vec<F>,
}

impl Tables {
    /// Reads the names of the grammar once.
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

/// A token and a node may share a name: only the node has the node's tag, and the other way round.
fn kind_of(grammar: &Grammar, id: u16) -> K {
    let kind = grammar.node_kind_for_id(id).map_or(K::Other, K::of);
    let is_token = kind as u8 >= K::Arrow as u8;
    if grammar.node_kind_is_named(id) == is_token {
        return K::Other;
    }
    kind
}

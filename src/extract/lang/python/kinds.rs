//! What the node kinds and fields of the Python grammar mean to the walker.
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
    /// A kind of syntax node; from [`K::Async`] on a token that the walker looks at.
    K {
        Error = "ERROR",
        Comment = "comment",
        ImportStatement = "import_statement",
        ImportFromStatement = "import_from_statement",
        FutureImportStatement = "future_import_statement",
        RelativeImport = "relative_import",
        AliasedImport = "aliased_import",
        WildcardImport = "wildcard_import",
        DottedName = "dotted_name",
        ExpressionStatement = "expression_statement",
        ReturnStatement = "return_statement",
        RaiseStatement = "raise_statement",
        BreakStatement = "break_statement",
        ContinueStatement = "continue_statement",
        AssertStatement = "assert_statement",
        DeleteStatement = "delete_statement",
        GlobalStatement = "global_statement",
        NonlocalStatement = "nonlocal_statement",
        TypeAliasStatement = "type_alias_statement",
        IfStatement = "if_statement",
        ElifClause = "elif_clause",
        ElseClause = "else_clause",
        ForStatement = "for_statement",
        WhileStatement = "while_statement",
        TryStatement = "try_statement",
        ExceptClause = "except_clause",
        FinallyClause = "finally_clause",
        WithStatement = "with_statement",
        WithClause = "with_clause",
        WithItem = "with_item",
        MatchStatement = "match_statement",
        CaseClause = "case_clause",
        CasePattern = "case_pattern",
        ClassPattern = "class_pattern",
        KeywordPattern = "keyword_pattern",
        SplatPattern = "splat_pattern",
        FunctionDefinition = "function_definition",
        ClassDefinition = "class_definition",
        DecoratedDefinition = "decorated_definition",
        Decorator = "decorator",
        Block = "block",
        Parameters = "parameters",
        LambdaParameters = "lambda_parameters",
        DefaultParameter = "default_parameter",
        TypedParameter = "typed_parameter",
        TypedDefaultParameter = "typed_default_parameter",
        KeywordSeparator = "keyword_separator",
        ListSplatPattern = "list_splat_pattern",
        DictionarySplatPattern = "dictionary_splat_pattern",
        TuplePattern = "tuple_pattern",
        ListPattern = "list_pattern",
        PatternList = "pattern_list",
        TypeParameter = "type_parameter",
        Type = "type",
        ArgumentList = "argument_list",
        KeywordArgument = "keyword_argument",
        // Expressions.
        Identifier = "identifier",
        Attribute = "attribute",
        Call = "call",
        Subscript = "subscript",
        Slice = "slice",
        Await = "await",
        Lambda = "lambda",
        NamedExpression = "named_expression",
        ConditionalExpression = "conditional_expression",
        BooleanOperator = "boolean_operator",
        BinaryOperator = "binary_operator",
        ComparisonOperator = "comparison_operator",
        UnaryOperator = "unary_operator",
        NotOperator = "not_operator",
        Assignment = "assignment",
        AugmentedAssignment = "augmented_assignment",
        Yield = "yield",
        List = "list",
        Set = "set",
        Tuple = "tuple",
        ExpressionList = "expression_list",
        Dictionary = "dictionary",
        Pair = "pair",
        ListComprehension = "list_comprehension",
        SetComprehension = "set_comprehension",
        DictionaryComprehension = "dictionary_comprehension",
        GeneratorExpression = "generator_expression",
        ForInClause = "for_in_clause",
        IfClause = "if_clause",
        ListSplat = "list_splat",
        DictionarySplat = "dictionary_splat",
        ParenthesizedExpression = "parenthesized_expression",
        AsPattern = "as_pattern",
        AsPatternTarget = "as_pattern_target",
        String = "string",
        ConcatenatedString = "concatenated_string",
        Interpolation = "interpolation",
        Integer = "integer",
        Float = "float",
        True = "true",
        False = "false",
        None = "none",
        Ellipsis = "ellipsis",
        // Tokens.
        Async = "async",
        And = "and",
        Or = "or",
        From = "from",
    }
}

tags! {
    /// A field of a syntax node.
    F {
        Name = "name",
        Alias = "alias",
        ModuleName = "module_name",
        Value = "value",
        Body = "body",
        Left = "left",
        Right = "right",
        Type = "type",
        Function = "function",
        Arguments = "arguments",
        Object = "object",
        Attribute = "attribute",
        Subscript = "subscript",
        Operator = "operator",
        Condition = "condition",
        Consequence = "consequence",
        Alternative = "alternative",
        Subject = "subject",
        Guard = "guard",
        Parameters = "parameters",
        ReturnType = "return_type",
        TypeParameters = "type_parameters",
        Superclasses = "superclasses",
        Definition = "definition",
        Argument = "argument",
        Key = "key",
    }
}

/// The grammar's kinds and fields as tags.
pub(super) struct Tables {
    kinds: Vec<K>,
    fields: Vec<F>,
    /// Per tag of a field: its number.
    field_ids: Vec<u16>,
}

impl Tables {
    /// Reads the names of the grammar once.
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
        let mut field_ids = vec![u16::MAX; usize::from(u8::MAX) + 1];
        for (id, field) in fields.iter().enumerate() {
            if let (Some(slot), Ok(id)) = (field_ids.get_mut(*field as usize), u16::try_from(id)) {
                *slot = id;
            }
        }
        Self {
            kinds,
            fields,
            field_ids,
        }
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
        self.field_ids
            .get(field as usize)
            .copied()
            .unwrap_or(u16::MAX)
    }
}

/// `lambda` and its like name a token and a node: only the node has the node's tag.
fn kind_of(grammar: &Grammar, id: u16) -> K {
    let kind = grammar.node_kind_for_id(id).map_or(K::Other, K::of);
    let is_token = kind as u8 >= K::Async as u8;
    if grammar.node_kind_is_named(id) == is_token {
        return K::Other;
    }
    kind
}

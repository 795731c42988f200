//! What the node kinds and fields of the Rust grammar mean to the walker.
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
    /// A kind of syntax node.
    K {
        Error = "ERROR",
        LineComment = "line_comment",
        BlockComment = "block_comment",
        Attribute = "attribute_item",
        InnerAttribute = "inner_attribute_item",
        Visibility = "visibility_modifier",
        Modifiers = "function_modifiers",
        // Items.
        Function = "function_item",
        FunctionSignature = "function_signature_item",
        Struct = "struct_item",
        Union = "union_item",
        Enum = "enum_item",
        EnumVariant = "enum_variant",
        Trait = "trait_item",
        Impl = "impl_item",
        Mod = "mod_item",
        ForeignMod = "foreign_mod_item",
        Const = "const_item",
        Static = "static_item",
        TypeAlias = "type_item",
        AssociatedType = "associated_type",
        Use = "use_declaration",
        ExternCrate = "extern_crate_declaration",
        MacroDefinition = "macro_definition",
        MacroInvocation = "macro_invocation",
        DeclarationList = "declaration_list",
        Fields = "field_declaration_list",
        OrderedFields = "ordered_field_declaration_list",
        FieldDeclaration = "field_declaration",
        Parameter = "parameter",
        SelfParameter = "self_parameter",
        WhereClause = "where_clause",
        WherePredicate = "where_predicate",
        // Uses.
        UseAs = "use_as_clause",
        UseList = "use_list",
        UseScoped = "scoped_use_list",
        UseWildcard = "use_wildcard",
        // Statements.
        Let = "let_declaration",
        ExpressionStatement = "expression_statement",
        Empty = "empty_statement",
        Label = "label",
        // Names.
        Identifier = "identifier",
        TypeIdentifier = "type_identifier",
        FieldIdentifier = "field_identifier",
        ShorthandField = "shorthand_field_identifier",
        ScopedIdentifier = "scoped_identifier",
        ScopedType = "scoped_type_identifier",
        Primitive = "primitive_type",
        SelfWord = "self",
        SuperWord = "super",
        CrateWord = "crate",
        Metavariable = "metavariable",
        // Types.
        GenericType = "generic_type",
        GenericTurbofish = "generic_type_with_turbofish",
        Bracketed = "bracketed_type",
        QualifiedType = "qualified_type",
        ReferenceType = "reference_type",
        PointerType = "pointer_type",
        ArrayType = "array_type",
        TupleType = "tuple_type",
        UnitType = "unit_type",
        FunctionType = "function_type",
        AbstractType = "abstract_type",
        DynamicType = "dynamic_type",
        BoundedType = "bounded_type",
        HigherRanked = "higher_ranked_trait_bound",
        RemovedBound = "removed_trait_bound",
        TraitBounds = "trait_bounds",
        TypeArguments = "type_arguments",
        TypeBinding = "type_binding",
        TypeParameters = "type_parameters",
        TypeParameter = "type_parameter",
        ConstParameter = "const_parameter",
        Lifetime = "lifetime",
        // Expressions.
        Block = "block",
        UnsafeBlock = "unsafe_block",
        AsyncBlock = "async_block",
        TryBlock = "try_block",
        ConstBlock = "const_block",
        Call = "call_expression",
        GenericFunction = "generic_function",
        FieldExpression = "field_expression",
        Try = "try_expression",
        Await = "await_expression",
        Index = "index_expression",
        Binary = "binary_expression",
        Unary = "unary_expression",
        Reference = "reference_expression",
        Parenthesized = "parenthesized_expression",
        Cast = "type_cast_expression",
        Range = "range_expression",
        Assignment = "assignment_expression",
        CompoundAssignment = "compound_assignment_expr",
        If = "if_expression",
        ElseClause = "else_clause",
        LetCondition = "let_condition",
        LetChain = "let_chain",
        Match = "match_expression",
        MatchArm = "match_arm",
        MatchPattern = "match_pattern",
        While = "while_expression",
        Loop = "loop_expression",
        For = "for_expression",
        Closure = "closure_expression",
        Return = "return_expression",
        Break = "break_expression",
        StructExpression = "struct_expression",
        FieldInitializer = "field_initializer",
        ShorthandInitializer = "shorthand_field_initializer",
        BaseInitializer = "base_field_initializer",
        Array = "array_expression",
        Tuple = "tuple_expression",
        Unit = "unit_expression",
        String = "string_literal",
        RawString = "raw_string_literal",
        StringContent = "string_content",
        Char = "char_literal",
        Integer = "integer_literal",
        Float = "float_literal",
        Boolean = "boolean_literal",
        TokenTree = "token_tree",
        TokenRepetition = "token_repetition",
        // Patterns.
        CapturedPattern = "captured_pattern",
        MutPattern = "mut_pattern",
        RefPattern = "ref_pattern",
        ReferencePattern = "reference_pattern",
        TuplePattern = "tuple_pattern",
        TupleStructPattern = "tuple_struct_pattern",
        StructPattern = "struct_pattern",
        FieldPattern = "field_pattern",
        RemainingPattern = "remaining_field_pattern",
        SlicePattern = "slice_pattern",
        OrPattern = "or_pattern",
        GenericPattern = "generic_pattern",
        Mutable = "mutable_specifier",
    }
}

tags! {
    /// A field of a syntax node.
    F {
        Name = "name",
        Body = "body",
        Type = "type",
        Trait = "trait",
        Value = "value",
        Pattern = "pattern",
        Parameters = "parameters",
        TypeParameters = "type_parameters",
        ReturnType = "return_type",
        TypeArguments = "type_arguments",
        Function = "function",
        Arguments = "arguments",
        Field = "field",
        Left = "left",
        Right = "right",
        Operator = "operator",
        Condition = "condition",
        Consequence = "consequence",
        Alternative = "alternative",
        Path = "path",
        Alias = "alias",
        List = "list",
        Argument = "argument",
        Bounds = "bounds",
        DefaultType = "default_type",
        Macro = "macro",
        Element = "element",
        Length = "length",
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
            .map(|id| {
                id.filter(|id| grammar.node_kind_is_named(*id))
                    .and_then(|id| grammar.node_kind_for_id(id))
                    .map_or(K::Other, K::of)
            })
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

//! What the node kinds and fields of a class language's grammar mean to the walker.
//!
//! Where it sits: each language states its table once ([`Spec`]); built once per process into arrays by the grammar's own
//! numbers ([`Tables`]). Invariant: the shared parts of the walker know roles, never a grammar's names.

use tree_sitter::Language as Grammar;

use crate::model::label::Language;

/// What a syntax node is to the walker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Role {
    /// Nothing by itself: its children are looked at.
    Other,
    /// Nothing, with all that is in it.
    Skip,
    Comment,
    Error,
    /// What stands around one part.
    Wrap,
    // Declarations.
    Package,
    Namespace,
    Import,
    Using,
    Asterisk,
    Class,
    Interface,
    /// The word that makes a class an interface.
    InterfaceWord,
    Enum,
    Record,
    Trait,
    /// A class or a module, which may be opened again.
    RubyType,
    Singleton,
    /// Members of another type that become a type's own.
    Mixin,
    Object,
    Companion,
    Delegate,
    Alias,
    Body,
    Method,
    Function,
    FunctionBody,
    /// The constructor that stands between a type's name and its body.
    Primary,
    Constructor,
    Field,
    Property,
    Accessors,
    Accessor,
    Declarator,
    /// Names with types and values, wherever they stand.
    Variables,
    Variable,
    VariableList,
    Pattern,
    ByDelegate,
    EnumMember,
    Modifiers,
    Modifier,
    Annotation,
    Params,
    Param,
    RestParam,
    TypeParams,
    TypeParam,
    /// Bounds of type parameters that stand apart from them.
    Constraints,
    Extends,
    Implements,
    /// A base type whose members a value carries out.
    Delegation,
    // Types.
    TypeName,
    ScopedType,
    GenericType,
    /// Names and arguments side by side.
    UserType,
    ArrayType,
    MapType,
    /// Types one after another, or one with something around it.
    TypeGroup,
    BuiltinType,
    TupleType,
    UnionType,
    FunctionType,
    TypeArgs,
    // Expressions.
    Name,
    ScopedName,
    This,
    Super,
    Call,
    /// A call whose callee is an expression of its own.
    Invocation,
    /// A call whose callee, arguments and lambda stand side by side.
    Chained,
    Navigation,
    /// What stands behind a dot.
    Suffix,
    Anonymous,
    Infix,
    Unary,
    Bang,
    Subscript,
    Argument,
    New,
    /// A construction that leaves the type to its place.
    ImplicitNew,
    Initializer,
    ConstructorCall,
    Member,
    /// A value, and what is done with it where there is one.
    Conditionally,
    /// A member of the value that stands before it.
    Binding,
    Index,
    Args,
    NamedArgument,
    Cast,
    Lambda,
    /// A lambda in braces.
    Braces,
    MethodRef,
    Paren,
    Conditional,
    Assign,
    /// An assignment that binds a local.
    AssignLocal,
    /// `self`, `static`, `parent` before `::`.
    RelativeScope,
    ClassConstant,
    Binary,
    /// The sign of "or else" between two values.
    Elvis,
    Await,
    InstanceOf,
    Text,
    Literal,
    Null,
    // Statements.
    Local,
    PatternLocal,
    ForEach,
    /// A name that a query binds.
    Clause,
    Block,
    /// Statements in braces that are no scope.
    Statements,
    If,
    Guard,
    When,
    Subject,
    Entry,
    TypeTest,
    For,
    Catch,
    Return,
    Labeled,
}

impl Role {
    /// Whether it is a type wherever it stands.
    pub(super) fn is_type(self) -> bool {
        matches!(
            self,
            Self::TypeName
                | Self::ScopedType
                | Self::GenericType
                | Self::UserType
                | Self::ArrayType
                | Self::MapType
                | Self::TypeGroup
                | Self::BuiltinType
                | Self::TupleType
                | Self::UnionType
                | Self::FunctionType
        )
    }
}

/// What a syntax node is to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Field {
    Other,
    Name,
    Bound,
    Alias,
    Visibility,
    Type,
    Body,
    Value,
    Object,
    Function,
    Left,
    Right,
    Params,
    Args,
    Block,
    Condition,
    Operator,
}

/// A language of this family.
pub(super) struct Spec {
    pub(super) language: Language,
    /// What stands between the names of a qualified name.
    pub(super) separator: char,
    /// A method and a field may share a name: what is called is never a variable.
    pub(super) methods_apart: bool,
    pub(super) kinds: &'static [(&'static str, Role)],
    pub(super) fields: &'static [(&'static str, Field)],
}

/// A language's tables by the grammar's numbers.
pub(super) struct Tables {
    roles: Vec<Role>,
    fields: Vec<Field>,
}

impl Tables {
    pub(super) fn new(grammar: &Grammar, spec: &Spec) -> Self {
        let role = |id: usize| {
            let name = u16::try_from(id)
                .ok()
                .and_then(|id| grammar.node_kind_for_id(id));
            let row = spec.kinds.iter().find(|(kind, _)| Some(*kind) == name);
            row.map_or(Role::Other, |(_, role)| *role)
        };
        let field = |id: usize| {
            let name = u16::try_from(id)
                .ok()
                .and_then(|id| grammar.field_name_for_id(id));
            let row = spec.fields.iter().find(|(field, _)| Some(*field) == name);
            row.map_or(Field::Other, |(_, field)| *field)
        };
        Self {
            roles: (0..grammar.node_kind_count()).map(role).collect(),
            fields: (0..=grammar.field_count()).map(field).collect(),
        }
    }

    pub(super) fn role(&self, kind: u16) -> Role {
        let role = self.roles.get(usize::from(kind)).copied();
        role.unwrap_or(Role::Other)
    }

    pub(super) fn field(&self, field: u16) -> Field {
        let field = self.fields.get(usize::from(field)).copied();
        field.unwrap_or(Field::Other)
    }
}

//! Facts: what one file says about its own names, types and references, before anything is linked.
//!
//! Where it sits: written by `extract` (which sees one file), read by `link` (which sees all), kept in the index so that
//! a file can be linked again without being parsed. Invariants: facts depend on the file alone; every id points into the
//! same unit (a reader checks, never trusts); an expression or type refers only to ones that stand before it, so that
//! evaluation cannot loop inside a file.
//!
//! The evidence is one small language for all source languages: scopes with bindings, expressions, written types. What a
//! source language means by them (module paths, built-in types, method lookup) is `link`'s business.

use rkyv::{Archive, Deserialize, Serialize};

use crate::ids::{LocalNode, StrId};
use crate::model::label::{Context, Relation};

macro_rules! fact_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Archive, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index into its table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

fact_id! {
    /// A scope; 0 is the file's own.
    ScopeId
}
fact_id! {
    /// An expression; 0 is [`Expr::Unknown`].
    ExprId
}
fact_id! {
    /// A written type; 0 is [`TypeExpr::Unknown`].
    TypeId
}
fact_id! {
    /// A function's facts.
    FunctionId
}
fact_id! {
    /// An import.
    ImportId
}

/// A run of entries in [`Facts::lists`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct List {
    /// First entry.
    pub start: u32,
    /// Number of entries.
    pub len: u32,
}

/// What kind of region a scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
#[repr(u8)]
pub enum ScopeKind {
    /// The file or an inline module.
    Module,
    /// A class, interface, struct or trait body.
    Type,
    /// A function's parameters and body.
    Function,
    /// Any other block.
    Block,
}

/// A region in which names are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Scope {
    /// The scope around it; the file's scope is its own parent.
    pub parent: ScopeId,
    /// The innermost node that owns it.
    pub owner: LocalNode,
    /// What it is.
    pub kind: ScopeKind,
}

/// In which of a language's name spaces a binding lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
#[repr(u8)]
pub enum Space {
    /// Values only.
    Value,
    /// Types only.
    Type,
    /// Both (classes, enums, imports).
    Both,
}

/// What a bound name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum Bound {
    /// A definition of this unit.
    Node(LocalNode),
    /// An import.
    Import(ImportId),
    /// A parameter or local: its written type and its value, where there are such.
    Local {
        /// The written type, or [`TypeExpr::Unknown`].
        ty: TypeId,
        /// The value it was first given, or [`Expr::Unknown`].
        value: ExprId,
    },
    /// A type parameter with its bound.
    TypeParam {
        /// The written bound, or [`TypeExpr::Unknown`].
        bound: TypeId,
    },
}

/// One name bound in one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Binding {
    /// Where it is bound.
    pub scope: ScopeId,
    /// The name.
    pub name: StrId,
    /// Its name space.
    pub space: Space,
    /// What it stands for.
    pub bound: Bound,
    /// Line from which it is visible in languages where order counts; 0 = the whole scope.
    pub from_line: u32,
}

/// Which part of a module an import takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum Imported {
    /// One exported name.
    Name(StrId),
    /// The default export.
    Default,
    /// The module as a namespace.
    Namespace,
    /// Every exported name (`from m import *`, `use m::*`).
    Glob,
    /// Nothing: the module is only evaluated.
    SideEffect,
    /// The module's value (`require`, `import x = require()`).
    Whole,
}

/// One imported name, or one module that is imported for its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Import {
    /// The node in whose body the import stands.
    pub from: LocalNode,
    /// The module as written.
    pub module: StrId,
    /// What is taken.
    pub imported: Imported,
    /// Only types are taken; erased at run time.
    pub type_only: bool,
    /// Evaluated at run time (`import()`, an import inside a function).
    pub dynamic: bool,
    /// Levels of a relative import in languages that count them (Python's dots); 0 otherwise.
    pub level: u32,
    /// Its line.
    pub line: u32,
}

/// What an exported name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum Exported {
    /// A name of the file's scope.
    Name(StrId),
    /// A definition.
    Node(LocalNode),
    /// A value.
    Expr(ExprId),
    /// A name of another module.
    From {
        /// The module as written.
        module: StrId,
        /// The name there; empty for its default export.
        name: StrId,
    },
    /// Another module as a namespace.
    NamespaceOf {
        /// The module as written.
        module: StrId,
    },
    /// Everything that another module exports; the exported name is empty.
    StarOf {
        /// The module as written.
        module: StrId,
    },
    /// The module's value as a whole (`module.exports = …`, `export =`); the exported name is empty.
    Whole(ExprId),
}

/// One name that a file offers to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Export {
    /// The name outside; `default` for the default export.
    pub name: StrId,
    /// What it stands for.
    pub exported: Exported,
    /// Only types.
    pub type_only: bool,
    /// Its line.
    pub line: u32,
}

/// An expression, as far as linking can use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum Expr {
    /// Not worth describing.
    Unknown,
    /// A name, looked up from a scope outwards.
    Name {
        /// Where it stands.
        scope: ScopeId,
        /// The name.
        name: StrId,
        /// Its line.
        line: u32,
    },
    /// `base.name`, `base::name`.
    Member {
        /// What is before the dot.
        base: ExprId,
        /// The member.
        name: StrId,
    },
    /// An element of a collection: an index, or what a loop variable takes.
    Element {
        /// The collection.
        base: ExprId,
    },
    /// The result of a call; `args` and `type_args` are lists of expressions and types.
    Call {
        /// What is called.
        callee: ExprId,
        /// The arguments ([`ExprId`]s).
        args: List,
        /// The written type arguments ([`TypeId`]s).
        type_args: List,
    },
    /// A new instance.
    New {
        /// The class.
        class: ExprId,
        /// The arguments ([`ExprId`]s).
        args: List,
        /// The written type arguments ([`TypeId`]s).
        type_args: List,
    },
    /// `this`, `self`.
    This {
        /// Where it stands.
        scope: ScopeId,
    },
    /// `super`.
    Super {
        /// Where it stands.
        scope: ScopeId,
    },
    /// The value inside a promise or future.
    Await {
        /// What is awaited.
        base: ExprId,
    },
    /// The value inside an optional or result (`!`, `?`).
    Unwrap {
        /// What is unwrapped.
        base: ExprId,
    },
    /// A value whose type is written beside it (a cast, an annotation, a literal).
    Typed {
        /// The type.
        ty: TypeId,
    },
    /// A function value.
    Function {
        /// The function.
        function: FunctionId,
    },
    /// An object literal: a list of (name, expression) pairs.
    Object {
        /// Alternating [`StrId`] and [`ExprId`].
        fields: List,
    },
    /// An array or tuple literal of these elements.
    Array {
        /// [`ExprId`]s.
        elements: List,
    },
    /// One of two (`a || b`, `c ? a : b`).
    Either {
        /// The one.
        left: ExprId,
        /// The other.
        right: ExprId,
    },
    /// A definition of this unit as a value.
    Node(LocalNode),
    /// The module that `require(…)` or `import(…)` yields.
    Module(ImportId),
}

/// A type as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum TypeExpr {
    /// Not written, or not worth describing.
    Unknown,
    /// A name, possibly qualified, with its arguments.
    Named {
        /// Where it stands.
        scope: ScopeId,
        /// [`StrId`]s from left to right.
        path: List,
        /// [`TypeId`]s.
        args: List,
    },
    /// A type of the language itself (`string`, `i32`).
    Builtin(StrId),
    /// A sequence of elements (`T[]`, `&[T]`).
    Sequence(TypeId),
    /// Elements by position ([`TypeId`]s).
    Tuple(List),
    /// One of several ([`TypeId`]s).
    Union(List),
    /// All of several ([`TypeId`]s).
    Intersection(List),
    /// A function type.
    Function {
        /// [`TypeId`]s of the parameters.
        params: List,
        /// The result.
        result: TypeId,
    },
    /// An object type: alternating [`StrId`] and [`TypeId`].
    Object(List),
    /// The type of a value (`typeof x`).
    Of(ExprId),
    /// The type of a member (`T["name"]`, `T::Item`).
    Member {
        /// The type.
        base: TypeId,
        /// The member.
        name: StrId,
    },
    /// The type that surrounds it (`this`, `Self`).
    SelfType {
        /// Where it stands.
        scope: ScopeId,
    },
    /// A reference or pointer.
    Reference(TypeId),
}

/// A function's parameters and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Function {
    /// Its node, or the unit's own for a closure without one.
    pub node: LocalNode,
    /// The scope of its parameters.
    pub scope: ScopeId,
    /// [`TypeId`]s of its parameters in order.
    pub params: List,
    /// The written result type.
    pub result: TypeId,
    /// Expressions that it returns ([`ExprId`]s), where no result type is written.
    pub returns: List,
}

/// What a definition says about itself, beyond its node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct DefFacts {
    /// The node.
    pub node: LocalNode,
    /// The written type of a field, constant, variable or alias.
    pub ty: TypeId,
    /// The value of a field, constant or variable.
    pub value: ExprId,
    /// Its function, plus one; 0 for none.
    pub function: u32,
    /// Base types: alternating relation number and [`TypeId`].
    pub bases: List,
    /// Names of its type parameters ([`StrId`]s).
    pub type_params: List,
    /// The scope of its body, plus one; 0 for none.
    pub body: u32,
}

/// What a reference points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum RefTarget {
    /// A value.
    Expr(ExprId),
    /// A type.
    Type(TypeId),
    /// An environment variable.
    Env(StrId),
}

/// One place where the file names something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Reference {
    /// The innermost node around it.
    pub from: LocalNode,
    /// What is named.
    pub target: RefTarget,
    /// What the edge will state.
    pub relation: Relation,
    /// In which position.
    pub context: Context,
    /// Its line.
    pub line: u32,
}

/// All facts of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Facts {
    /// Scopes; the first is the file's.
    pub scopes: Vec<Scope>,
    /// Bindings, in source order.
    pub bindings: Vec<Binding>,
    /// Imports.
    pub imports: Vec<Import>,
    /// Exports.
    pub exports: Vec<Export>,
    /// Facts of definitions, by ascending node.
    pub defs: Vec<DefFacts>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Expressions; the first is unknown.
    pub exprs: Vec<Expr>,
    /// Types; the first is unknown.
    pub types: Vec<TypeExpr>,
    /// The pool of lists.
    pub lists: Vec<u32>,
    /// References, in source order.
    pub refs: Vec<Reference>,
}

impl Facts {
    /// The entries of a list; empty where it does not lie inside the pool.
    pub fn list(&self, list: List) -> &[u32] {
        let start = list.start as usize;
        self.lists
            .get(start..start.saturating_add(list.len as usize))
            .unwrap_or_default()
    }
}

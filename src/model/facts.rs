//! Facts: what one file says about its own names, types and references, before anything is linked.
//!
//! Where it sits: written by `extract` (which sees one file), read by `link` (which sees all), kept in the index so that
//! a file can be linked again without being parsed. Invariants: facts depend on the file alone; every id points into the
//! same unit (a reader checks, never trusts, and bounds its steps: ids may point forwards and form cycles).
//!
//! The evidence is one small language for all source languages: bindings, expressions, written types, functions. Scopes
//! do not appear: the extractor knows them and has already replaced each name by its binding in the file ([`Expr::Bound`]);
//! what is bound nowhere in the file stays a bare name ([`Expr::Free`]) whose meaning (a built-in, a global, a glob
//! import) is `link`'s business, like module paths, the library's types and the lookup of members.
//!
//! Layout: tables of small records that refer to each other by number; entry 0 of [`Facts::exprs`] and [`Facts::types`]
//! means "nothing known"; lists live in one pool, each as its length followed by its entries.

#![expect(
    missing_docs,
    reason = "deriving an archive adds types whose fields it does not document"
)]

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
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

fact_id! {
    /// A binding; [`BindingId::NONE`] stands for none.
    BindingId
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
    /// A function's facts; [`FunctionId::NONE`] stands for none.
    FunctionId
}
fact_id! {
    /// An import.
    ImportId
}
fact_id! {
    /// A `use` or `mod` declaration.
    UseId
}
fact_id! {
    /// A list: the place of its length in [`Facts::lists`]; 0 is the empty list.
    List
}

impl BindingId {
    /// No binding.
    pub const NONE: Self = Self(u32::MAX);
}

impl ExprId {
    /// Nothing known.
    pub const UNKNOWN: Self = Self(0);
}

impl TypeId {
    /// Not written.
    pub const UNKNOWN: Self = Self(0);
}

impl FunctionId {
    /// No function.
    pub const NONE: Self = Self(u32::MAX);
}

impl List {
    /// The list without entries.
    pub const EMPTY: Self = Self(0);
}

/// In which of a language's name spaces a binding lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
#[repr(u8)]
pub enum Space {
    /// Values only.
    Value,
    /// Types only.
    Type,
    /// Both (classes, enums, imports, and everything in languages with one name space).
    Both,
}

impl Space {
    /// Whether a name looked up in `wanted` may be bound here.
    pub fn serves(self, wanted: Self) -> bool {
        self == Self::Both || wanted == Self::Both || self == wanted
    }
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
        /// The written type, or unknown.
        ty: TypeId,
        /// The value it was first given, or unknown.
        value: ExprId,
    },
    /// A type parameter.
    TypeParam {
        /// The type that it must extend, or unknown.
        bound: TypeId,
        /// The type that it is when none is given, or unknown.
        default: TypeId,
    },
    /// What a `use` or `mod` declaration brings in.
    Use(UseId),
    /// A name that no scope inside its module binds: the module's own, or one of those that globs take in.
    Outer {
        /// The module around it: the unit or a module node.
        module: LocalNode,
        /// Globs of the scopes inside the module that see it ([`UseId`]s), innermost first.
        globs: List,
    },
}

/// One name bound in one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Binding {
    /// The name.
    pub name: StrId,
    /// What it stands for.
    pub bound: Bound,
    /// Its name space.
    pub space: Space,
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
    /// The package, known by the name that its own files give it (Go's imports without an alias).
    Package,
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
    /// What a name of the file's scope stands for, as a value and as a type.
    Bound {
        /// The value's binding, or none.
        value: BindingId,
        /// The type's binding, or none.
        ty: BindingId,
    },
    /// A definition.
    Node(LocalNode),
    /// A value.
    Expr(ExprId),
    /// A name of another module.
    From {
        /// The module as written.
        module: StrId,
        /// The name there.
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
    /// A name that is bound nowhere in the file.
    Free {
        /// The name.
        name: StrId,
    },
    /// A name that no scope of the file binds, in a language whose types put their members in scope: a member of a type
    /// around `node` (inherited ones too), else what the file's imports and its package offer.
    Implied {
        /// The innermost node around the name.
        node: LocalNode,
        /// The name.
        name: StrId,
    },
    /// A name of the file.
    Bound(BindingId),
    /// The first of two of which something is known.
    Fallback {
        /// The better evidence.
        first: ExprId,
        /// What holds where the first says nothing.
        second: ExprId,
    },
    /// A definition of this unit as a value.
    Node(LocalNode),
    /// `base.name`, `base::name`.
    Member {
        /// What is before the dot.
        base: ExprId,
        /// The member.
        name: StrId,
    },
    /// Any element of a collection: by a computed index, or what a loop variable takes.
    Element {
        /// The collection.
        base: ExprId,
    },
    /// The element at a known place (destructuring, `pair.0`).
    Index {
        /// The sequence.
        base: ExprId,
        /// The place, from 0.
        index: u32,
    },
    /// The result of a call.
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
        /// The type, or the holder of functions, that it is one of.
        node: LocalNode,
        /// Whether the type itself is meant (static members).
        of_type: bool,
    },
    /// `super`.
    Super {
        /// The type whose base is meant.
        node: LocalNode,
        /// Whether the base type itself is meant (static members).
        of_type: bool,
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
    Function(FunctionId),
    /// A parameter of a function, whole.
    Param {
        /// The function.
        function: FunctionId,
        /// The parameter's place, from 0.
        index: u32,
    },
    /// What the callee of a call expects as the argument at that place.
    Expected {
        /// The call or construction.
        call: ExprId,
        /// The argument's place, from 0.
        index: u32,
    },
    /// An object literal.
    Object {
        /// Alternating [`StrId`] and [`ExprId`]; an empty name marks a spread.
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
    /// The module that `require(…)` or `import(…)` yields.
    Module(ImportId),
    /// A type or module that a path goes through (`Type::f`, `module::f`).
    TypeName {
        /// The type or module.
        ty: TypeId,
    },
    /// What a pattern takes out of a value of a known variant, by place.
    Payload {
        /// The value that is matched, or unknown.
        base: ExprId,
        /// The variant or struct that the pattern names.
        variant: ExprId,
        /// The place, from 0.
        index: u32,
    },
    /// The same by name.
    PayloadField {
        /// The value that is matched, or unknown.
        base: ExprId,
        /// The variant or struct that the pattern names.
        variant: ExprId,
        /// The field.
        name: StrId,
    },
}

/// A type as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum TypeExpr {
    /// Not written, or not worth describing.
    Unknown,
    /// A name of the file, possibly qualified, with its arguments.
    Bound {
        /// The first name's binding.
        binding: BindingId,
        /// Further names ([`StrId`]s) from left to right.
        path: List,
        /// [`TypeId`]s.
        args: List,
    },
    /// The same, where the first name is bound nowhere in the file.
    Free {
        /// The first name.
        name: StrId,
        /// Further names ([`StrId`]s) from left to right.
        path: List,
        /// [`TypeId`]s.
        args: List,
    },
    /// The same in a language whose types put their members in scope (see [`Expr::Implied`]).
    Implied {
        /// The innermost node around the name.
        node: LocalNode,
        /// Names ([`StrId`]s) from left to right, at least one.
        path: List,
        /// [`TypeId`]s.
        args: List,
    },
    /// A type that another module exports (`import("m").T`).
    Imported {
        /// The import.
        import: ImportId,
        /// Names ([`StrId`]s) from left to right.
        path: List,
        /// [`TypeId`]s.
        args: List,
    },
    /// A type of the language itself (`string`, `i32`, a literal).
    Builtin,
    /// A sequence of elements (`T[]`, `&[T]`).
    Sequence(TypeId),
    /// Elements by position ([`TypeId`]s).
    Tuple(List),
    /// One of several ([`TypeId`]s).
    Union(List),
    /// All of several ([`TypeId`]s).
    Intersection(List),
    /// A function type.
    Function(FunctionId),
    /// An object type: alternating [`StrId`] and [`TypeId`]; an empty name is an index signature.
    Object(List),
    /// An object type whose members are nodes.
    Members(LocalNode),
    /// The type of a value (`typeof x`).
    Of(ExprId),
    /// An instance of the class that an expression yields (`extends f(X)`).
    Instance {
        /// The class.
        class: ExprId,
        /// [`TypeId`]s.
        args: List,
    },
    /// The type of a member (`T["name"]`, `T::Item`).
    Member {
        /// The type.
        base: TypeId,
        /// The member.
        name: StrId,
    },
    /// The type of any element (`T[number]`).
    Element(TypeId),
    /// The type that surrounds it (`this`, `Self`).
    SelfType {
        /// The surrounding type.
        node: LocalNode,
    },
    /// A named argument among a type's arguments (`Iterator<Item = T>`).
    Assoc {
        /// The name.
        name: StrId,
        /// What it is.
        ty: TypeId,
    },
    /// A type seen as one that has a trait (`<T as Trait>`).
    Qualified {
        /// The type.
        ty: TypeId,
        /// The trait.
        of_trait: TypeId,
    },
}

/// A function's parameters and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Function {
    /// Its node, or the unit's own for one without a node.
    pub node: LocalNode,
    /// [`TypeId`]s of its parameters in order.
    pub params: List,
    /// The written result type.
    pub result: TypeId,
    /// Expressions that it returns ([`ExprId`]s), where no result type is written.
    pub returns: List,
    /// Its type parameters ([`BindingId`]s).
    pub type_params: List,
    /// The value whose type says what is expected of it (where it is passed or assigned), or unknown.
    pub context: ExprId,
    /// The next signature of the same function, or none.
    pub next: FunctionId,
    /// Bits of [`FunctionFlags`].
    pub flags: u32,
}

/// Properties of a function; stored in [`Function::flags`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FunctionFlags(pub u32);

impl FunctionFlags {
    /// Its result is wrapped in a promise or future.
    pub const ASYNC: u32 = 1;
    /// Its result is a sequence that it yields.
    pub const GENERATOR: u32 = 1 << 1;
    /// The last parameter takes all further arguments.
    pub const REST: u32 = 1 << 2;
    /// It tells a type apart: its result is a truth value.
    pub const PREDICATE: u32 = 1 << 3;
    /// Called with `new` (a construct signature).
    pub const CONSTRUCTS: u32 = 1 << 4;
    /// It is called on a value (`self`), which is not among its parameters.
    pub const RECEIVER: u32 = 1 << 5;
    /// Where the number of parameters that a call may leave out begins, in languages that tell overloads apart by it.
    const OPTIONAL_SHIFT: u32 = 24;

    /// The bits that say how many parameters a call may leave out.
    pub const fn optional(count: u32) -> u32 {
        let count = if count > 0xFF { 0xFF } else { count };
        count << Self::OPTIONAL_SHIFT
    }

    /// How many parameters a call may leave out.
    pub const fn optional_count(flags: u32) -> u32 {
        flags >> Self::OPTIONAL_SHIFT
    }
}

/// What a definition says about itself, beyond its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct DefFacts {
    /// The node.
    pub node: LocalNode,
    /// The written type of a field, constant, variable or alias.
    pub ty: TypeId,
    /// The value of a field, constant or variable.
    pub value: ExprId,
    /// Its function (the first of its signatures), or none.
    pub function: FunctionId,
    /// Base types: alternating relation number and [`TypeId`].
    pub bases: List,
    /// Its type parameters ([`BindingId`]s).
    pub type_params: List,
}

impl DefFacts {
    /// Facts that say nothing yet about `node`.
    pub const fn new(node: LocalNode) -> Self {
        Self {
            node,
            ty: TypeId::UNKNOWN,
            value: ExprId::UNKNOWN,
            function: FunctionId::NONE,
            bases: List::EMPTY,
            type_params: List::EMPTY,
        }
    }
}

/// What a declaration that brings a name into a module takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum UseForm {
    /// The item that the path leads to.
    Name,
    /// Everything in the module or enumeration that the path leads to.
    Glob,
    /// A module in a file of its own: the path holds the folder parts, then the file's name without its ending, or one
    /// written path that ends in `.rs`.
    File,
    /// A crate (`extern crate`).
    Crate,
}

/// One name, or one glob, that a module or a block takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Use {
    /// The module that it stands in: the unit or a module node.
    pub module: LocalNode,
    /// The path as written ([`StrId`]s).
    pub path: List,
    /// The name that it binds; empty for a glob and for `_`.
    pub name: StrId,
    /// What is taken.
    pub form: UseForm,
    /// It stands inside a function's body: only that body sees it.
    pub local: bool,
    /// Handed on to others.
    pub public: bool,
    /// Its line.
    pub line: u32,
}

/// One block of members that joins a type, wherever the type is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Impl {
    /// The node that holds its members: the type's own where the file defines it.
    pub node: LocalNode,
    /// The type.
    pub ty: TypeId,
    /// The trait that it carries out, or unknown.
    pub of_trait: TypeId,
    /// Its type parameters ([`BindingId`]s).
    pub type_params: List,
    /// Its members ([`LocalNode`]s).
    pub members: List,
    /// It is for references to the type.
    pub by_reference: bool,
    /// Its line.
    pub line: u32,
}

/// What a reference points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum RefTarget {
    /// A value; the callee for a call, the class for a construction.
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
    /// Its line.
    pub line: u32,
    /// What the edge will state.
    pub relation: Relation,
    /// In which position.
    pub context: Context,
}

/// All facts of one file.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Facts {
    /// The package that the file says it belongs to; empty in languages where it says none.
    pub package: StrId,
    /// Bindings, in source order.
    pub bindings: Vec<Binding>,
    /// Imports, in source order.
    pub imports: Vec<Import>,
    /// Exports, in source order.
    pub exports: Vec<Export>,
    /// Facts of definitions, by ascending node.
    pub defs: Vec<DefFacts>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Expressions; the first is unknown.
    pub exprs: Vec<Expr>,
    /// Types; the first is unknown.
    pub types: Vec<TypeExpr>,
    /// The pool of lists; the first entry is 0, the length of the empty list.
    pub lists: Vec<u32>,
    /// References, in source order.
    pub refs: Vec<Reference>,
    /// `use` and `mod` declarations, in source order.
    pub uses: Vec<Use>,
    /// Blocks of members, in source order.
    pub impls: Vec<Impl>,
    /// Bits of [`FactFlags`].
    pub flags: u32,
}

/// Properties of a file's facts; stored in [`Facts::flags`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FactFlags(pub u32);

impl FactFlags {
    /// The file has no imports and no exports: in languages that ask, its names are global.
    pub const SCRIPT: u32 = 1;
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            package: StrId::EMPTY,
            bindings: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            defs: Vec::new(),
            functions: Vec::new(),
            exprs: vec![Expr::Unknown],
            types: vec![TypeExpr::Unknown],
            lists: vec![0],
            refs: Vec::new(),
            uses: Vec::new(),
            impls: Vec::new(),
            flags: 0,
        }
    }
}

impl Facts {
    /// The entries of a list; empty where it does not lie inside the pool.
    #[inline]
    pub fn list(&self, list: List) -> &[u32] {
        let Some(len) = self.lists.get(list.index()) else {
            return &[];
        };
        let start = list.index().saturating_add(1);
        self.lists
            .get(start..start.saturating_add(*len as usize))
            .unwrap_or_default()
    }

    /// An expression; unknown for an id of another table.
    #[inline]
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs.get(id.index()).copied().unwrap_or(Expr::Unknown)
    }

    /// A type; unknown for an id of another table.
    #[inline]
    pub fn ty(&self, id: TypeId) -> TypeExpr {
        self.types
            .get(id.index())
            .copied()
            .unwrap_or(TypeExpr::Unknown)
    }

    /// A binding, where there is one.
    #[inline]
    pub fn binding(&self, id: BindingId) -> Option<&Binding> {
        self.bindings.get(id.index())
    }

    /// A function, where there is one.
    #[inline]
    pub fn function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id.index())
    }

    /// What the definition of `node` says about itself.
    #[inline]
    pub fn def(&self, node: LocalNode) -> Option<&DefFacts> {
        let at = self.defs.binary_search_by_key(&node, |d| d.node).ok()?;
        self.defs.get(at)
    }

    #[cfg(feature = "indexing")]
    /// Gives back room that was made for more.
    pub(crate) fn shrink(&mut self) {
        self.bindings.shrink_to_fit();
        self.imports.shrink_to_fit();
        self.exports.shrink_to_fit();
        self.defs.shrink_to_fit();
        self.functions.shrink_to_fit();
        self.exprs.shrink_to_fit();
        self.types.shrink_to_fit();
        self.lists.shrink_to_fit();
        self.refs.shrink_to_fit();
        self.uses.shrink_to_fit();
        self.impls.shrink_to_fit();
    }

    /// Adds a list to the pool.
    pub fn push_list(&mut self, entries: &[u32]) -> List {
        if entries.is_empty() {
            return List::EMPTY;
        }
        let at = u32::try_from(self.lists.len()).unwrap_or(0);
        self.lists.push(u32::try_from(entries.len()).unwrap_or(0));
        self.lists.extend_from_slice(entries);
        List(at)
    }
}

const _: () = assert!(size_of::<Expr>() == 16);
const _: () = assert!(size_of::<TypeExpr>() == 16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_back_and_foreign_ones_are_empty() {
        let mut facts = Facts::default();
        assert_eq!(facts.push_list(&[]), List::EMPTY);
        let list = facts.push_list(&[7, 8, 9]);
        assert_eq!(facts.list(list), [7, 8, 9]);
        assert!(facts.list(List::EMPTY).is_empty());
        assert!(facts.list(List(999)).is_empty());
        // A length that runs past the pool is damage, not a reason to read on.
        facts.lists.push(50);
        assert!(facts.list(List(5)).is_empty() || facts.list(List(5)).len() < 50);
    }
}

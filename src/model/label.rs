//! One-byte labels: kinds of nodes, relations, contexts, reasons, languages.
//!
//! Where it sits: the vocabulary of [`crate::model`]; stored as single bytes in segments. Values below 128 are built in
//! and named by the tables here; values from 128 are the store's own (other tools name their kinds and relations
//! freely) and are named by the [`Labels`] registry that travels in HEAD.
//!
//! Invariants: a built-in number never changes its meaning; every byte converts to a label (an unknown one prints as
//! `kind-201`), so damaged bytes cannot break a reader.

use crate::error::{Error, ErrorKind, Result};

/// First value of the store's own labels.
pub const FIRST_CUSTOM: u8 = 128;

macro_rules! label {
    ($(#[$doc:meta])* $name:ident, $noun:literal, $field:ident, { $($(#[$cdoc:meta])* $konst:ident = $value:literal => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
        pub struct $name(pub u8);

        impl $name {
            $($(#[$cdoc])* pub const $konst: Self = Self($value);)+

            /// All built-in values with their names, in order of value.
            pub const BUILT_IN: &'static [(Self, &'static str)] = &[$((Self($value), $text)),+];

            /// The built-in name, or `None` for a label of the store's own.
            pub fn built_in_name(self) -> Option<&'static str> {
                Self::BUILT_IN.iter().find(|(v, _)| *v == self).map(|(_, t)| *t)
            }

            /// The built-in label of that name.
            pub fn built_in(name: &str) -> Option<Self> {
                Self::BUILT_IN.iter().find(|(_, t)| *t == name).map(|(v, _)| *v)
            }

            /// The label's name: built in, from the registry, or a placeholder that shows the number.
            pub fn name(self, labels: &Labels) -> String {
                if let Some(text) = self.built_in_name() {
                    return text.to_string();
                }
                let own = self.0.checked_sub(FIRST_CUSTOM).and_then(|i| labels.$field.get(usize::from(i)));
                own.cloned().unwrap_or_else(|| format!(concat!($noun, "-{}"), self.0))
            }

            /// The label of that name, built in or registered.
            pub fn find(name: &str, labels: &Labels) -> Option<Self> {
                Self::built_in(name).or_else(|| {
                    let at = labels.$field.iter().position(|t| t == name)?;
                    u8::try_from(at).ok()?.checked_add(FIRST_CUSTOM).map(Self)
                })
            }

            /// The label of that name, registered now if it is new.
            ///
            /// # Errors
            /// [`ErrorKind::Limit`] when the store already has 128 of its own, [`ErrorKind::Invalid`] for an empty name.
            pub fn intern(name: &str, labels: &mut Labels) -> Result<Self> {
                if let Some(found) = Self::find(name, labels) {
                    return Ok(found);
                }
                if name.is_empty() {
                    return Err(Error::new(ErrorKind::Invalid, concat!("a ", $noun, " needs a name")));
                }
                let next = u8::try_from(labels.$field.len()).ok().and_then(|i| i.checked_add(FIRST_CUSTOM));
                let Some(value) = next else {
                    return Err(Error::new(ErrorKind::Limit, concat!("a store holds at most 128 ", $noun, " names of its own"))
                        .remedy("fold rare names into one"));
                };
                labels.$field.push(name.to_string());
                Ok(Self(value))
            }
        }
    };
}

/// The store's own label names: entry `i` of each list names the value `128 + i`.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize,
)]
pub struct Labels {
    /// Kinds of nodes.
    pub kinds: Vec<String>,
    /// Relations of edges.
    pub relations: Vec<String>,
    /// Contexts of edges.
    pub contexts: Vec<String>,
    /// Reasons of edges.
    pub reasons: Vec<String>,
    /// Languages of units.
    pub languages: Vec<String>,
}

label! {
    /// What a node is.
    NodeKind, "kind", kinds, {
        /// A source file, or another tool's unit.
        FILE = 0 => "file",
        /// A namespace, package clause or inline module.
        MODULE = 1 => "module",
        /// A class.
        CLASS = 2 => "class",
        /// A struct or record.
        STRUCT = 3 => "struct",
        /// An interface or protocol.
        INTERFACE = 4 => "interface",
        /// A trait.
        TRAIT = 5 => "trait",
        /// An implementation block.
        IMPL = 6 => "impl",
        /// A type alias.
        TYPE_ALIAS = 7 => "type",
        /// An enumeration.
        ENUM = 8 => "enum",
        /// A member of an enumeration.
        ENUM_MEMBER = 9 => "enum_member",
        /// A free function, or a function held in a constant.
        FUNCTION = 10 => "function",
        /// A method.
        METHOD = 11 => "method",
        /// A constructor.
        CONSTRUCTOR = 12 => "constructor",
        /// A getter or setter.
        ACCESSOR = 13 => "accessor",
        /// A field or property.
        FIELD = 14 => "field",
        /// A constant.
        CONSTANT = 15 => "constant",
        /// A variable at module level.
        VARIABLE = 16 => "variable",
        /// A macro that can be called.
        MACRO = 17 => "macro",
        /// A union type of C.
        UNION = 18 => "union",
        /// A heading of a document.
        SECTION = 19 => "section",
        /// A package of a manifest or a registry.
        PACKAGE = 20 => "package",
        /// An environment variable that the program reads.
        ENV_VAR = 21 => "env_var",
        /// A symbol outside the index, known by its package.
        EXTERNAL = 22 => "external",
        /// A name that no definition could be proved for.
        UNRESOLVED = 23 => "unresolved",
        /// A saved question with its answer.
        MEMORY = 24 => "memory",
        /// A node of an imported graph whose kind is not known.
        CONCEPT = 25 => "concept",
    }
}

label! {
    /// What an edge states.
    Relation, "relation", relations, {
        /// A file or scope holds a definition.
        CONTAINS = 0 => "contains",
        /// A type has a method.
        METHOD = 1 => "method",
        /// An enumeration has a member.
        CASE_OF = 2 => "case_of",
        /// A type has a field.
        DEFINES = 3 => "defines",
        /// A call or construction.
        CALLS = 4 => "calls",
        /// A function passed on by name, to be called by somebody else.
        INDIRECT_CALL = 5 => "indirect_call",
        /// A file names a symbol of another one.
        IMPORTS = 6 => "imports",
        /// A file depends on another file.
        IMPORTS_FROM = 7 => "imports_from",
        /// An import evaluated at run time.
        DYNAMIC_IMPORT = 8 => "dynamic_import",
        /// A file hands on a symbol or a file.
        RE_EXPORTS = 9 => "re_exports",
        /// A type or value is named.
        REFERENCES = 10 => "references",
        /// A class or interface extends another.
        INHERITS = 11 => "inherits",
        /// A class implements an interface or trait.
        IMPLEMENTS = 12 => "implements",
        /// A type embeds another.
        EMBEDS = 13 => "embeds",
        /// A class takes in a mixin or trait.
        MIXES_IN = 14 => "mixes_in",
        /// An interface member may run this implementation.
        DISPATCHES_TO = 15 => "dispatches_to",
        /// A method replaces one of a base type.
        OVERRIDES = 16 => "overrides",
        /// A package or file needs a package.
        DEPENDS_ON = 17 => "depends_on",
        /// An environment variable is read.
        READS_ENV = 18 => "requires_env",
        /// A saved answer cites a symbol.
        CITES = 19 => "cites",
        /// A declaration and its definition.
        DECLARES = 20 => "declares",
        /// Anything else that two nodes have to do with each other.
        RELATED = 21 => "related",
    }
}

label! {
    /// In which position of the source the relation stands.
    Context, "context", contexts, {
        /// None worth naming (structural edges).
        NONE = 0 => "",
        /// A call.
        CALL = 1 => "call",
        /// An import statement.
        IMPORT = 2 => "import",
        /// An export statement.
        EXPORT = 3 => "export",
        /// A re-export.
        RE_EXPORT = 4 => "re-export",
        /// A type position that has no narrower name.
        TYPE = 5 => "type",
        /// The type of a field.
        FIELD = 6 => "field",
        /// The type of a parameter.
        PARAMETER_TYPE = 7 => "parameter_type",
        /// The type of a result.
        RETURN_TYPE = 8 => "return_type",
        /// A written type argument.
        GENERIC_ARG = 9 => "generic_arg",
        /// A decorator or attribute.
        DECORATOR = 10 => "decorator",
        /// A construction.
        CONSTRUCTOR = 11 => "constructor",
        /// A value read.
        PROPERTY_READ = 12 => "property_read",
        /// An argument of a call.
        ARGUMENT = 13 => "argument",
        /// An element of an array, object or table.
        COLLECTION = 14 => "collection",
        /// The right side of an assignment.
        ASSIGNMENT = 15 => "assignment",
        /// A returned value.
        RETURN = 16 => "return",
        /// A JSX element.
        JSX = 17 => "jsx",
        /// A base type.
        BASE = 18 => "base",
    }
}

label! {
    /// How a target was found; printed beside the confidence.
    Reason, "reason", reasons, {
        /// Structure of the file itself.
        STRUCTURE = 0 => "structure",
        /// The name is bound in an enclosing scope of the same file.
        SCOPE = 1 => "scope",
        /// An import binds the name to its definition.
        IMPORT = 2 => "import",
        /// An import, through one or more re-exports.
        RE_EXPORT = 3 => "re-export",
        /// A member of an imported namespace or module.
        NAMESPACE = 4 => "namespace",
        /// `this` or `self` in the type's own body.
        THIS = 5 => "this",
        /// Found in a base type.
        INHERITANCE = 6 => "inheritance",
        /// The receiver's type is written in the source.
        RECEIVER_TYPE = 7 => "receiver type",
        /// The receiver is a call whose result type is written.
        RETURN_TYPE = 8 => "return type",
        /// One step of inference was needed.
        INFERRED = 9 => "inferred type",
        /// A type named and its member (`Type.member`, `Type::f`).
        QUALIFIED = 10 => "qualified name",
        /// The only definition of that name that can be meant.
        UNIQUE_NAME = 11 => "unique name",
        /// The module system names the file (packages, include paths).
        MODULE = 12 => "module",
        /// Stated by whoever stored the edge.
        STATED = 13 => "stated",
        /// Not resolved.
        UNRESOLVED = 14 => "unresolved",
        /// The package is outside the index.
        EXTERNAL = 15 => "external package",
    }
}

label! {
    /// The language of a unit.
    Language, "language", languages, {
        /// Not source code, or not known.
        NONE = 0 => "",
        /// TypeScript.
        TYPESCRIPT = 1 => "typescript",
        /// TypeScript with JSX.
        TSX = 2 => "tsx",
        /// JavaScript, JSX included.
        JAVASCRIPT = 3 => "javascript",
        /// Python.
        PYTHON = 4 => "python",
        /// Rust.
        RUST = 5 => "rust",
        /// Go.
        GO = 6 => "go",
        /// C.
        C = 7 => "c",
        /// C++.
        CPP = 8 => "cpp",
        /// Java.
        JAVA = 9 => "java",
        /// C#.
        CSHARP = 10 => "csharp",
        /// Kotlin.
        KOTLIN = 11 => "kotlin",
        /// Swift.
        SWIFT = 12 => "swift",
        /// Ruby.
        RUBY = 13 => "ruby",
        /// PHP.
        PHP = 14 => "php",
        /// Scala.
        SCALA = 15 => "scala",
        /// Lua.
        LUA = 16 => "lua",
        /// Shell.
        BASH = 17 => "bash",
        /// Markdown.
        MARKDOWN = 18 => "markdown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_values_are_dense_and_their_names_unique() {
        for (i, (kind, name)) in NodeKind::BUILT_IN.iter().enumerate() {
            assert_eq!(usize::from(kind.0), i);
            assert_eq!(NodeKind::built_in(name), Some(*kind));
        }
        for (i, (relation, name)) in Relation::BUILT_IN.iter().enumerate() {
            assert_eq!(usize::from(relation.0), i);
            assert_eq!(Relation::built_in(name), Some(*relation));
        }
    }

    #[test]
    fn own_labels_are_registered_once_and_read_back() {
        let mut labels = Labels::default();
        let person = NodeKind::intern("person", &mut labels).unwrap();
        assert_eq!(person, NodeKind(128));
        assert_eq!(NodeKind::intern("person", &mut labels).unwrap(), person);
        assert_eq!(
            NodeKind::intern("class", &mut labels).unwrap(),
            NodeKind::CLASS
        );
        assert_eq!(person.name(&labels), "person");
        assert_eq!(NodeKind(200).name(&labels), "kind-200");
    }

    #[test]
    fn the_registry_is_full_after_128_names() {
        let mut labels = Labels::default();
        for i in 0..128 {
            Relation::intern(&format!("r{i}"), &mut labels).unwrap();
        }
        assert_eq!(
            Relation::intern("one more", &mut labels)
                .unwrap_err()
                .kind(),
            ErrorKind::Limit
        );
    }
}

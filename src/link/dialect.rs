//! Which family of rules a unit's names and members follow.
//!
//! Where it sits: asked by `link` wherever languages differ: where a module name leads, what a name means that no file
//! binds, what calling a class yields. Invariant: nothing else in `link` compares languages.

use super::project::{Project, Resolved};
use crate::model::label::{Language, NodeKind};

/// A family of languages that share the rules of linking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Dialect {
    /// TypeScript and JavaScript.
    Ecma,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Java and Kotlin, which see each other's packages.
    Jvm,
    /// C#.
    CSharp,
    /// PHP.
    Php,
    /// Ruby.
    Ruby,
    /// Swift.
    Swift,
    /// C and C++.
    C,
}

impl Dialect {
    /// The family of a language.
    pub(super) fn of(language: Language) -> Self {
        match language {
            Language::PYTHON => Self::Python,
            Language::RUST => Self::Rust,
            Language::GO => Self::Go,
            Language::JAVA | Language::KOTLIN => Self::Jvm,
            Language::CSHARP => Self::CSharp,
            Language::PHP => Self::Php,
            Language::RUBY => Self::Ruby,
            Language::SWIFT => Self::Swift,
            Language::C | Language::CPP => Self::C,
            _ => Self::Ecma,
        }
    }

    /// Whether calling a class makes an instance of it.
    pub(super) fn calls_construct(self) -> bool {
        self == Self::Python
    }

    /// Whether a call through a value that holds a function or class is told apart from a call of its name.
    pub(super) fn values_are_indirect(self) -> bool {
        self == Self::Python
    }

    /// Whether a definition of this kind that another file hands on counts as used there, not as imported.
    pub(super) fn hands_on_variables(self, kind: NodeKind) -> bool {
        self == Self::Python && matches!(kind, NodeKind::CONSTANT | NodeKind::VARIABLE)
    }

    /// Whether nearly every library type has a member of that name.
    pub(super) fn is_common_member(self, name: &str) -> bool {
        match self {
            Self::Python => super::python_builtin::is_common_member(name),
            _ => super::builtin::is_common_member(name),
        }
    }

    /// Where a module name leads that stands in the file `from`.
    pub(super) fn resolve_module(self, project: &Project, from: &str, name: &str) -> Resolved {
        match self {
            Self::Ecma => project.resolve_module(from, name),
            Self::Python => project.resolve_python(from, name),
            Self::Rust => project.resolve_rust(from, name),
            Self::Go => project.resolve_go(from, name),
            // Their imports name packages, which are no files.
            Self::Ruby => project.resolve_ruby(from, name),
            Self::Jvm | Self::CSharp | Self::Php | Self::Swift => {
                Resolved::External(self.outside(name))
            }
            Self::C => project.resolve_include(from, name),
        }
    }
}

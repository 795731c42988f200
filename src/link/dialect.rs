//! Which family of rules a unit's names and members follow.
//!
//! Where it sits: asked by `link` wherever languages differ: where a module name leads, what a name means that no file
//! binds, what calling a class yields. Invariant: nothing else in `link` compares languages.

use super::project::{Project, Resolved};
use crate::model::label::Language;

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
            _ => Self::Ecma,
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
        }
    }
}

//! The languages: which grammar reads a language, and which walker understands its tree.
//!
//! A new language is one folder here and one row in each function below.

#[cfg(any(feature = "c", feature = "cpp"))]
mod c;
#[cfg(any(
    feature = "java",
    feature = "csharp",
    feature = "kotlin",
    feature = "php",
    feature = "ruby",
    feature = "swift"
))]
mod classes;
#[cfg(feature = "go")]
mod go;
#[cfg(feature = "python")]
mod python;
#[cfg(feature = "rust")]
mod rust;
#[cfg(any(feature = "typescript", feature = "javascript"))]
mod typescript;

mod cursor;
mod tags;

use std::borrow::Cow;

use tree_sitter::{Language as Grammar, Tree};

use crate::model::label::Language;
use crate::model::unit::Unit;

/// What a walk over a tree yields.
pub(super) struct Walked {
    pub(super) unit: Unit,
    /// Whether something was skipped because it nests too deep.
    pub(super) incomplete: bool,
    /// How many syntax errors were met.
    pub(super) errors: u32,
}

impl Walked {
    /// A file of which nothing is known but that it exists.
    pub(super) fn untouched(unit: Unit) -> Self {
        Self {
            unit,
            incomplete: false,
            errors: 0,
        }
    }
}

/// The grammar of a language, where this build has one.
pub(super) fn grammar(language: Language) -> Option<Grammar> {
    match language {
        #[cfg(any(feature = "typescript", feature = "javascript"))]
        Language::TYPESCRIPT | Language::TSX | Language::JAVASCRIPT => {
            typescript::grammar(language)
        }
        #[cfg(feature = "python")]
        Language::PYTHON => Some(tree_sitter_python::LANGUAGE.into()),
        #[cfg(feature = "rust")]
        Language::RUST => Some(tree_sitter_rust::LANGUAGE.into()),
        #[cfg(feature = "go")]
        Language::GO => Some(tree_sitter_go::LANGUAGE.into()),
        #[cfg(any(
            feature = "java",
            feature = "csharp",
            feature = "kotlin",
            feature = "php",
            feature = "ruby",
            feature = "swift"
        ))]
        Language::JAVA
        | Language::CSHARP
        | Language::KOTLIN
        | Language::PHP
        | Language::RUBY
        | Language::SWIFT => classes::grammar(language),
        #[cfg(any(feature = "c", feature = "cpp"))]
        Language::C | Language::CPP => c::grammar(language),
        _ => None,
    }
}

/// The language of a file, where its text says more than its name.
pub(super) fn refined(language: Language, path: &str, source: &str) -> Language {
    match language {
        #[cfg(any(feature = "c", feature = "cpp"))]
        Language::C => c::refined(language, path, source),
        _ => {
            let _ = (path, source);
            language
        }
    }
}

/// The source as the grammar should see it: the same bytes at the same places, except where the grammar is behind its
/// language and an older spelling of the same length says the same.
pub(super) fn readable(language: Language, source: &str) -> Cow<'_, str> {
    match language {
        #[cfg(any(feature = "typescript", feature = "javascript"))]
        Language::TYPESCRIPT | Language::TSX | Language::JAVASCRIPT => {
            typescript::in_known_words(source)
        }
        #[cfg(any(feature = "c", feature = "cpp"))]
        Language::C | Language::CPP => c::readable(language, source),
        #[cfg(any(
            feature = "java",
            feature = "csharp",
            feature = "kotlin",
            feature = "php",
            feature = "ruby",
            feature = "swift"
        ))]
        Language::KOTLIN => classes::readable(language, source),
        _ => Cow::Borrowed(source),
    }
}

/// Walks a parsed file and fills its unit.
pub(super) fn walk(unit: Unit, language: Language, source: &str, tree: &Tree) -> Walked {
    match language {
        #[cfg(any(feature = "typescript", feature = "javascript"))]
        Language::TYPESCRIPT | Language::TSX | Language::JAVASCRIPT => {
            typescript::walk(unit, language, source, tree)
        }
        #[cfg(feature = "python")]
        Language::PYTHON => python::walk(unit, source, tree),
        #[cfg(feature = "rust")]
        Language::RUST => rust::walk(unit, source, tree),
        #[cfg(feature = "go")]
        Language::GO => go::walk(unit, source, tree),
        #[cfg(any(
            feature = "java",
            feature = "csharp",
            feature = "kotlin",
            feature = "php",
            feature = "ruby",
            feature = "swift"
        ))]
        Language::JAVA
        | Language::CSHARP
        | Language::KOTLIN
        | Language::PHP
        | Language::RUBY
        | Language::SWIFT => classes::walk(unit, source, tree),
        #[cfg(any(feature = "c", feature = "cpp"))]
        Language::C | Language::CPP => c::walk(unit, language, source, tree),
        _ => Walked::untouched(unit),
    }
}

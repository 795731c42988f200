//! Languages whose code lives in classes: one walker, one table per language.
//!
//! Where it sits: several languages of `extract`. The tree becomes an array of roles ([`flat`], [`kinds`]); the walker
//! knows roles and no grammar. A language is a file with its grammar's table, and functions for the roles that only it
//! has. What a name stands for is mostly not known in the file: members of base classes and other files of the package
//! are in scope too. The walker says where a name stands and leaves the rest to `link` (`Expr::Implied`).
//!
//! Invariants: packages and namespaces are no nodes; every definition outside of others is exported under its qualified
//! name, and the file as a whole under its package's.

mod calls;
mod csharp;
mod declarations;
mod expressions;
mod flat;
mod java;
mod kinds;
mod kotlin;
mod members;
mod one_line;
mod php;
mod ruby;
mod statements;
mod swift;
mod types;
mod walker;

use std::borrow::Cow;
use std::sync::OnceLock;

use tree_sitter::{Language as Grammar, Tree};

use self::flat::Flat;
use self::kinds::{Spec, Tables};
use self::walker::Walker;
use crate::extract::lang::Walked;
use crate::model::label::Language;
use crate::model::unit::Unit;

/// The grammar of a class language, where this build has one.
pub(super) fn grammar(language: Language) -> Option<Grammar> {
    match language {
        #[cfg(feature = "java")]
        Language::JAVA => Some(tree_sitter_java::LANGUAGE.into()),
        #[cfg(feature = "swift")]
        Language::SWIFT => Some(tree_sitter_swift::LANGUAGE.into()),
        #[cfg(feature = "ruby")]
        Language::RUBY => Some(tree_sitter_ruby::LANGUAGE.into()),
        #[cfg(feature = "php")]
        Language::PHP => Some(tree_sitter_php::LANGUAGE_PHP.into()),
        #[cfg(feature = "kotlin")]
        Language::KOTLIN => Some(tree_sitter_kotlin_ng::LANGUAGE.into()),
        #[cfg(feature = "csharp")]
        Language::CSHARP => Some(tree_sitter_c_sharp::LANGUAGE.into()),
        _ => None,
    }
}

fn spec(language: Language) -> Option<(&'static Spec, &'static OnceLock<Option<Tables>>)> {
    match language {
        Language::JAVA => {
            static TABLES: OnceLock<Option<Tables>> = OnceLock::new();
            Some((&java::SPEC, &TABLES))
        }
        Language::SWIFT => {
            static TABLES: OnceLock<Option<Tables>> = OnceLock::new();
            Some((&swift::SPEC, &TABLES))
        }
        Language::RUBY => {
            static TABLES: OnceLock<Option<Tables>> = OnceLock::new();
            Some((&ruby::SPEC, &TABLES))
        }
        Language::PHP => {
            static TABLES: OnceLock<Option<Tables>> = OnceLock::new();
            Some((&php::SPEC, &TABLES))
        }
        Language::KOTLIN => {
            static TABLES: OnceLock<Option<Tables>> = OnceLock::new();
            Some((&kotlin::SPEC, &TABLES))
        }
        Language::CSHARP => {
            static TABLES: OnceLock<Option<Tables>> = OnceLock::new();
            Some((&csharp::SPEC, &TABLES))
        }
        _ => None,
    }
}

/// The source as the grammar should see it.
pub(super) fn readable(language: Language, source: &str) -> Cow<'_, str> {
    match language {
        Language::KOTLIN => one_line::readable(source),
        _ => Cow::Borrowed(source),
    }
}

/// Walks a parsed file and fills its unit.
pub(super) fn walk(unit: Unit, source: &str, tree: &Tree) -> Walked {
    let Some((spec, tables)) = spec(unit.language) else {
        return Walked::untouched(unit);
    };
    let tables = tables.get_or_init(|| Some(Tables::new(&grammar(spec.language)?, spec)));
    let Some(tables) = tables else {
        return Walked::untouched(unit);
    };
    let flat = Flat::new(tree, tables);
    Walker::new(unit, source, spec, &flat).file()
}

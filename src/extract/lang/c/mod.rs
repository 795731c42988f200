//! C and C++.
//!
//! Where it sits: one language family of `extract`. [`readable`](readable()) hides from the grammars what only a
//! preprocessor could read; [`kinds`] reads the two grammars' names once; [`walker`] holds the state of a pass over one
//! tree; the other modules visit one part of the language each.
//!
//! A file's own facts: definitions and prototypes (marked as declared without a body; one that the same file defines is
//! one node), fields with their types, macros, enumerators, includes as written, calls and names that are read. What a
//! name means that the file does not bind is decided in `link`, by the files it includes.

mod conditionals;
mod declarations;
mod declarators;
mod expressions;
mod functions;
mod headers;
mod kinds;
mod macros;
mod marks;
mod namespaces;
mod records;
mod statements;
#[cfg(test)]
mod tests;
mod tokens;
mod types;
mod walker;

use std::borrow::Cow;
use std::sync::OnceLock;

use tree_sitter::{Language as Grammar, Tree};

use self::kinds::Tables;
use self::walker::Walker;
use crate::extract::lang::Walked;
use crate::model::label::Language;
use crate::model::unit::Unit;

/// The grammar for one of the family's languages.
pub(super) fn grammar(language: Language) -> Option<Grammar> {
    match language {
        #[cfg(feature = "c")]
        Language::C => Some(tree_sitter_c::LANGUAGE.into()),
        #[cfg(feature = "cpp")]
        Language::CPP => Some(tree_sitter_cpp::LANGUAGE.into()),
        _ => None,
    }
}

fn tables(language: Language) -> Option<&'static Tables> {
    static C: OnceLock<Option<Tables>> = OnceLock::new();
    static CPP: OnceLock<Option<Tables>> = OnceLock::new();
    let cell = match language {
        Language::CPP => &CPP,
        _ => &C,
    };
    cell.get_or_init(|| grammar(language).map(|g| Tables::new(&g)))
        .as_ref()
}

/// The language of a file: a `.h` is C++ where its text can be nothing else.
pub(super) fn refined(language: Language, path: &str, source: &str) -> Language {
    let header = language == Language::C && path.ends_with(".h");
    if header && cfg!(feature = "cpp") && headers::is_cpp(source) {
        return Language::CPP;
    }
    language
}

/// The source as the grammar should see it: the same bytes at the same places, with blanks over conditionals that cut
/// through a construct and over words that only a preprocessor gives a meaning.
pub(super) fn readable(language: Language, source: &str) -> Cow<'_, str> {
    conditionals::readable(source, language == Language::CPP)
}

/// Walks a parsed file and fills its unit.
pub(super) fn walk(unit: Unit, language: Language, source: &str, tree: &Tree) -> Walked {
    let Some(tables) = tables(language) else {
        return Walked::untouched(unit);
    };
    let mut walker = Walker::new(unit, language, source, tables, tree);
    walker.file();
    let (incomplete, errors) = (walker.incomplete, walker.errors);
    Walked {
        unit: walker.b.finish(),
        incomplete,
        errors,
    }
}

//! TypeScript, TSX and JavaScript (JSX, ES modules, CommonJS).
//!
//! Where it sits: one language family of `extract`. [`kinds`] reads the three grammars' names once; [`walker`] holds the
//! state of a pass over one tree; the other modules visit one part of the language each.

mod assignments;
mod calls;
mod classes;
mod declarations;
mod expressions;
mod functions;
mod jsx;
mod kinds;
mod literals;
mod modules;
mod newer;
mod patterns;
mod statements;
mod types;
mod variables;
mod walker;

use std::sync::OnceLock;

use tree_sitter::{Language as Grammar, Tree};

use self::kinds::Tables;
use self::walker::Walker;
use crate::extract::builder::{Builder, ScopeId};
use crate::extract::lang::Walked;
use crate::ids::LocalNode;
use crate::model::facts::{ExprId, FactFlags};
use crate::model::label::{Context, Language};
use crate::model::unit::Unit;

pub(super) use self::newer::in_known_words;

/// The grammar for one of the family's languages.
pub(super) fn grammar(language: Language) -> Option<Grammar> {
    match language {
        #[cfg(feature = "typescript")]
        Language::TYPESCRIPT => Some(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        #[cfg(feature = "typescript")]
        Language::TSX => Some(tree_sitter_typescript::LANGUAGE_TSX.into()),
        #[cfg(feature = "javascript")]
        Language::JAVASCRIPT => Some(tree_sitter_javascript::LANGUAGE.into()),
        _ => None,
    }
}

fn tables(language: Language) -> Option<&'static Tables> {
    static TYPESCRIPT: OnceLock<Option<Tables>> = OnceLock::new();
    static TSX: OnceLock<Option<Tables>> = OnceLock::new();
    static JAVASCRIPT: OnceLock<Option<Tables>> = OnceLock::new();
    let cell = match language {
        Language::TYPESCRIPT => &TYPESCRIPT,
        Language::TSX => &TSX,
        _ => &JAVASCRIPT,
    };
    cell.get_or_init(|| grammar(language).map(|g| Tables::new(&g)))
        .as_ref()
}

/// Walks a parsed file and fills its unit.
pub(super) fn walk(unit: Unit, language: Language, source: &str, tree: &Tree) -> Walked {
    let Some(tables) = tables(language) else {
        return Walked::untouched(unit);
    };
    let mut walker = Walker {
        cursor: tree.walk(),
        source,
        tables,
        b: Builder::new(unit),
        javascript: language == Language::JAVASCRIPT,
        owner: LocalNode::UNIT,
        scope: ScopeId::FILE,
        var_scope: ScopeId::FILE,
        this: ExprId::UNKNOWN,
        base: ExprId::UNKNOWN,
        returns: Vec::new(),
        at_top: true,
        exporting: false,
        exporting_default: false,
        type_context: Context::TYPE,
        type_relation: crate::model::label::Relation::REFERENCES,
        alias: None,
        pending: None,
        result: ExprId::UNKNOWN,
        env: ExprId::UNKNOWN,
        named: rustc_hash::FxHashMap::default(),
        comment: None,
        chain: Vec::new(),
        depth: 0,
        incomplete: false,
        errors: 0,
        is_module: false,
    };
    walker.file();
    let mut unit_flags = 0;
    if !walker.is_module {
        unit_flags |= FactFlags::SCRIPT;
    }
    let (incomplete, errors) = (walker.incomplete, walker.errors);
    let mut unit = walker.b.finish();
    unit.facts.flags = unit_flags;
    Walked {
        unit,
        incomplete,
        errors,
    }
}

//! Go.
//!
//! Where it sits: one language of `extract`. [`kinds`] reads the grammar's names once; [`walker`] holds the state of a pass
//! over one tree; the other modules visit one part of the language each.
//!
//! A package is several files, and this layer sees one: a name that the file does not bind stays free and is looked up in
//! the package by `link`. So does the name of an import without an alias, because only the imported package says what it is.
//! A method stands below its type where the file declares that, else below a node of kind `impl` that bears the type's name.

mod calls;
mod declarations;
mod expressions;
mod file;
mod functions;
mod kinds;
mod literals;
mod statements;
mod structs;
mod switches;
mod types;
mod variables;
mod walker;

use std::sync::OnceLock;

use tree_sitter::Tree;

use self::kinds::Tables;
use self::walker::Walker;
use crate::extract::lang::Walked;
use crate::model::unit::Unit;

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| Tables::new(&tree_sitter_go::LANGUAGE.into()))
}

/// Walks a parsed file and fills its unit.
pub(super) fn walk(unit: Unit, source: &str, tree: &Tree) -> Walked {
    let mut walker = Walker::new(unit, source, tree.walk(), tables());
    walker.file();
    walker.finish()
}

#[cfg(test)]
mod tests;

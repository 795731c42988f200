//! Python.
//!
//! Where it sits: one language of `extract`. [`kinds`] reads the grammar's names once; [`walker`] holds the state of a pass
//! over one tree; [`flow`] knows which assignment a name means at a place; the other modules visit one part of the language
//! each.
//!
//! Invariant: function scopes do not see the names of the class around them: a class's scope is opened and never closed, so
//! that no scope inside it lies in its run.

mod aliases;
mod annotations;
mod assignments;
mod calls;
mod classes;
mod comprehensions;
mod conditions;
mod expressions;
mod flow;
mod functions;
mod imports;
mod kinds;
mod literals;
mod matching;
mod parameters;
mod statements;
mod walker;

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Tree;

use self::kinds::Tables;
use self::walker::{Around, Frame, Walker};
use crate::extract::builder::{Builder, ScopeId};
use crate::extract::lang::Walked;
use crate::ids::LocalNode;
use crate::model::facts::ExprId;
use crate::model::label::Context;
use crate::model::unit::Unit;

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| Tables::new(&tree_sitter_python::LANGUAGE.into()))
}

/// Walks a parsed file and fills its unit.
pub(super) fn walk(unit: Unit, source: &str, tree: &Tree) -> Walked {
    let mut walker = Walker {
        cursor: tree.walk(),
        source,
        tables: tables(),
        b: Builder::new(unit),
        owner: LocalNode::UNIT,
        scope: ScopeId::FILE,
        frame: Frame::new(Around::File, ScopeId::FILE, LocalNode::UNIT),
        type_context: Context::TYPE,
        named: FxHashMap::default(),
        top_names: Vec::new(),
        declared: FxHashMap::default(),
        type_vars: FxHashMap::default(),
        met_vars: Vec::new(),
        self_var: None,
        expecting: None,
        overloads: FxHashSet::default(),
        chain: Vec::new(),
        depth: 0,
        incomplete: false,
        errors: 0,
        type_checking: false,
        none: ExprId::UNKNOWN,
    };
    walker.file();
    Walked {
        incomplete: walker.incomplete,
        errors: walker.errors,
        unit: walker.b.finish(),
    }
}

#[cfg(test)]
mod tests;

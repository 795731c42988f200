//! Rust.
//!
//! Where it sits: one language of `extract`. [`kinds`] reads the grammar's names once; [`walker`] holds the state of a
//! pass over one tree; the other modules visit one part of the language each.
//!
//! How the evidence says it: references are left out of values and types, since members are looked up through them. A
//! method's receiver is a local `self`. `a.0` and the parts of a tuple pattern are members named by their number.
//! [`crate::model::facts::Expr::Element`] is what iteration yields, [`crate::model::facts::Expr::Index`] what `a[i]`
//! yields, or `*a` where its place is 1. A macro's name ends in `!`, so that it meets no function.

mod control;
mod expressions;
mod impls;
mod items;
mod kinds;
mod paths;
mod patterns;
mod tokens;
mod types;
mod uses;
mod walker;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use tree_sitter::Tree;

use self::kinds::Tables;
use self::walker::Walker;
use crate::extract::builder::{Builder, ScopeId};
use crate::extract::lang::Walked;
use crate::ids::LocalNode;
use crate::model::facts::TypeId;
use crate::model::unit::Unit;

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| Tables::new(&tree_sitter_rust::LANGUAGE.into()))
}

/// Walks a parsed file and fills its unit.
pub(super) fn walk(unit: Unit, source: &str, tree: &Tree) -> Walked {
    let mut walker = Walker {
        cursor: tree.walk(),
        source,
        tables: tables(),
        b: Builder::new(unit),
        owner: LocalNode::UNIT,
        module: LocalNode::UNIT,
        scope: ScopeId::FILE,
        open_scopes: Vec::new(),
        in_body: false,
        in_test: false,
        self_ty: TypeId::UNKNOWN,
        folders: Vec::new(),
        item_scopes: vec![ScopeId::FILE],
        types: FxHashMap::default(),
        type_relation: crate::model::label::Relation::REFERENCES,
        primitives: FxHashMap::default(),
        depth: 0,
        incomplete: false,
        errors: 0,
    };
    walker.file(tree.root_node());
    let (incomplete, errors) = (walker.incomplete, walker.errors);
    Walked {
        unit: walker.b.finish(),
        incomplete,
        errors,
    }
}

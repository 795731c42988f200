//! The edges of `use`, `mod x;` and `extern crate`.

use super::crates::Crates;
use super::edges::library_key;
use super::paths::{Named, Space, Visited, outside_member};
use crate::ids::{LocalNode, StrId};
use crate::link::edges::{Drafts, To, label};
use crate::link::world::Sym;
use crate::model::facts::{Use, UseForm, UseId};
use crate::model::label::{Context, NodeKind, Reason, Relation};
use crate::model::unit::Unit;

/// Adds the edges of all declarations of a unit.
pub(super) fn use_edges(crates: &Crates<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    for (i, declaration) in unit.facts.uses.iter().enumerate() {
        let Ok(id) = u32::try_from(i) else { break };
        match declaration.form {
            UseForm::File => {
                if let Some(file) = crates.module_file(at, id) {
                    file_edge(file, declaration, at, drafts);
                }
            }
            UseForm::Crate | UseForm::Name | UseForm::Glob => {
                name_edges(crates, at, UseId(id), declaration, drafts);
            }
        }
    }
}

fn relation(declaration: &Use, file: bool) -> (Relation, Context) {
    if declaration.form == UseForm::Crate {
        (Relation::DEPENDS_ON, Context::IMPORT)
    } else if declaration.public && !declaration.local && declaration.form != UseForm::File {
        (Relation::RE_EXPORTS, Context::RE_EXPORT)
    } else if file {
        (Relation::IMPORTS_FROM, Context::IMPORT)
    } else {
        (Relation::IMPORTS, Context::IMPORT)
    }
}

fn file_edge(file: Sym, declaration: &Use, at: u32, drafts: &mut Drafts) {
    if file.unit == at {
        return;
    }
    let file = Sym {
        unit: file.unit,
        node: LocalNode::UNIT,
    };
    let (relation, context) = relation(declaration, true);
    let edge = label(relation, context, Reason::MODULE, declaration.line);
    drafts.add(LocalNode::UNIT, To::Sym(file), edge);
}

fn outside_edge(key: String, declaration: &Use, drafts: &mut Drafts) {
    let (relation, context) = relation(declaration, false);
    let edge = label(relation, context, Reason::EXTERNAL, declaration.line);
    if let Some((package, _)) = key.split_once("::")
        && package.starts_with("crate:")
    {
        let from = label(
            Relation::IMPORTS_FROM,
            Context::IMPORT,
            Reason::EXTERNAL,
            declaration.line,
        );
        drafts.add(LocalNode::UNIT, To::Outside(package.to_string()), from);
    }
    drafts.add(LocalNode::UNIT, To::Outside(key), edge);
}

fn name_edges(crates: &Crates<'_>, at: u32, id: UseId, declaration: &Use, drafts: &mut Drafts) {
    let world = crates.world;
    let Some(unit) = world.unit(at) else { return };
    let module = Sym {
        unit: at,
        node: declaration.module,
    };
    let path: Vec<&str> = unit
        .facts
        .list(declaration.path)
        .iter()
        .map(|s| unit.text(StrId(*s)))
        .collect();
    let follow = |path: &[&str], space| crates.path(module, path, space, &mut Visited::default());
    let mut found: Vec<Named> = Vec::new();
    if declaration.form == UseForm::Name || declaration.form == UseForm::Crate {
        for space in [Space::Type, Space::Value, Space::Macro] {
            let named = crates.declared(at, id, space, &mut Visited::default());
            if let Some(named) = named
                && !found.contains(&named)
            {
                found.push(named);
            }
        }
        // A crate of that name is only meant where the path leads to nothing else.
        if found.iter().any(|n| matches!(n, Named::Node(_))) {
            found.retain(|n| matches!(n, Named::Node(_)));
        }
    }
    let is_library = |sym: &Sym| sym.unit == crates.library;
    // The module that the path goes through.
    let through = match declaration.form {
        UseForm::Glob => follow(&path, Space::Type),
        _ => match path.split_last() {
            Some((_, head)) if !head.is_empty() => follow(head, Space::Type),
            _ => None,
        },
    };
    // A module that is taken by name is itself what the file depends on.
    let is_module = found.iter().any(|n| {
        matches!(n, Named::Node(sym) if matches!(world.kind(*sym), NodeKind::FILE | NodeKind::MODULE))
    });
    if let Some(Named::Node(sym)) = &through
        && !is_library(sym)
        && !is_module
    {
        file_edge(*sym, declaration, at, drafts);
    }
    if let (UseForm::Glob, Some(Named::Outside(key))) = (declaration.form, &through)
        && !key.starts_with("rust:")
    {
        outside_edge(key.clone(), declaration, drafts);
    }
    for named in found {
        match named {
            Named::Outside(key) => outside_edge(key, declaration, drafts),
            Named::Node(sym) if is_library(&sym) => {
                let key = match path.split_first() {
                    Some((&("std" | "core" | "alloc"), rest)) => {
                        rest.iter().fold("rust:std".to_string(), |key, name| {
                            outside_member(&key, name)
                        })
                    }
                    _ => library_key(crates, sym),
                };
                outside_edge(key, declaration, drafts);
            }
            Named::Node(sym) if matches!(world.kind(sym), NodeKind::FILE | NodeKind::MODULE) => {
                file_edge(sym, declaration, at, drafts);
            }
            Named::Node(sym) => {
                let (relation, context) = relation(declaration, false);
                let direct = through.as_ref().is_some_and(
                    |t| matches!(t, Named::Node(holder) if world.node(sym).is_some_and(|n| n.parent == holder.node && sym.unit == holder.unit)),
                );
                let reason = if direct {
                    Reason::IMPORT
                } else {
                    Reason::RE_EXPORT
                };
                let edge = label(relation, context, reason, declaration.line);
                drafts.add(LocalNode::UNIT, To::Sym(sym), edge);
            }
        }
    }
}

//! Edges of imports, and of methods that stand in another file than their type.
//!
//! An import names a package, which is several files. The edge leads to those of them that the importing file uses
//! something of; to the package's first file where it uses nothing (an import for its effect).

use crate::ids::LocalNode;
use crate::link::edges::{Drafts, To, label};
use crate::link::imports::module_edge;
use crate::link::names::file;
use crate::link::world::{Module, Sym, World};
use crate::model::label::{Context, NodeKind, Reason, Relation};
use crate::model::unit::Unit;

/// Adds the edges that only Go has to those that are drafted already.
pub(in crate::link) fn unit_edges(world: &World<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    imports(world, unit, at, drafts);
    methods(world, unit, at, drafts);
}

fn imports(world: &World<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    let mut used: Vec<u32> = drafts.targets().map(|s| s.unit).collect();
    used.sort_unstable();
    used.dedup();
    used.retain(|u| *u != at);
    for import in &unit.facts.imports {
        let module = world.module(at, import.module);
        let Some(Module::Unit(first)) = module else {
            module_edge(
                module,
                LocalNode::UNIT,
                Relation::IMPORTS_FROM,
                Context::IMPORT,
                import.line,
                drafts,
            );
            continue;
        };
        let mut files: Vec<u32> = used
            .iter()
            .copied()
            .filter(|u| world.go.are_one(*u, *first))
            .collect();
        if files.is_empty() {
            files.push(*first);
        }
        for target in files {
            let label = label(
                Relation::IMPORTS_FROM,
                Context::IMPORT,
                Reason::MODULE,
                import.line,
            );
            drafts.add(LocalNode::UNIT, To::Sym(file(target)), label);
        }
    }
}

fn methods(world: &World<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    for (i, node) in unit.nodes().iter().enumerate().skip(1) {
        if node.parent != LocalNode::UNIT {
            continue;
        }
        let Some(ty) = LocalNode::from_index(i) else {
            break;
        };
        for part in world.augmented(Sym { unit: at, node: ty }) {
            let Some(other) = world.unit(part.unit) else {
                continue;
            };
            for (j, method) in other.nodes().iter().enumerate().skip(1) {
                if method.parent != part.node || method.kind != NodeKind::METHOD {
                    continue;
                }
                let Some(method_id) = LocalNode::from_index(j) else {
                    break;
                };
                let to = To::Sym(Sym {
                    unit: part.unit,
                    node: method_id,
                });
                let label = label(
                    Relation::METHOD,
                    Context::NONE,
                    Reason::STRUCTURE,
                    node.span.start_line,
                );
                drafts.add(ty, to, label);
            }
        }
    }
}

//! The edges that the class languages write differently: imports of packages and their names, calls, overrides.

use super::members::{Found, Want};
use super::packages::is_type;
use crate::ids::LocalNode;
use crate::link::edges::{Drafts, To, answer_edges, label};
use crate::link::eval::Eval;
use crate::link::imports::module_edge;
use crate::link::names::file;
use crate::link::references::Answer;
use crate::link::types::Ty;
use crate::link::world::Sym;
use crate::model::facts::{ExprId, Import, Imported, Reference};
use crate::model::label::{Context, NodeKind, Reason, Relation};
use crate::model::node::NodeFlags;
use crate::model::unit::Unit;

/// The edges of one import: to the files that hold what it names, and to that itself.
pub(in crate::link) fn import_edges(
    eval: &mut Eval<'_>,
    at: u32,
    import: &Import,
    drafts: &mut Drafts,
) {
    let path = eval.world.text(at, import.module);
    let dialect = eval.world.dialect(at);
    let line = import.line;
    let external = |key: String, relation: Relation, drafts: &mut Drafts| {
        let label = label(relation, Context::IMPORT, Reason::EXTERNAL, line);
        drafts.add(LocalNode::UNIT, To::Outside(key), label);
    };
    eval.restart();
    if import.imported == Imported::SideEffect {
        let module = eval.world.module(at, import.module).cloned();
        let relation = Relation::IMPORTS_FROM;
        let from = LocalNode::UNIT;
        module_edge(
            module.as_ref(),
            from,
            relation,
            Context::IMPORT,
            line,
            drafts,
        );
        return;
    }
    if !matches!(import.imported, Imported::Name(_)) {
        if let Some(sym) = eval.type_at(at, path) {
            symbol_edges(at, sym, line, drafts);
        } else if !eval.world.packages.is_package(dialect, path) {
            external(
                dialect.outside_package(path),
                Relation::IMPORTS_FROM,
                drafts,
            );
        }
        return;
    }
    let mut found = Found::default();
    for want in [Want::Type, Want::Method, Want::Value] {
        let mut hit = Found::default();
        eval.path(at, path, want, &mut hit);
        found.external = found.external.or(hit.external);
        found.members.extend(hit.members);
    }
    for member in &found.members {
        symbol_edges(at, member.sym, line, drafts);
    }
    if let (true, Some(key)) = (found.is_empty(), found.external) {
        if let Some((package, _)) = key.split_once("::") {
            external(package.to_string(), Relation::IMPORTS_FROM, drafts);
        }
        external(key, Relation::IMPORTS, drafts);
    }
}

fn symbol_edges(at: u32, sym: Sym, line: u32, drafts: &mut Drafts) {
    if sym.unit != at {
        let from = label(
            Relation::IMPORTS_FROM,
            Context::IMPORT,
            Reason::MODULE,
            line,
        );
        drafts.add(LocalNode::UNIT, To::Sym(file(sym.unit)), from);
    }
    let edge = label(Relation::IMPORTS, Context::IMPORT, Reason::IMPORT, line);
    drafts.add(LocalNode::UNIT, To::Sym(sym), edge);
}

/// The edges of a call or a construction.
pub(in crate::link) fn call_edges(
    eval: &mut Eval<'_>,
    at: u32,
    reference: &Reference,
    call: ExprId,
    drafts: &mut Drafts,
) {
    for answer in eval.class_call_targets(at, call) {
        answer_edges(eval, reference, Relation::CALLS, &answer, drafts);
    }
}

/// A class implements an interface and extends a class, where the language writes both alike.
pub(in crate::link) fn base_relation(
    eval: &Eval<'_>,
    at: u32,
    reference: &Reference,
    answer: &Answer,
) -> Relation {
    let own = Sym {
        unit: at,
        node: reference.from,
    };
    let own = eval.world.kind(own);
    match answer.targets.first().map(|s| eval.world.kind(*s)) {
        Some(NodeKind::INTERFACE) if own != NodeKind::INTERFACE => Relation::IMPLEMENTS,
        _ => Relation::INHERITS,
    }
}

/// Members that replace or carry out one of a base type.
pub(in crate::link) fn override_edges(
    eval: &mut Eval<'_>,
    unit: &Unit,
    at: u32,
    drafts: &mut Drafts,
) {
    let mut holder = LocalNode::UNIT;
    let mut bases: Vec<Ty> = Vec::new();
    for (i, node) in unit.nodes().iter().enumerate().skip(1) {
        let Some(id) = LocalNode::from_index(i) else {
            break;
        };
        let property = matches!(node.kind, NodeKind::FIELD | NodeKind::ACCESSOR);
        if !(node.kind == NodeKind::METHOD || property)
            || node.flags.has(NodeFlags::STATIC)
            || node.flags.has(NodeFlags::PRIVATE)
        {
            continue;
        }
        let class = Sym {
            unit: at,
            node: node.parent,
        };
        let kind = eval.world.kind(class);
        if !is_type(kind) && kind != NodeKind::ENUM_MEMBER {
            continue;
        }
        if holder != node.parent {
            holder = node.parent;
            bases = bases_of(eval, class);
        }
        if bases.is_empty() {
            continue;
        }
        let own = Sym { unit: at, node: id };
        let want = match node.kind {
            NodeKind::METHOD => Want::Call(parameters(eval, own)),
            _ => Want::Value,
        };
        let name = unit.text(node.name);
        for base in &bases {
            let Ty::Instance(base, _) = base else {
                continue;
            };
            eval.restart();
            let mut found = Found::default();
            eval.type_members(*base, &None, name, want, &mut found);
            found.members.retain(|m| {
                let flags = eval.world.flags(m.sym);
                !flags.has(NodeFlags::STATIC)
                    && !flags.has(NodeFlags::PRIVATE)
                    && m.sym != own
                    && (node.kind != NodeKind::METHOD || same_length(eval, own, m.sym))
                    && (!property || eval.world.kind(m.sym) != NodeKind::METHOD)
            });
            if property && !eval.world.dialect(at).overrides_fields() {
                continue;
            }
            for member in &found.members {
                let edge = label(
                    Relation::OVERRIDES,
                    Context::BASE,
                    Reason::INHERITANCE,
                    node.span.start_line,
                );
                drafts.add(id, To::Sym(member.sym), edge);
                let carries = node.kind != NodeKind::FIELD
                    && !matches!(kind, NodeKind::INTERFACE | NodeKind::TRAIT);
                if carries {
                    drafts.add_carried(member.sym, own);
                }
            }
        }
    }
}

fn bases_of(eval: &mut Eval<'_>, class: Sym) -> Vec<Ty> {
    let mut all = Vec::new();
    for part in eval.world.packages.parts(class) {
        eval.restart();
        all.extend(eval.bases(part, &None).into_iter().map(|(_, ty)| ty));
    }
    if eval.world.kind(class) == NodeKind::ENUM_MEMBER
        && let Some(node) = eval.world.node(class).map(|n| n.parent)
    {
        let holder = Sym {
            unit: class.unit,
            node,
        };
        all.push(Ty::Instance(holder, None));
    }
    all
}

fn parameters(eval: &Eval<'_>, sym: Sym) -> usize {
    let facts = eval.world.unit(sym.unit).map(|u| &u.facts);
    let function = eval.functions_of(sym);
    facts
        .and_then(|f| Some(f.list(f.function(function)?.params).len()))
        .unwrap_or(0)
}

fn same_length(eval: &Eval<'_>, one: Sym, other: Sym) -> bool {
    parameters(eval, one) == parameters(eval, other)
}

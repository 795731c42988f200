//! Linking of C and C++: the edges of one unit beyond its structure.
//!
//! Where it sits: called by [`super::edges`] for units of this dialect; it shares the world, the drafts and the project's
//! include paths with the other languages and has an evaluator of its own. [`names`] holds who defines what and who
//! includes whom, [`lookup`] says what a name means, [`targets`] where a
//! reference leads, [`values`] and [`written`] what a value is, [`members`] which member is meant.
//!
//! A name that its file does not bind is looked for in what the file takes in, then among the program's external
//! definitions: the only one of that name, or the only one nearest by its folders. A prototype stands for its definition.
//!
//! Invariants: names that are private to a file are never seen from another that does not include it; a bare name never
//! means a member outside its class; where two definitions are as near, none is chosen.

mod library;
mod lookup;
mod members;
mod names;
mod targets;
mod values;
mod written;

pub(super) use self::names::Names;

use self::lookup::Linker;
use self::values::Answer;
use super::edges::{Drafts, To, label};
use super::world::{Sym, World};
use crate::ids::{LocalNode, StrId};
use crate::model::edge::{Confidence, EdgeLabel};
use crate::model::facts::{Expr, ExprId, RefTarget, Reference};
use crate::model::label::{Context, NodeKind, Reason, Relation};
use crate::model::node::NodeFlags;
use crate::model::unit::Unit;

/// The edges of a unit's references, declarations and overrides.
pub(super) fn edges(world: &World<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    let mut linker = Linker::new(world, at);
    for reference in &unit.facts.refs {
        reference_edges(&mut linker, unit, at, reference, drafts);
    }
    declaration_edges(&mut linker, unit, at, drafts);
    override_edges(&mut linker, unit, at, drafts);
    table_edges(&mut linker, unit, at, drafts);
}

fn confidence(answer: &Answer) -> Confidence {
    if answer.targets.len() > 1 {
        Confidence::Ambiguous
    } else if answer.inferred {
        Confidence::Inferred
    } else {
        Confidence::Extracted
    }
}

fn reference_edges(
    linker: &mut Linker<'_>,
    unit: &Unit,
    at: u32,
    reference: &Reference,
    drafts: &mut Drafts,
) {
    linker.restart();
    let calls = reference.relation == Relation::CALLS;
    let answer = match reference.target {
        RefTarget::Env(_) => return,
        RefTarget::Expr(expr) => linker.target(at, expr, None),
        RefTarget::Type(ty) => linker.type_target(at, ty),
    };
    let is_type = matches!(reference.target, RefTarget::Type(_));
    let sure = confidence(&answer);
    for sym in &answer.targets {
        let kind = linker.world.kind(*sym);
        let own = *sym
            == Sym {
                unit: at,
                node: reference.from,
            };
        if (own && !calls) || kind == NodeKind::FILE {
            continue;
        }
        let (relation, context) = relation_to(linker, reference, is_type, *sym, kind);
        let edge = EdgeLabel {
            relation,
            confidence: sure,
            reason: answer.reason,
            context,
            line: reference.line,
        };
        drafts.add(reference.from, To::Sym(*sym), edge);
        // Who reads a member of an enumeration uses the enumeration.
        if kind == NodeKind::ENUM_MEMBER
            && let Some(node) = linker.world.node(*sym)
        {
            let holder = Sym {
                unit: sym.unit,
                node: node.parent,
            };
            drafts.add(reference.from, To::Sym(holder), edge);
        }
    }
    if !answer.targets.is_empty() {
        return;
    }
    if let Some(key) = answer.external {
        let edge = label(
            reference.relation,
            reference.context,
            Reason::EXTERNAL,
            reference.line,
        );
        if calls || is_type {
            drafts.add(reference.from, To::Outside(key), edge);
        }
        return;
    }
    if calls
        && let RefTarget::Expr(expr) = reference.target
        && let Some(name) = bare_name(unit, expr)
        && !library::is_builtin(name)
    {
        let edge = EdgeLabel {
            confidence: Confidence::Unresolved,
            ..label(
                reference.relation,
                reference.context,
                Reason::UNRESOLVED,
                reference.line,
            )
        };
        drafts.add(reference.from, To::Name(name.to_string()), edge);
    }
}

/// The name of a callee that stands for itself.
fn bare_name(unit: &Unit, expr: ExprId) -> Option<&str> {
    let mut at = expr;
    for _ in 0..4 {
        match unit.facts.expr(at) {
            Expr::Free { name } => return Some(unit.text(name)),
            Expr::Call { callee, .. } => at = callee,
            Expr::Fallback { second, .. } => at = second,
            _ => break,
        }
    }
    None
}

/// What an edge to a definition states.
fn relation_to(
    linker: &Linker<'_>,
    reference: &Reference,
    is_type: bool,
    sym: Sym,
    kind: NodeKind,
) -> (Relation, Context) {
    let stated = (reference.relation, reference.context);
    match reference.relation {
        // What runs when a pointer is called is not known from the pointer: it is read.
        Relation::CALLS => match kind {
            NodeKind::FIELD => (Relation::REFERENCES, Context::PROPERTY_READ),
            NodeKind::VARIABLE => (Relation::REFERENCES, Context::PROPERTY_READ),
            NodeKind::CONSTANT if linker.is_variable(sym) => {
                (Relation::REFERENCES, Context::PROPERTY_READ)
            }
            NodeKind::ENUM | NodeKind::ENUM_MEMBER | NodeKind::MODULE | NodeKind::TYPE_ALIAS => {
                (Relation::REFERENCES, reference.context)
            }
            _ => stated,
        },
        Relation::REFERENCES => {
            let passes_on = matches!(
                reference.context,
                Context::ARGUMENT | Context::COLLECTION | Context::ASSIGNMENT | Context::RETURN
            );
            let callable = matches!(kind, NodeKind::FUNCTION | NodeKind::METHOD);
            // A macro that stands for a function is another name of it.
            let aliases = linker.world.kind(Sym {
                unit: linker.root,
                node: reference.from,
            }) == NodeKind::CONSTANT
                && reference.context == Context::ASSIGNMENT
                && !linker.is_variable(Sym {
                    unit: linker.root,
                    node: reference.from,
                });
            if !is_type && callable && passes_on && !aliases {
                (Relation::INDIRECT_CALL, reference.context)
            } else {
                stated
            }
        }
        _ => stated,
    }
}

/// From what is declared to where it is defined.
fn declaration_edges(linker: &mut Linker<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    for (i, node) in unit.nodes().iter().enumerate().skip(1) {
        if !node.flags.has(NodeFlags::ABSTRACT) {
            continue;
        }
        let Some(id) = LocalNode::from_index(i) else {
            break;
        };
        let sym = Sym { unit: at, node: id };
        linker.restart();
        let (definition, near) = linker.definition(sym);
        if definition == sym {
            continue;
        }
        let edge = EdgeLabel {
            confidence: if near {
                Confidence::Inferred
            } else {
                Confidence::Extracted
            },
            ..label(
                Relation::DECLARES,
                Context::NONE,
                Reason::UNIQUE_NAME,
                node.span.start_line,
            )
        };
        drafts.add(id, To::Sym(definition), edge);
    }
}

/// Members that replace one of a base type.
fn override_edges(linker: &mut Linker<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    for def in &unit.facts.defs {
        if def.node == LocalNode::UNIT || unit.facts.list(def.bases).is_empty() {
            continue;
        }
        let class = Sym {
            unit: at,
            node: def.node,
        };
        for (i, node) in unit.nodes().iter().enumerate().skip(def.node.index() + 1) {
            if node.parent != def.node {
                // Nodes of a record follow it; the first that stands outside ends it.
                if node.parent < def.node {
                    break;
                }
                continue;
            }
            let is_method = node.kind == NodeKind::METHOD && !node.flags.has(NodeFlags::STATIC);
            let Some(id) = LocalNode::from_index(i).filter(|_| is_method) else {
                continue;
            };
            let own = Sym { unit: at, node: id };
            linker.restart();
            for base in linker.base_members(class, unit.text(node.name)) {
                if linker.world.kind(base) != NodeKind::METHOD || !linker.same_arity(base, own) {
                    continue;
                }
                let edge = label(
                    Relation::OVERRIDES,
                    Context::BASE,
                    Reason::INHERITANCE,
                    node.span.start_line,
                );
                drafts.add(id, To::Sym(base), edge);
                let (runs, _) = linker.definition(own);
                let (from, _) = linker.definition(base);
                drafts.dispatch(from, runs);
            }
        }
    }
}

/// `.open = my_open` in a table of some type: the type's field may run that function.
fn table_edges(linker: &mut Linker<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    for def in &unit.facts.defs {
        let Expr::Object { fields } = unit.facts.expr(def.value) else {
            continue;
        };
        linker.restart();
        let Some(record) = linker.record_of_type(at, def.ty) else {
            continue;
        };
        for pair in unit.facts.list(fields).chunks_exact(2) {
            let [name, value] = pair else { continue };
            linker.restart();
            let answer = linker.target(at, ExprId(*value), None);
            let [function] = answer.targets.as_slice() else {
                continue;
            };
            if linker.world.kind(*function) != NodeKind::FUNCTION {
                continue;
            }
            let field = linker.members(record, unit.text(StrId(*name)));
            if let Some(field) = field.first()
                && linker.world.kind(field.sym) == NodeKind::FIELD
            {
                drafts.dispatch(field.sym, *function);
            }
        }
    }
}

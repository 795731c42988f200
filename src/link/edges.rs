//! The edges of one unit: structure, imports, references, overrides.
//!
//! Edges are drafted against the whole batch (targets in other units by place) and stored into the unit afterwards,
//! because a unit cannot be changed while others are read.

use rustc_hash::{FxHashMap, FxHashSet};

use super::eval::Eval;
use super::imports::{export_edges, import_edges};
use super::references::Answer;
use super::types::Ty;
use super::world::{Sym, World};
use crate::ids::LocalNode;
use crate::model::edge::{Confidence, Edge, EdgeLabel, Target};
use crate::model::facts::{Expr, ExprId, RefTarget, Reference};
use crate::model::label::{Context, NodeKind, Reason, Relation};
use crate::model::node::NodeFlags;
use crate::model::unit::Unit;

/// Where a drafted edge leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum To {
    Sym(Sym),
    Outside(String),
    Env(String),
    Name(String),
}

/// The edges of one unit before they are stored.
#[derive(Default)]
pub(super) struct Drafts {
    place: u32,
    /// Members of base types with the members of this unit that carry them out.
    dispatches: Vec<(Sym, Sym)>,
    edges: Vec<(LocalNode, To, EdgeLabel)>,
    seen: FxHashSet<(LocalNode, To, Relation, Context, u32)>,
}

impl Drafts {
    /// Adds an edge that is not there yet.
    pub(super) fn add(&mut self, from: LocalNode, to: To, label: EdgeLabel) {
        let key = (from, to, label.relation, label.context, label.line);
        if self.seen.contains(&key) {
            return;
        }
        let (_, to, ..) = &key;
        self.edges.push((from, to.clone(), label));
        self.seen.insert(key);
    }

    /// What members of base types may run, wherever those stand.
    pub(super) fn take_dispatches(&mut self) -> Vec<(Sym, Sym)> {
        std::mem::take(&mut self.dispatches)
    }

    /// Notes that a member of this unit carries out one of a base type, wherever that stands.
    pub(super) fn add_carried(&mut self, base: Sym, member: Sym) {
        self.dispatches.push((base, member));
    }

    /// Adds an edge from a member of a base type to a member that carries it out.
    pub(super) fn add_dispatch(&mut self, from: LocalNode, line: u32, to: Sym) {
        let label = label(
            Relation::DISPATCHES_TO,
            Context::BASE,
            Reason::INHERITANCE,
            line,
        );
        self.add(from, To::Sym(to), label);
    }

    /// Stores the edges into their unit.
    pub(super) fn store(self, unit: &mut Unit) {
        let mut edges = Vec::with_capacity(self.edges.len());
        for (source, to, label) in self.edges {
            let target = match to {
                To::Sym(sym) if sym.unit == self.place => Target::Local(sym.node),
                To::Sym(sym) => Target::Unit {
                    unit: sym.unit,
                    node: sym.node,
                },
                To::Outside(key) => Target::Key {
                    key: unit.intern(&key),
                    kind: NodeKind::EXTERNAL,
                },
                To::Env(name) => Target::Key {
                    key: unit.intern(&format!("env:{name}")),
                    kind: NodeKind::ENV_VAR,
                },
                To::Name(name) => Target::Key {
                    key: unit.intern(&crate::model::key::unresolved(&name)),
                    kind: NodeKind::UNRESOLVED,
                },
            };
            edges.push(Edge {
                source,
                target,
                label,
            });
        }
        unit.set_edges(edges);
    }
}

/// Links one unit.
pub(super) fn of_unit(world: &World<'_>, place: usize) -> Drafts {
    let Ok(at) = u32::try_from(place) else {
        return Drafts::default();
    };
    let Some(unit) = world.unit(at) else {
        return Drafts::default();
    };
    let mut drafts = Drafts {
        place: at,
        ..Drafts::default()
    };
    structure(unit, at, &mut drafts);
    let mut eval = Eval::new(world);
    let classes = world.dialect(at).is_classes();
    for (i, import) in unit.facts.imports.iter().enumerate() {
        if classes {
            super::classes::edges::import_edges(&mut eval, at, import, &mut drafts);
            continue;
        }
        import_edges(&mut eval, at, i, import, &mut drafts);
    }
    export_edges(&mut eval, unit, at, &mut drafts);
    for reference in &unit.facts.refs {
        reference_edges(&mut eval, unit, at, reference, &mut drafts);
    }
    if classes {
        super::classes::edges::override_edges(&mut eval, unit, at, &mut drafts);
    } else {
        override_edges(&mut eval, unit, at, &mut drafts);
    }
    drafts
}

fn structure(unit: &Unit, at: u32, drafts: &mut Drafts) {
    for (i, node) in unit.nodes().iter().enumerate().skip(1) {
        let Some(id) = LocalNode::from_index(i) else {
            break;
        };
        let parent = unit.node(node.parent).map_or(NodeKind::FILE, |p| p.kind);
        let is_type = matches!(
            parent,
            NodeKind::CLASS
                | NodeKind::STRUCT
                | NodeKind::ENUM
                | NodeKind::TRAIT
                | NodeKind::IMPL
                | NodeKind::INTERFACE
                | NodeKind::TYPE_ALIAS
                | NodeKind::CONSTANT
        );
        let relation = match node.kind {
            NodeKind::ENUM_MEMBER => Relation::CASE_OF,
            NodeKind::METHOD | NodeKind::ACCESSOR | NodeKind::CONSTRUCTOR if is_type => {
                Relation::METHOD
            }
            NodeKind::METHOD if node.flags.has(NodeFlags::STATIC) => Relation::METHOD,
            NodeKind::FIELD => Relation::DEFINES,
            _ => Relation::CONTAINS,
        };
        let label = EdgeLabel {
            relation,
            confidence: Confidence::Extracted,
            reason: Reason::STRUCTURE,
            context: Context::NONE,
            line: node.span.start_line,
        };
        let sym = Sym { unit: at, node: id };
        drafts.add(node.parent, To::Sym(sym), label);
    }
}

/// A statement that the source proves.
pub(super) fn label(relation: Relation, context: Context, reason: Reason, line: u32) -> EdgeLabel {
    EdgeLabel {
        relation,
        confidence: Confidence::Extracted,
        reason,
        context,
        line,
    }
}

fn reference_edges(
    eval: &mut Eval<'_>,
    unit: &Unit,
    at: u32,
    reference: &Reference,
    drafts: &mut Drafts,
) {
    let answer = match reference.target {
        RefTarget::Env(name) => {
            let name = unit.text(name).to_string();
            let label = label(
                reference.relation,
                reference.context,
                Reason::SCOPE,
                reference.line,
            );
            drafts.add(reference.from, To::Env(name), label);
            return;
        }
        RefTarget::Expr(expr)
            if reference.relation == Relation::CALLS && eval.world.dialect(at).is_classes() =>
        {
            super::classes::edges::call_edges(eval, at, reference, expr, drafts);
            return;
        }
        RefTarget::Expr(expr) if reference.relation == Relation::CALLS => {
            eval.call_target(at, expr)
        }
        RefTarget::Expr(expr) => eval.target(at, expr),
        RefTarget::Type(ty) => eval.type_target(at, ty),
    };
    let mut relation = reference.relation;
    if relation == Relation::INHERITS && eval.world.dialect(at).is_classes() {
        relation = super::classes::edges::base_relation(eval, at, reference, &answer);
    }
    if relation == Relation::REFERENCES {
        return read_edges(eval, reference, &answer, drafts);
    }
    answer_edges(eval, reference, relation, &answer, drafts);
    if relation == Relation::CALLS
        && let RefTarget::Expr(expr) = reference.target
    {
        holder_edge(eval, unit, at, reference, expr, drafts);
    }
}

pub(super) fn answer_edges(
    eval: &Eval<'_>,
    reference: &Reference,
    relation: Relation,
    answer: &Answer,
    drafts: &mut Drafts,
) {
    let edge = EdgeLabel {
        relation,
        confidence: answer.confidence(),
        reason: answer.reason.unwrap_or(Reason::UNRESOLVED),
        context: reference.context,
        line: reference.line,
    };
    for sym in &answer.targets {
        if !is_target(eval, relation, *sym) {
            continue;
        }
        // What runs when a field is called is not known from the field: it is read.
        let edge = if relation == Relation::CALLS && is_plain_field(eval, reference, *sym) {
            EdgeLabel {
                relation: Relation::REFERENCES,
                context: Context::PROPERTY_READ,
                ..edge
            }
        } else {
            edge
        };
        drafts.add(reference.from, To::Sym(*sym), edge);
        if relation == Relation::INHERITS {
            for part in eval.world.augmented(*sym) {
                drafts.add(reference.from, To::Sym(*part), edge);
            }
        }
    }
    if let Some(key) = &answer.external {
        drafts.add(reference.from, To::Outside(key.clone()), edge);
    }
    let keeps = matches!(relation, Relation::CALLS);
    if let (Some(name), true) = (&answer.unresolved, keeps) {
        drafts.add(reference.from, To::Name(name.clone()), edge);
    }
}

/// Whether a callee is a field of a class, or of any type where it is constructed: a value, not a declared member.
fn is_plain_field(eval: &Eval<'_>, reference: &Reference, sym: Sym) -> bool {
    if eval.world.kind(sym) != NodeKind::FIELD {
        return false;
    }
    let parent = eval.world.node(sym).map(|n| Sym {
        unit: sym.unit,
        node: n.parent,
    });
    let in_class = parent.is_some_and(|p| eval.world.kind(p) == NodeKind::CLASS);
    in_class || reference.context == Context::CONSTRUCTOR
}

/// Whether a definition can be the target of a relation at all.
fn is_target(eval: &Eval<'_>, relation: Relation, sym: Sym) -> bool {
    let kind = eval.world.kind(sym);
    match relation {
        Relation::CALLS => !matches!(
            kind,
            NodeKind::FILE | NodeKind::MODULE | NodeKind::TYPE_ALIAS | NodeKind::ENUM
        ),
        Relation::INHERITS | Relation::IMPLEMENTS => !matches!(kind, NodeKind::FILE),
        _ => true,
    }
}

/// A name that is read, or written as a type.
fn read_edges(eval: &Eval<'_>, reference: &Reference, answer: &Answer, drafts: &mut Drafts) {
    let is_type = matches!(reference.target, RefTarget::Type(_));
    let passes_on = matches!(
        reference.context,
        Context::ARGUMENT | Context::COLLECTION | Context::ASSIGNMENT | Context::RETURN
    );
    for sym in &answer.targets {
        let kind = eval.world.kind(*sym);
        let callable = matches!(kind, NodeKind::FUNCTION | NodeKind::METHOD);
        let relation = if !is_type && callable && passes_on {
            Relation::INDIRECT_CALL
        } else {
            Relation::REFERENCES
        };
        if kind == NodeKind::FILE || reference.context == Context::EXPORT {
            continue;
        }
        let edge = EdgeLabel {
            relation,
            confidence: answer.confidence(),
            reason: answer.reason.unwrap_or(Reason::UNRESOLVED),
            context: reference.context,
            line: reference.line,
        };
        drafts.add(reference.from, To::Sym(*sym), edge);
        // Who reads a member of an enumeration uses the enumeration.
        if kind == NodeKind::ENUM_MEMBER
            && let Some(node) = eval.world.node(*sym)
        {
            let holder = Sym {
                unit: sym.unit,
                node: node.parent,
            };
            drafts.add(reference.from, To::Sym(holder), edge);
        }
    }
    if let (Some(key), true) = (&answer.external, is_type || passes_on) {
        let edge = label(
            Relation::REFERENCES,
            reference.context,
            Reason::EXTERNAL,
            reference.line,
        );
        drafts.add(reference.from, To::Outside(key.clone()), edge);
    }
}

/// `table.get()` reads `table` where that is a constant.
fn holder_edge(
    eval: &mut Eval<'_>,
    unit: &Unit,
    at: u32,
    reference: &Reference,
    callee: ExprId,
    drafts: &mut Drafts,
) {
    let mut head = callee;
    for _ in 0..32 {
        match unit.facts.expr(head) {
            Expr::Member { base, .. } => head = base,
            _ => break,
        }
    }
    if head == callee || !matches!(unit.facts.expr(head), Expr::Bound(_)) {
        return;
    }
    let answer = eval.target(at, head);
    if answer.inferred {
        return;
    }
    for sym in answer.targets {
        if matches!(
            eval.world.kind(sym),
            NodeKind::CONSTANT | NodeKind::VARIABLE
        ) && sym
            != (Sym {
                unit: at,
                node: reference.from,
            })
        {
            let edge = label(
                Relation::REFERENCES,
                Context::PROPERTY_READ,
                answer.reason.unwrap_or(Reason::SCOPE),
                reference.line,
            );
            drafts.add(reference.from, To::Sym(sym), edge);
        }
    }
}

/// Members that replace or carry out one of a base type.
fn override_edges(eval: &mut Eval<'_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    let mut bases: FxHashMap<LocalNode, Vec<Ty>> = FxHashMap::default();
    for def in &unit.facts.defs {
        if !unit.facts.list(def.bases).is_empty() {
            let class = Sym {
                unit: at,
                node: def.node,
            };
            eval.restart();
            let all = eval.bases(class, &None);
            bases.insert(def.node, all.into_iter().map(|(_, ty)| ty).collect());
        }
    }
    if bases.is_empty() {
        return;
    }
    for (i, node) in unit.nodes().iter().enumerate().skip(1) {
        let member = matches!(
            node.kind,
            NodeKind::METHOD | NodeKind::ACCESSOR | NodeKind::FIELD
        );
        if !member || node.flags.has(NodeFlags::STATIC) {
            continue;
        }
        let (Some(bases), Some(id)) = (bases.get(&node.parent), LocalNode::from_index(i)) else {
            continue;
        };
        let name = unit.text(node.name);
        for base in bases {
            eval.restart();
            for found in eval.members(base, name).nodes {
                let edge = label(
                    Relation::OVERRIDES,
                    Context::BASE,
                    Reason::INHERITANCE,
                    node.span.start_line,
                );
                drafts.add(id, To::Sym(found.sym), edge);
                let holder = unit.node(node.parent).map(|n| n.kind);
                if node.kind != NodeKind::FIELD && holder == Some(NodeKind::CLASS) {
                    let own = Sym { unit: at, node: id };
                    drafts.dispatches.push((found.sym, own));
                }
            }
        }
    }
}

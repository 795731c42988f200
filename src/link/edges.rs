//! The edges of one unit: structure, imports, references, overrides.
//!
//! Edges are drafted against the whole batch (targets in other units by place) and stored into the unit afterwards,
//! because a unit cannot be changed while others are read.

use rustc_hash::{FxHashMap, FxHashSet};

use super::dialect::Dialect;
use super::eval::Eval;
use super::imports::{export_edges, import_edges};
use super::references::Answer;
use super::types::Ty;
use super::world::{Sym, World};
use crate::ids::{LocalNode, StrId};
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

/// Where a drafted edge leads, as it is kept: texts stand in a list of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kept {
    Sym(Sym),
    Text(u32),
}

/// The edges of one unit before they are stored. Those of all units wait side by side, so they are kept small.
#[derive(Default)]
pub(super) struct Drafts {
    place: u32,
    /// Members of base types with the members of this unit that carry them out.
    dispatches: Vec<(Sym, Sym)>,
    /// Edges whose source another unit defines, as this unit knows of them.
    elsewhere: Vec<(Sym, To, EdgeLabel)>,
    edges: Vec<(LocalNode, Kept, EdgeLabel)>,
    /// Keys of symbols outside, each once, with their kinds.
    texts: Vec<(String, NodeKind)>,
    /// Places in `texts`; forgotten when the unit is done.
    places: FxHashMap<String, u32>,
    seen: FxHashSet<(LocalNode, Kept, Relation, Context, u32)>,
}

impl Drafts {
    /// Adds an edge that is not there yet.
    pub(super) fn add(&mut self, from: LocalNode, to: To, label: EdgeLabel) {
        let kept = match to {
            To::Sym(sym) => Kept::Sym(sym),
            To::Outside(key) => self.text(key, NodeKind::EXTERNAL),
            To::Env(name) => self.text(format!("env:{name}"), NodeKind::ENV_VAR),
            To::Name(name) => self.text(crate::model::key::unresolved(&name), NodeKind::UNRESOLVED),
        };
        if self
            .seen
            .insert((from, kept, label.relation, label.context, label.line))
        {
            self.edges.push((from, kept, label));
        }
    }

    fn text(&mut self, key: String, kind: NodeKind) -> Kept {
        if let Some(place) = self.places.get(&key) {
            return Kept::Text(*place);
        }
        let place = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push((key.clone(), kind));
        self.places.insert(key, place);
        Kept::Text(place)
    }

    /// Gives back what only the unit's own edges needed.
    fn done(mut self) -> Self {
        self.places = FxHashMap::default();
        self.seen = FxHashSet::default();
        self.edges.shrink_to_fit();
        self
    }

    /// The definitions that edges lead to so far.
    pub(super) fn targets(&self) -> impl Iterator<Item = Sym> + '_ {
        self.edges.iter().filter_map(|(_, to, _)| match to {
            Kept::Sym(sym) => Some(*sym),
            Kept::Text(_) => None,
        })
    }

    /// Types with the interfaces that the source says they satisfy.
    pub(super) fn implemented(&self) -> impl Iterator<Item = (LocalNode, Sym)> + '_ {
        self.edges.iter().filter_map(|(from, to, label)| match to {
            Kept::Sym(sym) if label.relation == Relation::IMPLEMENTS => Some((*from, *sym)),
            _ => None,
        })
    }

    /// The drafts of the unit at `place`, without edges.
    pub(super) fn of(place: u32) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// The unit's place in the batch.
    pub(super) fn place(&self) -> u32 {
        self.place
    }

    /// Adds an edge from a definition of any unit. Its line is that of the definition where another unit holds it.
    pub(super) fn add_from(&mut self, world: &World<'_>, from: Sym, to: To, label: EdgeLabel) {
        if from.unit == self.place {
            return self.add(from.node, to, label);
        }
        let line = world.node(from).map_or(0, |n| n.span.start_line);
        self.elsewhere.push((from, to, EdgeLabel { line, ..label }));
    }

    /// Notes that calls of a member of a type may run a function, wherever the two stand.
    pub(super) fn dispatch(&mut self, base: Sym, member: Sym) {
        self.dispatches.push((base, member));
    }

    /// Edges that belong to other units.
    pub(super) fn take_elsewhere(&mut self) -> Vec<(Sym, To, EdgeLabel)> {
        std::mem::take(&mut self.elsewhere)
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
        let texts: Vec<(StrId, NodeKind)> = self
            .texts
            .iter()
            .map(|(key, kind)| (unit.intern(key), *kind))
            .collect();
        let mut edges = Vec::with_capacity(self.edges.len());
        for (source, to, label) in self.edges {
            let target = match to {
                Kept::Sym(sym) if sym.unit == self.place => Target::Local(sym.node),
                Kept::Sym(sym) => Target::Unit {
                    unit: sym.unit,
                    node: sym.node,
                },
                Kept::Text(place) => match texts.get(place as usize) {
                    Some((key, kind)) => Target::Key {
                        key: *key,
                        kind: *kind,
                    },
                    None => continue,
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
    eval.dialect = world.dialect(at);
    if eval.is_go(at) {
        for reference in &unit.facts.refs {
            reference_edges(&mut eval, unit, at, reference, &mut drafts);
        }
        super::go::edges::unit_edges(world, unit, at, &mut drafts);
        return drafts.done();
    }
    for (i, import) in unit.facts.imports.iter().enumerate() {
        if classes {
            super::classes::edges::import_edges(&mut eval, at, import, &mut drafts);
            continue;
        }
        import_edges(&mut eval, at, i, import, &mut drafts);
    }
    if eval.dialect == Dialect::C {
        super::c::edges(world, unit, at, &mut drafts);
        return drafts.done();
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
    drafts.done()
}

pub(super) fn structure(unit: &Unit, at: u32, drafts: &mut Drafts) {
    for (i, node) in unit.nodes().iter().enumerate().skip(1) {
        let Some(id) = LocalNode::from_index(i) else {
            break;
        };
        let parent = unit.node(node.parent).map_or(NodeKind::FILE, |p| p.kind);
        let is_type = matches!(
            parent,
            NodeKind::CLASS
                | NodeKind::INTERFACE
                | NodeKind::TYPE_ALIAS
                | NodeKind::CONSTANT
                | NodeKind::STRUCT
                | NodeKind::ENUM
                | NodeKind::UNION
                | NodeKind::TRAIT
                | NodeKind::IMPL
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
        // No other edge says the same.
        drafts.edges.push((node.parent, Kept::Sym(sym), label));
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
        read_edges(eval, reference, &answer, drafts);
        if let RefTarget::Expr(expr) = reference.target
            && eval.is_go(at)
        {
            holder_edge(eval, unit, at, reference, expr, drafts);
        }
        return;
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
        // `T(x)` names the type that a value is converted to.
        if relation == Relation::CALLS && eval.is_go_type(*sym) {
            let edge = EdgeLabel {
                relation: Relation::REFERENCES,
                context: Context::TYPE,
                ..edge
            };
            drafts.add(reference.from, To::Sym(*sym), edge);
            continue;
        }
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
        } else if relation == Relation::CALLS && answer.indirect {
            EdgeLabel {
                relation: Relation::INDIRECT_CALL,
                ..edge
            }
        } else {
            edge
        };
        drafts.add(reference.from, To::Sym(*sym), edge);
        if relation == Relation::INHERITS && !eval.is_go(sym.unit) {
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
    let named = match unit.facts.expr(head) {
        Expr::Bound(_) => true,
        Expr::Free { .. } => eval.is_go(at),
        _ => false,
    };
    if head == callee || !named {
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

//! The edges of one unit of Rust.

use super::crates::{Block, Crates, Head};
use super::eval::Eval;
use super::members::Lookup;
use super::paths::{Named, Space, outside_member};
use super::types::Ty;
use super::uses::use_edges;
use crate::ids::LocalNode;
use crate::link::edges::{Drafts, To, label, structure};
use crate::link::world::Sym;
use crate::model::edge::{Confidence, EdgeLabel};
use crate::model::facts::{Bound, Expr, ExprId, RefTarget, Reference, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Reason, Relation};
use crate::model::unit::Unit;

/// What a reference leads to.
pub(super) enum Answer {
    /// A definition, and how it was found.
    Sym(Sym, Reason),
    /// A symbol outside, by its key.
    Outside(String),
    /// A name that nothing was proved for.
    Name(String),
    /// Nothing worth an edge.
    Nothing,
}

/// Links one unit.
pub(in crate::link) fn of_unit(crates: &Crates<'_>, place: usize) -> Drafts {
    let Ok(at) = u32::try_from(place) else {
        return Drafts::default();
    };
    let Some(unit) = crates.world.unit(at) else {
        return Drafts::default();
    };
    let mut drafts = Drafts::of(at);
    structure(unit, at, &mut drafts);
    use_edges(crates, unit, at, &mut drafts);
    let mut eval = Eval::new(crates);
    block_edges(&mut eval, unit, at, &mut drafts);
    for reference in &unit.facts.refs {
        eval.restart();
        reference_edges(&mut eval, unit, at, reference, &mut drafts);
    }
    drafts
}

/// The key of a definition of the library.
pub(super) fn library_key(crates: &Crates<'_>, sym: Sym) -> String {
    let mut names = Vec::new();
    let mut at = sym;
    while at.node != LocalNode::UNIT && names.len() < 8 {
        names.push(crates.world.name(at).to_string());
        let Some(node) = crates.world.node(at) else {
            break;
        };
        at.node = node.parent;
    }
    let mut key = "rust:std".to_string();
    for name in names.iter().rev() {
        key = outside_member(&key, name);
    }
    key
}

/// What each block of members states: its type has its members and its trait.
fn block_edges(eval: &mut Eval<'_, '_>, unit: &Unit, at: u32, drafts: &mut Drafts) {
    let crates = eval.crates;
    for (i, block) in unit.facts.impls.iter().enumerate() {
        let id = Block {
            unit: at,
            at: u32::try_from(i).unwrap_or(u32::MAX),
        };
        let holder = match crates.head_of(id) {
            Some(Head::Adt(sym) | Head::Trait(sym)) if sym.unit != crates.library => Some(*sym),
            _ => None,
        };
        let of_trait = crates.trait_of(id);
        if let Some(holder) = holder {
            if holder.unit != at {
                for member in unit.facts.list(block.members) {
                    let node = LocalNode(*member);
                    let member = To::Sym(Sym { unit: at, node });
                    let edge = label(
                        Relation::METHOD,
                        Context::NONE,
                        Reason::STRUCTURE,
                        block.line,
                    );
                    drafts.add_from(crates.world, holder, member, edge);
                }
            }
            let to = match of_trait {
                Some(sym) if sym.unit == crates.library => {
                    Some(To::Outside(library_key(crates, sym)))
                }
                Some(sym) => Some(To::Sym(sym)),
                None => match crates.named_type(at, block.of_trait, 0) {
                    Some(Named::Outside(key)) => Some(To::Outside(key)),
                    _ => None,
                },
            };
            if let Some(to) = to {
                let reason = match &to {
                    To::Outside(_) => Reason::EXTERNAL,
                    To::Sym(sym) if sym.unit == at => Reason::SCOPE,
                    _ => Reason::IMPORT,
                };
                let edge = label(Relation::IMPLEMENTS, Context::BASE, reason, block.line);
                drafts.add_from(crates.world, holder, to, edge);
            }
        }
        let Some(of_trait) = of_trait.filter(|t| t.unit != crates.library) else {
            continue;
        };
        for member in unit.facts.list(block.members) {
            let node = LocalNode(*member);
            let own = Sym { unit: at, node };
            if crates.world.kind(own) != NodeKind::METHOD {
                continue;
            }
            let declared = crates.world.children(of_trait, crates.world.name(own));
            let Some(declared) = declared
                .into_iter()
                .find(|s| crates.world.kind(*s) == NodeKind::METHOD)
            else {
                continue;
            };
            let line = crates.world.node(own).map_or(0, |n| n.span.start_line);
            let edge = label(
                Relation::OVERRIDES,
                Context::BASE,
                Reason::INHERITANCE,
                line,
            );
            drafts.add(node, To::Sym(declared), edge);
            drafts.dispatch(declared, own);
        }
    }
}

fn reference_edges(
    eval: &mut Eval<'_, '_>,
    unit: &Unit,
    at: u32,
    reference: &Reference,
    drafts: &mut Drafts,
) {
    let relation = reference.relation;
    match reference.target {
        RefTarget::Env(name) => {
            let name = unit.text(name).to_string();
            let edge = label(relation, reference.context, Reason::SCOPE, reference.line);
            drafts.add(reference.from, To::Env(name), edge);
        }
        RefTarget::Type(ty) => {
            let answer = type_answer(eval, unit, at, ty);
            add(eval, reference, answer, drafts);
        }
        RefTarget::Expr(expr) => {
            // A call whose arguments matter is noted whole.
            let (expr, args) = match unit.facts.expr(expr) {
                Expr::Call { callee, args, .. } => (callee, unit.facts.list(args)),
                _ => (expr, &[][..]),
            };
            let answer = if relation == Relation::CALLS {
                eval.callee(at, expr, args)
            } else {
                eval.read(at, expr)
            };
            add(eval, reference, answer, drafts);
            holder_edge(eval, unit, at, reference, expr, drafts);
        }
    }
}

/// `Type::f` uses the type too.
fn holder_edge(
    eval: &Eval<'_, '_>,
    unit: &Unit,
    at: u32,
    reference: &Reference,
    expr: ExprId,
    drafts: &mut Drafts,
) {
    let Expr::Member { base, .. } = unit.facts.expr(expr) else {
        return;
    };
    let Expr::TypeName { ty } = unit.facts.expr(base) else {
        return;
    };
    if !matches!(unit.facts.ty(ty), TypeExpr::Bound { .. }) {
        return;
    }
    let Answer::Sym(sym, reason) = type_answer(eval, unit, at, ty) else {
        return;
    };
    let is_module = matches!(eval.kind(sym), NodeKind::MODULE | NodeKind::FILE);
    let itself = sym.unit == at && sym.node == reference.from;
    if is_module || itself || sym.unit == eval.crates.library {
        return;
    }
    let edge = label(Relation::REFERENCES, Context::TYPE, reason, reference.line);
    drafts.add(reference.from, To::Sym(sym), edge);
}

fn type_answer(eval: &Eval<'_, '_>, unit: &Unit, at: u32, ty: TypeId) -> Answer {
    let TypeExpr::Bound { binding, .. } = unit.facts.ty(ty) else {
        return Answer::Nothing;
    };
    let bound = unit.facts.binding(binding).map(|b| b.bound);
    if let Some(Bound::TypeParam { .. }) = bound {
        return Answer::Nothing;
    }
    match eval.crates.named_type(at, ty, 0) {
        Some(Named::Node(sym)) => Answer::Sym(sym, reason_of(at, sym)),
        Some(Named::Outside(key)) => Answer::Outside(key),
        None => Answer::Nothing,
    }
}

/// How a name that leads to a definition was found.
fn reason_of(at: u32, sym: Sym) -> Reason {
    if sym.unit == at {
        Reason::SCOPE
    } else {
        Reason::IMPORT
    }
}

fn add(eval: &Eval<'_, '_>, reference: &Reference, answer: Answer, drafts: &mut Drafts) {
    let mut edge = EdgeLabel {
        relation: reference.relation,
        confidence: if eval.inferred {
            Confidence::Inferred
        } else {
            Confidence::Extracted
        },
        reason: Reason::EXTERNAL,
        context: reference.context,
        line: reference.line,
    };
    let calls = reference.relation == Relation::CALLS;
    let passes_on = matches!(
        reference.context,
        Context::ARGUMENT | Context::COLLECTION | Context::ASSIGNMENT | Context::RETURN
    );
    match answer {
        Answer::Nothing => {}
        Answer::Name(name) => {
            if calls {
                edge.confidence = Confidence::Unresolved;
                edge.reason = Reason::UNRESOLVED;
                drafts.add(reference.from, To::Name(name), edge);
            }
        }
        Answer::Outside(key) => {
            let is_library = key.starts_with("rust:");
            let is_base = matches!(
                reference.relation,
                Relation::INHERITS | Relation::IMPLEMENTS
            );
            if calls || is_base || !is_library {
                edge.confidence = Confidence::Extracted;
                drafts.add(reference.from, To::Outside(key), edge);
            }
        }
        Answer::Sym(sym, _) if sym.unit == eval.crates.library => {
            let path = calls && eval.kind(sym) == NodeKind::FUNCTION;
            let is_base = matches!(
                reference.relation,
                Relation::INHERITS | Relation::IMPLEMENTS
            );
            if path || is_base {
                let key = library_key(eval.crates, sym);
                drafts.add(reference.from, To::Outside(key), edge);
            }
        }
        Answer::Sym(sym, reason) => {
            edge.reason = if eval.inferred {
                Reason::INFERRED
            } else {
                reason
            };
            let kind = eval.kind(sym);
            if calls && matches!(kind, NodeKind::STRUCT | NodeKind::ENUM_MEMBER) {
                edge.relation = Relation::REFERENCES;
                edge.context = Context::CONSTRUCTOR;
            }
            // A macro is written out where it stands: what runs is not the macro.
            if calls && kind == NodeKind::MACRO {
                edge.relation = Relation::REFERENCES;
            }
            if matches!(kind, NodeKind::FILE | NodeKind::MODULE) {
                return;
            }
            let callable = matches!(kind, NodeKind::FUNCTION | NodeKind::METHOD);
            if edge.relation == Relation::REFERENCES && callable && passes_on {
                edge.relation = Relation::INDIRECT_CALL;
            }
            // What mentions itself says nothing new.
            let itself = sym
                == Sym {
                    unit: drafts.place(),
                    node: reference.from,
                };
            if itself && edge.relation != Relation::CALLS {
                return;
            }
            drafts.add(reference.from, To::Sym(sym), edge);
            // Who names a member of an enumeration uses the enumeration.
            if kind == NodeKind::ENUM_MEMBER
                && let Some(node) = eval.crates.world.node(sym)
            {
                let holder = Sym {
                    unit: sym.unit,
                    node: node.parent,
                };
                drafts.add(reference.from, To::Sym(holder), edge);
            }
        }
    }
}

impl Eval<'_, '_> {
    /// The definition that a call reaches.
    pub(super) fn callee(&mut self, unit: u32, id: ExprId, args: &[u32]) -> Answer {
        if let Some((receiver, name)) = self.method_call(unit, id) {
            let ty = self.expr(unit, receiver);
            return match self.method(&ty, name) {
                Lookup::Found(member) => {
                    let reason = self.method_reason(unit, receiver, member.of_trait);
                    Answer::Sym(member.sym, reason)
                }
                Lookup::Outside => Answer::Nothing,
                Lookup::Unknown if self.crates.is_library_method(name) => Answer::Nothing,
                Lookup::Unknown => Answer::Name(name.to_string()),
            };
        }
        let Some(facts) = self.facts(unit) else {
            return Answer::Nothing;
        };
        match facts.expr(id) {
            Expr::Bound(_) | Expr::Member { .. } | Expr::TypeName { .. } => {
                self.path_answer(unit, id, Some(args))
            }
            _ => self.flow(unit, id),
        }
    }

    /// The definition that a value is.
    pub(super) fn read(&mut self, unit: u32, id: ExprId) -> Answer {
        let Some(facts) = self.facts(unit) else {
            return Answer::Nothing;
        };
        match facts.expr(id) {
            Expr::TypeName { .. } => match self.variant(unit, id) {
                Some(sym) => Answer::Sym(sym, reason_of(unit, sym)),
                None => Answer::Nothing,
            },
            Expr::Bound(_) | Expr::Member { .. } => match self.path_answer(unit, id, None) {
                Answer::Name(_) | Answer::Nothing => match self.variant(unit, id) {
                    Some(sym) => Answer::Sym(sym, reason_of(unit, sym)),
                    None => Answer::Nothing,
                },
                answer => answer,
            },
            _ => Answer::Nothing,
        }
    }

    /// What a local that is called holds.
    fn flow(&mut self, unit: u32, id: ExprId) -> Answer {
        let value = self.expr(unit, id);
        match value {
            Ty::Def(sym, _) => {
                self.inferred = true;
                Answer::Sym(sym, Reason::INFERRED)
            }
            _ => Answer::Nothing,
        }
    }

    /// What a path in a value's place leads to; `args` are those of a call.
    fn path_answer(&mut self, unit: u32, id: ExprId, args: Option<&[u32]>) -> Answer {
        let calls = args.is_some();
        let Some(facts) = self.facts(unit) else {
            return Answer::Nothing;
        };
        match facts.expr(id) {
            Expr::Bound(binding) => {
                let Some(found) = facts.binding(binding) else {
                    return Answer::Nothing;
                };
                if let Bound::Local { .. } = found.bound {
                    return if calls {
                        self.flow(unit, id)
                    } else {
                        Answer::Nothing
                    };
                }
                let name = self.text(unit, found.name);
                let space = if name.ends_with('!') {
                    Space::Macro
                } else {
                    Space::Value
                };
                match self.binding(unit, binding, space) {
                    Some(Named::Node(sym)) => Answer::Sym(sym, reason_of(unit, sym)),
                    Some(Named::Outside(key)) => Answer::Outside(key),
                    None if calls => Answer::Name(name.to_string()),
                    None => Answer::Nothing,
                }
            }
            Expr::TypeName { .. } => match self.variant(unit, id) {
                Some(sym) => Answer::Sym(sym, Reason::THIS),
                None => Answer::Nothing,
            },
            Expr::Member { base, name } => {
                let Expr::TypeName { ty } = facts.expr(base) else {
                    return Answer::Nothing;
                };
                let name = self.text(unit, name);
                match self.expr(unit, base) {
                    Ty::Module(sym) => {
                        let space = if name.ends_with('!') {
                            Space::Macro
                        } else {
                            Space::Value
                        };
                        let bare = name.trim_end_matches('!');
                        match self.crates.inside(&Named::Node(sym), bare, space) {
                            Some(Named::Node(found)) => Answer::Sym(found, Reason::NAMESPACE),
                            Some(Named::Outside(key)) => Answer::Outside(key),
                            None if calls => Answer::Name(bare.to_string()),
                            None => Answer::Nothing,
                        }
                    }
                    Ty::External(key) => Answer::Outside(outside_member(&key, name)),
                    Ty::Named(holder) => match self.static_member(&holder, name) {
                        Some(_) if calls && self.alternatives(&holder, name).len() > 1 => {
                            let all = self.alternatives(&holder, name);
                            match self.by_argument(unit, args.unwrap_or_default(), &all) {
                                Some(sym) => Answer::Sym(sym, Reason::QUALIFIED),
                                None => Answer::Nothing,
                            }
                        }
                        Some(member) => {
                            let is_self = matches!(facts.ty(ty), TypeExpr::SelfType { .. });
                            let reason = if is_self {
                                Reason::THIS
                            } else if member.of_trait {
                                Reason::INHERITANCE
                            } else {
                                Reason::QUALIFIED
                            };
                            Answer::Sym(member.sym, reason)
                        }
                        None => match &*holder {
                            Ty::External(key) => Answer::Outside(outside_member(key, name)),
                            Ty::Param(..) | Ty::Assoc(..)
                                if calls && !self.crates.is_library_method(name) =>
                            {
                                Answer::Name(name.to_string())
                            }
                            _ => Answer::Nothing,
                        },
                    },
                    _ if calls && !self.crates.is_library_method(name) => {
                        Answer::Name(name.trim_end_matches('!').to_string())
                    }
                    _ => Answer::Nothing,
                }
            }
            _ => Answer::Nothing,
        }
    }

    fn method_reason(&self, unit: u32, receiver: ExprId, of_trait: bool) -> Reason {
        if self.inferred {
            return Reason::INFERRED;
        }
        if of_trait {
            return Reason::INHERITANCE;
        }
        let facts = self.facts(unit);
        if let Some(Expr::Bound(binding)) = facts.map(|f| f.expr(receiver)) {
            let name = facts
                .and_then(|f| f.binding(binding))
                .map(|b| self.text(unit, b.name));
            if name == Some("self") {
                return Reason::THIS;
            }
        }
        if self.through_result {
            return Reason::RETURN_TYPE;
        }
        Reason::RECEIVER_TYPE
    }
}

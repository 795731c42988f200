//! From a reference to the definitions it leads to: names, members, overloads, types.

use super::lookup::{Linker, Want};
use super::values::{Answer, Value, is_record, tag};
use crate::ids::StrId;
use crate::link::world::Sym;
use crate::model::facts::{Bound, Expr, ExprId, List, TypeExpr, TypeId};
use crate::model::label::{NodeKind, Reason};

impl<'w> Linker<'w> {
    /// What a value in a call or a read leads to; `args` is the number of a call's arguments.
    pub(super) fn target(&mut self, unit: u32, id: ExprId, args: Option<usize>) -> Answer {
        if !self.enter() {
            return Answer::none();
        }
        let answer = self.target_now(unit, id, args);
        self.depth -= 1;
        answer
    }

    pub(super) fn target_now(&mut self, unit: u32, id: ExprId, args: Option<usize>) -> Answer {
        let Some(facts) = self.facts(unit) else {
            return Answer::none();
        };
        match facts.expr(id) {
            Expr::Free { name } => {
                let name = self.world.text(unit, name);
                let looked = self.look(unit, name, Want::Value);
                let answer = Answer::from(&*looked);
                self.settled(answer, args)
            }
            Expr::Bound(binding) => match facts.binding(binding).map(|b| b.bound) {
                Some(Bound::Node(node)) => {
                    let sym = Sym { unit, node };
                    let answer = self.own(sym);
                    self.settled(answer, args)
                }
                Some(Bound::Local { ty, value }) => {
                    if ty != TypeId::UNKNOWN || value == ExprId::UNKNOWN {
                        return Answer::none();
                    }
                    // A name of another namespace, or a local that holds a function.
                    let mut answer = self.target(unit, value, args);
                    let kinds = answer.targets.iter().all(|s| {
                        matches!(
                            self.world.kind(*s),
                            NodeKind::FUNCTION
                                | NodeKind::METHOD
                                | NodeKind::CLASS
                                | NodeKind::STRUCT
                                | NodeKind::ENUM
                                | NodeKind::TYPE_ALIAS
                        )
                    });
                    if !kinds || matches!(facts.expr(value), Expr::Call { .. }) {
                        return Answer::none();
                    }
                    answer.reason = Reason::NAMESPACE;
                    answer
                }
                _ => Answer::none(),
            },
            Expr::Fallback { first, second } => self.either_member(unit, first, second, args),
            Expr::Member { base, name } => self.member_target(unit, base, name, args),
            Expr::Call { callee, args, .. } => {
                let count = facts.list(args).len();
                self.target(unit, callee, Some(count))
            }
            Expr::Either { left, right } => {
                let mut answer = self.target(unit, left, args);
                let other = self.target(unit, right, args);
                if answer.targets.is_empty() || other.targets.is_empty() {
                    return Answer::none();
                }
                answer.targets.extend(other.targets);
                answer.targets.sort_unstable();
                answer.targets.dedup();
                answer.inferred = true;
                answer
            }
            _ => Answer::none(),
        }
    }

    /// A definition of the file itself: of several in the branches of a conditional the one with a body.
    pub(super) fn own(&mut self, sym: Sym) -> Answer {
        let (definition, near) = self.definition(sym);
        let reason = if definition.unit == sym.unit {
            Reason::SCOPE
        } else {
            Reason::UNIQUE_NAME
        };
        Answer {
            inferred: near,
            ..Answer::of(definition, reason)
        }
    }

    /// A name in a member function: local before member before anything around the class.
    pub(super) fn either_member(
        &mut self,
        unit: u32,
        first: ExprId,
        second: ExprId,
        args: Option<usize>,
    ) -> Answer {
        if self.is_inner(unit, second) {
            return self.target(unit, second, args);
        }
        let answer = self.target(unit, first, args);
        if answer.targets.is_empty() {
            return self.target(unit, second, args);
        }
        answer
    }

    /// Whether a name is bound inside a function or a record.
    pub(super) fn is_inner(&self, unit: u32, id: ExprId) -> bool {
        let Some(facts) = self.facts(unit) else {
            return false;
        };
        let Expr::Bound(binding) = facts.expr(id) else {
            return false;
        };
        match facts.binding(binding).map(|b| b.bound) {
            Some(Bound::Node(node)) => {
                let parent = self.world.node(Sym { unit, node }).map(|n| Sym {
                    unit,
                    node: n.parent,
                });
                parent.is_some_and(|p| is_record(self.world.kind(p)))
            }
            Some(Bound::Local { ty, value }) => {
                // `using a::b` stands at the top; locals have types or plain values.
                ty != TypeId::UNKNOWN || !matches!(facts.expr(value), Expr::Member { .. })
            }
            Some(Bound::TypeParam { .. }) => true,
            _ => false,
        }
    }

    pub(super) fn member_target(
        &mut self,
        unit: u32,
        base: ExprId,
        name: StrId,
        args: Option<usize>,
    ) -> Answer {
        let name = self.world.text(unit, name);
        let outer = std::mem::replace(&mut self.inferred, false);
        let receiver = self.value(unit, base, &None);
        let inferred = std::mem::replace(&mut self.inferred, outer);
        let this = self
            .facts(unit)
            .is_some_and(|f| matches!(f.expr(base), Expr::This { .. }));
        let (found, reason): (Vec<Sym>, Reason) = match &receiver {
            Value::Def(sym) if self.world.kind(*sym) == NodeKind::MODULE => {
                (self.space_members(*sym, name), Reason::NAMESPACE)
            }
            Value::Def(sym) if self.world.kind(*sym) == NodeKind::ENUM => {
                (self.world.children(*sym, name), Reason::QUALIFIED)
            }
            Value::Def(sym) if is_record(self.world.kind(*sym)) => {
                let members = self.members(*sym, name);
                (
                    members.into_iter().map(|m| m.sym).collect(),
                    Reason::QUALIFIED,
                )
            }
            Value::Of(sym, _) => {
                let members = self.members(*sym, name);
                let inherited = members.iter().any(|m| m.inherited);
                let reason = match (inferred, inherited, this) {
                    (true, ..) => Reason::INFERRED,
                    (_, true, _) => Reason::INHERITANCE,
                    (_, _, true) => Reason::THIS,
                    _ => Reason::RECEIVER_TYPE,
                };
                (members.into_iter().map(|m| m.sym).collect(), reason)
            }
            _ => return Answer::none(),
        };
        let Some(first) = found.first().copied() else {
            return Answer::none();
        };
        // Declared members that go by one name are overloads: which one is told by the arguments.
        let answer = Answer {
            inferred,
            ..Answer::of(first, reason)
        };
        let mut answer = self.chosen(answer, &found, args);
        self.define_all(&mut answer);
        answer
    }

    /// The definition among overloads that a call means.
    pub(super) fn settled(&mut self, answer: Answer, args: Option<usize>) -> Answer {
        let [sym] = answer.targets.as_slice() else {
            return answer;
        };
        let sym = *sym;
        let callable = matches!(
            self.world.kind(sym),
            NodeKind::FUNCTION | NodeKind::METHOD | NodeKind::CONSTRUCTOR
        );
        if args.is_none() || !callable || !self.is_cpp(sym.unit) {
            return answer;
        }
        let Some(node) = self.world.node(sym) else {
            return answer;
        };
        let parent = Sym {
            unit: sym.unit,
            node: node.parent,
        };
        let name = self.world.name(sym);
        let world = self.world;
        let siblings: Vec<Sym> = if is_record(world.kind(parent)) {
            world.children(parent, name)
        } else {
            world
                .c()
                .all(world, name)
                .filter(|s| {
                    s.unit == sym.unit && world.node(*s).is_some_and(|n| n.parent == node.parent)
                })
                .collect()
        };
        let mut answer = self.chosen(answer, &siblings, args);
        self.define_all(&mut answer);
        answer
    }

    /// Of several callables the one that takes as many arguments.
    pub(super) fn chosen(&self, mut answer: Answer, all: &[Sym], args: Option<usize>) -> Answer {
        let Some(count) = args.filter(|_| all.len() > 1) else {
            return answer;
        };
        let takes = |sym: Sym| match self.parameters(sym) {
            Some((few, many, rest)) => count >= few && (count <= many || rest),
            None => true,
        };
        let exact = |sym: Sym| {
            self.parameters(sym)
                .is_some_and(|(_, many, _)| many == count)
        };
        let found = all
            .iter()
            .find(|s| exact(**s))
            .or_else(|| all.iter().find(|s| takes(**s)));
        if let Some(sym) = found {
            answer.targets = vec![*sym];
        }
        answer
    }

    pub(super) fn define_all(&mut self, answer: &mut Answer) {
        for slot in &mut answer.targets {
            let (definition, near) = self.definition(*slot);
            *slot = definition;
            answer.inferred |= near;
        }
    }

    /// What a type's name leads to.
    pub(super) fn type_target(&mut self, unit: u32, id: TypeId) -> Answer {
        let Some(facts) = self.facts(unit) else {
            return Answer::none();
        };
        match facts.ty(id) {
            TypeExpr::Bound { binding, path, .. } => {
                let bound = facts.binding(binding).map(|b| b.bound);
                match (bound, path) {
                    (Some(Bound::Node(node)), List::EMPTY) => {
                        Answer::of(Sym { unit, node }, Reason::SCOPE)
                    }
                    (Some(Bound::TypeParam { .. }), _) => Answer::none(),
                    _ => match self.named(unit, id) {
                        Some(sym) => Answer::of(sym, Reason::NAMESPACE),
                        None => Answer::none(),
                    },
                }
            }
            TypeExpr::Free { name, path, .. } => {
                let text = self.world.text(unit, name);
                if path == List::EMPTY {
                    let (name, want) = tag(text);
                    return Answer::from(&*self.look(unit, name, want));
                }
                match self.named(unit, id) {
                    Some(sym) => Answer {
                        inferred: self.inferred,
                        ..Answer::of(sym, Reason::NAMESPACE)
                    },
                    None => Answer::none(),
                }
            }
            _ => Answer::none(),
        }
    }
}

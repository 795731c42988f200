//! Which assignment a name means at a place: versions of the names of one frame, branch by branch.
//!
//! Where it sits: asked by the walker for each name that it reads; what is not found here is resolved by scope at the end
//! (names of outer frames, names that are bound later).
//!
//! Invariant: a change is undone exactly when the branch that made it is left, and comes back where branches meet: one
//! version where they agree, a new binding for either where they do not.

use rustc_hash::{FxHashMap, FxHashSet};

use super::walker::Walker;
use crate::ids::StrId;
use crate::model::facts::{BindingId, Bound, Expr, ExprId, Space, TypeId};

/// The versions that hold at a place.
#[derive(Default)]
pub(super) struct Flow {
    now: FxHashMap<StrId, BindingId>,
    /// What was bound last in the frame's scope: what frames inside see.
    last: FxHashMap<StrId, BindingId>,
    /// Changed names with what they were before.
    log: Vec<(StrId, Option<BindingId>)>,
    /// Versions that only say more about another one (after a test of its type).
    narrowed: FxHashMap<BindingId, BindingId>,
    /// Versions that are `None`: they say nothing beside another one.
    empty: FxHashSet<BindingId>,
    /// The place is not reached.
    pub(super) ended: bool,
    loops: Vec<Loop>,
}

/// A loop around the place.
#[derive(Default)]
struct Loop {
    mark: usize,
    /// What held where the loop was left early or begun again.
    exits: Vec<Delta>,
    /// Names that were read, to be looked at again when the whole loop is known.
    reads: Vec<(StrId, ExprId)>,
}

/// Names that a branch changed, with what they are at its end.
#[derive(Clone, Default)]
pub(super) struct Delta {
    changes: Vec<(StrId, BindingId)>,
    ended: bool,
}

impl Flow {
    /// The version of a name that holds here.
    pub(super) fn get(&self, name: StrId) -> Option<BindingId> {
        self.now.get(&name).copied()
    }

    /// A new version of a name.
    pub(super) fn set(&mut self, name: StrId, binding: BindingId) {
        let before = self.now.insert(name, binding);
        self.log.push((name, before));
    }

    /// A name was bound in the frame's scope.
    pub(super) fn bound(&mut self, name: StrId, binding: BindingId) {
        self.last.insert(name, binding);
    }

    /// Names that were bound last in a branch that does not decide what they are at the end.
    fn unsettled(&self) -> Vec<(StrId, BindingId)> {
        let mut names: Vec<(StrId, BindingId)> = self
            .last
            .iter()
            .filter_map(|(name, last)| Some((*name, self.get(*name).filter(|now| now != last)?)))
            .collect();
        names.sort_unstable();
        names
    }

    /// The version is `None`.
    pub(super) fn set_empty(&mut self, binding: BindingId) {
        self.empty.insert(binding);
    }

    /// The place to go back to.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    fn changes_since(&self, mark: usize) -> Delta {
        let mut seen = FxHashSet::default();
        let changes = self
            .log
            .iter()
            .skip(mark)
            .filter(|(name, _)| seen.insert(*name))
            .filter_map(|(name, _)| Some((*name, self.get(*name)?)))
            .collect();
        Delta {
            changes,
            ended: self.ended,
        }
    }

    /// Takes back what changed since `mark`.
    pub(super) fn rewind(&mut self, mark: usize) -> Delta {
        let delta = self.changes_since(mark);
        while self.log.len() > mark {
            if let Some((name, before)) = self.log.pop() {
                match before {
                    Some(binding) => self.now.insert(name, binding),
                    None => self.now.remove(&name),
                };
            }
        }
        self.ended = false;
        delta
    }

    /// The loop is left or begun again here.
    pub(super) fn leave_loop(&mut self) {
        let mark = self.loops.last().map(|l| l.mark);
        if let Some(mark) = mark {
            let mut delta = self.changes_since(mark);
            delta.ended = false;
            if let Some(around) = self.loops.last_mut() {
                around.exits.push(delta);
            }
        }
        self.ended = true;
    }

    /// What a version says more about, at the end of the chain.
    fn root(&self, mut binding: BindingId) -> BindingId {
        for _ in 0..32 {
            match self.narrowed.get(&binding) {
                Some(outer) => binding = *outer,
                None => break,
            }
        }
        binding
    }
}

impl Walker<'_> {
    /// A name in value position.
    pub(super) fn name(&mut self, name: StrId) -> ExprId {
        let Some(binding) = self.frame.flow.get(name) else {
            return self.b.name(self.scope, name);
        };
        let expr = self.b.expr(Expr::Bound(binding));
        if let Some(around) = self.frame.flow.loops.last_mut() {
            around.reads.push((name, expr));
        }
        expr
    }

    /// A version that says more about a name.
    pub(super) fn narrow(&mut self, name: StrId, ty: TypeId) {
        let before = self.frame.flow.get(name);
        // Nobody finds these by scope.
        let inside = self.b.open();
        self.b.close(inside);
        let before = before.unwrap_or_else(|| {
            let value = self.b.name(self.scope, name);
            let bound = Bound::Local {
                ty: TypeId::UNKNOWN,
                value,
            };
            self.b.bind(inside, name, Space::Both, bound)
        });
        let bound = Bound::Local {
            ty,
            value: ExprId::UNKNOWN,
        };
        let binding = self.b.bind(inside, name, Space::Both, bound);
        self.frame.flow.narrowed.insert(binding, before);
        self.frame.flow.set(name, binding);
    }

    /// Runs one of several branches and takes it back.
    pub(super) fn branch(&mut self, visit: impl FnOnce(&mut Self)) -> Delta {
        let mark = self.frame.flow.mark();
        visit(self);
        self.frame.flow.rewind(mark)
    }

    /// Branches meet.
    pub(super) fn join(&mut self, branches: &[Delta]) {
        let live: Vec<&Delta> = branches.iter().filter(|d| !d.ended).collect();
        if live.is_empty() {
            self.frame.flow.ended = !branches.is_empty();
            return;
        }
        let mut names: Vec<StrId> = Vec::new();
        let mut seen = FxHashSet::default();
        for (name, _) in live.iter().flat_map(|d| &d.changes) {
            if seen.insert(*name) {
                names.push(*name);
            }
        }
        for name in names {
            let mut versions: Vec<BindingId> = Vec::new();
            let mut everywhere = true;
            for delta in &live {
                let changed = delta.changes.iter().rev().find(|(n, _)| *n == name);
                let version = changed.map(|(_, b)| *b).or(self.frame.flow.get(name));
                everywhere &= version.is_some();
                if let Some(version) = version
                    && !versions.contains(&version)
                {
                    versions.push(version);
                }
            }
            // A test of its type in one branch does not make two of a name.
            let roots: Vec<BindingId> = versions.iter().map(|v| self.frame.flow.root(*v)).collect();
            if let [first, rest @ ..] = roots.as_slice()
                && rest.iter().all(|r| r == first)
                && (!rest.is_empty() || !everywhere)
            {
                versions = vec![*first];
            }
            if versions.len() > 1 {
                let empty = &self.frame.flow.empty;
                let any = versions.iter().any(|v| !empty.contains(v));
                if any {
                    versions.retain(|v| !empty.contains(v));
                }
            }
            let version = match versions.as_slice() {
                [] => continue,
                [one] => *one,
                [first, rest @ ..] => self.either(name, *first, rest),
            };
            self.frame.flow.set(name, version);
        }
    }

    /// A binding that is one of several.
    fn either(&mut self, name: StrId, first: BindingId, rest: &[BindingId]) -> BindingId {
        let mut value = self.b.expr(Expr::Bound(first));
        for other in rest.iter().take(7) {
            let right = self.b.expr(Expr::Bound(*other));
            value = self.b.expr(Expr::Either { left: value, right });
        }
        let bound = Bound::Local {
            ty: TypeId::UNKNOWN,
            value,
        };
        let binding = self.b.bind(self.frame.scope, name, Space::Both, bound);
        self.frame.flow.bound(name, binding);
        binding
    }

    /// At the end of a frame: what frames inside it see of its names is what they are now.
    pub(super) fn settle(&mut self) {
        for (name, now) in self.frame.flow.unsettled() {
            let bound = self.b.unit.facts.binding(now).map(|b| b.bound);
            if let Some(bound) = bound {
                self.b.bind(self.frame.scope, name, Space::Both, bound);
            }
        }
    }

    /// Runs the body of a loop: it may run never, once or again.
    pub(super) fn looped(&mut self, visit: impl FnOnce(&mut Self)) {
        let mark = self.frame.flow.mark();
        self.frame.flow.loops.push(Loop {
            mark,
            ..Loop::default()
        });
        visit(self);
        let body = self.frame.flow.rewind(mark);
        let around = self.frame.flow.loops.pop().unwrap_or_default();
        let mut ends = vec![Delta::default(), body];
        ends.extend(around.exits);
        let before: Vec<Option<BindingId>> = around
            .reads
            .iter()
            .map(|(name, _)| self.frame.flow.get(*name))
            .collect();
        self.join(&ends);
        for ((name, expr), before) in around.reads.into_iter().zip(before) {
            let read = self.b.unit.facts.expr(expr);
            let (Some(before), Expr::Bound(version)) = (before, read) else {
                continue;
            };
            if version != before {
                continue;
            }
            // What was nothing before the loop can only be what the last turn left.
            if let Some(now) = self.frame.flow.get(name)
                && now != before
                && self.frame.flow.empty.contains(&before)
            {
                self.b.set_expr(expr, Expr::Bound(now));
            } else if let Some(outer) = self.frame.flow.loops.last_mut() {
                outer.reads.push((name, expr));
            }
        }
    }
}

impl Delta {
    /// The same, whether its end is reached or not.
    pub(super) fn reached(mut self) -> Self {
        self.ended = false;
        self
    }
}

impl Walker<'_> {
    /// Goes on where a branch ended.
    pub(super) fn resume(&mut self, branch: &Delta) {
        for (name, binding) in &branch.changes {
            self.frame.flow.set(*name, *binding);
        }
        self.frame.flow.ended = branch.ended;
    }
}

impl Flow {
    /// Takes back what was assumed since `mark`; what was assigned stays.
    pub(super) fn forget_narrowed(&mut self, mark: usize) {
        for at in mark..self.log.len() {
            let Some((name, _)) = self.log.get(at).copied() else {
                break;
            };
            if let Some(now) = self.get(name)
                && self.narrowed.contains_key(&now)
            {
                let root = self.root(now);
                self.now.insert(name, root);
            }
        }
    }
}

//! Calls: from a call or a construction to what it can reach.

use super::members::{Found, Want};
use super::packages::is_type;
use super::values::Callees;
use crate::link::eval::Eval;
use crate::link::references::Answer;
use crate::link::types::{Env, Ty};
use crate::link::world::Sym;
use crate::model::facts::{Bound, Expr, ExprId, TypeExpr, TypeId};
use crate::model::label::{NodeKind, Reason};

impl<'w> Eval<'w> {
    /// What the callee of a call can be.
    pub(super) fn call_members(&mut self, unit: u32, call: ExprId, env: &Env) -> Callees {
        let mut callees = Callees {
            found: Found::default(),
            receiver: None,
        };
        let Some(facts) = self.facts(unit) else {
            return callees;
        };
        let Expr::Call { callee, args, .. } = facts.expr(call) else {
            return callees;
        };
        let count = facts.list(args).len();
        self.callee_members(unit, callee, count, env, &mut callees);
        callees
    }

    fn callee_members(
        &mut self,
        unit: u32,
        callee: ExprId,
        count: usize,
        env: &Env,
        callees: &mut Callees,
    ) {
        let Some(facts) = self.facts(unit) else {
            return;
        };
        match facts.expr(callee) {
            // A lambda that has a value as its own: that value's members first.
            Expr::Fallback { first, second } => {
                self.callee_members(unit, first, count, env, callees);
                if callees.found.is_empty() {
                    let known = matches!(callees.receiver, Some(Ty::Instance(..)));
                    let opaque = callees.found.opaque || !known;
                    callees.found = Found::default();
                    callees.receiver = None;
                    self.callee_members(unit, second, count, env, callees);
                    callees.found.opaque |= opaque;
                }
            }
            Expr::Implied { node, name } => {
                let name = self.world.text(unit, name);
                callees.found = self.implied(unit, node, name, Want::Call(count));
                if callees.found.is_empty() && self.dialect(unit).names_construct() {
                    let ty = self.implied(unit, node, name, Want::Type);
                    if !ty.is_empty() || callees.found.external.is_none() {
                        callees.found.members = ty.members;
                        callees.found.external = ty.external;
                        callees.found.reason = ty.reason;
                    }
                }
            }
            Expr::Member { base, name } => {
                let name = self.world.text(unit, name);
                let receiver = self.expr(unit, base, env);
                callees.found = self.receiver_members(unit, &receiver, name, Want::Call(count));
                if callees.found.is_empty() && self.dialect(unit).names_construct() {
                    // A nested type that is made by its name.
                    if let Ty::Def(..) = receiver {
                        let ty = self.receiver_members(unit, &receiver, name, Want::Type);
                        callees.found.members = ty.members;
                    }
                }
                if callees.found.is_empty()
                    && receiver.is_unknown()
                    && let Some(names) = self.names_of(unit, callee)
                    && let Some(node) = self.node_of(unit, callee)
                {
                    callees.found = self.qualified(unit, node, &names, Want::Call(count));
                }
                callees.receiver = Some(receiver);
            }
            Expr::Bound(binding) => {
                if let Some(Bound::Node(node)) = facts.binding(binding).map(|b| b.bound) {
                    callees.found.add(Sym { unit, node });
                    callees.found.reason = Reason::SCOPE;
                }
            }
            Expr::This { node, .. } | Expr::Super { node, .. } => {
                let value = self.expr(unit, callee, env);
                let _ = node;
                if let Ty::Instance(sym, _) | Ty::Def(sym, _) = value {
                    callees.found.add(sym);
                    callees.found.reason = match facts.expr(callee) {
                        Expr::This { .. } => Reason::THIS,
                        _ => Reason::INHERITANCE,
                    };
                }
            }
            _ => {}
        }
    }

    /// The innermost node around a name.
    fn node_of(&self, unit: u32, id: ExprId) -> Option<crate::ids::LocalNode> {
        let facts = self.facts(unit)?;
        let mut at = id;
        for _ in 0..32 {
            match facts.expr(at) {
                Expr::Member { base, .. } => at = base,
                Expr::Implied { node, .. } => return Some(node),
                _ => return None,
            }
        }
        None
    }

    /// What a call or a construction reaches: the callee, and the constructor that runs.
    pub(super) fn class_call_targets(&mut self, unit: u32, id: ExprId) -> Vec<Answer> {
        self.restart();
        let Some(facts) = self.facts(unit) else {
            return Vec::new();
        };
        match facts.expr(id) {
            Expr::New { class, args, .. } => {
                let count = facts.list(args).len();
                match facts.expr(class) {
                    Expr::Typed { ty } if self.is_self_type(unit, ty) => {
                        match self.ty(unit, ty, &None) {
                            Ty::Instance(sym, _) => {
                                let found = self.constructors(sym, count);
                                vec![
                                    self.answer(vec![sym], Reason::THIS),
                                    self.answer(found, Reason::THIS),
                                ]
                            }
                            _ => Vec::new(),
                        }
                    }
                    Expr::Typed { ty } => self.construction(unit, ty, count),
                    Expr::This { node, .. } => {
                        let sym = Sym { unit, node };
                        let found = self.constructors(sym, count);
                        vec![self.answer(found, Reason::THIS)]
                    }
                    _ => Vec::new(),
                }
            }
            Expr::Call { args, .. } => {
                let count = facts.list(args).len();
                self.called(unit, id, count)
            }
            _ => Vec::new(),
        }
    }

    fn is_self_type(&self, unit: u32, ty: TypeId) -> bool {
        let ty = self.facts(unit).map(|f| f.ty(ty));
        matches!(ty, Some(TypeExpr::SelfType { .. }))
    }

    fn construction(&mut self, unit: u32, ty: TypeId, count: usize) -> Vec<Answer> {
        let answer = self.type_target(unit, ty);
        let mut answers = Vec::new();
        if let [sym] = answer.targets.as_slice() {
            let mut sym = *sym;
            if self.world.kind(sym) == NodeKind::TYPE_ALIAS
                && let Ty::Instance(behind, _) = self.ty(unit, ty, &None)
            {
                sym = behind;
            }
            let found = self.constructors(sym, count);
            let reason = answer.reason.unwrap_or(Reason::SCOPE);
            answers.push(self.answer(found, reason));
        }
        answers.insert(0, answer);
        answers
    }

    /// Constructors of a type that take so many arguments.
    fn constructors(&mut self, sym: Sym, count: usize) -> Vec<Sym> {
        let mut all = Vec::new();
        for name in self.dialect(sym.unit).constructor_names() {
            for part in self.world.packages.parts(sym) {
                let own = self.world.children(part, name);
                all.extend(own.into_iter().filter(|s| {
                    matches!(
                        self.world.kind(*s),
                        NodeKind::CONSTRUCTOR | NodeKind::METHOD
                    )
                }));
            }
        }
        let fits: Vec<Sym> = all
            .iter()
            .copied()
            .filter(|s| self.fit(*s, count) > 0)
            .collect();
        self.by_arity(sym.unit, fits, count, 0)
    }

    fn answer(&self, targets: Vec<Sym>, reason: Reason) -> Answer {
        Answer {
            targets,
            reason: Some(reason),
            inferred: self.inferred,
            ..Answer::default()
        }
    }

    fn called(&mut self, unit: u32, call: ExprId, count: usize) -> Vec<Answer> {
        let callees = self.call_members(unit, call, &None);
        let inferred = self.inferred;
        let Some(facts) = self.facts(unit) else {
            return Vec::new();
        };
        let Expr::Call { callee, .. } = facts.expr(call) else {
            return Vec::new();
        };
        let found = callees.found;
        if found.is_empty() {
            if let Some(key) = found.external {
                return vec![Answer {
                    external: Some(key),
                    reason: Some(Reason::EXTERNAL),
                    ..Answer::default()
                }];
            }
            return self
                .unresolved_call(unit, callee, found.opaque, callees.receiver.as_ref())
                .into_iter()
                .collect();
        }
        let reason = match (&callees.receiver, facts.expr(callee)) {
            (Some(receiver), Expr::Member { base, .. }) => {
                let inherited = found.members.iter().any(|m| m.inherited);
                self.member_reason(unit, base, receiver, inherited)
            }
            _ => found.reason,
        };
        let mut targets: Vec<Sym> = found.members.iter().map(|m| m.sym).collect();
        targets.sort_unstable();
        targets.dedup();
        // A member of one of the types around, where one on the way is not fully known, is likely and not proved.
        let mut answers = vec![Answer {
            inferred: inferred || (found.opaque && callees.receiver.is_none()),
            ..self.answer(targets.clone(), reason)
        }];
        if let [sym] = targets.as_slice()
            && is_type(self.world.kind(*sym))
        {
            let constructors = self.constructors(*sym, count);
            answers.push(self.answer(constructors, reason));
        }
        answers
    }

    fn unresolved_call(
        &mut self,
        unit: u32,
        callee: ExprId,
        opaque: bool,
        receiver: Option<&Ty>,
    ) -> Option<Answer> {
        let facts = self.facts(unit)?;
        let name = match (facts.expr(callee), receiver) {
            (Expr::Implied { name, .. }, _) if !opaque => name,
            (Expr::Member { name, .. }, Some(Ty::Unknown)) => name,
            _ => return None,
        };
        let name = self.world.text(unit, name);
        if self.dialect(unit).is_platform_call(name)
            || (receiver.is_some() && crate::link::builtin::is_common_member(name))
        {
            return None;
        }
        Some(Answer {
            unresolved: Some(name.to_string()),
            reason: Some(Reason::UNRESOLVED),
            ..Answer::default()
        })
    }

    /// What a name that is read means.
    pub(in crate::link) fn class_read(&mut self, unit: u32, id: ExprId) -> Option<Answer> {
        let facts = self.facts(unit)?;
        match facts.expr(id) {
            Expr::Implied { node, name } => {
                let name = self.world.text(unit, name);
                let mut found = self.implied(unit, node, name, Want::Value);
                for want in [Want::Method, Want::Type] {
                    if found.is_empty() {
                        found = self.implied(unit, node, name, want);
                    }
                }
                let reason = found.reason;
                Some(self.found_answer(found, reason))
            }
            Expr::Member { base, name } => {
                let name = self.world.text(unit, name);
                let receiver = self.expr(unit, base, &None);
                let mut found = self.receiver_members(unit, &receiver, name, Want::Value);
                for want in [Want::Method, Want::Type] {
                    if found.is_empty() {
                        found = self.receiver_members(unit, &receiver, name, want);
                    }
                }
                if found.is_empty()
                    && receiver.is_unknown()
                    && let Some(names) = self.names_of(unit, id)
                    && let Some(node) = self.node_of(unit, id)
                {
                    for want in [Want::Value, Want::Type] {
                        if found.is_empty() {
                            found = self.qualified(unit, node, &names, want);
                        }
                    }
                    found.external = None;
                }
                let inherited = found.members.iter().any(|m| m.inherited);
                let reason = self.member_reason(unit, base, &receiver, inherited);
                Some(self.found_answer(found, reason))
            }
            _ => None,
        }
    }

    fn found_answer(&self, found: Found, reason: Reason) -> Answer {
        if found.is_empty() {
            return Answer {
                reason: found.external.is_some().then_some(Reason::EXTERNAL),
                external: found.external,
                ..Answer::default()
            };
        }
        let targets = found.members.iter().map(|m| m.sym).collect();
        self.answer(targets, reason)
    }

    /// What a written type names.
    pub(in crate::link) fn class_type_target(&mut self, unit: u32, id: TypeId) -> Answer {
        let Some(TypeExpr::Implied { node, path, .. }) = self.facts(unit).map(|f| f.ty(id)) else {
            return Answer::default();
        };
        let path = self.entries(unit, path);
        let found = self.implied_type(unit, node, path);
        let reason = found.reason;
        self.found_answer(found, reason)
    }
}

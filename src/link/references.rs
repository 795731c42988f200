//! From one reference to its targets, with how they were found.

use super::dialect::Dialect;
use super::eval::Eval;
use super::names::{Found, Hit};
use super::types::Ty;
use super::world::Sym;
use crate::ids::StrId;
use crate::model::edge::Confidence;
use crate::model::facts::{Bound, Expr, ExprId, Space, TypeExpr, TypeId};
use crate::model::label::{NodeKind, Reason};

/// How many candidates an inferred answer may have.
const CANDIDATES: usize = 3;

/// What a reference leads to.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// Definitions.
    pub(super) targets: Vec<Sym>,
    /// A symbol outside, by its key.
    pub(super) external: Option<String>,
    /// A name that nothing was proved for.
    pub(super) unresolved: Option<String>,
    /// How the targets were found.
    pub(super) reason: Option<Reason>,
    /// Whether more than written types, scopes and imports was needed.
    pub(super) inferred: bool,
    /// The targets were reached through a value that holds them: whoever is called there is not named.
    pub(super) indirect: bool,
}

impl Answer {
    fn of(sym: Sym, reason: Reason) -> Self {
        Self {
            targets: vec![sym],
            reason: Some(reason),
            ..Self::default()
        }
    }

    pub(super) fn outside(key: String) -> Self {
        Self {
            external: Some(key),
            reason: Some(Reason::EXTERNAL),
            ..Self::default()
        }
    }

    pub(super) fn unresolved(name: &str) -> Self {
        Self {
            unresolved: Some(name.to_string()),
            reason: Some(Reason::UNRESOLVED),
            ..Self::default()
        }
    }

    /// How sure the answer is.
    pub(super) fn confidence(&self) -> Confidence {
        if self.unresolved.is_some() {
            Confidence::Unresolved
        } else if self.targets.len() > 1 {
            Confidence::Ambiguous
        } else if self.inferred {
            Confidence::Inferred
        } else {
            Confidence::Extracted
        }
    }
}

impl<'w> Eval<'w> {
    /// The definitions that a call can reach: a field that holds a function stands for it.
    pub(super) fn call_target(&mut self, unit: u32, id: ExprId) -> Answer {
        let mut answer = self.target(unit, id);
        let fields = answer
            .targets
            .iter()
            .any(|s| self.world.kind(*s) == NodeKind::FIELD);
        if !fields {
            return answer;
        }
        let mut targets = Vec::new();
        for sym in std::mem::take(&mut answer.targets) {
            if self.world.kind(sym) != NodeKind::FIELD {
                targets.push(sym);
                continue;
            }
            self.restart();
            let value = self.value_of(sym, &None);
            let behind = match value {
                Ty::Def(other, _) => Some(other),
                Ty::Function(unit, function, _) => self.node_of_function(unit, function),
                _ => None,
            };
            answer.inferred |= behind.is_some();
            answer.indirect |= behind.is_some() && self.dialect.values_are_indirect();
            targets.push(behind.unwrap_or(sym));
        }
        targets.sort_unstable();
        targets.dedup();
        answer.targets = targets;
        answer
    }

    /// The definitions that a value in a call or a read can be.
    pub(super) fn target(&mut self, unit: u32, id: ExprId) -> Answer {
        self.restart();
        let mut answer = self.target_now(unit, id);
        answer.inferred = self.inferred;
        answer.targets.sort_unstable();
        answer.targets.dedup();
        // Many candidates by inference are a guess, not an answer.
        if answer.inferred && answer.targets.len() > CANDIDATES {
            return Answer::default();
        }
        answer
    }

    fn target_now(&mut self, unit: u32, id: ExprId) -> Answer {
        let Some(facts) = self.facts(unit) else {
            return Answer::default();
        };
        if self.world.dialect(unit).is_classes()
            && let Some(answer) = self.class_read(unit, id)
        {
            return answer;
        }
        match facts.expr(id) {
            Expr::Free { name } => self.free_target(unit, self.world.text(unit, name)),
            Expr::Node(node) => Answer::of(Sym { unit, node }, Reason::SCOPE),
            Expr::Bound(binding) => {
                let bound = facts.binding(binding).map(|b| b.bound);
                if let Some(Bound::Local { value, .. }) = bound {
                    let mut answer = self.flow_target(unit, id);
                    answer.indirect &= !self.is_definition(unit, value, 0);
                    return answer;
                }
                let hit = self.binding(unit, binding, Space::Value);
                let imported = matches!(bound, Some(Bound::Import(_)));
                self.hit_target(&hit, imported)
            }
            Expr::Member { base, name } => self.member_target(unit, base, name),
            Expr::Super { .. } => {
                let base = self.expr(unit, id, &None);
                match base {
                    Ty::Instance(sym, _) | Ty::Def(sym, _) => Answer::of(sym, Reason::INHERITANCE),
                    _ => Answer::default(),
                }
            }
            Expr::Unwrap { base } => self.target_now(unit, base),
            Expr::Element { base } if self.is_go_instantiation(unit, base) => {
                self.target_now(unit, base)
            }
            Expr::Either { left, right } => {
                let mut answer = self.target_now(unit, left);
                let other = self.target_now(unit, right);
                self.inferred = true;
                // Half an answer is none: the other side may be anything.
                if answer.targets.is_empty() || other.targets.is_empty() {
                    return Answer::default();
                }
                answer.targets.extend(other.targets);
                answer.reason = Some(Reason::INFERRED);
                answer
            }
            Expr::Unknown => Answer::default(),
            _ => self.flow_target(unit, id),
        }
    }

    /// A name that the file does not bind: a global, a built-in, or nothing that can be proved.
    fn free_target(&mut self, unit: u32, name: &str) -> Answer {
        if self.dialect == Dialect::Python {
            if let Some(hit) = self.python_star(unit, name) {
                return self.hit_target(&hit, true);
            }
            if super::python_builtin::is_builtin(name) {
                return Answer::default();
            }
            return Answer::unresolved(name);
        }
        if self.is_go(unit) {
            return self.go_free_target(unit, name);
        }
        let global = self
            .world
            .globals(name)
            .find(|s| super::names::serves(self.world.kind(*s), Space::Value));
        if let Some(sym) = global {
            return Answer::of(sym, Reason::SCOPE);
        }
        if super::builtin::is_global(name) {
            return Answer::default();
        }
        Answer::unresolved(name)
    }

    fn hit_target(&mut self, hit: &Hit, imported: bool) -> Answer {
        let reason = match (imported, hit.hops) {
            (false, _) => Reason::SCOPE,
            (true, 0) => Reason::IMPORT,
            (true, _) => Reason::RE_EXPORT,
        };
        match &hit.found {
            Found::Node(sym) => Answer::of(*sym, reason),
            Found::External(key) => Answer::outside(key.clone()),
            Found::Missing | Found::Module(_) | Found::Folder(_) => Answer::default(),
            Found::Expr(unit, expr) => {
                let direct = self.target_now(*unit, *expr);
                Answer {
                    reason: Some(reason),
                    ..direct
                }
            }
            found @ (Found::Binding(..) | Found::MemberOf(..)) => {
                if let Found::MemberOf(unit, expr, name) = found {
                    let whole = self.expr(*unit, *expr, &None);
                    let members = self.members(&whole, name);
                    if let Some(member) = members.nodes.first() {
                        return Answer::of(member.sym, reason);
                    }
                    if let Some(key) = members.external {
                        return Answer::outside(key);
                    }
                }
                let value = self.found_value(found);
                self.value_target(&value)
            }
        }
    }

    /// The definition that a local holds, or that a call yields.
    fn flow_target(&mut self, unit: u32, id: ExprId) -> Answer {
        let value = self.expr(unit, id, &None);
        self.inferred = true;
        Answer {
            indirect: self.dialect.values_are_indirect(),
            ..self.value_target(&value)
        }
    }

    /// Whether a name is one of several of which one at least is a definition (one for each platform, say).
    fn is_definition(&self, unit: u32, id: ExprId, depth: u32) -> bool {
        let Some(facts) = self.facts(unit) else {
            return false;
        };
        let Expr::Either { left, right } = facts.expr(id) else {
            return false;
        };
        [left, right].into_iter().any(|side| {
            let bound = match facts.expr(side) {
                Expr::Bound(binding) => facts.binding(binding).map(|b| b.bound),
                _ => return depth < 8 && self.is_definition(unit, side, depth + 1),
            };
            match bound {
                Some(Bound::Node(_) | Bound::Import(_)) => true,
                Some(Bound::Local { value, .. }) => {
                    depth < 8 && self.is_definition(unit, value, depth + 1)
                }
                _ => false,
            }
        })
    }

    fn value_target(&mut self, value: &Ty) -> Answer {
        match value {
            Ty::Def(sym, _) => Answer::of(*sym, Reason::INFERRED),
            Ty::Function(unit, function, _) => match self.node_of_function(*unit, *function) {
                Some(sym) => Answer::of(sym, Reason::INFERRED),
                None => Answer::default(),
            },
            Ty::External(key) => Answer::outside(key.to_string()),
            Ty::Union(all) => {
                let mut targets = Vec::new();
                for ty in all.iter() {
                    targets.extend(self.value_target(ty).targets);
                }
                Answer {
                    targets,
                    reason: Some(Reason::INFERRED),
                    ..Answer::default()
                }
            }
            _ => Answer::default(),
        }
    }

    fn member_target(&mut self, unit: u32, base: ExprId, name: StrId) -> Answer {
        let name = self.world.text(unit, name);
        let receiver = self.expr(unit, base, &None);
        let members = self.members(&receiver, name);
        if members.nodes.is_empty() {
            if let Some(key) = members.external {
                return Answer::outside(key);
            }
            let known = members.opaque || !members.values.is_empty() || !members.unknown;
            if let [value] = members.values.as_slice()
                && !known_library(value)
            {
                let value = value.clone();
                let mut answer = self.value_target(&value);
                answer.indirect = self.dialect.values_are_indirect();
                answer.reason = answer
                    .reason
                    .map(|_| self.member_reason(unit, base, &receiver, false));
                return answer;
            }
            if known || self.dialect.is_common_member(name) {
                return Answer::default();
            }
            return Answer::unresolved(name);
        }
        let inherited = members.nodes.iter().any(|m| m.inherited);
        let reason = self.member_reason(unit, base, &receiver, inherited);
        Answer {
            targets: members.nodes.iter().map(|m| m.sym).collect(),
            reason: Some(reason),
            ..Answer::default()
        }
    }

    pub(super) fn member_reason(
        &self,
        unit: u32,
        base: ExprId,
        receiver: &Ty,
        inherited: bool,
    ) -> Reason {
        if self.inferred {
            return Reason::INFERRED;
        }
        if inherited {
            return Reason::INHERITANCE;
        }
        match receiver {
            Ty::Module(_) => return Reason::NAMESPACE,
            Ty::Def(sym, _) if self.world.kind(*sym) == NodeKind::MODULE => {
                return Reason::NAMESPACE;
            }
            Ty::Def(..) | Ty::Object(..) => return Reason::QUALIFIED,
            _ => {}
        }
        if self.through_result {
            return Reason::RETURN_TYPE;
        }
        match self.facts(unit).map(|f| f.expr(base)) {
            Some(Expr::This { .. }) => Reason::THIS,
            Some(Expr::Super { .. }) => Reason::INHERITANCE,
            _ => Reason::RECEIVER_TYPE,
        }
    }

    /// The definition that a type's name means.
    pub(super) fn type_target(&mut self, unit: u32, id: TypeId) -> Answer {
        self.restart();
        let Some(facts) = self.facts(unit) else {
            return Answer::default();
        };
        match facts.ty(id) {
            TypeExpr::Bound { binding, path, .. } => {
                let bound = facts.binding(binding).map(|b| b.bound);
                if let Some(Bound::TypeParam { .. }) = bound {
                    return Answer::default();
                }
                let imported = matches!(bound, Some(Bound::Import(_)));
                let path = facts.list(path);
                let mut hit = self.binding(unit, binding, Space::Type);
                if !path.is_empty() {
                    hit.found = self.type_path(unit, binding, path);
                }
                let mut answer = self.hit_target(&hit, imported);
                if imported && !path.is_empty() && answer.external.is_none() {
                    answer.reason = Some(Reason::NAMESPACE);
                }
                answer
            }
            TypeExpr::Implied { .. } => self.class_type_target(unit, id),
            TypeExpr::Imported { import, path, .. } => {
                let mut hit = self.import(unit, import, Space::Type);
                for part in facts.list(path) {
                    let part = self.world.text(unit, StrId(*part));
                    hit.found = self.namespace_member(&hit.found, part, Space::Type);
                }
                self.hit_target(&hit, true)
            }
            TypeExpr::Free { name, path, .. } if self.dialect == Dialect::Python => {
                let name = self.world.text(unit, name);
                let Some(mut hit) = self.python_star(unit, name) else {
                    return Answer::default();
                };
                for part in facts.list(path) {
                    let part = self.world.text(unit, StrId(*part));
                    hit.found = self.namespace_member(&hit.found, part, Space::Type);
                }
                self.hit_target(&hit, true)
            }
            TypeExpr::Free { name, path, .. } => {
                let name = self.world.text(unit, name);
                if self.is_go(unit) {
                    return self.go_type_target(unit, name, facts.list(path));
                }
                let Some(sym) = self.global_type(name) else {
                    return Answer::default();
                };
                let mut found = Found::Node(sym);
                for part in facts.list(path) {
                    let part = self.world.text(unit, StrId(*part));
                    found = self.namespace_member(&found, part, Space::Type);
                }
                self.hit_target(&Hit { found, hops: 0 }, false)
            }
            _ => Answer::default(),
        }
    }
}

fn known_library(value: &Ty) -> bool {
    matches!(value, Ty::LibraryMethod(_) | Ty::Library(_) | Ty::Opaque)
}

//! Members of records and of what they inherit from.

use super::lookup::Linker;
use super::values::{Env, Member, Value};
use crate::link::world::Sym;
use crate::model::facts::TypeId;

impl<'w> Linker<'w> {
    /// Members of that name, of a record or its bases.
    pub(super) fn members(&mut self, record: Sym, name: &str) -> Vec<Member> {
        self.members_in(record, &None, name)
    }

    pub(super) fn members_in(&mut self, record: Sym, env: &Env, name: &str) -> Vec<Member> {
        let Some(record) = self.class_of(record) else {
            return Vec::new();
        };
        let own: Vec<Member> = self
            .world
            .children(record, name)
            .into_iter()
            .map(|sym| Member {
                sym,
                env: env.clone(),
                inherited: false,
            })
            .collect();
        if !own.is_empty() || !self.enter() {
            return own;
        }
        let mut found = Vec::new();
        for (base, base_env) in self.bases(record, env) {
            found = self.members_in(base, &base_env, name);
            if !found.is_empty() {
                break;
            }
        }
        self.depth -= 1;
        for member in &mut found {
            member.inherited = true;
        }
        found
    }

    pub(super) fn bases(&mut self, record: Sym, env: &Env) -> Vec<(Sym, Env)> {
        let Some(facts) = self.facts(record.unit) else {
            return Vec::new();
        };
        let Some(def) = facts.def(record.node) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for pair in facts.list(def.bases).chunks_exact(2) {
            let [_, ty] = pair else { continue };
            if let Value::Of(sym, base_env) = self.ty(record.unit, TypeId(*ty), env)
                && sym != record
            {
                all.push((sym, base_env));
            }
        }
        all
    }

    /// Members of that name in the bases of a record.
    pub(super) fn base_members(&mut self, record: Sym, name: &str) -> Vec<Sym> {
        let mut found = Vec::new();
        for (base, env) in self.bases(record, &None) {
            found.extend(self.members_in(base, &env, name).into_iter().map(|m| m.sym));
        }
        found
    }
}

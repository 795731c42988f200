//! Members of types: in all their parts, then in their bases; methods by the number of their arguments.

use super::packages::is_type;
use crate::link::eval::Eval;
use crate::link::members::{Member, Members};
use crate::link::types::{Env, Ty};
use crate::link::world::Sym;
use crate::model::facts::{FunctionFlags, ImportId, TypeId};
use crate::model::label::{NodeKind, Reason, Relation};
use crate::model::node::NodeFlags;

/// What is looked for under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// A type.
    Type,
    /// A field, property, constant.
    Value,
    /// What can be called with that many arguments.
    Call(usize),
    /// A method, whatever its parameters.
    Method,
}

/// What was found.
pub(super) struct Found {
    /// Definitions; several where they cannot be told apart.
    pub(super) members: Vec<Member>,
    /// A symbol outside, by its key.
    pub(super) external: Option<String>,
    /// A base type on the way is not in the tree: the name may be a member of it.
    pub(super) opaque: bool,
    pub(super) reason: Reason,
}

impl Default for Found {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            external: None,
            opaque: false,
            reason: Reason::SCOPE,
        }
    }
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn first(&self) -> Option<Sym> {
        self.members.first().map(|m| m.sym)
    }

    pub(super) fn add(&mut self, sym: Sym) {
        self.members.push(Member {
            sym,
            env: None,
            inherited: false,
        });
    }
}

impl<'w> Eval<'w> {
    /// Looks a name up in a type and its bases; `false` where neither has it.
    pub(super) fn type_members(
        &mut self,
        sym: Sym,
        env: &Env,
        name: &str,
        want: Want,
        found: &mut Found,
    ) -> bool {
        let mut visited = Vec::new();
        self.members_in(sym, env, name, want, false, found, &mut visited)
    }

    /// A field or property as the common rules look for it.
    pub(in crate::link) fn class_instance_member(
        &mut self,
        sym: Sym,
        env: &Env,
        name: &str,
        out: &mut Members,
    ) -> bool {
        let mut found = Found::default();
        let hit = self.type_members(sym, env, name, Want::Value, &mut found);
        out.opaque |= !hit;
        out.nodes.extend(found.members);
        hit
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one search")]
    fn members_in(
        &mut self,
        sym: Sym,
        env: &Env,
        name: &str,
        want: Want,
        inherited: bool,
        found: &mut Found,
        visited: &mut Vec<Sym>,
    ) -> bool {
        if visited.contains(&sym) || !self.enter() {
            return false;
        }
        visited.push(sym);
        let parts = self.world.packages.parts(sym);
        let hit = self.own_members(&parts, env, name, want, inherited, found)
            || self.inherited_members(&parts, env, name, want, found, visited);
        self.leave();
        hit
    }

    fn own_members(
        &mut self,
        parts: &[Sym],
        env: &Env,
        name: &str,
        want: Want,
        inherited: bool,
        found: &mut Found,
    ) -> bool {
        let mut all: Vec<Sym> = Vec::new();
        for part in parts {
            all.extend(self.world.children(*part, name));
            // A companion's members are the type's own.
            for companion in self.world.children(*part, "Companion") {
                all.extend(self.world.children(companion, name));
            }
        }
        let component = |s: &Sym| {
            // A record's component is read by a call.
            want == Want::Call(0) && self.world.kind(*s) == NodeKind::FIELD && {
                let parent = self.world.node(*s).map(|n| n.parent);
                parent.is_some_and(|node| {
                    let holder = Sym { unit: s.unit, node };
                    self.world.kind(holder) == NodeKind::STRUCT
                        && self.world.unit(s.unit).map(|u| u.language)
                            == Some(crate::model::label::Language::JAVA)
                })
            }
        };
        let fits: Vec<Sym> = all
            .iter()
            .copied()
            .filter(|s| self.accepts(*s, want))
            .collect();
        let mut chosen = match want {
            Want::Call(count) => {
                let unit = parts.first().map_or(0, |p| p.unit);
                self.by_arity(unit, fits, count, 0)
            }
            _ => fits,
        };
        if chosen.is_empty() {
            chosen = all.into_iter().filter(component).collect();
        }
        if want == Want::Type {
            chosen.truncate(1);
        }
        for sym in &chosen {
            found.members.push(Member {
                sym: *sym,
                env: env.clone(),
                inherited,
            });
        }
        !chosen.is_empty()
    }

    fn inherited_members(
        &mut self,
        parts: &[Sym],
        env: &Env,
        name: &str,
        want: Want,
        found: &mut Found,
        visited: &mut Vec<Sym>,
    ) -> bool {
        let mut bases = Vec::new();
        for part in parts {
            bases.extend(self.bases(*part, env));
        }
        // What a class does comes before what an interface asks for.
        bases.sort_by_key(|(relation, ty)| match ty {
            Ty::Instance(sym, _) => {
                let abstract_kind = matches!(self.world.kind(*sym), NodeKind::INTERFACE);
                (
                    u8::from(abstract_kind),
                    u8::from(*relation == Relation::IMPLEMENTS),
                )
            }
            _ => (2, 0),
        });
        for (_, base) in bases {
            match base {
                Ty::Instance(sym, env) => {
                    if self.members_in(sym, &env, name, want, true, found, visited) {
                        return true;
                    }
                }
                _ => found.opaque = true,
            }
        }
        false
    }

    /// Of overloads those that a number of arguments fits best. `given` counts arguments that stand elsewhere (the
    /// receiver of an extension).
    pub(super) fn by_arity(
        &self,
        unit: u32,
        all: Vec<Sym>,
        count: usize,
        given: usize,
    ) -> Vec<Sym> {
        let strict = self.dialect(unit).counts_arguments() || all.len() > 1;
        let mut best = 0;
        let mut chosen: Vec<Sym> = Vec::new();
        for sym in all {
            let score = match self.fit(sym, count + given) {
                0 if strict => continue,
                score => score + 1,
            };
            if score > best {
                chosen.clear();
                best = score;
            }
            if score == best {
                chosen.push(sym);
            }
        }
        chosen
    }

    /// How well a number of arguments fits a function: 3 exactly, 2 with parameters left out, 1 as a list of any
    /// length, 0 not at all.
    pub(super) fn fit(&self, sym: Sym, count: usize) -> u8 {
        let Some(facts) = self.facts(sym.unit) else {
            return 0;
        };
        let mut at = self.functions_of(sym);
        let mut best = 0;
        for _ in 0..64 {
            let Some(f) = facts.function(at) else { break };
            let params = facts.list(f.params).len();
            let left_out = FunctionFlags::optional_count(f.flags) as usize;
            let fit = if params == count {
                3
            } else if count < params && count + left_out >= params {
                2
            } else if f.flags & FunctionFlags::REST != 0 && count + 1 >= params {
                1
            } else {
                0
            };
            best = best.max(fit);
            at = f.next;
        }
        best
    }

    /// Members of a value, or of a type as a value.
    pub(super) fn receiver_members(
        &mut self,
        unit: u32,
        receiver: &Ty,
        name: &str,
        want: Want,
    ) -> Found {
        let mut found = Found::default();
        self.receiver_into(unit, receiver, name, want, &mut found);
        found
    }

    fn receiver_into(
        &mut self,
        unit: u32,
        receiver: &Ty,
        name: &str,
        want: Want,
        found: &mut Found,
    ) {
        if !self.enter() {
            return;
        }
        match receiver {
            Ty::Instance(sym, env) => {
                let hit = self.type_members(*sym, env, name, want, found);
                if !hit && let Want::Call(count) = want {
                    self.extension(unit, *sym, name, count, found);
                }
            }
            Ty::Def(sym, _) if is_type(self.world.kind(*sym)) => {
                self.type_members(*sym, &None, name, want, found);
                let by_type = self.dialect(sym.unit).reaches_all_by_type();
                let world = self.world;
                found.members.retain(|m| {
                    by_type
                        || want == Want::Method
                        || holder_kind(world, m.sym) == NodeKind::MODULE
                        || world.flags(m.sym).has(NodeFlags::STATIC)
                        || world.kind(m.sym) == NodeKind::ENUM_MEMBER
                        || is_type(world.kind(m.sym))
                        || is_companion(world, m.sym)
                });
            }
            Ty::Union(all) | Ty::Both(all) => {
                for ty in all.iter() {
                    self.receiver_into(unit, ty, name, want, found);
                }
            }
            Ty::Param(of, binding) => {
                let bound = self.bound_of(*of, *binding);
                self.receiver_into(unit, &bound, name, want, found);
            }
            Ty::External(key) => {
                found.external = Some(crate::link::names::member_key(key, name));
            }
            Ty::Unknown => {}
            _ => found.opaque = true,
        }
        self.leave();
    }

    /// Functions that add to a type from outside, where the file sees them.
    fn extension(&mut self, unit: u32, sym: Sym, name: &str, count: usize, found: &mut Found) {
        let world = self.world;
        let mut fits = Vec::new();
        for candidate in world.packages.extensions(name) {
            if world.name(*candidate) != name
                || self.dialect(candidate.unit) != self.dialect(unit)
                || !self.sees_extension(unit, *candidate)
            {
                continue;
            }
            let ty = self
                .facts(candidate.unit)
                .and_then(|f| f.def(candidate.node))
                .map_or(TypeId::UNKNOWN, |d| d.ty);
            let wanted = self.ty(candidate.unit, ty, &None);
            let extends = match wanted {
                Ty::Instance(base, _) => self.is_a(sym, base),
                _ => false,
            };
            if extends {
                fits.push(*candidate);
            }
        }
        let given = usize::from(self.dialect(unit) == crate::link::dialect::Dialect::CSharp);
        for sym in self.by_arity(unit, fits, count, given) {
            found.add(sym);
        }
    }

    fn sees_extension(&self, unit: u32, extension: Sym) -> bool {
        if extension.unit == unit {
            return true;
        }
        let world = self.world;
        let package = self.package_around(extension);
        if package == self.world.packages.package(unit) {
            return true;
        }
        let Some(facts) = self.facts(unit) else {
            return false;
        };
        let by_name = |id: &ImportId| {
            let Some(import) = facts.imports.get(id.index()) else {
                return false;
            };
            let path = world.text(unit, import.module);
            path.rsplit_once('.')
                .is_some_and(|(head, last)| head == package && last == world.name(extension))
        };
        let name = world.name(extension);
        world
            .packages
            .globs(unit)
            .iter()
            .any(|(stated, id)| self.import_path(*stated, *id) == package)
            || world.packages.imports(unit, name).iter().any(by_name)
    }

    /// Whether a type is another one or extends it.
    pub(super) fn is_a(&mut self, sym: Sym, base: Sym) -> bool {
        let base = self.world.packages.canonical(base);
        let mut todo = vec![sym];
        let mut seen: Vec<Sym> = Vec::new();
        while let Some(at) = todo.pop() {
            let at = self.world.packages.canonical(at);
            if at == base {
                return true;
            }
            if seen.contains(&at) || seen.len() > 64 {
                continue;
            }
            seen.push(at);
            for part in self.world.packages.parts(at) {
                for (_, ty) in self.bases(part, &None) {
                    if let Ty::Instance(next, _) = ty {
                        todo.push(next);
                    }
                }
            }
        }
        false
    }
}

fn holder_kind(world: &crate::link::world::World<'_>, sym: Sym) -> NodeKind {
    world.node(sym).map_or(NodeKind::FILE, |n| {
        world.kind(Sym {
            unit: sym.unit,
            node: n.parent,
        })
    })
}

fn is_companion(world: &crate::link::world::World<'_>, sym: Sym) -> bool {
    world.node(sym).is_some_and(|n| {
        let holder = Sym {
            unit: sym.unit,
            node: n.parent,
        };
        world.name(holder) == "Companion"
    })
}

//! Members: from a receiver's type and a name to the definitions that can be meant.

use super::dialect::Dialect;
use super::eval::Eval;
use super::names::Found;
use super::types::{Env, Ty, bind};
use super::world::Sym;
use crate::ids::StrId;
use crate::model::facts::{BindingId, Expr, ExprId, Space, TypeExpr, TypeId};
use crate::model::label::{NodeKind, Relation};
use crate::model::node::NodeFlags;

/// A definition that a member can be.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) sym: Sym,
    pub(super) env: Env,
    /// Found in a base of the receiver's type.
    pub(super) inherited: bool,
}

/// What is known of a member.
#[derive(Default)]
pub(super) struct Members {
    /// Definitions.
    pub(super) nodes: Vec<Member>,
    /// Types where there is no definition.
    pub(super) values: Vec<Ty>,
    /// The receiver, or one of its bases, is outside the index.
    pub(super) opaque: bool,
    /// Nothing is known of the receiver.
    pub(super) unknown: bool,
    /// A symbol outside, by its key.
    pub(super) external: Option<String>,
}

impl Members {
    fn any(&self) -> bool {
        !self.nodes.is_empty() || !self.values.is_empty()
    }
}

impl<'w> Eval<'w> {
    /// The type of a member.
    pub(super) fn member_type(&mut self, receiver: &Ty, name: &str) -> Ty {
        let members = self.members(receiver, name);
        let mut all = members.values;
        for member in members.nodes {
            let ty = self.value_of(member.sym, &member.env);
            all.push(ty);
        }
        if all.is_empty() {
            if let Some(key) = members.external {
                return Ty::External(key.as_str().into());
            }
            return if members.opaque {
                Ty::Opaque
            } else {
                Ty::Unknown
            };
        }
        Ty::union(all)
    }

    /// What a member of a receiver can be.
    pub(super) fn members(&mut self, receiver: &Ty, name: &str) -> Members {
        let mut members = Members::default();
        self.collect(receiver, name, &mut members);
        members
    }

    fn collect(&mut self, receiver: &Ty, name: &str, out: &mut Members) {
        if !self.enter() {
            out.unknown = true;
            return;
        }
        match receiver {
            Ty::Unknown => out.unknown = true,
            Ty::Opaque => out.opaque = true,
            Ty::External(key) => {
                out.external = Some(super::names::member_key(key, name));
            }
            Ty::Instance(sym, env) if self.is_go(sym.unit) => self.go_member(*sym, env, name, out),
            Ty::Def(sym, env) if self.is_go_type(*sym) => self.go_member(*sym, env, name, out),
            Ty::Instance(sym, env) => {
                let env = if super::types::lookup(env, sym.unit, BindingId::NONE).is_some() {
                    env.clone()
                } else {
                    bind(env, sym.unit, BindingId::NONE, receiver.clone())
                };
                self.instance_member(*sym, &env, name, false, out);
            }
            Ty::Def(sym, env) => self.def_member(*sym, env, name, out),
            Ty::Object(unit, object, env) => {
                self.object_member(*unit, *object, env, name, out);
                if self.dialect == Dialect::Python && !out.any() {
                    out.values.extend(self.library_value(receiver, name));
                }
            }
            Ty::Shape(unit, ty, env) => self.shape_member(*unit, *ty, env, name, out),
            Ty::Module(unit) => self.module_member(*unit, name, out),
            Ty::Folder(folder) => match self.submodule(folder, name) {
                Some(found) => out.values.push(self.found_value(&found)),
                None => out.opaque = true,
            },
            Ty::After(sym, of_type) => self.python_after(*sym, *of_type, name, out),
            Ty::Union(all) => {
                for ty in all.iter() {
                    self.collect(ty, name, out);
                }
            }
            Ty::Both(all) => {
                for ty in all.iter() {
                    self.collect(ty, name, out);
                    if out.any() {
                        break;
                    }
                }
            }
            Ty::Record(value) => out.values.push((**value).clone()),
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                self.collect(&bound, name, out);
            }
            Ty::Function(..)
            | Ty::Array(_)
            | Ty::Tuple(_)
            | Ty::Map(_)
            | Ty::Promise(_)
            | Ty::Library(_)
            | Ty::LibraryMethod(_)
            | Ty::LibraryCallback(_) => match self.library_value(receiver, name) {
                Some(ty) => out.values.push(ty),
                None => out.opaque = true,
            },
        }
        self.leave();
    }

    fn library_value(&self, receiver: &Ty, name: &str) -> Option<Ty> {
        if self.dialect == Dialect::Python {
            return self.python_library_member(receiver, name);
        }
        self.library_member(receiver, name)
    }

    /// All declarations of a type that go by one name in one place: they are one type.
    pub(super) fn merged(&self, sym: Sym) -> Vec<Sym> {
        let Some(node) = self.world.node(sym) else {
            return vec![sym];
        };
        let parent = Sym {
            unit: sym.unit,
            node: node.parent,
        };
        let mut all = vec![sym];
        all.extend(self.world.augmented(sym));
        all.extend(
            self.world
                .children(parent, self.world.name(sym))
                .into_iter()
                .filter(|s| *s != sym)
                .filter(|s| {
                    matches!(self.world.kind(*s), NodeKind::CLASS | NodeKind::INTERFACE)
                        && matches!(node.kind, NodeKind::CLASS | NodeKind::INTERFACE)
                }),
        );
        all
    }

    fn instance_member(
        &mut self,
        sym: Sym,
        env: &Env,
        name: &str,
        inherited: bool,
        out: &mut Members,
    ) -> bool {
        if self.world.dialect(sym.unit).is_classes() {
            return self.class_instance_member(sym, env, name, out);
        }
        if self.dialect == Dialect::Python {
            return self.python_member(sym, env, name, inherited, false, out);
        }
        let all = self.merged(sym);
        for part in &all {
            let found = self
                .world
                .children(*part, name)
                .into_iter()
                .find(|s| self.is_instance_member(*s));
            if let Some(found) = found {
                out.nodes.push(Member {
                    sym: found,
                    env: env.clone(),
                    inherited,
                });
                return true;
            }
        }
        if !self.enter() {
            return false;
        }
        let mut found = false;
        'parts: for part in &all {
            let mut implemented = Vec::new();
            for (relation, base) in self.bases(*part, env) {
                if relation == Relation::IMPLEMENTS {
                    implemented.push(base);
                } else if self.base_member(&base, env, name, out) {
                    found = true;
                    break 'parts;
                }
            }
            // An abstract class may leave a member to what it implements.
            if !out.opaque {
                for base in implemented {
                    if self.base_member(&base, env, name, out) {
                        found = true;
                        break 'parts;
                    }
                }
            }
        }
        self.leave();
        found
    }

    fn base_member(&mut self, base: &Ty, env: &Env, name: &str, out: &mut Members) -> bool {
        let this = super::types::lookup(env, 0, BindingId::NONE);
        match base {
            Ty::Instance(sym, base_env) => {
                let env = match this {
                    Some(this) => bind(base_env, sym.unit, BindingId::NONE, this),
                    None => base_env.clone(),
                };
                self.instance_member(*sym, &env, name, true, out)
            }
            Ty::Both(all) => {
                let all = all.clone();
                all.iter().any(|t| self.base_member(t, env, name, out))
            }
            Ty::Unknown => false,
            other => {
                let before = out.nodes.len();
                self.collect(other, name, out);
                for member in out.nodes.iter_mut().skip(before) {
                    member.inherited = true;
                }
                out.any()
            }
        }
    }

    fn is_instance_member(&self, sym: Sym) -> bool {
        let member = matches!(
            self.world.kind(sym),
            NodeKind::METHOD | NodeKind::FIELD | NodeKind::ACCESSOR
        );
        member && !self.world.flags(sym).has(NodeFlags::STATIC)
    }

    fn def_member(&mut self, sym: Sym, env: &Env, name: &str, out: &mut Members) {
        if self.world.dialect(sym.unit).is_classes() {
            self.class_instance_member(sym, env, name, out);
            return;
        }
        match self.world.kind(sym) {
            NodeKind::CLASS if self.dialect == Dialect::Python => {
                self.python_member(sym, env, name, false, true, out);
            }
            NodeKind::CLASS => {
                if !self.static_member(sym, env, name, false, out) && !out.any() {
                    // A namespace of the same name adds to the class.
                    self.namespace_part(sym, name, out);
                }
            }
            NodeKind::ENUM | NodeKind::MODULE => {
                let found = self
                    .world
                    .children(sym, name)
                    .into_iter()
                    .find(|s| super::names::serves(self.world.kind(*s), Space::Value));
                match found {
                    Some(found) => out.nodes.push(Member {
                        sym: found,
                        env: None,
                        inherited: false,
                    }),
                    None => self.namespace_part(sym, name, out),
                }
            }
            NodeKind::FUNCTION | NodeKind::METHOD => {
                let found = self
                    .world
                    .children(sym, name)
                    .into_iter()
                    .find(|s| self.world.flags(*s).has(NodeFlags::STATIC));
                match found {
                    Some(found) => out.nodes.push(Member {
                        sym: found,
                        env: None,
                        inherited: false,
                    }),
                    None => {
                        self.namespace_part(sym, name, out);
                        if !out.any() {
                            match self.library_value(&Ty::Def(sym, env.clone()), name) {
                                Some(ty) => out.values.push(ty),
                                None => out.opaque = true,
                            }
                        }
                    }
                }
            }
            _ => out.unknown = true,
        }
    }

    /// Members of namespaces that share a definition's name and place.
    fn namespace_part(&mut self, sym: Sym, name: &str, out: &mut Members) {
        let Some(node) = self.world.node(sym) else {
            return;
        };
        let parent = Sym {
            unit: sym.unit,
            node: node.parent,
        };
        let others: Vec<Sym> = self
            .world
            .children(parent, self.world.name(sym))
            .into_iter()
            .filter(|s| *s != sym && self.world.kind(*s) == NodeKind::MODULE)
            .collect();
        for other in others {
            let found = self
                .world
                .children(other, name)
                .into_iter()
                .find(|s| super::names::serves(self.world.kind(*s), Space::Value));
            if let Some(found) = found {
                out.nodes.push(Member {
                    sym: found,
                    env: None,
                    inherited: false,
                });
                return;
            }
        }
    }

    fn static_member(
        &mut self,
        sym: Sym,
        env: &Env,
        name: &str,
        inherited: bool,
        out: &mut Members,
    ) -> bool {
        let found = self
            .world
            .children(sym, name)
            .into_iter()
            .find(|s| self.world.flags(*s).has(NodeFlags::STATIC));
        if let Some(found) = found {
            out.nodes.push(Member {
                sym: found,
                env: env.clone(),
                inherited,
            });
            return true;
        }
        if !self.enter() {
            return false;
        }
        let mut found = false;
        for (relation, base) in self.bases(sym, &None) {
            if relation == Relation::IMPLEMENTS {
                continue;
            }
            match base {
                Ty::Instance(base, _) if self.static_member(base, &None, name, true, out) => {
                    found = true;
                    break;
                }
                Ty::Instance(..) => {}
                Ty::Unknown => out.unknown = true,
                _ => out.opaque = true,
            }
        }
        self.leave();
        found
    }

    fn object_member(
        &mut self,
        unit: u32,
        object: ExprId,
        env: &Env,
        name: &str,
        out: &mut Members,
    ) {
        let Some(facts) = self.facts(unit) else {
            return;
        };
        let Expr::Object { fields } = facts.expr(object) else {
            out.unknown = true;
            return;
        };
        let fields = facts.list(fields);
        for pair in fields.chunks_exact(2).rev() {
            let [field, value] = pair else { continue };
            let value = ExprId(*value);
            if *field == StrId::EMPTY.0 {
                let spread = self.expr(unit, value, env);
                self.collect(&spread, name, out);
                if out.any() {
                    return;
                }
                continue;
            }
            if self.world.text(unit, StrId(*field)) != name {
                continue;
            }
            match facts.expr(value) {
                Expr::Node(node) => out.nodes.push(Member {
                    sym: Sym { unit, node },
                    env: env.clone(),
                    inherited: false,
                }),
                _ => {
                    let ty = self.expr(unit, value, env);
                    match ty {
                        // A function of the file under another name is that function.
                        Ty::Def(sym, env) => out.nodes.push(Member {
                            sym,
                            env,
                            inherited: false,
                        }),
                        Ty::Unknown => out.unknown = true,
                        ty => out.values.push(ty),
                    }
                }
            }
            return;
        }
    }

    fn shape_member(&mut self, unit: u32, ty: TypeId, env: &Env, name: &str, out: &mut Members) {
        let Some(facts) = self.facts(unit) else {
            return;
        };
        match facts.ty(ty) {
            TypeExpr::Members(node) => {
                let sym = Sym { unit, node };
                self.instance_member(sym, env, name, false, out);
                if !out.any() {
                    let index = self.world.children(sym, "[index]").into_iter().next();
                    if let Some(index) = index {
                        let ty = self.value_of(index, env);
                        out.values.push(ty);
                    }
                }
            }
            TypeExpr::Object(list) => {
                let members = facts.list(list);
                let find = |wanted: &str| {
                    members.chunks_exact(2).find_map(|pair| match pair {
                        [n, t] if self.world.text(unit, StrId(*n)) == wanted => Some(TypeId(*t)),
                        _ => None,
                    })
                };
                if let Some(ty) = find(name).or_else(|| find("")) {
                    let ty = self.ty(unit, ty, env);
                    if ty.is_unknown() {
                        out.unknown = true;
                    } else {
                        out.values.push(ty);
                    }
                }
            }
            _ => out.unknown = true,
        }
    }

    fn module_member(&mut self, unit: u32, name: &str, out: &mut Members) {
        if self.is_go(unit) {
            let all = self.go_exported(unit, name);
            out.opaque = all.is_empty();
            if all.len() <= 3 {
                out.nodes.extend(all.into_iter().map(|sym| Member {
                    sym,
                    env: None,
                    inherited: false,
                }));
            }
            return;
        }
        let hit = self.export(unit, name, Space::Value);
        match hit.found {
            Found::Node(sym) => out.nodes.push(Member {
                sym,
                env: None,
                inherited: false,
            }),
            Found::External(key) => out.external = Some(key),
            Found::Missing if name == "default" => out.values.push(Ty::Module(unit)),
            Found::Missing => out.opaque = true,
            Found::MemberOf(unit, expr, name) => {
                let whole = self.expr(unit, expr, &None);
                self.collect(&whole, &name, out);
            }
            other => {
                let ty = self.found_value(&other);
                match ty {
                    Ty::Def(sym, env) => out.nodes.push(Member {
                        sym,
                        env,
                        inherited: false,
                    }),
                    Ty::Unknown => out.unknown = true,
                    ty => out.values.push(ty),
                }
            }
        }
    }
}

//! Written types of Rust, associated types, and what the language itself does with a type.

use std::rc::Rc;

use super::crates::Head;
use super::eval::Eval;
use super::paths::{Named, Space};
use super::types::{Env, Ty, replaced, self_param, trait_of_self};
use crate::ids::{LocalNode, StrId};
use crate::link::world::Sym;
use crate::model::facts::{BindingId, Bound, TypeExpr, TypeId};
use crate::model::label::NodeKind;

impl Eval<'_, '_> {
    pub(super) fn ty_now(&mut self, unit: u32, id: TypeId) -> Ty {
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        match facts.ty(id) {
            TypeExpr::Free { name, .. } => match self.text(unit, name) {
                "String" => self
                    .known
                    .string
                    .map_or(Ty::Opaque, |s| Ty::Adt(s, Rc::from([]))),
                name => Ty::Primitive(name.into()),
            },
            TypeExpr::Bound {
                binding,
                path,
                args,
            } => {
                let bound = facts.binding(binding).map(|b| b.bound);
                let path = facts.list(path);
                if let Some(Bound::TypeParam { .. }) = bound {
                    let mut ty = Ty::Param(unit, binding);
                    for name in path {
                        let name = self.text(unit, StrId(*name));
                        ty = self.projected(&ty, name);
                    }
                    return ty;
                }
                let Some(named) = self.binding(unit, binding, Space::Type) else {
                    return Ty::Unknown;
                };
                self.along(unit, named, path, facts.list(args))
            }
            TypeExpr::Sequence(element) => Ty::Slice(Rc::new(self.ty(unit, element))),
            TypeExpr::Tuple(list) => {
                let types = facts.list(list).iter();
                Ty::Tuple(types.map(|t| self.ty(unit, TypeId(*t))).collect())
            }
            TypeExpr::Intersection(list) => {
                let types = facts.list(list).iter();
                let types = types.map(|t| self.ty(unit, TypeId(*t))).collect();
                Ty::both(types)
            }
            TypeExpr::Function(f) => {
                let Some(f) = facts.function(f) else {
                    return Ty::Unknown;
                };
                let params = facts.list(f.params).iter();
                let params = params.map(|t| self.ty(unit, TypeId(*t))).collect();
                let result = self.ty(unit, f.result);
                Ty::Function(params, Rc::new(result))
            }
            TypeExpr::SelfType { node } => self_param(Sym { unit, node }),
            TypeExpr::Member { base, name } => {
                let base = self.ty(unit, base);
                let name = self.text(unit, name);
                self.projected(&base, name)
            }
            TypeExpr::Qualified { ty, .. } => self.ty(unit, ty),
            TypeExpr::Assoc { ty, .. } => self.ty(unit, ty),
            _ => Ty::Unknown,
        }
    }

    /// A path's further names, and its arguments at the end.
    fn along(&mut self, unit: u32, named: Named, path: &[u32], args: &[u32]) -> Ty {
        let mut named = named;
        for (i, part) in path.iter().enumerate() {
            let name = self.text(unit, StrId(*part));
            match self.crates.inside(&named, name, Space::Type) {
                Some(next) => named = next,
                None => {
                    // From here on the names are associated types.
                    let mut ty = self.named_type(unit, &named, &[]);
                    for part in path.get(i..).unwrap_or_default() {
                        let name = self.text(unit, StrId(*part));
                        ty = self.projected(&ty, name);
                    }
                    return ty;
                }
            }
        }
        self.named_type(unit, &named, args)
    }

    /// A type by its definition and its written arguments.
    fn named_type(&mut self, unit: u32, named: &Named, args: &[u32]) -> Ty {
        let sym = match named {
            Named::Outside(key) => match self.like_outside(key, args) {
                Some(sym) => sym,
                None => return Ty::External(key.as_str().into()),
            },
            Named::Node(sym) => *sym,
        };
        let facts = self.facts(unit);
        let mut plain = Vec::new();
        let mut assoc: Vec<(Rc<str>, Ty)> = Vec::new();
        for arg in args {
            let ty = self.ty(unit, TypeId(*arg));
            match facts.map(|f| f.ty(TypeId(*arg))) {
                Some(TypeExpr::Assoc { name, .. }) => {
                    assoc.push((self.text(unit, name).into(), ty));
                }
                _ => plain.push(ty),
            }
        }
        match self.kind(sym) {
            NodeKind::FILE | NodeKind::MODULE => Ty::Module(sym),
            NodeKind::STRUCT | NodeKind::ENUM | NodeKind::UNION => {
                let args = self.arguments(sym, plain);
                Ty::Adt(sym, args.into())
            }
            NodeKind::ENUM_MEMBER => self.instance_of(sym),
            NodeKind::TRAIT => {
                let args = self.arguments(sym, plain);
                Ty::Trait(sym, args.into(), assoc.into())
            }
            NodeKind::TYPE_ALIAS => {
                let args = self.arguments(sym, plain);
                let Some(def) = self.facts(sym.unit).and_then(|f| f.def(sym.node)) else {
                    return Ty::Unknown;
                };
                let ty = self.ty(sym.unit, def.ty);
                let env: Env = self
                    .type_params(sym)
                    .iter()
                    .zip(args)
                    .map(|(param, ty)| ((sym.unit, BindingId(*param)), ty))
                    .collect();
                self.substituted(&ty, &env)
            }
            _ => Ty::Unknown,
        }
    }

    /// The declaration of the library that a type of a package outside is like, by its name: `anyhow::Result<T>` is a
    /// result as far as members go.
    fn like_outside(&mut self, key: &str, args: &[u32]) -> Option<Sym> {
        if args.is_empty() || !key.starts_with("crate:") {
            return None;
        }
        let name = key.rsplit(['.', ':']).next()?;
        let root = Sym {
            unit: self.crates.library,
            node: LocalNode::UNIT,
        };
        let outside = self.crates.world.children(root, "outside");
        let module = Named::Node(*outside.first()?);
        match self.crates.inside(&module, name, Space::Type)? {
            Named::Node(sym) => {
                self.inferred = true;
                Some(sym)
            }
            Named::Outside(_) => None,
        }
    }

    /// Written arguments, completed by defaults.
    fn arguments(&mut self, sym: Sym, mut args: Vec<Ty>) -> Vec<Ty> {
        let params = self.type_params(sym);
        args.truncate(params.len());
        for param in params.iter().skip(args.len()) {
            let bound = self
                .facts(sym.unit)
                .and_then(|f| f.binding(BindingId(*param)))
                .map(|b| b.bound);
            let ty = match bound {
                Some(Bound::TypeParam { default, .. }) if default != TypeId::UNKNOWN => {
                    self.ty(sym.unit, default)
                }
                _ => Ty::Unknown,
            };
            args.push(ty);
        }
        args
    }

    /// A type with its parameters replaced, and its associated types looked up.
    pub(super) fn substituted(&mut self, ty: &Ty, env: &Env) -> Ty {
        let ty = replaced(ty, env);
        if ty.is_vast() {
            return Ty::Opaque;
        }
        self.settled(&ty, 0)
    }

    /// A type whose associated types are looked up where their holders are known by now.
    fn settled(&mut self, ty: &Ty, depth: u32) -> Ty {
        if depth > 12 {
            return ty.clone();
        }
        let next = depth + 1;
        match ty {
            Ty::Assoc(base, name) => {
                let base = self.settled(base, next);
                self.projected(&base, name)
            }
            Ty::Adt(sym, args) if !args.is_empty() => {
                let args = args.iter().map(|t| self.settled(t, next)).collect();
                Ty::Adt(*sym, args)
            }
            Ty::Slice(element) => Ty::Slice(Rc::new(self.settled(element, next))),
            Ty::Tuple(all) => Ty::Tuple(all.iter().map(|t| self.settled(t, next)).collect()),
            Ty::Both(all) => Ty::Both(all.iter().map(|t| self.settled(t, next)).collect()),
            Ty::Function(params, result) => Ty::Function(
                params.iter().map(|t| self.settled(t, next)).collect(),
                Rc::new(self.settled(result, next)),
            ),
            Ty::Trait(sym, args, assoc) => Ty::Trait(
                *sym,
                args.iter().map(|t| self.settled(t, next)).collect(),
                assoc
                    .iter()
                    .map(|(name, t)| (name.clone(), self.settled(t, next)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    /// The associated type of a type.
    pub(super) fn projected(&mut self, ty: &Ty, name: &str) -> Ty {
        if !self.enter() {
            return Ty::Unknown;
        }
        let found = self.projected_now(ty, name);
        self.leave();
        found
    }

    fn projected_now(&mut self, ty: &Ty, name: &str) -> Ty {
        match ty {
            Ty::Unknown => Ty::Unknown,
            Ty::Opaque | Ty::External(_) => Ty::Opaque,
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                match self.given(&bound, name) {
                    Some(found) => found,
                    None => Ty::Assoc(Rc::new(ty.clone()), name.into()),
                }
            }
            Ty::Assoc(..) => {
                let bound = self.bounds_of_assoc(ty);
                match self.given(&bound, name) {
                    Some(found) => found,
                    None => Ty::Assoc(Rc::new(ty.clone()), name.into()),
                }
            }
            Ty::Trait(..) | Ty::Both(_) => match self.given(ty, name) {
                Some(found) => found,
                None => Ty::Unknown,
            },
            Ty::Function(_, result) if name == "Output" => (**result).clone(),
            _ => self.associated(ty, name),
        }
    }

    /// What bounds say about an associated type.
    fn given(&mut self, bound: &Ty, name: &str) -> Option<Ty> {
        if !self.enter() {
            return None;
        }
        let found = self.given_now(bound, name);
        self.leave();
        found
    }

    fn given_now(&mut self, bound: &Ty, name: &str) -> Option<Ty> {
        match bound {
            Ty::Trait(sym, args, assoc) => {
                if let Some((_, ty)) = assoc.iter().find(|(n, _)| &**n == name) {
                    return Some(ty.clone());
                }
                // What iterates is its own iterator.
                if name == "IntoIter" {
                    return Some(bound.clone());
                }
                let mut env = self.env_of(*sym, args);
                if let Ty::Param(unit, binding) = self_param(*sym) {
                    env.push(((unit, binding), bound.clone()));
                }
                for base in self.supertraits(*sym) {
                    let base = replaced(&base, &env);
                    if let Some(found) = self.given(&base, name) {
                        return Some(found);
                    }
                }
                None
            }
            Ty::Both(all) => all.iter().find_map(|t| self.given(t, name)),
            Ty::Function(_, result) if name == "Output" => Some((**result).clone()),
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                match bound {
                    Ty::Param(..) => None,
                    bound => self.given(&bound, name),
                }
            }
            _ => None,
        }
    }

    /// An associated type that some block of members gives a type.
    fn associated(&mut self, ty: &Ty, name: &str) -> Ty {
        for head in self.heads(ty) {
            for (block, member) in self.crates.members_of(&head, name).to_vec() {
                let sym = Sym {
                    unit: block.unit,
                    node: member,
                };
                if self.kind(sym) != NodeKind::TYPE_ALIAS {
                    continue;
                }
                let Some(env) = self.block_env(block, ty) else {
                    continue;
                };
                if head == Head::Any && !self.block_applies(block, &env) {
                    continue;
                }
                let Some(def) = self.facts(sym.unit).and_then(|f| f.def(sym.node)) else {
                    continue;
                };
                let found = self.ty(sym.unit, def.ty);
                return self.substituted(&found, &env);
            }
        }
        Ty::Unknown
    }

    /// The supertraits of a trait.
    pub(super) fn supertraits(&mut self, sym: Sym) -> Vec<Ty> {
        let Some(facts) = self.facts(sym.unit) else {
            return Vec::new();
        };
        let Some(def) = facts.def(sym.node) else {
            return Vec::new();
        };
        facts
            .list(def.bases)
            .chunks_exact(2)
            .filter_map(|pair| pair.get(1))
            .map(|t| self.ty(sym.unit, TypeId(*t)))
            .collect()
    }

    /// What a type parameter must be.
    pub(super) fn bound_of(&mut self, unit: u32, binding: BindingId) -> Ty {
        if let Some(of_trait) = trait_of_self(unit, binding) {
            let args = self
                .type_params(of_trait)
                .iter()
                .map(|p| Ty::Param(unit, BindingId(*p)))
                .collect();
            return Ty::Trait(of_trait, args, Rc::from([]));
        }
        let bound = self
            .facts(unit)
            .and_then(|f| f.binding(binding))
            .map(|b| b.bound);
        match bound {
            Some(Bound::TypeParam { bound, .. }) => self.ty(unit, bound),
            _ => Ty::Unknown,
        }
    }

    /// What the trait that declares an associated type says about it.
    pub(super) fn bounds_of_assoc(&mut self, ty: &Ty) -> Ty {
        let Ty::Assoc(base, name) = ty else {
            return Ty::Unknown;
        };
        let bound = match &**base {
            Ty::Param(unit, binding) => self.bound_of(*unit, *binding),
            Ty::Assoc(..) => {
                if !self.enter() {
                    return Ty::Unknown;
                }
                let bound = self.bounds_of_assoc(base);
                self.leave();
                bound
            }
            _ => Ty::Unknown,
        };
        let mut all = Vec::new();
        for of_trait in self.traits_in(&bound) {
            let declared = self.crates.world.children(of_trait, name);
            let Some(declared) = declared
                .into_iter()
                .find(|s| self.kind(*s) == NodeKind::TYPE_ALIAS)
            else {
                continue;
            };
            let Some(facts) = self.facts(declared.unit) else {
                continue;
            };
            let Some(def) = facts.def(declared.node) else {
                continue;
            };
            let env: Env = match self_param(of_trait) {
                Ty::Param(unit, binding) => vec![((unit, binding), (**base).clone())],
                _ => Vec::new(),
            };
            for pair in facts.list(def.bases).chunks_exact(2) {
                if let Some(t) = pair.get(1) {
                    let bound = self.ty(declared.unit, TypeId(*t));
                    all.push(replaced(&bound, &env));
                }
            }
        }
        Ty::both(all)
    }

    /// All traits that bounds name, supertraits included.
    pub(super) fn traits_in(&mut self, bound: &Ty) -> Vec<Sym> {
        let mut found = Vec::new();
        self.collect_traits(bound, &mut found);
        found
    }

    fn collect_traits(&mut self, bound: &Ty, found: &mut Vec<Sym>) {
        match bound {
            Ty::Trait(sym, ..) => {
                if found.contains(sym) || found.len() > 64 {
                    return;
                }
                found.push(*sym);
                for base in self.supertraits(*sym) {
                    self.collect_traits(&base, found);
                }
            }
            Ty::Both(all) => all.iter().for_each(|t| self.collect_traits(t, found)),
            _ => {}
        }
    }

    /// What iteration over a value yields.
    pub(super) fn item_of(&mut self, ty: &Ty) -> Ty {
        let mut at = ty.clone();
        for _ in 0..6 {
            let item = self.projected(&at, "Item");
            if !matches!(item, Ty::Unknown) {
                return item;
            }
            match self.dereferenced(&at) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        Ty::Unknown
    }

    /// What `a[i]` yields.
    pub(super) fn indexed(&mut self, ty: &Ty) -> Ty {
        let mut at = ty.clone();
        for _ in 0..6 {
            match &at {
                Ty::Slice(element) => return (**element).clone(),
                Ty::Opaque | Ty::External(_) => return Ty::Opaque,
                _ => {}
            }
            let indexed = self.library_projection(&at, "Index", "Output");
            if !indexed.is_unknown() {
                return indexed;
            }
            match self.dereferenced(&at) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        Ty::Unknown
    }

    /// The associated type that a block for one trait of the library gives.
    fn library_projection(&mut self, ty: &Ty, of_trait: &str, name: &str) -> Ty {
        for head in self.heads(ty) {
            if head == Head::Any {
                continue;
            }
            for (block, member) in self.crates.members_of(&head, name).to_vec() {
                let fits = self.crates.trait_of(block).is_some_and(|s| {
                    s.unit == self.crates.library && self.crates.world.name(s) == of_trait
                });
                if !fits {
                    continue;
                }
                let Some(env) = self.block_env(block, ty) else {
                    continue;
                };
                let def = self.facts(block.unit).and_then(|f| f.def(member));
                let Some(def) = def else { continue };
                let found = self.ty(block.unit, def.ty);
                return self.substituted(&found, &env);
            }
        }
        Ty::Unknown
    }

    /// What `*value` is, where that is another type.
    pub(super) fn dereferenced(&mut self, ty: &Ty) -> Option<Ty> {
        if !self.enter() {
            return None;
        }
        let found = match ty {
            Ty::Adt(..) => self.library_projection(ty, "Deref", "Target"),
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                self.given(&bound, "Target").unwrap_or(Ty::Unknown)
            }
            Ty::Trait(..) | Ty::Both(_) => self.given(ty, "Target").unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        };
        self.leave();
        (!found.is_unknown() && found != *ty).then_some(found)
    }

    /// What `*value` is where it may also only take a reference away: pointers of the library.
    pub(super) fn starred(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Adt(sym, _) if sym.unit == self.crates.library => {
                self.dereferenced(ty).unwrap_or_else(|| ty.clone())
            }
            _ => ty.clone(),
        }
    }

    /// What `value?` yields.
    pub(super) fn tried(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Adt(sym, args)
                if Some(*sym) == self.known.option || Some(*sym) == self.known.result =>
            {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            Ty::Opaque | Ty::External(_) => Ty::Opaque,
            _ => Ty::Unknown,
        }
    }

    /// What `value.await` yields.
    pub(super) fn awaited(&mut self, ty: &Ty) -> Ty {
        let output = match ty {
            Ty::Adt(..) => self.library_projection(ty, "Future", "Output"),
            Ty::Trait(..) | Ty::Both(_) | Ty::Param(..) => self.projected(ty, "Output"),
            _ => Ty::Unknown,
        };
        match (&output, ty) {
            (Ty::Unknown | Ty::Assoc(..), Ty::Adt(..)) => match self.dereferenced(ty) {
                Some(inner) if !matches!(inner, Ty::Adt(..)) => self.awaited(&inner),
                _ => ty.clone(),
            },
            (Ty::Unknown, _) => ty.clone(),
            _ => output,
        }
    }
}

//! Members of types: methods through dereferencing, blocks of members and bounds; fields; associated functions.

use std::rc::Rc;

use super::crates::{Block, Head};
use super::eval::Eval;
use super::paths::{Named, Space};
use super::types::{Env, Ty, lookup, replaced, self_param};
use crate::ids::LocalNode;
use crate::link::world::Sym;
use crate::model::facts::{BindingId, Bound, Expr, ExprId, TypeId};
use crate::model::label::NodeKind;

/// How many steps of dereferencing a lookup takes.
const DEREFS: usize = 8;

/// A member that was found.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) sym: Sym,
    /// What stands for the parameters of its block or trait.
    pub(super) env: Env,
    /// It is what a trait declares, not what a block carries out.
    pub(super) of_trait: bool,
}

/// What a lookup found.
#[derive(Clone, Debug)]
pub(super) enum Lookup {
    /// A member.
    Found(Member),
    /// The type is known and outside the tree, or has no such member.
    Outside,
    /// The type is not known.
    Unknown,
}

impl Eval<'_, '_> {
    /// The heads under which blocks for a type are kept, the most telling first.
    pub(super) fn heads(&self, ty: &Ty) -> Vec<Head> {
        let own = match ty {
            Ty::Adt(sym, _) => Head::Adt(*sym),
            Ty::Trait(sym, ..) => Head::Trait(*sym),
            Ty::Primitive(name) => Head::Primitive(name.to_string()),
            Ty::Slice(_) => Head::Slice,
            Ty::Tuple(_) => Head::Tuple,
            Ty::Function(..) | Ty::Closure(..) | Ty::Def(..) => Head::Function,
            Ty::Both(all) => {
                let mut heads: Vec<Head> = all.iter().flat_map(|t| self.heads(t)).collect();
                heads.retain(|h| *h != Head::Any);
                heads.push(Head::Any);
                return heads;
            }
            _ => return vec![Head::Any],
        };
        vec![own, Head::Any]
    }

    /// What stands for a block's parameters where its type is `ty`; `None` where the block is for other types.
    pub(super) fn block_env(&mut self, block: Block, ty: &Ty) -> Option<Env> {
        let found = self.crates.block(block)?;
        let pattern = self.ty(block.unit, found.ty);
        let mut env = Env::new();
        self.unify(&pattern, ty, &mut env, 0).then_some(env)
    }

    /// Whether the bounds of a block for any type hold for what its parameters stand for.
    pub(super) fn block_applies(&mut self, block: Block, env: &Env) -> bool {
        let Some(found) = self.crates.block(block) else {
            return false;
        };
        let Some(facts) = self.facts(block.unit) else {
            return false;
        };
        for param in facts.list(found.type_params) {
            let Some(ty) = lookup(env, block.unit, BindingId(*param)).cloned() else {
                continue;
            };
            let bound = self.bound_of(block.unit, BindingId(*param));
            for of_trait in self.named_traits(&bound) {
                if !self.has_trait(&ty, of_trait) {
                    return false;
                }
            }
            if let Ty::Function(..) = bound
                && !matches!(ty, Ty::Function(..) | Ty::Closure(..) | Ty::Def(..))
            {
                return false;
            }
        }
        true
    }

    /// The traits that bounds name, without those behind them.
    fn named_traits(&self, bound: &Ty) -> Vec<Sym> {
        match bound {
            Ty::Trait(sym, ..) => vec![*sym],
            Ty::Both(all) => all.iter().flat_map(|t| self.named_traits(t)).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a type is known to have a trait. Marker traits and derived ones of the library are taken for granted.
    pub(super) fn has_trait(&mut self, ty: &Ty, of_trait: Sym) -> bool {
        if !self.enter() {
            return false;
        }
        let found = self.has_trait_now(ty, of_trait);
        self.leave();
        found
    }

    fn has_trait_now(&mut self, ty: &Ty, of_trait: Sym) -> bool {
        if of_trait.unit == self.crates.library {
            let name = self.crates.world.name(of_trait);
            let telling = matches!(
                name,
                "Iterator" | "IntoIterator" | "Read" | "Write" | "BufRead" | "Future" | "Error"
            );
            if !telling {
                return true;
            }
        }
        let bound = match ty {
            Ty::Param(unit, binding) => Some(self.bound_of(*unit, *binding)),
            Ty::Assoc(..) => Some(self.bounds_of_assoc(ty)),
            Ty::Trait(..) | Ty::Both(_) => Some(ty.clone()),
            _ => None,
        };
        if let Some(bound) = bound
            && self.traits_in(&bound).contains(&of_trait)
        {
            return true;
        }
        for head in self.heads(ty) {
            for block in self.crates.blocks_for(of_trait).to_vec() {
                if self.crates.head_of(block) != Some(&head) {
                    continue;
                }
                let Some(env) = self.block_env(block, ty) else {
                    continue;
                };
                if head != Head::Any || self.block_applies(block, &env) {
                    return true;
                }
            }
        }
        false
    }

    /// Binds the parameters in `pattern` so that it becomes `actual`; `false` where it cannot.
    pub(super) fn unify(&mut self, pattern: &Ty, actual: &Ty, env: &mut Env, depth: u32) -> bool {
        if depth > 16 {
            return true;
        }
        let next = depth + 1;
        match (pattern, actual) {
            (Ty::Unknown | Ty::Opaque | Ty::Assoc(..) | Ty::External(_), _)
            | (_, Ty::Unknown | Ty::Opaque | Ty::External(_)) => true,
            (Ty::Param(unit, binding), actual) => {
                match lookup(env, *unit, *binding) {
                    Some(known) if !known.is_whole() && actual.is_whole() => {
                        env.push(((*unit, *binding), actual.clone()));
                    }
                    Some(_) => {}
                    None => env.push(((*unit, *binding), actual.clone())),
                }
                true
            }
            (Ty::Adt(a, args), Ty::Adt(b, others)) if a == b => {
                let pairs: Vec<(Ty, Ty)> =
                    args.iter().cloned().zip(others.iter().cloned()).collect();
                pairs.iter().all(|(x, y)| self.unify(x, y, env, next))
            }
            (Ty::Slice(x), Ty::Slice(y)) => self.unify(x, y, env, next),
            (Ty::Tuple(xs), Ty::Tuple(ys)) => {
                xs.len() == ys.len()
                    && xs
                        .iter()
                        .zip(ys.iter())
                        .all(|(x, y)| self.unify(x, y, env, next))
            }
            (Ty::Primitive(a), Ty::Primitive(b)) => a == b,
            (Ty::Function(params, result), _) => {
                if let Ty::Function(others, _) = actual {
                    for (x, y) in params.iter().zip(others.iter()) {
                        self.unify(x, y, env, next);
                    }
                }
                let yields = self.yields(actual);
                self.unify(result, &yields, env, next);
                true
            }
            (Ty::Trait(sym, _, assoc), _) => {
                for (name, ty) in assoc.iter() {
                    let known = if &**name == "Item" {
                        self.item_of(actual)
                    } else {
                        self.projected(actual, name)
                    };
                    self.unify(ty, &known, env, next);
                }
                match actual {
                    Ty::Trait(other, ..) => sym == other || self.traits_in(actual).contains(sym),
                    _ => true,
                }
            }
            (Ty::Both(all), _) => {
                for ty in all.iter() {
                    self.unify(ty, actual, env, next);
                }
                true
            }
            (_, Ty::Param(..) | Ty::Assoc(..)) => false,
            _ => false,
        }
    }

    /// What calling a value yields.
    pub(super) fn yields(&mut self, ty: &Ty) -> Ty {
        if !self.enter() {
            return Ty::Unknown;
        }
        let found = self.yields_now(ty);
        self.leave();
        found
    }

    fn yields_now(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Function(_, result) => (**result).clone(),
            Ty::Closure(unit, function) => self.closure_result(*unit, *function),
            Ty::Def(sym, env) => self.result_of(*sym, env),
            Ty::Both(all) => all
                .iter()
                .map(|t| self.yields(t))
                .find(|t| !t.is_unknown())
                .unwrap_or(Ty::Unknown),
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                match bound {
                    Ty::Param(..) => Ty::Unknown,
                    bound => self.yields(&bound),
                }
            }
            Ty::Named(inner) => match &**inner {
                Ty::Adt(..) => (**inner).clone(),
                _ => Ty::Unknown,
            },
            Ty::Adt(..) => match self.dereferenced(ty) {
                Some(inner) => self.yields(&inner),
                None => Ty::Unknown,
            },
            Ty::Opaque | Ty::External(_) => Ty::Opaque,
            _ => Ty::Unknown,
        }
    }

    /// The method that a call on a value of that type means.
    pub(super) fn method(&mut self, receiver: &Ty, name: &str) -> Lookup {
        let mut at = receiver.clone();
        for _ in 0..DEREFS {
            match &at {
                Ty::Unknown => return Lookup::Unknown,
                Ty::Opaque | Ty::External(_) | Ty::Module(_) | Ty::Named(_) => {
                    return Lookup::Outside;
                }
                _ => {}
            }
            if let Some(found) = self.own_member(&at, name, true) {
                return Lookup::Found(found);
            }
            match self.dereferenced(&at) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        match at {
            Ty::Unknown | Ty::Param(..) | Ty::Assoc(..) => Lookup::Unknown,
            _ => Lookup::Outside,
        }
    }

    /// A member of a type itself. `method`: only what is called on a value.
    pub(super) fn own_member(&mut self, ty: &Ty, name: &str, method: bool) -> Option<Member> {
        if !self.enter() {
            return None;
        }
        let found = self.own_member_now(ty, name, method);
        self.leave();
        found
    }

    fn own_member_now(&mut self, ty: &Ty, name: &str, method: bool) -> Option<Member> {
        match ty {
            Ty::Param(unit, binding) => {
                let bound = self.bound_of(*unit, *binding);
                if let Some(found) = self.bound_member(&bound, ty, name, method) {
                    return Some(found);
                }
            }
            Ty::Assoc(..) => {
                let bound = self.bounds_of_assoc(ty);
                if let Some(found) = self.bound_member(&bound, ty, name, method) {
                    return Some(found);
                }
            }
            Ty::Trait(..) | Ty::Both(_) => {
                if let Some(found) = self.bound_member(ty, ty, name, method) {
                    return Some(found);
                }
            }
            _ => {}
        }
        let heads = self.heads(ty);
        for head in &heads {
            if *head == Head::Any {
                continue;
            }
            // What a type has by itself comes before what traits give it.
            for inherent in [true, false] {
                for (block, node) in self.crates.members_of(head, name).to_vec() {
                    let of_trait = self.crates.block(block).map(|b| b.of_trait);
                    if (of_trait == Some(TypeId::UNKNOWN)) != inherent {
                        continue;
                    }
                    if let Some(found) = self.block_member(block, node, ty, method) {
                        return Some(found);
                    }
                }
            }
        }
        for head in &heads {
            for block in self.crates.blocks_of(head).to_vec() {
                let Some(of_trait) = self.crates.trait_of(block) else {
                    continue;
                };
                if !self.trait_has(of_trait, name) {
                    continue;
                }
                let Some(mut env) = self.block_env(block, ty) else {
                    continue;
                };
                if *head == Head::Any {
                    if !self.block_applies(block, &env) {
                        continue;
                    }
                    let own = self.crates.members_of(head, name).to_vec();
                    let own = own.iter().find(|(b, _)| *b == block);
                    if let Some((_, node)) = own {
                        self.inferred = true;
                        return self.block_member(block, *node, ty, method);
                    }
                }
                // The block leaves the member to the trait.
                let written = self.crates.block(block).map(|b| b.of_trait)?;
                let written = self.ty(block.unit, written);
                let written = replaced(&written, &env);
                if let Some(found) = self.bound_member(&written, ty, name, method) {
                    env.extend(found.env);
                    return Some(Member { env, ..found });
                }
            }
        }
        None
    }

    /// All associated functions of that name that blocks for traits give a type.
    pub(super) fn alternatives(&mut self, ty: &Ty, name: &str) -> Vec<Sym> {
        let mut all = Vec::new();
        for head in self.heads(ty) {
            if head == Head::Any {
                continue;
            }
            for (block, node) in self.crates.members_of(&head, name).to_vec() {
                let sym = Sym {
                    unit: block.unit,
                    node,
                };
                if self.crates.trait_of(block).is_none() && self.is_inherent(block) {
                    return Vec::new();
                }
                if self.kind(sym) == NodeKind::METHOD && self.block_env(block, ty).is_some() {
                    all.push(sym);
                }
            }
        }
        all
    }

    fn is_inherent(&self, block: Block) -> bool {
        self.crates
            .block(block)
            .is_some_and(|b| b.of_trait == TypeId::UNKNOWN)
    }

    fn trait_has(&self, of_trait: Sym, name: &str) -> bool {
        !self.crates.world.children(of_trait, name).is_empty()
    }

    fn block_member(
        &mut self,
        block: Block,
        node: LocalNode,
        ty: &Ty,
        method: bool,
    ) -> Option<Member> {
        let sym = Sym {
            unit: block.unit,
            node,
        };
        if !self.can_be(sym, method) {
            return None;
        }
        let env = self.block_env(block, ty)?;
        Some(Member {
            sym,
            env,
            of_trait: false,
        })
    }

    fn can_be(&self, sym: Sym, method: bool) -> bool {
        match self.kind(sym) {
            NodeKind::METHOD => !method || self.takes_self(sym),
            NodeKind::CONSTANT => !method,
            _ => false,
        }
    }

    /// A member that bounds promise.
    fn bound_member(&mut self, bound: &Ty, this: &Ty, name: &str, method: bool) -> Option<Member> {
        if !self.enter() {
            return None;
        }
        let found = self.bound_member_now(bound, this, name, method);
        self.leave();
        found
    }

    fn bound_member_now(
        &mut self,
        bound: &Ty,
        this: &Ty,
        name: &str,
        method: bool,
    ) -> Option<Member> {
        match bound {
            Ty::Trait(sym, args, _) => {
                let mut env = self.env_of(*sym, args);
                if let Ty::Param(unit, binding) = self_param(*sym) {
                    env.push(((unit, binding), this.clone()));
                }
                let own = self.crates.world.children(*sym, name);
                let own = own.into_iter().find(|s| self.can_be(*s, method));
                if let Some(sym) = own {
                    return Some(Member {
                        sym,
                        env,
                        of_trait: true,
                    });
                }
                for base in self.supertraits(*sym) {
                    let base = replaced(&base, &env);
                    if let Some(mut found) = self.bound_member(&base, this, name, method) {
                        found.env.extend(env);
                        return Some(found);
                    }
                }
                None
            }
            Ty::Both(all) => all
                .iter()
                .find_map(|t| self.bound_member(t, this, name, method)),
            _ => None,
        }
    }

    /// The value of `Type::name` or `module::name`, or of a field.
    pub(super) fn member_value(&mut self, unit: u32, base: ExprId, name: crate::ids::StrId) -> Ty {
        let name = self.text(unit, name);
        let holder = self.expr(unit, base);
        match &holder {
            Ty::Module(sym) => {
                let found = self.crates.inside(&Named::Node(*sym), name, Space::Value);
                match found {
                    Some(named) => self.named_value(&named),
                    None => Ty::Unknown,
                }
            }
            Ty::External(_) => Ty::Opaque,
            Ty::Named(ty) => match self.static_member(ty, name) {
                Some(member) => match self.kind(member.sym) {
                    NodeKind::CONSTANT => {
                        let ty = self.value_of(member.sym);
                        self.substituted(&ty, &member.env)
                    }
                    NodeKind::ENUM_MEMBER => {
                        let made = self.value_of(member.sym);
                        match (made, &**ty) {
                            (Ty::Adt(..), whole @ Ty::Adt(..)) => whole.clone(),
                            (Ty::Def(sym, _), _) => Ty::Def(sym, Rc::new(member.env)),
                            (made, _) => made,
                        }
                    }
                    _ => Ty::Def(member.sym, Rc::new(member.env)),
                },
                None => match **ty {
                    Ty::Opaque | Ty::External(_) => Ty::Opaque,
                    _ => Ty::Unknown,
                },
            },
            _ => self.field(&holder, name),
        }
    }

    /// A variant, function or constant of a type.
    pub(super) fn static_member(&mut self, ty: &Ty, name: &str) -> Option<Member> {
        if let Ty::Adt(sym, args) = ty
            && self.kind(*sym) == NodeKind::ENUM
        {
            let variant = self.crates.world.children(*sym, name);
            let variant = variant
                .into_iter()
                .find(|s| self.kind(*s) == NodeKind::ENUM_MEMBER);
            if let Some(sym_of) = variant {
                return Some(Member {
                    sym: sym_of,
                    env: self.env_of(*sym, args),
                    of_trait: false,
                });
            }
        }
        let mut at = ty.clone();
        for _ in 0..2 {
            if let Some(found) = self.own_member(&at, name, false) {
                return Some(found);
            }
            // `Vec::first(…)`, `String::len(…)`: through what the type hands on.
            at = self.dereferenced(&at)?;
        }
        None
    }

    /// A field of a value, looked up through dereferencing.
    pub(super) fn field(&mut self, ty: &Ty, name: &str) -> Ty {
        let mut at = ty.clone();
        for _ in 0..DEREFS {
            match &at {
                Ty::Opaque | Ty::External(_) => return Ty::Opaque,
                Ty::Tuple(all) => {
                    let index = name.parse::<usize>().ok();
                    return index
                        .and_then(|i| all.get(i))
                        .cloned()
                        .unwrap_or(Ty::Unknown);
                }
                Ty::Adt(sym, args) => {
                    if let Some(found) = self.field_of(*sym, args, name) {
                        return found;
                    }
                }
                _ => {}
            }
            match self.dereferenced(&at) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        Ty::Unknown
    }

    /// The type of a field that a struct or variant declares.
    fn field_of(&mut self, sym: Sym, args: &[Ty], name: &str) -> Option<Ty> {
        let holder = match self.kind(sym) {
            NodeKind::ENUM_MEMBER => Sym {
                unit: sym.unit,
                node: self.crates.world.node(sym)?.parent,
            },
            _ => sym,
        };
        let declared = if let Ok(index) = name.parse::<usize>() {
            TypeId(*self.fields_of(sym)?.get(index)?)
        } else {
            let field = self
                .crates
                .world
                .children(sym, name)
                .into_iter()
                .find(|s| self.kind(*s) == NodeKind::FIELD)?;
            self.facts(field.unit)?.def(field.node)?.ty
        };
        let ty = self.ty(sym.unit, declared);
        let mut env = self.env_of(holder, args);
        // Parameters that are not known are nothing that a lookup could use.
        for param in self.type_params(holder) {
            let key = (holder.unit, BindingId(*param));
            if lookup(&env, key.0, key.1).is_none() {
                env.push((key, Ty::Unknown));
            }
        }
        Some(self.substituted(&ty, &env))
    }

    /// What a pattern of a variant or struct takes out of a value.
    pub(super) fn payload(&mut self, unit: u32, base: &Ty, variant: ExprId, name: &str) -> Ty {
        let Some(variant) = self.variant(unit, variant) else {
            return Ty::Unknown;
        };
        let holder = match self.kind(variant) {
            NodeKind::ENUM_MEMBER => match self.crates.world.node(variant) {
                Some(node) => Sym {
                    unit: variant.unit,
                    node: node.parent,
                },
                None => return Ty::Unknown,
            },
            _ => variant,
        };
        let mut at = base.clone();
        for _ in 0..DEREFS {
            match &at {
                Ty::Adt(sym, args) if *sym == holder => {
                    let args = args.clone();
                    return self.field_of(variant, &args, name).unwrap_or(Ty::Unknown);
                }
                Ty::Opaque | Ty::External(_) => return Ty::Opaque,
                _ => {}
            }
            match self.dereferenced(&at) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        self.field_of(variant, &[], name).unwrap_or(Ty::Unknown)
    }

    /// The struct or variant that a pattern or struct expression names.
    pub(super) fn variant(&mut self, unit: u32, id: ExprId) -> Option<Sym> {
        let facts = self.facts(unit)?;
        match facts.expr(id) {
            Expr::Bound(binding) => {
                if let Some(Bound::Local { .. }) = facts.binding(binding).map(|b| b.bound) {
                    return None;
                }
                match self.binding(unit, binding, Space::Value)? {
                    Named::Node(sym) => Some(sym),
                    Named::Outside(_) => None,
                }
            }
            Expr::TypeName { ty } => match self.ty(unit, ty) {
                Ty::Adt(sym, _) => Some(sym),
                _ => match facts.ty(ty) {
                    crate::model::facts::TypeExpr::Bound { binding, .. } => {
                        match self.binding(unit, binding, Space::Type)? {
                            Named::Node(sym) => Some(sym),
                            Named::Outside(_) => None,
                        }
                    }
                    _ => None,
                },
            },
            Expr::Member { base, name } => {
                let name = self.text(unit, name);
                match self.expr(unit, base) {
                    Ty::Module(sym) => {
                        let module = Named::Node(sym);
                        match self.crates.inside(&module, name, Space::Type)? {
                            Named::Node(sym) => Some(sym),
                            Named::Outside(_) => None,
                        }
                    }
                    Ty::Named(ty) => self.static_member(&ty, name).map(|m| m.sym),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

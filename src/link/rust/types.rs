//! What a value of Rust can be, as far as linking can tell. References do not appear: members are looked up through them.

use std::rc::Rc;

use crate::link::world::Sym;
use crate::model::facts::{BindingId, FunctionId};

/// Type parameters with what they stand for, the latest last.
pub(super) type Env = Vec<((u32, BindingId), Ty)>;

/// How many parts a type may have: what two types double would otherwise grow without end.
const PARTS: u32 = 400;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    /// Nothing is known.
    Unknown,
    /// Known to be nothing of the tree.
    Opaque,
    /// A struct, enumeration or union with its arguments.
    Adt(Sym, Rc<[Ty]>),
    /// Any type that has a trait: the trait, its arguments, and what its associated types are.
    Trait(Sym, Rc<[Ty]>, Rc<[(Rc<str>, Ty)]>),
    /// A type parameter; the `Self` of a trait is one too, see [`self_param`].
    Param(u32, BindingId),
    /// An associated type of a type that is not known yet.
    Assoc(Rc<Ty>, Rc<str>),
    /// One of the language's own types, by its name.
    Primitive(Rc<str>),
    /// A sequence.
    Slice(Rc<Ty>),
    /// Elements by position.
    Tuple(Rc<[Ty]>),
    /// A function pointer, or any type that can be called so.
    Function(Rc<[Ty]>, Rc<Ty>),
    /// A closure of a file.
    Closure(u32, FunctionId),
    /// A function, or the constructor of a struct or variant, with what is known of its parameters.
    Def(Sym, Rc<Env>),
    /// A module or file.
    Module(Sym),
    /// A type where a value could stand (`Type::f`).
    Named(Rc<Ty>),
    /// All of several.
    Both(Rc<[Ty]>),
    /// A symbol outside, by its key.
    External(Rc<str>),
}

impl Ty {
    /// Whether nothing is known.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Whether nothing in it is left open, looking a few levels deep.
    pub(super) fn is_whole(&self) -> bool {
        match self {
            Self::Unknown | Self::Param(..) => false,
            Self::Adt(_, args) | Self::Tuple(args) => args.iter().all(Self::is_whole),
            Self::Slice(element) => element.is_whole(),
            _ => true,
        }
    }

    /// Whether it has more parts than anyone writes; such a type is not followed further.
    pub(super) fn is_vast(&self) -> bool {
        let mut left = PARTS;
        !self.counts(&mut left)
    }

    fn counts(&self, left: &mut u32) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match self {
            Self::Adt(_, all) | Self::Tuple(all) | Self::Both(all) => {
                all.iter().all(|t| t.counts(left))
            }
            Self::Trait(_, args, named) => {
                args.iter().all(|t| t.counts(left)) && named.iter().all(|(_, t)| t.counts(left))
            }
            Self::Function(params, result) => {
                params.iter().all(|t| t.counts(left)) && result.counts(left)
            }
            Self::Slice(inner) | Self::Named(inner) | Self::Assoc(inner, _) => inner.counts(left),
            Self::Def(_, env) => env.iter().all(|(_, t)| t.counts(left)),
            _ => true,
        }
    }

    /// All of several; one alone is itself.
    pub(super) fn both(mut all: Vec<Self>) -> Self {
        all.retain(|t| !t.is_unknown());
        match all.len() {
            0 => Self::Unknown,
            1 => all.swap_remove(0),
            _ => Self::Both(all.into()),
        }
    }
}

/// The binding that stands for the `Self` of a trait.
pub(super) fn self_param(of_trait: Sym) -> Ty {
    Ty::Param(of_trait.unit, BindingId((1 << 31) | of_trait.node.0))
}

/// The trait whose `Self` a binding stands for.
pub(super) fn trait_of_self(unit: u32, binding: BindingId) -> Option<Sym> {
    let node = binding.0.checked_sub(1 << 31)?;
    (binding != BindingId::NONE).then_some(Sym {
        unit,
        node: crate::ids::LocalNode(node),
    })
}

/// What a parameter stands for.
pub(super) fn lookup(env: &Env, unit: u32, binding: BindingId) -> Option<&Ty> {
    env.iter()
        .rev()
        .find(|(key, _)| *key == (unit, binding))
        .map(|(_, ty)| ty)
}

/// Replaces parameters by what they stand for. Associated types stay as they are: the evaluator looks them up.
pub(super) fn replaced(ty: &Ty, env: &Env) -> Ty {
    if env.is_empty() {
        return ty.clone();
    }
    replace(ty, env, 0)
}

fn replace(ty: &Ty, env: &Env, depth: u32) -> Ty {
    if depth > 24 {
        return Ty::Unknown;
    }
    let all =
        |list: &Rc<[Ty]>| -> Rc<[Ty]> { list.iter().map(|t| replace(t, env, depth + 1)).collect() };
    match ty {
        Ty::Param(unit, binding) => lookup(env, *unit, *binding).cloned().unwrap_or(ty.clone()),
        Ty::Adt(sym, args) if !args.is_empty() => Ty::Adt(*sym, all(args)),
        Ty::Trait(sym, args, named) => Ty::Trait(
            *sym,
            all(args),
            named
                .iter()
                .map(|(name, t)| (name.clone(), replace(t, env, depth + 1)))
                .collect(),
        ),
        Ty::Assoc(base, name) => Ty::Assoc(Rc::new(replace(base, env, depth + 1)), name.clone()),
        Ty::Slice(element) => Ty::Slice(Rc::new(replace(element, env, depth + 1))),
        Ty::Tuple(list) => Ty::Tuple(all(list)),
        Ty::Function(params, result) => {
            Ty::Function(all(params), Rc::new(replace(result, env, depth + 1)))
        }
        Ty::Both(list) => Ty::Both(all(list)),
        Ty::Named(inner) => Ty::Named(Rc::new(replace(inner, env, depth + 1))),
        other => other.clone(),
    }
}

//! What a value can be, as far as linking can tell.

use std::rc::Rc;

use super::world::Sym;
use crate::model::facts::{BindingId, ExprId, FunctionId, TypeId};

/// Type parameters with what they stand for, innermost first.
pub(super) type Env = Option<Rc<Frame>>;

/// One type parameter's meaning. The binding [`BindingId::NONE`] holds what `this` is.
pub(super) struct Frame {
    pub(super) unit: u32,
    pub(super) binding: BindingId,
    pub(super) ty: Ty,
    pub(super) next: Env,
}

/// A value's type.
#[derive(Clone)]
pub(super) enum Ty {
    /// Nothing is known.
    Unknown,
    /// Known to be nothing of the index: a built-in or a type of a library.
    Opaque,
    /// A value of a package outside, by its key.
    External(Rc<str>),
    /// A definition as a value: a function, a class itself, an enumeration, a namespace.
    Def(Sym, Env),
    /// An instance of a class, interface or enumeration.
    Instance(Sym, Env),
    /// A function without a definition of its own, or a function type.
    Function(u32, FunctionId, Env),
    /// An object literal.
    Object(u32, ExprId, Env),
    /// A written object type.
    Shape(u32, TypeId, Env),
    /// A file as a namespace.
    Module(u32),
    /// A folder as a namespace.
    Folder(Rc<str>),
    /// What stands behind a class in the order of its bases (`super()`).
    After(Sym),
    /// A sequence.
    Array(Rc<Ty>),
    /// Elements by position.
    Tuple(Rc<[Ty]>),
    /// A map from keys to values.
    Map(Rc<(Ty, Ty)>),
    /// An object whose members are all of one type.
    Record(Rc<Ty>),
    /// A value that comes later.
    Promise(Rc<Ty>),
    /// One of several.
    Union(Rc<[Ty]>),
    /// All of several.
    Both(Rc<[Ty]>),
    /// A type parameter of which nothing but its bound is known.
    Param(u32, BindingId),
    /// A method of a library type, on a receiver that is known.
    LibraryMethod(Rc<(Ty, Box<str>)>),
    /// The callback that such a method expects.
    LibraryCallback(Rc<(Ty, Box<str>)>),
    /// An object of the library itself (`Promise`, `Object`).
    Library(Rc<str>),
}

impl Ty {
    /// Whether nothing is known.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// One of several; what is not known says nothing, and one alone is itself.
    pub(super) fn union(mut all: Vec<Self>) -> Self {
        all.retain(|t| !t.is_unknown());
        let informative = all.iter().any(|t| !matches!(t, Self::Opaque));
        if informative {
            all.retain(|t| !matches!(t, Self::Opaque));
        }
        // The same instance twice (two branches that return `this`) is one.
        let mut seen: Vec<Sym> = Vec::new();
        all.retain(|t| match t {
            Self::Instance(sym, None) => {
                let new = !seen.contains(sym);
                seen.push(*sym);
                new
            }
            _ => true,
        });
        match all.len() {
            0 => Self::Unknown,
            1 => all.swap_remove(0),
            _ => Self::Union(all.into()),
        }
    }

    /// A sequence of these.
    pub(super) fn array(element: Self) -> Self {
        Self::Array(Rc::new(element))
    }

    /// A promise of this; a promise of a promise is one promise.
    pub(super) fn promise(self) -> Self {
        match self {
            Self::Promise(_) => self,
            other => Self::Promise(Rc::new(other)),
        }
    }
}

/// The environment with one more meaning.
pub(super) fn bind(env: &Env, unit: u32, binding: BindingId, ty: Ty) -> Env {
    Some(Rc::new(Frame {
        unit,
        binding,
        ty,
        next: env.clone(),
    }))
}

/// What a type parameter stands for.
pub(super) fn lookup(env: &Env, unit: u32, binding: BindingId) -> Option<Ty> {
    let mut at = env.as_ref();
    while let Some(frame) = at {
        if frame.binding == binding && (frame.unit == unit || binding == BindingId::NONE) {
            return Some(frame.ty.clone());
        }
        at = frame.next.as_ref();
    }
    None
}

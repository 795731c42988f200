//! Signatures as texts, to tell whether two methods of one name can be the same method.

use std::fmt::Write;

use crate::ids::StrId;
use crate::link::world::{Sym, World};
use crate::model::facts::{Bound, Facts, FunctionFlags, FunctionId, List, TypeExpr, TypeId};
use crate::model::unit::Unit;

/// How deep a type is spelled out.
const DEPTH: u32 = 12;

/// What is compared of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// Parameters and results.
    pub(super) arity: (usize, usize),
    /// The types, without pointers and the packages that qualify names; `None` where one cannot be told.
    text: Option<String>,
}

impl Signature {
    /// A signature of which only the numbers are known.
    pub(super) const fn of_arity(params: usize, results: usize) -> Self {
        Self {
            arity: (params, results),
            text: None,
        }
    }

    /// The signature of a method.
    pub(super) fn of(world: &World<'_>, method: Sym) -> Option<Self> {
        let unit = world.unit(method.unit)?;
        let facts = &unit.facts;
        let function = facts.function(facts.def(method.node)?.function)?;
        let results = match facts.ty(function.result) {
            TypeExpr::Unknown if function.result == TypeId::UNKNOWN => 0,
            TypeExpr::Tuple(list) => facts.list(list).len(),
            _ => 1,
        };
        let mut speller = Speller {
            unit,
            facts,
            text: String::new(),
            unclear: false,
        };
        speller.function(facts.def(method.node)?.function, 0);
        Some(Self {
            arity: (facts.list(function.params).len(), results),
            text: (!speller.unclear).then_some(speller.text),
        })
    }

    /// Whether both can belong to one method.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.arity == other.arity
            && match (&self.text, &other.text) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            }
    }
}

struct Speller<'a> {
    unit: &'a Unit,
    facts: &'a Facts,
    text: String,
    unclear: bool,
}

impl Speller<'_> {
    fn function(&mut self, id: FunctionId, depth: u32) {
        let Some(f) = self.facts.function(id).copied() else {
            self.unclear = true;
            return;
        };
        let rest = f.flags & FunctionFlags::REST != 0;
        let _ = write!(self.text, "func{}(", if rest { "…" } else { "" });
        self.list(f.params, depth);
        self.text.push(')');
        if f.result != TypeId::UNKNOWN {
            self.ty(f.result, depth);
        }
    }

    fn list(&mut self, list: List, depth: u32) {
        for ty in self.facts.list(list) {
            self.ty(TypeId(*ty), depth);
            self.text.push(',');
        }
    }

    fn ty(&mut self, id: TypeId, depth: u32) {
        if depth > DEPTH || self.unclear {
            self.unclear = true;
            return;
        }
        match self.facts.ty(id) {
            TypeExpr::Bound {
                binding,
                path,
                args,
            } => {
                let Some(bound) = self.facts.binding(binding).copied() else {
                    self.unclear = true;
                    return;
                };
                // A type parameter, or another name for a type, can be any.
                let alias = match bound.bound {
                    Bound::TypeParam { .. } => true,
                    Bound::Node(node) => self
                        .facts
                        .def(node)
                        .is_some_and(|d| d.ty != TypeId::UNKNOWN),
                    _ => false,
                };
                self.unclear |= alias;
                self.named(bound.name, path, args, depth);
            }
            TypeExpr::Free { name, path, args } => self.named(name, path, args, depth),
            TypeExpr::Sequence(inner) => {
                self.text.push_str("[]");
                self.ty(inner, depth + 1);
            }
            TypeExpr::Tuple(list) => {
                self.text.push('(');
                self.list(list, depth + 1);
                self.text.push(')');
            }
            TypeExpr::Function(f) => self.function(f, depth + 1),
            _ => self.unclear = true,
        }
    }

    fn named(&mut self, name: StrId, path: List, args: List, depth: u32) {
        let last = self.facts.list(path).last().map_or(name, |n| StrId(*n));
        let text = match self.unit.text(last) {
            "byte" => "uint8",
            "rune" => "int32",
            text => text,
        };
        self.text.push_str(text);
        if args != List::EMPTY {
            self.text.push('[');
            self.list(args, depth + 1);
            self.text.push(']');
        }
    }
}

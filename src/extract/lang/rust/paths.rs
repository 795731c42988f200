//! Paths: `name`, `module::Type::f`, `<T as Trait>::f`, in types and in values.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::Walker;
use crate::ids::StrId;
use crate::model::facts::{Expr, ExprId, List, TypeExpr, TypeId};
use crate::model::label::Context;

impl<'t> Walker<'t> {
    /// The type or module that a path names. Nothing is noted but the names in type arguments on the way.
    pub(super) fn path_type(&mut self, at: Syntax<'t>, args: List) -> TypeId {
        let mut names: Vec<u32> = Vec::new();
        let mut at = at;
        let mut rooted = false;
        for _ in 0..64 {
            if !matches!(self.kind(at), K::ScopedType | K::ScopedIdentifier) {
                break;
            }
            if let Some(name) = self.child(at, F::Name) {
                names.push(self.intern(name).0);
            }
            match self.child(at, F::Path) {
                Some(inner) => at = inner,
                None => {
                    rooted = true;
                    break;
                }
            }
        }
        names.reverse();
        if rooted {
            let root = self.b.unit.intern("::");
            return self.named(root, &names, args);
        }
        let base = match self.kind(at) {
            K::Identifier | K::TypeIdentifier | K::ShorthandField if self.text(at) != "Self" => {
                let head = self.intern(at);
                return self.named(head, &names, args);
            }
            K::Identifier | K::TypeIdentifier => self.self_ty,
            K::SelfWord | K::SuperWord | K::CrateWord => {
                let head = self.intern(at);
                return self.named(head, &names, args);
            }
            K::Metavariable => {
                let text = if self.text(at) == "$crate" {
                    "crate"
                } else {
                    ""
                };
                let head = self.b.unit.intern(text);
                return self.named(head, &names, args);
            }
            K::Bracketed => self.bracketed(at, Context::TYPE),
            _ => self.ty_in(at, Context::TYPE),
        };
        self.members_of(base, &names)
    }

    fn named(&mut self, head: StrId, names: &[u32], args: List) -> TypeId {
        if head == StrId::EMPTY {
            return TypeId::UNKNOWN;
        }
        let path = self.b.list(names);
        self.b.named_type(self.scope, head, path, args)
    }

    /// `Base::a::b` as types.
    pub(super) fn members_of(&mut self, base: TypeId, names: &[u32]) -> TypeId {
        let mut base = base;
        for name in names {
            if base == TypeId::UNKNOWN {
                return base;
            }
            base = self.b.ty(TypeExpr::Member {
                base,
                name: StrId(*name),
            });
        }
        base
    }

    /// The value that a path names; its use is recorded by whoever asked.
    pub(super) fn path(&mut self, at: Syntax<'t>) -> ExprId {
        match self.kind(at) {
            K::ScopedIdentifier | K::ScopedType => {
                let Some(name) = self.child(at, F::Name) else {
                    return ExprId::UNKNOWN;
                };
                let name = self.intern(name);
                let ty = match self.child(at, F::Path) {
                    Some(inner) => self.path_type(inner, List::EMPTY),
                    None => {
                        let root = self.b.unit.intern("::");
                        self.named(root, &[], List::EMPTY)
                    }
                };
                self.member_of_type(ty, name)
            }
            K::GenericType | K::GenericPattern | K::GenericTurbofish => {
                if let Some(args) = self.child(at, F::TypeArguments) {
                    self.type_arguments(args);
                }
                match self.child(at, F::Type).or_else(|| at.named_child(0)) {
                    Some(inner) if inner.id() != at.id() => self.path(inner),
                    _ => ExprId::UNKNOWN,
                }
            }
            K::SelfWord => {
                let name = self.b.unit.intern("self");
                self.b.name(self.scope, name)
            }
            K::Identifier | K::TypeIdentifier if self.text(at) == "Self" => {
                let ty = self.self_ty;
                if ty == TypeId::UNKNOWN {
                    return ExprId::UNKNOWN;
                }
                self.b.expr(Expr::TypeName { ty })
            }
            K::Identifier | K::TypeIdentifier | K::ShorthandField => {
                let name = self.intern(at);
                self.b.name(self.scope, name)
            }
            _ => ExprId::UNKNOWN,
        }
    }

    /// `Type::name` as a value.
    pub(super) fn member_of_type(&mut self, ty: TypeId, name: StrId) -> ExprId {
        if ty == TypeId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        let base = self.b.expr(Expr::TypeName { ty });
        self.b.member(base, name)
    }
}

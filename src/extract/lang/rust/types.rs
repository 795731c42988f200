//! Written types, bounds and type parameters.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Walker, line_of};
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{BindingId, Bound, ExprId, List, RefTarget, Space, TypeExpr, TypeId};
use crate::model::label::{Context, Relation};

impl<'t> Walker<'t> {
    /// A type in a position; the names in it are noted as references.
    pub(super) fn ty_in(&mut self, at: Syntax<'t>, context: Context) -> TypeId {
        if !self.deeper() {
            return TypeId::UNKNOWN;
        }
        let ty = self.ty_now(at, context);
        self.depth -= 1;
        ty
    }

    fn ty_now(&mut self, at: Syntax<'t>, context: Context) -> TypeId {
        match self.kind(at) {
            K::TypeIdentifier | K::Identifier => {
                let text = self.text(at);
                match text {
                    "Self" => self.self_ty,
                    "_" => TypeId::UNKNOWN,
                    _ => {
                        let name = self.intern(at);
                        let ty = self
                            .b
                            .named_type(self.scope, name, List::EMPTY, List::EMPTY);
                        self.refer_type(ty, context, at);
                        ty
                    }
                }
            }
            K::Primitive => {
                let text = self.text(at);
                self.raw_type(text)
            }
            K::ScopedType | K::ScopedIdentifier => {
                let ty = self.path_type(at, List::EMPTY);
                self.refer_type(ty, context, at);
                ty
            }
            K::GenericType | K::GenericTurbofish => {
                let args = match self.child(at, F::TypeArguments) {
                    Some(args) => self.type_arguments(args),
                    None => List::EMPTY,
                };
                let Some(name) = self.child(at, F::Type) else {
                    return TypeId::UNKNOWN;
                };
                let ty = self.path_type(name, args);
                self.refer_type(ty, context, at);
                ty
            }
            K::ReferenceType | K::PointerType => self
                .child(at, F::Type)
                .map_or(TypeId::UNKNOWN, |t| self.ty_in(t, context)),
            K::ArrayType => {
                let element = self
                    .child(at, F::Element)
                    .map_or(TypeId::UNKNOWN, |t| self.ty_in(t, context));
                if let Some(length) = self.child(at, F::Length) {
                    self.expression(length);
                }
                self.b.ty(TypeExpr::Sequence(element))
            }
            K::TupleType => {
                let types = self.types_of(at, context);
                let list = self.b.list(&types);
                self.b.ty(TypeExpr::Tuple(list))
            }
            K::UnitType => self.b.ty(TypeExpr::Tuple(List::EMPTY)),
            K::FunctionType => self.function_type(at),
            K::AbstractType | K::DynamicType => self
                .child(at, F::Trait)
                .map_or(TypeId::UNKNOWN, |t| self.ty_in(t, context)),
            K::HigherRanked | K::QualifiedType => self
                .child(at, F::Type)
                .map_or(TypeId::UNKNOWN, |t| self.ty_in(t, context)),
            K::BoundedType => {
                let types = self.types_of(at, context);
                self.all_of(&types)
            }
            K::Bracketed => self.bracketed(at, context),
            _ => TypeId::UNKNOWN,
        }
    }

    /// All of several types; one stands for itself.
    fn all_of(&mut self, types: &[u32]) -> TypeId {
        match types {
            [] => TypeId::UNKNOWN,
            [one] => TypeId(*one),
            all => {
                let list = self.b.list(all);
                self.b.ty(TypeExpr::Intersection(list))
            }
        }
    }

    fn types_of(&mut self, at: Syntax<'t>, context: Context) -> Vec<u32> {
        let mut types = Vec::new();
        for kid in self.kids(at) {
            if !matches!(kid.kind, K::Lifetime | K::RemovedBound | K::Attribute) {
                types.push(self.ty_in(kid.node, context).0);
            }
        }
        types
    }

    /// `<T>` and `<T as Trait>` at the head of a path.
    pub(super) fn bracketed(&mut self, at: Syntax<'t>, context: Context) -> TypeId {
        let Some(inner) = self.kids(at).first().copied() else {
            return TypeId::UNKNOWN;
        };
        if inner.kind != K::QualifiedType {
            return self.ty_in(inner.node, context);
        }
        let part = |w: &mut Self, field| {
            w.child(inner.node, field)
                .map_or(TypeId::UNKNOWN, |t| w.ty_in(t, context))
        };
        let ty = part(self, F::Type);
        let of_trait = part(self, F::Alias);
        self.b.ty(TypeExpr::Qualified { ty, of_trait })
    }

    /// `fn(A) -> B`, `Fn(A) -> B`.
    fn function_type(&mut self, at: Syntax<'t>) -> TypeId {
        let function = self.b.function(LocalNode::UNIT);
        let mut params = Vec::new();
        if let Some(list) = self.child(at, F::Parameters) {
            for kid in self.kids(list) {
                let ty = match kid.kind {
                    K::Parameter => self.child(kid.node, F::Type),
                    K::Lifetime | K::Attribute => None,
                    _ => Some(kid.node),
                };
                if let Some(ty) = ty {
                    params.push(self.ty_in(ty, Context::PARAMETER_TYPE).0);
                }
            }
        }
        let result = match self.child(at, F::ReturnType) {
            Some(result) => self.ty_in(result, Context::RETURN_TYPE),
            None => self.b.ty(TypeExpr::Tuple(List::EMPTY)),
        };
        let params = self.b.list(&params);
        if let Some(f) = self.b.function_mut(function) {
            f.params = params;
            f.result = result;
        }
        self.b.ty(TypeExpr::Function(function))
    }

    fn refer_type(&mut self, ty: TypeId, context: Context, at: Syntax<'_>) {
        let relation = self.type_relation;
        self.refer(RefTarget::Type(ty), relation, context, line_of(at));
    }

    /// Written type arguments; lifetimes are left out.
    pub(super) fn type_arguments(&mut self, at: Syntax<'t>) -> List {
        let outer = std::mem::replace(&mut self.type_relation, Relation::REFERENCES);
        let mut types = Vec::new();
        for kid in self.kids(at) {
            match kid.kind {
                K::Lifetime => {}
                K::TypeBinding => {
                    let Some(name) = self.child(kid.node, F::Name) else {
                        continue;
                    };
                    let name = self.intern(name);
                    let ty = self
                        .child(kid.node, F::Type)
                        .map_or(TypeId::UNKNOWN, |t| self.ty_in(t, Context::GENERIC_ARG));
                    types.push(self.b.ty(TypeExpr::Assoc { name, ty }).0);
                }
                K::Block => {
                    self.block(kid.node);
                    types.push(0);
                }
                _ => types.push(self.ty_in(kid.node, Context::GENERIC_ARG).0),
            }
        }
        self.type_relation = outer;
        self.b.list(&types)
    }

    /// The types of a list of bounds.
    pub(super) fn bound_list(&mut self, at: Syntax<'t>, context: Context) -> Vec<u32> {
        let mut types = self.types_of(at, context);
        types.retain(|t| *t != 0);
        types
    }

    /// Binds the type parameters of an item in the scope that is open, with their bounds.
    pub(super) fn type_parameters(&mut self, at: Syntax<'t>) -> List {
        let mut params: Vec<(StrId, Vec<u32>, TypeId)> = Vec::new();
        let kids = self.kids(at);
        for kid in kids.iter().filter(|k| k.kind == K::TypeParameters) {
            for param in self.kids(kid.node) {
                let Some(name) = self.child(param.node, F::Name) else {
                    continue;
                };
                match param.kind {
                    K::TypeParameter => {
                        let name = self.intern(name);
                        let bounds = match self.child(param.node, F::Bounds) {
                            Some(bounds) => self.bound_list(bounds, Context::TYPE),
                            None => Vec::new(),
                        };
                        let default = self
                            .child(param.node, F::DefaultType)
                            .map_or(TypeId::UNKNOWN, |t| self.ty_in(t, Context::TYPE));
                        params.push((name, bounds, default));
                    }
                    K::ConstParameter => {
                        let name = self.intern(name);
                        params.push((name, Vec::new(), TypeId::UNKNOWN));
                        self.local(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
                    }
                    _ => {}
                }
            }
        }
        for clause in kids.iter().filter(|k| k.kind == K::WhereClause) {
            for predicate in self.kids(clause.node) {
                let Some(bounds) = self.child(predicate.node, F::Bounds) else {
                    continue;
                };
                let bounds = self.bound_list(bounds, Context::TYPE);
                let Some(left) = self.child(predicate.node, F::Left) else {
                    continue;
                };
                if self.kind(left) != K::TypeIdentifier {
                    self.ty_in(left, Context::TYPE);
                    continue;
                }
                let name = self.intern(left);
                if let Some(param) = params.iter_mut().find(|p| p.0 == name) {
                    param.1.extend(bounds);
                }
            }
        }
        let mut ids = Vec::with_capacity(params.len());
        for (name, bounds, default) in params {
            let bound = self.all_of(&bounds);
            let bound = Bound::TypeParam { bound, default };
            let id: BindingId = self.b.bind(self.scope, name, Space::Type, bound);
            ids.push(id.0);
        }
        self.b.list(&ids)
    }

    /// Whether a written type leaves something open (`Vec<_>`).
    pub(super) fn has_hole(&self, ty: TypeId) -> bool {
        self.hole(ty, 0)
    }

    fn hole(&self, ty: TypeId, depth: u32) -> bool {
        if ty == TypeId::UNKNOWN || depth > 8 {
            return true;
        }
        let facts = &self.b.unit.facts;
        let any = |list| {
            facts
                .list(list)
                .iter()
                .any(|t| self.hole(TypeId(*t), depth + 1))
        };
        match facts.ty(ty) {
            TypeExpr::Free { args, .. } | TypeExpr::Bound { args, .. } => any(args),
            TypeExpr::Tuple(list) => any(list),
            TypeExpr::Sequence(element) => self.hole(element, depth + 1),
            _ => false,
        }
    }
}

//! Written types.

use super::flat::Id;
use super::kinds::{Field, Role};
use super::walker::Walker;
use crate::ids::LocalNode;
use crate::model::facts::{List, RefTarget, TypeExpr, TypeId};
use crate::model::label::{Context, Relation};

/// How many names a qualified type may have.
const PATH_LIMIT: usize = 64;

impl Walker<'_> {
    /// A written type with references to what it names.
    pub(super) fn ty(&mut self, id: Id, context: Context) -> TypeId {
        let outer = std::mem::replace(&mut self.type_context, context);
        let owner = self.owner;
        let line = self.line(id);
        let ty = self.written(id, owner);
        self.type_reference(ty, line);
        self.type_context = outer;
        ty
    }

    /// A written type whose names are those of `node`'s surroundings. What its arguments name is referred to in that
    /// context; the type itself is the caller's.
    pub(super) fn type_named(&mut self, id: Id, node: LocalNode, arguments: Context) -> TypeId {
        let outer = std::mem::replace(&mut self.type_context, arguments);
        let ty = self.written(id, node);
        self.type_context = outer;
        ty
    }

    /// A part of a type, with a reference to it.
    fn inner(&mut self, id: Id, node: LocalNode) -> TypeId {
        let line = self.line(id);
        let ty = self.written(id, node);
        self.type_reference(ty, line);
        ty
    }

    fn type_reference(&mut self, ty: TypeId, line: u32) {
        if matches!(
            self.b.unit.facts.ty(ty),
            TypeExpr::Implied { .. } | TypeExpr::Free { .. }
        ) {
            let context = self.type_context;
            self.refer(RefTarget::Type(ty), Relation::REFERENCES, context, line);
        }
    }

    /// The type under `id`, without a reference to itself.
    fn written(&mut self, id: Id, node: LocalNode) -> TypeId {
        if !self.deeper() {
            return TypeId::UNKNOWN;
        }
        let ty = self.written_now(id, node);
        self.higher();
        ty
    }

    fn written_now(&mut self, id: Id, node: LocalNode) -> TypeId {
        match self.flat.role(id) {
            Role::TypeName | Role::Name | Role::ScopedType | Role::ScopedName => {
                self.named(id, node, List::EMPTY)
            }
            Role::GenericType => {
                let mut args = List::EMPTY;
                let mut head = None;
                for child in self.flat.children(id) {
                    match self.flat.role(child) {
                        Role::TypeArgs => args = self.type_arguments_in(child, node),
                        Role::Annotation | Role::Comment => {}
                        _ => head = head.or(Some(child)),
                    }
                }
                head.map_or(TypeId::UNKNOWN, |head| self.named(head, node, args))
            }
            Role::UserType => {
                let args = self
                    .flat
                    .children(id)
                    .filter(|c| self.flat.role(*c) == Role::TypeArgs)
                    .last();
                let args = args.map_or(List::EMPTY, |a| self.type_arguments_in(a, node));
                self.named(id, node, args)
            }
            Role::UnionType => {
                let mut all = Vec::new();
                for child in self.flat.children(id) {
                    if self.is_type(child) && self.flat.role(child) != Role::BuiltinType {
                        all.push(self.inner(child, node).0);
                    }
                }
                match all.as_slice() {
                    [] => self.b.ty(TypeExpr::Builtin),
                    [one] => TypeId(*one),
                    _ => {
                        let list = self.b.list(&all);
                        self.b.ty(TypeExpr::Union(list))
                    }
                }
            }
            Role::FunctionType => self.function_type(id, node),
            Role::ArrayType => {
                let element = self.first_type(id);
                let element = element.map_or(TypeId::UNKNOWN, |e| self.inner(e, node));
                self.b.ty(TypeExpr::Sequence(element))
            }
            Role::MapType => {
                let mut args = Vec::new();
                for child in self.flat.children(id) {
                    if self.flat.role(child).is_type() {
                        args.push(self.inner(child, node).0);
                    }
                }
                let args = self.b.list(&args);
                let name = self.b.unit.intern("Dictionary");
                let scope = self.scope;
                self.b.implied_type(scope, node, &[name.0], args)
            }
            Role::BuiltinType => self.b.ty(TypeExpr::Builtin),
            Role::TupleType => {
                let mut elements = Vec::new();
                for child in self.flat.children(id) {
                    if self.flat.role(child).is_type() || self.flat.role(child) == Role::Name {
                        elements.push(self.inner(child, node).0);
                    }
                }
                let list = self.b.list(&elements);
                self.b.ty(TypeExpr::Tuple(list))
            }
            Role::TypeGroup => {
                let mut first = TypeId::UNKNOWN;
                for child in self.flat.children(id) {
                    // A part's own name is no type of it.
                    let named = self.flat.field(child) == Field::Name
                        && self.flat.role(child) == Role::Name;
                    if !named && self.is_type(child) {
                        let ty = if first == TypeId::UNKNOWN {
                            let ty = self.written(child, node);
                            first = ty;
                            // Of several the first alone is the caller's to refer to.
                            continue;
                        } else {
                            self.inner(child, node)
                        };
                        if first == TypeId::UNKNOWN {
                            first = ty;
                        }
                    }
                }
                first
            }
            _ => TypeId::UNKNOWN,
        }
    }

    /// `(A, B) -> R`
    fn function_type(&mut self, id: Id, node: LocalNode) -> TypeId {
        let function = self.b.function(LocalNode::UNIT);
        let mut params: Vec<u32> = Vec::new();
        let mut result = TypeId::UNKNOWN;
        for child in self.flat.children(id) {
            if self.flat.role(child) == Role::Params {
                for param in self.flat.children(child) {
                    let ty = match self.flat.role(param) {
                        Role::Param => {
                            let mut parts = self.flat.children(param);
                            let written = parts.find(|c| self.flat.role(*c).is_type());
                            written.map_or(TypeId::UNKNOWN, |t| self.inner(t, node))
                        }
                        role if role.is_type() => self.inner(param, node),
                        _ => continue,
                    };
                    params.push(ty.0);
                }
            } else if self.flat.role(child).is_type() {
                result = self.inner(child, node);
            }
        }
        let list = self.b.list(&params);
        if let Some(f) = self.b.function_mut(function) {
            f.params = list;
            f.result = result;
        }
        self.b.ty(TypeExpr::Function(function))
    }

    fn first_type(&self, id: Id) -> Option<Id> {
        let typed = self.flat.child(id, Field::Type);
        typed.or_else(|| {
            let mut parts = self.flat.children(id);
            parts.find(|c| self.is_type(*c))
        })
    }

    /// Whether a part of a type is a type itself: some grammars write types as plain names.
    fn is_type(&self, id: Id) -> bool {
        let role = self.flat.role(id);
        role.is_type() || matches!(role, Role::Name | Role::ScopedName)
    }

    /// A type by its name.
    fn named(&mut self, id: Id, node: LocalNode, args: List) -> TypeId {
        let mut path = Vec::new();
        self.path(id, &mut path);
        let first = path.first().map(|s| crate::ids::StrId(*s));
        let Some(first) = first else {
            return TypeId::UNKNOWN;
        };
        if path.len() == 1 && self.is_inferred(first) {
            return TypeId::UNKNOWN;
        }
        if let [only] = path.as_slice()
            && let Some(ty) = self.self_type(crate::ids::StrId(*only))
        {
            return ty;
        }
        let scope = self.scope;
        self.b.implied_type(scope, node, &path, args)
    }

    /// Words for the type around, in languages that have them.
    fn self_type(&mut self, name: crate::ids::StrId) -> Option<TypeId> {
        use crate::model::label::Language;
        let word = matches!(
            (self.spec.language, self.b.unit.text(name)),
            (Language::PHP, "self" | "static") | (Language::SWIFT, "Self")
        );
        if !word || self.class == LocalNode::UNIT {
            return None;
        }
        let node = self.class;
        Some(self.b.ty(TypeExpr::SelfType { node }))
    }

    /// A word in place of a type that leaves it to be inferred.
    fn is_inferred(&self, name: crate::ids::StrId) -> bool {
        matches!(self.b.unit.text(name), "var" | "val")
    }

    /// The names of a qualified type from left to right, arguments left out.
    fn path(&mut self, id: Id, path: &mut Vec<u32>) {
        match self.flat.role(id) {
            Role::TypeName | Role::Name if path.len() < PATH_LIMIT => {
                let name = self.intern(id);
                // `global::A` is `A` seen from the root of all names.
                if self.b.unit.text(name) != "global" {
                    path.push(name.0);
                }
            }
            Role::ScopedType | Role::ScopedName | Role::GenericType | Role::UserType
                if self.deeper() =>
            {
                for child in self.flat.children(id) {
                    self.path(child, path);
                }
                self.higher();
            }
            _ => {}
        }
    }

    /// Written type arguments.
    pub(super) fn type_arguments(&mut self, id: Id) -> List {
        let node = self.owner;
        self.type_arguments_in(id, node)
    }

    fn type_arguments_in(&mut self, id: Id, node: LocalNode) -> List {
        let outer = std::mem::replace(&mut self.type_context, Context::GENERIC_ARG);
        let mut args = Vec::new();
        for child in self.flat.children(id) {
            if self.is_type(child) {
                args.push(self.inner(child, node).0);
            }
        }
        self.type_context = outer;
        self.b.list(&args)
    }
}

//! Written types: each name in them is a reference, and the whole is evidence for what a value is.

use super::kinds::{F, K};
use super::walker::{Expect, Walker};
use crate::ids::LocalNode;
use crate::model::facts::{
    Bound, ExprId, FunctionFlags, FunctionId, Imported, List, RefTarget, Space, TypeExpr, TypeId,
};
use crate::model::label::{Context, Relation};

impl Walker<'_> {
    /// The annotation (`: T`) under the cursor.
    pub(super) fn type_annotation(&mut self, context: Context) -> TypeId {
        let outer = std::mem::replace(&mut self.type_context, context);
        let alias = self.alias.take();
        let ty = match self.kind() {
            K::TypeAnnotation
            | K::OptingTypeAnnotation
            | K::OmittingTypeAnnotation
            | K::AddingTypeAnnotation
            | K::TypePredicateAnnotation
            | K::AssertsAnnotation
            | K::Constraint
            | K::DefaultType => self.only_type(),
            _ => self.ty(),
        };
        self.alias = alias;
        self.type_context = outer;
        ty
    }

    /// The type under the cursor in a position of its own.
    pub(super) fn ty_in(&mut self, context: Context) -> TypeId {
        let outer = std::mem::replace(&mut self.type_context, context);
        let ty = self.ty();
        self.type_context = outer;
        ty
    }

    /// The only type among the children.
    fn only_type(&mut self) -> TypeId {
        let mut ty = TypeId::UNKNOWN;
        self.each(|w, kind| {
            if w.node().is_named() && kind != K::Comment {
                ty = w.ty();
            }
        });
        ty
    }

    fn types(&mut self) -> Vec<u32> {
        let mut types = Vec::new();
        self.each(|w, kind| {
            if w.node().is_named() && kind != K::Comment {
                types.push(w.ty().0);
            }
        });
        types
    }

    /// `<A, B>`.
    pub(super) fn type_arguments(&mut self) -> List {
        let context = std::mem::replace(&mut self.type_context, Context::GENERIC_ARG);
        let relation = std::mem::replace(&mut self.type_relation, Relation::REFERENCES);
        let alias = self.alias.take();
        let types = self.types();
        self.alias = alias;
        self.type_relation = relation;
        self.type_context = context;
        self.b.list(&types)
    }

    /// `<T extends A = B>`: bound in the innermost scope.
    pub(super) fn type_parameters(&mut self) -> List {
        let mut bindings: Vec<u32> = Vec::new();
        self.each(|w, kind| {
            if kind != K::TypeParameter {
                return;
            }
            let Some(name) = w.child(F::Name) else {
                return;
            };
            let name = w.b.unit.intern(w.text_of(name));
            let (mut bound, mut default) = (TypeId::UNKNOWN, TypeId::UNKNOWN);
            w.each(|w, kind| match kind {
                K::Constraint => bound = w.type_annotation(Context::TYPE),
                K::DefaultType => default = w.type_annotation(Context::TYPE),
                _ => {}
            });
            let scope = w.scope;
            let binding = w.b.bind(
                scope,
                name,
                Space::Type,
                Bound::TypeParam { bound, default },
            );
            bindings.push(binding.0);
        });
        self.b.list(&bindings)
    }

    /// The type under the cursor.
    pub(super) fn ty(&mut self) -> TypeId {
        if !self.deeper() {
            return TypeId::UNKNOWN;
        }
        let ty = self.ty_unchecked();
        self.depth -= 1;
        ty
    }

    fn ty_unchecked(&mut self) -> TypeId {
        match self.kind() {
            K::TypeIdentifier | K::Identifier => self.type_name(List::EMPTY),
            K::NestedTypeIdentifier | K::NestedIdentifier | K::MemberExpression => {
                self.nested_name(List::EMPTY)
            }
            K::GenericType => self.generic(),
            K::PredefinedType => match self.text() {
                "any" | "unknown" | "object" | "void" | "never" => TypeId::UNKNOWN,
                _ => self.b.ty(TypeExpr::Builtin),
            },
            K::LiteralType => {
                let nothing = matches!(self.text(), "null" | "undefined");
                if nothing {
                    TypeId::UNKNOWN
                } else {
                    self.b.ty(TypeExpr::Builtin)
                }
            }
            K::TemplateLiteralType => {
                self.all_types();
                self.b.ty(TypeExpr::Builtin)
            }
            K::ArrayType => {
                let element = self.only_type();
                self.b.ty(TypeExpr::Sequence(element))
            }
            K::TupleType => {
                let types = self.types();
                let list = self.b.list(&types);
                self.b.ty(TypeExpr::Tuple(list))
            }
            // Elements of tuples may be named like parameters.
            K::RequiredParameter | K::OptionalParameter => {
                let mut ty = TypeId::UNKNOWN;
                self.each(|w, _| {
                    if w.field() == F::Type {
                        ty = w.only_type();
                    }
                });
                ty
            }
            K::ReadonlyType
            | K::OptionalType
            | K::RestType
            | K::ParenthesizedType
            | K::TypeAnnotation => self.only_type(),
            K::UnionType => self.union(),
            K::IntersectionType => {
                let types = self.members_of(K::IntersectionType);
                let list = self.b.list(&types);
                self.b.ty(TypeExpr::Intersection(list))
            }
            K::FunctionType | K::ConstructorType => {
                let constructs = self.kind() == K::ConstructorType;
                let alias = self.alias.take();
                let function = self.signature(constructs);
                self.alias = alias;
                self.b.ty(TypeExpr::Function(function))
            }
            K::ObjectType => self.object_type(),
            K::TypeQuery => self.type_query(),
            K::LookupType => self.lookup(),
            K::ThisType | K::This => self.b.ty(TypeExpr::SelfType { node: self.owner }),
            K::ConditionalType => {
                let alias = self.alias.take();
                self.in_block(|w| w.conditional());
                self.alias = alias;
                TypeId::UNKNOWN
            }
            K::InferType => {
                self.infer();
                TypeId::UNKNOWN
            }
            K::TypePredicate | K::Asserts => {
                self.each(|w, _| {
                    if w.field() == F::Type || w.kind() == K::TypePredicate {
                        w.ty();
                    }
                });
                self.b.ty(TypeExpr::Builtin)
            }
            K::Comment | K::String | K::Number => TypeId::UNKNOWN,
            _ => {
                self.all_types();
                TypeId::UNKNOWN
            }
        }
    }

    /// The types inside something of which only the names matter.
    fn all_types(&mut self) {
        let alias = self.alias.take();
        self.each(|w, kind| {
            if w.node().is_named() && kind != K::Comment {
                w.ty();
            }
        });
        self.alias = alias;
    }

    fn refer_type(&mut self, ty: TypeId) {
        let line = self.line();
        let (relation, context) = (self.type_relation, self.type_context);
        self.refer(RefTarget::Type(ty), relation, context, line);
    }

    fn type_name(&mut self, args: List) -> TypeId {
        let name = self.intern();
        let ty = self.b.named_type(self.scope, name, List::EMPTY, args);
        self.refer_type(ty);
        ty
    }

    /// `A.B.C`.
    fn nested_name(&mut self, args: List) -> TypeId {
        let text = self.text();
        let mut parts = text.split('.').map(str::trim);
        let head = parts.next().unwrap_or_default();
        let head = self.b.unit.intern(head);
        let path: Vec<u32> = parts.map(|p| self.b.unit.intern(p).0).collect();
        let path = self.b.list(&path);
        let ty = self.b.named_type(self.scope, head, path, args);
        self.refer_type(ty);
        ty
    }

    fn generic(&mut self) -> TypeId {
        // The arguments come last; the name needs them.
        let mut name: Option<tree_sitter::Node<'_>> = None;
        let mut args = List::EMPTY;
        self.each(|w, kind| match kind {
            K::TypeArguments => args = w.type_arguments(),
            _ if w.field() == F::Name => name = Some(w.node()),
            _ => {}
        });
        let Some(name) = name else {
            return TypeId::UNKNOWN;
        };
        let text = self.text_of(name);
        let mut parts = text.split('.').map(str::trim);
        let head = self.b.unit.intern(parts.next().unwrap_or_default());
        let path: Vec<u32> = parts.map(|p| self.b.unit.intern(p).0).collect();
        let path = self.b.list(&path);
        let ty = self.b.named_type(self.scope, head, path, args);
        self.refer_type(ty);
        ty
    }

    /// The members of a union or intersection, which the grammar nests to the left.
    fn members_of(&mut self, kind: K) -> Vec<u32> {
        let mut types = Vec::new();
        let mut depth = 0;
        while self.kind() == kind && self.cursor.goto_first_child() {
            depth += 1;
        }
        for step in 0..depth {
            loop {
                // What was just come up from is done already.
                let done = step > 0 && self.kind() == kind;
                if !done && self.node().is_named() && self.kind() != K::Comment {
                    let ty = self.ty();
                    types.push(ty.0);
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        types
    }

    fn union(&mut self) -> TypeId {
        let mut types = self.members_of(K::UnionType);
        types.retain(|t| *t != TypeId::UNKNOWN.0);
        match types.as_slice() {
            [] => TypeId::UNKNOWN,
            [one] => TypeId(*one),
            _ => {
                let list = self.b.list(&types);
                self.b.ty(TypeExpr::Union(list))
            }
        }
    }

    /// The signature under the cursor: of a type, an interface's call or construction.
    pub(super) fn signature(&mut self, constructs: bool) -> FunctionId {
        let function = self.b.function(LocalNode::UNIT);
        let mut flags = if constructs {
            FunctionFlags::CONSTRUCTS
        } else {
            0
        };
        let context = self.type_context;
        let relation = std::mem::replace(&mut self.type_relation, Relation::REFERENCES);
        self.in_block(|w| {
            w.each(|w, kind| match kind {
                K::TypeParameters => {
                    let list = w.type_parameters();
                    if let Some(f) = w.b.function_mut(function) {
                        f.type_params = list;
                    }
                }
                K::FormalParameters => {
                    w.parameters(function, &mut flags, None);
                }
                _ => match w.field() {
                    F::ReturnType | F::Type => w.result_type(function, &mut flags),
                    _ => {}
                },
            });
        });
        self.type_relation = relation;
        self.type_context = context;
        if let Some(f) = self.b.function_mut(function) {
            f.flags |= flags;
        }
        function
    }

    /// `{ a: A; m(): B }`: members of the alias that it stands in, or a shape of its own.
    fn object_type(&mut self) -> TypeId {
        if let Some(alias) = self.alias {
            let owner = std::mem::replace(&mut self.owner, alias);
            self.type_members(alias);
            self.owner = owner;
            return self.b.ty(TypeExpr::Members(alias));
        }
        let mut members: Vec<u32> = Vec::new();
        let context = self.type_context;
        self.each(|w, kind| match kind {
            K::PropertySignature => {
                let mut ty = TypeId::UNKNOWN;
                let mut name = None;
                w.each(|w, _| match w.field() {
                    F::Name => name = Some(w.property_name()),
                    F::Type => ty = w.type_annotation(context),
                    _ => {}
                });
                if let Some(name) = name {
                    members.extend([name.0, ty.0]);
                }
            }
            K::MethodSignature => {
                let name = w.child(F::Name).map(|n| w.text_of(n));
                let function = w.signature(false);
                let ty = w.b.ty(TypeExpr::Function(function));
                if let Some(name) = name {
                    let name = w.b.unit.intern(super::literals::bare(name));
                    members.extend([name.0, ty.0]);
                }
            }
            K::IndexSignature => {
                let mut ty = TypeId::UNKNOWN;
                w.each(|w, kind| {
                    if matches!(kind, K::TypeAnnotation | K::OptingTypeAnnotation) {
                        ty = w.type_annotation(context);
                    } else if kind == K::MappedTypeClause {
                        w.each(|w, _| {
                            if w.field() == F::Type {
                                w.ty();
                            }
                        });
                    }
                });
                members.extend([crate::ids::StrId::EMPTY.0, ty.0]);
            }
            K::CallSignature | K::ConstructSignature => {
                let function = w.signature(kind == K::ConstructSignature);
                let ty = w.b.ty(TypeExpr::Function(function));
                let name = w.b.unit.intern("()");
                members.extend([name.0, ty.0]);
            }
            K::Error => w.errors += 1,
            _ => {}
        });
        let list = self.b.list(&members);
        self.b.ty(TypeExpr::Object(list))
    }

    /// `typeof value`, and `typeof import("m")`.
    fn type_query(&mut self) -> TypeId {
        let mut value = ExprId::UNKNOWN;
        self.each(|w, kind| {
            if !w.node().is_named() || kind == K::Comment {
                return;
            }
            if kind == K::TypeArguments {
                w.type_arguments();
                return;
            }
            if kind == K::CallExpression {
                value = w.callee();
                return;
            }
            value = w.expression_in(&Expect::Nothing, Context::TYPE);
        });
        self.type_of(value)
    }

    /// `T["name"]`, `T[number]`.
    fn lookup(&mut self) -> TypeId {
        let mut base = None;
        let mut key = None;
        self.each(|w, kind| {
            if !w.node().is_named() || kind == K::Comment {
                return;
            }
            if base.is_none() {
                base = Some(w.ty());
            } else {
                let text = w.text();
                let quoted = text.starts_with(['"', '\'']);
                if quoted {
                    key = Some(w.b.unit.intern(super::literals::bare(text)));
                } else {
                    w.ty();
                }
            }
        });
        let base = base.unwrap_or_default();
        if base == TypeId::UNKNOWN {
            return base;
        }
        match key {
            Some(name) => self.b.ty(TypeExpr::Member { base, name }),
            None => self.b.ty(TypeExpr::Element(base)),
        }
    }

    fn conditional(&mut self) {
        self.each(|w, kind| {
            if w.node().is_named() && kind != K::Comment {
                w.ty();
            }
        });
    }

    /// `infer T` binds a name for the rest of the condition.
    fn infer(&mut self) {
        let mut first = true;
        self.each(|w, kind| {
            if kind == K::TypeIdentifier && first {
                first = false;
                let name = w.intern();
                let scope = w.scope;
                let bound = Bound::TypeParam {
                    bound: TypeId::UNKNOWN,
                    default: TypeId::UNKNOWN,
                };
                w.b.bind(scope, name, Space::Type, bound);
            } else if w.node().is_named() {
                w.ty();
            }
        });
    }

    /// A type of another module, by a path of names.
    #[allow(dead_code)]
    pub(super) fn imported_type(&mut self, module: &str, path: &[u32], args: List) -> TypeId {
        let line = self.line();
        let module = self.b.unit.intern(module);
        let import = self.add_import(module, Imported::Whole, true, false, line);
        let path = self.b.list(path);
        self.b.ty(TypeExpr::Imported { import, path, args })
    }
}

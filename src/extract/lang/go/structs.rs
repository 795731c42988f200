//! The members of structs and interfaces, and what they embed.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::ids::LocalNode;
use crate::model::facts::{Expr, RefTarget, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

impl<'t> Walker<'t> {
    /// The fields of the struct type under the cursor, as members of `node`.
    pub(super) fn struct_members(&mut self, node: LocalNode) {
        let mut bases: Vec<u32> = Vec::new();
        self.each(|w, kind| {
            if kind == K::FieldDeclarationList {
                w.each_item(|w, kind| {
                    if kind == K::FieldDeclaration {
                        w.field_declaration(node, &mut bases);
                    }
                });
            }
        });
        self.b.def(node).bases = self.b.list(&bases);
    }

    fn field_declaration(&mut self, node: LocalNode, bases: &mut Vec<u32>) {
        let at = self.node();
        if self.child(F::Name).is_none() {
            return self.embedded_field(node, bases);
        }
        let mut fields: Vec<LocalNode> = Vec::new();
        let mut ty = TypeId::UNKNOWN;
        let head_end = self.child(F::Type).map_or(at.end_byte(), |t| {
            if self.kind_of(t) == K::StructType {
                t.start_byte() + "struct".len()
            } else {
                t.end_byte()
            }
        });
        self.each_part(|w, _| match w.field() {
            F::Name => {
                let name = w.text();
                let flags = NodeFlags::default();
                fields.push(w.define(name, NodeKind::FIELD, node, at, head_end, flags));
            }
            F::Type => {
                let owner = fields.first().copied().unwrap_or(node);
                ty = w.owned(owner, |w| w.ty_in(Context::FIELD));
            }
            _ => {}
        });
        for field in fields {
            self.b.def(field).ty = ty;
        }
    }

    /// A field without a name is called like its type, and hands on that type's members.
    fn embedded_field(&mut self, node: LocalNode, bases: &mut Vec<u32>) {
        let at = self.node();
        let Some(written) = self.child(F::Type) else {
            return;
        };
        let name = self.last_name(written);
        let field = self.define(
            name,
            NodeKind::FIELD,
            node,
            at,
            written.end_byte(),
            NodeFlags::default(),
        );
        let mut ty = TypeId::UNKNOWN;
        self.each_part(|w, _| {
            if w.field() == F::Type {
                ty = w.base(node, bases);
            }
        });
        self.b.def(field).ty = ty;
    }

    /// The last name of a written type.
    fn last_name(&self, mut ty: tree_sitter::Node<'t>) -> &'t str {
        for _ in 0..8 {
            let inner = match self.kind_of(ty) {
                K::GenericType => self.child_of(ty, F::Type),
                K::QualifiedType => self.child_of(ty, F::Name),
                K::PointerType | K::ParenthesizedType => ty.named_child(0),
                _ => None,
            };
            match inner {
                Some(inner) => ty = inner,
                None => break,
            }
        }
        self.text_of(ty)
    }

    /// The type under the cursor as one that `node` embeds.
    fn base(&mut self, node: LocalNode, bases: &mut Vec<u32>) -> TypeId {
        let line = self.line();
        let before = self.b.ref_count();
        let ty = self.ty_in(Context::BASE);
        // The head's reference comes first; what stands in type arguments stays a reference.
        if let Some(first) = self.b.unit.facts.refs.get_mut(before)
            && first.target == RefTarget::Type(ty)
        {
            first.relation = Relation::INHERITS;
            first.from = node;
            first.line = line;
        }
        if ty != TypeId::UNKNOWN {
            bases.extend([u32::from(Relation::INHERITS.0), ty.0]);
        }
        ty
    }

    /// The methods of the interface type under the cursor, as members of `node`, and what it embeds.
    pub(super) fn interface_members(&mut self, node: LocalNode) {
        let mut bases: Vec<u32> = Vec::new();
        self.each_item(|w, kind| match kind {
            K::MethodElem => w.interface_method(node),
            K::TypeElem => w.interface_element(node, &mut bases),
            _ => {}
        });
        self.b.def(node).bases = self.b.list(&bases);
    }

    fn interface_method(&mut self, node: LocalNode) {
        let at = self.node();
        let Some(name) = self.child(F::Name).map(|n| self.text_of(n)) else {
            return;
        };
        let flags = NodeFlags::ABSTRACT;
        let method = self.define(name, NodeKind::METHOD, node, at, at.end_byte(), flags);
        let function = self.b.function(method);
        self.b.add_signature(method, function);
        self.owned(method, |w| w.signature(function, &mut Vec::new()));
    }

    /// One embedded interface, or a set of types that a type parameter may be.
    fn interface_element(&mut self, node: LocalNode, bases: &mut Vec<u32>) {
        let element = self.node();
        let single = element.named_child_count() == 1
            && element.named_child(0).is_some_and(|t| {
                matches!(
                    self.kind_of(t),
                    K::TypeIdentifier | K::QualifiedType | K::GenericType
                )
            });
        if !single {
            self.owned(node, |w| w.ty_in(Context::TYPE));
            return;
        }
        self.each_part(|w, _| {
            w.base(node, bases);
        });
    }

    /// The fields of an anonymous struct type under the cursor.
    pub(super) fn anonymous_struct(&mut self) -> TypeId {
        let mut members: Vec<u32> = Vec::new();
        self.each(|w, kind| {
            if kind != K::FieldDeclarationList {
                return;
            }
            w.each(|w, kind| {
                if kind != K::FieldDeclaration {
                    return;
                }
                let mut names = Vec::new();
                let mut ty = TypeId::UNKNOWN;
                w.each_part(|w, _| match w.field() {
                    F::Name => names.push(w.intern()),
                    F::Type => {
                        if names.is_empty() {
                            let name = w.last_name(w.node());
                            names.push(w.b.unit.intern(name));
                        }
                        ty = w.ty_in(Context::FIELD);
                    }
                    _ => {}
                });
                members.extend(names.iter().flat_map(|n| [n.0, ty.0]));
            });
        });
        let list = self.b.list(&members);
        self.b.ty(TypeExpr::Object(list))
    }

    /// The methods of an anonymous interface type under the cursor; the one without any is `any`.
    pub(super) fn anonymous_interface(&mut self) -> TypeId {
        let mut members: Vec<u32> = Vec::new();
        let mut embedded = TypeId::UNKNOWN;
        let mut parts = 0;
        self.each_part(|w, kind| {
            parts += 1;
            match kind {
                K::MethodElem => {
                    let Some(name) = w.child(F::Name).map(|n| w.text_of(n)) else {
                        return;
                    };
                    let name = w.b.unit.intern(name);
                    let ty = w.function_type();
                    members.extend([name.0, ty.0]);
                }
                K::TypeElem => embedded = w.ty(),
                _ => {}
            }
        });
        if parts == 0 {
            return self.any();
        }
        if members.is_empty() {
            return if parts == 1 {
                embedded
            } else {
                TypeId::UNKNOWN
            };
        }
        let list = self.b.list(&members);
        self.b.ty(TypeExpr::Object(list))
    }

    /// The value of a composite literal's type, or of a conversion.
    pub(super) fn typed(&mut self, ty: TypeId) -> crate::model::facts::ExprId {
        if ty == TypeId::UNKNOWN {
            return Default::default();
        }
        self.b.expr(Expr::Typed { ty })
    }
}

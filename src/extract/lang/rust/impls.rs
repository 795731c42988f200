//! `impl` blocks: members that join a type, wherever the type is defined.

use tree_sitter::Node as Syntax;

use super::items::Holder;
use super::kinds::{F, K};
use super::walker::{Before, Walker, line_of, plain};
use crate::ids::LocalNode;
use crate::model::facts::{Impl, TypeId};
use crate::model::label::{Context, NodeKind};
use crate::model::node::NodeFlags;

impl<'t> Walker<'t> {
    pub(super) fn impl_block(&mut self, at: Syntax<'t>, before: &Before<'t>) {
        let Some(ty) = self.child(at, F::Type) else {
            return;
        };
        if !self.deeper() {
            return;
        }
        let (node, by_reference) = self.holder_of(at, ty, before);
        let outer_self = self.self_ty;
        let outer_test = self.in_test;
        self.in_test |= before.test;
        self.inside(node, |w| {
            w.in_scope(|w| {
                let type_params = w.type_parameters(at);
                let self_ty = w.ty_in(ty, Context::TYPE);
                w.self_ty = self_ty;
                let of_trait = match w.child(at, F::Trait) {
                    Some(name) if !w.is_negative(at) => w.ty_in(name, Context::BASE),
                    _ => TypeId::UNKNOWN,
                };
                let kids = match w.child(at, F::Body) {
                    Some(body) => w.all_kids(body),
                    None => Vec::new(),
                };
                let mut members = Vec::new();
                let mut rare = Vec::new();
                w.item_list(&kids, &mut |w, kid, before| {
                    if before.rare {
                        rare.push((kid, *before));
                    } else {
                        w.member(kid, before, Holder::Type(node), &mut members);
                    }
                });
                for (kid, before) in rare {
                    w.member(kid, &before, Holder::Type(node), &mut members);
                }
                let members = w.b.list(&members);
                w.b.unit.facts.impls.push(Impl {
                    node,
                    ty: self_ty,
                    of_trait,
                    type_params,
                    members,
                    by_reference,
                    line: line_of(at),
                });
            });
        });
        self.self_ty = outer_self;
        self.in_test = outer_test;
        self.depth -= 1;
    }

    /// `impl !Send for T`.
    fn is_negative(&self, at: Syntax<'t>) -> bool {
        let Some(name) = self.child(at, F::Trait) else {
            return false;
        };
        name.prev_sibling().is_some_and(|p| self.text(p) == "!")
    }

    /// The node that holds a block's members: the type's own where this file defines it, else one for the type's name.
    fn holder_of(
        &mut self,
        at: Syntax<'t>,
        ty: Syntax<'t>,
        before: &Before<'t>,
    ) -> (LocalNode, bool) {
        let mut base = ty;
        let mut by_reference = false;
        for _ in 0..16 {
            let inner = match self.kind(base) {
                K::ReferenceType | K::PointerType => {
                    by_reference = true;
                    self.child(base, F::Type)
                }
                K::GenericType => self.child(base, F::Type),
                _ => None,
            };
            match inner {
                Some(inner) => base = inner,
                None => break,
            }
        }
        let text = match self.kind(base) {
            K::ScopedType | K::ScopedIdentifier => {
                self.child(base, F::Name).map_or("", |name| self.text(name))
            }
            _ => self.text(base),
        };
        let name = self.b.unit.intern(plain(text));
        if matches!(self.kind(base), K::TypeIdentifier | K::Identifier) {
            let known = self
                .item_scopes
                .iter()
                .rev()
                .find_map(|scope| self.types.get(&(*scope, name)))
                .copied();
            if let Some(node) = known {
                return (node, by_reference);
            }
        }
        // One holder per name and list of items.
        let scope = self.item_scope();
        if let Some(node) = self.types.get(&(scope, name)) {
            return (*node, by_reference);
        }
        let short: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let head_end = self
            .child(at, F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let parent = self.owner;
        let flags = NodeFlags::default();
        let before = Before {
            doc: None,
            ..*before
        };
        let node = self.define(&short, NodeKind::IMPL, parent, at, head_end, &before, flags);
        self.types.insert((scope, name), node);
        (node, by_reference)
    }
}

//! Namespaces, `using`, templates and friends of C++.

use super::kinds::{F, K};
use super::walker::Walker;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Bound, Expr, ExprId, List, Space, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

impl Walker<'_> {
    /// `namespace a::b { … }`. Members of an inline namespace are those of the one around it.
    pub(super) fn namespace(&mut self) {
        let at = self.node();
        let body = self.child(F::Body);
        let inline = at.child(0).is_some_and(|c| self.text_of(c) == "inline");
        let name = self.child(F::Name);
        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
        let holder = self.holder;
        let hidden = self.hidden;
        let member_scope = self.member_scope;
        match name {
            Some(name) if !inline => {
                let text = self.text_of(name);
                for part in text.split("::").map(str::trim).filter(|p| !p.is_empty()) {
                    let part = part.strip_prefix("inline ").unwrap_or(part);
                    let id = self.b.unit.intern(part);
                    let known = self.named.get(&(self.holder, id)).copied();
                    let known = known.filter(|n| self.b.kind(*n) == NodeKind::MODULE);
                    let node = match known {
                        Some(node) => node,
                        None => {
                            let node = self.define(
                                part,
                                NodeKind::MODULE,
                                self.holder,
                                at,
                                head_end,
                                NodeFlags::EXPORTED,
                            );
                            self.named.insert((self.holder, id), node);
                            self.b
                                .bind(self.member_scope, id, Space::Both, Bound::Node(node));
                            node
                        }
                    };
                    self.holder = node;
                }
            }
            // A namespace without a name: its members belong to the file alone.
            None => self.hidden = true,
            _ => {}
        }
        self.in_scope(|w| {
            if !inline && name.is_some() {
                w.member_scope = w.scope;
            }
            w.each(|w, kind| {
                if kind == K::DeclarationList {
                    w.items();
                }
            });
        });
        self.member_scope = member_scope;
        self.hidden = hidden;
        self.holder = holder;
    }

    /// `namespace a = b::c;`
    pub(super) fn namespace_alias(&mut self) {
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let name_text = self.text_of(name);
        let mut value = ExprId::UNKNOWN;
        self.each_named(|w, kind| {
            let is_name = w.node().id() == name.id();
            if !is_name && matches!(kind, K::NestedNamespaceSpecifier | K::NamespaceIdentifier) {
                value = w.path_value();
            }
        });
        let name = self.b.unit.intern(name_text);
        let bound = Bound::Local {
            ty: TypeId::UNKNOWN,
            value,
        };
        self.b.bind(self.scope, name, Space::Both, bound);
    }

    /// The names under the cursor as members of each other.
    fn path_value(&mut self) -> ExprId {
        let text = self.text();
        let mut value = ExprId::UNKNOWN;
        for part in text.split("::").map(str::trim).filter(|p| !p.is_empty()) {
            let name = self.b.unit.intern(part);
            value = match value {
                ExprId::UNKNOWN => self.b.name(self.scope, name),
                base => self.b.expr(Expr::Member { base, name }),
            };
        }
        value
    }

    /// `using namespace a;`, `using a::b;`
    pub(super) fn using(&mut self) {
        let at = self.node();
        let mut cursor = at.walk();
        let whole = at
            .children(&mut cursor)
            .any(|c| !c.is_named() && self.text_of(c) == "namespace");
        self.each_named(|w, kind| match kind {
            K::Identifier
            | K::QualifiedIdentifier
            | K::NestedNamespaceSpecifier
            | K::NamespaceIdentifier
            | K::TypeIdentifier => {
                let text = w.text();
                let parts: Vec<&str> = text
                    .split("::")
                    .map(str::trim)
                    .filter(|p| !p.is_empty())
                    .collect();
                if whole {
                    let ids: Vec<u32> = parts.iter().map(|p| w.b.unit.intern(p).0).collect();
                    if let Some((first, rest)) = ids.split_first() {
                        let path = w.b.list(rest);
                        let ty = w.b.named_type(w.scope, StrId(*first), path, List::EMPTY);
                        w.usings.push(u32::from(Relation::RELATED.0));
                        w.usings.push(ty.0);
                    }
                } else if let Some(last) = parts.last() {
                    let value = w.path_value();
                    let name = w.b.unit.intern(last);
                    let bound = Bound::Local {
                        ty: TypeId::UNKNOWN,
                        value,
                    };
                    if parts.len() > 1 && !w.in_record {
                        w.b.bind(w.scope, name, Space::Both, bound);
                    }
                }
            }
            _ => {}
        });
    }

    /// `template <class T> …`.
    pub(super) fn template(&mut self) {
        self.in_scope(|w| {
            w.type_params.clear();
            let comment = w.comment;
            w.each(|w, kind| match kind {
                K::TemplateParameterList => w.template_parameters(),
                K::Comment => w.note_comment(),
                _ if w.node().is_named() => {
                    if w.comment.is_none() {
                        w.comment = comment;
                    }
                    w.item(kind);
                }
                _ => {}
            });
            w.type_params.clear();
        });
    }

    fn template_parameters(&mut self) {
        self.each_named(|w, kind| match kind {
            K::TypeParameterDeclaration
            | K::OptionalTypeParameterDeclaration
            | K::VariadicTypeParameterDeclaration => {
                let mut name = None;
                let mut default = TypeId::UNKNOWN;
                w.each_named(|w, _| match w.field() {
                    F::DefaultType => default = w.ty(Context::GENERIC_ARG),
                    _ => name = Some(w.intern()),
                });
                if let Some(name) = name {
                    let bound = Bound::TypeParam {
                        bound: TypeId::UNKNOWN,
                        default,
                    };
                    let binding = w.b.bind(w.scope, name, Space::Type, bound);
                    w.type_params.push(binding.0);
                }
            }
            // A value: it hides names outside like a parameter does.
            K::ParameterDeclaration | K::OptionalParameterDeclaration => {
                if let Some(name) = w.child(F::Declarator).and_then(|d| w.look(d).name) {
                    let text = w.text_of(name);
                    let name = w.b.unit.intern(text);
                    w.bind_local(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
                }
            }
            _ => {}
        });
    }

    /// A friend that is defined on the spot is a function of the namespace; others are declared elsewhere.
    pub(super) fn friend(&mut self) {
        let defines = self
            .node()
            .named_child(0)
            .is_some_and(|c| self.kind_of(c) == K::FunctionDefinition);
        if !defines {
            return;
        }
        let in_record = std::mem::replace(&mut self.in_record, false);
        let holder = self.namespace_around();
        let holder = std::mem::replace(&mut self.holder, holder);
        self.each_named(|w, kind| {
            if kind == K::FunctionDefinition {
                w.function_definition();
            }
        });
        self.holder = holder;
        self.in_record = in_record;
    }

    fn namespace_around(&self) -> LocalNode {
        let mut node = self.holder;
        for _ in 0..64 {
            if matches!(self.b.kind(node), NodeKind::MODULE | NodeKind::FILE) {
                break;
            }
            node = self.b.unit.node(node).map_or(LocalNode::UNIT, |n| n.parent);
        }
        node
    }
}

//! Declarations other than functions and classes: variables, interfaces, aliases, enumerations, namespaces.

use super::kinds::{F, K};
use super::walker::{Expect, Walker, line_of};
use crate::ids::LocalNode;
use crate::model::facts::{Bound, ExprId, Space, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

impl<'t> Walker<'t> {
    /// `interface I extends J { … }`.
    pub(super) fn interface(&mut self) {
        let export = self.take_export();
        let at = self.node();
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let text = self.text_of(name);
        let head_end = self
            .child(F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let flags = NodeFlags::default();
        let node = self.define(text, NodeKind::INTERFACE, self.owner, at, head_end, flags);
        let id = self.b.unit.intern(text);
        self.b.bind(self.scope, id, Space::Type, Bound::Node(node));
        self.offer(node, text, export, line_of(name));
        let owner = std::mem::replace(&mut self.owner, node);
        self.in_block(|w| {
            w.each(|w, kind| match kind {
                K::TypeParameters => {
                    let list = w.type_parameters();
                    w.b.def(node).type_params = list;
                }
                K::ExtendsTypeClause => w.bases(node, Relation::INHERITS),
                K::InterfaceBody | K::ObjectType => w.type_members(node),
                _ => {}
            });
        });
        self.owner = owner;
    }

    /// The types under the cursor, as bases of `node`.
    pub(super) fn bases(&mut self, node: LocalNode, relation: Relation) {
        let mut bases = Vec::new();
        let context = std::mem::replace(&mut self.type_context, Context::BASE);
        self.each(|w, _| {
            if w.node().is_named() && w.kind() != K::Comment {
                w.type_relation = relation;
                let ty = w.ty();
                w.type_relation = Relation::REFERENCES;
                bases.extend([u32::from(relation.0), ty.0]);
            }
        });
        self.type_context = context;
        self.add_bases(node, &bases);
    }

    /// Adds to a node's bases.
    pub(super) fn add_bases(&mut self, node: LocalNode, more: &[u32]) {
        let known = self.b.def(node).bases;
        let mut all = self.b.unit.facts.list(known).to_vec();
        all.extend_from_slice(more);
        let list = self.b.list(&all);
        self.b.def(node).bases = list;
    }

    /// `type T = …`.
    pub(super) fn type_alias(&mut self) {
        let export = self.take_export();
        let at = self.node();
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let text = self.text_of(name);
        let flags = NodeFlags::default();
        let end = at.end_byte();
        let node = self.define(text, NodeKind::TYPE_ALIAS, self.owner, at, end, flags);
        let id = self.b.unit.intern(text);
        self.b.bind(self.scope, id, Space::Type, Bound::Node(node));
        self.offer(node, text, export, line_of(name));
        let owner = std::mem::replace(&mut self.owner, node);
        self.in_block(|w| {
            w.each(|w, kind| {
                if kind == K::TypeParameters {
                    let list = w.type_parameters();
                    w.b.def(node).type_params = list;
                } else if w.field() == F::Value {
                    let outer = w.alias.replace(node);
                    let ty = w.ty();
                    w.alias = outer;
                    w.b.def(node).ty = ty;
                }
            });
        });
        self.owner = owner;
    }

    /// `enum E { A, B = 2 }`.
    pub(super) fn enumeration(&mut self) {
        let export = self.take_export();
        let at = self.node();
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let text = self.text_of(name);
        let head_end = self
            .child(F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let flags = NodeFlags::default();
        let node = self.define(text, NodeKind::ENUM, self.owner, at, head_end, flags);
        let id = self.b.unit.intern(text);
        self.b.bind(self.scope, id, Space::Both, Bound::Node(node));
        self.offer(node, text, export, line_of(name));
        let owner = std::mem::replace(&mut self.owner, node);
        self.each(|w, kind| {
            if kind != K::EnumBody {
                return;
            }
            w.each_item(|w, kind| {
                let at = w.node();
                let name = if kind == K::EnumAssignment {
                    w.child(F::Name)
                } else {
                    Some(at)
                };
                if let Some(name) = name {
                    let text = super::literals::bare(w.text_of(name));
                    let end = at.end_byte();
                    w.define(text, NodeKind::ENUM_MEMBER, node, at, end, flags);
                }
                if kind == K::EnumAssignment {
                    w.each(|w, _| {
                        if w.field() == F::Value {
                            w.expression(&Expect::Nothing);
                        }
                    });
                }
            });
        });
        self.owner = owner;
    }

    /// `namespace A.B { … }`, `declare module "m" { … }`.
    pub(super) fn namespace(&mut self) {
        let export = self.take_export();
        let at = self.node();
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let text = super::literals::bare(self.text_of(name));
        let ambient = self.kind_of(name) == K::String;
        let head_end = self
            .child(F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let outer = self.owner;
        let line = line_of(name);
        let parts: Vec<&str> = if ambient {
            vec![text]
        } else {
            text.split('.').map(str::trim).collect()
        };
        let mut first = true;
        for part in parts {
            let known = self.b.unit.intern(part);
            let flags = NodeFlags::default();
            let node = self.define(part, NodeKind::MODULE, self.owner, at, head_end, flags);
            if first {
                if !ambient {
                    self.b
                        .bind(self.scope, known, Space::Both, Bound::Node(node));
                }
                self.offer(node, part, export, line);
                first = false;
            } else if let Some(node) = self.b.unit.node_mut(node) {
                node.flags = node.flags.with(NodeFlags::EXPORTED);
            }
            self.named.insert((self.owner, known), node);
            self.owner = node;
        }
        self.namespace_body();
        self.owner = outer;
    }

    fn namespace_body(&mut self) {
        self.in_block(|w| {
            w.at_top = true;
            let var_scope = std::mem::replace(&mut w.var_scope, w.scope);
            w.each(|w, kind| {
                if kind == K::StatementBlock {
                    w.each_item(|w, k| w.statement(k));
                }
            });
            w.var_scope = var_scope;
        });
    }

    /// `declare …`: the declaration inside; `declare global` holds names that every file sees.
    pub(super) fn ambient(&mut self) {
        let at = self.node();
        let mut global = false;
        self.each(|w, kind| match kind {
            K::Global => global = true,
            K::StatementBlock if global => {
                let name = "global";
                let start = w.node().start_byte();
                let flags = NodeFlags::default();
                let node = w.define(name, NodeKind::MODULE, w.owner, at, start, flags);
                let owner = std::mem::replace(&mut w.owner, node);
                w.in_block(|w| {
                    w.at_top = true;
                    w.each_item(|w, k| w.statement(k));
                });
                w.owner = owner;
            }
            _ if w.node().is_named() => w.statement(kind),
            _ => {}
        });
    }

    /// `import A = B.C`: another name for a member.
    pub(super) fn import_alias(&mut self) {
        let export = self.take_export();
        let mut names: Vec<tree_sitter::Node<'_>> = Vec::new();
        self.each(|w, kind| {
            if matches!(kind, K::Identifier | K::NestedIdentifier) {
                names.push(w.node());
            }
        });
        let [name, path] = names.as_slice() else {
            return;
        };
        let text = self.text_of(*name);
        let id = self.b.unit.intern(text);
        let mut value = ExprId::UNKNOWN;
        for (i, part) in self.text_of(*path).split('.').enumerate() {
            let part = self.b.unit.intern(part.trim());
            value = if i == 0 {
                self.b.name(self.scope, part)
            } else {
                self.b.member(value, part)
            };
        }
        let bound = Bound::Local {
            ty: TypeId::UNKNOWN,
            value,
        };
        self.b.bind(self.scope, id, Space::Both, bound);
        if export.0 && self.scope == crate::extract::builder::ScopeId::FILE {
            let line = self.line();
            self.b.export_name(id, id, false, line);
        }
    }

    /// A type of which only the value is written.
    pub(super) fn type_of(&mut self, value: ExprId) -> TypeId {
        if value == ExprId::UNKNOWN {
            return TypeId::UNKNOWN;
        }
        self.b.ty(TypeExpr::Of(value))
    }
}

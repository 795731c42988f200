//! Structs, unions, classes and enumerations.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::Walker;
use crate::ids::LocalNode;
use crate::model::facts::{Bound, Expr, ExprId, List, Space, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

impl<'t> Walker<'t> {
    /// A record under the cursor: defined here, or only named.
    pub(super) fn record(&mut self, alias: Option<&str>, context: Context) -> TypeId {
        let kind = self.kind();
        let name = self.child(F::Name);
        let Some(body) = self.child(F::Body) else {
            return match name {
                Some(name) if self.kind_of(name) == K::TypeIdentifier => {
                    // `struct a;` on its own only says that there is one.
                    let id = self.tag_name(kind, name);
                    if self.is_forward() {
                        return TypeId::UNKNOWN;
                    }
                    self.type_name(id, List::EMPTY, List::EMPTY, context)
                }
                Some(_) => {
                    let mut ty = TypeId::UNKNOWN;
                    self.each(|w, _| {
                        if w.field() == F::Name {
                            ty = w.ty(context);
                        }
                    });
                    ty
                }
                None => TypeId::UNKNOWN,
            };
        };
        if kind == K::EnumSpecifier {
            return self.enumeration(alias, name, body);
        }
        let own = name.map(|n| self.scope_name(n)).or(alias);
        let Some(own) = own.filter(|n| !n.is_empty()) else {
            return self.nameless(body);
        };
        let own = own.rsplit("::").next().unwrap_or(own);
        let node_kind = match kind {
            K::UnionSpecifier => NodeKind::UNION,
            K::ClassSpecifier => NodeKind::CLASS,
            _ => NodeKind::STRUCT,
        };
        let at = self.node();
        let node = self.define(
            own,
            node_kind,
            self.holder,
            at,
            body.start_byte(),
            NodeFlags::EXPORTED,
        );
        let tag = match name {
            Some(name) if self.kind_of(name) == K::TypeIdentifier => {
                Some(self.tag_name(kind, name))
            }
            _ => None,
        };
        let plain = self.b.unit.intern(own);
        let space = if self.cpp { Space::Both } else { Space::Type };
        let scope = if self.in_body {
            self.scope
        } else {
            self.member_scope
        };
        if let Some(tag) = tag {
            self.b.bind(scope, tag, space, Bound::Node(node));
        }
        if tag != Some(plain) && (alias.is_some() || tag.is_none()) {
            self.b.bind(scope, plain, space, Bound::Node(node));
        }
        let params = std::mem::take(&mut self.type_params);
        let params = self.b.list(&params);
        self.b.def(node).type_params = params;
        self.members(node);
        self.b
            .named_type(self.scope, tag.unwrap_or(plain), List::EMPTY, List::EMPTY)
    }

    /// Whether the record under the cursor stands for itself, without a declarator.
    fn is_forward(&self) -> bool {
        self.field() != F::Type
    }

    /// A record without a name: as the type of a field or variable its members are that one's; else they are the holder's.
    fn nameless(&mut self, body: Syntax<'t>) -> TypeId {
        let parent = self.node().parent();
        let declarator = parent.and_then(|p| self.child_of(p, F::Declarator));
        if declarator.is_none() {
            if self.in_record {
                let holder = self.holder;
                self.body_of(holder, true);
            }
            return TypeId::UNKNOWN;
        }
        let at = self.node();
        let name = declarator
            .and_then(|d| self.look(d).name)
            .map_or("", |n| self.text_of(n));
        // One more level of names: the type is known by what it is the type of.
        let kind = match self.kind() {
            K::UnionSpecifier => NodeKind::UNION,
            _ => NodeKind::STRUCT,
        };
        let comment = self.comment.take();
        let node = self.define(
            name,
            kind,
            self.holder,
            at,
            body.start_byte(),
            NodeFlags::default(),
        );
        self.comment = comment;
        self.members(node);
        self.b.ty(TypeExpr::Members(node))
    }

    /// Bases and body of the record under the cursor.
    fn members(&mut self, node: LocalNode) {
        let outer = (
            self.this,
            std::mem::replace(&mut self.in_body, false),
            std::mem::replace(&mut self.owner, node),
        );
        if self.cpp {
            self.this = self.b.expr(Expr::This {
                node,
                of_type: false,
            });
        }
        self.in_scope(|w| w.body_of(node, false));
        (self.this, self.in_body, self.owner) = outer;
    }

    fn body_of(&mut self, node: LocalNode, joined: bool) {
        let holder = std::mem::replace(&mut self.holder, node);
        let in_record = std::mem::replace(&mut self.in_record, true);
        let scope = if joined {
            self.member_scope
        } else {
            self.scope
        };
        let member_scope = std::mem::replace(&mut self.member_scope, scope);
        let hidden = std::mem::replace(&mut self.hidden, false);
        self.deeper(|w| {
            w.each(|w, kind| match kind {
                K::BaseClassClause => w.bases(node),
                K::FieldDeclarationList => w.items(),
                _ => {}
            });
        });
        self.hidden = hidden;
        self.member_scope = member_scope;
        self.in_record = in_record;
        self.holder = holder;
    }

    /// `: public A, private n::B<T>`.
    fn bases(&mut self, node: LocalNode) {
        let mut list = Vec::new();
        let this = std::mem::replace(&mut self.this, ExprId::UNKNOWN);
        self.each_named(|w, kind| {
            if !matches!(
                kind,
                K::TypeIdentifier | K::QualifiedIdentifier | K::TemplateType
            ) {
                return;
            }
            let first = w.b.ref_count();
            let ty = w.ty(Context::BASE);
            // The base itself is the reference that inherits; what stands in its brackets is not.
            let refs = w.b.unit.facts.refs.get_mut(first..).unwrap_or_default();
            for r in refs {
                if r.target == crate::model::facts::RefTarget::Type(ty) {
                    r.relation = Relation::INHERITS;
                }
            }
            list.push(u32::from(Relation::INHERITS.0));
            list.push(ty.0);
        });
        self.this = this;
        let list = self.b.list(&list);
        self.b.def(node).bases = list;
    }

    fn enumeration(
        &mut self,
        alias: Option<&str>,
        name: Option<Syntax<'t>>,
        body: Syntax<'t>,
    ) -> TypeId {
        let own = name.map(|n| self.scope_name(n)).or(alias);
        let at = self.node();
        let scoped = self.cpp && {
            let second = at.child(1);
            second.is_some_and(|c| matches!(self.kind_of(c), K::EnumClass | K::EnumStruct))
        };
        let node = own.filter(|n| !n.is_empty()).map(|own| {
            // Members of a scoped enumeration are no names outside it.
            let flags = if scoped {
                NodeFlags::EXPORTED.with(NodeFlags::STATIC)
            } else {
                NodeFlags::EXPORTED
            };
            let own = own.rsplit("::").next().unwrap_or(own);
            self.define(
                own,
                NodeKind::ENUM,
                self.holder,
                at,
                body.start_byte(),
                flags,
            )
        });
        let holder = node.unwrap_or(self.holder);
        let kind = match node {
            Some(_) => NodeKind::ENUM_MEMBER,
            None => NodeKind::CONSTANT,
        };
        let scope = if self.in_body {
            self.scope
        } else {
            self.member_scope
        };
        let owner = self.owner;
        self.comment = None;
        self.each(|w, field| {
            if field == K::EnumeratorList {
                w.enumerators(holder, kind, (!scoped).then_some(scope));
            }
        });
        self.owner = owner;
        let Some(node) = node else {
            return self.b.ty(TypeExpr::Builtin);
        };
        let tag = match name {
            Some(name) if self.kind_of(name) == K::TypeIdentifier => {
                self.tag_name(K::EnumSpecifier, name)
            }
            _ => self.b.unit.intern(alias.unwrap_or_default()),
        };
        self.b.bind(scope, tag, Space::Both, Bound::Node(node));
        if let Some(alias) = alias {
            let alias = self.b.unit.intern(alias);
            if alias != tag {
                self.b.bind(scope, alias, Space::Both, Bound::Node(node));
            }
        }
        self.b.named_type(self.scope, tag, List::EMPTY, List::EMPTY)
    }

    fn enumerators(
        &mut self,
        holder: LocalNode,
        kind: NodeKind,
        scope: Option<crate::extract::builder::ScopeId>,
    ) {
        self.deeper(|w| {
            w.each(|w, syntax| match syntax {
                K::Comment => w.note_comment(),
                K::Enumerator => {
                    let at = w.node();
                    let Some(name) = w.child(F::Name) else { return };
                    let text = w.text_of(name);
                    let node = w.define(text, kind, holder, at, at.end_byte(), NodeFlags::EXPORTED);
                    if let Some(scope) = scope {
                        let id = w.b.unit.intern(text);
                        w.b.bind(scope, id, Space::Value, Bound::Node(node));
                    }
                    w.owner = node;
                    w.each(|w, kind| {
                        if w.field() == F::Value {
                            w.visit(kind, Context::PROPERTY_READ);
                        }
                    });
                    w.comment = None;
                }
                K::PreprocIf
                | K::PreprocIfdef
                | K::PreprocElse
                | K::PreprocElif
                | K::PreprocElifdef => w.enumerators(holder, kind, scope),
                K::PreprocDef => w.constant_macro(),
                _ => {}
            });
        });
    }
}

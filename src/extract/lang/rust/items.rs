//! Items: what a module, a block, a trait or an `impl` block holds.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Before, Kid, Walker, plain};
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Bound, Expr, ExprId, FunctionFlags, List, Space, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::{NodeFlags, Span};

/// Who holds a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// A module, a block or a function.
    Free,
    /// A type.
    Type(LocalNode),
    /// A trait.
    Trait(LocalNode),
}

/// Whether a condition leaves an item out on an ordinary Unix system: of two items of one name the other one is meant.
fn is_rare(condition: &str) -> bool {
    let without = |text: &str| {
        condition
            .match_indices(text)
            .any(|(at, _)| !condition.get(..at).is_some_and(|b| b.ends_with("not(")))
    };
    let common = condition.contains("unix") || condition.contains("linux");
    if common {
        return condition.contains("not(unix") || condition.contains("not(target_os = \"linux");
    }
    ["windows", "wasm", "macos", "target_os", "miri", "loom"]
        .iter()
        .any(|text| without(text))
}

impl<'t> Walker<'t> {
    /// The whole file.
    pub(super) fn file(&mut self, root: Syntax<'t>) {
        let lines = u32::try_from(root.end_position().row + 1).unwrap_or(u32::MAX);
        self.b.unit.meta.lines = lines;
        let end_byte = u32::try_from(self.source.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.b.unit.node_mut(LocalNode::UNIT) {
            node.span = Span {
                start_line: 1,
                end_line: lines,
                start_byte: 0,
                end_byte,
            };
        }
        self.b.module_scope(self.scope, LocalNode::UNIT);
        let kids = self.all_kids(root);
        self.items(&kids);
    }

    /// A list of items or statements. Blocks of members come last, so that the types they join have their nodes.
    pub(super) fn items(&mut self, kids: &[Kid<'t>]) {
        let mut rare = Vec::new();
        self.item_list(kids, &mut |w, kid, before| {
            if kid.kind == K::Impl {
                return;
            }
            if before.rare {
                rare.push((kid, *before));
            } else {
                w.item(kid, before);
            }
        });
        for (kid, before) in rare {
            self.item(kid, &before);
        }
        self.item_list(kids, &mut |w, kid, before| {
            if kid.kind == K::Impl {
                w.impl_block(kid.node, before);
            }
        });
    }

    /// Visits the items of a list with what stands before each.
    pub(super) fn item_list(
        &mut self,
        kids: &[Kid<'t>],
        visit: &mut dyn FnMut(&mut Self, Kid<'t>, &Before<'t>),
    ) {
        let mut before = Before::default();
        for kid in kids {
            match kid.kind {
                K::LineComment | K::BlockComment => self.note_comment(kid.node, &mut before),
                K::Attribute => self.attribute(kid.node, &mut before),
                K::InnerAttribute => {}
                // A loose end of a broken file may hold whole items.
                K::Error if self.deeper() => {
                    let inner = self.all_kids(kid.node);
                    self.item_list(&inner, visit);
                    self.depth -= 1;
                    before = Before::default();
                }
                _ if kid.node.is_named() => {
                    visit(self, *kid, &before);
                    before = Before::default();
                }
                _ => {}
            }
        }
    }

    fn note_comment(&self, node: Syntax<'t>, before: &mut Before<'t>) {
        let text = self.text(node);
        let is_doc = (text.starts_with("///") && !text.starts_with("////"))
            || (text.starts_with("/**") && !text.starts_with("/***"));
        if !is_doc {
            return;
        }
        let start = before.doc.map_or(node.start_byte(), |(start, _)| start);
        before.doc = Some((start, node.end_byte()));
    }

    fn attribute(&mut self, node: Syntax<'t>, before: &mut Before<'t>) {
        let text = self.text(node);
        let inside = text.trim_start_matches(['#', '[', ' ']);
        let end = inside.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let name = inside
            .get(..end.unwrap_or(inside.len()))
            .unwrap_or_default();
        match name.rsplit("::").next().unwrap_or_default() {
            "test" | "rstest" | "test_case" | "quickcheck" | "bench" => before.test = true,
            "cfg" => {
                before.test |= inside.contains("test") && !inside.contains("not(test");
                before.rare |= is_rare(inside);
            }
            "deprecated" => before.deprecated = true,
            "macro_export" => before.exported_macro = true,
            "path" => {
                before.path = inside.split('"').nth(1).filter(|p| !p.is_empty());
            }
            _ => {}
        }
    }

    /// One item, or a statement where there may be statements.
    pub(super) fn item(&mut self, kid: Kid<'t>, before: &Before<'t>) {
        if !self.deeper() {
            return;
        }
        let at = kid.node;
        match kid.kind {
            K::Function | K::FunctionSignature => self.function(at, before, Holder::Free),
            K::Struct | K::Union => self.struct_item(at, kid.kind, before),
            K::Enum => self.enum_item(at, before),
            K::Trait => self.trait_item(at, before),
            K::Impl => self.impl_block(at, before),
            K::Mod => self.mod_item(at, before),
            K::ForeignMod => {
                if let Some(body) = self.child(at, F::Body) {
                    let kids = self.all_kids(body);
                    self.items(&kids);
                }
            }
            K::Const | K::Static => self.constant(at, kid.kind, before, None),
            K::TypeAlias | K::AssociatedType => self.type_alias(at, before, None),
            K::Use => self.use_declaration(at),
            K::ExternCrate => self.extern_crate(at),
            K::MacroDefinition => self.macro_definition(at, before),
            K::Empty | K::Label | K::Visibility => {}
            K::Let => self.let_declaration(at),
            _ => {
                self.statement_expression(at);
            }
        }
        self.depth -= 1;
    }

    /// Whether an item is public, and the flags that go with it.
    fn visibility(&mut self, at: Syntax<'t>) -> (bool, NodeFlags) {
        let public = at.child(0).is_some_and(|c| self.kind(c) == K::Visibility);
        let flags = if public {
            NodeFlags::EXPORTED
        } else {
            NodeFlags::default()
        };
        (public, flags)
    }

    fn name(&self, at: Syntax<'t>) -> Option<&'t str> {
        self.child(at, F::Name)
            .map(|n| plain(self.text(n)))
            .filter(|n| !n.is_empty())
    }

    /// Binds an item in the list that holds it, and remembers types for their blocks of members.
    fn bind_item(&mut self, name: &str, node: LocalNode, space: Space) {
        let name = self.b.unit.intern(name);
        let scope = self.item_scope();
        self.b.bind(scope, name, space, Bound::Node(node));
        if space != Space::Value {
            self.types.insert((scope, name), node);
        }
    }

    /// Runs `visit` with another innermost node.
    pub(super) fn inside<R>(&mut self, node: LocalNode, visit: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.owner, node);
        let result = visit(self);
        self.owner = outer;
        result
    }

    /// A function or method, with or without a body.
    pub(super) fn function(&mut self, at: Syntax<'t>, before: &Before<'t>, holder: Holder) {
        let Some(name) = self.name(at) else { return };
        let (_, mut flags) = self.visibility(at);
        let body = self.child(at, F::Body);
        let kids = self.kids(at);
        let parameters = self.child(at, F::Parameters);
        let has_self = parameters.is_some_and(|p| self.takes_self(p));
        let is_async = kids
            .iter()
            .any(|k| k.kind == K::Modifiers && self.text(k.node).contains("async"));
        if is_async {
            flags = flags.with(NodeFlags::ASYNC);
        }
        if body.is_none() {
            flags = flags.with(NodeFlags::ABSTRACT);
        }
        let (parent, kind) = match holder {
            Holder::Free => (self.owner, NodeKind::FUNCTION),
            Holder::Type(node) | Holder::Trait(node) => (node, NodeKind::METHOD),
        };
        if holder != Holder::Free && !has_self {
            flags = flags.with(NodeFlags::STATIC);
        }
        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
        let node = self.define(name, kind, parent, at, head_end, before, flags);
        if holder == Holder::Free {
            self.bind_item(name, node, Space::Value);
        }
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let outer_body = std::mem::replace(&mut self.in_body, true);
        self.inside(node, |w| {
            w.in_scope(|w| {
                let type_params = w.type_parameters(at);
                let mut params = Vec::new();
                if let Some(parameters) = parameters {
                    w.parameters(parameters, &mut params);
                }
                let result = w
                    .child(at, F::ReturnType)
                    .map_or(TypeId::UNKNOWN, |r| w.ty_in(r, Context::RETURN_TYPE));
                let result = if result == TypeId::UNKNOWN && w.child(at, F::ReturnType).is_none() {
                    w.b.ty(TypeExpr::Tuple(List::EMPTY))
                } else {
                    result
                };
                let params = w.b.list(&params);
                let mut bits = 0;
                if is_async {
                    bits |= FunctionFlags::ASYNC;
                }
                if has_self {
                    bits |= FunctionFlags::RECEIVER;
                }
                if let Some(f) = w.b.function_mut(function) {
                    f.params = params;
                    f.result = result;
                    f.type_params = type_params;
                    f.flags = bits;
                }
                if let Some(body) = body {
                    w.block(body);
                }
            });
        });
        self.in_body = outer_body;
    }

    fn takes_self(&mut self, parameters: Syntax<'t>) -> bool {
        let kids = self.kids(parameters);
        kids.iter().any(|k| {
            k.kind == K::SelfParameter
                || (k.kind == K::Parameter
                    && self
                        .child(k.node, F::Pattern)
                        .is_some_and(|p| self.kind(p) == K::SelfWord))
        })
    }

    fn parameters(&mut self, parameters: Syntax<'t>, params: &mut Vec<u32>) {
        for kid in self.kids(parameters) {
            match kid.kind {
                K::SelfParameter => {
                    let name = self.b.unit.intern("self");
                    self.local(name, self.self_ty, ExprId::UNKNOWN);
                }
                K::Parameter => {
                    let pattern = self.child(kid.node, F::Pattern);
                    let ty = self
                        .child(kid.node, F::Type)
                        .map_or(TypeId::UNKNOWN, |t| self.ty_in(t, Context::PARAMETER_TYPE));
                    match pattern.map(|p| (p, self.kind(p))) {
                        Some((_, K::SelfWord)) => {
                            let name = self.b.unit.intern("self");
                            self.local(name, self.self_ty, ExprId::UNKNOWN);
                            continue;
                        }
                        Some((pattern, _)) => self.typed_pattern(pattern, ty, ExprId::UNKNOWN),
                        None => {}
                    }
                    params.push(ty.0);
                }
                _ => {}
            }
        }
    }

    /// A pattern whose type is written.
    pub(super) fn typed_pattern(&mut self, pattern: Syntax<'t>, ty: TypeId, value: ExprId) {
        if ty == TypeId::UNKNOWN {
            return self.pattern(pattern, value);
        }
        let has_hole = self.has_hole(ty);
        let plain_name = match self.kind(pattern) {
            K::Identifier => Some(pattern),
            K::MutPattern | K::RefPattern => self
                .kids(pattern)
                .iter()
                .find(|k| k.kind == K::Identifier)
                .map(|k| k.node),
            _ => None,
        };
        if let (Some(name), false) = (plain_name, has_hole) {
            let name = self.intern(name);
            return self.local(name, ty, ExprId::UNKNOWN);
        }
        let first = self.b.expr(Expr::Typed { ty });
        let value = if has_hole && value != ExprId::UNKNOWN {
            self.b.expr(Expr::Fallback {
                first,
                second: value,
            })
        } else {
            first
        };
        self.pattern(pattern, value);
    }

    fn struct_item(&mut self, at: Syntax<'t>, kind: K, before: &Before<'t>) {
        let Some(name) = self.name(at) else { return };
        let (_, flags) = self.visibility(at);
        let body = self.child(at, F::Body);
        let head_end = match body {
            Some(body) if self.kind(body) == K::Fields => body.start_byte(),
            _ => at.end_byte(),
        };
        let node_kind = if kind == K::Union {
            NodeKind::UNION
        } else {
            NodeKind::STRUCT
        };
        let node = self.define(name, node_kind, self.owner, at, head_end, before, flags);
        self.bind_item(name, node, Space::Both);
        self.inside(node, |w| {
            w.in_scope(|w| {
                let type_params = w.type_parameters(at);
                w.b.def(node).type_params = type_params;
                if let Some(body) = body {
                    w.fields(node, body);
                }
            });
        });
    }

    /// The fields of a struct or variant: nodes where they have names, types in order where they have none.
    fn fields(&mut self, node: LocalNode, body: Syntax<'t>) {
        let outer_self = self.self_ty;
        if self.kind(body) == K::OrderedFields {
            let mut types = Vec::new();
            for kid in self.kids(body) {
                if kid.field == F::Type {
                    types.push(self.ty_in(kid.node, Context::FIELD).0);
                }
            }
            let list = self.b.list(&types);
            let ty = self.b.ty(TypeExpr::Tuple(list));
            self.b.def(node).ty = ty;
            self.self_ty = outer_self;
            return;
        }
        let kids = self.all_kids(body);
        self.item_list(&kids, &mut |w, kid, before| {
            if kid.kind != K::FieldDeclaration {
                return;
            }
            let Some(name) = w.name(kid.node) else { return };
            let (_, flags) = w.visibility(kid.node);
            let end = kid.node.end_byte();
            let field = w.define(name, NodeKind::FIELD, node, kid.node, end, before, flags);
            let ty = w.child(kid.node, F::Type).map_or(TypeId::UNKNOWN, |t| {
                w.inside(field, |w| w.ty_in(t, Context::FIELD))
            });
            w.b.def(field).ty = ty;
        });
        self.self_ty = outer_self;
    }

    fn enum_item(&mut self, at: Syntax<'t>, before: &Before<'t>) {
        let Some(name) = self.name(at) else { return };
        let (_, flags) = self.visibility(at);
        let body = self.child(at, F::Body);
        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
        let node = self.define(
            name,
            NodeKind::ENUM,
            self.owner,
            at,
            head_end,
            before,
            flags,
        );
        self.bind_item(name, node, Space::Type);
        self.inside(node, |w| {
            w.in_scope(|w| {
                let type_params = w.type_parameters(at);
                w.b.def(node).type_params = type_params;
                let kids = body.map(|b| w.all_kids(b)).unwrap_or_default();
                w.item_list(&kids, &mut |w, kid, before| {
                    if kid.kind == K::EnumVariant {
                        w.variant(kid.node, node, before, flags);
                    }
                });
            });
        });
    }

    fn variant(
        &mut self,
        at: Syntax<'t>,
        parent: LocalNode,
        before: &Before<'t>,
        flags: NodeFlags,
    ) {
        let Some(name) = self.name(at) else { return };
        let end = at.end_byte();
        let node = self.define(name, NodeKind::ENUM_MEMBER, parent, at, end, before, flags);
        self.b.def(node);
        self.inside(node, |w| {
            if let Some(body) = w.child(at, F::Body) {
                w.fields(node, body);
            }
            if let Some(value) = w.child(at, F::Value) {
                w.expression(value);
            }
        });
    }

    fn trait_item(&mut self, at: Syntax<'t>, before: &Before<'t>) {
        let Some(name) = self.name(at) else { return };
        let (_, flags) = self.visibility(at);
        let body = self.child(at, F::Body);
        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
        let node = self.define(
            name,
            NodeKind::TRAIT,
            self.owner,
            at,
            head_end,
            before,
            flags,
        );
        self.bind_item(name, node, Space::Type);
        let self_ty = self.b.ty(TypeExpr::SelfType { node });
        let outer_self = std::mem::replace(&mut self.self_ty, self_ty);
        self.inside(node, |w| {
            w.in_scope(|w| {
                let type_params = w.type_parameters(at);
                w.b.def(node).type_params = type_params;
                if let Some(bounds) = w.child(at, F::Bounds) {
                    let bases = w.bases(bounds);
                    w.b.def(node).bases = bases;
                }
                let kids = body.map(|b| w.all_kids(b)).unwrap_or_default();
                w.item_list(&kids, &mut |w, kid, before| {
                    w.member(kid, before, Holder::Trait(node), &mut Vec::new());
                });
            });
        });
        self.self_ty = outer_self;
    }

    /// Supertraits: noted as references too.
    fn bases(&mut self, bounds: Syntax<'t>) -> List {
        let outer = std::mem::replace(&mut self.type_relation, Relation::INHERITS);
        let types = self.bound_list(bounds, Context::BASE);
        self.type_relation = outer;
        let relation = u32::from(Relation::INHERITS.0);
        let entries: Vec<u32> = types.iter().flat_map(|t| [relation, *t]).collect();
        self.b.list(&entries)
    }

    /// A member of a trait or an `impl` block.
    pub(super) fn member(
        &mut self,
        kid: Kid<'t>,
        before: &Before<'t>,
        holder: Holder,
        members: &mut Vec<u32>,
    ) {
        let (Holder::Type(node) | Holder::Trait(node)) = holder else {
            return;
        };
        let first = self.b.unit.nodes().len();
        match kid.kind {
            K::Function | K::FunctionSignature => self.function(kid.node, before, holder),
            K::Const => self.constant(kid.node, K::Const, before, Some(node)),
            K::TypeAlias | K::AssociatedType => self.type_alias(kid.node, before, Some(node)),
            K::MacroInvocation | K::ExpressionStatement => {
                self.statement_expression(kid.node);
            }
            _ => {}
        }
        let added = self
            .b
            .unit
            .nodes()
            .get(first)
            .is_some_and(|n| n.parent == node);
        if added {
            members.push(u32::try_from(first).unwrap_or(0));
        }
    }

    fn constant(
        &mut self,
        at: Syntax<'t>,
        kind: K,
        before: &Before<'t>,
        holder: Option<LocalNode>,
    ) {
        let Some(name) = self.name(at) else { return };
        let (_, mut flags) = self.visibility(at);
        let node_kind = if kind == K::Static {
            NodeKind::VARIABLE
        } else {
            NodeKind::CONSTANT
        };
        if holder.is_some() {
            flags = flags.with(NodeFlags::STATIC);
        }
        let value = self.child(at, F::Value);
        let head_end = value.map_or(at.end_byte(), |v| v.start_byte());
        let parent = holder.unwrap_or(self.owner);
        // `const _: () = …` has no name that anyone could mean; what it runs belongs to what is around it.
        if name == "_" {
            if let Some(value) = value {
                self.expression(value);
            }
            return;
        }
        let node = self.define(name, node_kind, parent, at, head_end, before, flags);
        if holder.is_none() {
            self.bind_item(name, node, Space::Value);
        }
        let outer_body = std::mem::replace(&mut self.in_body, true);
        self.inside(node, |w| {
            w.in_scope(|w| {
                let ty = w
                    .child(at, F::Type)
                    .map_or(TypeId::UNKNOWN, |t| w.ty_in(t, Context::TYPE));
                let value = value.map_or(ExprId::UNKNOWN, |v| w.expression(v));
                let def = w.b.def(node);
                def.ty = ty;
                def.value = value;
            });
        });
        self.in_body = outer_body;
    }

    fn type_alias(&mut self, at: Syntax<'t>, before: &Before<'t>, holder: Option<LocalNode>) {
        let Some(name) = self.name(at) else { return };
        let (_, mut flags) = self.visibility(at);
        if holder.is_some() {
            flags = flags.with(NodeFlags::STATIC);
        }
        let parent = holder.unwrap_or(self.owner);
        let end = at.end_byte();
        let node = self.define(name, NodeKind::TYPE_ALIAS, parent, at, end, before, flags);
        if holder.is_none() {
            self.bind_item(name, node, Space::Type);
        }
        self.inside(node, |w| {
            w.in_scope(|w| {
                let type_params = w.type_parameters(at);
                let ty = w
                    .child(at, F::Type)
                    .map_or(TypeId::UNKNOWN, |t| w.ty_in(t, Context::TYPE));
                let bounds = match w.child(at, F::Bounds) {
                    Some(bounds) => w.bound_list(bounds, Context::TYPE),
                    None => Vec::new(),
                };
                let relation = u32::from(Relation::INHERITS.0);
                let entries: Vec<u32> = bounds.iter().flat_map(|t| [relation, *t]).collect();
                let bases = w.b.list(&entries);
                let def = w.b.def(node);
                def.ty = ty;
                def.type_params = type_params;
                def.bases = bases;
            });
        });
    }

    fn mod_item(&mut self, at: Syntax<'t>, before: &Before<'t>) {
        let Some(name) = self.name(at) else { return };
        let (public, flags) = self.visibility(at);
        let Some(body) = self.child(at, F::Body) else {
            return self.mod_file(at, name, public, before);
        };
        let node = self.define(
            name,
            NodeKind::MODULE,
            self.owner,
            at,
            body.start_byte(),
            before,
            flags,
        );
        self.bind_item(name, node, Space::Type);
        let outer = (
            self.module,
            self.in_body,
            self.in_test,
            self.self_ty,
            std::mem::take(&mut self.item_scopes),
        );
        self.module = node;
        self.in_body = false;
        self.in_test |= before.test;
        self.self_ty = TypeId::UNKNOWN;
        self.folders.push(before.path.unwrap_or(name));
        self.inside(node, |w| {
            w.in_scope(|w| {
                w.b.module_scope(w.scope, node);
                w.item_scopes.push(w.scope);
                let kids = w.all_kids(body);
                w.items(&kids);
            });
        });
        self.folders.pop();
        (
            self.module,
            self.in_body,
            self.in_test,
            self.self_ty,
            self.item_scopes,
        ) = outer;
    }

    fn macro_definition(&mut self, at: Syntax<'t>, before: &Before<'t>) {
        let Some(name) = self.name(at) else { return };
        let flags = if before.exported_macro {
            NodeFlags::EXPORTED
        } else {
            NodeFlags::default()
        };
        let head_end = self
            .child(at, F::Name)
            .map_or(at.end_byte(), |n| n.end_byte());
        let node = self.define(
            name,
            NodeKind::MACRO,
            self.owner,
            at,
            head_end,
            before,
            flags,
        );
        let bound: StrId = self.b.unit.intern(&format!("{name}!"));
        self.b.textual(bound);
        let scope = self.item_scope();
        self.b.bind(scope, bound, Space::Value, Bound::Node(node));
    }
}

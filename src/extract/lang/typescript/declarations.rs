//! Declarations other than functions and classes: variables, interfaces, aliases, enumerations, namespaces.

use super::functions::This;
use super::kinds::{F, K};
use super::patterns::Bind;
use super::walker::{Expect, Members, Walker, line_of};
use crate::ids::LocalNode;
use crate::model::facts::{
    Bound, Expr, ExprId, Import, ImportId, Imported, RefTarget, Space, TypeExpr, TypeId,
};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

impl<'t> Walker<'t> {
    /// `const a = 1, b = 2;` and its kind.
    pub(super) fn variables(&mut self) {
        let export = self.take_export();
        let mut kind = NodeKind::VARIABLE;
        let mut scope = self.scope;
        let mut first = Some(self.node());
        self.each(|w, k| match k {
            K::Const => kind = NodeKind::CONSTANT,
            K::Var => scope = w.var_scope,
            K::VariableDeclarator => {
                let statement = first.take();
                w.variable(kind, scope, export, statement);
            }
            _ => {}
        });
    }

    fn variable(
        &mut self,
        kind: NodeKind,
        scope: crate::extract::builder::ScopeId,
        export: (bool, bool),
        statement: Option<tree_sitter::Node<'_>>,
    ) {
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let value = self.child(F::Value);
        // A function behind casts is still the constant's own; a class is only one as it stands.
        let peeled = value.map(|v| self.peeled(v));
        let value_kind = match (value, peeled) {
            (_, Some(peeled)) if self.kind_of(peeled) != K::Class => self.kind_of(peeled),
            (Some(value), _) => self.kind_of(value),
            _ => K::Other,
        };
        let required = value.and_then(|v| self.required(v));
        if self.kind_of(name) != K::Identifier {
            self.destructured(kind, scope, export, required.is_some());
            return;
        }
        let text = self.text_of(name);
        let id = self.b.unit.intern(text);
        if let Some((module, part)) = required {
            self.is_module = true;
            let imported = match part {
                Some(part) => Imported::Name(self.b.unit.intern(part)),
                None => Imported::Whole,
            };
            let module = self.b.unit.intern(module);
            let line = line_of(name);
            let import = self.add_import(module, imported, false, false, line);
            self.b.bind(scope, id, Space::Both, Bound::Import(import));
            return;
        }
        let node_kind = match value_kind {
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction => {
                Some(NodeKind::FUNCTION)
            }
            K::Class => Some(NodeKind::CLASS),
            _ if self.at_top => Some(kind),
            _ => None,
        };
        let Some(node_kind) = node_kind else {
            let (ty, value) = self.initializer(&Members::Of(self.owner));
            self.bind_local(scope, id, ty, value);
            return;
        };
        // The first declarator takes the whole statement along, words before it included.
        let at = match statement {
            Some(statement) if statement.start_position().row == name.start_position().row => {
                statement
            }
            _ => self.node(),
        };
        let head_end = match (peeled, node_kind) {
            (Some(value), NodeKind::FUNCTION) => value
                .child_by_field_id(self.tables.field_id(F::Body))
                .map_or(value.end_byte(), |b| b.start_byte()),
            (Some(value), NodeKind::CLASS) => value.start_byte(),
            (Some(value), _)
                if value_kind == K::Object || value.end_byte() - value.start_byte() > 120 =>
            {
                value.start_byte()
            }
            _ => self.node().end_byte(),
        };
        let mut flags = NodeFlags::default();
        if let Some(value) = peeled
            && node_kind == NodeKind::FUNCTION
            && value.child(0).is_some_and(|c| self.kind_of(c) == K::Async)
        {
            flags = flags.with(NodeFlags::ASYNC);
        }
        let node = self.define(text, node_kind, self.owner, at, head_end, flags);
        let space = if node_kind == NodeKind::CLASS {
            Space::Both
        } else {
            Space::Value
        };
        self.b.bind(scope, id, space, Bound::Node(node));
        self.named.insert((self.owner, id), node);
        self.offer(node, text, export, line_of(name));
        if node_kind == NodeKind::CLASS {
            self.each(|w, _| match w.field() {
                F::Type => {
                    w.type_annotation(Context::TYPE);
                }
                F::Value => w.class(node),
                _ => {}
            });
            return;
        }
        if let Some(function) = peeled.filter(|_| node_kind == NodeKind::FUNCTION) {
            self.pending = Some((function.id(), node, This::UNKNOWN));
        }
        let owner = std::mem::replace(&mut self.owner, node);
        let (mut ty, value) = self.initializer(&Members::Of(node));
        self.owner = owner;
        self.pending = None;
        if node_kind == NodeKind::FUNCTION
            && ty == TypeId::UNKNOWN
            && let Expr::Typed { ty: cast } = self.b.unit.facts.expr(value)
        {
            ty = cast;
        }
        let def = self.b.def(node);
        def.ty = ty;
        if node_kind != NodeKind::FUNCTION {
            def.value = value;
        }
    }

    /// The written type and the value of the declarator under the cursor.
    fn initializer(&mut self, members: &Members) -> (TypeId, ExprId) {
        let mut ty = TypeId::UNKNOWN;
        let mut value = ExprId::UNKNOWN;
        self.each(|w, kind| match w.field() {
            F::Type => ty = w.type_annotation(Context::TYPE),
            F::Value => {
                let like = if ty == TypeId::UNKNOWN {
                    Expect::Nothing
                } else {
                    Expect::Like(w.b.expr(Expr::Typed { ty }))
                };
                value = match kind {
                    K::Object => w.object_of(*members, &like),
                    _ => w.expression_in(&like, Context::ASSIGNMENT),
                };
            }
            _ => {}
        });
        (ty, value)
    }

    /// The module of `require("m")`, and the member of `require("m").x`.
    fn required(&self, value: tree_sitter::Node<'t>) -> Option<(&'t str, Option<&'t str>)> {
        let value = self.peeled(value);
        let (call, part) = match self.kind_of(value) {
            K::MemberExpression => {
                let property = value.child_by_field_id(self.tables.field_id(F::Property))?;
                (value.child(0)?, Some(self.text_of(property)))
            }
            _ => (value, None),
        };
        if self.kind_of(call) != K::CallExpression {
            return None;
        }
        let callee = call.child(0)?;
        if self.kind_of(callee) != K::Identifier || self.text_of(callee) != "require" {
            return None;
        }
        let argument = call.child(1)?.named_child(0)?;
        if self.kind_of(argument) != K::String {
            return None;
        }
        let module = super::literals::bare(self.text_of(argument));
        (!module.is_empty()).then_some((module, part))
    }

    /// Names taken from a required module are imports of them.
    fn import_parts(&mut self, slot: ExprId, first: usize, module: ImportId) {
        let Some(module) = self.b.unit.facts.imports.get(module.index()).copied() else {
            return;
        };
        for at in first..self.b.unit.facts.bindings.len() {
            let facts = &self.b.unit.facts;
            let Some(Bound::Local { value, .. }) = facts.bindings.get(at).map(|b| b.bound) else {
                continue;
            };
            let Expr::Member { base, name } = facts.expr(value) else {
                continue;
            };
            if base != slot {
                continue;
            }
            let import = self.b.import(Import {
                imported: Imported::Name(name),
                ..module
            });
            if let Some(binding) = self.b.unit.facts.bindings.get_mut(at) {
                binding.bound = Bound::Import(import);
                binding.space = Space::Both;
            }
        }
    }

    /// `const { a, b } = value`.
    fn destructured(
        &mut self,
        kind: NodeKind,
        scope: crate::extract::builder::ScopeId,
        export: (bool, bool),
        required: bool,
    ) {
        let slot = self.b.expr(Expr::Unknown);
        let first = self.b.unit.facts.bindings.len();
        let first_node = self.b.unit.nodes().len();
        let node = (self.at_top && !required).then_some((kind, export));
        let mut ty = TypeId::UNKNOWN;
        let line = self.line();
        self.each(|w, _| match w.field() {
            F::Name => w.pattern(slot, Bind { scope, node }),
            F::Type => ty = w.type_annotation(Context::TYPE),
            F::Value => {
                let value = w.expression_in(&Expect::Nothing, Context::ASSIGNMENT);
                let known = w.b.unit.facts.expr(value);
                // Not a copy: the names in the value are resolved where it stands.
                if value != ExprId::UNKNOWN {
                    w.b.set_expr(slot, Expr::Unwrap { base: value });
                }
                if let (Expr::Module(module), true) = (known, required) {
                    w.import_parts(slot, first, module);
                }
                if value != ExprId::UNKNOWN && value == w.env {
                    w.env_names(slot, first, first_node, line);
                }
            }
            _ => {}
        });
        if ty != TypeId::UNKNOWN {
            self.b.set_expr(slot, Expr::Typed { ty });
        }
    }

    /// `const { HOME } = process.env` reads what it names.
    fn env_names(&mut self, slot: ExprId, first: usize, first_node: usize, line: u32) {
        let facts = &self.b.unit.facts;
        let is_part = |value: ExprId| match facts.expr(value) {
            Expr::Member { base, name } if base == slot => Some(name),
            _ => None,
        };
        let mut names: Vec<_> = facts
            .bindings
            .iter()
            .skip(first)
            .filter_map(|b| match b.bound {
                Bound::Local { value, .. } => is_part(value),
                _ => None,
            })
            .collect();
        names.extend(
            facts
                .defs
                .iter()
                .filter(|d| d.node.index() >= first_node)
                .filter_map(|d| is_part(d.value)),
        );
        for name in names {
            self.refer(
                RefTarget::Env(name),
                Relation::READS_ENV,
                Context::PROPERTY_READ,
                line,
            );
        }
    }

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

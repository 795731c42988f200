//! Variables: which of them are symbols, what they hold, and names taken from a value or a required module.

use super::functions::This;
use super::kinds::{F, K};
use super::patterns::Bind;
use super::walker::{Expect, Members, Walker, line_of};
use crate::model::facts::{
    Bound, Expr, ExprId, Import, ImportId, Imported, RefTarget, Space, TypeId,
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
        let mut annotated = false;
        self.each(|w, kind| match w.field() {
            F::Type => {
                annotated = true;
                ty = w.type_annotation(Context::TYPE);
            }
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
        if annotated && ty == TypeId::UNKNOWN {
            value = self.b.guess(value);
        }
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
}

//! Declarations of types, constants and variables, at the top of a file and inside functions.

use super::kinds::{F, K};
use super::walker::{Walker, line_of};
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Bound, Expr, ExprId, List, RefTarget, Space, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

/// A value longer than this many bytes is no part of a signature.
const SHOWN_VALUE: usize = 120;

/// What a constant of a group repeats where nothing is written.
#[derive(Clone, Copy, Default)]
struct Repeated {
    ty: TypeId,
    value: ExprId,
}

impl<'t> Walker<'t> {
    /// Makes the node of the type specification under the cursor, which belongs to the declaration `at`.
    pub(super) fn define_type(&mut self, at: tree_sitter::Node<'t>) -> Option<(StrId, LocalNode)> {
        let spec = self.node();
        let name = self.text_of(self.child(F::Name)?);
        let ty = self.child(F::Type);
        let kind = match ty.map(|t| self.kind_of(t)) {
            Some(K::StructType) => NodeKind::CLASS,
            Some(K::InterfaceType) => NodeKind::INTERFACE,
            _ => NodeKind::TYPE_ALIAS,
        };
        // `type T = struct {…}` is still that struct; `type T = U` is another name for `U`.
        let head_end = match (kind, ty) {
            (NodeKind::CLASS | NodeKind::INTERFACE, Some(ty)) => {
                ty.child(0).map_or(ty.end_byte(), |word| word.end_byte())
            }
            _ => spec.end_byte(),
        };
        let node = self.define(name, kind, self.owner, at, head_end, NodeFlags::default());
        Some((self.b.unit.intern(name), node))
    }

    /// `type …`, with one specification or several.
    pub(super) fn type_declaration(&mut self) {
        self.each_item(|w, kind| {
            if !matches!(kind, K::TypeSpec | K::TypeAlias) {
                return;
            }
            let at = w.node();
            if let Some(node) = w.declared_types.get(&at.start_byte()).copied() {
                w.type_body(node, kind == K::TypeAlias);
                return;
            }
            let Some((name, node)) = w.define_type(at) else {
                return;
            };
            w.enter_scope();
            let scope = w.scope;
            w.b.bind(scope, name, Space::Both, Bound::Node(node));
            w.type_body(node, kind == K::TypeAlias);
        });
    }

    /// What the type specification under the cursor says of its node.
    fn type_body(&mut self, node: LocalNode, alias: bool) {
        self.in_block(|w| {
            w.owned(node, |w| {
                w.each_part(|w, kind| match w.field() {
                    F::TypeParameters => {
                        let list = w.type_parameters();
                        w.b.def(node).type_params = list;
                    }
                    F::Type => match kind {
                        K::StructType => w.struct_members(node),
                        K::InterfaceType => w.interface_members(node),
                        _ => {
                            let ty = w.ty_in(Context::TYPE);
                            if alias {
                                w.b.def(node).ty = ty;
                            } else if ty != TypeId::UNKNOWN {
                                // A type of its own with the same values: not the type that it was made from.
                                let value = w.b.expr(Expr::Typed { ty });
                                w.b.def(node).value = value;
                            }
                        }
                    },
                    _ => {}
                });
            });
        });
    }

    /// `const …`: a specification without a value repeats the one before it.
    pub(super) fn const_declaration(&mut self) {
        let declaration = self.node();
        let mut before = Repeated::default();
        self.each_item(|w, kind| {
            if kind == K::ConstSpec {
                before = w.specification(declaration, NodeKind::CONSTANT, before);
            }
        });
    }

    /// `var …`.
    pub(super) fn var_declaration(&mut self) {
        let declaration = self.node();
        self.each_item(|w, kind| match kind {
            K::VarSpec => {
                w.specification(declaration, NodeKind::VARIABLE, Repeated::default());
            }
            K::VarSpecList => w.each_item(|w, kind| {
                if kind == K::VarSpec {
                    w.specification(declaration, NodeKind::VARIABLE, Repeated::default());
                }
            }),
            _ => {}
        });
    }

    /// `a, b T = x, y`: names, their type, their values.
    fn specification(
        &mut self,
        declaration: tree_sitter::Node<'t>,
        kind: NodeKind,
        before: Repeated,
    ) -> Repeated {
        let spec = self.node();
        let names = self.names();
        let value = self.child(F::Value);
        let top = self.owner == LocalNode::UNIT;
        let mut nodes: Vec<LocalNode> = Vec::new();
        if top {
            let single =
                value.and_then(|v| (v.named_child_count() == 1).then(|| v.named_child(0))?);
            let function = single.filter(|v| self.kind_of(*v) == K::FuncLiteral);
            let head_end = match (function, value) {
                (Some(function), _) => self
                    .child_of(function, F::Body)
                    .map_or(function.end_byte(), |b| b.start_byte()),
                (None, Some(value)) if value.end_byte() - value.start_byte() > SHOWN_VALUE => {
                    value.start_byte()
                }
                _ => spec.end_byte(),
            };
            let at = if line_of(spec) == line_of(declaration) {
                declaration
            } else {
                spec
            };
            let kind = match function {
                Some(_) if names.len() == 1 => NodeKind::FUNCTION,
                _ => kind,
            };
            for (name, text) in &names {
                if *text == "_" {
                    nodes.push(LocalNode::UNIT);
                    continue;
                }
                let node = self.define(
                    text,
                    kind,
                    LocalNode::UNIT,
                    at,
                    head_end,
                    NodeFlags::default(),
                );
                let scope = self.scope;
                self.b.bind(scope, *name, Space::Both, Bound::Node(node));
                nodes.push(node);
            }
        }
        let owner = nodes.first().copied().filter(|_| top).unwrap_or(self.owner);
        let mut ty = TypeId::UNKNOWN;
        let mut values: Vec<ExprId> = Vec::new();
        let mut written = false;
        self.owned(owner, |w| {
            w.each_part(|w, _| match w.field() {
                F::Type => ty = w.ty_in(Context::TYPE),
                F::Value => {
                    written = true;
                    values = w.values(names.len(), Context::ASSIGNMENT);
                }
                _ => {}
            });
        });
        if top && let [(_, "_")] = names.as_slice() {
            self.assertion(
                ty,
                values.first().copied().unwrap_or_default(),
                line_of(spec),
            );
        }
        let mut repeated = Repeated {
            ty,
            value: values.first().copied().unwrap_or_default(),
        };
        if !written && ty == TypeId::UNKNOWN {
            repeated = before;
            ty = before.ty;
            values = vec![before.value; names.len()];
        }
        for (i, (name, _)) in names.iter().enumerate() {
            let value = values.get(i).copied().unwrap_or_default();
            match nodes.get(i).copied() {
                Some(LocalNode::UNIT) => {}
                Some(node) => {
                    if self.b.kind(node) == NodeKind::FUNCTION {
                        self.adopt_function(node, value, ty);
                        continue;
                    }
                    let def = self.b.def(node);
                    (def.ty, def.value) = (ty, value);
                }
                None => {
                    if i == 0 {
                        self.enter_scope();
                    }
                    self.declare(*name, ty, value);
                }
            }
        }
        repeated
    }

    /// `var _ I = (*T)(nil)`: the source states that `T` satisfies `I`.
    fn assertion(&mut self, interface: TypeId, value: ExprId, line: u32) {
        let facts = &self.b.unit.facts;
        let name = match facts.expr(value) {
            Expr::Call { callee, .. } => match facts.expr(callee) {
                Expr::Free { name } => name,
                _ => return,
            },
            Expr::Typed { ty } => match facts.ty(ty) {
                TypeExpr::Free { name, path, .. } if path == List::EMPTY => name,
                _ => return,
            },
            _ => return,
        };
        let known = self.holders.get(&name).copied();
        let Some(node) =
            known.filter(|n| matches!(self.b.kind(*n), NodeKind::CLASS | NodeKind::TYPE_ALIAS))
        else {
            return;
        };
        if interface != TypeId::UNKNOWN {
            self.b.reference(
                node,
                RefTarget::Type(interface),
                Relation::IMPLEMENTS,
                Context::BASE,
                line,
            );
        }
    }

    /// A variable that holds a function literal is called like that function.
    fn adopt_function(&mut self, node: LocalNode, value: ExprId, ty: TypeId) {
        if let Expr::Function(function) = self.b.unit.facts.expr(value) {
            if let Some(f) = self.b.function_mut(function) {
                f.node = node;
            }
            self.b.def(node).function = function;
        }
        self.b.def(node).ty = ty;
    }

    /// The names that the specification under the cursor declares.
    fn names(&mut self) -> Vec<(StrId, &'t str)> {
        let mut names = Vec::new();
        self.each(|w, kind| {
            if kind == K::Identifier && w.field() == F::Name {
                let text = w.text();
                names.push((w.b.unit.intern(text), text));
            }
        });
        names
    }
}

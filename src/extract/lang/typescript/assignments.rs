//! Assignments that define something: CommonJS exports, prototypes, members of functions, fields of `this`.

use super::kinds::{F, K};
use super::walker::{Expect, Members, Walker, line_of};
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Exported, Expr, ExprId};
use crate::model::label::{Context, NodeKind};
use crate::model::node::NodeFlags;

/// What the left side of an assignment names.
enum Place<'t> {
    /// `module.exports`, or `exports` of a script.
    Module,
    /// `exports.x`, `module.exports.x`.
    Export(&'t str),
    /// `X.prototype`.
    Prototype(LocalNode),
    /// `X.prototype.m`.
    Method(LocalNode, &'t str),
    /// `X.m` of a function, class or constant of the file.
    Static(LocalNode, &'t str),
    /// `this.x`.
    Field(LocalNode, bool, &'t str),
    /// Anything else.
    Other,
}

impl<'t> Walker<'t> {
    /// `left = right`.
    pub(super) fn assignment(&mut self) -> ExprId {
        let left = self.child(F::Left);
        let place = match left {
            Some(left) if self.kind_of(left) == K::MemberExpression => self.place(left),
            _ => Place::Other,
        };
        let mut value = ExprId::UNKNOWN;
        self.each(|w, kind| match w.field() {
            F::Left => w.assigned(kind, &place),
            F::Right => value = w.assigned_value(kind, &place, left),
            _ => {}
        });
        if let Some(left) = left
            && self.kind_of(left) == K::Identifier
        {
            let text = self.text_of(left);
            let name = self.b.unit.intern(text);
            self.b.assign(self.scope, name, value);
        }
        value
    }

    /// The left side: what is written is not read, but what leads there is.
    fn assigned(&mut self, kind: K, place: &Place<'_>) {
        match kind {
            K::Identifier => {}
            K::MemberExpression if matches!(place, Place::Other) => {
                self.callee();
            }
            K::MemberExpression => {}
            K::ObjectPattern | K::ArrayPattern => {}
            _ => {
                self.expression(&Expect::Nothing);
            }
        }
    }

    fn place(&mut self, left: tree_sitter::Node<'t>) -> Place<'t> {
        let object = left.child(0);
        let property = left.child_by_field_id(self.tables.field_id(F::Property));
        let (Some(object), Some(property)) = (object, property) else {
            return Place::Other;
        };
        let name = self.text_of(property);
        if self.kind_of(object) == K::This {
            return match self.b.unit.facts.expr(self.this) {
                Expr::This { node, of_type } => Place::Field(node, of_type, name),
                _ => Place::Other,
            };
        }
        let text = self.text_of(object);
        if text.len() > 120 {
            return Place::Other;
        }
        match text {
            "module" if name == "exports" => return Place::Module,
            "exports" | "module.exports" => return Place::Export(name),
            _ => {}
        }
        if let Some(holder) = text.strip_suffix(".prototype") {
            return match self.top_level(holder) {
                Some(node) => Place::Method(node, name),
                None => Place::Other,
            };
        }
        match self.top_level(text) {
            Some(node) if name == "prototype" => Place::Prototype(node),
            Some(node) => Place::Static(node, name),
            None => Place::Other,
        }
    }

    /// A definition of that name that stands at the top of the file.
    fn top_level(&mut self, name: &str) -> Option<LocalNode> {
        if !name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        {
            return None;
        }
        let name = self.b.unit.intern(name);
        self.named.get(&(LocalNode::UNIT, name)).copied()
    }

    fn assigned_value(
        &mut self,
        kind: K,
        place: &Place<'_>,
        left: Option<tree_sitter::Node<'_>>,
    ) -> ExprId {
        let line = left.map_or(0, line_of);
        match *place {
            Place::Module => {
                self.is_module = true;
                let value = self.whole_value(kind);
                self.b
                    .export(StrId::EMPTY, Exported::Whole(value), false, line);
                value
            }
            Place::Export(name) => self.export_member(kind, name, line),
            Place::Prototype(holder) if kind == K::Object => {
                self.object_of(Members::Of(holder), &Expect::Nothing)
            }
            Place::Method(holder, name) => self.held(kind, holder, name, NodeFlags::default()),
            Place::Static(holder, name) => self.held(kind, holder, name, NodeFlags::STATIC),
            Place::Field(holder, of_type, name) => self.this_field(kind, holder, of_type, name),
            Place::Prototype(_) | Place::Other => {
                self.expression_in(&Expect::Nothing, Context::ASSIGNMENT)
            }
        }
    }

    fn export_member(&mut self, kind: K, name: &str, line: u32) -> ExprId {
        self.is_module = true;
        let outside = self.b.unit.intern(name);
        let node_kind = match kind {
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction => NodeKind::FUNCTION,
            K::Class => NodeKind::CLASS,
            K::Identifier => {
                let inside = self.intern();
                self.flag_if_defined(inside);
                self.b.export_name(outside, inside, false, line);
                return self.read_name(Context::EXPORT);
            }
            _ => {
                let holder = self.owner;
                let value = if kind == K::Object {
                    self.object_of(Members::Of(holder), &Expect::Nothing)
                } else {
                    self.expression_in(&Expect::Nothing, Context::EXPORT)
                };
                self.b.export(outside, Exported::Expr(value), false, line);
                return value;
            }
        };
        let node = self.held_node(node_kind, LocalNode::UNIT, name, NodeFlags::EXPORTED);
        self.value_of_node(node, kind, &Expect::Nothing);
        self.b.export(outside, Exported::Node(node), false, line);
        self.b.expr(Expr::Node(node))
    }

    fn flag_if_defined(&mut self, name: StrId) {
        if let Some(node) = self.named.get(&(LocalNode::UNIT, name))
            && let Some(node) = self.b.unit.node_mut(*node)
        {
            node.flags = node.flags.with(NodeFlags::EXPORTED);
        }
    }

    fn held_node(
        &mut self,
        kind: NodeKind,
        holder: LocalNode,
        name: &str,
        flags: NodeFlags,
    ) -> LocalNode {
        let at = self.node();
        let head_end = self
            .child(F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let node = self.define(name, kind, holder, at, head_end, flags);
        let id = self.b.unit.intern(name);
        self.named.insert((holder, id), node);
        node
    }

    /// A function or class that becomes a member of a definition above.
    fn held(&mut self, kind: K, holder: LocalNode, name: &str, flags: NodeFlags) -> ExprId {
        let node_kind = match kind {
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction => NodeKind::METHOD,
            K::Class => NodeKind::CLASS,
            _ => return self.expression_in(&Expect::Nothing, Context::ASSIGNMENT),
        };
        let node = self.held_node(node_kind, holder, name, flags);
        if kind == K::Class {
            self.class(node);
            return self.b.expr(Expr::Node(node));
        }
        let this = self.b.expr(Expr::This {
            node: holder,
            of_type: flags.has(NodeFlags::STATIC),
        });
        let this = if kind == K::ArrowFunction {
            super::functions::This::Outer
        } else {
            super::functions::This::Is(this, ExprId::UNKNOWN)
        };
        self.function(node, &Expect::Nothing, this);
        self.b.expr(Expr::Node(node))
    }

    /// `this.x = value`: in JavaScript that is how a field is declared.
    fn this_field(&mut self, kind: K, holder: LocalNode, of_type: bool, name: &str) -> ExprId {
        let id = self.b.unit.intern(name);
        let known = self.named.contains_key(&(holder, id));
        if !self.javascript || known {
            return self.expression_in(&Expect::Nothing, Context::ASSIGNMENT);
        }
        let is_function = matches!(
            kind,
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction
        );
        let node_kind = if is_function {
            NodeKind::METHOD
        } else {
            NodeKind::FIELD
        };
        let flags = if of_type {
            NodeFlags::STATIC
        } else {
            NodeFlags::default()
        };
        let node = self.held_node(node_kind, holder, name, flags);
        if is_function {
            let this = match kind {
                K::ArrowFunction => super::functions::This::Outer,
                _ => super::functions::This::Is(self.this, self.base),
            };
            self.function(node, &Expect::Nothing, this);
            return self.b.expr(Expr::Node(node));
        }
        let value = self.expression_in(&Expect::Nothing, Context::ASSIGNMENT);
        self.b.def(node).value = value;
        value
    }
}

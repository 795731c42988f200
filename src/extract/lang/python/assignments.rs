//! Assignments: variables of the file, fields of classes and of `self`, plain locals, names taken apart.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Around, Walker};
use crate::extract::builder::ScopeId;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Bound, Expr, ExprId, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind};
use crate::model::node::NodeFlags;

impl<'t> Walker<'t> {
    /// `left = right`, `left: T = right`; returns the value.
    pub(super) fn assignment(&mut self) -> ExprId {
        if !self.deeper() {
            return ExprId::UNKNOWN;
        }
        let value = self.assignment_now();
        self.depth -= 1;
        value
    }

    fn assignment_now(&mut self) -> ExprId {
        let (Some(left), right) = (self.child(F::Left), self.child(F::Right)) else {
            return ExprId::UNKNOWN;
        };
        let written = self.child(F::Type);
        if self.kind_of(left) == K::Identifier && self.special(left, written, right) {
            return ExprId::UNKNOWN;
        }
        // The target stands before the value but is bound after it; a node is made first, to own what the value calls.
        let place = self.place(left, right, written.is_some());
        let owner = self.owner;
        let mut ty = TypeId::UNKNOWN;
        let mut value = ExprId::UNKNOWN;
        let mut function = None;
        self.each_named(|w, kind| match w.field() {
            F::Type => {
                let context = match w.frame.around {
                    Around::Class => Context::FIELD,
                    _ => Context::TYPE,
                };
                ty = w.annotation(context);
            }
            F::Right => {
                if let Place::Variable(node) | Place::Member(node) = place
                    && w.frame.around != Around::Function
                {
                    w.owner = node;
                }
                value = match kind {
                    K::Assignment => w.assignment(),
                    K::AugmentedAssignment => {
                        w.augmented_assignment();
                        ExprId::UNKNOWN
                    }
                    K::Lambda => match place {
                        Place::Variable(node) | Place::Member(node) if w.is_function(node) => {
                            function = Some(w.lambda(node, ExprId::UNKNOWN));
                            w.b.expr(Expr::Node(node))
                        }
                        _ => w.expression_in(Context::ASSIGNMENT),
                    },
                    _ => w.expression_in(Context::ASSIGNMENT),
                };
                w.owner = owner;
            }
            _ => {}
        });
        match place {
            Place::Variable(node) | Place::Member(node) => {
                if function.is_none() {
                    self.complete(node, ty, value);
                }
            }
            Place::Target => {
                if ty != TypeId::UNKNOWN && self.kind_of(left) == K::Identifier {
                    self.annotated_local(left, ty, value);
                } else {
                    self.each_named(|w, _| {
                        if w.field() == F::Left {
                            w.target_typed(value, ty);
                        }
                    });
                }
            }
        }
        value
    }

    /// A local with a written type. What it is given says more than what may be given later.
    fn annotated_local(&mut self, left: Syntax<'t>, ty: TypeId, value: ExprId) {
        let name = self.b.unit.intern(self.text_of(left));
        if value == ExprId::UNKNOWN || value == self.none {
            self.bind_value(name, ty, ExprId::UNKNOWN);
            return;
        }
        let written = self.b.expr(Expr::Typed { ty });
        self.declared.insert((self.frame.scope, name), written);
        self.bind_value(name, ty, value);
    }

    fn is_function(&self, node: LocalNode) -> bool {
        matches!(self.b.kind(node), NodeKind::FUNCTION | NodeKind::METHOD)
    }

    /// The node that an assignment's value belongs to, where it has one.
    fn place(&mut self, left: Syntax<'t>, right: Option<Syntax<'t>>, written: bool) -> Place {
        let text = self.text_of(left);
        match (self.kind_of(left), self.frame.around) {
            (K::Identifier, Around::File) => {
                let name = self.b.unit.intern(text);
                Place::Variable(self.variable(name, text, right))
            }
            (K::Identifier, Around::Class) => {
                let name = self.b.unit.intern(text);
                let kind = if self.frame.is_enum && !text.starts_with('_') && !written {
                    NodeKind::ENUM_MEMBER
                } else {
                    self.kind_for(right, NodeKind::FIELD, NodeKind::METHOD)
                };
                Place::Member(self.member(self.frame.class, name, text, kind, true))
            }
            (K::Identifier, Around::Function) => {
                let name = self.b.unit.intern(text);
                if self.frame.globals.contains(&name) {
                    return Place::Variable(self.variable(name, text, right));
                }
                Place::Target
            }
            _ => Place::Target,
        }
    }

    fn kind_for(&self, right: Option<Syntax<'t>>, plain: NodeKind, function: NodeKind) -> NodeKind {
        match right {
            Some(right) if self.kind_of(right) == K::Lambda => function,
            _ => plain,
        }
    }

    /// `self.x` on the left of an assignment.
    fn own_field(&mut self, left: Syntax<'t>) -> Option<(LocalNode, StrId, &'t str)> {
        let receiver = self.frame.receiver?;
        let object = self.child_of(left, F::Object)?;
        let attribute = self.child_of(left, F::Attribute)?;
        if self.kind_of(object) != K::Identifier
            || self.text_of(object) != self.b.unit.text(receiver.name)
        {
            return None;
        }
        let text = self.text_of(attribute);
        let name = self.b.unit.intern(text);
        Some((receiver.class, name, text))
    }

    /// A variable of the file.
    fn variable(&mut self, name: StrId, text: &str, right: Option<Syntax<'t>>) -> LocalNode {
        if let Some(node) = self.named.get(&(LocalNode::UNIT, name))
            && matches!(self.b.kind(*node), NodeKind::CONSTANT | NodeKind::VARIABLE)
        {
            return *node;
        }
        let constant =
            text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
        let plain = if constant {
            NodeKind::CONSTANT
        } else {
            NodeKind::VARIABLE
        };
        let kind = self.kind_for(right, plain, NodeKind::FUNCTION);
        let at = self.node();
        let end = self.short_end(at, right);
        let flags = NodeFlags::default();
        let node = self.define(text, kind, LocalNode::UNIT, at, at, end, "", flags);
        self.named.insert((LocalNode::UNIT, name), node);
        node
    }

    /// A member of a class. `of_body`: it stands in the class's own body.
    fn member(
        &mut self,
        class: LocalNode,
        name: StrId,
        text: &str,
        kind: NodeKind,
        of_body: bool,
    ) -> LocalNode {
        if let Some(node) = self.named.get(&(class, name)) {
            return *node;
        }
        let at = self.node();
        let end = self.short_end(at, self.child(F::Right));
        let flags = if kind == NodeKind::ENUM_MEMBER || kind == NodeKind::METHOD {
            NodeFlags::STATIC
        } else {
            NodeFlags::default()
        };
        let node = self.define(text, kind, class, at, at, end, "", flags);
        self.named.insert((class, name), node);
        if of_body && kind == NodeKind::ENUM_MEMBER {
            let ty = self.b.ty(TypeExpr::SelfType { node: class });
            self.b.def(node).ty = ty;
        }
        node
    }

    /// Where a declaration's head ends: long values are left out.
    fn short_end(&self, at: Syntax<'_>, right: Option<Syntax<'_>>) -> usize {
        match right {
            Some(right) if right.end_byte() - right.start_byte() > 120 => right.start_byte(),
            _ => at.end_byte(),
        }
    }

    /// Notes a value of a variable or field: one of several where it is given more than one.
    fn complete(&mut self, node: LocalNode, ty: TypeId, value: ExprId) {
        let kind = self.b.kind(node);
        let none = self.none;
        let def = self.b.def(node);
        if ty != TypeId::UNKNOWN && kind != NodeKind::ENUM_MEMBER {
            def.ty = ty;
        }
        let before = def.value;
        let value = match (before, value) {
            (ExprId::UNKNOWN, value) => value,
            (before, ExprId::UNKNOWN) => before,
            (before, value) if before == none => value,
            (before, value) if value == none => before,
            (left, right) => self.b.expr(Expr::Either { left, right }),
        };
        self.b.def(node).value = value;
        if matches!(
            kind,
            NodeKind::CONSTANT | NodeKind::VARIABLE | NodeKind::FUNCTION
        ) {
            let name = self.b.unit.node(node).map_or(StrId::EMPTY, |n| n.name);
            let binding = self.bind_in(ScopeId::FILE, name, Bound::Node(node));
            if value == self.none {
                self.frame.flow.set_empty(binding);
            }
        } else if self.frame.around == Around::Class {
            let name = self.b.unit.node(node).map_or(StrId::EMPTY, |n| n.name);
            self.bind(name, Bound::Node(node));
        }
    }

    /// `left += right`.
    pub(super) fn augmented_assignment(&mut self) {
        self.each_named(|w, _| {
            if w.field() == F::Right {
                w.expression_in(Context::ASSIGNMENT);
            } else {
                w.callee();
            }
        });
    }

    /// Binds the target under the cursor to `value`.
    pub(super) fn target(&mut self, value: ExprId) {
        self.target_typed(value, TypeId::UNKNOWN);
    }

    fn target_typed(&mut self, value: ExprId, ty: TypeId) {
        if !self.deeper() {
            return;
        }
        match self.kind() {
            K::Identifier => {
                let name = self.intern();
                self.assign_name(name, ty, value);
            }
            K::Attribute => self.attribute_target(value, ty),
            K::TuplePattern
            | K::ListPattern
            | K::PatternList
            | K::Tuple
            | K::List
            | K::ExpressionList => {
                let mut index = 0;
                let mut counted = true;
                self.each_named(|w, kind| {
                    if matches!(kind, K::ListSplatPattern | K::ListSplat) {
                        counted = false;
                    }
                    let part = match value {
                        ExprId::UNKNOWN => value,
                        base if counted => w.b.expr(Expr::Index { base, index }),
                        _ => ExprId::UNKNOWN,
                    };
                    index += 1;
                    w.target(part);
                });
            }
            K::ListSplatPattern | K::ListSplat | K::ParenthesizedExpression => {
                self.each_named(|w, _| w.target(ExprId::UNKNOWN));
            }
            _ => {
                self.callee();
            }
        }
        self.depth -= 1;
    }

    /// Gives a plain name a value.
    pub(super) fn assign_name(&mut self, name: StrId, ty: TypeId, value: ExprId) {
        if self.frame.nonlocals.contains(&name) {
            return;
        }
        if self.frame.globals.contains(&name) {
            let text = self.b.unit.text(name).to_string();
            let node = self.variable(name, &text, None);
            self.complete(node, ty, value);
            return;
        }
        if self.frame.around == Around::Class {
            let text = self.b.unit.text(name).to_string();
            let node = self.member(self.frame.class, name, &text, NodeKind::FIELD, true);
            self.complete(node, ty, value);
            return;
        }
        // Where a type was written for the name, it holds where nothing better is known.
        let value = match self.declared.get(&(self.frame.scope, name)) {
            Some(written) if ty == TypeId::UNKNOWN && value != self.none => {
                let second = *written;
                match value {
                    ExprId::UNKNOWN => second,
                    first => self.b.expr(Expr::Fallback { first, second }),
                }
            }
            _ => value,
        };
        self.bind_value(name, ty, value);
    }

    fn attribute_target(&mut self, value: ExprId, ty: TypeId) {
        let left = self.node();
        if let Some((class, name, text)) = self.own_field(left) {
            let node = self.member(class, name, text, NodeKind::FIELD, false);
            if self.b.kind(node) == NodeKind::FIELD {
                self.complete(node, ty, value);
            }
            return;
        }
        // What leads to the attribute is read.
        self.each_named(|w, _| {
            if w.field() == F::Object {
                w.callee();
            }
        });
    }
}

/// What an assignment gives a value to.
#[derive(Clone, Copy)]
enum Place {
    /// A variable of the file, which owns its value.
    Variable(LocalNode),
    /// A member in a class's body, which owns its value.
    Member(LocalNode),
    /// Anything else.
    Target,
}

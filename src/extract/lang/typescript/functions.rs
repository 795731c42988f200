//! Functions of every form: scopes of parameters and bodies, written and returned types, overloads.

use super::kinds::{F, K};
use super::patterns::Bind;
use super::walker::{Expect, Saved, Walker, line_of};
use crate::ids::LocalNode;
use crate::model::facts::{
    Bound, Expr, ExprId, FunctionFlags, FunctionId, Space, TypeExpr, TypeId,
};
use crate::model::label::{Context, NodeKind};
use crate::model::node::NodeFlags;

/// What `this` is inside a function.
#[derive(Clone, Copy)]
pub(super) enum This {
    /// What it is outside (arrow functions).
    Outer,
    /// A value, with what `super` is.
    Is(ExprId, ExprId),
}

impl This {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self::Is(ExprId::UNKNOWN, ExprId::UNKNOWN);
}

impl Walker<'_> {
    /// `function f() {}` and its signatures without a body.
    pub(super) fn function_declaration(&mut self) {
        let export = self.take_export();
        let at = self.node();
        let name = self.child(F::Name).map_or("default", |n| self.text_of(n));
        let body = self.child(F::Body);
        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
        let flags = self.function_flags(body.is_none());
        let name_id = self.b.unit.intern(name);
        let node = match self.signature_of(name_id) {
            Some(node) => {
                self.complete_signature(node, at, body.is_some());
                node
            }
            None => {
                let node = self.define(name, NodeKind::FUNCTION, self.owner, at, head_end, flags);
                let scope = self.scope;
                self.b.bind(scope, name_id, Space::Value, Bound::Node(node));
                self.offer(node, name, export, line_of(at));
                self.named.insert((self.owner, name_id), node);
                node
            }
        };
        let this = if self.javascript {
            let this = self.b.expr(Expr::This {
                node,
                of_type: false,
            });
            This::Is(this, ExprId::UNKNOWN)
        } else {
            This::UNKNOWN
        };
        self.function(node, &Expect::Nothing, this);
    }

    /// An earlier signature of the same function, waiting for its body.
    pub(super) fn signature_of(&self, name: crate::ids::StrId) -> Option<LocalNode> {
        let node = *self.named.get(&(self.owner, name))?;
        let known = self.b.unit.node(node)?;
        let callable = matches!(
            known.kind,
            NodeKind::FUNCTION | NodeKind::METHOD | NodeKind::CONSTRUCTOR
        );
        (callable && known.flags.has(NodeFlags::ABSTRACT)).then_some(node)
    }

    /// One more signature, or the implementation, of a known node.
    pub(super) fn complete_signature(
        &mut self,
        node: LocalNode,
        at: tree_sitter::Node<'_>,
        has_body: bool,
    ) {
        if let Some(node) = self.b.unit.node_mut(node) {
            node.span.end_line = u32::try_from(at.end_position().row + 1).unwrap_or(u32::MAX);
            node.span.end_byte = u32::try_from(at.end_byte()).unwrap_or(u32::MAX);
            if has_body {
                node.span.start_line = line_of(at);
                node.span.start_byte = u32::try_from(at.start_byte()).unwrap_or(u32::MAX);
                node.flags = NodeFlags(node.flags.0 & !NodeFlags::ABSTRACT.0);
            }
        }
        self.comment = None;
    }

    /// Flags that the tokens before a function's parameters give it.
    pub(super) fn function_flags(&mut self, bodiless: bool) -> NodeFlags {
        let mut flags = NodeFlags::default();
        if bodiless {
            flags = flags.with(NodeFlags::ABSTRACT);
        }
        let mut before_body = true;
        self.each(|_, kind| match kind {
            K::Async if before_body => flags = flags.with(NodeFlags::ASYNC),
            K::FormalParameters | K::StatementBlock => before_body = false,
            _ => {}
        });
        flags
    }

    /// The function under the cursor. `node` is the unit's own for one without a node.
    pub(super) fn function(
        &mut self,
        node: LocalNode,
        expect: &Expect<'_>,
        this: This,
    ) -> FunctionId {
        let function = self.b.function(node);
        if !self.deeper() {
            return function;
        }
        if node != LocalNode::UNIT {
            self.b.add_signature(node, function);
        }
        let saved = self.enter_function(node, function, this);
        let own_name = self.kind() == K::FunctionExpression || self.kind() == K::GeneratorFunction;
        let mut flags = 0;
        let mut typed = true;
        self.each(|w, kind| match kind {
            K::Async => flags |= FunctionFlags::ASYNC,
            K::Star => flags |= FunctionFlags::GENERATOR,
            K::TypeParameters => {
                let list = w.type_parameters();
                if let Some(f) = w.b.function_mut(function) {
                    f.type_params = list;
                }
            }
            K::FormalParameters => typed = w.parameters(function, &mut flags, None),
            _ => match w.field() {
                F::Name if own_name => {
                    let name = w.intern();
                    let value = w.b.expr(Expr::Function(function));
                    let bound = if node == LocalNode::UNIT {
                        Bound::Local {
                            ty: TypeId::UNKNOWN,
                            value,
                        }
                    } else {
                        Bound::Node(node)
                    };
                    let scope = w.scope;
                    w.b.bind(scope, name, Space::Value, bound);
                }
                F::Parameter => {
                    typed = false;
                    let name = w.intern();
                    let value = w.b.expr(Expr::Param { function, index: 0 });
                    let scope = w.scope;
                    w.bind_local(scope, name, TypeId::UNKNOWN, value);
                    let list = w.b.list(&[0]);
                    if let Some(f) = w.b.function_mut(function) {
                        f.params = list;
                    }
                }
                F::ReturnType => w.result_type(function, &mut flags),
                F::Body => {
                    if !typed {
                        w.set_context(function, expect);
                    }
                    w.function_body(kind, expect);
                }
                _ => {}
            },
        });
        self.leave_function(saved, function, flags);
        self.depth -= 1;
        function
    }

    /// What the surroundings expect of the function: its untyped parameters come from there.
    fn set_context(&mut self, function: FunctionId, expect: &Expect<'_>) {
        let context = self.expected(expect);
        if let Some(f) = self.b.function_mut(function) {
            f.context = context;
        }
    }

    fn function_body(&mut self, kind: K, expect: &Expect<'_>) {
        if kind == K::StatementBlock {
            self.each_item(|w, k| w.statement(k));
            return;
        }
        let value = match kind {
            K::ParenthesizedExpression | K::Object => self.returned(&Expect::Result(expect)),
            _ => self.expression_in(&Expect::Result(expect), Context::RETURN),
        };
        self.returns.push(value.0);
    }

    pub(super) fn result_type(&mut self, function: FunctionId, flags: &mut u32) {
        if matches!(
            self.kind(),
            K::TypePredicateAnnotation | K::AssertsAnnotation | K::TypePredicate | K::Asserts
        ) {
            *flags |= FunctionFlags::PREDICATE;
        }
        let ty = self.type_annotation(Context::RETURN_TYPE);
        if ty != TypeId::UNKNOWN {
            self.result = self.b.expr(Expr::Typed { ty });
            if *flags & FunctionFlags::ASYNC != 0 {
                self.result = self.b.expr(Expr::Await { base: self.result });
            }
        }
        if let Some(f) = self.b.function_mut(function) {
            f.result = ty;
        }
    }

    pub(super) fn enter_function(
        &mut self,
        node: LocalNode,
        function: FunctionId,
        this: This,
    ) -> Saved {
        let saved = Saved {
            owner: self.owner,
            scope: self.scope,
            var_scope: self.var_scope,
            this: self.this,
            base: self.base,
            returns: std::mem::take(&mut self.returns),
            result: std::mem::replace(&mut self.result, ExprId::UNKNOWN),
            at_top: self.at_top,
            comment: self.comment.take(),
            function,
        };
        self.scope = self.b.open();
        self.var_scope = self.scope;
        self.at_top = false;
        if node != LocalNode::UNIT {
            self.owner = node;
        }
        if let This::Is(this, base) = this {
            self.this = this;
            self.base = base;
        }
        saved
    }

    pub(super) fn leave_function(&mut self, saved: Saved, function: FunctionId, flags: u32) {
        self.b.close(self.scope);
        let returns = std::mem::replace(&mut self.returns, saved.returns);
        let generator = flags & FunctionFlags::GENERATOR != 0;
        let wanted = self
            .b
            .function_mut(function)
            .is_some_and(|f| f.result == TypeId::UNKNOWN);
        let list = if wanted && !generator {
            self.b.list(&returns)
        } else {
            crate::model::facts::List::EMPTY
        };
        if let Some(f) = self.b.function_mut(saved.function) {
            f.returns = list;
            f.flags |= flags;
        }
        self.owner = saved.owner;
        self.scope = saved.scope;
        self.var_scope = saved.var_scope;
        self.this = saved.this;
        self.base = saved.base;
        self.result = saved.result;
        self.at_top = saved.at_top;
        self.comment = saved.comment;
    }

    /// The parameters under the cursor. `class` is the class whose constructor they belong to: a parameter with an access
    /// modifier is a field of it. Returns whether the types of all are written.
    pub(super) fn parameters(
        &mut self,
        function: FunctionId,
        flags: &mut u32,
        class: Option<LocalNode>,
    ) -> bool {
        let mut types: Vec<u32> = Vec::new();
        let mut all_typed = true;
        self.each(|w, kind| {
            let index = u32::try_from(types.len()).unwrap_or(u32::MAX);
            match kind {
                K::RequiredParameter | K::OptionalParameter => {
                    if let Some(ty) = w.parameter(function, index, flags, class) {
                        all_typed &= ty != TypeId::UNKNOWN;
                        types.push(ty.0);
                    }
                }
                K::Identifier
                | K::ObjectPattern
                | K::ArrayPattern
                | K::AssignmentPattern
                | K::RestPattern => {
                    if kind == K::RestPattern {
                        *flags |= FunctionFlags::REST;
                    }
                    let value = w.b.expr(Expr::Param { function, index });
                    let bind = Bind::local(w.scope);
                    w.pattern(value, bind);
                    types.push(0);
                    all_typed = false;
                }
                _ => {}
            }
        });
        let list = self.b.list(&types);
        if let Some(f) = self.b.function_mut(function) {
            f.params = list;
        }
        all_typed
    }

    /// One parameter with its written type; `None` for `this`, which takes no argument.
    fn parameter(
        &mut self,
        function: FunctionId,
        index: u32,
        flags: &mut u32,
        class: Option<LocalNode>,
    ) -> Option<TypeId> {
        let at = self.node();
        let mut ty = TypeId::UNKNOWN;
        let mut is_this = false;
        let mut name = None;
        let mut field_flags = None;
        let value = self.b.expr(Expr::Param { function, index });
        self.each(|w, kind| match kind {
            K::Decorator => w.decorator(),
            K::AccessibilityModifier => {
                let private = w.text() == "private";
                let base = field_flags.unwrap_or(NodeFlags::default());
                field_flags = Some(if private {
                    base.with(NodeFlags::PRIVATE)
                } else {
                    base
                });
            }
            K::Readonly | K::OverrideModifier => {
                field_flags = Some(field_flags.unwrap_or(NodeFlags::default()));
            }
            _ => match w.field() {
                F::Pattern | F::Name => match kind {
                    K::Identifier => {
                        let text = w.text();
                        let id = w.b.unit.intern(text);
                        let scope = w.scope;
                        let binding = w.bind_local(scope, id, TypeId::UNKNOWN, value);
                        name = Some((text, binding));
                    }
                    K::This => is_this = true,
                    _ => {
                        if kind == K::RestPattern {
                            *flags |= FunctionFlags::REST;
                        }
                        let bind = Bind::local(w.scope);
                        w.pattern(value, bind);
                    }
                },
                F::Type => ty = w.type_annotation(Context::PARAMETER_TYPE),
                F::Value => {
                    let default = w.expression(&Expect::Nothing);
                    if ty == TypeId::UNKNOWN && default != ExprId::UNKNOWN {
                        ty = w.b.ty(TypeExpr::Of(default));
                    }
                }
                _ => {}
            },
        });
        if is_this {
            if ty != TypeId::UNKNOWN {
                self.this = self.b.expr(Expr::Typed { ty });
            }
            return None;
        }
        if let Some((text, binding)) = name {
            self.b.complete(binding, ty, value);
            if let (Some(class), Some(flags)) = (class, field_flags) {
                let field = self.define(text, NodeKind::FIELD, class, at, at.end_byte(), flags);
                self.b.def(field).ty = ty;
            }
        }
        Some(ty)
    }
}

//! Classes as declarations and expressions, their members, and the members of interfaces and object types.

use super::functions::This;
use super::kinds::{F, K};
use super::walker::{Expect, Members, Walker, line_of};
use crate::ids::LocalNode;
use crate::model::facts::{Bound, Expr, ExprId, FunctionFlags, RefTarget, Space, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

/// What the words before a member's name say.
#[derive(Clone, Copy, Default)]
struct Words {
    flags: NodeFlags,
    accessor: bool,
    is_static: bool,
}

impl Walker<'_> {
    /// `class C { … }` as a statement.
    pub(super) fn class_declaration(&mut self) -> LocalNode {
        let export = self.take_export();
        let name = self.child(F::Name);
        let text = name.map_or("default", |n| self.text_of(n));
        let line = name.map_or_else(|| self.line(), line_of);
        let node = self.class_node(text);
        let id = self.b.unit.intern(text);
        if name.is_some() {
            self.b.bind(self.scope, id, Space::Both, Bound::Node(node));
            self.named.insert((self.owner, id), node);
        }
        self.offer(node, text, export, line);
        self.class(node);
        node
    }

    /// A node for the class under the cursor.
    pub(super) fn class_node(&mut self, name: &str) -> LocalNode {
        let at = self.node();
        let head_end = self
            .child(F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let mut flags = NodeFlags::default();
        if self.kind() == K::AbstractClassDeclaration {
            flags = flags.with(NodeFlags::ABSTRACT);
        }
        self.define(name, NodeKind::CLASS, self.owner, at, head_end, flags)
    }

    /// The class under the cursor, whose node is there already.
    pub(super) fn class(&mut self, node: LocalNode) {
        if !self.deeper() {
            return;
        }
        let instance = self.b.expr(Expr::This {
            node,
            of_type: false,
        });
        let of_type = self.b.expr(Expr::This {
            node,
            of_type: true,
        });
        let (owner, this, base) = (self.owner, self.this, self.base);
        let is_expression = self.kind() == K::Class;
        self.owner = node;
        self.in_block(|w| {
            w.each(|w, kind| match kind {
                K::Decorator => w.decorator(),
                K::TypeParameters => {
                    let list = w.type_parameters();
                    w.b.def(node).type_params = list;
                }
                K::ClassHeritage => w.heritage(node, owner),
                K::ClassBody => {
                    w.each_item(|w, kind| w.member(kind, node, instance, of_type));
                }
                _ if is_expression && w.field() == F::Name => {
                    let name = w.intern();
                    let scope = w.scope;
                    w.b.bind(scope, name, Space::Both, Bound::Node(node));
                }
                _ => {}
            });
        });
        self.owner = owner;
        self.this = this;
        self.base = base;
        self.depth -= 1;
    }

    fn heritage(&mut self, node: LocalNode, outer: LocalNode) {
        self.each(|w, kind| match kind {
            K::ExtendsClause => w.extends(node, outer),
            K::ImplementsClause => w.bases(node, Relation::IMPLEMENTS),
            // JavaScript has the expression here.
            _ if w.node().is_named() && kind != K::Comment => {
                let class = w.base_class(outer);
                w.add_base_class(node, class, crate::model::facts::List::EMPTY);
            }
            _ => {}
        });
    }

    fn extends(&mut self, node: LocalNode, outer: LocalNode) {
        let mut class = ExprId::UNKNOWN;
        let mut args = crate::model::facts::List::EMPTY;
        self.each(|w, kind| {
            if kind == K::TypeArguments {
                args = w.type_arguments();
            } else if w.field() == F::Value {
                class = w.base_class(outer);
            }
        });
        self.add_base_class(node, class, args);
    }

    /// The expression that a class extends: evaluated where the class stands.
    fn base_class(&mut self, outer: LocalNode) -> ExprId {
        let node = std::mem::replace(&mut self.owner, outer);
        let class = self.callee();
        self.owner = node;
        class
    }

    fn add_base_class(&mut self, node: LocalNode, class: ExprId, args: crate::model::facts::List) {
        if class == ExprId::UNKNOWN {
            return;
        }
        let line = self.line();
        let ty = self.b.ty(TypeExpr::Instance { class, args });
        self.b.reference(
            node,
            RefTarget::Expr(class),
            Relation::INHERITS,
            Context::BASE,
            line,
        );
        self.add_bases(node, &[u32::from(Relation::INHERITS.0), ty.0]);
    }

    fn member(&mut self, kind: K, class: LocalNode, instance: ExprId, of_type: ExprId) {
        match kind {
            K::MethodDefinition | K::MethodSignature | K::AbstractMethodSignature => {
                self.method(class, instance, of_type);
            }
            K::PublicFieldDefinition | K::FieldDefinition => {
                self.field_definition(class, instance, of_type);
            }
            K::ClassStaticBlock => {
                self.this = of_type;
                self.in_block(|w| {
                    w.each(|w, k| {
                        if k == K::StatementBlock {
                            w.each_item(|w, k| w.statement(k));
                        }
                    });
                });
            }
            K::Decorator => self.decorator(),
            K::IndexSignature => self.index_signature(class),
            K::Error => {
                self.errors += 1;
                self.each_item(|w, k| w.member(k, class, instance, of_type));
            }
            _ => {}
        }
    }

    /// The words before the name of the member under the cursor.
    fn words(&mut self) -> Words {
        let mut words = Words::default();
        let mut named = false;
        self.each(|w, kind| {
            if named {
                return;
            }
            let add = match kind {
                K::Static => {
                    words.is_static = true;
                    NodeFlags::STATIC
                }
                K::Async => NodeFlags::ASYNC,
                K::Abstract => NodeFlags::ABSTRACT,
                K::Get | K::Set if w.field() != F::Name => {
                    words.accessor = true;
                    NodeFlags::default()
                }
                K::AccessibilityModifier if w.text() == "private" => NodeFlags::PRIVATE,
                K::PrivatePropertyIdentifier => {
                    named = true;
                    NodeFlags::PRIVATE
                }
                K::PropertyIdentifier
                | K::String
                | K::Number
                | K::ComputedPropertyName
                | K::FormalParameters => {
                    named = true;
                    NodeFlags::default()
                }
                _ => NodeFlags::default(),
            };
            words.flags = words.flags.with(add);
        });
        words
    }

    fn method(&mut self, class: LocalNode, instance: ExprId, of_type: ExprId) {
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let at = self.node();
        let text = super::literals::bare(self.text_of(name));
        let id = self.b.unit.intern(text);
        let words = self.words();
        let body = self.child(F::Body);
        let kind = if words.accessor {
            NodeKind::ACCESSOR
        } else if text == "constructor" && !words.is_static {
            NodeKind::CONSTRUCTOR
        } else {
            NodeKind::METHOD
        };
        let mut flags = words.flags;
        if body.is_none() {
            flags = flags.with(NodeFlags::ABSTRACT);
        }
        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
        let node = match self.signature_of(id) {
            Some(node) if kind != NodeKind::ACCESSOR => {
                self.complete_signature(node, at, body.is_some());
                node
            }
            _ => {
                let node = self.define(text, kind, class, at, head_end, flags);
                if kind != NodeKind::ACCESSOR {
                    self.named.insert((class, id), node);
                }
                node
            }
        };
        let this = if words.is_static { of_type } else { instance };
        let base = self.b.expr(Expr::Super {
            node: class,
            of_type: words.is_static,
        });
        let parameters_of = (kind == NodeKind::CONSTRUCTOR).then_some(class);
        self.method_function(node, This::Is(this, base), parameters_of);
    }

    /// A method's function: its computed name and decorators belong to the class.
    fn method_function(&mut self, node: LocalNode, this: This, class: Option<LocalNode>) {
        if !self.deeper() {
            return;
        }
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let mut flags = 0;
        let mut saved = None;
        self.each(|w, kind| match kind {
            K::Async => flags |= FunctionFlags::ASYNC,
            K::Star => flags |= FunctionFlags::GENERATOR,
            K::Decorator => w.decorator(),
            K::ComputedPropertyName => w.each(|w, k| w.statement_if_named(k)),
            K::TypeParameters => {
                if saved.is_none() {
                    saved = Some(w.enter_function(node, function, this));
                }
                let list = w.type_parameters();
                if let Some(f) = w.b.function_mut(function) {
                    f.type_params = list;
                }
            }
            K::FormalParameters => {
                if saved.is_none() {
                    saved = Some(w.enter_function(node, function, this));
                }
                w.parameters(function, &mut flags, class);
            }
            K::StatementBlock => w.each_item(|w, k| w.statement(k)),
            _ if w.field() == F::ReturnType => w.result_type(function, &mut flags),
            _ => {}
        });
        if let Some(saved) = saved {
            self.leave_function(saved, function, flags);
        }
        self.depth -= 1;
    }

    fn field_definition(&mut self, class: LocalNode, instance: ExprId, of_type: ExprId) {
        let at = self.node();
        let name = self.child(F::Name).or_else(|| self.child(F::Property));
        let Some(name) = name else {
            return;
        };
        let text = super::literals::bare(self.text_of(name));
        let id = self.b.unit.intern(text);
        let words = self.words();
        let value = self.child(F::Value);
        let value_kind = value.map_or(K::Other, |v| self.kind_of(v));
        let is_function = matches!(
            value_kind,
            K::ArrowFunction | K::FunctionExpression | K::GeneratorFunction
        );
        let kind = if is_function {
            NodeKind::METHOD
        } else {
            NodeKind::FIELD
        };
        let head_end = match value {
            Some(v) if is_function => v
                .child_by_field_id(self.tables.field_id(F::Body))
                .map_or(v.end_byte(), |b| b.start_byte()),
            Some(v) => v.start_byte(),
            None => at.end_byte(),
        };
        let node = self.define(text, kind, class, at, head_end, words.flags);
        self.named.insert((class, id), node);
        let this = if words.is_static { of_type } else { instance };
        let (outer_this, outer_base) = (self.this, self.base);
        self.this = this;
        self.base = self.b.expr(Expr::Super {
            node: class,
            of_type: words.is_static,
        });
        let mut ty = TypeId::UNKNOWN;
        let mut result = ExprId::UNKNOWN;
        self.each(|w, kind| match kind {
            K::Decorator => w.decorator(),
            K::ComputedPropertyName => w.each(|w, k| w.statement_if_named(k)),
            _ => match w.field() {
                F::Type => ty = w.type_annotation(Context::FIELD),
                F::Value => {
                    let like = if ty == TypeId::UNKNOWN {
                        Expect::Nothing
                    } else {
                        Expect::Like(w.b.expr(Expr::Typed { ty }))
                    };
                    if is_function {
                        let this = if kind == K::ArrowFunction {
                            This::Outer
                        } else {
                            This::Is(this, w.base)
                        };
                        w.function(node, &like, this);
                    } else if kind == K::Object {
                        result = w.object_of(Members::Of(class), &like);
                    } else {
                        result = w.expression_in(&like, Context::ASSIGNMENT);
                    }
                }
                _ => {}
            },
        });
        self.this = outer_this;
        self.base = outer_base;
        let def = self.b.def(node);
        def.ty = ty;
        def.value = result;
    }

    /// The members of an interface or object type, as nodes of `holder`.
    pub(super) fn type_members(&mut self, holder: LocalNode) {
        let alias = self.alias.take();
        let this = self.this;
        let context = self.type_context;
        self.each_item(|w, kind| match kind {
            K::MethodSignature => {
                let unknown = ExprId::UNKNOWN;
                w.method(holder, unknown, unknown);
            }
            K::PropertySignature => w.property_signature(holder),
            K::CallSignature | K::ConstructSignature => w.call_signature(holder, kind),
            K::IndexSignature => w.index_signature(holder),
            K::Error => w.errors += 1,
            _ => {}
        });
        self.type_context = context;
        self.this = this;
        self.alias = alias;
    }

    fn property_signature(&mut self, holder: LocalNode) {
        let at = self.node();
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let text = super::literals::bare(self.text_of(name));
        let flags = NodeFlags::ABSTRACT;
        let end = at.end_byte();
        let node = self.define(text, NodeKind::FIELD, holder, at, end, flags);
        let mut ty = TypeId::UNKNOWN;
        self.each(|w, _| {
            if w.field() == F::Type {
                ty = w.type_annotation(Context::FIELD);
            }
        });
        self.b.def(node).ty = ty;
    }

    fn call_signature(&mut self, holder: LocalNode, kind: K) {
        let constructs = kind == K::ConstructSignature;
        let function = self.signature(constructs);
        self.b.add_signature(holder, function);
    }

    /// `[key: string]: T` is a member without a name.
    fn index_signature(&mut self, holder: LocalNode) {
        let mut ty = TypeId::UNKNOWN;
        self.each(|w, kind| {
            if matches!(
                kind,
                K::TypeAnnotation | K::OptingTypeAnnotation | K::OmittingTypeAnnotation
            ) {
                ty = w.type_annotation(Context::FIELD);
            }
        });
        if ty != TypeId::UNKNOWN {
            let at = self.node();
            let end = at.end_byte();
            let flags = NodeFlags::ABSTRACT;
            let node = self.define("[index]", NodeKind::FIELD, holder, at, end, flags);
            self.b.def(node).ty = ty;
        }
    }
}

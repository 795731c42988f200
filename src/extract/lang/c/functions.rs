//! Functions: prototypes, definitions, members of classes inside and outside of them, lambdas.

use tree_sitter::Node as Syntax;

use super::declarations::Words;
use super::declarators::Declared;
use super::kinds::{F, K};
use super::marks::is_capitals;
use super::walker::Walker;
use crate::ids::LocalNode;
use crate::model::facts::{
    Bound, Expr, ExprId, FunctionFlags, FunctionId, List, Space, TypeExpr, TypeId,
};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

/// What the parameters of a function are.
#[derive(Default)]
pub(super) struct Signature {
    params: Vec<u32>,
    optional: u32,
    rest: bool,
    result: TypeId,
}

/// Where a function belongs.
struct Place<'t> {
    name: std::borrow::Cow<'t, str>,
    kind: NodeKind,
    holder: LocalNode,
    /// The type whose member it is, where there is one.
    class: Option<LocalNode>,
}

impl<'t> Walker<'t> {
    /// A function with its body.
    pub(super) fn function_definition(&mut self) {
        let at = self.node();
        let declared = self.child(F::Declarator).map(|d| self.look(d));
        let Some(declared) = declared.filter(|d| d.is_function) else {
            // A record or macro that the grammar mistook for a function: what is inside counts.
            self.each_named(|w, kind| match kind {
                K::CompoundStatement => w.items(),
                _ if w.field() == F::Type => {
                    w.ty(Context::TYPE);
                }
                _ => {}
            });
            return;
        };
        let words = self.words();
        let body = self.child(F::Body);
        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
        let place = if self.is_test_macro(&declared) {
            let name = self.test_name(&declared);
            Place {
                name: name.into(),
                kind: NodeKind::FUNCTION,
                holder: self.holder,
                class: None,
            }
        } else {
            self.place(&declared)
        };
        let mut flags = self.function_flags(words, &place);
        if body.is_none() && self.has_child(at, K::DeleteMethodClause) {
            flags = flags.with(NodeFlags::ABSTRACT);
        }
        let id = self.b.unit.intern(&place.name);
        let holder = std::mem::replace(&mut self.holder, place.holder);
        // Overloads of C++ are symbols of their own.
        let known = if self.cpp {
            None
        } else {
            self.known_declaration(id, flags)
        };
        let node = match known {
            Some(node) => {
                self.redefine(node, at, head_end, flags);
                node
            }
            None => {
                let node = self.define(&place.name, place.kind, place.holder, at, head_end, flags);
                self.named.insert((place.holder, id), node);
                node
            }
        };
        self.holder = holder;
        if place.holder == holder {
            self.b
                .bind(self.member_scope, id, Space::Value, Bound::Node(node));
        } else {
            self.extend_span(place.holder, at);
        }
        let this = match place.class {
            Some(class) => self.b.expr(Expr::This {
                node: class,
                of_type: false,
            }),
            None => ExprId::UNKNOWN,
        };
        self.function_body(node, &declared, this);
    }

    /// The parts of the function under the cursor, as the body of `node`.
    fn function_body(&mut self, node: LocalNode, declared: &Declared<'_>, this: ExprId) {
        let function = self.b.function(node);
        self.reads.clear();
        let owner = std::mem::replace(&mut self.owner, node);
        let in_body = std::mem::replace(&mut self.in_body, true);
        let in_record = std::mem::replace(&mut self.in_record, false);
        let outer_this = std::mem::replace(&mut self.this, this);
        let outer_returns = std::mem::take(&mut self.returns);
        let type_params = std::mem::take(&mut self.type_params);
        let fun = declared.function.map_or(0, |f| f.id());
        let mut signature = Signature::default();
        self.in_scope(|w| {
            w.each(|w, kind| match w.field() {
                F::Type => signature.result = w.ty(Context::RETURN_TYPE),
                F::Declarator => w.signature_of(fun, &mut signature),
                F::Body => {
                    w.visit(kind, Context::PROPERTY_READ);
                }
                _ if kind == K::FieldInitializerList => w.field_initializers(),
                _ => {}
            });
        });
        let returns = std::mem::replace(&mut self.returns, outer_returns);
        self.this = outer_this;
        self.in_record = in_record;
        self.in_body = in_body;
        self.owner = owner;
        self.set_function(node, function, signature, &returns, &type_params);
    }

    fn set_function(
        &mut self,
        node: LocalNode,
        function: FunctionId,
        signature: Signature,
        returns: &[u32],
        type_params: &[u32],
    ) {
        let params = self.b.list(&signature.params);
        let type_params = self.b.list(type_params);
        let returns = match signature.result {
            TypeId::UNKNOWN => self.b.list(returns),
            _ => List::EMPTY,
        };
        let mut flags = FunctionFlags::optional(signature.optional);
        if signature.rest {
            flags |= FunctionFlags::REST;
        }
        if let Some(f) = self.b.function_mut(function) {
            f.params = params;
            f.result = signature.result;
            f.returns = returns;
            f.type_params = type_params;
            f.flags = flags;
        }
        if node != LocalNode::UNIT {
            self.b.def(node).function = function;
        }
    }

    /// A function without a body.
    pub(super) fn prototype(
        &mut self,
        at: Syntax<'_>,
        declared: &Declared<'t>,
        words: Words,
        result: TypeId,
    ) -> LocalNode {
        let place = self.place(declared);
        let flags = self.function_flags(words, &place).with(NodeFlags::ABSTRACT);
        let id = self.b.unit.intern(&place.name);
        let fun = declared.function.map_or(0, |f| f.id());
        let known = if self.cpp {
            None
        } else {
            self.known_declaration(id, flags)
        };
        let (node, new) = match known {
            Some(node) => (node, false),
            None => {
                let node = self.define(
                    &place.name,
                    place.kind,
                    self.holder,
                    at,
                    at.end_byte(),
                    flags,
                );
                self.named.insert((self.holder, id), node);
                self.b
                    .bind(self.member_scope, id, Space::Value, Bound::Node(node));
                (node, true)
            }
        };
        let owner = std::mem::replace(&mut self.owner, node);
        let type_params = std::mem::take(&mut self.type_params);
        let mut signature = Signature {
            result,
            ..Signature::default()
        };
        self.in_scope(|w| w.signature_of(fun, &mut signature));
        self.owner = owner;
        if new {
            let function = self.b.function(node);
            self.set_function(node, function, signature, &[], &type_params);
        }
        node
    }

    /// Parameters and a trailing result, below the declarator under the cursor.
    fn signature_of(&mut self, fun: usize, out: &mut Signature) {
        let here = self.node().id() == fun;
        self.deeper(|w| {
            w.each(|w, kind| match kind {
                K::ParameterList if here => w.parameters(out),
                K::TrailingReturnType if here => {
                    w.each_named(|w, _| out.result = w.ty(Context::RETURN_TYPE));
                }
                K::FunctionDeclarator
                | K::AbstractFunctionDeclarator
                | K::PointerDeclarator
                | K::ArrayDeclarator
                | K::ParenthesizedDeclarator
                | K::ReferenceDeclarator
                | K::AttributedDeclarator
                | K::QualifiedIdentifier
                | K::OperatorCast
                    if !here =>
                {
                    w.signature_of(fun, out);
                }
                _ => {}
            });
        });
    }

    fn parameters(&mut self, out: &mut Signature) {
        self.each_named(|w, kind| match kind {
            K::ParameterDeclaration
            | K::OptionalParameterDeclaration
            | K::VariadicParameterDeclaration => {
                if kind == K::OptionalParameterDeclaration {
                    out.optional += 1;
                }
                out.rest |= kind == K::VariadicParameterDeclaration;
                w.parameter(out);
            }
            K::VariadicParameter => {
                out.rest = true;
                out.params.push(TypeId::UNKNOWN.0);
            }
            // `f(a, b)` in the old way of writing.
            K::Identifier => {
                let name = w.intern();
                w.bind_local(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
                out.params.push(TypeId::UNKNOWN.0);
            }
            _ => {}
        });
    }

    fn parameter(&mut self, out: &mut Signature) {
        let mut ty = TypeId::UNKNOWN;
        let mut named = false;
        let type_node = self.child(F::Type);
        let has_declarator = self.child(F::Declarator).is_some();
        let is_void = !has_declarator
            && type_node
                .is_some_and(|t| self.kind_of(t) == K::PrimitiveType && self.text_of(t) == "void");
        if is_void {
            return;
        }
        self.each(|w, kind| match w.field() {
            F::Type => ty = w.ty(Context::PARAMETER_TYPE),
            F::Declarator => {
                let declared = w.look(w.node());
                if let Some(name) = declared.name {
                    let text = w.text_of(name);
                    let id = w.b.unit.intern(text);
                    let plain = Declared {
                        is_function: false,
                        ..declared
                    };
                    ty = w.declarator_type(&plain, ty);
                    w.bind_local(id, ty, ExprId::UNKNOWN);
                    named = true;
                }
            }
            F::DefaultValue => {
                w.visit(kind, Context::ARGUMENT);
            }
            _ => {}
        });
        out.params.push(ty.0);
    }

    fn has_child(&self, at: Syntax<'_>, kind: K) -> bool {
        let mut cursor = at.walk();
        at.children(&mut cursor).any(|c| self.kind_of(c) == kind)
    }

    fn function_flags(&self, words: Words, place: &Place<'_>) -> NodeFlags {
        let member = place.class.is_some();
        let flags = if words.is_static && !member || self.hidden {
            NodeFlags::PRIVATE
        } else {
            NodeFlags::EXPORTED
        };
        if words.is_static && member {
            flags.with(NodeFlags::STATIC)
        } else {
            flags
        }
    }

    /// The name of a function and what holds it.
    fn place(&mut self, declared: &Declared<'t>) -> Place<'t> {
        let holder = self.holder;
        let Some(name) = declared.name else {
            return Place {
                name: "".into(),
                kind: NodeKind::FUNCTION,
                holder,
                class: None,
            };
        };
        if self.kind_of(name) == K::QualifiedIdentifier {
            return self.qualified_place(name);
        }
        let text = self.callable_name(name);
        if !self.in_record {
            return Place {
                name: text,
                kind: NodeKind::FUNCTION,
                holder,
                class: None,
            };
        }
        let class = self.b.unit.node(holder).map(|n| n.name);
        let is_class = class.is_some_and(|n| self.b.unit.text(n) == text);
        Place {
            kind: if is_class {
                NodeKind::CONSTRUCTOR
            } else {
                NodeKind::METHOD
            },
            name: text,
            holder,
            class: Some(holder),
        }
    }

    /// `A::f`: a member, defined outside its class.
    fn qualified_place(&mut self, name: Syntax<'t>) -> Place<'t> {
        let mut path: Vec<Syntax<'t>> = Vec::new();
        let mut last = name;
        for _ in 0..32 {
            if self.kind_of(last) != K::QualifiedIdentifier {
                break;
            }
            path.extend(self.child_of(last, F::Scope));
            match self.child_of(last, F::Name) {
                Some(next) => last = next,
                None => break,
            }
        }
        let text = self.callable_name(last);
        let names: Vec<&'t str> = path.iter().map(|p| self.scope_name(*p)).collect();
        let Some((class_name, _)) = names.split_last() else {
            // `::f`.
            return Place {
                name: text,
                kind: NodeKind::FUNCTION,
                holder: self.holder,
                class: None,
            };
        };
        let is_class = text == **class_name;
        let joined = names.join("::");
        let mark = self.b.unit.intern(&format!("impl {joined}"));
        let holder = match self.named.get(&(self.holder, mark)) {
            Some(node) => *node,
            None => {
                let at = name.parent().unwrap_or(name);
                let node = self.b.define(crate::model::unit::NewNode {
                    parent: self.holder,
                    span: super::walker::span_of(at),
                    ..crate::model::unit::NewNode::new(class_name, NodeKind::IMPL)
                });
                self.named.insert((self.holder, mark), node);
                let ids: Vec<u32> = names.iter().map(|n| self.b.unit.intern(n).0).collect();
                if let Some((first, rest)) = ids.split_first() {
                    let rest = self.b.list(rest);
                    let ty =
                        self.b
                            .named_type(self.scope, crate::ids::StrId(*first), rest, List::EMPTY);
                    self.b.def(node).ty = ty;
                }
                node
            }
        };
        Place {
            kind: if is_class {
                NodeKind::CONSTRUCTOR
            } else {
                NodeKind::METHOD
            },
            name: text,
            holder,
            class: Some(holder),
        }
    }

    /// The name of a part before `::`, without its arguments.
    pub(super) fn scope_name(&self, at: Syntax<'t>) -> &'t str {
        match self.kind_of(at) {
            K::TemplateType | K::TemplateFunction => {
                self.child_of(at, F::Name).map_or("", |n| self.text_of(n))
            }
            _ => self.text_of(at),
        }
    }

    /// The name of a function without arguments and blanks.
    fn callable_name(&self, at: Syntax<'t>) -> std::borrow::Cow<'t, str> {
        match self.kind_of(at) {
            K::TemplateFunction | K::TemplateMethod => {
                let name = self.child_of(at, F::Name);
                name.map_or("", |n| self.text_of(n)).into()
            }
            K::OperatorName | K::DestructorName => {
                let text = self.text_of(at);
                let bare = text.split_whitespace().collect::<Vec<_>>();
                match bare.as_slice() {
                    [_] => text.into(),
                    _ => bare.concat().into(),
                }
            }
            K::OperatorCast => {
                let ty = self.child_of(at, F::Type).map_or("", |t| self.text_of(t));
                format!("operator {ty}").into()
            }
            _ => self.text_of(at).into(),
        }
    }

    /// `TEST(Suite, Name) { … }`: a macro in capitals with types for parameters and no result.
    fn is_test_macro(&self, declared: &Declared<'_>) -> bool {
        let Some(name) = declared.name else {
            return false;
        };
        if self.child(F::Type).is_some()
            || self.in_record
            || self.kind_of(name) != K::Identifier
            || !is_capitals(self.text_of(name).as_bytes())
        {
            return false;
        }
        declared.function.is_some_and(|f| f.named_child_count() > 1)
    }

    fn test_name(&self, declared: &Declared<'_>) -> String {
        let params = declared
            .function
            .and_then(|f| f.child_by_field_id(self.tables.field_id(F::Parameters)));
        let Some(params) = params else {
            return String::new();
        };
        let mut cursor = params.walk();
        let mut names: Vec<&str> = params
            .named_children(&mut cursor)
            .take(2)
            .map(|p| self.text_of(p))
            .filter(|t| t.bytes().all(super::tokens::is_word))
            .collect();
        if names.is_empty() {
            names.extend(declared.name.map(|n| self.text_of(n)));
        }
        names.join("_")
    }

    /// A block of members reaches from its first to its last one.
    fn extend_span(&mut self, holder: LocalNode, at: Syntax<'_>) {
        let span = super::walker::span_of(at);
        if let Some(node) = self.b.unit.node_mut(holder)
            && node.kind == NodeKind::IMPL
        {
            node.span.end_line = node.span.end_line.max(span.end_line);
            node.span.end_byte = node.span.end_byte.max(span.end_byte);
        }
    }

    /// `: base(…), field(…)`.
    fn field_initializers(&mut self) {
        self.each_named(|w, kind| {
            if kind != K::FieldInitializer {
                return;
            }
            w.each_named(|w, kind| match kind {
                K::ArgumentList | K::InitializerList => {
                    w.arguments();
                }
                K::FieldIdentifier => {}
                _ => {
                    // A base that is constructed: a template, or a qualified one.
                    w.ty(Context::TYPE);
                }
            });
        });
    }

    /// The body that a macro's call gives a name.
    pub(super) fn hidden_body(&mut self, node: LocalNode) {
        let function = self.b.function(node);
        self.reads.clear();
        let owner = std::mem::replace(&mut self.owner, node);
        let in_body = std::mem::replace(&mut self.in_body, true);
        let words = self
            .node()
            .prev_named_sibling()
            .map_or("", |call| self.text_of(call));
        self.in_scope(|w| {
            // Which of the words are parameters only the macro knows.
            let words = words.split(|c: char| !c.is_alphanumeric() && c != '_');
            for word in words.skip(1).filter(|w| !w.is_empty()).take(64) {
                let name = w.b.unit.intern(word);
                w.bind_local(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
            }
            w.visit(K::CompoundStatement, Context::PROPERTY_READ);
        });
        self.in_body = in_body;
        self.owner = owner;
        self.set_function(
            node,
            function,
            Signature {
                rest: true,
                ..Signature::default()
            },
            &[],
            &[],
        );
    }

    /// `[…](…) { … }`.
    pub(super) fn lambda(&mut self) -> ExprId {
        let function = self.b.function(LocalNode::UNIT);
        let outer_returns = std::mem::take(&mut self.returns);
        let mut signature = Signature::default();
        self.in_scope(|w| {
            w.each(|w, kind| match w.field() {
                F::Declarator => {
                    let id = w.node().id();
                    w.signature_of(id, &mut signature);
                }
                F::Body => {
                    w.visit(kind, Context::PROPERTY_READ);
                }
                F::Captures => {
                    w.each_named(|w, kind| {
                        if kind != K::Identifier {
                            w.visit(kind, Context::PROPERTY_READ);
                        }
                    });
                }
                _ => {}
            });
        });
        let returns = std::mem::replace(&mut self.returns, outer_returns);
        self.set_function(LocalNode::UNIT, function, signature, &returns, &[]);
        self.b.expr(Expr::Function(function))
    }

    /// The function type of a declarator without a name.
    pub(super) fn function_type(&mut self, result: TypeId) -> TypeId {
        let function = self.b.function(LocalNode::UNIT);
        if let Some(f) = self.b.function_mut(function) {
            f.result = result;
        }
        self.b.ty(TypeExpr::Function(function))
    }

    /// Calls a type: a construction.
    pub(super) fn construct(&mut self, ty: TypeId, line: u32) {
        self.refer(
            crate::model::facts::RefTarget::Type(ty),
            Relation::CALLS,
            Context::CONSTRUCTOR,
            line,
        );
    }
}

//! Functions and methods: what their decorators make of them, their scopes, bodies and results.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Around, Frame, Receiver, Walker};
use crate::extract::builder::ScopeId;
use crate::ids::LocalNode;
use crate::model::facts::{
    Bound, Expr, ExprId, FunctionFlags, FunctionId, List, RefTarget, TypeExpr, TypeId,
};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;

/// What decorators make of a function.
#[derive(Clone, Copy, Default)]
struct Made {
    accessor: bool,
    is_static: bool,
    of_class: bool,
    overload: bool,
    is_abstract: bool,
    deprecated: bool,
}

impl<'t> Walker<'t> {
    /// `@decorator` lines with the function or class below them.
    pub(super) fn decorated_definition(&mut self) {
        let whole = self.node();
        let mut decorators = Vec::new();
        self.each_named(|w, kind| match kind {
            K::Decorator => {
                if let Some(decorator) = w.node().named_child(0) {
                    decorators.push(decorator);
                }
                w.decorator();
            }
            K::FunctionDefinition => w.function(whole, &decorators),
            K::ClassDefinition => w.class(whole, &decorators),
            _ => w.statement(kind),
        });
    }

    /// `def f(…): …` without decorators.
    pub(super) fn function_definition(&mut self, decorators: &[Syntax<'t>]) {
        let whole = self.node();
        self.function(whole, decorators);
    }

    fn made(&self, decorators: &[Syntax<'t>]) -> Made {
        let mut made = Made::default();
        for decorator in decorators {
            let name = match self.kind_of(*decorator) {
                K::Call => match self.child_of(*decorator, F::Function) {
                    Some(function) => self.text_of(function),
                    None => continue,
                },
                K::Identifier | K::Attribute => self.text_of(*decorator),
                _ => continue,
            };
            match name.rsplit('.').next().unwrap_or(name) {
                "property" | "cached_property" | "abstractproperty" | "hybrid_property"
                | "setter" | "getter" | "deleter" | "classproperty" => made.accessor = true,
                "staticmethod" => made.is_static = true,
                "classmethod" => made.of_class = true,
                "overload" => made.overload = true,
                "abstractmethod" => made.is_abstract = true,
                "deprecated" => made.deprecated = true,
                _ => {}
            }
            made.is_abstract |= name.ends_with("abstractproperty");
        }
        made
    }

    /// The function under the cursor; `whole` is the same with its decorators.
    pub(super) fn function(&mut self, whole: Syntax<'t>, decorators: &[Syntax<'t>]) {
        let Some(name) = self.child(F::Name) else {
            self.each_named(|w, k| w.statement(k));
            return;
        };
        if !self.deeper() {
            return;
        }
        let at = self.node();
        let text = self.text_of(name);
        let id = self.b.unit.intern(text);
        let made = self.made(decorators);
        let body = self.child(F::Body);
        let in_class = self.frame.around == Around::Class;
        let kind = match in_class {
            false => NodeKind::FUNCTION,
            true if made.accessor => NodeKind::ACCESSOR,
            true if text == "__init__" => NodeKind::CONSTRUCTOR,
            true => NodeKind::METHOD,
        };
        let is_async = at.child(0).is_some_and(|c| self.kind_of(c) == K::Async);
        let mut flags = NodeFlags::default();
        for (is, flag) in [
            (is_async, NodeFlags::ASYNC),
            (
                in_class && (made.is_static || made.of_class),
                NodeFlags::STATIC,
            ),
            (made.is_abstract || made.overload, NodeFlags::ABSTRACT),
            (made.deprecated, NodeFlags::DEPRECATED),
        ] {
            if is {
                flags = flags.with(flag);
            }
        }
        let head_end = body.map_or(at.end_byte(), |b| b.start_byte());
        let doc = body.map(|b| self.docstring(b)).unwrap_or_default();
        let node = match self.earlier_signature(id) {
            Some(node) => {
                self.complete_signature(node, at, made.overload, &doc);
                node
            }
            None => {
                let owner = self.owner;
                self.define(text, kind, owner, at, whole, head_end, &doc, flags)
            }
        };
        if made.overload {
            self.overloads.insert(node);
        } else {
            self.overloads.remove(&node);
        }
        self.named.insert((self.owner, id), node);
        if self.frame.globals.contains(&id) {
            self.bind_in(ScopeId::FILE, id, Bound::Node(node));
        } else {
            self.bind(id, Bound::Node(node));
        }
        self.decorates(node, decorators);
        let receiver = match in_class {
            true if !made.is_static || text == "__new__" => {
                let of_type = made.of_class
                    || matches!(text, "__new__" | "__init_subclass__" | "__class_getitem__");
                Some(of_type)
            }
            _ => None,
        };
        self.function_parts(node, receiver, is_async);
        self.depth -= 1;
    }

    /// The node of overloads that wait for one more signature.
    fn earlier_signature(&self, name: crate::ids::StrId) -> Option<LocalNode> {
        let node = *self.named.get(&(self.owner, name))?;
        self.overloads.contains(&node).then_some(node)
    }

    fn complete_signature(&mut self, node: LocalNode, at: Syntax<'_>, overload: bool, doc: &str) {
        let doc = self.b.unit.intern(doc);
        if let Some(node) = self.b.unit.node_mut(node) {
            node.span.end_line = super::walker::end_line(at);
            node.span.end_byte = u32::try_from(at.end_byte()).unwrap_or(u32::MAX);
            if !overload {
                node.span.start_line = super::walker::line_of(at);
                node.flags = NodeFlags(node.flags.0 & !NodeFlags::ABSTRACT.0);
                node.doc = doc;
            }
        }
    }

    /// A decorated definition names its decorators.
    pub(super) fn decorates(&mut self, node: LocalNode, decorators: &[Syntax<'t>]) {
        let owner = std::mem::replace(&mut self.owner, node);
        for decorator in decorators {
            let named = match self.kind_of(*decorator) {
                K::Call => self.child_of(*decorator, F::Function),
                _ => Some(*decorator),
            };
            let Some(named) = named else { continue };
            let line = super::walker::line_of(named);
            let value = self.dotted(named, 0);
            self.refer(
                RefTarget::Expr(value),
                Relation::REFERENCES,
                Context::DECORATOR,
                line,
            );
        }
        self.owner = owner;
    }

    /// Parameters, result and body of the function under the cursor.
    fn function_parts(&mut self, node: LocalNode, receiver: Option<bool>, is_async: bool) {
        let function = self.b.function(node);
        self.b.add_signature(node, function);
        let outside = self.scope;
        let scope = self.b.open();
        let mut frame = Frame::new(Around::Function, scope, self.frame.class);
        frame.receiver = self.frame.receiver.filter(|_| receiver.is_none());
        let class_vars = self.met_vars.clone();
        let vars = self.type_vars.clone();
        let mut flags = if is_async { FunctionFlags::ASYNC } else { 0 };
        let mut result = TypeId::UNKNOWN;
        let owner = std::mem::replace(&mut self.owner, node);
        let outer = std::mem::replace(&mut self.frame, frame);
        self.self_var = None;
        self.each_named(|w, kind| match w.field() {
            F::TypeParameters => w.type_parameters(),
            F::Parameters => w.parameters(function, &mut flags, receiver, scope),
            F::ReturnType => {
                result = w.annotation(Context::RETURN_TYPE);
                w.self_var = None;
            }
            F::Body => {
                w.self_var = None;
                w.scope = scope;
                w.statement(kind);
            }
            _ => {}
        });
        self.settle();
        self.b.close(scope);
        self.scope = outside;
        self.owner = owner;
        self.type_vars = vars;
        let mut met = std::mem::replace(&mut self.met_vars, class_vars);
        met.retain(|v| !self.met_vars.contains(v));
        let frame = std::mem::replace(&mut self.frame, outer);
        self.finish_function(function, frame, result, flags, &met);
    }

    fn finish_function(
        &mut self,
        function: FunctionId,
        frame: Frame,
        written: TypeId,
        flags: u32,
        type_params: &[u32],
    ) {
        let mut flags = flags;
        let mut result = written;
        let mut returns = List::EMPTY;
        if frame.is_generator {
            flags |= FunctionFlags::GENERATOR;
        }
        if written == TypeId::UNKNOWN {
            let values = if frame.is_generator {
                &frame.yields
            } else {
                &frame.returns
            };
            let values = values.get(..values.len().min(12)).unwrap_or_default();
            returns = self.b.list(values);
        } else if flags & FunctionFlags::ASYNC != 0 && !frame.is_generator {
            // What is written is what the coroutine yields when it is awaited.
            let name = self.b.unit.intern("Awaitable");
            let args = self.b.list(&[written.0]);
            let path = List::EMPTY;
            result = self.b.ty(TypeExpr::Free { name, path, args });
        }
        let type_params = self.b.list(type_params);
        if let Some(f) = self.b.function_mut(function) {
            f.result = result;
            f.returns = returns;
            f.flags |= flags;
            f.type_params = type_params;
        }
    }

    /// `lambda x: …` without a node; its parts belong to what is around.
    /// `context` is what is expected where it stands, or unknown.
    pub(super) fn lambda(&mut self, node: LocalNode, context: ExprId) -> FunctionId {
        let function = self.b.function(node);
        if !self.deeper() {
            return function;
        }
        if node != LocalNode::UNIT {
            self.b.add_signature(node, function);
        }
        let outside = self.scope;
        let scope = self.b.open();
        let mark = self.frame.flow.mark();
        let mut flags = 0;
        let mut value = ExprId::UNKNOWN;
        self.each_named(|w, _| match w.field() {
            F::Parameters => {
                w.expecting = (context != ExprId::UNKNOWN).then_some(function);
                w.parameters(function, &mut flags, None, scope);
                w.expecting = None;
            }
            F::Body => {
                w.scope = scope;
                value = w.expression_in(Context::RETURN);
            }
            _ => {}
        });
        self.b.close(scope);
        self.frame.flow.rewind(mark);
        self.scope = outside;
        let returns = self.b.list(&[value.0]);
        if let Some(f) = self.b.function_mut(function) {
            f.returns = returns;
            f.flags |= flags;
            f.context = context;
        }
        self.depth -= 1;
        function
    }

    /// The value of `self` or `cls`.
    pub(super) fn receiver_value(&mut self, receiver: Receiver) -> ExprId {
        self.b.expr(Expr::This {
            node: receiver.class,
            of_type: receiver.of_type,
        })
    }
}

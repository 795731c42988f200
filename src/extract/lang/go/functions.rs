//! Functions, methods and function literals: receivers, type parameters, parameters, results, bodies.

use super::kinds::{F, K};
use super::walker::{Walker, span_of};
use crate::extract::builder::ScopeId;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{
    Bound, ExprId, FunctionFlags, FunctionId, List, Space, TypeExpr, TypeId,
};
use crate::model::label::{Context, NodeKind};
use crate::model::node::NodeFlags;
use crate::model::unit::NewNode;

/// Names of parameters and results with their types.
pub(super) type Names = Vec<(StrId, TypeId)>;

/// A method's receiver: its name, its type's name, the type's parameters as the method calls them.
#[derive(Default)]
struct Receiver {
    name: Option<StrId>,
    ty: StrId,
    params: Vec<StrId>,
}

impl<'t> Walker<'t> {
    /// `func f() {}`.
    pub(super) fn function_declaration(&mut self) {
        let at = self.node();
        let Some(name) = self.child(F::Name).map(|n| self.text_of(n)) else {
            return;
        };
        let head_end = self
            .child(F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let flags = NodeFlags::default();
        let node = self.define(name, NodeKind::FUNCTION, self.owner, at, head_end, flags);
        // `init` cannot be named, and a file may have several.
        if !matches!(name, "init" | "_") {
            let id = self.b.unit.intern(name);
            self.b.bind(self.scope, id, Space::Both, Bound::Node(node));
        }
        self.function(node, None);
    }

    /// `func (r T) m() {}`: a node below its type, or below a stand-in where another file declares that.
    pub(super) fn method_declaration(&mut self) {
        let at = self.node();
        let Some(name) = self.child(F::Name).map(|n| self.text_of(n)) else {
            return;
        };
        let receiver = self.receiver();
        let head_end = self
            .child(F::Body)
            .map_or(at.end_byte(), |b| b.start_byte());
        let holder = self.holder(receiver.ty);
        let flags = NodeFlags::default();
        let node = self.define(name, NodeKind::METHOD, holder, at, head_end, flags);
        self.function(node, Some(receiver));
    }

    /// The node of a type of this file, or the one that stands in for a type of another file.
    fn holder(&mut self, ty: StrId) -> LocalNode {
        if ty == StrId::EMPTY {
            return LocalNode::UNIT;
        }
        let span = span_of(self.node());
        if let Some(node) = self.holders.get(&ty).copied() {
            if let Some(known) = self.b.unit.node_mut(node)
                && known.kind == NodeKind::IMPL
            {
                known.span.end_line = span.end_line;
                known.span.end_byte = span.end_byte;
            }
            return node;
        }
        let name = self.b.unit.text(ty).to_string();
        let signature = format!("methods of {name}");
        let node = self.b.define(NewNode {
            span,
            signature: &signature,
            ..NewNode::new(&name, NodeKind::IMPL)
        });
        self.holders.insert(ty, node);
        node
    }

    /// The receiver of the method under the cursor.
    fn receiver(&mut self) -> Receiver {
        let mut receiver = Receiver::default();
        let Some(list) = self.child(F::Receiver) else {
            return receiver;
        };
        let Some(parameter) = list.named_child(0) else {
            return receiver;
        };
        if let Some(name) = self.child_of(parameter, F::Name) {
            receiver.name = Some(self.b.unit.intern(self.text_of(name)));
        }
        let mut ty = self.child_of(parameter, F::Type);
        for _ in 0..16 {
            let Some(at) = ty else { break };
            match self.kind_of(at) {
                K::PointerType | K::ParenthesizedType => ty = at.named_child(0),
                K::GenericType => {
                    if let Some(arguments) = self.child_of(at, F::TypeArguments) {
                        for i in 0..arguments.named_child_count() {
                            let Some(argument) =
                                arguments.named_child(u32::try_from(i).unwrap_or(u32::MAX))
                            else {
                                break;
                            };
                            receiver
                                .params
                                .push(self.b.unit.intern(self.text_of(argument)));
                        }
                    }
                    ty = self.child_of(at, F::Type);
                }
                K::TypeIdentifier => {
                    receiver.ty = self.b.unit.intern(self.text_of(at));
                    break;
                }
                _ => break,
            }
        }
        receiver
    }

    /// The function under the cursor. `node` is the unit's own for a literal.
    fn function(&mut self, node: LocalNode, receiver: Option<Receiver>) -> FunctionId {
        let function = self.b.function(node);
        if !self.deeper() {
            return function;
        }
        let owner = if node == LocalNode::UNIT {
            self.owner
        } else {
            self.b.add_signature(node, function);
            node
        };
        self.owned(owner, |w| {
            w.in_block(|w| {
                let mut names = Vec::new();
                if let Some(receiver) = receiver {
                    w.receiver_type(node, &receiver, &mut names);
                }
                w.signature(function, &mut names);
                // The types beside parameters do not see them.
                w.enter_scope();
                for (name, ty) in names {
                    w.declare(name, ty, ExprId::UNKNOWN);
                }
                if let Some(body) = w.child(F::Body)
                    && w.cursor.goto_first_child()
                {
                    // The parameters stand in the body's own block.
                    loop {
                        if w.node().id() == body.id() {
                            w.statements();
                        }
                        if !w.cursor.goto_next_sibling() {
                            break;
                        }
                    }
                    w.cursor.goto_parent();
                }
            });
        });
        self.shallower();
        function
    }

    fn receiver_type(&mut self, method: LocalNode, receiver: &Receiver, names: &mut Names) {
        let mut params: Vec<u32> = Vec::new();
        let mut args: Vec<u32> = Vec::new();
        for name in &receiver.params {
            let binding = self.b.bind(
                self.scope,
                *name,
                Space::Both,
                Bound::TypeParam {
                    bound: TypeId::UNKNOWN,
                    default: TypeId::UNKNOWN,
                },
            );
            params.push(binding.0);
            let scope = self.scope;
            args.push(self.b.named_type(scope, *name, List::EMPTY, List::EMPTY).0);
        }
        let args = self.b.list(&args);
        self.b.def(method).type_params = self.b.list(&params);
        let Some(name) = receiver.name else { return };
        if receiver.ty == StrId::EMPTY {
            return;
        }
        let ty = self
            .b
            .named_type(ScopeId::FILE, receiver.ty, List::EMPTY, args);
        names.push((name, ty));
    }

    /// Type parameters, parameters and results of what is under the cursor. Adds the names of parameters and results.
    pub(super) fn signature(&mut self, function: FunctionId, names: &mut Names) {
        self.each(|w, kind| match w.field() {
            F::TypeParameters => {
                let list = w.type_parameters();
                if let Some(f) = w.b.function_mut(function) {
                    f.type_params = list;
                }
            }
            F::Parameters => {
                let mut flags = 0;
                let types =
                    w.in_context(Context::PARAMETER_TYPE, |w| w.parameters(names, &mut flags));
                let params = w.b.list(&types);
                if let Some(f) = w.b.function_mut(function) {
                    f.params = params;
                    f.flags |= flags;
                }
            }
            F::Result => {
                let result = w.in_context(Context::RETURN_TYPE, |w| {
                    if kind != K::ParameterList {
                        return w.ty();
                    }
                    let types = w.parameters(names, &mut 0);
                    match types.as_slice() {
                        [] => TypeId::UNKNOWN,
                        [one] => TypeId(*one),
                        all => {
                            let list = w.b.list(all);
                            w.b.ty(TypeExpr::Tuple(list))
                        }
                    }
                });
                if let Some(f) = w.b.function_mut(function) {
                    f.result = result;
                }
            }
            _ => {}
        });
    }

    /// The types of the parameters under the cursor, one for each name.
    fn parameters(&mut self, all: &mut Names, flags: &mut u32) -> Vec<u32> {
        let mut types: Vec<u32> = Vec::new();
        self.each(|w, kind| {
            let rest = match kind {
                K::ParameterDeclaration => false,
                K::VariadicParameterDeclaration => true,
                _ => return,
            };
            let mut names: Vec<StrId> = Vec::new();
            let mut ty = TypeId::UNKNOWN;
            w.each_part(|w, _| match w.field() {
                F::Name => names.push(w.intern()),
                F::Type => ty = w.ty(),
                _ => {}
            });
            if rest {
                *flags |= FunctionFlags::REST;
                ty = w.b.ty(TypeExpr::Sequence(ty));
            }
            all.extend(names.iter().map(|name| (*name, ty)));
            types.extend(std::iter::repeat_n(ty.0, names.len().max(1)));
        });
        types
    }

    /// The type parameters under the cursor, bound in the current scope.
    pub(super) fn type_parameters(&mut self) -> List {
        let mut params: Vec<u32> = Vec::new();
        self.each(|w, kind| {
            if kind != K::TypeParameterDeclaration {
                return;
            }
            let first = params.len();
            let mut bound = TypeId::UNKNOWN;
            w.each_part(|w, _| match w.field() {
                F::Name => {
                    let name = w.intern();
                    let unknown = Bound::TypeParam {
                        bound: TypeId::UNKNOWN,
                        default: TypeId::UNKNOWN,
                    };
                    params.push(w.b.bind(w.scope, name, Space::Both, unknown).0);
                }
                F::Type => bound = w.ty_in(Context::TYPE),
                _ => {}
            });
            for param in params.iter().skip(first) {
                if let Some(binding) = w.b.unit.facts.bindings.get_mut(*param as usize) {
                    binding.bound = Bound::TypeParam {
                        bound,
                        default: TypeId::UNKNOWN,
                    };
                }
            }
        });
        self.b.list(&params)
    }

    /// The function literal under the cursor.
    pub(super) fn function_literal(&mut self) -> FunctionId {
        self.function(LocalNode::UNIT, None)
    }
}

//! Assignments that make types: type variables, and names for types.

use tree_sitter::Node as Syntax;

use super::kinds::{F, K};
use super::walker::{Around, Walker};
use crate::model::facts::{Bound, Space, TypeId};
use crate::model::label::{Context, NodeKind};
use crate::model::node::NodeFlags;

impl<'t> Walker<'t> {
    /// Type variables, and names for types.
    pub(super) fn special(
        &mut self,
        left: Syntax<'t>,
        written: Option<Syntax<'t>>,
        right: Option<Syntax<'t>>,
    ) -> bool {
        if let (Some(ty), Some(right)) = (written, right)
            && self.text_of(ty).rsplit('.').next() == Some("TypeAlias")
        {
            self.alias(left, right);
            return true;
        }
        let Some(right) = right.filter(|_| written.is_none()) else {
            return false;
        };
        if self.frame.around == Around::Function {
            return false;
        }
        match self.kind_of(right) {
            K::Subscript | K::BinaryOperator if self.looks_like_type(right) => {
                self.alias(left, right);
                true
            }
            K::Call => {
                let function = self.child_of(right, F::Function);
                let name = function.map_or("", |f| self.text_of(f));
                let is_var = matches!(
                    name.rsplit('.').next(),
                    Some("TypeVar" | "ParamSpec" | "TypeVarTuple")
                );
                if is_var {
                    self.type_variable(left, right);
                }
                false
            }
            _ => false,
        }
    }

    /// `Union[A, B]`, `dict[str, A]`, `A | None`: a value that only makes sense as a type.
    fn looks_like_type(&self, node: Syntax<'t>) -> bool {
        match self.kind_of(node) {
            K::Subscript => {
                let name = self
                    .child_of(node, F::Value)
                    .map_or("", |v| self.text_of(v));
                matches!(
                    name.rsplit('.').next().unwrap_or(name),
                    "Union"
                        | "Optional"
                        | "Callable"
                        | "Literal"
                        | "Type"
                        | "List"
                        | "Dict"
                        | "Set"
                        | "FrozenSet"
                        | "Tuple"
                        | "Mapping"
                        | "MutableMapping"
                        | "Sequence"
                        | "Iterable"
                        | "Iterator"
                        | "Annotated"
                        | "Awaitable"
                        | "Coroutine"
                        | "Generator"
                        | "AsyncIterator"
                        | "list"
                        | "dict"
                        | "set"
                        | "tuple"
                        | "type"
                        | "frozenset"
                )
            }
            K::BinaryOperator => {
                let text = self.text_of(node);
                let only_names = text
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_.|[], \n\t\"'()".contains(c));
                let typed = text
                    .split('|')
                    .any(|part| part.trim_end_matches([')', ' ']).ends_with("None"))
                    || text.contains('[');
                only_names && text.contains('|') && typed
            }
            _ => false,
        }
    }

    /// `T = TypeVar("T", bound=X)` also binds a type parameter.
    fn type_variable(&mut self, left: Syntax<'t>, right: Syntax<'t>) {
        let name = self.b.unit.intern(self.text_of(left));
        let mut bound = TypeId::UNKNOWN;
        if let Some(arguments) = self.child_of(right, F::Arguments) {
            for at in 0..16 {
                let Some(argument) = arguments.named_child(at) else {
                    break;
                };
                let is_bound = self.kind_of(argument) == K::KeywordArgument
                    && self
                        .child_of(argument, F::Name)
                        .is_some_and(|n| self.text_of(n) == "bound");
                if is_bound && let Some(value) = self.child_of(argument, F::Value) {
                    bound = self.type_of(value, Context::TYPE);
                }
            }
        }
        let default = TypeId::UNKNOWN;
        let param = Bound::TypeParam { bound, default };
        let scope = self.b.open();
        self.b.close(scope);
        let binding = self.b.bind(scope, name, Space::Type, param);
        self.type_vars.insert(name, binding);
    }

    /// A name for a type.
    fn alias(&mut self, left: Syntax<'t>, right: Syntax<'t>) {
        let at = self.node();
        let text = self.text_of(left);
        let id = self.b.unit.intern(text);
        let owner = self.owner;
        let flags = NodeFlags::default();
        let end = at.end_byte();
        let node = self.define(text, NodeKind::TYPE_ALIAS, owner, at, at, end, "", flags);
        self.named.insert((owner, id), node);
        self.owner = node;
        let ty = self.type_of(right, Context::TYPE);
        self.owner = owner;
        self.b.def(node).ty = ty;
        self.bind(id, Bound::Node(node));
    }

    /// `type X[T] = …`.
    pub(super) fn type_alias(&mut self) {
        let (Some(left), Some(right)) = (self.child(F::Left), self.child(F::Right)) else {
            return;
        };
        let text = self.text_of(left);
        let name = text.split('[').next().unwrap_or(text).trim();
        let at = self.node();
        let id = self.b.unit.intern(name);
        let owner = self.owner;
        let flags = NodeFlags::default();
        let end = at.end_byte();
        let node = self.define(name, NodeKind::TYPE_ALIAS, owner, at, at, end, "", flags);
        self.bind(id, Bound::Node(node));
        self.owner = node;
        let ty = self.type_of(right, Context::TYPE);
        self.owner = owner;
        self.b.def(node).ty = ty;
    }
}

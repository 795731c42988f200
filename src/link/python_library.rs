//! Python's own library, as far as it hands values of the index on: collections, iterators, coroutines, types of types.

use std::rc::Rc;

use super::eval::{Eval, Site};
use super::types::Ty;
use crate::model::facts::{Expr, ExprId};
use crate::model::label::NodeKind;

impl<'w> Eval<'w> {
    /// A type that a file names and nobody binds.
    pub(super) fn python_free_type(
        &mut self,
        unit: u32,
        name: &str,
        path: &[u32],
        args: Vec<Ty>,
    ) -> Ty {
        if let Some(hit) = self.python_star(unit, name) {
            let mut found = hit.found;
            for part in path {
                let part = self.world.text(unit, crate::ids::StrId(*part));
                let space = crate::model::facts::Space::Type;
                found = self.namespace_member(&found, part, space);
            }
            return self.named(&found, args);
        }
        match name {
            "list" | "set" | "frozenset" | "tuple" | "dict" | "type" | "Awaitable" => {
                self.python_generic(name, args)
            }
            _ if super::python_builtin::is_builtin(name) => Ty::Opaque,
            _ => Ty::Unknown,
        }
    }

    /// A type of a library, by its key.
    pub(super) fn python_outside_type(&mut self, key: &str, args: Vec<Ty>) -> Ty {
        let Some((module, name)) = key.split_once("::") else {
            return Ty::Opaque;
        };
        if module.starts_with("py:") || module == "pypi:typing_extensions" {
            return self.python_generic(name, args);
        }
        Ty::Opaque
    }

    fn python_generic(&mut self, name: &str, args: Vec<Ty>) -> Ty {
        let last = args.last().cloned().unwrap_or(Ty::Unknown);
        let mut args = args.into_iter();
        let mut next = || args.next().unwrap_or(Ty::Unknown);
        match name {
            "list"
            | "List"
            | "set"
            | "Set"
            | "frozenset"
            | "FrozenSet"
            | "AbstractSet"
            | "MutableSet"
            | "Sequence"
            | "MutableSequence"
            | "Iterable"
            | "Iterator"
            | "Generator"
            | "Collection"
            | "Container"
            | "Reversible"
            | "AsyncIterable"
            | "AsyncIterator"
            | "AsyncGenerator"
            | "deque"
            | "Deque"
            | "KeysView"
            | "ContextManager"
            | "AbstractContextManager"
            | "AsyncContextManager"
            | "AbstractAsyncContextManager"
            | "tuple"
            | "Tuple" => Ty::array(next()),
            "ValuesView" => Ty::array(next()),
            "ItemsView" => Ty::array(Ty::Tuple(vec![next(), last].into())),
            "dict"
            | "Dict"
            | "Mapping"
            | "MutableMapping"
            | "DefaultDict"
            | "defaultdict"
            | "OrderedDict"
            | "ChainMap"
            | "WeakValueDictionary"
            | "WeakKeyDictionary"
            | "MappingProxyType" => Ty::Map(Rc::new((next(), next()))),
            "ContextVar" | "Queue" | "SimpleQueue" | "LifoQueue" | "PriorityQueue" => {
                Ty::Map(Rc::new((Ty::Opaque, next())))
            }
            "Counter" => Ty::Map(Rc::new((next(), Ty::Opaque))),
            "Awaitable" | "Future" | "Task" => next().promise(),
            "Coroutine" => last.promise(),
            "type" | "Type" => {
                let of = next();
                self.type_of_instance(&of)
            }
            _ => Ty::Opaque,
        }
    }

    /// The class that a value is an instance of.
    fn type_of_instance(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Instance(sym, env) => Ty::Def(*sym, env.clone()),
            Ty::Union(all) => {
                let all = all.iter().map(|t| self.type_of_instance(t)).collect();
                Ty::union(all)
            }
            Ty::Param(unit, binding) => match self.bound_of(*unit, *binding) {
                Ty::Param(..) => Ty::Unknown,
                bound => self.type_of_instance(&bound),
            },
            Ty::Unknown => Ty::Unknown,
            _ => Ty::Opaque,
        }
    }

    /// A member of a library value; `None` for one that leads nowhere.
    pub(super) fn python_library_member(&self, receiver: &Ty, name: &str) -> Option<Ty> {
        let known = match receiver {
            Ty::Array(_) | Ty::Tuple(_) => matches!(
                name,
                "__iter__"
                    | "__aiter__"
                    | "__next__"
                    | "__anext__"
                    | "__getitem__"
                    | "__enter__"
                    | "__aenter__"
                    | "pop"
                    | "popleft"
                    | "copy"
                    | "union"
                    | "difference"
                    | "intersection"
            ),
            Ty::Map(_) | Ty::Record(_) | Ty::Object(..) => matches!(
                name,
                "__iter__"
                    | "__getitem__"
                    | "get"
                    | "items"
                    | "keys"
                    | "values"
                    | "pop"
                    | "popitem"
                    | "setdefault"
                    | "copy"
            ),
            Ty::Promise(_) => name == "result",
            _ => false,
        };
        known.then(|| Ty::LibraryMethod(Rc::new((receiver.clone(), name.into()))))
    }

    /// What a library method yields.
    pub(super) fn python_library_result(
        &mut self,
        receiver: &Ty,
        name: &str,
        site: Option<&Site>,
    ) -> Ty {
        match receiver {
            Ty::Tuple(_) if name == "__getitem__" => {
                // A number as the argument is written as a place of nothing.
                let arg = self.argument_expr(site, 0);
                let arg = site.and_then(|s| self.facts(s.unit)).map(|f| f.expr(arg));
                match arg {
                    Some(Expr::Index {
                        base: ExprId::UNKNOWN,
                        index,
                    }) => self.element_at(receiver, index),
                    _ => self.element(receiver),
                }
            }
            Ty::Array(_) | Ty::Tuple(_) => match name {
                "__iter__" | "__aiter__" => receiver.clone(),
                "copy" | "union" | "difference" | "intersection" => receiver.clone(),
                _ => self.element(receiver),
            },
            Ty::Map(pair) => {
                let (key, value) = (pair.0.clone(), pair.1.clone());
                self.table_result(receiver, name, key, value)
            }
            Ty::Object(unit, object, env) => {
                let env = env.clone();
                let value = self.object_element(*unit, *object, &env);
                self.table_result(receiver, name, Ty::Opaque, value)
            }
            Ty::Promise(inner) => (**inner).clone(),
            _ => Ty::Opaque,
        }
    }

    fn table_result(&mut self, receiver: &Ty, name: &str, key: Ty, value: Ty) -> Ty {
        // Which of a table's values a known key finds is known better elsewhere.
        let table = matches!(receiver, Ty::Object(..));
        match name {
            "__getitem__" if table => Ty::Unknown,
            "__getitem__" | "get" | "pop" | "setdefault" => value,
            "items" => Ty::array(Ty::Tuple(vec![key, value].into())),
            "keys" | "__iter__" => Ty::array(key),
            "values" => Ty::array(value),
            "popitem" => Ty::Tuple(vec![key, value].into()),
            "copy" => receiver.clone(),
            _ => Ty::Opaque,
        }
    }

    /// What iterating over a value yields.
    fn python_items(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Map(pair) => pair.0.clone(),
            Ty::Union(all) => {
                let all = all.iter().map(|t| self.python_items(t)).collect();
                Ty::union(all)
            }
            Ty::Object(..) => Ty::Opaque,
            other => self.element(other),
        }
    }

    /// What calling something of the library yields.
    pub(super) fn python_call(&mut self, callee: &Ty, site: Option<&Site>) -> Ty {
        match callee {
            Ty::Library(name) => {
                let name = name.clone();
                let name = name.strip_prefix("py:").unwrap_or(&name);
                self.builtin_call(name, site)
            }
            Ty::External(key) => {
                let key = key.clone();
                self.outside_call(&key, site)
            }
            _ => Ty::Opaque,
        }
    }

    fn builtin_call(&mut self, name: &str, site: Option<&Site>) -> Ty {
        let count = site.map_or(0, |s| self.entries(s.unit, s.args).len());
        match name {
            "enumerate" => {
                let items = self.argument(site, 0);
                let element = self.python_items(&items);
                Ty::array(Ty::Tuple(vec![Ty::Opaque, element].into()))
            }
            "zip" => {
                let mut parts = Vec::new();
                for at in 0..count.min(8) {
                    let items = self.argument(site, at);
                    parts.push(self.python_items(&items));
                }
                Ty::array(Ty::Tuple(parts.into()))
            }
            "sorted" | "reversed" | "list" | "set" | "frozenset" | "tuple" | "iter" | "aiter" => {
                let items = self.argument(site, 0);
                let element = self.python_items(&items);
                Ty::array(element)
            }
            "filter" => {
                let items = self.argument(site, 1);
                let element = self.python_items(&items);
                Ty::array(element)
            }
            "map" => {
                let function = self.argument(site, 0);
                let result = self.call_result(&function, None);
                Ty::array(result)
            }
            "next" | "anext" => {
                let items = self.argument(site, 0);
                self.python_items(&items)
            }
            "min" | "max" if count > 1 => {
                let mut all = Vec::new();
                for at in 0..count.min(8) {
                    all.push(self.argument(site, at));
                }
                Ty::union(all)
            }
            "min" | "max" => {
                let items = self.argument(site, 0);
                self.python_items(&items)
            }
            "type" if count == 1 => {
                let value = self.argument(site, 0);
                self.type_of_instance(&value)
            }
            "dict" => match self.argument(site, 0) {
                map @ (Ty::Map(_) | Ty::Object(..)) => map,
                _ => Ty::Map(Rc::new((Ty::Unknown, Ty::Unknown))),
            },
            _ => Ty::Opaque,
        }
    }

    fn outside_call(&mut self, key: &str, site: Option<&Site>) -> Ty {
        let Some((module, name)) = key.split_once("::") else {
            return Ty::Opaque;
        };
        match (module, name) {
            // What is called later is the function itself.
            ("py:functools", "partial" | "partialmethod") => match self.argument(site, 0) {
                function @ (Ty::Def(..) | Ty::Function(..)) => function,
                _ => Ty::Opaque,
            },
            ("py:copy", "copy" | "deepcopy")
            | ("py:dataclasses", "replace")
            | ("py:weakref", "proxy")
            | ("py:asyncio", "create_task" | "ensure_future" | "wait_for" | "shield")
            | ("py:inspect", "unwrap") => self.known_argument(site),
            ("py:weakref", "ref" | "WeakMethod") => {
                let value = self.known_argument(site);
                Ty::LibraryMethod(Rc::new((Ty::array(value), "__next__".into())))
            }
            ("py:asyncio", "run") => {
                let value = self.known_argument(site);
                self.awaited(&value)
            }
            ("py:contextlib", "closing" | "nullcontext" | "aclosing") => {
                let value = self.known_argument(site);
                Ty::array(value)
            }
            ("py:itertools", "chain" | "islice" | "takewhile" | "dropwhile" | "cycle")
            | ("py:collections", "deque") => {
                let at = usize::from(matches!(name, "takewhile" | "dropwhile"));
                let items = self.argument(site, at);
                let element = self.python_items(&items);
                Ty::array(element)
            }
            ("py:collections", "OrderedDict" | "defaultdict" | "ChainMap") => {
                let made = match self.argument(site, 0) {
                    class @ Ty::Def(..) => self.call_result(&class, None),
                    _ => Ty::Unknown,
                };
                Ty::Map(Rc::new((Ty::Unknown, made)))
            }
            _ => Ty::Opaque,
        }
    }

    /// The first argument, or nothing of the index.
    fn known_argument(&mut self, site: Option<&Site>) -> Ty {
        match self.argument(site, 0) {
            Ty::Unknown => Ty::Opaque,
            known => known,
        }
    }

    /// Whether a value is a class.
    pub(super) fn is_class(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Def(sym, _) if self.world.kind(*sym) == NodeKind::CLASS)
    }
}

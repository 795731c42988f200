//! The language's own library, as far as it hands values of the index on: collections, promises, functions.

use std::rc::Rc;

use super::dialect::Dialect;
use super::eval::{Eval, Site};
use super::types::Ty;
use crate::model::facts::{ExprId, TypeId};

impl<'w> Eval<'w> {
    /// A member of a library value; `None` for one that leads nowhere.
    pub(super) fn library_member(&self, receiver: &Ty, name: &str) -> Option<Ty> {
        let known = match receiver {
            Ty::Array(_) | Ty::Tuple(_) => matches!(
                name,
                "map"
                    | "flatMap"
                    | "filter"
                    | "slice"
                    | "concat"
                    | "sort"
                    | "toSorted"
                    | "reverse"
                    | "toReversed"
                    | "splice"
                    | "flat"
                    | "find"
                    | "findLast"
                    | "pop"
                    | "shift"
                    | "at"
                    | "forEach"
                    | "some"
                    | "every"
                    | "findIndex"
                    | "findLastIndex"
                    | "reduce"
                    | "reduceRight"
                    | "values"
                    | "entries"
                    | "next"
                    | "add"
                    | "toArray"
            ),
            Ty::Map(_) => matches!(
                name,
                "get" | "values" | "keys" | "entries" | "forEach" | "set"
            ),
            Ty::Promise(_) => matches!(name, "then" | "catch" | "finally"),
            Ty::Library(object) => matches!(
                (&**object, name),
                ("Promise", "all" | "race" | "any" | "resolve" | "allSettled")
                    | (
                        "Object",
                        "values" | "entries" | "assign" | "freeze" | "fromEntries" | "create"
                    )
                    | ("Array", "from" | "of")
            ),
            Ty::Function(..) | Ty::Def(..) => matches!(name, "call" | "apply" | "bind"),
            _ => false,
        };
        known.then(|| Ty::LibraryMethod(Rc::new((receiver.clone(), name.into()))))
    }

    pub(super) fn argument(&mut self, site: Option<&Site>, index: usize) -> Ty {
        let Some(site) = site else {
            return Ty::Unknown;
        };
        let Some(arg) = self.entries(site.unit, site.args).get(index) else {
            return Ty::Unknown;
        };
        self.expr(site.unit, ExprId(*arg), &site.env)
    }

    /// What a library method yields.
    pub(super) fn library_result(&mut self, receiver: &Ty, name: &str, site: Option<&Site>) -> Ty {
        if self.dialect == Dialect::Python {
            return self.python_library_result(receiver, name, site);
        }
        match receiver {
            Ty::Array(_) | Ty::Tuple(_) => self.sequence_result(receiver, name, site),
            Ty::Map(pair) => match name {
                "get" => pair.1.clone(),
                "values" => Ty::array(pair.1.clone()),
                "keys" => Ty::array(pair.0.clone()),
                "entries" => Ty::array(Ty::Tuple(vec![pair.0.clone(), pair.1.clone()].into())),
                "set" => receiver.clone(),
                _ => Ty::Opaque,
            },
            Ty::Promise(_) => match name {
                "then" => {
                    let callback = self.argument(site, 0);
                    let result = self.call_result(&callback, None);
                    result.promise()
                }
                _ => receiver.clone(),
            },
            Ty::Library(object) => {
                let object = object.clone();
                self.object_result(&object, name, site)
            }
            Ty::Function(..) | Ty::Def(..) => match name {
                "bind" => receiver.clone(),
                _ => self.call_result(receiver, None),
            },
            _ => Ty::Opaque,
        }
    }

    fn sequence_result(&mut self, receiver: &Ty, name: &str, site: Option<&Site>) -> Ty {
        match name {
            "map" | "flatMap" => {
                let callback = self.argument(site, 0);
                let mut result = self.call_result(&callback, None);
                if name == "flatMap" && matches!(result, Ty::Array(_) | Ty::Tuple(_)) {
                    result = self.element(&result);
                }
                Ty::array(result)
            }
            "find" | "findLast" | "pop" | "shift" | "at" => self.element(receiver),
            "forEach" | "some" | "every" | "findIndex" | "findLastIndex" => Ty::Opaque,
            "reduce" | "reduceRight" => {
                let written = site.and_then(|s| {
                    let first = self.entries(s.unit, s.type_args).first()?;
                    Some((s.unit, TypeId(*first), s.env.clone()))
                });
                if let Some((unit, ty, env)) = written {
                    return self.ty(unit, ty, &env);
                }
                let first = self.argument(site, 1);
                if !first.is_unknown() {
                    return first;
                }
                let callback = self.argument(site, 0);
                self.call_result(&callback, None)
            }
            "flat" => {
                let inner = self.element(receiver);
                match inner {
                    Ty::Array(_) | Ty::Tuple(_) => inner,
                    other => Ty::array(other),
                }
            }
            "entries" => {
                let element = self.element(receiver);
                Ty::array(Ty::Tuple(vec![Ty::Opaque, element].into()))
            }
            _ => Ty::array(self.element(receiver)),
        }
    }

    fn object_result(&mut self, object: &str, name: &str, site: Option<&Site>) -> Ty {
        let first = self.argument(site, 0);
        match (object, name) {
            ("Promise", "all") => match &first {
                Ty::Tuple(all) => {
                    let all: Vec<Ty> = all.clone().iter().map(|t| self.awaited(t)).collect();
                    Ty::Tuple(all.into()).promise()
                }
                Ty::Array(inner) => {
                    let inner = self.awaited(inner);
                    Ty::array(inner).promise()
                }
                _ => Ty::Unknown,
            },
            ("Promise", "race" | "any") => {
                let element = self.element(&first);
                let inner = self.awaited(&element);
                inner.promise()
            }
            ("Promise", "resolve") => first.promise(),
            ("Object", "values") => match &first {
                Ty::Record(value) => Ty::array((**value).clone()),
                _ => Ty::Unknown,
            },
            ("Object", "entries") => match &first {
                Ty::Record(value) => {
                    Ty::array(Ty::Tuple(vec![Ty::Opaque, (**value).clone()].into()))
                }
                _ => Ty::Unknown,
            },
            ("Object", "assign") => {
                let second = self.argument(site, 1);
                match (first, second) {
                    (a, Ty::Unknown) => a,
                    (Ty::Unknown, b) => b,
                    (a, b) => Ty::Both(vec![a, b].into()),
                }
            }
            ("Object", "freeze") => first,
            ("Array", "from") => {
                let callback = self.argument(site, 1);
                if callback.is_unknown() {
                    let element = self.element(&first);
                    return Ty::array(element);
                }
                Ty::array(self.call_result(&callback, None))
            }
            ("Array", "of") => Ty::array(first),
            _ => Ty::Opaque,
        }
    }

    /// A new instance of a library class.
    pub(super) fn library_instance(
        &mut self,
        name: &str,
        args: Vec<Ty>,
        site: Option<&Site>,
    ) -> Ty {
        let mut args = args.into_iter();
        match name {
            "Map" | "WeakMap" => {
                let key = args.next().unwrap_or(Ty::Unknown);
                let value = args.next().unwrap_or(Ty::Unknown);
                Ty::Map(Rc::new((key, value)))
            }
            "Set" | "WeakSet" | "Array" => {
                let element = match args.next() {
                    Some(ty) => ty,
                    None => {
                        let from = self.argument(site, 0);
                        self.element(&from)
                    }
                };
                Ty::array(element)
            }
            "Promise" => args.next().unwrap_or(Ty::Unknown).promise(),
            _ => Ty::Opaque,
        }
    }

    /// What a library method passes to its callback.
    pub(super) fn library_parameter(&mut self, receiver: &Ty, name: &str, index: u32) -> Ty {
        if let Some(name) = name.strip_prefix(super::classes::CALLBACK) {
            return self.outside_parameter(receiver, name, index);
        }
        match receiver {
            Ty::Array(_) | Ty::Tuple(_) => match (name, index) {
                ("reduce" | "reduceRight", 1) | ("sort" | "toSorted", 0 | 1) => {
                    self.element(receiver)
                }
                ("reduce" | "reduceRight", 0) => Ty::Unknown,
                (_, 0) => self.element(receiver),
                (_, 2) => receiver.clone(),
                _ => Ty::Opaque,
            },
            Ty::Map(pair) if name == "forEach" => match index {
                0 => pair.1.clone(),
                1 => pair.0.clone(),
                _ => receiver.clone(),
            },
            Ty::Promise(inner) if name == "then" && index == 0 => (**inner).clone(),
            _ => Ty::Opaque,
        }
    }
}

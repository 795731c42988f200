//! What lies outside the tree, as far as it hands values of the tree on: collections, optional and later values.

use std::rc::Rc;

use crate::link::eval::{Eval, Site};
use crate::link::types::{Env, Ty};
use crate::model::facts::{Expr, ExprId, TypeId};

/// A type that is not in the tree: what it holds, where its name says so.
pub(super) fn outside_type(name: &str, mut args: Vec<Ty>) -> Ty {
    if args.is_empty() {
        return Ty::Opaque;
    }
    match name {
        "List"
        | "ArrayList"
        | "LinkedList"
        | "Set"
        | "HashSet"
        | "LinkedHashSet"
        | "TreeSet"
        | "SortedSet"
        | "Collection"
        | "Iterable"
        | "Iterator"
        | "Stream"
        | "Queue"
        | "Deque"
        | "ArrayDeque"
        | "PriorityQueue"
        | "Optional"
        | "MutableList"
        | "MutableSet"
        | "MutableCollection"
        | "Sequence"
        | "Array"
        | "Flow"
        | "StateFlow"
        | "IEnumerable"
        | "IList"
        | "ICollection"
        | "IReadOnlyList"
        | "IReadOnlyCollection"
        | "IQueryable"
        | "ISet"
        | "IEnumerator"
        | "IAsyncEnumerable"
        | "Stack"
        | "ConcurrentBag"
        | "ImmutableList"
        | "ImmutableArray"
        | "ObservableCollection"
        | "Supplier"
        | "Provider"
        | "Lazy"
        | "AtomicReference"
        | "CopyOnWriteArrayList"
        | "Nullable"
        | "Span" => Ty::array(args.swap_remove(0)),
        "Task" | "ValueTask" | "CompletableFuture" | "CompletionStage" | "Future" | "Deferred" => {
            args.swap_remove(0).promise()
        }
        "Map"
        | "HashMap"
        | "LinkedHashMap"
        | "TreeMap"
        | "SortedMap"
        | "ConcurrentHashMap"
        | "ConcurrentMap"
        | "MutableMap"
        | "Dictionary"
        | "IDictionary"
        | "IReadOnlyDictionary"
        | "ConcurrentDictionary"
        | "SortedDictionary"
        | "ImmutableDictionary"
            if args.len() == 2 =>
        {
            let value = args.swap_remove(1);
            let key = args.swap_remove(0);
            Ty::Map(Rc::new((key, value)))
        }
        "Consumer" | "Predicate" | "Function" | "UnaryOperator" | "BiFunction" | "BiConsumer"
        | "BiPredicate" | "ToIntFunction" | "Action" | "Func" | "Converter" | "Comparator" => {
            if name == "Comparator" {
                args.extend(args.first().cloned());
            }
            callback(Ty::Tuple(args.into()), "")
        }
        _ => Ty::Opaque,
    }
}

/// What is called with values from `receiver`.
fn callback(receiver: Ty, name: &str) -> Ty {
    let name = format!("{}{name}", super::CALLBACK);
    Ty::LibraryCallback(Rc::new((receiver, name.into())))
}

impl<'w> Eval<'w> {
    /// What a method of a collection, an optional or a later value yields.
    pub(super) fn outside_result(&mut self, receiver: &Ty, name: &str, site: &Site) -> Ty {
        match receiver {
            Ty::Array(element) => match name {
                "map" | "mapNotNull" | "Select" | "compactMap" | "flatMap" | "SelectMany" => {
                    let args = self.entries(site.unit, site.args);
                    let Some(argument) = args.first() else {
                        return Ty::Opaque;
                    };
                    let lambda = self.expr(site.unit, ExprId(*argument), &site.env);
                    match self.call_result(&lambda, None) {
                        Ty::Array(inner) if matches!(name, "flatMap" | "SelectMany") => {
                            Ty::Array(inner)
                        }
                        inner => Ty::array(inner),
                    }
                }
                "get" | "getFirst" | "getLast" | "first" | "last" | "firstOrNull"
                | "lastOrNull" | "single" | "singleOrNull" | "find" | "random" | "elementAt"
                | "next" | "orElse" | "orElseThrow" | "orElseGet" | "poll" | "peek" | "pop"
                | "remove" | "removeFirst" | "removeLast" | "element" | "min" | "max" | "First"
                | "FirstOrDefault" | "Single" | "SingleOrDefault" | "Last" | "LastOrDefault"
                | "ElementAt" | "Find" | "Dequeue" | "Peek" | "Pop" => (**element).clone(),
                "stream" | "parallelStream" | "iterator" | "filter" | "sorted" | "distinct"
                | "limit" | "skip" | "toList" | "findFirst" | "findAny" | "filterNot"
                | "filterNotNull" | "sortedBy" | "sortedByDescending" | "take" | "drop"
                | "takeWhile" | "dropWhile" | "reversed" | "asSequence" | "toMutableList"
                | "toSet" | "distinctBy" | "subList" | "Where" | "OrderBy"
                | "OrderByDescending" | "ThenBy" | "Take" | "Skip" | "ToList" | "ToArray"
                | "AsEnumerable" | "Distinct" | "Reverse" | "onEach" | "peekAll" => {
                    receiver.clone()
                }
                _ => Ty::Opaque,
            },
            Ty::Map(pair) => match name {
                "get" | "getOrDefault" | "getValue" | "getOrPut" | "computeIfAbsent" | "remove"
                | "put" => pair.1.clone(),
                "values" => Ty::array(pair.1.clone()),
                "keySet" => Ty::array(pair.0.clone()),
                _ => Ty::Opaque,
            },
            Ty::Promise(inner) => match name {
                "get" | "join" | "await" | "Result" => (**inner).clone(),
                "ConfigureAwait" => receiver.clone(),
                _ => Ty::Opaque,
            },
            _ => Ty::Opaque,
        }
    }

    /// What the callee of a call expects as the argument at a place.
    pub(in crate::link) fn class_expected(
        &mut self,
        unit: u32,
        call: ExprId,
        index: u32,
        env: &Env,
    ) -> Ty {
        let callees = self.call_members(unit, call, env);
        let Some(facts) = self.facts(unit) else {
            return Ty::Unknown;
        };
        let Expr::Call { callee, .. } = facts.expr(call) else {
            return Ty::Unknown;
        };
        if let [member] = callees.found.members.as_slice() {
            let f = self
                .facts(member.sym.unit)
                .and_then(|f| f.function(self.functions_of(member.sym)));
            let Some(f) = f else { return Ty::Unknown };
            let params = self.entries(member.sym.unit, f.params);
            return match params.get(index as usize) {
                Some(ty) => self.ty(member.sym.unit, TypeId(*ty), &member.env),
                None => Ty::Unknown,
            };
        }
        match (facts.expr(callee), callees.receiver) {
            (Expr::Member { name, .. }, Some(receiver)) if callees.found.is_empty() => {
                let name = self.world.text(unit, name);
                callback(receiver, name)
            }
            _ => Ty::Unknown,
        }
    }

    /// What a method from outside, or a written function type, passes to what it calls.
    pub(in crate::link) fn outside_parameter(
        &mut self,
        receiver: &Ty,
        name: &str,
        index: u32,
    ) -> Ty {
        match (receiver, name, index) {
            (Ty::Tuple(all), "", _) => all.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            (Ty::Unknown, ..) => Ty::Unknown,
            (_, "let" | "also" | "takeIf" | "takeUnless", 0) => receiver.clone(),
            (
                Ty::Array(_),
                "fold" | "reduce" | "Aggregate" | "forEachIndexed" | "mapIndexed",
                1,
            )
            | (
                Ty::Array(_),
                "forEach" | "map" | "filter" | "flatMap" | "anyMatch" | "allMatch" | "noneMatch"
                | "ifPresent" | "mapToInt" | "removeIf" | "mapNotNull" | "filterNot" | "any"
                | "all" | "none" | "find" | "first" | "firstOrNull" | "last" | "sortedBy"
                | "groupBy" | "associateBy" | "sumOf" | "onEach" | "count" | "single" | "Where"
                | "Select" | "SelectMany" | "Any" | "All" | "First" | "FirstOrDefault" | "Single"
                | "SingleOrDefault" | "OrderBy" | "OrderByDescending" | "ForEach" | "GroupBy"
                | "ToDictionary" | "Count" | "Sum" | "compactMap" | "contains" | "firstIndex"
                | "allSatisfy" | "each" | "takeWhile" | "dropWhile" | "peek",
                0,
            ) => self.element(receiver),
            (Ty::Map(pair), "forEach", 0) => pair.0.clone(),
            (Ty::Map(pair), "forEach", 1) => pair.1.clone(),
            (Ty::Promise(inner), "thenApply" | "thenAccept" | "thenCompose", 0) => {
                (**inner).clone()
            }
            _ => Ty::Opaque,
        }
    }
}

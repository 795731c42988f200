//! What lies outside the tree, as far as it hands values of the tree on: collections, optional and later values.

use std::rc::Rc;

use crate::link::eval::{Eval, Site};
use crate::link::types::Ty;

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
        _ => Ty::Opaque,
    }
}

impl<'w> Eval<'w> {
    /// What a method of a collection, an optional or a later value yields.
    pub(super) fn outside_result(&mut self, receiver: &Ty, name: &str, _site: &Site) -> Ty {
        match receiver {
            Ty::Array(element) => match name {
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
}

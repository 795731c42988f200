//! Names of the languages and their platforms: never targets, and not worth keeping as unresolved.

/// Library objects whose members hand values on.
pub(super) fn is_library_object(name: &str) -> bool {
    matches!(
        name,
        "Promise" | "Object" | "Array" | "Map" | "Set" | "WeakMap" | "WeakSet"
    )
}

/// Names that the platform binds in every file.
pub(super) fn is_global(name: &str) -> bool {
    GLOBALS.binary_search(&name).is_ok() || is_library_object(name)
}

/// Members that nearly every library type has: a call of one on an unknown receiver tells nothing.
pub(super) fn is_common_member(name: &str) -> bool {
    COMMON_MEMBERS.binary_search(&name).is_ok()
}

/// Sorted.
const GLOBALS: [&str; 150] = [
    "AbortController", "AbortSignal", "AggregateError", "ArrayBuffer", "AsyncDisposableStack",
    "Atomics", "Audio", "BigInt", "BigInt64Array", "BigUint64Array", "Blob", "Boolean", "Buffer",
    "Bun", "CompressionStream", "CustomEvent", "DOMException", "DataView", "Date",
    "DecompressionStream", "Deno", "DisposableStack", "Element", "Error", "EvalError", "Event",
    "EventSource", "EventTarget", "File", "FileReader", "FinalizationRegistry", "Float32Array",
    "Float64Array", "FormData", "Function", "HTMLElement", "Headers", "Image", "Infinity",
    "Int16Array", "Int32Array", "Int8Array", "IntersectionObserver", "Intl", "Iterator", "JSON",
    "Math", "MessageChannel", "MutationObserver", "NaN", "Node", "Number", "Option", "Proxy",
    "RangeError", "ReadableStream", "ReferenceError", "Reflect", "RegExp", "Request",
    "ResizeObserver", "Response", "SharedArrayBuffer", "String", "SuppressedError", "Symbol",
    "SyntaxError", "TextDecoder", "TextEncoder", "TransformStream", "TypeError", "URL",
    "URLSearchParams", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakRef",
    "WebAssembly", "WebSocket", "Worker", "WritableStream", "XMLHttpRequest", "__dirname",
    "__filename", "afterAll", "afterEach", "alert", "arguments", "atob", "beforeAll", "beforeEach",
    "btoa", "cancelAnimationFrame", "clearImmediate", "clearInterval", "clearTimeout", "confirm",
    "console", "crypto", "decodeURI", "decodeURIComponent", "define", "describe", "document",
    "encodeURI", "encodeURIComponent", "escape", "eval", "expect", "exports", "fetch",
    "getComputedStyle", "global", "globalThis", "history", "import.meta", "importScripts",
    "isFinite", "isNaN", "it", "jest", "localStorage", "location", "matchMedia", "module",
    "navigator", "parseFloat", "parseInt", "performance", "postMessage", "process", "prompt",
    "queueMicrotask", "reportError", "requestAnimationFrame", "require", "self", "sessionStorage",
    "setImmediate", "setInterval", "setTimeout", "structuredClone", "suite", "test", "this",
    "undefined", "unescape", "vi", "window",
];

/// Sorted.
const COMMON_MEMBERS: [&str; 202] = [
    "abort", "abs", "add", "addEventListener", "all", "append", "appendChild", "apply",
    "arrayBuffer", "assign", "at", "atan2", "bind", "blob", "blur", "byteLength", "call", "cancel",
    "catch", "ceil", "charAt", "charCodeAt", "clear", "click", "clone", "close", "clz32",
    "codePointAt", "concat", "cos", "create", "createElement", "debug", "decode", "defineProperty",
    "delete", "dispatchEvent", "emit", "encode", "end", "endsWith", "entries", "error", "every",
    "exec", "exp", "fill", "filter", "finally", "find", "findIndex", "flat", "flatMap", "floor",
    "focus", "forEach", "formData", "format", "freeze", "from", "fromCharCode", "fromEntries",
    "fround", "get", "getAll", "getAttribute", "getElementById", "getFullYear", "getItem",
    "getOwnPropertyDescriptor", "getOwnPropertyNames", "getPrototypeOf", "getReader", "getTime",
    "group", "groupEnd", "has", "hasOwnProperty", "hypot", "imul", "includes", "indexOf", "info",
    "is", "isArray", "isFinite", "isInteger", "isNaN", "isPrototypeOf", "item", "join", "json",
    "keys", "lastIndexOf", "listen", "localeCompare", "log", "log10", "log2", "map", "match",
    "matchAll", "max", "min", "mockImplementation", "mockReturnValue", "next", "normalize", "now",
    "off", "on", "once", "open", "padEnd", "padStart", "parse", "pipe", "pop", "pow",
    "preventDefault", "propertyIsEnumerable", "push", "querySelector", "random", "read", "reduce",
    "reduceRight", "reject", "releaseLock", "remove", "removeEventListener", "removeItem",
    "removeListener", "repeat", "replace", "replaceAll", "resolve", "return", "reverse", "round",
    "search", "send", "set", "setAttribute", "setItem", "setPrototypeOf", "shift", "sign", "sin",
    "slice", "some", "sort", "splice", "split", "sqrt", "startsWith", "stopPropagation",
    "stringify", "subarray", "substr", "substring", "table", "test", "text", "then", "throw",
    "time", "timeEnd", "toBe", "toBeDefined", "toBeNull", "toBeUndefined", "toContain",
    "toDateString", "toEqual", "toFixed", "toHaveBeenCalled", "toHaveBeenCalledTimes",
    "toHaveBeenCalledWith", "toHaveLength", "toISOString", "toJSON", "toLocaleString",
    "toLowerCase", "toMatchInlineSnapshot", "toMatchObject", "toPrecision", "toStrictEqual",
    "toString", "toThrow", "toUTCString", "toUpperCase", "trace", "trim", "trimEnd", "trimStart",
    "trunc", "unshift", "valueOf", "values", "warn", "write",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(GLOBALS.is_sorted());
        assert!(COMMON_MEMBERS.is_sorted());
        assert!(is_global("console") && !is_global("flush"));
        assert!(is_common_member("push") && !is_common_member("enqueue"));
    }
}

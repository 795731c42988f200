//! What a file of Python yields, and that any text yields something.

#![allow(clippy::unwrap_used)]

use crate::extract::{ExtractOptions, extract};
use crate::ids::LocalNode;
use crate::model::facts::Imported;
use crate::model::label::{Labels, Language};
use crate::model::node::NodeFlags;
use crate::model::unit::{FileFlags, Unit};

fn unit(source: &str) -> Unit {
    extract(
        "src/a.py",
        Language::PYTHON,
        source.as_bytes(),
        &ExtractOptions::default(),
    )
}

/// `kind Outer.name line` of every definition.
fn nodes(unit: &Unit) -> Vec<String> {
    let labels = Labels::default();
    unit.nodes()
        .iter()
        .skip(1)
        .map(|node| {
            let mut name = unit.text(node.name).to_string();
            let mut parent = node.parent;
            while parent != LocalNode::UNIT {
                let around = unit.node(parent).unwrap();
                name = format!("{}.{name}", unit.text(around.name));
                parent = around.parent;
            }
            format!(
                "{} {name} {}",
                node.kind.name(&labels),
                node.span.start_line
            )
        })
        .collect()
}

#[test]
fn definitions_of_all_kinds_are_nodes() {
    let unit = unit(
        r#"
import enum
LIMIT = 3
name: str = "x"
Alias = dict[str, int]
half = lambda x: x / 2

class Base(enum.Enum):
    RED = 1
    def paint(self): ...

@final
class C:
    size: int = 0
    def __init__(self, a):
        self.a = a
        self.b, self.c = a
        self.size = 1
        local = 2
    @property
    def p(self): ...
    @p.setter
    def p(self, v): ...
    @staticmethod
    def s(): ...
    class In: ...
    async def go(self):
        def inner(): ...

if LIMIT:
    def maybe(): ...
"#,
    );
    assert_eq!(
        nodes(&unit),
        [
            "constant LIMIT 3",
            "variable name 4",
            "type Alias 5",
            "function half 6",
            "class Base 8",
            "enum_member Base.RED 9",
            "method Base.paint 10",
            "class C 13",
            "field C.size 14",
            "constructor C.__init__ 15",
            "field C.a 16",
            "field C.b 17",
            "field C.c 17",
            "accessor C.p 21",
            "accessor C.p 23",
            "method C.s 25",
            "class C.In 26",
            "method C.go 27",
            "function C.go.inner 28",
            "function maybe 31",
        ]
    );
    let by_name = |name: &str| {
        let nodes = unit.nodes();
        *nodes.iter().find(|n| unit.text(n.name) == name).unwrap()
    };
    assert!(by_name("s").flags.has(NodeFlags::STATIC));
    assert!(by_name("go").flags.has(NodeFlags::ASYNC));
    assert!(by_name("maybe").flags.has(NodeFlags::EXPORTED));
    assert_eq!(unit.text(by_name("go").signature), "async def go(self)");
}

#[test]
fn overloads_are_one_node_and_doc_strings_are_read() {
    let unit = unit(
        "\"\"\"The file.\"\"\"\nfrom typing import overload\n@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\ndef f(x):\n    '''Does it.\n\n    More.\n    '''\n    return x\n",
    );
    assert_eq!(nodes(&unit), ["function f 7"]);
    let f = unit.node(LocalNode(1)).unwrap();
    assert_eq!(unit.text(f.doc), "Does it.");
    assert!(!f.flags.has(NodeFlags::ABSTRACT));
    assert_eq!(
        unit.text(unit.node(LocalNode::UNIT).unwrap().doc),
        "The file."
    );
}

#[test]
fn imports_keep_their_dots_and_say_what_they_take() {
    let unit = unit(
        "import a.b, c as d\nfrom . import e\nfrom ..f.g import h as i, j\nfrom k import *\nif TYPE_CHECKING:\n    import l\n",
    );
    let imports: Vec<(String, bool, u32)> = unit
        .facts
        .imports
        .iter()
        .map(|i| {
            let taken = match i.imported {
                Imported::Name(name) => unit.text(name).to_string(),
                other => format!("{other:?}"),
            };
            (
                format!("{} {taken}", unit.text(i.module)),
                i.type_only,
                i.level,
            )
        })
        .collect();
    let expected = [
        ("a Namespace", false, 0),
        ("a.b SideEffect", false, 0),
        ("c Namespace", false, 0),
        (". e", false, 1),
        ("..f.g h", false, 2),
        ("..f.g j", false, 2),
        ("k Glob", false, 0),
        ("l Namespace", true, 0),
    ];
    let found: Vec<(&str, bool, u32)> = imports
        .iter()
        .map(|(text, type_only, level)| (text.as_str(), *type_only, *level))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn nesting_without_end_is_cut_and_said() {
    let deep = 5_000;
    let lines = |head: &str| -> String {
        (0..600)
            .map(|i| format!("{}{head}\n", " ".repeat(i)))
            .collect()
    };
    for source in [
        format!("x = {}{}\n", "(".repeat(deep), ")".repeat(deep)),
        format!("x = {}{}\n", "[".repeat(deep), "]".repeat(deep)),
        format!("x = {}1{}\n", "{1: ".repeat(deep), "}".repeat(deep)),
        format!("x = {}1\n", "lambda: ".repeat(deep)),
        format!("x = {}1\n", "not ".repeat(deep)),
        format!("{}1\n", "x = ".repeat(deep)),
        format!("{}x{}\n", "f(".repeat(deep), ")".repeat(deep)),
        format!("x: {}int{}\n", "list[".repeat(deep), "]".repeat(deep)),
        format!("x: '{}int{}'\n", "list[".repeat(deep), "]".repeat(deep)),
        format!("x = {}1\n", "1 if a else ".repeat(deep)),
        format!("{}pass\n", lines("def f():")),
        format!("{}pass\n", lines("class C:")),
        format!("{}pass\n", lines("if x:")),
        format!("{}pass\n", lines("with x as y:")),
        format!(
            "match x:\n case {}1{}: pass\n",
            "[".repeat(deep),
            "]".repeat(deep)
        ),
    ] {
        let unit = unit(&source);
        let cut = unit.meta.flags & FileFlags::INCOMPLETE != 0 || unit.meta.parse_errors > 0;
        let head: String = source.chars().take(20).collect();
        assert!(cut, "{head}");
    }
    // Chains are not nesting.
    let chain = format!(
        "x{}\ny = 1{}\n",
        ".a()[0]".repeat(deep),
        " + 1".repeat(deep)
    );
    assert_eq!(unit(&chain).meta.flags & FileFlags::INCOMPLETE, 0);
}

#[test]
fn broken_texts_still_yield_a_unit() {
    let source = "@a.b(c)\nasync def f(self, *a: int, k=1, **o) -> \"X[Y]\":\n    with g() as (x, y), h:\n        async for i, *j in await z[1:2, 'k']:\n            yield {**m, 'q': lambda u, /: u}\n    match w:\n        case A(b=1, c=[d, *_]) as e if e: return f'{x!r:>{y}} {i}'\n    try: import p.q as r\n    except (V, W) as v: raise T from v\n    else: x: int = y = (n := 2)\n    finally: del o.k, t[0]; global s; s += 1\nclass C(B[T], metaclass=M):\n    [a for b in c if d for e in f]; __slots__ = 'x',\n";
    let whole = unit(source);
    assert_eq!(whole.meta.parse_errors, 0);
    for at in 0..source.len() {
        let (Some(head), Some(tail)) = (source.get(..at), source.get(at + 1..)) else {
            continue;
        };
        unit(head);
        let cut = unit(&format!("{head}{tail}"));
        for (place, node) in cut.nodes().iter().enumerate().skip(1) {
            assert!(node.parent.index() < place);
            assert!(node.span.start_line <= node.span.end_line);
            assert!(node.span.start_byte <= node.span.end_byte);
        }
    }
}

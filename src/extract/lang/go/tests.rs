#![allow(clippy::unwrap_used)]

use crate::extract::{ExtractOptions, extract};
use crate::ids::LocalNode;
use crate::model::label::{Labels, Language};
use crate::model::node::{Node, NodeFlags};
use crate::model::unit::{FileFlags, Unit};

fn unit(source: &str) -> Unit {
    let options = ExtractOptions::default();
    extract("p/a.go", Language::GO, source.as_bytes(), &options)
}

fn outline(unit: &Unit) -> Vec<String> {
    let labels = Labels::default();
    let keys = unit.keys();
    unit.nodes()
        .iter()
        .zip(keys)
        .skip(1)
        .map(|(node, key)| {
            let part = key.split_once("::").unwrap().1.to_string();
            let span = node.span;
            let kind = node.kind.name(&labels);
            format!("{part} {kind} {}-{}", span.start_line, span.end_line)
        })
        .collect()
}

fn node<'a>(unit: &'a Unit, name: &str) -> &'a Node {
    unit.nodes()
        .iter()
        .skip(1)
        .find(|n| unit.text(n.name) == name)
        .unwrap()
}

#[test]
fn every_declaration_is_a_node_in_its_place() {
    let unit = unit(
        "package p\n\
         func (t *T) Get() {}\n\
         type T struct {\n\ta, b int\n\t*Base\n\tpkg.Other\n}\n\
         type (\n\tI interface {\n\t\tM(x int) error\n\t\tfmt.Stringer\n\t}\n\tKind int\n\tAlias = T\n)\n\
         func (o Other) Put() {}\n\
         func (o *Other) Pop() {}\n\
         const (\n\tA Kind = iota\n\tB\n\t_\n)\n\
         var x, y = 1, 2\n\
         var f = func() {}\n\
         func init() {}\nfunc init() {}\n\
         func outer() { type inner struct{ z int }; var local int; _ = local }\n\
         func (s Stack[K]) Push(k K) {}\n",
    );
    assert_eq!(
        outline(&unit),
        [
            "T class 3-7",
            "I interface 9-12",
            "Kind type 13-13",
            "Alias type 14-14",
            "T.Get() method 2-2",
            "T.a field 4-4",
            "T.b field 4-4",
            "T.Base field 5-5",
            "T.Other field 6-6",
            "I.M() method 10-10",
            "Other impl 16-17",
            "Other.Put() method 16-16",
            "Other.Pop() method 17-17",
            "A constant 19-19",
            "B constant 20-20",
            "x variable 23-23",
            "y variable 23-23",
            "f() function 24-24",
            "init() function 25-25",
            "init()~2 function 26-26",
            "outer() function 27-27",
            "outer().inner class 27-27",
            "outer().inner.z field 27-27",
            "Stack impl 28-28",
            "Stack.Push() method 28-28",
        ]
    );
    assert!(node(&unit, "M").flags.has(NodeFlags::ABSTRACT));
    assert!(node(&unit, "Get").flags.has(NodeFlags::EXPORTED));
    assert!(!node(&unit, "f").flags.has(NodeFlags::EXPORTED));
    assert_eq!(unit.text(unit.facts.package), "p");
}

#[test]
fn comments_before_declarations_are_their_docs_and_signatures_are_one_line() {
    let unit = unit(
        "// Package p does it.\n//\n// More.\npackage p\n\n\
         // T is a thing.\n//\n// Deprecated: use U.\ntype T struct {\n\t// N counts.\n\tN int\n}\n\n\
         //go:generate x\n\n// far\n\nfunc f(a,\n\tb int) (c int, err error) {\n\treturn\n}\n\
         //go:noinline\n// g runs.\nfunc g() {}\n\
         const (\n\t// One is first.\n\tOne = 1\n)\n",
    );
    let file = unit.node(LocalNode::UNIT).unwrap();
    assert_eq!(unit.text(file.doc), "Package p does it.");
    assert_eq!(unit.text(node(&unit, "T").doc), "T is a thing.");
    assert!(node(&unit, "T").flags.has(NodeFlags::DEPRECATED));
    assert_eq!(unit.text(node(&unit, "N").doc), "N counts.");
    assert_eq!(unit.text(node(&unit, "f").doc), "");
    assert_eq!(unit.text(node(&unit, "g").doc), "g runs.");
    assert_eq!(unit.text(node(&unit, "One").doc), "One is first.");
    assert_eq!(unit.text(node(&unit, "T").signature), "type T struct");
    let signature = unit.text(node(&unit, "f").signature);
    assert_eq!(signature, "func f(a, b int) (c int, err error)");
}

#[test]
fn nesting_of_a_hundred_thousand_levels_is_survived() {
    const N: usize = 100_000;
    let deep = |before: &str, open: &str, middle: &str, close: &str| {
        let (open, close) = (
            format!("{open}\n").repeat(N),
            format!("{close}\n").repeat(N),
        );
        format!("package p\nfunc first() {{}}\n{before}{open}{middle}{close}")
    };
    let sources = [
        deep("var a = ", "(", "1", ")"),
        deep("var a = ", "!", "b", ""),
        deep("var a = ", "[]T{", "", "}"),
        deep("var a = ", "T{{", "", "}}"),
        deep("var a ", "[]", "T", ""),
        deep("var a ", "map[K]", "T", ""),
        deep("var a ", "func(", "T", ")"),
        deep("var a ", "struct{ b", "T", "}"),
        deep("var a = ", "func() {", "", "}"),
        deep("func f() {", "{", "", "}"),
        deep("func f() {", "if x {", "", "}"),
        deep("func f() {", "switch { case x:", "", "}"),
        deep("var a = ", "f(", "", ")"),
        deep("var a = ", "x[", "1", "]"),
        deep("type A ", "B[", "int", "]"),
    ];
    for source in sources {
        let unit = unit(&source);
        let head = source.get(27..50).unwrap();
        let noticed = unit.meta.flags & FileFlags::INCOMPLETE != 0 || unit.meta.parse_errors > 0;
        assert!(noticed, "{head}");
    }
}

#[test]
fn long_chains_are_no_nesting() {
    const N: usize = 20_000;
    let calls = format!("package p\nfunc f() {{ a{} }}\n", ".\nb()".repeat(N));
    let sums = format!("package p\nfunc f() {{ _ = 1{} }}\n", " +\nh()".repeat(N));
    let ladder = format!(
        "package p\nfunc f() {{ {} {{}} }}\n",
        "if a() {} else\n".repeat(N)
    );
    for source in [calls, sums, ladder] {
        let unit = unit(&source);
        assert_eq!(unit.meta.flags & FileFlags::INCOMPLETE, 0);
        assert!(unit.facts.refs.len() >= N, "{}", unit.facts.refs.len());
        assert_eq!(outline(&unit).len(), 1);
    }
}

#[test]
fn text_that_is_cut_anywhere_is_read() {
    let source = include_str!("../../../../tests/link/go.txt");
    for end in (0..source.len()).step_by(97) {
        let Some(start) = source.get(..end) else {
            continue;
        };
        let unit = unit(start);
        let lines = unit.meta.lines;
        for (i, node) in unit.nodes().iter().enumerate().skip(1) {
            assert!(node.parent.index() < i);
            assert!(node.span.start_line <= node.span.end_line && node.span.end_line <= lines);
        }
    }
}

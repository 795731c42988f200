#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::extract::{ExtractOptions, extract};
use crate::ids::LocalNode;
use crate::model::label::{Language, NodeKind};
use crate::model::node::NodeFlags;
use crate::model::unit::{FileFlags, Unit};

fn read(path: &str, text: &str) -> Unit {
    let language = if path.ends_with("pp") {
        Language::CPP
    } else {
        Language::C
    };
    extract(path, language, text.as_bytes(), &ExtractOptions::default())
}

/// All nodes as `kind holder.name`, in order.
fn nodes(unit: &Unit) -> Vec<String> {
    let name = |node: LocalNode| unit.text(unit.node(node).unwrap().name).to_string();
    unit.nodes()
        .iter()
        .skip(1)
        .map(|n| {
            let kind = n.kind.built_in_name().unwrap();
            let holder = if n.parent == LocalNode::UNIT {
                String::new()
            } else {
                format!("{}.", name(n.parent))
            };
            format!("{kind} {holder}{}", unit.text(n.name))
        })
        .collect()
}

#[test]
fn the_nodes_of_a_c_file() {
    let unit = read(
        "a.h",
        "#ifndef A_H\n#define A_H\n#define N 3\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\
         struct s { int x, *y; struct s *next; unsigned f : 3; union { int a; float b; }; };\n\
         typedef struct { int q; } t;\ntypedef struct u u;\ntypedef int (*fn)(int);\n\
         enum e { A, B = 2 };\nenum { LOOSE };\nextern int g;\nint f(int a);\nstatic int h(void);\n\
         static int h(void) { return 1; }\nstatic const int table[] = { 1 };\n#endif\n",
    );
    assert_eq!(
        nodes(&unit),
        [
            "constant N",
            "macro MAX",
            "struct s",
            "field s.x",
            "field s.y",
            "field s.next",
            "field s.f",
            "field s.a",
            "field s.b",
            "struct t",
            "field t.q",
            "type fn",
            "enum e",
            "enum_member e.A",
            "enum_member e.B",
            "constant LOOSE",
            "variable g",
            "function f",
            "function h",
            "constant table",
        ]
    );
    let find = |name: &str| {
        unit.nodes()
            .iter()
            .find(|n| n.kind != NodeKind::FIELD && unit.text(n.name) == name)
            .unwrap()
    };
    assert!(find("f").flags.has(NodeFlags::ABSTRACT));
    assert!(!find("h").flags.has(NodeFlags::ABSTRACT));
    assert!(find("h").flags.has(NodeFlags::PRIVATE));
    assert_eq!(find("h").span.start_line, 14);
    assert_eq!(unit.text(find("MAX").signature), "#define MAX(a, b)");
    assert_eq!(unit.meta.parse_errors, 0);
}

#[test]
fn the_nodes_of_a_cpp_file() {
    let unit = read(
        "a.cpp",
        "namespace n { class A : public B { public: A(int x); ~A(); int f() const { return x_; }\n\
         static A *make(); bool operator==(const A &o) const; enum class E { One }; private: int x_; };\n\
         template <class T> T id(T v) { return v; } using I = int; }\n\
         n::A::A(int x) : x_(x) {}\nn::A *n::A::make() { return nullptr; }\n\
         class Forward;\nextern \"C\" { int c_function(void); }\n",
    );
    assert_eq!(
        nodes(&unit),
        [
            "module n",
            "class n.A",
            "constructor A.A",
            "method A.~A",
            "method A.f",
            "method A.make",
            "method A.operator==",
            "enum A.E",
            "enum_member E.One",
            "field A.x_",
            "function n.id",
            "type n.I",
            "impl A",
            "constructor A.A",
            "method A.make",
            "function c_function",
        ]
    );
}

fn check(unit: &Unit, size: usize) {
    for (place, node) in unit.nodes().iter().enumerate() {
        assert!(place == 0 || node.parent.index() < place);
        assert!(node.span.start_line <= node.span.end_line, "{node:?}");
        assert!(node.span.start_byte <= node.span.end_byte, "{node:?}");
        assert!(node.span.end_byte as usize <= size, "{node:?}");
    }
}

#[test]
fn sources_that_are_cut_or_lack_lines_keep_the_rules_of_a_unit() {
    for (path, text) in [
        ("a.c", include_str!("../../../../tests/link/c.txt")),
        ("a.cpp", include_str!("../../../../tests/link/cpp.txt")),
    ] {
        for cut in (0..text.len()).step_by(397) {
            let (Some(head), Some(tail)) = (text.get(..cut), text.get(cut..)) else {
                continue;
            };
            for part in [head, tail] {
                check(&read(path, part), part.len());
            }
        }
        let lines: Vec<&str> = text.lines().collect();
        for gap in 0..12usize {
            let rest: Vec<&str> = lines
                .iter()
                .enumerate()
                .filter(|(i, _)| i % 12 != gap)
                .map(|(_, l)| *l)
                .collect();
            let text = rest.join("\n");
            check(&read(path, &text), text.len());
        }
    }
}

#[test]
fn deep_and_long_sources_end() {
    let many = |text: &str, count: usize| text.repeat(count);
    for (text, incomplete) in [
        (
            format!("int x = {}1{};", many("(", 5000), many(")", 5000)),
            true,
        ),
        (format!("void f(void) {}", many("{", 5000)), true),
        (format!("int x = 1{};", many(" + 1", 50_000)), false),
        (many("#if A\n", 3000), false),
        (many("#ifdef A\nint f(", 2000), false),
        (format!("int {}x;", many("*", 5000)), false),
        (many("struct a { ", 3000), true),
        (many("namespace a { ", 3000), true),
        (many("A<", 5000), false),
        (many("a::", 5000), false),
    ] {
        for path in ["a.c", "a.cpp"] {
            let unit = read(path, &text);
            check(&unit, text.len());
            let given_up = unit.meta.flags & FileFlags::INCOMPLETE != 0;
            assert!(
                !given_up || incomplete || path == "a.cpp" || text.starts_with('#'),
                "{path}"
            );
        }
    }
}

#[test]
fn a_macro_call_before_a_body_is_a_function() {
    let unit = read(
        "a.c",
        "SYSCALL_DEFINE1(close, unsigned int, fd)\n{\n\treturn shut(fd);\n}\nint after(void) { return 1; }\n",
    );
    assert_eq!(nodes(&unit), ["function close", "function after"]);
    let close = unit.node(LocalNode(1)).unwrap();
    assert_eq!((close.span.start_line, close.span.end_line), (1, 4));
    assert_eq!(close.kind, NodeKind::FUNCTION);
}

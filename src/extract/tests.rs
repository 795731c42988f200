//! What extraction yields for small files, and that hostile ones cost no more than their own symbols.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::model::label::Labels;

fn unit(path: &str, source: &str) -> Unit {
    let language = match path.rsplit('.').next() {
        Some("tsx") => Language::TSX,
        Some("js") => Language::JAVASCRIPT,
        _ => Language::TYPESCRIPT,
    };
    extract(
        path,
        language,
        source.as_bytes(),
        &ExtractOptions::default(),
    )
}

/// One line a node: its key without the path, its kind, its lines.
fn outline(unit: &Unit) -> Vec<String> {
    let labels = Labels::default();
    unit.nodes()
        .iter()
        .zip(unit.keys())
        .skip(1)
        .map(|(node, key)| {
            let (_, name) = key.split_once("::").unwrap();
            let kind = node.kind.name(&labels);
            format!(
                "{name} {kind} {}-{}",
                node.span.start_line, node.span.end_line
            )
        })
        .collect()
}

fn node<'a>(unit: &'a Unit, name: &str) -> &'a crate::model::node::Node {
    let found = unit.nodes().iter().find(|n| unit.text(n.name) == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn a_class_shows_its_members_with_their_kinds() {
    let unit = unit(
        "a.ts",
        "export class Foo<T> extends Base implements I {\n  private x = 1;\n  static s() {}\n  \
         constructor(private svc: Svc, plain: number) { super(); }\n  get g() { return 1; }\n  set g(v) {}\n  \
         arrow = async () => {};\n  #p() {}\n  over(a: string): void;\n  over(a: any) {}\n}\n",
    );
    assert_eq!(
        outline(&unit),
        [
            "Foo class 1-11",
            "Foo.x field 2-2",
            "Foo.s() method 3-3",
            "Foo.constructor() constructor 4-4",
            "Foo.svc field 4-4",
            "Foo.g() accessor 5-5",
            "Foo.g()~2 accessor 6-6",
            "Foo.arrow() method 7-7",
            "Foo.#p() method 8-8",
            "Foo.over() method 10-10",
        ]
    );
    assert!(node(&unit, "s").flags.has(NodeFlags::STATIC));
    assert!(node(&unit, "#p").flags.has(NodeFlags::PRIVATE));
    assert!(node(&unit, "Foo").flags.has(NodeFlags::EXPORTED));
    let signature = unit.text(node(&unit, "Foo").signature);
    assert_eq!(signature, "class Foo<T> extends Base implements I");
}

#[test]
fn every_form_of_function_is_a_symbol() {
    let unit = unit(
        "a.ts",
        "function plain() {}\nconst held = () => 1;\nexport default function () {}\n\
         export const table = { get() {}, post: () => 2, deep: { del: function () {} } };\n\
         function outer() {\n  function inner() {}\n  const closure = (n: number) => n;\n  return { close() {} };\n}\n\
         const wrapped = memo(function Named() {});\n",
    );
    assert_eq!(
        outline(&unit),
        [
            "plain() function 1-1",
            "held() function 2-2",
            "default() function 3-3",
            "table constant 4-4",
            "table.get() method 4-4",
            "table.post() method 4-4",
            "table.del() method 4-4",
            "outer() function 5-9",
            "outer().inner() function 6-6",
            "outer().closure() function 7-7",
            "outer().close() method 8-8",
            "wrapped constant 10-10",
            "wrapped.Named() function 10-10",
        ]
    );
}

#[test]
fn types_enumerations_and_namespaces() {
    let unit = unit(
        "a.ts",
        "interface I { run(): void; p: string }\ntype T = { m(): void };\nenum E { A, B = 2 }\n\
         namespace N.M { export function f() {} }\ndeclare module \"x\" { function g(): void }\n\
         export declare function decl(a: string): number;\nlet v = 1;\n",
    );
    assert_eq!(
        outline(&unit),
        [
            "I interface 1-1",
            "I.run() method 1-1",
            "I.p field 1-1",
            "T type 2-2",
            "T.m() method 2-2",
            "E enum 3-3",
            "E.A enum_member 3-3",
            "E.B enum_member 3-3",
            "N module 4-4",
            "N.M module 4-4",
            "N.M.f() function 4-4",
            "x module 5-5",
            "x.g() function 5-5",
            "decl() function 6-6",
            "v variable 7-7",
        ]
    );
}

#[test]
fn doc_comments_reach_what_they_stand_before() {
    let unit = unit(
        "a.ts",
        "/**\n * Adds things\n * up.\n *\n * More.\n * @deprecated\n */\n@dec()\nexport class A {\n  /** Runs. */\n  run() {}\n}\n\n\
         // far away\n\nfunction f() {}\n// one\n// two\nconst g = 1;\n",
    );
    assert_eq!(unit.text(node(&unit, "A").doc), "Adds things up.");
    assert!(node(&unit, "A").flags.has(NodeFlags::DEPRECATED));
    assert_eq!(unit.text(node(&unit, "run").doc), "Runs.");
    assert_eq!(unit.text(node(&unit, "f").doc), "");
    assert_eq!(unit.text(node(&unit, "g").doc), "one two");
}

#[test]
fn a_syntax_error_costs_what_it_covers() {
    let unit = unit(
        "a.ts",
        "export function before() {}\nfunction broken( { ] }\nexport function after() { before(); }\n",
    );
    assert!(unit.meta.parse_errors > 0);
    let names = outline(&unit).join(" ");
    assert!(
        names.contains("before()") && names.contains("after()"),
        "{names}"
    );
}

#[test]
fn minified_and_oversized_files_are_only_themselves() {
    let minified = ExtractOptions {
        flags: FileFlags(FileFlags::MINIFIED),
        ..ExtractOptions::default()
    };
    let source = b"var a={b(){return 1}};";
    let unit = extract("lib.min.js", Language::JAVASCRIPT, source, &minified);
    assert_ne!(unit.meta.flags & FileFlags::MINIFIED, 0);
    assert_eq!(unit.nodes().len(), 1);
    let options = ExtractOptions {
        size_limit: 10,
        ..ExtractOptions::default()
    };
    let big = extract("a.ts", Language::TYPESCRIPT, b"function f() {}", &options);
    assert_ne!(big.meta.flags & FileFlags::OVERSIZED, 0);
    assert_eq!(big.nodes().len(), 1);
}

#[test]
fn a_file_ends_with_its_last_line() {
    for (text, lines) in [("", 1), ("f();", 1), ("f();\n", 1), ("f();\n\ng();\n", 3)] {
        let unit = unit("a.ts", text);
        let end = unit.node(LocalNode::UNIT).unwrap().span.end_line;
        assert_eq!(end, lines, "{text:?}");
    }
}

#[test]
fn text_that_is_no_utf8_yields_the_file_alone() {
    let options = ExtractOptions::default();
    let unit = extract(
        "a.ts",
        Language::TYPESCRIPT,
        b"function f() {}\xff",
        &options,
    );
    assert_eq!(unit.nodes().len(), 1);
    assert_ne!(unit.meta.flags & FileFlags::INCOMPLETE, 0);
}

#[test]
fn nesting_of_a_hundred_thousand_levels_is_survived() {
    const N: usize = 100_000;
    let deep = |before: &str, open: &str, middle: &str, close: &str| {
        let (open, close) = (open.repeat(N), close.repeat(N));
        format!("function f() {{}}\n{before}{open}{middle}{close}")
    };
    let sources = [
        deep("let a = ", "(", "1", ")"),
        deep("let a = ", "[", "", "]"),
        deep("", "{", "", "}"),
        deep("let a = ", "!", "1", ""),
        deep("let a = ", "x =>", "1", ""),
        deep("let a: ", "A<", "1", ">"),
        deep("let a = ", "(", "", ""),
        deep("let a = ", "`${", "", ""),
        deep("", "class A { m() {", "", "}}"),
    ];
    for source in sources {
        let unit = unit("deep.ts", &source);
        let head = source.get(17..40).unwrap();
        let noticed = unit.meta.flags & FileFlags::INCOMPLETE != 0 || unit.meta.parse_errors > 0;
        assert!(noticed, "{head}");
    }
}

#[test]
fn long_chains_are_no_nesting() {
    const N: usize = 20_000;
    let calls = format!(
        "function f() {{ return a{}; }}\nfunction g() {{}}",
        ".b()\n".repeat(N)
    );
    let sums = format!(
        "function f() {{ return 'a'{}; }}\nfunction g() {{}}",
        "\n + h()".repeat(N)
    );
    let ladder = format!(
        "function f() {{ {} h() }}\nfunction g() {{}}",
        "if (a()) {} else\n".repeat(N)
    );
    for source in [calls, sums, ladder] {
        let unit = unit("chain.ts", &source);
        assert_eq!(unit.meta.flags & FileFlags::INCOMPLETE, 0);
        assert!(unit.facts.refs.len() >= N);
        assert_eq!(outline(&unit).len(), 2);
    }
}

#[test]
fn the_same_bytes_give_the_same_unit_on_any_thread() {
    let source = include_str!("../../tests/link/receivers.txt");
    let here = unit("a.ts", source);
    let there =
        std::thread::spawn(move || unit("a.ts", include_str!("../../tests/link/receivers.txt")));
    let there = there.join().unwrap();
    assert_eq!(here.facts, there.facts);
    assert_eq!(here.nodes(), there.nodes());
    assert_eq!(here.strings(), there.strings());
}

#![allow(clippy::unwrap_used)]

use crate::extract::{ExtractOptions, extract};
use crate::model::label::{Language, NodeKind};
use crate::model::node::NodeFlags;
use crate::model::unit::{FileFlags, Unit};

fn read(text: &str) -> Unit {
    extract(
        "src/a.rs",
        Language::RUST,
        text.as_bytes(),
        &ExtractOptions::default(),
    )
}

#[test]
fn members_belong_to_their_type_and_keep_its_name_elsewhere() {
    let unit = read(
        "/// Holds water.\n\
         ///\n\
         /// More.\n\
         #[derive(Clone)]\n\
         pub struct Pool { pub size: u32 }\n\
         impl Pool { pub fn fill(&self) {} const MAX: u32 = 1; }\n\
         impl std::fmt::Display for Pool { fn fmt(&self) {} }\n\
         impl crate::far::Lake { fn fill(&self) {} }\n\
         pub enum Kind { Big(u32), Small { n: u8 } }\n\
         pub trait Flow { type Unit; fn run(&self); fn stop(&self) {} }\n\
         mod inner { pub fn deep() { fn own() {} } }\n\
         macro_rules! twice { () => {}; }\n\
         static S: u8 = 1;\n\
         union U { a: u8 }\n\
         type Alias = Pool;\n",
    );
    assert_eq!(
        unit.keys(),
        [
            "src/a.rs",
            "src/a.rs::Pool",
            "src/a.rs::Pool.size",
            "src/a.rs::Kind",
            "src/a.rs::Kind.Big",
            "src/a.rs::Kind.Small",
            "src/a.rs::Kind.Small.n",
            "src/a.rs::Flow",
            "src/a.rs::Flow.Unit",
            "src/a.rs::Flow.run()",
            "src/a.rs::Flow.stop()",
            "src/a.rs::inner",
            "src/a.rs::inner.deep()",
            "src/a.rs::inner.deep().own()",
            "src/a.rs::twice()",
            "src/a.rs::S",
            "src/a.rs::U",
            "src/a.rs::U.a",
            "src/a.rs::Alias",
            "src/a.rs::Pool.fill()",
            "src/a.rs::Pool.MAX",
            "src/a.rs::Pool.fmt()",
            "src/a.rs::Lake",
            "src/a.rs::Lake.fill()",
        ]
    );
    let pool = &unit.nodes()[1];
    assert_eq!(unit.text(pool.doc), "Holds water.");
    assert_eq!(unit.text(pool.signature), "pub struct Pool");
    assert_eq!(pool.span.start_line, 5);
    let lake = unit.nodes().iter().find(|n| n.kind == NodeKind::IMPL);
    assert_eq!(unit.text(lake.unwrap().name), "Lake");
    assert_eq!(unit.facts.impls.len(), 3);
}

#[test]
fn flags_say_what_is_public_tested_abstract_and_bound_to_the_type() {
    let unit = read(
        "pub struct A;\n\
         impl A { pub fn new() -> A { A } fn own(&self) {} }\n\
         trait T { fn must(&self); }\n\
         #[cfg(test)]\nmod tests { #[test]\nfn t() {} }\n\
         #[tokio::test]\nasync fn u() {}\n\
         #[deprecated]\nfn old() {}\n",
    );
    let flags = |name: &str| {
        let found = unit.nodes().iter().find(|n| unit.text(n.name) == name);
        found.unwrap().flags
    };
    assert!(flags("new").has(NodeFlags::EXPORTED.with(NodeFlags::STATIC)));
    assert!(!flags("own").has(NodeFlags::STATIC));
    assert!(flags("must").has(NodeFlags::ABSTRACT));
    assert!(flags("t").has(NodeFlags::TEST));
    assert!(flags("u").has(NodeFlags::TEST.with(NodeFlags::ASYNC)));
    assert!(flags("old").has(NodeFlags::DEPRECATED));
}

#[test]
fn nesting_of_a_hundred_thousand_levels_is_survived() {
    let n = 100_000;
    let deep = |before: &str, open: &str, middle: &str, close: &str| {
        let (open, close) = (
            format!("{open}\n").repeat(n),
            format!("{close}\n").repeat(n),
        );
        format!("fn first() {{}}\n{before}{open}{middle}{close}")
    };
    let texts = [
        deep("fn f() { ", "(", "1", ")"),
        deep("fn f() { ", "{", "", "}"),
        deep("fn f() { ", "&", "1", ""),
        deep("fn f() { ", "|x|", "1", ""),
        deep("type A = ", "B<", "u8", ">"),
        deep("type A = ", "&", "u8", ""),
        deep("fn f() { m!", "(", "x", ")"),
        deep("use ", "a::{", "b", "}"),
        deep("", "mod m {", "", "}"),
        deep("", "impl A { fn f() { ", "", "} }"),
        deep("fn f() { let ", "(", "a", ")"),
        deep("fn f() { a", "::b", "", "()"),
        deep("use a", "::b", "", ";"),
    ];
    for text in texts {
        let unit = read(&text);
        let head = text.get(14..40).unwrap();
        let names: Vec<&str> = unit.nodes().iter().map(|n| unit.text(n.name)).collect();
        let given_up = unit.meta.flags & FileFlags::INCOMPLETE != 0;
        assert!(given_up || names.get(1) == Some(&"first"), "{head}");
        let noticed = given_up || unit.meta.parse_errors > 0 || head.contains("::b");
        assert!(noticed, "{head}");
    }
}

#[test]
fn long_chains_are_no_nesting() {
    let n = 20_000;
    let texts = [
        format!("fn f() {{ a(){}; }}\nfn g() {{}}", ".b()\n".repeat(n)),
        format!("fn f() {{ a(){}; }}\nfn g() {{}}", "?\n.b()".repeat(n)),
        format!("fn f() {{ 1{}; }}\nfn g() {{}}", "\n + h()".repeat(n)),
        format!(
            "fn f() {{ {} {{ h() }} }}\nfn g() {{}}",
            "if a() {} else\n".repeat(n)
        ),
    ];
    for text in texts {
        let unit = read(&text);
        assert_eq!(unit.meta.flags & FileFlags::INCOMPLETE, 0);
        assert!(unit.facts.refs.len() >= n, "{}", unit.facts.refs.len());
        assert_eq!(unit.nodes().len(), 3);
    }
}

#[test]
fn broken_text_keeps_what_is_around_it() {
    let unit = read("fn a() { let x = ; }\nstruct { oops\nfn b() { a(); }\n");
    let names: Vec<&str> = unit.nodes().iter().map(|n| unit.text(n.name)).collect();
    assert!(names.contains(&"a"), "{names:?}");
    assert!(unit.meta.parse_errors > 0);
    for text in [
        "",
        "fn",
        "impl",
        "use ::",
        "mod",
        "|",
        "fn f<",
        "macro_rules!",
        "m!{",
    ] {
        read(text);
    }
}

//! Explanations of symbols of small stores, as data and as text.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write;

use super::*;
use crate::answer::fixture::Fixture;
use crate::render::{explain as text, json};

const STORE: &str = "
file src/vec.ts
  class Vec 3-20 [exported doc]
    method plus 5-9
    method norm 11-12
Vec references/field -> src/num.ts::Num @4
Vec.plus() calls/call -> src/vec.ts::Vec @6
Vec.plus() calls/call -> src/vec.ts::Vec @8
Vec.plus() references/return_type -> src/vec.ts::Vec @5
Vec.norm() calls/call -> npm:mathlib::sqrt() @11
Vec.norm() calls/call -> src/vec.ts::Vec.norm() @12
file src/num.ts
  interface Num 1
file src/handler.ts
  function handle 3-9
. imports/import -> src/vec.ts::Vec @1
handle() calls/call -> src/vec.ts::Vec.plus() @4
handle() calls/call -> src/vec.ts::Vec.plus() @7
handle() calls/call -> ?norm @8
file src/vec.test.ts [test]
  function checks 1
checks() calls/call -> src/vec.ts::Vec.plus() @1
";

fn explained(fixture: &Fixture, key: &str, all: bool) -> ExplainAnswer {
    explain(&fixture.snapshot, fixture.sym(key), all).unwrap()
}

#[test]
fn a_class_with_parallel_relations() {
    let fixture = Fixture::new(STORE);
    let answer = explained(&fixture, "src/vec.ts::Vec", false);
    insta::assert_snapshot!(text::explain(&answer), @r"
    Node: Vec
      ID:        src/vec.ts::Vec
      Source:    src/vec.ts L3-20
      Type:      class (typescript)
      Signature: class Vec
      Doc:       Says what it does. In two lines.
      Degree:    8 (5 in, 3 out)

    Connections (7):
      <-- .plus() [calls] [EXTRACTED] src/vec.ts:L6, L8
      --> Num [references] [EXTRACTED] src/vec.ts:L4
      <-- .plus() [references] [EXTRACTED] src/vec.ts:L5
      --> .plus() [method] [EXTRACTED] src/vec.ts:L5
      --> .norm() [method] [EXTRACTED] src/vec.ts:L11
      <-- handler.ts [imports] [EXTRACTED] src/handler.ts:L1
      <-- vec.ts [contains] [EXTRACTED] src/vec.ts:L3

    Callers: complete (no unresolved call of this name)
    ");
    assert_eq!(
        answer.in_degree + answer.out_degree,
        answer.connections.iter().map(|c| c.edges).sum::<usize>()
    );
}

#[test]
fn callers_first_tests_behind_and_unresolved_calls_counted() {
    let fixture = Fixture::new(STORE);
    insta::assert_snapshot!(text::explain(&explained(&fixture, "src/vec.ts::Vec.plus()", false)), @r"
    Node: .plus()
      ID:        src/vec.ts::Vec.plus()
      Source:    src/vec.ts L5-9
      Type:      method (typescript)
      Signature: method plus
      Degree:    7 (4 in, 3 out)

    Connections (5):
      <-- handle() [calls] [EXTRACTED] src/handler.ts:L4, L7
      <-- checks() [calls] [EXTRACTED] src/vec.test.ts:L1
      --> Vec [calls] [EXTRACTED] src/vec.ts:L6, L8
      --> Vec [references] [EXTRACTED] src/vec.ts:L5
      <-- Vec [method] [EXTRACTED] src/vec.ts:L5

    Callers: complete (no unresolved call of this name)
    ");
    insta::assert_snapshot!(text::explain(&explained(&fixture, "src/vec.ts::Vec.norm()", false)), @r"
    Node: .norm()
      ID:        src/vec.ts::Vec.norm()
      Source:    src/vec.ts L11-12
      Type:      method (typescript)
      Signature: method norm
      Degree:    4 (2 in, 2 out)

    Connections (3):
      --> .norm() [calls] [EXTRACTED] src/vec.ts:L12
      --> sqrt [calls] [EXTRACTED] src/vec.ts:L11
      <-- Vec [method] [EXTRACTED] src/vec.ts:L11

    Callers: may be incomplete, 1 unresolved call of this name: src/handler.ts:L8
    ");
}

#[test]
fn placeholders_and_files_are_explained_too() {
    let fixture = Fixture::new(STORE);
    insta::assert_snapshot!(text::explain(&explained(&fixture, "npm:mathlib::sqrt()", false)), @r"
    Node: sqrt
      ID:        npm:mathlib::sqrt()
      Type:      unresolved
      Degree:    1 (1 in, 0 out)

    Connections (1):
      <-- .norm() [calls] [EXTRACTED] src/vec.ts:L11
    ");
    insta::assert_snapshot!(text::explain(&explained(&fixture, "src/vec.test.ts", false)), @r"
    Node: vec.test.ts
      ID:        src/vec.test.ts
      Source:    src/vec.test.ts L1-99
      Type:      file (typescript)
      Degree:    1 (0 in, 1 out)

    Connections (1):
      --> checks() [contains] [EXTRACTED] src/vec.test.ts:L1
    ");
}

fn hub(callers: usize) -> String {
    let mut store = "file src/log.ts\n  function log 1\n".to_string();
    for file in ["a", "b", "c"] {
        let _ = writeln!(store, "file src/{file}.ts");
        for i in (0..callers).filter(|i| i % 3 == usize::from(file.as_bytes()[0] - b'a')) {
            let _ = writeln!(store, "  function f{i:02} {}", i + 1);
        }
        for i in (0..callers).filter(|i| i % 3 == usize::from(file.as_bytes()[0] - b'a')) {
            let _ = writeln!(
                store,
                "f{i:02}() calls/call -> src/log.ts::log() @{}",
                i + 1
            );
        }
    }
    store
}

#[test]
fn over_twenty_connections_are_grouped_and_twenty_are_not() {
    let fixture = Fixture::new(&hub(25));
    let answer = explained(&fixture, "src/log.ts::log()", false);
    assert_eq!((answer.total, answer.connections.len()), (26, LISTED));
    assert_eq!(
        answer.groups.iter().map(|g| g.connections).sum::<usize>(),
        6
    );
    let tail = text::explain(&answer);
    let (_, tail) = tail.split_once("  ... and").unwrap();
    insta::assert_snapshot!(tail, @r"
     6 more (--all lists all 26)
      Grouped by file:
        <-- src/c.ts: 5 connections
        <-- src/log.ts: 1 connection

    Callers: complete (no unresolved call of this name)
    ");
    let all = explained(&fixture, "src/log.ts::log()", true);
    assert_eq!(all.connections.len(), 26);
    assert!(!text::explain(&all).contains("Grouped"));

    let fixture = Fixture::new(&hub(19));
    let twenty = text::explain(&explained(&fixture, "src/log.ts::log()", false));
    assert!(twenty.contains("Connections (20):") && !twenty.contains("Grouped"));
}

#[test]
fn json_holds_the_same_facts() {
    let fixture = Fixture::new(STORE);
    let text = json::explain(&explained(&fixture, "src/vec.ts::Vec.norm()", false));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["command"], "explain");
    assert_eq!(value["node"]["id"], "src/vec.ts::Vec.norm()");
    assert_eq!(value["completeness"]["unresolved"], 1);
    assert_eq!(value["connections"].as_array().unwrap().len(), 3);
}

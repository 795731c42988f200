//! Dependents in small stores, as data and as text.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::answer::fixture::Fixture;
use crate::render::affected::{affected as text, affected_json};
use crate::render::tokens;

const STORE: &str = "
file src/store.ts
  interface Store 1-3 [exported]
    method read 2
  class MemoryStore 5-12 [exported]
    method read 6-8
    field rows 10
Store.read() dispatches_to/base -> src/store.ts::MemoryStore.read() @6
MemoryStore.read() overrides/base -> src/store.ts::Store.read() @6
MemoryStore implements/base -> src/store.ts::Store @5
file src/cart.ts
  function load 3-5 [exported]
  function show 7-9
. imports/import -> src/store.ts::Store @1
load() calls/call -> src/store.ts::Store.read() @4
load() references/parameter_type -> src/store.ts::Store @3
show() calls/call -> src/cart.ts::load() @8
show() calls/call -> ?read @9
file src/index.ts
. re_exports/export -> src/store.ts @1
file src/page.ts
  function lazy 2-4
. imports_from/import -> src/cart.ts @1
lazy() dynamic_import/import -> src/store.ts @3
file test/cart.test.ts [test]
  function checks 3-6
checks() calls/call -> src/cart.ts::load() @4
";

fn asked(fixture: &Fixture, key: &str) -> AffectedAnswer {
    affected(
        &fixture.snapshot,
        fixture.sym(key),
        &AffectedRequest::default(),
    )
    .unwrap()
}

#[test]
fn callers_through_an_interface_barrels_lazy_imports_and_tests() {
    let fixture = Fixture::new(STORE);
    let answer = asked(&fixture, "src/store.ts::MemoryStore.read()");
    insta::assert_snapshot!(text(&answer, None), @r"
    Affected nodes for .read()
    Relations: calls, indirect_call, imports, imports_from, dynamic_import, re_exports, references, inherits, implements, embeds, mixes_in, dispatches_to, overrides, depends_on
    Depth: 3
    Total: 4 nodes in 3 files, 1 test in 1 file (3 at 1 hop, 2 at 2 hops)
    Callers: may be incomplete, 1 unresolved call of this name: src/cart.ts:L9

    1 hop:
      src/cart.ts
        load() L3-5 [calls] .read() L4
      src/index.ts
        (the file) [re_exports] store.ts L1
      src/page.ts
        lazy() L2-4 [dynamic_import] store.ts L3

    2 hops:
      src/cart.ts
        show() L7-9 [calls] load() L8

    Tests (1 in 1 file):
      test/cart.test.ts
        checks() L3-6 [calls] load() L4 (2 hops)
    ");
    assert_eq!(answer.completeness.as_ref().unwrap().unresolved, 1);
    let none = asked(&fixture, "src/cart.ts::show()");
    insta::assert_snapshot!(text(&none, None), @r"
    Affected nodes for show()
    Relations: calls, indirect_call, imports, imports_from, dynamic_import, re_exports, references, inherits, implements, embeds, mixes_in, dispatches_to, overrides, depends_on
    Depth: 3
    No affected nodes found.
    Callers: complete (no unresolved call of this name)
    ");
    let file = asked(&fixture, "src/store.ts");
    insta::assert_snapshot!(text(&file, None), @r"
    Affected nodes for src/store.ts
    Relations: calls, indirect_call, imports, imports_from, dynamic_import, re_exports, references, inherits, implements, embeds, mixes_in, dispatches_to, overrides, depends_on
    Depth: 3
    Total: 6 nodes in 3 files, 1 test in 1 file (4 at 1 hop, 3 at 2 hops)
    Callers: may be incomplete, 1 unresolved call of this name: src/cart.ts:L9

    1 hop:
      src/cart.ts
        (the file) [imports] Store L1
        load() L3-5 [calls] .read() L4
      src/index.ts
        (the file) [re_exports] store.ts L1
      src/page.ts
        lazy() L2-4 [dynamic_import] store.ts L3

    2 hops:
      src/cart.ts
        show() L7-9 [calls] load() L8
      src/page.ts
        (the file) [imports_from] cart.ts L1

    Tests (1 in 1 file):
      test/cart.test.ts
        checks() L3-6 [calls] load() L4 (2 hops)
    ");
}

#[test]
fn the_budget_holds_for_text_and_json() {
    let fixture = Fixture::new(STORE);
    let answer = asked(&fixture, "src/store.ts::MemoryStore.read()");
    let mut last = 0;
    for budget in 1..400 {
        let written = text(&answer, Some(budget));
        assert!(tokens(&written) <= budget, "{budget}: {written}");
        let lines = written.lines().count();
        assert!(lines >= last || lines <= 2, "{budget}");
        last = lines;
        let object = affected_json(&answer, Some(budget));
        assert!(tokens(&object) <= budget, "{budget}: {object}");
        if !object.is_empty() {
            serde_json::from_str::<serde_json::Value>(&object).unwrap();
        }
    }
    assert_eq!(text(&answer, Some(5000)), text(&answer, None));
}

#[test]
fn relations_narrow_the_walk() {
    let fixture = Fixture::new(STORE);
    let request = AffectedRequest {
        relations: vec!["references".into()],
        depth: 1,
    };
    let sym = fixture.sym("src/store.ts::Store");
    let answer = affected(&fixture.snapshot, sym, &request).unwrap();
    let ids: Vec<&str> = answer
        .dependents
        .iter()
        .map(|d| d.card.id.as_str())
        .collect();
    assert_eq!(ids, ["src/cart.ts::load()"]);
    let wrong = AffectedRequest {
        relations: vec!["likes".into()],
        depth: 1,
    };
    assert!(affected(&fixture.snapshot, sym, &wrong).is_err());
}

#[test]
fn changed_symbols_are_the_seeds() {
    let fixture = Fixture::new(STORE);
    let syms = [fixture.sym("src/cart.ts::load()")];
    let mut answer = affected_by(&fixture.snapshot, &syms, &AffectedRequest::default()).unwrap();
    answer.changes = Some(ChangeReport {
        since: "HEAD~1".into(),
        files: 2,
        not_indexed: 1,
        not_indexed_files: vec!["notes.md".into()],
        ..ChangeReport::default()
    });
    insta::assert_snapshot!(text(&answer, None), @r"
    Affected nodes for the changes since HEAD~1: 1 changed symbol in 2 changed files
    Changed: load() (src/cart.ts)
    Changed but not in the index: notes.md
    Relations: calls, indirect_call, imports, imports_from, dynamic_import, re_exports, references, inherits, implements, embeds, mixes_in, dispatches_to, overrides, depends_on
    Depth: 3
    Total: 1 node in 1 file, 1 test in 1 file (2 at 1 hop)
    Callers: complete (no unresolved call of this name)

    1 hop:
      src/cart.ts
        show() L7-9 [calls] load() L8

    Tests (1 in 1 file):
      test/cart.test.ts
        checks() L3-6 [calls] load() L4
    ");
}

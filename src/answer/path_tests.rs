//! Routes in small stores, as data and as text.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::answer::fixture::Fixture;
use crate::render::{json, path as text};

const STORE: &str = "
file src/checkout.ts
  function grossTotal 10-12 [exported]
  function total 4-8
. imports/import -> src/money.ts::roundCents() @1
grossTotal() calls/call -> src/checkout.ts::total() @11
total() calls/call -> src/money.ts::roundCents() @6
total() calls/call -> src/money.ts::roundCents() @7
total() references/argument -> src/money.ts::roundCents() @6
file src/money.ts
  function roundCents 1-3 [exported]
  function addTax 5-7
addTax() calls/call -> src/money.ts::roundCents() @6
";

fn asked(fixture: &Fixture, from: &str, to: &str, request: &PathRequest) -> PathAnswer {
    let mut answer = path(
        &fixture.snapshot,
        fixture.sym(from),
        fixture.sym(to),
        request,
    )
    .unwrap();
    answer.asked = [from.to_string(), to.to_string()];
    answer
}

#[test]
fn a_chain_of_calls_wins_over_the_way_through_the_file() {
    let fixture = Fixture::new(STORE);
    let (a, b) = (
        "src/checkout.ts::grossTotal()",
        "src/money.ts::roundCents()",
    );
    let answer = asked(&fixture, a, b, &PathRequest::default());
    insta::assert_snapshot!(text::path(&answer), @r"
    Shortest path (2 hops):
      grossTotal() --calls [EXTRACTED]--> total() --calls/references [EXTRACTED]--> roundCents()

      grossTotal() src/checkout.ts L10-12
        --> calls [EXTRACTED, import] src/checkout.ts:L11
      total() src/checkout.ts L4-8
        --> calls [EXTRACTED, import] src/checkout.ts:L6
        --> calls [EXTRACTED, import] src/checkout.ts:L7
        --> references [EXTRACTED, import] src/checkout.ts:L6
      roundCents() src/money.ts L1-3
    ");
    let undirected = PathRequest {
        undirected: true,
        all: true,
        ..PathRequest::default()
    };
    insta::assert_snapshot!(text::path(&asked(&fixture, a, b, &undirected)), @r"
    Shortest path (2 hops):
      grossTotal() --calls [EXTRACTED]--> total() --calls/references [EXTRACTED]--> roundCents()
      grossTotal() <--contains [EXTRACTED]-- checkout.ts --imports [EXTRACTED]--> roundCents()

    Route 1:
      grossTotal() src/checkout.ts L10-12
        --> calls [EXTRACTED, import] src/checkout.ts:L11
      total() src/checkout.ts L4-8
        --> calls [EXTRACTED, import] src/checkout.ts:L6
        --> calls [EXTRACTED, import] src/checkout.ts:L7
        --> references [EXTRACTED, import] src/checkout.ts:L6
      roundCents() src/money.ts L1-3

    Route 2:
      grossTotal() src/checkout.ts L10-12
        <-- contains [EXTRACTED, structure] src/checkout.ts:L10
      src/checkout.ts
        --> imports [EXTRACTED, import] src/checkout.ts:L1
      roundCents() src/money.ts L1-3
    ");
    let value: serde_json::Value = serde_json::from_str(&json::object("path", &answer)).unwrap();
    assert_eq!(value["schema_version"], 1);
    assert_eq!(value["length"], 2);
    assert_eq!(value["routes"][0]["hops"][1]["edges"][1]["line"], 7);
}

#[test]
fn without_a_directed_route_the_others_are_named() {
    let fixture = Fixture::new(STORE);
    let (a, b) = ("src/checkout.ts::total()", "src/money.ts::addTax()");
    let none = asked(&fixture, a, b, &PathRequest::default());
    insta::assert_snapshot!(text::path(&none), @"No directed path found between 'src/checkout.ts::total()' and 'src/money.ts::addTax()'. Re-run with --undirected to search ignoring edge direction.");
    let back = asked(
        &fixture,
        "src/money.ts::roundCents()",
        "src/checkout.ts::grossTotal()",
        &PathRequest::default(),
    );
    insta::assert_snapshot!(text::path(&back), @"No directed path found between 'src/money.ts::roundCents()' and 'src/checkout.ts::grossTotal()'. There is one from 'src/checkout.ts::grossTotal()' to 'src/money.ts::roundCents()' (2 hops). Re-run with --undirected to search ignoring edge direction.");
    let only = |relation: &str, max_hops| PathRequest {
        relations: vec![relation.to_string()],
        undirected: true,
        max_hops,
        ..PathRequest::default()
    };
    assert_eq!(asked(&fixture, a, b, &only("calls", None)).length, Some(2));
    assert_eq!(asked(&fixture, a, b, &only("calls", Some(1))).length, None);
    assert_eq!(
        asked(&fixture, a, b, &only("inherits", None)).outcome,
        "none"
    );
    let wrong = path(
        &fixture.snapshot,
        fixture.sym(a),
        fixture.sym(b),
        &only("likes", None),
    );
    assert!(wrong.unwrap_err().remedy_text().unwrap().contains("calls"));
}

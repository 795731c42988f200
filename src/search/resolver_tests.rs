//! A table of typed names and what they mean.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::answer::fixture::Fixture;

const STORE: &str = "
file svc/mail/port.ts
  interface StatsPort 1-3
    method bump 2
  function relay 4-6
file svc/mail/send.ts
  function send 2-4
send() calls/call -> svc/mail/port.ts::relay() @3
send() calls/call -> npm:axios::get() @3
send() calls/call -> ?println @4
file svc/scrape/port.ts
  interface StatsPort 1-3
    method bump 2
  function relay 4-6
file src/n.ts
  class Reel 1-3
    method wind 2
  class ReelBox 4-9
    method open 5-8
      function inner 6-7
  class ReelBoxLid 10-12
    method lift 11
file src/ref.ts
  interface Ref 1
  function ref 3-5
  constant Ref 7
  class Twice 10-20
    method get 11-12
    method get 13-14
    accessor size 15
    accessor size 16
file src/names.ts
  class OrderLineItem 1-4
    method pack 2
  function item 5
  function line 6
  function order 7
  function größeMax 8
  function parse_error 9
file packages/alpha/src/metrics.ts
  function alphaOnly 5
file packages/beta/src/metrics.ts
  function betaOnly 5
";

fn keys(fixture: &Fixture, syms: &[SymId]) -> String {
    let keys: Vec<String> = syms
        .iter()
        .map(|s| fixture.snapshot.node(*s).unwrap().key())
        .collect();
    keys.join(" ")
}

fn told(fixture: &Fixture, text: &str) -> String {
    match resolve(&fixture.snapshot, text).unwrap() {
        Resolution::NoSuchLine { file, lines } => format!("{file} ends at {lines}"),
        Resolution::Found {
            sym,
            announced: None,
        } => keys(fixture, &[sym]),
        Resolution::Found {
            sym,
            announced: Some(how),
        } => format!("{how:?} {}", keys(fixture, &[sym])),
        Resolution::Ambiguous { candidates, total } => {
            format!("{total}: {}", keys(fixture, &candidates))
        }
        Resolution::NotFound { near, file } => {
            format!(
                "none{} near: {}",
                file.map(|f| format!(" in {f}")).unwrap_or_default(),
                keys(fixture, &near)
            )
        }
    }
}

#[test]
fn every_form_of_a_name() {
    let fixture = Fixture::new(STORE);
    for (typed, meant) in [
        // Printed keys.
        ("svc/mail/port.ts::relay()", "svc/mail/port.ts::relay()"),
        ("src/ref.ts::Ref~2", "src/ref.ts::Ref~2"),
        ("npm:axios::get()", "npm:axios::get()"),
        ("?println", "?println"),
        // Files and lines.
        ("svc/mail/port.ts", "svc/mail/port.ts"),
        ("./svc/mail/port.ts", "svc/mail/port.ts"),
        ("mail/port.ts", "svc/mail/port.ts"),
        ("send.ts", "svc/mail/send.ts"),
        ("port.ts", "2: svc/mail/port.ts svc/scrape/port.ts"),
        ("src/n.ts:7", "src/n.ts::ReelBox.open().inner()"),
        ("src/n.ts:L5", "src/n.ts::ReelBox.open()"),
        ("src/n.ts:9", "src/n.ts::ReelBox"),
        ("n.ts:50", "src/n.ts"),
        (
            "port.ts:2",
            "2: svc/mail/port.ts::StatsPort.bump() svc/scrape/port.ts::StatsPort.bump()",
        ),
        // Symbols in files.
        ("svc/mail/port.ts::relay", "svc/mail/port.ts::relay()"),
        ("mail/port.ts::relay", "svc/mail/port.ts::relay()"),
        (
            "port.ts::relay",
            "2: svc/mail/port.ts::relay() svc/scrape/port.ts::relay()",
        ),
        ("src/n.ts::ReelBox.open", "src/n.ts::ReelBox.open()"),
        ("src/n.ts::ReelBox::open()", "src/n.ts::ReelBox.open()"),
        ("src/n.ts::.open()", "src/n.ts::ReelBox.open()"),
        ("src/n.ts::reelbox", "Folded src/n.ts::ReelBox"),
        (
            "svc/mail/send.ts::relay",
            "none in svc/mail/send.ts near: svc/mail/port.ts::relay() svc/scrape/port.ts::relay()",
        ),
        // Members.
        ("ReelBox.open", "src/n.ts::ReelBox.open()"),
        ("ReelBox::open", "src/n.ts::ReelBox.open()"),
        ("ReelBox#open", "src/n.ts::ReelBox.open()"),
        ("open.inner", "src/n.ts::ReelBox.open().inner()"),
        ("n.ReelBox.open", "src/n.ts::ReelBox.open()"),
        ("Reel.open", "none near: src/n.ts::ReelBox.open()"),
        (".lift()", "src/n.ts::ReelBoxLid.lift()"),
        // Names: prefixes of each other, case, several of one name.
        ("Reel", "src/n.ts::Reel"),
        ("ReelBox", "src/n.ts::ReelBox"),
        ("ref", "src/ref.ts::ref()"),
        ("ref()", "src/ref.ts::ref()"),
        ("Ref", "2: src/ref.ts::Ref src/ref.ts::Ref~2"),
        (
            "relay",
            "2: svc/mail/port.ts::relay() svc/scrape/port.ts::relay()",
        ),
        (
            "StatsPort",
            "2: svc/mail/port.ts::StatsPort svc/scrape/port.ts::StatsPort",
        ),
        (
            "Twice.get",
            "2: src/ref.ts::Twice.get() src/ref.ts::Twice.get()~2",
        ),
        ("Twice.get()~2", "src/ref.ts::Twice.get()~2"),
        ("Twice.size", "src/ref.ts::Twice.size()"),
        // Folded, joined, prefix, substring.
        ("REELBOX", "Folded src/n.ts::ReelBox"),
        ("GRÖßEMAX", "Folded src/names.ts::größeMax()"),
        ("order line item", "Folded src/names.ts::OrderLineItem"),
        ("parse error", "Folded src/names.ts::parse_error()"),
        (
            "alphaO",
            "Prefix packages/alpha/src/metrics.ts::alphaOnly()",
        ),
        ("betaonl", "Prefix packages/beta/src/metrics.ts::betaOnly()"),
        ("LineIt", "Substring src/names.ts::OrderLineItem"),
        (
            "Only",
            "2: packages/alpha/src/metrics.ts::alphaOnly() packages/beta/src/metrics.ts::betaOnly()",
        ),
        // Placeholders only where nothing else has the name.
        ("println", "?println"),
        // Nothing.
        ("", "none near: "),
        ("nothing_here", "none near: "),
        (
            "alfaOnly",
            "none near: packages/alpha/src/metrics.ts::alphaOnly()",
        ),
        (
            "svc/mail/none.ts::relay",
            "none near: svc/mail/port.ts::relay() svc/scrape/port.ts::relay()",
        ),
    ] {
        assert_eq!(told(&fixture, typed), meant, "{typed:?}");
    }
}

#[test]
fn a_removed_symbol_is_gone_and_a_new_one_is_found() {
    let mut fixture = Fixture::new(STORE);
    fixture.update("file svc/mail/port.ts\n  function relayed 1-2\n");
    assert_eq!(told(&fixture, "relay"), "svc/scrape/port.ts::relay()");
    assert_eq!(told(&fixture, "relayed"), "svc/mail/port.ts::relayed()");
    assert_eq!(
        told(&fixture, "svc/mail/port.ts::StatsPort"),
        "none in svc/mail/port.ts near: svc/scrape/port.ts::StatsPort"
    );
}

#[test]
fn every_printed_key_means_its_symbol() {
    let fixture = Fixture::new(STORE);
    for sym in (0..fixture.snapshot.symbol_bound()).map(SymId) {
        let Some(node) = fixture.snapshot.node(sym) else {
            continue;
        };
        let key = node.key();
        assert_eq!(told(&fixture, &key), key);
    }
}

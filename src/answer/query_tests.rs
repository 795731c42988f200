//! Questions over small stores: which seeds, what is found, what is printed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use super::*;
use crate::answer::fixture::Fixture;
use crate::render::text::{self, Format};

/// The reference's own scoring case, written anew.
const SCORING: &str = "
file svc/foobar.ts
  class FooBarService 3
FooBarService calls/call -> a.ts::parseError() @7
FooBarService references/return_type -> a.ts::parseError() @9
FooBarService calls/call -> p.ts::planCache() @12
file a.ts
  function parseError 1
parseError() references/field -> b.ts::ErrorList @2
file b.ts
  class ErrorList 1
file c.ts
  constant error 1
error calls/call -> d.ts::errorHandler() @3
file d.ts
  function errorHandler 1
errorHandler() calls/call -> c.ts::error @3
file web/home.ts
  function home 9
home() calls/call -> c.ts::error @11
file web/router.ts
  class HomePageRouter 2
  constant routeTable 8
HomePageRouter calls/call -> web/home.ts::home() @4
HomePageRouter references -> web/router.ts::routeTable @5
file cn/auth.py
  class 用户认证服务 1
用户认证服务 calls/call -> cn/cache.py::用户缓存 @5
file cn/cache.py
  class 用户缓存 1
file de/gr.py
  class Größe 1
file p.ts
  function planCache 4
";

const LEDGER: &str = "
file src/ledger.ts
  function buildLedger 1 [exported]
file src/a.ts
  function monthEnd 2 [exported]
monthEnd() calls/call -> src/ledger.ts::buildLedger() @2
. imports/import -> src/ledger.ts::buildLedger() @1
file tests/order.test.ts [test]
  function test_create_order_calls_crawler 1
  function test_calls_twice 2
  function dbOverride 3
test_create_order_calls_crawler() calls/call -> tests/order.test.ts::dbOverride() @1
test_calls_twice() calls/call -> tests/order.test.ts::dbOverride() @2
file src/server.ts
  class HTTPServerPool 1-5
    method spin 2
  function db 6
  enum Color 7-9
    enum_member ledger 8
file src/rival.ts
  function monthEnd 1
";

fn ask(fixture: &Fixture, request: &QueryRequest) -> QueryAnswer {
    match query(&fixture.snapshot, request).unwrap() {
        QueryOutcome::Answer(mut answer) => {
            answer.index = "graphify-out/index".into();
            *answer
        }
        other => panic!("{other:?}"),
    }
}

fn question(text: &str) -> QueryRequest {
    QueryRequest {
        question: text.into(),
        ..QueryRequest::default()
    }
}

fn seeds(fixture: &Fixture, text: &str) -> Vec<String> {
    match query(&fixture.snapshot, &question(text)).unwrap() {
        QueryOutcome::Answer(answer) => answer.seeds.into_iter().map(|s| s.label).collect(),
        QueryOutcome::Nothing(problem) => {
            assert!(problem.question);
            Vec::new()
        }
        other => panic!("{other:?}"),
    }
}

fn labels(answer: &QueryAnswer) -> Vec<&str> {
    answer.nodes.iter().map(|n| n.card.label.as_str()).collect()
}

#[test]
fn seeds_of_the_reference_s_scoring_case() {
    let fixture = Fixture::new(SCORING);
    for (text, expected) in [
        ("FooBarService error", vec!["FooBarService", "error"]),
        ("error", vec!["error"]),
        // Better than the reference: the name that is all three words is the answer, and `home` keeps its seat.
        ("home page router", vec!["HomePageRouter", "home()"]),
        ("who calls home", vec!["home()"]),
        ("用户认证", vec!["用户认证服务"]),
        ("grosse", vec![]),
        ("größe", vec!["Größe"]),
        ("GRÖSSE", vec![]),
        ("why is plan cache kept small", vec!["planCache()"]),
        ("обработчик платежей", vec![]),
        ("the of and", vec![]),
        ("", vec![]),
        ("how does it work", vec![]),
    ] {
        assert_eq!(seeds(&fixture, text), expected, "{text}");
    }
}

#[test]
fn case_punctuation_compounds_and_short_names() {
    let fixture = Fixture::new(LEDGER);
    for (text, expected) in [
        ("buildLedger()", vec!["buildLedger()"]),
        ("what calls buildLedger?", vec!["buildLedger()"]),
        ("BUILDLEDGER", vec!["buildLedger()"]),
        ("build ledger", vec!["buildLedger()", "ledger"]),
        ("http server pool", vec!["HTTPServerPool"]),
        ("db", vec!["db()"]),
        ("which d b", vec!["db()"]),
        ("k", vec![]),
    ] {
        let found = seeds(&fixture, text);
        assert!(
            expected.iter().all(|e| found.contains(&(*e).to_string())),
            "{text}: {found:?}"
        );
        assert_eq!(found.is_empty(), expected.is_empty(), "{text}: {found:?}");
        assert_eq!(
            found.first().map(String::as_str),
            expected.first().copied(),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn what_calls_x_shows_the_callers_and_no_test_that_merely_says_calls() {
    let fixture = Fixture::new(LEDGER);
    let answer = ask(&fixture, &question("what calls buildLedger"));
    insta::assert_snapshot!(text::query(&answer, Format::Grouped, 2000), @r"
    Graph: graphify-out/index (16 nodes) | Traversal: BFS depth=3 | Start: ['buildLedger()'] | Context: call (heuristic: order only) | 4 nodes found

    src/ledger.ts
      buildLedger() L1
    src/a.ts
      monthEnd() L2
    EDGES
      monthEnd() --calls [EXTRACTED]--> buildLedger() src/a.ts:L2
      a.ts --imports [EXTRACTED]--> buildLedger() src/a.ts:L1
    ");
    assert!(!answer.contexts_explicit);
    assert_eq!(answer.contexts, ["call"]);
}

#[test]
fn an_explicit_context_filters_and_a_hint_does_not() {
    let fixture = Fixture::new(SCORING);
    let with = |context: &str| {
        let contexts = vec![context.to_string()];
        ask(
            &fixture,
            &QueryRequest {
                contexts,
                ..question("FooBarService")
            },
        )
    };
    assert_eq!(labels(&with("field")), ["FooBarService"]);
    assert_eq!(labels(&with("returns")), ["FooBarService", "parseError()"]);
    let hinted = ask(&fixture, &question("FooBarService fields"));
    assert!(labels(&hinted).contains(&"planCache()"));
    let unknown = QueryRequest {
        contexts: vec!["frobnicate".into()],
        ..question("error")
    };
    let error = query(&fixture.snapshot, &unknown).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let relations = vec!["references".to_string()];
    let only = ask(
        &fixture,
        &QueryRequest {
            relations,
            ..question("FooBarService")
        },
    );
    assert_eq!(
        labels(&only),
        ["FooBarService", "parseError()", "ErrorList"]
    );
}

#[test]
fn given_seeds_decide_and_unknown_ones_are_told() {
    let fixture = Fixture::new(LEDGER);
    let given = |names: &[&str]| QueryRequest {
        seeds: names.iter().map(|n| n.to_string()).collect(),
        ..question("x")
    };
    let answer = ask(
        &fixture,
        &given(&["ghost", "src/ledger.ts", "src/ledger.ts"]),
    );
    assert!(answer.given_seeds);
    assert_eq!(answer.unresolved_seeds, ["ghost"]);
    assert_eq!(answer.seeds.len(), 1);
    assert!(
        matches!(query(&fixture.snapshot, &given(&["ghost"])).unwrap(), QueryOutcome::Nothing(p) if p.asked == "ghost")
    );
    let outcome = query(&fixture.snapshot, &given(&["ghost", "monthEnd"])).unwrap();
    assert!(matches!(outcome, QueryOutcome::Ambiguous(p) if p.candidates.len() == 2));
}

#[test]
fn rivals_of_a_seed_are_named() {
    let fixture = Fixture::new(LEDGER);
    let answer = ask(&fixture, &question("monthEnd ledger"));
    let seed = answer
        .seeds
        .iter()
        .find(|s| s.label == "monthEnd()")
        .unwrap();
    assert_eq!((seed.rivals_total, seed.rivals.len()), (1, 1));
    let both = ask(&fixture, &question("monthEnd"));
    assert_eq!(both.seeds.len(), 2, "a lone name takes its bearers");
    assert!(
        both.seeds.iter().all(|s| s.rivals_total == 0),
        "who is a seed is no rival"
    );
}

#[test]
fn tests_compete_only_when_asked_for() {
    let fixture = Fixture::new(
        "file a.ts\n  function parseLedgerLine 1\nfile a.test.ts [test]\n  function parseLedger 1\n",
    );
    assert_eq!(
        seeds(&fixture, "parse ledger").first().unwrap(),
        "parseLedger()",
        "the whole name wins in spite of demotion"
    );
    let fixture = Fixture::new(
        "file b.ts\n  function ledgerOfMonth 1\nfile a.test.ts [test]\n  function ledgerMonth 1\n",
    );
    assert_eq!(
        seeds(&fixture, "ledger of may").first().unwrap(),
        "ledgerOfMonth()"
    );
    let tests = QueryRequest {
        tests: true,
        ..question("ledger of may")
    };
    assert_eq!(ask(&fixture, &tests).seeds[0].label, "ledgerMonth()");
    assert_eq!(
        seeds(&fixture, "ledger tests").first().unwrap(),
        "ledgerMonth()"
    );
}

#[test]
fn paths_and_folders_in_a_question_count() {
    let fixture = Fixture::new(
        "file packages/core/parse.ts\n  function parse 1\nfile packages/sfc/parse.ts\n  function parse 1\nfile docs/guide/intro.ts\n  function intro 1\n",
    );
    let first = |text: &str| {
        let answer = ask(&fixture, &question(text));
        answer.nodes[0].card.id.clone()
    };
    assert_eq!(first("sfc parse"), "packages/sfc/parse.ts::parse()");
    assert_eq!(first("core parse"), "packages/core/parse.ts::parse()");
    assert_eq!(
        first("what is in docs/guide/intro.ts"),
        "docs/guide/intro.ts"
    );
    assert_eq!(first("guide"), "docs/guide/intro.ts");
}

#[test]
fn depth_first_tells_a_chain_in_its_order() {
    let fixture = Fixture::new(
        "file a.ts\n  function start 1\n  function left 2\n  function deep 3\n  function deeper 4\n  function right 5\n\
         start() calls/call -> a.ts::left() @1\nleft() calls/call -> a.ts::deep() @2\ndeep() calls/call -> a.ts::deeper() @3\nstart() calls/call -> a.ts::right() @1\n",
    );
    let answer = ask(
        &fixture,
        &QueryRequest {
            dfs: true,
            ..question("start")
        },
    );
    assert_eq!((answer.mode.as_str(), answer.depth), ("dfs", 6));
    let order = labels(&answer);
    let at = |label: &str| order.iter().position(|l| *l == label).unwrap();
    assert!(
        at("left()") < at("deep()")
            && at("deep()") < at("deeper()")
            && at("deeper()") < at("right()"),
        "{order:?}"
    );
}

#[test]
fn an_answer_is_the_same_whatever_the_history_of_the_index() {
    let fresh = Fixture::new(LEDGER);
    let mut grown = Fixture::new(
        "file src/server.ts\n  function old 1\nfile src/gone.ts\n  function buildLedger 4\n",
    );
    grown.update(LEDGER);
    {
        let mut writer = grown.store.writer().unwrap();
        writer.remove("src/gone.ts");
        writer.commit().unwrap();
    }
    grown.snapshot = crate::Snapshot::open(grown.store.path()).unwrap();
    for text in [
        "what calls buildLedger",
        "month end",
        "server pool db",
        "order crawler tests",
    ] {
        for dfs in [false, true] {
            let request = QueryRequest {
                dfs,
                ..question(text)
            };
            let answers = [ask(&fresh, &request), ask(&grown, &request)];
            let [a, b] = answers.map(|a| text::query(&a, Format::Lines, 2000));
            assert_eq!(a, b, "{text}");
        }
    }
}

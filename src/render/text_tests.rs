//! Tests of the text of a query's answer: its shape, and that the budget holds.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;
use crate::answer::{NodeCard, Place, QueryNode, SeedCard};
use crate::render::budget::tokens;
use crate::render::json;

fn node(file: &str, label: &str, kind: &str, lines: (u32, u32), hops: u32) -> QueryNode {
    let bare = label.trim_start_matches('.');
    let id = if kind == "file" {
        file.to_string()
    } else {
        format!("{file}::{bare}")
    };
    let card = NodeCard {
        id,
        label: label.to_string(),
        kind: kind.to_string(),
        file: file.to_string(),
        line: lines.0,
        end_line: lines.1,
        ..NodeCard::default()
    };
    QueryNode {
        card,
        hops: Some(hops),
        seed: hops == 0,
    }
}

fn edge(
    nodes: &[QueryNode],
    from: usize,
    to: usize,
    relation: &str,
    context: &str,
    line: u32,
) -> EdgeCard {
    EdgeCard {
        source: nodes[from].card.id.clone(),
        target: nodes[to].card.id.clone(),
        relation: relation.to_string(),
        confidence: "EXTRACTED".to_string(),
        reason: "import".to_string(),
        context: context.to_string(),
        file: nodes[from].card.file.clone(),
        line,
        from,
        to,
    }
}

/// The example of the command-line contract.
fn money() -> QueryAnswer {
    let nodes = vec![
        node("src/core/money.ts", "roundCents()", "function", (1, 4), 0),
        node("src/cart/checkout.ts", "total()", "function", (5, 9), 1),
        node(
            "src/cart/checkout.ts",
            "grossTotal()",
            "function",
            (11, 14),
            2,
        ),
        node("src/core/money.ts", "money.ts", "file", (1, 9), 1),
        node("src/cart/checkout.ts", "checkout.ts", "file", (1, 14), 2),
    ];
    let edges = vec![
        edge(&nodes, 2, 1, "calls", "call", 12),
        edge(&nodes, 1, 0, "calls", "call", 7),
        edge(&nodes, 3, 0, "contains", "", 1),
        edge(&nodes, 4, 0, "imports", "import", 2),
    ];
    QueryAnswer {
        question: "who calls roundCents".into(),
        index: "graphify-out/index".into(),
        index_nodes: 14,
        mode: "bfs".into(),
        depth: 3,
        terms: vec!["calls".into(), "roundcents".into()],
        seeds: vec![SeedCard {
            node: 0,
            label: "roundCents()".into(),
            why: "exact name".into(),
            terms: vec!["roundcents".into()],
            ..SeedCard::default()
        }],
        contexts: vec!["call".into()],
        contexts_explicit: true,
        nodes,
        edges,
        ..QueryAnswer::default()
    }
}

#[test]
fn grouped_as_the_contract_shows_it() {
    insta::assert_snapshot!(query(&money(), Format::Grouped, 2000), @r"
    Graph: graphify-out/index (14 nodes) | Traversal: BFS depth=3 | Start: ['roundCents()'] | Context: call (explicit) | 5 nodes found

    src/core/money.ts
      roundCents() L1-4
    src/cart/checkout.ts
      total() L5-9
      grossTotal() L11-14
    EDGES
      total() --calls [EXTRACTED]--> roundCents() src/cart/checkout.ts:L7
      grossTotal() --calls [EXTRACTED]--> total() src/cart/checkout.ts:L12
      checkout.ts --imports [EXTRACTED]--> roundCents() src/cart/checkout.ts:L2
    ");
}

#[test]
fn lines_as_the_reference_prints_them() {
    insta::assert_snapshot!(query(&money(), Format::Lines, 2000), @r"
    Graph: graphify-out/index (14 nodes) | Traversal: BFS depth=3 | Start: ['roundCents()'] | Context: call (explicit) | 5 nodes found

    NODE roundCents() [src=src/core/money.ts loc=L1 community=]
    NODE total() [src=src/cart/checkout.ts loc=L5 community=]
    NODE grossTotal() [src=src/cart/checkout.ts loc=L11 community=]
    NODE money.ts [src=src/core/money.ts loc=L1 community=]
    NODE checkout.ts [src=src/cart/checkout.ts loc=L1 community=]
    EDGE total() --calls [EXTRACTED context=call]--> roundCents() at=src/cart/checkout.ts:L7
    EDGE grossTotal() --calls [EXTRACTED context=call]--> total() at=src/cart/checkout.ts:L12
    EDGE money.ts --contains [EXTRACTED]--> roundCents() at=src/core/money.ts:L1
    EDGE checkout.ts --imports [EXTRACTED context=import]--> roundCents() at=src/cart/checkout.ts:L2
    ");
}

#[test]
fn a_cut_answer_keeps_the_seed_and_edges_and_says_what_is_missing() {
    insta::assert_snapshot!(query(&money(), Format::Grouped, 125), @r"
    Graph: graphify-out/index (14 nodes) | Traversal: BFS depth=3 | Start: ['roundCents()'] | Context: call (explicit) | 5 nodes found

    src/core/money.ts
      roundCents() L1-4
    src/cart/checkout.ts
      total() L5-9
      grossTotal() L11-14
    EDGES
      total() --calls [EXTRACTED]--> roundCents() src/cart/checkout.ts:L7
    ... (truncated: 5 of 5 nodes, 1 of 3 edges shown; --budget 147 shows all)
    ");
    insta::assert_snapshot!(query(&money(), Format::Grouped, 45), @r"
    src/core/money.ts
      roundCents() L1-4
    ... (truncated: 1 of 5 nodes, 0 of 3 edges shown; --budget 147 shows all)
    ");
    assert_eq!(query(&money(), Format::Grouped, 6), "... (truncated)\n");
    assert_eq!(query(&money(), Format::Grouped, 3), "...\n");
    assert_eq!(query(&money(), Format::Grouped, 0), "");
}

#[test]
fn the_budget_that_is_named_shows_all() {
    for format in [Format::Grouped, Format::Lines] {
        let cut = query(&money(), format, 100);
        let (_, tail) = cut.rsplit_once("--budget ").unwrap();
        let needed: u64 = tail.split(' ').next().unwrap().parse().unwrap();
        assert!(!query(&money(), format, needed).contains("truncated"));
        assert!(query(&money(), format, needed - 1).contains("truncated"));
    }
}

#[test]
fn rivals_hints_notes_and_given_seeds_are_told() {
    let mut answer = money();
    answer.contexts_explicit = false;
    answer.given_seeds = true;
    answer.unresolved_seeds = vec!["ghost".into()];
    answer.limited = true;
    answer.notes = vec!["2 files changed since they were indexed".into()];
    answer.seeds[0].rivals = (1..=4)
        .map(|i| Place {
            file: format!("pkg{i}/money.ts"),
            line: i,
        })
        .collect();
    answer.seeds[0].rivals_total = 6;
    let text = query(&answer, Format::Grouped, 2000);
    insta::assert_snapshot!(text.lines().next().unwrap(), @"Graph: graphify-out/index (14 nodes) | Traversal: BFS depth=3 | Start (given): ['roundCents()'] | Unresolved seeds (skipped): ['ghost'] | Context: call (heuristic: order only) | at least 5 nodes found");
    assert!(text.ends_with("\n2 files changed since they were indexed\n"));
    assert!(text.contains(
        "roundCents() L1-4 (same name in pkg1/money.ts:L1, pkg2/money.ts:L2 and 4 more)\n"
    ));
}

#[test]
fn nothing_from_a_source_steers_the_terminal() {
    let mut answer = money();
    answer.nodes[0].card.label = "a\u{1b}[31m\nEDGE forged".into();
    answer.nodes[1].card.file = "b\r\u{202E}.ts".into();
    for format in [Format::Grouped, Format::Lines] {
        let text = query(&answer, format, 5000);
        assert!(
            !text.chars().any(|c| c.is_control() && c != '\n'),
            "{text:?}"
        );
        assert!(
            !text.lines().any(|l| l.starts_with("EDGE forged")),
            "{text:?}"
        );
    }
}

#[test]
fn json_is_one_object_with_the_same_facts() {
    let text = json::query(&money(), 5000);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["command"], "query");
    assert_eq!(value["schema_version"], 1);
    assert_eq!(value["truncated"], false);
    assert_eq!(value["nodes"].as_array().unwrap().len(), 5);
    assert_eq!(value["edges"].as_array().unwrap().len(), 4);
    assert_eq!(value["nodes"][0]["id"], "src/core/money.ts::roundCents()");
    assert_eq!(value["nodes"][0]["seed"], true);
    assert_eq!(value["edges"][0]["relation"], "calls");
    let needed = value["budget_for_all"].as_u64().unwrap();
    let again: serde_json::Value = serde_json::from_str(&json::query(&money(), needed)).unwrap();
    assert_eq!(again["truncated"], false);
}

prop_compose! {
    fn any_answer()(
        nodes in prop::collection::vec(("[a-z/é用]{0,30}", "[ -~é用\u{1b}]{0,300}|[a-zA-Z]{1,20}\\(\\)", 0u32..2000, 0u32..60), 0..60),
        pairs in prop::collection::vec((0usize..60, 0usize..60, "calls|contains|imports_from", 0u32..9999), 0..120),
        seeds in 0usize..5,
        limited in any::<bool>(),
    ) -> QueryAnswer {
        let nodes: Vec<QueryNode> = nodes.iter().enumerate().map(|(i, (file, label, line, more))| {
            let kind = if i % 7 == 6 { "file" } else { "function" };
            node(file, label, kind, (*line, line + more), u32::from(i >= seeds))
        }).collect();
        let inside = pairs.iter().filter(|(a, b, _, _)| *a < nodes.len() && *b < nodes.len());
        let edges = inside.map(|(a, b, r, l)| edge(&nodes, *a, *b, r, "call", *l)).collect();
        let cards = nodes.iter().take(seeds).enumerate();
        let seeds = cards.map(|(i, n)| SeedCard { node: i, label: n.card.label.clone(), rivals_total: i as u64, ..SeedCard::default() }).collect();
        QueryAnswer { index: "out/index".into(), mode: "bfs".into(), seeds, nodes, edges, limited, ..money_frame() }
    }
}

fn money_frame() -> QueryAnswer {
    QueryAnswer {
        nodes: Vec::new(),
        edges: Vec::new(),
        ..money()
    }
}

/// The numbers of the last line, if it is there.
fn shown(text: &str) -> Option<(usize, usize)> {
    let (_, tail) = text.rsplit_once("... (truncated: ")?;
    let mut numbers = tail
        .split(' ')
        .filter_map(|w| w.trim_end_matches('+').parse::<usize>().ok());
    let (nodes, _, edges) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some((nodes, edges))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_budget_always_holds(answer in any_answer(), budget in prop_oneof![1u64..60, 1u64..5000]) {
        for format in [Format::Grouped, Format::Lines] {
            let text = query(&answer, format, budget);
            prop_assert!(tokens(&text) <= budget, "{} > {budget}:\n{text}", tokens(&text));
            if format == Format::Lines && let Some((nodes, edges)) = shown(&text) {
                prop_assert_eq!(text.lines().filter(|l| l.starts_with("NODE ")).count(), nodes);
                prop_assert_eq!(text.lines().filter(|l| l.starts_with("EDGE ")).count(), edges);
            }
            let again = query(&answer, format, budget);
            prop_assert_eq!(text, again);
        }
        let text = json::query(&answer, budget);
        prop_assert!(tokens(&text) <= budget, "{} > {budget}: {text}", tokens(&text));
        prop_assert!(text.is_empty() || serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }

    #[test]
    fn more_budget_never_shows_less(answer in any_answer(), budget in 1u64..3000) {
        // Without edges: what is set aside for a long edge line may cost a node.
        let answer = QueryAnswer { edges: Vec::new(), ..answer };
        let count = |b: u64| query(&answer, Format::Lines, b).lines().filter(|l| l.starts_with("NODE ")).count();
        let (less, more) = (count(budget), count(budget * 2));
        prop_assert!(less <= more, "{less} at {budget}, {more} at {}", budget * 2);
    }
}

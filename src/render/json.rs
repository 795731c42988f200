//! Answers as JSON: one object on one line, with stable names of fields and a schema version.
//!
//! Where it sits: the `--json` form of every answer. A query's answer obeys its budget here too: the frame first, then nodes
//! and edges in the order of the text. Invariant: what is written is one valid JSON value and a line break, however small
//! the budget.

use serde::Serialize;
use serde_json::{Value, json};

use crate::answer::{EdgeCard, ExplainAnswer, NameProblem, QueryAnswer, SCHEMA_VERSION};
use crate::render::budget::{Purse, measure};

/// How many characters of the question a slim frame keeps.
const SLIM_QUESTION: usize = 80;

/// Share of the room, in percent, that nodes take before edges are looked at.
const NODE_SHARE: u64 = 92;

/// A query's answer as JSON that costs at most `budget` tokens.
pub fn query(answer: &QueryAnswer, budget: u64) -> String {
    let nodes: Vec<String> = answer.nodes.iter().map(text).collect();
    let mut order: Vec<(usize, &EdgeCard)> = answer.edges.iter().enumerate().collect();
    order.sort_by_key(|(i, e)| (e.from.max(e.to), e.from.min(e.to), *i));
    let edges: Vec<(usize, String)> = order
        .iter()
        .map(|(_, e)| (e.from.max(e.to), text(*e)))
        .collect();
    let item = |t: &String| measure(t) + measure(",");
    let total = measure(&frame(answer, &[], &[], (0, 0), 0))
        + nodes.iter().map(item).sum::<u64>()
        + edges.iter().map(|(_, t)| item(t)).sum::<u64>();
    // The figures in the frame cost by their number of places: the largest are assumed.
    let needed = (total + measure("99999999999999")).div_ceil(100);
    let whole = frame(
        answer,
        &nodes,
        &texts(&edges),
        (nodes.len(), edges.len()),
        needed,
    );
    if measure(&whole) <= budget.saturating_mul(100) {
        return whole;
    }
    let mut purse = Purse::new(budget);
    if !purse.pay(measure(&frame(
        answer,
        &[],
        &[],
        (nodes.len(), edges.len()),
        needed,
    ))) {
        if let Some(slim) = slim(answer) {
            return query(&slim, budget);
        }
        let named = format!(
            "{{\"schema_version\":{SCHEMA_VERSION},\"command\":\"query\",\"truncated\":true,\"budget_for_all\":{needed}}}\n"
        );
        let fits = [named.as_str(), "{\"truncated\":true}\n", "{}\n"]
            .into_iter()
            .find(|t| measure(t) <= budget.saturating_mul(100));
        return fits.unwrap_or_default().to_string();
    }
    let floor = if edges.is_empty() {
        0
    } else {
        purse.left() - purse.left() * NODE_SHARE / 100
    };
    let seeds = answer.nodes.iter().take_while(|n| n.seed).count();
    let mut shown = 0;
    while let Some(node) = nodes.get(shown) {
        let limit = if shown < seeds { 0 } else { floor };
        if purse.left() < item(node).saturating_add(limit) || !purse.pay(item(node)) {
            break;
        }
        shown += 1;
    }
    let mut chosen: Vec<String> = Vec::new();
    for (_, edge) in edges.iter().filter(|(last, _)| *last < shown) {
        if !purse.pay(item(edge)) {
            break;
        }
        chosen.push(edge.clone());
    }
    while let Some(node) = nodes.get(shown) {
        if !purse.pay(item(node)) {
            break;
        }
        shown += 1;
    }
    let kept = nodes.get(..shown).unwrap_or_default();
    frame(answer, kept, &chosen, (nodes.len(), edges.len()), needed)
}

/// The answer with the start of its question and without what explains its seeds, for budgets that its frame alone would
/// pass; `None` when it is slim already.
fn slim(answer: &QueryAnswer) -> Option<QueryAnswer> {
    let question: String = answer.question.chars().take(SLIM_QUESTION).collect();
    let slim = QueryAnswer {
        question,
        terms: Vec::new(),
        seeds: Vec::new(),
        unresolved_seeds: Vec::new(),
        ..answer.clone()
    };
    (slim != *answer).then_some(slim)
}

/// An explanation as JSON.
pub fn explain(answer: &ExplainAnswer) -> String {
    object("explain", answer)
}

/// A name problem as JSON: `error` is `ambiguous` or `not_found`.
pub fn problem(problem: &NameProblem) -> String {
    let mut value = envelope("problem", problem);
    let error = if problem.candidates.is_empty() {
        "not_found"
    } else {
        "ambiguous"
    };
    if let Some(map) = value.as_object_mut() {
        map.insert("error".to_string(), json!(error));
    }
    format!("{value}\n")
}

/// Any answer as JSON: its fields, the schema version, and the command that it answers.
pub fn object(command: &str, answer: &impl Serialize) -> String {
    format!("{}\n", envelope(command, answer))
}

fn envelope(command: &str, answer: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(answer).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.insert("schema_version".to_string(), json!(SCHEMA_VERSION));
        map.insert("command".to_string(), json!(command));
    }
    value
}

fn text(item: &impl Serialize) -> String {
    serde_json::to_string(item).unwrap_or_default()
}

fn texts(edges: &[(usize, String)]) -> Vec<String> {
    edges.iter().map(|(_, text)| text.clone()).collect()
}

/// The object with these nodes and edges in it.
fn frame(
    answer: &QueryAnswer,
    nodes: &[String],
    edges: &[String],
    total: (usize, usize),
    needed: u64,
) -> String {
    let mut value = envelope("query", answer);
    if let Some(map) = value.as_object_mut() {
        map.insert("total_nodes".to_string(), json!(total.0));
        map.insert("total_edges".to_string(), json!(total.1));
        map.insert("shown_nodes".to_string(), json!(nodes.len()));
        map.insert("shown_edges".to_string(), json!(edges.len()));
        map.insert(
            "truncated".to_string(),
            json!(nodes.len() < total.0 || edges.len() < total.1),
        );
        map.insert("budget_for_all".to_string(), json!(needed));
    }
    let head = value.to_string();
    let head = head.strip_suffix('}').unwrap_or(&head);
    format!(
        "{head},\"nodes\":[{}],\"edges\":[{}]}}\n",
        nodes.join(","),
        edges.join(",")
    )
}

//! A route as text.
//!
//! Where it sits: the renderer of `path`. The first two lines of a route are the reference's own; below them stands every
//! edge of every hop with its confidence, its reason and its site.

use std::fmt::Write;

use crate::answer::{EdgeCard, Hop, NodeCard, PathAnswer, RouteCard};
use crate::render::safe;

/// Edges of a hop that are written out.
const MAX_EDGES: usize = 8;

/// The answer as text.
pub fn path(answer: &PathAnswer) -> String {
    let mut out = String::new();
    for announced in &answer.announced {
        let _ = writeln!(out, "({})", safe::field(announced));
    }
    match answer.outcome.as_str() {
        "found" => found(&mut out, answer),
        "gave_up" => out.push_str("The search was given up: too many nodes lie between them.\n"),
        _ => none(&mut out, answer),
    }
    out
}

fn found(out: &mut String, answer: &PathAnswer) {
    let hops = answer.length.unwrap_or_default();
    let _ = writeln!(out, "Shortest path ({hops} hops):");
    for route in &answer.routes {
        let _ = writeln!(out, "  {}", line(route));
    }
    let more = answer
        .routes_total
        .saturating_sub(answer.routes.len() as u64);
    if answer.routes.len() > 1 && more > 0 {
        let _ = writeln!(out, "  ... and {more} more of that length");
    } else if more > 0 {
        let _ = writeln!(out, "  ({more} more of that length; --all lists them)");
    }
    for (i, route) in answer.routes.iter().enumerate() {
        if answer.routes.len() > 1 {
            let _ = write!(out, "\nRoute {}:\n", i + 1);
        } else {
            out.push('\n');
        }
        details(out, route);
    }
}

/// `a() --calls/references [EXTRACTED]--> b()`.
fn line(route: &RouteCard) -> String {
    let mut text = route
        .nodes
        .first()
        .map(|n| safe::field(&n.label))
        .unwrap_or_default();
    for (hop, node) in route.hops.iter().zip(route.nodes.iter().skip(1)) {
        let label = arrow(hop);
        let _ = write!(text, " {label} {}", safe::field(&node.label));
    }
    text
}

fn arrow(hop: &Hop) -> String {
    let joined = |field: fn(&EdgeCard) -> &str| {
        let mut all: Vec<String> = hop.edges.iter().map(|e| safe::field(field(e))).collect();
        all.sort_unstable();
        all.dedup();
        all.join("/")
    };
    let relations = joined(|e| &e.relation);
    let confidences = joined(|e| &e.confidence);
    if hop.forward {
        format!("--{relations} [{confidences}]-->")
    } else {
        format!("<--{relations} [{confidences}]--")
    }
}

fn details(out: &mut String, route: &RouteCard) {
    for (i, node) in route.nodes.iter().enumerate() {
        let _ = writeln!(out, "  {}", place(node));
        let Some(hop) = route.hops.get(i) else {
            continue;
        };
        let arrow = if hop.forward { "-->" } else { "<--" };
        for edge in hop.edges.iter().take(MAX_EDGES) {
            let _ = writeln!(out, "    {arrow} {}", edge_line(edge));
        }
        if hop.edges.len() > MAX_EDGES {
            let more = hop.edges.len() - MAX_EDGES;
            let _ = writeln!(out, "    ... and {more} more edges");
        }
    }
}

fn place(node: &NodeCard) -> String {
    let label = safe::field(&node.label);
    let lines = safe::lines(node.line, node.end_line);
    if node.is_file() {
        return safe::field(&node.file);
    }
    format!("{label} {} {lines}", safe::field(&node.file))
        .trim_end()
        .to_string()
}

fn edge_line(edge: &EdgeCard) -> String {
    let reason = match edge.reason.as_str() {
        "" => String::new(),
        reason => format!(", {}", safe::field(reason)),
    };
    let site = safe::site(&edge.file, edge.line);
    format!(
        "{} [{}{reason}] {site}",
        safe::field(&edge.relation),
        edge.confidence
    )
    .trim_end()
    .to_string()
}

fn none(out: &mut String, answer: &PathAnswer) {
    let [from, to] = answer.asked.each_ref().map(|a| safe::field(a));
    let within = answer
        .max_hops
        .map(|n| format!(" within {n} hops"))
        .unwrap_or_default();
    if !answer.directed {
        let _ = writeln!(out, "No path found between '{from}' and '{to}'{within}.");
        return;
    }
    let _ = write!(
        out,
        "No directed path found between '{from}' and '{to}'{within}."
    );
    if let Some(hops) = answer.backward_length {
        let _ = write!(out, " There is one from '{to}' to '{from}' ({hops} hops).");
    }
    match answer.undirected_length {
        Some(_) => out.push_str(" Re-run with --undirected to search ignoring edge direction.\n"),
        None => out.push_str(" There is none that ignores edge direction either.\n"),
    }
}

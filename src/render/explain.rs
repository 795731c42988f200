//! What a symbol is, as text.
//!
//! Where it sits: the renderer of `explain`. The first lines are the reference's own, so that what reads them goes on
//! working; the declaration, the doc comment and the completeness of the callers come on top.

use std::fmt::Write;

use crate::answer::{Connection, ExplainAnswer};
use crate::render::{affected, safe};

/// Most files that the rest is grouped into.
const MAX_GROUPS: usize = 20;
/// Sites that a connection shows.
const SITES: usize = 3;

/// The answer as text.
pub fn explain(answer: &ExplainAnswer) -> String {
    let mut out = String::new();
    let node = &answer.node;
    let _ = writeln!(out, "Node: {}", safe::field(&node.label));
    if let Some(announced) = &answer.announced {
        let _ = writeln!(out, "  ({})", safe::field(announced));
    }
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "  {name:<10} {}", safe::field(value));
        }
    };
    field("ID:", &node.id);
    let lines = safe::lines(node.line, node.end_line);
    field("Source:", format!("{} {lines}", node.file).trim());
    let kind = if answer.language.is_empty() {
        node.kind.clone()
    } else {
        format!("{} ({})", node.kind, answer.language)
    };
    field("Type:", &kind);
    field("Signature:", &answer.signature);
    field("Doc:", &answer.doc.replace(['\n', '\r'], " "));
    field("Community:", &node.community);
    field(
        "Degree:",
        &format!(
            "{} ({} in, {} out)",
            answer.in_degree + answer.out_degree,
            answer.in_degree,
            answer.out_degree
        ),
    );
    for note in &answer.notes {
        let _ = writeln!(out, "  {}", safe::field(note));
    }
    if answer.total > 0 {
        let _ = write!(out, "\nConnections ({}):\n", answer.total);
    }
    answer
        .connections
        .iter()
        .for_each(|c| connection(&mut out, c));
    rest(&mut out, answer);
    callers(&mut out, answer);
    if answer.limited {
        out.push_str("Not every edge was read: this symbol has too many.\n");
    }
    out
}

fn arrow(direction: &str) -> &'static str {
    if direction == "in" { "<--" } else { "-->" }
}

fn connection(out: &mut String, connection: &Connection) {
    let _ = write!(
        out,
        "  {} {} [{}] [{}]",
        arrow(&connection.direction),
        safe::field(&connection.node.label),
        safe::field(&connection.relation),
        connection.confidence
    );
    let mut sites = connection.sites.iter().take(SITES);
    if let Some(first) = sites.next() {
        let _ = write!(out, " {}", safe::site(&first.file, first.line));
    }
    for site in sites.filter(|s| s.line > 0) {
        let _ = write!(out, ", L{}", site.line);
    }
    let more = connection
        .edges
        .saturating_sub(connection.sites.len().min(SITES));
    if more > 0 {
        let _ = write!(out, " and {more} more");
    }
    out.push('\n');
}

fn rest(out: &mut String, answer: &ExplainAnswer) {
    let hidden = answer.total.saturating_sub(answer.connections.len());
    if hidden == 0 {
        return;
    }
    let _ = writeln!(
        out,
        "  ... and {hidden} more (--all lists all {})",
        answer.total
    );
    out.push_str("  Grouped by file:\n");
    for group in answer.groups.iter().take(MAX_GROUPS) {
        let file = if group.file.is_empty() {
            "(unknown file)".to_string()
        } else {
            safe::field(&group.file)
        };
        let plural = if group.connections == 1 {
            "connection"
        } else {
            "connections"
        };
        let _ = writeln!(
            out,
            "    {} {file}: {} {plural}",
            arrow(&group.direction),
            group.connections
        );
    }
    if answer.groups.len() > MAX_GROUPS {
        let _ = writeln!(
            out,
            "    ... and {} more files",
            answer.groups.len() - MAX_GROUPS
        );
    }
}

fn callers(out: &mut String, answer: &ExplainAnswer) {
    if let Some(complete) = &answer.completeness {
        let _ = write!(out, "\nCallers: {}\n", affected::completeness(complete));
    }
}

//! What one symbol is and what it has to do with others.
//!
//! Where it sits: under the `explain` command. Connections are gathered from both rows of the symbol, one for each
//! neighbour, direction and relation, with all sites; callers stand first, then callees, then types and inheritance,
//! members, imports, and at last what holds it. Calls that could not be resolved but name the symbol are counted apart:
//! without them nobody can tell whether the list of callers is complete.
//!
//! Invariants: every edge is counted in exactly one connection; the order does not depend on ids; at most `MAX_EDGES` edges
//! are read, and the answer says so when there are more.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::answer::card::NodeCard;
use crate::answer::completeness::Completeness;
use crate::error::Result;
use crate::ids::SymId;
use crate::model::edge::Confidence;
use crate::model::label::Relation;
use crate::model::node::NodeFlags;
use crate::snapshot::{EdgeView, Snapshot};

/// Connections that are listed before the rest is grouped.
pub const LISTED: usize = 20;
/// Most edges that are read.
const MAX_EDGES: usize = 200_000;
/// Most sites that a connection lists.
const MAX_SITES: usize = 5;

/// A place where an edge is stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Site {
    /// Key of the unit.
    pub file: String,
    /// The line, 0 where there is none.
    pub line: u32,
}

/// What a symbol has to do with one other, in one direction and by one relation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Connection {
    /// `in` (the other makes the statement) or `out`.
    pub direction: String,
    /// The other symbol.
    pub node: NodeCard,
    /// What is stated.
    pub relation: String,
    /// How sure it is; of several edges the surest.
    pub confidence: String,
    /// The first sites, in order of line.
    pub sites: Vec<Site>,
    /// How many edges it joins.
    pub edges: usize,
}

/// Connections that are not listed, counted by direction and file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileGroup {
    /// `in` or `out`.
    pub direction: String,
    /// Key of the unit of the sites; empty where it is not known.
    pub file: String,
    /// How many connections.
    pub connections: usize,
}

/// The answer about one symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExplainAnswer {
    /// The symbol.
    pub node: NodeCard,
    /// How the hit came about when it is not exactly what was typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub announced: Option<String>,
    /// Names of what holds it, outermost first, and its own.
    pub qualified: String,
    /// Its declaration on one line.
    pub signature: String,
    /// The first paragraph of its doc comment.
    pub doc: String,
    /// Its language.
    pub language: String,
    /// Edges that lead to it.
    pub in_degree: usize,
    /// Edges that leave it.
    pub out_degree: usize,
    /// The listed connections, in order.
    pub connections: Vec<Connection>,
    /// How many connections there are.
    pub total: usize,
    /// What is not listed, by direction and file, most first.
    pub groups: Vec<FileGroup>,
    /// Whether callers may be missing; nothing for files and packages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completeness: Option<Completeness>,
    /// Whether a bound kept some edges from being read.
    pub limited: bool,
    /// Remarks that the caller adds (lessons, files changed since …).
    pub notes: Vec<String>,
}

/// Explains a symbol; with `all`, every connection is listed.
///
/// # Errors
/// [`crate::error::ErrorKind::Corrupt`] for damaged tables.
pub fn explain(snapshot: &Snapshot, sym: SymId, all: bool) -> Result<ExplainAnswer> {
    let labels = snapshot.labels();
    let node = NodeCard::of(snapshot, sym);
    let mut answer = ExplainAnswer {
        node,
        ..ExplainAnswer::default()
    };
    if let Some(view) = snapshot.node(sym) {
        answer.qualified = view.qualified_name();
        answer.signature = view.signature().to_string();
        answer.doc = view.doc().to_string();
        answer.language = view.language().name(labels);
    }
    answer.completeness = Completeness::of(snapshot, &[sym])?;
    answer.in_degree = snapshot.in_degree(sym);
    answer.out_degree = snapshot.out_row(sym).len();
    answer.limited = answer.in_degree + answer.out_degree > MAX_EDGES;

    let mut rows = gather(snapshot, sym);
    rows.sort_by(|a, b| a.order.cmp(&b.order).then(a.other.cmp(&b.other)));
    answer.total = rows.len();
    let listed = if all {
        rows.len()
    } else {
        rows.len().min(LISTED)
    };
    let own = answer.node.file.clone();
    let connection = |row: &Row<'_>| {
        let node = NodeCard::of(snapshot, row.other);
        let file = if row.outgoing { &own } else { &node.file };
        let mut lines = row.lines.clone();
        lines.sort_unstable();
        let sites = lines.iter().take(MAX_SITES).map(|line| Site {
            file: file.clone(),
            line: *line,
        });
        Connection {
            direction: direction(row.outgoing),
            relation: row.relation.name(labels),
            confidence: row.confidence.as_str().to_string(),
            sites: sites.collect(),
            edges: row.lines.len(),
            node,
        }
    };
    answer.connections = rows.iter().take(listed).map(connection).collect();
    answer.groups = group(rows.get(listed..).unwrap_or_default(), &own);
    Ok(answer)
}

/// One connection before its texts are made.
struct Row<'a> {
    other: SymId,
    outgoing: bool,
    relation: Relation,
    confidence: Confidence,
    lines: Vec<u32>,
    file: &'a str,
    order: Order<'a>,
}

/// What connections are sorted by: what they say, tests last, then by place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Order<'a> {
    class: u8,
    test: bool,
    file: &'a str,
    line: u32,
    name: &'a str,
    relation: u8,
}

fn gather(snapshot: &Snapshot, sym: SymId) -> Vec<Row<'_>> {
    let mut places: FxHashMap<(bool, SymId, Relation), usize> = FxHashMap::default();
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut add = |edge: EdgeView, outgoing: bool| {
        let other = if outgoing { edge.target } else { edge.source };
        let relation = edge.label.relation;
        let place = *places
            .entry((outgoing, other, relation))
            .or_insert(rows.len());
        if place == rows.len() {
            rows.push(Row::new(snapshot, other, outgoing, relation));
        }
        if let Some(row) = rows.get_mut(place) {
            row.confidence = row.confidence.min(edge.label.confidence);
            row.lines.push(edge.label.line);
        }
    };
    // A recursive call is one edge in two rows; it is shown as an outgoing one.
    let incoming = snapshot
        .in_edges(sym)
        .take(MAX_EDGES)
        .filter(|e| e.source != sym);
    incoming.for_each(|e| add(e, false));
    snapshot
        .out_edges(sym)
        .take(MAX_EDGES)
        .for_each(|e| add(e, true));
    rows
}

impl<'a> Row<'a> {
    fn new(snapshot: &'a Snapshot, other: SymId, outgoing: bool, relation: Relation) -> Self {
        let node = snapshot.node(other);
        let file = node.and_then(|n| n.file()).unwrap_or_default();
        let placeholder = node.is_none_or(|n| n.is_placeholder());
        Self {
            other,
            outgoing,
            relation,
            confidence: Confidence::Unresolved,
            lines: Vec::new(),
            file,
            order: Order {
                class: class(relation, outgoing, placeholder),
                test: node.is_some_and(|n| n.flags().has(NodeFlags::TEST)),
                file,
                line: node.map_or(0, |n| n.span().start_line),
                name: node.map_or("", |n| n.name()),
                relation: relation.0,
            },
        }
    }
}

/// Callers, callees, overriding and dispatch, types, members, imports, holders; what is not defined here at the end.
fn class(relation: Relation, outgoing: bool, placeholder: bool) -> u8 {
    let class = match relation {
        Relation::CALLS | Relation::INDIRECT_CALL => u8::from(outgoing),
        Relation::DISPATCHES_TO | Relation::OVERRIDES => 2,
        Relation::INHERITS | Relation::IMPLEMENTS | Relation::EMBEDS | Relation::MIXES_IN => 3,
        Relation::METHOD | Relation::DEFINES | Relation::CASE_OF | Relation::CONTAINS
            if !outgoing =>
        {
            8
        }
        Relation::METHOD | Relation::DEFINES | Relation::CASE_OF | Relation::CONTAINS => 5,
        Relation::IMPORTS
        | Relation::IMPORTS_FROM
        | Relation::DYNAMIC_IMPORT
        | Relation::RE_EXPORTS => 6,
        _ => 4,
    };
    if placeholder { class.max(7) } else { class }
}

fn direction(outgoing: bool) -> String {
    if outgoing { "out" } else { "in" }.to_string()
}

fn group(rows: &[Row<'_>], own: &str) -> Vec<FileGroup> {
    let mut counts: FxHashMap<(bool, &str), usize> = FxHashMap::default();
    for row in rows {
        let file = if row.outgoing && row.file.is_empty() {
            own
        } else {
            row.file
        };
        *counts.entry((row.outgoing, file)).or_insert(0) += 1;
    }
    let mut groups: Vec<((bool, &str), usize)> = counts.into_iter().collect();
    groups.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let named = groups
        .into_iter()
        .map(|((outgoing, file), connections)| FileGroup {
            direction: direction(outgoing),
            file: file.to_string(),
            connections,
        });
    named.collect()
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;

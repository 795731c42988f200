//! A question's answer as text, within its budget.
//!
//! Where it sits: the renderer of `query`. Two formats: [`Format::Grouped`] writes a path and below it its symbols
//! (in order of relevance the best ones, by file the others, so that a path need not be written for each);
//! [`Format::Lines`] writes the reference's `NODE` and `EDGE` lines. How the budget is spent when not everything fits:
//!
//! 1. the last line, which says what was left out, is set aside first;
//! 2. the header (and the remarks of the caller, which stand last), if at least the first seed fits beside it;
//! 3. nodes in order of relevance, seeds first, up to `NODE_SHARE` of what is left (seeds may take all of it),
//!    or so many that one edge still fits;
//! 4. edges whose both ends are shown, best first;
//! 5. further nodes as long as they fit.
//!
//! Invariants: the text never costs more than the budget, however small; what is shown of the nodes and of the edges among
//! them is a beginning of their order; the last line's numbers are exact.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::answer::{EdgeCard, NodeCard, QueryAnswer};
use crate::render::budget::{Purse, measure};
use crate::render::safe;

/// Share of the room, in percent, that nodes take before edges are looked at.
const NODE_SHARE: u64 = 92;
/// So many of the best nodes stand in order of relevance, each below its path, which is written again where it changes;
/// below them every path is written once.
const LED: usize = 10;
/// Heading of nodes that no file holds.
const OUTSIDE: &str = "(outside the index)";
/// Most rivals of a seed that are named.
const MAX_RIVALS: usize = 2;

/// How nodes and edges are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    /// A path once, then its symbols.
    #[default]
    Grouped,
    /// One `NODE` or `EDGE` line each.
    Lines,
}

/// The answer as text that costs at most `budget` tokens.
pub fn query(answer: &QueryAnswer, format: Format, budget: u64) -> String {
    let pieces = Pieces::new(answer, format);
    let full = pieces.cost();
    if full <= budget.saturating_mul(100) {
        return pieces.write(&Selection::all(&pieces), "");
    }
    let total = full.div_ceil(100);
    let last = |nodes: usize, edges: usize| pieces.last_line(nodes, edges, total);
    // Digits cost by number of places, so the largest numbers give the dearest line.
    let reserve = measure(&last(pieces.nodes.len(), pieces.edges.len()));
    let mut purse = Purse::new(budget);
    if !purse.pay(reserve) {
        let short = ["... (truncated)\n", "...\n"];
        let fits = short
            .into_iter()
            .find(|text| measure(text) <= budget.saturating_mul(100));
        return fits.unwrap_or_default().to_string();
    }
    let selection = pieces.select(purse);
    let line = last(selection.nodes, selection.edges.len());
    pieces.write(&selection, &line)
}

/// The texts of an answer with their costs.
struct Pieces<'a> {
    answer: &'a QueryAnswer,
    format: Format,
    header: String,
    notes: String,
    nodes: Vec<Line>,
    /// Heading lines by file; empty in the format of lines.
    headings: Vec<Line>,
    edges_heading: Line,
    /// Edges in order of worth, with their lines.
    edges: Vec<(&'a EdgeCard, Line)>,
}

struct Line {
    text: String,
    cost: u64,
    /// Which heading it stands below.
    group: usize,
}

impl Line {
    fn new(text: String, group: usize) -> Self {
        Self {
            cost: measure(&text),
            text,
            group,
        }
    }
}

/// What is shown: a beginning of the nodes, some of the edges.
struct Selection {
    header: bool,
    nodes: usize,
    edges: Vec<usize>,
}

impl Selection {
    fn all(pieces: &Pieces<'_>) -> Self {
        Self {
            header: true,
            nodes: pieces.nodes.len(),
            edges: (0..pieces.edges.len()).collect(),
        }
    }
}

impl<'a> Pieces<'a> {
    fn new(answer: &'a QueryAnswer, format: Format) -> Self {
        let mut headings = Vec::new();
        // For each file its newest heading, and the last node below it that was placed by its rank.
        let mut groups: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
        let mut last_file = None;
        let mut nodes = Vec::with_capacity(answer.nodes.len());
        for (i, node) in answer.nodes.iter().enumerate() {
            let file = node.card.file.as_str();
            // A heading says it all of a file; one that stands there already is enough.
            let known = groups
                .get(file)
                .copied()
                .filter(|(_, last)| i >= LED && *last >= LED || node.card.is_file());
            let follows = headings
                .len()
                .checked_sub(1)
                .filter(|_| last_file == Some(file));
            let group = match known.map(|(group, _)| group).or(follows) {
                Some(group) => group,
                None => {
                    if format == Format::Grouped {
                        let path = if file.is_empty() {
                            OUTSIDE.to_string()
                        } else {
                            safe::field(file)
                        };
                        headings.push(Line::new(format!("{path}\n"), 0));
                    }
                    last_file = Some(file);
                    headings.len().saturating_sub(1)
                }
            };
            if known.is_none() {
                groups.insert(file, (group, i));
            }
            let text = match format {
                Format::Grouped => grouped_node(answer, i),
                Format::Lines => plain_node(answer, i),
            };
            nodes.push(Line::new(text, group));
        }
        let ends = edge_ends(answer);
        let worth = |edge: &&EdgeCard| (edge.from.max(edge.to), edge.from.min(edge.to));
        let mut shown: Vec<&EdgeCard> = answer
            .edges
            .iter()
            .filter(|e| format == Format::Lines || !is_implied(answer, e))
            .collect();
        shown.sort_by(|a, b| {
            let rest = |e: &EdgeCard| (is_implied(answer, e), e.from, e.to);
            worth(a)
                .cmp(&worth(b))
                .then(rest(a).cmp(&rest(b)))
                .then_with(|| {
                    (&a.relation, a.line, &a.context).cmp(&(&b.relation, b.line, &b.context))
                })
        });
        let edges = shown
            .into_iter()
            .map(|e| (e, Line::new(edge_line(&ends, e, format), 0)));
        let heading = if format == Format::Grouped {
            "EDGES\n"
        } else {
            ""
        };
        Self {
            answer,
            format,
            header: header(answer),
            notes: answer
                .notes
                .iter()
                .map(|n| format!("{}\n", safe::field(n)))
                .collect(),
            nodes,
            headings,
            edges_heading: Line::new(heading.to_string(), 0),
            edges: edges.collect(),
        }
    }

    /// What everything costs.
    fn cost(&self) -> u64 {
        let lines = self
            .nodes
            .iter()
            .chain(&self.headings)
            .chain(self.edges.iter().map(|(_, l)| l));
        let heading = if self.edges.is_empty() {
            0
        } else {
            self.edges_heading.cost
        };
        measure(&self.header) + measure(&self.notes) + lines.map(|l| l.cost).sum::<u64>() + heading
    }

    fn select(&self, mut purse: Purse) -> Selection {
        let first = self
            .nodes
            .first()
            .map_or(0, |n| n.cost + self.heading_cost(n.group));
        let frame = measure(&self.header) + measure(&self.notes);
        // The header comes in only when it leaves at least as much as it takes: else an answer of twice the budget could
        // show fewer nodes than one that had no room for it.
        let room = purse.left() >= frame.saturating_mul(2) && purse.left() >= frame + first;
        let header = room && purse.pay(frame);
        let mut shown = vec![false; self.headings.len()];
        let mut nodes = 0;
        let floor = self.edge_room(purse.left());
        let seeds = self.answer.nodes.iter().take_while(|n| n.seed).count();
        while let Some(line) = self.nodes.get(nodes) {
            let cost = self.node_cost(line, &shown);
            let limit = if nodes < seeds { 0 } else { floor };
            if purse.left() < cost.saturating_add(limit) || !purse.pay(cost) {
                break;
            }
            self.mark(line, &mut shown);
            nodes += 1;
        }
        let mut edges = Vec::new();
        let candidates = self
            .edges
            .iter()
            .enumerate()
            .filter(|(_, (e, _))| e.from.max(e.to) < nodes);
        for (i, (_, line)) in candidates {
            let heading = if edges.is_empty() {
                self.edges_heading.cost
            } else {
                0
            };
            if !purse.pay(line.cost + heading) {
                break;
            }
            edges.push(i);
        }
        while let Some(line) = self.nodes.get(nodes) {
            if !purse.pay(self.node_cost(line, &shown)) {
                break;
            }
            self.mark(line, &mut shown);
            nodes += 1;
        }
        Selection {
            header,
            nodes,
            edges,
        }
    }

    /// What nodes leave for edges: their share, and in any case room for the best one where half of the room pays for it.
    fn edge_room(&self, room: u64) -> u64 {
        let Some((_, best)) = self.edges.first() else {
            return 0;
        };
        let one = best.cost + self.edges_heading.cost;
        let share = room - room * NODE_SHARE / 100;
        if one <= room / 2 {
            share.max(one)
        } else {
            share
        }
    }

    fn heading_cost(&self, group: usize) -> u64 {
        self.headings.get(group).map_or(0, |h| h.cost)
    }

    fn node_cost(&self, line: &Line, shown: &[bool]) -> u64 {
        let heading = match shown.get(line.group) {
            Some(false) => self.heading_cost(line.group),
            _ => 0,
        };
        line.cost + heading
    }

    fn mark(&self, line: &Line, shown: &mut [bool]) {
        if let Some(flag) = shown.get_mut(line.group) {
            *flag = true;
        }
    }

    fn last_line(&self, nodes: usize, edges: usize, total: u64) -> String {
        let more = if self.answer.limited { "+" } else { "" };
        format!(
            "... (truncated: {nodes} of {}{more} nodes, {edges} of {} edges shown; --budget {total} shows all)\n",
            self.nodes.len(),
            self.edges.len(),
        )
    }

    fn write(&self, selection: &Selection, last: &str) -> String {
        let mut out = String::new();
        if selection.header {
            out.push_str(&self.header);
        }
        let nodes = self.nodes.get(..selection.nodes).unwrap_or_default();
        match self.format {
            Format::Lines => nodes.iter().for_each(|n| out.push_str(&n.text)),
            Format::Grouped => {
                // Headings are numbered in order of first appearance.
                let mut below: Vec<Vec<&Line>> = vec![Vec::new(); self.headings.len()];
                for node in nodes {
                    if let Some(lines) = below.get_mut(node.group) {
                        lines.push(node);
                    }
                }
                for (heading, lines) in self
                    .headings
                    .iter()
                    .zip(below)
                    .filter(|(_, l)| !l.is_empty())
                {
                    out.push_str(&heading.text);
                    lines.iter().for_each(|l| out.push_str(&l.text));
                }
            }
        }
        if !selection.edges.is_empty() {
            out.push_str(&self.edges_heading.text);
        }
        for (_, line) in selection.edges.iter().filter_map(|i| self.edges.get(*i)) {
            out.push_str(&line.text);
        }
        out.push_str(last);
        if selection.header {
            out.push_str(&self.notes);
        }
        out
    }
}

/// Whether the grouped format says it already by writing the symbol below its file.
fn is_implied(answer: &QueryAnswer, edge: &EdgeCard) -> bool {
    let source = answer.nodes.get(edge.from).map(|n| &n.card);
    edge.relation == "contains"
        && source.is_some_and(|s| s.is_file())
        && answer.nodes.get(edge.to).map(|n| n.card.file.as_str())
            == source.map(|s| s.file.as_str())
}

fn header(answer: &QueryAnswer) -> String {
    let mut parts = vec![
        format!(
            "Graph: {} ({} nodes)",
            safe::field(&answer.index),
            answer.index_nodes
        ),
        format!(
            "Traversal: {} depth={}",
            answer.mode.to_uppercase(),
            answer.depth
        ),
    ];
    let start = if answer.given_seeds {
        "Start (given)"
    } else {
        "Start"
    };
    parts.push(format!(
        "{start}: {}",
        safe::list(answer.seeds.iter().map(|s| s.label.as_str()))
    ));
    if !answer.unresolved_seeds.is_empty() {
        let names = answer.unresolved_seeds.iter().map(String::as_str);
        parts.push(format!("Unresolved seeds (skipped): {}", safe::list(names)));
    }
    if !answer.contexts.is_empty() {
        let how = if answer.contexts_explicit {
            "explicit"
        } else {
            "heuristic: order only"
        };
        parts.push(format!(
            "Context: {} ({how})",
            safe::field(&answer.contexts.join(", "))
        ));
    }
    let least = if answer.limited { "at least " } else { "" };
    parts.push(format!("{least}{} nodes found", answer.nodes.len()));
    format!("{}\n\n", parts.join(" | "))
}

/// What else bears the name of a seed.
fn rivals(answer: &QueryAnswer, node: usize) -> Option<String> {
    let seed = answer
        .seeds
        .iter()
        .find(|s| s.node == node && s.rivals_total > 0)?;
    let named: Vec<String> = seed
        .rivals
        .iter()
        .take(MAX_RIVALS)
        .map(|p| safe::site(&p.file, p.line))
        .collect();
    let more = match seed.rivals_total.saturating_sub(named.len() as u64) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    Some(format!("same name in {}{more}", named.join(", ")))
}

fn grouped_node(answer: &QueryAnswer, i: usize) -> String {
    let Some(node) = answer.nodes.get(i) else {
        return String::new();
    };
    let card = &node.card;
    let note = rivals(answer, i)
        .map(|r| format!(" ({r})"))
        .unwrap_or_default();
    if card.is_file() {
        // Its heading is its line.
        return if note.is_empty() {
            String::new()
        } else {
            format!(" {note}\n")
        };
    }
    let mut text = format!("  {}", safe::field(&card.label));
    let lines = safe::lines(card.line, card.end_line);
    if !lines.is_empty() {
        let _ = write!(text, " {lines}");
    }
    if card.file.is_empty() {
        let _ = write!(text, " {}", safe::field(&card.id));
    }
    text.push_str(&note);
    text.push('\n');
    text
}

fn plain_node(answer: &QueryAnswer, i: usize) -> String {
    let Some(node) = answer.nodes.get(i) else {
        return String::new();
    };
    let card = &node.card;
    let mut text = format!(
        "NODE {} [src={} loc={} community={}]\n",
        safe::field(&card.label),
        safe::field(&card.file),
        safe::lines(card.line, 0),
        safe::field(&card.community),
    );
    if let Some(note) = rivals(answer, i) {
        let _ = writeln!(text, "NOTE {}: {note}", safe::field(&card.label));
    }
    text
}

/// How edges name each node: by its label, where several share it by its name inside the file, else by its id.
fn edge_ends(answer: &QueryAnswer) -> Vec<String> {
    let inside = |card: &NodeCard| match card.id.split_once("::") {
        Some((_, name)) => name.to_string(),
        None => card.id.clone(),
    };
    let mut labels: FxHashMap<&str, u32> = FxHashMap::default();
    let mut names: FxHashMap<String, u32> = FxHashMap::default();
    for node in &answer.nodes {
        *labels.entry(node.card.label.as_str()).or_insert(0) += 1;
        *names.entry(inside(&node.card)).or_insert(0) += 1;
    }
    let end = |card: &NodeCard| {
        if labels.get(card.label.as_str()).is_none_or(|n| *n < 2) || card.id.is_empty() {
            return safe::field(&card.label);
        }
        let name = inside(card);
        match names.get(&name) {
            Some(1) => safe::field(&name),
            _ => safe::field(&card.id),
        }
    };
    answer.nodes.iter().map(|n| end(&n.card)).collect()
}

fn edge_line(ends: &[String], edge: &EdgeCard, format: Format) -> String {
    let label = |i: usize| ends.get(i).map_or("", String::as_str);
    let (source, target) = (label(edge.from), label(edge.to));
    let relation = safe::field(&edge.relation);
    let site = safe::site(&edge.file, edge.line);
    match format {
        Format::Grouped => {
            let gap = if site.is_empty() { "" } else { " " };
            format!(
                "  {source} --{relation} [{}]--> {target}{gap}{site}\n",
                edge.confidence
            )
        }
        Format::Lines => {
            let context = match edge.context.as_str() {
                "" => String::new(),
                context => format!(" context={}", safe::field(context)),
            };
            let at = if site.is_empty() {
                String::new()
            } else {
                format!(" at={site}")
            };
            format!(
                "EDGE {source} --{relation} [{}{context}]--> {target}{at}\n",
                edge.confidence
            )
        }
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;

//! What stands around the source: what the bundle is, and what is not in it.
//!
//! Where it sits: written after the source was packed, from what the budget has left. Invariant: each line is written only
//! if it fits, the statistics first.

use crate::context::Bundle;
use crate::render::context::pack::Packed;
use crate::render::safe;

/// Most names of a list.
const NAMES: usize = 8;

/// The figures of a bundle.
pub(super) struct Figures {
    pub(super) files: usize,
    pub(super) symbols: usize,
    pub(super) tokens: u64,
    pub(super) budget: u64,
    pub(super) left: usize,
}

impl Figures {
    pub(super) fn new(packed: &Packed, tokens: u64, budget: u64) -> Self {
        Self {
            files: packed.files.len(),
            symbols: packed.shown,
            tokens,
            budget,
            left: packed.left.len(),
        }
    }
}

/// The line of statistics.
pub(super) fn head(bundle: &Bundle, figures: &Figures) -> String {
    let of = if bundle.entry.is_empty() {
        String::new()
    } else {
        format!(" of {}", safe::field(&bundle.entry))
    };
    let left = match figures.left {
        0 => String::new(),
        n => format!(" | {n} left out"),
    };
    format!(
        "Context: {}{of} | {} | {} | ~{} of {} tokens{left}\n",
        bundle.mode,
        count(figures.files, "file"),
        count(figures.symbols, "symbol"),
        figures.tokens,
        figures.budget,
    )
}

/// The shortest statistics.
pub(super) fn short_head(figures: &Figures) -> String {
    format!(
        "Context: ~{} of {} tokens\n",
        figures.tokens, figures.budget
    )
}

fn count(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{plural}")
}

/// Remarks of the bundle.
pub(super) fn notes(bundle: &Bundle) -> Vec<String> {
    bundle.notes.iter().map(|n| safe::field(n)).collect()
}

/// The environment variables that shown code reads.
fn environment(bundle: &Bundle) -> Option<String> {
    let reads: Vec<String> = bundle
        .environment
        .iter()
        .take(NAMES)
        .map(|(name, site)| format!("{} ({})", safe::field(name), safe::field(site)))
        .collect();
    (!reads.is_empty()).then(|| format!("Environment variables: {}", reads.join(", ")))
}

/// What is not in the bundle, and what would be in a larger one.
pub(super) fn ledger(bundle: &Bundle, packed: &Packed) -> Vec<String> {
    let piece = |place: &usize| bundle.pieces.get(*place);
    let mut lines = Vec::new();
    lines.extend(environment(bundle));
    if !packed.left.is_empty() {
        let left = packed
            .left
            .iter()
            .filter_map(piece)
            .map(|p| safe::field(&p.label));
        lines.push(format!(
            "Left out for want of budget: {}",
            list(left.collect())
        ));
    }
    if let Some((budget, adds)) = &packed.next {
        let adds = adds.iter().filter_map(piece).map(|p| safe::field(&p.label));
        lines.push(format!("--budget {budget} adds: {}", list(adds.collect())));
    }
    let cut = packed
        .cut
        .iter()
        .filter_map(piece)
        .map(|p| safe::field(&p.label));
    let cut: Vec<String> = cut.collect();
    if !cut.is_empty() {
        lines.push(format!("Shown in part: {}", list(cut)));
    }
    for gone in bundle.left_out.iter().take(NAMES) {
        lines.push(format!(
            "Not shown: {} ({})",
            safe::field(&gone.what),
            safe::field(&gone.why)
        ));
    }
    lines
}

fn list(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let mut text = names.join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// The token figure that makes a text true: `write` is given a figure, and what it yields must cost that much.
pub(super) fn settle(budget: u64, write: impl Fn(u64) -> String) -> String {
    let mut tokens = budget;
    for _ in 0..4 {
        let text = write(tokens);
        let cost = crate::render::tokens(&text);
        if cost == tokens {
            return text;
        }
        tokens = cost;
    }
    write(tokens)
}

//! What depends on something, as text and as JSON, within a budget.
//!
//! Where it sits: the renderer of `affected`. The first three lines are the reference's own; then the totals and how
//! complete they are; then the dependents by hop and file, tests last. Invariant: with a budget the answer never costs
//! more: it is cut at the end of the list, and the last line says what was left out.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::answer::{AffectedAnswer, ChangeReport, Completeness, Dependent};
use crate::render::budget::{Purse, measure};
use crate::render::{json as objects, safe};

/// Seeds that are named.
const MAX_SEEDS: usize = 20;
/// Sites of unresolved calls that are named.
const MAX_SITES: usize = 5;

/// The answer as text; it costs at most `budget` tokens if there is one.
pub fn affected(answer: &AffectedAnswer, budget: Option<u64>) -> String {
    let head = header(answer);
    let items = items(answer);
    let notes: String = answer
        .notes
        .iter()
        .map(|n| format!("{}\n", safe::line(n)))
        .collect();
    let whole: String = items.iter().map(|i| i.as_str()).collect();
    let full = format!("{head}{whole}{notes}");
    let cost = measure(&full);
    let Some(budget) = budget.filter(|b| cost > b.saturating_mul(100)) else {
        return full;
    };
    let total = cost.div_ceil(100);
    let all = answer.dependents.len();
    let last = |shown: usize| {
        format!("... (truncated: {shown} of {all} nodes shown; --budget {total} shows all)\n")
    };
    let mut purse = Purse::new(budget);
    if !purse.pay(measure(&last(all))) {
        let short = ["... (truncated)\n", "...\n"];
        let fits = short
            .into_iter()
            .find(|t| measure(t) <= budget.saturating_mul(100));
        return fits.unwrap_or_default().to_string();
    }
    let mut out = String::new();
    // A cut answer does without the list of relations; what else of the head does not fit is left out from its end.
    let spared = |line: &&str| !line.starts_with("Relations: ");
    for line in head.split_inclusive('\n').filter(spared) {
        if !purse.pay(measure(line)) {
            return out + &last(0);
        }
        out.push_str(line);
    }
    let mut shown = 0;
    for item in &items {
        if !purse.pay(measure(item)) {
            break;
        }
        out.push_str(item);
        shown += 1;
    }
    out + &last(shown)
}

fn header(answer: &AffectedAnswer) -> String {
    let mut out = String::new();
    let names: Vec<String> = answer
        .seeds
        .iter()
        .take(MAX_SEEDS)
        .map(|s| {
            if answer.changes.is_some() && !s.is_file() {
                format!("{} ({})", safe::field(&s.label), safe::field(&s.file))
            } else if s.is_file() {
                safe::field(&s.file)
            } else {
                safe::field(&s.label)
            }
        })
        .collect();
    match &answer.changes {
        Some(changes) => changed(&mut out, answer, changes, &names),
        None => {
            let _ = writeln!(out, "Affected nodes for {}", names.join(", "));
        }
    }
    if let Some(announced) = &answer.announced {
        let _ = writeln!(out, "({})", safe::field(announced));
    }
    let relations: Vec<String> = answer.relations.iter().map(|r| safe::field(r)).collect();
    let _ = writeln!(out, "Relations: {}", relations.join(", "));
    let _ = writeln!(out, "Depth: {}", answer.depth);
    let totals = &answer.totals;
    if answer.dependents.is_empty() {
        out.push_str("No affected nodes found.\n");
    } else {
        let hops: Vec<String> = totals
            .by_hop
            .iter()
            .enumerate()
            .map(|(i, n)| format!("{n} at {}", count(i + 1, "hop")))
            .collect();
        let least = if answer.limited { "at least " } else { "" };
        let _ = writeln!(
            out,
            "Total: {least}{} in {}, {} in {} ({})",
            count(totals.nodes, "node"),
            count(totals.files, "file"),
            count(totals.tests, "test"),
            count(totals.test_files, "file"),
            hops.join(", ")
        );
    }
    if let Some(complete) = &answer.completeness {
        let _ = writeln!(out, "Callers: {}", completeness(complete));
    }
    if let Some(further) = &answer.further {
        let _ = writeln!(
            out,
            "Further hops: {} of the names of dependents may hide more",
            count(further.unresolved, "unresolved call")
        );
    }
    out
}

fn changed(out: &mut String, answer: &AffectedAnswer, changes: &ChangeReport, names: &[String]) {
    let _ = writeln!(
        out,
        "Affected nodes for the changes since {}: {} in {}",
        safe::field(&changes.since),
        count(answer.seeds_total, "changed symbol"),
        count(changes.files, "changed file")
    );
    let more = answer.seeds_total.saturating_sub(names.len());
    let more = match more {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    if !names.is_empty() {
        let _ = writeln!(out, "Changed: {}{more}", names.join(", "));
    }
    let named = |out: &mut String, number: usize, files: &[String], what: &str| {
        if number == 0 {
            return;
        }
        let shown: Vec<String> = files.iter().take(5).map(|f| safe::field(f)).collect();
        let more = match number - shown.len().min(number) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let _ = writeln!(out, "{what}: {}{more}", shown.join(", "));
    };
    named(
        out,
        changes.stale,
        &changes.stale_files,
        "Indexed with other content (run `graphify index`)",
    );
    named(
        out,
        changes.not_indexed,
        &changes.not_indexed_files,
        "Changed but not in the index",
    );
}

/// `complete`, or what may hide callers, with file and line.
pub(crate) fn completeness(complete: &Completeness) -> String {
    match complete.status.as_str() {
        "complete" => "complete (no unresolved call of this name)".to_string(),
        "unknown" => "unknown (an imported graph does not list unresolved calls)".to_string(),
        _ => {
            let sites: Vec<String> = complete
                .sites
                .iter()
                .take(MAX_SITES)
                .map(|s| safe::site(&s.file, s.line))
                .collect();
            let more = match complete.unresolved.saturating_sub(sites.len()) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            format!(
                "may be incomplete, {} of this name: {}{more}",
                count(complete.unresolved, "unresolved call"),
                sites.join(", ")
            )
        }
    }
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// One text for each dependent, with the headings that it opens.
fn items(answer: &AffectedAnswer) -> Vec<String> {
    let mut items = Vec::with_capacity(answer.dependents.len());
    let mut group: Option<(bool, u32)> = None;
    let mut file: Option<&str> = None;
    for dependent in &answer.dependents {
        let mut text = String::new();
        let this = (
            dependent.card.test,
            if dependent.card.test {
                0
            } else {
                dependent.hops
            },
        );
        if group != Some(this) {
            group = Some(this);
            file = None;
            if dependent.card.test {
                let totals = &answer.totals;
                let files = count(totals.test_files, "file");
                let _ = write!(text, "\nTests ({} in {files}):\n", totals.tests);
            } else {
                let _ = write!(text, "\n{}:\n", count(dependent.hops as usize, "hop"));
            }
        }
        if file != Some(dependent.card.file.as_str()) {
            file = Some(&dependent.card.file);
            let path = if dependent.card.file.is_empty() {
                "(unknown file)".to_string()
            } else {
                safe::field(&dependent.card.file)
            };
            let _ = writeln!(text, "  {path}");
        }
        let _ = writeln!(text, "    {}", line(dependent));
        items.push(text);
    }
    items
}

fn line(dependent: &Dependent) -> String {
    let card = &dependent.card;
    let name = if card.is_file() {
        "(the file)".to_string()
    } else {
        let lines = safe::lines(card.line, card.end_line);
        format!("{} {lines}", safe::field(&card.label))
    };
    let via = &dependent.via;
    let mut text = name.trim_end().to_string();
    if !via.relation.is_empty() {
        let sure = match via.confidence.as_str() {
            "EXTRACTED" => String::new(),
            other => format!(" {other}"),
        };
        let at = if via.line > 0 {
            format!(" L{}", via.line)
        } else {
            String::new()
        };
        let _ = write!(
            text,
            " [{}{sure}] {}{at}",
            safe::field(&via.relation),
            safe::field(&via.label)
        );
    }
    if card.test && dependent.hops > 1 {
        let _ = write!(text, " ({} hops)", dependent.hops);
    }
    text
}

/// The answer as JSON; it costs at most `budget` tokens if there is one.
pub fn affected_json(answer: &AffectedAnswer, budget: Option<u64>) -> String {
    let items: Vec<String> = answer
        .dependents
        .iter()
        .map(|d| serde_json::to_string(d).unwrap_or_default())
        .collect();
    let needed = items.iter().map(|i| measure(i) + measure(",")).sum::<u64>()
        + measure(&frame(answer, &items, 0, u64::from(u32::MAX)));
    let needed = needed.div_ceil(100);
    let whole = frame(answer, &items, items.len(), needed);
    let Some(budget) = budget.filter(|b| measure(&whole) > b.saturating_mul(100)) else {
        return whole;
    };
    let mut purse = Purse::new(budget);
    let mut slim = answer.clone();
    // A cut answer does without what explains it.
    slim.relations.clear();
    slim.notes.clear();
    slim.further = None;
    if measure(&frame(&slim, &items, 0, needed)) > purse.left() {
        slim.seeds.truncate(1);
        slim.changes = None;
        if let Some(complete) = &mut slim.completeness {
            complete.sites.clear();
        }
    }
    if !purse.pay(measure(&frame(&slim, &items, 0, needed))) {
        let fits = ["{\"truncated\":true}\n", "{}\n"]
            .into_iter()
            .find(|t| measure(t) <= budget.saturating_mul(100));
        return fits.unwrap_or_default().to_string();
    }
    // The figure of what is shown costs by its places: room for the largest is kept.
    let _ = purse.pay(measure("9999999999"));
    let mut shown = 0;
    while let Some(item) = items.get(shown) {
        if !purse.pay(measure(item) + measure(",")) {
            break;
        }
        shown += 1;
    }
    frame(&slim, &items, shown, needed)
}

fn frame(answer: &AffectedAnswer, items: &[String], shown: usize, needed: u64) -> String {
    let mut value =
        serde_json::from_str(&objects::object("affected", answer)).unwrap_or(Value::Null);
    if let Some(map) = value.as_object_mut() {
        map.insert("shown".to_string(), json!(shown));
        map.insert("truncated".to_string(), json!(shown < items.len()));
        map.insert("budget_for_all".to_string(), json!(needed));
    }
    let head = value.to_string();
    let head = head.strip_suffix('}').unwrap_or(&head);
    let kept = items.get(..shown).unwrap_or_default().join(",");
    format!("{head},\"dependents\":[{kept}]}}\n")
}

//! A bundle as one JSON object.
//!
//! Where it sits: `--json` of `context`; the same facts as the text, as fields. Invariant: valid JSON within the budget,
//! whatever it is; lists of what is left out are shortened before source is.

use serde_json::{Value, json};

use crate::answer::SCHEMA_VERSION;
use crate::context::{Bundle, SourceText};
use crate::render::budget::measure;
use crate::render::context::Style;
use crate::render::context::code::Source;
use crate::render::context::frame;
use crate::render::context::pack::{Group, Packed, Shape, pack};

/// Lengths to which lists in the frame are cut, the first that fits.
const LISTS: [usize; 4] = [40, 10, 3, 0];

struct Json {
    style: Style,
}

/// The bundle as JSON that costs at most `budget` tokens; empty where not even an object fits.
pub fn json(bundle: &Bundle, budget: u64, style: Style) -> String {
    let shape = Json { style };
    let limit = budget.saturating_mul(100);
    let least = measure(&frame_of(bundle, &Packed::default(), budget, budget, 0, ""));
    let packed = match limit.checked_sub(least) {
        Some(inside) => pack(bundle, &shape, inside / 100, 0),
        None => Packed::default(),
    };
    let mut snippets = String::new();
    for group in packed.files.iter().flat_map(|(_, groups)| groups) {
        snippets.push_str(&shape.group(bundle, group));
    }
    let snippets = snippets.trim_end_matches(',');
    for length in LISTS {
        let write = |tokens| frame_of(bundle, &packed, tokens, budget, length, snippets);
        if measure(&write(budget)) <= limit {
            return frame::settle(budget, write);
        }
    }
    let said = [
        format!(
            "{{\"schema_version\":{SCHEMA_VERSION},\"command\":\"context\",\"truncated\":true}}\n"
        ),
        "{\"truncated\":true}\n".to_string(),
        "{}\n".to_string(),
    ];
    said.into_iter()
        .find(|t| measure(t) <= limit)
        .unwrap_or_default()
}

fn frame_of(
    bundle: &Bundle,
    packed: &Packed,
    tokens: u64,
    budget: u64,
    length: usize,
    snippets: &str,
) -> String {
    let piece = |place: &usize| bundle.pieces.get(*place);
    let ids = |places: &[usize]| -> Vec<Value> {
        places
            .iter()
            .take(length)
            .filter_map(piece)
            .map(|p| json!(p.id))
            .collect()
    };
    let mut value = json!({
        "schema_version": SCHEMA_VERSION,
        "command": "context",
        "mode": bundle.mode,
        "depth": bundle.depth,
        "entry": bundle.entry,
        "budget": budget,
        "tokens": tokens,
        "files": packed.files.len(),
        "symbols": packed.shown,
        "left_out_total": packed.left.len(),
        "truncated": !packed.left.is_empty() || !packed.cut.is_empty(),
    });
    if let Some(map) = value.as_object_mut()
        && length > 0
    {
        let environment: Vec<Value> = bundle
            .environment
            .iter()
            .take(length)
            .map(|(name, site)| json!({"name": name, "site": site}))
            .collect();
        let gone: Vec<Value> = bundle
            .left_out
            .iter()
            .take(length)
            .map(|l| json!({"id": l.what, "why": l.why}))
            .collect();
        let next = packed
            .next
            .as_ref()
            .map(|(budget, adds)| json!({"budget": budget, "adds": ids(adds)}));
        map.insert("question".into(), json!(bundle.question));
        map.insert("notes".into(), json!(bundle.notes));
        map.insert("environment".into(), json!(environment));
        map.insert("left_out".into(), json!(ids(&packed.left)));
        map.insert("shown_in_part".into(), json!(ids(&packed.cut)));
        map.insert("gone".into(), json!(gone));
        map.insert("next".into(), json!(next));
    }
    let head = value.to_string();
    let head = head.strip_suffix('}').unwrap_or(&head);
    format!("{head},\"snippets\":[{snippets}]}}\n")
}

impl Shape for Json {
    fn open(&self, _file: &SourceText) -> String {
        String::new()
    }

    /// The group as an object and the comma behind it.
    fn group(&self, bundle: &Bundle, group: &Group) -> String {
        let pieces: Vec<_> = group
            .pieces
            .iter()
            .filter_map(|p| bundle.pieces.get(*p))
            .collect();
        let Some(outer) = pieces.first().copied() else {
            return String::new();
        };
        let Some(text) = bundle.files.get(outer.file) else {
            return String::new();
        };
        let symbols: Vec<Value> = pieces
            .iter()
            .map(|p| {
                let via = p.via.and_then(|v| bundle.pieces.get(v)).map(|v| &v.id);
                json!({
                    "id": p.id,
                    "label": p.label,
                    "kind": p.kind,
                    "line": p.line,
                    "end_line": p.end_line,
                    "why": p.why,
                    "hops": p.hops,
                    "via": via,
                    "changed": p.changed,
                    "summary": p.summary,
                })
            })
            .collect();
        let source = Source {
            text,
            piece: outer,
            style: self.style,
        };
        let value = json!({
            "file": text.key,
            "language": text.language,
            "symbols": symbols,
            "lines": group.lines,
            "code": source.write(&group.lines),
        });
        format!("{value},")
    }

    fn close(&self, _file: &SourceText) -> String {
        String::new()
    }
}

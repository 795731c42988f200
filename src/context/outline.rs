//! Which lines of a unit are shown: its body, its outline, the imports it needs, or a summary.
//!
//! Where it sits: turns units into stretches of lines for [`super::pieces`]. Invariants: stretches are sorted and do not
//! overlap; an outline is part of the body; nothing outside the unit is in either, but the head of the type that holds an
//! entry and the imports that it uses.

use rustc_hash::FxHashSet;

use crate::context::bundle::SourceText;
use crate::context::units::UnitInfo;
use crate::model::label::NodeKind;
use crate::model::unit::FileFlags;

/// Most lines of a declaration in an outline.
const HEAD: u32 = 8;
/// Most lines of a comment in an outline.
const DOC: u32 = 4;
/// Most lines of a comment above the body of what is no entry.
const BODY_DOC: u32 = 8;
/// Tables of fewer lines are shown whole.
const TABLE: u32 = 40;
/// First lines of a table that are shown.
const TABLE_HEAD: u32 = 6;
/// Generated code of fewer lines is shown whole.
const GENERATED: u32 = 30;
/// Longest import statement that is looked at, in lines.
const MAX_IMPORT: u32 = 60;

/// Sorted stretches without overlaps, from stretches in any order.
pub(crate) fn merge(mut stretches: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    stretches.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::with_capacity(stretches.len());
    for (first, last) in stretches {
        match merged.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => merged.push((first, last)),
        }
    }
    merged
}

/// The last line of a unit's declaration: where its body opens.
fn head_end(source: &SourceText, unit: &UnitInfo) -> u32 {
    let limit = unit.end.min(unit.start.saturating_add(HEAD - 1));
    let opens = (unit.start..=limit).find(|n| {
        let line = source.line(*n).trim_end();
        line.ends_with(['{', ':', ';']) || line.ends_with("=>") || line.ends_with("[")
    });
    opens.unwrap_or(unit.start)
}

/// Declaration, a short comment above it, and the lines that lead on.
pub(crate) fn outline(source: &SourceText, unit: &UnitInfo, leads: &[u32]) -> Vec<(u32, u32)> {
    let top = if unit.start - unit.top <= DOC {
        unit.top
    } else {
        unit.start
    };
    let mut stretches = vec![(top, head_end(source, unit))];
    let inside = leads.iter().filter(|l| (unit.start..=unit.end).contains(l));
    stretches.extend(inside.map(|l| (*l, *l)));
    merge(stretches)
}

/// The body of a unit, and where it is only told of, what it holds.
pub(crate) fn body(
    source: &SourceText,
    unit: &UnitInfo,
    flags: u32,
) -> (Vec<(u32, u32)>, Option<String>) {
    let length = unit.end.saturating_sub(unit.start) + 1;
    let head = |lines: u32| {
        let last = unit.end.min(unit.start.saturating_add(lines - 1));
        vec![(unit.start, last)]
    };
    let generated = flags & (FileFlags::GENERATED | FileFlags::MINIFIED) != 0;
    if generated && length > GENERATED {
        return (
            head(TABLE_HEAD),
            Some(format!("{length} lines of generated code")),
        );
    }
    if length > TABLE
        && let Some(shape) = table(source, unit)
    {
        return (head(TABLE_HEAD), Some(shape));
    }
    let mut own = merge(unit.own_lines());
    if unit.start - unit.top > BODY_DOC
        && let Some(first) = own.first_mut()
    {
        first.0 = first.0.max(unit.start.min(first.1));
    }
    (own, None)
}

/// What a long constant is, where it is data: how many entries of which shape.
fn table(source: &SourceText, unit: &UnitInfo) -> Option<String> {
    let is_value = matches!(
        unit.kind,
        NodeKind::CONSTANT | NodeKind::VARIABLE | NodeKind::FIELD | NodeKind::ENUM
    );
    if !is_value {
        return None;
    }
    let (mut code, mut entries, mut lines) = (0u32, 0u32, 0u32);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let inner = indent(source.line(unit.start.saturating_add(1)));
    let mut quoted = 0u32;
    for number in unit.start.saturating_add(1)..=unit.end {
        let line = source.line(number);
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        lines += 1;
        let runs = ["=>", "function", "return ", "if (", "await ", "throw "];
        code += u32::from(runs.iter().any(|r| text.contains(r)));
        if indent(line) == inner && !text.starts_with(['}', ']', ')', '/', '*']) {
            entries += 1;
            quoted += u32::from(text.starts_with(['"', '\'', '`']));
        }
    }
    if code * 20 > lines {
        return None;
    }
    let first = source.line(unit.start);
    let shape = if unit.kind == NodeKind::ENUM {
        "members"
    } else if first.contains('[') && quoted * 2 > entries {
        "texts"
    } else {
        "entries"
    };
    Some(format!(
        "a table of {entries} {shape} in {} lines",
        unit.end - unit.start + 1
    ))
}

/// The head of the type that holds a unit, its first line up to where its body opens.
pub(crate) fn holder(source: &SourceText, unit: &UnitInfo) -> Vec<(u32, u32)> {
    let Some((first, last)) = unit.holder else {
        return Vec::new();
    };
    let limit = last
        .min(first.saturating_add(HEAD - 1))
        .min(unit.top.saturating_sub(1));
    if limit < first {
        return Vec::new();
    }
    let opens = (first..=limit).find(|n| source.line(*n).trim_end().ends_with(['{', ':']));
    vec![(first, opens.unwrap_or(first))]
}

/// The lines of the import statements whose names a unit uses.
pub(crate) fn imports(source: &SourceText, unit: &UnitInfo) -> Vec<(u32, u32)> {
    let mut used: FxHashSet<&str> = FxHashSet::default();
    for number in unit.start..=unit.end {
        used.extend(identifiers(source.line(number)));
    }
    let mut stretches = Vec::new();
    let mut number = 1;
    while number < unit.top {
        let first = number;
        if !begins_import(source.line(first)) {
            number += 1;
            continue;
        }
        let mut depth = 0i32;
        let limit = first
            .saturating_add(MAX_IMPORT)
            .min(unit.top.saturating_sub(1));
        loop {
            for c in source.line(number).chars() {
                depth += i32::from(matches!(c, '{' | '(')) - i32::from(matches!(c, '}' | ')'));
            }
            if depth <= 0 || number >= limit {
                break;
            }
            number += 1;
        }
        let hit = |n: &u32| identifiers(source.line(*n)).any(|word| used.contains(word));
        let hits: Vec<u32> = (first..=number).filter(hit).collect();
        if !hits.is_empty() {
            if number - first <= 3 {
                stretches.push((first, number));
            } else {
                stretches.extend([(first, first), (number, number)]);
                stretches.extend(hits.into_iter().map(|n| (n, n)));
            }
        }
        number += 1;
    }
    merge(stretches)
}

fn begins_import(line: &str) -> bool {
    let words = [
        "import ", "import(", "import{", "from ", "use ", "pub use ", "#include",
    ];
    words.iter().any(|w| line.starts_with(w))
        || (line.contains("require(")
            && ["const ", "let ", "var "]
                .iter()
                .any(|w| line.starts_with(w)))
}

/// The words of a line.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .filter(|w| !w.is_empty())
}

/// The names in a line, without the words that every import has.
fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    const KNOWN: &[&str] = &[
        "import", "from", "type", "as", "const", "let", "var", "require", "use", "pub", "crate",
        "self", "default", "ts", "js",
    ];
    words(line).filter(|n| n.len() > 1 && !KNOWN.contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::node::NodeFlags;

    fn source(text: &str) -> SourceText {
        SourceText::new("a.ts", "typescript".into(), text.into(), false)
    }

    fn unit(kind: NodeKind, start: u32, end: u32) -> UnitInfo {
        UnitInfo {
            sym: None,
            key: "a.ts::x".into(),
            label: "x".into(),
            kind,
            flags: NodeFlags::default(),
            file: 0,
            start,
            end,
            top: start,
            holder: None,
            inner: Vec::new(),
        }
    }

    #[test]
    fn only_imports_that_are_used() {
        let text = "import { one } from './a';\nimport type { Box } from './b';\nimport {\n  cut,\n  dig,\n  eat,\n  fly,\n} from './c';\nfunction x(b: Box) {\n  return cut + fly;\n}\n";
        assert_eq!(
            imports(&source(text), &unit(NodeKind::FUNCTION, 9, 11)),
            [(2, 4), (7, 8)]
        );
    }

    #[test]
    fn long_tables_are_told_of_and_code_is_not() {
        let rows: String = (0..100).map(|i| format!("  \"row {i}\",\n")).collect();
        let table = source(&format!("const T = [\n{rows}];\n"));
        let (lines, told) = body(&table, &unit(NodeKind::CONSTANT, 1, 102), 0);
        assert_eq!(lines, [(1, 6)]);
        assert_eq!(told.as_deref(), Some("a table of 100 texts in 102 lines"));
        let code: String = (0..100)
            .map(|i| format!("  f{i}: () => {{ return {i}; }},\n"))
            .collect();
        let handlers = source(&format!("const H = {{\n{code}}};\n"));
        assert_eq!(
            body(&handlers, &unit(NodeKind::CONSTANT, 1, 102), 0),
            (vec![(1, 102)], None)
        );
    }

    #[test]
    fn an_outline_is_head_comment_and_what_leads_on() {
        let text =
            "/** Says. */\nfunction x(\n  a: number,\n) {\n  one();\n  two();\n  three();\n}\n";
        let mut x = unit(NodeKind::FUNCTION, 2, 8);
        x.top = 1;
        assert_eq!(outline(&source(text), &x, &[6, 99]), [(1, 4), (6, 6)]);
    }
}

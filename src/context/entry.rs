//! Where a bundle starts.
//!
//! Where it sits: the first step; turns a line, a symbol or a question into units. Invariants: a line is looked up in the
//! file as it is now; a line that no unit covers means the next unit (or the last one, behind all), and the bundle says so;
//! a place that does not exist is an error that names what is near.

use crate::context::units::{UnitInfo, Units, is_value, unit_of};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{LocalNode, SymId};
use crate::search::query::Question;
use crate::search::resolver::{Resolution, resolve};
use crate::search::score::Scores;
use crate::search::seeds;

/// Most units that a question alone starts from.
const MAX_SEEDS: usize = 8;

/// A unit to start from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// Place of the unit.
    pub(crate) unit: usize,
    /// How much of the walk starts there.
    pub(crate) share: f64,
}

/// The unit at a line of a file, and a remark where the line lies in none.
pub(crate) fn at_line(
    units: &mut Units<'_>,
    file: &str,
    line: u32,
) -> Result<(usize, Option<String>)> {
    let place = units.files.place(file).ok_or_else(|| gone(file))?;
    let count = units.files.get(place).map_or(0, |f| f.source.line_count());
    if line == 0 || line > count.max(1) {
        return Err(outside(units, file, place, line, count));
    }
    let spans = spans(units, file, place);
    let inside = spans.iter().filter(|s| s.first <= line && line <= s.last);
    // The smallest extent is the innermost; among equals the later one lies inside the other.
    let inner = inside
        .min_by_key(|s| (s.last - s.first, std::cmp::Reverse(s.at)))
        .copied();
    // Between the members of a type, the next member is meant.
    let text = units
        .files
        .get(place)
        .map_or("", |f| f.source.line(line))
        .trim();
    let between = text.is_empty()
        || ["//", "/*", "*", "#"]
            .iter()
            .any(|mark| text.starts_with(mark));
    if let Some(outer) = inner.filter(|s| between && s.holds_members) {
        let next = spans
            .iter()
            .filter(|s| line < s.first && s.last <= outer.last);
        if let Some(next) = next.min_by_key(|s| (s.first, s.at))
            && let Some(unit) = to_unit(units, place, next.node)
            && Some(unit) != to_unit(units, place, outer.node)
        {
            return Ok((unit, Some(beside(units, unit, file, line, "the next one"))));
        }
    }
    if let Some(unit) = inner.and_then(|span| to_unit(units, place, span.node)) {
        return Ok((unit, None));
    }
    let next = spans
        .iter()
        .filter(|s| s.first > line)
        .min_by_key(|s| (s.first, s.at));
    let last = spans
        .iter()
        .filter(|s| s.last < line)
        .max_by_key(|s| (s.last, std::cmp::Reverse(s.at)));
    let (span, which) = match (next, last) {
        (Some(span), _) => (Some(*span), "the next one"),
        (None, Some(span)) => (Some(*span), "the last one before it"),
        (None, None) => (None, ""),
    };
    if let Some(unit) = span.and_then(|span| to_unit(units, place, span.node)) {
        return Ok((unit, Some(beside(units, unit, file, line, which))));
    }
    let whole = units.whole_file(place).ok_or_else(|| gone(file))?;
    Ok((
        whole,
        Some(format!("{file} defines no unit; it is taken whole")),
    ))
}

/// What a bundle says of a line that lies in no unit.
fn beside(units: &Units<'_>, unit: usize, file: &str, line: u32, which: &str) -> String {
    let label = units.get(unit).map(|u| u.label.clone()).unwrap_or_default();
    format!("line {line} of {file} lies in no unit; {label} is {which}")
}

/// The unit of a symbol.
pub(crate) fn of_symbol(units: &mut Units<'_>, sym: SymId) -> Result<usize> {
    let snapshot = units.snapshot;
    let Some(node) = snapshot.node(sym) else {
        return Err(Error::new(
            ErrorKind::NotFound,
            "that symbol is not in the index any more",
        ));
    };
    if node.is_placeholder() {
        let message = format!(
            "{} is outside the index: there is no source to show",
            node.key()
        );
        return Err(Error::new(ErrorKind::NotFound, message)
            .remedy("`graphify explain` tells who uses it; name one of them"));
    }
    let file = node.file().unwrap_or_default();
    let place = units.files.place(file).ok_or_else(|| gone(file))?;
    let unit = if node.is_unit() {
        units.whole_file(place)
    } else {
        unit_of(snapshot, sym).and_then(|unit| units.of(unit))
    };
    unit.ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            format!("{} is not in {file} any more", node.key()),
        )
        .remedy("run `graphify index` to bring the index up to date")
    })
}

/// The units that a question is about, best first.
pub(crate) fn of_question(units: &mut Units<'_>, text: &str) -> Result<Vec<Start>> {
    let snapshot = units.snapshot;
    let question = Question::parse(text);
    let scores = Scores::gather(snapshot, &question)?;
    let mut syms: Vec<(SymId, f64)> = Vec::new();
    for mention in &question.mentions {
        if let Resolution::Found {
            sym,
            announced: None,
        } = resolve(snapshot, mention)?
        {
            syms.push((sym, 2.0));
        }
    }
    for (i, seed) in seeds::find(snapshot, &question, &scores, question.about_tests)?
        .iter()
        .enumerate()
    {
        syms.push((seed.sym, 1.0 / (1.0 + i as f64 * 0.5)));
    }
    let mut starts: Vec<Start> = Vec::new();
    for (sym, share) in syms {
        let Some(unit) = unit_of(snapshot, sym).and_then(|u| units.of(u)) else {
            continue;
        };
        if let Some(start) = starts.iter_mut().find(|s| s.unit == unit) {
            start.share += share;
        } else if starts.len() < MAX_SEEDS {
            starts.push(Start { unit, share });
        }
    }
    Ok(starts)
}

#[derive(Clone, Copy)]
enum NodeAt {
    Stored(SymId),
    Now(LocalNode),
}

#[derive(Clone, Copy)]
struct LineSpan {
    first: u32,
    last: u32,
    at: usize,
    node: NodeAt,
    /// Whether it is a type or namespace, between whose members there is room.
    holds_members: bool,
}

/// The definitions of a file as it is now.
fn spans(units: &Units<'_>, file: &str, place: usize) -> Vec<LineSpan> {
    let now = units.files.get(place).and_then(|f| f.now.as_ref());
    if let Some(now) = now {
        let nodes = now.unit.nodes().iter().enumerate().skip(1);
        let span = |(at, node): (usize, &crate::model::node::Node)| {
            Some(LineSpan {
                first: node.span.start_line,
                last: node.span.end_line,
                at,
                node: NodeAt::Now(LocalNode::from_index(at)?),
                holds_members: !is_value(node.kind),
            })
        };
        return nodes.filter_map(span).filter(|s| s.first > 0).collect();
    }
    let Some(view) = units.snapshot.file(file) else {
        return Vec::new();
    };
    let nodes = view.nodes().enumerate().filter(|(_, n)| !n.is_unit());
    nodes
        .map(|(at, n)| LineSpan {
            first: n.span().start_line,
            last: n.span().end_line,
            at,
            node: NodeAt::Stored(n.sym()),
            holds_members: !is_value(n.kind()),
        })
        .filter(|s| s.first > 0)
        .collect()
}

fn to_unit(units: &mut Units<'_>, file: usize, node: NodeAt) -> Option<usize> {
    match node {
        NodeAt::Stored(sym) => {
            let unit = unit_of(units.snapshot, sym)?;
            units.of(unit)
        }
        NodeAt::Now(local) => units.of_changed(file, local),
    }
}

fn gone(file: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        "the file is not there any more, or cannot be read as source",
    )
    .at(file)
    .remedy("run `graphify index` to bring the index up to date")
}

fn outside(units: &mut Units<'_>, file: &str, place: usize, line: u32, count: u32) -> Error {
    let last = spans(units, file, place).into_iter().max_by_key(|s| s.last);
    let last = last.and_then(|s| to_unit(units, place, s.node));
    let last = last
        .and_then(|u| units.get(u))
        .map(|u: &UnitInfo| format!("{} stands at line {}", u.label, u.start));
    let message = format!("there is no line {line}: the file has {count}");
    let error = Error::new(ErrorKind::NotFound, message).at(file);
    match last {
        Some(last) => error.remedy(format!("name a line of the file; {last}")),
        None => error,
    }
}

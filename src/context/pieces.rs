//! From ranked units to the pieces and steps of a bundle.
//!
//! Where it sits: the last step of [`super::assemble()`]. Pieces stand in reading order: the entry, then along the chain as
//! the code runs, then who leads to it, then what is merely alike; a file stands where its first piece does, and its
//! pieces by line. Steps stand in order of worth, so that cutting takes far leaves first, then the rest of overlong units,
//! then what was ranked lowest; the units between a piece and the entry stand before it in outline, so that the chain to
//! what is shown is never broken. Invariant: neither order depends on a budget.

use rustc_hash::FxHashMap;

use crate::context::bundle::{Bundle, Form, LeftOut, Piece, SourceText, Step};
use crate::context::chain::{Chain, Link};
use crate::context::request::Request;
use crate::context::similarity::{Alike, Similarity};
use crate::context::units::{UnitInfo, Units, is_structure};
use crate::context::{links, outline};
use crate::ids::SymId;

/// Most children of a unit whose lines its outline shows.
const MAX_LEADS: usize = 6;

/// A candidate with its worth.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) unit: usize,
    pub(crate) score: f64,
    /// The part of it that the walk gave.
    pub(crate) near: f64,
    /// The part that words gave.
    pub(crate) by_text: f64,
    pub(crate) alike: Similarity,
    pub(crate) changed: bool,
}

/// What was found, before it is ordered.
pub(crate) struct Gathered {
    pub(crate) entry: Option<usize>,
    pub(crate) starts: Vec<usize>,
    pub(crate) ranked: Vec<Ranked>,
    pub(crate) chain: Chain,
    /// What the entry names now that the index does not know of yet: symbol and line.
    pub(crate) named: Vec<(SymId, u32)>,
    pub(crate) alike: Alike,
    pub(crate) depth: u32,
    pub(crate) notes: Vec<String>,
}

/// A bundle of the entry alone.
pub(crate) fn slice(
    units: &Units<'_>,
    entry: usize,
    request: &Request,
    notes: Vec<String>,
) -> Bundle {
    let mut bundle = frame(request, 0, notes);
    let Some(info) = units.get(entry) else {
        return bundle;
    };
    let mut piece = entry_piece(units, info, request);
    if let Some(file) = units.file_of(info) {
        piece.body.extend(outline::imports(&file.source, info));
        piece.body = outline::merge(piece.body);
        bundle.files.push(file.source.clone());
    }
    bundle.entry.clone_from(&info.key);
    bundle.has_entry = true;
    note_stale(&mut bundle);
    bundle.pieces.push(piece);
    bundle.steps = vec![Step {
        piece: 0,
        form: Form::Whole,
    }];
    bundle
}

fn frame(request: &Request, depth: u32, notes: Vec<String>) -> Bundle {
    Bundle {
        mode: request.mode.as_str().to_string(),
        depth,
        question: request.question.clone(),
        notes,
        ..Bundle::default()
    }
}

fn entry_piece(units: &Units<'_>, info: &UnitInfo, request: &Request) -> Piece {
    let mut piece = plain(units, info);
    piece.why = "entry".to_string();
    piece.hops = Some(0);
    if let Some(file) = units.file_of(info) {
        // An entry is shown as it is, a table too.
        let mut body = vec![(info.top, info.end)];
        if !info.inner.is_empty() {
            body = info.own_lines();
        }
        body.extend(outline::holder(&file.source, info));
        piece.body = outline::merge(body);
        piece.outline = outline::outline(&file.source, info, &[]);
        piece.changed = request
            .changed
            .touches(&file.source.key, info.top, info.end);
    }
    piece
}

fn plain(units: &Units<'_>, info: &UnitInfo) -> Piece {
    Piece {
        id: info.key.clone(),
        label: info.label.clone(),
        kind: info.kind.name(units.snapshot.labels()),
        line: info.start,
        end_line: info.end,
        ..Piece::default()
    }
}

/// A unit on its way to a piece.
struct Draft {
    unit: usize,
    piece: Piece,
    /// The chain's parent, as a place in the drafts.
    parent: Option<usize>,
    /// Whether the chain, and not words, brought it here.
    by_chain: bool,
    beyond: bool,
    /// For reading order: whether the edge leads from the parent here, its turn, its line.
    site: (bool, u8, u32),
}

/// The bundle of everything that was gathered.
pub(crate) fn bundle(units: &Units<'_>, gathered: Gathered, request: &Request) -> Bundle {
    let mut bundle = frame(request, gathered.depth, gathered.notes.clone());
    let mut drafts = drafts(units, &gathered, request);
    let places: FxHashMap<usize, usize> = drafts.iter().map(|d| d.unit).zip(0..).collect();
    link_up(units, &gathered, &places, &mut drafts);
    for at in 0..drafts.len() {
        explain(units, &gathered, &places, &mut drafts, at);
    }
    let steps = steps(&drafts);
    let order = reading_order(units, &drafts);
    // Pieces get their final places.
    let mut place_of = vec![0; drafts.len()];
    for (place, draft) in order.iter().enumerate() {
        if let Some(slot) = place_of.get_mut(*draft) {
            *slot = place;
        }
    }
    let to = |draft: usize| place_of.get(draft).copied().unwrap_or_default();
    bundle.steps = steps
        .into_iter()
        .map(|(draft, form)| Step {
            piece: to(draft),
            form,
        })
        .collect();
    let mut files: FxHashMap<usize, usize> = FxHashMap::default();
    for draft in &order {
        let Some(draft) = drafts.get(*draft) else {
            continue;
        };
        let Some(info) = units.get(draft.unit) else {
            continue;
        };
        let file = *files.entry(info.file).or_insert_with(|| {
            let source: Option<&SourceText> = units.file_of(info).map(|f| &f.source);
            bundle.files.push(source.cloned().unwrap_or_default());
            bundle.files.len() - 1
        });
        bundle.pieces.push(Piece {
            file,
            via: draft.parent.map(to),
            ..draft.piece.clone()
        });
    }
    if let Some(info) = gathered.entry.and_then(|e| units.get(e)) {
        bundle.entry.clone_from(&info.key);
        bundle.has_entry = true;
    }
    let shown: FxHashMap<SymId, ()> = drafts
        .iter()
        .filter_map(|d| Some((units.get(d.unit)?.sym?, ())))
        .collect();
    for (unit, name, site) in &gathered.chain.environment {
        let read = (name.clone(), site.clone());
        if shown.contains_key(unit) && !bundle.environment.contains(&read) {
            bundle.environment.push(read);
        }
    }
    left_out(units, &gathered, &mut bundle);
    note_stale(&mut bundle);
    bundle
}

fn drafts(units: &Units<'_>, gathered: &Gathered, request: &Request) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    for unit in &gathered.starts {
        let Some(info) = units.get(*unit) else {
            continue;
        };
        let mut piece = entry_piece(units, info, request);
        if Some(*unit) != gathered.entry {
            piece.why = "named by the question".to_string();
        }
        piece.score = 1.0;
        drafts.push(Draft {
            unit: *unit,
            piece,
            parent: None,
            by_chain: true,
            beyond: false,
            site: (true, 0, 0),
        });
    }
    for ranked in &gathered.ranked {
        let Some(info) = units.get(ranked.unit) else {
            continue;
        };
        let Some(file) = units.file_of(info) else {
            continue;
        };
        let mut piece = plain(units, info);
        (piece.body, piece.summary) = outline::body(&file.source, info, file.flags);
        piece.changed = ranked.changed;
        piece.score = ranked.score;
        let reached = info.sym.and_then(|s| gathered.chain.get(s));
        piece.hops = reached.map(|r| r.hops);
        let calls = reached.map_or(u32::MAX, |r| r.calls);
        let along = reached.is_some_and(|r| r.hops <= 1 || r.forward);
        let by_chain = calls <= gathered.depth && (along || ranked.near >= ranked.by_text);
        drafts.push(Draft {
            unit: ranked.unit,
            piece,
            parent: None,
            by_chain,
            beyond: reached.is_some() && calls > gathered.depth && ranked.near > ranked.by_text,
            site: (true, u8::MAX, u32::MAX),
        });
    }
    drafts
}

/// Gives every draft its parent in the chain.
fn link_up(
    units: &Units<'_>,
    gathered: &Gathered,
    places: &FxHashMap<usize, usize>,
    drafts: &mut [Draft],
) {
    let by_sym: FxHashMap<SymId, usize> = places
        .iter()
        .filter_map(|(unit, place)| Some((units.get(*unit)?.sym?, *place)))
        .collect();
    for draft in drafts.iter_mut() {
        let sym = units.get(draft.unit).and_then(|u| u.sym);
        if let Some((_, line)) = gathered.named.iter().find(|(s, _)| Some(*s) == sym) {
            draft.parent = gathered.entry.and_then(|e| places.get(&e)).copied();
            draft.site = (true, 0, *line);
        }
        let Some(link) = link_of(units, gathered, draft.unit) else {
            continue;
        };
        draft.parent = by_sym.get(&link.parent).copied();
        draft.site = (link.forward, links::turn(link.label), link.label.line);
    }
}

fn link_of(units: &Units<'_>, gathered: &Gathered, unit: usize) -> Option<Link> {
    let sym = units.get(unit)?.sym?;
    let link = gathered.chain.get(sym)?.link?;
    Some(link)
}

/// Says why a draft is here, and which lines its outline needs.
fn explain(
    units: &Units<'_>,
    gathered: &Gathered,
    places: &FxHashMap<usize, usize>,
    drafts: &mut [Draft],
    at: usize,
) {
    let Some(draft) = drafts.get(at) else { return };
    let Some(info) = units.get(draft.unit) else {
        return;
    };
    let Some(file) = units.file_of(info) else {
        return;
    };
    let mut leads: Vec<u32> = drafts
        .iter()
        .filter(|d| d.parent == Some(at) && d.by_chain && d.site.0)
        .map(|d| d.site.2)
        .take(MAX_LEADS)
        .collect();
    if let (false, _, line) = draft.site {
        leads.push(line);
    }
    let lines = outline::outline(&file.source, info, &leads);
    let reason = reason(units, gathered, places, draft, info);
    if let Some(draft) = drafts.get_mut(at) {
        draft.piece.outline = lines;
        if let Some((why, led)) = reason {
            draft.piece.why = why;
            draft.piece.led = led;
        }
    }
}

/// Why a draft is here, and whether an edge of the chain led to it; `None` for what the bundle starts from.
fn reason(
    units: &Units<'_>,
    gathered: &Gathered,
    places: &FxHashMap<usize, usize>,
    draft: &Draft,
    info: &UnitInfo,
) -> Option<(String, bool)> {
    if gathered.starts.contains(&draft.unit) {
        return None;
    }
    let link = link_of(units, gathered, draft.unit);
    if let Some(link) = link.filter(|_| draft.by_chain || draft.beyond) {
        let parent = units.snapshot.label_of(link.parent);
        let why = if link.forward {
            links::forward(link.label, &parent)
        } else {
            links::backward(link.label, &parent)
        };
        return Some((why, !is_structure(link.label.relation)));
    }
    let named = gathered.named.iter().find(|(s, _)| Some(*s) == info.sym);
    let entry = gathered.entry.and_then(|e| units.get(e));
    if let Some(((_, line), entry)) = named.zip(entry) {
        return Some((format!("named by {} at L{line}", entry.label), true));
    }
    let before = gathered.starts.len();
    let place = places.get(&draft.unit)?.checked_sub(before)?;
    let ranked = gathered.ranked.get(place)?;
    Some((likeness(units, &gathered.alike, ranked, info), false))
}

/// Which words a candidate shares with the question or the entry.
fn likeness(units: &Units<'_>, alike: &Alike, ranked: &Ranked, info: &UnitInfo) -> String {
    let of_question = ranked.alike.question >= ranked.alike.entry;
    let mut text = info.key.clone();
    if let Some(file) = units.file_of(info) {
        for (first, last) in info.own_lines() {
            text.push('\n');
            text.push_str(file.source.lines(first..=last));
        }
    }
    let words = alike.shared(&text, of_question);
    if words.is_empty() {
        return "near the entry".to_string();
    }
    let to = if of_question { "question" } else { "entry" };
    format!("similar to the {to}: {}", words.join(", "))
}

/// The steps, as places of drafts.
fn steps(drafts: &[Draft]) -> Vec<(usize, Form)> {
    let mut steps: Vec<(usize, Form)> = Vec::new();
    let mut named = vec![false; drafts.len()];
    let mut add = |steps: &mut Vec<(usize, Form)>, at: usize, form: Form| {
        if let Some(seen) = named.get_mut(at)
            && !(*seen && form == Form::Outline)
        {
            *seen = true;
            steps.push((at, form));
        }
    };
    let near = |d: &Draft| !d.beyond;
    for far in [false, true] {
        for (at, draft) in drafts.iter().enumerate() {
            if near(draft) == far {
                continue;
            }
            let mut way = Vec::new();
            let mut up = draft.parent.filter(|_| draft.by_chain || draft.beyond);
            while let Some(parent) = up.filter(|p| way.len() < drafts.len() && !way.contains(p)) {
                way.push(parent);
                up = drafts.get(parent).and_then(|d| d.parent);
            }
            for between in way.into_iter().rev() {
                add(&mut steps, between, Form::Outline);
            }
            add(&mut steps, at, Form::Body);
        }
        if !far {
            let whole: Vec<usize> = drafts
                .iter()
                .enumerate()
                .filter(|(_, d)| near(d))
                .map(|(i, _)| i)
                .collect();
            whole
                .into_iter()
                .for_each(|at| add(&mut steps, at, Form::Whole));
        }
    }
    steps
}

/// Drafts in reading order.
fn reading_order(units: &Units<'_>, drafts: &[Draft]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); drafts.len()];
    let mut roots = Vec::new();
    for (at, draft) in drafts.iter().enumerate() {
        match draft.parent.filter(|_| draft.by_chain || draft.beyond) {
            Some(parent) => {
                if let Some(list) = children.get_mut(parent) {
                    list.push(at);
                }
            }
            None => roots.push(at),
        }
    }
    for list in &mut children {
        // What is called, by line, before who calls.
        list.sort_by_key(|at| {
            drafts
                .get(*at)
                .map(|d| (!d.site.0, d.site.1, d.site.2, *at))
        });
    }
    let mut read: Vec<usize> = Vec::new();
    let mut stack: Vec<usize> = roots.into_iter().rev().collect();
    let mut seen = vec![false; drafts.len()];
    while let Some(at) = stack.pop() {
        match seen.get_mut(at) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        read.push(at);
        if let Some(list) = children.get(at) {
            stack.extend(list.iter().rev());
        }
    }
    let mut first: FxHashMap<usize, usize> = FxHashMap::default();
    for (turn, at) in read.iter().enumerate() {
        if let Some(info) = drafts.get(*at).and_then(|d| units.get(d.unit)) {
            first.entry(info.file).or_insert(turn);
        }
    }
    read.sort_by_key(|at| {
        let info = drafts.get(*at).and_then(|d| units.get(d.unit));
        info.map(|i| (first.get(&i.file).copied(), i.start, i.end, i.key.clone()))
    });
    read
}

/// Names what the chain leads to and the sources no longer have.
fn left_out(units: &Units<'_>, gathered: &Gathered, bundle: &mut Bundle) {
    let near = gathered
        .chain
        .order
        .iter()
        .filter(|r| r.calls <= gathered.depth);
    for reached in near {
        let node = units.snapshot.node(reached.sym);
        let Some(node) = node.filter(|n| !n.is_unit()) else {
            continue;
        };
        let file = node.file().unwrap_or_default();
        let key = node.key();
        let gone = if units.files.is_gone(file) {
            "the file is gone"
        } else if units.is_missing(reached.sym) {
            "not in the file any more"
        } else {
            continue;
        };
        bundle.left_out.push(LeftOut {
            what: key,
            why: gone.to_string(),
        });
    }
}

fn note_stale(bundle: &mut Bundle) {
    let stale: Vec<&str> = bundle
        .files
        .iter()
        .filter(|f| f.stale)
        .map(|f| f.key.as_str())
        .collect();
    if !stale.is_empty() {
        let note = format!("read anew, changed since indexed: {}", stale.join(", "));
        bundle.notes.push(note);
    }
}

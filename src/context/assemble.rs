//! The whole way from a request to a bundle.
//!
//! Where it sits: joins the steps of [`super`]. What a candidate is worth:
//!
//! ```text
//! (√walk · NEAR + similarity to the entry · ALIKE + similarity to the question · ASKED) × what it is / size ^ SIZE
//! ```
//!
//! walk and similarities are relative to the best candidate. Text ranks better inside the large set of two hops than
//! weights of edges do; the walk finds what shares no word with the entry. Invariant: the same snapshot, files and request
//! give the same bundle.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::bundle::Bundle;
use crate::context::chain::{self, Chain, Roots};
use crate::context::entry::{self, Start};
use crate::context::files::Files;
use crate::context::nearness::nearness;
use crate::context::outline;
use crate::context::pieces::{self, Ranked};
use crate::context::request::{Entry, Mode, Request};
use crate::context::similarity::Alike;
use crate::context::units::{Units, members, unit_of};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::SymId;
use crate::model::label::{NodeKind, Relation};
use crate::model::node::NodeFlags;
use crate::model::present::Present;
use crate::search::query::Question;
use crate::search::text::Roles;
use crate::snapshot::Snapshot;

/// Weight of nearness by the walk.
const NEAR: f64 = 0.8;
/// Weight of similarity to the entry.
const ALIKE: f64 = 1.0;
/// Weight of similarity to the question.
const ASKED: f64 = 1.0;
/// Exponent of a unit's size.
const SIZE: f64 = 0.15;
/// Factor of blocks that merely hold others.
const HEADS: f64 = 0.2;
/// What a changed unit gains.
const CHANGED: f64 = 0.25;
/// Candidates from the walk.
const MAX_NEAR: usize = 400;
/// Candidates by likeness, to the entry and to the question each.
const MAX_ALIKE: usize = 300;
/// Candidates because they were changed.
const MAX_CHANGED: usize = 200;
/// Most pieces of a bundle.
const MAX_PIECES: usize = 400;
/// Hops beyond the depth that are followed for what a budget may have to spare.
const BEYOND: u32 = 2;
/// Share of the walk that starts at the question's seeds where there is an entry too, in global mode.
const SEED_SHARE: f64 = 0.5;

/// Gathers what a request asks for.
///
/// # Errors
/// [`ErrorKind::NotFound`] for an entry that is not there, and for a question that nothing answers;
/// [`ErrorKind::Corrupt`] for damaged tables.
pub fn assemble(snapshot: &Snapshot, present: &dyn Present, request: &Request) -> Result<Bundle> {
    let mut units = Units::new(snapshot, Files::new(snapshot, present));
    let mut notes = Vec::new();
    let mut starts: Vec<Start> = match &request.entry {
        Entry::Line { file, line } => {
            let (unit, note) = entry::at_line(&mut units, file, *line)?;
            notes.extend(note);
            vec![Start { unit, share: 1.0 }]
        }
        Entry::Symbol(sym) => vec![Start {
            unit: entry::of_symbol(&mut units, *sym)?,
            share: 1.0,
        }],
        Entry::Question => Vec::new(),
    };
    let entry = starts.first().map(|s| s.unit);
    if request.mode == Mode::Slice
        && let Some(entry) = entry
    {
        return Ok(pieces::slice(&units, entry, request, notes));
    }
    if !request.question.trim().is_empty() && (entry.is_none() || request.mode == Mode::Global) {
        for seed in entry::of_question(&mut units, &request.question)? {
            if Some(seed.unit) != entry {
                let share = if entry.is_some() {
                    seed.share * SEED_SHARE
                } else {
                    seed.share
                };
                starts.push(Start { share, ..seed });
            }
        }
    }
    if starts.is_empty() {
        let message = if request.question.trim().is_empty() {
            "there is nothing to start from"
        } else {
            "no unit answers the question"
        };
        return Err(Error::new(ErrorKind::NotFound, message)
            .remedy("name a place: `--file F --line N` or `--symbol X`; `graphify query` shows which names there are"));
    }

    let depth = request.depth.unwrap_or(request.mode.depth());
    let mut restart = restart(&units, &starts);
    let unindexed = entry.map_or_else(Unindexed::default, |e| unindexed(&units, e));
    let roots = Roots {
        entries: restart.iter().map(|(sym, _)| *sym).collect(),
        named: unindexed.named.iter().map(|(sym, _)| *sym).collect(),
        dropped: unindexed.dropped,
    };
    let share = 1.0 / (1.0 + unindexed.named.len() as f64);
    restart.extend(unindexed.named.iter().map(|(sym, _)| (*sym, share)));
    let chain = chain::follow(
        snapshot,
        &roots,
        depth.saturating_add(BEYOND),
        request.same_file_weight,
    );
    let near = nearness(snapshot, &restart);
    let question = Question::parse(&request.question);
    let with_tests = question.about_tests
        || starts
            .iter()
            .filter_map(|s| units.get(s.unit))
            .any(|u| u.flags.has(NodeFlags::TEST));
    let text = entry.map_or_else(String::new, |e| words_of(&units, e));
    let alike = Alike::find(snapshot, &text, &question, with_tests)?;
    let mut roles = Roles::new(snapshot, with_tests);
    let candidates = candidates(&mut units, &alike, &near, &chain, request, &mut roles);
    let mut ranked = rank(
        &units,
        &alike,
        &near,
        &candidates,
        &starts,
        request,
        &mut roles,
    );
    ranked.truncate(MAX_PIECES);
    let gathered = pieces::Gathered {
        entry,
        starts: starts.iter().map(|s| s.unit).collect(),
        ranked,
        chain,
        named: unindexed.named,
        alike,
        depth,
        notes,
    };
    Ok(pieces::bundle(&units, gathered, request))
}

/// The symbols at which walks start, with their shares.
fn restart(units: &Units<'_>, starts: &[Start]) -> Vec<(SymId, f64)> {
    let mut restart: Vec<(SymId, f64)> = Vec::new();
    for start in starts {
        let Some(info) = units.get(start.unit) else {
            continue;
        };
        let file = || {
            let key = &units.file_of(info)?.source.key;
            units.snapshot.file(key)?.sym()
        };
        if let Some(sym) = info.sym.or_else(file) {
            restart.push((sym, start.share));
        }
    }
    restart
}

/// What an entry's source says that the index does not know of yet.
#[derive(Default)]
struct Unindexed {
    /// Units that it names, with the first line that does.
    named: Vec<(SymId, u32)>,
    /// Edges whose targets it no longer names.
    dropped: FxHashSet<(SymId, SymId)>,
}

/// Compares the source of an entry in a changed file with its edges, by the names of what its file defines and imports.
/// A stand-in for linking: the names are those that the file itself binds, so that they mean what they meant.
fn unindexed(units: &Units<'_>, entry: usize) -> Unindexed {
    let mut found = Unindexed::default();
    let snapshot = units.snapshot;
    let Some(info) = units.get(entry) else {
        return found;
    };
    let Some(file) = units.file_of(info) else {
        return found;
    };
    let Some(now) = &file.now else { return found };
    let mut lines: FxHashMap<&str, u32> = FxHashMap::default();
    for number in info.start..=info.end {
        for word in outline::words(file.source.line(number)) {
            lines.entry(word).or_insert(number);
        }
    }
    let own: Vec<SymId> = info.sym.map_or_else(Vec::new, |s| members(snapshot, s));
    let mut linked: FxHashSet<SymId> = FxHashSet::default();
    for edge in own.iter().flat_map(|s| snapshot.out_edges(*s)) {
        let Some(unit) = unit_of(snapshot, edge.target) else {
            continue;
        };
        linked.insert(unit);
        let names = [edge.target, unit].map(|s| snapshot.node(s).map_or("", |n| n.name()));
        if let Some(sym) = info.sym
            && !names.iter().any(|name| lines.contains_key(name))
        {
            found.dropped.insert((sym, unit));
        }
    }
    let Some(view) = snapshot.file(&file.source.key) else {
        return found;
    };
    let defined = view.nodes().filter(|n| now.find(&n.key()).is_some());
    let imports = view.sym().into_iter().flat_map(|s| snapshot.out_edges(s));
    let imports = imports.filter(|e| e.label.relation == Relation::IMPORTS);
    let bound = defined.map(|n| n.sym()).chain(imports.map(|e| e.target));
    for sym in bound {
        let name = snapshot.node(sym).map_or("", |n| n.name());
        let (Some(line), Some(unit)) = (lines.get(name), unit_of(snapshot, sym)) else {
            continue;
        };
        let known = Some(unit) == info.sym || linked.contains(&unit);
        if !known && !found.named.iter().any(|(s, _)| *s == unit) {
            found.named.push((unit, *line));
        }
    }
    found.named.sort_by_key(|(_, line)| *line);
    found
}

/// The name and the source of an entry, as it is now.
fn words_of(units: &Units<'_>, entry: usize) -> String {
    let Some(info) = units.get(entry) else {
        return String::new();
    };
    let mut text = info
        .key
        .split_once("::")
        .map_or("", |(_, name)| name)
        .to_string();
    if let Some(file) = units.file_of(info) {
        for (first, last) in info.own_lines() {
            text.push('\n');
            text.push_str(file.source.lines(first..=last));
        }
    }
    text
}

/// The units that may belong to the bundle, those of files that are gone left out.
fn candidates(
    units: &mut Units<'_>,
    alike: &Alike,
    near: &FxHashMap<SymId, f64>,
    chain: &Chain,
    request: &Request,
    roles: &mut Roles<'_>,
) -> Vec<usize> {
    let snapshot = units.snapshot;
    let place = |sym: &SymId| {
        let node = snapshot.node(*sym);
        let file = node.and_then(|n| n.file()).unwrap_or_default();
        (file, node.map_or(0, |n| n.span().start_line))
    };
    let mut by_walk: Vec<(f64, SymId)> = near
        .iter()
        .map(|(sym, mass)| (mass * role(snapshot, *sym, roles), *sym))
        .collect();
    by_walk.sort_by(|a, b| {
        let by_mass = rounded(b.0).cmp(&rounded(a.0));
        by_mass.then_with(|| place(&a.1).cmp(&place(&b.1)))
    });
    let mut syms: Vec<SymId> = by_walk.into_iter().take(MAX_NEAR).map(|(_, s)| s).collect();
    syms.extend(chain.order.iter().take(MAX_NEAR).map(|r| r.sym));
    syms.extend(alike.by_entry.iter().take(MAX_ALIKE).map(|(s, _)| *s));
    syms.extend(alike.by_question.iter().take(MAX_ALIKE).map(|(s, _)| *s));
    let mut changed = 0;
    for (file, ranges) in &request.changed.0 {
        let Some(view) = snapshot.file(file) else {
            continue;
        };
        for node in view.nodes().filter(|n| !n.is_unit()) {
            let span = node.span();
            let touched = ranges
                .iter()
                .any(|(a, b)| *a <= span.end_line && span.start_line <= *b);
            if touched && changed < MAX_CHANGED {
                syms.extend(unit_of(snapshot, node.sym()));
                changed += 1;
            }
        }
    }
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let found = syms.into_iter().filter_map(|sym| units.of(sym));
    found.filter(|u| seen.insert(*u)).collect()
}

/// The factor of a symbol by the part that its code plays.
fn role(snapshot: &Snapshot, sym: SymId, roles: &mut Roles<'_>) -> f64 {
    snapshot.node(sym).map_or(1.0, |n| f64::from(roles.of(&n)))
}

/// Numbers as they are compared: without the last digits, in which the order of a sum shows.
fn rounded(value: f64) -> i64 {
    (value * 1e9).round() as i64
}

fn rank(
    units: &Units<'_>,
    alike: &Alike,
    near: &FxHashMap<SymId, f64>,
    candidates: &[usize],
    starts: &[Start],
    request: &Request,
    roles: &mut Roles<'_>,
) -> Vec<Ranked> {
    let is_start = |unit: usize| starts.iter().any(|s| s.unit == unit);
    let rest = candidates.iter().copied().filter(|u| !is_start(*u));
    let rest: Vec<usize> = rest.collect();
    let mass = |unit: usize| {
        let sym = units.get(unit).and_then(|u| u.sym);
        sym.and_then(|s| near.get(&s)).copied().unwrap_or(0.0)
    };
    let most = rest.iter().map(|u| mass(*u)).fold(0.0, f64::max);
    let mut ranked: Vec<Ranked> = Vec::with_capacity(rest.len());
    for unit in rest {
        let Some(info) = units.get(unit) else {
            continue;
        };
        let Some(file) = units.file_of(info) else {
            continue;
        };
        let role = info.sym.map_or(1.0, |s| role(units.snapshot, s, roles));
        let walk = (mass(unit) / most.max(f64::MIN_POSITIVE)).sqrt();
        let alike = alike.of(info.sym);
        let near = NEAR * walk * role;
        // Likeness knows the part that code plays.
        let by_text = ALIKE * alike.entry + ASKED * alike.question;
        let changed = request
            .changed
            .touches(&file.source.key, info.top, info.end);
        let (lines, _) = outline::body(&file.source, info, file.flags);
        let bytes = lines.iter().map(|(a, b)| file.source.lines(*a..=*b).len());
        let size = 12.0 + bytes.sum::<usize>() as f64 / 4.0;
        let mut worth = near + by_text;
        if changed && worth > 0.0 {
            worth += CHANGED * role;
        }
        if info.kind == NodeKind::IMPL {
            worth *= HEADS;
        }
        let score = worth / size.powf(SIZE);
        if score > 0.0 {
            ranked.push(Ranked {
                unit,
                score,
                near,
                by_text,
                alike,
                changed,
            });
        }
    }
    ranked.sort_by_cached_key(|r| {
        let key = units.get(r.unit).map(|u| u.key.clone());
        (std::cmp::Reverse(rounded(r.score)), key)
    });
    ranked
}

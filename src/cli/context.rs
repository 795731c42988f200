//! `context`: the source that a question or a place in the code needs, within a budget of tokens.

use std::path::{Component, Path, PathBuf};

use graphify::answer::NameProblem;
use graphify::context::{Changed, Entry, Mode, Request, assemble};
use graphify::error::{Error, ErrorKind};
use graphify::fresh::DiskTree;
use graphify::model::path;
use graphify::render::context::{Style, json, markdown, tagged};
use graphify::search::resolve;
use graphify::{Snapshot, Store};

use crate::cli::args::{ContextArgs, ContextFormat, ContextMode, Global};
use crate::cli::exit::Exit;
use crate::cli::locate::{self, Place};
use crate::cli::output::Output;
use crate::cli::{query, worktree};

/// Runs the command.
pub(crate) fn run(
    global: &Global,
    args: &ContextArgs,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let asked = (!args.no_diff).then(|| worktree::ask(&place.root, args.since.as_deref()));
    let snapshot = Store::at(place.index()).snapshot()?;
    let (entry, announced) = match entry(args, &place, &snapshot)? {
        Ok(found) => found,
        Err(problem) => return query::refuse(&problem, output),
    };
    let changed = match asked {
        Some(asked) => asked.answer()?,
        None => Changed::default(),
    };
    let request = Request {
        mode: match args.mode {
            Some(ContextMode::Slice) => Mode::Slice,
            Some(ContextMode::Chain) => Mode::Chain,
            Some(ContextMode::Global) => Mode::Global,
            None if entry == Entry::Question => Mode::Global,
            None => Mode::Chain,
        },
        entry,
        question: args.question.clone().unwrap_or_default(),
        depth: args.depth,
        same_file_weight: args.same_file_weight,
        changed,
    };
    let mut bundle = assemble(&snapshot, &DiskTree::new(&place.root), &request)?;
    bundle.notes.extend(announced);
    let budget = u64::from(args.budget);
    let style = Style {
        line_numbers: args.line_numbers,
    };
    let written = match (output.is_json(), args.format) {
        (true, _) => json(&bundle, budget, style),
        (false, ContextFormat::Markdown) => markdown(&bundle, budget, style),
        (false, ContextFormat::Xml) => tagged(&bundle, budget, style),
    };
    if written.is_empty() {
        let message = format!("a budget of {budget} tokens is too small for any source");
        return Err(Error::new(ErrorKind::Invalid, message)
            .remedy("ask for 200 tokens or more")
            .into());
    }
    output.text(&written)?;
    Ok(Exit::Answered)
}

type Found = Result<(Entry, Option<String>), NameProblem>;

/// Where the bundle starts, and what to tell of how it was found.
fn entry(args: &ContextArgs, place: &Place, snapshot: &Snapshot) -> anyhow::Result<Found> {
    if let Some(symbol) = &args.symbol {
        let found = NameProblem::check(snapshot, symbol, resolve(snapshot, symbol)?);
        return Ok(found.map(|(sym, announced)| (Entry::Symbol(sym), announced)));
    }
    let Some(file) = &args.file else {
        return Ok(Ok((Entry::Question, None)));
    };
    let key = key_below(&place.root, file).filter(|key| snapshot.file(key).is_some());
    let (key, announced) = match key {
        Some(key) => (key, None),
        // Not a path from here: a path from the root of the tree, or the end of one.
        None => {
            let typed = file.to_string_lossy();
            let resolution = resolve(snapshot, &typed)?;
            let (sym, announced) = match NameProblem::check(snapshot, &typed, resolution) {
                Ok(found) => found,
                Err(problem) => return Ok(Err(problem)),
            };
            match snapshot
                .node(sym)
                .filter(|n| n.is_unit())
                .and_then(|n| n.file())
            {
                Some(key) => (key.to_string(), announced),
                None => {
                    let resolution = graphify::search::Resolution::NotFound {
                        near: vec![sym],
                        file: None,
                    };
                    return Ok(NameProblem::check(snapshot, &typed, resolution)
                        .map(|_| (Entry::Question, None)));
                }
            }
        }
    };
    let entry = match args.line {
        Some(line) => Entry::Line { file: key, line },
        None => match snapshot.file(&key).and_then(|f| f.sym()) {
            Some(sym) => Entry::Symbol(sym),
            None => Entry::Question,
        },
    };
    Ok(Ok((entry, announced)))
}

/// The key of a path as it was typed: from the working folder, else from the root.
fn key_below(root: &Path, typed: &Path) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    let joined = here.join(typed);
    let real = std::fs::canonicalize(&joined).ok();
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let below = |path: &Path| path.strip_prefix(&root).ok().map(path::encode);
    let from_here = real.as_deref().and_then(below);
    from_here.or_else(|| below(&plain(&joined))).or_else(|| {
        let relative = !typed.is_absolute();
        relative.then(|| path::encode(&plain(typed)))
    })
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

//! `context`: the source that a question or a place in the code needs, within a budget of tokens.

use std::path::Path;

use graphify::answer::NameProblem;
use graphify::context::{Changed, Entry, Mode, Request, assemble};
use graphify::error::{Error, ErrorKind};
use graphify::fresh::DiskTree;
use graphify::render::context::{Style, json, markdown, tagged};
use graphify::search::Resolution;
use graphify::source::git_diff;
use graphify::{Snapshot, Store};

use crate::cli::args::{ContextArgs, ContextFormat, ContextMode, Global};
use crate::cli::exit::Exit;
use crate::cli::locate::{self, Place};
use crate::cli::naming::{self, Named};
use crate::cli::output::Output;
use crate::cli::query;

/// Runs the command.
pub(crate) fn run(
    global: &Global,
    args: &ContextArgs,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let snapshot = Store::at(place.index()).snapshot()?;
    let (entry, announced) = match entry(args, &place, &snapshot)? {
        Ok(found) => found,
        Err(problem) => return query::refuse(&problem, output),
    };
    let changed = if args.no_diff {
        Changed::default()
    } else {
        changed(&place.root, args.since.as_deref())?
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

type Found = Result<(Entry, Option<String>), Box<NameProblem>>;

/// Where the bundle starts, and what to tell of how it was found.
fn entry(args: &ContextArgs, place: &Place, snapshot: &Snapshot) -> graphify::Result<Found> {
    let typed = match (&args.symbol, &args.file) {
        (Some(symbol), _) => symbol.clone(),
        (None, Some(file)) => file.to_string_lossy().into_owned(),
        (None, None) => return Ok(Ok((Entry::Question, None))),
    };
    let (sym, announced) = match naming::find(place, snapshot, &typed)? {
        Named::One(sym, announced) => (sym, announced),
        Named::Problem(problem) => return Ok(Err(problem)),
    };
    if args.symbol.is_some() {
        return Ok(Ok((Entry::Symbol(sym), announced)));
    }
    let Some(file) = snapshot
        .node(sym)
        .filter(|n| n.is_unit())
        .and_then(|n| n.file())
    else {
        // A symbol that happens to be called like the file that was typed.
        let near = Resolution::NotFound {
            near: vec![sym],
            file: None,
        };
        let found = NameProblem::check(snapshot, &typed, near);
        return Ok(found.map(|_| (Entry::Question, None)).map_err(Box::new));
    };
    let entry = args.line.map_or(Entry::Symbol(sym), |line| Entry::Line {
        file: file.to_string(),
        line,
    });
    Ok(Ok((entry, announced)))
}

/// The lines that the work tree, or everything since a revision, has changed.
///
/// # Errors
/// Where a revision was named: as [`git_diff::changed_since`]. Without one, no git and no repository are no changes.
fn changed(root: &Path, since: Option<&str>) -> graphify::Result<Changed> {
    let kept = root.ancestors().any(|folder| folder.join(".git").exists());
    let files = match (since, kept) {
        (Some(revision), _) => git_diff::changed_since(root, revision)?,
        (None, true) => git_diff::changed_since(root, "HEAD").unwrap_or_default(),
        (None, false) => Vec::new(),
    };
    let lines = files.into_iter().map(|file| {
        let lines = if file.whole {
            vec![(1, u32::MAX)]
        } else {
            file.lines
        };
        (file.key, lines)
    });
    Ok(Changed(lines.collect()))
}

//! `affected`: what depends on a symbol, on a file, or on what was changed.

use graphify::answer::{AffectedRequest, ChangedFile, affected, affected_by, touched};
use graphify::error::{Error, ErrorKind};
use graphify::source::{git_diff, read};
use graphify::{Store, model, render};

use crate::cli::args::{AffectedArgs, Global};
use crate::cli::exit::Exit;
use crate::cli::locate::Place;
use crate::cli::naming::{self, Named};
use crate::cli::output::Output;
use crate::cli::{locate, query};

/// Largest changed file whose content is compared with the indexed one.
const MAX_COMPARED: u64 = 64 << 20;

/// Runs the command.
pub(crate) fn run(
    global: &Global,
    args: &AffectedArgs,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let snapshot = Store::at(place.index()).snapshot()?;
    let request = AffectedRequest {
        depth: args.depth,
        relations: args.relation.clone(),
    };
    let answer = match (&args.since, &args.symbol) {
        (Some(rev), _) => {
            let changes = changes(&place, rev)?;
            let (syms, mut report) = touched(&snapshot, &changes);
            report.since = rev.clone();
            let mut answer = affected_by(&snapshot, &syms, &request)?;
            answer.changes = Some(report);
            answer
        }
        (None, Some(asked)) => match naming::find(&place, &snapshot, asked)? {
            Named::One(sym, announced) => {
                let mut answer = affected(&snapshot, sym, &request)?;
                answer.announced = announced;
                answer
            }
            Named::Problem(problem) => return query::refuse(&problem, output),
        },
        (None, None) => return Ok(Exit::Usage),
    };
    let budget = args.budget.map(u64::from);
    let written = if output.is_json() {
        render::affected::affected_json(&answer, budget)
    } else {
        render::affected::affected(&answer, budget)
    };
    if written.is_empty() {
        let message = format!(
            "a budget of {} tokens is too small for any answer",
            budget.unwrap_or_default()
        );
        return Err(Error::new(ErrorKind::Invalid, message)
            .remedy("ask for 20 tokens or more")
            .into());
    }
    output.text(&written)?;
    Ok(Exit::Answered)
}

/// What git says was changed, with the present content's hash.
fn changes(place: &Place, rev: &str) -> graphify::Result<Vec<ChangedFile>> {
    let files = git_diff::changed_since(&place.root, rev)?;
    let change = |file: git_diff::FileDiff| {
        let path = place.root.join(model::path::decode(&file.key));
        let content_hash = read::hash(&path, MAX_COMPARED).ok().flatten();
        ChangedFile {
            content_hash,
            key: file.key,
            lines: file.lines,
            whole: file.whole,
        }
    };
    Ok(files.into_iter().map(change).collect())
}

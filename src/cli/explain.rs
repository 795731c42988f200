//! `explain`: what one symbol is, who uses it and what it uses.

use graphify::Store;
use graphify::answer::{NameProblem, explain};
use graphify::render;
use graphify::search::resolve;

use crate::cli::args::{ExplainArgs, Global};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::{locate, query};

/// Runs the command.
pub(crate) fn run(
    global: &Global,
    args: &ExplainArgs,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let snapshot = Store::at(place.index()).snapshot()?;
    let resolution = resolve(&snapshot, &args.symbol)?;
    let (symbol, announced) = match NameProblem::check(&snapshot, &args.symbol, resolution) {
        Ok(found) => found,
        Err(problem) => return query::refuse(&problem, output),
    };
    let mut answer = explain(&snapshot, symbol, args.all)?;
    answer.announced = announced;
    let written = if output.is_json() {
        render::json::explain(&answer)
    } else {
        render::explain::explain(&answer)
    };
    output.text(&written)?;
    Ok(Exit::Answered)
}

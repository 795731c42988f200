//! `explain`: what one symbol is, who uses it and what it uses.

use graphify::Store;
use graphify::answer::explain;
use graphify::render;

use crate::cli::args::{ExplainArgs, Global};
use crate::cli::exit::Exit;
use crate::cli::naming::{self, Named};
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
    let (symbol, announced) = match naming::find(&place, &snapshot, &args.symbol)? {
        Named::One(symbol, announced) => (symbol, announced),
        Named::Problem(problem) => return query::refuse(&problem, output),
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

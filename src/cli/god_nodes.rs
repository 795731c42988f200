//! `god-nodes`: the most connected symbols.

use graphify::answer::hubs;
use graphify::{Store, render};

use crate::cli::args::{Global, GodNodesArgs};
use crate::cli::exit::Exit;
use crate::cli::locate;
use crate::cli::output::Output;

/// Runs the command.
pub(crate) fn run(
    global: &Global,
    args: &GodNodesArgs,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let snapshot = Store::at(place.index()).snapshot()?;
    let answer = hubs(&snapshot, args.top as usize);
    if output.is_json() {
        output.object(&answer)?;
    } else {
        output.text(&render::hubs::hubs(&answer))?;
    }
    Ok(Exit::Answered)
}

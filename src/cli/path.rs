//! `path`: how one symbol reaches another.

use graphify::Store;
use graphify::answer::{PathRequest, path};
use graphify::render;
use serde::Serialize;

use crate::cli::args::{Global, PathArgs};
use crate::cli::exit::Exit;
use crate::cli::naming::{self, Named};
use crate::cli::output::Output;
use crate::cli::{locate, query};

/// Both ends are one symbol.
#[derive(Debug, Serialize)]
struct SameNode<'a> {
    error: &'static str,
    asked: [&'a str; 2],
    id: String,
}

/// Runs the command.
pub(crate) fn run(global: &Global, args: &PathArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let snapshot = Store::at(place.index()).snapshot()?;
    let mut ends = Vec::new();
    let mut announced = Vec::new();
    for asked in [&args.from, &args.to] {
        match naming::find(&place, &snapshot, asked)? {
            Named::One(sym, note) => {
                ends.push(sym);
                announced.extend(note);
            }
            Named::Problem(problem) => return query::refuse(&problem, output),
        }
    }
    let [from, to] = ends.as_slice() else {
        return Ok(Exit::Failed);
    };
    if from == to {
        let id = snapshot.node(*from).map(|n| n.key()).unwrap_or_default();
        return same_node(args, id, output);
    }
    let request = PathRequest {
        undirected: args.undirected,
        relations: args.relation.clone(),
        max_hops: args.max_hops,
        all: args.all,
    };
    let mut answer = path(&snapshot, *from, *to, &request)?;
    answer.asked = [args.from.clone(), args.to.clone()];
    answer.announced = announced;
    if output.is_json() {
        output.object(&answer)?;
    } else {
        output.text(&render::path::path(&answer))?;
    }
    Ok(Exit::Answered)
}

fn same_node(args: &PathArgs, id: String, output: &mut Output) -> anyhow::Result<Exit> {
    let shown = render::safe::field;
    output.complain(&format!(
        "'{}' and '{}' both resolved to the same node '{}'. Use a more specific label or the exact node ID.",
        shown(&args.from),
        shown(&args.to),
        shown(&id)
    ));
    if output.is_json() {
        output.object(SameNode {
            error: "same_node",
            asked: [&args.from, &args.to],
            id,
        })?;
    }
    Ok(Exit::Ambiguous)
}

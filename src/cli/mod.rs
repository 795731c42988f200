//! The command line: one file per command, and the frame that they share.
//!
//! Where it sits: the outermost layer; it uses the library as any other program would. Invariants: answers go to standard
//! output, everything else to standard error; a command that only reads starts no thread and loads no grammar; every
//! failure ends in one `error:` line, a remedy where there is one, and the exit code that its kind has (see [`exit`]).

mod affected;
mod args;
mod compact;
mod context;
mod exit;
mod explain;
mod export;
mod god_nodes;
mod graph_file;
mod import;
mod index;
mod locate;
mod naming;
mod output;
mod path;
mod progress;
mod query;
mod repair;
mod signals;
mod size;
mod status;
mod verify;
mod vocab;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use exit::Exit;
use graphify::error::{Error, ErrorKind};
use output::Output;

/// Runs the program on the process's arguments.
pub(crate) fn main() -> ExitCode {
    output::report_panics();
    let outcome = std::panic::catch_unwind(|| {
        signals::survive_file_size_limit();
        match Cli::try_parse() {
            Ok(cli) => run(&cli),
            Err(err) => usage(&err),
        }
    });
    // The panic itself was reported when it happened.
    outcome.unwrap_or(Exit::Failed).into()
}

/// Prints what the parser has to say: help and version to standard output, mistakes to standard error.
///
/// With `--json` among the arguments a mistake is an object on standard output as well.
fn usage(err: &clap::Error) -> Exit {
    let json = std::env::args_os().skip(1).take_while(|a| a != "--");
    if err.use_stderr() && json.into_iter().any(|a| a == "--json") {
        output::usage_object(err);
    }
    // A reader that went away is no failure.
    let _ = err.print();
    if err.use_stderr() {
        Exit::Usage
    } else {
        Exit::Answered
    }
}

fn run(cli: &Cli) -> Exit {
    let mut output = Output::new(&cli.global, cli.command.name());
    let result = dispatch(cli, &mut output);
    graph_file::clean_up();
    let result = result.and_then(|exit| output.flush().map(|()| exit));
    result.unwrap_or_else(|failure| output.fail(&failure))
}

fn dispatch(cli: &Cli, output: &mut Output) -> anyhow::Result<Exit> {
    let global = &cli.global;
    let writes = matches!(
        cli.command,
        Command::Index(_)
            | Command::Import(_)
            | Command::Compact
            | Command::Verify
            | Command::Repair
    );
    if writes && global.graph.is_some() {
        return Err(Error::new(
            ErrorKind::Invalid,
            format!("`{}` does not take --graph", cli.command.name()),
        )
        .remedy("`graphify import FILE` makes an index of a graph.json")
        .into());
    }
    match &cli.command {
        Command::Index(args) => index::run(global, args, output),
        Command::Status(args) => status::run(global, args, output),
        Command::Query(args) => query::run(global, args, output),
        Command::Explain(args) => explain::run(global, args, output),
        Command::Context(args) => context::run(global, args, output),
        Command::Path(args) => path::run(global, args, output),
        Command::Affected(args) => affected::run(global, args, output),
        Command::GodNodes(args) => god_nodes::run(global, args, output),
        Command::Vocab(args) => vocab::run(global, args, output),
        Command::Export(args) => export::run(global, args, output),
        Command::Import(args) => import::run(global, args, output),
        Command::Compact => compact::run(global, output),
        Command::Verify => verify::run(global, output),
        Command::Repair => repair::run(global, output),
    }
}

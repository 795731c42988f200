//! `index`: makes the index of a tree or brings it up to date.

use graphify::error::{Error, ErrorKind};
use graphify::model::progress::{Cancel, Progress};
use graphify::source::{self, WalkOptions, Walked};

use crate::cli::args::{Global, IndexArgs};
use crate::cli::exit::Exit;
use crate::cli::locate::{self, Place};
use crate::cli::output::Output;
use crate::cli::{progress, signals};

/// Runs the command.
pub(crate) fn run(global: &Global, args: &IndexArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let place = locate::for_writing(global, args.dir.as_deref())?;
    if args.dir.is_none() {
        output.note(&format!("Tree: {}", place.root.display()));
    }
    let cancel = signals::cancel_on_interrupt();
    let progress = progress::for_output(output);
    let threads = args.jobs.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Error::new(ErrorKind::Limit, "could not start the threads").caused_by(e))?;
    let walked = pool.install(|| list(&place, args, &*progress, &cancel))?;
    report_left_out(&walked, output);
    place.prepare()?;
    // The step from the list to the index joins here.
    Err(Error::new(
        ErrorKind::Limit,
        "this build lists sources and cannot index them yet",
    )
    .into())
}

fn list(
    place: &Place,
    args: &IndexArgs,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> graphify::Result<Walked> {
    let options = WalkOptions {
        git_rules: !args.no_gitignore,
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        languages: (!args.lang.is_empty()).then(|| args.lang.clone()),
        max_file_size: args.max_file_size,
        skip_paths: vec![place.out.clone()],
    };
    source::walk(&place.root, &options, progress, cancel)
}

/// Says what a user may miss: languages without a grammar, a tree without any source, files left out.
fn report_left_out(walked: &Walked, output: &Output) {
    if !walked.no_grammar.is_empty() {
        let languages: Vec<String> = walked
            .no_grammar
            .iter()
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        output.warn(&format!(
            "not indexed, no grammar in this build: {}",
            languages.join(", ")
        ));
    }
    if walked.files.is_empty() {
        output.warn(
            "no source file was found; `--no-gitignore` shows whether an ignore file is the reason",
        );
    }
    if !walked.skipped.is_empty() {
        output.note(&format!(
            "{} files and folders left out; `graphify status --files` lists them",
            walked.skipped.len()
        ));
    }
}

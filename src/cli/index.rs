//! `index`: makes the index of a tree or brings it up to date.

use std::fmt::Write;
use std::time::Instant;

use graphify::index::tree::{IndexOptions, IndexReport, index_tree};
use graphify::source::WalkOptions;
use graphify::{Store, render};
use serde::Serialize;

use crate::cli::args::{Global, IndexArgs};
use crate::cli::exit::Exit;
use crate::cli::locate::{self, Place};
use crate::cli::output::Output;
use crate::cli::{progress, signals};

/// Files with a reason that are named at once; `status --files` names the rest.
const NAMED: usize = 5;

#[derive(Debug, Serialize)]
struct Indexed {
    root: String,
    index: String,
    seconds: f64,
    #[serde(flatten)]
    report: IndexReport,
}

/// Runs the command.
pub(crate) fn run(global: &Global, args: &IndexArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let began = Instant::now();
    let place = locate::for_writing(global, args.dir.as_deref())?;
    let cancel = signals::cancel_on_interrupt();
    let progress = progress::for_output(output);
    let options = IndexOptions {
        walk: walk_options(args, &place),
        full: args.full,
        jobs: args.jobs.map(usize::from),
        history: !args.no_history,
        ..IndexOptions::default()
    };
    place.prepare()?;
    let store = Store::at(place.index());
    let report = index_tree(&place.root, &store, &options, &*progress, &cancel)?;
    drop(progress);
    warn(&report, output);
    let indexed = Indexed {
        root: place.root.to_string_lossy().into_owned(),
        index: place.index().to_string_lossy().into_owned(),
        seconds: began.elapsed().as_secs_f64(),
        report,
    };
    if output.is_json() {
        output.object(&indexed)?;
    } else {
        output.text(&indexed.to_text())?;
    }
    Ok(Exit::Answered)
}

fn walk_options(args: &IndexArgs, place: &Place) -> WalkOptions {
    WalkOptions {
        git_rules: !args.no_gitignore,
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        languages: (!args.lang.is_empty()).then(|| args.lang.clone()),
        max_file_size: args.max_file_size,
        skip_paths: vec![place.out.clone()],
    }
}

/// Says what a user may miss in the index: whole languages, whole trees, single files.
fn warn(report: &IndexReport, output: &Output) {
    if report.replaced_damage {
        output.warn("the index was damaged and has been built anew");
    }
    if !report.no_grammar.is_empty() {
        let languages: Vec<String> = report
            .no_grammar
            .iter()
            .map(|(name, count)| format!("{name} ({count} files)"))
            .collect();
        output.warn(&format!(
            "not indexed, this build has no grammar for: {}",
            languages.join(", ")
        ));
    }
    if report.files == 0 {
        output.warn("nothing was indexed: no source file was found (`--no-gitignore` takes what ignore files leave out)");
    }
    for file in report.skipped.iter().take(NAMED) {
        output.note(&format!(
            "left out: {} ({})",
            render::safe::line(&file.path),
            file.reason
        ));
    }
    if report.skipped.len() > NAMED {
        output.note(&format!(
            "left out: {} more; `graphify status --files` lists them",
            report.skipped.len() - NAMED
        ));
    }
}

impl Indexed {
    fn to_text(&self) -> String {
        let report = &self.report;
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(text, "Tree:       {}", self.root);
        let _ = writeln!(
            text,
            "Files:      {} ({} added, {} changed, {} removed, {} unchanged)",
            report.files, report.added, report.changed, report.removed, report.unchanged
        );
        let left_out: usize = report.skipped_counts.values().sum();
        let _ = writeln!(
            text,
            "Unparsed:   {left_out} left out, {} with syntax errors",
            report.with_errors
        );
        let _ = writeln!(
            text,
            "Graph:      {} nodes, {} edges",
            report.nodes, report.edges
        );
        if report.resolved + report.unresolved > 0 {
            let _ = writeln!(
                text,
                "References: {} resolved, {} unresolved",
                report.resolved, report.unresolved
            );
        }
        let _ = writeln!(
            text,
            "Index:      {} (commit {})",
            self.index, report.generation
        );
        let _ = writeln!(text, "Time:       {:.2} s", self.seconds);
        text
    }
}

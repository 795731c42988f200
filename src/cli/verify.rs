//! `verify`: checks every byte and every cross-reference of the index.

use std::fmt::Write;

use graphify::Store;
use graphify::index::VerifyReport;
use serde::Serialize;

use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::locate;
use crate::cli::output::Output;

#[derive(Debug, Serialize)]
struct Verified<'a> {
    sound: bool,
    segments: usize,
    nodes: u64,
    edges: u64,
    catalog_checked: bool,
    findings: &'a [String],
}

/// Runs the command. An index with findings is exit code 1.
pub(crate) fn run(global: &Global, output: &mut Output) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let report = Store::at(place.index()).verify()?;
    show(&report, output)?;
    if report.is_sound() {
        return Ok(Exit::Answered);
    }
    output.warn("the index is damaged; `graphify repair` mends it");
    Ok(Exit::Failed)
}

/// Prints what a check found.
pub(crate) fn show(report: &VerifyReport, output: &mut Output) -> anyhow::Result<()> {
    if output.is_json() {
        return output.object(&Verified {
            sound: report.is_sound(),
            segments: report.segments,
            nodes: report.nodes,
            edges: report.edges,
            catalog_checked: report.catalog_checked,
            findings: &report.findings,
        });
    }
    let mut text = String::new();
    for finding in &report.findings {
        writeln!(text, "{finding}")?;
    }
    let verdict = if report.is_sound() {
        "sound"
    } else {
        "damaged"
    };
    let catalog = if report.catalog_checked {
        ""
    } else {
        "; the writer's catalog was not checked"
    };
    writeln!(
        text,
        "The index is {verdict}: {} segments, {} nodes, {} edges checked{catalog}",
        report.segments, report.nodes, report.edges
    )?;
    output.text(&text)
}

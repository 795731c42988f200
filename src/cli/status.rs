//! `status`: what is indexed, how large it is, what could not be parsed.

use std::collections::BTreeMap;
use std::fmt::Write;

use graphify::index::tree::SkippedFile;
use graphify::model::unit::{FileFlags, NOWHERE};
use graphify::render::safe;
use graphify::{Snapshot, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cli::args::{Global, StatusArgs};
use crate::cli::exit::Exit;
use crate::cli::locate::{self, Place};
use crate::cli::output::Output;
use crate::cli::size;

#[derive(Debug, Serialize)]
struct Status {
    root: String,
    index: String,
    generation: u64,
    files: u64,
    nodes: u64,
    edges: u64,
    edges_structure: u64,
    edges_resolved: u64,
    edges_outside: u64,
    edges_unresolved: u64,
    segments: usize,
    bytes: u64,
    lines: u64,
    languages: BTreeMap<String, u64>,
    files_with_syntax_errors: u64,
    files_not_parsed: u64,
    not_indexed: BTreeMap<String, u64>,
    left_out: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_list: Option<Vec<FileLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out_list: Option<Vec<SkippedFile>>,
}

#[derive(Debug, Serialize)]
struct FileLine {
    file: String,
    language: String,
    lines: u32,
    nodes: u32,
    syntax_errors: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_parsed: Option<&'static str>,
}

/// Runs the command.
pub(crate) fn run(global: &Global, args: &StatusArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let snapshot = Store::at(place.index()).snapshot()?;
    let status = Status::of(&place, &snapshot, args.files);
    if output.is_json() {
        output.object(&status)?;
    } else {
        output.text(&status.to_text())?;
    }
    Ok(Exit::Answered)
}

impl Status {
    fn of(place: &Place, snapshot: &Snapshot, with_files: bool) -> Self {
        let mut languages: BTreeMap<String, u64> = BTreeMap::new();
        let (mut broken, mut unparsed, mut lines) = (0, 0, 0);
        let mut list = Vec::new();
        let own = |f: &graphify::snapshot::FileView<'_>| f.key() != NOWHERE;
        for file in snapshot.files().filter(own) {
            let meta = file.meta();
            let language = file.language().name(snapshot.labels());
            let not_parsed = why_not_parsed(meta.flags);
            broken += u64::from(meta.parse_errors > 0);
            unparsed += u64::from(not_parsed.is_some());
            lines += u64::from(meta.lines);
            if with_files {
                list.push(FileLine {
                    file: file.key().to_string(),
                    language: language.clone(),
                    lines: meta.lines,
                    nodes: file.node_count(),
                    syntax_errors: meta.parse_errors,
                    not_parsed,
                });
            }
            *languages.entry(language).or_default() += 1;
        }
        let totals = snapshot.edge_totals();
        Self {
            root: place.root.to_string_lossy().into_owned(),
            index: place.index().to_string_lossy().into_owned(),
            generation: snapshot.generation().0,
            files: snapshot.file_count(),
            nodes: snapshot.node_count(),
            edges: totals.all,
            edges_structure: totals.structure,
            edges_resolved: totals.resolved(),
            edges_outside: totals.outside,
            edges_unresolved: totals.unresolved,
            segments: snapshot.segment_count(),
            bytes: snapshot.stored_bytes(),
            lines,
            languages,
            files_with_syntax_errors: broken,
            files_not_parsed: unparsed,
            not_indexed: noted(snapshot, "no_grammar"),
            left_out: noted(snapshot, "skipped_counts"),
            file_list: with_files.then_some(list),
            left_out_list: with_files.then(|| noted(snapshot, "skipped")),
        }
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(text, "Tree:      {}", self.root);
        let _ = writeln!(
            text,
            "Index:     {} ({}, {} segments, commit {})",
            self.index,
            size::human(self.bytes),
            self.segments,
            self.generation
        );
        let _ = writeln!(text, "Files:     {} ({} lines)", self.files, self.lines);
        let _ = writeln!(
            text,
            "Languages: {}",
            if self.languages.is_empty() {
                "none".to_string()
            } else {
                counts(&self.languages)
            }
        );
        let _ = writeln!(
            text,
            "Graph:     {} nodes, {} edges ({} structure; references: {} resolved, {} of these to what lies outside, {} unresolved)",
            self.nodes,
            self.edges,
            self.edges_structure,
            self.edges_resolved,
            self.edges_outside,
            self.edges_unresolved
        );
        let _ = writeln!(
            text,
            "Problems:  {} files with syntax errors, {} files not parsed",
            self.files_with_syntax_errors, self.files_not_parsed
        );
        if !self.not_indexed.is_empty() {
            let _ = writeln!(text, "No grammar for: {}", counts(&self.not_indexed));
        }
        for (reason, count) in &self.left_out {
            let _ = writeln!(text, "Left out:  {count}: {reason}");
        }
        for file in self.file_list.iter().flatten() {
            let _ = write!(
                text,
                "{} [{}] {} lines, {} nodes",
                safe::line(&file.file),
                file.language,
                file.lines,
                file.nodes
            );
            if file.syntax_errors > 0 {
                let _ = write!(text, ", {} syntax errors", file.syntax_errors);
            }
            if let Some(why) = file.not_parsed {
                let _ = write!(text, ", not parsed: {why}");
            }
            text.push('\n');
        }
        for file in self.left_out_list.iter().flatten() {
            let _ = writeln!(text, "{} left out: {}", safe::line(&file.path), file.reason);
        }
        text
    }
}

fn counts(counts: &BTreeMap<String, u64>) -> String {
    let parts: Vec<String> = counts
        .iter()
        .map(|(name, count)| format!("{} {count}", if name.is_empty() { "other" } else { name }))
        .collect();
    parts.join(", ")
}

/// What the last run noted under a name; empty where it noted nothing that can be read.
fn noted<T: Default + DeserializeOwned>(snapshot: &Snapshot, name: &str) -> T {
    let text = snapshot.property(name).unwrap_or_default();
    serde_json::from_str(text).unwrap_or_default()
}

/// Why only the file itself is in the index, by its flags.
fn why_not_parsed(flags: u32) -> Option<&'static str> {
    if flags & FileFlags::OVERSIZED != 0 {
        Some("too large")
    } else if flags & FileFlags::MINIFIED != 0 {
        Some("minified")
    } else {
        None
    }
}

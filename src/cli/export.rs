//! `export`: the graph in another program's format.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use graphify::error::{Error, ErrorKind};
use graphify::interchange::graph_json::{self, Written};
use graphify::{Snapshot, Store, render};
use serde::Serialize;

use crate::cli::args::{ExportArgs, Format, Global};
use crate::cli::exit::Exit;
use crate::cli::locate;
use crate::cli::output::Output;

#[derive(Debug, Serialize)]
struct Exported {
    file: String,
    nodes: u64,
    links: u64,
    /// Nodes that stand for something outside the index.
    outside: u64,
    /// Edges to names that nothing could be proved for: the format has no place for them.
    unresolved_left_out: u64,
}

/// Runs the command.
pub(crate) fn run(global: &Global, args: &ExportArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let Format::Json = args.format;
    let place = locate::existing(global)?;
    let snapshot = Store::at(place.index()).snapshot()?;
    if args.output.as_deref() == Some(Path::new("-")) {
        graph_json::write(&snapshot, output.writer())?;
        return Ok(Exit::Answered);
    }
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| place.out.join("graph.json"));
    if place
        .graph
        .as_deref()
        .is_some_and(|graph| is_same(graph, &path))
    {
        return Err(Error::new(
            ErrorKind::Invalid,
            "the graph cannot be written over the file that it is read from",
        )
        .at(path)
        .remedy("name another file with --output")
        .into());
    }
    let written = write_file(&snapshot, &path)?;
    let exported = Exported {
        file: path.to_string_lossy().into_owned(),
        nodes: written.nodes,
        links: written.links,
        outside: written.outside,
        unresolved_left_out: snapshot.edge_totals().unresolved,
    };
    if output.is_json() {
        output.object(&exported)?;
    } else {
        output.text(&format!(
            "Wrote {} ({} nodes, {} of these outside the index, {} links; {} unresolved references left out)\n",
            render::safe::line(&exported.file),
            exported.nodes,
            exported.outside,
            exported.links,
            exported.unresolved_left_out
        ))?;
    }
    Ok(Exit::Answered)
}

fn is_same(a: &Path, b: &Path) -> bool {
    let real = |p: &Path| std::fs::canonicalize(p).ok();
    real(a).is_some_and(|a| real(b) == Some(a))
}

/// Writes beside the file and renames, so that whoever reads it sees the old graph or the new one. A pipe or device is
/// written to as it stands: a rename would put a file in its place.
fn write_file(snapshot: &Snapshot, path: &Path) -> graphify::Result<Written> {
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return write_new(snapshot, path);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let result = write_new(snapshot, &beside).and_then(|written| {
        std::fs::rename(&beside, path).map_err(|e| Error::io("write", path, e))?;
        Ok(written)
    });
    if result.is_err() {
        // Half a graph is of no use to anybody.
        let _ = std::fs::remove_file(&beside);
    }
    result
}

fn write_new(snapshot: &Snapshot, path: &Path) -> graphify::Result<Written> {
    let failed = |e| Error::io("write", path, e);
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    let written = graph_json::write(snapshot, &mut out)?;
    out.flush().map_err(failed)?;
    Ok(written)
}

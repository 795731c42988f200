//! `import`: another program's graph.json becomes the store.

use std::time::Duration;

use graphify::error::{Error, ErrorKind};
use graphify::index::WriterOptions;
use graphify::interchange::graph_import::{self, Imported};
use graphify::model::unit::IMPORTED;
use graphify::{Store, render};
use serde::Serialize;

use crate::cli::args::{Global, ImportArgs};
use crate::cli::exit::Exit;
use crate::cli::locate;
use crate::cli::output::Output;

#[derive(Debug, Serialize)]
struct Report<'a> {
    file: String,
    index: String,
    #[serde(flatten)]
    imported: &'a Imported,
}

/// Runs the command.
pub(crate) fn run(global: &Global, args: &ImportArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let place = locate::for_writing(global, None)?;
    let store = Store::at(place.index());
    let made_from_sources = store.snapshot().is_ok_and(|present| {
        present.file_count() > 0 && present.property(IMPORTED).is_none_or(str::is_empty)
    });
    if made_from_sources && !args.replace {
        return Err(Error::new(
            ErrorKind::Invalid,
            "there is an index that was made from source files",
        )
        .at(place.index())
        .remedy(
            "name another place with `--out DIR`, or put the graph in its place with `--replace`",
        )
        .into());
    }
    // Nothing is touched for a file that cannot be read at all.
    std::fs::File::open(&args.file).map_err(|e| Error::io("read", &args.file, e))?;
    place.prepare()?;
    let options = WriterOptions {
        wait: Duration::from_secs(10),
        replace_damaged: true,
    };
    let mut writer = store.writer_with(options)?;
    let imported = graph_import::import(&args.file, &mut writer)?;
    drop(writer);
    warn(&imported, output);
    let report = Report {
        file: args.file.to_string_lossy().into_owned(),
        index: locate::shown(&place.index()),
        imported: &imported,
    };
    if output.is_json() {
        output.object(&report)?;
    } else {
        output.text(&format!(
            "Imported {} into {}: {} nodes in {} files, {} links, {} hyperedges\n",
            render::safe::line(&report.file),
            report.index,
            imported.nodes,
            imported.files,
            imported.links,
            imported.hyperedges
        ))?;
    }
    Ok(Exit::Answered)
}

/// Says what was odd in the graph.
fn warn(imported: &Imported, output: &Output) {
    for warning in &imported.warnings {
        output.warn(&describe(warning));
    }
}

/// A warning in words.
pub(crate) fn describe(warning: &graph_import::ImportWarning) -> String {
    let example = match warning.example.as_str() {
        "" => String::new(),
        example => format!(" (first: {})", render::safe::field(example)),
    };
    format!("{}x {}{example}", warning.count, warning.what)
}

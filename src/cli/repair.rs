//! `repair`: mends a damaged index, from itself where that is possible, else from the sources.

use graphify::index::tree::{IndexOptions, index_tree};
use graphify::{ErrorKind, Store};

use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::{locate, progress, signals, verify};

/// Runs the command.
pub(crate) fn run(global: &Global, output: &mut Output) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let store = Store::at(place.index());
    match store.repair() {
        Ok(report) if report.is_sound() => {
            verify::show(&report, output)?;
            return Ok(Exit::Answered);
        }
        Ok(_) => {}
        Err(e) if matches!(e.kind(), ErrorKind::Corrupt | ErrorKind::Format) => {}
        Err(e) => return Err(e.into()),
    }
    output.note("The index cannot be mended from itself: reading the sources again");
    let cancel = signals::cancel_on_interrupt();
    let progress = progress::for_output(output);
    let options = IndexOptions {
        full: true,
        ..IndexOptions::default()
    };
    index_tree(&place.root, &store, &options, &*progress, &cancel)?;
    drop(progress);
    let report = store.verify()?;
    verify::show(&report, output)?;
    Ok(if report.is_sound() {
        Exit::Answered
    } else {
        Exit::Failed
    })
}

//! `compact`: folds everything into one segment.

use std::time::Duration;

use graphify::Store;
use graphify::index::WriterOptions;
use serde::Serialize;

use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::{locate, size};

#[derive(Debug, Serialize)]
struct Compacted {
    generation: u64,
    segments_before: usize,
    segments: usize,
    bytes_before: u64,
    bytes: u64,
}

/// Runs the command.
pub(crate) fn run(global: &Global, output: &mut Output) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let store = Store::at(place.index());
    let before = store.snapshot()?;
    let options = WriterOptions {
        wait: Duration::from_secs(10),
        ..WriterOptions::default()
    };
    let done = store.writer_with(options)?.compact()?;
    let after = store.snapshot()?;
    let compacted = Compacted {
        generation: done.generation,
        segments_before: before.segment_count(),
        segments: after.segment_count(),
        bytes_before: before.stored_bytes(),
        bytes: after.stored_bytes(),
    };
    if output.is_json() {
        output.object(&compacted)?;
    } else {
        output.text(&format!(
            "Compacted: {} segments ({}) became {} ({})\n",
            compacted.segments_before,
            size::human(compacted.bytes_before),
            compacted.segments,
            size::human(compacted.bytes),
        ))?;
    }
    Ok(Exit::Answered)
}

//! The progress bar of long runs: one line on a terminal's standard error, nothing anywhere else.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use graphify::model::progress::{Progress, Silent, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::output::Output;

/// The listener that fits the terminal and the options.
pub(crate) fn for_output(output: &Output) -> Box<dyn Progress> {
    if output.is_quiet() || output.is_json() || !std::io::stderr().is_terminal() {
        return Box::new(Silent);
    }
    Box::new(Bar::default())
}

/// Draws one bar per stage, over the one before.
#[derive(Default)]
struct Bar(Mutex<Option<ProgressBar>>);

impl Bar {
    fn replace(&self, bar: Option<ProgressBar>) {
        let mut present = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = std::mem::replace(&mut *present, bar) {
            old.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10));
        let template = match total {
            Some(_) => "{msg:>10} [{bar:30}] {human_pos}/{human_len} {elapsed}, {eta} left",
            None => "{msg:>10} {spinner} {human_pos} {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(stage.as_str());
        bar.enable_steady_tick(Duration::from_millis(200));
        self.replace(Some(bar));
    }

    fn advance(&self, steps: u64) {
        let present = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = &*present {
            bar.inc(steps);
        }
    }

    fn end(&self) {
        self.replace(None);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.replace(None);
    }
}

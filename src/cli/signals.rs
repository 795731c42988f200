//! Signals: Ctrl-C as a request, a file-size limit as an ordinary error.
//!
//! Invariant: only commands that write ask for handlers of interrupts; a command that reads may be killed at any time.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use graphify::model::progress::Cancel;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::cli::exit::Exit;

/// Keeps the process alive when a file may not grow any more: the write then fails, and says why.
pub(crate) fn survive_file_size_limit() {
    #[cfg(unix)]
    {
        // Whether anything arrived is of no interest: the failed write tells. Without the handler the write kills us.
        let _ = signal_hook::flag::register(
            signal_hook::consts::SIGXFSZ,
            Arc::new(AtomicBool::new(false)),
        );
    }
}

/// A request to stop that the first Ctrl-C (or a polite kill) makes; the second one ends the process at once.
pub(crate) fn cancel_on_interrupt() -> Cancel {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order counts: the end at the second signal must look at the flag before the first one sets it.
        let end = i32::from(Exit::Interrupted as u8);
        let _ = signal_hook::flag::register_conditional_shutdown(signal, end, Arc::clone(&flag));
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    Cancel::on(flag)
}

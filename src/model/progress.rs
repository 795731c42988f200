//! How a long run tells its caller how far it is, and how the caller tells it to stop.
//!
//! Where it sits: `source` and `index` report, the command line draws. The library itself prints nothing. Invariants:
//! reports may come from any thread; a run that was told to stop ends with [`ErrorKind::Interrupted`] and leaves the last
//! committed index as it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// A part of a run that is worth a line of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Listing the tree; steps are folders.
    Walk,
    /// Comparing files with what is known of them; steps are files that had to be read for it.
    Compare,
    /// Reading and parsing; steps are files.
    Extract,
    /// Finding the targets of references; steps are files.
    Link,
    /// Writing the index; steps are files.
    Write,
    /// Folding segments together; steps are segments.
    Merge,
    /// Checking; steps are segments.
    Verify,
}

impl Stage {
    /// The stage in a word, as a progress line shows it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Walk => "walking",
            Self::Compare => "comparing",
            Self::Extract => "reading",
            Self::Link => "linking",
            Self::Write => "writing",
            Self::Merge => "merging",
            Self::Verify => "checking",
        }
    }
}

/// Receives reports of a run. Every method has an empty default.
pub trait Progress: Send + Sync {
    /// A stage begins; `total` is the number of its steps where that is known.
    fn begin(&self, stage: Stage, total: Option<u64>) {
        let _ = (stage, total);
    }

    /// `steps` more steps of the present stage are done.
    fn advance(&self, steps: u64) {
        let _ = steps;
    }

    /// The present stage is over.
    fn end(&self) {}
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// A request to stop that is shared between whoever asks and whoever works.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A request on a flag that somebody else sets (a signal handler).
    pub fn on(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Asks the work to stop at its next opportunity.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends the work here if somebody asked.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`] once a stop was requested.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted")
                .remedy("nothing was lost: run the same command again to go on"));
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reaches_every_clone() {
        let cancel = Cancel::default();
        let other = cancel.clone();
        cancel.check().unwrap();
        other.request();
        assert_eq!(cancel.check().unwrap_err().kind(), ErrorKind::Interrupted);
    }
}

//! Past commits: gathered beside the reading of files, stored when the index has its commit.
//!
//! Where it sits: between [`crate::source::history`] and the writer. Invariant: what is recorded is that of the commit which
//! is checked out; nothing is read again while that stays the same.

use std::path::Path;
use std::thread::JoinHandle;

use crate::error::Result;
use crate::index::Writer;
use crate::snapshot::history;
use crate::source::history as log;

/// A log that is being read.
pub(super) struct Past(JoinHandle<Found>);

/// What a look at git found.
enum Found {
    /// The checked-out commit is the recorded one.
    Same,
    /// There is nothing to record.
    Nothing,
    /// A new record.
    New(Vec<u8>),
}

impl Past {
    /// Begins to read, unless the record begins with the commit that is checked out.
    pub(super) fn begin(root: &Path, known: Option<String>) -> Self {
        let root = root.to_path_buf();
        Self(std::thread::spawn(move || {
            let Some(head) = log::head(&root) else {
                return Found::Nothing;
            };
            if known.as_ref() == Some(&head) {
                return Found::Same;
            }
            let commits = log::commits(&root, &head);
            let commits = commits
                .iter()
                .map(|c| (c.message.as_str(), c.files.as_slice()));
            Found::New(history::encode(&head, commits))
        }))
    }

    /// Waits for the end and stores what is new. Without a log there is no record.
    pub(super) fn store(past: Option<Self>, writer: &Writer) -> Result<()> {
        match past.map(|p| p.0.join()) {
            Some(Ok(Found::Same)) => Ok(()),
            Some(Ok(Found::New(bytes))) => writer.set_history(Some(&bytes)),
            _ => writer.set_history(None),
        }
    }
}

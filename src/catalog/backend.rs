//! The database's storage on a file of ours.
//!
//! Where it sits: between the database library and [`RandomFile`], so that the catalog runs on the simulated disk as it
//! does on the real one. Invariants: a read past the end is an error before any memory is touched; after
//! [`Handle::close`] the file is let go even if the library still holds its backend, which a database given up after a
//! panic does.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use crate::storage::fs::RandomFile;

/// The file, shared by the library's backend and by the catalog that may have to close it.
#[derive(Debug)]
pub(super) struct Handle {
    file: RwLock<Option<Box<dyn RandomFile>>>,
}

impl Handle {
    pub(super) fn new(file: Box<dyn RandomFile>) -> Arc<Self> {
        Arc::new(Self {
            file: RwLock::new(Some(file)),
        })
    }

    /// Lets the file go. Later calls of the library fail.
    pub(super) fn close(&self) {
        let mut file = self.file.write().unwrap_or_else(PoisonError::into_inner);
        *file = None;
    }

    /// Calls the file, if it was not let go.
    pub(super) fn with<T>(
        &self,
        call: impl FnOnce(&dyn RandomFile) -> io::Result<T>,
    ) -> io::Result<T> {
        let file = self.file.read().unwrap_or_else(PoisonError::into_inner);
        match file.as_deref() {
            Some(file) => call(file),
            None => Err(io::Error::other("the catalog is closed")),
        }
    }
}

/// What the library gets.
#[derive(Debug)]
pub(super) struct Backend(pub(super) Arc<Handle>);

impl redb::StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.0.with(|file| file.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.with(|file| file.read_at(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.with(|file| file.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.with(|file| file.sync_data())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.with(|file| file.write_at(offset, data))
    }

    /// The catalog still reads the file after the library has closed it, and lets it go itself.
    fn close(&self) -> io::Result<()> {
        Ok(())
    }
}

//! Stand-in until the storage layer is merged.
pub mod mmap;

//! graphify: an embedded graph-database engine for code.

pub mod catalog;
pub mod error;
pub mod ids;
pub mod model;
pub mod segment;
pub mod storage;

/// The engine's inner layers, for fuzz targets and benchmarks. No part of the interface: changes without notice.
#[doc(hidden)]
pub mod internals {
    pub use crate::{catalog, segment, storage};
}

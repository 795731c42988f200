//! graphify: an embedded graph-database engine for code.

pub mod error;
pub mod ids;
pub mod model;
#[cfg(feature = "indexing")]
pub mod source;

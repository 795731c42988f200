//! graphify: an embedded graph-database engine for code.

pub mod error;
#[cfg(feature = "indexing")]
pub mod extract;
pub mod ids;
#[cfg(feature = "indexing")]
pub mod link;
pub mod model;

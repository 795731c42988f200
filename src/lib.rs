//! graphify: an embedded graph-database engine for code.

pub mod error;
pub mod ids;
pub mod model;
pub mod search;
pub mod traverse;

//! Answers as plain data: what a command found, before anybody decides how it is written.
//!
//! Where it sits: joins `search` (which seeds) and `traverse` (what is near) over one `snapshot`; read by `render`, by the
//! command line and by library users. Invariants: an answer owns its texts and holds no ids of the index; it is the same on
//! every run and does not depend on ids; what was left out is counted in it.

pub mod card;
pub mod explain;
#[cfg(test)]
pub(crate) mod fixture;
mod graph;
pub mod problem;
pub mod query;
mod ranking;

pub use card::{EdgeCard, NodeCard};
pub use explain::{Connection, ExplainAnswer, FileGroup, Site, explain};
pub use problem::NameProblem;
pub use query::{Place, QueryAnswer, QueryNode, QueryOutcome, QueryRequest, SeedCard, query};

/// Version of the JSON objects that answers are written as; grows when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

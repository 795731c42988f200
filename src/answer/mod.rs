//! Answers as plain data: what a command found, before anybody decides how it is written.
//!
//! Where it sits: joins `search` (which seeds) and `traverse` (what is near) over one `snapshot`; read by `render`, by the
//! command line and by library users. Invariants: an answer owns its texts and holds no ids of the index; it is the same on
//! every run and does not depend on ids; what was left out is counted in it.

pub mod affected;
pub mod card;
pub mod changes;
pub mod completeness;
pub mod explain;
#[cfg(test)]
pub(crate) mod fixture;
mod graph;
pub mod hubs;
pub mod path;
pub mod problem;
pub mod query;
mod ranking;
mod relations;
pub mod vocab;

pub use affected::{AffectedAnswer, AffectedRequest, Dependent, Via, affected, affected_by};
pub use card::{EdgeCard, NodeCard};
pub use changes::{ChangeReport, ChangedFile, touched};
pub use completeness::Completeness;
pub use explain::{Connection, ExplainAnswer, FileGroup, Site, explain};
pub use hubs::{HubCard, HubsAnswer, hubs};
pub use path::{Hop, PathAnswer, PathRequest, RouteCard, path};
pub use problem::NameProblem;
pub use query::{Place, QueryAnswer, QueryNode, QueryOutcome, QueryRequest, SeedCard, query};
pub use vocab::{NearWords, VocabAnswer, VocabWord, like, spelt_like, vocabulary};

/// Version of the JSON objects that answers are written as; grows when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

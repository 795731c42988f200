//! graphify: an embedded graph-database engine for code.
//!
//! A store is a folder of immutable, checksummed, memory-mapped segments with a small pointer file. Any number of
//! readers use it without locks, one writer at a time adds to it. What it stores is a directed multigraph: nodes are
//! logical units (functions, classes, constants, or whatever another tool means by a node), edges are statements about
//! two of them, each with its relation, confidence, reason and line.
//!
//! | you want to | use |
//! |---|---|
//! | open or make a store | [`Store`] |
//! | read it | [`Snapshot`]: look up by key, name, prefix, substring or spelling, follow edges both ways |
//! | walk it | [`traverse`] |
//! | change it | [`Writer`]: put, replace and remove [`model::unit::Unit`]s, then commit |
//! | index a source tree | [`index::tree`] (feature `indexing`) |
//! | ask it questions | [`search`] |
//! | gather the source that a question needs | [`context`] |
//!
//! ```
//! use graphify::Store;
//! use graphify::model::edge::EdgeLabel;
//! use graphify::model::label::{Language, NodeKind, Relation};
//! use graphify::model::unit::{NewNode, Unit};
//!
//! # fn main() -> graphify::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path();
//! let store = Store::at(path.join("index"));
//! let mut writer = store.writer()?;
//! let mut unit = Unit::new("src/price.ts", Language::TYPESCRIPT);
//! let total = unit.add(NewNode::new("total", NodeKind::FUNCTION))?;
//! let round = unit.add(NewNode::new("roundCents", NodeKind::FUNCTION))?;
//! unit.link_local(total, round, EdgeLabel::stated(Relation::CALLS));
//! writer.put(unit)?;
//! writer.commit()?;
//!
//! let snapshot = store.snapshot()?;
//! let hit = snapshot.name("roundcents")?.expect("names are found without their case");
//! let callee = snapshot.nodes_named(&hit)?[0];
//! let callers: Vec<_> = snapshot.in_edges(callee).map(|e| snapshot.label_of(e.source)).collect();
//! assert_eq!(callers, ["total()"]);
//! # Ok(())
//! # }
//! ```
//!
//! The library never prints and never ends the process; failures are one [`Error`] with a kind, a path and a remedy.

pub mod answer;
pub mod context;
pub mod error;
#[cfg(feature = "indexing")]
pub mod extract;
#[cfg(feature = "indexing")]
pub mod fresh;
pub mod ids;
pub mod index;
pub mod interchange;
#[cfg(feature = "indexing")]
pub mod link;
pub mod model;
pub mod render;
pub mod search;
pub mod snapshot;
#[cfg(feature = "indexing")]
pub mod source;
pub mod traverse;

mod store;

// The engine's inner layers: visible for fuzz targets and benchmarks, no part of the interface.
#[doc(hidden)]
pub mod catalog;
#[doc(hidden)]
pub mod segment;
#[doc(hidden)]
pub mod storage;

pub use error::{Error, ErrorKind, Result};
pub use index::Writer;
pub use snapshot::Snapshot;
pub use store::Store;

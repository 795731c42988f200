//! Walks over the graph: who is near, who is reached, and by which way.
//!
//! Where it sits: above `snapshot` (through the small border [`Adjacency`], so that every walk can be tested on a graph made
//! by hand); below `answer`, which turns what was found into plain data. It knows nothing of words or texts.
//!
//! | walk | for | bounded by |
//! |---|---|---|
//! | [`bfs()`] | reachability, closures, whole graphs | depth, the visitor's verdict |
//! | [`walk`] | the neighbourhood of a question's seeds | depth, hubs, nodes, edges |
//! | [`wander`] | how well nodes hang together with several others | steps, nodes |
//! | [`path`] | shortest routes between two symbols | hops, nodes |
//! | [`impact`] | who depends on a symbol | depth, nodes |
//!
//! Invariant: the same graph gives the same walk. Levels are visited in ascending order of id, or, where an order is shown
//! to people, by place (path and line), which does not change when ids do.

pub mod adjacency;
pub mod bfs;
pub mod frontier;
pub mod impact;
pub mod path;
mod snapshot;
pub mod walk;
pub mod wander;

pub use adjacency::{Adjacency, Direction, RelationMask};
pub use bfs::{BfsOptions, BfsStats, Verdict, bfs};
pub use snapshot::SnapshotGraph;

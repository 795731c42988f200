//! How one symbol reaches another.
//!
//! Where it sits: under the `path` command. The route is the shortest along the arrows, or in either direction when the
//! caller asks for it; among the shortest the most meaningful one (see [`crate::traverse::path`]). Every hop carries all
//! edges that are stored between its two nodes in the direction in which it was walked, each with its site.
//!
//! Invariants: without `undirected` no edge is followed against its arrow; where there is no such route, the answer says
//! whether there is one backwards, or one that ignores arrows.

use serde::Serialize;

use crate::answer::card::{EdgeCard, NodeCard};
use crate::answer::relations;
use crate::error::Result;
use crate::ids::SymId;
use crate::model::edge::EdgeLabel;
use crate::snapshot::Snapshot;
use crate::traverse::path::{PathOptions, Route, Search, hop_cost, routes, shortest};
use crate::traverse::{Direction, RelationMask};

/// Most routes that an answer with all of them holds.
pub const MAX_ROUTES: usize = 100;

/// How a route is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathRequest {
    /// Follow edges in either direction.
    pub undirected: bool,
    /// Only edges of these relations; all if there are none.
    pub relations: Vec<String>,
    /// Most hops; any number if not given.
    pub max_hops: Option<u32>,
    /// All shortest routes, not only the best.
    pub all: bool,
}

/// One step of a route.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Hop {
    /// Whether the step goes along the arrow of its edges.
    pub forward: bool,
    /// The edges between the two nodes, in that direction: the most telling first.
    pub edges: Vec<EdgeCard>,
}

/// One route.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RouteCard {
    /// The nodes from start to end.
    pub nodes: Vec<NodeCard>,
    /// The steps between them, one fewer.
    pub hops: Vec<Hop>,
}

/// What a search for a route found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PathAnswer {
    /// What was typed for the start and for the end.
    pub asked: [String; 2],
    /// Where the route starts.
    pub from: NodeCard,
    /// Where it ends.
    pub to: NodeCard,
    /// How the ends were found when they are not exactly what was typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub announced: Vec<String>,
    /// Whether edges were followed along their arrows only.
    pub directed: bool,
    /// `found`, `none`, or `gave_up` where the search met its bound.
    pub outcome: String,
    /// Hops of the routes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// The routes, best first.
    pub routes: Vec<RouteCard>,
    /// How many routes of that length there are, those that are not listed included.
    pub routes_total: u64,
    /// Where there is no route along the arrows: hops of one from the end to the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backward_length: Option<usize>,
    /// Where there is no route along the arrows: hops of one that ignores them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undirected_length: Option<usize>,
    /// Most hops that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_hops: Option<u32>,
    /// The relations that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<String>,
}

/// Looks for the shortest route between two different symbols.
///
/// # Errors
/// [`crate::error::ErrorKind::Invalid`] for a relation that the index does not know.
pub fn path(
    snapshot: &Snapshot,
    from: SymId,
    to: SymId,
    request: &PathRequest,
) -> Result<PathAnswer> {
    let relations = relations::mask(&request.relations, snapshot.labels())?;
    let options = PathOptions {
        direction: if request.undirected {
            Direction::Both
        } else {
            Direction::Forward
        },
        relations,
        max_hops: request.max_hops.unwrap_or(u32::MAX),
        ..PathOptions::default()
    };
    let limit = if request.all { MAX_ROUTES } else { 1 };
    let mut answer = PathAnswer {
        from: NodeCard::of(snapshot, from),
        to: NodeCard::of(snapshot, to),
        directed: !request.undirected,
        outcome: "none".to_string(),
        max_hops: request.max_hops,
        relations: request.relations.clone(),
        ..PathAnswer::default()
    };
    match routes(snapshot, from, to, &options, limit) {
        Search::Found(found) => {
            answer.outcome = "found".to_string();
            answer.routes_total = found.total;
            answer.length = found.routes.first().map(|r| r.len().saturating_sub(1));
            let card = |nodes: &Vec<SymId>| route_card(snapshot, nodes, &relations);
            answer.routes = found.routes.iter().map(card).collect();
        }
        Search::Unknown => answer.outcome = "gave_up".to_string(),
        Search::None if !request.undirected => {
            let length = |from, to, direction| {
                let options = PathOptions {
                    direction,
                    ..options
                };
                match shortest(snapshot, from, to, &options) {
                    Route::Found(nodes) => Some(nodes.len().saturating_sub(1)),
                    _ => None,
                }
            };
            answer.backward_length = length(to, from, Direction::Forward);
            answer.undirected_length = length(from, to, Direction::Both);
        }
        Search::None => {}
    }
    Ok(answer)
}

fn route_card(snapshot: &Snapshot, nodes: &[SymId], relations: &RelationMask) -> RouteCard {
    let cards: Vec<NodeCard> = nodes.iter().map(|s| NodeCard::of(snapshot, *s)).collect();
    let pairs = nodes.iter().zip(&cards).enumerate();
    let next = nodes.iter().zip(&cards).skip(1);
    let hops = pairs.zip(next).map(|((i, (a, a_card)), (b, b_card))| {
        let mut forward = true;
        let mut labels = between(snapshot, *a, *b, relations);
        if labels.is_empty() {
            forward = false;
            labels = between(snapshot, *b, *a, relations);
        }
        let ends = if forward {
            ((i, a_card), (i + 1, b_card))
        } else {
            ((i + 1, b_card), (i, a_card))
        };
        let card = |label: &EdgeLabel| EdgeCard::new(*label, snapshot.labels(), ends.0, ends.1);
        Hop {
            forward,
            edges: labels.iter().map(card).collect(),
        }
    });
    RouteCard {
        hops: hops.collect(),
        nodes: cards,
    }
}

/// What is stated of `target` by `source`, the most telling first.
fn between(
    snapshot: &Snapshot,
    source: SymId,
    target: SymId,
    relations: &RelationMask,
) -> Vec<EdgeLabel> {
    let edges = snapshot.out_edges(source).filter(|e| e.target == target);
    let mut labels: Vec<EdgeLabel> = edges
        .map(|e| e.label)
        .filter(|l| relations.has(l.relation))
        .collect();
    labels.sort_by_key(|l| (hop_cost(l.relation, true), *l));
    labels
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;

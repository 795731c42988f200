//! Who depends on a symbol, directly or through others.
//!
//! Where it sits: under the `affected` answer. A walk against the arrows of every relation that carries a dependency:
//! calls, types, inheritance, dispatch, imports and re-exports. What merely holds a symbol (its file, its class) does not
//! depend on it. Invariants: each dependent appears once, with its smallest number of hops; the seeds do not appear.

use crate::ids::SymId;
use crate::model::label::Relation;
use crate::traverse::adjacency::{Adjacency, Direction, RelationMask};
use crate::traverse::bfs::{BfsOptions, Verdict, bfs};

/// The relations along which a change is felt by the source of the edge.
pub const DEPENDENCIES: &[Relation] = &[
    Relation::CALLS,
    Relation::INDIRECT_CALL,
    Relation::REFERENCES,
    Relation::IMPORTS,
    Relation::IMPORTS_FROM,
    Relation::DYNAMIC_IMPORT,
    Relation::RE_EXPORTS,
    Relation::INHERITS,
    Relation::IMPLEMENTS,
    Relation::EMBEDS,
    Relation::MIXES_IN,
    Relation::DISPATCHES_TO,
    Relation::OVERRIDES,
    Relation::DEPENDS_ON,
];

/// How far dependents are followed.
#[derive(Clone, Copy, Debug)]
pub struct ImpactOptions {
    /// Along which relations.
    pub relations: RelationMask,
    /// Most hops.
    pub depth: u32,
    /// Most dependents.
    pub max_nodes: usize,
}

impl Default for ImpactOptions {
    fn default() -> Self {
        Self {
            relations: RelationMask::of(DEPENDENCIES),
            depth: 3,
            max_nodes: 1_000_000,
        }
    }
}

/// Who depends on the seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    /// Dependents with their hops, by hops and then by id.
    pub dependents: Vec<(SymId, u32)>,
    /// Whether the bound was met, so that there are more.
    pub limited: bool,
}

/// The dependents of `seeds`.
pub fn impact<G: Adjacency>(graph: &G, seeds: &[SymId], options: &ImpactOptions) -> Impact {
    let walk = BfsOptions {
        direction: Direction::Backward,
        relations: options.relations,
        max_depth: options.depth,
    };
    let mut dependents = Vec::new();
    let stats = bfs(graph, seeds, &walk, |sym, hops| {
        if hops == 0 {
            return Verdict::Expand;
        }
        if !graph.is_walkable(sym) {
            return Verdict::Skip;
        }
        if dependents.len() >= options.max_nodes {
            return Verdict::End;
        }
        dependents.push((sym, hops));
        Verdict::Expand
    });
    Impact {
        dependents,
        limited: stats.ended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traverse::adjacency::model::ListGraph;

    #[test]
    fn follows_dependencies_against_the_arrow_and_nothing_else() {
        let edges = vec![
            (1, 0, Relation::CALLS),
            (2, 1, Relation::REFERENCES),
            (3, 0, Relation::CONTAINS),
            (0, 4, Relation::CALLS),
            (5, 2, Relation::IMPORTS),
            (6, 5, Relation::CALLS),
        ];
        let graph = ListGraph { nodes: 7, edges };
        let found = impact(&graph, &[SymId(0)], &ImpactOptions::default());
        assert_eq!(
            found.dependents,
            [(SymId(1), 1), (SymId(2), 2), (SymId(5), 3)]
        );
        assert!(!found.limited);
        let one = ImpactOptions {
            max_nodes: 1,
            ..ImpactOptions::default()
        };
        let found = impact(&graph, &[SymId(0)], &one);
        assert!(found.limited && found.dependents.len() == 1);
    }
}

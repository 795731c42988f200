//! Who depends on a symbol, directly or through others.
//!
//! Where it sits: under the `affected` answer. A walk against the arrows of every relation that carries a dependency:
//! calls, types, inheritance, imports and re-exports. What merely holds a symbol (its file, its class) does not depend on
//! it. Two refinements:
//!
//! - A member of a base type that may run a reached member is a stepping stone: whoever calls it depends on the reached one
//!   as directly as if it were called by name. The stone itself does not.
//! - A file that only imports or hands on what was reached does not pass the change on to everybody who imports that file:
//!   those who use the symbol have edges of their own. (Where a whole file is asked for, imports are followed on.)
//!
//! Invariants: each dependent appears once, with its smallest number of hops; the seeds do not appear.

use rustc_hash::FxHashMap;

use crate::ids::SymId;
use crate::model::label::Relation;
use crate::traverse::adjacency::{Adjacency, RelationMask};

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
    /// Whether files that only import what was reached are walked through.
    pub through_imports: bool,
}

impl Default for ImpactOptions {
    fn default() -> Self {
        Self {
            relations: RelationMask::of(DEPENDENCIES),
            depth: 3,
            max_nodes: 1_000_000,
            through_imports: false,
        }
    }
}

/// Who depends on the seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    /// Dependents with their hops, by hops and then by id.
    pub dependents: Vec<(SymId, u32)>,
    /// Members of base types that were walked through, with the hops of what they may run.
    pub stones: Vec<(SymId, u32)>,
    /// Whether the bound was met, so that there are more.
    pub limited: bool,
}

/// How a node was reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// A seed, or a dependent that is walked through.
    Through,
    /// A dependent that only imports; not walked through yet.
    Importer,
    /// A stepping stone.
    Stone,
}

/// The dependents of `seeds`.
pub fn impact<G: Adjacency>(graph: &G, seeds: &[SymId], options: &ImpactOptions) -> Impact {
    impact_with(graph, seeds, &[], options)
}

/// [`impact`], with further nodes that depend on the seeds directly though no edge says so, each with whether it passes
/// the change on.
pub fn impact_with<G: Adjacency>(
    graph: &G,
    seeds: &[SymId],
    also: &[(SymId, bool)],
    options: &ImpactOptions,
) -> Impact {
    let mut walk = Walk {
        graph,
        options,
        reached: FxHashMap::default(),
        found: Impact::default(),
    };
    let mut level: Vec<SymId> = Vec::new();
    for seed in seeds {
        if walk.reached.insert(*seed, Reached::Through).is_none() {
            level.push(*seed);
        }
    }
    for hops in 1..=options.depth {
        walk.add_stones(&mut level, hops - 1);
        let also = if hops == 1 { also } else { &[] };
        level = walk.step(&level, also, hops);
        if level.is_empty() || walk.found.limited {
            break;
        }
    }
    walk.found
        .dependents
        .sort_unstable_by_key(|(s, h)| (*h, *s));
    walk.found
}

struct Walk<'a, G> {
    graph: &'a G,
    options: &'a ImpactOptions,
    reached: FxHashMap<SymId, Reached>,
    found: Impact,
}

impl<G: Adjacency> Walk<'_, G> {
    /// Adds to a level the members of base types that may run one of its nodes.
    fn add_stones(&mut self, level: &mut Vec<SymId>, hops: u32) {
        if !self.options.relations.has(Relation::DISPATCHES_TO) {
            return;
        }
        let mut at = 0;
        while let Some(node) = level.get(at).copied() {
            at += 1;
            let reached = &mut self.reached;
            let stones = &mut self.found.stones;
            self.graph.for_each_in(node, |source, relation| {
                if relation == Relation::DISPATCHES_TO && !reached.contains_key(&source) {
                    reached.insert(source, Reached::Stone);
                    stones.push((source, hops));
                    level.push(source);
                }
            });
        }
    }

    /// The nodes of the next level that are walked through.
    fn step(&mut self, level: &[SymId], also: &[(SymId, bool)], hops: u32) -> Vec<SymId> {
        // Which sources depend on the level, and whether more than an import says so.
        let mut sources: FxHashMap<SymId, bool> = also.iter().copied().collect();
        for node in level {
            self.graph.for_each_in(*node, |source, relation| {
                if relation == Relation::DISPATCHES_TO || !self.options.relations.has(relation) {
                    return;
                }
                let import = matches!(
                    relation,
                    Relation::IMPORTS | Relation::IMPORTS_FROM | Relation::RE_EXPORTS
                );
                let passes = !import || self.options.through_imports;
                *sources.entry(source).or_insert(false) |= passes;
            });
        }
        let mut sources: Vec<(SymId, bool)> = sources.into_iter().collect();
        sources.sort_unstable();
        let mut next = Vec::new();
        for (source, passes) in sources {
            let before = self.reached.get(&source).copied();
            if before == Some(Reached::Through) || (before == Some(Reached::Importer) && !passes) {
                continue;
            }
            if !self.graph.is_walkable(source) {
                continue;
            }
            if before != Some(Reached::Importer) {
                if self.found.dependents.len() >= self.options.max_nodes {
                    self.found.limited = true;
                    return next;
                }
                self.found.dependents.push((source, hops));
            }
            // What a stone leads to was walked when it became one.
            if passes && before != Some(Reached::Stone) {
                next.push(source);
            }
            let now = if passes || before == Some(Reached::Stone) {
                Reached::Through
            } else {
                Reached::Importer
            };
            self.reached.insert(source, now);
        }
        next
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
    #[test]
    fn stones_are_walked_through_and_importers_are_not() {
        let edges = vec![
            (1, 0, Relation::DISPATCHES_TO), // 1 is the base type's member
            (2, 1, Relation::CALLS),
            (3, 0, Relation::IMPORTS), // 3 is a file that imports 0, 4 imports that file
            (4, 3, Relation::IMPORTS_FROM),
            (5, 0, Relation::CALLS), // 5 is a file whose own code calls 0 and that imports it
            (5, 0, Relation::IMPORTS),
            (6, 5, Relation::IMPORTS_FROM),
            (3, 2, Relation::CALLS), // later, 3 turns out to run 2
        ];
        let graph = ListGraph { nodes: 7, edges };
        let found = impact(&graph, &[SymId(0)], &ImpactOptions::default());
        let expected = [(2, 1), (3, 1), (5, 1), (6, 2), (4, 3)].map(|(s, h)| (SymId(s), h));
        assert_eq!(found.dependents, expected);
        assert_eq!(found.stones, [(SymId(1), 0)]);
        let options = ImpactOptions {
            through_imports: true,
            depth: 2,
            ..ImpactOptions::default()
        };
        let found = impact(&graph, &[SymId(0)], &options);
        let expected = [(2, 1), (3, 1), (5, 1), (4, 2), (6, 2)].map(|(s, h)| (SymId(s), h));
        assert_eq!(found.dependents, expected);
    }
}

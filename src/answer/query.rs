//! The answer to a question: seeds, what is near them, and how it hangs together.
//!
//! Where it sits: under the `query` command. In order: the question is taken apart and scored against the names, or the
//! seeds are given; the graph is walked round them; what was found is ranked (`ranking`); edges among it are added.
//! Invariants: the answer is complete as far as the walk went (a budget cuts only what is written, not what is here); an
//! edge filter is applied only when the caller asked for it; words of the question merely change the order.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::answer::card::{EdgeCard, NodeCard};
use crate::answer::graph::Graph;
use crate::answer::problem::NameProblem;
use crate::answer::ranking;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::SymId;
use crate::model::label::{Context, Labels, Relation};
use crate::search::fold;
use crate::search::query::{Question, Role, context_name};
use crate::search::resolver::{Resolution, resolve};
use crate::search::score::Scores;
use crate::search::seeds::{self, Seed};
use crate::search::text::{self, TextOptions, TextQuery};
use crate::snapshot::Snapshot;
use crate::traverse::RelationMask;
use crate::traverse::walk::{WalkMode, WalkOptions, walk};

/// Most rivals of a seed that an answer lists.
const MAX_RIVALS: usize = 8;

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryRequest {
    /// The question in plain words.
    pub question: String,
    /// Follow one chain after the other instead of going outwards.
    pub dfs: bool,
    /// Most hops; 3 outwards, 6 along chains if not given.
    pub depth: Option<u32>,
    /// Only edges in one of these contexts (aliases as in [`crate::search::context_name`]).
    pub contexts: Vec<String>,
    /// Only edges of these relations.
    pub relations: Vec<String>,
    /// Names of symbols to start from instead of searching for the words.
    pub seeds: Vec<String>,
    /// Let test code compete with the rest.
    pub tests: bool,
    /// The question consists of vocabulary words that are taken as they are.
    pub terms: bool,
}

/// A file and a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// Key of the unit; empty for what no unit defines.
    pub file: String,
    /// The line, 0 where there is none.
    pub line: u32,
}

/// Where an answer starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SeedCard {
    /// Its place in the list of nodes.
    pub node: usize,
    /// How answers print it.
    pub label: String,
    /// Why it is a seed.
    pub why: String,
    /// The words of the question that it answers.
    pub terms: Vec<String>,
    /// Some of the other symbols of that name.
    pub rivals: Vec<Place>,
    /// How many other symbols have that name.
    pub rivals_total: u64,
}

/// One node of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QueryNode {
    /// The node.
    #[serde(flatten)]
    pub card: NodeCard,
    /// Hops from the seeds; none where its text alone brought it.
    pub hops: Option<u32>,
    /// Whether it is a seed.
    pub seed: bool,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QueryAnswer {
    /// The question as asked.
    pub question: String,
    /// Where the index lies, as the caller wants it printed.
    pub index: String,
    /// How many nodes the index has.
    pub index_nodes: u64,
    /// `bfs` or `dfs`.
    pub mode: String,
    /// Most hops of the walk.
    pub depth: u32,
    /// The words that were searched for.
    pub terms: Vec<String>,
    /// Where the walk started.
    pub seeds: Vec<SeedCard>,
    /// Whether the caller named the seeds.
    pub given_seeds: bool,
    /// Names of seeds that mean nothing or several things.
    pub unresolved_seeds: Vec<String>,
    /// The contexts that filter the edges, or that the question hints at.
    pub contexts: Vec<String>,
    /// Whether these contexts filter.
    pub contexts_explicit: bool,
    /// Whether a bound cut the walk: more is there than was found.
    pub limited: bool,
    /// Remarks that the caller adds (files changed since they were indexed …).
    pub notes: Vec<String>,
    /// What was found, seeds first, then by relevance.
    #[serde(skip)]
    pub nodes: Vec<QueryNode>,
    /// The edges among these nodes.
    #[serde(skip)]
    pub edges: Vec<EdgeCard>,
}

/// How a question was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryOutcome {
    /// With what was found.
    Answer(Box<QueryAnswer>),
    /// No word hits a name, no seed resolves.
    Nothing(NameProblem),
    /// The only seed given means several symbols.
    Ambiguous(NameProblem),
}

/// How many of the best texts a walk starts from where no name answers.
const MAX_TEXT_SEEDS: usize = 3;

/// How many words of a question that hits nothing are looked up by their spelling, and most names that are listed.
const MAX_NEAR_WORDS: usize = 8;
const MAX_NEAR: usize = 5;

/// Most nodes that a walk keeps.
const MAX_WALK_NODES: usize = 4096;
/// Most edges that a walk looks at.
const MAX_WALK_EDGES: usize = 200_000;
/// Depth of a walk outwards, where none is asked for.
const BFS_DEPTH: u32 = 3;
/// Depth of a walk along chains, where none is asked for.
const DFS_DEPTH: u32 = 6;

/// Answers a question.
///
/// # Errors
/// [`crate::error::ErrorKind::Invalid`] for a relation or context that the index does not know,
/// [`crate::error::ErrorKind::Corrupt`] for damaged dictionaries.
pub fn query(snapshot: &Snapshot, request: &QueryRequest) -> Result<QueryOutcome> {
    let labels = snapshot.labels();
    let relations = known(
        &request.relations,
        "relation",
        labels,
        Relation::find,
        Relation::BUILT_IN,
    )?;
    let names: Vec<String> = request.contexts.iter().map(|c| context_name(c)).collect();
    let contexts = known(&names, "context", labels, Context::find, Context::BUILT_IN)?;

    let question = if request.terms {
        let terms: Vec<String> = request
            .question
            .split_whitespace()
            .map(str::to_string)
            .collect();
        check_terms(snapshot, &terms)?;
        Question::of_terms(&terms)
    } else {
        Question::parse(&request.question)
    };
    let scores = Scores::gather(snapshot, &question)?;
    let mut unresolved = Vec::new();
    let seeds = if request.seeds.is_empty() {
        searched(snapshot, &question, &scores, request)?
    } else {
        match given(snapshot, &request.seeds, &mut unresolved)? {
            Ok(seeds) => seeds,
            Err(problem) if problem.candidates.is_empty() => {
                return Ok(QueryOutcome::Nothing(problem));
            }
            Err(problem) => return Ok(QueryOutcome::Ambiguous(problem)),
        }
    };
    // A narrowed question is answered by the neighbourhood alone: what the filter or the chain leaves is the answer.
    let by_text = request.seeds.is_empty()
        && !request.dfs
        && contexts.is_empty()
        && relations.is_empty()
        && !question.unfiltered;
    let with_tests = request.tests || question.about_tests;
    let mut texts = Vec::new();
    if by_text {
        let words = TextQuery::of_question(snapshot, &question)?;
        texts = text::score(snapshot, &words, TextOptions { with_tests })?;
    }
    let mut seeds = seeds;
    if seeds.is_empty() {
        let best = texts.iter().take(MAX_TEXT_SEEDS);
        seeds.extend(best.map(|hit| Seed::named(hit.sym, "words of its text")));
    }
    if seeds.is_empty() {
        return Ok(QueryOutcome::Nothing(NameProblem {
            near: near_names(snapshot, &question)?,
            ..NameProblem::nothing(&request.question)
        }));
    }

    let graph = Graph::new(snapshot, &contexts);
    let depth = request
        .depth
        .unwrap_or(if request.dfs { DFS_DEPTH } else { BFS_DEPTH });
    let options = WalkOptions {
        mode: if request.dfs {
            WalkMode::Dfs
        } else {
            WalkMode::Bfs
        },
        depth,
        relations: if relations.is_empty() {
            RelationMask::ALL
        } else {
            RelationMask::of(&relations)
        },
        hinted: if contexts.is_empty() {
            ranking::hinted(&question.hints)
        } else {
            RelationMask::NONE
        },
        hub_degree: graph.hub_degree(),
        max_nodes: MAX_WALK_NODES,
        max_edges: MAX_WALK_EDGES,
    };
    let syms: Vec<SymId> = seeds.iter().map(|s| s.sym).collect();
    let relevance = |sym| {
        snapshot
            .node(sym)
            .map_or(0.0, |n| scores.relevance(n.name()))
    };
    let walk = walk(&graph, &syms, &options, relevance);
    let visits = ranking::rank(
        snapshot,
        &scores,
        &walk.visits,
        seeds.len(),
        request.dfs,
        with_tests,
    );
    let mut order: Vec<(SymId, Option<u32>)> =
        visits.iter().map(|v| (v.sym, Some(v.hops))).collect();
    if by_text {
        order = ranking::by_text(snapshot, &question, &seeds, texts, order, with_tests);
    }

    let nodes: Vec<QueryNode> = order
        .iter()
        .map(|(sym, hops)| QueryNode {
            card: NodeCard::of(snapshot, *sym),
            hops: *hops,
            seed: *hops == Some(0),
        })
        .collect();
    let edges = edges_among(snapshot, &graph, &options.relations, &order, &nodes);
    let shown = if contexts.is_empty() {
        &question.hints
    } else {
        &contexts
    };
    Ok(QueryOutcome::Answer(Box::new(QueryAnswer {
        question: request.question.clone(),
        index: snapshot.path().display().to_string(),
        index_nodes: snapshot.node_count(),
        mode: if request.dfs { "dfs" } else { "bfs" }.to_string(),
        depth,
        terms: question.words.iter().map(|w| w.text.clone()).collect(),
        seeds: seed_cards(snapshot, &question, &seeds, &order),
        given_seeds: !request.seeds.is_empty(),
        unresolved_seeds: unresolved,
        contexts: shown.iter().map(|c| c.name(labels)).collect(),
        contexts_explicit: !contexts.is_empty(),
        limited: walk.limited,
        notes: Vec::new(),
        nodes,
        edges,
    })))
}

/// Words of the vocabulary are asked for by programs; one that is none is a mistake, not a question.
fn check_terms(snapshot: &Snapshot, terms: &[String]) -> Result<()> {
    for term in terms {
        let folded = fold(term);
        let mut known = snapshot.name(&folded)?.is_some() || snapshot.word_frequency(&folded)? > 0;
        known = known || TextQuery::knows(snapshot, term)?;
        if !known {
            let message = format!("'{term}' is no word of the index");
            return Err(Error::new(ErrorKind::Invalid, message)
                .remedy("`graphify vocab --fuzzy WORD` lists the words that are like it"));
        }
    }
    Ok(())
}

/// Symbols whose names are like some word of a question that hits nothing.
fn near_names(snapshot: &Snapshot, question: &Question) -> Result<Vec<NodeCard>> {
    let mut near: Vec<SymId> = Vec::new();
    if question.unfiltered {
        return Ok(Vec::new());
    }
    for word in question.words.iter().take(MAX_NEAR_WORDS) {
        if word.role != Role::Content {
            continue;
        }
        if let Resolution::NotFound { near: like, .. } = resolve(snapshot, &word.written)? {
            near.extend(
                like.into_iter()
                    .filter(|sym| !near.contains(sym))
                    .collect::<Vec<_>>(),
            );
        }
    }
    near.truncate(MAX_NEAR);
    Ok(near
        .into_iter()
        .map(|sym| NodeCard::of(snapshot, sym))
        .collect())
}

/// The labels of these names.
fn known<T>(
    names: &[String],
    noun: &str,
    labels: &Labels,
    find: impl Fn(&str, &Labels) -> Option<T>,
    built_in: &[(T, &'static str)],
) -> Result<Vec<T>> {
    let one = |name: &String| {
        find(name, labels).ok_or_else(|| {
            let all: Vec<&str> = built_in
                .iter()
                .map(|(_, n)| *n)
                .filter(|n| !n.is_empty())
                .collect();
            Error::new(
                ErrorKind::Invalid,
                format!("there is no {noun} named '{name}'"),
            )
            .remedy(format!("use one of: {}", all.join(", ")))
        })
    };
    names.iter().filter(|n| !n.is_empty()).map(one).collect()
}

/// Seeds from what the question names outright, then from its words.
fn searched(
    snapshot: &Snapshot,
    question: &Question,
    scores: &Scores,
    request: &QueryRequest,
) -> Result<Vec<Seed>> {
    let mut seeds: Vec<Seed> = Vec::new();
    for mention in &question.mentions {
        if let Resolution::Found {
            sym,
            announced: None,
        } = resolve(snapshot, mention)?
        {
            seeds.push(Seed::named(sym, "named in the question"));
        }
    }
    let with_tests = request.tests || question.about_tests;
    for seed in seeds::find(snapshot, question, scores, with_tests)? {
        if !seeds.iter().any(|s| s.sym == seed.sym) && seeds.len() < seeds::MAX_SEEDS {
            seeds.push(seed);
        }
    }
    Ok(seeds)
}

/// The symbols that the caller named; a problem where none of the names means one symbol.
fn given(
    snapshot: &Snapshot,
    names: &[String],
    unresolved: &mut Vec<String>,
) -> Result<std::result::Result<Vec<Seed>, NameProblem>> {
    let mut seeds: Vec<Seed> = Vec::new();
    let mut problem: Option<NameProblem> = None;
    for name in names {
        match NameProblem::check(snapshot, name, resolve(snapshot, name)?) {
            Ok((sym, _)) => {
                if !seeds.iter().any(|s| s.sym == sym) {
                    seeds.push(Seed::named(sym, "given"));
                }
            }
            Err(new) => {
                unresolved.push(name.clone());
                // An ambiguous name is told before an unknown one: the user is nearer to an answer.
                if problem
                    .as_ref()
                    .is_none_or(|old| old.candidates.is_empty() && !new.candidates.is_empty())
                {
                    problem = Some(new);
                }
            }
        }
    }
    Ok(match problem {
        Some(problem) if seeds.is_empty() => Err(problem),
        _ => Ok(seeds),
    })
}

fn seed_cards(
    snapshot: &Snapshot,
    question: &Question,
    seeds: &[Seed],
    order: &[(SymId, Option<u32>)],
) -> Vec<SeedCard> {
    let place = |sym: &SymId| {
        let node = snapshot.node(*sym)?;
        Some(Place {
            file: node.file().unwrap_or_default().to_string(),
            line: node.span().start_line,
        })
    };
    let card = |seed: &Seed| SeedCard {
        node: order
            .iter()
            .position(|(sym, _)| *sym == seed.sym)
            .unwrap_or_default(),
        label: snapshot.label_of(seed.sym).into_owned(),
        why: seed.why.to_string(),
        terms: seed
            .words
            .iter()
            .filter_map(|w| question.words.get(*w))
            .map(|w| w.text.clone())
            .collect(),
        rivals: seed
            .rivals
            .iter()
            .filter_map(place)
            .take(MAX_RIVALS)
            .collect(),
        rivals_total: seed.rivals_total,
    };
    seeds.iter().map(card).collect()
}

/// Every edge whose both ends were found, self loops left out.
fn edges_among(
    snapshot: &Snapshot,
    graph: &Graph<'_>,
    relations: &RelationMask,
    order: &[(SymId, Option<u32>)],
    nodes: &[QueryNode],
) -> Vec<EdgeCard> {
    let places: FxHashMap<SymId, usize> = order.iter().map(|(sym, _)| *sym).zip(0..).collect();
    let labels = snapshot.labels();
    let mut cards = Vec::new();
    for (from, (sym, _)) in order.iter().enumerate() {
        let Some(source) = nodes.get(from) else {
            continue;
        };
        for edge in snapshot.out_edges(*sym) {
            let wanted = relations.has(edge.label.relation) && graph.admits(edge.label.context);
            let Some(to) = places
                .get(&edge.target)
                .copied()
                .filter(|to| wanted && *to != from)
            else {
                continue;
            };
            let Some(target) = nodes.get(to) else {
                continue;
            };
            cards.push(EdgeCard::new(
                edge.label,
                labels,
                (from, &source.card),
                (to, &target.card),
            ));
        }
    }
    cards
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;

//! The answer to a question: seeds, what is near them, and how it hangs together.
//!
//! Where it sits: under the `query` command. In order: the question is taken apart and scored against the names, or the
//! seeds are given; the graph is walked round them; what was found is ranked ([`super::ranking`]); edges among it are added.
//! Invariants: the answer is complete as far as the walk went (a budget cuts only what is written, not what is here); an
//! edge filter is applied only when the caller asked for it; words of the question merely change the order.

use serde::Serialize;

use crate::answer::card::{EdgeCard, NodeCard};

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
    /// Hops from the seeds.
    pub hops: u32,
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

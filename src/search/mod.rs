//! From words to symbols: what a question asks for, and which symbol a typed name means.
//!
//! Where it sits: above `snapshot`, whose name dictionaries it asks; below `traverse`, to which it hands the seeds. It knows
//! neither the catalog nor the segment files.
//!
//! ```text
//! question ─► query (words, parts, hints) ─► score (tiers × IDF × coverage²) ─► seeds (gap, seats, rivals)
//! typed name ─► designation (what form it has) ─► resolver (tiers, ambiguity, near names)
//! ```
//!
//! Invariants: work is proportional to what is found, never to the size of the index: every dictionary look-up is bounded by
//! the constants of `score`, and no node is read that no name led to. Ties are broken by path and line, never by ids, so
//! that the same content answers the same whatever the history of the index.

pub(crate) mod designation;
pub(crate) mod query;
pub mod resolver;
pub(crate) mod score;
pub(crate) mod seeds;
pub(crate) mod stop_words;
pub mod text;

pub use query::context_name;
pub use resolver::{Match, Resolution, resolve};

/// A text as names are compared.
pub(crate) fn fold(text: &str) -> String {
    crate::segment::fold::fold(text).into_owned()
}

/// The folded sub-words of a name, without those that are merely a piece of the one before (`utf8` also yields `utf`).
pub(crate) fn sub_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in crate::segment::fold::words(text) {
        let piece = words.last().is_some_and(|w| {
            w.bytes().any(|b| b.is_ascii_digit()) && (w.starts_with(&word) || w.ends_with(&word))
        });
        if !piece {
            words.push(word);
        }
    }
    words
}

//! Which nodes' texts answer a question: full text, not names alone.
//!
//! Where it sits: beside the three layers of names ([`super::score`]), which explain where an answer starts; this ranking
//! says what it shows. Words go in, ranked nodes come out. In order:
//!
//! 1. the words become stems with their frequencies ([`terms`]);
//! 2. the best nodes by BM25 over weighted fields, multiplied by the coverage of the question and demoted where they are
//!    tests and the like ([`best`] finds them without reading whole lists);
//! 3. the same for whole files, and for past commits that speak of the same things ([`files`]);
//! 4. both are mixed into the nodes' scores ([`mix`]).
//!
//! Every constant stands in [`params`]. Invariants: scores depend on the live content alone, never on ids, on the order
//! in which it is stored or on what is dead; ties are broken by place; the work is bounded by the lists of the question's
//! words and by [`params::NODES`].

pub(crate) mod best;
mod files;
mod mix;
pub mod params;
mod roles;
mod terms;

pub use mix::{TextHit, TextOptions, score};
pub(crate) use roles::Roles;
pub use terms::TextQuery;

#[cfg(test)]
mod tests;

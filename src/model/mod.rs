//! Plain values that travel between the layers: no I/O, no bytes of the file format.
//!
//! Leaf of the architecture: imports only [`crate::ids`] and [`crate::error`]. What is defined here is the vocabulary
//! of the whole program: what a node and an edge are ([`node`], [`edge`]), their one-byte labels ([`label`]), how a
//! symbol is named outside the index ([`key`]), how a path is written ([`path`]), what one file contributes
//! ([`mod@unit`]), the evidence from which its references are linked ([`facts`]), a file as it is now ([`present`]), how names
//! fall into words ([`mod@fold`], [`mod@stem`]), which words a unit's definitions hold ([`text`]) and how a run reports
//! ([`progress`]).

pub mod edge;
pub mod facts;
pub mod fold;
pub mod key;
pub mod label;
pub mod node;
pub mod path;
pub mod present;
pub mod progress;
pub mod stem;
pub mod text;
pub mod unit;
pub(crate) mod varint;

//! From a symbol to its record, from a key to its symbol.
//!
//! Where it sits: the lowest part of the read rule, used by [`super::view`]. The rule: a symbol's home is its base record
//! unless that is dead, else the newest delta in which it is defined and not dead, else it has none. Invariant: a symbol
//! has at most one live home (the writer marks the old one dead in the same commit that stores a new one), except for
//! placeholders of equal content.

use crate::error::Result;
use crate::ids::{FileOrd, NodeIdx, SymId};
use crate::model::key;
use crate::segment::Segment;
use crate::snapshot::open::{Part, Snapshot};

/// Where a symbol's live record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    /// Which part of the snapshot.
    pub(crate) part: usize,
    /// The record in it.
    pub(crate) node: NodeIdx,
}

impl Snapshot {
    /// The part at `index`.
    #[inline]
    pub(crate) fn part(&self, index: usize) -> Option<&Part> {
        self.parts.get(index)
    }

    /// Whether it is one base with nothing dead in it, so that symbols and records have the same numbers.
    pub(crate) fn is_plain(&self) -> bool {
        let [only] = self.parts.as_slice() else {
            return false;
        };
        self.has_base && only.dead.is_empty()
    }

    /// The live record of a symbol.
    #[inline]
    pub(crate) fn home(&self, sym: SymId) -> Option<Home> {
        let mut deltas = self.parts.as_slice();
        let mut first = 0;
        if self.has_base
            && let Some((base, rest)) = self.parts.split_first()
        {
            let node = NodeIdx(sym.0);
            if node.0 < base.segment.node_count() && !base.dead.contains(node) {
                return Some(Home { part: 0, node });
            }
            deltas = rest;
            first = 1;
        }
        deltas.iter().enumerate().rev().find_map(|(i, part)| {
            let node = part.segment.node_of(sym)?;
            (!part.dead.contains(node)).then_some(Home {
                part: first + i,
                node,
            })
        })
    }

    /// Whether the symbol has a live record.
    pub fn exists(&self, sym: SymId) -> bool {
        self.home(sym).is_some()
    }

    /// The symbol with that key, if it has a live record.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for damaged key tables.
    pub fn find_key(&self, text: &str) -> Result<Option<SymId>> {
        self.find_hashed(key::hash(text), text)
    }

    /// [`Self::find_key`] for a key whose hash is known.
    pub(crate) fn find_hashed(&self, hash: u64, text: &str) -> Result<Option<SymId>> {
        for part in self.parts.iter().rev() {
            if let Some(node) = part.segment.find_key(hash, text)?
                && !part.dead.contains(node)
                && let Some(sym) = part.segment.sym_of(node)
            {
                return Ok(Some(sym));
            }
        }
        Ok(None)
    }

    /// The live file with that key: its part and its place there.
    pub(crate) fn find_file(&self, text: &str) -> Option<(usize, FileOrd)> {
        self.parts.iter().enumerate().rev().find_map(|(i, part)| {
            let ord = part.segment.find_file(text)?;
            (!part.dead_files.contains(ord.0)).then_some((i, ord))
        })
    }

    /// The symbol of a record.
    #[inline]
    pub(crate) fn symbol_at(&self, part: &Part, node: NodeIdx) -> Option<SymId> {
        Segment::sym_of(&part.segment, node)
    }
}

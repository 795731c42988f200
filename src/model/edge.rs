//! An edge: one statement about two symbols, at one place of the source.
//!
//! Where it sits: made by `link` (or by a library user), stored by `segment` in the segment of its source, read back
//! through `snapshot`. Invariant: the graph is a directed multigraph; every relation and every site is an edge of its own.

use crate::ids::{LocalNode, StrId, SymId};
use crate::model::label::{Context, NodeKind, Reason, Relation};

/// How sure a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Confidence {
    /// Stated in the source and proved by import, scope or declared type.
    Extracted = 0,
    /// One step of inference was needed.
    Inferred = 1,
    /// One of several candidates.
    Ambiguous = 2,
    /// The target could not be proved: it is a bare name.
    Unresolved = 3,
}

impl Confidence {
    /// The confidence of a stored byte; anything unknown counts as unresolved, the weakest statement.
    pub const fn from_u8(byte: u8) -> Self {
        match byte {
            0 => Self::Extracted,
            1 => Self::Inferred,
            2 => Self::Ambiguous,
            _ => Self::Unresolved,
        }
    }

    /// The name that answers print.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Extracted => "EXTRACTED",
            Self::Inferred => "INFERRED",
            Self::Ambiguous => "AMBIGUOUS",
            Self::Unresolved => "UNRESOLVED",
        }
    }
}

/// What an edge says beside its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeLabel {
    /// What it states.
    pub relation: Relation,
    /// How sure it is.
    pub confidence: Confidence,
    /// How the target was found.
    pub reason: Reason,
    /// In which position of the source it stands.
    pub context: Context,
    /// The line of the site in the source's file, 1-based; 0 where there is none.
    pub line: u32,
}

impl EdgeLabel {
    /// A statement by whoever stores the edge: extracted, without a site.
    pub const fn stated(relation: Relation) -> Self {
        Self {
            relation,
            confidence: Confidence::Extracted,
            reason: Reason::STATED,
            context: Context::NONE,
            line: 0,
        }
    }
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A node of the same unit.
    Local(LocalNode),
    /// A node of unit `unit` (its place in the batch that is being linked).
    Unit {
        /// The unit's place in the batch.
        unit: u32,
        /// The node in it.
        node: LocalNode,
    },
    /// A symbol of the index whose id is known.
    Symbol(SymId),
    /// A symbol by its key (a string of the unit): bound when it is stored, a placeholder until somebody defines it.
    Key {
        /// The symbol key.
        key: StrId,
        /// What the placeholder is if nobody defines the key.
        kind: NodeKind,
    },
}

/// One edge of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node that makes the statement.
    pub source: LocalNode,
    /// Where it leads.
    pub target: Target,
    /// What it says.
    pub label: EdgeLabel,
}

//! A node: one logical unit of a file.
//!
//! Where it sits: made by `extract` (or by a library user), stored by `segment`, read back through `snapshot`.
//! Invariants: the parent of a node stands before it in its unit; lines are 1-based and inclusive; byte offsets are
//! half open and count the file's bytes as they lie on disk.

use crate::ids::{LocalNode, StrId};
use crate::model::label::NodeKind;

/// Lines and bytes that a definition covers.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
)]
pub struct Span {
    /// First line, 1-based; 0 where there is none.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// First byte.
    pub start_byte: u32,
    /// One past the last byte.
    pub end_byte: u32,
}

/// Properties of a node that are not worth a kind of their own.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
)]
pub struct NodeFlags(pub u16);

impl NodeFlags {
    /// Visible outside its file.
    pub const EXPORTED: Self = Self(1);
    /// Can be called.
    pub const CALLABLE: Self = Self(1 << 1);
    /// Belongs to the type, not to its values.
    pub const STATIC: Self = Self(1 << 2);
    /// Declared without a body.
    pub const ABSTRACT: Self = Self(1 << 3);
    /// Runs asynchronously.
    pub const ASYNC: Self = Self(1 << 4);
    /// Private to its type or file by the language's own word.
    pub const PRIVATE: Self = Self(1 << 5);
    /// Part of a test (by path or by construct).
    pub const TEST: Self = Self(1 << 6);
    /// Marked as deprecated in the source.
    pub const DEPRECATED: Self = Self(1 << 7);
    /// The file's default export.
    pub const DEFAULT_EXPORT: Self = Self(1 << 8);
    /// Generated or vendored code (by path or by mark).
    pub const GENERATED: Self = Self(1 << 9);
    /// The definition lies inside a syntax error.
    pub const BROKEN: Self = Self(1 << 10);
    /// Its key is one that was given to it, not made from the names on the way to it; see
    /// [`crate::model::unit::Unit::set_key`].
    pub const OWN_KEY: Self = Self(1 << 11);

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets of bits.
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One definition in a unit; texts live in the unit's string table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct Node {
    /// The bare name as written (case is identity).
    pub name: StrId,
    /// What it is.
    pub kind: NodeKind,
    /// The node that holds it; the unit itself for top-level ones. The unit is its own parent.
    pub parent: LocalNode,
    /// Where it stands.
    pub span: Span,
    /// The declaration on one line, without the body.
    pub signature: StrId,
    /// The first paragraph of its doc comment.
    pub doc: StrId,
    /// Further properties.
    pub flags: NodeFlags,
}

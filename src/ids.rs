//! Newtypes for every integer that names something.
//!
//! Leaf module: used by all layers, imports none. Each type says in which space its number counts, so that an
//! ordinal of one segment can never be taken for a symbol of the index. None of these numbers is ever shown to a
//! user or stored outside the index: they change at compaction. The handle for the outside is the symbol key.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($int:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
        pub struct $name(pub $int);

        impl $name {
            /// The number as an index into a slice.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id with the number `index`, or `None` where it does not fit.
            #[inline]
            pub fn from_index(index: usize) -> Option<Self> {
                <$int>::try_from(index).ok().map(Self)
            }
        }
    };
}

id! {
    /// Names a segment file for the life of an index; never reused.
    SegmentId(u64)
}
id! {
    /// A commit of the index; grows by one with each.
    Generation(u64)
}
id! {
    /// Counts full compactions: [`SymId`]s are comparable within one epoch only.
    Epoch(u32)
}
id! {
    /// A symbol of the index: dense, stable within an epoch, valid over base and deltas.
    SymId(u32)
}
id! {
    /// A file's place in the file table of one segment (files stand in path order).
    FileOrd(u32)
}
id! {
    /// A node's place in the node table of one segment.
    NodeIdx(u32)
}
id! {
    /// An edge's place in the forward adjacency of one segment.
    EdgeIdx(u32)
}
id! {
    /// A folded name's place in the name dictionary of one segment.
    TermOrd(u32)
}
id! {
    /// An exact spelling's place in the name dictionary of one segment.
    SpellOrd(u32)
}
id! {
    /// A node's place in its own unit; 0 is the unit itself.
    LocalNode(u32)
}
id! {
    /// A string's place in the string table of one unit; 0 is the empty string.
    StrId(u32)
}

impl LocalNode {
    /// The node that stands for the unit (the file) itself.
    pub const UNIT: Self = Self(0);
}

impl StrId {
    /// The empty string.
    pub const EMPTY: Self = Self(0);
}

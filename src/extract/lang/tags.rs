//! One-byte tags for the node kinds and fields of a grammar.
//!
//! Where it sits: under the walkers. A grammar numbers its kinds and fields anew with each version, so their names are read
//! once a process and every number gets the tag that a walker knows it by. Invariant: a kind without a tag is
//! [`Tag::OTHER`], never a wrong one; a token and a node of one name never share a tag.

use tree_sitter::Language as Grammar;

/// A set of tags.
pub(super) trait Tag: Copy + PartialEq + 'static {
    /// Anything without a tag of its own.
    const OTHER: Self;

    /// The tag of a name.
    fn of(name: &str) -> Self;

    /// The tag's place among all tags of its set.
    fn place(self) -> usize;
}

/// The tags of node kinds.
pub(super) trait KindTag: Tag {
    /// What could not be parsed. A grammar gives it the largest number, outside its own.
    const ERROR: Self;

    /// Whether the tag belongs to a token; otherwise it belongs to a node.
    fn is_token(self) -> bool;
}

/// Makes an enumeration of tags from their names in the grammar.
macro_rules! tags {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum $name {
            /// Anything without a tag of its own.
            Other,
            $($variant),+
        }

        impl $crate::extract::lang::tags::Tag for $name {
            const OTHER: Self = Self::Other;

            fn of(name: &str) -> Self {
                match name {
                    $($text => Self::$variant,)+
                    _ => Self::Other,
                }
            }

            #[inline]
            fn place(self) -> usize {
                self as usize
            }
        }
    };
}

pub(super) use tags;

/// One grammar's kinds and fields as tags.
pub(super) struct Tables<K, F> {
    kinds: Vec<K>,
    fields: Vec<F>,
    /// Per tag of a field: its number in the grammar.
    field_ids: Vec<u16>,
}

impl<K: KindTag, F: Tag> Tables<K, F> {
    /// Reads the names of a grammar.
    pub(super) fn new(grammar: &Grammar) -> Self {
        let kinds = (0..grammar.node_kind_count())
            .map(|id| u16::try_from(id).map_or(K::OTHER, |id| kind_of(grammar, id)))
            .collect();
        let fields: Vec<F> = (0..=grammar.field_count())
            .map(|id| u16::try_from(id).ok())
            .map(|id| id.and_then(|id| grammar.field_name_for_id(id)))
            .map(|name| name.map_or(F::OTHER, F::of))
            .collect();
        let places = fields.iter().map(|f| f.place()).max().unwrap_or(0);
        let mut field_ids = vec![u16::MAX; places + 1];
        for (id, field) in fields.iter().enumerate() {
            if let (Some(slot), Ok(id)) = (field_ids.get_mut(field.place()), u16::try_from(id)) {
                *slot = id;
            }
        }
        Self {
            kinds,
            fields,
            field_ids,
        }
    }

    /// The tag of a kind.
    #[inline]
    pub(super) fn kind(&self, id: u16) -> K {
        match self.kinds.get(usize::from(id)) {
            Some(kind) => *kind,
            None if id == u16::MAX => K::ERROR,
            None => K::OTHER,
        }
    }

    /// The tag of a field.
    #[inline]
    pub(super) fn field(&self, id: u16) -> F {
        self.fields
            .get(usize::from(id))
            .copied()
            .unwrap_or(F::OTHER)
    }

    /// The number of a field, for a look ahead.
    #[inline]
    pub(super) fn field_id(&self, field: F) -> u16 {
        self.field_ids
            .get(field.place())
            .copied()
            .unwrap_or(u16::MAX)
    }
}

/// A token and a node may share a name: only the one that the tag belongs to has it.
fn kind_of<K: KindTag>(grammar: &Grammar, id: u16) -> K {
    let kind = grammar.node_kind_for_id(id).map_or(K::OTHER, K::of);
    if grammar.node_kind_is_named(id) == kind.is_token() {
        return K::OTHER;
    }
    kind
}

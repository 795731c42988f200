//! Full text: word → the nodes and the files whose texts hold it, with how much it counts there.
//!
//! Where it sits: filled from [`crate::model::text::Texts`] by [`super::builder`], from other segments by [`super::merge`],
//! read by `search` through [`Cursor`]. Invariants: a list ascends strictly; the bounds of a block are never below what it
//! holds; damaged bytes end a list early and are told apart from its end; what is stored depends on the texts alone.
//!
//! Documents are nodes of files (see [`crate::model::text::documents`]) and whole files, whose words are those of all their
//! documents with the words of their path as the head. The length of a document, its body in words, is one byte.
//!
//! ```text
//! list    count documents (from the word's record); one block for each 128, the last one shorter
//!         more than one block: for each block u32 last document, u32 where it ends behind the table of blocks, u8 highest
//!         head << 4 | highest body, u8 least length
//! block   u8 bits of a gap | 128 where no document has a head
//!         gaps, bit after bit from the lowest: distance to the document before, less one (first of the list: the document)
//!         levels: one byte each; where none has a head four bits each, low ones first
//! ```

mod build;
mod list;
mod read;

pub(crate) use build::TextTables;
pub(crate) use list::write as write_list;
pub use list::{Bound, Cursor};
pub use read::{TextKind, TextWord};

/// Documents in a block.
pub(crate) const BLOCK: usize = 128;
/// Bytes of an entry in a table of blocks.
pub(crate) const ENTRY: usize = 10;
/// Set in a block's first byte where levels are half bytes.
pub(crate) const NO_HEADS: u8 = 128;

/// The stored form of a length: exact up to seven, then three bits behind the highest one. Zero is for no document.
pub(crate) const fn length_code(length: u32) -> u8 {
    if length < 8 {
        return length as u8 + 1;
    }
    let shift = 28 - length.leading_zeros();
    (9 + (shift << 3 | (length >> shift) & 7)) as u8
}

/// The least length of a stored form.
#[must_use]
pub const fn length_of(code: u8) -> u32 {
    match code {
        0 => 0,
        1..=8 => code as u32 - 1,
        _ => {
            let shift = (code as u32 - 9) >> 3;
            if shift > 28 {
                return u32::MAX;
            }
            (8 | (code as u32 - 9) & 7) << shift
        }
    }
}

#[cfg(test)]
mod tests;

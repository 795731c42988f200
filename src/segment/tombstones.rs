//! What of a segment is no longer valid: whole files, and single nodes that belong to no file.
//!
//! Where it sits: kept in HEAD beside each segment, applied by `snapshot` and [`super::merge`]. Invariant: a dead file
//! takes its nodes and the edges of these nodes with it; a dead node is an external whose symbol a later segment defines.
//!
//! Layout: length (u32) and bytes of the files' bitmap, then of the nodes' bitmap, both in roaring's portable format.

use roaring::RoaringBitmap;

use crate::error::{Error, Result};
use crate::ids::{FileOrd, NodeIdx};
use crate::segment::reader::Segment;

/// The dead parts of one segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tombstones {
    /// [`FileOrd`]s of replaced or removed files.
    pub files: RoaringBitmap,
    /// [`NodeIdx`]es of externals that were defined later.
    pub nodes: RoaringBitmap,
}

impl Tombstones {
    /// Whether nothing is dead.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.nodes.is_empty()
    }

    /// Whether that file is dead.
    pub fn has_file(&self, file: FileOrd) -> bool {
        self.files.contains(file.0)
    }

    /// Whether that node is dead by itself or with its file.
    pub fn has_node(&self, segment: &Segment, node: NodeIdx) -> bool {
        match segment.file_of(node) {
            Some(file) => self.has_file(file),
            None => self.nodes.contains(node.0),
        }
    }

    /// The stored form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for bitmap in [&self.files, &self.nodes] {
            let mut bitmap = bitmap.clone();
            bitmap.optimize();
            let len = u32::try_from(bitmap.serialized_size()).unwrap_or(u32::MAX);
            out.extend_from_slice(&len.to_le_bytes());
            let wrote = bitmap.serialize_into(&mut out);
            debug_assert!(wrote.is_ok(), "writing to memory does not fail");
        }
        out
    }

    /// The tombstones whose stored form is `bytes`.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when it is none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut rest = bytes;
        let parsed = take_bitmap(&mut rest).zip(take_bitmap(&mut rest));
        match parsed {
            Some((files, nodes)) if rest.is_empty() => Ok(Self { files, nodes }),
            _ => Err(Error::corrupt("a list of removed files cannot be read")),
        }
    }
}

fn take_bitmap(rest: &mut &[u8]) -> Option<RoaringBitmap> {
    let (len, behind) = rest.split_first_chunk::<4>()?;
    let (bitmap, behind) = behind.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    *rest = behind;
    RoaringBitmap::deserialize_from(bitmap).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    #[test]
    fn the_stored_form_comes_back_and_a_cut_one_does_not() {
        let tombstones = Tombstones {
            files: [1, 5, 70_000].into_iter().collect(),
            nodes: (10..500).collect(),
        };
        let bytes = tombstones.to_bytes();
        assert_eq!(Tombstones::from_bytes(&bytes).unwrap(), tombstones);
        for len in 0..bytes.len() {
            assert!(Tombstones::from_bytes(&bytes[..len]).is_err());
        }
        let empty = Tombstones::default();
        assert_eq!(Tombstones::from_bytes(&empty.to_bytes()).unwrap(), empty);
    }
}

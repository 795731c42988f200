//! What of a segment is no longer valid: whole files, and single nodes that belong to no file.
//!
//! Where it sits: kept in HEAD beside each segment, applied by `snapshot` and [`super::merge`]. Invariant: a dead file
//! takes its nodes and the edges of these nodes with it; a dead node is an external whose symbol a later segment defines.
//!
//! Layout of each of the two sets: roaring's portable format; no bytes at all for an empty set.

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

    /// The stored forms: files, then nodes.
    ///
    /// # Errors
    /// Never in practice: memory takes what is written to it.
    pub fn to_bytes(&self) -> Result<(Vec<u8>, Vec<u8>)> {
        Ok((stored(&self.files)?, stored(&self.nodes)?))
    }

    /// The tombstones whose stored forms these are. No bytes stand for an empty set.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] when they are none.
    pub fn from_bytes(files: &[u8], nodes: &[u8]) -> Result<Self> {
        Ok(Self {
            files: parsed(files)?,
            nodes: parsed(nodes)?,
        })
    }
}

fn stored(bitmap: &RoaringBitmap) -> Result<Vec<u8>> {
    if bitmap.is_empty() {
        return Ok(Vec::new());
    }
    let mut bitmap = bitmap.clone();
    bitmap.optimize();
    let mut out = Vec::with_capacity(bitmap.serialized_size());
    bitmap
        .serialize_into(&mut out)
        .map_err(|e| Error::corrupt("a list of removed files cannot be written").caused_by(e))?;
    Ok(out)
}

fn parsed(bytes: &[u8]) -> Result<RoaringBitmap> {
    if bytes.is_empty() {
        return Ok(RoaringBitmap::new());
    }
    let damaged = || Error::corrupt("a list of removed files cannot be read");
    let mut rest = bytes;
    let bitmap = RoaringBitmap::deserialize_from(&mut rest).map_err(|e| damaged().caused_by(e))?;
    match rest.is_empty() {
        true => Ok(bitmap),
        false => Err(damaged()),
    }
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
        let (files, nodes) = tombstones.to_bytes().unwrap();
        assert_eq!(Tombstones::from_bytes(&files, &nodes).unwrap(), tombstones);
        for len in 1..files.len() {
            assert!(Tombstones::from_bytes(&files[..len], &nodes).is_err());
        }
        let mut longer = nodes.clone();
        longer.push(0);
        assert!(Tombstones::from_bytes(&files, &longer).is_err());
        let empty = Tombstones::default();
        assert_eq!(empty.to_bytes().unwrap(), (Vec::new(), Vec::new()));
        assert_eq!(Tombstones::from_bytes(&[], &[]).unwrap(), empty);
    }
}

//! The text heap: a signature and a doc text per node that has one of them.
//!
//! Where it sits: written by [`super::builder`], read by [`super::nodes`]. Layout of an entry: length of the signature,
//! length of the doc text (both varint), then the two texts. Where the node has a key of its own, the place of the signature
//! holds three texts: length and text of the key, length and text of the community, the signature. Invariant: the entry at offset 0 is the empty one, so that
//! a node without texts needs no entry and no special case.

use crate::error::{Error, ErrorKind, Result};
use crate::segment::postings::{get_varint, put_varint};

/// Writes the text heap.
#[derive(Default)]
pub(crate) struct TextHeap {
    bytes: Vec<u8>,
}

impl TextHeap {
    pub(crate) fn new() -> Self {
        Self { bytes: vec![0, 0] }
    }

    /// Adds the texts of a node and gives their place.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] past 4 GiB of text.
    pub(crate) fn push(&mut self, signature: &str, doc: &str) -> Result<u32> {
        if signature.is_empty() && doc.is_empty() {
            return Ok(0);
        }
        let at = self.place()?;
        put_varint(&mut self.bytes, signature.len() as u64);
        put_varint(&mut self.bytes, doc.len() as u64);
        self.bytes.extend_from_slice(signature.as_bytes());
        self.bytes.extend_from_slice(doc.as_bytes());
        Ok(at)
    }

    /// [`Self::push`] for a node with a key of its own.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub(crate) fn push_keyed(
        &mut self,
        key: &str,
        community: &str,
        signature: &str,
        doc: &str,
    ) -> Result<u32> {
        let mut first = Vec::with_capacity(key.len() + community.len() + signature.len() + 8);
        for text in [key, community] {
            put_varint(&mut first, text.len() as u64);
            first.extend_from_slice(text.as_bytes());
        }
        first.extend_from_slice(signature.as_bytes());
        let at = self.place()?;
        put_varint(&mut self.bytes, first.len() as u64);
        put_varint(&mut self.bytes, doc.len() as u64);
        self.bytes.extend_from_slice(&first);
        self.bytes.extend_from_slice(doc.as_bytes());
        Ok(at)
    }

    /// Adds an entry of another heap as it stands.
    pub(crate) fn push_raw(&mut self, entry: &[u8]) -> Result<u32> {
        let at = self.place()?;
        self.bytes.extend_from_slice(entry);
        Ok(at)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn place(&self) -> Result<u32> {
        u32::try_from(self.bytes.len()).map_err(|_| {
            Error::new(
                ErrorKind::Limit,
                "signatures and doc texts of the index pass 4 GiB",
            )
            .remedy("index parts of the tree into stores of their own")
        })
    }
}

/// An entry of the heap, taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextEntry<'a> {
    /// The whole entry.
    pub(crate) raw: &'a [u8],
    pub(crate) signature: &'a [u8],
    pub(crate) doc: &'a [u8],
}

/// The texts in the place of the signature of a node with a key of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keyed<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) community: &'a [u8],
    pub(crate) signature: &'a [u8],
}

impl<'a> TextEntry<'a> {
    /// Takes the place of the signature apart; `None` where the bytes are damaged.
    pub(crate) fn keyed(&self) -> Option<Keyed<'a>> {
        let mut rest = self.signature;
        let mut next = || {
            let len = usize::try_from(get_varint(&mut rest)?).ok()?;
            let (text, behind) = rest.split_at_checked(len)?;
            rest = behind;
            Some(text)
        };
        let (key, community) = (next()?, next()?);
        Some(Keyed {
            key,
            community,
            signature: rest,
        })
    }
}

/// The entry at `at`, or `None` where it does not lie inside the heap.
pub(crate) fn entry(heap: &[u8], at: u32) -> Option<TextEntry<'_>> {
    let all = heap.get(at as usize..)?;
    let mut rest = all;
    let signature_len = usize::try_from(get_varint(&mut rest)?).ok()?;
    let doc_len = usize::try_from(get_varint(&mut rest)?).ok()?;
    let (signature, rest) = rest.split_at_checked(signature_len)?;
    let (doc, rest) = rest.split_at_checked(doc_len)?;
    Some(TextEntry {
        raw: all.get(..all.len() - rest.len())?,
        signature,
        doc,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    #[test]
    fn texts_come_back_and_a_cut_heap_gives_none() {
        let mut heap = TextHeap::new();
        assert_eq!(heap.push("", "").unwrap(), 0);
        let long = "x".repeat(300);
        let a = heap.push("fn f()", &long).unwrap();
        let b = heap.push("", "only doc").unwrap();
        let bytes = heap.bytes();
        assert_eq!(entry(bytes, 0).unwrap().signature, b"");
        assert_eq!(entry(bytes, a).unwrap().signature, b"fn f()");
        assert_eq!(entry(bytes, a).unwrap().doc, long.as_bytes());
        assert_eq!(entry(bytes, b).unwrap().doc, b"only doc");
        assert_eq!(entry(&bytes[..bytes.len() - 1], b), None);
        assert_eq!(entry(bytes, bytes.len() as u32), None);
        assert_eq!(entry(bytes, u32::MAX), None);
    }

    #[test]
    fn an_own_key_stands_before_the_signature() {
        let mut heap = TextHeap::new();
        let long = "k".repeat(200);
        let at = heap.push_keyed(&long, "3", "fn f()", "doc").unwrap();
        let found = entry(heap.bytes(), at).unwrap();
        let keyed = found.keyed().unwrap();
        assert_eq!(keyed.key, long.as_bytes());
        assert_eq!(
            (keyed.community, keyed.signature),
            (&b"3"[..], &b"fn f()"[..])
        );
        assert_eq!(found.doc, b"doc");
        assert_eq!(TextEntry::default().keyed(), None);
    }

    #[test]
    fn a_raw_entry_reads_like_the_one_it_was_copied_from() {
        let mut heap = TextHeap::new();
        heap.push("first", "").unwrap();
        let at = heap.push("sig", "doc").unwrap();
        let mut other = TextHeap::new();
        let raw = entry(heap.bytes(), at).unwrap().raw;
        let moved = other.push_raw(raw).unwrap();
        assert_eq!(entry(other.bytes(), moved).unwrap().doc, b"doc");
    }
}

//! The words of a unit as they are stored, and their reading.
//!
//! Where it sits: made by [`super::Collector`], kept with the unit, read when a segment is built and when a text is compared
//! with another. Invariant: damaged bytes read as far as they make sense. The layout is that of [`super`].

use crate::ids::LocalNode;
use crate::model::text::{Collector, Field};
use crate::model::unit::Unit;
use crate::model::varint::get_varint;

/// The words of a unit, as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    bytes: Vec<u8>,
}

/// One document's words.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The node whose text it is.
    pub node: LocalNode,
    /// How many words its body has, repetitions counted.
    pub length: u32,
    words: u32,
    rest: &'a [u8],
}

impl Texts {
    /// Texts from their stored bytes; damaged ones read as far as they make sense.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The stored form.
    #[must_use]
    pub fn bytes(&self) -> &Vec<u8> {
        &self.bytes
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The names, signatures and doc texts of a unit: what is known without its source.
    #[must_use]
    pub fn of_names(unit: &Unit) -> Self {
        let mut collector = Collector::new(unit);
        for (i, node) in unit.nodes().iter().enumerate() {
            if let Some(id) = LocalNode::from_index(i) {
                collector.add(id, Field::Doc, unit.text(node.doc));
            }
        }
        collector.finish()
    }

    /// The words, in the order of their numbers.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.bytes.as_slice();
        let count = get_varint(&mut rest).unwrap_or_default();
        (0..count).map_while(move |_| take_word(&mut rest))
    }

    /// The documents, by node.
    pub fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        let mut rest = self.bytes.as_slice();
        let count = get_varint(&mut rest).unwrap_or_default();
        for _ in 0..count {
            if take_word(&mut rest).is_none() {
                break;
            }
        }
        let count = get_varint(&mut rest).unwrap_or_default();
        let mut next = 0u32;
        (0..count).map_while(move |_| {
            let node = next.checked_add(number(&mut rest)?)?;
            next = node.checked_add(1)?;
            let length = number(&mut rest)?;
            let words = number(&mut rest)?;
            let document = Document {
                node: LocalNode(node),
                length,
                words,
                rest,
            };
            for _ in 0..words {
                number(&mut rest)?;
                (_, rest) = rest.split_first()?;
            }
            Some(document)
        })
    }
}

impl<'a> Document<'a> {
    /// The numbers of its words, each with its level.
    pub fn words(&self) -> impl Iterator<Item = (u32, u8)> + 'a {
        let mut rest = self.rest;
        (0..self.words).map_while(move |_| {
            let word = number(&mut rest)?;
            let (level, after) = rest.split_first()?;
            rest = after;
            Some((word, *level))
        })
    }
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    u32::try_from(get_varint(rest)?).ok()
}

fn take_word<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let len = usize::try_from(get_varint(rest)?).ok()?;
    let (word, after) = rest.split_at_checked(len)?;
    *rest = after;
    std::str::from_utf8(word).ok()
}

//! The stored unit: strings, nodes, facts and words of a file, so that it can be linked again without being parsed.
//!
//! Where it sits: written by [`super::builder`], copied as it stands by [`super::merge`], decoded for `index`. Invariants:
//! a unit without facts is not stored; its edges never are (they stand in the adjacency); decompression never makes room
//! for more than the format can expand to, so a damaged length costs no memory.
//!
//! A unit without facts may have an attachment instead: bytes of whoever stored it, in the same frame under a version of
//! their own.
//!
//! Layout: length of the archive (u32), version of its shape (u32), then one LZ4 block that holds the archive. A unit of
//! another version is taken for one that is not stored: its file has to be read again.

use rkyv::rancor::Error as ArchiveError;
use rkyv::util::AlignedVec;
use rkyv::with::Inline;

use crate::error::{Error, ErrorKind, Result};
use crate::model::facts::Facts;
use crate::model::label::Language;
use crate::model::node::Node;
use crate::model::text::Texts;
use crate::model::unit::{FileMeta, Strings, Unit};

/// An LZ4 block expands to at most this many times its length.
const MAX_EXPANSION: usize = 255;
/// Largest archive or attachment.
const MAX_STORED: u32 = i32::MAX as u32;
/// Bytes before the block.
const PREFIX: usize = 8;
/// Version of the archive's shape: what [`Strings`], [`Node`] and [`Facts`] look like. Raised whenever one of them changes.
const VERSION: u32 = 3;
/// Stands in the place of the version where the block holds an attachment.
const ATTACHMENT: u32 = 0x8000_0001;

/// A unit's stored parts by reference.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct Stored<'a> {
    #[rkyv(with = Inline)]
    strings: &'a Strings,
    #[rkyv(with = Inline)]
    nodes: &'a Vec<Node>,
    #[rkyv(with = Inline)]
    facts: &'a Facts,
    #[rkyv(with = Inline)]
    texts: &'a Vec<u8>,
}

/// The stored form of a unit; `None` for one without facts, of which the tables hold everything.
///
/// # Errors
/// [`ErrorKind::Limit`] for a unit past 2 GiB.
pub(crate) fn encode(unit: &Unit) -> Result<Option<Vec<u8>>> {
    if unit.facts == Facts::default() {
        return match unit.attachment() {
            [] => Ok(None),
            bytes => frame(unit, bytes, ATTACHMENT).map(Some),
        };
    }
    let nodes = unit.nodes().to_vec();
    let stored = Stored {
        strings: unit.strings(),
        nodes: &nodes,
        facts: &unit.facts,
        texts: unit.texts().bytes(),
    };
    let archive =
        rkyv::to_bytes::<ArchiveError>(&stored).map_err(|e| too_large(unit).caused_by(e))?;
    frame(unit, &archive, VERSION).map(Some)
}

fn too_large(unit: &Unit) -> Error {
    Error::new(
        ErrorKind::Limit,
        format!("{} holds too much to be stored", unit.key()),
    )
}

/// Compresses what is stored of a unit.
fn frame(unit: &Unit, archive: &[u8], version: u32) -> Result<Vec<u8>> {
    let len = u32::try_from(archive.len())
        .ok()
        .filter(|len| *len <= MAX_STORED)
        .ok_or_else(|| too_large(unit))?;
    let mut out =
        Vec::with_capacity(PREFIX + lz4_flex::block::get_maximum_output_size(archive.len()));
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&version.to_le_bytes());
    out.resize(out.capacity(), 0);
    let block = out.get_mut(PREFIX..).unwrap_or_default();
    let written =
        lz4_flex::block::compress_into(archive, block).map_err(|e| too_large(unit).caused_by(e))?;
    out.truncate(PREFIX + written);
    out.shrink_to_fit();
    Ok(out)
}

/// The attachment whose stored form is `bytes`; `None` where a unit's facts are stored.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when the bytes are damaged.
pub(crate) fn attachment(key: &str, bytes: &[u8]) -> Result<Option<Vec<u8>>> {
    let damaged = || Error::corrupt(format!("what is attached to {key} cannot be read"));
    if bytes.is_empty() {
        return Ok(None);
    }
    let (len, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
    let (version, block) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
    if u32::from_le_bytes(*version) != ATTACHMENT {
        return Ok(None);
    }
    let len = u32::from_le_bytes(*len) as usize;
    if len > block.len().saturating_mul(MAX_EXPANSION) {
        return Err(damaged());
    }
    let mut out = vec![0; len];
    let written =
        lz4_flex::block::decompress_into(block, &mut out).map_err(|e| damaged().caused_by(e))?;
    if written != len {
        return Err(damaged());
    }
    Ok(Some(out))
}

/// The unit whose stored form is `bytes`; key, language and meta stand in the file table. `None` for another version.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when the bytes are no stored unit.
pub(crate) fn decode(
    key: &str,
    language: Language,
    meta: FileMeta,
    bytes: &[u8],
) -> Result<Option<Unit>> {
    let damaged = || Error::corrupt(format!("the stored unit of {key} cannot be read"));
    let (len, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
    let (version, block) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
    if u32::from_le_bytes(*version) != VERSION {
        return Ok(None);
    }
    let len = u32::from_le_bytes(*len) as usize;
    if len > block.len().saturating_mul(MAX_EXPANSION) {
        return Err(damaged());
    }
    let mut archive = AlignedVec::<16>::with_capacity(len);
    archive.resize(len, 0);
    let written = lz4_flex::block::decompress_into(block, &mut archive)
        .map_err(|e| damaged().caused_by(e))?;
    if written != len {
        return Err(damaged());
    }
    let stored = rkyv::access::<ArchivedStored<'_>, ArchiveError>(&archive)
        .map_err(|e| damaged().caused_by(e))?;
    let broken = |e: ArchiveError| damaged().caused_by(e);
    let strings = rkyv::deserialize::<Strings, ArchiveError>(&stored.strings).map_err(broken)?;
    let nodes = rkyv::deserialize::<Vec<Node>, ArchiveError>(&stored.nodes).map_err(broken)?;
    let facts = rkyv::deserialize::<Facts, ArchiveError>(&stored.facts).map_err(broken)?;
    let texts = stored.texts.as_slice().to_vec();
    let mut unit = Unit::from_parts(key.to_string(), language, meta, strings, nodes, facts)?;
    unit.set_texts(Texts::from_bytes(texts));
    Ok(Some(unit))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;
    use crate::ids::StrId;
    use crate::model::facts::Expr;
    use crate::model::label::NodeKind;
    use crate::model::unit::NewNode;

    fn unit() -> Unit {
        let mut unit = Unit::new("src/a.ts", Language::TYPESCRIPT);
        unit.add(NewNode {
            signature: "class Store",
            ..NewNode::new("Store", NodeKind::CLASS)
        })
        .unwrap();
        unit.facts.exprs.push(Expr::Free { name: StrId(2) });
        unit.facts.flags = 1;
        unit
    }

    #[test]
    fn a_unit_comes_back_without_its_edges() {
        let unit = unit();
        let bytes = encode(&unit).unwrap().unwrap();
        let back = decode("src/a.ts", Language::TYPESCRIPT, unit.meta, &bytes)
            .unwrap()
            .unwrap();
        assert_eq!(back.strings(), unit.strings());
        assert_eq!(back.nodes(), unit.nodes());
        assert_eq!(back.facts, unit.facts);
        assert!(back.edges().is_empty());
    }

    #[test]
    fn a_unit_without_facts_is_not_stored() {
        assert_eq!(encode(&Unit::new("a", Language::NONE)).unwrap(), None);
    }

    #[test]
    fn an_attachment_comes_back_and_is_no_unit() {
        let mut unit = Unit::new("a", Language::NONE);
        unit.attach(b"{\"k\":1}".repeat(50));
        let bytes = encode(&unit).unwrap().unwrap();
        assert_eq!(attachment("a", &bytes).unwrap().unwrap(), unit.attachment());
        let decoded = decode("a", Language::NONE, FileMeta::default(), &bytes).unwrap();
        assert!(decoded.is_none());
        for at in 1..bytes.len() {
            assert!(attachment("a", &bytes[..at]).is_err(), "{at}");
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x41;
            let _ = attachment("a", &damaged);
        }
        let plain = encode(&self::unit()).unwrap().unwrap();
        assert_eq!(attachment("a", &plain).unwrap(), None);
        assert_eq!(attachment("a", &[]).unwrap(), None);
    }

    #[test]
    fn damaged_bytes_are_refused_or_give_some_unit() {
        let bytes = encode(&unit()).unwrap().unwrap();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let _ = decode("k", Language::NONE, FileMeta::default(), &damaged);
            }
            let cut = decode("k", Language::NONE, FileMeta::default(), &bytes[..at]);
            assert!(cut.is_err());
        }
    }

    #[test]
    fn a_unit_of_another_version_is_none() {
        let mut bytes = encode(&unit()).unwrap().unwrap();
        bytes[4] ^= 1;
        let back = decode("k", Language::NONE, FileMeta::default(), &bytes).unwrap();
        assert!(back.is_none());
    }

    #[test]
    fn the_shape_of_a_stored_unit_is_that_of_its_version() {
        let bytes = encode(&unit()).unwrap().unwrap();
        let archive = lz4_flex::block::decompress(&bytes[PREFIX..], 100_000).unwrap();
        let sum = crate::storage::checksum::crc32(&archive);
        assert_eq!(
            (VERSION, sum),
            (3, 479_324_853),
            "a unit is stored in another shape: raise VERSION and note the new sum"
        );
    }

    #[test]
    fn a_false_length_makes_no_room() {
        let mut bytes = u32::MAX.to_le_bytes().to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 100]);
        assert!(decode("k", Language::NONE, FileMeta::default(), &bytes).is_err());
    }
}

//! What the catalog's tables hold, and their bytes.
//!
//! Where it sits: [`FileRow`] is what change detection compares with the disk. Invariants: a value is believed only when
//! its checksum, taken over key and value, is right; a row has one width, so that a cut one is noticed at once.

use crate::error::{Error, Result};

const CRC: usize = 4;

/// What is known of one indexed file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileRow {
    /// What the file system said when the file was read.
    pub stat: FileStat,
    /// When that was, by the clock of the machine, in nanoseconds since 1970; taken before the file was examined.
    pub seen_ns: i64,
    /// XXH3-128 of the file's bytes.
    pub content_hash: u128,
    /// Fingerprint of the unit's edges: where it stays the same, nothing need be written.
    pub links: u64,
    /// Bits for the writer's own use.
    pub flags: u32,
}

/// What the file system says of a file without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStat {
    /// Size in bytes.
    pub size: u64,
    /// Last change of the contents, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Last change of contents or attributes, likewise; 0 where the system does not say.
    pub ctime_ns: i64,
    /// Number of the file on its disk; 0 where the system does not say.
    pub inode: u64,
}

impl FileRow {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(ROW + CRC);
        bytes.extend_from_slice(&self.stat.size.to_le_bytes());
        bytes.extend_from_slice(&self.stat.mtime_ns.to_le_bytes());
        bytes.extend_from_slice(&self.stat.ctime_ns.to_le_bytes());
        bytes.extend_from_slice(&self.stat.inode.to_le_bytes());
        bytes.extend_from_slice(&self.seen_ns.to_le_bytes());
        bytes.extend_from_slice(&self.content_hash.to_le_bytes());
        bytes.extend_from_slice(&self.links.to_le_bytes());
        bytes.extend_from_slice(&self.flags.to_le_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = Fields(bytes);
        let row = Self {
            stat: FileStat {
                size: rest.u64()?,
                mtime_ns: rest.u64()?.cast_signed(),
                ctime_ns: rest.u64()?.cast_signed(),
                inode: rest.u64()?,
            },
            seen_ns: rest.u64()?.cast_signed(),
            content_hash: rest.take().map(u128::from_le_bytes)?,
            links: rest.u64()?,
            flags: rest.take().map(u32::from_le_bytes)?,
        };
        rest.0.is_empty().then_some(row)
    }
}

/// Bytes of an encoded [`FileRow`].
const ROW: usize = 5 * 8 + 16 + 8 + 4;

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

/// A value as it is stored: `body` and its checksum under `key`.
pub(super) fn seal(key: &[u8], mut body: Vec<u8>) -> Vec<u8> {
    let sum = sum(key, &body);
    body.extend_from_slice(&sum.to_le_bytes());
    body
}

/// The body of a stored value.
///
/// # Errors
/// [`ErrorKind::Corrupt`](crate::error::ErrorKind::Corrupt) when the checksum is wrong.
pub(super) fn unseal<'a>(key: &[u8], value: &'a [u8]) -> Result<&'a [u8]> {
    value
        .split_last_chunk::<CRC>()
        .filter(|(body, stored)| sum(key, body).to_le_bytes() == **stored)
        .map(|(body, _)| body)
        .ok_or_else(bad_row)
}

/// The error for a row that is not what was stored.
pub(super) fn bad_row() -> Error {
    Error::corrupt("a row of the catalog is damaged")
}

fn sum(key: &[u8], body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(body);
    hasher.finalize()
}

/// A number as a key: sorts as the numbers do.
pub(super) fn number_key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

/// The number of a key.
pub(super) fn key_number(key: &[u8]) -> Result<u64> {
    key.try_into()
        .map(u64::from_be_bytes)
        .map_err(|_| bad_row())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    fn row() -> FileRow {
        FileRow {
            stat: FileStat {
                size: 12_345,
                mtime_ns: 1_700_000_000_123_456_789,
                ctime_ns: 1_700_000_000_223_456_789,
                inode: u64::MAX,
            },
            seen_ns: 1_700_000_100_000_000_000,
            content_hash: u128::MAX / 3,
            links: 9 << 40,
            flags: 5,
        }
    }

    #[test]
    fn a_row_comes_back_and_no_other_length_does() {
        let bytes = row().encode();
        assert_eq!(bytes.len(), ROW);
        assert_eq!(FileRow::decode(&bytes), Some(row()));
        assert_eq!(FileRow::decode(&bytes[..ROW - 1]), None);
        assert_eq!(FileRow::decode(&[&bytes[..], &[0]].concat()), None);
    }

    #[test]
    fn a_damaged_value_or_one_under_another_key_is_refused() {
        let sealed = seal(b"src/a.ts", row().encode());
        assert_eq!(unseal(b"src/a.ts", &sealed).unwrap(), row().encode());
        assert!(unseal(b"src/b.ts", &sealed).is_err());
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut bad = sealed.clone();
                bad[at] ^= 1 << bit;
                assert!(unseal(b"src/a.ts", &bad).is_err());
            }
        }
        for len in 0..sealed.len() {
            assert!(unseal(b"src/a.ts", &sealed[..len]).is_err());
        }
    }

    #[test]
    fn key_and_body_cannot_trade_bytes() {
        let sealed = seal(b"ab", b"cd".to_vec());
        let moved = seal(b"abc", b"d".to_vec());
        assert_ne!(sealed[2..], moved[1..]);
    }

    #[test]
    fn numbers_sort_as_keys() {
        assert!(number_key(255) < number_key(256));
        assert_eq!(key_number(&number_key(u64::MAX)).unwrap(), u64::MAX);
        assert!(key_number(b"short").is_err());
    }
}

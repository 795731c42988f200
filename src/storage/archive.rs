//! Small structured records as checked archives, and the guard of their byte format.
//!
//! Where it sits: HEAD and the catalog's rows are encoded here; bulk sections of segments have their own records but
//! rely on the same guard. Invariants: an archive is only ever read with full validation; its bytes are little-endian
//! with 32-bit relative pointers and natural alignment, whatever other crates of the build ask of the archive library.

use rkyv::api::high::{HighDeserializer, HighSerializer, HighValidator};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Error as ArchiveError;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;
use rkyv::{Archive, Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};

// The archive library's format options are global to a build: a stranger's dependency could switch one on and change
// our bytes. These lines do not compile when that happens.
const _: () = {
    assert!(size_of::<rkyv::Archived<usize>>() == 4);
    assert!(align_of::<rkyv::Archived<usize>>() == 4);
    assert!(align_of::<rkyv::Archived<u64>>() == 8);
    const fn same_type(value: rkyv::Archived<u32>) -> rkyv::rend::u32_le {
        value
    }
    let _ = same_type(rkyv::rend::u32_le::from_native(1));
};

/// The archive of `value`, at an address that suits any record.
///
/// # Errors
/// [`ErrorKind::Limit`] when the archive would pass 2 GiB.
pub fn encode<T>(value: &T) -> Result<AlignedVec>
where
    T: for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, ArchiveError>>,
{
    rkyv::to_bytes::<ArchiveError>(value).map_err(|e| {
        Error::new(ErrorKind::Limit, "a record is too large to be stored").caused_by(e)
    })
}

/// The value whose archive is exactly `bytes`; the bytes may stand at any address.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when the bytes are no archive of a `T`.
pub fn decode<T>(bytes: &[u8]) -> Result<T>
where
    T: Archive,
    T::Archived: for<'a> CheckBytes<HighValidator<'a, ArchiveError>>
        + Deserialize<T, HighDeserializer<ArchiveError>>,
{
    let mut aligned = AlignedVec::<16>::with_capacity(bytes.len());
    aligned.extend_from_slice(bytes);
    rkyv::from_bytes::<T, ArchiveError>(&aligned)
        .map_err(|e| Error::corrupt("a stored record cannot be read").caused_by(e))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    #[test]
    fn a_record_comes_back_from_any_address() {
        let value = (7u64, String::from("name"), vec![1u32, 2, 3]);
        let bytes = encode(&value).unwrap();
        for shift in 0..9 {
            let mut moved = vec![0; shift];
            moved.extend_from_slice(&bytes);
            let back: (u64, String, Vec<u32>) = decode(&moved[shift..]).unwrap();
            assert_eq!(back, value);
        }
    }

    #[test]
    fn a_cut_record_is_refused() {
        let bytes = encode(&vec![String::from("a long enough text to be out of line")]).unwrap();
        for len in 0..bytes.len() {
            let result = decode::<Vec<String>>(&bytes[..len]);
            assert!(result.is_err() || len > 0, "an empty archive was believed");
        }
        assert!(decode::<Vec<String>>(&[]).is_err());
    }
}

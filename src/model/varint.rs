//! Numbers of any size in as few bytes as they need: seven bits a byte, low ones first, high bit set on all but the last.
//!
//! Where it sits: under the encodings of [`super::text`] and of the file format. Invariant: reading damaged bytes ends in
//! `None` after at most ten of them.

/// Appends a number, seven bits a byte.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the front of `bytes`; `None` when it does not end in time.
#[inline]
pub(crate) fn get_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let low = u64::from(byte & 0x7f);
        if shift == 63 && low > 1 {
            return None;
        }
        number |= low << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

//! Lists of ascending numbers: nodes of a spelling, terms of a word or trigram.
//!
//! Where it sits: written by [`super::names`], [`super::words`] and [`super::trigram`], read through their accessors.
//! Invariants: a list is strictly ascending and below the bound that its reader gives; decoding damaged bytes ends in an
//! error after work that is proportional to the bytes.
//!
//! ```text
//! reference  u32: high bit set = the list is the one number in the low 31 bits;
//!            else where the list starts in its heap
//! list       varint (count << 1 | codec), then
//!   codec 0  count varints: the first number, then each distance to the one before, less one
//!   codec 1  varint length, then a roaring bitmap in its portable format
//! varint     seven bits a byte, low ones first, high bit set on all but the last; at most ten bytes
//! ```
//!
//! One number is kept in the reference, up to [`SMALL`] are always varints, longer lists take the smaller of the two.

use roaring::RoaringBitmap;

use crate::error::{Error, ErrorKind, Result};
pub(crate) use crate::model::varint::{get_varint, put_varint};
use crate::segment::layout::MAX_LIST_HEAP;

/// Lists up to this length are varints without trying the other codec.
const SMALL: usize = 64;
/// Marks a list of one that is kept in its reference.
const INLINE: u32 = 1 << 31;

/// Writes lists into a heap.
#[derive(Default)]
pub struct ListWriter {
    heap: Vec<u8>,
    scratch: Vec<u8>,
}

impl ListWriter {
    /// Adds a list of strictly ascending numbers below 2^31 and gives its reference.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when the heap would pass 2 GiB, [`ErrorKind::Invalid`] for a number of 2^31 or more.
    pub fn push(&mut self, list: &[u32]) -> Result<u32> {
        debug_assert!(list.is_sorted_by(|a, b| a < b));
        if list.last().is_some_and(|last| *last >= INLINE) {
            return Err(Error::new(
                ErrorKind::Invalid,
                "a list holds a number past 2^31",
            ));
        }
        if let [one] = list {
            return Ok(one | INLINE);
        }
        if self.heap.len() as u64 > MAX_LIST_HEAP {
            return Err(Error::new(ErrorKind::Limit, "lists of names pass 2 GiB")
                .remedy("index parts of the tree into stores of their own"));
        }
        let at = self.heap.len() as u32;
        self.scratch.clear();
        let mut previous = None;
        for number in list {
            let gap = previous.map_or(*number, |p| number - p - 1);
            put_varint(&mut self.scratch, u64::from(gap));
            previous = Some(*number);
        }
        let header = (list.len() as u64) << 1;
        if list.len() > SMALL {
            let mut bitmap: RoaringBitmap = list.iter().copied().collect();
            bitmap.optimize();
            let size = bitmap.serialized_size();
            if size < self.scratch.len() {
                put_varint(&mut self.heap, header | 1);
                put_varint(&mut self.heap, size as u64);
                let wrote = bitmap.serialize_into(&mut self.heap);
                debug_assert!(wrote.is_ok(), "writing to memory does not fail");
                return Ok(at);
            }
        }
        put_varint(&mut self.heap, header);
        self.heap.extend_from_slice(&self.scratch);
        Ok(at)
    }

    /// The heap of all lists.
    pub fn into_heap(self) -> Vec<u8> {
        self.heap
    }
}

/// How many numbers the list has; 0 where it cannot be read.
pub fn count(reference: u32, heap: &[u8]) -> u32 {
    if reference & INLINE != 0 {
        return 1;
    }
    let mut rest = heap.get(reference as usize..).unwrap_or_default();
    let header = get_varint(&mut rest).unwrap_or_default();
    u32::try_from(header >> 1).unwrap_or_default()
}

/// The numbers of a list, every one of them below `bound`; `None` for a damaged one.
pub fn decode(reference: u32, heap: &[u8], bound: u32) -> Option<Vec<u32>> {
    if reference & INLINE != 0 {
        let one = reference & !INLINE;
        return (one < bound).then(|| vec![one]);
    }
    let mut rest = heap.get(reference as usize..)?;
    let header = get_varint(&mut rest)?;
    let count = usize::try_from(header >> 1).ok()?;
    if count > bound as usize {
        return None;
    }
    if header & 1 == 1 {
        let len = usize::try_from(get_varint(&mut rest)?).ok()?;
        return decode_bitmap(rest.get(..len)?, count, bound);
    }
    // Each number takes a byte or more, so a false count cannot ask for more memory than there are bytes.
    if count > rest.len() {
        return None;
    }
    let mut list = Vec::with_capacity(count);
    let mut next = 0u64;
    for _ in 0..count {
        let number = next.checked_add(get_varint(&mut rest)?)?;
        if number >= u64::from(bound) {
            return None;
        }
        list.push(number as u32);
        next = number + 1;
    }
    Some(list)
}

fn decode_bitmap(bytes: &[u8], count: usize, bound: u32) -> Option<Vec<u32>> {
    let bitmap = RoaringBitmap::deserialize_from(bytes).ok()?;
    let fits = bitmap.len() == count as u64 && bitmap.max().is_none_or(|max| max < bound);
    fits.then(|| bitmap.iter().collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;
    use proptest::prelude::*;

    fn round_trip(list: &[u32]) {
        let mut writer = ListWriter::default();
        writer.push(&[3, 9]).unwrap();
        let reference = writer.push(list).unwrap();
        let heap = writer.into_heap();
        let bound = list.last().map_or(0, |l| l + 1);
        assert_eq!(count(reference, &heap) as usize, list.len());
        assert_eq!(decode(reference, &heap, bound).as_deref(), Some(list));
        if !list.is_empty() {
            assert_eq!(decode(reference, &heap, bound - 1), None);
        }
    }

    #[test]
    fn lists_of_every_codec_come_back() {
        round_trip(&[]);
        round_trip(&[0]);
        round_trip(&[(1 << 31) - 2]);
        round_trip(&[0, (1 << 31) - 2]);
        let dense: Vec<u32> = (5..5000).collect();
        round_trip(&dense);
        let sparse: Vec<u32> = (0..1000).map(|i| i * 100_003).collect();
        round_trip(&sparse);
        let bits: Vec<u32> = (0..60_000).filter(|i| i % 3 != 0).collect();
        round_trip(&bits);
    }

    #[test]
    fn long_lists_take_the_smaller_codec() {
        let mut writer = ListWriter::default();
        let run: Vec<u32> = (0..10_000).collect();
        writer.push(&run).unwrap();
        let after_run = writer.heap.len();
        assert!(after_run < 100, "a run takes {after_run} bytes");
        let close: Vec<u32> = (0..65).map(|i| i * 3).collect();
        writer.push(&close).unwrap();
        assert!(writer.heap.len() - after_run < 70);
    }

    #[test]
    fn numbers_that_no_segment_has_are_refused() {
        assert!(ListWriter::default().push(&[1, 1 << 31]).is_err());
    }

    proptest! {
        #[test]
        fn any_list_comes_back(gaps in proptest::collection::vec(0u32..3000, 0..400)) {
            let mut at = 0;
            let list: Vec<u32> = gaps.iter().map(|g| { at += g + 1; at }).collect();
            round_trip(&list);
        }

        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>, reference: u32, bound: u32) {
            let at = reference % (bytes.len() as u32 + 2);
            for reference in [reference, at] {
                count(reference, &bytes);
                if let Some(list) = decode(reference, &bytes, bound) {
                    prop_assert!(list.is_sorted_by(|a, b| a < b));
                    prop_assert!(list.iter().all(|n| *n < bound));
                }
            }
        }

        #[test]
        fn damaged_bitmaps_are_survived(at in 0usize..9000, bit in 0u8..8) {
            let list: Vec<u32> = (0..60_000).filter(|i| i % 7 < 3).collect();
            let mut writer = ListWriter::default();
            let reference = writer.push(&list).unwrap();
            let mut heap = writer.into_heap();
            let at = at % heap.len();
            heap[at] ^= 1 << bit;
            if let Some(list) = decode(reference, &heap, 60_000) {
                prop_assert!(list.iter().all(|n| *n < 60_000));
            }
        }
    }
}

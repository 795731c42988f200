//! Posting lists: what was stored comes back; any bytes are a list within bounds or none.

#![no_main]

use arbitrary::Arbitrary;
use graphify::segment::postings;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    lists: Vec<Vec<u32>>,
    heap: Vec<u8>,
    reference: u32,
    bound: u32,
}

fuzz_target!(|input: Input| {
    let mut heap = postings::ListWriter::default();
    let mut stored = Vec::new();
    for mut list in input.lists {
        list.iter_mut().for_each(|n| *n >>= 2);
        list.sort_unstable();
        list.dedup();
        if let Ok(reference) = heap.push(&list) {
            stored.push((reference, list));
        }
    }
    let bytes = heap.into_heap();
    for (reference, list) in stored {
        assert_eq!(postings::count(reference, &bytes) as usize, list.len());
        assert_eq!(postings::decode(reference, &bytes, u32::MAX), Some(list));
    }
    if let Some(list) = postings::decode(input.reference, &input.heap, input.bound) {
        assert!(list.iter().all(|n| *n < input.bound));
        assert!(list.is_sorted());
    }
    let _ = postings::count(input.reference, &input.heap);
});

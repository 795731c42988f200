//! Any bytes as HEAD: decoding answers or refuses, and what it answers survives the way back.

#![no_main]

use graphify::segment::Tombstones;
use graphify::storage::head::Head;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(head) = Head::decode(data) else {
        // Tombstones are read from bytes that a checksum has passed; they must not rely on it.
        if let Some((first, rest)) = data.split_first() {
            let at = usize::from(*first) % (rest.len() + 1);
            let (files, nodes) = rest.split_at(at);
            let _ = Tombstones::from_bytes(files, nodes);
        }
        return;
    };
    let again = Head::decode(&head.encode().unwrap()).unwrap();
    assert_eq!(again, head);
});

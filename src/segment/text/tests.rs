//! Lists and lengths of texts: what is written comes back, and damage is survived.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use proptest::prelude::*;

use super::list::{self, Bound, Cursor};
use super::{length_code, length_of};

#[test]
fn lengths_come_back_within_an_eighth() {
    assert_eq!(length_of(0), 0);
    let mut last = 0;
    for length in (0..5000).chain([70_000, 1 << 20, u32::MAX]) {
        let code = length_code(length);
        let back = length_of(code);
        assert!(code > 0 && code >= last, "{length}");
        assert!(
            back <= length && length - back <= length / 8,
            "{length} {back}"
        );
        last = code;
    }
    assert_eq!(length_code(length_of(77)), 77);
}

fn pairs(gaps: &[(u32, u8)]) -> Vec<(u32, u8)> {
    let mut at = 0;
    let list = gaps.iter().map(|(gap, level)| {
        at += gap + 1;
        (at - 1, *level)
    });
    list.collect()
}

fn length(document: u32) -> u8 {
    (document % 50) as u8 + 1
}

fn read(bytes: &[u8], count: usize, limit: u32) -> Vec<(u32, u8)> {
    let mut cursor = Cursor::new(bytes, count as u32, limit, Bound::NONE);
    let mut found = Vec::new();
    while cursor.document() != u32::MAX {
        found.push((cursor.document(), cursor.level()));
        cursor.next();
    }
    found
}

proptest! {
    #[test]
    fn lists_come_back_and_seeking_finds_what_reading_does(
        gaps in prop::collection::vec((prop_oneof![0u32..3, 0u32..2000], prop_oneof![0u8..16, any::<u8>()]), 0..700),
        targets in prop::collection::vec(0u32..900_000, 0..20),
    ) {
        let list = pairs(&gaps);
        let mut heap = vec![9];
        let bound = list::write(&mut heap, &list, length);
        let bytes = &heap[1..];
        let limit = list.last().map_or(0, |l| l.0 + 1);
        prop_assert_eq!(read(bytes, list.len(), limit), list.clone());
        let mut targets = targets;
        targets.sort_unstable();
        let mut cursor = Cursor::new(bytes, list.len() as u32, limit, bound);
        for target in targets {
            let (block, last) = cursor.block_bound(target.max(cursor.document()));
            cursor.seek(target);
            let expected = list.iter().find(|(d, _)| *d >= target);
            prop_assert_eq!(cursor.document(), expected.map_or(u32::MAX, |e| e.0));
            if let Some((document, level)) = expected {
                prop_assert_eq!(cursor.level(), *level);
                for b in [bound, block] {
                    if *document <= last {
                        prop_assert!(level >> 4 <= b.level >> 4 && level & 15 <= b.level & 15);
                        prop_assert!(length(*document) >= b.length);
                    }
                }
            }
        }
    }

    #[test]
    fn damaged_lists_end_early(
        gaps in prop::collection::vec((0u32..300, any::<u8>()), 1..400),
        at in any::<usize>(),
        bits in 1u8..=255,
        cut in any::<usize>(),
        targets in prop::collection::vec(0u32..100_000, 0..5),
    ) {
        let list = pairs(&gaps);
        let mut heap = Vec::new();
        list::write(&mut heap, &list, length);
        let at = at % heap.len();
        heap[at] ^= bits;
        heap.truncate(cut % (heap.len() + 1));
        let limit = list.last().unwrap().0 + 1;
        let found = read(&heap, list.len(), limit);
        prop_assert!(found.len() <= list.len());
        prop_assert!(found.iter().all(|(d, _)| *d < limit));
        let mut cursor = Cursor::new(&heap, list.len() as u32, limit, Bound::NONE);
        for target in targets {
            cursor.block_bound(target);
            cursor.seek(target);
        }
    }
}

#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::cell::Cell;

use super::*;
use crate::storage::sim::{Fault, SimFs, Survival};

const DIR: &str = "/index";

fn dir() -> &'static Path {
    Path::new(DIR)
}

fn disk() -> SimFs {
    let fs = SimFs::new();
    fs.create_dir_all(dir()).unwrap();
    fs
}

fn sample(generation: u64) -> Head {
    let segment = |id, kind| SegmentRef {
        id: SegmentId(id),
        kind,
        file_len: 1000 + id,
        toc_crc: 77,
        files: 3,
        nodes: 40,
        file_nodes: 30,
        edges: 1 << 33,
        dead_files: vec![1, 2, 3],
        dead_nodes: Vec::new(),
    };
    Head {
        generation: Generation(generation),
        epoch: Epoch(2),
        next_sym: 500,
        next_segment: 9,
        labels: Labels {
            kinds: vec!["person".into()],
            ..Labels::default()
        },
        segments: vec![segment(4, BASE), segment(8, DELTA), segment(6, DELTA)],
        properties: vec![("a".into(), "1".into()), ("root".into(), "größe".into())],
    }
}

#[test]
fn a_head_comes_back() {
    for head in [Head::default(), sample(1)] {
        let bytes = head.encode().unwrap();
        assert_eq!(Head::decode(&bytes).unwrap(), head);
        assert_eq!(
            head.encode().unwrap(),
            bytes,
            "the same state, the same bytes"
        );
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = sample(1).encode().unwrap();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << bit;
            let error = Head::decode(&bad).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "byte {at} bit {bit}");
        }
    }
}

#[test]
fn every_other_byte_value_is_noticed() {
    let bytes = Head::default().encode().unwrap();
    for at in 0..bytes.len() {
        for value in 0..=255 {
            let mut bad = bytes.clone();
            bad[at] = value;
            assert_eq!(Head::decode(&bad).is_ok(), bad == bytes);
        }
    }
}

#[test]
fn a_cut_or_lengthened_head_is_refused() {
    let bytes = sample(1).encode().unwrap();
    for len in 0..bytes.len() {
        let error = Head::decode(&bytes[..len]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }
    assert!(Head::decode(&[&bytes[..], &[0]].concat()).is_err());
    assert!(Head::decode(&vec![0; bytes.len()]).is_err());
}

/// The bytes of a HEAD with another version, whose checksums are right.
fn of_version(major: u16, minor: u16) -> Vec<u8> {
    let mut bytes = sample(1).encode().unwrap();
    bytes[8..10].copy_from_slice(&major.to_le_bytes());
    bytes[10..12].copy_from_slice(&minor.to_le_bytes());
    let sum = crc32(&bytes[..28]);
    bytes[28..32].copy_from_slice(&sum.to_le_bytes());
    bytes
}

#[test]
fn another_version_is_told_from_damage() {
    for (major, word) in [(MAJOR + 1, "newer"), (MAJOR - 1, "older")] {
        let error = Head::decode(&of_version(major, 0)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert!(error.to_string().contains(word), "{error}");
        assert!(error.remedy_text().is_some());
    }
    assert_eq!(Head::decode(&of_version(MAJOR, 999)).unwrap(), sample(1));
}

#[test]
fn a_foreign_file_is_called_one() {
    let error = Head::decode(b"ref: refs/heads/main\n").unwrap_err();
    assert!(error.to_string().contains("not the HEAD"), "{error}");
}

/// The bytes of a HEAD that contradicts itself, as a faulty writer might have left them.
fn unchecked_bytes(head: &Head) -> Vec<u8> {
    let body = archive::encode(head).unwrap();
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&MAJOR.to_le_bytes());
    bytes.extend_from_slice(&[0; 6]);
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&crc32(&body).to_le_bytes());
    bytes.extend_from_slice(&crc32(&bytes).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

#[test]
fn contradictions_are_neither_written_nor_believed() {
    let spoil: [fn(&mut Head); 7] = [
        |h| h.segments[1].kind = 2,
        |h| h.segments[1].kind = BASE,
        |h| h.segments[1].id = h.segments[2].id,
        |h| h.next_segment = 8,
        |h| h.segments[0].file_nodes = 41,
        |h| h.properties.reverse(),
        |h| h.properties[1].0 = "a".into(),
    ];
    assert!(Head::decode(&unchecked_bytes(&sample(1))).is_ok());
    for (which, change) in spoil.iter().enumerate() {
        let mut head = sample(1);
        change(&mut head);
        assert_eq!(
            head.encode().unwrap_err().kind(),
            ErrorKind::Invalid,
            "{which}"
        );
        let error = Head::decode(&unchecked_bytes(&head)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{which}");
    }
}

#[test]
fn properties_stay_sorted() {
    let mut head = Head::default();
    for (name, value) in [("m", "1"), ("a", "2"), ("z", "3"), ("m", "4")] {
        head.set_property(name, Some(value));
    }
    head.set_property("z", None);
    head.set_property("none", None);
    assert_eq!(head.property("m"), Some("4"));
    assert_eq!(head.property("z"), None);
    assert_eq!(head.properties.len(), 2);
    head.encode().unwrap();
}

#[test]
fn what_was_published_is_read() {
    let fs = disk();
    let none = read(&fs, dir()).unwrap_err();
    assert_eq!(none.kind(), ErrorKind::NoIndex);
    for (generation, durable) in [(1, false), (2, true), (3, false)] {
        publish(&fs, dir(), &sample(generation), durable).unwrap();
        assert_eq!(read(&fs, dir()).unwrap(), sample(generation));
        assert_eq!(fs.list_dir(dir()).unwrap(), [FILE_NAME]);
    }
}

#[test]
fn the_real_disk_publishes_too() {
    let dir = tempfile::tempdir().unwrap();
    let fs = crate::storage::RealFs::default();
    for generation in 1..4 {
        publish(&fs, dir.path(), &sample(generation), generation == 2).unwrap();
        assert_eq!(read(&fs, dir.path()).unwrap(), sample(generation));
    }
}

#[test]
fn what_a_dead_writer_left_does_not_stop_the_next() {
    let fs = disk();
    fs.plant(&dir().join(TMP_NAME), b"half".to_vec());
    publish(&fs, dir(), &sample(1), false).unwrap();
    assert_eq!(read(&fs, dir()).unwrap(), sample(1));
}

#[test]
fn a_huge_head_is_refused_before_it_is_read() {
    let fs = disk();
    fs.plant(&path(dir()), vec![0; MAX_LEN as usize + 1]);
    let error = read(&fs, dir()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(error.path(), Some(&*path(dir())));
}

/// A disk on which HEAD 1 is durable and HEAD 2 is being published when the power goes at the n-th step.
fn cut_while_publishing(at: u64, durable: bool) -> Option<(SimFs, bool)> {
    let fs = disk();
    publish(&fs, dir(), &sample(1), true).unwrap();
    fs.inject(fs.steps() + at, Fault::PowerLoss);
    let done = publish(&fs, dir(), &sample(2), durable).is_ok();
    fs.is_dark().then_some((fs, done)) // else the power stayed on to the end
}

#[test]
fn a_durable_head_is_the_old_or_the_new_one_after_every_crash() {
    let mut steps = 0;
    for at in 0.. {
        let Some((fs, done)) = cut_while_publishing(at, true) else {
            break;
        };
        assert!(!done);
        steps += 1;
        for seed in 0..32 {
            for survival in [
                Survival::Nothing,
                Survival::Everything,
                Survival::Prefix(seed),
                Survival::Scattered(seed),
            ] {
                let head = read(&fs.crash(survival), dir()).unwrap();
                assert!(head == sample(1) || head == sample(2));
            }
        }
    }
    assert!(
        steps >= 5,
        "unlink, create, write, sync, rename, sync: {steps}"
    );
    let fs = disk();
    publish(&fs, dir(), &sample(1), true).unwrap();
    publish(&fs, dir(), &sample(2), true).unwrap();
    assert_eq!(
        read(&fs.crash(Survival::Nothing), dir()).unwrap(),
        sample(2)
    );
}

#[test]
fn a_plain_head_may_tear_but_is_never_misread() {
    let mut torn = 0;
    for at in 0.. {
        let Some((fs, _)) = cut_while_publishing(at, false) else {
            break;
        };
        for seed in 0..64 {
            match read(&fs.crash(Survival::Prefix(seed)), dir()) {
                Ok(head) => assert!(head == sample(1) || head == sample(2)),
                Err(e) => assert_eq!(e.kind(), ErrorKind::Corrupt),
            }
        }
    }
    let fs = disk();
    publish(&fs, dir(), &sample(1), true).unwrap();
    publish(&fs, dir(), &sample(2), false).unwrap();
    for seed in 0..64 {
        match read(&fs.crash(Survival::Prefix(seed)), dir()) {
            Ok(head) => assert!(head == sample(1) || head == sample(2)),
            Err(_) => torn += 1,
        }
    }
    assert!(torn > 0, "the case that the catalog is there to mend");
}

#[test]
fn a_failed_publication_leaves_the_old_head() {
    for at in 0..4 {
        let fs = disk();
        publish(&fs, dir(), &sample(1), true).unwrap();
        fs.inject(
            fs.steps() + at,
            Fault::FailFrom(std::io::ErrorKind::StorageFull),
        );
        let error = publish(&fs, dir(), &sample(2), true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert_eq!(read(&fs, dir()).unwrap(), sample(1));
        fs.clear_fault();
        publish(&fs, dir(), &sample(2), true).unwrap();
    }
}

fn missing(name: &str) -> Error {
    Error::io("open", name, std::io::ErrorKind::NotFound.into())
}

#[test]
fn a_reader_follows_a_writer_that_replaced_what_it_was_opening() {
    let fs = disk();
    publish(&fs, dir(), &sample(1), false).unwrap();
    let tries = Cell::new(0);
    let opened = with_head(&fs, dir(), |head| {
        tries.set(tries.get() + 1);
        if head.generation < Generation(4) {
            publish(&fs, dir(), &sample(head.generation.0 + 1), false)?;
            return Err(missing("seg/1"));
        }
        Ok(head.generation)
    });
    assert_eq!(opened.unwrap(), Generation(4));
    assert_eq!(tries.get(), 4);
}

#[test]
fn a_lost_file_is_damage_and_other_errors_pass_at_once() {
    let fs = disk();
    publish(&fs, dir(), &sample(1), false).unwrap();
    let lost = with_head::<()>(&fs, dir(), |_| Err(missing("seg/1"))).unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::Corrupt);
    assert_eq!(lost.path(), Some(Path::new("seg/1")));
    assert!(lost.remedy_text().is_some());
    let tries = Cell::new(0);
    let other = with_head::<()>(&fs, dir(), |_| {
        tries.set(tries.get() + 1);
        Err(Error::corrupt("bad"))
    });
    assert_eq!(other.unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(tries.get(), 1);
}

#[test]
fn a_reader_gives_up_on_an_index_that_never_rests() {
    let fs = disk();
    publish(&fs, dir(), &sample(1), false).unwrap();
    let restless = with_head::<()>(&fs, dir(), |head| {
        publish(&fs, dir(), &sample(head.generation.0 + 1), false)?;
        Err(missing("seg/1"))
    });
    assert_eq!(restless.unwrap_err().kind(), ErrorKind::Io);
}

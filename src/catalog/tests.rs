//! The catalog as its users see it, on a disk that fails, loses power, and rots.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Generation, SegmentId};
use crate::storage::RealFs;
use crate::storage::fs::Fs;
use crate::storage::head::{self, Head, SegmentRef};
use crate::storage::sim::{Fault, SimFs, Survival};

const DIR: &str = "/index";

fn dir() -> &'static Path {
    Path::new(DIR)
}

fn db_path() -> std::path::PathBuf {
    dir().join(FILE_NAME)
}

fn disk() -> SimFs {
    let fs = SimFs::new();
    fs.create_dir_all(dir()).unwrap();
    fs
}

fn open(fs: &SimFs) -> Result<Catalog> {
    Catalog::open(fs, &db_path())
}

fn row(number: u64) -> FileRow {
    FileRow {
        stat: FileStat {
            size: number,
            mtime_ns: 5,
            ctime_ns: 6,
            inode: 7,
        },
        seen_ns: 8,
        content_hash: u128::from(number) << 70,
        links: number << 7,
        flags: 1,
    }
}

fn head(generation: u64, segments: &[u64]) -> Head {
    let segment = |(at, id): (usize, &u64)| SegmentRef {
        id: SegmentId(*id),
        kind: u8::from(at > 0),
        ..SegmentRef::default()
    };
    Head {
        generation: Generation(generation),
        next_segment: 100,
        segments: segments.iter().enumerate().map(segment).collect(),
        ..Head::default()
    }
}

fn rows(list: &[(&str, u64)]) -> RowsIn<'static> {
    let list: Vec<_> = list
        .iter()
        .map(|(key, number)| Ok(((*key).to_string(), row(*number))))
        .collect();
    Box::new(list.into_iter())
}

/// Everything that the catalog says.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    head: Option<Head>,
    files: BTreeMap<String, FileRow>,
    garbage: Vec<(SegmentId, Generation)>,
    note: Option<Vec<u8>>,
}

fn see(catalog: &Catalog) -> Result<Seen> {
    let files: Vec<_> = catalog.files(None)?.collect::<Result<_>>()?;
    assert!(files.windows(2).all(|w| w[0].0 < w[1].0));
    let seen = Seen {
        head: catalog.head()?,
        files: files.into_iter().collect(),
        garbage: catalog.garbage()?,
        note: catalog.meta("note")?,
    };
    assert_eq!(catalog.file_count()?, seen.files.len() as u64);
    for (key, row) in &seen.files {
        assert_eq!(catalog.file(key)?, Some(*row));
    }
    Ok(seen)
}

#[test]
fn a_new_catalog_is_empty_and_stays_what_it_is() {
    let fs = disk();
    for _ in 0..3 {
        let catalog = open(&fs).unwrap();
        assert_eq!(see(&catalog).unwrap(), Seen::default());
        assert_eq!(catalog.file("a").unwrap(), None);
    }
    assert_eq!(fs.list_dir(dir()).unwrap(), [FILE_NAME, "catalog.sum"]);
}

#[test]
fn only_a_catalog_that_is_as_it_was_left_is_believed_without_a_check() {
    let steps_of_opening = |fs: &SimFs| {
        let before = fs.steps();
        drop(open(fs).unwrap());
        fs.steps() - before
    };
    let fs = first_commit();
    let believed = steps_of_opening(&fs);
    assert_eq!(steps_of_opening(&fs), believed);
    let mark = dir().join("catalog.sum");
    for spoilt in [Vec::new(), vec![0; 16]] {
        fs.plant(&mark, spoilt);
        assert!(
            steps_of_opening(&fs) > believed,
            "a check ends with a commit"
        );
        assert_eq!(steps_of_opening(&fs), believed);
    }
}

#[test]
fn a_commit_is_there_after_reopening() {
    let fs = disk();
    let mut catalog = open(&fs).unwrap();
    let first = head(1, &[1, 2]);
    let done = catalog
        .commit(Commit {
            files: rows(&[("a", 1), ("b/c", 2), ("ü", 3)]),
            meta: vec![("note".into(), Some(b"x".to_vec()))],
            ..Commit::new(&first)
        })
        .unwrap();
    assert!(done.dropped.is_empty());
    let second = head(2, &[3]);
    let done = catalog
        .commit(Commit {
            files: rows(&[("b/c", 9), ("d", 4)]),
            removed_files: vec!["a".into(), "never there".into()],
            ..Commit::new(&second)
        })
        .unwrap();
    assert_eq!(done.dropped, [SegmentId(1), SegmentId(2)]);
    let want = Seen {
        head: Some(second.clone()),
        files: [("b/c", 9), ("d", 4), ("ü", 3)]
            .map(|(k, n)| (k.to_string(), row(n)))
            .into(),
        garbage: vec![(SegmentId(1), Generation(2)), (SegmentId(2), Generation(2))],
        note: Some(b"x".to_vec()),
    };
    assert_eq!(see(&catalog).unwrap(), want);
    drop(catalog);
    let mut catalog = open(&fs).unwrap();
    assert_eq!(see(&catalog).unwrap(), want);
    catalog.verify().unwrap();

    let third = head(3, &[3]);
    let done = catalog
        .commit(Commit {
            clear_files: true,
            files: rows(&[("z", 1)]),
            meta: vec![("note".into(), None)],
            collected: vec![SegmentId(1)],
            ..Commit::new(&third)
        })
        .unwrap();
    assert!(done.dropped.is_empty());
    let seen = see(&catalog).unwrap();
    assert_eq!(seen.files.keys().collect::<Vec<_>>(), ["z"]);
    assert_eq!(seen.garbage, [(SegmentId(2), Generation(2))]);
    assert_eq!(seen.note, None);
    catalog.close().unwrap();
}

#[test]
fn a_scan_may_begin_anywhere_and_spans_many_batches() {
    let fs = disk();
    let mut catalog = open(&fs).unwrap();
    let state = head(1, &[]);
    let many = (0..3000_u64).map(|i| Ok((format!("f{i:05}"), row(i))));
    let _committed = catalog
        .commit(Commit {
            files: Box::new(many),
            ..Commit::new(&state)
        })
        .unwrap();
    let all: Vec<_> = catalog.files(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(all.len(), 3000);
    assert!(all.iter().zip(0..).all(|((_, r), i)| *r == row(i)));
    let mut tail = catalog.files(Some("f02998x")).unwrap();
    assert_eq!(tail.next().unwrap().unwrap().0, "f02999");
    assert!(tail.next().is_none() && tail.next().is_none());
}

#[test]
fn refused_commits_change_nothing_and_do_no_harm() {
    let fs = disk();
    let mut catalog = open(&fs).unwrap();
    let first = head(5, &[1]);
    let _committed = catalog.commit(Commit::new(&first)).unwrap();
    let before = see(&catalog).unwrap();
    for generation in [4, 5] {
        let old = head(generation, &[1]);
        let error = catalog.commit(Commit::new(&old)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
    let next = head(6, &[2]);
    let reserved = catalog.commit(Commit {
        meta: vec![("format".into(), None)],
        ..Commit::new(&next)
    });
    assert_eq!(reserved.unwrap_err().kind(), ErrorKind::Invalid);
    let stops = (0..5000).map(|i| match i {
        4000 => Err(Error::new(ErrorKind::Interrupted, "stop")),
        _ => Ok((format!("{i:05}"), row(i))),
    });
    let stopped = catalog.commit(Commit {
        files: Box::new(stops),
        clear_files: true,
        ..Commit::new(&next)
    });
    assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Interrupted);
    assert_eq!(see(&catalog).unwrap(), before);
    let _committed = catalog.commit(Commit::new(&next)).unwrap();
    assert_eq!(catalog.head().unwrap(), Some(next));
}

#[test]
fn only_the_last_two_heads_are_kept() {
    let fs = disk();
    let mut catalog = open(&fs).unwrap();
    for generation in 1..6 {
        let state = head(generation, &[generation]);
        let _committed = catalog.commit(Commit::new(&state)).unwrap();
    }
    let kept = catalog.all(tables::HEADS).unwrap();
    let generations: Vec<_> = kept
        .iter()
        .map(|(key, _)| rows::key_number(key).unwrap())
        .collect();
    assert_eq!(generations, [4, 5]);
}

#[test]
fn the_real_disk_holds_a_catalog_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE_NAME);
    let fs = RealFs::default();
    let state = head(1, &[1]);
    let mut catalog = Catalog::open(&fs, &path).unwrap();
    let done = catalog
        .commit(Commit {
            files: rows(&[("a", 1)]),
            ..Commit::new(&state)
        })
        .unwrap();
    done.publish(&fs, dir.path()).unwrap();
    drop(catalog);
    let catalog = Catalog::open(&fs, &path).unwrap();
    assert_eq!(catalog.file("a").unwrap(), Some(row(1)));
    assert_eq!(
        catalog.recover(&fs, dir.path()).unwrap(),
        Recovery::Current(state)
    );
}

#[test]
fn recovery_republishes_what_readers_do_not_see_yet() {
    let fs = disk();
    let mut catalog = open(&fs).unwrap();
    assert_eq!(catalog.recover(&fs, dir()).unwrap(), Recovery::Empty);
    let (first, second) = (head(1, &[1]), head(2, &[1, 2]));
    let done = catalog.commit(Commit::new(&first)).unwrap();
    assert_eq!(
        catalog.recover(&fs, dir()).unwrap(),
        Recovery::Republished(first.clone())
    );
    done.publish(&fs, dir()).unwrap();
    assert_eq!(
        catalog.recover(&fs, dir()).unwrap(),
        Recovery::Current(first)
    );
    let _unpublished = catalog.commit(Commit::new(&second)).unwrap();
    for damage in [None, Some(&b"torn"[..]), Some(&b""[..])] {
        if let Some(bytes) = damage {
            fs.plant(&head::path(dir()), bytes.to_vec());
        }
        assert_eq!(
            catalog.recover(&fs, dir()).unwrap(),
            Recovery::Republished(second.clone())
        );
        assert_eq!(
            head::read(&fs.crash(Survival::Nothing), dir()).unwrap(),
            second
        );
    }
}

#[test]
fn a_catalog_that_is_behind_says_so_and_can_be_rebuilt() {
    let fs = disk();
    let newer = head(7, &[1]);
    head::publish(&fs, dir(), &newer, true).unwrap();
    let catalog = open(&fs).unwrap();
    assert_eq!(
        catalog.recover(&fs, dir()).unwrap(),
        Recovery::CatalogLost(newer.clone())
    );
    drop(catalog);
    let found = [("a", 1), ("b", 2)].map(|(k, n)| Ok((k.to_string(), row(n))));
    let catalog = Catalog::rebuild(&fs, &db_path(), Some(&newer), found.into_iter()).unwrap();
    assert_eq!(
        catalog.recover(&fs, dir()).unwrap(),
        Recovery::Current(newer)
    );
    assert_eq!(see(&catalog).unwrap().files.len(), 2);
    drop(catalog);
    let other = head(6, &[1]);
    let mut catalog = Catalog::rebuild(&fs, &db_path(), None, std::iter::empty()).unwrap();
    let _older = catalog.commit(Commit::new(&other)).unwrap();
    assert!(matches!(
        catalog.recover(&fs, dir()).unwrap(),
        Recovery::CatalogLost(_)
    ));
}

#[test]
fn a_head_of_a_newer_version_is_left_alone() {
    let fs = disk();
    let mut catalog = open(&fs).unwrap();
    let state = head(1, &[]);
    let _committed = catalog.commit(Commit::new(&state)).unwrap();
    let mut bytes = state.encode().unwrap();
    bytes[8] = 99;
    let sum = crate::storage::checksum::crc32(&bytes[..28]);
    bytes[28..32].copy_from_slice(&sum.to_le_bytes());
    fs.plant(&head::path(dir()), bytes.clone());
    let error = catalog.recover(&fs, dir()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert_eq!(fs.contents(&head::path(dir())).unwrap(), bytes);
}

/// A commit on top of generation 1 that touches every table; the states before and after it.
fn second_commit(fs: &SimFs) -> Result<()> {
    let mut catalog = open(fs)?;
    catalog.recover(fs, dir())?;
    let state = head(2, &[2]);
    let many = (0..400_u64).map(|i| Ok((format!("new/{i}"), row(i))));
    let done = catalog.commit(Commit {
        removed_files: vec!["old/7".into()],
        files: Box::new(many),
        meta: vec![("note".into(), Some(b"second".to_vec()))],
        ..Commit::new(&state)
    })?;
    done.publish(fs, dir())?;
    catalog.close()
}

fn first_commit() -> SimFs {
    let fs = disk();
    let mut catalog = open(&fs).unwrap();
    let state = head(1, &[1]);
    let old = (0..300_u64).map(|i| Ok((format!("old/{i}"), row(i))));
    let done = catalog
        .commit(Commit {
            files: Box::new(old),
            meta: vec![("note".into(), Some(b"first".to_vec()))],
            ..Commit::new(&state)
        })
        .unwrap();
    done.publish(&fs, dir()).unwrap();
    catalog.close().unwrap();
    fs.sync_dir(dir()).unwrap();
    fs.crash(Survival::Everything) // steps count from 0 again
}

fn survivals(seeds: std::ops::Range<u64>) -> impl Iterator<Item = Survival> {
    let seeded = seeds.flat_map(|s| [Survival::Prefix(s), Survival::Scattered(s)]);
    [Survival::Nothing, Survival::Everything]
        .into_iter()
        .chain(seeded)
}

#[test]
fn a_commit_is_whole_or_absent_after_a_power_cut_at_any_step() {
    let start = first_commit();
    let old = see(&open(&start.crash(Survival::Everything)).unwrap()).unwrap();
    let finished = start.crash(Survival::Everything);
    second_commit(&finished).unwrap();
    let steps = finished.steps();
    let new = see(&open(&finished).unwrap()).unwrap();
    assert_ne!(old, new);

    let (mut olds, mut news) = (0, 0);
    for at in 0..steps {
        let fs = start.crash(Survival::Everything);
        fs.inject(at, Fault::PowerLoss);
        // The last step of all is the mark, without which the commit is as good.
        let acknowledged = second_commit(&fs).is_ok();
        assert!(
            fs.is_dark() && acknowledged == (at + 1 == steps),
            "step {at}"
        );
        for survival in survivals(at * 7..at * 7 + 2) {
            let after = fs.crash(survival);
            let catalog = open(&after).unwrap_or_else(|e| panic!("step {at} {survival:?}: {e:?}"));
            let seen = see(&catalog).unwrap();
            assert!(seen == old || seen == new, "step {at} {survival:?}");
            assert!(!acknowledged || seen == new);
            if seen == old {
                olds += 1
            } else {
                news += 1
            }
            // Whatever readers see now, after recovery they see what the catalog says.
            let seen_head = seen.head.clone().unwrap();
            match catalog.recover(&after, dir()).unwrap() {
                Recovery::Current(head) | Recovery::Republished(head) => {
                    assert_eq!(head, seen_head);
                }
                other => panic!("step {at} {survival:?}: {other:?}"),
            }
            drop(catalog);
            assert_eq!(head::read(&after, dir()).unwrap(), seen_head);
            // And the index goes on from there.
            if seen == old && survival == Survival::Nothing {
                second_commit(&after).unwrap();
                assert_eq!(see(&open(&after).unwrap()).unwrap(), new);
            }
        }
    }
    assert!(olds > 0 && news > 0, "{olds} {news}");
}

#[test]
fn an_acknowledged_commit_survives_every_crash() {
    let fs = first_commit();
    second_commit(&fs).unwrap();
    let new = see(&open(&fs.crash(Survival::Everything)).unwrap()).unwrap();
    for survival in survivals(0..20) {
        assert_eq!(see(&open(&fs.crash(survival)).unwrap()).unwrap(), new);
    }
}

#[test]
fn a_new_catalog_comes_into_being_whole_or_not_at_all() {
    let made = disk();
    drop(open(&made).unwrap());
    let steps = made.steps();
    let before = disk().steps();
    for at in before..steps {
        let fs = disk();
        fs.inject(at, Fault::PowerLoss);
        let _ = open(&fs);
        for survival in survivals(at..at + 4) {
            let after = fs.crash(survival);
            let catalog = open(&after).unwrap_or_else(|e| panic!("step {at} {survival:?}: {e:?}"));
            assert_eq!(see(&catalog).unwrap(), Seen::default());
        }
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_old_state_stays() {
    let start = first_commit();
    let old = see(&open(&start.crash(Survival::Everything)).unwrap()).unwrap();
    let finished = start.crash(Survival::Everything);
    second_commit(&finished).unwrap();
    let new = see(&open(&finished).unwrap()).unwrap();
    for at in 0..finished.steps() {
        for lasting in [false, true] {
            let fs = start.crash(Survival::Everything);
            let kind = std::io::ErrorKind::StorageFull;
            fs.inject(
                at,
                if lasting {
                    Fault::FailFrom(kind)
                } else {
                    Fault::Fail(kind)
                },
            );
            if let Err(e) = second_commit(&fs) {
                assert_eq!(e.kind(), ErrorKind::Io, "step {at}: {e:?}");
            }
            fs.clear_fault();
            let seen = see(&open(&fs).unwrap()).unwrap();
            assert!(seen == old || seen == new, "step {at}");
        }
    }
}

#[test]
fn a_catalog_that_failed_is_no_longer_used() {
    let fs = first_commit();
    let mut catalog = open(&fs).unwrap();
    let old = see(&catalog).unwrap();
    fs.inject(fs.steps(), Fault::FailFrom(std::io::ErrorKind::StorageFull));
    let state = head(2, &[2]);
    let full = catalog.commit(Commit::new(&state)).unwrap_err();
    assert_eq!(full.io_kind(), Some(std::io::ErrorKind::StorageFull));
    assert!(full.remedy_text().is_some());
    fs.clear_fault();
    assert!(catalog.file("old/1").is_err());
    assert!(catalog.commit(Commit::new(&state)).is_err());
    drop(catalog);
    assert_eq!(see(&open(&fs).unwrap()).unwrap(), old);
}

/// Opens a damaged catalog and does everything with it. True answers or errors of kind Corrupt are both right; what is not
/// right is a panic, or rows that were never stored.
fn use_damaged(fs: &SimFs, truth: &Seen) -> Result<()> {
    let mut catalog = open(fs)?;
    let outcome = (|| {
        let head = catalog.head()?;
        assert!(head.is_none() || head == truth.head);
        for key in ["old/1", "old/299", "none"] {
            let row = catalog.file(key)?;
            assert!(row.is_none() || row.as_ref() == truth.files.get(key));
        }
        let files: BTreeMap<_, _> = catalog.files(None)?.collect::<Result<_>>()?;
        assert_eq!(files, truth.files, "a scan that ended well is complete");
        for (id, _) in catalog.garbage()? {
            assert!(truth.garbage.iter().any(|(have, _)| *have == id));
        }
        let state = head_above(head.as_ref());
        let _committed = catalog.commit(Commit {
            files: rows(&[("added", 1)]),
            removed_files: vec!["old/5".into()],
            ..Commit::new(&state)
        })?;
        catalog.file("added").map(drop)
    })();
    let verified = catalog.verify();
    outcome.and(verified)
}

fn head_above(head: Option<&Head>) -> Head {
    let mut next = head.cloned().unwrap_or_default();
    next.generation.0 += 1;
    next
}

fn assert_honest(result: Result<()>) -> bool {
    match result {
        Ok(()) => true,
        Err(e) => {
            assert!(
                matches!(
                    e.kind(),
                    ErrorKind::Corrupt | ErrorKind::Format | ErrorKind::Io
                ),
                "{e:?}"
            );
            assert!(e.kind() == ErrorKind::Io || e.remedy_text().is_some());
            false
        }
    }
}

/// Numbers that depend on the seed alone.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |bound| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    }
}

#[test]
fn damaged_bytes_give_errors_or_the_truth() {
    let start = first_commit();
    let bytes = start.contents(&db_path()).unwrap();
    let mark = start.contents(&dir().join("catalog.sum")).unwrap();
    let truth = see(&open(&start.crash(Survival::Everything)).unwrap()).unwrap();
    // Where pages hold anything; flipping a bit of empty space proves little.
    let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
    let (mut fine, mut refused) = (0, 0);
    for seed in 0..400 {
        let mut next = random(seed);
        let mut bad = bytes.clone();
        for _ in 0..=next(4) {
            let at = if seed % 4 == 0 {
                next(512)
            } else {
                used[next(used.len())]
            };
            bad[at] ^= 1 << next(8);
        }
        let fs = disk();
        fs.plant(&db_path(), bad);
        fs.plant(&dir().join("catalog.sum"), mark.clone());
        if assert_honest(use_damaged(&fs, &truth)) {
            fine += 1
        } else {
            refused += 1
        }
    }
    assert!(fine > 0 && refused > 100, "{fine} fine, {refused} refused");
}

#[test]
fn a_cut_or_foreign_catalog_is_refused_and_can_be_rebuilt() {
    let start = first_commit();
    let bytes = start.contents(&db_path()).unwrap();
    let truth = see(&open(&start.crash(Survival::Everything)).unwrap()).unwrap();
    let mut next = random(3);
    for _ in 0..60 {
        let fs = disk();
        fs.plant(&db_path(), bytes[..next(bytes.len())].to_vec());
        assert_honest(use_damaged(&fs, &truth));
    }
    for foreign in [
        &b"SQLite format 3\0"[..],
        b"",
        b"x",
        &[0xFF; 100_000],
        &[0; 5000],
    ] {
        let fs = disk();
        fs.plant(&db_path(), foreign.to_vec());
        assert_honest(use_damaged(&fs, &truth));
        let files = truth.files.iter().map(|(k, r)| Ok((k.clone(), *r)));
        let catalog = Catalog::rebuild(&fs, &db_path(), truth.head.as_ref(), files).unwrap();
        assert_eq!(see(&catalog).unwrap().files, truth.files);
    }
}

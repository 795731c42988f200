//! What the simulated disk promises, and that the real one agrees where the two can be compared.

#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::io::Write;
use std::path::Path;

use super::*;
use crate::error::ErrorKind;
use crate::storage::{Access, RealFs};

const SEEDS: u64 = 64;

fn survivals() -> impl Iterator<Item = Survival> {
    let seeded = (0..SEEDS).flat_map(|s| [Survival::Prefix(s), Survival::Scattered(s)]);
    [Survival::Nothing, Survival::Everything]
        .into_iter()
        .chain(seeded)
}

fn write(fs: &dyn Fs, path: &str, bytes: &[u8]) -> Box<dyn WriteFile> {
    let mut file = fs.create_new(Path::new(path)).unwrap();
    file.write_all(bytes).unwrap();
    file.flush().unwrap();
    file
}

#[test]
fn synced_contents_under_a_synced_name_survive_every_crash() {
    let fs = SimFs::new();
    let mut file = write(&fs, "/a", b"kept");
    file.sync_data().unwrap();
    fs.sync_dir(Path::new("/")).unwrap();
    file.write_all(b" and more").unwrap();
    file.flush().unwrap();
    let mut lengths = std::collections::BTreeSet::new();
    for survival in survivals() {
        let after = fs.crash(survival).contents(Path::new("/a")).unwrap();
        assert!(after.starts_with(b"kept"), "{survival:?}");
        assert!(b"kept and more".starts_with(&after[..]), "{survival:?}");
        lengths.insert(after.len());
    }
    assert!(
        lengths.len() > 4,
        "torn writes of several lengths: {lengths:?}"
    );
}

#[test]
fn a_synced_file_without_a_synced_name_may_be_gone() {
    let fs = SimFs::new();
    write(&fs, "/a", b"x").sync_data().unwrap();
    assert_eq!(fs.crash(Survival::Nothing).contents(Path::new("/a")), None);
    let all = fs.crash(Survival::Everything);
    assert_eq!(all.contents(Path::new("/a")).unwrap(), b"x");
}

#[test]
fn a_synced_name_does_not_keep_the_contents() {
    let fs = SimFs::new();
    let _open = write(&fs, "/a", b"lost");
    fs.sync_dir(Path::new("/")).unwrap();
    let after = fs.crash(Survival::Nothing);
    assert_eq!(after.contents(Path::new("/a")).unwrap(), b"");
}

#[test]
fn a_rename_is_whole_or_absent() {
    let fs = SimFs::new();
    fs.plant(Path::new("/HEAD"), b"old".to_vec());
    write(&fs, "/HEAD.tmp", b"new").sync_data().unwrap();
    fs.rename(Path::new("/HEAD.tmp"), Path::new("/HEAD"))
        .unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for survival in survivals() {
        let after = fs.crash(survival);
        let head = after.contents(Path::new("/HEAD")).unwrap();
        assert!(head == b"old" || head == b"new");
        let both = after.contents(Path::new("/HEAD.tmp")).is_some();
        assert!(!(both && head == b"new"));
        seen.insert((head, both));
    }
    assert_eq!(seen.len(), 3, "before, between and after: {seen:?}");
}

#[test]
fn name_changes_survive_as_a_prefix() {
    let fs = SimFs::new();
    for name in ["/1", "/2", "/3"] {
        write(&fs, name, b"").sync_data().unwrap();
    }
    fs.unlink(Path::new("/1")).unwrap();
    for survival in survivals() {
        let names = fs.crash(survival).files().len();
        let has = |n: &str| fs.crash(survival).contents(Path::new(n)).is_some();
        assert!(names <= 3);
        assert!(!has("/3") || has("/2"), "{survival:?}");
        assert!(!has("/2") || has("/1") || has("/3"), "{survival:?}");
    }
}

#[test]
fn scattered_writes_need_not_be_a_prefix() {
    let fs = SimFs::new();
    fs.plant(Path::new("/db"), vec![0; 2]);
    let file = fs.open_random(Path::new("/db")).unwrap();
    file.write_at(0, b"A").unwrap();
    file.write_at(1, b"B").unwrap();
    let later_only = |s| fs.crash(s).contents(Path::new("/db")).unwrap() == *b"\0B";
    assert!((0..SEEDS).any(|seed| later_only(Survival::Scattered(seed))));
    assert!(!(0..SEEDS).any(|seed| later_only(Survival::Prefix(seed))));
}

#[test]
fn the_same_seed_gives_the_same_crash() {
    let fs = SimFs::new();
    let _open = write(&fs, "/a", &[7; 1000]);
    for seed in 0..SEEDS {
        let of = |s| fs.crash(s).contents(Path::new("/a"));
        assert_eq!(of(Survival::Prefix(seed)), of(Survival::Prefix(seed)));
    }
}

#[test]
fn faults_come_at_their_step() {
    let fs = SimFs::new();
    fs.inject(1, Fault::Fail(io::ErrorKind::StorageFull));
    let mut file = fs.create_new(Path::new("/a")).unwrap(); // step 0
    file.write_all(b"x").unwrap();
    let full = file.flush().unwrap_err(); // step 1
    assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    file.write_all(b"y").unwrap();
    file.flush().unwrap(); // step 2 works again
    assert_eq!(fs.steps(), 3);

    fs.inject(3, Fault::FailFrom(io::ErrorKind::StorageFull));
    for _ in 0..2 {
        let error = fs.create_new(Path::new("/b")).unwrap_err();
        assert_eq!(error.io_kind(), Some(io::ErrorKind::StorageFull));
        assert!(error.remedy_text().is_some());
    }
    assert_eq!(fs.contents(Path::new("/b")), None);
}

#[test]
fn nothing_works_in_the_dark_and_the_interrupted_write_may_count() {
    let fs = SimFs::new();
    let mut file = write(&fs, "/a", b"one");
    file.sync_data().unwrap();
    fs.sync_dir(Path::new("/")).unwrap();
    fs.inject(fs.steps(), Fault::PowerLoss);
    file.write_all(b"two").unwrap();
    assert!(file.flush().is_err());
    assert!(fs.is_dark());
    assert!(fs.read(Path::new("/a"), 10).is_err());
    assert!(fs.map(Path::new("/a"), None).is_err());
    assert!(fs.lock(Path::new("/L")).is_err());
    assert!(file.sync_data().is_err());
    assert!(fs.rename(Path::new("/a"), Path::new("/b")).is_err());
    let after = |s| fs.crash(s).contents(Path::new("/a")).unwrap();
    assert_eq!(after(Survival::Nothing), b"one");
    assert_eq!(after(Survival::Everything), b"onetwo");
    assert!(!fs.crash(Survival::Nothing).is_dark());
}

/// What every [`Fs`] does, whatever is underneath.
fn behaves(fs: &dyn Fs, dir: &Path) {
    let path = |name: &str| dir.join(name);
    fs.create_dir_all(&path("seg")).unwrap();
    fs.create_dir_all(&path("seg")).unwrap();
    let file = path("seg/1");
    let missing = fs.read(&file, 10).unwrap_err();
    assert_eq!(missing.io_kind(), Some(io::ErrorKind::NotFound));
    assert_eq!(missing.path(), Some(&*file));
    assert!(!fs.exists(&file).unwrap() && fs.exists(&path("seg")).unwrap());

    let mut out = fs.create_new(&file).unwrap();
    out.write_all(b"0123").unwrap();
    out.write_all(b"456789").unwrap();
    out.sync_data().unwrap();
    out.seal().unwrap();
    drop(out);
    assert!(fs.create_new(&file).is_err());
    assert_eq!(fs.len(&file).unwrap(), 10);
    assert_eq!(fs.read(&file, 10).unwrap(), b"0123456789");
    let bounded = fs.read(&file, 9).unwrap_err();
    assert_eq!(bounded.kind(), ErrorKind::Limit);
    assert_eq!(&*fs.map(&file, Some(10)).unwrap(), b"0123456789");
    let cut = fs.map(&file, Some(11)).unwrap_err();
    assert_eq!(cut.kind(), ErrorKind::Corrupt);
    assert_eq!(cut.path(), Some(&*file));

    let mapped = fs.map(&file, None).unwrap();
    fs.sync_dir(&path("seg")).unwrap();
    fs.rename(&file, &path("seg/2")).unwrap();
    fs.create_new(&path("seg/0")).unwrap();
    assert_eq!(fs.list_dir(&path("seg")).unwrap(), ["0", "2"]);
    assert!(fs.list_dir(&path("none")).is_err());
    fs.unlink(&path("seg/2")).unwrap();
    assert_eq!(&*mapped, b"0123456789");
    let gone = fs.unlink(&path("seg/2")).unwrap_err();
    assert_eq!(gone.io_kind(), Some(io::ErrorKind::NotFound));
    assert!(fs.create_new(&path("none/x")).is_err());

    let db = fs.open_random(&path("db")).unwrap();
    db.write_at(4, b"abc").unwrap();
    assert_eq!(db.len().unwrap(), 7);
    let mut read = [9; 7];
    db.read_at(0, &mut read).unwrap();
    assert_eq!(&read, b"\0\0\0\0abc");
    let past = db.read_at(1, &mut read).unwrap_err();
    assert_eq!(past.kind(), io::ErrorKind::UnexpectedEof);
    db.set_len(5).unwrap();
    db.set_len(6).unwrap();
    db.sync_data().unwrap();
    assert_eq!(fs.read(&path("db"), 10).unwrap(), b"\0\0\0\0a\0");

    let mut lock = fs.lock(&path("L")).unwrap().unwrap();
    lock.set_note("a longer note").unwrap();
    lock.set_note("a note").unwrap();
    assert!(fs.lock(&path("L")).unwrap().is_none());
    drop(lock);
    assert_eq!(fs.read(&path("L"), 99).unwrap(), b"a note");
    assert!(fs.lock(&path("L")).unwrap().is_some());
}

#[test]
fn the_simulated_disk_behaves_as_the_real_one() {
    let dir = tempfile::tempdir().unwrap();
    behaves(&RealFs::default(), &dir.path().join("mapped"));
    behaves(&RealFs::new(Access::Read), &dir.path().join("read"));
    behaves(&SimFs::new(), Path::new("/disk"));
}

#[test]
fn the_real_disk_maps_or_reads_as_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    std::fs::write(&path, b"bytes").unwrap();
    let by = |access| RealFs::new(access).map(&path, Some(5)).unwrap();
    assert!(by(Access::Map).is_mapped());
    assert!(!by(Access::Read).is_mapped());
    assert_eq!(&*by(Access::Map), &*by(Access::Read));
}

#[cfg(unix)]
#[test]
fn a_sealed_file_is_read_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let mut file = RealFs::default().create_new(&path).unwrap();
    file.write_all(b"x").unwrap();
    file.seal().unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o222, 0);
    assert_ne!(mode & 0o400, 0);

    let sim = SimFs::new();
    let mut file = sim.create_new(Path::new("/f")).unwrap();
    file.seal().unwrap();
    file.write_all(b"x").unwrap();
    assert!(file.flush().is_err());
}

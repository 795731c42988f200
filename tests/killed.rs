//! A writer that is killed at any moment, with readers at work: nobody ever sees anything but a whole commit.
//!
//! The test starts itself as the writer, kills it after a while, and lets readers open snapshots all the time.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use graphify::model::edge::EdgeLabel;
use graphify::model::label::{Language, NodeKind, Relation};
use graphify::model::unit::{NewNode, Unit};
use graphify::{Snapshot, Store};

const FOLDER: &str = "GRAPHIFY_TEST_KILLED_FOLDER";
const UNITS: u64 = 12;

/// All units of commit `round` carry its number; each points at the next one.
fn unit(file: u64, round: u64) -> Unit {
    let mut unit = Unit::new(format!("f{file:02}"), Language::NONE);
    let own = unit
        .add(NewNode::new(&format!("r{round}"), NodeKind::FUNCTION))
        .unwrap();
    let next = format!("f{:02}::r{round}()", (file + 1) % UNITS);
    unit.link_key(own, &next, EdgeLabel::stated(Relation::CALLS));
    unit
}

/// The number of the commit that a snapshot shows; fails when it shows parts of two.
fn round_of(snapshot: &Snapshot) -> u64 {
    let mut rounds: Vec<u64> = Vec::new();
    for file in snapshot.files() {
        let node = file.nodes().nth(1).unwrap();
        rounds.push(node.name().trim_start_matches('r').parse().unwrap());
        let edge = snapshot.out_edges(node.sym()).next().unwrap();
        let target = snapshot.node(edge.target).unwrap();
        assert_eq!(target.name(), node.name(), "an edge crosses commits");
        assert!(!target.is_placeholder());
    }
    assert_eq!(rounds.len() as u64, UNITS);
    assert!(
        rounds.iter().all(|r| *r == rounds[0]),
        "a snapshot mixes commits: {rounds:?}"
    );
    rounds[0]
}

/// The writer's part, run in a process of its own: commits until it is killed.
#[test]
fn writer_process() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let store = Store::at(Path::new(&folder));
    let mut writer = store.writer().unwrap();
    let first = if writer.snapshot().file_count() == 0 {
        0
    } else {
        round_of(&writer.snapshot()) + 1
    };
    for round in first.. {
        for file in 0..UNITS {
            writer.put(unit(file, round)).unwrap();
        }
        writer.commit().unwrap();
        if round % 7 == 3 {
            writer.compact().unwrap();
        }
    }
}

fn start_writer(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer_process", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_writers_never_show_a_reader_half_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::at(&path);
    let mut writer = store.writer().unwrap();
    for file in 0..UNITS {
        writer.put(unit(file, 0)).unwrap();
    }
    writer.commit().unwrap();
    drop(writer);

    let over = AtomicBool::new(false);
    let opened = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = 0;
                while !over.load(Ordering::Relaxed) {
                    let round = round_of(&Snapshot::open(&path).unwrap());
                    assert!(
                        round >= last,
                        "the commits went back from {last} to {round}"
                    );
                    last = round;
                    opened.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut last = 0;
        for kill in 0..12u64 {
            let mut child = start_writer(&path);
            // Each writer is killed a little later in its work than the one before; it must have got to work first.
            let began = Instant::now();
            while round_of(&store.snapshot().unwrap()) <= last
                && began.elapsed() < Duration::from_secs(60)
            {
                std::thread::yield_now();
            }
            let until = Instant::now() + Duration::from_micros(700 * kill);
            while Instant::now() < until {
                std::hint::spin_loop();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            let now = round_of(&store.snapshot().unwrap());
            assert!(now > last, "writer {kill} committed nothing");
            last = now;
        }
        over.store(true, Ordering::Relaxed);
    });
    assert!(opened.load(Ordering::Relaxed) > 20);

    let mut writer = store.writer().unwrap();
    let round = round_of(&writer.snapshot());
    writer.put(unit(0, round)).unwrap();
    writer.commit().unwrap();
    drop(writer);
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    let kept = std::fs::read_dir(path.join("seg")).unwrap().count();
    assert_eq!(
        kept,
        store.snapshot().unwrap().segment_count(),
        "orphans were swept"
    );
}

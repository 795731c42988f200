//! Power cuts at every step of the commit protocol, on a simulated disk that holds the catalog too.
//!
//! After each cut the next writer must find the last acknowledged commit or the one that was under way, whole; readers
//! must find one of them or be told to wait for the writer; generations never go back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use std::collections::BTreeSet;
use std::io::ErrorKind::StorageFull;
use std::sync::Arc;

use graphify::model::edge::EdgeLabel;
use graphify::model::label::{Language, NodeKind, Relation};
use graphify::model::unit::{NewNode, Unit};
use graphify::storage::sim::{Fault, SimFs, Survival};
use graphify::{ErrorKind, Snapshot, Store, Writer};

fn unit(file: usize, round: usize) -> Unit {
    let mut unit = Unit::new(format!("f{file}"), Language::NONE);
    let own = unit
        .add(NewNode::new(&format!("r{round}"), NodeKind::FUNCTION))
        .unwrap();
    let target = format!("f{}::r{}()", (file + 1) % 4, round.saturating_sub(1));
    unit.link_key(own, &target, EdgeLabel::stated(Relation::CALLS));
    unit
}

/// The commits of the scenario: a first one, replacements, removals, a merge, a compaction.
fn commit(writer: &mut Writer, round: usize) -> graphify::Result<()> {
    match round {
        0 => (0..4).try_for_each(|f| writer.put(unit(f, 0)))?,
        3 => writer.remove("f1"),
        5 => {
            writer.compact()?;
            writer.put(unit(1, round))?;
        }
        _ => writer.put(unit(round % 4, round))?,
    }
    writer.commit().map(|_| ())
}

const ROUNDS: usize = 7;

fn dump(snapshot: &Snapshot) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for node in snapshot.files().flat_map(|f| f.nodes().collect::<Vec<_>>()) {
        lines.insert(node.key());
        for edge in snapshot.out_edges(node.sym()) {
            let target = snapshot
                .node(edge.target)
                .map_or_else(|| "?".to_string(), |n| n.key());
            lines.insert(format!("{} -> {target}", node.key()));
        }
    }
    lines
}

/// The state after each number of rounds on a disk where nothing goes wrong, and the steps that they took.
fn undisturbed() -> (Vec<BTreeSet<String>>, u64) {
    let disk = SimFs::new();
    let store = Store::with_fs(Arc::new(disk.clone()), "/index");
    let mut states = vec![BTreeSet::new()];
    let mut writer = store.writer().unwrap();
    for round in 0..ROUNDS {
        commit(&mut writer, round).unwrap();
        states.push(dump(&writer.snapshot()));
    }
    drop(writer);
    (states, disk.steps())
}

/// Runs the scenario until the fault; how many rounds were acknowledged.
fn run_until_fault(disk: &SimFs) -> usize {
    let store = Store::with_fs(Arc::new(disk.clone()), "/index");
    let Ok(mut writer) = store.writer() else {
        return 0;
    };
    (0..ROUNDS)
        .take_while(|round| commit(&mut writer, *round).is_ok())
        .count()
}

#[test]
fn a_power_cut_at_any_step_leaves_a_whole_commit() {
    let (states, steps) = undisturbed();
    assert!(steps > 60, "the scenario takes {steps} steps");
    for step in 0..steps {
        for survival in [
            Survival::Nothing,
            Survival::Everything,
            Survival::Prefix(step),
            Survival::Scattered(step ^ 0x5eed),
        ] {
            let disk = SimFs::new();
            disk.inject(step, Fault::PowerLoss);
            let done = run_until_fault(&disk);
            let after = disk.crash(survival);
            let store = Store::with_fs(Arc::new(after.clone()), "/index");
            // A reader that comes before any writer.
            match store.snapshot() {
                Ok(seen) => {
                    let seen = dump(&seen);
                    // HEAD is synced only when segments were dropped: a cut may bring an earlier one back, whose
                    // files still exist, until the next writer publishes the newest.
                    assert!(
                        states.iter().take(done + 2).any(|s| *s == seen),
                        "step {step}, {survival:?}: a reader sees a state that never was"
                    );
                }
                Err(e) => assert!(
                    matches!(e.kind(), ErrorKind::NoIndex | ErrorKind::Corrupt),
                    "step {step}, {survival:?}: {e:?}"
                ),
            }
            let mut writer = store.writer().unwrap_or_else(|e| {
                panic!("step {step}, {survival:?}: the next writer fails: {e:?}")
            });
            let found = dump(&writer.snapshot());
            let matches_one = states[done..].iter().take(2).any(|s| *s == found);
            // Round 5 is two commits; between them stands the state of round 5 already.
            assert!(
                matches_one,
                "step {step}, {survival:?}: after {done} rounds found {found:?}"
            );
            writer.put(unit(9, 9)).unwrap();
            writer.commit().unwrap();
            assert!(dump(&writer.snapshot()).contains("f9::r9()"));
            drop(writer);
            let named = store.snapshot().unwrap().segment_count();
            let kept = after
                .files()
                .iter()
                .filter(|p| p.extension().is_some_and(|e| e == "gseg"))
                .count();
            assert_eq!(kept, named, "step {step}, {survival:?}: orphans were swept");
        }
    }
}

#[test]
fn a_failing_write_at_any_step_leaves_the_last_commit() {
    let (states, steps) = undisturbed();
    for fault in [Fault::Fail(StorageFull), Fault::FailFrom(StorageFull)] {
        for step in 0..steps {
            let disk = SimFs::new();
            disk.inject(step, fault);
            let done = run_until_fault(&disk);
            disk.clear_fault();
            let store = Store::with_fs(Arc::new(disk.crash(Survival::Everything)), "/index");
            let writer = store
                .writer()
                .unwrap_or_else(|e| panic!("step {step}: {e:?}"));
            let found = dump(&writer.snapshot());
            let ok = states[done..].iter().take(2).any(|s| *s == found);
            assert!(
                ok,
                "step {step}, {fault:?}: after {done} rounds found {found:?}"
            );
        }
    }
}

#[test]
fn a_lost_catalog_is_made_anew_from_head_and_segments() {
    let disk = SimFs::new();
    let store = Store::with_fs(Arc::new(disk.clone()), "/index");
    let mut writer = store.writer().unwrap();
    for round in 0..3 {
        commit(&mut writer, round).unwrap();
    }
    let before = dump(&writer.snapshot());
    drop(writer);
    disk.plant(
        "/index/catalog.redb".as_ref(),
        b"this is no database".to_vec(),
    );
    let mut writer = store.writer().unwrap();
    assert_eq!(dump(&writer.snapshot()), before);
    commit(&mut writer, 3).unwrap();
}

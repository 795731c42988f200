//! The engine's paths under Criterion, on a store of 50,000 nodes: build, open, lookup, traverse, update, merge.
//!
//! `cargo bench --bench engine`. Absolute times belong to one machine; what counts is the change against a saved baseline
//! (`-- --save-baseline before`, `-- --baseline before`). `synthetic` has the figures at full size.

#![allow(
    missing_docs,
    reason = "Criterion's macros make functions without documentation"
)]
#![allow(clippy::unwrap_used, reason = "a benchmark may fail loudly")]

mod common;

use std::hint::black_box;

use common::Synthetic;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use graphify::ids::SymId;
use graphify::traverse::{BfsOptions, SnapshotGraph, Verdict, bfs};
use graphify::{Snapshot, Store};

const NODES: u64 = 50_000;

struct Fixture {
    graph: Synthetic,
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self {
            graph: Synthetic::new(NODES),
            folder: tempfile::tempdir().unwrap(),
        };
        fixture
            .store()
            .writer()
            .unwrap()
            .rebuild(fixture.graph.all())
            .unwrap();
        fixture
    }

    fn store(&self) -> Store {
        Store::at(self.folder.path().join("store"))
    }
}

fn build(c: &mut Criterion) {
    let graph = Synthetic::new(NODES);
    c.bench_function("build", |b| {
        b.iter_batched(
            || tempfile::tempdir().unwrap(),
            |folder| {
                let store = Store::at(folder.path());
                store.writer().unwrap().rebuild(graph.all()).unwrap();
                folder
            },
            BatchSize::PerIteration,
        );
    });
}

fn open(c: &mut Criterion) {
    let fixture = Fixture::new();
    let path = fixture.folder.path().join("store");
    c.bench_function("open", |b| {
        b.iter(|| black_box(Snapshot::open(&path).unwrap()))
    });
}

fn lookup(c: &mut Criterion) {
    let fixture = Fixture::new();
    let snapshot = fixture.store().snapshot().unwrap();
    let keys: Vec<String> = (0..997)
        .map(|i| fixture.graph.key(i * 31 % NODES))
        .collect();
    let names: Vec<String> = (0..997)
        .map(|i| fixture.graph.name(i * 31).to_lowercase())
        .collect();
    let mut group = c.benchmark_group("lookup");
    let mut at = 0;
    let mut next = || {
        at = (at + 1) % 997;
        at
    };
    group.bench_function("key", |b| {
        b.iter(|| snapshot.find_key(&keys[next()]).unwrap())
    });
    group.bench_function("name", |b| {
        b.iter(|| snapshot.name(&names[next()]).unwrap())
    });
    group.bench_function("prefix", |b| {
        b.iter(|| snapshot.names_with_prefix("parset", 20).unwrap())
    });
    group.bench_function("substring", |b| {
        b.iter(|| snapshot.names_containing("ledger1", 20).unwrap())
    });
    group.bench_function("fuzzy", |b| {
        b.iter(|| snapshot.names_near("loadpge1", 1, 20).unwrap())
    });
}

fn traverse(c: &mut Criterion) {
    let fixture = Fixture::new();
    let snapshot = fixture.store().snapshot().unwrap();
    let graph = SnapshotGraph::new(&snapshot);
    let mut group = c.benchmark_group("traverse");
    let three = BfsOptions {
        max_depth: 3,
        ..BfsOptions::default()
    };
    group.bench_function("depth 3", |b| {
        b.iter(|| bfs(&graph, &[SymId(4711)], &three, |_, _| Verdict::Expand))
    });
    let all = BfsOptions::default();
    group.bench_function("whole", |b| {
        b.iter(|| bfs(&graph, &[SymId(4711)], &all, |_, _| Verdict::Expand))
    });
}

fn update(c: &mut Criterion) {
    let fixture = Fixture::new();
    let mut writer = fixture.store().writer().unwrap();
    let mut unit = 0;
    c.bench_function("update one unit", |b| {
        b.iter_batched(
            || {
                unit = (unit + 17) % fixture.graph.units();
                fixture.graph.unit(unit).unwrap()
            },
            |unit| {
                writer.put(unit).unwrap();
                writer.commit().unwrap()
            },
            BatchSize::PerIteration,
        );
    });
}

fn merge(c: &mut Criterion) {
    c.bench_function("compact", |b| {
        b.iter_batched(
            || {
                let fixture = Fixture::new();
                let mut writer = fixture.store().writer().unwrap();
                for unit in 0..20 {
                    writer.put(fixture.graph.unit(unit * 31).unwrap()).unwrap();
                }
                writer.commit().unwrap();
                (fixture, writer)
            },
            |(fixture, mut writer)| {
                writer.compact().unwrap();
                (fixture, writer)
            },
            BatchSize::PerIteration,
        );
    });
}

criterion_group! {
    name = engine;
    config = Criterion::default().sample_size(20);
    targets = build, open, lookup, traverse, update, merge
}
criterion_main!(engine);

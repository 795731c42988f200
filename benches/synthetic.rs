//! A store of millions of nodes: build, size, opening, lookups, walks, updates, in one run.
//!
//! `cargo bench --bench synthetic -- --nodes 5000000` prints one line a figure, each beside its yardstick. Cold figures
//! are taken in processes of their own: this program calls itself.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark reports on standard output and may fail loudly"
)]

mod common;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use common::Synthetic;
use graphify::ids::SymId;
use graphify::traverse::{BfsOptions, SnapshotGraph, Verdict, bfs};
use graphify::{Snapshot, Store};

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    match args.first().map(String::as_str) {
        Some("--cold-open") => return cold_open(Path::new(&args[1]), &args[2]),
        Some("--cold-nothing") => return,
        _ => {}
    }
    let nodes = value(&args, "--nodes").unwrap_or(500_000);
    let folder = args
        .iter()
        .position(|a| a == "--dir")
        .map(|i| PathBuf::from(&args[i + 1]));
    let temp = tempfile::tempdir().unwrap();
    let dir = folder.unwrap_or_else(|| temp.path().join("store"));
    let graph = Synthetic::new(nodes);
    let store = Store::at(&dir);

    let start = Instant::now();
    let mut writer = store.writer().unwrap();
    writer.rebuild(graph.all()).unwrap();
    report(
        "build",
        start.elapsed(),
        &format!(
            "{} nodes, {} edges",
            writer.snapshot().node_count(),
            writer.snapshot().edge_count()
        ),
    );
    println!("{:<34}{:>12} MiB", "build: peak memory", common::peak_mib());
    println!(
        "{:<34}{:>12} MiB",
        "store size",
        writer.snapshot().stored_bytes() >> 20
    );

    let snapshot = store.snapshot().unwrap();
    cold(&dir, &graph, nodes);
    lookups(&snapshot, &graph, nodes);
    walks(&snapshot, nodes);
    updates(&mut writer, &graph, nodes);
}

fn value(args: &[String], name: &str) -> Option<u64> {
    let at = args.iter().position(|a| a == name)?;
    args.get(at + 1)?.replace('_', "").parse().ok()
}

fn report(what: &str, time: Duration, note: &str) {
    println!("{what:<34}{:>12.3} ms  {note}", time.as_secs_f64() * 1e3);
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Opening and one name lookup in a process of its own, beside a process that does nothing.
fn cold(dir: &Path, graph: &Synthetic, nodes: u64) {
    let me = std::env::current_exe().unwrap();
    let run = |args: &[&str]| {
        let start = Instant::now();
        assert!(Command::new(&me).args(args).status().unwrap().success());
        start.elapsed()
    };
    let name = graph.name(nodes / 3);
    let dir = dir.to_string_lossy().into_owned();
    let (mut nothing, mut open) = (Vec::new(), Vec::new());
    for _ in 0..21 {
        nothing.push(run(&["--cold-nothing"]));
        open.push(run(&["--cold-open", &dir, &name]));
    }
    let (nothing, open) = (median(nothing), median(open));
    report("cold process: nothing", nothing, "");
    report(
        "cold process: open + name lookup",
        open,
        &format!(
            "{:+.3} ms",
            (open.as_secs_f64() - nothing.as_secs_f64()) * 1e3
        ),
    );
}

fn cold_open(dir: &Path, name: &str) {
    let snapshot = Snapshot::open(dir).unwrap();
    let hit = snapshot.name(&name.to_lowercase()).unwrap().unwrap();
    assert!(!snapshot.nodes_named(&hit).unwrap().is_empty());
}

fn lookups(snapshot: &Snapshot, graph: &Synthetic, nodes: u64) {
    let keys: Vec<String> = (0..10_000).map(|i| graph.key(i * 7919 % nodes)).collect();
    let start = Instant::now();
    for key in &keys {
        assert!(snapshot.find_key(key).unwrap().is_some());
    }
    report(
        "lookup by key, each",
        start.elapsed() / 10_000,
        "10,000 keys",
    );
    let names: Vec<String> = (0..10_000)
        .map(|i| graph.name(i * 7919 % nodes).to_lowercase())
        .collect();
    let start = Instant::now();
    for name in &names {
        assert!(snapshot.name(name).unwrap().is_some());
    }
    report(
        "lookup by name, each",
        start.elapsed() / 10_000,
        "10,000 names",
    );
    for (what, text) in [
        ("substring, frequent", "segment"),
        ("substring, rare", "ledger1900"),
    ] {
        let start = Instant::now();
        let hits = snapshot.names_containing(text, 1000).unwrap();
        report(
            what,
            start.elapsed(),
            &format!("`{text}`: {} names", hits.len()),
        );
    }
    let start = Instant::now();
    let hits = snapshot.names_near("loadpge12", 2, 100).unwrap();
    report(
        "fuzzy, distance 2",
        start.elapsed(),
        &format!("{} names", hits.len()),
    );
}

fn walks(snapshot: &Snapshot, nodes: u64) {
    let bound = snapshot.symbol_bound();
    let seeds: Vec<SymId> = (0..1000u64)
        .map(|i| SymId(u32::try_from(i * 104_729 % nodes).unwrap()))
        .collect();
    let options = BfsOptions {
        max_depth: 3,
        ..BfsOptions::default()
    };
    let graph = SnapshotGraph::new(snapshot);
    let mut reached = 0;
    let start = Instant::now();
    for seed in &seeds {
        reached += bfs(&graph, &[*seed], &options, |_, _| Verdict::Expand).nodes;
    }
    report(
        "walk of depth 3, each",
        start.elapsed() / 1000,
        &format!("{} nodes on average", reached / 1000),
    );

    // The yardstick: the same graph as two arrays on the heap, walked with a queue and a bit set.
    let (mut offsets, mut targets) = (vec![0u32], Vec::new());
    for sym in 0..bound {
        targets.extend(
            snapshot
                .out_row(SymId(sym))
                .targets()
                .iter()
                .map(|t| t.to_native()),
        );
        offsets.push(u32::try_from(targets.len()).unwrap());
    }
    let seed = seeds[7];
    let mut ours = Vec::new();
    let mut plain = Vec::new();
    let mut adaptive = Vec::new();
    let arrays = Arrays { offsets, targets };
    let (mut a, mut b, mut c) = (0, 0, 0);
    for _ in 0..5 {
        let start = Instant::now();
        a = bfs(
            &SnapshotGraph::new(snapshot),
            &[seed],
            &BfsOptions::default(),
            |_, _| Verdict::Expand,
        )
        .nodes;
        ours.push(start.elapsed());
        let start = Instant::now();
        b = arrays.queue_walk(seed);
        plain.push(start.elapsed());
        let start = Instant::now();
        c = arrays.level_walk(seed);
        adaptive.push(start.elapsed());
    }
    assert_eq!(black_box(a), b);
    assert_eq!(b, c);
    let (ours, plain, adaptive) = (median(ours), median(plain), median(adaptive));
    report(
        "full walk, arrays and a queue",
        plain,
        &format!("{b} nodes"),
    );
    report("full walk, arrays and bit sets", adaptive, "");
    let ratio = ours.as_secs_f64() / adaptive.as_secs_f64();
    report(
        "full walk, store",
        ours,
        &format!("{ratio:.2} x arrays and bit sets"),
    );
}

struct Arrays {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Arrays {
    fn row(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }

    fn queue_walk(&self, seed: SymId) -> u64 {
        let mut seen = vec![0u64; self.offsets.len() / 64 + 1];
        let mut queue = std::collections::VecDeque::from([seed.0]);
        seen[seed.0 as usize / 64] |= 1 << (seed.0 % 64);
        let mut count = 0;
        while let Some(node) = queue.pop_front() {
            count += 1;
            for target in self.row(node) {
                let (word, bit) = (*target as usize / 64, 1u64 << (target % 64));
                if seen[word] & bit == 0 {
                    seen[word] |= bit;
                    queue.push_back(*target);
                }
            }
        }
        count
    }

    /// Level by level, each level in ascending order through a bit set: what reads memory most evenly.
    fn level_walk(&self, seed: SymId) -> u64 {
        let words = self.offsets.len() / 64 + 1;
        let (mut seen, mut level, mut next) =
            (vec![0u64; words], vec![0u64; words], vec![0u64; words]);
        level[seed.0 as usize / 64] |= 1 << (seed.0 % 64);
        seen[seed.0 as usize / 64] |= 1 << (seed.0 % 64);
        let mut count = 0;
        loop {
            let mut any = false;
            for (at, word) in level.iter_mut().enumerate() {
                let mut bits = std::mem::take(word);
                while bits != 0 {
                    let node = (at * 64) as u32 + bits.trailing_zeros();
                    bits &= bits - 1;
                    count += 1;
                    for target in self.row(node) {
                        let (w, bit) = (*target as usize / 64, 1u64 << (target % 64));
                        if seen[w] & bit == 0 {
                            seen[w] |= bit;
                            next[w] |= bit;
                            any = true;
                        }
                    }
                }
            }
            if !any {
                return count;
            }
            std::mem::swap(&mut level, &mut next);
        }
    }
}

fn updates(writer: &mut graphify::Writer, graph: &Synthetic, nodes: u64) {
    let mut times = Vec::new();
    let mut merges = 0;
    for i in 0..64 {
        let unit = graph.unit(i * 9973 % graph.units()).unwrap();
        let start = Instant::now();
        writer.put(unit).unwrap();
        let info = writer.commit().unwrap();
        times.push(start.elapsed());
        merges += usize::from(info.merged);
    }
    let worst = times.iter().max().copied().unwrap();
    report(
        "replace of one unit (median)",
        median(times),
        &format!(
            "{nodes} nodes; worst {:.1} ms; {merges} of 64 merged",
            worst.as_secs_f64() * 1e3
        ),
    );
    let snapshot = writer.snapshot();
    println!(
        "{:<34}{:>12}",
        "segments afterwards",
        snapshot.segment_count()
    );
    let seed = SymId(7);
    let start = Instant::now();
    let full = bfs(
        &SnapshotGraph::new(&snapshot),
        &[seed],
        &BfsOptions::default(),
        |_, _| Verdict::Expand,
    )
    .nodes;
    report(
        "full walk over base and deltas",
        start.elapsed(),
        &format!("{full} nodes"),
    );
}

//! Any sequence of edits, with power cuts in between, leaves what a fresh store would hold.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arbitrary::Arbitrary;
use graphify::model::edge::EdgeLabel;
use graphify::model::label::{Language, NodeKind, Relation};
use graphify::model::unit::{NewNode, Unit};
use graphify::storage::sim::{Fault, SimFs, Survival};
use graphify::{Snapshot, Store};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    Put {
        file: u8,
        nodes: Vec<u8>,
        edges: Vec<(u8, u8, u8)>,
    },
    Remove(u8),
    Commit,
    Compact,
    /// Commit with a power cut so many steps on.
    Cut(u8, u8),
}

fn unit(file: u8, nodes: &[u8], edges: &[(u8, u8, u8)]) -> Unit {
    let mut unit = Unit::new(format!("f{}", file % 5), Language::NONE);
    let mut places = vec![graphify::ids::LocalNode::UNIT];
    for name in nodes.iter().take(6) {
        places.push(
            unit.add(NewNode::new(&format!("n{}", name % 4), NodeKind::FUNCTION))
                .unwrap(),
        );
    }
    for (from, to, name) in edges.iter().take(8) {
        let from = places[usize::from(*from) % places.len()];
        let target = format!("f{}::n{}()", to % 5, name % 5);
        unit.link_key(from, &target, EdgeLabel::stated(Relation::CALLS));
    }
    unit
}

type Model = BTreeMap<String, (Vec<u8>, Vec<(u8, u8, u8)>)>;

fn of_model(model: &Model) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (key, (nodes, edges)) in model {
        let file: u8 = key[1..].parse().unwrap();
        let unit = unit(file, nodes, edges);
        let keys = unit.keys();
        lines.extend(keys.iter().cloned());
        for edge in unit.edges() {
            let graphify::model::edge::Target::Key { key, .. } = edge.target else {
                unreachable!()
            };
            lines.insert(format!(
                "{} -> {}",
                keys[edge.source.index()],
                unit.text(key)
            ));
        }
    }
    lines
}

fn of_snapshot(snapshot: &Snapshot) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for node in snapshot.files().flat_map(|f| f.nodes().collect::<Vec<_>>()) {
        assert!(lines.insert(node.key()));
        for edge in snapshot.out_edges(node.sym()) {
            let target = snapshot
                .node(edge.target)
                .expect("every target has a record");
            lines.insert(format!("{} -> {}", node.key(), target.key()));
        }
    }
    lines
}

fuzz_target!(|steps: Vec<Step>| {
    let mut disk = SimFs::new();
    let mut store = Store::with_fs(Arc::new(disk.clone()), "/index");
    let mut writer = store.writer().unwrap();
    let (mut model, mut committed) = (Model::new(), Model::new());
    for step in steps.into_iter().take(24) {
        match step {
            Step::Put { file, nodes, edges } => {
                writer.put(unit(file, &nodes, &edges)).unwrap();
                model.insert(format!("f{}", file % 5), (nodes, edges));
            }
            Step::Remove(file) => {
                writer.remove(&format!("f{}", file % 5));
                model.remove(&format!("f{}", file % 5));
            }
            Step::Commit => {
                writer.commit().unwrap();
                committed = model.clone();
                assert_eq!(of_snapshot(&writer.snapshot()), of_model(&model));
            }
            Step::Compact => {
                writer.commit().unwrap();
                writer.compact().unwrap();
                committed = model.clone();
                assert_eq!(of_snapshot(&writer.snapshot()), of_model(&model));
            }
            Step::Cut(after, seed) => {
                disk.inject(disk.steps() + u64::from(after % 40), Fault::PowerLoss);
                let done = writer.commit().is_ok();
                drop(writer);
                disk = disk.crash(Survival::Scattered(u64::from(seed)));
                store = Store::with_fs(Arc::new(disk.clone()), "/index");
                writer = store.writer().unwrap();
                let found = of_snapshot(&writer.snapshot());
                if found != of_model(&model) {
                    assert!(!done, "an acknowledged commit was lost");
                    assert_eq!(found, of_model(&committed), "a state that never was");
                    model = committed.clone();
                }
                committed = model.clone();
            }
        }
    }
    writer.commit().unwrap();
    drop(writer);
    let report = store.verify().unwrap_or_default();
    assert!(report.is_sound(), "{:?}", report.findings);
});

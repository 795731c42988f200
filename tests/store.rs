//! The store as another tool uses it: units go in, a graph comes out, whatever the order of edits.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use std::collections::{BTreeMap, BTreeSet};

use graphify::model::edge::EdgeLabel;
use graphify::model::label::{Language, NodeKind, Relation};
use graphify::model::unit::{NewNode, Unit};
use graphify::{ErrorKind, Snapshot, Store};
use proptest::prelude::*;

/// What a test says about one unit: names of its nodes, and edges from one of them to any key.
#[derive(Clone, Debug, Default, PartialEq)]
struct Plan {
    nodes: Vec<String>,
    edges: Vec<(usize, String, u32)>,
}

fn unit(key: &str, plan: &Plan) -> Unit {
    let mut unit = Unit::new(key, Language::NONE);
    for name in &plan.nodes {
        unit.add(NewNode::new(name, NodeKind::FUNCTION)).unwrap();
    }
    for (from, target, line) in &plan.edges {
        let source =
            graphify::ids::LocalNode(u32::try_from(from % plan.nodes.len().max(1)).unwrap() + 1);
        let source = if plan.nodes.is_empty() {
            graphify::ids::LocalNode::UNIT
        } else {
            source
        };
        let label = EdgeLabel {
            line: *line,
            ..EdgeLabel::stated(Relation::CALLS)
        };
        unit.link_key(source, target, label);
    }
    unit
}

/// Everything a snapshot says, by key: live nodes, and every edge with its line.
type Dump = (BTreeSet<String>, Vec<(String, String, u32)>);

fn dump(snapshot: &Snapshot) -> Dump {
    let mut nodes = BTreeSet::new();
    let mut edges = Vec::new();
    for file in snapshot.files() {
        for node in file.nodes() {
            assert!(nodes.insert(node.key()), "{} twice", node.key());
            for edge in snapshot.out_edges(node.sym()) {
                let target = snapshot.node(edge.target).expect("a target has a record");
                edges.push((node.key(), target.key(), edge.label.line));
                assert!(
                    snapshot.in_edges(edge.target).any(|e| e == edge),
                    "{} -> {} is missing backwards",
                    node.key(),
                    target.key()
                );
            }
        }
    }
    edges.sort();
    (nodes, edges)
}

fn expected(model: &BTreeMap<String, Plan>) -> Dump {
    let mut nodes = BTreeSet::new();
    let mut edges = Vec::new();
    for (key, plan) in model {
        let keys = unit(key, plan).keys();
        nodes.extend(keys.iter().cloned());
        for (from, target, line) in &plan.edges {
            let source = if plan.nodes.is_empty() {
                0
            } else {
                from % plan.nodes.len() + 1
            };
            edges.push((keys[source].clone(), target.clone(), *line));
        }
    }
    edges.sort();
    (nodes, edges)
}

fn plan_strategy() -> impl Strategy<Value = Plan> {
    let name = prop::sample::select(vec!["run", "get", "Größe", "parseURL", "用户", "x"]);
    let target = (
        0..5usize,
        prop::sample::select(vec!["run()", "get()", "x()", "gone()", ""]),
    )
        .prop_map(|(file, part)| {
            if part.is_empty() {
                format!("f{file}")
            } else {
                format!("f{file}::{part}")
            }
        });
    (
        prop::collection::vec(name.prop_map(String::from), 0..5),
        prop::collection::vec((0..5usize, target, 1..4u32), 0..6),
    )
        .prop_map(|(nodes, edges)| Plan { nodes, edges })
}

#[derive(Clone, Debug)]
enum Step {
    Put(usize, Plan),
    Remove(usize),
    Commit,
    Compact,
}

fn step_strategy() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..5usize, plan_strategy()).prop_map(|(f, p)| Step::Put(f, p)),
        2 => (0..5usize).prop_map(Step::Remove),
        4 => Just(Step::Commit),
        1 => Just(Step::Compact),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_edits_leaves_what_a_fresh_store_would_hold(
        steps in prop::collection::vec(step_strategy(), 1..40)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path().join("store"));
        let mut writer = store.writer().unwrap();
        let mut model = BTreeMap::new();
        for step in steps.into_iter().chain([Step::Commit]) {
            match step {
                Step::Put(file, plan) => {
                    let key = format!("f{file}");
                    writer.put(unit(&key, &plan)).unwrap();
                    model.insert(key, plan);
                }
                Step::Remove(file) => {
                    writer.remove(&format!("f{file}"));
                    model.remove(&format!("f{file}"));
                }
                Step::Commit => {
                    writer.commit().unwrap();
                    prop_assert_eq!(dump(&writer.snapshot()), expected(&model));
                }
                Step::Compact => {
                    writer.commit().unwrap();
                    writer.compact().unwrap();
                    prop_assert_eq!(dump(&writer.snapshot()), expected(&model));
                }
            }
        }
        drop(writer);
        if !model.is_empty() {
            prop_assert_eq!(dump(&store.snapshot().unwrap()), expected(&model));
        }
    }
}

fn plan(nodes: &[&str], edges: &[(usize, &str)]) -> Plan {
    Plan {
        nodes: nodes.iter().map(|n| (*n).to_string()).collect(),
        edges: edges
            .iter()
            .map(|(f, t)| (*f, (*t).to_string(), 1))
            .collect(),
    }
}

fn callers(snapshot: &Snapshot, key: &str) -> Vec<String> {
    let sym = snapshot.find_key(key).unwrap().unwrap();
    snapshot
        .in_edges(sym)
        .map(|e| snapshot.node(e.source).unwrap().key())
        .collect()
}

#[test]
fn an_edge_waits_for_its_target_and_outlives_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut writer = store.writer().unwrap();
    writer
        .put(unit("a", &plan(&["f"], &[(0, "b::g()")])))
        .unwrap();
    writer.commit().unwrap();
    let waiting = store.snapshot().unwrap();
    let sym = waiting.find_key("b::g()").unwrap().unwrap();
    assert!(waiting.node(sym).unwrap().is_placeholder());

    writer.put(unit("b", &plan(&["g"], &[]))).unwrap();
    writer.commit().unwrap();
    let bound = store.snapshot().unwrap();
    assert!(!bound.node(sym).unwrap().is_placeholder());
    assert_eq!(callers(&bound, "b::g()"), ["a::f()"]);

    writer.remove("b");
    writer.commit().unwrap();
    let gone = store.snapshot().unwrap();
    assert!(gone.node(sym).unwrap().is_placeholder());
    assert_eq!(callers(&gone, "b::g()"), ["a::f()"]);
    assert_eq!(gone.file_count(), 1);

    writer.put(unit("b", &plan(&["g"], &[]))).unwrap();
    writer.commit().unwrap();
    assert_eq!(callers(&store.snapshot().unwrap(), "b::g()"), ["a::f()"]);
    assert!(
        !store
            .snapshot()
            .unwrap()
            .node(sym)
            .unwrap()
            .is_placeholder()
    );
}

#[test]
fn a_reader_keeps_its_commit_while_the_store_moves_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut writer = store.writer().unwrap();
    writer.put(unit("a", &plan(&["old"], &[]))).unwrap();
    writer.commit().unwrap();
    let before = std::sync::Arc::new(store.snapshot().unwrap());
    for i in 0..20 {
        writer
            .put(unit("a", &plan(&[&format!("new{i}")], &[])))
            .unwrap();
        writer.commit().unwrap();
    }
    writer.compact().unwrap();
    assert!(before.find_key("a::old()").unwrap().is_some());
    let after = store.refresh(&before).unwrap();
    assert!(after.find_key("a::old()").unwrap().is_none());
    assert!(after.find_key("a::new19()").unwrap().is_some());
    assert!(std::sync::Arc::ptr_eq(
        &store.refresh(&after).unwrap(),
        &after
    ));
}

#[test]
fn a_thousand_single_unit_commits_stay_a_handful_of_segments() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut writer = store.writer().unwrap();
    for i in 0..60 {
        writer
            .put(unit(
                &format!("f{i:03}"),
                &plan(&["a", "b"], &[(0, "f000::a()")]),
            ))
            .unwrap();
    }
    writer.commit().unwrap();
    for i in 0..200 {
        let key = format!("f{:03}", i % 60);
        writer
            .put(unit(&key, &plan(&["a", "c"], &[(1, "f000::a()")])))
            .unwrap();
        writer.commit().unwrap();
        assert!(writer.snapshot().segment_count() <= 9);
    }
    let files: Vec<_> = std::fs::read_dir(folder.path().join("seg"))
        .unwrap()
        .collect();
    assert_eq!(
        files.len(),
        writer.snapshot().segment_count(),
        "dropped segments are removed"
    );
    assert_eq!(callers(&writer.snapshot(), "f000::a()").len(), 60);
}

#[test]
fn an_empty_folder_has_no_index_and_a_second_writer_is_told_who_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("deep/store"));
    assert_eq!(store.snapshot().err().unwrap().kind(), ErrorKind::NoIndex);
    let first = store.writer().unwrap();
    let second = store.writer().err().unwrap();
    assert_eq!(second.kind(), ErrorKind::Locked);
    assert!(
        second.to_string().contains(&std::process::id().to_string()),
        "{second}"
    );
    drop(first);
    store.writer().unwrap();
}

#[test]
fn keys_that_could_be_taken_for_symbols_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Store::at(folder.path()).writer().unwrap();
    for key in ["", "a::b", "?x"] {
        let error = writer.put(Unit::new(key, Language::NONE)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{key}");
    }
}

#[test]
fn labels_and_properties_travel_with_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut writer = store.writer().unwrap();
    let city = writer.kind("city").unwrap();
    let road = writer.relation("road_to").unwrap();
    let mut map = Unit::new("map", Language::NONE);
    let a = map.add(NewNode::new("A", city)).unwrap();
    let b = map.add(NewNode::new("B", city)).unwrap();
    map.link_local(a, b, EdgeLabel::stated(road));
    map.link_local(
        a,
        b,
        EdgeLabel {
            line: 7,
            ..EdgeLabel::stated(road)
        },
    );
    writer.put(map).unwrap();
    writer.set_property("made_from", "atlas");
    writer.commit().unwrap();
    let snapshot = store.snapshot().unwrap();
    let a = snapshot
        .node(snapshot.find_key("map::A").unwrap().unwrap())
        .unwrap();
    assert_eq!(a.kind().name(snapshot.labels()), "city");
    let lines: Vec<u32> = snapshot.out_edges(a.sym()).map(|e| e.label.line).collect();
    assert_eq!(lines, [0, 7], "both parallel edges are kept");
    assert_eq!(snapshot.property("made_from"), Some("atlas"));
}

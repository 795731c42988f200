//! Graphs of other programs: what becomes of them in a store, and that they come back whole.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use serde_json::{Value, json};

use super::*;
use crate::interchange::graph_json;
use crate::store::Store;

struct Imported1 {
    _folder: tempfile::TempDir,
    store: Store,
    told: Imported,
}

fn imported(text: &str) -> Result<Imported1> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.json");
    std::fs::write(&path, text).unwrap();
    let store = Store::at(folder.path().join("index"));
    let mut writer = store.writer().unwrap();
    let told = import(&path, &mut writer)?;
    drop(writer);
    assert!(store.verify().unwrap().is_sound(), "{:?}", store.verify());
    Ok(Imported1 {
        _folder: folder,
        store,
        told,
    })
}

fn exported(store: &Store) -> Value {
    let mut bytes = Vec::new();
    graph_json::write(&store.snapshot().unwrap(), &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// A list of a graph in an order of its own.
fn sorted(list: &Value) -> Vec<String> {
    let mut texts: Vec<String> = list
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    texts.sort();
    texts
}

fn clustered() -> Value {
    json!({
        "directed": false, "multigraph": false, "graph": {"schema_version": 1},
        "nodes": [
            {"id": "src_vec", "label": "vec.ts", "file_type": "code", "source_file": "src/vec.ts", "source_location": "L1",
             "community": 2, "community_name": "Vectors"},
            {"id": "src_vec_vec", "label": "Vec", "_callable_class": true, "file_type": "code", "source_file": "src/vec.ts",
             "source_location": "L3", "community": 2},
            {"id": "src_vec_plus", "label": ".plus()", "file_type": "code", "source_file": "src/vec.ts", "source_location": "L5",
             "x_custom": {"k": [1, 2.50, "a\n b"]}},
            {"id": "src_use_run", "label": "run()", "file_type": "code", "source_file": "src\\use.ts", "source_location": "L2"},
            {"id": "idea", "label": "Why vectors", "file_type": "concept", "source_file": "", "rationale": "because"},
            {"id": 7, "label": "seven"}
        ],
        "links": [
            {"source": "src_vec", "target": "src_vec_vec", "relation": "contains", "confidence": "EXTRACTED"},
            {"source": "src_vec_vec", "target": "src_vec_plus", "relation": "method", "confidence": "EXTRACTED"},
            {"source": "src_vec_plus", "target": "src_use_run", "_src": "src_use_run", "_tgt": "src_vec_plus",
             "relation": "calls", "context": "call", "confidence": "INFERRED", "confidence_score": 0.8, "weight": 0.8,
             "source_file": "src/use.ts", "source_location": "L4"},
            {"source": "src_use_run", "target": "src_vec_plus", "relation": "conceptually_related_to", "confidence": "odd"},
            {"source": "src_use_run", "target": "gone", "relation": "imports"},
            {"source": "nobody", "target": 7, "relation": "uses"}
        ],
        "hyperedges": [{"id": "h", "label": "all", "nodes": ["idea", "src_vec"], "relation": "form"}],
        "built_at_commit": "abc"
    })
}

#[test]
fn everything_is_found_by_its_id_and_given_back() {
    let graph = clustered();
    let done = imported(&graph.to_string()).unwrap();
    assert_eq!(
        (done.told.nodes, done.told.links, done.told.files),
        (6, 6, 2)
    );
    let warning = &done.told.warnings[0];
    assert_eq!((warning.count, warning.example.as_str()), (2, "gone"));

    let snapshot = done.store.snapshot().unwrap();
    let sym = |id: &str| {
        snapshot
            .find_key(id)
            .unwrap()
            .unwrap_or_else(|| panic!("no {id}"))
    };
    let node = |id: &str| snapshot.node(sym(id)).unwrap();
    assert_eq!(node("src_vec_plus").label(), ".plus()");
    assert_eq!(node("src_vec_plus").parent().unwrap().key(), "src_vec_vec");
    assert_eq!(node("src_vec_vec").kind(), NodeKind::CLASS);
    assert_eq!(node("src_vec_vec").community(), "2");
    assert_eq!(node("src_vec").community(), "Vectors");
    assert!(node("src_vec").is_unit());
    assert_eq!(
        snapshot.file("src/vec.ts").unwrap().sym(),
        Some(sym("src_vec"))
    );
    assert_eq!(node("src_use_run").file(), Some("src/use.ts"));
    assert_eq!(node("idea").doc(), "because");
    assert_eq!(node("7").label(), "seven");
    let calls: Vec<_> = snapshot
        .out_edges(sym("src_use_run"))
        .map(|e| (e.label, e.target))
        .collect();
    assert_eq!(calls.len(), 3);
    let (label, target) = calls[0];
    assert_eq!(
        (label.relation, label.line, target),
        (Relation::CALLS, 4, sym("src_vec_plus"))
    );
    assert_eq!(label.confidence, crate::model::edge::Confidence::Inferred);

    let back = exported(&done.store);
    for list in ["nodes", "links", "hyperedges"] {
        assert_eq!(sorted(&back[list]), sorted(&graph[list]), "{list}");
    }
    assert_eq!(
        (&back["built_at_commit"], &back["graph"]),
        (&graph["built_at_commit"], &graph["graph"])
    );
    assert_eq!(back["multigraph"], true, "two links join the same pair");
    assert_eq!(back["directed"], false);
    // What comes out goes in again, and comes out the same.
    let again = imported(&back.to_string()).unwrap();
    assert_eq!(
        sorted(&exported(&again.store)["nodes"]),
        sorted(&graph["nodes"])
    );
    assert_eq!(exported(&again.store)["multigraph"], true);
}

#[test]
fn the_order_of_the_file_and_the_name_of_the_links_do_not_matter() {
    let graph = clustered();
    let pretty = serde_json::to_string_pretty(&json!({
        "edges": graph["links"], "hyperedges": graph["hyperedges"], "nodes": graph["nodes"],
    }));
    let done = imported(&format!("\u{feff}{}", pretty.unwrap())).unwrap();
    let back = exported(&done.store);
    assert_eq!(sorted(&back["links"]), sorted(&graph["links"]));
    assert_eq!(sorted(&back["nodes"]), sorted(&graph["nodes"]));
    assert!(back.get("multigraph").is_none());
    let snapshot = done.store.snapshot().unwrap();
    assert_eq!(snapshot.edge_count(), 5);
}

#[test]
fn our_own_export_keeps_its_ids_and_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut writer = store.writer().unwrap();
    let mut unit = Unit::new("src/a.ts", Language::TYPESCRIPT);
    let class = unit.add(NewNode::new("A", NodeKind::INTERFACE)).unwrap();
    let f = unit
        .add(NewNode {
            parent: class,
            ..NewNode::new("f", NodeKind::METHOD)
        })
        .unwrap();
    unit.link_local(class, f, EdgeLabel::stated(Relation::METHOD));
    unit.link_local(
        LocalNode::UNIT,
        class,
        EdgeLabel::stated(Relation::CONTAINS),
    );
    writer.put(unit).unwrap();
    writer.commit().unwrap();
    let before = exported(&store);
    let done = imported(&before.to_string()).unwrap();
    assert_eq!(exported(&done.store)["nodes"], before["nodes"]);
    assert_eq!(exported(&done.store)["links"], before["links"]);
    let snapshot = done.store.snapshot().unwrap();
    let f = snapshot.find_key("src/a.ts::A.f()").unwrap().unwrap();
    assert_eq!(snapshot.node(f).unwrap().kind(), NodeKind::METHOD);
    assert_eq!(
        snapshot.node(f).unwrap().parent().unwrap().kind(),
        NodeKind::INTERFACE
    );
    assert_eq!(
        snapshot.node_count(),
        3 + 1,
        "the unit without a file is there for the rest"
    );
}

#[test]
fn what_is_no_graph_is_one_clear_error() {
    for (text, told) in [
        ("", "EOF"),
        ("[]", "object"),
        ("{}", "nodes"),
        ("{\"nodes\":[],\"links\":[]} x", "trailing"),
        ("{\"nodes\":{}}", "list of nodes"),
        ("{\"nodes\":[1]}", "no object"),
        ("{\"nodes\":[{\"label\":\"x\"}]}", "no id"),
        ("{\"nodes\":[{\"id\":[1]}]}", "no id"),
        (
            "{\"nodes\":[{\"id\":\"a\"}],\"links\":[{\"source\":\"a\"}]}",
            "lacks an end",
        ),
        ("{\"nodes\":[{\"id\":\"a\"},", "EOF"),
        ("{\"nodes\":[],\"nodes\":[]}", "twice"),
    ] {
        let failed = imported(text).map(|_| ()).unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Format, "{text}");
        assert!(failed.to_string().contains(told), "{text}: {failed}");
    }
}

#[test]
fn odd_graphs_are_counted_and_kept() {
    let many: Vec<Value> = (0..300)
        .map(|i| json!({"source": "a", "target": "b", "relation": format!("r{i}"), "context": format!("c{i}")}))
        .collect();
    let graph = json!({
        "nodes": [{"id": "a", "label": "f()", "source_file": "?odd::path"}, {"id": "b", "source_file": "b.ts", "label": null},
                  {"id": "a", "label": "again"}, {"id": "b.ts", "source_file": "other.ts", "label": "x".repeat(5000)}],
        "links": many,
    });
    let done = imported(&graph.to_string()).unwrap();
    let counts: Vec<(u64, &str)> = done
        .told
        .warnings
        .iter()
        .map(|w| (w.count, w.what.split(' ').next().unwrap()))
        .collect();
    assert_eq!(counts, [(172, "context"), (1, "node"), (172, "relation")]);
    assert_eq!(
        exported(&done.store)["links"].as_array().unwrap().len(),
        300
    );
    let none = imported("{\"nodes\":[]}").unwrap();
    assert_eq!(none.told.nodes, 0);
    assert_eq!(exported(&none.store)["nodes"], json!([]));
}

#[test]
fn the_same_file_makes_the_same_store() {
    let text = clustered().to_string();
    let bytes = |done: &Imported1| {
        let mut files: Vec<_> = std::fs::read_dir(done.store.path().join("seg"))
            .unwrap()
            .map(|f| std::fs::read(f.unwrap().path()).unwrap())
            .collect();
        files.sort();
        files
    };
    assert_eq!(
        bytes(&imported(&text).unwrap()),
        bytes(&imported(&text).unwrap())
    );
}

#[test]
fn an_imported_store_can_be_changed_and_folded() {
    let done = imported(&clustered().to_string()).unwrap();
    let before = exported(&done.store);
    let mut writer = done.store.writer().unwrap();
    let mut unit = Unit::new("src/new.ts", Language::TYPESCRIPT);
    let n = unit.add(NewNode::new("n", NodeKind::FUNCTION)).unwrap();
    unit.link_key(n, "src_vec_plus", EdgeLabel::stated(Relation::CALLS));
    writer.put(unit).unwrap();
    writer.remove("src/use.ts");
    writer.commit().unwrap();
    let snapshot = done.store.snapshot().unwrap();
    let plus = snapshot.find_key("src_vec_plus").unwrap().unwrap();
    let callers: Vec<String> = snapshot
        .in_edges(plus)
        .map(|e| snapshot.node(e.source).unwrap().key())
        .collect();
    assert_eq!(callers, ["src_vec_vec", "src/new.ts::n()"]);
    assert_eq!(snapshot.find_key("src_use_run").unwrap(), None);
    writer.remove("src/new.ts");
    writer.commit().unwrap();
    writer.compact().unwrap();
    drop(writer);
    assert!(done.store.verify().unwrap().is_sound());
    let kept = |g: &Value| {
        let nodes = g["nodes"].as_array().unwrap().clone();
        nodes
            .into_iter()
            .filter(|n| n["id"] != "src_use_run")
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(&exported(&done.store)), kept(&before));
}

//! The same tree gives the same bytes: whatever the number of threads, wherever it lies, however it was reached.

#![cfg(feature = "languages")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use graphify::index::tree::{IndexOptions, index_tree};
use graphify::model::progress::{Cancel, Silent};
use graphify::{Snapshot, Store};

fn write_tree(root: &Path) {
    fs::create_dir_all(root.join("src/deep")).unwrap();
    for i in 0..40 {
        let next = (i + 1) % 40;
        let text = format!(
            "import {{ f{next}, type T{next} }} from './m{next}';\n\
             export interface T{i} {{ value: number; next?: T{next} }}\n\
             export class C{i} {{ constructor(private t: T{i}) {{}}\n  run() {{ return f{next}(this.t.value); }} }}\n\
             export function f{i}(n: number): number {{ return n > 9 ? n : f{next}(n + 1); }}\n"
        );
        fs::write(root.join(format!("src/m{i}.ts")), text).unwrap();
    }
    fs::write(
        root.join("src/deep/view.tsx"),
        "export const View = () => <div onClick={() => go()} />;\nfunction go() {}\n",
    )
    .unwrap();
    fs::write(
        root.join("tsconfig.json"),
        "{ \"compilerOptions\": { \"baseUrl\": \".\" } }\n",
    )
    .unwrap();
}

fn index(root: &Path, jobs: usize) -> PathBuf {
    let out = root.join("graphify-out/index");
    let options = IndexOptions {
        jobs: Some(jobs),
        ..IndexOptions::default()
    };
    index_tree(
        root,
        &Store::at(&out),
        &options,
        &Silent,
        &Cancel::default(),
    )
    .unwrap();
    out
}

/// Every byte that a reader can see: HEAD and the segments.
fn bytes_of(index: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("HEAD".to_string(), fs::read(index.join("HEAD")).unwrap())];
    for entry in fs::read_dir(index.join("seg")).unwrap() {
        let entry = entry.unwrap();
        files.push((
            entry.file_name().into_string().unwrap(),
            fs::read(entry.path()).unwrap(),
        ));
    }
    files.sort();
    files
}

/// What the graph says, independent of how it is stored.
fn dump(snapshot: &Snapshot) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for file in snapshot.files() {
        for node in file.nodes() {
            lines.insert(format!(
                "{} {:?} {:?} {}",
                node.key(),
                node.kind(),
                node.span(),
                node.signature()
            ));
            for edge in snapshot.out_edges(node.sym()) {
                let target = snapshot
                    .node(edge.target)
                    .map(|n| n.key())
                    .unwrap_or_default();
                lines.insert(format!("{} -> {target} {:?}", node.key(), edge.label));
            }
        }
    }
    lines
}

#[test]
fn one_thread_and_many_here_and_elsewhere_give_the_same_bytes() {
    let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let far = elsewhere.path().join("some/where/else");
    write_tree(here.path());
    write_tree(&far);
    let one = bytes_of(&index(here.path(), 1));
    let many = bytes_of(&index(&far, 7));
    assert!(one.iter().map(|(_, b)| b.len()).sum::<usize>() > 10_000);
    assert!(one == many, "the bytes differ");
}

#[test]
fn an_index_can_be_copied_to_another_work_tree() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_tree(here.path());
    write_tree(there.path());
    let made = index(here.path(), 2);
    let copy = there.path().join("graphify-out/index");
    fs::create_dir_all(copy.join("seg")).unwrap();
    for (name, bytes) in bytes_of(&made) {
        let folder = if name == "HEAD" {
            copy.clone()
        } else {
            copy.join("seg")
        };
        fs::write(folder.join(name), bytes).unwrap();
    }
    let snapshot = Snapshot::open(&copy).unwrap();
    assert_eq!(dump(&snapshot), dump(&Snapshot::open(&made).unwrap()));
    // The catalog was left behind: the next run takes HEAD's word for what is indexed and finds nothing changed.
    let options = IndexOptions::default();
    let report = index_tree(
        there.path(),
        &Store::at(&copy),
        &options,
        &Silent,
        &Cancel::default(),
    )
    .unwrap();
    assert_eq!((report.added, report.changed, report.unchanged), (0, 0, 41));
}

#[test]
fn edits_leave_what_a_fresh_index_would_hold() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write_tree(root);
    let out = index(root, 2);
    let fresh = |name: &str| {
        let other = Store::at(root.join("graphify-out").join(name));
        index_tree(
            root,
            &other,
            &IndexOptions::default(),
            &Silent,
            &Cancel::default(),
        )
        .unwrap();
        dump(&other.snapshot().unwrap())
    };
    let now = || {
        index(root, 2);
        dump(&Snapshot::open(&out).unwrap())
    };
    // An export is renamed: its importers keep the reference, unresolved.
    let m5 = fs::read_to_string(root.join("src/m5.ts")).unwrap();
    fs::write(
        root.join("src/m5.ts"),
        m5.replace("function f5(", "function g5("),
    )
    .unwrap();
    let after = now();
    assert_eq!(after, fresh("a"));
    assert!(
        !after.iter().any(|l| l.contains("-> src/m5.ts::f5()")),
        "a call to a function that is gone"
    );
    // It comes back, in another file that the old one hands on.
    fs::write(
        root.join("src/m5b.ts"),
        "export function f5(n: number): number { return n; }\n",
    )
    .unwrap();
    fs::write(
        root.join("src/m5.ts"),
        m5.replace(
            "export function f5(",
            "export { f5 } from './m5b';\nfunction g5(",
        ),
    )
    .unwrap();
    let after = now();
    assert_eq!(after, fresh("b"));
    assert!(
        after
            .iter()
            .any(|l| l.starts_with("src/m4.ts::f4() -> src/m5b.ts::f5()")),
        "{after:#?}"
    );
    // A file goes, another is broken, a third moves.
    fs::remove_file(root.join("src/m9.ts")).unwrap();
    fs::write(root.join("src/m12.ts"), "export function f12(n { return\n").unwrap();
    fs::rename(root.join("src/m20.ts"), root.join("src/deep/m20.ts")).unwrap();
    assert_eq!(now(), fresh("c"));
    // Module names lead elsewhere.
    fs::write(
        root.join("tsconfig.json"),
        "{ \"compilerOptions\": { \"paths\": { \"./m1\": [\"src/m2\"] } } }\n",
    )
    .unwrap();
    assert_eq!(now(), fresh("d"));
}

//! What each command prints for a small tree: the exact bytes, in text and as JSON.
//!
//! The tree is `examples/reports-app`. Paths of the machine and times do not occur in these answers.

#![cfg(all(feature = "cli", feature = "languages"))]
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::path::Path;
use std::process::Command;

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The tree, indexed.
fn app() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/reports-app"),
        folder.path(),
    );
    assert!(run(folder.path(), "index --quiet").starts_with("exit 0"));
    folder
}

/// Exit code, standard output, standard error.
fn run(folder: &Path, line: &str) -> String {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("graphify"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("GRAPHIFY_OUT")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let errors = match text(&output.stderr).as_str() {
        "" => String::new(),
        said => format!("--- standard error\n{said}"),
    };
    format!(
        "exit {}\n{}{errors}",
        output.status.code().unwrap(),
        text(&output.stdout)
    )
}

const COMMANDS: &[&str] = &[
    "path ExportButton canExport",
    "path ReportService.titles ReportStore.list --json",
    "path canExport ExportButton",
    "path canExport ExportButton --undirected --max-hops 2",
    "path exportReport User --all",
    "path canExport canExport()",
    "path canExport nothing",
    "path canExport index.ts",
    "path canExport User --relation references",
    "path canExport User --relation likes",
    "affected canExport",
    "affected src/accounts/accountStatus.ts --depth 1",
    "affected ReportStore.load --json --budget 300",
    "affected AccountStatus --relation references",
    "affected canExport --budget 90",
    "affected index.ts",
    "affected src/reports/csv.ts:99",
    "explain canExport",
    "explain User --all",
    "explain src/./accounts/user.ts",
    "explain toCs",
    "god-nodes --top 3",
    "god-nodes --top 1 --json",
    "vocab --match ex",
    "vocab --fuzzy acount",
    "vocab --like reports",
    "vocab --match zzz",
    "vocab --match exp --json",
];

#[test]
fn every_command_prints_the_same_bytes() {
    let folder = app();
    let mut all = String::new();
    for line in COMMANDS {
        let first = run(folder.path(), line);
        assert_eq!(first, run(folder.path(), line), "{line}");
        all.push_str(&format!("$ graphify {line}\n{first}\n"));
    }
    insta::assert_snapshot!("commands", all);
}

#[test]
fn an_exported_graph_answers_like_the_index() {
    let folder = app();
    assert!(run(folder.path(), "export json --output graph.json").starts_with("exit 0"));
    let lines = |text: String| text.lines().map(str::to_string).collect::<Vec<_>>();
    for line in ["path ExportButton canExport", "god-nodes --top 5"] {
        let mine = lines(run(folder.path(), line));
        let other = lines(run(folder.path(), &format!("{line} --graph graph.json")));
        assert_eq!(mine.get(..3), other.get(..3), "{line}");
    }
    let store = folder.path().join("graph.json.graphify");
    let stores = || {
        let names = std::fs::read_dir(&store).unwrap();
        let mut names: Vec<_> = names.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = stores();
    assert_eq!(before.len(), 3, "{before:?}");
    run(folder.path(), "explain canExport --graph graph.json");
    assert_eq!(stores(), before);
    // Another content is another store, and the old one goes away.
    let text = std::fs::read_to_string(folder.path().join("graph.json")).unwrap();
    std::fs::write(
        folder.path().join("graph.json"),
        text.replace("canExport", "mayExport"),
    )
    .unwrap();
    let found = run(folder.path(), "explain mayExport --graph graph.json");
    assert!(found.starts_with("exit 0\nNode: mayExport()"), "{found}");
    assert_eq!(stores().len(), 3);
    // What was exported and imported is exported again as it was.
    let again = run(
        folder.path(),
        "export json --graph graph.json --output again.json",
    );
    assert!(again.starts_with("exit 0"), "{again}");
    let read = |name: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let (one, two) = (read("graph.json"), read("again.json"));
    let sorted = |v: &serde_json::Value| {
        let mut list: Vec<String> = v
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.to_string())
            .collect();
        list.sort();
        list
    };
    for list in ["nodes", "links"] {
        assert_eq!(sorted(&one[list]), sorted(&two[list]), "{list}");
    }
}

#[test]
fn an_import_does_not_take_the_place_of_an_index_by_accident() {
    let folder = app();
    std::fs::write(
        folder.path().join("g.json"),
        r#"{"nodes":[{"id":"a","label":"a()","source_file":"a.py"}],"links":[]}"#,
    )
    .unwrap();
    let refused = run(folder.path(), "import g.json");
    assert!(
        refused.starts_with("exit 2") && refused.contains("--replace"),
        "{refused}"
    );
    assert!(run(folder.path(), "explain canExport").starts_with("exit 0"));
    assert!(run(folder.path(), "import g.json --replace").starts_with("exit 0"));
    assert!(run(folder.path(), "explain a").starts_with("exit 0\nNode: a()"));
    // The tree can be indexed again over it.
    assert!(run(folder.path(), "index --quiet").starts_with("exit 0"));
    let explained = run(folder.path(), "explain canExport");
    assert!(explained.contains("Callers: complete"), "{explained}");
    assert!(run(folder.path(), "explain a").starts_with("exit 4"));
    assert!(run(folder.path(), "verify").starts_with("exit 0"));
}

#[test]
fn a_mistake_is_an_object_under_json() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "query x --budget -1 --json",
        "--json path a",
        "path a b --json --no-such",
    ] {
        let told = run(folder.path(), line);
        let object = told.lines().nth(1).unwrap();
        let value: serde_json::Value = serde_json::from_str(object).unwrap();
        assert!(told.starts_with("exit 2"), "{told}");
        assert_eq!(value["error"], "usage", "{line}");
        assert_eq!(value["schema_version"], 1);
    }
}

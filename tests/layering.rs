//! Holds the layers apart: which folder of `src` may name which other one.
//!
//! The table is the architecture. An arrow that is not in it is a design decision and belongs into the table first.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Layer, then the layers that it may use. `ids`, `error` and `model` are for everybody above them.
const ALLOWED: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("ids", &[]),
    ("model", &["error", "ids"]),
    ("storage", &["error", "ids", "model"]),
    ("segment", &["error", "ids", "model", "storage"]),
    ("catalog", &["error", "ids", "model", "storage"]),
    ("snapshot", &["error", "ids", "model", "storage", "segment"]),
    ("search", &["error", "ids", "model", "snapshot", "segment"]),
    (
        "traverse",
        &["error", "ids", "model", "snapshot", "segment"],
    ),
    (
        "answer",
        &["error", "ids", "model", "snapshot", "search", "traverse"],
    ),
    (
        "context",
        &[
            "error", "ids", "model", "snapshot", "segment", "search", "traverse",
        ],
    ),
    ("render", &["error", "ids", "model", "answer", "context"]),
    // What is read from another program's file goes through the writer, like anything else that is stored.
    (
        "interchange",
        &["error", "ids", "model", "snapshot", "index", "store"],
    ),
    ("source", &["error", "ids", "model"]),
    ("extract", &["error", "ids", "model"]),
    // The declarations of a language's own library are a source text, read as any file is.
    ("link", &["error", "ids", "model", "extract"]),
    ("fresh", &["error", "ids", "model", "source", "extract"]),
    (
        "index",
        &[
            "error", "ids", "model", "storage", "segment", "catalog", "snapshot", "source",
            "extract", "link", "store",
        ],
    ),
    (
        "store",
        &[
            "error", "ids", "model", "storage", "segment", "snapshot", "index",
        ],
    ),
];

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The top-level modules that a line of code names through `crate::`.
fn named_layers(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let group = group.split('}').next().unwrap_or_default();
            names.extend(group.split(',').map(|n| first_word(n.trim())));
        } else {
            names.push(first_word(rest));
        }
    }
    names
}

fn first_word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

#[test]
fn layers_only_use_what_stands_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let layers: BTreeSet<&str> = ALLOWED.iter().map(|(l, _)| *l).collect();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for file in &files {
        let relative = file.strip_prefix(&src).unwrap();
        let first = relative
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy();
        let layer = first.trim_end_matches(".rs").to_string();
        // Tests may look at a layer from above.
        if relative.to_string_lossy().ends_with("tests.rs") {
            continue;
        }
        if matches!(layer.as_str(), "lib" | "main" | "cli" | "mcp") {
            continue;
        }
        let Some((_, allowed)) = ALLOWED.iter().find(|(l, _)| *l == layer) else {
            wrong.push(format!(
                "{}: the layer `{layer}` is not in the table",
                relative.display()
            ));
            continue;
        };
        checked += 1;
        let text = fs::read_to_string(file).unwrap();
        let mut in_tests = false;
        for (number, line) in text.lines().enumerate() {
            in_tests |= line.contains("#[cfg(test)]");
            if in_tests || line.trim_start().starts_with("//") {
                continue;
            }
            for name in named_layers(line) {
                let known = layers.contains(name.as_str());
                if known && name != layer && !allowed.contains(&name.as_str()) {
                    wrong.push(format!(
                        "{}:{}: {layer} uses {name}",
                        relative.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(checked > 20, "only {checked} files were looked at");
    assert!(
        wrong.is_empty(),
        "arrows against the flow:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn unsafe_code_is_confined_to_one_module() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let with_unsafe: Vec<String> = files
        .iter()
        .filter(|f| {
            let text = fs::read_to_string(f).unwrap();
            text.lines().any(|l| {
                let code = l.split("//").next().unwrap_or_default();
                code.contains("unsafe {")
                    || code.contains("unsafe fn")
                    || code.contains("unsafe impl")
            })
        })
        .map(|f| f.strip_prefix(&src).unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(with_unsafe, ["storage/mmap.rs"]);
}

//! Input that was not made for us: huge lines, endless nesting, odd names, loops, damaged indexes, forbidden folders.
//! Each gets an answer or one clear error, and the last commit stays.

#![cfg(all(feature = "cli", feature = "languages"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

fn graphify(dir: &Path, args: &[&str]) -> Output {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("graphify"));
    command
        .current_dir(dir)
        .env_remove("GRAPHIFY_OUT")
        .args(args)
        .output()
        .unwrap()
}

#[track_caller]
fn ok(dir: &Path, args: &[&str]) -> String {
    let output = graphify(dir, args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn tree(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

const SMALL: &[(&str, &str)] = &[
    (
        "src/a.ts",
        "import { beta } from './b';\nexport function alpha() { return beta(); }\n",
    ),
    ("src/b.ts", "export function beta() { return 1; }\n"),
];

fn index_files(dir: &Path) -> Vec<PathBuf> {
    let index = dir.join("graphify-out/index");
    let mut files = vec![index.join("HEAD"), index.join("catalog.redb")];
    files.extend(
        fs::read_dir(index.join("seg"))
            .unwrap()
            .map(|e| e.unwrap().path()),
    );
    files
}

fn replace(path: &Path, bytes: &[u8]) {
    // Segments are read-only files: a new one takes the name.
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_fifty_megabyte_line_is_left_out_and_named() {
    let dir = tree(SMALL);
    fs::write(dir.path().join("src/huge.js"), "x=1;".repeat(50 << 18)).unwrap();
    let output = graphify(dir.path(), &["index"]);
    assert!(output.status.success());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("src/huge.js"), "{told}");
    let raised = ok(dir.path(), &["index", "--max-file-size", "64M"]);
    assert!(raised.contains("Files:"), "{raised}");
    assert!(ok(dir.path(), &["explain", "alpha"]).contains("beta"));
}

#[test]
fn nesting_a_hundred_thousand_deep_ends_no_run() {
    let deep = 100_000;
    let dir = tree(SMALL);
    let write = |name: &str, text: String| fs::write(dir.path().join(name), text).unwrap();
    write(
        "parens.ts",
        format!(
            "export const p = {}1{};\n",
            "(".repeat(deep),
            ")".repeat(deep)
        ),
    );
    write(
        "arrays.js",
        format!("var a = {}{};\n", "[".repeat(deep), "]".repeat(deep)),
    );
    write(
        "blocks.ts",
        format!("{}{}\n", "{".repeat(deep), "}".repeat(deep)),
    );
    write(
        "calls.ts",
        format!("{}x{}\n", "f(".repeat(deep), ")".repeat(deep)),
    );
    write(
        "types.ts",
        format!(
            "type T = {}string{};\n",
            "Array<".repeat(deep),
            ">".repeat(deep)
        ),
    );
    write("chain.ts", format!("x{};\n", ".y()".repeat(deep)));
    write("plus.ts", format!("const s = 1{};\n", " + 1".repeat(deep)));
    write("open.tsx", format!("const e = {}\n", "<a>".repeat(deep)));
    let printed = ok(dir.path(), &["index"]);
    assert!(printed.contains("10 added"), "{printed}");
    assert!(ok(dir.path(), &["explain", "alpha"]).contains("beta"));
    ok(dir.path(), &["verify"]);
}

#[cfg(unix)]
#[test]
fn links_that_loop_and_names_that_are_no_text_are_survived() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tree(SMALL);
    std::os::unix::fs::symlink("..", dir.path().join("src/up")).unwrap();
    std::os::unix::fs::symlink("me.ts", dir.path().join("src/me.ts")).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"src/caf\xe9\n.ts");
    fs::write(
        dir.path().join(odd),
        "export function odd() { return 1; }\n",
    )
    .unwrap();
    ok(dir.path(), &["index"]);
    let told = ok(dir.path(), &["explain", "odd"]);
    assert!(told.contains("caf\\xE9\\x0A.ts"), "{told}");
    assert!(ok(dir.path(), &["index"]).contains("3 unchanged"));
}

#[test]
fn a_damaged_index_is_refused_and_the_next_run_makes_it_anew() {
    let dir = tree(SMALL);
    ok(dir.path(), &["index"]);
    for file in index_files(dir.path()) {
        let good = fs::read(&file).unwrap();
        let foreign = b"#!/bin/sh\necho this is no index\n".repeat(9);
        let cut = good[..good.len() / 2].to_vec();
        for bad in [Vec::new(), cut, vec![0; good.len()], foreign] {
            replace(&file, &bad);
            let output = graphify(dir.path(), &["explain", "alpha"]);
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            let catalog = file.ends_with("catalog.redb");
            assert_eq!(
                output.status.code(),
                Some(i32::from(!catalog)),
                "{}: {told}",
                file.display()
            );
            assert!(catalog || told.contains("graphify"), "no remedy: {told}");
        }
        ok(dir.path(), &["index"]);
        assert!(
            ok(dir.path(), &["explain", "alpha"]).contains("beta"),
            "{}",
            file.display()
        );
        ok(dir.path(), &["verify"]);
    }
}

#[test]
fn every_flipped_byte_of_an_index_is_noticed_by_verify_and_breaks_no_answer_silently() {
    let dir = tree(SMALL);
    ok(dir.path(), &["index"]);
    let answer = ok(dir.path(), &["explain", "alpha"]);
    let index = dir.path().join("graphify-out/index");
    let store = graphify::Store::at(&index);
    let segment = index_files(dir.path()).pop().unwrap();
    let good = fs::read(&segment).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x41;
        replace(&segment, &bad);
        let sound = store.verify().is_ok_and(|report| report.is_sound());
        assert!(
            !sound,
            "byte {at} of the segment was changed and verify says nothing"
        );
        // Asking costs a process each, so every 97th position asks; 97 shares no factor with the layout's steps.
        if at % 97 == 0 {
            let output = graphify(dir.path(), &["explain", "alpha"]);
            let code = output.status.code();
            let same = output.stdout == answer.as_bytes();
            assert!(
                code == Some(1) || (code == Some(0) && same),
                "byte {at}: exit {code:?}"
            );
        }
    }
    replace(&segment, &good);
    ok(dir.path(), &["verify"]);
}

#[test]
fn an_index_of_a_newer_format_is_named_as_such() {
    let dir = tree(SMALL);
    ok(dir.path(), &["index"]);
    let head = dir.path().join("graphify-out/index/HEAD");
    let mut bytes = fs::read(&head).unwrap();
    // The major version stands behind the eight bytes of the magic; the last number before the body is the checksum of
    // all that stands before it.
    bytes[8] = 0x7f;
    let sum = crc32fast::hash(&bytes[..28]);
    bytes[28..32].copy_from_slice(&sum.to_le_bytes());
    replace(&head, &bytes);
    let output = graphify(dir.path(), &["query", "alpha"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("version") && told.contains("help"), "{told}");
}

#[test]
fn a_run_that_finds_nothing_to_index_says_so_loudly() {
    let dir = tree(&[
        ("notes.txt", "hello"),
        ("main.zig", "pub fn main() void {}"),
    ]);
    let output = graphify(dir.path(), &["index"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("warning"), "{told}");
}

//! The `context` command seen from outside: exit codes, streams, git, and the exact bytes of bundles of a small tree.

#![cfg(all(feature = "cli", feature = "languages"))]
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::path::Path;
use std::process::Command;

struct Answer {
    code: i32,
    out: String,
    err: String,
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != "graphify-out" {
                copy(&entry.path(), &target);
            }
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The tree of the documentation, indexed.
fn app() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/reports-app"),
        folder.path(),
    );
    assert_eq!(graphify(folder.path(), &["index", "--quiet"]).code, 0);
    folder
}

fn graphify(folder: &Path, args: &[&str]) -> Answer {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("graphify"))
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("GRAPHIFY_OUT")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Answer {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

fn context(folder: &Path, args: &[&str]) -> Answer {
    let all: Vec<&str> = ["context"].iter().chain(args).copied().collect();
    graphify(folder, &all)
}

fn git(folder: &Path, args: &[&str]) {
    let ended = Command::new("git")
        .args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        ended.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&ended.stderr)
    );
}

#[test]
fn bundles_to_the_byte() {
    let tree = app();
    let mut all = String::new();
    for line in [
        "--file src/ui/ExportButton.tsx --line 15 --budget 900",
        "--symbol canExport --mode slice --line-numbers",
        "--symbol EXPORTING_STATUSES --budget 500 --format xml",
        "--symbol canExport --mode slice --json",
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let answer = context(tree.path(), &args);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{line}");
        all.push_str(&format!("$ graphify context {line}\n{}\n", answer.out));
    }
    insta::assert_snapshot!("bundles", all);
}

#[test]
fn exit_codes_tell_what_was_wrong() {
    let tree = app();
    for (args, code, said) in [
        (
            &["--file", "src/none.ts", "--line", "1"][..],
            4,
            "No node matching",
        ),
        (
            &["--file", "src/ui/toast.ts", "--line", "99"],
            4,
            "there is no line 99",
        ),
        (&["--symbol", "toCvs"], 4, "toCsv"),
        (&["--symbol", "npm:vitest"], 4, "outside the index"),
        (&["--symbol", "id"], 3, "Ambiguous"),
        (&["--question", "zzz qqq"], 4, "no unit answers"),
        (&[], 2, "--question"),
        (&["--line", "3"], 2, "--file"),
        (&["--file", "a.ts", "--symbol", "b"], 2, "--symbol"),
        (&["--symbol", "toCsv", "--budget", "0"], 2, "budget"),
        (&["--symbol", "toCsv", "--budget", "1"], 2, "too small"),
        (
            &["--symbol", "toCsv", "--same-file-weight", "0"],
            2,
            "above 0",
        ),
        (&["--symbol", "toCsv", "--since", "HEAD"], 2, "no revision"),
    ] {
        let answer = context(tree.path(), args);
        assert_eq!(answer.code, code, "{args:?}: {}{}", answer.out, answer.err);
        assert!(answer.err.contains(said), "{args:?}: {}", answer.err);
    }
}

#[test]
fn files_are_named_from_where_one_stands() {
    let tree = app();
    let here = tree.path().join("src/reports");
    let near = context(
        &here,
        &["--file", "csv.ts", "--line", "9", "--mode", "slice"],
    );
    assert!(
        near.out.contains("### quote() (L8-L10) — entry"),
        "{}{}",
        near.out,
        near.err
    );
    let from_root = context(
        &here,
        &[
            "--file",
            "src/ui/toast.ts",
            "--line",
            "2",
            "--mode",
            "slice",
        ],
    );
    assert!(
        from_root.out.contains("### showToast()"),
        "{}{}",
        from_root.out,
        from_root.err
    );
    let absolute = tree.path().canonicalize().unwrap().join("src/ui/toast.ts");
    let absolute = context(
        &here,
        &[
            "--file",
            absolute.to_str().unwrap(),
            "--line",
            "2",
            "--mode",
            "slice",
        ],
    );
    assert_eq!(absolute.out, from_root.out);
}

#[test]
fn what_the_work_tree_changed_is_marked() {
    let tree = app();
    let asked = ["--symbol", "ExportButton"];
    git(tree.path(), &["init", "-q"]);
    assert!(
        !context(tree.path(), &asked).out.contains("[changed]"),
        "no commit, no changes"
    );
    git(tree.path(), &["add", "."]);
    git(tree.path(), &["commit", "-q", "-m", "one"]);
    assert!(!context(tree.path(), &asked).out.contains("[changed]"));
    let path = tree.path().join("src/reports/csv.ts");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("[;\"\\n]", "[;\"\\r\\n]")).unwrap();
    let seen = context(tree.path(), &asked).out;
    assert!(seen.contains("quote() (L8-L10) [changed] — "), "{seen}");
    assert!(!seen.contains("toCsv() (L4-L6) [changed]"), "{seen}");
    git(tree.path(), &["add", "."]);
    assert!(
        context(tree.path(), &asked).out.contains("[changed]"),
        "staged changes count"
    );
    let off = ["--symbol", "ExportButton", "--no-diff"];
    assert!(!context(tree.path(), &off).out.contains("[changed]"));
    git(tree.path(), &["commit", "-q", "-m", "two"]);
    assert!(!context(tree.path(), &asked).out.contains("[changed]"));
    let since = ["--symbol", "ExportButton", "--since", "HEAD~1"];
    assert!(
        context(tree.path(), &since)
            .out
            .contains("quote() (L8-L10) [changed]")
    );
}

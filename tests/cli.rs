//! The program seen from outside: arguments, exit codes, streams, where it looks for its index.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::{Command, Output};

use graphify::model::edge::EdgeLabel;
use graphify::model::label::{Language, NodeKind, Relation};
use graphify::model::unit::{NewNode, Unit};

/// A folder of its own for one test, outside of any tree that has an index.
struct Sandbox(tempfile::TempDir);

impl Sandbox {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn command(&self, folder: &str, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("graphify"));
        command
            .args(args)
            .current_dir(self.path(folder))
            .env("NO_COLOR", "1")
            .env("HOME", self.0.path())
            .env_remove("GRAPHIFY_OUT");
        command
    }

    fn run(&self, folder: &str, args: &[&str]) -> Answer {
        Answer::of(&self.command(folder, args).output().unwrap())
    }
}

/// How a run ended and what it said.
#[derive(Debug)]
struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Answer {
    fn of(output: &Output) -> Self {
        let answer = Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!answer.err.contains("panicked"), "{}", answer.err);
        answer
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

#[test]
fn the_version_says_which_graphify_this_is() {
    let answer = Sandbox::new().run("", &["--version"]);
    assert_eq!(answer.code, 0);
    let expected = format!(
        "graphify {} (Rust engine; not the Python package of the same name)\n",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(answer.out, expected);
    assert!(answer.err.is_empty());
}

#[test]
fn help_is_an_answer_and_has_examples() {
    let sandbox = Sandbox::new();
    for args in [&["--help"][..], &["-h"], &["index", "--help"]] {
        let answer = sandbox.run("", args);
        assert_eq!(answer.code, 0, "{args:?}");
        assert!(answer.out.contains("Examples:"), "{args:?}: {}", answer.out);
        assert!(answer.err.is_empty(), "{args:?}");
    }
}

#[test]
fn mistakes_in_the_arguments_exit_with_two_and_name_them() {
    let sandbox = Sandbox::new();
    for (args, named) in [
        (&["--no-such-flag"][..], "no-such-flag"),
        (&["status", "--no-such-flag", "7"], "no-such-flag"),
        (&["no-such-command"], "no-such-command"),
        (&["index", "--jobs", "0"], "--jobs"),
        (&["index", "--jobs", "many"], "many"),
        (&["index", "--max-file-size", "-5"], "5"),
        (&["index", "--lang", "cobol"], "cobol"),
        (&["index", "a", "b"], "b"),
        (&[], "Usage"),
    ] {
        let answer = sandbox.run("", args);
        assert_eq!(answer.code, 2, "{args:?}");
        assert!(answer.err.contains(named), "{args:?}: {}", answer.err);
        assert!(answer.out.is_empty(), "{args:?}");
    }
}

#[test]
fn without_an_index_the_remedy_is_said() {
    let sandbox = Sandbox::new();
    let answer = sandbox.run("", &["status"]);
    assert_eq!(answer.code, 1);
    assert!(answer.out.is_empty());
    assert!(
        answer.err.starts_with("error: there is no index"),
        "{}",
        answer.err
    );
    assert!(
        answer.err.contains("help: run `graphify index`"),
        "{}",
        answer.err
    );
    assert!(!answer.err.contains('\u{1b}'), "colour in a pipe");
}

#[test]
fn a_failure_in_json_is_an_object_too() {
    let sandbox = Sandbox::new();
    let answer = sandbox.run("", &["status", "--json"]);
    assert_eq!(answer.code, 1);
    let json = answer.json();
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["command"], "status");
    assert_eq!(json["error"], "no_index");
    assert!(json["help"].as_str().unwrap().contains("graphify index"));
}

#[test]
fn a_folder_that_is_not_there_cannot_be_indexed() {
    let sandbox = Sandbox::new();
    sandbox.write("file.ts", "");
    for (dir, word) in [("nowhere", "nowhere"), ("file.ts", "file.ts")] {
        let answer = sandbox.run("", &["index", dir]);
        assert_ne!(answer.code, 0, "{dir}");
        assert!(
            answer.err.contains("error:") && answer.err.contains(word),
            "{}",
            answer.err
        );
        assert!(!sandbox.path("graphify-out").exists());
    }
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let sandbox = Sandbox::new();
    for args in [&["--help"][..], &["--version"], &["status", "--json"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = sandbox.command("", args).stdout(writer).output().unwrap();
        let answer = Answer::of(&output);
        // `status` has no index to read here: that failure is the answer.
        let expected = i32::from(args.contains(&"status"));
        assert_eq!(answer.code, expected, "{args:?}: {}", answer.err);
    }
}

/// A tree with an index of one unit, made through the library.
fn indexed(sandbox: &Sandbox, out: &str) {
    let store = graphify::Store::at(sandbox.path(out).join("index"));
    let mut writer = store.writer().unwrap();
    let mut unit = Unit::new("src/a.ts", Language::TYPESCRIPT);
    let f = unit.add(NewNode::new("f", NodeKind::FUNCTION)).unwrap();
    let g = unit.add(NewNode::new("g", NodeKind::FUNCTION)).unwrap();
    unit.link_local(f, g, EdgeLabel::stated(Relation::CALLS));
    writer.put(unit).unwrap();
    writer.commit().unwrap();
}

#[test]
fn the_index_is_found_from_below_and_where_the_options_say() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "tree/graphify-out");
    indexed(&sandbox, "tree/renamed");
    indexed(&sandbox, "elsewhere/out");
    sandbox.write("tree/web/src/a.ts", "");
    let below = sandbox.run("tree/web/src", &["status", "--json"]).json();
    let root = std::fs::canonicalize(sandbox.path("tree")).unwrap();
    assert_eq!(below["root"], root.to_str().unwrap());
    assert_eq!(
        below["index"],
        root.join("graphify-out/index").to_str().unwrap()
    );
    assert_eq!(below["nodes"], 3);

    let named = sandbox
        .run("", &["status", "--json", "--out", "elsewhere/out"])
        .json();
    assert!(
        named["index"]
            .as_str()
            .unwrap()
            .ends_with("elsewhere/out/index")
    );
    for (folder, value, index) in [
        ("tree/web", "renamed", "tree/renamed/index"),
        ("", "elsewhere/out", "elsewhere/out/index"),
    ] {
        let output = sandbox
            .command(folder, &["status", "--json"])
            .env("GRAPHIFY_OUT", value)
            .output()
            .unwrap();
        let found = Answer::of(&output).json();
        assert!(
            found["index"].as_str().unwrap().ends_with(index),
            "{value}: {found}"
        );
    }
    assert_eq!(sandbox.run("", &["status", "--out", "tree/web"]).code, 1);
}

#[test]
fn status_counts_what_is_there() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "graphify-out");
    let answer = sandbox.run("", &["status", "--files"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(
        answer.out.contains("3 nodes, 1 edges") && answer.out.contains("typescript 1"),
        "{}",
        answer.out
    );
    assert!(
        answer.out.contains("src/a.ts [typescript]"),
        "{}",
        answer.out
    );
    let json = sandbox.run("", &["status", "--json"]).json();
    assert_eq!(
        (json["files"].as_u64(), json["edges"].as_u64()),
        (Some(1), Some(1))
    );
    assert!(json.get("file_list").is_none());
}

#[test]
fn export_writes_a_graph_that_others_read() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "graphify-out");
    let answer = sandbox.run("", &["export", "json"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let text = std::fs::read_to_string(sandbox.path("graphify-out/graph.json")).unwrap();
    let graph: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(graph["links"][0]["source"], "src/a.ts::f()");
    assert_eq!(
        sandbox.run("", &["export", "json", "--output", "-"]).out,
        text
    );
    let refused = sandbox.run("", &["export", "json", "--output", "no/such/folder/g.json"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("no/such/folder"), "{}", refused.err);
    assert_eq!(sandbox.run("", &["export", "png"]).code, 2);
}

#[test]
fn a_reader_that_went_away_ends_an_export_quietly() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "graphify-out");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = sandbox
        .command("", &["export", "json", "--output", "-"])
        .stdout(writer)
        .output()
        .unwrap();
    let answer = Answer::of(&output);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
}

#[test]
fn compact_leaves_the_same_graph() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "graphify-out");
    let before = sandbox.run("", &["export", "json", "--output", "-"]).out;
    let json = sandbox.run("", &["compact", "--json"]).json();
    assert_eq!(json["segments"], 1, "{json}");
    assert_eq!(
        sandbox.run("", &["export", "json", "--output", "-"]).out,
        before
    );
}

#[test]
fn a_damaged_index_is_one_error_with_a_remedy() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "graphify-out");
    std::fs::write(sandbox.path("graphify-out/index/HEAD"), b"not a head").unwrap();
    let answer = sandbox.run("", &["status"]);
    assert_eq!(answer.code, 1, "{}", answer.out);
    assert!(
        answer.err.starts_with("error: ") && answer.err.contains("help: "),
        "{}",
        answer.err
    );
}

#[test]
fn a_tree_is_indexed_and_brought_up_to_date() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.ts", "export function alpha() { return 1; }\n");
    sandbox.write("src/b.ts", "export function beta() { return 2; }\n");
    sandbox.write("App.vue", "");
    let first = sandbox.run("", &["index", "--json"]);
    assert_eq!(first.code, 0, "{}", first.err);
    assert!(
        first.err.contains("vue (1 files)"),
        "a language that is left out is said: {}",
        first.err
    );
    let json = first.json();
    assert_eq!(
        (json["added"].as_u64(), json["files"].as_u64()),
        (Some(2), Some(2))
    );
    assert_eq!(
        std::fs::read_to_string(sandbox.path("graphify-out/.gitignore")).unwrap(),
        "*\n"
    );

    std::fs::remove_file(sandbox.path("src/b.ts")).unwrap();
    sandbox.write("src/c.ts", "export function gamma() { return 3; }\n");
    // From below: the tree around is meant, not a new one.
    let second = sandbox.run("src", &["update", "--json"]).json();
    let count = |name: &str| second[name].as_u64().unwrap();
    assert_eq!(
        (
            count("added"),
            count("removed"),
            count("unchanged"),
            count("files")
        ),
        (1, 1, 1, 2)
    );
    assert!(!sandbox.path("src/graphify-out").exists());
    let text = sandbox.run("", &["index"]);
    assert!(
        text.out
            .contains("2 (0 added, 0 changed, 0 removed, 2 unchanged)"),
        "{}",
        text.out
    );
}

#[test]
fn a_tree_without_sources_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.txt", "");
    let answer = sandbox.run("", &["index", "."]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.err.contains("nothing was indexed"), "{}", answer.err);
}

#[test]
fn an_index_elsewhere_knows_its_tree() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/a.ts", "");
    assert_eq!(
        sandbox.run("", &["index", "tree", "--out", "cache"]).code,
        0
    );
    assert!(!sandbox.path("tree/graphify-out").exists());
    let status = sandbox
        .run("", &["status", "--out", "cache", "--json"])
        .json();
    let root = std::fs::canonicalize(sandbox.path("tree")).unwrap();
    assert_eq!(status["root"], root.to_str().unwrap());
    // Brought up to date from anywhere, without naming the tree again.
    sandbox.write("tree/b.ts", "");
    let again = sandbox
        .run("", &["index", "--out", "cache", "--json"])
        .json();
    assert_eq!(again["files"], 2);
    // Another tree cannot take it over by mistake.
    sandbox.write("other/c.ts", "");
    let taken = sandbox.run("", &["index", "other", "--out", "cache"]);
    assert_eq!(taken.code, 2, "{}", taken.err);
    assert!(taken.err.contains("another tree"), "{}", taken.err);
}

#[test]
fn an_export_into_a_pipe_leaves_the_pipe() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "graphify-out");
    let told = sandbox.run("", &["export", "json", "--output", "/dev/null"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn small_budgets_leave_valid_json() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "graphify-out");
    for budget in ["1", "4", "12", "40", "90", "300"] {
        let answer = sandbox.run("", &["query", "f", "--json", "--budget", budget]);
        let value: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
        assert_eq!(
            answer.code != 0,
            value.get("error").is_some(),
            "{budget}: {}",
            answer.out
        );
    }
    let long = "f words ".repeat(9000);
    let answer = sandbox.run("", &["query", &long, "--json"]);
    assert_eq!(answer.json()["command"], "query");
    assert!(
        answer.json()["shown_nodes"].as_u64().unwrap() > 0,
        "{}",
        answer.out
    );
}

#[test]
fn a_question_is_answered_within_its_budget_or_not_at_all() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "graphify-out");
    let answer = sandbox.run("", &["query", "f"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(
        answer
            .out
            .starts_with("Graph: graphify-out/index (3 nodes)"),
        "{}",
        answer.out
    );
    assert!(
        answer.out.contains("f() --calls [EXTRACTED]--> g()"),
        "{}",
        answer.out
    );
    let lines = sandbox.run("", &["query", "f", "--format", "lines"]);
    assert!(
        lines.out.contains("NODE f() [src=src/a.ts"),
        "{}",
        lines.out
    );
    let small = sandbox.run("", &["query", "f", "--budget", "5"]);
    assert!(small.out.len() <= 40, "{}", small.out);
    assert_eq!(
        sandbox.run("", &["query", "f", "--json"]).json()["command"],
        "query"
    );

    let none = sandbox.run("", &["query", "zzz", "--json"]);
    assert_eq!(none.code, 4);
    assert_eq!(none.json()["error"], "not_found");
    for args in [
        &["query"][..],
        &["query", "f", "--budget", "0"],
        &["query", "f", "--budget", "-5"],
        &["query", "f", "--budget", "many"],
        &["query", "f", "--relation", "likes"],
        &["query", "f", "--format", "poem"],
        &["query", "--terms", "a b c d e f g h i j k l m"],
        &["explain"],
        &["explain", "f", "--no-such-flag", "7"],
    ] {
        let answer = sandbox.run("", args);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (2, ""),
            "{args:?}: {}",
            answer.err
        );
    }
}

#[test]
fn a_symbol_is_explained_and_its_printed_id_is_a_name() {
    let sandbox = Sandbox::new();
    indexed(&sandbox, "graphify-out");
    let answer = sandbox.run("", &["explain", "f"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let id = answer
        .out
        .lines()
        .find_map(|l| l.trim().strip_prefix("ID:"))
        .unwrap()
        .trim();
    assert_eq!(id, "src/a.ts::f()");
    assert_eq!(sandbox.run("", &["explain", id]).out, answer.out);
    assert!(answer.out.contains("--> g()"), "{}", answer.out);
    let unknown = sandbox.run("", &["explain", "zzz"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (4, ""));
    assert!(unknown.err.contains("zzz"), "{}", unknown.err);
}

/// A file that may not grow any further stands for a full disk: one error, and the last commit goes on answering.
#[cfg(unix)]
#[test]
fn a_file_size_limit_is_an_error_and_the_index_stays() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ts", "export function alpha() { return 1; }\n");
    assert_eq!(sandbox.run("", &["index"]).code, 0);
    for i in 0..300 {
        sandbox.write(
            &format!("m/f{i}.ts"),
            &format!("export function f{i}(n: number) {{ return n; }}\n"),
        );
    }
    let graphify = assert_cmd::cargo::cargo_bin!("graphify");
    let mut limited = Command::new("sh");
    limited
        .args([
            "-c",
            "ulimit -f 24; exec \"$0\" index .",
            graphify.to_str().unwrap(),
        ])
        .current_dir(sandbox.path(""))
        .env("HOME", sandbox.path(""));
    let answer = Answer::of(&limited.output().unwrap());
    assert_eq!(answer.code, 1, "{answer:?}");
    assert_eq!(
        answer.err.matches("os error").count(),
        1,
        "said once: {}",
        answer.err
    );
    assert!(answer.err.contains("help: make room"), "{}", answer.err);
    assert_eq!(sandbox.run("", &["status", "--json"]).json()["files"], 1);
    assert_eq!(sandbox.run("", &["index", "--json"]).json()["files"], 301);
}

#[test]
fn a_question_finds_what_only_the_text_of_a_function_says() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "src/queue.ts",
        "export function push(job: Job) {\n  // exponential backoff before the socket is opened again\n  return enqueue(job, 'dead letters');\n}\n\
         export function pop() { return 1; }\n",
    );
    sandbox.write(
        "src/other.ts",
        "export function enqueue(a: unknown, b: string) { return [a, b]; }\n",
    );
    sandbox.write(
        "tests/queue.test.ts",
        "export function exponentialBackoffTest() { return 'backoff'; }\n",
    );
    assert_eq!(sandbox.run("", &["index"]).code, 0);
    let first = |question: &str, more: &[&str]| {
        let args = [&["query", question][..], more].concat();
        let answer = sandbox.run("", &args);
        assert_eq!(answer.code, 0, "{question}: {}", answer.err);
        let line = answer.out.lines().find(|l| l.starts_with("  ")).unwrap();
        line.trim().to_string()
    };
    assert_eq!(first("why exponential backoff", &[]), "push() L1-4");
    assert_eq!(first("dead letter", &[]), "push() L1-4");
    assert_eq!(
        first("exponential backoff", &["--tests"]),
        "exponentialBackoffTest() L1"
    );
    // Folding segments together changes nothing that is printed.
    sandbox.write(
        "src/more.ts",
        "export function backoffLater() { return 'socket'; }\n",
    );
    assert_eq!(sandbox.run("", &["index"]).code, 0);
    let ask = || sandbox.run("", &["query", "socket backoff", "--json"]).out;
    let before = ask();
    assert_eq!(sandbox.run("", &["compact"]).code, 0);
    assert_eq!(ask(), before);
    assert_eq!(sandbox.run("", &["verify"]).code, 0);
}

#[test]
fn past_commits_lead_to_the_files_that_they_changed() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.ts", "export function alpha() { return 1; }\n");
    sandbox.write("src/b.ts", "export function beta() { return 2; }\n");
    let git = |args: &[&str]| {
        let status = Command::new("git")
            .args([
                "-c",
                "user.name=x",
                "-c",
                "user.email=x@example.org",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args)
            .current_dir(sandbox.path(""))
            .env("HOME", sandbox.path(""))
            .output()
            .unwrap();
        assert!(status.status.success(), "{args:?}: {status:?}");
    };
    git(&["init", "-q", "."]);
    git(&["add", "src/a.ts"]);
    git(&["commit", "-qm", "Report telemetry when it starts"]);
    git(&["add", "src/b.ts"]);
    git(&["commit", "-qm", "Round totals to cents"]);
    assert_eq!(sandbox.run("", &["index"]).code, 0);
    let answer = sandbox.run("", &["query", "telemetry"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(
        answer.out.contains("alpha()") && !answer.out.contains("beta()"),
        "{}",
        answer.out
    );
    // A new commit is heard of although no file changed.
    git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
    std::fs::write(
        sandbox.path("src/b.ts"),
        "export function beta() { return 3; }\n",
    )
    .unwrap();
    git(&["commit", "-qam", "Quotas are told to the telemetry"]);
    assert_eq!(sandbox.run("", &["index"]).code, 0);
    let answer = sandbox.run("", &["query", "quotas"]);
    assert!(answer.out.contains("beta()"), "{}", answer.out);
    assert_eq!(sandbox.run("", &["verify"]).code, 0);
    // Damage is named, and does not keep a question from being answered.
    let record = sandbox.path("graphify-out/index/history");
    let mut bytes = std::fs::read(&record).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&record, bytes).unwrap();
    assert_eq!(sandbox.run("", &["query", "alpha"]).code, 0);
    assert_ne!(sandbox.run("", &["verify"]).code, 0);
    assert_eq!(sandbox.run("", &["index"]).code, 0);
    assert_eq!(sandbox.run("", &["verify"]).code, 0);
    assert_eq!(sandbox.run("", &["index", "--no-history"]).code, 0);
    assert!(!record.exists());
    assert_eq!(sandbox.run("", &["query", "quotas"]).code, 4);
}

#[test]
fn words_that_mean_nothing_are_told() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "src/a.ts",
        "export function parseLedger() { return 'totals'; }\n",
    );
    assert_eq!(sandbox.run("", &["index"]).code, 0);
    let near = sandbox.run("", &["query", "parsledger"]);
    assert_eq!(near.code, 4);
    assert!(
        near.err.contains("No matching nodes") && near.err.contains("src/a.ts::parseLedger()"),
        "{}",
        near.err
    );
    let term = sandbox.run("", &["query", "--terms", "ledger frobnicate"]);
    assert_eq!(term.code, 2);
    assert!(term.err.contains("'frobnicate'"), "{}", term.err);
    assert_eq!(
        sandbox.run("", &["query", "--terms", "ledger total"]).code,
        0
    );
    let usage = sandbox.run("", &["query", "x", "--no-such-flag", "--json"]);
    assert_eq!(
        (usage.code, usage.json()["error"].as_str()),
        (2, Some("usage"))
    );
    assert!(
        usage.json()["message"]
            .as_str()
            .unwrap()
            .contains("--no-such-flag")
    );
}

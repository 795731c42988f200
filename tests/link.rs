//! Linking, case by case: each case in `tests/link/*.txt` is a few small files and what must, and must not, be linked.
//!
//! ```text
//! ### what the case shows
//! --- path/of/file.ts
//! its text
//! => path:Outer.name relation path:name               an edge that must be there
//! => path:name calls npm:package::name [EXTRACTED]    … with this confidence
//! =# calls|inherits                                   all edges of these relations inside the tree are listed
//! =! path:name * path:name                            an edge that must not be there
//! ```
//!
//! A symbol is written `path:name` with the names on the way to it, a file `path` alone. `*` is any relation, `a|b` either.
#![cfg(feature = "languages")]
#![allow(clippy::unwrap_used)]

use graphify::extract::{ExtractOptions, extract};
use graphify::ids::LocalNode;
use graphify::link::{Project, is_configuration, link};
use graphify::model::edge::Target;
use graphify::model::label::{Labels, Language};
use graphify::model::unit::Unit;

struct Case {
    title: String,
    files: Vec<(String, String)>,
    expectations: Vec<String>,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            cases.push(Case {
                title: title.to_string(),
                files: Vec::new(),
                expectations: Vec::new(),
            });
            continue;
        }
        let Some(case) = cases.last_mut() else {
            continue;
        };
        if let Some(path) = line.strip_prefix("--- ") {
            case.files.push((path.to_string(), String::new()));
        } else if ["=> ", "=! ", "=# "].iter().any(|m| line.starts_with(m)) {
            case.expectations.push(line.to_string());
        } else if let Some((_, text)) = case.files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    cases
}

fn language(path: &str) -> Option<Language> {
    match path.rsplit('.').next()? {
        "ts" | "mts" | "cts" => Some(Language::TYPESCRIPT),
        "tsx" => Some(Language::TSX),
        "js" | "jsx" | "mjs" | "cjs" => Some(Language::JAVASCRIPT),
        "py" | "pyi" => Some(Language::PYTHON),
        "rs" => Some(Language::RUST),
        "go" => Some(Language::GO),
        "java" => Some(Language::JAVA),
        "cs" => Some(Language::CSHARP),
        "kt" | "kts" => Some(Language::KOTLIN),
        "php" => Some(Language::PHP),
        "rb" => Some(Language::RUBY),
        "swift" => Some(Language::SWIFT),
        "c" | "h" => Some(Language::C),
        "cc" | "cpp" | "hpp" | "hh" => Some(Language::CPP),
        _ => None,
    }
}

fn linked(files: &[(String, String)]) -> Vec<Unit> {
    let options = ExtractOptions::default();
    let mut units: Vec<Unit> = files
        .iter()
        .filter_map(|(path, text)| Some(extract(path, language(path)?, text.as_bytes(), &options)))
        .collect();
    units.sort_by(|a, b| a.key().cmp(b.key()));
    let texts = files
        .iter()
        .filter(|(path, _)| is_configuration(path) || path.ends_with(".json"))
        .map(|(path, text)| (path.as_str(), text.as_str()));
    let project = Project::new(texts, files.iter().map(|(path, _)| path.clone()));
    link(&mut units, &project);
    units
}

fn symbol(unit: &Unit, node: LocalNode) -> String {
    let mut names = Vec::new();
    let mut at = node;
    while at != LocalNode::UNIT {
        let node = unit.node(at).unwrap();
        names.push(unit.text(node.name).to_string());
        at = node.parent;
    }
    names.reverse();
    if names.is_empty() {
        return unit.key().to_string();
    }
    format!("{}:{}", unit.key(), names.join("."))
}

/// All edges as (source, relation, target, confidence).
fn edges(units: &[Unit]) -> Vec<(String, String, String, &'static str)> {
    let labels = Labels::default();
    let mut all = Vec::new();
    for unit in units {
        for edge in unit.edges() {
            let target = match edge.target {
                Target::Local(node) => symbol(unit, node),
                Target::Unit { unit, node } => symbol(&units[unit as usize], node),
                Target::Key { key, .. } => unit.text(key).to_string(),
                Target::Symbol(_) => unreachable!("the linker knows no stored symbols"),
            };
            all.push((
                symbol(unit, edge.source),
                edge.label.relation.name(&labels),
                target,
                edge.label.confidence.as_str(),
            ));
        }
    }
    all
}

fn failures(case: &Case) -> Vec<String> {
    let units = linked(&case.files);
    let edges = edges(&units);
    let mut failures = Vec::new();
    for expectation in &case.expectations {
        let (mark, rest) = expectation.split_at(2);
        let words: Vec<&str> = rest.split_whitespace().collect();
        if mark == "=#" {
            failures.extend(unlisted(&edges, rest.trim(), &case.expectations));
            continue;
        }
        let [from, relation, to, confidence @ ..] = words.as_slice() else {
            failures.push(format!("cannot read: {expectation}"));
            continue;
        };
        let found = edges.iter().any(|(source, name, target, sure)| {
            source == from
                && (*relation == "*" || relation.split('|').any(|r| r == name))
                && target == to
                && confidence
                    .iter()
                    .all(|c| c.trim_matches(['[', ']']) == *sure)
        });
        if found != (mark == "=>") {
            failures.push(expectation.clone());
        }
    }
    if !failures.is_empty() {
        failures.extend(
            edges
                .iter()
                .filter(|e| !matches!(e.1.as_str(), "contains" | "method" | "defines"))
                .map(|(a, r, b, c)| format!("    has {a} {r} {b} [{c}]")),
        );
    }
    failures
}

/// Edges between symbols of the tree that no expectation lists.
fn unlisted(
    edges: &[(String, String, String, &'static str)],
    relations: &str,
    expectations: &[String],
) -> Vec<String> {
    let listed: Vec<Vec<&str>> = expectations
        .iter()
        .filter_map(|e| e.strip_prefix("=> "))
        .map(|e| e.split_whitespace().take(3).collect())
        .collect();
    let mut missing: Vec<String> = edges
        .iter()
        .filter(|(_, name, target, _)| {
            let outside = target.starts_with("go") && !target.contains(".go:");
            relations.split('|').any(|r| r == name) && !outside
        })
        .filter(|(source, name, target, _)| {
            !listed
                .iter()
                .any(|l| l[0] == source && l[1] == name && l[2] == target)
        })
        .map(|(source, name, target, sure)| {
            format!("not listed: {source} {name} {target} [{sure}]")
        })
        .collect();
    missing.dedup();
    missing
}

fn run(text: &str) {
    let cases = cases(text);
    assert!(!cases.is_empty());
    let mut report = String::new();
    for case in &cases {
        assert!(
            !case.expectations.is_empty(),
            "{} expects nothing",
            case.title
        );
        let failures = failures(case);
        if !failures.is_empty() {
            report.push_str(&format!("\n{}\n  {}\n", case.title, failures.join("\n  ")));
        }
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn names_and_scopes() {
    run(include_str!("link/scopes.txt"));
}

#[test]
fn modules_and_packages() {
    run(include_str!("link/modules.txt"));
}

#[test]
fn receivers() {
    run(include_str!("link/receivers.txt"));
}

#[test]
fn python() {
    run(include_str!("link/python.txt"));
}

#[test]
fn rust() {
    run(include_str!("link/rust.txt"));
}

#[test]
fn commonjs() {
    run(include_str!("link/commonjs.txt"));
}

#[test]
fn references_and_outside() {
    run(include_str!("link/references.txt"));
}

#[test]
fn java() {
    run(include_str!("link/java.txt"));
}

#[test]
fn csharp() {
    run(include_str!("link/csharp.txt"));
}

#[test]
fn kotlin() {
    run(include_str!("link/kotlin.txt"));
}

#[test]
fn php() {
    run(include_str!("link/php.txt"));
}

#[test]
fn ruby() {
    run(include_str!("link/ruby.txt"));
}

#[test]
fn swift() {
    run(include_str!("link/swift.txt"));
}

#[test]
fn c() {
    run(include_str!("link/c.txt"));
}

#[test]
fn cpp() {
    run(include_str!("link/cpp.txt"));
}

#[test]
fn the_edges_do_not_depend_on_the_number_of_threads() {
    let mut files = Vec::new();
    for text in [
        include_str!("link/receivers.txt"),
        include_str!("link/modules.txt"),
        include_str!("link/java.txt"),
        include_str!("link/csharp.txt"),
        include_str!("link/kotlin.txt"),
        include_str!("link/php.txt"),
        include_str!("link/ruby.txt"),
        include_str!("link/swift.txt"),
        include_str!("link/go.txt"),
        include_str!("link/go_tree.txt"),
        include_str!("link/python.txt"),
    ] {
        for (i, case) in cases(text).into_iter().enumerate() {
            files.extend(
                case.files
                    .into_iter()
                    .filter(|(path, _)| language(path).is_some())
                    .map(|(path, text)| (format!("c{i}/{path}"), text)),
            );
        }
    }
    files.sort();
    files.dedup_by(|a, b| a.0 == b.0);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| edges(&linked(&files)))
    };
    assert_eq!(with(1), with(4));
}

/// Files that are cut, doubled or nested beyond measure: something is found or nothing, and their units keep their rules.
#[test]
fn broken_files_of_class_languages_are_survived() {
    let check = |path: &str, text: &str| {
        let units = linked(&[(path.to_string(), text.to_string())]);
        for unit in &units {
            let size = u32::try_from(text.len()).unwrap();
            for (place, node) in unit.nodes().iter().enumerate() {
                assert!(place == 0 || node.parent.index() < place, "{path}");
                assert!(node.span.start_line <= node.span.end_line, "{path}");
                assert!(node.span.start_byte <= node.span.end_byte, "{path}");
                assert!(node.span.end_byte <= size, "{path}");
            }
        }
    };
    for text in [
        include_str!("link/java.txt"),
        include_str!("link/csharp.txt"),
        include_str!("link/kotlin.txt"),
        include_str!("link/php.txt"),
        include_str!("link/ruby.txt"),
        include_str!("link/swift.txt"),
    ] {
        for case in cases(text) {
            for (path, text) in &case.files {
                for cut in (1..text.len()).step_by(101) {
                    if let (Some(head), Some(tail)) = (text.get(..cut), text.get(cut..)) {
                        check(path, head);
                        check(path, &format!("{tail}{head}"));
                    }
                }
                check(path, &text.replace(['{', '('], " "));
                check(path, &text.replace(['}', ')'], " "));
                check(path, &text.replace("class", "class class"));
            }
        }
    }
    for ending in ["java", "cs", "kt", "php", "rb", "swift"] {
        let path = format!("deep.{ending}");
        let open = if ending == "php" { "<?php " } else { "" };
        for part in [
            "(",
            "{",
            "[",
            "class A {",
            "a.b(",
            "f(x -> ",
            "-",
            "new A() {",
            "if (a) {",
        ] {
            check(&path, &format!("{open}{}", part.repeat(2_000)));
        }
        check(&path, &format!("{open}x = a{};", ".b()".repeat(5_000)));
        check(&path, &format!("{open}x = 1{};", " + 1".repeat(20_000)));
        check(
            &path,
            &format!("{open}class A extends A {{ }} class B : B() {{ }}"),
        );
    }
}

#[test]
fn go() {
    run(include_str!("link/go.txt"));
}

#[test]
fn a_whole_tree_of_go() {
    run(include_str!("link/go_tree.txt"));
}

/// Columns of the table of languages, as the titles of its cases name them.
const CAPABILITIES: [&str; 8] = [
    "calls across files",
    "written receiver types",
    "results of calls",
    "inherited members",
    "interfaces and their implementations",
    "constants",
    "environment variables",
    "packages outside",
];

/// What small programs of each language show: `yes` where every expectation of the cell holds, `no` where one does not,
/// a dash where the language has no such thing or no case.
fn table_of_languages() -> String {
    let cases = cases(include_str!("link/languages.txt"));
    let mut languages: Vec<&str> = Vec::new();
    for case in &cases {
        let (language, capability) = case.title.split_once(": ").unwrap();
        assert!(CAPABILITIES.contains(&capability), "{}", case.title);
        if !languages.contains(&language) {
            languages.push(language);
        }
    }
    let mut table = format!("| language | {} |\n", CAPABILITIES.join(" | "));
    table.push_str(&"|---".repeat(CAPABILITIES.len() + 1));
    table.push_str("|\n");
    for language in languages {
        let cells = CAPABILITIES.map(|capability| {
            let title = format!("{language}: {capability}");
            match cases.iter().find(|c| c.title == title) {
                Some(case) if failures(case).is_empty() => "yes",
                Some(_) => "no",
                None => "–",
            }
        });
        table.push_str(&format!("| {language} | {} |\n", cells.join(" | ")));
    }
    table
}

#[test]
fn the_table_of_languages_in_the_readme_is_what_small_programs_show() {
    let table = table_of_languages();
    let readme = include_str!("../README.md");
    let written = readme
        .split_once("<!-- languages -->\n")
        .and_then(|(_, rest)| rest.split_once("<!-- /languages -->"))
        .map(|(table, _)| table.trim_start_matches('\n').trim_end_matches('\n'));
    assert_eq!(
        written,
        Some(table.trim_end()),
        "the table should be:\n{table}"
    );
}

//! What indexing costs beside parsing alone: the same files, the same grammars, the same threads.
//!
//! `cargo bench --bench parse -- DIR` walks DIR as `index` does, parses every source file with its grammar and drops the
//! tree, then indexes DIR into a temporary store. Both are measured in user CPU of processes of their own, in turns, and
//! the ratio of the medians is printed. Wall time says little on a shared machine; CPU time and the ratio do.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark reports on standard output and may fail loudly"
)]

use std::path::Path;
use std::process::Command;

use graphify::Store;
use graphify::index::tree::{IndexOptions, index_tree};
use graphify::model::label::Language;
use graphify::model::progress::{Cancel, Silent};
use graphify::source::WalkOptions;
use graphify::source::walk::walk;
use rayon::prelude::*;

const ROUNDS: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    match args.first().map(String::as_str) {
        Some("--parse") => return parse_only(Path::new(&args[1])),
        Some("--index") => return index(Path::new(&args[1])),
        None => {
            println!("usage: cargo bench --bench parse -- DIR");
            return;
        }
        _ => {}
    }
    let me = std::env::current_exe().unwrap();
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (slot, mode) in ["--parse", "--index"].into_iter().enumerate() {
            let before = user_cpu_of_children();
            assert!(
                Command::new(&me)
                    .args([mode, &args[0]])
                    .status()
                    .unwrap()
                    .success()
            );
            times[slot].push(user_cpu_of_children() - before);
        }
    }
    for list in &mut times {
        list.sort_by(f64::total_cmp);
    }
    let (parse, index) = (times[0][ROUNDS / 2], times[1][ROUNDS / 2]);
    println!(
        "parse only  {parse:>8.2} s user CPU (min {:.2}, max {:.2})",
        times[0][0],
        times[0][ROUNDS - 1]
    );
    println!(
        "index       {index:>8.2} s user CPU (min {:.2}, max {:.2})",
        times[1][0],
        times[1][ROUNDS - 1]
    );
    println!("ratio       {:>8.2}", index / parse);
}

/// User CPU seconds of all children that have ended.
fn user_cpu_of_children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    // cutime is the 16th field of the file, the 14th behind the name; it counts hundredths of a second.
    fields[13].parse::<f64>().unwrap() / 100.0
}

fn parse_only(dir: &Path) {
    let walked = walk(dir, &WalkOptions::default(), &Silent, &Cancel::default()).unwrap();
    let bytes: usize = walked
        .files
        .par_iter()
        .map_init(
            || (None, tree_sitter::Parser::new()),
            |(current, parser), file| {
                let language: tree_sitter::Language = match file.language {
                    Language::TSX => tree_sitter_typescript::LANGUAGE_TSX.into(),
                    Language::TYPESCRIPT => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
                    Language::JAVASCRIPT => tree_sitter_javascript::LANGUAGE.into(),
                    Language::JAVA => tree_sitter_java::LANGUAGE.into(),
                    Language::CSHARP => tree_sitter_c_sharp::LANGUAGE.into(),
                    Language::KOTLIN => tree_sitter_kotlin_ng::LANGUAGE.into(),
                    Language::PHP => tree_sitter_php::LANGUAGE_PHP.into(),
                    Language::RUBY => tree_sitter_ruby::LANGUAGE.into(),
                    Language::SWIFT => tree_sitter_swift::LANGUAGE.into(),
                    Language::GO => tree_sitter_go::LANGUAGE.into(),
                    Language::RUST => tree_sitter_rust::LANGUAGE.into(),
                    Language::PYTHON => tree_sitter_python::LANGUAGE.into(),
                    Language::C => tree_sitter_c::LANGUAGE.into(),
                    Language::CPP => tree_sitter_cpp::LANGUAGE.into(),
                    _ => return 0,
                };
                if *current != Some(file.language) {
                    parser.set_language(&language).unwrap();
                    *current = Some(file.language);
                }
                let source = std::fs::read(&file.path).unwrap();
                let tree = parser.parse(&source, None);
                usize::from(tree.is_some()) * source.len()
            },
        )
        .sum();
    assert!(bytes > 0, "nothing was parsed");
}

fn index(dir: &Path) {
    let out = tempfile::tempdir().unwrap();
    let store = Store::at(out.path().join("index"));
    index_tree(
        dir,
        &store,
        &IndexOptions::default(),
        &Silent,
        &Cancel::default(),
    )
    .unwrap();
}

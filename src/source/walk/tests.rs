#![allow(clippy::unwrap_used)]

use std::process::Command;

use super::*;
use crate::model::progress::Silent;
use crate::source::git_index::tests::index;

/// A tree in a folder of its own; a path that ends in `/` is a folder.
struct Tree(tempfile::TempDir);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        files
            .iter()
            .for_each(|(path, text)| tree.write(path, text.as_bytes()));
        tree
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    fn write(&self, relative: &str, bytes: &[u8]) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Makes the tree a repository that tracks the given paths, without the git program.
    fn repository(&self, tracked: &[&str]) {
        self.write(".git/HEAD", b"ref: refs/heads/main\n");
        let mut entries: Vec<(&str, u32)> = tracked.iter().map(|p| (*p, 0o100_644)).collect();
        entries.sort_unstable();
        self.write(".git/index", &index(2, &entries));
    }

    fn walk_with(&self, relative: &str, options: &WalkOptions) -> Walked {
        walk(&self.path(relative), options, &Silent, &Cancel::default()).unwrap()
    }

    fn files(&self, options: &WalkOptions) -> Vec<String> {
        keys(&self.walk_with("", options))
    }
}

fn keys(walked: &Walked) -> Vec<String> {
    walked.files.iter().map(|f| f.key.clone()).collect()
}

fn plain() -> WalkOptions {
    WalkOptions::default()
}

fn reasons(walked: &Walked) -> Vec<(&str, &'static str)> {
    walked
        .skipped
        .iter()
        .map(|s| (s.key.as_str(), s.reason.as_str()))
        .collect()
}

#[test]
fn sources_and_configuration_are_listed_in_order_hidden_ones_too() {
    let tree = Tree::new(&[
        ("z.ts", ""),
        ("a/b.tsx", ""),
        ("a-b.ts", ""),
        (".config/x.js", ""),
        ("a/package.json", "{}"),
        ("tsconfig.json", "{}"),
        ("README.md", ""),
        ("x.zig", ""),
        ("y.zig", ""),
    ]);
    let walked = tree.walk_with("", &plain());
    assert_eq!(keys(&walked), [".config/x.js", "a-b.ts", "a/b.tsx", "z.ts"]);
    let configs: Vec<_> = walked.configs.iter().map(|c| c.key.as_str()).collect();
    assert_eq!(configs, ["a/package.json", "tsconfig.json"]);
    assert_eq!(walked.no_grammar.get("zig"), Some(&2));
    assert!(walked.skipped.is_empty());
    assert_eq!(walked.files.last().unwrap().path, walked.root.join("z.ts"));
}

#[test]
fn ignore_files_count_without_a_repository_and_ours_come_first() {
    let tree = Tree::new(&[
        (".gitignore", "*.gen.ts\n/only-top.ts\nlogs/\n"),
        (".graphifyignore", "legacy/\n!kept.gen.ts\n"),
        ("sub/.gitignore", "!back.gen.ts\nprivate/\n"),
        ("a.gen.ts", ""),
        ("kept.gen.ts", ""),
        ("only-top.ts", ""),
        ("sub/only-top.ts", ""),
        ("sub/back.gen.ts", ""),
        ("sub/away.gen.ts", ""),
        ("sub/private/s.ts", ""),
        ("logs/l.ts", ""),
        ("legacy/old.ts", ""),
    ]);
    assert_eq!(
        tree.files(&plain()),
        ["kept.gen.ts", "sub/back.gen.ts", "sub/only-top.ts"]
    );
    let all = WalkOptions {
        git_rules: false,
        ..plain()
    };
    assert_eq!(tree.files(&all).len(), 8, "our own rules stay");
}

#[test]
fn rules_above_the_root_count_in_a_repository_only() {
    let tree = Tree::new(&[
        (".gitignore", "*.gen.ts\n"),
        ("app/a.gen.ts", ""),
        ("app/b.ts", ""),
    ]);
    assert_eq!(keys(&tree.walk_with("app", &plain())), ["a.gen.ts", "b.ts"]);
    tree.repository(&[]);
    assert_eq!(keys(&tree.walk_with("app", &plain())), ["b.ts"]);
}

#[test]
fn what_git_tracks_survives_its_rules_but_not_ours() {
    let tree = Tree::new(&[
        (".gitignore", "ignored/\n*.gen.ts\n"),
        (".graphifyignore", "no.gen.ts\n"),
        ("ignored/tracked.ts", ""),
        ("ignored/deep/tracked.ts", ""),
        ("ignored/deep/not.ts", ""),
        ("ignored/other/not.ts", ""),
        ("yes.gen.ts", ""),
        ("no.gen.ts", ""),
        ("untracked.gen.ts", ""),
    ]);
    tree.repository(&[
        "ignored/tracked.ts",
        "ignored/deep/tracked.ts",
        "yes.gen.ts",
        "no.gen.ts",
    ]);
    assert_eq!(
        tree.files(&plain()),
        [
            "ignored/deep/tracked.ts",
            "ignored/tracked.ts",
            "yes.gen.ts"
        ]
    );
}

#[test]
fn build_products_are_left_out_and_said() {
    let files = [
        ("node_modules/x/i.js", ""),
        ("build/b.ts", ""),
        ("dist/d.js", ""),
        ("src/build/b.ts", ""),
        ("src/target/t.ts", ""),
        ("pkg/package.json", "{}"),
        ("pkg/out/o.js", ""),
        ("env/pyvenv.cfg", ""),
        ("env/lib/e.js", ""),
        (
            "cache/CACHEDIR.TAG",
            "Signature: 8a477f597d28d172789f06886806bc55\n",
        ),
        ("cache/c.ts", ""),
    ];
    let tree = Tree::new(&files);
    let walked = tree.walk_with("", &plain());
    assert_eq!(keys(&walked), ["src/target/t.ts"]);
    let skipped: Vec<&str> = walked.skipped.iter().map(|s| s.key.as_str()).collect();
    assert_eq!(
        skipped,
        [
            "build/",
            "cache/",
            "dist/",
            "env/",
            "pkg/out/",
            "src/build/"
        ]
    );
    tree.repository(&["src/build/b.ts", "build/b.ts", "pkg/out/o.js"]);
    assert_eq!(
        tree.files(&plain()),
        ["pkg/out/o.js", "src/build/b.ts"],
        "untracked src/target is a product now"
    );
    tree.write(".graphifyignore", b"!/build/\n!node_modules/\n");
    assert_eq!(
        tree.files(&plain()),
        [
            "build/b.ts",
            "node_modules/x/i.js",
            "pkg/out/o.js",
            "src/build/b.ts"
        ]
    );
}

#[cfg(unix)]
#[test]
fn links_pipes_and_unreadable_places_do_not_end_the_walk() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let outside = Tree::new(&[("t.ts", "secret")]);
    let tree = Tree::new(&[("src/a.ts", ""), ("zz/last.ts", ""), ("locked/x.ts", "")]);
    symlink(outside.path("t.ts"), tree.path("src/link.ts")).unwrap();
    symlink(outside.path(""), tree.path("outdir")).unwrap();
    symlink("nowhere.ts", tree.path("src/dangling.ts")).unwrap();
    symlink("..", tree.path("src/loop")).unwrap();
    std::fs::set_permissions(tree.path("locked"), std::fs::Permissions::from_mode(0o000)).unwrap();
    let walked = tree.walk_with("", &plain());
    std::fs::set_permissions(tree.path("locked"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let found = keys(&walked);
    assert!(found.contains(&"src/a.ts".into()) && found.contains(&"zz/last.ts".into()));
    assert!(
        !found
            .iter()
            .any(|k| k.contains("link") || k.contains("outdir") || k.contains("loop"))
    );
    let skipped = reasons(&walked);
    assert!(
        skipped.contains(&("src/link.ts", "link"))
            && skipped.contains(&("src/dangling.ts", "link"))
    );
    // Whoever runs as the superuser can read everything.
    assert!(found.contains(&"locked/x.ts".into()) || skipped.contains(&("locked/", "unreadable")));
}

#[test]
fn submodules_belong_to_the_tree_and_other_work_trees_do_not() {
    let tree = Tree::new(&[
        (".gitignore", "*.gen.ts\n"),
        ("src/a.ts", ""),
        ("sub/.git", "gitdir: ../.git/modules/sub\n"),
        ("sub/s.ts", ""),
        ("sub/own.gen.ts", ""),
        (".git/modules/sub/HEAD", "x"),
        (".agent/wt/.git", "gitdir: ../../.git/worktrees/wt\n"),
        (".agent/wt/src/a.ts", ""),
        (".git/worktrees/wt/HEAD", "x"),
        (".git/worktrees/wt/commondir", "../..\n"),
    ]);
    tree.repository(&["src/a.ts"]);
    let walked = tree.walk_with("", &plain());
    assert_eq!(keys(&walked), ["src/a.ts", "sub/own.gen.ts", "sub/s.ts"]);
    assert_eq!(reasons(&walked), [(".agent/wt/", "other-worktree")]);
    assert_eq!(
        keys(&tree.walk_with(".agent/wt", &plain())),
        ["src/a.ts"],
        "as a root it is a tree like any"
    );
}

#[test]
fn secrets_and_large_files_are_listed_and_not_opened() {
    let tree = Tree::new(&[
        (".env", "A=1"),
        ("keys/id_rsa", "k"),
        ("credentials.json", "{}"),
        ("small.ts", "12345"),
        ("large.ts", "123456"),
    ]);
    let options = WalkOptions {
        max_file_size: 5,
        ..plain()
    };
    let walked = tree.walk_with("", &options);
    assert_eq!(keys(&walked), ["small.ts"]);
    assert_eq!(
        reasons(&walked),
        [
            (".env", "secret"),
            ("credentials.json", "secret"),
            ("keys/id_rsa", "secret"),
            ("large.ts", "oversized")
        ]
    );
    assert_eq!(walked.skipped.last().unwrap().size, 6);
}

#[test]
fn the_callers_patterns_and_languages_narrow_the_walk() {
    let tree = Tree::new(&[
        ("src/a.ts", ""),
        ("src/b.js", ""),
        ("src/old/c.ts", ""),
        ("lib/d.ts", ""),
    ]);
    let pick = |include: &[&str], exclude: &[&str]| WalkOptions {
        include: include.iter().map(|p| (*p).to_string()).collect(),
        exclude: exclude.iter().map(|p| (*p).to_string()).collect(),
        ..plain()
    };
    assert_eq!(
        tree.files(&pick(&["src/**"], &[])),
        ["src/a.ts", "src/b.js", "src/old/c.ts"]
    );
    assert_eq!(
        tree.files(&pick(&["*.ts"], &["old/"])),
        ["lib/d.ts", "src/a.ts"]
    );
    assert_eq!(tree.files(&pick(&[], &["src"])), ["lib/d.ts"]);
    let only_js = WalkOptions {
        languages: Some(vec![Language::JAVASCRIPT]),
        ..plain()
    };
    assert_eq!(tree.files(&only_js), ["src/b.js"]);
    let own = WalkOptions {
        skip_paths: vec![tree.path("lib").canonicalize().unwrap()],
        ..plain()
    };
    assert_eq!(tree.files(&own), ["src/a.ts", "src/b.js", "src/old/c.ts"]);
    let bad = walk(
        tree.0.path(),
        &pick(&["a[z-a"], &[]),
        &Silent,
        &Cancel::default(),
    )
    .unwrap_err();
    assert_eq!(bad.kind(), ErrorKind::Invalid);
}

#[cfg(unix)]
#[test]
fn scripts_without_an_ending_are_known_by_their_first_line() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(&[
        ("bin/run", "#!/usr/bin/env node\n"),
        ("bin/plain", "#!/usr/bin/env node\n"),
    ]);
    std::fs::set_permissions(tree.path("bin/run"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(tree.files(&plain()), ["bin/run"]);
}

#[cfg(unix)]
#[test]
fn names_of_any_bytes_are_found_and_opened_again() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new(&[]);
    for name in [&b"caf\xe9.ts"[..], b"two\nlines.ts", "🐟.ts".as_bytes()] {
        std::fs::write(tree.0.path().join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
    }
    let walked = tree.walk_with("", &plain());
    assert_eq!(keys(&walked), ["caf\\xE9.ts", "two\\x0Alines.ts", "🐟.ts"]);
    for file in &walked.files {
        assert_eq!(walked.root.join(path::decode(&file.key)), file.path);
        assert!(file.path.exists());
    }
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let names: Vec<String> = (0..300)
        .map(|i| format!("d{}/e{}/f{i}.ts", i % 7, i % 13))
        .collect();
    let tree = Tree::new(&names.iter().map(|n| (n.as_str(), "")).collect::<Vec<_>>());
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| tree.walk_with("", &plain()).files)
    };
    assert_eq!(with(1), with(4));
    assert_eq!(with(1).len(), 300);
}

#[test]
fn a_walk_of_nothing_and_a_stopped_walk_say_so() {
    let tree = Tree::new(&[("a.ts", "")]);
    let gone = walk(&tree.path("gone"), &plain(), &Silent, &Cancel::default()).unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::Io);
    let file = walk(&tree.path("a.ts"), &plain(), &Silent, &Cancel::default()).unwrap_err();
    assert_eq!(file.kind(), ErrorKind::Invalid);
    let cancel = Cancel::default();
    cancel.request();
    let stopped = walk(tree.0.path(), &plain(), &Silent, &cancel).unwrap_err();
    assert_eq!(stopped.kind(), ErrorKind::Interrupted);
}

/// Git itself is the judge: on a tree full of awkward rules our list is the one it prints.
#[test]
fn git_lists_the_same_files() {
    let rules = [
        (
            ".gitignore",
            "*.gen.ts\n!/keep.gen.ts\n/top/\n**/deep/x.ts\na/**/z.ts\n\\!odd.ts\n\\#hash.ts\ntrail.ts   \n[ab]c.ts\n!*/\nfoo/*\n!foo/bar.ts\n",
        ),
        (
            "a/.gitignore",
            "!*.gen.ts\n/x.ts\nb/\n!b/\nsub/*\n!sub/keep/\n",
        ),
        ("a/b/.gitignore", "*\n!y.ts\n"),
        ("q/.gitignore", "/*\n!/src/\n!/.gitignore\n"),
        ("q/src/android/.gitignore", "out/\n"),
    ];
    let names = [
        "keep.gen.ts",
        "z.ts",
        "x.ts",
        "y.ts",
        "ac.ts",
        "!odd.ts",
        "#hash.ts",
        "trail.ts",
        "bar.ts",
        "no.gen.ts",
    ];
    let folders = [
        "",
        "top/",
        "a/",
        "a/b/",
        "a/sub/",
        "a/sub/keep/",
        "deep/",
        "r/deep/",
        "foo/",
        "q/",
        "q/src/",
        "q/src/android/",
        "q/src/android/out/",
        "q/other/",
    ];
    let tree = Tree::new(&rules);
    for (i, folder) in folders.iter().enumerate() {
        for (j, name) in names.iter().enumerate() {
            if (i + j) % 5 != 4 {
                tree.write(&format!("{folder}{name}"), b"");
            }
        }
    }
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(args)
            .current_dir(tree.0.path())
            .env("HOME", tree.0.path())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
            .output()
            .ok()
            .filter(|out| out.status.success())
            .map(|out| out.stdout)
    };
    if git(&["init", "-q"]).is_none() {
        return; // git is not installed here: nothing to compare with
    }
    let list = |args: &[&str]| {
        let out = git(args).unwrap();
        let mut names: Vec<String> = out
            .split(|b| *b == 0)
            .map(|n| String::from_utf8_lossy(n).into_owned())
            .filter(|n| n.ends_with(".ts"))
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let untracked = ["ls-files", "-z", "-o", "-c", "--exclude-standard"];
    assert_eq!(tree.files(&plain()), list(&untracked));
    for forced in [
        "top/x.ts",
        "a/b/x.ts",
        "q/other/ac.ts",
        "no.gen.ts",
        "deep/z.ts",
    ] {
        tree.write(forced, b"");
        git(&["add", "-f", forced]).unwrap();
    }
    assert_eq!(
        tree.files(&plain()),
        list(&untracked),
        "with tracked files among the ignored"
    );
}

//! What role a file plays, by its path and first lines: test, example, generated, vendored.
//!
//! Where it sits: computed once when a file is read and stored in [`FileMeta::flags`](crate::model::unit::FileMeta);
//! `search` and `context` weigh by it. Invariant: depends on the key and the text alone.

use crate::model::unit::FileFlags;

/// Folders that hold tests.
const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "__test__",
    "spec",
    "specs",
    "__specs__",
    "e2e",
    "__e2e__",
    "__mocks__",
    "testdata",
    "test-d",
    "unittest",
    "unittests",
    "integration-tests",
    "type-tests",
    "cypress",
    "selftests",
];

/// Folders that hold examples, samples of data, documentation and measurements.
const EXAMPLE_FOLDERS: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "fixture",
    "fixtures",
    "__fixtures__",
    "docs",
    "doc",
    "tutorial",
    "tutorials",
    "playground",
    "playgrounds",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "stories",
    "__stories__",
    "docs_src",
    "storybook",
    ".storybook",
];

/// Folders of generated or foreign code.
const GENERATED_FOLDERS: &[&str] = &[
    "generated",
    "__generated__",
    ".generated",
    "autogen",
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "node_modules",
    "dist",
];

/// Where a folder called `vendor` holds foreign code; elsewhere the word may belong to the program's own subject.
const VENDOR_PARENTS: &[&str] = &[
    "", "src", "lib", "libs", "assets", "public", "static", "js", "scripts", "deps",
];

/// Name parts (between dots) in front of the last ending that mark a test.
const TEST_PARTS: &[&str] = &[
    "test", "tests", "spec", "specs", "e2e", "cy", "test-d", "itest", "mock",
];

/// Name parts that mark generated code.
const GENERATED_PARTS: &[&str] = &[
    "gen",
    "generated",
    "pb",
    "g",
    "designer",
    "min",
    "freezed",
    "grpc",
];

/// The flags that a file's path gives it. `key` is the encoded path below the root.
pub fn of_path(key: &str) -> FileFlags {
    let mut flags = 0;
    let mut parts = key.split('/');
    let name = parts.next_back().unwrap_or_default().to_ascii_lowercase();
    let mut above = String::new();
    for folder in parts {
        let folder = folder.to_ascii_lowercase();
        if folder == "vendor" && VENDOR_PARENTS.contains(&above.as_str()) {
            flags |= FileFlags::GENERATED;
        }
        above.clone_from(&folder);
        let folder = folder.as_str();
        if TEST_FOLDERS.contains(&folder)
            || folder.ends_with("-tests")
            || folder.ends_with("_tests")
        {
            flags |= FileFlags::TEST;
        }
        if EXAMPLE_FOLDERS.contains(&folder) {
            flags |= FileFlags::EXAMPLE;
        }
        if GENERATED_FOLDERS.contains(&folder) {
            flags |= FileFlags::GENERATED;
        }
    }
    FileFlags(flags | of_file_name(&name, key))
}

fn of_file_name(name: &str, key: &str) -> u32 {
    let mut flags = 0;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    // `a.test.ts`, `a.spec.d.ts`, `a.gen.ts`: every part but the first (a plain name) and the last (the ending).
    let middle: Vec<&str> = name.split('.').skip(1).collect();
    let middle = middle
        .split_last()
        .map(|(_, rest)| rest)
        .unwrap_or_default();
    if middle.iter().any(|p| TEST_PARTS.contains(p)) {
        flags |= FileFlags::TEST;
    }
    if middle.iter().any(|p| GENERATED_PARTS.contains(p)) {
        flags |= FileFlags::GENERATED;
    }
    if middle
        .iter()
        .any(|p| matches!(*p, "stories" | "story" | "example" | "fixture" | "bench"))
    {
        flags |= FileFlags::EXAMPLE;
    }
    let exact_stem = key.rsplit('/').next().unwrap_or_default();
    let exact_stem = exact_stem
        .rsplit_once('.')
        .map_or(exact_stem, |(stem, _)| stem);
    let camel_test = ["Test", "Tests", "TestCase", "Spec", "IT"]
        .iter()
        .any(|end| exact_stem.strip_suffix(end).is_some_and(ends_in_lower_case));
    if stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || stem.ends_with("-test")
        || stem.ends_with("-spec")
        || matches!(stem, "conftest" | "test" | "tests" | "spec")
        || camel_test
    {
        flags |= FileFlags::TEST;
    }
    if stem.ends_with("_pb2")
        || stem.ends_with("_pb2_grpc")
        || stem.ends_with("_pb")
        || stem.ends_with("_generated")
    {
        flags |= FileFlags::GENERATED;
    }
    flags
}

fn ends_in_lower_case(stem: &str) -> bool {
    stem.chars()
        .next_back()
        .is_some_and(|c| c.is_lowercase() || c.is_ascii_digit())
}

/// Whether the first lines of a text say that a program wrote it.
pub fn says_generated(text: &str) -> bool {
    text.lines().take(20).filter(|l| l.len() < 400).any(|line| {
        let Some(at) = line.find("enerated") else {
            return line.contains("DO NOT EDIT") || line.contains("@partially-generated");
        };
        let comment = line
            .trim_start()
            .starts_with(['/', '#', '*', '-', '<', ';', '"']);
        let marked = line.get(..at).is_some_and(|before| before.ends_with("@g"));
        let lower = line.to_ascii_lowercase();
        let said = [
            "do not edit",
            "do not modify",
            "don't edit",
            "auto-generated",
            "autogenerated",
            "automatically generated",
            "code generated",
            "generated by",
            "this file is generated",
            "this file was generated",
            "generated from",
        ];
        comment && (marked || said.iter().any(|s| lower.contains(s)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_tests_examples_and_generated_code() {
        let test = FileFlags::TEST;
        let example = FileFlags::EXAMPLE;
        let generated = FileFlags::GENERATED;
        for (key, flags) in [
            ("src/cart/total.ts", 0),
            ("src/cart/total.test.ts", test),
            ("src/cart/__tests__/total.ts", test),
            ("tests/order.ts", test),
            ("pkg/server_test.go", test),
            ("tests/test_api.py", test),
            ("src/OrderServiceTest.java", test),
            ("src/LATEST.java", 0),
            ("src/contest.py", 0),
            ("src/latest.ts", 0),
            ("src/testing.ts", 0),
            ("src/inspect.ts", 0),
            ("examples/basic/index.ts", example),
            ("packages/a/src/button.stories.tsx", example),
            ("api/user.pb.go", generated),
            ("api/user_pb2.py", generated),
            ("src/schema.gen.ts", generated),
            ("lib/app.min.js", generated),
            ("third_party/zlib/inflate.c", generated),
            ("test/fixtures/a/input.js", test | example),
            ("src/vendor/jquery.js", generated),
            ("src/shop/vendor/service.ts", 0),
            ("gen.ts", 0),
            ("spec.ts", test),
            ("", 0),
        ] {
            assert_eq!(of_path(key).0, flags, "{key}");
        }
    }

    #[test]
    fn the_first_lines_may_say_that_a_program_wrote_them() {
        assert!(says_generated(
            "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a"
        ));
        assert!(says_generated("/**\n * @generated SignedSource<<x>>\n */"));
        assert!(says_generated(
            "# This file is automatically generated by a tool\n"
        ));
        assert!(!says_generated(
            "// The id is generated lazily.\nexport class A {}"
        ));
        assert!(!says_generated("const generated = by(generated);\n"));
        assert!(!says_generated(&format!(
            "{}// @generated",
            "\n".repeat(50)
        )));
    }
}

//! Which files are read in full: by size, by the look of their lines, by their path.

use crate::model::unit::FileFlags;

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileClass {
    /// It is read in full.
    Ordinary,
    /// Written for machines: only the file itself is indexed.
    Minified,
    /// Larger than the limit: only the file itself is indexed.
    Oversized,
}

/// A line of this many bytes is not written by hand …
const LONG_LINE: usize = 5_000;
/// … and a file whose lines are this long on average, in bytes, is minified.
const MEAN_LINE: usize = 500;

/// Decides what is done with a file.
///
/// Minified means: at least one line of [`LONG_LINE`] bytes, and more than half of the file's bytes in such lines or lines
/// of [`MEAN_LINE`] bytes on average. A program with one long embedded text stays ordinary; a bundle behind a licence
/// comment does not.
pub(super) fn classify(source: &[u8], size_limit: usize) -> FileClass {
    if source.len() > size_limit {
        return FileClass::Oversized;
    }
    if source.len() < LONG_LINE {
        return FileClass::Ordinary;
    }
    let mut lines = 0;
    let mut long = 0;
    let mut start = 0;
    let mut count = |end: usize| {
        lines += 1;
        if end - start >= LONG_LINE {
            long += end - start;
        }
        start = end + 1;
    };
    memchr_lines(source, &mut count);
    let minified = long > 0 && (long * 2 > source.len() || source.len() / lines > MEAN_LINE);
    if minified {
        FileClass::Minified
    } else {
        FileClass::Ordinary
    }
}

/// Calls `visit` with the end of each line.
fn memchr_lines(source: &[u8], visit: &mut impl FnMut(usize)) {
    for (i, byte) in source.iter().enumerate() {
        if *byte == b'\n' {
            visit(i);
        }
    }
    visit(source.len());
}

/// Flags that a file's path gives it.
pub(super) fn flags_of_path(path: &str) -> u32 {
    let mut flags = 0;
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    for folder in folders.split('/') {
        match folder {
            "test" | "tests" | "__tests__" | "spec" | "specs" | "__mocks__" | "testing" | "e2e" => {
                flags |= FileFlags::TEST;
            }
            "example" | "examples" | "fixtures" | "__fixtures__" | "docs" => {
                flags |= FileFlags::EXAMPLE;
            }
            "generated" | "__generated__" | "vendor" | "third_party" => {
                flags |= FileFlags::GENERATED;
            }
            _ => {}
        }
    }
    // `a.test.ts` is marked; `test.ts` is only called that.
    let middle = name.split('.').skip(1);
    let stem = name.split('.').next().unwrap_or(name);
    let marked = middle
        .filter(|p| !p.is_empty())
        .any(|p| matches!(p, "test" | "spec" | "test-d" | "e2e"));
    if marked || stem.starts_with("test_") || stem.ends_with("_test") || stem == "conftest" {
        flags |= FileFlags::TEST;
    }
    if name.contains(".generated.") || name.ends_with(".pb.go") || name.contains(".gen.") {
        flags |= FileFlags::GENERATED;
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_minified_and_a_long_string_is_not() {
        let bundle = format!("/* licence */\n{}", "a=1;".repeat(5_000));
        assert_eq!(classify(bundle.as_bytes(), 1 << 20), FileClass::Minified);
        let code = format!(
            "{}const logo = '{}';\n",
            "export const a = 1;\n".repeat(2_000),
            "x".repeat(6_000)
        );
        assert_eq!(classify(code.as_bytes(), 1 << 20), FileClass::Ordinary);
        assert_eq!(classify(code.as_bytes(), 1_000), FileClass::Oversized);
        assert_eq!(classify(b"", 1_000), FileClass::Ordinary);
    }

    #[test]
    fn tests_are_known_by_folder_and_name() {
        for path in [
            "a/__tests__/x.ts",
            "a/x.test.tsx",
            "x.spec.js",
            "tests/a.py",
            "a/b_test.go",
        ] {
            assert_ne!(flags_of_path(path) & FileFlags::TEST, 0, "{path}");
        }
        for path in ["src/contest.ts", "src/latest/x.ts", "test.ts"] {
            assert_eq!(flags_of_path(path) & FileFlags::TEST, 0, "{path}");
        }
    }
}

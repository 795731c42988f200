//! Ignore rules: one file of patterns, and the chain of such files from a folder up to where they stop to count.
//!
//! Where it sits: consulted by the walk for every entry. Patterns mean what git means by them (the `ignore` crate
//! compiles them). Invariants: the last pattern that matches decides, a deeper file before a shallower one; an ignore
//! file is read whatever bytes it holds, and a pattern that cannot be compiled is skipped alone.

use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// An ignore file larger than this is cut there.
const MAX_BYTES: usize = 4 << 20;

/// The patterns of one file.
#[derive(Clone, Debug)]
pub struct Rules(Gitignore);

impl Rules {
    /// The patterns of `file`, which count from `folder` down. A missing file has none; a link is not read, as in git.
    pub fn read(folder: &Path, file: &Path) -> Self {
        let regular = std::fs::symlink_metadata(file).is_ok_and(|m| m.is_file());
        let bytes = if regular {
            std::fs::read(file).unwrap_or_default()
        } else {
            Vec::new()
        };
        Self::parse(folder, &bytes)
    }

    /// Patterns as they stand in a file.
    pub fn parse(folder: &Path, bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let bytes = bytes.get(..MAX_BYTES).unwrap_or(bytes);
        if bytes.is_empty() {
            return Self(Gitignore::empty());
        }
        let mut builder = GitignoreBuilder::new(folder);
        for line in String::from_utf8_lossy(bytes).lines() {
            let _ = builder.add_line(None, line);
        }
        Self(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    /// The user's own excludes (`core.excludesFile`), which count from `folder` down.
    pub fn of_user(folder: &Path) -> Self {
        Self(GitignoreBuilder::new(folder).build_global().0)
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the patterns leave a path out (`Some(true)`), bring it back (`Some(false)`), or say nothing. The path
    /// must lie in the folder from which the patterns count.
    pub fn ignores(&self, path: &Path, is_dir: bool) -> Option<bool> {
        match self.0.matched(path, is_dir) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

/// The ignore files of one name that count in a folder, deepest first.
#[derive(Clone, Debug, Default)]
pub struct Chain(Option<Arc<Link>>);

#[derive(Debug)]
struct Link {
    rules: Rules,
    above: Chain,
}

impl Chain {
    /// The chain with the rules of a deeper folder in front.
    pub fn with(&self, rules: Rules) -> Self {
        if rules.is_empty() {
            return self.clone();
        }
        Self(Some(Arc::new(Link {
            rules,
            above: self.clone(),
        })))
    }

    /// What the chain says of a path; see [`Rules::ignores`].
    pub fn ignores(&self, path: &Path, is_dir: bool) -> Option<bool> {
        let mut link = &self.0;
        while let Some(here) = link {
            let said = here.rules.ignores(path, is_dir);
            if said.is_some() {
                return said;
            }
            link = &here.above.0;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &[u8]) -> Rules {
        Rules::parse(Path::new("/r"), text)
    }

    #[test]
    fn marks_line_ends_trailing_blanks_and_odd_bytes_do_not_disturb() {
        let rules = rules(
            b"\xEF\xBB\xBFskip/\r\nalso/   \r\n\r\n# no\r\nb\xFFd\r\n[\r\n*.log\r\n!keep.log",
        );
        assert_eq!(rules.ignores(Path::new("/r/skip"), true), Some(true));
        assert_eq!(rules.ignores(Path::new("/r/x/also"), true), Some(true));
        assert_eq!(rules.ignores(Path::new("/r/also"), false), None);
        assert_eq!(rules.ignores(Path::new("/r/a.log"), false), Some(true));
        assert_eq!(rules.ignores(Path::new("/r/keep.log"), false), Some(false));
    }

    #[test]
    fn a_deeper_file_decides_before_a_shallower_one() {
        let top = Chain::default().with(rules(b"*.gen.ts\n"));
        let deep = top.with(Rules::parse(Path::new("/r/sub"), b"!keep.gen.ts\n"));
        assert_eq!(
            deep.ignores(Path::new("/r/sub/keep.gen.ts"), false),
            Some(false)
        );
        assert_eq!(
            deep.ignores(Path::new("/r/sub/a.gen.ts"), false),
            Some(true)
        );
        assert_eq!(
            top.ignores(Path::new("/r/sub/keep.gen.ts"), false),
            Some(true)
        );
        assert_eq!(Chain::default().ignores(Path::new("/r/a"), false), None);
    }

    #[test]
    fn patterns_without_a_file_are_none() {
        assert!(Rules::read(Path::new("/r"), Path::new("/r/no/such/file")).is_empty());
        assert!(rules(b"").is_empty());
    }
}

//! Files as they are on disk at the moment of an answer.
//!
//! Where it sits: beside the read side, with the feature `indexing`; implements [`Present`] over a folder, for every command
//! that shows or trusts source. A file is read once for each answer; its bytes are hashed, and only where the hash is not the
//! recorded one is it parsed again. Invariants: times of files decide nothing, so a file that was restored with its old time
//! is seen as well; nothing outside the root is read; a file that became unreadable counts as gone.

use std::path::{Path, PathBuf};

use crate::extract::{self, ExtractOptions};
use crate::model::label::Language;
use crate::model::path;
use crate::model::present::{Presence, Present, PresentFile};
use crate::source::read::{self, Reading};

/// Larger files are not read for an answer.
const MAX_BYTES: u64 = 16 << 20;

/// The files below a root. A file of unknown content (0) counts as unchanged.
#[derive(Clone, Debug)]
pub struct DiskTree {
    root: PathBuf,
}

impl DiskTree {
    /// The tree at `root`, the folder to which the keys of its index are relative.
    pub fn new(root: impl AsRef<Path>) -> Self {
        Self {
            root: root.as_ref().to_path_buf(),
        }
    }

    /// Where the file with that key lies; `None` for keys that lead out of the root.
    pub fn path_of(&self, key: &str) -> Option<PathBuf> {
        let relative = path::decode(key);
        let inside = relative
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        inside.then(|| self.root.join(relative))
    }
}

impl Present for DiskTree {
    fn file(&self, key: &str, language: Language, known: u128) -> Presence {
        let Some(path) = self.path_of(key) else {
            return Presence::Gone;
        };
        let source = match read::read(&path, key, language, MAX_BYTES) {
            Reading::Source(source) => source,
            Reading::Skipped { .. } => return Presence::Gone,
        };
        // Graphs of other programs record no content.
        let changed = (known != 0 && source.content_hash != known).then(|| {
            let text = source.text.text.as_bytes();
            let mut unit = extract::extract(key, language, text, &ExtractOptions::default());
            unit.meta.content_hash = source.content_hash;
            unit.meta.size = source.stat.size;
            unit.meta.lines = source.lines;
            unit.meta.flags |= source.flags.0;
            Box::new(unit)
        });
        Presence::Here(Box::new(PresentFile {
            text: source.text.text,
            changed,
        }))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;

    #[test]
    fn a_file_is_parsed_again_only_where_its_content_differs() {
        let dir = tempfile::tempdir().unwrap();
        let text = "export function total() { return 1; }\n";
        std::fs::write(dir.path().join("a.ts"), text).unwrap();
        let tree = DiskTree::new(dir.path());
        let known = xxhash_rust::xxh3::xxh3_128(text.as_bytes());
        let Presence::Here(same) = tree.file("a.ts", Language::TYPESCRIPT, known) else {
            panic!("it is there");
        };
        assert!(same.changed.is_none());
        let Presence::Here(other) = tree.file("a.ts", Language::TYPESCRIPT, 7) else {
            panic!("it is there");
        };
        assert!(
            other
                .changed
                .unwrap()
                .keys()
                .contains(&"a.ts::total()".to_string())
        );
    }

    #[test]
    fn what_is_gone_or_outside_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let tree = DiskTree::new(dir.path());
        for key in ["none.ts", "../a.ts", "/etc/passwd", ""] {
            let presence = tree.file(key, Language::TYPESCRIPT, 0);
            assert!(matches!(presence, Presence::Gone), "{key}");
        }
    }
}

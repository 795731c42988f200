//! What part a node plays: product code, or tests, examples, generated code, which answer a question less.
//!
//! Where it sits: asked by both rankings, by names and by texts. Invariant: depends on the flags of node and file and on
//! the path alone.

use rustc_hash::FxHashMap;

use crate::ids::FileOrd;
use crate::model::label::NodeKind;
use crate::model::node::NodeFlags;
use crate::model::unit::FileFlags;
use crate::search::text::params::DEMOTED;
use crate::snapshot::{NodeView, Snapshot};

/// Folders beside the product: what builds, measures, shows or documents it.
const BESIDE: &[&str] = &[
    "script", "scripts", "tools", "tool", "www", "website", "site", "perf", "codemod", "codemods",
    "sandbox", ".github", "ci", "media",
];

/// Factors of nodes, remembered by file.
pub(crate) struct Roles<'a> {
    snapshot: &'a Snapshot,
    with_tests: bool,
    files: FxHashMap<(usize, FileOrd), f32>,
}

impl<'a> Roles<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, with_tests: bool) -> Self {
        Self {
            snapshot,
            with_tests,
            files: FxHashMap::default(),
        }
    }

    /// The factor of a node.
    pub(crate) fn of(&mut self, node: &NodeView<'_>) -> f32 {
        let flags = node.flags();
        if flags.has(NodeFlags::GENERATED) || (flags.has(NodeFlags::TEST) && !self.with_tests) {
            return DEMOTED;
        }
        match node.home_file() {
            Some(file) => self.of_file(file),
            None => 1.0,
        }
    }

    /// The factor of a file.
    pub(crate) fn of_file(&mut self, (part, ord): (usize, FileOrd)) -> f32 {
        if let Some(known) = self.files.get(&(part, ord)) {
            return *known;
        }
        let row = self.snapshot.part(part).and_then(|p| p.segment.file(ord));
        let factor = row.map_or(1.0, |row| self.judge(row.key(), row.meta().flags));
        self.files.insert((part, ord), factor);
        factor
    }

    fn judge(&self, path: &str, flags: u32) -> f32 {
        let generated = flags & (FileFlags::GENERATED | FileFlags::MINIFIED) != 0;
        let test = flags & (FileFlags::TEST | FileFlags::EXAMPLE) != 0;
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let beside = folders.split('/').any(|f| BESIDE.contains(&f));
        let config = name.contains(".config.") || name.contains(".d.");
        if generated || beside || config || (test && !self.with_tests) {
            DEMOTED
        } else {
            1.0
        }
    }
}

/// Whether a node of this kind can stand in a ranking of texts.
pub(crate) fn ranks(kind: NodeKind) -> bool {
    kind != NodeKind::IMPL
}

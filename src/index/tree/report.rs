//! What a run did, as plain data.
//!
//! Where it sits: filled by [`super`], printed by the command line, kept in part with the index so that `status` can say
//! what was left out. Invariant: every candidate of the walk is counted once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::index::CommitInfo;
use crate::index::tree::extraction::Extracted;
use crate::index::tree::relink::Linked;
use crate::snapshot::Snapshot;
use crate::source::change::Changes;
use crate::source::skipped::{SkipReason, Skipped};
use crate::source::walk::Walked;

/// How many left-out files are kept with the index; the counts are always whole.
const MAX_LISTED: usize = 500;

/// A file or folder that was left out.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct SkippedFile {
    /// Its path below the root.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What a run found and did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct IndexReport {
    /// Files that were not known.
    pub added: usize,
    /// Files whose content differs.
    pub changed: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Files whose content is the same.
    pub unchanged: usize,
    /// Units that were written: read ones, and ones whose links changed.
    pub written: usize,
    /// Files in the index.
    pub files: u64,
    /// Nodes in the index.
    pub nodes: u64,
    /// Edges in the index.
    pub edges: u64,
    /// References of the index whose target is known; structure is not counted.
    pub resolved: u64,
    /// References of the index to names that nothing could be proved for.
    pub unresolved: u64,
    /// Files with syntax errors among those read in this run.
    pub with_errors: usize,
    /// Files of each language.
    pub languages: BTreeMap<String, u64>,
    /// Source files in languages that this build has no grammar for.
    pub no_grammar: BTreeMap<String, u64>,
    /// What was left out, and why.
    pub skipped: Vec<SkippedFile>,
    /// How much was left out, by reason.
    pub skipped_counts: BTreeMap<String, usize>,
    /// Whether a damaged index was replaced.
    pub replaced_damage: bool,
    /// Number of the commit.
    pub generation: u64,
}

impl IndexReport {
    pub(super) fn new(walked: &Walked, changes: &Changes, replaced_damage: bool) -> Self {
        let mut report = Self {
            added: changes.added.len(),
            changed: changes.changed.len(),
            removed: changes.removed.len(),
            unchanged: changes.unchanged.len() + changes.refreshed.len(),
            replaced_damage,
            no_grammar: walked
                .no_grammar
                .iter()
                .map(|(l, n)| ((*l).to_string(), *n))
                .collect(),
            ..Self::default()
        };
        walked.skipped.iter().for_each(|s| report.skip(s));
        report
    }

    fn skip(&mut self, skipped: &Skipped) {
        let reason = skipped.reason.to_string();
        if !matches!(skipped.reason, SkipReason::DefaultFolder | SkipReason::Link) {
            self.skipped.push(SkippedFile {
                path: skipped.key.clone(),
                reason: reason.clone(),
            });
        }
        *self.skipped_counts.entry(reason).or_insert(0) += 1;
    }

    pub(super) fn note_extracted(&mut self, extracted: &[Extracted]) {
        for file in extracted {
            match file {
                Extracted::Read(pair) => {
                    self.with_errors += usize::from(pair.0.meta.parse_errors > 0);
                }
                Extracted::Skipped(skipped) => self.skip(skipped),
                Extracted::Stored(_) => {}
            }
        }
        self.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    }

    pub(super) fn note_linked(&mut self, linked: &Linked) {
        let languages = linked.count_languages().into_iter();
        self.languages = languages.map(|(l, n)| (l.to_string(), n)).collect();
    }

    pub(super) fn finish(&mut self, commit: &CommitInfo, snapshot: &Snapshot) {
        self.written = commit.stored;
        self.generation = commit.generation;
        self.files = snapshot.file_count();
        self.nodes = snapshot.node_count();
        let totals = snapshot.edge_totals();
        self.edges = totals.all;
        (self.resolved, self.unresolved) = (totals.resolved(), totals.unresolved);
    }

    /// What `status` shows later of this run.
    pub(super) fn properties(&self) -> Vec<(String, String)> {
        let listed: Vec<&SkippedFile> = self.skipped.iter().take(MAX_LISTED).collect();
        let texts = [
            ("skipped", serde_json::to_string(&listed)),
            (
                "skipped_counts",
                serde_json::to_string(&self.skipped_counts),
            ),
            ("no_grammar", serde_json::to_string(&self.no_grammar)),
        ];
        let texts = texts.into_iter();
        texts
            .filter_map(|(name, text)| Some((name.to_string(), text.ok()?)))
            .collect()
    }
}

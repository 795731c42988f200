//! Checking a whole store, and mending what can be mended.
//!
//! Where it sits: called through [`crate::Store::verify`] and [`crate::Store::repair`]. A segment checks itself
//! ([`crate::segment::Finding`]); what only the whole can tell is checked here: that every edge leads to a symbol that
//! exists, whose key is the one the edge was made for, that no symbol has two live homes, and that HEAD's numbers are
//! those of the segments. Invariants: a check changes nothing and takes no lock, so that it can run beside a writer; a
//! repair never deletes what the last commit names.

use std::path::Path;
use std::sync::Arc;

use crate::catalog::{self, Catalog};
use crate::error::{ErrorKind, Result};
use crate::ids::{NodeIdx, SymId};
use crate::index::{Writer, WriterOptions};
use crate::model::key;
use crate::snapshot::Snapshot;
use crate::snapshot::history::{self, History};
use crate::storage::fs::Fs;
use crate::storage::lock::WriterLock;

/// Findings after which a check gives up listing: more would say nothing new.
const MAX_FINDINGS: usize = 200;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// What is wrong, a line each; empty for a sound store.
    pub findings: Vec<String>,
    /// Segments that were read.
    pub segments: usize,
    /// Live nodes of units, as `status` counts them; what is dead or stands outside was looked at too.
    pub nodes: u64,
    /// Live edges that were followed.
    pub edges: u64,
    /// Whether the writer's catalog was checked too; it cannot be while a writer is at work.
    pub catalog_checked: bool,
}

impl VerifyReport {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }

    fn add(&mut self, finding: impl Into<String>) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding.into());
        }
    }
}

/// Checks every byte and every cross-reference of the last commit.
pub(crate) fn verify(fs: &dyn Fs, dir: &Path) -> Result<VerifyReport> {
    let snapshot = Snapshot::open_with(fs, dir, &[])?;
    let mut report = VerifyReport {
        segments: snapshot.segment_count(),
        ..VerifyReport::default()
    };
    for (part, entry) in snapshot.parts.iter().zip(&snapshot.head.segments) {
        part.segment
            .verify()
            .into_iter()
            .for_each(|f| report.add(f.to_string()));
        let stored = (part.segment.file_count(), part.segment.node_count());
        if stored != (entry.files, entry.nodes) || part.segment.edge_count() != entry.edges {
            report.add(format!(
                "HEAD counts segment {:016x} differently",
                entry.id.0
            ));
        }
    }
    report.nodes = snapshot.node_count();
    // What the segments say of each other means something only when each is sound in itself.
    if report.is_sound() {
        check_edges(&snapshot, &mut report);
        check_homes(&snapshot, &mut report);
    }
    check_history(fs, dir, &mut report)?;
    check_catalog(fs, dir, &mut report)?;
    Ok(report)
}

/// The record of past commits, where there is one, can be read.
fn check_history(fs: &dyn Fs, dir: &Path, report: &mut VerifyReport) -> Result<()> {
    let path = history::path(dir);
    if fs.exists(&path)?
        && let Err(e) = History::decode(fs.read(&path, history::MAX_LEN)?)
    {
        report.add(e.at(path).to_string());
    }
    Ok(())
}

/// Every live edge leads to a live symbol, and to the one it was made for.
fn check_edges(snapshot: &Snapshot, report: &mut VerifyReport) {
    for part in &snapshot.parts {
        for index in 0..part.segment.file_node_count() {
            let node = NodeIdx(index);
            if part.dead.contains(node) {
                continue;
            }
            for edge in part.segment.out_row(node).iter() {
                report.edges += 1;
                let from = || part.segment.key(node).unwrap_or_default();
                let Some(target) = snapshot.node(edge.target) else {
                    report.add(format!(
                        "an edge of {} leads to a symbol without a record",
                        from()
                    ));
                    continue;
                };
                let target = target.key();
                if key::hash(&target) & 0xFFFF != u64::from(edge.tag) {
                    report.add(format!(
                        "an edge of {} leads to {target} by mistake",
                        from()
                    ));
                }
            }
        }
    }
}

/// No symbol is defined by two live files.
fn check_homes(snapshot: &Snapshot, report: &mut VerifyReport) {
    let mut seen = vec![false; snapshot.symbol_bound() as usize];
    for part in &snapshot.parts {
        for index in 0..part.segment.file_node_count() {
            let node = NodeIdx(index);
            if part.dead.contains(node) {
                continue;
            }
            let Some(SymId(sym)) = part.segment.sym_of(node) else {
                report.add("a node has no symbol");
                continue;
            };
            match seen.get_mut(sym as usize) {
                Some(slot) if !*slot => *slot = true,
                Some(_) => report.add(format!("symbol {sym} has two live records")),
                None => report.add(format!("symbol {sym} was never given out")),
            }
        }
    }
}

/// The catalog, unless a writer has it.
fn check_catalog(fs: &dyn Fs, dir: &Path, report: &mut VerifyReport) -> Result<()> {
    let path = dir.join(catalog::FILE_NAME);
    let lock = match WriterLock::try_acquire(fs, dir) {
        Ok(lock) => lock,
        // A writer is at work, or this is a copy that cannot be written to: readers do not need the catalog.
        Err(e) if matches!(e.kind(), ErrorKind::Locked | ErrorKind::Io) => return Ok(()),
        Err(e) => return Err(e),
    };
    if !fs.exists(&path)? {
        report.add("the writer's catalog is missing; the next `graphify index` makes it anew");
        return Ok(());
    }
    match Catalog::open(fs, &path).and_then(|mut catalog| catalog.verify()) {
        Ok(()) => report.catalog_checked = true,
        Err(e) if e.kind() == ErrorKind::Io => {}
        Err(e) => report.add(format!("the writer's catalog: {e}")),
    }
    drop(lock);
    Ok(())
}

/// Brings the store to its last commit: publishes HEAD again, rebuilds a lost catalog, sweeps what no commit names; then
/// checks. What is still wrong in the report is damage in a segment, which only the sources can replace.
pub(crate) fn repair(fs: &Arc<dyn Fs>, dir: &Path) -> Result<VerifyReport> {
    let options = WriterOptions {
        replace_damaged: false,
        ..WriterOptions::default()
    };
    drop(Writer::open(Arc::clone(fs), dir, options)?);
    verify(&**fs, dir)
}

//! Which symbols a set of changed lines touches.
//!
//! Where it sits: before `affected`, for a change set instead of a name. Invariant: a changed line belongs to the innermost
//! symbol that covers it, and to the file itself where none does; a file that the index does not know is counted, never
//! dropped in silence.

use serde::Serialize;

use crate::ids::SymId;
use crate::snapshot::{NodeView, Snapshot};

/// Most files that are named.
const MAX_NAMED: usize = 20;

/// What was changed in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its key: the encoded path below the root.
    pub key: String,
    /// Changed lines as they are now: first and last, both included. A deletion touches the lines around it.
    pub lines: Vec<(u32, u32)>,
    /// Whether the whole file is meant: it is new, or gone.
    pub whole: bool,
    /// XXH3-128 of the file as it is now; `None` where it cannot be read.
    pub content_hash: Option<u128>,
}

/// What is known of a change set, for the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeReport {
    /// The revision that the work tree was compared with.
    pub since: String,
    /// Files with changes.
    pub files: usize,
    /// Changed files that are not in the index (of no known language, left out, or not indexed yet).
    pub not_indexed: usize,
    /// The first of these.
    pub not_indexed_files: Vec<String>,
    /// Changed files whose content is another than the indexed one: lines may be off.
    pub stale: usize,
    /// The first of these.
    pub stale_files: Vec<String>,
}

/// The symbols that the changes touch, by place, and what is to be said of the changes.
pub fn touched(snapshot: &Snapshot, changes: &[ChangedFile]) -> (Vec<SymId>, ChangeReport) {
    let mut report = ChangeReport {
        files: changes.len(),
        ..ChangeReport::default()
    };
    let mut sorted: Vec<&ChangedFile> = changes.iter().collect();
    sorted.sort_by(|a, b| a.key.cmp(&b.key));
    let mut syms = Vec::new();
    for change in sorted {
        let Some(file) = snapshot.file(&change.key) else {
            report.not_indexed += 1;
            if report.not_indexed <= MAX_NAMED {
                report.not_indexed_files.push(change.key.clone());
            }
            continue;
        };
        if change
            .content_hash
            .is_some_and(|h| h != file.meta().content_hash)
        {
            report.stale += 1;
            if report.stale <= MAX_NAMED {
                report.stale_files.push(change.key.clone());
            }
        }
        let nodes: Vec<NodeView<'_>> = file.nodes().collect();
        if change.whole {
            syms.extend(nodes.iter().map(NodeView::sym));
            continue;
        }
        let mut hit = vec![false; nodes.len()];
        for (first, last) in &change.lines {
            mark(&nodes, *first, *last, &mut hit);
        }
        let hits = nodes.iter().zip(hit).filter(|(_, hit)| *hit);
        syms.extend(hits.map(|(node, _)| node.sym()));
    }
    (syms, report)
}

/// Marks the innermost node of every line from `first` to `last`.
fn mark(nodes: &[NodeView<'_>], first: u32, last: u32, hit: &mut [bool]) {
    // Nodes that touch the lines, with their extent; further lines cannot change who is innermost between their borders.
    let near: Vec<(usize, u32, u32)> = nodes
        .iter()
        .enumerate()
        .skip(1)
        .map(|(i, n)| (i, n.span().start_line, n.span().end_line))
        .filter(|(_, start, end)| *start > 0 && *start <= last && *end >= first)
        .collect();
    let mut borders: Vec<u32> = vec![first];
    for (_, start, end) in &near {
        borders.extend([*start, end.saturating_add(1)]);
    }
    borders.retain(|line| (first..=last).contains(line));
    borders.sort_unstable();
    borders.dedup();
    for line in borders {
        let covering = near.iter().filter(|(_, s, e)| *s <= line && line <= *e);
        let innermost = covering.min_by_key(|(i, s, e)| (e - s, usize::MAX - i));
        let at = innermost.map_or(0, |(i, ..)| *i);
        if let Some(slot) = hit.get_mut(at) {
            *slot = true;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::answer::fixture::Fixture;

    #[test]
    fn lines_belong_to_the_innermost_symbol() {
        let fixture = Fixture::new(
            "file a.ts\n  class A 2-20\n    method f 4-8\n    method g 10-12\n  function h 22-30\n",
        );
        let hit = |lines: &[(u32, u32)]| {
            let change = ChangedFile {
                key: "a.ts".into(),
                lines: lines.to_vec(),
                ..ChangedFile::default()
            };
            let (syms, _) = touched(&fixture.snapshot, &[change]);
            let names = syms
                .iter()
                .map(|s| fixture.snapshot.node(*s).unwrap().key());
            names.collect::<Vec<_>>()
        };
        assert_eq!(hit(&[(5, 5)]), ["a.ts::A.f()"]);
        assert_eq!(hit(&[(2, 3)]), ["a.ts::A"]);
        assert_eq!(hit(&[(8, 10)]), ["a.ts::A", "a.ts::A.f()", "a.ts::A.g()"]);
        assert_eq!(hit(&[(1, 1), (25, 25)]), ["a.ts", "a.ts::h()"]);
        assert!(hit(&[]).is_empty());
        let change = ChangedFile {
            key: "gone.ts".into(),
            whole: true,
            ..ChangedFile::default()
        };
        assert_eq!(touched(&fixture.snapshot, &[change]).1.not_indexed, 1);
    }
}

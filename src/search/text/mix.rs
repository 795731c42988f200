//! The ranking of nodes: their own texts, their files', and past commits, in one score.
//!
//! Where it sits: the last step of [`super`]; its result is what `answer` and `context` rank by. With x the score of a
//! node's own text (the best one is 1), f that of its file and h that of past commits on it:
//!
//! ```text
//! x = BM25 × (1 − COVERAGE + COVERAGE × coverage) × role
//! x = x + FILE_SHARE × f × role × (SPILL + x)            then the best is 1 again
//! x = x + HISTORY_SHARE × h × role × (SPILL + x)         then the best is 1 again
//! ```
//!
//! Coverage is the share of the question's IDF whose words stand in the text or the path. Invariant: see [`super`].

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::ids::{FileOrd, NodeIdx, SymId};
use crate::model::text::for_each_stem;
use crate::search::text::best::{Best, Scale, Score, Search};
use crate::search::text::files::{self, FileScores};
use crate::search::text::params::{
    B, COVERAGE, FILE_SHARE, HISTORY_SHARE, NODES, PATH, SPILL, SPREAD_FILES, SPREAD_NODES,
};
use crate::search::text::roles::{self, Roles};
use crate::search::text::terms::TextQuery;
use crate::segment::text::TextKind;
use crate::snapshot::{NodeView, Snapshot};

/// How a ranking is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// Let test code compete with the rest.
    pub with_tests: bool,
}

/// A node that answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// The node.
    pub sym: SymId,
    /// Its score: 1 for the best one.
    pub score: f32,
    /// Its role's factor: 1, or less for tests and the like.
    pub role: f32,
    /// Its score by its own text alone.
    pub own: f32,
}

/// One candidate.
struct Candidate {
    part: usize,
    node: NodeIdx,
    sym: SymId,
    file: (usize, FileOrd),
    own: f32,
    x: f32,
    role: f32,
}

/// The nodes whose texts answer a question, best first.
///
/// # Errors
/// [`crate::error::ErrorKind::Corrupt`] for damaged dictionaries and lists.
pub fn score(snapshot: &Snapshot, query: &TextQuery, options: TextOptions) -> Result<Vec<TextHit>> {
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let mut roles = Roles::new(snapshot, options.with_tests);
    let mut candidates = by_own_text(snapshot, query, &mut roles)?;
    let of_files = files::by_text(snapshot, query)?;
    let past = files::by_history(snapshot, query);
    spread(snapshot, &mut roles, &[&of_files, &past], &mut candidates);
    norm(&mut candidates);
    for c in &mut candidates {
        c.own = c.x;
    }
    for (share, scores) in [(FILE_SHARE, &of_files), (HISTORY_SHARE, &past)] {
        if scores.is_empty() {
            continue;
        }
        for c in &mut candidates {
            let file = scores.get(&c.file).copied().unwrap_or_default();
            c.x += share * file * c.role * (SPILL + c.x);
        }
        norm(&mut candidates);
    }
    candidates.sort_by_cached_key(|c| (Reverse(Score(c.x)), place(snapshot, c.part, c.node)));
    let hits = candidates.into_iter().filter(|c| c.x > 0.0);
    Ok(hits
        .map(|c| TextHit {
            sym: c.sym,
            score: c.x,
            role: c.role,
            own: c.own,
        })
        .collect())
}

fn norm(candidates: &mut [Candidate]) {
    let best = candidates.iter().map(|c| c.x).fold(0.0, f32::max);
    if best > 0.0 {
        candidates.iter_mut().for_each(|c| c.x /= best);
    }
}

/// How ties are broken.
fn place(snapshot: &Snapshot, part: usize, node: NodeIdx) -> (String, u32, String) {
    let view = view(snapshot, part, node);
    view.map_or_else(Default::default, |v| {
        let file = v.file().unwrap_or_default().to_string();
        (file, v.span().start_line, v.name().to_string())
    })
}

fn view(snapshot: &Snapshot, part: usize, node: NodeIdx) -> Option<NodeView<'_>> {
    let sym = snapshot.part(part)?.segment.sym_of(node)?;
    snapshot.view_of(part, node, sym)
}

/// The best nodes by their own texts.
fn by_own_text(
    snapshot: &Snapshot,
    query: &TextQuery,
    roles: &mut Roles<'_>,
) -> Result<Vec<Candidate>> {
    let (count, words) = snapshot.text_totals(TextKind::Nodes);
    let scale = Scale::new(words as f32 / count.max(1) as f32, B);
    let weights: Vec<f32> = query.stems.iter().map(|s| s.weight * s.node_idf).collect();
    let total: f32 = query
        .stems
        .iter()
        .map(|s| s.node_idf * s.weight.min(1.0))
        .sum();
    let search = Search {
        snapshot,
        kind: TextKind::Nodes,
        stems: &query.stems,
        weights: &weights,
        scale: &scale,
    };
    let mut paths: FxHashMap<(usize, FileOrd), u64> = FxHashMap::default();
    let covered = |hits: u64| -> f32 {
        let hit = |i: usize| hits >> i & 1 == 1;
        let stems = query.stems.iter().enumerate().filter(|(i, _)| hit(*i));
        let sum: f32 = stems.map(|(_, s)| s.node_idf * s.weight.min(1.0)).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    };
    let best = Best::search(&search, NODES, |part, document, sum, hits| {
        let content = hits
            .iter()
            .any(|(stem, _)| query.stems.get(usize::from(*stem)).is_some_and(|s| !s.verb));
        if !content {
            return None;
        }
        let node = view(snapshot, part, NodeIdx(document)).filter(|n| roles::ranks(n.kind()))?;
        let role = roles.of(&node);
        let file = node.home_file()?;
        let in_path = *paths
            .entry(file)
            .or_insert_with(|| stems_of_path(query, node.file().unwrap_or_default()));
        let own = hits.iter().fold(0u64, |set, (stem, _)| set | 1 << stem);
        Some(sum * (1.0 - COVERAGE + COVERAGE * covered(own | in_path)) * role)
    })?;
    let (found, levels) = best.take(|f| place(snapshot, f.part as usize, NodeIdx(f.document)));
    let mut candidates = Vec::with_capacity(found.len());
    for f in found {
        let (part, node) = (f.part as usize, NodeIdx(f.document));
        let Some((view, file)) = view(snapshot, part, node).and_then(|v| Some((v, v.home_file()?)))
        else {
            continue;
        };
        // The full score: with the words of the path.
        let at = f.levels as usize;
        let hits = levels.get(at..at + usize::from(f.hits)).unwrap_or_default();
        let lengths = snapshot
            .part(part)
            .map(|p| p.segment.text_lengths(TextKind::Nodes));
        let length = lengths
            .and_then(|l| l.get(node.index()))
            .copied()
            .unwrap_or_default();
        let in_path = paths.get(&file).copied().unwrap_or_default();
        let (mut sum, mut set) = (0.0, in_path);
        for (i, weight) in weights.iter().enumerate() {
            let level = hits.iter().find(|(stem, _)| usize::from(*stem) == i);
            let mut count = level.map_or(0.0, |(_, level)| scale.count(*level, length));
            if level.is_some() {
                set |= 1 << i;
            }
            if in_path >> i & 1 == 1 {
                count += PATH;
            }
            if count > 0.0 {
                sum += Scale::worth(*weight, count);
            }
        }
        let role = roles.of(&view);
        candidates.push(Candidate {
            part,
            node,
            sym: view.sym(),
            file,
            own: 0.0,
            x: sum * (1.0 - COVERAGE + COVERAGE * covered(set)) * role,
            role,
        });
    }
    Ok(candidates)
}

/// Which stems stand in a path.
fn stems_of_path(query: &TextQuery, path: &str) -> u64 {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut set = 0;
    for_each_stem(stem, &mut |word| {
        let at = query.stems.iter().position(|s| s.text == word);
        set |= at.map_or(0, |i| 1 << i);
    });
    set
}

/// Adds the nodes of the best files: they may answer although none of the words is theirs.
fn spread(
    snapshot: &Snapshot,
    roles: &mut Roles<'_>,
    scores: &[&FileScores],
    candidates: &mut Vec<Candidate>,
) {
    let mut known: rustc_hash::FxHashSet<(usize, NodeIdx)> =
        candidates.iter().map(|c| (c.part, c.node)).collect();
    for scores in scores {
        let key = |(part, ord): &(usize, FileOrd)| {
            let row = snapshot.part(*part).and_then(|p| p.segment.file(*ord));
            row.map(|r| r.key().to_string()).unwrap_or_default()
        };
        let mut best: Vec<(Reverse<Score>, String, (usize, FileOrd))> = scores
            .iter()
            .map(|(file, score)| {
                let role = roles.of_file(*file);
                (Reverse(Score(*score * role)), key(file), *file)
            })
            .collect();
        best.sort_unstable();
        for (_, _, file) in best.into_iter().take(SPREAD_FILES) {
            let Some(part) = snapshot.part(file.0) else {
                continue;
            };
            let Some(row) = part.segment.file(file.1) else {
                continue;
            };
            let lengths = part.segment.text_lengths(TextKind::Nodes);
            let documents = row
                .nodes()
                .filter(|n| lengths.get(*n as usize).is_some_and(|code| *code > 0));
            for node in documents.take(SPREAD_NODES as usize).map(NodeIdx) {
                let Some(view) = view(snapshot, file.0, node).filter(|n| roles::ranks(n.kind()))
                else {
                    continue;
                };
                if known.insert((file.0, node)) {
                    candidates.push(Candidate {
                        part: file.0,
                        node,
                        sym: view.sym(),
                        file,
                        own: 0.0,
                        x: 0.0,
                        role: roles.of(&view),
                    });
                }
            }
        }
    }
}

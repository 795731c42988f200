//! Which files answer a question: by their whole text, and by what past commits said when they changed them.
//!
//! Where it sits: between [`super::best`] and [`super::mix`]. Invariant: scores are shares of the best one, so that they mix.

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::ids::FileOrd;
use crate::search::text::best::{Best, Scale, Search};
use crate::search::text::params::{FILE_B, FILES, MESSAGE_FILES, MESSAGES};
use crate::search::text::terms::{Stem, TextQuery, idf};
use crate::segment::text::TextKind;
use crate::snapshot::Snapshot;

/// Files by part and place, each with its share of the best score.
pub(crate) type FileScores = FxHashMap<(usize, FileOrd), f32>;

/// The scores of the files whose text answers the question best.
pub(crate) fn by_text(snapshot: &Snapshot, query: &TextQuery) -> Result<FileScores> {
    let (count, words) = snapshot.text_totals(TextKind::Files);
    let scale = Scale::new(words as f32 / count.max(1) as f32, FILE_B);
    let weights: Vec<f32> = query.stems.iter().map(|s| s.weight * s.file_idf).collect();
    let search = Search {
        snapshot,
        kind: TextKind::Files,
        stems: &query.stems,
        weights: &weights,
        scale: &scale,
    };
    let best = Best::search(&search, FILES, |_, _, sum, hits| {
        let content = hits
            .iter()
            .any(|(stem, _)| query.stems.get(usize::from(*stem)).is_some_and(|s| !s.verb));
        content.then_some(sum)
    })?;
    let (found, _) = best.take(|f| {
        let row = snapshot
            .part(f.part as usize)
            .and_then(|p| p.segment.file(FileOrd(f.document)));
        row.map(|r| r.key().to_string()).unwrap_or_default()
    });
    let scores = found
        .into_iter()
        .map(|f| ((f.part as usize, FileOrd(f.document)), f.score));
    Ok(normed(scores.collect()))
}

/// The scores of the files that similar past commits touched.
pub(crate) fn by_history(snapshot: &Snapshot, query: &TextQuery) -> FileScores {
    let Some(history) = snapshot.history().filter(|h| !h.is_empty()) else {
        return FileScores::default();
    };
    let stems: Vec<&Stem> = query.stems.iter().filter(|s| !s.verb).collect();
    let texts: Vec<&str> = stems.iter().map(|s| s.text.as_str()).collect();
    let lists = history.lists(&texts);
    let count = history.len();
    let words: u64 = (0..count).map(|i| u64::from(history.length(i))).sum();
    let average = (words as f32 / count as f32).max(1.0);
    let mut scores = vec![0.0f32; count];
    for (stem, list) in stems.iter().zip(&lists) {
        let idf = idf(count as u64, list.len() as u64) * stem.weight;
        for (commit, times) in list {
            let length = history.length(*commit) as f32;
            let count = *times as f32 / (1.0 - FILE_B + FILE_B * length / average);
            if let Some(score) = scores.get_mut(*commit) {
                *score += Scale::worth(idf, count);
            }
        }
    }
    let mut order: Vec<usize> = (0..count)
        .filter(|i| scores.get(*i).is_some_and(|s| *s > 0.0))
        .collect();
    let score = |i: usize| scores.get(i).copied().unwrap_or_default();
    order.sort_unstable_by(|a, b| score(*b).total_cmp(&score(*a)).then(a.cmp(b)));
    let mut of_files = FileScores::default();
    let mut spoke = 0;
    for commit in order {
        let files: Vec<(usize, FileOrd)> = history
            .files(commit)
            .into_iter()
            .filter_map(|key| snapshot.find_file(key))
            .collect();
        if files.is_empty() || files.len() > MESSAGE_FILES {
            continue;
        }
        let share = score(commit).powf(1.5) / (files.len() as f32).sqrt();
        for file in files {
            *of_files.entry(file).or_insert(0.0) += share;
        }
        spoke += 1;
        if spoke == MESSAGES {
            break;
        }
    }
    normed(of_files)
}

/// Divides by the best score.
pub(crate) fn normed(mut scores: FileScores) -> FileScores {
    let best = scores.values().copied().fold(0.0, f32::max);
    if best > 0.0 {
        scores.values_mut().for_each(|s| *s /= best);
    }
    scores
}

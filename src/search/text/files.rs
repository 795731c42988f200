//! Which files answer a question: by their whole text, and by what past commits said when they changed them.
//!
//! Where it sits: between [`super::best`] and [`super::mix`]. Invariant: scores are shares of the best one, so that they mix.

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::ids::FileOrd;
use crate::search::text::best::{Best, Scale, Search};
use crate::search::text::params::{FILE_B, FILES};
use crate::search::text::terms::TextQuery;
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

/// Divides by the best score.
pub(crate) fn normed(mut scores: FileScores) -> FileScores {
    let best = scores.values().copied().fold(0.0, f32::max);
    if best > 0.0 {
        scores.values_mut().for_each(|s| *s /= best);
    }
    scores
}

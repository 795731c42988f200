//! What changed since the last run: the files of a walk against the files that are known.
//!
//! Where it sits: between the walk and extraction. A file is unchanged without being read only if its whole stat is the
//! one that was recorded and the recorded times are safely older than the run that recorded them (git's rule for an
//! index that is as young as its files): an edit within the same tick of the clock keeps the time. In every other case
//! the content decides. Invariants: pure but for the hashes it asks for; the same inputs give the same lists in the
//! same order, whatever the number of threads.

use rayon::prelude::*;

use crate::source::stat::Stat;
use crate::source::walk::Candidate;

/// How far a clock that stamps files may lag behind the one that says when a run began.
const TICK_NS: i64 = 20_000_000;
/// The same for file systems that count whole seconds, or two.
const COARSE_TICK_NS: i64 = 2_000_000_000;

/// What the last run recorded of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Its stat when it was read.
    pub stat: Stat,
    /// When that was, in nanoseconds since 1970; taken before the file was looked at.
    pub seen_ns: i64,
    /// XXH3-128 of its bytes.
    pub content_hash: u128,
    /// It must be read whatever its stat and content are (another extractor, links to be computed again).
    pub stale: bool,
}

/// Says what a file's bytes hash to now.
pub trait Hasher: Sync {
    /// XXH3-128 of the candidate's bytes, or `None` if they cannot be read (then the file counts as changed, and reading
    /// it for extraction says why).
    fn hash(&self, candidate: &Candidate) -> Option<u128>;
}

/// Reads the files.
#[derive(Clone, Copy, Debug)]
pub struct DiskHasher {
    /// Files over this many bytes are not read.
    pub max_file_size: u64,
}

impl Hasher for DiskHasher {
    fn hash(&self, candidate: &Candidate) -> Option<u128> {
        crate::source::read::hash(&candidate.path, self.max_file_size)
            .ok()
            .flatten()
    }
}

/// The files of a walk by what became of them. Numbers are places in the list of candidates, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Not known before.
    pub added: Vec<usize>,
    /// Known with other content, or to be read again.
    pub changed: Vec<usize>,
    /// Same content, but the recorded stat no longer fits or was too young to be trusted: record the new one.
    pub refreshed: Vec<usize>,
    /// Same content by the stat alone.
    pub unchanged: Vec<usize>,
    /// Keys that are known and no longer there, ascending.
    pub removed: Vec<String>,
}

impl Changes {
    /// Whether the index needs no change of content.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// Compares. `candidates` and `known` must be in ascending order of their keys.
pub fn compare(
    candidates: &[Candidate],
    known: impl IntoIterator<Item = (String, KnownFile)>,
    hasher: &dyn Hasher,
) -> Changes {
    let mut changes = Changes::default();
    let mut suspects: Vec<(usize, u128)> = Vec::new();
    let mut known = known.into_iter().peekable();
    for (at, candidate) in candidates.iter().enumerate() {
        while let Some((gone, _)) = known.next_if(|(key, _)| *key < candidate.key) {
            changes.removed.push(gone);
        }
        match known.next_if(|(key, _)| *key == candidate.key) {
            None => changes.added.push(at),
            Some((_, file)) if file.stale => changes.changed.push(at),
            Some((_, file)) if file.stat == candidate.stat && is_settled(&file) => {
                changes.unchanged.push(at);
            }
            Some((_, file)) if has_stat(&file) && file.stat.size != candidate.stat.size => {
                changes.changed.push(at);
            }
            Some((_, file)) => suspects.push((at, file.content_hash)),
        }
    }
    changes.removed.extend(known.map(|(key, _)| key));
    let same: Vec<(usize, bool)> = suspects
        .into_par_iter()
        .map(|(at, hash)| {
            let now = candidates.get(at).and_then(|c| hasher.hash(c));
            (at, now == Some(hash))
        })
        .collect();
    for (at, same) in same {
        if same {
            &mut changes.refreshed
        } else {
            &mut changes.changed
        }
        .push(at);
    }
    changes.changed.sort_unstable();
    changes
}

/// Whether a stat was recorded at all; without one the content decides.
fn has_stat(known: &KnownFile) -> bool {
    known.stat != Stat::default()
}

/// Whether a file's times are so much older than the look at it that no later edit can bear the same ones.
fn is_settled(known: &KnownFile) -> bool {
    let newest = known.stat.mtime_ns.max(known.stat.ctime_ns);
    let coarse = newest % 1_000_000_000 == 0;
    let tick = if coarse { COARSE_TICK_NS } else { TICK_NS };
    newest.saturating_add(tick) < known.seen_ns
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;
    use std::sync::Mutex;

    use super::*;
    use crate::model::label::Language;

    const DAY: i64 = 86_400_000_000_000;

    /// Hashes from a table; notes which files were asked for.
    #[derive(Default)]
    struct Table {
        hashes: BTreeMap<String, u128>,
        asked: Mutex<Vec<String>>,
    }

    impl Hasher for Table {
        fn hash(&self, candidate: &Candidate) -> Option<u128> {
            self.asked.lock().ok()?.push(candidate.key.clone());
            self.hashes.get(&candidate.key).copied()
        }
    }

    fn table(hashes: &[(&str, u128)]) -> Table {
        Table {
            hashes: hashes.iter().map(|(k, h)| ((*k).to_string(), *h)).collect(),
            asked: Mutex::default(),
        }
    }

    fn stat(time: i64) -> Stat {
        Stat {
            size: 10,
            mtime_ns: time,
            ctime_ns: time,
            inode: 7,
        }
    }

    fn candidate(key: &str, stat: Stat) -> Candidate {
        Candidate {
            key: key.to_string(),
            path: PathBuf::from(key),
            stat,
            language: Language::TYPESCRIPT,
        }
    }

    /// What a run two days after the epoch recorded.
    fn known(key: &str, stat: Stat, content_hash: u128) -> (String, KnownFile) {
        let file = KnownFile {
            stat,
            seen_ns: 2 * DAY,
            content_hash,
            stale: false,
        };
        (key.to_string(), file)
    }

    #[test]
    fn every_file_ends_in_one_list() {
        let old = stat(DAY + 1);
        let longer = Stat { size: 11, ..old };
        let touched = Stat {
            mtime_ns: DAY + 5,
            ctime_ns: DAY + 5,
            ..old
        };
        let now = [
            candidate("a", old),
            candidate("b", longer),
            candidate("c", touched),
            candidate("d", touched),
            candidate("new", old),
        ];
        let before = [
            known("0", old, 0),
            known("a", old, 1),
            known("b", old, 2),
            known("c", old, 3),
            known("d", old, 4),
            known("gone", old, 5),
            known("z", old, 6),
        ];
        let table = table(&[("c", 3), ("d", 99)]);
        let changes = compare(&now, before, &table);
        let expected = Changes {
            added: vec![4],
            changed: vec![1, 3],
            refreshed: vec![2],
            unchanged: vec![0],
            removed: vec!["0".into(), "gone".into(), "z".into()],
        };
        assert_eq!(changes, expected);
        assert!(!changes.is_empty());
        let mut asked = table.asked.into_inner().unwrap_or_default();
        asked.sort();
        assert_eq!(asked, ["c", "d"], "only what the stat leaves open is read");
    }

    #[test]
    fn a_file_as_young_as_the_look_at_it_is_read() {
        let seen = 10 * DAY + 500_000_001;
        for (time, read) in [
            (seen, true),
            (seen - TICK_NS, true),
            (seen - TICK_NS - 1, false),
            (10 * DAY, true),
        ] {
            let table = table(&[("a", 2)]);
            let mut before = known("a", stat(time), 1);
            before.1.seen_ns = seen;
            let changes = compare(&[candidate("a", stat(time))], [before], &table);
            assert_eq!(changes.changed.len(), usize::from(read), "{time}");
        }
    }

    #[test]
    fn an_edit_that_sets_the_time_back_shows_in_the_inode_time() {
        let before = stat(DAY + 1);
        let after = Stat {
            ctime_ns: 5 * DAY,
            ..before
        };
        let table = table(&[("a", 2)]);
        let changes = compare(&[candidate("a", after)], [known("a", before, 1)], &table);
        assert_eq!(changes.changed, [0]);
    }

    #[test]
    fn without_a_recorded_stat_the_content_decides() {
        let before = [
            known("a", Stat::default(), 1),
            known("b", Stat::default(), 1),
        ];
        let now = [candidate("a", stat(DAY)), candidate("b", stat(DAY))];
        let changes = compare(&now, before, &table(&[("a", 1), ("b", 2)]));
        assert_eq!((changes.refreshed, changes.changed), (vec![0], vec![1]));
    }

    #[test]
    fn a_stale_row_is_read_and_an_unreadable_file_counts_as_changed() {
        let old = stat(DAY + 1);
        let mut stale = known("a", old, 1);
        stale.1.stale = true;
        let moved = Stat { inode: 8, ..old };
        let table = table(&[]);
        let changes = compare(
            &[candidate("a", old), candidate("b", moved)],
            [stale, known("b", old, 1)],
            &table,
        );
        assert_eq!(changes.changed, [0, 1]);
    }
}

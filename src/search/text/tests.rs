//! Rankings of texts: the shortcut finds what reading everything finds, and the history of an index does not matter.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::best::{Best, Scale, Search};
use super::terms::TextQuery;
use super::{TextOptions, score};
use crate::ids::{LocalNode, NodeIdx};
use crate::model::label::{Language, NodeKind};
use crate::model::text::{Collector, Field};
use crate::model::unit::{NewNode, Unit};
use crate::segment::text::TextKind;
use crate::{Snapshot, Store};

/// Numbers that look random and are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % sides
    }
}

/// Words by falling frequency.
const WORDS: &[&str] = &[
    "common", "value", "parser", "token", "stream", "buffer", "socket", "ledger", "zebra", "quartz",
];

fn word(dice: &mut Dice) -> &'static str {
    let at = dice.roll(10).min(dice.roll(10));
    WORDS[at as usize]
}

fn unit(key: &str, seed: u64) -> Unit {
    let mut dice = Dice(seed);
    let mut unit = Unit::new(key, Language::TYPESCRIPT);
    let mut texts = Vec::new();
    for i in 0..40 {
        let name = format!("{}{}{i}", word(&mut dice), word(&mut dice));
        let node = unit.add(NewNode::new(&name, NodeKind::FUNCTION)).unwrap();
        let length = dice.roll(30);
        let text: Vec<&str> = (0..length).map(|_| word(&mut dice)).collect();
        texts.push((node, text.join(" ")));
    }
    let mut collector = Collector::new(&unit);
    for (node, text) in &texts {
        collector.add(*node, Field::Code, text);
    }
    collector.add(LocalNode::UNIT, Field::Comment, "common licence");
    let words = collector.finish();
    unit.set_texts(words);
    unit
}

fn store(folder: &tempfile::TempDir) -> Store {
    let store = Store::at(folder.path().join("index"));
    let put = |keys: &[(&str, u64)], removed: &[&str]| {
        let mut writer = store.writer().unwrap();
        keys.iter()
            .for_each(|(key, seed)| writer.put(unit(key, *seed)).unwrap());
        removed.iter().for_each(|key| writer.remove(key));
        writer.commit().unwrap();
    };
    let names: Vec<String> = (0..20).map(|i| format!("src/m{i:02}.ts")).collect();
    let all: Vec<(&str, u64)> = names.iter().map(String::as_str).zip(1..).collect();
    put(&all, &[]);
    put(&[("src/m03.ts", 77), ("src/a.ts", 78)], &["src/m05.ts"]);
    put(&[("src/m07.ts", 79), ("src/z.ts", 80)], &["src/a.ts"]);
    store
}

const QUESTIONS: &[&str] = &[
    "zebra",
    "common",
    "ledger socket",
    "common value parser token",
    "quartz common",
    "nothing of this",
    "value m07",
];

/// Scores and places of the best nodes, by reading every list to its end.
fn naive(search: &Search<'_>, limit: usize) -> Vec<(f32, u32, u32)> {
    let mut found = Vec::new();
    for part in 0..search.snapshot.parts.len() {
        let held = search.snapshot.part(part).unwrap();
        let lengths = held.segment.text_lengths(TextKind::Nodes);
        let mut sums = std::collections::BTreeMap::new();
        let terms = search.stems.iter().map(|s| &s.term);
        for (stem, mut cursor) in search.snapshot.text_cursors(part, terms, TextKind::Nodes) {
            while cursor.document() != u32::MAX {
                let document = cursor.document();
                let count = search
                    .scale
                    .count(cursor.level(), lengths[document as usize]);
                *sums.entry(document).or_insert(0.0) += Scale::worth(search.weights[stem], count);
                cursor.next();
            }
        }
        let live = sums
            .into_iter()
            .filter(|(d, _)| !held.dead.contains(NodeIdx(*d)));
        found.extend(live.map(|(document, sum)| (sum, part as u32, document)));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    found.truncate(limit);
    found
}

#[test]
fn the_shortcut_finds_what_reading_everything_finds() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    let snapshot = Snapshot::open(store.path()).unwrap();
    assert!(snapshot.parts.len() > 1);
    for question in QUESTIONS {
        let query = TextQuery::new(&snapshot, [(*question, 1.0)]).unwrap();
        let weights: Vec<f32> = query.stems.iter().map(|s| s.node_idf).collect();
        let search = Search {
            snapshot: &snapshot,
            kind: TextKind::Nodes,
            stems: &query.stems,
            weights: &weights,
            scale: &Scale::new(12.0, 0.4),
        };
        for limit in [1, 5, 40, 2000] {
            let best = Best::search(&search, limit, |_, _, sum, _| Some(sum)).unwrap();
            let (found, _) = best.take(|f| (f.part, f.document));
            let found: Vec<(f32, u32, u32)> = found
                .iter()
                .map(|f| (f.score, f.part, f.document))
                .collect();
            assert_eq!(found, naive(&search, limit), "{question} {limit}");
        }
    }
}

#[test]
fn the_history_of_an_index_changes_no_score() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder);
    let ranking = || {
        let snapshot = Snapshot::open(store.path()).unwrap();
        let ask = |question: &&str| {
            let query = TextQuery::new(&snapshot, [(*question, 1.0)]).unwrap();
            let hits = score(&snapshot, &query, TextOptions::default()).unwrap();
            let named = hits.into_iter().map(|h| {
                let key = snapshot.node(h.sym).unwrap().key();
                (key, h.score.to_bits())
            });
            named.collect::<Vec<_>>()
        };
        QUESTIONS.iter().map(ask).collect::<Vec<_>>()
    };
    let before = ranking();
    assert!(before.iter().filter(|r| !r.is_empty()).count() >= 6);
    store.writer().unwrap().compact().unwrap();
    assert!(before == ranking(), "a compaction changed a ranking");
    assert!(store.verify().unwrap().is_sound());
}

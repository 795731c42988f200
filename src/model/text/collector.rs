//! Gathers the words of one unit.
//!
//! Where it sits: filled while a file is read, or by a library user; gives [`Texts`]. Runs of letters and digits repeat all
//! over a file: each is split and shortened once. Invariant: the result depends on the unit and on what was added to each
//! document, in order.

use rustc_hash::FxHashMap;

use crate::ids::LocalNode;
use crate::model::text::{
    Field, HOLDER, MAX_RUN, MAX_WORDS, NAME, SIGNATURE, Texts, documents, for_each_stem,
    is_keyword, level,
};
use crate::model::unit::Unit;
use crate::model::varint::put_varint;

/// A run of letters and digits that was seen: its words, and whether it is a keyword.
#[derive(Clone, Copy)]
struct Run {
    start: u32,
    end: u32,
    keyword: bool,
}

/// Gathers the words of one unit.
pub struct Collector<'u, 's> {
    unit: &'u Unit,
    documents: Vec<bool>,
    /// For every node the document that its text goes to.
    owner: Vec<u32>,
    /// For every node its runs with their fields, in order: number << 2 | field.
    drafts: Vec<Vec<u32>>,
    known: FxHashMap<&'s str, u32>,
    runs: Vec<Run>,
    /// The words of all runs, one after the other.
    pieces: Vec<u32>,
    words: FxHashMap<Box<str>, u32>,
    /// The words as they will be stored.
    heap: Vec<u8>,
}

impl<'u, 's> Collector<'u, 's> {
    /// Begins the texts of a unit whose nodes are complete.
    #[must_use]
    pub fn new(unit: &'u Unit) -> Self {
        let documents = documents(unit);
        let mut owner: Vec<u32> = Vec::with_capacity(documents.len());
        for (i, (document, node)) in (0..).zip(documents.iter().zip(unit.nodes())) {
            let holder = owner.get(node.parent.index()).copied().unwrap_or(0);
            owner.push(if *document { i } else { holder });
        }
        Self {
            unit,
            drafts: vec![Vec::new(); documents.len()],
            documents,
            owner,
            known: FxHashMap::default(),
            runs: Vec::new(),
            pieces: Vec::new(),
            words: FxHashMap::default(),
            heap: Vec::new(),
        }
    }

    /// Whether the node has a text of its own.
    #[must_use]
    pub fn is_document(&self, node: LocalNode) -> bool {
        self.documents.get(node.index()).copied().unwrap_or(false)
    }

    /// Adds the words of a text to a node's document, or to that of its holder.
    pub fn add(&mut self, node: LocalNode, field: Field, text: &'s str) {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
        for run in text.split(|c| !word(c)) {
            self.run(node, field, run);
        }
    }

    /// Adds one run of letters and digits.
    #[inline]
    pub fn run(&mut self, node: LocalNode, field: Field, run: &'s str) {
        if run.len() < 2 || run.len() > MAX_RUN {
            return;
        }
        let number = match self.known.get(run) {
            Some(number) => *number,
            None => self.learn(run),
        };
        let owner = self.owner.get(node.index()).copied().unwrap_or(0);
        if let Some(draft) = self.drafts.get_mut(owner as usize) {
            draft.push(number << 2 | field as u32);
        }
    }

    fn learn(&mut self, run: &'s str) -> u32 {
        let start = self.pieces.len() as u32;
        self.split(run);
        let number = self.runs.len() as u32;
        self.runs.push(Run {
            start,
            end: self.pieces.len() as u32,
            keyword: is_keyword(run),
        });
        self.known.insert(run, number);
        number
    }

    /// Appends the words of a text to `pieces`.
    fn split(&mut self, text: &str) {
        let Self {
            pieces,
            words,
            heap,
            ..
        } = self;
        for_each_stem(text, &mut |word| {
            let next = words.len() as u32;
            let number = match words.get(word) {
                Some(number) => *number,
                None => {
                    words.insert(word.into(), next);
                    put_varint(heap, word.len() as u64);
                    heap.extend_from_slice(word.as_bytes());
                    next
                }
            };
            pieces.push(number);
        });
    }

    /// Counts everything.
    #[must_use]
    pub fn finish(mut self) -> Texts {
        let drafts = std::mem::take(&mut self.drafts);
        let mut counter = Counter::default();
        let mut of_runs: Vec<u32> = vec![0; self.runs.len()];
        let mut tail = Vec::new();
        let (mut count, mut next) = (0u64, 0u64);
        for (i, draft) in (0u64..).zip(&drafts) {
            if !self.documents.get(i as usize).copied().unwrap_or(false) {
                continue;
            }
            for (word, head) in self.heads(i as usize) {
                counter.add(word, head, 0);
            }
            let length = self.count(draft, &mut of_runs, &mut counter);
            let words = counter.take();
            if words.is_empty() {
                continue;
            }
            put_varint(&mut tail, i - next);
            put_varint(&mut tail, u64::from(length));
            put_varint(&mut tail, words.len() as u64);
            for (word, level) in words {
                put_varint(&mut tail, u64::from(word));
                tail.push(level);
            }
            next = i + 1;
            count += 1;
        }
        if count == 0 {
            return Texts::default();
        }
        let mut bytes = Vec::with_capacity(self.heap.len() + tail.len() + 8);
        put_varint(&mut bytes, self.words.len() as u64);
        bytes.extend_from_slice(&self.heap);
        put_varint(&mut bytes, count);
        bytes.extend_from_slice(&tail);
        Texts::from_bytes(bytes)
    }

    /// Counts the words of a document's body and gives their number. `of_runs` holds a zero for every run, before and after.
    fn count(&self, draft: &[u32], of_runs: &mut [u32], counter: &mut Counter) -> u32 {
        let mut length = 0u32;
        let mut seen: Vec<u32> = Vec::new();
        for packed in draft {
            let (number, field) = (packed >> 2, Field::of(packed & 3));
            let Some(run) = self.runs.get(number as usize) else {
                continue;
            };
            if run.keyword && field == Field::Code {
                continue;
            }
            length = length.saturating_add(run.end - run.start);
            if let Some(sum) = of_runs.get_mut(number as usize) {
                if *sum == 0 {
                    seen.push(number);
                }
                *sum = sum.saturating_add(field.weight());
            }
        }
        for number in seen {
            let run = self.runs.get(number as usize);
            let Some((run, sum)) = run.zip(of_runs.get_mut(number as usize)) else {
                continue;
            };
            let pieces = self.pieces.get(run.start as usize..run.end as usize);
            for word in pieces.unwrap_or_default() {
                counter.add(*word, 0, *sum);
            }
            *sum = 0;
        }
        length
    }

    /// The words of a node's name, of its holders' names and of its signature, with what each counts.
    fn heads(&mut self, at: usize) -> Vec<(u32, u32)> {
        let unit = self.unit;
        let Some(node) = unit.nodes().get(at).filter(|_| at > 0) else {
            return Vec::new();
        };
        let each = |words: usize, whole: u32| whole * 60 / (36 + 10 * words as u32);
        let name = self.words_of(unit.text(node.name));
        let mut heads: Vec<(u32, u32)> =
            name.iter().map(|w| (*w, each(name.len(), NAME))).collect();
        let mut holders = Vec::new();
        let mut holder = node.parent;
        while holder != LocalNode::UNIT
            && let Some(around) = unit.node(holder)
        {
            holders.extend(self.words_of(unit.text(around.name)));
            holder = around.parent;
        }
        heads.extend(holders.iter().map(|w| (*w, each(holders.len(), HOLDER))));
        let gap = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_';
        let mut signature = Vec::new();
        for run in unit.text(node.signature).split(gap) {
            if run.len() > 1 && run.len() <= MAX_RUN && !is_keyword(run) {
                signature.extend(self.words_of(run));
            }
        }
        signature.sort_unstable();
        signature.dedup();
        heads.extend(signature.iter().map(|w| (*w, SIGNATURE)));
        heads
    }

    /// The words of a text by themselves.
    fn words_of(&mut self, text: &str) -> Vec<u32> {
        let start = self.pieces.len();
        self.split(text);
        let words = self.pieces.get(start..).unwrap_or_default().to_vec();
        self.pieces.truncate(start);
        words
    }
}

/// Sums of one document's words.
#[derive(Default)]
struct Counter {
    /// Head and body by word.
    sums: Vec<(u32, u32)>,
    /// The words that have a sum, in order of arrival.
    seen: Vec<u32>,
}

impl Counter {
    fn add(&mut self, word: u32, head: u32, body: u32) {
        if self.sums.len() <= word as usize {
            self.sums.resize(word as usize + 1, (0, 0));
        }
        let Some(sum) = self.sums.get_mut(word as usize) else {
            return;
        };
        if *sum == (0, 0) {
            if self.seen.len() >= MAX_WORDS {
                return;
            }
            self.seen.push(word);
        }
        sum.0 = sum.0.saturating_add(head);
        sum.1 = sum.1.saturating_add(body);
    }

    /// The words that are worth an entry, with their levels; the sums are forgotten.
    fn take(&mut self) -> Vec<(u32, u8)> {
        let Self { sums, seen } = self;
        let levels = seen.drain(..).filter_map(|word| {
            let (head, body) = std::mem::take(sums.get_mut(word as usize)?);
            Some((word, level(head, body)))
        });
        levels.filter(|(_, level)| *level > 0).collect()
    }
}

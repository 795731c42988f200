//! The words of a unit's definitions, for search in full texts: which words, in which field, how often.
//!
//! Where it sits: gathered while a file is read (or by a library user), stored with the unit, turned into postings by
//! `segment`. Invariants: depends on the unit alone; a definition has at most [`MAX_WORDS`] words; equal texts give equal
//! bytes.
//!
//! **Documents.** Not every node has a text of its own. Functions, types, constants and the like do; fields, members of
//! enumerations and parameters belong to the text of their holder, and so does what is defined inside a function of at
//! most [`BIG`] lines. A class's text is what stands between its methods. The unit's node takes what belongs to nothing else.
//!
//! **Words.** Runs of letters and digits are split and folded by [`super::fold`] and shortened by [`super::stem`]. Left out:
//! single letters, numbers of one digit or more than four, what is longer than [`MAX_WORD`] bytes, and in code the words of
//! the languages themselves ([`KEYWORDS`]).
//!
//! **Levels.** How much a word counts in a document is one byte. The high four bits are the *head*: name and signature, in
//! steps of a half. The low four are the *body*: code, comments, literals, in steps of the square root of two.
//!
//! | field | counts | in |
//! |---|---|---|
//! | name | [`NAME`] / (0.6 + 0.4 × words / 2.4), once a word | head |
//! | holders' names | [`HOLDER`] / the same of their words | head |
//! | signature | [`SIGNATURE`], once | head |
//! | code and doc comment | 1 each time | body |
//! | other comments, literals | 0.7 each time | body |
//!
//! ```text
//! bytes     varint words, then for each: varint length, text
//!           varint documents, then for each: varint node (distance to the one before), varint length of the body in words,
//!           varint words, then for each: varint word, level
//! ```

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::LocalNode;
use crate::model::fold::{fold, for_each_word};
use crate::model::label::NodeKind;
use crate::model::stem::stem;
use crate::model::unit::Unit;
use crate::model::varint::{get_varint, put_varint};

/// Functions of more lines than this do not take in the texts of what they define.
pub const BIG: u32 = 100;
/// Most different words of a document; what comes later in it is not kept.
pub const MAX_WORDS: usize = 1000;
/// Longest word in bytes.
pub const MAX_WORD: usize = 32;
/// Longest run of letters and digits that is taken for words; longer ones are data.
const MAX_RUN: usize = 96;

/// What a word of the name counts, in tenths.
const NAME: u32 = 30;
/// What a word of a holder's name counts, in tenths.
const HOLDER: u32 = 10;
/// What a word of the signature counts, in tenths.
const SIGNATURE: u32 = 10;

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Field {
    /// Code: identifiers.
    Code,
    /// A comment inside the document.
    Comment,
    /// A string literal.
    Literal,
    /// The comment in front of the document that describes it.
    Doc,
}

impl Field {
    /// What a word there counts, in tenths.
    const fn weight(self) -> u32 {
        match self {
            Self::Code | Self::Doc => 10,
            Self::Comment | Self::Literal => 7,
        }
    }
}

/// The least sum, in tenths, of each level of the body; level 0 is none.
const BODY_STEPS: [u32; 16] = [
    0, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640, 900,
];

/// The level byte of a word whose head and body count that much, in tenths.
#[must_use]
pub fn level(head: u32, body: u32) -> u8 {
    let steps = BODY_STEPS.iter().skip(1);
    let low = steps.take_while(|least| body >= **least).count() as u8;
    let high = ((head + 2) / 5).min(15) as u8;
    high << 4 | low
}

/// What a level's head counts, in tenths.
#[must_use]
pub const fn head_of(level: u8) -> u32 {
    (level >> 4) as u32 * 5
}

/// What a level's body counts, in tenths.
#[must_use]
pub const fn body_of(level: u8) -> u32 {
    let [_, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = BODY_STEPS;
    match level & 15 {
        0 => 0,
        1 => a,
        2 => b,
        3 => c,
        4 => d,
        5 => e,
        6 => f,
        7 => g,
        8 => h,
        9 => i,
        10 => j,
        11 => k,
        12 => l,
        13 => m,
        14 => n,
        _ => o,
    }
}

/// Words of the languages themselves: in code they say nothing.
const KEYWORDS: &str = "abstract and any as async await bool boolean break case catch chan class const continue crate \
    declare def default defer del do dyn elif else enum export extends extern false final finally fn for from func function \
    go goto if impl implements import in infer instanceof int interface is keyof lambda let loop map match mod module move \
    mut namespace never new nil none nonlocal not null number object of or override package pass private protected pub \
    public raise range readonly ref return select self static str string struct super switch this throw throws trait true \
    try type typeof undefined union unknown unsafe use using usize var void where while with yield";

/// Whether the languages themselves use that word.
#[must_use]
pub fn is_keyword(word: &str) -> bool {
    static SET: OnceLock<FxHashSet<&str>> = OnceLock::new();
    let set = SET.get_or_init(|| KEYWORDS.split_whitespace().collect());
    set.contains(word.to_ascii_lowercase().as_str())
}

/// Calls `emit` with the stem of every word of a text, in order, as they are stored and asked for.
pub fn for_each_stem(text: &str, emit: &mut dyn FnMut(&str)) {
    for_each_word(text, &mut |word| {
        if word.len() > MAX_WORD {
            return;
        }
        let folded = fold(word);
        let digits = folded.bytes().all(|b| b.is_ascii_digit());
        let wanted = match folded.len() {
            0 => false,
            1 => false,
            2..=4 => true,
            _ => !digits,
        };
        if wanted {
            emit(stem(&folded));
        }
    });
}

/// Whether nodes of this kind have a text of their own.
fn has_text(kind: NodeKind) -> bool {
    !matches!(
        kind,
        NodeKind::FILE
            | NodeKind::FIELD
            | NodeKind::ENUM_MEMBER
            | NodeKind::EXTERNAL
            | NodeKind::UNRESOLVED
            | NodeKind::PACKAGE
            | NodeKind::ENV_VAR
            | NodeKind::MEMORY
    )
}

/// Whether a node's text takes in what is defined inside it.
fn takes_in(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::FUNCTION
            | NodeKind::METHOD
            | NodeKind::CONSTRUCTOR
            | NodeKind::ACCESSOR
            | NodeKind::MACRO
            | NodeKind::CONSTANT
            | NodeKind::VARIABLE
            | NodeKind::TYPE_ALIAS
    )
}

/// For every node whether it is a document.
#[must_use]
pub fn documents(unit: &Unit) -> Vec<bool> {
    let nodes = unit.nodes();
    // For every node the nearest document around it whose text takes in what is inside.
    let mut taken_by: Vec<bool> = Vec::with_capacity(nodes.len());
    let mut documents = Vec::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        let inside = i > 0 && taken_by.get(node.parent.index()).copied().unwrap_or(false);
        let document = i == 0 || (!inside && has_text(node.kind));
        let lines = node.span.end_line.saturating_sub(node.span.start_line) + 1;
        let small = lines <= BIG;
        taken_by.push(inside || (document && i > 0 && takes_in(node.kind) && small));
        documents.push(document);
    }
    documents
}

/// The words of a unit, as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    bytes: Vec<u8>,
}

/// One document's words.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The node whose text it is.
    pub node: LocalNode,
    /// How many words its body has, repetitions counted.
    pub length: u32,
    words: u32,
    rest: &'a [u8],
}

impl Texts {
    /// Texts from their stored bytes; damaged ones read as far as they make sense.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The stored form.
    #[must_use]
    pub fn bytes(&self) -> &Vec<u8> {
        &self.bytes
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The names, signatures and doc texts of a unit: what is known without its source.
    #[must_use]
    pub fn of_names(unit: &Unit) -> Self {
        let mut collector = Collector::new(unit);
        for (i, node) in unit.nodes().iter().enumerate() {
            if let Some(id) = LocalNode::from_index(i) {
                collector.add(id, Field::Doc, unit.text(node.doc));
            }
        }
        collector.finish()
    }

    /// The words, in the order of their numbers.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.bytes.as_slice();
        let count = get_varint(&mut rest).unwrap_or_default();
        (0..count).map_while(move |_| take_word(&mut rest))
    }

    /// The documents, by node.
    pub fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        let mut rest = self.bytes.as_slice();
        let count = get_varint(&mut rest).unwrap_or_default();
        for _ in 0..count {
            if take_word(&mut rest).is_none() {
                break;
            }
        }
        let count = get_varint(&mut rest).unwrap_or_default();
        let mut next = 0u32;
        (0..count).map_while(move |_| {
            let node = next.checked_add(number(&mut rest)?)?;
            next = node.checked_add(1)?;
            let length = number(&mut rest)?;
            let words = number(&mut rest)?;
            let document = Document {
                node: LocalNode(node),
                length,
                words,
                rest,
            };
            for _ in 0..words {
                number(&mut rest)?;
                (_, rest) = rest.split_first()?;
            }
            Some(document)
        })
    }
}

impl<'a> Document<'a> {
    /// The numbers of its words, each with its level.
    pub fn words(&self) -> impl Iterator<Item = (u32, u8)> + 'a {
        let mut rest = self.rest;
        (0..self.words).map_while(move |_| {
            let word = number(&mut rest)?;
            let (level, after) = rest.split_first()?;
            rest = after;
            Some((word, *level))
        })
    }
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    u32::try_from(get_varint(rest)?).ok()
}

fn take_word<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let len = usize::try_from(get_varint(rest)?).ok()?;
    let (word, after) = rest.split_at_checked(len)?;
    *rest = after;
    std::str::from_utf8(word).ok()
}

/// A run of letters and digits that was seen: its words, and whether it is a keyword.
#[derive(Clone, Copy)]
struct Run {
    start: u32,
    end: u32,
    keyword: bool,
}

/// One document in the making.
#[derive(Default)]
struct Draft {
    /// Runs with their fields, in order: number << 2 | field.
    runs: Vec<u32>,
}

/// Gathers the words of one unit.
pub struct Collector<'u, 's> {
    unit: &'u Unit,
    documents: Vec<bool>,
    /// For every node the document that its text goes to.
    owner: Vec<u32>,
    drafts: Vec<Draft>,
    known: FxHashMap<&'s str, u32>,
    runs: Vec<Run>,
    /// The words of all runs, one after the other.
    pieces: Vec<u32>,
    words: FxHashMap<Box<str>, u32>,
    heap: Vec<u8>,
}

impl<'u, 's> Collector<'u, 's> {
    /// Begins the texts of a unit whose nodes are complete.
    #[must_use]
    pub fn new(unit: &'u Unit) -> Self {
        let documents = documents(unit);
        let mut owner: Vec<u32> = Vec::with_capacity(documents.len());
        for (i, (document, node)) in documents.iter().zip(unit.nodes()).enumerate() {
            let holder = owner.get(node.parent.index()).copied().unwrap_or(0);
            owner.push(if *document { i as u32 } else { holder });
        }
        let drafts = documents.iter().map(|_| Draft::default()).collect();
        Self {
            unit,
            documents,
            owner,
            drafts,
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
            draft.runs.push(number << 2 | field as u32);
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

    /// The words of a text by themselves.
    fn words_of(&mut self, text: &str) -> Vec<u32> {
        let start = self.pieces.len();
        self.split(text);
        let words = self.pieces.get(start..).unwrap_or_default().to_vec();
        self.pieces.truncate(start);
        words
    }

    /// Counts everything.
    #[must_use]
    pub fn finish(mut self) -> Texts {
        let drafts = std::mem::take(&mut self.drafts);
        let mut tail = Vec::new();
        let mut count = 0u64;
        let mut next = 0;
        let mut sums: Vec<(u32, u32)> = Vec::new();
        let mut of_runs: Vec<u32> = vec![0; self.runs.len()];
        let mut seen_runs: Vec<u32> = Vec::new();
        let mut seen: Vec<u32> = Vec::new();
        for (i, draft) in drafts.iter().enumerate() {
            if !self.documents.get(i).copied().unwrap_or(false) {
                continue;
            }
            let heads = self.heads(i);
            sums.resize(self.words.len(), (0, 0));
            let mut touch = |word: u32, head: u32, body: u32| {
                if let Some(sum) = sums.get_mut(word as usize) {
                    if *sum == (0, 0) {
                        if seen.len() >= MAX_WORDS {
                            return;
                        }
                        seen.push(word);
                    }
                    sum.0 = sum.0.saturating_add(head);
                    sum.1 = sum.1.saturating_add(body);
                }
            };
            for (word, head) in heads {
                touch(word, head, 0);
            }
            let mut length = 0u32;
            for packed in &draft.runs {
                let (number, field) = ((packed >> 2) as usize, packed & 3);
                let Some(run) = self.runs.get(number) else {
                    continue;
                };
                let code = field == Field::Code as u32;
                if run.keyword && code {
                    continue;
                }
                let weight = match field {
                    1 | 2 => Field::Comment.weight(),
                    _ => Field::Code.weight(),
                };
                length = length.saturating_add(run.end - run.start);
                if let Some(sum) = of_runs.get_mut(number) {
                    if *sum == 0 {
                        seen_runs.push(number as u32);
                    }
                    *sum = sum.saturating_add(weight);
                }
            }
            for number in seen_runs.drain(..) {
                let Some((run, sum)) = self
                    .runs
                    .get(number as usize)
                    .zip(of_runs.get_mut(number as usize))
                else {
                    continue;
                };
                let pieces = self.pieces.get(run.start as usize..run.end as usize);
                for word in pieces.unwrap_or_default() {
                    touch(*word, 0, *sum);
                }
                *sum = 0;
            }
            let level_of = |word: &u32| {
                let sum = sums.get(*word as usize).copied().unwrap_or_default();
                level(sum.0, sum.1)
            };
            let worth = seen.iter().filter(|w| level_of(w) > 0).count();
            if worth == 0 {
                seen.iter().for_each(|w| {
                    if let Some(sum) = sums.get_mut(*w as usize) {
                        *sum = (0, 0);
                    }
                });
                seen.clear();
                continue;
            }
            put_varint(&mut tail, i as u64 - next);
            next = i as u64 + 1;
            put_varint(&mut tail, u64::from(length));
            put_varint(&mut tail, worth as u64);
            for word in seen.drain(..) {
                if let Some(sum) = sums.get_mut(word as usize) {
                    let level = level(sum.0, sum.1);
                    if level > 0 {
                        put_varint(&mut tail, u64::from(word));
                        tail.push(level);
                    }
                    *sum = (0, 0);
                }
            }
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
        Texts { bytes }
    }

    /// The words of a node's name, of its holders' names and of its signature, with what each counts.
    fn heads(&mut self, at: usize) -> Vec<(u32, u32)> {
        let unit = self.unit;
        let Some(node) = unit.nodes().get(at).filter(|_| at > 0) else {
            return Vec::new();
        };
        let mut heads = Vec::new();
        let name = self.words_of(unit.text(node.name));
        let each = |words: usize, whole: u32| whole * 60 / (36 + 10 * words as u32);
        heads.extend(name.iter().map(|w| (*w, each(name.len(), NAME))));
        let mut holders = Vec::new();
        let mut holder = node.parent;
        while holder != LocalNode::UNIT
            && let Some(around) = unit.node(holder)
        {
            holders.extend(self.words_of(unit.text(around.name)));
            holder = around.parent;
        }
        heads.extend(holders.iter().map(|w| (*w, each(holders.len(), HOLDER))));
        let mut signature = Vec::new();
        for run in unit
            .text(node.signature)
            .split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_')
        {
            if run.len() > 1 && run.len() <= MAX_RUN && !is_keyword(run) {
                signature.extend(self.words_of(run));
            }
        }
        signature.sort_unstable();
        signature.dedup();
        heads.extend(signature.iter().map(|w| (*w, SIGNATURE)));
        heads
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;
    use crate::model::label::Language;
    use crate::model::node::Span;
    use crate::model::unit::NewNode;

    fn words(texts: &Texts, node: u32) -> Vec<(String, u32, u32)> {
        let all: Vec<&str> = texts.words().collect();
        let document = texts.documents().find(|d| d.node.0 == node).unwrap();
        let mut words: Vec<(String, u32, u32)> = document
            .words()
            .map(|(w, l)| (all[w as usize].to_string(), head_of(l), body_of(l)))
            .collect();
        words.sort();
        words
    }

    fn lines(start_line: u32, end_line: u32) -> Span {
        Span {
            start_line,
            end_line,
            ..Span::default()
        }
    }

    #[test]
    fn names_signatures_and_texts_are_told_apart() {
        let mut unit = Unit::new("a.ts", Language::TYPESCRIPT);
        let class = unit
            .add(NewNode::new("OrderBook", NodeKind::CLASS))
            .unwrap();
        let method = NewNode {
            parent: class,
            signature: "add(item: LineItem): void",
            ..NewNode::new("addItems", NodeKind::METHOD)
        };
        let method = unit.add(method).unwrap();
        let mut collector = Collector::new(&unit);
        collector.add(method, Field::Code, "return this.items.push(item)");
        collector.add(method, Field::Comment, "never twice");
        collector.add(class, Field::Doc, "Keeps orders.");
        let texts = collector.finish();
        let of = |w: &str, h, b| (w.to_string(), h, b);
        assert_eq!(
            words(&texts, method.0),
            [
                of("add", 40, 0),
                of("book", 10, 0),
                of("item", 40, 20),
                of("lin", 10, 0),
                of("never", 0, 7),
                of("order", 10, 0),
                of("push", 0, 10),
                of("twic", 0, 7),
            ]
        );
        assert_eq!(
            words(&texts, class.0),
            [of("book", 30, 0), of("keep", 0, 10), of("order", 30, 10)]
        );
        assert_eq!(Texts::from_bytes(texts.bytes().clone()), texts);
    }

    #[test]
    fn small_functions_take_in_what_they_define_and_fields_belong_to_their_type() {
        let mut unit = Unit::new("a.ts", Language::TYPESCRIPT);
        let add = |unit: &mut Unit, name, kind, parent, span| {
            let new = NewNode {
                parent,
                span,
                ..NewNode::new(name, kind)
            };
            unit.add(new).unwrap()
        };
        let small = add(
            &mut unit,
            "small",
            NodeKind::FUNCTION,
            LocalNode(0),
            lines(1, 9),
        );
        add(&mut unit, "inner", NodeKind::FUNCTION, small, lines(2, 3));
        let big = add(
            &mut unit,
            "big",
            NodeKind::FUNCTION,
            LocalNode(0),
            lines(10, 300),
        );
        add(&mut unit, "part", NodeKind::FUNCTION, big, lines(20, 30));
        let class = add(
            &mut unit,
            "Class",
            NodeKind::CLASS,
            LocalNode(0),
            lines(301, 309),
        );
        let field = add(&mut unit, "field", NodeKind::FIELD, class, lines(302, 302));
        assert_eq!(
            documents(&unit),
            [true, true, false, true, true, true, false]
        );
        let mut collector = Collector::new(&unit);
        collector.add(field, Field::Code, "threshold");
        let texts = collector.finish();
        assert!(
            words(&texts, class.0)
                .iter()
                .any(|(w, _, _)| w == "threshold")
        );
    }

    #[test]
    fn levels_come_back_within_their_step() {
        for body in 0..2000 {
            let back = body_of(level(0, body));
            assert!(
                back <= body && (body < 7 || body < back * 3 / 2 || back == 900),
                "{body} {back}"
            );
        }
        assert_eq!(head_of(level(32, 0)), 30);
        assert_eq!(head_of(level(900, 0)), 75);
        assert!(is_keyword("Return") && !is_keyword("total"));
    }

    #[test]
    fn damaged_bytes_are_read_as_far_as_they_make_sense() {
        let mut unit = Unit::new("a.ts", Language::TYPESCRIPT);
        unit.add(NewNode::new("someFunction", NodeKind::FUNCTION))
            .unwrap();
        let bytes = Texts::of_names(&unit).bytes().clone();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x85;
            for bytes in [damaged, bytes[..at].to_vec()] {
                let texts = Texts::from_bytes(bytes);
                texts.words().count();
                texts
                    .documents()
                    .flat_map(|d| d.words().collect::<Vec<_>>())
                    .count();
            }
        }
    }
}

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

mod collector;
mod stored;

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use crate::model::fold::{fold, for_each_word};
use crate::model::label::NodeKind;
use crate::model::stem::stem;
use crate::model::unit::Unit;

pub use self::collector::Collector;
pub use self::stored::{Document, Texts};

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
    /// The field of a stored number.
    const fn of(number: u32) -> Self {
        match number {
            1 => Self::Comment,
            2 => Self::Literal,
            3 => Self::Doc,
            _ => Self::Code,
        }
    }

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
#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;
    use crate::ids::LocalNode;
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

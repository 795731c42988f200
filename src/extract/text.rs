//! The words of a file's definitions: one pass over the bytes, told apart by the simplest marks of the language.
//!
//! Where it sits: after a walker has filled the unit, whose spans say what belongs to what. Identifiers, comments and
//! string literals look alike in nearly all languages, so that no syntax tree is needed: [`Marks`] is all that differs.
//! Where a mark misleads (a quote in a regular expression), words land in another field until the end of the line, which
//! changes their weight a little and loses nothing.
//!
//! A comment that stands before a definition belongs to it, unless code stands between the two; words of the language
//! (`export`, `pub`) and lines of attributes (`@`, `#`) are no such code. Invariant: at most [`MAX_BYTES`] of a file are read.

use crate::ids::LocalNode;
use crate::model::label::Language;
use crate::model::text::{Collector, Field, Texts, is_keyword};
use crate::model::unit::Unit;

/// How much of a file is read.
const MAX_BYTES: usize = 2 << 20;

/// How a language marks comments and literals.
struct Marks {
    /// `//` begins a comment.
    slashes: bool,
    /// `#` begins a comment.
    hash: bool,
    /// Three quotes begin a literal of several lines.
    triple: bool,
    /// A back quote begins a literal of several lines.
    back_quote: bool,
    /// A single quote begins a literal of any length, not only one character.
    single: bool,
}

fn marks(language: Language) -> Marks {
    let c = Marks {
        slashes: true,
        hash: false,
        triple: false,
        back_quote: false,
        single: false,
    };
    match language {
        Language::TYPESCRIPT | Language::TSX | Language::JAVASCRIPT => Marks {
            back_quote: true,
            single: true,
            ..c
        },
        Language::GO => Marks {
            back_quote: true,
            ..c
        },
        Language::PYTHON => Marks {
            slashes: false,
            hash: true,
            triple: true,
            single: true,
            ..c
        },
        _ => c,
    }
}

/// The words of a unit whose nodes are complete; `source` is the text that its spans count in.
pub(super) fn texts(unit: &Unit, language: Language, source: &str) -> Texts {
    let mut end = source.len().min(MAX_BYTES);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let source = source.get(..end).unwrap_or_default();
    let collector = Collector::new(unit);
    let mut spans: Vec<Place> = Vec::new();
    for (i, node) in unit.nodes().iter().enumerate().skip(1) {
        let span = node.span;
        if let Some(id) = LocalNode::from_index(i)
            && span.start_byte < span.end_byte
            && collector.is_document(id)
        {
            spans.push(Place {
                start: span.start_byte as usize,
                end: span.end_byte as usize,
                node: id,
            });
        }
    }
    // The outer one of two that begin together first.
    spans.sort_by_key(|p| (p.start, std::cmp::Reverse(p.end), p.node));
    let mut scan = Scan {
        source,
        marks: marks(language),
        collector,
        spans: &spans,
        next: 0,
        open: Vec::new(),
        owner: LocalNode::UNIT,
        pending: Vec::new(),
        attribute: false,
    };
    scan.code();
    scan.collector.finish()
}

/// What a definition covers.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    node: LocalNode,
}

struct Scan<'u, 's> {
    source: &'s str,
    marks: Marks,
    collector: Collector<'u, 's>,
    spans: &'u [Place],
    /// The first span that has not begun.
    next: usize,
    open: Vec<Place>,
    owner: LocalNode,
    /// Words of comments that may belong to what comes next.
    pending: Vec<&'s str>,
    /// Whether the line is one of attributes.
    attribute: bool,
}

/// Whether a byte is part of a word.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        table[b] = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
        b += 1;
    }
    table
};

#[inline]
fn is_word(byte: u8) -> bool {
    WORD.get(usize::from(byte)).copied().unwrap_or(false)
}

impl<'s> Scan<'_, 's> {
    fn byte(&self, at: usize) -> u8 {
        self.source.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Reads everything.
    fn code(&mut self) {
        let bytes = self.source.as_bytes();
        let mut at = 0;
        let mut fresh = true;
        while let Some(byte) = bytes.get(at).copied() {
            if is_word(byte) {
                fresh = false;
                let end = self.word_end(at);
                self.word(at, end);
                at = end;
                continue;
            }
            if fresh && !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                self.attribute = matches!(byte, b'@' | b'#');
                fresh = false;
            }
            at = match byte {
                b'\n' => {
                    fresh = true;
                    self.attribute = false;
                    at + 1
                }
                b'/' if self.marks.slashes && self.byte(at + 1) == b'/' => {
                    self.line_comment(at + 2)
                }
                b'/' if self.marks.slashes && self.byte(at + 1) == b'*' => {
                    self.block_comment(at + 2)
                }
                b'#' if self.marks.hash => self.line_comment(at + 1),
                b'"' | b'\'' if self.is_triple(at, byte) => self.literal(at + 3, byte, 3),
                b'"' => self.literal(at + 1, byte, 1),
                b'\'' if self.marks.single || self.is_character(at) => {
                    self.literal(at + 1, byte, 1)
                }
                b'`' if self.marks.back_quote => self.literal(at + 1, byte, 0),
                _ => at + 1,
            };
        }
        self.flush(LocalNode::UNIT);
    }

    fn word_end(&self, at: usize) -> usize {
        let rest = self.source.as_bytes().get(at..).unwrap_or_default();
        at + rest.iter().take_while(|b| is_word(**b)).count()
    }

    fn is_triple(&self, at: usize, quote: u8) -> bool {
        self.marks.triple && self.byte(at + 1) == quote && self.byte(at + 2) == quote
    }

    /// Whether a single quote begins a character and not, say, a lifetime.
    fn is_character(&self, at: usize) -> bool {
        self.byte(at + 1) == b'\\' || self.byte(at + 2) == b'\''
    }

    /// A word of code.
    fn word(&mut self, start: usize, end: usize) {
        self.enter(start);
        let Some(run) = self.source.get(start..end) else {
            return;
        };
        if !self.pending.is_empty() && !self.attribute && !is_keyword(run) {
            self.flush(self.owner);
        }
        let number = self.byte(start).is_ascii_digit();
        if !number {
            self.collector.run(self.owner, Field::Code, run);
        }
    }

    /// Finds out whose text `at` is in. A definition that begins takes the comments before it.
    fn enter(&mut self, at: usize) {
        let mut changed = false;
        while self.open.last().is_some_and(|p| p.end <= at) {
            self.open.pop();
            changed = true;
        }
        while let Some(place) = self.spans.get(self.next).filter(|p| p.start <= at) {
            self.next += 1;
            if place.end > at {
                self.open.push(*place);
                for run in std::mem::take(&mut self.pending) {
                    self.collector.run(place.node, Field::Doc, run);
                }
                changed = true;
            }
        }
        if changed {
            self.owner = self.open.last().map_or(LocalNode::UNIT, |p| p.node);
        }
    }

    /// Comments that stood before no definition belong to what is around them.
    fn flush(&mut self, owner: LocalNode) {
        for run in std::mem::take(&mut self.pending) {
            self.collector.run(owner, Field::Comment, run);
        }
    }

    fn line_comment(&mut self, at: usize) -> usize {
        let rest = self.source.as_bytes().get(at..).unwrap_or_default();
        let end = at + rest.iter().take_while(|b| **b != b'\n').count();
        self.comment(at, end);
        end
    }

    fn block_comment(&mut self, at: usize) -> usize {
        let rest = self.source.as_bytes().get(at..).unwrap_or_default();
        let len = rest.windows(2).position(|w| w == b"*/");
        let end = at + len.unwrap_or(rest.len());
        self.comment(at, end);
        (end + 2).min(self.source.len())
    }

    fn comment(&mut self, start: usize, end: usize) {
        self.close(start);
        let text = self.source.get(start..end).unwrap_or_default();
        for run in text.as_bytes().split(|b| !is_word(*b)) {
            // Parts between ASCII characters of a text are texts.
            if let Ok(run) = std::str::from_utf8(run)
                && run.len() > 1
            {
                self.pending.push(run);
            }
        }
    }

    /// Leaves what ends before `at`; comments of a definition's end are its own.
    fn close(&mut self, at: usize) {
        if self.open.last().is_some_and(|p| p.end <= at) {
            self.flush(self.owner);
            self.enter(at);
        }
    }

    /// A literal up to its quote; `quotes` of them end it, 0 stands for one that may span lines.
    fn literal(&mut self, start: usize, quote: u8, quotes: usize) -> usize {
        self.enter(start);
        self.flush(self.owner);
        let bytes = self.source.as_bytes();
        let mut at = start;
        while let Some(byte) = bytes.get(at).copied() {
            if is_word(byte) {
                let end = self.word_end(at);
                if let Some(run) = self.source.get(at..end) {
                    self.collector.run(self.owner, Field::Literal, run);
                }
                at = end;
            } else if byte == b'\\' {
                at += 1;
                // What is escaped is no letter of a word; a longer character is left to the next round.
                at += usize::from(self.byte(at).is_ascii());
            } else if byte == quote && (quotes < 3 || self.is_triple(at, quote)) {
                return at + quotes.max(1);
            } else if byte == b'\n' && quotes == 1 {
                return at;
            } else {
                at += 1;
            }
        }
        at.min(self.source.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::label::NodeKind;
    use crate::model::node::Span;
    use crate::model::unit::NewNode;

    fn unit(source: &str, spans: &[(&str, &str)]) -> Unit {
        let mut unit = Unit::new("a.ts", Language::TYPESCRIPT);
        for (name, text) in spans {
            let start = source.find(text).unwrap_or_default() as u32;
            let span = Span {
                start_line: 1,
                end_line: 200,
                start_byte: start,
                end_byte: start + text.len() as u32,
            };
            let new = NewNode {
                span,
                ..NewNode::new(name, NodeKind::CLASS)
            };
            assert!(unit.add(new).is_ok());
        }
        unit
    }

    fn words(texts: &Texts, node: u32) -> String {
        let all: Vec<&str> = texts.words().collect();
        let document = texts.documents().find(|d| d.node.0 == node);
        let words = document
            .into_iter()
            .flat_map(|d| d.words().collect::<Vec<_>>());
        let mut words: Vec<String> = words
            .filter_map(|(w, l)| Some(format!("{}:{:02x}", all.get(w as usize)?, l)))
            .collect();
        words.sort();
        words.join(" ")
    }

    #[test]
    fn every_word_goes_to_the_innermost_document_and_its_field() {
        let source = "// licence text\nimport x from 'zod';\n\n// explains outer\nexport class Outer { // inside\n  a = `tpl ${b}`;\n  /** doc */\n  inner() { return \"it\\nworks\"; }\n}\nrest(42);\n";
        let outer = source
            .find("class Outer")
            .map(|at| &source[at..source.len() - 11]);
        let unit = unit(
            source,
            &[
                ("Outer", outer.unwrap_or_default()),
                ("inner", "inner() { return \"it\\nworks\"; }"),
            ],
        );
        let texts = texts(&unit, Language::TYPESCRIPT, source);
        assert_eq!(words(&texts, 0), "licenc:01 rest:02 text:01 zod:01");
        assert_eq!(words(&texts, 1), "explain:02 insid:01 outer:84 tpl:01");
        assert_eq!(words(&texts, 2), "doc:02 inner:82 it:01 work:01");
    }

    #[test]
    fn marks_of_other_languages() {
        let unit = Unit::new("a", Language::NONE);
        let python = "x = '''two\nlines''' # note\ny = 'it'";
        assert_eq!(
            words(&texts(&unit, Language::PYTHON, python), 0),
            "it:01 lin:01 not:01 two:01"
        );
        let rust = "fn f<'a>(s: &'a str) -> char { '\"' } // plain";
        assert_eq!(
            words(&texts(&unit, Language::RUST, rust), 0),
            "char:02 plain:01"
        );
    }

    #[test]
    fn any_text_is_survived() {
        let unit = Unit::new("a", Language::NONE);
        for source in [
            "",
            "\"",
            "\\",
            "'\\",
            "/*",
            "/*/",
            "`\\é",
            "\"\\",
            "'''",
            "#",
            "é\u{301}",
            "//",
        ] {
            for language in [
                Language::TYPESCRIPT,
                Language::PYTHON,
                Language::RUST,
                Language::GO,
            ] {
                texts(&unit, language, source);
            }
        }
    }
}

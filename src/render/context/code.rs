//! Stretches of lines as one text, with marks where lines are left out.
//!
//! Where it sits: under all forms of a bundle. Invariant: a line of source is written as it is, but for control characters
//! that could steer a terminal; a mark is a comment of the language, so that what is copied still parses.

use std::fmt::Write;

use crate::context::{Piece, SourceText};
use crate::render::context::Style;

/// Blank lines that are written where only these were left out.
const BLANK: u32 = 2;

/// What marks need to know.
pub(super) struct Source<'a> {
    pub(super) text: &'a SourceText,
    /// The outermost piece of the lines.
    pub(super) piece: &'a Piece,
    pub(super) style: Style,
}

impl Source<'_> {
    /// The lines with marks; ends with a line break.
    pub(super) fn write(&self, lines: &[(u32, u32)]) -> String {
        let mut out = String::new();
        let mut next: Option<u32> = None;
        for (first, last) in lines {
            if let Some(from) = next.filter(|n| n < first) {
                self.gap(&mut out, from, first - 1);
            }
            for number in *first..=*last {
                self.line(&mut out, number);
            }
            next = Some(last.saturating_add(1));
        }
        if let Some(from) = next.filter(|n| *n <= self.piece.end_line) {
            out.push_str(&self.end(from));
        }
        out
    }

    pub(super) fn line(&self, out: &mut String, number: u32) {
        if self.style.line_numbers {
            let _ = write!(out, "{number}| ");
        }
        let printable = |c: &char| *c == '\t' || !c.is_control();
        out.extend(self.text.line(number).chars().filter(printable));
        out.push('\n');
    }

    fn gap(&self, out: &mut String, from: u32, to: u32) {
        let blank = to - from < BLANK && (from..=to).all(|n| self.text.line(n).trim().is_empty());
        if blank {
            (from..=to).for_each(|n| self.line(out, n));
            return;
        }
        let inside = from >= self.piece.line;
        if inside {
            let _ = writeln!(out, "{} ... {}", self.comment(), stretch(from, to));
        } else {
            let _ = writeln!(out, "{} ...", self.comment());
        }
    }

    /// The mark behind the last line that is shown.
    pub(super) fn end(&self, from: u32) -> String {
        let to = self.piece.end_line;
        let lines = stretch(from, to);
        match &self.piece.summary {
            Some(what) => format!("{} ... {lines}: {what}\n", self.comment()),
            None => {
                let count = to - from + 1;
                let plural = if count == 1 { "" } else { "s" };
                format!(
                    "{} ... cut {lines} ({count} line{plural}); whole: --mode slice --line {}\n",
                    self.comment(),
                    self.piece.line
                )
            }
        }
    }

    fn comment(&self) -> &'static str {
        match self.text.language.as_str() {
            "python" | "ruby" | "bash" => "#",
            "lua" => "--",
            _ => "//",
        }
    }
}

fn stretch(from: u32, to: u32) -> String {
    if from == to {
        format!("L{from}")
    } else {
        format!("L{from}-L{to}")
    }
}

/// The longest run of a character in a text.
pub(super) fn longest_run(text: &str, mark: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == mark { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

//! A bundle as Markdown.
//!
//! Where it sits: the usual form of `context`. A path is a heading of the second level, a symbol one of the third with its
//! lines and why it is here, its source a fenced block in its language.

use std::fmt::Write;

use crate::context::{Bundle, Piece, SourceText};
use crate::render::budget::measure;
use crate::render::context::Style;
use crate::render::context::code::{Source, longest_run};
use crate::render::context::frame::{self, Figures};
use crate::render::context::pack::{Group, Shape, pack};
use crate::render::safe;

struct Markdown {
    style: Style,
}

/// The bundle as Markdown that costs at most `budget` tokens; empty where nothing fits.
pub fn markdown(bundle: &Bundle, budget: u64, style: Style) -> String {
    let shape = Markdown { style };
    let notes: Vec<String> = frame::notes(bundle)
        .into_iter()
        .map(|n| format!("Note: {n}\n"))
        .collect();
    let all = Figures {
        files: bundle.files.len(),
        symbols: bundle.pieces.len(),
        tokens: budget,
        budget,
        left: bundle.pieces.len(),
    };
    let above: u64 = notes.iter().map(|n| measure(n)).sum();
    let head = measure(&frame::head(bundle, &all)) + above;
    let packed = pack(bundle, &shape, budget, head);
    let source: String = packed
        .files
        .iter()
        .filter_map(|(file, groups)| {
            let file = bundle.files.get(*file)?;
            let mut text = shape.open(file);
            groups
                .iter()
                .for_each(|g| text.push_str(&shape.group(bundle, g)));
            Some(text)
        })
        .collect();
    let limit = budget.saturating_mul(100);
    let mut left = limit.saturating_sub(measure(&source));
    let figures = |tokens| Figures::new(&packed, tokens, budget);
    let heads: [&dyn Fn(u64) -> String; 2] =
        [&|tokens| frame::head(bundle, &figures(tokens)), &|tokens| {
            frame::short_head(&figures(tokens))
        }];
    let chosen = heads.iter().find(|h| measure(&h(budget)) <= left);
    left -= chosen.map_or(0, |h| measure(&h(budget)));
    let mut pay = |line: String| {
        let cost = measure(&line);
        let fits = cost <= left;
        left -= if fits { cost } else { 0 };
        fits.then_some(line)
    };
    let above: String = notes.into_iter().filter_map(&mut pay).collect();
    let mut below = String::new();
    for line in frame::ledger(bundle, &packed) {
        let line = if below.is_empty() {
            format!("---\n{line}\n")
        } else {
            format!("{line}\n")
        };
        below.extend(pay(line));
    }
    if source.is_empty() && chosen.is_none() {
        return String::new();
    }
    let write = |tokens| {
        let head = chosen.map(|h| h(tokens)).unwrap_or_default();
        format!("{head}{above}{source}{below}")
    };
    if source.is_empty() {
        let label = safe::field(&bundle.entry);
        let line = format!("The budget is too small for any source of {label}\n");
        return frame::settle(budget, |tokens| match measure(&line) <= left {
            true => format!("{}{line}", write(tokens)),
            false => write(tokens),
        });
    }
    frame::settle(budget, write)
}

impl Shape for Markdown {
    fn open(&self, file: &SourceText) -> String {
        format!("## {}\n", safe::field(&file.key))
    }

    fn group(&self, bundle: &Bundle, group: &Group) -> String {
        let mut pieces = group.pieces.iter().filter_map(|p| bundle.pieces.get(*p));
        let Some(outer) = pieces.next() else {
            return String::new();
        };
        let Some(text) = bundle.files.get(outer.file) else {
            return String::new();
        };
        let mut out = String::from("### ");
        heading(&mut out, outer);
        for inner in pieces {
            out.push_str("; ");
            if inner.led {
                heading(&mut out, inner);
            } else {
                place(&mut out, inner);
            }
        }
        let source = Source {
            text,
            piece: outer,
            style: self.style,
        };
        let code = source.write(&group.lines);
        let fence = "`".repeat((longest_run(&code, '`') + 1).max(3));
        let _ = write!(out, "\n{fence}{}\n{code}{fence}\n", text.language);
        out
    }

    fn close(&self, _file: &SourceText) -> String {
        String::new()
    }
}

fn heading(out: &mut String, piece: &Piece) {
    place(out, piece);
    let _ = write!(out, " — {}", safe::field(&piece.why));
}

fn place(out: &mut String, piece: &Piece) {
    let lines = if piece.end_line > piece.line {
        format!("L{}-L{}", piece.line, piece.end_line)
    } else {
        format!("L{}", piece.line)
    };
    let changed = if piece.changed { " [changed]" } else { "" };
    let _ = write!(out, "{} ({lines}){changed}", safe::field(&piece.label));
}

//! A bundle between tags, for prompts that want them.
//!
//! Where it sits: `--format xml` of `context`. Source stands in CDATA sections as it is.

use std::fmt::Write;

use crate::context::{Bundle, SourceText};
use crate::render::budget::measure;
use crate::render::context::Style;
use crate::render::context::code::Source;
use crate::render::context::frame::{self, Figures};
use crate::render::context::pack::{Group, Shape, pack};
use crate::render::safe;

const END: &str = "</context>\n";

struct Tagged {
    style: Style,
}

/// The bundle between tags, at most `budget` tokens of it; empty where nothing fits.
pub fn tagged(bundle: &Bundle, budget: u64, style: Style) -> String {
    let shape = Tagged { style };
    let notes: Vec<String> = frame::notes(bundle)
        .into_iter()
        .map(|n| format!("<note>{}</note>\n", escape(&n)))
        .collect();
    let start = |tokens: u64, figures: &Figures| {
        format!(
            "<context mode=\"{}\" entry=\"{}\" files=\"{}\" symbols=\"{}\" left_out=\"{}\" tokens=\"{tokens}\" budget=\"{budget}\">\n",
            bundle.mode,
            escape(&safe::field(&bundle.entry)),
            figures.files,
            figures.symbols,
            figures.left,
        )
    };
    let all = Figures {
        files: bundle.files.len(),
        symbols: bundle.pieces.len(),
        tokens: budget,
        budget,
        left: bundle.pieces.len(),
    };
    let fixed = measure(&start(budget, &all)) + measure(END);
    let above: u64 = notes.iter().map(|n| measure(n)).sum();
    let limit = budget.saturating_mul(100);
    let Some(inside) = limit.checked_sub(fixed) else {
        return String::new();
    };
    let packed = pack(bundle, &shape, inside / 100, above);
    let mut source = String::new();
    for (file, groups) in &packed.files {
        let Some(file) = bundle.files.get(*file) else {
            continue;
        };
        source.push_str(&shape.open(file));
        groups
            .iter()
            .for_each(|g| source.push_str(&shape.group(bundle, g)));
        source.push_str(&shape.close(file));
    }
    let mut left = inside.saturating_sub(measure(&source));
    let mut pay = |line: String| {
        let cost = measure(&line);
        let fits = cost <= left;
        left -= if fits { cost } else { 0 };
        fits.then_some(line)
    };
    let above: String = notes.into_iter().filter_map(&mut pay).collect();
    let ledger = frame::ledger(bundle, &packed);
    let ledger = ledger
        .into_iter()
        .map(|l| format!("<ledger>{}</ledger>\n", escape(&l)));
    let below: String = ledger.filter_map(&mut pay).collect();
    frame::settle(budget, |tokens| {
        let figures = Figures::new(&packed, tokens, budget);
        format!("{}{above}{source}{below}{END}", start(tokens, &figures))
    })
}

impl Shape for Tagged {
    fn open(&self, file: &SourceText) -> String {
        format!(
            "<file path=\"{}\" language=\"{}\">\n",
            escape(&safe::field(&file.key)),
            escape(&file.language)
        )
    }

    fn group(&self, bundle: &Bundle, group: &Group) -> String {
        let pieces: Vec<_> = group
            .pieces
            .iter()
            .filter_map(|p| bundle.pieces.get(*p))
            .collect();
        let Some(outer) = pieces.first().copied() else {
            return String::new();
        };
        let Some(text) = bundle.files.get(outer.file) else {
            return String::new();
        };
        let mut out = String::new();
        for piece in pieces {
            let changed = if piece.changed {
                " changed=\"true\""
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "<symbol name=\"{}\" lines=\"{}-{}\"{changed} why=\"{}\"/>",
                escape(&safe::field(&piece.label)),
                piece.line,
                piece.end_line,
                escape(&safe::field(&piece.why))
            );
        }
        let source = Source {
            text,
            piece: outer,
            style: self.style,
        };
        let code = source.write(&group.lines).replace("]]>", "]]]]><![CDATA[>");
        let _ = write!(out, "<source><![CDATA[\n{code}]]></source>\n");
        out
    }

    fn close(&self, _file: &SourceText) -> String {
        "</file>\n".to_string()
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

//! One file's bytes become its unit: nodes and facts.
//!
//! Where it sits: after `source` (which reads and decodes), before `link` (which looks across files). Pure: no I/O, no
//! shared state but grammars and one parser per thread and language; the same input gives the same unit on any thread.
//!
//! Invariants: what a unit holds depends on the file alone; syntax errors cost what they cover, not the file; a parse is
//! given up after a budget of work, never after a span of time (the result must not depend on the machine).

mod builder;
mod compact;
mod doc;
mod lang;
mod outside;
mod parse;
mod text;
mod visible;

use crate::ids::LocalNode;
use crate::model::label::Language;
use crate::model::node::NodeFlags;
use crate::model::unit::{FileFlags, Unit};

/// Grows with every change of what an extractor yields: units of another version are read again.
pub const EXTRACTOR_VERSION: u32 = 2;

/// What a caller knows of the file, and what it can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtractOptions {
    /// What is known of the file before it is parsed: its role, whether it is minified (then only the file itself is
    /// indexed).
    pub flags: FileFlags,
    /// Larger files, in bytes, only get their file node.
    pub size_limit: usize,
}

impl Default for ExtractOptions {
    fn default() -> Self {
        Self {
            flags: FileFlags::default(),
            size_limit: 8 << 20,
        }
    }
}

/// Whether this build can read the language.
pub fn is_supported(language: Language) -> bool {
    lang::grammar(language).is_some()
}

/// Reads one file. `path_key` is its encoded path (see [`crate::model::path`]), `source` its text as UTF-8.
///
/// Never fails: a file that cannot be understood yields the file node and flags that say why.
pub fn extract(
    path_key: &str,
    language: Language,
    source: &[u8],
    options: &ExtractOptions,
) -> Unit {
    let mut unit = Unit::new(path_key, language);
    unit.meta.size = source.len() as u64;
    unit.meta.content_hash = xxhash_rust::xxh3::xxh3_128(source);
    unit.meta.extractor = EXTRACTOR_VERSION;
    unit.meta.flags |= options.flags.0;
    let oversized = source.len() > options.size_limit;
    let minified = options.flags.0 & FileFlags::MINIFIED != 0;
    let text = if oversized || minified {
        None
    } else {
        std::str::from_utf8(source).ok()
    };
    let Some(text) = text else {
        unit.meta.flags |= match (oversized, minified) {
            (true, _) => FileFlags::OVERSIZED,
            (false, true) => FileFlags::MINIFIED,
            (false, false) => FileFlags::INCOMPLETE,
        };
        file_node(&mut unit, source);
        return unit;
    };
    let language = lang::refined(language, path_key, text);
    unit.language = language;
    let readable = lang::readable(language, text);
    let Some(tree) = parse::parse(language, readable.as_bytes()) else {
        file_node(&mut unit, source);
        if lang::grammar(language).is_some() {
            unit.meta.flags |= FileFlags::INCOMPLETE;
        }
        let texts = text::texts(&unit, language, text);
        unit.set_texts(texts);
        return unit;
    };
    let has_error = tree.root_node().has_error();
    let walked = lang::walk(unit, language, text, &tree);
    let mut unit = walked.unit;
    set_lines(&mut unit, source);
    if walked.incomplete {
        unit.meta.flags |= FileFlags::INCOMPLETE;
    }
    unit.meta.parse_errors = walked.errors.max(u32::from(has_error));
    if options.flags.0 & FileFlags::TEST != 0 {
        mark(&mut unit, NodeFlags::TEST);
    }
    if options.flags.0 & FileFlags::GENERATED != 0 {
        mark(&mut unit, NodeFlags::GENERATED);
    }
    let texts = text::texts(&unit, language, text);
    unit.set_texts(texts);
    unit.seal();
    unit
}

/// Gives the file node its extent where no walker does.
fn file_node(unit: &mut Unit, source: &[u8]) {
    set_lines(unit, source);
    if let Some(node) = unit.node_mut(LocalNode::UNIT) {
        node.span.start_line = 1;
        node.span.end_byte = u32::try_from(source.len()).unwrap_or(u32::MAX);
    }
}

/// Lines as an editor counts them: what ends with a line feed has no line behind it.
fn set_lines(unit: &mut Unit, source: &[u8]) {
    let ends = source.iter().filter(|b| **b == b'\n').count();
    let open = usize::from(source.last().is_some_and(|b| *b != b'\n'));
    let lines = u32::try_from(ends + open).unwrap_or(u32::MAX);
    unit.meta.lines = lines;
    if let Some(node) = unit.node_mut(LocalNode::UNIT) {
        node.span.end_line = lines.max(1);
    }
}

fn mark(unit: &mut Unit, flags: NodeFlags) {
    for i in 0..unit.nodes().len() {
        if let Some(node) = LocalNode::from_index(i).and_then(|id| unit.node_mut(id)) {
            node.flags = node.flags.with(flags);
        }
    }
}

#[cfg(test)]
mod tests;

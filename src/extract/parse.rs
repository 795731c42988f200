//! Parsing: one parser per thread and language, and a bound on the work that one file may cost.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::model::label::Language;

/// The parser calls back after a fixed number of steps; a file may cost this many calls, and so many more per byte.
/// Ordinary code costs one call per a few hundred bytes; what passes the bound is stuck in recovery from errors.
const CALLS_PER_FILE: usize = 20_000;
const CALLS_PER_BYTE: usize = 4;

thread_local! {
    static PARSERS: RefCell<Vec<(Language, Parser)>> = const { RefCell::new(Vec::new()) };
}

/// Parses a file, or gives up.
pub(super) fn parse(language: Language, source: &[u8]) -> Option<Tree> {
    PARSERS.with_borrow_mut(|parsers| {
        let at = match parsers.iter().position(|(l, _)| *l == language) {
            Some(at) => at,
            None => {
                let mut parser = Parser::new();
                parser.set_language(&super::lang::grammar(language)?).ok()?;
                parsers.push((language, parser));
                parsers.len() - 1
            }
        };
        let (_, parser) = parsers.get_mut(at)?;
        let budget = CALLS_PER_FILE + source.len().saturating_mul(CALLS_PER_BYTE);
        let mut calls = 0usize;
        let mut progress = |_: &ParseState| {
            calls += 1;
            if calls > budget {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut read = |at: usize, _| source.get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}

//! Bundles of source as Markdown, tagged text or JSON, within a budget.
//!
//! Where it sits: after `context`, which says in which order a growing budget shows what; `pack` takes as many of these
//! steps as fit, measured in the form in which they will be written, and `frame` writes what is around them. Invariants: what
//! is written costs at most the budget, down to nothing at all; a line that one budget shows every larger one shows too; no
//! line is written twice; a fence is longer than any run of its marks inside.

mod code;
mod frame;
mod json;
mod markdown;
mod pack;
mod tagged;

pub use json::json;
pub use markdown::markdown;
pub use tagged::tagged;

/// How source is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Every line of source begins with its number.
    pub line_numbers: bool,
}

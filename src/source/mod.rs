//! From a folder to the texts that are to be parsed: which files, in which language, what changed, what they say.
//!
//! Where it sits: first layer of the write side; knows nothing of grammars, graphs or the index. Its parts, in the order
//! in which a run uses them: [`walk`](mod@walk) lists files by git's rules ([`rules`], [`repository`], [`git_index`]), the names of
//! folders ([`folders`]), of secrets ([`secret`]), languages ([`language`]) and configuration ([`config`]);
//! [`history`] asks git what past commits said; [`change`] compares them with what is known; [`mod@read`] turns one into text ([`text`]) and class ([`class`]).
//! Invariants: one bad file never ends a run, it is [`skipped`] with its reason; the same tree gives the same lists.

pub mod change;
pub mod class;
pub mod config;
pub mod folders;
pub mod git_diff;
pub mod git_index;
pub mod history;
pub mod language;
pub mod read;
pub mod repository;
pub mod rules;
pub mod secret;
pub mod skipped;
pub mod stat;
pub mod text;
pub mod walk;

pub use change::{Changes, DiskHasher, Hasher, KnownFile, compare};
pub use read::{Reading, SourceFile, read};
pub use skipped::{SkipReason, Skipped};
pub use stat::Stat;
pub use walk::{Candidate, WalkOptions, Walked, walk};

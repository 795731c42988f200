//! Every number that the ranking of texts depends on.
//!
//! | constant | value | what for |
//! |---|---|---|
//! | `K1` | 1.2 | how fast repetitions of a word stop counting |
//! | `B` | 0.4 | how much a long text is held against it |
//! | `FILE_B` | 0.6 | the same for whole files |
//! | `PATH` | 1.0 | what a word of the path counts, like one mention |
//! | `COVERAGE` | 0.6 | share of the score that falls with the words (by IDF) that a node lacks |
//! | `FILE_SHARE` | 0.4 | weight of the file's score |
//! | `HISTORY_SHARE` | 0.4 | weight of past commits on the file |
//! | `SPILL` | 0.3 | what of the two goes to a node that answers nothing by itself |
//! | `DEMOTED` | 0.2 | factor of tests, examples, documentation, generated and foreign code |
//! | `EXACT` | 0.5 | added where an identifier of the question is the node's name |
//! | `NAMED` | 2.0 | added where the question gives a node's path or qualified name |
//! | `WALK_SEEDS`, `WALK_STEPS`, `WALK_RESTART` | 25, 6, 0.4 | the walk round the best nodes |
//! | `WALK_SHARE` | 0.3 | weight of the square root of what the walk leaves at a node |
//! | `VERB` | 0.3 | weight of words such as "calls" beside better ones |
//! | `NODES`, `FILES` | 2000, 200 | how many of the best nodes and files are looked at in full |
//! | `SPREAD_FILES`, `SPREAD_NODES` | 40, 100 | files whose nodes all compete, and how many of each |
//! | `MESSAGES`, `MESSAGE_FILES` | 30, 10 | how many commits speak, and how many files of the index they may touch |
//!
//! Field weights and the steps of stored levels are those of [`crate::model::text`]: they decide what is stored.

pub(crate) const K1: f32 = 1.2;
pub(crate) const B: f32 = 0.4;
pub(crate) const FILE_B: f32 = 0.6;
pub(crate) const PATH: f32 = 1.0;
pub(crate) const COVERAGE: f32 = 0.6;
pub(crate) const FILE_SHARE: f32 = 0.4;
pub(crate) const HISTORY_SHARE: f32 = 0.4;
pub(crate) const SPILL: f32 = 0.3;
pub(crate) const DEMOTED: f32 = 0.2;
pub(crate) const EXACT: f32 = 0.5;
pub(crate) const NAMED: f32 = 2.0;
pub(crate) const WALK_SEEDS: usize = 25;
pub(crate) const WALK_STEPS: usize = 6;
pub(crate) const WALK_RESTART: f32 = 0.4;
pub(crate) const WALK_SHARE: f32 = 0.3;
pub(crate) const VERB: f32 = 0.3;
pub(crate) const NODES: usize = 2000;
pub(crate) const FILES: usize = 200;
pub(crate) const SPREAD_FILES: usize = 40;
pub(crate) const SPREAD_NODES: u32 = 100;
pub(crate) const MESSAGES: usize = 30;
pub(crate) const MESSAGE_FILES: usize = 10;
/// Most different stems of a question.
pub(crate) const MAX_STEMS: usize = 64;

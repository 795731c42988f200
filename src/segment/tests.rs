//! Tests of the layer as a whole; small parts are tested beside their code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

mod damage;
mod golden;
mod merging;
mod model;
mod names;
mod reading;

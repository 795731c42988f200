//! Linking of languages whose types put their members in scope and whose files form packages.
//!
//! Where it sits: a part of `link` for the dialects of `is_classes`; it shares the evaluator and the types with the rest.
//! The parts: [`packages`] knows what is defined under which qualified name; [`names`] finds what a bare name means;
//! [`members`] looks into types and their bases; [`values`] says what an expression is; [`calls`] finds what is called;
//! [`edges`] writes down imports, calls and overrides; [`dialect`] holds what the languages do differently.
//!
//! Invariant: a bare name reaches members of the types around it and of their bases, what is imported, and the file's
//! own package; never a member of another type.

mod calls;
mod dialect;
pub(super) mod edges;
mod library;
mod members;
mod names;
pub(super) mod packages;
mod values;

/// Marks the callbacks of these languages' libraries among those of the others.
pub(super) const CALLBACK: &str = "class:";

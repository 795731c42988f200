//! What an edge is worth to a chain, and how it is said.
//!
//! Where it sits: under [`super::chain`] and [`super::nearness`]. Calls weigh more than values that are used, these more
//! than types, which have a base weight of their own: they run nothing, but without them code is misread. Edges within a file
//! weigh more by a factor that the caller sets, edges into a directly imported file [`IMPORTED`] times as much.

use crate::model::edge::EdgeLabel;
use crate::model::label::{Context, Relation};

/// Factor of edges into a file that the source's file imports.
pub(crate) const IMPORTED: f64 = 2.0;
/// Factor of edges that are followed backwards.
pub(crate) const BACKWARD: f64 = 0.45;

/// The weight of an edge before the factors for files and direction; 0 for what is no link between units.
pub(crate) fn weight(label: EdgeLabel) -> f64 {
    match label.relation {
        Relation::CALLS => 1.0,
        Relation::INDIRECT_CALL => 0.9,
        Relation::DISPATCHES_TO | Relation::OVERRIDES => 0.9,
        Relation::INHERITS | Relation::IMPLEMENTS | Relation::EMBEDS | Relation::MIXES_IN => 0.8,
        Relation::REFERENCES if is_type(label.context) => 0.5,
        Relation::REFERENCES => 0.7,
        Relation::METHOD | Relation::DEFINES | Relation::CASE_OF => 0.4,
        Relation::CONTAINS => 0.3,
        Relation::DECLARES => 0.6,
        Relation::IMPORTS
        | Relation::IMPORTS_FROM
        | Relation::DYNAMIC_IMPORT
        | Relation::RE_EXPORTS
        | Relation::DEPENDS_ON
        | Relation::READS_ENV
        | Relation::CITES => 0.0,
        _ => 0.5,
    }
}

/// Whether a reference stands where a type is written.
fn is_type(context: Context) -> bool {
    matches!(
        context,
        Context::TYPE
            | Context::FIELD
            | Context::PARAMETER_TYPE
            | Context::RETURN_TYPE
            | Context::GENERIC_ARG
            | Context::BASE
    )
}

/// Whether what an edge leads to is part of what its source does: a value or type that it uses.
pub(crate) fn is_part(relation: Relation) -> bool {
    matches!(
        relation,
        Relation::REFERENCES
            | Relation::INHERITS
            | Relation::IMPLEMENTS
            | Relation::EMBEDS
            | Relation::MIXES_IN
    )
}

/// In which turn a reader follows an edge: what runs, then values, then types, then members.
pub(crate) fn turn(label: EdgeLabel) -> u8 {
    match label.relation {
        Relation::CALLS | Relation::INDIRECT_CALL | Relation::DISPATCHES_TO => 0,
        Relation::REFERENCES if !is_type(label.context) => 0,
        Relation::METHOD | Relation::DEFINES | Relation::CASE_OF | Relation::CONTAINS => 2,
        _ => 1,
    }
}

/// Why a unit is here that an edge of `parent` leads to.
pub(crate) fn forward(label: EdgeLabel, parent: &str) -> String {
    let line = label.line;
    match (label.relation, label.context) {
        (Relation::CALLS, Context::CONSTRUCTOR) => format!("constructed by {parent} at L{line}"),
        (Relation::CALLS, Context::JSX) => format!("rendered by {parent} at L{line}"),
        (Relation::CALLS, _) => format!("called by {parent} at L{line}"),
        (Relation::INDIRECT_CALL, _) => format!("passed on by {parent} at L{line}"),
        (Relation::DISPATCHES_TO, _) => format!("implementation of {parent}"),
        (Relation::OVERRIDES, _) => format!("overridden by {parent}"),
        (Relation::INHERITS | Relation::EMBEDS | Relation::MIXES_IN, _) => {
            format!("base of {parent}")
        }
        (Relation::IMPLEMENTS, _) => format!("implemented by {parent}"),
        (Relation::REFERENCES, Context::PARAMETER_TYPE) => {
            format!("type of a parameter of {parent} at L{line}")
        }
        (Relation::REFERENCES, Context::RETURN_TYPE) => format!("result type of {parent}"),
        (Relation::REFERENCES, Context::FIELD) => format!("type of a field of {parent} at L{line}"),
        (Relation::REFERENCES, Context::DECORATOR) => format!("decorates {parent}"),
        (Relation::REFERENCES, context) if is_type(context) => {
            format!("type in {parent} at L{line}")
        }
        (Relation::REFERENCES, _) => format!("used by {parent} at L{line}"),
        (Relation::METHOD | Relation::DEFINES | Relation::CASE_OF | Relation::CONTAINS, _) => {
            format!("member of {parent}")
        }
        _ => format!("linked from {parent}"),
    }
}

/// Why a unit is here that has an edge to `parent`.
pub(crate) fn backward(label: EdgeLabel, parent: &str) -> String {
    let line = label.line;
    match (label.relation, label.context) {
        (Relation::CALLS, Context::CONSTRUCTOR) => format!("constructs {parent} at L{line}"),
        (Relation::CALLS, Context::JSX) => format!("renders {parent} at L{line}"),
        (Relation::CALLS, _) => format!("calls {parent} at L{line}"),
        (Relation::INDIRECT_CALL, _) => format!("passes on {parent} at L{line}"),
        (Relation::DISPATCHES_TO, _) => format!("declares what {parent} implements"),
        (Relation::OVERRIDES, _) => format!("overrides {parent}"),
        (Relation::INHERITS | Relation::EMBEDS | Relation::MIXES_IN, _) => {
            format!("extends {parent}")
        }
        (Relation::IMPLEMENTS, _) => format!("implements {parent}"),
        (Relation::METHOD | Relation::DEFINES | Relation::CASE_OF | Relation::CONTAINS, _) => {
            format!("holds {parent}")
        }
        (Relation::REFERENCES, context) if is_type(context) => {
            format!("names the type {parent} at L{line}")
        }
        (Relation::REFERENCES, _) => format!("uses {parent} at L{line}"),
        _ => format!("linked to {parent}"),
    }
}

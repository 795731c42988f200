//! Names of relations as a caller types them.
//!
//! Where it sits: beside the answers that filter edges by relation. Invariant: an unknown name is refused with the names
//! that the index has, its own included; it never means "no edge".

use crate::error::{Error, ErrorKind, Result};
use crate::model::label::{Labels, Relation};
use crate::traverse::RelationMask;

/// The set of these relations; all for no names.
///
/// # Errors
/// [`ErrorKind::Invalid`] for a name that is no relation of the index.
pub(crate) fn mask(names: &[String], labels: &Labels) -> Result<RelationMask> {
    if names.is_empty() {
        return Ok(RelationMask::ALL);
    }
    let mut mask = RelationMask::NONE;
    for name in names {
        let relation = Relation::find(name.trim(), labels).ok_or_else(|| unknown(name, labels))?;
        mask = mask.with(relation);
    }
    Ok(mask)
}

fn unknown(name: &str, labels: &Labels) -> Error {
    let built_in = Relation::BUILT_IN.iter().map(|(_, n)| *n);
    let own = labels.relations.iter().map(String::as_str);
    let all: Vec<&str> = built_in.chain(own).collect();
    let shown: String = name.chars().take(60).collect();
    Error::new(
        ErrorKind::Invalid,
        format!("there is no relation named '{shown}'"),
    )
    .remedy(format!("use one of: {}", all.join(", ")))
}

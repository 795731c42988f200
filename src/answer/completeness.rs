//! How complete a list of callers is.
//!
//! Where it sits: part of every answer that says who uses a symbol. The index keeps each call whose target nothing could
//! be proved for, under its bare name; such a call may mean any symbol of that name. Invariant: an answer is called complete
//! only when the index holds no such call, and keeps such calls at all (an imported graph may not).

use serde::Serialize;

use crate::answer::explain::Site;
use crate::error::Result;
use crate::ids::SymId;
use crate::model::key;
use crate::model::label::{NodeKind, Relation};
use crate::model::unit::IMPORTED;
use crate::snapshot::Snapshot;

/// Most edges that are read.
const MAX_EDGES: usize = 200_000;
/// Most sites that are kept.
const MAX_SITES: usize = 20;

/// Whether callers may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Completeness {
    /// `complete`, `unresolved` (there are calls of the name that could not be resolved) or `unknown` (the graph was
    /// imported and does not say).
    pub status: String,
    /// How many unresolved calls name the symbol.
    pub unresolved: usize,
    /// The first of them.
    pub sites: Vec<Site>,
}

impl Completeness {
    /// The completeness of the callers of symbols; `None` where the question makes no sense (files, packages).
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for damaged tables.
    pub(crate) fn of(snapshot: &Snapshot, syms: &[SymId]) -> Result<Option<Self>> {
        let mut names: Vec<(&str, bool)> = Vec::new();
        for sym in syms {
            let Some(node) = snapshot.node(*sym).filter(|n| !n.is_placeholder()) else {
                continue;
            };
            if node.kind() == NodeKind::CONSTRUCTOR
                && let Some(holder) = node.parent()
            {
                names.push((holder.name(), true));
            }
            if !node.is_unit() {
                names.push((node.name(), node.is_callable()));
            }
        }
        if names.is_empty() {
            return Ok(None);
        }
        if snapshot.property(IMPORTED).is_some_and(|p| !p.is_empty()) {
            return Ok(Some(Self {
                status: "unknown".to_string(),
                ..Self::default()
            }));
        }
        names.sort_unstable();
        names.dedup_by(|a, b| a.0 == b.0);
        let mut found = Self::default();
        let mut read = 0;
        for (name, callable) in names {
            let Some(placeholder) = snapshot.find_key(&key::unresolved(name))? else {
                continue;
            };
            for edge in snapshot.in_edges(placeholder) {
                read += 1;
                if read > MAX_EDGES {
                    break;
                }
                let call = matches!(
                    edge.label.relation,
                    Relation::CALLS | Relation::INDIRECT_CALL
                );
                if callable && !call {
                    continue;
                }
                found.unresolved += 1;
                let source = snapshot.node(edge.source);
                let file = source.and_then(|n| n.file()).unwrap_or_default();
                found.sites.push(Site {
                    file: file.to_string(),
                    line: edge.label.line,
                });
            }
        }
        found.sites.sort();
        found.sites.truncate(MAX_SITES);
        found.status = if found.unresolved == 0 {
            "complete"
        } else {
            "unresolved"
        }
        .to_string();
        Ok(Some(found))
    }
}

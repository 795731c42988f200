//! What a delta replaces: which files and symbols of the present commit die with it.
//!
//! Where it sits: between [`super::writer`], which collects changed units, and the segment builder. Invariants: after the
//! commit every symbol has at most one live home; a symbol whose definition goes away but to which live edges still lead
//! keeps a placeholder with its key, so that "who needs it" can be asked and a later definition binds again.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{FileOrd, NodeIdx, SymId};
use crate::model::edge::Target;
use crate::model::key;
use crate::model::label::NodeKind;
use crate::model::unit::Unit;
use crate::segment::{SymbolTable, Tombstones};
use crate::snapshot::Snapshot;

/// The deaths that a set of changed and removed units causes.
pub(crate) struct Replacement {
    /// Tombstones of every part after the commit, in order of parts.
    pub(crate) tombstones: Vec<Tombstones>,
    /// Symbols that need a placeholder, with their keys, in order of id.
    pub(crate) placeholders: Vec<(SymId, String)>,
}

impl Replacement {
    /// What happens when `puts` take the place of their predecessors and `removes` go away.
    pub(crate) fn new<'a>(
        before: &Snapshot,
        puts: &BTreeMap<String, Unit>,
        removes: impl Iterator<Item = &'a String>,
    ) -> Result<Self> {
        let mut tombstones = before.tombstones()?;
        let mut old: Vec<(SymId, u64, String)> = Vec::new();
        let removed: Vec<&String> = removes.collect();
        for name in puts.keys().chain(removed) {
            let Some((part, ord)) = before.find_file(name) else {
                continue;
            };
            if let Some(dead) = tombstones.get_mut(part) {
                dead.files.insert(ord.0);
            }
            let Some(file) = before.file(name) else {
                continue;
            };
            for node in file.nodes() {
                let text = node.key();
                old.push((node.sym(), key::hash(&text), text));
            }
        }
        let mut defined: FxHashSet<u64> = FxHashSet::default();
        let mut named: FxHashSet<u64> = FxHashSet::default();
        for unit in puts.values() {
            defined.extend(unit.keys().iter().map(|k| key::hash(k)));
            named.extend(unit.edges().iter().filter_map(|edge| match edge.target {
                Target::Key { key, .. } => Some(key::hash(unit.text(key))),
                _ => None,
            }));
        }
        let dead_files: Vec<&RoaringBitmap> = tombstones.iter().map(|t| &t.files).collect();
        let mut placeholders: Vec<(SymId, String)> = old
            .into_iter()
            .filter(|(_, hash, _)| !defined.contains(hash))
            .filter(|(sym, hash, _)| named.contains(hash) || is_needed(before, &dead_files, *sym))
            .map(|(sym, _, text)| (sym, text))
            .collect();
        placeholders.sort_unstable();
        Ok(Self {
            tombstones,
            placeholders,
        })
    }

    /// Marks the placeholders dead whose symbols the new delta defines.
    pub(crate) fn bury_placeholders(&mut self, before: &Snapshot, defined: &[SymId]) {
        for sym in defined {
            let Some(home) = before.home(*sym) else {
                continue;
            };
            let Some(part) = before.part(home.part) else {
                continue;
            };
            if part.segment.file_of(home.node).is_none()
                && let Some(dead) = self.tombstones.get_mut(home.part)
            {
                dead.nodes.insert(home.node.0);
            }
        }
    }

    /// The kind of a placeholder that takes the place of a definition.
    pub(crate) const PLACEHOLDER: NodeKind = NodeKind::UNRESOLVED;
}

/// Whether an edge that lives on leads to the symbol.
fn is_needed(before: &Snapshot, dead_files: &[&RoaringBitmap], sym: SymId) -> bool {
    before.parts.iter().zip(dead_files).any(|(part, dead)| {
        part.segment
            .in_row(sym)
            .iter()
            .any(|(source, _): (NodeIdx, _)| {
                let file: Option<FileOrd> = part.segment.file_of(source);
                file.is_some_and(|ord| !dead.contains(ord.0))
            })
    })
}

/// Gives the nodes and targets of a delta their symbols: the one that a key already has, else the next free one.
pub(crate) struct Symbols<'a> {
    before: &'a Snapshot,
    next: u32,
}

impl<'a> Symbols<'a> {
    /// Symbols over the commit that the delta is added to.
    pub(crate) fn new(before: &'a Snapshot) -> Self {
        Self {
            before,
            next: before.symbol_bound(),
        }
    }

    /// One past the highest symbol given out.
    pub(crate) fn bound(&self) -> u32 {
        self.next
    }
}

impl SymbolTable for Symbols<'_> {
    fn lookup(&mut self, hash: u64, text: &str) -> Result<Option<SymId>> {
        self.before.find_hashed(hash, text)
    }

    fn key_hash(&mut self, sym: SymId) -> Result<Option<u64>> {
        Ok(self.before.node(sym).map(|node| key::hash(&node.key())))
    }

    fn allocate(&mut self) -> Result<SymId> {
        let sym = SymId(self.next);
        self.next = self
            .next
            .checked_add(1)
            .filter(|n| *n < u32::MAX)
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::Limit,
                    "the index has given out all symbol numbers",
                )
                .remedy("run `graphify compact`")
            })?;
        Ok(sym)
    }
}

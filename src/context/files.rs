//! The files that a bundle reads, each once.
//!
//! Where it sits: between [`Present`] and the units. Invariant: what a file says is asked once for each bundle, so that all
//! pieces of it show one state; at most [`MAX_FILES`] files are read.

use rustc_hash::FxHashMap;

use crate::context::bundle::SourceText;
use crate::ids::LocalNode;
use crate::model::present::{Presence, Present};
use crate::model::unit::Unit;
use crate::snapshot::Snapshot;

/// Most files that are read for one bundle.
pub(crate) const MAX_FILES: usize = 1200;

/// A file as it is now.
pub(crate) struct OpenFile {
    pub(crate) source: SourceText,
    /// Bits of [`crate::model::unit::FileFlags`].
    pub(crate) flags: u32,
    /// The definitions as they are now, where they are not the indexed ones.
    pub(crate) now: Option<Now>,
}

/// The definitions of a changed file.
pub(crate) struct Now {
    pub(crate) unit: Box<Unit>,
    pub(crate) keys: Vec<String>,
    places: FxHashMap<String, LocalNode>,
}

impl Now {
    fn new(unit: Box<Unit>) -> Self {
        let keys = unit.keys();
        let place = |(i, key): (usize, &String)| Some((key.clone(), LocalNode::from_index(i)?));
        let places = keys.iter().enumerate().filter_map(place).collect();
        Self { unit, keys, places }
    }

    /// The definition with that key.
    pub(crate) fn find(&self, key: &str) -> Option<LocalNode> {
        self.places.get(key).copied()
    }
}

/// Files by key, read when they are first asked for.
pub(crate) struct Files<'a> {
    snapshot: &'a Snapshot,
    present: &'a dyn Present,
    open: Vec<OpenFile>,
    places: FxHashMap<String, Option<usize>>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, present: &'a dyn Present) -> Self {
        Self {
            snapshot,
            present,
            open: Vec::new(),
            places: FxHashMap::default(),
        }
    }

    /// The place of a file; `None` where it is gone or too many were read.
    pub(crate) fn place(&mut self, key: &str) -> Option<usize> {
        if let Some(known) = self.places.get(key) {
            return *known;
        }
        if self.open.len() >= MAX_FILES {
            return None;
        }
        let place = self.read(key).map(|file| {
            self.open.push(file);
            self.open.len() - 1
        });
        self.places.insert(key.to_string(), place);
        place
    }

    /// An open file.
    pub(crate) fn get(&self, place: usize) -> Option<&OpenFile> {
        self.open.get(place)
    }

    /// Whether the file was asked for and is gone.
    pub(crate) fn is_gone(&self, key: &str) -> bool {
        matches!(self.places.get(key), Some(None))
    }

    fn read(&self, key: &str) -> Option<OpenFile> {
        let view = self.snapshot.file(key)?;
        let language = view.language();
        let Presence::Here(file) = self.present.file(key, language, view.meta().content_hash)
        else {
            return None;
        };
        let flags = file
            .changed
            .as_ref()
            .map_or(view.meta().flags, |u| u.meta.flags);
        let stale = file.changed.is_some();
        let fence = language.name(self.snapshot.labels());
        Some(OpenFile {
            source: SourceText::new(key, fence, file.text, stale),
            flags,
            now: file.changed.map(Now::new),
        })
    }
}

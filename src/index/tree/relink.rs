//! Linking of a whole tree, and what of the result differs from what is stored.
//!
//! Where it sits: between extraction and the writer. Every unit is linked again, from new or stored facts, and carries a
//! fingerprint of its edges; a unit is written when its file changed or its edges did. Invariant: the edges depend on the
//! units alone, so an index that was brought up to date equals one that was made afresh.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use crate::catalog::FileRow;
use crate::error::{Error, Result};
use crate::index::FileStamp;
use crate::index::tree::extraction::Extracted;
use crate::link::{self, Project};
use crate::model::edge::{Edge, Target};
use crate::model::key;
use crate::model::label::Language;
use crate::model::unit::Unit;
use crate::snapshot::Snapshot;
use crate::source::skipped::Skipped;

/// All units of a tree in order of key, with their edges.
pub(super) struct Linked {
    units: Vec<Unit>,
    /// The stamp of a unit that was read now.
    stamps: Vec<Option<FileStamp>>,
    /// Hashes of the keys of every unit's nodes.
    hashes: Vec<Vec<u64>>,
    skipped: Vec<Skipped>,
}

impl Linked {
    /// Sorts the units and links them.
    pub(super) fn new(read: Vec<Extracted>, stored: Vec<Extracted>, project: Project) -> Self {
        let mut pairs: Vec<(Unit, Option<FileStamp>)> =
            Vec::with_capacity(read.len() + stored.len());
        let mut skipped = Vec::new();
        for extracted in read.into_iter().chain(stored) {
            match extracted {
                Extracted::Read(pair) => pairs.push((pair.0, Some(pair.1))),
                Extracted::Stored(unit) => pairs.push((*unit, None)),
                Extracted::Skipped(file) => skipped.push(file),
            }
        }
        pairs.sort_by(|a, b| a.0.key().cmp(b.0.key()));
        let (mut units, stamps): (Vec<Unit>, Vec<_>) = pairs.into_iter().unzip();
        link::link(&mut units, &project);
        let hashes = units
            .par_iter()
            .map(|unit| unit.keys().iter().map(|k| key::hash(k)).collect())
            .collect();
        Self {
            units,
            stamps,
            hashes,
            skipped,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// Files that were candidates and turned out to be none.
    pub(super) fn skipped_keys(&self) -> impl Iterator<Item = &str> {
        self.skipped.iter().map(|s| s.key.as_str())
    }

    pub(super) fn count_languages(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for unit in &self.units {
            let name = Language::built_in_name(unit.language).unwrap_or("other");
            *counts.entry(name).or_insert(0) += 1;
        }
        counts
    }

    /// Everything, for a new base. The places of targets among the units are their places in the base.
    pub(super) fn into_units(self) -> impl Iterator<Item = (Unit, FileStamp)> {
        let links: Vec<u64> = self.fingerprints();
        let stamped = self.units.into_iter().zip(self.stamps).zip(links);
        stamped.map(|((unit, stamp), links)| {
            let stamp = stamp.unwrap_or_default();
            (unit, FileStamp { links, ..stamp })
        })
    }

    /// The units whose source or edges differ from what is stored, their targets as symbols of `before` or places among
    /// these units.
    pub(super) fn into_changed(
        self,
        before: &Snapshot,
        rows: &[(String, FileRow)],
    ) -> Result<Vec<(Unit, FileStamp)>> {
        let links = self.fingerprints();
        let rows: FxHashMap<&str, &FileRow> = rows.iter().map(|(k, r)| (k.as_str(), r)).collect();
        let Self { units, stamps, .. } = self;
        let differs = |at: usize| {
            let row = units.get(at).and_then(|u| rows.get(u.key()));
            let read = stamps.get(at).is_some_and(Option::is_some);
            read || row.is_none_or(|r| Some(&r.links) != links.get(at))
        };
        // The place of each unit among the written ones.
        let mut places: Vec<Option<u32>> = vec![None; units.len()];
        let mut written = 0;
        for (at, place) in places.iter_mut().enumerate() {
            if differs(at) {
                *place = Some(written);
                written += 1;
            }
        }
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        for (unit, _) in units
            .iter()
            .zip(&places)
            .filter(|(_, place)| place.is_some())
        {
            let moved = unit
                .edges()
                .iter()
                .map(|e| retarget(e, &units, &places, before));
            edges.push(moved.collect::<Result<_>>()?);
        }
        let mut edges = edges.into_iter();
        let mut changed = Vec::new();
        for (at, mut unit) in units.into_iter().enumerate() {
            if places.get(at).copied().flatten().is_none() {
                continue;
            }
            unit.set_edges(edges.next().unwrap_or_default());
            let stamp = match stamps.get(at).copied().flatten() {
                Some(stamp) => stamp,
                None => rows
                    .get(unit.key())
                    .map_or_else(FileStamp::default, |row| FileStamp {
                        stat: row.stat,
                        seen_ns: row.seen_ns,
                        links: 0,
                    }),
            };
            let links = links.get(at).copied().unwrap_or_default();
            changed.push((unit, FileStamp { links, ..stamp }));
        }
        Ok(changed)
    }

    /// A hash of each unit's edges, by what they mean and not by numbers that other files could shift.
    fn fingerprints(&self) -> Vec<u64> {
        self.units
            .par_iter()
            .enumerate()
            .map(|(at, unit)| self.fingerprint(at, unit))
            .collect()
    }

    fn fingerprint(&self, at: usize, unit: &Unit) -> u64 {
        let mut hasher = Xxh3::new();
        for edge in unit.edges() {
            let target = match edge.target {
                Target::Local(node) => self.hash_of(at, node.index()),
                Target::Unit { unit, node } => self.hash_of(unit as usize, node.index()),
                Target::Symbol(sym) => u64::from(sym.0),
                Target::Key { key, kind } => key::hash(unit.text(key)) ^ u64::from(kind.0),
            };
            let label = edge.label;
            hasher.update(&edge.source.0.to_le_bytes());
            hasher.update(&target.to_le_bytes());
            hasher.update(&[
                label.relation.0,
                label.confidence as u8,
                label.reason.0,
                label.context.0,
            ]);
            hasher.update(&label.line.to_le_bytes());
        }
        hasher.digest()
    }

    fn hash_of(&self, unit: usize, node: usize) -> u64 {
        self.hashes
            .get(unit)
            .and_then(|h| h.get(node))
            .copied()
            .unwrap_or_default()
    }
}

/// An edge whose target stands outside its unit, as the delta will name it.
fn retarget(
    edge: &Edge,
    units: &[Unit],
    places: &[Option<u32>],
    before: &Snapshot,
) -> Result<Edge> {
    let Target::Unit { unit, node } = edge.target else {
        return Ok(*edge);
    };
    if let Some(place) = places.get(unit as usize).copied().flatten() {
        return Ok(Edge {
            target: Target::Unit { unit: place, node },
            ..*edge
        });
    }
    let stored = units
        .get(unit as usize)
        .and_then(|target| before.file(target.key())?.sym_at(node));
    let sym = stored.ok_or_else(|| Error::corrupt("a stored unit has lost its nodes"))?;
    Ok(Edge {
        target: Target::Symbol(sym),
        ..*edge
    })
}

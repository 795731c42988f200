//! Checks of outgoing and incoming edges.

use super::Check;
use crate::ids::{NodeIdx, SymId};
use crate::segment::layout::{QualifierRecord, SectionKind as S, SegmentKind, SiteRecord};

/// Sections that outgoing edges are made of.
const FORWARD: [S; 5] = [
    S::OutOffsets,
    S::OutTargets,
    S::OutRelations,
    S::OutSites,
    S::Qualifiers,
];
/// Sections that incoming edges are made of.
const BACKWARD: [S; 4] = [S::InSyms, S::InOffsets, S::InSources, S::InRelations];

impl Check<'_> {
    /// Rows are sorted, qualifiers exist, targets are symbols of a base, tags are those of targets described here.
    pub(super) fn forward(&mut self) {
        if !self.intact(&FORWARD) {
            return;
        }
        let segment = self.segment;
        self.offsets(S::OutOffsets, segment.edge_count() as usize);
        self.qualifiers();
        let hashes = match self.intact(&[S::KeyHashes, S::KeyNodes]) {
            true => segment.hashes_by_node(),
            false => Vec::new(),
        };
        let forward = segment.forward();
        let sites = segment.records::<SiteRecord>(S::OutSites);
        let qualifiers = segment.count(S::Qualifiers);
        for node in (0..segment.file_node_count()).map(NodeIdx) {
            let range = forward.range(node);
            let targets = forward.targets(node);
            let row = forward.row(node);
            let mut last = None;
            for (i, edge) in range.zip(row.iter()) {
                let Some(site) = sites.get(i) else { continue };
                let order = (edge.label.relation, edge.target, edge.label.line);
                let order = (order, site.qualifier.to_native(), site.tag.to_native());
                if last.is_some_and(|last| last > order) {
                    self.wrong(S::OutTargets, i, "the row is not sorted");
                }
                last = Some(order);
                if u32::from(site.qualifier.to_native()) >= qualifiers {
                    self.wrong(S::OutSites, i, "the qualifier is out of range");
                }
                self.target(i, edge.target, edge.tag, &hashes);
            }
            if targets.len() != row.len() {
                self.wrong(S::OutOffsets, node.index(), "the row lies outside");
            }
        }
    }

    fn target(&mut self, at: usize, target: SymId, tag: u16, hashes: &[u64]) {
        let segment = self.segment;
        match segment.node_of(target) {
            Some(node) => {
                let hash = hashes.get(node.index());
                if hash.is_some_and(|hash| *hash as u16 != tag) {
                    self.wrong(S::OutSites, at, "the edge was stored for another target");
                }
            }
            None if segment.kind() == SegmentKind::Base => {
                self.wrong(S::OutTargets, at, "the target is out of range");
            }
            None => {}
        }
    }

    /// Qualifiers are distinct and sorted.
    fn qualifiers(&mut self) {
        let records = self.segment.records::<QualifierRecord>(S::Qualifiers);
        let mut last = None;
        for (i, record) in records.iter().enumerate() {
            let value = (record.confidence, record.reason, record.context);
            if last.is_some_and(|last| last >= value) || record.reserved != 0 {
                self.wrong(S::Qualifiers, i, "qualifiers do not ascend");
            }
            last = Some(value);
        }
    }

    /// Incoming rows are the transposition of the outgoing ones.
    pub(super) fn backward(&mut self) {
        if !self.intact(&FORWARD) || !self.intact(&BACKWARD) {
            return;
        }
        let segment = self.segment;
        self.offsets(S::InOffsets, segment.edge_count() as usize);
        let backward = segment.backward();
        if let Some(symbols) = backward.symbols() {
            let pairs = symbols.iter().zip(symbols.iter().skip(1));
            for (i, (a, b)) in pairs.enumerate() {
                if a.to_native() >= b.to_native() {
                    self.wrong(S::InSyms, i, "symbols do not ascend");
                }
            }
        }
        // Outgoing edges in order of source fill each incoming row from its start, so a cursor for each row is enough
        // to compare the two sides edge by edge.
        let offsets = segment.numbers(S::InOffsets);
        let mut cursors: Vec<u32> = offsets.iter().map(|o| o.to_native()).collect();
        let sources = segment.numbers(S::InSources);
        let relations = segment.heap(S::InRelations);
        let forward = segment.forward();
        for node in (0..segment.file_node_count()).map(NodeIdx) {
            let row = forward.row(node);
            for (target, relation) in row.targets().iter().zip(row.relations()) {
                let target = target.to_native();
                let at = match backward.symbols() {
                    None => Some(target as usize),
                    Some(s) => s.binary_search_by_key(&target, |s| s.to_native()).ok(),
                };
                let slot = at.and_then(|at| cursors.get_mut(at).map(|cursor| (at, cursor)));
                let Some((at, cursor)) = slot else {
                    self.wrong(S::InOffsets, 0, format!("symbol {target} has no row"));
                    continue;
                };
                let place = *cursor as usize;
                *cursor = cursor.saturating_add(1);
                let source = sources.get(place).map(|s| s.to_native());
                let end = offsets.get(at + 1).map_or(0, |o| o.to_native() as usize);
                if source != Some(node.0) || relations.get(place) != Some(relation) || place >= end
                {
                    self.wrong(
                        S::InSources,
                        place,
                        "the row is not the reverse of outgoing edges",
                    );
                }
            }
        }
        for (row, (cursor, end)) in cursors.iter().zip(offsets.iter().skip(1)).enumerate() {
            if *cursor != end.to_native() {
                self.wrong(S::InOffsets, row, "the row is longer than what leads to it");
            }
        }
    }
}

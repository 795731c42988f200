//! The commit protocol: a new segment, one transaction, one rename.
//!
//! Where it sits: the part of [`Writer`] that touches the disk. The steps, in the order that makes every one of them safe
//! to die after:
//!
//! 1. write the segment under a name never used before, sync it, sync its folder;
//! 2. commit the catalog: the new HEAD's bytes, the file rows, what became garbage (the durability point);
//! 3. publish HEAD by rename (the visibility point); synced when segments were dropped;
//! 4. unlink dropped segments; what cannot be unlinked stays garbage for the next commit.
//!
//! Killed after 1: an orphan, swept by the next writer. After 2: readers stay on the old commit, the next writer
//! publishes the new one. After 3: garbage may remain. Invariant: no file that a published HEAD names is ever missing.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;

use crate::catalog::{Commit, FileRow};
use crate::error::Result;
use crate::ids::{NodeIdx, SegmentId, SymId};
use crate::index::delta::{Replacement, Symbols};
use crate::index::policy::Merge;
use crate::index::writer::{FileStamp, Writer};
use crate::model::unit::Unit;
use crate::segment::{Segment, SegmentBuilder, SegmentKind, SegmentSummary, merge};
use crate::snapshot::Snapshot;
use crate::snapshot::open::{SEGMENT_FOLDER, segment_path};
use crate::storage::head::{Head, SegmentRef};

/// Property that holds the 99th percentile of the nodes' degrees, as of the last whole build.
const DEGREE_PROPERTY: &str = "degree_p99";

/// Degrees that are told apart when the percentile is taken; all larger ones count as the last.
const DEGREES: usize = 4096;

/// What the file rows of a commit are made from.
struct Rows {
    clear: bool,
    put: Vec<(String, FileRow)>,
    removed: Vec<String>,
}

impl Writer {
    /// Writes a new base from units in key order and makes it the whole index.
    pub(super) fn write_base(
        &mut self,
        units: &mut dyn Iterator<Item = Result<(Unit, FileStamp)>>,
    ) -> Result<usize> {
        let (id, epoch) = (self.take_segment_id()?, self.next_epoch());
        let mut builder = SegmentBuilder::base(id, epoch);
        let mut put = Vec::new();
        for unit in units {
            let (unit, stamp) = unit?;
            builder.add_unit(&unit)?;
            put.push((unit.key().to_string(), row_of(&unit, stamp)));
        }
        let summary = self.write_segment(id, |out| builder.write(out, None))?;
        self.note_degrees(&summary)?;
        let mut head = self.new_head();
        head.epoch = epoch;
        head.next_sym = summary.nodes;
        head.segments = vec![entry(&summary)];
        let stored = put.len();
        self.publish(
            head,
            Rows {
                clear: true,
                put,
                removed: Vec::new(),
            },
        )?;
        Ok(stored)
    }

    /// Writes a delta with the changed units and marks dead what it replaces.
    pub(super) fn write_delta(
        &mut self,
        puts: BTreeMap<String, (Unit, FileStamp)>,
        removes: BTreeSet<String>,
    ) -> Result<()> {
        let before = self.snapshot();
        let mut stamps = Vec::with_capacity(puts.len());
        let mut units = BTreeMap::new();
        for (key, (unit, stamp)) in puts {
            stamps.push((key.clone(), row_of(&unit, stamp)));
            units.insert(key, unit);
        }
        let mut replaced = Replacement::new(&before, &units, removes.iter())?;
        let mut head = self.new_head();
        if !units.is_empty() || !replaced.placeholders.is_empty() {
            let id = self.take_segment_id()?;
            let mut builder = SegmentBuilder::delta(id, self.head.epoch);
            for unit in units.values() {
                builder.add_unit(unit)?;
            }
            for (sym, key) in &replaced.placeholders {
                builder.add_placeholder(*sym, key, Replacement::PLACEHOLDER)?;
            }
            let mut symbols = Symbols::new(&before);
            let summary = self.write_segment(id, |out| builder.write(out, Some(&mut symbols)))?;
            replaced.bury_placeholders(&before, &summary.defined);
            head.next_sym = symbols.bound();
            head.next_segment = self.head.next_segment;
            head.segments.push(entry(&summary));
        }
        for (slot, dead) in head.segments.iter_mut().zip(&replaced.tombstones) {
            (slot.dead_files, slot.dead_nodes) = dead.to_bytes()?;
        }
        // A row that a put brings is newer than one that was only restamped.
        let mut rows = std::mem::take(&mut self.restamps);
        rows.extend(stamps);
        let put = rows
            .into_iter()
            .filter(|(key, _)| !removes.contains(key))
            .collect();
        let removed = removes.into_iter().collect();
        self.publish(
            head,
            Rows {
                clear: false,
                put,
                removed,
            },
        )
    }

    /// Folds segments together.
    pub(super) fn write_merge(&mut self, merge: Merge) -> Result<()> {
        let before = self.snapshot();
        let range = match &merge {
            Merge::Deltas(range) => range.clone(),
            Merge::Full => 0..before.segment_count(),
        };
        let tombstones = before.tombstones()?;
        let inputs: Vec<merge::Input<'_>> = before
            .parts
            .iter()
            .zip(&tombstones)
            .skip(range.start)
            .take(range.len())
            .map(|(part, dead)| merge::Input {
                segment: &part.segment,
                dead,
            })
            .collect();
        let id = self.take_segment_id()?;
        let mut head = self.new_head();
        let epoch = if merge == Merge::Full {
            self.next_epoch()
        } else {
            self.head.epoch
        };
        let summary = self.write_segment(id, |out| match merge {
            Merge::Deltas(_) => merge::merge_deltas(id, epoch, &inputs, out),
            Merge::Full => merge::compact(id, epoch, &inputs, out),
        })?;
        let merged = entry(&summary);
        head.epoch = epoch;
        if summary.kind == SegmentKind::Base {
            head.next_sym = summary.nodes;
        }
        head.segments.splice(range, [merged]);
        self.publish(
            head,
            Rows {
                clear: false,
                put: Vec::new(),
                removed: Vec::new(),
            },
        )
    }

    /// Notes with the coming commit from which degree on a node counts as a hub: what only one node in a hundred has.
    fn note_degrees(&mut self, summary: &SegmentSummary) -> Result<()> {
        let path = segment_path(&self.dir, summary.id);
        let bytes = self.fs.map(&path, Some(summary.file_len))?;
        let segment = Segment::open(bytes, &path, None)?;
        let (forward, backward) = (segment.forward(), segment.backward());
        let nodes = segment.file_node_count();
        let mut counts = vec![0u32; DEGREES];
        for node in 0..nodes {
            let degree = forward.range(NodeIdx(node)).len() + backward.row(SymId(node)).len();
            if let Some(count) = counts.get_mut(degree.min(DEGREES - 1)) {
                *count += 1;
            }
        }
        let mut above = nodes / 100;
        let percentile = counts.iter().rposition(|count| {
            let reached = *count > above;
            above = above.saturating_sub(*count);
            reached
        });
        let value = percentile.unwrap_or_default().to_string();
        self.properties.insert(DEGREE_PROPERTY.to_string(), value);
        Ok(())
    }

    /// The present HEAD, one generation later, with the properties and labels of the coming commit.
    fn new_head(&self) -> Head {
        Head {
            generation: self.next_generation(),
            labels: self.labels.clone(),
            properties: self.properties.clone().into_iter().collect(),
            ..self.head.clone()
        }
    }

    /// Step 1: a segment, durable under its name. Fails without a trace in what readers see.
    fn write_segment(
        &self,
        id: SegmentId,
        write: impl FnOnce(&mut dyn std::io::Write) -> Result<SegmentSummary>,
    ) -> Result<SegmentSummary> {
        let path = segment_path(&self.dir, id);
        let written = (|| {
            let mut file = self.fs.create_new(&path)?;
            let summary = write(&mut file).map_err(|e| e.at(&path))?;
            file.flush()
                .map_err(|e| crate::storage::fs::io_error("write", &path, e))?;
            file.seal()?;
            file.sync_data()?;
            Ok(summary)
        })();
        if written.is_err() {
            // Whatever is there is no part of any commit; if it cannot be removed now the next writer sweeps it.
            let _ = self.fs.unlink(&path);
        }
        let summary = written?;
        self.fs.sync_dir(&self.dir.join(SEGMENT_FOLDER))?;
        Ok(summary)
    }

    /// Steps 2 to 4.
    fn publish(&mut self, head: Head, rows: Rows) -> Result<()> {
        let collected = self.collect_garbage()?;
        let mut commit = Commit::new(&head);
        commit.clear_files = rows.clear;
        commit.removed_files = rows.removed;
        commit.files = Box::new(rows.put.into_iter().map(Ok));
        commit.collected = collected;
        let committed = self.catalog.commit(commit)?;
        committed.publish(&*self.fs, &self.dir)?;
        let known = self.snapshot.segments();
        self.snapshot = Arc::new(Snapshot::from_head(
            &*self.fs,
            &self.dir,
            head.clone(),
            &known,
        )?);
        self.head = head;
        for id in &committed.dropped {
            // A file that a reader holds open cannot be removed everywhere; it is garbage until it can.
            let _ = self.fs.unlink(&segment_path(&self.dir, *id));
        }
        Ok(())
    }

    /// Tries again to remove what earlier commits dropped; the ids of what is gone now.
    fn collect_garbage(&self) -> Result<Vec<SegmentId>> {
        let mut gone = Vec::new();
        for (id, _) in self.catalog.garbage()? {
            let path = segment_path(&self.dir, id);
            if !self.fs.exists(&path)? || self.fs.unlink(&path).is_ok() {
                gone.push(id);
            }
        }
        Ok(gone)
    }
}

fn entry(summary: &SegmentSummary) -> SegmentRef {
    SegmentRef {
        id: summary.id,
        kind: summary.kind as u8,
        file_len: summary.file_len,
        toc_crc: summary.toc_crc,
        files: summary.files,
        nodes: summary.nodes,
        file_nodes: summary.nodes.saturating_sub(summary.externals),
        edges: summary.edges,
        dead_files: Vec::new(),
        dead_nodes: Vec::new(),
    }
}

fn row_of(unit: &Unit, stamp: FileStamp) -> FileRow {
    FileRow {
        stat: stamp.stat,
        seen_ns: stamp.seen_ns,
        content_hash: unit.meta.content_hash,
        links: stamp.links,
        flags: unit.meta.flags,
    }
}

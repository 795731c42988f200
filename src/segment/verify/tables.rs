//! Checks of files, nodes, externals, symbols, keys and stored units.

use rkyv::rend::{u32_le, u64_le};

use super::Check;
use crate::ids::{FileOrd, NodeIdx};
use crate::model::key;
use crate::model::node::NodeFlags;
use crate::model::unit::Unit;
use crate::segment::layout::{FileRecord, NodeRecord, SectionKind as S, SegmentKind, SymRecord};
use crate::segment::strings;

impl Check<'_> {
    /// Keys ascend, node ranges and units follow each other without gaps.
    pub(super) fn files(&mut self) {
        if !self.intact(&[S::Files, S::FileKeys]) {
            return;
        }
        let segment = self.segment;
        let files = segment.records::<FileRecord>(S::Files);
        let (mut nodes, mut keys, mut blobs) = (0u32, 0u32, 0u64);
        let mut last: &[u8] = &[];
        for (i, file) in files.iter().enumerate() {
            let key = segment.file_key_bytes(FileOrd(i as u32));
            if key <= last || std::str::from_utf8(key).map_or(true, |k| k.contains("::")) {
                self.wrong(S::Files, i, "the key is out of order or no key of a unit");
            }
            last = key;
            let empty = i > 0 && file.node_start.to_native() <= nodes;
            if empty || (i == 0 && file.node_start.to_native() != 0) {
                self.wrong(S::Files, i, "a file has no node of its own");
            }
            nodes = file.node_start.to_native();
            if file.key_start.to_native() < keys || (i == 0 && file.key_start.to_native() != 0) {
                self.wrong(S::Files, i, "keys overlap");
            }
            keys = file.key_start.to_native();
            if file.blob_start.to_native() != blobs {
                self.wrong(S::Files, i, "stored units do not follow each other");
            }
            let blob_len = u64::from(file.blob_len.to_native());
            blobs = file.blob_start.to_native().saturating_add(blob_len);
            if file.reserved.iter().any(|b| *b != 0) {
                self.wrong(S::Files, i, "a reserved byte is not zero");
            }
        }
        let past_end = nodes >= segment.file_node_count() && !files.is_empty();
        if past_end || (files.is_empty() && segment.file_node_count() > 0) {
            self.wrong(
                S::Files,
                files.len(),
                "files and their nodes do not cover each other",
            );
        }
        if blobs != segment.heap(S::Blobs).len() as u64 {
            self.wrong(S::Blobs, 0, "stored units do not fill their section");
        }
    }

    /// Parents stand before their nodes in the same file; names and texts are there; ordinals count.
    pub(super) fn nodes(&mut self) {
        if !self.intact(&[S::Files, S::Nodes, S::Text]) {
            return;
        }
        let segment = self.segment;
        let nodes = segment.records::<NodeRecord>(S::Nodes);
        let heap = segment.heap(S::Text);
        let mut text_end = 2;
        let mut file_start = 0;
        let mut starts = segment.records::<FileRecord>(S::Files).iter().peekable();
        for (i, node) in nodes.iter().enumerate() {
            let idx = i as u32;
            if starts
                .next_if(|f| f.node_start.to_native() == idx)
                .is_some()
            {
                file_start = idx;
            }
            let external = idx >= segment.file_node_count();
            let parent = node.parent.to_native();
            let sound = match external || idx == file_start {
                true => parent == idx,
                false => parent >= file_start && parent < idx,
            };
            if !sound {
                self.wrong(S::Nodes, i, "the parent does not stand before its node");
            }
            // An external has neither place nor texts; a unit's node is the only one of its kind.
            let first = external || idx == file_start;
            if node.reserved != 0 || (first && node.ordinal.to_native() != 1) {
                self.wrong(S::Nodes, i, "the ordinal or a reserved byte is wrong");
            }
            if node.spelling.to_native() >= segment.spelling_count() {
                self.wrong(S::Nodes, i, "the name is out of range");
            }
            let at = node.text.to_native();
            if at == 0 {
                continue;
            }
            // Entries stand in node order and touch each other, so this also finds bytes that nobody points at.
            match strings::entry(heap, at) {
                Some(entry) if at as usize == text_end => {
                    text_end += entry.raw.len();
                    let own = NodeFlags(node.flags.to_native()).has(NodeFlags::OWN_KEY);
                    let keyed = if own { entry.keyed() } else { None };
                    let texts = match keyed {
                        Some(keyed) => [keyed.key, keyed.community, keyed.signature, entry.doc],
                        None => [entry.signature, entry.doc, &[], &[]],
                    };
                    let no_key = own && keyed.is_none_or(|k| k.key.is_empty());
                    if no_key || texts.iter().any(|t| std::str::from_utf8(t).is_err()) {
                        self.wrong(S::Nodes, i, "the signature or doc text is no text");
                    }
                }
                _ => self.wrong(S::Nodes, i, "the texts are not where they should be"),
            }
        }
        if text_end != heap.len() || heap.get(..2) != Some(&[0, 0]) {
            self.wrong(
                S::Text,
                0,
                "the heap holds more or less than the nodes' texts",
            );
        }
    }

    /// Keys of externals ascend.
    pub(super) fn externals(&mut self) {
        if !self.intact(&[S::ExternalOffsets, S::ExternalKeys]) {
            return;
        }
        let segment = self.segment;
        self.offsets(S::ExternalOffsets, segment.heap(S::ExternalKeys).len());
        let mut last: Option<&str> = None;
        for (i, node) in (segment.file_node_count()..segment.node_count()).enumerate() {
            match segment.external_key(NodeIdx(node)) {
                Some(key) if last.is_none_or(|last| last < key) => last = Some(key),
                _ => self.wrong(S::ExternalOffsets, i, "keys do not ascend"),
            }
        }
    }

    /// Offsets begin at zero, do not descend and end at the end of what they count.
    pub(super) fn offsets(&mut self, kind: S, end: usize) {
        let offsets: &[u32_le] = self.segment.numbers(kind);
        let first = offsets.first().map(|o| o.to_native());
        let last = offsets.last().map(|o| o.to_native() as usize);
        if first != Some(0) || last != Some(end) {
            self.wrong(kind, 0, "offsets do not span what they count");
        }
        let pairs = offsets.iter().zip(offsets.iter().skip(1));
        for (i, (start, end)) in pairs.enumerate() {
            if start.to_native() > end.to_native() {
                self.wrong(kind, i, "offsets descend");
            }
        }
    }

    /// The two tables of symbols hold the same pairs.
    pub(super) fn symbols(&mut self) {
        let delta = self.segment.kind() == SegmentKind::Delta;
        if !delta || !self.intact(&[S::NodeSyms, S::SymNodes]) {
            return;
        }
        let segment = self.segment;
        let pairs = segment.records::<SymRecord>(S::SymNodes);
        let mut last = None;
        for (i, pair) in pairs.iter().enumerate() {
            let sym = pair.sym.to_native();
            if last.is_some_and(|last| last >= sym) {
                self.wrong(S::SymNodes, i, "symbols do not ascend");
            }
            last = Some(sym);
            let back = segment.number(S::NodeSyms, pair.node.to_native() as usize);
            if back != Some(sym) {
                self.wrong(S::SymNodes, i, "the node has another symbol");
            }
        }
    }

    /// Every node stands in the key table once, under the hash of its key; no two have the same key.
    pub(super) fn keys(&mut self) {
        let needed = [
            S::Files,
            S::FileKeys,
            S::Nodes,
            S::ExternalOffsets,
            S::ExternalKeys,
            S::SpellingOffsets,
            S::Spellings,
            S::KeyHashes,
            S::KeyNodes,
        ];
        if !self.intact(&needed) {
            return;
        }
        let segment = self.segment;
        let hashes = segment.records::<u64_le>(S::KeyHashes);
        let nodes = segment.numbers(S::KeyNodes);
        let mut seen = vec![false; segment.node_count() as usize];
        let mut last: Option<(u64, u32)> = None;
        let mut same: Vec<String> = Vec::new();
        let mut text = String::new();
        for (i, (hash, node)) in hashes.iter().zip(nodes).enumerate() {
            let entry = (hash.to_native(), node.to_native());
            if last.is_some_and(|last| last >= entry) {
                self.wrong(S::KeyHashes, i, "hashes do not ascend");
            }
            if last.is_none_or(|last| last.0 != entry.0) {
                same.clear();
            }
            last = Some(entry);
            match seen.get_mut(entry.1 as usize) {
                Some(slot @ false) => *slot = true,
                _ => self.wrong(S::KeyNodes, i, "a node is out of range or listed twice"),
            }
            text.clear();
            let has_key = segment.write_key(NodeIdx(entry.1), &mut text);
            if !has_key || key::hash(&text) != entry.0 {
                self.wrong(S::KeyHashes, i, "the hash is not that of the node's key");
            }
            if same.contains(&text) {
                self.wrong(S::KeyNodes, i, format!("two nodes have the key {text}"));
            }
            same.push(text.clone());
        }
    }

    /// Stored units can be decoded and hold the nodes of their file.
    pub(super) fn units(&mut self) {
        let names = [S::SpellingOffsets, S::Spellings, S::Text];
        if !self.intact(&[S::Files, S::FileKeys, S::Nodes, S::Blobs]) || !self.intact(&names) {
            return;
        }
        let segment = self.segment;
        for ord in (0..segment.file_count()).map(FileOrd) {
            match segment.unit(ord) {
                Ok(Some(unit)) if !self.same_nodes(ord, &unit) => {
                    self.wrong(S::Files, ord.index(), "the stored unit has other nodes");
                }
                Ok(_) => {}
                Err(e) => self.wrong(S::Files, ord.index(), e.to_string()),
            }
        }
    }

    fn same_nodes(&self, ord: FileOrd, unit: &Unit) -> bool {
        let range = self.segment.file_node_range(ord);
        let start = range.start;
        let rows = range.clone().filter_map(|n| self.segment.node(NodeIdx(n)));
        let mut pairs = unit.nodes().iter().zip(rows);
        range.len() == unit.nodes().len()
            && pairs.all(|(node, row)| {
                row.kind() == node.kind
                    && row.flags() == node.flags
                    && row.span() == node.span
                    && row.parent().0 == start + node.parent.0
                    && row.name() == unit.text(node.name)
                    && row.signature() == unit.text(node.signature)
                    && row.doc() == unit.text(node.doc)
            })
    }
}

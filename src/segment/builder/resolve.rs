//! The end of a build: every target becomes a node of a base or a symbol of the index.
//!
//! Where it sits: between the last unit and the writing of the tables. Invariant: numbers depend on the units and on the
//! answers of the symbol table, which is asked in node order, then in key order.

use rustc_hash::FxHashMap;

use super::{KEY, LATER, NODE, Placeholder, SegmentBuilder, SymbolTable, TAG_BITS, key_range};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{LocalNode, SymId};
use crate::model::key;
use crate::model::label::NodeKind;
use crate::model::node::NodeFlags;
use crate::segment::layout::NodeRecord;
use crate::segment::strings;

impl SegmentBuilder {
    /// The node of a unit that has arrived.
    pub(super) fn node_of_unit(&self, unit: u32, node: LocalNode) -> Result<u32> {
        let file_nodes = self.tables.edges.offsets.len().saturating_sub(1) as u32;
        let start = |at: usize| self.tables.files.get(at).map(|f| f.node_start.to_native());
        let end = start(unit as usize + 1).unwrap_or(file_nodes);
        start(unit as usize)
            .and_then(|start| start.checked_add(node.0))
            .filter(|idx| *idx < end)
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::Invalid,
                    format!(
                        "an edge leads to node {} of unit {unit}, which there is not",
                        node.0
                    ),
                )
            })
    }

    /// The nodes of files by the hash of their keys.
    fn node_hashes(&self) -> Vec<(u64, u32)> {
        let mut pairs: Vec<(u64, u32)> = self.tables.hashes.iter().copied().zip(0..).collect();
        pairs.sort_unstable();
        pairs
    }

    /// The node of a file with that key.
    fn find_node(&self, pairs: &[(u64, u32)], hash: u64, key: &str) -> Option<u32> {
        let start = pairs.partition_point(|(h, _)| *h < hash);
        let same = pairs.get(start..).unwrap_or_default();
        let mut same = same.iter().take_while(|(h, _)| *h == hash);
        same.find(|(_, node)| self.has_key(*node, key))
            .map(|(_, node)| *node)
    }

    /// Whether a node of a file has that key. Hashes agree already, so this is asked about once per key.
    fn has_key(&self, node: u32, key: &str) -> bool {
        let tables = &self.tables;
        let after = tables
            .files
            .partition_point(|f| f.node_start.to_native() <= node);
        let Some(file) = after.checked_sub(1).and_then(|at| tables.files.get(at)) else {
            return false;
        };
        let key_start = file.key_start.to_native() as usize;
        let key_end = tables
            .files
            .get(after)
            .map_or(tables.file_keys.len(), |f| f.key_start.to_native() as usize);
        let path = tables.file_keys.get(key_start..key_end).unwrap_or_default();
        let mut chain = Vec::new();
        let mut at = node;
        let mut built = loop {
            let Some(record) = tables.nodes.get(at as usize) else {
                return false;
            };
            if let Some(own) = own_key(record, tables.text.bytes()) {
                break own.to_string();
            }
            if at <= file.node_start.to_native() {
                break String::from_utf8_lossy(path).into_owned();
            }
            chain.push(record);
            at = record.parent.to_native();
        };
        for record in chain.iter().rev() {
            let first = record.parent.to_native() == file.node_start.to_native();
            let flags = NodeFlags(record.flags.to_native());
            let callable = key::is_callable(NodeKind(record.kind), flags);
            let name = tables.names.get(record.spelling.to_native());
            key::push_part(
                &mut built,
                first,
                name,
                callable,
                record.ordinal.to_native(),
            );
        }
        built == key
    }

    /// Turns every target into a node; keys that no unit defines become externals.
    pub(super) fn resolve_base(&mut self) -> Result<()> {
        let pairs = self.node_hashes();
        let mut found = Vec::with_capacity(self.keys.len());
        for (place, target) in (0..).zip(&self.key_targets) {
            found.push(self.find_node(&pairs, target.hash, self.keys.get(place)));
        }
        drop(pairs);
        for place in self.keys.sorted() {
            let slot = found.get_mut(place as usize);
            let target = self.key_targets.get(place as usize);
            if let (Some(slot @ None), Some(target)) = (slot, target) {
                *slot = Some(self.tables.nodes.len() as u32);
                let key = self.keys.get(place);
                let name = key::name_of(key);
                self.tables
                    .push_external(key, &name, target.hash, target.kind)?;
            }
        }
        let later = self.later_nodes()?;
        for target in &mut self.tables.edges.targets {
            let place = *target & !TAG_BITS;
            *target = match *target & TAG_BITS {
                NODE => place,
                KEY => pick(&found, place).flatten().ok_or_else(lost)?,
                LATER => pick(&later, place).ok_or_else(lost)?,
                _ => {
                    return Err(Error::new(
                        ErrorKind::Invalid,
                        "an edge of a base leads to a symbol of another index",
                    ));
                }
            };
        }
        Ok(())
    }

    /// Gives every node a symbol and turns every target into one.
    pub(super) fn resolve_delta(&mut self, symbols: &mut dyn SymbolTable) -> Result<()> {
        let pairs = self.node_hashes();
        self.name_nodes(symbols)?;
        let mut found: Vec<Option<u32>> = Vec::with_capacity(self.keys.len());
        for (place, target) in (0..).zip(&self.key_targets) {
            let node = self.find_node(&pairs, target.hash, self.keys.get(place));
            found.push(node.and_then(|node| pick(&self.tables.syms, node)));
        }
        let mut externals = self.wanted_externals(symbols, &pairs, &mut found)?;
        drop(pairs);
        externals.sort_by(|a, b| a.key.cmp(&b.key));
        for external in externals {
            let name = key::name_of(&external.key);
            let hash = key::hash(&external.key);
            self.tables
                .push_external(&external.key, &name, hash, external.kind)?;
            self.tables.syms.push(external.sym.0);
        }
        let later = self.later_nodes()?;
        let mut tags = Vec::with_capacity(self.tables.edges.targets.len());
        for target in &mut self.tables.edges.targets {
            let place = *target & !TAG_BITS;
            let of_node = |node: u32| {
                let sym = pick(&self.tables.syms, node).ok_or_else(lost)?;
                let hash = pick(&self.tables.hashes, node).ok_or_else(lost)?;
                Ok::<_, Error>((sym, hash))
            };
            let (sym, hash) = match *target & TAG_BITS {
                NODE => of_node(place)?,
                LATER => of_node(pick(&later, place).ok_or_else(lost)?)?,
                KEY => {
                    let sym = pick(&found, place).flatten().ok_or_else(lost)?;
                    (sym, pick(&self.key_targets, place).ok_or_else(lost)?.hash)
                }
                _ => match symbols.key_hash(SymId(place))? {
                    Some(hash) => (place, hash),
                    None => {
                        return Err(Error::new(
                            ErrorKind::Invalid,
                            "an edge leads to a symbol that the index does not know",
                        ));
                    }
                },
            };
            *target = sym;
            tags.push(hash as u16);
        }
        self.tables.edges.tags = tags;
        Ok(())
    }

    /// Asks for the symbols of the nodes of files, in node order.
    fn name_nodes(&mut self, symbols: &mut dyn SymbolTable) -> Result<()> {
        let Self {
            tables, scratch, ..
        } = self;
        let mut syms = Vec::with_capacity(tables.nodes.len());
        let ends = tables
            .files
            .iter()
            .skip(1)
            .map(|f| f.node_start.to_native());
        let ends = ends.chain([tables.nodes.len() as u32]);
        let key_ends = tables
            .files
            .iter()
            .skip(1)
            .map(|f| f.key_start.to_native() as usize);
        let key_ends = key_ends.chain([tables.file_keys.len()]);
        for ((file, end), key_end) in tables.files.iter().zip(ends).zip(key_ends) {
            let start = file.node_start.to_native();
            let path = tables
                .file_keys
                .get(file.key_start.to_native() as usize..key_end);
            let path = std::str::from_utf8(path.unwrap_or_default()).unwrap_or_default();
            scratch.key_heap.clear();
            scratch.key_ends.clear();
            for node in start..end {
                let Some(record) = tables.nodes.get(node as usize) else {
                    break;
                };
                let begin = scratch.key_heap.len();
                if let Some(own) = own_key(record, tables.text.bytes()) {
                    scratch.key_heap.push_str(own);
                } else if node == start {
                    scratch.key_heap.push_str(path);
                } else {
                    let parent = record.parent.to_native() - start;
                    let range = key_range(&scratch.key_ends, parent as usize);
                    scratch.key_heap.extend_from_within(range);
                    let flags = NodeFlags(record.flags.to_native());
                    key::push_part(
                        &mut scratch.key_heap,
                        parent == 0,
                        tables.names.get(record.spelling.to_native()),
                        key::is_callable(NodeKind(record.kind), flags),
                        record.ordinal.to_native(),
                    );
                }
                scratch.key_ends.push(scratch.key_heap.len());
                let key = scratch.key_heap.get(begin..).unwrap_or_default();
                let hash = pick(&tables.hashes, node).ok_or_else(lost)?;
                let sym = match symbols.lookup(hash, key)? {
                    Some(sym) => sym,
                    None => symbols.allocate()?,
                };
                syms.push(sym.0);
            }
        }
        tables.syms = syms;
        Ok(())
    }

    /// The symbols that this delta has to describe without defining them; completes `found`.
    fn wanted_externals(
        &mut self,
        symbols: &mut dyn SymbolTable,
        pairs: &[(u64, u32)],
        found: &mut [Option<u32>],
    ) -> Result<Vec<Placeholder>> {
        let mut externals: Vec<Placeholder> = Vec::new();
        let mut placed: FxHashMap<String, SymId> = FxHashMap::default();
        for placeholder in std::mem::take(&mut self.placeholders) {
            let hash = key::hash(&placeholder.key);
            let defined = self.find_node(pairs, hash, &placeholder.key).is_some();
            if !defined && !placed.contains_key(&placeholder.key) {
                placed.insert(placeholder.key.clone(), placeholder.sym);
                externals.push(placeholder);
            }
        }
        for place in self.keys.sorted() {
            let slot = found.get_mut(place as usize);
            let target = self.key_targets.get(place as usize);
            let (Some(slot @ None), Some(target)) = (slot, target) else {
                continue;
            };
            let key = self.keys.get(place);
            let known = match placed.get(key) {
                Some(sym) => Some((*sym, false)),
                None => match symbols.lookup(target.hash, key)? {
                    Some(sym) => Some((sym, symbols.needs_placeholder(sym)?)),
                    None => None,
                },
            };
            let (sym, describe) = match known {
                Some(known) => known,
                None => (symbols.allocate()?, true),
            };
            *slot = Some(sym.0);
            if describe {
                externals.push(Placeholder {
                    sym,
                    key: key.to_string(),
                    kind: target.kind,
                });
            }
        }
        Ok(externals)
    }

    /// The nodes of targets that had not arrived.
    fn later_nodes(&self) -> Result<Vec<u32>> {
        let nodes = self.later.iter();
        nodes
            .map(|(unit, node)| self.node_of_unit(*unit, *node))
            .collect()
    }
}

/// The key that a node was given.
fn own_key<'a>(record: &NodeRecord, heap: &'a [u8]) -> Option<&'a str> {
    if !NodeFlags(record.flags.to_native()).has(NodeFlags::OWN_KEY) {
        return None;
    }
    let keyed = strings::entry(heap, record.text.to_native())?.keyed()?;
    std::str::from_utf8(keyed.key).ok()
}

fn pick<T: Copy>(values: &[T], at: u32) -> Option<T> {
    values.get(at as usize).copied()
}

/// A number that this builder gave out itself is not in its table: cannot happen, and is no reason to stop the program.
fn lost() -> Error {
    Error::new(ErrorKind::Invalid, "a target of an edge was lost")
}

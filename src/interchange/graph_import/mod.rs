//! Reading a `graph.json` into a store.
//!
//! Where it sits: the counterpart of [`super::graph_json`]; feeds [`crate::index::Writer`] with units. All variants of the
//! format are understood: `links` or `edges`, with and without communities, nodes before links or after, numbers for ids,
//! `_src` and `_tgt` for the true ends of a link.
//!
//! ```text
//! pass 1   the file is read once as a stream: of every node and link its place in the file and what the graph needs
//! between  ids are resolved, nodes are dealt out to units (one for each source_file), links to their source's unit
//! pass 2   unit by unit, in order of key: nodes are read again from their places, everything is handed to the writer
//! ```
//!
//! A node keeps its id as a key of its own ([`Unit::set_key`]); what the graph has no place for is kept as it was written,
//! attached to the unit. Layout of an attachment: lines, each a letter and compact JSON, after a line `v1`: `n` a node, `l` a link, `h` a
//! hyperedge, `t` a further field of the file (`"name":value`). Invariants: memory holds some tens of bytes for each node and
//! link, never the file; the same file gives the same store; whatever is not understood is counted, and still kept.

mod fields;
mod read;
mod source;

use std::fs::File;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Error, ErrorKind, Result};
use crate::ids::LocalNode;
use crate::index::{CommitInfo, FileStamp, Writer};
use crate::interchange::graph_import::fields::{LinkFields, NodeFields};
use crate::interchange::graph_import::read::{Gathered, NONE, NodeRow, read};
use crate::interchange::graph_import::source::{Slices, compact};
use crate::model::edge::{Edge, EdgeLabel, Target};
use crate::model::label::{Language, NodeKind, Reason, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::{IMPORTED, NOWHERE, NewNode, Unit};

/// First line of every attachment: the version of its layout. An attachment is never empty.
const FIRST_LINE: &[u8] = b"v1\n";

/// What an import found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Imported {
    /// Nodes.
    pub nodes: u64,
    /// Links, those to undeclared nodes included.
    pub links: u64,
    /// Hyperedges.
    pub hyperedges: u64,
    /// Source files that nodes stand in.
    pub files: u64,
    /// What was odd, with how often: kept as far as the graph allows.
    pub warnings: Vec<ImportWarning>,
}

/// Something odd in an imported graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ImportWarning {
    /// What it is.
    pub what: String,
    /// How often.
    pub count: u64,
    /// The first of them.
    pub example: String,
}

/// Reads the graph in `path` and makes it the whole content of the writer's store.
///
/// # Errors
/// [`ErrorKind::Format`] for a file that is no graph, with the place; [`ErrorKind::Io`] where it cannot be read;
/// [`ErrorKind::Limit`] for a graph past what a store holds; else as [`Writer::rebuild`].
pub fn import(path: &Path, writer: &mut Writer) -> Result<Imported> {
    let file = File::open(path).map_err(|e| Error::io("read", path, e))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(Error::new(ErrorKind::Format, "this is a folder, not a graph.json").at(path));
    }
    let gathered = read(&file, path, writer)?;
    let mut imported = Imported {
        nodes: gathered.nodes.len() as u64,
        links: gathered.links.len() as u64,
        hyperedges: gathered.hyperedges.len() as u64,
        warnings: gathered.warnings.list(),
        ..Imported::default()
    };
    let plan = Plan::new(gathered);
    imported.files = plan.units.iter().filter(|u| u.key != NOWHERE).count() as u64;
    // Nodes and links lie in two parts of the file: each has a window of its own.
    let again = |file: &File| file.try_clone().map_err(|e| Error::io("read", path, e));
    let slices = [
        Slices::new(again(&file)?, path),
        Slices::new(again(&file)?, path),
    ];
    let labels = plan.kinds(writer);
    let units = Units {
        plan: &plan,
        slices,
        labels,
        next: 0,
        compacted: Vec::new(),
    };
    writer.set_property(IMPORTED, "graph.json");
    let _: CommitInfo = writer.rebuild(units)?;
    Ok(imported)
}

/// One unit to be: its key, and which nodes and links are its own.
struct UnitPlan {
    key: String,
    nodes: std::ops::Range<usize>,
    links: std::ops::Range<usize>,
    /// Whether the first of its nodes stands for the file.
    has_file: bool,
}

/// How the graph is dealt out to units.
struct Plan {
    gathered: Gathered,
    units: Vec<UnitPlan>,
    /// Numbers of nodes in order of unit and place.
    node_order: Vec<u32>,
    /// Numbers of links in order of unit.
    link_order: Vec<u32>,
    /// For each node its unit and its place in it.
    homes: Vec<(u32, LocalNode)>,
    /// For each node the node that holds it, or [`NONE`].
    parents: Vec<u32>,
    /// Whether two links join the same nodes.
    parallel: bool,
}

impl Plan {
    fn new(gathered: Gathered) -> Self {
        // Units in order of key. The one without a file is always there: it holds what belongs to the whole.
        let mut keys: Vec<&str> = gathered.files.iter().map(String::as_str).collect();
        if !keys.contains(&NOWHERE) {
            keys.push(NOWHERE);
        }
        keys.sort_unstable();
        let ranks: FxHashMap<&str, u32> = keys.iter().copied().zip(0..).collect();
        let rank_of_file: Vec<u32> = gathered
            .files
            .iter()
            .map(|f| ranks.get(f.as_str()).copied().unwrap_or_default())
            .collect();
        let nowhere = ranks.get(NOWHERE).copied().unwrap_or_default();
        let unit_of = |node: &NodeRow| match node.file {
            NONE => nowhere,
            file => rank_of_file.get(file as usize).copied().unwrap_or(nowhere),
        };
        let nodes = &gathered.nodes;
        let mut node_order: Vec<u32> = (0..nodes.len() as u32).collect();
        let sort_key = |i: &u32| {
            let node = nodes.get(*i as usize);
            node.map(|n| (unit_of(n), !n.is_file, n.line, *i))
        };
        node_order.sort_unstable_by_key(sort_key);
        let mut units: Vec<UnitPlan> = keys
            .iter()
            .map(|key| UnitPlan {
                key: (*key).to_string(),
                nodes: 0..0,
                links: 0..0,
                has_file: false,
            })
            .collect();
        let mut homes = vec![(nowhere, LocalNode::UNIT); nodes.len()];
        let mut at = 0;
        for (rank, unit) in (0u32..).zip(&mut units) {
            let start = at;
            while let Some(i) = node_order.get(at).copied()
                && let Some(node) = nodes.get(i as usize)
                && unit_of(node) == rank
            {
                if at == start {
                    unit.has_file = node.is_file && rank != nowhere;
                }
                let place = at - start + usize::from(!unit.has_file);
                if let Some(home) = homes.get_mut(i as usize) {
                    *home = (rank, LocalNode::from_index(place).unwrap_or_default());
                }
                at += 1;
            }
            unit.nodes = start..at;
        }
        let links = &gathered.links;
        let rank_of_link = |i: &u32| {
            let source = links.get(*i as usize).map_or(NONE, |l| l.source);
            homes
                .get(source as usize)
                .map_or(nowhere, |(rank, _)| *rank)
        };
        let mut link_order: Vec<u32> = (0..links.len() as u32).collect();
        link_order.sort_by_key(rank_of_link);
        let mut at = 0;
        for (rank, unit) in (0u32..).zip(&mut units) {
            let start = at;
            while link_order.get(at).is_some_and(|i| rank_of_link(i) == rank) {
                at += 1;
            }
            unit.links = start..at;
        }
        let parents = parents(&gathered, &homes);
        let parallel = has_parallel_links(&gathered);
        Self {
            gathered,
            units,
            node_order,
            link_order,
            homes,
            parents,
            parallel,
        }
    }

    /// The kinds that nodes name, known to the store. A name beyond what a store holds becomes `concept`.
    fn kinds(&self, writer: &mut Writer) -> FxHashMap<String, NodeKind> {
        let names = self.gathered.kinds.iter();
        let kind = |name: &String| {
            let kind = writer.kind(name).unwrap_or(NodeKind::CONCEPT);
            (name.clone(), kind)
        };
        names.map(kind).collect()
    }
}

/// Who holds each node: the source of a structural link in the same unit that stands before it.
fn parents(gathered: &Gathered, homes: &[(u32, LocalNode)]) -> Vec<u32> {
    let mut parents = vec![NONE; gathered.nodes.len()];
    for link in &gathered.links {
        let structural = [
            Relation::CONTAINS,
            Relation::METHOD,
            Relation::DEFINES,
            Relation::CASE_OF,
        ];
        if !structural.contains(&link.label.relation) {
            continue;
        }
        let home = |node: u32| homes.get(node as usize);
        if let (Some(holder), Some(held)) = (home(link.source), home(link.target))
            && holder.0 == held.0
            && holder.1 < held.1
            && let Some(slot @ &mut NONE) = parents.get_mut(link.target as usize)
        {
            *slot = link.source;
        }
    }
    parents
}

fn has_parallel_links(gathered: &Gathered) -> bool {
    let mut seen: FxHashSet<(u32, u32)> = FxHashSet::default();
    gathered.links.iter().any(|link| {
        let (a, b) = (link.source_id, link.target_id);
        let pair = if gathered.directed || a <= b {
            (a, b)
        } else {
            (b, a)
        };
        !seen.insert(pair)
    })
}

/// The units, made one after the other.
struct Units<'a> {
    plan: &'a Plan,
    slices: [Slices; 2],
    labels: FxHashMap<String, NodeKind>,
    next: usize,
    compacted: Vec<u8>,
}

impl Iterator for Units<'_> {
    type Item = Result<(Unit, FileStamp)>;

    fn next(&mut self) -> Option<Self::Item> {
        let plan = self.plan.units.get(self.next)?;
        self.next += 1;
        Some(self.unit(plan).map(|unit| (unit, FileStamp::default())))
    }
}

impl Units<'_> {
    fn unit(&mut self, plan: &UnitPlan) -> Result<Unit> {
        let mut unit = Unit::new(plan.key.as_str(), Language::NONE);
        let mut attachment = FIRST_LINE.to_vec();
        if !plan.has_file {
            // Nothing in the graph stands for the file: this node is there for the unit's sake and has a key that no id has.
            let key = self
                .plan
                .gathered
                .ids
                .unused(&format!("(file) {}", plan.key));
            unit.set_key(LocalNode::UNIT, &key, "");
        }
        let order = self.plan.node_order.get(plan.nodes.clone());
        for number in order.unwrap_or_default() {
            self.node(*number, &mut unit, &mut attachment)?;
        }
        let order = self.plan.link_order.get(plan.links.clone());
        let mut edges = Vec::new();
        for number in order.unwrap_or_default() {
            let Some(link) = self.plan.gathered.links.get(*number as usize) else {
                continue;
            };
            self.keep(b'l', link.place, link.len, &mut attachment)?;
            if link.source == NONE {
                continue;
            }
            let home = |node: u32| self.plan.homes.get(node as usize).copied();
            let Some((_, source)) = home(link.source) else {
                continue;
            };
            let target = match home(link.target) {
                Some((unit, node)) => Target::Unit { unit, node },
                None => {
                    let key = self.plan.gathered.ids.text(link.target_id);
                    Target::Key {
                        key: unit.intern(key),
                        kind: NodeKind::EXTERNAL,
                    }
                }
            };
            edges.push(Edge {
                source,
                target,
                label: EdgeLabel {
                    reason: Reason::STATED,
                    ..link.label
                },
            });
        }
        unit.set_edges(edges);
        if plan.key == NOWHERE {
            self.whole(&mut attachment);
        }
        unit.attach(attachment);
        Ok(unit)
    }

    /// Adds a node to its unit, and its text to the attachment.
    fn node(&mut self, number: u32, unit: &mut Unit, attachment: &mut Vec<u8>) -> Result<()> {
        let Some(row) = self.plan.gathered.nodes.get(number as usize) else {
            return Ok(());
        };
        self.keep(b'n', row.place, row.len, attachment)?;
        let fields: NodeFields = serde_json::from_slice(&self.compacted).map_err(|e| {
            Error::new(ErrorKind::Format, "the graph changed while it was read").caused_by(e)
        })?;
        let (name, kind, flags) = fields.what(row.is_file, &self.labels);
        let span = Span {
            start_line: row.line,
            end_line: fields.last_line(row.line),
            ..Span::default()
        };
        let key = self.plan.gathered.ids.text(row.id);
        let community = fields.community();
        let local = if row.is_file
            && self.plan.homes.get(number as usize).map(|h| h.1) == Some(LocalNode::UNIT)
        {
            if let Some(node) = unit.node_mut(LocalNode::UNIT) {
                node.span = span;
                node.flags = flags;
            }
            LocalNode::UNIT
        } else {
            let holder = self.plan.parents.get(number as usize).copied();
            let parent = holder.and_then(|h| self.plan.homes.get(h as usize));
            unit.add(NewNode {
                name: &name,
                // Only the unit's own node may be a file.
                kind: if kind == NodeKind::FILE {
                    NodeKind::MODULE
                } else {
                    kind
                },
                parent: parent.map_or(LocalNode::UNIT, |(_, node)| *node),
                span,
                signature: fields.signature(),
                doc: fields.doc(),
                flags,
            })?
        };
        unit.set_key(local, key, &community);
        Ok(())
    }

    /// Appends a line with what stands at a place of the file, without its white space; leaves it in `compacted` too.
    fn keep(&mut self, letter: u8, place: u64, len: u32, attachment: &mut Vec<u8>) -> Result<()> {
        let [nodes, links] = &mut self.slices;
        let slices = if letter == b'n' { nodes } else { links };
        let bytes = slices.get(place, len)?;
        self.compacted.clear();
        compact(bytes, &mut self.compacted);
        attachment.push(letter);
        attachment.extend_from_slice(&self.compacted);
        attachment.push(b'\n');
        Ok(())
    }

    /// What belongs to the file as a whole.
    fn whole(&self, attachment: &mut Vec<u8>) {
        let mut line = |letter: u8, text: &str| {
            attachment.push(letter);
            compact(text.as_bytes(), attachment);
            attachment.push(b'\n');
        };
        for hyperedge in &self.plan.gathered.hyperedges {
            line(b'h', hyperedge.get());
        }
        for (name, value) in &self.plan.gathered.further {
            // Readers that were told of no parallel links would keep one of them.
            let value = match (name.as_str(), self.plan.parallel) {
                ("multigraph", true) => "true",
                _ => value.get(),
            };
            let name = serde_json::to_string(name).unwrap_or_default();
            line(b't', &format!("{name}:{value}"));
        }
    }
}

impl NodeFields<'_> {
    /// The bare name, kind and flags that make a node print as its label says.
    fn what(
        &self,
        is_file: bool,
        kinds: &FxHashMap<String, NodeKind>,
    ) -> (String, NodeKind, NodeFlags) {
        let label = self.label();
        let known = self.kind_name().and_then(|name| kinds.get(name)).copied();
        let mut flags = NodeFlags::default();
        if self.is_test() {
            flags = flags.with(NodeFlags::TEST);
        }
        if is_file {
            return (label.to_string(), NodeKind::FILE, flags);
        }
        let callable = label.strip_suffix("()");
        let member = callable.and_then(|name| name.strip_prefix('.'));
        let is_method = |k: &NodeKind| {
            [NodeKind::METHOD, NodeKind::CONSTRUCTOR, NodeKind::ACCESSOR].contains(k)
        };
        match (callable, member) {
            (_, Some(name)) if !name.is_empty() => {
                let kind = known.filter(is_method).unwrap_or(NodeKind::METHOD);
                (name.to_string(), kind, flags)
            }
            (Some(name), _) if !name.is_empty() => {
                let kind = known
                    .filter(|k| !is_method(k))
                    .unwrap_or(NodeKind::FUNCTION);
                (name.to_string(), kind, flags.with(NodeFlags::CALLABLE))
            }
            _ => {
                // A kind that would print the label differently does not fit it.
                let plain = |k: &NodeKind| {
                    !crate::model::key::is_callable(*k, NodeFlags::default())
                        && *k != NodeKind::FILE
                };
                let kind = known.filter(plain).unwrap_or(NodeKind::CONCEPT);
                (label.to_string(), kind, flags)
            }
        }
    }
}

/// What a link says, for the first pass.
fn label_of(
    fields: &LinkFields<'_>,
    relation: Relation,
    context: crate::model::label::Context,
) -> EdgeLabel {
    EdgeLabel {
        relation,
        confidence: fields.confidence(),
        reason: Reason::STATED,
        context,
        line: fields.line(),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

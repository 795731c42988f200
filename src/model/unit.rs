//! A unit: everything that one source file (or one key of another tool) contributes to the graph.
//!
//! Where it sits: `extract` makes units, `link` adds their edges, `segment` stores them whole. A unit is replaced whole
//! or removed whole. Invariants: node 0 is the unit itself; a node's parent stands before it; every text is interned in
//! the unit's own string table; what a unit holds depends on its file alone.

use rustc_hash::FxHashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{LocalNode, StrId};
use crate::model::edge::{Edge, EdgeLabel, Target};
use crate::model::facts::Facts;
use crate::model::key;
use crate::model::label::{Language, NodeKind};
use crate::model::node::{Node, NodeFlags, Span};
use crate::model::text::Texts;

/// Key of the unit that holds what an imported graph gives no source file for, and what belongs to that graph as a whole.
pub const NOWHERE: &str = "(no source file)";
/// Property of a store whose content was read from another program's file; the name of the format.
pub const IMPORTED: &str = "imported";

/// The texts of one unit, each stored once. Id 0 is the empty string.
#[derive(Clone, Debug, PartialEq, Eq, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct Strings {
    bytes: String,
    ends: Vec<u32>,
}

impl Default for Strings {
    fn default() -> Self {
        Self {
            bytes: String::new(),
            ends: vec![0],
        }
    }
}

impl Strings {
    /// The text of `id`; empty for an id of another table.
    pub fn get(&self, id: StrId) -> &str {
        let Some(end) = self.ends.get(id.index()) else {
            return "";
        };
        let start = id
            .index()
            .checked_sub(1)
            .and_then(|i| self.ends.get(i))
            .copied()
            .unwrap_or(0);
        self.bytes
            .get(start as usize..*end as usize)
            .unwrap_or_default()
    }

    /// How many texts there are, the empty one included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text but the empty one.
    pub fn is_empty(&self) -> bool {
        self.ends.len() <= 1
    }

    /// All texts with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (StrId, &str)> {
        (0..self.ends.len()).filter_map(|i| StrId::from_index(i).map(|id| (id, self.get(id))))
    }

    fn push(&mut self, text: &str) -> StrId {
        let id = StrId::from_index(self.ends.len()).unwrap_or_default();
        self.bytes.push_str(text);
        self.ends
            .push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        id
    }
}

/// What is known of the file itself.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize,
)]
pub struct FileMeta {
    /// The file's size in bytes.
    pub size: u64,
    /// XXH3-128 of the file's bytes.
    pub content_hash: u128,
    /// Version of the extractor that read it; another version means it is read again.
    pub extractor: u32,
    /// How many syntax errors the parser stepped over.
    pub parse_errors: u32,
    /// Lines of the file.
    pub lines: u32,
    /// Bits of [`FileFlags`].
    pub flags: u32,
}

/// Properties of a file as a whole; stored in [`FileMeta::flags`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileFlags(pub u32);

impl FileFlags {
    /// Test code by its path or content.
    pub const TEST: u32 = 1;
    /// Generated or vendored code.
    pub const GENERATED: u32 = 1 << 1;
    /// Example, fixture or documentation code.
    pub const EXAMPLE: u32 = 1 << 2;
    /// Minified: only the file itself was indexed.
    pub const MINIFIED: u32 = 1 << 3;
    /// Larger than the limit: only the file itself was indexed.
    pub const OVERSIZED: u32 = 1 << 4;
    /// The parser gave up (time, depth): what it had found is kept.
    pub const INCOMPLETE: u32 = 1 << 5;
    /// Its links must be computed again by a later run.
    pub const LINKS_STALE: u32 = 1 << 6;
}

/// Everything one file contributes.
#[derive(Clone, Debug)]
pub struct Unit {
    key: String,
    /// The file's language.
    pub language: Language,
    /// What is known of the file.
    pub meta: FileMeta,
    strings: Strings,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The evidence from which the unit's references are linked.
    pub facts: Facts,
    texts: Texts,
    interned: FxHashMap<u64, StrId>,
    /// Nodes with a key of their own: the key, and the community.
    own: FxHashMap<LocalNode, (StrId, StrId)>,
    attachment: Vec<u8>,
}

/// A node that is about to be added to a unit; a plain description with texts.
#[derive(Clone, Copy, Debug)]
pub struct NewNode<'a> {
    /// The bare name.
    pub name: &'a str,
    /// What it is.
    pub kind: NodeKind,
    /// The node that holds it.
    pub parent: LocalNode,
    /// Where it stands.
    pub span: Span,
    /// The declaration on one line.
    pub signature: &'a str,
    /// The first paragraph of its doc comment.
    pub doc: &'a str,
    /// Further properties.
    pub flags: NodeFlags,
}

impl<'a> NewNode<'a> {
    /// A node directly below the unit, without a place in a source.
    pub fn new(name: &'a str, kind: NodeKind) -> Self {
        Self {
            name,
            kind,
            parent: LocalNode::UNIT,
            span: Span::default(),
            signature: "",
            doc: "",
            flags: NodeFlags::default(),
        }
    }
}

impl Unit {
    /// An empty unit: its only node is the unit itself, named by the last part of the key.
    pub fn new(key: impl Into<String>, language: Language) -> Self {
        let key = key.into();
        let mut unit = Self {
            key,
            language,
            meta: FileMeta::default(),
            strings: Strings::default(),
            nodes: Vec::new(),
            edges: Vec::new(),
            facts: Facts::default(),
            texts: Texts::default(),
            interned: FxHashMap::default(),
            own: FxHashMap::default(),
            attachment: Vec::new(),
        };
        let name = unit.key.rsplit('/').next().unwrap_or_default().to_string();
        let name = unit.intern(&name);
        unit.nodes.push(Node {
            name,
            kind: NodeKind::FILE,
            parent: LocalNode::UNIT,
            span: Span::default(),
            signature: StrId::EMPTY,
            doc: StrId::EMPTY,
            flags: NodeFlags::default(),
        });
        unit
    }

    /// A unit from its stored parts.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] where a node's parent does not stand before it or there is no node.
    pub fn from_parts(
        key: String,
        language: Language,
        meta: FileMeta,
        strings: Strings,
        nodes: Vec<Node>,
        facts: Facts,
    ) -> Result<Self> {
        let ordered = nodes
            .iter()
            .enumerate()
            .all(|(i, n)| n.parent.index() < i || (i == 0 && n.parent.index() == 0));
        if nodes.is_empty() || !ordered {
            return Err(Error::corrupt(format!(
                "the stored unit of {key} is not a tree"
            )));
        }
        Ok(Self {
            key,
            language,
            meta,
            strings,
            nodes,
            edges: Vec::new(),
            facts,
            texts: Texts::default(),
            interned: FxHashMap::default(),
            own: FxHashMap::default(),
            attachment: Vec::new(),
        })
    }

    /// The unit's key: the encoded path of a file (see [`crate::model::path`]), or any text without `::`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The unit's texts.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// The text of a string id.
    pub fn text(&self, id: StrId) -> &str {
        self.strings.get(id)
    }

    /// All nodes; the first is the unit itself.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, node: LocalNode) -> Option<&Node> {
        self.nodes.get(node.index())
    }

    /// One node, to be completed (a span that ends later, a flag).
    pub fn node_mut(&mut self, node: LocalNode) -> Option<&mut Node> {
        self.nodes.get_mut(node.index())
    }

    /// All edges in the order in which they were added.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Replaces the edges (the linker's result).
    pub fn set_edges(&mut self, edges: Vec<Edge>) {
        self.edges = edges;
    }

    /// The words of the unit's definitions; empty where only names, signatures and doc texts are known.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Sets the words of the unit's definitions, gathered by a [`crate::model::text::Collector`] when the nodes were complete.
    pub fn set_texts(&mut self, texts: Texts) {
        self.texts = texts;
    }

    /// The id of a text, added if it is new.
    pub fn intern(&mut self, text: &str) -> StrId {
        if text.is_empty() {
            return StrId::EMPTY;
        }
        // Two texts of one hash stand side by side: the second takes the next free number.
        let mut hash = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
        while let Some(known) = self.interned.get(&hash) {
            if self.strings.get(*known) == text {
                return *known;
            }
            hash = hash.wrapping_add(1);
        }
        let id = self.strings.push(text);
        self.interned.insert(hash, id);
        id
    }

    #[cfg(feature = "indexing")]
    /// Gives back what only building the unit needed. Texts that are added later may stand there twice.
    pub(crate) fn seal(&mut self) {
        self.interned = FxHashMap::default();
        self.strings.bytes.shrink_to_fit();
        self.strings.ends.shrink_to_fit();
        self.nodes.shrink_to_fit();
        self.facts.shrink();
    }

    /// Adds a node and returns its place. A parent that does not exist becomes the unit.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] after `u32::MAX` nodes.
    pub fn add(&mut self, new: NewNode<'_>) -> Result<LocalNode> {
        let Some(id) = LocalNode::from_index(self.nodes.len()) else {
            return Err(Error::new(
                ErrorKind::Limit,
                format!("{} holds too many definitions", self.key),
            ));
        };
        let parent = if new.parent < id {
            new.parent
        } else {
            LocalNode::UNIT
        };
        let node = Node {
            name: self.intern(new.name),
            kind: new.kind,
            parent,
            span: new.span,
            signature: self.intern(new.signature),
            doc: self.intern(new.doc),
            // The mark of an own key comes with the key.
            flags: NodeFlags(new.flags.0 & !NodeFlags::OWN_KEY.0),
        };
        self.nodes.push(node);
        Ok(id)
    }

    /// Adds an edge from `source` to a node of the same unit.
    pub fn link_local(&mut self, source: LocalNode, target: LocalNode, label: EdgeLabel) {
        self.edges.push(Edge {
            source,
            target: Target::Local(target),
            label,
        });
    }

    /// Adds an edge from `source` to the symbol with that key, wherever it is or will be defined.
    pub fn link_key(&mut self, source: LocalNode, key: &str, label: EdgeLabel) {
        let key = self.intern(key);
        self.edges.push(Edge {
            source,
            target: Target::Key {
                key,
                kind: NodeKind::UNRESOLVED,
            },
            label,
        });
    }

    /// Gives a node a key of its own, for tools that name nodes in their own way, and notes the community that it belongs to
    /// (empty for none). Keys of nodes below it begin with this one. No two nodes of an index may have the same key; whoever
    /// gives keys sees to that.
    pub fn set_key(&mut self, node: LocalNode, key: &str, community: &str) {
        let (key, community) = (self.intern(key), self.intern(community));
        if key == StrId::EMPTY {
            return;
        }
        if let Some(record) = self.nodes.get_mut(node.index()) {
            record.flags = record.flags.with(NodeFlags::OWN_KEY);
            self.own.insert(node, (key, community));
        }
    }

    /// The key that a node was given, and its community.
    pub fn own_key(&self, node: LocalNode) -> Option<(&str, &str)> {
        let (key, community) = self.own.get(&node)?;
        Some((self.text(*key), self.text(*community)))
    }

    /// Attaches bytes that are kept with the unit and given back as they are. A unit with facts cannot have any.
    pub fn attach(&mut self, bytes: Vec<u8>) {
        self.attachment = bytes;
    }

    /// The attached bytes; empty for none.
    pub fn attachment(&self) -> &[u8] {
        &self.attachment
    }

    /// For each node its ordinal (from 1) among siblings that share its name and call mark; see [`crate::model::key`].
    pub fn ordinals(&self) -> Vec<u32> {
        let mut seen: FxHashMap<(LocalNode, StrId, bool), u32> = FxHashMap::default();
        let mut ordinals = Vec::with_capacity(self.nodes.len());
        for (i, node) in self.nodes.iter().enumerate() {
            if i == 0 {
                ordinals.push(1);
                continue;
            }
            let count = seen
                .entry((
                    node.parent,
                    node.name,
                    key::is_callable(node.kind, node.flags),
                ))
                .or_insert(0);
            *count += 1;
            ordinals.push(*count);
        }
        ordinals
    }

    /// The symbol keys of all nodes, in node order.
    pub fn keys(&self) -> Vec<String> {
        let ordinals = self.ordinals();
        let mut keys: Vec<String> = Vec::with_capacity(self.nodes.len());
        for (i, (node, ordinal)) in self.nodes.iter().zip(ordinals).enumerate() {
            let own = LocalNode::from_index(i).and_then(|n| self.own_key(n));
            if let Some((key, _)) = own {
                keys.push(key.to_string());
                continue;
            }
            if i == 0 {
                keys.push(self.key.clone());
                continue;
            }
            let mut text = keys
                .get(node.parent.index())
                .cloned()
                .unwrap_or_else(|| self.key.clone());
            let first = node.parent == LocalNode::UNIT;
            key::push_part(
                &mut text,
                first,
                self.strings.get(node.name),
                key::is_callable(node.kind, node.flags),
                ordinal,
            );
            keys.push(text);
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_number_same_named_siblings_and_tell_types_from_callables() {
        let mut unit = Unit::new("src/ref.ts", Language::TYPESCRIPT);
        unit.add(NewNode::new("Ref", NodeKind::INTERFACE)).unwrap();
        let class = unit.add(NewNode::new("Store", NodeKind::CLASS)).unwrap();
        unit.add(NewNode::new("ref", NodeKind::FUNCTION)).unwrap();
        unit.add(NewNode {
            parent: class,
            ..NewNode::new("get", NodeKind::METHOD)
        })
        .unwrap();
        unit.add(NewNode {
            parent: class,
            ..NewNode::new("get", NodeKind::METHOD)
        })
        .unwrap();
        unit.add(NewNode::new("Ref", NodeKind::CONSTANT)).unwrap();
        assert_eq!(
            unit.keys(),
            [
                "src/ref.ts",
                "src/ref.ts::Ref",
                "src/ref.ts::Store",
                "src/ref.ts::ref()",
                "src/ref.ts::Store.get()",
                "src/ref.ts::Store.get()~2",
                "src/ref.ts::Ref~2",
            ]
        );
    }

    #[test]
    fn texts_are_interned_once() {
        let mut unit = Unit::new("a", Language::NONE);
        let first = unit.intern("alpha");
        assert_eq!(unit.intern("beta"), StrId(first.0 + 1));
        assert_eq!(unit.intern("alpha"), first);
        assert_eq!(unit.text(first), "alpha");
        assert_eq!(unit.text(StrId(99)), "");
        assert_eq!(unit.intern(""), StrId::EMPTY);
    }
}

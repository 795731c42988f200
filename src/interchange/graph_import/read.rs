//! The first pass over a graph file: a stream of nodes and links, of which only what is needed stays.
//!
//! Where it sits: under [`super`]. Invariants: nodes and links may come in any order; the first of several nodes with one id
//! counts; every place that is noted is that of one whole element of the file.

use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};
use crate::index::Writer;
use crate::interchange::graph_import::fields::{LinkFields, NodeFields};
use crate::interchange::graph_import::source::Counted;
use crate::interchange::graph_import::{ImportWarning, label_of};
use crate::model::edge::EdgeLabel;
use crate::model::label::{Context, Relation};
use crate::model::path::encode;
use crate::model::unit::NOWHERE;

/// No node, no file.
pub(super) const NONE: u32 = u32::MAX;
/// Most nodes, links or ids.
const MAX: usize = 1 << 30;

/// A node of the file.
pub(super) struct NodeRow {
    pub(super) place: u64,
    pub(super) len: u32,
    /// Number of its id.
    pub(super) id: u32,
    /// Number of its source file, or [`NONE`].
    pub(super) file: u32,
    pub(super) line: u32,
    /// Whether it stands for its file.
    pub(super) is_file: bool,
}

/// A link of the file.
pub(super) struct LinkRow {
    pub(super) place: u64,
    pub(super) len: u32,
    pub(super) source_id: u32,
    pub(super) target_id: u32,
    /// Number of the source, or [`NONE`] where no node has that id.
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) label: EdgeLabel,
}

/// What the first pass keeps.
pub(super) struct Gathered {
    pub(super) ids: Ids,
    pub(super) nodes: Vec<NodeRow>,
    pub(super) links: Vec<LinkRow>,
    pub(super) hyperedges: Vec<Box<RawValue>>,
    /// Fields of the file beside nodes, links and hyperedges, as they stand there.
    pub(super) further: Vec<(String, Box<RawValue>)>,
    /// Keys of units, by number.
    pub(super) files: Vec<String>,
    /// Kinds that nodes name, in order.
    pub(super) kinds: Vec<String>,
    /// Whether the file says that links have a direction.
    pub(super) directed: bool,
    pub(super) warnings: Warnings,
}

/// Ids, each kept once and numbered.
#[derive(Default)]
pub(super) struct Ids {
    text: String,
    ends: Vec<usize>,
    numbers: FxHashMap<u64, u32>,
}

impl Ids {
    /// The number of an id, given now if it is new; `None` when there are too many.
    fn number(&mut self, id: &str) -> Option<u32> {
        // Two ids of one hash stand side by side: the second takes the next free number.
        let mut hash = xxhash_rust::xxh3::xxh3_64(id.as_bytes());
        while let Some(known) = self.numbers.get(&hash) {
            if self.text(*known) == id {
                return Some(*known);
            }
            hash = hash.wrapping_add(1);
        }
        let number = u32::try_from(self.ends.len())
            .ok()
            .filter(|n| (*n as usize) < MAX)?;
        self.text.push_str(id);
        self.ends.push(self.text.len());
        self.numbers.insert(hash, number);
        Some(number)
    }

    /// The id of a number.
    pub(super) fn text(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).and_then(|i| self.ends.get(i)).copied();
        let end = self.ends.get(at).copied().unwrap_or_default();
        self.text
            .get(start.unwrap_or_default()..end)
            .unwrap_or_default()
    }

    fn has(&self, id: &str) -> bool {
        let mut hash = xxhash_rust::xxh3::xxh3_64(id.as_bytes());
        while let Some(known) = self.numbers.get(&hash) {
            if self.text(*known) == id {
                return true;
            }
            hash = hash.wrapping_add(1);
        }
        false
    }

    /// `wanted`, or a longer text, that is no id.
    pub(super) fn unused(&self, wanted: &str) -> String {
        let mut text = wanted.to_string();
        while self.has(&text) {
            text.push('\'');
        }
        text
    }
}

/// What was odd, counted by kind.
#[derive(Default)]
pub(super) struct Warnings(Vec<ImportWarning>);

impl Warnings {
    fn add(&mut self, what: &str, example: &str) {
        match self.0.iter_mut().find(|w| w.what == what) {
            Some(known) => known.count += 1,
            None => self.0.push(ImportWarning {
                what: what.to_string(),
                count: 1,
                example: example.chars().take(80).collect(),
            }),
        }
    }

    pub(super) fn list(&self) -> Vec<ImportWarning> {
        let mut list = self.0.clone();
        list.sort_by(|a, b| a.what.cmp(&b.what));
        list
    }
}

/// Reads the file once. Relations and contexts are made known to the writer as they come.
pub(super) fn read(file: &File, path: &Path, writer: &mut Writer) -> Result<Gathered> {
    let failed = |e| Error::io("read", path, e);
    let (reader, taken) = Counted::new(file.try_clone().map_err(failed)?).map_err(failed)?;
    let mut state = State {
        writer,
        taken,
        relations: FxHashMap::default(),
        contexts: FxHashMap::default(),
        files: FxHashMap::default(),
        keys: FxHashMap::default(),
        file_nodes: FxHashSet::default(),
        node_of_id: Vec::new(),
        seen: [false; 2],
        out: Gathered {
            ids: Ids::default(),
            nodes: Vec::new(),
            links: Vec::new(),
            hyperedges: Vec::new(),
            further: Vec::new(),
            files: Vec::new(),
            kinds: Vec::new(),
            directed: false,
            warnings: Warnings::default(),
        },
    };
    let mut json = serde_json::Deserializer::from_reader(reader);
    let outcome = Top(&mut state)
        .deserialize(&mut json)
        .and_then(|()| json.end());
    outcome.map_err(|e| bad_graph(e, path))?;
    state.finish();
    Ok(state.out)
}

fn bad_graph(e: serde_json::Error, path: &Path) -> Error {
    if let Some(kind) = e.io_error_kind() {
        return Error::io("read", path, kind.into()).caused_by(e);
    }
    Error::new(ErrorKind::Format, "this is no graph.json that can be read")
        .at(path)
        .caused_by(e)
        .remedy("export the graph again: an object with `nodes` and `links` (or `edges`) is needed")
}

struct State<'a> {
    writer: &'a mut Writer,
    taken: Rc<Cell<u64>>,
    relations: FxHashMap<String, Relation>,
    contexts: FxHashMap<String, Context>,
    /// Numbers of source files as they are written, and of their units' keys.
    files: FxHashMap<String, u32>,
    keys: FxHashMap<String, u32>,
    /// Files that have a node of their own.
    file_nodes: FxHashSet<u32>,
    /// The node of each id, or [`NONE`].
    node_of_id: Vec<u32>,
    /// Whether nodes, and links, were there.
    seen: [bool; 2],
    out: Gathered,
}

/// The number of something typed wrongly in a list, for messages.
type Outcome = std::result::Result<(), String>;

impl State<'_> {
    /// Where the element that was just read begins.
    fn place(&self, raw: &RawValue) -> std::result::Result<(u64, u32), String> {
        let len =
            u32::try_from(raw.get().len()).map_err(|_| "an element is too large".to_string())?;
        Ok((self.taken.get().saturating_sub(u64::from(len)), len))
    }

    fn node(&mut self, raw: &RawValue) -> Outcome {
        let at = self.out.nodes.len();
        let fields: NodeFields<'_> =
            serde_json::from_str(raw.get()).map_err(|e| format!("node {at}: {e}"))?;
        let id = fields
            .id
            .text()
            .ok_or_else(|| format!("node {at} has no id: a text or a number is needed"))?;
        let number = self.id(id)?;
        let (place, len) = self.place(raw)?;
        if at >= MAX {
            return Err("there are too many nodes".to_string());
        }
        let slot = self.node_of_id.get_mut(number as usize);
        match slot {
            Some(slot @ &mut NONE) => *slot = at as u32,
            _ => {
                self.out
                    .warnings
                    .add("node with an id that another node has: left out", id);
                return Ok(());
            }
        }
        let source_file = fields.source_file.text().map(|f| f.replace('\\', "/"));
        let mut is_file = false;
        let file = match &source_file {
            None => NONE,
            Some(path) => {
                let file = self.file(path)?;
                is_file = !self.file_nodes.contains(&file) && fields.may_be_file(path);
                if is_file {
                    self.file_nodes.insert(file);
                }
                file
            }
        };
        if let Some(kind) = fields.kind_name()
            && !self.out.kinds.iter().any(|k| k == kind)
        {
            if self.out.kinds.len() < 1024 {
                self.out.kinds.push(kind.chars().take(64).collect());
            } else {
                self.out
                    .warnings
                    .add("kind beyond what a store can name: taken for concept", kind);
            }
        }
        self.out.nodes.push(NodeRow {
            place,
            len,
            id: number,
            file,
            line: fields.line(),
            is_file,
        });
        Ok(())
    }

    fn link(&mut self, raw: &RawValue) -> Outcome {
        let at = self.out.links.len();
        let fields: LinkFields<'_> =
            serde_json::from_str(raw.get()).map_err(|e| format!("link {at}: {e}"))?;
        let (source, target) = fields.ends().ok_or_else(|| {
            format!("link {at} lacks an end: source and target must be texts or numbers")
        })?;
        let (source_id, target_id) = (self.id(source)?, self.id(target)?);
        let (place, len) = self.place(raw)?;
        if at >= MAX {
            return Err("there are too many links".to_string());
        }
        let (relation, context) = (
            self.relation(fields.relation()),
            self.context(fields.context()),
        );
        self.out.links.push(LinkRow {
            place,
            len,
            source_id,
            target_id,
            source: NONE,
            target: NONE,
            label: label_of(&fields, relation, context),
        });
        Ok(())
    }

    fn id(&mut self, id: &str) -> std::result::Result<u32, String> {
        let number = self.out.ids.number(id).ok_or("there are too many ids")?;
        if self.node_of_id.len() <= number as usize {
            self.node_of_id.resize(number as usize + 1, NONE);
        }
        Ok(number)
    }

    fn file(&mut self, path: &str) -> std::result::Result<u32, String> {
        if let Some(known) = self.files.get(path) {
            return Ok(*known);
        }
        // Several spellings may be one key; a unit's key has no `::` and is not that of the unit without a file.
        let mut key = encode(Path::new(path));
        if key == NOWHERE || key.is_empty() {
            key.insert_str(0, "./");
        }
        let number = match self.keys.get(&key) {
            Some(known) => *known,
            None => {
                let number = self.out.files.len() as u32;
                self.keys.insert(key.clone(), number);
                self.out.files.push(key);
                number
            }
        };
        self.files.insert(path.to_string(), number);
        Ok(number)
    }

    fn relation(&mut self, name: &str) -> Relation {
        if let Some(known) = self.relations.get(name) {
            return *known;
        }
        let short: String = name.chars().take(64).collect();
        let relation = self.writer.relation(&short).unwrap_or_else(|_| {
            self.out.warnings.add(
                "relation beyond what a store can name: taken for related",
                name,
            );
            Relation::RELATED
        });
        self.relations.insert(name.to_string(), relation);
        relation
    }

    fn context(&mut self, name: &str) -> Context {
        if name.is_empty() {
            return Context::NONE;
        }
        if let Some(known) = self.contexts.get(name) {
            return *known;
        }
        let short: String = name.chars().take(64).collect();
        let context = self.writer.context(&short).unwrap_or_else(|_| {
            self.out.warnings.add(
                "context beyond what a store can name: left out of answers",
                name,
            );
            Context::NONE
        });
        self.contexts.insert(name.to_string(), context);
        context
    }

    /// Joins links and nodes.
    fn finish(&mut self) {
        let out = &mut self.out;
        let node = |id: u32| self.node_of_id.get(id as usize).copied().unwrap_or(NONE);
        for link in &mut out.links {
            (link.source, link.target) = (node(link.source_id), node(link.target_id));
            for (end, id) in [(link.source, link.source_id), (link.target, link.target_id)] {
                if end == NONE {
                    let what = "link to or from a node that is not declared: kept";
                    out.warnings.add(what, out.ids.text(id));
                }
            }
        }
        let directed = out.further.iter().find(|(name, _)| name == "directed");
        out.directed = directed.is_some_and(|(_, value)| value.get() == "true");
        let [nodes, links] = self.seen;
        if nodes && !links {
            out.warnings
                .add("no links: neither `links` nor `edges` is there", "");
        }
    }
}

/// The file as a whole.
struct Top<'s, 'a>(&'s mut State<'a>);

impl<'de> DeserializeSeed<'de> for Top<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `nodes` and `links`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        let state = self.0;
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "nodes" => {
                    if std::mem::replace(&mut state.seen[0], true) {
                        return Err(A::Error::custom("`nodes` stands there twice"));
                    }
                    map.next_value_seed(List(state, Element::Node))?;
                }
                "links" | "edges" => {
                    state.seen[1] = true;
                    map.next_value_seed(List(state, Element::Link))?;
                }
                "hyperedges" => map.next_value_seed(List(state, Element::Hyperedge))?,
                _ => {
                    let value: Box<RawValue> = map.next_value()?;
                    state.out.further.push((name, value));
                }
            }
        }
        if !state.seen[0] {
            return Err(A::Error::custom("there are no `nodes`"));
        }
        Ok(())
    }
}

/// What a list holds.
#[derive(Clone, Copy)]
enum Element {
    Node,
    Link,
    Hyperedge,
}

/// A list of the file.
struct List<'s, 'a>(&'s mut State<'a>, Element);

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.1 {
            Element::Node => "a list of nodes",
            Element::Link => "a list of links",
            Element::Hyperedge => "a list of hyperedges",
        })
    }

    fn visit_unit<E>(self) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        let Self(state, element) = self;
        while let Some(raw) = list.next_element::<Box<RawValue>>()? {
            let outcome = match element {
                Element::Hyperedge => {
                    state.out.hyperedges.push(raw);
                    continue;
                }
                _ if !raw.get().starts_with('{') => Err("an element is no object".to_string()),
                Element::Node => state.node(&raw),
                Element::Link => state.link(&raw),
            };
            outcome.map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

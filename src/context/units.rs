//! Logical units: what a bundle shows whole.
//!
//! Where it sits: between nodes of the index and pieces. Not every node is a unit: a field, a member of an enumeration, a
//! helper inside a short function are shown with what holds them. Invariant: every node inside a file belongs to exactly
//! one unit, itself or one that holds it; places of units are those of the text as it is now.
//!
//! | node | its unit |
//! |---|---|
//! | function, method, type, constant of a file, namespace or class | itself |
//! | field | itself from [`OWN_FIELD`] lines on, else its type |
//! | member of an interface or enumeration | the interface or enumeration |
//! | anything inside a function or value | the outer one, unless that is longer than [`LONG`] lines |

use rustc_hash::FxHashMap;

use crate::context::files::{Files, OpenFile};
use crate::ids::{LocalNode, SymId};
use crate::model::key;
use crate::model::label::{NodeKind, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::{FileFlags, Unit};
use crate::snapshot::{NodeView, Snapshot};

/// Fields of fewer lines are shown with their type.
const OWN_FIELD: u32 = 4;
/// Functions and values of more lines do not stand for what is defined inside them.
const LONG: u32 = 100;
/// Types of at most this many lines are shown with their methods.
const SMALL_TYPE: u32 = 12;
/// A comment of more lines above a unit is not shown with it.
const MAX_DOC: u32 = 20;
/// Most members of one node that are looked at.
const MAX_MEMBERS: usize = 4000;

/// A logical unit of a file that was read.
#[derive(Clone, Debug)]
pub(crate) struct UnitInfo {
    /// The symbol; `None` for what was defined after indexing.
    pub(crate) sym: Option<SymId>,
    pub(crate) key: String,
    pub(crate) label: String,
    pub(crate) kind: NodeKind,
    pub(crate) flags: NodeFlags,
    /// Place of its file.
    pub(crate) file: usize,
    /// First line of the definition.
    pub(crate) start: u32,
    /// Last line.
    pub(crate) end: u32,
    /// First line of the comment above it, or `start`.
    pub(crate) top: u32,
    /// First and last line of the type that holds it, where one does.
    pub(crate) holder: Option<(u32, u32)>,
    /// Lines that members show as units of their own.
    pub(crate) inner: Vec<(u32, u32)>,
}

impl UnitInfo {
    /// The lines of the unit without its members that are units themselves, from the comment above it on.
    pub(crate) fn own_lines(&self) -> Vec<(u32, u32)> {
        let mut stretches = Vec::new();
        let mut next = self.top;
        for (first, last) in &self.inner {
            if next < *first {
                stretches.push((next, first - 1));
            }
            next = next.max(last + 1);
        }
        if next <= self.end {
            stretches.push((next, self.end));
        }
        stretches
    }
}

/// What decides whether a node is a unit.
#[derive(Clone, Copy)]
struct Shape {
    kind: NodeKind,
    lines: u32,
}

impl Shape {
    fn of_view(node: &NodeView<'_>) -> Self {
        Self {
            kind: node.kind(),
            lines: lines(node.span()),
        }
    }

    fn of_unit(unit: &Unit, node: LocalNode) -> Option<Self> {
        let node = unit.node(node)?;
        Some(Self {
            kind: node.kind,
            lines: lines(node.span),
        })
    }

    /// Whether a node of this shape below `parent` is a unit of its own.
    fn is_own(self, parent: Self) -> bool {
        match parent.kind {
            NodeKind::FILE
            | NodeKind::MODULE
            | NodeKind::CLASS
            | NodeKind::STRUCT
            | NodeKind::TRAIT
            | NodeKind::IMPL
            | NodeKind::UNION => match self.kind {
                NodeKind::FIELD | NodeKind::ENUM_MEMBER => self.lines >= OWN_FIELD,
                _ => parent.kind != NodeKind::CLASS || parent.lines > SMALL_TYPE,
            },
            NodeKind::INTERFACE | NodeKind::ENUM | NodeKind::TYPE_ALIAS => false,
            _ => parent.lines > LONG && self.lines >= OWN_FIELD && self.kind != NodeKind::FIELD,
        }
    }
}

fn lines(span: Span) -> u32 {
    span.end_line.saturating_sub(span.start_line) + 1
}

/// The relations by which a node holds its members.
pub(crate) fn is_structure(relation: Relation) -> bool {
    matches!(
        relation,
        Relation::CONTAINS | Relation::METHOD | Relation::CASE_OF | Relation::DEFINES
    )
}

/// The unit to which a node belongs; `None` for files, placeholders and dead symbols.
pub(crate) fn unit_of(snapshot: &Snapshot, sym: SymId) -> Option<SymId> {
    let mut node = snapshot.node(sym)?;
    if node.is_placeholder() || node.is_unit() {
        return None;
    }
    let mut found = node;
    while let Some(parent) = node.parent() {
        if !Shape::of_view(&node).is_own(Shape::of_view(&parent)) {
            found = parent;
        }
        node = parent;
    }
    (!found.is_unit()).then_some(found.sym())
}

/// The nodes of a unit: itself and its members that are no units.
pub(crate) fn members(snapshot: &Snapshot, unit: SymId) -> Vec<SymId> {
    let mut members = vec![unit];
    let mut at = 0;
    while let Some(node) = members.get(at).copied() {
        at += 1;
        if members.len() > MAX_MEMBERS {
            break;
        }
        let held = snapshot.out_edges(node);
        let held = held.filter(|e| is_structure(e.label.relation) && e.target != node);
        let inner: Vec<SymId> = held
            .map(|e| e.target)
            .filter(|t| unit_of(snapshot, *t) == Some(unit))
            .collect();
        for sym in inner {
            if !members.contains(&sym) {
                members.push(sym);
            }
        }
    }
    members
}

/// Units of files that were read, by the symbol or the key.
pub(crate) struct Units<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) files: Files<'a>,
    infos: Vec<UnitInfo>,
    by_key: FxHashMap<String, usize>,
    by_sym: FxHashMap<SymId, Option<usize>>,
}

impl<'a> Units<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, files: Files<'a>) -> Self {
        Self {
            snapshot,
            files,
            infos: Vec::new(),
            by_key: FxHashMap::default(),
            by_sym: FxHashMap::default(),
        }
    }

    pub(crate) fn get(&self, place: usize) -> Option<&UnitInfo> {
        self.infos.get(place)
    }

    /// The file of a unit.
    pub(crate) fn file_of(&self, unit: &UnitInfo) -> Option<&OpenFile> {
        self.files.get(unit.file)
    }

    /// The unit of a symbol that [`unit_of`] returned; `None` where it is not there any more.
    pub(crate) fn of(&mut self, sym: SymId) -> Option<usize> {
        if let Some(known) = self.by_sym.get(&sym) {
            return *known;
        }
        let place = self.make(sym);
        self.by_sym.insert(sym, place);
        place
    }

    /// Whether a symbol was asked for and its file, which is there, no longer has it.
    pub(crate) fn is_missing(&self, sym: SymId) -> bool {
        matches!(self.by_sym.get(&sym), Some(None))
    }

    fn make(&mut self, sym: SymId) -> Option<usize> {
        let node = self.snapshot.node(sym).filter(|n| !n.is_unit())?;
        let file = self.files.place(node.file()?)?;
        let key = node.key();
        if let Some(known) = self.by_key.get(&key) {
            return Some(*known);
        }
        let now = self.files.get(file)?.now.as_ref();
        if now.is_some() {
            let local = now.and_then(|n| n.find(&key))?;
            return self.of_local(file, local, Some(sym));
        }
        let holder = node
            .parent()
            .filter(|p| !p.is_unit() && !is_value(p.kind()))
            .map(|p| (p.span().start_line, p.span().end_line));
        let shape = Shape::of_view(&node);
        let held = self.snapshot.out_edges(sym);
        let held = held.filter(|e| is_structure(e.label.relation) && e.target != sym);
        let mut inner: Vec<(u32, u32)> = held
            .filter_map(|e| self.snapshot.node(e.target))
            .filter(|n| {
                Shape::of_view(n).is_own(shape) && n.parent().is_some_and(|p| p.sym() == sym)
            })
            .map(|n| (n.span().start_line, n.span().end_line))
            .collect();
        inner.sort_unstable();
        let info = UnitInfo {
            sym: Some(sym),
            key,
            label: node.label(),
            kind: node.kind(),
            flags: node.flags(),
            file,
            start: node.span().start_line,
            end: node.span().end_line,
            top: 0,
            holder,
            inner,
        };
        Some(self.add(info))
    }

    /// The unit to which a definition of a changed file belongs; the file itself for what no unit holds.
    pub(crate) fn of_changed(&mut self, file: usize, node: LocalNode) -> Option<usize> {
        let unit = &self.files.get(file)?.now.as_ref()?.unit;
        let (mut at, mut found) = (node, node);
        while at != LocalNode::UNIT {
            let parent = unit.node(at)?.parent;
            if !Shape::of_unit(unit, at)?.is_own(Shape::of_unit(unit, parent)?) {
                found = parent;
            }
            at = parent;
        }
        let key = self
            .files
            .get(file)?
            .now
            .as_ref()?
            .keys
            .get(found.index())?
            .clone();
        let sym = self.snapshot.find_key(&key).ok().flatten();
        self.of_local(file, found, sym)
    }

    fn of_local(&mut self, file: usize, node: LocalNode, sym: Option<SymId>) -> Option<usize> {
        let now = self.files.get(file)?.now.as_ref()?;
        let (unit, key) = (&now.unit, now.keys.get(node.index())?.clone());
        if let Some(known) = self.by_key.get(&key) {
            return Some(*known);
        }
        let own = unit.node(node)?;
        let shape = Shape::of_unit(unit, node)?;
        let holder = unit
            .node(own.parent)
            .filter(|p| own.parent != LocalNode::UNIT && !is_value(p.kind))
            .map(|p| (p.span.start_line, p.span.end_line));
        let children = unit.nodes().iter().enumerate().skip(1);
        let inner = children.filter_map(|(i, child)| {
            let held = child.parent == node && i != node.index();
            let at = LocalNode::from_index(i)?;
            let own = held && Shape::of_unit(unit, at)?.is_own(shape);
            own.then_some((child.span.start_line, child.span.end_line))
        });
        let inner = if node == LocalNode::UNIT {
            Vec::new()
        } else {
            inner.collect()
        };
        let name = unit.text(own.name);
        let label = if key::is_callable(own.kind, own.flags) {
            format!("{name}()")
        } else {
            name.to_string()
        };
        let info = UnitInfo {
            sym,
            key,
            label,
            kind: own.kind,
            flags: own.flags,
            file,
            start: own.span.start_line,
            end: own.span.end_line,
            top: 0,
            holder,
            inner,
        };
        Some(self.add(info))
    }

    /// A whole file as a unit.
    pub(crate) fn whole_file(&mut self, file: usize) -> Option<usize> {
        let open = self.files.get(file)?;
        let key = open.source.key.clone();
        if let Some(known) = self.by_key.get(&key) {
            return Some(*known);
        }
        let info = UnitInfo {
            sym: self.snapshot.file(&key).and_then(|f| f.sym()),
            label: key.rsplit('/').next().unwrap_or(&key).to_string(),
            kind: NodeKind::FILE,
            flags: NodeFlags::default(),
            file,
            start: 1,
            end: open.source.line_count(),
            top: 1,
            holder: None,
            inner: Vec::new(),
            key,
        };
        Some(self.add(info))
    }

    fn add(&mut self, mut info: UnitInfo) -> usize {
        if let Some(open) = self.files.get(info.file) {
            let last = open.source.line_count();
            info.end = info.end.min(last);
            info.start = info.start.clamp(1, last.max(1));
            info.top = doc_start(open, info.start);
            if open.flags & FileFlags::TEST != 0 {
                info.flags = info.flags.with(NodeFlags::TEST);
            }
        }
        let place = self.infos.len();
        self.by_key.insert(info.key.clone(), place);
        if let Some(sym) = info.sym {
            self.by_sym.insert(sym, Some(place));
        }
        self.infos.push(info);
        place
    }
}

/// Kinds that hold others as part of their own code.
pub(crate) fn is_value(kind: NodeKind) -> bool {
    !matches!(
        kind,
        NodeKind::CLASS
            | NodeKind::STRUCT
            | NodeKind::TRAIT
            | NodeKind::IMPL
            | NodeKind::UNION
            | NodeKind::INTERFACE
            | NodeKind::ENUM
            | NodeKind::MODULE
    )
}

/// The first line of the comment and the decorators directly above a line.
fn doc_start(file: &OpenFile, start: u32) -> u32 {
    let mut top = start;
    let mut in_block = false;
    while top > 1 && start - top <= MAX_DOC {
        let above = file.source.line(top - 1).trim();
        if in_block {
            in_block = !above.contains("/*");
        } else if above.ends_with("*/") {
            // A block that begins on the same line may follow code.
            in_block = !above.starts_with("/*");
            if in_block && above.contains("/*") {
                break;
            }
        } else if !["//", "#", "@"].iter().any(|mark| above.starts_with(mark)) {
            break;
        }
        top -= 1;
    }
    if in_block || start - top > MAX_DOC {
        start
    } else {
        top
    }
}

//! Nodes and edges as a reader sees them: the read rule applied.
//!
//! Where it sits: what `search`, `traverse`, `context`, `render` and library users read. Invariants: only live records
//! are shown; an edge is shown once for every site; rows come in stored order (by relation, target, line), parts from
//! oldest to newest, so that every listing is the same on every run.

use std::borrow::Cow;

use crate::ids::{FileOrd, NodeIdx, SymId};
use crate::model::edge::EdgeLabel;
use crate::model::key;
use crate::model::label::{Language, NodeKind, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::segment::{NodeRow, OutRow};
use crate::snapshot::locate::Home;
use crate::snapshot::open::{Part, Snapshot};

/// One live node.
#[derive(Clone, Copy)]
pub struct NodeView<'a> {
    snapshot: &'a Snapshot,
    part: &'a Part,
    home: Home,
    sym: SymId,
    row: NodeRow<'a>,
}

/// One live edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeView {
    /// The node that makes the statement.
    pub source: SymId,
    /// What it is about. It may have no live record (its definition is gone and not yet linked anew).
    pub target: SymId,
    /// The statement.
    pub label: EdgeLabel,
}

impl<'a> NodeView<'a> {
    /// The symbol's id, valid within the snapshot's epoch.
    pub fn sym(&self) -> SymId {
        self.sym
    }

    /// The bare name as written.
    pub fn name(&self) -> &'a str {
        self.row.name()
    }

    /// What it is.
    pub fn kind(&self) -> NodeKind {
        self.row.kind()
    }

    /// Further properties.
    pub fn flags(&self) -> NodeFlags {
        self.row.flags()
    }

    /// Lines and bytes in its file.
    pub fn span(&self) -> Span {
        self.row.span()
    }

    /// The declaration on one line; empty where none was stored.
    pub fn signature(&self) -> &'a str {
        if self.is_placeholder() {
            ""
        } else {
            self.row.signature()
        }
    }

    /// The first paragraph of its doc comment; empty where there is none.
    pub fn doc(&self) -> &'a str {
        self.row.doc()
    }

    /// Whether it stands for a symbol that no unit defines (an external package, an unresolved name).
    pub fn is_placeholder(&self) -> bool {
        self.part.segment.file_of(self.home.node).is_none()
    }

    /// Whether it can be called.
    pub fn is_callable(&self) -> bool {
        key::is_callable(self.row.kind(), self.row.flags())
    }

    /// Whether it stands for a whole unit.
    pub fn is_unit(&self) -> bool {
        self.row.kind() == NodeKind::FILE && !self.is_placeholder()
    }

    /// The key of the unit that holds it; `None` for placeholders.
    pub fn file(&self) -> Option<&'a str> {
        let ord = self.part.segment.file_of(self.home.node)?;
        self.part.segment.file(ord).map(|f| f.key())
    }

    /// The part and the place there of the file that holds it.
    pub(crate) fn home_file(&self) -> Option<(usize, FileOrd)> {
        let ord = self.part.segment.file_of(self.home.node)?;
        Some((self.home.part, ord))
    }

    /// The language of its unit.
    pub fn language(&self) -> Language {
        let file = self.part.segment.file_of(self.home.node);
        file.and_then(|ord| self.part.segment.file(ord))
            .map_or(Language::NONE, |f| f.language())
    }

    /// The node that holds it; `None` for units and placeholders.
    pub fn parent(&self) -> Option<NodeView<'a>> {
        if self.is_placeholder() || self.row.parent() == self.home.node {
            return None;
        }
        let sym = self.part.segment.sym_of(self.row.parent())?;
        self.snapshot.view_at(
            Home {
                part: self.home.part,
                node: self.row.parent(),
            },
            sym,
        )
    }

    /// The names from the outermost holder inside the file to this node, joined by dots; the bare name for units.
    pub fn qualified_name(&self) -> String {
        let mut names = vec![self.name()];
        let mut at = self.parent();
        while let Some(node) = at.filter(|n| !n.is_unit()) {
            names.push(node.name());
            at = node.parent();
        }
        names.reverse();
        names.join(".")
    }

    /// The symbol key.
    pub fn key(&self) -> String {
        self.part.segment.key(self.home.node).unwrap_or_default()
    }

    /// The community that an imported graph puts it in; empty where there is none.
    pub fn community(&self) -> &'a str {
        self.row.community()
    }

    /// How answers print it: `name()` for what can be called, `.name()` for members, the bare name for the rest.
    pub fn label(&self) -> String {
        let call = if self.is_callable() { "()" } else { "" };
        let member = [NodeKind::METHOD, NodeKind::CONSTRUCTOR, NodeKind::ACCESSOR];
        let dot = if member.contains(&self.kind()) {
            "."
        } else {
            ""
        };
        format!("{dot}{}{call}", self.name())
    }

    /// How many edges leave it.
    pub fn out_degree(&self) -> usize {
        self.part.segment.out_row(self.home.node).len()
    }
}

impl Snapshot {
    /// The live node of a symbol.
    pub fn node(&self, sym: SymId) -> Option<NodeView<'_>> {
        self.view_at(self.home(sym)?, sym)
    }

    /// A live node of a part whose place there is known.
    pub(crate) fn view_of(&self, part: usize, node: NodeIdx, sym: SymId) -> Option<NodeView<'_>> {
        self.view_at(Home { part, node }, sym)
    }

    pub(crate) fn view_at(&self, home: Home, sym: SymId) -> Option<NodeView<'_>> {
        let part = self.part(home.part)?;
        let row = part.segment.node(home.node)?;
        Some(NodeView {
            snapshot: self,
            part,
            home,
            sym,
            row,
        })
    }

    /// The symbol's forward row: its targets in order of relation. The fast way for walks; empty for a dead symbol.
    #[inline]
    pub fn out_row(&self, sym: SymId) -> OutRow<'_> {
        let row = self
            .home(sym)
            .and_then(|home| Some(self.part(home.part)?.segment.out_row(home.node)));
        row.unwrap_or_default()
    }

    /// The edges that leave a symbol, by relation, target and line.
    pub fn out_edges(&self, sym: SymId) -> impl Iterator<Item = EdgeView> + '_ {
        self.out_row(sym).iter().map(move |e| EdgeView {
            source: sym,
            target: e.target,
            label: e.label,
        })
    }

    /// The sources of the edges that lead to a symbol, with their relation; one entry an edge.
    pub fn in_neighbors(&self, sym: SymId) -> impl Iterator<Item = (SymId, Relation)> + '_ {
        self.in_records(sym)
            .filter_map(|(part, node, relation)| Some((self.symbol_at(part, node)?, relation)))
    }

    /// The edges that lead to a symbol, by part, source and line.
    pub fn in_edges(&self, sym: SymId) -> impl Iterator<Item = EdgeView> + '_ {
        let mut last: Option<(usize, NodeIdx, Relation)> = None;
        self.in_records(sym)
            .filter(move |(part, node, relation)| {
                // Parallel edges stand side by side in the backward row; the forward row then gives each of them once.
                let this = (std::ptr::from_ref::<Part>(part).addr(), *node, *relation);
                let repeated = last == Some(this);
                last = Some(this);
                !repeated
            })
            .flat_map(move |(part, node, relation)| {
                let source = self.symbol_at(part, node);
                let row = part.segment.out_row(node);
                source.into_iter().flat_map(move |source| {
                    row.to(relation, sym).map(move |e| EdgeView {
                        source,
                        target: sym,
                        label: e.label,
                    })
                })
            })
    }

    fn in_records(&self, sym: SymId) -> impl Iterator<Item = (&Part, NodeIdx, Relation)> + '_ {
        self.parts.iter().flat_map(move |part| {
            part.segment
                .in_row(sym)
                .iter()
                .filter(move |(node, _)| !part.dead.contains(*node))
                .map(move |(node, relation)| (part, node, relation))
        })
    }

    /// How many edges lead to a symbol. Exact where nothing is dead, else counted.
    pub fn in_degree(&self, sym: SymId) -> usize {
        let counts = self.parts.iter().map(|part| {
            let row = part.segment.in_row(sym);
            if part.dead.is_empty() {
                return row.len();
            }
            row.iter()
                .filter(|(node, _)| !part.dead.contains(*node))
                .count()
        });
        counts.sum()
    }

    /// All edges of a symbol in both directions.
    pub fn degree(&self, sym: SymId) -> usize {
        self.out_row(sym).len() + self.in_degree(sym)
    }

    /// The label that answers print for a symbol, live or not.
    pub fn label_of(&self, sym: SymId) -> Cow<'static, str> {
        self.node(sym)
            .map_or(Cow::Borrowed("(removed symbol)"), |n| Cow::Owned(n.label()))
    }
}

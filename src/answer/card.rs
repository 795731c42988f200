//! A node and an edge as an answer shows them.
//!
//! Where it sits: the smallest pieces of every answer. Invariant: texts are as the index holds them; `render` makes them
//! safe to print.

use serde::Serialize;

use crate::ids::SymId;
use crate::model::edge::EdgeLabel;
use crate::model::label::{Labels, NodeKind};
use crate::model::node::NodeFlags;
use crate::model::unit::NOWHERE;
use crate::snapshot::{NodeView, Snapshot};

/// One node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NodeCard {
    /// The symbol key: every command takes it.
    pub id: String,
    /// How answers print the node.
    pub label: String,
    /// What it is.
    pub kind: String,
    /// The key of its unit: the path of a file; empty for what no unit defines.
    pub file: String,
    /// First line; 0 where there is none.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// Whether it is test code.
    #[serde(skip_serializing_if = "is_false")]
    pub test: bool,
    /// The community that an imported graph puts it in; empty where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub community: String,
}

/// One edge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EdgeCard {
    /// Key of the node that makes the statement.
    pub source: String,
    /// Key of the node that it is about.
    pub target: String,
    /// What it states.
    pub relation: String,
    /// How sure it is.
    pub confidence: String,
    /// How the target was found.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// In which position of the source it stands.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// File of the site.
    pub file: String,
    /// Line of the site; 0 where there is none.
    pub line: u32,
    /// Place of the source in the list of nodes of the answer.
    #[serde(skip)]
    pub from: usize,
    /// Place of the target in the list of nodes of the answer.
    #[serde(skip)]
    pub to: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn is_false(value: &bool) -> bool {
    !*value
}

impl NodeCard {
    /// The card of a live node.
    pub(crate) fn new(node: &NodeView<'_>, labels: &Labels) -> Self {
        Self {
            id: node.key(),
            label: node.label(),
            kind: node.kind().name(labels),
            file: node
                .file()
                .filter(|f| *f != NOWHERE)
                .unwrap_or_default()
                .to_string(),
            line: node.span().start_line,
            end_line: node.span().end_line,
            test: node.flags().has(NodeFlags::TEST),
            community: node.community().to_string(),
        }
    }

    /// The card of a symbol, live or not.
    pub(crate) fn of(snapshot: &Snapshot, sym: SymId) -> Self {
        match snapshot.node(sym) {
            Some(node) => Self::new(&node, snapshot.labels()),
            None => Self {
                label: snapshot.label_of(sym).into_owned(),
                ..Self::default()
            },
        }
    }

    /// Whether the node stands for a whole unit.
    pub fn is_file(&self) -> bool {
        Some(self.kind.as_str()) == NodeKind::FILE.built_in_name()
    }
}

impl EdgeCard {
    /// The card of an edge between two nodes of an answer.
    pub(crate) fn new(
        label: EdgeLabel,
        labels: &Labels,
        (from, source): (usize, &NodeCard),
        (to, target): (usize, &NodeCard),
    ) -> Self {
        Self {
            source: source.id.clone(),
            target: target.id.clone(),
            relation: label.relation.name(labels),
            confidence: label.confidence.as_str().to_string(),
            reason: label.reason.name(labels),
            context: label.context.name(labels),
            file: source.file.clone(),
            line: label.line,
            from,
            to,
        }
    }
}

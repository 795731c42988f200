//! `graph.json`: nodes and links as the established exchange file for code graphs has them.
//!
//! ```json
//! {"directed":true,"multigraph":true,"graph":{"schema_version":1,"generator":"graphify 0.1.0"},
//!  "nodes":[{"id":"src/a.ts::f()","label":"f()","file_type":"code","kind":"function","source_file":"src/a.ts","source_location":"L1","end_line":3}, …],
//!  "links":[{"source":"src/a.ts::f()","target":"src/b.ts::g()","relation":"calls","confidence":"EXTRACTED","confidence_score":1.0,"context":"call","reason":"import","source_file":"src/a.ts","source_location":"L2","weight":1.0}, …],
//!  "hyperedges":[]}
//! ```
//!
//! What was imported is given back as it was written: its nodes, links, hyperedges and the further fields of the file.
//!
//! Graph libraries read it as node-link data whose edges are called `links`. Where it sits: written for `export json` and
//! for scripts that know the format. Invariants: every link names two nodes of the file; parallel links and every site
//! are kept; nothing in it depends on the time or the place of the export.

use std::io::{self, Write};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::ids::SymId;
use crate::model::edge::{Confidence, EdgeLabel};
use crate::model::label::{NodeKind, Relation};
use crate::model::unit::{IMPORTED, NOWHERE};
use crate::snapshot::{FileView, NodeView, Snapshot};

/// How much was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Nodes.
    pub nodes: u64,
    /// Links.
    pub links: u64,
    /// Nodes among them that stand for something outside the index: packages, environment variables.
    pub outside: u64,
}

#[derive(Serialize)]
struct NodeRecord<'a> {
    id: String,
    label: String,
    file_type: &'static str,
    kind: String,
    source_file: &'a str,
    source_location: String,
    #[serde(skip_serializing_if = "is_zero")]
    end_line: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    signature: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    external: bool,
}

#[derive(Serialize)]
struct LinkRecord<'a> {
    source: &'a str,
    target: String,
    relation: String,
    confidence: &'static str,
    confidence_score: f32,
    #[serde(skip_serializing_if = "String::is_empty")]
    context: String,
    reason: String,
    source_file: &'a str,
    source_location: String,
    weight: f32,
}

/// Writes the whole graph. Names that nothing was proved for are left out, with the links to them: the format has no way
/// to tell them from symbols.
///
/// # Errors
/// [`crate::ErrorKind::Io`] when `out` fails.
pub fn write(snapshot: &Snapshot, out: &mut dyn Write) -> Result<Written> {
    let mut writer = Writer {
        snapshot,
        out,
        written: Written::default(),
    };
    writer
        .all()
        .map_err(|e| Error::io("write the graph to", "graph.json", e))?;
    Ok(writer.written)
}

struct Writer<'a> {
    snapshot: &'a Snapshot,
    out: &'a mut dyn Write,
    written: Written,
}

impl Writer<'_> {
    fn all(&mut self) -> io::Result<()> {
        self.head()?;
        let snapshot = self.snapshot;
        for file in snapshot.files() {
            if self.kept(&file, b'n')? {
                continue;
            }
            for node in file.nodes() {
                self.node(&node)?;
            }
        }
        // Numbers of symbols depend on the order of commits, keys do not; and a placeholder that nothing leads to any more
        // is only still there because nobody has merged the segments since.
        let externals = (0..snapshot.symbol_bound())
            .map(SymId)
            .filter_map(|symbol| {
                let node = snapshot.node(symbol)?;
                let wanted = node.is_placeholder() && is_shown(&node);
                (wanted && snapshot.in_neighbors(symbol).next().is_some())
                    .then(|| (node.key(), node))
            });
        let mut externals: Vec<(String, NodeView<'_>)> = externals.collect();
        externals.sort_by(|a, b| a.0.cmp(&b.0));
        // An imported graph declares its own nodes; a link may lead to one that it does not.
        if self.imported() {
            externals.clear();
        }
        for (_, node) in &externals {
            self.node(node)?;
        }
        self.written.outside = externals.len() as u64;
        self.out.write_all(br#"],"links":["#)?;
        for file in snapshot.files() {
            if self.kept(&file, b'l')? {
                continue;
            }
            self.links(&file)?;
        }
        self.out.write_all(b"],\"hyperedges\":[")?;
        if let Some(file) = snapshot.file(NOWHERE) {
            let mut first = true;
            self.lines(&file, b'h', |out, line| {
                out.write_all(if std::mem::take(&mut first) {
                    b"\n"
                } else {
                    b",\n"
                })?;
                out.write_all(line)
            })?;
        }
        self.out.write_all(b"]}\n")
    }

    /// What stands before the nodes.
    fn head(&mut self) -> io::Result<()> {
        let nowhere = self.snapshot.file(NOWHERE).filter(|_| self.imported());
        let Some(file) = nowhere else {
            return write!(
                self.out,
                r#"{{"directed":true,"multigraph":true,"graph":{{"schema_version":1,"generator":"graphify {}"}},"nodes":["#,
                env!("CARGO_PKG_VERSION")
            );
        };
        self.out.write_all(b"{")?;
        self.lines(&file, b't', |out, line| {
            out.write_all(line)?;
            out.write_all(b",")
        })?;
        self.out.write_all(br#""nodes":["#)
    }

    fn imported(&self) -> bool {
        self.snapshot
            .property(IMPORTED)
            .is_some_and(|p| !p.is_empty())
    }

    /// Writes what was kept of an imported unit, nodes or links; says whether it is one.
    fn kept(&mut self, file: &FileView<'_>, letter: u8) -> io::Result<bool> {
        let mut count = if letter == b'n' {
            self.written.nodes
        } else {
            self.written.links
        };
        let is_kept = self.lines(file, letter, |out, line| {
            out.write_all(if count > 0 { b",\n" } else { b"\n" })?;
            count += 1;
            out.write_all(line)
        })?;
        if letter == b'n' {
            self.written.nodes = count;
        } else {
            self.written.links = count;
        }
        Ok(is_kept)
    }

    /// Hands over the lines of one kind of what is attached to a unit; says whether anything is attached.
    fn lines(
        &mut self,
        file: &FileView<'_>,
        letter: u8,
        mut write: impl FnMut(&mut dyn Write, &[u8]) -> io::Result<()>,
    ) -> io::Result<bool> {
        let attachment = file.attachment().map_err(io::Error::other)?;
        let Some(attachment) = attachment else {
            return Ok(false);
        };
        for line in attachment.split(|b| *b == b'\n') {
            if let Some((first, rest)) = line.split_first()
                && *first == letter
            {
                write(self.out, rest)?;
            }
        }
        Ok(true)
    }

    fn links(&mut self, file: &FileView<'_>) -> io::Result<()> {
        let snapshot = self.snapshot;
        for node in file.nodes() {
            let key = node.key();
            let mut edges: Vec<_> = snapshot
                .out_edges(node.sym())
                .filter_map(|edge| Some((edge, snapshot.node(edge.target).filter(is_shown)?)))
                .map(|(edge, target)| (edge.label.relation, target.key(), edge.label, target))
                .collect();
            edges.sort_by(|a, b| (a.0, &a.1, a.2).cmp(&(b.0, &b.1, b.2)));
            for (_, target_key, label, target) in edges {
                self.link(&key, &node, &label, target_key, &target)?;
            }
        }
        Ok(())
    }

    fn node(&mut self, node: &NodeView<'_>) -> io::Result<()> {
        let span = node.span();
        let record = NodeRecord {
            id: node.key(),
            label: node.label(),
            file_type: if node.kind() == NodeKind::CONCEPT {
                "concept"
            } else {
                "code"
            },
            kind: node.kind().name(self.snapshot.labels()),
            source_file: node.file().unwrap_or_default(),
            source_location: match (node.is_unit(), span.start_line) {
                (true, _) => "L1".to_string(),
                (false, line) => location(line),
            },
            end_line: span.end_line,
            signature: node.signature(),
            external: node.is_placeholder(),
        };
        self.separate(self.written.nodes)?;
        self.written.nodes += 1;
        serde_json::to_writer(&mut *self.out, &record).map_err(io::Error::from)
    }

    fn link(
        &mut self,
        key: &str,
        source: &NodeView<'_>,
        label: &EdgeLabel,
        target_key: String,
        target: &NodeView<'_>,
    ) -> io::Result<()> {
        let labels = self.snapshot.labels();
        let record = LinkRecord {
            source: key,
            target: target_key,
            relation: label.relation.name(labels),
            confidence: label.confidence.as_str(),
            confidence_score: score(label.confidence),
            context: label.context.name(labels),
            reason: label.reason.name(labels),
            source_file: source.file().unwrap_or_default(),
            source_location: location(line_of(label, target)),
            weight: 1.0,
        };
        self.separate(self.written.links)?;
        self.written.links += 1;
        serde_json::to_writer(&mut *self.out, &record).map_err(io::Error::from)
    }

    fn separate(&mut self, before: u64) -> io::Result<()> {
        self.out.write_all(if before > 0 { b",\n" } else { b"\n" })
    }
}

/// Structure has no site of its own: it stands where its target does.
fn line_of(label: &EdgeLabel, target: &NodeView<'_>) -> u32 {
    let structural = [
        Relation::CONTAINS,
        Relation::METHOD,
        Relation::DEFINES,
        Relation::CASE_OF,
    ];
    if label.line == 0 && structural.contains(&label.relation) {
        return target.span().start_line;
    }
    label.line
}

fn is_shown(node: &NodeView<'_>) -> bool {
    !node.is_placeholder() || node.kind() != NodeKind::UNRESOLVED
}

fn location(line: u32) -> String {
    if line == 0 {
        String::new()
    } else {
        format!("L{line}")
    }
}

const fn score(confidence: Confidence) -> f32 {
    match confidence {
        Confidence::Extracted => 1.0,
        Confidence::Inferred => 0.85,
        Confidence::Ambiguous => 0.2,
        Confidence::Unresolved => 0.0,
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the serializer passes references"
)]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
mod tests {
    use super::*;
    use crate::model::edge::EdgeLabel;
    use crate::model::label::{Language, Reason};
    use crate::model::node::Span;
    use crate::model::unit::{NewNode, Unit};
    use crate::store::Store;

    #[test]
    fn nodes_and_every_parallel_link_are_written_and_unresolved_names_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        let mut writer = store.writer().unwrap();
        let mut unit = Unit::new("src/a.ts", Language::TYPESCRIPT);
        let span = Span {
            start_line: 3,
            end_line: 5,
            ..Span::default()
        };
        let f = unit
            .add(NewNode {
                span,
                ..NewNode::new("f", NodeKind::FUNCTION)
            })
            .unwrap();
        let g = unit.add(NewNode::new("g", NodeKind::METHOD)).unwrap();
        let call = |line| EdgeLabel {
            line,
            reason: Reason::SCOPE,
            ..EdgeLabel::stated(Relation::CALLS)
        };
        unit.link_local(f, g, call(4));
        unit.link_local(f, g, call(5));
        unit.link_key(
            f,
            "?gone",
            EdgeLabel {
                confidence: Confidence::Unresolved,
                ..call(5)
            },
        );
        unit.link_local(
            crate::ids::LocalNode::UNIT,
            f,
            EdgeLabel::stated(Relation::CONTAINS),
        );
        writer.put(unit).unwrap();
        writer.commit().unwrap();

        let mut bytes = Vec::new();
        let written = write(&store.snapshot().unwrap(), &mut bytes).unwrap();
        assert_eq!((written.nodes, written.links, written.outside), (3, 3, 0));
        let graph: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(graph["nodes"][0]["label"], "a.ts");
        assert_eq!(graph["nodes"][0]["source_location"], "L1");
        assert_eq!(graph["nodes"][1]["id"], "src/a.ts::f()");
        assert_eq!(graph["nodes"][1]["end_line"], 5);
        assert_eq!(graph["nodes"][2]["label"], ".g()");
        let links = graph["links"].as_array().unwrap();
        assert_eq!(links[0]["relation"], "contains");
        assert_eq!(links[0]["source_location"], "L3");
        let sites: Vec<_> = links
            .iter()
            .skip(1)
            .map(|l| l["source_location"].as_str().unwrap())
            .collect();
        assert_eq!(sites, ["L4", "L5"]);
        assert_eq!(links[1]["target"], "src/a.ts::g()");
        let mut again = Vec::new();
        write(&store.snapshot().unwrap(), &mut again).unwrap();
        assert_eq!(bytes, again);
    }
}

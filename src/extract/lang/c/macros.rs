//! Macros: constants, and units that can be called.
//!
//! The body of a macro is no part of the tree: its tokens are read for the names that it calls.

use super::kinds::{F, K};
use super::marks::{Role, role};
use super::tokens::{Token, Tokens};
use super::walker::{Walker, line_of};
use crate::extract::builder::Unbound;
use crate::ids::LocalNode;
use crate::model::facts::{Bound, RefTarget, Space};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::NodeFlags;
use crate::model::unit::NewNode;

/// How many tokens of a macro's body are read.
const BODY_LIMIT: usize = 4096;

impl Walker<'_> {
    /// `#define NAME value`.
    pub(super) fn constant_macro(&mut self) {
        let at = self.node();
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let text = self.text_of(name);
        let value = self.child(F::Value);
        if value.is_none() && self.is_guard(text) {
            return;
        }
        let body = value.map_or("", |v| self.text_of(v));
        let node = self.macro_node(at, text, NodeKind::CONSTANT, body);
        let number = body
            .trim_start()
            .bytes()
            .next()
            .is_none_or(|b| b.is_ascii_digit() || b == b'"');
        if !number {
            self.body_names(node, body, &[], line_of(at));
        }
    }

    /// `#define NAME(a, b) body`.
    pub(super) fn function_macro(&mut self) {
        let at = self.node();
        let Some(name) = self.child(F::Name) else {
            return;
        };
        let text = self.text_of(name);
        let params_node = self.child(F::Parameters);
        let params: Vec<&str> = match params_node {
            Some(params) => {
                let mut cursor = params.walk();
                params
                    .named_children(&mut cursor)
                    .filter(|p| self.kind_of(*p) == K::Identifier)
                    .map(|p| self.text_of(p))
                    .collect()
            }
            None => Vec::new(),
        };
        let node = self.macro_node(at, text, NodeKind::MACRO, "");
        if let Some(value) = self.child(F::Value) {
            let body = self.text_of(value);
            self.body_names(node, body, &params, line_of(at));
        }
    }

    fn macro_node(
        &mut self,
        at: tree_sitter::Node<'_>,
        name: &str,
        kind: NodeKind,
        value: &str,
    ) -> LocalNode {
        // The node ends with its line feed: it ends on the line before.
        let mut span = super::walker::span_of(at);
        let text = self.text_of(at);
        let trimmed = text.trim_end();
        span.end_byte = span
            .start_byte
            .saturating_add(u32::try_from(trimmed.len()).unwrap_or(0));
        let feeds = trimmed.bytes().filter(|b| *b == b'\n').count();
        span.end_line = span
            .start_line
            .saturating_add(u32::try_from(feeds).unwrap_or(0));
        let head = match kind {
            NodeKind::MACRO => {
                let value = self
                    .child(F::Value)
                    .map_or(at.end_byte(), |v| v.start_byte());
                let head = self.source.get(at.start_byte()..value).unwrap_or_default();
                crate::extract::doc::signature(head.trim_end().trim_end_matches('\\'))
            }
            // Tables of numbers are long: their values stay in the source.
            _ if value.is_empty() || value.len() > 80 || is_number(value) => String::new(),
            _ => crate::extract::doc::signature(trimmed),
        };
        let doc = self.take_doc(at);
        let node = self.b.define(NewNode {
            name,
            kind,
            parent: LocalNode::UNIT,
            span,
            signature: &head,
            doc: &crate::extract::doc::first_paragraph(&doc),
            flags: NodeFlags::EXPORTED,
        });
        let id = self.b.unit.intern(name);
        let file = crate::extract::builder::ScopeId::FILE;
        self.b.bind(file, id, Space::Value, Bound::Node(node));
        node
    }

    /// The guard against being included twice says nothing.
    fn is_guard(&self, name: &str) -> bool {
        let parent = self.node().parent();
        let Some(parent) = parent.filter(|p| self.kind_of(*p) == K::PreprocIfdef) else {
            return false;
        };
        self.child_of(parent, F::Name)
            .is_some_and(|n| self.text_of(n) == name)
    }

    /// What the body of a macro calls, and the name that it stands for.
    fn body_names(&mut self, node: LocalNode, body: &str, params: &[&str], line: u32) {
        let bytes = body.as_bytes();
        let mut tokens = Tokens::new(bytes);
        let mut lines = 0u32;
        let mut seen = 0;
        let mut before = 0u8;
        let mut only: Option<&str> = None;
        let mut count = 0usize;
        while let Some((token, start, end)) = tokens.next() {
            count += 1;
            if count > BODY_LIMIT {
                break;
            }
            let feeds = bytes.get(seen..start).unwrap_or_default();
            lines += u32::try_from(feeds.iter().filter(|b| **b == b'\n').count()).unwrap_or(0);
            seen = start;
            if token != Token::Word {
                before = match token {
                    Token::Mark(mark) => mark,
                    _ => 0,
                };
                continue;
            }
            let word = body.get(start..end).unwrap_or_default();
            let member = before == b'.' || before == b'>';
            before = 0;
            if role(word.as_bytes()) != Role::Name || params.contains(&word) || member {
                continue;
            }
            if tokens.peek() == Some(b'(') {
                let name = self.b.unit.intern(word);
                let callee = self.b.name(crate::extract::builder::ScopeId::FILE, name);
                self.b.reference(
                    node,
                    RefTarget::Expr(callee),
                    Relation::CALLS,
                    Context::CALL,
                    line + lines,
                );
            } else {
                only = Some(word);
            }
        }
        if let (Some(word), true) = (only, count <= 3) {
            let name = self.b.unit.intern(word);
            let scope = crate::extract::builder::ScopeId::FILE;
            self.b
                .read_or(scope, name, node, line, Context::ASSIGNMENT, Unbound::Kept);
        }
    }
}

fn is_number(value: &str) -> bool {
    let value = value.trim().trim_matches(['(', ')', '-']);
    value.bytes().next().is_some_and(|b| b.is_ascii_digit())
        && value.bytes().all(|b| b.is_ascii_alphanumeric())
}

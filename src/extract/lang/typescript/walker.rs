//! The walker's state, and the small steps that all its parts share.
//!
//! Invariant: every method that visits something is entered with the cursor on that node and leaves it there. One cursor
//! passes over the tree once; what lies deeper than [`DEPTH_LIMIT`] is skipped and the file marked incomplete.

use rustc_hash::FxHashMap;
use tree_sitter::{Node as Syntax, TreeCursor};

use super::kinds::{F, K, Tables};
use crate::extract::builder::{Builder, ScopeId};
use crate::extract::doc;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{ExprId, FunctionId, RefTarget, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::NewNode;

/// How deep expressions, statements and types may nest. The walk is recursive; chains of calls, members and operators
/// do not count. Far beyond what people write, and small enough for a thread's ordinary stack.
pub(super) const DEPTH_LIMIT: u32 = 300;

/// What the surroundings expect of an expression; turned into evidence only where a function needs it.
#[derive(Clone, Copy)]
pub(super) enum Expect<'a> {
    /// Nothing is known.
    Nothing,
    /// A value like this one.
    Like(ExprId),
    /// An argument of a call.
    Argument(ExprId, u32),
    /// A property of an expected object.
    Property(&'a Expect<'a>, StrId),
    /// The result of an expected function.
    Result(&'a Expect<'a>),
    /// An element of an expected sequence.
    Element(&'a Expect<'a>),
}

/// Who holds the functions of an object literal as nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Members {
    /// They become nodes below this one.
    Of(LocalNode),
    /// Only shorthand methods become nodes (objects that are passed to a call).
    Methods(LocalNode),
}

/// The walk over one file.
pub(super) struct Walker<'t> {
    pub(super) cursor: TreeCursor<'t>,
    pub(super) source: &'t str,
    pub(super) tables: &'static Tables,
    pub(super) b: Builder,
    /// Plain JavaScript: fields come from assignments.
    pub(super) javascript: bool,
    /// The innermost node around the cursor.
    pub(super) owner: LocalNode,
    pub(super) scope: ScopeId,
    /// Where `var` binds.
    pub(super) var_scope: ScopeId,
    /// What `this` is.
    pub(super) this: ExprId,
    /// What `super` is.
    pub(super) base: ExprId,
    /// Values that the function around the cursor returns.
    pub(super) returns: Vec<u32>,
    /// Whether declarations stand at the top of the file or of a namespace.
    pub(super) at_top: bool,
    /// Whether the declaration that comes next is exported.
    pub(super) exporting: bool,
    /// Whether the declaration that comes next is the default export.
    pub(super) exporting_default: bool,
    /// The position that type names stand in.
    pub(super) type_context: Context,
    /// What a type name that stands there states.
    pub(super) type_relation: Relation,
    /// The alias whose object type is being read.
    pub(super) alias: Option<LocalNode>,
    /// A function's syntax that casts or brackets surround, the node that it belongs to, and its `this`.
    pub(super) pending: Option<(usize, LocalNode, super::functions::This)>,
    /// The written result of the function around the cursor.
    pub(super) result: ExprId,
    /// `process.env` as last seen.
    pub(super) env: ExprId,
    /// Functions, classes and constants by holder and name: overloads and assignments to members find them here.
    pub(super) named: FxHashMap<(LocalNode, StrId), LocalNode>,
    /// Bytes and last line of the comment before the cursor.
    pub(super) comment: Option<(usize, usize, usize)>,
    /// Kinds of the steps of the chains that are being built, innermost last.
    pub(super) chain: Vec<K>,
    pub(super) depth: u32,
    pub(super) incomplete: bool,
    pub(super) errors: u32,
    pub(super) is_module: bool,
}

impl<'t> Walker<'t> {
    crate::extract::lang::cursor::cursor!();

    /// Goes one level deeper, or notes that the file is too deep.
    pub(super) fn deeper(&mut self) -> bool {
        if self.depth >= DEPTH_LIMIT {
            self.incomplete = true;
            return false;
        }
        self.depth += 1;
        true
    }

    /// Runs `visit` in a new scope.
    pub(super) fn in_block(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = self.scope;
        let top = std::mem::replace(&mut self.at_top, false);
        self.scope = self.b.open();
        visit(self);
        self.b.close(self.scope);
        self.scope = outer;
        self.at_top = top;
    }

    /// A value without the brackets and casts around it.
    pub(super) fn peeled(&self, mut value: Syntax<'t>) -> Syntax<'t> {
        for _ in 0..16 {
            let inner = match self.kind_of(value) {
                K::ParenthesizedExpression => value.named_child(0),
                K::AsExpression | K::SatisfiesExpression | K::NonNullExpression => value.child(0),
                _ => None,
            };
            match inner {
                Some(inner) => value = inner,
                None => break,
            }
        }
        value
    }

    /// Adds a reference from the innermost node.
    pub(super) fn refer(
        &mut self,
        target: RefTarget,
        relation: Relation,
        context: Context,
        line: u32,
    ) {
        let unknown = matches!(target, RefTarget::Expr(ExprId::UNKNOWN))
            || matches!(target, RefTarget::Type(TypeId::UNKNOWN));
        if !unknown {
            self.b
                .reference(self.owner, target, relation, context, line);
        }
    }

    /// Adds a node for the syntax `at`, whose declaration ends (and whose body begins) at `head_end`.
    pub(super) fn define(
        &mut self,
        name: &str,
        kind: NodeKind,
        parent: LocalNode,
        at: Syntax<'_>,
        head_end: usize,
        flags: NodeFlags,
    ) -> LocalNode {
        let start = self.first_line(at);
        let head = self
            .source
            .get(start.0..head_end.max(start.0))
            .unwrap_or_default();
        let signature = doc::signature(head);
        let doc = self.take_doc(at);
        let span = Span {
            start_line: start.1,
            end_line: u32::try_from(at.end_position().row + 1).unwrap_or(u32::MAX),
            start_byte: u32::try_from(at.start_byte()).unwrap_or(u32::MAX),
            end_byte: u32::try_from(at.end_byte()).unwrap_or(u32::MAX),
        };
        let mut flags = flags;
        if at.has_error() {
            flags = flags.with(NodeFlags::BROKEN);
        }
        if doc.contains("@deprecated") {
            flags = flags.with(NodeFlags::DEPRECATED);
        }
        self.b.define(NewNode {
            name,
            kind,
            parent,
            span,
            signature: &signature,
            doc: &doc::first_paragraph(&doc),
            flags,
        })
    }

    /// First byte and line of a declaration without its decorators.
    fn first_line(&self, at: Syntax<'_>) -> (usize, u32) {
        let mut start = (at.start_byte(), line_of(at));
        let Some(first) = at.child(0) else {
            return start;
        };
        if self.kind_of(first) != K::Decorator {
            return start;
        }
        for i in 1..at.child_count() {
            let Some(child) = at.child(i) else { break };
            if !matches!(self.kind_of(child), K::Decorator | K::Comment) {
                start = (child.start_byte(), line_of(child));
                break;
            }
        }
        start
    }

    /// The comment that stands directly before a declaration.
    fn take_doc(&mut self, at: Syntax<'_>) -> String {
        let Some((start, end, last_row)) = self.comment.take() else {
            return String::new();
        };
        if last_row + 1 < at.start_position().row {
            return String::new();
        }
        doc::clean(self.source.get(start..end).unwrap_or_default())
    }

    /// Remembers the comment under the cursor; line comments that follow each other are one.
    pub(super) fn note_comment(&mut self) {
        let node = self.node();
        let (start, end) = (node.start_byte(), node.end_byte());
        let row = node.end_position().row;
        let text = self.source.get(start..end).unwrap_or_default();
        if self.owner == LocalNode::UNIT && text.starts_with("///") {
            self.reference_directive(text);
        }
        let joined = match self.comment {
            Some((first, _, last_row))
                if text.starts_with("//")
                    && last_row + 1 == node.start_position().row
                    && self.source.get(first..first + 2) == Some("//") =>
            {
                first
            }
            _ => start,
        };
        self.comment = Some((joined, end, row));
    }

    /// `/// <reference path="…" />` takes another file along.
    fn reference_directive(&mut self, text: &str) {
        let path = text
            .split_once("<reference")
            .and_then(|(_, rest)| rest.split_once("path="))
            .and_then(|(_, rest)| rest.get(1..)?.split(['"', '\'']).next());
        let Some(path) = path.filter(|p| !p.is_empty()) else {
            return;
        };
        // A plain name is a file beside this one, not a package.
        let relative = if path.starts_with('.') {
            path.to_string()
        } else {
            format!("./{path}")
        };
        let module = self.b.unit.intern(&relative);
        let line = self.line();
        let effect = crate::model::facts::Imported::SideEffect;
        self.add_import(module, effect, true, false, line);
    }

    /// Visits the children of a body: statements or members, with the comments before them.
    pub(super) fn each_item(&mut self, mut visit: impl FnMut(&mut Self, K)) {
        self.comment = None;
        self.each(|w, kind| {
            if kind == K::Comment {
                w.note_comment();
                return;
            }
            if !w.node().is_named() {
                return;
            }
            visit(w, kind);
            w.comment = None;
        });
    }

    /// What is expected, as evidence.
    pub(super) fn expected(&mut self, expect: &Expect<'_>) -> ExprId {
        use crate::model::facts::{Expr, List};
        match *expect {
            Expect::Nothing => ExprId::UNKNOWN,
            Expect::Like(expr) => expr,
            Expect::Argument(call, index) => self.b.expr(Expr::Expected { call, index }),
            Expect::Property(object, name) => {
                let base = self.expected(object);
                self.b.member(base, name)
            }
            Expect::Result(function) => {
                let callee = self.expected(function);
                if callee == ExprId::UNKNOWN {
                    return callee;
                }
                self.b.expr(Expr::Call {
                    callee,
                    args: List::EMPTY,
                    type_args: List::EMPTY,
                })
            }
            Expect::Element(sequence) => {
                let base = self.expected(sequence);
                if base == ExprId::UNKNOWN {
                    return base;
                }
                self.b.expr(Expr::Element { base })
            }
        }
    }

    /// The flags that an `export` before a declaration gives it. The mark is used up.
    pub(super) fn take_export(&mut self) -> (bool, bool) {
        let exported = std::mem::take(&mut self.exporting);
        let default = std::mem::take(&mut self.exporting_default);
        (exported, default)
    }

    /// Offers a node to other files where the declaration was exported.
    pub(super) fn offer(&mut self, node: LocalNode, name: &str, export: (bool, bool), line: u32) {
        use crate::model::facts::Exported;
        let (exported, default) = export;
        if !exported {
            return;
        }
        let flags = if default {
            NodeFlags::EXPORTED.with(NodeFlags::DEFAULT_EXPORT)
        } else {
            NodeFlags::EXPORTED
        };
        if let Some(node) = self.b.unit.node_mut(node) {
            node.flags = node.flags.with(flags);
        }
        if self.scope != ScopeId::FILE {
            return;
        }
        let outside = self.b.unit.intern(if default { "default" } else { name });
        self.b.export(outside, Exported::Node(node), false, line);
    }
}

/// A function's own state, kept while the function inside it is read.
pub(super) struct Saved {
    pub(super) owner: LocalNode,
    pub(super) scope: ScopeId,
    pub(super) var_scope: ScopeId,
    pub(super) this: ExprId,
    pub(super) base: ExprId,
    pub(super) returns: Vec<u32>,
    pub(super) result: ExprId,
    pub(super) at_top: bool,
    pub(super) comment: Option<(usize, usize, usize)>,
    pub(super) function: FunctionId,
}

/// The line of a node, from 1.
#[inline]
pub(super) fn line_of(node: Syntax<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

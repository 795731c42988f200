//! The walker's state, and the small steps that all its parts share.
//!
//! Invariants: every method that visits something is entered with the cursor on that node and leaves it there. One cursor
//! passes over the tree (the top of the file twice: types first, so that methods find them); what lies deeper than
//! [`DEPTH_LIMIT`] is skipped and the file marked incomplete.
//!
//! Scopes: a Go name is visible from its declaration on, not in the whole block. Each declaration inside a function
//! therefore opens a scope of its own, which lasts until the block ends; the value beside it is read outside.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node as Syntax, TreeCursor};

use super::kinds::{F, K, Tables};
use crate::extract::builder::{Builder, ScopeId};
use crate::extract::doc;
use crate::extract::lang::Walked;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Bound, ExprId, RefTarget, Space, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::{NewNode, Unit};

/// How deep expressions, statements and types may nest. The walk is recursive; chains of calls, selectors, operators and
/// `else if` do not count.
pub(super) const DEPTH_LIMIT: u32 = 300;

/// The walk over one file.
pub(super) struct Walker<'t> {
    pub(super) cursor: TreeCursor<'t>,
    pub(super) source: &'t str,
    pub(super) tables: &'static Tables,
    pub(super) b: Builder,
    /// The innermost node around the cursor.
    pub(super) owner: LocalNode,
    pub(super) scope: ScopeId,
    /// The block around the cursor: the scope that it opened with.
    pub(super) block: ScopeId,
    /// Scopes that are open, innermost last.
    open: Vec<ScopeId>,
    /// Names that a block declares: a second `:=` assigns them.
    declared: FxHashSet<(ScopeId, StrId)>,
    /// Types of the file, and stand-ins for types of other files, by name.
    pub(super) holders: FxHashMap<StrId, LocalNode>,
    /// Types at the top of the file by the first byte of their declaration.
    pub(super) declared_types: FxHashMap<usize, LocalNode>,
    /// Predeclared types by name; `None` for a name that is none.
    pub(super) predeclared: FxHashMap<StrId, Option<TypeId>>,
    /// Names under which the file knows the package `os`.
    pub(super) os: Vec<StrId>,
    /// The position that type names stand in.
    pub(super) type_context: Context,
    /// First byte, end and last row of the comment before the cursor.
    comment: Option<(usize, usize, usize)>,
    /// Kinds of the steps of the chains that are being built, innermost last.
    pub(super) chain: Vec<K>,
    /// What stands in the brackets of the callee under the cursor, as a type.
    pub(super) instance: TypeId,
    depth: u32,
    incomplete: bool,
    pub(super) errors: u32,
}

impl<'t> Walker<'t> {
    crate::extract::lang::cursor::cursor!();

    pub(super) fn new(
        unit: Unit,
        source: &'t str,
        cursor: TreeCursor<'t>,
        tables: &'static Tables,
    ) -> Self {
        let mut b = Builder::new(unit);
        b.keep_free_reads();
        Self {
            cursor,
            source,
            tables,
            b,
            owner: LocalNode::UNIT,
            scope: ScopeId::FILE,
            block: ScopeId::FILE,
            open: Vec::new(),
            declared: FxHashSet::default(),
            holders: FxHashMap::default(),
            declared_types: FxHashMap::default(),
            predeclared: FxHashMap::default(),
            os: Vec::new(),
            type_context: Context::TYPE,
            comment: None,
            chain: Vec::new(),
            instance: TypeId::UNKNOWN,
            depth: 0,
            incomplete: false,
            errors: 0,
        }
    }

    pub(super) fn finish(self) -> Walked {
        Walked {
            unit: self.b.finish(),
            incomplete: self.incomplete,
            errors: self.errors,
        }
    }

    /// Visits the named children that are no comments.
    pub(super) fn each_part(&mut self, mut visit: impl FnMut(&mut Self, K)) {
        self.each(|w, kind| {
            if kind != K::Comment && w.node().is_named() {
                visit(w, kind);
            }
        });
    }

    /// Visits declarations, with the comments before them.
    pub(super) fn each_item(&mut self, mut visit: impl FnMut(&mut Self, K)) {
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

    /// Goes one level deeper, or notes that the file is too deep.
    pub(super) fn deeper(&mut self) -> bool {
        if self.depth >= DEPTH_LIMIT {
            self.incomplete = true;
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn shallower(&mut self) {
        self.depth -= 1;
    }

    /// Opens a scope inside the current one, until the block ends.
    pub(super) fn enter_scope(&mut self) {
        self.scope = self.b.open();
        self.open.push(self.scope);
    }

    /// Runs `visit` in a block of its own.
    pub(super) fn in_block(&mut self, visit: impl FnOnce(&mut Self)) {
        let (scope, block, mark) = (self.scope, self.block, self.open.len());
        self.enter_scope();
        self.block = self.scope;
        visit(self);
        while self.open.len() > mark {
            if let Some(inner) = self.open.pop() {
                self.b.close(inner);
            }
        }
        (self.scope, self.block) = (scope, block);
    }

    /// Declares a name of the current block, visible from here on; `_` declares nothing.
    pub(super) fn declare(&mut self, name: StrId, ty: TypeId, value: ExprId) {
        if self.b.unit.text(name) == "_" {
            return;
        }
        self.declared.insert((self.block, name));
        self.b
            .bind(self.scope, name, Space::Both, Bound::Local { ty, value });
    }

    /// Whether the current block has declared a name.
    pub(super) fn is_declared(&self, name: StrId) -> bool {
        self.declared.contains(&(self.block, name))
    }

    /// Runs `visit` where type names stand in another position.
    pub(super) fn in_context<R>(
        &mut self,
        context: Context,
        visit: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = std::mem::replace(&mut self.type_context, context);
        let result = visit(self);
        self.type_context = outer;
        result
    }

    /// Runs `visit` with another innermost node.
    pub(super) fn owned<R>(&mut self, owner: LocalNode, visit: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.owner, owner);
        let result = visit(self);
        self.owner = outer;
        result
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

    /// Adds a node for the syntax `at`, whose signature ends at `head_end`. A name in upper case is visible outside.
    pub(super) fn define(
        &mut self,
        name: &str,
        kind: NodeKind,
        parent: LocalNode,
        at: Syntax<'_>,
        head_end: usize,
        flags: NodeFlags,
    ) -> LocalNode {
        let start = at.start_byte();
        let head = self.source.get(start..head_end.max(start));
        let signature = doc::signature(head.unwrap_or_default());
        let doc = self.take_doc(at);
        let mut flags = flags;
        if name.chars().next().is_some_and(char::is_uppercase) {
            flags = flags.with(NodeFlags::EXPORTED);
        }
        if at.has_error() {
            flags = flags.with(NodeFlags::BROKEN);
        }
        if doc.contains("Deprecated:") {
            flags = flags.with(NodeFlags::DEPRECATED);
        }
        self.b.define(NewNode {
            name,
            kind,
            parent,
            span: span_of(at),
            signature: &signature,
            doc: &doc::first_paragraph(&doc),
            flags,
        })
    }

    /// The comment directly before a declaration, without the marks for tools in it.
    pub(super) fn take_doc(&mut self, at: Syntax<'_>) -> String {
        let Some((start, end, last_row)) = self.comment.take() else {
            return String::new();
        };
        if last_row + 1 < at.start_position().row {
            return String::new();
        }
        let text = self.source.get(start..end).unwrap_or_default();
        if !text.contains("//go:") && !text.contains("//nolint") {
            return doc::clean(text);
        }
        let kept: Vec<&str> = text
            .lines()
            .filter(|l| {
                let l = l.trim_start();
                !l.starts_with("//go:") && !l.starts_with("//nolint")
            })
            .collect();
        doc::clean(&kept.join("\n"))
    }

    /// Remembers the comment under the cursor; line comments that follow each other are one.
    fn note_comment(&mut self) {
        let node = self.node();
        let (start, end) = (node.start_byte(), node.end_byte());
        let text = self.source.get(start..end).unwrap_or_default();
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
        self.comment = Some((joined, end, node.end_position().row));
    }

    /// Forgets the comment before the cursor.
    pub(super) fn forget_comment(&mut self) {
        self.comment = None;
    }
}

/// The line of a node, from 1.
#[inline]
pub(super) fn line_of(node: Syntax<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// Lines and bytes of a node.
pub(super) fn span_of(node: Syntax<'_>) -> Span {
    Span {
        start_line: line_of(node),
        end_line: u32::try_from(node.end_position().row + 1).unwrap_or(u32::MAX),
        start_byte: u32::try_from(node.start_byte()).unwrap_or(u32::MAX),
        end_byte: u32::try_from(node.end_byte()).unwrap_or(u32::MAX),
    }
}

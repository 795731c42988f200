//! The walker's state, and the small steps that all its parts share.
//!
//! Invariant: every method that visits something is entered with the cursor on that node and leaves it there. One cursor
//! passes over the tree once; what lies deeper than [`DEPTH_LIMIT`] is skipped and the file marked incomplete.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node as Syntax, Tree, TreeCursor};

use super::kinds::{F, K, Tables};
use crate::extract::builder::{Builder, ScopeId, Unbound};
use crate::extract::doc;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Bound, Expr, ExprId, Import, Imported, List, RefTarget, Space, TypeId};
use crate::model::label::{Context, Language, NodeKind, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::{NewNode, Unit};

/// How deep declarations, statements, expressions and types may nest. The walk is recursive; chains of operators do not
/// count.
pub(super) const DEPTH_LIMIT: u32 = 300;

/// The walk over one file.
pub(super) struct Walker<'t> {
    pub(super) cursor: TreeCursor<'t>,
    pub(super) source: &'t str,
    pub(super) tables: &'static Tables,
    pub(super) b: Builder,
    pub(super) cpp: bool,
    /// The innermost node around the cursor: references come from it.
    pub(super) owner: LocalNode,
    /// The node that holds what is defined here: the file, a namespace, a record.
    pub(super) holder: LocalNode,
    pub(super) scope: ScopeId,
    /// The scope in which the holder's members are bound.
    pub(super) member_scope: ScopeId,
    /// What `this` is, in C++.
    pub(super) this: ExprId,
    /// Whether the cursor is inside a function.
    pub(super) in_body: bool,
    /// Whether declarations stand in the body of a record.
    pub(super) in_record: bool,
    /// Whether what is defined here belongs to the file alone.
    pub(super) hidden: bool,
    /// Functions, variables and blocks of out-of-class members by holder and name.
    pub(super) named: FxHashMap<(LocalNode, StrId), LocalNode>,
    /// Names that the function around the cursor has been seen to read.
    pub(super) reads: FxHashSet<(LocalNode, StrId, Context)>,
    /// Values that the function around the cursor returns, in C++.
    pub(super) returns: Vec<u32>,
    /// Bytes and last line of the comment before the cursor.
    pub(super) comment: Option<(usize, usize, usize)>,
    /// A definition that a macro hides: its body follows.
    pub(super) awaiting_body: Option<LocalNode>,
    /// Lists of so many unknown arguments.
    pub(super) argument_lists: Vec<List>,
    /// Type parameters in front of the declaration that comes next.
    pub(super) type_params: Vec<u32>,
    /// The namespaces that are taken in whole, as base types of the file.
    pub(super) usings: Vec<u32>,
    pub(super) depth: u32,
    pub(super) incomplete: bool,
    pub(super) errors: u32,
}

impl<'t> Walker<'t> {
    crate::extract::lang::cursor::cursor!();

    pub(super) fn new(
        unit: Unit,
        language: Language,
        source: &'t str,
        tables: &'static Tables,
        tree: &'t Tree,
    ) -> Self {
        Self {
            cursor: tree.walk(),
            source,
            tables,
            b: Builder::new(unit),
            cpp: language == Language::CPP,
            owner: LocalNode::UNIT,
            holder: LocalNode::UNIT,
            scope: ScopeId::FILE,
            member_scope: ScopeId::FILE,
            this: ExprId::UNKNOWN,
            in_body: false,
            in_record: false,
            hidden: false,
            named: FxHashMap::default(),
            reads: FxHashSet::default(),
            returns: Vec::new(),
            comment: None,
            awaiting_body: None,
            argument_lists: Vec::new(),
            type_params: Vec::new(),
            usings: Vec::new(),
            depth: 0,
            incomplete: false,
            errors: 0,
        }
    }

    /// The whole file.
    pub(super) fn file(&mut self) {
        let root = self.node();
        if let Some(node) = self.b.unit.node_mut(LocalNode::UNIT) {
            node.span.start_line = 1;
            node.span.end_byte = u32::try_from(root.end_byte()).unwrap_or(u32::MAX);
        }
        self.items();
        if !self.usings.is_empty() {
            let bases = std::mem::take(&mut self.usings);
            let bases = self.b.list(&bases);
            self.b.def(LocalNode::UNIT).bases = bases;
        }
    }

    /// Visits the named children that are no comments.
    pub(super) fn each_named(&mut self, mut visit: impl FnMut(&mut Self, K)) {
        self.each(|w, kind| {
            if kind != K::Comment && w.node().is_named() {
                visit(w, kind);
            }
        });
    }

    /// Runs `visit` one level deeper, or notes that the file is too deep.
    pub(super) fn deeper<R: Default>(&mut self, visit: impl FnOnce(&mut Self) -> R) -> R {
        if self.depth >= DEPTH_LIMIT {
            self.incomplete = true;
            return R::default();
        }
        self.depth += 1;
        let result = visit(self);
        self.depth -= 1;
        result
    }

    /// Runs `visit` in a new scope.
    pub(super) fn in_scope<R>(&mut self, visit: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.scope;
        self.scope = self.b.open();
        let result = visit(self);
        self.b.close(self.scope);
        self.scope = outer;
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

    /// Notes that a name is read, once for each definition that reads it and each way of reading.
    pub(super) fn read(&mut self, name: StrId, context: Context, line: u32) {
        if self.reads.insert((self.owner, name, context)) {
            self.b
                .read_or(self.scope, name, self.owner, line, context, Unbound::Kept);
        }
    }

    /// A name in value position.
    pub(super) fn mention(&mut self, name: StrId) -> ExprId {
        let plain = self.b.name(self.scope, name);
        if self.this == ExprId::UNKNOWN {
            return plain;
        }
        // In a member function a name may be a member, its own or inherited.
        let base = self.this;
        let first = self.b.expr(Expr::Member { base, name });
        self.b.expr(Expr::Fallback {
            first,
            second: plain,
        })
    }

    /// Binds a parameter or local.
    pub(super) fn bind_local(&mut self, name: StrId, ty: TypeId, value: ExprId) {
        let bound = Bound::Local { ty, value };
        self.b.bind(self.scope, name, Space::Value, bound);
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
        let signature = self.signature(at, head_end);
        let doc = self.take_doc(at);
        let span = span_of(at);
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

    /// A prototype was seen before: the definition takes its place.
    pub(super) fn redefine(
        &mut self,
        node: LocalNode,
        at: Syntax<'_>,
        head_end: usize,
        flags: NodeFlags,
    ) {
        let signature = self.signature(at, head_end);
        let signature = self.b.unit.intern(&signature);
        let doc = self.take_doc(at);
        let doc = self.b.unit.intern(&doc::first_paragraph(&doc));
        if let Some(known) = self.b.unit.node_mut(node) {
            known.signature = signature;
            known.span = span_of(at);
            // `static` may stand on the prototype alone.
            known.flags = NodeFlags(known.flags.0 & !NodeFlags::ABSTRACT.0).with(flags);
            if doc != StrId::EMPTY {
                known.doc = doc;
            }
        }
    }

    fn signature(&self, at: Syntax<'_>, head_end: usize) -> String {
        let start = at.start_byte();
        doc::signature(
            self.source
                .get(start..head_end.max(start))
                .unwrap_or_default(),
        )
    }

    /// The comment that stands directly before a declaration.
    pub(super) fn take_doc(&mut self, at: Syntax<'_>) -> String {
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

    /// An included file, as written with its quotes or brackets.
    pub(super) fn include(&mut self) {
        let Some(path) = self.child(F::Path) else {
            return;
        };
        if !matches!(self.kind_of(path), K::StringLiteral | K::SystemLibString) {
            return;
        }
        let module = self.text_of(path);
        let module = self.b.unit.intern(module);
        let line = self.line();
        self.b.import(Import {
            from: LocalNode::UNIT,
            module,
            imported: Imported::Glob,
            type_only: false,
            dynamic: false,
            level: 0,
            line,
        });
    }
}

/// The lines and bytes of a node.
pub(super) fn span_of(at: Syntax<'_>) -> Span {
    Span {
        start_line: line_of(at),
        end_line: u32::try_from(at.end_position().row + 1).unwrap_or(u32::MAX),
        start_byte: u32::try_from(at.start_byte()).unwrap_or(u32::MAX),
        end_byte: u32::try_from(at.end_byte()).unwrap_or(u32::MAX),
    }
}

/// The line of a node, from 1.
#[inline]
pub(super) fn line_of(node: Syntax<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

//! The walker's state, and the small steps that all its parts share.
//!
//! Invariant: what lies deeper than [`DEPTH_LIMIT`] is skipped and the file marked incomplete. Chains of calls, members
//! and operators do not count.

use rustc_hash::FxHashMap;
use tree_sitter::{Node as Syntax, TreeCursor};

use super::kinds::{F, K, Tables};
use crate::extract::builder::{Builder, ScopeId};
use crate::extract::doc;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Bound, ExprId, RefTarget, Space, TypeExpr, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::NewNode;

/// How deep expressions, types, patterns and blocks may nest. The walk is recursive; the bound is far beyond what people
/// write and small enough for a thread's ordinary stack.
pub(super) const DEPTH_LIMIT: u32 = 200;

/// A child with the field that it fills.
#[derive(Clone, Copy)]
pub(super) struct Kid<'t> {
    pub(super) field: F,
    pub(super) kind: K,
    pub(super) node: Syntax<'t>,
}

/// What stands before an item: its doc comment and attributes.
#[derive(Clone, Copy, Default)]
pub(super) struct Before<'t> {
    /// First and last byte of the doc comment.
    pub(super) doc: Option<(usize, usize)>,
    /// `#[test]` and its like, `#[cfg(test)]`.
    pub(super) test: bool,
    /// Left out where most of the code runs (`#[cfg(windows)]`).
    pub(super) rare: bool,
    /// `#[deprecated]`.
    pub(super) deprecated: bool,
    /// `#[macro_export]`.
    pub(super) exported_macro: bool,
    /// `#[path = "…"]`.
    pub(super) path: Option<&'t str>,
}

/// The walk over one file.
pub(super) struct Walker<'t> {
    pub(super) cursor: TreeCursor<'t>,
    pub(super) source: &'t str,
    pub(super) tables: &'static Tables,
    pub(super) b: Builder,
    /// The innermost node around the place of the walk.
    pub(super) owner: LocalNode,
    /// The innermost module.
    pub(super) module: LocalNode,
    pub(super) scope: ScopeId,
    /// The scopes around it.
    pub(super) open_scopes: Vec<ScopeId>,
    /// Whether the place lies inside a function.
    pub(super) in_body: bool,
    /// Whether the place lies inside a test module.
    pub(super) in_test: bool,
    /// What `Self` is.
    pub(super) self_ty: TypeId,
    /// Names of the inline modules around.
    pub(super) folders: Vec<&'t str>,
    /// Scopes of the lists of items around, inside the module, innermost last.
    pub(super) item_scopes: Vec<ScopeId>,
    /// Types that a list of items defines, and holders of blocks for types from elsewhere.
    pub(super) types: FxHashMap<(ScopeId, StrId), LocalNode>,
    /// What a type name states where it stands.
    pub(super) type_relation: Relation,
    /// The language's own types, by name.
    pub(super) primitives: FxHashMap<&'static str, TypeId>,
    pub(super) depth: u32,
    pub(super) incomplete: bool,
    pub(super) errors: u32,
}

impl<'t> Walker<'t> {
    /// The kind of a node.
    #[inline]
    pub(super) fn kind(&self, node: Syntax<'_>) -> K {
        self.tables.kind(node.kind_id())
    }

    /// A child by field.
    pub(super) fn child(&self, node: Syntax<'t>, field: F) -> Option<Syntax<'t>> {
        node.child_by_field_id(self.tables.field_id(field))
    }

    /// The text of a node.
    #[inline]
    pub(super) fn text(&self, node: Syntax<'_>) -> &'t str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a name as a string of the unit, without the mark of a raw identifier.
    #[inline]
    pub(super) fn intern(&mut self, node: Syntax<'_>) -> StrId {
        let text = self.text(node);
        self.b.unit.intern(plain(text))
    }

    /// All children: tokens, comments and attributes too.
    pub(super) fn all_kids(&mut self, node: Syntax<'t>) -> Vec<Kid<'t>> {
        let mut kids = Vec::new();
        self.cursor.reset(node);
        if !self.cursor.goto_first_child() {
            return kids;
        }
        loop {
            let node = self.cursor.node();
            let field = self
                .cursor
                .field_id()
                .map_or(F::Other, |id| self.tables.field(id.get()));
            let kind = self.tables.kind(node.kind_id());
            if kind == K::Error || node.is_missing() {
                self.errors = self.errors.saturating_add(1);
            }
            kids.push(Kid { field, kind, node });
            if !self.cursor.goto_next_sibling() {
                return kids;
            }
        }
    }

    /// Named children without comments.
    pub(super) fn kids(&mut self, node: Syntax<'t>) -> Vec<Kid<'t>> {
        let mut kids = self.all_kids(node);
        kids.retain(|k| k.node.is_named() && !matches!(k.kind, K::LineComment | K::BlockComment));
        kids
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

    /// Opens a scope that lasts until the [`Self::in_scope`] around it ends.
    pub(super) fn open(&mut self) {
        self.open_scopes.push(self.scope);
        self.scope = self.b.open();
    }

    /// Runs `visit` in a new scope, and closes it with all that `visit` opened.
    pub(super) fn in_scope<R>(&mut self, visit: impl FnOnce(&mut Self) -> R) -> R {
        let height = self.open_scopes.len();
        self.open();
        let result = visit(self);
        while self.open_scopes.len() > height {
            self.b.close(self.scope);
            if let Some(outer) = self.open_scopes.pop() {
                self.scope = outer;
            }
        }
        result
    }

    /// The scope of the list of items around the place of the walk.
    pub(super) fn item_scope(&self) -> ScopeId {
        self.item_scopes.last().copied().unwrap_or_default()
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

    /// Binds a local.
    pub(super) fn local(&mut self, name: StrId, ty: TypeId, value: ExprId) {
        let bound = Bound::Local { ty, value };
        self.b.bind(self.scope, name, Space::Value, bound);
    }

    /// One of the language's own types.
    pub(super) fn primitive(&mut self, name: &'static str) -> TypeId {
        if let Some(known) = self.primitives.get(name) {
            return *known;
        }
        let ty = self.raw_type(name);
        self.primitives.insert(name, ty);
        ty
    }

    /// A type by a name that no declaration can change.
    pub(super) fn raw_type(&mut self, name: &str) -> TypeId {
        let name = self.b.unit.intern(name);
        let list = crate::model::facts::List::EMPTY;
        self.b.ty(TypeExpr::Free {
            name,
            path: list,
            args: list,
        })
    }

    /// Adds a node for the item `at`, whose head ends at `head_end`.
    #[expect(clippy::too_many_arguments, reason = "one plain description")]
    pub(super) fn define(
        &mut self,
        name: &str,
        kind: NodeKind,
        parent: LocalNode,
        at: Syntax<'_>,
        head_end: usize,
        before: &Before<'_>,
        flags: NodeFlags,
    ) -> LocalNode {
        let start = at.start_byte();
        let head = self
            .source
            .get(start..head_end.max(start))
            .unwrap_or_default();
        let signature = doc::signature(head);
        let doc = before.doc.map_or_else(String::new, |(start, end)| {
            doc::clean(self.source.get(start..end).unwrap_or_default())
        });
        let end = at.end_position();
        let end_line = if end.column == 0 && end.row > at.start_position().row {
            end.row
        } else {
            end.row + 1
        };
        let span = Span {
            start_line: line_of(at),
            end_line: u32::try_from(end_line).unwrap_or(u32::MAX),
            start_byte: u32::try_from(start).unwrap_or(u32::MAX),
            end_byte: u32::try_from(at.end_byte()).unwrap_or(u32::MAX),
        };
        let mut flags = flags;
        if at.has_error() {
            flags = flags.with(NodeFlags::BROKEN);
        }
        if before.deprecated {
            flags = flags.with(NodeFlags::DEPRECATED);
        }
        if self.in_test || before.test {
            flags = flags.with(NodeFlags::TEST);
        }
        self.b.define(NewNode {
            name: plain(name),
            kind,
            parent,
            span,
            signature: &signature,
            doc: &doc::first_paragraph(&doc),
            flags,
        })
    }
}

/// A name without the mark of a raw identifier.
pub(super) fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// The first line of a node, from 1.
pub(super) fn line_of(node: Syntax<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

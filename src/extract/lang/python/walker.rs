//! The walker's state, and the small steps that all its parts share.
//!
//! Invariant: every method that visits something is entered with the cursor on that node and leaves it there. One cursor
//! passes over the tree once; what lies deeper than [`DEPTH_LIMIT`] is skipped and the file marked incomplete.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node as Syntax, TreeCursor};

use super::flow::Flow;
use super::kinds::{F, K, Tables};
use crate::extract::builder::{Builder, ScopeId};
use crate::extract::doc;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{BindingId, Bound, ExprId, FunctionId, RefTarget, Space, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::NewNode;

/// How deep expressions, statements and types may nest. The walk is recursive; chains of calls, attributes and operators
/// do not count.
pub(super) const DEPTH_LIMIT: u32 = 300;

/// What surrounds the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    File,
    Class,
    Function,
}

/// The first parameter of a method: its name, the class, and whether it is the class itself.
#[derive(Clone, Copy)]
pub(super) struct Receiver {
    pub(super) name: StrId,
    pub(super) class: LocalNode,
    pub(super) of_type: bool,
}

/// The state of the file, class or function around the cursor.
pub(super) struct Frame {
    pub(super) around: Around,
    /// Where assignments bind.
    pub(super) scope: ScopeId,
    /// The innermost class around, or the unit itself.
    pub(super) class: LocalNode,
    pub(super) receiver: Option<Receiver>,
    pub(super) flow: Flow,
    /// Values that are returned.
    pub(super) returns: Vec<u32>,
    /// Values that are yielded.
    pub(super) yields: Vec<u32>,
    pub(super) is_generator: bool,
    /// Names that belong to the file.
    pub(super) globals: Vec<StrId>,
    /// Names that belong to a function around.
    pub(super) nonlocals: Vec<StrId>,
    /// Members of the class are cases of an enumeration.
    pub(super) is_enum: bool,
}

impl Frame {
    pub(super) fn new(around: Around, scope: ScopeId, class: LocalNode) -> Self {
        Self {
            around,
            scope,
            class,
            receiver: None,
            flow: Flow::default(),
            returns: Vec::new(),
            yields: Vec::new(),
            is_generator: false,
            globals: Vec::new(),
            nonlocals: Vec::new(),
            is_enum: false,
        }
    }
}

/// The walk over one file.
pub(super) struct Walker<'t> {
    pub(super) cursor: TreeCursor<'t>,
    pub(super) source: &'t str,
    pub(super) tables: &'static Tables,
    pub(super) b: Builder,
    /// The innermost node around the cursor.
    pub(super) owner: LocalNode,
    pub(super) scope: ScopeId,
    pub(super) frame: Frame,
    /// The position that type names stand in.
    pub(super) type_context: Context,
    /// Members and variables by holder and name.
    pub(super) named: FxHashMap<(LocalNode, StrId), LocalNode>,
    /// Names of the file's own scope, in the order of binding.
    pub(super) top_names: Vec<(StrId, u32)>,
    /// Written types of locals, by scope and name.
    pub(super) declared: FxHashMap<(ScopeId, StrId), ExprId>,
    /// Type variables that the file makes.
    pub(super) type_vars: FxHashMap<StrId, BindingId>,
    /// Type variables that were met in the signature that is being read.
    pub(super) met_vars: Vec<u32>,
    /// The type variable that stands for the type of `self`.
    pub(super) self_var: Option<StrId>,
    /// The function without written types whose parameters are being read, where something is expected of it.
    pub(super) expecting: Option<FunctionId>,
    /// Functions whose signatures so far are overloads.
    pub(super) overloads: FxHashSet<LocalNode>,
    /// Kinds of the steps of the chains that are being built, innermost last.
    pub(super) chain: Vec<K>,
    pub(super) depth: u32,
    pub(super) incomplete: bool,
    pub(super) errors: u32,
    /// The file is inside a block that only type checkers read.
    pub(super) type_checking: bool,
    /// The value of `None`.
    pub(super) none: ExprId,
}

impl<'t> Walker<'t> {
    crate::extract::lang::cursor::cursor!();

    /// Visits the named children in order.
    pub(super) fn each_named(&mut self, mut visit: impl FnMut(&mut Self, K)) {
        self.each(|w, kind| {
            let node = w.node();
            if node.is_missing() {
                w.errors += 1;
            } else if node.is_named() && kind != K::Comment {
                visit(w, kind);
            }
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

    /// Binds a name in the scope of the frame; later reads in the frame see it.
    pub(super) fn bind(&mut self, name: StrId, bound: Bound) -> BindingId {
        let scope = self.frame.scope;
        self.bind_in(scope, name, bound)
    }

    /// Binds a name in a scope; later reads in the frame see it.
    pub(super) fn bind_in(&mut self, scope: ScopeId, name: StrId, bound: Bound) -> BindingId {
        let binding = self.b.bind(scope, name, Space::Both, bound);
        self.frame.flow.set(name, binding);
        if scope == self.frame.scope {
            self.frame.flow.bound(name, binding);
        }
        if scope == ScopeId::FILE {
            let line = self.line();
            self.top_names.push((name, line));
        }
        binding
    }

    /// Binds a name to a value or a type.
    pub(super) fn bind_value(&mut self, name: StrId, ty: TypeId, value: ExprId) -> BindingId {
        let bound = Bound::Local { ty, value };
        let binding = self.bind(name, bound);
        if ty == TypeId::UNKNOWN && value == self.none {
            self.frame.flow.set_empty(binding);
        }
        binding
    }

    /// Adds a node. `at` is its syntax, `whole` the same with its decorators; its head ends at `head_end`.
    #[expect(
        clippy::too_many_arguments,
        reason = "all that a node is made of, said once"
    )]
    pub(super) fn define(
        &mut self,
        name: &str,
        kind: NodeKind,
        parent: LocalNode,
        at: Syntax<'_>,
        whole: Syntax<'_>,
        head_end: usize,
        doc: &str,
        flags: NodeFlags,
    ) -> LocalNode {
        let head = self.source.get(at.start_byte()..head_end);
        let signature = doc::signature(head.unwrap_or_default().trim_end().trim_end_matches(':'));
        let span = Span {
            start_line: line_of(at),
            end_line: end_line(at),
            start_byte: u32::try_from(whole.start_byte()).unwrap_or(u32::MAX),
            end_byte: u32::try_from(at.end_byte()).unwrap_or(u32::MAX),
        };
        let mut flags = flags;
        if at.has_error() {
            flags = flags.with(NodeFlags::BROKEN);
        }
        if parent == LocalNode::UNIT && !name.starts_with('_') {
            flags = flags.with(NodeFlags::EXPORTED);
        }
        self.b.define(NewNode {
            name,
            kind,
            parent,
            span,
            signature: &signature,
            doc,
            flags,
        })
    }
}

/// The line of a node, from 1.
#[inline]
pub(super) fn line_of(node: Syntax<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// The last line of a node. Blocks may end at the beginning of the line behind them.
pub(super) fn end_line(node: Syntax<'_>) -> u32 {
    let end = node.end_position();
    let row = if end.column == 0 && end.row > node.start_position().row {
        end.row
    } else {
        end.row + 1
    };
    u32::try_from(row).unwrap_or(u32::MAX)
}

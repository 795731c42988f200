//! The walker's state, and the small steps that all its parts share.
//!
//! Invariant: what lies deeper than [`DEPTH_LIMIT`] is skipped and the file marked incomplete.

use rustc_hash::FxHashMap;

use super::flat::{Flat, Id};
use super::kinds::{Role, Spec};
use crate::extract::builder::{Builder, ScopeId};
use crate::extract::doc;
use crate::extract::lang::Walked;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{BindingId, Bound, Exported, ExprId, List, RefTarget, Space, TypeId};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::node::{NodeFlags, Span};
use crate::model::unit::{NewNode, Unit};

/// How deep declarations, statements, expressions and types may nest; the walk is recursive.
const DEPTH_LIMIT: u32 = 300;

/// The walk over one file.
pub(super) struct Walker<'t> {
    pub(super) flat: &'t Flat,
    pub(super) source: &'t str,
    pub(super) spec: &'static Spec,
    pub(super) b: Builder,
    /// The innermost node around what is read.
    pub(super) owner: LocalNode,
    /// The innermost type around it, or the unit.
    pub(super) class: LocalNode,
    pub(super) scope: ScopeId,
    /// Open scopes, innermost last.
    open: Vec<ScopeId>,
    /// The package or namespace, its names joined by dots.
    pub(super) package: String,
    /// Values that the function around what is read returns.
    pub(super) returns: Vec<u32>,
    /// Whether a function lies around what is read: what is declared there is local.
    pub(super) in_function: bool,
    /// Whether the member around what is read belongs to the type itself.
    pub(super) in_static: bool,
    /// The position that type names stand in.
    pub(super) type_context: Context,
    /// The position of the value that is read next.
    pub(super) read_context: Context,
    /// The value that stands before a `?.`.
    pub(super) before: ExprId,
    /// The written type of what is initialised.
    pub(super) wanted: TypeId,
    /// The type that the extension around what is read extends.
    pub(super) receiver_type: TypeId,
    /// Values that lambdas around what is read have as their own.
    pub(super) lambda_receivers: Vec<ExprId>,
    /// The lambda that was read last.
    pub(super) last_lambda: ExprId,
    /// Whether methods belong to the type itself where they stand.
    pub(super) in_singleton: bool,
    /// Fields by their type and name.
    pub(super) fields: FxHashMap<(LocalNode, StrId), LocalNode>,
    /// How many bodies of statements lie around what is read, the function's own among them.
    pub(super) branches: u32,
    /// Type parameters of the declarations around, innermost last.
    pub(super) type_params: Vec<(StrId, BindingId)>,
    /// Bytes and last row of the comment before a declaration.
    comment: Option<(usize, usize, u32)>,
    depth: u32,
    incomplete: bool,
    pub(super) errors: u32,
}

/// What a declaration's surroundings were, kept while it is read.
pub(super) struct Around {
    owner: LocalNode,
    class: LocalNode,
    returns: Vec<u32>,
    in_function: bool,
    in_static: bool,
    scopes: usize,
    type_params: usize,
    receiver_type: TypeId,
    lambda_receivers: Vec<ExprId>,
    branches: u32,
    in_singleton: bool,
}

impl<'t> Walker<'t> {
    pub(super) fn new(unit: Unit, source: &'t str, spec: &'static Spec, flat: &'t Flat) -> Self {
        Self {
            flat,
            source,
            spec,
            b: Builder::new(unit),
            owner: LocalNode::UNIT,
            class: LocalNode::UNIT,
            scope: ScopeId::FILE,
            open: Vec::new(),
            package: String::new(),
            returns: Vec::new(),
            in_function: false,
            in_static: false,
            type_context: Context::TYPE,
            read_context: Context::PROPERTY_READ,
            before: ExprId::UNKNOWN,
            wanted: TypeId::UNKNOWN,
            receiver_type: TypeId::UNKNOWN,
            lambda_receivers: Vec::new(),
            last_lambda: ExprId::UNKNOWN,
            in_singleton: false,
            fields: FxHashMap::default(),
            branches: 0,
            type_params: Vec::new(),
            comment: None,
            depth: 0,
            incomplete: false,
            errors: 0,
        }
    }

    /// Reads the whole file.
    pub(super) fn file(mut self) -> Walked {
        let end_byte = u32::try_from(self.source.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.b.unit.node_mut(LocalNode::UNIT) {
            node.span.start_line = 1;
            node.span.end_byte = end_byte;
        }
        let root = self.flat.root();
        self.items(root);
        self.close_scopes(0);
        Walked {
            unit: self.b.finish(),
            incomplete: self.incomplete,
            errors: self.errors,
        }
    }

    /// The text of an item.
    pub(super) fn text(&self, id: Id) -> &'t str {
        let item = self.flat.item(id);
        let bytes = item.start as usize..item.end as usize;
        self.source.get(bytes).unwrap_or_default()
    }

    pub(super) fn intern(&mut self, id: Id) -> StrId {
        let text = self.text(id);
        self.b.unit.intern(text)
    }

    /// The line of an item, from 1.
    pub(super) fn line(&self, id: Id) -> u32 {
        self.flat.item(id).row.saturating_add(1)
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

    pub(super) fn higher(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reads declarations or statements, with the comments before them.
    pub(super) fn items(&mut self, id: Id) {
        self.comment = None;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Comment => self.note_comment(child),
                _ => {
                    self.visit(child);
                    self.comment = None;
                }
            }
        }
    }

    fn note_comment(&mut self, id: Id) {
        let item = self.flat.item(id);
        let (start, end) = (item.start as usize, item.end as usize);
        let joined = match self.comment {
            Some((first, _, last_row))
                if last_row.saturating_add(1) == item.row && !self.text(id).starts_with("/*") =>
            {
                let same = self.source.get(first..first + 2) == self.source.get(start..start + 2);
                if same { first } else { start }
            }
            _ => start,
        };
        self.comment = Some((joined, end, item.end_row));
    }

    fn take_doc(&mut self, row: u32) -> String {
        match self.comment.take() {
            Some((start, end, last_row)) if last_row.saturating_add(1) >= row => {
                doc::clean(self.source.get(start..end).unwrap_or_default())
            }
            _ => String::new(),
        }
    }

    /// First byte and line of a declaration without the annotations before it.
    fn head_start(&self, id: Id) -> (usize, u32) {
        let item = self.flat.item(id);
        let mut after = item.start as usize;
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Annotation => after = self.flat.item(child).end as usize,
                Role::Modifiers => {
                    for word in self.flat.children(child) {
                        if matches!(self.flat.role(word), Role::Annotation | Role::Modifiers) {
                            after = self.flat.item(word).end as usize;
                        } else {
                            break;
                        }
                    }
                }
                Role::Comment => {}
                _ => break,
            }
        }
        let skipped = self
            .source
            .get(item.start as usize..after)
            .unwrap_or_default();
        let rest = self.source.get(after..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        let blanks = rest.get(..blank).unwrap_or_default();
        let start = after + blank;
        if start >= item.end as usize || skipped.is_empty() {
            return (item.start as usize, item.row.saturating_add(1));
        }
        let rows = skipped
            .bytes()
            .chain(blanks.bytes())
            .filter(|b| *b == b'\n');
        let rows = u32::try_from(rows.count()).unwrap_or(0);
        (start, item.row.saturating_add(1).saturating_add(rows))
    }

    /// Adds a node for the declaration `id` whose body, if there is one, begins at `body`.
    pub(super) fn define(
        &mut self,
        name: &str,
        kind: NodeKind,
        id: Id,
        body: Option<Id>,
        flags: NodeFlags,
    ) -> LocalNode {
        let item = *self.flat.item(id);
        let (start, line) = self.head_start(id);
        let end = body.map_or(item.end, |b| self.flat.item(b).start) as usize;
        let head = self.source.get(start..end.max(start)).unwrap_or_default();
        let signature = doc::signature(head);
        let doc = self.take_doc(item.row);
        let mut flags = flags;
        if item.broken {
            flags = flags.with(NodeFlags::BROKEN);
        }
        if doc.contains("@deprecated") {
            flags = flags.with(NodeFlags::DEPRECATED);
        }
        let parent = self.owner;
        let node = self.b.define(NewNode {
            name,
            kind,
            parent,
            span: Span {
                start_line: line,
                end_line: item.end_row.saturating_add(1).max(line),
                start_byte: item.start,
                end_byte: item.end,
            },
            signature: &signature,
            doc: &doc::first_paragraph(&doc),
            flags,
        });
        if kind == NodeKind::FIELD {
            let name = self.b.unit.intern(name);
            self.fields.insert((parent, name), node);
        }
        self.offer(node, name, line);
        node
    }

    /// Makes a new definition known: to the file's surroundings, or to the scope around it.
    fn offer(&mut self, node: LocalNode, name: &str, line: u32) {
        if self.in_function {
            let local = self.b.unit.intern(name);
            let scope = self.scope;
            self.b.bind(scope, local, Space::Both, Bound::Node(node));
        } else if self.owner == LocalNode::UNIT {
            let qualified = self.qualified(name);
            self.b.export(qualified, Exported::Node(node), false, line);
        }
    }

    fn qualified(&mut self, name: &str) -> StrId {
        if self.package.is_empty() {
            return self.b.unit.intern(name);
        }
        let qualified = format!("{}.{name}", self.package);
        self.b.unit.intern(&qualified)
    }

    /// Sets the package of what follows.
    pub(super) fn set_package(&mut self, package: String, line: u32) {
        let first = self.b.unit.facts.exports.is_empty();
        if first && !package.is_empty() {
            let name = self.b.unit.intern(&package);
            let whole = Exported::Whole(ExprId::UNKNOWN);
            self.b.export(name, whole, false, line);
        }
        self.package = package;
    }

    /// Opens a scope; [`Self::close_scopes`] takes the answer.
    pub(super) fn open_scope(&mut self) -> usize {
        let mark = self.open.len();
        self.scope = self.b.open();
        self.open.push(self.scope);
        mark
    }

    /// Closes the scope that was opened at `mark` and all inside it.
    pub(super) fn close_scopes(&mut self, mark: usize) {
        while self.open.len() > mark {
            if let Some(scope) = self.open.pop() {
                self.b.close(scope);
            }
        }
        self.scope = self.open.last().copied().unwrap_or(ScopeId::FILE);
    }

    /// Binds a local from here on: what was said before does not mean it.
    pub(super) fn declare(&mut self, name: StrId, ty: TypeId, value: ExprId) -> BindingId {
        self.open_scope();
        let bound = Bound::Local { ty, value };
        self.b.bind(self.scope, name, Space::Value, bound)
    }

    /// Goes into a definition; [`Self::leave`] takes the answer.
    pub(super) fn enter(&mut self, node: LocalNode) -> Around {
        let scopes = self.open_scope();
        Around {
            owner: std::mem::replace(&mut self.owner, node),
            class: self.class,
            returns: std::mem::take(&mut self.returns),
            in_function: self.in_function,
            in_static: self.in_static,
            scopes,
            type_params: self.type_params.len(),
            receiver_type: std::mem::take(&mut self.receiver_type),
            lambda_receivers: std::mem::take(&mut self.lambda_receivers),
            branches: std::mem::take(&mut self.branches),
            in_singleton: std::mem::take(&mut self.in_singleton),
        }
    }

    pub(super) fn leave(&mut self, around: Around) {
        self.close_scopes(around.scopes);
        self.owner = around.owner;
        self.class = around.class;
        self.returns = around.returns;
        self.in_function = around.in_function;
        self.in_static = around.in_static;
        self.type_params.truncate(around.type_params);
        self.receiver_type = around.receiver_type;
        self.branches = around.branches;
        self.in_singleton = around.in_singleton;
        self.lambda_receivers = around.lambda_receivers;
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
            let owner = self.owner;
            self.b.reference(owner, target, relation, context, line);
        }
    }

    /// The words before a declaration, the annotations aside.
    pub(super) fn words(&self, id: Id) -> Words {
        let mut words = Words::default();
        for child in self.flat.children(id) {
            match self.flat.role(child) {
                Role::Modifier => words.add(self.text(child)),
                Role::Modifiers => {
                    for word in self.flat.children(child) {
                        if self.flat.role(word) == Role::Modifier {
                            words.add(self.text(word));
                        }
                    }
                }
                _ => {}
            }
        }
        words
    }

    /// Adds to a node's base types: pairs of a relation and a type.
    pub(super) fn add_bases(&mut self, node: LocalNode, pairs: &[u32]) {
        let known = self.b.def(node).bases;
        let mut all = self.b.unit.facts.list(known).to_vec();
        all.extend_from_slice(pairs);
        let list: List = self.b.list(&all);
        self.b.def(node).bases = list;
    }
}

/// What the words before a declaration say.
#[derive(Clone, Copy, Default)]
pub(super) struct Words {
    pub(super) flags: NodeFlags,
    pub(super) is_static: bool,
    /// It adds to the type of its first parameter.
    pub(super) extends: bool,
    /// A parameter that is a field.
    pub(super) property: bool,
    /// It can be set again.
    pub(super) changes: bool,
    /// A class that is an enumeration.
    pub(super) enumeration: bool,
    /// A structure.
    pub(super) structure: bool,
    /// More of a type that is declared elsewhere.
    pub(super) extension: bool,
    /// The word that makes a method the type's own.
    pub(super) class_word: bool,
    /// It takes any number of values.
    pub(super) any_number: bool,
}

impl Words {
    fn add(&mut self, word: &str) {
        let flag = match word {
            "static" => {
                self.is_static = true;
                NodeFlags::STATIC
            }
            "const" => NodeFlags::STATIC,
            "val" => {
                self.property = true;
                return;
            }
            "var" => {
                self.property = true;
                self.changes = true;
                return;
            }
            "struct" => {
                self.structure = true;
                return;
            }
            "extension" => {
                self.extension = true;
                return;
            }
            "class" => {
                self.class_word = true;
                return;
            }
            "enum" => {
                self.enumeration = true;
                return;
            }
            "vararg" => {
                self.any_number = true;
                return;
            }
            "this" => {
                self.extends = true;
                return;
            }
            "abstract" => NodeFlags::ABSTRACT,
            "private" | "fileprivate" => NodeFlags::PRIVATE,
            "public" | "open" => NodeFlags::EXPORTED,
            "async" | "suspend" => NodeFlags::ASYNC,
            _ => return,
        };
        self.flags = self.flags.with(flag);
    }
}

//! Collects one file's nodes and facts while a language's walker passes over the syntax tree.
//!
//! Where it sits: between a walker of `extract::lang` (which knows the grammar) and [`Unit`]; the same for all
//! languages. It owns the scopes: a walker opens and closes them, binds names in them and mentions names; at the end each
//! mention is replaced by the innermost binding that can be seen from its scope, so that no scope leaves this module.
//!
//! Invariant: scopes are numbered in the order in which they open, so the scopes inside one are a run of numbers; a
//! scope sees a binding exactly when it lies in the run of the binding's scope.

use rustc_hash::{FxHashMap, FxHashSet};

use super::outside::Outside;
use super::visible::Names;
use crate::error::Result;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{
    Binding, BindingId, Bound, DefFacts, Exported, Expr, ExprId, Facts, Function, FunctionId,
    Import, ImportId, List, RefTarget, Reference, Space, TypeExpr, TypeId, Use, UseId,
};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::unit::{NewNode, Unit};

/// A scope of the file that is being read; 0 is the file's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ScopeId(pub(super) u32);

impl ScopeId {
    /// The file's own scope.
    pub(crate) const FILE: Self = Self(0);
}

/// An open or closed scope.
pub(super) struct Scope {
    /// The last scope that opened inside this one; itself where there is none.
    pub(super) last: ScopeId,
}

/// What becomes of the read of a name that the file does not bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unbound {
    /// It is forgotten.
    Dropped,
    /// It is kept: other files, of a package or taken in by their text, may bind the name.
    Kept,
    /// It is kept as what may be a member of a type around it.
    Implied,
}

/// A name in a place of which nothing is worth keeping unless the name turns out to be a definition or an import.
struct Read {
    scope: ScopeId,
    name: StrId,
    from: LocalNode,
    line: u32,
    context: Context,
    unbound: Unbound,
}

enum Mention {
    Expr(ExprId),
    Type(TypeId),
}

/// The state of one file's extraction.
pub(crate) struct Builder {
    /// The unit that grows.
    pub(crate) unit: Unit,
    scopes: Vec<Scope>,
    /// Per binding: its scope.
    bound_in: Vec<ScopeId>,
    mentions: Vec<(ScopeId, Space, Mention)>,
    reads: Vec<Read>,
    /// Names that are given another value, with the scope where that happens.
    assignments: Vec<(ScopeId, StrId, ExprId)>,
    /// Exports of names that are bound in the file's scope, to be resolved at the end.
    exported_names: Vec<(usize, StrId)>,
    /// Per node: the place of its facts, plus one.
    def_at: Vec<u32>,
    builtin: Option<ExprId>,
    /// Scopes of modules that see nothing of what is around them, in the order in which they opened, with their nodes.
    modules: Vec<(ScopeId, LocalNode)>,
    /// Globs inside functions, with their scopes.
    globs: Vec<(ScopeId, UseId)>,
    /// Names that are seen through modules (macros by the place of their text).
    textual: FxHashSet<StrId>,
    /// What becomes of reads of names that the file does not bind, where the read does not say.
    unbound: Unbound,
}

impl Builder {
    pub(crate) fn new(unit: Unit) -> Self {
        Self {
            unit,
            scopes: vec![Scope {
                last: ScopeId::FILE,
            }],
            bound_in: Vec::new(),
            mentions: Vec::new(),
            reads: Vec::new(),
            assignments: Vec::new(),
            exported_names: Vec::new(),
            def_at: Vec::new(),
            builtin: None,
            modules: Vec::new(),
            globs: Vec::new(),
            textual: FxHashSet::default(),
            unbound: Unbound::Dropped,
        }
    }

    /// Keeps reads of names that the file does not bind: in languages where other files of a package bind them.
    pub(crate) fn keep_free_reads(&mut self) {
        self.unbound = Unbound::Kept;
    }

    /// Opens a scope inside the innermost open one.
    pub(crate) fn open(&mut self) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(u32::MAX));
        self.scopes.push(Scope { last: id });
        id
    }

    /// Closes a scope: what opens from now on lies outside.
    pub(crate) fn close(&mut self, scope: ScopeId) {
        let last = u32::try_from(self.scopes.len().saturating_sub(1)).unwrap_or(u32::MAX);
        if let Some(scope) = self.scopes.get_mut(scope.0 as usize) {
            scope.last = ScopeId(last);
        }
    }

    /// Binds `name` in `scope`.
    pub(crate) fn bind(
        &mut self,
        scope: ScopeId,
        name: StrId,
        space: Space,
        bound: Bound,
    ) -> BindingId {
        let id = BindingId(u32::try_from(self.unit.facts.bindings.len()).unwrap_or(u32::MAX));
        self.unit
            .facts
            .bindings
            .push(Binding { name, bound, space });
        self.bound_in.push(scope);
        id
    }

    /// Completes a local that was bound before its type and value were seen.
    pub(crate) fn complete(&mut self, binding: BindingId, ty: TypeId, value: ExprId) {
        if let Some(binding) = self.unit.facts.bindings.get_mut(binding.index()) {
            binding.bound = Bound::Local { ty, value };
        }
    }

    /// Completes a type parameter whose bound may mention itself.
    pub(crate) fn complete_type_parameter(&mut self, binding: BindingId, bound: TypeId) {
        if let Some(binding) = self.unit.facts.bindings.get_mut(binding.index()) {
            let default = TypeId::UNKNOWN;
            binding.bound = Bound::TypeParam { bound, default };
        }
    }

    /// Adds an expression.
    pub(crate) fn expr(&mut self, expr: Expr) -> ExprId {
        let id = ExprId(u32::try_from(self.unit.facts.exprs.len()).unwrap_or(0));
        self.unit.facts.exprs.push(expr);
        id
    }

    /// Sets an expression that was added before it was complete.
    pub(crate) fn set_expr(&mut self, id: ExprId, expr: Expr) {
        if id != ExprId::UNKNOWN
            && let Some(slot) = self.unit.facts.exprs.get_mut(id.index())
        {
            *slot = expr;
        }
    }

    /// A value of one of the language's own types.
    pub(crate) fn builtin(&mut self) -> ExprId {
        if let Some(id) = self.builtin {
            return id;
        }
        let ty = self.ty(TypeExpr::Builtin);
        let id = self.expr(Expr::Typed { ty });
        self.builtin = Some(id);
        id
    }

    /// `base.name`; unknown where the base is.
    pub(crate) fn member(&mut self, base: ExprId, name: StrId) -> ExprId {
        if base == ExprId::UNKNOWN {
            return base;
        }
        self.expr(Expr::Member { base, name })
    }

    /// A value that its declaration refuses to type (`any`): what is known of it is a conclusion, not a statement.
    pub(crate) fn guess(&mut self, value: ExprId) -> ExprId {
        match self.unit.facts.expr(value) {
            Expr::Unknown => value,
            _ => self.expr(Expr::Fallback {
                first: ExprId::UNKNOWN,
                second: value,
            }),
        }
    }

    /// A name is given another value after its declaration.
    pub(crate) fn assign(&mut self, scope: ScopeId, name: StrId, value: ExprId) {
        self.assignments.push((scope, name, value));
    }

    /// Adds a type.
    pub(crate) fn ty(&mut self, ty: TypeExpr) -> TypeId {
        let id = TypeId(u32::try_from(self.unit.facts.types.len()).unwrap_or(0));
        self.unit.facts.types.push(ty);
        id
    }

    /// A name in value position, to be resolved when the file is complete.
    pub(crate) fn name(&mut self, scope: ScopeId, name: StrId) -> ExprId {
        let id = self.expr(Expr::Free { name });
        self.mentions.push((scope, Space::Value, Mention::Expr(id)));
        id
    }

    /// A name in type position, to be resolved when the file is complete.
    pub(crate) fn named_type(
        &mut self,
        scope: ScopeId,
        name: StrId,
        path: List,
        args: List,
    ) -> TypeId {
        let id = self.ty(TypeExpr::Free { name, path, args });
        self.mentions.push((scope, Space::Type, Mention::Type(id)));
        id
    }

    /// Notes that a name is read. Only definitions and imports are kept as references, and what the language says of
    /// names that the file does not bind.
    pub(crate) fn read(
        &mut self,
        scope: ScopeId,
        name: StrId,
        from: LocalNode,
        line: u32,
        context: Context,
    ) {
        self.read_or(scope, name, from, line, context, self.unbound);
    }

    /// Notes that a name is read; `unbound` says what becomes of it where the file does not bind it.
    pub(crate) fn read_or(
        &mut self,
        scope: ScopeId,
        name: StrId,
        from: LocalNode,
        line: u32,
        context: Context,
        unbound: Unbound,
    ) {
        self.reads.push(Read {
            scope,
            name,
            from,
            line,
            context,
            unbound,
        });
    }

    /// A name in value position that is, where no scope binds it, a member of a type around `node` or a name of the
    /// file's surroundings.
    pub(crate) fn implied(&mut self, scope: ScopeId, node: LocalNode, name: StrId) -> ExprId {
        let id = self.expr(Expr::Implied { node, name });
        self.mentions.push((scope, Space::Value, Mention::Expr(id)));
        id
    }

    /// The same in type position; `path` holds at least one name.
    pub(crate) fn implied_type(
        &mut self,
        scope: ScopeId,
        node: LocalNode,
        path: &[u32],
        args: List,
    ) -> TypeId {
        let path = self.list(path);
        let id = self.ty(TypeExpr::Implied { node, path, args });
        self.mentions.push((scope, Space::Type, Mention::Type(id)));
        id
    }

    /// Adds a list of ids to the pool.
    pub(crate) fn list(&mut self, entries: &[u32]) -> List {
        self.unit.facts.push_list(entries)
    }

    /// Adds a function that is completed later.
    pub(crate) fn function(&mut self, node: LocalNode) -> FunctionId {
        let id = FunctionId(u32::try_from(self.unit.facts.functions.len()).unwrap_or(u32::MAX));
        self.unit.facts.functions.push(Function {
            node,
            params: List::EMPTY,
            result: TypeId::UNKNOWN,
            returns: List::EMPTY,
            type_params: List::EMPTY,
            context: ExprId::UNKNOWN,
            next: FunctionId::NONE,
            flags: 0,
        });
        id
    }

    /// A function, to be completed.
    pub(crate) fn function_mut(&mut self, id: FunctionId) -> Option<&mut Function> {
        self.unit.facts.functions.get_mut(id.index())
    }

    /// Makes `function` one more signature of the definition `node`.
    pub(crate) fn add_signature(&mut self, node: LocalNode, function: FunctionId) {
        let def = self.def(node);
        if def.function == FunctionId::NONE {
            def.function = function;
            return;
        }
        let mut last = def.function;
        for _ in 0..self.unit.facts.functions.len() {
            match self.unit.facts.function(last) {
                Some(f) if f.next != FunctionId::NONE => last = f.next,
                _ => break,
            }
        }
        if last != function
            && let Some(last) = self.function_mut(last)
        {
            last.next = function;
        }
    }

    /// Adds an import.
    pub(crate) fn import(&mut self, import: Import) -> ImportId {
        let id = ImportId(u32::try_from(self.unit.facts.imports.len()).unwrap_or(u32::MAX));
        self.unit.facts.imports.push(import);
        id
    }

    /// Adds a `use` or `mod` declaration.
    pub(crate) fn declare(&mut self, declaration: Use) -> UseId {
        let id = UseId(u32::try_from(self.unit.facts.uses.len()).unwrap_or(u32::MAX));
        self.unit.facts.uses.push(declaration);
        id
    }

    /// Makes `scope` the scope of the module `node`: names inside are not looked for outside.
    pub(crate) fn module_scope(&mut self, scope: ScopeId, node: LocalNode) {
        self.modules.push((scope, node));
    }

    /// Lets modules see a name that is bound around them.
    pub(crate) fn textual(&mut self, name: StrId) {
        self.textual.insert(name);
    }

    /// Notes that a block takes in everything that a declaration leads to.
    pub(crate) fn local_glob(&mut self, scope: ScopeId, declaration: UseId) {
        self.globs.push((scope, declaration));
    }

    /// Offers a name of the file's scope to others.
    pub(crate) fn export_name(
        &mut self,
        outside: StrId,
        inside: StrId,
        type_only: bool,
        line: u32,
    ) {
        self.exported_names
            .push((self.unit.facts.exports.len(), inside));
        self.export(
            outside,
            Exported::Bound {
                value: BindingId::NONE,
                ty: BindingId::NONE,
            },
            type_only,
            line,
        );
    }

    /// Offers something to others.
    pub(crate) fn export(&mut self, name: StrId, exported: Exported, type_only: bool, line: u32) {
        self.unit.facts.exports.push(crate::model::facts::Export {
            name,
            exported,
            type_only,
            line,
        });
    }

    /// Adds a node. A file that holds more than can be numbered loses the rest.
    pub(crate) fn define(&mut self, new: NewNode<'_>) -> LocalNode {
        let added: Result<LocalNode> = self.unit.add(new);
        added.unwrap_or(LocalNode::UNIT)
    }

    /// The kind of a node.
    pub(crate) fn kind(&self, node: LocalNode) -> NodeKind {
        self.unit.node(node).map_or(NodeKind::FILE, |n| n.kind)
    }

    /// What the definition of `node` says about itself, to be completed.
    pub(crate) fn def(&mut self, node: LocalNode) -> &mut DefFacts {
        if self.def_at.len() <= node.index() {
            self.def_at.resize(node.index() + 1, 0);
        }
        let defs = &mut self.unit.facts.defs;
        let known = self.def_at.get(node.index()).copied().unwrap_or(0);
        let at = match (known as usize).checked_sub(1) {
            Some(at) if at < defs.len() => at,
            _ => {
                defs.push(DefFacts::new(node));
                if let Some(slot) = self.def_at.get_mut(node.index()) {
                    *slot = u32::try_from(defs.len()).unwrap_or(0);
                }
                defs.len() - 1
            }
        };
        &mut defs[at]
    }

    /// Adds a reference.
    pub(crate) fn reference(
        &mut self,
        from: LocalNode,
        target: RefTarget,
        relation: Relation,
        context: Context,
        line: u32,
    ) {
        self.unit.facts.refs.push(Reference {
            from,
            target,
            line,
            relation,
            context,
        });
    }

    /// How many references there are.
    pub(crate) fn ref_count(&self) -> usize {
        self.unit.facts.refs.len()
    }

    /// Gives the references `start..end` another source.
    pub(crate) fn reattribute(&mut self, start: usize, end: usize, from: LocalNode) {
        for r in self.unit.facts.refs.get_mut(start..end).unwrap_or_default() {
            r.from = from;
        }
    }

    /// Resolves every mention, drops what nothing refers to and returns the complete unit.
    pub(crate) fn finish(mut self) -> Unit {
        self.close(ScopeId::FILE);
        let names = Names::new(&self.unit.facts.bindings, &self.bound_in, &self.scopes);
        let textual = std::mem::take(&mut self.textual);
        let mut outside = Outside::new(&self.scopes, &self.modules, &self.globs, textual);
        let facts = &mut self.unit.facts;
        for (scope, space, mention) in &self.mentions {
            match mention {
                Mention::Expr(id) => {
                    let Some(slot) = facts.exprs.get_mut(id.index()) else {
                        continue;
                    };
                    let (Expr::Free { name } | Expr::Implied { name, .. }) = *slot else {
                        continue;
                    };
                    let floor = outside.floor(*scope, name);
                    let found = names.find_from(floor, &facts.bindings, *scope, name, *space);
                    let found = found.or_else(|| {
                        let (bindings, lists) = (&mut facts.bindings, &mut facts.lists);
                        outside.binding(bindings, lists, *scope, name, *space)
                    });
                    if let Some(found) = found {
                        *slot = Expr::Bound(found);
                    }
                }
                Mention::Type(id) => {
                    let (name, path, args) = match facts.ty(*id) {
                        TypeExpr::Free { name, path, args } => (name, path, args),
                        TypeExpr::Implied { path, args, .. } => {
                            let Some((first, _)) = facts.list(path).split_first() else {
                                continue;
                            };
                            (StrId(*first), path, args)
                        }
                        _ => continue,
                    };
                    let floor = outside.floor(*scope, name);
                    let found = names.find_from(floor, &facts.bindings, *scope, name, *space);
                    let found = found.or_else(|| {
                        let (bindings, lists) = (&mut facts.bindings, &mut facts.lists);
                        outside.binding(bindings, lists, *scope, name, *space)
                    });
                    let Some(binding) = found else { continue };
                    let path = match facts.ty(*id) {
                        // The first name is the binding's own.
                        TypeExpr::Implied { .. } => {
                            let rest = facts.list(path).get(1..).unwrap_or_default().to_vec();
                            facts.push_list(&rest)
                        }
                        _ => path,
                    };
                    if let Some(slot) = facts.types.get_mut(id.index()) {
                        *slot = TypeExpr::Bound {
                            binding,
                            path,
                            args,
                        };
                    }
                }
            }
        }
        reassign(facts, &names, &self.assignments);
        for (at, name) in &self.exported_names {
            let find = |space| names.find(&facts.bindings, ScopeId::FILE, *name, space);
            let value = find(Space::Value).unwrap_or(BindingId::NONE);
            let ty = find(Space::Type).unwrap_or(BindingId::NONE);
            if let Some(export) = facts.exports.get_mut(*at) {
                export.exported = Exported::Bound { value, ty };
            }
        }
        let mut free: FxHashMap<StrId, ExprId> = FxHashMap::default();
        for read in &self.reads {
            let floor = outside.floor(read.scope, read.name);
            let found =
                names.find_from(floor, &facts.bindings, read.scope, read.name, Space::Value);
            let found = found.or_else(|| {
                let (bindings, lists) = (&mut facts.bindings, &mut facts.lists);
                outside.binding(bindings, lists, read.scope, read.name, Space::Value)
            });
            let Some(found) = found else {
                let name = read.name;
                match read.unbound {
                    Unbound::Dropped => {}
                    Unbound::Kept => {
                        let expr = *free
                            .entry(name)
                            .or_insert_with(|| push_expr(facts, Expr::Free { name }));
                        keep_read(facts, read, expr);
                    }
                    Unbound::Implied => {
                        let node = read.from;
                        let expr = push_expr(facts, Expr::Implied { node, name });
                        keep_read(facts, read, expr);
                    }
                }
                continue;
            };
            let keep = match facts.binding(found).map(|b| b.bound) {
                Some(Bound::Import(_) | Bound::Use(_) | Bound::Outer { .. }) => true,
                // A definition that mentions itself inside its own body says nothing new.
                Some(Bound::Node(node)) => node != read.from,
                _ => false,
            };
            if keep {
                let expr = push_expr(facts, Expr::Bound(found));
                keep_read(facts, read, expr);
            }
        }
        facts.refs.sort_by_key(|r| r.line);
        facts.defs.sort_by_key(|d| d.node);
        crate::extract::compact::compact(facts, self.unbound == Unbound::Kept);
        self.unit
    }
}

/// A local that is given more values than this says nothing.
const VALUES: u32 = 8;

/// A local without a written type may hold each of the values that it is given.
fn reassign(facts: &mut Facts, names: &Names, assignments: &[(ScopeId, StrId, ExprId)]) {
    let mut counts: FxHashMap<BindingId, u32> = FxHashMap::default();
    for (scope, name, assigned) in assignments {
        let Some(found) = names.find(&facts.bindings, *scope, *name, Space::Value) else {
            continue;
        };
        let Some(Bound::Local { ty, value }) = facts.binding(found).map(|b| b.bound) else {
            continue;
        };
        let nothing = value == ExprId::UNKNOWN && *assigned == ExprId::UNKNOWN;
        if ty != TypeId::UNKNOWN || nothing {
            continue;
        }
        let count = counts.entry(found).or_default();
        *count += 1;
        if *count > VALUES {
            if let Some(binding) = facts.bindings.get_mut(found.index()) {
                let value = ExprId::UNKNOWN;
                binding.bound = Bound::Local { ty, value };
            }
            continue;
        }
        let all = ExprId(u32::try_from(facts.exprs.len()).unwrap_or(0));
        facts.exprs.push(Expr::Either {
            left: value,
            right: *assigned,
        });
        if let Some(binding) = facts.bindings.get_mut(found.index()) {
            binding.bound = Bound::Local { ty, value: all };
        }
    }
}

fn push_expr(facts: &mut Facts, expr: Expr) -> ExprId {
    let id = ExprId(u32::try_from(facts.exprs.len()).unwrap_or(0));
    facts.exprs.push(expr);
    id
}

/// Keeps the read of a name as a reference.
fn keep_read(facts: &mut Facts, read: &Read, expr: ExprId) {
    facts.refs.push(Reference {
        from: read.from,
        target: RefTarget::Expr(expr),
        line: read.line,
        relation: Relation::REFERENCES,
        context: read.context,
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::label::Language;

    fn builder() -> Builder {
        Builder::new(Unit::new("a.ts", Language::TYPESCRIPT))
    }

    fn local(b: &mut Builder, scope: ScopeId, name: StrId) -> BindingId {
        let bound = Bound::Local {
            ty: TypeId::UNKNOWN,
            value: ExprId::UNKNOWN,
        };
        b.bind(scope, name, Space::Value, bound)
    }

    #[test]
    fn the_innermost_visible_binding_wins_and_siblings_are_not_seen() {
        let mut b = builder();
        let x = b.unit.intern("x");
        let outer = local(&mut b, ScopeId::FILE, x);
        let first = b.open();
        let inner = local(&mut b, first, x);
        let deep = b.open();
        let in_deep = b.name(deep, x);
        b.close(deep);
        b.close(first);
        let second = b.open();
        let in_second = b.name(second, x);
        b.close(second);
        b.close(ScopeId::FILE);
        let names = Names::new(&b.unit.facts.bindings, &b.bound_in, &b.scopes);
        let find = |s| names.find(&b.unit.facts.bindings, s, x, Space::Value);
        assert_eq!(find(deep), Some(inner));
        assert_eq!(find(second), Some(outer));
        assert_ne!(in_deep, in_second);
    }

    #[test]
    fn types_and_values_of_one_name_do_not_hide_each_other() {
        let mut b = builder();
        let x = b.unit.intern("X");
        let ty = b.bind(
            ScopeId::FILE,
            x,
            Space::Type,
            Bound::TypeParam {
                bound: TypeId::UNKNOWN,
                default: TypeId::UNKNOWN,
            },
        );
        let value = local(&mut b, ScopeId::FILE, x);
        let names = Names::new(&b.unit.facts.bindings, &b.bound_in, &b.scopes);
        let find = |space| names.find(&b.unit.facts.bindings, ScopeId::FILE, x, space);
        assert_eq!(find(Space::Type), Some(ty));
        assert_eq!(find(Space::Value), Some(value));
    }
}

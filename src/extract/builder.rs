//! Collects one file's nodes and facts while a language's walker passes over the syntax tree.
//!
//! Where it sits: between a walker of `extract::lang` (which knows the grammar) and [`Unit`]; the same for all
//! languages. It owns the scopes: a walker opens and closes them, binds names in them and mentions names; at the end each
//! mention is replaced by the innermost binding that can be seen from its scope, so that no scope leaves this module.
//!
//! Invariant: scopes are numbered in the order in which they open, so the scopes inside one are a run of numbers; a
//! scope sees a binding exactly when it lies in the run of the binding's scope.

use super::visible::Names;
use crate::error::Result;
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{
    Binding, BindingId, Bound, DefFacts, Exported, Expr, ExprId, Function, FunctionId, Import,
    ImportId, List, RefTarget, Reference, Space, TypeExpr, TypeId,
};
use crate::model::label::{Context, NodeKind, Relation};
use crate::model::unit::{NewNode, Unit};

/// A scope of the file that is being read; 0 is the file's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
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

/// A name in a place of which nothing is worth keeping unless the name turns out to be a definition or an import.
struct Read {
    scope: ScopeId,
    name: StrId,
    from: LocalNode,
    line: u32,
    context: Context,
    /// What no scope binds may be a member of a type around `from`.
    implied: bool,
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
    /// Exports of names that are bound in the file's scope, to be resolved at the end.
    exported_names: Vec<(usize, StrId)>,
    /// Per node: the place of its facts, plus one.
    def_at: Vec<u32>,
    builtin: Option<ExprId>,
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
            exported_names: Vec::new(),
            def_at: Vec::new(),
            builtin: None,
        }
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

    /// Notes that a name is read. Only definitions and imports are kept as references.
    pub(crate) fn read(
        &mut self,
        scope: ScopeId,
        name: StrId,
        from: LocalNode,
        line: u32,
        context: Context,
    ) {
        self.reads.push(Read {
            scope,
            name,
            from,
            line,
            context,
            implied: false,
        });
    }

    /// Notes that a name is read which may be a member of a type around `from`.
    pub(crate) fn read_implied(
        &mut self,
        scope: ScopeId,
        name: StrId,
        from: LocalNode,
        line: u32,
        context: Context,
    ) {
        self.reads.push(Read {
            scope,
            name,
            from,
            line,
            context,
            implied: true,
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
        let facts = &mut self.unit.facts;
        for (scope, space, mention) in &self.mentions {
            match mention {
                Mention::Expr(id) => {
                    let Some(slot) = facts.exprs.get_mut(id.index()) else {
                        continue;
                    };
                    if let Expr::Free { name } | Expr::Implied { name, .. } = *slot
                        && let Some(found) = names.find(&facts.bindings, *scope, name, *space)
                    {
                        *slot = Expr::Bound(found);
                    }
                }
                Mention::Type(id) => {
                    let ty = facts.ty(*id);
                    if let TypeExpr::Free { name, path, args } = ty
                        && let Some(binding) = names.find(&facts.bindings, *scope, name, *space)
                        && let Some(slot) = facts.types.get_mut(id.index())
                    {
                        *slot = TypeExpr::Bound {
                            binding,
                            path,
                            args,
                        };
                    } else if let TypeExpr::Implied { path, args, .. } = ty
                        && let Some((first, rest)) = facts.list(path).split_first()
                        && let Some(binding) =
                            names.find(&facts.bindings, *scope, StrId(*first), *space)
                    {
                        let rest = rest.to_vec();
                        let path = facts.push_list(&rest);
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
        }
        for (at, name) in &self.exported_names {
            let find = |space| names.find(&facts.bindings, ScopeId::FILE, *name, space);
            let value = find(Space::Value).unwrap_or(BindingId::NONE);
            let ty = find(Space::Type).unwrap_or(BindingId::NONE);
            if let Some(export) = facts.exports.get_mut(*at) {
                export.exported = Exported::Bound { value, ty };
            }
        }
        for read in &self.reads {
            let Some(found) = names.find(&facts.bindings, read.scope, read.name, Space::Value)
            else {
                if read.implied {
                    let expr = ExprId(u32::try_from(facts.exprs.len()).unwrap_or(0));
                    facts.exprs.push(Expr::Implied {
                        node: read.from,
                        name: read.name,
                    });
                    facts.refs.push(Reference {
                        from: read.from,
                        target: RefTarget::Expr(expr),
                        line: read.line,
                        relation: Relation::REFERENCES,
                        context: read.context,
                    });
                }
                continue;
            };
            let keep = match facts.binding(found).map(|b| b.bound) {
                Some(Bound::Import(_)) => true,
                // A definition that mentions itself inside its own body says nothing new.
                Some(Bound::Node(node)) => node != read.from,
                _ => false,
            };
            if keep {
                let expr = ExprId(u32::try_from(facts.exprs.len()).unwrap_or(0));
                facts.exprs.push(Expr::Bound(found));
                facts.refs.push(Reference {
                    from: read.from,
                    target: RefTarget::Expr(expr),
                    line: read.line,
                    relation: Relation::REFERENCES,
                    context: read.context,
                });
            }
        }
        facts.refs.sort_by_key(|r| r.line);
        facts.defs.sort_by_key(|d| d.node);
        crate::extract::compact::compact(facts);
        self.unit
    }
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

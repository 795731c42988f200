//! Drops evidence that nothing refers to and numbers the rest densely.
//!
//! Where it sits: the last step of [`super::builder`]. A walker describes more than is needed, because it cannot know what
//! a name will turn out to be: most expressions hang on locals of which nothing is known. What is kept is what can be
//! reached from the references, the exports, the imports and the definitions.

use crate::model::facts::{
    BindingId, Bound, Exported, Expr, ExprId, Facts, FunctionId, List, RefTarget, TypeExpr, TypeId,
};
use crate::model::label::{Context, Relation};

/// What still has to be looked at.
#[derive(Clone, Copy)]
enum Work {
    Expr(ExprId),
    Type(TypeId),
    Binding(BindingId),
    Function(FunctionId),
}

/// What a list's entries are.
#[derive(Clone, Copy)]
enum Of {
    Exprs,
    Types,
    Bindings,
    Names,
    NamedExprs,
    NamedTypes,
    Bases,
}

struct Reach {
    exprs: Vec<u32>,
    types: Vec<u32>,
    bindings: Vec<u32>,
    functions: Vec<u32>,
    work: Vec<Work>,
}

const UNSEEN: u32 = u32::MAX;

impl Reach {
    fn mark(&mut self, work: Work) {
        let slot = match work {
            Work::Expr(id) => self.exprs.get_mut(id.index()),
            Work::Type(id) => self.types.get_mut(id.index()),
            Work::Binding(id) => self.bindings.get_mut(id.index()),
            Work::Function(id) => self.functions.get_mut(id.index()),
        };
        if let Some(slot) = slot
            && *slot == UNSEEN
        {
            *slot = 0;
            self.work.push(work);
        }
    }

    fn list(&mut self, facts: &Facts, list: List, of: Of) {
        let entries = facts.list(list);
        match of {
            Of::Exprs => entries.iter().for_each(|e| self.expr(ExprId(*e))),
            Of::Types => entries.iter().for_each(|e| self.ty(TypeId(*e))),
            Of::Bindings => entries
                .iter()
                .for_each(|e| self.mark(Work::Binding(BindingId(*e)))),
            Of::Names => {}
            Of::NamedExprs => entries
                .iter()
                .skip(1)
                .step_by(2)
                .for_each(|e| self.expr(ExprId(*e))),
            Of::NamedTypes | Of::Bases => entries
                .iter()
                .skip(1)
                .step_by(2)
                .for_each(|e| self.ty(TypeId(*e))),
        }
    }

    fn expr(&mut self, id: ExprId) {
        self.mark(Work::Expr(id));
    }

    fn ty(&mut self, id: TypeId) {
        self.mark(Work::Type(id));
    }
}

/// Keeps what can be reached. `free` says whether names that the file does not bind may be bound by other files, and
/// whether members of locals that are passed on matter.
pub(super) fn compact(facts: &mut Facts, free: bool) {
    drop_hopeless(facts, free);
    let mut reach = Reach {
        exprs: vec![UNSEEN; facts.exprs.len()],
        types: vec![UNSEEN; facts.types.len()],
        bindings: vec![UNSEEN; facts.bindings.len()],
        functions: vec![UNSEEN; facts.functions.len()],
        work: Vec::new(),
    };
    reach.expr(ExprId::UNKNOWN);
    reach.ty(TypeId::UNKNOWN);
    for r in &facts.refs {
        match r.target {
            RefTarget::Expr(e) => reach.expr(e),
            RefTarget::Type(t) => reach.ty(t),
            RefTarget::Env(_) => {}
        }
    }
    for export in &facts.exports {
        match export.exported {
            Exported::Bound { value, ty } => {
                reach.mark(Work::Binding(value));
                reach.mark(Work::Binding(ty));
            }
            Exported::Expr(e) | Exported::Whole(e) => reach.expr(e),
            Exported::Node(_)
            | Exported::From { .. }
            | Exported::NamespaceOf { .. }
            | Exported::StarOf { .. } => {}
        }
    }
    for def in &facts.defs {
        reach.expr(def.value);
        reach.ty(def.ty);
        reach.mark(Work::Function(def.function));
        reach.list(facts, def.bases, Of::Bases);
        reach.list(facts, def.type_params, Of::Bindings);
    }
    for block in &facts.impls {
        reach.ty(block.ty);
        reach.ty(block.of_trait);
        reach.list(facts, block.type_params, Of::Bindings);
    }
    while let Some(work) = reach.work.pop() {
        visit(facts, work, &mut reach);
    }
    for table in [
        &mut reach.exprs,
        &mut reach.types,
        &mut reach.bindings,
        &mut reach.functions,
    ] {
        for (next, slot) in (0..).zip(table.iter_mut().filter(|s| **s != UNSEEN)) {
            *slot = next;
        }
    }
    rewrite(facts, &reach);
}

/// Calls of a plain local of which neither type nor value is known lead nowhere.
fn drop_hopeless(facts: &mut Facts, free: bool) {
    let bindings = &facts.bindings;
    let exprs = &facts.exprs;
    facts.refs.retain(|r| {
        let RefTarget::Expr(e) = r.target else {
            return true;
        };
        if r.relation != Relation::CALLS && r.relation != Relation::REFERENCES {
            return true;
        }
        match exprs.get(e.index()) {
            Some(Expr::Unknown) | None => false,
            // A member that is read matters where its holder is an import, a definition or `this`.
            Some(Expr::Member { base, .. }) if r.relation == Relation::REFERENCES => {
                let mut head = *base;
                for _ in 0..64 {
                    match exprs.get(head.index()) {
                        Some(Expr::Member { base, .. }) => head = *base,
                        _ => break,
                    }
                }
                let passed_on = matches!(
                    r.context,
                    Context::ARGUMENT | Context::COLLECTION | Context::ASSIGNMENT | Context::RETURN
                );
                match exprs.get(head.index()) {
                    Some(Expr::Free { .. }) => free,
                    Some(_) if free && passed_on => true,
                    Some(Expr::Bound(b)) => !matches!(
                        bindings.get(b.index()).map(|b| b.bound),
                        Some(Bound::Local { .. }) | None
                    ),
                    Some(
                        Expr::This { .. }
                        | Expr::Implied { .. }
                        | Expr::New { .. }
                        | Expr::TypeName { .. },
                    ) => true,
                    _ => false,
                }
            }
            Some(Expr::Bound(b)) => !matches!(
                bindings.get(b.index()).map(|b| b.bound),
                Some(Bound::Local {
                    ty: TypeId::UNKNOWN,
                    value: ExprId::UNKNOWN
                })
            ),
            _ => true,
        }
    });
}

fn visit(facts: &Facts, work: Work, reach: &mut Reach) {
    match work {
        Work::Expr(id) => match facts.expr(id) {
            Expr::Unknown | Expr::Free { .. } | Expr::Node(_) | Expr::Module(_) => {}
            Expr::Implied { .. } => {}
            Expr::This { .. } | Expr::Super { .. } => {}
            Expr::Bound(b) => reach.mark(Work::Binding(b)),
            Expr::Member { base, .. }
            | Expr::Element { base }
            | Expr::Index { base, .. }
            | Expr::Await { base }
            | Expr::Unwrap { base } => reach.expr(base),
            Expr::Call {
                callee: head,
                args,
                type_args,
            }
            | Expr::New {
                class: head,
                args,
                type_args,
            } => {
                reach.expr(head);
                reach.list(facts, args, Of::Exprs);
                reach.list(facts, type_args, Of::Types);
            }
            Expr::Typed { ty } | Expr::TypeName { ty } => reach.ty(ty),
            Expr::Payload { base, variant, .. } | Expr::PayloadField { base, variant, .. } => {
                reach.expr(base);
                reach.expr(variant);
            }
            Expr::Function(f) | Expr::Param { function: f, .. } => reach.mark(Work::Function(f)),
            Expr::Expected { call, .. } => reach.expr(call),
            Expr::Object { fields } => reach.list(facts, fields, Of::NamedExprs),
            Expr::Array { elements } => reach.list(facts, elements, Of::Exprs),
            Expr::Either { left, right }
            | Expr::Fallback {
                first: left,
                second: right,
            } => {
                reach.expr(left);
                reach.expr(right);
            }
        },
        Work::Type(id) => match facts.ty(id) {
            TypeExpr::Unknown | TypeExpr::Builtin => {}
            TypeExpr::Members(_) | TypeExpr::SelfType { .. } => {}
            TypeExpr::Bound { binding, args, .. } => {
                reach.mark(Work::Binding(binding));
                reach.list(facts, args, Of::Types);
            }
            TypeExpr::Free { args, .. }
            | TypeExpr::Implied { args, .. }
            | TypeExpr::Imported { args, .. } => {
                reach.list(facts, args, Of::Types);
            }
            TypeExpr::Sequence(t) | TypeExpr::Element(t) => reach.ty(t),
            TypeExpr::Member { base, .. } | TypeExpr::Assoc { ty: base, .. } => reach.ty(base),
            TypeExpr::Qualified { ty, of_trait } => {
                reach.ty(ty);
                reach.ty(of_trait);
            }
            TypeExpr::Tuple(l) | TypeExpr::Union(l) | TypeExpr::Intersection(l) => {
                reach.list(facts, l, Of::Types);
            }
            TypeExpr::Function(f) => reach.mark(Work::Function(f)),
            TypeExpr::Object(l) => reach.list(facts, l, Of::NamedTypes),
            TypeExpr::Of(e) => reach.expr(e),
            TypeExpr::Instance { class, args } => {
                reach.expr(class);
                reach.list(facts, args, Of::Types);
            }
        },
        Work::Binding(id) => match facts.binding(id).map(|b| b.bound) {
            Some(Bound::Local { ty, value }) => {
                reach.ty(ty);
                // What is written beside a name settles what it is.
                if ty == TypeId::UNKNOWN {
                    reach.expr(value);
                }
            }
            Some(Bound::TypeParam { bound, default }) => {
                reach.ty(bound);
                reach.ty(default);
            }
            Some(Bound::Node(_) | Bound::Import(_) | Bound::Use(_) | Bound::Outer { .. })
            | None => {}
        },
        Work::Function(id) => {
            if let Some(f) = facts.function(id) {
                reach.list(facts, f.params, Of::Types);
                reach.list(facts, f.type_params, Of::Bindings);
                reach.list(facts, f.returns, Of::Exprs);
                reach.ty(f.result);
                reach.expr(f.context);
                reach.mark(Work::Function(f.next));
            }
        }
    }
}

fn renumber(table: &[u32], id: u32) -> u32 {
    table
        .get(id as usize)
        .copied()
        .filter(|n| *n != UNSEEN)
        .unwrap_or(0)
}

/// Moves lists from the old pool to the new one.
struct Lists<'a> {
    reach: &'a Reach,
    old: &'a [u32],
    new: Vec<u32>,
}

impl Lists<'_> {
    fn entries(&self, list: List) -> &[u32] {
        let len = self.old.get(list.index()).copied().unwrap_or(0) as usize;
        let start = list.index() + 1;
        self.old.get(start..start + len).unwrap_or_default()
    }

    fn moved(&mut self, list: List, of: Of) -> List {
        if list == List::EMPTY {
            return list;
        }
        let reach = self.reach;
        let (even, odd) = match of {
            Of::Exprs => (Some(&reach.exprs), Some(&reach.exprs)),
            Of::Types => (Some(&reach.types), Some(&reach.types)),
            Of::Bindings => (Some(&reach.bindings), Some(&reach.bindings)),
            Of::Names => (None, None),
            Of::NamedExprs => (None, Some(&reach.exprs)),
            Of::NamedTypes | Of::Bases => (None, Some(&reach.types)),
        };
        let at = u32::try_from(self.new.len()).unwrap_or(0);
        let moved: Vec<u32> = self
            .entries(list)
            .iter()
            .enumerate()
            .map(|(i, e)| match if i % 2 == 0 { even } else { odd } {
                Some(table) => renumber(table, *e),
                None => *e,
            })
            .collect();
        if moved.is_empty() {
            return List::EMPTY;
        }
        self.new.push(u32::try_from(moved.len()).unwrap_or(0));
        self.new.extend(moved);
        List(at)
    }
}

fn rewrite(facts: &mut Facts, reach: &Reach) {
    let old_lists = std::mem::take(&mut facts.lists);
    let mut lists = Lists {
        reach,
        old: &old_lists,
        new: vec![0],
    };
    let e = |id: ExprId| ExprId(renumber(&reach.exprs, id.0));
    let t = |id: TypeId| TypeId(renumber(&reach.types, id.0));
    let b = |id: BindingId| {
        let slot = reach.bindings.get(id.index()).copied();
        BindingId(slot.unwrap_or(UNSEEN))
    };
    let f = |id: FunctionId| {
        let slot = reach.functions.get(id.index()).copied();
        FunctionId(slot.unwrap_or(UNSEEN))
    };
    keep(&mut facts.exprs, &reach.exprs);
    for expr in &mut facts.exprs {
        match expr {
            Expr::Unknown
            | Expr::Free { .. }
            | Expr::Implied { .. }
            | Expr::Node(_)
            | Expr::Module(_)
            | Expr::This { .. }
            | Expr::Super { .. } => {}
            Expr::Bound(binding) => *binding = b(*binding),
            Expr::Member { base, .. }
            | Expr::Element { base }
            | Expr::Index { base, .. }
            | Expr::Await { base }
            | Expr::Unwrap { base } => *base = e(*base),
            Expr::Call {
                callee: head,
                args,
                type_args,
            }
            | Expr::New {
                class: head,
                args,
                type_args,
            } => {
                *head = e(*head);
                *args = lists.moved(*args, Of::Exprs);
                *type_args = lists.moved(*type_args, Of::Types);
            }
            Expr::Typed { ty } | Expr::TypeName { ty } => *ty = t(*ty),
            Expr::Payload { base, variant, .. } | Expr::PayloadField { base, variant, .. } => {
                *base = e(*base);
                *variant = e(*variant);
            }
            Expr::Function(function) | Expr::Param { function, .. } => *function = f(*function),
            Expr::Expected { call, .. } => *call = e(*call),
            Expr::Object { fields } => *fields = lists.moved(*fields, Of::NamedExprs),
            Expr::Array { elements } => *elements = lists.moved(*elements, Of::Exprs),
            Expr::Either { left, right }
            | Expr::Fallback {
                first: left,
                second: right,
            } => {
                *left = e(*left);
                *right = e(*right);
            }
        }
    }
    keep(&mut facts.types, &reach.types);
    for ty in &mut facts.types {
        match ty {
            TypeExpr::Unknown
            | TypeExpr::Builtin
            | TypeExpr::Members(_)
            | TypeExpr::SelfType { .. } => {}
            TypeExpr::Bound {
                binding,
                path,
                args,
            } => {
                *binding = b(*binding);
                *path = lists.moved(*path, Of::Names);
                *args = lists.moved(*args, Of::Types);
            }
            TypeExpr::Free { path, args, .. }
            | TypeExpr::Implied { path, args, .. }
            | TypeExpr::Imported { path, args, .. } => {
                *path = lists.moved(*path, Of::Names);
                *args = lists.moved(*args, Of::Types);
            }
            TypeExpr::Sequence(inner) | TypeExpr::Element(inner) => *inner = t(*inner),
            TypeExpr::Member { base, .. } | TypeExpr::Assoc { ty: base, .. } => *base = t(*base),
            TypeExpr::Qualified { ty, of_trait } => {
                *ty = t(*ty);
                *of_trait = t(*of_trait);
            }
            TypeExpr::Tuple(l) | TypeExpr::Union(l) | TypeExpr::Intersection(l) => {
                *l = lists.moved(*l, Of::Types);
            }
            TypeExpr::Function(function) => *function = f(*function),
            TypeExpr::Object(l) => *l = lists.moved(*l, Of::NamedTypes),
            TypeExpr::Of(expr) => *expr = e(*expr),
            TypeExpr::Instance { class, args } => {
                *class = e(*class);
                *args = lists.moved(*args, Of::Types);
            }
        }
    }
    keep(&mut facts.bindings, &reach.bindings);
    for binding in &mut facts.bindings {
        match &mut binding.bound {
            Bound::Local { ty, value } => {
                *value = if *ty == TypeId::UNKNOWN {
                    e(*value)
                } else {
                    ExprId::UNKNOWN
                };
                *ty = t(*ty);
            }
            Bound::TypeParam { bound, default } => {
                *bound = t(*bound);
                *default = t(*default);
            }
            Bound::Outer { globs, .. } => *globs = lists.moved(*globs, Of::Names),
            Bound::Node(_) | Bound::Import(_) | Bound::Use(_) => {}
        }
    }
    for declaration in &mut facts.uses {
        declaration.path = lists.moved(declaration.path, Of::Names);
    }
    for block in &mut facts.impls {
        block.ty = t(block.ty);
        block.of_trait = t(block.of_trait);
        block.type_params = lists.moved(block.type_params, Of::Bindings);
        block.members = lists.moved(block.members, Of::Names);
    }
    keep(&mut facts.functions, &reach.functions);
    for function in &mut facts.functions {
        function.params = lists.moved(function.params, Of::Types);
        function.type_params = lists.moved(function.type_params, Of::Bindings);
        function.returns = lists.moved(function.returns, Of::Exprs);
        function.result = t(function.result);
        function.context = e(function.context);
        function.next = f(function.next);
    }
    for def in &mut facts.defs {
        def.ty = t(def.ty);
        def.value = e(def.value);
        def.function = f(def.function);
        def.bases = lists.moved(def.bases, Of::Bases);
        def.type_params = lists.moved(def.type_params, Of::Bindings);
    }
    for export in &mut facts.exports {
        match &mut export.exported {
            Exported::Bound { value, ty } => {
                *value = b(*value);
                *ty = b(*ty);
            }
            Exported::Expr(expr) | Exported::Whole(expr) => *expr = e(*expr),
            Exported::Node(_)
            | Exported::From { .. }
            | Exported::NamespaceOf { .. }
            | Exported::StarOf { .. } => {}
        }
    }
    for r in &mut facts.refs {
        match &mut r.target {
            RefTarget::Expr(expr) => *expr = e(*expr),
            RefTarget::Type(ty) => *ty = t(*ty),
            RefTarget::Env(_) => {}
        }
    }
    facts.lists = lists.new;
}

/// Keeps the entries that were reached, in their order.
fn keep<T>(table: &mut Vec<T>, seen: &[u32]) {
    let mut marks = seen.iter();
    table.retain(|_| marks.next().is_some_and(|m| *m != UNSEEN));
}

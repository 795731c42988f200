//! Which binding a name means in a scope: bindings ordered by name and scope, each with the next one outwards.

use super::builder::{Scope, ScopeId};
use crate::ids::StrId;
use crate::model::facts::{Binding, BindingId, Space};

/// Bindings by name, in the order of their scopes.
pub(super) struct Names {
    /// Bindings ordered by (name, scope, order of binding).
    sorted: Vec<Entry>,
    /// Per name: its first entry; one more at the end.
    starts: Vec<u32>,
}

struct Entry {
    scope: ScopeId,
    last: ScopeId,
    binding: BindingId,
    /// The next entry outwards of the same name: its place in `sorted`.
    outer: u32,
}

const NO_ENTRY: u32 = u32::MAX;

impl Names {
    pub(super) fn new(bindings: &[Binding], bound_in: &[ScopeId], scopes: &[Scope]) -> Self {
        let mut order: Vec<u32> = (0..u32::try_from(bindings.len()).unwrap_or(0)).collect();
        let scope_of = |i: u32| bound_in.get(i as usize).copied().unwrap_or_default();
        let name_of = |i: u32| bindings.get(i as usize).map_or(0, |b| b.name.0);
        order.sort_by_key(|i| (name_of(*i), scope_of(*i), *i));
        let mut sorted: Vec<Entry> = Vec::with_capacity(order.len());
        let mut starts: Vec<u32> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        for i in order {
            let at = u32::try_from(sorted.len()).unwrap_or(NO_ENTRY);
            let name = name_of(i) as usize;
            if starts.len() <= name {
                open.clear();
                starts.resize(name + 1, at);
            }
            let scope = scope_of(i);
            while let Some(top) = open.last() {
                let inside = sorted.get(*top as usize).is_some_and(|e| e.last >= scope);
                if inside {
                    break;
                }
                open.pop();
            }
            let last = scopes.get(scope.0 as usize).map_or(scope, |s| s.last);
            sorted.push(Entry {
                scope,
                last,
                binding: BindingId(i),
                outer: open.last().copied().unwrap_or(NO_ENTRY),
            });
            open.push(at);
        }
        starts.push(u32::try_from(sorted.len()).unwrap_or(NO_ENTRY));
        Self { sorted, starts }
    }

    /// The innermost binding of `name` that `scope` sees and that serves `space`.
    pub(super) fn find(
        &self,
        bindings: &[Binding],
        scope: ScopeId,
        name: StrId,
        space: Space,
    ) -> Option<BindingId> {
        self.find_from(ScopeId::FILE, bindings, scope, name, space)
    }

    /// The same, not looking outside the scope `floor`.
    pub(super) fn find_from(
        &self,
        floor: ScopeId,
        bindings: &[Binding],
        scope: ScopeId,
        name: StrId,
        space: Space,
    ) -> Option<BindingId> {
        let start = *self.starts.get(name.index())?;
        let end = *self.starts.get(name.index() + 1)?;
        let run = self.sorted.get(start as usize..end as usize)?;
        let before = run.partition_point(|e| e.scope <= scope);
        let mut at = start + u32::try_from(before).ok()?.checked_sub(1)?;
        loop {
            let entry = self.sorted.get(at as usize)?;
            if entry.scope < floor {
                return None;
            }
            let fits = bindings
                .get(entry.binding.index())
                .is_some_and(|b| b.space.serves(space));
            if entry.last >= scope && fits {
                return Some(entry.binding);
            }
            at = entry.outer;
        }
    }
}

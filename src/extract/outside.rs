//! What a name means in a language whose modules see nothing of what is around them, where no scope inside its module
//! binds it: a name of the module, or of a glob on the way.
//!
//! Where it sits: used by [`super::builder`] when a file is complete. In files of other languages there are no modules
//! of that kind, and every answer is "nothing".

use rustc_hash::{FxHashMap, FxHashSet};

use super::builder::{Scope, ScopeId};
use crate::ids::{LocalNode, StrId};
use crate::model::facts::{Binding, BindingId, Bound, List, Space, UseId};

/// One module's scope, or one scope that holds globs.
#[derive(Clone, Copy)]
struct Around {
    floor: ScopeId,
    module: LocalNode,
    /// The chain of globs: its place in `chains`.
    globs: u32,
}

/// Per scope: its module, and the globs between.
pub(super) struct Outside {
    /// Scopes from which on something else holds: (first scope, what holds there), ascending.
    around: Vec<Option<Around>>,
    /// Chains of globs, innermost first; the first is empty.
    chains: Vec<Vec<u32>>,
    /// Where each chain lies in the pool.
    lists: FxHashMap<u32, List>,
    known: FxHashMap<(StrId, LocalNode, u32, bool), BindingId>,
    /// Names that modules do not hide.
    textual: FxHashSet<StrId>,
}

impl Outside {
    pub(super) fn new(
        scopes: &[Scope],
        modules: &[(ScopeId, LocalNode)],
        globs: &[(ScopeId, UseId)],
        textual: FxHashSet<StrId>,
    ) -> Self {
        let mut outside = Self {
            around: Vec::new(),
            chains: vec![Vec::new()],
            lists: FxHashMap::default(),
            known: FxHashMap::default(),
            textual,
        };
        if modules.is_empty() {
            return outside;
        }
        let modules: FxHashMap<ScopeId, LocalNode> = modules.iter().copied().collect();
        let mut by_scope: FxHashMap<ScopeId, Vec<u32>> = FxHashMap::default();
        for (scope, declaration) in globs {
            by_scope.entry(*scope).or_default().push(declaration.0);
        }
        let mut open: Vec<(ScopeId, Around)> = Vec::new();
        for (i, scope) in scopes.iter().enumerate() {
            let id = ScopeId(u32::try_from(i).unwrap_or(u32::MAX));
            while open.last().is_some_and(|(last, _)| *last < id) {
                open.pop();
            }
            let mut here = open.last().map(|(_, around)| *around);
            if let Some(module) = modules.get(&id) {
                here = Some(Around {
                    floor: id,
                    module: *module,
                    globs: 0,
                });
            }
            if let (Some(around), Some(own)) = (&mut here, by_scope.get(&id)) {
                let mut chain = own.clone();
                let outer = outside.chains.get(around.globs as usize);
                chain.extend(outer.into_iter().flatten());
                around.globs = u32::try_from(outside.chains.len()).unwrap_or(0);
                outside.chains.push(chain);
            }
            let changed = modules.contains_key(&id) || by_scope.contains_key(&id);
            if let (true, Some(around)) = (changed, here) {
                open.push((scope.last, around));
            }
            outside.around.push(here);
        }
        outside
    }

    fn around(&self, scope: ScopeId) -> Option<Around> {
        self.around.get(scope.0 as usize).copied().flatten()
    }

    /// The outermost scope in which a name that stands in `scope` may be bound.
    pub(super) fn floor(&self, scope: ScopeId, name: StrId) -> ScopeId {
        match self.around(scope) {
            // A glob inside a function comes before what its module binds by name.
            Some(around) if !self.textual.contains(&name) && around.globs != 0 => {
                ScopeId(around.floor.0.saturating_add(1))
            }
            Some(around) if !self.textual.contains(&name) => around.floor,
            _ => ScopeId::FILE,
        }
    }

    /// A binding for a name that no scope inside the module binds.
    pub(super) fn binding(
        &mut self,
        bindings: &mut Vec<Binding>,
        lists: &mut Vec<u32>,
        scope: ScopeId,
        name: StrId,
        space: Space,
    ) -> Option<BindingId> {
        let around = self.around(scope)?;
        let value = space == Space::Value;
        let key = (name, around.module, around.globs, value);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let globs = match self.lists.get(&around.globs) {
            Some(list) => *list,
            None => {
                let chain = self.chains.get(around.globs as usize)?;
                let list = if chain.is_empty() {
                    List::EMPTY
                } else {
                    let at = u32::try_from(lists.len()).ok()?;
                    lists.push(u32::try_from(chain.len()).ok()?);
                    lists.extend_from_slice(chain);
                    List(at)
                };
                self.lists.insert(around.globs, list);
                list
            }
        };
        let id = BindingId(u32::try_from(bindings.len()).ok()?);
        bindings.push(Binding {
            name,
            bound: Bound::Outer {
                module: around.module,
                globs,
            },
            space,
        });
        self.known.insert(key, id);
        Some(id)
    }
}

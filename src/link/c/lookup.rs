//! What a name means that its file does not bind, and which definition a declaration stands for.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::library;
use super::names::Reach;
use super::values::{Answer, Value};
use crate::ids::LocalNode;
use crate::link::project::shared_folders;
use crate::link::world::{Sym, World};
use crate::model::facts::{Facts, FunctionFlags};
use crate::model::key::hash;
use crate::model::label::{Language, NodeKind, Reason};
use crate::model::node::NodeFlags;

/// What is looked for under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Want {
    /// A function, macro, variable, constant; in C++ a class or namespace too.
    Value,
    /// A type by a plain name.
    Type,
    /// `struct name`, `union name`.
    Record,
    /// `enum name`.
    Enum,
}

/// What a name leads to.
#[derive(Clone, Debug)]
pub(super) struct Looked {
    pub(super) targets: Vec<Sym>,
    pub(super) external: Option<String>,
    pub(super) reason: Reason,
    /// Whether more than the files that are taken in was needed.
    pub(super) inferred: bool,
}

/// How many definitions of one name are weighed.
const CANDIDATES: usize = 4096;
/// How many answers an ambiguous name may have.
const ANSWERS: usize = 3;

/// The linker of one unit. It keeps what it has found out.
pub(super) struct Linker<'w> {
    pub(super) world: &'w World<'w>,
    /// The unit that is being linked.
    pub(super) root: u32,
    reach: FxHashMap<u32, Rc<Reach>>,
    looked: FxHashMap<(u64, Want, u32), Rc<Looked>>,
    definitions: FxHashMap<Sym, (Sym, bool)>,
    spaces: FxHashMap<u32, Rc<[String]>>,
    pub(super) exprs: FxHashMap<(u32, u32), (Value, bool)>,
    pub(super) types: FxHashMap<(u32, u32), Value>,
    pub(super) depth: u32,
    pub(super) steps: u32,
    /// Whether what is being evaluated took more than written types and scopes.
    pub(super) inferred: bool,
}

impl<'w> Linker<'w> {
    pub(super) fn new(world: &'w World<'w>, root: u32) -> Self {
        Self {
            world,
            root,
            reach: FxHashMap::default(),
            looked: FxHashMap::default(),
            definitions: FxHashMap::default(),
            spaces: FxHashMap::default(),
            exprs: FxHashMap::default(),
            types: FxHashMap::default(),
            depth: 0,
            steps: 0,
            inferred: false,
        }
    }

    /// Begins a new reference.
    pub(super) fn restart(&mut self) {
        self.depth = 0;
        self.steps = 0;
        self.inferred = false;
    }

    pub(super) fn facts(&self, unit: u32) -> Option<&'w Facts> {
        self.world.unit(unit).map(|u| &u.facts)
    }

    pub(super) fn is_cpp(&self, unit: u32) -> bool {
        self.world
            .unit(unit)
            .is_some_and(|u| u.language == Language::CPP)
    }

    fn reach(&mut self, unit: u32) -> Rc<Reach> {
        if let Some(known) = self.reach.get(&unit) {
            return known.clone();
        }
        let reach = Rc::new(Reach::of(self.world, unit));
        self.reach.insert(unit, reach.clone());
        reach
    }

    /// What a file takes in, for a name that stands in `unit`: a header is read as part of the file that is linked.
    fn view(&mut self, unit: u32) -> (u32, Rc<Reach>) {
        let root = self.root;
        let reach = self.reach(root);
        if unit == root || reach.has(unit) {
            return (root, reach);
        }
        (unit, self.reach(unit))
    }

    /// What a name means in a unit.
    pub(super) fn look(&mut self, unit: u32, name: &str, want: Want) -> Rc<Looked> {
        let (view, reach) = self.view(unit);
        let key = (hash(name), want, view);
        if let Some(known) = self.looked.get(&key) {
            return known.clone();
        }
        let looked = Rc::new(self.look_now(view, &reach, name, want));
        self.looked.insert(key, looked.clone());
        looked
    }

    fn look_now(&mut self, unit: u32, reach: &Reach, name: &str, want: Want) -> Looked {
        let world = self.world;
        let cpp = self.is_cpp(unit);
        let spaces = if cpp { self.spaces(unit) } else { Rc::from([]) };
        let mut visible: Vec<Sym> = Vec::new();
        let mut others: Vec<Sym> = Vec::new();
        for sym in world.c().all(world, name).take(CANDIDATES) {
            if !fits(world, sym, want) || !self.in_space(sym, cpp, &spaces) {
                continue;
            }
            if reach.has(sym.unit) {
                visible.push(sym);
            } else if !world.flags(sym).has(NodeFlags::PRIVATE) {
                others.push(sym);
            }
        }
        if let Some(looked) = self.visible(unit, visible) {
            return looked;
        }
        if want == Want::Value
            && let Some((header, in_header)) = library::declared_in(name)
            && reach.standard >> header & 1 == 1
        {
            return outside(format!("c:{in_header}::{name}"));
        }
        // Only what has linkage is meant without being seen; types are named by what declares them elsewhere.
        others.retain(|sym| match world.kind(*sym) {
            NodeKind::FUNCTION | NodeKind::VARIABLE => !world.flags(*sym).has(NodeFlags::ABSTRACT),
            NodeKind::STRUCT
            | NodeKind::UNION
            | NodeKind::CLASS
            | NodeKind::ENUM
            | NodeKind::TYPE_ALIAS => true,
            _ => false,
        });
        let chosen = self.nearest(&others, unit);
        if let Some(sym) = chosen {
            return Looked {
                targets: vec![sym],
                external: None,
                reason: Reason::UNIQUE_NAME,
                inferred: true,
            };
        }
        if want == Want::Value
            && others.is_empty()
            && let Some((_, header)) = library::declared_in(name)
        {
            return outside(format!("c:{header}::{name}"));
        }
        Looked {
            targets: Vec::new(),
            external: None,
            reason: Reason::UNRESOLVED,
            inferred: false,
        }
    }

    /// The answer among what the file takes in.
    fn visible(&mut self, unit: u32, visible: Vec<Sym>) -> Option<Looked> {
        let world = self.world;
        if visible.is_empty() {
            return None;
        }
        let reason = |sym: Sym| {
            if sym.unit == unit {
                Reason::SCOPE
            } else {
                Reason::IMPORT
            }
        };
        // A prototype stands for the definition that it promises, before what stands in for that in other builds.
        let mut inferred = false;
        let mut settled: Vec<Sym> = Vec::new();
        let mut open: Vec<Sym> = Vec::new();
        let mut promised = false;
        for sym in &visible {
            if !world.flags(*sym).has(NodeFlags::ABSTRACT) {
                settled.push(*sym);
                continue;
            }
            let (definition, near) = self.definition(*sym);
            if definition == *sym {
                open.push(*sym);
            } else if !promised {
                promised = true;
                inferred = near;
                settled.clear();
                settled.push(definition);
            } else if !settled.contains(&definition) {
                settled.push(definition);
            }
            if promised {
                settled.retain(|s| !world.flags(*s).has(NodeFlags::PRIVATE));
            }
        }
        if settled.is_empty() {
            settled = open;
        }
        settled.sort_unstable();
        settled.dedup();
        // Alternatives of one file (branches of a conditional) are one answer: the first.
        settled.dedup_by_key(|s| (s.unit, world.kind(*s) != NodeKind::ENUM_MEMBER));
        if settled.len() > 1
            && let Some(own) = settled.iter().find(|s| s.unit == unit).copied()
        {
            settled = vec![own];
        }
        if settled.len() > 1
            && let Some(near) = self.nearest(&settled, unit)
        {
            settled = vec![near];
        }
        if settled.len() > ANSWERS {
            settled.clear();
        }
        let first = settled.first().copied()?;
        Some(Looked {
            reason: reason(first),
            targets: settled,
            external: None,
            inferred,
        })
    }

    /// The only one, or the only one that shares the most folders with a unit.
    fn nearest(&self, all: &[Sym], unit: u32) -> Option<Sym> {
        match all {
            [] => return None,
            [one] => return Some(*one),
            _ => {}
        }
        let from = self.world.unit(unit)?.key();
        let mut best: Option<(usize, Sym)> = None;
        let mut tied = false;
        for sym in all {
            let key = self.world.unit(sym.unit).map_or("", |u| u.key());
            let near = shared_folders(from, key);
            match best {
                Some((n, known)) if n == near => tied |= known.unit != sym.unit,
                Some((n, _)) if n > near => {}
                _ => {
                    best = Some((near, *sym));
                    tied = false;
                }
            }
        }
        best.filter(|(near, _)| *near > 0 && !tied).map(|(_, s)| s)
    }

    /// The definition that a declaration stands for, and whether it was chosen by nearness. Itself where there is none.
    pub(super) fn definition(&mut self, sym: Sym) -> (Sym, bool) {
        if !self.world.flags(sym).has(NodeFlags::ABSTRACT) {
            return (sym, false);
        }
        if let Some(known) = self.definitions.get(&sym) {
            return *known;
        }
        // While it is being looked for, a declaration stands for itself.
        self.definitions.insert(sym, (sym, false));
        let found = self.definition_now(sym).unwrap_or((sym, false));
        self.definitions.insert(sym, found);
        found
    }

    fn definition_now(&mut self, sym: Sym) -> Option<(Sym, bool)> {
        let world = self.world;
        let node = world.node(sym)?;
        let name = world.name(sym);
        if node.flags.has(NodeFlags::PRIVATE) {
            return None;
        }
        let member = matches!(node.kind, NodeKind::METHOD | NodeKind::CONSTRUCTOR);
        let parent = Sym {
            unit: sym.unit,
            node: node.parent,
        };
        let space = self.space_of(parent);
        let variable = matches!(node.kind, NodeKind::VARIABLE | NodeKind::CONSTANT);
        let mut found: Vec<Sym> = Vec::new();
        for other in world.c().all(world, name).take(CANDIDATES) {
            let Some(candidate) = world.node(other) else {
                continue;
            };
            if candidate.flags.0 & (NodeFlags::ABSTRACT.0 | NodeFlags::PRIVATE.0) != 0 {
                continue;
            }
            let holder = Sym {
                unit: other.unit,
                node: candidate.parent,
            };
            let fits = match (member, world.kind(holder)) {
                (true, NodeKind::IMPL) => {
                    world.name(holder) == world.name(parent)
                        && self.same_arity(sym, other)
                        && self.class_of(holder) == Some(parent)
                }
                (true, _) => false,
                (false, NodeKind::IMPL) => {
                    candidate.kind == NodeKind::METHOD
                        && !variable
                        && self.same_arity(sym, other)
                        && self.class_of(holder) == Some(parent)
                }
                (false, _) => {
                    let same = match candidate.kind {
                        NodeKind::FUNCTION => !variable,
                        NodeKind::VARIABLE | NodeKind::CONSTANT => {
                            variable && self.is_variable(other)
                        }
                        _ => false,
                    };
                    same && self.space_of(holder) == space && self.same_arity(sym, other)
                }
            };
            if fits {
                found.push(other);
            }
        }
        match found.as_slice() {
            [] => None,
            [one] => Some((*one, false)),
            _ => {
                let chosen = self
                    .nearest(&found, sym.unit)
                    .or_else(|| self.nearest(&found, self.root))?;
                Some((chosen, true))
            }
        }
    }

    /// Whether two functions take as many parameters; overloads exist in C++ alone.
    pub(super) fn same_arity(&self, a: Sym, b: Sym) -> bool {
        if !(self.is_cpp(a.unit) && self.is_cpp(b.unit)) {
            return true;
        }
        match (self.parameters(a), self.parameters(b)) {
            (Some((_, a, _)), Some((_, b, _))) => a == b,
            _ => true,
        }
    }

    /// How few and how many parameters a function takes, and whether it takes more.
    pub(super) fn parameters(&self, sym: Sym) -> Option<(usize, usize, bool)> {
        let facts = self.facts(sym.unit)?;
        let f = facts.function(facts.def(sym.node)?.function)?;
        let all = facts.list(f.params).len();
        let rest = f.flags & FunctionFlags::REST != 0;
        let optional = FunctionFlags::optional_count(f.flags) as usize + usize::from(rest);
        Some((all.saturating_sub(optional), all, rest))
    }

    /// Whether a constant or variable is one of the program, not of the preprocessor.
    pub(super) fn is_variable(&self, sym: Sym) -> bool {
        self.facts(sym.unit)
            .is_some_and(|f| f.def(sym.node).is_some())
    }

    /// The namespaces around a node, outermost first, joined.
    pub(super) fn space_of(&self, sym: Sym) -> String {
        let mut names = Vec::new();
        let mut at = sym;
        for _ in 0..32 {
            let Some(node) = self.world.node(at) else {
                break;
            };
            if node.kind == NodeKind::FILE {
                break;
            }
            names.push(self.world.name(at));
            at.node = node.parent;
        }
        names.reverse();
        names.join("::")
    }

    /// The namespaces whose names a unit uses bare: those it opens, those around them, those it takes in whole.
    fn spaces(&mut self, unit: u32) -> Rc<[String]> {
        if let Some(known) = self.spaces.get(&unit) {
            return known.clone();
        }
        let mut all: Vec<String> = Vec::new();
        let mut blocks: Vec<Sym> = Vec::new();
        if let Some(u) = self.world.unit(unit) {
            for (i, node) in u.nodes().iter().enumerate() {
                let Some(sym) = LocalNode::from_index(i).map(|node| Sym { unit, node }) else {
                    break;
                };
                match node.kind {
                    NodeKind::MODULE => all.push(self.space_of(sym)),
                    NodeKind::IMPL => blocks.push(sym),
                    _ => {}
                }
            }
            if let Some(def) = u.facts.def(LocalNode::UNIT) {
                for pair in u.facts.list(def.bases).chunks_exact(2) {
                    if let [_, ty] = pair {
                        all.push(self.written_path(unit, crate::model::facts::TypeId(*ty)));
                    }
                }
            }
        }
        if !blocks.is_empty() {
            // Whose members the blocks are is looked for with what is known so far.
            let known = with_outer(all.clone());
            self.spaces.insert(unit, known);
            for block in blocks {
                let Some(class) = self.class_of(block) else {
                    continue;
                };
                // The members of a class see its namespace.
                let around = self.world.node(class).map(|n| Sym {
                    unit: class.unit,
                    node: n.parent,
                });
                all.extend(around.map(|a| self.space_of(a)));
                if self.world.kind(class) == NodeKind::MODULE {
                    all.push(self.space_of(class));
                }
            }
            self.looked.clear();
        }
        let all = with_outer(all);
        self.spaces.insert(unit, all.clone());
        all
    }

    /// Whether a name stands where a unit sees it bare.
    fn in_space(&self, sym: Sym, cpp: bool, spaces: &[String]) -> bool {
        let Some(node) = self.world.node(sym) else {
            return false;
        };
        let mut holder = Sym {
            unit: sym.unit,
            node: node.parent,
        };
        if self.world.kind(holder) == NodeKind::ENUM {
            if self.world.flags(holder).has(NodeFlags::STATIC) {
                return false;
            }
            holder.node = self
                .world
                .node(holder)
                .map_or(LocalNode::UNIT, |n| n.parent);
        }
        match self.world.kind(holder) {
            NodeKind::FILE => true,
            NodeKind::MODULE => cpp && spaces.contains(&self.space_of(holder)),
            _ => false,
        }
    }

    /// Members of a namespace, wherever it is opened, as a unit sees them.
    pub(super) fn space_members(&mut self, space: Sym, name: &str) -> Vec<Sym> {
        let world = self.world;
        let path = self.space_of(space);
        let (_, reach) = self.view(self.root);
        let all: Vec<Sym> = world
            .c()
            .all(world, name)
            .take(CANDIDATES)
            .filter(|sym| {
                let holder = world.node(*sym).map(|n| Sym {
                    unit: sym.unit,
                    node: n.parent,
                });
                holder
                    .is_some_and(|h| world.kind(h) == NodeKind::MODULE && self.space_of(h) == path)
            })
            .collect();
        let seen: Vec<Sym> = all.iter().copied().filter(|s| reach.has(s.unit)).collect();
        if !seen.is_empty() {
            return seen;
        }
        self.inferred |= !all.is_empty();
        all
    }
}

/// Namespaces with those around them.
fn with_outer(mut all: Vec<String>) -> Rc<[String]> {
    let mut around: Vec<String> = Vec::new();
    for space in &all {
        let mut rest = space.as_str();
        while let Some((outer, _)) = rest.rsplit_once("::") {
            around.push(outer.to_string());
            rest = outer;
        }
    }
    all.extend(around);
    all.sort_unstable();
    all.dedup();
    all.into()
}

fn outside(key: String) -> Looked {
    Looked {
        targets: Vec::new(),
        external: Some(key),
        reason: Reason::EXTERNAL,
        inferred: false,
    }
}

/// Whether a definition can be what is looked for.
fn fits(world: &World<'_>, sym: Sym, want: Want) -> bool {
    let kind = world.kind(sym);
    let cpp = world
        .unit(sym.unit)
        .is_some_and(|u| u.language == Language::CPP);
    match want {
        Want::Value => match kind {
            NodeKind::STRUCT
            | NodeKind::UNION
            | NodeKind::CLASS
            | NodeKind::ENUM
            | NodeKind::MODULE
            | NodeKind::TYPE_ALIAS => cpp,
            _ => true,
        },
        Want::Type => matches!(
            kind,
            NodeKind::STRUCT
                | NodeKind::UNION
                | NodeKind::CLASS
                | NodeKind::ENUM
                | NodeKind::TYPE_ALIAS
                | NodeKind::MODULE
        ),
        Want::Record => matches!(kind, NodeKind::STRUCT | NodeKind::UNION | NodeKind::CLASS),
        Want::Enum => kind == NodeKind::ENUM,
    }
}

impl From<&Looked> for Answer {
    fn from(looked: &Looked) -> Self {
        Self {
            targets: looked.targets.clone(),
            external: looked.external.clone(),
            reason: looked.reason,
            inferred: looked.inferred,
        }
    }
}

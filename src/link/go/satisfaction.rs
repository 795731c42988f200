//! Who has an interface's methods.
//!
//! A type satisfies an interface without saying so. The methods of every type, embedded ones included, are indexed by
//! name; an interface is compared only with the types that have the rarest of its method names. Methods fit when they
//! have the same numbers of parameters and results and their types are written alike. Interfaces that embed what is outside
//! (a few of the standard library's apart) are left alone, as are ones that so many types satisfy that it tells nothing.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::signatures::Signature;
use crate::ids::LocalNode;
use crate::link::edges::{Drafts, To};
use crate::link::eval::Eval;
use crate::link::types::Ty;
use crate::link::world::{Sym, World};
use crate::model::edge::{Confidence, EdgeLabel};
use crate::model::facts::{TypeExpr, TypeId};
use crate::model::label::{Context, Language, NodeKind, Reason, Relation};

/// How deep embedded types are searched.
const EMBEDDED: u32 = 8;
/// With more types than this, that they satisfy an interface is not stated.
const IMPLEMENTERS: usize = 256;
/// With more than this, which methods a call may run is not stated.
const DISPATCHED: usize = 64;

/// One edge: the unit that holds it, its source, its target, what it states.
type Found = (u32, LocalNode, Sym, EdgeLabel);

/// A method that a type has.
#[derive(Clone)]
struct Method<'w> {
    name: &'w str,
    /// Its definition, where it has one in the tree.
    sym: Option<Sym>,
    signature: Signature,
}

/// A type with all its methods, ordered by name.
struct Type<'w> {
    sym: Sym,
    is_interface: bool,
    methods: Vec<Method<'w>>,
}

impl<'w> Type<'w> {
    fn method(&self, name: &str) -> Option<&Method<'w>> {
        let at = self.methods.binary_search_by(|m| m.name.cmp(name)).ok()?;
        self.methods.get(at)
    }
}

/// Adds the edges between interfaces and the types that satisfy them, where the source does not state them itself.
pub(in crate::link) fn add(world: &World<'_>, drafts: &mut [Drafts]) {
    let found = edges(world);
    if found.is_empty() {
        return;
    }
    let stated: FxHashSet<(u32, LocalNode, Sym)> = (0..)
        .zip(drafts.iter())
        .flat_map(|(unit, d)| d.implemented().map(move |(from, to)| (unit, from, to)))
        .collect();
    for (unit, from, to, label) in found {
        let known = label.relation == Relation::IMPLEMENTS && stated.contains(&(unit, from, to));
        if let (false, Some(drafts)) = (known, drafts.get_mut(unit as usize)) {
            drafts.add(from, To::Sym(to), label);
        }
    }
}

/// The edges in the order of the interfaces.
fn edges(world: &World<'_>) -> Vec<Found> {
    let types: Vec<Type<'_>> = (0..world.units.len())
        .into_par_iter()
        .flat_map_iter(|at| types_of(world, at))
        .collect();
    let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (i, ty) in types.iter().enumerate() {
        if !ty.is_interface {
            for method in &ty.methods {
                by_name.entry(method.name).or_default().push(i);
            }
        }
    }
    types
        .par_iter()
        .filter(|ty| ty.is_interface && !ty.methods.is_empty())
        .flat_map_iter(|interface| satisfied(world, interface, &types, &by_name))
        .collect()
}

fn satisfied(
    world: &World<'_>,
    interface: &Type<'_>,
    types: &[Type<'_>],
    by_name: &FxHashMap<&str, Vec<usize>>,
) -> Vec<Found> {
    let candidates = interface
        .methods
        .iter()
        .map(|m| by_name.get(m.name).map_or(&[][..], Vec::as_slice))
        .min_by_key(|c| c.len())
        .unwrap_or_default();
    let satisfying: Vec<&Type<'_>> = candidates
        .iter()
        .filter_map(|i| types.get(*i))
        .filter(|ty| satisfies(world, ty, interface))
        .collect();
    if satisfying.len() > IMPLEMENTERS {
        return Vec::new();
    }
    let line = |sym: Sym| world.node(sym).map_or(0, |n| n.span.start_line);
    let label = |relation, line| EdgeLabel {
        relation,
        confidence: Confidence::Inferred,
        reason: Reason::INFERRED,
        context: Context::BASE,
        line,
    };
    let mut found = Vec::new();
    for ty in &satisfying {
        let own = label(Relation::IMPLEMENTS, line(ty.sym));
        found.push((ty.sym.unit, ty.sym.node, interface.sym, own));
        if satisfying.len() > DISPATCHED {
            continue;
        }
        for wanted in &interface.methods {
            let (Some(base), Some(Some(runs))) =
                (wanted.sym, ty.method(wanted.name).map(|m| m.sym))
            else {
                continue;
            };
            if base != runs {
                let label = label(Relation::DISPATCHES_TO, line(base));
                found.push((base.unit, base.node, runs, label));
            }
        }
    }
    found
}

fn satisfies(world: &World<'_>, ty: &Type<'_>, interface: &Type<'_>) -> bool {
    interface.methods.iter().all(|wanted| {
        let visible = wanted.name.chars().next().is_some_and(char::is_uppercase)
            || world.go.are_one(ty.sym.unit, interface.sym.unit);
        visible
            && ty
                .method(wanted.name)
                .is_some_and(|m| m.signature.fits(&wanted.signature))
    })
}

/// The types of a unit that have methods, and its interfaces.
fn types_of<'w>(world: &'w World<'w>, at: usize) -> Vec<Type<'w>> {
    let (Some(unit), Ok(at)) = (world.units.get(at), u32::try_from(at)) else {
        return Vec::new();
    };
    if unit.language != Language::GO {
        return Vec::new();
    }
    let mut eval = Eval::new(world);
    let mut types = Vec::new();
    for (i, node) in unit.nodes().iter().enumerate().skip(1) {
        let is_type = matches!(
            node.kind,
            NodeKind::CLASS | NodeKind::INTERFACE | NodeKind::TYPE_ALIAS
        );
        if !is_type || node.parent != LocalNode::UNIT {
            continue;
        }
        let Some(id) = LocalNode::from_index(i) else {
            break;
        };
        let sym = Sym { unit: at, node: id };
        // Another name for a type is not a type of its own.
        let def = unit.facts.def(id);
        if node.kind == NodeKind::TYPE_ALIAS && def.is_some_and(|d| d.ty != TypeId::UNKNOWN) {
            continue;
        }
        eval.restart();
        let mut methods: Vec<Method<'w>> = Vec::new();
        let whole = collect(&mut eval, sym, 0, &mut vec![sym], &mut methods);
        let is_interface = node.kind == NodeKind::INTERFACE;
        if methods.is_empty() || (is_interface && !whole) {
            continue;
        }
        methods.sort_by(|a, b| a.name.cmp(b.name));
        types.push(Type {
            sym,
            is_interface,
            methods,
        });
    }
    types
}

/// Adds the methods of a type, then those of embedded types that it does not hide. Returns whether all are known.
fn collect<'w>(
    eval: &mut Eval<'w>,
    sym: Sym,
    depth: u32,
    seen: &mut Vec<Sym>,
    methods: &mut Vec<Method<'w>>,
) -> bool {
    let world = eval.world;
    for part in eval.merged(sym) {
        let Some(unit) = world.unit(part.unit) else {
            continue;
        };
        for (name, method) in world.go.methods(unit, part) {
            if methods.iter().any(|m| m.name == name) {
                continue;
            }
            if let Some(signature) = Signature::of(world, method) {
                methods.push(Method {
                    name,
                    sym: Some(method),
                    signature,
                });
            }
        }
    }
    if depth >= EMBEDDED {
        return false;
    }
    let mut whole = true;
    let bases = eval.bases(sym, &None);
    for (place, (_, base)) in bases.into_iter().enumerate() {
        match base {
            Ty::Instance(base, _) => {
                if !seen.contains(&base) {
                    seen.push(base);
                    whole &= collect(eval, base, depth + 1, seen, methods);
                }
            }
            _ => match known_base(world, sym, place) {
                Some(known) => {
                    for (name, params, results) in known {
                        if methods.iter().all(|m| m.name != *name) {
                            methods.push(Method {
                                name,
                                sym: None,
                                signature: Signature::of_arity(*params, *results),
                            });
                        }
                    }
                }
                None => whole = false,
            },
        }
    }
    whole
}

/// Methods of an interface of the language or its library: name, parameters, results.
type Known = &'static [(&'static str, usize, usize)];

fn known_base(world: &World<'_>, sym: Sym, place: usize) -> Option<Known> {
    let unit = world.unit(sym.unit)?;
    let facts = &unit.facts;
    let bases = facts.list(facts.def(sym.node)?.bases);
    let ty = bases.chunks_exact(2).nth(place)?.get(1)?;
    let TypeExpr::Free { name, path, .. } = facts.ty(TypeId(*ty)) else {
        return None;
    };
    let member = facts.list(path).first().map(|n| crate::ids::StrId(*n));
    let member = member.map_or("", |n| unit.text(n));
    Some(match (unit.text(name), member) {
        ("error", "") => &[("Error", 0, 1)],
        ("fmt", "Stringer") => &[("String", 0, 1)],
        ("io", "Reader") => &[("Read", 1, 2)],
        ("io", "Writer") => &[("Write", 1, 2)],
        ("io", "Closer") => &[("Close", 0, 1)],
        ("io", "ReadCloser") => &[("Read", 1, 2), ("Close", 0, 1)],
        ("io", "WriteCloser") => &[("Write", 1, 2), ("Close", 0, 1)],
        ("io", "ReadWriter") => &[("Read", 1, 2), ("Write", 1, 2)],
        ("io", "ReadWriteCloser") => &[("Read", 1, 2), ("Write", 1, 2), ("Close", 0, 1)],
        ("sort", "Interface") => &[("Len", 0, 1), ("Less", 2, 1), ("Swap", 2, 0)],
        ("http", "Handler") => &[("ServeHTTP", 2, 0)],
        ("any", "") => &[],
        _ => return None,
    })
}

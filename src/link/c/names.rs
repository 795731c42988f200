//! Names of C and C++ across files: who defines a name, and what a file takes in.
//!
//! Where it sits: part of [`crate::link::world::World`], asked by the linker of [`super`]. Two tables: all names outside functions and
//! records by hash, and who includes whom. Layout: entries ordered by hash in one vector, with an index of the hash's
//! first bits; includes as one vector of targets with an offset per unit.
//!
//! Invariant: the order of what a look-up yields is that of units and nodes.

use rayon::prelude::*;

use crate::ids::LocalNode;
use crate::link::dialect::Dialect;
use crate::link::world::{Module, Sym, World};
use crate::model::key::hash;
use crate::model::label::NodeKind;
use crate::model::unit::Unit;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    hash: u64,
    unit: u32,
    node: u32,
}

/// The tables; empty where no file is C or C++.
#[derive(Default)]
pub(in crate::link) struct Names {
    /// How far a hash is shifted for its place in `starts`.
    shift: u32,
    starts: Vec<u32>,
    entries: Vec<Entry>,
    /// Per unit: where its includes begin in `included`; one more at the end.
    included_at: Vec<u32>,
    included: Vec<u32>,
    /// Per unit: the standard headers that it includes itself, as a mask.
    standard: Vec<u64>,
}

/// Whether a node's name is looked up across files.
fn is_name(unit: &Unit, parent: LocalNode, kind: NodeKind) -> bool {
    if matches!(kind, NodeKind::FIELD | NodeKind::IMPL) {
        return false;
    }
    match unit.node(parent).map(|p| p.kind) {
        Some(NodeKind::FILE | NodeKind::MODULE | NodeKind::IMPL) => true,
        Some(NodeKind::ENUM) => unit
            .node(parent)
            .and_then(|p| unit.node(p.parent))
            .is_some_and(|p| matches!(p.kind, NodeKind::FILE | NodeKind::MODULE)),
        _ => false,
    }
}

impl Names {
    pub(in crate::link) fn new(world: &World<'_>) -> Self {
        let is_c = |unit: &Unit| Dialect::of(unit.language) == Dialect::C;
        if !world.units.iter().any(is_c) {
            return Self::default();
        }
        let mut entries: Vec<Entry> = world
            .units
            .par_iter()
            .enumerate()
            .filter(|(_, unit)| is_c(unit))
            .flat_map_iter(|(at, unit)| {
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                unit.nodes()
                    .iter()
                    .enumerate()
                    .skip(1)
                    .filter(|(_, node)| is_name(unit, node.parent, node.kind))
                    .map(move |(i, node)| Entry {
                        hash: hash(unit.text(node.name)),
                        unit: at,
                        node: u32::try_from(i).unwrap_or(u32::MAX),
                    })
            })
            .collect();
        entries.par_sort_unstable();
        let bits = (usize::BITS - entries.len().leading_zeros()).clamp(1, 22);
        let shift = 64 - bits;
        let mut starts = vec![0u32; (1usize << bits) + 1];
        for entry in &entries {
            if let Some(slot) = starts.get_mut((entry.hash >> shift) as usize + 1) {
                *slot += 1;
            }
        }
        let mut sum = 0u32;
        for slot in &mut starts {
            sum += *slot;
            *slot = sum;
        }
        let (included_at, included, standard) = includes(world);
        Self {
            shift,
            starts,
            entries,
            included_at,
            included,
            standard,
        }
    }

    /// Everything of that name outside functions and records, where units and nodes stand.
    pub(in crate::link) fn all<'s>(
        &'s self,
        world: &'s World<'_>,
        name: &'s str,
    ) -> impl Iterator<Item = Sym> + 's {
        let wanted = hash(name);
        let bucket = (wanted >> self.shift.min(63)) as usize;
        let start = self.starts.get(bucket).copied().unwrap_or(0) as usize;
        let end = self.starts.get(bucket + 1).copied().unwrap_or(0) as usize;
        let run = self.entries.get(start..end).unwrap_or_default();
        let from = run.partition_point(|e| e.hash < wanted);
        run.iter()
            .skip(from)
            .take_while(move |e| e.hash == wanted)
            .map(|e| Sym {
                unit: e.unit,
                node: LocalNode(e.node),
            })
            .filter(move |sym| world.name(*sym) == name)
    }

    /// Units that a unit includes itself.
    pub(in crate::link) fn included(&self, unit: u32) -> &[u32] {
        let at = unit as usize;
        let start = self.included_at.get(at).copied().unwrap_or(0) as usize;
        let end = self.included_at.get(at + 1).copied().unwrap_or(0) as usize;
        self.included.get(start..end).unwrap_or_default()
    }

    /// Standard headers that a unit includes itself.
    pub(in crate::link) fn standard(&self, unit: u32) -> u64 {
        self.standard.get(unit as usize).copied().unwrap_or(0)
    }
}

fn includes(world: &World<'_>) -> (Vec<u32>, Vec<u32>, Vec<u64>) {
    let mut at = Vec::with_capacity(world.units.len() + 1);
    let mut all = Vec::new();
    let mut standard = vec![0u64; world.units.len()];
    for (i, unit) in world.units.iter().enumerate() {
        at.push(u32::try_from(all.len()).unwrap_or(u32::MAX));
        if Dialect::of(unit.language) != Dialect::C {
            continue;
        }
        let Ok(place) = u32::try_from(i) else { break };
        for import in &unit.facts.imports {
            match world.module(place, import.module) {
                Some(Module::Unit(target)) => all.push(*target),
                Some(Module::External(key)) => {
                    let name = key.strip_prefix("c:").unwrap_or(key);
                    if let (Some(header), Some(mask)) =
                        (super::library::header(name), standard.get_mut(i))
                    {
                        *mask |= 1u64 << header.min(63);
                    }
                }
                _ => {}
            }
        }
    }
    at.push(u32::try_from(all.len()).unwrap_or(u32::MAX));
    (at, all, standard)
}

/// What a unit takes in, directly and through what it includes.
pub(in crate::link) struct Reach {
    units: Vec<u64>,
    /// Standard headers on the way.
    pub(in crate::link) standard: u64,
}

/// How many files a file may take in.
const REACH_LIMIT: usize = 50_000;

impl Reach {
    pub(in crate::link) fn of(world: &World<'_>, unit: u32) -> Self {
        let names = world.c();
        let mut units = vec![0u64; world.units.len().div_ceil(64)];
        let mut standard = 0;
        let mut work = vec![unit];
        set(&mut units, unit);
        let mut count = 0;
        while let Some(next) = work.pop() {
            count += 1;
            if count > REACH_LIMIT {
                break;
            }
            standard |= names.standard(next);
            for target in names.included(next) {
                if set(&mut units, *target) {
                    work.push(*target);
                }
            }
        }
        Self { units, standard }
    }

    pub(in crate::link) fn has(&self, unit: u32) -> bool {
        self.units
            .get(unit as usize / 64)
            .is_some_and(|w| w >> (unit % 64) & 1 == 1)
    }
}

/// Sets a bit; `false` where it was set.
fn set(bits: &mut [u64], at: u32) -> bool {
    let Some(word) = bits.get_mut(at as usize / 64) else {
        return false;
    };
    let mask = 1u64 << (at % 64);
    let new = *word & mask == 0;
    *word |= mask;
    new
}

//! Facts become edges: what each name, receiver and import of every file stands for, and how that was found.
//!
//! Where it sits: between `extract` (one file each) and `segment`. The only layer that looks across files. It reads stored
//! facts alone, so that a file can be linked again without being parsed.
//!
//! The parts: [`project`] says where a module name leads; [`world`] holds per-file indexes; [`names`] follows imports and
//! exports to definitions; [`eval`], [`written`], [`members`], [`calls`] and [`library`] find out what a value is; [`edges`] writes down the result.
//!
//! Invariants: the edges of a unit depend on the set of units and the configuration only, never on the order of work or
//! the number of threads; what is not proved by scope, import or type is never bound to a definition of the same name.

mod builtin;
mod c;
mod calls;
mod classes;
mod dialect;
mod edges;
mod elements;
mod eval;
mod generics;
mod go;
mod imports;
mod library;
mod members;
mod names;
mod project;
mod python;
mod python_builtin;
mod python_library;
mod references;
mod rust;
mod types;
mod world;
mod written;

use rayon::prelude::*;

use crate::model::unit::Unit;

pub use self::project::{Project, Resolved, is_configuration};
use self::world::World;

/// Links all units: sets the edges of each. `units` are sorted by key, each key once; a target in another unit is
/// [`crate::model::edge::Target::Unit`] with the place in this slice.
pub fn link(units: &mut [Unit], project: &Project) {
    let library = rust::library(units);
    let world = World::new(units, library, project);
    let crates = library.map(|_| rust::Crates::new(&world, project));
    let mut drafts: Vec<edges::Drafts> = (0..units.len())
        .into_par_iter()
        .map(|place| match &crates {
            Some(crates) if world.is_rust(place) => rust::of_unit(crates, place),
            _ => edges::of_unit(&world, place),
        })
        .collect();
    let elsewhere: Vec<_> = drafts.iter_mut().flat_map(|d| d.take_elsewhere()).collect();
    for (from, to, label) in elsewhere {
        if let Some(drafts) = drafts.get_mut(from.unit as usize) {
            drafts.add(from.node, to, label);
        }
    }
    // An implementation is known to the file that has it; the edge belongs to the file of what it implements.
    let dispatches: Vec<_> = drafts
        .iter_mut()
        .flat_map(|d| d.take_dispatches())
        .collect();
    for (base, member) in dispatches {
        let line = world.node(base).map_or(0, |n| n.span.start_line);
        if let Some(drafts) = drafts.get_mut(base.unit as usize) {
            drafts.add_dispatch(base.node, line, member);
        }
    }
    go::satisfaction::add(&world, &mut drafts);
    drop(crates);
    drop(world);
    units
        .par_iter_mut()
        .zip(drafts)
        .for_each(|(unit, drafts)| drafts.store(unit));
}

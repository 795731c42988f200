//! The state of a simulated disk: what is there now, what is durable, and the changes between the two.
//!
//! Where it sits: [`SimFs`](super::SimFs) is its handle. Invariants: what is there now is what is durable with all pending
//! changes applied in order; a crash state is what is durable with some of them applied in the same order.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::{Fault, Survival};

#[derive(Clone, Default)]
pub(super) struct State {
    pub(super) inodes: Vec<Inode>,
    pub(super) names: BTreeMap<PathBuf, usize>,
    pub(super) durable_names: BTreeMap<PathBuf, usize>,
    pub(super) pending_names: Vec<NameChange>,
    pub(super) dirs: BTreeSet<PathBuf>,
    pub(super) locks: BTreeSet<PathBuf>,
    pub(super) steps: u64,
    pub(super) fault: Option<(u64, Fault)>,
    pub(super) dark: bool,
}

#[derive(Clone, Default)]
pub(super) struct Inode {
    pub(super) now: Vec<u8>,
    pub(super) durable: Vec<u8>,
    pub(super) pending: Vec<DataChange>,
    pub(super) read_only: bool,
}

#[derive(Clone)]
pub(super) enum DataChange {
    Write { offset: u64, bytes: Vec<u8> },
    SetLen(u64),
}

#[derive(Clone)]
pub(super) struct NameChange {
    pub(super) dir: PathBuf,
    /// Names that go away, then a name that comes to stand for an inode.
    pub(super) removed: Option<PathBuf>,
    pub(super) added: Option<(PathBuf, usize)>,
}

impl State {
    pub(super) fn power(&self) -> io::Result<()> {
        if self.dark {
            return Err(io::Error::other("simulated power loss"));
        }
        Ok(())
    }

    /// Counts a step and lets the ordered fault happen.
    pub(super) fn step(&mut self) -> io::Result<()> {
        self.power()?;
        let this = self.steps;
        self.steps += 1;
        match self.fault {
            Some((at, Fault::Fail(kind))) if at == this => Err(kind.into()),
            Some((at, Fault::FailFrom(kind))) if at <= this => Err(kind.into()),
            Some((at, Fault::PowerLoss)) if at <= this => {
                self.dark = true;
                self.power()
            }
            _ => Ok(()),
        }
    }

    pub(super) fn find(&self, path: &Path) -> io::Result<usize> {
        self.names
            .get(path)
            .copied()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(super) fn inode(&self, at: usize) -> io::Result<&Inode> {
        self.inodes
            .get(at)
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(super) fn inode_mut(&mut self, at: usize) -> io::Result<&mut Inode> {
        self.inodes
            .get_mut(at)
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// A new empty file; its directory must be there.
    pub(super) fn create(&mut self, path: &Path) -> io::Result<usize> {
        let dir = parent(path);
        if !self.is_dir(&dir) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let inode = self.inodes.len();
        self.inodes.push(Inode::default());
        self.names.insert(path.to_path_buf(), inode);
        self.pending_names.push(NameChange {
            dir,
            removed: None,
            added: Some((path.to_path_buf(), inode)),
        });
        Ok(inode)
    }

    pub(super) fn is_dir(&self, dir: &Path) -> bool {
        dir.parent().is_none() || dir.as_os_str().is_empty() || self.dirs.contains(dir)
    }

    pub(super) fn plant(&mut self, path: PathBuf, contents: Vec<u8>) {
        let inode = self.inodes.len();
        self.inodes.push(Inode {
            durable: contents.clone(),
            now: contents,
            ..Inode::default()
        });
        let mut above = path.parent();
        while let Some(dir) = above {
            self.dirs.insert(dir.to_path_buf());
            above = dir.parent();
        }
        self.pending_names
            .retain(|c| c.added.as_ref().is_none_or(|(p, _)| *p != path));
        self.durable_names.insert(path.clone(), inode);
        self.names.insert(path, inode);
    }

    /// A change of contents takes its step; one that the power cut interrupts may still reach the disk.
    pub(super) fn change(&mut self, inode: usize, change: DataChange) -> io::Result<()> {
        let was_dark = self.dark;
        let stepped = self.step();
        let went_dark = self.dark && !was_dark;
        let file = self.inode_mut(inode)?;
        if stepped.is_ok() {
            if file.read_only {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            change.apply(&mut file.now, None);
            file.pending.push(change);
        } else if went_dark {
            file.pending.push(change);
        }
        stepped
    }

    pub(super) fn sync(&mut self, inode: usize) -> io::Result<()> {
        self.step()?;
        let file = self.inode_mut(inode)?;
        for change in file.pending.drain(..) {
            change.apply(&mut file.durable, None);
        }
        Ok(())
    }

    pub(super) fn names_after_crash(
        &self,
        survival: Survival,
        random: &mut Random,
    ) -> BTreeMap<PathBuf, usize> {
        let mut names = self.durable_names.clone();
        let mut left: BTreeMap<&Path, usize> = BTreeMap::new();
        for change in &self.pending_names {
            *left.entry(&change.dir).or_default() += 1;
        }
        for count in left.values_mut() {
            *count = match survival {
                Survival::Nothing => 0,
                Survival::Everything => *count,
                Survival::Prefix(_) | Survival::Scattered(_) => random.below(*count + 1),
            };
        }
        for change in &self.pending_names {
            let Some(count) = left.get_mut(change.dir.as_path()) else {
                continue;
            };
            if *count > 0 {
                *count -= 1;
                change.apply(&mut names);
            }
        }
        names
    }
}

impl NameChange {
    pub(super) fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        if let Some(path) = &self.removed {
            names.remove(path);
        }
        if let Some((path, inode)) = &self.added {
            names.insert(path.clone(), *inode);
        }
    }
}

impl Inode {
    pub(super) fn after_crash(&self, survival: Survival, random: &mut Random) -> Vec<u8> {
        let mut contents = self.durable.clone();
        let kept = match survival {
            Survival::Nothing => 0,
            Survival::Everything | Survival::Scattered(_) => self.pending.len(),
            Survival::Prefix(_) => random.below(self.pending.len() + 1),
        };
        for (at, change) in self.pending.iter().enumerate() {
            match survival {
                Survival::Scattered(_) => match random.below(4) {
                    0 => {}
                    1 => change.apply(&mut contents, Some(random)),
                    _ => change.apply(&mut contents, None),
                },
                Survival::Prefix(_) if at == kept => change.apply(&mut contents, Some(random)),
                _ if at < kept => change.apply(&mut contents, None),
                _ => {}
            }
        }
        contents
    }
}

impl DataChange {
    /// Applies the change to `contents`; with `tear`, only the first bytes of a write, and a new length or not.
    pub(super) fn apply(&self, contents: &mut Vec<u8>, tear: Option<&mut Random>) {
        match self {
            Self::Write { offset, bytes } => {
                let len = tear.map_or(bytes.len(), |random| random.below(bytes.len() + 1));
                let start = usize::try_from(*offset).unwrap_or(usize::MAX);
                let (Some(end), Some(data)) = (start.checked_add(len), bytes.get(..len)) else {
                    return;
                };
                if contents.len() < end {
                    contents.resize(end, 0);
                }
                if let Some(place) = contents.get_mut(start..end) {
                    place.copy_from_slice(data);
                }
            }
            Self::SetLen(len) => {
                if tear.is_none_or(|random| random.below(2) == 0) {
                    contents.resize(usize::try_from(*len).unwrap_or(contents.len()), 0);
                }
            }
        }
    }
}

/// A small generator whose sequence depends on the seed alone.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        // A Weyl sequence with a mixing step; quality enough to choose crash states.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        x ^ (x >> 32)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = (bound as u64).max(1);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }
}

pub(super) fn parent(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}

//! The list of files that git tracks, read from its index file.
//!
//! Where it sits: git's ignore rules say nothing about tracked files, so the walk asks here before it obeys one. Read by
//! ourselves rather than through the git program: that need not be there, costs a process, and runs what the
//! repository's own configuration names. Invariant: a file that cannot be understood tracks nothing; no count or length
//! in it is trusted.
//!
//! ```text
//! "DIRC" version:u32 count:u32                                  all numbers big-endian
//! entry: 24 bytes, mode:u32, 12 bytes, object id (20 or 32 bytes), flags:u16, [more flags:u16 in version 3 and up]
//!        version 2, 3: path NUL, then NULs until the entry's length is a multiple of 8
//!        version 4:    varint n, then a suffix and NUL: the path is the previous one without its last n bytes + suffix
//! extension: signature[4] length:u32 data
//! ```

use std::path::Path;

/// Mode of an entry that stands for a submodule.
const GITLINK: u32 = 0o160_000;
/// Bits of the mode that tell the type.
const TYPE_MASK: u32 = 0o170_000;
/// An index larger than this is not read.
const MAX_BYTES: u64 = 1 << 30;

/// Paths that a repository tracks, relative to its top, in ascending order of their bytes.
#[derive(Clone, Debug, Default)]
pub struct Tracked {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    submodules: Vec<u32>,
}

impl Tracked {
    /// Reads `git_dir/index`; `id_len` is the length of an object id. Nothing is tracked if there is no such file.
    pub fn read(git_dir: &Path, id_len: usize) -> Self {
        let mut tracked = Self::default();
        let Some(shared) = tracked.read_file(&git_dir.join("index"), id_len) else {
            return Self::default();
        };
        if let Some(name) = shared {
            // A split index: this file holds the changes, another one the rest. Entries that were removed are of no
            // harm here, because only paths that exist are ever asked for.
            let own = std::mem::take(&mut tracked);
            tracked.read_file(&git_dir.join(name), id_len);
            tracked.merge(&own);
        }
        tracked
    }

    /// Whether the file is tracked.
    pub fn has_file(&self, path: &[u8]) -> bool {
        self.find(path).is_ok_and(|at| !self.is_submodule(at))
    }

    /// Whether the folder is a submodule.
    pub fn has_submodule(&self, path: &[u8]) -> bool {
        self.find(path).is_ok_and(|at| self.is_submodule(at))
    }

    /// Whether anything at or below the folder is tracked.
    pub fn has_under(&self, folder: &[u8]) -> bool {
        if folder.is_empty() {
            return !self.ends.is_empty();
        }
        let prefix = [folder, b"/"].concat();
        let at = self.partition(|path| path < prefix.as_slice());
        self.path(at).is_some_and(|path| path.starts_with(&prefix)) || self.has_submodule(folder)
    }

    /// How many paths there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing is tracked.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn is_submodule(&self, at: usize) -> bool {
        u32::try_from(at).is_ok_and(|at| self.submodules.binary_search(&at).is_ok())
    }

    fn path(&self, at: usize) -> Option<&[u8]> {
        let end = *self.ends.get(at)? as usize;
        let start = at
            .checked_sub(1)
            .and_then(|i| self.ends.get(i))
            .map_or(0, |e| *e as usize);
        self.bytes.get(start..end)
    }

    fn partition(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.path(middle).is_some_and(&before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn find(&self, path: &[u8]) -> Result<usize, usize> {
        let at = self.partition(|p| p < path);
        if self.path(at) == Some(path) {
            Ok(at)
        } else {
            Err(at)
        }
    }

    fn push(&mut self, path: &[u8], mode: u32) -> Option<()> {
        let last = self.ends.len().checked_sub(1).and_then(|i| self.path(i));
        match last.map(|last| last.cmp(path)) {
            // The stages of an unmerged path stand one after the other.
            Some(std::cmp::Ordering::Equal) => return Some(()),
            Some(std::cmp::Ordering::Greater) => return None,
            _ => {}
        }
        if mode & TYPE_MASK == GITLINK {
            self.submodules.push(u32::try_from(self.ends.len()).ok()?);
        }
        self.bytes.extend_from_slice(path);
        self.ends.push(u32::try_from(self.bytes.len()).ok()?);
        Some(())
    }

    fn merge(&mut self, other: &Self) {
        let mut all: Vec<(Vec<u8>, u32)> = Vec::with_capacity(self.len() + other.len());
        for part in [&*self, other] {
            all.extend((0..part.len()).filter_map(|i| {
                let mode = if part.is_submodule(i) { GITLINK } else { 0 };
                Some((part.path(i)?.to_vec(), mode))
            }));
        }
        all.sort();
        let mut merged = Self::default();
        for (path, mode) in all.iter().filter(|(path, _)| !path.is_empty()) {
            if merged.push(path, *mode).is_none() {
                return;
            }
        }
        *self = merged;
    }

    /// Reads one index file; the name of the shared one where there is one. `None` if it is damaged.
    fn read_file(&mut self, path: &Path, id_len: usize) -> Option<Option<String>> {
        let metadata = std::fs::metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > MAX_BYTES {
            return None;
        }
        let data = std::fs::read(path).ok()?;
        self.parse(&data, id_len)
    }

    fn parse(&mut self, data: &[u8], id_len: usize) -> Option<Option<String>> {
        let mut rest = Bytes(data);
        if rest.take(4)? != b"DIRC" {
            return None;
        }
        let version = rest.u32()?;
        if !(2..=4).contains(&version) {
            return None;
        }
        let count = rest.u32()?;
        let mut previous: Vec<u8> = Vec::new();
        for _ in 0..count {
            let before = rest.0.len();
            rest.take(24)?;
            let mode = rest.u32()?;
            rest.take(12 + id_len)?;
            let flags = rest.u16()?;
            if version >= 3 && flags & 0x4000 != 0 {
                rest.u16()?;
            }
            if version == 4 {
                let cut = rest.varint()?;
                previous.truncate(previous.len().checked_sub(cut)?);
                previous.extend_from_slice(rest.until_nul()?);
            } else {
                previous.clear();
                previous.extend_from_slice(rest.until_nul()?);
                let read = before - rest.0.len();
                rest.take(read.next_multiple_of(8) - read)?;
            }
            // A sparse index holds whole folders, whose names end in a slash: nothing of them is in the tree.
            if !previous.is_empty() && !previous.ends_with(b"/") {
                self.push(&previous, mode)?;
            }
        }
        Some(shared_index(rest, id_len))
    }
}

/// The name of the shared index file, from the extensions that follow the entries.
fn shared_index(mut rest: Bytes<'_>, id_len: usize) -> Option<String> {
    use std::fmt::Write;
    loop {
        let signature = rest.take(4)?;
        let length = rest.u32()? as usize;
        let data = rest.take(length)?;
        if signature == b"link" {
            let id = data.get(..id_len)?;
            if id.iter().all(|b| *b == 0) {
                return None;
            }
            let mut name = String::from("sharedindex.");
            for byte in id {
                let _ = write!(name, "{byte:02x}");
            }
            return Some(name);
        }
    }
}

/// A cursor over untrusted bytes.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn until_nul(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|b| *b == 0)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }

    /// Git's offset encoding: seven bits a byte, most significant first, one added for every further byte.
    fn varint(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut value = usize::from(byte & 0x7F);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            value = value
                .checked_add(1)?
                .checked_mul(128)?
                .checked_add(usize::from(byte & 0x7F))?;
        }
        Some(value)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(in crate::source) mod tests {
    use super::*;

    /// An index of version 2 or 3 with the given paths and modes.
    pub(in crate::source) fn index(version: u32, entries: &[(&str, u32)]) -> Vec<u8> {
        let mut out = b"DIRC".to_vec();
        out.extend(version.to_be_bytes());
        out.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        let mut previous = "";
        for (path, mode) in entries {
            let start = out.len();
            out.extend([7; 24]);
            out.extend(mode.to_be_bytes());
            out.extend([7; 32]);
            out.extend(0u16.to_be_bytes());
            if version == 4 {
                let shared = path
                    .bytes()
                    .zip(previous.bytes())
                    .take_while(|(a, b)| a == b)
                    .count();
                out.push(u8::try_from(previous.len() - shared).unwrap());
                out.extend(path.bytes().skip(shared));
                out.push(0);
            } else {
                out.extend(path.bytes());
                out.push(0);
                while !(out.len() - start).is_multiple_of(8) {
                    out.push(0);
                }
            }
            previous = path;
        }
        out.extend(b"TREE\0\0\0\x02ab");
        out.extend([9; 20]);
        out
    }

    const ENTRIES: &[(&str, u32)] = &[
        ("a.ts", 0o100_644),
        ("build/gen/x.ts", 0o100_644),
        ("build-tools.ts", 0o100_644),
        ("lib", GITLINK),
        ("src/a.ts", 0o100_755),
    ];

    fn sorted() -> Vec<(&'static str, u32)> {
        let mut entries = ENTRIES.to_vec();
        entries.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        entries
    }

    #[test]
    fn files_folders_and_submodules_are_found_in_every_version() {
        for version in [2, 3, 4] {
            let mut tracked = Tracked::default();
            assert_eq!(
                tracked.parse(&index(version, &sorted()), 20),
                Some(None),
                "version {version}"
            );
            assert_eq!(tracked.len(), 5);
            assert!(tracked.has_file(b"build/gen/x.ts") && tracked.has_file(b"src/a.ts"));
            assert!(!tracked.has_file(b"lib") && tracked.has_submodule(b"lib"));
            assert!(
                tracked.has_under(b"build")
                    && tracked.has_under(b"build/gen")
                    && tracked.has_under(b"lib")
            );
            assert!(
                !tracked.has_under(b"buil")
                    && !tracked.has_under(b"build/g")
                    && !tracked.has_under(b"z")
            );
            assert!(tracked.has_under(b""));
        }
    }

    #[test]
    fn damaged_bytes_track_nothing_and_never_panic() {
        let good = index(4, &sorted());
        for cut in 0..good.len() {
            let _ = Tracked::default().parse(&good[..cut], 20);
        }
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                let _ = Tracked::default().parse(&bad, 20);
            }
        }
        assert_eq!(
            Tracked::default().parse(b"DIRC\0\0\0\x02\xff\xff\xff\xff", 20),
            None
        );
    }

    #[test]
    fn the_shared_part_of_a_split_index_is_named_and_merged() {
        let dir = tempfile::tempdir().unwrap();
        let mut own = index(2, &[("new.ts", 0o100_644)]);
        own.truncate(own.len() - 30);
        own.extend(b"link\0\0\0\x16");
        own.extend([0xAB; 20]);
        own.extend([0; 2]);
        std::fs::write(dir.path().join("index"), own).unwrap();
        let shared = dir.path().join(format!("sharedindex.{}", "ab".repeat(20)));
        std::fs::write(shared, index(2, &sorted())).unwrap();
        let tracked = Tracked::read(dir.path(), 20);
        assert!(
            tracked.has_file(b"new.ts")
                && tracked.has_file(b"src/a.ts")
                && tracked.has_submodule(b"lib")
        );
        assert_eq!(tracked.len(), 6);
    }
}

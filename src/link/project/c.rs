//! Included files of C and C++.
//!
//! Where it sits: one dialect's part of [`Project`]. An include is tried beside the file (in quotes), along the `-I` paths
//! of `compile_commands.json` where there is one, and else among all files whose path ends in the written name: a build
//! that hands out include paths can mean only one of them. Of several the one counts whose include root serves the file's
//! folder: `X/include/name` serves everything below `X`, any other root everything below itself; the deepest root wins.
//!
//! Invariant: where two files are as near, neither is meant.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::{Project, Resolved, paths};

/// Files that can be included, by their last name.
#[derive(Debug, Default)]
pub(super) struct Includes {
    paths: Vec<String>,
    by_name: FxHashMap<String, Vec<u32>>,
}

/// What `compile_commands.json` says: folders in the order in which they are searched.
#[derive(Debug, Default)]
pub(super) struct Commands {
    by_file: FxHashMap<String, u32>,
    lists: Vec<Vec<String>>,
    /// All folders, for headers, which no command names.
    all: Vec<String>,
}

/// Endings of files that are included.
fn is_includable(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, e)| e);
    matches!(
        ending.to_ascii_lowercase().as_str(),
        "h" | "hh"
            | "hpp"
            | "hxx"
            | "h++"
            | "inl"
            | "ipp"
            | "tpp"
            | "inc"
            | "def"
            | "c"
            | "cc"
            | "cpp"
            | "cxx"
            | "c++"
            | "cu"
            | "cuh"
            | "x"
    )
}

impl Includes {
    fn new<'a>(known: impl Iterator<Item = &'a String>) -> Self {
        let mut paths: Vec<String> = known.filter(|p| is_includable(p)).cloned().collect();
        paths.sort_unstable();
        let mut by_name: FxHashMap<String, Vec<u32>> = FxHashMap::default();
        for (i, path) in paths.iter().enumerate() {
            let name = path.rsplit('/').next().unwrap_or(path);
            let Ok(i) = u32::try_from(i) else { break };
            match by_name.get_mut(name) {
                Some(list) => list.push(i),
                None => {
                    by_name.insert(name.to_string(), vec![i]);
                }
            }
        }
        Self { paths, by_name }
    }

    /// Files whose path ends in `name`, each with its include root.
    fn ending_in<'s>(&'s self, name: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        let last = name.rsplit('/').next().unwrap_or(name);
        let list = self.by_name.get(last).map_or(&[][..], Vec::as_slice);
        list.iter()
            .filter_map(|i| self.paths.get(*i as usize))
            .filter_map(move |path| {
                let root = path.strip_suffix(name)?;
                match root.strip_suffix('/') {
                    Some(root) => Some((path.as_str(), root)),
                    None if root.is_empty() => Some((path.as_str(), "")),
                    None => None,
                }
            })
    }
}

/// The folder that an include root serves.
fn serves(root: &str) -> &str {
    let mut end = None;
    let mut at = 0;
    for part in root.split('/') {
        if matches!(part, "include" | "inc" | "includes" | "Include") {
            end = Some(at);
        }
        at += part.len() + 1;
    }
    match end {
        Some(end) => root.get(..end).unwrap_or_default().trim_end_matches('/'),
        None => root,
    }
}

fn is_inside(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// How many folders two paths share from the root on.
pub(crate) fn shared_folders(a: &str, b: &str) -> usize {
    let a = paths::parent(a).split('/');
    let b = paths::parent(b).split('/');
    a.zip(b)
        .take_while(|(x, y)| x == y && !x.is_empty())
        .count()
}

impl Commands {
    /// Reads the commands. Paths there are those of the machine that built: what the tree's own paths end in is cut off.
    pub(super) fn new(files: &FxHashMap<String, Value>, known: &FxHashSet<String>) -> Self {
        let mut commands = Self::default();
        let mut keys: Vec<&String> = files
            .keys()
            .filter(|k| k.rsplit('/').next() == Some("compile_commands.json"))
            .collect();
        keys.sort_unstable();
        let mut lists: FxHashMap<Vec<String>, u32> = FxHashMap::default();
        for entry in keys
            .iter()
            .filter_map(|k| files.get(*k)?.as_array())
            .flatten()
        {
            let Some((file, root)) = file_of(entry, known) else {
                continue;
            };
            let folders = folders_of(entry, &root);
            for folder in &folders {
                if !commands.all.contains(folder) && commands.all.len() < 256 {
                    commands.all.push(folder.clone());
                }
            }
            let place = match lists.get(&folders) {
                Some(place) => *place,
                None => {
                    let place = u32::try_from(commands.lists.len()).unwrap_or(u32::MAX);
                    commands.lists.push(folders.clone());
                    lists.insert(folders, place);
                    place
                }
            };
            commands.by_file.insert(file, place);
        }
        commands
    }

    fn folders(&self, file: &str) -> &[String] {
        let own = self.by_file.get(file);
        own.and_then(|place| self.lists.get(*place as usize))
            .unwrap_or(&self.all)
    }
}

/// `path` seen from `directory`, with one kind of slash.
fn absolute(directory: &str, path: &str) -> String {
    let path = path.replace('\\', "/");
    let drive = path.as_bytes().get(1) == Some(&b':');
    let whole = if path.starts_with('/') || drive {
        path
    } else {
        format!("{}/{path}", directory.replace('\\', "/"))
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The tree's file that an entry compiles, and what stands before the tree's paths.
fn file_of(entry: &Value, known: &FxHashSet<String>) -> Option<(String, String)> {
    let directory = entry.get("directory").and_then(Value::as_str).unwrap_or("");
    let whole = absolute(directory, entry.get("file")?.as_str()?);
    let mut rest = whole.as_str();
    loop {
        if known.contains(rest) {
            let root = whole.strip_suffix(rest).unwrap_or_default();
            return Some((rest.to_string(), root.trim_end_matches('/').to_string()));
        }
        rest = rest.split_once('/')?.1;
    }
}

/// The include folders of an entry that lie inside the tree.
fn folders_of(entry: &Value, root: &str) -> Vec<String> {
    let directory = entry.get("directory").and_then(Value::as_str).unwrap_or("");
    let words: Vec<String> = match entry.get("arguments").and_then(Value::as_array) {
        Some(list) => list
            .iter()
            .filter_map(|w| Some(w.as_str()?.to_string()))
            .collect(),
        None => entry
            .get("command")
            .and_then(Value::as_str)
            .unwrap_or("")
            .split_whitespace()
            .map(|w| w.trim_matches(['"', '\'']).to_string())
            .collect(),
    };
    let mut folders: Vec<String> = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let path = ["-I", "-iquote", "-isystem", "/I"]
            .iter()
            .find_map(|flag| word.strip_prefix(flag));
        let path = match path {
            Some("") => words.next().map(String::as_str),
            other => other,
        };
        let Some(path) = path else { continue };
        let whole = absolute(directory, path);
        let inside = if root.is_empty() {
            Some(whole.as_str())
        } else if whole == root {
            Some("")
        } else {
            whole.strip_prefix(root).and_then(|r| r.strip_prefix('/'))
        };
        if let Some(folder) = inside
            && !folders.iter().any(|f| f == folder)
        {
            folders.push(folder.to_string());
        }
    }
    folders
}

impl Project {
    /// Where an include leads that stands in the file `from`; `name` is written with its quotes or brackets.
    pub(crate) fn resolve_include(&self, from: &str, name: &str) -> Resolved {
        let quoted = name.starts_with('"');
        let name = name.trim_matches(['"', '<', '>']);
        let plain = name.replace('\\', "/");
        let outside = || Resolved::External(format!("c:{name}"));
        if plain.is_empty() {
            return outside();
        }
        let folder = paths::parent(from);
        let beside = paths::join(folder, &plain).filter(|p| self.knows(p));
        if quoted && let Some(path) = &beside {
            return Resolved::File(path.clone());
        }
        for folder in self.commands.folders(from) {
            if let Some(path) = paths::join(folder, &plain).filter(|p| self.knows(p)) {
                return Resolved::File(path);
            }
        }
        // Steps upwards say where they start from: only what follows them can be looked for.
        let bare = plain.trim_start_matches("./");
        let looked = match bare.rfind("../") {
            Some(at) => bare.get(at + 3..).unwrap_or_default(),
            None => bare,
        };
        match self.by_ending(from, looked) {
            Some(path) => Resolved::File(path),
            None => match beside {
                Some(path) => Resolved::File(path),
                None if quoted => Resolved::Missing(plain),
                None => outside(),
            },
        }
    }

    fn by_ending(&self, from: &str, name: &str) -> Option<String> {
        let includes = self
            .includes
            .get_or_init(|| Includes::new(self.known.iter()));
        let mut best: Option<(usize, usize, &str)> = None;
        let mut tied = false;
        let mut only = None;
        let mut count = 0;
        for (path, root) in includes.ending_in(name) {
            count += 1;
            only = Some(path);
            let served = serves(root);
            if path == from || !is_inside(from, served) {
                continue;
            }
            // The deepest root; of `include` and `include/uapi` the first.
            let rank = (served.len(), usize::MAX - root.len(), path);
            match best {
                Some((depth, short, _)) if (depth, short) == (rank.0, rank.1) => tied = true,
                Some((depth, short, _)) if (depth, short) > (rank.0, rank.1) => {}
                _ => {
                    best = Some(rank);
                    tied = false;
                }
            }
        }
        if let (Some((_, _, path)), false) = (best, tied) {
            return Some(path.to_string());
        }
        if count == 1 {
            // A name without a folder that stands far away may be any library's.
            let path = only.filter(|p| *p != from)?;
            return Some(path.to_string());
        }
        let mut nearest: Option<(usize, &str)> = None;
        let mut tied = false;
        for (path, _) in includes.ending_in(name).filter(|(p, _)| *p != from) {
            let near = shared_folders(path, from);
            match nearest {
                Some((n, _)) if n == near => tied = true,
                Some((n, _)) if n > near => {}
                _ => {
                    nearest = Some((near, path));
                    tied = false;
                }
            }
        }
        nearest
            .filter(|(near, _)| *near > 0 && !tied)
            .map(|(_, path)| path.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(known: &[&str], commands: Option<&str>) -> Project {
        let texts = commands.map(|text| ("build/compile_commands.json", text));
        Project::new(texts, known.iter().map(|k| (*k).to_string()))
    }

    #[test]
    fn includes_are_found_beside_below_include_roots_and_by_their_ending() {
        let p = project(
            &[
                "mm/slab.c",
                "mm/slab.h",
                "include/linux/slab.h",
                "tools/include/linux/slab.h",
                "include/uapi/linux/errno.h",
                "tools/perf/a.c",
                "arch/x86/include/asm/io.h",
                "arch/arm/include/asm/io.h",
                "arch/x86/kernel/k.c",
                "lib/x/only.h",
            ],
            None,
        );
        let file = |p: &str| Resolved::File(p.to_string());
        for (from, name, wanted) in [
            ("mm/slab.c", "\"slab.h\"", file("mm/slab.h")),
            ("mm/slab.c", "<linux/slab.h>", file("include/linux/slab.h")),
            (
                "tools/perf/a.c",
                "<linux/slab.h>",
                file("tools/include/linux/slab.h"),
            ),
            (
                "mm/slab.c",
                "<linux/errno.h>",
                file("include/uapi/linux/errno.h"),
            ),
            (
                "arch/x86/kernel/k.c",
                "<asm/io.h>",
                file("arch/x86/include/asm/io.h"),
            ),
            (
                "mm/slab.c",
                "<asm/io.h>",
                Resolved::External("c:asm/io.h".to_string()),
            ),
            (
                "mm/slab.c",
                "<stdio.h>",
                Resolved::External("c:stdio.h".to_string()),
            ),
            (
                "mm/slab.c",
                "\"gone.h\"",
                Resolved::Missing("gone.h".to_string()),
            ),
            ("mm/slab.c", "\"only.h\"", file("lib/x/only.h")),
        ] {
            assert_eq!(p.resolve_include(from, name), wanted, "{from} {name}");
        }
    }

    #[test]
    fn the_build_says_where_includes_are_searched() {
        let commands = r#"[
            {"directory": "/b/p/build", "file": "../src/a.c", "command": "cc -I../two -I /b/p/one -c ../src/a.c"},
            {"directory": "/b/p", "file": "/b/p/src/b.c", "arguments": ["cc", "-Ione", "-Itwo", "src/b.c"]}
        ]"#;
        let p = project(
            &["src/a.c", "src/b.c", "one/k.h", "two/k.h"],
            Some(commands),
        );
        let file = |p: &str| Resolved::File(p.to_string());
        assert_eq!(p.resolve_include("src/a.c", "<k.h>"), file("two/k.h"));
        assert_eq!(p.resolve_include("src/b.c", "<k.h>"), file("one/k.h"));
    }
}

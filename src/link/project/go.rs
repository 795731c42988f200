//! Module names of Go: an import path leads to the folder of a package.
//!
//! Every `go.mod` of the tree is a module; `replace` with a local path adds names for folders. The longest path that fits
//! wins; of several modules with one path the importing file's own does, and otherwise none. Copies of other modules
//! (`vendor`) are never meant. What is in no module of the tree is the standard library's (`go:`, no dot in the first
//! part) or a package outside (`gomod:`).

use rustc_hash::FxHashSet;

use super::paths::{ancestors, join, parent};
use super::{Project, Resolved};

/// One name by which a folder of the tree is known.
#[derive(Debug)]
struct Root {
    /// The import path.
    path: String,
    /// The folder that it leads to.
    folder: String,
    /// The folder of the module in which this holds; `None` for the whole tree.
    within: Option<String>,
    /// Written with `replace`.
    replaced: bool,
}

/// The modules of a tree, and the folders that hold packages.
#[derive(Debug, Default)]
pub(super) struct GoModules {
    roots: Vec<Root>,
    modules: FxHashSet<String>,
    folders: FxHashSet<String>,
}

impl GoModules {
    /// Reads all `go.mod` and `go.work` files.
    pub(super) fn new(texts: &[(&str, &str)], known: &FxHashSet<String>) -> Self {
        let mut modules = Self::default();
        for (path, text) in texts {
            let folder = parent(path);
            match path.rsplit('/').next() {
                Some("go.mod") => modules.module(folder, text),
                Some("go.work") => modules.replacements(folder, text, None),
                _ => {}
            }
        }
        modules
            .roots
            .sort_by(|a, b| (&a.path, &a.folder).cmp(&(&b.path, &b.folder)));
        modules.folders = known
            .iter()
            .filter(|path| path.ends_with(".go"))
            .map(|path| parent(path))
            .filter(|folder| folder.split('/').all(|part| part != "vendor"))
            .map(str::to_string)
            .collect();
        modules
    }

    fn module(&mut self, folder: &str, text: &str) {
        let path = directives(text).find_map(|(verb, rest)| {
            let path = unquoted(rest.split_whitespace().next()?);
            (verb == "module" && !path.is_empty()).then_some(path)
        });
        let Some(path) = path else { return };
        self.modules.insert(folder.to_string());
        self.roots.push(Root {
            path: path.to_string(),
            folder: folder.to_string(),
            within: None,
            replaced: false,
        });
        self.replacements(folder, text, Some(folder));
    }

    fn replacements(&mut self, folder: &str, text: &str, within: Option<&str>) {
        for (verb, rest) in directives(text) {
            let (true, Some((old, new))) = (verb == "replace", rest.split_once("=>")) else {
                continue;
            };
            let (Some(old), Some(new)) = (
                old.split_whitespace().next().map(unquoted),
                new.split_whitespace().next().map(unquoted),
            ) else {
                continue;
            };
            let local =
                new.starts_with("./") || new.starts_with("../") || new == "." || new == "..";
            if let (true, Some(target)) = (local, join(folder, new)) {
                self.roots.push(Root {
                    path: old.to_string(),
                    folder: target,
                    within: within.map(str::to_string),
                    replaced: true,
                });
            }
        }
    }

    /// The folder of the tree that an import path means in a file of `from`; `None` where it leads outside.
    fn folder(&self, from: &str, name: &str) -> Option<String> {
        let own = ancestors(from).find(|f| self.modules.contains(*f));
        let mut best: Option<(&Root, &str, bool)> = None;
        for root in &self.roots {
            let Some(rest) = name.strip_prefix(root.path.as_str()) else {
                continue;
            };
            if !rest.is_empty() && !rest.starts_with('/') {
                continue;
            }
            if root.within.as_deref().is_some_and(|w| Some(w) != own) {
                continue;
            }
            let rank = |root: &Root| {
                let is_own = !root.replaced && Some(root.folder.as_str()) == own;
                (root.path.len(), root.replaced, is_own)
            };
            best = match best {
                Some((other, ..)) if rank(other) > rank(root) => best,
                // Two modules of one path, neither of them the file's own.
                Some((other, rest, _)) if rank(other) == rank(root) => {
                    Some((other, rest, other.folder != root.folder))
                }
                _ => Some((root, rest, false)),
            };
        }
        match best {
            Some((root, rest, false)) => join(&root.folder, rest.trim_start_matches('/')),
            _ => None,
        }
    }
}

impl Project {
    /// Where the import path `name` leads that stands in the Go file `from`. A package of the tree is named by its folder.
    pub(crate) fn resolve_go(&self, from: &str, name: &str) -> Resolved {
        let folder = if name.starts_with("./") || name.starts_with("../") {
            join(parent(from), name)
        } else {
            self.go.folder(parent(from), name)
        };
        if let Some(folder) = folder {
            if self.go.folders.contains(&folder) {
                return Resolved::File(folder);
            }
            return Resolved::Missing(folder);
        }
        let first = name.split('/').next().unwrap_or(name);
        if first.contains('.') {
            Resolved::External(format!("gomod:{name}"))
        } else {
            Resolved::External(format!("go:{name}"))
        }
    }
}

/// The directives of a `go.mod` or `go.work`: verb and the rest, with blocks taken apart.
fn directives(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut block = None;
    text.lines().filter_map(move |line| {
        let line = line.split("//").next().unwrap_or_default().trim();
        if line.is_empty() {
            return None;
        }
        if line == ")" {
            block = None;
            return None;
        }
        if let Some(verb) = block {
            return Some((verb, line));
        }
        let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (verb, rest) = match verb.strip_suffix('(') {
            Some(verb) => (verb, "("),
            None => (verb, rest.trim()),
        };
        if rest == "(" {
            block = Some(verb);
            return None;
        }
        Some((verb, rest))
    })
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '`'])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn project(texts: &[(&str, &str)], known: &[&str]) -> Project {
        Project::new(
            texts.iter().copied(),
            known.iter().map(|k| (*k).to_string()),
        )
    }

    fn folder(path: &str) -> Resolved {
        Resolved::File(path.to_string())
    }

    #[test]
    fn the_longest_module_path_wins_and_replacements_hold_where_they_are_written() {
        let p = project(
            &[
                (
                    "go.mod",
                    "module \"ex.com/m\" // the root\n\nreplace (\n\tex.com/lib v1.0.0 => ./third/lib\n)\n",
                ),
                (
                    "tools/go.mod",
                    "module ex.com/m/tools\nreplace ex.com/m => ../\n",
                ),
                ("other/go.mod", "module ex.com/other/v2\n"),
            ],
            &[
                "a.go",
                "a/b/c.go",
                "tools/gen/x.go",
                "third/lib/l.go",
                "other/o.go",
                "vendor/ex.com/v/v.go",
            ],
        );
        for (from, name, answer) in [
            ("a.go", "ex.com/m/a/b", folder("a/b")),
            ("a.go", "ex.com/m", folder("")),
            ("a.go", "ex.com/m/tools/gen", folder("tools/gen")),
            ("a.go", "ex.com/lib", folder("third/lib")),
            ("tools/gen/x.go", "ex.com/m/a/b", folder("a/b")),
            (
                "tools/gen/x.go",
                "ex.com/lib",
                Resolved::External("gomod:ex.com/lib".into()),
            ),
            ("a.go", "ex.com/other/v2", folder("other")),
            ("a.go", "ex.com/m/gone", Resolved::Missing("gone".into())),
            (
                "a.go",
                "ex.com/mm/a",
                Resolved::External("gomod:ex.com/mm/a".into()),
            ),
            ("a.go", "net/http", Resolved::External("go:net/http".into())),
            ("a.go", "C", Resolved::External("go:C".into())),
            (
                "a.go",
                "ex.com/v",
                Resolved::External("gomod:ex.com/v".into()),
            ),
        ] {
            assert_eq!(p.resolve_go(from, name), answer, "{from}: {name}");
        }
    }

    #[test]
    fn of_two_modules_with_one_path_only_the_own_one_is_meant() {
        let p = project(
            &[
                ("x/go.mod", "module demo"),
                ("y/go.mod", "module demo"),
                ("z/go.mod", "module z"),
            ],
            &["x/a/a.go", "y/a/a.go", "z/z.go"],
        );
        assert_eq!(p.resolve_go("y/main.go", "demo/a"), folder("y/a"));
        assert_eq!(
            p.resolve_go("z/z.go", "demo/a"),
            Resolved::External("go:demo/a".into())
        );
    }
}

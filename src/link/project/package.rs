//! `package.json`, workspaces, and where a package's name leads inside the tree.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::paths::{ancestors, join, parent};

/// One package of the tree.
#[derive(Debug)]
pub(super) struct Package {
    /// Its folder.
    pub(super) folder: String,
    manifest: Value,
}

/// All packages of the tree.
#[derive(Debug, Default)]
pub(super) struct Packages {
    by_folder: FxHashMap<String, Package>,
    /// Members of workspaces by name.
    members: FxHashMap<String, String>,
}

/// Folders that hold what is built from `src`.
const BUILT: [&str; 9] = [
    "dist", "lib", "build", "out", "esm", "cjs", "es", "output", "types",
];

impl Packages {
    /// Reads all manifests, and the lists of workspaces in `yaml` files (path and text).
    pub(super) fn new(files: &FxHashMap<String, Value>, yaml: &[(&str, &str)]) -> Self {
        let mut by_folder = FxHashMap::default();
        let mut globs: Vec<(String, Vec<String>)> = Vec::new();
        for (path, value) in files {
            let folder = parent(path).to_string();
            match path.rsplit('/').next() {
                Some("package.json") => {
                    let workspaces = match value.get("workspaces") {
                        Some(Value::Object(o)) => o.get("packages"),
                        other => other,
                    };
                    globs.push((folder.clone(), strings(workspaces)));
                    let package = Package {
                        folder: folder.clone(),
                        manifest: value.clone(),
                    };
                    by_folder.insert(folder, package);
                }
                Some("lerna.json") => globs.push((folder, strings(value.get("packages")))),
                _ => {}
            }
        }
        for (path, text) in yaml {
            if path.rsplit('/').next() == Some("pnpm-workspace.yaml") {
                globs.push((parent(path).to_string(), yaml_packages(text)));
            }
        }
        let mut members: FxHashMap<String, String> = FxHashMap::default();
        for package in by_folder.values() {
            let Some(name) = package.manifest.get("name").and_then(Value::as_str) else {
                continue;
            };
            let is_member = globs.iter().any(|(root, patterns)| {
                let inside = match package.folder.strip_prefix(root.as_str()) {
                    Some(rest) if root.is_empty() => Some(rest),
                    Some(rest) => rest.strip_prefix('/'),
                    None => None,
                };
                // The root of a workspace is a member of it.
                let at_root = !patterns.is_empty() && &package.folder == root;
                at_root || inside.is_some_and(|rest| covers(patterns, rest))
            });
            let linked = by_folder
                .values()
                .any(|p| p.depends_on_folder(name, &package.folder));
            if !(is_member || linked) {
                continue;
            }
            // Of two packages of one name the one nearer to the root is meant.
            let known = members.get(name);
            let nearer = known.is_none_or(|k| {
                let rank = |f: &str| (f.matches('/').count(), f.to_string());
                rank(&package.folder) < rank(k)
            });
            if nearer {
                members.insert(name.to_string(), package.folder.clone());
            }
        }
        Self { by_folder, members }
    }

    /// Whether the tree has no packages.
    pub(super) fn is_empty(&self) -> bool {
        self.by_folder.is_empty()
    }

    /// The folder of a workspace package.
    pub(super) fn member(&self, name: &str) -> Option<&Package> {
        self.by_folder.get(self.members.get(name)?)
    }

    /// The package that a folder lies in.
    pub(super) fn around(&self, folder: &str) -> Option<&Package> {
        ancestors(folder).find_map(|f| self.by_folder.get(f))
    }

    /// The packages around a folder that bear this name.
    pub(super) fn around_named(&self, folder: &str, name: &str) -> Option<&Package> {
        ancestors(folder)
            .filter_map(|f| self.by_folder.get(f))
            .find(|p| p.manifest.get("name").and_then(Value::as_str) == Some(name))
    }

    /// The package whose folder this is.
    pub(super) fn at(&self, folder: &str) -> Option<&Package> {
        self.by_folder.get(folder)
    }
}

impl Package {
    fn depends_on_folder(&self, name: &str, folder: &str) -> bool {
        ["dependencies", "devDependencies", "optionalDependencies"]
            .iter()
            .filter_map(|k| self.manifest.get(k)?.get(name)?.as_str())
            .filter_map(|v| {
                v.strip_prefix("file:")
                    .or_else(|| v.strip_prefix("link:"))
                    .or_else(|| v.strip_prefix("portal:"))
            })
            .any(|path| join(&self.folder, path).as_deref() == Some(folder))
    }

    /// The files that the manifest names for the package's entry or one of its parts.
    pub(super) fn written(&self, part: &str) -> Vec<String> {
        let mut written: Vec<String> = Vec::new();
        let key = if part.is_empty() {
            ".".to_string()
        } else {
            format!("./{part}")
        };
        let exports = self.manifest.get("exports");
        if let Some(exports) = exports {
            written.extend(mapped(exports, &key));
        }
        if part.is_empty() {
            for field in ["source", "module", "main", "types", "typings"] {
                written.extend(
                    self.manifest
                        .get(field)
                        .and_then(Value::as_str)
                        .map(str::to_string),
                );
            }
        }
        written
    }

    /// Places where the package's entry or one of its parts may lie, best first: paths from the root, to be probed.
    pub(super) fn places(&self, part: &str) -> Vec<String> {
        let written = self.written(part);
        let mut places: Vec<String> = Vec::new();
        for path in &written {
            places.extend(join(&self.folder, path));
        }
        for path in &written {
            for source in sources_of(path) {
                places.extend(join(&self.folder, &source));
            }
        }
        let guesses = if part.is_empty() {
            vec![
                "src/index".to_string(),
                "index".to_string(),
                "src/main".to_string(),
            ]
        } else {
            vec![part.to_string(), format!("src/{part}")]
        };
        places.extend(guesses.iter().filter_map(|g| join(&self.folder, g)));
        places
    }

    /// The files that the package offers by name, as its manifest writes them.
    pub(super) fn offered(&self) -> Vec<String> {
        let mut found = Vec::new();
        match self.manifest.get("exports") {
            Some(Value::Object(entries)) if entries.keys().any(|k| k.starts_with('.')) => {
                for value in entries.values() {
                    let (mut code, mut types) = (Vec::new(), Vec::new());
                    leaves(value, "*", false, &mut code, &mut types);
                    found.extend(code.into_iter().chain(types));
                }
            }
            Some(value) => found.extend(mapped(value, ".")),
            None => found.extend(self.written("")),
        }
        found
    }

    /// Places that the package's own `imports` map gives for `#name`.
    pub(super) fn imports(&self, name: &str) -> Vec<String> {
        let Some(imports) = self.manifest.get("imports") else {
            return Vec::new();
        };
        let written = mapped(imports, name);
        let sources = written.iter().flat_map(|p| sources_of(p));
        let all: Vec<String> = written.iter().cloned().chain(sources).collect();
        all.iter().filter_map(|p| join(&self.folder, p)).collect()
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_string)
        .collect()
}

/// The list under `packages:`.
fn yaml_packages(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if let Some(item) = trimmed.strip_prefix('-').filter(|_| inside) {
            let item = item.split(" #").next().unwrap_or_default().trim();
            found.push(item.trim_matches(['"', '\'']).to_string());
        } else {
            inside = trimmed.starts_with("packages:");
        }
    }
    found
}

/// Whether a list of patterns names a folder; patterns that begin with `!` take away.
fn covers(patterns: &[String], folder: &str) -> bool {
    let mut covered = false;
    for pattern in patterns {
        let (negative, pattern) = match pattern.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, pattern.as_str()),
        };
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        let parts: Vec<&str> = pattern.split('/').collect();
        let folder: Vec<&str> = folder.split('/').collect();
        if glob(&parts, &folder) {
            covered = !negative;
        }
    }
    covered
}

fn glob(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            glob(rest, path)
                || path
                    .split_first()
                    .is_some_and(|(_, tail)| glob(pattern, tail))
        }
        (Some((p, rest)), Some((s, tail))) => star(p, s) && glob(rest, tail),
        _ => false,
    }
}

fn star(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => {
            text.len() >= before.len() + after.len()
                && text.starts_with(before)
                && text.ends_with(after)
        }
    }
}

/// The targets of `key` in an `exports` or `imports` map, in the order written, declarations last.
fn mapped(map: &Value, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut types = Vec::new();
    match map {
        Value::Object(entries) if entries.keys().any(|k| k.starts_with(['.', '#'])) => {
            if let Some(value) = entries.get(key) {
                leaves(value, "", false, &mut found, &mut types);
            } else {
                let best = entries
                    .iter()
                    .filter_map(|(pattern, value)| {
                        let (before, after) = pattern.split_once('*')?;
                        let middle = key.strip_prefix(before)?.strip_suffix(after)?;
                        Some((before.len(), middle, value))
                    })
                    .max_by_key(|(len, ..)| *len);
                if let Some((_, middle, value)) = best {
                    leaves(value, middle, false, &mut found, &mut types);
                }
            }
        }
        other if key == "." => leaves(other, "", false, &mut found, &mut types),
        _ => {}
    }
    found.extend(types);
    found
}

fn leaves(
    value: &Value,
    star: &str,
    is_type: bool,
    found: &mut Vec<String>,
    types: &mut Vec<String>,
) {
    match value {
        Value::String(path) => {
            let path = path.replace('*', star);
            if is_type {
                types.push(path);
            } else {
                found.push(path);
            }
        }
        Value::Array(many) => many
            .iter()
            .for_each(|v| leaves(v, star, is_type, found, types)),
        Value::Object(conditions) => {
            for (condition, value) in conditions {
                let is_type = is_type || condition.starts_with("types");
                leaves(value, star, is_type, found, types);
            }
        }
        _ => {}
    }
}

/// Sources from which a built file may have been made.
fn sources_of(path: &str) -> Vec<String> {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|p| !p.is_empty() && *p != ".")
        .collect();
    let mut found = Vec::new();
    for at in 0..parts.len().saturating_sub(1) {
        let built = parts.get(at).is_some_and(|p| BUILT.contains(p));
        if !built {
            break;
        }
        let rest = parts.get(at + 1..).unwrap_or_default().join("/");
        found.push(format!("src/{rest}"));
        found.push(rest);
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn packages(files: &[(&str, &str)], yaml: &[(&str, &str)]) -> Packages {
        let files = files
            .iter()
            .map(|(p, t)| ((*p).to_string(), serde_json::from_str(t).unwrap()))
            .collect();
        Packages::new(&files, yaml)
    }

    #[test]
    fn members_of_workspaces_are_known_by_name_and_fixtures_are_not() {
        let p = packages(
            &[
                (
                    "package.json",
                    r#"{"workspaces":{"packages":["packages/*","!packages/old"]}}"#,
                ),
                ("packages/a/package.json", r#"{"name":"@s/a"}"#),
                ("packages/old/package.json", r#"{"name":"old"}"#),
                (
                    "packages/a/fixtures/react/package.json",
                    r#"{"name":"react"}"#,
                ),
            ],
            &[],
        );
        assert!(p.member("@s/a").is_some());
        assert!(p.member("old").is_none());
        assert!(p.member("react").is_none());
    }

    #[test]
    fn exports_are_tried_in_order_and_lead_back_to_the_sources() {
        let p = packages(
            &[(
                "p/package.json",
                r#"{"name":"p","exports":{".":{"types":"./dist/index.d.ts","import":"./dist/index.mjs"},"./*":"./dist/*.js"}}"#,
            )],
            &[(
                "pnpm-workspace.yaml",
                "packages:\n  - 'p' # all\nother:\n  - x\n",
            )],
        );
        let package = p.member("p").unwrap();
        let places = package.places("");
        assert_eq!(places[0], "p/dist/index.mjs");
        assert!(places.contains(&"p/src/index.mjs".to_string()));
        assert!(
            package
                .places("sub/x")
                .contains(&"p/src/sub/x.js".to_string())
        );
    }
}

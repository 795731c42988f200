//! `tsconfig.json` and `jsconfig.json`: `baseUrl` and `paths`, through `extends` and `references`.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::paths::{ancestors, join, parent};

/// How far `extends` and `references` are followed.
const CHAIN_LIMIT: usize = 16;

/// What the nearest configuration of a folder says about module names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PathMap {
    /// The folder from which bare names may be found.
    pub(super) base: Option<String>,
    /// Patterns with their targets, which are paths from the root.
    pub(super) paths: Vec<(String, Vec<String>)>,
}

/// All configurations by folder.
#[derive(Debug, Default)]
pub(super) struct TsConfigs {
    by_folder: FxHashMap<String, PathMap>,
}

impl TsConfigs {
    /// Reads all configurations. `package` finds the folder of a workspace package by its name.
    pub(super) fn new(
        files: &FxHashMap<String, Value>,
        package: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let mut by_folder = FxHashMap::default();
        for name in ["tsconfig.json", "jsconfig.json"] {
            for (path, config) in files {
                if path.rsplit('/').next() != Some(name) {
                    continue;
                }
                let reader = Reader { files, package };
                let mut map = reader.read(path, config, 0);
                // A solution file only points at others; its own folder is read by them.
                for other in reader.references(path, config) {
                    if let Some(config) = files.get(&other) {
                        let more = reader.read(&other, config, 0);
                        map.base = map.base.or(more.base);
                        map.paths.extend(more.paths);
                    }
                }
                by_folder.entry(parent(path).to_string()).or_insert(map);
            }
        }
        Self { by_folder }
    }

    /// The configuration nearest to a folder.
    pub(super) fn nearest(&self, folder: &str) -> Option<&PathMap> {
        ancestors(folder).find_map(|f| self.by_folder.get(f))
    }
}

struct Reader<'a> {
    files: &'a FxHashMap<String, Value>,
    package: &'a dyn Fn(&str) -> Option<String>,
}

impl Reader<'_> {
    fn read(&self, path: &str, config: &Value, depth: usize) -> PathMap {
        let mut map = PathMap::default();
        if depth > CHAIN_LIMIT {
            return map;
        }
        let bases: Vec<&str> = match config.get("extends") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        for base in bases {
            let Some(base) = self.locate(path, base) else {
                continue;
            };
            if let Some(config) = self.files.get(&base) {
                let inherited = self.read(&base, config, depth + 1);
                map.base = inherited.base.or(map.base);
                if !inherited.paths.is_empty() {
                    map.paths = inherited.paths;
                }
            }
        }
        let folder = parent(path);
        let Some(options) = config.get("compilerOptions") else {
            return map;
        };
        if let Some(base) = options.get("baseUrl").and_then(Value::as_str) {
            map.base = join(folder, base).or(map.base);
        }
        if let Some(Value::Object(paths)) = options.get("paths") {
            let base = map.base.clone().unwrap_or_else(|| folder.to_string());
            map.paths = paths
                .iter()
                .map(|(pattern, targets)| {
                    let targets = targets
                        .as_array()
                        .into_iter()
                        .flatten()
                        .filter_map(Value::as_str)
                        .filter_map(|t| join(&base, t))
                        .collect();
                    (pattern.clone(), targets)
                })
                .collect();
        }
        map
    }

    /// The file that `extends` names.
    fn locate(&self, from: &str, name: &str) -> Option<String> {
        let target = if name.starts_with('.') {
            join(parent(from), name)?
        } else {
            let parts: Vec<&str> = name.split('/').collect();
            let scoped = usize::from(name.starts_with('@')) + 1;
            let package = parts.get(..scoped)?.join("/");
            let rest = parts.get(scoped..)?.join("/");
            let folder = (self.package)(&package)?;
            let rest = if rest.is_empty() {
                "tsconfig.json"
            } else {
                &rest
            };
            join(&folder, rest)?
        };
        [
            target.clone(),
            format!("{target}.json"),
            format!("{target}/tsconfig.json"),
        ]
        .into_iter()
        .find(|p| self.files.contains_key(p))
    }

    fn references(&self, path: &str, config: &Value) -> Vec<String> {
        let Some(Value::Array(references)) = config.get("references") else {
            return Vec::new();
        };
        references
            .iter()
            .filter_map(|r| r.get("path").and_then(Value::as_str))
            .filter_map(|p| self.locate(path, &format!("./{p}")))
            .filter(|p| parent(p) == parent(path))
            .collect()
    }
}

/// The places that a pattern map gives for a name, best first.
pub(super) fn matches(map: &PathMap, name: &str) -> Vec<String> {
    let mut best: Option<(usize, bool, &[String], &str)> = None;
    for (pattern, targets) in &map.paths {
        let (rank, exact, star) = match pattern.split_once('*') {
            None if pattern == name => (pattern.len(), true, ""),
            Some((before, after)) => {
                let Some(star) = name
                    .strip_prefix(before)
                    .and_then(|rest| rest.strip_suffix(after))
                else {
                    continue;
                };
                (before.len(), false, star)
            }
            None => continue,
        };
        let better = match best {
            None => true,
            Some((r, e, ..)) => (exact, rank) > (e, r),
        };
        if better {
            best = Some((rank, exact, targets, star));
        }
    }
    let Some((_, _, targets, star)) = best else {
        return Vec::new();
    };
    targets.iter().map(|t| t.replacen('*', star, 1)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn configs(files: &[(&str, &str)]) -> TsConfigs {
        let files = files
            .iter()
            .map(|(p, t)| ((*p).to_string(), super::super::json::parse(t).unwrap()))
            .collect();
        TsConfigs::new(&files, &|name| (name == "@s/conf").then(|| "conf".into()))
    }

    #[test]
    fn paths_are_inherited_and_stay_where_they_were_written() {
        let c = configs(&[
            (
                "app/tsconfig.json",
                r#"{"extends":["@s/conf/base.json","../base"]}"#,
            ),
            ("conf/base.json", r#"{"compilerOptions":{"baseUrl":"./x"}}"#),
            (
                "base.json",
                r##"{"compilerOptions":{"paths":{"#k/*":["gen/*","src/*"]}}}"##,
            ),
        ]);
        let map = c.nearest("app/src/deep").unwrap();
        assert_eq!(map.base.as_deref(), Some("conf/x"));
        assert_eq!(matches(map, "#k/bolt"), ["gen/bolt", "src/bolt"]);
        assert!(matches(map, "other").is_empty());
    }

    #[test]
    fn a_solution_file_speaks_for_the_files_it_refers_to() {
        let c = configs(&[
            (
                "tsconfig.json",
                r#"{"files":[],"references":[{"path":"./tsconfig.app.json"}]}"#,
            ),
            (
                "tsconfig.app.json",
                r#"{"compilerOptions":{"paths":{"@/*":["./src/*"],"@/a":["./a"]}}}"#,
            ),
        ]);
        let map = c.nearest("src").unwrap();
        assert_eq!(matches(map, "@/x/y"), ["src/x/y"]);
        assert_eq!(matches(map, "@/a"), ["a"]);
    }

    #[test]
    fn circular_extends_ends() {
        let c = configs(&[("tsconfig.json", r#"{"extends":"./tsconfig.json"}"#)]);
        assert!(c.nearest("").unwrap().paths.is_empty());
    }
}

//! Module names of TypeScript and JavaScript, resolved as their compilers and Node do.
//!
//! Order: relative paths; the package's own `#imports`; `paths` and `baseUrl` of the nearest configuration; workspace
//! packages and the package itself by name; the platform's modules; anything else is a package outside.

use super::package::Package;
use super::paths::{join, parent};
use super::{Project, Resolved};

/// Extensions that may be left out, in the order in which they are tried.
const EXTENSIONS: [&str; 14] = [
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs",
    ".vue", ".svelte", ".json",
];

/// Written extensions and those of the sources that they are made from.
const MADE_FROM: [(&str, &[&str]); 7] = [
    (".d.ts", &[".ts", ".tsx"]),
    (".d.mts", &[".mts"]),
    (".d.cts", &[".cts"]),
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx", ".mjs"]),
    (".jsx", &[".tsx", ".d.ts"]),
    (".mjs", &[".mts", ".d.mts", ".ts", ".js"]),
    (".cjs", &[".cts", ".d.cts", ".ts", ".js"]),
];

/// Modules that the platform brings along.
const PLATFORM: [&str; 42] = [
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

impl Project {
    /// Where the module name `name` leads that stands in the file `from`.
    pub fn resolve_module(&self, from: &str, name: &str) -> Resolved {
        let name = name.split(['?', '!']).next().unwrap_or(name);
        let folder = parent(from);
        let relative =
            matches!(name, "." | "..") || name.starts_with("./") || name.starts_with("../");
        if relative {
            let Some(path) = join(folder, name) else {
                return Resolved::Missing(name.to_string());
            };
            // `./x/` can only be a folder.
            let only_folder = name.ends_with('/') || name.ends_with("..") || name == ".";
            return match self.probe(&path, only_folder) {
                Some(file) => Resolved::File(file),
                None => Resolved::Missing(path),
            };
        }
        if let Some(file) = self.configured(folder, name) {
            return Resolved::File(file);
        }
        if name.starts_with('/') {
            let path = name.trim_start_matches('/');
            return match self.probe(path, false) {
                Some(file) => Resolved::File(file),
                None => Resolved::Missing(path.to_string()),
            };
        }
        self.package_module(folder, name)
    }

    /// What the configuration makes of a name.
    fn configured(&self, folder: &str, name: &str) -> Option<String> {
        if name.starts_with('#')
            && let Some(package) = self.packages.around(folder)
            && let Some(file) = self.first_of(package.imports(name))
        {
            return Some(file);
        }
        let map = self.configs.nearest(folder)?;
        if let Some(file) = self.first_of(super::tsconfig::matches(map, name)) {
            return Some(file);
        }
        let base = map.base.as_deref()?;
        self.probe(&join(base, name)?, false)
    }

    fn package_module(&self, folder: &str, name: &str) -> Resolved {
        let (package, part) = split_package(name);
        let member = self
            .packages
            .around_named(folder, package)
            .or_else(|| self.packages.member(package));
        if let Some(member) = member
            && let Some(file) = self
                .first_of(member.places(part))
                .or_else(|| self.entry_source(member, part))
        {
            return Resolved::File(file);
        }
        // `@/x` and `~/x` without any configuration: the source folder of the package.
        if let Some(rest) = name.strip_prefix("@/").or_else(|| name.strip_prefix("~/")) {
            let root = self
                .packages
                .around(folder)
                .map_or("", |p| p.folder.as_str());
            let places = [format!("src/{rest}"), rest.to_string()];
            if let Some(file) = self.first_of(places.iter().filter_map(|p| join(root, p)).collect())
            {
                return Resolved::File(file);
            }
        }
        if let Some(rest) = name.strip_prefix("node:") {
            return Resolved::External(format!("node:{rest}"));
        }
        if PLATFORM.contains(&package) && member.is_none() {
            return Resolved::External(format!("node:{name}"));
        }
        Resolved::External(format!("npm:{package}"))
    }

    /// The source of what a build writes for a part of a package.
    fn entry_source(&self, package: &Package, part: &str) -> Option<String> {
        package
            .written(part)
            .iter()
            .filter_map(|built| self.entries.source(package, built))
            .find_map(|place| self.with_extension(&place))
    }

    fn first_of(&self, places: Vec<String>) -> Option<String> {
        places.iter().find_map(|p| self.probe(p, false))
    }

    /// The file that a path without certain extension names.
    fn probe(&self, path: &str, only_folder: bool) -> Option<String> {
        if !only_folder {
            if self.known.contains(path) {
                return Some(path.to_string());
            }
            for (written, sources) in MADE_FROM {
                let Some(stem) = path.strip_suffix(written) else {
                    continue;
                };
                for source in sources {
                    let candidate = format!("{stem}{source}");
                    if self.known.contains(&candidate) {
                        return Some(candidate);
                    }
                }
            }
            if let Some(file) = self.with_extension(path) {
                return Some(file);
            }
        }
        if let Some(package) = self.packages.at(path) {
            let inside = package.places("").into_iter().find_map(|p| {
                let plain = self.known.contains(&p).then(|| p.clone());
                plain.or_else(|| self.with_extension(&p))
            });
            if inside.is_some() {
                return inside;
            }
        }
        let index = if path.is_empty() {
            "index".to_string()
        } else {
            format!("{path}/index")
        };
        self.with_extension(&index)
    }

    fn with_extension(&self, path: &str) -> Option<String> {
        EXTENSIONS
            .iter()
            .map(|e| format!("{path}{e}"))
            .find(|p| self.known.contains(p))
    }
}

/// A package's name and the part of it that is meant.
fn split_package(name: &str) -> (&str, &str) {
    let scoped = name.starts_with('@');
    let mut slashes = name.match_indices('/');
    let end = if scoped {
        slashes.nth(1)
    } else {
        slashes.next()
    };
    match end {
        Some((at, _)) => (
            name.get(..at).unwrap_or(name),
            name.get(at + 1..).unwrap_or_default(),
        ),
        None => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn project(texts: &[(&str, &str)], known: &[&str]) -> Project {
        let known = known.iter().map(|k| (*k).to_string());
        Project::new(texts.iter().copied(), known)
    }

    fn file(path: &str) -> Resolved {
        Resolved::File(path.to_string())
    }

    #[test]
    fn relative_names_are_probed_like_the_compiler_does() {
        let p = project(
            &[],
            &[
                "a.ts",
                "b.tsx",
                "real.js",
                "real.ts",
                "d/index.ts",
                "d.ts",
                "x/y.ts",
                "e.d.ts",
            ],
        );
        for (name, path) in [
            ("./a", "a.ts"),
            ("./a.js", "a.ts"),
            ("./b.jsx", "b.tsx"),
            ("./real.js", "real.js"),
            ("./d", "d.ts"),
            ("./d/", "d/index.ts"),
            ("./x/../a", "a.ts"),
            ("./e", "e.d.ts"),
            ("./a?raw", "a.ts"),
        ] {
            assert_eq!(p.resolve_module("main.ts", name), file(path), "{name}");
        }
        assert_eq!(
            p.resolve_module("x/y.ts", "./none"),
            Resolved::Missing("x/none".into())
        );
        assert_eq!(
            p.resolve_module("x/y.ts", ".."),
            Resolved::Missing(String::new())
        );
    }

    #[test]
    fn what_is_not_in_the_tree_is_a_package_outside() {
        let p = project(&[], &["a.ts"]);
        for (name, key) in [
            ("axios/lib/x", "npm:axios"),
            ("@s/p/sub", "npm:@s/p"),
            ("fs/promises", "node:fs/promises"),
            ("node:test", "node:test"),
        ] {
            assert_eq!(
                p.resolve_module("a.ts", name),
                Resolved::External(key.into()),
                "{name}"
            );
        }
    }

    #[test]
    fn built_parts_lead_to_the_folder_that_holds_them_all() {
        let manifest = r#"{"name":"@in/psl","exports":{".":"./dist/index.mjs","./format":{"types":"./dist/format.d.mts","default":"./dist/format.mjs"}}}"#;
        let texts = [
            ("package.json", r#"{"workspaces":["p/*"]}"#),
            ("p/psl/package.json", manifest),
            (
                "p/one/package.json",
                r#"{"name":"@in/one","main":"dist/index.js"}"#,
            ),
        ];
        let p = project(
            &texts,
            &[
                "p/psl/src/exports/index.ts",
                "p/psl/src/exports/format.ts",
                "p/psl/src/other/index.ts",
                "p/one/src/a/index.ts",
                "p/one/src/b/index.ts",
            ],
        );
        assert_eq!(
            p.resolve_module("app.ts", "@in/psl"),
            file("p/psl/src/exports/index.ts")
        );
        assert_eq!(
            p.resolve_module("app.ts", "@in/psl/format"),
            file("p/psl/src/exports/format.ts")
        );
        assert_eq!(
            p.resolve_module("app.ts", "@in/one"),
            Resolved::External("npm:@in/one".into()),
            "of two that fit none is taken"
        );
    }

    #[test]
    fn a_package_finds_itself_and_workspace_members_by_name() {
        let p = project(
            &[
                ("package.json", r#"{"workspaces":["packages/*"]}"#),
                (
                    "packages/z/package.json",
                    r#"{"name":"z","exports":{"./v4":{"@z/source":"./src/v4/index.ts","import":"./v4/index.js"}}}"#,
                ),
                ("tsconfig.json", r#"{"compilerOptions":{"baseUrl":"."}}"#),
            ],
            &[
                "packages/z/src/v4/index.ts",
                "packages/z/src/a.ts",
                "src/s/cart.ts",
            ],
        );
        assert_eq!(
            p.resolve_module("packages/z/src/a.ts", "z/v4"),
            file("packages/z/src/v4/index.ts")
        );
        assert_eq!(
            p.resolve_module("src/a.ts", "src/s/cart"),
            file("src/s/cart.ts")
        );
    }
}

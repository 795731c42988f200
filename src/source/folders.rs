//! Folders that are left out by their name: caches, installed packages, build products.
//!
//! Where it sits: asked by the walk after the user's own rules. Invariant: a name that may well hold a program's own
//! source (`build`, `target`, `vendor` …) is left out only where build products lie, or where git does not track it.

/// Names that never hold a program's own source.
const NEVER: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".bzr",
    ".jj",
    "CVS",
    "graphify-out", // version control, our own
    "node_modules",
    "bower_components",
    "jspm_packages",
    ".yarn",
    ".pnpm-store", // JavaScript packages
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".astro",
    ".turbo",
    ".nx",
    ".parcel-cache",
    ".nyc_output",
    ".angular",
    ".expo",
    ".docusaurus",
    ".vercel",
    ".netlify",
    ".serverless",
    ".wrangler",
    ".output",
    "__snapshots__",
    "storybook-static",
    "__pycache__",
    "site-packages",
    ".venv",
    ".tox",
    ".nox",
    ".eggs",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".ipynb_checkpoints", // Python
    ".cache",
    ".gradle",
    ".idea",
    ".vs",
    ".terraform",
    ".dart_tool",
    ".bundle",
    ".stack-work",
    "dist-newstyle",
    "elm-stuff",
    "Pods",
    "Carthage",
    "DerivedData",
    ".build",
    ".ccls-cache",
    ".clangd",
    ".direnv",
    ".devenv",
    ".worktrees",
];

/// Names of build products and copies of foreign code: left out beside a manifest or at the top, elsewhere unless git
/// tracks them.
const PRODUCTS: &[&str] = &["dist", "build", "vendor", "target"];

/// Files beside which build products lie.
const MANIFESTS: &[&str] = &[
    "package.json",
    "Cargo.toml",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "project.clj",
    "CMakeLists.txt",
    "meson.build",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "composer.json",
    "Gemfile",
    "pubspec.yaml",
    "mix.exs",
];

/// Endings of project files beside which `bin` and `obj` are products.
const DOTNET: &[&str] = &[".csproj", ".fsproj", ".vbproj", ".sln"];

/// What a folder's name means for the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: walk it.
    Walk,
    /// Leave it out, without a word.
    Never,
    /// Leave it out unless the user's rules bring it back, and say so.
    Product,
}

/// The names of the files beside a folder, as far as they matter here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside {
    manifest: bool,
    dotnet: bool,
}

impl Beside {
    /// Notes one more name.
    pub fn note(&mut self, name: &str) {
        self.manifest |= MANIFESTS.contains(&name);
        self.dotnet |= DOTNET.iter().any(|ending| name.ends_with(ending));
    }
}

/// What to do with a folder called `name`. `at_top`: it lies directly in the root or at the top of a repository.
/// `tracked` is asked only if the answer depends on it: `None` outside a repository.
pub fn of_name(
    name: &str,
    at_top: bool,
    beside: Beside,
    tracked: impl Fn() -> Option<bool>,
) -> Verdict {
    if NEVER.contains(&name) || name.ends_with(".egg-info") {
        return Verdict::Never;
    }
    if PRODUCTS.contains(&name) {
        let product_place = at_top || beside.manifest;
        // Without git a nested `target` says nothing: kernels and compilers have source folders of that name.
        let skip = product_place || tracked().map_or(name != "target", |tracked| !tracked);
        return if skip {
            Verdict::Product
        } else {
            Verdict::Walk
        };
    }
    // Ordinary words: products only where the build that makes them is beside, and only if git does not track them.
    let evidence = match name {
        "out" | "coverage" => beside.manifest,
        "bin" | "obj" => beside.dotnet,
        _ => false,
    };
    let skip = evidence && tracked() != Some(true);
    if skip {
        Verdict::Product
    } else {
        Verdict::Walk
    }
}

/// The first bytes of a file that marks its folder as a cache, by a public convention.
pub const CACHE_MARK: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
/// The name of that file.
pub const CACHE_FILE: &str = "CACHEDIR.TAG";
/// A file that every virtual environment of Python has.
pub const VENV_FILE: &str = "pyvenv.cfg";

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(names: &[&str]) -> Beside {
        let mut beside = Beside::default();
        names.iter().for_each(|n| beside.note(n));
        beside
    }

    #[test]
    fn packages_and_caches_are_never_walked() {
        for name in [
            "node_modules",
            ".git",
            "__pycache__",
            ".venv",
            "graphify-out",
            "a.egg-info",
        ] {
            assert_eq!(
                of_name(name, false, Beside::default(), || Some(true)),
                Verdict::Never,
                "{name}"
            );
        }
        assert_eq!(
            of_name(".github", true, Beside::default(), || None),
            Verdict::Walk
        );
    }

    #[test]
    fn build_products_are_left_out_where_they_lie() {
        let plain = Beside::default();
        for name in ["dist", "build", "vendor", "target"] {
            assert_eq!(
                of_name(name, true, plain, || Some(true)),
                Verdict::Product,
                "{name} at the top"
            );
            assert_eq!(
                of_name(name, false, beside(&["package.json"]), || Some(true)),
                Verdict::Product
            );
            assert_eq!(
                of_name(name, false, plain, || Some(true)),
                Verdict::Walk,
                "src/{name} that git tracks"
            );
            assert_eq!(
                of_name(name, false, plain, || Some(false)),
                Verdict::Product,
                "src/{name} that it does not"
            );
        }
        assert_eq!(of_name("build", false, plain, || None), Verdict::Product);
        assert_eq!(of_name("target", false, plain, || None), Verdict::Walk);
    }

    #[test]
    fn ordinary_names_need_evidence() {
        let plain = Beside::default();
        assert_eq!(of_name("out", true, plain, || None), Verdict::Walk);
        assert_eq!(
            of_name("out", false, beside(&["package.json"]), || None),
            Verdict::Product
        );
        assert_eq!(
            of_name("out", false, beside(&["package.json"]), || Some(true)),
            Verdict::Walk
        );
        assert_eq!(
            of_name("bin", false, beside(&["package.json"]), || None),
            Verdict::Walk
        );
        assert_eq!(
            of_name("bin", false, beside(&["App.csproj"]), || None),
            Verdict::Product
        );
    }
}

//! Which files are not source but decide how names of modules are found.
//!
//! Where it sits: the walk lists them beside the sources, `link` reads them (path aliases, workspaces, package exports,
//! module roots). Invariant: they are known by name alone, so that a changed one is noticed by its stat like any file.

/// Whether a file of that name configures module resolution.
pub fn is_config(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "package.json",
        "jsconfig.json",
        "pnpm-workspace.yaml",
        "pnpm-workspace.yml",
        "lerna.json",
        "rush.json",
        "deno.json",
        "deno.jsonc",
        "import_map.json",
        "importmap.json", // JavaScript and TypeScript
        "go.mod",
        "go.work",    // Go
        "Cargo.toml", // Rust
        "pyproject.toml",
        "setup.cfg",
        "pyrightconfig.json", // Python
        "composer.json",      // PHP
        "pom.xml",
        "settings.gradle",
        "settings.gradle.kts",
        "build.gradle",
        "build.gradle.kts", // Java and Kotlin
        "compile_commands.json",
        "CMakeLists.txt", // C and C++
    ];
    NAMES.contains(&name) || is_tsconfig(name) || name.ends_with(".csproj")
}

/// `tsconfig.json`, `tsconfig.base.json`, `base.tsconfig.json`, `tsconfig.lib.jsonc`.
fn is_tsconfig(name: &str) -> bool {
    let json = name.ends_with(".json") || name.ends_with(".jsonc");
    json && name.split(['.', '-']).any(|part| part == "tsconfig")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_steer_resolution_are_known_by_name() {
        for name in [
            "package.json",
            "tsconfig.json",
            "tsconfig.base.json",
            "base.tsconfig.json",
            "tsconfig-esm.json",
            "go.mod",
            "Cargo.toml",
            "App.csproj",
        ] {
            assert!(is_config(name), "{name}");
        }
        for name in [
            "package-lock.json",
            "mytsconfig.json",
            "tsconfig.ts",
            "cargo.toml",
            "a.json",
            "",
        ] {
            assert!(!is_config(name), "{name}");
        }
    }
}

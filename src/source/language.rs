//! Which language a file is written in, by its name or its first line.
//!
//! Where it sits: asked by the walk for every name, and again by whoever reads the text (some endings are shared by
//! formats that have nothing to do with each other). Invariant: a language is returned as source only if its grammar is
//! compiled in; one that we know but cannot parse is returned by name, so that a run can say what it left out.

use crate::model::label::Language;

/// What a file's name says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Source that can be parsed.
    Source(Language),
    /// Source of a language whose grammar is not compiled in; the name is for people.
    NoGrammar(&'static str),
    /// Nothing that is indexed.
    Other,
}

/// One row per language: its label, its name where it has no label, its endings (without the dot, lower case).
const ENDINGS: &[(Language, &str, &[&str])] = &[
    (Language::TYPESCRIPT, "typescript", &["ts", "mts", "cts"]),
    (Language::TSX, "tsx", &["tsx"]),
    (
        Language::JAVASCRIPT,
        "javascript",
        &["js", "mjs", "cjs", "jsx", "es6"],
    ),
    (Language::PYTHON, "python", &["py", "pyi", "pyw"]),
    (Language::RUST, "rust", &["rs"]),
    (Language::GO, "go", &["go"]),
    (Language::C, "c", &["c", "h"]),
    (
        Language::CPP,
        "cpp",
        &[
            "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "inl", "cu", "cuh",
        ],
    ),
    (Language::JAVA, "java", &["java"]),
    (Language::CSHARP, "csharp", &["cs", "csx"]),
    (Language::KOTLIN, "kotlin", &["kt", "kts"]),
    (Language::SWIFT, "swift", &["swift"]),
    (Language::RUBY, "ruby", &["rb", "rake", "gemspec"]),
    (Language::PHP, "php", &["php", "phtml", "php5"]),
    (Language::SCALA, "scala", &["scala", "sc"]),
    (Language::LUA, "lua", &["lua"]),
    (Language::BASH, "bash", &["sh", "bash", "zsh", "ksh"]),
    (Language::NONE, "vue", &["vue"]),
    (Language::NONE, "svelte", &["svelte"]),
    (Language::NONE, "astro", &["astro"]),
    (Language::NONE, "objective-c", &["m", "mm"]),
    (Language::NONE, "zig", &["zig"]),
    (Language::NONE, "dart", &["dart"]),
    (Language::NONE, "elixir", &["ex", "exs"]),
    (Language::NONE, "erlang", &["erl", "hrl"]),
    (Language::NONE, "haskell", &["hs", "lhs"]),
    (Language::NONE, "ocaml", &["ml", "mli"]),
    (Language::NONE, "f#", &["fs", "fsi", "fsx"]),
    (Language::NONE, "clojure", &["clj", "cljs", "cljc"]),
    (Language::NONE, "groovy", &["groovy"]),
    (Language::NONE, "julia", &["jl"]),
    (Language::NONE, "r", &["r"]),
    (Language::NONE, "perl", &["pl", "pm"]),
    (Language::NONE, "powershell", &["ps1", "psm1"]),
    (Language::NONE, "visual basic", &["vb"]),
    (Language::NONE, "solidity", &["sol"]),
    (Language::NONE, "nim", &["nim"]),
    (Language::NONE, "d", &["d"]),
    (Language::NONE, "fortran", &["f90", "f95", "f03", "f08"]),
    (Language::NONE, "pascal", &["pas"]),
    (Language::NONE, "coffeescript", &["coffee"]),
    (Language::NONE, "sql", &["sql"]),
    (Language::NONE, "protobuf", &["proto"]),
    (Language::NONE, "graphql", &["graphql", "gql"]),
    (Language::NONE, "terraform", &["tf"]),
];

/// File names that are source without an ending that says so.
const NAMES: &[(&str, Language)] = &[
    ("rakefile", Language::RUBY),
    ("gemfile", Language::RUBY),
    ("podfile", Language::RUBY),
    ("jakefile", Language::JAVASCRIPT),
    (".bashrc", Language::BASH),
    (".bash_profile", Language::BASH),
    (".zshrc", Language::BASH),
    (".profile", Language::BASH),
];

/// Programs of a `#!` line, without their version.
const INTERPRETERS: &[(&str, Language)] = &[
    ("node", Language::JAVASCRIPT),
    ("nodejs", Language::JAVASCRIPT),
    ("bun", Language::TYPESCRIPT),
    ("deno", Language::TYPESCRIPT),
    ("ts-node", Language::TYPESCRIPT),
    ("tsx", Language::TYPESCRIPT),
    ("python", Language::PYTHON),
    ("pypy", Language::PYTHON),
    ("uv", Language::PYTHON),
    ("ruby", Language::RUBY),
    ("php", Language::PHP),
    ("lua", Language::LUA),
    ("luajit", Language::LUA),
    ("bash", Language::BASH),
    ("sh", Language::BASH),
    ("dash", Language::BASH),
    ("ksh", Language::BASH),
    ("zsh", Language::BASH),
    ("rust-script", Language::RUST),
    ("kotlin", Language::KOTLIN),
    ("scala", Language::SCALA),
];

/// Whether the grammar of a language is compiled into this program.
#[allow(
    clippy::match_like_matches_macro,
    reason = "which arms are true depends on the features"
)]
pub fn is_compiled_in(language: Language) -> bool {
    match language {
        Language::TYPESCRIPT | Language::TSX => cfg!(feature = "typescript"),
        Language::JAVASCRIPT => cfg!(feature = "javascript"),
        Language::PYTHON => cfg!(feature = "python"),
        Language::RUST => cfg!(feature = "rust"),
        Language::GO => cfg!(feature = "go"),
        Language::JAVA => cfg!(feature = "java"),
        Language::CSHARP => cfg!(feature = "csharp"),
        Language::KOTLIN => cfg!(feature = "kotlin"),
        Language::PHP => cfg!(feature = "php"),
        Language::RUBY => cfg!(feature = "ruby"),
        Language::SWIFT => cfg!(feature = "swift"),
        Language::C => cfg!(feature = "c"),
        Language::CPP => cfg!(feature = "cpp"),
        _ => false,
    }
}

/// What a file's name says. Endings are compared without regard to case, except `.C` and `.H`, which mean C++.
pub fn of_name(name: &str) -> Kind {
    if let Some(language) = of_plain_name(name) {
        return compiled(language);
    }
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return Kind::Other;
    };
    if stem.is_empty() {
        return Kind::Other;
    }
    if matches!(ending, "C" | "H") {
        return compiled(Language::CPP);
    }
    let lower = ending.to_ascii_lowercase();
    let row = ENDINGS
        .iter()
        .find(|(_, _, endings)| endings.contains(&lower.as_str()));
    match row {
        Some((Language::NONE, name, _)) => Kind::NoGrammar(name),
        Some((language, _, _)) => compiled(*language),
        None => Kind::Other,
    }
}

/// Whether a name leaves the language to the first line: it has no ending at all.
pub fn may_have_shebang(name: &str) -> bool {
    !name.trim_start_matches('.').contains('.')
}

/// The language that the first line of a script names, from the file's first bytes.
pub fn of_shebang(head: &[u8]) -> Kind {
    let Some(rest) = head.strip_prefix(b"#!") else {
        return Kind::Other;
    };
    let line = rest
        .split(|b| *b == b'\n' || *b == b'\r')
        .next()
        .unwrap_or_default();
    let Ok(line) = std::str::from_utf8(line) else {
        return Kind::Other;
    };
    let mut words = line.split_ascii_whitespace();
    let mut program = words.next().map(base_name).unwrap_or_default();
    if program == "env" {
        // `env -S prog args`, `env VAR=1 prog`: the first word that is neither an option nor an assignment.
        program = words
            .find(|w| !w.starts_with('-') && !w.contains('='))
            .map(base_name)
            .unwrap_or_default();
    }
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let found = INTERPRETERS
        .iter()
        .find(|(name, _)| *name == program || *name == bare);
    found.map_or(Kind::Other, |(_, language)| compiled(*language))
}

/// Whether a text that its name calls TypeScript is something else: translation files of a widget toolkit (XML) share
/// the ending.
pub fn is_foreign_text(language: Language, text: &str) -> bool {
    let head = text.trim_start();
    language == Language::TYPESCRIPT
        && (head.starts_with("<?xml") || head.starts_with("<!DOCTYPE TS"))
}

fn of_plain_name(name: &str) -> Option<Language> {
    let found = NAMES
        .iter()
        .find(|(plain, _)| plain.eq_ignore_ascii_case(name));
    found.map(|(_, language)| *language)
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn compiled(language: Language) -> Kind {
    if is_compiled_in(language) {
        return Kind::Source(language);
    }
    language
        .built_in_name()
        .map_or(Kind::Other, Kind::NoGrammar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(feature = "typescript", feature = "javascript"))]
    #[test]
    fn endings_decide_without_regard_to_case() {
        for (name, language) in [
            ("a.ts", Language::TYPESCRIPT),
            ("a.d.ts", Language::TYPESCRIPT),
            ("A.MTS", Language::TYPESCRIPT),
            ("view.tsx", Language::TSX),
            ("a.test.jsx", Language::JAVASCRIPT),
            ("Jakefile", Language::JAVASCRIPT),
        ] {
            assert_eq!(of_name(name), Kind::Source(language), "{name}");
        }
    }

    #[test]
    fn known_languages_without_a_grammar_are_named() {
        assert_eq!(of_name("main.zig"), Kind::NoGrammar("zig"));
        assert_eq!(of_name("App.vue"), Kind::NoGrammar("vue"));
        assert_eq!(of_name("notes.txt"), Kind::Other);
        assert_eq!(of_name(".ts"), Kind::Other, "a dot file has no ending");
        assert_eq!(of_name("LICENSE"), Kind::Other);
        assert_eq!(of_name(""), Kind::Other);
    }

    #[cfg(feature = "javascript")]
    #[test]
    fn the_first_line_names_the_interpreter() {
        let js = Kind::Source(Language::JAVASCRIPT);
        for head in [
            "#!/usr/bin/env node\nlet a",
            "#! /usr/local/bin/node --flag",
            "#!/usr/bin/env -S node --import x\r\n",
            "#!/usr/bin/env A=1 node18.2",
        ] {
            assert_eq!(of_shebang(head.as_bytes()), js, "{head}");
        }
        for head in [
            "",
            "node",
            "#!",
            "#!/usr/bin/env",
            "#!/bin/unknown\n",
            "#!\u{ff}",
        ] {
            assert_eq!(of_shebang(head.as_bytes()), Kind::Other, "{head}");
        }
        assert_eq!(of_shebang(b"#!/usr/bin/\xff\n"), Kind::Other);
    }

    #[test]
    fn only_names_without_an_ending_are_asked_for_a_first_line() {
        assert!(may_have_shebang("configure"));
        assert!(may_have_shebang(".husky"));
        assert!(!may_have_shebang("a.txt"));
    }

    #[test]
    fn translation_files_are_no_typescript() {
        assert!(is_foreign_text(
            Language::TYPESCRIPT,
            "<?xml version=\"1.0\"?>"
        ));
        assert!(!is_foreign_text(
            Language::TYPESCRIPT,
            "const a = <T>(x: T) => x;"
        ));
        assert!(!is_foreign_text(Language::TSX, "<?xml version=\"1.0\"?>"));
    }

    #[test]
    fn no_ending_belongs_to_two_languages() {
        let mut all: Vec<&str> = ENDINGS
            .iter()
            .flat_map(|(_, _, e)| e.iter().copied())
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}

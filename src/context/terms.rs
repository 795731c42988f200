//! Words of source and of questions, as they are compared.
//!
//! Where it sits: under [`super::similarity`]. Identifiers are split as people read them and kept whole as well; words are
//! lower case and lightly stemmed, so that `exporting` meets `exports`; ideographs are taken in pairs. Invariant: what comes
//! out depends on the text alone, and both sides of a comparison go through here.

use crate::model::stem::stem;
use crate::search::query::is_cjk;

/// Words of programming languages, which say nothing of what code is about.
const KEYWORDS: &[&str] = &[
    "abstract",
    "and",
    "any",
    "as",
    "async",
    "await",
    "bool",
    "boolean",
    "break",
    "case",
    "catch",
    "chan",
    "class",
    "const",
    "continue",
    "crate",
    "declare",
    "def",
    "default",
    "defer",
    "del",
    "dyn",
    "elif",
    "else",
    "enum",
    "err",
    "except",
    "export",
    "extends",
    "extern",
    "false",
    "final",
    "finally",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "global",
    "go",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "infer",
    "instanceof",
    "int",
    "interface",
    "is",
    "keyof",
    "lambda",
    "let",
    "loop",
    "map",
    "match",
    "mod",
    "move",
    "mut",
    "namespace",
    "never",
    "new",
    "nil",
    "none",
    "not",
    "null",
    "number",
    "object",
    "of",
    "ok",
    "option",
    "or",
    "override",
    "package",
    "pass",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "range",
    "readonly",
    "ref",
    "result",
    "return",
    "select",
    "self",
    "some",
    "static",
    "str",
    "string",
    "struct",
    "super",
    "switch",
    "this",
    "throw",
    "throws",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "unknown",
    "unsafe",
    "use",
    "usize",
    "var",
    "vec",
    "void",
    "where",
    "while",
    "with",
    "yield",
];

/// Words of questions that name nothing.
const PROSE: &[&str] = &[
    "add", "adds", "added", "also", "an", "are", "allow", "allows", "at", "be", "been", "bug",
    "but", "by", "can", "cannot", "could", "did", "do", "does", "doing", "done", "ensure", "fix",
    "fixed", "fixes", "had", "has", "have", "having", "how", "into", "issue", "issues", "it",
    "its", "make", "makes", "made", "more", "most", "much", "no", "now", "on", "one", "only",
    "other", "our", "out", "over", "own", "per", "same", "should", "so", "such", "support",
    "supports", "than", "that", "the", "their", "them", "then", "there", "these", "they", "those",
    "to", "too", "under", "up", "us", "using", "very", "via", "was", "we", "were", "what", "when",
    "which", "who", "why", "will", "without", "would", "you", "your",
];

/// Whether a lower-case word of code says nothing.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// Whether a lower-case word of a question says nothing.
pub(crate) fn is_prose(word: &str) -> bool {
    PROSE.contains(&word)
}

/// Calls `emit` for every term of a text: the stem, and the word as it was, in lower case.
pub(crate) fn for_each(text: &str, mut emit: impl FnMut(&str, &str)) {
    let mut word = String::new();
    let mut part = String::new();
    let mut pair: Vec<char> = Vec::new();
    let letter = |c: char| (c.is_alphanumeric() && !is_cjk(c)) || c == '_' || c == '$';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if letter(c) {
            word.clear();
            word.push(c);
            while let Some(next) = chars.next_if(|n| letter(*n)) {
                word.push(next);
            }
            if word.is_ascii() {
                identifier(&word, &mut part, &mut emit);
            } else {
                let whole = word.to_lowercase();
                emit(&whole, &whole);
            }
        } else if is_cjk(c) {
            pair.clear();
            pair.push(c);
            while let Some(next) = chars.next_if(|n| is_cjk(*n)) {
                pair.push(next);
            }
            for two in pair.windows(2.min(pair.len())) {
                part.clear();
                part.extend(two);
                emit(&part, &part);
            }
        }
    }
}

/// The parts of an identifier, then the whole where it has several.
fn identifier(word: &str, part: &mut String, emit: &mut impl FnMut(&str, &str)) {
    let bytes = word.as_bytes();
    let mut parts = 0;
    let mut at = 0;
    while let Some(first) = bytes.get(at).copied() {
        let class = |i: usize| bytes.get(i).copied().map_or(b' ', class);
        let start = at;
        at += 1;
        match class(start) {
            b'a' => {
                while class(at) == b'a' {
                    at += 1;
                }
            }
            b'0' => {
                while class(at) == b'0' {
                    at += 1;
                }
            }
            b'A' => {
                while class(at) == b'A' {
                    at += 1;
                }
                // The last capital of a run belongs to the small letters behind it.
                if class(at) == b'a' {
                    if at - start > 1 {
                        at -= 1;
                    } else {
                        while class(at) == b'a' {
                            at += 1;
                        }
                    }
                }
            }
            _ => continue,
        }
        parts += 1;
        if at - start < 2 && !first.is_ascii_digit() {
            continue;
        }
        part.clear();
        part.extend(
            word.get(start..at)
                .unwrap_or_default()
                .chars()
                .map(|c| c.to_ascii_lowercase()),
        );
        emit(stem(part), part);
    }
    if parts > 1 {
        let whole = word.trim_matches(['_', '$']).to_ascii_lowercase();
        emit(&whole, &whole);
    }
}

fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => b'a',
        b'A'..=b'Z' => b'A',
        b'0'..=b'9' => b'0',
        _ => b'_',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each(text, |stem, _| found.push(stem.to_string()));
        found
    }

    #[test]
    fn identifiers_are_split_and_kept_whole() {
        assert_eq!(
            stems("canExport(user)"),
            ["can", "export", "canexport", "user"]
        );
        assert_eq!(
            stems("HTTPServer2 x"),
            ["http", "server", "2", "httpserver2"]
        );
        assert_eq!(stems("_private_name"), ["privat", "nam", "private_name"]);
        assert_eq!(stems("计算总价 größe"), ["计算", "算总", "总价", "größe"]);
    }

    #[test]
    fn endings_meet() {
        for words in [
            ["exporting", "exports", "exported", "export"],
            ["parse", "parses", "parsed", "parsing"],
            ["copy", "copies", "copied", "copy"],
            ["running", "runs", "run", "run"],
        ] {
            let first = stem(words[0]);
            assert!(words.iter().all(|w| stem(w) == first), "{words:?}");
        }
        assert_eq!(
            (stem("status"), stem("class"), stem("used")),
            ("status", "class", "used")
        );
    }

    #[test]
    fn word_lists_can_be_searched() {
        assert!(KEYWORDS.is_sorted());
        assert!(is_keyword("typeof") && !is_keyword("router"));
        assert!(is_prose("which") && !is_prose("export"));
    }
}

//! Words of source and of questions, as they are compared.
//!
//! Where it sits: under [`super::similarity`]. Identifiers are split as people read them and kept whole as well; words are
//! lower case and lightly stemmed, so that `exporting` meets `exports`; ideographs are taken in pairs. Invariant: what comes
//! out depends on the text alone, and both sides of a comparison go through here.

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
    let mut foreign: Vec<char> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_alphanumeric() || c == '_' || c == '$' {
            word.clear();
            word.push(c);
            while let Some(next) =
                chars.next_if(|n| n.is_ascii_alphanumeric() || *n == '_' || *n == '$')
            {
                word.push(next);
            }
            identifier(&word, &mut part, &mut emit);
        } else if !c.is_ascii() && c.is_alphanumeric() {
            foreign.clear();
            foreign.push(c);
            let ideograph = is_cjk(c);
            while let Some(next) =
                chars.next_if(|n| !n.is_ascii() && n.is_alphanumeric() && is_cjk(*n) == ideograph)
            {
                foreign.push(next);
            }
            if ideograph && foreign.len() > 1 {
                for pair in foreign.windows(2) {
                    part.clear();
                    part.extend(pair);
                    emit(&part, &part);
                }
            } else {
                part.clear();
                part.extend(foreign.iter().flat_map(|c| c.to_lowercase()));
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

/// A word without its most common endings.
pub(crate) fn stem(word: &str) -> &str {
    let cut = |n: usize| word.get(..word.len().saturating_sub(n)).unwrap_or(word);
    let length = word.len();
    let stemmed = if length > 5 && word.ends_with("ing") {
        undouble(cut(3))
    } else if length > 4 && word.ends_with("ied") {
        cut(2)
    } else if length > 4 && word.ends_with("ies") {
        cut(2)
    } else if length > 4 && word.ends_with("ed") && !word.ends_with("eed") {
        undouble(cut(2))
    } else if length > 4
        && ["ses", "xes", "zes", "hes"]
            .iter()
            .any(|e| word.ends_with(e))
    {
        cut(2)
    } else if length > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|e| word.ends_with(e))
    {
        cut(1)
    } else {
        word
    };
    match stemmed.strip_suffix(['e', 'y']) {
        Some(shorter) if shorter.len() > 3 => shorter,
        _ => match stemmed.strip_suffix('i') {
            Some(shorter) if shorter.len() > 3 => shorter,
            _ => stemmed,
        },
    }
}

/// `running` without its ending is `run`, not `runn`.
fn undouble(word: &str) -> &str {
    let mut last = word.bytes().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && word.len() > 3 && !matches!(a, b's' | b'l') => {
            word.get(..word.len() - 1).unwrap_or(word)
        }
        _ => word,
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
        assert_eq!(stems("_private_name"), ["privat", "name", "private_name"]);
        assert_eq!(
            stems("计算总价 größe"),
            ["计算", "算总", "总价", "gr", "ö", "ß"]
        );
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

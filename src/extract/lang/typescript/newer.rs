//! What the grammars in use do not know yet, in older words: `using x = …`, `await using x = …`, `export type * from …`.
//!
//! The grammars read these as broken statements and lose what they bind or hand on. So the new words are replaced by older
//! ones and blanks of the same length before parsing; every byte keeps its place. Only a line that begins with such a
//! statement is touched; inside a string or comment the change is harmless, because texts are taken from the original.

use std::borrow::Cow;

/// The source in words that the grammars know.
pub(crate) fn in_known_words(source: &str) -> Cow<'_, str> {
    if !source.contains("using ") && !source.contains("export type *") {
        return Cow::Borrowed(source);
    }
    let mut changed: Option<Vec<u8>> = None;
    let mut offset = 0;
    for line in source.split_inclusive('\n') {
        let found = match resource(line) {
            Some((start, len)) => Some((start, len, "const")),
            None => type_star(line).map(|(start, len)| (start, len, "")),
        };
        if let Some((start, len, word)) = found {
            let bytes = changed.get_or_insert_with(|| source.as_bytes().to_vec());
            let at = offset + start;
            if let Some(place) = bytes.get_mut(at..at + len) {
                place.fill(b' ');
                for (to, from) in place.iter_mut().zip(word.bytes()) {
                    *to = from;
                }
            }
        }
        offset += line.len();
    }
    match changed.map(String::from_utf8) {
        Some(Ok(text)) => Cow::Owned(text),
        _ => Cow::Borrowed(source),
    }
}

/// Where `type` stands in `export type *`, and how long it is.
fn type_star(line: &str) -> Option<(usize, usize)> {
    let rest = line.trim_start().strip_prefix("export")?.trim_start();
    let after = rest.strip_prefix("type")?;
    let start = line.len() - rest.len();
    after.trim_start().starts_with('*').then_some((start, 4))
}

/// Where the words of a resource's declaration stand in a line, and how long they are.
fn resource(line: &str) -> Option<(usize, usize)> {
    let trimmed = line.trim_start();
    let start = line.len() - trimmed.len();
    let after_await = match trimmed.strip_prefix("await") {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => trimmed,
    };
    let rest = after_await.strip_prefix("using")?;
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    let name = rest.trim_start();
    let len = trimmed.len() - name.len();
    let end = name
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .unwrap_or(name.len());
    let begins_name = name
        .chars()
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
    let tail = name.get(end..)?.trim_start();
    let binds = (tail.starts_with('=') && !tail.starts_with("==")) || tail.starts_with(':');
    (begins_name && binds && name.get(..end) != Some("in")).then_some((start, len - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_become_constants_and_everything_keeps_its_place() {
        let source =
            "  await using ctx = open();\nusing a = b;\nusing(x);\nusing = 3;\nusing in x;\n";
        let read = in_known_words(source);
        assert_eq!(read.len(), source.len());
        assert_eq!(
            read.lines().collect::<Vec<_>>(),
            [
                "  const       ctx = open();",
                "const a = b;",
                "using(x);",
                "using = 3;",
                "using in x;"
            ]
        );
    }

    #[test]
    fn a_star_of_types_is_a_star() {
        let source =
            "export type * from './a';\n  export type * as T from 'b';\nexport type X = 1;\n";
        assert_eq!(
            in_known_words(source).lines().collect::<Vec<_>>(),
            [
                "export      * from './a';",
                "  export      * as T from 'b';",
                "export type X = 1;"
            ]
        );
    }

    #[test]
    fn a_file_without_them_is_not_copied() {
        assert!(matches!(
            in_known_words("const using = 1;"),
            Cow::Borrowed(_)
        ));
    }
}

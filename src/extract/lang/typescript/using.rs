//! `using x = …` and `await using x = …` for grammars that do not know them yet.
//!
//! Resource declarations bind a constant like `const` does. The grammars in use read them as broken statements and lose
//! the binding, so the words are replaced by `const` and blanks of the same length before parsing; every byte keeps its
//! place. Only a line that begins with such a declaration is touched; inside a string or comment the change is harmless,
//! because texts are taken from the original.

use std::borrow::Cow;

/// The source with resource declarations spelled as constants.
pub(crate) fn as_const(source: &str) -> Cow<'_, str> {
    if !source.contains("using ") {
        return Cow::Borrowed(source);
    }
    let mut changed: Option<Vec<u8>> = None;
    let mut offset = 0;
    for line in source.split_inclusive('\n') {
        if let Some((start, len)) = declaration(line) {
            let bytes = changed.get_or_insert_with(|| source.as_bytes().to_vec());
            let at = offset + start;
            if let Some(words) = bytes.get_mut(at..at + len) {
                words.fill(b' ');
                words[..5].copy_from_slice(b"const");
            }
        }
        offset += line.len();
    }
    match changed.map(String::from_utf8) {
        Some(Ok(text)) => Cow::Owned(text),
        _ => Cow::Borrowed(source),
    }
}

/// Where the words stand in a line and how long they are.
fn declaration(line: &str) -> Option<(usize, usize)> {
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
        let read = as_const(source);
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
    fn a_file_without_them_is_not_copied() {
        assert!(matches!(as_const("const using = 1;"), Cow::Borrowed(_)));
    }
}

//! Texts that travel with a definition: its signature on one line and the first paragraph of its doc comment.

/// Signatures are cut after this many bytes.
const SIGNATURE_LIMIT: usize = 240;
/// Doc paragraphs are cut after this many bytes.
const DOC_LIMIT: usize = 400;

/// A declaration's head on one line, without what leads over to the body.
pub(crate) fn signature(head: &str) -> String {
    let mut line = one_line(head, SIGNATURE_LIMIT);
    loop {
        let trimmed = line.trim_end_matches(['{', '=', ';', ',', ' ']);
        let trimmed = trimmed.strip_suffix("=>").unwrap_or(trimmed);
        if trimmed.len() == line.len() {
            return line;
        }
        line.truncate(trimmed.len());
    }
}

/// Runs of white space become one blank; at most `limit` bytes.
fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::with_capacity(text.len().min(limit));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > limit {
            cut(&mut line, limit);
            break;
        }
    }
    line
}

/// Shortens a text to at most `limit` bytes at a character's border and marks the cut.
fn cut(text: &mut String, limit: usize) {
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push('…');
}

/// A comment without its marks, one line a line.
pub(crate) fn clean(comment: &str) -> String {
    let mut text = String::with_capacity(comment.len());
    let block = comment.strip_prefix("/*");
    let body = match block {
        Some(rest) => rest.strip_suffix("*/").unwrap_or(rest),
        None => comment,
    };
    for line in body.lines() {
        let line = line.trim();
        let line = match block {
            Some(_) => line.trim_start_matches(['*', '!']),
            None => line.trim_start_matches(['/', '!', '#']),
        };
        text.push_str(line.trim());
        text.push('\n');
    }
    text
}

/// The first paragraph of a cleaned comment, on one line; tags (`@param` …) end it.
pub(crate) fn first_paragraph(text: &str) -> String {
    let lines = text
        .lines()
        .skip_while(|l| l.is_empty())
        .take_while(|l| !l.is_empty() && !l.starts_with('@'));
    let mut paragraph = String::new();
    for line in lines {
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line);
        if paragraph.len() > DOC_LIMIT {
            cut(&mut paragraph, DOC_LIMIT);
            break;
        }
    }
    paragraph
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_one_line_without_the_body_mark() {
        assert_eq!(
            signature("function  f(\n  a: string,\n): void {"),
            "function f( a: string, ): void"
        );
        assert_eq!(signature("const g = (x) =>"), "const g = (x)");
        assert!(signature(&"é".repeat(300)).len() < 260);
    }

    #[test]
    fn the_first_paragraph_ends_at_a_blank_line_or_tag() {
        let text = clean("/**\n * Adds two\n * numbers.\n *\n * More.\n */");
        assert_eq!(first_paragraph(&text), "Adds two numbers.");
        assert_eq!(first_paragraph(&clean("// one\n// two")), "one two");
        assert_eq!(first_paragraph(&clean("/** @internal */")), "");
    }
}

//! Kotlin's types on one line, as the grammar can read them.
//!
//! The grammar wants something between a member and what follows it on the same line, where the language asks for
//! nothing: `class A { fun f() {} }`. The blank there becomes a semicolon, which says the same; nothing moves.

use std::borrow::Cow;

/// What a pair of braces holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    /// Members of a type.
    Members,
    /// Anything else.
    Code,
    /// An expression inside a text; what the text is enclosed in.
    Inside(Quote),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    One,
    Three,
}

/// Words that go on with what a closing brace ends.
const GOES_ON: [&str; 7] = ["get", "set", "else", "catch", "finally", "while", "by"];

/// The same text with semicolons in place of some blanks.
pub(super) fn readable(source: &str) -> Cow<'_, str> {
    let bytes = source.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let mut marks: Vec<usize> = Vec::new();
    let mut open: Vec<Braces> = Vec::new();
    // Where the current statement begins, as far as one line shows it.
    let mut head = 0;
    // The last byte that is neither blank nor comment on this line.
    let mut last = b'\n';
    let mut i = 0;
    while i < bytes.len() {
        match at(i) {
            b'/' if at(i + 1) == b'/' => {
                i = end_of_line(bytes, i);
                continue;
            }
            b'/' if at(i + 1) == b'*' => {
                i = end_of_comment(bytes, i);
                continue;
            }
            b'"' => {
                let quote = quote_at(bytes, i);
                i = end_of_text(bytes, i + width(quote), quote, &mut open);
                last = b'"';
                continue;
            }
            b'\'' => {
                i = end_of_char(bytes, i);
                last = b'\'';
                continue;
            }
            b'\n' => {
                head = i + 1;
                last = b'\n';
            }
            b';' => {
                head = i + 1;
                last = b';';
            }
            b'{' => {
                let text = source.get(head..i).unwrap_or_default();
                open.push(if holds_members(text) {
                    Braces::Members
                } else {
                    Braces::Code
                });
                head = i + 1;
                last = b'{';
            }
            b'}' => {
                match open.pop() {
                    Some(Braces::Inside(quote)) => {
                        i = end_of_text(bytes, i + 1, quote, &mut open);
                        last = b'"';
                        continue;
                    }
                    Some(Braces::Members) if !matches!(last, b'\n' | b'{' | b';' | b',') => {
                        let before = i.wrapping_sub(1);
                        if matches!(at(before), b' ' | b'\t') {
                            marks.push(before);
                        }
                    }
                    _ => {}
                }
                head = i + 1;
                last = b'}';
                // The next member on the same line.
                let next = i + 1;
                if open.last() == Some(&Braces::Members)
                    && matches!(at(next), b' ' | b'\t')
                    && starts_member(source.get(next..).unwrap_or_default())
                {
                    marks.push(next);
                }
            }
            b' ' | b'\t' | b'\r' => {}
            other => last = other,
        }
        i += 1;
    }
    if marks.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut text = String::with_capacity(source.len());
    let mut done = 0;
    for mark in marks {
        text.push_str(source.get(done..mark).unwrap_or_default());
        text.push(';');
        done = mark + 1;
    }
    text.push_str(source.get(done..).unwrap_or_default());
    Cow::Owned(text)
}

fn holds_members(head: &str) -> bool {
    head.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| matches!(word, "class" | "interface" | "object"))
}

fn starts_member(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t']);
    let word: &str = rest
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default();
    !word.is_empty() && !GOES_ON.contains(&word)
}

fn quote_at(bytes: &[u8], i: usize) -> Quote {
    match bytes.get(i..i + 3) {
        Some(b"\"\"\"") => Quote::Three,
        _ => Quote::One,
    }
}

fn width(quote: Quote) -> usize {
    match quote {
        Quote::One => 1,
        Quote::Three => 3,
    }
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().position(|b| *b == b'\n');
    length.map_or(bytes.len(), |n| from + n)
}

fn end_of_comment(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0usize;
    let mut i = from;
    while let Some(pair) = bytes.get(i..i + 2) {
        match pair {
            b"/*" => {
                depth += 1;
                i += 2;
            }
            b"*/" => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    bytes.len()
}

fn end_of_char(bytes: &[u8], from: usize) -> usize {
    let mut i = from + 1;
    while let Some(byte) = bytes.get(i) {
        match byte {
            b'\\' => i += 2,
            b'\'' => return i + 1,
            b'\n' => return i,
            _ => i += 1,
        }
    }
    bytes.len()
}

/// The end of a text, or the place behind the brace that opens an expression in it.
fn end_of_text(bytes: &[u8], from: usize, quote: Quote, open: &mut Vec<Braces>) -> usize {
    let mut i = from;
    while let Some(byte) = bytes.get(i) {
        match (byte, quote) {
            (b'\\', Quote::One) => i += 2,
            (b'\n', Quote::One) => return i,
            (b'$', _) if bytes.get(i + 1) == Some(&b'{') => {
                open.push(Braces::Inside(quote));
                return i + 2;
            }
            (b'"', Quote::One) => return i + 1,
            (b'"', Quote::Three) if quote_at(bytes, i) == Quote::Three => return i + 3,
            _ => i += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn only_blanks_between_members_on_one_line_change() {
        assert_eq!(
            readable("class A { fun f() {} fun g() { h() } }"),
            "class A { fun f() {};fun g() { h() };}"
        );
        for same in [
            "class A {\n  fun f() {}\n}",
            "fun f() { if (a) { b() } else { c() } }",
            "val s = \"class A { b() } \"",
            "class A { }",
            "/* class A { b } */ // class A { b }",
            "class A {\n val x: Int get() { return 1 } set(v) { y = v }\n}",
        ] {
            assert_eq!(readable(same), same);
        }
        assert_eq!(
            readable("val s = \"${ object { val a = 1 } }\""),
            "val s = \"${ object { val a = 1;} }\""
        );
        // Nothing that is left open makes it fail.
        for odd in [
            "\"",
            "\"\"\"",
            "'",
            "/*",
            "}}}",
            "\"${",
            "'\\",
            "class A { a }\u{e9}",
        ] {
            assert_eq!(readable(odd).len(), odd.len());
        }
    }
}

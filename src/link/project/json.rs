//! JSON as configuration files write it: with comments and trailing commas.

use serde_json::Value;

/// Parses a configuration file; `None` where it is no JSON even so.
pub(super) fn parse(text: &str) -> Option<Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&strict(text)))
        .ok()
}

/// The same text without comments and without commas before a closing bracket.
fn strict(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('"', _) => {
                out.push(c);
                while let Some(c) = chars.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => {
                for c in chars.by_ref() {
                    if c == '\n' {
                        out.push('\n');
                        break;
                    }
                }
            }
            ('/', Some('*')) => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                out.push(' ');
            }
            ('}' | ']', _) => {
                let kept = out.trim_end();
                if kept.ends_with(',') {
                    let len = kept.len() - 1;
                    out.truncate(len);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read_over() {
        let text = "{ // a\n \"u\": \"http://x/*y*/\", /* b */ \"l\": [1, 2,], \n}";
        let value = parse(text).unwrap();
        assert_eq!(value["u"], "http://x/*y*/");
        assert_eq!(value["l"][1], 2);
        assert_eq!(parse("not json"), None);
    }
}

//! Texts from sources, made safe to print.
//!
//! Where it sits: under every text renderer. Invariant: what comes out is one line without control characters, without the
//! marks that turn the direction of writing (they can make code look like other code) and without characters that take no
//! room; a field has at most [`MAX_FIELD`] characters.

/// Most characters of a field.
pub const MAX_FIELD: usize = 256;

/// A field as it may be printed.
pub fn field(text: &str) -> String {
    let mut chars = text.chars().filter(|c| is_printable(*c));
    let mut out: String = chars.by_ref().take(MAX_FIELD).collect();
    if chars.next().is_some() {
        out.pop();
        out.push('…');
    }
    out
}

/// A text of any length as it may be printed: paths, messages.
pub fn line(text: &str) -> String {
    text.chars().filter(|c| is_printable(*c)).collect()
}

fn is_printable(c: char) -> bool {
    let turns_direction = matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let breaks_line = matches!(c, '\u{2028}' | '\u{2029}');
    // Joiners (U+200C, U+200D) stay: scripts need them inside words.
    let takes_no_room = matches!(c, '\u{00AD}' | '\u{180E}' | '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{206A}'..='\u{206F}'
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}');
    !c.is_control() && !turns_direction && !breaks_line && !takes_no_room
}

/// A list of texts as the reference prints it: `['a', 'b']`.
pub fn list<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = items.into_iter().map(|item| {
        let item = field(item);
        if item.contains('\'') && !item.contains('"') {
            format!("\"{item}\"")
        } else {
            format!("'{}'", item.replace('\\', "\\\\").replace('\'', "\\'"))
        }
    });
    format!("[{}]", quoted.collect::<Vec<_>>().join(", "))
}

/// `file:L7`, or the file alone where there is no line; empty where there is neither.
pub fn site(file: &str, line: u32) -> String {
    let file = field(file);
    match (file.is_empty(), line) {
        (_, 0) => file,
        (true, line) => format!("L{line}"),
        (false, line) => format!("{file}:L{line}"),
    }
}

/// `L3` or `L3-9`; empty where there is no line.
pub fn lines(first: u32, last: u32) -> String {
    match (first, last) {
        (0, _) => String::new(),
        (first, last) if last > first => format!("L{first}-{last}"),
        (first, _) => format!("L{first}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_length() {
        assert_eq!(field("a\u{1b}[31mb\nc\u{7f}\u{9b}d"), "a[31mbcd");
        assert_eq!(field("x\u{202E}y\u{2066}z"), "xyz");
        assert_eq!(
            line("a\u{61c}b\u{feff}\u{200b}\u{e0041}c\u{200d}"),
            "abc\u{200d}"
        );
        assert_eq!(line(&"a".repeat(900)).len(), 900);
        let long = field(&"é".repeat(300));
        assert_eq!(long.chars().count(), MAX_FIELD);
        assert!(long.ends_with('…'));
        assert_eq!(field(&"a".repeat(MAX_FIELD)), "a".repeat(MAX_FIELD));
    }

    #[test]
    fn lists_sites_and_lines() {
        assert_eq!(list(["a()", "it's", "b\\"]), r#"['a()', "it's", 'b\\']"#);
        assert_eq!(list([]), "[]");
        assert_eq!(site("a.ts", 7), "a.ts:L7");
        assert_eq!(site("a.ts", 0), "a.ts");
        assert_eq!(site("", 3), "L3");
        assert_eq!(
            (lines(0, 0), lines(3, 3), lines(3, 9)),
            (String::new(), "L3".into(), "L3-9".into())
        );
    }
}

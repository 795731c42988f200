//! What a typed name of a symbol may mean, by its form alone.
//!
//! Where it sits: the first step of [`super::resolver`]; pure, it sees no index. Invariant: a form is read in every way that
//! it allows, most exact first; which way is right only the index can tell (`a::b` is a symbol in a file, or a member of a
//! type).

/// One way to read a typed name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The printed key, as it stands.
    Key(String),
    /// A line of a file.
    Line {
        /// The file's path, or the end of it.
        file: String,
        /// The line, 1-based.
        line: u32,
    },
    /// A symbol in a file.
    Scoped {
        /// The file's path, or the end of it.
        file: String,
        /// What stands behind it.
        symbol: Symbol,
    },
    /// A file.
    File(String),
    /// A symbol anywhere.
    Symbol(Symbol),
}

/// A symbol's name with what the form says about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// The names of the holders, outermost first.
    pub(crate) holders: Vec<String>,
    /// The bare name.
    pub(crate) name: String,
    /// Written with `()`: it can be called.
    pub(crate) call: bool,
    /// Written with a leading dot: it is a member.
    pub(crate) member: bool,
    /// Which of several of that name, from 1; 0 where the form does not say.
    pub(crate) ordinal: u32,
}

/// All ways to read a typed name, most exact first.
pub(crate) fn readings(text: &str) -> Vec<Reading> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    let mut readings = vec![Reading::Key(text.to_string())];
    let path = clean_path(text);
    if let Some((file, line)) = line_form(&path) {
        readings.push(Reading::Line { file, line });
    }
    // The file ends at the first `::`: paths hold none.
    if let Some((file, symbol)) = path.split_once("::")
        && !file.is_empty()
        && let Some(symbol) = Symbol::parse(symbol)
    {
        readings.push(Reading::Scoped {
            file: file.to_string(),
            symbol,
        });
    }
    readings.push(Reading::File(path));
    if let Some(symbol) = Symbol::parse(text) {
        readings.push(Reading::Symbol(symbol));
    }
    readings
}

/// A path as the index writes it: `/` between parts, no `.` or `..` among them and no `/` behind it.
fn clean_path(text: &str) -> String {
    let text = if text.contains('\\') && !text.contains("\\x") {
        text.replace('\\', "/")
    } else {
        text.to_string()
    };
    let odd = |part: &str| matches!(part, "" | "." | "..");
    if !text.split('/').any(odd) {
        return text;
    }
    let absolute = text.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute {
        format!("/{joined}")
    } else {
        joined
    }
}

/// `FILE:12`, `FILE:L12`, `FILE:L12-40` or `FILE:12:5` (a column, as compilers print it).
fn line_form(text: &str) -> Option<(String, u32)> {
    let number = |t: &str| {
        t.strip_prefix('L')
            .unwrap_or(t)
            .parse::<u32>()
            .ok()
            .filter(|n| *n > 0)
    };
    let (head, tail) = text.rsplit_once(':')?;
    let first = tail.split_once('-').map_or(tail, |(first, _)| first);
    let line = number(first)?;
    let (file, line) = match head
        .rsplit_once(':')
        .and_then(|(file, l)| Some((file, number(l)?)))
    {
        Some((file, outer)) => (file, outer),
        None => (head, line),
    };
    (!file.is_empty() && !file.ends_with(':')).then(|| (file.to_string(), line))
}

impl Symbol {
    /// Reads `name`, `name()`, `.name()`, `Type.name`, `Type::name`, `A.B.name()~2`, `A#name`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        let mut symbol = Self::default();
        if let Some((head, tail)) = rest.rsplit_once('~')
            && let Ok(ordinal) = tail.parse()
        {
            (rest, symbol.ordinal) = (head, ordinal);
        }
        if let Some(head) = rest.strip_suffix("()") {
            (rest, symbol.call) = (head, true);
        }
        if let Some(tail) = rest.strip_prefix('.') {
            (rest, symbol.member) = (tail, true);
        }
        let mut parts = split_parts(rest);
        symbol.name = parts.pop().filter(|name| !name.is_empty())?;
        symbol.holders = parts;
        (!symbol.holders.iter().any(String::is_empty)).then_some(symbol)
    }

    /// The same text as one name, for names that hold dots or colons themselves.
    pub(crate) fn whole(text: &str) -> Option<Self> {
        let bare = text.trim();
        let call = bare.ends_with("()");
        let name = bare.strip_suffix("()").unwrap_or(bare).to_string();
        (!name.is_empty()).then(|| Self {
            name,
            call,
            ..Self::default()
        })
    }
}

/// The names between `.`, `::` and `#`; backticks hold a name together. Call marks and ordinals of holders are dropped.
fn split_parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let joint = match c {
            '`' if quoted && chars.peek() == Some(&'`') => {
                chars.next();
                false
            }
            '`' => {
                quoted = !quoted;
                continue;
            }
            // A private member begins with `#`: it separates only between names.
            '#' => !quoted && parts.last().is_some_and(|p| !p.is_empty()),
            '.' => !quoted,
            ':' if !quoted && chars.peek() == Some(&':') => {
                chars.next();
                true
            }
            _ => false,
        };
        if joint {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    let count = parts.len();
    for (i, part) in parts.iter_mut().enumerate() {
        if i + 1 < count {
            if let Some((head, tail)) = part.rsplit_once('~')
                && tail.bytes().all(|b| b.is_ascii_digit())
            {
                *part = head.to_string();
            }
            if let Some(head) = part.strip_suffix("()") {
                *part = head.to_string();
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(text: &str) -> Option<(Vec<String>, String, bool, bool, u32)> {
        Symbol::parse(text).map(|s| (s.holders, s.name, s.call, s.member, s.ordinal))
    }

    #[test]
    fn forms_of_symbols() {
        let none: Vec<String> = Vec::new();
        assert_eq!(
            symbol("relay"),
            Some((none.clone(), "relay".into(), false, false, 0))
        );
        assert_eq!(
            symbol("relay()"),
            Some((none.clone(), "relay".into(), true, false, 0))
        );
        assert_eq!(
            symbol(".read()"),
            Some((none.clone(), "read".into(), true, true, 0))
        );
        let read = |t| symbol(t).map(|s| (s.0, s.1));
        assert_eq!(
            read("Store.read"),
            Some((vec!["Store".into()], "read".into()))
        );
        assert_eq!(
            read("Store::read()"),
            Some((vec!["Store".into()], "read".into()))
        );
        assert_eq!(
            read("a.B#c"),
            Some((vec!["a".into(), "B".into()], "c".into()))
        );
        assert_eq!(
            read("Store.`a.b``c`"),
            Some((vec!["Store".into()], "a.b`c".into()))
        );
        assert_eq!(
            read("outer()~2.inner"),
            Some((vec!["outer".into()], "inner".into()))
        );
        assert_eq!(
            symbol("get()~2"),
            Some((none, "get".into(), true, false, 2))
        );
        assert_eq!(read("#secret"), Some((vec![], "#secret".into())));
        for bad in ["", "()", ".", "::", "a..b", "a::"] {
            assert_eq!(symbol(bad), None, "{bad}");
        }
    }

    #[test]
    fn every_reading_of_a_form_most_exact_first() {
        let kinds = |text: &str| -> Vec<&'static str> {
            let name = |r: &Reading| match r {
                Reading::Key(_) => "key",
                Reading::Line { .. } => "line",
                Reading::Scoped { .. } => "scoped",
                Reading::File(_) => "file",
                Reading::Symbol(_) => "symbol",
            };
            readings(text).iter().map(name).collect()
        };
        assert_eq!(kinds("src/a.ts"), ["key", "file", "symbol"]);
        assert_eq!(kinds("src/a.ts:12"), ["key", "line", "file", "symbol"]);
        assert_eq!(kinds("src/a.ts::f"), ["key", "scoped", "file", "symbol"]);
        assert_eq!(kinds("f"), ["key", "file", "symbol"]);
        assert!(kinds("  ").is_empty());
    }

    #[test]
    fn lines_in_the_ways_in_which_tools_print_them() {
        for text in [
            "src/a.ts:12",
            "./src/a.ts:L12",
            "src/a.ts:L12-40",
            "src/a.ts:12:5",
            "src\\a.ts:12",
            "src/./a.ts:12",
            "src/x/..//a.ts:12",
        ] {
            let line = readings(text)
                .into_iter()
                .find(|r| matches!(r, Reading::Line { .. }));
            assert_eq!(
                line,
                Some(Reading::Line {
                    file: "src/a.ts".into(),
                    line: 12
                }),
                "{text}"
            );
        }
        for text in ["a.ts:0", "a.ts:x", ":12", "a::12", "npm:axios"] {
            assert!(
                !readings(text)
                    .iter()
                    .any(|r| matches!(r, Reading::Line { .. })),
                "{text}"
            );
        }
    }
}

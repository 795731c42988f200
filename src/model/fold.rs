//! Folding of names and splitting of names into words: one definition for what is stored and what is asked.
//!
//! Where it sits: used when names and texts are written and by `search` on queries; the storage layer shows it as
//! `segment::fold`. Invariants: [`fold`] is idempotent; the words of
//! a name depend on its exact spelling alone; a change here changes what segments hold, so it needs a new format minor.
//!
//! Folding: lower case, compatibility decomposition, combining marks dropped, final sigma like any other.
//!
//! Words, split before folding:
//!
//! | in the name | words |
//! |---|---|
//! | `snake_case`, `kebab-case`, `a.b` | the parts between what is neither letter nor digit |
//! | `camelCase`, `PascalCase` | a capital after a small letter begins a word |
//! | `HTTPServer` | the last capital of a run belongs to the small letters behind it: http, server |
//! | `URLs`, `userIDs` | a plural s stays with its run of capitals: urls |
//! | `utf8`, `sha256sum` | digits with the word before them, and apart: utf8, utf, 8; sha256, sha, 256, sum |
//! | `v2`, `x86_64` | one letter and its digits stay together: v2; x86, 64 |
//! | `i18n`, `k8s` | so does a single small letter behind them: i18n |
//! | `Größe` | letters outside ASCII are letters: größe, folded like every word |
//! | `用户名` | overlapping pairs of Chinese, Japanese and Korean characters; a lone one by itself |

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The form under which a name is looked up.
///
/// ```
/// use graphify::segment::fold::fold;
/// assert_eq!(fold("HttpServer"), "httpserver");
/// assert_eq!(fold("Größe"), "große");
/// assert_eq!(fold("already_folded"), "already_folded");
/// ```
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return match text.bytes().any(|b| b.is_ascii_uppercase()) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        };
    }
    let decomposed = text.chars().flat_map(char::to_lowercase).nfkd();
    let folded: String = decomposed
        .filter(|c| !is_combining_mark(*c))
        // Decomposition brings capitals to light again (℡ is TEL).
        .flat_map(char::to_lowercase)
        .filter(|c| !is_combining_mark(*c))
        .map(|c| if c == 'ς' { 'σ' } else { c })
        .collect();
    if folded.is_empty() {
        // Nothing but marks: a name must not become the empty one.
        return Cow::Borrowed(text);
    }
    Cow::Owned(folded)
}

/// The distinct folded words of a name, in the order in which they begin.
///
/// ```
/// use graphify::segment::fold::words;
/// assert_eq!(words("HTTPServerPool"), ["http", "server", "pool"]);
/// assert_eq!(words("parse_utf8String"), ["parse", "utf8", "utf", "8", "string"]);
/// assert_eq!(words("apiV2"), ["api", "v2"]);
/// assert_eq!(words("userIDs"), ["user", "ids"]);
/// assert_eq!(words("i18n-key"), ["i18n", "key"]);
/// assert_eq!(words("Größe_max"), ["große", "max"]);
/// assert_eq!(words("获取用户名"), ["获取", "取用", "用户", "户名"]);
/// ```
pub fn words(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for_each_word(name, &mut |word| {
        let folded = fold(word);
        if !found.iter().any(|w| *w == folded) {
            found.push(folded.into_owned());
        }
    });
    found
}

/// What a character is to the splitter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Upper,
    Lower,
    Digit,
    Cjk,
    Gap,
}

/// Calls `emit` for every word of a name, unfolded, possibly more than once for the same one.
pub(crate) fn for_each_word(name: &str, emit: &mut dyn FnMut(&str)) {
    let classes = classify(name);
    let mut at = 0;
    while let Some((start, class)) = classes.get(at).copied() {
        let run = |stop: &dyn Fn(Class) -> bool| {
            let rest = classes.get(at..).unwrap_or_default();
            at + rest.iter().take_while(|(_, c)| !stop(*c)).count()
        };
        match class {
            Class::Gap => at += 1,
            Class::Cjk => {
                let end = run(&|c| c != Class::Cjk);
                emit_pairs(name, &classes, at..end, emit);
                at = end;
            }
            _ => {
                let end = run(&|c| matches!(c, Class::Cjk | Class::Gap));
                let run = classes.get(at..end).unwrap_or_default();
                let stop = offset(name, &classes, end);
                emit_words(name, run, start, stop, emit);
                at = end;
            }
        }
    }
}

/// The class of every character with its place; marks are part of what they stand on.
fn classify(name: &str) -> Vec<(usize, Class)> {
    let mut classes: Vec<(usize, Class)> = Vec::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        let class = match c {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            _ if c.is_ascii() => Class::Gap,
            _ if is_cjk(c) => Class::Cjk,
            _ if is_combining_mark(c) => match classes.last() {
                Some((_, before)) if *before != Class::Gap => continue,
                _ => Class::Lower,
            },
            _ if c.is_uppercase() => Class::Upper,
            _ if c.is_alphabetic() => Class::Lower,
            _ if c.is_numeric() => Class::Digit,
            _ => Class::Gap,
        };
        classes.push((at, class));
    }
    classes
}

/// Scripts that are written without gaps between words.
fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11FF | 0x3040..=0x30FF | 0x3130..=0x318F | 0x31F0..=0x31FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x20000..=0x3FFFF)
}

/// Where the character number `at` begins; the end of the name behind the last one.
fn offset(name: &str, classes: &[(usize, Class)], at: usize) -> usize {
    classes.get(at).map_or(name.len(), |(start, _)| *start)
}

fn emit_pairs(
    name: &str,
    classes: &[(usize, Class)],
    run: std::ops::Range<usize>,
    emit: &mut dyn FnMut(&str),
) {
    let width = run.len().min(2);
    for at in run.start..=run.end.saturating_sub(width) {
        let start = offset(name, classes, at);
        let end = offset(name, classes, at + width);
        emit(name.get(start..end).unwrap_or_default());
    }
}

/// Emits the words of a run of letters and digits that lies at `start..stop`.
fn emit_words(
    name: &str,
    run: &[(usize, Class)],
    start: usize,
    stop: usize,
    emit: &mut dyn FnMut(&str),
) {
    let text = |from: usize, to: usize| {
        let begin = run.get(from).map_or(stop, |(at, _)| *at);
        let end = run.get(to).map_or(stop, |(at, _)| *at);
        name.get(begin..end).unwrap_or_default()
    };
    debug_assert_eq!(run.first().map(|(at, _)| *at), Some(start));
    let class = |i: usize| run.get(i).map(|(_, c)| *c);
    let mut at = 0;
    while at < run.len() {
        let letters_end = letters(name, run, at);
        let digits_end = letters_end
            + run
                .get(letters_end..)
                .unwrap_or_default()
                .iter()
                .take_while(|(_, c)| *c == Class::Digit)
                .count();
        if digits_end == letters_end {
            emit(text(at, letters_end));
            at = digits_end;
            continue;
        }
        match letters_end - at {
            0 => emit(text(letters_end, digits_end)),
            1 => {
                // A single small letter behind the digits closes an abbreviation such as i18n.
                let closes = class(digits_end) == Some(Class::Lower)
                    && class(digits_end + 1) != Some(Class::Lower);
                let end = digits_end + usize::from(closes);
                emit(text(at, end));
                at = end;
                continue;
            }
            _ => {
                emit(text(at, digits_end));
                emit(text(at, letters_end));
                emit(text(letters_end, digits_end));
            }
        }
        at = digits_end;
    }
}

/// Where the word of letters that begins at `at` ends.
fn letters(name: &str, run: &[(usize, Class)], at: usize) -> usize {
    let starts_with_s = |i: usize| {
        let rest = run.get(i).and_then(|(start, _)| name.get(*start..));
        rest.is_some_and(|text| text.starts_with('s'))
    };
    let count = |from: usize, wanted: Class| {
        let rest = run.get(from..).unwrap_or_default();
        rest.iter().take_while(|(_, c)| *c == wanted).count()
    };
    let capitals_end = at + count(at, Class::Upper);
    let small = count(capitals_end, Class::Lower);
    match capitals_end - at {
        0 | 1 => capitals_end + small,
        _ if small == 0 => capitals_end,
        // "URLs": the only small letter is a plural s.
        _ if small == 1 && starts_with_s(capitals_end) => capitals_end + 1,
        _ => capitals_end - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_twice_changes_nothing_for_any_character() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}B");
            let once = fold(&text).into_owned();
            assert_eq!(fold(&once), once, "{c:?} U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn folding_joins_what_readers_take_for_the_same() {
        assert_eq!(fold("ΣΑΣ"), fold("σας"));
        assert_eq!(fold("İstanbul"), "istanbul");
        assert_eq!(fold("cafe\u{301}"), fold("CAFÉ"));
        assert_eq!(fold("ｆｕｌｌ"), "full");
        assert_eq!(fold("℡"), "tel");
        assert_eq!(fold(""), "");
        assert_eq!(fold("\u{301}"), "\u{301}");
    }

    fn assert_words(name: &str, expected: &[&str]) {
        assert_eq!(words(name), expected, "{name}");
    }

    #[test]
    fn names_fall_into_words() {
        assert_words("", &[]);
        assert_words("_", &[]);
        assert_words("x", &["x"]);
        assert_words("getHTTPResponse", &["get", "http", "response"]);
        assert_words("SCREAMING_SNAKE_2", &["screaming", "snake", "2"]);
        assert_words("kebab-case.dotted", &["kebab", "case", "dotted"]);
        assert_words("iPhone", &["i", "phone"]);
        assert_words("URLs", &["urls"]);
        assert_words("parseURLsNow", &["parse", "urls", "now"]);
        assert_words("ABTest", &["ab", "test"]);
        assert_words("aB", &["a", "b"]);
        assert_words("get get", &["get"]);
    }

    #[test]
    fn digits_stay_with_letters_where_a_reader_would_keep_them() {
        assert_words("utf8", &["utf8", "utf", "8"]);
        assert_words("v2", &["v2"]);
        assert_words("V2Client", &["v2", "client"]);
        assert_words("x86_64", &["x86", "64"]);
        assert_words("k8s", &["k8s"]);
        assert_words("i18nKey", &["i18n", "key"]);
        assert_words("sha256sum", &["sha256", "sha", "256", "sum"]);
        assert_words("2fa", &["2", "fa"]);
        assert_words("base64Encode", &["base64", "base", "64", "encode"]);
        assert_words("OAuth2", &["o", "auth2", "auth", "2"]);
        assert_words("HTTP2Server", &["http2", "http", "2", "server"]);
    }

    #[test]
    fn other_scripts_are_letters_too() {
        assert_words("Größe", &["große"]);
        assert_words("größteBreite", &["großte", "breite"]);
        assert_words("gro\u{308}ßeWeite", &["große", "weite"]);
        assert_words("привет_Мир", &["привет", "мир"]);
        assert_words("用", &["用"]);
        assert_words("user用户", &["user", "用户"]);
        assert_words("用户ID", &["用户", "id"]);
        assert_words("→x", &["x"]);
    }
}

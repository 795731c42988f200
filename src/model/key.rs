//! Symbol keys: the only handle of a symbol that is shown to users or stored outside the index.
//!
//! Where it sits: computed from a unit's node tree by `segment` and `snapshot`, hashed for lookup, printed by `render`.
//! Invariant: two nodes of one index never share a key, and a key changes only when the file, the names on the way to
//! the symbol, or its place among same-named siblings change.
//!
//! ```text
//! key      = path                                  the unit itself
//!          | path "::" part ("." part)*            a node in it
//!          | scheme ":" rest                       outside the index: npm:axios, env:HOME
//!          | "?" name                              a name that nothing could be proved for
//! part     = name ["()"] ["~" n]                   "()" on what can be called, n = 2, 3 … for further ones
//! name     = text, or text between backticks where it holds one of  . : ~ ( ) `  or white space
//! ```

use crate::model::label::NodeKind;
use crate::model::node::NodeFlags;

/// Whether a node's part of the key ends in `()`.
pub fn is_callable(kind: NodeKind, flags: NodeFlags) -> bool {
    let kinds = [
        NodeKind::FUNCTION,
        NodeKind::METHOD,
        NodeKind::CONSTRUCTOR,
        NodeKind::ACCESSOR,
        NodeKind::MACRO,
    ];
    flags.has(NodeFlags::CALLABLE) || kinds.contains(&kind)
}

/// Appends one part: the separator that fits, the name, the call mark, the ordinal among its like (from 1).
pub fn push_part(key: &mut String, first: bool, name: &str, callable: bool, ordinal: u32) {
    use std::fmt::Write;
    key.push_str(if first { "::" } else { "." });
    if needs_quotes(name) {
        key.push('`');
        key.push_str(&name.replace('`', "``"));
        key.push('`');
    } else {
        key.push_str(name);
    }
    if callable {
        key.push_str("()");
    }
    if ordinal > 1 {
        let _ = write!(key, "~{ordinal}");
    }
}

fn needs_quotes(name: &str) -> bool {
    name.is_empty()
        || name.chars().any(|c| {
            matches!(c, '.' | ':' | '~' | '(' | ')' | '`') || c.is_whitespace() || c.is_control()
        })
}

/// The key of a name that could not be resolved.
pub fn unresolved(name: &str) -> String {
    format!("?{name}")
}

/// The hash under which a key is looked up: XXH3, 64 bits. The string is compared on a hit.
pub fn hash(key: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(key.as_bytes())
}

/// Splits a key of a node into its path and the parts behind it; a unit's own key has none.
pub fn split(key: &str) -> (&str, Option<&str>) {
    match key.split_once("::") {
        Some((path, parts)) => (path, Some(parts)),
        None => (key, None),
    }
}

/// The bare name at the end of a key, for symbols of which nothing but the key is stored.
pub fn name_of(key: &str) -> String {
    if let Some(name) = key.strip_prefix('?') {
        return name.to_string();
    }
    let Some((path, parts)) = key.split_once("::") else {
        let tail = key.rsplit('/').next().unwrap_or(key);
        let scheme = key.split_once(':').map(|(_, rest)| rest);
        return scheme.unwrap_or(tail).to_string();
    };
    let last = last_part(parts).unwrap_or(path);
    let bare = last
        .split_once('~')
        .filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
    let last = bare.map_or(last, |(name, _)| name);
    let last = last.strip_suffix("()").unwrap_or(last);
    match last.strip_prefix('`').and_then(|l| l.strip_suffix('`')) {
        Some(quoted) => quoted.replace("``", "`"),
        None => last.to_string(),
    }
}

/// The text behind the last dot that stands outside backticks.
fn last_part(parts: &str) -> Option<&str> {
    let mut quoted = false;
    let mut start = 0;
    for (i, byte) in parts.bytes().enumerate() {
        match byte {
            b'`' => quoted = !quoted,
            b'.' if !quoted => start = i + 1,
            _ => {}
        }
    }
    parts.get(start..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined_quoted_and_numbered() {
        let mut key = "src/a.ts".to_string();
        push_part(&mut key, true, "Store", false, 1);
        push_part(&mut key, false, "get", true, 2);
        assert_eq!(key, "src/a.ts::Store.get()~2");
        push_part(&mut key, false, "a.b`c", false, 1);
        assert_eq!(key, "src/a.ts::Store.get()~2.`a.b``c`");
        assert_eq!(split(&key).0, "src/a.ts");
    }

    #[test]
    fn the_name_is_found_at_the_end_of_every_form() {
        for (key, name) in [
            ("src/a.ts", "a.ts"),
            ("src/a.ts::Store.get()~2", "get"),
            ("src/a.ts::Store.`a.b``c`", "a.b`c"),
            ("npm:axios", "axios"),
            ("npm:@scope/pkg", "@scope/pkg"),
            ("npm:axios::get()", "get"),
            ("env:HOME", "HOME"),
            ("?println", "println"),
        ] {
            assert_eq!(name_of(key), name, "{key}");
        }
    }

    #[test]
    fn the_hash_is_the_published_one() {
        // XXH3 of the empty input, as its specification gives it.
        assert_eq!(hash(""), 0x2D06_8005_38D3_94C2);
    }
}

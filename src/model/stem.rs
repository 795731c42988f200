//! Stems: one form for the inflections of an English word, so that `handlers`, `handled` and `handling` meet.
//!
//! Where it sits: the last step of a word's way into a text ([`super::text`]) and into a question. Invariants: depends on
//! the word alone and only shortens it; what is stored and what is asked are treated alike, so a stem need not be a word;
//! anything but small ASCII letters stays as it is. A change here changes what texts hold: it needs a new version of the
//! extractors.
//!
//! Three steps, each once; three letters always stay:
//!
//! | step | ending that goes | but not |
//! |---|---|---|
//! | plural | `es` behind `ss`, `sh`, `ch`, `x`, `z`; else `s` | `ss`, `us`, `is` |
//! | verb | `ing`, `ed`; then one of two equal consonants | `eed`; where no vowel would be left |
//! | last letters | `e`, `i`, `y`, up to two of them | |

/// Shortens a folded word to its stem.
///
/// ```
/// use graphify::model::stem::stem;
/// let words = ["queries", "query", "classes", "running", "cached", "cache", "need", "größen"];
/// let stems = words.map(stem);
/// assert_eq!(stems, ["quer", "quer", "class", "run", "cach", "cach", "need", "größen"]);
/// ```
#[must_use]
pub fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word;
    }
    without_last_letters(without_verb_ending(without_plural(word)))
}

fn without_plural(word: &str) -> &str {
    if let Some(rest) = word.strip_suffix("es") {
        let hissing = ["ss", "sh", "ch", "x", "z"];
        if hissing.iter().any(|end| rest.ends_with(end)) {
            return rest;
        }
    }
    match word.strip_suffix('s') {
        Some(rest) if !rest.ends_with(['s', 'u', 'i']) => rest,
        _ => word,
    }
}

fn without_verb_ending(word: &str) -> &str {
    let rest = match (word.strip_suffix("ing"), word.strip_suffix("ed")) {
        (Some(rest), _) => rest,
        (None, Some(rest)) if !rest.ends_with('e') => rest,
        _ => return word,
    };
    if rest.len() < 3 || !rest.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
        return word;
    }
    let mut ends = rest.bytes().rev();
    match (ends.next(), ends.next()) {
        (Some(a), Some(b)) if a == b && rest.len() > 3 && !b"aeiouslz".contains(&a) => {
            rest.get(..rest.len() - 1).unwrap_or(rest)
        }
        _ => rest,
    }
}

fn without_last_letters(word: &str) -> &str {
    let mut rest = word;
    for _ in 0..2 {
        match rest.strip_suffix(['e', 'i', 'y']) {
            Some(shorter) if shorter.len() >= 3 => rest = shorter,
            _ => break,
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_meet() {
        for family in [
            &["handle", "handles", "handled", "handling"][..],
            &["policy", "policies"],
            &["verify", "verifies", "verified", "verifying"],
            &["box", "boxes"],
            &["match", "matches", "matched", "matching"],
            &["stop", "stops", "stopped", "stopping"],
            &["type", "types", "typed", "typing"],
            &["cookie", "cookies"],
            &["setting", "settings"],
            &["value", "values"],
        ] {
            let stems: Vec<&str> = family.iter().map(|w| stem(w)).collect();
            assert!(
                stems.iter().all(|s| *s == stems[0]),
                "{family:?}: {stems:?}"
            );
        }
    }

    #[test]
    fn short_words_and_other_letters_stay() {
        for word in [
            "use", "as", "ids", "string", "status", "this", "v2", "naïve", "用户", "",
        ] {
            assert_eq!(stem(word), word);
        }
    }
}

//! From words to symbols: what a question asks for, and which symbol a typed name means.
//!
//! Where it sits: above `snapshot`, whose name dictionaries it asks; below `traverse`, to which it hands the seeds. It knows
//! neither the catalog nor the segment files.
//!
//! ```text
//! question ─► query (words, parts, hints) ─► score (tiers × IDF × coverage²) ─► seeds (gap, seats, rivals)
//! typed name ─► designation (what form it has) ─► resolver (tiers, ambiguity, near names)
//! ```
//!
//! Invariants: work is proportional to what is found, never to the size of the index: every dictionary look-up is bounded by
//! the constants of [`score`], and no node is read that no name led to. Ties are broken by path and line, never by ids, so
//! that the same content answers the same whatever the history of the index.

pub(crate) mod query;
pub(crate) mod stop_words;

/// A word as it is compared: lower case, compatibility forms resolved, without diacritics.
pub(crate) fn fold(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let lower: String = text
        .nfkd()
        .filter(|c| !unicode_normalization::char::is_combining_mark(*c))
        .collect();
    lower.to_lowercase()
}

/// The sub-words of a name, folded.
pub(crate) fn sub_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut word = String::new();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
            continue;
        }
        let prev = i.checked_sub(1).and_then(|p| chars.get(p)).copied();
        let next = chars.get(i + 1).copied();
        if let Some(p) = prev {
            let hump =
                c.is_uppercase() && (p.is_lowercase() || next.is_some_and(char::is_lowercase));
            if hump || p.is_numeric() != c.is_numeric() {
                words.push(std::mem::take(&mut word));
            }
        }
        word.push(c);
    }
    words.push(word);
    words.retain(|w| !w.is_empty());
    words.iter().map(|w| fold(w)).collect()
}

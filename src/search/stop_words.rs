//! Words that say nothing about code: articles, pronouns, prepositions, auxiliary and question words.
//!
//! Where it sits: asked by [`super::query`] while a question is taken apart. All entries are folded (lower case, without
//! diacritics), as the words that they are compared with are. Invariants: a word that is also a likely name or a plain
//! noun of another language is left out (French `comment`, `son`, `pour`; Spanish `con`; German `war`, `bald`), so that no
//! list of one language hides a name from speakers of another.

/// English.
const ENGLISH: &[&str] = &[
    "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "between", "but", "by", "can", "could", "did", "do", "does",
    "doing", "done", "every", "for", "from", "give", "had", "has", "have", "he", "her", "here",
    "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "let", "like", "make",
    "makes", "may", "me", "might", "more", "most", "must", "my", "no", "not", "of", "on", "only",
    "onto", "or", "other", "our", "out", "over", "please", "shall", "she", "should", "show", "so",
    "some", "such", "tell", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "very", "was",
    "we", "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose",
    "why", "will", "with", "within", "without", "work", "working", "works", "would", "you", "your",
    "a",
];

/// German.
const GERMAN: &[&str] = &[
    "aber",
    "als",
    "am",
    "an",
    "auch",
    "auf",
    "aus",
    "bei",
    "beim",
    "bin",
    "bis",
    "da",
    "damit",
    "das",
    "dass",
    "dem",
    "den",
    "der",
    "des",
    "die",
    "dies",
    "diese",
    "dieser",
    "dieses",
    "doch",
    "du",
    "durch",
    "ein",
    "eine",
    "einem",
    "einen",
    "einer",
    "eines",
    "er",
    "es",
    "fur",
    "funktioniert",
    "gibt",
    "haben",
    "hat",
    "ich",
    "ihr",
    "im",
    "in",
    "ins",
    "ist",
    "kann",
    "kein",
    "keine",
    "man",
    "mit",
    "nach",
    "nicht",
    "noch",
    "nur",
    "ob",
    "oder",
    "ohne",
    "sein",
    "sich",
    "sie",
    "sind",
    "so",
    "uber",
    "um",
    "und",
    "uns",
    "unter",
    "vom",
    "von",
    "vor",
    "wann",
    "warum",
    "was",
    "welche",
    "welchem",
    "welchen",
    "welcher",
    "welches",
    "wem",
    "wen",
    "wenn",
    "wer",
    "werden",
    "wie",
    "wieso",
    "wir",
    "wird",
    "wo",
    "woher",
    "wohin",
    "zu",
    "zum",
    "zur",
    "zwischen",
];

/// French.
const FRENCH: &[&str] = &[
    "au", "aux", "avec", "ce", "ces", "cet", "cette", "chez", "comme", "dans", "de", "depuis",
    "des", "donc", "du", "elle", "elles", "en", "entre", "est", "et", "etre", "il", "ils", "je",
    "la", "le", "les", "leur", "leurs", "lequel", "laquelle", "mais", "ne", "ni", "nos", "notre",
    "nous", "on", "ou", "par", "pas", "pourquoi", "quand", "que", "quel", "quelle", "quelles",
    "quels", "qui", "quoi", "sans", "se", "ses", "sont", "sous", "sur", "un", "une", "vers", "vos",
    "votre", "vous",
];

/// Spanish.
const SPANISH: &[&str] = &[
    "al", "como", "cual", "cuales", "cuando", "cuanto", "de", "del", "desde", "donde", "el",
    "ella", "ellos", "en", "entre", "es", "esta", "estan", "este", "esto", "estos", "hay", "la",
    "las", "lo", "los", "mas", "mi", "muy", "ni", "o", "para", "pero", "por", "porque", "que",
    "quien", "quienes", "se", "ser", "si", "sin", "sobre", "su", "sus", "tiene", "un", "una",
    "unas", "unos", "y", "ya",
];

/// Portuguese.
const PORTUGUESE: &[&str] = &[
    "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "ele", "eles",
    "em", "essa", "esse", "esta", "este", "foi", "isso", "isto", "mais", "mas", "na", "nao", "nas",
    "no", "nos", "o", "onde", "os", "ou", "para", "pela", "pelo", "por", "porque", "qual", "quais",
    "quando", "que", "quem", "se", "sem", "seu", "sua", "sao", "tem", "um", "uma", "umas", "uns",
];

/// Italian.
const ITALIAN: &[&str] = &[
    "agli", "ai", "al", "alla", "alle", "anche", "che", "chi", "ci", "come", "cosa", "cui", "da",
    "dai", "dal", "dalla", "degli", "dei", "del", "della", "delle", "di", "dove", "e", "ed", "gli",
    "ha", "hanno", "i", "il", "in", "la", "le", "lo", "ma", "negli", "nei", "nel", "nella",
    "nelle", "non", "o", "per", "perche", "piu", "quale", "quali", "quando", "questa", "questo",
    "si", "sono", "su", "sul", "sulla", "tra", "fra", "un", "una", "uno",
];

/// Russian: question words, prepositions, particles.
const RUSSIAN: &[&str] = &[
    "а",
    "без",
    "бы",
    "в",
    "во",
    "вот",
    "все",
    "где",
    "для",
    "до",
    "его",
    "ее",
    "если",
    "есть",
    "же",
    "за",
    "зачем",
    "и",
    "из",
    "или",
    "их",
    "к",
    "как",
    "какая",
    "какие",
    "каким",
    "какои",
    "какую",
    "когда",
    "которая",
    "которые",
    "которыи",
    "кто",
    "куда",
    "ли",
    "между",
    "на",
    "не",
    "но",
    "о",
    "об",
    "он",
    "она",
    "они",
    "от",
    "откуда",
    "по",
    "почему",
    "при",
    "с",
    "со",
    "сколько",
    "так",
    "там",
    "то",
    "тут",
    "у",
    "чего",
    "чем",
    "что",
    "чтобы",
    "эта",
    "эти",
    "это",
    "этот",
];

/// Chinese: question words and particles, longest first. Written without spaces, they end a run of characters.
const CHINESE: &[&str] = &[
    "是什么",
    "为什么",
    "什么样",
    "怎么样",
    "在哪里",
    "有哪些",
    "什么",
    "怎么",
    "怎样",
    "如何",
    "为何",
    "哪里",
    "哪儿",
    "哪些",
    "哪个",
    "多少",
    "是否",
    "能否",
    "以及",
    "请问",
    "的",
    "了",
    "吗",
    "呢",
    "吧",
    "谁",
    "哪",
    "和",
    "与",
];

/// Whether a folded word says nothing about code in any of the languages known here.
pub(crate) fn is_stop_word(folded: &str) -> bool {
    let lists = [
        ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, RUSSIAN, CHINESE,
    ];
    lists.iter().any(|list| list.contains(&folded))
}

/// A run of Chinese characters without its question words and particles: the pieces between them, in order.
pub(crate) fn split_chinese(run: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(rest) = run.get(at..).filter(|r| !r.is_empty()) {
        if let Some(particle) = CHINESE.iter().find(|p| rest.starts_with(**p)) {
            pieces.push((start, at));
            at += particle.len();
            start = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    pieces.push((start, run.len()));
    let texts = pieces.into_iter().filter_map(|(s, e)| run.get(s..e));
    texts.filter(|piece| !piece.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::fold;

    #[test]
    fn every_entry_is_folded() {
        for list in [
            ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, RUSSIAN, CHINESE,
        ] {
            for word in list {
                assert_eq!(fold(word), *word);
            }
        }
    }

    #[test]
    fn words_that_may_be_names_are_kept() {
        for name in [
            "comment", "son", "con", "pour", "war", "bald", "get", "set", "new", "user",
        ] {
            assert!(!is_stop_word(name), "{name}");
        }
        for word in [
            "the", "die", "hat", "work", "wie", "donde", "pourquoi", "dove", "что", "如何",
        ] {
            assert!(is_stop_word(word), "{word}");
        }
    }

    #[test]
    fn chinese_particles_end_a_run() {
        assert_eq!(split_chinese("用户认证的入口在哪里"), ["用户认证", "入口"]);
        assert_eq!(split_chinese("为什么"), Vec::<&str>::new());
        assert_eq!(split_chinese("缓存"), ["缓存"]);
    }
}

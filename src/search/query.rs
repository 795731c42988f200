//! A question taken apart: its words, what they are good for, and what they hint at.
//!
//! Where it sits: the first step of a search; pure, it sees no index. Rules, in order:
//!
//! 1. words are runs of letters, digits, `_` and `$`; everything else separates (`Foo.bar()` is two words, the `'s` of a
//!    genitive is dropped);
//! 2. a word is kept whole and, where it is a compound (`getUser`, `parse_error`, `HTTPServer2`), as its parts as well;
//!    runs of Chinese, Japanese and Korean are kept whole and as bigrams of what is left between particles;
//! 3. stop words of eight languages are removed, unless nothing would be left: then all words stay ([`Question::unfiltered`]);
//! 4. words of one or two letters stay as [`Role::Short`]: they count only where a symbol is called exactly that;
//! 5. words that name a relation (`calls`, `imports` …) stay as [`Role::Verb`]: they score, but neither lower the coverage
//!    nor claim a seat, unless the question has no others;
//! 6. words may hint at a context of edges (`callers` → call). Hints only order an answer, they never filter it.
//!
//! Invariant: words are distinct by their folded text and stand in the order of the question.

use crate::model::label::Context;
use crate::search::stop_words::{is_stop_word, split_chinese};
use crate::search::{fold, sub_words};

/// Most words of a question that are looked at; longer questions are cut here.
pub(crate) const MAX_WORDS: usize = 64;
/// Longest word, in characters; longer ones are cut (no name in a source is longer and still typed).
const MAX_WORD_CHARS: usize = 128;

/// Questions of more words are not tried joined: they are prose, not a name.
const MAX_JOINED_WORDS: usize = 12;
/// Most words of a run that is tried joined.
const MAX_RUN: usize = 5;

/// What a word of a question is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Names what is asked for.
    Content,
    /// Names a relation between what is asked for.
    Verb,
    /// One or two letters: counts only as an exact name.
    Short,
}

/// One word of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// As the question writes it.
    pub(crate) written: String,
    /// Folded.
    pub(crate) text: String,
    /// The folded parts of a compound; empty for a simple word.
    pub(crate) parts: Vec<String>,
    /// What it is good for.
    pub(crate) role: Role,
}

/// A question, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// The words that are searched for.
    pub(crate) words: Vec<Word>,
    /// Pieces that look like a path or a qualified name, as written: `src/a.ts`, `Store.get`, `a.ts::f`.
    pub(crate) mentions: Vec<String>,
    /// Contexts of edges that the question hints at.
    pub(crate) hints: Vec<Context>,
    /// Whether every word was a stop word, so that none was removed.
    pub(crate) unfiltered: bool,
    /// Whether the question is about tests, so that test code is not to be demoted.
    pub(crate) about_tests: bool,
}

const VERBS: &[&str] = &[
    "call",
    "called",
    "caller",
    "callers",
    "calling",
    "calls",
    "invocation",
    "invocations",
    "invoke",
    "invoked",
    "invoker",
    "invokes",
    "invoking",
    "use",
    "used",
    "uses",
    "using",
    "import",
    "imported",
    "importer",
    "importers",
    "importing",
    "imports",
    "export",
    "exported",
    "exporting",
    "exports",
    "extend",
    "extended",
    "extending",
    "extends",
    "implement",
    "implemented",
    "implementing",
    "implements",
    "depend",
    "dependent",
    "dependents",
    "depending",
    "depends",
    "reference",
    "referenced",
    "references",
    "referencing",
];

const TEST_WORDS: &[&str] = &[
    "fixture", "fixtures", "mock", "mocks", "spec", "specs", "test", "tested", "testing", "tests",
];

/// The context that a folded word of a question hints at.
fn hinted_context(word: &str) -> Option<Context> {
    Some(match word {
        "call" | "calls" | "called" | "caller" | "callers" | "invoke" | "invokes" | "invoked" => {
            Context::CALL
        }
        "import" | "imports" | "imported" | "module" | "modules" => Context::IMPORT,
        "field" | "fields" | "member" | "members" | "property" | "properties" => Context::FIELD,
        "parameter" | "parameters" | "param" | "params" | "argument" | "arguments" => {
            Context::PARAMETER_TYPE
        }
        "return" | "returns" | "returned" => Context::RETURN_TYPE,
        "generic" | "generics" | "template" | "templates" => Context::GENERIC_ARG,
        _ => return None,
    })
}

/// The name of a context that a value of `--context` stands for: aliases are resolved, other text is folded.
pub fn context_name(value: &str) -> String {
    let folded = fold(value.trim());
    let name = match folded.as_str() {
        "param" | "params" | "parameter" | "parameters" | "argument" | "arguments" | "arg"
        | "args" => "parameter_type",
        "return" | "returns" | "returned" => "return_type",
        "generic" | "generics" | "template" | "templates" => "generic_arg",
        // Languages call the same thing annotation, attribute or decorator; the store has one name for it.
        "annotation" | "annotations" | "attribute" | "attributes" | "decorators" => "decorator",
        "calls" | "called" | "invoke" | "invocation" => "call",
        "fields" | "property" | "properties" | "member" | "members" => "field",
        "imports" | "imported" | "module" | "modules" => "import",
        "exports" | "exported" => "export",
        other => other,
    };
    name.to_string()
}

impl Question {
    /// Takes a question apart.
    pub(crate) fn parse(text: &str) -> Self {
        let mut question = Self::default();
        let runs = word_runs(text);
        question.about_tests = runs.iter().any(|r| TEST_WORDS.contains(&fold(r).as_str()));
        for run in &runs {
            if let Some(context) = hinted_context(&fold(run))
                && !question.hints.contains(&context)
            {
                question.hints.push(context);
            }
        }
        question.mentions = mentions(text);
        question.words = collect(&runs, true);
        if question.words.is_empty() {
            question.words = collect(&runs, false);
            question.unfiltered = !question.words.is_empty();
        }
        if question.words.iter().all(|w| w.role == Role::Verb) {
            question
                .words
                .iter_mut()
                .for_each(|w| w.role = Role::Content);
        }
        question
    }

    /// A question of given words that are taken as they are: no stop words, no verbs.
    pub(crate) fn of_terms(terms: &[String]) -> Self {
        let mut words = collect(terms, false);
        words
            .iter_mut()
            .filter(|w| w.role == Role::Verb)
            .for_each(|w| w.role = Role::Content);
        Self {
            words,
            ..Self::default()
        }
    }

    /// Runs of neighbouring words joined as a compound name may be written, with the share of the words in each run.
    pub(crate) fn joined(&self) -> Vec<(String, f64)> {
        let contents: Vec<&str> = self
            .words
            .iter()
            .filter(|w| w.role != Role::Verb)
            .map(|w| w.text.as_str())
            .collect();
        let all: Vec<&str> = self.words.iter().map(|w| w.text.as_str()).collect();
        let mut forms: Vec<(String, f64)> = Vec::new();
        for words in [&all, &contents] {
            if words.len() > MAX_JOINED_WORDS {
                continue;
            }
            for size in (2..=words.len().min(MAX_RUN)).rev() {
                let share = size as f64 / contents.len().max(size) as f64;
                for run in words.windows(size) {
                    forms.extend(join_forms(run).into_iter().map(|form| (form, share)));
                }
            }
        }
        let mut seen = rustc_hash::FxHashSet::default();
        forms.retain(|(form, _)| seen.insert(form.clone()));
        forms
    }
}

/// Words joined to one name in every common style, the plain concatenation first; nothing for fewer than two words.
pub(crate) fn join_forms(words: &[&str]) -> Vec<String> {
    if words.len() < 2 {
        return Vec::new();
    }
    ["", "_", "-", ".", " "]
        .iter()
        .map(|joint| words.join(joint))
        .collect()
}

fn collect(runs: &[String], filter: bool) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for run in runs {
        let word = word_of(run);
        let wanted = !filter || !(is_stop_word(&word.text) || only_particles(run));
        if wanted && !word.text.is_empty() && !words.iter().any(|w| w.text == word.text) {
            words.push(word);
        }
        if words.len() == MAX_WORDS {
            break;
        }
    }
    words
}

fn word_of(run: &str) -> Word {
    let text = fold(run);
    let parts = if text.chars().any(is_cjk) {
        cjk_parts(&text)
    } else {
        sub_words(run)
    };
    let parts: Vec<String> = parts.into_iter().filter(|p| *p != text).collect();
    let letters = text.chars().count();
    let short = letters < 3 && text.chars().all(|c| c.is_ascii_alphabetic());
    let role = if short {
        Role::Short
    } else if VERBS.contains(&text.as_str()) {
        Role::Verb
    } else {
        Role::Content
    };
    let parts = if parts.len() > 1 || text.chars().any(is_cjk) {
        parts
    } else {
        Vec::new()
    };
    Word {
        written: run.to_string(),
        text,
        parts,
        role,
    }
}

fn only_particles(run: &str) -> bool {
    run.chars().all(is_cjk) && split_chinese(run).is_empty()
}

/// Bigrams of the runs of ideographs and syllables, other letters as words of their own.
fn cjk_parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut push = |part: String| {
        if !parts.contains(&part) {
            parts.push(part);
        }
    };
    for run in runs_by(text, is_cjk) {
        if !run.starts_with(is_cjk) {
            push(run.to_string());
            continue;
        }
        for piece in split_chinese(run) {
            let chars: Vec<char> = piece.chars().collect();
            if chars.len() < 2 {
                push(piece.to_string());
            }
            chars
                .windows(2)
                .for_each(|pair| push(pair.iter().collect()));
        }
    }
    parts
}

/// Splits a text where the answer of `class` changes.
fn runs_by(text: &str, class: impl Fn(char) -> bool) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut last = None;
    for (i, c) in text.char_indices() {
        let this = class(c);
        if last.is_some_and(|l| l != this) {
            cuts.push(i);
        }
        last = Some(this);
    }
    cuts.push(text.len());
    let pairs = cuts.windows(2);
    let runs = pairs.filter_map(|w| text.get(*w.first()?..*w.last()?));
    runs.filter(|run| !run.is_empty()).collect()
}

/// Whether a character is written without spaces between words: ideographs, kana, Hangul.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0x1100..=0x11FF
        | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || unicode_normalization::char::is_combining_mark(c)
}

/// The runs of word characters. A one-letter run behind an apostrophe (`user's`) is no word.
fn word_runs(text: &str) -> Vec<String> {
    let mut runs = Vec::new();
    let mut run = String::new();
    let mut before = ' ';
    let mut genitive = false;
    for c in text.chars().chain(std::iter::once(' ')) {
        if is_word_char(c) {
            if run.is_empty() {
                genitive = matches!(before, '\'' | '\u{2019}') && !runs.is_empty();
            }
            if run.chars().count() < MAX_WORD_CHARS {
                run.push(c);
            }
        } else if !run.is_empty() {
            let word = std::mem::take(&mut run);
            let dropped =
                genitive && matches!(word.as_str(), "s" | "S" | "t" | "re" | "ve" | "ll" | "d");
            if !dropped && word.chars().any(char::is_alphanumeric) {
                runs.push(word);
            }
        }
        before = c;
    }
    runs
}

/// Pieces between white space that look like a path or a qualified name.
fn mentions(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for piece in text.split_whitespace().take(MAX_WORDS) {
        let outer = |c: char| {
            matches!(
                c,
                '"' | '\'' | '`' | ',' | ';' | '?' | '!' | '<' | '>' | '[' | ']' | '{' | '}'
            )
        };
        let piece = piece.trim_matches(outer).trim_end_matches(['.', ':']);
        let inner = piece.char_indices().any(|(i, c)| {
            let joint = matches!(c, '/' | '.' | '#')
                || (c == ':' && piece.get(i..).is_some_and(|r| r.starts_with("::")));
            joint && i > 0 && i + c.len_utf8() < piece.len()
        });
        if inner && piece.chars().any(char::is_alphabetic) && !found.iter().any(|f| f == piece) {
            found.push(piece.to_string());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn texts(question: &str) -> Vec<String> {
        Question::parse(question)
            .words
            .into_iter()
            .map(|w| w.text)
            .collect()
    }

    #[test]
    fn words_of_the_reference_s_examples() {
        assert_eq!(
            texts("How does FooBarService.getUser() call parse_error in v2?"),
            ["foobarservice", "getuser", "call", "parse_error", "v2"]
        );
        assert_eq!(texts("wie funktioniert die Anmeldung"), ["anmeldung"]);
        assert_eq!(
            texts("who imports module x, and returns?"),
            ["imports", "module", "x", "returns"]
        );
        assert_eq!(texts("the user's e-mail"), ["user", "mail"]);
        assert_eq!(texts("what calls distill?"), ["calls", "distill"]);
        assert_eq!(texts("distill()"), ["distill"]);
    }

    #[test]
    fn a_question_of_stop_words_alone_keeps_them() {
        let question = Question::parse("how does it work");
        assert!(question.unfiltered);
        let words: Vec<&str> = question.words.iter().map(|w| w.text.as_str()).collect();
        assert_eq!(words, ["how", "does", "it", "work"]);
        assert!(!Question::parse("how does parse work").unfiltered);
        assert!(!Question::parse("  ?! ").unfiltered);
    }

    #[test]
    fn compounds_are_kept_whole_and_split() {
        let question = Question::parse("HTTPServerPool parse_error getUser2");
        let parts: Vec<Vec<String>> = question.words.into_iter().map(|w| w.parts).collect();
        assert_eq!(
            parts,
            [
                vec!["http", "server", "pool"],
                vec!["parse", "error"],
                vec!["get", "user2"]
            ]
        );
        assert!(
            Question::parse("parser")
                .words
                .iter()
                .all(|w| w.parts.is_empty())
        );
    }

    #[test]
    fn diacritics_and_case_fold_to_one_word() {
        assert_eq!(texts("Größe GRÖSSE größe"), ["große", "grosse"]);
        assert_eq!(texts("Cafe\u{301} café"), ["cafe"]);
        assert_eq!(texts("обработчик платежей"), ["обработчик", "платежеи"]);
    }

    #[test]
    fn chinese_is_whole_and_in_bigrams_without_its_particles() {
        let question = Question::parse("用户认证 的 API");
        let words: Vec<&str> = question.words.iter().map(|w| w.text.as_str()).collect();
        assert_eq!(words, ["用户认证", "api"]);
        assert_eq!(
            question.words.first().unwrap().parts,
            ["用户", "户认", "认证"]
        );
        let question = Question::parse("订单缓存在哪里?");
        assert_eq!(
            question.words.first().unwrap().parts,
            ["订单", "单缓", "缓存"]
        );
        assert_eq!(texts("什么是缓存"), ["什么是缓存"]);
        assert!(Question::parse("什么").unfiltered);
    }

    #[test]
    fn roles_short_words_and_verbs() {
        let roles = |q: &str| {
            Question::parse(q)
                .words
                .into_iter()
                .map(|w| w.role)
                .collect::<Vec<_>>()
        };
        assert_eq!(roles("db"), [Role::Short]);
        assert_eq!(roles("what calls buildLedger"), [Role::Verb, Role::Content]);
        assert_eq!(roles("callers"), [Role::Content]);
        assert_eq!(roles("v2 的 user"), [Role::Content, Role::Content]);
    }

    #[test]
    fn hints_and_mentions() {
        let question =
            Question::parse("who calls Store.get in src/core/money.ts, and what fields?");
        assert_eq!(question.hints, [Context::CALL, Context::FIELD]);
        assert_eq!(question.mentions, ["Store.get", "src/core/money.ts"]);
        assert!(Question::parse("e.g. this. or that...").mentions.len() <= 1);
        assert!(Question::parse("which tests cover it").about_tests);
        assert_eq!(context_name("Params"), "parameter_type");
        assert_eq!(context_name("annotation"), "decorator");
        assert_eq!(context_name("jsx"), "jsx");
    }

    #[test]
    fn odd_input_is_bounded() {
        let long = "x".repeat(100_000);
        assert!(
            texts(&long)
                .iter()
                .all(|w| w.chars().count() <= MAX_WORD_CHARS)
        );
        let many: String = (0..10_000).map(|i| format!("word{i} ")).collect();
        assert_eq!(texts(&many).len(), MAX_WORDS);
        assert!(texts("\u{0}\u{1} ... \u{301}").is_empty());
    }

    #[test]
    fn joined_forms() {
        let question = Question::parse("order line item");
        assert_eq!(
            question.joined().first(),
            Some(&("orderlineitem".to_string(), 1.0))
        );
        assert!(
            question
                .joined()
                .contains(&("line_item".to_string(), 2.0 / 3.0))
        );
        let verb = Question::parse("where is the order line implemented");
        assert!(verb.joined().contains(&("orderline".to_string(), 1.0)));
        let prose: Vec<String> = (0..20).map(|i| format!("word{i}")).collect();
        assert!(Question::parse(&prose.join(" ")).joined().is_empty());
        assert!(Question::parse("order").joined().is_empty());
    }
}

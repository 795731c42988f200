//! Any bytes as a source file of any language: a unit that keeps its own rules, and linking that survives it.

#![no_main]

use graphify::extract::{ExtractOptions, extract};
use graphify::link::{Project, link};
use graphify::model::label::Language;
use graphify::source::text::{Decoded, decode};
use libfuzzer_sys::fuzz_target;

const LANGUAGES: &[(Language, &str)] = &[
    (Language::TYPESCRIPT, "ts"),
    (Language::TSX, "tsx"),
    (Language::JAVASCRIPT, "js"),
    (Language::JAVA, "java"),
    (Language::CSHARP, "cs"),
    (Language::KOTLIN, "kt"),
    (Language::PHP, "php"),
    (Language::RUBY, "rb"),
    (Language::SWIFT, "swift"),
    (Language::GO, "go"),
    (Language::PYTHON, "py"),
    (Language::RUST, "rs"),
    (Language::C, "c"),
    (Language::C, "h"),
    (Language::CPP, "cpp"),
];

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let (language, ending) = LANGUAGES[usize::from(*first) % LANGUAGES.len()];
    let Decoded::Text(text) = decode(rest.to_vec()) else {
        return;
    };
    let key = format!("src/a.{ending}");
    let options = ExtractOptions::default();
    let unit = extract(&key, language, text.text.as_bytes(), &options);
    let again = extract(&key, language, text.text.as_bytes(), &options);
    assert_eq!(unit.keys(), again.keys());
    let size = u32::try_from(text.text.len()).unwrap();
    for (place, node) in unit.nodes().iter().enumerate() {
        assert!(
            place == 0 || node.parent.index() < place,
            "a parent stands behind its child"
        );
        assert!(node.span.start_line <= node.span.end_line);
        assert!(node.span.start_byte <= node.span.end_byte && node.span.end_byte <= size);
    }
    let mut units = [unit];
    link(&mut units, &Project::new([], [key]));
    let count = units[0].nodes().len();
    for edge in units[0].edges() {
        assert!(edge.source.index() < count);
    }
});

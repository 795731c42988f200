//! The vocabulary as text.
//!
//! Where it sits: the renderer of `vocab`: a word and its frequency a line, or, for a question, a line for each of its words.

use std::fmt::Write;

use crate::answer::VocabAnswer;
use crate::render::safe;

/// The answer as text.
pub fn vocab(answer: &VocabAnswer) -> String {
    let mut out = String::new();
    if answer.questions.is_empty() {
        for word in &answer.words {
            let _ = writeln!(out, "{} {}", safe::field(&word.word), word.frequency);
        }
        return out;
    }
    for question in &answer.questions {
        let near: Vec<String> = question
            .near
            .iter()
            .map(|w| format!("{} {} ({})", safe::field(&w.word), w.frequency, w.why))
            .collect();
        let near = if near.is_empty() {
            "none".to_string()
        } else {
            near.join(", ")
        };
        let _ = writeln!(out, "{}: {near}", safe::field(&question.asked));
    }
    out
}

/// The words alone, one a line: what `.vocab.txt` holds.
pub fn list(answer: &VocabAnswer) -> String {
    answer
        .words
        .iter()
        .map(|w| format!("{}\n", safe::field(&w.word)))
        .collect()
}

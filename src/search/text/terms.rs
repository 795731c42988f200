//! The words of a question as stems, with what the index knows of each.
//!
//! Where it sits: the first step of [`super`]. Invariant: a question has at most 64 stems, so that a set of them is a `u64`.

use crate::error::Result;
use crate::model::text::for_each_stem;
use crate::search::query::{Question, Role};
use crate::search::text::params::{MAX_STEMS, VERB};
use crate::segment::text::TextKind;
use crate::snapshot::{Snapshot, TextTerm};

/// One stem.
#[derive(Clone, Debug)]
pub(crate) struct Stem {
    pub(crate) text: String,
    /// How often the question has it; less for verbs.
    pub(crate) weight: f32,
    pub(crate) term: TextTerm,
    /// IDF among nodes and among files, not weighted.
    pub(crate) node_idf: f32,
    pub(crate) file_idf: f32,
    /// Whether it is merely a verb that stands beside better words.
    pub(crate) verb: bool,
}

/// A question for texts.
#[derive(Clone, Debug, Default)]
pub struct TextQuery {
    pub(crate) stems: Vec<Stem>,
}

impl TextQuery {
    /// The stems of words or whole sentences, each with a weight.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for a damaged dictionary.
    pub fn new<'a>(
        snapshot: &Snapshot,
        texts: impl IntoIterator<Item = (&'a str, f32)>,
    ) -> Result<Self> {
        let weighed = texts
            .into_iter()
            .map(|(text, weight)| (text, weight, false));
        Self::gather(snapshot, weighed)
    }

    /// The stems of a question's words.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for a damaged dictionary.
    pub(crate) fn of_question(snapshot: &Snapshot, question: &Question) -> Result<Self> {
        let words = question.words.iter().map(|word| {
            let verb = word.role == Role::Verb;
            (word.written.as_str(), if verb { VERB } else { 1.0 }, verb)
        });
        Self::gather(snapshot, words)
    }

    fn gather<'a>(
        snapshot: &Snapshot,
        texts: impl IntoIterator<Item = (&'a str, f32, bool)>,
    ) -> Result<Self> {
        let mut stems: Vec<(String, f32, bool)> = Vec::new();
        for (text, weight, verb) in texts {
            for_each_stem(text, &mut |stem| {
                if let Some(known) = stems.iter_mut().find(|(known, _, _)| known == stem) {
                    known.1 += weight;
                    known.2 &= verb;
                } else if stems.len() < MAX_STEMS {
                    stems.push((stem.to_string(), weight, verb));
                }
            });
        }
        let (nodes, _) = snapshot.text_totals(TextKind::Nodes);
        let (files, _) = snapshot.text_totals(TextKind::Files);
        let mut query = Self::default();
        for (text, weight, verb) in stems {
            let term = snapshot.text_term(&text)?;
            let of_nodes = snapshot.text_frequency(&term, TextKind::Nodes);
            let of_files = snapshot.text_frequency(&term, TextKind::Files);
            query.stems.push(Stem {
                text,
                weight,
                term,
                node_idf: idf(nodes, of_nodes),
                file_idf: idf(files, of_files),
                verb,
            });
        }
        Ok(query)
    }

    /// Whether some text holds a word.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for a damaged dictionary.
    pub fn knows(snapshot: &Snapshot, word: &str) -> Result<bool> {
        let query = Self::new(snapshot, [(word, 1.0)])?;
        let mut found = !query.is_empty();
        for stem in &query.stems {
            found &= snapshot.text_frequency(&stem.term, TextKind::Files) > 0;
        }
        Ok(found)
    }

    /// Whether there is nothing to search for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }
}

/// The weight of a word that `frequency` of `total` documents hold.
pub(crate) fn idf(total: u64, frequency: u64) -> f32 {
    let (total, frequency) = (total as f64, frequency as f64);
    (1.0 + ((total - frequency).max(0.0) + 0.5) / (frequency + 0.5)).ln() as f32
}

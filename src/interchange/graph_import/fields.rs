//! The fields of a node and of a link that mean something to the graph.
//!
//! Where it sits: under [`super`]; everything else in an element is skipped here and kept elsewhere. Invariant: a field of an
//! unexpected type is taken for one that is absent; only ends and ids must be texts or numbers.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::model::edge::Confidence;

/// A text, a number, or neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Scalar<'a> {
    /// Absent or null.
    #[default]
    Absent,
    /// A text, or a number as it prints.
    Text(Cow<'a, str>),
    /// `true` or `false`.
    Flag(bool),
    /// A list or an object.
    Other,
}

impl Scalar<'_> {
    /// The text, if it is one and not empty.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    fn is_true(&self) -> bool {
        matches!(self, Self::Flag(true))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(number.to_string())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(number.to_string())))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Flag(flag))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Absent)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

/// A node.
#[derive(Debug, Deserialize)]
#[serde(default)]
#[derive(Default)]
pub(super) struct NodeFields<'a> {
    #[serde(borrow)]
    pub(super) id: Scalar<'a>,
    label: Scalar<'a>,
    pub(super) source_file: Scalar<'a>,
    source_location: Scalar<'a>,
    end_line: Scalar<'a>,
    file_type: Scalar<'a>,
    kind: Scalar<'a>,
    #[serde(rename = "type")]
    special: Scalar<'a>,
    signature: Scalar<'a>,
    rationale: Scalar<'a>,
    description: Scalar<'a>,
    community: Scalar<'a>,
    community_name: Scalar<'a>,
    #[serde(rename = "_callable_class")]
    callable_class: Scalar<'a>,
    test: Scalar<'a>,
}

impl NodeFields<'_> {
    /// How answers print it: the label, else the id.
    pub(super) fn label(&self) -> &str {
        self.label.text().or(self.id.text()).unwrap_or_default()
    }

    /// What it is called to be, in the words of whoever wrote the file.
    pub(super) fn kind_name(&self) -> Option<&str> {
        let class = self.callable_class.is_true().then_some("class");
        let file_type = self.file_type.text().filter(|t| *t != "code");
        self.kind
            .text()
            .or(self.special.text())
            .or(class)
            .or(file_type)
    }

    pub(super) fn community(&self) -> String {
        let community = self.community_name.text().or(self.community.text());
        community.unwrap_or_default().to_string()
    }

    pub(super) fn signature(&self) -> &str {
        self.signature.text().unwrap_or_default()
    }

    pub(super) fn doc(&self) -> &str {
        self.rationale
            .text()
            .or(self.description.text())
            .unwrap_or_default()
    }

    pub(super) fn is_test(&self) -> bool {
        self.test.is_true()
    }

    /// The first line, 0 where there is none.
    pub(super) fn line(&self) -> u32 {
        lines(self.source_location.text()).0
    }

    /// The last line; the first one where none is said.
    pub(super) fn last_line(&self, first: u32) -> u32 {
        let said = self.end_line.text().and_then(|t| t.parse().ok());
        let last = said.unwrap_or_else(|| lines(self.source_location.text()).1);
        last.max(first)
    }

    /// Whether it may stand for the whole of its file.
    pub(super) fn may_be_file(&self, file: &str) -> bool {
        if self.kind.text() == Some("file") {
            return true;
        }
        let label = self.label();
        let named = label == file
            || file
                .strip_suffix(label)
                .is_some_and(|before| before.ends_with('/'));
        self.kind.text().is_none() && !label.is_empty() && named && self.line() <= 1
    }
}

/// A link.
#[derive(Debug, Deserialize)]
#[serde(default)]
#[derive(Default)]
pub(super) struct LinkFields<'a> {
    #[serde(borrow)]
    pub(super) source: Scalar<'a>,
    pub(super) target: Scalar<'a>,
    #[serde(rename = "_src")]
    true_source: Scalar<'a>,
    #[serde(rename = "_tgt")]
    true_target: Scalar<'a>,
    relation: Scalar<'a>,
    confidence: Scalar<'a>,
    context: Scalar<'a>,
    source_location: Scalar<'a>,
}

impl LinkFields<'_> {
    /// Source and target. Where the file was written without directions the true ends stand apart; they count when they are
    /// the same two nodes.
    pub(super) fn ends(&self) -> Option<(&str, &str)> {
        let (source, target) = (self.source.text()?, self.target.text()?);
        match (self.true_source.text(), self.true_target.text()) {
            (Some(s), Some(t)) if s == target && t == source => Some((s, t)),
            _ => Some((source, target)),
        }
    }

    pub(super) fn relation(&self) -> &str {
        self.relation.text().unwrap_or("related")
    }

    pub(super) fn context(&self) -> &str {
        self.context.text().unwrap_or_default()
    }

    /// What is not said counts as stated; a word that is not known as inferred.
    pub(super) fn confidence(&self) -> Confidence {
        match self.confidence.text() {
            None => Confidence::Extracted,
            Some(word) if word.eq_ignore_ascii_case("extracted") => Confidence::Extracted,
            Some(word) if word.eq_ignore_ascii_case("ambiguous") => Confidence::Ambiguous,
            Some(word) if word.eq_ignore_ascii_case("unresolved") => Confidence::Unresolved,
            Some(_) => Confidence::Inferred,
        }
    }

    pub(super) fn line(&self) -> u32 {
        lines(self.source_location.text()).0
    }
}

/// `L12`, `L12-L40`, `L12-40` or `12`: first and last line.
fn lines(location: Option<&str>) -> (u32, u32) {
    let number = |t: &str| t.trim().trim_start_matches(['L', 'l']).parse::<u32>().ok();
    let Some(text) = location else { return (0, 0) };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first = number(first).unwrap_or(0);
    (first, number(last).unwrap_or(first))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn fields_of_every_type_are_read_or_passed_over() {
        let json = r#"{"id":7,"label":["x"],"source_location":"L3-L9","community":2,"x":{"y":[1]},"kind":null}"#;
        let node: NodeFields<'_> = serde_json::from_str(json).unwrap();
        assert_eq!((node.id.text(), node.label()), (Some("7"), "7"));
        assert_eq!((node.line(), node.last_line(3)), (3, 9));
        assert_eq!(node.community(), "2");
        let json = r#"{"source":"a","target":"b","_src":"b","_tgt":"a","confidence":"guess"}"#;
        let link: LinkFields<'_> = serde_json::from_str(json).unwrap();
        assert_eq!(link.ends(), Some(("b", "a")));
        assert_eq!(link.confidence(), Confidence::Inferred);
        let json = r#"{"source":"a","target":"b","_src":"c","_tgt":"a"}"#;
        let link: LinkFields<'_> = serde_json::from_str(json).unwrap();
        assert_eq!(link.ends(), Some(("a", "b")));
    }
}

//! Searches over names against brute force.

use proptest::prelude::*;

use super::model::{base_bytes, open};
use crate::error::ErrorKind;
use crate::ids::TermOrd;
use crate::model::label::{Language, NodeKind};
use crate::model::unit::{NewNode, Unit};
use crate::segment::Segment;
use crate::segment::fold::fold;

fn segment_of(names: &[String]) -> Segment {
    let mut unit = Unit::new("f", Language::NONE);
    for name in names {
        unit.add(NewNode::new(name, NodeKind::FIELD)).unwrap();
    }
    let segment = open(&base_bytes(&[unit]).0);
    assert_eq!(segment.verify(), []);
    segment
}

fn texts(segment: &Segment, terms: Vec<TermOrd>) -> Vec<String> {
    terms
        .into_iter()
        .map(|t| segment.term_text(t).into_owned())
        .collect()
}

fn all(segment: &Segment) -> Vec<String> {
    texts(segment, (0..segment.term_count()).map(TermOrd).collect())
}

fn levenshtein(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let alphabet =
        proptest::sample::select(vec!['a', 'b', 'A', 'B', '_', 'ö', 'Ö', '用', 'ß', '1']);
    let name = proptest::collection::vec(alphabet, 0..9).prop_map(|c| c.into_iter().collect());
    proptest::collection::vec(name, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn searches_find_what_brute_force_finds(names in names(), query in "[abö用ß_1]{0,5}", distance in 0u32..3) {
        let segment = segment_of(&names);
        let query = fold(&query).into_owned();
        let every = all(&segment);
        prop_assert!(every.is_sorted());
        let keep = |wanted: &dyn Fn(&str) -> bool| -> Vec<String> {
            every.iter().filter(|t| wanted(t)).cloned().collect()
        };
        let found = segment.terms_containing(&query, None).unwrap();
        prop_assert_eq!(texts(&segment, found.clone()), keep(&|t| t.contains(&query)));
        prop_assert_eq!(&segment.terms_containing(&query, Some(2)).unwrap()[..], &found[..found.len().min(2)]);
        let found = segment.terms_with_prefix(&query, 1000).unwrap();
        prop_assert_eq!(texts(&segment, found), keep(&|t| t.starts_with(&query)));
        let found = segment.terms_near(&query, distance, 1000).unwrap();
        let expected = keep(&|t| levenshtein(t, &query) <= distance as usize);
        prop_assert_eq!(texts(&segment, found), expected);
    }
}

#[test]
fn limits_cut_the_list_in_name_order() {
    let names: Vec<String> = (0..20).map(|i| format!("name{i:02}")).collect();
    let segment = segment_of(&names);
    let found = segment.terms_with_prefix("name", 3).unwrap();
    assert_eq!(texts(&segment, found), ["name00", "name01", "name02"]);
    assert_eq!(segment.terms_with_prefix("name", 0).unwrap(), []);
    assert_eq!(segment.terms_near("name05", 1, 2).unwrap().len(), 2);
    let words = segment.words_with_prefix("nam", 2).unwrap();
    assert_eq!(words.len(), 2);
    assert_eq!(words[0].0, "name");
    assert_eq!(segment.word_df(words[0].1), 20);
    assert_eq!(segment.words_with_prefix("nam", 0).unwrap(), []);
}

#[test]
fn fuzzy_searches_that_would_not_end_are_refused() {
    let segment = segment_of(&["abc".to_string()]);
    let far = segment.terms_near("abc", 4, 10);
    assert_eq!(far.unwrap_err().kind(), ErrorKind::Invalid);
    let long = segment.terms_near(&"x".repeat(100_000), 2, 10);
    assert_eq!(long.unwrap_err().kind(), ErrorKind::Invalid);
}

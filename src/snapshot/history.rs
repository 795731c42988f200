//! What past commits said: a file of its own beside the segments.
//!
//! Where it sits: written by `index` from git's log, read by `search` when a question is ranked. It is evidence, not truth:
//! an index without it answers, a damaged one is taken for none (and named by verification). Invariants: names files by
//! their keys, so that it fits any commit of the index; written whole and renamed into place; no stored number is trusted.
//!
//! ```text
//! header    magic 89 47 48 59 0d 0a 1a 0a; u16 major, u16 minor; u32 CRC of all that follows
//! content   text: the git commit that it begins with
//!           varint files, for each: text
//!           varint commits, newest first, for each: varint words of its message, varint files, for each: varint file
//!           varint words, ascending, for each: text (a stem), varint length of its list in bytes,
//!           list: for each commit with it: varint distance to the one before, less one, varint times
//! text      varint length, bytes
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::model::text::for_each_stem;
use crate::model::varint::{get_varint, put_varint};
use crate::storage::checksum::crc32;

/// Name of the file in the folder of an index.
const FILE_NAME: &str = "history";
const MAGIC: [u8; 8] = *b"\x89GHY\r\n\x1a\n";
const MAJOR: u16 = 1;
const MINOR: u16 = 0;
const HEADER: usize = 16;
/// A larger file is none.
pub(crate) const MAX_LEN: u64 = 64 << 20;

/// Where it stands in the folder of an index.
pub(crate) fn path(dir: &Path) -> PathBuf {
    dir.join(FILE_NAME)
}

/// The stored form of commits (message, files), newest first, up to the git commit `head`.
pub(crate) fn encode<'a>(
    head: &str,
    commits: impl IntoIterator<Item = (&'a str, &'a [String])>,
) -> Vec<u8> {
    let commits: Vec<(&str, &[String])> = commits.into_iter().collect();
    let mut files: BTreeMap<&str, u64> = commits
        .iter()
        .flat_map(|(_, files)| files.iter().map(|f| (f.as_str(), 0)))
        .collect();
    files
        .values_mut()
        .zip(0..)
        .for_each(|(slot, number)| *slot = number);
    let mut words: BTreeMap<String, (Vec<u8>, u64)> = BTreeMap::new();
    let mut lengths = Vec::with_capacity(commits.len());
    for (at, (message, _)) in (0u64..).zip(&commits) {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for_each_stem(message, &mut |stem| {
            *counts.entry(stem.to_string()).or_insert(0) += 1;
        });
        lengths.push(counts.values().sum::<u64>());
        for (word, count) in counts {
            let (list, next) = words.entry(word).or_default();
            put_varint(list, at - *next);
            put_varint(list, count);
            *next = at + 1;
        }
    }
    let mut body = Vec::new();
    let text = |body: &mut Vec<u8>, text: &str| {
        put_varint(body, text.len() as u64);
        body.extend_from_slice(text.as_bytes());
    };
    text(&mut body, head);
    put_varint(&mut body, files.len() as u64);
    files.keys().for_each(|key| text(&mut body, key));
    put_varint(&mut body, commits.len() as u64);
    for ((_, own), length) in commits.iter().zip(lengths) {
        put_varint(&mut body, length);
        put_varint(&mut body, own.len() as u64);
        for file in own.iter() {
            put_varint(
                &mut body,
                files.get(file.as_str()).copied().unwrap_or_default(),
            );
        }
    }
    put_varint(&mut body, words.len() as u64);
    for (word, (list, _)) in words {
        text(&mut body, &word);
        put_varint(&mut body, list.len() as u64);
        body.extend_from_slice(&list);
    }
    let mut out = Vec::with_capacity(HEADER + body.len());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&MAJOR.to_le_bytes());
    out.extend_from_slice(&MINOR.to_le_bytes());
    out.extend_from_slice(&crc32(&body).to_le_bytes());
    out.extend_from_slice(&body);
    out
}

/// One commit.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Words of its message.
    length: u32,
    /// Where its files stand.
    files: usize,
}

/// Past commits, ready to be asked.
#[derive(Debug)]
pub struct History {
    bytes: Vec<u8>,
    head: String,
    /// Where each file's key begins.
    files: Vec<usize>,
    commits: Vec<Entry>,
    /// Where the words begin.
    words: usize,
}

impl History {
    /// Reads the stored form.
    ///
    /// # Errors
    /// [`crate::error::ErrorKind::Corrupt`] for damaged bytes, [`crate::error::ErrorKind::Format`] for another version.
    pub(crate) fn decode(bytes: Vec<u8>) -> Result<Self> {
        let damaged = || Error::corrupt("the record of past commits is damaged");
        let (header, body) = bytes.split_first_chunk::<HEADER>().ok_or_else(damaged)?;
        let [magic @ .., m0, m1, _, _, c0, c1, c2, c3] = header;
        if *magic != MAGIC {
            return Err(damaged());
        }
        if u16::from_le_bytes([*m0, *m1]) != MAJOR {
            return Err(Error::new(
                crate::error::ErrorKind::Format,
                "the record of past commits is of another version",
            ));
        }
        if crc32(body) != u32::from_le_bytes([*c0, *c1, *c2, *c3]) {
            return Err(damaged());
        }
        let mut reader = Reader {
            all: body,
            rest: body,
        };
        let parsed = reader.parse().ok_or_else(damaged)?;
        Ok(Self { bytes, ..parsed })
    }

    /// The git commit that it begins with.
    #[must_use]
    pub fn head(&self) -> &str {
        &self.head
    }

    /// How many commits there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Words of a commit's message.
    #[must_use]
    pub fn length(&self, commit: usize) -> u32 {
        self.commits.get(commit).map_or(0, |c| c.length)
    }

    /// The keys of the files that a commit touched.
    #[must_use]
    pub fn files(&self, commit: usize) -> Vec<&str> {
        let body = self.bytes.get(HEADER..).unwrap_or_default();
        let at = self.commits.get(commit).map_or(body.len(), |c| c.files);
        let mut rest = body.get(at..).unwrap_or_default();
        let count = get_varint(&mut rest).unwrap_or_default();
        let numbers = (0..count).map_while(|_| get_varint(&mut rest));
        let keys = numbers.filter_map(|number| {
            let at = *self.files.get(usize::try_from(number).ok()?)?;
            take_text(&mut body.get(at..)?)
        });
        keys.collect()
    }

    /// For each of these stems the commits whose messages have it, with how often.
    #[must_use]
    pub fn lists(&self, stems: &[&str]) -> Vec<Vec<(usize, u32)>> {
        let mut lists = vec![Vec::new(); stems.len()];
        let body = self.bytes.get(HEADER..).unwrap_or_default();
        let mut rest = body.get(self.words..).unwrap_or_default();
        let count = get_varint(&mut rest).unwrap_or_default();
        for _ in 0..count {
            let Some(word) = take_text(&mut rest) else {
                break;
            };
            let Some(mut list) = take_bytes(&mut rest) else {
                break;
            };
            for (stem, found) in stems.iter().zip(&mut lists) {
                if *stem != word {
                    continue;
                }
                let mut next = 0u64;
                while let Some(commit) = get_varint(&mut list).and_then(|gap| next.checked_add(gap))
                    && let Some(times) = get_varint(&mut list)
                {
                    next = commit + 1;
                    if let (Ok(commit), Ok(times)) = (usize::try_from(commit), u32::try_from(times))
                        && commit < self.commits.len()
                    {
                        found.push((commit, times));
                    }
                }
            }
        }
        lists
    }
}

fn take_bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = usize::try_from(get_varint(rest)?).ok()?;
    let (bytes, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some(bytes)
}

fn take_text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(take_bytes(rest)?).ok()
}

struct Reader<'a> {
    all: &'a [u8],
    rest: &'a [u8],
}

impl Reader<'_> {
    fn place(&self) -> usize {
        self.all.len() - self.rest.len()
    }

    fn parse(&mut self) -> Option<History> {
        let head = take_text(&mut self.rest)?.to_string();
        let count = get_varint(&mut self.rest)?;
        let mut files = Vec::new();
        for _ in 0..count {
            files.push(self.place());
            take_text(&mut self.rest)?;
        }
        let count = get_varint(&mut self.rest)?;
        let mut commits = Vec::new();
        for _ in 0..count {
            let length = u32::try_from(get_varint(&mut self.rest)?).ok()?;
            commits.push(Entry {
                length,
                files: self.place(),
            });
            for _ in 0..get_varint(&mut self.rest)? {
                get_varint(&mut self.rest)?;
            }
        }
        let words = self.place();
        for _ in 0..get_varint(&mut self.rest)? {
            take_text(&mut self.rest)?;
            take_bytes(&mut self.rest)?;
        }
        self.rest.is_empty().then_some(History {
            bytes: Vec::new(),
            head,
            files,
            commits,
            words,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

    use super::*;

    fn sample() -> Vec<u8> {
        let commits = [
            (
                "fix: parse parsing errors",
                vec!["src/b.ts".to_string(), "src/a.ts".to_string()],
            ),
            ("docs", vec!["README.md".to_string()]),
            ("errors again", vec!["src/a.ts".to_string()]),
        ];
        encode("abc123", commits.iter().map(|(m, f)| (*m, f.as_slice())))
    }

    #[test]
    fn commits_come_back_by_their_words() {
        let history = History::decode(sample()).unwrap();
        assert_eq!(
            (history.head(), history.len(), history.length(0)),
            ("abc123", 3, 4)
        );
        let lists = history.lists(&["pars", "error", "nothing"]);
        assert_eq!(lists, [vec![(0, 2)], vec![(0, 1), (2, 1)], vec![]]);
        assert_eq!(history.files(0), ["src/b.ts", "src/a.ts"]);
        assert_eq!(history.files(1), ["README.md"]);
        assert!(history.files(9).is_empty());
        assert!(History::decode(encode("", [])).unwrap().is_empty());
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = sample();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            // The minor version alone may be any.
            assert!(
                History::decode(damaged).is_err() || (10..12).contains(&at),
                "{at}"
            );
            assert!(History::decode(bytes[..at].to_vec()).is_err());
        }
    }

    #[test]
    fn false_numbers_under_a_valid_checksum_are_survived() {
        let bytes = sample();
        for at in HEADER..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let sum = crc32(&damaged[HEADER..]);
                damaged[12..16].copy_from_slice(&sum.to_le_bytes());
                if let Ok(history) = History::decode(damaged) {
                    let _ = history.lists(&["pars", "error", "doc"]);
                    (0..history.len().min(9)).for_each(|i| drop(history.files(i)));
                }
            }
        }
    }
}

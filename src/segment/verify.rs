//! Verification: every checksum and every cross-reference of a segment.
//!
//! Where it sits: called by `index` for whole stores; reads through the ordinary accessors. Invariants: it never panics
//! and never trusts; a section whose checksum is wrong is reported and not looked into (what it holds is noise), but
//! everything that does not depend on it still is. Between segments (does a tag fit a target in another file) only a
//! snapshot can tell; [`super::OutEdge::tag`] is there for that.

mod graph;
mod lists;
mod tables;
mod texts;

use crate::ids::SegmentId;
use crate::segment::layout::{ALIGNMENT, HEADER_LEN, SectionKind, TRAILER_LEN};
use crate::segment::reader::Segment;
use crate::segment::toc::StatKind;

/// Findings of one kind after which no more are listed: a torn table would give millions.
const MAX_PER_SECTION: usize = 20;

/// One thing that is wrong in a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The segment.
    pub segment: SegmentId,
    /// The section, or the part of the frame (`padding`, `contents`).
    pub section: &'static str,
    /// Where in the file: the byte where the damaged part or the wrong record begins.
    pub offset: u64,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "segment {:016x}, section {} at byte {}: {}",
            self.segment.0, self.section, self.offset, self.message
        )
    }
}

impl Segment {
    /// Compares every byte with its checksum, then checks what the sections say about each other. Empty when all is well.
    pub fn verify(&self) -> Vec<Finding> {
        let mut check = Check {
            segment: self,
            findings: Vec::new(),
            damaged: Vec::new(),
        };
        check.frame();
        check.checksums();
        check.stats();
        check.files();
        check.nodes();
        check.externals();
        check.symbols();
        check.keys();
        check.forward();
        check.backward();
        check.names();
        check.words();
        check.trigrams();
        check.texts();
        check.units();
        check.findings
    }
}

/// A verification under way.
struct Check<'a> {
    segment: &'a Segment,
    findings: Vec<Finding>,
    damaged: Vec<SectionKind>,
}

impl Check<'_> {
    /// Notes something wrong with record number `at` of a section.
    fn wrong(&mut self, kind: SectionKind, at: usize, message: impl Into<String>) {
        let name = kind.name();
        let known = self.findings.iter().filter(|f| f.section == name).count();
        if known > MAX_PER_SECTION {
            return;
        }
        let message = match known {
            MAX_PER_SECTION => "further findings in this section are left out".to_string(),
            _ => message.into(),
        };
        let element = kind.element_size() as u64;
        let offset = self.segment.section_offset(kind) + at as u64 * element;
        self.note(name, offset, message);
    }

    fn note(&mut self, section: &'static str, offset: u64, message: String) {
        self.findings.push(Finding {
            segment: self.segment.id(),
            section,
            offset,
            message,
        });
    }

    /// Whether the bytes of all these sections are what was written.
    fn intact(&self, kinds: &[SectionKind]) -> bool {
        !kinds.iter().any(|kind| self.damaged.contains(kind))
    }

    /// Bytes between sections are zero; sections follow each other as closely as their alignment allows.
    fn frame(&mut self) {
        let segment = self.segment;
        let bytes = segment.bytes();
        let mut gaps = Vec::new();
        let mut position = HEADER_LEN as u64;
        for section in &segment.contents().sections {
            gaps.push((position, section.offset.to_native()));
            position = section.offset.to_native() + section.length.to_native();
        }
        let trailer = segment.trailer();
        gaps.push((position, trailer.toc_offset));
        let toc_end = trailer.toc_offset + u64::from(trailer.toc_len);
        gaps.push((toc_end, trailer.file_len - TRAILER_LEN as u64));
        for (start, end) in gaps {
            let gap = bytes.get(start as usize..end as usize).unwrap_or_default();
            if gap.len() >= ALIGNMENT {
                self.note("padding", start, "bytes belong to no section".to_string());
            }
            if let Some(at) = gap.iter().position(|b| *b != 0) {
                let at = start + at as u64;
                self.note(
                    "padding",
                    at,
                    "a byte between sections is not zero".to_string(),
                );
            }
        }
    }

    fn checksums(&mut self) {
        let segment = self.segment;
        for entry in &segment.contents().sections {
            let kind = SectionKind::from_number(entry.kind.to_native());
            let damage = segment.damage_of(entry);
            if damage.is_empty() {
                continue;
            }
            self.damaged.extend(kind);
            for at in damage {
                let name = kind.map_or("unknown", SectionKind::name);
                self.note(name, at, "the checksum is wrong".to_string());
            }
        }
    }

    fn stats(&mut self) {
        let segment = self.segment;
        let nodes = segment.node_count();
        let externals = nodes.saturating_sub(segment.file_node_count());
        for (kind, actual) in [
            (StatKind::Files, u64::from(segment.file_count())),
            (StatKind::FileNodes, u64::from(segment.file_node_count())),
            (StatKind::Externals, u64::from(externals)),
            (StatKind::Edges, segment.edge_count()),
            (StatKind::Terms, u64::from(segment.term_count())),
            (StatKind::Spellings, u64::from(segment.spelling_count())),
            (StatKind::Words, u64::from(segment.word_count())),
        ] {
            if segment.contents().stat(kind) != Some(actual) {
                let message = format!("the number of {kind:?} is not {actual}");
                self.note("contents", segment.trailer().toc_offset, message);
            }
        }
    }
}

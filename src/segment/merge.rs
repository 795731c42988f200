//! Merging of segments.

use std::io::Write;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, SegmentId};
use crate::segment::reader::Segment;
use crate::segment::tables::SegmentSummary;
use crate::segment::tombstones::Tombstones;

/// A segment with what of it is dead.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The segment.
    pub segment: &'a Segment,
    /// Its dead parts.
    pub dead: &'a Tombstones,
}

/// Deltas into one delta.
///
/// # Errors
/// Damaged inputs, refused output.
pub fn merge_deltas(
    _id: SegmentId,
    _epoch: Epoch,
    _inputs: &[Input<'_>],
    _out: &mut dyn Write,
) -> Result<SegmentSummary> {
    Err(Error::new(ErrorKind::Invalid, "not written yet"))
}

/// Base and deltas into one base.
///
/// # Errors
/// Damaged inputs, refused output.
pub fn compact(
    _id: SegmentId,
    _epoch: Epoch,
    _inputs: &[Input<'_>],
    _out: &mut dyn Write,
) -> Result<SegmentSummary> {
    Err(Error::new(ErrorKind::Invalid, "not written yet"))
}

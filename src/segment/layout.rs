//! The byte layout of a segment: magic, versions, section kinds, records.
//!
//! Where it sits: the vocabulary of [`super::writer`] and [`super::reader`]; imports nothing of the layer. Invariants:
//! every number is little-endian; a record has no implicit padding; a section kind never changes its number or its
//! element; what is added later gets a new kind, which older readers skip.
//!
//! ```text
//! 0        header   64 B
//! 64       sections each 64-byte aligned, zero padded, in ascending order of kind
//! ...      contents an rkyv archive, 64-byte aligned, zero padded to 8
//! end-32   trailer  32 B
//! ```
//!
//! A section of records is the archive of a `Vec` of them: the plain array, then eight bytes (distance back to the
//! array, number of elements). A section of bytes is just these bytes.

use rkyv::bytecheck::CheckBytes;
use rkyv::rend::{u16_le, u32_le, u64_le};
use rkyv::{Archived, Portable};

/// First bytes of a segment: high bit, name, and line ends that text-mode copying would change.
pub const MAGIC: [u8; 8] = *b"\x89GSG\r\n\x1a\n";
/// Last bytes of a segment.
pub const END_MAGIC: [u8; 8] = *b"\x89GSE\r\n\x1a\n";
/// Readers refuse another major version.
pub const FORMAT_MAJOR: u16 = 1;
/// Grows when section kinds are added; readers accept any.
pub const FORMAT_MINOR: u16 = 1;

/// Length of the header.
pub const HEADER_LEN: usize = 64;
/// Length of the trailer.
pub const TRAILER_LEN: usize = 32;
/// Alignment of every section and of the table of contents.
pub const ALIGNMENT: usize = 64;
/// Bytes behind the elements of a section of records.
pub const VEC_ROOT: usize = 8;
/// Largest section of records: the archive's relative pointers reach 2 GiB.
pub const MAX_RECORDS: u64 = i32::MAX as u64;
/// Largest heap that is addressed by 31-bit offsets (the high bit means something else).
pub const MAX_LIST_HEAP: u64 = i32::MAX as u64;

/// Whether a segment is the whole of an index as of its compaction, or a change on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SegmentKind {
    /// Symbols are numbered like its nodes; adjacency is dense.
    Base = 0,
    /// Carries a table of symbol ids; incoming adjacency is sparse.
    Delta = 1,
}

impl SegmentKind {
    /// The kind of a stored byte.
    pub const fn from_u8(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Base),
            1 => Some(Self::Delta),
            _ => None,
        }
    }
}

macro_rules! sections {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal, $element:expr;)+) => {
        /// What a section holds. The number in the file is the enum's value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum SectionKind {
            $($(#[$doc])* $name = $number,)+
        }

        impl SectionKind {
            /// All kinds that this version knows, in the order in which they stand in a file.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The kind of that number, or `None` for one of a later version.
            pub const fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// The name that findings and documents use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }

            /// Size of an element; 1 for sections of plain bytes.
            pub const fn element_size(self) -> usize {
                match self {
                    $(Self::$name => $element,)+
                }
            }
        }
    };
}

sections! {
    /// [`FileRecord`]s in key order.
    Files = 1, "files", size_of::<FileRecord>();
    /// Bytes: the files' keys.
    FileKeys = 2, "file_keys", 1;
    /// [`NodeRecord`]s: nodes of files in file order, then externals in key order.
    Nodes = 3, "nodes", size_of::<NodeRecord>();
    /// `u32` per node: its symbol (deltas).
    NodeSyms = 4, "node_syms", 4;
    /// [`SymRecord`]s sorted by symbol (deltas).
    SymNodes = 5, "sym_nodes", size_of::<SymRecord>();
    /// `u32` per external plus one: where its key starts in `external_keys`.
    ExternalOffsets = 6, "external_offsets", 4;
    /// Bytes: the externals' keys.
    ExternalKeys = 7, "external_keys", 1;
    /// Bytes: signatures and doc texts.
    Text = 8, "text", 1;
    /// `u32` per node of a file plus one: where its outgoing row starts.
    OutOffsets = 16, "out_offsets", 4;
    /// `u32` per edge: the target's symbol.
    OutTargets = 17, "out_targets", 4;
    /// Byte per edge: the relation.
    OutRelations = 18, "out_relations", 1;
    /// [`SiteRecord`] per edge.
    OutSites = 19, "out_sites", size_of::<SiteRecord>();
    /// [`QualifierRecord`]s: the distinct qualifiers of edges, sorted.
    Qualifiers = 20, "qualifiers", size_of::<QualifierRecord>();
    /// `u32`s: the symbols with incoming edges, sorted (deltas).
    InSyms = 24, "in_syms", 4;
    /// `u32` per node (base) or per entry of `in_syms` (delta) plus one: where its incoming row starts.
    InOffsets = 25, "in_offsets", 4;
    /// `u32` per edge: the source's node in this segment.
    InSources = 26, "in_sources", 4;
    /// Byte per edge: the relation.
    InRelations = 27, "in_relations", 1;
    /// `u64` per node: key hashes, sorted.
    KeyHashes = 32, "key_hashes", 8;
    /// `u32` per node: whose hash stands there.
    KeyNodes = 33, "key_nodes", 4;
    /// `u32` per spelling plus one: where it starts in `spellings`.
    SpellingOffsets = 40, "spelling_offsets", 4;
    /// Bytes: exact spellings in order of (folded, exact).
    Spellings = 41, "spellings", 1;
    /// `u32` per term plus one: its first spelling.
    TermSpellings = 42, "term_spellings", 4;
    /// Bytes: fst from folded name to term.
    TermFst = 43, "term_fst", 1;
    /// `u32` per spelling: its list of nodes.
    NodeLists = 44, "node_lists", 4;
    /// Bytes: lists of nodes.
    NodePostings = 45, "node_postings", 1;
    /// Bytes: fst from word to word ordinal.
    WordFst = 48, "word_fst", 1;
    /// [`WordRecord`] per word.
    Words = 49, "words", size_of::<WordRecord>();
    /// Bytes: lists of terms by word.
    WordPostings = 50, "word_postings", 1;
    /// `u32`s: three-byte sequences that occur in terms, sorted.
    TrigramKeys = 52, "trigram_keys", 4;
    /// `u32` per trigram: its list of terms.
    TrigramLists = 53, "trigram_lists", 4;
    /// Bytes: lists of terms by trigram.
    TrigramPostings = 54, "trigram_postings", 1;
    /// Bytes: compressed units.
    Blobs = 60, "blobs", 1;
    /// Bytes: fst from stem to text word.
    TextFst = 64, "text_fst", 1;
    /// Bytes: lists of nodes and of files by text word.
    TextPostings = 65, "text_postings", 1;
    /// [`TextRecord`] per text word.
    TextWords = 66, "text_words", size_of::<TextRecord>();
    /// Byte per node of a file: the length of its text.
    NodeLengths = 67, "node_lengths", 1;
    /// Byte per file: the length of its text.
    FileLengths = 68, "file_lengths", 1;
}

/// An element of a section of records: plain little-endian fields, valid for any bytes.
pub trait Record: Portable + Copy + 'static {
    /// Appends the record's bytes.
    fn put(&self, out: &mut Vec<u8>);
}

impl Record for u32_le {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_native().to_le_bytes());
    }
}

impl Record for u64_le {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_native().to_le_bytes());
    }
}

macro_rules! record {
    ($(#[$doc:meta])* $name:ident, $size:literal { $($(#[$fdoc:meta])* $field:ident: $ty:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Portable, CheckBytes)]
        #[bytecheck(crate = rkyv::bytecheck)]
        #[repr(C)]
        pub struct $name {
            $($(#[$fdoc])* pub $field: $ty,)+
        }

        impl Record for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put_field(out);)+
            }
        }

        const _: () = assert!(size_of::<$name>() == $size && 0 $(+ size_of::<$ty>())+ == $size);
    };
}

/// How a field of a record is written.
trait Field {
    fn put_field(&self, out: &mut Vec<u8>);
}

impl Field for u8 {
    fn put_field(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
}

impl Field for u16_le {
    fn put_field(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_native().to_le_bytes());
    }
}

impl Field for u32_le {
    fn put_field(&self, out: &mut Vec<u8>) {
        self.put(out);
    }
}

impl Field for u64_le {
    fn put_field(&self, out: &mut Vec<u8>) {
        self.put(out);
    }
}

impl<const N: usize> Field for [u8; N] {
    fn put_field(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
}

record! {
    /// One file.
    FileRecord, 72 {
        /// The file's size in bytes.
        size: u64_le,
        /// Lower half of the hash of its contents.
        hash_low: u64_le,
        /// Upper half of the hash of its contents.
        hash_high: u64_le,
        /// Where its unit starts in `blobs`.
        blob_start: u64_le,
        /// Length of its unit there; 0 for none.
        blob_len: u32_le,
        /// Where its key starts in `file_keys`; it ends where the next one starts.
        key_start: u32_le,
        /// Its first node; they end where the next file's start.
        node_start: u32_le,
        /// Version of the extractor.
        extractor: u32_le,
        /// Syntax errors.
        parse_errors: u32_le,
        /// Lines.
        lines: u32_le,
        /// Flags of the file.
        flags: u32_le,
        /// Language.
        language: u8,
        /// Zero.
        reserved: [u8; 11],
    }
}

record! {
    /// One node.
    NodeRecord, 36 {
        /// Its exact name.
        spelling: u32_le,
        /// The node that holds it; itself for units and externals.
        parent: u32_le,
        /// First line.
        start_line: u32_le,
        /// Last line.
        end_line: u32_le,
        /// First byte.
        start_byte: u32_le,
        /// One past the last byte.
        end_byte: u32_le,
        /// Where its signature and doc text start in `text`.
        text: u32_le,
        /// Place among siblings of the same name and call mark, from 1.
        ordinal: u32_le,
        /// Flags of the node.
        flags: u16_le,
        /// Kind.
        kind: u8,
        /// Zero.
        reserved: u8,
    }
}

record! {
    /// A symbol and its node in this segment.
    SymRecord, 8 {
        /// The symbol.
        sym: u32_le,
        /// The node.
        node: u32_le,
    }
}

record! {
    /// What an edge says beside target and relation.
    SiteRecord, 8 {
        /// Line in the source's file.
        line: u32_le,
        /// Place in `qualifiers`.
        qualifier: u16_le,
        /// Low 16 bits of the hash of the target's key.
        tag: u16_le,
    }
}

record! {
    /// One combination of confidence, reason and context.
    QualifierRecord, 4 {
        /// Confidence.
        confidence: u8,
        /// Reason.
        reason: u8,
        /// Context.
        context: u8,
        /// Zero.
        reserved: u8,
    }
}

record! {
    /// One word that names are made of.
    WordRecord, 8 {
        /// Its list of terms.
        list: u32_le,
        /// How many nodes these terms name.
        nodes: u32_le,
    }
}

record! {
    /// One word of texts.
    TextRecord, 24 {
        /// Where its lists start in `text_postings`: that of nodes, then that of files.
        start: u64_le,
        /// Where the list of files starts, counted from there.
        files_at: u32_le,
        /// How many nodes hold it.
        nodes: u32_le,
        /// How many files hold it.
        files: u32_le,
        /// Highest head and highest body among the nodes.
        node_level: u8,
        /// Least length among the nodes.
        node_length: u8,
        /// Highest head and highest body among the files.
        file_level: u8,
        /// Least length among the files.
        file_length: u8,
    }
}

record! {
    /// A section in the table of contents.
    SectionRecord, 40 {
        /// First byte in the file.
        offset: u64_le,
        /// Length without padding.
        length: u64_le,
        /// Number of elements.
        count: u64_le,
        /// Its first checksum in the table of checksums.
        first_crc: u32_le,
        /// Kind.
        kind: u32_le,
        /// Size of an element.
        element: u32_le,
        /// Zero.
        reserved: u32_le,
    }
}

record! {
    /// A named number in the table of contents.
    StatRecord, 16 {
        /// The number.
        value: u64_le,
        /// What it counts.
        kind: u32_le,
        /// Zero.
        reserved: u32_le,
    }
}

/// Rounds up to a multiple of `alignment`.
pub const fn align_up(offset: u64, alignment: usize) -> u64 {
    offset.next_multiple_of(alignment as u64)
}

// The archive library's format options are global to a build and can be switched on by a stranger's dependency; then
// these lines do not compile, instead of the file format changing silently.
const _: () = {
    assert!(size_of::<Archived<usize>>() == 4 && align_of::<Archived<usize>>() == 4);
    assert!(size_of::<Archived<u64>>() == 8 && align_of::<Archived<u64>>() == 8);
    assert!(size_of::<rkyv::vec::ArchivedVec<u32_le>>() == VEC_ROOT);
    assert!(align_of::<FileRecord>() == 8 && align_of::<NodeRecord>() == 4);
    const fn little_endian(archived: Archived<u32>) -> u32_le {
        archived
    }
    let _ = little_endian(u32_le::from_native(1));
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_stand_in_ascending_order_and_read_back() {
        let numbers: Vec<u16> = SectionKind::ALL.iter().map(|k| *k as u16).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b));
        for kind in SectionKind::ALL {
            assert_eq!(SectionKind::from_number(*kind as u32), Some(*kind));
        }
        assert_eq!(SectionKind::from_number(0), None);
        assert_eq!(SectionKind::from_number(69), None);
    }
}

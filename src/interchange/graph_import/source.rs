//! The bytes of a graph file: where the stream stands, slices read again, white space dropped.
//!
//! Where it sits: under [`super`]. Invariant: a slice that cannot be read again as it was is an error, never other bytes.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::error::{Error, Result};

/// Bytes that are read at once.
const WINDOW: usize = 256 << 10;
/// Bytes that are read after a jump.
const JUMP: usize = 4 << 10;

/// A reader that tells how many bytes were taken from it.
pub(super) struct Counted {
    inner: BufReader<File>,
    taken: Rc<Cell<u64>>,
}

impl Counted {
    /// Reads `file` from its start; a byte order mark is stepped over.
    pub(super) fn new(file: File) -> io::Result<(Self, Rc<Cell<u64>>)> {
        let mut inner = BufReader::with_capacity(WINDOW, file);
        let taken = Rc::new(Cell::new(0));
        if inner.fill_buf()?.starts_with(b"\xEF\xBB\xBF") {
            inner.consume(3);
            taken.set(3);
        }
        let counted = Self {
            inner,
            taken: Rc::clone(&taken),
        };
        Ok((counted, taken))
    }
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        // The parser asks for single bytes, so that the count is exact when it pauses.
        let available = self.inner.fill_buf()?;
        let count = available.len().min(out.len());
        if let (Some(to), Some(from)) = (out.get_mut(..count), available.get(..count)) {
            to.copy_from_slice(from);
        }
        self.inner.consume(count);
        self.taken.set(self.taken.get() + count as u64);
        Ok(count)
    }
}

/// Slices of a file, read through a window: those that are asked for mostly lie side by side.
pub(super) struct Slices {
    file: File,
    path: PathBuf,
    window: Vec<u8>,
    start: u64,
}

impl Slices {
    pub(super) fn new(file: File, path: &Path) -> Self {
        Self {
            file,
            path: path.to_path_buf(),
            window: Vec::new(),
            start: 0,
        }
    }

    /// The bytes at a place.
    pub(super) fn get(&mut self, place: u64, len: u32) -> Result<&[u8]> {
        let len = len as usize;
        let inside = |start: u64, window: &[u8]| {
            let from = usize::try_from(place.checked_sub(start)?).ok()?;
            let to = from.checked_add(len)?;
            (to <= window.len()).then_some((from, to))
        };
        if inside(self.start, &self.window).is_none() {
            // Far jumps come in crowds: then much would be read that nobody asks for.
            let end = self.start + self.window.len() as u64;
            let near = place >= self.start && place <= end + WINDOW as u64;
            self.fill(place, len.max(if near { WINDOW } else { JUMP }))
                .map_err(|e| Error::io("read again", &self.path, e))?;
        }
        let found = inside(self.start, &self.window);
        found
            .and_then(|(from, to)| self.window.get(from..to))
            .ok_or_else(|| {
                let cause = io::Error::other("it became shorter while it was read");
                Error::io("read again", &self.path, cause)
            })
    }

    fn fill(&mut self, place: u64, len: usize) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(place))?;
        self.window.clear();
        self.start = place;
        let mut part = (&mut self.file).take(len as u64);
        part.read_to_end(&mut self.window)?;
        Ok(())
    }
}

/// Appends JSON without the white space between its tokens.
pub(super) fn compact(json: &[u8], out: &mut Vec<u8>) {
    let mut quoted = false;
    let mut escaped = false;
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b' ' | b'\t' | b'\n' | b'\r' if !quoted => continue,
            _ => {}
        }
        out.push(*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_goes_only_between_tokens() {
        let mut out = Vec::new();
        compact(b"{ \"a b\\\" c\" : [1,\n 2.50 ] }", &mut out);
        assert_eq!(out, br#"{"a b\" c":[1,2.50]}"#);
    }
}

//! The one public error of the crate.
//!
//! Every layer returns [`Error`]; none prints or exits. An error carries what failed ([`ErrorKind`]), the path
//! it failed on where there is one, and what the reader can do about it (the *remedy*). The command line turns
//! the kind into an exit code and prints the three parts on separate lines.
//!
//! Invariant: a message names the thing in the user's terms (a file, a symbol, a command), never a type of ours.

use std::fmt;
use std::path::{Path, PathBuf};

/// Shorthand for a result with the crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of failure an [`Error`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused an operation (missing file, no permission, full disk …).
    Io,
    /// There is no index where one was looked for.
    NoIndex,
    /// Bytes of the index contradict themselves or their checksum.
    Corrupt,
    /// The index was written by a version whose format this one does not read.
    Format,
    /// Another process holds the writer's lock.
    Locked,
    /// The caller passed something that cannot be meant (a bad number, an unknown name of a relation …).
    Invalid,
    /// A name matches several symbols.
    Ambiguous,
    /// A name matches nothing.
    NotFound,
    /// A limit of the format was reached (too many nodes, a section over 2 GiB …).
    Limit,
    /// The caller asked to stop.
    Interrupted,
}

/// A failure: what happened, where, and what to do next.
pub struct Error {
    inner: Box<Inner>,
}

struct Inner {
    kind: ErrorKind,
    message: String,
    path: Option<PathBuf>,
    remedy: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// A failure of `kind` with a message in the user's terms.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            inner: Box::new(Inner {
                kind,
                message: message.into(),
                path: None,
                remedy: None,
                source: None,
            }),
        }
    }

    /// An operating-system failure on `path`; `doing` says what was attempted ("read", "create" …).
    pub fn io(doing: &str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::new(ErrorKind::Io, format!("could not {doing}"))
            .at(path)
            .caused_by(source)
    }

    /// Damaged bytes of the index. The remedy is always a rebuild, which loses nothing that the sources do not hold.
    pub fn corrupt(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
            .remedy("run `graphify repair`, or `graphify index --full` to build the index anew")
    }

    /// The same error with the path that it concerns. A path that is already there stays: the innermost is the exact one.
    pub fn at(mut self, path: impl Into<PathBuf>) -> Self {
        if self.inner.path.is_none() {
            self.inner.path = Some(path.into());
        }
        self
    }

    /// The same error with what the reader can do about it.
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.inner.remedy = Some(remedy.into());
        self
    }

    /// The same error with the failure underneath.
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.inner.source = Some(source.into());
        self
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The path that the failure concerns.
    pub fn path(&self) -> Option<&Path> {
        self.inner.path.as_deref()
    }

    /// What the reader can do about it.
    pub fn remedy_text(&self) -> Option<&str> {
        self.inner.remedy.as_deref()
    }

    /// The operating system's code for an [`ErrorKind::Io`] failure.
    pub fn io_kind(&self) -> Option<std::io::ErrorKind> {
        let source = self.inner.source.as_deref()?;
        source
            .downcast_ref::<std::io::Error>()
            .map(std::io::Error::kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        if let Some(path) = &self.inner.path {
            write!(f, ": {}", path.display())?;
        }
        if let Some(source) = &self.inner.source {
            write!(f, ": {source}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.inner.kind)?;
        if let Some(remedy) = &self.inner.remedy {
            write!(f, " ({remedy})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.inner
            .source
            .as_deref()
            .map(|s| s as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_message_path_and_cause_but_not_the_remedy() {
        let err =
            Error::io("read", "a/HEAD", std::io::Error::other("disk on fire")).remedy("buy water");
        assert_eq!(err.to_string(), "could not read: a/HEAD: disk on fire");
        assert_eq!(err.remedy_text(), Some("buy water"));
        assert_eq!(err.kind(), ErrorKind::Io);
    }

    #[test]
    fn the_innermost_path_stays() {
        let err = Error::corrupt("bad checksum")
            .at("seg/1.gseg")
            .at("graphify-out/index");
        assert_eq!(err.path(), Some(Path::new("seg/1.gseg")));
    }
}

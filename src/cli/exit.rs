//! Exit codes: what each outcome tells the calling program.

use std::process::ExitCode;

use graphify::error::ErrorKind;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// It answered; "nothing depends on it" is an answer.
    Answered = 0,
    /// It could not: no index, a damaged one, the system refused.
    Failed = 1,
    /// The arguments cannot be meant.
    Usage = 2,
    /// A name matches several symbols.
    Ambiguous = 3,
    /// Nothing matches.
    NotFound = 4,
    /// Somebody interrupted it.
    Interrupted = 130,
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Invalid => Self::Usage,
            ErrorKind::Ambiguous => Self::Ambiguous,
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::Interrupted => Self::Interrupted,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The word by which `--json` names a kind of failure.
pub(crate) const fn kind_word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io => "io",
        ErrorKind::NoIndex => "no_index",
        ErrorKind::Corrupt => "corrupt",
        ErrorKind::Format => "format",
        ErrorKind::Locked => "locked",
        ErrorKind::Invalid => "invalid",
        ErrorKind::Ambiguous => "ambiguous",
        ErrorKind::NotFound => "not_found",
        ErrorKind::Limit => "limit",
        ErrorKind::Interrupted => "interrupted",
        _ => "other",
    }
}

//! The frame of every `--json` answer: one object, with the version of its shape and the command that gave it.
//!
//! ```json
//! {"schema_version":1,"command":"status", …the command's own fields…}
//! {"schema_version":1,"command":"status","error":{"kind":"no-index","message":"…","help":"…"}}
//! ```
//!
//! Fields keep their names and meaning within a version; new ones may be added.

use serde::Serialize;

/// Version of the shapes of all answers.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// An answer in its frame; `body` must be a struct or a map.
#[derive(Debug, Serialize)]
pub(crate) struct Framed<'a, T> {
    schema_version: u32,
    command: &'a str,
    #[serde(flatten)]
    body: T,
}

/// A failure as a program reads it.
#[derive(Debug, Serialize)]
pub(crate) struct FailureBody {
    /// What failed.
    pub(crate) error: Failure,
}

/// The parts of a failure.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    /// A stable word.
    pub(crate) kind: &'static str,
    /// The text that standard error has.
    pub(crate) message: String,
    /// The path that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
}

/// An answer as one line of JSON.
///
/// # Errors
/// When `body` is no struct or map.
pub(crate) fn line<T: Serialize>(command: &str, body: T) -> serde_json::Result<String> {
    let framed = Framed {
        schema_version: SCHEMA_VERSION,
        command,
        body,
    };
    serde_json::to_string(&framed)
}

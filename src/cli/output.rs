//! Where a command's words go: answers, notes, warnings, failures.
//!
//! Invariants: with `--json` standard output holds one valid object whatever happens; a reader that closes the pipe ends
//! the program quietly; colour appears only where a terminal will show it and `NO_COLOR` does not forbid it.

use std::io::{self, BufWriter, Write};

use anstyle::{AnsiColor, Style};
use graphify::answer::NameProblem;
use graphify::error::{Error, ErrorKind};
use graphify::render::{json, names, safe};
use serde::Serialize;

use crate::cli::args::{Cli, Global};
use crate::cli::exit::{self, Exit};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HELP: Style = AnsiColor::Cyan.on_default();

/// Most characters of a message.
const MAX_MESSAGE: usize = 2000;

/// A failure as a program reads it.
#[derive(Debug, Serialize)]
struct Failure<'a> {
    /// A stable word for the kind.
    error: &'static str,
    /// What standard error says.
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

/// The two streams of a command.
pub(crate) struct Output {
    command: &'static str,
    json: bool,
    quiet: bool,
    answer: BufWriter<anstream::Stdout>,
}

impl Output {
    pub(crate) fn new(global: &Global, command: &'static str) -> Self {
        Self {
            command,
            json: global.json,
            quiet: global.quiet,
            answer: BufWriter::new(anstream::stdout()),
        }
    }

    /// Whether the answer is to be one JSON object.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Whether notes and progress are unwanted.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// A part of a text answer, written as it is.
    pub(crate) fn text(&mut self, text: &str) -> anyhow::Result<()> {
        self.answer.write_all(text.as_bytes()).map_err(unwritten)
    }

    /// The whole answer as JSON.
    pub(crate) fn object(&mut self, body: impl Serialize) -> anyhow::Result<()> {
        self.text(&json::object(self.command, &body))
    }

    /// Why a name is no answer, with what to type instead.
    pub(crate) fn problem(&mut self, problem: &NameProblem) -> anyhow::Result<()> {
        if self.json {
            self.text(&json::problem(problem))?;
        }
        let _ = anstream::stderr().write_all(names::problem(problem).as_bytes());
        Ok(())
    }

    /// A reason why there is no answer, in words.
    pub(crate) fn complain(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{text}");
    }

    /// The stream of the answer, for what writes by itself.
    pub(crate) fn writer(&mut self) -> &mut impl Write {
        &mut self.answer
    }

    /// Something worth knowing that is no answer; silent with `--quiet`.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(anstream::stderr(), "{text}");
        }
    }

    /// Something that the user should look at; said even with `--quiet`.
    pub(crate) fn warn(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{WARNING}warning:{WARNING:#} {text}");
    }

    pub(crate) fn flush(&mut self) -> anyhow::Result<()> {
        self.answer.flush().map_err(unwritten)
    }

    /// Reports a failure and says how the program ends.
    pub(crate) fn fail(&mut self, failure: &anyhow::Error) -> Exit {
        if is_closed_pipe(failure) {
            return Exit::Answered;
        }
        let known = failure.downcast_ref::<Error>();
        let kind = known.map(Error::kind);
        // Our own error names its cause itself; of any other one the whole chain is said.
        let message = known.map_or_else(|| format!("{failure:#}"), Error::to_string);
        let help = known.and_then(|e| e.remedy_text().or_else(|| remedy_of_io(e)));
        if self.json {
            let path = known.and_then(Error::path);
            let failure = Failure {
                error: kind.map_or("other", exit::kind_word),
                message: &message,
                path: path.map(|p| p.to_string_lossy().into_owned()),
                help,
            };
            // The failure is said on the other stream in any case.
            let _ = self.object(failure);
        }
        let _ = self.answer.flush();
        print_error(&message, help);
        kind.map_or(Exit::Failed, Exit::from)
    }
}

/// A mistake in the arguments as an object: what was wrong, and how the command is used.
pub(crate) fn usage_object(err: &clap::Error) {
    let text = err.render().to_string();
    let (message, help) = text.split_once("\n\n").unwrap_or((&text, ""));
    let message = said(message.trim().trim_start_matches("error: "));
    let help = said(help.trim());
    let named = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let command = named.filter(|name| {
        use clap::CommandFactory;
        Cli::command().find_subcommand(name).is_some()
    });
    let failure = Failure {
        error: "usage",
        message: &message,
        path: None,
        help: Some(help.as_str()).filter(|h| !h.is_empty()),
    };
    let object = json::object(command.as_deref().unwrap_or_default(), &failure);
    let _ = anstream::stdout().write_all(object.as_bytes());
}

/// What to do about a refusal of the system that the library has no advice for.
fn remedy_of_io(err: &Error) -> Option<&'static str> {
    match err.io_kind()? {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            Some("make room and run the command again; the last index still answers")
        }
        io::ErrorKind::IsADirectory => Some(
            "a folder stands where a file should be: move it away and run the command again (`graphify repair` mends an index)",
        ),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Some("name an output folder that can be written to: `--out DIR` or GRAPHIFY_OUT")
        }
        _ => None,
    }
}

fn print_error(message: &str, help: Option<&str>) {
    let mut stderr = anstream::stderr();
    let _ = writeln!(stderr, "{ERROR}error:{ERROR:#} {}", said(message));
    if let Some(help) = help {
        let _ = writeln!(stderr, "  {HELP}help:{HELP:#} {}", said(help));
    }
}

/// A message on one line, without what could steer a terminal, cut where an argument of somebody made it huge.
fn said(message: &str) -> String {
    let plain = safe::line(&message.replace(['\n', '\r'], " "));
    let mut chars = plain.chars();
    let mut text: String = chars.by_ref().take(MAX_MESSAGE).collect();
    if chars.next().is_some() {
        text.push('…');
    }
    text
}

/// A failure of standard output itself.
fn unwritten(err: io::Error) -> anyhow::Error {
    if err.kind() == io::ErrorKind::BrokenPipe {
        return err.into();
    }
    Error::new(ErrorKind::Io, "could not write the answer")
        .caused_by(err)
        .into()
}

/// Whether whoever read the answer went away, however deep in the failure that is said.
fn is_closed_pipe(failure: &anyhow::Error) -> bool {
    failure.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause
            .downcast_ref::<serde_json::Error>()
            .and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}

/// Makes a defect of this program one line instead of a trace.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        let text = info.payload().downcast_ref::<&str>().copied();
        let text = text.or_else(|| info.payload().downcast_ref::<String>().map(String::as_str));
        let place = info
            .location()
            .map(|l| format!(" ({}:{})", l.file(), l.line()))
            .unwrap_or_default();
        let message = format!("internal error: {}{place}", text.unwrap_or("unknown"));
        print_error(
            &message,
            Some("this is a defect of graphify; the index is as it was before"),
        );
    }));
}

/// A remark on standard error, where no command's output is at hand.
pub(crate) fn say(text: &str) {
    let _ = writeln!(anstream::stderr(), "{}", said(text));
}

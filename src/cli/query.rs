//! `query`: a question in words, answered by the part of the graph that it is about.

use graphify::Store;
use graphify::answer::{NameProblem, QueryOutcome, QueryRequest, query};
use graphify::error::{Error, ErrorKind};
use graphify::render::{json, text};

use crate::cli::args::{Global, QueryArgs, QueryFormat};
use crate::cli::exit::Exit;
use crate::cli::locate;
use crate::cli::output::Output;

/// Most words of a question that consists of vocabulary words.
const MAX_TERMS: usize = 12;

/// Runs the command.
pub(crate) fn run(global: &Global, args: &QueryArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let request = request(args)?;
    let place = locate::existing(global)?;
    let snapshot = Store::at(place.index()).snapshot()?;
    let outcome = query(&snapshot, &request)?;
    let mut answer = match outcome {
        QueryOutcome::Answer(answer) => answer,
        QueryOutcome::Nothing(problem) | QueryOutcome::Ambiguous(problem) => {
            return refuse(&problem, output);
        }
    };
    answer.index = place.shown();
    let budget = u64::from(args.budget);
    let written = if output.is_json() {
        json::query(&answer, budget)
    } else {
        let format = match args.format {
            QueryFormat::Grouped => text::Format::Grouped,
            QueryFormat::Lines => text::Format::Lines,
        };
        text::query(&answer, format, budget)
    };
    if written.is_empty() {
        let message = format!("a budget of {budget} tokens is too small for any answer");
        return Err(Error::new(ErrorKind::Invalid, message)
            .remedy("ask for 20 tokens or more")
            .into());
    }
    output.text(&written)?;
    Ok(Exit::Answered)
}

/// Says why a name is no answer.
pub(crate) fn refuse(problem: &NameProblem, output: &mut Output) -> anyhow::Result<Exit> {
    output.problem(problem)?;
    let ambiguous = !problem.candidates.is_empty();
    Ok(if ambiguous {
        Exit::Ambiguous
    } else {
        Exit::NotFound
    })
}

fn request(args: &QueryArgs) -> Result<QueryRequest, Error> {
    let request = QueryRequest {
        question: args.words.join(" "),
        dfs: args.dfs,
        depth: args.depth,
        contexts: args.context.clone(),
        relations: args.relation.clone(),
        seeds: args.seed.clone(),
        tests: args.tests,
        terms: args.terms,
    };
    let count = request.question.split_whitespace().count();
    if args.terms && count > MAX_TERMS {
        return Err(
            Error::new(ErrorKind::Invalid, format!("{count} terms are too many"))
                .remedy(format!("name at most {MAX_TERMS} words of the vocabulary")),
        );
    }
    Ok(request)
}

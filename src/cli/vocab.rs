//! `vocab`: the index's own words, to choose search words from.

use graphify::answer::{VocabAnswer, like, spelt_like, vocabulary};
use graphify::error::Error;
use graphify::{Snapshot, Store, render};
use serde::Serialize;

use crate::cli::args::{Global, VocabArgs};
use crate::cli::exit::Exit;
use crate::cli::locate;
use crate::cli::output::Output;

/// The file that the words are written to.
const FILE: &str = ".vocab.txt";

#[derive(Debug, Serialize)]
struct Written {
    file: String,
    words: usize,
}

/// Runs the command. Nothing that matches is exit code 4.
pub(crate) fn run(global: &Global, args: &VocabArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let place = locate::existing(global)?;
    let snapshot = Store::at(place.index()).snapshot()?;
    let answer = answer(args, &snapshot)?;
    if args.write {
        let path = place.out.join(FILE);
        std::fs::write(&path, render::vocab::list(&answer))
            .map_err(|e| Error::io("write", &path, e))?;
        let file = locate::shown(&path);
        if output.is_json() {
            output.object(Written {
                file,
                words: answer.words.len(),
            })?;
        } else {
            output.text(&format!("vocab: {} tokens ({file})\n", answer.words.len()))?;
        }
        return Ok(Exit::Answered);
    }
    if output.is_json() {
        output.object(&answer)?;
    } else {
        output.text(&render::vocab::vocab(&answer))?;
    }
    let narrowed = args.prefix.is_some() || args.fuzzy.is_some() || args.like.is_some();
    if narrowed && answer.words.is_empty() {
        output.complain("No word of the index matches.");
        return Ok(Exit::NotFound);
    }
    Ok(Exit::Answered)
}

fn answer(args: &VocabArgs, snapshot: &Snapshot) -> graphify::Result<VocabAnswer> {
    if let Some(word) = &args.fuzzy {
        return spelt_like(snapshot, word);
    }
    if let Some(question) = &args.like {
        return like(snapshot, question);
    }
    vocabulary(snapshot, args.prefix.as_deref().unwrap_or_default())
}

//! The arguments: every command with its flags, defaults and examples.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use graphify::model::label::Language;
use graphify::source::language::is_compiled_in;

use crate::cli::size;

const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (Rust engine; not the Python package of the same name)"
);

const ABOUT: &str = "Indexes source code as a graph and answers questions about it";

const EXAMPLES: &str = "\
Examples:
  graphify index                           make or update the index of the tree around
  graphify query \"who computes totals\"     ask in words
  graphify explain src/cart.ts::total      what a symbol is and who uses it

The index lies in graphify-out/ at the root of the tree and is found from any folder below.
Exit codes: 0 answered, 1 failed, 2 usage, 3 ambiguous name, 4 nothing matches, 130 interrupted.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "graphify", version = VERSION, about = ABOUT, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Output folder (default: graphify-out at the root of the tree, or $GRAPHIFY_OUT)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Answer as one JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No notes and no progress, only the answer, warnings and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make the index, or bring it up to date with the tree
    #[command(visible_aliases = ["update", "extract"])]
    Index(IndexArgs),
    /// What is indexed, how large it is, what was left out
    Status(StatusArgs),
    /// Answer a question in words with the part of the graph that it is about
    Query(QueryArgs),
    /// What a symbol is, who uses it and what it uses
    Explain(ExplainArgs),
    /// Write the graph in another program's format
    Export(ExportArgs),
    /// Fold everything that changed since the last compaction into one segment
    Compact,
    /// Check every byte and every cross-reference of the index
    Verify,
    /// Mend a damaged index: from itself where that is possible, else from the sources
    Repair,
}

impl Command {
    /// The command's name, as answers carry it.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Index(_) => "index",
            Self::Status(_) => "status",
            Self::Query(_) => "query",
            Self::Explain(_) => "explain",
            Self::Export(_) => "export",
            Self::Compact => "compact",
            Self::Verify => "verify",
            Self::Repair => "repair",
        }
    }
}

/// `index`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  graphify index                  the tree around, or this folder
  graphify index ~/src/project    another tree
  graphify index --full           read every file again
  graphify index --exclude legacy/ --lang typescript

Files are chosen as git would, with .gitignore and .graphifyignore files of every folder.")]
pub(crate) struct IndexArgs {
    /// The root of the tree (default: the indexed tree around, or this folder)
    pub(crate) dir: Option<PathBuf>,
    /// Read every file again and write the index anew
    #[arg(long)]
    pub(crate) full: bool,
    /// Threads (default: one per processor)
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Take only files that match (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Leave out files and folders that match (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Take only files of this language (repeatable)
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    pub(crate) lang: Vec<Language>,
    /// List larger files instead of reading them; K, M and G are understood
    #[arg(long, value_name = "SIZE", default_value = "2M", value_parser = size::parse)]
    pub(crate) max_file_size: u64,
    /// Do not obey .gitignore files and git's excludes
    #[arg(long)]
    pub(crate) no_gitignore: bool,
    /// Do not record what past commits said (it helps questions to find their files)
    #[arg(long)]
    pub(crate) no_history: bool,
}

/// `status`
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// List every file, and what was left out and why
    #[arg(long)]
    pub(crate) files: bool,
}

/// `query`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  graphify query \"who computes totals\"
  graphify query \"what calls parseConfig\" --depth 1
  graphify query --seed cart.ts::total --context call --dfs

The graph is walked in both directions and printed with the true one.")]
pub(crate) struct QueryArgs {
    /// The question
    #[arg(required_unless_present = "seed")]
    pub(crate) words: Vec<String>,
    /// Follow one chain deep instead of going outwards
    #[arg(long)]
    pub(crate) dfs: bool,
    /// Most hops (default: 3, with --dfs 6)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) depth: Option<u32>,
    /// Most tokens of the answer; never exceeded
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) budget: u32,
    /// Only edges in this context: call, import, type, field, parameter_type, … (repeatable)
    #[arg(long, value_name = "CONTEXT")]
    pub(crate) context: Vec<String>,
    /// Only edges of this relation: calls, imports, inherits, … (repeatable)
    #[arg(long, value_name = "RELATION")]
    pub(crate) relation: Vec<String>,
    /// Start from this symbol instead of searching for the words (repeatable)
    #[arg(long, value_name = "SYMBOL")]
    pub(crate) seed: Vec<String>,
    /// Let test code compete with the rest
    #[arg(long)]
    pub(crate) tests: bool,
    /// The words are vocabulary words, taken as they are; at most 12
    #[arg(long)]
    pub(crate) terms: bool,
    /// How nodes and edges are written
    #[arg(long, value_enum, default_value_t = QueryFormat::Grouped)]
    pub(crate) format: QueryFormat,
}

/// Forms of a query's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueryFormat {
    /// A path once, then its symbols
    Grouped,
    /// One NODE or EDGE line each
    Lines,
}

/// `explain`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  graphify explain total
  graphify explain src/cart.ts::Cart.total
  graphify explain src/cart.ts:42          the innermost symbol at that line")]
pub(crate) struct ExplainArgs {
    /// FILE, FILE:LINE, FILE::name, Type.member, a name, or a printed id
    pub(crate) symbol: String,
    /// List every connection
    #[arg(long)]
    pub(crate) all: bool,
}

/// `export`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  graphify export json                     graphify-out/graph.json
  graphify export json --output -          to standard output")]
pub(crate) struct ExportArgs {
    /// The format: `json` is the graph.json that graph libraries read (edges are called links)
    pub(crate) format: Format,
    /// Where to write; `-` is standard output (default: graph.json in the output folder)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Formats of `export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// graph.json
    Json,
}

/// A language by its name, if its grammar is compiled in.
fn language(name: &str) -> Result<Language, String> {
    let lower = name.to_ascii_lowercase();
    let known = Language::BUILT_IN.iter().map(|(language, _)| *language);
    let compiled: Vec<Language> = known.filter(|l| is_compiled_in(*l)).collect();
    let found = compiled
        .iter()
        .find(|l| l.built_in_name() == Some(lower.as_str()));
    found.copied().ok_or_else(|| {
        let names: Vec<_> = compiled.iter().filter_map(|l| l.built_in_name()).collect();
        format!("not one of {}", names.join(", "))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[cfg(feature = "typescript")]
    #[test]
    fn languages_are_known_by_name() {
        assert_eq!(language("TypeScript"), Ok(Language::TYPESCRIPT));
        assert!(language("cobol").unwrap_err().contains("typescript"));
        assert!(language("").is_err());
    }
}

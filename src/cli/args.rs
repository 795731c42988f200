//! The arguments: every command with its flags, defaults and examples.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
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
    /// Answer about this graph.json instead of an index (commands that only read)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// Answer as one JSON object; mistakes in the arguments are one too ({"error":"usage",…})
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
    /// The source that a place in the code or a question needs, within a token budget
    Context(ContextArgs),
    /// How one symbol reaches another
    Path(PathArgs),
    /// What depends on a symbol, a file or a change set
    Affected(AffectedArgs),
    /// The most connected symbols
    #[command(alias = "god_nodes")]
    GodNodes(GodNodesArgs),
    /// The index's own words, to choose search words from
    Vocab(VocabArgs),
    /// Write the graph in another program's format
    Export(ExportArgs),
    /// Read another program's graph.json into a store
    Import(ImportArgs),
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
            Self::Context(_) => "context",
            Self::Path(_) => "path",
            Self::Affected(_) => "affected",
            Self::GodNodes(_) => "god-nodes",
            Self::Vocab(_) => "vocab",
            Self::Export(_) => "export",
            Self::Import(_) => "import",
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
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) depth: Option<u32>,
    /// Most tokens of the answer; never exceeded
    #[arg(long, value_name = "N", default_value_t = 2000, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
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

/// `context`
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("start").args(["file", "symbol", "question"]).required(true).multiple(true),
    after_help = "\
Examples:
  graphify context --file src/cart.ts --line 42
  graphify context --file src/cart.ts --line 42 --question \"why is the total undefined\"
  graphify context --symbol Cart.total --mode slice
  graphify context --question \"where are discounts applied\" --budget 12000

slice is the unit alone, chain follows calls, references and types from it both ways, global fills the budget.")]
pub(crate) struct ContextArgs {
    /// The file to start in
    #[arg(long, value_name = "FILE", conflicts_with = "symbol")]
    pub(crate) file: Option<PathBuf>,
    /// The line to start at: the innermost unit there
    #[arg(long, value_name = "N", requires = "file", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) line: Option<u32>,
    /// The symbol to start at, named as for every command
    #[arg(long, value_name = "SYMBOL")]
    pub(crate) symbol: Option<String>,
    /// What you want to know; alone, the bundle starts from what it names
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub(crate) question: Option<String>,
    /// How far it reaches (default: chain, or global for a question alone)
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ContextMode>,
    /// Most tokens of the answer; never exceeded
    #[arg(long, value_name = "N", default_value_t = 6000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) budget: u32,
    /// Most hops of the chain (default: chain 3, global 5)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) depth: Option<u32>,
    /// How much more an edge within a file counts
    #[arg(long, value_name = "W", default_value_t = 3.0, value_parser = positive)]
    pub(crate) same_file_weight: f64,
    /// Do not prefer what the work tree has changed
    #[arg(long, conflicts_with = "since")]
    pub(crate) no_diff: bool,
    /// Prefer what was changed since this revision, committed or not
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    /// How the bundle is written
    #[arg(long, value_enum, default_value_t = ContextFormat::Markdown)]
    pub(crate) format: ContextFormat,
    /// Begin every line of source with its number
    #[arg(long)]
    pub(crate) line_numbers: bool,
}

/// Reaches of `context`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContextMode {
    /// The unit alone
    Slice,
    /// Along calls, references and types
    Chain,
    /// As much of what is relevant as the budget holds
    Global,
}

/// Forms of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContextFormat {
    /// Headings and fenced blocks
    Markdown,
    /// Tags, for prompts that want them
    Xml,
}

/// A number above zero.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("not a number above 0".to_string()),
    }
}

/// `path`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  graphify path grossTotal roundCents
  graphify path src/a.ts::save db.ts::Store.put --all
  graphify path parse render --undirected --relation calls

Edges are followed along their arrows. Among routes of equal length calls win over types, types over structure.
Both names meaning the same symbol is exit code 3.")]
pub(crate) struct PathArgs {
    /// Where the route starts: any form that `explain` takes
    #[arg(value_name = "A")]
    pub(crate) from: String,
    /// Where it ends
    #[arg(value_name = "B")]
    pub(crate) to: String,
    /// Follow edges in either direction
    #[arg(long, conflicts_with = "directed")]
    pub(crate) undirected: bool,
    /// Follow edges along their arrows (the default)
    #[arg(long)]
    pub(crate) directed: bool,
    /// Only edges of this relation: calls, imports, inherits, … (repeatable)
    #[arg(long, value_name = "RELATION")]
    pub(crate) relation: Vec<String>,
    /// Most hops (default: any number)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_hops: Option<u32>,
    /// All shortest routes, up to 100
    #[arg(long)]
    pub(crate) all: bool,
}

/// `affected`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  graphify affected roundCents
  graphify affected src/core/money.ts --depth 1
  graphify affected --since HEAD~3         what the changes since then affect, the uncommitted ones included
  graphify affected Store.read --relation calls --budget 1500

Calls, types, inheritance, dispatch through interfaces, re-exports and dynamic imports are followed. Tests stand apart.")]
pub(crate) struct AffectedArgs {
    /// The symbol or file: any form that `explain` takes
    #[arg(required_unless_present = "since", conflicts_with = "since")]
    pub(crate) symbol: Option<String>,
    /// What the changes of the work tree since this revision affect
    #[arg(long, value_name = "REV", allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    /// Most hops
    #[arg(long, value_name = "N", default_value_t = 3, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) depth: u32,
    /// Only along edges of this relation (repeatable)
    #[arg(long, value_name = "RELATION")]
    pub(crate) relation: Vec<String>,
    /// Most tokens of the answer; never exceeded (default: everything)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) budget: Option<u32>,
}

/// `god-nodes`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  graphify god-nodes
  graphify god-nodes --top 30 --json")]
pub(crate) struct GodNodesArgs {
    /// How many
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) top: u32,
}

/// `vocab`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  graphify vocab --match sess              words that begin with it, with the number of names that hold them
  graphify vocab --fuzzy autentication     words that are spelt like it
  graphify vocab --like \"where are sessions renewed\"
  graphify vocab --write                   graphify-out/.vocab.txt, one word a line

The words are those that `query --terms` takes.")]
pub(crate) struct VocabArgs {
    /// Only words that begin with this
    #[arg(long = "match", value_name = "PREFIX", conflicts_with_all = ["fuzzy", "like"])]
    pub(crate) prefix: Option<String>,
    /// Only words that are spelt like this one
    #[arg(long, value_name = "WORD", conflicts_with = "like")]
    pub(crate) fuzzy: Option<String>,
    /// For each word of a question the nearest words: by stem, by spelling, by standing together in names
    #[arg(long, value_name = "QUESTION")]
    pub(crate) like: Option<String>,
    /// Write the words to .vocab.txt in the output folder
    #[arg(long)]
    pub(crate) write: bool,
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

/// `import`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  graphify import graph.json
  graphify import graph.json --out elsewhere
  graphify explain f --graph graph.json    ask a graph.json without importing it by hand

Both shapes are read: `links` or `edges`, nodes before or after them. Ids stay as they are, and every field is given
back by `export json`.")]
pub(crate) struct ImportArgs {
    /// The graph.json
    pub(crate) file: PathBuf,
    /// Put the graph in the place of an index that was made from source files
    #[arg(long)]
    pub(crate) replace: bool,
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

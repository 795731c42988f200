//! The `graphify` program: parses, runs, turns the outcome into an exit code.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}

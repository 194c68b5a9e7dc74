//! The binary `heldout`: arguments, progress and exit codes.
//!
//! Each command is a module with its arguments and one function; those that only one family has are described by the
//! families. Results go to standard output, progress and notes to
//! standard error; with `--json` a command prints one JSON value and nothing else. Exit codes: 0 done, 1 a check failed,
//! 2 bad usage or input.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

mod bench;
mod data;
mod eval;
mod export;
mod families;
mod files;
mod list;
mod progress;
mod render;
mod report;
mod run;
mod scales;
mod settings;

/// Tells whether a learning agent generalises beyond what it was trained on.
#[derive(Parser)]
#[command(name = "heldout", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists every environment.
    List(list::List),
    /// Shows the card of an environment.
    Info(list::Info),
    /// Plays a policy and prints its metrics with 95 % intervals.
    Run(run::Run),
    /// Makes a picture or a film of an episode.
    Render(render::Render),
    /// Measures steps per second.
    Bench(bench::Bench),
    /// Plays protocols and records every episode: the main job.
    Eval(eval::Eval),
    /// Writes records for analysis elsewhere.
    Records(export::Records),
    /// Obtains optional public data.
    Data(data::Data),
    /// Measures floors and ceilings: random, the shortcuts and the oracle of every task.
    Scales(scales::Measure),
    /// Writes a report on recorded evaluations: tables, intervals, plots and words.
    Report(report::Report),
}

/// A check that failed and has already said so.
#[derive(Debug, thiserror::Error)]
#[error("a check failed")]
struct Failed;

fn main() -> ExitCode {
    let matches = families::add(Arguments::command()).get_matches();
    let done = families::run(&matches).unwrap_or_else(|| match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => execute(&arguments.command),
        Err(error) => error.exit(),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<Failed>() => ExitCode::FAILURE,
        Err(error) => {
            note(&format!("heldout: {error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Runs a command that belongs to no family.
fn execute(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::List(list) => list.execute(),
        Command::Info(info) => info.execute(),
        Command::Run(run) => run.execute(),
        Command::Render(render) => render.execute(),
        Command::Bench(bench) => bench.execute(),
        Command::Eval(eval) => eval.execute(),
        Command::Records(records) => records.execute(),
        Command::Data(data) => data.execute(),
        Command::Report(report) => report.execute(),
        Command::Scales(scales) => scales.execute(),
    }
}

/// Prints a result. A reader that has gone away (`heldout list | head -1`) is not an error.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Says something on standard error; if nobody listens, so be it.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// `1 episode`, `2 episodes`.
fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A mean with its interval as JSON.
fn estimate(found: heldout_eval::results::Measured) -> serde_json::Value {
    let interval = found.interval;
    serde_json::json!({"mean": found.value, "low": interval.map(|i| i.low), "high": interval.map(|i| i.high)})
}

/// Prints one JSON value.
fn print_json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{value:#}\n"))
}

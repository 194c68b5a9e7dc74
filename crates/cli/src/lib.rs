//! The command line of heldout: arguments, progress and exit codes. The binary `heldout` and the command of the Python package
//! both call [`main`].
//!
//! Each command is a module with its arguments and one function; those that only one family has are described by the
//! families. Results go to standard output, progress and notes to
//! standard error; with `--json` a command prints one JSON value and nothing else. Exit codes: 0 done, 1 a check failed,
//! 2 bad usage or input.

use std::ffi::OsString;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::around::Around;

pub mod around;
mod bench;
mod data;
mod eval;
mod export;
mod families;
mod files;
mod heap;
mod list;
mod progress;
mod render;
mod report;
mod run;
mod scales;
mod settings;
mod signals;
mod speaking;
mod train;
pub mod trained;

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
    /// Trains an agent on the tasks of a protocol or on one environment.
    Train(Box<train::Train>),
    /// Plays protocols and records every episode: the main job.
    Eval(eval::Eval),
    /// Writes records for analysis elsewhere.
    Records(export::Records),
    /// Obtains optional public data.
    Data(data::Data),
    /// Measures floors and ceilings: random, the shortcuts, the probes and the oracle of every task.
    Scales(scales::Measure),
    /// Writes a report on recorded evaluations: tables, intervals, plots and words.
    Report(report::Report),
}

/// A check that failed and has already said so.
#[derive(Debug, thiserror::Error)]
#[error("a check failed")]
struct Failed;

/// Runs the command that `words` are, the first of which is the name of the program; gives its exit code. A process
/// runs one, since there is one handler of Ctrl-C.
pub fn main<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> u8 {
    main_around(words, &Around::default())
}

/// As [`main`], with what the program around it brings along.
pub fn main_around<W: Into<OsString>>(words: impl IntoIterator<Item = W>, around: &Around<'_>) -> u8 {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    let shown = if around.command.is_empty() { &words } else { &around.command };
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone_from(shown);
    WORDS.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&words);
    let told = families::add(Arguments::command()).try_get_matches_from(words);
    let done = told.and_then(|matches| match families::run(&matches) {
        Some(done) => Ok(done),
        None => Arguments::from_arg_matches(&matches).map(|arguments| execute(&arguments.command, around)),
    });
    match done {
        Ok(Ok(())) => 0,
        Ok(Err(error)) if error.is::<Failed>() => 1,
        Ok(Err(error)) => {
            note(&format!("heldout: {error:#}"));
            2
        }
        // Help and the version are asked for, and no errors.
        Err(told) => {
            let _ = told.print();
            told.exit_code() as u8
        }
    }
}

/// The words of the command that runs.
static WORDS: Mutex<Vec<OsString>> = Mutex::new(Vec::new());
/// The same as a person would type them.
static SHOWN: Mutex<Vec<OsString>> = Mutex::new(Vec::new());

/// Runs a command that belongs to no family.
fn execute(command: &Command, around: &Around<'_>) -> anyhow::Result<()> {
    match command {
        Command::List(list) => list.execute(),
        Command::Info(info) => info.execute(),
        Command::Run(run) => run.execute(),
        Command::Render(render) => render.execute(),
        Command::Bench(bench) => bench.execute(),
        Command::Train(train) => train.execute(around),
        Command::Eval(eval) => eval.execute(around),
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

//! What a program around the command line brings along: more policies than it knows itself, and others who play and train
//! in its place. The Python package does (`python -m heldout.ray`).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, FromArgMatches};
use heldout_eval::away::Away;
use heldout_eval::entrant::Load;
use heldout_eval::runner::Evaluation;

use crate::{Arguments, Command};

/// What a program around the command line brings along.
#[derive(Clone)]
pub struct Around<'a> {
    /// Opens the policies that are named by a path, or as `module:function`.
    pub load: Load<'a>,
    /// Where an evaluation is played, if not here.
    pub away: Option<&'a dyn Away>,
    /// Where runs are trained, if not here.
    pub runs: Option<&'a dyn Runs>,
    /// The command as a person would type it, where that is another.
    pub command: Vec<OsString>,
}

impl Default for Around<'_> {
    fn default() -> Self {
        Self { load: &crate::trained::open, away: None, runs: None, command: Vec::new() }
    }
}

/// One run that is to be trained elsewhere.
#[derive(Debug)]
pub struct Errand<'a> {
    /// What it is called by from now on.
    pub number: usize,
    /// The words of the command that trains it, without the program, `--out` and `--threads`.
    pub words: Vec<OsString>,
    /// Its directory here: what is in it is to be gone on with, and what comes of it belongs there.
    pub dir: &'a Path,
    /// Where its directory lies below `--out`.
    pub below: &'a Path,
}

/// What trains runs elsewhere.
pub trait Runs {
    /// How many runs may be under way at once.
    ///
    /// # Errors
    ///
    /// If none can be: why.
    fn room(&self) -> Result<usize, String>;

    /// Has a run trained.
    ///
    /// # Errors
    ///
    /// If that is not possible: why.
    fn begin(&self, errand: &Errand<'_>) -> Result<(), String>;

    /// Waits a moment; gives how far all runs are, and the runs that have ended, each with what went wrong.
    ///
    /// # Errors
    ///
    /// If nobody can be asked: why.
    fn ended(&self) -> Result<Ended, String>;

    /// Has all runs under way come to an end that they can be resumed from.
    ///
    /// # Errors
    ///
    /// If nobody can be told: why.
    fn stop(&self) -> Result<(), String>;
}

/// How far runs are that are trained elsewhere.
#[derive(Debug, Default)]
pub struct Ended {
    /// Steps of all runs so far.
    pub steps: u64,
    /// Episodes of all runs so far.
    pub episodes: u64,
    /// The runs that have ended, each with what went wrong.
    pub runs: Vec<(usize, Result<(), String>)>,
}

/// The command that words are; `None` if they are none, which [`crate::main`] tells.
fn read(words: &[OsString]) -> Option<Command> {
    let matches = crate::families::add(Arguments::command()).try_get_matches_from(words).ok()?;
    Arguments::from_arg_matches(&matches).ok().map(|arguments| arguments.command)
}

/// Every file and folder of the user's that a command names, by the text that names it; none where the words are no command.
#[must_use]
pub fn files(words: &[OsString]) -> Vec<PathBuf> {
    let named = match read(words) {
        Some(Command::Eval(eval)) => eval.files(),
        Some(Command::Train(train)) => train.files(),
        _ => Vec::new(),
    };
    named.into_iter().map(PathBuf::from).collect()
}

/// What the words of `heldout eval` are to measure, on a machine where files of the user's lie elsewhere: `moved` says where.
///
/// # Errors
///
/// If they are no such words, or a file cannot be used: why.
pub fn evaluation(words: &[OsString], moved: &BTreeMap<String, String>, load: Load<'_>) -> Result<Evaluation, String> {
    match read(words) {
        Some(Command::Eval(mut eval)) => {
            eval.moved(moved);
            eval.evaluation(load).map_err(|error| format!("{error:#}"))
        }
        _ => Err("these are no words of `heldout eval`".to_owned()),
    }
}

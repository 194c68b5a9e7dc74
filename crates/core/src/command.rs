//! Subcommands that only one family has: described here as data, offered by the command line.
//!
//! A family says what a command takes and does the work; arguments are read, files written, progress shown and results
//! printed by the [`Host`], so that no family knows a terminal.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::entry::Entry;
use crate::kind::Speaker;
use crate::rng::Seed;

/// What a command cannot do: bad input, named with what is allowed.
pub type CommandError = Box<dyn Error + Send + Sync>;

/// One argument of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name: `--name` on the command line, unless it is positional.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// What stands for its value in the help; `None`: a flag.
    pub value: Option<&'static str>,
    /// The value unless told.
    pub default: Option<&'static str>,
    /// The environment variable that gives the value unless told.
    pub variable: Option<&'static str>,
    /// Whether it may be given more than once.
    pub many: bool,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it stands without its name.
    pub positional: bool,
}

impl Argument {
    /// A flag.
    #[must_use]
    pub const fn flag(name: &'static str, about: &'static str) -> Self {
        let (value, default, variable) = (None, None, None);
        Self { name, about, value, default, variable, many: false, required: false, positional: false }
    }

    /// An option with a value.
    #[must_use]
    pub const fn option(name: &'static str, value: &'static str, about: &'static str) -> Self {
        Self { value: Some(value), ..Self::flag(name, about) }
    }

    /// An argument without its name.
    #[must_use]
    pub const fn positional(name: &'static str, value: &'static str, about: &'static str) -> Self {
        Self { positional: true, ..Self::option(name, value, about) }
    }

    /// The same with a value unless told.
    #[must_use]
    pub const fn or(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    /// The same with an environment variable that gives the value unless told.
    #[must_use]
    pub const fn from(self, variable: &'static str) -> Self {
        Self { variable: Some(variable), ..self }
    }

    /// The same, to be given.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// The same, as often as one likes.
    #[must_use]
    pub const fn many(self) -> Self {
        Self { many: true, ..self }
    }
}

/// A subcommand.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The words that call it, after the name of the program.
    pub path: [&'static str; 2],
    /// What it does, in a sentence.
    pub about: &'static str,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// Whether it also takes the config of an environment, by `--set`.
    pub settings: bool,
    /// Does it.
    pub run: fn(&mut Call<'_>) -> Result<Said, CommandError>,
}

/// What a command says.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// For people.
    pub text: String,
    /// For programs: what `--json` prints.
    pub json: Value,
    /// Whether a check failed.
    pub failed: bool,
}

/// Episodes that a command wants played: each problem of a finite set once.
pub struct Playing<'a> {
    /// Which environment.
    pub entry: &'static Entry,
    /// Its config.
    pub overrides: &'a Map<String, Value>,
    /// Which policy.
    pub policy: &'a str,
    /// Root of every episode's seed.
    pub seed: u64,
    /// The metric that is asked for.
    pub metric: &'a str,
}

/// A language that a listener is to acquire: what is said of each look of each meaning.
#[derive(Clone, Copy, Debug)]
pub struct Acquired<'a> {
    /// The looks, `width` numbers each, one after another.
    pub stimuli: &'a [f32],
    /// Numbers of a look.
    pub width: usize,
    /// What is said of each, `length` tokens each.
    pub messages: &'a [u32],
    /// Tokens of a message.
    pub length: usize,
    /// The tokens are `1..=vocabulary`, and 0 the end of a sentence.
    pub vocabulary: u32,
    /// The number of the meaning that each is a look of.
    pub meanings: &'a [u32],
    /// Whether each meaning is held out, by its number.
    pub held_out: &'a [bool],
    /// How often the listener goes through all looks that are not held out.
    pub epochs: u32,
    /// Fixes the listener.
    pub seed: Seed,
}

/// What the command line does for a command.
pub trait Host {
    /// Writes a file whole or not at all.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), CommandError>;

    /// Begins to show progress over `total` things of this name.
    fn begin(&mut self, total: u64, unit: &'static str);

    /// One more is done.
    fn tick(&mut self);

    /// No more progress is shown.
    fn end(&mut self);

    /// Plays, and gives the metric of each problem in order.
    ///
    /// # Errors
    ///
    /// If it cannot be played.
    fn play(&mut self, playing: &Playing<'_>) -> Result<Vec<f32>, CommandError>;

    /// The speakers that a checkpoint of agents holds, one for each training seed.
    ///
    /// # Errors
    ///
    /// If it holds none, or none that was trained in this environment as `_config` has it.
    fn speakers(
        &mut self,
        path: &Path,
        _entry: &'static Entry,
        _config: &Value,
    ) -> Result<Vec<Arc<dyn Speaker>>, CommandError> {
        Err(format!("`{}` cannot be opened: there are no learners here", path.display()).into())
    }

    /// Trains a new listener on a language, and gives the share of games about held-out meanings that it gets right.
    ///
    /// # Errors
    ///
    /// If there is nothing to teach or to ask.
    fn acquire(&mut self, _language: &Acquired<'_>) -> Result<f64, CommandError> {
        Err("there are no learners here".into())
    }
}

/// A command with the values of its arguments.
pub struct Call<'a> {
    /// The values of each argument that was given or has one unless told; a flag that was given has an empty one.
    pub values: BTreeMap<&'static str, Vec<String>>,
    /// The config overrides.
    pub overrides: Map<String, Value>,
    /// The families' entries: a command may take an id.
    pub find: fn(&str) -> Result<&'static Entry, crate::entry::MakeError>,
    /// Who calls.
    pub host: &'a mut dyn Host,
}

impl Call<'_> {
    /// Whether the flag `name` was given.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// All values of `name`.
    #[must_use]
    pub fn all(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// The value of `name`, if there is one.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.all(name).last().map(String::as_str)
    }

    /// The value of `name`, which is required or has one unless told.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn needed(&self, name: &str) -> Result<&str, CommandError> {
        self.text(name).ok_or_else(|| format!("`--{name}` must be given").into())
    }

    /// The number that `name` gives, within `allowed`; `None` if it is not given.
    ///
    /// # Errors
    ///
    /// If it is no number, or outside.
    pub fn number(&self, name: &str, allowed: std::ops::RangeInclusive<u64>) -> Result<Option<u64>, CommandError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match text.parse() {
            Ok(n) if allowed.contains(&n) => Ok(Some(n)),
            _ => Err(format!("`--{name}` is `{text}`, must be {} to {}", allowed.start(), allowed.end()).into()),
        }
    }

    /// The number that `name` gives, which is required or has one unless told.
    ///
    /// # Errors
    ///
    /// If it is no number, outside `allowed`, or absent.
    pub fn count(&self, name: &str, allowed: std::ops::RangeInclusive<u64>) -> Result<u64, CommandError> {
        self.number(name, allowed)?.ok_or_else(|| format!("`--{name}` must be given").into())
    }
}

//! Kinds of tasks: how episodes come about that are neither a number of them nor a finite set.
//!
//! A protocol names a kind by its name. Evaluation asks it, for each run seed, what every condition of the task consists
//! of: problems made for whoever plays them, or something that is measured of a policy without playing.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::entry::Entry;
use crate::policy::Stop;
use crate::rng::Seed;

/// One condition of a task.
#[derive(Clone, Debug)]
pub struct AskedCondition<'a> {
    /// Its name.
    pub name: &'a str,
    /// The config overrides of task and condition.
    pub overrides: Map<String, Value>,
}

/// Who is asked.
#[derive(Clone, Copy)]
pub enum Player<'a> {
    /// Scripted policies: `NAME` or `AGENT=NAME,AGENT=NAME`.
    Scripted(&'a str),
    /// An agent that is not scripted.
    Agent(Told<'a>),
}

/// What an agent that is not scripted tells of itself.
#[derive(Clone, Copy, Default)]
pub struct Told<'a> {
    /// What it experienced in training.
    pub experience: Option<&'a [u8]>,
    /// What it would say, if it is one that speaks.
    pub speaker: Option<&'a Arc<dyn Speaker>>,
    /// The scripted policies that play the agents that it does not: `AGENT=NAME,…`; empty if there are none.
    pub partners: &'a str,
}

/// What a speaker is asked to put into words: all stimuli of one language.
#[derive(Clone, Copy, Debug)]
pub struct Stimuli<'a> {
    /// The whole config of the environment that they are from.
    pub config: &'a Value,
    /// Seed of the language: a speaker that leaves something to chance draws from it.
    pub seed: Seed,
    /// The stimuli as an observation shows them, one after another.
    pub numbers: &'a [f32],
    /// Numbers of a stimulus.
    pub width: usize,
    /// Tokens of an utterance.
    pub length: usize,
    /// The tokens are `1..=vocabulary`, and 0 the end of a sentence.
    pub vocabulary: u32,
}

/// An agent that can be asked what it says of stimuli, without a game: its weights are frozen, and so is what it
/// remembers.
pub trait Speaker: Send + Sync {
    /// Its utterances, [`Stimuli::length`] tokens of each stimulus, one after another.
    ///
    /// # Errors
    ///
    /// If it cannot speak of these: why.
    fn utter(&self, stimuli: &Stimuli<'_>) -> Result<Vec<u32>, String>;
}

/// A task of some kind, as a protocol describes it.
#[derive(Clone)]
pub struct Asked<'a> {
    /// The environment.
    pub entry: &'static Entry,
    /// The keys of the kind, beside its name.
    pub keys: &'a Map<String, Value>,
    /// The config overrides of the task, without those of a condition.
    pub overrides: &'a Map<String, Value>,
    /// The conditions.
    pub conditions: Vec<AskedCondition<'a>>,
    /// Episodes of each condition and seed, where protocol or caller tells.
    pub episodes: Option<u64>,
    /// Whether the caller, not the protocol, told the number of episodes: a finite set is cut to it then.
    pub cut: bool,
    /// Who plays.
    pub player: Player<'a>,
    /// Once it says so, nobody waits for what is prepared: whoever plays for it breaks off, and what is answered is dropped.
    pub stop: Stop<'a>,
}

/// A task that its kind cannot be asked of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindError {
    /// Which key of the task; with the name of the condition, where it is one's.
    pub key: String,
    /// Its value.
    pub value: String,
    /// What is allowed, as the end of a sentence.
    pub allowed: String,
}

/// The problems of one condition and run seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProblemSet {
    /// The config overrides that it is played under.
    pub overrides: Map<String, Value>,
    /// Content of a file that the overrides must name: the key, what to call the file, and its text.
    pub file: Option<(&'static str, String, String)>,
    /// How many of its problems are played; none leaves the condition empty for this seed.
    pub episodes: u64,
    /// Whose doing they are, for record and report, where each player has problems of its own.
    pub origin: Option<String>,
}

/// What one measurement gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// How much was measured: it stands for the length of an episode.
    pub length: u64,
    /// The numbers, by name.
    pub metrics: BTreeMap<String, f64>,
}

/// Something that is measured of a policy without playing.
pub trait Measured: Send + Sync {
    /// The policy as records name it.
    fn policy(&self) -> String;

    /// The names of the metrics.
    fn metrics(&self) -> &'static [&'static str];

    /// How many samples there are.
    fn samples(&self) -> u64;

    /// Takes the sample of this number.
    ///
    /// # Errors
    ///
    /// If whoever is measured gives no answer: why.
    fn sample(&self, number: u64) -> Result<Sample, String>;
}

/// What the conditions of a task consist of, for one run seed: one element per condition.
pub enum Prepared {
    /// Problems to play, or why this player cannot be given any.
    Problems(Vec<Result<ProblemSet, String>>),
    /// Things to measure.
    Measured(Vec<Arc<dyn Measured>>),
}

/// A way in which the tasks of one family come about.
pub trait Kind: Sync {
    /// What protocols call it.
    fn name(&self) -> &'static str;

    /// Checks the kind's keys and the names of the conditions, as far as that needs no environment.
    ///
    /// # Errors
    ///
    /// If one is not allowed.
    fn check(&self, keys: &Map<String, Value>, conditions: &[&str]) -> Result<(), KindError>;

    /// The scripted policy whose problems scales are measured on, where each player has problems of its own.
    fn reference(&self) -> Option<&'static str> {
        None
    }

    /// Whether this condition is played as its config says, whoever plays: no problems need to be made for it.
    fn stands(&self, _condition: &str) -> bool {
        false
    }

    /// What the report calls the episodes of this condition and its likes, taken together; `None` if it has none.
    fn merged(&self, _condition: &str) -> Option<&'static str> {
        None
    }

    /// What the conditions consist of for the run seed `seed`.
    ///
    /// # Errors
    ///
    /// If this task cannot be asked so, or this player cannot be asked: why.
    fn prepare(&self, asked: &Asked<'_>, seed: u64) -> Result<Prepared, String>;
}

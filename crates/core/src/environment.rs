//! The contract that an environment's author implements.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::policy::Scripted;
use crate::rng::Seed;
use crate::rows::Row;
use crate::spec::Spec;

/// How an episode stands after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// The episode goes on.
    #[default]
    Running,
    /// The task reached a terminal state: do not bootstrap.
    Terminated,
    /// The episode was cut: bootstrap.
    Truncated,
}

impl Status {
    /// Whether the episode is over.
    #[must_use]
    pub fn ended(self) -> bool {
        self != Self::Running
    }
}

/// Which episode to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Determines the episode and every later chance event in it.
    pub seed: Seed,
    /// The seed of the copy that plays it, from which [`Start::seed`] was derived.
    pub copy: Seed,
    /// Number of the episode within its copy, from zero.
    pub episode: u64,
    /// Which problem of the finite set; always given if [`Spec::problems`] is.
    pub problem: Option<u32>,
}

/// A picture to paint: RGB bytes, row by row from the top.
#[derive(Debug)]
pub struct Frame<'a> {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `width * height * 3` bytes.
    pub pixels: &'a mut [u8],
}

/// A config that does not describe an environment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {problem}")]
pub struct ConfigError {
    /// Dotted path of the offending key.
    pub field: String,
    /// What is wrong with it, as the end of a sentence that names the value and what is allowed.
    pub problem: String,
    /// What the machine would not give, where the value is one that another machine, or a later time, may allow.
    pub lack: Option<Lack>,
}

/// What a machine may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Memory for so many copies.
    Memory,
    /// Threads.
    Threads,
}

impl ConfigError {
    /// `field` is the key, `problem` the end of the sentence that begins with it.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into(), lack: None }
    }

    /// `value` of `field` is outside what `allowed` says.
    pub fn value(field: &str, value: impl std::fmt::Display, allowed: &str) -> Self {
        Self::new(field, format!("is `{value}`, must be {allowed}"))
    }

    /// `value` of `field` asks for more than the machine gives.
    pub(crate) fn lack(lack: Lack, field: &str, value: impl std::fmt::Display, why: &str) -> Self {
        Self { lack: Some(lack), ..Self::new(field, format!("is `{value}`, {why}")) }
    }
}

/// Bytes that cannot be taken as experience.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExperienceError {
    /// This environment, under this config, keeps none.
    #[error("this environment keeps no experience under this config")]
    None,
    /// They are not experience of this environment.
    #[error("not experience of this environment: {problem}")]
    Foreign {
        /// What is wrong with them.
        problem: String,
    },
}

/// The rules of one environment: immutable, shared by every copy in a batch.
///
/// All that changes lives in [`Environment::State`], its generator included.
pub trait Environment: Sized + Send + Sync + 'static {
    /// Everything fixed for the life of an instance; `default()` is the documented task.
    ///
    /// Derive it with `#[serde(default, deny_unknown_fields)]`.
    type Config: Default + Clone + Send + Sync + Serialize + DeserializeOwned;
    /// Everything that changes.
    type State: Clone + Send + Sync + Serialize + DeserializeOwned;
    /// One agent's decoded action.
    type Action: Copy + Send + Sync;
    /// What tells apart the tasks that these rules play: a value, not a type. `()` where there is one task, or where tasks
    /// differ in the type of their state or config.
    type Variant: Copy + Send + Sync + 'static;

    /// Checks `config`, reads the files it names, precomputes tables.
    ///
    /// # Errors
    ///
    /// If `config` does not describe an environment.
    fn new(config: &Self::Config, variant: Self::Variant) -> Result<Self, ConfigError>;

    /// Sizes and bounds. Constant for the life of `self`.
    fn spec(&self) -> &Spec;

    /// The action that `raw` stands for; `None` exactly if `raw` is outside the agent's action space.
    fn decode(&self, agent: usize, raw: &[i32]) -> Option<Self::Action>;

    /// Writes integers that [`Environment::decode`] takes for `action`.
    fn encode(&self, agent: usize, action: Self::Action, raw: &mut [i32]);

    /// A fresh episode. Reserves all the memory that later steps and restarts will need.
    fn start(&self, start: Start) -> Self::State;

    /// Begins an episode in place, without allocating. What outlives an episode (experience) stays.
    fn restart(&self, state: &mut Self::State, start: Start);

    /// Reserves again what [`Environment::start`] reserves, in a state that was read from bytes.
    fn reserve(&self, _state: &mut Self::State) {}

    /// Checks that the rules could have made a state that was read from bytes: that every other method, and every policy
    /// that is shown it, can go on from it. Called when a state is restored, and by nothing that runs at every step.
    ///
    /// # Errors
    ///
    /// If they could not: one sentence that names the quantity, its value and what is allowed; see [`crate::check`].
    fn check(&self, state: &Self::State) -> Result<(), String>;

    /// Advances one step. `actions` and `rewards` hold one element per agent; every reward is written.
    fn step(&self, state: &mut Self::State, actions: &[Self::Action], rewards: &mut [f32]) -> Status;

    /// Writes what `agent` sees: every element of every field.
    fn observe(&self, state: &Self::State, agent: usize, row: Row<'_, '_>);

    /// Paints the state for people, from `agent`'s side; the frame has the size that [`Spec::frame`] says.
    fn draw(&self, state: &Self::State, agent: usize, frame: Frame<'_>);

    /// The state for readers of a transcript: a line of words, or a small map of several lines.
    fn words(&self, state: &Self::State) -> String;

    /// Writes the metrics that [`Spec::metrics`] lists, in its order. All are finite at any time.
    fn metrics(&self, state: &Self::State, values: &mut [f32]);

    /// The scripted policies beside `random`, which every environment has.
    #[must_use]
    fn policies() -> Vec<Scripted<Self>> {
        Vec::new()
    }

    /// What the agent has experienced in this copy, as bytes; `None` if the rules keep no account of it.
    fn experience(&self, _state: &Self::State) -> Option<Vec<u8>> {
        None
    }

    /// Takes bytes of [`Environment::experience`] as what the agent has experienced.
    ///
    /// # Errors
    ///
    /// If the rules keep none, or the bytes are not theirs; `state` is unchanged then.
    fn set_experience(&self, _state: &mut Self::State, _bytes: &[u8]) -> Result<(), ExperienceError> {
        Err(ExperienceError::None)
    }

    /// Adds bytes of [`Environment::experience`], of another copy, to what the agent has experienced.
    ///
    /// # Errors
    ///
    /// If the rules keep none, or the bytes are not theirs; `state` is unchanged then.
    fn merge_experience(&self, _state: &mut Self::State, _bytes: &[u8]) -> Result<(), ExperienceError> {
        Err(ExperienceError::None)
    }

    /// Forgets what the agent has experienced.
    ///
    /// # Errors
    ///
    /// If the rules keep none.
    fn clear_experience(&self, _state: &mut Self::State) -> Result<(), ExperienceError> {
        Err(ExperienceError::None)
    }
}

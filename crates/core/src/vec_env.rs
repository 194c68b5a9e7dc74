//! The object-safe face of a batch: what the command line, Python, learners and evaluation hold.

use serde::{Deserialize, Serialize};

use crate::environment::{ConfigError, ExperienceError, Frame, Status};
use crate::policy::{PolicyInfo, Stop};
use crate::rng::Seed;
use crate::rows::{Rows, RowsRef};
use crate::spec::{ActionSpace, Spec};

/// What happens to a copy whose episode has ended. The names are Gymnasium's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Autoreset {
    /// The next step restarts it whatever its action (which must still be one of the space), and returns the first
    /// observation with reward zero.
    #[default]
    NextStep,
    /// The step that ends it restarts it too; the last observation is written to [`Output::last`].
    SameStep,
    /// Nothing: stepping it is an error until a [`Reset::mask`] names it.
    Disabled,
}

/// How a batch runs; none of it changes a trajectory but [`Options::max_steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The registered name, which saved states carry: two environments never take each other's.
    pub id: &'static str,
    /// What happens after an episode.
    pub autoreset: Autoreset,
    /// Steps after which an episode is cut, beside the environment's own cap.
    pub max_steps: Option<u32>,
    /// Threads that the copies are spread over; one thread means the caller's.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { id: "", autoreset: Autoreset::NextStep, max_steps: None, threads: 1 }
    }
}

impl Options {
    /// Checks the options for a batch of `len` copies.
    ///
    /// # Errors
    ///
    /// If one is out of range.
    pub fn check(&self, len: usize) -> Result<(), ConfigError> {
        const MOST: usize = 1 << 20;
        if !(1..=MOST).contains(&len) {
            return Err(ConfigError::value("envs", len, &format!("1 to {MOST}")));
        }
        if !(1..=1024).contains(&self.threads) {
            return Err(ConfigError::value("threads", self.threads, "1 to 1024"));
        }
        if self.max_steps == Some(0) {
            return Err(ConfigError::value("max_steps", 0, "at least 1"));
        }
        Ok(())
    }
}

/// Which streams the copies follow from a reset on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seeding<'a> {
    /// Each copy goes on to its next episode.
    #[default]
    Keep,
    /// Copy `i` follows `seed.derive(i)`, from episode zero.
    Root(Seed),
    /// Each copy follows the seed given, from episode zero; `None` goes on to its next episode.
    Copies(&'a [Option<Seed>]),
}

/// What to reset, and to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reset<'a> {
    /// The streams to follow.
    pub seeds: Seeding<'a>,
    /// A problem for each copy, for this episode only; `None`, or an empty slice: the next in its order.
    pub problems: &'a [Option<u32>],
    /// Which copies; `None`: all.
    pub mask: Option<&'a [bool]>,
}

impl Reset<'_> {
    /// Every copy begins episode zero of its stream below `seed`.
    #[must_use]
    pub const fn seed(seed: Seed) -> Self {
        Self { seeds: Seeding::Root(seed), problems: &[], mask: None }
    }
}

/// Where same-step autoreset leaves what the ended episode ended with. Only rows of ended copies are written.
#[derive(Debug)]
pub struct Last<'a> {
    /// Observations.
    pub rows: Rows<'a>,
    /// Metrics.
    pub metrics: &'a mut [f32],
}

/// Where a batch writes: the caller's memory.
#[derive(Debug)]
pub struct Output<'a> {
    /// Observations: one row per agent.
    pub rows: Rows<'a>,
    /// Rewards: one an agent.
    pub rewards: &'a mut [f32],
    /// How each copy's episode stands.
    pub status: &'a mut [Status],
    /// Metrics: one row per copy. Written at every call if any metric is of every step, else where an episode has ended;
    /// under same-step autoreset those of the ended episode are in [`Output::last`].
    pub metrics: &'a mut [f32],
    /// The ends of episodes; needed by steps under [`Autoreset::SameStep`] alone.
    pub last: Option<Last<'a>>,
}

impl Output<'_> {
    /// Splits after `envs` copies of `agents` agents and `metrics` metrics.
    pub(crate) fn split(self, envs: usize, agents: usize, metrics: usize) -> (Self, Self) {
        let (rows_a, rows_b) = self.rows.split(envs * agents);
        let (rewards_a, rewards_b) = self.rewards.split_at_mut(envs * agents);
        let (status_a, status_b) = self.status.split_at_mut(envs);
        let (metrics_a, metrics_b) = self.metrics.split_at_mut(envs * metrics);
        let (last_a, last_b) = self
            .last
            .map(|last| {
                let (rows_a, rows_b) = last.rows.split(envs * agents);
                let (metrics_a, metrics_b) = last.metrics.split_at_mut(envs * metrics);
                (Last { rows: rows_a, metrics: metrics_a }, Last { rows: rows_b, metrics: metrics_b })
            })
            .unzip();
        (
            Self { rows: rows_a, rewards: rewards_a, status: status_a, metrics: metrics_a, last: last_a },
            Self { rows: rows_b, rewards: rewards_b, status: status_b, metrics: metrics_b, last: last_b },
        )
    }
}

/// A call that a batch cannot carry out. The batch and the output are unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// An action outside the space.
    #[error("copy {env}, agent `{agent}`: `{action:?}` is not an action of {space}")]
    InvalidAction {
        /// Which copy.
        env: usize,
        /// Which agent.
        agent: &'static str,
        /// What it was asked to do.
        action: Vec<i32>,
        /// What it may do.
        space: ActionSpace,
    },
    /// Memory, or a list with one element per copy, of a wrong size.
    #[error("`{what}` has {found} elements, must have {expected}")]
    Size {
        /// What is of a wrong size.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The size it must have.
        expected: usize,
    },
    /// Memory of another element type than the field's.
    #[error("observation field `{field}` is of {expected}, the memory given is not")]
    Dtype {
        /// Which field.
        field: &'static str,
        /// Its element type.
        expected: &'static str,
    },
    /// Same-step autoreset without memory for the ends of episodes.
    #[error("same-step autoreset needs memory for the last observations")]
    NoLast,
    /// A step of a copy whose episode has ended, while autoreset is disabled.
    #[error("the episode of copy {env} has ended: reset it before the next step")]
    Ended {
        /// Which copy.
        env: usize,
    },
    /// A reset that names no copy.
    #[error("the reset mask selects no copy")]
    EmptyMask,
    /// A problem outside the finite set.
    #[error("copy {env}: there is no problem {problem}; {}", allowed(*problems))]
    Problem {
        /// Which copy.
        env: usize,
        /// The problem asked for.
        problem: u32,
        /// How many there are; `None`: the environment has no numbered problems.
        problems: Option<u32>,
    },
    /// No such copy.
    #[error("there is no copy {env}; the batch has {len}")]
    Copy {
        /// Which copy.
        env: usize,
        /// How many there are.
        len: usize,
    },
    /// No such agent.
    #[error("there is no agent {agent}; the environment has {agents}")]
    Agent {
        /// Which agent.
        agent: usize,
        /// How many there are.
        agents: usize,
    },
    /// No such policy for that agent.
    #[error("agent `{agent}` has no policy `{policy}`; it has {}", listed(known))]
    Policy {
        /// The agent.
        agent: &'static str,
        /// The name asked for.
        policy: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A policy that cannot play under this config.
    #[error("agent `{agent}` cannot play `{policy}`: {problem}")]
    Unfit {
        /// The agent.
        agent: &'static str,
        /// Which policy.
        policy: &'static str,
        /// Why not.
        problem: String,
    },
    /// A state that cannot be serialised.
    #[error("the state cannot be saved: {problem}")]
    Save {
        /// What the format says.
        problem: String,
    },
    /// Bytes that are not a saved state of this environment.
    #[error("not a saved state of this environment: {problem}")]
    Restore {
        /// What is wrong with them.
        problem: String,
    },
    /// Bytes that cannot be taken as experience.
    #[error(transparent)]
    Experience(#[from] ExperienceError),
    /// A policy that was told to break off its work.
    #[error("the policies were told to stop before all of them had chosen")]
    Stopped,
}

fn allowed(problems: Option<u32>) -> String {
    match problems {
        Some(n) => format!("problems are 0 to {}", n - 1),
        None => "this environment has no numbered problems".to_owned(),
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// Copies of one environment under one config, stepped together.
pub trait VecEnv: Send {
    /// Sizes and bounds of one copy. Its metrics begin with the engine's: `return` (the mean over agents), `length`
    /// and, where there are several agents, `return_<agent>` of each.
    fn spec(&self) -> &Spec;

    /// Number of copies.
    fn len(&self) -> usize;

    /// Whether there are no copies.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What happens after an episode.
    fn autoreset(&self) -> Autoreset;

    /// Begins episodes and writes the observations of every copy.
    ///
    /// # Errors
    ///
    /// If a size, a problem or the mask does not fit; nothing changes then.
    fn reset(&mut self, reset: Reset<'_>, out: Output<'_>) -> Result<(), BatchError>;

    /// Steps every copy: `actions` holds [`Spec::action_width`] integers a copy.
    ///
    /// # Errors
    ///
    /// If an action is outside its space, a size does not fit, or an ended copy was not reset; nothing changes then.
    fn step(&mut self, actions: &[i32], out: Output<'_>) -> Result<(), BatchError>;

    /// Writes the observations and status of every copy as they stand, with rewards zero.
    ///
    /// # Errors
    ///
    /// If a size does not fit.
    fn observe(&self, out: Output<'_>) -> Result<(), BatchError>;

    /// Bytes that [`VecEnv::restore`] takes, in any process.
    ///
    /// # Errors
    ///
    /// If there is no such copy.
    fn save(&self, env: usize) -> Result<Vec<u8>, BatchError>;

    /// Puts copy `env` into a saved state, experience included. Policies seated at it begin with a fresh memory: only the
    /// environment is saved.
    ///
    /// # Errors
    ///
    /// If there is no such copy, or `bytes` is damaged, was saved under another config or other data, or tells of a state
    /// that the rules could not have made; nothing changes then.
    fn restore(&mut self, env: usize, bytes: &[u8]) -> Result<(), BatchError>;

    /// Paints copy `env` for people, from `agent`'s side, in a frame of the size [`Spec::frame`] says.
    ///
    /// # Errors
    ///
    /// If there is no such copy or agent, or the frame is of another size.
    fn draw(&self, env: usize, agent: usize, frame: Frame<'_>) -> Result<(), BatchError>;

    /// The state of copy `env` for readers: a line of words, or a small map of several lines.
    ///
    /// # Errors
    ///
    /// If there is no such copy.
    fn words(&self, env: usize) -> Result<String, BatchError>;

    /// Writes the metrics of copy `env` as they stand.
    ///
    /// # Errors
    ///
    /// If there is no such copy, or `values` is of another size.
    fn metrics(&self, env: usize, values: &mut [f32]) -> Result<(), BatchError>;

    /// The problem that copy `env` plays, where the set is finite.
    ///
    /// # Errors
    ///
    /// If there is no such copy.
    fn problem(&self, env: usize) -> Result<Option<u32>, BatchError>;

    /// What has been experienced in copy `env`; `None` where the environment keeps no account of it.
    ///
    /// # Errors
    ///
    /// If there is no such copy.
    fn experience(&self, env: usize) -> Result<Option<Vec<u8>>, BatchError>;

    /// Takes `bytes` as what has been experienced in copy `env`.
    ///
    /// # Errors
    ///
    /// If there is no such copy, or the bytes do not fit.
    fn set_experience(&mut self, env: usize, bytes: &[u8]) -> Result<(), BatchError>;

    /// Adds `bytes`, another copy's experience, to that of copy `env`.
    ///
    /// # Errors
    ///
    /// If there is no such copy, or the bytes do not fit.
    fn merge_experience(&mut self, env: usize, bytes: &[u8]) -> Result<(), BatchError>;

    /// Forgets what has been experienced in copy `env`.
    ///
    /// # Errors
    ///
    /// If there is no such copy, or the environment keeps no account of it.
    fn clear_experience(&mut self, env: usize) -> Result<(), BatchError>;

    /// The scripted policies.
    fn policies(&self) -> Vec<PolicyInfo>;

    /// Seats the scripted policy `policy` at `agent`; `seed` tells apart repetitions on the same problems.
    ///
    /// # Errors
    ///
    /// If there is no such agent, it has no such policy, or that policy cannot play under this config.
    fn seat(&mut self, agent: usize, policy: &str, seed: Seed) -> Result<(), BatchError>;

    /// Writes the actions of every agent that has a policy seated; the others' are left as they are.
    ///
    /// `rows` are the observations last written.
    ///
    /// # Errors
    ///
    /// If a size does not fit.
    fn act(&mut self, rows: &RowsRef<'_>, actions: &mut [i32]) -> Result<(), BatchError> {
        self.act_until(rows, actions, &|| false)
    }

    /// The same; policies that take long ask `stop` now and then, and break off once it says so.
    ///
    /// # Errors
    ///
    /// If a size does not fit, or a policy broke off: then `actions` mean nothing, and all policies begin with a fresh memory.
    fn act_until(&mut self, rows: &RowsRef<'_>, actions: &mut [i32], stop: Stop<'_>) -> Result<(), BatchError>;
}

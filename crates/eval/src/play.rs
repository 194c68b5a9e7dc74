//! Playing episodes of one environment with scripted policies.

use heldout_core::{
    Autoreset, BatchError, Buffers, ExperienceError, Options, Reset, Scope, Seed, Seeding, Source, Spec, VecEnv,
};
use heldout_envs::registry::{Entry, MakeError};
use serde_json::{Map, Value};

use crate::stats::{Estimate, estimate, weighted_estimate};

/// Bytes of observations that a run keeps in memory at the most.
const MEMORY: usize = 64 << 20;
/// Copies that play at once at the most.
const MOST_COPIES: usize = 256;

/// Episodes of a run at the most.
const MOST_EPISODES: usize = 10_000_000;

/// Which episodes to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Episodes {
    /// This many, each of a stream of its own.
    Count(usize),
    /// Each problem of a finite set once.
    All,
}

/// The policy of each agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seats(Vec<String>);

impl Seats {
    /// Reads `name`, for every agent, or `agent=name,agent=name`.
    ///
    /// # Errors
    ///
    /// If an agent is unknown, named twice, or left without a policy.
    pub fn parse(text: &str, spec: &Spec) -> Result<Self, PlayError> {
        let known = || spec.agents.iter().map(|a| a.name).collect::<Vec<_>>();
        if !text.contains('=') {
            return Ok(Self(vec![text.to_owned(); spec.agents.len()]));
        }
        let mut seats: Vec<Option<String>> = vec![None; spec.agents.len()];
        for part in text.split(',') {
            let bad = || PlayError::Seats { part: part.to_owned(), agents: known() };
            let (agent, policy) = part.split_once('=').ok_or_else(bad)?;
            let seat = &mut seats[spec.agent(agent).ok_or_else(bad)?];
            if seat.replace(policy.to_owned()).is_some() {
                return Err(bad());
            }
        }
        let missing = seats.iter().position(Option::is_none);
        if let Some(agent) = missing {
            return Err(PlayError::Empty { agent: spec.agents[agent].name });
        }
        Ok(Self(seats.into_iter().flatten().collect()))
    }

    /// Seats the policies in `env`.
    ///
    /// # Errors
    ///
    /// If an agent has no such policy.
    pub fn seat(&self, env: &mut dyn VecEnv, seed: Seed) -> Result<(), BatchError> {
        self.0.iter().enumerate().try_for_each(|(agent, policy)| env.seat(agent, policy, seed))
    }
}

/// What a run cannot do.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// A part of the policy list that names no agent, or one twice.
    #[error("`{part}` does not give one policy to one agent; agents are {agents:?}, each named once")]
    Seats {
        /// The part.
        part: String,
        /// The agents there are.
        agents: Vec<&'static str>,
    },
    /// An agent without a policy.
    #[error("agent `{agent}` is given no policy")]
    Empty {
        /// Which agent.
        agent: &'static str,
    },
    /// All problems of a set that has no end.
    #[error("`{id}` has no finite problem set under this config: give a number of episodes")]
    Endless {
        /// Which environment.
        id: &'static str,
    },
    /// No episodes at all, or more than can be kept.
    #[error("the number of episodes is {count}, must be 1 to {MOST_EPISODES}")]
    Count {
        /// The number asked for.
        count: usize,
    },
    /// The environment cannot be made.
    #[error(transparent)]
    Make(#[from] MakeError),
    /// The batch refuses.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

/// One environment, its policies and how much to play.
pub struct Run<'a> {
    /// Which environment.
    pub entry: &'static Entry,
    /// Its config.
    pub overrides: &'a Map<String, Value>,
    /// `name`, or `agent=name,…`.
    pub policy: &'a str,
    /// Which episodes.
    pub episodes: Episodes,
    /// Root of every episode's seed.
    pub seed: u64,
    /// Threads to spread over.
    pub threads: usize,
}

/// How one episode ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// Which problem it was, where the set is finite.
    pub problem: Option<u32>,
    /// The metrics that speak at an episode's end.
    pub metrics: Vec<f32>,
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Names of the metrics.
    pub names: Vec<String>,
    /// Which of them weighs each in a mean, if any.
    pub weights: Vec<Option<usize>>,
    /// Data that the rules were built from.
    pub sources: Vec<Source>,
    /// The episodes, in the order of their numbers.
    pub episodes: Vec<Episode>,
}

impl Played {
    /// Each metric's mean and interval over the episodes, weighed where its spec says so.
    #[must_use]
    pub fn estimates(&self) -> Vec<(&str, Estimate)> {
        let column = |m: usize| self.episodes.iter().map(|e| f64::from(e.metrics[m])).collect::<Vec<_>>();
        let all = self.names.iter().zip(&self.weights).enumerate();
        all.filter_map(|(m, (name, weight))| {
            let estimate = match weight {
                Some(weight) => weighted_estimate(&column(m), &column(*weight)),
                None => estimate(&column(m)),
            };
            Some((name.as_str(), estimate?))
        })
        .collect()
    }
}

impl Run<'_> {
    /// Plays; `progress` hears how many episodes have ended, of how many.
    ///
    /// # Errors
    ///
    /// If the run does not describe something that can be played.
    pub fn play(&self, mut progress: impl FnMut(usize, usize)) -> Result<Played, PlayError> {
        let probe = self.entry.make(self.overrides, 1, Options::default())?;
        let spec = probe.spec().clone();
        drop(probe);
        let seats = Seats::parse(self.policy, &spec)?;
        let total = match self.episodes {
            Episodes::Count(n) => n,
            Episodes::All => spec.problems.ok_or(PlayError::Endless { id: self.entry.id() })? as usize,
        };
        if !(1..=MOST_EPISODES).contains(&total) {
            return Err(PlayError::Count { count: total });
        }
        let fitting = MEMORY / (spec.row_bytes() * spec.agents.len()).max(1);
        let copies = total.min(MOST_COPIES).min(fitting.max(1));
        let options = Options { autoreset: Autoreset::Disabled, threads: self.threads, ..Options::default() };
        let mut env = self.entry.make(self.overrides, copies, options)?;
        seats.seat(&mut *env, Seed(0))?;
        let all = env.spec().metrics.iter().enumerate();
        let told: Vec<usize> = all.filter(|(_, m)| m.scope == Scope::Episode).map(|(i, _)| i).collect();
        let names: Vec<String> = told.iter().map(|&i| env.spec().metrics[i].name.clone()).collect();
        let weight = |&i: &usize| names.iter().position(|name| Some(name.as_str()) == env.spec().metrics[i].weight);
        let weights = told.iter().map(weight).collect();

        let mut table = Table { run: self, total, next: 0, playing: vec![None; copies], ended: 0 };
        let mut buffers = Buffers::new(env.spec(), copies);
        let mut actions = vec![0; copies * env.spec().action_width()];
        let mut episodes: Vec<Option<Episode>> = vec![None; total];
        table.deal(&mut *env, &mut buffers, &vec![true; copies])?;
        let width = env.spec().metrics.len();
        while table.ended < total {
            env.act(&buffers.rows(), &mut actions)?;
            env.step(&actions, buffers.output())?;
            let ended: Vec<bool> = buffers.status.iter().map(|s| s.ended()).collect();
            if !ended.contains(&true) {
                continue;
            }
            for copy in (0..copies).filter(|&copy| ended[copy]) {
                if let Some(number) = table.playing[copy] {
                    let metrics = told.iter().map(|&i| buffers.metrics[copy * width + i]).collect();
                    episodes[number] = Some(Episode { problem: env.problem(copy)?, metrics });
                    table.ended += 1;
                }
            }
            progress(table.ended, total);
            table.deal(&mut *env, &mut buffers, &ended)?;
        }
        Ok(Played { names, weights, sources: spec.sources, episodes: episodes.into_iter().flatten().collect() })
    }
}

/// Which copy plays which episode.
struct Table<'a, 'b> {
    run: &'a Run<'b>,
    total: usize,
    next: usize,
    /// The number of the episode that each copy plays; `None` once there are no more: what it plays then is dropped.
    playing: Vec<Option<usize>>,
    ended: usize,
}

impl Table<'_, '_> {
    /// Gives the next episodes to the copies that `mask` marks.
    fn deal(&mut self, env: &mut dyn VecEnv, buffers: &mut Buffers, mask: &[bool]) -> Result<(), BatchError> {
        let mut seeds = vec![None; mask.len()];
        let mut problems = vec![None; mask.len()];
        for copy in (0..mask.len()).filter(|&copy| mask[copy]) {
            // An episode must not depend on what its copy has played before; most environments keep nothing anyway.
            match env.clear_experience(copy) {
                Err(BatchError::Experience(ExperienceError::None)) | Ok(()) => {}
                Err(error) => return Err(error),
            }
            self.playing[copy] = (self.next < self.total).then_some(self.next);
            if let Some(number) = self.playing[copy] {
                self.next += 1;
                seeds[copy] = Some(Seed(self.run.seed).derive(number as u64));
                if self.run.episodes == Episodes::All {
                    problems[copy] = Some(number as u32);
                }
            }
        }
        env.reset(Reset { seeds: Seeding::Copies(&seeds), problems: &problems, mask: Some(mask) }, buffers.output())
    }
}

//! Playing episodes of one environment.

use std::ops::{ControlFlow, Range};

use heldout_core::{
    Autoreset, BatchError, Buffers, Entry, ExperienceError, MakeError, Options, PolicyInfo, Reset, Scope, Seed,
    Seeding, Source, Spec, Status, Stop, VecEnv,
};
use serde_json::{Map, Value};

use crate::entrant::{Entrant, Place};
use crate::records::Trace;
use crate::results::by_problem;
use crate::seating::Seating;
use crate::stratum::{Measured, Scored, Stratum};

/// Bytes of observations that a run keeps in memory at the most.
const MEMORY: usize = 64 << 20;
/// Copies that play at once at the most.
const MOST_COPIES: usize = 256;
/// Copies that an agent plays at once at the most: it answers many in one go, in a batch of the same size everywhere.
pub(crate) const AGENT_COPIES: usize = 32;

/// Episodes of a run at the most.
const MOST_EPISODES: usize = 10_000_000;

/// What an agent plays that has no policy of the name given to all.
pub(crate) const PARTNER: &str = "oracle";

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
    /// These policies, one of each agent.
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self(names)
    }

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

    /// Reads the same, but gives a plain name only to the agents that have a policy of that name; an agent without one
    /// plays `oracle`. So one name makes a pair of every policy: the partner of a listener's policy is the best speaker.
    ///
    /// # Errors
    ///
    /// As [`Seats::parse`], and if no agent has a policy of that name.
    pub fn fitting(text: &str, spec: &Spec, policies: &[PolicyInfo]) -> Result<Self, PlayError> {
        if text.contains('=') {
            return Self::parse(text, spec);
        }
        let has = |agent: usize| policies.iter().any(|p| p.name == text && p.agent.is_none_or(|a| a == agent));
        if !(0..spec.agents.len()).any(has) {
            let mut known: Vec<&'static str> = policies.iter().map(|p| p.name).collect();
            known.sort_unstable();
            known.dedup();
            return Err(PlayError::Policy { policy: text.to_owned(), known });
        }
        let seat = |agent: usize| if has(agent) { text } else { PARTNER }.to_owned();
        Ok(Self((0..spec.agents.len()).map(seat).collect()))
    }

    /// The policy of each agent.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// The shortest text that [`Seats::parse`] reads as this.
    #[must_use]
    pub fn text(&self, spec: &Spec) -> String {
        match self.0.as_slice() {
            [first, rest @ ..] if rest.iter().all(|name| name == first) => first.clone(),
            all => {
                let pairs = spec.agents.iter().zip(all).map(|(agent, name)| format!("{}={name}", agent.name));
                pairs.collect::<Vec<_>>().join(",")
            }
        }
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
    /// A name that no agent has a policy of.
    #[error("there is no policy `{policy}` here; there are {}", known.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))]
    Policy {
        /// The name.
        policy: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// Someone who asks to see or act in a way that is not theirs to choose.
    #[error("{0}")]
    View(String),
    /// A policy that is not scripted refuses or breaks down.
    #[error("the policy failed: {0}")]
    Actor(String),
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
    /// Who plays. It sees as it asks to, where the config does not say; of an agent that is several policies, the first
    /// plays.
    pub entrant: &'a Entrant,
    /// Which episodes.
    pub episodes: Episodes,
    /// Root of every episode's seed.
    pub seed: u64,
    /// Threads to spread over.
    pub threads: usize,
}

/// What a policy that is not scripted is asked: one action of every agent of every copy.
pub struct Turn<'a> {
    /// Sizes and names.
    pub spec: &'a Spec,
    /// The whole config that is played under, for whoever must know which data are shown: the numbers of words depend on
    /// them. It says what is held out too, so no policy is to be shown it.
    pub config: &'a Value,
    /// The observations: one row per agent of each copy.
    pub observation: &'a Buffers,
    /// What the last step paid every agent of each copy; zero at the first step of an episode.
    pub rewards: &'a [f32],
    /// The metrics after the last step, [`Spec::metrics`] a copy; zero at the first step of an episode. Those that speak at
    /// an episode's end are not to be read.
    pub metrics: &'a [f32],
    /// Which copies are at the first step of an episode.
    pub starts: &'a [bool],
    /// Which copies play an episode that counts; what the others do is dropped, but must be an action.
    pub playing: &'a [bool],
    /// Seed of each copy's episode, for policies that leave something to chance.
    pub seeds: &'a [Seed],
    /// What all agents did at the last step, [`Spec::action_width`] integers a copy; nothing to go by at the first of an episode.
    pub done: &'a [i32],
    /// Which agents of the environment it plays; what it does for the others is dropped.
    pub agents: &'a [bool],
    /// Where the actions go: [`Spec::action_width`] integers a copy.
    pub actions: &'a mut [i32],
}

/// A policy that is not scripted, in play at one batch: a trained network, a caller's function.
pub trait Actor {
    /// Chooses the actions.
    ///
    /// # Errors
    ///
    /// If it cannot: why.
    fn act(&mut self, turn: Turn<'_>) -> Result<(), String>;
}

/// How one episode ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// Which problem it was, where the set is finite.
    pub problem: Option<u32>,
    /// Terminated or truncated.
    pub status: Status,
    /// The metrics that speak at an episode's end.
    pub metrics: Vec<f32>,
    /// What was done, where somebody asked for it.
    pub trace: Option<Trace>,
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Names of the metrics.
    pub names: Vec<String>,
    /// Which of them weighs each in a mean, if any.
    pub weights: Vec<Option<usize>>,
    /// Which of them are shares.
    pub shares: Vec<bool>,
    /// Data that the rules were built from.
    pub sources: Vec<Source>,
    /// The episodes, in the order of their numbers.
    pub episodes: Vec<Episode>,
}

impl Played {
    /// Each metric's mean and interval over the episodes in which it is a number, weighed where its spec says so.
    #[must_use]
    pub fn estimates(&self) -> Vec<(&str, Measured)> {
        let all = self.names.iter().zip(&self.weights).zip(&self.shares).enumerate();
        all.filter_map(|(m, ((name, weight), &share))| {
            let scored = |e: &Episode| {
                let weight = weight.map_or(1.0, |w| f64::from(e.metrics[w]));
                Some((e.problem, Scored { value: f64::from(e.metrics[m]), weight }))
                    .filter(|(_, e)| e.value.is_finite())
            };
            // As records are read: who is asked the same twice tells nothing new of other problems.
            let episodes = by_problem(self.episodes.iter().filter_map(scored).collect());
            Some((name.as_str(), Stratum::of_episodes(episodes, share.then_some([0.0, 1.0])).measured()?))
        })
        .collect()
    }
}

impl Run<'_> {
    fn place(&self) -> Place<'_> {
        Place { entry: self.entry, protocol: "", task: "", set: None, run: 0, seed: self.seed }
    }

    /// The config overrides that are played under: those given, over how the entrant asks to see and act.
    ///
    /// # Errors
    ///
    /// If it asks for what is not its to choose.
    pub fn overrides(&self) -> Result<Map<String, Value>, PlayError> {
        let mut all = self.entrant.view(&self.place()).map_err(PlayError::View)?;
        all.extend(self.overrides.clone());
        Ok(all)
    }

    /// Plays; `progress` hears how many episodes have ended, of how many.
    ///
    /// # Errors
    ///
    /// If the run does not describe something that can be played.
    pub fn play(&self, mut progress: impl FnMut(usize, usize)) -> Result<Played, PlayError> {
        let place = self.place();
        let overrides = self.overrides()?;
        let probe = self.entry.make(&overrides, 1, Options::default())?;
        let spec = probe.spec().clone();
        drop(probe);
        let seating = Seating::strict(self.entrant, &place, &spec)?;
        let total = match self.episodes {
            Episodes::Count(n) => n,
            Episodes::All => spec.problems.ok_or(PlayError::Endless { id: self.entry.id() })? as usize,
        };
        if !(1..=MOST_EPISODES).contains(&total) {
            return Err(PlayError::Count { count: total });
        }
        let most = if seating.has_agents() { AGENT_COPIES } else { MOST_COPIES };
        let copies = copies(&spec, total.min(most));
        let mut table = Table::new(self.entry, &overrides, copies, self.threads)?;
        let mut actor = seating.sit(&mut *table.env, &place)?;
        let mut episodes: Vec<Option<Episode>> = vec![None; total];
        let mut ended = 0;
        let all = self.episodes == Episodes::All;
        let deal = Deal { seed: Seed(self.seed), numbers: 0..total as u64, problems: all.then_some(total as u64) };
        let actor = actor.as_mut().map(|actor| &mut **actor as &mut dyn Actor);
        table.play(&deal, actor, &|| false, |event| {
            if let Event::Ended(number, episode) = event {
                episodes[number as usize] = Some(episode);
                ended += 1;
                progress(ended, total);
            }
            ControlFlow::Continue(())
        })?;
        let (names, weights) = (table.names.clone(), table.weights.clone());
        let told = table.shares().collect::<Vec<_>>();
        let shares = names.iter().map(|name| told.contains(name)).collect();
        Ok(Played { names, weights, shares, sources: spec.sources, episodes: episodes.into_iter().flatten().collect() })
    }
}

/// How many copies fit into memory, of `wanted`.
pub(crate) fn copies(spec: &Spec, wanted: usize) -> usize {
    let fitting = MEMORY / (spec.row_bytes() * spec.agents.len()).max(1);
    wanted.min(fitting.max(1)).max(1)
}

/// Which episodes a table plays.
pub(crate) struct Deal {
    /// Root of their seeds.
    pub(crate) seed: Seed,
    /// Their numbers.
    pub(crate) numbers: Range<u64>,
    /// How many problems the numbers name, one after the other and then from the first again; `None` if they name none.
    pub(crate) problems: Option<u64>,
}

/// What happens at a table.
pub(crate) enum Event {
    /// All copies made a step.
    Stepped,
    /// The episode of this number ended.
    Ended(u64, Episode),
}

/// A batch with its memory, at which episodes are played.
pub(crate) struct Table {
    pub(crate) env: Box<dyn VecEnv>,
    /// Its whole config.
    config: Value,
    buffers: Buffers,
    /// What the last step gave. A reset writes zeros over all copies' rewards in the buffers.
    rewards: Vec<f32>,
    metrics: Vec<f32>,
    actions: Vec<i32>,
    /// Which metrics speak at an episode's end.
    told: Vec<usize>,
    /// Their names.
    pub(crate) names: Vec<String>,
    /// Which of them weighs each.
    pub(crate) weights: Vec<Option<usize>>,
    /// The number of the episode that each copy plays; `None` once there are no more: what it plays then is dropped.
    playing: Vec<Option<u64>>,
    seeds: Vec<Seed>,
    starts: Vec<bool>,
    /// Whether episodes tell what was done.
    pub(crate) trace: bool,
    /// The actions so far of each copy's episode.
    done: Vec<Vec<i32>>,
}

impl Table {
    pub(crate) fn new(
        entry: &'static Entry,
        overrides: &Map<String, Value>,
        copies: usize,
        threads: usize,
    ) -> Result<Self, MakeError> {
        let options = Options { autoreset: Autoreset::Disabled, threads, ..Options::default() };
        let (env, config) = (entry.make(overrides, copies, options)?, entry.configure(overrides)?);
        let spec = env.spec();
        let all = spec.metrics.iter().enumerate();
        let told: Vec<usize> = all.filter(|(_, m)| m.scope == Scope::Episode).map(|(i, _)| i).collect();
        let names: Vec<String> = told.iter().map(|&i| spec.metrics[i].name.clone()).collect();
        let weight = |&i: &usize| names.iter().position(|name| Some(name.as_str()) == spec.metrics[i].weight);
        let weights = told.iter().map(weight).collect();
        let buffers = Buffers::new(spec, copies);
        let (rewards, metrics) = (vec![0.0; buffers.rewards.len()], vec![0.0; buffers.metrics.len()]);
        let actions = vec![0; copies * spec.action_width()];
        let (playing, seeds, starts) = (vec![None; copies], vec![Seed(0); copies], vec![false; copies]);
        let done = vec![Vec::new(); copies];
        let trace = false;
        Ok(Self {
            env,
            config,
            buffers,
            rewards,
            metrics,
            actions,
            told,
            names,
            weights,
            playing,
            seeds,
            starts,
            trace,
            done,
        })
    }

    /// The names of those that are shares.
    pub(crate) fn shares(&self) -> impl Iterator<Item = String> {
        let metrics = &self.env.spec().metrics;
        self.told.iter().map(|&i| &metrics[i]).filter(|m| m.share).map(|m| m.name.clone())
    }

    /// Plays the episodes of `deal` until `hear` breaks off, or a policy that takes long and hears `stop` say so: the policies
    /// that are seated act first, then `actor`.
    pub(crate) fn play(
        &mut self,
        deal: &Deal,
        mut actor: Option<&mut dyn Actor>,
        stop: Stop<'_>,
        mut hear: impl FnMut(Event) -> ControlFlow<()>,
    ) -> Result<(), PlayError> {
        let copies = self.playing.len();
        let width = self.env.spec().metrics.len();
        let mut left = deal.numbers.end.saturating_sub(deal.numbers.start);
        if left == 0 {
            return Ok(());
        }
        let mut numbers = deal.numbers.clone();
        self.deal(deal, &mut numbers, &vec![true; copies])?;
        let mut done = self.actions.clone();
        while left > 0 {
            done.copy_from_slice(&self.actions);
            match self.env.act_until(&self.buffers.rows(), &mut self.actions, stop) {
                Err(BatchError::Stopped) => return Ok(()),
                acted => acted?,
            }
            if let Some(actor) = &mut actor {
                let playing: Vec<bool> = self.playing.iter().map(Option::is_some).collect();
                let spec = self.env.spec();
                let turn = Turn {
                    spec,
                    config: &self.config,
                    observation: &self.buffers,
                    rewards: &self.rewards,
                    metrics: &self.metrics,
                    starts: &self.starts,
                    playing: &playing,
                    seeds: &self.seeds,
                    done: &done,
                    agents: &vec![true; spec.agents.len()],
                    actions: &mut self.actions,
                };
                actor.act(turn).map_err(PlayError::Actor)?;
            }
            self.starts.fill(false);
            if self.trace {
                let each = self.actions.len() / copies;
                self.done.iter_mut().zip(self.actions.chunks(each)).for_each(|(done, own)| done.extend(own));
            }
            self.env.step(&self.actions, self.buffers.output())?;
            self.rewards.copy_from_slice(&self.buffers.rewards);
            self.metrics.copy_from_slice(&self.buffers.metrics);
            if hear(Event::Stepped).is_break() {
                return Ok(());
            }
            let ended: Vec<bool> = self.buffers.status.iter().map(|s| s.ended()).collect();
            if !ended.contains(&true) {
                continue;
            }
            for copy in (0..copies).filter(|&copy| ended[copy]) {
                if let Some(number) = self.playing[copy] {
                    let metrics = self.told.iter().map(|&i| self.buffers.metrics[copy * width + i]).collect();
                    let (problem, status) = (self.env.problem(copy)?, self.buffers.status[copy]);
                    let trace = self.trace.then(|| self.traced(copy));
                    left -= 1;
                    if hear(Event::Ended(number, Episode { problem, status, metrics, trace })).is_break() {
                        return Ok(());
                    }
                }
            }
            if left > 0 {
                self.deal(deal, &mut numbers, &ended)?;
            }
        }
        Ok(())
    }

    /// What was done in the episode of `copy` that has just ended.
    fn traced(&mut self, copy: usize) -> Trace {
        let metrics = &self.env.spec().metrics;
        let values = metrics.iter().zip(&self.buffers.metrics[copy * metrics.len()..]);
        let last = values.filter(|(m, value)| m.scope == Scope::Step && value.is_finite());
        let last = last.map(|(m, &value)| (m.name.clone(), f64::from(value))).collect();
        Trace { actions: std::mem::take(&mut self.done[copy]), last }
    }

    /// Gives the next episodes to the copies that `mask` marks.
    fn deal(&mut self, deal: &Deal, numbers: &mut Range<u64>, mask: &[bool]) -> Result<(), BatchError> {
        let mut seeds = vec![None; mask.len()];
        let mut problems = vec![None; mask.len()];
        for copy in (0..mask.len()).filter(|&copy| mask[copy]) {
            // An episode must not depend on what its copy has played before; most environments keep nothing anyway.
            match self.env.clear_experience(copy) {
                Err(BatchError::Experience(ExperienceError::None)) | Ok(()) => {}
                Err(error) => return Err(error),
            }
            self.starts[copy] = true;
            for told in [&mut self.rewards, &mut self.metrics] {
                let each = told.len() / mask.len();
                told[copy * each..(copy + 1) * each].fill(0.0);
            }
            self.done[copy].clear();
            self.playing[copy] = numbers.next();
            // A copy without a number repeats an episode, so that a policy's view of it is the same in every run.
            let number = self.playing[copy].unwrap_or(deal.numbers.start);
            self.seeds[copy] = deal.seed.derive(number);
            seeds[copy] = Some(self.seeds[copy]);
            problems[copy] = deal.problems.map(|all| (number % all) as u32);
        }
        let reset = Reset { seeds: Seeding::Copies(&seeds), problems: &problems, mask: Some(mask) };
        self.env.reset(reset, self.buffers.output())
    }
}

//! Playing and writing down, in one layout for every learner.
//!
//! A batch restarts an ended copy at its next step, whose action it ignores and for which it pays nothing. That step is no
//! transition: the row before it, the last observation of the ended episode, is `dead`. It stays in the sequence, so that
//! an episode that was cut short is worth what its last row is worth; every loss and every target leaves it out.

use heldout_core::{BatchError, Buffers, Reset, Scope, Seed, Seeding, Status, VecEnv, shuffled};
use serde::{Deserialize, Serialize};

use super::inputs::{Inputs, Last, Rows};
use super::stats::Stats;
use crate::text::Vocabulary;

/// Episodes that moving means are over unless told.
const WINDOW: usize = 100;

/// Which problems are played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Problems {
    /// Those that the environment deals.
    #[default]
    All,
    /// These, each once a pass in an order of its own.
    Only(Vec<u32>),
}

/// How a batch is played.
#[derive(Clone, Debug)]
pub struct Playing {
    /// How rows become inputs.
    pub inputs: Inputs,
    /// The words of training, where rows have a text.
    pub words: Option<Vocabulary>,
    /// Whether an episode that was cut short goes on in what its steps are worth.
    pub bootstrap_truncated: bool,
    /// Which problems are played.
    pub problems: Problems,
    /// Root of all episodes.
    pub seed: Seed,
}

/// What has been played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// Steps of all copies; the ones that only restart a copy are none.
    pub env_steps: u64,
    /// Episodes that have ended.
    pub episodes: u64,
}

/// All that a batch does not save itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Each copy, as [`VecEnv::save`] has it.
    pub copies: Vec<Vec<u8>>,
    actions: Vec<i32>,
    rewards: Vec<f32>,
    metrics: Vec<f32>,
    starts: Vec<bool>,
    dead: Vec<bool>,
    dealt: Vec<u64>,
    played: Played,
    stats: Stats,
}

/// A batch in play.
pub struct Collector {
    env: Box<dyn VecEnv>,
    buffers: Buffers,
    playing: Playing,
    last: Last,
    dead: Vec<bool>,
    /// How many problems of its list each copy was dealt.
    dealt: Vec<u64>,
    played: Played,
    /// What the episodes were like.
    pub stats: Stats,
    bootstrap: Option<usize>,
    force_stop: Option<usize>,
    width: usize,
}

/// Rows and what was done at them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Unroll {
    /// Copies.
    pub copies: usize,
    /// Inputs, one row more than steps.
    pub rows: Rows,
    /// Which rows are the first of an episode.
    pub start: Vec<bool>,
    /// Which rows are the last of an ended episode.
    pub dead: Vec<bool>,
    /// What was done: the integers of each copy.
    pub action: Vec<i32>,
    /// What it paid.
    pub reward: Vec<f32>,
    /// Whether what follows counts.
    pub cont: Vec<f32>,
    /// Whether it was a step at all.
    pub valid: Vec<bool>,
    /// Whether the rules stopped the episode in the agent's place.
    pub forced: Vec<bool>,
}

impl Unroll {
    /// Steps of each copy.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.reward.len() / self.copies
    }

    /// Whether it is of so many copies, steps and integers of an action.
    #[must_use]
    pub fn is_of(&self, copies: usize, steps: usize, width: usize) -> bool {
        let (n, more) = (copies * steps, copies * (steps + 1));
        let own = [self.reward.len(), self.cont.len(), self.valid.len(), self.forced.len()];
        self.copies == copies
            && own == [n; 4]
            && self.action.len() == n * width
            && [self.rows.count, self.start.len(), self.dead.len()] == [more; 3]
    }
}

impl Collector {
    /// Begins episodes.
    ///
    /// # Errors
    ///
    /// If the batch refuses a problem of the list.
    pub fn new(env: Box<dyn VecEnv>, playing: Playing) -> Result<Self, BatchError> {
        let spec = env.spec().clone();
        let n = env.len();
        let step_metric = |name: &str| spec.metric(name).filter(|&m| spec.metrics[m].scope == Scope::Step);
        let mut collector = Self {
            buffers: Buffers::new(&spec, n),
            playing,
            last: Last {
                actions: vec![0; n * spec.action_width()],
                rewards: vec![0.0; n * spec.agents.len()],
                metrics: vec![0.0; n * spec.metrics.len()],
                starts: vec![true; n],
            },
            dead: vec![false; n],
            dealt: vec![0; n],
            played: Played::default(),
            stats: Stats::new(&spec, WINDOW),
            bootstrap: step_metric("bootstrap"),
            force_stop: step_metric("force_stop"),
            width: spec.action_width(),
            env,
        };
        let problems = collector.deal(&vec![true; n]);
        let seeds = Seeding::Root(collector.playing.seed.stream("env"));
        let reset = Reset { seeds, problems: &problems, mask: None };
        collector.env.reset(reset, collector.buffers.output())?;
        Ok(collector)
    }

    /// The same before it has played, with moving means over as many episodes as there are problems, where these are finite.
    #[must_use]
    pub fn by_problems(mut self) -> Self {
        let problems = match &self.playing.problems {
            Problems::Only(ids) => Some(ids.len()),
            Problems::All => self.env.spec().problems.map(|n| n as usize),
        };
        self.stats = Stats::new(self.env.spec(), problems.unwrap_or(WINDOW).max(1));
        self
    }

    /// The next problem of its list for each copy that `begins`; nothing where all problems are played.
    fn deal(&mut self, begins: &[bool]) -> Vec<Option<u32>> {
        let Problems::Only(ids) = &self.playing.problems else { return Vec::new() };
        let n = ids.len() as u64;
        let seed = self.playing.seed.stream("list");
        let mut next = |copy: usize| {
            let (pass, at) = (self.dealt[copy] / n, self.dealt[copy] % n);
            self.dealt[copy] += 1;
            ids[shuffled(seed.derive(copy as u64).derive(pass), at as u32, n as u32) as usize]
        };
        begins.iter().enumerate().map(|(copy, begins)| begins.then(|| next(copy))).collect()
    }

    /// Copies.
    #[must_use]
    pub fn copies(&self) -> usize {
        self.dead.len()
    }

    /// What has been played so far.
    #[must_use]
    pub fn played(&self) -> Played {
        self.played
    }

    /// How rows become inputs, and the rest.
    #[must_use]
    pub fn playing(&self) -> &Playing {
        &self.playing
    }

    /// The batch.
    #[must_use]
    pub fn env(&self) -> &dyn VecEnv {
        &*self.env
    }

    /// The rows as they stand.
    fn read(&self) -> Rows {
        self.playing.inputs.read(&self.buffers, self.copies(), &self.last, self.playing.words.as_ref())
    }

    /// Plays `steps` steps of every copy: `act` is given the rows and which of them begin an episode, and writes the integers
    /// of each copy; where rows have room for it, it may write what else it knows.
    ///
    /// # Errors
    ///
    /// If an action is none.
    pub fn collect(
        &mut self,
        steps: usize,
        mut act: impl FnMut(&mut Rows, &[bool], &mut [i32]),
    ) -> Result<Unroll, BatchError> {
        let n = self.copies();
        let mut unroll = Unroll { copies: n, ..Unroll::default() };
        let mut actions = vec![0; n * self.width];
        let metrics_width = self.last.metrics.len() / n;
        let agents = self.last.rewards.len() / n;
        for _ in 0..steps {
            let mut rows = self.read();
            unroll.start.extend_from_slice(&self.last.starts);
            unroll.dead.extend_from_slice(&self.dead);
            act(&mut rows, &self.last.starts, &mut actions);
            unroll.rows.append(&rows);
            self.env.step(&actions, self.buffers.output())?;
            let restarted = std::mem::take(&mut self.dead);
            self.last.actions.copy_from_slice(&actions);
            // A reset of some copies clears these of all of them.
            self.last.rewards.copy_from_slice(&self.buffers.rewards);
            self.last.metrics.copy_from_slice(&self.buffers.metrics);
            let status = self.buffers.status.clone();
            if restarted.contains(&true) && self.playing.problems != Problems::All {
                let problems = self.deal(&restarted);
                let reset = Reset { seeds: Seeding::Keep, problems: &problems, mask: Some(&restarted) };
                self.env.reset(reset, self.buffers.output())?;
            }
            for copy in 0..n {
                let metrics = &self.last.metrics[copy * metrics_width..][..metrics_width];
                let (valid, ended) = (!restarted[copy], status[copy] != Status::Running);
                if valid {
                    self.played.env_steps += 1;
                    if ended {
                        self.played.episodes += 1;
                        self.stats.ended(metrics);
                    }
                }
                let goes_on = match (status[copy], self.bootstrap) {
                    (_, Some(told)) => metrics[told] != 0.0,
                    (Status::Running, None) => true,
                    (Status::Terminated, None) => false,
                    (Status::Truncated, None) => self.playing.bootstrap_truncated,
                };
                unroll.cont.push(f32::from(u8::from(valid && goes_on)));
                unroll.valid.push(valid);
                // What a team is paid is the mean of what its agents are.
                let paid = self.last.rewards[copy * agents..][..agents].iter().sum::<f32>() / agents as f32;
                unroll.reward.push(if valid { paid } else { 0.0 });
                unroll.forced.push(valid && self.force_stop.is_some_and(|m| metrics[m] != 0.0));
            }
            unroll.action.extend_from_slice(&actions);
            self.dead = status.iter().map(|s| *s != Status::Running).collect();
            self.last.starts = restarted;
        }
        unroll.rows.append(&self.read());
        unroll.start.extend_from_slice(&self.last.starts);
        unroll.dead.extend_from_slice(&self.dead);
        Ok(unroll)
    }

    /// The experience of all copies together, in their order; `None` where the environment keeps no account of it.
    ///
    /// # Errors
    ///
    /// If the batch cannot merge it.
    pub fn experience(&mut self) -> Result<Option<Vec<u8>>, BatchError> {
        let Some(own) = self.env.experience(0)? else { return Ok(None) };
        for copy in 1..self.copies() {
            if let Some(more) = self.env.experience(copy)? {
                self.env.merge_experience(0, &more)?;
            }
        }
        let all = self.env.experience(0)?;
        self.env.set_experience(0, &own)?;
        Ok(all)
    }

    /// Where play stands, to go on from in another process.
    ///
    /// # Errors
    ///
    /// If the batch cannot be saved.
    pub fn save(&self) -> Result<Place, BatchError> {
        Ok(Place {
            copies: (0..self.copies()).map(|copy| self.env.save(copy)).collect::<Result<_, _>>()?,
            actions: self.last.actions.clone(),
            rewards: self.last.rewards.clone(),
            metrics: self.last.metrics.clone(),
            starts: self.last.starts.clone(),
            dead: self.dead.clone(),
            dealt: self.dealt.clone(),
            played: self.played,
            stats: self.stats.clone(),
        })
    }

    /// Goes on from there.
    ///
    /// # Errors
    ///
    /// If the batch cannot be restored, or the place is of another batch.
    pub fn load(&mut self, place: Place) -> Result<(), BatchError> {
        let size = |what, found: usize, expected: usize| {
            if found == expected { Ok(()) } else { Err(BatchError::Size { what, found, expected }) }
        };
        size("copies", place.copies.len(), self.copies())?;
        size("actions", place.actions.len(), self.last.actions.len())?;
        size("rewards", place.rewards.len(), self.last.rewards.len())?;
        size("metrics", place.metrics.len(), self.last.metrics.len())?;
        size("starts", place.starts.len(), self.copies())?;
        size("dead", place.dead.len(), self.copies())?;
        size("dealt", place.dealt.len(), self.copies())?;
        for (copy, bytes) in place.copies.iter().enumerate() {
            self.env.restore(copy, bytes)?;
        }
        self.env.observe(self.buffers.output())?;
        // What is observed is told of episodes under way too, which steps do not do.
        self.buffers.metrics.copy_from_slice(&place.metrics);
        self.last =
            Last { actions: place.actions, rewards: place.rewards, metrics: place.metrics, starts: place.starts };
        (self.dead, self.dealt) = (place.dead, place.dealt);
        (self.played, self.stats) = (place.played, place.stats);
        Ok(())
    }
}

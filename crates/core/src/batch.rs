//! The engine: many copies of one environment, stepped together.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::check::{below, that, within};
use crate::digest::Crc;
use crate::environment::{ConfigError, Environment, Frame, Lack, Start, Status};
use crate::order::shuffled;
use crate::policy::{PolicyInfo, Seat, Stop, policies, policy_infos};
use crate::rng::Seed;
use crate::room::room;
#[cfg(feature = "parallel")]
use crate::room::{STACK, has_room_for_threads};
use crate::rows::RowsRef;
use crate::spec::{Dtype, MAX_AGENTS, Metric, Spec};
use crate::vec_env::{Autoreset, BatchError, Options, Output, Reset, Seeding, VecEnv};

/// First bytes of a saved state; the last one is the version of the format.
const MAGIC: [u8; 4] = *b"HLD\x01";

/// Episodes that a copy plays at the most: more than anyone could, and far from where a counter ends.
const MOST_EPISODES: u64 = 1 << 60;

/// One copy: a state and where it stands in its stream of episodes.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Slot<S> {
    pub(crate) state: S,
    pub(crate) copy: Seed,
    pub(crate) episode: u64,
    problem: Option<u32>,
    pub(crate) steps: u32,
    pub(crate) status: Status,
    /// Whether an episode was ever asked for: the first reset without a seed begins episode zero.
    begun: bool,
    /// Whether nothing ever happened to the state since it was made: it is nobody's episode and leaves no experience.
    fresh: bool,
    returns: [f64; MAX_AGENTS],
}

impl<S> Slot<S> {
    pub(crate) fn start(&self) -> Start {
        Start { seed: self.copy.derive(self.episode), copy: self.copy, episode: self.episode, problem: self.problem }
    }

    /// Checks that the engine could have brought a copy of an environment with this `spec`, the rules' own, here.
    fn check(&self, spec: &Spec) -> Result<(), String> {
        within("episode", self.episode, 0..=MOST_EPISODES)?;
        match (self.problem, spec.problems) {
            (Some(problem), Some(problems)) => below("problem", problem, problems as usize)?,
            (None, None) => {}
            (Some(problem), None) => that("problem", problem, false, "none: the set is not finite")?,
            (None, Some(problems)) => that("problem", "none", false, &format!("below {problems}"))?,
        }
        if let Some(most) = spec.max_steps {
            within("steps", self.steps, 0..=if self.status.ended() { most } else { most.saturating_sub(1) })?;
        }
        that("begun", self.begun, self.begun || (self.steps == 0 && !self.status.ended()), "true after a step")?;
        that("fresh", self.fresh, !(self.fresh && self.begun), "false once an episode was begun")?;
        self.returns.iter().try_for_each(|&sum| that("returns", sum, (sum as f32).is_finite(), "finite"))
    }
}

/// The problem that a copy plays in its `episode`: each pass over the set is a permutation of its own.
fn problem_of(copy: Seed, episode: u64, problems: Option<u32>) -> Option<u32> {
    problems.map(|n| {
        let (pass, at) = (episode / u64::from(n), (episode % u64::from(n)) as u32);
        shuffled(copy.stream("problems").derive(pass), at, n)
    })
}

/// The threads that the copies of a batch are spread over.
pub(crate) struct Crew {
    /// Copies below which a piece of work is not split.
    grain: usize,
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
    /// The process that has the threads: one that was forked from it has none, and would wait for them for ever.
    #[cfg(feature = "parallel")]
    process: u32,
}

impl Crew {
    #[cfg(feature = "parallel")]
    fn new(threads: usize, grain: usize) -> Result<Self, ConfigError> {
        let refused = |why: &str| {
            ConfigError::lack(Lack::Threads, "threads", threads, &format!("more than the system gives: {why}"))
        };
        if threads > 1 && !has_room_for_threads(threads) {
            return Err(refused("there is no memory for their stacks"));
        }
        let build = || rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
        let pool = (threads > 1).then(build).transpose().map_err(|error| refused(&error.to_string()))?;
        Ok(Self { grain, pool, process: std::process::id() })
    }

    #[cfg(not(feature = "parallel"))]
    #[expect(clippy::unnecessary_wraps, reason = "the threaded crew can fail")]
    fn new(_threads: usize, grain: usize) -> Result<Self, ConfigError> {
        Ok(Self { grain })
    }

    /// Runs `work` where [`Crew::join`] finds its threads; in a forked process on the caller's, which changes no result.
    #[cfg_attr(not(feature = "parallel"), expect(clippy::unused_self, reason = "the threaded crew has a pool"))]
    pub(crate) fn enter(&self, work: impl FnOnce() + Send) {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool
            && self.process == std::process::id()
        {
            return pool.install(work);
        }
        work();
    }

    /// Where to split `copies` copies, if that is worth it.
    pub(crate) fn split(&self, copies: usize) -> Option<usize> {
        #[cfg(feature = "parallel")]
        if copies > self.grain
            && let Some(pool) = &self.pool
            && pool.current_thread_index().is_some()
        {
            return Some(copies / 2);
        }
        let _ = (copies, self.grain);
        None
    }

    #[cfg(feature = "parallel")]
    pub(crate) fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
        rayon::join(a, b);
    }

    #[cfg(not(feature = "parallel"))]
    pub(crate) fn join(a: impl FnOnce(), b: impl FnOnce()) {
        a();
        b();
    }
}

#[cfg(feature = "parallel")]
impl Drop for Crew {
    fn drop(&mut self) {
        // Ending the threads of another process would wait for them too.
        if self.process != std::process::id() {
            std::mem::forget(self.pool.take());
        }
    }
}

/// Copies of `E` under one config.
pub struct Batch<E: Environment> {
    engine: Engine<E>,
    slots: Vec<Slot<E::State>>,
    actions: Vec<E::Action>,
    seats: Vec<Option<Box<dyn Seat<E>>>>,
    /// What a saved state must have been saved under.
    origin: Origin,
}

impl<E: Environment> Batch<E> {
    /// `len` copies, which stand at the start of the streams below seed zero.
    ///
    /// # Errors
    ///
    /// If `config` does not describe an environment, or `len` or the options are out of range.
    pub fn new(config: &E::Config, variant: E::Variant, len: usize, options: Options) -> Result<Self, ConfigError> {
        options.check(len)?;
        let rules = E::new(config, variant)?;
        let spec = with_engine_metrics(rules.spec(), options.max_steps);
        spec.check()?;
        let own_metrics = spec.metrics.len() - rules.spec().metrics.len();
        let origin = Origin::new(options.id, config, rules.spec())?;
        // Small rows are cheap to write: many of them make a piece of work worth handing to a thread.
        let grain = (16_384 / (spec.row_bytes() * spec.agents.len()).max(1)).clamp(1, 64);
        let crew = Crew::new(options.threads, grain)?;
        let slots = slots(&rules, &spec, len, options.autoreset)?;
        let agents = spec.agents.len();
        Ok(Self {
            actions: Vec::with_capacity(len * agents),
            seats: (0..agents).map(|_| None).collect(),
            engine: Engine { rules, spec, own_metrics, autoreset: options.autoreset, crew },
            slots,
            origin,
        })
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &E {
        &self.engine.rules
    }

    /// The state of copy `env`, if there is one.
    #[must_use]
    pub fn state(&self, env: usize) -> Option<&E::State> {
        self.slots.get(env).map(|s| &s.state)
    }

    fn slot(&self, env: usize) -> Result<&Slot<E::State>, BatchError> {
        self.slots.get(env).ok_or(BatchError::Copy { env, len: self.slots.len() })
    }

    fn slot_mut(&mut self, env: usize) -> Result<(&E, &mut Slot<E::State>), BatchError> {
        let len = self.slots.len();
        let slot = self.slots.get_mut(env).ok_or(BatchError::Copy { env, len })?;
        Ok((&self.engine.rules, slot))
    }

    fn check_output(&self, out: &Output<'_>) -> Result<(), BatchError> {
        let envs = self.slots.len();
        let rows = envs * self.engine.spec.agents.len();
        check_fields(&self.engine.spec, rows, out.rows.given(), "an observation field")?;
        size("rewards", out.rewards.len(), rows)?;
        size("status", out.status.len(), envs)?;
        size("metrics", out.metrics.len(), envs * self.engine.spec.metrics.len())?;
        if let Some(last) = &out.last {
            check_fields(&self.engine.spec, rows, last.rows.given(), "a last observation field")?;
            size("last metrics", last.metrics.len(), envs * self.engine.spec.metrics.len())?;
        }
        Ok(())
    }
}

/// `len` slots at the start of the streams below seed zero, unless there is no memory for them and for what they write.
fn slots<E: Environment>(
    rules: &E,
    spec: &Spec,
    len: usize,
    autoreset: Autoreset,
) -> Result<Vec<Slot<E::State>>, ConfigError> {
    let slot = |i: usize| {
        let copy = Seed(0).derive(i as u64);
        let problem = problem_of(copy, 0, spec.problems);
        let start = Start { seed: copy.derive(0), copy, episode: 0, problem };
        Slot {
            state: rules.start(start),
            copy,
            episode: 0,
            problem,
            steps: 0,
            status: Status::Running,
            begun: false,
            fresh: true,
            returns: [0.0; MAX_AGENTS],
        }
    };
    let first = slot(0);
    // What a state refers to is about as large as its bytes; numbers beside observations are kept in two widths.
    let held = postcard::to_stdvec(&first.state).map_or(0, |bytes| bytes.len());
    let numbers = WIDTHS * (spec.agents.len() + spec.metrics.len() + spec.action_width() + 1);
    let output =
        (spec.row_bytes() * spec.agents.len() + numbers) * if autoreset == Autoreset::SameStep { 2 } else { 1 };
    let each = size_of::<Slot<E::State>>() + held + output;
    let lack = || {
        let why = format!("which takes about {} bytes, more than the system gives", each as u128 * len as u128);
        ConfigError::lack(Lack::Memory, "envs", len, &why)
    };
    drop(room(each.saturating_mul(len)).ok_or_else(lack)?);
    let mut slots = Vec::new();
    slots.try_reserve_exact(len).map_err(|_| lack())?;
    slots.push(first);
    // States are made while there is still room for what they write, and for several times what the next ones hold: a state
    // reserves more than it fills, and an allocation within the rules that fails ends the process.
    let kept = room(output.saturating_mul(len)).ok_or_else(lack)?;
    let some = (GUARD / (8 * held.max(1))).clamp(1, 1024);
    while slots.len() < len {
        drop(room(GUARD).ok_or_else(lack)?);
        let from = slots.len();
        slots.extend((from..len.min(from + some)).map(slot));
    }
    drop(kept);
    Ok(slots)
}

/// Bytes of a number in the two widths that it is kept in.
const WIDTHS: usize = 12;
/// Bytes that must be free before more states are made; those then made hold an eighth of it.
const GUARD: usize = 8 << 20;

/// The rules' spec with the engine's metrics in front and the tighter of both step caps.
fn with_engine_metrics(spec: &Spec, max_steps: Option<u32>) -> Spec {
    let mut metrics = vec![Metric::episode("return"), Metric::episode("length")];
    if spec.agents.len() > 1 {
        metrics.extend(spec.agents.iter().map(|a| Metric::episode(format!("return_{}", a.name))));
    }
    metrics.extend_from_slice(&spec.metrics);
    let max_steps = match (spec.max_steps, max_steps) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    Spec { metrics, max_steps, ..spec.clone() }
}

/// All that fixes the meaning of a state.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Origin {
    id: String,
    /// Name and content of each data source.
    sources: Vec<(String, String)>,
    /// Checksum of the config.
    config: u32,
    /// Checksum of the spec.
    spec: u32,
}

impl Origin {
    fn new<C: Serialize>(id: &str, config: &C, spec: &Spec) -> Result<Self, ConfigError> {
        let unfit = |e: postcard::Error| ConfigError::new("config", format!("cannot be serialised: {e}"));
        Ok(Self {
            id: id.to_owned(),
            sources: spec.sources.iter().map(|s| (s.name.to_owned(), s.content.clone())).collect(),
            config: Crc::of(&postcard::to_stdvec(config).map_err(unfit)?),
            spec: Crc::of(&postcard::to_stdvec(spec).map_err(unfit)?),
        })
    }

    /// How `self`, of a saved state, differs from `here`.
    fn difference(&self, here: &Self) -> Option<String> {
        let source = || self.sources.iter().find(|s| !here.sources.contains(s));
        if self.id != here.id {
            Some(format!("it is of `{}`, this is `{}`", self.id, here.id))
        } else if self.sources != here.sources {
            let name = source().map_or("data", |(name, _)| name.as_str());
            Some(format!("it was saved under another `{name}`"))
        } else if self != here {
            Some("it was saved under another config".to_owned())
        } else {
            None
        }
    }
}

fn size(what: &'static str, found: usize, expected: usize) -> Result<(), BatchError> {
    if found == expected { Ok(()) } else { Err(BatchError::Size { what, found, expected }) }
}

/// Checks that the memory given for each field is of its type and size.
fn check_fields(
    spec: &Spec,
    rows: usize,
    mut given: impl Iterator<Item = (Dtype, usize)>,
    what: &'static str,
) -> Result<(), BatchError> {
    spec.observation.iter().try_for_each(|field| {
        let (dtype, len) = given.next().unwrap_or((field.dtype, 0));
        if dtype != field.dtype {
            return Err(BatchError::Dtype { field: field.name, expected: field.dtype.name() });
        }
        size(what, len, rows * field.len())
    })
}

/// What the inner loop needs beside the slots and the output: all that never changes.
struct Engine<E: Environment> {
    rules: E,
    /// The rules' spec with the engine's metrics in front.
    spec: Spec,
    /// How many metrics are the engine's.
    own_metrics: usize,
    autoreset: Autoreset,
    crew: Crew,
}

impl<E: Environment> Engine<E> {
    /// Steps every slot by its `actions`, restarting it where that is due; without actions only writes them out.
    fn advance(&self, slots: &mut [Slot<E::State>], actions: Option<&[E::Action]>, out: Output<'_>) {
        let agents = self.spec.agents.len();
        let metrics = self.spec.metrics.len();
        if let Some(mid) = self.crew.split(slots.len()) {
            let (slots_a, slots_b) = slots.split_at_mut(mid);
            let (actions_a, actions_b) = actions.map(|a| a.split_at(mid * agents)).unzip();
            let (out_a, out_b) = out.split(mid, agents, metrics);
            Crew::join(|| self.advance(slots_a, actions_a, out_a), || self.advance(slots_b, actions_b, out_b));
            return;
        }
        let step_metrics = self.spec.has_step_metrics();
        let Output { mut rows, rewards, status, metrics: values, mut last } = out;
        for (i, slot) in slots.iter_mut().enumerate() {
            let span = i * agents..(i + 1) * agents;
            let rewards = &mut rewards[span.clone()];
            let values = &mut values[i * metrics..(i + 1) * metrics];
            match actions {
                Some(actions) if !slot.status.ended() => self.step(slot, &actions[span.clone()], rewards),
                Some(_) => {
                    self.next_episode(slot);
                    rewards.fill(0.0);
                }
                None => rewards.fill(0.0),
            }
            status[i] = slot.status;
            if slot.status.ended() && self.autoreset == Autoreset::SameStep && actions.is_some() {
                if let Some(last) = &mut last {
                    for (agent, row) in span.clone().enumerate() {
                        self.rules.observe(&slot.state, agent, last.rows.row(row));
                    }
                    self.metrics(slot, &mut last.metrics[i * metrics..(i + 1) * metrics]);
                }
                self.next_episode(slot);
                if step_metrics {
                    self.metrics(slot, values);
                }
            } else if step_metrics || slot.status.ended() {
                self.metrics(slot, values);
            }
            for (agent, row) in span.enumerate() {
                self.rules.observe(&slot.state, agent, rows.row(row));
            }
        }
    }

    fn step(&self, slot: &mut Slot<E::State>, actions: &[E::Action], rewards: &mut [f32]) {
        (slot.begun, slot.fresh) = (true, false);
        slot.steps = slot.steps.saturating_add(1);
        slot.status = match self.rules.step(&mut slot.state, actions, rewards) {
            Status::Running if self.spec.max_steps.is_some_and(|most| slot.steps >= most) => Status::Truncated,
            status => status,
        };
        for (sum, &reward) in slot.returns.iter_mut().zip(&*rewards) {
            *sum += f64::from(reward);
        }
    }

    fn next_episode(&self, slot: &mut Slot<E::State>) {
        slot.episode += 1;
        slot.problem = problem_of(slot.copy, slot.episode, self.spec.problems);
        self.begin(slot);
    }

    /// Begins the episode that the slot names.
    fn begin(&self, slot: &mut Slot<E::State>) {
        slot.steps = 0;
        slot.status = Status::Running;
        slot.returns = [0.0; MAX_AGENTS];
        let start = slot.start();
        if slot.fresh {
            slot.state = self.rules.start(start);
        } else {
            self.rules.restart(&mut slot.state, start);
        }
        (slot.begun, slot.fresh) = (true, false);
    }

    fn metrics(&self, slot: &Slot<E::State>, values: &mut [f32]) {
        let agents = self.spec.agents.len();
        let (own, rules) = values.split_at_mut(self.own_metrics);
        own[0] = (slot.returns[..agents].iter().sum::<f64>() / agents as f64) as f32;
        own[1] = slot.steps as f32;
        for (value, &sum) in own[2..].iter_mut().zip(&slot.returns) {
            *value = sum as f32;
        }
        self.rules.metrics(&slot.state, rules);
    }
}

impl<E: Environment> VecEnv for Batch<E> {
    fn spec(&self) -> &Spec {
        &self.engine.spec
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn autoreset(&self) -> Autoreset {
        self.engine.autoreset
    }

    fn reset(&mut self, reset: Reset<'_>, out: Output<'_>) -> Result<(), BatchError> {
        let len = self.slots.len();
        let Reset { seeds, problems, mask } = reset;
        if let Some(mask) = mask {
            size("reset mask", mask.len(), len)?;
            if !mask.contains(&true) {
                return Err(BatchError::EmptyMask);
            }
        }
        if let Seeding::Copies(seeds) = seeds {
            size("seeds", seeds.len(), len)?;
        }
        if !problems.is_empty() {
            size("problems", problems.len(), len)?;
        }
        for (env, problem) in problems.iter().enumerate() {
            if let Some(problem) = *problem
                && self.engine.spec.problems.is_none_or(|n| problem >= n)
            {
                return Err(BatchError::Problem { env, problem, problems: self.engine.spec.problems });
            }
        }
        self.check_output(&out)?;
        let engine = &self.engine;
        for (env, slot) in self.slots.iter_mut().enumerate() {
            if mask.is_some_and(|mask| !mask[env]) {
                continue;
            }
            let seed = match seeds {
                Seeding::Keep => None,
                Seeding::Root(seed) => Some(seed.derive(env as u64)),
                Seeding::Copies(seeds) => seeds[env],
            };
            match seed {
                Some(copy) => (slot.copy, slot.episode) = (copy, 0),
                None if slot.begun => slot.episode += 1,
                None => {}
            }
            let given = problems.get(env).copied().flatten();
            slot.problem = given.or_else(|| problem_of(slot.copy, slot.episode, engine.spec.problems));
            engine.begin(slot);
        }
        engine.crew.enter(|| engine.advance(&mut self.slots, None, out));
        Ok(())
    }

    fn step(&mut self, actions: &[i32], out: Output<'_>) -> Result<(), BatchError> {
        let width = self.engine.spec.action_width();
        size("actions", actions.len(), self.slots.len() * width)?;
        self.check_output(&out)?;
        if self.engine.autoreset == Autoreset::SameStep && out.last.is_none() {
            return Err(BatchError::NoLast);
        }
        if self.engine.autoreset == Autoreset::Disabled
            && let Some(env) = self.slots.iter().position(|s| s.status.ended())
        {
            return Err(BatchError::Ended { env });
        }
        self.actions.clear();
        for (env, raw) in actions.chunks_exact(width).enumerate() {
            let mut rest = raw;
            for (agent, spec) in self.engine.spec.agents.iter().enumerate() {
                let (own, others) = rest.split_at(spec.action.width());
                rest = others;
                let action = self.engine.rules.decode(agent, own).ok_or_else(|| BatchError::InvalidAction {
                    env,
                    agent: spec.name,
                    action: own.to_vec(),
                    space: spec.action.clone(),
                })?;
                self.actions.push(action);
            }
        }
        let engine = &self.engine;
        engine.crew.enter(|| engine.advance(&mut self.slots, Some(&self.actions), out));
        Ok(())
    }

    fn observe(&self, out: Output<'_>) -> Result<(), BatchError> {
        self.check_output(&out)?;
        let agents = self.engine.spec.agents.len();
        let metrics = self.engine.spec.metrics.len();
        let Output { mut rows, rewards, status, metrics: values, last: _ } = out;
        rewards.fill(0.0);
        for (i, slot) in self.slots.iter().enumerate() {
            status[i] = slot.status;
            self.engine.metrics(slot, &mut values[i * metrics..(i + 1) * metrics]);
            for agent in 0..agents {
                self.engine.rules.observe(&slot.state, agent, rows.row(i * agents + agent));
            }
        }
        Ok(())
    }

    fn save(&self, env: usize) -> Result<Vec<u8>, BatchError> {
        let unfit = |e: postcard::Error| BatchError::Save { problem: e.to_string() };
        let origin = postcard::to_stdvec(&self.origin).map_err(unfit)?;
        let body = postcard::to_extend(self.slot(env)?, origin).map_err(unfit)?;
        let mut bytes = Vec::with_capacity(body.len() + 8);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&Crc::of(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }

    fn restore(&mut self, env: usize, bytes: &[u8]) -> Result<(), BatchError> {
        self.slot(env)?;
        let wrong = |problem: &str| BatchError::Restore { problem: problem.to_owned() };
        let (head, body) = bytes.split_at_checked(8).ok_or_else(|| wrong("it is too short"))?;
        if head[..3] != MAGIC[..3] {
            return Err(wrong("it does not begin as one"));
        }
        if head[3] != MAGIC[3] {
            return Err(wrong(&format!("its format is version {}, this build reads {}", head[3], MAGIC[3])));
        }
        if head[4..] != Crc::of(body).to_le_bytes() {
            return Err(wrong("it is damaged"));
        }
        let unfit = |e: postcard::Error| wrong(&e.to_string());
        let (origin, body) = postcard::take_from_bytes::<Origin>(body).map_err(unfit)?;
        if let Some(difference) = origin.difference(&self.origin) {
            return Err(wrong(&difference));
        }
        let (mut slot, rest) = postcard::take_from_bytes::<Slot<E::State>>(body).map_err(unfit)?;
        if !rest.is_empty() {
            return Err(wrong(&format!("it has {} bytes too many", rest.len())));
        }
        // A checksum notices accidents, not intent: what the bytes say must be something that can be gone on from.
        let rules = &self.engine.rules;
        let impossible = |problem: String| wrong(&format!("the rules could not have made it: {problem}"));
        slot.check(rules.spec()).and_then(|()| rules.check(&slot.state)).map_err(impossible)?;
        rules.reserve(&mut slot.state);
        self.slots[env] = slot;
        self.seats.iter_mut().flatten().for_each(|seat| seat.forget(env));
        Ok(())
    }

    fn draw(&self, env: usize, agent: usize, frame: Frame<'_>) -> Result<(), BatchError> {
        let slot = self.slot(env)?;
        let agents = self.engine.spec.agents.len();
        if agent >= agents {
            return Err(BatchError::Agent { agent, agents });
        }
        let (width, height) = self.engine.spec.frame;
        size("frame width", frame.width, width)?;
        size("frame height", frame.height, height)?;
        size("frame", frame.pixels.len(), width * height * 3)?;
        self.engine.rules.draw(&slot.state, agent, frame);
        Ok(())
    }

    fn words(&self, env: usize) -> Result<String, BatchError> {
        Ok(self.engine.rules.words(&self.slot(env)?.state))
    }

    fn metrics(&self, env: usize, values: &mut [f32]) -> Result<(), BatchError> {
        let slot = self.slot(env)?;
        size("metrics", values.len(), self.engine.spec.metrics.len())?;
        self.engine.metrics(slot, values);
        Ok(())
    }

    fn problem(&self, env: usize) -> Result<Option<u32>, BatchError> {
        Ok(self.slot(env)?.problem)
    }

    fn experience(&self, env: usize) -> Result<Option<Vec<u8>>, BatchError> {
        Ok(self.engine.rules.experience(&self.slot(env)?.state))
    }

    fn set_experience(&mut self, env: usize, bytes: &[u8]) -> Result<(), BatchError> {
        let (rules, slot) = self.slot_mut(env)?;
        rules.set_experience(&mut slot.state, bytes)?;
        slot.fresh = false;
        Ok(())
    }

    fn merge_experience(&mut self, env: usize, bytes: &[u8]) -> Result<(), BatchError> {
        let (rules, slot) = self.slot_mut(env)?;
        if slot.fresh {
            rules.clear_experience(&mut slot.state)?;
        }
        rules.merge_experience(&mut slot.state, bytes)?;
        slot.fresh = false;
        Ok(())
    }

    fn clear_experience(&mut self, env: usize) -> Result<(), BatchError> {
        let (rules, slot) = self.slot_mut(env)?;
        rules.clear_experience(&mut slot.state)?;
        slot.fresh = false;
        Ok(())
    }

    fn policies(&self) -> Vec<PolicyInfo> {
        policy_infos::<E>()
    }

    fn seat(&mut self, agent: usize, policy: &str, seed: Seed) -> Result<(), BatchError> {
        let agents = self.engine.spec.agents.len();
        let name = self.engine.spec.agents.get(agent).ok_or(BatchError::Agent { agent, agents })?.name;
        let mut fitting = policies::<E>();
        fitting.retain(|p| p.info.agent.is_none_or(|a| a == agent));
        let mut known: Vec<_> = fitting.iter().map(|p| p.info.name).collect();
        known.dedup();
        let chosen = fitting.into_iter().find(|p| p.info.name == policy).ok_or_else(|| BatchError::Policy {
            agent: name,
            policy: policy.to_owned(),
            known,
        })?;
        (chosen.check)(&self.engine.rules).map_err(|problem| BatchError::Unfit {
            agent: name,
            policy: chosen.info.name,
            problem,
        })?;
        self.seats[agent] = Some((chosen.seat)(agent, self.slots.len(), seed));
        Ok(())
    }

    fn act_until(&mut self, rows: &RowsRef<'_>, actions: &mut [i32], stop: Stop<'_>) -> Result<(), BatchError> {
        size("actions", actions.len(), self.slots.len() * self.engine.spec.action_width())?;
        check_fields(
            &self.engine.spec,
            self.slots.len() * self.engine.spec.agents.len(),
            rows.given(),
            "an observation field",
        )?;
        // Only who asks and is told so has broken off.
        let stopped = AtomicBool::new(false);
        let ask = || {
            let told = stopped.load(Ordering::Relaxed) || stop();
            stopped.fetch_or(told, Ordering::Relaxed);
            told
        };
        for seat in self.seats.iter_mut().flatten() {
            seat.act(&self.engine.rules, &self.slots, rows, actions, &self.engine.crew, &ask);
        }
        if stopped.into_inner() {
            for env in 0..self.slots.len() {
                self.seats.iter_mut().flatten().for_each(|seat| seat.forget(env));
            }
            return Err(BatchError::Stopped);
        }
        Ok(())
    }
}

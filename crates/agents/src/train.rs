//! The loop around any learner: its budget, evaluations, files, and going on where it was stopped.

use std::io;
use std::path::{Path, PathBuf};

use heldout_core::BatchError;
use heldout_files::{DATA, Growing, Hold, HoldError, Tree, WRITTEN};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::nn::Params;
use crate::parts::checkpoint::{self, FILES, FORMAT, Saved};
use crate::parts::events;
use crate::player::Player;
use crate::table::{Agent, Told};

/// Why nothing is learnt.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A config that is none.
    #[error("{0}")]
    Config(String),
    /// An environment that the agent cannot learn.
    #[error("{0}")]
    Unfit(String),
    /// The environment refuses.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// A file of weights or of a state that cannot be used.
    #[error("{0}")]
    Damaged(String),
    /// A file that cannot be read or written.
    #[error("`{path}`: {problem}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// Another process trains here.
    #[error("`{path}` is being trained in by {who}")]
    Held {
        /// Where.
        path: PathBuf,
        /// Which process.
        who: String,
    },
    /// There is a run already.
    #[error("`{path}` holds a run: give `--resume` to go on with it, or another `--out`")]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// A run of another config.
    #[error(
        "`{path}` was begun with `{key}` = `{found}`, not `{wanted}`: only budget, evaluation and logging may change"
    )]
    Differs {
        /// Where.
        path: PathBuf,
        /// The key.
        key: String,
        /// What it was begun with.
        found: String,
        /// What it is to be now.
        wanted: String,
    },
    /// What evaluates the agent failed.
    #[error("the evaluation failed: {0}")]
    Evaluation(String),
}

/// How far a learner is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Steps of all copies.
    pub env_steps: u64,
    /// Episodes that have ended.
    pub episodes: u64,
    /// Steps of the optimiser.
    pub updates: u64,
}

/// What one block of training has to tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Numbers by name.
    pub scalars: Vec<(String, f64)>,
}

impl Step {
    /// Tells a number.
    pub fn scalar(&mut self, name: &str, value: f64) {
        self.scalars.push((name.to_owned(), value));
    }
}

/// One algorithm at work. It owns its environments.
pub trait Learner: Send {
    /// Collects and learns one block of the fixed schedule.
    ///
    /// # Errors
    ///
    /// If the environments refuse.
    fn advance(&mut self) -> Result<Step, TrainError>;

    /// How far it is.
    fn counters(&self) -> Counters;

    /// The mean of an episode metric over the last training episodes.
    fn moving(&self, metric: &str) -> Option<f64>;

    /// The policy of now, frozen.
    fn player(&self) -> Box<dyn Player>;

    /// The weights to act by.
    fn weights(&self) -> &Params;

    /// What was experienced in training, of all copies, where the environment keeps an account of it.
    ///
    /// # Errors
    ///
    /// If the environments cannot merge it.
    fn experience(&mut self) -> Result<Option<Vec<u8>>, TrainError>;

    /// All that it goes on from.
    ///
    /// # Errors
    ///
    /// If the environments cannot be saved.
    fn save(&self) -> Result<Saved, TrainError>;

    /// Goes on from there.
    ///
    /// # Errors
    ///
    /// If the state is not of this run.
    fn load(&mut self, saved: &Saved) -> Result<(), TrainError>;
}

/// When training ends early.
#[derive(Clone, Debug, PartialEq)]
pub struct StopAt {
    /// An episode metric of training, averaged over the last hundred episodes; HALMA's agents over as many as there are mazes.
    pub metric: String,
    /// The mean that is enough.
    pub at_least: f64,
}

impl StopAt {
    /// Reads `METRIC>=X`.
    ///
    /// # Errors
    ///
    /// If it is not that.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` must be `METRIC>=NUMBER`");
        let (metric, number) = text.split_once(">=").ok_or_else(bad)?;
        let at_least: f64 = number.trim().parse().map_err(|_| bad())?;
        let metric = metric.trim().to_owned();
        if metric.is_empty() || !at_least.is_finite() { Err(bad()) } else { Ok(Self { metric, at_least }) }
    }
}

/// How much to train, and how often to look up from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Steps.
    pub steps: u64,
    /// Or episodes, where they are what is counted.
    pub episodes: Option<u64>,
    /// Steps between two saves; 0: a fiftieth of the budget.
    pub save_every: u64,
    /// Steps between two evaluations; 0: so many that there are as many evaluations as `looks`.
    pub evaluate_every: u64,
    /// Evaluations of the whole budget, unless the steps between two are told.
    pub looks: u64,
    /// What ends it early.
    pub stop_at: Option<StopAt>,
}

/// Saves of a run, and evaluations unless more are asked for.
pub(crate) const PARTS: u64 = 50;

impl Default for Budget {
    fn default() -> Self {
        Self { steps: 0, episodes: None, save_every: 0, evaluate_every: 0, looks: PARTS, stop_at: None }
    }
}

impl Budget {
    /// How many there are of what it counts, and how many there shall be.
    fn counted(&self, counters: Counters) -> (u64, u64) {
        self.episodes.map_or((counters.env_steps, self.steps), |episodes| (counters.episodes, episodes))
    }

    /// Whether a mark lies between two counts: one every so many steps, or if that is 0 as many as `parts` in the whole budget.
    fn passes(&self, every: u64, parts: u64, before: Counters, now: Counters) -> bool {
        let marks = |counters: Counters| match (every, self.episodes) {
            (0, Some(episodes)) => counters.episodes / (episodes / parts).max(1),
            (0, None) => counters.env_steps / (self.steps / parts).max(1),
            (every, _) => counters.env_steps / every,
        };
        marks(now) > marks(before)
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The budget is used up.
    Budget,
    /// The metric is good enough.
    StopAt,
    /// Selection has not improved for long.
    Patience,
}

/// How a call of [`Run::train`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The run is over.
    Done(End, Counters),
    /// It was over before.
    Before,
    /// Somebody stopped it; it can be resumed.
    Stopped(Counters),
}

/// Model selection on training problems that are never trained on.
pub struct Selection<'a> {
    /// Blocks between two looks.
    pub every: u64,
    /// Looks without improvement after which training ends.
    pub patience: u64,
    /// The score of a player on the problems kept aside.
    pub score: &'a mut dyn FnMut(Box<dyn Player>) -> Result<f64, String>,
}

/// What somebody who waits is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How far.
    pub counters: Counters,
    /// How many of what the budget counts: steps, or episodes.
    pub done: u64,
    /// Of how many.
    pub of: u64,
    /// The return of the last training episodes.
    pub last_return: Option<f64>,
}

/// What tells the time, for logs alone.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    /// Seconds since the beginning of 1970.
    pub wall: &'a dyn Fn() -> f64,
    /// Seconds that this process has computed.
    pub cpu: &'a dyn Fn() -> f64,
}

/// What makes players of the weights of now.
pub type Players<'a> = &'a dyn Fn() -> Box<dyn Player>;

/// The scores of the policy of now: a name and a number of each condition.
pub type Evaluate<'a> = &'a mut dyn FnMut(Players<'_>) -> Result<Vec<(String, f64)>, String>;

/// One run: an agent, a task and a seed.
pub struct Run<'a> {
    /// Its directory.
    pub dir: &'a Path,
    /// The agent's name.
    pub agent: &'a str,
    /// What fixes the run, as `run.json` has it.
    pub about: Map<String, Value>,
    /// Keys of `about` that may differ when a run is resumed.
    pub free: &'a [&'a str],
    /// What stands in every line of [`CURVES`]: agent, protocol, task, seed and episodes of an evaluation.
    pub line: Map<String, Value>,
    /// The vocabulary of training, where there is one.
    pub vocabulary: Option<Value>,
    /// How much to train.
    pub budget: Budget,
    /// Whether to go on with what is there.
    pub resume: bool,
}

/// What the loop keeps between two calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    counters: Counters,
    blocks: u64,
    best: Option<f64>,
    looks_since_best: u64,
    /// Other versions and processors that it was resumed by.
    others: Vec<String>,
    /// What the last evaluation found.
    #[serde(default)]
    scores: Vec<(String, f64)>,
    /// What the learner told last of its recent episodes.
    #[serde(default)]
    recent: Vec<(String, f64)>,
    /// Bytes of the files that only grow.
    log: u64,
    curves: u64,
    events: u64,
    cpu_seconds: f64,
    wall_seconds: f64,
}

/// The file that fixes a run.
pub const RUN: &str = "run.json";
/// The folder that a run is resumed from.
const STATE: &str = "state";
const DONE: &str = "done.json";
const LOG: &str = "log.jsonl";
/// The file of what was scored on the way.
pub const CURVES: &str = "curves.jsonl";
const EVENTS: &str = "events/events.out.tfevents.heldout";
/// The file of a policy.
pub const POLICY: &str = "policy.safetensors";
/// The file of the policy that selection found best.
pub const BEST: &str = "best.safetensors";
/// The file of what was experienced in training.
pub const EXPERIENCE: &str = "experience.bin";
/// The file of the words of training.
pub const VOCABULARY: &str = "vocabulary.json";

fn file(path: &Path) -> impl Fn(io::Error) -> TrainError + '_ {
    |error| TrainError::File { path: path.to_owned(), problem: error.to_string() }
}

/// A file that only grows, with its path.
struct Grown {
    path: PathBuf,
    file: Growing,
}

impl Grown {
    fn open(path: PathBuf, len: u64) -> Result<Self, TrainError> {
        let opened = Growing::open(&path, len).map_err(file(&path))?;
        Ok(Self { path, file: opened })
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), TrainError> {
        self.file.add(bytes).map_err(file(&self.path))
    }

    fn line(&mut self, value: &Map<String, Value>) -> Result<(), TrainError> {
        let mut text = serde_json::to_string(value).expect("plain data");
        text.push('\n');
        self.add(text.as_bytes())
    }
}

/// The bytes of the state of a run; `None` if none was saved.
fn read_state(dir: &Path) -> Result<Option<[Vec<u8>; 4]>, TrainError> {
    let found = heldout_files::read_folder(&dir.join(STATE), &FILES, 64 * DATA);
    let found = found.map_err(|(path, error)| file(&path)(error))?;
    Ok(found.and_then(|files| files.try_into().ok()))
}

/// All files of the run in `dir`, as of one moment between two saves, to go on with it elsewhere or to keep what it has come to.
///
/// # Errors
///
/// If they cannot be read.
pub fn snapshot(dir: &Path) -> io::Result<Tree> {
    /// Times that a save may come between at the most: they are rare.
    const TRIES: usize = 20;
    // Locks, files that are being written, and states that are to come or give way.
    let leave = |name: &str| name.starts_with('.') || name == "state.new" || name == "state.old";
    let (state, old) = (dir.join(STATE), dir.join("state.old"));
    let of = || std::fs::metadata(&state).and_then(|found| found.modified()).ok();
    for _ in 0..TRIES {
        let before = of();
        let files = heldout_files::read_tree(dir, &leave, 64 * DATA)?;
        if before == of() && (before.is_some() || !old.exists()) {
            return Ok(files);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    if of().is_none() {
        // Whoever saved was ended between the two renames: what gave way is the last state.
        let mut files = heldout_files::read_tree(dir, &leave, 64 * DATA)?;
        let kept = heldout_files::read_tree(&old, &leave, 64 * DATA)?;
        files.extend(kept.into_iter().map(|(name, bytes)| (format!("{STATE}/{name}"), bytes)));
        return Ok(files);
    }
    Err(io::Error::other("is saved to all the time"))
}

/// Steps and episodes that the run in `dir` has told of; none before its first block.
#[must_use]
pub fn so_far(dir: &Path) -> (u64, u64) {
    /// Bytes that the last lines are in.
    const LAST: u64 = 64 << 10;
    let log = heldout_files::tail(&dir.join(LOG), LAST).unwrap_or_default();
    let last = log.split(|&byte| byte == b'\n').rev().find_map(|line| serde_json::from_slice::<Value>(line).ok());
    let told = |key: &str| last.as_ref().and_then(|line| line[key].as_u64()).unwrap_or(0);
    (told("step"), told("episodes"))
}

/// Puts the files of a [`snapshot`] in place of those of the run in `dir`: whatever ends this, the run can be resumed.
///
/// # Errors
///
/// If they cannot be written.
pub fn restore(dir: &Path, files: Tree) -> io::Result<()> {
    let below = format!("{STATE}/");
    let (state, others): (Tree, Tree) = files.into_iter().partition(|(name, _)| name.starts_with(&below));
    let (told, others): (Tree, Tree) = others.into_iter().partition(|(name, _)| name == RUN || name == DONE);
    let (done, run): (Tree, Tree) = told.into_iter().partition(|(name, _)| name == DONE);
    match std::fs::remove_file(dir.join(DONE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // What a state refers to is there before it; that there is a run is told after it, and that it is over last.
    heldout_files::write_tree(dir, &others)?;
    if !state.is_empty() {
        let files: Vec<(&str, &[u8])> = state.iter().map(|(name, bytes)| (&name[below.len()..], &bytes[..])).collect();
        heldout_files::write_folder(&dir.join(STATE), &files)?;
    }
    heldout_files::write_tree(dir, &run)?;
    heldout_files::write_tree(dir, &done)
}

impl Run<'_> {
    /// Trains until the budget is used up, something ends it, or `stop` says so.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written, what is there is of another run, or the learner fails.
    ///
    /// # Panics
    ///
    /// If what is told of the run is no plain data.
    pub fn train(
        &self,
        learner: &mut dyn Learner,
        evaluate: Evaluate<'_>,
        mut selection: Option<Selection<'_>>,
        clock: Clock<'_>,
        stop: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Ended, TrainError> {
        let _held = Hold::take(self.dir).map_err(|error| match error {
            HoldError::Held(who) => TrainError::Held { path: self.dir.to_owned(), who },
            HoldError::Write(error) => file(self.dir)(error),
        })?;
        heldout_files::sweep(self.dir, &[]);
        if self.dir.join(DONE).exists() && self.resume && !self.extends()? {
            self.same(&self.there()?)?;
            return Ok(Ended::Before);
        }
        let mut kept = self.begin(learner)?;
        let mut log = Grown::open(self.dir.join(LOG), kept.log)?;
        let mut curves = Grown::open(self.dir.join(CURVES), kept.curves)?;
        let mut board = Grown::open(self.dir.join(EVENTS), kept.events)?;
        if board.file.is_empty() {
            board.add(&events::head((clock.wall)()))?;
        }
        let (began, computed) = ((clock.wall)(), (clock.cpu)());
        let spent = [kept.cpu_seconds, kept.wall_seconds];
        let end = loop {
            if let Some(end) = self.end(learner, &kept, selection.as_ref()) {
                break Some(end);
            }
            if stop() {
                break None;
            }
            let before = learner.counters();
            let since = (clock.wall)();
            let step = learner.advance()?;
            kept.counters = learner.counters();
            kept.blocks += 1;
            let recent =
                step.scalars.iter().filter_map(|(name, x)| Some((name.strip_prefix("recent/")?.to_owned(), *x)));
            let recent: Vec<_> = recent.collect();
            kept.recent = if recent.is_empty() { kept.recent } else { recent };
            let steps = (kept.counters.env_steps - before.env_steps) as f64;
            let speed = steps / ((clock.wall)() - since).max(1e-9);
            tell(&step, kept.counters, &mut log, &mut board, (clock.wall)(), speed)?;
            if let Some(selection) = &mut selection
                && kept.blocks.is_multiple_of(selection.every)
            {
                self.look(learner, selection, &mut kept)?;
            }
            if self.budget.passes(self.budget.evaluate_every, self.budget.looks, before, kept.counters) {
                kept.scores = self.look_up(learner, evaluate, kept.counters, &mut curves)?;
                let tags: Vec<_> = kept.scores.iter().map(|(name, x)| (format!("evaluation/{name}"), *x)).collect();
                board.add(&events::scalars((clock.wall)(), kept.counters.env_steps, &tags))?;
            }
            if self.budget.passes(self.budget.save_every, PARTS, before, kept.counters) {
                (kept.log, kept.curves, kept.events) = (log.file.len(), curves.file.len(), board.file.len());
                kept.cpu_seconds = spent[0] + (clock.cpu)() - computed;
                kept.wall_seconds = spent[1] + (clock.wall)() - began;
                self.save(learner, &kept)?;
            }
            let last_return = learner.moving("return");
            let (done, of) = self.budget.counted(kept.counters);
            progress(&Progress { counters: kept.counters, done: done.min(of), of, last_return });
        };
        (kept.log, kept.curves, kept.events) = (log.file.len(), curves.file.len(), board.file.len());
        kept.cpu_seconds = spent[0] + (clock.cpu)() - computed;
        kept.wall_seconds = spent[1] + (clock.wall)() - began;
        self.save(learner, &kept)?;
        let Some(end) = end else { return Ok(Ended::Stopped(kept.counters)) };
        let table = |of: Vec<(String, f64)>| of.into_iter().map(|(name, x)| (name, json!(x))).collect::<Map<_, _>>();
        let done = json!({
            "end": end,
            "counters": kept.counters,
            "cpu_seconds": kept.cpu_seconds.round(),
            "wall_seconds": kept.wall_seconds.round(),
            "scores": table(kept.scores),
            "recent": table(kept.recent),
            "best": kept.best,
            "also_computed_by": kept.others,
        });
        self.write(DONE, format!("{done:#}\n").as_bytes())?;
        Ok(Ended::Done(end, kept.counters))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), TrainError> {
        let path = self.dir.join(name);
        heldout_files::write(&path, bytes).map_err(file(&path))
    }

    /// Whether the budget goes beyond where a finished run ended.
    fn extends(&self) -> Result<bool, TrainError> {
        let path = self.dir.join(DONE);
        let text = heldout_files::text(&path, WRITTEN).map_err(file(&path))?;
        let done: Value = serde_json::from_str(&text).unwrap_or_default();
        let counters: Option<Counters> = serde_json::from_value(done["counters"].clone()).ok();
        let more = counters.map(|counters| self.budget.counted(counters)).is_some_and(|(done, of)| of > done);
        Ok(done["end"] == json!(End::Budget) && more)
    }

    /// Writes down what the run is, or checks that it is the one that is there, and puts the learner where that stood.
    fn begin(&self, learner: &mut dyn Learner) -> Result<Kept, TrainError> {
        let path = self.dir.join(RUN);
        if !path.exists() {
            // What tells that there is a run comes last.
            if let Some(words) = &self.vocabulary {
                self.write(VOCABULARY, format!("{words:#}\n").as_bytes())?;
            }
            self.write(RUN, format!("{:#}\n", Value::Object(self.about.clone())).as_bytes())?;
            return Ok(Kept::default());
        }
        if !self.resume {
            return Err(TrainError::Exists { path: self.dir.to_owned() });
        }
        self.same(&self.there()?)?;
        let Some(files) = read_state(self.dir)? else { return Ok(Kept::default()) };
        let (saved, mut kept): (Saved, Kept) = Saved::of_files(files)?;
        learner.load(&saved)?;
        if learner.counters() != kept.counters {
            return Err(TrainError::Damaged("the state tells of two different counts of steps".to_owned()));
        }
        if let Some((_, other)) = self.other()?
            && !kept.others.contains(&other)
        {
            kept.others.push(other);
            let mut marked = self.there()?;
            marked.insert(checkpoint::OTHERS.to_owned(), json!(kept.others));
            self.write(RUN, format!("{:#}\n", Value::Object(marked)).as_bytes())?;
        }
        Ok(kept)
    }

    /// What began the run that is there, and what computes now, if these are two: bits may differ then.
    ///
    /// # Errors
    ///
    /// If there is no run that can be read.
    pub fn other(&self) -> Result<Option<(String, String)>, TrainError> {
        let told = |of: &Map<String, Value>| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let backend = of.get("backend").cloned().unwrap_or_default();
            let version = of.get("version").map(text).unwrap_or_default();
            format!("{version} {} {}", text(&backend["name"]), text(&backend["isa"]))
        };
        let (begun, now) = (told(&self.there()?), told(&self.about));
        Ok((begun != now).then_some((begun, now)))
    }

    /// What fixes the run that is there.
    fn there(&self) -> Result<Map<String, Value>, TrainError> {
        let path = self.dir.join(RUN);
        let text = heldout_files::text(&path, WRITTEN).map_err(file(&path))?;
        let read = serde_json::from_str(&text);
        read.map_err(|error| TrainError::File { path: path.clone(), problem: format!("is no JSON object: {error}") })
    }

    /// Checks that a run was begun with the same config, but for what may change.
    fn same(&self, there: &Map<String, Value>) -> Result<(), TrainError> {
        fn walk(at: &str, found: &Value, wanted: &Value, free: &[&str]) -> Option<(String, Value, Value)> {
            if free.contains(&at) {
                return None;
            }
            if let (Value::Object(a), Value::Object(b)) = (found, wanted) {
                let keys = a.keys().chain(b.keys().filter(|k| !a.contains_key(*k)));
                return keys.into_iter().find_map(|key| {
                    let of = |m: &Map<String, Value>| m.get(key).cloned().unwrap_or_default();
                    let place = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                    walk(&place, &of(a), &of(b), free)
                });
            }
            (found != wanted).then(|| (at.to_owned(), found.clone(), wanted.clone()))
        }
        let mut there = there.clone();
        there.remove(checkpoint::OTHERS);
        // A key that came after the run was begun was as it is unless told.
        let config = there.get("config").and_then(Value::as_object);
        let told = Agent::find(self.agent).zip(config).and_then(|(agent, config)| Told::read(agent, config).ok());
        if let Some(told) = told {
            there.insert("config".to_owned(), Value::Object(told.table()));
        }
        let [found, wanted] = [there, self.about.clone()].map(Value::Object);
        match walk("", &found, &wanted, self.free) {
            None => Ok(()),
            Some((key, found, wanted)) => Err(TrainError::Differs {
                path: self.dir.to_owned(),
                key,
                found: found.to_string(),
                wanted: wanted.to_string(),
            }),
        }
    }

    /// Why the run is over, if it is.
    fn end(&self, learner: &dyn Learner, kept: &Kept, selection: Option<&Selection<'_>>) -> Option<End> {
        let counters = learner.counters();
        let (done, of) = self.budget.counted(counters);
        let enough = done >= of;
        let good = |stop: &StopAt| learner.moving(&stop.metric).is_some_and(|mean| mean >= stop.at_least);
        if enough {
            Some(End::Budget)
        } else if self.budget.stop_at.as_ref().is_some_and(good) {
            Some(End::StopAt)
        } else {
            selection.filter(|s| kept.looks_since_best >= s.patience).map(|_| End::Patience)
        }
    }

    /// Scores the policy of now on the problems kept aside, and keeps it if it is the best.
    fn look(&self, learner: &dyn Learner, selection: &mut Selection<'_>, kept: &mut Kept) -> Result<(), TrainError> {
        let score = (selection.score)(learner.player()).map_err(TrainError::Evaluation)?;
        if kept.best.is_none_or(|best| score > best) {
            kept.best = Some(score);
            kept.looks_since_best = 0;
            self.write(BEST, &self.policy(learner, kept.counters)?)
        } else {
            kept.looks_since_best += 1;
            Ok(())
        }
    }

    /// Scores the policy of now on every condition, for the curves alone.
    fn look_up(
        &self,
        learner: &dyn Learner,
        evaluate: Evaluate<'_>,
        counters: Counters,
        curves: &mut Grown,
    ) -> Result<Vec<(String, f64)>, TrainError> {
        let scores = evaluate(&|| learner.player()).map_err(TrainError::Evaluation)?;
        let mut line = self.line.clone();
        line.insert("step".to_owned(), json!(counters.env_steps));
        line.extend(scores.iter().map(|(name, x)| (name.clone(), json!(x))));
        curves.line(&line)?;
        Ok(scores)
    }

    fn policy(&self, learner: &dyn Learner, counters: Counters) -> Result<Vec<u8>, TrainError> {
        // As it was begun: a budget that grew changes nothing that a policy is played by.
        let path = self.dir.join(RUN);
        let begun = heldout_files::read(&path, WRITTEN).map_err(file(&path))?;
        let about = checkpoint::About {
            format: FORMAT.to_owned(),
            agent: self.agent.to_owned(),
            run: checkpoint::sha256(&checkpoint::begun(&begun)),
            env_steps: counters.env_steps,
            updates: counters.updates,
            numbers: String::new(),
        };
        Ok(checkpoint::pack(learner.weights(), about))
    }

    fn save(&self, learner: &mut dyn Learner, kept: &Kept) -> Result<(), TrainError> {
        let saved = learner.save()?;
        let files = saved.files(self.agent, kept);
        let named: Vec<(&str, &[u8])> = FILES.into_iter().zip(files.iter().map(Vec::as_slice)).collect();
        let folder = self.dir.join(STATE);
        heldout_files::write_folder(&folder, &named).map_err(file(&folder))?;
        self.write(POLICY, &self.policy(learner, kept.counters)?)?;
        if let Some(experience) = learner.experience()? {
            self.write(EXPERIENCE, &experience)?;
        }
        Ok(())
    }
}

/// Writes down what a block told: what a run with the same seed would tell too in the log, beside its speed on the board.
fn tell(
    step: &Step,
    counters: Counters,
    log: &mut Grown,
    board: &mut Grown,
    wall: f64,
    speed: f64,
) -> Result<(), TrainError> {
    let mut line = Map::new();
    line.insert("step".to_owned(), json!(counters.env_steps));
    line.insert("episodes".to_owned(), json!(counters.episodes));
    line.insert("updates".to_owned(), json!(counters.updates));
    line.extend(step.scalars.iter().map(|(name, x)| (name.clone(), json!(x))));
    log.line(&line)?;
    let mut scalars = step.scalars.clone();
    scalars.push(("time/steps_per_second".to_owned(), speed));
    board.add(&events::scalars(wall, counters.env_steps, &scalars))
}

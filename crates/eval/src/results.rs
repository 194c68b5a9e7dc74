//! Records put in order: which agent scored what, on which task, under which condition, measured against what.
//!
//! A score is *normalised* when it is put on a scale on which 0 and 1 have a meaning: random play and people (published),
//! our own `random` and `oracle`, or the two ends of the metric. The ends of a scale count as known: their own
//! uncertainty is not in the intervals.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use heldout_core::{Parts, Seed};
use heldout_envs::family;
use serde::Serialize;
use serde_json::Map;

use crate::aggregate;
use crate::bootstrap::{Interval, RESAMPLES, Scored, Stratum, interval, intervals, scores};
use crate::curves::Curve;
use crate::protocol::{Condition, Kind, Normalise, Protocol, ProtocolError, Task};
use crate::records::{Failure, Record, Recorded, RecordsError};

/// The label of the policy whose scores count as 0 when our own policies span the scale.
pub const RANDOM: &str = "random";
/// The label of the policy whose scores count as 1 when our own policies span the scale.
pub const ORACLE: &str = "oracle";
/// The folder of an evaluation's directory that may hold the protocols it played.
pub const PROTOCOLS: &str = "protocols";
/// Where every interval's draws begin.
const ROOT: Seed = Seed(0x6865_6c64_6f75_7400);

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The number.
    pub value: f64,
    /// Its interval; `None` where there is too little to draw from.
    pub interval: Option<Interval>,
}

impl Measured {
    /// The same in another unit.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let interval = self.interval.map(|i| Interval { low: i.low * factor, high: i.high * factor });
        Self { value: self.value * factor, interval }
    }
}

/// What a score is shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// As it is.
    Raw,
    /// As the protocol normalises it; by our own `random` and `oracle` where it does not say.
    Task,
    /// 0 is published random play, 1 is people.
    Human,
    /// 0 is our `random`, 1 is our `oracle`.
    Oracle,
}

/// One agent under one condition of one task.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What was recorded.
    pub recorded: Recorded,
    /// The score of each run.
    pub stratum: Stratum,
}

/// Where a cell is: numbers of task, condition and agent.
pub type Place = (usize, usize, usize);

/// The results of one protocol.
#[derive(Clone, Debug)]
pub struct Suite {
    /// What was played.
    pub protocol: Protocol,
    /// Whether the protocol itself was at hand; else it was guessed from the records, and has no scales and no claims.
    pub known: bool,
    /// Who played: `random` first, `oracle` last, the others between them in the order of their names.
    pub agents: Vec<String>,
    /// What they scored.
    pub cells: BTreeMap<Place, Cell>,
}

/// All that a report speaks of.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The protocols, built-in ones first.
    pub suites: Vec<Suite>,
    /// What could not be played.
    pub failures: Vec<Failure>,
    /// Curves of training.
    pub curves: Vec<Curve>,
}

/// Results that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// No directory was named.
    #[error("there is no directory to report on")]
    Nothing,
    /// Records that cannot be used.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// A protocol that cannot be used.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// A file that cannot be read or is not what it should be.
    #[error("`{}`: {problem}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

/// The runs of a file, scored by `metric`, of the records that `keep` keeps.
#[must_use]
pub fn stratum(recorded: &Recorded, metric: &str, keep: impl Fn(&Record) -> bool) -> Stratum {
    Stratum::new(runs(recorded, metric, keep))
}

/// The scored episodes of each seed.
fn runs(recorded: &Recorded, metric: &str, keep: impl Fn(&Record) -> bool) -> Vec<Vec<Scored>> {
    let weight = recorded.header.weights.get(metric);
    let scored = |record: &Record| {
        let weight = weight.map_or(Some(1.0), |name| record.value(name))?;
        Some(Scored { value: record.value(metric)?, weight })
    };
    let of_seed = |seed: &u64| {
        let own = recorded.records.iter().filter(|r| r.seed == *seed && keep(r));
        own.filter_map(scored).collect()
    };
    recorded.header.seeds.iter().map(of_seed).collect()
}

/// The place of a label among the others.
fn rank(label: &str) -> (u8, &str) {
    match label {
        RANDOM => (0, label),
        ORACLE => (2, label),
        _ => (1, label),
    }
}

/// The seed of an interval: a purpose has its own, whatever else is computed.
pub(crate) fn seed(purpose: &[&str]) -> Seed {
    purpose.iter().fold(ROOT, |seed, part| seed.stream(part))
}

impl Results {
    /// Reads the records of one or more evaluations.
    ///
    /// An agent of the same name with other records in a second directory is told apart by that directory's name.
    ///
    /// # Errors
    ///
    /// If a directory holds no records, or something in it cannot be used.
    pub fn read(dirs: &[&Path]) -> Result<Self, ResultsError> {
        if dirs.is_empty() {
            return Err(ResultsError::Nothing);
        }
        let mut results = Self::default();
        let mut all: Vec<Recorded> = Vec::new();
        let mut protocols: BTreeMap<String, Protocol> = BTreeMap::new();
        for dir in dirs {
            for mut recorded in Recorded::read_all(dir)? {
                let header = &recorded.header;
                let there = all.iter().find(|other| other.header.path(Path::new("")) == header.path(Path::new("")));
                if let Some(there) = there {
                    if there.records == recorded.records {
                        continue;
                    }
                    let name = dir.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
                    recorded.header.agent = format!("{} ({name})", header.agent);
                }
                let name = &recorded.header.protocol;
                let own = dir.join(PROTOCOLS).join(format!("{name}.toml"));
                if !protocols.contains_key(name) && own.is_file() {
                    protocols.insert(name.clone(), Protocol::find(&own.to_string_lossy())?);
                }
                all.push(recorded);
            }
            for failure in Failure::read_all(dir)? {
                if !results.failures.contains(&failure) {
                    results.failures.push(failure);
                }
            }
            results.curves.extend(Curve::read_all(dir)?);
        }
        let mut names: Vec<String> = all.iter().map(|r| r.header.protocol.clone()).collect();
        let built_in = |name: &String| crate::protocol::names().position(|known| known == name).unwrap_or(usize::MAX);
        names.sort_by_key(|name| (built_in(name), name.clone()));
        names.dedup();
        for name in names {
            let of: Vec<Recorded> = all.iter().filter(|r| r.header.protocol == name).cloned().collect();
            let protocol = protocols.remove(&name).or_else(|| Protocol::find(&name).ok());
            results.suites.push(Suite::new(protocol, of));
        }
        Ok(results)
    }
}

/// What the headers alone tell of a protocol.
fn guessed(records: &[Recorded]) -> Protocol {
    let name = records.first().map(|r| r.header.protocol.clone()).unwrap_or_default();
    let mut protocol = Protocol {
        title: name.clone(),
        name,
        paper: None,
        summary: "The file of this protocol is not at hand: its scales, claims and published scores are left out."
            .into(),
        tags: Vec::new(),
        seeds: records.iter().map(|r| r.header.seeds.len() as u64).max().unwrap_or(1),
        published: Vec::new(),
        tasks: Vec::new(),
        claims: Vec::new(),
        scales: None,
    };
    for recorded in records {
        adopt(&mut protocol, recorded);
    }
    protocol
}

/// Adds the task and the condition of `recorded` to `protocol` if it has none of that name.
fn adopt(protocol: &mut Protocol, recorded: &Recorded) {
    let header = &recorded.header;
    if protocol.task(&header.task).is_none() {
        protocol.tasks.push(Task {
            name: header.task.clone(),
            id: header.id.clone(),
            kind: Kind::Episodes,
            episodes: None,
            metric: header.metric.clone(),
            higher_is_better: true,
            trace: false,
            normalise: None,
            floor: None,
            ceiling: None,
            set: Map::new(),
            tags: Vec::new(),
            conditions: Vec::new(),
        });
    }
    if let Some(task) = protocol.tasks.iter_mut().find(|t| t.name == header.task)
        && task.condition(&header.condition).is_none()
    {
        task.conditions.push(Condition {
            name: header.condition.clone(),
            held_out: header.held_out,
            set: Map::new(),
            random: None,
            human: None,
            floor: None,
            ceiling: None,
        });
        // Training first.
        task.conditions.sort_by_key(|c| c.held_out);
    }
}

/// Aggregates of one agent over tasks, on a normalised scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Aggregates {
    /// Number of strata: tasks, each under each condition.
    pub strata: usize,
    /// Mean over tasks.
    pub mean: Measured,
    /// Median over tasks.
    pub median: Measured,
    /// Interquartile mean of runs.
    pub iqm: Measured,
    /// How far runs fall short of 1.
    pub optimality_gap: Measured,
}

impl Aggregates {
    /// Those of `strata`; `None` if there are none or one has no runs.
    #[must_use]
    pub fn of(strata: &[Stratum], purpose: &[&str]) -> Option<Self> {
        let all = |scores: &[Vec<f64>]| {
            let gap = aggregate::optimality_gap(scores, 1.0)?;
            Some(vec![aggregate::mean(scores)?, aggregate::median(scores)?, aggregate::iqm(scores)?, gap])
        };
        let values = all(&scores(strata))?;
        let found = intervals(&[strata], seed(purpose), RESAMPLES, |drawn| all(&drawn[0]));
        let one = |i: usize| Measured { value: values[i], interval: found.as_ref().map(|f| f[i]) };
        Some(Self { strata: strata.len(), mean: one(0), median: one(1), iqm: one(2), optimality_gap: one(3) })
    }
}

/// Train and held-out side by side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// Score in training.
    pub train: Measured,
    /// Score on what is held out.
    pub held_out: Measured,
    /// Train minus held-out.
    pub gap: Measured,
}

/// The train strata and the held-out strata of each task.
pub type Halves = Vec<(Vec<Stratum>, Vec<Stratum>)>;

impl Gap {
    /// That of several tasks, each counting the same, whatever its number of conditions; `None` if there are none.
    #[must_use]
    pub fn of(halves: &Halves, purpose: &[&str]) -> Option<Self> {
        let train: Vec<Stratum> = halves.iter().flat_map(|(train, _)| train.clone()).collect();
        let held_out: Vec<Stratum> = halves.iter().flat_map(|(_, held_out)| held_out.clone()).collect();
        let lengths: Vec<(usize, usize)> = halves.iter().map(|(a, b)| (a.len(), b.len())).collect();
        let three = |train: &[Vec<f64>], held_out: &[Vec<f64>]| {
            let (mut at, mut then) = (0, 0);
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for &(a, b) in &lengths {
                left.push(aggregate::mean(&train[at..at + a])?);
                right.push(aggregate::mean(&held_out[then..then + b])?);
                (at, then) = (at + a, then + b);
            }
            let (left, right) = (aggregate::average(&left)?, aggregate::average(&right)?);
            Some(vec![left, right, left - right])
        };
        let values = three(&scores(&train), &scores(&held_out))?;
        let found = intervals(&[&train, &held_out], seed(purpose), RESAMPLES, |drawn| three(&drawn[0], &drawn[1]));
        let one = |i: usize| Measured { value: values[i], interval: found.as_ref().map(|f| f[i]) };
        Some(Self { train: one(0), held_out: one(1), gap: one(2) })
    }
}

impl Suite {
    fn new(protocol: Option<Protocol>, records: Vec<Recorded>) -> Self {
        let known = protocol.is_some();
        let mut protocol = protocol.unwrap_or_else(|| guessed(&records));
        for recorded in &records {
            adopt(&mut protocol, recorded);
        }
        let mut agents: Vec<String> = records.iter().map(|r| r.header.agent.clone()).collect();
        agents.sort_by(|a, b| rank(a).cmp(&rank(b)));
        agents.dedup();
        let mut cells = BTreeMap::new();
        for recorded in records {
            let header = &recorded.header;
            let task = protocol.tasks.iter().position(|t| t.name == header.task);
            let Some(task) = task else { continue };
            let condition = protocol.tasks[task].conditions.iter().position(|c| c.name == header.condition);
            let agent = agents.iter().position(|a| *a == header.agent);
            let (Some(condition), Some(agent)) = (condition, agent) else { continue };
            let stratum = stratum(&recorded, &protocol.tasks[task].metric, |_| true);
            cells.insert((task, condition, agent), Cell { recorded, stratum });
        }
        Self { protocol, known, agents, cells }
    }

    /// The number of the agent called `label`.
    #[must_use]
    pub fn agent(&self, label: &str) -> Option<usize> {
        self.agents.iter().position(|a| a == label)
    }

    /// The family of a task.
    #[must_use]
    pub fn family(&self, task: usize) -> &str {
        self.protocol.tasks[task].id.split('/').next().unwrap_or_default()
    }

    /// The families, in the order of their first tasks.
    #[must_use]
    pub fn families(&self) -> Vec<String> {
        let mut families: Vec<String> = Vec::new();
        for task in 0..self.protocol.tasks.len() {
            if !families.iter().any(|f| f == self.family(task)) {
                families.push(self.family(task).to_owned());
            }
        }
        families
    }

    /// The scores that count as 0 and 1 on `scale`; `None` where it has none.
    #[must_use]
    pub fn ends(&self, task: usize, condition: usize, scale: Scale) -> Option<(f64, f64)> {
        let (of, at) = (&self.protocol.tasks[task], &self.protocol.tasks[task].conditions[condition]);
        let measured = |label: &str| self.cells.get(&(task, condition, self.agent(label)?))?.stratum.mean();
        let ends = match (scale, of.normalise) {
            (Scale::Raw, _) => None,
            (Scale::Human, _) | (Scale::Task, Some(Normalise::Human)) => at.random.zip(at.human),
            (Scale::Task, Some(Normalise::Range)) => {
                let ends = of.range(at);
                if of.higher_is_better { ends } else { ends.map(|(floor, ceiling)| (ceiling, floor)) }
            }
            (Scale::Oracle | Scale::Task, _) => measured(RANDOM).zip(measured(ORACLE)),
        };
        ends.filter(|(floor, ceiling)| floor != ceiling)
    }

    /// The runs of a cell on `scale`; `None` if there are none, or no such scale.
    #[must_use]
    pub fn stratum(&self, place: Place, scale: Scale) -> Option<Stratum> {
        let stratum = &self.cells.get(&place)?.stratum;
        if stratum.scores().is_empty() {
            return None;
        }
        if scale == Scale::Raw {
            return Some(stratum.clone());
        }
        let (floor, ceiling) = self.ends(place.0, place.1, scale)?;
        Some(stratum.map(|x| (x - floor) / (ceiling - floor)))
    }

    /// What a purpose is called by: protocol, task, condition and agent.
    fn purpose(&self, (task, condition, agent): Place) -> [&str; 4] {
        let task = &self.protocol.tasks[task];
        [&self.protocol.name, &task.name, &task.conditions[condition].name, &self.agents[agent]]
    }

    /// The score of a cell on `scale`.
    #[must_use]
    pub fn score(&self, place: Place, scale: Scale) -> Option<Measured> {
        let purpose = self.purpose(place);
        // One seed for all scales: the same draws, so that raw and normalised intervals are one.
        mean_of(&self.stratum(place, scale)?, &purpose)
    }

    /// The raw scores of an agent in conditions that are also given together, all their episodes as one, by the name
    /// that the task's kind gives them.
    #[must_use]
    pub fn merged(&self, task: usize, agent: usize) -> Vec<(&'static str, Measured)> {
        let of = &self.protocol.tasks[task];
        let Kind::Own { name, .. } = &of.kind else { return Vec::new() };
        let Some(kind) = Kind::known(name) else { return Vec::new() };
        let mut groups: Vec<(&'static str, Vec<Vec<Scored>>)> = Vec::new();
        for (c, condition) in of.conditions.iter().enumerate() {
            let cell = self.cells.get(&(task, c, agent));
            let Some((group, cell)) = kind.merged(&condition.name).zip(cell) else { continue };
            let own = runs(&cell.recorded, &of.metric, |_| true);
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, all)) => all.iter_mut().zip(own).for_each(|(all, own)| all.extend(own)),
                None => groups.push((group, own)),
            }
        }
        let score = |(group, runs): (&'static str, Vec<Vec<Scored>>)| {
            let purpose = [&self.protocol.name, &of.name, group, &self.agents[agent]];
            Some((group, mean_of(&Stratum::new(runs), &purpose)?))
        };
        groups.into_iter().filter_map(score).collect()
    }

    /// Another metric of a cell, of the records that `keep` keeps.
    #[must_use]
    pub fn metric(&self, place: Place, metric: &str, keep: impl Fn(&Record) -> bool) -> Option<Measured> {
        let [protocol, task, condition, agent] = self.purpose(place);
        mean_of(&stratum(&self.cells.get(&place)?.recorded, metric, keep), &[protocol, task, condition, agent, metric])
    }

    /// A value computed from each record of a cell that has one; `purpose` names it.
    #[must_use]
    pub fn derived(&self, place: Place, purpose: &str, value: impl Fn(&Record) -> Option<f64>) -> Option<Measured> {
        let [protocol, task, condition, agent] = self.purpose(place);
        let recorded = &self.cells.get(&place)?.recorded;
        let of_seed = |seed: &u64| {
            let own = recorded.records.iter().filter(|r| r.seed == *seed);
            own.filter_map(|r| Some(Scored { value: value(r)?, weight: 1.0 })).collect()
        };
        let stratum = Stratum::new(recorded.header.seeds.iter().map(of_seed).collect());
        mean_of(&stratum, &[protocol, task, condition, agent, purpose])
    }

    /// Every place of `agent` that `keep` keeps and that has a score on `scale`.
    pub fn places(&self, agent: usize, scale: Scale, keep: impl Fn(usize, usize) -> bool) -> Vec<Place> {
        let mine = self.cells.keys().filter(|(task, condition, a)| *a == agent && keep(*task, *condition));
        mine.copied().filter(|&place| self.stratum(place, scale).is_some()).collect()
    }

    /// Whether a condition is held out.
    #[must_use]
    pub fn held_out(&self, task: usize, condition: usize) -> bool {
        self.protocol.tasks[task].conditions[condition].held_out
    }

    /// The runs of `agent` in each half of each task that `keep` keeps and that has both.
    pub fn halves(&self, agent: usize, scale: Scale, keep: impl Fn(usize) -> bool) -> Halves {
        let half = |task: usize, held_out: bool| -> Vec<Stratum> {
            let places = self.places(agent, scale, |t, c| t == task && self.held_out(t, c) == held_out);
            places.into_iter().filter_map(|place| self.stratum(place, scale)).collect()
        };
        let tasks = (0..self.protocol.tasks.len()).filter(|&task| keep(task));
        let both = tasks.map(|task| (half(task, false), half(task, true)));
        both.filter(|(train, held_out)| !train.is_empty() && !held_out.is_empty()).collect()
    }

    /// Train against held-out of one task.
    #[must_use]
    pub fn gap(&self, task: usize, agent: usize, scale: Scale) -> Option<Gap> {
        let purpose = [self.protocol.name.as_str(), &self.protocol.tasks[task].name, &self.agents[agent], "gap"];
        Gap::of(&self.halves(agent, scale, |t| t == task), &purpose)
    }

    /// The parts that the problems of a cell fall into, such as categories of statements.
    #[must_use]
    pub fn parts(&self, place: Place) -> Option<Box<dyn Parts>> {
        let header = &self.cells.get(&place)?.recorded.header;
        (family(&header.id)?.measures.parts)(&header.id, &header.config)
    }
}

/// A metric and the part of the problems that it is asked of: `success[target=false]`.
pub(crate) fn part_of(metric: &str) -> (&str, Option<&str>) {
    match metric.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']')),
        None => (metric, None),
    }
}

/// The mean of a stratum with its interval.
pub(crate) fn mean_of(stratum: &Stratum, purpose: &[&str]) -> Option<Measured> {
    let value = stratum.mean()?;
    let strata = std::slice::from_ref(stratum);
    let interval = interval(&[strata], seed(purpose), RESAMPLES, |drawn| aggregate::mean(&drawn[0]));
    Some(Measured { value, interval })
}

/// Reads a text file whose absence is no error.
pub(crate) fn optional(path: &Path) -> Result<Option<String>, ResultsError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ResultsError::File { path: path.to_owned(), problem: format!("cannot be read: {error}") }),
    }
}

//! Records put in order: which agent scored what, on which task, under which condition, measured against what.
//!
//! A score is *normalised* when it is put on a scale on which 0 and 1 have a meaning: the task's floor and ceiling, which
//! were measured apart from the run ([`crate::scales`]), or random play and people (published), as one paper's tables have
//! it. The ends of a scale count as known: their own uncertainty is not in the intervals.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Component, Path, PathBuf};

use heldout_core::{Parts, Seed};
use heldout_envs::family;
use serde::Serialize;
use serde_json::Map;

use crate::aggregate;
use crate::bootstrap::{RESAMPLES, scaled};
use crate::curves::Curve;
use crate::notes;
use crate::protocol::{Condition, Kind, Protocol, ProtocolError, Task};
use crate::records::{Failure, Header, Record, Recorded, RecordsError};
use crate::scales;
pub use crate::stratum::Measured;
use crate::stratum::{self, Run, Scored, Stratum};
pub use crate::verdict::{Gap, Halves};

/// The policy that knows nothing.
pub const RANDOM: &str = "random";
/// The policy that knows everything.
pub const ORACLE: &str = "oracle";
/// The folder of an evaluation's directory that may hold the protocols it played.
pub const PROTOCOLS: &str = "protocols";
/// Where every interval's draws begin.
const ROOT: Seed = Seed(0x6865_6c64_6f75_7400);

/// What a score is shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// As it is.
    Raw,
    /// 0 is the floor, 1 the ceiling.
    Task,
    /// 0 is published random play, 1 is people.
    Human,
}

/// One agent under one condition of one task: all that was recorded of it, in however many directories.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The records, and the header of the first of them.
    pub recorded: Recorded,
    /// The policy of each record: an index of [`Cell::policies`].
    owners: Vec<usize>,
    /// Who played: one, or several trained alike.
    policies: Vec<String>,
    /// The header of each file that it consists of, and how many records that holds.
    parts: Vec<(Header, u64)>,
    /// Whether its records are of several conditions, whose problems are others whatever their numbers.
    mixed: bool,
    /// Its score.
    pub stratum: Stratum,
}

impl Cell {
    /// Of what one directory holds.
    #[must_use]
    pub fn new(recorded: Recorded, metric: &str) -> Self {
        let parts = vec![(recorded.header.clone(), recorded.records.len() as u64)];
        let (owners, policies, stratum) = (Vec::new(), Vec::new(), Stratum::new(vec![], None));
        let mut cell = Self { recorded, owners, policies, parts, mixed: false, stratum };
        let seeds = &cell.recorded.header.seeds;
        let names: Vec<String> = (0..seeds.len()).map(|i| who(&cell.recorded.header, i)).collect();
        for record in &cell.recorded.records {
            let seed = seeds.iter().position(|seed| *seed == record.seed).unwrap_or(0);
            cell.owners.push(place_of(&mut cell.policies, &names[seed]));
        }
        cell.stratum = cell.scored(metric, |_| true);
        cell
    }

    /// Takes in what another directory holds of the same agent: what is there already counts once, the rest is more
    /// episodes of the same policy, or those of another. Says what does not fit together.
    pub(crate) fn add(&mut self, other: &Self, metric: &str) -> Option<String> {
        let key = |cell: &Self, i: usize| {
            let record = &cell.recorded.records[i];
            (cell.policies[cell.owners[i]].clone(), record.seed, record.episode)
        };
        let known: BTreeMap<_, usize> = (0..self.recorded.records.len()).map(|i| (key(self, i), i)).collect();
        let mut differ = 0;
        for (i, record) in other.recorded.records.iter().enumerate() {
            if let Some(&at) = known.get(&key(other, i)) {
                differ += usize::from(self.recorded.records[at] != *record);
            } else {
                self.owners.push(place_of(&mut self.policies, &other.policies[other.owners[i]]));
                self.recorded.records.push(record.clone());
            }
        }
        for part in &other.parts {
            if !self.parts.contains(part) {
                self.parts.push(part.clone());
            }
        }
        self.recorded.header.whole_set |= other.recorded.header.whole_set;
        self.stratum = self.scored(metric, |_| true);
        let (one, are) = if differ == 1 { (" episode", "is") } else { (" episodes", "are") };
        (differ > 0).then(|| format!("{differ}{one} {are} recorded twice with other content; the first record counts"))
    }

    /// Takes in the records of another condition, as they are.
    fn append(&mut self, other: &Self) {
        for (record, &owner) in other.recorded.records.iter().zip(&other.owners) {
            self.owners.push(place_of(&mut self.policies, &other.policies[owner]));
            self.recorded.records.push(record.clone());
        }
        self.mixed = true;
    }

    /// The header of each file that it consists of, and how many records that holds.
    #[must_use]
    pub fn parts(&self) -> &[(Header, u64)] {
        &self.parts
    }

    /// Whether every file that it consists of is whole.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.parts.iter().all(|(header, records)| header.total() == *records)
    }

    /// Who played.
    #[must_use]
    pub fn policies(&self) -> &[String] {
        &self.policies
    }

    /// Its runs, scored by `metric`, of the records that `keep` keeps.
    #[must_use]
    pub fn scored(&self, metric: &str, keep: impl Fn(&Record) -> bool) -> Stratum {
        let header = &self.recorded.header;
        let weight = header.weights.get(metric);
        let scored = |record: &Record| {
            let weight = weight.map_or(Some(1.0), |name| record.value(name))?;
            Some(Scored { value: record.value(metric).filter(|_| keep(record))?, weight })
        };
        self.derived(header.shares.iter().any(|name| name == metric), scored)
    }

    /// Its runs by what `scored` makes of each record; `share` says that it is one.
    fn derived(&self, share: bool, scored: impl Fn(&Record) -> Option<Scored>) -> Stratum {
        let run = |(owner, policy): (usize, &String)| {
            let own = self.owners.iter().zip(&self.recorded.records).filter(|(of, _)| **of == owner);
            // Problems that were made for a player are those of a seed.
            let made = self.recorded.header.own_problems || self.recorded.header.made_from.is_some();
            let problem =
                |record: &Record| Some((made.then_some(record.seed), record.problem.filter(|_| !self.mixed)?));
            let told = own.filter_map(|(_, record)| Some((problem(record), scored(record)?)));
            let episodes = by_problem(told.collect());
            Run { policy: Some(policy.clone()), episodes }
        };
        let runs = self.policies.iter().enumerate().map(run).collect();
        Stratum::new(runs, share.then_some([0.0, 1.0])).whole(self.recorded.header.whole_set)
    }
}

/// The place of `name` among `names`, put there if it is new.
fn place_of(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// Who played the `index`th seed.
fn who(header: &Header, index: usize) -> String {
    header.player(index).to_owned()
}

/// Whether scripted policies alone played.
#[must_use]
pub(crate) fn scripted(header: &Header) -> bool {
    let Ok(entry) = heldout_envs::find(&header.id) else { return false };
    let known = entry.policies();
    let names = header.policy.split(',').map(|part| part.split_once('=').map_or(part, |(_, name)| name));
    header.policies.is_empty() && names.into_iter().all(|name| known.iter().any(|policy| policy.name == name))
}

/// The episodes of each problem as one: who is asked the same twice tells nothing new of other problems.
pub(crate) fn by_problem<K: Ord>(told: Vec<(Option<K>, Scored)>) -> Vec<Scored> {
    let mut problems: BTreeMap<K, Vec<Scored>> = BTreeMap::new();
    let mut episodes = Vec::new();
    for (problem, scored) in told {
        match problem {
            Some(problem) => problems.entry(problem).or_default().push(scored),
            None => episodes.push(scored),
        }
    }
    let merged = |all: &Vec<Scored>| {
        let weight: f64 = all.iter().map(|e| e.weight).sum();
        let sum: f64 = all.iter().map(|e| e.weight * (e.value - all[0].value)).sum();
        Scored { value: all[0].value + if weight > 0.0 { sum / weight } else { 0.0 }, weight }
    };
    episodes.extend(problems.values().map(merged));
    episodes
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
    /// The scales of cells whose problems were made for whoever played them.
    pub own_scales: BTreeMap<Place, scales::Scale>,
    /// What those that such a scale is made of scored, by their names.
    pub own_players: BTreeMap<Place, Vec<(String, Cell)>>,
}

/// All that a report speaks of.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The protocols, built-in ones first.
    pub suites: Vec<Suite>,
    /// Built-in protocols of which there are curves of training and no records: nobody played them.
    pub trained: Vec<Suite>,
    /// What could not be played.
    pub failures: Vec<Failure>,
    /// Curves of training.
    pub curves: Vec<Curve>,
    /// What in the records does not fit together, or not with the protocol and its scales.
    pub notes: Vec<String>,
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
    /// What several directories hold under one label is one agent: more of its episodes, or more of its runs.
    ///
    /// # Errors
    ///
    /// If a directory holds neither records nor curves of training, or something in it cannot be used.
    pub fn read(dirs: &[&Path]) -> Result<Self, ResultsError> {
        if dirs.is_empty() {
            return Err(ResultsError::Nothing);
        }
        let mut results = Self::default();
        let mut all: Vec<Recorded> = Vec::new();
        let mut protocols: BTreeMap<String, Protocol> = BTreeMap::new();
        let mut own: Vec<Recorded> = Vec::new();
        for dir in dirs {
            own.extend(Recorded::read_scales(dir)?);
            let curves = Curve::read_all(dir)?;
            let records = match Recorded::read_all(dir) {
                // A training has curves before anybody plays what it has learnt.
                Err(RecordsError::None { .. }) if !curves.is_empty() => Vec::new(),
                read => read?,
            };
            results.notes.extend(Curve::gather(&mut results.curves, curves));
            for recorded in records {
                let name = &recorded.header.protocol;
                let kept = dir.join(PROTOCOLS).join(format!("{name}.toml"));
                // Whatever lies there is what was kept, or is refused; a name that leads elsewhere is none.
                let there = is_plain(name) && kept.symlink_metadata().is_ok();
                if !protocols.contains_key(name) && there {
                    protocols.insert(name.clone(), Protocol::kept(&kept)?);
                }
                all.push(recorded);
            }
            for failure in Failure::read_all(dir)? {
                if !results.failures.contains(&failure) {
                    results.failures.push(failure);
                }
            }
        }
        let mut names: Vec<String> = all.iter().map(|r| r.header.protocol.clone()).collect();
        let built_in = |name: &String| crate::protocol::names().position(|known| known == name).unwrap_or(usize::MAX);
        names.sort_by_key(|name| (built_in(name), name.clone()));
        names.dedup();
        for name in names {
            let of: Vec<Recorded> = all.iter().filter(|r| r.header.protocol == name).cloned().collect();
            // Records name no files to read: what was not kept is built in.
            let built_in = || crate::protocol::names().find(|known| *known == name).map(Protocol::find);
            let protocol = protocols.remove(&name).or_else(|| built_in()?.ok());
            results.suites.push(Suite::new(protocol, of, &own, &mut results.notes));
        }
        results.trained = trained(&results);
        if let (true, true, Some(dir)) = (results.suites.is_empty(), results.trained.is_empty(), dirs.first()) {
            return Err(RecordsError::None { path: (*dir).to_owned() }.into());
        }
        results.notes.extend(notes::builds(&all));
        results.notes.extend(results.suites.iter().flat_map(notes::of_suite));
        Ok(results)
    }
}

/// The built-in protocols that curves tell of and records do not.
fn trained(results: &Results) -> Vec<Suite> {
    let played = |name: &str| results.suites.iter().any(|suite| suite.protocol.name == name);
    let told = |name: &&str| results.curves.iter().any(|curve| curve.protocol == **name);
    let names = crate::protocol::names().filter(|name| told(name) && !played(name));
    let suite = |protocol| Suite::new(Some(protocol), Vec::new(), &[], &mut Vec::new());
    names.filter_map(|name| Protocol::find(name).ok()).map(suite).collect()
}

/// Whether a name is that of a file in a folder, not a path.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) && !name.contains(['/', '\\'])
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
        lacks: None,
        seeds: records.iter().map(|r| r.header.seeds.len() as u64).max().unwrap_or(1),
        published: Vec::new(),
        margin: None,
        scales_of: None,
        tasks: Vec::new(),
        claims: Vec::new(),
        scales: None,
        text: String::new(),
        built_in: false,
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
            human_scale: false,
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
            human_error: None,
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
        let mean = stratum::mean(strata)?;
        let all = |scores: &[Vec<f64>]| {
            let gap = aggregate::optimality_gap(scores, 1.0)?;
            Some(vec![aggregate::median(scores)?, aggregate::iqm(scores)?, gap])
        };
        let values = all(&strata.iter().map(Stratum::scores).collect::<Vec<_>>())?;
        let found = scaled(&[strata], mean, seed(purpose), RESAMPLES, |drawn| all(&drawn[0]));
        let one = |i: usize| Measured { value: values[i], interval: found.as_ref().map(|f| f[i]) };
        let (mean, strata) = (mean.measured(), strata.len());
        Some(Self { strata, mean, median: one(0), iqm: one(1), optimality_gap: one(2) })
    }
}

impl Suite {
    fn new(protocol: Option<Protocol>, records: Vec<Recorded>, own: &[Recorded], notes: &mut Vec<String>) -> Self {
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
            let metric = &protocol.tasks[task].metric;
            let cell = Cell::new(recorded, metric);
            match cells.entry((task, condition, agent)) {
                Entry::Vacant(place) => drop(place.insert(cell)),
                Entry::Occupied(mut there) => {
                    let problem = there.get_mut().add(&cell, metric);
                    let place = notes::place(&there.get().recorded.header);
                    notes.extend(problem.map(|problem| format!("{place}: {problem}.")));
                }
            }
        }
        let (mut own_scales, mut own_players) = (BTreeMap::new(), BTreeMap::new());
        for (&place, cell) in &cells {
            let header = &cell.recorded.header;
            let task = &protocol.tasks[place.0];
            let of = |h: &Header| {
                h.scale_of.as_ref() == Some(&header.agent)
                    && [&h.protocol, &h.task, &h.condition] == [&header.protocol, &header.task, &header.condition]
            };
            let players: Vec<&Recorded> = own.iter().filter(|recorded| of(&recorded.header)).collect();
            if header.made_from.is_none() {
                continue;
            }
            if scales::whole(task, &players) {
                own_scales.extend(scales::scale(&protocol, task, &header.condition, &players).map(|s| (place, s)));
                own_players.insert(place, scales::players(task, &players));
            } else if header.total() > 0 {
                let place = notes::place(header);
                notes.push(format!(
                    "{place}: not all that its scale is made of was played; `--resume`, in Python `resume=True`, \
                     does it."
                ));
            }
        }
        Self { protocol, known, agents, cells, own_scales, own_players }
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

    /// The measured scale of a cell: that of its agent where problems are made for whoever plays them, else that of the
    /// protocol.
    #[must_use]
    pub fn scale(&self, place: Place) -> Option<&scales::Scale> {
        let of = &self.protocol.tasks[place.0];
        if self.cells.get(&place)?.recorded.header.made_from.is_some() {
            return self.own_scales.get(&place);
        }
        self.protocol.scales.as_ref()?.find(&of.name, &of.conditions[place.1].name)
    }

    /// The scale that the protocol has for a condition, whoever plays it.
    pub(crate) fn kept_scale(&self, task: usize, condition: usize) -> Option<&scales::Scale> {
        let of = &self.protocol.tasks[task];
        let scale = self.protocol.scales.as_ref()?.find(&of.name, &of.conditions[condition].name)?;
        Some(scale).filter(|own| own.metric == of.metric)
    }

    /// The scores of a cell that count as 0 and 1 on `scale`; `None` where it has none.
    #[must_use]
    pub fn ends(&self, place: Place, scale: Scale) -> Option<(f64, f64)> {
        let at = &self.protocol.tasks[place.0].conditions[place.1];
        match scale {
            Scale::Raw => None,
            Scale::Human => at.random.zip(at.human),
            Scale::Task => self.scale(place).filter(|own| own.metric == self.protocol.tasks[place.0].metric)?.ends(),
        }
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
        let (floor, ceiling) = self.ends(place, scale)?;
        Some(stratum.between(floor, ceiling))
    }

    /// The score of a cell on `scale`.
    #[must_use]
    pub fn score(&self, place: Place, scale: Scale) -> Option<Measured> {
        self.stratum(place, scale)?.measured()
    }

    /// The raw scores of an agent in conditions that are also given together, all their episodes as one, by the name
    /// that the task's kind gives them.
    #[must_use]
    pub fn merged(&self, task: usize, agent: usize) -> Vec<(&'static str, Measured)> {
        let of = &self.protocol.tasks[task];
        let Kind::Own { name, .. } = &of.kind else { return Vec::new() };
        let Some(kind) = Kind::known(name) else { return Vec::new() };
        let mut groups: Vec<(&'static str, Cell)> = Vec::new();
        for (c, condition) in of.conditions.iter().enumerate() {
            let cell = self.cells.get(&(task, c, agent));
            let Some((group, cell)) = kind.merged(&condition.name).zip(cell) else { continue };
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, all)) => all.append(cell),
                None => groups.push((group, cell.clone())),
            }
        }
        let score = |(group, cell): (&'static str, Cell)| Some((group, cell.scored(&of.metric, |_| true).measured()?));
        groups.into_iter().filter_map(score).collect()
    }

    /// Another metric of a cell, of the records that `keep` keeps.
    #[must_use]
    pub fn metric(&self, place: Place, metric: &str, keep: impl Fn(&Record) -> bool) -> Option<Measured> {
        self.cells.get(&place)?.scored(metric, keep).measured()
    }

    /// The share of the records of a cell for which `holds` is so, among those for which it is told.
    #[must_use]
    pub fn share(&self, place: Place, holds: impl Fn(&Record) -> Option<bool>) -> Option<Measured> {
        let scored = |record: &Record| holds(record).map(|is| Scored::plain(f64::from(u8::from(is))));
        self.cells.get(&place)?.derived(true, scored).measured()
    }

    /// Every place of `agent` that `keep` keeps and that has a score on `scale` which may enter a mean: not one between
    /// people and random play that are within noise of each other.
    pub fn places(&self, agent: usize, scale: Scale, keep: impl Fn(usize, usize) -> bool) -> Vec<Place> {
        let noise = |t: usize, c: usize| scale == Scale::Human && self.protocol.tasks[t].conditions[c].human_is_noise();
        let mine = self.cells.keys().filter(|(t, c, a)| *a == agent && keep(*t, *c) && !noise(*t, *c));
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
        Gap::of(&self.halves(agent, scale, |t| t == task))
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

/// Reads a text file whose absence is no error.
pub(crate) fn optional(path: &Path) -> Result<Option<String>, ResultsError> {
    match heldout_files::text(path, heldout_files::DATA) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ResultsError::File { path: path.to_owned(), problem: format!("cannot be read: {error}") }),
    }
}

//! What an evaluation will play: a cell for every task, condition and entrant, with its header.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use heldout_core::{
    Asked, AskedCondition, Entry, Measured, Options, Player, Prepared, ProblemSet, Seed, Spec, VecEnv, hexadecimal,
};
use heldout_envs::find;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::entrant::{Entrant, Play, SHORTCUT};
use crate::play::{PlayError, Seats, Table};
use crate::protocol::{Condition, Kind, Protocol, Task};
use crate::records::{self, Build, FORMAT, Failure, Header, Machine, Source, Writer, file_name};
use crate::runner::{EvalError, Evaluation};
use crate::scales::{self, EPISODES};

/// The folder of an evaluation's directory that holds problems made for it.
const PROBLEMS: &str = "problems";

/// One task under one condition with one entrant: one file of records.
pub(crate) struct Cell {
    pub(crate) header: Header,
    pub(crate) entry: &'static Entry,
    pub(crate) entrant: Entrant,
    pub(crate) play: CellPlay,
    /// How many records there are already.
    pub(crate) kept: u64,
}

/// How a cell's episodes come about.
pub(crate) enum CellPlay {
    /// In the environment.
    Episodes {
        /// The config overrides: of each seed, or one for all.
        overrides: Vec<Map<String, Value>>,
        /// Whether an episode's number names a problem.
        problems: bool,
        /// How often each problem is asked of a seed.
        passes: u64,
        /// The scripted policies; none for an agent.
        seats: Option<Seats>,
    },
    /// Without playing: what is measured for each seed.
    Measured(Vec<Arc<dyn Measured>>),
}

impl Cell {
    /// What the cell cannot do.
    pub(crate) fn failure(&self, problem: &impl ToString) -> Failure {
        Failure {
            protocol: self.header.protocol.clone(),
            task: self.header.task.clone(),
            condition: self.header.condition.clone(),
            agent: self.header.agent.clone(),
            problem: problem.to_string(),
        }
    }
}

/// A cell, or why there is none.
pub(crate) type Planned = Result<Cell, Failure>;

/// The overrides of each seed and the number of episodes of each; overrides of one for all where they are the same.
struct Variants {
    overrides: Vec<Map<String, Value>>,
    counts: Vec<u64>,
    /// The config that the header shows.
    shown: Map<String, Value>,
    problems: bool,
    /// Whether all problems of a finite set are asked.
    whole: bool,
    /// Whose doing the problems are, where each player has its own.
    origins: Vec<String>,
}

/// Plans all cells of one protocol.
pub(crate) struct Planner<'a> {
    pub(crate) evaluation: &'a Evaluation,
    pub(crate) protocol: &'a Protocol,
    pub(crate) seeds: Vec<u64>,
}

impl Planner<'_> {
    /// Every cell of the protocol, in the order of tasks, conditions and entrants.
    pub(crate) fn cells(&self, hear: &mut dyn FnMut(&str)) -> Result<Vec<Planned>, EvalError> {
        let mut cells = Vec::new();
        for task in &self.protocol.tasks {
            // What the task's kind prepared, by the name of those that share it.
            let mut made = BTreeMap::new();
            for condition in &task.conditions {
                let enters = |entrant: &&Entrant| find(&task.id).map_or(true, |entry| entrant.enters(entry));
                for entrant in self.evaluation.entrants.iter().filter(enters) {
                    hear(&format!("preparing {} {}", self.protocol.name, task.name));
                    let cell = match self.cell(task, condition, entrant, &mut made) {
                        Err(Problem::Fatal(error)) => return Err(error),
                        Err(Problem::Cell(problem)) => Err(Failure {
                            protocol: self.protocol.name.clone(),
                            task: task.name.clone(),
                            condition: condition.name.clone(),
                            agent: entrant.label.clone(),
                            problem,
                        }),
                        // Whatever is in the way shows before anything is played.
                        Ok(cell) => {
                            for own in self.own_scale(&cell) {
                                cells.push(Ok(self.begun(own)?));
                            }
                            Ok(self.begun(cell)?)
                        }
                    };
                    cells.push(cell);
                }
            }
        }
        Ok(cells)
    }

    /// The cell with what is recorded of it already.
    fn begun(&self, cell: Cell) -> Result<Cell, EvalError> {
        let kept = Writer::kept(&self.evaluation.out, &cell.header, self.evaluation.resume)?;
        Ok(Cell { kept, ..cell })
    }

    /// Random, shortcuts and oracle on the problems that were made for the player of `cell`: its scale. None where problems
    /// are the same for all.
    fn own_scale(&self, cell: &Cell) -> Vec<Cell> {
        let CellPlay::Episodes { overrides, problems: true, .. } = &cell.play else { return Vec::new() };
        let Some(first) = overrides.first() else { return Vec::new() };
        if cell.header.made_from.is_none() || cell.entrant.of_scale {
            return Vec::new();
        }
        let total = cell.header.total();
        // Who cuts the number of problems wants a look, no scale that is worth its name.
        let passes = if self.evaluation.episodes.is_some() { 1 } else { EPISODES.div_ceil(total.max(1)).max(1) };
        let mut cells = Vec::new();
        for name in scales::names(cell.entry) {
            let entrant = Entrant::of_scale(name);
            let Ok(mut table) = Table::new(cell.entry, first, 1, 1) else { continue };
            let spec = table.env.spec().clone();
            let Ok(seats) = Seats::fitting(name, &spec, &cell.entry.policies()) else { continue };
            // Who cannot play here is no part of the scale.
            if seats.seat(&mut *table.env, Seed(0)).is_err() {
                continue;
            }
            let header = Header {
                agent: name.to_owned(),
                policy: seats.text(&spec),
                policy_asked: None,
                policies: Vec::new(),
                episodes: cell.header.episodes * passes,
                episodes_by_seed: cell.header.episodes_by_seed.iter().map(|n| n * passes).collect(),
                trace: false,
                scale_of: Some(cell.header.agent.clone()),
                ..cell.header.clone()
            };
            let (overrides, seats) = (overrides.clone(), Some(seats));
            let play = CellPlay::Episodes { overrides, problems: true, passes, seats };
            cells.push(Cell { header, entry: cell.entry, entrant, play, kept: 0 });
        }
        cells
    }

    fn cell(&self, task: &Task, condition: &Condition, entrant: &Entrant, made: &mut Made) -> Result<Cell, Problem> {
        let entry = find(&task.id).map_err(Problem::cell)?;
        let entrant = &self.resolved(task, condition, entrant)?;
        let variants = match &task.kind {
            Kind::Own { name, keys } => match self.own(entry, (task, condition), entrant, (name, keys), made)? {
                Own::Problems(variants) => variants,
                Own::Measured(measured) => return self.measured(entry, (task, condition), entrant, measured),
            },
            kind => self.variants(entry, task, condition, *kind == Kind::Problems)?,
        };
        let mut sources = Vec::new();
        let mut metrics = Vec::new();
        let mut weights = BTreeMap::new();
        let mut shares: Vec<String> = Vec::new();
        let mut policy = entrant.policy.clone();
        let mut seats = None;
        for (i, overrides) in variants.overrides.iter().enumerate() {
            let mut table = Table::new(entry, overrides, 1, 1).map_err(Problem::cell)?;
            let spec = table.env.spec().clone();
            for source in &spec.sources {
                let name = match variants.overrides.len() {
                    1 => source.name.to_owned(),
                    _ => format!("{} of seed {}", source.name, self.seeds[i]),
                };
                sources.push(Source { name, content: source.content.clone() });
            }
            match &entrant.play {
                Play::Scripted(text) => {
                    let fitting = Seats::fitting(text, &spec, &entry.policies()).map_err(Problem::cell)?;
                    fitting.seat(&mut *table.env, Seed(0)).map_err(|error| Problem::cell(PlayError::from(error)))?;
                    policy = fitting.text(&spec);
                    seats = Some(fitting);
                }
                Play::Agent(agent) => drop(agent.actor(entry, &spec).map_err(Problem::Cell)?),
            }
            let pairs = table.names.iter().zip(&table.weights);
            weights.extend(pairs.filter_map(|(name, w)| Some((name.clone(), table.names[(*w)?].clone()))));
            shares.extend(table.shares().filter(|name| !shares.contains(name)).collect::<Vec<_>>());
            metrics = table.names;
        }
        // Without any problems there is no environment to ask.
        if !variants.overrides.is_empty() {
            check_metric(task, &metrics)?;
        }
        let config = entry.configure(&variants.shown).map_err(Problem::cell)?;
        let header = Header {
            policy,
            config,
            weights,
            shares,
            own_problems: variants.overrides.len() > 1,
            whole_set: variants.whole,
            sources,
            made_from: (!variants.origins.is_empty()).then(|| variants.origins.join("; ")),
            ..self.header(task, condition, entrant, entry, &variants.counts)
        };
        // A seed without problems has no environment; the others keep their places by their counts.
        let play = CellPlay::Episodes { overrides: variants.overrides, problems: variants.problems, passes: 1, seats };
        Ok(Cell { header, entry, entrant: entrant.clone(), play, kept: 0 })
    }

    /// Who plays: `shortcut` stands for the policy that the scale of the condition names as its floor.
    fn resolved(&self, task: &Task, condition: &Condition, entrant: &Entrant) -> Result<Entrant, Problem> {
        if !matches!(&entrant.play, Play::Scripted(text) if text == SHORTCUT) {
            return Ok(entrant.clone());
        }
        let known = self.protocol.scales.as_ref().and_then(|scales| scales.find(&task.name, &condition.name));
        let scale = known.ok_or_else(|| {
            Problem::Cell(format!(
                "`{SHORTCUT}` plays the floor of a scale, and this condition has none: `heldout scales` measures it"
            ))
        })?;
        let policy = scale.floor().policy.clone();
        let asked = Some(SHORTCUT.to_owned());
        Ok(Entrant { play: Play::Scripted(policy.clone()), policy, asked, ..entrant.clone() })
    }

    /// The overrides and counts of a number of episodes, or of a finite set.
    fn variants(
        &self,
        entry: &'static Entry,
        task: &Task,
        condition: &Condition,
        problems: bool,
    ) -> Result<Variants, Problem> {
        let base = task.overrides(condition);
        let asked = self.evaluation.episodes;
        let mut whole = false;
        let count = if problems {
            let env = entry.make(&base, 1, Options::default()).map_err(Problem::cell)?;
            let all = env.spec().problems.ok_or(PlayError::Endless { id: entry.id() }).map_err(Problem::cell)?;
            whole = asked.is_none_or(|n| n >= u64::from(all));
            asked.map_or(u64::from(all), |n| n.min(u64::from(all)))
        } else {
            asked.or(task.episodes).unwrap_or(1)
        };
        let (overrides, counts) = (vec![base.clone()], vec![count; self.seeds.len()]);
        Ok(Variants { overrides, counts, shown: base, problems, whole, origins: Vec::new() })
    }

    /// What a family's kind makes of one condition.
    fn own(
        &self,
        entry: &'static Entry,
        (task, condition): (&Task, &Condition),
        entrant: &Entrant,
        (name, keys): (&str, &Map<String, Value>),
        made: &mut Made,
    ) -> Result<Own, Problem> {
        let kind = Kind::known(name).ok_or_else(|| Problem::Cell(format!("there is no kind `{name}`")))?;
        let own = match &entrant.play {
            Play::Agent(agent) => agent.experience(entry.id()),
            Play::Scripted(_) => None,
        };
        let reference = kind.reference().filter(|_| entrant.of_scale);
        let player = match (reference, entrant.experience.as_deref().or(own.as_deref()), &entrant.play) {
            (Some(reference), ..) => Player::Scripted(reference),
            (None, None, Play::Scripted(text)) => Player::Scripted(text),
            (None, told, _) => Player::Agent(told),
        };
        // A label may stand for several policies.
        let folder = match (reference, &entrant.play) {
            (Some(reference), _) => reference.to_owned(),
            (None, Play::Scripted(text)) => file_name(&format!("{} {text}", entrant.label)),
            (None, Play::Agent(_)) => file_name(&entrant.label),
        };
        if !made.contains_key(&folder) {
            let with = |c: &'_ Condition| task.overrides(c);
            let conditions = task.conditions.iter().map(|c| AskedCondition { name: &c.name, overrides: with(c) });
            let asked = Asked {
                entry,
                keys,
                overrides: &task.set,
                conditions: conditions.collect(),
                episodes: self.evaluation.episodes.or(task.episodes),
                cut: self.evaluation.episodes.is_some(),
                player,
            };
            let seeds = crate::runner::spread(&self.seeds, self.evaluation.threads, |&seed| kind.prepare(&asked, seed));
            made.insert(folder.clone(), seeds.into_iter().collect::<Result<_, _>>());
        }
        let index = task.conditions.iter().position(|c| c.name == condition.name).unwrap_or(0);
        let prepared = match made.get(&folder) {
            Some(Ok(prepared)) => prepared,
            Some(Err(problem)) => return Err(Problem::Cell(problem.clone())),
            None => return Err(Problem::Cell("nothing was prepared".to_owned())),
        };
        let mut sets: Vec<ProblemSet> = Vec::new();
        let mut measured: Vec<Arc<dyn Measured>> = Vec::new();
        for seed in prepared {
            match seed {
                Prepared::Problems(of) => sets.push(of[index].clone().map_err(Problem::Cell)?),
                Prepared::Measured(of) => measured.push(Arc::clone(&of[index])),
            }
        }
        if !measured.is_empty() {
            return Ok(Own::Measured(measured));
        }
        let path = self.evaluation.out.join(PROBLEMS).join(&self.protocol.name).join(&task.name).join(&folder);
        let shown = sets.first().map(|set| set.overrides.clone()).unwrap_or_default();
        let counts = sets.iter().map(|set| set.episodes).collect();
        let mut origins: Vec<String> = sets.iter().filter_map(|set| set.origin.clone()).collect();
        origins.dedup();
        let overrides =
            sets.into_iter().zip(&self.seeds).map(|(set, seed)| kept(set, &path.join(format!("seed-{seed}"))));
        let mut overrides: Vec<Map<String, Value>> = overrides.collect::<Result<_, _>>()?;
        // One for all where they are the same.
        if overrides.iter().all(|own| Some(own) == overrides.first()) {
            overrides.truncate(1);
        }
        Ok(Own::Problems(Variants {
            overrides,
            counts,
            shown,
            problems: true,
            whole: self.evaluation.episodes.is_none(),
            origins,
        }))
    }

    fn measured(
        &self,
        entry: &'static Entry,
        (task, condition): (&Task, &Condition),
        entrant: &Entrant,
        measured: Vec<Arc<dyn Measured>>,
    ) -> Result<Cell, Problem> {
        let Some(first) = measured.first() else { return Err(Problem::Cell("there are no seeds".to_owned())) };
        let config = entry.configure(&task.overrides(condition)).map_err(Problem::cell)?;
        check_metric(task, &first.metrics().iter().map(|&name| name.to_owned()).collect::<Vec<_>>())?;
        let counts: Vec<u64> = measured.iter().map(|m| m.samples()).collect();
        let policy = first.policy();
        let header = Header { policy, config, ..self.header(task, condition, entrant, entry, &counts) };
        let play = CellPlay::Measured(measured);
        Ok(Cell { header, entry, entrant: entrant.clone(), play, kept: 0 })
    }

    /// A header in which config, policy, weights and sources are still to be filled in.
    fn header(
        &self,
        task: &Task,
        condition: &Condition,
        entrant: &Entrant,
        entry: &'static Entry,
        counts: &[u64],
    ) -> Header {
        let episodes = counts.iter().copied().max().unwrap_or(0);
        let same = counts.iter().all(|&n| n == episodes);
        Header {
            format: FORMAT,
            heldout: env!("CARGO_PKG_VERSION").to_owned(),
            build: Build::this(),
            protocol: self.protocol.name.clone(),
            protocol_hash: self.protocol.hash(),
            task: task.name.clone(),
            condition: condition.name.clone(),
            held_out: condition.held_out,
            agent: entrant.label.clone(),
            policy: String::new(),
            policy_asked: entrant.asked.clone(),
            policies: Vec::new(),
            id: entry.id().to_owned(),
            config: Value::Null,
            metric: task.metric.clone(),
            weights: BTreeMap::new(),
            shares: Vec::new(),
            own_problems: false,
            whole_set: false,
            episodes,
            episodes_by_seed: if same { Vec::new() } else { counts.to_vec() },
            episodes_asked: self.evaluation.episodes,
            seeds: self.seeds.clone(),
            trace: task.trace,
            sources: Vec::new(),
            made_from: None,
            scale_of: None,
            machine: Machine::this(),
        }
    }
}

/// What a kind prepared for each seed, by the name of those that share it; or why it could not.
type Made = BTreeMap<String, Result<Vec<Prepared>, String>>;

/// What a kind makes of one condition.
enum Own {
    Problems(Variants),
    Measured(Vec<Arc<dyn Measured>>),
}

/// The overrides of a problem set, its file written below `folder`.
fn kept(set: ProblemSet, folder: &Path) -> Result<Map<String, Value>, Problem> {
    let mut overrides = set.overrides;
    if let Some((key, name, text)) = set.file {
        // Named by its content: problems that records were made with are never overwritten.
        let path = folder.join(format!("{name}-{}.json", &hexadecimal(&Sha256::digest(text.as_bytes()))[..16]));
        if !std::fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
            let written = records::write_whole(&path, text.as_bytes());
            written
                .map_err(|error| Problem::Fatal(records::RecordsError::Write { path: path.clone(), error }.into()))?;
        }
        overrides.insert(key.to_owned(), Value::String(path.display().to_string()));
    }
    Ok(overrides)
}

/// Why a cell cannot be planned.
enum Problem {
    /// The others can.
    Cell(String),
    /// None can.
    Fatal(EvalError),
}

impl Problem {
    fn cell(error: impl Display) -> Self {
        Self::Cell(error.to_string())
    }
}

fn check_metric(task: &Task, known: &[String]) -> Result<(), Problem> {
    if known.contains(&task.metric) {
        return Ok(());
    }
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    Err(Problem::Cell(format!("`{}` has no metric `{}`; it has {}", task.id, task.metric, known.join(", "))))
}

/// Sizes of the batch of `spec` that a cell of `count` episodes a seed is played at.
pub(crate) fn batch(spec: &Spec, count: u64, wanted: usize) -> usize {
    crate::play::copies(spec, wanted.min(usize::try_from(count).unwrap_or(usize::MAX)))
}

/// A probe of an environment, for its spec.
pub(crate) fn probe(entry: &'static Entry, overrides: &Map<String, Value>) -> Result<Box<dyn VecEnv>, PlayError> {
    Ok(entry.make(overrides, 1, Options::default())?)
}

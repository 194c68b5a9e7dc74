//! What an evaluation will play: a cell for every task, condition and entrant, with its header.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use heldout_core::{
    Asked, AskedCondition, Entry, Measured, Options, Player, Prepared, ProblemSet, Speaker, Spec, Told, VecEnv,
    hexadecimal,
};
use heldout_envs::find;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::entrant::{Agent, Entrant, Place, Play, SHORTCUT};
use crate::play::{PlayError, Table};
use crate::protocol::{Condition, Kind, MOST_SEEDS, Protocol, Task};
use crate::records::{self, Build, FORMAT, Failure, Header, Kept, Machine, Source, Writer, file_name};
use crate::results::RANDOM;
use crate::runner::{EvalError, Evaluation};
use crate::scales::{self, EPISODES};
use crate::seating::Seating;

/// The folder of an evaluation's directory that holds problems made for it.
pub(crate) const PROBLEMS: &str = "problems";

/// One task under one condition with one entrant: one file of records.
pub(crate) struct Cell {
    pub(crate) header: Header,
    pub(crate) entry: &'static Entry,
    pub(crate) entrant: Entrant,
    pub(crate) play: CellPlay,
    /// What the task sets, whatever the condition.
    set: Map<String, Value>,
    /// The records that are there already.
    pub(crate) kept: Kept,
    /// The build that plays now, which the header does not tell where it continues records of another.
    pub(crate) built: Build,
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
        /// Who plays; nobody where there is nothing to play.
        seating: Option<Seating>,
    },
    /// Without playing: what is measured for each seed.
    Measured(Vec<Arc<dyn Measured>>),
}

impl Cell {
    /// A cell of which nothing is recorded yet.
    fn new(header: Header, task: &Task, bout: (&'static Entry, Entrant), play: CellPlay) -> Self {
        let (built, set, (entry, entrant)) = (header.build.clone(), task.set.clone(), bout);
        Self { header, entry, entrant, play, set, kept: Kept::default(), built }
    }

    /// Where its agents are asked to play the `run`th seed.
    pub(crate) fn place(&self, run: usize) -> Place<'_> {
        let Header { protocol, task, seeds, .. } = &self.header;
        let seed = seeds.get(run).copied().unwrap_or_default();
        Place { entry: self.entry, protocol, task, set: Some(&self.set), run, seed }
    }

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
    /// Once it is set, planning ends as it stands.
    pub(crate) stop: &'a AtomicBool,
}

/// One entrant under one condition of one task.
struct Bout<'a> {
    protocol: &'a Protocol,
    entry: &'static Entry,
    task: &'a Task,
    condition: &'a Condition,
    entrant: Entrant,
    /// The run seeds that it plays.
    seeds: Vec<u64>,
    /// How it sees and acts.
    view: Map<String, Value>,
}

impl Bout<'_> {
    fn place(&self, run: usize) -> Place<'_> {
        let (protocol, task) = (&self.protocol.name, &self.task.name);
        Place { entry: self.entry, protocol, task, set: Some(&self.task.set), run, seed: self.seeds[run] }
    }

    /// The config overrides of a condition, with the entrant's view over them.
    fn overrides(&self, condition: &Condition) -> Map<String, Value> {
        let mut all = self.task.overrides(condition);
        all.extend(self.view.clone());
        all
    }

    /// Who plays, as `named` says it of each run seed: one for all and an empty list, or what they have in common and each.
    fn who(&self, named: impl Fn(&Place<'_>) -> String) -> (String, Vec<String>) {
        let each: Vec<String> = (0..self.seeds.len()).map(|run| named(&self.place(run))).collect();
        match each.first() {
            Some(first) if each.iter().all(|other| other == first) => (first.clone(), Vec::new()),
            _ => (self.entrant.policy.clone(), each),
        }
    }

    /// How its agents were trained: the one there is, or each by its name.
    fn trained(&self) -> Map<String, Value> {
        let agents = self.entrant.play.agents().into_iter();
        let mut told = agents.map(|agent| (agent.name(), agent.trained(&self.place(0)))).filter(|(_, t)| !t.is_empty());
        match (told.next(), told.next()) {
            (None, _) => Map::new(),
            (Some((_, one)), None) => one,
            (Some(one), Some(other)) => {
                [one, other].into_iter().chain(told).map(|(name, t)| (name, Value::Object(t))).collect()
            }
        }
    }

    /// The data that its agents are made of; where runs differ, each by its seed.
    fn sources(&self) -> Vec<Source> {
        let agents = self.entrant.play.agents();
        let of = |run: usize| agents.iter().flat_map(|agent| agent.sources(&self.place(run))).collect::<Vec<_>>();
        let each: Vec<Vec<Source>> = (0..self.seeds.len()).map(of).collect();
        match each.first() {
            Some(first) if each.iter().all(|other| other == first) => first.clone(),
            _ => {
                let named = |(own, seed): (Vec<Source>, u64)| {
                    own.into_iter().map(move |s| Source { name: format!("{} of seed {seed}", s.name), ..s })
                };
                each.into_iter().zip(self.seeds.iter().copied()).flat_map(named).collect()
            }
        }
    }

    /// How the program was built, and what its agents compute with.
    fn build(&self) -> Build {
        let mut build = Build::this();
        let backends = self.entrant.play.agents().into_iter().filter_map(|agent| agent.backend());
        for feature in backends.map(|backend| format!("{}{backend}", records::BACKEND)) {
            if !build.features.contains(&feature) {
                build.features.push(feature);
            }
        }
        build
    }
}

impl Planner<'_> {
    /// Every cell of the protocol, in the order of tasks, conditions and entrants.
    pub(crate) fn cells(&self, hear: &mut dyn FnMut(&str)) -> Result<Vec<Planned>, EvalError> {
        let mut cells = Vec::new();
        for task in self.protocol.tasks.iter().filter(|task| self.evaluation.asks(&task.name)) {
            // What the task's kind prepared, by the name of those that share it.
            let mut made = BTreeMap::new();
            for condition in &task.conditions {
                let enters = |entrant: &&Entrant| self.evaluation.enters(entrant, self.protocol, task);
                for entrant in self.evaluation.entrants.iter().filter(enters) {
                    if self.stop.load(Ordering::Relaxed) {
                        return Ok(cells);
                    }
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
                            for own in self.own_scale(task, condition, &cell) {
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
    fn begun(&self, mut cell: Cell) -> Result<Cell, EvalError> {
        let path = cell.header.path(&self.evaluation.out);
        if self.evaluation.resume && path.is_file() {
            let found = records::Recorded::read(&path)?.header;
            cell.header.continued_by.clone_from(&found.continued_by);
            if self.evaluation.other_build {
                cell.header = cell.header.continuing(&found);
            }
        }
        let kept = Writer::kept(&self.evaluation.out, &cell.header, self.evaluation.resume)?;
        Ok(Cell { kept, ..cell })
    }

    /// Random, shortcuts and oracle on the problems that were made for the player of `cell`: its scale. None where problems
    /// are the same for all.
    fn own_scale(&self, task: &Task, condition: &Condition, cell: &Cell) -> Vec<Cell> {
        let CellPlay::Episodes { overrides, problems: true, .. } = &cell.play else { return Vec::new() };
        if cell.header.made_from.is_none() || cell.entrant.of_scale || overrides.is_empty() {
            return Vec::new();
        }
        // As many with any number of seeds, so that more of them can be added. Who cuts the number of problems wants a look, no
        // scale that is worth its name.
        let total = (task.episodes.unwrap_or(cell.header.episodes) * self.protocol.seeds).max(1);
        let passes = if self.evaluation.episodes.is_some() { 1 } else { EPISODES.div_ceil(total) };
        // Who cannot play here is no part of the scale.
        let names = scales::names(cell.entry).into_iter();
        names.filter_map(|name| self.of_own_scale(name, (task, condition), cell, overrides, passes).ok()).collect()
    }

    /// One of those that the scale of `cell` is made of.
    fn of_own_scale(
        &self,
        name: &str,
        (task, condition): (&Task, &Condition),
        cell: &Cell,
        overrides: &[Map<String, Value>],
        passes: u64,
    ) -> Result<Cell, Problem> {
        let bout = self.bout(task, condition, &Entrant::of_scale(name))?;
        // The problems are the player's, the way to see them is not.
        let theirs = cell.entrant.view(&cell.place(0)).map_err(Problem::Cell)?;
        let (asked, own) = (task.overrides(condition), &bout.view);
        let seen = |of: &Map<String, Value>| {
            let kept = of.iter().filter(|(key, _)| !theirs.contains_key(*key) || asked.contains_key(*key));
            let mut all: Map<String, Value> = kept
                .map(|(key, value)| (key.clone(), if theirs.contains_key(key) { &asked[key] } else { value }.clone()))
                .collect();
            all.extend(own.clone());
            all
        };
        let overrides: Vec<Map<String, Value>> = overrides.iter().map(seen).collect();
        let mut table = Table::new(cell.entry, &overrides[0], 1, 1).map_err(Problem::cell)?;
        let spec = table.env.spec().clone();
        let place = bout.place(0);
        let seating = Seating::fitting(&bout.entrant, &place, &spec, &cell.entry.policies()).map_err(Problem::cell)?;
        seating.sit(&mut *table.env, &place).map_err(Problem::cell)?;
        let header = Header {
            build: Build::this(),
            agent: name.to_owned(),
            policy: seating.text(&place, &spec),
            policy_asked: None,
            policies: Vec::new(),
            trained: Map::new(),
            episodes: cell.header.episodes * passes,
            episodes_by_seed: cell.header.episodes_by_seed.iter().map(|n| n * passes).collect(),
            trace: false,
            experience: None,
            scale_of: Some(cell.header.agent.clone()),
            ..cell.header.clone()
        };
        let play = CellPlay::Episodes { overrides, problems: true, passes, seating: Some(seating) };
        Ok(Cell::new(header, task, (cell.entry, bout.entrant), play))
    }

    /// One entrant under one condition: its seeds, and how it sees.
    fn bout<'b>(&'b self, task: &'b Task, condition: &'b Condition, entrant: &Entrant) -> Result<Bout<'b>, Problem> {
        let entry = find(&task.id).map_err(Problem::cell)?;
        let entrant = self.resolved(task, condition, entrant)?;
        let (protocol, view) = (self.protocol, Map::new());
        let mut bout = Bout { protocol, entry, task, condition, entrant, seeds: vec![self.evaluation.seed], view };
        let count = match bout.entrant.runs(&bout.place(0)) as u64 {
            0 | 1 => self.evaluation.seeds.unwrap_or(self.protocol.seeds),
            runs => self.evaluation.seeds.map_or(runs, |asked| asked.min(runs)).min(MOST_SEEDS),
        };
        bout.seeds = (0..count).map(|i| self.evaluation.seed + i).collect();
        for run in 0..bout.seeds.len() {
            let mut view = smallest(&bout);
            view.extend(bout.entrant.view(&bout.place(run)).map_err(Problem::Cell)?);
            if run > 0 && view != bout.view {
                return Err(Problem::Cell(format!("run {run} does not see and act as run 0 does")));
            }
            bout.view = view;
        }
        Ok(bout)
    }

    fn cell(&self, task: &Task, condition: &Condition, entrant: &Entrant, made: &mut Made) -> Result<Cell, Problem> {
        let bout = self.bout(task, condition, entrant)?;
        let entry = bout.entry;
        let variants = match &task.kind {
            Kind::Own { name, keys } => match self.own(&bout, (name, keys), made)? {
                Own::Problems(variants) => variants,
                Own::Measured(measured) => return self.measured(bout, measured),
            },
            kind => self.variants(&bout, *kind == Kind::Problems)?,
        };
        let mut sources = Vec::new();
        let mut metrics = Vec::new();
        let mut weights = BTreeMap::new();
        let mut shares: Vec<String> = Vec::new();
        let mut who = (bout.entrant.policy.clone(), Vec::new());
        let mut seating = None;
        for (i, overrides) in variants.overrides.iter().enumerate() {
            let mut table = Table::new(entry, overrides, 1, 1).map_err(Problem::cell)?;
            let spec = table.env.spec().clone();
            for source in &spec.sources {
                let name = match variants.overrides.len() {
                    1 => source.name.to_owned(),
                    _ => format!("{} of seed {}", source.name, bout.seeds[i]),
                };
                sources.push(Source { name, content: source.content.clone() });
            }
            let place = bout.place(i);
            let fitting = Seating::fitting(&bout.entrant, &place, &spec, &entry.policies()).map_err(Problem::cell)?;
            drop(fitting.sit(&mut *table.env, &place).map_err(Problem::unplayable)?);
            who = bout.who(|place| fitting.text(place, &spec));
            if variants.overrides.len() == 1 {
                // The other policies that play here; one that cannot shows before anything is played.
                for run in (1..who.1.len()).filter(|&run| !who.1[..run].contains(&who.1[run])) {
                    drop(fitting.guests(&spec, &bout.place(run)).map_err(Problem::unplayable)?);
                }
            }
            seating = Some(fitting);
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
        let header = self.header(&bout, &variants.counts);
        sources.extend(header.sources.iter().cloned());
        let header = Header {
            policy: who.0,
            policies: who.1,
            config,
            weights,
            shares,
            own_problems: variants.overrides.len() > 1,
            whole_set: variants.whole,
            sources,
            made_from: (!variants.origins.is_empty()).then(|| variants.origins.join("; ")),
            ..header
        };
        // A seed without problems has no environment; the others keep their places by their counts.
        let play =
            CellPlay::Episodes { overrides: variants.overrides, problems: variants.problems, passes: 1, seating };
        Ok(Cell::new(header, bout.task, (entry, bout.entrant), play))
    }

    /// Who plays: `shortcut` stands for the policy that the scale of the condition names as its floor.
    fn resolved(&self, task: &Task, condition: &Condition, entrant: &Entrant) -> Result<Entrant, Problem> {
        if !matches!(&entrant.play, Play::Scripted(text) if text == SHORTCUT) {
            return Ok(entrant.clone());
        }
        let scales = self.protocol.scales.as_ref().ok_or_else(|| {
            Problem::Cell(format!(
                "`{SHORTCUT}` plays the floor of a scale, and this protocol has none: `heldout scales` measures it"
            ))
        })?;
        // Problems that are made for whoever plays them need not exist for whom the scale was measured with: then the floor
        // of the task's last condition that has one is played.
        let scale = scales.find(&task.name, &condition.name);
        let scale = scale.or_else(|| scales.scales.iter().rfind(|scale| scale.task == task.name));
        let floor = scale.map(|scale| scale.floor().policy.clone());
        let policy = floor.unwrap_or_else(|| RANDOM.to_owned());
        let asked = Some(SHORTCUT.to_owned());
        Ok(Entrant { play: Play::Scripted(policy.clone()), policy, asked, ..entrant.clone() })
    }

    /// The overrides and counts of a number of episodes, or of a finite set.
    fn variants(&self, bout: &Bout<'_>, problems: bool) -> Result<Variants, Problem> {
        let entry = bout.entry;
        let base = bout.overrides(bout.condition);
        let asked = self.evaluation.episodes;
        let mut whole = false;
        let count = if problems {
            let env = entry.make(&base, 1, Options::default()).map_err(Problem::cell)?;
            let all = env.spec().problems.ok_or(PlayError::Endless { id: entry.id() }).map_err(Problem::cell)?;
            whole = asked.is_none_or(|n| n >= u64::from(all));
            asked.map_or(u64::from(all), |n| n.min(u64::from(all)))
        } else {
            asked.or(bout.task.episodes).unwrap_or(1)
        };
        let (overrides, counts) = (vec![base.clone()], vec![count; bout.seeds.len()]);
        Ok(Variants { overrides, counts, shown: base, problems, whole, origins: Vec::new() })
    }

    /// What a family's kind prepares for each run seed.
    fn prepared(
        &self,
        bout: &Bout<'_>,
        kind: &'static dyn heldout_core::Kind,
        keys: &Map<String, Value>,
        reference: Option<&'static str>,
    ) -> Result<Result<Vec<Prepared>, String>, EvalError> {
        let Bout { task, entrant, .. } = bout;
        let agents = entrant.play.agents();
        let (partners, scripted) = (entrant.play.scripted(), matches!(entrant.play, Play::Scripted(_)));
        // What its policy of each run tells of itself.
        let tells = |run: usize| {
            let place = bout.place(run);
            let experience = agents.iter().find_map(|agent| agent.experience(&place));
            (run, experience, agents.iter().find_map(|agent| agent.speaker(&place)))
        };
        let each: Vec<Telling> = (0..bout.seeds.len()).map(tells).collect();
        // What scales are measured on is the same for all, however they see.
        let laid = |c: &Condition| if reference.is_some() { task.overrides(c) } else { bout.overrides(c) };
        let mut of_task = task.set.clone();
        if reference.is_none() {
            of_task.extend(bout.view.clone());
        }
        let prepare = |(run, own, speaker): &Telling| {
            let experience = entrant.experience.as_deref().or(own.as_deref());
            let player = match reference {
                Some(reference) => Player::Scripted(reference),
                None if scripted && experience.is_none() => Player::Scripted(&partners),
                None => Player::Agent(Told { experience, speaker: speaker.as_ref(), partners: &partners }),
            };
            let conditions = task.conditions.iter().map(|c| AskedCondition { name: &c.name, overrides: laid(c) });
            let asked = Asked {
                entry: bout.entry,
                keys,
                overrides: &of_task,
                conditions: conditions.collect(),
                episodes: self.evaluation.episodes.or(task.episodes),
                cut: self.evaluation.episodes.is_some(),
                player,
                stop: &|| self.stop.load(Ordering::Relaxed),
            };
            kind.prepare(&asked, bout.seeds[*run])
        };
        Ok(crate::runner::spread(&each, self.evaluation.threads, prepare)?.into_iter().collect())
    }

    /// What a family's kind makes of one condition.
    fn own(&self, bout: &Bout<'_>, (name, keys): (&str, &Map<String, Value>), made: &mut Made) -> Result<Own, Problem> {
        let Bout { task, condition, entrant, seeds, .. } = bout;
        let kind = Kind::known(name).ok_or_else(|| Problem::Cell(format!("there is no kind `{name}`")))?;
        let reference = kind.reference().filter(|_| entrant.of_scale);
        // A label may stand for several policies.
        let folder = match (reference, &entrant.play) {
            (Some(reference), _) => reference.to_owned(),
            (None, Play::Scripted(text)) => file_name(&format!("{} {text}", entrant.label)),
            (None, _) => file_name(&entrant.label),
        };
        if !made.contains_key(&folder) {
            made.insert(folder.clone(), self.prepared(bout, kind, keys, reference).map_err(Problem::Fatal)?);
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
        for set in &mut sets {
            set.overrides.extend(bout.view.clone());
        }
        let shown = sets.first().map(|set| set.overrides.clone()).unwrap_or_default();
        let counts = sets.iter().map(|set| set.episodes).collect();
        let mut origins: Vec<String> = sets.iter().filter_map(|set| set.origin.clone()).collect();
        origins.dedup();
        let overrides = sets.into_iter().zip(seeds).map(|(set, seed)| kept(set, &path.join(format!("seed-{seed}"))));
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

    fn measured(&self, bout: Bout<'_>, measured: Vec<Arc<dyn Measured>>) -> Result<Cell, Problem> {
        let Some(first) = measured.first() else { return Err(Problem::Cell("there are no seeds".to_owned())) };
        let config = bout.entry.configure(&bout.overrides(bout.condition)).map_err(Problem::cell)?;
        check_metric(bout.task, &first.metrics().iter().map(|&name| name.to_owned()).collect::<Vec<_>>())?;
        let counts: Vec<u64> = measured.iter().map(|m| m.samples()).collect();
        let (policy, policies) = match &bout.entrant.play {
            Play::Scripted(_) => (first.policy(), Vec::new()),
            play => bout.who(|place| play.text(|agent: &dyn Agent| agent.identity(place))),
        };
        let header = Header { policy, policies, config, ..self.header(&bout, &counts) };
        let play = CellPlay::Measured(measured);
        Ok(Cell::new(header, bout.task, (bout.entry, bout.entrant), play))
    }

    /// A header in which config, policy and weights are still to be filled in, and the environment's sources.
    fn header(&self, bout: &Bout<'_>, counts: &[u64]) -> Header {
        let Bout { protocol, entry, task, condition, entrant, seeds, .. } = bout;
        let episodes = counts.iter().copied().max().unwrap_or(0);
        let same = counts.iter().all(|&n| n == episodes);
        Header {
            format: FORMAT,
            heldout: env!("CARGO_PKG_VERSION").to_owned(),
            build: bout.build(),
            protocol: protocol.name.clone(),
            protocol_hash: protocol.hash(),
            task: task.name.clone(),
            condition: condition.name.clone(),
            held_out: condition.held_out,
            agent: entrant.label.clone(),
            policy: String::new(),
            policy_asked: entrant.asked.clone(),
            policies: Vec::new(),
            trained: bout.trained(),
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
            seeds: seeds.clone(),
            trace: task.trace,
            sources: bout.sources(),
            made_from: None,
            experience: bout
                .entrant
                .experience
                .as_deref()
                .map(|bytes| hexadecimal(&Sha256::digest(bytes))[..16].to_owned()),
            scale_of: None,
            continued_by: Vec::new(),
            machine: Machine::this(),
        }
    }
}

/// How those see that a scale is made of, where they do not say: in the way that costs least. They are scripted, and what
/// they do does not depend on it.
fn smallest(bout: &Bout<'_>) -> Map<String, Value> {
    let about = bout.entry.about;
    let told = serde_json::from_str::<Map<String, Value>>(about.smallest).unwrap_or_default();
    let seen = told.into_iter().filter(|(key, _)| bout.entrant.of_scale && about.views.contains(&key.as_str()));
    seen.collect()
}

/// What a kind prepared for each seed, by the name of those that share it; or why it could not.
type Made = BTreeMap<String, Result<Vec<Prepared>, String>>;

/// The number of a run, what its policy experienced, and what it would say.
type Telling = (usize, Option<Vec<u8>>, Option<Arc<dyn Speaker>>);

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
        if !heldout_files::read(&path, heldout_files::DATA).is_ok_and(|bytes| bytes == text.as_bytes()) {
            let written = heldout_files::write_below(&path, text.as_bytes());
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

    /// Someone who cannot sit down there.
    fn unplayable(error: PlayError) -> Self {
        match error {
            PlayError::Actor(problem) => Self::Cell(problem),
            error => Self::cell(error),
        }
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

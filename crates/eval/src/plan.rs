//! What an evaluation will play: a cell for every task, condition and entrant, with its header.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use heldout_core::{Options, Seed, Spec, VecEnv};
use heldout_envs::halma::tests::{Class, TestConfig};
use heldout_envs::registry::{Entry, find};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::dynamic::{EXPLORER, Gathering, Part, problem_files};
use crate::entrant::{Entrant, Play};
use crate::language::{self, Speech};
use crate::play::{PlayError, Seats, Table};
use crate::protocol::{Condition, EXPERIENCE_EPISODES, Kind, Protocol, Task};
use crate::records::{self, Build, FORMAT, Failure, Header, Machine, Source, Writer, file_name};
use crate::runner::{EvalError, Evaluation};

/// The folder of an evaluation's directory that holds problems made for it.
const PROBLEMS: &str = "problems";

/// One task under one condition with one entrant: one file of records.
pub(crate) struct Cell<'a> {
    pub(crate) header: Header,
    pub(crate) entry: &'static Entry,
    pub(crate) entrant: &'a Entrant,
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
        /// The scripted policies; none for an agent.
        seats: Option<Seats>,
    },
    /// By speaking.
    Language(Speech),
}

impl Cell<'_> {
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
pub(crate) type Planned<'a> = Result<Cell<'a>, Failure>;

/// The overrides of each seed and the number of episodes of each; overrides of one for all where they are the same.
struct Variants {
    overrides: Vec<Map<String, Value>>,
    counts: Vec<u64>,
    /// The config that the header shows.
    shown: Map<String, Value>,
    problems: bool,
}

/// Plans all cells of one protocol.
pub(crate) struct Planner<'a> {
    pub(crate) evaluation: &'a Evaluation,
    pub(crate) protocol: &'a Protocol,
    pub(crate) seeds: Vec<u64>,
}

impl<'a> Planner<'a> {
    /// Every cell of the protocol, in the order of tasks, conditions and entrants.
    pub(crate) fn cells(&self, hear: &mut dyn FnMut(&str)) -> Result<Vec<Planned<'a>>, EvalError> {
        let mut cells = Vec::new();
        for task in &self.protocol.tasks {
            // Tests made from an experience, by the folder that they lie in.
            let mut made = BTreeMap::new();
            for condition in &task.conditions {
                for entrant in &self.evaluation.entrants {
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
                            let kept = Writer::kept(&self.evaluation.out, &cell.header, self.evaluation.resume)?;
                            Ok(Cell { kept, ..cell })
                        }
                    };
                    cells.push(cell);
                }
            }
        }
        Ok(cells)
    }

    fn cell(
        &self,
        task: &'a Task,
        condition: &'a Condition,
        entrant: &'a Entrant,
        made: &mut BTreeMap<String, Tests>,
    ) -> Result<Cell<'a>, Problem> {
        let entry = find(&task.id).map_err(Problem::cell)?;
        if task.kind == Kind::S2bLanguage {
            return self.language(entry, task, condition, entrant);
        }
        let variants = self.variants(entry, task, condition, entrant, made)?;
        let mut sources = Vec::new();
        let mut metrics = Vec::new();
        let mut weights = BTreeMap::new();
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
            sources,
            ..self.header(task, condition, entrant, entry, &variants.counts)
        };
        // A seed without problems has no environment; the others keep their places by their counts.
        let play = CellPlay::Episodes { overrides: variants.overrides, problems: variants.problems, seats };
        Ok(Cell { header, entry, entrant, play, kept: 0 })
    }

    /// The overrides and counts of a task in an environment.
    fn variants(
        &self,
        entry: &'static Entry,
        task: &Task,
        condition: &Condition,
        entrant: &Entrant,
        made: &mut BTreeMap<String, Tests>,
    ) -> Result<Variants, Problem> {
        let base = task.overrides(condition);
        let seeds = self.seeds.len();
        let asked = self.evaluation.episodes;
        let finite = |overrides: &Map<String, Value>| -> Result<u64, Problem> {
            let env = entry.make(overrides, 1, Options::default()).map_err(Problem::cell)?;
            let problems = env.spec().problems.ok_or(PlayError::Endless { id: entry.id() });
            Ok(u64::from(problems.map_err(Problem::cell)?))
        };
        match (task.kind, Part::named(&condition.name)) {
            (Kind::Problems, _) => {
                let all = finite(&base)?;
                let count = asked.map_or(all, |n| n.min(all));
                Ok(Variants { overrides: vec![base.clone()], counts: vec![count; seeds], shown: base, problems: true })
            }
            (Kind::HalmaDynamic, Some(part)) => {
                let mazes = asked.or(task.episodes).unwrap_or(u64::from(TestConfig::default().n_test_mazes));
                let mazes = u32::try_from(mazes).ok().filter(|n| (1..=10_000).contains(n)).ok_or_else(|| {
                    Problem::Cell(format!("the number of mazes is {mazes}, must be 1 to 10000 in HALMA's tests"))
                })?;
                let of_seed = |seed: &u64| part.overrides(&base, mazes, *seed);
                let shown = self.seeds.first().map(of_seed).unwrap_or_default();
                let (overrides, counts) = match part {
                    Part::Train => {
                        let all = finite(&shown)?;
                        (vec![shown.clone()], vec![asked.map_or(all, |n| n.min(all)); seeds])
                    }
                    Part::Random => (self.seeds.iter().map(of_seed).collect(), vec![u64::from(mazes); seeds]),
                    Part::Class(class) => {
                        let tests = self.tests(entry, task, entrant, mazes, made)?;
                        let mut overrides = Vec::new();
                        let mut counts = Vec::new();
                        for test in tests.of(class) {
                            let mut own = base.clone();
                            if let Some(path) = &test {
                                own.insert("problems".to_owned(), Value::String(path.clone()));
                                counts.push(finite(&own)?);
                            } else {
                                counts.push(0);
                            }
                            overrides.push(own);
                        }
                        (overrides, counts)
                    }
                };
                Ok(Variants { overrides, counts, shown, problems: true })
            }
            _ => {
                let count = asked.or(task.episodes).unwrap_or(1);
                Ok(Variants { overrides: vec![base.clone()], counts: vec![count; seeds], shown: base, problems: false })
            }
        }
    }

    /// The tests that the entrant's experience leads to, made once a task.
    fn tests<'m>(
        &self,
        entry: &'static Entry,
        task: &Task,
        entrant: &Entrant,
        mazes: u32,
        made: &'m mut BTreeMap<String, Tests>,
    ) -> Result<&'m Tests, Problem> {
        let own = match &entrant.play {
            Play::Agent(agent) => agent.experience(entry.id()),
            Play::Scripted(_) => None,
        };
        let folder = if own.is_some() { file_name(&entrant.label) } else { EXPLORER.to_owned() };
        if !made.contains_key(&folder) {
            let path = self.evaluation.out.join(PROBLEMS).join(&self.protocol.name).join(&task.name).join(&folder);
            let tests = self.make_tests(entry, task, own.as_deref(), mazes, &path)?;
            made.insert(folder.clone(), tests);
        }
        made.get(&folder).ok_or_else(|| Problem::Cell("there are no tests".to_owned()))
    }

    fn make_tests(
        &self,
        entry: &'static Entry,
        task: &Task,
        own: Option<&[u8]>,
        mazes: u32,
        folder: &Path,
    ) -> Result<Tests, Problem> {
        let overrides = Part::Train.overrides(&task.set, mazes, 0);
        let episodes = task.experience.unwrap_or(EXPERIENCE_EPISODES);
        let gather = |seed: u64| match own {
            Some(bytes) => Ok(bytes.to_vec()),
            None => {
                Gathering { entry, overrides: &overrides, policy: EXPLORER, episodes, seed, before: None }.play(|| ())
            }
        };
        let make = |&seed: &u64| problem_files(&gather(seed)?, mazes, seed);
        let all = crate::runner::spread(&self.seeds, self.evaluation.threads, make);
        let mut seeds = Vec::new();
        for (seed, files) in self.seeds.iter().zip(all) {
            let mut classes = Vec::new();
            for (class, text) in files.map_err(Problem::cell)? {
                let Some(text) = text else {
                    classes.push((class, None));
                    continue;
                };
                // Named by its content: problems that records were made with are never overwritten.
                let name = format!("{}-{}.json", class.name(), &sha256(text.as_bytes())[..16]);
                let path = folder.join(format!("seed-{seed}")).join(name);
                let there = std::fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes());
                if !there {
                    records::write_whole(&path, text.as_bytes()).map_err(|error| {
                        Problem::Fatal(records::RecordsError::Write { path: path.clone(), error }.into())
                    })?;
                }
                classes.push((class, Some(path.display().to_string())));
            }
            seeds.push(classes);
        }
        Ok(Tests(seeds))
    }

    fn language(
        &self,
        entry: &'static Entry,
        task: &Task,
        condition: &Condition,
        entrant: &'a Entrant,
    ) -> Result<Cell<'a>, Problem> {
        let Play::Scripted(text) = &entrant.play else {
            return Err(Problem::Cell("only the languages of scripted speakers can be measured".to_owned()));
        };
        let config = entry.configure(&task.overrides(condition)).map_err(Problem::cell)?;
        let named = text.split(',').find_map(|part| part.strip_prefix("speaker="));
        let speaker = named.unwrap_or(text);
        let speech = Speech::new(speaker, &config).map_err(Problem::Cell)?;
        check_metric(task, &language::METRICS.map(str::to_owned))?;
        let count = self.evaluation.episodes.or(task.episodes).unwrap_or(language::LANGUAGES);
        let counts = vec![count; self.seeds.len()];
        let policy = speaker.to_owned();
        let header = Header { policy, config, ..self.header(task, condition, entrant, entry, &counts) };
        Ok(Cell { header, entry, entrant, play: CellPlay::Language(speech), kept: 0 })
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
            task: task.name.clone(),
            condition: condition.name.clone(),
            held_out: condition.held_out,
            agent: entrant.label.clone(),
            policy: String::new(),
            id: entry.id().to_owned(),
            config: Value::Null,
            metric: task.metric.clone(),
            weights: BTreeMap::new(),
            episodes,
            episodes_by_seed: if same { Vec::new() } else { counts.to_vec() },
            seeds: self.seeds.clone(),
            trace: task.trace,
            sources: Vec::new(),
            machine: Machine::this(),
        }
    }
}

/// The dynamic tests of each seed: the file of each class, if it has problems.
struct Tests(Vec<Vec<(Class, Option<String>)>>);

impl Tests {
    /// The file of a class for each seed.
    fn of(&self, class: Class) -> impl Iterator<Item = Option<String>> {
        self.0.iter().map(move |seed| seed.iter().find(|(c, _)| *c == class).and_then(|(_, path)| path.clone()))
    }
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

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Sizes of the batch of `spec` that a cell of `count` episodes a seed is played at.
pub(crate) fn batch(spec: &Spec, count: u64, wanted: usize) -> usize {
    crate::play::copies(spec, wanted.min(usize::try_from(count).unwrap_or(usize::MAX)))
}

/// A probe of an environment, for its spec.
pub(crate) fn probe(entry: &'static Entry, overrides: &Map<String, Value>) -> Result<Box<dyn VecEnv>, PlayError> {
    Ok(entry.make(overrides, 1, Options::default())?)
}

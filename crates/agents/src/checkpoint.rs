//! Runs as they lie on disk, to play by what they learnt.

use std::fs;
use std::path::{Path, PathBuf};

use heldout_core::Spec;
use heldout_files::{DATA, WRITTEN};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::nn::Backend;
use crate::parts::checkpoint::{about, begun, sha256};
use crate::player::Player;
use crate::table::{Agent, Profile, Told};
use crate::text::Vocabulary;
use crate::train::{BEST, CURVES, EXPERIENCE, POLICY, RUN, TrainError, VOCABULARY};

/// What `run.json` says it is.
pub const FORMAT: &str = "heldout-run 1";

/// A file that the environment of training was made from, or that the agent was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// What it is to the rules.
    pub name: String,
    /// SHA-256 of its bytes, or the name and version of a built-in source.
    pub content: String,
}

/// What an agent was shown in training, and what it could do: as it must be wherever it plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// Name, element type, shape and bounds of each field of its rows.
    pub observation: Vec<ShownField>,
    /// The actions of each agent, in words.
    pub actions: Vec<String>,
}

/// A field of an agent's rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownField {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// The least and the greatest number of it.
    pub bounds: [f32; 2],
}

impl Shown {
    /// Of an environment with this spec.
    #[must_use]
    pub fn of(spec: &Spec) -> Self {
        let field = |field: &heldout_core::Field| ShownField {
            name: field.name.to_owned(),
            dtype: format!("{:?}", field.dtype).to_lowercase(),
            shape: field.shape.clone(),
            bounds: [field.low, field.high],
        };
        Self {
            observation: spec.observation.iter().map(field).collect(),
            actions: spec.agents.iter().map(|agent| agent.action.to_string()).collect(),
        }
    }

    /// The first thing in which `now` is not this.
    fn differs(&self, now: &Self) -> Option<String> {
        // Bounds of what enters a network as it is mean nothing to it.
        let text = |field: &ShownField| match field.dtype.as_str() {
            "f32" => format!("f32 {:?}", field.shape),
            dtype => format!("{dtype} {:?} of {} to {}", field.shape, field.bounds[0], field.bounds[1]),
        };
        let find = |all: &[ShownField], name: &str| all.iter().find(|field| field.name == name).map(text);
        let own = self.observation.iter().map(|field| &field.name);
        let more = now.observation.iter().map(|field| &field.name);
        for name in own.chain(more) {
            match (find(&self.observation, name), find(&now.observation, name)) {
                (Some(was), None) => return Some(format!("observation field `{name}` ({was}) is not there")),
                (None, Some(_)) => return Some(format!("observation field `{name}` was not there in training")),
                (Some(was), Some(is)) if was != is => {
                    return Some(format!("observation field `{name}` is {is}, in training it was {was}"));
                }
                _ => {}
            }
        }
        let (was, is) = (self.actions.join(", "), now.actions.join(", "));
        (was != is).then(|| format!("actions are {is}, in training they were {was}"))
    }
}

/// What fixes a run, and what made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// [`FORMAT`].
    pub format: String,
    /// The version of heldout.
    pub version: String,
    /// The agent's name.
    pub agent: String,
    /// By which reports know it.
    pub label: String,
    /// Its profile.
    pub profile: Profile,
    /// The protocol that it was trained for; empty outside one.
    pub protocol: String,
    /// The task; empty outside a protocol.
    pub task: String,
    /// The environment.
    pub id: String,
    /// The environment's config in training: overrides.
    pub env: Map<String, Value>,
    /// What the task sets, whatever the condition: another protocol's task that sets the same is asked of it too.
    #[serde(default)]
    pub set: Map<String, Value>,
    /// Those of its keys by which the agent sees and acts, in play too.
    pub view: Map<String, Value>,
    /// The step metrics that it is told, by their names.
    #[serde(default)]
    pub step_metrics: Vec<String>,
    /// What it was shown, and what it could do.
    #[serde(default)]
    pub shown: Shown,
    /// The training seed.
    pub seed: u64,
    /// All that the agent was told.
    pub config: Map<String, Value>,
    /// Conditions of the task that were kept from training.
    pub held_out: Vec<String>,
    /// Data that the environment was made from, and files of an encoder that reads its sentences.
    pub sources: Vec<Source>,
    /// What computed.
    pub backend: Backend,
    /// Other versions and processors that went on with it: its bits may differ from those of a run in one go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_computed_by: Vec<String>,
}

/// What one seed has learnt.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// What fixes the run.
    pub run: RunFile,
    /// The agent.
    pub agent: &'static Agent,
    /// SHA-256 of the file of its weights.
    pub sha256: String,
    told: Told,
    words: Option<Vocabulary>,
    /// The file of its weights.
    path: PathBuf,
    weights: Vec<u8>,
    experience: Option<Vec<u8>>,
}

fn optional(path: &Path, most: u64) -> Result<Option<Vec<u8>>, TrainError> {
    match heldout_files::read(path, most) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TrainError::File { path: path.to_owned(), problem: error.to_string() }),
    }
}

impl Checkpoint {
    /// What lies in the directory of one seed.
    ///
    /// # Errors
    ///
    /// If a file is missing, damaged, or of another version or agent.
    pub fn open(dir: &Path) -> Result<Self, TrainError> {
        let path = dir.join(RUN);
        let bad = |path: &Path, problem: String| TrainError::File { path: path.to_owned(), problem };
        let text = optional(&path, WRITTEN)?.ok_or_else(|| bad(&path, "is not there".to_owned()))?;
        let value: Value = serde_json::from_slice(&text).map_err(|e| bad(&path, format!("is no JSON: {e}")))?;
        let format = value["format"].as_str().unwrap_or_default();
        if format != FORMAT {
            return Err(bad(&path, format!("`format` is `{format}`, must be `{FORMAT}`")));
        }
        let run: RunFile = serde_json::from_value(value).map_err(|e| bad(&path, e.to_string()))?;
        let agent = Agent::find(&run.agent).ok_or_else(|| {
            let known = crate::AGENTS.map(|a| format!("`{}`", a.name)).join(", ");
            bad(&path, format!("`agent` is `{}`, must be one of {known}", run.agent))
        })?;
        let told = Told::read(agent, &run.config).map_err(|e| bad(&path, format!("`config`: {e}")))?;
        let mut found = None;
        for name in [BEST, POLICY] {
            let path = dir.join(name);
            if let Some(bytes) = optional(&path, DATA)? {
                found = Some((path, bytes));
                break;
            }
        }
        let (path, weights) =
            found.ok_or_else(|| bad(&dir.join(POLICY), "is not there: nothing was saved".to_owned()))?;
        let told_of = about(&weights).map_err(|e| bad(&path, e.to_string()))?;
        if told_of.agent != run.agent {
            return Err(bad(&path, format!("`agent` is `{}`, of this run it must be `{}`", told_of.agent, run.agent)));
        }
        if told_of.run != sha256(&begun(&text)) {
            return Err(bad(&path, "was written by another run than its `run.json`".to_owned()));
        }
        let list = dir.join(VOCABULARY);
        let words = match optional(&list, WRITTEN)? {
            None => None,
            Some(bytes) => Some(serde_json::from_slice(&bytes).map_err(|e| bad(&list, e.to_string()))?),
        };
        let experience = optional(&dir.join(EXPERIENCE), DATA)?;
        Ok(Self { run, agent, sha256: sha256(&weights), told, words, path, weights, experience })
    }

    /// What lies in the directory of one seed, of a task, or of a whole training: in the order of tasks and seeds.
    ///
    /// # Errors
    ///
    /// If nothing does, or something cannot be opened.
    pub fn open_all(path: &Path) -> Result<Vec<Self>, TrainError> {
        let mut dirs = Vec::new();
        find(path, 2, &mut dirs)?;
        if dirs.is_empty() {
            let problem = "holds no run: a directory with `run.json` is one, as `heldout train` makes it";
            return Err(TrainError::File { path: path.to_owned(), problem: problem.to_owned() });
        }
        let mut all: Vec<Self> = dirs.iter().map(|dir| Self::open(dir)).collect::<Result<_, _>>()?;
        all.sort_by(|a, b| (&a.run.task, a.run.seed).cmp(&(&b.run.task, b.run.seed)));
        Ok(all)
    }

    /// A player of its weights.
    ///
    /// # Errors
    ///
    /// If `spec` is not of an environment that it has learnt, or files that it was learnt with are not there or are others.
    pub fn player(&self, spec: &Spec) -> Result<Box<dyn Player>, TrainError> {
        // Runs of before this was kept tell nothing.
        if self.run.shown != Shown::default()
            && let Some(difference) = self.run.shown.differs(&Shown::of(spec))
        {
            let id = &self.run.id;
            return Err(TrainError::Unfit(format!("`{}` learnt `{id}`: {difference}", self.run.agent)));
        }
        let mut told = self.told.clone();
        // Elsewhere than in training an encoder is looked for where this user has it.
        if !Path::new(told.text().1).is_dir() {
            told = told.without_text_path();
        }
        let missing = |error| match error {
            TrainError::Config(_) if !self.told.text().1.is_empty() => {
                let path = PathBuf::from(self.told.text().1);
                TrainError::File { path, problem: format!("is no directory any more, and {error}") }
            }
            error => error,
        };
        for found in self.agent.sources(&told).map_err(missing)? {
            let kept = self.run.sources.iter().find(|kept| kept.name == found.name);
            if kept != Some(&found) {
                let wanted = kept.map_or("none", |kept| &kept.content);
                let Source { name, content } = &found;
                let problem = format!("`{name}` has SHA-256 {content} here, in training it had {wanted}");
                return Err(TrainError::Unfit(problem));
            }
        }
        self.agent.player(&told, spec, self.words.clone(), &self.weights).map_err(|error| match error {
            TrainError::Damaged(problem) => TrainError::File { path: self.path.clone(), problem },
            error => error,
        })
    }

    /// The text of its curves of training; empty if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn curves(&self) -> Result<String, TrainError> {
        let path = self.path.with_file_name(CURVES);
        let bytes = optional(&path, DATA)?.unwrap_or_default();
        String::from_utf8(bytes).map_err(|_| TrainError::File { path, problem: "is not UTF-8".to_owned() })
    }

    /// What it experienced in training, where that is kept.
    #[must_use]
    pub fn experience(&self) -> Option<&[u8]> {
        self.experience.as_deref()
    }
}

/// The directories of runs below `path`, at most `depth` folders down.
fn find(path: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), TrainError> {
    if path.join(RUN).is_file() {
        found.push(path.to_owned());
        return Ok(());
    }
    if depth == 0 || !path.is_dir() {
        return Ok(());
    }
    let bad = |error: std::io::Error| TrainError::File { path: path.to_owned(), problem: error.to_string() };
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(path).map_err(bad)? {
        let entry = entry.map_err(bad)?.path();
        if entry.is_dir() {
            folders.push(entry);
        }
    }
    folders.sort();
    folders.iter().try_for_each(|folder| find(folder, depth - 1, found))
}

//! Records: what an evaluation leaves behind, one JSON line an episode under a header that says how it came about.
//!
//! Invariants: a file is created whole with its header or not at all; lines are only ever added at its end, in the order
//! of seeds and episodes, by one process at a time; no record that is there is lost. So whatever ends a run, at most the last
//! line is cut short, and only such a line is ever dropped. Each line ends with a checksum of itself: one that was changed
//! is refused. An evaluation of more seeds or episodes replaces the file by one with its
//! own header, whole or not at all; records that then stand behind a gap wait beside it until their turn comes.
//!
//! Deliberately absent from the header: time, threads, paths. Two runs of the same evaluation give the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use heldout_core::{Crc, Status};
use heldout_files::HoldError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::curves;
use crate::plan::PROBLEMS;
use crate::protocol::{MOST_EPISODES, MOST_SEEDS};
use crate::results::PROTOCOLS;

pub use crate::failures::{FAILURES, Failure};
pub use crate::writer::{Kept, Writer};

/// The version of the files' format.
pub const FORMAT: u32 = 3;

/// The folder of an evaluation's directory that holds the records.
pub const FOLDER: &str = "records";

/// The folder of an evaluation's directory that holds what random, shortcuts and oracle score on problems that were made for
/// an agent: the scale of that agent.
pub const SCALES: &str = "scales";

/// How a feature of a build begins that says what an agent computes with.
pub(crate) const BACKEND: &str = "backend ";

/// Bytes of a file of records at the most: 64 GiB, or what there is memory for.
pub(crate) const MOST: u64 = 64 << 30;

/// What stands before the checksum at a line's end, and behind it.
const CHECK: (&str, &str) = (r#","check":""#, "\"}\n");

/// How the program was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The commit that it was built from, `+` behind it if files had been changed; `unknown` outside a repository.
    pub commit: String,
    /// `debug` or `release`.
    pub profile: String,
    /// Architecture and system that it was built for.
    pub target: String,
    /// Its features; of an agent that says what it computes with, also `backend NAME`.
    pub features: Vec<String>,
}

impl Build {
    /// That of this program.
    #[must_use]
    pub fn this() -> Self {
        Self {
            commit: env!("HELDOUT_COMMIT").to_owned(),
            profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
            features: vec!["files".to_owned(), "parallel".to_owned()],
        }
    }
}

/// What the program runs on; nothing that varies from run to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The operating system.
    pub os: String,
    /// The architecture.
    pub arch: String,
    /// The processor, where the system tells.
    pub cpu: Option<String>,
}

impl Machine {
    /// This one.
    #[must_use]
    pub fn this() -> Self {
        let told = fs::read_to_string("/proc/cpuinfo").ok();
        let model = told.as_deref().and_then(|text| text.lines().find(|line| line.starts_with("model name")));
        let cpu = model.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned());
        Self { os: std::env::consts::OS.to_owned(), arch: std::env::consts::ARCH.to_owned(), cpu }
    }
}

/// Data that the rules were built from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// What it is to the rules.
    pub name: String,
    /// SHA-256 of its bytes, in hexadecimal; or the name and version of a built-in source.
    pub content: String,
}

/// The first line of a file: how its records came about.
#[expect(clippy::struct_excessive_bools, reason = "each says something of its own, and the file is plain data")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: u32,
    /// Version of heldout.
    pub heldout: String,
    /// How the program was built.
    pub build: Build,
    /// Which protocol.
    pub protocol: String,
    /// What is in the protocol: the first digits of the SHA-256 of its text.
    pub protocol_hash: String,
    /// Which of its tasks.
    pub task: String,
    /// Under which condition.
    pub condition: String,
    /// Whether the condition asks for something that training does not show.
    pub held_out: bool,
    /// Label of the policy, by which reports and claims name it.
    pub agent: String,
    /// The policy: the names of scripted ones, or the identity of an agent's (`td3-mlp sha256:0123456789ab`).
    pub policy: String,
    /// The policy as it was asked for, where that is another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_asked: Option<String>,
    /// Who played each seed, where that is not one policy: the identity of each. What they have in common is then
    /// [`Header::policy`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// How its agent was trained, where it is one that was; of several that play together each by its name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub trained: Map<String, Value>,
    /// The environment.
    pub id: String,
    /// Its whole config.
    pub config: Value,
    /// What is scored.
    pub metric: String,
    /// Metrics that are weighed by another in a mean over episodes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, String>,
    /// Metrics that are a share of something, or yes or no.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<String>,
    /// Whether each seed has problems of its own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub own_problems: bool,
    /// Whether every problem of a finite set is asked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub whole_set: bool,
    /// Episodes of each seed.
    pub episodes: u64,
    /// Episodes of each seed where they are not all [`Header::episodes`]: a dynamic test may have fewer problems, or none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub episodes_by_seed: Vec<u64>,
    /// The number of episodes that was asked for in place of the protocol's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episodes_asked: Option<u64>,
    /// The run seeds.
    pub seeds: Vec<u64>,
    /// Whether the records hold a [`Trace`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub trace: bool,
    /// Data that the rules were built from.
    pub sources: Vec<Source>,
    /// What the problems were made from, where each player has its own: whose experience.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<String>,
    /// What experience was brought for the policy: the first digits of its SHA-256.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experience: Option<String>,
    /// The label of the agent whose problems these are, where a scale is made of the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_of: Option<String>,
    /// Other builds that continued the records, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continued_by: Vec<String>,
    /// What it ran on; the records do not depend on it.
    pub machine: Machine,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Header {
    /// Where its file lies below the directory `out` of an evaluation.
    #[must_use]
    pub fn path(&self, out: &Path) -> PathBuf {
        let below = if self.scale_of.is_some() { SCALES } else { FOLDER };
        let mut folder = out.join(below).join(&self.protocol).join(&self.task).join(&self.condition);
        folder.extend(self.scale_of.as_deref().map(file_name));
        folder.join(format!("{}.jsonl", file_name(&self.agent)))
    }

    /// Which build of heldout made it, in words.
    #[must_use]
    pub fn build_text(&self) -> String {
        let Build { commit, profile, target, features } = &self.build;
        format!("heldout {} ({commit}), {profile}, {target}, features {}", self.heldout, features.join(", "))
    }

    /// Seed and number of every episode, in the order of the records.
    pub fn order(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.seeds.iter().enumerate().map(|(i, &seed)| (seed, self.episodes_of(i)));
        counts.flat_map(|(seed, n)| (0..n).map(move |episode| (seed, episode)))
    }

    /// Episodes of the `index`th seed.
    #[must_use]
    pub fn episodes_of(&self, index: usize) -> u64 {
        self.episodes_by_seed.get(index).copied().unwrap_or(self.episodes)
    }

    /// Number of records of a complete file.
    #[must_use]
    pub fn total(&self) -> u64 {
        (0..self.seeds.len()).map(|i| self.episodes_of(i)).sum()
    }

    /// Who played the `index`th seed.
    #[must_use]
    pub fn player(&self, index: usize) -> &str {
        self.policies.get(index).unwrap_or(&self.policy)
    }

    /// The same as one that continues the records of `old`, whatever build made them.
    pub(crate) fn continuing(self, old: &Self) -> Self {
        let mut continued_by = old.continued_by.clone();
        let ours = self.build_text();
        if (&self.heldout, &self.build) != (&old.heldout, &old.build) && !continued_by.contains(&ours) {
            continued_by.push(ours);
        }
        Self { heldout: old.heldout.clone(), build: old.build.clone(), continued_by, ..self }
    }

    /// Whether what is recorded under `old`, found at `path`, is also recorded under this header: of the same evaluation,
    /// or of one of its first seeds and of the first episodes of each.
    pub(crate) fn extends(&self, old: &Self, path: &Path) -> Result<(), RecordsError> {
        let other = |key: &str, theirs: String, ours: String| {
            Err(RecordsError::Other { path: path.to_owned(), key: key.to_owned(), theirs, ours })
        };
        let seeds = old.seeds.len().min(self.seeds.len());
        if old.seeds[..seeds] != self.seeds[..seeds] {
            return other("seeds", json!(old.seeds).to_string(), json!(self.seeds).to_string());
        }
        if let Some(i) = (0..seeds).find(|&i| old.player(i) != self.player(i)) {
            return other("policy", json!(old.player(i)).to_string(), json!(self.player(i)).to_string());
        }
        let mut grown = Self {
            policy: self.policy.clone(),
            policies: self.policies.clone(),
            whole_set: self.whole_set,
            episodes: self.episodes,
            episodes_by_seed: self.episodes_by_seed.clone(),
            episodes_asked: self.episodes_asked,
            seeds: self.seeds.clone(),
            continued_by: self.continued_by.clone(),
            ..old.clone()
        };
        if seeds < self.seeds.len() {
            // What each seed has of its own is told by its seed once there are several.
            let known = |one: &Source| {
                let named = |name: &str| name == one.name || name.starts_with(&format!("{} of seed ", one.name));
                self.sources.iter().any(|source| source.content == one.content && named(&source.name))
            };
            if old.sources.iter().all(known) {
                grown.sources.clone_from(&self.sources);
            }
            let begins = |ours: &String| old.made_from.as_ref().is_some_and(|theirs| ours.starts_with(theirs));
            if self.made_from.as_ref().is_some_and(begins) {
                grown.made_from.clone_from(&self.made_from);
            }
            grown.own_problems = self.own_problems;
        }
        if let Some((key, ours, theirs)) = self.difference(&grown) {
            if key == "heldout" || key.starts_with("build") {
                let (theirs, ours) = (old.build_text(), self.build_text());
                return Err(RecordsError::OtherBuild { path: path.to_owned(), theirs, ours });
            }
            return other(&key, theirs, ours);
        }
        let episodes =
            (0..seeds).map(|i| (old.episodes_of(i), self.episodes_of(i))).find(|(theirs, ours)| ours < theirs);
        let fewer = (seeds < old.seeds.len()).then_some(("seeds", old.seeds.len() as u64, seeds as u64));
        match fewer.or(episodes.map(|(theirs, ours)| ("episodes", theirs, ours))) {
            Some((what, theirs, ours)) => Err(RecordsError::Fewer { path: path.to_owned(), what, theirs, ours }),
            None => Ok(()),
        }
    }

    /// The first key, apart from the machine, whose value differs in `other`: its name, our value and the other's.
    pub(crate) fn difference(&self, other: &Self) -> Option<(String, String, String)> {
        let (Ok(Value::Object(mut ours)), Ok(Value::Object(mut theirs))) =
            (serde_json::to_value(self), serde_json::to_value(other))
        else {
            return None;
        };
        let keys: Vec<String> = ours.keys().chain(theirs.keys()).filter(|key| *key != "machine").cloned().collect();
        keys.into_iter().find_map(|key| {
            let take = |map: &mut Map<String, Value>| map.remove(&key).unwrap_or(Value::Null);
            let (a, b) = (take(&mut ours), take(&mut theirs));
            (a != b).then(|| nested(key, &a, &b))
        })
    }
}

/// Narrows a difference of two tables down to one key of theirs.
fn nested(key: String, ours: &Value, theirs: &Value) -> (String, String, String) {
    if let (Value::Object(a), Value::Object(b)) = (ours, theirs) {
        let mut keys = a.keys().chain(b.keys());
        if let Some(inner) = keys.find(|k| a.get(*k) != b.get(*k)) {
            let at = |map: &Map<String, Value>| map.get(inner).cloned().unwrap_or(Value::Null);
            return nested(format!("{key}.{inner}"), &at(a), &at(b));
        }
    }
    (key, ours.to_string(), theirs.to_string())
}

/// `label` as a part of a file name: letters, digits and `-_.,=+` stay, all else becomes `_`.
#[must_use]
pub fn file_name(label: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_,=+".contains(c);
    let safe: String =
        label.chars().enumerate().map(|(i, c)| if fits(c) || (i > 0 && c == '.') { c } else { '_' }).collect();
    if safe.is_empty() { "_".to_owned() } else { safe }
}

/// One episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The run seed.
    pub seed: u64,
    /// Its number within the seed.
    pub episode: u64,
    /// Which problem it was, where the set is finite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<u32>,
    /// Sum of the rewards: the mean over agents.
    pub r#return: f64,
    /// Number of steps.
    pub length: u64,
    /// How it ended.
    pub status: Status,
    /// Every other metric of an episode's end. One that is not a number there (a share of nothing) is absent.
    pub metrics: BTreeMap<String, f64>,
    /// What was done, where the protocol asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// What was done in an episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The actions of all agents, step by step, as the environment numbers them.
    pub actions: Vec<i32>,
    /// The step metrics of the last step.
    pub last: BTreeMap<String, f64>,
}

impl Record {
    /// The metric called `name`: `return`, `length` or one of [`Record::metrics`].
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        match name {
            "return" => Some(self.r#return),
            "length" => Some(self.length as f64),
            other => self.metrics.get(other).copied(),
        }
    }
}

/// One file.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// How the records came about.
    pub header: Header,
    /// The records, in the order of [`Header::order`].
    pub records: Vec<Record>,
}

/// A file of records that cannot be used as asked. Nothing has been changed then.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// A file or folder that cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A file or folder that cannot be written.
    #[error("cannot write `{}`: {error}; what was recorded before is kept", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A directory without records.
    #[error("`{}` holds no records: there is no `{FOLDER}/PROTOCOL/TASK/CONDITION/LABEL.jsonl` in it", path.display())]
    None {
        /// The file or folder.
        path: PathBuf,
    },
    /// An empty file.
    #[error("`{}` is empty, must begin with a header; nothing is lost by removing it", path.display())]
    Empty {
        /// The file or folder.
        path: PathBuf,
    },
    /// A file that is not ours.
    #[error("`{}` is not a file of records: its first line {problem}", path.display())]
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A damaged file.
    #[error("`{}` is damaged in line {line}: {problem}; repair it or move it away", path.display())]
    Corrupt {
        /// The file or folder.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Records that are already there.
    #[error("`{}` is already there: continue it with `--resume`, or choose another directory", path.display())]
    There {
        /// The file or folder.
        path: PathBuf,
    },
    /// Records of another build.
    #[error(
        "`{}` was recorded by another build ({theirs}; this is {ours}): choose another directory, or go on all the same \
         with `--other-build`, and the records say so",
        path.display()
    )]
    OtherBuild {
        /// The file or folder.
        path: PathBuf,
        /// Which build.
        theirs: String,
        /// This one.
        ours: String,
    },
    /// Records of another evaluation.
    #[error(
        "`{}` was recorded with `{key}` = `{theirs}`, this evaluation has `{ours}`: choose another directory",
        path.display()
    )]
    Other {
        /// The file or folder.
        path: PathBuf,
        /// What differs.
        key: String,
        /// The value in the file.
        theirs: String,
        /// The value now.
        ours: String,
    },
    /// Records of an evaluation with more seeds or episodes.
    #[error(
        "`{}` was recorded with {theirs} {what}, this evaluation has {ours}: records are extended, never cut; ask for at \
         least as many, or choose another directory",
        path.display()
    )]
    Fewer {
        /// The file or folder.
        path: PathBuf,
        /// Seeds or episodes.
        what: &'static str,
        /// How many there are.
        theirs: u64,
        /// How many are asked for.
        ours: u64,
    },
    /// A directory that another process writes to.
    #[error("`{}` is being written to by {who}: wait until it is done, or write to another directory", path.display())]
    Busy {
        /// The file or folder.
        path: PathBuf,
        /// The other.
        who: String,
    },
    /// A file that somebody changed during the run.
    #[error("`{}` was changed by somebody else: it has {found} records, {known} when the run began", path.display())]
    Changed {
        /// The file or folder.
        path: PathBuf,
        /// Records that are there now.
        found: u64,
        /// Records that were there.
        known: u64,
    },
}

impl RecordsError {
    /// A directory that cannot be held.
    pub(crate) fn held(path: &Path, error: HoldError) -> Self {
        let path = path.to_owned();
        match error {
            HoldError::Held(who) => Self::Busy { path, who },
            HoldError::Write(error) => Self::Write { path, error },
        }
    }
}

impl Recorded {
    /// Reads a file; a last line that was cut short is left out.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is not a file of records, or is damaged.
    pub fn read(path: &Path) -> Result<Self, RecordsError> {
        let read = |error| RecordsError::Read { path: path.to_owned(), error };
        Self::of(path, &heldout_files::read(path, MOST).map_err(read)?)
    }

    /// What the bytes of the file at `path` hold, as [`Recorded::read`] reads them.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn of(path: &Path, bytes: &[u8]) -> Result<Self, RecordsError> {
        Ok(parse(path, bytes, false)?.0)
    }

    /// Reads every file below the directory `out` of an evaluation, in the order of their paths.
    ///
    /// # Errors
    ///
    /// If there is none, or one cannot be used.
    pub fn read_all(out: &Path) -> Result<Vec<Self>, RecordsError> {
        let mut files = Vec::new();
        let folder = out.join(FOLDER);
        if folder.is_dir() {
            collect(&folder, 3, &mut files)?;
        }
        if files.is_empty() {
            return Err(RecordsError::None { path: out.to_owned() });
        }
        files.iter().map(|path| Self::read(path)).collect()
    }

    /// Reads what random, shortcuts and oracle scored on problems that were made for the agents of the evaluation in `out`, in
    /// the order of their paths.
    ///
    /// # Errors
    ///
    /// If a file cannot be used.
    pub fn read_scales(out: &Path) -> Result<Vec<Self>, RecordsError> {
        let mut files = Vec::new();
        let folder = out.join(SCALES);
        if folder.is_dir() {
            collect(&folder, 4, &mut files)?;
        }
        files.iter().map(|path| Self::read(path)).collect()
    }

    /// Whether every episode is there.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.records.len() as u64 == self.header.total()
    }
}

/// Whether writing to `path` would change what `dir` keeps of an evaluation.
#[must_use]
pub fn keeps(dir: &Path, path: &Path) -> bool {
    let folders = [FOLDER, SCALES, PROTOCOLS, PROBLEMS];
    folders.iter().any(|name| heldout_files::is_below(path, &dir.join(name)))
        || [FAILURES, curves::FILE].iter().any(|name| heldout_files::same_place(path, &dir.join(name)))
}

/// Finds the files of records `depth` folders below `folder`, in the order of their names.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), RecordsError> {
    let read = |error| RecordsError::Read { path: folder.to_owned(), error };
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(read)?.collect();
    let mut paths: Vec<PathBuf> = entries.map_err(read)?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if depth > 0 && path.is_dir() {
            collect(&path, depth - 1, files)?;
        } else if depth == 0 && path.extension().is_some_and(|e| e == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}

/// The content of a file, and how many of its bytes are whole lines. With `gaps` episodes may be left out.
pub(crate) fn parse(path: &Path, bytes: &[u8], gaps: bool) -> Result<(Recorded, usize), RecordsError> {
    let path = || path.to_owned();
    if bytes.is_empty() {
        return Err(RecordsError::Empty { path: path() });
    }
    let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
    let mut lines = bytes[..whole].split_inclusive(|&b| b == b'\n');
    let foreign = |problem: &str| RecordsError::Foreign { path: path(), problem: problem.to_owned() };
    let first = lines.next().ok_or_else(|| foreign("does not end"))?;
    let value: Value = serde_json::from_slice(first).map_err(|_| foreign("is not JSON"))?;
    match value.get("format").map(Value::as_u64) {
        None => return Err(foreign("is not a header: it has no `format`")),
        Some(format) if format != Some(u64::from(FORMAT)) => {
            return Err(foreign(&format!("has `format` `{}`, must be {FORMAT}", value["format"])));
        }
        Some(_) => {}
    }
    let value: Value = checked(first)
        .and_then(|own| serde_json::from_slice(&own).map_err(|error| error.to_string()))
        .map_err(|problem| foreign(&format!("is damaged: {problem}")))?;
    let header: Header = serde_path_to_error::deserialize(&value)
        .map_err(|error| foreign(&format!("is not a header: `{}`: {}", error.path(), error.inner())))?;
    let most = header.episodes_by_seed.iter().copied().chain([header.episodes]).max().unwrap_or(0);
    if most > MOST_EPISODES || header.seeds.len() as u64 > MOST_SEEDS {
        let (seeds, allowed) = (header.seeds.len(), format!("at most {MOST_SEEDS} and {MOST_EPISODES}"));
        return Err(foreign(&format!("has {seeds} seeds of {most} episodes, must have {allowed}")));
    }
    let mut records = Vec::new();
    let mut order = header.order();
    let mut last = None;
    for (i, line) in lines.enumerate() {
        let corrupt = |problem: String| RecordsError::Corrupt { path: path(), line: i + 2, problem };
        let own = checked(line).map_err(corrupt)?;
        let record: Record = serde_json::from_slice(&own).map_err(|error| corrupt(error.to_string()))?;
        let own = (record.seed, record.episode);
        // With gaps, any place of the header's that comes after the last one.
        let place = || {
            let seed = header.seeds.iter().position(|&seed| seed == record.seed)?;
            (record.episode < header.episodes_of(seed)).then_some((seed, record.episode))
        };
        let next = if gaps {
            let place = place().filter(|place| last.is_none_or(|last| *place > last));
            last = place.or(last);
            place.map(|_| own)
        } else {
            order.next()
        };
        let Some((seed, episode)) = next else {
            return Err(corrupt(format!("there are more records than the header's {}", header.total())));
        };
        if own != (seed, episode) {
            let found = format!("seed {}, episode {}", record.seed, record.episode);
            return Err(corrupt(format!("it is of {found}, must be of seed {seed}, episode {episode}")));
        }
        records.push(record);
    }
    drop(order);
    Ok((Recorded { header, records }, whole))
}

/// Adds `what` to `bytes` as a line, with a checksum at its end.
pub(crate) fn line(bytes: &mut Vec<u8>, what: &impl Serialize) -> io::Result<()> {
    let start = bytes.len();
    serde_json::to_writer(&mut *bytes, what)?;
    // The brace that closes it comes after the checksum.
    bytes.pop();
    let crc = Crc::of(&bytes[start..]);
    bytes.extend_from_slice(format!("{}{crc:08x}{}", CHECK.0, CHECK.1).as_bytes());
    Ok(())
}

/// What a line says beside its checksum, which must be right.
fn checked(line: &[u8]) -> Result<Vec<u8>, String> {
    let own = line.strip_suffix(CHECK.1.as_bytes()).and_then(|rest| rest.split_at_checked(rest.len().checked_sub(8)?));
    let Some((own, told)) = own.and_then(|(own, crc)| Some((own.strip_suffix(CHECK.0.as_bytes())?, crc))) else {
        return Err("it has no checksum".to_owned());
    };
    let crc = format!("{:08x}", Crc::of(own));
    if crc.as_bytes() != told {
        return Err(format!("its checksum is {crc}, must be {}", String::from_utf8_lossy(told)));
    }
    Ok([own, b"}"].concat())
}

/// The bytes of a file.
pub(crate) fn lines(header: &Header, records: &[Record]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    line(&mut bytes, header)?;
    records.iter().try_for_each(|record| line(&mut bytes, record))?;
    Ok(bytes)
}

//! Recorded rollouts of the public implementation, replayed step by step.

use std::collections::BTreeMap;
use std::path::Path;

use heldout_core::{ConfigError, Crc, Environment as _, Seed, Start, Status};
use serde::Deserialize;

use crate::config::{Config, Split, Task};
use crate::environment::{LilGym, State};

/// One recorded rollout.
#[derive(Deserialize)]
struct Recording {
    /// `tower-scratch`, `tower-flipit`, `scatter-scratch` or `scatter-flipit`.
    config: String,
    split: Split,
    row: String,
    stop_forcing: bool,
    target: bool,
    /// Whether the statement held at the start.
    init_truth: bool,
    /// CRC-32 of the first observation.
    init_obs_crc32: String,
    steps: Vec<RecordedStep>,
}

/// One recorded step.
#[derive(Deserialize)]
struct RecordedStep {
    action: u32,
    reward: f32,
    terminated: bool,
    truncated: bool,
    /// Whether the statement held after the step.
    truth: bool,
    obs_crc32: String,
}

/// A file or row that cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordingError {
    #[error("cannot read `{path}`: {error}")]
    Read { path: String, error: std::io::Error },
    #[error("`{path}` holds no rollout, must hold at least one")]
    Empty { path: String },
    #[error("`{path}`, line {line}: {problem}")]
    Line { path: String, line: usize, problem: String },
    #[error(transparent)]
    Data(#[from] ConfigError),
}

/// What replaying found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parity {
    pub(crate) rollouts: usize,
    pub(crate) steps: usize,
    /// Steps and starts that differ.
    pub(crate) mismatches: usize,
    /// The first of them, in words.
    pub(crate) shown: Vec<String>,
}

/// Mismatches that are told.
const SHOWN: usize = 20;

/// Replays recordings on the data of one directory.
#[derive(Debug)]
pub(crate) struct Replay {
    data: String,
    rules: BTreeMap<(Task, u8, bool), LilGym>,
    pub(crate) parity: Parity,
}

impl Replay {
    /// Problems are looked up in the files of `data`.
    pub(crate) fn new(data: &Path) -> Self {
        Self { data: data.to_string_lossy().into_owned(), rules: BTreeMap::new(), parity: Parity::default() }
    }

    /// Replays every rollout of a file: one JSON object per line, gzipped if its name ends in `.gz`.
    pub(crate) fn file(&mut self, path: &Path) -> Result<(), RecordingError> {
        let name = path.display().to_string();
        let read = |error| RecordingError::Read { path: name.clone(), error };
        let bytes = heldout_files::read(path, heldout_files::DATA).map_err(read)?;
        let text = heldout_files::unpacked(path, bytes, heldout_files::DATA).map_err(read)?;
        self.lines(&name, &text)
    }

    /// Replays every rollout of the text of the file called `name`.
    fn lines(&mut self, name: &str, text: &str) -> Result<(), RecordingError> {
        let before = self.parity.rollouts;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let bad = |problem: String| RecordingError::Line { path: name.to_owned(), line: number + 1, problem };
            let recording: Recording = serde_json::from_str(line).map_err(|e| bad(e.to_string()))?;
            let place = format!("{name}:{} {} row {}", number + 1, recording.config, recording.row);
            self.rollout(&recording, &place).map_err(|e| match e {
                Refused::Row(problem) => bad(problem),
                Refused::Data(error) => error.into(),
            })?;
        }
        // What compares nothing finds nothing.
        if self.parity.rollouts == before { Err(RecordingError::Empty { path: name.to_owned() }) } else { Ok(()) }
    }

    fn rules(&mut self, recording: &Recording) -> Result<&LilGym, Refused> {
        let task = Task::named(&recording.config).ok_or_else(|| {
            Refused::Row(format!("`config` is `{}`, must be one of {}", recording.config, Task::names()))
        })?;
        let key = (task, recording.split as u8, recording.stop_forcing);
        if !self.rules.contains_key(&key) {
            let config = Config {
                split: recording.split,
                data: self.data.clone(),
                stop_forcing: recording.stop_forcing,
                ..Config::default()
            };
            self.rules.insert(key, LilGym::new(&config, task).map_err(Refused::Data)?);
        }
        Ok(&self.rules[&key])
    }

    fn rollout(&mut self, recording: &Recording, place: &str) -> Result<(), Refused> {
        let rules = self.rules(recording)?;
        let row = rules.corpus.find(&recording.row);
        let row = row.ok_or_else(|| Refused::Row(format!("the data have no row `{}`", recording.row)))?;
        let seed = Seed(0);
        let mut state = rules.start(Start { seed, copy: seed, episode: 0, problem: Some(row) });
        let mut differences = Vec::new();
        let first = compare(&[
            ("target", recording.target.to_string(), state.target.to_string()),
            ("truth", recording.init_truth.to_string(), truth(rules, &state)),
            ("obs_crc32", recording.init_obs_crc32.clone(), crc(&state)),
        ]);
        differences.extend(first.map(|d| format!("{place}, start: {d}")));
        for (number, step) in recording.steps.iter().enumerate() {
            let action = i32::try_from(step.action).ok().and_then(|id| rules.decode(0, &[id])).ok_or_else(|| {
                let allowed = rules.numbers.flat() - 1;
                Refused::Row(format!("step {number}: `action` is `{}`, must be 0 to {allowed}", step.action))
            })?;
            let mut rewards = [0.0];
            let status = rules.step(&mut state, &[action], &mut rewards);
            let terminated = status == Status::Terminated;
            let truncated = status == Status::Truncated || state.cut;
            let found = compare(&[
                ("reward", step.reward.to_string(), rewards[0].to_string()),
                ("terminated", step.terminated.to_string(), terminated.to_string()),
                ("truncated", step.truncated.to_string(), truncated.to_string()),
                ("truth", step.truth.to_string(), truth(rules, &state)),
                ("obs_crc32", step.obs_crc32.clone(), crc(&state)),
            ]);
            differences.extend(found.map(|d| format!("{place}, step {number}, action {}: {d}", step.action)));
        }
        self.parity.rollouts += 1;
        self.parity.steps += recording.steps.len();
        self.parity.mismatches += differences.len();
        let room = SHOWN - self.parity.shown.len().min(SHOWN);
        self.parity.shown.extend(differences.into_iter().take(room));
        Ok(())
    }
}

/// Takes any text for a recording on the built-in data. Gives whether it was one.
#[doc(hidden)]
#[must_use]
pub fn fuzz_recording(text: &str) -> bool {
    Replay::new(Path::new("builtin")).lines("x.jsonl", text).is_ok()
}

enum Refused {
    Row(String),
    Data(ConfigError),
}

fn truth(rules: &LilGym, state: &State) -> String {
    rules.truth(state).map_or_else(|fault| fault.to_string(), |truth| truth.to_string())
}

fn crc(state: &State) -> String {
    format!("{:08x}", Crc::of(&state.half))
}

/// What differs, if anything.
fn compare(fields: &[(&str, String, String)]) -> Option<String> {
    let different = fields.iter().filter(|(_, recorded, found)| recorded != found);
    let told: Vec<_> =
        different.map(|(name, recorded, found)| format!("{name} {found}, recorded {recorded}")).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

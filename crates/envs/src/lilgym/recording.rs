//! Recorded rollouts of the public implementation, replayed step by step.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use heldout_core::{ConfigError, Crc, Seed, Start, Status};
use serde::Deserialize;

use super::config::{Appearance, Begin, Config, Split};
use super::rules::{Rules, State};

/// One recorded rollout.
#[derive(Clone, Debug, Deserialize)]
pub struct Recording {
    /// `tower-scratch`, `tower-flipit`, `scatter-scratch` or `scatter-flipit`.
    pub config: String,
    /// Which file the row is in.
    pub split: Split,
    /// The row's key.
    pub row: String,
    /// Whether stops were forced.
    pub stop_forcing: bool,
    /// What was to be reached.
    pub target: bool,
    /// Whether the statement held at the start.
    pub init_truth: bool,
    /// CRC-32 of the first observation.
    pub init_obs_crc32: String,
    /// What happened.
    pub steps: Vec<RecordedStep>,
}

/// One recorded step.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedStep {
    /// What was sent.
    pub action: u32,
    /// What came back.
    pub reward: f32,
    /// Whether the episode terminated.
    pub terminated: bool,
    /// Whether it was truncated.
    pub truncated: bool,
    /// Whether the statement held after the step.
    pub truth: bool,
    /// CRC-32 of the observation.
    pub obs_crc32: String,
}

/// A file or row that cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// A file that cannot be read.
    #[error("cannot read `{path}`: {error}")]
    Read {
        /// Which file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// A line that is no rollout.
    #[error("`{path}`, line {line}: {problem}")]
    Line {
        /// Which file.
        path: String,
        /// Which line.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Data that cannot be loaded.
    #[error(transparent)]
    Data(#[from] ConfigError),
}

/// What replaying found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parity {
    /// Rollouts replayed.
    pub rollouts: usize,
    /// Steps replayed.
    pub steps: usize,
    /// Steps and starts that differ.
    pub mismatches: usize,
    /// The first of them, in words.
    pub shown: Vec<String>,
}

/// Mismatches that are told.
const SHOWN: usize = 20;

/// Replays recordings on the data of one directory.
#[derive(Debug)]
pub struct Replay {
    data: String,
    rules: BTreeMap<(String, u8, bool), Rules>,
    /// What was found so far.
    pub parity: Parity,
}

impl Replay {
    /// Rows are looked up in the files of `data`.
    #[must_use]
    pub fn new(data: &Path) -> Self {
        Self { data: data.to_string_lossy().into_owned(), rules: BTreeMap::new(), parity: Parity::default() }
    }

    /// Replays every rollout of a file: one JSON object a line, gzipped if its name ends in `.gz`.
    ///
    /// # Errors
    ///
    /// If the file or the data cannot be read, or a line is no rollout.
    pub fn file(&mut self, path: &Path) -> Result<(), RecordingError> {
        let name = path.display().to_string();
        let read = |error| RecordingError::Read { path: name.clone(), error };
        let bytes = std::fs::read(path).map_err(read)?;
        let mut text = String::new();
        if path.extension().is_some_and(|e| e == "gz") {
            flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).map_err(read)?;
        } else {
            (&bytes[..]).read_to_string(&mut text).map_err(read)?;
        }
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let bad = |problem: String| RecordingError::Line { path: name.clone(), line: number + 1, problem };
            let recording: Recording = serde_json::from_str(line).map_err(|e| bad(e.to_string()))?;
            let place = format!("{name}:{} {} row {}", number + 1, recording.config, recording.row);
            self.rollout(&recording, &place).map_err(|e| match e {
                Refused::Row(problem) => bad(problem),
                Refused::Data(error) => error.into(),
            })?;
        }
        Ok(())
    }

    fn rules(&mut self, recording: &Recording) -> Result<&Rules, Refused> {
        let key = (recording.config.clone(), recording.split as u8, recording.stop_forcing);
        if !self.rules.contains_key(&key) {
            let (appearance, begin) = task(&recording.config)
                .ok_or_else(|| Refused::Row(format!("there is no config `{}`", recording.config)))?;
            let config = Config {
                split: recording.split,
                data: self.data.clone(),
                stop_forcing: recording.stop_forcing,
                ..Config::default()
            };
            self.rules.insert(key.clone(), Rules::new(&config, appearance, begin).map_err(Refused::Data)?);
        }
        Ok(&self.rules[&key])
    }

    fn rollout(&mut self, recording: &Recording, place: &str) -> Result<(), Refused> {
        let rules = self.rules(recording)?;
        let row = rules.corpus().find(&recording.row);
        let row = row.ok_or_else(|| Refused::Row(format!("the data have no row `{}`", recording.row)))?;
        let seed = Seed(0);
        let mut state = rules.start(Start { seed, copy: seed, episode: 0, problem: Some(row) });
        let mut differences = Vec::new();
        let first = compare(&[
            ("target", recording.target.to_string(), state.target.to_string()),
            ("truth", recording.init_truth.to_string(), truth(rules, &state)),
            ("obs_crc32", recording.init_obs_crc32.clone(), crc(rules, &state)),
        ]);
        differences.extend(first.map(|d| format!("{place}, start: {d}")));
        for (number, step) in recording.steps.iter().enumerate() {
            let action = rules
                .action(step.action)
                .ok_or_else(|| Refused::Row(format!("step {number}: there is no action {}", step.action)))?;
            let mut reward = 0.0;
            let status = rules.step(&mut state, action, &mut reward);
            let terminated = status == Status::Terminated;
            let truncated = status == Status::Truncated || state.cut;
            let found = compare(&[
                ("reward", step.reward.to_string(), reward.to_string()),
                ("terminated", step.terminated.to_string(), terminated.to_string()),
                ("truncated", step.truncated.to_string(), truncated.to_string()),
                ("truth", step.truth.to_string(), truth(rules, &state)),
                ("obs_crc32", step.obs_crc32.clone(), crc(rules, &state)),
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

enum Refused {
    Row(String),
    Data(ConfigError),
}

/// The task that a recording's config names.
fn task(config: &str) -> Option<(Appearance, Begin)> {
    Some(match config {
        "tower-scratch" => (Appearance::Tower, Begin::Scratch),
        "tower-flipit" => (Appearance::Tower, Begin::Flipit),
        "scatter-scratch" => (Appearance::Scatter, Begin::Scratch),
        "scatter-flipit" => (Appearance::Scatter, Begin::Flipit),
        _ => return None,
    })
}

fn truth(rules: &Rules, state: &State) -> String {
    rules.truth(state).map_or_else(|fault| fault.to_string(), |truth| truth.to_string())
}

fn crc(rules: &Rules, state: &State) -> String {
    format!("{:08x}", Crc::of(&rules.half(state)))
}

/// What differs, if anything.
fn compare(fields: &[(&str, String, String)]) -> Option<String> {
    let different = fields.iter().filter(|(_, recorded, found)| recorded != found);
    let told: Vec<_> =
        different.map(|(name, recorded, found)| format!("{name} {found}, recorded {recorded}")).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

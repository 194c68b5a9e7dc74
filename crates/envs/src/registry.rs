//! The table of environments, and how one is made from an id and a config.

use heldout_core::{Batch, ConfigError, Environment, Options, PolicyInfo, VecEnv, policy_infos};
use serde_json::{Map, Value};

use crate::example::{grid, signal};
use crate::halma;
use crate::lilgym;
use crate::memory::{arena, goal_mini, maze, psychlab, rooms};
use crate::s2b::{game, listener, recall};

/// Every environment, in the order that documents show. Adding one is a line here.
pub static ENTRIES: &[Entry] = &[
    Entry::of::<halma::Symbolic>(&halma::symbolic::ABOUT),
    Entry::of::<halma::Visual>(&halma::visual::ABOUT),
    Entry::of::<listener::Listener>(&listener::ABOUT),
    Entry::of::<game::Game>(&game::ABOUT),
    Entry::of::<recall::Recall>(&recall::ABOUT),
    Entry::of::<psychlab::PsychLab<psychlab::Mapping>>(&psychlab::MAPPING),
    Entry::of::<psychlab::PsychLab<psychlab::Recognition>>(&psychlab::RECOGNITION),
    Entry::of::<psychlab::PsychLab<psychlab::Change>>(&psychlab::CHANGE),
    Entry::of::<psychlab::PsychLab<psychlab::WhatThenWhere>>(&psychlab::WHERE),
    Entry::of::<rooms::SpotDiff<rooms::SpotDiffBasic>>(&rooms::SPOT_DIFF),
    Entry::of::<rooms::SpotDiff<rooms::SpotDiffPassive>>(&rooms::SPOT_DIFF_PASSIVE),
    Entry::of::<rooms::SpotDiff<rooms::SpotDiffMulti>>(&rooms::SPOT_DIFF_MULTI),
    Entry::of::<rooms::SpotDiff<rooms::SpotDiffMotion>>(&rooms::SPOT_DIFF_MOTION),
    Entry::of::<arena::Arena<arena::VisibleBuildings>>(&arena::VISIBLE_BUILDINGS),
    Entry::of::<arena::Arena<arena::InvisibleBuildings>>(&arena::INVISIBLE_BUILDINGS),
    Entry::of::<arena::Arena<arena::InvisibleEmpty>>(&arena::INVISIBLE_EMPTY),
    Entry::of::<maze::Maze>(&maze::ABOUT),
    Entry::of::<rooms::Inference>(&rooms::TRANSITIVE_INFERENCE),
    Entry::of::<psychlab::Mini<psychlab::Mapping>>(&psychlab::MAPPING_MINI),
    Entry::of::<psychlab::Mini<psychlab::Recognition>>(&psychlab::RECOGNITION_MINI),
    Entry::of::<psychlab::Mini<psychlab::Change>>(&psychlab::CHANGE_MINI),
    Entry::of::<psychlab::Mini<psychlab::WhatThenWhere>>(&psychlab::WHERE_MINI),
    Entry::of::<rooms::SpotMini<rooms::SpotDiffBasic>>(&rooms::SPOT_DIFF_MINI),
    Entry::of::<rooms::SpotMini<rooms::SpotDiffPassive>>(&rooms::SPOT_DIFF_PASSIVE_MINI),
    Entry::of::<rooms::SpotMini<rooms::SpotDiffMulti>>(&rooms::SPOT_DIFF_MULTI_MINI),
    Entry::of::<rooms::SpotMini<rooms::SpotDiffMotion>>(&rooms::SPOT_DIFF_MOTION_MINI),
    Entry::of::<goal_mini::Mini<goal_mini::VisibleBuildings>>(&goal_mini::VISIBLE_BUILDINGS),
    Entry::of::<goal_mini::Mini<goal_mini::InvisibleBuildings>>(&goal_mini::INVISIBLE_BUILDINGS),
    Entry::of::<goal_mini::Mini<goal_mini::InvisibleEmpty>>(&goal_mini::INVISIBLE_EMPTY),
    Entry::of::<goal_mini::Mini<goal_mini::ExploreLocations>>(&goal_mini::EXPLORE_LOCATIONS),
    Entry::of::<rooms::InferenceMini>(&rooms::TRANSITIVE_INFERENCE_MINI),
    Entry::of::<lilgym::LilGym<lilgym::TowerScratch>>(&lilgym::TOWER_SCRATCH),
    Entry::of::<lilgym::LilGym<lilgym::TowerFlipit>>(&lilgym::TOWER_FLIPIT),
    Entry::of::<lilgym::LilGym<lilgym::ScatterScratch>>(&lilgym::SCATTER_SCRATCH),
    Entry::of::<lilgym::LilGym<lilgym::ScatterFlipit>>(&lilgym::SCATTER_FLIPIT),
    Entry::of::<grid::Grid>(&grid::ABOUT),
    Entry::of::<signal::Signal>(&signal::ABOUT),
];

/// A named set of config overrides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// What `preset=NAME` calls it.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub about: &'static str,
    /// The overrides, as a JSON object.
    pub config: &'static str,
}

/// What an entry says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// `family/name-vN`.
    pub id: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The card, in Markdown.
    pub card: &'static str,
    /// The config key that says what is held out.
    pub split_key: &'static str,
    /// The values of that key: training first.
    pub splits: &'static [&'static str],
    /// Named configs.
    pub presets: &'static [Preset],
    /// Overrides that make observations smallest, as a JSON object: what the long tests run under.
    pub smallest: &'static str,
}

/// One registered environment.
pub struct Entry {
    /// What it says about itself.
    pub about: &'static About,
    defaults: fn() -> Value,
    complete: fn(Value) -> Result<Value, MakeError>,
    batch: fn(Value, usize, Options) -> Made,
    policies: fn() -> Vec<PolicyInfo>,
}

/// A batch whose type is erased.
type Made = Result<Box<dyn VecEnv>, MakeError>;

/// A request that the table cannot satisfy.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// No such id.
    #[error("there is no environment `{id}`; the nearest ids are {}", listed(nearest))]
    Unknown {
        /// The id asked for.
        id: String,
        /// The nearest ids there are, best first.
        nearest: Vec<&'static str>,
    },
    /// No such preset.
    #[error("`{id}` has no preset `{preset}`; it has {}", listed(known))]
    Preset {
        /// Whose.
        id: &'static str,
        /// The name asked for.
        preset: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// Overrides that are not of the config's form.
    #[error("config of `{id}`: `{key}`: {problem}")]
    Form {
        /// Whose.
        id: &'static str,
        /// Dotted path of the key.
        key: String,
        /// What is wrong there.
        problem: String,
    },
    /// A number of copies, or an option, out of range.
    #[error(transparent)]
    Options(#[from] ConfigError),
    /// A config that does not describe an environment.
    #[error("config of `{id}`: {error}")]
    Config {
        /// Whose.
        id: &'static str,
        /// What is wrong.
        error: ConfigError,
    },
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

impl Entry {
    /// Registers `E`.
    const fn of<E: Environment>(about: &'static About) -> Self {
        // A function pointer cannot capture `about`: errors are given their id by the methods below.
        Self {
            about,
            defaults: || serde_json::to_value(E::Config::default()).expect("a config is plain data"),
            complete: |value| {
                let config: E::Config = parse(value)?;
                serde_json::to_value(config).map_err(|e| form("config", &e.to_string()))
            },
            batch: |value, len, options| {
                let config: E::Config = parse(value)?;
                let batch =
                    Batch::<E>::new(&config, len, options).map_err(|error| MakeError::Config { id: "", error })?;
                Ok(Box::new(batch))
            },
            policies: policy_infos::<E>,
        }
    }

    /// `family/name-vN`.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.about.id
    }

    /// The part of the id before the slash.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.about.id.split_once('/').map_or(self.about.id, |(family, _)| family)
    }

    /// The config under which everything documented runs.
    #[must_use]
    pub fn defaults(&self) -> Value {
        (self.defaults)()
    }

    /// The whole config that `overrides` stand for: the key `preset`, if there, applies first.
    ///
    /// # Errors
    ///
    /// If there is no such preset, a key is unknown, or a value is of a wrong form.
    pub fn configure(&self, overrides: &Map<String, Value>) -> Result<Value, MakeError> {
        let mut config = Map::new();
        let mut overrides = overrides.clone();
        if let Some(name) = overrides.shift_remove("preset") {
            let preset =
                self.about.presets.iter().find(|p| name.as_str() == Some(p.name)).ok_or_else(|| MakeError::Preset {
                    id: self.about.id,
                    preset: name.as_str().map_or_else(|| name.to_string(), str::to_owned),
                    known: self.about.presets.iter().map(|p| p.name).collect(),
                })?;
            merge(&mut config, object(preset.config));
        }
        merge(&mut config, overrides);
        (self.complete)(Value::Object(config)).map_err(|e| self.named(e))
    }

    /// `len` copies under the config that `overrides` stand for.
    ///
    /// # Errors
    ///
    /// If the overrides do not describe an environment, or `len` or the options are out of range.
    pub fn make(&self, overrides: &Map<String, Value>, len: usize, options: Options) -> Made {
        let options = Options { id: self.about.id, ..options };
        options.check(len)?;
        let config = self.configure(overrides)?;
        (self.batch)(config, len, options).map_err(|e| self.named(e))
    }

    /// One copy under the default config.
    ///
    /// # Panics
    ///
    /// Never: every entry's default config is valid and needs no file, which the tests of a build without files show.
    #[must_use]
    pub fn default_batch(&self) -> Box<dyn VecEnv> {
        self.make(&Map::new(), 1, Options::default()).expect("the default config is valid")
    }

    /// The scripted policies.
    #[must_use]
    pub fn policies(&self) -> Vec<PolicyInfo> {
        (self.policies)()
    }

    /// The overrides that make observations smallest.
    #[must_use]
    pub fn smallest(&self) -> Map<String, Value> {
        object(self.about.smallest)
    }

    fn named(&self, error: MakeError) -> MakeError {
        let id = self.about.id;
        match error {
            MakeError::Form { key, problem, .. } => MakeError::Form { id, key, problem },
            MakeError::Config { error, .. } => MakeError::Config { id, error },
            other => other,
        }
    }
}

fn form(key: &str, problem: &str) -> MakeError {
    MakeError::Form { id: "", key: key.to_owned(), problem: problem.to_owned() }
}

fn parse<C: serde::de::DeserializeOwned>(value: Value) -> Result<C, MakeError> {
    serde_path_to_error::deserialize(value).map_err(|e| form(&e.path().to_string(), &e.inner().to_string()))
}

/// A JSON object written in the source.
fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).expect("a preset is a JSON object")
}

/// Lays `overrides` over `config`, tables within tables.
fn merge(config: &mut Map<String, Value>, overrides: Map<String, Value>) {
    for (key, value) in overrides {
        match (config.get_mut(&key), value) {
            (Some(Value::Object(inner)), Value::Object(over)) => merge(inner, over),
            (_, value) => {
                config.insert(key, value);
            }
        }
    }
}

/// The entry called `id`.
///
/// # Errors
///
/// If there is none; the error holds the nearest ids.
pub fn find(id: &str) -> Result<&'static Entry, MakeError> {
    ENTRIES.iter().find(|e| e.about.id == id).ok_or_else(|| {
        let mut ids: Vec<_> = ENTRIES.iter().map(|e| e.about.id).collect();
        // A name without its family or version is as near as its own part of the id.
        let distance = |known: &str| {
            let name = known.split_once('/').map_or(known, |(_, name)| name);
            let bare = name.rsplit_once("-v").map_or(name, |(bare, _)| bare);
            [known, name, bare].map(|k| strsim::damerau_levenshtein(k, id)).into_iter().min()
        };
        ids.sort_by_key(|known| distance(known));
        ids.truncate(3);
        MakeError::Unknown { id: id.to_owned(), nearest: ids }
    })
}

//! The one table of agents.

use heldout_core::{Seed, Spec, VecEnv};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::checkpoint::Source;
use crate::nn::Device;
use crate::parts::collect::Problems;
use crate::player::Player;
use crate::ppo::{self, Ppo};
use crate::text::{self, Text, Vocabulary};
use crate::train::{Learner, TrainError};

/// An agent that can be trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// By which commands and records know it.
    pub name: &'static str,
    /// By which reports and claims know it.
    pub label: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Which environments it can learn, in words.
    pub fit: &'static str,
    /// What ids of these environments begin with; empty: any.
    within: &'static str,
}

/// All of them.
pub const AGENTS: [Agent; 4] = [
    Agent {
        name: "ppo",
        label: "PPO",
        summary: "Proximal policy optimisation without memory.",
        fit: "every environment with one agent",
        within: "",
    },
    Agent {
        name: "ppo-lstm",
        label: "PPO+LSTM",
        summary: "Proximal policy optimisation with long short-term memory.",
        fit: "every environment with one agent",
        within: "",
    },
    Agent {
        name: "ppo-lilgym",
        label: "PPO",
        summary: "PPO with the network and the factored actions of the lilGym paper.",
        fit: "lilgym",
        within: "lilgym/",
    },
    Agent {
        name: "ppo-sf",
        label: "PPO+SF",
        summary: "The same with stop forcing in training: the rules stop where the sentence has come to be as asked.",
        fit: "lilgym",
        within: "lilgym/",
    },
];

/// How much an agent is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// What the papers gave it.
    Paper,
    /// What one core of a laptop can give it.
    #[default]
    Small,
}

impl Profile {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["paper", "small"][self as usize]
    }
}

/// How training is run, whatever learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Loop {
    /// Steps between two saves; 0: a fiftieth of the budget.
    pub save_every: u64,
    /// Steps between two evaluations for the curves; 0: a fiftieth of the budget.
    pub evaluate_every: u64,
    /// Episodes of each condition at each of them.
    pub evaluate_episodes: u64,
    /// Share of the training problems that are kept aside to select the best policy by; 0: none, the last one is kept.
    pub selection: f64,
    /// Blocks between two looks at them.
    pub selection_every: u64,
    /// What is best by: an episode metric.
    pub selection_metric: String,
    /// Looks without improvement after which training ends.
    pub patience: u64,
    /// Whether held-out problems may be trained on; every record says so then.
    pub allow_held_out: bool,
}

impl Default for Loop {
    fn default() -> Self {
        Self {
            save_every: 0,
            evaluate_every: 0,
            evaluate_episodes: 32,
            selection: 0.0,
            selection_every: 10,
            selection_metric: "return".to_owned(),
            patience: 50,
            allow_held_out: false,
        }
    }
}

/// Keys that may differ when a run is resumed: its budget, its evaluations and its logs.
///
/// The version and what computes may differ too: the bits may then. So may the place of an encoder, whose content may not.
pub const FREE: [&str; 8] = [
    "config.steps",
    "config.episodes",
    "config.save_every",
    "config.evaluate_every",
    "config.evaluate_episodes",
    "config.text_path",
    "version",
    "backend",
];

/// All that an agent is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Of the algorithm.
    pub ppo: ppo::Config,
    /// Of the loop around it.
    pub around: Loop,
}

impl Told {
    /// As one table.
    ///
    /// # Panics
    ///
    /// Never: both are plain data.
    #[must_use]
    pub fn table(&self) -> Map<String, Value> {
        let mut all = Map::new();
        for part in [serde_json::to_value(&self.ppo), serde_json::to_value(&self.around)] {
            let Ok(Value::Object(part)) = part else { panic!("a config is a table") };
            all.extend(part);
        }
        all
    }

    /// Reads one table.
    ///
    /// # Errors
    ///
    /// If a key is unknown, or a value is none of its.
    ///
    /// # Panics
    ///
    /// Never: configs are tables.
    pub fn read(table: &Map<String, Value>) -> Result<Self, TrainError> {
        let known = Self { ppo: ppo::Config::default(), around: Loop::default() };
        let bad = |error: serde_json::Error| TrainError::Config(error.to_string());
        let (mut own, mut around) = (Map::new(), Map::new());
        let Ok(Value::Object(loops)) = serde_json::to_value(&known.around) else { panic!("a config is a table") };
        let names = known.table();
        for (key, value) in table {
            if !names.contains_key(key) {
                return Err(TrainError::Config(unknown(key, &names)));
            }
            let part = if loops.contains_key(key) { &mut around } else { &mut own };
            part.insert(key.clone(), value.clone());
        }
        // Values are named by their keys in what the format says of them.
        for (key, value) in table {
            let alone = Map::from_iter([(key.clone(), value.clone())]);
            let fits = if loops.contains_key(key) {
                serde_json::from_value::<Loop>(Value::Object(alone)).map(drop)
            } else {
                serde_json::from_value::<ppo::Config>(Value::Object(alone)).map(drop)
            };
            fits.map_err(|error| TrainError::Config(format!("`{key}` is `{value}`: {error}")))?;
        }
        let told = Self {
            ppo: serde_json::from_value(Value::Object(own)).map_err(bad)?,
            around: serde_json::from_value(Value::Object(around)).map_err(bad)?,
        };
        told.ppo.check().map_err(TrainError::Config)?;
        told.around.check().map_err(TrainError::Config)?;
        Ok(told)
    }
}

impl Loop {
    fn check(&self) -> Result<(), String> {
        if !(0.0..=0.9).contains(&self.selection) {
            return Err(format!("`selection` is {}, must be 0 to 0.9", self.selection));
        }
        let least = [
            ("selection_every", self.selection_every),
            ("patience", self.patience),
            ("evaluate_episodes", self.evaluate_episodes),
        ];
        match least.iter().find(|(_, n)| *n == 0) {
            Some((name, _)) => Err(format!("`{name}` is 0, must be at least 1")),
            None => Ok(()),
        }
    }
}

/// What to say of a key that is none.
fn unknown(key: &str, known: &Map<String, Value>) -> String {
    let mut names: Vec<&String> = known.keys().collect();
    let far = |name: &&String| (1e6 * (1.0 - strsim::jaro_winkler(key, name))) as u64;
    names.sort_by_key(far);
    let nearest = names.iter().take(3).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    format!("`{key}` is no key of the agent's config; the nearest are {nearest} (the environment's are `env.KEY`)")
}

const PRESETS: &str = include_str!("../presets/ppo.toml");

/// What a preset lays over an environment's config, and over an agent's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preset {
    /// The environment's keys.
    pub env: Map<String, Value>,
    /// The agent's keys.
    pub agent: Map<String, Value>,
}

impl Agent {
    /// The agent called `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.name == name)
    }

    /// What its preset says for an environment.
    ///
    /// # Panics
    ///
    /// If a preset of this crate is unreadable.
    #[must_use]
    pub fn preset(&self, profile: Profile, id: &str) -> Preset {
        let all: Value = toml::from_str(PRESETS).expect("presets are tested");
        let mut preset = Preset::default();
        let mut lay = |table: &Value| {
            for (key, value) in table.as_object().into_iter().flatten() {
                match (key.as_str(), value) {
                    ("env", Value::Object(env)) => preset.env.extend(env.clone()),
                    ("ids", _) => {}
                    _ => drop(preset.agent.insert(key.clone(), value.clone())),
                }
            }
        };
        for part in ["all", profile.name()] {
            let table = &all[self.name][part];
            lay(table);
            for (begins, own) in table["ids"].as_object().into_iter().flatten() {
                if id.starts_with(begins) {
                    lay(own);
                }
            }
        }
        // Rewards of these are far from 1.
        let scale = if id.starts_with("halma/") {
            0.01
        } else if id.starts_with("memory/explore-goal-locations") {
            0.1
        } else {
            1.0
        };
        preset.agent.entry("input_reward_scale").or_insert(scale.into());
        if id.starts_with("memory/explore-goal-locations") {
            preset.agent.entry("reward_scale").or_insert(scale.into());
        }
        preset
    }

    /// All that it is told: defaults, then its preset, then `set`.
    ///
    /// # Errors
    ///
    /// If a key is unknown, or a value is none of its.
    pub fn told(&self, profile: Profile, id: &str, spec: &Spec, set: &Map<String, Value>) -> Result<Told, TrainError> {
        let large = |f: &heldout_core::Field| f.shape.len() == 3 && f.shape[2] == 3 && f.shape[0].max(f.shape[1]) >= 64;
        let mut table = Map::new();
        if profile == Profile::Paper && spec.observation.iter().any(large) && self.within.is_empty() {
            table.insert("copies".to_owned(), 8.into());
        }
        table.extend(self.preset(profile, id).agent);
        table.extend(set.clone());
        Told::read(&table)
    }

    /// Why it cannot learn an environment, if it cannot.
    ///
    /// # Errors
    ///
    /// The reason.
    pub fn fits(&self, id: &str, spec: &Spec) -> Result<(), String> {
        if !id.starts_with(self.within) {
            return Err(format!("`{}` learns {}, not `{id}`", self.name, self.fit));
        }
        if spec.agents.len() != 1 {
            return Err(format!("`{}` learns {}, `{id}` has {}", self.name, self.fit, spec.agents.len()));
        }
        Ok(())
    }

    /// By which reports know it under a config, in an environment with this spec: by the paper's name only where it is the
    /// paper's, so that no claim is answered by another.
    #[must_use]
    pub fn label_of(&self, told: &Told, spec: &Spec) -> String {
        let picture = spec.field("objects").is_none();
        match (told.ppo.network, told.ppo.text) {
            (ppo::Kind::General, _) => self.label.to_owned(),
            (ppo::Kind::Lilgym, Text::Bert) if picture => format!("{} C+BERT", self.label),
            (ppo::Kind::Lilgym, text) => format!("{} {}", self.label, text.name()),
        }
    }

    /// The files, beside the environment's, that decide what is learnt and played.
    ///
    /// # Errors
    ///
    /// If one is not there, or is none.
    pub fn sources(&self, told: &Told) -> Result<Vec<Source>, TrainError> {
        let encoder = text::frozen(told.ppo.text, &told.ppo.text_path)?;
        Ok(encoder.map(|encoder| encoder.sources().to_vec()).unwrap_or_default())
    }

    /// Begins to learn in `env`, computing by `device`.
    ///
    /// # Errors
    ///
    /// If it cannot learn that.
    pub fn learner(
        &self,
        told: &Told,
        env: Box<dyn VecEnv>,
        problems: Problems,
        words: Option<Vocabulary>,
        seed: Seed,
        device: &Device,
    ) -> Result<Box<dyn Learner>, TrainError> {
        Ok(Box::new(Ppo::new(&told.ppo, env, problems, words, seed, device)?))
    }

    /// Plays by weights that were learnt.
    ///
    /// # Errors
    ///
    /// If they are not of the network that this environment asks for.
    pub fn player(
        &self,
        told: &Told,
        spec: &Spec,
        words: Option<Vocabulary>,
        weights: &[u8],
    ) -> Result<Box<dyn Player>, TrainError> {
        Ok(Box::new(ppo::Acting::open(&told.ppo, spec, words, weights, &Device::flex())?))
    }
}

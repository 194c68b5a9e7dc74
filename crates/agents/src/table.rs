//! The one table of agents.

use heldout_core::{Seed, Spec, VecEnv};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::checkpoint::Source;
use crate::effect::{self, Effect};
use crate::impala::{self, Impala};
use crate::nn::Device;
use crate::parts::collect::Problems;
use crate::player::Player;
use crate::ppo::{self, Ppo};
use crate::r2d2::{self, R2d2};
use crate::td3::{self, Td3};
use crate::text::{self, Text, Vocabulary};
use crate::train::{Learner, PARTS, TrainError};

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
    algorithm: Algorithm,
}

/// What learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Ppo,
    R2d2,
    Impala,
    Td3,
    Effect,
}

/// One of the models of the memory paper.
const fn impala(name: &'static str, label: &'static str, summary: &'static str) -> Agent {
    let fit = "every environment with one agent";
    Agent { name, label, summary, fit, within: "", algorithm: Algorithm::Impala }
}

/// All of them.
pub const AGENTS: [Agent; 29] = [
    Agent {
        name: "ppo",
        label: "PPO",
        summary: "Proximal policy optimisation without memory.",
        fit: "every environment with one agent",
        within: "",
        algorithm: Algorithm::Ppo,
    },
    Agent {
        name: "ppo-lstm",
        label: "PPO+LSTM",
        summary: "Proximal policy optimisation with long short-term memory.",
        fit: "every environment with one agent",
        within: "",
        algorithm: Algorithm::Ppo,
    },
    Agent {
        name: "ppo-lilgym",
        label: "PPO",
        summary: "PPO with the network and the factored actions of the lilGym paper.",
        fit: "lilgym",
        within: "lilgym/",
        algorithm: Algorithm::Ppo,
    },
    Agent {
        name: "ppo-sf",
        label: "PPO+SF",
        summary: "The same with stop forcing in training: the rules stop where the sentence has come to be as asked.",
        fit: "lilgym",
        within: "lilgym/",
        algorithm: Algorithm::Ppo,
    },
    R2D2[0],
    R2D2[1],
    R2D2[2],
    R2D2[3],
    R2D2[4],
    R2D2[5],
    R2D2[6],
    R2D2[7],
    impala("impala-ff", "FF", "IMPALA without memory."),
    impala("impala-ff-mem", "FF+MEM", "IMPALA with an episodic memory alone."),
    impala("impala-ff-mem-cpc", "FF+MEM+CPC", "The same, which also learns to tell what comes later."),
    impala("impala-ff-mem-rec", "FF+MEM+REC", "The same, which learns to tell again what it sees instead."),
    impala("impala-lstm", "LSTM", "IMPALA with long short-term memory."),
    impala("impala-lstm-cpc", "LSTM+CPC", "The same, which also learns to tell what comes later."),
    impala("impala-lstm-mem", "LSTM+MEM", "IMPALA with long short-term memory and an episodic memory."),
    impala("impala-lstm-mem-rec", "LSTM+MEM+REC", "The same, which also learns to tell again what it sees."),
    impala(
        "impala-mra",
        "LSTM+MEM+CPC",
        "The Memory Recall Agent: both memories, and what comes later is learnt to be told.",
    ),
    impala("impala-mra-nojb", "LSTM+MEM(noJB)+CPC", "The same without gradients to the keys of what it remembers."),
    Agent {
        name: "td3-mlp",
        label: "MLP",
        summary: "TD3 over option tokens, of HALMA's symbols through two layers.",
        fit: "halma/symbolic-v1",
        within: "halma/symbolic-v1",
        algorithm: Algorithm::Td3,
    },
    Agent {
        name: "td3-lstm",
        label: "LSTM",
        summary: "The same with long short-term memory.",
        fit: "halma/symbolic-v1",
        within: "halma/symbolic-v1",
        algorithm: Algorithm::Td3,
    },
    Agent {
        name: "td3-transformer",
        label: "TRAN",
        summary: "TD3 over option tokens with attention between HALMA's symbols.",
        fit: "halma/symbolic-v1",
        within: "halma/symbolic-v1",
        algorithm: Algorithm::Td3,
    },
    Agent {
        name: "td3-transformer-lstm",
        label: "TRAN+LSTM",
        summary: "The same with long short-term memory.",
        fit: "halma/symbolic-v1",
        within: "halma/symbolic-v1",
        algorithm: Algorithm::Td3,
    },
    Agent {
        name: "td3-cnn",
        label: "CNN+MLP",
        summary: "TD3 over option tokens, of HALMA's panels through convolutions.",
        fit: "halma/visual-v1",
        within: "halma/visual-v1",
        algorithm: Algorithm::Td3,
    },
    Agent {
        name: "td3-cnn-transformer",
        label: "CNN+TRAN",
        summary: "The same with attention between what convolutions leave.",
        fit: "halma/visual-v1",
        within: "halma/visual-v1",
        algorithm: Algorithm::Td3,
    },
    Agent {
        name: "td3-effect",
        label: "Q effect",
        summary: "Q-learning on what options amount to, beside TD3: not an agent of HALMA's paper.",
        fit: "halma/symbolic-v1",
        within: "halma/symbolic-v1",
        algorithm: Algorithm::Effect,
    },
];

/// R2D2 with each of its memories, without and with telling again.
const R2D2: [Agent; 8] = [
    r2d2(["r2d2-lstm", "LSTM"], "Recurrent Q-learning from replayed sequences, with long short-term memory."),
    r2d2(["r2d2-lstm-rec", "LSTM"], "The same, which also learns to tell again what it saw and heard."),
    r2d2(["r2d2-dnc", "DNC"], "R2D2 with a differentiable neural computer."),
    r2d2(["r2d2-dnc-rec", "DNC"], "The same, which also learns to tell again what it saw and heard."),
    r2d2(["r2d2-esbn", "ESBN"], "R2D2 with an emergent symbol binding network."),
    r2d2(["r2d2-esbn-rec", "ESBN"], "The same, which also learns to tell again what it saw and heard."),
    r2d2(["r2d2-dcem", "DCEM"], "R2D2 with a dual-coding episodic memory."),
    r2d2(["r2d2-dcem-rec", "DCEM"], "The same, which also learns to tell again what it saw and heard."),
];

const fn r2d2([name, label]: [&'static str; 2], summary: &'static str) -> Agent {
    let fit = "S2B, two agents together where there are two (and `example/signal-v1`)";
    Agent { name, label, summary, fit, within: "s2b/", algorithm: Algorithm::R2d2 }
}

/// How much an agent is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// What the papers gave it.
    Paper,
    /// What one core of a laptop can give it.
    #[default]
    Small,
    /// What the code that was released with the S2B paper gave it: R2D2 alone has it.
    Regym,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Small, Self::Regym];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["paper", "small", "regym"][self as usize]
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

/// What an algorithm is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Own {
    /// Proximal policy optimisation.
    Ppo(ppo::Config),
    /// Recurrent replay.
    R2d2(r2d2::Config),
    /// Actors and a learner, with or without an episodic memory.
    Impala(impala::Config),
    /// Twin delayed policy gradients over options.
    Td3(td3::Config),
    /// Q-learning on what options amount to.
    Effect(effect::Config),
}

impl Own {
    fn of(algorithm: Algorithm, keys: Map<String, Value>) -> Result<Self, serde_json::Error> {
        let keys = Value::Object(keys);
        Ok(match algorithm {
            Algorithm::Ppo => Self::Ppo(serde_json::from_value(keys)?),
            Algorithm::R2d2 => Self::R2d2(serde_json::from_value(keys)?),
            Algorithm::Impala => Self::Impala(serde_json::from_value(keys)?),
            Algorithm::Td3 => Self::Td3(serde_json::from_value(keys)?),
            Algorithm::Effect => Self::Effect(serde_json::from_value(keys)?),
        })
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Self::Ppo(config) => config.check(),
            Self::R2d2(config) => config.check(),
            Self::Impala(config) => config.check(),
            Self::Td3(config) => config.check(),
            Self::Effect(config) => config.check(),
        }
    }

    fn table(&self) -> Map<String, Value> {
        let table = match self {
            Self::Ppo(config) => serde_json::to_value(config),
            Self::R2d2(config) => serde_json::to_value(config),
            Self::Impala(config) => serde_json::to_value(config),
            Self::Td3(config) => serde_json::to_value(config),
            Self::Effect(config) => serde_json::to_value(config),
        };
        let Ok(Value::Object(table)) = table else { panic!("a config is a table") };
        table
    }
}

/// All that an agent is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Of the algorithm.
    pub own: Own,
    /// Of the loop around it.
    pub around: Loop,
}

impl Told {
    /// Environments that are played at once.
    #[must_use]
    pub fn copies(&self) -> usize {
        match &self.own {
            Own::Ppo(config) => config.copies,
            Own::R2d2(config) => config.copies,
            Own::Impala(config) => config.copies,
            Own::Td3(config) => config.copies,
            Own::Effect(config) => config.copies,
        }
    }

    /// Steps to train for.
    #[must_use]
    pub fn steps(&self) -> u64 {
        match &self.own {
            Own::Ppo(config) => config.steps,
            Own::R2d2(config) => config.steps,
            Own::Impala(config) => config.steps,
            Own::Td3(config) => config.steps,
            Own::Effect(config) => config.steps,
        }
    }

    /// Evaluations of the whole budget, unless the steps between two are told.
    #[must_use]
    pub fn looks(&self) -> u64 {
        if matches!(self.own, Own::Impala(_)) { LOOKS } else { PARTS }
    }

    /// Episodes to train for, where they are what is counted.
    #[must_use]
    pub fn episodes(&self) -> Option<u64> {
        let episodes = match &self.own {
            Own::Ppo(config) => config.episodes,
            Own::R2d2(config) => config.episodes,
            Own::Impala(config) => config.episodes,
            Own::Td3(config) => config.episodes,
            Own::Effect(config) => config.episodes,
        };
        (episodes > 0).then_some(episodes)
    }

    /// How sentences are read, and the directory of what reads them.
    #[must_use]
    pub fn text(&self) -> (Text, &str) {
        match &self.own {
            Own::Ppo(config) => (config.text, &config.text_path),
            Own::R2d2(_) | Own::Impala(_) | Own::Td3(_) | Own::Effect(_) => (Text::Scratch, ""),
        }
    }

    /// The same with what reads sentences wherever the user has it.
    #[must_use]
    pub fn without_text_path(mut self) -> Self {
        if let Own::Ppo(config) = &mut self.own {
            config.text_path.clear();
        }
        self
    }

    /// As one table.
    ///
    /// # Panics
    ///
    /// Never: both are plain data.
    #[must_use]
    pub fn table(&self) -> Map<String, Value> {
        let mut all = self.own.table();
        let Ok(Value::Object(around)) = serde_json::to_value(&self.around) else { panic!("a config is a table") };
        all.extend(around);
        all
    }

    /// Reads one table of what `agent` is told.
    ///
    /// # Errors
    ///
    /// If a key is unknown, or a value is none of its.
    ///
    /// # Panics
    ///
    /// Never: configs are tables.
    pub fn read(agent: &Agent, table: &Map<String, Value>) -> Result<Self, TrainError> {
        let bad = |error: serde_json::Error| TrainError::Config(error.to_string());
        let known = Self { own: Own::of(agent.algorithm, Map::new()).map_err(bad)?, around: Loop::default() };
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
                Own::of(agent.algorithm, alone).map(drop)
            };
            fits.map_err(|error| TrainError::Config(format!("`{key}` is `{value}`: {error}")))?;
        }
        let told = Self {
            own: Own::of(agent.algorithm, own).map_err(bad)?,
            around: serde_json::from_value(Value::Object(around)).map_err(bad)?,
        };
        told.own.check().map_err(TrainError::Config)?;
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

const PRESETS: [&str; 4] = [
    include_str!("../presets/ppo.toml"),
    include_str!("../presets/r2d2.toml"),
    include_str!("../presets/memory.toml"),
    include_str!("../presets/td3.toml"),
];

/// Evaluations of a run of IMPALA: the memory paper's score needs closer looks.
const LOOKS: u64 = 200;

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
        let tables = PRESETS.map(|text| toml::from_str::<Value>(text).expect("presets are tested"));
        let all = tables.into_iter().find(|all| all.get(self.name).is_some()).unwrap_or_default();
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
        // What several agents share comes first.
        let shared = match self.algorithm {
            Algorithm::Impala => &all["impala"],
            Algorithm::R2d2 => &all["r2d2"],
            Algorithm::Ppo | Algorithm::Td3 | Algorithm::Effect => &Value::Null,
        };
        for table in [shared, &all[self.name]].into_iter().flat_map(|agent| [&agent["all"], &agent[profile.name()]]) {
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
        if self.algorithm != Algorithm::Ppo {
            return preset;
        }
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
        if profile == Profile::Regym && self.algorithm != Algorithm::R2d2 {
            return Err(TrainError::Config(format!(
                "`{}` has no profile `regym`: it has `paper` and `small`",
                self.name
            )));
        }
        let mut table = Map::new();
        if profile == Profile::Paper
            && spec.observation.iter().any(large)
            && self.algorithm == Algorithm::Ppo
            && self.within.is_empty()
        {
            table.insert("copies".to_owned(), 8.into());
        }
        table.extend(self.preset(profile, id).agent);
        table.extend(set.clone());
        Told::read(self, &table)
    }

    /// Why it cannot learn an environment, if it cannot.
    ///
    /// # Errors
    ///
    /// The reason.
    pub fn fits(&self, id: &str, spec: &Spec) -> Result<(), String> {
        // What two agents can learn together is shown by the smallest example of two.
        let example = self.algorithm == Algorithm::R2d2 && id == "example/signal-v1";
        if !id.starts_with(self.within) && !example {
            return Err(format!("`{}` learns {}, not `{id}`", self.name, self.fit));
        }
        let most = if self.algorithm == Algorithm::R2d2 { 2 } else { 1 };
        if spec.agents.len() > most {
            return Err(format!("`{}` learns {}, `{id}` has {}", self.name, self.fit, spec.agents.len()));
        }
        Ok(())
    }

    /// By which reports know it under a config, in an environment with this spec and for a protocol: by the paper's name only
    /// where it is the paper's, so that no claim is answered by another.
    #[must_use]
    pub fn label_of(&self, told: &Told, spec: &Spec, protocol: &str) -> String {
        let picture = spec.field("objects").is_none();
        match &told.own {
            // Only one of S2B's experiments tells the two apart by name; records always do.
            Own::R2d2(config) => {
                let label = config.core.label();
                if config.reconstruct && protocol == "s2b-fig6" { format!("{label}+Rec") } else { label.to_owned() }
            }
            Own::Impala(config) => config.label(),
            Own::Td3(config) => config.network.label().to_owned(),
            Own::Effect(_) => self.label.to_owned(),
            Own::Ppo(config) => match (config.network, config.text) {
                (ppo::Kind::General, _) => if config.lstm { "PPO+LSTM" } else { "PPO" }.to_owned(),
                (ppo::Kind::Lilgym, Text::Bert) if picture => format!("{} C+BERT", self.label),
                (ppo::Kind::Lilgym, text) => format!("{} {}", self.label, text.name()),
            },
        }
    }

    /// The files, beside the environment's, that decide what is learnt and played.
    ///
    /// # Errors
    ///
    /// If one is not there, or is none.
    pub fn sources(&self, told: &Told) -> Result<Vec<Source>, TrainError> {
        let (text, path) = told.text();
        let encoder = text::frozen(text, path)?;
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
        Ok(match &told.own {
            Own::Ppo(config) => Box::new(Ppo::new(config, env, problems, words, seed, device)?),
            Own::R2d2(_) if problems != Problems::All => {
                let why = format!("`{}` learns from all problems: `selection` must be 0", self.name);
                return Err(TrainError::Unfit(why));
            }
            Own::R2d2(config) => Box::new(R2d2::new(config, env, seed, device)?),
            Own::Impala(config) => Box::new(Impala::new(config, env, problems, words, seed, device)?),
            Own::Td3(config) => Box::new(Td3::new(config, env, problems, seed, device)?),
            Own::Effect(config) => Box::new(Effect::new(config, env, problems, seed, device)?),
        })
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
        Ok(match &told.own {
            Own::Ppo(config) => Box::new(ppo::Acting::open(config, spec, words, weights, &Device::flex())?),
            Own::R2d2(config) => Box::new(r2d2::Acting::open(config, spec, weights, &Device::flex())?),
            Own::Impala(config) => Box::new(impala::Acting::open(config, spec, words, weights, &Device::flex())?),
            Own::Td3(config) => Box::new(td3::Acting::open(config, spec, weights, &Device::flex())?),
            Own::Effect(config) => Box::new(effect::Acting::open(config, spec, weights, &Device::flex())?),
        })
    }
}

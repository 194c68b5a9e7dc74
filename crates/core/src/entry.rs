//! What a family hands over: its environments as entries, and all that only it knows, as plain data and small traits.

use serde_json::{Map, Value};

use crate::batch::Batch;
use crate::command::Command;
use crate::environment::{ConfigError, Environment, Lack};
use crate::kind::Kind;
use crate::measures::Measures;
use crate::policy::{PolicyInfo, policy_infos};
use crate::vec_env::{Options, VecEnv};

/// One family of environments and all that only it knows.
///
/// Whoever lists families (the command line, evaluation, reports, Python) loops over these fields and never names one.
pub struct Family {
    /// The part of an id before the slash.
    pub name: &'static str,
    /// What only its subcommands do, as the help of the command line says it.
    pub about: &'static str,
    /// The folder of its crate.
    pub folder: &'static str,
    /// What its cards share, in Markdown: see [`crate::card`].
    pub page: &'static str,
    /// Its environments, in the order that documents show.
    pub entries: &'static [Entry],
    /// Its protocols: name and TOML, in the order that lists show.
    pub protocols: &'static [(&'static str, &'static str)],
    /// What scores under them are measured against, as `heldout scales` wrote it: name of the protocol and TOML.
    pub scales: &'static [(&'static str, &'static str)],
    /// The published tables of its paper, as TOML; empty without a paper.
    pub published: &'static str,
    /// What its records tell beside the score.
    pub measures: Measures,
    /// How tasks of its protocols come about that are neither a number of episodes nor a finite set.
    pub kinds: &'static [&'static dyn Kind],
    /// Its subcommands.
    pub commands: &'static [Command],
}

impl Family {
    /// The entry called `id`.
    #[must_use]
    pub fn entry(&self, id: &str) -> Option<&'static Entry> {
        self.entries.iter().find(|entry| entry.about.id == id)
    }
}

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
    /// Config keys of how an agent sees and acts, not of what it is asked: whoever takes part in an evaluation may choose
    /// their values, and is given the same problems.
    pub views: &'static [&'static str],
    /// Config keys that show more than the task does. A scripted policy may need them to play and say so
    /// ([`Scripted::seeing`](crate::Scripted::seeing)), since nothing is learnt about it from how well it sees; an agent
    /// under test may not, since it would be asked an easier question.
    pub aids: &'static [&'static str],
    /// Overrides that make observations smallest, as a JSON object: what the long tests run under.
    pub smallest: &'static str,
    /// Overrides that make an episode short enough to be read whole, as a JSON object: what transcripts play.
    pub short: &'static str,
}

/// One registered environment.
pub struct Entry {
    /// What it says about itself.
    pub about: &'static About,
    rules: &'static dyn Erased,
}

/// The rules `E` of one entry, as one of their variants.
pub struct Rules<E: Environment>(pub E::Variant);

/// What an entry asks of its rules, whatever their type.
trait Erased: Sync {
    fn defaults(&self) -> Value;
    fn complete(&self, config: Value) -> Result<Value, MakeError>;
    fn batch(&self, config: Value, len: usize, options: Options) -> Made;
    fn policies(&self) -> Vec<PolicyInfo>;
}

impl<E: Environment> Erased for Rules<E> {
    fn defaults(&self) -> Value {
        serde_json::to_value(E::Config::default()).expect("a config is plain data")
    }

    fn complete(&self, config: Value) -> Result<Value, MakeError> {
        let parsed: E::Config = parse(config.clone())?;
        let whole = serde_json::to_value(parsed).map_err(|e| form("config", &e.to_string()))?;
        keeps_its_form("", &config, &whole)?;
        Ok(whole)
    }

    fn batch(&self, config: Value, len: usize, options: Options) -> Made {
        let config: E::Config = parse(config)?;
        let batch = Batch::<E>::new(&config, self.0, len, options);
        Ok(Box::new(batch.map_err(|error| MakeError::Config { id: options.id, error })?))
    }

    fn policies(&self) -> Vec<PolicyInfo> {
        policy_infos::<E>()
    }
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
        /// The environment.
        id: &'static str,
        /// The name asked for.
        preset: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// Overrides that are not of the config's form.
    #[error("config of `{id}`: `{key}`: {problem}")]
    Form {
        /// The environment.
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
        /// The environment.
        id: &'static str,
        /// What is wrong.
        error: ConfigError,
    },
}

impl MakeError {
    /// What the machine would not give, if that is the trouble: the request itself is in order.
    #[must_use]
    pub fn lack(&self) -> Option<Lack> {
        match self {
            Self::Options(error) | Self::Config { error, .. } => error.lack,
            _ => None,
        }
    }
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

impl Entry {
    /// Registers the rules.
    #[must_use]
    pub const fn new<E: Environment>(about: &'static About, rules: &'static Rules<E>) -> Self {
        Self { about, rules }
    }

    /// `family/name-vN`.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.about.id
    }

    /// The part of the id between family and version: what its card and its golden transcript are called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let name = self.about.id.split_once('/').map_or(self.about.id, |(_, name)| name);
        name.rsplit_once("-v").map_or(name, |(name, _)| name)
    }

    /// The part of the id before the slash.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.about.id.split_once('/').map_or(self.about.id, |(family, _)| family)
    }

    /// The config under which everything documented runs.
    #[must_use]
    pub fn defaults(&self) -> Value {
        self.rules.defaults()
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
        self.rules.complete(Value::Object(config)).map_err(|e| self.named(e))
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
        self.rules.batch(config, len, options).map_err(|e| self.named(e))
    }

    /// One copy under the default config.
    ///
    /// # Panics
    ///
    /// Never: every entry's default config is valid and needs no file, which WebAssembly, where there are none, shows.
    #[must_use]
    pub fn default_batch(&self) -> Box<dyn VecEnv> {
        self.make(&Map::new(), 1, Options::default()).expect("the default config is valid")
    }

    /// The scripted policies.
    #[must_use]
    pub fn policies(&self) -> Vec<PolicyInfo> {
        self.rules.policies()
    }

    /// The overrides that make observations smallest.
    #[must_use]
    pub fn smallest(&self) -> Map<String, Value> {
        object(self.about.smallest)
    }

    /// The overrides that make an episode short enough to be read whole.
    #[must_use]
    pub fn short(&self) -> Map<String, Value> {
        object(self.about.short)
    }

    fn named(&self, error: MakeError) -> MakeError {
        let id = self.about.id;
        match error {
            MakeError::Form { key, problem, .. } => MakeError::Form { id, key, problem },
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

/// Checks that what was `given` is what was `read`: serde takes a list for a table, its values by position, a table for a
/// name, and a number that 32 bits do not hold for infinity, which JSON then has no word for.
fn keeps_its_form(path: &str, given: &Value, read: &Value) -> Result<(), MakeError> {
    let refused = |allowed: &str| Err(form(path, &format!("is `{given}`, must be {allowed}")));
    match (given, read) {
        (Value::Object(given), Value::Object(read)) => given.iter().try_for_each(|(key, value)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            read.get(key).map_or(Ok(()), |read| keeps_its_form(&path, value, read))
        }),
        (Value::Array(given), Value::Array(read)) => {
            let mut pairs = given.iter().zip(read).enumerate();
            pairs.try_for_each(|(i, (given, read))| keeps_its_form(&format!("{path}[{i}]"), given, read))
        }
        (Value::Number(_), Value::Null) => refused("a number that 32 bits hold"),
        (Value::Array(_), Value::Object(_)) => refused("a table"),
        (Value::Array(_) | Value::Object(_), _) => refused("a single value"),
        _ => Ok(()),
    }
}

/// A JSON object written in the source.
pub(crate) fn object(text: &str) -> Map<String, Value> {
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

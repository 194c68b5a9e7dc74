//! Protocols: what to play, under which conditions, how it is scored and what the paper claims. All of it is data.
//!
//! A protocol is a TOML file: one that a family brings, one that spans families (`crates/eval/protocols`), or a user's
//! own. Reading one checks all that can be known without making an environment; an id that does not exist fails when its
//! task is played, so that the other tasks go on.
//!
//! What all tasks share stands once: keys of the table `[defaults]` are those of every task that has none of its own, and
//! `[[condition]]` lists the conditions of every task that lists none.

use std::fmt::Display;
use std::path::Path;

use heldout_core::{Crc, hexadecimal};
use heldout_envs::FAMILIES;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::comparison::{self, Claim};
use crate::published;
use crate::scales::{NOISE, Scales};
use crate::verdict::MARGIN;

/// Name and text of the protocols that span families.
const SPANNING: [(&str, &str); 2] =
    [("quick", include_str!("../protocols/quick.toml")), ("smoke", include_str!("../protocols/smoke.toml"))];

/// Their scales.
const SPANNING_SCALES: [(&str, &str); 2] = [
    ("quick", include_str!("../protocols/quick.scales.toml")),
    ("smoke", include_str!("../protocols/smoke.scales.toml")),
];

/// The tag of a task whose original is closed, so that published scores are not comparable with ours.
pub(crate) const RECREATION: &str = "re-creation";

/// Run seeds of a protocol at the most.
pub const MOST_SEEDS: u64 = 1_000;
/// Episodes of a condition and seed at the most.
pub const MOST_EPISODES: u64 = 10_000_000;

/// One experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// What the command line calls it: the name of its file.
    #[serde(skip)]
    pub name: String,
    /// Short title.
    pub title: String,
    /// The paper that published the experiment, if one did.
    #[serde(default)]
    pub paper: Option<String>,
    /// What it measures, in one or two sentences.
    pub summary: String,
    /// What it belongs to.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What it asks for that is not to be had, lost or never published, so that a part of it cannot be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
    /// Number of run seeds.
    pub seeds: u64,
    /// Files of published scores to show beside ours.
    #[serde(default)]
    pub published: Vec<String>,
    /// How much of the way from floor to ceiling counts as nothing in verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// The protocol whose scales are those of this one too, since its tasks and conditions are the same.
    #[serde(rename = "scales", default, skip_serializing_if = "Option::is_none")]
    pub scales_of: Option<String>,
    /// What is played.
    #[serde(rename = "task")]
    pub tasks: Vec<Task>,
    /// What the paper claims: a list, in which the name of a protocol stands for its claims, or one such name.
    #[serde(rename = "claim", default, deserialize_with = "comparison::claims")]
    pub claims: Vec<Claim>,
    /// What scores are measured against, where that has been measured: `NAME.scales.toml` beside the file.
    #[serde(skip)]
    pub scales: Option<Scales>,
    /// Its text.
    #[serde(skip)]
    pub text: String,
    /// Whether it is one of those that are built in.
    #[serde(skip)]
    pub built_in: bool,
}

/// How the episodes of a task come about.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Kind {
    /// A number of episodes, each of a stream of its own.
    #[default]
    Episodes,
    /// A finite set, each problem once.
    Problems,
    /// A kind that only a family knows: `kind = "NAME"`, or `kind = { name = "NAME", … }` with keys of its own.
    Own {
        /// Its name.
        name: String,
        /// Its keys.
        keys: Map<String, Value>,
    },
}

impl Kind {
    /// The kind of this name that a family brings.
    pub(crate) fn known(name: &str) -> Option<&'static dyn heldout_core::Kind> {
        FAMILIES.iter().flat_map(|family| family.kinds).find(|kind| kind.name() == name).copied()
    }

    fn listed() -> String {
        let own = FAMILIES.iter().flat_map(|family| family.kinds).map(|kind| kind.name());
        listed(&["episodes", "problems"].into_iter().chain(own).collect::<Vec<_>>())
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Episodes => serializer.serialize_str("episodes"),
            Self::Problems => serializer.serialize_str("problems"),
            Self::Own { name, keys } if keys.is_empty() => serializer.serialize_str(name),
            Self::Own { name, keys } => {
                let mut all = keys.clone();
                all.insert("name".to_owned(), Value::String(name.clone()));
                all.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(deserializer)?;
        let wrong =
            || serde::de::Error::custom(format!("must be one of {}, or a table with such a `name`", Self::listed()));
        let (name, keys) = match json(value).map_err(serde::de::Error::custom)? {
            Value::String(name) => (name, Map::new()),
            Value::Object(mut keys) => match keys.shift_remove("name") {
                Some(Value::String(name)) => (name, keys),
                _ => return Err(wrong()),
            },
            _ => return Err(wrong()),
        };
        match name.as_str() {
            "episodes" if keys.is_empty() => Ok(Self::Episodes),
            "problems" if keys.is_empty() => Ok(Self::Problems),
            known if Self::known(known).is_some() => Ok(Self::Own { name, keys }),
            _ => Err(wrong()),
        }
    }
}

/// One environment of a protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its name, unique in the protocol.
    pub name: String,
    /// The environment.
    pub id: String,
    /// How its episodes come about.
    #[serde(default)]
    pub kind: Kind,
    /// Episodes of each condition and seed, or what a family's kind counts. Not of kind `problems`.
    #[serde(default)]
    pub episodes: Option<u64>,
    /// What is scored: `return`, `length` or a metric of the environment.
    #[serde(default = "the_return")]
    pub metric: String,
    /// Whether more is better.
    #[serde(default = "yes")]
    pub higher_is_better: bool,
    /// Whether records hold the actions of each episode and the step metrics of its last step: for short episodes.
    #[serde(default)]
    pub trace: bool,
    /// Whether scores are also shown between those of random play and of people, as the paper's tables show them: the
    /// conditions' `random` and `human`, or what the published tables give to the models `Random` and `Human`. Verdicts
    /// never follow from it.
    #[serde(default)]
    pub human_scale: bool,
    /// Config of all conditions.
    #[serde(default, deserialize_with = "table")]
    pub set: Map<String, Value>,
    /// What it belongs to.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Under which conditions it is played, training first.
    #[serde(rename = "condition")]
    pub conditions: Vec<Condition>,
}

/// One condition of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Its name, unique in the task.
    pub name: String,
    /// Whether it asks for something that training does not show.
    pub held_out: bool,
    /// Config, laid over that of the task.
    #[serde(default, deserialize_with = "table")]
    pub set: Map<String, Value>,
    /// Published score of random play, with `human_scale`.
    #[serde(default)]
    pub random: Option<f64>,
    /// Published score of people, with `human_scale`.
    #[serde(default)]
    pub human: Option<f64>,
    /// Standard error of their difference, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_error: Option<f64>,
}

fn the_return() -> String {
    "return".to_owned()
}

const fn yes() -> bool {
    true
}

/// A TOML table as the overrides of a config.
fn table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    let table = toml::Table::deserialize(deserializer)?;
    let pairs = table.into_iter().map(|(key, value)| {
        let value = json(value).map_err(|problem| serde::de::Error::custom(format!("`{key}`: {problem}")))?;
        Ok((key, value))
    });
    pairs.collect()
}

/// The same value in JSON, which has neither dates nor infinities.
///
/// # Errors
///
/// If a number in it is not finite.
pub fn json(value: toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(n) => n.into(),
        toml::Value::Boolean(b) => b.into(),
        toml::Value::Float(x) if !x.is_finite() => return Err(format!("`{x}` is not a finite number")),
        toml::Value::Float(x) => x.into(),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(values) => Value::Array(values.into_iter().map(json).collect::<Result<_, _>>()?),
        toml::Value::Table(table) => {
            let pairs = table.into_iter().map(|(key, value)| Ok((key, json(value)?)));
            Value::Object(pairs.collect::<Result<_, String>>()?)
        }
    })
}

/// A protocol that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// No such protocol.
    #[error("there is no protocol `{name}`; there are {}, or the path of a `.toml` file", listed(known))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A file that cannot be read.
    #[error("cannot read `{file}`: {error}")]
    Read {
        /// The file.
        file: String,
        /// Why not.
        error: std::io::Error,
    },
    /// A file beside records that was changed after they were made.
    #[error("`{file}` is not what was played: its checksum is {found}, must be {expected}")]
    Kept {
        /// The file.
        file: String,
        /// Its checksum.
        found: String,
        /// The one it was kept with.
        expected: String,
    },
    /// A file that is no TOML.
    #[error("`{file}` is not TOML: {problem}")]
    Toml {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// A key that is unknown, missing, or of a wrong type.
    #[error("`{file}`: `{key}`: {problem}")]
    Form {
        /// The file.
        file: String,
        /// Dotted path of the key.
        key: String,
        /// What is wrong there.
        problem: String,
    },
    /// A value that is not allowed.
    #[error("`{file}`: `{key}` is `{value}`, {allowed}")]
    Value {
        /// The file.
        file: String,
        /// Dotted path of the key, with the names of task and condition.
        key: String,
        /// The value.
        value: String,
        /// What is allowed.
        allowed: String,
    },
}

pub(crate) fn listed(names: &[&str]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// Name and text of the scales that families bring, and of those that span families.
fn scales() -> impl Iterator<Item = (&'static str, &'static str)> {
    SPANNING_SCALES.iter().chain(FAMILIES.iter().flat_map(|family| family.scales)).copied()
}

/// Name and text of every built-in protocol, in the order that lists show: what spans families, then family by family.
pub fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
    SPANNING.into_iter().chain(FAMILIES.iter().flat_map(|family| family.protocols.iter().copied()))
}

/// The names of the protocols that are built in.
pub fn names() -> impl Iterator<Item = &'static str> {
    built_in().map(|(name, _)| name)
}

/// The first digits of the SHA-256 of a protocol's text.
pub(crate) fn hash(text: &str) -> String {
    hexadecimal(&Sha256::digest(text.as_bytes()))[..16].to_owned()
}

/// What stands before the checksum at the end of scales that are kept with records.
const SEAL: &str = "# check ";

/// The text of scales with its checksum at the end, as it is kept with records.
pub(crate) fn sealed(text: &str) -> String {
    format!("{text}{SEAL}{:08x}\n", Crc::of(text.as_bytes()))
}

/// Lays `[defaults]` below the keys of every task, and `[[condition]]` where a task lists no conditions.
fn spread(table: &mut toml::Table) {
    let defaults = table.remove("defaults");
    let conditions = table.remove("condition");
    let Some(toml::Value::Array(tasks)) = table.get_mut("task") else { return };
    for task in tasks.iter_mut().filter_map(toml::Value::as_table_mut) {
        if let Some(toml::Value::Table(defaults)) = &defaults {
            for (key, value) in defaults {
                task.entry(key).or_insert_with(|| value.clone());
            }
        }
        if let Some(conditions) = &conditions {
            task.entry("condition").or_insert_with(|| conditions.clone());
        }
    }
}

/// Reads a TOML file, whose table is changed by `change` first.
pub(crate) fn read<T: serde::de::DeserializeOwned>(
    file: &str,
    text: &str,
    change: impl Fn(&mut toml::Table),
) -> Result<T, ProtocolError> {
    let toml = |problem: String| ProtocolError::Toml { file: file.to_owned(), problem };
    let mut table: toml::Table = text.parse().map_err(|error: toml::de::Error| toml(error.to_string()))?;
    change(&mut table);
    let form = |key, problem| ProtocolError::Form { file: file.to_owned(), key, problem };
    if let Some((key, value)) = table.iter().find_map(|(key, value)| infinite(key, value)) {
        return Err(form(key, format!("`{value}` is not a finite number")));
    }
    serde_path_to_error::deserialize(table)
        .map_err(|error| form(error.path().to_string(), error.inner().to_string().trim_end().to_owned()))
}

/// The path of a number in `value` that is none to compute with: TOML has words for them.
fn infinite(path: &str, value: &toml::Value) -> Option<(String, f64)> {
    match value {
        toml::Value::Float(x) if !x.is_finite() => Some((path.to_owned(), *x)),
        toml::Value::Array(all) => {
            all.iter().enumerate().find_map(|(i, value)| infinite(&format!("{path}[{i}]"), value))
        }
        toml::Value::Table(all) => all.iter().find_map(|(key, value)| infinite(&format!("{path}.{key}"), value)),
        _ => None,
    }
}

impl Protocol {
    /// The built-in protocol called `name`, or that of the `.toml` file at that path.
    ///
    /// # Errors
    ///
    /// If there is none, or its file does not describe a protocol.
    pub fn find(name: &str) -> Result<Self, ProtocolError> {
        if let Some((_, text)) = built_in().find(|(known, _)| *known == name) {
            let mut protocol = Self::parse(name, &format!("{name}.toml"), text)?;
            protocol.built_in = true;
            protocol.adopt(name)?;
            return Ok(protocol);
        }
        let path = Path::new(name);
        if path.extension().is_none_or(|e| e != "toml") {
            return Err(ProtocolError::Unknown { name: name.to_owned(), known: names().collect() });
        }
        Self::at(path)
    }

    /// That of the file at `path`, with its scales if they are beside it.
    fn at(path: &Path) -> Result<Self, ProtocolError> {
        let name = &*path.to_string_lossy();
        let text = heldout_files::text(path, heldout_files::WRITTEN)
            .map_err(|error| ProtocolError::Read { file: name.to_owned(), error })?;
        let mut stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        // A file of the user's is never taken for what is built in under its name.
        if built_in().any(|(known, known_text)| known == stem && known_text != text) {
            stem = format!("{stem}-{}", &hash(&text)[..8]);
        }
        let mut protocol = Self::parse(&stem, name, &text)?;
        let beside = path.with_extension("scales.toml");
        if beside.is_file() {
            let file = beside.display().to_string();
            let text = heldout_files::text(&beside, heldout_files::WRITTEN)
                .map_err(|error| ProtocolError::Read { file: file.clone(), error })?;
            protocol.scales = Some(Scales::parse(&file, &text)?);
        } else if protocol.scales_of.is_some() || built_in().any(|(known, _)| known == stem) {
            protocol.adopt(&stem)?;
        }
        Ok(protocol)
    }

    /// The protocol that an evaluation kept with its records. That its text is the one that was played is for the records to
    /// say ([`crate::records::Header::protocol_hash`]); its scales carry a checksum.
    ///
    /// # Errors
    ///
    /// As [`Protocol::find`], and if the scales were changed.
    pub(crate) fn kept(path: &Path) -> Result<Self, ProtocolError> {
        let protocol = Self::at(path)?;
        let beside = path.with_extension("scales.toml");
        if beside.symlink_metadata().is_ok() {
            let file = beside.display().to_string();
            let read = |error| ProtocolError::Read { file: file.clone(), error };
            let text = heldout_files::text(&beside, heldout_files::WRITTEN).map_err(read)?;
            // What is kept is sealed: one without a seal has lost it.
            let (own, seal) = text.rsplit_once(SEAL).unwrap_or((&text, "none"));
            let (found, expected) = (format!("{:08x}", Crc::of(own.as_bytes())), seal.trim_end().to_owned());
            if found != expected {
                return Err(ProtocolError::Kept { file, found, expected });
            }
        }
        Ok(protocol)
    }

    /// Takes over the scales that are built in for the protocol called `name`, or for the one it refers to.
    fn adopt(&mut self, name: &str) -> Result<(), ProtocolError> {
        let of = self.scales_of.as_deref().unwrap_or(name);
        if let Some((_, text)) = scales().find(|(known, _)| *known == of) {
            let found = Scales::parse(&format!("{of}.scales.toml"), text)?;
            // A scale that is not of the same task would be a lie.
            let fits = |scale: &crate::scales::Scale| {
                let task = self.task(&scale.task).filter(|task| task.metric == scale.metric);
                task.is_some_and(|task| task.condition(&scale.condition).is_some())
            };
            let scales = found.scales.iter().filter(|scale| fits(scale)).cloned().collect();
            self.scales = Some(Scales { scales, ..found });
        }
        Ok(())
    }

    /// Reads the text of a protocol called `name`; errors call it `file`.
    ///
    /// # Errors
    ///
    /// If the text does not describe a protocol.
    pub fn parse(name: &str, file: &str, text: &str) -> Result<Self, ProtocolError> {
        let protocol: Self = read(file, text, spread)?;
        let mut protocol = Self { name: name.to_owned(), text: text.to_owned(), ..protocol };
        protocol.refer();
        Check { file, protocol: &protocol }.all()?;
        Ok(protocol)
    }

    /// Takes the scores of random play and of people from the published tables, where a task is measured by them.
    fn refer(&mut self) {
        let tables: Vec<_> = self.published.iter().filter_map(|family| published::find(family).ok()).collect();
        for task in self.tasks.iter_mut().filter(|task| task.human_scale) {
            for condition in task.conditions.iter_mut().filter(|c| c.random.is_none() && c.human.is_none()) {
                let mean = |model: &str| tables.iter().find_map(|file| file.mean(model, &task.name, &condition.name));
                if let (Some((random, low)), Some((human, high))) = (mean("Random"), mean("Human")) {
                    (condition.random, condition.human) = (Some(random), Some(human));
                    condition.human_error = Some(low.hypot(high));
                }
            }
        }
    }

    /// What is in it: the first digits of the SHA-256 of its text.
    #[must_use]
    pub fn hash(&self) -> String {
        hash(&self.text)
    }

    /// How much of the way from floor to ceiling counts as nothing.
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.margin.unwrap_or(MARGIN)
    }

    /// The task called `name`.
    #[must_use]
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.name == name)
    }
}

impl Task {
    /// The condition called `name`.
    #[must_use]
    pub fn condition(&self, name: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.name == name)
    }

    /// Whether `condition` is played as its config says, whoever plays.
    #[must_use]
    pub fn stands(&self, condition: &Condition) -> bool {
        match &self.kind {
            Kind::Episodes | Kind::Problems => true,
            Kind::Own { name, .. } => Kind::known(name).is_some_and(|kind| kind.stands(&condition.name)),
        }
    }

    /// The config overrides of `condition`: its own over the task's.
    #[must_use]
    pub fn overrides(&self, condition: &Condition) -> Map<String, Value> {
        let mut all = self.set.clone();
        all.extend(condition.set.clone());
        all
    }
}

impl Condition {
    /// Whether people are so near random play that a score between them says nothing: their difference is within noise of
    /// zero.
    #[must_use]
    pub fn human_is_noise(&self) -> bool {
        let difference = self.random.zip(self.human).map(|(random, human)| (human - random).abs());
        difference.zip(self.human_error).is_some_and(|(difference, error)| difference <= NOISE * error)
    }
}

/// The checks of a protocol beyond its form.
struct Check<'a> {
    file: &'a str,
    protocol: &'a Protocol,
}

impl Check<'_> {
    fn bad(&self, key: impl Into<String>, value: impl Display, allowed: impl Into<String>) -> ProtocolError {
        ProtocolError::Value {
            file: self.file.to_owned(),
            key: key.into(),
            value: value.to_string(),
            allowed: allowed.into(),
        }
    }

    fn all(&self) -> Result<(), ProtocolError> {
        let protocol = self.protocol;
        self.name("name", &protocol.name)?;
        if !(1..=MOST_SEEDS).contains(&protocol.seeds) {
            return Err(self.bad("seeds", protocol.seeds, format!("must be 1 to {MOST_SEEDS}")));
        }
        if let Some(margin) = protocol.margin.filter(|margin| !(*margin > 0.0 && *margin < 0.5)) {
            return Err(self.bad("margin", margin, "must be above 0 and below 0.5 of the way from floor to ceiling"));
        }
        if protocol.tasks.is_empty() {
            return Err(self.bad("task", "[]", "must list at least one task"));
        }
        if let Some(of) = protocol.scales_of.as_ref().filter(|of| !names().any(|name| name == of.as_str())) {
            let known: Vec<&str> = names().collect();
            return Err(self.bad("scales", of, format!("must be one of {}", listed(&known))));
        }
        self.unique("task", protocol.tasks.iter().map(|task| task.name.as_str()))?;
        protocol.tasks.iter().try_for_each(|task| self.task(task))?;
        self.claims()
    }

    /// Names become names of files.
    fn name(&self, key: &str, name: &str) -> Result<(), ProtocolError> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 100 || !name.chars().all(fits) {
            return Err(self.bad(key, name, "must be 1 to 100 letters, digits, `-` or `_`"));
        }
        Ok(())
    }

    fn unique<'n>(&self, key: &str, names: impl Iterator<Item = &'n str>) -> Result<(), ProtocolError> {
        let mut seen: Vec<String> = Vec::new();
        for name in names {
            self.name(&format!("{key}.name"), name)?;
            // Some file systems do not tell cases apart.
            let lower = name.to_ascii_lowercase();
            if seen.contains(&lower) {
                return Err(self.bad(format!("{key}.name"), name, "must not be the name of an earlier one"));
            }
            seen.push(lower);
        }
        Ok(())
    }

    fn task(&self, task: &Task) -> Result<(), ProtocolError> {
        let key = |k: &str| format!("task `{}`: {k}", task.name);
        let shown = |n: Option<u64>| n.map_or("absent".to_owned(), |n| n.to_string());
        let within = |n: Option<u64>| n.is_some_and(|n| (1..=MOST_EPISODES).contains(&n));
        match &task.kind {
            Kind::Episodes if !within(task.episodes) => {
                let allowed = format!("must be 1 to {MOST_EPISODES} of kind `episodes`");
                return Err(self.bad(key("episodes"), shown(task.episodes), allowed));
            }
            Kind::Problems if task.episodes.is_some() => {
                let allowed = "must be absent: kind `problems` plays every problem once";
                return Err(self.bad(key("episodes"), shown(task.episodes), allowed));
            }
            _ if task.episodes.is_some() && !within(task.episodes) => {
                return Err(self.bad(key("episodes"), shown(task.episodes), format!("must be 1 to {MOST_EPISODES}")));
            }
            _ => {}
        }
        if task.conditions.is_empty() {
            return Err(self.bad(key("condition"), "[]", "must list at least one condition"));
        }
        self.unique(&key("condition"), task.conditions.iter().map(|c| c.name.as_str()))?;
        if let Kind::Own { name, keys } = &task.kind
            && let Some(kind) = Kind::known(name)
        {
            let names: Vec<&str> = task.conditions.iter().map(|c| c.name.as_str()).collect();
            kind.check(keys, &names).map_err(|e| self.bad(key(&e.key), e.value, e.allowed))?;
        }
        task.conditions.iter().try_for_each(|condition| self.condition(task, condition))
    }

    fn condition(&self, task: &Task, condition: &Condition) -> Result<(), ProtocolError> {
        let key = |k: &str| format!("task `{}`, condition `{}`: {k}", task.name, condition.name);
        let pair = |a: Option<f64>, b: Option<f64>| format!("{a:?}, {b:?}");
        for number in [condition.random, condition.human, condition.human_error].into_iter().flatten() {
            if !number.is_finite() {
                return Err(self.bad(key("scores"), number, "must be finite"));
            }
        }
        match (condition.random, condition.human) {
            (None, None) if !task.human_scale => {}
            (Some(random), Some(human)) if random != human && task.human_scale => {}
            (Some(_), Some(_)) if !task.human_scale => {
                return Err(self.bad(key("random, human"), "there", "must be absent without `human_scale = true`"));
            }
            (random, human) => {
                return Err(self.bad(key("random, human"), pair(random, human), "must be two numbers that differ"));
            }
        }
        Ok(())
    }

    fn claims(&self) -> Result<(), ProtocolError> {
        for (i, claim) in self.protocol.claims.iter().enumerate() {
            let at = format!("claim[{i}]");
            claim.check(&at, self.protocol).map_err(|(key, value, allowed)| self.bad(key, value, allowed))?;
            if self.protocol.claims[..i].iter().any(|other| other.text == claim.text) {
                return Err(self.bad(format!("{at}.text"), &claim.text, "must not be that of an earlier one"));
            }
        }
        Ok(())
    }
}

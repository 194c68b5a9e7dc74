//! Who takes part in an evaluation: a scripted policy by its name, an agent that a caller brings, or one of each beside the
//! other.

use std::path::Path;
use std::sync::Arc;

use heldout_core::{Entry, Speaker, Spec};
use heldout_envs::entries;
use serde_json::{Map, Value};

use crate::curves::Curve;
use crate::play::Actor;
use crate::records::Source;

/// Where an agent is asked to play. The condition is deliberately not part of it: nobody is told whether what is asked was
/// held out.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The environment.
    pub entry: &'static Entry,
    /// The protocol; empty outside one.
    pub protocol: &'a str,
    /// Its task; empty outside a protocol.
    pub task: &'a str,
    /// What the task sets, whatever the condition; `None` outside a protocol.
    pub set: Option<&'a Map<String, Value>>,
    /// The number of the run, from 0: it is played by the policy of that training seed.
    pub run: usize,
    /// The run seed.
    pub seed: u64,
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { entry, protocol, task, run, seed, .. } = self;
        write!(f, "{} in {protocol} / {task}, run {run}, seed {seed}", entry.id())
    }
}

/// An agent that is not scripted: what a trained network or a caller's function implements.
///
/// An agent may be several policies that were trained alike, one per training seed: [`Agent::runs`] says how many. Each is
/// then one run, played on a run seed of its own; so many run seeds are played, whatever number the protocol has (fewer
/// if the caller asks for fewer). An agent of one policy plays every run seed of the protocol, which is a longer list of
/// episodes and not several runs.
pub trait Agent: Send + Sync {
    /// What it is, in records: `td3-mlp`.
    fn name(&self) -> String;

    /// By which reports and claims name it unless the caller says; its name unless told.
    fn label(&self) -> String {
        self.name()
    }

    /// Who plays there, in records: its name and a hash of the policy, `td3-mlp sha256:0123456789ab`. Run seeds whose
    /// players have one identity are one run. Its name unless told: one policy everywhere.
    fn identity(&self, _place: &Place<'_>) -> String {
        self.name()
    }

    /// How many policies it has for a task, one per training seed.
    fn runs(&self, _place: &Place<'_>) -> usize {
        1
    }

    /// Whether it has a part in a task. What it does not enter is absent, which is no failure.
    fn enters(&self, _place: &Place<'_>) -> bool {
        true
    }

    /// Whether it plays the environment's agent called `agent`; those that it does not play are `oracle`s, unless the
    /// caller says who they are.
    fn plays(&self, _place: &Place<'_>, _agent: &str) -> bool {
        true
    }

    /// How it sees and acts: config overrides, laid over the protocol's. They must be of the entry's
    /// [`views`](heldout_core::About::views), and the same for every run.
    fn view(&self, _place: &Place<'_>) -> Map<String, Value> {
        Map::new()
    }

    /// Sits down at a batch of one environment, in place of the agents that it [plays](Agent::plays).
    ///
    /// # Errors
    ///
    /// If it cannot play there: why.
    fn actor(&self, place: &Place<'_>, spec: &Spec) -> Result<Box<dyn Actor>, String>;

    /// What it experienced in training, for tests that are made from it; none unless told.
    fn experience(&self, _place: &Place<'_>) -> Option<Vec<u8>> {
        None
    }

    /// What it would say, for languages that are measured; nothing unless told.
    fn speaker(&self, _place: &Place<'_>) -> Option<Arc<dyn Speaker>> {
        None
    }

    /// What it computes with (`flex avx2`), where its answers depend on that.
    fn backend(&self) -> Option<String> {
        None
    }

    /// How it was trained, for its records, without what differs from seed to seed and without paths; nothing unless told.
    fn trained(&self, _place: &Place<'_>) -> Map<String, Value> {
        Map::new()
    }

    /// The data that its policy is made of, by content: records hold no paths.
    fn sources(&self, _place: &Place<'_>) -> Vec<Source> {
        Vec::new()
    }

    /// What it scored on the way when it was trained for a task, seed by seed; nothing unless told. Whose it is and of
    /// which task is the evaluation's to say.
    ///
    /// # Errors
    ///
    /// If what is kept of that cannot be read: why.
    fn curves(&self, _place: &Place<'_>) -> Result<Curve, String> {
        Ok(Curve::default())
    }
}

/// Who plays one agent of an environment.
#[derive(Clone)]
pub enum Seated {
    /// A scripted policy.
    Scripted(String),
    /// An agent.
    Agent(Arc<dyn Agent>),
}

/// How an entrant plays.
#[derive(Clone)]
pub enum Play {
    /// By scripted policies: `NAME` or `AGENT=NAME,AGENT=NAME`; `shortcut` stands for the policy of the task's floor.
    Scripted(String),
    /// By itself.
    Agent(Arc<dyn Agent>),
    /// Each agent of the environment by its own.
    Mixed(Vec<(String, Seated)>),
}

impl Play {
    /// The agents among those who play, each once.
    pub(crate) fn agents(&self) -> Vec<&Arc<dyn Agent>> {
        let mut found: Vec<&Arc<dyn Agent>> = Vec::new();
        let seats: &[(String, Seated)] = match self {
            Self::Scripted(_) => &[],
            Self::Agent(agent) => return vec![agent],
            Self::Mixed(seats) => seats,
        };
        for (_, seated) in seats {
            if let Seated::Agent(agent) = seated
                && !found.iter().any(|known| Arc::ptr_eq(known, agent))
            {
                found.push(agent);
            }
        }
        found
    }

    /// The scripted policies among those who play: `NAME` or `AGENT=NAME,…`; empty if there are none.
    pub(crate) fn scripted(&self) -> String {
        match self {
            Self::Scripted(text) => text.clone(),
            Self::Agent(_) => String::new(),
            Self::Mixed(seats) => {
                let pair = |(agent, seated): &(String, Seated)| match seated {
                    Seated::Scripted(name) => Some(format!("{agent}={name}")),
                    Seated::Agent(_) => None,
                };
                seats.iter().filter_map(pair).collect::<Vec<_>>().join(",")
            }
        }
    }

    /// The text of those who play, each agent as `named` calls it.
    pub(crate) fn text(&self, named: impl Fn(&dyn Agent) -> String) -> String {
        match self {
            Self::Scripted(text) => text.clone(),
            Self::Agent(agent) => named(&**agent),
            Self::Mixed(seats) => {
                let pair = |(agent, seated): &(String, Seated)| match seated {
                    Seated::Scripted(name) => format!("{agent}={name}"),
                    Seated::Agent(player) => format!("{agent}={}", named(&**player)),
                };
                seats.iter().map(pair).collect::<Vec<_>>().join(",")
            }
        }
    }
}

impl std::fmt::Debug for Play {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Play").field(&self.text(|agent| format!("<{}>", agent.name()))).finish()
    }
}

/// What opens a checkpoint: the agent that a path holds, or why it holds none.
pub type Load<'a> = &'a dyn Fn(&Path) -> Result<Arc<dyn Agent>, String>;

/// Opens nothing: for programs without learners.
///
/// # Errors
///
/// Always.
pub fn no_learners(_: &Path) -> Result<Arc<dyn Agent>, String> {
    Err("this version has no learners".to_owned())
}

/// One that takes part.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// By which reports and claims name it.
    pub label: String,
    /// The policy as it was named.
    pub policy: String,
    /// The policy as it was asked for, where `policy` stands for it.
    pub(crate) asked: Option<String>,
    /// How it plays.
    pub play: Play,
    /// What it experienced in training, for tests that are made from it.
    pub experience: Option<Arc<[u8]>>,
    /// Whether a scale is made of its play: it stays away from tasks that have no such policy, and is given the problems
    /// of the task's reference where each player has its own.
    pub(crate) of_scale: bool,
}

/// A text that names no entrant.
#[derive(Debug, thiserror::Error)]
pub enum EntrantError {
    /// A label that cannot be one.
    #[error(
        "`{text}` has the label `{label}`, must have 1 to {LABEL_LENGTH} characters, none of them a control character, before the `@`"
    )]
    Label {
        /// The whole text.
        text: String,
        /// The label.
        label: String,
    },
    /// No such policy anywhere.
    #[error("no environment has a policy `{name}`; there are {}, or `AGENT=NAME,AGENT=NAME`", listed(known))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A path that holds no agent.
    #[error("cannot play the checkpoint `{path}`: {problem}; scripted policies are {}", listed(known))]
    Checkpoint {
        /// The path.
        path: String,
        /// What is wrong.
        problem: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
}

/// Characters of a label at the most.
pub const LABEL_LENGTH: usize = 100;

/// The name of whoever a task's floor is: the best of random play and the task's shortcuts.
pub(crate) const SHORTCUT: &str = "shortcut";

/// Endings of the files that networks are kept in.
const CHECKPOINTS: [&str; 8] = ["bin", "ckpt", "json", "mpk", "pt", "pth", "safetensors", "zip"];

fn listed(names: &[&str]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// The names of all scripted policies.
fn known() -> Vec<&'static str> {
    let mut names: Vec<_> = entries().flat_map(Entry::policies).map(|policy| policy.name).collect();
    names.push(SHORTCUT);
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a policy is named as a function of Python's: `module:function`.
#[must_use]
pub fn is_importable(policy: &str) -> bool {
    let word = |word: &str| {
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        word.chars().all(letter) && word.chars().next().is_some_and(|first| !first.is_ascii_digit())
    };
    policy.split_once(':').is_some_and(|(module, name)| module.split('.').all(word) && name.split('.').all(word))
}

/// Whether a policy is named by a path, or as a function of Python's, rather than by a scripted policy's name.
fn is_path(policy: &str) -> bool {
    let path = Path::new(policy);
    let ending = path.extension().is_some_and(|e| CHECKPOINTS.iter().any(|known| e == *known));
    // A directory of the user's is more likely a checkpoint than a misspelt name.
    ending || is_importable(policy) || policy.contains(['/', '\\']) || (!known().contains(&policy) && path.exists())
}

/// Who `policy` names.
fn seated(policy: &str, load: Load<'_>) -> Result<Seated, EntrantError> {
    if !is_path(policy) {
        return Ok(Seated::Scripted(policy.to_owned()));
    }
    let agent = load(Path::new(policy));
    let agent =
        agent.map_err(|problem| EntrantError::Checkpoint { path: policy.to_owned(), problem, known: known() })?;
    Ok(Seated::Agent(agent))
}

/// How `policy` plays: `POLICY` or `AGENT=POLICY,AGENT=POLICY`, each a scripted policy's name or a checkpoint's path.
fn play(policy: &str, load: Load<'_>) -> Result<Play, EntrantError> {
    // A path may hold any character.
    let whole = !policy.contains('=') || (Path::new(policy).exists() && is_path(policy));
    if whole {
        return Ok(match seated(policy, load)? {
            Seated::Scripted(name) => Play::Scripted(name),
            Seated::Agent(agent) => Play::Agent(agent),
        });
    }
    let mut opened: Vec<(&str, Seated)> = Vec::new();
    let mut seats = Vec::new();
    for part in policy.split(',') {
        let Some((agent, name)) = part.split_once('=') else { return Ok(Play::Scripted(policy.to_owned())) };
        let player = match opened.iter().find(|(known, _)| *known == name) {
            Some((_, player)) => player.clone(),
            None => seated(name, load)?,
        };
        opened.push((name, player.clone()));
        seats.push((agent.to_owned(), player));
    }
    if seats.iter().all(|(_, player)| matches!(player, Seated::Scripted(_))) {
        return Ok(Play::Scripted(policy.to_owned()));
    }
    Ok(Play::Mixed(seats))
}

impl Entrant {
    /// Reads `POLICY` or `LABEL@POLICY`. A policy is the name of a scripted one or the path of a checkpoint, which `load`
    /// opens, or `AGENT=POLICY,AGENT=POLICY` with either for each agent of an environment. Without a label, a scripted
    /// policy is called by its name and a checkpoint by the [label](Agent::label) that it has.
    ///
    /// # Errors
    ///
    /// If the label cannot be one, no environment has such a policy, or a checkpoint cannot be opened.
    pub fn parse(text: &str, load: Load<'_>) -> Result<Self, EntrantError> {
        let (label, policy) = match text.split_once('@') {
            Some((label, policy)) => (Some(label), policy),
            None => (None, text),
        };
        label.map_or(Ok(()), |label| check_label(text, label))?;
        let entrant = Self::unchecked(policy, load)?;
        let scripted = entrant.play.scripted();
        let names = scripted.split(',').map(|part| part.split_once('=').map_or(part, |(_, name)| name));
        let all_by_agents = scripted.is_empty() && !matches!(entrant.play, Play::Scripted(_));
        if let Some(name) = names.into_iter().find(|name| !all_by_agents && !known().contains(name)) {
            return Err(EntrantError::Unknown { name: name.to_owned(), known: known() });
        }
        let label = label.map_or_else(|| entrant.label.clone(), str::to_owned);
        check_label(text, &label)?;
        Ok(Self { label, ..entrant })
    }

    /// Reads a policy for one environment, which will say whether it has the scripted policies that are named.
    ///
    /// # Errors
    ///
    /// If a checkpoint cannot be opened.
    pub fn unchecked(policy: &str, load: Load<'_>) -> Result<Self, EntrantError> {
        let play = play(policy, load)?;
        let (label, policy) = (play.text(|agent| agent.label()), play.text(|agent| agent.name()));
        Ok(Self { label, policy, asked: None, play, experience: None, of_scale: false })
    }

    /// The scripted policy called `name` as one that scales are made of.
    pub(crate) fn of_scale(name: &str) -> Self {
        let play = Play::Scripted(name.to_owned());
        Self { label: name.to_owned(), policy: name.to_owned(), asked: None, play, experience: None, of_scale: true }
    }

    /// Whether it has a part in a task.
    pub(crate) fn enters(&self, place: &Place<'_>) -> bool {
        let known = || place.entry.policies().iter().any(|policy| policy.name == self.policy);
        (!self.of_scale || known()) && self.play.agents().iter().all(|agent| agent.enters(place))
    }

    /// How many policies trained alike it is at `place`: those of the agent that has fewest, of those that have several.
    pub(crate) fn runs(&self, place: &Place<'_>) -> usize {
        let runs = self.play.agents().into_iter().map(|agent| agent.runs(place));
        runs.filter(|runs| *runs > 1).min().unwrap_or(1)
    }

    /// The config overrides by which it sees and acts at `place`.
    ///
    /// # Errors
    ///
    /// If it asks for a key that is none of its to choose, or two of those who play ask for different values.
    pub fn view(&self, place: &Place<'_>) -> Result<Map<String, Value>, String> {
        let (id, about) = (place.entry.id(), place.entry.about);
        let agents = self.play.agents();
        let scripted = self.play.scripted();
        let names: Vec<&str> = scripted.split(',').map(|part| part.split_once('=').map_or(part, |(_, n)| n)).collect();
        let policies = place.entry.policies();
        let own = policies.iter().filter(|policy| names.contains(&policy.name));
        let wanted = own.map(|policy| (policy.name.to_owned(), policy.view(), agents.is_empty()));
        let wanted = wanted.chain(agents.iter().map(|agent| (agent.name(), agent.view(place), false)));
        let mut view = Map::new();
        for (who, asked, aided) in wanted {
            for (key, value) in asked {
                let known = |keys: &[&str]| keys.contains(&key.as_str());
                if !(known(about.views) || aided && known(about.aids)) {
                    let views = if about.views.is_empty() { "none".to_owned() } else { listed(about.views) };
                    return Err(format!(
                        "`{who}` asks for `{key}` = `{value}`, which is not how it sees or acts: views of `{id}` are {views}"
                    ));
                }
                if let Some(other) = view.insert(key.clone(), value.clone())
                    && other != value
                {
                    return Err(format!("`{key}` is to be `{other}` and `{value}` at once for those who play"));
                }
            }
        }
        Ok(view)
    }

    /// An agent of the caller's, under a label.
    ///
    /// # Errors
    ///
    /// If the label cannot be one.
    pub fn agent(label: &str, agent: Arc<dyn Agent>) -> Result<Self, EntrantError> {
        check_label(label, label)?;
        let (label, policy, play) = (label.to_owned(), agent.name(), Play::Agent(agent));
        Ok(Self { label, policy, asked: None, play, experience: None, of_scale: false })
    }
}

fn check_label(text: &str, label: &str) -> Result<(), EntrantError> {
    if label.is_empty() || label.chars().count() > LABEL_LENGTH || label.chars().any(char::is_control) {
        return Err(EntrantError::Label { text: text.to_owned(), label: label.to_owned() });
    }
    Ok(())
}

//! Who takes part in an evaluation: a scripted policy by its name, or an agent that a caller brings.

use std::path::Path;
use std::sync::Arc;

use heldout_core::{Entry, Spec};
use heldout_envs::entries;

use crate::play::Actor;

/// An agent that is not scripted: what a trained network or a caller's function implements.
pub trait Agent: Send + Sync {
    /// Sits down at a batch of one environment.
    ///
    /// # Errors
    ///
    /// If it cannot play there: why.
    fn actor(&self, entry: &'static Entry, spec: &Spec) -> Result<Box<dyn Actor>, String>;

    /// What it experienced in training in the environment `id`, for tests that are made from it; none unless told.
    fn experience(&self, _id: &str) -> Option<Vec<u8>> {
        None
    }
}

/// How an entrant plays.
#[derive(Clone)]
pub enum Play {
    /// By scripted policies: `NAME` or `AGENT=NAME,AGENT=NAME`; `shortcut` stands for the policy of the task's floor.
    Scripted(String),
    /// By itself.
    Agent(Arc<dyn Agent>),
}

impl std::fmt::Debug for Play {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scripted(text) => f.debug_tuple("Scripted").field(text).finish(),
            Self::Agent(_) => f.write_str("Agent"),
        }
    }
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
    /// A checkpoint, which nothing can play yet.
    #[error(
        "`{path}` is the path of a checkpoint, which this version cannot play; scripted policies are {}",
        listed(known)
    )]
    Checkpoint {
        /// The path.
        path: String,
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

impl Entrant {
    /// Reads `POLICY` or `LABEL@POLICY`; a policy without a label is its own.
    ///
    /// # Errors
    ///
    /// If the label cannot be one, no environment has such a policy, or it is a checkpoint.
    pub fn parse(text: &str) -> Result<Self, EntrantError> {
        let (label, policy) = text.split_once('@').unwrap_or((text, text));
        check_label(text, label)?;
        let path = Path::new(policy);
        let ending = path.extension().is_some_and(|e| CHECKPOINTS.iter().any(|known| e == *known));
        if ending || policy.contains(['/', '\\']) {
            return Err(EntrantError::Checkpoint { path: policy.to_owned(), known: known() });
        }
        let names = policy.split(',').map(|part| part.split_once('=').map_or(part, |(_, name)| name));
        for name in names {
            if !known().contains(&name) {
                // A directory of the user's is more likely a checkpoint than a misspelt name.
                let error = if path.exists() {
                    EntrantError::Checkpoint { path: policy.to_owned(), known: known() }
                } else {
                    EntrantError::Unknown { name: name.to_owned(), known: known() }
                };
                return Err(error);
            }
        }
        Ok(Self {
            label: label.to_owned(),
            policy: policy.to_owned(),
            asked: None,
            play: Play::Scripted(policy.to_owned()),
            experience: None,
            of_scale: false,
        })
    }

    /// The scripted policy called `name` as one that scales are made of.
    pub(crate) fn of_scale(name: &str) -> Self {
        let play = Play::Scripted(name.to_owned());
        Self { label: name.to_owned(), policy: name.to_owned(), asked: None, play, experience: None, of_scale: true }
    }

    /// Whether it has a part in the tasks of `entry`.
    pub(crate) fn enters(&self, entry: &Entry) -> bool {
        !self.of_scale || entry.policies().iter().any(|policy| policy.name == self.policy)
    }

    /// An agent of the caller's, under a label; `policy` says in the records what it is.
    ///
    /// # Errors
    ///
    /// If the label cannot be one.
    pub fn agent(label: &str, policy: &str, agent: Arc<dyn Agent>) -> Result<Self, EntrantError> {
        check_label(label, label)?;
        let (label, policy, play) = (label.to_owned(), policy.to_owned(), Play::Agent(agent));
        Ok(Self { label, policy, asked: None, play, experience: None, of_scale: false })
    }
}

fn check_label(text: &str, label: &str) -> Result<(), EntrantError> {
    if label.is_empty() || label.chars().count() > LABEL_LENGTH || label.chars().any(char::is_control) {
        return Err(EntrantError::Label { text: text.to_owned(), label: label.to_owned() });
    }
    Ok(())
}

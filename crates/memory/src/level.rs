//! Levels: which stimuli and which scale an episode may use.

use heldout_core::{ConfigError, Rng};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stimuli {
    /// Those of training.
    Train,
    /// Those that training never shows.
    HeldOut,
}

/// Which scale: delays, counts or sizes, as the task has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// The smaller of training.
    Small,
    /// The larger of training.
    Large,
    /// Small or large, drawn anew each episode.
    Mixed,
    /// Between them.
    Interpolate,
    /// Beyond them.
    Extrapolate,
}

/// A scale that is not a mixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Drawn {
    /// The smaller of training.
    Small,
    /// The larger of training.
    Large,
    /// Between them.
    Interpolate,
    /// Beyond them.
    Extrapolate,
}

/// Stimuli and scale: the value of the config key `level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) name: &'static str,
    pub(crate) stimuli: Stimuli,
    pub(crate) scale: Scale,
}

/// Every level, training first.
pub(crate) const LEVELS: [Level; 9] = [
    level("train", Stimuli::Train, Scale::Mixed),
    level("holdout_interpolate", Stimuli::HeldOut, Scale::Interpolate),
    level("holdout_extrapolate", Stimuli::HeldOut, Scale::Extrapolate),
    level("train_small", Stimuli::Train, Scale::Small),
    level("train_large", Stimuli::Train, Scale::Large),
    level("interpolate", Stimuli::Train, Scale::Interpolate),
    level("extrapolate", Stimuli::Train, Scale::Extrapolate),
    level("holdout_small", Stimuli::HeldOut, Scale::Small),
    level("holdout_large", Stimuli::HeldOut, Scale::Large),
];

/// The names of [`LEVELS`], as a registry entry lists its splits.
pub(crate) const NAMES: [&str; LEVELS.len()] = {
    let mut names = [""; LEVELS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = LEVELS[i].name;
        i += 1;
    }
    names
};

const fn level(name: &'static str, stimuli: Stimuli, scale: Scale) -> Level {
    Level { name, stimuli, scale }
}

impl Level {
    /// The level that `name` means for the task whose public levels begin with `task`: `train`, or `<task>_train`.
    pub(crate) fn of(name: &str, task: &str) -> Result<Self, ConfigError> {
        let bare = name.strip_prefix(task).and_then(|rest| rest.strip_prefix('_')).unwrap_or(name);
        LEVELS.into_iter().find(|level| level.name == bare).ok_or_else(|| {
            let names = NAMES.map(|n| format!("`{n}`")).join(", ");
            ConfigError::value("level", name, &format!("one of {names}, or one of them after `{task}_`"))
        })
    }

    /// The scale of one episode.
    pub(crate) fn draw(&self, rng: &mut Rng) -> Drawn {
        match self.scale {
            Scale::Mixed => [Drawn::Small, Drawn::Large][rng.below(2) as usize],
            Scale::Small => Drawn::Small,
            Scale::Large => Drawn::Large,
            Scale::Interpolate => Drawn::Interpolate,
            Scale::Extrapolate => Drawn::Extrapolate,
        }
    }
}

//! Levels: which stimuli and which scale an episode may use, and the public names of levels.

use heldout_core::{ConfigError, Rng};

/// Which stimuli.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stimuli {
    /// Those of training.
    Train,
    /// Those that training never shows.
    HeldOut,
}

/// Which scale: delays, counts or sizes, as the task has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
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
pub enum Drawn {
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
pub struct Level {
    /// Its name.
    pub name: &'static str,
    /// Which stimuli.
    pub stimuli: Stimuli,
    /// Which scale.
    pub scale: Scale,
}

/// Every level, training first.
pub const LEVELS: [Level; 9] = [
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
pub const NAMES: [&str; 9] = [
    "train",
    "holdout_interpolate",
    "holdout_extrapolate",
    "train_small",
    "train_large",
    "interpolate",
    "extrapolate",
    "holdout_small",
    "holdout_large",
];

const fn level(name: &'static str, stimuli: Stimuli, scale: Scale) -> Level {
    Level { name, stimuli, scale }
}

impl Level {
    /// The level that `name` means for the task whose public levels begin with `task`: `train`, or `<task>_train`.
    ///
    /// # Errors
    ///
    /// If there is no such level; the error lists what there is.
    pub fn of(name: &str, task: &str) -> Result<Self, ConfigError> {
        let bare = name.strip_prefix(task).and_then(|rest| rest.strip_prefix('_')).unwrap_or(name);
        LEVELS.into_iter().find(|level| level.name == bare).ok_or_else(|| {
            let names = NAMES.map(|n| format!("`{n}`")).join(", ");
            ConfigError::value("level", name, &format!("one of {names}, or one of them after `{task}_`"))
        })
    }

    /// The scale of one episode.
    #[must_use]
    pub fn draw(&self, rng: &mut Rng) -> Drawn {
        match self.scale {
            Scale::Mixed => [Drawn::Small, Drawn::Large][rng.below(2) as usize],
            Scale::Small => Drawn::Small,
            Scale::Large => Drawn::Large,
            Scale::Interpolate => Drawn::Interpolate,
            Scale::Extrapolate => Drawn::Extrapolate,
        }
    }
}

/// The tasks of the Unity engine, by their public names.
pub const UNITY_TASKS: [&str; 8] = [
    "spot_diff",
    "spot_diff_passive",
    "spot_diff_multi",
    "spot_diff_motion",
    "invisible_goal_empty_arena",
    "invisible_goal_with_buildings",
    "visible_goal_with_buildings",
    "transitive_inference",
];

/// The suffixes of the public names of a Unity task.
const UNITY_SUFFIXES: [&str; 7] = [
    "train",
    "interpolate",
    "extrapolate",
    "holdout_small",
    "holdout_large",
    "holdout_interpolate",
    "holdout_extrapolate",
];

/// The suffixes where training has a level for each of its scales.
const TWO_FILE_SUFFIXES: [&str; 8] = [
    "train_small",
    "train_large",
    "interpolate",
    "extrapolate",
    "holdout_small",
    "holdout_large",
    "holdout_interpolate",
    "holdout_extrapolate",
];

/// The suffixes of the public names of a `PsychLab` task.
const PSYCHLAB_SUFFIXES: [&str; 3] = ["train", "holdout_interpolate", "holdout_extrapolate"];

/// The tasks on `PsychLab` panels, by their public names.
pub const PSYCHLAB_TASKS: [&str; 4] =
    ["arbitrary_visuomotor_mapping", "change_detection", "continuous_recognition", "what_then_where"];

/// The task in the procedural maze, by its public name.
pub const MAZE_TASK: &str = "explore_goal_locations";

/// A public level: its task and its level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Public {
    /// The public name of the task.
    pub task: &'static str,
    /// The level's name here.
    pub level: &'static str,
}

impl Public {
    /// The whole public name.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}_{}", self.task, self.level)
    }

    /// The id of its environment.
    #[must_use]
    pub fn id(&self) -> String {
        format!("memory/{}-v1", self.task.replace('_', "-"))
    }
}

/// The 57 names of the Unity tasks.
#[must_use]
pub fn unity_levels() -> Vec<Public> {
    let suffixes = |task| if task == "transitive_inference" { &TWO_FILE_SUFFIXES[..] } else { &UNITY_SUFFIXES[..] };
    UNITY_TASKS.into_iter().flat_map(|task| suffixes(task).iter().map(move |level| Public { task, level })).collect()
}

/// All 77 public names.
#[must_use]
pub fn public_levels() -> Vec<Public> {
    let mut levels = unity_levels();
    for task in PSYCHLAB_TASKS {
        levels.extend(PSYCHLAB_SUFFIXES.map(|level| Public { task, level }));
    }
    levels.extend(TWO_FILE_SUFFIXES.map(|level| Public { task: MAZE_TASK, level }));
    levels
}

/// The two names that mix the two training levels of their task.
#[must_use]
pub fn virtual_levels() -> Vec<Public> {
    ["transitive_inference", MAZE_TASK].map(|task| Public { task, level: "train" }).to_vec()
}

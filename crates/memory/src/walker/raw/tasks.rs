//! The thirteen tasks by their public names, with their public levels.

use serde_json::{Map, Value};

use super::{Opened, RawError, RawLevel, Settings};
use crate::arena::{self, Arena};
use crate::maze::{self, Maze};
use crate::psychlab::{Change, Mapping, PsychLab, Recognition, Task as _, WhatThenWhere};
use crate::rooms::{self, Inference, Spot, Variant};

/// How the levels of a task are opened, from a level's name, its config without the time limit, and the settings.
type Open = fn(&str, Map<String, Value>, &Settings) -> Result<Box<dyn RawLevel>, RawError>;

/// A public task.
pub(crate) struct PublicTask {
    pub(crate) name: &'static str,
    /// What the public names of its levels end with.
    levels: Levels,
    pub(super) open: Open,
}

/// Names of training levels, and of all others.
type Levels = [&'static [&'static str]; 2];

const UNITY: Levels = [&["train"], OTHERS];
/// Where training has a level for each of its scales.
const TWO_FILES: Levels = [&["train_small", "train_large"], OTHERS];
const OTHERS: &[&str] =
    &["interpolate", "extrapolate", "holdout_small", "holdout_large", "holdout_interpolate", "holdout_extrapolate"];
const PSYCHLAB: Levels = [&["train"], &["holdout_interpolate", "holdout_extrapolate"]];

const fn task(name: &'static str, levels: Levels, open: Open) -> PublicTask {
    PublicTask { name, levels, open }
}

static TASKS: [PublicTask; 13] = [
    task(Variant::Basic.task(), UNITY, |n, c, s| Opened::<Spot>::open(Variant::Basic, n, c, s)),
    task(Variant::Passive.task(), UNITY, |n, c, s| Opened::<Spot>::open(Variant::Passive, n, c, s)),
    task(Variant::Multi.task(), UNITY, |n, c, s| Opened::<Spot>::open(Variant::Multi, n, c, s)),
    task(Variant::Motion.task(), UNITY, |n, c, s| Opened::<Spot>::open(Variant::Motion, n, c, s)),
    task(arena::INVISIBLE_EMPTY.task, UNITY, |n, c, s| Opened::<Arena>::open(arena::INVISIBLE_EMPTY, n, c, s)),
    task(arena::INVISIBLE_BUILDINGS.task, UNITY, |n, c, s| Opened::<Arena>::open(arena::INVISIBLE_BUILDINGS, n, c, s)),
    task(arena::VISIBLE_BUILDINGS.task, UNITY, |n, c, s| Opened::<Arena>::open(arena::VISIBLE_BUILDINGS, n, c, s)),
    task(rooms::INFERENCE_TASK, TWO_FILES, |n, c, s| Opened::<Inference>::open((), n, c, s)),
    task(Mapping::NAME, PSYCHLAB, |n, c, s| Opened::<PsychLab<Mapping>>::open((), n, c, s)),
    task(Change::NAME, PSYCHLAB, |n, c, s| Opened::<PsychLab<Change>>::open((), n, c, s)),
    task(Recognition::NAME, PSYCHLAB, |n, c, s| Opened::<PsychLab<Recognition>>::open((), n, c, s)),
    task(WhatThenWhere::NAME, PSYCHLAB, |n, c, s| Opened::<PsychLab<WhatThenWhere>>::open((), n, c, s)),
    task(maze::TASK, TWO_FILES, |n, c, s| Opened::<Maze>::open((), n, c, s)),
];

/// A public level: its task, and what the task calls it.
#[derive(Clone, Copy)]
pub(crate) struct Public {
    pub(crate) task: &'static PublicTask,
    pub(crate) level: &'static str,
}

impl Public {
    /// The whole public name.
    pub(crate) fn name(&self) -> String {
        format!("{}_{}", self.task.name, self.level)
    }
}

/// All 77 public names.
pub(crate) fn public_levels() -> impl Iterator<Item = Public> {
    TASKS.iter().flat_map(|task| task.levels.into_iter().flatten().map(move |level| Public { task, level }))
}

/// The two names that mix the two training levels of their task.
pub(crate) fn virtual_levels() -> impl Iterator<Item = Public> {
    TASKS.iter().filter(|task| !task.levels[0].contains(&"train")).map(|task| Public { task, level: "train" })
}

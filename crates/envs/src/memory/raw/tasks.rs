//! The rules of the thirteen tasks under raw controls.

use heldout_core::Status;
use serde_json::Value;

use super::{Opened, Raw, RawError, RawLevel, Settings};
use crate::memory::arena::{self, Arena, InvisibleBuildings, InvisibleEmpty, VisibleBuildings};
use crate::memory::body;
use crate::memory::controls::{Controls, LabControls, Walk};
use crate::memory::maze::{self, Maze};
use crate::memory::psychlab::{self, Action, Change, Mapping, PsychLab, Recognition, WhatThenWhere};
use crate::memory::rooms::{
    Inference, SpotDiff, SpotDiffBasic, SpotDiffMotion, SpotDiffMulti, SpotDiffPassive, SpotTask,
};

/// How the levels of a task are opened, from a level's name, the whole config and the settings.
pub(super) type Open = fn(&str, Value, &Settings) -> Result<Box<dyn RawLevel>, RawError>;

/// The rules of each task, by the task's public name.
pub(super) static TASKS: &[(&str, Open)] = &[
    ("arbitrary_visuomotor_mapping", Opened::<PsychLab<Mapping>>::open),
    ("continuous_recognition", Opened::<PsychLab<Recognition>>::open),
    ("change_detection", Opened::<PsychLab<Change>>::open),
    ("what_then_where", Opened::<PsychLab<WhatThenWhere>>::open),
    ("spot_diff", Opened::<SpotDiff<SpotDiffBasic>>::open),
    ("spot_diff_passive", Opened::<SpotDiff<SpotDiffPassive>>::open),
    ("spot_diff_multi", Opened::<SpotDiff<SpotDiffMulti>>::open),
    ("spot_diff_motion", Opened::<SpotDiff<SpotDiffMotion>>::open),
    ("visible_goal_with_buildings", Opened::<Arena<VisibleBuildings>>::open),
    ("invisible_goal_with_buildings", Opened::<Arena<InvisibleBuildings>>::open),
    ("invisible_goal_empty_arena", Opened::<Arena<InvisibleEmpty>>::open),
    ("explore_goal_locations", Opened::<Maze>::open),
    ("transitive_inference", Opened::<Inference>::open),
];

impl<T: SpotTask> Raw for SpotDiff<T> {
    type Controls = Controls;
    const TICKS_PER_SECOND: u32 = body::TICKS_PER_SECOND;

    fn discrete() -> Vec<Controls> {
        Walk::ALL.map(Walk::controls).to_vec()
    }

    fn tick(&self, state: &mut Self::State, controls: &Controls) -> (f32, Status) {
        self.rules().tick(state, controls)
    }

    fn position(&self, state: &Self::State) -> [f64; 3] {
        self.rules().position(state)
    }

    fn ticks_left(&self, state: &Self::State) -> u32 {
        self.rules().limit() - state.tick
    }
}

impl Raw for Inference {
    type Controls = Controls;
    const TICKS_PER_SECOND: u32 = body::TICKS_PER_SECOND;

    fn discrete() -> Vec<Controls> {
        Walk::ALL.map(Walk::controls).to_vec()
    }

    fn tick(&self, state: &mut Self::State, controls: &Controls) -> (f32, Status) {
        Self::tick(self, state, controls)
    }

    fn position(&self, state: &Self::State) -> [f64; 3] {
        Self::position(self, state)
    }

    fn ticks_left(&self, state: &Self::State) -> u32 {
        self.limit() - state.tick
    }
}

impl<T: arena::Task> Raw for Arena<T> {
    type Controls = Controls;
    const TICKS_PER_SECOND: u32 = body::TICKS_PER_SECOND;

    fn discrete() -> Vec<Controls> {
        Walk::ALL.map(Walk::controls).to_vec()
    }

    fn tick(&self, state: &mut Self::State, controls: &Controls) -> (f32, Status) {
        state.controls = *controls;
        self.rules().advance(state)
    }

    fn position(&self, state: &Self::State) -> [f64; 3] {
        state.position()
    }

    fn ticks_left(&self, state: &Self::State) -> u32 {
        self.rules().limit() - state.tick
    }
}

impl Raw for Maze {
    type Controls = LabControls;
    const TICKS_PER_SECOND: u32 = maze::rules::TICKS_PER_SECOND;

    fn discrete() -> Vec<LabControls> {
        Walk::ALL.map(Walk::lab_controls).to_vec()
    }

    fn tick(&self, state: &mut Self::State, controls: &LabControls) -> (f32, Status) {
        state.controls = *controls;
        self.rules().advance(state)
    }

    fn position(&self, state: &Self::State) -> [f64; 3] {
        let [east, up, north] = state.position();
        [east, north, up]
    }

    fn ticks_left(&self, state: &Self::State) -> u32 {
        self.rules().limit() - state.tick
    }
}

impl<T: psychlab::Task> Raw for PsychLab<T> {
    type Controls = LabControls;
    const TICKS_PER_SECOND: u32 = psychlab::task::TICK_RATE;

    fn discrete() -> Vec<LabControls> {
        let looks = Action::ALL.map(Action::turn);
        looks.map(|(turn, tilt)| LabControls { turn, tilt, ..LabControls::default() }).to_vec()
    }

    /// Only looking has an effect: there is a platform to stand on, and nothing to shoot.
    fn tick(&self, state: &mut Self::State, controls: &LabControls) -> (f32, Status) {
        self.rules().tick(state, (controls.turn, controls.tilt))
    }

    fn position(&self, state: &Self::State) -> [f64; 3] {
        self.rules().position(state)
    }

    fn ticks_left(&self, state: &Self::State) -> u32 {
        self.rules().limit() - state.ticks
    }
}

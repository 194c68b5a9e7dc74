//! The procedural maze: rooms and corridors, one goal, and a run back to it from wherever one is put.

mod draw;
pub mod plan;
mod policies;
pub mod rules;
pub mod runner;
pub(super) mod scene;

use heldout_core::{ConfigError, Environment, Frame, Row, Scripted, Spec, Start, Status};
use heldout_render::Canvas;

pub use policies::{Honest, Memoryless, Noop, Oracle};
pub use rules::{Config, Rules, State};

use super::arena::PRESETS;
use super::controls::Walk;
use super::level;
use crate::registry::About;

/// The entry of `memory/explore-goal-locations-v1`.
pub static ABOUT: About = About {
    id: "memory/explore-goal-locations-v1",
    summary: "Find the goal of a maze, then run back to it from wherever one is put; held out by rows and by size.",
    card: include_str!("../explore_goal_locations.md"),
    split_key: "level",
    splits: &level::NAMES,
    presets: &PRESETS,
    smallest: r#"{"observation": "symbolic"}"#,
};

/// The maze.
#[derive(Debug)]
pub struct Maze {
    rules: Rules,
}

impl Maze {
    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

impl Environment for Maze {
    type Config = Config;
    type State = State;
    type Action = Walk;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self { rules: Rules::new(config)? })
    }

    fn spec(&self) -> &Spec {
        self.rules.spec()
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Walk> {
        Walk::decode(raw)
    }

    fn encode(&self, _: usize, action: Walk, raw: &mut [i32]) {
        raw[0] = action as i32;
    }

    fn start(&self, start: Start) -> State {
        self.rules.start(start)
    }

    fn restart(&self, state: &mut State, start: Start) {
        self.rules.restart(state, start);
    }

    fn reserve(&self, state: &mut State) {
        self.rules.reserve(state);
    }

    fn step(&self, state: &mut State, actions: &[Walk], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.rules.step(state, actions[0]);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &State, _: usize, row: Row<'_, '_>) {
        self.rules.observe(state, row);
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        draw::draw(&self.rules, state, &mut Canvas::new(frame.width, frame.height, frame.pixels));
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        Rules::metrics(state, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        policies::all()
    }
}

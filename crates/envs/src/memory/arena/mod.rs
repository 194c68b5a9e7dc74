//! Goal navigation in a square arena: find a place once, then return to it from wherever one is put.

mod draw;
pub mod layout;
mod policies;
pub mod rules;
pub(super) mod scene;

use std::marker::PhantomData;

use heldout_core::{ConfigError, Environment, Frame, Row, Scripted, Spec, Start, Status};
use heldout_render::Canvas;

pub use policies::{Honest, Memoryless, Noop, Oracle};
pub use rules::{Config, Kind, Rules, State};

use super::controls::Walk;
use super::level;
use crate::registry::{About, Preset};

/// One of the three tasks.
pub trait Task: Send + Sync + 'static {
    /// What it is.
    const KIND: Kind;
}

macro_rules! tasks {
    ($($task:ident $about:ident $id:literal $name:literal $visible:literal $buildings:literal $card:literal $summary:literal;)*) => {
        $(
            #[doc = concat!("The task of `", $id, "`.")]
            #[derive(Debug)]
            pub struct $task;

            impl Task for $task {
                const KIND: Kind = Kind { task: $name, visible: $visible, buildings: $buildings };
            }

            #[doc = concat!("The entry of `", $id, "`.")]
            pub static $about: About = About {
                id: $id,
                summary: $summary,
                card: include_str!($card),
                split_key: "level",
                splits: &level::NAMES,
                presets: &PRESETS,
                smallest: r#"{"observation": "symbolic"}"#,
            };
        )*
    };
}

pub(super) const PRESETS: [Preset; 3] = [
    Preset {
        name: "symbolic",
        about: "Numbers in place of the picture, with the previous action and reward.",
        config: r#"{"observation": "symbolic", "previous": true}"#,
    },
    Preset {
        name: "pose",
        about: "The same with the walker's pose: an ablation that takes finding oneself out of the task.",
        config: r#"{"observation": "symbolic", "previous": true, "pose": true}"#,
    },
    Preset { name: "square", about: "A square picture.", config: r#"{"width": 84, "height": 84}"# },
];

tasks! {
    VisibleBuildings VISIBLE_BUILDINGS "memory/visible-goal-with-buildings-v1" "visible_goal_with_buildings" true true
        "../visible_goal_with_buildings.md"
        "Find a ball among buildings, then return to it from wherever one is put; held out by quadrant and by size.";
    InvisibleBuildings INVISIBLE_BUILDINGS "memory/invisible-goal-with-buildings-v1" "invisible_goal_with_buildings" false true
        "../invisible_goal_with_buildings.md"
        "Find an unmarked place among buildings, then return to it; held out by quadrant and by size.";
    InvisibleEmpty INVISIBLE_EMPTY "memory/invisible-goal-empty-arena-v1" "invisible_goal_empty_arena" false false
        "../invisible_goal_empty_arena.md"
        "Find an unmarked place in an empty arena under a sky with landmarks, then return to it; held out by quadrant and by size.";
}

/// The rules of one task.
#[derive(Debug)]
pub struct Arena<T: Task> {
    rules: Rules,
    task: PhantomData<T>,
}

impl<T: Task> Arena<T> {
    /// The rules, whichever the task.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

impl<T: Task> Environment for Arena<T> {
    type Config = Config;
    type State = State;
    type Action = Walk;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self { rules: Rules::new(config, T::KIND)?, task: PhantomData })
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
        state.trips.reserve();
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

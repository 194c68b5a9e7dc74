//! Rooms: spot the difference between two of them, four ways, and transitive inference in one.
//!
//! Each task has a `mini` without walking: stimuli, then a choice.

mod chain;
mod colour;
mod config;
mod gate;
mod honest;
mod inference;
mod inference_mini;
mod inference_policies;
mod layout;
mod map;
mod pattern;
mod relations;
mod route;
mod sight;
mod spot;
mod spot_draw;
mod spot_mini;
mod spot_policies;
mod spot_view;

use std::marker::PhantomData;

use heldout_core::{ConfigError, Environment, Frame, Row, Scripted, Spec, Start, Status};

pub use chain::{CHALLENGE_REWARD, Chain, DEMO_REWARD, MAX_ITEMS, Side, items};
pub use colour::Colour;
pub use config::{InferenceConfig, Previous, SpotConfig};
pub use gate::{Gate, Gates, PASSED, SLABS, SLIDE};
pub use inference::{ABOUT as TRANSITIVE_INFERENCE, BALLS, BLANK, Inference, InferenceState};
pub use inference_mini::{ABOUT as TRANSITIVE_INFERENCE_MINI, InferenceMini, InferenceMiniConfig, InferenceMiniState};
pub use layout::{Block, HALF, Kind, Layout, MAX_BLOCKS, Room, TOUCH};
pub use pattern::{CIRCUMRADIUS, PERIOD, Pattern};
pub use spot::{Spot, SpotState};
pub use spot_mini::{MiniPhase, SpotMini, SpotMiniConfig, SpotMiniState};

use super::{Walk, level};
use crate::registry::{About, Preset};

/// One of the four tasks in two rooms.
pub trait SpotTask: Send + Sync + 'static {
    /// Which.
    const KIND: Kind;
}

macro_rules! tasks {
    ($($task:ident $kind:ident $about:ident $id:literal $card:literal $summary:literal
        $mini:ident $mini_id:literal $mini_card:literal $mini_summary:literal;)*) => {
        $(
            #[doc = concat!("The task of `", $id, "`.")]
            #[derive(Debug)]
            pub struct $task;

            impl SpotTask for $task {
                const KIND: Kind = Kind::$kind;
            }

            #[doc = concat!("The entry of `", $id, "`.")]
            pub static $about: About = About {
                id: $id,
                summary: $summary,
                card: include_str!($card),
                split_key: "level",
                splits: &level::NAMES,
                presets: &[
                    Preset {
                        name: "symbolic",
                        about: "A vector of what is in view, with the previous action and reward.",
                        config: r#"{"observation": "symbolic", "previous": true}"#,
                    },
                    Preset {
                        name: "square",
                        about: "Pictures of 84 x 84.",
                        config: r#"{"width": 84, "height": 84}"#,
                    },
                ],
                smallest: r#"{"observation": "symbolic"}"#,
            };

            #[doc = concat!("The entry of `", $mini_id, "`.")]
            pub static $mini: About = About {
                id: $mini_id,
                summary: $mini_summary,
                card: include_str!($mini_card),
                split_key: "level",
                splits: &level::NAMES,
                presets: &[Preset {
                    name: "pixels",
                    about: "A picture of 48 x 36 of the blocks.",
                    config: r#"{"observation": "pixels"}"#,
                }],
                smallest: "{}",
            };
        )*
    };
}

tasks! {
    SpotDiffBasic Basic SPOT_DIFF "memory/spot-diff-v1" "../spot_diff.md"
        "See two blocks, walk through a corridor whose gates may hold you, and touch the one that has another colour."
        SPOT_DIFF_MINI "memory/spot-diff-mini-v1" "../spot_diff_mini.md"
        "See two blocks, wait, and name the one that has another colour.";
    SpotDiffPassive Passive SPOT_DIFF_PASSIVE "memory/spot-diff-passive-v1" "../spot_diff_passive.md"
        "Spot the block that has another colour, where both are in view from the beginning."
        SPOT_DIFF_PASSIVE_MINI "memory/spot-diff-passive-mini-v1" "../spot_diff_passive_mini.md"
        "See two blocks, wait, and name the one that has another colour.";
    SpotDiffMulti Multi SPOT_DIFF_MULTI "memory/spot-diff-multi-v1" "../spot_diff_multi.md"
        "Spot the one block of two to seven that has another colour."
        SPOT_DIFF_MULTI_MINI "memory/spot-diff-multi-mini-v1" "../spot_diff_multi_mini.md"
        "See two to seven blocks and name the one that has another colour.";
    SpotDiffMotion Motion SPOT_DIFF_MOTION "memory/spot-diff-motion-v1" "../spot_diff_motion.md"
        "Spot the one of two moving blocks that moves in another way."
        SPOT_DIFF_MOTION_MINI "memory/spot-diff-motion-mini-v1" "../spot_diff_motion_mini.md"
        "See two blocks move, wait, and name the one that moves in another way.";
}

/// One of the four tasks in two rooms.
#[derive(Debug)]
pub struct SpotDiff<T: SpotTask> {
    rules: Spot,
    task: PhantomData<T>,
}

impl<T: SpotTask> SpotDiff<T> {
    /// The rules, whichever the task.
    #[must_use]
    pub fn rules(&self) -> &Spot {
        &self.rules
    }
}

impl<T: SpotTask> Environment for SpotDiff<T> {
    type Config = SpotConfig;
    type State = SpotState;
    type Action = Walk;

    fn new(config: &SpotConfig) -> Result<Self, ConfigError> {
        Ok(Self { rules: Spot::new(config, T::KIND)?, task: PhantomData })
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

    fn start(&self, start: Start) -> SpotState {
        self.rules.start(start)
    }

    fn restart(&self, state: &mut SpotState, start: Start) {
        *state = self.rules.start(start);
    }

    fn step(&self, state: &mut SpotState, actions: &[Walk], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.rules.step(state, actions[0]);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &SpotState, _: usize, row: Row<'_, '_>) {
        self.rules.observe(state, row);
    }

    fn draw(&self, state: &SpotState, _: usize, mut frame: Frame<'_>) {
        self.rules.draw(state, &mut frame);
    }

    fn metrics(&self, state: &SpotState, values: &mut [f32]) {
        Spot::metrics(state, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        spot_policies::all()
    }
}

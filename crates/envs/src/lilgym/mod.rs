//! lilGym: make a sentence true, or false, by adding and removing objects.
//!
//! Four tasks: objects are stacked (TOWER) or lie anywhere (SCATTER), and episodes begin with empty boxes (SCRATCH) or with
//! a scene whose truth is to be flipped (FLIPIT). The reward is exact, because every sentence has a program that decides it
//! ([`language`]).
//!
//! By default everything behaves as the public implementation does, to the pixel and to the reward
//! (`heldout parity lilgym` replays its recordings); each difference from the paper is a key of the [`Config`].

#![allow(clippy::trivially_copy_pass_by_ref, reason = "an item is handled like any other part of a scene")]

mod action;
pub mod builtin;
mod circle;
mod config;
mod corpus;
mod draw;
#[cfg(feature = "files")]
mod files;
mod geometry;
pub mod language;
mod picture;
mod planner;
mod policy;
#[cfg(feature = "files")]
pub mod recording;
mod rules;
mod scene;

use std::marker::PhantomData;

use heldout_core::{ConfigError, Environment, Frame, Row as ObservationRow, Scripted, Spec, Start, Status};

pub use action::{Action, chosen_cell};
pub use config::{Actions, Appearance, Begin, Config, Grid, Holdout, Observation, RemoveRule, Split};
pub use corpus::{CATEGORIES, Corpus, Row, Statement};
pub use planner::Plan;
pub use policy::{Noop, Planner, RandomValid};
pub use rules::{Cause, Change, End, FEATURES, Rules, State};
pub use scene::{BOXES, Color, Item, MAX_ITEMS, Scene, Shape, Size};

use crate::registry::{About, Preset};

/// One of the four tasks.
pub trait Task: Send + Sync + 'static {
    /// How objects stand.
    const APPEARANCE: Appearance;
    /// How episodes begin.
    const BEGIN: Begin;
}

macro_rules! tasks {
    ($($task:ident $about:ident $id:literal $appearance:ident $begin:ident $card:literal $paper:literal $summary:literal;)*) => {
        $(
            #[doc = concat!("The task of `", $id, "`.")]
            #[derive(Debug)]
            pub struct $task;

            impl Task for $task {
                const APPEARANCE: Appearance = Appearance::$appearance;
                const BEGIN: Begin = Begin::$begin;
            }

            #[doc = concat!("The entry of `", $id, "`.")]
            pub static $about: About = About {
                id: $id,
                summary: $summary,
                card: include_str!($card),
                split_key: "split",
                splits: &["train", "dev", "test"],
                presets: &[
                    Preset { name: "paper", about: "What the paper says where the public code differs.", config: $paper },
                    Preset {
                        name: "objects",
                        about: "A list of objects in place of the picture, for agents without eyes.",
                        config: r#"{"observation": "objects"}"#,
                    },
                    Preset {
                        name: "factored",
                        about: "Actions as type, place and attributes, and stop forcing, as the paper's agents train.",
                        config: r#"{"actions": "factored", "observation": "objects", "stop_forcing": true}"#,
                    },
                ],
                smallest: r#"{"observation": "objects"}"#,
            };
        )*
    };
}

tasks! {
    TowerScratch TOWER_SCRATCH "lilgym/tower-scratch-v1" Tower Scratch "tower_scratch.md"
        r#"{"horizon": 12, "horizon_reward": -1.0}"#
        "Stack blocks in three empty boxes until a sentence is true.";
    TowerFlipit TOWER_FLIPIT "lilgym/tower-flipit-v1" Tower Flipit "tower_flipit.md"
        r#"{"horizon": 12, "horizon_reward": -1.0}"#
        "Change towers of blocks until a sentence about them is no longer true, or becomes true.";
    ScatterScratch SCATTER_SCRATCH "lilgym/scatter-scratch-v1" Scatter Scratch "scatter_scratch.md"
        r#"{"horizon": 12, "horizon_reward": -1.0, "cell_search": true}"#
        "Put objects into three empty boxes until a sentence is true.";
    ScatterFlipit SCATTER_FLIPIT "lilgym/scatter-flipit-v1" Scatter Flipit "scatter_flipit.md"
        r#"{"horizon": 12, "horizon_reward": -1.0, "cell_search": true}"#
        "Add and remove objects until a sentence about them is no longer true, or becomes true.";
}

/// The rules of one task.
#[derive(Debug)]
pub struct LilGym<T: Task> {
    rules: Rules,
    task: PhantomData<T>,
}

impl<T: Task> LilGym<T> {
    /// The rules, whichever the task.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

impl<T: Task> Environment for LilGym<T> {
    type Config = Config;
    type State = State;
    type Action = Action;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self { rules: Rules::new(config, T::APPEARANCE, T::BEGIN)?, task: PhantomData })
    }

    fn spec(&self) -> &Spec {
        self.rules.spec()
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Action> {
        self.rules.numbers.decode(raw)
    }

    fn encode(&self, _: usize, action: Action, raw: &mut [i32]) {
        self.rules.numbers.encode(action, raw);
    }

    fn start(&self, start: Start) -> State {
        self.rules.start(start)
    }

    fn restart(&self, state: &mut State, start: Start) {
        self.rules.restart(state, start);
    }

    fn step(&self, state: &mut State, actions: &[Action], rewards: &mut [f32]) -> Status {
        self.rules.step(state, actions[0], &mut rewards[0])
    }

    fn observe(&self, state: &State, _: usize, row: ObservationRow<'_, '_>) {
        self.rules.observe(state, row);
    }

    fn draw(&self, state: &State, _: usize, mut frame: Frame<'_>) {
        self.rules.draw(state, &mut frame);
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        Rules::metrics(state, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        policy::all()
    }
}

//! What the rules, the language, the corpus and the commands promise.

#[cfg(feature = "files")]
mod commands;
mod corpus;
#[cfg(feature = "files")]
mod data;
mod language;
mod measures;
mod published;
mod rules;

use crate::action::Action;
use crate::config::{Appearance, Begin, Config, Grid, Holdout, Split, Task};
use crate::environment::{LilGym, State};
use crate::scene::{Color, Item, Scene, Shape, Size};
use heldout_core::{Environment as _, Seed, Start, Status};

fn rules(config: &Config, task: Task) -> LilGym {
    LilGym::new(config, task).unwrap()
}

fn start(rules: &LilGym, problem: u32) -> State {
    rules.start(Start { seed: Seed(3), copy: Seed(3), episode: 0, problem: Some(problem) })
}

fn step(rules: &LilGym, state: &mut State, action: Action) -> (f32, Status) {
    let mut rewards = [f32::NAN];
    let status = rules.step(state, &[action], &mut rewards);
    (rewards[0], status)
}

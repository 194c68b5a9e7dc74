//! Tests of the rules, named after the acceptance checks of the specification where there is one.

mod amendments;
mod arena;
mod body;
mod forged;
mod goal_mini;
mod goal_policies;
mod levels;
mod maze;
mod maze_plan;
mod minis;
mod panels;
mod paper_scores;
mod pilot;
mod places;
mod psychlab_core;
mod psychlab_images;
mod psychlab_tasks;
mod raw;
mod rooms;
mod rooms_common;
mod rooms_look;
mod rooms_policies;
mod words;

use heldout_core::{Entry, Environment, Status};

/// The entry called `id`.
fn find(id: &str) -> Result<&'static Entry, String> {
    crate::FAMILY.entry(id).ok_or_else(|| format!("there is no `{id}`"))
}

/// One step: its reward, and how the episode stands.
fn step<E: Environment>(env: &E, state: &mut E::State, action: E::Action) -> (f32, Status) {
    let mut rewards = [f32::NAN];
    let status = env.step(state, &[action], &mut rewards);
    (rewards[0], status)
}

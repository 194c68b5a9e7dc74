//! The procedural maze: rooms and corridors, one goal, and a run back to it from wherever one is put.

pub(crate) mod bends;
mod draw;
pub(crate) mod plan;
mod policies;
pub(crate) mod rules;
pub(crate) mod runner;
pub(crate) mod scene;

pub(crate) use rules::Maze;

/// The public name of the task.
pub(crate) const TASK: &str = "explore_goal_locations";

//! The Memory Tasks Suite: thirteen tasks that need memory, held out by scale and by stimulus.
//!
//! Four tasks are `PsychLab` panels, looked at from a platform; nine are walked through in first person. Every task has the
//! levels of [`level`]: training mixes a small and a large scale, held-out levels lie between and beyond them and use
//! stimuli that training never shows.
//!
//! # Invariants
//!
//! - Rules are simulated every tick, pictures are drawn once a step: the size and the kind of an observation change no
//!   reward and no end.
//! - Train and held-out levels share no stimulus.

pub mod arena;
pub mod body;
pub mod controls;
pub mod goal_mini;
pub mod honest;
pub mod level;
pub mod limit;
pub mod map;
pub mod maze;
pub mod pilot;
pub mod psychlab;
pub mod raw;
pub mod rooms;
pub mod sight;
pub mod trips;
pub mod view;

pub use body::{Body, Rect};
pub use controls::{ControlError, Controls, LabControls, Walk};
pub use level::{Level, Scale, Stimuli};
pub use view::{Observation, View};

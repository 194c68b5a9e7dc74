//! The four `PsychLab` tasks: a screen in a room, answered by looking.
//!
//! The agent turns its gaze ([`gaze`]). Widgets on the screen react to it ([`desk`]): a cross that begins a trial, a disk,
//! buttons that are paid when the gaze *leaves* them. A task ([`task`]) says what its trials show and which button is
//! right; [`rules`] plays them tick by tick.

pub(crate) mod change;
pub(crate) mod config;
pub(crate) mod desk;
mod draw;
pub(crate) mod gallery;
pub(crate) mod gaze;
pub(crate) mod images;
pub(crate) mod mapping;
pub(crate) mod policy;
pub(crate) mod recognition;
pub(crate) mod rules;
pub(crate) mod surface;
pub(crate) mod task;
pub(crate) mod what_then_where;

use heldout_core::Preset;

pub(crate) use change::Change;
pub(crate) use mapping::Mapping;
pub(crate) use recognition::Recognition;
pub(crate) use rules::PsychLab;
pub(crate) use task::Task;
pub(crate) use what_then_where::WhatThenWhere;

use crate::walker::config::{SQUARE, SYMBOLIC};

pub(crate) const PRESETS: &[Preset] = &[
    SYMBOLIC,
    SQUARE,
    Preset { name: "panel2d", about: "The panel without perspective.", config: r#"{"view": "panel2d"}"# },
];
pub(crate) const MINI_PRESETS: &[Preset] = &[Preset {
    name: "pixels",
    about: "The panel as a picture of 48x36, with the previous action and reward.",
    config: r#"{"observation": "pixels", "previous": true}"#,
}];

//! The four `PsychLab` tasks: a screen in a room, answered by looking.
//!
//! The agent turns its gaze ([`gaze`]). Widgets on the screen react to it ([`desk`]): a cross that begins a trial, a disk,
//! buttons that are paid when the gaze *leaves* them. A task ([`task`]) says what its trials show and which button is
//! right; [`rules`] plays them tick by tick, and [`mini`] one decision at a time.

pub mod change;
pub mod config;
pub mod desk;
mod draw;
pub mod gallery;
pub mod gaze;
pub mod images;
pub mod mapping;
pub mod mini;
mod policy;
pub mod recognition;
pub mod rules;
pub mod surface;
pub mod task;
pub mod what_then_where;

use heldout_core::{ConfigError, Environment, Frame, Row, Scripted, Spec, Start, Status};
use heldout_render::Canvas;

pub use change::Change;
pub use mapping::Mapping;
pub use mini::Mini;
pub use recognition::Recognition;
pub use rules::{Action, Rules, State};
pub use task::Task;
pub use what_then_where::WhatThenWhere;

use super::level;
use crate::registry::{About, Preset};

macro_rules! entries {
    ($($name:literal $about:ident $mini:ident $card:literal $mini_card:literal $summary:literal $mini_summary:literal;)*) => {
        $(
            #[doc = concat!("The entry of `memory/", $name, "-v1`.")]
            pub static $about: About = About {
                id: concat!("memory/", $name, "-v1"),
                summary: $summary,
                card: include_str!($card),
                split_key: "level",
                splits: &level::NAMES,
                presets: &[
                    Preset {
                        name: "symbolic",
                        about: "A vector of what is seen, with the previous action and reward.",
                        config: r#"{"observation": "symbolic", "previous": true}"#,
                    },
                    Preset {
                        name: "square",
                        about: "Square pictures of 84x84.",
                        config: r#"{"width": 84, "height": 84}"#,
                    },
                    Preset {
                        name: "panel2d",
                        about: "The panel without perspective.",
                        config: r#"{"view": "panel2d"}"#,
                    },
                ],
                smallest: r#"{"observation": "symbolic"}"#,
            };

            #[doc = concat!("The entry of `memory/", $name, "-mini-v1`.")]
            pub static $mini: About = About {
                id: concat!("memory/", $name, "-mini-v1"),
                summary: $mini_summary,
                card: include_str!($mini_card),
                split_key: "level",
                splits: &level::NAMES,
                presets: &[
                    Preset {
                        name: "pixels",
                        about: "The panel as a picture of 48x36, with the previous action and reward.",
                        config: r#"{"observation": "pixels", "previous": true}"#,
                    },
                ],
                smallest: "{}",
            };
        )*
    };
}

entries! {
    "arbitrary-visuomotor-mapping" MAPPING MAPPING_MINI
        "../arbitrary_visuomotor_mapping.md" "../arbitrary_visuomotor_mapping_mini.md"
        "Remember which of four buttons belongs to each image; there is one image more after every block without a mistake."
        "Arbitrary visuomotor mapping with one decision a trial.";
    "continuous-recognition" RECOGNITION RECOGNITION_MINI
        "../continuous_recognition.md" "../continuous_recognition_mini.md"
        "Tell images that have been shown before in the episode from new ones."
        "Continuous recognition with one decision a trial.";
    "change-detection" CHANGE CHANGE_MINI
        "../change_detection.md" "../change_detection_mini.md"
        "Tell whether one object of an array has changed after a delay."
        "Change detection with one decision a trial and delays of a few steps.";
    "what-then-where" WHERE WHERE_MINI
        "../what_then_where.md" "../what_then_where_mini.md"
        "Remember a digit, then where it is among four, then choose that place."
        "What then where with one decision a trial and delays of a few steps.";
}

/// A task on the screen.
#[derive(Debug)]
pub struct PsychLab<T: Task> {
    rules: Rules<T>,
}

impl<T: Task> PsychLab<T> {
    /// The rules, with calls for single ticks and pictures.
    #[must_use]
    pub fn rules(&self) -> &Rules<T> {
        &self.rules
    }
}

impl<T: Task> Environment for PsychLab<T> {
    type Config = T::Config;
    type State = State<T::Trial>;
    type Action = Action;

    fn new(config: &T::Config) -> Result<Self, ConfigError> {
        Ok(Self { rules: Rules::new(config)? })
    }

    fn spec(&self) -> &Spec {
        self.rules.spec()
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Action> {
        let &[number] = raw else { return None };
        Action::ALL.get(usize::try_from(number).ok()?).copied()
    }

    fn encode(&self, _: usize, action: Action, raw: &mut [i32]) {
        raw[0] = action as i32;
    }

    fn start(&self, start: Start) -> Self::State {
        self.rules.start(start)
    }

    fn restart(&self, state: &mut Self::State, start: Start) {
        *state = self.rules.start(start);
    }

    fn step(&self, state: &mut Self::State, actions: &[Action], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.rules.step(state, actions[0]);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &Self::State, _: usize, row: Row<'_, '_>) {
        self.rules.observe(state, row);
    }

    fn draw(&self, state: &Self::State, _: usize, frame: Frame<'_>) {
        draw::draw(&self.rules, state, &mut Canvas::new(frame.width, frame.height, frame.pixels));
    }

    fn metrics(&self, state: &Self::State, values: &mut [f32]) {
        self.rules.metrics(state, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        policy::all()
    }
}

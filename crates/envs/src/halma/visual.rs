//! `halma/visual-v1`: the same task, seen as panels of coloured digits.

use heldout_core::{
    ConfigError, Dtype, Environment, ExperienceError, Field, Frame, Row, Scripted, Seed, Source, Spec, Start, Status,
};
use heldout_render::Canvas;

use super::config::{Pixels, VisualConfig};
use super::draw::{FRAME, draw_visual};
use super::generate::Split;
use super::maze::Cell;
use super::observation::{ROWS, View};
use super::option::Move;
use super::panel::{Element, Layout, PANEL, Panels, colour};
use super::policies::Entries;
use super::rules::{Rules, State};
use crate::digits::{Digits, Hand};
use crate::registry::{About, Preset};

/// The entry of the registry.
pub static ABOUT: About = About {
    id: "halma/visual-v1",
    summary: "Find the way through a maze told only in distances, shown as panels of handwritten, coloured digits.",
    card: include_str!("visual.md"),
    split_key: "split",
    splits: &["train", "test"],
    presets: &[
        Preset {
            name: "training",
            about: "What a learner trains on: experience is kept for the tests that are made from it.",
            config: r#"{"experience": true}"#,
        },
        Preset {
            name: "resampled",
            about: "Panels drawn anew each time, with the boxes of their glyphs; few mazes.",
            config: r#"{"resample_panels": true, "boxes": true, "mazes": 7}"#,
        },
        Preset {
            name: "floats",
            about: "Pixels from 0 to 1, and the panel at the end of each trial; few mazes.",
            config: r#"{"pixels": "f32", "trial_final_obs": true, "mazes": 7}"#,
        },
    ],
    smallest: r#"{"mazes": 2, "pixels": "u8"}"#,
};

/// Integers that describe a glyph: left, top, width, height, digit, colour.
pub const BOX: usize = 6;

/// The rules.
#[derive(Debug)]
pub struct Visual {
    rules: Rules,
    panels: Panels,
    pixels: Pixels,
    resample: bool,
    boxes: Option<usize>,
    trial_final: Option<usize>,
    spec: Spec,
}

impl Visual {
    /// The panels.
    #[must_use]
    pub fn panels(&self) -> &Panels {
        &self.panels
    }

    /// The glyphs of the panel that is shown now.
    #[must_use]
    pub fn layout(&self, state: &State) -> Layout {
        self.layout_at(state, state.at, "shown")
    }

    fn layout_at(&self, state: &State, cell: Cell, label: &str) -> Layout {
        let view = self.rules.view(state.maze, cell);
        if self.resample {
            return self.panels.sampled(state.panels.stream(label).derive(state.steps.into()), view);
        }
        self.panels.layout(state.maze, cell.index(), view)
    }

    /// Writes the panel of `cell` as it is shown for the reason `label`.
    fn paint<T: Element>(&self, state: &State, cell: Cell, label: &str, out: &mut [T]) {
        if self.resample {
            let view = self.rules.view(state.maze, cell);
            self.panels.write_layout(view, &self.layout_at(state, cell, label), out);
        } else {
            self.panels.write(state.maze, cell.index(), out);
        }
    }

    fn write(&self, state: &State, cell: Cell, label: &str, row: &mut Row<'_, '_>, field: usize) {
        match self.pixels {
            Pixels::U8 => self.paint(state, cell, label, row.u8(field)),
            Pixels::F32 => self.paint(state, cell, label, row.f32(field)),
        }
    }

    /// Writes one row a glyph; rows without one are zero.
    fn write_boxes(&self, state: &State, out: &mut [i32]) {
        out.fill(0);
        let view = self.rules.seen(state);
        for (out, glyph) in out.chunks_exact_mut(BOX).zip(self.layout(state).glyphs()) {
            let (number, _) = colour(view, glyph.row.into());
            out.copy_from_slice(&[glyph.x, glyph.y, glyph.side, glyph.side, glyph.digit, number].map(i32::from));
        }
    }

    /// Paints the panel that is shown now, for people.
    pub(super) fn paint_now(&self, state: &State, out: &mut [u8]) {
        self.paint(state, state.at, "shown", out);
    }
}

impl Entries for Visual {
    const HIDDEN: bool = true;

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn entries(&self, view: &heldout_core::View<'_, Self>) -> View {
        *self.rules.seen(view.state.expect("policies that read entries are privileged here"))
    }
}

impl Environment for Visual {
    type Config = VisualConfig;
    type State = State;
    type Action = Move;

    fn new(config: &VisualConfig) -> Result<Self, ConfigError> {
        let rules = Rules::new(&config.task())?;
        let (hand, label) = match rules.hand() {
            Split::Train => (Hand::Train, "train"),
            Split::Test => (Hand::Test, "test"),
        };
        let digits = Digits::open(config.digits, hand, config.mnist.as_deref())?;
        let source = Source { name: "digits", content: digits.content().to_owned() };
        let seed = Seed(config.maze_seed).stream("halma/panels").stream(label);
        let panels = Panels::new(rules.mazes(), rules.views(), digits, seed, config.resample_panels);
        let panel = |name| match config.pixels {
            Pixels::U8 => Field::image(name, PANEL, PANEL),
            Pixels::F32 => Field::new(name, Dtype::F32, &[PANEL, PANEL, 3], 0.0, 1.0),
        };
        let mut observation = vec![panel("panel")];
        let mut add = |wanted: bool, field: Field| {
            wanted.then(|| {
                observation.push(field);
                observation.len() - 1
            })
        };
        let trial_final = add(config.trial_final_obs, panel("trial_final"));
        let boxes = add(config.boxes, Field::new("boxes", Dtype::I32, &[ROWS, BOX], 0.0, PANEL as f32 - 1.0));
        let spec = Spec {
            metrics: Rules::metric_names(),
            problems: Some(rules.mazes().len() as u32),
            max_steps: Some(config.max_steps),
            sources: rules.source().cloned().into_iter().chain([source]).collect(),
            ..Spec::single(observation, rules.options().action_space(), FRAME)
        };
        let (pixels, resample) = (config.pixels, config.resample_panels);
        Ok(Self { rules, panels, pixels, resample, boxes, trial_final, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Move> {
        self.rules.options().decode(raw)
    }

    fn encode(&self, _: usize, action: Move, raw: &mut [i32]) {
        self.rules.options().encode(action, raw);
    }

    fn start(&self, start: Start) -> State {
        self.rules.start(start)
    }

    fn restart(&self, state: &mut State, start: Start) {
        self.rules.restart(state, start);
    }

    fn step(&self, state: &mut State, actions: &[Move], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.rules.step(state, actions[0]);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &State, _: usize, mut row: Row<'_, '_>) {
        self.write(state, state.at, "shown", &mut row, 0);
        if let Some(field) = self.trial_final {
            match (state.trial_final(), self.pixels) {
                (Some(cell), _) => self.write(state, cell, "final", &mut row, field),
                (None, Pixels::U8) => row.u8(field).fill(0),
                (None, Pixels::F32) => row.f32(field).fill(0.0),
            }
        }
        if let Some(field) = self.boxes {
            self.write_boxes(state, row.i32(field));
        }
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        draw_visual(self, state, &mut Canvas::new(frame.width, frame.height, frame.pixels));
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        self.rules.metrics(state, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        Self::scripted()
    }

    fn experience(&self, state: &State) -> Option<Vec<u8>> {
        self.rules.experience(state).map(|e| e.to_bytes())
    }

    fn set_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        self.rules.set_experience(state, bytes)
    }

    fn merge_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        self.rules.merge_experience(state, bytes)
    }

    fn clear_experience(&self, state: &mut State) -> Result<(), ExperienceError> {
        self.rules.clear_experience(state)
    }
}

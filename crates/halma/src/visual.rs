//! `halma/visual-v1`: the same task, seen as panels of coloured digits.

use heldout_core::{About, ConfigError, Dtype, Field, Preset, Row, RowRef, Seed, Source};
use heldout_digits::{Digits, Hand};
use heldout_render::{Canvas, Image};

use crate::TRAINING;
use crate::config::{Pixels, Settings, VisualConfig};
use crate::environment::{Occasion, Sight};
use crate::generate::Split;
use crate::maze::Cell;
use crate::observation::{CROSSING, Entries, GOAL_X, GOAL_Y, HINT, ROWS};
use crate::panel::{Element, Layout, PANEL, Panels, colour};
use crate::trials::{State, Trials};

pub(crate) static ABOUT: About = About {
    id: "halma/visual-v1",
    summary: "Find the way through a maze told only in distances, shown as panels of handwritten, coloured digits.",
    card: include_str!("../cards/visual.md"),
    split_key: "split",
    splits: &["train", "test"],
    presets: &[
        TRAINING,
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
    views: &["pixels", "actions", "trial_final_obs"],
    aids: &["boxes"],
    smallest: r#"{"mazes": 2, "pixels": "u8"}"#,
    short: "{}",
};

/// Integers that describe a glyph: left, top, width, height, digit, colour.
const BOX: usize = 6;

/// The entries as panels.
#[derive(Debug)]
pub(crate) struct Visual {
    pub(crate) panels: Panels,
    pixels: Pixels,
    resample: bool,
    boxes: bool,
    source: Source,
}

impl Visual {
    /// The glyphs of the panel of `cell`.
    pub(crate) fn layout(&self, trials: &Trials, state: &State, cell: Cell, occasion: Occasion) -> Layout {
        let entries = trials.entries_at(state.maze, cell);
        if !self.resample {
            return self.panels.layout(state.maze, cell.index(), entries);
        }
        let stream = match occasion {
            Occasion::Now => "shown",
            Occasion::TrialFinal => "final",
        };
        self.panels.sampled(state.panels.stream(stream).derive(state.steps.into()), entries)
    }

    fn write<T: Element>(&self, trials: &Trials, state: &State, cell: Cell, occasion: Occasion, out: &mut [T]) {
        if self.resample {
            let layout = self.layout(trials, state, cell, occasion);
            self.panels.write_layout(trials.entries_at(state.maze, cell), &layout, out);
        } else {
            self.panels.write(state.maze, cell.index(), out);
        }
    }
}

impl Sight for Visual {
    type Config = VisualConfig;

    const FIELD: &'static str = "panel";
    const HIDDEN: bool = true;

    fn settings(config: &VisualConfig) -> Settings {
        config.settings()
    }

    fn new(config: &VisualConfig, trials: &Trials) -> Result<Self, ConfigError> {
        let (hand, label) = match trials.hand {
            Split::Train => (Hand::Train, "train"),
            Split::Test => (Hand::Test, "test"),
        };
        let digits = Digits::open(config.digits, hand, config.mnist.as_deref())?;
        let source = Source { name: "digits", content: digits.content().to_owned() };
        let seed = Seed(config.maze_seed).stream("halma/panels").stream(label);
        let resample = config.resample_panels;
        let panels = Panels::new(&trials.entries, digits, seed, resample);
        Ok(Self { panels, pixels: config.pixels, resample, boxes: config.boxes, source })
    }

    fn field(&self, name: &'static str) -> Field {
        match self.pixels {
            Pixels::U8 => Field::image(name, PANEL, PANEL),
            Pixels::F32 => Field::new(name, Dtype::F32, &[PANEL, PANEL, 3], 0.0, 1.0),
        }
    }

    fn show(&self, trials: &Trials, state: &State, occasion: Occasion, field: usize, row: &mut Row<'_, '_>) {
        match (self.pixels, occasion.cell(state)) {
            (Pixels::U8, Some(cell)) => self.write(trials, state, cell, occasion, row.u8(field)),
            (Pixels::F32, Some(cell)) => self.write(trials, state, cell, occasion, row.f32(field)),
            (Pixels::U8, None) => row.u8(field).fill(0),
            (Pixels::F32, None) => row.f32(field).fill(0.0),
        }
    }

    fn boxes(&self) -> Option<Field> {
        self.boxes.then(|| Field::new("boxes", Dtype::I32, &[ROWS, BOX], 0.0, PANEL as f32 - 1.0))
    }

    /// One row per glyph; rows without one are zero.
    fn write_boxes(&self, trials: &Trials, state: &State, out: &mut [i32]) {
        out.fill(0);
        let layout = self.layout(trials, state, state.at, Occasion::Now);
        for (out, glyph) in out.chunks_exact_mut(BOX).zip(layout.glyphs()) {
            let (number, _) = colour(trials.seen(state), glyph.row.into());
            out.copy_from_slice(&[glyph.x, glyph.y, glyph.side, glyph.side, glyph.digit, number].map(i32::from));
        }
    }

    fn read_boxes(&self, boxes: &[i32]) -> Entries {
        let mut entries = Entries::default();
        for glyph in boxes.chunks_exact(BOX).filter(|glyph| glyph[2] > 0) {
            let (digit, number) = (glyph[4] as i8, glyph[5] as usize);
            let (row, value) = match number {
                // Of two digits of a colour the crossing's is not the greater.
                0..4 if entries.0[number] > 0 => {
                    let other = entries.0[number];
                    entries.0[number] = other.max(digit);
                    (CROSSING + number, other.min(digit))
                }
                0..4 => (number, digit),
                4 => (GOAL_X, -digit),
                5 => (GOAL_Y, digit),
                6 => (GOAL_X, digit),
                7 => (GOAL_Y, -digit),
                _ => (HINT, digit),
            };
            entries.0[row] = value;
        }
        entries
    }

    fn glance(&self, row: RowRef<'_>) -> Entries {
        match self.pixels {
            Pixels::U8 => self.panels.glance(row.u8(0)),
            Pixels::F32 => self.panels.glance(row.f32(0)),
        }
    }

    fn source(&self) -> Option<Source> {
        Some(self.source.clone())
    }

    fn paint(&self, trials: &Trials, state: &State, canvas: &mut Canvas<'_>) {
        let mut panel = Image::new(PANEL, PANEL);
        let mut pixels = vec![0; PANEL * PANEL * 3];
        self.write(trials, state, state.at, Occasion::Now, &mut pixels);
        panel.canvas().blit(0, 0, heldout_render::View::new(PANEL, PANEL, &pixels));
        canvas.blit_scaled(0, 0, panel.view(), 2);
    }
}

//! `halma/symbolic-v1`: the eleven entries as one-hot rows or integers.

use heldout_core::{About, ConfigError, Dtype, Field, Preset, Row, RowRef};
use heldout_render::Canvas;

use crate::TRAINING;
use crate::config::{Form, Settings, SymbolicConfig};
use crate::draw::paint_entries;
use crate::environment::{Occasion, Sight};
use crate::observation::{Entries, ROWS, VALUES};
use crate::trials::{State, Trials};

pub(crate) static ABOUT: About = About {
    id: "halma/symbolic-v1",
    summary: "Find the way through a maze told only in distances, by options of up to five hops; digits as symbols.",
    card: include_str!("../cards/symbolic.md"),
    split_key: "split",
    splits: &["train", "test"],
    presets: &[
        TRAINING,
        Preset {
            name: "indexed",
            about: "Rows that name themselves, for permutation-invariant encoders.",
            config: r#"{"observation": "indexed"}"#,
        },
        Preset {
            name: "compact",
            about: "Eleven integers, actions by their effect, and the observation at the end of each trial.",
            config: r#"{"observation": "compact", "actions": "effect", "trial_final_obs": true}"#,
        },
    ],
    views: &["observation", "index_width", "actions", "trial_final_obs"],
    aids: &[],
    smallest: r#"{"observation": "compact", "mazes": 7}"#,
    short: "{}",
};

/// The entries as symbols.
#[derive(Debug)]
pub(crate) struct Symbolic {
    form: Form,
    /// Columns of a row.
    width: usize,
}

impl Sight for Symbolic {
    type Config = SymbolicConfig;

    const FIELD: &'static str = "symbols";
    const HIDDEN: bool = false;

    fn settings(config: &SymbolicConfig) -> Settings {
        config.settings()
    }

    fn new(config: &SymbolicConfig, _: &Trials) -> Result<Self, ConfigError> {
        if !(10..=11).contains(&config.index_width) {
            return Err(ConfigError::value("index_width", config.index_width, "10 or 11"));
        }
        let width = VALUES + if config.observation == Form::Indexed { config.index_width as usize } else { 0 };
        Ok(Self { form: config.observation, width })
    }

    fn field(&self, name: &'static str) -> Field {
        match self.form {
            Form::Compact => Field::new(name, Dtype::I32, &[ROWS], -9.0, 9.0),
            Form::OneHot | Form::Indexed => Field::new(name, Dtype::F32, &[ROWS, self.width], 0.0, 1.0),
        }
    }

    fn show(&self, trials: &Trials, state: &State, occasion: Occasion, field: usize, row: &mut Row<'_, '_>) {
        let entries = occasion.cell(state).map(|cell| trials.entries_at(state.maze, cell));
        match (self.form, entries) {
            (Form::Compact, None) => row.i32(field).fill(0),
            (Form::Compact, Some(entries)) => {
                for (out, &value) in row.i32(field).iter_mut().zip(&entries.0) {
                    *out = value.into();
                }
            }
            (Form::OneHot | Form::Indexed, None) => row.f32(field).fill(0.0),
            (Form::OneHot | Form::Indexed, Some(entries)) => entries.write_one_hot(self.width, row.f32(field)),
        }
    }

    fn read(&self, row: RowRef<'_>) -> Option<Entries> {
        Some(match self.form {
            Form::Compact => {
                let row = row.i32(0);
                Entries(std::array::from_fn(|i| row[i] as i8))
            }
            Form::OneHot | Form::Indexed => Entries::read_one_hot(self.width, row.f32(0)),
        })
    }

    fn glance(&self, row: RowRef<'_>) -> Entries {
        self.read(row).unwrap_or_default().signs()
    }

    fn paint(&self, trials: &Trials, state: &State, canvas: &mut Canvas<'_>) {
        paint_entries(canvas, trials.seen(state));
    }
}

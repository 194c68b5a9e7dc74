//! `halma/symbolic-v1`: the eleven entries as one-hot rows or integers.

use heldout_core::{
    ConfigError, Dtype, Environment, ExperienceError, Field, Frame, Row, Scripted, Spec, Start, Status,
};
use heldout_render::Canvas;

use super::config::{Form, SymbolicConfig};
use super::draw::{FRAME, draw_symbolic};
use super::observation::{ROWS, VALUES, View};
use super::option::Move;
use super::policies::Entries;
use super::rules::{Rules, State};
use crate::registry::{About, Preset};

/// The entry of the registry.
pub static ABOUT: About = About {
    id: "halma/symbolic-v1",
    summary: "Find the way through a maze told only in distances, by options of up to five hops; digits as symbols.",
    card: include_str!("symbolic.md"),
    split_key: "split",
    splits: &["train", "test"],
    presets: &[
        Preset {
            name: "training",
            about: "What a learner trains on: experience is kept for the tests that are made from it.",
            config: r#"{"experience": true}"#,
        },
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
    smallest: r#"{"observation": "compact", "mazes": 7}"#,
};

/// The rules.
#[derive(Debug)]
pub struct Symbolic {
    rules: Rules,
    form: Form,
    /// Columns of a row.
    width: usize,
    trial_final: bool,
    spec: Spec,
}

impl Symbolic {
    fn write(&self, view: &View, row: &mut Row<'_, '_>, field: usize) {
        if self.form == Form::Compact {
            for (out, &value) in row.i32(field).iter_mut().zip(&view.0) {
                *out = value.into();
            }
        } else {
            view.write_one_hot(self.width, row.f32(field));
        }
    }
}

impl Entries for Symbolic {
    const HIDDEN: bool = false;

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn entries(&self, view: &heldout_core::View<'_, Self>) -> View {
        if self.form == Form::Compact {
            let row = view.row.i32(0);
            return View(std::array::from_fn(|i| row[i] as i8));
        }
        View::read_one_hot(self.width, view.row.f32(0))
    }
}

impl Environment for Symbolic {
    type Config = SymbolicConfig;
    type State = State;
    type Action = Move;

    fn new(config: &SymbolicConfig) -> Result<Self, ConfigError> {
        if !(10..=11).contains(&config.index_width) {
            return Err(ConfigError::value("index_width", config.index_width, "10 or 11"));
        }
        let rules = Rules::new(&config.task())?;
        let width = VALUES + if config.observation == Form::Indexed { config.index_width as usize } else { 0 };
        let field = |name| match config.observation {
            Form::Compact => Field::new(name, Dtype::I32, &[ROWS], -9.0, 9.0),
            Form::OneHot | Form::Indexed => Field::new(name, Dtype::F32, &[ROWS, width], 0.0, 1.0),
        };
        let mut observation = vec![field("symbols")];
        if config.trial_final_obs {
            observation.push(field("trial_final"));
        }
        let spec = Spec {
            metrics: Rules::metric_names(),
            problems: Some(rules.mazes().len() as u32),
            max_steps: Some(config.max_steps),
            sources: rules.source().cloned().into_iter().collect(),
            ..Spec::single(observation, rules.options().action_space(), FRAME)
        };
        Ok(Self { rules, form: config.observation, width, trial_final: config.trial_final_obs, spec })
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
        self.write(self.rules.seen(state), &mut row, 0);
        if self.trial_final {
            match (state.trial_final(), self.form) {
                (Some(cell), _) => self.write(self.rules.view(state.maze, cell), &mut row, 1),
                (None, Form::Compact) => row.i32(1).fill(0),
                (None, _) => row.f32(1).fill(0.0),
            }
        }
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        draw_symbolic(&self.rules, state, &mut Canvas::new(frame.width, frame.height, frame.pixels));
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

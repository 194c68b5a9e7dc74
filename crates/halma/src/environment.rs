//! The task as an environment, once for every way to see it.

use heldout_core::{
    ConfigError, Environment, ExperienceError, Field, Frame, Row, RowRef, Scripted, Source, Spec, Start, Status,
};
use heldout_render::Canvas;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::Settings;
use crate::draw::{FRAME, draw};
use crate::maze::Cell;
use crate::observation::Entries;
use crate::option::Move;
use crate::policies;
use crate::trials::{State, Trials};

/// What a cell is shown for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// The agent is there.
    Now,
    /// A trial ended there with the last step.
    TrialFinal,
}

impl Occasion {
    pub(crate) fn cell(self, state: &State) -> Option<Cell> {
        match self {
            Self::Now => Some(state.at),
            Self::TrialFinal => state.trial_final(),
        }
    }
}

/// A way to see the task.
pub(crate) trait Sight: Sized + Send + Sync + 'static {
    type Config: Default + Clone + Send + Sync + Serialize + DeserializeOwned;

    /// Name of the field that shows where the agent is.
    const FIELD: &'static str;
    /// Whether the entries cannot be read off an observation, so that scripted policies must be privileged.
    const HIDDEN: bool;

    /// The keys that both ids share.
    fn settings(config: &Self::Config) -> Settings;

    fn new(config: &Self::Config, trials: &Trials) -> Result<Self, ConfigError>;

    /// A field that shows one cell.
    fn field(&self, name: &'static str) -> Field;

    /// Writes what is seen from the cell of `occasion`; zeros without one.
    fn show(&self, trials: &Trials, state: &State, occasion: Occasion, field: usize, row: &mut Row<'_, '_>);

    /// The entries that a row shows, unless they are [`Sight::HIDDEN`].
    fn read(&self, _row: RowRef<'_>) -> Option<Entries> {
        None
    }

    /// The entries that a row shows to one who cannot tell digits apart: [`Entries::signs`], but of the distances to
    /// crossings, which show that a direction is open as those to walls do, none need be there.
    fn glance(&self, row: RowRef<'_>) -> Entries;

    /// A field that describes what is shown, where the config asks for it.
    fn boxes(&self) -> Option<Field> {
        None
    }

    fn write_boxes(&self, _trials: &Trials, _state: &State, _out: &mut [i32]) {}

    /// The entries that the field of boxes describes; the inverse of [`Sight::write_boxes`].
    fn read_boxes(&self, _boxes: &[i32]) -> Entries {
        Entries::default()
    }

    /// The files that it was made from.
    fn source(&self) -> Option<Source> {
        None
    }

    /// Paints what is seen now into the left half of the picture for people.
    fn paint(&self, trials: &Trials, state: &State, canvas: &mut Canvas<'_>);
}

/// HALMA, seen by `S`.
#[derive(Debug)]
pub(crate) struct Halma<S> {
    pub(crate) trials: Trials,
    pub(crate) sight: S,
    /// Where the field of boxes stands, if there is one.
    boxes: Option<usize>,
    spec: Spec,
}

impl<S: Sight> Halma<S> {
    /// The entries that a policy acts on.
    pub(crate) fn entries(&self, view: &heldout_core::View<'_, Self>) -> Entries {
        self.sight.read(view.row).unwrap_or_else(|| {
            *self.trials.seen(view.state.expect("policies are privileged where the entries are hidden"))
        })
    }

    /// Whether [`Halma::told`] tells anything.
    pub(crate) fn tells_digits(&self) -> bool {
        !S::HIDDEN || self.boxes.is_some()
    }

    /// The entries that a row tells without a look at the state.
    pub(crate) fn told(&self, row: RowRef<'_>) -> Option<Entries> {
        self.sight.read(row).or_else(|| self.boxes.map(|field| self.sight.read_boxes(row.i32(field))))
    }
}

impl<S: Sight> Environment for Halma<S> {
    type Config = S::Config;
    type State = State;
    type Action = Move;
    type Variant = ();

    fn new(config: &S::Config, (): ()) -> Result<Self, ConfigError> {
        let trials = Trials::new(S::settings(config))?;
        let sight = S::new(config, &trials)?;
        let mut observation = vec![sight.field(S::FIELD)];
        if trials.settings.trial_final_obs {
            observation.push(sight.field("trial_final"));
        }
        let boxes = sight.boxes().map(|field| {
            observation.push(field);
            observation.len() - 1
        });
        let spec = Spec {
            metrics: Trials::metric_names(),
            problems: Some(trials.mazes.len() as u32),
            max_steps: Some(trials.settings.max_steps),
            sources: trials.source.clone().into_iter().chain(sight.source()).collect(),
            ..Spec::single(observation, trials.options.action_space(), FRAME)
        };
        Ok(Self { trials, sight, boxes, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Move> {
        self.trials.options.decode(raw)
    }

    fn encode(&self, _: usize, action: Move, raw: &mut [i32]) {
        self.trials.options.encode(action, raw);
    }

    fn start(&self, start: Start) -> State {
        self.trials.start(start)
    }

    fn restart(&self, state: &mut State, start: Start) {
        self.trials.restart(state, start);
    }

    fn check(&self, state: &State) -> Result<(), String> {
        self.trials.check(state)
    }

    fn step(&self, state: &mut State, actions: &[Move], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.trials.step(state, actions[0]);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &State, _: usize, mut row: Row<'_, '_>) {
        let trials = &self.trials;
        self.sight.show(trials, state, Occasion::Now, 0, &mut row);
        if trials.settings.trial_final_obs {
            self.sight.show(trials, state, Occasion::TrialFinal, 1, &mut row);
        }
        if let Some(field) = self.boxes {
            self.sight.write_boxes(trials, state, row.i32(field));
        }
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        draw(self, state, &mut Canvas::new(frame.width, frame.height, frame.pixels));
    }

    fn words(&self, state: &State) -> String {
        self.trials.words(state)
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        self.trials.metrics(state, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        policies::all()
    }

    fn experience(&self, state: &State) -> Option<Vec<u8>> {
        self.trials.experience(state).map(|e| e.to_bytes())
    }

    fn set_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        self.trials.set_experience(state, bytes)
    }

    fn merge_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        self.trials.merge_experience(state, bytes)
    }

    fn clear_experience(&self, state: &mut State) -> Result<(), ExperienceError> {
        self.trials.clear_experience(state)
    }
}

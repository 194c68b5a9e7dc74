//! What happens in a tick, whichever the task.

use heldout_core::{ActionSpace, ConfigError, Dtype, Field, Metric, Row, Spec, Start, Status};
use heldout_render::Canvas;
use heldout_render::panel::{Panel, Sight};
use serde::{Deserialize, Serialize};

use super::config::{Config, Projection, Screen};
use super::desk::{Desk, Event, Paint, Side, Timer, Widget};
use super::draw::FRAME;
use super::gaze::{DISTANCE, FASTEST, Gaze, SCREEN_SIDE};
use super::surface::{Display, picture, side_for};
use super::task::{Reveal, Scene, Stimulus, TICK_RATE, Task, extent};
use crate::memory::level::Level;
use crate::memory::limit;
use crate::memory::view::{Observation, View};

/// Ticks of a step.
pub const REPEAT: u32 = 4;
/// Pixel units that a look turns the gaze in a tick.
pub const LOOK: i32 = 20;
/// Ticks between two trials.
const INTERVAL: u32 = 1;
/// Actions there are.
pub const ACTIONS: u32 = 5;
/// Floats of a symbolic observation before the stimulus: gaze, cross, disk, and four buttons in six conditions.
pub const SEEN: usize = 3 + 2 + 4 * BUTTON_CONDITIONS;
/// Absent, plain, green, red, cue-green, cue-red.
const BUTTON_CONDITIONS: usize = 6;
/// Half the screen's side over its distance from the eye.
pub const HALF: f64 = SCREEN_SIDE / 2.0 / DISTANCE;

/// What an agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Nothing.
    Noop,
    /// Looks left.
    Left,
    /// Looks right.
    Right,
    /// Looks up.
    Up,
    /// Looks down.
    Down,
}

impl Action {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; ACTIONS as usize] = [Self::Noop, Self::Left, Self::Right, Self::Up, Self::Down];

    /// The turn of a tick in pixel units, to the right and upwards.
    #[must_use]
    pub const fn turn(self) -> (i32, i32) {
        match self {
            Self::Noop => (0, 0),
            Self::Left => (-LOOK, 0),
            Self::Right => (LOOK, 0),
            Self::Up => (0, LOOK),
            Self::Down => (0, -LOOK),
        }
    }
}

/// How far a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Between two trials.
    Interval,
    /// The cross waits for the gaze.
    Fixation,
    /// The scene with this number.
    Scene(u8),
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State<T> {
    /// Where the agent looks.
    pub gaze: Gaze,
    /// The widgets.
    pub desk: Desk,
    /// How far the trial is.
    pub phase: Phase,
    /// The trial.
    pub trial: T,
    /// The button that was entered in this trial.
    pub response: Option<Side>,
    /// Trials that are over.
    pub trials: u32,
    /// Those of them that were answered right.
    pub right: u32,
    /// Ticks so far.
    pub ticks: u32,
    /// How the episode stands.
    pub status: Status,
    action: Option<Action>,
    reward: f32,
}

impl<T> State<T> {
    /// Sum of the rewards.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.right.into()
    }

    /// The action of the last step, if there was one, and its reward.
    #[must_use]
    pub fn previous(&self) -> (Option<Action>, f32) {
        (self.action, self.reward)
    }
}

/// The rules of one task.
#[derive(Debug)]
pub struct Rules<T: Task> {
    task: T,
    trials: u32,
    limit: u32,
    view: View,
    projection: Projection,
    panel: Panel,
    texels: usize,
    spec: Spec,
}

impl<T: Task> Rules<T> {
    /// Prepares the tables.
    ///
    /// # Errors
    ///
    /// If `config` does not describe the task.
    pub fn new(config: &T::Config) -> Result<Self, ConfigError> {
        let Screen { level, view, projection, reticle, seconds } = config.shared();
        let level = Level::of(&level, T::NAME)?;
        let view = view.check()?;
        let (width, height) = (view.width as usize, view.height as usize);
        let texels = side_for(height);
        let task = T::new(&config.keys(), level, texels)?;
        let (trials, own) = extent(level.scale, T::GROWS, T::SECONDS);
        let limit = limit::ticks(seconds.unwrap_or(own.into()), TICK_RATE)?;
        let mut observation = vec![match view.observation {
            Observation::Pixels => Field::image("pixels", height, width),
            Observation::Symbolic => Field::new("symbolic", Dtype::F32, &[SEEN + task.described()], -1.0, 1.0),
        }];
        if view.previous {
            observation.push(Field::new("previous_action", Dtype::F32, &[ACTIONS as usize], 0.0, 1.0));
            // A tick pays at most 1, and a trial takes more than a step.
            observation.push(Field::new("previous_reward", Dtype::F32, &[1], 0.0, 1.0));
        }
        let spec = Spec {
            metrics: metrics::<T>(),
            sources: task.sources(),
            ..Spec::single(observation, ActionSpace::Discrete(ACTIONS), FRAME)
        };
        let panel = Panel::new(width, height, HALF, reticle);
        Ok(Self { task, trials, limit, view, projection, panel, texels, spec })
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &T {
        &self.task
    }

    /// Trials of an episode.
    #[must_use]
    pub fn trials(&self) -> u32 {
        self.trials
    }

    /// Ticks of an episode.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    pub(super) fn spec(&self) -> &Spec {
        &self.spec
    }

    pub(super) fn start(&self, start: Start) -> State<T::Trial> {
        let mut state = State {
            gaze: Gaze::start(&mut start.seed.stream("spawn").rng()),
            desk: Desk::default(),
            phase: Phase::Fixation,
            trial: T::Trial::default(),
            response: None,
            trials: 0,
            right: 0,
            ticks: 0,
            status: Status::Running,
            action: None,
            reward: 0.0,
        };
        self.task.start(&mut state.trial, start.seed);
        state.desk.put(Widget::Trigger);
        state
    }

    /// Advances one step: four ticks, or fewer if the episode ends.
    pub fn step(&self, state: &mut State<T::Trial>, action: Action) -> (f32, Status) {
        let mut total = 0.0;
        for _ in 0..REPEAT {
            let (reward, status) = self.tick(state, action.turn());
            total += reward;
            if status.ended() {
                break;
            }
        }
        (state.action, state.reward) = (Some(action), total);
        (total, state.status)
    }

    /// Advances one tick of a sixtieth of a second, in which the gaze turns by pixel units to the right and upwards, at
    /// most 512 of them either way.
    pub fn tick(&self, state: &mut State<T::Trial>, (right, up): (i32, i32)) -> (f32, Status) {
        if state.status.ended() {
            return (0.0, state.status);
        }
        state.gaze.turn(right.clamp(-FASTEST, FASTEST), up.clamp(-FASTEST, FASTEST));
        let before = state.right;
        for timer in state.desk.elapsed().into_iter().flatten() {
            self.react(state, Event::Elapsed(timer));
        }
        for (widget, event) in state.desk.scan(&state.gaze, self.task.places()).events() {
            if state.desk.has(widget) {
                self.react(state, event);
            }
        }
        state.ticks += 1;
        let away = state.desk.away(&state.gaze);
        state.status = if state.trials == self.trials || away {
            Status::Terminated
        } else if state.ticks >= self.limit {
            Status::Truncated
        } else {
            Status::Running
        };
        ((state.right - before) as f32, state.status)
    }

    fn react(&self, state: &mut State<T::Trial>, event: Event) {
        match (event, state.phase) {
            (Event::Elapsed(Timer::Interval), _) => {
                state.phase = Phase::Fixation;
                state.desk.put(Widget::Trigger);
            }
            (Event::Hovers(Widget::Trigger, _), _) => {
                state.desk.remove(Widget::Trigger);
                self.task.begin(&mut state.trial, state.trials);
                self.enter(state, 0);
            }
            (Event::Elapsed(Timer::Phase), Phase::Scene(number)) => self.enter(state, number + 1),
            (Event::Hovers(Widget::Disk, _), Phase::Scene(number)) => {
                state.desk.remove(Widget::Disk);
                self.enter(state, number + 1);
            }
            (Event::Hovers(Widget::Button(side), _), _) if state.response.is_none() => self.respond(state, side),
            (Event::Left(Widget::Button(side)), _) if state.response == Some(side) => self.finish(state),
            _ => {}
        }
    }

    /// Begins the scene with this number.
    fn enter(&self, state: &mut State<T::Trial>, number: u8) {
        state.phase = Phase::Scene(number);
        match self.task.scene(&state.trial, number) {
            Scene::Show(ticks) | Scene::Blank(ticks) | Scene::Ready(ticks) => state.desk.set(Timer::Phase, ticks),
            Scene::Look => state.desk.put(Widget::Disk),
            Scene::Choose => {
                for &side in T::SIDES {
                    state.desk.put_button(side, self.task.cue(&state.trial, side));
                }
            }
        }
    }

    /// Records a response and shows whether it is right; it is paid when the gaze leaves.
    fn respond(&self, state: &mut State<T::Trial>, entered: Side) {
        state.response = Some(entered);
        let answer = self.task.answer(&state.trial);
        for &side in T::SIDES {
            if side == entered || T::REVEAL == Reveal::All {
                state.desk.recolour(side, if side == answer { Paint::Green } else { Paint::Red });
            }
        }
    }

    /// Pays the response and ends the trial.
    fn finish(&self, state: &mut State<T::Trial>) {
        let right = state.response.take() == Some(self.task.answer(&state.trial));
        state.right += u32::from(right);
        state.trials += 1;
        self.task.end(&mut state.trial, right);
        state.desk.clear();
        state.phase = Phase::Interval;
        if state.trials < self.trials {
            state.desk.set(Timer::Interval, INTERVAL);
        }
    }

    /// What is shown beside buttons, cross and disk.
    #[must_use]
    pub fn stimulus(&self, state: &State<T::Trial>) -> Stimulus {
        match state.phase {
            Phase::Scene(number) => self.task.stimulus(&state.trial, number),
            _ => Stimulus::Nothing,
        }
    }

    /// All that the screen shows.
    #[must_use]
    pub fn display(&self, state: &State<T::Trial>) -> Display {
        Display {
            dark: T::DARK,
            cross: state.desk.has(Widget::Trigger),
            disk: state.desk.has(Widget::Disk),
            buttons: Side::ALL.map(|side| state.desk.paint(side)),
            stimulus: self.stimulus(state),
        }
    }

    /// How the agent looks at the panel.
    #[must_use]
    pub fn sight(&self, state: &State<T::Trial>) -> Sight {
        match self.projection {
            Projection::FirstPerson => state.gaze.turned(),
            Projection::Panel2d => state.gaze.flat(),
        }
    }

    /// Paints what the agent sees; the canvas has the size that the config says.
    pub fn picture(&self, state: &State<T::Trial>, canvas: &mut Canvas<'_>) {
        let (gallery, places) = (self.task.gallery(), self.task.places());
        picture(&self.display(state), gallery, places, &self.panel, self.sight(state), self.texels, canvas);
    }

    /// Paints the panel alone, as large as the canvas is high.
    pub(super) fn flat_picture(&self, state: &State<T::Trial>, canvas: &mut Canvas<'_>) {
        let panel = Panel::new(canvas.width(), canvas.height(), HALF, false);
        let (gallery, places) = (self.task.gallery(), self.task.places());
        picture(&self.display(state), gallery, places, &panel, Sight::Whole, self.texels, canvas);
    }

    /// Pixels in a row of the observation, and rows.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.view.width as usize, self.view.height as usize)
    }

    /// Where the agent stands: it never walks.
    #[must_use]
    pub fn position(&self, _: &State<T::Trial>) -> [f64; 3] {
        [0.0, -32.0, 96.0]
    }

    pub(super) fn observe(&self, state: &State<T::Trial>, mut row: Row<'_, '_>) {
        match self.view.observation {
            Observation::Pixels => {
                let (width, height) = self.size();
                self.picture(state, &mut Canvas::new(width, height, row.u8(0)));
            }
            Observation::Symbolic => self.describe(state, row.f32(0)),
        }
        if self.view.previous {
            let action = row.f32(1);
            action.fill(0.0);
            if let Some(done) = state.action {
                action[done as usize] = 1.0;
            }
            row.f32(2)[0] = state.reward;
        }
    }

    fn describe(&self, state: &State<T::Trial>, out: &mut [f32]) {
        out.fill(0.0);
        let (u, v) = state.gaze.nearest();
        let on = state.gaze.on_screen().is_some();
        out[..3].copy_from_slice(&[u as f32, v as f32, f32::from(u8::from(on))]);
        // The screen is seen or not as a whole.
        if !on && !state.gaze.sees_middle() {
            describe_buttons([None; 4], &mut out[5..SEEN]);
            return;
        }
        let display = self.display(state);
        out[3] = f32::from(u8::from(display.cross));
        out[4] = f32::from(u8::from(display.disk));
        describe_buttons(display.buttons, &mut out[5..SEEN]);
        self.task.describe(display.stimulus, &mut out[SEEN..]);
    }

    pub(super) fn metrics(&self, state: &State<T::Trial>, values: &mut [f32]) {
        let (trials, right) = (state.trials as f32, state.right as f32);
        values[..3].copy_from_slice(&[trials, right, if trials > 0.0 { right / trials } else { 0.0 }]);
        if T::METRIC.is_some() {
            values[3] = self.task.metric(&state.trial);
        }
    }
}

/// What the rules report beside rewards.
pub(super) fn metrics<T: Task>() -> Vec<Metric> {
    let mut metrics =
        vec![Metric::episode("trials"), Metric::episode("correct"), Metric::episode("accuracy").weighed_by("trials")];
    metrics.extend(T::METRIC.map(Metric::episode));
    metrics
}

/// Writes the condition of each button, one-hot; all are zero before.
pub(super) fn describe_buttons(buttons: [Option<Paint>; 4], out: &mut [f32]) {
    for (paint, out) in buttons.into_iter().zip(out.chunks_exact_mut(BUTTON_CONDITIONS)) {
        out[paint.map_or(0, |paint| 1 + paint as usize)] = 1.0;
    }
}

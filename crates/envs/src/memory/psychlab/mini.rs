//! The instant-choice variants: the same trials with one decision each, and no gaze.
//!
//! What is to be remembered is shown for one step, and a delay of `d` ticks lasts `ceil(log2 d)` steps: delays between
//! those of training stay between them, delays beyond stay beyond. There is no cross and no disk.

use heldout_core::{
    ActionSpace, ConfigError, Dtype, Environment, Field, Frame, Policy, Rng, Row, Scripted, Spec, Start, Status, View,
};
use heldout_render::panel::{Panel, Sight};
use heldout_render::{Canvas, Image, Rgb};
use serde::{Deserialize, Serialize};

use super::config::{Config, Instant};
use super::desk::{Paint, Side};
use super::draw::word;
use super::rules::{HALF, describe_buttons, metrics};
use super::surface::{Display, picture, side_for};
use super::task::{Scene, Task, extent};
use crate::memory::level::Level;
use crate::memory::view::Observation;

/// Pixels in a row of the picture, and rows.
pub const SIZE: (usize, usize) = (48, 36);
/// Floats of a symbolic observation before the stimulus: four buttons in six conditions.
pub const SEEN: usize = 24;
/// How often a pixel is repeated for people.
const SCALE: usize = 8;
/// Height of the line of text below.
const CAPTION: usize = 22;
/// Width and height of the picture for people.
const FRAME: (usize, usize) = (SIZE.0 * SCALE, SIZE.1 * SCALE + CAPTION);

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State<T> {
    /// The trial.
    pub trial: T,
    /// The number of its scene.
    pub scene: u8,
    /// Steps that the scene lasts yet.
    pub left: u32,
    /// Trials that are over.
    pub trials: u32,
    /// Those of them that were answered right.
    pub right: u32,
    action: Option<u8>,
    reward: f32,
}

/// A task with one decision a trial.
#[derive(Debug)]
pub struct Mini<T: Task> {
    task: T,
    trials: u32,
    observation: Observation,
    previous: bool,
    panel: Panel,
    texels: usize,
    spec: Spec,
}

/// Steps of a scene; none for those that are left out.
#[must_use]
pub fn steps(scene: Scene) -> u32 {
    match scene {
        Scene::Show(_) | Scene::Choose => 1,
        Scene::Blank(ticks) => ticks.max(2).next_power_of_two().trailing_zeros(),
        Scene::Look | Scene::Ready(_) => 0,
    }
}

impl<T: Task> Mini<T> {
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

    /// The scene that is shown.
    #[must_use]
    pub fn scene(&self, state: &State<T::Trial>) -> Scene {
        self.task.scene(&state.trial, state.scene)
    }

    /// Begins the scene with this number, or the next that is not left out.
    fn enter(&self, state: &mut State<T::Trial>, number: u8) {
        state.scene = number;
        while steps(self.scene(state)) == 0 {
            state.scene += 1;
        }
        state.left = steps(self.scene(state));
    }

    fn display(&self, state: &State<T::Trial>) -> Display {
        let over = state.trials == self.trials;
        let choose = !over && self.scene(state) == Scene::Choose;
        let button = |side| (choose && T::SIDES.contains(&side)).then(|| self.task.cue(&state.trial, side));
        let stimulus =
            if over { super::task::Stimulus::Nothing } else { self.task.stimulus(&state.trial, state.scene) };
        Display { dark: T::DARK, cross: false, disk: false, buttons: Side::ALL.map(button), stimulus }
    }

    /// Paints the panel as the agent sees it, 48 x 36 pixels.
    pub fn picture(&self, state: &State<T::Trial>, canvas: &mut Canvas<'_>) {
        let (gallery, places) = (self.task.gallery(), self.task.places());
        picture(&self.display(state), gallery, places, &self.panel, Sight::Whole, self.texels, canvas);
    }
}

impl<T: Task> Environment for Mini<T> {
    type Config = T::Mini;
    type State = State<T::Trial>;
    type Action = Side;

    fn new(config: &T::Mini) -> Result<Self, ConfigError> {
        let Instant { level, observation, previous } = config.shared();
        let level = Level::of(&level, T::NAME)?;
        let texels = side_for(SIZE.1);
        let task = T::new(&config.keys(), level, texels)?;
        let trials = T::MINI_TRIALS.unwrap_or(extent(level.scale, T::GROWS, T::SECONDS).0);
        let mut fields = vec![match observation {
            Observation::Pixels => Field::image("pixels", SIZE.1, SIZE.0),
            Observation::Symbolic => Field::new("symbolic", Dtype::F32, &[SEEN + task.described()], -1.0, 1.0),
        }];
        if previous {
            fields.push(Field::new("previous_action", Dtype::F32, &[T::SIDES.len()], 0.0, 1.0));
            fields.push(Field::new("previous_reward", Dtype::F32, &[1], 0.0, 1.0));
        }
        let spec = Spec {
            metrics: metrics::<T>(),
            sources: task.sources(),
            ..Spec::single(fields, ActionSpace::Discrete(T::SIDES.len() as u32), FRAME)
        };
        let panel = Panel::new(SIZE.0, SIZE.1, HALF, false);
        Ok(Self { task, trials, observation, previous, panel, texels, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Side> {
        let &[number] = raw else { return None };
        T::SIDES.get(usize::try_from(number).ok()?).copied()
    }

    fn encode(&self, _: usize, action: Side, raw: &mut [i32]) {
        raw[0] = T::SIDES.iter().position(|&side| side == action).unwrap_or(0) as i32;
    }

    fn start(&self, start: Start) -> Self::State {
        let trial = T::Trial::default();
        let mut state = State { trial, scene: 0, left: 0, trials: 0, right: 0, action: None, reward: 0.0 };
        self.task.start(&mut state.trial, start.seed);
        self.task.begin(&mut state.trial, 0);
        self.enter(&mut state, 0);
        state
    }

    fn restart(&self, state: &mut Self::State, start: Start) {
        *state = self.start(start);
    }

    fn step(&self, state: &mut Self::State, actions: &[Side], rewards: &mut [f32]) -> Status {
        let chosen = actions[0];
        rewards[0] = 0.0;
        state.left -= 1;
        if self.scene(state) == Scene::Choose {
            let right = chosen == self.task.answer(&state.trial);
            rewards[0] = f32::from(u8::from(right));
            state.right += u32::from(right);
            state.trials += 1;
            self.task.end(&mut state.trial, right);
            if state.trials < self.trials {
                self.task.begin(&mut state.trial, state.trials);
                self.enter(state, 0);
            }
        } else if state.left == 0 {
            let next = state.scene + 1;
            self.enter(state, next);
        }
        state.action = T::SIDES.iter().position(|&side| side == chosen).map(|at| at as u8);
        state.reward = rewards[0];
        if state.trials < self.trials { Status::Running } else { Status::Terminated }
    }

    fn observe(&self, state: &Self::State, _: usize, mut row: Row<'_, '_>) {
        match self.observation {
            Observation::Pixels => self.picture(state, &mut Canvas::new(SIZE.0, SIZE.1, row.u8(0))),
            Observation::Symbolic => {
                let out = row.f32(0);
                out.fill(0.0);
                let display = self.display(state);
                describe_buttons(display.buttons, &mut out[..SEEN]);
                self.task.describe(display.stimulus, &mut out[SEEN..]);
            }
        }
        if self.previous {
            let action = row.f32(1);
            action.fill(0.0);
            if let Some(done) = state.action {
                action[usize::from(done)] = 1.0;
            }
            row.f32(2)[0] = state.reward;
        }
    }

    fn draw(&self, state: &Self::State, _: usize, frame: Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        canvas.clear(Rgb::INK);
        let mut seen = Image::new(SIZE.0, SIZE.1);
        self.picture(state, &mut seen.canvas());
        canvas.blit_scaled(0, 0, seen.view(), SCALE as u32);
        let number = (state.trials + 1).min(self.trials);
        let text = format!("score {}   trial {number} of {}   {}", state.right, self.trials, word(self.scene(state)));
        canvas.text(8, (SIZE.1 * SCALE + 7) as i32, 1, Rgb::PAPER, &text);
    }

    fn metrics(&self, state: &Self::State, values: &mut [f32]) {
        let (trials, right) = (state.trials as f32, state.right as f32);
        values[..3].copy_from_slice(&[trials, right, if trials > 0.0 { right / trials } else { 0.0 }]);
        if T::METRIC.is_some() {
            values[3] = self.task.metric(&state.trial);
        }
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::of::<Oracle>("oracle", "Chooses the right button."),
            Scripted::of::<Memoryless>(
                "memoryless",
                "The best choice that needs no memory: the cue if there is one, else a guess.",
            ),
            Scripted::of::<Noop>("noop", "Always the first button."),
        ]
    }
}

/// Knows the answer.
#[derive(Debug, Default)]
pub struct Oracle;

impl<T: Task> Policy<Mini<T>> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Mini<T>) {}

    fn act(&self, rules: &Mini<T>, view: View<'_, Mini<T>>, (): &mut (), _: &mut Rng) -> Side {
        rules.task.answer(&view.state.expect("the policy is privileged").trial)
    }
}

/// Chooses without memory.
#[derive(Debug, Default)]
pub struct Memoryless;

impl<T: Task> Policy<Mini<T>> for Memoryless {
    type Memory = ();
    /// To see the colours of the buttons whatever the observation; the choice is made of them alone.
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Mini<T>) {}

    fn act(&self, rules: &Mini<T>, view: View<'_, Mini<T>>, (): &mut (), rng: &mut Rng) -> Side {
        let state = view.state.expect("the policy is privileged");
        rules.task.guess(rules.display(state).buttons, rng)
    }
}

/// Always the first button.
#[derive(Debug, Default)]
pub struct Noop;

impl<T: Task> Policy<Mini<T>> for Noop {
    type Memory = ();

    fn remember(&self, _: &Mini<T>) {}

    fn act(&self, _: &Mini<T>, _: View<'_, Mini<T>>, (): &mut (), _: &mut Rng) -> Side {
        T::SIDES[0]
    }
}

/// The buttons are told apart by their colours alone.
const _: () = assert!(SEEN == 4 * (1 + Paint::CueRed as usize + 1));

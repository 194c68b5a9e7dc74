//! The instant-choice variants: the same trials with one decision each, and no gaze.
//!
//! What is to be remembered is shown for one step, and a delay of `d` ticks lasts `ceil(log2 d)` steps: delays between
//! those of training stay between them, delays beyond stay beyond. There is no cross and no disk.

use heldout_core::{
    ActionSpace, ConfigError, Environment, Frame, Policy, Rng, Row, Scripted, Spec, Start, Status, View,
};
use heldout_render::Canvas;
use heldout_render::panel::{Panel, Sight};
use serde::{Deserialize, Serialize};

use super::{FRAME, SIZE, enlarge, format};
use crate::level::Level;
use crate::psychlab::Task;
use crate::psychlab::config::{Config, Instant};
use crate::psychlab::desk::Side;
use crate::psychlab::rules::{BUTTONS, HALF, describe_buttons};
use crate::psychlab::surface::{Display, picture, side_for};
use crate::psychlab::task::{Scene, Stimulus, extent, metrics, write_metrics};
use crate::walker::config::{Format, Previous};
use crate::walker::controls::decode;
use crate::walker::policies::First;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State<T> {
    pub(crate) trial: T,
    /// The number of its scene.
    pub(crate) scene: u8,
    /// Steps that the scene lasts yet.
    pub(crate) left: u32,
    /// Trials that are over.
    pub(crate) trials: u32,
    /// Those of them that were answered right.
    pub(crate) right: u32,
    previous: Previous,
}

/// A task with one decision per trial.
#[derive(Debug)]
pub(crate) struct PanelMini<T: Task> {
    pub(crate) task: T,
    pub(crate) trials: u32,
    format: Format,
    panel: Panel,
    texels: usize,
    spec: Spec,
}

/// Steps of a scene; none for those that are left out.
pub(crate) fn steps(scene: Scene) -> u32 {
    match scene {
        Scene::Show(_) | Scene::Choose => 1,
        Scene::Blank(ticks) => ticks.max(2).next_power_of_two().trailing_zeros(),
        Scene::Look | Scene::Ready(_) => 0,
    }
}

impl<T: Task> PanelMini<T> {
    /// The scene that is shown.
    pub(crate) fn scene(&self, state: &State<T::Trial>) -> Scene {
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
        let stimulus = if over { Stimulus::Nothing } else { self.task.stimulus(&state.trial, state.scene) };
        Display { dark: T::DARK, cross: false, disk: false, buttons: Side::ALL.map(button), stimulus }
    }

    /// Paints the panel as the agent sees it, 48 x 36 pixels.
    pub(crate) fn picture(&self, state: &State<T::Trial>, canvas: &mut Canvas<'_>) {
        let (gallery, places) = (self.task.gallery(), self.task.places());
        picture(&self.display(state), gallery, places, &self.panel, Sight::Whole, self.texels, canvas);
    }
}

impl<T: Task> Environment for PanelMini<T> {
    type Config = T::Mini;
    type State = State<T::Trial>;
    type Action = Side;
    type Variant = ();

    fn new(config: &T::Mini, (): ()) -> Result<Self, ConfigError> {
        let Instant { level, observation, previous } = config.shared()?;
        let level = Level::of(&level, T::NAME)?;
        let texels = side_for(SIZE.1);
        let task = T::new(&config.keys(), level, texels)?;
        let trials = T::MINI_TRIALS.unwrap_or(extent(level.scale, T::GROWS, T::SECONDS).0);
        let format = format(observation, previous);
        let fields = format.fields((BUTTONS + task.described(), -1.0, 1.0), T::SIDES.len(), 1.0);
        let spec = Spec {
            metrics: metrics::<T>(),
            sources: task.sources(),
            ..Spec::single(fields, ActionSpace::Discrete(T::SIDES.len() as u32), FRAME)
        };
        let panel = Panel::new(SIZE.0, SIZE.1, HALF, false);
        Ok(Self { task, trials, format, panel, texels, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Side> {
        decode(T::SIDES, raw)
    }

    fn encode(&self, _: usize, action: Side, raw: &mut [i32]) {
        raw[0] = number::<T>(action) as i32;
    }

    fn start(&self, start: Start) -> Self::State {
        let trial = T::Trial::default();
        let mut state = State { trial, scene: 0, left: 0, trials: 0, right: 0, previous: Previous::default() };
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
        state.previous = Previous::new(number::<T>(chosen), rewards[0]);
        if state.trials < self.trials { Status::Running } else { Status::Terminated }
    }

    fn observe(&self, state: &Self::State, _: usize, row: Row<'_, '_>) {
        self.format.observe(
            row,
            state.previous,
            |canvas| self.picture(state, canvas),
            |out| {
                out.fill(0.0);
                let display = self.display(state);
                describe_buttons(display.buttons, &mut out[..BUTTONS]);
                self.task.describe(display.stimulus, &mut out[BUTTONS..]);
            },
        );
    }

    fn draw(&self, state: &Self::State, _: usize, frame: Frame<'_>) {
        enlarge(frame, &self.words(state), |canvas| self.picture(state, canvas));
    }

    fn words(&self, state: &Self::State) -> String {
        if state.trials == self.trials {
            return format!("over; right {} of {}", state.right, self.trials);
        }
        let (trial, what) = (state.trials + 1, self.scene(state).word());
        let shown = self.display(state).stimulus.words();
        let answer = self.task.answer(&state.trial).name();
        format!("trial {trial} of {}: {what}; shown {shown}; right is {answer}; right {}", self.trials, state.right)
    }

    fn metrics(&self, state: &Self::State, values: &mut [f32]) {
        write_metrics(&self.task, &state.trial, state.trials, state.right, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::of::<Oracle>("oracle", "Chooses the right button."),
            Scripted::of::<Memoryless>(
                "memoryless",
                "The best choice that needs no memory: the cue if there is one, else a guess.",
            ),
            Scripted::of::<First>("noop", "Always the first button."),
        ]
    }
}

/// Knows the answer.
#[derive(Debug, Default)]
pub(crate) struct Oracle;

impl<T: Task> Policy<PanelMini<T>> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &PanelMini<T>) {}

    fn act(&self, rules: &PanelMini<T>, view: View<'_, PanelMini<T>>, (): &mut (), _: &mut Rng) -> Side {
        rules.task.answer(&view.state.expect("the policy is privileged").trial)
    }
}

/// Chooses without memory.
#[derive(Debug, Default)]
pub(crate) struct Memoryless;

impl<T: Task> Policy<PanelMini<T>> for Memoryless {
    type Memory = ();
    /// To see the colours of the buttons whatever the observation; the choice is made of them alone.
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &PanelMini<T>) {}

    fn act(&self, rules: &PanelMini<T>, view: View<'_, PanelMini<T>>, (): &mut (), rng: &mut Rng) -> Side {
        let state = view.state.expect("the policy is privileged");
        rules.task.guess(rules.display(state).buttons, rng)
    }
}

/// The number of the action that chooses a button.
fn number<T: Task>(side: Side) -> usize {
    T::SIDES.iter().position(|&known| known == side).unwrap_or(0)
}

//! The instant-choice variants: the same trials with one decision each, and no gaze.
//!
//! What is to be remembered is shown for one step, and a delay of `d` ticks lasts `ceil(log2 d)` steps: delays between
//! those of training stay between them, delays beyond stay beyond; a task may add to them. There is no cross and no disk.
//! A symbolic row has no number that never changes.

use heldout_core::check::{that, within};
use heldout_core::{
    ActionSpace, ConfigError, Environment, Frame, Policy, Rng, Row, Scripted, Spec, Start, Status, View,
};
use heldout_render::Canvas;
use heldout_render::panel::{Panel, Sight};
use serde::{Deserialize, Serialize};

use super::honest::{Honest, Learner, Window};
use super::{FRAME, SIZE, enlarge, format};
use crate::level::Level;
use crate::psychlab::Task;
use crate::psychlab::config::{Config, Instant};
use crate::psychlab::desk::{Paint, Side};
use crate::psychlab::rules::HALF;
use crate::psychlab::surface::{COARSE_LETTER, Display, picture, side_for};
use crate::psychlab::task::{Notes, Scene, Stimulus, Told, extent, metrics, write_metrics};
use crate::walker::config::{Format, Previous};
use crate::walker::controls::decode;
use crate::walker::policies::{First, SYMBOLS, needs_symbols};

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
pub(crate) fn steps<T: Task>(scene: Scene) -> u32 {
    match scene {
        Scene::Show(_) | Scene::Choose => 1,
        Scene::Blank(ticks) => T::MINI_WAIT + ticks.max(2).next_power_of_two().trailing_zeros(),
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
        while steps::<T>(self.scene(state)) == 0 {
            state.scene += 1;
        }
        state.left = steps::<T>(self.scene(state));
    }

    pub(crate) fn display(&self, state: &State<T::Trial>) -> Display {
        let over = state.trials == self.trials;
        let choose = !over && self.scene(state) == Scene::Choose;
        let button = |side| (choose && T::SIDES.contains(&side)).then(|| self.task.cue(&state.trial, side));
        let stimulus = if over { Stimulus::Nothing } else { self.task.stimulus(&state.trial, state.scene) };
        Display {
            dark: T::DARK,
            letter: COARSE_LETTER,
            cross: false,
            disk: false,
            buttons: Side::ALL.map(button),
            stimulus,
        }
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
        let fields = format.fields((T::TOLD.len() + task.described(), -1.0, 1.0), T::SIDES.len(), 1.0);
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

    fn check(&self, state: &Self::State) -> Result<(), String> {
        within("trials", state.trials, 0..=self.trials)?;
        within("right", state.right, 0..=state.trials)?;
        let over = state.trials == self.trials;
        self.task.check(&state.trial, state.trials + u32::from(!over))?;
        let passed = (0..state.scene).any(|earlier| self.task.scene(&state.trial, earlier) == Scene::Choose);
        that("scene", state.scene, !passed, "no later than the choice")?;
        within("left", state.left, u32::from(!over)..=steps::<T>(self.scene(state)))?;
        state.previous.check(T::SIDES.len(), 1.0)
    }

    fn step(&self, state: &mut Self::State, actions: &[Side], rewards: &mut [f32]) -> Status {
        let chosen = actions[0];
        rewards[0] = 0.0;
        if state.trials == self.trials {
            return Status::Terminated;
        }
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
                let (told, shown) = out.split_at_mut(T::TOLD.len());
                match T::TOLD {
                    Told::Nothing => {}
                    Told::Asked => told[0] = f32::from(display.buttons.iter().any(Option::is_some)),
                    Told::Cue => {
                        for (out, paint) in told.iter_mut().zip(display.buttons) {
                            *out = f32::from(paint == Some(Paint::CueGreen));
                        }
                    }
                }
                self.task.describe(display.stimulus, shown);
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
        let mut all = vec![
            Scripted::of::<Oracle>("oracle", "Chooses the right button."),
            Scripted::of::<Honest<Reader>>("honest", "Remembers what was shown; sees the symbolic observation alone.")
                .seeing(SYMBOLS),
            Scripted::of::<Memoryless>(
                "memoryless",
                "The best choice that needs no memory: the cue if there is one, else a guess.",
            )
            .shortcut(),
            Scripted::of::<Window<Reader>>("window", "The honest player with a memory of the last six rows.")
                .shortcut()
                .seeing(SYMBOLS),
            Scripted::of::<First>("noop", "Always the first button."),
        ];
        if T::TOLD == Told::Cue {
            all.push(
                Scripted::of::<LastCue>("last-cue", "Chooses the button that was cued last.")
                    .shortcut()
                    .seeing(SYMBOLS),
            );
        }
        all
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

/// Chooses what the last cue named.
#[derive(Debug, Default)]
pub(crate) struct LastCue;

impl<T: Task> Policy<PanelMini<T>> for LastCue {
    type Memory = Option<Side>;

    fn check(rules: &PanelMini<T>) -> Result<(), String> {
        needs_symbols(rules.format.observation)
    }

    fn remember(&self, _: &PanelMini<T>) -> Option<Side> {
        None
    }

    fn act(&self, _: &PanelMini<T>, view: View<'_, PanelMini<T>>, last: &mut Option<Side>, rng: &mut Rng) -> Side {
        *last = read::<T>(view.row.f32(0)).1.or(*last);
        last.unwrap_or_else(|| *rng.pick(T::SIDES))
    }
}

/// Reads symbolic rows and remembers what they show.
#[derive(Debug, Default)]
pub(crate) struct Reader;

/// Whether a row asks for an answer, the button that it cues, and the stimulus.
fn read<T: Task>(row: &[f32]) -> (bool, Option<Side>, &[f32]) {
    let (told, shown) = row.split_at(T::TOLD.len());
    let cue = (T::TOLD == Told::Cue).then(|| told.iter().position(|&x| x > 0.0)).flatten().map(|i| Side::ALL[i]);
    (T::TOLD != Told::Asked || told[0] > 0.0, cue, shown)
}

impl<T: Task> Learner<PanelMini<T>> for Reader {
    type Notes = Notes;

    fn check(rules: &PanelMini<T>) -> Result<(), String> {
        needs_symbols(rules.format.observation)
    }

    fn blank(_: &PanelMini<T>) -> Notes {
        Notes::default()
    }

    fn see(rules: &PanelMini<T>, row: &[f32], notes: &mut Notes) {
        let (asked, cue, shown) = read::<T>(row);
        rules.task.learn(shown, asked, cue, notes);
    }

    fn choose(rules: &PanelMini<T>, row: &[f32], notes: &Notes, rng: &mut Rng) -> Side {
        let (asked, cue, shown) = read::<T>(row);
        let known = if asked { cue.or_else(|| rules.task.recall(shown, notes)) } else { None };
        known.unwrap_or_else(|| *rng.pick(T::SIDES))
    }
}

/// The number of the action that chooses a button.
fn number<T: Task>(side: Side) -> usize {
    T::SIDES.iter().position(|&known| known == side).unwrap_or(0)
}

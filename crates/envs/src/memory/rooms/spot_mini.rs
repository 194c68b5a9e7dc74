//! Spot the difference without walking: see the blocks, wait, see them again, and name the one that differs.

use std::marker::PhantomData;

use heldout_core::{
    ActionSpace, ConfigError, Dtype, Environment, Field, Frame, Metric, Policy, Rng, Row, Scripted, Seed, Spec, Start,
    Status, View,
};
use heldout_render::{Canvas, Image, Rgb};
use serde::{Deserialize, Serialize};

use super::SpotTask;
use super::layout::{Kind, Layout, Room};
use super::pattern::{CIRCUMRADIUS, PERIOD};
use super::spot_policies::symbolic_only;
use crate::memory::level::Drawn;
use crate::memory::{Level, Observation};

/// Steps that each room is shown. Moving blocks make one round.
const SHOWN: u32 = 5;
/// Blank steps for five seconds of the corridor's delay.
const BLANKS: (u32, u32) = (3, 5);
/// Ticks of motion in a step.
const TICKS: u32 = PERIOD / SHOWN;
/// Trials of an episode at the most.
const MOST_TRIALS: u32 = 100;
/// Size of the picture.
const WIDTH: usize = 48;
const HEIGHT: usize = 36;
/// How much larger people see it.
const ZOOM: usize = 8;
const CAPTION: usize = 20;
/// What velocities are divided by: more than the fastest, in metres a second.
const FAST: f64 = 2.0;
/// The background of Room A, the corridor and Room B.
const BACKGROUND: [Rgb; 3] = [Rgb::new(112, 100, 88), Rgb::new(0, 0, 0), Rgb::new(88, 106, 104)];

/// What is fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpotMiniConfig {
    /// Which stimuli and which scale.
    pub level: String,
    /// What the agent sees.
    pub observation: Observation,
    /// Trials of an episode.
    pub trials: u32,
}

impl Default for SpotMiniConfig {
    fn default() -> Self {
        Self { level: "train".to_owned(), observation: Observation::Symbolic, trials: 5 }
    }
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MiniPhase {
    /// The blocks of Room A.
    Study,
    /// Nothing.
    Blank,
    /// The blocks of Room B. The action of the last such step is the answer.
    Test,
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpotMiniState {
    /// The blocks of the trial.
    pub layout: Layout,
    /// Step within the trial.
    pub step: u32,
    /// Trials that were answered.
    pub trials: u32,
    /// Trials that were answered rightly.
    pub correct: u32,
    scale: Drawn,
    seed: Seed,
}

impl SpotMiniState {
    /// Blank steps of a trial.
    #[must_use]
    pub fn blanks(&self) -> u32 {
        self.layout.delay * BLANKS.0 / BLANKS.1
    }

    /// What is shown now.
    #[must_use]
    pub fn phase(&self) -> MiniPhase {
        if self.step < SHOWN {
            MiniPhase::Study
        } else if self.step < SHOWN + self.blanks() {
            MiniPhase::Blank
        } else {
            MiniPhase::Test
        }
    }

    /// Whether the next action is the answer.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        self.step + 1 == 2 * SHOWN + self.blanks()
    }

    fn room(&self) -> Option<Room> {
        match self.phase() {
            MiniPhase::Study => Some(Room::A),
            MiniPhase::Blank => None,
            MiniPhase::Test => Some(Room::B),
        }
    }
}

/// The rules of one of the four tasks.
#[derive(Debug)]
pub struct SpotMini<T: SpotTask> {
    level: Level,
    observation: Observation,
    trials: u32,
    spec: Spec,
    task: PhantomData<T>,
}

/// Elements that describe a block.
const fn width(kind: Kind) -> usize {
    if matches!(kind, Kind::Motion) { 6 } else { 4 }
}

impl<T: SpotTask> SpotMini<T> {
    fn layout(&self, scale: Drawn, seed: Seed, trial: u32) -> Layout {
        Layout::draw(T::KIND, self.level.stimuli, scale, seed.derive(u64::from(trial)))
    }

    fn symbolic(state: &SpotMiniState, row: &mut [f32]) {
        row.fill(0.0);
        row[state.phase() as usize] = 1.0;
        let Some(room) = state.room() else { return };
        for (block, slot) in state.layout.blocks().iter().zip(row[3..].chunks_exact_mut(width(T::KIND))) {
            let [red, green, blue] = block.colour[room as usize].unit();
            slot[..4].copy_from_slice(&[1.0, red, green, blue]);
            if T::KIND == Kind::Motion {
                let [x, y] = block.velocity(room, state.step * TICKS);
                slot[4..].copy_from_slice(&[(x / FAST) as f32, (y / FAST) as f32]);
            }
        }
    }

    /// Paints the blocks side by side, in the order of the answers.
    fn picture(state: &SpotMiniState, canvas: &mut Canvas<'_>) {
        canvas.clear(BACKGROUND[state.phase() as usize]);
        let Some(room) = state.room() else { return };
        let places = T::KIND.most();
        // Two large blocks with room to move, or a row of seven small ones.
        let side = if places == 2 { 10 } else { 5 };
        for (i, block) in state.layout.blocks().iter().enumerate() {
            let middle = ((2 * i + 1) * WIDTH / (2 * places)) as i32;
            let [dx, dy] =
                block.pattern[room as usize].at(f64::from(state.step * TICKS) / f64::from(PERIOD) + block.phase);
            // The farthest point of a path is seven pixels away.
            let shift = |offset: f64| (offset * 7.0 / CIRCUMRADIUS + 0.5).floor() as i32;
            let (x, y) = (middle + shift(dx) - side / 2, HEIGHT as i32 / 2 - shift(dy) - side / 2);
            canvas.fill_rect(x, y, side, side, block.colour[room as usize].rgb());
        }
    }
}

impl<T: SpotTask> Environment for SpotMini<T> {
    type Config = SpotMiniConfig;
    type State = SpotMiniState;
    type Action = u32;

    fn new(config: &SpotMiniConfig) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, T::KIND.task())?;
        if !(1..=MOST_TRIALS).contains(&config.trials) {
            return Err(ConfigError::value("trials", config.trials, &format!("1 to {MOST_TRIALS}")));
        }
        let most = T::KIND.most();
        let field = match config.observation {
            Observation::Symbolic => Field::new("symbolic", Dtype::F32, &[3 + most * width(T::KIND)], -1.0, 1.0),
            Observation::Pixels => Field::image("pixels", HEIGHT, WIDTH),
        };
        let spec = Spec {
            metrics: vec![
                Metric::episode("trials"),
                Metric::episode("correct"),
                Metric::episode("accuracy").weighed_by("trials"),
                Metric::episode("blanks"),
            ],
            ..Spec::single(vec![field], ActionSpace::Discrete(most as u32), (WIDTH * ZOOM, HEIGHT * ZOOM + CAPTION))
        };
        Ok(Self { level, observation: config.observation, trials: config.trials, spec, task: PhantomData })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<u32> {
        let [index] = raw else { return None };
        u32::try_from(*index).ok().filter(|&i| i < T::KIND.most() as u32)
    }

    fn encode(&self, _: usize, action: u32, raw: &mut [i32]) {
        raw[0] = action as i32;
    }

    fn start(&self, start: Start) -> SpotMiniState {
        let scale = self.level.draw(&mut start.seed.stream("scale").rng());
        let layout = self.layout(scale, start.seed, 0);
        SpotMiniState { layout, step: 0, trials: 0, correct: 0, scale, seed: start.seed }
    }

    fn restart(&self, state: &mut SpotMiniState, start: Start) {
        *state = self.start(start);
    }

    fn step(&self, state: &mut SpotMiniState, actions: &[u32], rewards: &mut [f32]) -> Status {
        rewards[0] = 0.0;
        if !state.is_answer() {
            state.step += 1;
            return Status::Running;
        }
        if actions[0] == state.layout.changed {
            rewards[0] = 1.0;
            state.correct += 1;
        }
        state.trials += 1;
        if state.trials == self.trials {
            return Status::Terminated;
        }
        state.layout = self.layout(state.scale, state.seed, state.trials);
        state.step = 0;
        Status::Running
    }

    fn observe(&self, state: &SpotMiniState, _: usize, mut row: Row<'_, '_>) {
        match self.observation {
            Observation::Symbolic => Self::symbolic(state, row.f32(0)),
            Observation::Pixels => Self::picture(state, &mut Canvas::new(WIDTH, HEIGHT, row.u8(0))),
        }
    }

    fn draw(&self, state: &SpotMiniState, _: usize, frame: Frame<'_>) {
        let mut small = Image::new(WIDTH, HEIGHT);
        Self::picture(state, &mut small.canvas());
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        canvas.clear(Rgb::INK);
        canvas.blit_scaled(0, 0, small.view(), ZOOM as u32);
        let caption = format!(
            "trial {} of {}   {:?}   changed: block {}   correct {}",
            (state.trials + 1).min(self.trials),
            self.trials,
            state.phase(),
            state.layout.changed,
            state.correct
        );
        canvas.text(6, (HEIGHT * ZOOM + 6) as i32, 1, Rgb::PAPER, &caption);
    }

    fn metrics(&self, state: &SpotMiniState, values: &mut [f32]) {
        let accuracy = state.correct as f32 / state.trials.max(1) as f32;
        values.copy_from_slice(&[state.trials as f32, state.correct as f32, accuracy, state.blanks() as f32]);
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::of::<Oracle>("oracle", "Names the block that differs."),
            Scripted::of::<Honest>(
                "honest",
                "Remembers what Room A showed and compares; sees the symbolic observation alone.",
            ),
            Scripted::of::<Memoryless>("memoryless", "Names any block by chance; takes their number from the state."),
            Scripted::of::<Noop>("noop", "Names the first block."),
        ]
    }
}

/// Names the block that differs.
#[derive(Debug, Default)]
pub(super) struct Oracle;

impl<T: SpotTask> Policy<SpotMini<T>> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &SpotMini<T>) {}

    fn act(&self, _: &SpotMini<T>, view: View<'_, SpotMini<T>>, (): &mut (), _: &mut Rng) -> u32 {
        view.state.expect("the oracle is privileged").layout.changed
    }
}

/// Names any block.
#[derive(Debug, Default)]
pub(super) struct Memoryless;

impl<T: SpotTask> Policy<SpotMini<T>> for Memoryless {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &SpotMini<T>) {}

    fn act(&self, _: &SpotMini<T>, view: View<'_, SpotMini<T>>, (): &mut (), rng: &mut Rng) -> u32 {
        rng.below(view.state.expect("the number of blocks is privileged").layout.count)
    }
}

/// Remembers and compares.
#[derive(Debug, Default)]
pub(super) struct Honest;

/// What Room A showed at each of its steps, and the block that was found to differ.
#[derive(Debug, Default)]
pub(super) struct Notes {
    study: Vec<Vec<f32>>,
    step: usize,
    found: Option<u32>,
    tested: bool,
}

impl<T: SpotTask> Policy<SpotMini<T>> for Honest {
    type Memory = Notes;

    fn check(rules: &SpotMini<T>) -> Result<(), String> {
        symbolic_only(rules.observation)
    }

    fn remember(&self, _: &SpotMini<T>) -> Notes {
        Notes::default()
    }

    fn act(&self, _: &SpotMini<T>, view: View<'_, SpotMini<T>>, notes: &mut Notes, rng: &mut Rng) -> u32 {
        let row = view.row.f32(0);
        let (studies, tests) = (row[0] > 0.0, row[2] > 0.0);
        if studies && notes.tested {
            *notes = Notes::default();
        }
        let blocks = &row[3..];
        let width = width(T::KIND);
        if studies {
            notes.study.push(blocks.to_vec());
        }
        if tests {
            notes.tested = true;
            // Motion repeats itself after as many steps as are shown.
            let then = &notes.study[notes.step % SHOWN as usize];
            let differs = then.chunks_exact(width).zip(blocks.chunks_exact(width)).position(|(a, b)| a != b);
            notes.found = notes.found.or(differs.map(|i| i as u32));
        }
        notes.step += 1;
        let count = blocks.chunks_exact(width).filter(|slot| slot[0] > 0.0).count();
        notes.found.unwrap_or_else(|| rng.below((count as u32).max(1)))
    }
}

/// Names the first block.
#[derive(Debug, Default)]
pub(super) struct Noop;

impl<T: SpotTask> Policy<SpotMini<T>> for Noop {
    type Memory = ();

    fn remember(&self, _: &SpotMini<T>) {}

    fn act(&self, _: &SpotMini<T>, _: View<'_, SpotMini<T>>, (): &mut (), _: &mut Rng) -> u32 {
        0
    }
}

//! Spot the difference without walking: see the blocks, wait, see them again, and name the one that differs.

use heldout_core::{
    ActionSpace, ConfigError, Environment, Frame, Metric, Policy, Rng, Row, Scripted, Seed, Spec, Start, Status, View,
};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

use super::{FRAME, SIZE, enlarge, format};
use crate::level::{Drawn, Level};
use crate::rooms::{CIRCUMRADIUS, FAST, Layout, PERIOD, Room, Variant};
use crate::walker::config::{Format, Observation, Previous};
use crate::walker::policies::{First, needs_symbols};

/// Steps that each room is shown. Moving blocks make one round.
const SHOWN: u32 = 5;
/// Blank steps for five seconds of the corridor's delay.
const BLANKS: (u32, u32) = (3, 5);
/// Ticks of motion in a step.
const TICKS: u32 = PERIOD / SHOWN;
/// Trials of an episode at the most.
const MOST_TRIALS: u32 = 100;
/// The background of Room A, the corridor and Room B.
const BACKGROUND: [Rgb; 3] = [Rgb::new(112, 100, 88), Rgb::new(0, 0, 0), Rgb::new(88, 106, 104)];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SpotMiniConfig {
    /// Which stimuli and which scale.
    pub(crate) level: String,
    pub(crate) observation: Observation,
    /// Trials of an episode.
    pub(crate) trials: u32,
}

impl Default for SpotMiniConfig {
    fn default() -> Self {
        Self { level: "train".to_owned(), observation: Observation::Symbolic, trials: 5 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MiniPhase {
    /// The blocks of Room A.
    Study,
    Blank,
    /// The blocks of Room B. The action of the last such step is the answer.
    Test,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SpotMiniState {
    /// The blocks of the trial.
    pub(crate) layout: Layout,
    /// Step within the trial.
    pub(crate) step: u32,
    /// Trials that were answered.
    pub(crate) trials: u32,
    /// Trials that were answered rightly.
    pub(crate) correct: u32,
    scale: Drawn,
    seed: Seed,
}

impl SpotMiniState {
    /// Blank steps of a trial.
    pub(crate) fn blanks(&self) -> u32 {
        self.layout.delay * BLANKS.0 / BLANKS.1
    }

    /// What is shown now.
    pub(crate) fn phase(&self) -> MiniPhase {
        if self.step < SHOWN {
            MiniPhase::Study
        } else if self.step < SHOWN + self.blanks() {
            MiniPhase::Blank
        } else {
            MiniPhase::Test
        }
    }

    /// Whether the next action is the answer.
    pub(crate) fn is_answer(&self) -> bool {
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
pub(crate) struct SpotMini {
    variant: Variant,
    level: Level,
    format: Format,
    trials: u32,
    spec: Spec,
}

/// Elements that describe a block.
const fn width(variant: Variant) -> usize {
    if matches!(variant, Variant::Motion) { 6 } else { 4 }
}

impl SpotMini {
    fn layout(&self, scale: Drawn, seed: Seed, trial: u32) -> Layout {
        Layout::draw(self.variant, self.level.stimuli, scale, seed.derive(u64::from(trial)))
    }

    fn symbolic(&self, state: &SpotMiniState, row: &mut [f32]) {
        row.fill(0.0);
        row[state.phase() as usize] = 1.0;
        let Some(room) = state.room() else { return };
        for (block, slot) in state.layout.blocks().iter().zip(row[3..].chunks_exact_mut(width(self.variant))) {
            let [red, green, blue] = block.colour[room as usize].unit();
            slot[..4].copy_from_slice(&[1.0, red, green, blue]);
            if self.variant == Variant::Motion {
                let [x, y] = block.velocity(room, state.step * TICKS);
                slot[4..].copy_from_slice(&[(x / FAST) as f32, (y / FAST) as f32]);
            }
        }
    }

    /// Paints the blocks side by side, in the order of the answers.
    fn picture(&self, state: &SpotMiniState, canvas: &mut Canvas<'_>) {
        canvas.clear(BACKGROUND[state.phase() as usize]);
        let Some(room) = state.room() else { return };
        let places = self.variant.most();
        // Two large blocks with room to move, or a row of seven small ones.
        let side = if places == 2 { 10 } else { 5 };
        for (i, block) in state.layout.blocks().iter().enumerate() {
            let middle = ((2 * i + 1) * SIZE.0 / (2 * places)) as i32;
            let [dx, dy] =
                block.pattern[room as usize].at(f64::from(state.step * TICKS) / f64::from(PERIOD) + block.phase);
            // The farthest point of a path is seven pixels away.
            let shift = |offset: f64| (offset * 7.0 / CIRCUMRADIUS + 0.5).floor() as i32;
            let (x, y) = (middle + shift(dx) - side / 2, SIZE.1 as i32 / 2 - shift(dy) - side / 2);
            canvas.fill_rect(x, y, side, side, block.colour[room as usize].rgb());
        }
    }
}

impl Environment for SpotMini {
    type Config = SpotMiniConfig;
    type State = SpotMiniState;
    type Action = u32;
    type Variant = Variant;

    fn new(config: &SpotMiniConfig, variant: Variant) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, variant.task())?;
        if !(1..=MOST_TRIALS).contains(&config.trials) {
            return Err(ConfigError::value("trials", config.trials, &format!("1 to {MOST_TRIALS}")));
        }
        let most = variant.most();
        let format = format(config.observation, false);
        let fields = format.fields((3 + most * width(variant), -1.0, 1.0), most, 1.0);
        let spec = Spec {
            metrics: vec![
                Metric::episode("trials"),
                Metric::episode("correct"),
                Metric::episode("accuracy").weighed_by("trials"),
                Metric::episode("blanks"),
            ],
            ..Spec::single(fields, ActionSpace::Discrete(most as u32), FRAME)
        };
        Ok(Self { variant, level, format, trials: config.trials, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<u32> {
        let [index] = raw else { return None };
        u32::try_from(*index).ok().filter(|&i| i < self.variant.most() as u32)
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

    fn observe(&self, state: &SpotMiniState, _: usize, row: Row<'_, '_>) {
        self.format.observe(
            row,
            Previous::default(),
            |canvas| self.picture(state, canvas),
            |out| self.symbolic(state, out),
        );
    }

    fn draw(&self, state: &SpotMiniState, _: usize, frame: Frame<'_>) {
        enlarge(frame, &self.words(state), |canvas| self.picture(state, canvas));
    }

    fn words(&self, state: &SpotMiniState) -> String {
        let looks = |room| state.layout.blocks().iter().map(|block| block.look(room)).collect::<Vec<_>>().join(" ");
        let shown = state.room().map_or_else(|| "nothing".to_owned(), looks);
        let trial = (state.trials + 1).min(self.trials);
        let SpotMiniState { layout, correct, .. } = state;
        let ask = if state.is_answer() { ", which differs?" } else { "" };
        format!("trial {trial} of {}: {shown}{ask}; {} differs; right {correct}", self.trials, layout.changed + 1)
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
            Scripted::of::<First>("noop", "Names the first block."),
        ]
    }
}

/// Names the block that differs.
#[derive(Debug, Default)]
pub(super) struct Oracle;

impl Policy<SpotMini> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &SpotMini) {}

    fn act(&self, _: &SpotMini, view: View<'_, SpotMini>, (): &mut (), _: &mut Rng) -> u32 {
        view.state.expect("the oracle is privileged").layout.changed
    }
}

/// Names any block.
#[derive(Debug, Default)]
pub(super) struct Memoryless;

impl Policy<SpotMini> for Memoryless {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &SpotMini) {}

    fn act(&self, _: &SpotMini, view: View<'_, SpotMini>, (): &mut (), rng: &mut Rng) -> u32 {
        rng.below(view.state.expect("the number of blocks is privileged").layout.count)
    }
}

/// Remembers and compares.
#[derive(Debug, Default)]
pub(super) struct Honest;

/// What Room A showed at each of its steps, and the block that was found to differ.
#[derive(Debug, Default)]
pub(super) struct Studied {
    study: Vec<Vec<f32>>,
    step: usize,
    found: Option<u32>,
    tested: bool,
}

impl Policy<SpotMini> for Honest {
    type Memory = Studied;

    fn check(rules: &SpotMini) -> Result<(), String> {
        needs_symbols(rules.format.observation)
    }

    fn remember(&self, _: &SpotMini) -> Studied {
        Studied::default()
    }

    fn act(&self, rules: &SpotMini, view: View<'_, SpotMini>, notes: &mut Studied, rng: &mut Rng) -> u32 {
        let row = view.row.f32(0);
        let (studies, tests) = (row[0] > 0.0, row[2] > 0.0);
        if studies && notes.tested {
            *notes = Studied::default();
        }
        let blocks = &row[3..];
        let width = width(rules.variant);
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

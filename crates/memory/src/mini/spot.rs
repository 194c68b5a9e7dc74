//! Spot the difference without walking: see the blocks, wait, see them again, and name the one that differs.
//!
//! In Passive, Multi and Motion a row shows all blocks of a room. In Basic, whose blocks are out of the way, it shows the
//! one that the last action named: they must be looked at.

use heldout_core::check::{below, that, within};
use heldout_core::{
    ActionSpace, ConfigError, Environment, Frame, Metric, Policy, Rng, Row, Scripted, Seed, Spec, Start, Status, View,
};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

use super::honest::{Honest, Learner, Window};
use super::{FRAME, SIZE, enlarge, format};
use crate::level::{Drawn, Level};
use crate::rooms::{Block, CIRCUMRADIUS, FAST, Layout, MAX_BLOCKS, PERIOD, Room, Variant};
use crate::walker::config::{Format, Observation, Previous};
use crate::walker::policies::{First, SYMBOLS, needs_symbols};

/// Steps that each room is shown. Moving blocks make one round.
const SHOWN: u32 = 5;
/// Blank steps without a delay: Room A is out of reach for who remembers six rows.
const LEAST_BLANKS: u32 = 6;
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
    /// Where each block is shown. In Multi any of the seven places may be empty, so that all of them are used at every
    /// number of blocks.
    pub(crate) places: [u8; MAX_BLOCKS],
    /// Where was looked last in this room.
    looked: Option<u8>,
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
        LEAST_BLANKS + self.layout.delay * BLANKS.0 / BLANKS.1
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

    /// The place of the block that differs.
    pub(crate) fn answer(&self) -> u32 {
        self.places[self.layout.changed as usize].into()
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

/// Elements that describe a block: that it is there, and its velocity or its colour.
const fn width(variant: Variant) -> usize {
    if matches!(variant, Variant::Motion) { 3 } else { 4 }
}

impl SpotMini {
    fn layout(&self, scale: Drawn, seed: Seed, trial: u32) -> Layout {
        Layout::draw(self.variant, self.level.stimuli, scale, seed.derive(u64::from(trial)))
    }

    /// Where blocks are shown.
    fn places(&self, seed: Seed, trial: u32) -> [u8; MAX_BLOCKS] {
        let mut places = std::array::from_fn(|i| i as u8);
        if self.variant == Variant::Multi {
            seed.derive(u64::from(trial)).stream("places").rng().shuffle(&mut places);
        }
        places
    }

    /// The blocks in view and their places.
    fn seen<'a>(&self, state: &'a SpotMiniState) -> impl Iterator<Item = (usize, &'a Block)> {
        let all = self.variant != Variant::Basic;
        let placed = state.places.iter().zip(state.layout.blocks());
        let seen = placed.filter(move |(place, _)| all || state.looked == Some(**place));
        seen.map(|(&place, block)| (place.into(), block))
    }

    fn symbolic(&self, state: &SpotMiniState, row: &mut [f32]) {
        row.fill(0.0);
        row[state.phase() as usize] = 1.0;
        let Some(room) = state.room() else { return };
        for (place, block) in self.seen(state) {
            let slot = &mut row[3 + place * width(self.variant)..][..width(self.variant)];
            slot[0] = 1.0;
            if self.variant == Variant::Motion {
                slot[1..].copy_from_slice(&block.velocity(room, state.step * TICKS).map(|x| (x / FAST) as f32));
            } else {
                slot[1..].copy_from_slice(&block.colour[room as usize].unit());
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
        for (place, block) in self.seen(state) {
            let middle = ((2 * place + 1) * SIZE.0 / (2 * places)) as i32;
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
                Metric::share("accuracy").weighed_by("trials"),
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
        let places = self.places(start.seed, 0);
        SpotMiniState { layout, places, looked: None, step: 0, trials: 0, correct: 0, scale, seed: start.seed }
    }

    fn restart(&self, state: &mut SpotMiniState, start: Start) {
        *state = self.start(start);
    }

    fn check(&self, state: &SpotMiniState) -> Result<(), String> {
        within("trials", state.trials, 0..=self.trials)?;
        within("correct", state.correct, 0..=state.trials)?;
        let scale = self.level.draw(&mut state.seed.stream("scale").rng());
        // After the last answer its trial still stands.
        let trial = state.trials.min(self.trials - 1);
        let follows = state.scale == scale
            && state.layout == self.layout(scale, state.seed, trial)
            && state.places == self.places(state.seed, trial);
        that("trial", trial, follows, "what the seed of the episode makes it")?;
        below("step", state.step, (2 * SHOWN + state.blanks()) as usize)?;
        state.looked.map_or(Ok(()), |looked| below("looked", looked, self.variant.most()))
    }

    fn step(&self, state: &mut SpotMiniState, actions: &[u32], rewards: &mut [f32]) -> Status {
        rewards[0] = 0.0;
        if !state.is_answer() {
            let room = state.room();
            state.step += 1;
            state.looked = (state.room().is_some() && state.room() == room).then_some(actions[0] as u8);
            return Status::Running;
        }
        if actions[0] == state.answer() {
            rewards[0] = 1.0;
            state.correct += 1;
        }
        state.trials += 1;
        if state.trials >= self.trials {
            return Status::Terminated;
        }
        state.layout = self.layout(state.scale, state.seed, state.trials);
        state.places = self.places(state.seed, state.trials);
        (state.step, state.looked) = (0, None);
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
        let look = |(place, block): (usize, &Block), room| format!("{} {}", place + 1, block.look(room));
        let looks = |room| self.seen(state).map(|seen| look(seen, room)).collect::<Vec<_>>().join(", ");
        let shown = state.room().map(looks).filter(|looks| !looks.is_empty()).unwrap_or_else(|| "nothing".to_owned());
        let trial = (state.trials + 1).min(self.trials);
        let SpotMiniState { correct, .. } = state;
        let ask = if state.is_answer() { ", which differs?" } else { "" };
        format!("trial {trial} of {}: {shown}{ask}; {} differs; right {correct}", self.trials, state.answer() + 1)
    }

    fn metrics(&self, state: &SpotMiniState, values: &mut [f32]) {
        let accuracy = state.correct as f32 / state.trials.max(1) as f32;
        values.copy_from_slice(&[state.trials as f32, state.correct as f32, accuracy, state.blanks() as f32]);
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::of::<Oracle>("oracle", "Names the block that differs."),
            Scripted::of::<Honest<Comparer>>(
                "honest",
                "Remembers what Room A showed and compares; sees the symbolic observation alone.",
            )
            .seeing(SYMBOLS),
            Scripted::of::<Memoryless>("memoryless", "Names any block by chance; takes their places from the state.")
                .shortcut(),
            Scripted::of::<Window<Comparer>>("window", "The honest player with a memory of the last six rows.")
                .shortcut()
                .seeing(SYMBOLS),
            Scripted::of::<First>("noop", "Names the first place."),
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
        view.state.expect("the oracle is privileged").answer()
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
        let state = view.state.expect("the places of blocks are privileged");
        state.places[rng.below(state.layout.count) as usize].into()
    }
}

/// Remembers and compares.
#[derive(Debug, Default)]
pub(super) struct Comparer;

/// What Room A showed at each of its steps, and the place of the block that was found to differ.
#[derive(Debug, Default)]
pub(super) struct Studied {
    study: Vec<Vec<f32>>,
    step: usize,
    found: Option<u32>,
    tested: bool,
}

impl Learner<SpotMini> for Comparer {
    type Notes = Studied;

    fn check(rules: &SpotMini) -> Result<(), String> {
        needs_symbols(rules.format.observation)
    }

    fn blank(_: &SpotMini) -> Studied {
        Studied::default()
    }

    fn see(rules: &SpotMini, row: &[f32], notes: &mut Studied) {
        let (studies, tests) = (row[0] > 0.0, row[2] > 0.0);
        if studies && notes.tested {
            *notes = Studied::default();
        }
        let (blocks, width) = (&row[3..], width(rules.variant));
        if studies {
            notes.study.push(blocks.to_vec());
        }
        notes.tested = tests;
        // Motion repeats itself after as many steps as are shown; colours are the same at every step.
        let moves = rules.variant == Variant::Motion;
        let (phase, study) = (notes.step % SHOWN as usize, &notes.study);
        let then = study.iter().enumerate().filter(|(step, _)| !moves || *step == phase).map(|(_, blocks)| blocks);
        let differs = |(place, now): (usize, &[f32])| {
            let known = |blocks: &&Vec<f32>| blocks[place * width] > 0.0;
            let before = then.clone().find(known).map(|blocks| &blocks[place * width..][..width]);
            (tests && now[0] > 0.0 && before.is_some_and(|before| before != now)).then_some(place as u32)
        };
        notes.found = notes.found.or_else(|| blocks.chunks_exact(width).enumerate().find_map(differs));
        notes.step += 1;
    }

    fn choose(rules: &SpotMini, row: &[f32], notes: &Studied, rng: &mut Rng) -> u32 {
        if let Some(found) = notes.found {
            return found;
        }
        let blocks = row[3..].chunks_exact(width(rules.variant)).enumerate();
        let seen: Vec<u32> = blocks.filter(|(_, slot)| slot[0] > 0.0).map(|(place, _)| place as u32).collect();
        match rules.variant {
            // Looks at the other block.
            Variant::Basic => u32::from(seen == [0]),
            _ if seen.is_empty() => 0,
            _ => *rng.pick(&seen),
        }
    }
}

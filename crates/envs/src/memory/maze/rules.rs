//! What happens at a tick.

use heldout_core::{ActionSpace, ConfigError, Row, Seed, Spec, Start, Status};
use heldout_render::first_person::{Sky, Textures};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

use super::plan::{Cell, MOST_CELLS, Plan, Sizes, Tile};
use super::runner::{CELL, EYE, Runner};
use super::{draw, scene};
use crate::memory::arena::rules::{fields, limit, metrics, write_previous};
use crate::memory::body::TICKS_PER_STEP;
use crate::memory::controls::{ControlError, LabControls, Walk};
use crate::memory::level::{Level, MAZE_TASK};
use crate::memory::sight::{FEATURES, FEATURES_WITH_POSE, Fan};
use crate::memory::trips::Trips;
use crate::memory::view::{Observation, View};

/// Ticks in a second.
pub const TICKS_PER_SECOND: u32 = 60;
/// For each arrival.
const REWARD: f32 = 10.0;
/// The goal is reached where both coordinates differ by this much at the most: two boxes of half-width 15 touch.
const REACH: f64 = 30.0;

/// What is fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Which scales and goal rows.
    pub level: String,
    /// What the agent sees.
    pub observation: Observation,
    /// Pixels in a row.
    pub width: u32,
    /// Rows of pixels.
    pub height: u32,
    /// Whether the agent sees its previous action and reward.
    pub previous: bool,
    /// Whether the symbolic observation has the walker's pose.
    pub pose: bool,
    /// Whether looking up and down are exchanged.
    pub invert_pitch: bool,
    /// Length of an episode.
    pub seconds: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            level: "train".to_owned(),
            observation: Observation::Pixels,
            width: 96,
            height: 72,
            previous: false,
            pose: false,
            invert_pitch: false,
            seconds: 120.0,
        }
    }
}

/// What changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The maze.
    pub plan: Plan,
    /// Where the goal is.
    pub goal: Cell,
    /// The walker.
    pub runner: Runner,
    /// The raw controls as they were last set.
    pub controls: LabControls,
    /// Ticks so far.
    pub tick: u32,
    /// How the goal was reached.
    pub trips: Trips,
    /// The maze as the renderer takes it.
    pub(super) walls: Vec<u8>,
    spawn: Seed,
    last_action: Option<Walk>,
    /// The reward of the last step.
    pub last_reward: f32,
}

impl State {
    /// Sum of the rewards.
    #[must_use]
    pub fn score(&self) -> f64 {
        f64::from(self.trips.goals) * f64::from(REWARD)
    }

    /// Where the walker's eye is: east, up, north.
    #[must_use]
    pub fn position(&self) -> [f64; 3] {
        [self.runner.x, EYE, self.runner.z]
    }

    fn place(&self) -> [f64; 2] {
        [self.runner.x, self.runner.z]
    }
}

/// The middle of a cell, in units.
#[must_use]
pub fn middle(cell: Cell) -> [f64; 2] {
    [(f64::from(cell.x) + 0.5) * CELL, (f64::from(cell.z) + 0.5) * CELL]
}

/// The rules of the maze.
#[derive(Debug)]
pub struct Rules {
    /// Its config.
    pub config: Config,
    level: Level,
    view: View,
    limit: u32,
    pub(super) textures: Textures,
    pub(super) sky: Sky,
    pub(super) fan: Fan,
    spec: Spec,
}

impl Rules {
    /// Checks `config`.
    ///
    /// # Errors
    ///
    /// If it does not describe the task.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, MAZE_TASK)?;
        let Config { observation, width, height, previous, .. } = *config;
        let view = View { observation, width, height, previous }.check()?;
        if config.pose && observation == Observation::Pixels {
            return Err(ConfigError::new("pose", "is `true`, must be `false` where the agent sees pixels"));
        }
        let limit = limit(config.seconds, TICKS_PER_SECOND)?;
        let features = if config.pose { FEATURES_WITH_POSE } else { FEATURES };
        let spec = Spec {
            metrics: metrics(),
            ..Spec::single(fields(&view, features, REWARD), ActionSpace::Discrete(8), draw::FRAME)
        };
        let sky = Sky::plain(Rgb::new(84, 142, 214), Rgb::new(206, 224, 240));
        let textures = Textures::new(scene::TEXTURE_SEED);
        Ok(Self { config: config.clone(), level, view, limit, textures, sky, fan: Fan::default(), spec })
    }

    /// Sizes and bounds.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The level that is played.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Ticks of an episode.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// A fresh episode.
    #[must_use]
    pub fn start(&self, start: Start) -> State {
        let mut state = State::default();
        self.reserve(&mut state);
        self.restart(&mut state, start);
        state
    }

    /// Reserves what every episode needs.
    pub fn reserve(&self, state: &mut State) {
        state.plan.reserve();
        state.trips.reserve();
        state.walls.reserve_exact(MOST_CELLS.saturating_sub(state.walls.len()));
    }

    /// Begins an episode in place.
    pub fn restart(&self, state: &mut State, start: Start) {
        let sizes = Sizes::of(self.level.draw(&mut start.seed.stream("order").rng()));
        state.goal = draw_maze(&mut state.plan, &sizes, self.level, start.seed.stream("layout"));
        scene::paint(&state.plan, &mut start.seed.stream("texture").rng(), &mut state.walls);
        state.spawn = start.seed.stream("spawn");
        state.controls = LabControls::default();
        (state.tick, state.last_action, state.last_reward) = (0, None, 0.0);
        put(state, 0);
        state.trips.restart(state.place());
    }

    /// Advances one tick under the controls that are set.
    pub fn advance(&self, state: &mut State) -> (f32, Status) {
        let mut controls = state.controls;
        if self.config.invert_pitch {
            controls.tilt = -controls.tilt;
        }
        state.runner.tick(controls, &state.plan);
        state.tick += 1;
        state.trips.tick(state.tick, state.place(), true);
        let [x, z] = middle(state.goal);
        let mut reward = 0.0;
        if (state.runner.x - x).abs() <= REACH && (state.runner.z - z).abs() <= REACH {
            reward = REWARD;
            state.trips.arrive(state.place());
            put(state, state.trips.goals);
            state.trips.begin(state.place());
        }
        let status = if state.tick >= self.limit { Status::Truncated } else { Status::Running };
        (reward, status)
    }

    /// Advances one tick under raw controls; those that are not given keep their values.
    ///
    /// # Errors
    ///
    /// If a value is out of range; nothing happens then.
    pub fn tick(&self, state: &mut State, raw: [Option<i32>; 7]) -> Result<(f32, Status), ControlError> {
        state.controls.set(raw)?;
        let (reward, status) = self.advance(state);
        (state.last_action, state.last_reward) = (None, reward);
        Ok((reward, status))
    }

    /// Advances one step.
    pub fn step(&self, state: &mut State, action: Walk) -> (f32, Status) {
        state.controls = action.lab_controls();
        let (mut sum, mut status) = (0.0, Status::Running);
        for _ in 0..TICKS_PER_STEP {
            let (reward, now) = self.advance(state);
            (sum, status) = (sum + reward, now);
            if now.ended() {
                break;
            }
        }
        (state.last_action, state.last_reward) = (Some(action), sum);
        (sum, status)
    }

    /// Writes what the agent sees.
    pub fn observe(&self, state: &State, mut row: Row<'_, '_>) {
        match self.view.observation {
            Observation::Pixels => {
                let (width, height) = (self.view.width as usize, self.view.height as usize);
                self.picture(state, &mut Canvas::new(width, height, row.u8(0)));
            }
            Observation::Symbolic => self.symbols(state, row.f32(0)),
        }
        if self.view.previous {
            write_previous(&mut row, state.last_action, state.last_reward);
        }
    }

    /// Writes the metrics.
    pub fn metrics(state: &State, values: &mut [f32]) {
        state.trips.write(values)[0] = f32::from(state.plan.side());
    }
}

/// Makes a maze with a goal in the rows of `level`: another one if it has none there, or no place to begin from.
pub fn draw_maze(plan: &mut Plan, sizes: &Sizes, level: Level, seed: Seed) -> Cell {
    let rows = sizes.rows(level.stimuli);
    let mut attempt = 0;
    loop {
        let mut rng = seed.derive(attempt).rng();
        plan.draw(sizes, &mut rng);
        let mut goals = plan.cells(Tile::Goal).filter(|&cell| rows.contains(&plan.row(cell)));
        let count = plan.cells(Tile::Goal).filter(|&cell| rows.contains(&plan.row(cell))).count() as u32;
        if count > 0
            && plan.cells(Tile::Spawn).next().is_some()
            && let Some(goal) = goals.nth(rng.below(count) as usize)
        {
            return goal;
        }
        attempt += 1;
    }
}

/// Puts the walker where the trip after `goals` arrivals begins, whatever happened before. The maze hangs together: the
/// goal can be reached from every spawn.
fn put(state: &mut State, goals: u32) {
    let mut rng = state.spawn.derive(goals.into()).rng();
    let count = state.plan.cells(Tile::Spawn).count() as u32;
    let nth = rng.below(count) as usize;
    let cell = state.plan.cells(Tile::Spawn).nth(nth).expect("one of those counted");
    let [x, z] = middle(cell);
    state.runner = Runner::at(x, z, 360.0 * rng.unit());
}

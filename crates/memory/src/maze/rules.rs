//! What happens at a tick.

use heldout_core::{ConfigError, Environment, Frame, Row, Scripted, Seed, Spec, Start, Status};
use heldout_render::first_person::{Sky, Textures};
use serde::{Deserialize, Serialize};

use super::plan::{Cell, MOST_CELLS, Plan, Sizes, Tile};
use super::runner::{CELL, EYE, Runner};
use super::{TASK, draw, policies, scene};
use crate::arena::rules::spec;
use crate::arena::scene::plain_sky;
use crate::level::Level;
use crate::walker::body::whereabouts;
use crate::walker::clock::{Clock, LAB_RATE, TICKS_PER_STEP};
use crate::walker::config::{Format, Previous, config};
use crate::walker::controls::{LabControls, Walk, decode};
use crate::walker::raw::Raw;
use crate::walker::sight::Fan;
use crate::walker::trips::Trips;

/// For each arrival.
pub(crate) const REWARD: f32 = 10.0;
/// Seconds of an episode.
const SECONDS: f64 = 120.0;
/// Where the goal is reached, as the engine picks things up: the walker's place less the goal's, eastwards from and to,
/// and at the most northwards or southwards.
const REACH_EAST: std::ops::RangeInclusive<f64> = -50.0..=44.0;
const REACH_NORTH: f64 = 36.0;

config! {
    /// The config of the maze.
    Config {
        /// Whether the symbolic observation has the walker's pose.
        pose: bool = false,
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) plan: Plan,
    pub(crate) goal: Cell,
    pub(crate) runner: Runner,
    /// Ticks so far.
    pub(crate) tick: u32,
    pub(crate) trips: Trips,
    /// The maze as the renderer takes it.
    pub(super) walls: Vec<u8>,
    spawn: Seed,
    pub(super) previous: Previous,
}

impl State {
    fn place(&self) -> [f64; 2] {
        [self.runner.x, self.runner.z]
    }

    /// Puts the walker where the trip after so many arrivals begins, whatever happened before. The maze hangs together:
    /// the goal can be reached from every spawn.
    fn put(&mut self) {
        let mut rng = self.spawn.derive(self.trips.goals.into()).rng();
        let count = self.plan.cells(Tile::Spawn).count() as u32;
        let nth = rng.below(count) as usize;
        let cell = self.plan.cells(Tile::Spawn).nth(nth).expect("one of those counted");
        let [x, z] = middle(cell);
        self.runner = Runner::at(x, z, 360.0 * rng.unit());
    }
}

/// The middle of a cell, in units.
pub(crate) fn middle(cell: Cell) -> [f64; 2] {
    [cell.x, cell.z].map(|at| (f64::from(at) + 0.5) * CELL)
}

/// Whether the walker touches the goal.
pub(super) fn reaches(runner: &Runner, goal: Cell) -> bool {
    let [x, z] = middle(goal);
    REACH_EAST.contains(&(runner.x - x)) && (runner.z - z).abs() <= REACH_NORTH
}

/// The rules of the maze.
#[derive(Debug)]
pub(crate) struct Maze {
    pub(super) config: Config,
    level: Level,
    format: Format,
    pub(super) clock: Clock,
    pub(super) textures: Textures,
    pub(super) sky: Sky,
    pub(super) fan: Fan,
    spec: Spec,
}

impl Environment for Maze {
    type Config = Config;
    type State = State;
    type Action = Walk;
    type Variant = ();

    fn new(config: &Config, (): ()) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, TASK)?;
        let format = config.format()?.with_pose(config.pose)?;
        let clock = Clock::new(config.seconds, SECONDS, LAB_RATE)?;
        let spec = spec(format, config.pose, REWARD);
        let textures = Textures::new(scene::TEXTURE_SEED);
        Ok(Self { config: config.clone(), level, format, clock, textures, sky: plain_sky(), fan: Fan::default(), spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Walk> {
        decode(&Walk::ALL, raw)
    }

    fn encode(&self, _: usize, action: Walk, raw: &mut [i32]) {
        raw[0] = action as i32;
    }

    fn start(&self, start: Start) -> State {
        let mut state = State::default();
        self.reserve(&mut state);
        self.restart(&mut state, start);
        state
    }

    fn restart(&self, state: &mut State, start: Start) {
        let sizes = Sizes::of(self.level.draw(&mut start.seed.stream("order").rng()));
        state.goal = draw_maze(&mut state.plan, &sizes, self.level, start.seed.stream("layout"));
        scene::paint(&state.plan, &mut start.seed.stream("texture").rng(), &mut state.walls);
        state.spawn = start.seed.stream("spawn");
        (state.tick, state.previous, state.trips.goals) = (0, Previous::default(), 0);
        state.put();
        state.trips.restart(state.place());
    }

    fn reserve(&self, state: &mut State) {
        state.plan.reserve();
        state.trips.reserve();
        state.walls.reserve_exact(MOST_CELLS.saturating_sub(state.walls.len()));
    }

    fn check(&self, state: &State) -> Result<(), String> {
        state.plan.check(state.goal)?;
        scene::check(&state.plan, &state.walls)?;
        state.runner.check(&state.plan)?;
        self.clock.check(state.tick)?;
        state.trips.check(state.tick)?;
        state.previous.check(Walk::ALL.len(), REWARD * TICKS_PER_STEP as f32)
    }

    fn step(&self, state: &mut State, actions: &[Walk], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.repeat(state, actions[0]);
        state.previous = Previous::new(actions[0] as usize, reward);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &State, _: usize, row: Row<'_, '_>) {
        self.format.observe(row, state.previous, |canvas| self.picture(state, canvas), |out| self.symbols(state, out));
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        draw::draw(self, state, frame);
    }

    fn words(&self, state: &State) -> String {
        let (Runner { x, z, yaw, .. }, goal) = (state.runner, state.goal);
        let at = whereabouts(x, z, yaw, CELL);
        format!("{at}; goal at ({}, {}) of {} cells; arrivals {}", goal.x, goal.z, state.plan.side(), state.trips.goals)
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        state.trips.write(state.plan.side(), values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        policies::all()
    }
}

impl Raw for Maze {
    type Controls = LabControls;
    const RATE: u32 = LAB_RATE;
    const ACTIONS: &'static [Walk] = &Walk::ALL;

    fn controls(action: Walk) -> LabControls {
        action.lab_controls()
    }

    fn tick(&self, state: &mut State, controls: &LabControls) -> (f32, Status) {
        state.runner.tick(*controls, &state.plan);
        state.tick += 1;
        state.trips.tick(state.tick, state.place(), true);
        let mut reward = 0.0;
        if reaches(&state.runner, state.goal) {
            reward = REWARD;
            state.trips.arrive(state.place());
            state.put();
            state.trips.begin(state.place());
        }
        (reward, self.clock.status(state.tick))
    }

    fn position(&self, state: &State) -> [f64; 3] {
        [state.runner.x, state.runner.z, EYE]
    }

    fn ticks_left(&self, state: &State) -> u32 {
        self.clock.left(state.tick)
    }
}

/// Makes a maze with a goal in the rows of `level`: another one if it has none there, or no place to begin from.
pub(crate) fn draw_maze(plan: &mut Plan, sizes: &Sizes, level: Level, seed: Seed) -> Cell {
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

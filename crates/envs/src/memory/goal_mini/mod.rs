//! The small variants of the tasks that look for a goal: grid worlds with four moves and the same held-out regions.

mod policies;
mod world;

use std::marker::PhantomData;

use heldout_core::{
    ActionSpace, ConfigError, Dtype, Environment, Field, Frame, Metric, Row, Scripted, Seed, Spec, Start, Status,
};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

pub use policies::{Honest, Memoryless, Noop, Oracle};
pub use world::{Cell, Town, World};

use super::level::{self, Level};
use super::map::{self, Map};
use super::trips::Trips;
use crate::registry::{About, Preset};

/// Cells that are seen to each side.
const SIGHT: i32 = 2;
/// Cells along a side of what is seen.
const PATCH: usize = 2 * SIGHT as usize + 1;
/// Numbers of a cell: seen, solid, red, green, blue, goal.
const CELL: usize = 6;
/// Where the last reward is.
const REWARD: usize = PATCH * PATCH * CELL;
/// Where the pose begins, if there is one: column and row.
const POSE: usize = REWARD + 1;
/// What a column or a row is divided by in the pose.
const POSE_UNIT: f32 = 10.0;

/// One of the four tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// The public name of the full task.
    pub task: &'static str,
    /// Whether the goal is seen.
    pub visible: bool,
    /// What the world is made of.
    pub town: Town,
    /// For each arrival.
    pub reward: f32,
}

/// One of the four tasks, as a type.
pub trait Task: Send + Sync + 'static {
    /// What it is.
    const KIND: Kind;
}

macro_rules! tasks {
    ($($task:ident $about:ident $id:literal $name:literal $visible:literal $town:ident $reward:literal $card:literal $summary:literal;)*) => {
        $(
            #[doc = concat!("The task of `", $id, "`.")]
            #[derive(Debug)]
            pub struct $task;

            impl Task for $task {
                const KIND: Kind = Kind { task: $name, visible: $visible, town: Town::$town, reward: $reward };
            }

            #[doc = concat!("The entry of `", $id, "`.")]
            pub static $about: About = About {
                id: $id,
                summary: $summary,
                card: include_str!($card),
                split_key: "level",
                splits: &level::NAMES,
                presets: &[Preset {
                    name: "pose",
                    about: "With the cell that the walker is on: an ablation.",
                    config: r#"{"pose": true, "previous": true}"#,
                }],
                smallest: "{}",
            };
        )*
    };
}

tasks! {
    VisibleBuildings VISIBLE_BUILDINGS "memory/visible-goal-with-buildings-mini-v1" "visible_goal_with_buildings" true Buildings 1.0
        "../visible_goal_with_buildings_mini.md"
        "A grid world with pillars: find a goal that shows from near, then return to it from wherever one is put.";
    InvisibleBuildings INVISIBLE_BUILDINGS "memory/invisible-goal-with-buildings-mini-v1" "invisible_goal_with_buildings" false Buildings 1.0
        "../invisible_goal_with_buildings_mini.md"
        "A grid world with pillars: find an unmarked cell, then return to it from wherever one is put.";
    InvisibleEmpty INVISIBLE_EMPTY "memory/invisible-goal-empty-arena-mini-v1" "invisible_goal_empty_arena" false Empty 1.0
        "../invisible_goal_empty_arena_mini.md"
        "An empty grid world: find an unmarked cell, then return to it from wherever one is put.";
    ExploreLocations EXPLORE_LOCATIONS "memory/explore-goal-locations-mini-v1" "explore_goal_locations" true Maze 10.0
        "../explore_goal_locations_mini.md"
        "The procedural maze as a grid world: find its goal, then return to it from wherever one is put.";
}

/// What is fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Which scales and goal regions.
    pub level: String,
    /// Whether the agent sees its previous action and reward.
    pub previous: bool,
    /// Whether the agent sees the cell that it is on.
    pub pose: bool,
    /// Steps of an episode.
    pub steps: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { level: "train".to_owned(), previous: false, pose: false, steps: 100 }
    }
}

/// Where to go. The order is that of the action's integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Move {
    /// A row up the map.
    North,
    /// A column to the right.
    East,
    /// A row down the map.
    South,
    /// A column to the left.
    West,
}

impl Move {
    /// All, in the order of the action's integers.
    pub const ALL: [Self; 4] = [Self::North, Self::East, Self::South, Self::West];

    /// Columns and rows.
    #[must_use]
    pub fn step(self) -> (i32, i32) {
        match self {
            Self::North => (0, 1),
            Self::East => (1, 0),
            Self::South => (0, -1),
            Self::West => (-1, 0),
        }
    }
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The world.
    pub world: World,
    /// Where the walker is.
    pub at: Cell,
    /// Steps so far.
    pub steps: u32,
    /// How the goal was reached.
    pub trips: Trips,
    spawn: Seed,
    last_action: Option<Move>,
    last_reward: f32,
}

/// The rules of one task.
#[derive(Debug)]
pub struct Mini<T: Task> {
    config: Config,
    level: Level,
    spec: Spec,
    task: PhantomData<T>,
}

impl<T: Task> Mini<T> {
    /// The level that is played.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Puts the walker where the trip after `goals` arrivals begins, whatever happened before.
    fn put(state: &mut State, goals: u32) {
        state.at = state.world.spawn(T::KIND.town, &mut state.spawn.derive(goals.into()).rng());
    }

    fn write(&self, state: &State, out: &mut [f32]) {
        let world = &state.world;
        let [x, z] = state.at.map(i32::from);
        let around = (-SIGHT..=SIGHT).rev().flat_map(|dz| (-SIGHT..=SIGHT).map(move |dx| (dx, dz)));
        for ((dx, dz), out) in around.zip(out.chunks_exact_mut(CELL)) {
            out.fill(0.0);
            if !in_sight(world, (x, z), (dx, dz)) {
                continue;
            }
            out[0] = 1.0;
            if let Some(colour) = world.colour(x + dx, z + dz) {
                out[1] = 1.0;
                for (out, level) in out[2..5].iter_mut().zip(colour.0) {
                    *out = f32::from(level) / 255.0;
                }
            }
            let goal = world.goal.map(i32::from) == [x + dx, z + dz];
            out[5] = f32::from(goal && T::KIND.visible);
        }
        out[REWARD] = state.last_reward;
        if self.config.pose {
            out[POSE..].copy_from_slice(&state.at.map(|v| f32::from(v) / POSE_UNIT));
        }
    }
}

/// Whether the cell `(dx, dz)` away is in sight: next to the walker, or behind an open cell that is.
fn in_sight(world: &World, (x, z): (i32, i32), (dx, dz): (i32, i32)) -> bool {
    if dx.abs().max(dz.abs()) <= 1 {
        return true;
    }
    let open = |dx, dz| world.is_open(x + dx, z + dz);
    // The cells before it: one straight ahead or on the diagonal, two for the leap of a knight.
    let (near_x, near_z) = (dx.signum() * i32::from(dx.abs() == 2), dz.signum() * i32::from(dz.abs() == 2));
    open(near_x, near_z) || (dx.abs() != dz.abs() && dx != 0 && dz != 0 && open(dx.signum(), dz.signum()))
}

impl<T: Task> Environment for Mini<T> {
    type Config = Config;
    type State = State;
    type Action = Move;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        const MOST_STEPS: u32 = 100_000;
        let level = Level::of(&config.level, T::KIND.task)?;
        if !(1..=MOST_STEPS).contains(&config.steps) {
            return Err(ConfigError::value("steps", config.steps, &format!("1 to {MOST_STEPS}")));
        }
        let features = if config.pose { POSE + 2 } else { POSE };
        let mut observation = vec![Field::new("symbolic", Dtype::F32, &[features], 0.0, T::KIND.reward.max(4.0))];
        if config.previous {
            observation.push(Field::new("previous_action", Dtype::F32, &[4], 0.0, 1.0));
            observation.push(Field::new("previous_reward", Dtype::F32, &[1], 0.0, T::KIND.reward));
        }
        let mut metrics = Trips::metrics();
        metrics.push(Metric::episode("side"));
        let spec = Spec { metrics, ..Spec::single(observation, ActionSpace::Discrete(4), map::MAP_FRAME) };
        Ok(Self { config: config.clone(), level, spec, task: PhantomData })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Move> {
        let [index] = raw else { return None };
        Move::ALL.get(usize::try_from(*index).ok()?).copied()
    }

    fn encode(&self, _: usize, action: Move, raw: &mut [i32]) {
        raw[0] = action as i32;
    }

    fn start(&self, start: Start) -> State {
        let mut state = State {
            world: World::default(),
            at: [0; 2],
            steps: 0,
            trips: Trips::default(),
            spawn: start.seed,
            last_action: None,
            last_reward: 0.0,
        };
        self.reserve(&mut state);
        self.restart(&mut state, start);
        state
    }

    fn restart(&self, state: &mut State, start: Start) {
        let scale = self.level.draw(&mut start.seed.stream("order").rng());
        state.world.draw(T::KIND.town, scale, self.level, start.seed);
        state.spawn = start.seed.stream("spawn");
        (state.steps, state.last_action, state.last_reward) = (0, None, 0.0);
        Self::put(state, 0);
        state.trips.restart(state.at.map(f64::from));
    }

    fn reserve(&self, state: &mut State) {
        state.world.reserve();
        state.trips.reserve();
    }

    fn step(&self, state: &mut State, actions: &[Move], rewards: &mut [f32]) -> Status {
        let (dx, dz) = actions[0].step();
        let [x, z] = state.at.map(i32::from);
        if state.world.is_open(x + dx, z + dz) {
            state.at = [(x + dx) as u8, (z + dz) as u8];
        }
        state.steps += 1;
        state.trips.step(state.at.map(f64::from));
        rewards[0] = 0.0;
        if state.at == state.world.goal {
            rewards[0] = T::KIND.reward;
            state.trips.arrive(state.at.map(f64::from));
            Self::put(state, state.trips.goals);
            state.trips.begin(state.at.map(f64::from));
        }
        (state.last_action, state.last_reward) = (Some(actions[0]), rewards[0]);
        if state.steps >= self.config.steps { Status::Truncated } else { Status::Running }
    }

    fn observe(&self, state: &State, _: usize, mut row: Row<'_, '_>) {
        self.write(state, row.f32(0));
        if self.config.previous {
            let one_hot = row.f32(1);
            one_hot.fill(0.0);
            if let Some(action) = state.last_action {
                one_hot[action as usize] = 1.0;
            }
            row.f32(2)[0] = state.last_reward;
        }
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        canvas.clear(Rgb::INK);
        let world = &state.world;
        let side = i32::from(world.side);
        let map = Map::alone(f64::from(side));
        let corners = |x: i32, z: i32| [x, z, x + 1, z + 1].map(f64::from);
        let [at_x, at_z] = state.at.map(i32::from);
        for (x, z) in (0..side).flat_map(|z| (0..side).map(move |x| (x, z))) {
            let seen = (x - at_x).abs().max((z - at_z).abs()) <= SIGHT && {
                in_sight(world, (at_x, at_z), (x - at_x, z - at_z))
            };
            let floor = if seen { Rgb::WHITE } else { Rgb::SILVER };
            map.fill(&mut canvas, corners(x, z), world.colour(x, z).unwrap_or(floor));
        }
        let [x, z] = world.goal.map(i32::from);
        map.fill(&mut canvas, corners(x, z), if T::KIND.visible { Rgb::MAGENTA } else { Rgb::ROSE });
        map.shifted(0.5).routes(&mut canvas, &state.trips, 1.0);
        let (x, y) = map.at(f64::from(at_x) + 0.5, f64::from(at_z) + 0.5);
        canvas.fill_circle(x, y, 6, Rgb::BRICK);
        let score = f64::from(state.trips.goals) * f64::from(T::KIND.reward);
        let caption = format!("score {score}   step {} of {}", state.steps, self.config.steps);
        canvas.text(8, map::TEXT, 1, Rgb::PAPER, &caption);
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        state.trips.write(values)[0] = f32::from(state.world.side);
    }

    fn policies() -> Vec<Scripted<Self>> {
        policies::all()
    }
}

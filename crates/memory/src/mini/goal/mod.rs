//! The small variants of the tasks that look for a goal: grid worlds with four moves and the same held-out regions.

mod policies;
mod world;

use std::ops::Range;

use heldout_core::check::{that, within};
use heldout_core::{ActionSpace, ConfigError, Environment, Frame, Preset, Row, Scripted, Seed, Spec, Start, Status};
use heldout_render::Rgb;
use serde::{Deserialize, Serialize};

pub(crate) use world::Town;

use crate::level::{Level, Scale};
use crate::walker::body::Rect;
use crate::walker::clock::TICKS_PER_STEP;
use crate::walker::config::{Format, Observation, Previous};
use crate::walker::controls::decode;
use crate::walker::map;
use crate::walker::trips::Trips;
use crate::{arena, maze};
use world::{Square, World};

/// Cells that are seen to each side.
const SIGHT: i32 = 2;
/// Numbers of a cell that has none of its own: solid, red, green, blue.
const LOOK: usize = 4;
/// What a column or a row is divided by in the pose.
const POSE_UNIT: f32 = 10.0;
/// Cells along a side of the map in words.
const MAP: u8 = 13;

/// The cells around the walker from the north-west, row by row, and where the numbers of each are: [`LOOK`], then whether it
/// is the goal if goals show, then whether it is seen at all if it is not next to the walker. The walker's own cell has
/// none, for it is always open.
fn cells(visible: bool) -> impl Iterator<Item = ((i32, i32), Range<usize>)> {
    let around = (-SIGHT..=SIGHT).rev().flat_map(|dz| (-SIGHT..=SIGHT).map(move |dx| (dx, dz)));
    around.filter(|&cell| cell != (0, 0)).scan(0, move |end, cell| {
        let begin = *end;
        *end += LOOK + usize::from(visible) + usize::from(!is_near(cell));
        Some((cell, begin..*end))
    })
}

/// Whether a cell is next to the walker, hence in sight.
fn is_near((dx, dz): (i32, i32)) -> bool {
    dx.abs().max(dz.abs()) <= 1
}

/// Where the last reward is; the pose follows, if there is one: column and row.
fn reward_at(visible: bool) -> usize {
    cells(visible).last().map_or(0, |(_, numbers)| numbers.end)
}

/// One of the four tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Variant {
    /// The public name of the full task.
    task: &'static str,
    /// Whether the goal is seen.
    visible: bool,
    town: Town,
    /// For each arrival.
    reward: f32,
}

impl Variant {
    /// Steps of an episode: more in the largest worlds, which take long to search.
    const fn steps(self, level: Level) -> u32 {
        match (self.town, level.scale) {
            (Town::Maze, Scale::Extrapolate) => 400,
            (_, Scale::Extrapolate) => 200,
            _ => 100,
        }
    }
}

const fn of(full: arena::Variant) -> Variant {
    let town = if full.buildings { Town::Buildings } else { Town::Empty };
    Variant { task: full.task, visible: full.visible, town, reward: arena::rules::REWARD }
}

pub(crate) const VISIBLE_BUILDINGS: Variant = of(arena::VISIBLE_BUILDINGS);
pub(crate) const INVISIBLE_BUILDINGS: Variant = of(arena::INVISIBLE_BUILDINGS);
pub(crate) const INVISIBLE_EMPTY: Variant = of(arena::INVISIBLE_EMPTY);
pub(crate) const EXPLORE: Variant =
    Variant { task: maze::TASK, visible: true, town: Town::Maze, reward: maze::rules::REWARD };

pub(crate) const POSE_PRESET: &[Preset] = &[Preset {
    name: "pose",
    about: "With the cell that the walker is on: an ablation.",
    config: r#"{"pose": true, "previous": true}"#,
}];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// Which scales and goal regions.
    pub(crate) level: String,
    /// Whether the agent sees its previous action and reward.
    pub(crate) previous: bool,
    /// Whether the agent sees the cell that it is on.
    pub(crate) pose: bool,
    /// Steps of an episode; `None` for the level's own.
    pub(crate) steps: Option<u32>,
}

impl Default for Config {
    fn default() -> Self {
        Self { level: "train".to_owned(), previous: false, pose: false, steps: None }
    }
}

/// Where to go. The order is that of the action's integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Move {
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
    pub(crate) const ALL: [Self; 4] = [Self::North, Self::East, Self::South, Self::West];

    /// Columns and rows.
    pub(crate) fn step(self) -> (i32, i32) {
        match self {
            Self::North => (0, 1),
            Self::East => (1, 0),
            Self::South => (0, -1),
            Self::West => (-1, 0),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) world: World,
    /// Where the walker is.
    pub(crate) at: Square,
    /// Steps so far.
    pub(crate) steps: u32,
    /// How the goal was reached.
    pub(crate) trips: Trips,
    spawn: Seed,
    previous: Previous,
}

/// The rules of one task.
#[derive(Debug)]
pub(crate) struct GoalMini {
    variant: Variant,
    config: Config,
    steps: u32,
    level: Level,
    format: Format,
    spec: Spec,
}

impl GoalMini {
    /// Puts the walker where the trip after so many arrivals begins, whatever happened before.
    fn put(&self, state: &mut State) {
        state.at = state.world.spawn(self.variant.town, &mut state.spawn.derive(state.trips.goals.into()).rng());
    }

    fn write(&self, state: &State, out: &mut [f32]) {
        let world = &state.world;
        let [x, z] = state.at.map(i32::from);
        let visible = self.variant.visible;
        out.fill(0.0);
        for ((dx, dz), numbers) in cells(visible) {
            let out = &mut out[numbers];
            if !in_sight(world, (x, z), (dx, dz)) {
                continue;
            }
            if let Some(colour) = world.colour(x + dx, z + dz) {
                out[0] = 1.0;
                for (out, level) in out[1..LOOK].iter_mut().zip(colour.0) {
                    *out = f32::from(level) / 255.0;
                }
            }
            let rest = &mut out[LOOK..];
            if visible {
                rest[0] = f32::from(world.goal.map(i32::from) == [x + dx, z + dz]);
            }
            if !is_near((dx, dz)) {
                rest[usize::from(visible)] = 1.0;
            }
        }
        let reward = reward_at(visible);
        out[reward] = state.previous.reward;
        if self.config.pose {
            out[reward + 1..].copy_from_slice(&state.at.map(|v| f32::from(v) / POSE_UNIT));
        }
    }
}

/// Whether the cell `(dx, dz)` away is in sight: next to the walker, or behind an open cell that is.
fn in_sight(world: &World, (x, z): (i32, i32), (dx, dz): (i32, i32)) -> bool {
    if is_near((dx, dz)) {
        return true;
    }
    let open = |dx, dz| world.is_open(x + dx, z + dz);
    // The cells before it: one straight ahead or on the diagonal, two for the leap of a knight.
    let (near_x, near_z) = (dx.signum() * i32::from(dx.abs() == 2), dz.signum() * i32::from(dz.abs() == 2));
    open(near_x, near_z) || (dx.abs() != dz.abs() && dx != 0 && dz != 0 && open(dx.signum(), dz.signum()))
}

impl Environment for GoalMini {
    type Config = Config;
    type State = State;
    type Action = Move;
    type Variant = Variant;

    fn new(config: &Config, variant: Variant) -> Result<Self, ConfigError> {
        const MOST_STEPS: u32 = 100_000;
        let level = Level::of(&config.level, variant.task)?;
        let steps = config.steps.unwrap_or(variant.steps(level));
        if !(1..=MOST_STEPS).contains(&steps) {
            return Err(ConfigError::value("steps", steps, &format!("1 to {MOST_STEPS}")));
        }
        let features = reward_at(variant.visible) + 1 + if config.pose { 2 } else { 0 };
        // There is no picture: the size is never used.
        let format = Format { observation: Observation::Symbolic, width: 1, height: 1, previous: config.previous };
        let fields = format.fields((features, 0.0, variant.reward.max(4.0)), Move::ALL.len(), variant.reward);
        let action = ActionSpace::Discrete(Move::ALL.len() as u32);
        let spec = Spec { metrics: Trips::metrics(), ..Spec::single(fields, action, map::alone(1.0, 1.0)) };
        Ok(Self { variant, config: config.clone(), steps, level, format, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Move> {
        decode(&Move::ALL, raw)
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
            previous: Previous::default(),
        };
        self.reserve(&mut state);
        self.restart(&mut state, start);
        state
    }

    fn restart(&self, state: &mut State, start: Start) {
        let scale = self.level.draw(&mut start.seed.stream("order").rng());
        state.world.draw(self.variant.town, scale, self.level, start.seed);
        state.spawn = start.seed.stream("spawn");
        (state.steps, state.previous, state.trips.goals) = (0, Previous::default(), 0);
        self.put(state);
        state.trips.restart(state.at.map(f64::from));
    }

    fn reserve(&self, state: &mut State) {
        state.world.reserve();
        state.trips.reserve();
    }

    fn check(&self, state: &State) -> Result<(), String> {
        state.world.check(self.variant.town)?;
        let [x, z] = state.at;
        that("at", format!("{x}, {z}"), state.world.is_open(x.into(), z.into()), "an open cell")?;
        within("steps", state.steps, 0..=self.steps)?;
        state.trips.check(state.steps * TICKS_PER_STEP)?;
        state.previous.check(Move::ALL.len(), self.variant.reward)
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
            rewards[0] = self.variant.reward;
            state.trips.arrive(state.at.map(f64::from));
            self.put(state);
            state.trips.begin(state.at.map(f64::from));
        }
        state.previous = Previous::new(actions[0] as usize, rewards[0]);
        if state.steps >= self.steps { Status::Truncated } else { Status::Running }
    }

    fn observe(&self, state: &State, _: usize, row: Row<'_, '_>) {
        self.format.observe(row, state.previous, |_| (), |out| self.write(state, out));
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        let world = &state.world;
        let side = i32::from(world.side);
        let [at_x, at_z] = state.at.map(i32::from);
        let tile = |x: i32, z: i32| Rect::new(x.into(), z.into(), f64::from(x) + 1.0, f64::from(z) + 1.0);
        let caption = format!("arrivals {}   step {} of {}", state.trips.goals, state.steps, self.steps);
        map::paint_alone(frame, side.into(), &caption, |map| {
            for (x, z) in (0..side).flat_map(|z| (0..side).map(move |x| (x, z))) {
                let seen = (x - at_x).abs().max((z - at_z).abs()) <= SIGHT && {
                    in_sight(world, (at_x, at_z), (x - at_x, z - at_z))
                };
                let floor = if seen { Rgb::WHITE } else { Rgb::SILVER };
                map.fill(&tile(x, z), world.colour(x, z).unwrap_or(floor));
            }
            let [x, z] = world.goal.map(i32::from);
            map.fill(&tile(x, z), if self.variant.visible { Rgb::MAGENTA } else { Rgb::ROSE });
            map.routes(&state.trips, 1.0, 0.5);
            map.disc(f64::from(at_x) + 0.5, f64::from(at_z) + 0.5, 0.25, Rgb::BRICK);
        });
    }

    /// A map of the world, or of what is near in one that is large.
    fn words(&self, state: &State) -> String {
        let World { side, goal: [goal_x, goal_z], .. } = state.world;
        let [x, z] = state.at;
        let seen = if self.variant.visible { "goal" } else { "hidden goal" };
        let mut words = format!("at ({x}, {z}); {seen} at ({goal_x}, {goal_z}); arrivals {}", state.trips.goals);
        let shown = |at: u8| {
            let low = at.saturating_sub(MAP / 2).min(side.saturating_sub(MAP));
            low..side.min(low + MAP)
        };
        for row in shown(z).rev() {
            words.push('\n');
            words.extend(shown(x).map(|column| match [column, row] {
                cell if cell == state.at => '@',
                cell if cell == state.world.goal => 'G',
                _ if state.world.is_open(column.into(), row.into()) => '.',
                _ => '#',
            }));
        }
        words
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        state.trips.write(state.world.side, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        policies::all()
    }
}

//! What happens at a tick.

use heldout_core::check::within;
use heldout_core::{ActionSpace, ConfigError, Environment, Frame, Row, Scripted, Seed, Spec, Start, Status};
use heldout_render::first_person::{Sky, Textures};
use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::{Variant, draw, policies, scene};
use crate::level::Level;
use crate::walker::body::{Body, whereabouts};
use crate::walker::clock::{Clock, UNITY_RATE};
use crate::walker::config::{Format, Previous, config};
use crate::walker::controls::{Controls, Walk, decode};
use crate::walker::map;
use crate::walker::raw::{Raw, Walked};
use crate::walker::sight::Fan;
use crate::walker::trips::Trips;

/// Ticks between an arrival and the respawn, in which the walker can still be moved and nothing is paid.
pub(crate) const DEAD_TICKS: u8 = 10;
/// For each arrival.
pub(crate) const REWARD: f32 = 1.0;
/// Seconds of an episode.
const SECONDS: f64 = 200.0;
/// Metres that can be asked to be clear around the goal: more would leave no place in a small town.
const MOST_MARGIN: f64 = 1.0;
/// Routes are kept in centimetres.
pub(super) const ROUTE_PARTS: f64 = 100.0;

config! {
    /// The config of the three tasks.
    Config {
        /// Whether the symbolic observation has the walker's pose.
        pose: bool = false,
        /// Metres between the goal's tile and any wall or building.
        goal_margin: f64 = 0.0,
    }
}

/// The spec of a task that looks for a goal, in a square world, for `reward` per arrival.
pub(crate) fn spec(format: Format, pose: bool, reward: f32) -> Spec {
    let fields = format.fields(Fan::bounds(pose, reward), Walk::ALL.len(), reward);
    let action = ActionSpace::Discrete(Walk::ALL.len() as u32);
    Spec { metrics: Trips::metrics(), ..Spec::single(fields, action, map::frame(1.0, 1.0)) }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) layout: Layout,
    pub(crate) body: Body,
    /// Ticks so far.
    pub(crate) tick: u32,
    /// Ticks until the respawn; zero while looking for the goal.
    pub(crate) dead: u8,
    pub(crate) trips: Trips,
    spawn: Seed,
    pub(super) previous: Previous,
}

impl State {
    fn place(&self) -> [f64; 2] {
        [self.body.x, self.body.z].map(|at| at * ROUTE_PARTS)
    }

    /// Puts the walker where the trip after so many arrivals begins, whatever happened before.
    fn put(&mut self) {
        let mut rng = self.spawn.derive(self.trips.goals.into()).rng();
        let tile = self.layout.spawns().pick(&mut rng).expect("a layout without a spawn is drawn again");
        let [x, z] = tile.middle();
        self.body = Body::at(x, z, 360.0 * rng.unit());
    }
}

/// The rules of the three tasks.
#[derive(Debug)]
pub(crate) struct Arena {
    pub(super) variant: Variant,
    pub(super) config: Config,
    level: Level,
    format: Format,
    pub(super) clock: Clock,
    pub(super) textures: Textures,
    pub(super) sky: Sky,
    pub(super) fan: Fan,
    spec: Spec,
}

impl Environment for Arena {
    type Config = Config;
    type State = State;
    type Action = Walk;
    type Variant = Variant;

    fn new(config: &Config, variant: Variant) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, variant.task)?;
        let format = config.format()?.with_pose(config.pose)?;
        if !(0.0..=MOST_MARGIN).contains(&config.goal_margin) {
            return Err(ConfigError::value("goal_margin", config.goal_margin, &format!("0 to {MOST_MARGIN}")));
        }
        let clock = Clock::new(config.seconds, SECONDS, UNITY_RATE)?;
        let spec = spec(format, config.pose, REWARD);
        let sky = if variant.buildings { scene::plain_sky() } else { scene::sky_with_landmarks() };
        let textures = Textures::new(scene::TEXTURE_SEED);
        Ok(Self { variant, config: config.clone(), level, format, clock, textures, sky, fan: Fan::default(), spec })
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
        let seed = start.seed;
        let scale = self.level.draw(&mut seed.stream("order").rng());
        state.layout.draw(scale, self.level.stimuli, self.variant.buildings, self.config.goal_margin, seed);
        state.spawn = seed.stream("spawn");
        (state.tick, state.dead, state.previous, state.trips.goals) = (0, 0, Previous::default(), 0);
        state.put();
        state.trips.restart(state.place());
    }

    fn reserve(&self, state: &mut State) {
        state.trips.reserve();
    }

    fn check(&self, state: &State) -> Result<(), String> {
        state.layout.check(self.variant.buildings)?;
        state.body.check(&state.layout.bounds())?;
        self.clock.check(state.tick)?;
        within("dead", state.dead, 0..=DEAD_TICKS)?;
        state.trips.check(state.tick)?;
        state.previous.check(Walk::ALL.len(), REWARD)
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
        let (Body { x, z, yaw, .. }, goal) = (state.body, state.layout.goal);
        let (seen, dead) = (if self.variant.visible { "" } else { "hidden " }, state.dead > 0);
        let (buildings, side, arrivals) = (state.layout.buildings().len(), state.layout.side, state.trips.goals);
        let at = whereabouts(x, z, yaw, 1.0);
        let arrived = if dead { ", to be put elsewhere" } else { "" };
        format!(
            "{at}; {seen}goal at ({}, {}) of {side} m, {buildings} buildings; arrivals {arrivals}{arrived}",
            goal.x, goal.z
        )
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        state.trips.write(state.layout.side, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        policies::all()
    }
}

impl Walked for Arena {
    fn walk(&self, state: &mut State, controls: &Controls) -> (f32, Status) {
        let bounds = state.layout.bounds();
        let near = state.layout.around(state.body.x, state.body.z);
        state.body.tick(controls, &bounds, near.iter().map(|b| &b.rect));
        state.tick += 1;
        let alive = state.dead == 0;
        state.trips.tick(state.tick, state.place(), alive);
        let mut reward = 0.0;
        if alive {
            if self.variant.arrives(state.layout.goal, state.body.x, state.body.z) {
                reward = REWARD;
                state.dead = DEAD_TICKS;
                state.trips.arrive(state.place());
            }
        } else {
            state.dead -= 1;
            if state.dead == 0 {
                state.put();
                state.trips.begin(state.place());
            }
        }
        (reward, self.clock.status(state.tick))
    }

    fn body(state: &State) -> &Body {
        &state.body
    }

    fn left(&self, state: &State) -> u32 {
        self.clock.left(state.tick)
    }
}

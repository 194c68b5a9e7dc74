//! What happens at a tick.

use heldout_core::{ActionSpace, ConfigError, Dtype, Field, Metric, Row, Seed, Spec, Start, Status};
use heldout_render::first_person::{Sky, Textures};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::{draw, scene};
use crate::memory::body::{Body, TICKS_PER_SECOND, TICKS_PER_STEP};
use crate::memory::controls::{ControlError, Controls, Walk};
use crate::memory::level::{Drawn, Level};
use crate::memory::sight::{FEATURES, FEATURES_WITH_POSE, Fan};
use crate::memory::trips::Trips;
use crate::memory::view::{Observation, View};

/// Ticks between an arrival and the respawn, in which the walker can still be moved and nothing is paid.
pub const DEAD_TICKS: u8 = 10;
/// For each arrival.
const REWARD: f32 = 1.0;
/// Metres that can be asked to be clear around the goal: more would leave no place in a small town.
const MOST_MARGIN: f64 = 1.0;
/// Longest episode that a config may ask for, in seconds.
const MOST_SECONDS: f64 = 36_000.0;

/// Which of the three tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The public name of the task.
    pub task: &'static str,
    /// Whether the goal is drawn.
    pub visible: bool,
    /// Whether there are buildings.
    pub buildings: bool,
}

/// What is fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Which scales and goal regions.
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
    /// Metres between the goal's tile and any wall or building.
    pub goal_margin: f64,
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
            seconds: 200.0,
            goal_margin: 0.0,
        }
    }
}

/// Ticks of an episode of `seconds`.
///
/// # Errors
///
/// If it is not a positive number, or too large.
pub fn limit(seconds: f64, ticks_per_second: u32) -> Result<u32, ConfigError> {
    let ticks = (seconds * f64::from(ticks_per_second)).round();
    if seconds <= MOST_SECONDS && ticks >= 1.0 {
        Ok(ticks as u32)
    } else {
        let least = format!("more than half a tick of 1/{ticks_per_second} and at most {MOST_SECONDS}");
        Err(ConfigError::value("seconds", seconds, &least))
    }
}

/// What changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The arena.
    pub layout: Layout,
    /// The walker.
    pub body: Body,
    /// The raw controls as they were last set.
    pub controls: Controls,
    /// Ticks so far.
    pub tick: u32,
    /// Ticks until the respawn; zero while looking for the goal.
    pub dead: u8,
    /// How the goal was reached.
    pub trips: Trips,
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
        [self.body.x, crate::memory::body::EYE, self.body.z]
    }

    fn place(&self) -> [f64; 2] {
        // The route is kept in centimetres.
        [self.body.x * 100.0, self.body.z * 100.0]
    }
}

/// The rules of one of the three tasks.
#[derive(Debug)]
pub struct Rules {
    /// Which task.
    pub kind: Kind,
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
    pub fn new(config: &Config, kind: Kind) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, kind.task)?;
        let Config { observation, width, height, previous, .. } = *config;
        let view = View { observation, width, height, previous }.check()?;
        if config.pose && observation == Observation::Pixels {
            return Err(ConfigError::new("pose", "is `true`, must be `false` where the agent sees pixels"));
        }
        if !(0.0..=MOST_MARGIN).contains(&config.goal_margin) {
            return Err(ConfigError::value("goal_margin", config.goal_margin, &format!("0 to {MOST_MARGIN}")));
        }
        let limit = limit(config.seconds, TICKS_PER_SECOND)?;
        let features = if config.pose { FEATURES_WITH_POSE } else { FEATURES };
        let spec = Spec {
            metrics: metrics(),
            ..Spec::single(fields(&view, features, REWARD), ActionSpace::Discrete(8), draw::FRAME)
        };
        let (zenith, horizon) = (Rgb::new(84, 142, 214), Rgb::new(206, 224, 240));
        let sky = if kind.buildings { Sky::plain(zenith, horizon) } else { Sky::with_landmarks(zenith, horizon) };
        let textures = Textures::new(scene::TEXTURE_SEED);
        Ok(Self { kind, config: config.clone(), level, view, limit, textures, sky, fan: Fan::default(), spec })
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
        state.trips.reserve();
        self.restart(&mut state, start);
        state
    }

    /// Begins an episode in place.
    pub fn restart(&self, state: &mut State, start: Start) {
        let scale = self.level.draw(&mut start.seed.stream("order").rng());
        self.restart_at(state, scale, start.seed);
    }

    /// Begins an episode of a given scale in place.
    fn restart_at(&self, state: &mut State, scale: Drawn, seed: Seed) {
        state.layout.draw(scale, self.level.stimuli, self.kind.buildings, self.config.goal_margin, seed);
        state.spawn = seed.stream("spawn");
        state.controls = Controls::default();
        (state.tick, state.dead, state.last_action, state.last_reward) = (0, 0, None, 0.0);
        put(state, 0);
        state.trips.restart(state.place());
    }

    /// Advances one tick under the controls that are set.
    pub fn advance(&self, state: &mut State) -> (f32, Status) {
        let controls = state.controls.pitched(self.config.invert_pitch);
        let bounds = state.layout.bounds();
        let near = state.layout.around(state.body.x, state.body.z);
        state.body.tick(&controls, &bounds, near.iter().map(|b| &b.rect));
        state.tick += 1;
        let alive = state.dead == 0;
        state.trips.tick(state.tick, state.place(), alive);
        let mut reward = 0.0;
        if alive {
            if state.layout.goal.rect().contains(state.body.x, state.body.z) {
                reward = REWARD;
                state.dead = DEAD_TICKS;
                state.trips.arrive(state.place());
            }
        } else {
            state.dead -= 1;
            if state.dead == 0 {
                put(state, state.trips.goals);
                state.trips.begin(state.place());
            }
        }
        let status = if state.tick >= self.limit { Status::Truncated } else { Status::Running };
        (reward, status)
    }

    /// Advances one tick under raw controls; those that are not given keep their values.
    ///
    /// # Errors
    ///
    /// If a value is out of range; nothing happens then.
    pub fn tick(&self, state: &mut State, raw: [Option<f64>; 4]) -> Result<(f32, Status), ControlError> {
        state.controls.set(raw)?;
        let (reward, status) = self.advance(state);
        (state.last_action, state.last_reward) = (None, reward);
        Ok((reward, status))
    }

    /// Advances one step.
    pub fn step(&self, state: &mut State, action: Walk) -> (f32, Status) {
        state.controls = action.controls();
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
        state.trips.write(values)[0] = f32::from(state.layout.side);
    }
}

/// Puts the walker where the trip after `goals` arrivals begins, whatever happened before.
fn put(state: &mut State, goals: u32) {
    let mut rng = state.spawn.derive(goals.into()).rng();
    let tile = state.layout.spawns().pick(&mut rng).expect("a layout without a spawn is drawn again");
    let [x, z] = tile.middle();
    state.body = Body::at(x, z, 360.0 * rng.unit());
}

/// The fields of an observation of `features` numbers or of a picture, where no step pays more than `most`.
pub(in crate::memory) fn fields(view: &View, features: usize, most: f32) -> Vec<Field> {
    let mut fields = vec![match view.observation {
        Observation::Pixels => Field::image("pixels", view.height as usize, view.width as usize),
        Observation::Symbolic => Field::new("symbolic", Dtype::F32, &[features], -1.0, most.max(4.0)),
    }];
    if view.previous {
        fields.push(Field::new("previous_action", Dtype::F32, &[8], 0.0, 1.0));
        fields.push(Field::new("previous_reward", Dtype::F32, &[1], 0.0, most));
    }
    fields
}

/// Writes the two fields of what was done and paid last.
pub(in crate::memory) fn write_previous(row: &mut Row<'_, '_>, action: Option<Walk>, reward: f32) {
    let one_hot = row.f32(1);
    one_hot.fill(0.0);
    if let Some(action) = action {
        one_hot[action as usize] = 1.0;
    }
    row.f32(2)[0] = reward;
}

/// What a goal task reports.
pub(in crate::memory) fn metrics() -> Vec<Metric> {
    let mut metrics = Trips::metrics();
    metrics.push(Metric::episode("side"));
    metrics
}

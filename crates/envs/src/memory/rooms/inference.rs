//! `memory/transitive-inference-v1`: learn the order of a chain from its neighbours, then judge two that never met.

use heldout_core::{ActionSpace, ConfigError, Environment, Frame, Metric, Row, Scripted, Spec, Start, Status};
use heldout_render::first_person::{self, Floor, Grid, Object, Paint, Scene, Shape, Sky, Surface, Textures, Wall};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

use super::chain::{Chain, Side};
use super::config::{self, InferenceConfig, Previous};
use super::inference_policies;
use super::map::{self, CAPTION, VIEW};
use super::sight::{Eye, Sighting};
use super::spot_view::camera;
use crate::memory::body::{EYE, TICKS_PER_SECOND, TICKS_PER_STEP};
use crate::memory::{Body, Controls, Level, Observation, Rect, View, Walk, level};
use crate::registry::{About, Preset};

/// The entry of the registry.
pub static ABOUT: About = About {
    id: "memory/transitive-inference-v1",
    summary: "Learn the order of a chain of colours from pairs of neighbours, then judge two that never met.",
    card: include_str!("../transitive_inference.md"),
    split_key: "level",
    splits: &level::NAMES,
    presets: &[
        Preset {
            name: "symbolic",
            about: "A vector of what is in view, with the previous action and reward.",
            config: r#"{"observation": "symbolic", "previous": true}"#,
        },
        Preset { name: "square", about: "Pictures of 84 x 84.", config: r#"{"width": 84, "height": 84}"# },
    ],
    smallest: r#"{"observation": "symbolic"}"#,
};

/// The room.
const ROOM: Rect = Rect::new(0.0, 0.0, 10.0, 10.0);
/// Where the two balls lie, left and right.
pub const BALLS: [(f64, f64); 2] = [(3.0, 8.0), (7.0, 8.0)];
/// Half the width of a ball.
const BALL: f64 = 0.5;
/// How near to a ball its touch begins.
const TOUCH: f64 = 0.35;
/// Ticks without balls after a touch.
pub const BLANK: u32 = 10;
/// Seconds of an episode.
const SECONDS: f64 = 200.0;
const WALL_HEIGHT: f32 = 3.0;
/// Cells of one metre, with a wall all around.
const CELLS: usize = 12;
/// Seed of the textures: they belong to the environment, not to the episode.
const TEXTURES: u64 = 8;
const WALLS: Surface = Surface { texture: Textures::WALLS[3], tint: Rgb::new(206, 198, 186) };
const DEMO_FLOOR: Rgb = Rgb::new(150, 150, 150);
const CHALLENGE_FLOOR: Rgb = Rgb::new(40, 50, 120);
/// Elements of the symbolic vector: the floor and two balls.
const ELEMENTS: usize = 1 + 2 * SLOT;
const SLOT: usize = 7;
/// What distances are divided by: more than the longest.
const FAR: f64 = 15.0;
/// Pixels of a metre on the map.
const SCALE: usize = 26;
const FRAME: (usize, usize) = (VIEW.0 + map::extent(10, SCALE), VIEW.1 + CAPTION);

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InferenceState {
    /// The chain and how far it has come.
    pub chain: Chain,
    /// The walker.
    pub body: Body,
    /// Ticks until the next pair is shown; zero while one is.
    pub blank: u32,
    /// Ticks so far.
    pub tick: u32,
    score: f64,
    previous: Previous,
}

impl InferenceState {
    /// Sum of the rewards.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.score
    }

    /// Whether a pair is shown.
    #[must_use]
    pub fn shows(&self) -> bool {
        self.blank == 0 && self.chain.answer.is_none()
    }
}

/// The rules.
#[derive(Debug)]
pub struct Inference {
    level: Level,
    view: View,
    cue_phase: bool,
    limit: u32,
    cells: Vec<u8>,
    textures: Textures,
    sky: Sky,
    spec: Spec,
}

fn spawn() -> Body {
    Body::at(5.0, 1.0, 0.0)
}

impl Inference {
    /// Which stimuli and which scale.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// What the agent sees.
    #[must_use]
    pub fn view(&self) -> View {
        self.view
    }

    /// Ticks of an episode.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Advances one tick under raw controls, without repeating them.
    pub fn tick(&self, state: &mut InferenceState, controls: &Controls) -> (f32, Status) {
        state.tick += 1;
        state.body.tick(controls, &ROOM, []);
        let mut reward = 0.0;
        if state.blank > 0 {
            state.blank -= 1;
            if state.blank == 0 {
                state.body = spawn();
            }
        } else if let Some(side) = touched(&state.body) {
            reward = state.chain.choose(side);
            if state.chain.answer.is_none() {
                state.blank = BLANK;
            }
        }
        state.score += f64::from(reward);
        let status = if state.chain.answer.is_some() {
            Status::Terminated
        } else if state.tick >= self.limit {
            Status::Truncated
        } else {
            Status::Running
        };
        (reward, status)
    }

    /// Paints what the walker sees.
    pub fn picture(&self, state: &InferenceState, canvas: &mut Canvas<'_>) {
        let tint = if self.cued(state) { CHALLENGE_FLOOR } else { DEMO_FLOOR };
        let floor = Floor { surface: Surface { texture: Textures::GROUND, tint }, period: 2.0 };
        let colours = state.chain.shown();
        let objects: [Object; 2] = std::array::from_fn(|i| Object {
            x: BALLS[i].0 as f32,
            y: BALL as f32,
            z: BALLS[i].1 as f32,
            shape: Shape::Sphere { radius: BALL as f32 },
            paint: Paint::Flat(colours[i].rgb()),
        });
        let walls = [Wall::Solid { height: WALL_HEIGHT, surface: WALLS }];
        let grid = Grid { x: -1.0, z: -1.0, cell: 1.0, columns: CELLS, rows: CELLS, cells: &self.cells, walls: &walls };
        let objects = if state.shows() { &objects[..] } else { &[] };
        let scene = Scene { grid, textures: &self.textures, floor, sky: &self.sky, objects };
        first_person::draw(&scene, &camera(&state.body), canvas);
    }

    /// Where the eye is: east, up, north.
    #[must_use]
    pub fn position(&self, state: &InferenceState) -> [f64; 3] {
        [state.body.x, EYE, state.body.z]
    }

    /// Whether the floor shows that the pair is the challenge.
    fn cued(&self, state: &InferenceState) -> bool {
        self.cue_phase && state.shows() && state.chain.challenge()
    }

    /// Writes the floor, then the balls in view, from left to right.
    fn symbolic(&self, state: &InferenceState, row: &mut [f32]) {
        row.fill(0.0);
        row[0] = f32::from(self.cued(state));
        if !state.shows() {
            return;
        }
        let eye = Eye::of(&state.body);
        let colours = state.chain.shown();
        let see = |i: usize| Some((eye.sees(BALLS[i].0, BALLS[i].1, (0.0, 2.0 * BALL))?, colours[i]));
        let mut seen = [see(0), see(1)];
        let key = |ball: &Option<(Sighting, _)>| ball.map_or(f64::INFINITY, |(sighting, _)| sighting.sin);
        if key(&seen[1]) < key(&seen[0]) {
            seen.swap(0, 1);
        }
        for ((Sighting { sin, cos, distance }, colour), slot) in
            seen.into_iter().flatten().zip(row[1..].chunks_exact_mut(SLOT))
        {
            let [red, green, blue] = colour.unit();
            slot.copy_from_slice(&[1.0, sin as f32, cos as f32, (distance / FAR) as f32, red, green, blue]);
        }
    }
}

/// The ball that the walker touches.
fn touched(body: &Body) -> Option<Side> {
    let reach = BALL + TOUCH;
    Side::ALL.into_iter().find(|side| {
        let (x, z) = BALLS[*side as usize];
        let (dx, dz) = (x - body.x, z - body.z);
        dx * dx + dz * dz <= reach * reach
    })
}

impl Environment for Inference {
    type Config = InferenceConfig;
    type State = InferenceState;
    type Action = Walk;

    fn new(config: &InferenceConfig) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, "transitive_inference")?;
        let view = config.view().check()?;
        let limit = config::limit(config.seconds, SECONDS)?;
        let fields = config::fields(view, ELEMENTS, super::chain::CHALLENGE_REWARD);
        let metrics = ["demos", "wrong", "challenged", "challenge", "items"];
        let mut metrics: Vec<_> = metrics.into_iter().map(Metric::episode).collect();
        metrics[3] = metrics[3].clone().weighed_by("challenged");
        let spec = Spec { metrics, ..Spec::single(fields, ActionSpace::Discrete(Walk::ALL.len() as u32), FRAME) };
        let inside = |i: usize| (1..CELLS - 1).contains(&i);
        let cells = (0..CELLS * CELLS).map(|i| u8::from(!(inside(i % CELLS) && inside(i / CELLS)))).collect();
        let sky = Sky::plain(Rgb::new(96, 150, 214), Rgb::new(206, 224, 240));
        let textures = Textures::new(TEXTURES);
        Ok(Self { level, view, cue_phase: config.cue_phase, limit, cells, textures, sky, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Walk> {
        Walk::decode(raw)
    }

    fn encode(&self, _: usize, action: Walk, raw: &mut [i32]) {
        raw[0] = action as i32;
    }

    fn start(&self, start: Start) -> InferenceState {
        let scale = self.level.draw(&mut start.seed.stream("scale").rng());
        let chain = Chain::draw(self.level.stimuli, scale, start.seed);
        InferenceState { chain, body: spawn(), blank: 0, tick: 0, score: 0.0, previous: Previous::default() }
    }

    fn restart(&self, state: &mut InferenceState, start: Start) {
        *state = self.start(start);
    }

    fn step(&self, state: &mut InferenceState, actions: &[Walk], rewards: &mut [f32]) -> Status {
        let controls = actions[0].controls();
        let mut status = Status::Running;
        rewards[0] = 0.0;
        for _ in 0..TICKS_PER_STEP {
            let (reward, now) = self.tick(state, &controls);
            rewards[0] += reward;
            status = now;
            if status.ended() {
                break;
            }
        }
        state.previous = Previous { action: Some(actions[0]), reward: rewards[0] };
        status
    }

    fn observe(&self, state: &InferenceState, _: usize, mut row: Row<'_, '_>) {
        match self.view.observation {
            Observation::Pixels => {
                let (width, height) = (self.view.width as usize, self.view.height as usize);
                self.picture(state, &mut Canvas::new(width, height, row.u8(0)));
            }
            Observation::Symbolic => self.symbolic(state, row.f32(0)),
        }
        state.previous.observe(self.view, &mut row);
    }

    fn draw(&self, state: &InferenceState, _: usize, mut frame: Frame<'_>) {
        let chain = &state.chain;
        let phase = if chain.challenge() {
            "challenge".to_owned()
        } else {
            format!("pair {} of {}", chain.done + 1, chain.items - 1)
        };
        let seconds = f64::from(state.tick) / f64::from(TICKS_PER_SECOND);
        let limit = f64::from(self.limit) / f64::from(TICKS_PER_SECOND);
        let caption =
            format!("time {seconds:5.1} of {limit:.0} s   {phase}   wrong {}   score {}", chain.wrong, state.score);
        map::paint(
            &mut frame,
            (SCALE as f64, 10.0),
            &caption,
            |canvas| self.picture(state, canvas),
            |map| {
                map.rect(&ROOM, if self.cued(state) { CHALLENGE_FLOOR } else { DEMO_FLOOR.shade(180) });
                if state.shows() {
                    for (colour, (x, z)) in chain.shown().into_iter().zip(BALLS) {
                        map.disc(x, z, BALL, colour.rgb());
                    }
                    let (x, z) = BALLS[chain.higher() as usize];
                    map.ring(x, z, BALL + 0.2, Rgb::AMBER);
                }
                map.walker(&state.body);
                // The whole chain, from the lowest to the highest.
                for (i, colour) in chain.colours().iter().enumerate() {
                    map.disc(1.0 + i as f64 * 8.0 / f64::from(chain.items - 1), 0.35, 0.2, colour.rgb());
                }
            },
        );
    }

    fn metrics(&self, state: &InferenceState, values: &mut [f32]) {
        let chain = &state.chain;
        values.copy_from_slice(&[
            chain.done as f32,
            chain.wrong as f32,
            f32::from(chain.answer.is_some()),
            f32::from(chain.answer == Some(true)),
            chain.items as f32,
        ]);
    }

    fn policies() -> Vec<Scripted<Self>> {
        inference_policies::all()
    }
}

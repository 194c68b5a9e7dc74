//! `memory/transitive-inference-v1`: learn the order of a chain from its neighbours, then judge two that never met.

use heldout_core::check::within;
use heldout_core::{ActionSpace, ConfigError, Environment, Frame, Metric, Row, Scripted, Spec, Start, Status};
use heldout_render::first_person::{self, Floor, Grid, Object, Paint, Scene, Shape, Sky, Surface, Textures, Wall};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

use super::chain::{CHALLENGE_REWARD, Chain, Side};
use super::layout::{TOUCH, WALL_HEIGHT};
use super::{SKY, SLOT, inference_policies, slot};
use crate::level::Level;
use crate::walker::body::{Body, Rect, whereabouts};
use crate::walker::clock::{Clock, UNITY_RATE};
use crate::walker::config::{Format, Previous, config};
use crate::walker::controls::{Controls, Walk, decode};
use crate::walker::map;
use crate::walker::raw::{Raw, Walked};
use crate::walker::sight::{Eye, Sighting};

/// The public name of the task.
pub(crate) const TASK: &str = "transitive_inference";
const ROOM: Rect = Rect::new(0.0, 0.0, 10.0, 10.0);
/// Where the two balls lie, left and right.
pub(crate) const BALLS: [(f64, f64); 2] = [(3.0, 8.0), (7.0, 8.0)];
/// Half the width of a ball: seen from where the walker begins it is more than 11 pixels wide in a picture of 96x72.
pub(crate) const BALL: f64 = 0.9;
/// Ticks without balls after a touch.
pub(crate) const BLANK: u32 = 10;
/// Seconds of an episode.
const SECONDS: f64 = 200.0;
/// Cells of one metre, with a wall all around.
const CELLS: usize = 12;
/// Seed of the textures: they belong to the environment, not to the episode.
const TEXTURES: u64 = 8;
// What lies around the balls is plain and has none of their colours: each of the twenty stands out from all three.
const WALLS: Surface = Surface { texture: Textures::NOISE, tint: Rgb::new(0, 135, 255) };
const DEMO_FLOOR: Rgb = Rgb::new(135, 0, 75);
const CHALLENGE_FLOOR: Rgb = Rgb::new(0, 60, 0);
/// Elements of the symbolic vector: the floor and two balls.
const ELEMENTS: usize = 1 + 2 * SLOT;
/// What distances are divided by: more than the longest.
const FAR: f64 = 15.0;

config! {
    /// The config of transitive inference.
    InferenceConfig {
        /// Whether the floor has another colour for the challenge.
        cue_phase: bool = true,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InferenceState {
    /// The chain and how far it has come.
    pub(crate) chain: Chain,
    pub(crate) body: Body,
    /// Ticks until the next pair is shown; zero while one is.
    pub(crate) blank: u32,
    /// Ticks so far.
    pub(crate) tick: u32,
    previous: Previous,
}

impl InferenceState {
    /// Whether a pair is shown.
    pub(crate) fn shows(&self) -> bool {
        self.blank == 0 && self.chain.answer.is_none()
    }
}

#[derive(Debug)]
pub(crate) struct Inference {
    level: Level,
    pub(super) format: Format,
    cue_phase: bool,
    clock: Clock,
    cells: Vec<u8>,
    textures: Textures,
    sky: Sky,
    spec: Spec,
}

fn spawn() -> Body {
    Body::at(5.0, 1.0, 0.0)
}

impl Inference {
    /// Paints what the walker sees.
    pub(crate) fn picture(&self, state: &InferenceState, canvas: &mut Canvas<'_>) {
        let tint = if self.cued(state) { CHALLENGE_FLOOR } else { DEMO_FLOOR };
        let floor = Floor { surface: Surface { texture: Textures::NOISE, tint }, period: 2.0 };
        let colours = state.chain.shown();
        let objects: [Object; 2] = std::array::from_fn(|i| Object {
            x: BALLS[i].0 as f32,
            y: BALL as f32,
            z: BALLS[i].1 as f32,
            shape: Shape::Sphere { radius: BALL as f32 },
            paint: Paint::Flat(colours[i].rgb()),
        });
        let walls = [Wall::Solid { height: WALL_HEIGHT as f32, surface: WALLS }];
        let grid = Grid { x: -1.0, z: -1.0, cell: 1.0, columns: CELLS, rows: CELLS, cells: &self.cells, walls: &walls };
        let objects = if state.shows() { &objects[..] } else { &[] };
        let scene = Scene { grid, textures: &self.textures, floor, sky: &self.sky, objects };
        first_person::draw(&scene, &Eye::of(&state.body).camera(), canvas);
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
        for ((sighting, colour), out) in seen.into_iter().flatten().zip(row[1..].chunks_exact_mut(SLOT)) {
            out.copy_from_slice(&slot(sighting, FAR, colour));
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
    type Variant = ();

    fn new(config: &InferenceConfig, (): ()) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, TASK)?;
        let format = config.format()?;
        let clock = Clock::new(config.seconds, SECONDS, UNITY_RATE)?;
        let fields = format.fields((ELEMENTS, -1.0, 1.0), Walk::ALL.len(), CHALLENGE_REWARD);
        let metrics = vec![
            Metric::episode("demos"),
            Metric::episode("wrong"),
            Metric::share("challenged"),
            Metric::share("challenge").weighed_by("challenged"),
            Metric::episode("items"),
        ];
        let action = ActionSpace::Discrete(Walk::ALL.len() as u32);
        let spec = Spec { metrics, ..Spec::single(fields, action, map::frame(ROOM.x1, ROOM.z1)) };
        let inside = |i: usize| (1..CELLS - 1).contains(&i);
        let cells = (0..CELLS * CELLS).map(|i| u8::from(!(inside(i % CELLS) && inside(i / CELLS)))).collect();
        let (sky, textures) = (Sky::plain(SKY.0, SKY.1), Textures::new(TEXTURES));
        Ok(Self { level, format, cue_phase: config.cue_phase, clock, cells, textures, sky, spec })
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

    fn start(&self, start: Start) -> InferenceState {
        let scale = self.level.draw(&mut start.seed.stream("scale").rng());
        let chain = Chain::draw(self.level.stimuli, scale, start.seed);
        InferenceState { chain, body: spawn(), blank: 0, tick: 0, previous: Previous::default() }
    }

    fn restart(&self, state: &mut InferenceState, start: Start) {
        *state = self.start(start);
    }

    fn check(&self, state: &InferenceState) -> Result<(), String> {
        self.clock.check(state.tick)?;
        state.chain.check(state.tick)?;
        state.body.check(&ROOM)?;
        within("blank", state.blank, 0..=BLANK)?;
        state.previous.check(Walk::ALL.len(), CHALLENGE_REWARD)
    }

    fn step(&self, state: &mut InferenceState, actions: &[Walk], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.repeat(state, actions[0]);
        state.previous = Previous::new(actions[0] as usize, reward);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &InferenceState, _: usize, row: Row<'_, '_>) {
        self.format.observe(row, state.previous, |canvas| self.picture(state, canvas), |out| self.symbolic(state, out));
    }

    fn draw(&self, state: &InferenceState, _: usize, frame: Frame<'_>) {
        let chain = &state.chain;
        let caption = format!("{}   {}   wrong {}", self.clock.caption(state.tick), chain.stage(), chain.wrong);
        map::paint(
            frame,
            ROOM.z1,
            &caption,
            |canvas| self.picture(state, canvas),
            |map| {
                map.fill(&ROOM, if self.cued(state) { CHALLENGE_FLOOR } else { DEMO_FLOOR });
                if state.shows() {
                    for (colour, (x, z)) in chain.shown().into_iter().zip(BALLS) {
                        map.disc(x, z, BALL, colour.rgb());
                    }
                    let (x, z) = BALLS[chain.higher() as usize];
                    map.ring(x, z, BALL + 0.2, Rgb::AMBER);
                }
                map.walker(state.body.x, state.body.z, state.body.yaw);
                // The whole chain, from the lowest to the highest.
                for (i, colour) in chain.colours().iter().enumerate() {
                    map.disc(1.0 + i as f64 * 8.0 / f64::from(chain.items - 1), 0.35, 0.2, colour.rgb());
                }
            },
        );
    }

    fn words(&self, state: &InferenceState) -> String {
        let at = whereabouts(state.body.x, state.body.z, state.body.yaw, 1.0);
        format!("{at}; {}", state.chain.words(state.shows()))
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

impl Walked for Inference {
    fn walk(&self, state: &mut InferenceState, controls: &Controls) -> (f32, Status) {
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
        let over = state.chain.answer.is_some();
        (reward, if over { Status::Terminated } else { self.clock.status(state.tick) })
    }

    fn body(state: &InferenceState) -> &Body {
        &state.body
    }

    fn left(&self, state: &InferenceState) -> u32 {
        self.clock.left(state.tick)
    }
}

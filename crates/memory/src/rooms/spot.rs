//! What happens in the two rooms: walk from one to the other and touch the block that differs.

use heldout_core::check::below;
use heldout_core::{ActionSpace, ConfigError, Environment, Frame, Metric, Row, Scripted, Spec, Start, Status};
use heldout_render::Canvas;
use serde::{Deserialize, Serialize};

use super::gate::{Gates, SLABS};
use super::layout::{A_END, B_BEGIN, BESIDE_CORRIDOR, BOUNDS, HALF, Layout, MAX_BLOCKS, Room, TOUCH, Variant, spawn};
use super::spot_view::{self, Stage};
use super::{spot_draw, spot_policies};
use crate::level::Level;
use crate::walker::body::{Body, Rect, whereabouts};
use crate::walker::clock::{Clock, UNITY_RATE};
use crate::walker::config::{Format, Previous, config};
use crate::walker::controls::{Controls, Walk, decode};
use crate::walker::raw::{Raw, Walked};

/// For the block that differs.
const REWARD: f32 = 1.0;

config! {
    /// The config of the four tasks.
    SpotConfig {}
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SpotState {
    /// The blocks and the delay.
    pub(crate) layout: Layout,
    pub(crate) body: Body,
    pub(crate) gates: Gates,
    /// Ticks so far.
    pub(crate) tick: u32,
    /// The block of Room B that was touched.
    pub(crate) touched: Option<u32>,
    /// Whether the walker has been in Room B.
    entered: bool,
    previous: Previous,
}

impl SpotState {
    /// Whether the block that differs was touched.
    pub(crate) fn success(&self) -> bool {
        self.touched == Some(self.layout.changed)
    }
}

/// The rules of the four tasks.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(super) variant: Variant,
    level: Level,
    pub(super) format: Format,
    pub(super) clock: Clock,
    stage: Stage,
    spec: Spec,
}

impl Spot {
    /// Paints what the walker sees.
    pub(crate) fn picture(&self, state: &SpotState, canvas: &mut Canvas<'_>) {
        self.stage.picture(state, canvas);
    }
}

impl Environment for Spot {
    type Config = SpotConfig;
    type State = SpotState;
    type Action = Walk;
    type Variant = Variant;

    fn new(config: &SpotConfig, variant: Variant) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, variant.task())?;
        let format = config.format()?;
        let clock = Clock::new(config.seconds, variant.seconds(), UNITY_RATE)?;
        let fields = format.fields((spot_view::elements(variant), -1.0, 1.0), Walk::ALL.len(), REWARD);
        let metrics = [
            Metric::share("success"),
            Metric::share("touched"),
            Metric::share("entered"),
            Metric::episode("delay"),
            Metric::episode("objects"),
        ];
        let spec = Spec {
            metrics: metrics.into(),
            ..Spec::single(fields, ActionSpace::Discrete(Walk::ALL.len() as u32), spot_draw::FRAME)
        };
        Ok(Self { variant, level, format, clock, stage: Stage::new(), spec })
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

    fn start(&self, start: Start) -> SpotState {
        let scale = self.level.draw(&mut start.seed.stream("scale").rng());
        let layout = Layout::draw(self.variant, self.level.stimuli, scale, start.seed);
        SpotState {
            layout,
            body: spawn(self.variant, &mut start.seed.stream("spawn").rng()),
            gates: Gates::new(layout.delay),
            tick: 0,
            touched: None,
            entered: false,
            previous: Previous::default(),
        }
    }

    fn restart(&self, state: &mut SpotState, start: Start) {
        *state = self.start(start);
    }

    fn check(&self, state: &SpotState) -> Result<(), String> {
        state.layout.check(self.variant)?;
        state.body.check(&BOUNDS)?;
        self.clock.check(state.tick)?;
        state.gates.check(state.layout.delay, state.tick)?;
        state.touched.map_or(Ok(()), |touched| below("touched", touched, state.layout.blocks().len()))?;
        state.previous.check(Walk::ALL.len(), REWARD)
    }

    fn step(&self, state: &mut SpotState, actions: &[Walk], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.repeat(state, actions[0]);
        state.previous = Previous::new(actions[0] as usize, reward);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &SpotState, _: usize, row: Row<'_, '_>) {
        self.format.observe(
            row,
            state.previous,
            |canvas| self.picture(state, canvas),
            |out| spot_view::symbolic(self.variant, state, out),
        );
    }

    fn draw(&self, state: &SpotState, _: usize, frame: Frame<'_>) {
        spot_draw::draw(self, state, frame);
    }

    fn words(&self, state: &SpotState) -> String {
        let Body { x, z, yaw, .. } = state.body;
        let place = ["Room A", "the corridor", "Room B"][spot_view::place(z)];
        let gates = state.gates.gates.map(|gate| if gate.blocks(state.tick) { "shut" } else { "open" }).join(", ");
        let blocks: Vec<String> = state.layout.blocks().iter().map(|block| block.look(Room::A)).collect();
        let [_, after] = state.layout.difference();
        let mut words = format!("{place} {}; gates {gates}; blocks {}", whereabouts(x, z, yaw, 1.0), blocks.join(" "));
        words += &format!("; {} becomes {after}", state.layout.changed + 1);
        if let Some(touched) = state.touched {
            words += &format!("; touched {}", touched + 1);
        }
        words
    }

    fn metrics(&self, state: &SpotState, values: &mut [f32]) {
        values.copy_from_slice(&[
            f32::from(state.success()),
            f32::from(state.touched.is_some()),
            f32::from(state.entered),
            state.layout.delay as f32,
            state.layout.count as f32,
        ]);
    }

    fn policies() -> Vec<Scripted<Self>> {
        spot_policies::all()
    }
}

impl Walked for Spot {
    fn walk(&self, state: &mut SpotState, controls: &Controls) -> (f32, Status) {
        state.tick += 1;
        let tick = state.tick;
        state.gates.open(tick);
        let mut solids = [Rect::default(); 2 + MAX_BLOCKS];
        let count = solid(state, &mut solids);
        state.body.tick(controls, &BOUNDS, BESIDE_CORRIDOR.iter().chain(&solids[..count]));
        let Body { x, z, .. } = state.body;
        state.gates.pass(z, tick);
        if z >= B_BEGIN {
            state.entered = true;
            state.touched = touched(&state.layout, x, z, tick);
        }
        let reward = if state.success() { REWARD } else { 0.0 };
        let status = if state.touched.is_some() { Status::Terminated } else { self.clock.status(tick) };
        (reward, status)
    }

    fn body(state: &SpotState) -> &Body {
        &state.body
    }

    fn left(&self, state: &SpotState) -> u32 {
        self.clock.left(state.tick)
    }
}

/// Writes what may stand in the walker's way beside walls, and says how much that is.
///
/// In Room A the whole place that a block moves through is solid, so that no block pushes the walker.
fn solid(state: &SpotState, solids: &mut [Rect; 2 + MAX_BLOCKS]) -> usize {
    let mut count = 0;
    let mut add = |rect| {
        solids[count] = rect;
        count += 1;
    };
    for (gate, slab) in state.gates.gates.iter().zip(SLABS) {
        if gate.blocks(state.tick) {
            add(slab);
        }
    }
    if state.body.z < A_END {
        for block in state.layout.blocks() {
            add(block.swept(Room::A));
        }
    }
    count
}

/// The block of Room B that a walker at this place touches: the nearest, if there are two.
pub(crate) fn touched(layout: &Layout, x: f64, z: f64, tick: u32) -> Option<u32> {
    let mut nearest = None;
    for (i, block) in layout.blocks().iter().enumerate() {
        // Blocks never leave their depth: most of the time none is near.
        if (z - block.z[1]).abs() <= HALF + TOUCH {
            let [bx, _, bz] = block.place(Room::B, tick);
            let square = (x - bx) * (x - bx) + (z - bz) * (z - bz);
            let touches = block.footprint(Room::B, tick).grown(TOUCH).contains(x, z);
            if touches && nearest.is_none_or(|(_, least)| square < least) {
                nearest = Some((i as u32, square));
            }
        }
    }
    nearest.map(|(i, _)| i)
}

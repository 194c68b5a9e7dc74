//! What happens in the two rooms: walk from one to the other and touch the block that differs.

use heldout_core::{ActionSpace, ConfigError, Frame, Metric, Row, Spec, Start, Status};
use heldout_render::Canvas;
use serde::{Deserialize, Serialize};

use super::config::{self, Previous, SpotConfig};
use super::gate::{Gates, SLABS};
use super::layout::{B_BEGIN, BESIDE_CORRIDOR, BOUNDS, Kind, Layout, MAX_BLOCKS, Room, TOUCH, spawn};
use super::spot_view::{self, Stage};
use crate::memory::body::{EYE, TICKS_PER_STEP};
use crate::memory::{Body, Controls, Level, Observation, Rect, View, Walk};

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpotState {
    /// The blocks and the delay.
    pub layout: Layout,
    /// The walker.
    pub body: Body,
    /// The gates.
    pub gates: Gates,
    /// Ticks so far.
    pub tick: u32,
    /// The block of Room B that was touched.
    pub touched: Option<u32>,
    /// Whether the walker has been in Room B.
    pub entered: bool,
    score: f64,
    previous: Previous,
}

impl SpotState {
    /// Sum of the rewards.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.score
    }

    /// Whether the block that differs was touched.
    #[must_use]
    pub fn success(&self) -> bool {
        self.touched == Some(self.layout.changed)
    }
}

/// The rules of one of the four tasks.
#[derive(Debug)]
pub struct Spot {
    kind: Kind,
    level: Level,
    view: View,
    limit: u32,
    stage: Stage,
    spec: Spec,
}

impl Spot {
    /// Checks `config` and prepares the rooms.
    ///
    /// # Errors
    ///
    /// If `config` does not describe the task.
    pub fn new(config: &SpotConfig, kind: Kind) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, kind.task())?;
        let view = config.view().check()?;
        let limit = config::limit(config.seconds, kind.seconds())?;
        let fields = config::fields(view, spot_view::elements(kind), 1.0);
        let metrics = ["success", "touched", "entered", "delay", "objects"];
        let spec = Spec {
            metrics: metrics.into_iter().map(Metric::episode).collect(),
            ..Spec::single(fields, ActionSpace::Discrete(Walk::ALL.len() as u32), super::spot_draw::FRAME)
        };
        Ok(Self { kind, level, view, limit, stage: Stage::new(), spec })
    }

    /// Which of the four tasks.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

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

    pub(super) fn spec(&self) -> &Spec {
        &self.spec
    }

    /// A fresh episode.
    #[must_use]
    pub fn start(&self, start: Start) -> SpotState {
        let scale = self.level.draw(&mut start.seed.stream("scale").rng());
        let layout = Layout::draw(self.kind, self.level.stimuli, scale, start.seed);
        SpotState {
            layout,
            body: spawn(self.kind, &mut start.seed.stream("spawn").rng()),
            gates: Gates::new(layout.delay),
            tick: 0,
            touched: None,
            entered: false,
            score: 0.0,
            previous: Previous::default(),
        }
    }

    /// Advances one tick under raw controls, without repeating them.
    pub fn tick(&self, state: &mut SpotState, controls: &Controls) -> (f32, Status) {
        state.tick += 1;
        let tick = state.tick;
        state.gates.open(tick);
        let mut solids = [Rect::default(); 2 + MAX_BLOCKS];
        let count = solid(state, &mut solids);
        state.body.tick(controls, &BOUNDS, BESIDE_CORRIDOR.iter().chain(&solids[..count]));
        let Body { x, z, .. } = state.body;
        state.gates.pass(z, tick);
        let mut reward = 0.0;
        if z >= B_BEGIN {
            state.entered = true;
            state.touched = touched(&state.layout, x, z, tick);
            if state.success() {
                reward = 1.0;
            }
        }
        state.score += f64::from(reward);
        let status = if state.touched.is_some() {
            Status::Terminated
        } else if tick >= self.limit {
            Status::Truncated
        } else {
            Status::Running
        };
        (reward, status)
    }

    /// Advances one step: the action is repeated for four ticks, or until the episode ends.
    pub fn step(&self, state: &mut SpotState, action: Walk) -> (f32, Status) {
        let controls = action.controls();
        let mut reward = 0.0;
        let mut status = Status::Running;
        for _ in 0..TICKS_PER_STEP {
            let (more, now) = self.tick(state, &controls);
            reward += more;
            status = now;
            if status.ended() {
                break;
            }
        }
        state.previous = Previous { action: Some(action), reward };
        (reward, status)
    }

    /// Paints what the walker sees.
    pub fn picture(&self, state: &SpotState, canvas: &mut Canvas<'_>) {
        self.stage.picture(state, canvas);
    }

    /// Elements of the symbolic vector.
    #[must_use]
    pub fn symbolic_len(&self) -> usize {
        spot_view::elements(self.kind)
    }

    /// Writes the symbolic vector of what the walker sees.
    pub fn symbolic(&self, state: &SpotState, row: &mut [f32]) {
        spot_view::symbolic(self.kind, state, row);
    }

    /// Where the eye is: east, up, north.
    #[must_use]
    pub fn position(&self, state: &SpotState) -> [f64; 3] {
        [state.body.x, EYE, state.body.z]
    }

    pub(super) fn observe(&self, state: &SpotState, mut row: Row<'_, '_>) {
        match self.view.observation {
            Observation::Pixels => {
                let (width, height) = (self.view.width as usize, self.view.height as usize);
                self.picture(state, &mut Canvas::new(width, height, row.u8(0)));
            }
            Observation::Symbolic => self.symbolic(state, row.f32(0)),
        }
        state.previous.observe(self.view, &mut row);
    }

    pub(super) fn draw(&self, state: &SpotState, frame: &mut Frame<'_>) {
        super::spot_draw::draw(self, state, frame);
    }

    pub(super) fn metrics(state: &SpotState, values: &mut [f32]) {
        values.copy_from_slice(&[
            f32::from(state.success()),
            f32::from(state.touched.is_some()),
            f32::from(state.entered),
            state.layout.delay as f32,
            state.layout.count as f32,
        ]);
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
    if state.body.z < super::layout::A_END {
        for block in state.layout.blocks() {
            add(block.swept(Room::A));
        }
    }
    count
}

/// The block of Room B that a walker at this place touches: the nearest, if there are two.
fn touched(layout: &Layout, x: f64, z: f64, tick: u32) -> Option<u32> {
    let mut nearest = None;
    for (i, block) in layout.blocks().iter().enumerate() {
        // Blocks never leave their depth: most of the time none is near.
        if (z - block.z[1]).abs() <= super::layout::HALF + TOUCH {
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

//! What there is to see.

use heldout_render::first_person::{self, Floor, Grid, Object, Paint, Scene, Shape, Sky, Surface, Textures, Wall};
use heldout_render::{Canvas, Rgb};

use super::layout::{BLOCK, Layout, MOST_BUILDINGS};
use super::rules::{Arena, State};
use crate::walker::sight::{Eye, Sights};

/// The textures belong to the task, not to the episode.
pub(super) const TEXTURE_SEED: u64 = 0x0a2e_4a00;
/// Height of the wall around the arena.
const WALL: f32 = 3.0;
/// The goal: a ball with its middle this high.
const GOAL_HEIGHT: f64 = 0.8;
const GOAL_RADIUS: f32 = 0.4;
const GOAL_RINGS: (Rgb, Rgb) = (Rgb::MAGENTA, Rgb::GREEN);
/// The wall around.
const WALL_TINT: Rgb = Rgb::new(176, 168, 158);
/// Metres to one repetition of the floor.
const FLOOR_PERIOD: f32 = 4.0;
/// Metres that the symbolic observation writes as one.
pub(super) const UNIT: f64 = 10.0;
/// Blocks along the side of the grid, the wall around included.
const MOST_BLOCKS: usize = 7;

/// The hues of buildings.
pub(crate) const HUES: [Rgb; 12] = [
    Rgb::new(214, 62, 54),
    Rgb::new(236, 136, 42),
    Rgb::new(240, 208, 62),
    Rgb::new(150, 200, 56),
    Rgb::new(52, 148, 66),
    Rgb::new(58, 196, 172),
    Rgb::new(92, 190, 240),
    Rgb::new(54, 98, 204),
    Rgb::new(122, 78, 190),
    Rgb::new(212, 110, 204),
    Rgb::new(138, 92, 58),
    Rgb::new(236, 232, 224),
];

/// The sky of goal tasks, from the zenith to the horizon.
const SKY: (Rgb, Rgb) = (Rgb::new(84, 142, 214), Rgb::new(206, 224, 240));

pub(crate) fn plain_sky() -> Sky {
    Sky::plain(SKY.0, SKY.1)
}

pub(super) fn sky_with_landmarks() -> Sky {
    Sky::with_landmarks(SKY.0, SKY.1)
}

/// The walls of one episode as the renderer takes them.
pub(super) struct Plan {
    cells: [u8; MOST_BLOCKS * MOST_BLOCKS],
    walls: [Wall; MOST_BUILDINGS + 1],
    blocks: usize,
    buildings: usize,
}

impl Plan {
    pub(super) fn new(layout: &Layout) -> Self {
        let blocks = layout.side as usize / BLOCK + 2;
        let around = Surface { texture: Textures::STONE, tint: WALL_TINT };
        let mut plan = Self {
            cells: [1; MOST_BLOCKS * MOST_BLOCKS],
            walls: [Wall::Solid { height: WALL, surface: around }; MOST_BUILDINGS + 1],
            blocks,
            buildings: layout.buildings().len(),
        };
        let inner = blocks - 2;
        for i in 0..inner * inner {
            let cell = &mut plan.cells[(i / inner + 1) * blocks + i % inner + 1];
            *cell = 0;
            if let Some(building) = layout.buildings().get(i) {
                *cell = i as u8 + 2;
                let surface =
                    Surface { texture: Textures::WALLS[building.texture as usize], tint: HUES[building.hue as usize] };
                let [x0, z0, x1, z1] =
                    [building.rect.x0, building.rect.z0, building.rect.x1, building.rect.z1].map(|v| v as f32);
                plan.walls[i + 1] = Wall::Block { x0, z0, x1, z1, height: building.height as f32, surface };
            }
        }
        plan
    }

    pub(super) fn grid(&self) -> Grid<'_> {
        Grid {
            x: -(BLOCK as f32),
            z: -(BLOCK as f32),
            cell: BLOCK as f32,
            columns: self.blocks,
            rows: self.blocks,
            cells: &self.cells[..self.blocks * self.blocks],
            walls: &self.walls[..=self.buildings],
        }
    }
}

impl Arena {
    /// Draws what the walker sees, in any size.
    pub(crate) fn picture(&self, state: &State, canvas: &mut Canvas<'_>) {
        let plan = Plan::new(&state.layout);
        let [x, z] = state.layout.goal.middle();
        let goal = Object {
            x: x as f32,
            y: GOAL_HEIGHT as f32,
            z: z as f32,
            shape: Shape::Sphere { radius: GOAL_RADIUS },
            paint: Paint::Rings(GOAL_RINGS.0, GOAL_RINGS.1),
        };
        let surface = if self.variant.buildings {
            Surface { texture: Textures::GROUND, tint: Rgb::new(190, 180, 160) }
        } else {
            Surface { texture: Textures::NOISE, tint: Rgb::new(168, 168, 160) }
        };
        let scene = Scene {
            grid: plan.grid(),
            textures: &self.textures,
            floor: Floor { surface, period: FLOOR_PERIOD },
            sky: &self.sky,
            objects: if self.variant.visible { std::slice::from_ref(&goal) } else { &[] },
        };
        first_person::draw(&scene, &Eye::of(&state.body).camera(), canvas);
    }

    /// Writes the symbolic observation.
    pub(super) fn symbols(&self, state: &State, out: &mut [f32]) {
        let [x, z] = state.layout.goal.middle();
        let sights = Sights {
            sun: !self.variant.buildings,
            wall: f64::from(WALL),
            goal: self.variant.visible.then_some([x, GOAL_HEIGHT, z]),
            reward: state.previous.reward,
            unit: UNIT,
            pose: self.config.pose,
        };
        self.fan.write(&Eye::of(&state.body), &Plan::new(&state.layout).grid(), &sights, out);
    }
}

//! What there is to see.

use heldout_core::Rng;
use heldout_core::check::{count, within};
use heldout_render::first_person::{self, Floor, Grid, Object, Paint, Scene, Shape, Surface, Textures, Wall};
use heldout_render::{Canvas, Rgb};

use super::plan::{Plan, Tile};
use super::rules::{Maze, State, middle};
use super::runner::{CELL, EYE};
use crate::walker::sight::{Eye, Sights};

/// The textures belong to the task, not to the episode.
pub(super) const TEXTURE_SEED: u64 = 0x0a2e_4a01;
/// Height of the walls.
const WALL: f32 = 100.0;
/// Share of the walls that bear a picture.
const DECALS: f64 = 0.1;
/// The goal: a ball on a pedestal.
const GOAL_HEIGHT: f64 = 42.0;
const GOAL_RADIUS: f32 = 18.0;
const PEDESTAL: [f32; 3] = [12.0, 12.0, 12.0];
/// Units that the symbolic observation writes as one.
pub(super) const UNIT: f64 = 10.0 * CELL;

/// The walls: the plain one, then those with pictures.
const WALLS: [Wall; 9] = [
    wall(Textures::TILE, Rgb::new(196, 186, 170)),
    wall(Textures::CHECKER, Rgb::new(214, 62, 54)),
    wall(Textures::DOTS, Rgb::new(240, 208, 62)),
    wall(Textures::WAVES, Rgb::new(54, 98, 204)),
    wall(Textures::HEX, Rgb::new(52, 148, 66)),
    wall(Textures::CROSSES, Rgb::new(212, 110, 204)),
    wall(Textures::STRIPES, Rgb::new(236, 136, 42)),
    wall(Textures::PANELS, Rgb::new(58, 196, 172)),
    wall(Textures::WEAVE, Rgb::new(122, 78, 190)),
];

const fn wall(texture: u16, tint: Rgb) -> Wall {
    Wall::Solid { height: WALL, surface: Surface { texture, tint } }
}

/// Writes which wall stands where.
pub(crate) fn paint(plan: &Plan, rng: &mut Rng, walls: &mut Vec<u8>) {
    walls.clear();
    for tile in plan.tiles() {
        walls.push(match tile {
            Tile::Wall if rng.chance(DECALS) => 2 + rng.below(WALLS.len() as u32 - 1) as u8,
            Tile::Wall => 1,
            _ => 0,
        });
    }
}

/// Checks that `walls` could have been painted for `plan`.
pub(crate) fn check(plan: &Plan, walls: &[u8]) -> Result<(), String> {
    count("walls", walls.len(), plan.tiles().len())?;
    plan.tiles().iter().zip(walls).try_for_each(|(tile, &wall)| match tile {
        Tile::Wall => within("wall", wall, 1..=WALLS.len() as u8),
        _ => within("wall", wall, 0..=0),
    })
}

/// The colour of a wall from above.
pub(crate) fn tint(wall: u8) -> Rgb {
    match WALLS[wall as usize - 1] {
        Wall::Solid { surface, .. } | Wall::Block { surface, .. } => surface.tint,
    }
}

impl State {
    fn eye(&self) -> Eye {
        Eye::new([self.runner.x, EYE, self.runner.z], self.runner.yaw, self.runner.pitch)
    }
}

fn grid(state: &State) -> Grid<'_> {
    let side = state.plan.side() as usize;
    Grid { x: 0.0, z: 0.0, cell: CELL as f32, columns: side, rows: side, cells: &state.walls, walls: &WALLS }
}

impl Maze {
    /// Draws what the walker sees, in any size.
    pub(crate) fn picture(&self, state: &State, canvas: &mut Canvas<'_>) {
        let [x, z] = middle(state.goal).map(|v| v as f32);
        let paint = Paint::Emissive(Rgb::new(60, 60, 66));
        let goal = [
            Object { x, y: PEDESTAL[1], z, shape: Shape::Box { half: PEDESTAL, yaw: 0.0 }, paint },
            Object {
                x,
                y: GOAL_HEIGHT as f32,
                z,
                shape: Shape::Sphere { radius: GOAL_RADIUS },
                paint: Paint::Rings(Rgb::YELLOW, Rgb::new(255, 40, 40)),
            },
        ];
        let surface = Surface { texture: Textures::GROUND, tint: Rgb::new(150, 140, 128) };
        let scene = Scene {
            grid: grid(state),
            textures: &self.textures,
            floor: Floor { surface, period: CELL as f32 },
            sky: &self.sky,
            objects: &goal,
        };
        first_person::draw(&scene, &state.eye().camera(), canvas);
    }

    /// Writes the symbolic observation.
    pub(super) fn symbols(&self, state: &State, out: &mut [f32]) {
        let [x, z] = middle(state.goal);
        let sights = Sights {
            sun: false,
            wall: f64::from(WALL),
            goal: Some([x, GOAL_HEIGHT, z]),
            reward: state.previous.reward,
            unit: UNIT,
            pose: self.config.pose,
        };
        self.fan.write(&state.eye(), &grid(state), &sights, out);
    }
}

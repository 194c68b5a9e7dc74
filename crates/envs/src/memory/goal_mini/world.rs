//! The grid worlds of the small variants.

use heldout_core::{Rng, Seed};
use heldout_render::Rgb;
use serde::{Deserialize, Serialize};

use crate::memory::arena::layout::{LOOKS, Tile as Place, in_region};
use crate::memory::arena::scene::HUES;
use crate::memory::level::{Drawn, Level};
use crate::memory::maze::plan::{MOST_CELLS, Plan, Sizes, Tile};
use crate::memory::maze::rules::draw_maze;
use crate::memory::maze::scene;

/// Cells that a spawn is away from the goal at the least, and as a share of the side.
const SPAWN_DISTANCE: f64 = 2.0;
const SPAWN_SHARE: f64 = 0.25;
/// First code of a building's hue among the codes of cells; those below are the maze's walls.
const BUILDINGS: u8 = 16;

/// What a world is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Town {
    /// A building on every cell whose column and row are odd.
    Buildings,
    /// Nothing.
    Empty,
    /// The maze of the full task.
    Maze,
}

/// A cell by column from the west and row from the south.
pub type Cell = [u8; 2];

/// The world of one episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// Cells along a side.
    pub side: u8,
    /// Where the goal is.
    pub goal: Cell,
    /// Row by row from the south: 0 is open, anything else a look.
    looks: Vec<u8>,
    /// Kept between episodes, so that a restart allocates nothing.
    plan: Plan,
}

impl World {
    /// Reserves what the largest world needs.
    pub fn reserve(&mut self) {
        self.looks.reserve_exact(MOST_CELLS.saturating_sub(self.looks.len()));
        self.plan.reserve();
    }

    /// Draws a world in place.
    ///
    /// # Panics
    ///
    /// Never: every region of every arena has open cells.
    pub fn draw(&mut self, town: Town, scale: Drawn, level: Level, seed: Seed) {
        let mut texture = seed.stream("texture").rng();
        if town == Town::Maze {
            let goal = draw_maze(&mut self.plan, &Sizes::of(scale), level, seed.stream("layout"));
            (self.side, self.goal) = (self.plan.side(), [goal.x, goal.z]);
            scene::paint(&self.plan, &mut texture, &mut self.looks);
            return;
        }
        self.side = side(scale);
        let side = self.side as usize;
        self.looks.clear();
        self.looks.resize(side * side, 0);
        if town == Town::Buildings {
            self.build(&mut texture);
        }
        let mut rng = seed.stream("layout").rng();
        self.goal = self
            .pick(&mut rng, |world, [x, z]| {
                world.is_open(x.into(), z.into()) && in_region(Place { x, z }, world.side, level.stimuli)
            })
            .expect("every region has open cells");
    }

    /// Puts a building on every cell whose column and row are odd, of another hue than those next to it.
    fn build(&mut self, rng: &mut Rng) {
        let side = self.side as usize;
        for (x, z) in (1..side).step_by(2).flat_map(|z| (1..side).step_by(2).map(move |x| (x, z))) {
            let at = |x: usize, z: usize| self.looks[z * side + x];
            let (west, south) = (if x > 2 { at(x - 2, z) } else { 0 }, if z > 2 { at(x, z - 2) } else { 0 });
            self.looks[z * side + x] = loop {
                let look = BUILDINGS + rng.below(LOOKS) as u8;
                if look != west && look != south {
                    break look;
                }
            };
        }
    }

    /// One of the cells that `wanted` holds for, uniformly.
    fn pick(&self, rng: &mut Rng, wanted: impl Fn(&Self, Cell) -> bool) -> Option<Cell> {
        let cells = || {
            let all = (0..self.side).flat_map(|z| (0..self.side).map(move |x| [x, z]));
            all.filter(|&cell| wanted(self, cell))
        };
        let count = cells().count() as u32;
        if count == 0 { None } else { cells().nth(rng.below(count) as usize) }
    }

    /// Where a trip begins.
    ///
    /// # Panics
    ///
    /// Never: every world has a place to begin from.
    pub fn spawn(&self, town: Town, rng: &mut Rng) -> Cell {
        let least = SPAWN_DISTANCE.max(SPAWN_SHARE * f64::from(self.side));
        let spawn = self.pick(rng, |world, [x, z]| {
            if town == Town::Maze {
                return world.plan.at(x.into(), z.into()) == Tile::Spawn;
            }
            let (dx, dz) = (f64::from(x) - f64::from(world.goal[0]), f64::from(z) - f64::from(world.goal[1]));
            world.is_open(x.into(), z.into()) && dx * dx + dz * dz >= least * least
        });
        spawn.expect("every world has a place to begin from")
    }

    /// Whether a cell is in the world and can be walked on.
    #[must_use]
    pub fn is_open(&self, x: i32, z: i32) -> bool {
        self.look(x, z) == Some(0)
    }

    /// What stands in a cell of the world.
    fn look(&self, x: i32, z: i32) -> Option<u8> {
        let side = i32::from(self.side);
        let inside = (0..side).contains(&x) && (0..side).contains(&z);
        inside.then(|| self.looks[(z * side + x) as usize])
    }

    /// The colour of what stands in a cell, or around the world; `None` where it is open.
    #[must_use]
    pub fn colour(&self, x: i32, z: i32) -> Option<Rgb> {
        match self.look(x, z) {
            None => Some(Rgb::GREY),
            Some(0) => None,
            Some(look) if look >= BUILDINGS => Some(HUES[(look - BUILDINGS) as usize]),
            Some(look) => Some(scene::tint(look)),
        }
    }
}

/// Cells along a side of an arena: odd, so that the middle is in no quadrant.
fn side(scale: Drawn) -> u8 {
    match scale {
        Drawn::Small => 5,
        Drawn::Interpolate => 7,
        Drawn::Large => 9,
        Drawn::Extrapolate => 11,
    }
}

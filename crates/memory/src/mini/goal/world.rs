//! The grid worlds of the small variants.

use heldout_core::check::{count, that, within};
use heldout_core::{Rng, Seed};
use heldout_render::Rgb;
use serde::{Deserialize, Serialize};

use crate::arena::layout::{LOOKS, Tile as Place, in_region, least_way};
use crate::arena::scene::HUES;
use crate::level::{Drawn, Level};
use crate::maze::plan::{Cell, MOST_CELLS, Plan, Sizes, Tile, index_in};
use crate::maze::rules::draw_maze;
use crate::maze::scene;

/// First code of a building's hue among the codes of cells; those below are the maze's walls.
const BUILDINGS: u8 = 16;

/// What a world is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Town {
    /// A building on every cell whose column and row are odd.
    Buildings,
    Empty,
    /// The maze of the full task.
    Maze,
}

/// A cell by column from the west and row from the south.
pub(crate) type Square = [u8; 2];

/// The world of one episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct World {
    /// Cells along a side.
    pub(crate) side: u8,
    pub(crate) goal: Square,
    /// Row by row from the south: 0 is open, anything else a look.
    looks: Vec<u8>,
    /// Kept between episodes, so that a restart allocates nothing.
    plan: Plan,
}

impl World {
    /// Reserves what the largest world needs.
    pub(crate) fn reserve(&mut self) {
        self.looks.reserve_exact(MOST_CELLS.saturating_sub(self.looks.len()));
        self.plan.reserve();
    }

    /// Draws a world in place.
    pub(crate) fn draw(&mut self, town: Town, scale: Drawn, level: Level, seed: Seed) {
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

    /// Checks that it could have been drawn.
    pub(crate) fn check(&self, town: Town) -> Result<(), String> {
        let [x, z] = self.goal;
        if town == Town::Maze {
            self.plan.check(Cell { x, z })?;
            that("side", self.side, self.side == self.plan.side(), "that of the maze")?;
            return scene::check(&self.plan, &self.looks);
        }
        let sides = [Drawn::Small, Drawn::Interpolate, Drawn::Large, Drawn::Extrapolate].map(side);
        that("side", self.side, sides.contains(&self.side), &format!("one of {sides:?}"))?;
        let side = usize::from(self.side);
        count("looks", self.looks.len(), side * side)?;
        for (i, &look) in self.looks.iter().enumerate() {
            let built = town == Town::Buildings && (i % side) % 2 == 1 && (i / side) % 2 == 1;
            within("look", look, if built { BUILDINGS..=BUILDINGS + LOOKS as u8 - 1 } else { 0..=0 })?;
        }
        that("goal", format!("{x}, {z}"), self.is_open(x.into(), z.into()), "an open cell")
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
    fn pick(&self, rng: &mut Rng, wanted: impl Fn(&Self, Square) -> bool) -> Option<Square> {
        let cells = || {
            let all = (0..self.side).flat_map(|z| (0..self.side).map(move |x| [x, z]));
            all.filter(|&cell| wanted(self, cell))
        };
        let count = cells().count() as u32;
        if count == 0 { None } else { cells().nth(rng.below(count) as usize) }
    }

    /// Where a trip begins.
    pub(crate) fn spawn(&self, town: Town, rng: &mut Rng) -> Square {
        let least = least_way(self.side);
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
    pub(crate) fn is_open(&self, x: i32, z: i32) -> bool {
        self.look(x, z) == Some(0)
    }

    /// What stands in a cell of the world.
    fn look(&self, x: i32, z: i32) -> Option<u8> {
        index_in(self.side, x, z).map(|i| self.looks[i])
    }

    /// The colour of what stands in a cell, or around the world; `None` where it is open.
    pub(crate) fn colour(&self, x: i32, z: i32) -> Option<Rgb> {
        match self.look(x, z) {
            None => Some(Rgb::GREY),
            Some(0) => None,
            Some(look) if look >= BUILDINGS => Some(HUES[(look - BUILDINGS) as usize]),
            Some(look) => Some(scene::tint(look)),
        }
    }
}

/// Cells along a side of an arena: odd, so that the middle is in no quadrant, and so many that who remembers six rows
/// alone has to search it anew after every arrival.
fn side(scale: Drawn) -> u8 {
    match scale {
        Drawn::Small => 7,
        Drawn::Interpolate => 9,
        Drawn::Large => 11,
        Drawn::Extrapolate => 13,
    }
}

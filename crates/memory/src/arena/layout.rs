//! Where buildings stand, where the goal is, and where the walker may be put.

use heldout_core::check::{below, that, within};
use heldout_core::{Rng, Seed};
use serde::{Deserialize, Serialize};

use crate::level::{Drawn, Stimuli};
use crate::walker::body::{RADIUS, Rect};

/// Metres of a block of the town: one building each.
pub(crate) const BLOCK: usize = 5;
/// Buildings of the largest arena.
pub(crate) const MOST_BUILDINGS: usize = 25;
/// Metres along the longest side.
pub(crate) const MOST_SIDE: usize = 25;
/// Wall textures and hues to choose from.
pub(crate) const LOOKS: u32 = 12;
/// Cells of the flood fill along a metre.
const FINE: usize = 4;

/// One building.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Building {
    /// Its footprint.
    pub(crate) rect: Rect,
    /// Metres from the floor up.
    pub(crate) height: f64,
    /// Which of the wall textures.
    pub(crate) texture: u8,
    /// Which of the hues.
    pub(crate) hue: u8,
}

/// A square metre of the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tile {
    /// From the west.
    pub(crate) x: u8,
    /// From the south.
    pub(crate) z: u8,
}

impl Tile {
    /// Its outline.
    pub(crate) fn rect(self) -> Rect {
        let (x, z) = (f64::from(self.x), f64::from(self.z));
        Rect::new(x, z, x + 1.0, z + 1.0)
    }

    pub(crate) fn middle(self) -> [f64; 2] {
        [f64::from(self.x) + 0.5, f64::from(self.z) + 0.5]
    }
}

/// The arena of one episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Layout {
    /// Metres along a side.
    pub(crate) side: u8,
    pub(crate) goal: Tile,
    count: u8,
    buildings: [Building; MOST_BUILDINGS],
    /// Tiles without any part of a building: a row of bits from the south, a bit from the west.
    free: [u32; MOST_SIDE],
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            side: 0,
            goal: Tile::default(),
            count: 0,
            buildings: [Building::default(); MOST_BUILDINGS],
            free: [0; MOST_SIDE],
        }
    }
}

/// Metres along a side.
pub(crate) fn side(scale: Drawn) -> u8 {
    match scale {
        Drawn::Small => 10,
        Drawn::Interpolate => 15,
        Drawn::Large => 20,
        Drawn::Extrapolate => 25,
    }
}

/// How far a spawn is away from the goal at the least, in an arena of this side.
pub(crate) fn least_way(side: u8) -> f64 {
    f64::max(2.0, 0.25 * f64::from(side))
}

/// Whether `tile` lies wholly in a quadrant that may have the goal: north-west and south-east in training, the other two
/// held out.
pub(crate) fn in_region(tile: Tile, side: u8, stimuli: Stimuli) -> bool {
    let half = |at: u8| {
        let (from, to) = (2 * u32::from(at), 2 * u32::from(at) + 2);
        if to <= u32::from(side) { Some(false) } else { (from >= u32::from(side)).then_some(true) }
    };
    match (half(tile.x), half(tile.z)) {
        (Some(east), Some(north)) => (east != north) == (stimuli == Stimuli::Train),
        _ => false,
    }
}

impl Layout {
    /// Draws an arena in place: again until every free tile can be walked to and the goal has room.
    ///
    /// `margin` metres around the goal's tile are clear.
    pub(crate) fn draw(&mut self, scale: Drawn, stimuli: Stimuli, buildings: bool, margin: f64, seed: Seed) {
        let mut rng = seed.stream("layout").rng();
        self.side = side(scale);
        loop {
            self.build(buildings, &mut rng);
            let goals = self.tiles(|tile| self.suits_goal(tile, stimuli, margin));
            if let Some(goal) = goals.pick(&mut rng) {
                self.goal = goal;
                if self.is_connected() && self.spawns().count() > 0 {
                    break;
                }
            }
        }
        self.paint(&mut seed.stream("texture").rng());
    }

    fn build(&mut self, buildings: bool, rng: &mut Rng) {
        let blocks = if buildings { self.side as usize / BLOCK } else { 0 };
        self.count = (blocks * blocks) as u8;
        let mut uniform = |low: f64, high: f64| low + (high - low) * rng.unit();
        for (i, building) in self.buildings[..blocks * blocks].iter_mut().enumerate() {
            let middle = |block: usize, jitter: f64| (block * BLOCK) as f64 + BLOCK as f64 / 2.0 + jitter;
            let half = uniform(1.5, 2.5) / 2.0;
            let x = middle(i % blocks, uniform(-0.75, 0.75));
            let z = middle(i / blocks, uniform(-0.75, 0.75));
            let rect = Rect::new(x - half, z - half, x + half, z + half);
            *building = Building { rect, height: uniform(2.0, 5.0), texture: 0, hue: 0 };
        }
        self.free = self.uncovered();
    }

    /// The tiles without any part of a building.
    fn uncovered(&self) -> [u32; MOST_SIDE] {
        self.tiles(|tile| self.buildings().iter().all(|b| !b.rect.overlaps(&tile.rect()))).0
    }

    /// Checks that it could have been drawn, with buildings or without.
    pub(crate) fn check(&self, buildings: bool) -> Result<(), String> {
        let sides = [Drawn::Small, Drawn::Interpolate, Drawn::Large, Drawn::Extrapolate].map(side);
        that("side", self.side, sides.contains(&self.side), &format!("one of {sides:?}"))?;
        let blocks = if buildings { self.side as usize / BLOCK } else { 0 };
        that("count", self.count, usize::from(self.count) == blocks * blocks, "one building per block")?;
        for (i, building) in self.buildings().iter().enumerate() {
            let Rect { x0, z0, x1, z1 } = building.rect;
            for (what, block, low, high) in [("x", i % blocks, x0, x1), ("z", i / blocks, z0, z1)] {
                let (west, east) = ((block * BLOCK) as f64, ((block + 1) * BLOCK) as f64);
                within(what, low, west..=east)?;
                within(what, high, low..=east)?;
            }
            within("height", building.height, 0.0..=5.0)?;
            below("texture", building.texture, LOOKS as usize)?;
            below("hue", building.hue, LOOKS as usize)?;
        }
        let free = self.uncovered();
        that("free", format!("{:?}", self.free), self.free == free, "the tiles without buildings")?;
        let goal = format!("{}, {}", self.goal.x, self.goal.z);
        that("goal", &goal, self.is_free(self.goal), "a tile without a building")?;
        that("goal", &goal, self.is_connected() && self.spawns().count() > 0, "in reach of every tile")
    }

    /// Gives every building a texture and a hue that its western and southern neighbours do not have.
    fn paint(&mut self, rng: &mut Rng) {
        let blocks = self.side as usize / BLOCK;
        for i in 0..self.count as usize {
            let west = (i % blocks > 0).then(|| self.buildings[i - 1]);
            let south = (i >= blocks).then(|| self.buildings[i - blocks]);
            let mut other = |of: fn(&Building) -> u8| {
                loop {
                    let look = rng.below(LOOKS) as u8;
                    if [west, south].iter().flatten().all(|b| of(b) != look) {
                        return look;
                    }
                }
            };
            let (texture, hue) = (other(|b| b.texture), other(|b| b.hue));
            (self.buildings[i].texture, self.buildings[i].hue) = (texture, hue);
        }
    }

    /// The buildings, row by row from the south.
    pub(crate) fn buildings(&self) -> &[Building] {
        &self.buildings[..self.count as usize]
    }

    /// The buildings that a walker at a place may touch within a tick: that of its block, since every building stands
    /// half a metre or more within its own.
    pub(crate) fn around(&self, x: f64, z: f64) -> &[Building] {
        if self.count == 0 {
            return &[];
        }
        let blocks = self.side as usize / BLOCK;
        let block = |at: f64| ((at / BLOCK as f64) as usize).min(blocks - 1);
        let index = block(z) * blocks + block(x);
        &self.buildings[index..=index]
    }

    pub(crate) fn bounds(&self) -> Rect {
        let side = f64::from(self.side);
        Rect::new(0.0, 0.0, side, side)
    }

    /// Whether no building stands on any part of `tile`.
    pub(crate) fn is_free(&self, tile: Tile) -> bool {
        tile.x < self.side && tile.z < self.side && self.free[tile.z as usize] >> tile.x & 1 == 1
    }

    fn suits_goal(&self, tile: Tile, stimuli: Stimuli, margin: f64) -> bool {
        let around = tile.rect().grown(margin);
        let bounds = self.bounds();
        in_region(tile, self.side, stimuli)
            && around.x0 >= bounds.x0
            && around.z0 >= bounds.z0
            && around.x1 <= bounds.x1
            && around.z1 <= bounds.z1
            && self.buildings().iter().all(|b| !b.rect.overlaps(&around))
    }

    /// The tiles where the walker may be put.
    pub(crate) fn spawns(&self) -> Tiles {
        let least = least_way(self.side);
        let [goal_x, goal_z] = self.goal.middle();
        self.tiles(|tile| {
            let [x, z] = tile.middle();
            let (dx, dz) = (x - goal_x, z - goal_z);
            self.is_free(tile) && dx * dx + dz * dz >= least * least
        })
    }

    /// The tiles of which `wanted` holds.
    pub(crate) fn tiles(&self, wanted: impl Fn(Tile) -> bool) -> Tiles {
        let mut tiles = Tiles([0; MOST_SIDE]);
        for z in 0..self.side {
            for x in 0..self.side {
                tiles.0[z as usize] |= u32::from(wanted(Tile { x, z })) << x;
            }
        }
        tiles
    }

    /// Whether the walker can go from the goal to every free tile, by a flood over quarters of a metre.
    fn is_connected(&self) -> bool {
        let [x, z] = self.goal.middle();
        let mut field = Field::new(self);
        field.flood((x * FINE as f64) as usize, (z * FINE as f64) as usize);
        let mut tiles = (0..self.side).flat_map(|z| (0..self.side).map(move |x| Tile { x, z }));
        tiles.all(|tile| {
            let (x, z) = (tile.x as usize * FINE + FINE / 2, tile.z as usize * FINE + FINE / 2);
            !self.is_free(tile) || field.reached[z] >> x & 1 == 1
        })
    }
}

/// A set of tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tiles([u32; MOST_SIDE]);

impl Tiles {
    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.0.iter().map(|row| row.count_ones()).sum()
    }

    /// One of them, uniformly.
    pub(crate) fn pick(&self, rng: &mut Rng) -> Option<Tile> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let nth = rng.below(count) as usize;
        self.iter().nth(nth)
    }

    /// All of them, row by row from the south.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Tile> + '_ {
        (0..MOST_SIDE as u8).flat_map(move |z| {
            (0..MOST_SIDE as u8).filter(move |x| self.0[z as usize] >> x & 1 == 1).map(move |x| Tile { x, z })
        })
    }
}

/// The floor in quarters of a metre: where the walker's middle may be, and where it can get to. A bit is a cell.
struct Field {
    open: [u128; MOST_SIDE * FINE],
    reached: [u128; MOST_SIDE * FINE],
}

impl Field {
    fn new(layout: &Layout) -> Self {
        let cells = layout.side as usize * FINE;
        // Middles of cells in `low..=high` metres, as numbers of cells.
        let span = |low: f64, high: f64| {
            let first = (low * FINE as f64 - 0.5).ceil().max(0.0) as usize;
            let end = ((high * FINE as f64 - 0.5).floor() + 1.0).max(0.0) as usize;
            first..end.min(cells)
        };
        let bits = |range: std::ops::Range<usize>| {
            let below = |n: usize| if n >= 128 { u128::MAX } else { (1 << n) - 1 };
            below(range.end) & !below(range.start)
        };
        let inner = layout.bounds().grown(-RADIUS);
        let mut field = Self { open: [0; MOST_SIDE * FINE], reached: [0; MOST_SIDE * FINE] };
        for row in span(inner.z0, inner.z1) {
            field.open[row] = bits(span(inner.x0, inner.x1));
        }
        for building in layout.buildings() {
            let wide = building.rect.grown(RADIUS);
            let closed = bits(span(wide.x0, wide.x1));
            for row in span(wide.z0, wide.z1) {
                field.open[row] &= !closed;
            }
        }
        field
    }

    /// Marks all that can be reached from a cell.
    fn flood(&mut self, x: usize, z: usize) {
        self.reached[z] = self.open[z] & (1 << x);
        loop {
            let mut grown = false;
            let rows = self.open.len();
            for row in (0..rows).chain((0..rows).rev()) {
                let below = if row > 0 { self.reached[row - 1] } else { 0 };
                let above = self.reached.get(row + 1).copied().unwrap_or(0);
                let now = along(self.reached[row] | below | above, self.open[row]);
                grown |= now != self.reached[row];
                self.reached[row] = now;
            }
            if !grown {
                return;
            }
        }
    }
}

/// `seeds` within `open`, spread to both sides as far as it is open.
fn along(seeds: u128, open: u128) -> u128 {
    let (mut left, mut right) = (seeds & open, seeds & open);
    let (mut to_left, mut to_right) = (open, open);
    for shift in [1, 2, 4, 8, 16, 32, 64] {
        left |= to_left & (left << shift);
        to_left &= to_left << shift;
        right |= to_right & (right >> shift);
        to_right &= to_right >> shift;
    }
    left | right
}

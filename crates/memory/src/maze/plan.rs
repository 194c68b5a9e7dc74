//! The plan of a maze: rooms, corridors between them, and what is marked in the rooms.

use heldout_core::Rng;
use heldout_core::check::{count, that};
use serde::{Deserialize, Serialize};

use super::bends;
use crate::level::{Drawn, Stimuli};

/// Cells along a side of the largest maze.
pub(crate) const MOST_SIDE: usize = 27;
/// Cells of the largest maze.
pub(crate) const MOST_CELLS: usize = MOST_SIDE * MOST_SIDE;
/// Spawn marks in a room at the most.
const SPAWNS: u32 = 5;
/// Places that are tried for rooms.
const TRIES: usize = 1000;
/// The least side of a room, in cells.
const LEAST_ROOM: u32 = 3;
/// Rooms of the largest scale.
const MOST_ROOMS: usize = 15;

/// The sizes of one scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Cells along a side, walls included.
    pub(crate) side: u8,
    /// Rooms at the most.
    pub(crate) rooms: u32,
    /// Cells along the longest side of a room.
    pub(crate) room: u32,
    /// Goal marks in a room at the most.
    pub(crate) objects: u32,
}

impl Sizes {
    /// Those of `scale`.
    pub(crate) fn of(scale: Drawn) -> Self {
        let (side, rooms, room, objects) = match scale {
            Drawn::Small => (11, 9, 3, 5),
            Drawn::Interpolate => (15, 11, 5, 10),
            Drawn::Large => (21, 13, 7, 15),
            Drawn::Extrapolate => (27, 15, 9, 20),
        };
        Self { side, rooms, room, objects }
    }

    /// The rows that may have the goal, counted from one at the northern wall. The middle row is in neither set.
    pub(crate) fn rows(&self, stimuli: Stimuli) -> std::ops::RangeInclusive<u8> {
        let middle = self.side.div_ceil(2);
        match stimuli {
            Stimuli::Train => 2..=middle - 1,
            Stimuli::HeldOut => middle + 1..=self.side - 1,
        }
    }
}

/// What a cell is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Tile {
    #[default]
    Wall,
    /// Corridor, a door included.
    Corridor,
    /// Floor of a room.
    Room,
    /// Floor of a room where the walker may be put.
    Spawn,
    /// Floor of a room where the goal may be.
    Goal,
}

/// A cell by column from the west and row from the south.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cell {
    /// From the west.
    pub(crate) x: u8,
    /// From the south.
    pub(crate) z: u8,
}

/// A maze.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    side: u8,
    /// Row by row from the south.
    tiles: Vec<Tile>,
}

/// The number of a cell of a square of this side, row by row, if it is in it.
pub(crate) fn index_in(side: u8, x: i32, z: i32) -> Option<usize> {
    let cells = 0..i32::from(side);
    (cells.contains(&x) && cells.contains(&z)).then(|| z as usize * usize::from(side) + x as usize)
}

/// The cells with an odd column and row, which rooms and corridors are made from.
fn odd_cells(side: i32) -> impl Iterator<Item = (i32, i32)> {
    (1..side).step_by(2).flat_map(move |z| (1..side).step_by(2).map(move |x| (x, z)))
}

/// East, north, west, south.
const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

/// The region of a cell while a maze is made; zero is none.
type Regions = [u8; MOST_CELLS];

/// A room in halved coordinates: the odd cells alone.
#[derive(Clone, Copy, Default)]
struct Room {
    x: u32,
    z: u32,
    width: u32,
    depth: u32,
}

impl Room {
    fn overlaps(&self, other: &Self) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.z < other.z + other.depth
            && other.z < self.z + self.depth
    }

    /// Its columns and rows in cells.
    fn span(&self) -> (std::ops::Range<i32>, std::ops::Range<i32>) {
        let cells = |at: u32, size: u32| (2 * at + 1) as i32..(2 * (at + size)) as i32;
        (cells(self.x, self.width), cells(self.z, self.depth))
    }
}

impl Plan {
    /// Reserves what the largest maze needs.
    pub(crate) fn reserve(&mut self) {
        self.tiles.reserve_exact(MOST_CELLS.saturating_sub(self.tiles.len()));
    }

    /// A plan from rows of text, the northernmost first: `#` is wall, `.` corridor, `o` the floor of a room.
    #[cfg(test)]
    pub(crate) fn read(rows: &[String]) -> Self {
        let tile = |c: char| match c {
            '#' => Tile::Wall,
            '.' => Tile::Corridor,
            'o' => Tile::Room,
            _ => panic!("`{c}` is no tile"),
        };
        let tiles: Vec<_> = rows.iter().rev().flat_map(|row| row.chars().map(tile)).collect();
        assert_eq!(tiles.len(), rows.len() * rows.len(), "a plan is square");
        Self { side: rows.len() as u8, tiles }
    }

    /// The cells that join the regions of a plan written as [`Plan::read`] takes it, with a digit for each open cell: the
    /// number of its region.
    #[cfg(test)]
    pub(crate) fn doors(rows: &[&str], rng: &mut Rng) -> Vec<(i32, i32)> {
        let open = |row: &&str| row.replace(|c: char| c.is_ascii_digit(), ".");
        let mut plan = Self::read(&rows.iter().map(open).collect::<Vec<_>>());
        let mut regions = [0; MOST_CELLS];
        let numbers = rows.iter().rev().flat_map(|row| row.chars().map(|c| c.to_digit(10).unwrap_or(0) as u8));
        regions.iter_mut().zip(numbers).for_each(|(region, number)| *region = number);
        let last = regions.into_iter().max().unwrap_or(0);
        plan.connect(last, &mut regions, rng).all().to_vec()
    }

    /// Checks that it is a maze: a square with walls around, a place to begin from, and `goal` a place for goals.
    pub(crate) fn check(&self, goal: Cell) -> Result<(), String> {
        let scales = [Drawn::Small, Drawn::Interpolate, Drawn::Large, Drawn::Extrapolate];
        let sides = scales.map(|scale| Sizes::of(scale).side);
        that("side", self.side, sides.contains(&self.side), &format!("one of {sides:?}"))?;
        count("tiles", self.tiles.len(), usize::from(self.side) * usize::from(self.side))?;
        let last = i32::from(self.side) - 1;
        let walled =
            (0..=last).all(|i| ![(0, i), (i, 0), (last, i), (i, last)].iter().any(|&(x, z)| self.is_open(x, z)));
        that("tiles", "open", walled, "walls all around")?;
        that("tiles", "none", self.cells(Tile::Spawn).next().is_some(), "somewhere to begin from")?;
        let marked = self.at(goal.x.into(), goal.z.into()) == Tile::Goal;
        that("goal", format!("{}, {}", goal.x, goal.z), marked, "a place for goals")
    }

    /// Cells along a side.
    pub(crate) fn side(&self) -> u8 {
        self.side
    }

    /// What is at a cell; wall outside.
    pub(crate) fn at(&self, x: i32, z: i32) -> Tile {
        if self.inside(x, z) { self.tiles[self.index(x, z)] } else { Tile::Wall }
    }

    /// Whether a cell can be walked through.
    pub(crate) fn is_open(&self, x: i32, z: i32) -> bool {
        self.at(x, z) != Tile::Wall
    }

    /// The tiles, row by row from the south.
    pub(crate) fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// All cells that are `tile`.
    pub(crate) fn cells(&self, tile: Tile) -> impl Iterator<Item = Cell> + '_ {
        let side = self.side as usize;
        let place = move |i: usize| Cell { x: (i % side) as u8, z: (i / side) as u8 };
        self.tiles.iter().enumerate().filter(move |(_, t)| **t == tile).map(move |(i, _)| place(i))
    }

    /// The number of a cell's row, from one at the northern wall.
    pub(crate) fn row(&self, cell: Cell) -> u8 {
        self.side - cell.z
    }

    fn inside(&self, x: i32, z: i32) -> bool {
        index_in(self.side, x, z).is_some()
    }

    fn index(&self, x: i32, z: i32) -> usize {
        z as usize * self.side as usize + x as usize
    }

    pub(super) fn set(&mut self, x: i32, z: i32, tile: Tile) {
        let index = self.index(x, z);
        self.tiles[index] = tile;
    }

    /// Makes a maze in place.
    pub(crate) fn draw(&mut self, sizes: &Sizes, rng: &mut Rng) {
        self.side = sizes.side;
        self.tiles.clear();
        self.tiles.resize(sizes.side as usize * sizes.side as usize, Tile::Wall);
        let mut regions = [0; MOST_CELLS];
        let mut rooms = [Room::default(); MOST_ROOMS];
        let count = place_rooms(sizes, rng, &mut rooms);
        let rooms = &mut rooms[..count];
        rng.shuffle(rooms);
        for (i, room) in rooms.iter().enumerate() {
            self.lay(room, i as u8 + 1, &mut regions);
        }
        let last = self.carve(count as u8, &mut regions, rng);
        let doors = self.connect(last, &mut regions, rng);
        self.remove_dead_ends(&doors);
        bends::straighten(self);
        self.close_doors(&doors);
        for room in rooms.iter() {
            self.mark(room, sizes.objects, rng);
        }
    }

    fn lay(&mut self, room: &Room, region: u8, regions: &mut Regions) {
        let (columns, rows) = room.span();
        for z in rows {
            for x in columns.clone() {
                self.set(x, z, Tile::Room);
                regions[self.index(x, z)] = region;
            }
        }
    }

    /// Fills the odd cells that are left with winding corridors, one region for each that hangs together. Returns the
    /// last region.
    fn carve(&mut self, mut region: u8, regions: &mut Regions, rng: &mut Rng) -> u8 {
        let side = i32::from(self.side);
        let mut path = [(0_i32, 0_i32); MOST_CELLS / 4];
        for start in odd_cells(side) {
            if self.is_open(start.0, start.1) {
                continue;
            }
            region += 1;
            self.dig(start.0, start.1, region, regions);
            path[0] = start;
            let mut depth = 1;
            while depth > 0 {
                let (x, z) = path[depth - 1];
                let fresh = |(dx, dz): (i32, i32)| {
                    let (x, z) = (x + 2 * dx, z + 2 * dz);
                    self.inside(x, z) && !self.is_open(x, z)
                };
                let ways = WAYS.map(fresh);
                let count = ways.iter().filter(|w| **w).count() as u32;
                if count == 0 {
                    depth -= 1;
                    continue;
                }
                let mut nth = rng.below(count);
                let way = ways.iter().position(|&open| {
                    open && {
                        nth == 0 || {
                            nth -= 1;
                            false
                        }
                    }
                });
                let (dx, dz) = WAYS[way.expect("one of those counted")];
                self.dig(x + dx, z + dz, region, regions);
                self.dig(x + 2 * dx, z + 2 * dz, region, regions);
                path[depth] = (x + 2 * dx, z + 2 * dz);
                depth += 1;
            }
        }
        region
    }

    fn dig(&mut self, x: i32, z: i32, region: u8, regions: &mut Regions) {
        self.set(x, z, Tile::Corridor);
        regions[self.index(x, z)] = region;
    }

    /// Opens one wall between every two regions that have odd cells two apart, each such wall equally likely. Returns
    /// where.
    fn connect(&mut self, last: u8, regions: &mut Regions, rng: &mut Rng) -> Doors {
        let side = i32::from(self.side);
        let mut doors = Doors::default();
        for first in 1..=last {
            // Of the walls to each other region the one that a reservoir of one holds in the end is uniform.
            let mut seen = [(0_u32, (0, 0)); 256];
            for (x, z) in odd_cells(side).filter(|&(x, z)| regions[self.index(x, z)] == first) {
                for (dx, dz) in WAYS.into_iter().filter(|(dx, dz)| self.inside(x + 2 * dx, z + 2 * dz)) {
                    let other = regions[self.index(x + 2 * dx, z + 2 * dz)];
                    if other > first {
                        let (count, place) = &mut seen[other as usize];
                        *count += 1;
                        if rng.below(*count) == 0 {
                            *place = (x + dx, z + dz);
                        }
                    }
                }
            }
            for (_, (x, z)) in seen.into_iter().filter(|(count, _)| *count > 0) {
                doors.add(x, z);
            }
        }
        for &(x, z) in doors.all() {
            self.set(x, z, Tile::Corridor);
        }
        doors
    }

    fn neighbours(&self, x: i32, z: i32) -> usize {
        WAYS.iter().filter(|(dx, dz)| self.is_open(x + dx, z + dz)).count()
    }

    /// Whether a cell is corridor and no door.
    fn is_passage(&self, x: i32, z: i32, doors: &Doors) -> bool {
        self.at(x, z) == Tile::Corridor && !doors.holds(x, z)
    }

    /// Fills every corridor that leads nowhere.
    fn remove_dead_ends(&mut self, doors: &Doors) {
        let side = i32::from(self.side);
        for start in (1..side - 1).flat_map(|z| (1..side - 1).map(move |x| (x, z))) {
            let (mut x, mut z) = start;
            while self.is_passage(x, z, doors) && self.neighbours(x, z) < 2 {
                self.set(x, z, Tile::Wall);
                let next = WAYS.iter().find(|(dx, dz)| self.is_open(x + dx, z + dz));
                let Some((dx, dz)) = next else { break };
                (x, z) = (x + dx, z + dz);
            }
        }
    }

    /// Closes every door behind which nothing is left.
    fn close_doors(&mut self, doors: &Doors) {
        for &(x, z) in doors.all() {
            if self.neighbours(x, z) < 2 {
                self.set(x, z, Tile::Wall);
            }
        }
    }

    /// Marks spawns in a room, then places for goals among what is left.
    fn mark(&mut self, room: &Room, objects: u32, rng: &mut Rng) {
        for (tile, most) in [(Tile::Spawn, SPAWNS), (Tile::Goal, objects)] {
            for _ in 0..most {
                let (columns, rows) = room.span();
                let empty = |plan: &Self| {
                    let count = |z| columns.clone().filter(|&x| plan.at(x, z) == Tile::Room).count() as u32;
                    rows.clone().map(count).sum::<u32>()
                };
                let count = empty(self);
                if count == 0 {
                    return;
                }
                let nth = rng.below(count) as usize;
                let cells = rows.clone().flat_map(|z| columns.clone().map(move |x| (x, z)));
                let (x, z) =
                    cells.filter(|&(x, z)| self.at(x, z) == Tile::Room).nth(nth).expect("one of those counted");
                self.set(x, z, tile);
            }
        }
    }
}

/// Places rooms where they do not overlap; returns how many there are.
fn place_rooms(sizes: &Sizes, rng: &mut Rng, rooms: &mut [Room; MOST_ROOMS]) -> usize {
    // In halved coordinates a side of `2 n - 1` cells is `n`.
    let (least, most) = (LEAST_ROOM.div_ceil(2), sizes.room.div_ceil(2));
    let middle = u32::midpoint(least, most);
    let field = u32::from(sizes.side) / 2;
    let mut count = 0;
    for _ in 0..TRIES {
        if count as u32 == sizes.rooms {
            break;
        }
        let mut uniform = |low: u32, high: u32| low + rng.below(high - low + 1);
        let short = uniform(least, middle);
        let long = uniform(least, middle) + (uniform(middle, most) - middle);
        let (width, depth) = if uniform(0, 1) == 0 { (short, long) } else { (long, short) };
        let room = Room { x: uniform(0, field - width), z: uniform(0, field - depth), width, depth };
        if rooms[..count].iter().all(|other| !other.overlaps(&room)) {
            rooms[count] = room;
            count += 1;
        }
    }
    count
}

/// The cells that join regions.
struct Doors {
    cells: [(i32, i32); MOST_CELLS],
    count: usize,
    rows: [u32; MOST_SIDE],
}

impl Default for Doors {
    fn default() -> Self {
        Self { cells: [(0, 0); MOST_CELLS], count: 0, rows: [0; MOST_SIDE] }
    }
}

impl Doors {
    fn add(&mut self, x: i32, z: i32) {
        if !self.holds(x, z) {
            self.cells[self.count] = (x, z);
            self.count += 1;
            self.rows[z as usize] |= 1 << x;
        }
    }

    fn all(&self) -> &[(i32, i32)] {
        &self.cells[..self.count]
    }

    fn holds(&self, x: i32, z: i32) -> bool {
        self.rows.get(z as usize).is_some_and(|row| row >> x & 1 == 1)
    }
}

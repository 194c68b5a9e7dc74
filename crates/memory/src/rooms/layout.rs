//! Two rooms joined by a corridor, and the blocks that an episode puts into them.

use heldout_core::check::{below, that, within};
use heldout_core::{Rng, Seed};
use serde::{Deserialize, Serialize};

use super::colour::Colour;
use super::pattern::{PERIOD, Pair, Pattern};
use crate::level::{Drawn, Stimuli};
use crate::walker::body::{Body, Rect};

/// The three parts.
pub(super) const ROOM_A: Rect = Rect::new(0.0, 0.0, 8.0, 8.0);
pub(super) const CORRIDOR: Rect = Rect::new(3.0, ROOM_A.z1, 5.0, ROOM_B.z0);
pub(super) const ROOM_B: Rect = Rect::new(0.0, 14.0, 8.0, 22.0);
/// Everything that can be walked on lies in here.
pub(super) const BOUNDS: Rect = Rect::new(ROOM_A.x0, ROOM_A.z0, ROOM_B.x1, ROOM_B.z1);
/// What stands to the west and to the east of the corridor.
pub(super) const BESIDE_CORRIDOR: [Rect; 2] = [
    Rect::new(BOUNDS.x0, CORRIDOR.z0, CORRIDOR.x0, CORRIDOR.z1),
    Rect::new(CORRIDOR.x1, CORRIDOR.z0, BOUNDS.x1, CORRIDOR.z1),
];
/// The middle of the corridor, from west to east.
pub(crate) const AXIS: f64 = 0.5 * (CORRIDOR.x0 + CORRIDOR.x1);
/// Northern end of Room A.
pub(super) const A_END: f64 = ROOM_A.z1;
/// Southern end of Room B.
pub(super) const B_BEGIN: f64 = ROOM_B.z0;
/// Height of walls and gates.
pub(super) const WALL_HEIGHT: f64 = 3.0;
/// Blocks of a room at the most.
pub(crate) const MAX_BLOCKS: usize = 7;
/// Half the side of a block.
pub(crate) const HALF: f64 = 0.5;
/// How near to a block its touch begins.
pub(crate) const TOUCH: f64 = 0.35;
/// Height of the middle of a block's path, where blocks move.
const MOVING_HEIGHT: f64 = 2.0;
/// Least distance between the middles of two blocks that are placed anywhere.
const APART: f64 = 1.5;
/// Where blocks are that are placed anywhere, from west to east: away from the walls, along which random walks lead, and
/// so that paths stay between them.
const BREADTH: (f64, f64) = (2.0, 6.0);
/// Where they are in Room A, from south to north.
const DEPTH: (f64, f64) = (1.0, 4.0);
/// Columns and rows of the places of many blocks.
const COLUMNS: [f64; 3] = [1.5, 4.0, 6.5];
const ROWS: [f64; 3] = [1.0, 2.6, 4.2];
/// Where Passive has its blocks: beside the mouth of the corridor, and at one depth in Room B.
const PASSIVE_X: [f64; 2] = [2.2, 5.8];
pub(super) const PASSIVE_Z: [f64; 2] = [7.0, 19.0];
/// Room B is Room A seen in a mirror across the corridor: `z` becomes this less `z`.
pub(super) const MIRROR: f64 = ROOM_A.z0 + ROOM_B.z1;
/// With more blocks than this, two may have the same colour.
const MOST_DISTINCT: usize = 4;

/// Which of the four tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Two blocks out of the way, one of them recoloured.
    Basic,
    /// Two blocks beside the mouth of the corridor, one of them recoloured.
    Passive,
    /// Two to seven blocks, one of them recoloured.
    Multi,
    /// Two moving blocks, one of which moves otherwise.
    Motion,
}

impl Variant {
    /// Seconds of an episode.
    pub(crate) const fn seconds(self) -> f64 {
        match self {
            Self::Motion => 240.0,
            _ => 120.0,
        }
    }

    /// The public name of the task.
    pub(crate) const fn task(self) -> &'static str {
        match self {
            Self::Basic => "spot_diff",
            Self::Passive => "spot_diff_passive",
            Self::Multi => "spot_diff_multi",
            Self::Motion => "spot_diff_motion",
        }
    }

    /// Seconds that the gates hold the walker.
    pub(crate) const fn delay(self, scale: Drawn) -> u32 {
        match (self, scale) {
            (Self::Multi, _) | (_, Drawn::Small) => 0,
            (_, Drawn::Large) => 10,
            (_, Drawn::Interpolate) => 5,
            (_, Drawn::Extrapolate) => 15,
        }
    }

    /// Numbers of blocks, all equally likely.
    pub(crate) const fn counts(self, scale: Drawn) -> &'static [u32] {
        match (self, scale) {
            (Self::Multi, Drawn::Small) => &[2, 3],
            (Self::Multi, Drawn::Large) => &[5, 6],
            (Self::Multi, Drawn::Interpolate) => &[4],
            (Self::Multi, Drawn::Extrapolate) => &[7],
            _ => &[2],
        }
    }

    /// Blocks at the most, on any level.
    pub(crate) const fn most(self) -> usize {
        match self {
            Self::Multi => MAX_BLOCKS,
            _ => 2,
        }
    }
}

/// One of the two rooms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Where the walker begins.
    A,
    /// Where one block differs.
    B,
}

/// A block and its copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Block {
    /// Middle of its path, east, in both rooms.
    pub(crate) x: f64,
    /// Middle, up.
    pub(crate) y: f64,
    /// Middle, north, in Room A and in Room B.
    pub(crate) z: [f64; 2],
    /// Its colour in Room A and in Room B.
    pub(crate) colour: [Colour; 2],
    /// How it moves in Room A and in Room B.
    pub(crate) pattern: [Pattern; 2],
    /// Share of a round that it is ahead, the same in both rooms.
    pub(crate) phase: f64,
}

impl Block {
    /// Rounds that it has made at `tick`.
    fn turn(&self, tick: u32) -> f64 {
        f64::from(tick % PERIOD) / f64::from(PERIOD) + self.phase
    }

    /// Its middle at `tick`: east, up, north.
    pub(crate) fn place(&self, room: Room, tick: u32) -> [f64; 3] {
        let pattern = self.pattern[room as usize];
        let z = self.z[room as usize];
        if pattern == Pattern::None {
            return [self.x, self.y, z];
        }
        let [dx, dy] = pattern.at(self.turn(tick));
        [self.x + dx, self.y + dy, z]
    }

    /// How it moves at `tick`: eastward and up, in metres per second.
    pub(crate) fn velocity(&self, room: Room, tick: u32) -> Pair {
        self.pattern[room as usize].velocity(self.turn(tick))
    }

    /// The floor below it at `tick`.
    pub(crate) fn footprint(&self, room: Room, tick: u32) -> Rect {
        let [x, _, z] = self.place(room, tick);
        Rect::new(x - HALF, z - HALF, x + HALF, z + HALF)
    }

    /// How it looks, in words: its colour, or its pattern where blocks move.
    pub(crate) fn look(&self, room: Room) -> String {
        match self.colour[room as usize] {
            Colour::Neutral | Colour::Dark => self.pattern[room as usize].name().to_owned(),
            colour => colour.name(),
        }
    }

    /// The floor below the whole of its path.
    pub(crate) fn swept(&self, room: Room) -> Rect {
        let reach = HALF + self.pattern[room as usize].reach();
        let z = self.z[room as usize];
        Rect::new(self.x - reach, z - HALF, self.x + reach, z + HALF)
    }
}

/// What an episode is about.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Layout {
    /// The scale that was drawn.
    pub(crate) scale: Drawn,
    /// Seconds that the gates hold the walker.
    pub(crate) delay: u32,
    /// Blocks of a room.
    pub(crate) count: u32,
    /// Which of them differs in Room B.
    pub(crate) changed: u32,
    pub(crate) blocks: [Block; MAX_BLOCKS],
}

impl Layout {
    /// The layout that `seed` names.
    pub(crate) fn draw(variant: Variant, stimuli: Stimuli, scale: Drawn, seed: Seed) -> Self {
        let mut rng = seed.stream("layout").rng();
        let count = *rng.pick(variant.counts(scale));
        let mut layout = Self { scale, delay: variant.delay(scale), count, changed: 0, blocks: Default::default() };
        let blocks = &mut layout.blocks[..count as usize];
        match variant {
            Variant::Basic => place_anywhere(blocks, Pattern::None, &mut rng),
            Variant::Motion => place_anywhere(blocks, Pattern::Circle, &mut rng),
            Variant::Passive => {
                for (block, x) in blocks.iter_mut().zip(PASSIVE_X) {
                    (block.x, block.z) = (x, PASSIVE_Z);
                }
            }
            Variant::Multi => {
                let mut cells: [usize; 9] = std::array::from_fn(|i| i);
                rng.shuffle(&mut cells);
                for (block, cell) in blocks.iter_mut().zip(cells) {
                    let z = ROWS[cell / 3];
                    (block.x, block.z) = (COLUMNS[cell % 3], [z, MIRROR - z]);
                }
            }
        }
        let mut rng = seed.stream("stimuli").rng();
        layout.changed = rng.below(count);
        if variant == Variant::Motion {
            layout.set_in_motion(stimuli, &mut rng);
        } else {
            layout.paint(stimuli, &mut rng);
        }
        layout
    }

    /// Gives the blocks colours, and one of them another in Room B.
    fn paint(&mut self, stimuli: Stimuli, rng: &mut Rng) {
        let mut colours = Colour::of_blocks(stimuli);
        let count = self.count as usize;
        let distinct = count <= MOST_DISTINCT;
        rng.shuffle(&mut colours);
        for (i, block) in self.blocks[..count].iter_mut().enumerate() {
            let colour = if distinct { colours[i] } else { *rng.pick(&colours) };
            block.y = HALF;
            block.colour = [colour; 2];
        }
        let changed = &mut self.blocks[self.changed as usize];
        changed.colour[1] = if distinct {
            *rng.pick(&colours[count..])
        } else {
            let others = colours.iter().filter(|c| **c != changed.colour[0]);
            *others.clone().nth(rng.below(others.count() as u32) as usize).expect("a set has several colours")
        };
    }

    /// Gives the blocks patterns, and one of them a third in Room B.
    fn set_in_motion(&mut self, stimuli: Stimuli, rng: &mut Rng) {
        let mut patterns = Pattern::of(stimuli);
        let count = self.count as usize;
        rng.shuffle(&mut patterns);
        for ((block, pattern), colour) in self.blocks[..count].iter_mut().zip(patterns).zip(Colour::MOVING) {
            block.y = MOVING_HEIGHT;
            block.colour = [colour; 2];
            block.pattern = [pattern; 2];
            block.phase = rng.unit();
        }
        self.blocks[self.changed as usize].pattern[1] = patterns[count];
    }

    /// Checks that `variant` could have laid it out.
    pub(crate) fn check(&self, variant: Variant) -> Result<(), String> {
        let counts = variant.counts(self.scale);
        that("count", self.count, counts.contains(&self.count), &format!("one of {counts:?}"))?;
        that("delay", self.delay, self.delay == variant.delay(self.scale), "that of the scale")?;
        below("changed", self.changed, self.count as usize)?;
        for block in self.blocks() {
            within("x", block.x, BOUNDS.x0..=BOUNDS.x1)?;
            within("y", block.y, 0.0..=WALL_HEIGHT)?;
            within("z", block.z[0], ROOM_A.z0..=ROOM_A.z1)?;
            within("z", block.z[1], ROOM_B.z0..=ROOM_B.z1)?;
            within("phase", block.phase, 0.0..=1.0)?;
        }
        Ok(())
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks[..self.count as usize]
    }

    /// What was changed: what it is in Room A and in Room B.
    pub(crate) fn difference(&self) -> [String; 2] {
        let changed = &self.blocks()[self.changed as usize];
        [Room::A, Room::B].map(|room| changed.look(room))
    }
}

/// Puts blocks that follow paths like `pattern` at random places, apart from one another.
fn place_anywhere(blocks: &mut [Block], pattern: Pattern, rng: &mut Rng) {
    let within = |(low, high): (f64, f64), rng: &mut Rng| low + (high - low) * rng.unit();
    loop {
        // All are drawn anew, because the first alone can leave no room for the next.
        for block in &mut *blocks {
            let (x, z) = (within(BREADTH, rng), within(DEPTH, rng));
            *block = Block { x, z: [z, MIRROR - z], pattern: [pattern; 2], ..Block::default() };
        }
        if blocks.iter().enumerate().all(|(i, block)| blocks[..i].iter().all(|other| are_apart(block, other))) {
            return;
        }
    }
}

/// Whether two blocks have their distance and, where they move, never meet, nor can be touched at once, nor are seen one
/// before the other from the corridor's axis: there is one on either side of it.
fn are_apart(one: &Block, two: &Block) -> bool {
    if one.pattern[0] == Pattern::None {
        let (dx, dz) = (one.x - two.x, one.z[0] - two.z[0]);
        return dx * dx + dz * dz >= APART * APART;
    }
    let [a, b] = [one, two].map(|block| block.swept(Room::A));
    let sides = (a.x1 < AXIS && b.x0 > AXIS) || (b.x1 < AXIS && a.x0 > AXIS);
    sides && !a.grown(TOUCH).overlaps(&b.grown(TOUCH))
}

/// The walker at the beginning of an episode.
pub(super) fn spawn(variant: Variant, rng: &mut Rng) -> Body {
    match variant {
        Variant::Passive => Body::at(4.0, 1.5, -20.0 + 40.0 * rng.unit()),
        _ => Body::at(4.0, 6.0, 360.0 * rng.unit()),
    }
}

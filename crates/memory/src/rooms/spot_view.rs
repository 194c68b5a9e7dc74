//! What the walker sees of the two rooms: the picture and the symbolic vector.

use heldout_render::first_person::{self, Floor, Grid, Object, Paint, Scene, Shape, Sky, Surface, Textures, Wall};
use heldout_render::{Canvas, Rgb};

use super::gate::SLABS;
use super::layout::{A_END, B_BEGIN, Block, CORRIDOR, HALF, MAX_BLOCKS, ROOM_A, ROOM_B, Room, Variant, WALL_HEIGHT};
use super::spot::SpotState;
use super::{SKY, SLOT, slot};
use crate::walker::body::{Body, Rect};
use crate::walker::sight::{Eye, Sighting};

/// Cells of one metre, with a wall all around.
const COLUMNS: usize = 10;
const ROWS: usize = 24;
const ORIGIN: f32 = -1.0;
/// Seed of the textures: they belong to the environment, not to the episode.
const TEXTURES: u64 = 7;
const WALL_A: Surface = Surface { texture: Textures::WALLS[0], tint: Rgb::new(226, 204, 178) };
const WALL_CORRIDOR: Surface = Surface { texture: Textures::WALLS[8], tint: Rgb::new(178, 184, 196) };
const WALL_B: Surface = Surface { texture: Textures::WALLS[1], tint: Rgb::new(178, 214, 206) };
const GATE: Surface = Surface { texture: Textures::WALLS[4], tint: Rgb::new(214, 196, 120) };
const FLOOR: Floor =
    Floor { surface: Surface { texture: Textures::GROUND, tint: Rgb::new(170, 166, 160) }, period: 2.0 };
/// Pose, room and gates.
const HEAD: usize = 9;
/// The three parts, from the south, and what distances from their middles are divided by.
const PARTS: [Rect; 3] = [ROOM_A, CORRIDOR, ROOM_B];
const HALF_ROOM: f64 = 4.0;
/// What distances are divided by: more than the longest.
const FAR: f64 = 24.0;
/// What velocities are divided by: more than the fastest, in metres per second.
pub(crate) const FAST: f64 = 2.0;

/// What is drawn in every episode.
#[derive(Debug)]
pub(super) struct Stage {
    cells: Vec<u8>,
    textures: Textures,
    sky: Sky,
}

impl Stage {
    /// Prepares the plan and the textures.
    pub(super) fn new() -> Self {
        let mut cells = Vec::with_capacity(COLUMNS * ROWS);
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                cells.push(cell(row as i32 - 1, column as i32 - 1));
            }
        }
        Self { cells, textures: Textures::new(TEXTURES), sky: Sky::plain(SKY.0, SKY.1) }
    }

    /// Paints what the walker sees.
    pub(super) fn picture(&self, state: &SpotState, canvas: &mut Canvas<'_>) {
        let heights = state.gates.gates.map(|gate| gate.height(state.tick) as f32);
        let walls = walls(heights);
        let none =
            Object { x: 0.0, y: 0.0, z: 0.0, shape: Shape::Sphere { radius: 0.0 }, paint: Paint::Flat(Rgb::BLACK) };
        let mut objects = [none; 2 * MAX_BLOCKS];
        let mut count = 0;
        for room in rooms_in_view(state, heights) {
            for block in state.layout.blocks() {
                let [x, y, z] = block.place(room, state.tick).map(|side| side as f32);
                let shape = Shape::Box { half: [HALF as f32; 3], yaw: 0.0 };
                objects[count] = Object { x, y, z, shape, paint: Paint::Flat(block.colour[room as usize].rgb()) };
                count += 1;
            }
        }
        let grid =
            Grid { x: ORIGIN, z: ORIGIN, cell: 1.0, columns: COLUMNS, rows: ROWS, cells: &self.cells, walls: &walls };
        let scene = Scene { grid, textures: &self.textures, floor: FLOOR, sky: &self.sky, objects: &objects[..count] };
        first_person::draw(&scene, &Eye::of(&state.body).camera(), canvas);
    }
}

/// The rooms whose blocks can be in the picture: nothing can be seen over a gate that is up.
fn rooms_in_view(state: &SpotState, heights: [f32; 2]) -> impl Iterator<Item = Room> {
    let up = heights.map(|height| height >= WALL_HEIGHT as f32);
    let z = state.body.z;
    let south = z < SLABS[0].z0 || !up[0];
    let north = z > SLABS[1].z1 || !up[1];
    [(Room::A, south), (Room::B, north)].into_iter().filter(|(_, seen)| *seen).map(|(room, _)| room)
}

/// What stands in the cell whose south-western corner is at (`x`, `z`).
fn cell(z: i32, x: i32) -> u8 {
    let (middle_x, middle_z) = (f64::from(x) + 0.5, f64::from(z) + 0.5);
    let [first, last] = SLABS.map(|slab| 0.5 * (slab.z0 + slab.z1));
    // Gates stand on the border of two cells: four pieces each.
    if CORRIDOR.contains(middle_x, middle_z) && first - 1.0 < middle_z && middle_z < last + 1.0 {
        let north = z - (first as i32 - 1);
        let east = x - CORRIDOR.x0 as i32;
        return (PARTS.len() as i32 + 2 * north + east + 1) as u8;
    }
    if PARTS.iter().any(|part| part.contains(middle_x, middle_z)) {
        return 0;
    }
    // The mouths of the corridor belong to the rooms.
    if middle_z < first - 1.0 {
        1
    } else if middle_z < last + 1.0 {
        2
    } else {
        3
    }
}

/// What stands in the cells while the gates have these heights.
fn walls(heights: [f32; 2]) -> [Wall; PARTS.len() + 8] {
    std::array::from_fn(|i| {
        if i < PARTS.len() {
            return Wall::Solid { height: WALL_HEIGHT as f32, surface: [WALL_A, WALL_CORRIDOR, WALL_B][i] };
        }
        let piece = i - PARTS.len();
        let (gate, north, east) = (piece / 4, piece / 2 % 2, piece % 2);
        let slab = SLABS[gate];
        let middle = (0.5 * (slab.z0 + slab.z1)) as f32;
        let (z0, z1) = if north == 0 { (slab.z0 as f32, middle) } else { (middle, slab.z1 as f32) };
        let x0 = CORRIDOR.x0 as f32 + east as f32;
        Wall::Block { x0, z0, x1: x0 + 1.0, z1, height: heights[gate], surface: GATE }
    })
}

/// Elements that describe an object.
const fn width(variant: Variant) -> usize {
    if matches!(variant, Variant::Motion) { SLOT + 2 } else { SLOT }
}

/// Elements of the symbolic vector.
pub(super) const fn elements(variant: Variant) -> usize {
    HEAD + MAX_BLOCKS * width(variant)
}

/// Which of the three parts is so far north.
pub(super) fn place(z: f64) -> usize {
    usize::from(z >= A_END) + usize::from(z >= B_BEGIN)
}

/// Writes the symbolic vector: pose in the room, which room, gates, and the blocks in view, nearest first.
pub(super) fn symbolic(variant: Variant, state: &SpotState, row: &mut [f32]) {
    row.fill(0.0);
    let eye = Eye::of(&state.body);
    let [x, _, z] = eye.at;
    let place = place(z);
    let [middle_x, middle_z] = PARTS[place].middle();
    row[0] = ((x - middle_x) / HALF_ROOM) as f32;
    row[1] = ((z - middle_z) / HALF_ROOM) as f32;
    row[2] = eye.turn.0 as f32;
    row[3] = eye.turn.1 as f32;
    row[4 + place] = 1.0;
    let shut = state.gates.gates.map(|gate| gate.blocks(state.tick));
    row[7] = f32::from(shut[0]);
    row[8] = f32::from(shut[1]);
    let mut seen = [(Sighting::default(), Room::A, 0); 2 * MAX_BLOCKS];
    let mut count = 0;
    for room in [Room::A, Room::B] {
        for (i, block) in state.layout.blocks().iter().enumerate() {
            if let Some(sighting) = sees(variant, state, &eye, shut, room, block) {
                seen[count] = (sighting, room, i);
                count += 1;
            }
        }
    }
    let seen = &mut seen[..count];
    seen.sort_unstable_by(|(a, _, i), (b, _, j)| a.distance.total_cmp(&b.distance).then(i.cmp(j)));
    let width = width(variant);
    for ((sighting, room, i), out) in seen.iter().zip(row[HEAD..].chunks_exact_mut(width)) {
        let block = &state.layout.blocks()[*i];
        out[..SLOT].copy_from_slice(&slot(*sighting, FAR, block.colour[*room as usize]));
        if variant == Variant::Motion {
            let [x, y] = block.velocity(*room, state.tick);
            out[SLOT..].copy_from_slice(&[(x / FAST) as f32, (y / FAST) as f32]);
        }
    }
}

/// A block as the symbolic vector shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen {
    pub(crate) x: f64,
    pub(crate) z: f64,
    /// Red, green and blue, 0 to 1.
    pub(crate) colour: [f32; 3],
    /// Eastward and up, in metres per second; zero where blocks do not move.
    pub(crate) velocity: [f64; 2],
}

/// The walker and the blocks in view that a symbolic vector tells of.
pub(super) fn parse(variant: Variant, row: &[f32]) -> (Body, impl Iterator<Item = Seen>) {
    let place = (0..3).find(|&i| row[4 + i] > 0.0).unwrap_or(0);
    let [middle_x, middle_z] = PARTS[place].middle();
    let (x, z) = (middle_x + HALF_ROOM * f64::from(row[0]), middle_z + HALF_ROOM * f64::from(row[1]));
    let (sin, cos) = (f64::from(row[2]), f64::from(row[3]));
    let body = Body::at(x, z, libm::atan2(sin, cos).to_degrees());
    let seen = row[HEAD..].chunks_exact(width(variant)).filter(|slot| slot[0] > 0.0).map(move |slot| {
        let [right, ahead] = [1, 2].map(|i| f64::from(slot[i]) * f64::from(slot[3]) * FAR);
        let velocity = if variant == Variant::Motion { [7, 8].map(|i| f64::from(slot[i]) * FAST) } else { [0.0; 2] };
        let colour = [slot[4], slot[5], slot[6]];
        Seen { x: x + ahead * sin + right * cos, z: z + ahead * cos - right * sin, colour, velocity }
    });
    (body, seen)
}

/// The sighting of a block whose middle is in the field of view, behind no wall, gate or other block.
///
/// Blocks on the floor hide one another in part at the most, because the eye is above them.
fn sees(
    variant: Variant,
    state: &SpotState,
    eye: &Eye,
    shut: [bool; 2],
    room: Room,
    block: &Block,
) -> Option<Sighting> {
    let [x, y, z] = block.place(room, state.tick);
    let sighting = eye.sees(x, z, (y - HALF, y + HALF))?;
    let hidden = || {
        let others = state.layout.blocks().iter().filter(|other| !std::ptr::eq(*other, block));
        others.into_iter().any(|other| crosses(eye.at, [x, y, z], other.place(room, state.tick)))
    };
    let free = through_corridor(eye, x, z, shut) && !(variant == Variant::Motion && hidden());
    free.then_some(sighting)
}

/// Whether the line from the eye to (`x`, `z`) leads through the corridor, if it must, and no gate is in the way.
fn through_corridor(eye: &Eye, x: f64, z: f64, shut: [bool; 2]) -> bool {
    let [eye_x, _, eye_z] = eye.at;
    let (south, north) = (eye_z.min(z), eye_z.max(z));
    let at = |level: f64| eye_x + (x - eye_x) * (level - eye_z) / (z - eye_z);
    let (enter, leave) = (south.max(A_END), north.min(B_BEGIN));
    if enter >= leave {
        return true;
    }
    let inside = |level: f64| (CORRIDOR.x0..=CORRIDOR.x1).contains(&at(level));
    let gates = SLABS.iter().zip(shut);
    inside(enter) && inside(leave) && gates.into_iter().all(|(slab, shut)| !shut || south > slab.z1 || north < slab.z0)
}

/// Whether the line from `from` to `to` meets the block whose middle is `middle`.
fn crosses(from: [f64; 3], to: [f64; 3], middle: [f64; 3]) -> bool {
    let (mut begin, mut end) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let way = to[axis] - from[axis];
        let (low, high) = (middle[axis] - HALF - from[axis], middle[axis] + HALF - from[axis]);
        if way == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low / way, high / way);
        begin = begin.max(a.min(b));
        end = end.min(a.max(b));
    }
    begin <= end
}

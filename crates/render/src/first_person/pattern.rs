//! What the textures look like: a grey level for each texel, in integers.

use crate::first_person::Textures;

/// Texels along the side of a texture.
const SIDE: i32 = 64;

/// The colour of a texel of a kind of texture: `u` to the right, `v` downwards, both from 0 to 63.
pub(super) fn texel(seed: u64, kind: u16, u: i32, v: i32) -> [u8; 3] {
    let chance = Chance(seed ^ (u64::from(kind) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let grain = chance.around(4, u, v, 99);
    // The last three make the texture a trace warmer or cooler; they add up to nothing.
    let (level, cast) = match kind {
        Textures::BRICK => (brick(chance, u, v) + grain, [8, -2, -6]),
        Textures::TILE => (tile(u, v) + grain, [-3, 0, 3]),
        Textures::PLANKS => (planks(chance, u, v) + grain, [7, 0, -7]),
        Textures::STONE => (stones(chance, u, v) + grain, [0, 0, 0]),
        Textures::STRIPES => (if v / 16 % 2 == 0 { 238 } else { 138 } + grain, [0, 0, 0]),
        Textures::CHECKER => (if (u / 16 + v / 16) % 2 == 0 { 244 } else { 120 } + grain, [0, 0, 0]),
        Textures::DOTS => (dots(u, v) + grain, [0, 2, -2]),
        Textures::WAVES => (if (v + (u % 32 - 16).abs()) % 32 < 16 { 228 } else { 150 } + grain, [-4, 0, 4]),
        Textures::PANELS => (panels(u, v) + grain, [5, 0, -5]),
        Textures::HEX => (hexagons(u, v) + grain, [-3, 3, 0]),
        Textures::CROSSES => (crosses(u, v) + grain, [0, 0, 0]),
        Textures::WEAVE => (weave(u, v) + grain, [4, 2, -6]),
        Textures::NOISE => (205 + chance.smooth(16, 8, u, v) + chance.around(6, u, v, 7), [0, 0, 0]),
        Textures::GROUND => (178 + chance.smooth(24, 16, u, v) + chance.smooth(16, 4, u, v) + grain, [8, 0, -8]),
        Textures::GRASS => (184 + chance.smooth(16, 8, u, v) + chance.around(26, u, v / 3, 5), [-8, 12, -4]),
        _ => (255, [0, 0, 0]),
    };
    cast.map(|cast| (level + cast).clamp(0, 255) as u8)
}

/// Four courses of two bricks, every other one moved by half a brick.
fn brick(chance: Chance, u: i32, v: i32) -> i32 {
    let course = v / 16;
    let along = (u + course % 2 * 16) % SIDE;
    if v % 16 < 3 || along % 32 < 3 { 122 } else { 208 + chance.around(24, along / 32, course, 1) }
}

/// Two by two tiles.
fn tile(u: i32, v: i32) -> i32 {
    let edge = [u % 32, v % 32, 31 - u % 32, 31 - v % 32].into_iter().fold(31, i32::min);
    match edge {
        0..=1 => 104,
        2..=4 => 218,
        _ => 240,
    }
}

/// Four boards with a grain that runs along them.
fn planks(chance: Chance, u: i32, v: i32) -> i32 {
    let board = u / 16;
    let shade = [232, 172, 212, 150][board as usize & 3];
    if u % 16 < 2 { 92 } else { shade + chance.around(10, u, v / 16, 2) }
}

/// Cells around scattered points, dark where two cells meet.
fn stones(chance: Chance, u: i32, v: i32) -> i32 {
    let (mut first, mut second, mut shade) = ((i32::MAX, 0, 0), i32::MAX, 0);
    for row in 0..4 {
        for column in 0..3 {
            let (x, y) =
                (column * 21 + 10 + chance.around(7, column, row, 3), row * 16 + 8 + chance.around(5, column, row, 4));
            let (x, y) = (wrapped(u - x), wrapped(v - y));
            let distance = x * x + y * y;
            if distance < first.0 {
                second = first.0;
                first = (distance, column, row);
                shade = 178 + chance.around(48, column, row, 5);
            } else {
                second = second.min(distance);
            }
        }
    }
    if second - first.0 < 50 { 84 } else { shade }
}

/// Discs in staggered rows.
fn dots(u: i32, v: i32) -> i32 {
    let row = v / 32;
    let (x, y) = ((u + row * 16) % 32 - 16, v % 32 - 16);
    if x * x + y * y < 100 { 250 } else { 142 }
}

/// A frame around a field with a smaller field in it.
fn panels(u: i32, v: i32) -> i32 {
    let edge = [u, v, SIDE - 1 - u, SIDE - 1 - v].into_iter().fold(SIDE, i32::min);
    match edge {
        0..=4 => 214,
        5..=9 => 100,
        10..=17 => 190,
        18..=20 => 128,
        _ => 232,
    }
}

/// Cells around the points of a staggered lattice, dark where two meet.
fn hexagons(u: i32, v: i32) -> i32 {
    let (mut first, mut second) = (i32::MAX, i32::MAX);
    for (x, y) in [(16, 11), (48, 11), (0, 32), (32, 32), (16, 53), (48, 53)] {
        let (x, y) = (wrapped(u - x), wrapped(v - y));
        let distance = x * x + y * y;
        second = second.min(distance.max(first));
        first = first.min(distance);
    }
    if second - first < 140 { 112 } else { 228 }
}

/// One upright cross in each quarter.
fn crosses(u: i32, v: i32) -> i32 {
    let (x, y) = ((u % 32 - 16).abs(), (v % 32 - 16).abs());
    if x.min(y) < 5 && x.max(y) < 13 { 96 } else { 236 }
}

/// Threads of 16 texels that pass over and under each other, bright along their middle.
fn weave(u: i32, v: i32) -> i32 {
    let across = if (u / 16 + v / 16) % 2 == 0 { v % 16 } else { u % 16 };
    let from_edge = across.min(15 - across);
    96 + from_edge * 20
}

/// A difference of coordinates by the shorter way round.
fn wrapped(difference: i32) -> i32 {
    (difference + SIDE / 2).rem_euclid(SIDE) - SIDE / 2
}

/// Numbers that a seed fixes for each place.
#[derive(Clone, Copy)]
struct Chance(u64);

impl Chance {
    /// A number from `-spread` to `spread` that belongs to a place; `what` keeps several of them apart.
    fn around(self, spread: i32, x: i32, y: i32, what: u64) -> i32 {
        let place = (x as u64) << 40 ^ (y as u64) << 16 ^ what;
        let mut bits = self.0 ^ place.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        (((bits >> 32) * (2 * spread as u64 + 1)) >> 32) as i32 - spread
    }

    /// Noise from `-spread` to `spread` that changes gently over `step` texels.
    fn smooth(self, spread: i32, step: i32, u: i32, v: i32) -> i32 {
        let cells = SIDE / step;
        let (column, row) = (u / step, v / step);
        let corner = |right: i32, down: i32| {
            self.around(spread, (column + right) % cells, (row + down) % cells, 16 + step as u64)
        };
        let (x, y) = (u % step, v % step);
        let upper = corner(0, 0) * (step - x) + corner(1, 0) * x;
        let lower = corner(0, 1) * (step - x) + corner(1, 1) * x;
        (upper * (step - y) + lower * y) / (step * step)
    }
}

//! The picture of a scene, as the public implementation paints it.
//!
//! Its canvas persists within an episode: after an addition all items are painted again in order; after a removal the old
//! items are, and then the removed one in the boxes' grey at the end of its box's turn. So a neighbour can have a hole until
//! the next change, and what an object painted over the separator stays grey for good. A pixel is therefore a function of
//! the items, of the last removal, and of which pixels of the separators were ever greyed ([`Trace`]); the half-size picture
//! is patched where something changed.

use heldout_core::check::below;
use serde::{Deserialize, Serialize};

use crate::geometry::{Rect, bounds};
use crate::scene::{BOX_PITCH, BOX_SIDE, BOXES, Color, Item, Scene, Shape};

/// Width of the whole picture.
pub(crate) const WIDTH: usize = 380;
/// Height of the whole picture.
pub(crate) const HEIGHT: usize = 100;
/// Width of the half-size picture.
pub(crate) const HALF_WIDTH: usize = WIDTH / 2;
/// Height of the half-size picture.
pub(crate) const HALF_HEIGHT: usize = HEIGHT / 2;

/// The boxes' ground, and what erases.
pub(crate) const GROUND: [u8; 3] = [211, 211, 211];
/// Between the boxes.
const SEPARATOR: [u8; 3] = [128, 128, 128];
/// Columns of a separator.
const GAP: usize = (BOX_PITCH - BOX_SIDE) as usize;
/// Words of the mask of greyed pixels.
const WORDS: usize = ((BOXES - 1) * GAP * HEIGHT).div_ceil(64);
/// Side of the largest patch: an object of 30 pixels, grown to even borders.
const PATCH: usize = 32;

/// First columns of the rows of a circle's upper half, by size (Pillow 10.4's ellipses). The rows are symmetrical.
const CIRCLE_ROWS: [&[u8]; 3] =
    [&[3, 2, 1, 0, 0], &[7, 5, 4, 3, 2, 1, 1, 0, 0, 0], &[11, 9, 7, 6, 5, 4, 3, 2, 2, 1, 1, 0, 0, 0, 0]];

fn rgb(color: Color) -> [u8; 3] {
    match color {
        Color::Yellow => [250, 255, 0],
        Color::Black => [0, 0, 0],
        Color::Blue => [15, 131, 255],
    }
}

/// Columns of `item`'s mask in row `row`, from its own left side.
fn columns(item: &Item, row: i32) -> (i32, i32) {
    let side = item.size.pixels();
    match item.shape {
        Shape::Square => (0, side),
        Shape::Triangle => (side / 2 - (row + 1) / 2, side / 2 + row / 2 + 1),
        Shape::Circle => {
            let first = i32::from(CIRCLE_ROWS[item.size as usize][row.min(side - 1 - row) as usize]);
            (first, side - first)
        }
    }
}

/// What the canvas remembers beside the items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trace {
    /// The item that the last change removed, with its box.
    hole: Option<(Item, u8)>,
    /// Pixels of the separators that were painted over and then greyed; empty until there are any.
    greyed: Greyed,
}

/// A mask of the separators' pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Greyed {
    any: bool,
    bits: [u64; WORDS],
}

impl Default for Greyed {
    fn default() -> Self {
        Self { any: false, bits: [0; WORDS] }
    }
}

impl Serialize for Greyed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bits: &[u64] = if self.any { &self.bits } else { &[] };
        bits.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Greyed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<u64>::deserialize(deserializer)?;
        let mut greyed = Self::default();
        if words.is_empty() {
            return Ok(greyed);
        }
        let bits = words.try_into().map_err(|_| serde::de::Error::custom("the mask has a wrong size"))?;
        (greyed.any, greyed.bits) = (true, bits);
        Ok(greyed)
    }
}

impl Greyed {
    /// Number of the separators' pixel in column `x` and row `y`; `None` within a box.
    fn index(x: i32, y: i32) -> Option<usize> {
        let (gap, column) = (x / BOX_PITCH, x % BOX_PITCH);
        (column >= BOX_SIDE).then(|| (gap as usize * GAP + (column - BOX_SIDE) as usize) * HEIGHT + y as usize)
    }

    fn has(&self, x: i32, y: i32) -> bool {
        self.any && Self::index(x, y).is_some_and(|i| self.bits[i / 64] >> (i % 64) & 1 == 1)
    }

    fn add(&mut self, item: &Item, owner: usize) {
        let own = bounds(item, owner);
        for row in 0..item.size.pixels() {
            let (from, to) = columns(item, row);
            for x in own.left + from..own.left + to {
                let y = own.top + row;
                if (0..WIDTH as i32).contains(&x)
                    && (0..HEIGHT as i32).contains(&y)
                    && let Some(i) = Self::index(x, y)
                {
                    self.any = true;
                    self.bits[i / 64] |= 1 << (i % 64);
                }
            }
        }
    }
}

impl Trace {
    /// Back to an empty canvas.
    pub(crate) fn clear(&mut self) {
        self.hole = None;
        if self.greyed.any {
            self.greyed = Greyed::default();
        }
    }

    /// Takes note of an addition.
    pub(crate) fn added(&mut self) {
        self.hole = None;
    }

    /// Takes note of a removal from box `owner`.
    pub(crate) fn removed(&mut self, item: Item, owner: usize) {
        self.hole = Some((item, owner as u8));
        if item.left() < 0 || item.right() > BOX_SIDE {
            self.greyed.add(&item, owner);
        }
    }

    /// Checks that what was removed last was an object of a box.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.hole.map_or(Ok(()), |(item, owner)| below("hole", owner, BOXES).and_then(|()| item.check()))
    }

    /// Where the last change left a hole.
    pub(crate) fn hole(&self) -> Option<Rect> {
        self.hole.map(|(item, owner)| bounds(&item, owner.into()))
    }
}

/// Calls `paint` for every item, and the hole, in the order in which they are painted.
fn in_order(scene: &Scene, trace: &Trace, mut paint: impl FnMut(&Item, usize, [u8; 3])) {
    for owner in 0..BOXES {
        for item in scene.of(owner) {
            paint(item, owner, rgb(item.color));
        }
        if let Some((item, _)) = trace.hole.filter(|(_, of)| usize::from(*of) == owner) {
            paint(&item, owner, GROUND);
        }
    }
}

/// Paints `item` where it meets `area`, calling `fill(row, from, to)` in image pixels.
pub(crate) fn spans(item: &Item, owner: usize, area: Rect, mut fill: impl FnMut(i32, i32, i32)) {
    let own = bounds(item, owner);
    if own.right <= area.left || own.left >= area.right {
        return;
    }
    for y in own.top.max(area.top)..own.bottom.min(area.bottom) {
        let (from, to) = columns(item, y - own.top);
        let (from, to) = ((own.left + from).max(area.left), (own.left + to).min(area.right));
        if from < to {
            fill(y, from, to);
        }
    }
}

/// Paints the whole picture at full size.
pub(crate) fn paint_full(scene: &Scene, trace: &Trace, pixels: &mut [u8]) {
    let all = Rect { left: 0, top: 0, right: WIDTH as i32, bottom: HEIGHT as i32 };
    for (y, row) in pixels.chunks_exact_mut(WIDTH * 3).enumerate() {
        for (x, pixel) in row.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            *pixel = ground(trace, x as i32, y as i32);
        }
    }
    in_order(scene, trace, |item, owner, color| {
        spans(item, owner, all, |y, from, to| {
            let row = &mut pixels[y as usize * WIDTH * 3..][..WIDTH * 3];
            row.as_chunks_mut::<3>().0[from as usize..to as usize].fill(color);
        });
    });
}

fn ground(trace: &Trace, x: i32, y: i32) -> [u8; 3] {
    if x % BOX_PITCH < BOX_SIDE || trace.greyed.has(x, y) { GROUND } else { SEPARATOR }
}

/// The half-size picture of an empty scene.
pub(crate) fn empty_half() -> Vec<u8> {
    let mut pixels = Vec::with_capacity(HALF_WIDTH * HALF_HEIGHT * 3);
    for _ in 0..HALF_HEIGHT {
        for x in 0..HALF_WIDTH as i32 {
            pixels.extend_from_slice(if 2 * x % BOX_PITCH < BOX_SIDE { &GROUND } else { &SEPARATOR });
        }
    }
    pixels
}

/// Paints anew the part of the half-size picture under `area`: each pixel is the floor of the mean of four.
pub(crate) fn patch_half(scene: &Scene, trace: &Trace, area: Rect, half: &mut [u8]) {
    let area = Rect {
        left: (area.left & !1).max(0),
        top: (area.top & !1).max(0),
        right: ((area.right + 1) & !1).min(WIDTH as i32),
        bottom: ((area.bottom + 1) & !1).min(HEIGHT as i32),
    };
    if area.left >= area.right || area.top >= area.bottom {
        return;
    }
    let mut patch = [[[0_u8; 3]; PATCH]; PATCH];
    let width = (area.right - area.left) as usize;
    let within = area.left / BOX_PITCH == (area.right - 1) / BOX_PITCH && (area.right - 1) % BOX_PITCH < BOX_SIDE;
    for (row, y) in patch.iter_mut().zip(area.top..area.bottom) {
        if within {
            row[..width].fill(GROUND);
        } else {
            for (pixel, x) in row.iter_mut().zip(area.left..area.right) {
                *pixel = ground(trace, x, y);
            }
        }
    }
    in_order(scene, trace, |item, owner, color| {
        spans(item, owner, area, |y, from, to| {
            patch[(y - area.top) as usize][(from - area.left) as usize..(to - area.left) as usize].fill(color);
        });
    });
    for (rows, y) in patch.as_chunks::<2>().0.iter().zip(area.top / 2..area.bottom / 2) {
        let line = &mut half[y as usize * HALF_WIDTH * 3..][..HALF_WIDTH * 3];
        let line = &mut line.as_chunks_mut::<3>().0[(area.left / 2) as usize..(area.right / 2) as usize];
        let (upper, lower) = (rows[0].as_chunks::<2>().0, rows[1].as_chunks::<2>().0);
        for (pixel, (up, low)) in line.iter_mut().zip(upper.iter().zip(lower)) {
            if up[0] == up[1] && up[0] == low[0] && up[0] == low[1] {
                *pixel = up[0];
                continue;
            }
            for channel in 0..3 {
                let sum = [up[0], up[1], low[0], low[1]].iter().map(|p| u16::from(p[channel])).sum::<u16>();
                pixel[channel] = (sum / 4) as u8;
            }
        }
    }
}

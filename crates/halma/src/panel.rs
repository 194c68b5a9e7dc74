//! Visual panels: coloured digits and a hint, scattered on a dark square.

use std::sync::Arc;

use heldout_core::{Rng, Seed};

use crate::maze::{CELLS, Direction};
use crate::observation::{DIGITS, Entries, GOAL_X, GOAL_Y, HINT, ROWS};
use heldout_digits::{Digits, Pen, resize};

/// Side of a panel.
pub(crate) const PANEL: usize = 128;
/// Sides that a glyph may have.
pub(crate) const SIDES: std::ops::RangeInclusive<u8> = 20..=31;
/// Tries to place a glyph before all go to the lattice.
const TRIES: usize = 100;
/// Side of a square of the lattice: its sixteen squares hold the eleven glyphs of the fullest panel.
const SQUARE: u8 = 32;
/// Bytes of the largest glyph.
const LARGEST: usize = *SIDES.end() as usize * *SIDES.end() as usize;

/// Colours of walls and crossings, in the order of directions: red, orange, yellow, green (App. C).
pub(crate) const WALL_COLOURS: [[u8; 3]; 4] = [[255, 0, 0], [255, 128, 0], [255, 255, 0], [0, 255, 0]];
/// Colours of the goal's offset, in the order of directions: cyan, blue, purple, white.
pub(crate) const GOAL_COLOURS: [[u8; 3]; 4] = [[0, 255, 255], [0, 0, 255], [128, 0, 255], [255, 255, 255]];
pub(crate) const HINT_COLOUR: [u8; 3] = [160, 160, 160];

/// The colour of entry `row`: number and channels. Walls and crossings have numbers 0 to 3, goals 4 to 7 and
/// hints 8.
pub(crate) fn colour(entries: &Entries, row: usize) -> (u8, [u8; 3]) {
    if row == HINT {
        return (8, HINT_COLOUR);
    }
    if row < GOAL_X {
        return ((row % 4) as u8, WALL_COLOURS[row % 4]);
    }
    let (negative, positive) =
        if row == GOAL_X { (Direction::Left, Direction::Right) } else { (Direction::Down, Direction::Up) };
    let d = if entries.0[row] < 0 { negative } else { positive } as usize;
    (4 + d as u8, GOAL_COLOURS[d])
}

/// One glyph on a panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Glyph {
    /// Left edge of its square.
    pub(crate) x: u8,
    pub(crate) y: u8,
    pub(crate) side: u8,
    /// The entry that it shows; [`HINT`] is the hint.
    pub(crate) row: u8,
    /// The digit, or the number of the hint.
    pub(crate) digit: u8,
    /// Which image of the digit.
    pub(crate) image: u32,
}

/// The glyphs of one panel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    glyphs: [Glyph; ROWS],
    len: usize,
}

impl Layout {
    /// Scatters the entries of `entries`: squares of random sides that do not overlap.
    pub(crate) fn scatter(entries: &Entries, digits: &Digits, rng: &mut Rng) -> Self {
        let mut layout = Self::default();
        for row in (0..ROWS).filter(|&row| entries.0[row] != 0) {
            let digit = entries.0[row].unsigned_abs();
            let image = if row == HINT { 0 } else { rng.below(digits.len(digit.into())) };
            let side = rng.between((*SIDES.start()).into(), (*SIDES.end()).into()) as u8;
            layout.glyphs[layout.len] = Glyph { x: 0, y: 0, side, row: row as u8, digit, image };
            layout.len += 1;
        }
        if !layout.place_freely(rng) {
            layout.place_on_lattice(rng);
        }
        layout
    }

    fn place_freely(&mut self, rng: &mut Rng) -> bool {
        (0..self.len).all(|i| {
            (0..TRIES).any(|_| {
                let (placed, rest) = self.glyphs.split_at_mut(i);
                let glyph = &mut rest[0];
                let room = (PANEL - usize::from(glyph.side)) as u32 + 1;
                (glyph.x, glyph.y) = (rng.below(room) as u8, rng.below(room) as u8);
                placed.iter().all(|other| apart(glyph, other))
            })
        })
    }

    fn place_on_lattice(&mut self, rng: &mut Rng) {
        let mut squares: [u8; 16] = std::array::from_fn(|i| i as u8);
        rng.shuffle(&mut squares);
        for (glyph, square) in self.glyphs[..self.len].iter_mut().zip(squares) {
            let mut jitter = || rng.below(u32::from(SQUARE - glyph.side) + 1) as u8;
            glyph.x = square % 4 * SQUARE + jitter();
            glyph.y = square / 4 * SQUARE + jitter();
        }
    }

    pub(crate) fn glyphs(&self) -> &[Glyph] {
        &self.glyphs[..self.len]
    }
}

fn apart(a: &Glyph, b: &Glyph) -> bool {
    let clear = |a: u8, side: u8, b: u8| a + side <= b;
    clear(a.x, a.side, b.x) || clear(b.x, b.side, a.x) || clear(a.y, a.side, b.y) || clear(b.y, b.side, a.y)
}

/// Hints drawn in every size.
///
/// With each goes the number of the first pixel that it inks.
#[derive(Debug)]
struct Hints(Vec<(usize, Vec<u8>)>);

impl Hints {
    /// Square, circle, triangle and diamond, outlined three pixels wide.
    fn draw() -> Self {
        const HALF: f64 = 1.5;
        let shape = |hint: usize, side: u8| {
            let mut ink = vec![0; usize::from(side) * usize::from(side)];
            let (middle, far) = (f64::from(side) / 2.0, f64::from(side) - 3.0);
            let points: Vec<(f64, f64)> = match hint {
                0 => vec![(3.0, 3.0), (far, 3.0), (far, far), (3.0, far), (3.0, 3.0)],
                1 => (0..=32)
                    .map(|i| {
                        let angle = std::f64::consts::TAU * f64::from(i) / 32.0;
                        let radius = middle - 2.0;
                        (middle + radius * libm::cos(angle), middle + radius * libm::sin(angle))
                    })
                    .collect(),
                2 => vec![(3.0, 2.5), (far + 0.5, middle), (3.0, far + 0.5), (3.0, 2.5)],
                _ => vec![(middle, 2.0), (far + 1.0, middle), (middle, far + 1.0), (2.0, middle), (middle, 2.0)],
            };
            Pen::new(side.into(), &mut ink).path(&points, HALF);
            (ink.iter().position(|&level| level > 0).unwrap_or(0), ink)
        };
        Self((0..4).flat_map(|hint| SIDES.map(move |side| shape(hint, side))).collect())
    }

    fn ink(&self, hint: u8, side: u8) -> &[u8] {
        &self.shape(hint, side).1
    }

    fn shape(&self, hint: u8, side: u8) -> &(usize, Vec<u8>) {
        let sizes = usize::from(SIDES.end() - SIDES.start()) + 1;
        &self.0[usize::from(hint - 1) * sizes + usize::from(side - SIDES.start())]
    }

    /// The hint on a panel, with the corner and the side of its square.
    fn find<T: Element>(&self, panel: &[T]) -> Option<(u8, (usize, usize), usize)> {
        let shapes = || (1..=4).flat_map(|hint| SIDES.map(move |side| (hint, side)));
        let inked = (0..PANEL * PANEL).filter(|at| is_grey(pixel(panel, *at)));
        inked.into_iter().find_map(|at| {
            let (x, y) = (at % PANEL, at / PANEL);
            shapes().find_map(|(hint, side)| {
                // The pixel would be the first that the shape inks.
                let (&(first, ref ink), side) = (self.shape(hint, side), usize::from(side));
                let (left, top) = (x.checked_sub(first % side)?, y.checked_sub(first / side)?);
                let inside = left + side <= PANEL && top + side <= PANEL;
                let shows = |(i, &level): (usize, &u8)| {
                    pixel(panel, (top + i / side) * PANEL + left + i % side) == shade(HINT_COLOUR, level)
                };
                (inside && ink.iter().enumerate().skip(first).all(shows)).then_some((hint, (left, top), side))
            })
        })
    }
}

/// An element of a panel.
pub(crate) trait Element: Copy {
    /// What stands for a byte.
    fn of(byte: u8) -> Self;

    /// The byte that it stands for.
    fn byte(self) -> u8;
}

impl Element for u8 {
    fn of(byte: u8) -> Self {
        byte
    }

    fn byte(self) -> u8 {
        self
    }
}

impl Element for f32 {
    fn of(byte: u8) -> Self {
        Self::from(byte) / 255.0
    }

    fn byte(self) -> u8 {
        (self * 255.0 + 0.5) as u8
    }
}

/// A rectangle of pixels with its place: the inked part of a glyph.
#[derive(Clone, Copy, Debug)]
struct Patch {
    x: u8,
    y: u8,
    width: u8,
    height: u8,
    /// Where its pixels begin.
    ink: usize,
}

/// The panels of every cell of every maze.
///
/// What is kept of a panel are its inked patches, already coloured: a row is cleared and the patches are copied.
#[derive(Debug)]
pub(crate) struct Panels {
    digits: Arc<Digits>,
    hints: Hints,
    seed: Seed,
    /// Where the patches of each (maze, cell) begin; one more than there are. Empty if panels are sampled anew.
    index: Vec<u32>,
    patches: Vec<Patch>,
    ink: Vec<u8>,
}

impl Panels {
    /// Draws the panels of a set of mazes, of which the entries of all cells are given; panel and digits depend on `seed`,
    /// maze and cell alone. With `resample` nothing is kept: panels are drawn when they are shown.
    pub(crate) fn new(entries: &[Entries], digits: Arc<Digits>, seed: Seed, resample: bool) -> Self {
        let (index, patches, ink) = (Vec::new(), Vec::new(), Vec::new());
        let mut panels = Self { digits, hints: Hints::draw(), seed, index, patches, ink };
        if resample {
            return panels;
        }
        let mut grey = [0; LARGEST];
        for (maze, entries) in entries.chunks_exact(CELLS).enumerate() {
            for (cell, entries) in entries.iter().enumerate() {
                panels.index.push(panels.patches.len() as u32);
                for glyph in panels.layout(maze as u32, cell, entries).glyphs() {
                    panels.keep(entries, glyph, &mut grey);
                }
            }
        }
        panels.index.push(panels.patches.len() as u32);
        panels.patches.shrink_to_fit();
        panels.ink.shrink_to_fit();
        panels
    }

    /// The glyphs of a fixed panel.
    pub(crate) fn layout(&self, maze: u32, cell: usize, entries: &Entries) -> Layout {
        self.sampled(self.seed.derive(maze.into()).derive(cell as u64), entries)
    }

    /// The glyphs of a panel sampled by `seed`.
    pub(crate) fn sampled(&self, seed: Seed, entries: &Entries) -> Layout {
        Layout::scatter(entries, &self.digits, &mut seed.rng())
    }

    /// Grey levels of a glyph, in the front of `grey`.
    fn shape<'a>(&self, glyph: &Glyph, grey: &'a mut [u8; LARGEST]) -> &'a [u8] {
        let side = usize::from(glyph.side);
        let out = &mut grey[..side * side];
        if usize::from(glyph.row) < DIGITS {
            resize(self.digits.image(glyph.digit.into(), glyph.image), side, out);
        } else {
            out.copy_from_slice(self.hints.ink(glyph.digit, glyph.side));
        }
        out
    }

    /// Keeps the inked part of a glyph.
    fn keep(&mut self, entries: &Entries, glyph: &Glyph, grey: &mut [u8; LARGEST]) {
        let side = usize::from(glyph.side);
        let grey = self.shape(glyph, grey);
        let inked = |i: &usize| grey[*i] != 0;
        let rows = (0..side * side).filter(inked).map(|i| i / side);
        let columns = (0..side * side).filter(inked).map(|i| i % side);
        let (top, bottom) = (rows.clone().min().unwrap_or(0), rows.max().unwrap_or(0) + 1);
        let (left, right) = (columns.clone().min().unwrap_or(0), columns.max().unwrap_or(0) + 1);
        let (_, colour) = colour(entries, glyph.row.into());
        let patch = Patch {
            x: glyph.x + left as u8,
            y: glyph.y + top as u8,
            width: (right - left) as u8,
            height: (bottom - top) as u8,
            ink: self.ink.len(),
        };
        for y in top..bottom {
            self.ink.extend(grey[y * side + left..y * side + right].iter().flat_map(|&g| shade(colour, g)));
        }
        self.patches.push(patch);
    }

    /// Writes the fixed panel of a cell.
    pub(crate) fn write<T: Element>(&self, maze: u32, cell: usize, out: &mut [T]) {
        out.fill(T::of(0));
        let at = maze as usize * CELLS + cell;
        for patch in &self.patches[self.index[at] as usize..self.index[at + 1] as usize] {
            let width = usize::from(patch.width) * 3;
            let ink = &self.ink[patch.ink..][..width * usize::from(patch.height)];
            for (i, row) in ink.chunks_exact(width).enumerate() {
                let at = ((usize::from(patch.y) + i) * PANEL + usize::from(patch.x)) * 3;
                for (out, &byte) in out[at..at + width].iter_mut().zip(row) {
                    *out = T::of(byte);
                }
            }
        }
    }

    /// What a panel shows to one who cannot tell digits apart: whether there is one of each colour, and the hint.
    pub(crate) fn glance<T: Element>(&self, panel: &[T]) -> Entries {
        let mut entries = Entries::default();
        let hint = self.hints.find(panel);
        entries.0[HINT] = hint.map_or(0, |(hint, ..)| hint as i8);
        let hinted = |at: usize| {
            hint.is_some_and(|(_, (left, top), side)| {
                (left..left + side).contains(&(at % PANEL)) && (top..top + side).contains(&(at / PANEL))
            })
        };
        for at in (0..PANEL * PANEL).filter(|&at| !hinted(at)) {
            match hue(pixel(panel, at)) {
                Some(wall @ 0..4) => entries.0[wall] = 1,
                Some(4) => entries.0[GOAL_X] = -1,
                Some(5) => entries.0[GOAL_Y] = 1,
                Some(6) => entries.0[GOAL_X] = 1,
                Some(_) => entries.0[GOAL_Y] = -1,
                None => {}
            }
        }
        entries
    }

    /// Writes a panel with the glyphs of `layout`.
    pub(crate) fn write_layout<T: Element>(&self, entries: &Entries, layout: &Layout, out: &mut [T]) {
        out.fill(T::of(0));
        let mut grey = [0; LARGEST];
        for glyph in layout.glyphs() {
            let (_, colour) = colour(entries, glyph.row.into());
            let side = usize::from(glyph.side);
            for (i, row) in self.shape(glyph, &mut grey).chunks_exact(side).enumerate() {
                let at = ((usize::from(glyph.y) + i) * PANEL + usize::from(glyph.x)) * 3;
                for (pixel, &level) in out[at..at + side * 3].chunks_exact_mut(3).zip(row) {
                    pixel.copy_from_slice(&shade(colour, level).map(T::of));
                }
            }
        }
    }
}

fn pixel<T: Element>(panel: &[T], at: usize) -> [u8; 3] {
    std::array::from_fn(|channel| panel[3 * at + channel].byte())
}

fn is_grey([red, green, blue]: [u8; 3]) -> bool {
    red > 0 && red == green && green == blue
}

/// The number of the colour that a pixel is a shade of, as [`colour`] counts them; `None` if it is too dark to tell.
fn hue([red, green, blue]: [u8; 3]) -> Option<usize> {
    const DARK: u8 = 32;
    match (red, green, blue) {
        _ if red.max(green).max(blue) < DARK => None,
        (_, 0, 0) => Some(0),
        (0, _, 0) => Some(3),
        (0, 0, _) => Some(5),
        (0, ..) => Some(4),
        (_, 0, _) => Some(6),
        (_, _, 0) => Some(if red > green { 1 } else { 2 }),
        _ => Some(7),
    }
}

/// A colour at a grey level.
fn shade(colour: [u8; 3], level: u8) -> [u8; 3] {
    heldout_render::Rgb(colour).shade(level).0
}

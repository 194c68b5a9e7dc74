//! Our own handwriting: templates, bent by a seed and drawn with a round pen.
//!
//! Only sums, products, quotients and square roots of floats occur, which round alike on every platform.

use heldout_core::{Rng, Seed};

use super::templates::{Stroke, TEST, TRAIN};
use super::{AREA, Hand, Image, SIDE};

/// Name and version of this handwriting: another one gives other observations.
pub(crate) const VERSION: &str = "heldout strokes 1";
/// Images of each digit in each hand.
const VARIANTS: u64 = 240;
/// Pieces of a curve between two of its points.
const PIECES: usize = 5;
/// Pixels a unit of a template: digits are 20 pixels high in 28, as MNIST's are.
const SCALE: f64 = 0.2;
/// Width and height of a template, in its units.
const SIZE: (f64, f64) = (60.0, 100.0);
/// How far a point of a template strays, in its units.
const STRAY: f64 = 2.6;

type Point = (f64, f64);

/// A round pen on a square of grey bytes.
pub struct Pen<'a> {
    side: usize,
    out: &'a mut [u8],
}

impl<'a> Pen<'a> {
    /// A pen on `out`, which is a square of `side * side` bytes; what is there stays where no darker ink comes.
    ///
    /// # Panics
    ///
    /// If `out` is of another size.
    #[must_use]
    pub fn new(side: usize, out: &'a mut [u8]) -> Self {
        assert_eq!(out.len(), side * side, "a square of {side} pixels a side");
        Self { side, out }
    }

    /// Draws a line `2 * half` pixels wide, with soft edges and round ends. Pixel `(0, 0)` has its centre at a half.
    pub fn line(&mut self, from: Point, to: Point, half: f64) {
        let reach = half + 1.0;
        let range = |a: f64, b: f64| {
            let low = (a.min(b) - reach).max(0.0) as usize;
            let high = (a.max(b) + reach).clamp(0.0, self.side as f64) as usize;
            low..high.max(low).min(self.side)
        };
        let (columns, rows) = (range(from.0, to.0), range(from.1, to.1));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let square = dx * dx + dy * dy;
        for y in rows {
            for x in columns.clone() {
                let (px, py) = (x as f64 + 0.5 - from.0, y as f64 + 0.5 - from.1);
                let along = if square > 0.0 { ((px * dx + py * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
                let (ex, ey) = (px - along * dx, py - along * dy);
                let ink = (half + 0.5 - (ex * ex + ey * ey).sqrt()).clamp(0.0, 1.0);
                let pixel = &mut self.out[y * self.side + x];
                *pixel = (*pixel).max((ink * 255.0 + 0.5) as u8);
            }
        }
    }

    /// Draws lines from each point to the next.
    pub fn path(&mut self, points: &[Point], half: f64) {
        for pair in points.windows(2) {
            self.line(pair[0], pair[1], half);
        }
    }
}

/// Every image of `digit` in one hand.
pub(super) fn images(digit: usize, hand: Hand) -> Vec<Image> {
    let (templates, label) = match hand {
        Hand::Train => (TRAIN[digit], "train"),
        Hand::Test => (TEST[digit], "test"),
    };
    let seed = Seed(0).stream(VERSION).stream(label).derive(digit as u64);
    (0..VARIANTS)
        .map(|i| {
            let template = templates[i as usize % templates.len()];
            image(template, &mut seed.derive(i).rng())
        })
        .collect()
}

/// One digit, as `rng` has it.
fn image(template: &[Stroke], rng: &mut Rng) -> Image {
    let mut within = |low: f64, high: f64| low + (high - low) * rng.unit();
    let half = within(1.05, 1.65);
    let (wide, high) = (within(0.82, 1.12) * SCALE, within(0.86, 1.04) * SCALE);
    let (slant, tilt) = (within(-0.22, 0.3), within(-0.1, 0.1));
    let middle = (SIDE as f64 / 2.0 + within(-1.2, 1.2), SIDE as f64 / 2.0 + within(-1.0, 1.0));
    let mut place = |&(x, y): &(i8, i8)| {
        let x = (f64::from(x) - SIZE.0 / 2.0 + within(-STRAY, STRAY)) * wide;
        let y = (f64::from(y) - SIZE.1 / 2.0 + within(-STRAY, STRAY)) * high;
        // Upright strokes lean to the right by the slant, level ones climb by the tilt.
        (middle.0 + x - slant * y, middle.1 + y - tilt * x)
    };
    let mut image = [0; AREA];
    let mut pen = Pen::new(SIDE, &mut image);
    let mut joint: Option<((i8, i8), Point)> = None;
    for stroke in template {
        let (Stroke::Line(points) | Stroke::Curve(points) | Stroke::Ring(points)) = stroke;
        let mut placed: Vec<Point> = points.iter().map(&mut place).collect();
        // Strokes that meet in the template meet in the image.
        if let Some((end, at)) = joint
            && points.first() == Some(&end)
        {
            placed[0] = at;
        }
        joint = points.last().copied().zip(placed.last().copied());
        match stroke {
            Stroke::Line(_) => pen.path(&placed, half),
            Stroke::Curve(_) => pen.path(&smooth(&placed, false), half),
            Stroke::Ring(_) => pen.path(&smooth(&placed, true), half),
        }
    }
    image
}

/// Points of the Catmull-Rom spline through `points`.
fn smooth(points: &[Point], closed: bool) -> Vec<Point> {
    let count = points.len() as isize;
    let at = |i: isize| {
        let i = if closed { i.rem_euclid(count) } else { i.clamp(0, count - 1) };
        points[i as usize]
    };
    let spans = if closed { count } else { count - 1 };
    let mut out = vec![points[0]];
    for span in 0..spans {
        let four = [at(span - 1), at(span), at(span + 1), at(span + 2)];
        out.extend((1..=PIECES).map(|piece| {
            let along = piece as f64 / PIECES as f64;
            (blend(four.map(|p| p.0), along), blend(four.map(|p| p.1), along))
        }));
    }
    out
}

/// The spline between the second and the third of four values.
fn blend([before, from, to, after]: [f64; 4], along: f64) -> f64 {
    let (square, cube) = (along * along, along * along * along);
    let bend = (2.0 * before - 5.0 * from + 4.0 * to - after) * square;
    let twist = (3.0 * from - before - 3.0 * to + after) * cube;
    0.5 * (2.0 * from + (to - before) * along + bend + twist)
}

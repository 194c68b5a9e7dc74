//! Lines of one pixel and of any thickness, and arrows for directions.

use std::ops::Range;

use crate::{Canvas, Point, Rgb};

/// One of the four directions on a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Towards smaller y.
    Up,
    /// Towards larger x.
    Right,
    /// Towards larger y.
    Down,
    /// Towards smaller x.
    Left,
}

impl Direction {
    /// All four, clockwise from `Up`.
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];
}

impl Canvas<'_> {
    /// Paints a line of one pixel, both ends included, by Bresenham's rule.
    ///
    /// The line has one pixel in every column (in every row, if it is steeper than the diagonal), the one nearest to
    /// the true line; of two equally near it is the one with the larger coordinate. The pixels are therefore the same
    /// in either direction, and clipping never moves them.
    pub fn line(&mut self, from: Point, to: Point, colour: Rgb) {
        let steep = from.1.abs_diff(to.1) > from.0.abs_diff(to.0);
        let turn = |(x, y): Point| if steep { (i64::from(y), i64::from(x)) } else { (i64::from(x), i64::from(y)) };
        let (start, end) = if turn(from).0 <= turn(to).0 { (turn(from), turn(to)) } else { (turn(to), turn(from)) };
        let (length, rise) = (end.0 - start.0, end.1 - start.1);

        let along = start.0..end.0 + 1;
        let along = if steep { self.rows(along) } else { self.columns(along) };
        if along.is_empty() {
            return;
        }
        // After `i` steps the line is `(2 * i * rise + length) / (2 * length)`, rounded down, pixels across.
        let period = 2 * length.max(1);
        let numerator = 2 * i128::from(along.start - start.0) * i128::from(rise) + i128::from(length);
        let mut across = start.1 + numerator.div_euclid(period.into()) as i64;
        let mut remainder = numerator.rem_euclid(period.into()) as i64;
        for along in along {
            let (x, y) = if steep { (across, along) } else { (along, across) };
            self.span(y, x, x + 1, colour);
            remainder += 2 * rise;
            if remainder >= period {
                remainder -= period;
                across += 1;
            } else if remainder < 0 {
                remainder += period;
                across -= 1;
            }
        }
    }

    /// Paints a line `thickness` pixels wide with round ends.
    ///
    /// A pixel belongs to it if its centre lies nearer than `thickness / 2` to the segment between the centres of the
    /// two end pixels; of those at exactly that distance from the side of the segment, the ones above it are in (the
    /// ones to the left, if it is vertical), so that an even thickness is even on screen. A thickness of one is
    /// [`Canvas::line`].
    pub fn thick_line(&mut self, from: Point, to: Point, thickness: i32, colour: Rgb) {
        if thickness <= 1 || from == to {
            if thickness == 1 {
                self.line(from, to, colour);
            } else if thickness > 1 {
                self.cap(from, thickness.into(), colour);
            }
            return;
        }
        // From left to right, or upwards: the negative side is then above, or to the left.
        let ordered = from.0 < to.0 || from.0 == to.0 && from.1 > to.1;
        let (from, to) = if ordered { (from, to) } else { (to, from) };
        let thickness = i64::from(thickness);
        self.cap(from, thickness, colour);
        self.cap(to, thickness, colour);

        let origin = (i128::from(from.0), i128::from(from.1));
        let (run, rise) = (i128::from(to.0) - origin.0, i128::from(to.1) - origin.1);
        let square = run * run + rise * rise;
        // With `across = run * v - rise * u`, the distance from the line is `across / sqrt(square)`.
        let limit = (thickness.unsigned_abs() as u128).pow(2) * square as u128;
        let (above, below) = (limit.isqrt() as i128 / 2, (limit - 1).isqrt() as i128 / 2);
        let (top, bottom) = (i64::from(from.1.min(to.1)), i64::from(from.1.max(to.1)));
        for y in self.rows(top - thickness..bottom + thickness + 1) {
            let v = i128::from(y) - origin.1;
            let beside = multiples(rise, run * v - below, run * v + above);
            let between = multiples(run, -rise * v, square - rise * v);
            let start = beside.start.max(between.start) + origin.0;
            let end = beside.end.min(between.end) + origin.0;
            self.span(y, clamp(start), clamp(end), colour);
        }
    }

    /// Paints the pixels whose centres lie nearer than half of `diameter` to the centre of a pixel.
    fn cap(&mut self, centre: Point, diameter: i64, colour: Rgb) {
        let (x, y) = (i64::from(centre.0), i64::from(centre.1));
        let reach = (diameter - 1) / 2;
        for row in self.rows(y - reach..y + reach + 1) {
            let half = ((diameter * diameter - 1) / 4 - (row - y) * (row - y)).isqrt();
            self.span(row, x - half, x + half + 1, colour);
        }
    }

    /// Paints an arrow in the square of `size` pixels whose top left pixel is `(x, y)`.
    ///
    /// The head takes the front half and the whole breadth, the shaft about a third of the breadth. The four directions
    /// are exact turns of one another, and each is symmetric about its axis.
    pub fn fill_arrow(&mut self, x: i32, y: i32, size: i32, direction: Direction, colour: Rgb) {
        let (x, y, size) = (i64::from(x), i64::from(y), i64::from(size.max(0)));
        let head = (size + 1) / 2;
        let shaft = (size / 3 + (size - size / 3) % 2).max(2 - size % 2);
        // Columns or rows along the axis, and the pixels across it at a distance from the tip.
        let across = |from_tip: i64, origin: i64| -> Range<i64> {
            let breadth = if from_tip < head { 2 * from_tip + 2 - size % 2 } else { shaft };
            let margin = (size - breadth) / 2;
            origin + margin..origin + size - margin
        };
        match direction {
            Direction::Up | Direction::Down => {
                for row in self.rows(y..y + size) {
                    let from_tip = if direction == Direction::Up { row - y } else { y + size - 1 - row };
                    let columns = across(from_tip, x);
                    self.span(row, columns.start, columns.end, colour);
                }
            }
            Direction::Left | Direction::Right => {
                for column in self.columns(x..x + size) {
                    let from_tip = if direction == Direction::Left { column - x } else { x + size - 1 - column };
                    self.area(column..column + 1, across(from_tip, y), colour);
                }
            }
        }
    }
}

/// The integers `n` with `low <= factor * n <= high`.
fn multiples(factor: i128, low: i128, high: i128) -> Range<i128> {
    const EVERY: Range<i128> = -(1 << 100)..1 << 100;
    const NONE: Range<i128> = 0..0;
    match factor {
        0 if low <= 0 && high >= 0 => EVERY,
        0 => NONE,
        1.. => -(-low).div_euclid(factor)..high.div_euclid(factor) + 1,
        _ => multiples(-factor, -high, -low),
    }
}

/// A coordinate far outside any canvas brought into the range of `span`, still outside.
fn clamp(coordinate: i128) -> i64 {
    coordinate.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

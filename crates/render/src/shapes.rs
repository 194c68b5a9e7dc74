//! Round shapes and diamonds.

use crate::{Canvas, Rgb};

impl Canvas<'_> {
    /// Paints the disc of `2 * radius + 1` pixels across about the pixel `(x, y)`.
    ///
    /// A pixel belongs to it if its centre lies within `radius + 1/2` of the disc's centre, so that radius 0 is one
    /// pixel. A negative radius draws nothing.
    pub fn fill_circle(&mut self, x: i32, y: i32, radius: i32, colour: Rgb) {
        let (x, y, radius) = (i64::from(x), i64::from(y), i64::from(radius));
        for row in self.rows(y - radius..y + radius + 1) {
            let half = half_chord(radius, row - y);
            self.span(row, x - half, x + half + 1, colour);
        }
    }

    /// Paints the disc of [`Canvas::fill_circle`] without the disc whose radius is less by `thickness`: a ring without
    /// gaps, `thickness` pixels inwards.
    pub fn outline_circle(&mut self, x: i32, y: i32, radius: i32, thickness: i32, colour: Rgb) {
        if thickness <= 0 {
            return;
        }
        let (x, y, radius) = (i64::from(x), i64::from(y), i64::from(radius));
        let hole = radius - i64::from(thickness);
        for row in self.rows(y - radius..y + radius + 1) {
            let half = half_chord(radius, row - y);
            if (row - y).abs() > hole {
                self.span(row, x - half, x + half + 1, colour);
            } else {
                let inner = half_chord(hole, row - y);
                self.span(row, x - half, x - inner, colour);
                self.span(row, x + inner + 1, x + half + 1, colour);
            }
        }
    }

    /// Paints the pixels at most `radius` steps, sideways and up or down, from the pixel `(x, y)`.
    pub fn fill_diamond(&mut self, x: i32, y: i32, radius: i32, colour: Rgb) {
        let (x, y, radius) = (i64::from(x), i64::from(y), i64::from(radius));
        for row in self.rows(y - radius..y + radius + 1) {
            let half = radius - (row - y).abs();
            self.span(row, x - half, x + half + 1, colour);
        }
    }
}

/// The largest `u` with `u² + v² <= (radius + 1/2)²`, for `|v| <= radius`.
fn half_chord(radius: i64, v: i64) -> i64 {
    (radius * radius + radius - v * v).isqrt()
}

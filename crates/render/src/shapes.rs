//! Round shapes, diamonds and rounded rectangles.

use crate::{Canvas, Rgb};

impl Canvas<'_> {
    /// Paints the disc of `2 * radius + 1` pixels across about the pixel `(x, y)`.
    ///
    /// A pixel belongs to it if its centre lies within `radius + 1/2` of the disc's centre, so that radius 0 is one
    /// pixel. For an even number of pixels across take [`Canvas::fill_ellipse`]. A negative radius draws nothing.
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

    /// Paints the ellipse that touches the sides of the rectangle whose top left pixel is `(x, y)`. A pixel belongs to
    /// it if its centre lies inside or on the ellipse.
    pub fn fill_ellipse(&mut self, x: i32, y: i32, width: i32, height: i32, colour: Rgb) {
        let (x, y, width, height) = (i64::from(x), i64::from(y), i64::from(width), i64::from(height));
        if width <= 0 {
            return;
        }
        for row in self.rows(y..y + height) {
            let inset = ellipse_inset(width, height, row - y);
            self.span(row, x + inset, x + width - inset, colour);
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

    /// Paints the rectangle whose top left pixel is `(x, y)`, its corners cut to quarters of a circle `2 * radius`
    /// pixels across. A radius below zero counts as zero, one above half of the shorter side as that half.
    pub fn fill_rounded_rect(&mut self, x: i32, y: i32, width: i32, height: i32, radius: i32, colour: Rgb) {
        let radius = i64::from(radius.min(width / 2).min(height / 2).max(0));
        let (x, y, width, height) = (i64::from(x), i64::from(y), i64::from(width), i64::from(height));
        for row in self.rows(y..y + height) {
            let from_edge = (row - y).min(y + height - 1 - row);
            let inset = if from_edge < radius { ellipse_inset(2 * radius, 2 * radius, from_edge) } else { 0 };
            self.span(row, x + inset, x + width - inset, colour);
        }
    }
}

/// The largest `u` with `u² + v² <= (radius + 1/2)²`, for `|v| <= radius`.
fn half_chord(radius: i64, v: i64) -> i64 {
    (radius * radius + radius - v * v).isqrt()
}

/// How many pixels of row `row` lie left of the ellipse in a box of this size; as many lie right of it.
///
/// In half pixels from the middle of the box, a centre `(a, b)` is inside if `a² <= width² * (height² - b²) / height²`.
fn ellipse_inset(width: i64, height: i64, row: i64) -> i64 {
    /// Sides below this keep the product of four of them within 64 bits.
    const SMALL: i64 = 1 << 15;
    let offset = 2 * row + 1 - height;
    let half = if width < SMALL && height < SMALL {
        (width * width * (height * height - offset * offset) / (height * height)).isqrt()
    } else {
        let (width, height, offset) = (i128::from(width), i128::from(height), i128::from(offset));
        (width * width * (height * height - offset * offset) / (height * height)).isqrt() as i64
    };
    (width - half) / 2
}

//! Polygons by the even-odd rule.

use crate::{Canvas, Point, Rgb};

/// The most vertices of a polygon: a row's crossings are kept on the stack.
pub const MAX_VERTICES: usize = 64;

impl Canvas<'_> {
    /// Paints a polygon, which may be concave or cross itself, by the even-odd rule.
    ///
    /// A vertex is a corner of pixels: `(x, y)` is the top left corner of the pixel of that name, so that the corners of
    /// a rectangle give what [`Canvas::fill_rect`] paints. A pixel belongs to the polygon if its centre is inside;
    /// a centre on an edge belongs to what lies to the right of the edge. Polygons that share an edge therefore neither
    /// overlap nor leave a gap. The last vertex is joined to the first; fewer than three paint nothing.
    ///
    /// # Panics
    /// If there are more than [`MAX_VERTICES`] vertices.
    #[track_caller]
    pub fn fill_polygon(&mut self, vertices: &[Point], colour: Rgb) {
        let count = vertices.len();
        assert!(count <= MAX_VERTICES, "a polygon has at most {MAX_VERTICES} vertices, not `{count}`");
        let (Some(top), Some(bottom)) = (vertices.iter().map(|v| v.1).min(), vertices.iter().map(|v| v.1).max()) else {
            return;
        };
        let width = self.width() as i64;
        for y in self.rows(top.into()..bottom.into()) {
            let mut crossings = [0; MAX_VERTICES];
            let mut found = 0;
            for (index, &vertex) in vertices.iter().enumerate() {
                if let Some(x) = crossing(vertex, vertices[(index + 1) % count], y) {
                    crossings[found] = x.clamp(0, width);
                    found += 1;
                }
            }
            // A closed outline crosses a row an even number of times.
            let crossings = &mut crossings[..found];
            crossings.sort_unstable();
            for pair in crossings.as_chunks::<2>().0 {
                self.span(y, pair[0], pair[1], colour);
            }
        }
    }

    /// Paints a triangle by the rule of [`Canvas::fill_polygon`].
    pub fn fill_triangle(&mut self, first: Point, second: Point, third: Point, colour: Rgb) {
        self.fill_polygon(&[first, second, third], colour);
    }
}

/// The first pixel of row `y` whose centre is on or right of an edge, or `None` if the edge does not cross the line
/// through the row's centres. That line lies between integers, so that no vertex is ever on it.
fn crossing(from: Point, to: Point, y: i64) -> Option<i64> {
    let (upper, lower) = if from.1 <= to.1 { (from, to) } else { (to, from) };
    if !(i64::from(upper.1)..i64::from(lower.1)).contains(&y) {
        return None;
    }
    // Twice the edge's x on that line is `2 * upper.0 + down * run / rise`; a centre is at `2 * x + 1`.
    let (run, rise) = (i128::from(lower.0) - i128::from(upper.0), i128::from(lower.1) - i128::from(upper.1));
    let down = i128::from(2 * (y - i64::from(upper.1)) + 1);
    let beyond = down * run - rise;
    Some(i64::from(upper.0) - (-beyond).div_euclid(2 * rise) as i64)
}

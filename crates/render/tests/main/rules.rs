//! Shapes against the rules in their documentation, applied to every pixel one by one.

use crate::common::{PEN, art, rule};

const SIDE: usize = 40;

/// A small generator for arguments, so that the cases are many and always the same.
struct Cases(u64);

impl Cases {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as i64
    }

    fn point(&mut self) -> (i64, i64) {
        (self.below(60) - 10, self.below(60) - 10)
    }
}

fn short(point: (i64, i64)) -> (i32, i32) {
    (point.0 as i32, point.1 as i32)
}

#[test]
fn discs_rings_and_diamonds() {
    for radius in 0..30 {
        let (x, y) = (17 + radius % 3, 22 - radius % 5);
        // (radius + 1/2)² in quarters.
        let within =
            move |px: i64, py: i64, r: i64| r >= 0 && 4 * ((px - x).pow(2) + (py - y).pow(2)) <= (2 * r + 1).pow(2);
        let (cx, cy, r) = (x as i32, y as i32, radius as i32);
        let disc = art(SIDE, SIDE, |canvas| canvas.fill_circle(cx, cy, r, PEN));
        assert_eq!(disc, rule(SIDE, SIDE, |px, py| within(px, py, radius)), "radius {radius}");
        for thickness in 1..5 {
            let ring = art(SIDE, SIDE, |canvas| canvas.outline_circle(cx, cy, r, thickness as i32, PEN));
            let expected = rule(SIDE, SIDE, |px, py| within(px, py, radius) && !within(px, py, radius - thickness));
            assert_eq!(ring, expected, "radius {radius}, thickness {thickness}");
        }
        let diamond = art(SIDE, SIDE, |canvas| canvas.fill_diamond(cx, cy, r, PEN));
        assert_eq!(diamond, rule(SIDE, SIDE, |px, py| (px - x).abs() + (py - y).abs() <= radius));
    }
}

#[test]
fn lines_have_the_nearest_pixel_of_every_column() {
    let mut cases = Cases(1);
    for _ in 0..500 {
        let (from, to) = (cases.point(), cases.point());
        let drawn = art(SIDE, SIDE, |canvas| canvas.line(short(from), short(to), PEN));
        let steep = (from.1 - to.1).abs() > (from.0 - to.0).abs();
        let expected = rule(SIDE, SIDE, |px, py| {
            let turn = |(x, y): (i64, i64)| if steep { (y, x) } else { (x, y) };
            let (a, b, pixel) = (turn(from), turn(to), turn((px, py)));
            let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
            if a.0 == b.0 {
                return pixel == a;
            }
            // -1/2 < pixel - line <= 1/2, across the line.
            let length = b.0 - a.0;
            let off = 2 * ((pixel.1 - a.1) * length - (pixel.0 - a.0) * (b.1 - a.1));
            (a.0..=b.0).contains(&pixel.0) && -length < off && off <= length
        });
        assert_eq!(drawn, expected, "{from:?} to {to:?}");
    }
}

#[test]
fn thick_lines_have_the_centres_near_the_segment() {
    let mut cases = Cases(2);
    for _ in 0..500 {
        let (from, to, thickness) = (cases.point(), cases.point(), cases.below(11) + 2);
        let pen = |canvas: &mut heldout_render::Canvas<'_>, from, to| {
            canvas.thick_line(short(from), short(to), thickness as i32, PEN);
        };
        let drawn = art(SIDE, SIDE, |canvas| pen(canvas, from, to));
        assert_eq!(drawn, art(SIDE, SIDE, |canvas| pen(canvas, to, from)), "{from:?} to {to:?} and back");
        let expected = rule(SIDE, SIDE, |px, py| {
            let near = |(x, y): (i64, i64)| 4 * ((px - x).pow(2) + (py - y).pow(2)) < thickness.pow(2);
            let (run, rise) = (to.0 - from.0, to.1 - from.1);
            let (u, v) = (px - from.0, py - from.1);
            let (along, square) = (u * run + v * rise, run * run + rise * rise);
            // The distance from the line, times the length; negative above the line, or left of it.
            let across = if run < 0 || run == 0 && rise > 0 { u * rise - v * run } else { v * run - u * rise };
            let limit = thickness.pow(2) * square;
            let beside = 4 * across.pow(2) < limit || 4 * across.pow(2) == limit && across < 0;
            near(from) || near(to) || square > 0 && (0..=square).contains(&along) && beside
        });
        assert_eq!(drawn, expected, "{from:?} to {to:?}, {thickness} thick");
    }
}

#[test]
fn polygons_count_the_edges_left_of_a_centre() {
    let mut cases = Cases(3);
    for _ in 0..500 {
        let count = 3 + cases.below(8);
        let vertices: Vec<(i64, i64)> = (0..count).map(|_| cases.point()).collect();
        let corners: Vec<(i32, i32)> = vertices.iter().copied().map(short).collect();
        let drawn = art(SIDE, SIDE, |canvas| canvas.fill_polygon(&corners, PEN));
        let expected = rule(SIDE, SIDE, |px, py| {
            let (cx, cy) = (2 * px + 1, 2 * py + 1);
            let edges = vertices.iter().zip(vertices.iter().cycle().skip(1));
            let left = edges.filter(|&(&from, &to)| {
                let (upper, lower) = if from.1 < to.1 { (from, to) } else { (to, from) };
                // The centre is on or right of the edge if this cross product is not positive.
                let (run, rise) = (2 * (lower.0 - upper.0), 2 * (lower.1 - upper.1));
                2 * upper.1 < cy && cy < 2 * lower.1 && run * (cy - 2 * upper.1) - rise * (cx - 2 * upper.0) <= 0
            });
            left.count() % 2 == 1
        });
        assert_eq!(drawn, expected, "{vertices:?}");
    }
}

#[test]
fn a_polygon_may_have_64_vertices_and_no_more() {
    let zigzag: Vec<(i32, i32)> = (0..64).map(|index| (index / 2, index % 2 * 8)).collect();
    assert!(art(32, 8, |canvas| canvas.fill_polygon(&zigzag, PEN)).concat().contains('#'));
    let more = vec![(0, 0); 65];
    assert!(std::panic::catch_unwind(|| art(1, 1, |canvas| canvas.fill_polygon(&more, PEN))).is_err());
}

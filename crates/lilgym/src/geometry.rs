//! Where an object can be put, where it then sticks, and which one a cell takes away.
//!
//! Outlines are convex polygons in image pixels; the public implementation computes with them in a geometry library. The
//! order of operations below is that library's, in `f64`, because truncated coordinates decide by how many pixels an object
//! moves.

#![allow(clippy::many_single_char_names, reason = "the geometry of points a to d, p and q, at r and s of the way")]

use crate::circle::CIRCLE;
use crate::scene::{BOX_PITCH, BOX_SIDE, Item, Scene, Shape};

/// An area that is no more than this is a contact. The smallest overlap ever seen was 0.0065.
const CONTACT: f64 = 1e-9;
/// What rounding may add to a distance, and more.
const MARGIN: f64 = 1e-6;
/// A gap of the bounds beyond which objects never stick: more than any config allows.
const FAR: i32 = 24;
/// Vertices of a circle's outline.
const ROUND: usize = 64;
/// Room for a polygon of up to four vertices after it was cut by as many edges.
const FEW: usize = 12;
/// Room for a circle's outline after it was cut by four edges.
const SOME: usize = ROUND + 8;
/// Room for a circle's outline after it was cut by another's.
const MANY: usize = 2 * ROUND + 8;

pub(crate) type Point = (f64, f64);

/// A convex outline.
pub(crate) struct Outline {
    vertices: [Point; ROUND],
    len: usize,
}

impl Outline {
    /// The outline of `item` in box `index`, in image pixels.
    pub(crate) fn of(item: &Item, index: usize) -> Self {
        let x = f64::from(i32::from(item.x) + BOX_PITCH * index as i32);
        let y = f64::from(item.y);
        let side = f64::from(item.size.pixels());
        let (right, bottom) = (x + side, y + side);
        let mut vertices = [(0.0, 0.0); ROUND];
        let len = match item.shape {
            Shape::Square => {
                vertices[..4].copy_from_slice(&[(x, y), (right, y), (right, bottom), (x, bottom)]);
                4
            }
            Shape::Triangle => {
                vertices[..3].copy_from_slice(&[(f64::midpoint(x, right), y), (x, bottom), (right, bottom)]);
                3
            }
            Shape::Circle => {
                let radius = side / 2.0;
                let (middle_x, middle_y) = (x + radius, y + radius);
                for (vertex, (cos, sin)) in vertices.iter_mut().zip(CIRCLE) {
                    *vertex = (middle_x + radius * f64::from_bits(cos), middle_y + radius * f64::from_bits(sin));
                }
                ROUND
            }
        };
        Self { vertices, len }
    }

    pub(crate) fn segment(&self, index: usize) -> (Point, Point) {
        let next = if index + 1 == self.len { 0 } else { index + 1 };
        (self.vertices[index], self.vertices[next])
    }

    pub(crate) fn points(&self) -> &[Point] {
        &self.vertices[..self.len]
    }
}

/// A polygon that is being cut: each cut reads one half and writes the other.
struct Cut<const N: usize> {
    points: [[Point; N]; 2],
    now: usize,
    len: usize,
}

impl<const N: usize> Cut<N> {
    fn of(points: &[Point]) -> Self {
        let mut cut = Self { points: [[(0.0, 0.0); N]; 2], now: 0, len: points.len() };
        cut.points[0][..points.len()].copy_from_slice(points);
        cut
    }

    /// Keeps what is on the side of `inside > 0`, where `inside` is linear.
    fn keep(&mut self, inside: impl Fn(Point) -> f64) {
        let [one, two] = &mut self.points;
        let (old, new) = if self.now == 0 { (one, two) } else { (two, one) };
        let old = &old[..self.len];
        self.now = 1 - self.now;
        self.len = 0;
        let Some(&last) = old.last() else { return };
        let (mut p, mut a) = (last, inside(last));
        for &q in old {
            let b = inside(q);
            if (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0) {
                let t = a / (a - b);
                self.len += put(new, self.len, (p.0 + t * (q.0 - p.0), p.1 + t * (q.1 - p.1)));
            }
            if b >= 0.0 {
                self.len += put(new, self.len, q);
            }
            (p, a) = (q, b);
        }
    }

    fn area(&self) -> f64 {
        twice_area(&self.points[self.now][..self.len]).abs() / 2.0
    }
}

/// Writes a vertex; gives how many were. There is room for every cut that is made.
fn put(points: &mut [Point], at: usize, point: Point) -> usize {
    points.get_mut(at).map_or(0, |place| {
        *place = point;
        1
    })
}

/// Twice the area, signed by the direction of the vertices; measured from the first one, so that little is cancelled.
fn twice_area(points: &[Point]) -> f64 {
    let Some(&(x, y)) = points.first() else { return 0.0 };
    let cross = |p: &[Point]| (p[0].0 - x) * (p[1].1 - y) - (p[1].0 - x) * (p[0].1 - y);
    points.windows(2).map(cross).sum()
}

/// Area that two convex outlines share.
fn shared_area<const N: usize>(a: &Outline, b: &Outline) -> f64 {
    let mut cut = Cut::<N>::of(a.points());
    let sign = if twice_area(b.points()) >= 0.0 { 1.0 } else { -1.0 };
    for i in 0..b.len {
        let (p, q) = b.segment(i);
        cut.keep(|r| sign * ((q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0)));
    }
    cut.area()
}

/// A rectangle of image pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

/// The bounding square of `item` in box `index`, in image pixels.
pub(crate) fn bounds(item: &Item, index: usize) -> Rect {
    let left = i32::from(item.x) + BOX_PITCH * index as i32;
    let top = i32::from(item.y);
    Rect { left, top, right: left + item.size.pixels(), bottom: top + item.size.pixels() }
}

/// Area that `item` of box `index` shares with `cell`.
fn area_in(item: &Item, index: usize, cell: Rect) -> f64 {
    let own = bounds(item, index);
    if own.left >= cell.right || own.right <= cell.left || own.top >= cell.bottom || own.bottom <= cell.top {
        return 0.0;
    }
    let mut cut = Cut::<SOME>::of(Outline::of(item, index).points());
    cut.keep(|p| p.0 - f64::from(cell.left));
    cut.keep(|p| f64::from(cell.right) - p.0);
    cut.keep(|p| p.1 - f64::from(cell.top));
    cut.keep(|p| f64::from(cell.bottom) - p.1);
    cut.area()
}

/// Distance between the middles of two circles, or of a circle and the nearest point of a square, over the radii: below one
/// the circles, or circle and square, overlap.
fn apart_from_middles(a: &Item, b: &Item) -> f64 {
    let (circle, other) = if a.shape == Shape::Circle { (a, b) } else { (b, a) };
    let (p, q) = (bounds(circle, 0), bounds(other, 0));
    // In half pixels, so that middles are whole.
    let (x, y) = (p.left + p.right, p.top + p.bottom);
    if other.shape == Shape::Circle {
        let (dx, dy) = (x - q.left - q.right, y - q.top - q.bottom);
        let reach = circle.size.pixels() + other.size.pixels();
        return f64::from(dx * dx + dy * dy).sqrt() / f64::from(reach);
    }
    let (dx, dy) = (x - x.clamp(2 * q.left, 2 * q.right), y - y.clamp(2 * q.top, 2 * q.bottom));
    f64::from(dx * dx + dy * dy).sqrt() / f64::from(circle.size.pixels())
}

/// A distance that two outlines of one box do not fall below: circles stand for their outlines.
fn least_distance(a: &Item, b: &Item) -> f64 {
    let (circle, other) = match (a.shape, b.shape) {
        (Shape::Circle, _) => (a, b),
        (_, Shape::Circle) => (b, a),
        _ => return f64::from(a.distance(b)),
    };
    let radii = circle.size.pixels() + if other.shape == Shape::Circle { other.size.pixels() } else { 0 };
    let apart = match other.shape {
        // Most are told apart by their bounds.
        Shape::Triangle if a.distance(b) <= FAR => from_middle(bounds(circle, 0), &Outline::of(other, 0)),
        Shape::Triangle => return f64::from(a.distance(b)),
        _ => apart_from_middles(circle, other),
    };
    (apart - 1.0) * f64::from(radii) / 2.0
}

/// Whether two items of one box overlap: contact is none.
pub(crate) fn overlap(a: &Item, b: &Item, index: usize) -> bool {
    let (p, q) = (bounds(a, index), bounds(b, index));
    if p.left >= q.right || p.right <= q.left || p.top >= q.bottom || p.bottom <= q.top {
        return false;
    }
    let area = |few: bool| {
        let (one, two) = (Outline::of(a, index), Outline::of(b, index));
        if few { shared_area::<FEW>(&one, &two) } else { shared_area::<MANY>(&one, &two) }
    };
    match (a.shape, b.shape) {
        (Shape::Square, Shape::Square) => true,
        (Shape::Circle, _) | (_, Shape::Circle) => {
            // Beyond its radius a circle's outline is never met, and within 0.99 of it always; only what is between has
            // to be measured.
            let reach = if (a.shape, b.shape) == (Shape::Circle, Shape::Triangle) {
                from_middle(p, &Outline::of(b, index))
            } else if (a.shape, b.shape) == (Shape::Triangle, Shape::Circle) {
                from_middle(q, &Outline::of(a, index))
            } else {
                apart_from_middles(a, b)
            };
            reach < 1.0 && (reach <= 0.99 || area(false) > CONTACT)
        }
        _ => area(true) > CONTACT,
    }
}

/// Distance of the middle of the circle within `circle` from a triangle, over the radius.
fn from_middle(circle: Rect, triangle: &Outline) -> f64 {
    let middle = (
        f64::midpoint(circle.left.into(), circle.right.into()),
        f64::midpoint(circle.top.into(), circle.bottom.into()),
    );
    let sign = if twice_area(triangle.points()) >= 0.0 { 1.0 } else { -1.0 };
    let (mut inside, mut least) = (true, f64::INFINITY);
    for i in 0..triangle.len {
        let (p, q) = triangle.segment(i);
        inside &= sign * ((q.0 - p.0) * (middle.1 - p.1) - (q.1 - p.1) * (middle.0 - p.0)) > 0.0;
        least = least.min(point_to_segment(middle, (p, q)));
    }
    if inside { 0.0 } else { least * 2.0 / f64::from(circle.right - circle.left) }
}

pub(crate) fn distance(a: Point, b: Point) -> f64 {
    let (dx, dy) = (a.0 - b.0, a.1 - b.1);
    (dx * dx + dy * dy).sqrt()
}

fn point_to_segment(p: Point, (a, b): (Point, Point)) -> f64 {
    let len2 = (b.0 - a.0) * (b.0 - a.0) + (b.1 - a.1) * (b.1 - a.1);
    let r = ((p.0 - a.0) * (b.0 - a.0) + (p.1 - a.1) * (b.1 - a.1)) / len2;
    if r <= 0.0 {
        return distance(p, a);
    }
    if r >= 1.0 {
        return distance(p, b);
    }
    let s = ((a.1 - p.1) * (b.0 - a.0) - (a.0 - p.0) * (b.1 - a.1)) / len2;
    s.abs() * len2.sqrt()
}

/// Whether two segments cross or touch; parallel ones are measured by their ends.
fn crossing((a, b): (Point, Point), (c, d): (Point, Point)) -> bool {
    let apart = |p: f64, q: f64, r: f64, s: f64| p.max(q) < r.min(s) || r.max(s) < p.min(q);
    if apart(a.0, b.0, c.0, d.0) || apart(a.1, b.1, c.1, d.1) {
        return false;
    }
    let denominator = (b.0 - a.0) * (d.1 - c.1) - (b.1 - a.1) * (d.0 - c.0);
    if denominator == 0.0 {
        return false;
    }
    let r = ((a.1 - c.1) * (d.0 - c.0) - (a.0 - c.0) * (d.1 - c.1)) / denominator;
    let s = ((a.1 - c.1) * (b.0 - a.0) - (a.0 - c.0) * (b.1 - a.1)) / denominator;
    (0.0..=1.0).contains(&r) && (0.0..=1.0).contains(&s)
}

pub(crate) fn segment_distance(a: (Point, Point), b: (Point, Point)) -> f64 {
    if crossing(a, b) {
        return 0.0;
    }
    let from_a = point_to_segment(a.0, b).min(point_to_segment(a.1, b));
    from_a.min(point_to_segment(b.0, a).min(point_to_segment(b.1, a)))
}

/// The point of a segment nearest to `p`.
fn closest((a, b): (Point, Point), p: Point) -> Point {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let r = if p == a {
        0.0
    } else if p == b {
        1.0
    } else {
        ((p.0 - a.0) * dx + (p.1 - a.1) * dy) / (dx * dx + dy * dy)
    };
    if r > 0.0 && r < 1.0 {
        return (a.0 + r * dx, a.1 + r * dy);
    }
    if distance(a, p) < distance(b, p) { a } else { b }
}

/// The nearest pair of points of two segments that do not cross: the first strictly best of four.
pub(crate) fn closest_pair(a: (Point, Point), b: (Point, Point)) -> (Point, Point) {
    let pairs = [(closest(a, b.0), b.0), (closest(a, b.1), b.1), (a.0, closest(b, a.0)), (a.1, closest(b, a.1))];
    let mut best = pairs[0];
    let mut least = distance(best.0, best.1);
    for pair in &pairs[1..] {
        let length = distance(pair.0, pair.1);
        if length < least {
            (best, least) = (*pair, length);
        }
    }
    best
}

/// Segments of an outline that may come within reach of something.
struct Near {
    indices: [u8; ROUND],
    len: usize,
}

impl Near {
    /// The segments of `outline` whose bounds come within `reach` of `other`.
    fn of(outline: &Outline, other: Rect, reach: f64) -> Self {
        let mut near = Self { indices: [0; ROUND], len: 0 };
        let (left, right) = (f64::from(other.left) - reach, f64::from(other.right) + reach);
        let (top, bottom) = (f64::from(other.top) - reach, f64::from(other.bottom) + reach);
        for i in 0..outline.len {
            let (p, q) = outline.segment(i);
            if p.0.max(q.0) >= left && p.0.min(q.0) <= right && p.1.max(q.1) >= top && p.1.min(q.1) <= bottom {
                near.indices[near.len] = i as u8;
                near.len += 1;
            }
        }
        near
    }
}

/// The distance of two outlines that do not overlap, and the segments it is found at, if it is below `reach`.
///
/// Pairs of segments are gone through in the order of the public implementation; leaving out those that are certainly
/// farther than the best so far, or than `reach`, changes nothing.
fn nearest(new: (&Outline, Rect), old: (&Outline, Rect), reach: f64) -> Option<(f64, usize, usize)> {
    let near_new = Near::of(new.0, old.1, reach);
    let near_old = Near::of(old.0, new.1, reach);
    let mut best: Option<(f64, usize, usize)> = None;
    let mut limit = reach;
    for &i in &near_new.indices[..near_new.len] {
        let a = new.0.segment(i.into());
        let (left, right) = (a.0.0.min(a.1.0) - limit, a.0.0.max(a.1.0) + limit);
        let (top, bottom) = (a.0.1.min(a.1.1) - limit, a.0.1.max(a.1.1) + limit);
        for &j in &near_old.indices[..near_old.len] {
            let b = old.0.segment(j.into());
            if b.0.0.max(b.1.0) < left
                || b.0.0.min(b.1.0) > right
                || b.0.1.max(b.1.1) < top
                || b.0.1.min(b.1.1) > bottom
            {
                continue;
            }
            let length = segment_distance(a, b);
            if length < limit || (best.is_none() && length <= limit) {
                best = Some((length, i.into(), j.into()));
                limit = length;
                if length == 0.0 {
                    return best;
                }
            }
        }
    }
    best
}

/// By how much the distance of two outlines can exceed [`least_distance`]: an outline falls short of its circle by 0.12 % of
/// the radius at the most. Where it says little about the distance, no bound.
fn slack(a: &Item, b: &Item) -> f64 {
    match (a.shape, b.shape) {
        (Shape::Circle, _) | (_, Shape::Circle) if a.distance(b) <= FAR => {
            f64::from(a.size.pixels() + b.size.pixels()) / 2.0 * 0.0013 + MARGIN
        }
        _ => f64::INFINITY,
    }
}

/// Where `item` goes by sticking to the nearest item of box `index` at most `most` pixels away (truncated): the change of
/// its place.
pub(crate) fn stick(item: &Item, scene: &Scene, index: usize, most: i32) -> (i32, i32) {
    let own = bounds(item, index);
    let mut outline = None;
    let mut chosen: Option<(i32, f64, (Point, Point))> = None;
    for old in scene.of(index) {
        let other = bounds(old, index);
        // Only what is nearer than the best so far, in whole pixels, can be chosen. The margin keeps rounding out of it.
        let reach = f64::from(chosen.map_or(most + 1, |(least, ..)| least)) + MARGIN;
        let least = least_distance(item, old);
        if least > reach {
            continue;
        }
        let reach = reach.min(least + slack(item, old));
        let new = outline.get_or_insert_with(|| Outline::of(item, index));
        let old = Outline::of(old, index);
        let Some((length, i, j)) = nearest((new, own), (&old, other), reach) else { continue };
        let whole = length as i32;
        if whole <= most && chosen.is_none_or(|(least, ..)| whole < least) {
            let (a, b) = (new.segment(i), old.segment(j));
            let pair = if length == 0.0 { (a.0, a.0) } else { closest_pair(a, b) };
            chosen = Some((whole, length, pair));
        }
    }
    match chosen {
        Some((_, length, (p, q))) if length > 0.0 => (q.0 as i32 - p.0 as i32, q.1 as i32 - p.1 as i32),
        _ => (0, 0),
    }
}

/// Whether `item` stays within the walls of its box.
pub(crate) fn inside(item: &Item) -> bool {
    item.left() >= 0 && item.right() <= BOX_SIDE && item.top() <= BOX_SIDE && item.bottom() >= 0
}

/// Which item of box `index` a removal at `cell` takes: the one that shares most of it, or with `largest` the largest of
/// those that share any; the first among equals.
pub(crate) fn taken(scene: &Scene, index: usize, cell: Rect, largest: bool) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for at in scene.range(index) {
        let item = &scene.items()[at];
        let area = area_in(item, index, cell);
        let weight = if largest { twice_area(Outline::of(item, index).points()).abs() } else { area };
        if area > CONTACT && best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, at));
        }
    }
    best.map(|(_, at)| at)
}

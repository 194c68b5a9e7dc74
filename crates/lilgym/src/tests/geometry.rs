//! Segments, by another way to measure them.

use super::{Color, Item, Scene, Shape, Size};
use crate::geometry::{Outline, Point, closest_pair, distance, overlap, segment_distance, stick};
use heldout_core::{Rng, Seed};

type Segment = (Point, Point);

fn between((a, b): Segment, share: f64) -> Point {
    (a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1))
}

/// The share of the way along a segment at which `of` is least, if it falls and then rises.
fn least(of: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let third = (high - low) / 3.0;
        if of(low + third) < of(high - third) { high -= third } else { low += third }
    }
    f64::midpoint(low, high)
}

/// How near two segments come, by looking for the nearest points.
fn searched(a: Segment, b: Segment) -> f64 {
    let from = |p: Point| distance(p, between(b, least(|share| distance(p, between(b, share)))));
    from(between(a, least(|share| from(between(a, share)))))
}

/// Segments that cross, touch, lie beside one another or far apart: their distance is that of their nearest points, which
/// lie on them.
#[test]
fn segments_are_as_far_apart_as_their_nearest_points() {
    let mut rng = Rng::new(Seed(277));
    let (mut crossing, mut apart) = (0, 0);
    while crossing + apart < 2_000 {
        let mut point = || (f64::from(rng.below(9)), f64::from(rng.below(9)));
        let (a, b) = ((point(), point()), (point(), point()));
        if a.0 == a.1 || b.0 == b.1 {
            continue;
        }
        let (found, expected) = (segment_distance(a, b), searched(a, b));
        assert!((found - expected).abs() < 1e-6, "{a:?} {b:?}: {found}, not {expected}");
        if found > 0.0 {
            apart += 1;
            let (p, q) = closest_pair(a, b);
            assert!((distance(p, q) - expected).abs() < 1e-6, "{a:?} {b:?}");
            for (on, segment) in [(p, a), (q, b)] {
                assert!(searched((on, (on.0 + 1e-9, on.1)), segment) < 1e-6, "{on:?} is not on {segment:?}");
            }
        } else {
            crossing += 1;
        }
    }
    assert!(crossing > 500 && apart > 500, "{crossing} {apart}");
}

/// The outline of a circle has 64 vertices, from the rightmost on and first up, as pictures have it, at equal angles.
#[test]
fn a_circle_is_gone_round_from_its_right() {
    let circle = Item { x: 10, y: 20, shape: Shape::Circle, color: Color::Blue, size: Size::Large };
    let outline = Outline::of(&circle, 1);
    assert_eq!(outline.points().len(), 64);
    for (i, &(x, y)) in outline.points().iter().enumerate() {
        let (sin, cos) = libm::sincos(i as f64 * std::f64::consts::PI / 32.0);
        // Boxes are 140 pixels apart.
        let expected = (140.0 + 25.0 + 15.0 * cos, 35.0 - 15.0 * sin);
        assert!(distance((x, y), expected) < 1e-9, "vertex {i}: {x} {y}, not {expected:?}");
    }
}

/// Where `item` goes by sticking, by measuring every side of every outline.
fn stuck(item: &Item, scene: &Scene, index: usize, most: i32) -> (i32, i32) {
    let sides = |outline: &Outline| (0..outline.points().len()).map(|i| outline.segment(i)).collect::<Vec<_>>();
    let own = sides(&Outline::of(item, index));
    let mut chosen: Option<(i32, f64, (Segment, Segment))> = None;
    for old in scene.of(index) {
        let others = sides(&Outline::of(old, index));
        let mut best: Option<(f64, (Segment, Segment))> = None;
        for (&a, &b) in own.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
            let length = segment_distance(a, b);
            if best.is_none_or(|(least, _)| length < least) {
                best = Some((length, (a, b)));
            }
        }
        let (length, pair) = best.expect("outlines have sides");
        if length as i32 <= most && chosen.is_none_or(|(least, ..)| (length as i32) < least) {
            chosen = Some((length as i32, length, pair));
        }
    }
    match chosen {
        Some((_, length, (a, b))) if length > 0.0 => {
            let (p, q) = closest_pair(a, b);
            (q.0 as i32 - p.0 as i32, q.1 as i32 - p.1 as i32)
        }
        _ => (0, 0),
    }
}

/// What is left out as too far away changes nothing: objects of all shapes and sizes stick where they would if all sides
/// were measured.
#[test]
fn objects_stick_to_the_nearest_side_of_all() {
    let mut rng = Rng::new(Seed(354));
    let (mut moved, mut stayed) = (0, 0);
    while moved + stayed < 1_500 {
        let mut item = || {
            let size = *rng.pick(&Size::ALL);
            let most = 101 - size.pixels() as u32;
            let (x, y) = (rng.below(most) as i16, rng.below(most) as i16);
            Item { x, y, shape: *rng.pick(&Shape::ALL), color: Color::Blue, size }
        };
        let (new, others) = (item(), [item(), item(), item()]);
        let index = 1;
        let mut scene = Scene::default();
        for other in others.iter().filter(|other| !overlap(&new, other, index)) {
            scene.push(index, *other);
        }
        let most = if moved % 2 == 0 { 4 } else { 15 };
        let found = stick(&new, &scene, index, most);
        assert_eq!(found, stuck(&new, &scene, index, most), "{new:?} among {:?}", scene.of(index));
        *if found == (0, 0) { &mut stayed } else { &mut moved } += 1;
    }
    assert!(moved > 300 && stayed > 300, "{moved} {stayed}");
}

/// By how much two outlines reach into each other along the direction in which they do least; convex ones are apart if it is
/// negative.
fn reach(a: &Outline, b: &Outline) -> f64 {
    let normals = |outline: &Outline| {
        let normal = |(p, q): Segment| ((q.1 - p.1) / distance(p, q), (p.0 - q.0) / distance(p, q));
        (0..outline.points().len()).map(|i| normal(outline.segment(i))).collect::<Vec<_>>()
    };
    let along = |outline: &Outline, normal: Point| {
        let places = outline.points().iter().map(|p| p.0 * normal.0 + p.1 * normal.1);
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let shared = |normal| {
        let ((low, high), (least, most)) = (along(a, normal), along(b, normal));
        high.min(most) - low.max(least)
    };
    normals(a).into_iter().chain(normals(b)).map(shared).fold(f64::INFINITY, f64::min)
}

/// Objects overlap if no line can be drawn between them, all shapes and sizes.
#[test]
fn objects_overlap_where_no_line_divides_them() {
    let mut rng = Rng::new(Seed(179));
    let (mut over, mut apart) = (0, 0);
    while over + apart < 4_000 {
        let mut item = || {
            let (x, y) = (rng.below(45) as i16, rng.below(45) as i16);
            Item { x, y, shape: *rng.pick(&Shape::ALL), color: Color::Blue, size: *rng.pick(&Size::ALL) }
        };
        let (a, b, index) = (item(), item(), 2);
        let reach = reach(&Outline::of(&a, index), &Outline::of(&b, index));
        // What only just touches is a matter of how areas are measured.
        if reach.abs() < 0.05 {
            continue;
        }
        assert_eq!(overlap(&a, &b, index), reach > 0.0, "{a:?} {b:?}: {reach}");
        *if reach > 0.0 { &mut over } else { &mut apart } += 1;
    }
    assert!(over > 1_000 && apart > 1_000, "{over} {apart}");
}

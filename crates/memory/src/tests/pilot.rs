//! How scripted walkers find their way.

use crate::walker::controls::Walk;
use crate::walker::explorer::{Senses, wander};
use crate::walker::pilot::Chart;
use crate::walker::sight::{FEATURES, RAY, RAYS};
use heldout_core::{Rng, Seed};

#[test]
fn a_way_around_a_corner_is_as_long_as_its_parts() {
    // A wall from the west that leaves the easternmost column open.
    let mut chart = Chart::new(5, 3, 1.0);
    (0..4).for_each(|x| chart.set_open(x, 1, false));
    chart.measure(|x, z| (x, z) == (0, 2));
    let place = chart.middle(0, 0);
    assert_eq!(chart.distance(place), Some(10.0));
    let lead = chart.lead(place).unwrap();
    // Four along the wall, two around its end, four back.
    assert_eq!(chart.left(&lead, place), 10.0);
    assert_eq!(chart.left(&lead, chart.middle(2, 0)), 8.0);
    // From the open column the second corner is in sight.
    assert_eq!(chart.left(&lead, chart.middle(4, 1)), 5.0);
}

#[test]
fn a_lane_must_be_free_on_both_sides() {
    let place = |x: i32, z: i32| Chart::new(5, 5, 1.0).middle(x, z);
    // A cell beside the way, to the north or the south of one that runs east, to the east or the west of one that runs north.
    for (from, to, blocks) in [
        (place(0, 2), place(4, 2), [(2, 1), (2, 3)]),
        (place(4, 2), place(0, 2), [(2, 1), (2, 3)]),
        (place(2, 0), place(2, 4), [(1, 2), (3, 2)]),
        (place(2, 4), place(2, 0), [(1, 2), (3, 2)]),
    ] {
        for (x, z) in blocks {
            for (half, free) in [(0.0, true), (0.4, true), (0.6, false)] {
                let mut chart = Chart::new(5, 5, 1.0).for_lane(half);
                assert!(chart.is_straight(from, to), "nothing is closed");
                chart.set_open(x, z, false);
                assert_eq!(chart.is_straight(from, to), free, "{from:?} to {to:?} past {x}, {z}, half {half}");
            }
        }
    }
}

/// What is beside a slanting way is across it, not along.
#[test]
fn a_slanting_lane_must_be_free_on_both_sides() {
    for (x, z) in [(3, 1), (1, 3)] {
        let closed = |half: f64| {
            let mut chart = Chart::new(5, 5, 1.0).for_lane(half);
            chart.set_open(x, z, false);
            chart
        };
        let (chart, narrow) = (closed(1.2), closed(0.3));
        let (low, high) = (chart.middle(0, 0), chart.middle(4, 4));
        for (from, to) in [(low, high), (high, low)] {
            assert!(!chart.is_straight(from, to) && narrow.is_straight(from, to), "{x}, {z}");
        }
    }
}

#[test]
fn who_wanders_turns_away_from_what_is_near() {
    let senses =
        Senses { unit: 1.0, cell: 1.0, tile: 1.0, reach: 1.0, half: 0.0, turn: 10.0, near: 2.0, visible: true };
    let choose = |near: std::ops::Range<usize>, seed: u64| {
        let mut row = [0.0; FEATURES];
        (0..RAYS).for_each(|ray| row[ray * RAY] = if near.contains(&ray) { 1.5 } else { 9.0 });
        wander(&row, &senses, &mut Rng::new(Seed(seed)))
    };
    for seed in 0..20 {
        assert_eq!(choose(0..1, seed), Walk::ForwardLookRight);
        assert_eq!(choose(RAYS - 1..RAYS, seed), Walk::ForwardLookLeft);
        assert_eq!(choose(RAYS / 2..RAYS / 2 + 1, seed), Walk::LookRight);
    }
    let anywhere: Vec<Walk> = (0..40).map(|seed| choose(0..0, seed)).collect();
    for walk in [Walk::Forward, Walk::ForwardLookLeft, Walk::ForwardLookRight] {
        assert!(anywhere.contains(&walk), "{walk:?}");
    }
}

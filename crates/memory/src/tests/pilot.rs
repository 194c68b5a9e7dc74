//! How scripted walkers find their way.

use crate::walker::pilot::Chart;

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

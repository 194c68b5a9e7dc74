//! Ways through the two rooms, for scripted policies.

use super::layout::{BESIDE_CORRIDOR, BOUNDS};
use crate::walker::body::{Body, RADIUS, Rect};
use crate::walker::controls::Walk;
use crate::walker::pilot::{Chart, bearing, towards};

/// Cells of a chart along a metre.
const FINE: f64 = 4.0;
/// Distance from walls that ways keep beyond the walker's radius.
const CLEARANCE: f64 = 0.05;
/// Degrees within which the walker goes on without turning: half of what a step turns.
pub(super) const STRAIGHT_ON: f64 = 6.0;
/// Degrees beyond which it turns on the spot.
pub(super) const ON_THE_SPOT: f64 = 18.0;

/// The floor, measured from one target, around what is forbidden.
#[derive(Clone, Debug)]
pub(super) struct Route {
    target: (f64, f64),
    chart: Chart,
}

impl Route {
    /// The ways to `target` that avoid `forbidden`. Gates do not count: whoever follows waits at them.
    pub(super) fn new(target: (f64, f64), forbidden: &[Rect]) -> Self {
        let mut chart = Chart::new((BOUNDS.x1 * FINE) as usize, (BOUNDS.z1 * FINE) as usize, 1.0 / FINE);
        let margin = RADIUS + CLEARANCE;
        chart.open_where(|[x, z]| {
            let on_floor = BOUNDS.grown(-margin).contains(x, z);
            on_floor
                && !BESIDE_CORRIDOR.iter().any(|wall| wall.grown(margin).contains(x, z))
                && !forbidden.iter().any(|rect| rect.contains(x, z))
        });
        let (x, z) = chart.cell_of([target.0, target.1]);
        chart.set_open(x, z, true);
        chart.measure(|column, row| (column, row) == (x, z));
        Self { target, chart }
    }

    /// The action that leads `body` on.
    pub(super) fn follow(&self, body: &Body) -> Walk {
        let way = self.chart.waypoint([body.x, body.z]);
        // In the last cell the way leads to the very place.
        let way = way.filter(|&(_, left)| left > 0.0).map_or(self.target, |([x, z], _)| (x, z));
        steer(body, way)
    }
}

/// The action that brings `body` nearer to a point.
pub(super) fn steer(body: &Body, point: (f64, f64)) -> Walk {
    towards(bearing_of(body, point), STRAIGHT_ON, ON_THE_SPOT)
}

/// Degrees from straight ahead to a point, to the right positive.
pub(super) fn bearing_of(body: &Body, (x, z): (f64, f64)) -> f64 {
    bearing(body.yaw, x - body.x, z - body.z)
}

//! Ways through the two rooms on a grid of 0.25 metres, for scripted policies.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::layout::{A_END, B_BEGIN, BOUNDS};
use crate::memory::body::RADIUS;
use crate::memory::{Body, Rect, Walk};

/// Distance between neighbouring points.
const GRID: f64 = 0.25;
const COLUMNS: i32 = 33;
const ROWS: i32 = 89;
/// Cost of a straight and of a diagonal step.
const STRAIGHT: u32 = 10;
const DIAGONAL: u32 = 14;
/// Cost of a point from which the target cannot be reached.
const NEVER: u32 = u32::MAX;
/// Points ahead that the next way-point may be.
const AHEAD: usize = 16;
/// Points ahead that are always made for, clear or not.
const NEXT: usize = 2;
/// How finely a straight line is looked at.
const SAMPLE: f64 = 0.1;
/// Distance from walls that points keep beyond the walker's radius.
const CLEARANCE: f64 = 0.05;
/// Degrees within which the walker goes on without turning: half of what a step turns.
const STRAIGHT_ON: f64 = 6.0;
/// Degrees beyond which it turns on the spot.
const ON_THE_SPOT: f64 = 18.0;

/// Distances of all points from one target, around what is forbidden.
#[derive(Clone, Debug)]
pub(super) struct Route {
    target: (f64, f64),
    forbidden: Vec<Rect>,
    cost: Vec<u32>,
}

impl Route {
    /// The ways to `target` that avoid `forbidden`. Gates do not count: whoever follows waits at them.
    #[must_use]
    pub(super) fn new(target: (f64, f64), forbidden: Vec<Rect>) -> Self {
        let mut route = Self { target, forbidden, cost: vec![NEVER; (COLUMNS * ROWS) as usize] };
        let open: Vec<bool> = (0..COLUMNS * ROWS)
            .map(|i| {
                let (x, z) = place(i % COLUMNS, i / COLUMNS);
                route.is_open(x, z, CLEARANCE)
            })
            .collect();
        let free = |column: i32, row: i32| {
            (0..COLUMNS).contains(&column) && (0..ROWS).contains(&row) && open[(row * COLUMNS + column) as usize]
        };
        let mut queue = BinaryHeap::new();
        let (column, row) = nearest(target);
        for (c, r) in around(column, row, 1).filter(|&(c, r)| free(c, r)) {
            let start = u32::from(c != column || r != row) * STRAIGHT;
            route.cost[(r * COLUMNS + c) as usize] = start;
            queue.push(Reverse((start, r * COLUMNS + c)));
        }
        while let Some(Reverse((cost, node))) = queue.pop() {
            if cost > route.cost[node as usize] {
                continue;
            }
            let (column, row) = (node % COLUMNS, node / COLUMNS);
            for (c, r) in around(column, row, 1) {
                let straight = c == column || r == row;
                // A diagonal does not cut a corner.
                let allowed = free(c, r) && (straight || (free(c, row) && free(column, r)));
                if !allowed {
                    continue;
                }
                let next = cost + if straight { STRAIGHT } else { DIAGONAL };
                let to = (r * COLUMNS + c) as usize;
                if next < route.cost[to] {
                    route.cost[to] = next;
                    queue.push(Reverse((next, to as i32)));
                }
            }
        }
        route
    }

    /// The action that leads `body` on.
    #[must_use]
    pub(super) fn follow(&self, body: &Body) -> Walk {
        steer(body, self.way_point(body.x, body.z))
    }

    /// The farthest point of the way that can be reached straight on.
    fn way_point(&self, x: f64, z: f64) -> (f64, f64) {
        let cost = |(column, row): (i32, i32)| {
            let inside = (0..COLUMNS).contains(&column) && (0..ROWS).contains(&row);
            if inside { self.cost[(row * COLUMNS + column) as usize] } else { NEVER }
        };
        let (column, row) = nearest((x, z));
        let mut at = around(column, row, 2).min_by_key(|&node| cost(node)).unwrap_or((column, row));
        if cost((column, row)) != NEVER {
            at = (column, row);
        }
        let mut best = place(at.0, at.1);
        for i in 0..AHEAD {
            if cost(at) <= STRAIGHT {
                return if i < NEXT || self.is_clear((x, z), self.target) { self.target } else { best };
            }
            let Some(next) = around(at.0, at.1, 1).min_by_key(|&node| cost(node)) else { break };
            at = next;
            let point = place(at.0, at.1);
            // The next few points count in any case: a walker that touches something must get on.
            if i < NEXT || self.is_clear((x, z), point) {
                best = point;
            }
        }
        best
    }

    /// Whether the walker can stand here, `clearance` away from walls, in nothing forbidden.
    fn is_open(&self, x: f64, z: f64, clearance: f64) -> bool {
        let margin = RADIUS + clearance;
        let in_corridor = (A_END - margin..=B_BEGIN + margin).contains(&z);
        let (west, east) = if in_corridor { (3.0, 5.0) } else { (BOUNDS.x0, BOUNDS.x1) };
        let across = (west + margin..=east - margin).contains(&x);
        let along = (BOUNDS.z0 + margin..=BOUNDS.z1 - margin).contains(&z);
        across && along && !self.forbidden.iter().any(|rect| rect.contains(x, z))
    }

    /// Whether the straight line is free.
    fn is_clear(&self, from: (f64, f64), to: (f64, f64)) -> bool {
        let (dx, dz) = (to.0 - from.0, to.1 - from.1);
        let samples = ((dx * dx + dz * dz).sqrt() / SAMPLE).ceil().max(1.0);
        (1..=samples as u32).all(|i| {
            let share = f64::from(i) / samples;
            self.is_open(from.0 + dx * share, from.1 + dz * share, 0.0)
        })
    }
}

fn place(column: i32, row: i32) -> (f64, f64) {
    (f64::from(column) * GRID, f64::from(row) * GRID)
}

fn nearest((x, z): (f64, f64)) -> (i32, i32) {
    ((x / GRID + 0.5).floor() as i32, (z / GRID + 0.5).floor() as i32)
}

/// The points up to `reach` columns and rows away, itself included.
fn around(column: i32, row: i32, reach: i32) -> impl Iterator<Item = (i32, i32)> {
    (-reach..=reach).flat_map(move |dz| (-reach..=reach).map(move |dx| (column + dx, row + dz)))
}

/// The action that brings `body` nearer to a point.
#[must_use]
pub(super) fn steer(body: &Body, (x, z): (f64, f64)) -> Walk {
    let off = bearing(body, x, z);
    match (off.abs(), off < 0.0) {
        (size, _) if size <= STRAIGHT_ON => Walk::Forward,
        (size, true) if size <= ON_THE_SPOT => Walk::ForwardLookLeft,
        (size, false) if size <= ON_THE_SPOT => Walk::ForwardLookRight,
        (_, true) => Walk::LookLeft,
        (_, false) => Walk::LookRight,
    }
}

/// Degrees from straight ahead to a point, to the right positive.
#[must_use]
pub(super) fn bearing(body: &Body, x: f64, z: f64) -> f64 {
    let (sin, cos) = body.ahead();
    let (dx, dz) = (x - body.x, z - body.z);
    libm::atan2(dx * cos - dz * sin, dx * sin + dz * cos).to_degrees()
}

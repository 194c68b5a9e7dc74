//! How scripted walkers find their way: a chart of the floor, and a choice among the eight actions.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::controls::Walk;

/// Cost of a step to the next cell, straight and diagonal.
const STRAIGHT: u32 = 10;
const DIAGONAL: u32 = 14;
/// The cost of a cell from which there is no way.
const FAR: u32 = u32::MAX;
/// Cells ahead at which a straight way is looked for.
const HORIZON: usize = 64;

/// Places at which a straight way is looked at: more than the longest on any floor needs.
const MOST_SAMPLES: f64 = 4096.0;

/// A floor in cells: where a walker may be, and how far each cell is from where it wants to be.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    columns: i32,
    rows: i32,
    cell: f64,
    open: Vec<bool>,
    cost: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, i32)>>,
    /// Half the width of the lane that a straight way needs.
    half: f64,
}

impl Chart {
    /// A floor of `columns` by `rows` cells of side `cell`, all open.
    pub(crate) fn new(columns: usize, rows: usize, cell: f64) -> Self {
        let count = columns * rows;
        Self {
            columns: columns as i32,
            rows: rows as i32,
            cell,
            open: vec![true; count],
            cost: vec![FAR; count],
            heap: BinaryHeap::new(),
            half: 0.0,
        }
    }

    /// The same for a walker that needs a lane of twice `half`, where cells are not already closed around walls.
    pub(crate) fn for_lane(self, half: f64) -> Self {
        Self { half, ..self }
    }

    /// The middle of a cell.
    pub(crate) fn middle(&self, x: i32, z: i32) -> [f64; 2] {
        [(f64::from(x) + 0.5) * self.cell, (f64::from(z) + 0.5) * self.cell]
    }

    /// The cell of a place.
    pub(crate) fn cell_of(&self, [x, z]: [f64; 2]) -> (i32, i32) {
        let cell = |at: f64, count: i32| ((at / self.cell).floor() as i32).clamp(0, count - 1);
        (cell(x, self.columns), cell(z, self.rows))
    }

    fn index(&self, x: i32, z: i32) -> Option<usize> {
        let inside = (0..self.columns).contains(&x) && (0..self.rows).contains(&z);
        inside.then_some((z * self.columns + x) as usize)
    }

    /// Whether a cell is on the floor and open.
    pub(crate) fn is_open(&self, x: i32, z: i32) -> bool {
        self.index(x, z).is_some_and(|i| self.open[i])
    }

    /// Opens the cells whose middles `open` holds for, and closes all others.
    pub(crate) fn open_where(&mut self, open: impl Fn([f64; 2]) -> bool) {
        for (x, z) in self.all() {
            self.set_open(x, z, open(self.middle(x, z)));
        }
    }

    /// All cells, row by row.
    pub(crate) fn all(&self) -> impl Iterator<Item = (i32, i32)> + use<> {
        let columns = self.columns;
        (0..self.rows).flat_map(move |z| (0..columns).map(move |x| (x, z)))
    }

    /// Opens or closes a cell.
    pub(crate) fn set_open(&mut self, x: i32, z: i32, open: bool) {
        if let Some(i) = self.index(x, z) {
            self.open[i] = open;
        }
    }

    /// Measures how far every cell is from the nearest of those that `wanted` holds for.
    pub(crate) fn measure(&mut self, wanted: impl Fn(i32, i32) -> bool) {
        self.cost.fill(FAR);
        self.heap.clear();
        for (x, z) in self.all().filter(|&(x, z)| wanted(x, z)) {
            let index = z * self.columns + x;
            self.cost[index as usize] = 0;
            self.heap.push(Reverse((0, index)));
        }
        while let Some(Reverse((cost, index))) = self.heap.pop() {
            if self.cost[index as usize] < cost {
                continue;
            }
            let (x, z) = (index % self.columns, index / self.columns);
            for (dx, dz, more) in ways() {
                if !self.passes(x, z, dx, dz) {
                    continue;
                }
                let to = ((z + dz) * self.columns + x + dx) as usize;
                if cost + more < self.cost[to] {
                    self.cost[to] = cost + more;
                    self.heap.push(Reverse((cost + more, to as i32)));
                }
            }
        }
    }

    /// Whether a step leads to an open cell without cutting a corner.
    fn passes(&self, x: i32, z: i32, dx: i32, dz: i32) -> bool {
        self.is_open(x + dx, z + dz) && (dx == 0 || dz == 0 || (self.is_open(x + dx, z) && self.is_open(x, z + dz)))
    }

    /// How far a place is from what was wanted, along the cells; `None` if there is no way.
    pub(crate) fn distance(&self, place: [f64; 2]) -> Option<f64> {
        let (x, z) = self.nearest(place)?;
        self.distance_at(x, z)
    }

    /// How far a cell is from what was wanted; `None` if there is no way.
    pub(crate) fn distance_at(&self, x: i32, z: i32) -> Option<f64> {
        let cost = self.index(x, z).map_or(FAR, |i| self.cost[i]);
        (cost != FAR).then(|| f64::from(cost) / f64::from(STRAIGHT) * self.cell)
    }

    /// The nearest cell, among those around, from which there is a way.
    fn nearest(&self, place: [f64; 2]) -> Option<(i32, i32)> {
        let (x, z) = self.cell_of(place);
        let near = (-2..=2).flat_map(|dz| (-2..=2).map(move |dx| (x + dx, z + dz)));
        let led = near.filter(|&(x, z)| self.index(x, z).is_some_and(|i| self.cost[i] != FAR));
        let apart = |&(x, z): &(i32, i32)| {
            let [mx, mz] = self.middle(x, z);
            let (dx, dz) = (mx - place[0], mz - place[1]);
            // In thousandths of a cell, so that it can be ordered.
            ((dx * dx + dz * dz) / (self.cell * self.cell) * 1000.0) as u64
        };
        led.min_by_key(apart)
    }

    /// The farthest place on the way from `place` that a straight line leads to, and its distance from what was wanted.
    pub(crate) fn waypoint(&self, place: [f64; 2]) -> Option<([f64; 2], f64)> {
        let (mut x, mut z) = self.nearest(place)?;
        let mut best = (x, z);
        for _ in 0..HORIZON {
            let cost = |x: i32, z: i32| self.index(x, z).map_or(FAR, |i| self.cost[i]);
            if cost(x, z) == 0 {
                break;
            }
            let steps = ways().filter(|&(dx, dz, _)| self.passes(x, z, dx, dz));
            let Some((dx, dz, _)) = steps.min_by_key(|&(dx, dz, more)| cost(x + dx, z + dz).saturating_add(more))
            else {
                break;
            };
            (x, z) = (x + dx, z + dz);
            if self.is_straight(place, self.middle(x, z)) {
                best = (x, z);
            }
        }
        Some((self.middle(best.0, best.1), self.distance_at(best.0, best.1)?))
    }

    /// The way from `place`, as far as its second corner.
    pub(crate) fn lead(&self, place: [f64; 2]) -> Option<Lead> {
        let (first, _) = self.waypoint(place)?;
        let (second, rest) = self.waypoint(first)?;
        Some(Lead { first, second, rest })
    }

    /// How far it is from `place` along `lead`, which began nearby.
    pub(crate) fn left(&self, lead: &Lead, place: [f64; 2]) -> f64 {
        // Who sees the second corner already need not touch the first.
        let way = if self.is_straight(place, lead.second) {
            apart(place, lead.second)
        } else {
            apart(place, lead.first) + apart(lead.first, lead.second)
        };
        way + lead.rest
    }

    /// Whether a straight lane runs over open cells alone, but for those it begins in.
    pub(crate) fn is_straight(&self, from: [f64; 2], to: [f64; 2]) -> bool {
        let length = apart(from, to);
        if self.half == 0.0 || length == 0.0 {
            return self.is_line(from, to);
        }
        let (aside_x, aside_z) = (self.half * (to[1] - from[1]) / length, self.half * (from[0] - to[0]) / length);
        [-1.0, 1.0].into_iter().all(|side| {
            let beside = |place: [f64; 2]| [place[0] + side * aside_x, place[1] + side * aside_z];
            self.is_line(beside(from), beside(to))
        })
    }

    fn is_line(&self, from: [f64; 2], to: [f64; 2]) -> bool {
        let (dx, dz) = (to[0] - from[0], to[1] - from[1]);
        let first = self.cell_of(from);
        let steps = (apart(from, to) / self.cell * 3.0).ceil().clamp(1.0, MOST_SAMPLES);
        (1..=steps as i32).all(|i| {
            let share = f64::from(i) / steps;
            let (x, z) = self.cell_of([from[0] + share * dx, from[1] + share * dz]);
            (x, z) == first || self.is_open(x, z)
        })
    }
}

/// The next two corners of a way, and how far it is from the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lead {
    first: [f64; 2],
    second: [f64; 2],
    rest: f64,
}

/// The distance between two places.
pub(crate) fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dz) = (a[0] - b[0], a[1] - b[1]);
    (dx * dx + dz * dz).sqrt()
}

/// The eight steps and their costs.
fn ways() -> impl Iterator<Item = (i32, i32, u32)> {
    let all = (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (dx, dz)));
    all.filter(|&way| way != (0, 0)).map(|(dx, dz)| (dx, dz, if dx == 0 || dz == 0 { STRAIGHT } else { DIAGONAL }))
}

/// The action after which a walker is best off, by trying each and each other after it.
///
/// `step` carries a walker through one action, `cost` says how far it is from where it wants to be: zero is there.
pub(crate) fn choose<B: Copy>(body: B, step: impl Fn(&mut B, Walk), cost: impl Fn(&B) -> f64) -> Walk {
    let mut best = (f64::INFINITY, Walk::Forward);
    for first in Walk::ALL {
        let mut once = body;
        step(&mut once, first);
        let near = cost(&once);
        if near == 0.0 {
            return first;
        }
        for second in Walk::ALL {
            let mut then = once;
            step(&mut then, second);
            let sum = near + cost(&then);
            if sum < best.0 {
                best = (sum, first);
            }
        }
    }
    best.1
}

/// The action that turns towards a bearing, in degrees to the right: ahead alone within `straight`, on the spot beyond
/// `spot`, in a curve between them.
pub(crate) fn towards(bearing: f64, straight: f64, spot: f64) -> Walk {
    match (bearing.abs(), bearing > 0.0) {
        (size, _) if size <= straight => Walk::Forward,
        (size, true) if size <= spot => Walk::ForwardLookRight,
        (size, false) if size <= spot => Walk::ForwardLookLeft,
        (_, true) => Walk::LookRight,
        (_, false) => Walk::LookLeft,
    }
}

/// Degrees to the right from a yaw, in degrees, to what lies `east` and `north`.
pub(crate) fn bearing(yaw: f64, east: f64, north: f64) -> f64 {
    let degrees = libm::atan2(east, north).to_degrees() - yaw;
    super::body::wrap(degrees + 180.0) - 180.0
}

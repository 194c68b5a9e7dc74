//! Walkers that know only what they are shown: one that draws a map, one that remembers nothing.

use heldout_core::Rng;

use super::controls::Walk;
use super::pilot::{Chart, apart, bearing, towards};
use super::sight::{Fan, GOAL, POSE, RAY, RAYS, REWARD};
use crate::maze::plan::index_in;

/// Cells of the map along a side.
const CELLS: usize = 52;
/// Steps between two looks at the map.
const PATIENCE: u32 = 4;
/// Steps without moving after which it steps aside.
const STUCK: u32 = 3;
/// Steps without coming nearer after which a target is dropped.
const STALLED: u32 = 20;
/// Parts of a step between two poses that are looked at for what was walked on.
const PARTS: i32 = 4;

/// How a task's numbers are to be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Senses {
    /// World units that are written as one.
    pub(crate) unit: f64,
    /// World units of a cell of the map.
    pub(crate) cell: f64,
    /// World units of the tiles that goals lie on.
    pub(crate) tile: f64,
    /// World units from a tile's middle, along both axes, within which a goal on it is reached.
    pub(crate) reach: f64,
    /// World units of half the lane that the walker needs.
    pub(crate) half: f64,
    /// Degrees that a step turns.
    pub(crate) turn: f64,
    /// World units of free way ahead below which it is narrow.
    pub(crate) near: f64,
    /// Whether the goal can be seen: then it is enough to have looked, else every tile must be walked on.
    pub(crate) visible: bool,
}

impl Senses {
    /// The action that turns towards a bearing and walks if it is about ahead.
    fn towards(&self, bearing: f64) -> Walk {
        towards(bearing, 0.6 * self.turn, 50.0)
    }
}

/// Where the walker is, as the observation says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pose {
    place: [f64; 2],
    sin: f64,
    cos: f64,
}

impl Pose {
    fn yaw(&self) -> f64 {
        libm::atan2(self.sin, self.cos).to_degrees()
    }

    /// Degrees to the right to `place`.
    fn bearing(&self, place: [f64; 2]) -> f64 {
        bearing(self.yaw(), place[0] - self.place[0], place[1] - self.place[1])
    }
}

/// Draws a map, sweeps what it has not walked yet, and goes back to where the goal was.
#[derive(Clone, Debug)]
pub(crate) struct Explorer {
    senses: Senses,
    fan: Fan,
    chart: Chart,
    /// How often each cell looked solid and free, and whether the walker stood on it.
    solid: Vec<u16>,
    free: Vec<u16>,
    stood: Vec<bool>,
    /// Whether a cell need not be swept: a goal on its tile would have been reached, or there was no getting there.
    walked: Vec<bool>,
    /// Whether looking was not enough and every tile is to be walked.
    thorough: bool,
    goal: Option<[f64; 2]>,
    /// The cell that is swept next.
    target: Option<(i32, i32)>,
    last: Option<Pose>,
    still: u32,
    aside: u32,
    age: u32,
    tries: u32,
    /// Where the walker is on its way to, the least way that was left, and the steps since.
    aim: Option<[f64; 2]>,
    least: f64,
    waited: u32,
}

impl Explorer {
    /// Knows nothing yet.
    pub(crate) fn new(senses: Senses) -> Self {
        let none = vec![0; CELLS * CELLS];
        let mut chart = Chart::new(CELLS, CELLS, senses.cell).for_lane(senses.half);
        chart.open_where(|_| false);
        Self {
            senses,
            fan: Fan::default(),
            chart,
            solid: none.clone(),
            free: none,
            stood: vec![false; CELLS * CELLS],
            walked: vec![false; CELLS * CELLS],
            thorough: false,
            goal: None,
            target: None,
            last: None,
            still: 0,
            aside: 0,
            age: 0,
            tries: 0,
            aim: None,
            least: f64::INFINITY,
            waited: 0,
        }
    }

    /// The action after seeing `row`.
    pub(crate) fn act(&mut self, row: &[f32], rng: &mut Rng) -> Walk {
        let unit = self.senses.unit;
        let [x, z, sin, cos] = [0, 1, 2, 3].map(|i| f64::from(row[POSE + i]));
        let pose = Pose { place: [x * unit, z * unit], sin, cos };
        self.find_goal(row, &pose);
        self.look(row, &pose);
        let last = self.last.replace(pose);
        let moved = last.is_none_or(|last| apart(last.place, pose.place) > 0.02 * self.senses.tile);
        self.still = if moved { 0 } else { self.still + 1 };
        if self.still > 12 {
            (self.still, self.aside) = (0, 1 + rng.below(4));
        }
        if self.aside > 0 {
            self.aside -= 1;
            return *rng.pick(&[Walk::StrafeLeft, Walk::StrafeRight, Walk::Backward]);
        }
        self.plan(&pose);
        if self.is_stalled(&pose) {
            self.drop_target(&pose, rng);
            self.plan(&pose);
        }
        let Some((way, _)) = self.chart.waypoint(pose.place) else {
            // Nothing is known around: look about.
            return Walk::LookRight;
        };
        let at_way = apart(way, pose.place) < 0.3 * self.senses.cell;
        let goal = self.goal.filter(|&goal| at_way || apart(goal, pose.place) < self.senses.tile);
        let walk = self.senses.towards(pose.bearing(goal.unwrap_or(way)));
        // A turn on the spot is no sign of a wall.
        if matches!(walk, Walk::LookLeft | Walk::LookRight) {
            self.still = 0;
        } else if self.still >= STUCK {
            (self.still, self.aside) = (0, 2);
        }
        walk
    }

    /// The cell that is swept next.
    #[cfg(test)]
    pub(crate) fn target(&self) -> Option<(i32, i32)> {
        self.target
    }

    /// Whether a cell need not be swept any more.
    #[cfg(test)]
    pub(crate) fn has_walked(&self, x: i32, z: i32) -> bool {
        index(x, z).is_some_and(|i| self.walked[i])
    }

    /// Notes where the goal is, as it is seen or paid for.
    fn find_goal(&mut self, row: &[f32], pose: &Pose) {
        let Senses { unit, tile, .. } = self.senses;
        if row[GOAL] > 0.0 {
            let [right, ahead, distance] = [1, 2, 3].map(|i| f64::from(row[GOAL + i]));
            let reach = distance * unit;
            let east = reach * (ahead * pose.sin + right * pose.cos);
            let north = reach * (ahead * pose.cos - right * pose.sin);
            self.goal = Some([pose.place[0] + east, pose.place[1] + north]);
            return;
        }
        if row[REWARD] > 0.0 {
            // Where it was paid, unless it was carried away at once.
            let paid = self
                .last
                .map_or(pose.place, |last| if apart(last.place, pose.place) < tile { pose.place } else { last.place });
            // What was seen is where it is. Where a touch is enough, the place itself is as good as its tile.
            let touch = 2.0 * self.senses.reach > tile;
            if self.goal.is_none() || !self.senses.visible {
                self.goal = Some(if touch { paid } else { paid.map(|v| ((v / tile).floor() + 0.5) * tile) });
            }
            (self.tries, self.aim) = (0, None);
            return;
        }
        let there = self.goal.is_some_and(|goal| apart(goal, pose.place) < 0.2 * tile);
        self.tries += u32::from(there);
        if self.tries > 3 {
            self.forget_goal();
        }
    }

    /// The goal is not quite where it was taken to be: sweeps the neighbourhood again.
    fn forget_goal(&mut self) {
        self.tries = 0;
        let Some(goal) = self.goal.take() else { return };
        let (x, z) = self.chart.cell_of(goal);
        for (dx, dz) in (-4..=4).flat_map(|dz| (-4..=4).map(move |dx| (dx, dz))) {
            if let Some(i) = index(x + dx, z + dz) {
                self.walked[i] = false;
            }
        }
    }

    /// Whether the walker has come no nearer to what it is on its way to for too long.
    fn is_stalled(&mut self, pose: &Pose) -> bool {
        let aim = self.goal.or_else(|| self.target.map(|(x, z)| self.chart.middle(x, z)));
        // What is seen again from elsewhere is not quite where it was.
        let same = match (aim, self.aim) {
            (Some(aim), Some(last)) => apart(aim, last) < 0.5 * self.senses.tile,
            (None, None) => true,
            _ => false,
        };
        let left = self.chart.distance(pose.place).unwrap_or(f64::INFINITY);
        if !same || left < self.least - 0.01 * self.senses.tile {
            (self.aim, self.least, self.waited) = (aim, left, 0);
        } else {
            self.waited += 1;
        }
        aim.is_some() && self.waited >= STALLED
    }

    /// Gives up what the walker is on its way to, a target for this sweep, a goal at the third time; and takes what is
    /// ahead for solid, unless it stood there.
    fn drop_target(&mut self, pose: &Pose, rng: &mut Rng) {
        (self.waited, self.least, self.aside) = (0, f64::INFINITY, 2 + rng.below(4));
        let cell = self.senses.cell;
        let (x, z) = self.chart.cell_of([pose.place[0] + cell * pose.sin, pose.place[1] + cell * pose.cos]);
        if let Some(i) = index(x, z)
            && !self.stood[i]
        {
            self.solid[i] = self.solid[i].max(self.free[i]).saturating_add(1);
            self.chart.set_open(x, z, false);
        }
        if let Some((x, z)) = self.target.take()
            && let Some(i) = index(x, z)
        {
            self.walked[i] = true;
        }
        if self.goal.is_some() {
            self.tries += 1;
            if self.tries > 3 {
                self.forget_goal();
            }
        }
    }

    /// Enters what the rays show into the map.
    fn look(&mut self, row: &[f32], pose: &Pose) {
        let cell = self.senses.cell;
        for ray in 0..RAYS {
            let distance = f64::from(row[ray * RAY]) * self.senses.unit;
            let (sin, cos) = self.fan.turn(ray);
            let (east, north) = (pose.sin * cos + pose.cos * sin, pose.cos * cos - pose.sin * sin);
            let at = |reach: f64| [pose.place[0] + reach * east, pose.place[1] + reach * north];
            let steps = (distance / (0.4 * cell)) as i32;
            for step in 0..=steps {
                let [x, z] = at((f64::from(step) * 0.4 * cell).min(distance - 0.02 * cell));
                self.enter(x, z, false);
            }
            let [x, z] = at(distance + 0.02 * cell);
            self.enter(x, z, true);
        }
        let (x, z) = self.chart.cell_of(pose.place);
        if let Some(i) = index(x, z) {
            self.stood[i] = true;
            self.free[i] = self.free[i].max(1);
            self.chart.set_open(x, z, true);
        }
        // A walker that was put elsewhere walked on nothing between.
        let before = self.last.map(|last| last.place).filter(|&last| apart(last, pose.place) < self.senses.tile);
        for part in 0..PARTS {
            let share = f64::from(part) / f64::from(PARTS);
            let from = before.unwrap_or(pose.place);
            self.tread([0, 1].map(|axis| pose.place[axis] + share * (from[axis] - pose.place[axis])));
        }
    }

    /// Notes that a goal on the tiles around a place would have been reached.
    fn tread(&mut self, place: [f64; 2]) {
        let Senses { cell, tile, reach, .. } = self.senses;
        let (x, z) = self.chart.cell_of(place);
        let around = ((reach + tile) / cell).ceil() as i32;
        let met = |at: f64, place: f64| (((at / tile).floor() + 0.5) * tile - place).abs() <= reach;
        for (x, z) in (z - around..=z + around).flat_map(|z| (x - around..=x + around).map(move |x| (x, z))) {
            let middle = self.chart.middle(x, z);
            if let Some(i) = index(x, z)
                && met(middle[0], place[0])
                && met(middle[1], place[1])
            {
                self.walked[i] = true;
            }
        }
    }

    fn enter(&mut self, x: f64, z: f64, solid: bool) {
        let cell = |at: f64| (at / self.senses.cell).floor() as i32;
        let (x, z) = (cell(x), cell(z));
        let Some(i) = index(x, z) else { return };
        let count = if solid { &mut self.solid[i] } else { &mut self.free[i] };
        *count = count.saturating_add(1);
        self.chart.set_open(x, z, self.free[i] > 0 && (!self.is_solid(i) || self.stood[i]));
    }

    /// Whether a cell is solid, as far as can be told: a ray that meets the end of a wall may point past it.
    fn is_solid(&self, i: usize) -> bool {
        u32::from(self.solid[i]) * 3 > u32::from(self.free[i])
    }

    /// Measures the map from the goal, or from what is to be swept next.
    fn plan(&mut self, pose: &Pose) {
        self.age += 1;
        let done = self.goal.is_none() && self.target.is_none_or(|(x, z)| !self.is_left(x, z));
        if !done && !self.age.is_multiple_of(PATIENCE) {
            return;
        }
        if let Some(goal) = self.goal.map(|goal| self.chart.cell_of(goal)) {
            self.chart.measure(|x, z| (x, z) == goal);
            if self.chart.distance(pose.place).is_some() {
                return;
            }
        }
        if let Some(target) = self.target.filter(|&(x, z)| self.is_left(x, z)) {
            self.chart.measure(|x, z| (x, z) == target);
            if self.chart.distance(pose.place).is_some() {
                return;
            }
        }
        self.target = self.next_target(pose);
        match self.target {
            Some(target) => self.chart.measure(|x, z| (x, z) == target),
            None if self.senses.visible && !self.thorough => self.thorough = true,
            // All is swept: begin again.
            None => self.walked.fill(false),
        }
    }

    /// Whether a cell is still to be swept.
    fn is_left(&self, x: i32, z: i32) -> bool {
        let Some(i) = index(x, z) else { return false };
        let unknown = |x, z| index(x, z).is_some_and(|i| self.free[i] == 0 && self.solid[i] == 0);
        let edge = || unknown(x + 1, z) || unknown(x - 1, z) || unknown(x, z + 1) || unknown(x, z - 1);
        self.chart.is_open(x, z) && !self.walked[i] && (!self.senses.visible || self.thorough || edge())
    }

    /// The nearest cell to sweep; what is ahead is nearer than what is behind.
    fn next_target(&mut self, pose: &Pose) -> Option<(i32, i32)> {
        let here = self.chart.cell_of(pose.place);
        self.chart.measure(|x, z| (x, z) == here);
        let mut best = (f64::INFINITY, None);
        for (x, z) in self.chart.all() {
            let Some(distance) = self.chart.distance_at(x, z) else { continue };
            if self.is_left(x, z) {
                let turn = pose.bearing(self.chart.middle(x, z)).abs();
                let effort = distance + self.senses.tile * turn / 60.0;
                if effort < best.0 {
                    best = (effort, Some((x, z)));
                }
            }
        }
        best.1
    }
}

fn index(x: i32, z: i32) -> Option<usize> {
    index_in(CELLS as u8, x, z)
}

/// The action of a walker without memory: to a goal in view, else ahead, and aside where it is narrow.
pub(crate) fn wander(row: &[f32], senses: &Senses, rng: &mut Rng) -> Walk {
    if row[GOAL] > 0.0 {
        let degrees = libm::atan2(f64::from(row[GOAL + 1]), f64::from(row[GOAL + 2])).to_degrees();
        return senses.towards(degrees);
    }
    let least = |rays: std::ops::Range<usize>| {
        rays.map(|i| f64::from(row[i * RAY]) * senses.unit).fold(f64::INFINITY, f64::min)
    };
    let third = RAYS / 3;
    let (left, ahead, right) = (least(0..third), least(third..RAYS - third), least(RAYS - third..RAYS));
    if ahead < senses.near {
        // Always the same way round, or it would turn to and fro in a corner.
        return Walk::LookRight;
    }
    match (left < senses.near, right < senses.near) {
        (true, false) => Walk::ForwardLookRight,
        (false, true) => Walk::ForwardLookLeft,
        _ => *rng.pick(&[Walk::Forward, Walk::Forward, Walk::ForwardLookLeft, Walk::ForwardLookRight]),
    }
}

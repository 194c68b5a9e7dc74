//! What is kept of the ways to a goal: how long each took, and the route for a map. None of it is ever observed.

use heldout_core::Metric;
use heldout_core::check::{all_within, within};
use serde::{Deserialize, Serialize};

use super::clock::TICKS_PER_STEP;

/// Trips whose lengths are reported.
pub(crate) const REPORTED: usize = 10;
/// Ticks between two points of the route.
const STRIDE: u32 = 16;
/// Points of the route at the most.
const CAPACITY: usize = 1024;
/// Stands between two trips in the route.
const BREAK: [i16; 2] = [i16::MIN; 2];
const REACHED: [&str; REPORTED] = [
    "reached_1",
    "reached_2",
    "reached_3",
    "reached_4",
    "reached_5",
    "reached_6",
    "reached_7",
    "reached_8",
    "reached_9",
    "reached_10",
];

/// The trips of an episode: each begins where the walker is put and ends at the goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Trips {
    /// Arrivals so far.
    pub(crate) goals: u32,
    /// Ticks of the present trip.
    pub(crate) ticks: u32,
    lengths: [u32; REPORTED],
    route: Vec<[i16; 2]>,
}

impl Trips {
    /// Reserves what an episode needs.
    pub(crate) fn reserve(&mut self) {
        self.route.reserve_exact(CAPACITY.saturating_sub(self.route.len()));
    }

    /// Checks that so many ticks could have been spent on them.
    pub(crate) fn check(&self, ticks: u32) -> Result<(), String> {
        within("goals", self.goals, 0..=ticks)?;
        within("trip", self.ticks, 0..=ticks)?;
        all_within("trip", self.lengths, &(0..=ticks))?;
        within("route", self.route.len(), 0..=CAPACITY)
    }

    /// Forgets all trips.
    pub(crate) fn restart(&mut self, place: [f64; 2]) {
        (self.goals, self.ticks, self.lengths) = (0, 0, [0; REPORTED]);
        self.route.clear();
        self.record(place);
    }

    /// Begins another trip at `place`.
    pub(crate) fn begin(&mut self, place: [f64; 2]) {
        self.ticks = 0;
        self.push(BREAK);
        self.record(place);
    }

    /// One more tick, which has led to `place`. Whether it belongs to a trip is `counts`.
    pub(crate) fn tick(&mut self, tick: u32, place: [f64; 2], counts: bool) {
        self.ticks += u32::from(counts);
        if tick.is_multiple_of(STRIDE) {
            self.record(place);
        }
    }

    /// One more step, of a task without ticks, which has led to `place`.
    pub(crate) fn step(&mut self, place: [f64; 2]) {
        self.ticks += TICKS_PER_STEP;
        self.record(place);
    }

    /// The goal is reached at `place`.
    pub(crate) fn arrive(&mut self, place: [f64; 2]) {
        if let Some(length) = self.lengths.get_mut(self.goals as usize) {
            *length = self.ticks;
        }
        self.goals += 1;
        self.record(place);
    }

    fn record(&mut self, [x, z]: [f64; 2]) {
        self.push([x as i16, z as i16]);
    }

    fn push(&mut self, point: [i16; 2]) {
        if self.route.len() < CAPACITY {
            self.route.push(point);
        }
    }

    /// The routes of all trips, in the units of the places that were given.
    pub(crate) fn routes(&self) -> impl Iterator<Item = &[[i16; 2]]> {
        self.route.split(|point| *point == BREAK)
    }

    /// The metrics that [`Trips::write`] writes.
    pub(crate) fn metrics() -> Vec<Metric> {
        let mut metrics = vec![Metric::episode("goals")];
        metrics.extend(REACHED.map(Metric::share));
        let arrival = |k| Metric::episode(format!("arrival_{}", k + 1)).weighed_by(REACHED[k]);
        metrics.extend((0..REPORTED).map(arrival));
        metrics.push(Metric::episode("side"));
        metrics
    }

    /// Writes the metrics of a world of this side.
    pub(crate) fn write(&self, side: u8, values: &mut [f32]) {
        let (goals, values) = values.split_at_mut(1);
        let (reached, values) = values.split_at_mut(REPORTED);
        let (arrivals, values) = values.split_at_mut(REPORTED);
        goals[0] = self.goals as f32;
        for (k, (reached, arrival)) in reached.iter_mut().zip(arrivals).enumerate() {
            *reached = f32::from(self.goals as usize > k);
            *arrival = self.lengths[k].div_ceil(TICKS_PER_STEP) as f32;
        }
        values[0] = f32::from(side);
    }
}

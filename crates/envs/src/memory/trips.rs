//! What is kept of the ways to a goal: how long each took, and the route for a map. None of it is ever observed.

use heldout_core::Metric;
use serde::{Deserialize, Serialize};

use super::body::TICKS_PER_STEP;

/// Trips whose lengths are reported.
pub const REPORTED: usize = 10;
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
pub struct Trips {
    /// Arrivals so far.
    pub goals: u32,
    /// Ticks of the present trip.
    pub ticks: u32,
    lengths: [u32; REPORTED],
    route: Vec<[i16; 2]>,
}

impl Trips {
    /// Reserves what an episode needs.
    pub fn reserve(&mut self) {
        self.route.reserve_exact(CAPACITY.saturating_sub(self.route.len()));
    }

    /// Forgets all trips.
    pub fn restart(&mut self, place: [f64; 2]) {
        (self.goals, self.ticks, self.lengths) = (0, 0, [0; REPORTED]);
        self.route.clear();
        self.record(place);
    }

    /// Begins another trip at `place`.
    pub fn begin(&mut self, place: [f64; 2]) {
        self.ticks = 0;
        self.push(BREAK);
        self.record(place);
    }

    /// One more tick, which has led to `place`. Whether it belongs to a trip is `counts`.
    pub fn tick(&mut self, tick: u32, place: [f64; 2], counts: bool) {
        self.ticks += u32::from(counts);
        if tick.is_multiple_of(STRIDE) {
            self.record(place);
        }
    }

    /// One more step, of a task without ticks, which has led to `place`.
    pub fn step(&mut self, place: [f64; 2]) {
        self.ticks += TICKS_PER_STEP;
        self.record(place);
    }

    /// The goal is reached at `place`.
    pub fn arrive(&mut self, place: [f64; 2]) {
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
    pub fn routes(&self) -> impl Iterator<Item = &[[i16; 2]]> {
        self.route.split(|point| *point == BREAK)
    }

    /// Steps from the start of trip `k`, from zero, to the goal; zero if there was no such arrival.
    #[must_use]
    pub fn steps(&self, k: usize) -> u32 {
        self.lengths[k].div_ceil(TICKS_PER_STEP)
    }

    /// The metrics that [`Trips::write`] writes.
    #[must_use]
    pub fn metrics() -> Vec<Metric> {
        let mut metrics = vec![Metric::episode("goals")];
        metrics.extend(REACHED.map(Metric::episode));
        let arrival = |k| Metric::episode(format!("arrival_{}", k + 1)).weighed_by(REACHED[k]);
        metrics.extend((0..REPORTED).map(arrival));
        metrics
    }

    /// Writes the metrics and returns what is left of `values`.
    pub fn write<'a>(&self, values: &'a mut [f32]) -> &'a mut [f32] {
        let (goals, values) = values.split_at_mut(1);
        let (reached, values) = values.split_at_mut(REPORTED);
        let (arrivals, values) = values.split_at_mut(REPORTED);
        goals[0] = self.goals as f32;
        for (k, (reached, arrival)) in reached.iter_mut().zip(arrivals).enumerate() {
            *reached = f32::from(self.goals as usize > k);
            *arrival = self.steps(k) as f32;
        }
        values
    }
}

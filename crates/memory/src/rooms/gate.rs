//! The two gates of the corridor.
//!
//! A gate opens by sinking into the floor and closes by rising from it. It stands in the way from the tick it begins to
//! rise until the tick it has sunk altogether, so there is no way past a gate that is not open.

use heldout_core::check::{all_within, that};
use serde::{Deserialize, Serialize};

use super::layout::{CORRIDOR, WALL_HEIGHT};
use crate::walker::body::Rect;
use crate::walker::clock::UNITY_RATE;

/// Ticks that a gate slides: 0.3 seconds.
pub(crate) const SLIDE: u32 = 9;
/// Where the two gates stand: slabs of 0.2 metres, as wide as the corridor.
pub(crate) const SLABS: [Rect; 2] =
    [Rect::new(CORRIDOR.x0, 9.9, CORRIDOR.x1, 10.1), Rect::new(CORRIDOR.x0, 11.9, CORRIDOR.x1, 12.1)];
/// How far north the walker's centre is when it has passed a gate.
const PASSED: [f64; 2] = [10.4, 12.4];

/// One gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gate {
    /// Whether it is to be closed.
    pub(crate) closed: bool,
    /// When that last changed; never, at the beginning of an episode.
    pub(crate) since: Option<u32>,
}

impl Gate {
    /// Ticks that it has slid at `tick`.
    fn slid(&self, tick: u32) -> u32 {
        self.since.map_or(SLIDE, |since| (tick - since).min(SLIDE))
    }

    /// How high it stands at `tick`.
    pub(crate) fn height(&self, tick: u32) -> f64 {
        let slid = self.slid(tick);
        let up = if self.closed { slid } else { SLIDE - slid };
        WALL_HEIGHT * f64::from(up) / f64::from(SLIDE)
    }

    /// Whether it stands in the way at `tick`.
    pub(crate) fn blocks(&self, tick: u32) -> bool {
        self.closed || self.slid(tick) < SLIDE
    }

    fn turn(&mut self, closed: bool, tick: u32) {
        (self.closed, self.since) = (closed, Some(tick));
    }
}

/// Both gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gates {
    /// The one that Room A leads to, then the one that leads to Room B.
    pub(crate) gates: [Gate; 2],
    delay: u32,
}

impl Gates {
    /// The gates at the beginning of an episode that holds the walker for `delay` seconds.
    pub(crate) fn new(delay: u32) -> Self {
        let gates = [false, delay > 0].map(|closed| Gate { closed, since: None });
        Self { gates, delay: delay * UNITY_RATE }
    }

    /// Checks that the gates of an episode with this `delay` could stand so at `tick`.
    pub(crate) fn check(&self, delay: u32, tick: u32) -> Result<(), String> {
        that("gates.delay", self.delay, self.delay == delay * UNITY_RATE, "that of the layout")?;
        all_within("gates.since", self.gates.iter().filter_map(|gate| gate.since), &(0..=tick))
    }

    /// Lets the second gate open if its time has come.
    pub(crate) fn open(&mut self, tick: u32) {
        let [first, second] = &mut self.gates;
        // It has never moved before it opens; once passed it stays closed.
        let due = first.since.is_some_and(|since| tick - since >= self.delay);
        if second.closed && second.since.is_none() && due {
            second.turn(false, tick);
        }
    }

    /// Closes a gate that the walker, now at `z`, has passed.
    pub(crate) fn pass(&mut self, z: f64, tick: u32) {
        for (gate, passed) in self.gates.iter_mut().zip(PASSED) {
            if !gate.closed && z >= passed {
                gate.turn(true, tick);
            }
        }
    }
}

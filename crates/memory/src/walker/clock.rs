//! Time: ticks, steps of four ticks, and how long an episode lasts at the most.

use heldout_core::check::within;
use heldout_core::{ConfigError, Status};

/// Ticks in a second of the Unity tasks.
pub(crate) const UNITY_RATE: u32 = 30;
/// Ticks in a second of the Lab tasks: the maze and the panels.
pub(crate) const LAB_RATE: u32 = 60;
/// Ticks of one step: every action is repeated.
pub(crate) const TICKS_PER_STEP: u32 = 4;
/// The config key of the time limit, the same in every task.
pub(crate) const KEY: &str = "seconds";
/// Seconds of the longest episode that a config may ask for.
const MOST_SECONDS: f64 = 36_000.0;

/// The time limit of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    rate: u32,
    limit: u32,
}

impl Clock {
    /// A limit of the seconds that are asked for, else of the task's own, at `rate` ticks in a second.
    pub(crate) fn new(asked: Option<f64>, own: f64, rate: u32) -> Result<Self, ConfigError> {
        let seconds = asked.unwrap_or(own);
        let ticks = seconds * f64::from(rate);
        if seconds <= MOST_SECONDS && ticks >= 1.0 {
            return Ok(Self { rate, limit: ticks.round() as u32 });
        }
        let allowed = format!("at least one tick of 1/{rate} second and at most {MOST_SECONDS} seconds");
        Err(ConfigError::value(KEY, seconds, &allowed))
    }

    /// How an episode stands that nothing but time ends.
    pub(crate) fn status(self, tick: u32) -> Status {
        if tick >= self.limit { Status::Truncated } else { Status::Running }
    }

    /// Checks that an episode could be so old.
    pub(crate) fn check(self, tick: u32) -> Result<(), String> {
        within("ticks", tick, 0..=self.limit)
    }

    /// Ticks that are left.
    pub(crate) fn left(self, tick: u32) -> u32 {
        self.limit.saturating_sub(tick)
    }

    /// The time in words, for people.
    pub(crate) fn caption(self, tick: u32) -> String {
        format!("time {} of {} s", tick / self.rate, self.limit / self.rate)
    }
}

/// The ticks of one step, fewer if the episode ends: the sum of the rewards, and how the episode stands.
pub(crate) fn repeat(mut tick: impl FnMut() -> (f32, Status)) -> (f32, Status) {
    let (mut sum, mut status) = (0.0, Status::Running);
    for _ in 0..TICKS_PER_STEP {
        let (reward, now) = tick();
        (sum, status) = (sum + reward, now);
        if status.ended() {
            break;
        }
    }
    (sum, status)
}

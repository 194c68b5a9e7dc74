//! How long an episode lasts at the most.

use heldout_core::ConfigError;

/// The config key of the time limit, the same in every task.
pub const KEY: &str = "seconds";
/// Seconds of the longest episode that a config may ask for.
const MOST_SECONDS: f64 = 36_000.0;

/// Ticks of an episode of `seconds`.
///
/// # Errors
///
/// If there is not a tick, or there are too many.
pub fn ticks(seconds: f64, ticks_per_second: u32) -> Result<u32, ConfigError> {
    let ticks = (seconds * f64::from(ticks_per_second)).round();
    if seconds <= MOST_SECONDS && ticks >= 1.0 {
        Ok(ticks as u32)
    } else {
        let allowed = format!("at least a tick of 1/{ticks_per_second} and at most {MOST_SECONDS}");
        Err(ConfigError::value(KEY, seconds, &allowed))
    }
}
